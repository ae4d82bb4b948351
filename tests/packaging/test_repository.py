"""The shape of the repository."""

import re
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


def test_every_promise_names_tests_that_there_are() -> None:
    text = (ROOT / ".github" / "SECURITY.md").read_text(encoding="utf-8")
    promises = text.partition("## Promises")[2].partition("\n## ")[0].split("\n- **")[1:]
    assert promises
    for promise in promises:
        tests = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", promise)
        cases = re.findall(r"`(tests/cases/\w+\.md): ([^`]+)`", promise)
        assert tests or cases, promise
        for file, name in tests:
            assert f"def {name or 'test_'}" in (ROOT / file).read_text(encoding="utf-8"), (file, name)
        for page, title in cases:
            assert f"\n## {title}\n" in (ROOT / page).read_text(encoding="utf-8"), (page, title)
