"""The programs of shipped rulesets, each checked once."""

from functools import cache
from pathlib import Path

from rulewright.base.files import DISK
from rulewright.documents.ruleset_loading import load_cached_ruleset
from rulewright.documents.ruleset_location import locate_ruleset
from rulewright.program.declarations import Program

_RULESETS = Path(__file__).parents[2] / "rulesets"


@cache
def load_shipped_program(name: str, overlays: tuple[str, ...] = ()) -> Program:
    """The program of a shipped ruleset, with overlays of its folder by their stems."""
    folder = _RULESETS / name
    found = load_cached_ruleset(
        locate_ruleset(str(folder)), tuple(str(folder / f"{each}.rules") for each in overlays), DISK
    )
    assert found.program is not None, found.errors
    return found.program
