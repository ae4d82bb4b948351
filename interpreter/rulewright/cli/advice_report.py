"""What advice tells: the question, and what every answer to it is worth."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from rulewright.cli.odds_values import NO_FRACTION, exactly, percent
from rulewright.cli.pictures import Curves, Drawn, Line
from rulewright.cli.sweep_tables import csv_lines
from rulewright.codecs.table import exactly_written
from rulewright.diagnostics.terminal import visible
from rulewright.inputs.answers import answer_json, calling_dice
from rulewright.inputs.names import Names
from rulewright.inputs.nodes import Json, one_line
from rulewright.odds.advice import Advice, Advised
from rulewright.odds.measures import AskedMeasure
from rulewright.program.types import FlagType

_MOST_TOLD = 40
_MOST_DRAWN = 20


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
