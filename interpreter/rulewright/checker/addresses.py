"""Addresses of the parts of a declaration: `procedure/step/name/row` (manual, Addresses).

Lines inside `if`, loops and the blocks under questions belong to the step around them; lines of an option belong to the
option. A part without a name of its author is called by its verb and its object, such as `turn.winner`, or by the first
cell of its row; equal names are numbered, `if#2`.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, get_args

from rulewright.base.frozen import dataclass, replace
from rulewright.base.node_roles import list_fields_of_type
from rulewright.syntax.nodes import declarations as d, expressions as ex, statements as s
from rulewright.syntax.nodes.expressions import Name

DeclarationNode = Any

_NAMED_NODE_TYPES = (
    d.Values, d.Word, d.DieDeclaration, d.Kind, d.Record, d.Board, d.Setting, d.Measure, d.Term, d.Relation, d.Tally,
    d.Decide, d.Table, d.Paths, d.ExternalProcedure, d.ExternalTerm, d.Always, d.Event, d.Handler, d.Whenever,
    d.Procedure, d.ProcedureLike, d.StoredField, d.DerivedField, d.DerivedConditions, d.Step, s.Option, s.Row,
)  # fmt: skip

_NESTED_FIELDS: dict[type, tuple[str, ...]] = {
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
    s.TableRow: ("cells",),
}

_SAME_LEVEL_FIELDS: dict[type, tuple[str, ...]] = {
    **{line: list_fields_of_type(line, s.Block, s.Block | None) for line in get_args(s.Statement)},
    s.If: ("branches", "otherwise"),
    s.Match: ("cases",),
    s.Conditions: ("rows",),
    s.Block: ("lines",),
    s.Branch: ("block",),
    s.Case: ("block",),
    s.Choose: ("options",),
    d.Watch: ("block",),
}


def get_node_name(node: DeclarationNode) -> Name | None:
    """Name that the author gave to a node, which makes its address; None without one."""
    if isinstance(node, s.Line):
        return node.label or get_bound_name(node)
    if isinstance(node, d.Game):
        return Name("game", node.head)
    if isinstance(node, d.Ruling):
        return Name(f"ruling.{node.number.text}", node.number.span)
    return node.name if isinstance(node, _NAMED_NODE_TYPES) else None


def get_node_id(node: DeclarationNode) -> str:
    """Text of the name of a node; empty without one."""
    name = get_node_name(node)
    return name.text if name else ""


def assign_row_ids(rows: tuple[s.TableRow, ...]) -> list[str]:
    """Ids of the rows of a table: their names, else their first cells, else their places."""
    name_counts = dict.fromkeys((row.name.text for row in rows if row.name), 1)
    return [
        row.name.text
        if row.name
        else _number_duplicate_name(get_cell_text(row.cells[0]) or f"row_{place}", name_counts)
        for place, row in enumerate(rows, 1)
    ]


def assign_column_ids(across: d.Across) -> list[str]:
    """Ids of the columns of a two-way table: their cells, else their places."""
    name_counts: dict[str, int] = {}
    return [
        _number_duplicate_name(get_cell_text(cell) or str(place), name_counts)
        for place, cell in enumerate(across.cells, 1)
    ]


def _number_duplicate_name(name: str, name_counts: dict[str, int]) -> str:
    name_counts[name] = name_counts.get(name, 0) + 1
    return name if name_counts[name] == 1 else f"{name}#{name_counts[name]}"


def get_cell_text(cell: s.Cell) -> str:
    """Text of a cell in one word; empty where it takes several."""
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


def get_bound_name(line: DeclarationNode) -> Name | None:
    """Name that a line binds, or None."""
    if isinstance(line, s.Ask):
        return line.shape.binder.names[0] if isinstance(line.shape, s.OneOf) else line.shape.name
    bound = list_fields_of_type(type(line), s.BoundName, s.BoundResult)
    return getattr(line, bound[0]) if bound else None


def get_line_id(line: DeclarationNode) -> str:
    """Id of a line in its block: its label, the name it binds, or its verb and object."""
    if name := get_node_id(line):
        return name
    verb, called = get_verb_and_names(line)
    return ".".join((verb, *(text for text, _ in called)))


def get_verb_and_names(line: DeclarationNode) -> tuple[str, list[tuple[str, Any]]]:
    """Verb of a line without a name, and the names (with spans) that make its address: `take.x.armies`."""
    match line:
        case s.Set(place=place):
            return "set", _list_place_names(place)
        case s.Change(word=word, place=place):
            return word, _list_place_names(place)
        case s.Move(thing=thing) | s.Turn(thing=thing) | s.Place(thing=thing) | s.Remove(thing=thing):
            return type(line).__name__.lower(), _list_place_names(thing)
        case s.Reroll(dice=place):
            return "reroll", _list_place_names(place)
        case s.ForEach(binder=binder):
            return "for", _get_texts_with_spans(binder.names[:1])
        case s.Proceed(step=name) | s.Reveal(name=name) | s.Finish(procedure=Name() as name):
            return type(line).__name__.lower(), _get_texts_with_spans((name,))
        case s.Perform(procedure=called) | s.Trigger(event=called) | d.Watch(event=called):
            return type(line).__name__.lower(), _get_texts_with_spans(called.parts)
        case s.RulingLine(number=number):
            return "ruling", _get_texts_with_spans((number,))
        case _:
            changed = [name for place in s.get_changed_places(line) for name in _list_place_names(place)]
            return type(line).__name__.lower(), changed


def _get_texts_with_spans(names: tuple[Name, ...]) -> list[tuple[str, Any]]:
    return [(name.text, name.span) for name in names]


def _list_place_names(expression: DeclarationNode) -> list[tuple[str, Any]]:
    match expression:
        case ex.Reference(name=name, span=span):
            return [(name, span)]
        case ex.Attribute(target=target, name=name):
            return [*_list_place_names(target), (name.text, name.span)]
        case ex.Index(target=target) | ex.Call(function=target):
            return _list_place_names(target)
        case _:
            return []


@dataclass(frozen=True, slots=True)
class AddressedNode:
    """A part or line of a declaration with its address and ancestors."""

    address: str  # its own, else that of the part around, as for a branch
    node: DeclarationNode
    # enclosing parts with an address of their own, the declaration first
    ancestors: tuple["AddressedNode", ...]
    has_own_address: bool

    @property
    def path(self) -> tuple["AddressedNode", ...]:
        return (*self.ancestors, self)


def walk_addressed_nodes(declaration: DeclarationNode, within: str = "") -> Iterator[AddressedNode]:
    """All parts and lines of a declaration, named or not, outermost first."""
    return _walk_node_addresses(declaration, _AddressContext(within, within, (), {}))


def walk_address_pairs(declaration: DeclarationNode, within: str = "") -> Iterator[tuple[str, DeclarationNode]]:
    """All parts and lines, outermost first, each under its address or that of the line around it."""
    return ((part.address, part.node) for part in walk_addressed_nodes(declaration, within))


@dataclass(frozen=True, slots=True)
class _AddressContext:
    """Prefix of addresses at a node, address of a node without its own, ancestors, and counts of equal names."""

    prefix: str
    nearest_address: str
    ancestors: tuple[AddressedNode, ...]
    name_counts: dict[str, int]


_NUMBERED_NODE_TYPES = (s.Line, d.Watch, d.Hold, d.Step, d.Requirement, s.Option, s.Demand)


def _walk_node_addresses(node: DeclarationNode, place: _AddressContext) -> Iterator[AddressedNode]:
    name = get_line_id(node) if isinstance(node, s.Line | d.Watch | d.Hold) else get_node_id(node)
    address = _join_address(place.prefix, name) if name else place.nearest_address
    if name and isinstance(node, _NUMBERED_NODE_TYPES):
        address = _number_duplicate_name(address, place.name_counts)
    part = AddressedNode(address, node, place.ancestors, has_own_address=bool(name))
    yield part
    if isinstance(node, d.Table):
        yield from _walk_table_row_addresses(node, part)
        return
    around = part.path if name else place.ancestors
    inside = replace(place, prefix=address if name else place.prefix, nearest_address=address, ancestors=around)
    for child_node in _iterate_child_nodes(node, _NESTED_FIELDS):
        yield from _walk_node_addresses(child_node, inside)
    for item in _iterate_child_nodes(node, _SAME_LEVEL_FIELDS):
        yield from _walk_node_addresses(item, replace(inside, prefix=place.prefix))


def _walk_table_row_addresses(table: d.Table, whole: AddressedNode) -> Iterator[AddressedNode]:
    columns = assign_column_ids(table.across) if table.across else []
    if table.across:
        yield AddressedNode(whole.address, table.across, whole.path, has_own_address=False)
    for row, called in zip(table.rows, assign_row_ids(table.rows), strict=True):
        part = AddressedNode(_join_address(whole.address, called), row, whole.path, has_own_address=True)
        yield part
        results = row.cells[len(row.cells) - len(columns) :] if columns else ()
        for cell, column in zip(results, columns, strict=False):
            yield AddressedNode(_join_address(part.address, column), cell, part.path, has_own_address=True)


def _iterate_child_nodes(node: DeclarationNode, *tables: Mapping[type, tuple[str, ...]]) -> Iterator[DeclarationNode]:
    for field in _list_child_fields(node, *tables):
        value = getattr(node, field)
        yield from (item for item in (value if isinstance(value, tuple) else (value,)) if item is not None)


def _list_child_fields(node: DeclarationNode, *tables: Mapping[type, tuple[str, ...]]) -> Iterator[str]:
    return (field for table in tables for field in table.get(type(node), ()))


def _join_address(within: str, name: str) -> str:
    return f"{within}/{name}" if within else name


def walk_lines(node: DeclarationNode) -> Iterator[DeclarationNode]:
    """All lines of a declaration or line, itself included, outermost first."""
    if isinstance(node, s.Line | d.Watch):
        yield node
    for child_node in _iterate_child_nodes(node, _NESTED_FIELDS, _SAME_LEVEL_FIELDS):
        yield from walk_lines(child_node)


def is_jump(line: DeclarationNode) -> bool:
    """Whether a line leaves its block."""
    return isinstance(line, s.Stop | s.Proceed | s.Finish)


def walk_lines_reaching_next_round(
    node: DeclarationNode, leaves: Callable[[DeclarationNode], bool]
) -> Iterator[DeclarationNode]:
    """Lines of a loop after which another round is possible; blocks that certainly leave the loop are left out.

    `leaves` says which jumps lead out of the loop.
    """
    if isinstance(node, s.Block) and _has_certain_exit(node, leaves):
        return
    if isinstance(node, s.Line | d.Watch):
        yield node
    inner = leaves
    if isinstance(node, s.ForEach | s.Repeat):  # `stop` in an inner loop leaves only that one
        inner = lambda line: leaves(line) and not isinstance(line, s.Stop)  # noqa: E731 - as short as what it stands for
    for child_node in _iterate_child_nodes(node, _NESTED_FIELDS, _SAME_LEVEL_FIELDS):
        yield from walk_lines_reaching_next_round(child_node, inner)


def _has_certain_exit(block: s.Block, leaves: Callable[[DeclarationNode], bool]) -> bool:
    always = any(_is_certain_exit(line, leaves) for line in block.lines)
    return always and all(leaves(line) for line in walk_lines(block) if is_jump(line))


def _is_certain_exit(line: DeclarationNode, leaves: Callable[[DeclarationNode], bool]) -> bool:
    match line:
        case s.If(branches=branches, otherwise=s.Block() as otherwise):
            return all(_has_certain_exit(item, leaves) for item in (*(one.block for one in branches), otherwise))
        case s.Match(cases=cases):
            return all(_has_certain_exit(case_.block, leaves) for case_ in cases)
        case s.Ask(block=s.Block() as block, otherwise=s.Block() as otherwise):
            return _has_certain_exit(block, leaves) and _has_certain_exit(otherwise, leaves)
        case _:
            return leaves(line)


NodeEdit = Callable[[DeclarationNode], tuple[DeclarationNode, ...]]


def replace_node(node: DeclarationNode, old: DeclarationNode, edit: NodeEdit) -> tuple[DeclarationNode, ...]:
    """A node with its part `old` replaced by the result of `edit`: several parts, one or none."""
    if node is old:
        return edit(node)
    changes = {}
    for field in _list_child_fields(node, _NESTED_FIELDS, _SAME_LEVEL_FIELDS):
        value = getattr(node, field)
        new = _replace_in_value(value, old, edit)
        if new is not value:
            changes[field] = new
    return (replace(node, **changes) if changes else node,)


def _replace_in_value(value: DeclarationNode, old: DeclarationNode, edit: NodeEdit) -> DeclarationNode:
    if value is None:
        return None
    if not isinstance(value, tuple):
        (only,) = replace_node(value, old, edit)
        return only
    result = tuple(part for item in value for part in replace_node(item, old, edit))
    same = len(result) == len(value) and all(new is before for new, before in zip(result, value, strict=True))
    return value if same else result
