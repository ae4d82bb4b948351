"""What overlays do to single nodes: parts renamed, rows converted, containers grown."""

from dataclasses import fields, replace
from typing import Any

from rulewright.base.source import Span
from rulewright.checker.addresses import DeclarationNode
from rulewright.syntax.nodes import declarations as d, rows as r, statements as s
from rulewright.syntax.nodes.expressions import MarginCites, Name, NamedType, make_dotted

_FIELD_TYPES = (d.StoredField, d.DerivedField, d.DerivedConditions)
_ROW_TYPES = (r.TallyRow, r.DecideRow, r.TableRow)
_PART_SORTS: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (d.Step, "step"),
    (s.Option, "option"),
    (d.Requirement, "require"),
    (d.PathRow, "path row"),
    (r.RankRow, "key"),
    ((*_ROW_TYPES, r.ConditionRow), "row"),
    (s.Let, "let"),
    ((s.Line, d.Watch, d.Hold), "line"),
    (r.Cell, "cell"),
    (_FIELD_TYPES, "field"),
    (d.Word, "word"),
)

REPLACEABLE_SORTS = frozenset({"step", "row", "option", "require", "prefer", "let", "field", "word"})
"""The sorts of parts that `replace` takes by their address."""


def get_part_sort(node: DeclarationNode) -> str:
    """What a part is called where it is replaced: `step`, `row`, `option`, `require`, `field` and so on."""
    if isinstance(node, s.Demand):
        return node.word
    return next((word for kind, word in _PART_SORTS if isinstance(node, kind)), type(node).__name__.lower())


def rename_part(part: DeclarationNode, address: Name) -> DeclarationNode:
    """The part under the last element of an address."""
    if isinstance(part, r.Cell):
        return part
    last = address.text.rpartition("/")[2]
    end = address.span.end
    return replace(part, name=Name(last, Span(address.span.source, end - len(last), end)))


def inherit_title_and_cites(new: DeclarationNode, old: DeclarationNode, cites: MarginCites) -> DeclarationNode:
    """The new part with the title of the old one and these cites, where it gives none; `""` is no title."""
    said: dict[str, Any] = {} if getattr(new, "cites", cites) or not cites else {"cites": cites}
    title = getattr(new, "title", None)
    if title is not None and not title.text:
        said["title"] = None
    elif title is None and getattr(old, "title", None) is not None and hasattr(new, "title"):
        said["title"] = old.title
    return replace(new, **said) if said else new


def is_procedure_line(node: DeclarationNode) -> bool:
    """Whether a part is a line of a procedure, opening lines among them."""
    return isinstance(node, s.Line | d.Requirement | d.Watch | d.Hold)


def convert_part(target: d.RowTarget | d.Target, old: DeclarationNode) -> DeclarationNode | None:
    """The part of an amendment in place of an old one; none where it is of another sort."""
    if isinstance(target, d.RowTarget):
        match target.row:
            case r.TallyRow(change="plus", binder=None, amount=value, guard=None, title=None) if isinstance(
                old, r.Cell
            ):
                return r.Cell("value", value, target.row.span)
        return _convert_row(target.row, type(old))
    part = target.part
    match part:
        case d.Term() if isinstance(old, d.Term):
            gives = old.gives or NamedType(make_dotted(["flag"], part.span), part.span)
            return replace(part, parameters=old.parameters, gives=gives)
        case d.Setting() if isinstance(old, d.Setting):
            return replace(part, type=part.type or old.type)
        case s.Let() if isinstance(old, s.Let):
            return replace(part, label=old.label)
        case d.StoredField() if isinstance(old, _FIELD_TYPES):
            return part
        case s.Demand() if isinstance(old, s.Demand) and part.word == old.word:
            return part
        case s.Demand(word="require") if isinstance(old, d.Requirement):
            return _make_requirement(part)
        case d.Step() | s.Option() | d.Word() if isinstance(old, type(part)):
            return part
        case _:
            return None


def _make_requirement(part: s.Demand) -> d.Requirement:
    """A `require` as it stands at the head of a procedure."""
    return d.Requirement(**{field.name: getattr(part, field.name) for field in fields(d.Requirement)})


def _convert_row(row: r.TallyRow | r.DecideRow | r.TableRow, kind: type) -> DeclarationNode | None:
    """A row written under an address, as the sort of row that stands there.

    `attacker when c` reads the same in a tally, a decide and a term.
    """
    shared: dict[str, Any] = {"name": row.name, "span": row.span, "cites": row.cites}
    match row:
        case r.TableRow():
            return row if kind is r.TableRow else None
        case r.TallyRow(change="plus", binder=None, amount=value, guard=guard, title=title):
            pass
        case r.DecideRow(value=value, guard=guard, title=title):
            pass
        case _:
            return row if kind is r.TallyRow else None
    if kind is r.TallyRow:
        return r.TallyRow(**shared, title=title, change="plus", amount=value, guard=guard)
    if kind is r.DecideRow:
        return r.DecideRow(**shared, title=title, value=value, guard=guard)
    if kind is r.ConditionRow:
        return r.ConditionRow(**shared, title=title, condition=value, guard=guard)
    return None


def can_stand_beside(target: d.RowTarget | d.Target | None, anchor: DeclarationNode) -> bool:
    """Whether a new part, or with none a line, can stand beside another."""
    if target is None or isinstance(getattr(target, "part", None), s.Line):
        return is_procedure_line(anchor)
    if isinstance(target, d.Target) and isinstance(target.part, s.Demand):
        return isinstance(anchor, s.Demand) or (is_procedure_line(anchor) and target.part.word == "require")
    return convert_part(target, anchor) is not None


def make_part_beside(target: d.RowTarget | d.Target, anchor: DeclarationNode) -> DeclarationNode:
    """The part to stand beside another."""
    if isinstance(target, d.RowTarget):
        return _convert_row(target.row, type(anchor))
    if isinstance(target.part, s.Demand) and not isinstance(anchor, s.Demand):
        return _make_requirement(target.part)
    return target.part


def insert_beside(node: DeclarationNode, new: tuple[DeclarationNode, ...], where: str) -> tuple[DeclarationNode, ...]:
    """A part with new ones before or after it."""
    return (*new, node) if where == "before" else (node, *new)


def append_part(container: DeclarationNode, target: d.RowTarget | d.Target) -> DeclarationNode | None:
    """The container with a new part at its end, or after others of its sort; none where it takes no such part."""
    if isinstance(target, d.RowTarget):
        return _append_row(container, target)
    part = rename_part(target.part, target.address)
    match container, part:
        case d.Procedure(steps=steps), d.Step():
            return replace(container, steps=(*steps, part))
        case d.Procedure(opening=opening), s.Demand(word="require"):
            last = max((at for at, item in enumerate(opening, 1) if isinstance(item, d.Requirement)), default=0)
            return replace(container, opening=(*opening[:last], _make_requirement(part), *opening[last:]))
        case ((d.Procedure() | d.Step() | s.Option() | d.Handler() | d.Whenever()), s.Let()):
            return append_lines(container, (part,))
        case s.Ask(shape=s.Choose() as shape), s.Option():
            return replace(container, shape=replace(shape, options=(*shape.options, part)))
        case s.Ask(demands=demands), s.Demand():
            return replace(container, demands=(*demands, part))
        case ((d.Kind() | d.Record() | d.Board() | d.Game()), d.StoredField()):
            return replace(container, fields=(*container.fields, part))
        case d.Values(words=words), d.Word():
            return replace(container, words=(*words, part))
        case _:
            return None


_ROW_TYPE_BY_CONTAINER: dict[type, type] = {
    d.Tally: r.TallyRow,
    s.TallyLine: r.TallyRow,
    d.Decide: r.DecideRow,
    s.DecideLine: r.DecideRow,
    d.Table: r.TableRow,
}


def _append_row(container: DeclarationNode, target: d.RowTarget) -> DeclarationNode | None:
    conditions = getattr(container, "conditions", None)
    kind = r.ConditionRow if conditions is not None else _ROW_TYPE_BY_CONTAINER.get(type(container))
    row = _convert_row(target.row, kind) if kind is not None else None
    if row is None:
        return None
    new = rename_part(row, target.address)
    if conditions is not None:
        return replace(container, conditions=replace(conditions, rows=(*conditions.rows, new)))
    return replace(container, rows=(*container.rows, new))


def append_lines(node: DeclarationNode, lines: tuple[d.Opening, ...]) -> DeclarationNode | None:
    """The step, procedure or line with further lines at its end; none where it has no place for them."""
    if isinstance(node, d.Procedure):
        return replace(node, opening=(*node.opening, *lines))
    plain = tuple(line for line in lines if isinstance(line, s.Line))
    if len(plain) < len(lines) or (isinstance(node, s.Ask) and isinstance(node.shape, s.Choose)):
        return None
    if isinstance(node, s.If):
        first, *others = node.branches
        return replace(node, branches=(replace(first, block=_extend_block(first.block, plain)), *others))
    if isinstance(node, d.Step | d.Handler | d.Whenever | s.Option | s.Ask | s.ForEach | s.Repeat | s.Together):
        return replace(node, block=_extend_block(node.block, plain))
    return None


def _extend_block(block: s.Block | None, lines: tuple[s.Statement, ...]) -> s.Block:
    return replace(block, lines=(*block.lines, *lines)) if block else s.Block(lines, lines[0].span)
