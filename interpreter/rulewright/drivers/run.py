"""A play without people: the sources answer everything, or it stops."""

from rulewright.diagnostics import Diagnostic, Severity
from rulewright.drivers.policy import DECISIONS
from rulewright.drivers.session import Begun, Session, begin_at_once
from rulewright.drivers.sources import Sources
from rulewright.frozen import dataclass
from rulewright.inputs.names import Names
from rulewright.machine.request import Ended, Refused, Request
from rulewright.machine.run import Paused
from rulewright.telling.reasons import reason


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
        "RW0746",
        Severity.ERROR,
        f"nobody answers `{request.prompt or request.address}`",
        help=_remedy(request, policy),
        address=request.address,
    )


def _remedy(request: Request, policy: str | None) -> str:
    if request.sort in DECISIONS and policy is not None:
        return f"`--policy {policy}` looked for an answer and found none; give one in a script with `--script FILE`"
    if request.sort in DECISIONS:
        return "give a script with `--script FILE`, or let `--policy first` decide what players choose"
    return "give its result in a script with `--script FILE`, or play it with people: `rulewright play`"
