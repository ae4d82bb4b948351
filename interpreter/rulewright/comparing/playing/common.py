"""Values of both revisions in one form, so that they can be told apart."""

import json
from typing import Any

from rulewright.comparing.playing.crossing import LostError, Ways
from rulewright.frozen import dataclass
from rulewright.inputs.json_values import to_json
from rulewright.inputs.names import Names
from rulewright.machine.values import Value
from rulewright.program.types import DieType, FlagType, NumberType, Type

_PLAIN = (NumberType, FlagType)
"""Types whose values are the same in all revisions."""


@dataclass(frozen=True, slots=True)
class Common:
    """The common form of values in one play of both revisions.

    Attributes:
        ways: between the revisions.
        old: names of the play in the old revision.
        new: names of the play in the new one.
    """

    ways: Ways
    old: Names
    new: Names

    def of_old(self, value: Value, type_: Type, target: Type) -> Any:  # noqa: ANN401 - compared only
        """A value of the old revision where the new one has a type; one that it cannot have equals nothing of it."""
        if self.ways.alike or (isinstance(type_, _PLAIN) and isinstance(target, _PLAIN)):
            return value
        try:
            return _text(self.ways.across.value(to_json(value, type_, self.old), type_, target))
        except LostError:
            return "only old", _text(to_json(value, type_, self.old))

    def of_new(self, value: Value, type_: Type) -> Any:  # noqa: ANN401 - compared only
        """A value of the new revision."""
        if self.ways.alike or isinstance(type_, _PLAIN):
            return value
        data = to_json(value, type_, self.new)
        try:
            return _text(self.ways.itself.value(data, type_, type_))
        except LostError:
            return "only new", _text(data)

    def faces(
        self, old: tuple[Value, ...], old_type: Type, new: tuple[Value, ...], new_type: Type
    ) -> tuple[tuple[Value, Value], ...] | None:
        """The faces of a die in both, as `pairs`; faces name nothing of a play, so they are paired once for all."""
        key = old, old_type, new, new_type
        if key not in self.ways.dice:
            self.ways.dice[key] = self.pairs(*key)
        found: tuple[tuple[Value, Value], ...] | None = self.ways.dice[key]
        return found

    def pairs(
        self, old: tuple[Value, ...], old_type: Type, new: tuple[Value, ...], new_type: Type
    ) -> tuple[tuple[Value, Value], ...] | None:
        """Values of both that are the same, whatever their order; none where some are not. Dice go by their order."""
        if len(old) != len(new):
            return None
        if isinstance(old_type, DieType) or isinstance(new_type, DieType):
            return tuple(zip(old, new, strict=True)) if isinstance(old_type, type(new_type)) else None
        first = sorted(((repr(self.of_old(each, old_type, new_type)), at) for at, each in enumerate(old)))
        second = sorted(((repr(self.of_new(each, new_type)), at) for at, each in enumerate(new)))
        if [text for text, _ in first] != [text for text, _ in second]:
            return None
        found = sorted((at, other) for (_, at), (_, other) in zip(first, second, strict=True))
        return tuple((old[at], new[other]) for at, other in found)


def _text(data: Any) -> str:  # noqa: ANN401
    return json.dumps(data, ensure_ascii=False, sort_keys=True)
