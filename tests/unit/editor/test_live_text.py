"""What stands of a text that cannot be read, what is wrong with it, and where its places are."""

import random

import pytest

from rulewright.base.files import get_resource_folder
from rulewright.base.source import Span, Text
from rulewright.editor.live_text import LiveData, LiveRules, TextAlignment, pair_chunks, split_declarations
from rulewright.syntax.parser import parse_rules_text

TEXT = "# first\nterm one() gives 0..9 means 1\nterm two() gives 0..9 means 2\n"


def live(content: str, before: LiveRules | None = None) -> LiveRules:
    return LiveRules(Text("a.rules", content), before)


def test_a_broken_declaration_stands_as_it_could_be_read_last() -> None:
    broken = live(TEXT.replace("means 2", "means (2 + "), live(TEXT))
    assert broken.readable.content == TEXT
    assert broken.text.content != TEXT
    assert broken.is_whole
    assert [each.message for each in broken.syntax_errors] == ["`(` is not closed"]


def test_another_one_that_is_edited_meanwhile_counts_as_it_is() -> None:
    broken = live(TEXT.replace("means 2", "means ("), live(TEXT))
    later = live(broken.text.content.replace("means 1", "means 7"), broken)
    assert later.readable.content == TEXT.replace("means 1", "means 7")


def test_what_could_never_be_read_is_left_out() -> None:
    begun = live(TEXT + "term three() giv", live(TEXT))
    assert begun.readable.content == TEXT
    assert not begun.is_whole


def test_a_comment_is_no_declaration_that_is_left_out() -> None:
    assert live("# only\n").is_whole


def test_declarations_in_another_order_stand_for_themselves() -> None:
    one, two = TEXT.splitlines(keepends=True)[1:]
    swapped = live(f"# first\n{two}{one}", live(TEXT))
    assert swapped.readable.content == swapped.text.content


@pytest.mark.parametrize("ruleset", ["pig/pig.rules", "tricorne-melee/tricorne_results.rules"])
def test_mistakes_are_those_that_reading_the_whole_text_finds(ruleset: str) -> None:
    content = (get_resource_folder("rulesets") / ruleset).read_text(encoding="utf-8")
    before, chance, broken = live(content), random.Random(ruleset), 0
    for _ in range(12):
        at = chance.randrange(len(content))
        edit = chance.choice(["x", "(", '"', ":", " ", "\n", "if ", "@"])
        now = live(content[:at] + edit + content[at:], before)
        if now.readable.content != now.text.content:
            broken += 1
            assert now.syntax_errors == parse_rules_text(now.text).diagnostics
    assert broken > 3


@pytest.mark.parametrize("seed", range(20))
def test_a_place_keeps_its_word(seed: int) -> None:
    content = (get_resource_folder("rulesets") / "pig" / "pig.rules").read_text(encoding="utf-8")
    chance = random.Random(seed)
    start, end = sorted(chance.sample(range(len(content)), 2))
    new = content[:start] + "\nset x" + content[min(end, start + 40) :]
    alignment = TextAlignment(tuple(pair_chunks(split_declarations(content), split_declarations(new))))
    spans = [Span("", at, at + 6) for at in range(0, len(content) - 6, 7)]
    moved = [(each, alignment.map_forward(each)) for each in spans]
    assert sum(new is not None for _, new in moved) > len(spans) // 3
    for old, now in moved:
        if now is not None:
            assert new[now.start : now.end] == content[old.start : old.end]
            assert alignment.map_back(now.start + 3) == old.start + 3


def test_data_that_cannot_be_read_are_known_as_they_were() -> None:
    first = LiveData(Text("a.yaml", "procedure: strike\n"))
    broken = LiveData(Text("a.yaml", "procedure: strike\nwith: {\n"), first)
    assert broken.root is None
    assert broken.readable_root == first.root
