"""The programs of shipped rulesets, each checked once."""

from functools import cache
from pathlib import Path

from rulewright.files import DISK
from rulewright.program.declarations import Program
from rulewright.workspace import locate
from rulewright.workspace.kept import load_kept

_RULESETS = Path(__file__).parents[2] / "rulesets"


@cache
def shipped(name: str, overlays: tuple[str, ...] = ()) -> Program:
    """The program of a shipped ruleset, with overlays of its folder by their stems."""
    folder = _RULESETS / name
    found = load_kept(locate(str(folder)), tuple(str(folder / f"{each}.rules") for each in overlays), DISK)
    assert found.program is not None, found.errors
    return found.program
