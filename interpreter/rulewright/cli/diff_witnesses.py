"""Witnesses: how both revisions begin and where each stands at last; which edits they are about."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import takewhile

from rulewright.cli.diff_found import Found
from rulewright.codecs.table import show
from rulewright.comparing.edit_report import Told
from rulewright.comparing.edits import IMPLIED
from rulewright.comparing.playing.answers import kept_back
from rulewright.comparing.playing.data import DIFFERENCES, Migrated, Separated, Side, ValueWitness, Witness
from rulewright.comparing.playing.spreading import Moment, moments
from rulewright.comparing.report.rows import Row
from rulewright.diagnostics.terminal import PLAIN, visible
from rulewright.drivers.session import Session
from rulewright.drivers.turns import asked, ending, show_answer
from rulewright.frozen import dataclass
from rulewright.inputs.answers import answer_type, calling_dice, item_type
from rulewright.inputs.names import Names
from rulewright.inputs.nodes import Json, one_line
from rulewright.inputs.state_json import state_json
from rulewright.machine.request import ELSEWHERE, OF_ITEMS, Request
from rulewright.machine.run import Outcome, Paused
from rulewright.program.declarations import Program
from rulewright.program.types import Type, WordType, present
from rulewright.resources import folder
from rulewright.scenarios.recording import laid
from rulewright.telling.values import player

_MOST = 12
_BECAME = re.compile(r"(?P<what>.+): (?P<before>.+?) → (?P<after>.+)")
_NUMBER = re.compile(r"-?[0-9][0-9/.]*")
BECAME = {
    "hidden": (
        "Plays show these only without other edits:",
        "a play of OLD with this edit alone shows it; between OLD and NEW something else differs first",
    ),
    "whole": (
        "These cannot be made without others:",
        "it cannot be made without others, so no play of its own was looked for",
    ),
    "silent": ("No play of their own was found for:", "no play of its own was found"),
    "untried": (
        "Not tried, for lack of work (more --work):",
        "no work was left to look for a play (more --work)",
    ),
}
"""What became of edits that no play shows, by the field of `Separated`: said of several, and of one."""


def comes_to(witness: Witness) -> str:
    """What changes first in either revision once they part: `a loses 1 army → b loses 1 army`; empty where it is none.

    Nor is anything said where one of the two changes comes in the other revision as well, only later.
    """
    old, new = list(moments(witness.old.session, witness.addresses)), list(moments(witness.new.session, {}))
    common = sum(1 for _ in takewhile(lambda pair: pair[0].is_like(pair[1]), zip(old, new, strict=False)))
    was, now = ([_changed(each) for each in told[common:] if each.changes] for told in (old, new))
    if not was or not now or was[0] in now or now[0] in was:
        return ""
    return f"{was[0]} → {now[0]}"


def _changed(moment: Moment) -> str:
    """What changed, without the numbers before and after where a sentence says how many."""
    return "; ".join(_BECAME.sub(_became, each.strip()) for each in moment.lines)


def _became(found: re.Match[str]) -> str:
    """`alaska loses 1 army` of `alaska loses 1 army: 3 → 2`, `a.failed becomes yes` of `a.failed: no → yes`."""
    is_counted = " " in found["what"] and all(_NUMBER.fullmatch(found[each]) for each in ("before", "after"))
    return found["what"] if is_counted else f"{found['what']} becomes {found['after']}"


def _dice(session: Session) -> Iterator[str]:
    """The dice that are to be thrown, with their faces."""
    outcome, names = session.outcome, session.begun.names
    for each in outcome.request.dice if isinstance(outcome, Paused) else ():
        faces = ", ".join(show(face, each.face, names) for face in each.faces)
        yield f"    {each.count} {'die' if each.count == 1 else 'dice'} with {faces}"


def start_of(side: Side) -> Iterator[str]:
    """The situation in which a revision begins, and the roles."""
    for key, data in side.state.items():
        yield from laid(key, data, 0) if data else ()
    if side.roles:
        yield f"with: {one_line(dict(side.roles))}"


def ordered_as(side: Side, other: Side) -> Side:
    """The same, with what its start says in the order of another."""
    state, roles = (
        _ordered(dict(mine), dict(its)) for mine, its in ((side.state, other.state), (side.roles, other.roles))
    )
    return replace(side, state=state, roles=roles)


def _ordered(data: dict[str, Json], other: dict[str, Json]) -> dict[str, Json]:
    made = dict[str, Json]()
    for key in (*(each for each in other if each in data), *(each for each in data if each not in other)):
        mine, its = data[key], other.get(key)
        made[key] = _ordered(mine, its) if isinstance(mine, dict) and isinstance(its, dict) else mine
    return made


def stored(side: Side) -> tuple[str, ...]:
    """Everything a state holds, start values among it, one line each."""
    begun = side.session.begun
    return tuple(_flat(state_json(begun.situation, begun.executable.program), ()))


def _flat(data: Json, path: tuple[str, ...]) -> Iterator[str]:
    if isinstance(data, dict) and data:
        for key, inner in data.items():
            yield from _flat(inner, (*path, key))
    else:
        yield visible(f"{'.'.join(path[1:] or path)}: {one_line(data)}")


def stands(witness: Witness) -> tuple[Moment, Moment]:
    """Where both revisions stand at last, with the dice to be thrown, or the answers, where these differ."""
    sessions, sort = (witness.old.session, witness.new.session), witness.sort
    offered = tuple(_offered(each.outcome, each.begun.names) if sort == "options" else None for each in sessions)
    old, new = (
        Moment("", "end", (*_ending(each, other), *(_dice(each) if sort == "dice" else ())))
        for each, other in zip(sessions, offered[::-1], strict=True)
    )
    return old, new


def _offered(outcome: Outcome, names: Names) -> list[str]:
    """The answers that are possible, in words; of those made of members, and of a split, what they are made of."""
    if not isinstance(outcome, Paused):
        return []
    request = outcome.request
    if request.choices:
        return [show_answer(request, each.value, names) for each in request.choices if each.reason is None]
    if request.sort not in OF_ITEMS:
        return []
    members = calling_dice(request, names)
    return [show(each, item_type(answer_type(request)), members) for each in request.items]


def _some(offered: Sequence[str], other: Sequence[str] | None) -> str:
    """Answers, as many as are read at a glance; where there are more, those among them that the other has not."""
    own = [] if other is None else [each for each in offered[_MOST:] if each not in other]
    last = own[: _MOST // 2]
    first = offered[: _MOST - len(last)]
    return ", ".join([*first, *(["…"] if len(offered) > len(first) + len(last) else []), *last])


def _ending(session: Session, other: Sequence[str] | None) -> Iterator[str]:
    outcome, names = session.outcome, session.begun.names
    if not isinstance(outcome, Paused):
        yield from ending(outcome, session, PLAIN)
        return
    request = outcome.request
    who = f"{player(request.player, names)}: " if request.player is not None else ""
    open_ = _some(_offered(outcome, names), other) if request.choices or other is not None else ""
    if open_ and request.sort in OF_ITEMS:
        open_ = f"{_size(request)}{open_}"
    given = [f"{name} {show(value, type_, names)}" for name, (value, type_) in request.arguments.items()]
    question = asked(request, names)
    if given and request.sort in ELSEWHERE:
        question = f"{question.removesuffix(':')} ({', '.join(given)})"
    secret = " (in secret)" if kept_back(outcome.asked) == "answer" else ""
    yield f"  {who}{question}{secret}{f' ({open_})' if open_ else ''}"


def _size(request: Request) -> str:
    """How many members an answer has, or what is split: before the members."""
    match request.sort:
        case "pick":
            return f"{request.low} of " if request.low == request.high else f"{request.low} to {request.high} of "
        case "split":
            return f"{request.high} over "
        case _:
            return ""


def game_told(game: Migrated) -> str:
    """What becomes of a saved or recorded play, in one line."""
    number = f"{game.answers} answer{'' if game.answers == 1 else 's'}"
    match game.outcome:
        case "same":
            return visible(f"{game.name}: runs on as before, {number}")
        case "lost":
            return visible(f"{game.name}: cannot be begun any more: {game.message}")
        case _:
            where = " → ".join(dict.fromkeys(filter(None, game.addresses)))
            at = f", at {where}" if where else ""
            return visible(f"{game.name}: differs after {number}{at}: {DIFFERENCES[game.sort]}")


def value_told(each: ValueWitness, found: Found) -> str:
    """Arguments for which a function gives two values, in one line; words by their titles."""
    old, new = found.old.program, found.new.program
    called = " → ".join(dict.fromkeys((each.old, each.new)))
    types = {name: setting.type for name, setting in new.settings.items()} | _parameters(new, each.new)
    pairs = ({**each.settings[1], **each.arguments[1]}).items()
    given = [f"{name} {_value(value, types.get(name), new)}" for name, value in pairs]
    for_ = f" for {', '.join(given)}" if given else ""
    in_ = f" in {one_line(dict(each.states[0]))}" if each.states else ""
    was, now = _value(each.values[0], _gives(old, each.old), old), _value(each.values[1], _gives(new, each.new), new)
    return visible(f"{called}: {was} in OLD, {now} in NEW{for_}{in_}")


def _gives(program: Program, name: str) -> Type | None:
    computed = program.functions.get(name) or program.measures.get(name)
    return computed.type if computed else None


def _parameters(program: Program, name: str) -> dict[str, Type]:
    computed = program.functions.get(name) or program.measures.get(name)
    return {each.name: each.type for each in computed.parameters} if computed else {}


def _value(value: Json, type_: Type | None, program: Program) -> str:
    """A value as documents have it; a word as people call it."""
    match type_ and present(type_):
        case WordType(values) if isinstance(value, str):
            titles = program.values[values].titles
            at = titles.spellings.get(value)
            return value if at is None else titles.called[at]
        case _:
            return one_line(value)


@dataclass(frozen=True, slots=True)
class Left:
    """Edits that no witness is about, or scenarios: what became of them, and each in one line."""

    title: str
    edits: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Proof:
    """What shows a row of the first screen: a play, else values, else in words what is known instead."""

    play: Witness | None = None
    values: tuple[str, ...] = ()
    lacking: str = ""  # why there is neither, or of how many rows the play is


def proof_of(row: Row, found: Found) -> Proof:
    """What shows a row."""
    shows = row.evidence
    if shows.plays:
        return Proof(shows.plays[0])
    if shows.values:
        return Proof(values=tuple(value_told(each, found) for each in shows.values))
    if shows.shared and not shows.shown:
        return Proof(
            shows.shared[0], lacking=f"No play of its own; this one shows it together with {_others(row, found)}"
        )
    return Proof(lacking=_lacking(found, row))


def _others(row: Row, found: Found) -> str:
    """The other rows that the first play shared by a row is about: `rows 4 and 5`."""
    play, rows = row.evidence.shared[0], enumerate(found.screen.rows, 1)
    numbers = [number for number, each in rows if each is not row and play in each.evidence.shared]
    *first, last = map(str, numbers)
    return f"rows {', '.join(first)} and {last}" if first else f"row {last}"


def _lacking(found: Found, row: Row) -> str:
    """Why no play is told of a row, as a sentence."""
    behaviour, shows = found.whole.behaviour, row.evidence
    if behaviour is None:
        return "No play to show: nothing was played"
    if shows.scenarios:
        return f"A scenario shows it: {game_told(shows.scenarios[0])}"
    if shows.known:
        return _KNOWN[shows.known]
    separated = behaviour.separated
    for outcome, (_, why) in BECAME.items() if separated is not None else ():
        if not set(row.edits).isdisjoint(getattr(separated, outcome)):
            return f"No play to show: {why}"
    return f"No play to show: {_TOGETHER if behaviour.witnesses else 'none was found'}"


_KNOWN = {
    "seen": "A play shows it; --show and --html print it, unless no short one is found (more --work)",
    "hidden": f"Only {BECAME['hidden'][1]}",
}
_TOGETHER = "the edits could not be told apart by plays; --all has those that were found"


def subject(witness: Witness, found: Found) -> tuple[str, ...]:
    """The edits a witness is about, one line each, and how many it needs; nothing where there is but one edit."""
    about, separated = witness.subject, _separated(found)
    if about is None or separated is None or len(_every(separated)) == len(about.edits) == 1:
        return ()
    more = len(_said(about.needed, found))
    needs = (f"with {more} edit{'' if more == 1 else 's'} that it needs",) if more else ()
    return (*_said(about.edits, found), *needs)


def left(found: Found) -> Iterator[Left]:
    """The edits that no shown witness is about."""
    separated = _separated(found)
    if separated is None or found.whole.behaviour is None:
        return
    shown = {number for each in found.whole.behaviour.witnesses if each.subject for number in each.subject.edits}
    unshown = _said([each for each in separated.seen if each not in shown], found)
    if unshown:
        yield Left("Plays show these too (more --witnesses):", unshown)
    for outcome, (title, _) in BECAME.items():
        edits = _said(getattr(separated, outcome), found)
        if edits:
            yield Left(title, edits)


def scenarios(found: Found, *, every: bool = False) -> Iterator[Left]:
    """The scenarios of the old revision that differ under the new one, and those that cannot be compared.

    Of those that cannot be compared for one reason only the first is named, unless every one is wanted.
    """
    played = found.scenarios
    differing = tuple(game_told(replace(each, name=beside(each.name))) for each in played if each.outcome == "differs")
    if differing:
        yield Left("Scenarios that end differently:", differing)
    lost: dict[str, list[str]] = {}
    for each in played:
        if each.outcome == "lost":
            lost.setdefault(each.message, []).append(beside(each.name))
    if lost:
        told = (line for why, names in lost.items() for line in _lost(why, names, every=every))
        yield Left("Scenarios that cannot be compared:", tuple(told))


def _lost(why: str, names: Sequence[str], *, every: bool) -> Iterator[str]:
    """Scenarios that cannot be compared for one reason: all of them, or the first and how many more there are."""
    if every:
        yield from (visible(f"{name}: {why}") for name in names)
        return
    more = f", and {len(names) - 1} more" if len(names) > 1 else ""
    yield visible(f"{names[0]}{more}: {why}")


def beside(file: str) -> str:
    """A file as people name it: one of a shipped ruleset by its place among them, any other as it is."""
    return file.removeprefix(f"{folder('rulesets').as_posix()}/")


def places(numbers: Sequence[int], found: Found) -> list[int]:
    """Where edits stand among those that are shown, from 0."""
    known = {each.number: place for place, each in enumerate(_shown(found))}
    return sorted(known[each] for each in numbers if each in known)


def _shown(found: Found) -> list[Told]:
    return [each for each in found.told if each.section != IMPLIED]


def _separated(found: Found) -> Separated | None:
    return found.whole.behaviour.separated if found.whole.behaviour else None


def _every(separated: Separated) -> tuple[int, ...]:
    return (*separated.seen, *separated.hidden, *separated.whole, *separated.silent, *separated.untried)


def _said(numbers: Sequence[int], found: Found) -> tuple[str, ...]:
    shown = _shown(found)
    return tuple(visible(str(shown[place])) for place in places(numbers, found))
