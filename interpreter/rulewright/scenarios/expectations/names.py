"""The keys of `expect`, in the order in which they are judged."""

EXPECTATIONS = (
    "refused",
    "fault",
    "result",
    "path",
    "passed_over",
    "asked",
    "asked_of",
    "offered",
    "rejects",
    "decided",
    "applied",
    "not_applied",
    "rulings",
    "measures",
    "state",
    "changes",
)
