"""What every declaration says that can change play, in one way of writing, as a row of tokens to compare by."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from itertools import count
from typing import Any

from rulewright.comparing.meaning.joining import Joints, joined, joints, led
from rulewright.comparing.meaning.lines import Shaping, Writing, plain
from rulewright.comparing.meaning.performing import Performing
from rulewright.comparing.meaning.reorderable import Calm, Effects
from rulewright.comparing.meaning.separate_names import separated
from rulewright.comparing.meaning.values import Values
from rulewright.comparing.meaning.variables import Inlining, Names, Numbering, value_of
from rulewright.comparing.pairing import translated
from rulewright.outline.items import Mention, Name, Tokens, Within
from rulewright.outline.lines import tokens
from rulewright.program import declarations as d, expressions as ex, statements as st
from rulewright.program.conditions import always_said, both, chained, condition_of
from rulewright.program.expressions import Binding, Expression
from rulewright.program.walk import reached
from rulewright.roles import mapped, nodes

_INFERRED = frozenset({"attribute", "tally"})
_THINGS = {"values": "values", "die": "dice", "record": "records", "board": "boards", "field": "game"}
_CHOSEN = {"setting": "settings", "relation": "relations"}
ROUTINES = {
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
    yield from _in_groups(program, ROUTINES)


def _in_groups(program: d.Program, groups: Mapping[str, str]) -> Iterator[tuple[Name, Any]]:
    for sort, group in groups.items():
        yield from ((Name(sort, name), each) for name, each in getattr(program, group).items())


def said(node: Any) -> tuple[Any, ...]:  # noqa: C901, PLR0911, PLR0912 - one case for each class
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
        case d.Board(space=space, unit=unit, bases=bases):
            return space, unit, bases
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
            binding = None if node.binding is None else replace(node.binding, where=None)
            return binding, always_said(node)
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


def _types(node: Any) -> tuple[Any, ...]:
    return tuple(each.type for each in node.parameters)


def place_changed(written: str) -> Mention:
    """What an external may change: an attribute, a field of `game`, or what is in play of a kind."""
    owner, _, name = written.partition("/")
    if owner == "game":
        return Mention(Name("field", name))
    return Mention(Name("kind", owner) if name == "gone" else Name("attribute", written))


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


_FRESH = 1_000_000
_SEPARATE = 2_000_000
Form = tuple[object, ...]
Ranges = frozenset[tuple[Name, Name, Name]]


class Forms:
    """The forms of the declarations of one program, each made when it is asked for.

    Attributes:
        program: the program.
        names: from names of this program to those of the one it is compared with, where forms are to bear these.
    """

    def __init__(self, program: d.Program, names: Mapping[Name, Name]) -> None:
        self.program = program
        self.names = names
        self._calm = Calm(program)
        self._owners = {old.name: new.name for old, new in names.items() if old.sort != "step"}

    @cached_property
    def _effects(self) -> Effects:
        return Effects(self.program, self._calm)

    @cached_property
    def _joints(self) -> Joints:
        return joints(self.program)

    @cached_property
    def declared(self) -> Mapping[Name, Any]:
        """Everything that can differ by itself, by name."""
        return dict(declared(self.program))

    @cached_property
    def orders(self) -> tuple[tuple[Name, ...], ...]:
        """What is tried or triggered in an order: standing rules, and the events of the removal of each kind."""
        rules = sorted(self.program.rules.values(), key=lambda rule: rule.priority)
        removals: dict[Any, list[Name]] = {}
        for event in self.program.events.values():
            if event.on_removal:
                removals.setdefault(event.parameters[0].type, []).append(Name("event", event.name))
        return tuple(Name("rule", each.name) for each in rules), *map(tuple, removals.values())

    def of(self, name: Name, spelled: Collection[str] = (), *, apart: str = "") -> Form:
        """The form of a declaration.

        Args:
            name: of the declaration.
            spelled: functions and procedures, of which calls are replaced by what they say.
            apart: what the form may not rest on: `routines` (names keep standing for their values), `all` that happens
                elsewhere (lines keep their order too), or nothing.
        """
        node = self.declared[name]
        kept = _kept(node, self.program)
        within = self._within(node)
        shaped = self._shaped(node, spelled)
        if isinstance(node, d.Routine):
            shaped = separated(shaped, kept, count(_SEPARATE))
        if not apart:
            shaped = _spared(shaped, Names(shaped, self._calm, self._effects, frozenset(kept)))
        written = Writing(
            self._values(within), self._calm, None if apart == "all" else self._effects, self._key(within)
        )
        parts = Numbering(kept).of(written.of(Numbering(kept, self._called(within)).of(shaped)))
        types = tuple(each.variable.type for each in nodes(parts) if isinstance(each, st.Let))
        return tuple(map(self._token, tokens((parts, types), within)))

    def ranges(self, name: Name, spelled: Collection[str] = ()) -> Ranges:
        """The ranges of steps that a declaration performs: the procedure, the first step and the last one.

        Args:
            name: of the declaration.
            spelled: procedures of which the lines are taken as its own.
        """

        def performed(routine: Name) -> list[st.Perform]:
            return [each for each in nodes(self.declared[routine]) if isinstance(each, st.Perform)]

        def inlined(routine: Name) -> list[Name]:
            return [Name("procedure", each.procedure) for each in performed(routine) if each.procedure in spelled]

        lines = [each for routine in reached([name], inlined) for each in performed(routine) if each.steps is not None]
        found = frozenset(
            (
                Name("procedure", each.procedure),
                *(Name("step", f"{each.procedure}/{step}") for step in each.steps or ()),
            )
            for each in lines
        )
        return frozenset(tuple(self.names.get(each, each) for each in row) for row in found)  # type: ignore[misc]

    def written(self, name: Name) -> Tokens:
        """What a declaration says as its author wrote it, with the types of the names it makes."""
        node = self.declared[name]
        types = tuple(each.variable.type for each in nodes(node) if isinstance(each, st.Let))
        return tokens((said(node), types), self._within(node))

    def routine(self, name: Name, spelled: Collection[str] = ()) -> d.Declared:
        """A routine with its steps joined, its branches ended and its conditions written in one way, names as they are.

        Args:
            name: of a procedure, handler, standing rule or `always`; anything else comes back as it is.
            spelled: functions and procedures, of which calls are replaced by what they say.
        """
        node = self.declared[name]
        within = self._within(node)
        writing = Writing(self._values(within), self._calm, None, self._key(within))
        parts = writing.of(self._shaped(node, spelled))
        match node:
            case d.Procedure():
                return replace(node, opening=parts[-2], steps=parts[-1])
            case d.Handler():
                return replace(node, binding=parts[1], guard=parts[2], block=parts[4])
            case d.StandingRule():
                return replace(node, binding=parts[0], condition=parts[1], lowers=parts[2], block=parts[3])
            case d.Invariant():
                return replace(node, binding=parts[0], guard=None, condition=parts[1])
            case _:
                assert isinstance(node, d.Declared)
                return node

    def _within(self, node: Any) -> Within:
        seen = frozenset(each.name for each in node.parameters) if isinstance(node, d.Procedure) else frozenset[str]()
        return Within(self.program, getattr(node, "name", ""), seen)

    def _token(self, token: object) -> object:
        """A token under the names of the other program; names of the routine and steps bear their numbers only."""
        match token:
            case Name(sort="local"):
                return token.last
            case Name(sort="step"):
                return Name("step", f"{self._owners.get(token.owner, token.owner)}/{token.last}")
            case Name():
                return self.names.get(token, token)
            case _:
                return token

    def _called(self, within: Within) -> Callable[[str], str]:
        """What the other program calls a name of a routine."""
        return lambda name: self.names.get(each := within.variable(name), each).last

    def _place_called(self, written: str) -> Name:
        """What an external may change, as the other program calls it."""
        name = place_changed(written).name
        return self.names.get(name, name)

    def _values(self, within: Within) -> Values:
        return Values(self.program, self._calm, self._key(within))

    def _key(self, within: Within) -> Callable[[Any], Any]:
        """Tells what is the same in a declaration, and in which order the rest goes: at first without its names."""

        def key(part: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
            found = translated(tokens(part, within), self.names)
            unnamed = ("" if isinstance(each, Name) and each.sort == "local" else str(each) for each in found)
            return tuple(unnamed), tuple(map(str, found))

        return key

    def _joined(self, procedure: d.Procedure) -> d.Procedure:
        return led(joined(procedure, self._joints), self._joints)

    def _shaped(self, node: Any, spelled: Collection[str]) -> Any:
        """What a declaration says, its steps joined and its branches ended."""
        if isinstance(node, d.Procedure):
            node = self._joined(node)
        elif isinstance(node, d.Routine):
            node = led(node, self._joints)
        elif isinstance(node, d.ExternalProcedure):
            node = replace(node, changes=tuple(sorted(node.changes, key=self._place_called)))
        parts = plain(said(node))
        if spelled:
            numbers = count(_FRESH)
            if isinstance(node, d.Routine):
                parts = Performing(self.program, self._calm, spelled, numbers, self._joined).of(node, parts)
            parts = _everywhere(parts, Inlining(self.program, self._calm, spelled, numbers).of)
        return Shaping(self._calm).whole(parts)


def _kept(node: Any, program: d.Program) -> dict[int, str]:
    """The names that are known by their place among parameters, or to callers."""
    match node:
        case d.Procedure(parameters=parameters):
            return {each.index: each.name for each in parameters}
        case d.Handler(event=event):
            return {number: f"p{number}" for number in range(len(program.events[event].parameters))}
        case _:
            return {each.index: f"p{number}" for number, each in enumerate(getattr(node, "parameters", ()))}


def _everywhere(node: Any, change: Callable[[Any], Any]) -> Any:
    """A part of a declaration with all its outermost expressions and bindings changed."""
    if isinstance(node, ex.Typed | ex.Binding):
        return change(node)
    return mapped(node, lambda part: _everywhere(part, change))


def _spared(node: Any, names: Names) -> Any:
    if isinstance(node, tuple) and node and isinstance(node[0], st.Line):
        node = names.put_in(node)
    return node if isinstance(node, ex.Typed) else mapped(node, lambda part: _spared(part, names))
