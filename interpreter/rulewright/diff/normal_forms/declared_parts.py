"""The declarations of a program that can differ by themselves, and their parts in order."""

from collections.abc import Iterator, Mapping
from typing import Any

from rulewright.program import declarations as d
from rulewright.program.outline.items import DeclaredName, NameMention

_INFERRED_TYPE_SORTS = frozenset({"attribute", "tally"})
_DATA_GROUPS = {"values": "values", "die": "dice", "record": "records", "board": "boards", "field": "game"}
_CHOICE_GROUPS = {"setting": "settings", "relation": "relations"}
ROUTINE_GROUPS = {
    "measure": "measures",
    "invariant": "invariants",
    "event": "events",
    "handler": "handlers",
    "rule": "rules",
    "procedure": "procedures",
}


def all_declarations(program: d.Program) -> Iterator[tuple[DeclaredName, Any]]:
    """Declarations that can differ by themselves, by name."""
    yield from _declarations_in_groups(program, _DATA_GROUPS)
    for kind in program.kinds.values():
        yield from ((DeclaredName("attribute", field.address), field) for field in kind.fields)
    for board in program.boards.values():
        yield from ((DeclaredName("cell", f"{board.name}/{field.name}"), field) for field in board.fields)
        yield from ((DeclaredName("side", f"{board.name}/{side.name}"), side) for side in board.sides)
    yield from _declarations_in_groups(program, _CHOICE_GROUPS)
    for name, function in program.functions.items():
        yield DeclaredName("attribute" if function.sort == "attribute" else "function", name), function
    yield from (
        (DeclaredName("external", name), external_procedure)
        for name, external_procedure in program.external_procedures.items()
    )
    yield from (
        (DeclaredName("external", name), external_term) for name, external_term in program.external_terms.items()
    )
    yield from _declarations_in_groups(program, ROUTINE_GROUPS)


def _declarations_in_groups(program: d.Program, groups: Mapping[str, str]) -> Iterator[tuple[DeclaredName, Any]]:
    for sort, group in groups.items():
        yield from ((DeclaredName(sort, name), item) for name, item in getattr(program, group).items())


def declaration_parts(node: Any) -> tuple[Any, ...]:
    """Parts of a declaration in order."""
    match node:
        case d.WordList(name=name, words=words):
            return tuple(NameMention(DeclaredName("word", f"{name}/{word.name}")) for word in words)
        case d.NamedDie(faces=faces):
            return (faces,)
        case d.Field(type=type_, start=start):
            return type_, start
        case d.Record(name=name, parts=parts):
            return tuple(
                (NameMention(DeclaredName("part", f"{name}/{part.name}")), part.type, part.start) for part in parts
            )
        case d.Board(space=space, unit=unit, bases=bases):
            return space, unit, bases
        case d.Setting(type=type_, value=value):
            return type_, value
        case d.Relation(symmetric=symmetric):
            return _parameter_types(node), symmetric
        case d.Function(type=type_, symmetric=symmetric, body=body):
            gives = None if node.sort in _INFERRED_TYPE_SORTS else type_
            return _parameter_types(node), gives, symmetric, body
        case d.ExternalProcedure(result=result, changes=changes):
            return _parameter_types(node), result, tuple(map(parse_changed_place, changes))
        case d.ExternalTerm(type=type_, default=default):
            return _parameter_types(node), type_, default
        case d.Measure(value=value):
            return _parameter_types(node), value
        case d.Invariant(binding=binding, guard=guard, condition=condition):
            return binding, guard, condition
        case d.Event():
            return _parameter_types(node), node.gives, node.on_removal, node.holders, node.order, node.first_taker
        case d.Handler(event=event, binding=binding, guard=guard, optional=optional, block=block):
            return NameMention(DeclaredName("event", event)), binding, guard, optional, block
        case d.StandingRule(binding=binding, condition=condition, lowers=lowers, block=block):
            return binding, condition, lowers, block
        case d.Procedure(defaults=defaults, result=result, opening=opening, steps=steps):
            return node.parameters, _parameter_types(node), defaults, result, opening, steps
        case _:
            raise TypeError(type(node))


def _parameter_types(node: Any) -> tuple[Any, ...]:
    return tuple(parameter.type for parameter in node.parameters)


def parse_changed_place(written: str) -> NameMention:
    """Location that an external may change: an attribute, a field of `game`, or the things in play of a kind."""
    owner, _, name = written.partition("/")
    if owner == "game":
        return NameMention(DeclaredName("field", name))
    return NameMention(DeclaredName("kind", owner) if name == "gone" else DeclaredName("attribute", written))
