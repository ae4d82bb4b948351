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
def read_modules() -> dict[str, str]:
    """The text of each module of the package, without examples of command lines."""
    package = ROOT / "interpreter/rulewright"
    return {
        path.relative_to(package).as_posix(): EXAMPLE.sub("", path.read_text(encoding="utf-8"))
        for path in package.rglob("*.py")
    }


@pytest.mark.parametrize("name", sorted(NAMES))
def test_no_module_names_a_game(name: str) -> None:
    word = re.compile(rf"(?<![A-Za-z]){re.escape(name)}(?![A-Za-z])")
    found = {file for file, text in read_modules().items() if word.search(text)}
    assert found - {file for file, names in ALLOWED.items() if name in names} == set()
