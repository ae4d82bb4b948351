"""Records of dice: as they lie, and as a request describes those to throw.

All are tuples with named fields, so that they are compared, hashed and stored as tuples. Generated code, and loops over
single dice, make them by `make_record`.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

make_record: Callable[..., Any] = tuple.__new__
"""A record of a class from the tuple of all its fields: `make_record(Die, (…))`.

Takes half the time of `Die(…)`, which goes through a function of Python (measured).
"""


class Die(NamedTuple):
    """A die as it lies."""

    faces: tuple[Any, ...]  # in order
    first: Any  # face it fell on first
    face: Any  # face it shows
    rerolls: int  # how often it was rolled again
    kept: bool  # whether it counts
    part: Any  # what its part of the roll is called, or none; in a rank the position of the member it is thrown for
    model: str  # name of a declared die, or empty
    roll: str  # name of its roll; empty where only its future counts


KEPT_PART = Die._fields.index("kept")
"""Index of `kept`, for generated code, which reads dice by index."""


class BroughtDie(NamedTuple):
    """A die that an explosion brought, in a trace."""

    die: Die
    origin: int  # position of the die that exploded


class EqualDice(NamedTuple):
    """Equal dice to throw now."""

    dice_count: int
    faces: tuple[Any, ...]  # in order
    model: str = ""  # name of a declared die


class RollOptionKind(NamedTuple):
    """What an option of a roll does, as in `program.statements.RollOption`."""

    word: str  # `keep`, `drop` or `explode`
    best: str  # `highest` or `lowest`; of `explode` `more` if higher faces explode too, else empty


class RollOptionValue(NamedTuple):
    """An option of a roll, evaluated."""

    kind: RollOptionKind
    value: Any  # how many dice are kept or dropped; the face that explodes
    bound: int | None  # most explosions of one die


class DiceGroup(NamedTuple):
    """A part of a described roll: equal dice with options of their own."""

    dice_count: int  # may be random (`RandomValue`); below 0 none are thrown
    faces: tuple[Any, ...]  # in order
    model: str  # name of a declared die, or empty
    options: tuple[RollOptionValue, ...]
    is_single: bool  # whether the value of the roll is this one die, not a pool
    part: Any  # what this part is called, or none; in a rank the position of the member it is thrown for


class RollDescription(NamedTuple):
    """Data of a request for a roll."""

    groups: tuple[DiceGroup, ...]
    options: tuple[RollOptionValue, ...]  # of all dice
    thrown: tuple[Any, ...]  # faces thrown so far, of a roll that an explosion continues


class RankRollDescription(NamedTuple):
    """Data of a request for the dice of a rank."""

    groups: tuple[DiceGroup, ...]
    options: tuple[RollOptionValue, ...]
    thrown: tuple[Any, ...]
    members: tuple[Any, ...]  # tied members, whose positions are the parts of the dice


class PlainRollDescriptions(dict[int, RollDescription]):
    """Descriptions of a roll of equal dice without options, by number of dice; each is made when first asked for.

    Generated code looks them up, which is as fast as a tuple written out (records made anew took 3 % of a play).
    """

    def __init__(self, faces: tuple[Any, ...], model: str) -> None:
        super().__init__()
        self._faces = faces
        self._model = model

    def __missing__(self, dice_count: int) -> RollDescription:
        result = self[dice_count] = self.describe(dice_count)
        return result

    def describe(self, dice_count: Any) -> RollDescription:
        """Description for a number of dice, which may be random."""
        return RollDescription(
            (DiceGroup(dice_count, self._faces, self._model, (), is_single=False, part=None),), (), ()
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return PlainRollDescriptions, (self._faces, self._model)
