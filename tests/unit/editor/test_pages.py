"""What an editor is told goes as the pages beside this file say.

A block asks something of a file of `raid.md`, or of one that the page has itself. `OLD → NEW` is an edit of the file, and a
question without an arrow is in it; `‸` is the cursor, `⇒ NAME` another name. A block `edit` holds edits that were made
before, to the end of its section.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path
from textwrap import wrap

import pytest

from rulewright.base.diagnostics import Diagnostic, Edit
from rulewright.base.diagnostics.remedies import apply_text_edits, describe_text_edits
from rulewright.base.files import MemoryFiles, RevisedFiles
from rulewright.base.source import Span, Text
from rulewright.editor import data_files, navigation, project_file, text_decorations
from rulewright.editor.answers import HoverText, OutlineSymbol
from rulewright.editor.completion import propose_completions
from rulewright.editor.editor_workspace import OpenDocument, Workspace, find_rule_problems
from rulewright.editor.hover import explain_at, find_signature
from rulewright.editor.language_server.server import find_problems
from rulewright.editor.played_answers import play_all_scenarios
from rulewright.editor.refactoring import RenameRefusal, list_fixes, make_case_table_edit
from support.asked_pages import check_page
from support.language_cases import split_blocks
from support.raid_example import FILES, PLACE

PAGES = sorted(each for each in Path(__file__).parent.glob("*.md") if each.name != "raid.md")
_MOST_PROPOSALS = 12
_EDITS = re.compile(r"^```edit (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Asked:
    """A cursor in a file that is open, and the name that is to stand there."""

    desk: Workspace
    place: str
    offset: int
    name: str

    @property
    def text(self) -> Text:
        text = self.desk.current_text(self.place)
        assert text is not None
        return text

    @property
    def opened(self) -> OpenDocument:
        return self.desk.open_document(self.place, refresh=False)

    @property
    def is_rules(self) -> bool:
        return self.place.endswith(".rules")

    @property
    def is_project(self) -> bool:
        return project_file.is_project_file(self.place)


def complete(asked: Asked) -> Iterator[str]:
    """What may stand there first, what has the wanted type with `*`; in one line what is told with nothing more."""
    if asked.is_rules:
        found = propose_completions(asked.opened, asked.offset)
    elif asked.is_project:
        found = project_file.propose_project_completions(asked.desk, asked.place, asked.offset)
    else:
        found = data_files.propose_data_completions(asked.desk, asked.place, asked.offset)
    told = [
        "" if item.sort == "function of the language" else " ".join(filter(None, (item.type, f'"{item.title}"' * bool(item.title))))
        for item in found
    ]  # fmt: skip
    lines = list[str]()
    for is_more, items in groupby(zip(found, told, strict=True), lambda each: bool(each[1])):
        words = [f"{'*' * item.is_type_match}{item.text} {more}".rstrip() for item, more in items]
        lines += words if is_more else wrap(" ".join(words), 110)
    yield from lines[:_MOST_PROPOSALS]
    if lines[_MOST_PROPOSALS:]:
        yield "…"


def hover(asked: Asked) -> Iterator[str]:
    found: HoverText | None
    if asked.is_rules:
        found = explain_at(asked.opened, asked.offset)
    elif asked.is_project:
        found = project_file.explain_project_key(asked.desk, asked.place, asked.offset)
    else:
        found = data_files.explain_data_name(asked.desk, asked.place, asked.offset)
    for line in found.lines if found is not None else ():
        yield from line.split("\n")


def signature(asked: Asked) -> Iterator[str]:
    found = find_signature(asked.opened, asked.offset)
    if found is not None:
        yield f'{found.label} "{found.title}", now {dict(enumerate(found.parameters)).get(found.active, "…")}'


def definition(asked: Asked) -> Iterator[str]:
    if asked.is_rules:
        return _tell_places(asked, navigation.find_definition(asked.opened, asked.offset))
    return _tell_places(asked, data_files.find_data_definition(asked.desk, asked.place, asked.offset))


def references(asked: Asked) -> Iterator[str]:
    return _tell_places(
        asked, (each.span for each in navigation.find_references(asked.desk, asked.place, asked.offset))
    )


def highlights(asked: Asked) -> Iterator[str]:
    return _tell_places(
        asked, (each.span for each in navigation.find_highlights(asked.desk, asked.place, asked.offset))
    )


def _tell_places(asked: Asked, spans: Iterable[Span]) -> Iterator[str]:
    """Each line with what is meant of it in brackets."""
    for span in spans:
        text = asked.desk.current_text(span.source)
        assert text is not None
        at, content = text.get_position(span.start), text.content
        line = content.splitlines()[at.line - 1]
        column, end = at.column - 1, at.column - 1 + span.end - span.start
        yield f"{span.source}:{at.line}: {f'{line[:column]}[{line[column:end]}]{line[end:]}'.strip()}"


def rename(asked: Asked) -> Iterator[str]:
    """What is written where, or why nothing is."""
    made = navigation.rename_at(asked.desk, asked.place, asked.offset, asked.name)
    if isinstance(made, RenameRefusal):
        return _tell_findings(made.findings, asked)
    return _tell_edits(made or (), asked)


def _tell_edits(edits: Iterable[Edit], asked: Asked) -> Iterator[str]:
    """Lines that are written otherwise, as they are then."""
    for source, some in groupby(edits, lambda edit: edit.span.source):
        text = asked.desk.current_text(source)
        assert text is not None
        before, after = text.content.splitlines(), apply_text_edits(text, [*some]).splitlines()
        for number, (old, new) in enumerate(zip(before, after, strict=False), 1):
            if old != new:
                yield f"{source}:{number}: {new.strip()}"


def symbols(asked: Asked) -> Iterator[str]:
    if asked.is_rules:
        return _tell_symbols(navigation.outline_symbols(asked.opened))
    return _tell_symbols(data_files.outline_data_symbols(asked.desk, asked.place))


def _tell_symbols(found: Iterable[OutlineSymbol], indent: str = "") -> Iterator[str]:
    for each in found:
        yield f"{indent}{each.sort} {each.name} {each.title}".rstrip()
        yield from _tell_symbols(each.children, f"{indent}  ")


def hints(asked: Asked) -> Iterator[str]:
    content = asked.text.content
    for each in text_decorations.list_inlay_hints(asked.opened):
        start = content.rfind("\n", 0, each.at) + 1
        yield f"{content[start : each.at].strip()}[{each.text}]"


def lenses(asked: Asked) -> Iterator[str]:
    for each in text_decorations.list_code_lenses(asked.desk, asked.opened):
        yield f"{each.about}: {each.says}"


def folds(asked: Asked) -> Iterator[str]:
    for each in text_decorations.list_folding_ranges(asked.text):
        yield f"{each.first} to {each.last}{' comment' * each.is_comment}"


def layout(asked: Asked) -> Iterator[str]:
    found = text_decorations.format_document(asked.opened)
    findings = [each for each in found if isinstance(each, Diagnostic)]
    yield from _tell_findings(findings, asked)
    yield from _tell_edits((each for each in found if isinstance(each, Edit)), asked)


def colours(asked: Asked) -> Iterator[str]:
    """Each line that has a cursor or is the first, word for word."""
    content, line = asked.text.content, asked.text.get_position(asked.offset).line
    for each in text_decorations.colour_document(asked.opened):
        if asked.text.get_position(each.place.start).line == line:
            yield f"{content[each.place.start : each.place.end]}  {each.sort}{' declared' * each.is_declaration}"


def problems(asked: Asked) -> Iterator[str]:
    """All that is wrong, once typing has paused."""
    for found in find_problems(asked.desk, asked.place).values():
        yield from _tell_findings(found, asked)


def now(asked: Asked) -> Iterator[str]:
    """What is told at once."""
    for found in find_rule_problems(asked.opened).values():
        yield from _tell_findings(found, asked)


def _tell_findings(found: Iterable[Diagnostic], asked: Asked) -> Iterator[str]:
    """Code, line and word of each with its message, and below it the remedies that an editor writes."""
    for each in found:
        said = f"{each.code} {each.message}" + (f" — {each.help}" if each.help else "")
        if each.primary is None:
            yield said
            continue
        span = each.primary.span
        text = asked.desk.current_text(span.source)
        assert text is not None
        yield f"{span.source}:{text.get_position(span.start).line} [{text.content[span.start : span.end]}] {said}"
        for fix in list_fixes([each], span):
            yield f"  {describe_text_edits(fix.edits, asked.desk.current_text)}{' (safe)' * fix.is_safe}"


def table(asked: Asked) -> Iterator[str]:
    """A scenario as a table of cases, which is played as before."""
    edit = make_case_table_edit(asked.desk.live_data(asked.place), Span(asked.place, asked.offset, asked.offset))
    if edit is None:
        return
    assert not edit.safe
    files = asked.desk.current_files()
    tabled = RevisedFiles(files, {asked.place: apply_text_edits(asked.text, [edit])})
    before, after = ([each.outcome for each in play_all_scenarios(("raid",), each)] for each in (files, tabled))
    assert "passed" in before
    assert before == after
    yield from edit.replacement.splitlines()


ASKS: Mapping[str, Callable[[Asked], Iterator[str]]] = {
    each.__name__: each
    for each in (
        complete, hover, signature, definition, references, highlights, rename, symbols, hints, lenses, folds, layout, colours,
        problems, now, table,
    )
}  # fmt: skip


def edit_text(content: str, edit: str) -> str:
    """A text with an edit, and the cursor, if it has one."""
    old, arrow, new = edit.partition(" → ")
    if not arrow:
        old, new = old.replace("‸", ""), old
    assert old in content or not content, f"`{old}` is not in the file"
    return content.replace(old, new, 1) if content else new


def read_files(page: str) -> dict[str, str]:
    """The files of `raid.md` and of a page."""
    files = {**FILES}
    for block in split_blocks(page, "rules", "yaml", "toml", "more"):
        files[block["name"]] = files.get(block["name"], "") * (block["kind"] == "more") + block["content"]
    return files


def open_files(files: Mapping[str, str], edits: Iterable[tuple[str, str]]) -> tuple[Workspace, dict[str, str]]:
    """A desk on which files were opened and edited, and what all files hold now."""
    desk, contents = Workspace(MemoryFiles(files), committed=files.get), {**files}
    for place, edit in edits:
        for content in (contents[place], edit_text(contents[place], edit)):
            desk.change_text(place, content)
            find_problems(desk, place)
            contents[place] = content
    return desk, contents


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_an_editor_is_told_what_the_page_says(page: Path, *, accept: bool) -> None:
    files = read_files(page.read_text(encoding="utf-8"))

    @cache
    def open_section(section: str) -> tuple[Workspace, dict[str, str]]:
        edits = (
            (place, edit.replace("⏎", "\n"))
            for place, content in _EDITS.findall(section)
            for edit in content.splitlines()
        )
        return open_files(files, edits)

    def answer(asks: str, place: str, question: str, section: str) -> Iterable[str]:
        """What an editor is told that has had the file open before it was edited, if it was there."""
        desk, contents = open_section(section)
        if place in contents:
            desk.change_text(place, contents[place])
            find_problems(desk, place)
        edit, _, name = question.partition(" ⇒ ")
        content = edit_text(contents.get(place, ""), edit)
        desk.change_text(place, content.replace("‸", ""))
        return ASKS[asks](Asked(desk, place, max(content.find("‸"), 0), name))

    check_page(page, ASKS, answer, accept=accept)


def test_a_name_of_data_occurs_in_the_same_places_wherever_it_is_asked_for() -> None:
    files = read_files(Path(__file__).with_name("data.md").read_text(encoding="utf-8"))
    desk, _ = open_files(files, ())
    for place in files:
        desk.change_text(place, files[place])
    for place in (each for each in files if not each.endswith(".rules")):
        first = {each.target: each for each in data_files.index_data_names(desk, place).occurrences}
        for each in first.values():
            found = [one.span for one in navigation.find_references(desk, place, each.span.start)]
            assert each.span in found
            assert {files[one.source][one.start : one.end] for one in found} == {each.target.name}
            for other in (one for one in found if one.source == PLACE):
                again = navigation.find_references(desk, PLACE, other.start)
                assert [one.span for one in again] == found
