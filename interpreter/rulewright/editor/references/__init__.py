"""Who refers to what: every occurrence of every name of a ruleset, in rules and in the files beside them.

`index` holds the frozen answer and what is asked of it; `names` what names of a ruleset stand for and where they were
found. Of rules `declaring` finds where names are given and `referring` where they are used, by what the checker made
of places (`checked`). Of other files `documents` finds them: `forms_by_address` is what may stand at a place, `value_forms`,
`answer_forms`, `expectation_forms` and `scenario_forms` are those of values, answers, expectations and scenarios;
`playing` tells answers without an address apart. `gathering` reads all that belongs to a ruleset; `spelling` tells what
somebody means; `renaming` gives a name another spelling.
"""
