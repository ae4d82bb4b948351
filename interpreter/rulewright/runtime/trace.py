"""What happened, line by line (manual, Trace)."""

from dataclasses import field
from typing import TYPE_CHECKING, Any

from rulewright.base.frozen import dataclass
from rulewright.program.types import Type
from rulewright.runtime.values import Value

if TYPE_CHECKING:
    from rulewright.runtime.request import RefusalReason

BEGIN_SORTS = frozenset({"call", "handler", "rule"})
END_SORTS = frozenset({"return", "handler ended", "rule ended"})
"""The sorts of entries with which routines begin and end."""


@dataclass(frozen=True, slots=True)
class RolledDie:
    """One die: its first face, its face now, whether kept, how often rolled again."""

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
    """A value read: the text as written (`attacker.morale`), the value and its type; of dice how they lie."""

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
    """A row as it went."""

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
    """One thing that happened."""

    # `step`, `passed over`, `line`, `test`, `loop`, `item`, `skipped`, `visited`, `call`, `return`, `handler`,
    # `handler ended`, `rule`, `rule ended`, `watch`, `ruling`, `need`, `always`, `answer`, `roll`, `window`,
    # `revealed`; inside others: `term`, `tally`, `decide`, `table`, `some`, `no`, `every`, `count` and so on
    sort: str
    address: str  # of the line or declaration
    cites: tuple[str, ...] = ()  # whole clause ids
    enclosing: tuple[str, ...] = ()  # addresses of the calls, handlers and rules around, outermost first
    title: str = ""  # of the step, rule, handler, requirement or ruling
    result: Value = None  # of a test, tally, decide, term, call; for an answer the answer
    type: Type | None = None  # of the result; of a draw from where nothing was left none
    reads: tuple[ValueRead, ...] = ()  # what its own condition or value read, in order
    changes: tuple[StateChange, ...] = ()  # what it changed
    rows: tuple[JudgedRow, ...] = ()  # rows judged
    inner: tuple[
        "TraceEntry", ...
    ] = ()  # terms, tallies, tables and quantifiers it read, each once for equal arguments
    forced: bool = False  # an answer that was not asked for, because it was the only one
    legal: tuple[Value, ...] = ()  # the legal answers of a listed decision
    player: int | None = None  # who answered or rolled, by number
    dice: tuple[RolledDie, ...] = ()  # dice thrown; of a count of dice those that counted
    # of a count the members that counted; of `some`, `no` and `every` the member that settled it; of a handler or rule
    # the members it runs for
    members: tuple[Value, ...] = ()
    owners: tuple[ValueRead, ...] = ()  # what the names held of whose attributes something was read
    start: Value = None  # of a tally the value it starts from
    # of an answer that was not asked for every other member, with the reason why it cannot be taken
    excluded: tuple[tuple[Value, "RefusalReason"], ...] = ()
    withheld: str = ""  # what of it some players may not see: `answer`, `options`, `draw`, `workings`, or nothing
    hidden: bool = False  # whether that was taken out, for the view of one of them
    # the line, row or expression itself, for those who put it into words
    node: Any = field(default=None, compare=False, repr=False)
    # the dice at the end of the stretch of play it belongs to
    rolls: tuple[Any, ...] = field(default=(), compare=False, repr=False)
