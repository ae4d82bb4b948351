"""What people at a table ask while they play: why a step or question was come to or not, why not an answer."""

from collections.abc import Container, Iterator

from rulewright.codecs.table import show
from rulewright.diagnostics.terminal import PLAIN, Paint, visible
from rulewright.drivers.questions import Question as AtTable
from rulewright.drivers.session import Session
from rulewright.drivers.story import Origin, Story
from rulewright.inputs.answers import answer_type
from rulewright.inputs.findings import one_of
from rulewright.inputs.names import Names
from rulewright.inquiry.chain import Tracing
from rulewright.inquiry.steps import Met, StepSubject, steps_called
from rulewright.machine.request import Choice, Request
from rulewright.machine.run import Paused
from rulewright.program import statements as st
from rulewright.roles import nodes
from rulewright.telling.happenings import last, reason


def told(session: Session, wanted: str, paint: Paint) -> Iterator[str]:
    """The answer to `why …`, as lines; the session is that which those who ask may see.

    Wanted is a step, or what a question is called; after `not` an answer to the question that is asked, too.
    """
    if wanted == "not" or wanted.startswith("not "):
        yield from _why_not(session, wanted.removeprefix("not").strip(), paint)
        return
    yield from _why_step(session, wanted, paint) or _why_question(session, wanted, paint) or _unknown(wanted)


def told_of(session: Session, origin: Origin, paint: Paint) -> Iterator[str]:
    """What led to a line of a play's story, as lines: the happenings that it came from and hung on, and itself."""
    later = range(origin.entry, len(session.entries))
    own = next((at for at in later if session.entries[at].address == origin.address), None)
    if own is None:
        yield "nothing that happened led to this line"
    else:
        yield from _story(session, Tracing(session).back_from([own]), paint)


def _unknown(wanted: str) -> Iterator[str]:
    tells = "`why STEP` tells why it was entered or skipped, `why not ANSWER` why it is not possible"
    yield f"`{visible(wanted)}` is not a step or a question; {tells}"


def _why_step(session: Session, wanted: str, paint: Paint) -> list[str]:
    """Why a step was entered, skipped or not reached; nothing where none is called so."""
    begun = session.begun
    meant = steps_called(wanted, begun.executable.program, begun.procedure.name)
    if len(meant) > 1:
        return [f"`{visible(wanted)}` stands for several steps: write {one_of(meant)}"]
    return [line for each in meant for line in _of_step(StepSubject(wanted, each, begun.executable), session, paint)]


def _of_step(step: StepSubject, session: Session, paint: Paint) -> Iterator[str]:
    value = step.value(session)
    shown = "not reached yet" if value is Met.NEVER and _goes_on(session) else step.shown(value, session.begun.names)
    yield f"{visible(step.text)}: {shown}"
    yield from _story(session, step.why(Tracing(session)), paint)


def _why_question(session: Session, wanted: str, paint: Paint) -> list[str]:
    """Why a question was asked, and how it was answered, or why it was not; nothing where none is called so."""
    program, tracing = session.begun.executable.program, Tracing(session)
    procedures = [session.begun.procedure, *program.procedures.values()]
    inside = [
        step.address
        for each in procedures
        for step in each.steps
        if any(isinstance(line, st.Ask) and line.variable.name == wanted for line in nodes(step))
    ]
    met = [at for at, each in enumerate(session.entries) if each.sort == "answer" and last(each.address) == wanted]
    if met:
        how = "one answer was possible" if session.entries[met[-1]].forced else "answered"
        return [f"{visible(wanted)}: {how}", *_story(session, tracing.back_from(met[-1:]), paint)]
    request = session.outcome.request if isinstance(session.outcome, Paused) else None
    if request is not None and last(request.address) == wanted:
        return [f"{visible(wanted)}: asked now"]
    if not inside:
        return []
    own = [at for at, each in enumerate(session.entries) if f"{each.address}/".startswith(f"{inside[0]}/")]
    led = tracing.back_from(own[-1:]) if own else StepSubject(wanted, inside[0], session.begun.executable).why(tracing)
    how = "not asked yet" if _goes_on(session) else "never asked"
    return [f"{visible(wanted)}: {how}", *_story(session, led, paint)]


def _story(session: Session, positions: Container[int], paint: Paint) -> Iterator[str]:
    story = Story(session.begun.names, "decisive", paint, unmet=True)
    return (f"  {line}" for line in story.lines_of(session, positions) if line)


def _goes_on(session: Session) -> bool:
    return isinstance(session.outcome, Paused)


def _why_not(session: Session, wanted: str, paint: Paint) -> Iterator[str]:
    """Why an answer to the question that is asked is not possible; of a step or question of the play why it was not."""
    paused = session.outcome if isinstance(session.outcome, Paused) else None
    names = session.begun.names
    choices = () if paused is None else paused.request.choices
    if paused is not None and wanted in {"", last(paused.request.address)}:
        impossible = [each for each in choices if each.reason is not None]
        yield from (_impossible(each, paused.request, names) for each in impossible)
        if not impossible:
            yield "every answer to this question is possible"
        return
    meant = []
    if paused is not None:
        meant = [each for each in choices if wanted in {_shown(each, paused.request, names), visible(each.title)}]
    asks = meant or (wanted.isdigit() and paused is not None)
    told = [] if asks else [*_why_step(session, wanted, paint)] or _why_question(session, wanted, paint)
    if told:
        yield from told
    elif paused is None:
        yield "the play is over, and no question is waiting"
    elif meant and meant[0].reason is not None:
        yield _impossible(meant[0], paused.request, names)
    else:
        _, refused = (None, ()) if meant else AtTable(paused, names, PLAIN).read(wanted)
        yield from refused or (f"`{visible(wanted)}` is possible",)


def _impossible(choice: Choice, request: Request, names: Names) -> str:
    assert choice.reason is not None
    return f"{_shown(choice, request, names)} is not possible: {reason(choice.reason, names)}"


def _shown(choice: Choice, request: Request, names: Names) -> str:
    return show(choice.value, answer_type(request), names)
