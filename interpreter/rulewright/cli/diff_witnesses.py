"""Witnesses as short stories: how both begin, what they have in common, and where they part."""

from collections.abc import Iterator
from itertools import takewhile
from operator import itemgetter

from rulewright.comparing.playing.data import DIFFERENCES, Migrated, Side, ValueWitness, Witness
from rulewright.diagnostics.paint import Paint
from rulewright.diagnostics.visible import visible
from rulewright.drivers.session import Session
from rulewright.drivers.showing import player, show
from rulewright.drivers.story import Story, asked, ending, show_answer
from rulewright.frozen import dataclass
from rulewright.inputs.nodes import Json
from rulewright.inputs.one_line import one_line
from rulewright.inputs.state_json import state_json
from rulewright.machine.request import Paused
from rulewright.machine.trace import Entry
from rulewright.scenarios.laying import laid

_MOST = 12


@dataclass(frozen=True, slots=True)
class Tale:
    """A witness to be told.

    Attributes:
        title: what differs, and in which procedure.
        start: the situation and the roles, as the old revision calls them.
        both: what happens in both, as the new revision tells it.
        old: what happens then in the old revision, and where it stands.
        new: the same of the new one.
    """

    title: str
    start: tuple[str, ...]
    both: tuple[str, ...]
    old: tuple[str, ...]
    new: tuple[str, ...]


def tale(witness: Witness, paint: Paint) -> Tale:
    """Tells a witness."""
    called = dict.fromkeys((witness.old.procedure, witness.new.procedure))
    where = _apart(witness)
    _, was = _parted(witness.old, where, paint)
    before, now = _parted(witness.new, where, paint)
    if witness.sort == "dice":
        was, now = ((*told, *_dice(side.session)) for told, side in ((was, witness.old), (now, witness.new)))
    same, old, new = _alike(was, now)
    title = f"{' → '.join(called)}: {DIFFERENCES[witness.sort]}"
    if witness.sort == "start":
        was, now = _stored(witness.old), _stored(witness.new)
        return Tale(title, tuple(_start(witness.old)), (), _without(was, now), _without(now, was))
    return Tale(title, tuple(_start(witness.old)), (*before, *same), old, new)


def _alike(old: tuple[str, ...], new: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """The lines with which both begin, and what follows in each, one line at least."""
    pairs = zip(old[:-1], new[:-1], strict=False)
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    return old[:same], old[same:], new[same:]


def _dice(session: Session) -> Iterator[str]:
    """The dice that are to be thrown, with their faces."""
    outcome, names = session.outcome, session.begun.names
    for each in outcome.request.dice if isinstance(outcome, Paused) else ():
        faces = ", ".join(show(face, each.face, names) for face in each.faces)
        yield f"    {each.count} {'die' if each.count == 1 else 'dice'} with {faces}"


def _start(side: Side) -> Iterator[str]:
    for key, data in side.state.items():
        yield from laid(key, data, 0)
    if side.roles:
        yield f"with: {one_line(dict(side.roles))}"


def _stored(side: Side) -> tuple[str, ...]:
    """Everything a state holds, start values among it, one line each."""
    begun = side.session.begun
    return tuple(_flat(state_json(begun.situation, begun.executable.program), ()))


def _flat(data: Json, path: tuple[str, ...]) -> Iterator[str]:
    if isinstance(data, dict) and data:
        for key, inner in data.items():
            yield from _flat(inner, (*path, key))
    else:
        yield visible(f"{'.'.join(path[1:] or path)}: {one_line(data)}")


def _without(lines: tuple[str, ...], others: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(each for each in lines if each not in others)


def _apart(witness: Witness) -> tuple[int, int]:
    """The stretch of the plays in which the revisions part, by its number, and how many of its entries are the same.

    It is the last one, unless the game was changed otherwise before.
    """
    old, new = witness.old.session, witness.new.session
    for number, (was, now) in enumerate(zip(old.turns, new.turns, strict=False)):
        first, second = ([(each.sort, _after(each)) for each in turn.paused.entries] for turn in (was, now))
        if list(filter(None, map(itemgetter(1), first))) != list(filter(None, map(itemgetter(1), second))):
            same = takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False))
            return number, len(list(same))
    return len(old.turns), witness.parted


def _after(entry: Entry) -> tuple[object, ...]:
    return tuple(each.after for each in entry.changes)


def _parted(side: Side, where: tuple[int, int], paint: Paint) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The story up to where the revisions part, and from there on."""
    session = side.session
    story = Story(session.begun.names, "decisive", paint)
    before: list[str] = []
    after: list[str] = []
    for number, (entries, turn) in enumerate(session.parts):
        same = len(entries) if number < where[0] else where[1] if number == where[0] else 0
        before += story.told(entries[:same])
        after += story.told(entries[same:])
        if turn is not None:
            (before if number < where[0] else after).append(story.answer(turn))
    return tuple(before), (*after, *_stands(session, paint))


def _stands(session: Session, paint: Paint) -> Iterator[str]:
    outcome, names = session.outcome, session.begun.names
    if not isinstance(outcome, Paused):
        yield from ending(outcome, session, paint)
        return
    request = outcome.request
    who = f"{paint(player(request.player, names), 'ask')}: " if request.player is not None else ""
    legal = [show_answer(request, each.value, names) for each in request.choices if each.reason is None]
    open_ = ", ".join([*legal[:_MOST], *(["…"] if len(legal) > _MOST else [])])
    yield f"  {who}{asked(request, names)}{paint(f' ({open_})', 'dim') if legal else ''}"


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


def value_told(each: ValueWitness) -> str:
    """Arguments for which a function gives two values, in one line."""
    called = " → ".join(dict.fromkeys((each.old, each.new)))
    given = {**each.settings[1], **each.arguments[1]}
    for_ = f" for {', '.join(f'{name} {one_line(value)}' for name, value in given.items())}" if given else ""
    in_ = f" in {one_line(dict(each.states[0]))}" if each.states else ""
    was, now = (_value(value) for value in each.values)
    return visible(f"{called}: {was} in OLD, {now} in NEW{for_}{in_}")


def _value(value: Json) -> str:
    return one_line(value)
