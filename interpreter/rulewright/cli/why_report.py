"""What the verb `why` prints: the happenings that count, and the smallest change, as text and as JSON."""

from collections.abc import Iterator, Mapping, Sequence
from textwrap import dedent, indent
from typing import Any

from rulewright.cli.output import Output
from rulewright.codecs.table import show
from rulewright.diagnostics.terminal import PLAIN, Paint, visible
from rulewright.drivers.session import Session, Turn
from rulewright.drivers.story import Story
from rulewright.drivers.turns import asked, punctuated, show_answer
from rulewright.inputs.names import Names
from rulewright.inquiry.alternatives import MOST_ANSWERS, Change, OtherAnswer, OtherStart
from rulewright.inquiry.chain import Tracing
from rulewright.inquiry.course import Occasion
from rulewright.inquiry.explaining import Explained, Otherwise, Replayed
from rulewright.inquiry.flips import MOST_CHANGES, Searched
from rulewright.inquiry.steps import NO_VALUE
from rulewright.machine.request import Request
from rulewright.telling.conditions import possessive, spoken
from rulewright.telling.happenings import last
from rulewright.telling.values import player

_SHOWN = 8
"""So many lines of a changed play are told that the play as it was does not have."""


_KINDS = {1: ("single change", "single changes"), 2: ("pair of changes", "pairs of changes")}


def lines(told: Sequence[Explained], not_: str | None, out: Output, most: int) -> Iterator[str]:
    """Everything, as text."""
    for number, each in enumerate(told):
        yield from [""] if number else []
        yield _head(each, out)
        why = [*_story(each, out.paint)]
        yield from (f"  {line}" for line in why)
        if each.otherwise is not None:
            yield ""
            yield from _flips(each, each.otherwise, why, out)
            yield from _unfound(each, each.otherwise, not_, most)


def _head(told: Explained, out: Output) -> str:
    """What is asked, what it is, and what it was."""
    what = out.paint(visible(told.matter.text), "strong")
    if told.value is NO_VALUE:
        return f"{what} has no value where the play stands"
    if told.before is NO_VALUE:
        return f"{what}: {_shown(told, told.value)}"
    was = "as at the start" if told.before == told.value else f"at the start {_shown(told, told.before)}"
    return f"{what}: {_shown(told, told.value)}, {was}"


def _shown(told: Explained, value: object) -> str:
    return told.matter.shown(value, told.session.begun.names)


def _story(told: Explained, paint: Paint) -> Iterator[str]:
    story = Story(told.session.begun.names, "decisive", paint, unmet=True)
    return (line for line in story.lines_of(told.session, told.why) if line)


# What would have been.


def _flips(told: Explained, otherwise: Otherwise, why: Sequence[str], out: Output) -> Iterator[str]:
    names, searched = told.session.begun.names, otherwise.searched
    for number, (replayed, value) in enumerate(otherwise.changed):
        supposing = ", and ".join(_supposed(replayed, otherwise, names))
        what = "it" if number else "the result" if told.matter.text == "result" else visible(told.matter.text)
        would = f"{'or ' if number else ''}{supposing}, {what} would be {_shown(told, value)}"
        yield out.paint(would + _given_then(replayed, otherwise), "good")
        yield from _then(replayed, otherwise, names)
        if not number:
            yield from _beyond(replayed, told, why, out)
    if left := len(searched.flips) - len(otherwise.changed):
        one, more = _KINDS[len(searched.flips[0].changes)]
        yield f"1 other {one} does it too" if left == 1 else f"{left} other {more} do it too"
    if searched.flips and searched.open:
        yield from _open(searched)


def _supposed(replayed: Replayed, otherwise: Otherwise, names: Names) -> Iterator[str]:
    for each in replayed.flip.changes:
        is_new = isinstance(each, OtherAnswer) and each.occasion not in otherwise.course.given
        yield supposed(each, replayed.turns, names, is_new=is_new)


def _given_then(replayed: Replayed, otherwise: Otherwise) -> str:
    """What the changed play hangs on beside the change, where more is asked in it than in the play as it was."""
    sorts = [turn.request.sort for turn in replayed.new(otherwise.course)]
    if not sorts:
        return ""
    return " with the dice below" if all(each == "roll" for each in sorts) else " with the answers below"


def _then(replayed: Replayed, otherwise: Otherwise, names: Names) -> Iterator[str]:
    """What is asked in the changed play alone, and how it was answered there."""
    for turn in replayed.new(otherwise.course):
        said = show_answer(turn.request, turn.given.value, names)
        yield f"  asked then: {player(turn.request.player, names)}: {asked(turn.request, names)} {said}"


def _beyond(replayed: Replayed, told: Explained, why: Sequence[str], out: Output) -> Iterator[str]:
    """What happens in the changed play that made the value what it is, and did not happen in the play as it was."""
    known = {each.strip() for each in why}
    story = Story(replayed.session.begun.names, "decisive", out.paint, unmet=True)
    found = story.lines_of(replayed.session, told.matter.why(Tracing(replayed.session)))
    new = [line for line in found if line and line.strip() not in known]
    yield from indent(dedent("\n".join(new[:_SHOWN])), "  ").splitlines()
    if len(new) > _SHOWN:
        yield f"  and {len(new) - _SHOWN} more lines"


def _unfound(told: Explained, otherwise: Otherwise, not_: str | None, most: int) -> Iterator[str]:
    searched = otherwise.searched
    if searched.flips:
        return
    other = f"something other than {_shown(told, told.value)}" if not_ is None else visible(not_)
    what = f"makes `{visible(told.matter.text)}` {other}"
    if searched.is_sure:
        aside = ", its own start aside" if otherwise.left else ""
        if not searched.plays:
            yield f"nothing that is performed changes `{visible(told.matter.text)}`, so no change of up to two {what}"
            return
        yield f"no change of up to two {what}{aside}: {searched.plays:,} changed plays were tried"
    elif searched.changes == MOST_CHANGES and not searched.is_cut:
        tried = f"{searched.plays:,} changed plays were tried"
        yield f"no change of up to two {what} in a play that ends: {tried}"
        yield from _open(searched)
    else:
        yield f"no change was found that {what}, but not everything was tried:"
        yield from (f"  {each}" for each in _untried(searched, most))


def _untried(searched: Searched, most: int) -> Iterator[str]:
    """What was not tried, and how it can be."""
    if searched.changes == 0:
        yield f"the search was given up after {most:,} changed plays, before every single change was tried"
    elif searched.changes == 1:
        steps = f", and no two do that lie within {searched.steps} steps together" if searched.steps else ""
        yield f"the search was given up after {most:,} changed plays; no single change does it{steps}"
    if searched.changes < 2:  # noqa: PLR2004 - changes at once
        yield "`--most N` goes through more of them"
    yield from _open(searched)
    if searched.is_cut:
        yield f"of questions with more than {MOST_ANSWERS} answers the first are tried"


def _open(searched: Searched) -> Iterator[str]:
    """Where plays were left because nobody answers, and how a script does."""
    for (line, question), plays in sorted(searched.unanswered.items(), key=lambda each: -each[1]):
        several = "1 changed play stops" if plays == 1 else f"{plays:,} changed plays stop"
        yield (
            f"{several} at “{visible(question)}”, which has no answer there; a script can give one "
            f"with `{visible(line)}: {{always: …}}`"
        )


# Data.


def document(told: Sequence[Explained], session: Session, most: int) -> dict[str, Any]:
    """Everything, as data."""
    return {
        "version": 1,
        "ruleset": session.begun.executable.program.name,
        "procedure": session.begun.procedure.name,
        "most": most,
        "asked": [_data(each) for each in told],
    }


def _data(told: Explained) -> dict[str, Any]:
    otherwise = told.otherwise
    return {
        "of": told.matter.text,
        "value": _value(told, told.value),
        "start": _value(told, told.before),
        "why": [*_story(told, PLAIN)],
        "flips": [] if otherwise is None else [_flip(each, told, otherwise) for each in otherwise.changed],
        "searched": None if otherwise is None else _searched(otherwise.searched),
    }


def _searched(searched: Searched) -> dict[str, Any]:
    return {
        "plays": searched.plays,
        "changes": searched.changes,
        "flips": len(searched.flips),
        "open": searched.open,
        "unanswered": [
            {"line": line, "question": question, "plays": plays}
            for (line, question), plays in searched.unanswered.items()
        ],
        "cut": searched.is_cut,
        "sure": searched.is_sure,
    }


def _flip(changed: tuple[Replayed, object], told: Explained, otherwise: Otherwise) -> dict[str, Any]:
    (replayed, value), names = changed, told.session.begun.names
    return {
        "changes": [*_supposed(replayed, otherwise, names)],
        "steps": replayed.flip.steps,
        "value": _value(told, value),
        "then": [line.strip() for line in _then(replayed, otherwise, names)],
    }


def _value(told: Explained, value: object) -> Any:
    return told.matter.data(value, told.session.begun.names)


def supposed(change: Change, turns: Mapping[Occasion, Turn], names: Names, *, is_new: bool) -> str:
    """One thing that is otherwise: had a die shown 5, not 2; of what was never asked before only what it is."""
    if isinstance(change, OtherStart):
        return _start(change, names)
    request = turns[change.occasion].request
    after, before = _values(change, request, names)
    said = f"{after} then" if is_new else f"{after}, not {before}"
    who = player(request.player, names)
    match request.sort:
        case "roll":
            return f"had {_die(request, names)} shown {said}"
        case "draw":
            return f"had {who} drawn {said}"
        case "shuffle":
            return f"had `{_called(request, 'shuffle.')}` been shuffled to {said}"
        case "external" | "value":
            return f"had “{visible(request.prompt or request.name)}” been {_part(change, request, names)}{said}"
        case _:
            return f"had {who} answered {_asked(request)} with {said}"


def _start(change: OtherStart, names: Names) -> str:
    owner, _, name = change.where.rpartition("/")
    called = (
        spoken(name) if change.key is None else f"{possessive(visible(names.thing(owner, change.key)))} {spoken(name)}"
    )
    after, before = (show(each, change.type, names) for each in (change.after, change.before))
    return f"had {called} been {after} at the start, not {before}"


def _values(change: OtherAnswer, request: Request, names: Names) -> tuple[str, str]:
    """What is answered in a changed play, and in the play as it was."""
    type_ = None
    if request.sort == "roll":
        type_ = [each.face for each in request.dice for _ in range(each.count)][change.slot or 0]
    elif request.sort == "external":
        type_ = request.type
        if change.slot is not None:
            type_ = names.program.records[str(type_)].parts[change.slot].type
    if type_ is None:
        return show_answer(request, change.after, names), show_answer(request, change.before, names)
    return show(change.after, type_, names), show(change.before, type_, names)


def _die(request: Request, names: Names) -> str:
    """What is rolled: `one die of blue's roll …`."""
    again = last(request.address).startswith("reroll.")
    called = f"{'second roll' if again else 'roll'} `{_called(request, 'reroll.')}`"
    rolled = f"the {called}" if request.player is None else f"{possessive(player(request.player, names))} {called}"
    return rolled if sum(each.count for each in request.dice) == 1 else f"one die of {rolled}"


def _part(change: OtherAnswer, request: Request, names: Names) -> str:
    """Which part of a result is otherwise, before it."""
    if change.slot is None:
        return ""
    return f"`{names.program.records[str(request.type)].parts[change.slot].name}` "


def _called(request: Request, sort: str) -> str:
    return visible(last(request.address).removeprefix(sort))


def _asked(request: Request) -> str:
    return f"“{punctuated(request.prompt)}”" if request.prompt else f"`{visible(last(request.address))}`"
