"""The flow graph of routines that run in frames: basic blocks of plain lines, each with one exit.

A frame is a list: four slots that every frame has, then the variables of the routine by index, then the slots of loops
and jumps. The slots of the engine's own frames are declared in `event_engine`.
"""

from typing import Literal

from rulewright.base.frozen import dataclass
from rulewright.program import statements as st
from rulewright.program.declarations import Hold, Need, Step, Watch
from rulewright.program.expressions import Expression

FRAME_BLOCK = 0
"""Slot of the number of the block to continue at; set before anything outside the block runs."""
FRAME_ROUTINE = 1
"""Slot of the number of the routine's graph; below 0 for frames of the engine."""
FRAME_SITE = 2
"""Slot of the site of the calling line."""
FRAME_RESULT_SLOT = 3
"""Slot of the number of the caller's slot for the result; 0 for none."""
FIRST_SLOT = 4
"""First slot that differs from routine to routine: that of the variable with the index 0."""


# Items of blocks beside plain statements.


@dataclass(frozen=True, slots=True)
class UnsettlingChange:
    """A changing line after which the exit of the block settles."""

    line: st.Statement


@dataclass(frozen=True, slots=True)
class LoopStart:
    """Stores the members of a loop, the position 0 and the members already gone in three slots."""

    line: st.ForEach
    slot: int


@dataclass(frozen=True, slots=True)
class RepeatStart:
    """Stores the bound of a loop and the count 0 in two slots."""

    line: st.Repeat
    slot: int


@dataclass(frozen=True, slots=True)
class TogetherStart:
    """Suspends settling."""

    line: st.Together


@dataclass(frozen=True, slots=True)
class RankStart:
    """Stores the members of a rank in a slot, all tied."""

    line: st.Rank
    slot: int


@dataclass(frozen=True, slots=True)
class AskAllStart:
    """Stores the players asked at once and the position 0 in two slots, and an empty map in the variable."""

    line: st.AskAll
    slot: int


@dataclass(frozen=True, slots=True)
class RankSort:
    """Judges a plain key of a rank."""

    line: st.Rank
    position: int
    slot: int


@dataclass(frozen=True, slots=True)
class RankEnd:
    """Sets the variable of a rank."""

    line: st.Rank
    slot: int


@dataclass(frozen=True, slots=True)
class StoreOneAnswer:
    """Adds one player's answer to those of all, hidden."""

    line: st.AskAll


@dataclass(frozen=True, slots=True)
class RevealAnswers:
    """All answers are in."""

    line: st.AskAll


BlockItem = (
    st.Statement
    | UnsettlingChange
    | LoopStart
    | RepeatStart
    | TogetherStart
    | AskAllStart
    | StoreOneAnswer
    | RevealAnswers
    | RankStart
    | RankSort
    | RankEnd
    | Need
    | Hold
    | Watch
)


# Exits.


@dataclass(frozen=True, slots=True)
class Goto:
    """Continues at a block."""

    block: int


@dataclass(frozen=True, slots=True)
class BranchExit:
    """The first branch whose condition holds."""

    line: st.If
    blocks: tuple[int, ...]
    otherwise: int


@dataclass(frozen=True, slots=True)
class MatchExit:
    """The case of a value."""

    line: st.Match
    blocks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class EnterStep:
    """Enters a step, or skips it."""

    step: Step
    enter: int
    skip: int


@dataclass(frozen=True, slots=True)
class NextLoopMember:
    """The next member of a loop, or its end."""

    line: st.ForEach
    slot: int
    body: int
    after: int


@dataclass(frozen=True, slots=True)
class NextAskedPlayer:
    """The next of the players asked at once, or the end of the question."""

    line: st.AskAll
    slot: int
    body: int
    after: int


@dataclass(frozen=True, slots=True)
class NextRepeatRound:
    """The next round of a loop, or its end."""

    line: st.Repeat
    slot: int
    body: int
    after: int
    head: int


@dataclass(frozen=True, slots=True)
class TryAmount:
    """Adds or takes a number if there is room, else branches."""

    line: st.AddAmount
    then: int
    otherwise: int


@dataclass(frozen=True, slots=True)
class SettleExit:
    """Fires standing rules, then continues."""

    then: int
    closes: st.Together | None = None


@dataclass(frozen=True, slots=True)
class AskDecision:
    """A decision: forced, impossible, or asked and resumed at a block that ends in `TakeDecision`."""

    line: st.Ask
    resume: int
    then: int
    otherwise: int
    options: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class TakeDecision:
    """Resumes with an answer."""

    question: AskDecision


@dataclass(frozen=True, slots=True)
class RequestChance:
    """Dice, a draw or a shuffle, resumed at a block that ends in `TakeChance`."""

    line: st.Roll | st.Reroll | st.Draw | st.Shuffle
    resume: int
    then: int
    otherwise: int


@dataclass(frozen=True, slots=True)
class TakeChance:
    """Resumes with a result of chance."""

    chance: RequestChance


@dataclass(frozen=True, slots=True)
class RankKeyExit:
    """A key of a rank that rolls or asks, and where it continues."""

    line: st.Rank
    position: int
    slot: int
    resume: int
    then: int

    @property
    def key(self) -> st.RankKey:
        return self.line.keys[self.position]


@dataclass(frozen=True, slots=True)
class RollForRank(RankKeyExit):
    """Dice of a rank for tied members, resumed at a block that ends in `TakeRankRoll`."""


@dataclass(frozen=True, slots=True)
class TakeRankRoll:
    """Resumes with the dice of a rank, then rolls again for those still tied."""

    throw: RollForRank
    again: int


@dataclass(frozen=True, slots=True)
class AskRankRow(RankKeyExit):
    """Asks the owner of the next row of a rank for its order, resumed at a block that ends in `TakeRankRow`."""


@dataclass(frozen=True, slots=True)
class TakeRankRow:
    """Resumes with the order of a row, then asks for the next."""

    asked: AskRankRow
    again: int


@dataclass(frozen=True, slots=True)
class CallRoutine:
    """Calls a routine that runs in a frame."""

    line: st.Perform
    then: int


@dataclass(frozen=True, slots=True)
class AskExternal:
    """Asks for the result of an external procedure, resumed at a block that ends in `TakeExternalResult`."""

    line: st.PerformExternal
    resume: int
    then: int


@dataclass(frozen=True, slots=True)
class TakeExternalResult:
    """Resumes with the result of an external procedure."""

    elsewhere: AskExternal


@dataclass(frozen=True, slots=True)
class OpenWindow:
    """Triggers an event, by a line of its own or by a removal."""

    line: st.Trigger | st.Remove
    then: int


@dataclass(frozen=True, slots=True)
class JumpExit:
    """`proceed`, with a slot for its round count, and `stop`."""

    line: st.Proceed | st.Stop
    block: int
    slot: int | None


@dataclass(frozen=True, slots=True)
class LeaveRoutine:
    """Ends the call; the line is none at the end of the text."""

    line: st.Finish | None


@dataclass(frozen=True, slots=True)
class UnwindCalls:
    """Ends an outer call."""

    line: st.FinishOuter


BlockExit = (
    Goto
    | BranchExit
    | MatchExit
    | EnterStep
    | NextLoopMember
    | NextAskedPlayer
    | NextRepeatRound
    | TryAmount
    | SettleExit
    | AskDecision
    | TakeDecision
    | RequestChance
    | TakeChance
    | RollForRank
    | TakeRankRoll
    | AskRankRow
    | TakeRankRow
    | CallRoutine
    | AskExternal
    | TakeExternalResult
    | OpenWindow
    | JumpExit
    | LeaveRoutine
    | UnwindCalls
)


@dataclass(frozen=True, slots=True)
class BasicBlock:
    """Plain lines, then one exit; `entered` if something outside the flow of the routine continues here."""

    items: tuple[BlockItem, ...]
    exit: BlockExit
    entered: bool


@dataclass(frozen=True, slots=True)
class FlowGraph:
    """The graph of one routine; block 0 is the entry."""

    key: str  # `sort:name`, for a performed range followed by its steps
    sort: Literal["procedure", "handler", "rule"]
    name: str  # of the declaration
    blocks: tuple[BasicBlock, ...]  # by number
    slots: int
    cursors: tuple[tuple[int, Expression], ...]  # slots of loop members with the loop's source, for renumbering dice
