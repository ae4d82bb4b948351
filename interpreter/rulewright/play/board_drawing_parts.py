"""Parts of all drawings of boards: figures with letters and owners, counters, and the legend."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from math import cos, radians, sin
from textwrap import wrap
from types import MappingProxyType
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


LINE_HEIGHT = 20
SAMPLE_WIDTH = 34
MIN_PAGE_WIDTH = 420.0
"""In units of SVG; so that a legend has room."""
_LETTER_WIDTH = 7.0
_LEGEND_GAP = 20.0
_POINTER_HALF_WIDTH = 7.0
_MAX_NAMED_ITEMS = 40
_MAX_NAME_LENGTH = 12
_NAME_SIZE, _MIN_NAME_SIZE, _NAME_WIDTH = 10.0, 5.5, 0.58
"""Size of a name on a counter, and the width of a letter in parts of it."""
_TERRAIN_WORDS: Mapping[str, str] = MappingProxyType(
    {
        "water": "water river lake sea pond stream ocean marsh swamp ford",
        "woods": "wood woods forest forests tree trees jungle grove orchard scrub",
        "wall": "wall walls pillar rock rocks rubble ruin ruins hedge barricade blocked block obstacle",
        "town": "town city village building buildings house houses castle fort camp base",
        "hills": "hill hills mountain mountains ridge height elevation high slope rough",
    }
)
"""What sorts of ground are drawn as, by words that name them."""
_FREE_PATTERNS = 8


@dataclass(frozen=True, slots=True)
class GroundDrawn:
    """How a sort of ground is drawn: `woods`, `water`, `hills`, `town`, `wall`, or a free pattern by its number."""

    key: int
    terrain: str
    free: int = 0
    again: int = 0  # how many sorts before it are drawn as the same terrain; their pattern is wider


def find_terrain(words: str) -> str:
    """The terrain that words name, such as `woods`; empty if none.

    >>> find_terrain("height 2"), find_terrain("deep water"), find_terrain("costs dice")
    ('hills', 'water', '')
    """
    found = frozenset(re.findall(r"[a-z]+", words.lower()))
    return next((terrain for terrain, named in _TERRAIN_WORDS.items() if not found.isdisjoint(named.split())), "")


def choose_grounds(words: Mapping[int, str]) -> tuple[GroundDrawn, ...]:
    """How sorts of ground are drawn, by number: as the terrain that their words name, else with the next free pattern."""
    used: Counter[str] = Counter()
    result = []
    for key, item in words.items():
        terrain = find_terrain(item)
        drawn = GroundDrawn(key, terrain, 0 if terrain else used[terrain] % _FREE_PATTERNS, used[terrain])
        used[terrain] += 1
        result.append(drawn)
    return tuple(result)


@dataclass(frozen=True, slots=True)
class CounterText:
    """A line of text on a counter."""

    x: float
    y: float
    size: float
    text: str


@dataclass(frozen=True, slots=True)
class CounterDrawn:
    """A square counter with the name and the numbers of a thing."""

    x: float  # centre
    y: float
    radius: float  # half a side
    style: str  # colour of its owner; `nobody`
    letters: str
    lines: tuple[CounterText, ...]
    pointer: str = ""  # SVG points of the triangle that shows the facing
    thing: tuple[str, int] | None = None  # kind and number
    id: str = ""


def write_on_counter(name: str, large: str, x: float, y: float, radius: float) -> Iterator[CounterText]:
    """A name at the top of a counter, if there is room for it, and large letters or numbers below."""
    room = 1.8 * radius
    shown = name if len(name) <= _MAX_NAME_LENGTH else f"{name[: _MAX_NAME_LENGTH - 1]}…"
    size = min(_NAME_SIZE, room / (_NAME_WIDTH * max(1, len(shown))))
    if has_name := bool(name) and size >= _MIN_NAME_SIZE:
        yield CounterText(round_length(x), round_length(y - 0.48 * radius), round_length(size), shown)
    if large:
        size = min(0.86 * radius, room / (_NAME_WIDTH * len(large)))
        down = (0.36 if has_name else 0) * radius + size * 0.35
        yield CounterText(round_length(x), round_length(y + down), round_length(size), large)


@dataclass(frozen=True, slots=True)
class LegendLine:
    """A line of the legend: a sample with its text."""

    x: float  # of the sample
    y: float
    sort: str  # of the sample: `counter`, `ground`, `side`, `mark`; empty for a continued line
    key: str  # of the sample within its sort
    text: str


def pointer_corners(x: float, y: float, reach: float, degrees: float) -> str:
    """SVG points of a triangle at distance `reach` from a centre; degrees clockwise from the right."""
    across, down = cos(radians(degrees)), sin(radians(degrees))
    corners = ((reach + 8, 0.0), (reach, -_POINTER_HALF_WIDTH), (reach, _POINTER_HALF_WIDTH))
    return svg_points(
        (x + ahead * across - sideways * down, y + ahead * down + sideways * across) for ahead, sideways in corners
    )


def svg_points(corners: Iterable[tuple[float, float]]) -> str:
    """Corners as an SVG `points` attribute."""
    return " ".join(f"{round_length(across)},{round_length(down)}" for across, down in corners)


def lay_out_legend(items: Sequence[tuple[str, str, str]], x: float, y: float, width: float) -> Iterator[LegendLine]:
    """Legend of (sort, key, text) items, beside each other as long as there is room; a long one fills lines of its own."""
    letters = max(20, int((width - SAMPLE_WIDTH) / _LETTER_WIDTH))
    across = 0.0
    for sort, key, text in items:
        wide = SAMPLE_WIDTH + _LETTER_WIDTH * len(text)
        if across and across + wide > width:
            across, y = 0.0, y + LINE_HEIGHT
        lines = wrap(text, letters)
        for number, line in enumerate(lines):
            y += LINE_HEIGHT if number else 0
            yield LegendLine(round_length(x + across), round_length(y), "" if number else sort, key, line)
        across = width if len(lines) > 1 else across + wide + _LEGEND_GAP


def legend_end(entries: Sequence[LegendLine], y: float) -> float:
    """Height of a page that ends with a legend, which begins at `y`."""
    return round_length(entries[-1].y + LINE_HEIGHT if entries else y)


def join_named_items(items: Sequence[str]) -> str:
    """Comma-separated items, truncated with a count of the rest."""
    more = [f"and {len(items) - _MAX_NAMED_ITEMS} more"] if len(items) > _MAX_NAMED_ITEMS else []
    return ", ".join([*items[:_MAX_NAMED_ITEMS], *more])


def round_length(number: float) -> float:
    """A length with one decimal at most, as SVG writes it."""
    rounded = round(number, 1)
    return int(rounded) if rounded == int(rounded) else rounded
