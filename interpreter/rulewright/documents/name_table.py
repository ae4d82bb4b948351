"""Name resolution for documents: spellings of declarations, addresses of requests, things, words and dice of a play."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from rulewright.documents.findings import describe_choices, did_you_mean, list_alternatives, quote_name
from rulewright.program.declarations import Board, Kind, Program, Relation
from rulewright.program.statements import Ask, ChanceLine, Line, PerformExternal, Rank, Remove, Trigger
from rulewright.program.types import ThingType, Type, WordType, strip_optional
from rulewright.program.walk import list_lines_of_class, strip_address_numbers
from rulewright.runtime.dice import Die
from rulewright.runtime.state import GameSetup
from rulewright.runtime.type_codecs import value_to_json
from rulewright.runtime.values import Value

GAME, SETTINGS, REMOVED = "game", "settings", "removed"
SHAPE, CELLS, SIDES, COORDINATES = "shape", "cells", "sides", "coordinates"
DEFAULTS, LIKE, EACH = "defaults", "like", "each"
CSV, ID = "csv", "id"
CHANGES = "changes"
DRAWN, LEGEND = "drawn", "legend"
MAX_STATE_THINGS = 10_000
"""Most things that lines and tables of one state may expand to."""
NUMBERED_THINGS_PATTERN = re.compile(r"([A-Za-z0-9_][A-Za-z0-9_.\-]{0,95}) x([1-9][0-9]{0,2})")
"""Line of a state for several things: `grunt x5` is grunt_1 to grunt_5."""


def expand_numbered_ids(written: str) -> tuple[str, ...]:
    """Ids that `grunt x5` expands to; empty for the line of one thing."""
    match_ = NUMBERED_THINGS_PATTERN.fullmatch(written)
    return tuple(f"{match_[1]}_{number + 1}" for number in range(int(match_[2]))) if match_ else ()


def map_spellings(names: Iterable[str]) -> dict[str, str]:
    """Qualified name by every accepted spelling: in full, and without its prefix where that is unambiguous.

    >>> map_spellings(["units", "base.units", "base.allied"])
    {'units': 'units', 'base.units': 'base.units', 'base.allied': 'base.allied', 'allied': 'base.allied'}
    """
    exact = list(names)
    tails = Counter(name.rpartition(".")[2] for name in exact)
    short = {tail: name for name in exact if tails[tail := name.rpartition(".")[2]] == 1}
    return {name: name for name in exact} | short


@dataclass(frozen=True)
class StateSections:
    """Sections of the state files of one program, by every accepted key."""

    program: Program

    @cached_property
    def kinds(self) -> Mapping[str, Kind]:
        """Kinds by the spellings of their plurals."""
        plurals = {kind.plural: kind for kind in self.program.kinds.values()}
        return {key: plurals[name] for key, name in map_spellings(plurals).items()}

    @cached_property
    def boards(self) -> Mapping[str, Board]:
        return {key: self.program.boards[name] for key, name in map_spellings(self.program.boards).items()}

    @cached_property
    def relations(self) -> Mapping[str, Relation]:
        return {key: self.program.relations[name] for key, name in map_spellings(self.program.relations).items()}

    @cached_property
    def game(self) -> Mapping[str, str]:
        return map_spellings(self.program.game)

    @cached_property
    def settings(self) -> Mapping[str, str]:
        return map_spellings(self.program.settings)

    @cached_property
    def qualified_names(self) -> Mapping[str, str]:
        """Qualified name of every key; two keys of one section map to one name."""
        fixed = {GAME: GAME, SETTINGS: SETTINGS, REMOVED: REMOVED}
        kinds = {key: kind.plural for key, kind in self.kinds.items()}
        boards = {key: board.name for key, board in self.boards.items()}
        relations = {key: relation.name for key, relation in self.relations.items()}
        return fixed | kinds | boards | relations


def computed_attributes(kind: Kind) -> frozenset[str]:
    """Names of the derived attributes of a kind."""
    return frozenset(address.rpartition("/")[2] for address in kind.derived)


def request_addresses(program: Program) -> tuple[str, ...]:
    """Every address a request can have, in order of declaration.

    Lines that ask, roll, draw, perform an external or open a window (one address per step and name), and external terms
    by their names.
    """
    asking = map(strip_address_numbers, _asking_lines(program))
    return tuple(dict.fromkeys([*asking, *program.external_terms]))


def numbered_addresses(program: Program) -> tuple[str, ...]:
    """Addresses of lines that share their request address with others; `#2` tells them apart."""
    return tuple(line for line in _asking_lines(program) if line != strip_address_numbers(line))


def _asking_lines(program: Program) -> Iterator[str]:
    for line in list_lines_of_class(program, Line):
        if isinstance(line, Rank):
            yield from (key.address for key in line.keys if key.requests)
        elif _can_ask(line, program):
            yield line.address


def window_addresses(program: Program) -> frozenset[str]:
    """Addresses of lines at which handlers may be asked for."""
    result = (line for line in list_lines_of_class(program, Line) if isinstance(line, Trigger | Remove))
    return frozenset(strip_address_numbers(item.address) for item in result if _can_ask(item, program))


def _can_ask(line: Line, program: Program) -> bool:
    match line:
        case Trigger(event=event):
            handled = any(handler.event == event for handler in program.handlers.values())
            return handled or program.events[event].holders is not None
        case Remove(events=events):
            return bool(events)
        case _:
            return isinstance(line, Ask | ChanceLine | PerformExternal)


@dataclass(frozen=True)
class UnresolvedAddress:
    """Failed resolution of an address: several candidates, or none and perhaps a near one."""

    message: str
    help: str
    is_ambiguous: bool


@dataclass(frozen=True)
class RequestAddresses:
    """Addresses of the requests of one program, with their abbreviations.

    A whole address may be abbreviated to any unambiguous suffix (`60/push`), and to the address of an enclosing part,
    abbreviated likewise, that contains no other request (`30` for `fight/30/test`). One of several lines that share an
    address may be named by its number (`60/push#2`).
    """

    all: tuple[str, ...]
    numbered: tuple[str, ...] = ()

    @cached_property
    def spellings(self) -> Mapping[str, str]:
        """Whole address by every spelling; whole addresses win over suffixes, suffixes over enclosing parts."""
        ends = _keep_unambiguous(
            (end, address) for address in (*self.all, *self.numbered) for end in _address_suffixes(address)
        )
        parts = _keep_unambiguous((part, address) for address in self.all for part in _address_fragments(address))
        return parts | ends | {address: address for address in (*self.all, *self.numbered)}

    def resolve(self, written: str) -> str | UnresolvedAddress:
        result = self.spellings.get(written)
        if result is not None:
            return result
        candidates = [item for item in self.all if written in _address_suffixes(item)] or [
            item for item in self.all if written in _address_fragments(item)
        ]
        if candidates:
            return UnresolvedAddress(
                f"{quote_name(written)} stands for several questions",
                f"write {list_alternatives(candidates)}",
                is_ambiguous=True,
            )
        name = written.rpartition("/")[2]
        namesakes = [item for item in (*self.all, *self.numbered) if item.rpartition("/")[2] == name]
        remedy = (
            f"write {list_alternatives(namesakes)}"
            if namesakes
            else did_you_mean(written, self.spellings) or (describe_choices(self.all) if self.all else "")
        )
        return UnresolvedAddress(f"nothing is asked at {quote_name(written)}", remedy, is_ambiguous=False)


def _address_suffixes(address: str) -> Iterator[str]:
    segments = address.split("/")
    yield from ("/".join(segments[first:]) for first in range(len(segments)))
    if len(segments) == 1 and "." in address:
        yield address.rpartition(".")[2]


def _address_fragments(address: str) -> Iterator[str]:
    segments = address.split("/")
    for first in range(len(segments)):
        yield from ("/".join(segments[first:last]) for last in range(first + 1, len(segments)))


def _keep_unambiguous(pairs: Iterator[tuple[str, str]]) -> dict[str, str]:
    known = dict.fromkeys(pairs)
    counts = Counter(written for written, _ in known)
    return {written: address for written, address in known if counts[written] == 1}


@dataclass(frozen=True)
class NameTable:
    """Words of a program and things of one play, with their spellings in both directions."""

    program: Program
    base: GameSetup  # ids of things and cells of boards
    rolls: tuple[tuple[Die, ...], ...] = ()  # whose dice may be named
    dice: tuple[tuple[int, int], ...] = ()  # distinguished dice; if empty, all of one roll

    def with_dice(self, rolls: tuple[Any, ...], dice: tuple[tuple[int, int], ...] = ()) -> "NameTable":
        """Copy with the dice of some rolls."""
        as_it_is = not rolls or (rolls is self.rolls and dice == self.dice)
        return self if as_it_is else replace(self, rolls=rolls, dice=dice)

    @cached_property
    def thing_numbers(self) -> Mapping[str, Mapping[str, int]]:
        """Number of every thing, by kind and id."""
        return {kind: {id_: number for number, id_ in enumerate(ids)} for kind, ids in self.base.things.items()}

    @cached_property
    def cells(self) -> frozenset[tuple[int, int]]:
        return frozenset(cell for cells in self.base.boards.values() for cell in cells)

    @property
    def coordinates(self) -> str:
        """Coordinate system in which hexes are written."""
        return self.base.coordinates

    def thing_id(self, kind: str, number: int) -> str:
        return self.base.things[kind][number]

    def player_id(self, number: int | None) -> str:
        """Id of a player; `""` for nobody in the game."""
        return "" if number is None else self.thing_id("player", number)

    def ids_of_kind(self, kind: str) -> tuple[str, ...]:
        return self.base.things.get(kind, ())

    def ids_of_same_kind(self, id_: str) -> tuple[str, ...]:
        """Ids of all things of the kind of an id; empty for what is not a thing."""
        return next((thing for thing in self.base.things.values() if id_ in thing), ())

    def all_dice(self) -> tuple[tuple[int, int], ...]:
        """All dice, distinguished ones first."""
        dice = ((roll, at) for roll, dice in enumerate(self.rolls) for at in range(len(dice)))
        return tuple(dict.fromkeys((*self.dice, *dice)))

    def name_die(self, die: tuple[int, int], part: Type | None, *, titled: bool = False) -> str | None:
        """Name of a die: its roll, or the word or thing that its part is called, and its face (`block 5`).

        The second of several with one name is `block 5 #2`. `None` where the die is unknown, or a distinguished one has
        that name. With `titled`, words go by their titles.
        """
        own_names = self._name_roll_dice(None, part, titled)
        if die in own_names or die[0] >= len(self.rolls):
            return own_names.get(die)
        called = self._name_roll_dice(die[0], part, titled)[die]
        return None if called in own_names.values() else called

    def die_spellings(self, die: tuple[int, int], part: Type | None, *, titled: bool = False) -> tuple[str, ...]:
        """Accepted names of a die: `name_die`, and without its number if no other distinguished die has that name."""
        called = self.name_die(die, part, titled=titled)
        if called is None or die not in self.dice:
            return () if called is None else (called,)
        words = self.word_titles if titled else self.word_names
        alone = self._describe_die(die, part, words)
        is_one = [self._describe_die(item, part, words) for item in self.dice].count(alone) == 1
        return tuple(dict.fromkeys((called, alone))) if is_one else (called,)

    def roll_name(self, number: int) -> str | None:
        """Name of the line that threw some dice; `None` where unknown."""
        dice = self.rolls[number] if number < len(self.rolls) else ()
        return str(dice[0].roll) if dice else None

    def _name_roll_dice(self, roll: int | None, part: Type | None, titled: bool) -> dict[tuple[int, int], str]:  # noqa: FBT001
        known = self._die_name_cache.get((roll, part, titled))
        if known is None:
            rolls = dict.fromkeys(each for each, _ in self.dice) if roll is None else (roll,)
            dice = [(each, at) for each in rolls for at in range(len(self.rolls[each]))]
            called = {
                die: self._describe_die(die, part, self.word_titles if titled else self.word_names) for die in dice
            }
            several, met = Counter(called.values()), Counter[str]()
            known = self._die_name_cache[roll, part, titled] = {}
            for item, name in called.items():
                met[name] += 1
                if roll is not None or item in self.dice:
                    known[item] = name if several[name] == 1 else f"{name} #{met[name]}"
        return known

    @cached_property
    def _die_name_cache(self) -> dict[tuple[int | None, Type | None, bool], dict[tuple[int, int], str]]:
        return {}

    def _describe_die(self, die: tuple[int, int], part: Type | None, words: Callable[[str], tuple[str, ...]]) -> str:
        number, at = die
        lying = self.rolls[number][at]
        face, called, roll = lying.face, lying.part, lying.roll
        match strip_optional(part) if part and isinstance(called, int) else None:
            case WordType(values) if called < len(words(values)):
                roll = words(values)[called]
            case ThingType(kind) if called < len(self.ids_of_kind(kind)):
                roll = self.thing_id(kind, called)
        if lying.model:
            shows = self.program.dice[lying.model].face_type
            face = words(shows.values)[face] if isinstance(shows, WordType) else value_to_json(face, shows, self)
        return f"{roll.replace('_', ' ')} {face}"

    def word_names(self, values: str) -> tuple[str, ...]:
        """Names of the words of a list, in order."""
        return tuple(word.name for word in self.program.values[values].words)

    def word_titles(self, values: str) -> tuple[str, ...]:
        """Titles of the words of a list, in order, by name where a word has none."""
        return self._word_spellings(values)[0]

    def word_title(self, value: Value, type_: Type) -> str:
        """Title of a word, be it a name or an explanation; `""` for one without, and for other values."""
        match strip_optional(type_):
            case WordType(values) if isinstance(value, int):
                return self.program.values[values].titles.titles[value]
            case _:
                return ""

    def _word_spellings(self, values: str) -> tuple[tuple[str, ...], Mapping[str, int]]:
        known = self._word_spelling_cache.get(values)
        if known is None:
            titles = self.program.values[values].titles
            known = self._word_spelling_cache[values] = titles.display_names, titles.spellings
        return known

    @cached_property
    def _word_spelling_cache(self) -> dict[str, tuple[tuple[str, ...], Mapping[str, int]]]:
        return {}

    def word_positions(self, values: str) -> Mapping[str, int]:
        """Position of each word of a list, by every spelling."""
        return self._word_spellings(values)[1]
