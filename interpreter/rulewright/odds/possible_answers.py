"""All answers that an external may give, where they are few: what `random` takes one of."""

from collections.abc import Iterable, Iterator
from itertools import chain, combinations, product
from math import prod
from typing import Any

from rulewright.inputs.names import GAME, Names
from rulewright.machine.run import Paused
from rulewright.machine.values import Value, make_set
from rulewright.program import types as ty
from rulewright.program.types import Type

MOST_LISTED = 1_000
"""Of an external with more answers none is taken at random."""


class UnlistedError(Exception):
    """The answers of an external are not few; it says why."""


def possible_answers(paused: Paused, names: Names) -> tuple[Value, ...]:
    """All answers of the right types to an external procedure or term, in order.

    Of a procedure each is its result with everything that it may change: all values of each attribute of each thing in
    play, the present one too.

    Raises:
        UnlistedError: they are not few, or cannot be listed.
    """
    found = tuple(_answers(paused, _Listed(paused, names)))
    if not found:
        raise UnlistedError("has nothing to choose from")
    return found


def _answers(paused: Paused, listed: "_Listed") -> Iterator[Value]:
    request = paused.request
    if request.sort == "value":
        yield from listed.values(request.type, "gives")
        return
    results = listed.values(request.type, "gives")
    places = list(listed.places(request.changes))
    changes = [[(place, number, each) for each in values] for place, number, values in places]
    for result, *changed in listed.all_of([results, *changes]):
        yield result, tuple(changed)


class _Listed:
    """Lists values at one moment of a play."""

    def __init__(self, paused: Paused, names: Names) -> None:
        self._paused = paused
        self._names = names

    def values(self, type_: Type | None, does: str) -> list[Any]:
        """All values of a type; none alone where there is no type."""
        found = [None] if type_ is None else self._of(type_)
        if found is None:
            raise UnlistedError(f"cannot list what it {does}, {type_}")
        return found

    def _of(self, type_: Type) -> list[Any] | None:  # noqa: C901, PLR0911 - one case for each sort
        """All values of a type; none where they cannot be listed."""
        program = self._names.program
        match type_:
            case ty.FlagType():
                return [False, True]
            case ty.NumberType() if (numbers := type_.numbers()) is not None:
                return _few(numbers, len(numbers))
            case ty.WordType(values):
                return list(range(len(program.values[values].words)))
            case ty.ThingType(kind):
                return list(self._in_play(kind))
            case ty.DirectionType():
                return list(range(type_.count))
            case ty.CellType(space):
                boards = [each.name for each in program.boards.values() if each.space == space]
                return [cell for each in boards for cell in self._names.base.boards[each]]
            case ty.OptionalType(inner):
                found = self._of(inner)
                return None if found is None else [None, *found]
            case ty.RecordType(record):
                return self._each_with_each([each.type for each in program.records[record].parts])
            case ty.TupleType(parts):
                return self._each_with_each(parts)
            case ty.SetType(item):
                members = self._of(item)
                return None if members is None else _subsets(members)
            case _:
                return None

    def _each_with_each(self, types: Iterable[Type]) -> list[Any] | None:
        parts = [self._of(each) for each in types]
        known = [each for each in parts if each is not None]
        return self.all_of(known) if len(known) == len(parts) else None

    def all_of(self, parts: list[list[Any]]) -> list[Any]:
        """Every choice of one of each."""
        return _few(product(*parts), prod(map(len, parts)))

    def _in_play(self, kind: str) -> Iterator[int]:
        state = self._paused.state
        gone = state.gone[state.layout.kind_index[kind]]
        return (number for number, is_out in enumerate(gone) if not is_out)

    def places(self, changes: Iterable[str]) -> Iterator[tuple[str, int | None, list[Any]]]:
        """What may change: each place with the number of a thing, and all values that it may have."""
        program = self._names.program
        for place in sorted(changes):
            owner, _, name = place.rpartition("/")
            if owner == GAME:
                yield place, None, self.values(program.game[name].type, f"changes, `{name}`:")
                continue
            type_ = next((each.type for each in program.kinds[owner].fields if each.name == name), None)
            if type_ is None:
                raise UnlistedError(f"does not say what goes out of play, `{owner}.{name}`")
            values = self.values(type_, f"changes, `{owner}.{name}`:")
            yield from ((place, number, values) for number in self._in_play(owner))


def _few(values: Iterable[Any], many: int) -> list[Any]:
    if many > MOST_LISTED:
        raise UnlistedError(f"takes one of {MOST_LISTED:,} answers at most, and here are more")
    return list(values)


def _subsets(members: list[Any]) -> list[Any]:
    sizes = range(len(members) + 1)
    every = chain.from_iterable(combinations(members, size) for size in sizes)
    return [make_set(each) for each in _few(every, 1 << len(members))]
