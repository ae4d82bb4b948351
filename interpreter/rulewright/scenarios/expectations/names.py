"""The keys of `expect`, in the order in which they are judged."""

EXPECTATIONS = (
    "always",
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

_AFTERWARDS = tuple(each for each in EXPECTATIONS if each not in {"refused", "fault", "always"})

ALONE = {"refused": ("fault", "always", *_AFTERWARDS), "fault": ("result",)}
"""What cannot be expected of the same play, by expectation."""
