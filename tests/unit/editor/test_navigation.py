"""From names to where they are given, to all their places, and to other names."""

from collections.abc import Callable

from rulewright.base.diagnostics import Edit
from rulewright.editor.editor_workspace import OpenDocument, Workspace
from rulewright.editor.navigation import find_definition, find_highlights, find_references, outline_symbols, rename_at
from rulewright.editor.refactoring import RenameRefusal
from support.raid_example import CLAUSES, FILES, MAIN, OVERLAY, PARTS, PLACE, SUITE, THINGS

Typed = Callable[..., tuple[OpenDocument, int]]


def places(desk: Workspace, needle: str, plus: int = 0) -> list[tuple[str, str]]:
    offset = MAIN.index(needle) + plus
    spans = find_definition(desk.open_document(PLACE), offset)
    return [(each.source, FILES[each.source][each.start : each.end]) for each in spans]


def test_a_name_leads_to_its_declaration(desk: Workspace) -> None:
    assert places(desk, "harm(striker", 1) == [(PARTS, "harm")]
    assert places(desk, "blow.natural", 1) == [(PLACE, "blow")]
    assert places(desk, "proceed to 3", 11) == [(PLACE, "3")]


def test_a_margin_leads_to_its_clause(desk: Workspace) -> None:
    assert places(desk, "@1.b", 2) == [("raid/RD.clauses.yaml", "RD.1.b")]
    assert "RD.1.b" in CLAUSES


def test_a_use_line_leads_to_its_file(desk: Workspace) -> None:
    assert places(desk, "raid_things", 2) == [(PARTS, "")]


def test_a_name_that_is_edited_elsewhere_leads_to_where_it_is_now(desk: Workspace) -> None:
    desk.change_text(PARTS, "# above\n" + THINGS.replace("gives 0..2", "gives (0..2"))
    offset = MAIN.index("harm(striker") + 1
    [found] = find_definition(desk.open_document(PLACE), offset)
    content = desk.current_text(PARTS).content  # type: ignore[union-attr]
    assert (found.source, content[found.start : found.end]) == (PARTS, "harm")


def test_the_places_of_a_name_in_one_text_are_told_apart(desk: Workspace) -> None:
    found = find_highlights(desk, PLACE, MAIN.index("target.stance") + 1)
    assert {MAIN[each.span.start : each.span.end] for each in found} == {"target"}
    assert len(found) == MAIN.count("target")


def test_references_are_found_in_every_sort_of_file(desk: Workspace) -> None:
    found = find_references(desk, PLACE, MAIN.index("harm(striker") + 1)
    assert [each.span.source for each in found] == [PLACE, PLACE, OVERLAY, PARTS]
    found = find_references(desk, PLACE, MAIN.index("target.health") + 8)
    assert {each.span.source for each in found} == {PLACE, PARTS, SUITE}


def test_references_are_where_they_are_written_now(desk: Workspace, typed: Typed) -> None:
    opened, _ = typed("let needed = 4", "let needed = (4|")
    content = opened.live.text.content
    found = find_references(desk, PLACE, content.index("harm(striker") + 1)
    assert [content[each.span.start : each.span.end] for each in found if each.span.source == PLACE] == ["harm"] * 2


def test_another_name_is_written_everywhere(desk: Workspace) -> None:
    made = rename_at(desk, PLACE, MAIN.index("harm(striker") + 1, "hurt")
    assert isinstance(made, tuple)
    assert [(each.span.source, each.replacement) for each in made] == [
        (PLACE, "hurt"), (PLACE, "hurt"), (OVERLAY, "hurt"), (PARTS, "hurt"),
    ]  # fmt: skip
    assert all(isinstance(each, Edit) for each in made)


def test_a_name_that_clashes_is_refused_with_the_reason(desk: Workspace) -> None:
    made = rename_at(desk, PLACE, MAIN.index("harm(striker") + 1, "worn")
    assert isinstance(made, RenameRefusal)
    [found] = made.findings
    assert found.code == "RW1153"


def test_where_no_name_stands_nothing_is_renamed(desk: Workspace) -> None:
    assert rename_at(desk, PLACE, MAIN.index("let needed") + 1, "other") is None


def test_symbols_stand_inside_each_other(desk: Workspace) -> None:
    found = outline_symbols(desk.open_document(PLACE))
    assert [(each.name, each.sort, each.title) for each in found] == [
        ("strike", "procedure", "A strike"),
        ("worn", "term", "worn"),
    ]
    assert [(each.name, each.sort) for each in found[0].children] == [
        ("turn", "row"), ("fit", "row"), ("1", "step"), ("2", "step"), ("3", "step"),
    ]  # fmt: skip


def test_symbols_stay_while_a_line_cannot_be_read(typed: Typed) -> None:
    opened, _ = typed("let needed = 4", "let needed = (|")
    assert [each.name for each in outline_symbols(opened)] == ["strike", "worn"]
