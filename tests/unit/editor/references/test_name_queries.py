"""What names stand for in rules and in the files beside them; `tests/cases/names.md` shows it."""

import pytest

from rulewright.base.files import DISK, MemoryFiles
from rulewright.documents.ruleset_loading import load_ruleset
from rulewright.documents.ruleset_location import locate_ruleset
from rulewright.editor.ruleset_gathering import gather_rulesets
from rulewright.syntax.nodes.expressions import Attribute, Reference, walk_written_nodes
from unit.editor.references.test_rename_refactoring import FILES

OF_LANGUAGE = {
    *("natural", "face", "gone", "players", "player", "hex", "self"),
    *("adjacent", "ceiling", "connected", "contact", "count", "max", "min", "occupants", "other", "pairs", "position"),
    *("rear_hexes", "removed", "sorted", "sum", "total"),
}


def test_every_place_of_a_sound_ruleset_is_sure_and_holds_the_name() -> None:
    siege = gather_rulesets("siege", MemoryFiles(FILES))
    assert not siege.rule_errors
    for each in siege.index.occurrences:
        assert each.is_sure
        assert siege.texts[each.span.source].content[each.span.start : each.span.end] == each.target.name


@pytest.mark.parametrize("name", ["risk", "pig", "yahtzee", "blackjack", "auction", "mel", "melee-phase-2025-10"])
def test_every_name_of_a_shipped_ruleset_is_known(name: str) -> None:
    """Whatever is read in rules is declared there, or is of the language."""
    gathered = gather_rulesets(name, DISK, frozenset({"no such word"}))
    starts = {(each.span.source, each.span.start) for each in gathered.index.occurrences}
    loaded = load_ruleset(locate_ruleset(name))
    assert loaded.linked is not None
    unknown = set()
    for module in loaded.linked.modules:
        for node in walk_written_nodes(tuple(file.declarations for file in module.files)):
            if isinstance(node, Reference) and (node.span.source, node.span.start) not in starts:
                unknown.add(node.name)
            if isinstance(node, Attribute) and (node.name.span.source, node.name.span.start) not in starts:
                unknown.add(node.name.text)
    assert unknown <= OF_LANGUAGE
