"""Who refers to what: every occurrence of every name of a ruleset, in rules and in the files beside them.

`index` holds the frozen answer and what is asked of it; `rules` and `documents` find occurrences; `gathering` reads all
that belongs to a ruleset; `spelling` tells what somebody means; `renaming` gives a name another spelling.
"""
