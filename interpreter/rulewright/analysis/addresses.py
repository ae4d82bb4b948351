"""Addresses: what the parts of a declaration are called (manual, Addresses).

An address is `procedure/step/name/row`. Lines inside `if`, loops and the blocks under questions belong to the step
around them; lines of an option belong to the option. What has no name of its author is called by its verb and what it
acts on, such as `turn.winner`, or by the first cell of its row; what would be called the same is numbered, `if#2`.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from rulewright.frozen import dataclass
from rulewright.syntax.nodes import declarations as d, expressions as ex, rows as r, statements as s
from rulewright.syntax.nodes.expressions import Name

Node = Any

_NAMED = (
    d.Values, d.Word, d.DieDeclaration, d.Kind, d.Record, d.Board, d.Setting, d.Measure, d.Term, d.Relation, d.Tally,
    d.Decide, d.Table, d.Paths, d.ExternalProcedure, d.ExternalTerm, d.Always, d.Event, d.Handler, d.Whenever,
    d.Procedure, d.ProcedureLike, d.StoredField, d.DerivedField, d.DerivedConditions, d.Step, s.Option, r.Row,
)  # fmt: skip

_INSIDE: dict[type, tuple[str, ...]] = {
    d.Values: ("words",),
    d.Kind: ("fields",),
    d.Record: ("fields",),
    d.Board: ("fields",),
    d.Game: ("fields",),
    d.DerivedConditions: ("conditions",),
    d.Term: ("conditions",),
    d.Relation: ("conditions",),
    d.Tally: ("rows",),
    d.Decide: ("rows",),
    d.Table: ("across", "rows"),
    d.Paths: ("costs", "rows"),
    d.Handler: ("block",),
    d.Whenever: ("block",),
    d.Procedure: ("opening", "steps"),
    d.Step: ("block",),
    s.Option: ("block",),
    s.Ask: ("demands", "shape"),
    s.TallyLine: ("rows",),
    s.DecideLine: ("rows",),
    s.Rank: ("keys",),
    r.TableRow: ("cells",),
}

_BESIDE: dict[type, tuple[str, ...]] = {
    r.Conditions: ("rows",),
    s.Block: ("lines",),
    s.Branch: ("block",),
    s.Case: ("block",),
    s.Choose: ("options",),
    s.If: ("branches", "otherwise"),
    s.Match: ("cases",),
    s.ForEach: ("block",),
    s.Repeat: ("block",),
    s.Together: ("block",),
    s.Ask: ("block", "otherwise"),
    s.Draw: ("otherwise",),
    s.Change: ("otherwise",),
    d.Watch: ("block",),
}


def name_of(node: Node) -> Name | None:
    """The name an author gave to a part, which makes its address; none where there is none."""
    if isinstance(node, s.Line):
        return node.label or bound_name(node)
    if isinstance(node, d.Game):
        return Name("game", node.head)
    if isinstance(node, d.Ruling):
        return Name(f"ruling.{node.number.text}", node.number.span)
    return node.name if isinstance(node, _NAMED) else None


def id_of(node: Node) -> str:
    """The name of a part as text; empty where it has none."""
    name = name_of(node)
    return name.text if name else ""


def row_ids(rows: tuple[r.TableRow, ...]) -> list[str]:
    """What the rows of a table are called: by their names, by their first cells, else by their places."""
    taken = dict.fromkeys((each.name.text for each in rows if each.name), 1)
    return [
        each.name.text if each.name else _numbered(cell_text(each.cells[0]) or f"row_{place}", taken)
        for place, each in enumerate(rows, 1)
    ]


def column_ids(across: d.Across) -> list[str]:
    """What the columns of a two-way table are called: by their cells, else by their places."""
    taken: dict[str, int] = {}
    return [_numbered(cell_text(each) or str(place), taken) for place, each in enumerate(across.cells, 1)]


def _numbered(name: str, taken: dict[str, int]) -> str:
    """A name, with a number where something before it is called the same."""
    taken[name] = taken.get(name, 0) + 1
    return name if taken[name] == 1 else f"{name}#{taken[name]}"


def cell_text(cell: r.Cell) -> str:  # noqa: PLR0911 - one case for each sort
    """What a cell says in one word; empty where it takes several."""
    match cell.value:
        case ex.Reference(name=name):
            return name
        case ex.WholeNumber(value=number):
            return str(number)
        case ex.Truth(value=truth):
            return "yes" if truth else "no"
        case ex.NoneValue():
            return "none"
        case ex.Attribute(name=name):
            return name.text
        case ex.Binary(operator="..", left=ex.WholeNumber(value=low), right=ex.WholeNumber(value=high)):
            return f"{low}..{high}"
        case _:
            return ""


def bound_name(line: Node) -> Name | None:
    """The name a line binds."""
    match line:
        case s.Let(name=name) | s.TallyLine(name=name) | s.DecideLine(name=name) | s.Rank(name=name):
            return name
        case s.Roll(name=name) | s.Draw(name=name) | s.Perform(result=name) | s.Trigger(result=name):
            return name
        case s.Ask(shape=shape):
            return shape.binder.names[0] if isinstance(shape, s.OneOf) else shape.name
        case _:
            return None


def line_id(line: Node) -> str:
    """What a line is called in its block: its label, the name it binds, or its verb and what it acts on."""
    if name := id_of(line):
        return name
    verb, called = acting(line)
    return ".".join((verb, *(text for text, _ in called)))


def acting(line: Node) -> tuple[str, list[tuple[str, Any]]]:  # noqa: PLR0911 - one case for each sort of line
    """The verb of a line that has no name, and the names with their places that make its address: `take.x.armies`."""
    match line:
        case s.Set(place=place):
            return "set", _named(place)
        case s.Change(word=word, place=place):
            return word, _named(place)
        case s.Move(thing=thing) | s.Turn(thing=thing) | s.Place(thing=thing) | s.Remove(thing=thing):
            return type(line).__name__.lower(), _named(thing)
        case s.Reroll(dice=place) | s.Shuffle(deck=place):
            return type(line).__name__.lower(), _named(place)
        case s.ForEach(binder=binder):
            return "for", _texts(binder.names[:1])
        case s.Proceed(step=name) | s.Reveal(name=name) | s.Finish(procedure=Name() as name):
            return type(line).__name__.lower(), _texts((name,))
        case s.Perform(procedure=called) | s.Trigger(event=called) | d.Watch(event=called):
            return type(line).__name__.lower(), _texts(called.parts)
        case s.RulingLine(number=number):
            return "ruling", _texts((number,))
        case _:
            return type(line).__name__.lower(), []


def _texts(names: tuple[Name, ...]) -> list[tuple[str, Any]]:
    return [(each.text, each.span) for each in names]


def _named(expression: Node) -> list[tuple[str, Any]]:
    match expression:
        case ex.Reference(name=name, span=span):
            return [(name, span)]
        case ex.Attribute(target=target, name=name):
            return [*_named(target), (name.text, name.span)]
        case ex.Index(target=target) | ex.Call(function=target):
            return _named(target)
        case _:
            return []


@dataclass(frozen=True, slots=True)
class Part:
    """A part or line of a declaration."""

    address: str  # its address; that of what is around where it has none of its own, such as a branch
    node: Node
    around: tuple["Part", ...]  # everything with an address of its own that it stands in, the declaration first
    own: bool  # whether the address is its own

    @property
    def way(self) -> tuple["Part", ...]:
        """What it stands in, then itself."""
        return (*self.around, self)


def parts(declaration: Node, within: str = "") -> Iterator[Part]:
    """Every part and line of a declaration, named or not, outermost first."""
    return _parts(declaration, _Place(within, within, (), {}))


def placed(declaration: Node, within: str = "") -> Iterator[tuple[str, Node]]:
    """Every part and line with its address, or that of the line around it, outermost first."""
    return ((each.address, each.node) for each in parts(declaration, within))


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a part stands: what its address begins with, which address it has if none of its own, what is around."""

    within: str
    nearest: str
    around: tuple[Part, ...]
    taken: dict[str, int]


_NUMBERED = (s.Line, d.Watch, d.Hold, d.Step, d.Requirement, s.Option, s.Demand)


def _parts(node: Node, place: _Place) -> Iterator[Part]:
    name = line_id(node) if isinstance(node, s.Line | d.Watch | d.Hold) else id_of(node)
    address = _joined(place.within, name) if name else place.nearest
    if name and isinstance(node, _NUMBERED):
        address = _numbered(address, place.taken)
    part = Part(address, node, place.around, own=bool(name))
    yield part
    if isinstance(node, d.Table):
        yield from _rows(node, part)
        return
    around = part.way if name else place.around
    inside = replace(place, within=address if name else place.within, nearest=address, around=around)
    for each in _held(node, _INSIDE):
        yield from _parts(each, inside)
    for each in _held(node, _BESIDE):
        yield from _parts(each, replace(inside, within=place.within))


def _rows(table: d.Table, whole: Part) -> Iterator[Part]:
    """The rows of a table, and the cells of a two-way one that hold its results."""
    columns = column_ids(table.across) if table.across else []
    if table.across:
        yield Part(whole.address, table.across, whole.way, own=False)
    for row, called in zip(table.rows, row_ids(table.rows), strict=True):
        part = Part(_joined(whole.address, called), row, whole.way, own=True)
        yield part
        results = row.cells[len(row.cells) - len(columns) :] if columns else ()
        for cell, column in zip(results, columns, strict=False):
            yield Part(_joined(part.address, column), cell, part.way, own=True)


def _held(node: Node, *tables: Mapping[type, tuple[str, ...]]) -> Iterator[Node]:
    """What a node holds in the fields that some tables name, in their order."""
    for field in _fields(node, *tables):
        value = getattr(node, field)
        yield from (each for each in (value if isinstance(value, tuple) else (value,)) if each is not None)


def _fields(node: Node, *tables: Mapping[type, tuple[str, ...]]) -> Iterator[str]:
    return (field for table in tables for field in table.get(type(node), ()))


def _joined(within: str, name: str) -> str:
    return f"{within}/{name}" if within else name


def lines(node: Node) -> Iterator[Node]:
    """Every line in a declaration or line, outermost first, itself included."""
    if isinstance(node, s.Line | d.Watch):
        yield node
    for each in _held(node, _INSIDE, _BESIDE):
        yield from lines(each)


def jumps(line: Node) -> bool:
    """Whether a line leaves the block that it stands in."""
    return isinstance(line, s.Stop | s.Proceed | s.Finish)


def lines_coming_back(node: Node, leaves: Callable[[Node], bool]) -> Iterator[Node]:
    """Every line after which a loop may have another round: not those of a block that always leads out of it.

    `leaves` says which of the jumps lead out of the loop.
    """
    if isinstance(node, s.Block) and _leads_out(node, leaves):
        return
    if isinstance(node, s.Line | d.Watch):
        yield node
    inner = leaves
    if isinstance(node, s.ForEach | s.Repeat):  # a `stop` in an inner loop leaves only that one
        inner = lambda line: leaves(line) and not isinstance(line, s.Stop)  # noqa: E731 - as short as what it stands for
    for each in _held(node, _INSIDE, _BESIDE):
        yield from lines_coming_back(each, inner)


def _leads_out(block: s.Block, leaves: Callable[[Node], bool]) -> bool:
    always = any(_always_leaves(each, leaves) for each in block.lines)
    return always and all(leaves(each) for each in lines(block) if jumps(each))


def _always_leaves(line: Node, leaves: Callable[[Node], bool]) -> bool:
    match line:
        case s.If(branches=branches, otherwise=s.Block() as otherwise):
            return all(_leads_out(each, leaves) for each in (*(one.block for one in branches), otherwise))
        case s.Match(cases=cases):
            return all(_leads_out(each.block, leaves) for each in cases)
        case s.Ask(block=s.Block() as block, otherwise=s.Block() as otherwise):
            return _leads_out(block, leaves) and _leads_out(otherwise, leaves)
        case _:
            return leaves(line)


Edit = Callable[[Node], tuple[Node, ...]]


def edited(node: Node, old: Node, edit: Edit) -> tuple[Node, ...]:
    """The node with one part of it replaced by what the edit makes of it: several parts, or none, for one."""
    if node is old:
        return edit(node)
    changes = {}
    for field in _fields(node, _INSIDE, _BESIDE):
        value = getattr(node, field)
        new = _edited_value(value, old, edit)
        if new is not value:
            changes[field] = new
    return (replace(node, **changes) if changes else node,)


def _edited_value(value: Node, old: Node, edit: Edit) -> Node:
    if value is None:
        return None
    if not isinstance(value, tuple):
        (only,) = edited(value, old, edit)
        return only
    found = tuple(part for each in value for part in edited(each, old, edit))
    same = len(found) == len(value) and all(new is before for new, before in zip(found, value, strict=True))
    return value if same else found
