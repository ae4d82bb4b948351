"""The protocol of a run: requests and outcomes, trace entries, and the source points that they refer to.

Chance and choice are requests: a person, a script, a seeded source, a policy or "all of them" answers.
"""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING

from rulewright.base.frozen import dataclass
from rulewright.program.statements import get_die_name
from rulewright.program.types import Type

if TYPE_CHECKING:
    from rulewright.runtime.pending_question import PendingQuestion
    from rulewright.runtime.state import State
    from rulewright.runtime.values import Value
from typing import TYPE_CHECKING, Any

from rulewright.runtime.values import Value

CHANCE_SORTS = frozenset({"roll", "draw", "shuffle"})
"""Sorts of requests that chance answers."""
EXTERNAL_SORTS = frozenset({"external", "value"})
"""Sorts of requests that texts outside the rules answer."""


ITEM_SORTS = frozenset({"pick", "split", "order"})
"""Sorts of requests that are answered with several of the items."""

PREFERENCE_TEXT = "others are to be preferred"


@dataclass(frozen=True, slots=True)
class RefusalReason:
    """Why an option is impossible: the row or guard that excludes it, in the author's words if there are any.

    Against a claim that there is no legal answer, `example` is one. Without words of the author, `judged` is the
    condition as it was judged, to be put into words. `preferred` says that the reason is a row with `prefer`, so that
    the option would be possible if no other answer were better.
    """

    address: str
    text: str
    cites: tuple[str, ...] = ()
    example: "Value" = None
    judged: "TraceEntry | None" = field(default=None, compare=False, repr=False)
    # the condition with all its reads, for explanations
    read: "TraceEntry | None" = field(default=None, compare=False, repr=False)
    preferred: bool = False


@dataclass(frozen=True, slots=True)
class AnswerChoice:
    """One option of a listed question; impossible if a reason is given."""

    value: "Value"
    title: str = ""
    reason: RefusalReason | None = None


@dataclass(frozen=True, slots=True)
class DiceToThrow:
    """Equal dice to throw."""

    count: int
    faces: tuple["Value", ...]  # in order
    face: Type  # type of the faces
    name: str = ""  # of a declared die
    part: "Value" = None  # name of this part of the roll

    @property
    def die(self) -> str:
        """`d6`, or the name of a declared die."""
        return get_die_name(self.faces, self.name)


@dataclass(frozen=True, slots=True)
class Request:
    """A stop of a run that waits for an answer.

    The answer to an `external` is a pair: the result (none where there is none) and its changes, each a triple of the
    place as in `changes`, the thing's number (none for `game`) and the new value, in order of place and number. The
    answer to `handlers` is a list of their labels as text, in order.
    """

    # a decision: `whether`, `one`, `pick`, `split`, `order`, `choose`, `turn`, on the plane `place` and `heading`; a
    # window: `handlers` (order of one owner's handlers), `handler` (an optional one), `taker` (one of several where the
    # first closes the window, by its label, or none); chance: `roll`, `draw`, `shuffle`; elsewhere: `external` (a
    # procedure's result), `value` (an external term's)
    sort: str
    # what the line that asks is called in its step, without the sort; lines of one step that ask for one name share it
    address: str
    player: int | None  # number of the answering player; none for nobody in the game
    prompt: str
    type: Type | None  # type of the answer; for `roll` a list of faces, every die thrown, in order
    # for whether, one, choose, turn, handler, taker: every option, the impossible ones with their reason
    choices: tuple[AnswerChoice, ...] = ()
    items: tuple["Value", ...] = ()  # for pick, split, order, handlers, draw, shuffle: what is picked from, in order
    low: int = 0
    high: int = 0  # most to pick, or the number to split
    dice: tuple[DiceToThrow, ...] = ()
    name: str = ""  # of the external, or of the variable of the answer
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
    question: "PendingQuestion | None" = field(default=None, compare=False, repr=False)
    closed: bool = False  # whether the options are masked for a player

    @property
    def part(self) -> Type | None:
        """Type of the names of a roll's parts, if they have names."""
        rolled = getattr(self.question and self.question.node, "variable", None)
        return getattr(rolled and rolled.type, "part", None) if self.sort == "roll" else None

    @property
    def rolls(self) -> tuple["Value", ...]:
        """Rolls in use, if the answer names dice."""
        return self.question.rolls if self.question else ()


@dataclasses.dataclass(frozen=True, eq=False)
class Ended:
    """The outermost procedure is done; the result is none if it gives none."""

    make_end_state: Callable[[], "State"] = field(
        repr=False
    )  # makes the state at the end, which is made when somebody looks
    result: "Value"  # of the procedure
    entries: Sequence["TraceEntry"]  # what happened since the last request

    @cached_property
    def state(self) -> "State":
        return self.make_end_state()


@dataclass(frozen=True, slots=True)
class Refused:
    """The answer, or the start, was not accepted; nothing has changed."""

    reasons: tuple[RefusalReason, ...]
    entries: Sequence["TraceEntry"] = ()


@dataclass(frozen=True, slots=True)
class Faulted:
    """The run ended at a line that cannot be executed; `state` is the one before the outermost call.

    The code has a page; values read are pairs of a text and a value with its type.
    """

    state: "State"
    code: str
    address: str
    message: str
    read: tuple[tuple[str, "Value", Type], ...]
    entries: Sequence["TraceEntry"]
    help: str = ""  # what to do about it, if that can be said


BEGIN_SORTS = frozenset({"call", "handler", "rule"})
END_SORTS = frozenset({"return", "handler ended", "rule ended"})
"""Sorts of entries at the ends of routines."""


@dataclass(frozen=True, slots=True)
class RolledDie:
    """One die of a roll as it lay."""

    first: Value  # the face it fell on first
    face: Value  # the face it shows
    kept: bool  # whether it counts
    rerolls: int  # how often it was rolled again
    die: str = ""  # what is thrown: `d6`, or the name of a declared die
    before: Value = None  # of a die rolled again the face it showed before
    origin: int | None = None  # of a die that an explosion brought the position of the die that exploded
    part: Value = None  # what its part of the roll is called


@dataclass(frozen=True, slots=True)
class ValueRead:
    """A value read: the text as written (`attacker.morale`), the value and its type; of dice how they lay."""

    text: str
    value: Value
    type: Type
    dice: tuple[RolledDie, ...] = ()


@dataclass(frozen=True, slots=True)
class StateChange:
    """One change: of what (`Unit/health`, `Unit/gone`, `game/active`, `field/blocked`, a relation or a name)."""

    place: str  # what changed, as above; a name of the routine stands alone
    key: Value  # the thing's number, the cell, the pair, or none
    before: Value
    after: Value
    type: Type  # of both
    parts: tuple[str, ...] = ()  # which part of a record it is, outermost first, where a line wrote to one alone


@dataclass(frozen=True, slots=True)
class JudgedRow:
    """A row with its outcome."""

    id: str  # of the row
    address: str  # of the row
    title: str  # of the row
    cites: tuple[str, ...]  # of the row
    # `held`, `failed`, `taken`, `passed`, `not judged`; of a row of a tally `applied`, or `idle` where it changed
    # nothing; of a key of a rank `parted` where it told members apart, else `idle`; of a search for a pose, whose value
    # it then is, `found` or `not found`, which is no proof
    outcome: str
    value: Value = None  # the amount, the value taken or the running value, or none
    # of a row of a tally what it does with the amount: `plus`, `times`, `becomes`, `at least`, `at most`
    change: str = ""


@dataclass(frozen=True, slots=True)
class TraceEntry:
    """One event of a play."""

    # `step`, `passed over`, `line`, `test`, `loop`, `item`, `skipped`, `visited`, `call`, `return`, `handler`,
    # `handler ended`, `rule`, `rule ended`, `watch`, `ruling`, `need`, `always`, `answer`, `roll`, `window`,
    # `revealed`; inside others: `term`, `tally`, `decide`, `table`, `some`, `no`, `every`, `count` and so on
    sort: str
    address: str  # of the line or declaration
    cites: tuple[str, ...] = ()
    enclosing: tuple[str, ...] = ()  # addresses of the calls, handlers and rules around, outermost first
    title: str = ""  # of the step, rule, handler, requirement or ruling
    result: Value = None  # of a test, tally, decide, term, call; for an answer the answer
    type: Type | None = None  # of the result; none for a draw from nothing
    reads: tuple[ValueRead, ...] = ()  # what its own condition or value read, in order
    changes: tuple[StateChange, ...] = ()
    rows: tuple[JudgedRow, ...] = ()
    inner: tuple["TraceEntry", ...] = ()  # functions and quantifiers it read, once for equal arguments
    forced: bool = False  # an answer that was not asked for, because it was the only one
    legal: tuple[Value, ...] = ()  # the legal answers of a listed decision
    player: int | None = None  # who answered or rolled, by number
    dice: tuple[RolledDie, ...] = ()  # dice thrown; of a count of dice those that counted
    # of a count the members that counted; of `some`, `no` and `every` the member that settled it; of a handler or rule
    # the members it runs for
    members: tuple[Value, ...] = ()
    owners: tuple[ValueRead, ...] = ()  # values of variables whose attributes were read
    start: Value = None  # of a tally the value it starts from
    # for a forced answer every other member, with the reason against it
    excluded: tuple[tuple[Value, "RefusalReason"], ...] = ()
    withheld: str = ""  # what some players may not see: `answer`, `options`, `draw`, `workings`, or empty
    hidden: bool = False  # whether that is masked
    # the line, row or expression, for wording
    node: Any = field(default=None, compare=False, repr=False)
    # rolls at the end of its stretch
    rolls: tuple[Any, ...] = field(default=(), compare=False, repr=False)


YES_NO = (True, False)
CLAIMABLE_SORTS = frozenset({"pick", "split", "order", "place", "heading"})
"""Sorts of requests that may have no legal answer, so that a player may claim it."""
LISTED_ANSWERS: dict[str, tuple[Any, ...]] = {"whether": YES_NO, "turn": (), "one": (), "choose": ()}
"""Legal answers by the sort of a request; empty where the data of the request are the answers."""


CONDITION_SORTS = frozenset({"test", "need", "step", "reason", "term"})
"""Sorts of entries about conditions; their records begin with the values of variables whose attributes were read."""


@dataclasses.dataclass(slots=True)
class SourcePoint:
    """A place of the program where something is recorded or asked, known by its number in generated code."""

    number: int  # index in the executable's table
    sort: str  # as in `TraceEntry`
    address: str  # of the line, row or declaration
    cites: tuple[str, ...] = ()
    title: str = ""  # display title
    node: Any = None
    line: bool = False  # a line of a routine, not part of an expression
    routine: str = ""  # name of the routine around it, or empty
    type: Type | None = None  # of its result
    request_sort: str = ""  # sort of the request made here; empty for none, or if its data say it
    # policies for a question by player id: a word, and the function that judges an answer, or empty
    policies: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    # texts and types of recorded reads, in order
    reads: list[tuple[str, Type]] = field(default_factory=list)
    # likewise of variables whose attributes are read, recorded before the reads
    owners: list[tuple[str, Type]] = field(default_factory=list)


def append_source_point(sites: list[SourcePoint], sort: str, node: Any, **more: Any) -> SourcePoint:
    """A new source point behind others, for a line, row or declaration with an address."""
    title = more.pop("title", getattr(node, "title", "") or "")
    address = more.pop("address", getattr(node, "address", getattr(node, "name", "")))
    cites = more.pop("cites", getattr(node, "cites", ()))
    site = SourcePoint(len(sites), sort, address, cites, title, node, **more)
    sites.append(site)
    return site


@dataclasses.dataclass(frozen=True)
class ValueProbes:
    """Listener to values of marked expressions as they are computed; without other effect."""

    # of expressions by identity; the program must stay alive
    numbers: Mapping[int, int] = field(default_factory=dict)
    # called with number and value whenever one is computed, also in discarded records
    listener: Callable[[int, Any], None] = lambda _number, _value: None

    def report_value(self, number: int, value: Any) -> Any:
        self.listener(number, value)
        return value


NO_PROBES = ValueProbes()
