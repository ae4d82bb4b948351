"""A table of cases: a row of columns, each a path into the scenario, then a row of values for each case."""

import re
from collections.abc import Collection, Iterable, Iterator
from functools import reduce
from operator import itemgetter

from rulewright.frozen import dataclass
from rulewright.inputs.findings import Findings, did_you_mean, one_of, quoted
from rulewright.inputs.names import DEFAULTS, several
from rulewright.inputs.nodes import Items, Key, Mapping, Node, Scalar, entries_of, merged_mappings, value_under
from rulewright.program.walk import ends_in
from rulewright.scenarios.expectations.shapes import ODDS
from rulewright.scenarios.schema import OF_SCENARIOS
from rulewright.source import Span

NAME = "case"
"""The column that holds what cases are called."""

_PATCH, _SCRIPT, _EXPECT = "patch", "script", "expect"
_BY_ADDRESS = frozenset({"values", "decided", "asked_of", "offered"})
"""What is expected by address, in which a dot divides nothing."""
_NAME = re.compile(r"[a-z_]\w*", re.IGNORECASE)
_NUMBER = re.compile(r"-?\d+(/\d+)?")
_DIGITS = re.compile(r"(^|\W)\d+$")
"""What makes a dot behind it part of a number, and no end of an expression."""
_WAYS = "a column is a path into the state, such as `hammer.health`, or into the scenario, such as `expect.result`"


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table."""

    head: Scalar  # where it is named
    path: tuple[str, ...]  # keys from the scenario down to what its cells say; empty where they name the case

    @property
    def answer(self) -> int | None:
        """Which answer of a script in order its cells are, from 0; none where they are none."""
        match self.path:
            case ("script", number) if number.isdecimal():
                return int(number) - 1
            case _:
                return None

    def laid(self, cell: Node) -> Mapping:
        """A cell under the keys of its path, which have the place of the head."""
        for step in reversed(self.path):
            cell = Mapping(((Key(step, self.head.span, self.head.pointer), cell),), self.head.span, self.head.pointer)
        assert isinstance(cell, Mapping)
        return cell


@dataclass(frozen=True, slots=True)
class Row:
    """One case of a table."""

    place: Key  # of the row, with the name: what its column says, else the values that do not say what is expected
    node: Mapping  # what it lays over the scenario; values have the place of their cells, keys that of their columns


def columns(table: Items, whole: Mapping, state: Node | None, findings: Findings) -> tuple[Column, ...]:
    """The columns of a table in a scenario that begins with a state.

    Reports RW1018: a column that leads nowhere, or stands there twice.
    """
    head, found = table.items[0], dict[tuple[str, ...], Column]()
    for each in head.items if isinstance(head, Items) else ():
        assert isinstance(each, Scalar)
        path = _path(each, whole, state, findings)
        if path is not None and path in found:
            findings.error("RW1018", each, f"two columns are `{'.'.join(path) or NAME}`", help="keep one of them")
        elif path is not None:
            found[path] = Column(each, path)
    _numbered(found.values(), whole.get(_SCRIPT), findings)
    return tuple(found.values())


def _numbered(of: Iterable[Column], script: Node | None, findings: Findings) -> None:
    """RW1018 for an answer by its number where none stands before it, or where the script is by address."""
    places = {column.answer: column.head for column in of if column.answer is not None}
    there = len(script.items) if isinstance(script, Items) else 0
    for number in sorted(places):
        before = number == 0 or number - 1 < there or number - 1 in places
        if isinstance(script, Mapping):
            remedy = "the script is by address: write `script.` and the address"
        elif number < 0 or not before:
            remedy = "answers are counted from 1; write those before it into `script:`, or give them columns"
        else:
            continue
        findings.error(
            "RW1018", places[number], f"there is no place for answer {number + 1} in the script", help=remedy
        )


def row(given: Items, of: tuple[Column, ...], whole: Mapping, findings: Findings) -> Row:
    """What a row below the head says. Reports RW1019: it has too many or too few values."""
    if len(given.items) != len(of):
        count = f"{len(given.items)} value{'s' * (len(given.items) != 1)}"
        message = f"this row has {count}, and the table {len(of)} column{'s' * (len(of) != 1)}"
        findings.error("RW1019", given, message, help="write one value for each column; a list stands in brackets")
    cells = tuple(zip(of, given.items, strict=False))
    laid = [column.laid(cell) for column, cell in cells if column.path and column.answer is None]
    script = _script(cells, whole.get(_SCRIPT), given)
    node = reduce(merged_mappings, [*laid, *script], Mapping((), given.span, given.pointer))
    place = Key(_name(cells), given.span, given.pointer)
    return Row(place, Mapping(node.entries, given.span, given.pointer))


def cell_of(node: Node, key: Key, place: str) -> Span | None:
    """The cell that an expectation comes from; of several the one whose column ends in a place; none of none."""
    cells = tuple(_cells(node, key))
    about = [cell for named, cell in cells if ends_in(place, named.text)]
    found = about or [cell for _, cell in cells]
    return found[0].span if len(found) == 1 else None


def _cells(node: Node, key: Key) -> Iterator[tuple[Key, Node]]:
    """What stands in cells; only there a key is elsewhere than its value."""
    if key.pointer != node.pointer:
        yield key, node
    elif isinstance(node, Mapping):
        for inner, child in node:
            yield from _cells(child, inner)


def _name(cells: tuple[tuple[Column, Node], ...]) -> str:
    named = [cell for column, cell in cells if not column.path]
    going_in = [cell for column, cell in cells if column.path[:1] != (_EXPECT,)]
    return ", ".join(map(_written, named or going_in or [cell for _, cell in cells]))


def _written(node: Node) -> str:
    match node:
        case Scalar(written=written):
            return written
        case Items(items):
            return f"[{', '.join(map(_written, items))}]"
        case Mapping(entries):
            return f"{{{', '.join(f'{key.text}: {_written(each)}' for key, each in entries)}}}"


def _script(cells: tuple[tuple[Column, Node], ...], shared: Node | None, given: Items) -> list[Mapping]:
    """The script in order, with the answers of a row in their places."""
    found = ((column.answer, column, cell) for column, cell in cells if column.answer is not None)
    answers = sorted(found, key=itemgetter(0))
    if not answers:
        return []
    items = list(shared.items) if isinstance(shared, Items) else []
    for number, _, cell in answers:
        items[number : number + 1] = [cell]
    return [Column(answers[0][1].head, (_SCRIPT,)).laid(Items(tuple(items), given.span, given.pointer))]


def _path(head: Scalar, whole: Mapping, state: Node | None, findings: Findings) -> tuple[str, ...] | None:
    """The keys that a column names."""
    first, *rest = head.written.split(".")
    if head.written == NAME:
        return ()
    if first in OF_SCENARIOS and all(rest):
        return (first, *keys_below(first, rest, {*_names(state), *_roles(whole)}))
    found = tuple(dict.fromkeys(_in_state(first, state, whole))) if all(rest) else ()
    if len(found) == 1:
        return (_PATCH, *found[0], *rest)
    if found:
        ways = one_of([".".join((*each, *rest)) for each in found])
        findings.error("RW1018", head, f"{quoted(head.written)} stands for several things", help=f"write {ways}")
        return None
    known = (".".join((each, *rest)) for each in (*OF_SCENARIOS, *_names(state), *([] if rest else [NAME])))
    remedy = did_you_mean(head.written, known) if all(rest) else ""
    findings.error("RW1018", head, f"the column {quoted(head.written)} leads nowhere", help=remedy or _WAYS)
    return None


def keys_below(first: str, rest: list[str], things: Collection[str] = ()) -> list[str]:
    """Keys below one of a scenario; an address or an expression is one key, whatever dots it has.

    A name after a dot is a value only behind a name that no thing, role or part of the state has: `result.hit`.
    """
    if first == _EXPECT and rest[:1] == [ODDS] and rest[1:]:
        asked, last = rest[1:], rest[-1]
        before = ".".join(asked[:-1])
        of_name = _NAME.fullmatch(last) and _NAME.fullmatch(before) and before not in things
        of_number = before and _NUMBER.fullmatch(last) and not _DIGITS.search(before)
        return [ODDS, before, last] if of_name or of_number else [ODDS, ".".join(asked)]
    if first == _SCRIPT:
        return [".".join(rest)] if rest else []
    if first == _EXPECT and rest and rest[0] in _BY_ADDRESS:
        return [rest[0], *([".".join(rest[1:])] if rest[1:] else [])]
    return rest


def _in_state(first: str, state: Node | None, whole: Mapping) -> Iterator[tuple[str, ...]]:
    """Where in the state something is called so: a part of it, a thing, or the thing that has this role."""
    if not isinstance(state, Mapping):
        return
    if first in state:
        yield (first,)
        return
    roles = whole.get("with")
    role = value_under(roles, first)
    for each in (first, role.written if isinstance(role, Scalar) else first):
        yield from ((key.text, each) for key, part in state if each in _ids(part))


def _roles(whole: Mapping) -> list[str]:
    return [key.text for key, _ in entries_of(whole.get("with"))]


def _names(state: Node | None) -> list[str]:
    """What a column may begin with in a state."""
    return [name for key, part in entries_of(state) for name in (key.text, *_ids(part))]


def _ids(part: Node) -> list[str]:
    """What stands in a part of a state, and the things of a line for several."""
    match part:
        case Mapping(entries):
            return [name for key, _ in entries if key.text != DEFAULTS for name in several(key.text) or (key.text,)]
        case Items(items):
            return [each.written for each in items if isinstance(each, Scalar)]
        case _:
            return []
