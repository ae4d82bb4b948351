"""The shape of the repository."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = {"grammar", "interpreter", "rulesets", "tests"}
FILES = {"CHANGELOG.md", "LICENSE", "README.md", "pyproject.toml"}
MADE = {"build", "dist"}


def test_the_top_level_is_as_agreed() -> None:
    found = {each.name for each in ROOT.iterdir() if not each.name.startswith(".")} - MADE
    assert found == FOLDERS | FILES


@pytest.mark.parametrize("folder", ["grammar", "rulesets"])
def test_data_folders_hold_no_python(folder: str) -> None:
    assert list((ROOT / folder).rglob("*.py")) == []
