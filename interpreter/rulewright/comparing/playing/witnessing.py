"""A play that differs, told: the sessions of both revisions up to where they part."""

from collections.abc import Mapping

from rulewright.comparing.playing.data import Side, Subject, Witness
from rulewright.comparing.playing.finding import Found, standing
from rulewright.comparing.playing.side_by_side import LIMITS, Played
from rulewright.drivers.chance import Chance
from rulewright.drivers.session import Begun, Session, Turn
from rulewright.drivers.sources import Given, Sources
from rulewright.inputs.names import Names
from rulewright.inputs.nodes import Json
from rulewright.inputs.save import Answered
from rulewright.inputs.state_json import state_json
from rulewright.machine.executable import Executable
from rulewright.machine.request import Ended, Faulted, Paused, Refused
from rulewright.machine.trace import Entry
from rulewright.scenarios.differing import differing

_OUTCOMES = {Paused: "asks", Ended: "ends", Refused: "refuses", Faulted: "faults"}


def witness(
    play: Played, data: Found, executables: tuple[Executable, Executable], subject: Subject | None = None
) -> Witness:
    """The witness a play is, with the edits it is about."""
    old, new = (_side(play, data, number, executables[number]) for number in (0, 1))
    return Witness(data.sort, old, new, _parted(old.session, new.session, play), data.touched, subject)


def _side(play: Played, data: Found, number: int, executable: Executable) -> Side:
    session = _session(play, number, executable)
    start = data.starts[number]
    return Side(
        procedure=session.begun.procedure.name,
        state=start.state,
        roles=start.roles,
        answers=tuple(Answered(*each) for each in session.answers()),
        outcome=_OUTCOMES[type(session.outcome)],
        address=standing(session.outcome) or _last(session),
        changes=_changes(session),
        session=session,
    )


def _session(play: Played, number: int, executable: Executable) -> Session:
    """The play of one revision as drivers have it."""
    opened = play.opened
    situation = opened.situations[number]
    begun = Begun(executable, opened.procedures[number], situation, opened.arguments[number], LIMITS)
    sources = Sources(Names(executable.program, situation.base), Chance(0))
    turns = tuple(Turn(each.paused[number], Given(each.given[number], "person"), sources) for each in play.turns)
    return Session(begun, play.outcomes[number], sources, turns)


def _last(session: Session) -> str:
    entries = session.entries
    return entries[-1].address if entries else ""


def _changes(session: Session) -> Mapping[str, Json]:
    state, begun = session.state, session.begun
    if state is None:
        return {}
    program = begun.executable.program
    return differing(state_json(begun.situation, program), state_json(state.situation(), program), program, begun.names)


def _parted(old: Session, new: Session, play: Played) -> int:
    """How many entries of the last stretch happened in both alike."""
    addresses = play.opened.common.ways.across.names.addresses
    count = 0
    for first, second in zip(old.outcome.entries, new.outcome.entries, strict=False):
        if not _alike(first, second, addresses):
            break
        count += 1
    return count


def _alike(first: Entry, second: Entry, addresses: Mapping[str, str]) -> bool:
    return (
        first.sort == second.sort
        and addresses.get(first.address, first.address) == second.address
        and first.result == second.result
        and [each.after for each in first.changes] == [each.after for each in second.changes]
        and [each.outcome for each in first.rows] == [each.outcome for each in second.rows]
    )
