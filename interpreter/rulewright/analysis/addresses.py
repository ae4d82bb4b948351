"""Addresses: what the parts of a declaration are called (manual, Addresses).

An address is `procedure/step/name/row`. Lines inside `if`, loops and the blocks under questions belong to the step
around them; lines of an option belong to the option. Only names that an author wrote make an address that overlays
can use; other lines are called by their verb and what they act on, such as `turn.winner`.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from rulewright.syntax.nodes import declarations as d
from rulewright.syntax.nodes import rows as r
from rulewright.syntax.nodes import statements as s
from rulewright.syntax.nodes.expressions import Attribute, Call, Expression, Index, Name, Reference

Node = Any

_NAMED = (
    d.Values,
    d.Word,
    d.DieDeclaration,
    d.Kind,
    d.Record,
    d.Board,
    d.Setting,
    d.Measure,
    d.Term,
    d.Relation,
    d.Tally,
    d.Decide,
    d.Table,
    d.Paths,
    d.ExternalProcedure,
    d.ExternalTerm,
    d.Always,
    d.Event,
    d.Handler,
    d.Whenever,
    d.Procedure,
    d.ProcedureLike,
    d.StoredField,
    d.DerivedField,
    d.DerivedConditions,
    d.Step,
    s.Option,
    r.Row,
)

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
    if isinstance(node, r.TableRow):
        return node.name or _first_word(node)
    return node.name if isinstance(node, _NAMED) else None


def _first_word(row: r.TableRow) -> Name | None:
    """A row of a table without a name is called by the word in its first cell."""
    value = row.cells[0].value
    return Name(value.name, value.span) if isinstance(value, Reference) else None


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
    name = name_of(line)
    return name.text if name else ".".join(part for part in _verb(line) if part)


def _verb(line: Node) -> tuple[str, str]:  # noqa: C901, PLR0911 - one case for each verb
    match line:
        case s.Set(place=place):
            return "set", _target(place)
        case s.Change(word=word, place=place):
            return word, _target(place)
        case s.Move(thing=thing) | s.Turn(thing=thing) | s.Place(thing=thing) | s.Remove(thing=thing):
            return type(line).__name__.lower(), _target(thing)
        case s.ForEach(binder=binder):
            return "for", binder.names[0].text
        case s.Proceed(step=step):
            return "proceed", step.text
        case s.Finish(procedure=procedure):
            return "finish", procedure.text if procedure else ""
        case s.Perform(procedure=called) | s.Trigger(event=called):
            return type(line).__name__.lower(), called.text
        case s.Reroll(dice=target) | s.Shuffle(deck=target):
            return type(line).__name__.lower(), _target(target)
        case s.Reveal(name=name):
            return "reveal", name.text
        case s.RulingLine(finding=finding):
            return "ruling", finding.text
        case d.Watch(event=event):
            return "watch", event.text
        case _:
            return type(line).__name__.lower(), ""


def _target(expression: Expression) -> str:
    """What a line acts on, in names and dots."""
    match expression:
        case Reference(name=name):
            return name
        case Attribute(target=target, name=name):
            return ".".join(part for part in (_target(target), name.text) if part)
        case Index(target=target) | Call(function=target):
            return _target(target)
        case _:
            return ""


def parts(node: Node, within: str = "") -> Iterator[tuple[str, Node]]:
    """Every named part of a declaration with its address, the declaration first."""
    name = name_of(node)
    address = _joined(within, name.text) if name else within
    if name:
        yield address, node
    for field in _INSIDE.get(type(node), ()):
        yield from _parts_of(getattr(node, field), address)
    for field in _BESIDE.get(type(node), ()):
        yield from _parts_of(getattr(node, field), within)


def placed(node: Node, within: str = "") -> Iterator[tuple[str, Node]]:
    """Every part and line of a declaration with its address, named or not, outermost first.

    What has no address of its own, such as a branch or the block under `else:`, comes with that of the line around.
    """
    taken: dict[str, int] = {}
    for address, part, own in _placed(node, within, within):
        if own and isinstance(part, s.Line):
            taken[address] = taken.get(address, 0) + 1
            yield (address if taken[address] == 1 else f"{address}#{taken[address]}"), part
        else:
            yield address, part


def _placed(node: Node, within: str, around: str) -> Iterator[tuple[str, Node, bool]]:
    name = line_id(node) if isinstance(node, s.Line | d.Watch) else (found.text if (found := name_of(node)) else "")
    address = _joined(within, name) if name else around
    yield address, node, bool(name)
    for field in _INSIDE.get(type(node), ()):
        for each in _each(getattr(node, field)):
            yield from _placed(each, address if name else within, address)
    for field in _BESIDE.get(type(node), ()):
        for each in _each(getattr(node, field)):
            yield from _placed(each, within, address)


def _each(value: Node) -> tuple[Node, ...]:
    found = value if isinstance(value, tuple) else (value,)
    return tuple(each for each in found if each is not None)


def _parts_of(value: Node, within: str) -> Iterator[tuple[str, Node]]:
    for each in _each(value):
        yield from parts(each, within)


def _joined(within: str, name: str) -> str:
    return f"{within}/{name}" if within else name


def lines(node: Node) -> Iterator[Node]:
    """Every line in a declaration or line, outermost first, itself included."""
    if isinstance(node, s.Line | d.Watch):
        yield node
    for field in (*_INSIDE.get(type(node), ()), *_BESIDE.get(type(node), ())):
        for each in _each(getattr(node, field)):
            yield from lines(each)


Edit = Callable[[Node], tuple[Node, ...]]


def edited(node: Node, path: tuple[str, ...], edit: Edit) -> tuple[Node, ...]:
    """The node with the part of that address replaced by what the edit makes of it.

    The path is relative to where the node stands, so its first element can be the node's own name. Several parts
    or none may come back for one.
    """
    name = name_of(node)
    if name is None or name.text != path[0]:
        return (_inner(node, _BESIDE, path, edit),)
    if len(path) == 1:
        return edit(node)
    return (_inner(node, _INSIDE, path[1:], edit),)


def _inner(node: Node, table: dict[type, tuple[str, ...]], path: tuple[str, ...], edit: Edit) -> Node:
    changes = {}
    for field in table.get(type(node), ()):
        old = getattr(node, field)
        new = _inner_value(old, path, edit)
        if new is not old:
            changes[field] = new
    return replace(node, **changes) if changes else node


def _inner_value(value: Node, path: tuple[str, ...], edit: Edit) -> Node:
    if value is None:
        return None
    if not isinstance(value, tuple):
        (only,) = edited(value, path, edit)
        return only
    found = tuple(part for each in value for part in edited(each, path, edit))
    same = len(found) == len(value) and all(new is old for new, old in zip(found, value, strict=True))
    return value if same else found
