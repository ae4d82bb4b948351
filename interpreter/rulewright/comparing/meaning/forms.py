"""What every declaration of a program says, in one way of writing, as a row of tokens to compare by."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import cached_property
from itertools import count
from typing import Any

from rulewright.comparing.meaning.calm import Calm
from rulewright.comparing.meaning.declaring import Joints, declared, joined, joints, led, place_changed, said
from rulewright.comparing.meaning.exchange import Effects
from rulewright.comparing.meaning.inlining import Inlining
from rulewright.comparing.meaning.lines import Shaping, Writing, plain
from rulewright.comparing.meaning.values import Values
from rulewright.comparing.meaning.variables import Names, Numbering
from rulewright.comparing.partners import translated
from rulewright.outline.names import Name, Within
from rulewright.outline.writing import tokens
from rulewright.program import declarations as d
from rulewright.program import expressions as ex
from rulewright.program import statements as st
from rulewright.roles import mapped, nodes

_FRESH = 1_000_000
Form = tuple[object, ...]


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
            spelled: functions of which calls are replaced by what they say.
            apart: what the form may not rest on: `routines` (names keep standing for their values), `all` that happens
                elsewhere (lines keep their order too), or nothing.
        """
        node = self.declared[name]
        kept = _kept(node, self.program)
        within = self._within(node)
        shaped = self._shaped(node, spelled)
        if not apart:
            shaped = _spared(shaped, Names(shaped, self._calm, self._effects, frozenset(kept)))
        written = Writing(
            self._values(within), self._calm, None if apart == "all" else self._effects, self._key(within)
        )
        parts = Numbering(kept).of(written.of(Numbering(kept, self._called(within)).of(shaped)))
        types = tuple(each.variable.type for each in nodes(parts) if isinstance(each, st.Let))
        return tuple(map(self._token, tokens((parts, types), within)))

    def routine(self, name: Name, spelled: Collection[str] = ()) -> d.Declared:
        """A routine with its steps joined, its branches ended and its conditions written in one way, names as they are.

        Args:
            name: of a procedure, handler, standing rule or `always`; anything else comes back as it is.
            spelled: functions of which calls are replaced by what they say.
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

    def _within(self, node: Any) -> Within:  # noqa: ANN401
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

        def key(part: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:  # noqa: ANN401
            found = translated(tokens(part, within), self.names)
            return tuple(map(_unnamed, found)), tuple(map(str, found))

        return key

    def _shaped(self, node: Any, spelled: Collection[str]) -> Any:  # noqa: ANN401
        """What a declaration says, its steps joined and its branches ended."""
        if isinstance(node, d.Procedure):
            node = led(joined(node, self._joints), self._joints)
        elif isinstance(node, d.Routine):
            node = led(node, self._joints)
        elif isinstance(node, d.ExternalProcedure):
            node = replace(node, changes=tuple(sorted(node.changes, key=self._place_called)))
        parts = plain(said(node))
        if spelled:
            parts = _everywhere(parts, Inlining(self.program, self._calm, spelled, count(_FRESH)).of)
        return Shaping(self._calm).whole(parts)


def _unnamed(token: object) -> str:
    return "" if isinstance(token, Name) and token.sort == "local" else str(token)


def _kept(node: Any, program: d.Program) -> dict[int, str]:  # noqa: ANN401
    """The names that are known by their place among parameters, or to callers."""
    match node:
        case d.Procedure(parameters=parameters):
            return {each.index: each.name for each in parameters}
        case d.Handler(event=event):
            return {number: f"p{number}" for number in range(len(program.events[event].parameters))}
        case _:
            return {each.index: f"p{number}" for number, each in enumerate(getattr(node, "parameters", ()))}


def _everywhere(node: Any, change: Callable[[Any], Any]) -> Any:  # noqa: ANN401
    """A part of a declaration with all its outermost expressions and bindings changed."""
    if isinstance(node, ex.Typed | ex.Binding):
        return change(node)
    return mapped(node, lambda part: _everywhere(part, change))


def _spared(node: Any, names: Names) -> Any:  # noqa: ANN401
    if isinstance(node, tuple) and node and isinstance(node[0], st.Line):
        node = names.put_in(node)
    return node if isinstance(node, ex.Typed) else mapped(node, lambda part: _spared(part, names))
