"""A play that differs, told: the sessions of both revisions up to where they part."""

from collections.abc import Mapping

from rulewright.comparing.playing.data import Side, Subject, Witness
from rulewright.comparing.playing.finding import Found, standing
from rulewright.comparing.playing.moments import session_of
from rulewright.comparing.playing.side_by_side import Played
from rulewright.drivers.session import Session
from rulewright.inputs.nodes import Json
from rulewright.inputs.save import Answered
from rulewright.inputs.state_json import state_json
from rulewright.machine.executable import Executable
from rulewright.machine.request import Ended, Faulted, Paused, Refused
from rulewright.scenarios.differing import differing

_OUTCOMES = {Paused: "asks", Ended: "ends", Refused: "refuses", Faulted: "faults"}


def witness(
    play: Played, data: Found, executables: tuple[Executable, Executable], subject: Subject | None = None
) -> Witness:
    """The witness a play is, with the edits it is about."""
    old, new = (_side(play, data, number, executables[number]) for number in (0, 1))
    return Witness(data.sort, old, new, play.opened.common.ways.across.names.addresses, data.touched, subject)


def _side(play: Played, data: Found, number: int, executable: Executable) -> Side:
    session = session_of(play, number, executable)
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


def _last(session: Session) -> str:
    entries = session.entries
    return entries[-1].address if entries else ""


def _changes(session: Session) -> Mapping[str, Json]:
    state, begun = session.state, session.begun
    if state is None:
        return {}
    program = begun.executable.program
    return differing(state_json(begun.situation, program), state_json(state.situation(), program), program, begun.names)
