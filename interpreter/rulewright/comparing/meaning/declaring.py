"""What the declarations of a program say that can change play, without their names and titles."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from rulewright.comparing.meaning.inlining import both, chained, condition_of, value_of
from rulewright.comparing.named import Mention
from rulewright.comparing.naming import Name
from rulewright.program import declarations as d
from rulewright.program import expressions as ex
from rulewright.program.expressions import Binding, Expression
from rulewright.program.types import FLAG

_INFERRED = frozenset({"attribute", "tally"})
_THINGS = {"values": "values", "die": "dice", "record": "records", "board": "boards", "field": "game"}
_CHOSEN = {"setting": "settings", "relation": "relations"}
_ROUTINES = {
    "measure": "measures",
    "invariant": "invariants",
    "event": "events",
    "handler": "handlers",
    "rule": "rules",
    "procedure": "procedures",
}


def declared(program: d.Program) -> Iterator[tuple[Name, Any]]:
    """Everything that can differ by itself, by name: what there is, what is computed, what happens."""
    yield from _in_groups(program, _THINGS)
    for kind in program.kinds.values():
        yield from ((Name("attribute", each.address), each) for each in kind.fields)
    for board in program.boards.values():
        yield from ((Name("cell", f"{board.name}/{each.name}"), each) for each in board.fields)
        yield from ((Name("side", f"{board.name}/{each.name}"), each) for each in board.sides)
    yield from _in_groups(program, _CHOSEN)
    for name, function in program.functions.items():
        yield Name("attribute" if function.sort == "attribute" else "function", name), function
    yield from ((Name("external", name), each) for name, each in program.external_procedures.items())
    yield from ((Name("external", name), each) for name, each in program.external_terms.items())
    yield from _in_groups(program, _ROUTINES)


def _in_groups(program: d.Program, groups: Mapping[str, str]) -> Iterator[tuple[Name, Any]]:
    for sort, group in groups.items():
        yield from ((Name(sort, name), each) for name, each in getattr(program, group).items())


def said(node: Any) -> tuple[Any, ...]:  # noqa: ANN401, C901, PLR0911, PLR0912 - one case for each class
    """What a declaration says, part by part."""
    match node:
        case d.WordList(name=name, words=words):
            return tuple(Mention(Name("word", f"{name}/{each.name}")) for each in words)
        case d.NamedDie(faces=faces):
            return (faces,)
        case d.Field(type=type_, start=start):
            return type_, start
        case d.Record(name=name, parts=parts):
            return tuple((Mention(Name("part", f"{name}/{each.name}")), each.type, each.start) for each in parts)
        case d.Board(space=space):
            return (space,)
        case d.Setting(type=type_, value=value):
            return type_, value
        case d.Relation(symmetric=symmetric):
            return _types(node), symmetric
        case d.Function(type=type_, symmetric=symmetric, body=body):
            gives = None if node.sort in _INFERRED else type_
            return _types(node), gives, symmetric, value_of(node) or body
        case d.ExternalProcedure(result=result, changes=changes):
            return _types(node), result, tuple(map(place_changed, changes))
        case d.ExternalTerm(type=type_, default=default):
            return _types(node), type_, default
        case d.Measure(value=value):
            return _types(node), value
        case d.Invariant():
            return _always(node)
        case d.Event():
            return _types(node), node.gives, node.on_removal, node.holders, node.order, node.first_taker
        case d.Handler(event=event, binding=binding, guard=guard, optional=optional, block=block):
            return Mention(Name("event", event)), binding, guard, optional, block
        case d.StandingRule(lowers=lowers, block=block):
            return *_applies(node.binding, node.condition), lowers, block
        case d.Procedure(defaults=defaults, result=result, steps=steps):
            return node.parameters, _types(node), defaults, result, tuple(_opening(node)), steps
        case _:
            raise TypeError(type(node))


def _types(node: Any) -> tuple[Any, ...]:  # noqa: ANN401
    return tuple(each.type for each in node.parameters)


def place_changed(written: str) -> Mention:
    """What an external may change: an attribute, a field of `game`, or what is in play of a kind."""
    owner, _, name = written.partition("/")
    if owner == "game":
        return Mention(Name("field", name))
    return Mention(Name("kind", owner) if name == "gone" else Name("attribute", written))


def _always(node: d.Invariant) -> tuple[Binding | None, Expression]:
    """What must hold of every member, as one condition."""
    binding, condition = node.binding, node.condition
    for guard in (node.guard, None if binding is None else binding.where):
        if guard is not None:
            condition = both("or", ex.Not(type=FLAG, span=guard.span, operand=guard), condition)
    return None if binding is None else replace(binding, where=None), condition


def _applies(binding: Binding | None, condition: Expression) -> tuple[Binding | None, Expression]:
    """What a standing rule goes through, and when it fires, as one condition."""
    if binding is None or binding.where is None:
        return binding, condition
    return replace(binding, where=None), both("and", binding.where, condition)


def _opening(procedure: d.Procedure) -> Iterator[Any]:
    """Opening lines: needs that follow each other as one, lines that follow each other as one block."""
    needs: list[d.Need] = []
    block: tuple[Any, ...] = ()
    for each in procedure.opening:
        if needs and not isinstance(each, d.Need):
            yield _need(needs)
            needs = []
        if block and not isinstance(each, tuple):
            yield block
            block = ()
        match each:
            case d.Need():
                needs.append(each)
            case tuple():
                block = (*block, *each)
            case _:
                yield each
    yield from [_need(needs)] if needs else [block] if block else []


def _need(needs: list[d.Need]) -> d.Need:
    condition = chained([condition_of(each) for each in needs], "and", needs[0].span)
    return replace(needs[0], condition=condition, guard=None, address="")
