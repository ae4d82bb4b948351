"""A play without people: sources answer everything or it stops; one that was saved is played again."""

from dataclasses import replace
from typing import Any

from rulewright.diagnostics import Diagnostic, Severity
from rulewright.drivers.session import Begun, Session, begin, begin_at_once
from rulewright.drivers.sources import DECISIONS, Given, Sources
from rulewright.frozen import dataclass
from rulewright.inputs.answers import read_answer
from rulewright.inputs.findings import Read
from rulewright.inputs.names import Names
from rulewright.inputs.save import Answered, Save
from rulewright.machine.codec import encode
from rulewright.machine.question import alone
from rulewright.machine.request import CHANCE, Ended, Refused, Request
from rulewright.machine.run import Paused
from rulewright.program.walk import shared_address
from rulewright.telling.happenings import reason

UNANSWERED = "RW0746"
"""A request for which there is neither a script nor anything else that answers."""


@dataclass(frozen=True, slots=True)
class Played:
    """How far a play came, and what was wrong with its inputs."""

    session: Session
    diagnostics: tuple[Diagnostic, ...] = ()


def run(begun: Begun, sources: Sources) -> Played:
    """Plays to the end.

    Stops at a request nobody answers (RW0744, RW0746), an answer that does not fit (RW0730, RW0731, RW0745), and
    reports answers of the script that were left over (RW0743).
    """
    session = begin_at_once(begun, sources)
    while isinstance(session.outcome, Paused):
        reply = session.reply()
        if reply.given is None:
            return Played(session, reply.wrong or (_unanswered(session.outcome.request, session.sources.policy),))
        after = session.answered(reply.given, reply.rest)
        if isinstance(after, Refused):
            return Played(session, (refused(session.outcome.request, after, session.begun.names),))
        session = after
    return Played(session, leftover(session))


def leftover(session: Session) -> tuple[Diagnostic, ...]:
    """RW0743 for answers of the script that a play which came to its end never asked for."""
    script, outcome = session.sources.script, session.outcome
    if script is None or not script.lines or not isinstance(outcome, Ended):
        return ()
    turns = session.turns
    last = turns[-1].request.address if turns else ""
    return script.leftover(session.begun.names, last, session.by_itself_last, session.ever_by_itself)


def refused(request: Request, why: Refused, names: Names) -> Diagnostic:
    """RW0731: the rules refuse an answer."""
    reasons = "; ".join(reason(each, names) for each in why.reasons)
    return Diagnostic("RW0731", Severity.ERROR, f"this answer is not possible: {reasons}", address=request.address)


def _unanswered(request: Request, policy: str | None) -> Diagnostic:
    return Diagnostic(
        UNANSWERED,
        Severity.ERROR,
        f"there is no answer for `{request.prompt or request.address}`",
        help=_remedy(request, policy),
        address=request.address,
    )


def _remedy(request: Request, policy: str | None) -> str:
    if request.sort in DECISIONS and policy is not None:
        return f"`--policy {policy}` looked for an answer and found none; give one in a script with `--script FILE`"
    if request.sort in DECISIONS:
        policies = "`--policy first` or `--policy random`"
        return f"give a script with `--script FILE`, or let {policies} decide what players choose"
    return "give its result in a script with `--script FILE`, or play it with people: `rulewright play`"


def replay(begun: Begun, sources: Sources, save: Save) -> Read[Session]:
    """The session a save tells of, with what was seen before it was taken back.

    What answered itself where nobody had to be asked, as in `run`, is not an answer of the save. Reports RW0755 where
    its answers do not lead to its state.
    """
    found = _replayed(begun, sources, save, lacking=False)
    return _replayed(begun, sources, save, lacking=True) if found.value is None and begun.limits.put else found


def _replayed(begun: Begun, sources: Sources, save: Save, *, lacking: bool) -> Read[Session]:
    session = _on(begin(begun, sources), lacking=lacking)
    for number, answered in enumerate(save.answers):
        after = _answered(session, answered, seeded=save.seed is not None)
        if after is None:
            return Read(None, (_astray(f"answer {number + 1} of the save, at `{answered.at}`, does not fit"),))
        session = _on(after, lacking=lacking)
    if save.state is not None and _state(session, lacking=lacking) != _without_work(save.state, lacking=lacking):
        return Read(None, (_astray("the answers of the save do not lead to its state"),))
    return Read(replace(session, sources=replace(session.sources, kept=save.kept)))


def _state(session: Session, *, lacking: bool) -> Any:
    return None if session.state is None else _without_work(encode(session.state), lacking=lacking)


def _without_work(state: Any, *, lacking: bool) -> Any:
    """A state as it is written; without the work done where that is more, as more was put to people."""
    return {**state, "work": 0} if lacking else state


def _on(session: Session, *, lacking: bool) -> Session:
    """The session past what is put to people alone, where the save does not hold it."""
    while lacking and isinstance(session.outcome, Paused) and session.outcome.asked.site in session.begun.limits.put:
        only = alone(session.outcome.request)
        after = session.answered(Given(only[0], "script"), session.sources) if only else None
        if not isinstance(after, Session):
            break
        session = after
    return session


def _answered(session: Session, answered: Answered, *, seeded: bool) -> Session | None:
    paused = session.outcome
    if not isinstance(paused, Paused) or paused.request.address != shared_address(answered.at):
        return None
    unsaid = "dice" if seeded and paused.request.sort in CHANCE else "person"
    found = read_answer(paused.request, answered.answer, session.begun.names, paused)
    if found.diagnostics:
        return None
    after = session.answered(Given(found.value, answered.source or unsaid), session.sources)
    return None if isinstance(after, Refused) else replace(after, sources=session.sources)


def _astray(message: str) -> Diagnostic:
    return Diagnostic("RW0755", Severity.ERROR, message, help="take an older save, or begin again")
