"""Answers that nobody gave: the same for both revisions, drawn from what is possible."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

from rulewright.comparing.playing.common import Common
from rulewright.comparing.playing.elsewhere import results
from rulewright.comparing.playing.questions import ELSEWHERE, LISTED, Same
from rulewright.inputs.answers import answer_json, read_answer
from rulewright.inputs.nodes import unplaced
from rulewright.machine.request import Request
from rulewright.machine.run import Paused
from rulewright.machine.values import Map, Value
from rulewright.situations.chooser import Chooser, chance, one_of

Pair = tuple[Value, Value]
_TRIES, _FIRST, _SPOTS = 12, 100, 12
_ALIKE, _EXTREME = 30, 20


def answers(asked: Same, paused: tuple[Paused, Paused], common: Common, chooser: Chooser) -> Iterator[Pair]:
    """Answers to one question, each for both revisions, until one is taken; ends where none comes to mind."""
    match asked.sort:
        case sort if sort in LISTED:
            yield one_of(chooser, asked.pairs)
        case "roll":
            yield _rolled(asked, chooser)
        case "draw":
            yield one_of(chooser, asked.pairs)
        case "pick" | "split" | "order" | "handlers" | "shuffle":
            for _ in range(_TRIES):
                yield _of_items(asked, chooser)
            yield from _listed(asked, paused, common, chooser, _FIRST)
        case sort if sort in ELSEWHERE:
            yield from results(asked, paused, common, chooser)
        case _:
            yield from _listed(asked, paused, common, chooser, _SPOTS)


def _rolled(asked: Same, chooser: Chooser) -> Pair:
    """Dice; often all alike or all at an end, since that is where rules turn."""
    alike, extreme = chance(chooser, _ALIKE), chance(chooser, _EXTREME)
    shown = chooser.below(1_000)
    faces = [
        die[shown % len(die)] if alike else one_of(chooser, (die[0], die[-1])) if extreme else one_of(chooser, die)
        for die in asked.dice
    ]
    return tuple(old for old, _ in faces), tuple(new for _, new in faces)


def _of_items(asked: Same, chooser: Chooser) -> Pair:
    match asked.sort:
        case "pick":
            return _picked(asked, chooser)
        case "split":
            return _split(asked, chooser)
        case _:
            rest, found = list(asked.pairs), []
            while rest:
                found.append(rest.pop(chooser.below(len(rest))))
            return tuple(old for old, _ in found), tuple(new for _, new in found)


def _picked(asked: Same, chooser: Chooser) -> Pair:
    low, high = asked.old.low, min(asked.old.high, len(asked.pairs))
    rest = list(range(len(asked.pairs)))
    chosen = {rest.pop(chooser.below(len(rest))) for _ in range(low + chooser.below(high - low + 1))}
    kept = [pair for at, pair in enumerate(asked.pairs) if at in chosen]
    new = {each for _, each in kept}
    return tuple(old for old, _ in kept), tuple(each for each in asked.new.items if each in new)


def _split(asked: Same, chooser: Chooser) -> Pair:
    counts = [0] * len(asked.pairs)
    spread = 1 + chooser.below(len(counts))
    for _ in range(asked.old.high):
        counts[chooser.below(spread)] += 1
    shift = chooser.below(len(counts))
    shares = list(zip(asked.pairs, counts[shift:] + counts[:shift], strict=True))
    return Map.of(0, [(old, n) for (old, _), n in shares]), Map.of(0, [(new, n) for (_, new), n in shares])


def _listed(asked: Same, paused: tuple[Paused, Paused], common: Common, chooser: Chooser, most: int) -> Iterator[Pair]:
    """Legal answers of one revision, in any order, and what they are in the other."""
    turned = chooser.below(2) == 1
    request, other = (asked.new, asked.old) if turned else (asked.old, asked.new)
    assert request.question is not None
    found = list(islice(request.question.answers(), most))
    while found:
        value = found.pop(chooser.below(len(found)))
        answer = translated(value, request, other, paused[0 if turned else 1], common, turned=turned)
        if answer is not None:
            yield (answer[0], value) if turned else (value, answer[0])
    if request.claimable:
        yield None, None


def translated(  # noqa: PLR0913
    value: Value, request: Request, other: Request, paused: Paused, common: Common, *, turned: bool
) -> tuple[Any] | None:
    """An answer of one revision in the other, in a tuple; none where it has no counterpart."""
    if common.ways.alike:
        return (value,)
    here, there = (common.new, common.old) if turned else (common.old, common.new)
    found = read_answer(other, unplaced(answer_json(request, value, here)), there, paused)
    return None if found.diagnostics else (found.value,)
