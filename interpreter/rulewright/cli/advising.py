"""Advice at the table: what each answer is worth to whoever is asked, all others playing against them."""

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from time import monotonic

from rulewright.cli.advice_report import advice_lines
from rulewright.cli.asked_odds import knowing
from rulewright.cli.named_files import files_for
from rulewright.cli.odds_refused import REFUSALS, refusal
from rulewright.cli.opening import Opening
from rulewright.cli.output import Stop
from rulewright.diagnostics import Diagnostic
from rulewright.diagnostics.terminal import visible
from rulewright.drivers.session import Session
from rulewright.machine.run import Paused
from rulewright.odds.advice import Advice, advice, standing
from rulewright.odds.answering import Answers
from rulewright.odds.measures import play_to_measure
from rulewright.odds.secrecy import UnseenError

_MOST = 20_000
"""So many moments are gone on from while people wait."""


_PATIENCE = 20.0
"""So many seconds people wait at most."""


_KNOWN = re.compile(r"(?:^|\s)--known(?:[\s=]+(\S+)|\s*$)")


_NOBODY = "nobody in the game is asked here"
_UNSAID = "say what is wanted the most of, and which bag or deck all know: `advise result --known pile`"


class _TooLongError(Exception):
    """People have waited long enough."""


def advised(session: Session, wanted: str, viewer: int | None, opening: Opening) -> Iterable[str]:
    """What each answer is worth where a play stands, or why nobody can say it; as `weighed`."""
    found = weighed(session, wanted, viewer, opening)
    if not isinstance(found, Advice):
        return found
    alone = len(session.begun.names.ids("player")) == 1
    return (*advice_lines(found, session.begun.names), *(() if alone else (OTHERS,)))


OTHERS = "all others are taken to want the least of it"


def weighed(session: Session, wanted: str, viewer: int | None, opening: Opening) -> Advice | tuple[str, ...]:
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
    found = play_to_measure(begun, (), opening.ruleset, opening.overlays, files, ((player, wanted),))
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
        said = _said(refusal(error, play, answers).diagnostics)
        if isinstance(error, UnseenError) and error.unseen.sort == "start":
            said += (visible(f"if all know what lies there: `advise {wanted} --known {error.unseen.name}`"),)
        return said


def _heed(until: float, met: int) -> None:
    del met
    if monotonic() > until:
        raise _TooLongError


def _said(found: Iterable[Diagnostic]) -> tuple[str, ...]:
    return tuple(visible(f"no advice: {each.message}") for each in found)
