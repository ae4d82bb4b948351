"""What names stand for, and what they do, in rules and in the files beside them."""

import pytest

from rulewright.base.files import DISK, MemoryFiles
from rulewright.documents.ruleset_loading import load_ruleset
from rulewright.documents.ruleset_location import locate_ruleset
from rulewright.editor.name_index import NameRole, NameTarget
from rulewright.editor.navigation import find_mentions
from rulewright.editor.ruleset_gathering import GatheredRulesets, gather_rulesets
from rulewright.syntax.nodes.expressions import Attribute, Reference, walk_written_nodes
from unit.editor.references.conftest import FILES, Asking

OF_LANGUAGE = {
    *("natural", "face", "gone", "players", "player", "hex", "self"),
    *("adjacent", "ceiling", "connected", "contact", "count", "max", "min", "occupants", "other", "pairs", "position"),
    *("rear_hexes", "removed", "sorted", "sum", "total"),
}


def _places(gathered: GatheredRulesets, target: NameTarget) -> list[str]:
    found = []
    for each in gathered.index.find_occurrences(target):
        text = gathered.texts[each.span.source]
        name = text.name.rpartition("/")[2].partition(".")[0]
        found.append(f"{name}:{text.get_position(each.span.start).line} {each.role.name.lower()}")
    return found


@pytest.mark.parametrize(
    ("spelt", "address", "places"),
    [
        (
            "Unit.health",
            "Unit.health",
            """heavy:4 changed|siege:7 declared|siege:9 read|siege:33 changed|siege:6 filled|siege:7 filled|\
siege:19 expected|siege:22 filled|siege:25 excused""",
        ),
        ("Wall.health", "Wall.health", "siege:11 declared"),
        ("Weather.wary", "Weather.wary", "siege:4 declared|siege:9 filled"),
        (
            "Stance.wary",
            "Stance.wary",
            "heavy:2 read|siege:3 declared|siege:16 read|siege:19 read|siege:31 read|siege:7 filled",
        ),
        ("needed/careful", "needed/careful", "heavy:2 amended|siege:16 declared|siege:17 expected"),
        (
            "strike/3",
            "strike/3",
            """answers:1 answered|siege:27 reached|siege:35 declared|siege:16 expected|siege:18 expected|\
siege:22 answered""",
        ),
        ("yield", "strike/2/answer/yield", "answers:1 answered|siege:30 declared|siege:23 answered|siege:23 expected"),
        (
            "strike/2/answer",
            "strike.answer",
            "answers:1 answered|siege:29 asked|siege:18 expected|siege:22 answered|siege:22 expected|siege:25 excused",
        ),
        (
            "omen.good",
            "omen.good",
            "answers:1 answered|siege:20 declared|siege:37 read|siege:13 answered|siege:23 answered",
        ),
        ("1.b", "SG.1.b", "SG:4 listed|siege:33 cited|siege:12 cited"),
        ("@SG:1.a", "SG.1.a", "SG:3 listed|siege:16 cited"),
        ("siege", "siege", "heavy:1 amended|siege:1 declared"),
    ],
)
def test_a_name_is_found_wherever_it_occurs(ask: Asking, spelt: str, address: str, places: str) -> None:
    gathered, target = ask(spelt)
    assert target.address == address
    assert _places(gathered, target) == places.split("|")


def test_a_place_in_a_file_names_what_stands_there(ask: Asking) -> None:
    assert ask("siege/siege.rules:33:57")[1].address == "Unit.health"
    assert ask("siege/siege.scenario.yaml:23:20")[1].address == "strike/2/answer/yield"


def test_nothing_of_a_sound_ruleset_is_unsure(siege: GatheredRulesets) -> None:
    assert not siege.rule_errors
    assert [each for each in siege.index.occurrences if not each.is_sure] == []


def test_every_span_holds_the_name(siege: GatheredRulesets) -> None:
    for each in siege.index.occurrences:
        assert siege.texts[each.span.source].content[each.span.start : each.span.end] == each.target.name


def test_titles_and_comments_are_mentions(ask: Asking) -> None:
    gathered, target = ask("Unit.health")
    (found,) = find_mentions(target, gathered)
    assert found.role is NameRole.MENTIONED
    assert gathered.texts[found.span.source].get_position(found.span.start).line == 26


@pytest.mark.parametrize(
    ("right", "wrong", "known"),
    [
        ("proceed to 3", "proceed 3", "Stance.bold needed/careful SG.1.b"),
        ("needed(target):", "needled(target):", "Stance.bold strike/3 strike.answer SG.1.b Unit.health"),
    ],
)
def test_what_parses_of_a_broken_text_is_found(right: str, wrong: str, known: str) -> None:
    broken = FILES | {"siege/siege.rules": FILES["siege/siege.rules"].replace(right, wrong)}
    gathered = gather_rulesets("siege", MemoryFiles(broken))
    assert gathered.rule_errors
    assert set(known.split()) <= {each.target.address for each in gathered.index.occurrences}


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
