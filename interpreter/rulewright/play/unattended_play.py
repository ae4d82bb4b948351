"""A play without people: sources answer everything or it stops; one that was saved is played again."""

from dataclasses import replace
from typing import Any

from rulewright.base.diagnostics import Diagnostic, Severity
from rulewright.base.frozen import dataclass
from rulewright.documents.answers import read_answer
from rulewright.documents.findings import ReadResult
from rulewright.documents.name_table import NameTable
from rulewright.documents.saved_sessions import RecordedAnswer, SavedSession
from rulewright.play.answer_sources import DECISION_SORTS, AnswerSourceChain, SourcedAnswer
from rulewright.play.session import PlayStart, Session, begin_inline, begin_session
from rulewright.program.walk import strip_address_numbers
from rulewright.runtime.pending_question import find_only_answer
from rulewright.runtime.request import CHANCE_SORTS, Ended, Refused, Request
from rulewright.runtime.run import Paused
from rulewright.runtime.state import encode
from rulewright.wording.entry_rendering import render_reason

UNANSWERED_CODE = "RW0746"
"""A request for which there is neither a script nor anything else that answers."""


@dataclass(frozen=True, slots=True)
class PlayResult:
    """How far a play came, and what was wrong with its inputs."""

    session: Session
    diagnostics: tuple[Diagnostic, ...] = ()


def run_to_end(begun: PlayStart, sources: AnswerSourceChain) -> PlayResult:
    """Plays to the end.

    Stops at a request nobody answers (RW0744, RW0746), an answer that does not fit (RW0730, RW0731, RW0745), and
    reports answers of the script that were left over (RW0743).
    """
    session = begin_inline(begun, sources)
    while isinstance(session.outcome, Paused):
        reply = session.ask_sources()
        if reply.answer is None:
            return PlayResult(
                session, reply.errors or (_make_unanswered_diagnostic(session.outcome.request, session.sources.policy),)
            )
        after = session.apply_answer(reply.answer, reply.remaining_sources)
        if isinstance(after, Refused):
            return PlayResult(session, (make_refusal_diagnostic(session.outcome.request, after, session.start.names),))
        session = after
    return PlayResult(session, report_unused_answers(session))


def report_unused_answers(session: Session) -> tuple[Diagnostic, ...]:
    """RW0743 for answers of the script that a play which came to its end never asked for."""
    script, outcome = session.sources.script, session.outcome
    if script is None or not script.lines or not isinstance(outcome, Ended):
        return ()
    turns = session.turns
    last = turns[-1].request.address if turns else ""
    return script.report_leftover(
        session.start.names, last, session.find_recent_forced_answers, session.find_all_forced_answers
    )


def make_refusal_diagnostic(request: Request, why: Refused, names: NameTable) -> Diagnostic:
    """RW0731: the rules refuse an answer."""
    reasons = "; ".join(render_reason(reason, names) for reason in why.reasons)
    return Diagnostic("RW0731", Severity.ERROR, f"this answer is not possible: {reasons}", address=request.address)


def _make_unanswered_diagnostic(request: Request, policy: str | None) -> Diagnostic:
    return Diagnostic(
        UNANSWERED_CODE,
        Severity.ERROR,
        f"there is no answer for `{request.prompt or request.address}`",
        help=_unanswered_remedy(request, policy),
        address=request.address,
    )


def _unanswered_remedy(request: Request, policy: str | None) -> str:
    if request.sort in DECISION_SORTS and policy is not None:
        return f"`--policy {policy}` looked for an answer and found none; give one in a script with `--script FILE`"
    if request.sort in DECISION_SORTS:
        policies = "`--policy first` or `--policy random`"
        return f"give a script with `--script FILE`, or let {policies} decide what players choose"
    return "give its result in a script with `--script FILE`, or play it with people: `rulewright play`"


def replay_save(begun: PlayStart, sources: AnswerSourceChain, save: SavedSession) -> ReadResult[Session]:
    """The session a save tells of, with what was seen before it was taken back.

    What answered itself where nobody had to be asked, as in `run_to_end`, is not an answer of the save. Reports RW0755 where
    its answers do not lead to its state.
    """
    read_result = _replay_answers(begun, sources, save, lacking=False)
    return (
        _replay_answers(begun, sources, save, lacking=True)
        if read_result.value is None and begun.limits.forced_sites
        else read_result
    )


def _replay_answers(
    begun: PlayStart, sources: AnswerSourceChain, save: SavedSession, *, lacking: bool
) -> ReadResult[Session]:
    session = _skip_forced_questions(begin_session(begun, sources), lacking=lacking)
    for number, answered in enumerate(save.answers):
        after = _apply_saved_answer(session, answered, seeded=save.seed is not None)
        if after is None:
            return ReadResult(
                None, (_make_save_mismatch(f"answer {number + 1} of the save, at `{answered.at}`, does not fit"),)
            )
        session = _skip_forced_questions(after, lacking=lacking)
    if save.state is not None and _comparable_state(session, lacking=lacking) != _drop_work_count(
        save.state, lacking=lacking
    ):
        return ReadResult(None, (_make_save_mismatch("the answers of the save do not lead to its state"),))
    return ReadResult(replace(session, sources=replace(session.sources, seen_answers=save.kept)))


def _comparable_state(session: Session, *, lacking: bool) -> Any:
    return None if session.state is None else _drop_work_count(encode(session.state), lacking=lacking)


def _drop_work_count(state: Any, *, lacking: bool) -> Any:
    """A state as it is written; without the work done where that is more, as more was put to people."""
    return {**state, "work": 0} if lacking else state


def _skip_forced_questions(session: Session, *, lacking: bool) -> Session:
    """The session past what is put to people alone, where the save does not hold it."""
    while (
        lacking
        and isinstance(session.outcome, Paused)
        and session.outcome.asked.site in session.start.limits.forced_sites
    ):
        only = find_only_answer(session.outcome.request)
        after = session.apply_answer(SourcedAnswer(only[0], "script"), session.sources) if only else None
        if not isinstance(after, Session):
            break
        session = after
    return session


def _apply_saved_answer(session: Session, answered: RecordedAnswer, *, seeded: bool) -> Session | None:
    paused = session.outcome
    if not isinstance(paused, Paused) or paused.request.address != strip_address_numbers(answered.at):
        return None
    unsaid = "dice" if seeded and paused.request.sort in CHANCE_SORTS else "person"
    read_result = read_answer(paused.request, answered.answer, session.start.names, paused)
    if read_result.diagnostics:
        return None
    after = session.apply_answer(SourcedAnswer(read_result.value, answered.source or unsaid), session.sources)
    return None if isinstance(after, Refused) else replace(after, sources=session.sources)


def _make_save_mismatch(message: str) -> Diagnostic:
    return Diagnostic("RW0755", Severity.ERROR, message, help="take an older save, or begin again")
