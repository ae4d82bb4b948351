"""The control flow graph of a routine that runs in frames: basic blocks of core statements, each with one exit.

A frame is a list: the slots that every frame has (`frame_slots`), then the names of the routine by index, then the
temporaries that outlive a block, and what loops keep. The slots of the engine's own frames are declared in
`event_engine`.
"""

from collections.abc import Mapping

from rulewright.base.frozen import dataclass
from rulewright.program.core import forms as core

# Items of blocks beside statements that never stop and never lead out.


@dataclass(frozen=True, slots=True)
class LoopStart:
    """Stores the members of a loop and the position 0 in two slots."""

    loop: core.For
    slot: int


@dataclass(frozen=True, slots=True)
class RoundsStart:
    """Stores the bound of a loop and the count 0 in two slots."""

    loop: core.Loop
    slot: int


@dataclass(frozen=True, slots=True)
class QuietStart:
    """Suspends settling."""

    quiet: core.Quiet


@dataclass(frozen=True, slots=True)
class WatchNotice:
    """Tells the watches of running calls of an event, before its window opens; a notice of its parameters."""

    event: str
    parameters: tuple[core.Local, ...]


BlockItem = core.Statement | LoopStart | RoundsStart | QuietStart | WatchNotice


# Exits.


@dataclass(frozen=True, slots=True)
class Goto:
    """Continues at a block."""

    block: int


@dataclass(frozen=True, slots=True)
class Branch:
    """One of two blocks."""

    statement: core.If
    then: int
    other: int


@dataclass(frozen=True, slots=True)
class EnterStep:
    """Enters a step, or skips it."""

    step: core.Step
    enter: int
    skip: int


@dataclass(frozen=True, slots=True)
class NextMember:
    """The next member of a loop that it does not pass over, or its end."""

    loop: core.For
    slot: int
    body: int
    after: int


@dataclass(frozen=True, slots=True)
class NextRound:
    """The next round of a loop with a bound, or its end."""

    loop: core.Loop
    slot: int
    body: int
    after: int
    head: int


@dataclass(frozen=True, slots=True)
class SettleExit:
    """Fires standing rules, then continues."""

    statement: core.Settle
    then: int


@dataclass(frozen=True, slots=True)
class QuietEnd:
    """Ends a `Quiet`; one that held back removals opens their windows and settles."""

    quiet: core.Quiet
    then: int


@dataclass(frozen=True, slots=True)
class AskDecision:
    """A decision: forced, impossible, or asked and resumed at a block that ends in `TakeDecision`."""

    statement: core.Ask
    resume: int
    then: int
    none: int


@dataclass(frozen=True, slots=True)
class TakeDecision:
    """Resumes with an answer."""

    question: AskDecision


@dataclass(frozen=True, slots=True)
class RequestChance:
    """Dice, a draw or a shuffle, resumed at a block that ends in `TakeChance`."""

    statement: core.Roll | core.Reroll | core.Draw | core.Shuffle
    resume: int
    then: int


@dataclass(frozen=True, slots=True)
class TakeChance:
    """Resumes with a result of chance."""

    chance: RequestChance


@dataclass(frozen=True, slots=True)
class CallRoutine:
    """Calls a routine that runs in a frame."""

    statement: core.Call
    then: int


@dataclass(frozen=True, slots=True)
class AskExternal:
    """Asks for the result of an external procedure, resumed at a block that ends in `TakeExternalResult`."""

    statement: core.External
    resume: int
    then: int


@dataclass(frozen=True, slots=True)
class TakeExternalResult:
    """Resumes with the result of an external procedure."""

    elsewhere: AskExternal


@dataclass(frozen=True, slots=True)
class OpenWindow:
    """Triggers an event that has handlers."""

    statement: core.Trigger
    then: int


@dataclass(frozen=True, slots=True)
class JumpExit:
    """Goes on at a step, with a slot for the count of jumps if it has a bound."""

    statement: core.Jump
    block: int
    slot: int | None


@dataclass(frozen=True, slots=True)
class LeaveLoop:
    """Goes on behind a loop, or with its next round."""

    statement: core.Leave
    block: int


@dataclass(frozen=True, slots=True)
class LeaveRoutine:
    """Ends the call; the statement is none at the end of the text."""

    statement: core.Return | None


@dataclass(frozen=True, slots=True)
class UnwindCalls:
    """Ends an outer call."""

    statement: core.Unwind


BlockExit = (
    Goto
    | Branch
    | EnterStep
    | NextMember
    | NextRound
    | SettleExit
    | QuietEnd
    | AskDecision
    | TakeDecision
    | RequestChance
    | TakeChance
    | CallRoutine
    | AskExternal
    | TakeExternalResult
    | OpenWindow
    | JumpExit
    | LeaveLoop
    | LeaveRoutine
    | UnwindCalls
)


def list_successors(exit_: BlockExit) -> tuple[int, ...]:
    """Blocks of the same routine that an exit may lead to; what resumes a request leads on as its answer does."""
    match exit_:
        case Branch(then=then, other=other):
            return then, other
        case EnterStep(enter=enter, skip=skip):
            return enter, skip
        case NextMember(body=body, after=after) | NextRound(body=body, after=after):
            return body, after
        case AskDecision(resume=resume, then=then, none=none):
            return resume, then, none
        case RequestChance(resume=resume, then=then) | AskExternal(resume=resume, then=then):
            return resume, then
        case (
            SettleExit(then=then) | QuietEnd(then=then) | CallRoutine(then=then) | OpenWindow(then=then)
            | TakeDecision(AskDecision(then=then)) | TakeChance(RequestChance(then=then))
            | TakeExternalResult(AskExternal(then=then)) | Goto(then) | JumpExit(block=then) | LeaveLoop(block=then)
        ):  # fmt: skip
            return (then,)
        case LeaveRoutine() | UnwindCalls():
            return ()


@dataclass(frozen=True, slots=True)
class BasicBlock:
    """Statements, then one exit; `entered` if something outside the flow of the routine continues here."""

    items: tuple[BlockItem, ...]
    exit: BlockExit
    entered: bool


@dataclass(frozen=True, slots=True)
class ControlFlowGraph:
    """The graph of one routine; block 0 is the entry."""

    routine: core.Routine
    blocks: tuple[BasicBlock, ...]  # by number
    slots: Mapping[int, int]  # slot of each name, and of each temporary that outlives a block, by index
    slot_types: Mapping[int, core.CoreType]  # type of what a slot of a name or a temporary holds
    slot_count: int
    cursors: Mapping[int, core.CoreType]  # slots with the members of a loop, with the type of a member
    quiet_blocks: frozenset[int]  # those in which nothing settles
