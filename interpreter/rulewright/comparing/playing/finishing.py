"""A play of one revision, brought to its end with the plainest answers."""

from itertools import islice
from typing import Any

from rulewright.comparing.playing.elsewhere import made
from rulewright.comparing.playing.questions import ELSEWHERE
from rulewright.comparing.playing.tape import Plain
from rulewright.comparing.playing.unplaced import unplaced
from rulewright.drivers.session import Session
from rulewright.drivers.sources import Given
from rulewright.inputs.answers import read_answer
from rulewright.inputs.script import CHANCE
from rulewright.machine.request import Paused, Refused, Request
from rulewright.situations.values import NoValueError

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
