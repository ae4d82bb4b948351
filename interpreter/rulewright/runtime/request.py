"""What the machine can ask, and what comes back from it.

Chance and choice are requests: a person, a script, a seeded source, a policy or "all of them" answers.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from rulewright.program.statements import get_die_name
from rulewright.program.types import Type

if TYPE_CHECKING:
    from rulewright.runtime.pending_question import PendingQuestion
    from rulewright.runtime.state import State
    from rulewright.runtime.trace import TraceEntry
    from rulewright.runtime.values import Value


CHANCE_SORTS = frozenset({"roll", "draw", "shuffle"})
"""The sorts of requests that chance answers."""
EXTERNAL_SORTS = frozenset({"external", "value"})
"""The sorts of requests that other texts answer."""


ITEM_SORTS = frozenset({"pick", "split", "order"})
"""The sorts of requests that are answered with several of what is offered."""

PREFERENCE_TEXT = "others are to be preferred"


@dataclass(frozen=True, slots=True)
class RefusalReason:
    """Why an option is impossible: the row or guard that rules it out, in the author's words where there are any.

    Where somebody said that there is no legal answer, `example` is one. Where the author gave no text, `judged` is the
    condition as it was judged, for those who put it into words. `preferred` says that a row with `prefer` gives it, so
    that it would be possible if no other answer were better.
    """

    address: str
    text: str
    cites: tuple[str, ...] = ()
    example: "Value" = None
    judged: "TraceEntry | None" = field(default=None, compare=False, repr=False)
    # the condition with all that it read, for those who ask where that came from
    read: "TraceEntry | None" = field(default=None, compare=False, repr=False)
    preferred: bool = False


@dataclass(frozen=True, slots=True)
class AnswerChoice:
    """One possible answer of a listed question; impossible when a reason is given."""

    value: "Value"
    title: str = ""
    reason: RefusalReason | None = None


@dataclass(frozen=True, slots=True)
class DiceToThrow:
    """Dice of one sort to throw."""

    count: int  # how many
    faces: tuple["Value", ...]  # in order, values of `face`
    face: Type  # their type
    name: str = ""  # of a declared die
    part: "Value" = None  # what this part of the roll is called

    @property
    def die(self) -> str:
        """What is thrown: `d6`, or the name of a declared die."""
        return get_die_name(self.faces, self.name)


@dataclass(frozen=True, slots=True)
class Request:
    """A stop of the machine.

    The answer to an `external` is a pair: the result (none where there is none) and its changes, each a triple of
    the place as in `changes`, the thing's number (none for `game`) and the new value, in order of place and number.
    The answer to `handlers` is a list of their labels as text, in order.
    """

    # a decision: `whether`, `one`, `pick`, `split`, `order`, `choose`, `turn`, on the plane `place` and `heading`; a
    # window: `handlers` (order of one owner's handlers), `handler` (an optional one), `taker` (one of several where the
    # first closes the window, by its label, or none); chance: `roll`, `draw`, `shuffle`; elsewhere: `external` (a
    # procedure's result), `value` (an external term's)
    sort: str
    # what the line that asks is called in its step, without the sort; lines of one step that ask for one name share it
    address: str
    player: int | None  # number of the player who answers, or none where nobody in the game does
    prompt: str  # the question
    type: Type | None  # type of the answer; for `roll` a list of faces, every die thrown, in order
    # for whether, one, choose, turn, handler, taker: every option, the impossible ones with their reason
    choices: tuple[AnswerChoice, ...] = ()
    items: tuple["Value", ...] = ()  # for pick, split, order, handlers, draw, shuffle: what is picked from, in order
    low: int = 0  # fewest to pick
    high: int = 0  # most to pick, or the number to split
    dice: tuple[DiceToThrow, ...] = ()  # what is thrown
    name: str = ""  # of the external, or of the name the answer is bound to
    # of an external, or what the binding of an optional handler holds, by name, with their types; of the roll of a rank
    # the members it is thrown for, under the name of the ranking; of `place` and `heading` the thing, and the facing it
    # keeps where the answer has none
    arguments: Mapping[str, tuple["Value", Type]] = field(default_factory=dict)
    changes: tuple[str, ...] = ()  # what an external may alter, as `Kind/name`, `Kind/gone`, `game/name`
    cites: tuple[str, ...] = ()  # clauses of the line
    # of a decision the things that the loops around its line are at, outermost first, with their types
    members: tuple[tuple["Value", Type], ...] = ()
    claimable: bool = False  # whether `none` is an answer: the claim that there is no legal one
    # the only player who may see the options and the answer, or none when all may: of a secret question, and of one
    # whose options lie in a bag or deck
    audience: int | None = None
    question: "PendingQuestion | None" = field(
        default=None, compare=False, repr=False
    )  # what the machine judges answers by
    closed: bool = False  # whether the options were taken out, for the view of a player who may not see them

    @property
    def part(self) -> Type | None:
        """Of a roll the type of what its parts are called, if they are called anything."""
        rolled = getattr(self.question and self.question.node, "variable", None)
        return getattr(rolled and rolled.type, "part", None) if self.sort == "roll" else None

    @property
    def rolls(self) -> tuple["Value", ...]:
        """The rolls that somebody holds, where the answer names dice."""
        return self.question.rolls if self.question else ()


@dataclass(frozen=True, eq=False)
class Ended:
    """The outermost procedure is done; the result is none where it gives none."""

    make_end_state: Callable[[], "State"] = field(
        repr=False
    )  # makes the state at the end, which is made when somebody looks
    result: "Value"  # of the procedure
    entries: Sequence["TraceEntry"]  # what happened since the last request

    @cached_property
    def state(self) -> "State":
        """The state at the end."""
        return self.make_end_state()


@dataclass(frozen=True, slots=True)
class Refused:
    """The answer, or the start, was not accepted; nothing has changed."""

    reasons: tuple[RefusalReason, ...]
    entries: Sequence["TraceEntry"] = ()


@dataclass(frozen=True, slots=True)
class Faulted:
    """The run ended at a line that cannot be carried out; `state` is the one before the outermost call.

    The code has a page; values read are pairs of a text and a value with its type.
    """

    state: "State"
    code: str
    address: str
    message: str
    read: tuple[tuple[str, "Value", Type], ...]
    entries: Sequence["TraceEntry"]
    help: str = ""  # what to do about it, if that can be said
