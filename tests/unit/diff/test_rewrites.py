"""Edits of shipped rulesets that leave play as it is, each of a kind, and edits that only look like them."""

import re
from functools import cache
from pathlib import Path

import pytest

from rulewright.base.files import MemoryFiles
from rulewright.diff.comparison import RulesetComparison, compare_rulesets
from rulewright.documents.ruleset_loading import IncrementalLoader, LoadedRuleset
from rulewright.documents.ruleset_location import locate_ruleset
from support.sample_sizes import sample_cases
from support.text_edits import edit_text

HERE = Path(__file__).parent / "rewrites"
RULESETS = Path(__file__).parents[3] / "rulesets"
_HEAD = r"^## (?P<name>[^:\n]*): (?P<kind>[^\n]*)\n+`(?P<file>[^`]*)`\n+"
_ENTRY = re.compile(_HEAD + r"```edit\n(?P<edit>.*?)```\n", re.MULTILINE | re.DOTALL)


def entries(name: str) -> list[re.Match[str]]:
    return list(_ENTRY.finditer((HERE / name).read_text(encoding="utf-8")))


@cache
def texts(folder: str) -> dict[str, str]:
    """The texts of a shipped ruleset, or the one at the top of the file of near misses."""
    if folder == "near":
        text = (HERE / "near_misses.md").read_text(encoding="utf-8")
        return {"near.rules": text.partition("```rules\n")[2].partition("```")[0]}
    files = (each for each in (RULESETS / folder).iterdir() if each.suffix in {".rules", ".yaml"})
    return {each.name: each.read_text(encoding="utf-8") for each in files}


def place(file: str) -> tuple[str, str]:
    folder, _, name = file.partition("/")
    return folder, name or "near.rules"


def read(file: str, text: str | None = None) -> LoadedRuleset:
    folder, name = place(file)
    of_itself = texts(folder)[name].startswith(("ruleset", "amends"))
    main = name if of_itself else f"{folder.replace('-', '_')}.rules"
    provider = MemoryFiles(texts(folder) if text is None else {**texts(folder), name: text})
    found = loader(folder).load_changed(locate_ruleset(main, provider), (), provider)
    assert found.program is not None, found.errors
    return found


@cache
def loader(folder: str) -> IncrementalLoader:
    """Loads a ruleset, and checks edits of it where they are read."""
    del folder
    return IncrementalLoader()


@cache
def unedited(file: str) -> LoadedRuleset:
    return read(file)


def compared(entry: re.Match[str]) -> RulesetComparison:
    folder, name = place(entry["file"])
    old = unedited(entry["file"])
    return compare_rulesets(old, read(entry["file"], edit_text(texts(folder)[name], entry["edit"])))


@pytest.mark.parametrize("entry", sample_cases(entries("shipped.md"), 3), ids=lambda entry: entry["name"])
def test_a_rewriting_is_proved(entry: re.Match[str]) -> None:
    found = compared(entry)
    assert found.static_verdict is not None, found.unproved
    assert found.static_verdict.word in {"equivalent", "renumbered", "cosmetic"}


@pytest.mark.parametrize("entry", sample_cases(entries("near_misses.md"), 3), ids=lambda entry: entry["name"])
def test_what_only_looks_like_one_is_not(entry: re.Match[str]) -> None:
    found = compared(entry)
    assert found.structure_verdict == "changed"
    assert found.static_verdict is None


def test_there_are_enough_of_many_kinds() -> None:
    rewritings = entries("shipped.md")
    assert len(rewritings) >= 60
    assert len({each["kind"] for each in rewritings}) >= 20
    assert len(entries("near_misses.md")) >= 30
