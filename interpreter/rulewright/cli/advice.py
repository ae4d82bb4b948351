"""Advice on a question of a play: the exact expected value of each answer, as text, plot, JSON and CSV."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial
from time import monotonic
from typing import Any

from rulewright.base.diagnostics import Diagnostic, make_visible
from rulewright.cli.command_files import files_for
from rulewright.cli.odds_query import REFUSALS, explain_odds_refusal, mark_contents_known
from rulewright.cli.output import CommandStop
from rulewright.cli.play_opening import OpenedPlay
from rulewright.cli.plots import PlotWithTable
from rulewright.cli.result_tables import render_csv_lines
from rulewright.documents.answers import answer_to_json, name_offered_dice
from rulewright.documents.document_nodes import Json, format_one_line
from rulewright.documents.name_table import NameTable
from rulewright.odds.answerers import PlayAnswerer
from rulewright.odds.best_play_solver import AdvisedAnswer, AnswerAdvice, evaluate_answers, resume_from_session
from rulewright.odds.end_measures import AskedMeasure, prepare_measured_play
from rulewright.odds.hidden_information import HiddenInformationError
from rulewright.odds.likelihood_formats import NO_FRACTION, format_fraction, format_percent
from rulewright.odds.plot_drawing import CurveData, CurvePlot
from rulewright.play.session import Session
from rulewright.program.types import FlagType
from rulewright.runtime.run import Paused
from rulewright.runtime.type_codecs import fraction_to_json

_MAX_LISTED_ANSWERS = 40
_MAX_PLOTTED_ANSWERS = 20
_MAX_MOMENTS = 20_000
"""Limit of explored states per question, heuristic: people at a table are waiting."""
_TIME_LIMIT_S = 20.0
"""Limit of computing time per question in seconds, heuristic."""
_KNOWN_OPTION_PATTERN = re.compile(r"(?:^|\s)--known(?:[\s=]+(\S+)|\s*$)")
_NO_PLAYER_ASKED = "no player is asked here"
_USAGE_HINT = "say what is wanted the most of, and which bag or deck all know: `advise result --known pile`"
OPPONENTS_ASSUMPTION = "all others are taken to want the least of it"


def format_worth(measure: AskedMeasure, low: Fraction, high: Fraction) -> str:
    """An expected value as text: of a flag the probability of `yes`; a range `low` to `high` where both differ."""
    texts = []
    for worth in dict.fromkeys((low, high)):
        about = format_percent(worth).strip() if isinstance(measure.type, FlagType) else f"{float(worth):.6g}"
        exact = format_fraction(worth)
        texts.append(about if exact in {about, "0", "1", NO_FRACTION} else f"{about} ({exact})")
    return f"about {texts[0]}" if len(texts) > len(set(texts)) else " to ".join(texts)


def format_answer_worth(advice: AnswerAdvice, answer: AdvisedAnswer) -> str:
    """What an answer is worth, or that a fault may follow it."""
    return "a fault may follow" if answer.may_meet_fault else format_worth(advice.measure, answer.low, answer.high)


def _format_answer(advice: AnswerAdvice, answer: AdvisedAnswer, names: NameTable) -> str:
    return format_one_line(_advised_answer_json(advice, answer, names))


def render_advice_lines(advice: AnswerAdvice, names: NameTable) -> Iterator[str]:
    """Text lines of an advice: the question, then one line for each answer, the best ones marked."""
    request, measure = advice.request, advice.measure
    what = "how often" if isinstance(measure.type, FlagType) else "on average"
    yield f"{make_visible(names.player_id(advice.player))}: {make_visible(request.prompt or request.address)}"
    yield f"  {what} `{make_visible(measure.text)}`, as far as {advice.state_count:,} moments of play show it:"
    shown = _select_best_answers(advice, _MAX_LISTED_ANSWERS)
    texts = [_format_answer(advice, answer, names) for answer in shown]
    wide = max(map(len, texts), default=0)
    for text, answer in zip(texts, shown, strict=True):
        best = "  best" if advice.is_best(answer) else ""
        yield f"  {make_visible(text):<{wide}}  {format_answer_worth(advice, answer)}{best}"
    if len(advice.answers) > len(shown):
        yield f"  and {len(advice.answers) - len(shown):,} answers that are worth no more"


def _select_best_answers(advice: AnswerAdvice, most: int) -> tuple[AdvisedAnswer, ...]:
    if len(advice.answers) <= most:
        return advice.answers
    return tuple(sorted(advice.answers, key=lambda answer: answer.low, reverse=True)[:most])


def plot_advice(advice: AnswerAdvice, names: NameTable) -> PlotWithTable:
    """Bar plot of an advice: a bar for each answer up to its lower bound, the upper bound as interval."""
    measure, player = advice.measure, make_visible(names.player_id(advice.player))
    is_flag = isinstance(measure.type, FlagType)
    title = f"{player}: {make_visible(advice.request.prompt or advice.request.address)}"
    shown = _select_best_answers(advice, _MAX_PLOTTED_ANSWERS)
    texts = [
        f"{make_visible(_format_answer(advice, one, names))}{' (best)' if advice.is_best(one) else ''}" for one in shown
    ]
    labels = [format_answer_worth(advice, one) for one in shown]
    lows, highs = (tuple(float(getattr(one, end)) for one in shown) for end in ("low", "high"))
    line = CurveData(
        "",
        tuple(None if one.may_meet_fault else float(one.low) for one in shown),
        lows if advice.has_open_bounds else (),
        highs if advice.has_open_bounds else (),
        tuple(text.partition(" (")[0] for text in labels),
    )
    up = f"how often {make_visible(measure.text)}" if is_flag else f"{make_visible(measure.text)} on average"
    hidden = len(advice.answers) - len(shown)
    note = f"and {hidden:,} answers that are worth no more" if hidden else ""
    picture = CurvePlot(title, "", up, tuple(texts), (line,), is_share=is_flag, is_apart=True, note=note)
    return PlotWithTable(title, up, picture, ("answer", "worth"), tuple(zip(texts, labels, strict=True)))


def advice_to_json(advice: AnswerAdvice, names: NameTable) -> dict[str, Any]:
    """JSON object of an advice, with all answers."""
    return {
        "version": 1,
        "player": names.player_id(advice.player),
        "address": advice.request.address,
        "prompt": advice.request.prompt,
        "of": advice.measure.text,
        "moments": advice.state_count,
        "answers": [
            {
                "answer": _advised_answer_json(advice, answer, names),
                "low": None if answer.may_meet_fault else fraction_to_json(answer.low),
                "high": None if answer.may_meet_fault else fraction_to_json(answer.high),
                "best": advice.is_best(answer),
            }
            for answer in advice.answers
        ],
    }


def render_advice_csv(advice: AnswerAdvice, names: NameTable) -> Iterator[str]:
    """CSV lines of an advice: a row for each answer after which no fault follows, with lower and upper bound."""
    rows = (
        (_format_answer(advice, one, names), one.low, one.high, "yes" if advice.is_best(one) else "no")
        for one in advice.answers
        if not one.may_meet_fault
    )
    return render_csv_lines(("answer", "low", "high", "best"), rows)


def _advised_answer_json(advice: AnswerAdvice, advised: AdvisedAnswer, names: NameTable) -> Json:
    return answer_to_json(advice.request, advised.answer, name_offered_dice(advice.request, names))


class _AdviceTimeoutError(Exception):
    pass


def render_advice(session: Session, expression: str, viewer: int | None, opening: OpenedPlay) -> Iterable[str]:
    """Text lines of `compute_advice`, or the reasons why there is no advice."""
    result = compute_advice(session, expression, viewer, opening)
    if not isinstance(result, AnswerAdvice):
        return result
    alone = len(session.start.names.ids_of_kind("player")) == 1
    return (*render_advice_lines(result, session.start.names), *(() if alone else (OPPONENTS_ASSUMPTION,)))


def compute_advice(
    session: Session, expression: str, viewer: int | None, opening: OpenedPlay
) -> AnswerAdvice | tuple[str, ...]:
    """Expected value of each answer to the pending question of a session, or lines that say why it is unknown.

    The player who is asked maximizes the expression `expression`, all others minimize it. The player's private information
    is left out where others look on (`viewer`). As in `odds`, decks whose contents all know may follow the expression:
    `result --known pile`.
    """
    assert isinstance(session.outcome, Paused)
    start, player = session.start, session.outcome.asked.player
    known, expression = _KNOWN_OPTION_PATTERN.findall(expression), _KNOWN_OPTION_PATTERN.sub("", expression).strip()
    if player is None or "" in known or not expression:
        return (_NO_PLAYER_ASKED if player is None else _USAGE_HINT,)
    files = files_for(opening.ruleset, *opening.overlays)
    wants = ((player, expression),)
    result = prepare_measured_play(
        start, (), opening.ruleset, opening.overlays, files, wants, loading=opening.laid_policies.loader
    )
    if result.value is None:
        return _format_no_advice(result.diagnostics)
    everybody = frozenset(range(len(start.names.ids_of_kind("player"))))
    try:
        play = replace(
            result.value.with_start(mark_contents_known(result.value.start, known)),
            minimizing_players=everybody - {player},
        )
    except CommandStop as stop:
        return tuple(
            make_visible(f"no advice: {diagnostic.message}; {diagnostic.help}") for diagnostic in stop.diagnostics
        )
    run, hidden = resume_from_session(play, session, known)
    if viewer != player:
        hidden = tuple(replace(one, player=None) for one in hidden)
    answers = PlayAnswerer(start.names, session.sources.script, maximizing_players=everybody, hidden_facts=hidden)
    until = monotonic() + _TIME_LIMIT_S
    try:
        return evaluate_answers(play, answers, run, _MAX_MOMENTS, partial(_check_time_limit, until))
    except _AdviceTimeoutError:
        return (f"no advice: it was not worked out within {_TIME_LIMIT_S:.0f} seconds",)
    except REFUSALS as error:
        reasons = _format_no_advice(explain_odds_refusal(error, play, answers, {}).diagnostics)
        if isinstance(error, HiddenInformationError) and error.fact.sort == "start":
            reasons += (make_visible(f"if all know what lies there: `advise {expression} --known {error.fact.name}`"),)
        return reasons


def _check_time_limit(until: float, met: int) -> None:
    del met
    if monotonic() > until:
        raise _AdviceTimeoutError


def _format_no_advice(diagnostics: Iterable[Diagnostic]) -> tuple[str, ...]:
    return tuple(make_visible(f"no advice: {diagnostic.message}") for diagnostic in diagnostics)
