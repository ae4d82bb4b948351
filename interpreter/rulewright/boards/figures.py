"""The things on a board as drawings call them: by a letter or two, with their player and where they look."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rulewright.frozen import dataclass
from rulewright.inputs.names import Names
from rulewright.machine.state import Situation
from rulewright.machine.values import Hidden
from rulewright.program import expressions as ex
from rulewright.program.declarations import Kind, Program, Value
from rulewright.program.plane import outlines, types_of
from rulewright.program.types import PLAYER, Type, present

_TWO = 2
_SHORT = 2


@dataclass(frozen=True, slots=True)
class Figure:
    """A thing that stands somewhere."""

    kind: str  # of which kind it is
    number: int  # its number there
    id: str  # what states call it
    letters: str  # what the drawing calls it, in capitals; nothing else on the board is called so
    owner: int | None  # the number of its player; none where it has none
    at: tuple[int, int]  # the cell or point where it stands
    facing: Any = None  # its direction or angle; none where it has none


def figures(situation: Situation, names: Names, place: Type, way: Type) -> tuple[Figure, ...]:
    """The things in play whose `at` is of one type, and their `facing` of another, in order of kind and number."""
    called = letters_of_things(names, place)
    return tuple(
        Figure(kind.name, number, id_, called[kind.name, id_], owner(kind.name, number, situation, names), at, looks)
        for kind in names.program.kinds.values()
        if _stands(kind, place)
        for number, id_ in in_play(kind.name, situation)
        for at, looks in _standing(kind, number, situation, way)
    )


def letters_of_things(names: Names, place: Type) -> dict[tuple[str, str], str]:
    """What a drawing calls all things that may stand at places of one type or have an outline, by kind and id.

    The letters hang on the ids alone, so that they stay what they are while a play goes on.
    """
    outlined = {kind for kind, _ in outlines(names.program.kinds)}
    kinds = [each.name for each in names.program.kinds.values() if _stands(each, place) or each.name in outlined]
    things = [(kind, id_) for kind in kinds for id_ in names.ids(kind)]
    return dict(zip(things, letters([id_ for _, id_ in things]), strict=True))


@dataclass(frozen=True, slots=True)
class Players:
    """The ids of the players of a game, for what drawings say of their figures."""

    ids: tuple[str, ...]

    def called(self, figure: Figure) -> str:
        """The letters of a figure: where there are two players, small ones for the second."""
        is_second = len(self.ids) == _TWO and figure.owner == 1
        return figure.letters.lower() if is_second else figure.letters

    def listed(self, standing: Iterable[Figure]) -> Iterator[tuple[int | None, list[str]]]:
        """Figures with their letters and ids, under their players, as far as these have some; those of nobody last."""
        by_owner: dict[int | None, list[str]] = {number: [] for number in (*range(len(self.ids)), None)}
        for each in standing:
            by_owner[each.owner].append(f"{self.called(each)} {each.id}")
        return ((owner, called) for owner, called in by_owner.items() if called)

    def head(self, owner: int | None) -> str:
        """What stands before the figures of a player: `red: `."""
        return "" if owner is None else f"{self.ids[owner]}: "


def in_play(kind: str, situation: Situation) -> Iterator[tuple[int, str]]:
    """The numbers and ids of the things of a kind that are in play."""
    gone = situation.gone.get(kind, ())
    things = enumerate(situation.base.things.get(kind, ()))
    return ((number, id_) for number, id_ in things if number not in gone)


def _stands(kind: Kind, place: Type) -> bool:
    at = types_of(kind).get("at")
    return at is not None and present(at) == place


def _standing(kind: Kind, number: int, situation: Situation, way: Type) -> Iterator[tuple[Any, Any]]:
    at = situation.attributes[f"{kind.name}/at"][number]
    facing = types_of(kind).get("facing")
    looks = None
    if facing is not None and present(facing) == way:
        looks = situation.attributes[f"{kind.name}/facing"][number]
    if isinstance(at, tuple):
        yield at, None if isinstance(looks, Hidden) else looks


def letters(ids: Sequence[str]) -> tuple[str, ...]:
    """What a drawing calls things: a short id itself, its first letter, that and its number, or another letter of it.

    >>> letters(["hammer", "g1", "grunt_1", "grunt_2", "bow", "brute"])
    ('H', 'G1', 'GR', 'G2', 'BO', 'BR')
    """
    alike = Counter(map(_initial, ids))
    found: dict[int, str] = {}
    taken: set[str] = set()
    for number in sorted(range(len(ids)), key=lambda number: len(ids[number]) > _SHORT):
        alone = alike[_initial(ids[number])] == 1
        found[number] = next(each for each in _candidates(ids[number].upper(), alone=alone) if each not in taken)
        taken.add(found[number])
    return tuple(found[number] for number in range(len(ids)))


def _initial(id_: str) -> str:
    return next((each for each in id_ if each.isalpha()), "X").upper()


def _candidates(id_: str, *, alone: bool) -> Iterator[str]:
    first = _initial(id_)
    if len(id_) <= _SHORT and id_[0].isalpha():
        yield id_
    if alone:
        yield first
    stem = id_.rstrip("0123456789")
    if 0 < len(id_) - len(stem) <= _SHORT:
        yield f"{first}{id_[len(stem) :]}"
    yield from (f"{first}{each}" for each in stem[stem.find(first) + 1 :] if each.isalpha())
    number = 0
    while True:
        number += 1
        yield f"{first}{number}"


def owner(kind: str, number: int, situation: Situation, names: Names) -> int | None:
    """The player whose thing it is: by its `owner`, or by the only attribute that is a player."""
    found: Any = number
    way = _way_to_owner(kind, names.program)
    for address in way:
        if not isinstance(found, int):
            return None
        found = situation.attributes[address][found]
    return found if way and isinstance(found, int) else None


def _way_to_owner(kind: str, program: Program) -> tuple[str, ...]:
    """The stored attributes that lead from a thing to its player, one after the other; empty where none do."""
    players = [each.name for each in program.kinds[kind].fields if present(each.type) == PLAYER]
    derived = program.functions.get(f"{kind}/owner")
    if "owner" in players or derived is None or present(derived.type) != PLAYER:
        chosen = players if len(players) == 1 else [each for each in players if each == "owner"]
        return tuple(f"{kind}/{each}" for each in chosen)
    return _read(derived.body.value, program) or () if isinstance(derived.body, Value) else ()


def _read(node: ex.Expression, program: Program) -> tuple[str, ...] | None:
    """The stored attributes that an expression reads one after the other of `self`; none where it does more."""
    match node:
        case ex.Itself() | ex.Local():
            return ()
        case ex.StoredAttribute(target=target, kind=kind, name=name):
            before = _read(target, program)
            return None if before is None else (*before, f"{kind}/{name}")
        case ex.DerivedAttribute(target=target, function=function):
            before, body = _read(target, program), program.functions[function].body
            after = _read(body.value, program) if isinstance(body, Value) else None
            return None if before is None or after is None else (*before, *after)
        case _:
            return None
