"""What overlays do to single nodes: parts renamed, rows converted, containers grown."""

from dataclasses import fields, replace
from typing import Any

from rulewright.analysis.addresses import Node
from rulewright.source import Span
from rulewright.syntax.nodes import declarations as d, rows as r, statements as s
from rulewright.syntax.nodes.expressions import Cites, Name, NamedType, joined

_FIELDS = (d.StoredField, d.DerivedField, d.DerivedConditions)
_ROWS = (r.TallyRow, r.DecideRow, r.TableRow)
_SORTS: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (d.Step, "step"),
    (s.Option, "option"),
    (d.Requirement, "require"),
    (d.PathRow, "path row"),
    (r.RankRow, "key"),
    ((*_ROWS, r.ConditionRow), "row"),
    (s.Let, "let"),
    ((s.Line, d.Watch, d.Hold), "line"),
    (r.Cell, "cell"),
    (_FIELDS, "field"),
    (d.Word, "word"),
)

REPLACED = frozenset({"step", "row", "option", "require", "prefer", "let", "field", "word"})
"""The sorts of parts that `replace` takes by their address."""


def sort_of(node: Node) -> str:
    """What a part is called where it is replaced: `step`, `row`, `option`, `require`, `field` and so on."""
    if isinstance(node, s.Demand):
        return node.word
    return next((word for kind, word in _SORTS if isinstance(node, kind)), type(node).__name__.lower())


def named(part: Node, address: Name) -> Node:
    """The part under the last element of an address."""
    if isinstance(part, r.Cell):
        return part
    last = address.text.rpartition("/")[2]
    end = address.span.end
    return replace(part, name=Name(last, Span(address.span.source, end - len(last), end)))


def kept(new: Node, old: Node, cites: Cites) -> Node:
    """The new part with the title of the old one and these cites, where it gives none; `""` is no title."""
    said: dict[str, Any] = {} if getattr(new, "cites", cites) or not cites else {"cites": cites}
    title = getattr(new, "title", None)
    if title is not None and not title.text:
        said["title"] = None
    elif title is None and getattr(old, "title", None) is not None and hasattr(new, "title"):
        said["title"] = old.title
    return replace(new, **said) if said else new


def is_line(node: Node) -> bool:
    """Whether a part is a line of a procedure, opening lines among them."""
    return isinstance(node, s.Line | d.Requirement | d.Watch | d.Hold)


def converted(target: d.RowTarget | d.Target, old: Node) -> Node | None:  # noqa: PLR0911 - one case for each sort
    """The part of an amendment in place of an old one; none where it is of another sort."""
    if isinstance(target, d.RowTarget):
        match target.row:
            case r.TallyRow(change="plus", binder=None, amount=value, guard=None, title=None) if isinstance(
                old, r.Cell
            ):
                return r.Cell("value", value, target.row.span)
        return _row_as(target.row, type(old))
    part = target.part
    match part:
        case d.Term() if isinstance(old, d.Term):
            gives = old.gives or NamedType(joined(["flag"], part.span), part.span)
            return replace(part, parameters=old.parameters, gives=gives)
        case d.Setting() if isinstance(old, d.Setting):
            return replace(part, type=part.type or old.type)
        case s.Let() if isinstance(old, s.Let):
            return replace(part, label=old.label)
        case d.StoredField() if isinstance(old, _FIELDS):
            return part
        case s.Demand() if isinstance(old, s.Demand) and part.word == old.word:
            return part
        case s.Demand(word="require") if isinstance(old, d.Requirement):
            return _requirement(part)
        case d.Step() | s.Option() | d.Word() if isinstance(old, type(part)):
            return part
        case _:
            return None


def _requirement(part: s.Demand) -> d.Requirement:
    """A `require` as it stands at the head of a procedure."""
    return d.Requirement(**{each.name: getattr(part, each.name) for each in fields(d.Requirement)})


def _row_as(row: r.TallyRow | r.DecideRow | r.TableRow, kind: type) -> Node | None:
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


def fits_beside(target: d.RowTarget | d.Target | None, anchor: Node) -> bool:
    """Whether a new part, or with none a line, can stand beside another."""
    if target is None or isinstance(getattr(target, "part", None), s.Line):
        return is_line(anchor)
    if isinstance(target, d.Target) and isinstance(target.part, s.Demand):
        return isinstance(anchor, s.Demand) or (is_line(anchor) and target.part.word == "require")
    return converted(target, anchor) is not None


def new_part(target: d.RowTarget | d.Target, anchor: Node) -> Node:
    """The part to stand beside another."""
    if isinstance(target, d.RowTarget):
        return _row_as(target.row, type(anchor))
    if isinstance(target.part, s.Demand) and not isinstance(anchor, s.Demand):
        return _requirement(target.part)
    return target.part


def beside(node: Node, new: tuple[Node, ...], where: str) -> tuple[Node, ...]:
    """A part with new ones before or after it."""
    return (*new, node) if where == "before" else (node, *new)


def appended(  # noqa: PLR0911 - one case for each sort
    container: Node, target: d.RowTarget | d.Target
) -> Node | None:
    """The container with a new part at its end, or after others of its sort; none where it takes no such part."""
    if isinstance(target, d.RowTarget):
        return _with_row(container, target)
    part = named(target.part, target.address)
    match container, part:
        case d.Procedure(steps=steps), d.Step():
            return replace(container, steps=(*steps, part))
        case d.Procedure(opening=opening), s.Demand(word="require"):
            last = max((at for at, each in enumerate(opening, 1) if isinstance(each, d.Requirement)), default=0)
            return replace(container, opening=(*opening[:last], _requirement(part), *opening[last:]))
        case ((d.Procedure() | d.Step() | s.Option() | d.Handler() | d.Whenever()), s.Let()):
            return opened(container, (part,))
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


_ROW_OF: dict[type, type] = {
    d.Tally: r.TallyRow,
    s.TallyLine: r.TallyRow,
    d.Decide: r.DecideRow,
    s.DecideLine: r.DecideRow,
    d.Table: r.TableRow,
}


def _with_row(container: Node, target: d.RowTarget) -> Node | None:
    conditions = getattr(container, "conditions", None)
    kind = r.ConditionRow if conditions is not None else _ROW_OF.get(type(container))
    row = _row_as(target.row, kind) if kind is not None else None
    if row is None:
        return None
    new = named(row, target.address)
    if conditions is not None:
        return replace(container, conditions=replace(conditions, rows=(*conditions.rows, new)))
    return replace(container, rows=(*container.rows, new))


def opened(node: Node, lines: tuple[d.Opening, ...]) -> Node | None:
    """The step, procedure or line with further lines at its end; none where it has no place for them."""
    if isinstance(node, d.Procedure):
        return replace(node, opening=(*node.opening, *lines))
    plain = tuple(each for each in lines if isinstance(each, s.Line))
    if len(plain) < len(lines) or (isinstance(node, s.Ask) and isinstance(node.shape, s.Choose)):
        return None
    if isinstance(node, s.If):
        first, *others = node.branches
        return replace(node, branches=(replace(first, block=_longer(first.block, plain)), *others))
    if isinstance(node, d.Step | d.Handler | d.Whenever | s.Option | s.Ask | s.ForEach | s.Repeat | s.Together):
        return replace(node, block=_longer(node.block, plain))
    return None


def _longer(block: s.Block | None, lines: tuple[s.Statement, ...]) -> s.Block:
    return replace(block, lines=(*block.lines, *lines)) if block else s.Block(lines, lines[0].span)
