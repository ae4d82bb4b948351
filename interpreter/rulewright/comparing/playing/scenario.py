"""A witness as a scenario of the old revision, played to its end, which the new one does not pass."""

from collections.abc import Sequence
from itertools import islice
from typing import Any

from rulewright.comparing.playing.data import Witness
from rulewright.comparing.playing.elsewhere import made
from rulewright.comparing.playing.opening import lacks
from rulewright.comparing.playing.questions import ELSEWHERE
from rulewright.comparing.playing.tape import Plain
from rulewright.drivers.session import Session
from rulewright.drivers.sources import Given
from rulewright.files import Provider
from rulewright.inputs.answers import answer_json, read_answer
from rulewright.inputs.names import Names
from rulewright.inputs.nodes import Json, unplaced
from rulewright.inputs.state_json import state_json
from rulewright.machine.compile import compile_program
from rulewright.machine.request import CHANCE, Ended, Refused, Request
from rulewright.machine.run import Paused
from rulewright.program.declarations import Program
from rulewright.scenarios.playing import play_under
from rulewright.scenarios.reading import read_suite
from rulewright.scenarios.recording import recording
from rulewright.scenarios.ruled import Ruled
from rulewright.situations.values import NoValueError
from rulewright.source import Text

_LONGEST = 200


def finished(session: Session) -> Session | None:
    """The session at its end; none where no answer is found, or the end is far."""
    for number in range(_LONGEST):
        if not isinstance(session.outcome, Paused):
            return session
        answer = _plainest(session.outcome.request, session, number)
        after = None if answer is None else session.answered(Given(answer[0], "person"), session.sources)
        if after is None or isinstance(after, Refused):
            return None
        session = after
    return None


def _plainest(request: Request, session: Session, number: int) -> tuple[Any] | None:
    """The first answer, of dice one further each time so that no tie lasts; in a tuple, none where there is none."""
    question = request.question
    assert question is not None
    if request.sort in CHANCE:
        return (question.outcome(number % question.outcomes),)
    if request.sort in ELSEWHERE:
        return _elsewhere(request, session)
    found = tuple(islice(question.answers(), 1))
    return (found[0],) if found else None


def _elsewhere(request: Request, session: Session) -> tuple[Any] | None:
    try:
        written = made(request, session.begun.names, Plain())
    except NoValueError:
        return None
    found = read_answer(request, unplaced(written), session.begun.names)
    return None if found.diagnostics else (found.value,)


def scenario_of(witness: Witness, ruleset: str, overlays: Sequence[str], file: str, provider: Provider) -> str | None:
    """The text of a scenario file that should pass under the old revision and fail under the new one.

    The old play is brought to its end with plain answers. What the new revision does otherwise is among what is
    expected: who is asked and what is offered are written down where that is the difference. There is none where the
    old play comes to no end or lacks an argument, or where only the faces of dice differ and the new revision has more
    of them.

    Args:
        witness: where the revisions part.
        ruleset: the old ruleset, as its user names it.
        overlays: files that amend it.
        file: where the scenario will stand.
        provider: for the way from there to the ruleset.
    """
    session = finished(witness.old.session)
    if session is None or _is_more_faces(witness) or lacks(session.begun.procedure, witness.old.roles):
        return None
    old = witness.old
    return recording(session, ruleset, overlays, file, provider, old.state, _parting(witness, session), old.roles)


def tells_apart(text: str, file: str, old: Program, new: Program, provider: Provider) -> bool:
    """Whether a scenario just played passes under the old revision, and can be played under the new one but fails."""
    suite = read_suite(Text(file, text), provider, {})
    if suite.value is None:
        return False
    (case,) = suite.value.cases
    was, now = (play_under(case, Ruled(compile_program(each, traced=True), frozenset())) for each in (old, new))
    return was is not None and was.outcome == "passed" and now is not None and now.outcome != "passed"


def _is_more_faces(witness: Witness) -> bool:
    old, new = witness.old.session.outcome, witness.new.session.outcome
    if witness.sort != "dice" or not isinstance(old, Paused) or not isinstance(new, Paused):
        return False
    counts = [[each.count for each in one.request.dice] for one in (old, new)]
    return counts[0] == counts[1]


def _parting(witness: Witness, whole: Session) -> dict[str, Json]:
    """What is expected of the question at which they part; nothing where the rest of the whole play tells enough."""
    outcome = witness.old.session.outcome
    if witness.sort == "start" and isinstance(outcome, Ended):
        program = witness.old.session.begun.executable.program
        return {"state": state_json(outcome.state.situation(), program)}
    if not isinstance(outcome, Paused):
        return {}
    request = outcome.request
    same = [each.request for each in whole.turns if each.request.address == request.address]
    if witness.sort == "asked":
        names = witness.old.session.begun.names
        if len({each.player for each in same}) == 1 and request.player is not None:
            return {"asked_of": {request.address: names.thing("player", request.player)}}
        return {"asked": [_question(each.request, names) for each in whole.turns]}
    if witness.sort == "options" and request.choices and same[0] is request:
        return {"offered": {request.address: _offered(request, witness)}}
    return {}


def _question(request: Request, names: Names) -> Json:
    who = None if request.player is None else names.thing("player", request.player)
    return {"at": request.address, "by": who}


def _offered(request: Request, witness: Witness) -> list[Json]:
    names = witness.old.session.begun.names
    return [answer_json(request, each.value, names) for each in request.choices if each.reason is None]
