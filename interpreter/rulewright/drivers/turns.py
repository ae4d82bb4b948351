"""What is asked and answered in a play, and how it ends, in words."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from rulewright.codecs.table import show
from rulewright.diagnostics.renderings import place
from rulewright.diagnostics.terminal import Paint, visible
from rulewright.drivers.session import Session
from rulewright.inputs.answers import answer_type, calling_dice
from rulewright.inputs.names import Names
from rulewright.machine.answer_check import proved
from rulewright.machine.codes import INVARIANT_BROKEN
from rulewright.machine.request import Ended, Faulted, Refused, Request
from rulewright.machine.run import Outcome, Paused
from rulewright.machine.state import changes, initial
from rulewright.machine.values import Map, Value
from rulewright.program.types import DieType, PoolType
from rulewright.program.walk import may_hold, place_of
from rulewright.source import Text
from rulewright.telling import happenings
from rulewright.telling.happenings import last
from rulewright.telling.values import in_game, player

NO_TEXTS: Mapping[str, Text] = MappingProxyType({})


def punctuated(prompt: str) -> str:
    """A question as the answer may follow it."""
    return visible(prompt) + ("" if prompt[-1:] in {"?", ":", ".", "!", ""} else ":")


def asked(request: Request, names: Names) -> str:
    """The question of a request: its own words, or what it is for; that of a handler with its holder."""
    if request.sort == "handler" and request.arguments:
        holder = ", ".join(show(value, type_, names) for value, type_ in request.arguments.values())
        return f"{visible(request.prompt)} ({holder})"
    name = visible(last(request.address))
    if request.sort == "roll" and request.arguments:
        members = ", ".join(show(value, type_, names).strip("[]") for value, type_ in request.arguments.values())
        return f"{visible(request.prompt) or f'rolls {name}'} for {members}:"
    if request.prompt:
        members = ", ".join(show(value, type_, names) for value, type_ in request.members)
        return f"{visible(request.prompt)} ({members})" if members else punctuated(request.prompt)
    rolls = f"rolls {name.removeprefix('reroll.')} again:" if name.startswith("reroll.") else f"rolls {name}:"
    mixes = f"shuffles {name.removeprefix('shuffle.')}:"
    return {"roll": rolls, "draw": f"draws {name}:", "shuffle": mixes}.get(request.sort, f"{name}?")


def show_answer(request: Request, value: Value, names: Names) -> str:  # noqa: PLR0911 - one case for each sort
    """An answer in words, an option by its title; that of an external with what it changes."""
    if value is None and request.claimable:
        return _claim(request)
    names = calling_dice(request, names)
    match request.sort:
        case "roll":
            assert isinstance(value, tuple)
            return _thrown(request, value, names)
        case "external":
            assert isinstance(value, tuple)
            result, changes = value
            shown = "done" if request.type is None else show(result, request.type, names)
            return f"{shown}, with changes" if changes else shown
        case "pick" if not value:
            return "none"
        case "split":
            return show(shares(value), answer_type(request), names)
        case "choose" if title := next((each.title for each in request.choices if each.value == value), ""):
            return visible(title)
        case _:
            return show(value, answer_type(request), names)


def _thrown(request: Request, value: tuple[Value, ...], names: Names) -> str:
    """The faces of a roll; where several members throw, those of each stand together."""
    faces = [each.face for each in request.dice for _ in range(each.count)]
    told = [show(face, type_, names) for face, type_ in zip(value, faces, strict=True)]
    members = [len(each) for each, _ in request.arguments.values() if isinstance(each, tuple)]
    size = max(1, len(told) // members[0]) if members else 1
    return ", ".join(" ".join(told[at : at + size]) for at in range(0, len(told), size))


def shares(value: Value) -> Value:
    """A split without what everybody else gets, which is nothing."""
    return Map(None, value.entries) if isinstance(value, Map) else value


def _claim(request: Request) -> str:
    """What was said of a question without a legal answer; that no place was found is no proof."""
    if request.sort != "place":
        return "no answer is possible"
    assert request.question is not None
    return "no place is possible" if proved(request.question) else "no place was found"


def ending(outcome: Outcome, session: Session, paint: Paint, texts: Mapping[str, Text] = NO_TEXTS) -> Iterator[str]:
    """How a play ended, or where it stands; a fault with its place, where the texts are at hand."""
    names, procedure = session.begun.names, visible(session.begun.procedure.name)
    match outcome:
        case Ended(result=result):
            type_, program = session.begun.procedure.result, session.begun.executable.program
            is_told = type_ is None or may_hold(type_, (DieType, PoolType), program)  # dice where they were thrown
            gives = "" if type_ is None or is_told else f": {show(result, type_, names)}"
            yield paint(f"{procedure} ended{gives}", "strong")
        case Refused(reasons=found):
            what = "this answer is refused" if session.turns else f"{procedure} cannot begin"
            yield paint(what, "error")
            yield from (
                f"  {happenings.reason(each, names) or visible(each.address)}{_clauses(each.cites)}" for each in found
            )
        case Faulted(code=code, address=address, message=message, read=read, help=remedy):
            yield f"{paint(f'fault {code}', 'error')}: {visible(message)}"
            yield from [f"  in: {visible(address)}"] if address else []
            span = place_of(address, session.begun.executable.program)
            yield from [f"  --> {place(span, texts)}"] if span is not None and span.source in texts else []
            span = place_of(last_change(outcome, session), session.begun.executable.program)
            see = "the last change before it"
            yield from [f"  see: {place(span, texts)}: {see}"] if span is not None and span.source in texts else []
            names = names.holding(next((each.rolls for each in reversed(session.entries) if each.rolls), ()))
            told = ((text, show(value, type_, names)) for text, value, type_ in read)
            yield from (f"  read: {visible(text)} = {value.removeprefix(f'{text} ')}" for text, value in told)
            yield from [f"  help: {remedy}"] if remedy else []
        case Paused(request=request):
            yield f"waits for {player(request.player, names)}: {asked(request, names)}"


def last_change(fault: Faulted, session: Session) -> str:
    """Of a broken `always` the address of the line that changed the game last; empty where none is recorded."""
    entries = reversed(session.entries) if fault.code == INVARIANT_BROKEN else ()
    return next((each.address for each in entries if any(map(in_game, each.changes))), "")


def _clauses(cites: tuple[str, ...]) -> str:
    return "".join(f"  @{visible(each)}" for each in cites)


def all_changed(session: Session) -> Iterator[str]:
    """What a play that ended changed in the game."""
    state, names = session.state, session.begun.names
    if state is not None and isinstance(session.outcome, Ended):
        for each in changes(initial(session.begun.situation, state.layout), state):
            if in_game(each):
                yield from happenings.all_changed(each, names)
