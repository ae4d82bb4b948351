"""What happened, line by line (manual, Trace)."""

from dataclasses import field
from typing import TYPE_CHECKING, Any

from rulewright.frozen import dataclass
from rulewright.machine.values import Value
from rulewright.program.types import Type

if TYPE_CHECKING:
    from rulewright.machine.request import Reason


@dataclass(frozen=True, slots=True)
class DieThrown:
    """One die: its first face, its face now, whether kept, how often rolled again.

    Attributes:
        first: the face it fell on first.
        face: the face it shows.
        kept: whether it counts.
        rerolls: how often it was rolled again.
        die: what is thrown: `d6`, or the name of a declared die.
        before: of a die rolled again the face it showed before.
        origin: of a die that an explosion brought the position of the die that exploded.
        part: what its part of the roll is called.
    """

    first: Value
    face: Value
    kept: bool
    rerolls: int
    die: str = ""
    before: Value = None
    origin: int | None = None
    part: Value = None


@dataclass(frozen=True, slots=True)
class Reading:
    """A value read: the text as written (`attacker.morale`), the value and its type; of dice how they lie."""

    text: str
    value: Value
    type: Type
    dice: tuple[DieThrown, ...] = ()


@dataclass(frozen=True, slots=True)
class Change:
    """One change: what (`Unit/health`, `Unit/gone`, `game/active`, `field/blocked`, a relation, or a name), of which.

    Attributes:
        place: what changed, as above; a name of the routine stands alone.
        key: the thing's number, the cell, the pair, or none.
        before: value before.
        after: value after.
        type: of both.
    """

    place: str
    key: Value
    before: Value
    after: Value
    type: Type


@dataclass(frozen=True, slots=True)
class Judged:
    """A row as it went.

    Attributes:
        id: of the row.
        address: of the row.
        title: of the row.
        cites: of the row.
        outcome: `held`, `failed`, `taken`, `passed`, `not judged`; of a row of a tally `applied`, or `idle` where it
            changed nothing; of a key of a rank `parted` where it told members apart, else `idle`; of a search for a
            pose, whose value it then is, `found` or `not found`, which is no proof.
        value: the amount, the value taken or the running value, or none.
        change: of a row of a tally what it does with the amount: `plus`, `times`, `becomes`, `at least`, `at most`.
    """

    id: str
    address: str
    title: str
    cites: tuple[str, ...]
    outcome: str
    value: Value = None
    change: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that happened.

    Attributes:
        sort: `step`, `passed over`, `line`, `test`, `loop`, `item`, `skipped`, `call`, `return`, `handler`,
            `handler ended`, `rule`, `rule ended`, `watch`, `ruling`, `need`, `always`, `answer`, `roll`, `window`;
            `revealed`; inside others: `term`, `tally`, `decide`, `table`, `some`, `no`, `every`, `count` and so on.
        address: of the line or declaration.
        cites: whole clause ids.
        enclosing: addresses of the calls, handlers and rules around, outermost first.
        title: of the step, rule, handler, requirement or ruling.
        result: of a test, tally, decide, term, call; for an answer the answer.
        type: of the result; of a draw from where nothing was left none.
        reads: what its own condition or value read, in order.
        changes: what it changed.
        rows: rows judged.
        inner: terms, tallies, tables and quantifiers it read, each once for equal arguments.
        forced: an answer that was not asked for, because it was the only one.
        legal: the legal answers of a listed decision.
        player: who answered or rolled, by number.
        dice: dice thrown; of a count of dice those that counted.
        members: of a count the members that counted; of `some`, `no` and `every` the member that settled it; of a
            handler or rule the members it runs for.
        owners: what the names held of whose attributes something was read.
        start: of a tally the value it starts from.
        excluded: of an answer that was not asked for every other member, with the reason why it cannot be taken.
        node: the line, row or expression itself, for those who put it into words.
        rolls: the dice at the end of the stretch of play it belongs to.
        withheld: what of it some players may not see: `answer`, `options`, `draw`, `workings`, or nothing.
        hidden: whether that was taken out, for the view of one of them.
    """

    sort: str
    address: str
    cites: tuple[str, ...] = ()
    enclosing: tuple[str, ...] = ()
    title: str = ""
    result: Value = None
    type: Type | None = None
    reads: tuple[Reading, ...] = ()
    changes: tuple[Change, ...] = ()
    rows: tuple[Judged, ...] = ()
    inner: tuple["Entry", ...] = ()
    forced: bool = False
    legal: tuple[Value, ...] = ()
    player: int | None = None
    dice: tuple[DieThrown, ...] = ()
    members: tuple[Value, ...] = ()
    owners: tuple[Reading, ...] = ()
    start: Value = None
    excluded: tuple[tuple[Value, "Reason"], ...] = ()
    withheld: str = ""
    hidden: bool = False
    node: Any = field(default=None, compare=False, repr=False)
    rolls: tuple[Any, ...] = field(default=(), compare=False, repr=False)

    @property
    def decisive(self) -> bool:
        """Whether the path of the run hung on it: a test, a need, a guard, a choice of a row, an answer."""
        return self.sort in {"test", "need", "step", "passed over", "decide", "answer", "roll", "rule", "handler"}
