"""Text of questions, answers and endings of a play."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from rulewright.base.diagnostics import Painter, make_visible
from rulewright.base.diagnostics.renderings import format_place
from rulewright.base.source import Text
from rulewright.documents.answers import answer_type, name_offered_dice
from rulewright.documents.name_table import NameTable
from rulewright.play.session import Session
from rulewright.program.types import DieType, PoolType
from rulewright.program.walk import find_address_span, may_hold_type
from rulewright.runtime.answer_reasons import is_claim_certain
from rulewright.runtime.faults import INVARIANT_BROKEN
from rulewright.runtime.request import Ended, Faulted, Refused, Request
from rulewright.runtime.run import Outcome, Paused
from rulewright.runtime.state import list_changes, make_initial_state
from rulewright.runtime.type_codecs import format_value
from rulewright.runtime.values import GameMap, Value
from rulewright.wording import entry_rendering
from rulewright.wording.entry_rendering import is_game_change, last_address_part, show_player

NO_TEXTS: Mapping[str, Text] = MappingProxyType({})


def punctuate_prompt(prompt: str) -> str:
    """Question, so that an answer can follow it."""
    return make_visible(prompt) + ("" if prompt[-1:] in {"?", ":", ".", "!", ""} else ":")


def render_question(request: Request, names: NameTable) -> str:
    """Text of a request, or what it is for; with the holder of a handler."""
    if request.sort == "handler" and request.arguments:
        holder = ", ".join(format_value(value, type_, names) for value, type_ in request.arguments.values())
        return f"{make_visible(request.prompt)} ({holder})"
    name = make_visible(last_address_part(request.address))
    if request.sort == "roll" and request.arguments:
        members = ", ".join(
            format_value(value, type_, names).strip("[]") for value, type_ in request.arguments.values()
        )
        return f"{make_visible(request.prompt) or f'rolls {name}'} for {members}:"
    if request.prompt:
        members = ", ".join(format_value(value, type_, names) for value, type_ in request.members)
        return f"{make_visible(request.prompt)} ({members})" if members else punctuate_prompt(request.prompt)
    rolls = f"rolls {name.removeprefix('reroll.')} again:" if name.startswith("reroll.") else f"rolls {name}:"
    mixes = f"shuffles {name.removeprefix('shuffle.')}:"
    return {"roll": rolls, "draw": f"draws {name}:", "shuffle": mixes}.get(request.sort, f"{name}?")


def show_answer(request: Request, value: Value, names: NameTable) -> str:
    """Answer in words; options by title, externals with their changes."""
    if value is None and request.claimable:
        return _render_claim(request)
    names = name_offered_dice(request, names)
    match request.sort:
        case "roll":
            assert isinstance(value, tuple)
            return _render_thrown_faces(request, value, names)
        case "external":
            assert isinstance(value, tuple)
            result, changes = value
            shown = "done" if request.type is None else format_value(result, request.type, names)
            return f"{shown}, with changes" if changes else shown
        case "pick" if not value:
            return "none"
        case "split":
            return format_value(drop_default_share(value), answer_type(request), names)
        case "choose" if title := next((choice.title for choice in request.choices if choice.value == value), ""):
            return make_visible(title)
        case _:
            return format_value(value, answer_type(request), names)


def _render_thrown_faces(request: Request, value: tuple[Value, ...], names: NameTable) -> str:
    """Faces grouped by the member who rolls."""
    faces = [die.face for die in request.dice for _ in range(die.count)]
    face_texts = [format_value(face, type_, names) for face, type_ in zip(value, faces, strict=True)]
    members = [len(item) for item, _ in request.arguments.values() if isinstance(item, tuple)]
    size = max(1, len(face_texts) // members[0]) if members else 1
    return ", ".join(" ".join(face_texts[at : at + size]) for at in range(0, len(face_texts), size))


def drop_default_share(value: Value) -> Value:
    """Split without the shares of zero."""
    return GameMap(None, value.entries) if isinstance(value, GameMap) else value


def _render_claim(request: Request) -> str:
    """No place found is not a proof that there is none."""
    if request.sort != "place":
        return "no answer is possible"
    assert request.question is not None
    return "no place is possible" if is_claim_certain(request.question) else "no place was found"


def render_ending(
    outcome: Outcome, session: Session, paint: Painter, texts: Mapping[str, Text] = NO_TEXTS
) -> Iterator[str]:
    """Outcome of a play or its current state; a fault with its place if its text is given."""
    names, procedure = session.start.names, make_visible(session.start.procedure.name)
    match outcome:
        case Ended(result=result):
            type_, program = session.start.procedure.result, session.start.executable.program
            is_told = type_ is None or may_hold_type(type_, (DieType, PoolType), program)  # dice where they were thrown
            gives = "" if type_ is None or is_told else f": {format_value(result, type_, names)}"
            yield paint(f"{procedure} ended{gives}", "strong")
        case Refused(reasons=reasons):
            what = "this answer is refused" if session.turns else f"{procedure} cannot begin"
            yield paint(what, "error")
            yield from (
                f"  {entry_rendering.render_reason(refusal_reason, names) or make_visible(refusal_reason.address)}{_render_fault_clauses(refusal_reason.cites)}"
                for refusal_reason in reasons
            )
        case Faulted(code=code, address=address, message=message, read=read, help=remedy):
            yield f"{paint(f'fault {code}', 'error')}: {make_visible(message)}"
            yield from [f"  in: {make_visible(address)}"] if address else []
            span = find_address_span(address, session.start.executable.program)
            yield from [f"  --> {format_place(span, texts)}"] if span is not None and span.source in texts else []
            span = find_address_span(find_last_change(outcome, session), session.start.executable.program)
            see = "the last change before it"
            yield from (
                [f"  see: {format_place(span, texts)}: {see}"] if span is not None and span.source in texts else []
            )
            names = names.with_dice(next((entry.rolls for entry in reversed(session.entries) if entry.rolls), ()))
            read_texts = ((text, format_value(value, type_, names)) for text, value, type_ in read)
            yield from (
                f"  read: {make_visible(text)} = {value.removeprefix(f'{text} ')}" for text, value in read_texts
            )
            yield from [f"  help: {remedy}"] if remedy else []
        case Paused(request=request):
            yield f"waits for {show_player(request.player, names)}: {render_question(request, names)}"


def find_last_change(fault: Faulted, session: Session) -> str:
    """Address of the last change before a broken `always`; empty if none is recorded."""
    entries = reversed(session.entries) if fault.code == INVARIANT_BROKEN else ()
    return next((entry.address for entry in entries if any(map(is_game_change, entry.changes))), "")


def _render_fault_clauses(cites: tuple[str, ...]) -> str:
    return "".join(f"  @{make_visible(cite)}" for cite in cites)


def render_all_changes(session: Session) -> Iterator[str]:
    """Net changes of a finished play."""
    state, names = session.state, session.start.names
    if state is not None and isinstance(session.outcome, Ended):
        for change in list_changes(make_initial_state(session.start.situation, state.layout), state):
            if is_game_change(change):
                yield from entry_rendering.render_net_change(change, names)
