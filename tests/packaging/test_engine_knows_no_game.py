"""The interpreter has no name of a game: whatever a game needs is in its ruleset."""

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RULESETS = sorted(each.name for each in (ROOT / "rulesets").iterdir() if each.is_dir())
DOCUMENTS = sorted(each.name.partition(".")[0] for each in (ROOT / "rulesets").glob("*/*.clauses.yaml"))
NAMES = {*RULESETS, *(each.partition("-")[0] for each in RULESETS), *DOCUMENTS} - {"melee"}
ALLOWED = {"cli/main.py": {"mel"}}  # the help names a shipped ruleset as an example of what can be typed
EXAMPLE = re.compile(r"Example: `rulewright [^`]*`")


@cache
def map_named_games() -> dict[str, set[str]]:
    """By name of a game, the modules of the package that name it outside examples of command lines."""
    word = re.compile(rf"(?<![A-Za-z])(?:{'|'.join(map(re.escape, sorted(NAMES, key=len, reverse=True)))})(?![A-Za-z])")
    package, found = ROOT / "interpreter/rulewright", dict[str, set[str]]()
    for path in package.rglob("*.py"):
        for name in word.findall(EXAMPLE.sub("", path.read_text(encoding="utf-8"))):
            found.setdefault(name, set()).add(path.relative_to(package).as_posix())
    return found


@pytest.mark.parametrize("name", sorted(NAMES))
def test_no_module_names_a_game(name: str) -> None:
    found = map_named_games().get(name, set())
    assert found - {file for file, names in ALLOWED.items() if name in names} == set()


def test_a_game_that_is_named_is_found() -> None:
    assert map_named_games()["mel"] == {"cli/main.py"}
