"""What became of a mutant."""

from rulewright.frozen import dataclass

OUTCOMES = {
    "killed": "noticed by a scenario",
    "survived": "noticed by none",
    "equivalent": "proved to play the same",
    "refused": "refused by the checker",
}
"""Outcomes with what they mean, in the order of reports."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a mutant.

    Attributes:
        outcome: a key of `OUTCOMES`.
        why: of a killed one what the scenario saw, of a refused one the checker's message, of an equivalent one the
            proof; empty of a survivor.
        by: file and name of the scenario that noticed it; empty where none did.
        plays: how many scenarios were played.
    """

    outcome: str
    why: str = ""
    by: tuple[str, str] = ("", "")
    plays: int = 0
