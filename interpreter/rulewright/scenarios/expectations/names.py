"""The keys of `expect`, in the order in which they are judged."""

EXPECTATIONS = (
    "always",
    "invalid",
    "refused",
    "fault",
    "result",
    "path",
    "passed_over",
    "asked",
    "asked_of",
    "offered",
    "rejects",
    "values",
    "decided",
    "counted",
    "applied",
    "not_applied",
    "rulings",
    "measures",
    "state",
    "changes",
)

_BEFORE = ("always", "invalid", "refused", "fault")
_AFTERWARDS = tuple(each for each in EXPECTATIONS if each not in _BEFORE)

ALONE = {
    "invalid": ("refused", "fault", "always", *_AFTERWARDS),
    "refused": ("fault", "always", *_AFTERWARDS),
    "fault": ("result",),
}
"""What cannot be expected of the same play, by expectation."""
