"""Which of many differing plays are shown, each told: the sessions of both revisions up to where they part."""

from collections.abc import Iterable, Mapping, Sequence

from rulewright.comparing.playing.data import Side, Subject, Witness
from rulewright.comparing.playing.finding import Found, standing
from rulewright.comparing.playing.moments import session_of
from rulewright.comparing.playing.searching import key
from rulewright.comparing.playing.side_by_side import Played
from rulewright.drivers.session import Session
from rulewright.inputs.nodes import Json
from rulewright.inputs.save import Answered
from rulewright.inputs.state_json import state_json
from rulewright.machine.executable import Executable
from rulewright.machine.request import Ended, Faulted, Refused
from rulewright.machine.run import Paused
from rulewright.scenarios.recording import differing

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


def chosen(found: Iterable[Found], most: int) -> tuple[Found, ...]:
    """At most so many, one of each kind of difference.

    First one for each changed place that is seen alone, then other kinds; among equals the smallest.
    """
    best: dict[object, Found] = {}
    for each in found:
        known = best.get(key(each))
        if known is None or each.size < known.size:
            best[key(each)] = each
    return tuple(_spread(list(best.values()), most))


def _spread(every: list[Found], most: int) -> Sequence[Found]:
    taken: list[Found] = []
    seen: set[object] = set()
    while every and len(taken) < most:
        every.sort(key=lambda each: (_known(each, seen), _touched(each), each.size, repr(each.starts)))
        first = every.pop(0)
        taken.append(first)
        seen |= {first.sort, first.addresses, first.touched}
    return taken


def _known(each: Found, seen: set[object]) -> tuple[bool, bool, bool]:
    """Whether something like it is shown already: of these places, of this sort, parting there."""
    return each.touched in seen, each.sort in seen, each.addresses in seen


def _touched(each: Found) -> int:
    return len(each.touched[0]) + len(each.touched[1])
