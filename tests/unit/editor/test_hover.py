"""Hover, signatures, marks beside the text, and how it lies on the page."""

from collections.abc import Callable
from itertools import pairwise

import pytest

from rulewright.base.source import Text
from rulewright.editor.editor_workspace import OpenDocument, Workspace
from rulewright.editor.hover import explain_at, find_signature
from rulewright.editor.text_decorations import (
    colour_document,
    format_document,
    list_code_lenses,
    list_folding_ranges,
    list_inlay_hints,
)
from support.raid_example import MAIN, OVERLAY, PARTS, PLACE, THINGS

Typed = Callable[..., tuple[OpenDocument, int]]


def said(opened: OpenDocument, offset: int) -> list[str]:
    found = explain_at(opened, offset)
    return [] if found is None else "\n".join(found.lines).split("\n")


def test_a_name_is_explained_by_its_sentence_its_clauses_and_who_leads_to_it(desk: Workspace) -> None:
    opened = desk.open_document(PLACE)
    assert said(opened, MAIN.index("harm(striker") + 2) == [
        "**table** `harm: 0..2` “Harm”",
        "- For a stance.",
        "- Look it up:",
        "  - bold: 2",
        "  - on guard: 1",
        "*reads:* `Stance.bold`, `Stance.wary`",
        "*worked out by:* `strike/2`, `strike/3`",
    ]
    assert said(opened, MAIN.index("proceed to 3") + 11) == [
        "**step** `strike/3` “End”",
        "- The procedure ends, and its result is “Harm” for the target's stance.",
        "*works out:* `harm`",
        "*reads:* `strike.target`, `Unit.stance`",
        "*reached from:* `strike/1`",
    ]


def test_names_have_their_types_and_settings_what_they_are_taken_as(desk: Workspace) -> None:
    opened = desk.open_document(PLACE)
    assert said(opened, MAIN.index("needed = 4") + 1) == ["**name** `strike.needed: 4`"]
    assert said(opened, MAIN.index("mood = wary"))[0] == "**setting** `mood: Stance = bold` “How careful they are”"
    assert said(opened, MAIN.index("target.health") + 8) == ["**attribute** `Unit.health: 0..9` “Health”"]


def test_a_clause_is_explained_by_its_list(desk: Workspace) -> None:
    assert said(desk.open_document(PLACE), MAIN.index("@1.b") + 2) == [
        "**clause** `RD.1.b`",
        "> **RD.1.b** (page 1) A strike harms.",
    ]


def test_a_verb_is_explained_by_the_sentence_of_its_line(desk: Workspace) -> None:
    assert said(desk.open_document(PLACE), MAIN.index("proceed to 3") + 2) == ["- Go to step 3.", "`proceed to step`"]


def test_words_in_quotes_are_not_explained(desk: Workspace) -> None:
    assert said(desk.open_document(PLACE), MAIN.index("not their turn") + 5) == []


def test_what_was_known_is_explained_while_a_line_cannot_be_read(typed: Typed) -> None:
    opened, _ = typed("let needed = 4", "let needed = (|")
    content = opened.live.text.content
    assert said(opened, content.index("harm(striker") + 2)[0] == "**table** `harm: 0..2` “Harm”"


def test_a_call_says_what_it_takes_and_where_one_is(typed: Typed) -> None:
    opened, offset = typed("let needed = 4", "perform strike(target, |")
    found = find_signature(opened, offset)
    assert found is not None
    assert (found.label, found.active, found.title) == ("strike(striker: Unit, target: Unit)", 1, "A strike")


def test_a_function_of_the_language_says_what_it_takes(typed: Typed) -> None:
    opened, offset = typed("let needed = 4", "let needed = max(1, |")
    found = find_signature(opened, offset)
    assert found is not None
    assert (found.label, found.active) == ("max(a: number, b: number, …)", 1)


def test_outside_of_calls_nothing_is_said(typed: Typed) -> None:
    opened, offset = typed("let needed = 4", "let needed = (4 + |")
    assert find_signature(opened, offset) is None


def test_types_and_values_stand_beside_what_does_not_say_them(desk: Workspace) -> None:
    found = {MAIN[: each.at].rpartition(" ")[2]: each.text for each in list_inlay_hints(desk.open_document(PLACE))}
    assert found == {"blow": ": die", "needed": ": 4", "mood": " = bold"}


def test_what_was_said_moves_with_its_line(typed: Typed) -> None:
    opened, _ = typed("# Who strikes first.", "# Who strikes first, and why?\n|")
    content = opened.live.text.content
    assert [content[each.at - 4 : each.at] for each in list_inlay_hints(opened)] == ["blow", "eded", "mood"]


def test_procedures_say_how_many_scenarios_begin_with_them(desk: Workspace) -> None:
    assert [(each.says, each.about) for each in list_code_lenses(desk, desk.open_document(PLACE))] == [
        ("play from here", "strike"),
        ("2 scenarios begin here", "strike"),
    ]


def test_blocks_and_runs_of_comments_fold() -> None:
    text = Text("a", "# one\n# two\nkind A, as:\n  b: 1..2\n\n  c: flag\nterm d() gives 1..2 means 1\n")
    assert [(each.first, each.last, each.is_comment) for each in list_folding_ranges(text)] == [
        (1, 2, True),
        (3, 6, False),
    ]


def test_layout_is_that_of_fmt(desk: Workspace) -> None:
    desk.change_text(PLACE, MAIN.replace("    let needed = 4", "    let   needed=4"))
    [edit] = format_document(desk.open_document(PLACE))
    content = desk.current_text(PLACE).content  # type: ignore[union-attr]
    assert content[: edit.span.start] + edit.replacement + content[edit.span.end :] == MAIN  # type: ignore[union-attr]
    desk.change_text(PLACE, MAIN)
    assert format_document(desk.open_document(PLACE)) == ()


def test_a_text_with_mistakes_is_not_laid_out(typed: Typed) -> None:
    opened, _ = typed("let needed = 4", "let needed = (|")
    assert [each.message for each in format_document(opened)] == ["`(` is not closed"]  # type: ignore[union-attr]


def test_names_have_the_colour_of_what_they_stand_for(desk: Workspace) -> None:
    found = [
        (MAIN[each.place.start : each.place.end], each.sort, each.is_declaration)
        for each in colour_document(desk.open_document(PLACE))
    ]
    assert found[:4] == [
        ("ruleset", "keyword", False),
        ("raid", "ruleset", True),
        ('"A raid"', "string", False),
        ("revision", "keyword", False),
    ]
    assert {("harm", "table", False), ("wary", "word", False), ("blow", "name", True), ("@1.b", "cite", False)} & set(
        found
    ) >= {("harm", "table", False), ("wary", "word", False), ("blow", "name", True)}


def test_colours_do_not_overlap_and_follow_each_other_while_a_line_cannot_be_read(typed: Typed) -> None:
    opened, _ = typed("let needed = 4", 'let needed = ( "a" 5 # b|')
    found = [each.place for each in colour_document(opened)]
    assert all(one.end <= other.start for one, other in pairwise(found))


def test_parts_and_overlays_are_coloured_alike(desk: Workspace) -> None:
    desk.change_text(PARTS, THINGS)
    assert {each.sort for each in colour_document(desk.open_document(PARTS))} >= {
        "kind",
        "attribute",
        "setting",
        "word",
        "keyword",
    }
    assert OVERLAY not in desk.open_places


@pytest.mark.parametrize("broken", ["", " ("])
def test_the_number_in_an_address_is_no_comment(desk: Workspace, broken: str) -> None:
    content = f'amends raid revision "1"\nreplace line strike/1/if#2:{broken}\n  set target.health to 1 # a note\n'
    desk.change_text(OVERLAY, content)
    found = [each.place for each in colour_document(desk.open_document(OVERLAY)) if each.sort == "comment"]
    assert [content[each.start : each.end] for each in found] == ["# a note"]
