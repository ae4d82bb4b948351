"""What people at a table ask while they play: why a step or question was come to or not, why not an answer."""

from collections.abc import Container, Iterator

from rulewright.base.diagnostics.terminal import PLAIN_PAINTER, Painter, make_visible
from rulewright.base.node_roles import walk_nodes
from rulewright.documents.answers import answer_type
from rulewright.documents.findings import list_alternatives
from rulewright.documents.name_table import NameTable
from rulewright.explain.dynamic_slice import DynamicSlice
from rulewright.explain.explained_subjects import StepStatus, StepSubject, find_steps
from rulewright.play.play_story import Story, StoryOrigin
from rulewright.play.player_prompts import PlayerPrompt as AtTable
from rulewright.play.session import Session
from rulewright.program import statements as st
from rulewright.runtime.codecs.type_codecs import format_value
from rulewright.runtime.request import AnswerChoice, Request
from rulewright.runtime.run import Paused
from rulewright.wording.entry_rendering import last_address_part, render_reason


def answer_why(session: Session, wanted: str, paint: Painter) -> Iterator[str]:
    """The answer to `why …`, as lines; the session is that which those who ask may see.

    Wanted is a step, or what a question is called; after `not` an answer to the question that is asked, too.
    """
    if wanted == "not" or wanted.startswith("not "):
        yield from _explain_impossible_answer(session, wanted.removeprefix("not").strip(), paint)
        return
    yield from (
        _explain_step(session, wanted, paint)
        or _explain_question(session, wanted, paint)
        or _explain_unknown_subject(wanted)
    )


def explain_story_line(session: Session, origin: StoryOrigin, paint: Painter) -> Iterator[str]:
    """What led to a line of a play's story, as lines: the happenings that it came from and hung on, and itself."""
    later = range(origin.entry, len(session.entries))
    own = next((at for at in later if session.entries[at].address == origin.address), None)
    if own is None:
        yield "nothing that happened led to this line"
    else:
        yield from _render_story_lines(session, DynamicSlice(session).slice_back([own]), paint)


def _explain_unknown_subject(wanted: str) -> Iterator[str]:
    tells = "`why STEP` tells why it was entered or skipped, `why not ANSWER` why it is not possible"
    yield f"`{make_visible(wanted)}` is not a step or a question; {tells}"


def _explain_step(session: Session, wanted: str, paint: Painter) -> list[str]:
    """Why a step was entered, skipped or not reached; nothing where none is called so."""
    begun = session.start
    meant = find_steps(wanted, begun.executable.program, begun.procedure.name)
    if len(meant) > 1:
        return [f"`{make_visible(wanted)}` stands for several steps: write {list_alternatives(meant)}"]
    return [
        line
        for item in meant
        for line in _render_step_causes(StepSubject(wanted, item, begun.executable), session, paint)
    ]


def _render_step_causes(step: StepSubject, session: Session, paint: Painter) -> Iterator[str]:
    value = step.value_in_session(session)
    shown = (
        "not reached yet"
        if value is StepStatus.NEVER and _is_ongoing(session)
        else step.format_value(value, session.start.names)
    )
    yield f"{make_visible(step.text)}: {shown}"
    yield from _render_story_lines(session, step.trace_causes(DynamicSlice(session)), paint)


def _explain_question(session: Session, wanted: str, paint: Painter) -> list[str]:
    """Why a question was asked, and how it was answered, or why it was not; nothing where none is called so."""
    program, tracing = session.start.executable.program, DynamicSlice(session)
    procedures = [session.start.procedure, *program.procedures.values()]
    inside = [
        step.address
        for procedure in procedures
        for step in procedure.steps
        if any(isinstance(line, st.Ask) and line.variable.name == wanted for line in walk_nodes(step))
    ]
    met = [
        at
        for at, entry in enumerate(session.entries)
        if entry.sort == "answer" and last_address_part(entry.address) == wanted
    ]
    if met:
        how = "one answer was possible" if session.entries[met[-1]].forced else "answered"
        return [f"{make_visible(wanted)}: {how}", *_render_story_lines(session, tracing.slice_back(met[-1:]), paint)]
    request = session.outcome.request if isinstance(session.outcome, Paused) else None
    if request is not None and last_address_part(request.address) == wanted:
        return [f"{make_visible(wanted)}: asked now"]
    if not inside:
        return []
    own = [at for at, entry in enumerate(session.entries) if f"{entry.address}/".startswith(f"{inside[0]}/")]
    led = (
        tracing.slice_back(own[-1:])
        if own
        else StepSubject(wanted, inside[0], session.start.executable).trace_causes(tracing)
    )
    how = "not asked yet" if _is_ongoing(session) else "never asked"
    return [f"{make_visible(wanted)}: {how}", *_render_story_lines(session, led, paint)]


def _render_story_lines(session: Session, positions: Container[int], paint: Painter) -> Iterator[str]:
    story = Story(session.start.names, "decisive", paint, shows_unmet=True)
    return (f"  {line}" for line in story.render_selected(session, positions) if line)


def _is_ongoing(session: Session) -> bool:
    return isinstance(session.outcome, Paused)


def _explain_impossible_answer(session: Session, wanted: str, paint: Painter) -> Iterator[str]:
    """Why an answer to the question that is asked is not possible; of a step or question of the play why it was not."""
    paused = session.outcome if isinstance(session.outcome, Paused) else None
    names = session.start.names
    choices = () if paused is None else paused.request.choices
    if paused is not None and wanted in {"", last_address_part(paused.request.address)}:
        impossible = [choice for choice in choices if choice.reason is not None]
        yield from (_render_impossible_choice(answer_choice, paused.request, names) for answer_choice in impossible)
        if not impossible:
            yield "every answer to this question is possible"
        return
    meant = []
    if paused is not None:
        meant = [
            choice
            for choice in choices
            if wanted in {_render_choice(choice, paused.request, names), make_visible(choice.title)}
        ]
    asks = meant or (wanted.isdigit() and paused is not None)
    told = [] if asks else [*_explain_step(session, wanted, paint)] or _explain_question(session, wanted, paint)
    if told:
        yield from told
    elif paused is None:
        yield "the play is over, and no question is waiting"
    elif meant and meant[0].reason is not None:
        yield _render_impossible_choice(meant[0], paused.request, names)
    else:
        _, refused = (None, ()) if meant else AtTable(paused, names, PLAIN_PAINTER).read_typed_answer(wanted)
        yield from refused or (f"`{make_visible(wanted)}` is possible",)


def _render_impossible_choice(choice: AnswerChoice, request: Request, names: NameTable) -> str:
    assert choice.reason is not None
    return f"{_render_choice(choice, request, names)} is not possible: {render_reason(choice.reason, names)}"


def _render_choice(choice: AnswerChoice, request: Request, names: NameTable) -> str:
    return format_value(choice.value, answer_type(request), names)
