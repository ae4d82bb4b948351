"""What is said beside a text without being a part of it: types and bounds, values of readings, scenarios that begin."""

import re
from collections.abc import Iterator, Mapping
from functools import partial

from rulewright.editing.answers import Aside, Lens
from rulewright.editing.desk import Desk, Open
from rulewright.editing.places import chunks
from rulewright.files import read
from rulewright.frozen import dataclass
from rulewright.inputs.nodes import Items, Mapping as MappingNode, Scalar, entries_of
from rulewright.inputs.yaml_places import read as read_yaml
from rulewright.outline.items import reading
from rulewright.program.declarations import Declared, Program
from rulewright.program.expressions import Variable
from rulewright.references.index import DECLARING, Role
from rulewright.references.scenario_forms import procedure_of
from rulewright.scenarios.loading import ENDING
from rulewright.source import Span, Text
from rulewright.syntax.layout import ScannedLine, scan

_TYPED = re.compile(r"\s*(?::|gives\b)")
CHANGED, NEW = "changed since the last commit", "new since the last commit"
_STEP = re.compile(r"step\s+([\w.\-]+)")
_PROCEDURE = re.compile(r"procedure\s+(\w+)")


def asides(opened: Open) -> tuple[Aside, ...]:
    """Types of names that a text gives without one, and what a reading is taken as where it is read, in order."""
    known, program = opened.good, opened.program
    if known is None or program is None:
        return ()
    content = opened.live.text.content
    routines = _variables(program)
    unwritten = {name for name, each in program.records.items() if not each.span.end}  # named results of externals
    found: list[Aside] = []
    for each in known.index.of_text(opened.name):
        place = opened.placed(known, each.span)
        if place is None:
            continue
        target = each.target
        if target.sort == "name" and each.role in DECLARING and not _TYPED.match(content, place.end):
            owner = target.address.removesuffix(f".{target.name}")
            types = {str(one.type) for one in routines.get((owner, target.name), ())}
            if len(types) == 1 and types.isdisjoint(unwritten):
                found.append(Aside(place.end, f": {types.pop()}"))
        elif target.sort == "setting" and each.role is Role.READ and target.address in program.settings:
            setting = program.settings[target.address]
            found.append(Aside(place.end, f" = {reading(setting, program)}", setting.title))
    return tuple(found)


def _variables(program: Program) -> Mapping[tuple[str, str], list[Variable]]:
    """The variables of declarations, by what addresses call these, and by name."""
    groups: tuple[Mapping[str, Declared], ...] = (
        program.procedures, program.handlers, program.rules, program.functions, program.measures, program.invariants,
    )  # fmt: skip
    found: dict[tuple[str, str], list[Variable]] = {}
    for group in groups:
        for name, node in group.items():
            for each in getattr(node, "variables", ()):
                found.setdefault((name.replace("/", "."), each.name), []).append(each)
    return found


def lenses(desk: Desk, opened: Open) -> tuple[Lens, ...]:
    """Above each procedure that may be begun: that it can be played, and how many scenarios beside it begin with it.

    Above each procedure and step also what became of it since the last commit.
    """
    program, known = opened.program, opened.good
    if program is None or known is None:
        return tuple(since_commit(desk, opened))
    begun = _begun(desk, opened)
    found: list[Lens] = []
    for name, node in program.procedures.items():
        place = opened.placed(known, node.span) if node.span.source == opened.name else None
        if place is None or node.inner:
            continue
        head = Span(place.source, place.start, place.start + len("procedure"))
        found.append(Lens(head, "play from here", "play", name))
        places = begun.get(name, ())
        if places:
            says = "1 scenario begins here" if len(places) == 1 else f"{len(places)} scenarios begin here"
            found.append(Lens(head, says, "scenarios", name, tuple(places)))
    return (*found, *since_commit(desk, opened))


def _begun(desk: Desk, opened: Open) -> Mapping[str, list[Span]]:
    """The scenarios of the files beside the rules, by the procedure that each begins with."""
    found: dict[str, list[Span]] = {}
    folder = opened.name.rpartition("/")[0]
    files = desk.files()
    for name in files.files(folder or "."):
        place = f"{folder}/{name}" if folder else name
        text = read(place, files) if name.endswith(ENDING) else None
        if isinstance(text, Text):
            for procedure, span in desk.kept(text, partial(_listed, text)):
                found.setdefault(procedure, []).append(span)
    return found


def _listed(text: Text) -> tuple[tuple[str, Span], ...]:
    return tuple(_scenarios(text))


def _scenarios(text: Text) -> Iterator[tuple[str, Span]]:
    """The scenarios of a file that are played, cases of one apart, each with what it begins with."""
    root = read_yaml(text).value
    if isinstance(root, MappingNode):
        listed = root.get("scenarios")
        for key, each in entries_of(listed):
            yield from _cases(each, procedure_of(root, ""), key.span)


def _cases(node: object, procedure: str, place: Span) -> Iterator[tuple[str, Span]]:
    if not isinstance(node, MappingNode):
        return
    procedure = procedure_of(node, procedure)
    match node.get("cases"):
        case MappingNode(entries):
            for key, each in entries:
                yield from _cases(each, procedure, key.span)
        case Items(items):
            at = _column(items[0], "procedure") if items else None
            for each in items[1:]:
                cell = each.items[at] if at is not None and isinstance(each, Items) and at < len(each.items) else None
                yield (cell.written if isinstance(cell, Scalar) else procedure), each.span
        case _:
            yield procedure, place


def _column(heads: object, name: str) -> int | None:
    """Which column of a table has a name."""
    cells = heads.items if isinstance(heads, Items) else ()
    return next((at for at, each in enumerate(cells) if isinstance(each, Scalar) and each.written == name), None)


@dataclass(frozen=True, slots=True)
class _Written:
    """A procedure or step as it is written."""

    words: tuple[tuple[int, tuple[str, ...]], ...]  # of its lines, comments and blanks left out, each with its indent
    at: int  # where its first word begins
    size: int  # of that word


def since_commit(desk: Desk, opened: Open) -> Iterator[Lens]:
    """Above each procedure and step what became of it since the last commit; nothing where there is none."""
    before = desk.committed(opened.name)
    if before is None:
        return
    was = dict(_written(before))
    for address, now in _written(opened.live.text.content):
        then = was.get(address)
        if then is None or then.words != now.words:
            place = Span(opened.name, now.at, now.at + now.size)
            yield Lens(place, NEW if then is None else CHANGED, "compare", address)


def _written(content: str) -> Iterator[tuple[str, _Written]]:
    """The procedures and steps of a text, by address."""
    start = 0
    for chunk in chunks(content):
        lines = scan(chunk)
        named = _PROCEDURE.search(chunk, 0, chunk.find("\n")) if lines and lines[0].verb.text == "procedure" else None
        if named is not None:
            yield named[1], _of(lines, start)
            for first, line in enumerate(lines):
                step = _STEP.match(chunk, line.start)
                if step is not None:
                    after = (at for at, each in enumerate(lines) if at > first and each.indent <= line.indent)
                    yield f"{named[1]}/{step[1]}", _of(lines[first : next(after, len(lines))], start)
        start += len(chunk)


def _of(lines: tuple[ScannedLine, ...], start: int) -> _Written:
    words = tuple((each.indent, tuple(word.text for word in each.words)) for each in lines)
    return _Written(words, start + lines[0].start, lines[0].words[0].end - lines[0].start)
