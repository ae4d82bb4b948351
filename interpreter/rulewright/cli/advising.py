"""Advice at the table: what each answer is worth to whoever is asked, all others playing against them."""

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from time import monotonic

from rulewright.cli.advice_report import advice_lines
from rulewright.cli.named_files import files_for
from rulewright.cli.odds_refused import REFUSALS, refusal
from rulewright.cli.opening import Opening
from rulewright.diagnostics import Diagnostic
from rulewright.diagnostics.terminal import visible
from rulewright.drivers.session import Session
from rulewright.machine.run import Paused
from rulewright.odds.advice import Advice, advice, standing
from rulewright.odds.answering import Answers
from rulewright.odds.measures import play_to_measure

_MOST = 20_000
"""So many moments are gone on from while people wait."""


_PATIENCE = 20.0
"""So many seconds people wait at most."""


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
    where others look on.
    """
    assert isinstance(session.outcome, Paused)
    begun, player = session.begun, session.outcome.asked.player
    if player is None:
        return ("nobody in the game is asked here",)
    files = files_for(opening.ruleset, *opening.overlays)
    found = play_to_measure(begun, (), opening.ruleset, opening.overlays, files, ((player, wanted),))
    if found.value is None:
        return _said(found.diagnostics)
    everybody = frozenset(range(len(begun.names.ids("player"))))
    play = replace(found.value, against=everybody - {player})
    run, hidden = standing(play, session)
    if viewer != player:
        hidden = tuple(replace(each, player=None) for each in hidden)
    answers = Answers(begun.names, session.sources.script, best=everybody, hidden=hidden)
    until = monotonic() + _PATIENCE
    try:
        return advice(play, answers, run, _MOST, partial(_heed, until))
    except _TooLongError:
        return (f"no advice: it was not worked out within {_PATIENCE:.0f} seconds",)
    except REFUSALS as error:
        return _said(refusal(error, play, answers).diagnostics)


def _heed(until: float, met: int) -> None:
    del met
    if monotonic() > until:
        raise _TooLongError


def _said(found: Iterable[Diagnostic]) -> tuple[str, ...]:
    return tuple(visible(f"no advice: {each.message}") for each in found)
