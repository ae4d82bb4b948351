"""The things on a board as drawings call them: by a letter or two, with their player and where they look."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from math import cos, radians, sin
from textwrap import wrap
from typing import Any

from rulewright.base.frozen import dataclass
from rulewright.documents.name_table import NameTable
from rulewright.program import expressions as ex
from rulewright.program.board_geometry import get_stored_types, list_polygon_attributes
from rulewright.program.declarations import Kind, Program, Value
from rulewright.program.types import PLAYER, Type, strip_optional
from rulewright.runtime.state import Situation
from rulewright.runtime.values import HiddenValue

_PAIR_OF_PLAYERS = 2
_MAX_LETTERS = 2


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


def find_figures(situation: Situation, names: NameTable, place: Type, way: Type) -> tuple[Figure, ...]:
    """The things in play whose `at` is of one type, and their `facing` of another, in order of kind and number."""
    called = assign_thing_letters(names, place)
    return tuple(
        Figure(
            kind.name, number, id_, called[kind.name, id_], find_owner(kind.name, number, situation, names), at, looks
        )
        for kind in names.program.kinds.values()
        if _has_place_type(kind, place)
        for number, id_ in list_things_in_play(kind.name, situation)
        for at, looks in _find_position(kind, number, situation, way)
    )


def assign_thing_letters(names: NameTable, place: Type) -> dict[tuple[str, str], str]:
    """What a drawing calls all things that may stand at places of one type or have an outline, by kind and id.

    The letters hang on the ids alone, so that they stay what they are while a play goes on.
    """
    outlined = {kind for kind, _ in list_polygon_attributes(names.program.kinds)}
    kinds = [
        item.name for item in names.program.kinds.values() if _has_place_type(item, place) or item.name in outlined
    ]
    things = [(kind, id_) for kind in kinds for id_ in names.ids_of_kind(kind)]
    return dict(zip(things, assign_letters([id_ for _, id_ in things]), strict=True))


@dataclass(frozen=True, slots=True)
class FigureOwners:
    """The ids of the players of a game, for what drawings say of their figures."""

    ids: tuple[str, ...]

    def figure_letters(self, figure: Figure) -> str:
        """The letters of a figure: where there are two players, small ones for the second."""
        is_second = len(self.ids) == _PAIR_OF_PLAYERS and figure.owner == 1
        return figure.letters.lower() if is_second else figure.letters

    def list_by_owner(self, standing: Iterable[Figure]) -> Iterator[tuple[int | None, list[str]]]:
        """Figures with their letters and ids, under their players, as far as these have some; those of nobody last."""
        by_owner: dict[int | None, list[str]] = {number: [] for number in (*range(len(self.ids)), None)}
        for figure in standing:
            by_owner[figure.owner].append(f"{self.figure_letters(figure)} {figure.id}")
        return ((owner, called) for owner, called in by_owner.items() if called)

    def owner_prefix(self, owner: int | None) -> str:
        """What stands before the figures of a player: `red: `."""
        return "" if owner is None else f"{self.ids[owner]}: "


def list_things_in_play(kind: str, situation: Situation) -> Iterator[tuple[int, str]]:
    """The numbers and ids of the things of a kind that are in play."""
    gone = situation.gone.get(kind, ())
    things = enumerate(situation.base.things.get(kind, ()))
    return ((number, id_) for number, id_ in things if number not in gone)


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
    """What a drawing calls things: a short id itself, its first letter, that and its number, or another letter of it.

    >>> letters(["hammer", "g1", "grunt_1", "grunt_2", "bow", "brute"])
    ('H', 'G1', 'GR', 'G2', 'BO', 'BR')
    """
    alike = Counter(map(_first_letter, ids))
    mapping: dict[int, str] = {}
    taken: set[str] = set()
    for number in sorted(range(len(ids)), key=lambda number: len(ids[number]) > _MAX_LETTERS):
        alone = alike[_first_letter(ids[number])] == 1
        mapping[number] = next(
            letter_candidate
            for letter_candidate in _letter_candidates(ids[number].upper(), alone=alone)
            if letter_candidate not in taken
        )
        taken.add(mapping[number])
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
    """The player whose thing it is: by its `owner`, or by the only attribute that is a player."""
    result: Any = number
    way = _owner_path(kind, names.program)
    for address in way:
        if not isinstance(result, int):
            return None
        result = situation.attributes[address][result]
    return result if way and isinstance(result, int) else None


def _owner_path(kind: str, program: Program) -> tuple[str, ...]:
    """The stored attributes that lead from a thing to its player, one after the other; empty where none do."""
    players = [field.name for field in program.kinds[kind].fields if strip_optional(field.type) == PLAYER]
    derived = program.functions.get(f"{kind}/owner")
    if "owner" in players or derived is None or strip_optional(derived.type) != PLAYER:
        chosen = players if len(players) == 1 else [player for player in players if player == "owner"]
        return tuple(f"{kind}/{item}" for item in chosen)
    return _attribute_path(derived.body.value, program) or () if isinstance(derived.body, Value) else ()


def _attribute_path(node: ex.Expression, program: Program) -> tuple[str, ...] | None:
    """The stored attributes that an expression reads one after the other of `self`; none where it does more."""
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


LINE_HEIGHT = 20
SAMPLE_WIDTH = 34
MIN_PAGE_WIDTH = 420.0
"""How wide a page is at least, so that a legend has room."""
_LETTER_WIDTH = 7.0
_PLAYER_STYLE_COUNT = 4
_POINTER_HALF_WIDTH = 7.0
_MAX_NAMED_ITEMS = 40


@dataclass(frozen=True, slots=True)
class CounterDrawn:
    """A round counter with letters."""

    x: float  # of its middle
    y: float  # of its middle
    radius: float  # how large it is
    style: str  # whose it is: `p0` of the first player, and so on; `nobody`
    letters: str  # what is written on it
    pointer: str = ""  # the corners of a triangle that shows where it faces; empty where it faces nowhere
    thing: tuple[str, int] | None = None  # the kind and number of the thing that it stands for


@dataclass(frozen=True, slots=True)
class LegendLine:
    """A line of a legend."""

    x: float  # of its sample
    y: float  # of the line
    sort: str  # of the sample: `counter`, `ground`, `side`, `mark`, or empty where it goes on from the line before
    key: str  # which sample of its sort
    text: str  # what it stands for


def owner_style(owner: int | None) -> str:
    """How the counters of a player look; more players than there are looks share the last."""
    return "nobody" if owner is None else f"p{min(owner, _PLAYER_STYLE_COUNT)}"


def pointer_corners(x: float, y: float, reach: float, degrees: float) -> str:
    """A triangle that points somewhere, so far from a middle; degrees go clockwise from the right."""
    across, down = cos(radians(degrees)), sin(radians(degrees))
    corners = ((reach + 8, 0.0), (reach, -_POINTER_HALF_WIDTH), (reach, _POINTER_HALF_WIDTH))
    return svg_points(
        (x + ahead * across - aside * down, y + ahead * down + aside * across) for ahead, aside in corners
    )


def svg_points(corners: Iterable[tuple[float, float]]) -> str:
    """Corners as an attribute of SVG."""
    return " ".join(f"{round_length(across)},{round_length(down)}" for across, down in corners)


def lay_out_legend(items: Sequence[tuple[str, str, str]], x: float, y: float, width: float) -> Iterator[LegendLine]:
    """Samples with their words, one below the other; each item is the sort of the sample, its key and its text."""
    letters = max(20, int((width - SAMPLE_WIDTH) / _LETTER_WIDTH))
    for sort, key, text in items:
        for number, line in enumerate(wrap(text, letters)):
            yield LegendLine(round_length(x), round_length(y), "" if number else sort, key, line)
            y += LINE_HEIGHT


def join_named_items(items: Sequence[str]) -> str:
    """Items one after the other; of many the first, and how many more there are."""
    more = [f"and {len(items) - _MAX_NAMED_ITEMS} more"] if len(items) > _MAX_NAMED_ITEMS else []
    return ", ".join([*items[:_MAX_NAMED_ITEMS], *more])


def round_length(number: float) -> float:
    """A length as it is written into a drawing: tenths, and whole where they come out even."""
    rounded = round(number, 1)
    return int(rounded) if rounded == int(rounded) else rounded
