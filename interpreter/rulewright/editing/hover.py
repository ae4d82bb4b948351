"""What stands at a place, in words: the sentence of the chapter, its clauses, what it does, and what leads to it."""

from collections.abc import Iterator, Mapping

from rulewright.chapter.document import Grid, Paragraph, Section
from rulewright.chapter.phrases import Phrases
from rulewright.chapter.sentences import Sentences, anchor
from rulewright.chapter.whole import chapter
from rulewright.editing.answers import Explanation, Signature
from rulewright.editing.completion import call_around, called, parameters_of
from rulewright.editing.cursor import Cursor, language_functions
from rulewright.editing.desk import Known, Open
from rulewright.outline.items import reading
from rulewright.program import declarations as d, statements as st
from rulewright.program.declarations import Program
from rulewright.program.expressions import Variable
from rulewright.references.index import Occurrence, Role, Target, doings
from rulewright.roles import nodes
from rulewright.source import Span
from rulewright.syntax.words import ASK_FORMS, FORMS

_SECTIONS = {
    "procedure": "procedure",
    "event": "event",
    "handler": "handler",
    "standing rule": "rule",
    "kind": "kind",
    "record": "record",
    "board": "board",
    **dict.fromkeys(("term", "relation", "tally", "decide", "table", "paths"), "function"),
}
"""How the anchor of a section of the chapter begins, by the sort of what it is about."""

_LEADING = {
    Role.REACHED: "reached from",
    Role.PERFORMED: "performed by",
    Role.TRIGGERED: "triggered by",
    Role.HEARD: "heard by",
    Role.CALLED: "worked out by",
}
_MOST_LINES, _MOST_NAMES = 12, 8


def explanation(opened: Open, offset: int) -> Explanation | None:
    """What is known of the name, the clause, the word or the line at an offset; none where nothing is."""
    cursor = Cursor(opened, offset)
    found = opened.occurrence(offset)
    if found is not None and not cursor.is_in_words:
        known, occurrence = found
        place = opened.placed(known, occurrence.span)
        lines = tuple(of_name(known, opened.best, occurrence, cursor.variables))
        if place is not None and lines:
            return Explanation(place, lines)
    return None if cursor.is_in_words else _of_word(cursor)


def of_name(known: Known, best: Known, occurrence: Occurrence, own: Mapping[str, Variable]) -> Iterator[str]:
    """What is known of a name: by what was checked last, and what was last without errors; `own` are those in sight."""
    target, program = occurrence.target, known.loaded.program or best.loaded.program
    type_, title = _typed(target, program, own)
    yield f"**{target.sort}** `{target.address}{f': {type_}' if type_ else ''}`{f' “{title}”' if title else ''}"
    if target.sort == "clause":
        yield from _clauses(known, (target.address,))
        return
    section = _section(best, target)
    if section is not None:
        yield from _said(section)
        yield from _clauses(best, section.cites)
    for does, names in doings(target, known.index, known.extents).items():
        if does != "cites":
            yield f"*{does}:* {_listed(names)}"
    yield from _leading(known, target)


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(f"`{each}`" for each in names[:_MOST_NAMES]) + more


def _typed(  # noqa: PLR0911 - each sort
    target: Target, program: Program | None, own: Mapping[str, Variable]
) -> tuple[str, str]:
    """The type of what has a value, as rules write it, and the title of what has one and no section."""
    if program is None:
        return "", ""
    if target.sort == "name":
        variable = own.get(target.name)
        return (str(variable.type), "") if variable is not None else ("", "")
    owner, _, name = target.address.rpartition(".")
    match target.sort:
        case "setting" if name in program.settings:
            setting = program.settings[name]
            return f"{setting.type} = {reading(setting, program)}", setting.title
        case "field of the game" if name in program.game:
            return str(program.game[name].type), program.game[name].title
        case "word" if owner in program.values:
            return owner, next((each.title for each in program.values[owner].words if each.name == name), "")
        case "attribute":
            return _attribute(owner, name, program)
        case "ruling":
            return "", next((each.text for each in program.rulings if each.id == target.address), "")
        case "step":
            steps = (each for one in program.procedures.values() for each in one.steps)
            return "", next((each.title for each in steps if each.address == target.address), "")
        case _ if target.address in program.functions:
            return str(program.functions[target.address].type), program.functions[target.address].title
        case _:
            groups = (program.procedures, program.events, program.kinds, program.rules, program.handlers)
            return "", next((group[target.address].title for group in groups if target.address in group), "")


def _attribute(owner: str, name: str, program: Program) -> tuple[str, str]:
    function = program.functions.get(f"{owner}/{name}")
    if function is not None:
        return str(function.type), function.title
    fields = program.kinds[owner].fields if owner in program.kinds else ()
    parts = program.records[owner].parts if owner in program.records else ()
    found = next((each for each in (*fields, *parts) if each.name == name), None)
    return (str(found.type), found.title) if found is not None else ("", "")


def _section(known: Known, target: Target) -> Section | None:
    """The section of the chapter that is about a declaration or a step."""
    if target.sort == "step":
        procedure, _, step = target.address.partition("/")
        return _sections(known).get(anchor("step", f"{procedure} {step}"))
    sort = _SECTIONS.get(target.sort)
    return _sections(known).get(anchor(sort, target.address)) if sort else None


def _sections(known: Known) -> Mapping[str, Section]:
    program = known.loaded.program
    if program is None:
        return {}
    made = known.kept("chapter", lambda: chapter(program, known.outline, ()))
    return known.kept("sections", lambda: {each.anchor: each for part in made.sections for each in _every(part)})


def _every(section: Section) -> Iterator[Section]:
    yield section
    for each in section.sections:
        yield from _every(each)


def _said(section: Section) -> Iterator[str]:
    """The first lines of a section, and the headings of those inside it."""
    lines = [line for each in section.entries for line in _paragraph(each, 0)]
    lines += [f"- {each.number} {each.heading}".replace("-  ", "- ") for each in section.sections]
    yield "\n".join(lines[:_MOST_LINES]) + ("\n…" if len(lines) > _MOST_LINES else "")


def _paragraph(paragraph: Paragraph, level: int) -> Iterator[str]:
    if paragraph.said:
        yield f"{'  ' * level}- {paragraph.said}"
    if paragraph.grid is not None:
        yield from _rows(paragraph.grid, level + 1)
    for each in paragraph.inside:
        yield from _paragraph(each, level + 1)


def _rows(grid: Grid, level: int) -> Iterator[str]:
    for row in grid.rows:
        yield f"{'  ' * level}- {': '.join(each for each in row if each)}"


def _clauses(known: Known, cites: tuple[str, ...]) -> Iterator[str]:
    """What clauses say, in the words of their list."""
    linked = known.loaded.linked
    entries = {each.id: each for listed in linked.clauses.values() for each in listed} if linked is not None else {}
    for id_ in cites[:_MOST_NAMES]:
        if id_ in entries and entries[id_].says:
            where = f" ({entries[id_].where})" if entries[id_].where else ""
            yield f"> **{id_}**{where} {entries[id_].says}"


def _leading(known: Known, target: Target) -> Iterator[str]:
    """Who jumps here, or carries it out."""
    for role, says in _LEADING.items():
        found = (_around(each.span, known) for each in known.index.of(target) if each.role is role)
        names = list(dict.fromkeys(each for each in found if each and each != target.address))
        if names:
            yield f"*{says}:* {_listed(names)}"


def _around(span: Span, known: Known) -> str:
    """The address of the declaration or step that a place lies in."""
    wide = (
        (each.end - each.start, target.address)
        for target, each in known.extents.items()
        if each.source == span.source and each.start <= span.start and span.end <= each.end
        and target.sort not in {"row", "line", "option"}
    )  # fmt: skip
    return min(wide, default=(0, ""))[1]


def _of_word(cursor: Cursor) -> Explanation | None:
    """The sentence of the line that a word begins, with the form of such lines; or what a function works out."""
    content, offset = cursor.content, cursor.offset
    start, end = cursor.word_start, offset
    while end < len(content) and (content[end].isalnum() or content[end] == "_"):
        end += 1
    written = content[start:end]
    function = language_functions().get(written)
    if function is not None and content[end : end + 1] == "(":
        said = f"`{function.label}` gives {function.gives}"
        return Explanation(Span(cursor.opened.name, start, end), (said, function.meaning))
    before = cursor.line.strip()
    if written not in FORMS or (before and not before.endswith(":") and written not in ASK_FORMS):
        return None
    lines = [each for each in (_sentence(cursor, start),) if each]
    return Explanation(Span(cursor.opened.name, start, end), (*lines, f"`{FORMS[written]}`"))


def _sentence(cursor: Cursor, start: int) -> str:
    """The line that begins at an offset as a sentence of the chapter; nothing where it was edited since."""
    known, program = cursor.opened.good, cursor.opened.program
    at = cursor.opened.before(known, start) if known is not None else None
    if at is None or program is None:
        return ""
    groups: tuple[Mapping[str, d.Routine], ...] = (program.procedures, program.handlers, program.rules)
    for name in cursor.declared:
        for node in (group[name] for group in groups if name in group):
            line = next((each for each in nodes(node) if _begins(each, cursor.opened.name, at)), None)
            if line is not None:
                phrases = Phrases(program, node.variables, node, getattr(node, "parameters", ()))
                said = Sentences(program, phrases, {}).under([line])
                return "\n".join(line for each in said for line in _paragraph(each, 0))
    return ""


def _begins(node: object, source: str, at: int) -> bool:
    return isinstance(node, st.Line) and node.span.source == source and node.span.start == at


def signature(opened: Open, offset: int) -> Signature | None:
    """What the call around an offset takes, and which argument stands there; none outside of calls."""
    cursor = Cursor(opened, offset)
    call = None if cursor.is_in_words else call_around(cursor)
    if call is None:
        return None
    name, active = call
    symbol, function = called(cursor, name), language_functions().get(name)
    if symbol is not None:
        parameters = tuple(f"{each}: {type_}" for each, type_ in parameters_of(cursor, name))
        title = getattr(symbol.node, "title", None)
        return Signature(f"{name}({', '.join(parameters)})", parameters, active, title.text if title else "")
    if function is None:
        return None
    inside = function.label[len(name) + 1 : -1]
    parameters = tuple(inside.split(", ")) if inside else ()
    return Signature(function.label, parameters, active, function.meaning)
