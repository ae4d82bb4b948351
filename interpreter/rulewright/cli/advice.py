"""Advice: what each answer to a question is worth, worked out at the table, told in lines, as a picture and as data."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial
from time import monotonic
from typing import Any

from rulewright.cli.asked_odds import knowing
from rulewright.cli.named_files import files_for
from rulewright.cli.odds_refused import REFUSALS, refusal
from rulewright.cli.odds_values import NO_FRACTION, exactly, percent
from rulewright.cli.opening import PlayToBegin
from rulewright.cli.output import Stop
from rulewright.cli.pictures import Curves, Drawn, Line
from rulewright.cli.sweep_tables import csv_lines
from rulewright.codecs.table import exactly_written
from rulewright.diagnostics import Diagnostic
from rulewright.diagnostics.terminal import visible
from rulewright.drivers.session import Session
from rulewright.inputs.answers import answer_json, calling_dice
from rulewright.inputs.names import Names
from rulewright.inputs.nodes import Json, one_line
from rulewright.machine.run import Paused
from rulewright.odds.advice import Advice, Advised, advice, standing
from rulewright.odds.answering import Answers
from rulewright.odds.measures import AskedMeasure, play_to_measure
from rulewright.odds.secrecy import UnseenError
from rulewright.program.types import FlagType

_MOST_TOLD = 40
_MOST_DRAWN = 20
_MOST = 20_000
"""So many moments are gone on from while people wait."""
_PATIENCE = 20.0
"""So many seconds people wait at most."""
_KNOWN = re.compile(r"(?:^|\s)--known(?:[\s=]+(\S+)|\s*$)")
_NOBODY = "no player is asked here"
_UNSAID = "say what is wanted the most of, and which bag or deck all know: `advise result --known pile`"
OTHERS = "all others are taken to want the least of it"


def worth(measure: AskedMeasure, low: Fraction, high: Fraction) -> str:
    """What something is worth on average, of a flag how often it is `yes`; or between what that is."""
    told = []
    for each in dict.fromkeys((low, high)):
        about = percent(each).strip() if isinstance(measure.type, FlagType) else f"{float(each):.6g}"
        told.append(about if exactly(each) in {about, "0", "1", NO_FRACTION} else f"{about} ({exactly(each)})")
    return " to ".join(told)


def advice_lines(found: Advice, names: Names) -> Iterator[str]:
    """The question, then a line for each answer, the best marked; of very many the best."""
    request, measure = found.request, found.measure
    what = "how often" if isinstance(measure.type, FlagType) else "on average"
    yield f"{visible(names.player(found.player))}: {visible(request.prompt or request.address)}"
    yield f"  {what} `{visible(measure.text)}`, as far as {found.moments:,} moments of play show it:"
    shown = _shown(found, _MOST_TOLD)
    texts = [one_line(_answer(found, each, names)) for each in shown]
    wide = max(map(len, texts), default=0)
    for text, each in zip(texts, shown, strict=True):
        told = "a fault may follow" if each.is_faulty else worth(measure, each.low, each.high)
        yield f"  {visible(text):<{wide}}  {told}{'  best' if found.is_best(each) else ''}"
    if len(found.answers) > len(shown):
        yield f"  and {len(found.answers) - len(shown):,} answers that are worth no more"


def _shown(found: Advice, most: int) -> tuple[Advised, ...]:
    """The answers in order; of very many the best."""
    if len(found.answers) <= most:
        return found.answers
    return tuple(sorted(found.answers, key=lambda each: each.low, reverse=True)[:most])


def advice_picture(found: Advice, names: Names) -> Drawn:
    """A bar for each answer, up to the least that it is worth, with what it may be worth at most."""
    measure, player = found.measure, visible(names.player(found.player))
    is_flag = isinstance(measure.type, FlagType)
    title = f"{player}: {visible(found.request.prompt or found.request.address)}"
    shown = _shown(found, _MOST_DRAWN)
    texts = [
        f"{visible(one_line(_answer(found, each, names)))}{' (best)' if found.is_best(each) else ''}" for each in shown
    ]
    said = ["a fault may follow" if each.is_faulty else worth(measure, each.low, each.high) for each in shown]
    line = Line(
        "",
        tuple(None if each.is_faulty else float(each.low) for each in shown),
        tuple(float(each.low) for each in shown) if found.is_open else (),
        tuple(float(each.high) for each in shown) if found.is_open else (),
        tuple(text.partition(" (")[0] for text in said),
    )
    up = f"how often {visible(measure.text)}" if is_flag else f"{visible(measure.text)} on average"
    hidden = len(found.answers) - len(shown)
    note = f"and {hidden:,} answers that are worth no more" if hidden else ""
    picture = Curves(title, "", up, tuple(texts), (line,), is_share=is_flag, is_apart=True, note=note)
    return Drawn(title, up, picture, ("answer", "worth"), tuple(zip(texts, said, strict=True)))


def advice_document(found: Advice, names: Names) -> dict[str, Any]:
    """What advice tells, as data, with all answers."""
    return {
        "version": 1,
        "player": names.player(found.player),
        "address": found.request.address,
        "prompt": found.request.prompt,
        "of": found.measure.text,
        "moments": found.moments,
        "answers": [
            {
                "answer": _answer(found, each, names),
                "low": None if each.is_faulty else exactly_written(each.low),
                "high": None if each.is_faulty else exactly_written(each.high),
                "best": found.is_best(each),
            }
            for each in found.answers
        ],
    }


def advice_rows(found: Advice, names: Names) -> Iterator[str]:
    """A row for each answer to which no fault follows, with what it is worth at least and at most."""
    rows = (
        (one_line(_answer(found, each, names)), each.low, each.high, "yes" if found.is_best(each) else "no")
        for each in found.answers
        if not each.is_faulty
    )
    return csv_lines(("answer", "low", "high", "best"), rows)


def _answer(found: Advice, advised: Advised, names: Names) -> Json:
    return answer_json(found.request, advised.answer, calling_dice(found.request, names))


class _TooLongError(Exception):
    """People have waited long enough."""


def advised(session: Session, wanted: str, viewer: int | None, opening: PlayToBegin) -> Iterable[str]:
    """What each answer is worth where a play stands, or why nobody can say it; as `weighed`."""
    found = weighed(session, wanted, viewer, opening)
    if not isinstance(found, Advice):
        return found
    alone = len(session.begun.names.ids("player")) == 1
    return (*advice_lines(found, session.begun.names), *(() if alone else (OTHERS,)))


def weighed(session: Session, wanted: str, viewer: int | None, opening: PlayToBegin) -> Advice | tuple[str, ...]:
    """What each answer is worth where a play stands, or why nobody can say it, in lines.

    Whoever is asked wants the most of an expression, and all others the least. What the player alone knows is not used
    where others look on. After the expression may stand what all know, as of `odds`: `result --known pile`.
    """
    assert isinstance(session.outcome, Paused)
    begun, player = session.begun, session.outcome.asked.player
    known, wanted = _KNOWN.findall(wanted), _KNOWN.sub("", wanted).strip()
    if player is None or "" in known or not wanted:
        return (_NOBODY if player is None else _UNSAID,)
    files = files_for(opening.ruleset, *opening.overlays)
    wants = ((player, wanted),)
    found = play_to_measure(begun, (), opening.ruleset, opening.overlays, files, wants, loading=opening.laid.load)
    if found.value is None:
        return _said(found.diagnostics)
    everybody = frozenset(range(len(begun.names.ids("player"))))
    try:
        play = replace(found.value.beginning(knowing(found.value.begun, known)), against=everybody - {player})
    except Stop as stop:
        return tuple(visible(f"no advice: {each.message}; {each.help}") for each in stop.diagnostics)
    run, hidden = standing(play, session, known)
    if viewer != player:
        hidden = tuple(replace(each, player=None) for each in hidden)
    answers = Answers(begun.names, session.sources.script, best=everybody, hidden=hidden)
    until = monotonic() + _PATIENCE
    try:
        return advice(play, answers, run, _MOST, partial(_heed, until))
    except _TooLongError:
        return (f"no advice: it was not worked out within {_PATIENCE:.0f} seconds",)
    except REFUSALS as error:
        said = _said(refusal(error, play, answers, {}).diagnostics)
        if isinstance(error, UnseenError) and error.unseen.sort == "start":
            said += (visible(f"if all know what lies there: `advise {wanted} --known {error.unseen.name}`"),)
        return said


def _heed(until: float, met: int) -> None:
    del met
    if monotonic() > until:
        raise _TooLongError


def _said(found: Iterable[Diagnostic]) -> tuple[str, ...]:
    return tuple(visible(f"no advice: {each.message}") for each in found)
