"""Words for values, conditions, happenings and reasons: one vocabulary for traces, questions, refusals and reports."""
