"""Hover text and signature help: sentence of the chapter, clauses, effects, and incoming jumps and calls."""

from collections.abc import Iterator, Mapping

from rulewright.base.node_roles import walk_nodes
from rulewright.base.source import Span
from rulewright.editor.answers import HoverText, SignatureHelp
from rulewright.editor.completion import find_callable, find_enclosing_call, list_parameters
from rulewright.editor.editor_workspace import AnalysisSnapshot, OpenDocument
from rulewright.editor.name_index import NameOccurrence, NameRole, NameTarget, list_effects
from rulewright.editor.rules_cursor import RulesCursor, load_language_functions
from rulewright.program import declarations as d, statements as st
from rulewright.program.declarations import Program
from rulewright.program.expressions import Variable
from rulewright.program.outline.items import render_default_reading
from rulewright.syntax.words import ASK_FORMS, LINE_FORMS
from rulewright.wording.chapter_builder import make_chapter
from rulewright.wording.chapter_document import ChapterGrid, ChapterSection, Paragraph, walk_sections
from rulewright.wording.phrases import PhraseGenerator
from rulewright.wording.sentences import SentenceGenerator, make_anchor

_ANCHOR_PREFIXES = {
    "procedure": "procedure",
    "event": "event",
    "handler": "handler",
    "standing rule": "rule",
    "kind": "kind",
    "record": "record",
    "board": "board",
    **dict.fromkeys(("term", "relation", "tally", "decide", "table", "paths"), "function"),
}
"""Prefixes of section anchors in the chapter, by sort of target."""

_INCOMING_ROLE_WORDS = {
    NameRole.REACHED: "reached from",
    NameRole.PERFORMED: "performed by",
    NameRole.TRIGGERED: "triggered by",
    NameRole.HEARD: "heard by",
    NameRole.CALLED: "worked out by",
}
_MAX_SECTION_LINES, _MAX_LISTED_NAMES = 12, 8


def explain_at(opened: OpenDocument, offset: int) -> HoverText | None:
    """Hover text of the name, clause, keyword or line at an offset."""
    cursor = RulesCursor(opened, offset)
    items = opened.find_occurrence(offset)
    if items is not None and not cursor.is_in_prose:
        known, occurrence = items
        place = opened.map_to_current(known, occurrence.span)
        lines = tuple(explain_name(known, opened.best_snapshot, occurrence, cursor.variables))
        if place is not None and lines:
            return HoverText(place, lines)
    return None if cursor.is_in_prose else _explain_keyword(cursor)


def explain_name(
    known: AnalysisSnapshot, best: AnalysisSnapshot, occurrence: NameOccurrence, variables: Mapping[str, Variable]
) -> Iterator[str]:
    """Lines on a name, from the latest and the best snapshot; `variables` are those in scope."""
    target, program = occurrence.target, known.loaded.program or best.loaded.program
    type_, title = _type_and_title(target, program, variables)
    yield f"**{target.sort}** `{target.address}{f': {type_}' if type_ else ''}`{f' “{title}”' if title else ''}"
    if target.sort == "clause":
        yield from _render_clauses(known, (target.address,))
        return
    section = _find_section(best, target)
    if section is not None:
        yield from _render_section_lines(section)
        yield from _render_clauses(best, section.cites)
    for does, names in list_effects(target, known.index, known.extents).items():
        if does != "cites":
            yield f"*{does}:* {_list_some_names(names)}"
    yield from _render_incoming(known, target)


def _list_some_names(names: list[str]) -> str:
    more = f" and {len(names) - _MAX_LISTED_NAMES} more" if len(names) > _MAX_LISTED_NAMES else ""
    return ", ".join(f"`{name}`" for name in names[:_MAX_LISTED_NAMES]) + more


def _type_and_title(target: NameTarget, program: Program | None, variables: Mapping[str, Variable]) -> tuple[str, str]:
    """Type in source notation, and the title if the name has no section of its own."""
    if program is None:
        return "", ""
    if target.sort == "name":
        variable = variables.get(target.name)
        return (str(variable.type), "") if variable is not None else ("", "")
    owner, _, name = target.address.rpartition(".")
    match target.sort:
        case "setting" if name in program.settings:
            setting = program.settings[name]
            return f"{setting.type} = {render_default_reading(setting, program)}", setting.title
        case "field of the game" if name in program.game:
            return str(program.game[name].type), program.game[name].title
        case "word" if owner in program.values:
            return owner, next((word.title for word in program.values[owner].words if word.name == name), "")
        case "attribute":
            return _attribute_type_and_title(owner, name, program)
        case "ruling":
            return "", next((ruling.text for ruling in program.rulings if ruling.id == target.address), "")
        case "step":
            steps = (step for one in program.procedures.values() for step in one.steps)
            return "", next((step.title for step in steps if step.address == target.address), "")
        case _ if target.address in program.functions:
            return str(program.functions[target.address].type), program.functions[target.address].title
        case _:
            groups = (program.procedures, program.events, program.kinds, program.rules, program.handlers)
            return "", next((group[target.address].title for group in groups if target.address in group), "")


def _attribute_type_and_title(owner: str, name: str, program: Program) -> tuple[str, str]:
    function = program.functions.get(f"{owner}/{name}")
    if function is not None:
        return str(function.type), function.title
    fields = program.kinds[owner].fields if owner in program.kinds else ()
    parts = program.records[owner].parts if owner in program.records else ()
    result = next((field for field in (*fields, *parts) if field.name == name), None)
    return (str(result.type), result.title) if result is not None else ("", "")


def _find_section(known: AnalysisSnapshot, target: NameTarget) -> ChapterSection | None:
    """Section of the chapter about a declaration or step."""
    if target.sort == "step":
        procedure, _, step = target.address.partition("/")
        return _sections_by_anchor(known).get(make_anchor("step", f"{procedure} {step}"))
    sort = _ANCHOR_PREFIXES.get(target.sort)
    return _sections_by_anchor(known).get(make_anchor(sort, target.address)) if sort else None


def _sections_by_anchor(known: AnalysisSnapshot) -> Mapping[str, ChapterSection]:
    program = known.loaded.program
    if program is None:
        return {}
    chapter = known.cache_once("chapter", lambda: make_chapter(program, known.loaded.texts, ()))
    return known.cache_once(
        "sections", lambda: {section.anchor: section for section in walk_sections(chapter.sections)}
    )


def _render_section_lines(section: ChapterSection) -> Iterator[str]:
    lines = [line for entry in section.entries for line in _render_paragraph(entry, 0)]
    lines += [
        f"- {chapter_section.number} {chapter_section.heading}".replace("-  ", "- ")
        for chapter_section in section.sections
    ]
    yield "\n".join(lines[:_MAX_SECTION_LINES]) + ("\n…" if len(lines) > _MAX_SECTION_LINES else "")


def _render_paragraph(paragraph: Paragraph, level: int) -> Iterator[str]:
    if paragraph.text:
        yield f"{'  ' * level}- {paragraph.text}"
    if paragraph.grid is not None:
        yield from _render_grid_rows(paragraph.grid, level + 1)
    for item in paragraph.inside:
        yield from _render_paragraph(item, level + 1)
    for footnote in paragraph.footnotes:
        label = f"Ruling {footnote.ruling}" if footnote.ruling else "Reading"
        yield f"{'  ' * level}- {label}: {footnote.text}"


def _render_grid_rows(grid: ChapterGrid, level: int) -> Iterator[str]:
    for row in grid.rows:
        yield f"{'  ' * level}- {': '.join(item for item in row if item)}"


def _render_clauses(known: AnalysisSnapshot, cites: tuple[str, ...]) -> Iterator[str]:
    linked = known.loaded.linked
    entries = (
        {entry.id: entry for listed in linked.clause_lists.values() for entry in listed} if linked is not None else {}
    )
    for id_ in cites[:_MAX_LISTED_NAMES]:
        if id_ in entries and entries[id_].paraphrase:
            where = f" ({entries[id_].location})" if entries[id_].location else ""
            yield f"> **{id_}**{where} {entries[id_].paraphrase}"


def _render_incoming(known: AnalysisSnapshot, target: NameTarget) -> Iterator[str]:
    """Jumps and calls to a target."""
    for role, says in _INCOMING_ROLE_WORDS.items():
        result = (
            _enclosing_address(occurrence.span, known)
            for occurrence in known.index.find_occurrences(target)
            if occurrence.role is role
        )
        names = list(dict.fromkeys(item for item in result if item and item != target.address))
        if names:
            yield f"*{says}:* {_list_some_names(names)}"


def _enclosing_address(span: Span, known: AnalysisSnapshot) -> str:
    wide = (
        (item.end - item.start, target.address)
        for target, item in known.extents.items()
        if item.source == span.source and item.start <= span.start and span.end <= item.end
        and target.sort not in {"row", "line", "option"}
    )  # fmt: skip
    return min(wide, default=(0, ""))[1]


def _explain_keyword(cursor: RulesCursor) -> HoverText | None:
    """Sentence of the line that a keyword begins with its syntax; or what a function computes."""
    content, offset = cursor.content, cursor.offset
    start, end = cursor.word_start, offset
    while end < len(content) and (content[end].isalnum() or content[end] == "_"):
        end += 1
    written = content[start:end]
    function = load_language_functions().get(written)
    if function is not None and content[end : end + 1] == "(":
        sentence = f"`{function.label}` gives {function.gives}"
        return HoverText(Span(cursor.document.name, start, end), (sentence, function.meaning))
    before = cursor.line_before_word.strip()
    if written not in LINE_FORMS or (before and not before.endswith(":") and written not in ASK_FORMS):
        return None
    lines = [item for item in (_line_sentence(cursor, start),) if item]
    return HoverText(Span(cursor.document.name, start, end), (*lines, f"`{LINE_FORMS[written]}`"))


def _line_sentence(cursor: RulesCursor, start: int) -> str:
    """Empty if the line was edited since the check."""
    known, program = cursor.document.last_good, cursor.document.program
    at = cursor.document.map_to_snapshot(known, start) if known is not None else None
    if at is None or program is None:
        return ""
    groups: tuple[Mapping[str, d.Routine], ...] = (program.procedures, program.handlers, program.rules)
    for name in cursor.declaration_names:
        for node in (group[name] for group in groups if name in group):
            line = next((item for item in walk_nodes(node) if _is_line_at(item, cursor.document.name, at)), None)
            if line is not None:
                phrases = PhraseGenerator(program, node.variables, node, getattr(node, "parameters", ()))
                sentence = SentenceGenerator(program, phrases).line_paragraphs(line)
                return "\n".join(line for paragraph in sentence for line in _render_paragraph(paragraph, 0))
    return ""


def _is_line_at(node: object, source: str, at: int) -> bool:
    return isinstance(node, st.Line) and node.span.source == source and node.span.start == at


def find_signature(opened: OpenDocument, offset: int) -> SignatureHelp | None:
    """Signature of the call around an offset, with the active argument."""
    cursor = RulesCursor(opened, offset)
    call = None if cursor.is_in_prose else find_enclosing_call(cursor)
    if call is None:
        return None
    name, active = call
    symbol, function = find_callable(cursor, name), load_language_functions().get(name)
    if symbol is not None:
        parameters = tuple(f"{item}: {type_}" for item, type_ in list_parameters(cursor, name))
        title = getattr(symbol.node, "title", None)
        return SignatureHelp(f"{name}({', '.join(parameters)})", parameters, active, title.text if title else "")
    if function is None:
        return None
    inside = function.label[len(name) + 1 : -1]
    parameters = tuple(inside.split(", ")) if inside else ()
    return SignatureHelp(function.label, parameters, active, function.meaning)
