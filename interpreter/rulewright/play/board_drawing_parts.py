"""Figures on boards: things with their places, letters, owners and numbers."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from rulewright.base.frozen import dataclass
from rulewright.documents.name_table import NameTable
from rulewright.program import expressions as ex
from rulewright.program.board_geometry import get_stored_types, list_polygon_attributes
from rulewright.program.declarations import Field, Kind, Program, Value
from rulewright.program.types import PLAYER, NumberType, Type, strip_optional
from rulewright.runtime.state import Situation, evaluate_constant
from rulewright.runtime.values import HiddenValue
from rulewright.wording.english import speak_name

_PAIR_OF_PLAYERS = 2
_MAX_LETTERS = 2
_MAX_COUNTER_NUMBERS = 2
SIDE_COLOURS = ("red", "blue", "green", "yellow")
"""Colours of players, each with a hatching of its own."""
NO_SIDE = "nobody"
_BETWEEN_NUMBERS = "\N{EN DASH}"


@dataclass(frozen=True, slots=True)
class Figure:
    """A thing with a position on a board."""

    kind: str
    number: int  # within its kind
    id: str
    letters: str  # capitals, unique on the board
    owner: int | None  # player number
    at: tuple[int, int]  # cell or point
    facing: Any = None  # direction or angle
    numbers: str = ""  # what its counter shows of its state: `4-3`


def find_figures(situation: Situation, names: NameTable, place: Type, way: Type) -> tuple[Figure, ...]:
    """Things in play whose `at` has type `place` and whose `facing` has type `way`, by kind and number."""
    called = assign_thing_letters(names, place)
    return tuple(
        Figure(
            kind.name,
            number,
            id_,
            called[kind.name, id_],
            find_owner(kind.name, number, situation, names),
            at,
            looks,
            _format_numbers(kind, number, situation),
        )
        for kind in names.program.kinds.values()
        if _has_place_type(kind, place)
        for number, id_ in list_things_in_play(kind.name, situation)
        for at, looks in _find_position(kind, number, situation, way)
    )


def assign_thing_letters(names: NameTable, place: Type) -> dict[tuple[str, str], str]:
    """Letters by kind and id of all things that can have a place of this type, or an outline.

    They depend on ids alone, so they stay the same through a play.
    """
    outlined = {kind for kind, _ in list_polygon_attributes(names.program.kinds)}
    kinds = [
        item.name for item in names.program.kinds.values() if _has_place_type(item, place) or item.name in outlined
    ]
    things = [(kind, id_) for kind in kinds for id_ in names.ids_of_kind(kind)]
    return dict(zip(things, assign_letters([id_ for _, id_ in things]), strict=True))


def list_counter_fields(kind: Kind) -> tuple[Field, ...]:
    """The attributes that a counter shows: the first two whole numbers that do not start at zero."""
    numbers = (
        item
        for item in kind.fields
        if isinstance(item.type, NumberType) and (item.start is None or evaluate_constant(item.start) != 0)
    )
    return tuple(islice(numbers, _MAX_COUNTER_NUMBERS))


def _format_numbers(kind: Kind, number: int, situation: Situation) -> str:
    values = [situation.attributes[f"{kind.name}/{item.name}"][number] for item in list_counter_fields(kind)]
    return "" if any(isinstance(value, HiddenValue) for value in values) else _BETWEEN_NUMBERS.join(map(str, values))


def explain_numbers(figures: Iterable[Figure], names: NameTable) -> Iterator[str]:
    """What the numbers on counters are, once for each kind: `4-3 strength-speed`."""
    first: dict[str, str] = {}
    for figure in figures:
        if figure.numbers:
            first.setdefault(figure.kind, figure.numbers)
    for kind, numbers in first.items():
        fields = list_counter_fields(names.program.kinds[kind])
        yield f"{numbers} {_BETWEEN_NUMBERS.join(speak_name(item.name) for item in fields)}"


@dataclass(frozen=True, slots=True)
class FigureOwners:
    """Ids of the players, for labels of figures."""

    ids: tuple[str, ...]

    def side_colour(self, owner: int | None) -> str:
        """Colour of a player: the one that he is called by, else the next that nobody is called by; `nobody`."""
        if owner is None:
            return NO_SIDE
        called = [id_.lower() for id_ in self.ids]
        free = [colour for colour in SIDE_COLOURS if colour not in called]
        if called[owner] in SIDE_COLOURS:
            return called[owner]
        place = sum(id_ not in SIDE_COLOURS for id_ in called[:owner])
        return free[place] if place < len(free) else NO_SIDE

    def figure_letters(self, figure: Figure) -> str:
        """Letters of a figure, in lower case for the second of two players."""
        is_second = len(self.ids) == _PAIR_OF_PLAYERS and figure.owner == 1
        return figure.letters.lower() if is_second else figure.letters

    def list_by_owner(
        self, figures: Iterable[Figure], *, lettered: bool = True
    ) -> Iterator[tuple[int | None, list[str]]]:
        """Labels of figures grouped by owner; without owner last."""
        by_owner: dict[int | None, list[str]] = {number: [] for number in (*range(len(self.ids)), None)}
        for figure in figures:
            by_owner[figure.owner].append(f"{self.figure_letters(figure)} {figure.id}" if lettered else figure.id)
        return ((owner, called) for owner, called in by_owner.items() if called)

    def owner_prefix(self, owner: int | None) -> str:
        """Label of a player before his figures: `red: `."""
        return "" if owner is None else f"{self.ids[owner]}: "


def list_things_in_play(kind: str, situation: Situation) -> Iterator[tuple[int, str]]:
    """Numbers and ids of the things in play of a kind."""
    removed = situation.gone.get(kind, ())
    things = enumerate(situation.base.things.get(kind, ()))
    return ((number, id_) for number, id_ in things if number not in removed)


def _has_place_type(kind: Kind, place: Type) -> bool:
    at = get_stored_types(kind).get("at")
    return at is not None and strip_optional(at) == place


def _find_position(kind: Kind, number: int, situation: Situation, way: Type) -> Iterator[tuple[Any, Any]]:
    at = situation.attributes[f"{kind.name}/at"][number]
    facing = get_stored_types(kind).get("facing")
    looks = None
    if facing is not None and strip_optional(facing) == way:
        looks = situation.attributes[f"{kind.name}/facing"][number]
    if isinstance(at, tuple):
        yield at, None if isinstance(looks, HiddenValue) else looks


def assign_letters(ids: Sequence[str]) -> tuple[str, ...]:
    """Unique letters for ids: a short id itself, its first letter, that with its number, or another letter of it.

    >>> assign_letters(["hammer", "g1", "grunt_1", "grunt_2", "bow", "brute"])
    ('H', 'G1', 'GR', 'G2', 'BO', 'BR')
    """
    alike = Counter(map(_first_letter, ids))
    mapping: dict[int, str] = {}
    used_letters: set[str] = set()
    for number in sorted(range(len(ids)), key=lambda number: len(ids[number]) > _MAX_LETTERS):
        alone = alike[_first_letter(ids[number])] == 1
        mapping[number] = next(
            letter_candidate
            for letter_candidate in _letter_candidates(ids[number].upper(), alone=alone)
            if letter_candidate not in used_letters
        )
        used_letters.add(mapping[number])
    return tuple(mapping[number] for number in range(len(ids)))


def _first_letter(id_: str) -> str:
    return next((item for item in id_ if item.isalpha()), "X").upper()


def _letter_candidates(id_: str, *, alone: bool) -> Iterator[str]:
    first = _first_letter(id_)
    if len(id_) <= _MAX_LETTERS and id_[0].isalpha():
        yield id_
    if alone:
        yield first
    stem = id_.rstrip("0123456789")
    if 0 < len(id_) - len(stem) <= _MAX_LETTERS:
        yield f"{first}{id_[len(stem) :]}"
    yield from (f"{first}{item}" for item in stem[stem.find(first) + 1 :] if item.isalpha())
    number = 0
    while True:
        number += 1
        yield f"{first}{number}"


def find_owner(kind: str, number: int, situation: Situation, names: NameTable) -> int | None:
    """Player who owns a thing: its `owner`, else its only attribute of type player."""
    result: Any = number
    way = _owner_path(kind, names.program)
    for address in way:
        if not isinstance(result, int):
            return None
        result = situation.attributes[address][result]
    return result if way and isinstance(result, int) else None


def _owner_path(kind: str, program: Program) -> tuple[str, ...]:
    """Stored attributes that lead from a thing to its player; empty if none do."""
    players = [field.name for field in program.kinds[kind].fields if strip_optional(field.type) == PLAYER]
    derived = program.functions.get(f"{kind}/owner")
    if "owner" in players or derived is None or strip_optional(derived.type) != PLAYER:
        chosen = players if len(players) == 1 else [player for player in players if player == "owner"]
        return tuple(f"{kind}/{item}" for item in chosen)
    return _attribute_path(derived.body.value, program) or () if isinstance(derived.body, Value) else ()


def _attribute_path(node: ex.Expression, program: Program) -> tuple[str, ...] | None:
    """Chain of stored attributes that an expression reads from `self`; None if it is any other expression."""
    match node:
        case ex.Itself() | ex.Local():
            return ()
        case ex.StoredAttribute(target=target, kind=kind, name=name):
            before = _attribute_path(target, program)
            return None if before is None else (*before, f"{kind}/{name}")
        case ex.DerivedAttribute(target=target, function=function):
            before, body = _attribute_path(target, program), program.functions[function].body
            after = _attribute_path(body.value, program) if isinstance(body, Value) else None
            return None if before is None or after is None else (*before, *after)
        case _:
            return None
