"""What people at a table ask while they play: why a step was entered, skipped or never come to, why not an answer."""

from collections.abc import Iterator

from rulewright.codecs.table import show
from rulewright.diagnostics.terminal import PLAIN, Paint, visible
from rulewright.drivers.session import Session
from rulewright.drivers.story import Story
from rulewright.inputs.answers import answer_type
from rulewright.inputs.names import Names
from rulewright.inquiry.chain import Tracing
from rulewright.inquiry.steps import StepSubject, steps_called
from rulewright.machine.request import Choice, Request
from rulewright.machine.run import Paused
from rulewright.telling.happenings import last, reason

_NOT = "not "


def told(session: Session, wanted: str, paint: Paint) -> Iterator[str]:
    """The answer to `why …`, as lines.

    Args:
        session: the play, as those who ask may see it.
        wanted: a step; or after `not` an answer to the question that is asked, or what the question is called.
        paint: colours.
    """
    if wanted.startswith(_NOT):
        yield from _why_not(session, wanted.removeprefix(_NOT).strip())
        return
    begun = session.begun
    meant = steps_called(wanted, begun.executable.program, begun.procedure.name)
    if len(meant) != 1:
        how = "stands for several steps" if meant else "is not a step"
        yield f"`{visible(wanted)}` {how}; `why STEP` tells why it was entered or skipped, `why not ANSWER` why not"
        return
    step = StepSubject(wanted, meant[0], begun.executable)
    yield f"{visible(wanted)}: {step.shown(step.value(session), begun.names)}"
    story = Story(begun.names, "decisive", paint, unmet=True)
    yield from (f"  {line}" for line in story.lines_of(session, step.why(Tracing(session))) if line)


def _why_not(session: Session, wanted: str) -> Iterator[str]:
    """Why an answer to the question that is asked is not possible, or what was not asked for want of another answer."""
    request = session.outcome.request if isinstance(session.outcome, Paused) else None
    names = session.begun.names
    choices = () if request is None else request.choices
    called = request is not None and wanted == last(request.address)
    meant = [each for each in choices if called or (request and wanted in _names_of(each, request, names))]
    impossible = [each for each in meant if each.reason is not None]
    for each in impossible:
        assert request is not None
        assert each.reason is not None
        yield f"{_shown(each, request, names)} is not possible: {reason(each.reason, names)}"
    forced = [at for at, each in enumerate(session.entries) if each.excluded and last(each.address) == wanted]
    if not meant and forced:
        yield from Story(names, "decisive", PLAIN).lines_of(session, forced[-1:])
    elif not impossible:
        yield f"`{visible(wanted)}` is possible" if meant else f"`{visible(wanted)}` is not an answer to what is asked"


def _names_of(choice: Choice, request: Request, names: Names) -> tuple[str, ...]:
    return (_shown(choice, request, names), visible(choice.title))


def _shown(choice: Choice, request: Request, names: Names) -> str:
    return show(choice.value, answer_type(request), names)
