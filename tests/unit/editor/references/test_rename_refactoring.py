"""A rename changes every place of a name and nothing else; `tests/cases/names.md` shows what is refused and why."""

from functools import partial
from pathlib import Path

import pytest

from rulewright.base.files import MemoryFiles, RevisedFiles
from rulewright.diff.comparison import compare_rulesets
from rulewright.documents.ruleset_loading import load_ruleset
from rulewright.documents.ruleset_location import locate_ruleset
from rulewright.editor.name_index import NameTarget
from rulewright.editor.navigation import make_search_words
from rulewright.editor.played_answers import play_all_scenarios
from rulewright.editor.refactoring import RenameResult, rename_target
from rulewright.editor.ruleset_gathering import gather_rulesets
from support.language_cases import split_blocks

_PAGE = Path(__file__).parents[3] / "cases/names.md"
FILES = {
    block["name"]: block["content"]
    for block in split_blocks(_PAGE.read_text(encoding="utf-8").partition("\n## ")[0], "rules", "yaml")
}


def _some() -> list[NameTarget]:
    """One name of each sort; `tests/renames/rename_all.py` renames all of shipped rulesets."""
    first = {each.sort: each for each in reversed(gather_rulesets("siege", MemoryFiles(FILES)).index.list_targets)}
    return [*first.values()]


@pytest.mark.parametrize("target", [pytest.param(each, id=each.address) for each in _some()])
def test_every_name_can_be_another(target: NameTarget) -> None:
    name = f"{target.name}.z" if target.sort == "clause" else f"{target.name}_z"
    provider = MemoryFiles(FILES)
    made = rename_target(
        target, name, partial(gather_rulesets, "siege", words=make_search_words(target.name, name)), provider
    )
    assert isinstance(made, RenameResult)
    after = RevisedFiles(provider, made.after)
    assert [each.outcome for each in play_all_scenarios(("siege",), after)] == ["passed"] * 2
    old, new = (
        load_ruleset(locate_ruleset("siege", provider), provider=provider),
        load_ruleset(locate_ruleset("siege", after), provider=after),
    )
    assert {each.code for each in new.diagnostics} == {each.code for each in old.diagnostics}
    comparison = compare_rulesets(old, new)
    assert comparison.static_verdict is not None
