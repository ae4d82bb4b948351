"""Hands of secret cards: two plays that differ only in what somebody does not know look the same to the letter."""

import json
from dataclasses import replace
from random import Random

import pytest

from properties.test_secrets import answer_question, render_player_view
from rulewright.base.diagnostics import PLAIN_PAINTER
from rulewright.play.answer_sources import AnswerSourceChain
from rulewright.play.play_story import Story
from rulewright.play.player_views import PlaySnapshot, PlayViewers
from rulewright.play.run_report import RunReport
from rulewright.play.seeded_random import SeededRandom
from rulewright.play.session import PlayStart, Session, begin_session
from rulewright.play.session_views import render_sheet, restrict_to_player
from rulewright.runtime.executable import compile_program
from rulewright.runtime.faults import RunLimits
from rulewright.runtime.request import CHANCE_SORTS, Ended
from rulewright.runtime.run import Paused
from support.reference.ruleset_texts import load_program, read_situation
from support.sample_sizes import choose_count

RULES = """\
ruleset example "Example" revision "1"
kind player, players:
  hand: bag of 1..9 = {}
  won: bag of 1..9 = {}
  points: 0..99 = 0
game:
  pile: deck of 1..9
  discards: deck of 1..9 = []
  tokens: bag of 1..9
  rounds: 0..9 = 0
measure held: sum(each p in players: count(p.hand))
measure left: if((some c in pile) and (some c in discards), count(each c in pile), 0)
procedure play() "A game":
  step 1 "Deal":
    for each p in players:
      if count(pile) = 0:
        set pile to discards
        set discards to []
        shuffle pile
      draw secretly from pile as card for p
      else:
        proceed to 2
      add card to p.hand
  step 2 "Discard face down":
    for each p in players where count(p.hand) > 2:
      ask p secretly for dropped in p.hand "Discard which?"
      else:
        finish
      take dropped from p.hand
      add dropped to discards
  step 3 "A token each, kept in secret":
    for each p in players:
      draw secretly from tokens as token for p
      else:
        stop
      add token to p.won
  step 4 "The first shows a card":
    for each p in players where count(p.hand) > 1:
      ask p secretly to pick 1..2 of each c in p.hand as aside "Think of which?"
      ask p secretly for shown in p.hand "Show which?"
      else:
        finish
      take shown from p.hand
      reveal shown
      reveal aside
      if shown = 5 and 5 in aside:
        add up to shown to p.points
      add shown to discards
      stop
    if rounds < 5:
      add up to 1 to rounds
      proceed to 1 at most 9
"""
RED, BLUE, GREEN = 0, 1, 2
PLAYERS = (RED, BLUE, GREEN)
PLAYED = load_program(RULES)
EXECUTABLE = compile_program(PLAYED, traced=True)
KNOWN = 5  # the only card that blue ever holds, and that anybody shows
STATE = "players: [red, blue, green]\ngame: {{pile: {0}, tokens: {1}}}"
BASE = read_situation(STATE.format([5] * 6, [5] * 6), PLAYED).base


def lay_cards(cards: list[int], first: int = RED) -> list[int]:
    """Cards in an order in which blue and the one who shows a card draw the known one."""
    known, others = [each for each in cards if each == KNOWN], [each for each in cards if each != KNOWN]
    found: list[int] = []
    while known or others:
        takes = known if ((first + len(found)) % len(PLAYERS) != GREEN and known) or not others else others
        found.append(takes.pop())
    return found


def iterate_plays(seed: int) -> list[Session]:
    """A play whenever red or blue decides, and at its end; what green draws and what lies unseen is by chance."""
    draw = Random(seed)
    unseen = [draw.choice([1, 2, 3, 4, 6, 7, 8, 9]) for _ in range(4)]
    tokens = [KNOWN] * 8 + [draw.choice([1, 2, 3, 4, 6, 7]) for _ in range(3)]
    start = replace(read_situation(STATE.format(lay_cards([KNOWN] * 8 + unseen), tokens), PLAYED), base=BASE)
    begun = PlayStart(EXECUTABLE, PLAYED.procedures["play"], start, (), RunLimits()).with_withheld_questions()
    session = begin_session(begun, AnswerSourceChain(begun.names, SeededRandom(0)))
    found: list[Session] = []
    while isinstance(session.outcome, Paused):
        request = session.outcome.request
        question = request.question
        assert question is not None
        if request.sort not in CHANCE_SORTS and request.player != GREEN:
            found.append(session)
        match request.sort:
            case "shuffle":
                session = answer_question(session, tuple(lay_cards([*draw.sample(request.items, len(request.items))])))
            case "draw" if request.player == GREEN:
                session = answer_question(
                    session, draw.choice([each for each in request.items if each != KNOWN] or [KNOWN])
                )
            case "draw":
                session = answer_question(session, KNOWN)
            case _ if request.player == GREEN:
                session = answer_question(session, draw.choice(list(question.iterate_answers())))
            case _:
                session = answer_question(session, next(iter(question.iterate_answers())))
    assert isinstance(session.outcome, Ended), session.outcome
    return [*found, session]


def render_for_viewer(session: Session, viewer: int | None) -> str:
    """All that anybody tells a viewer: run, trace, story and state, a play in the terminal or in the workbench."""
    onlookers = PlayViewers(session, viewer)
    moments = [
        json.dumps(PlaySnapshot(onlookers, {}, is_looking=looks).snapshot_json())
        for looks in (False, viewer is not None)
    ]
    turns = [onlookers.render_turn(each) for each in session.turns if each.request.sort not in CHANCE_SORTS]
    kept = onlookers.explain_withheld_script()
    return "\n".join(
        [render_player_view(session, viewer), *moments, *turns, kept, *render_sheet(onlookers.visible_session)]
    )


@pytest.mark.parametrize("viewer", [RED, BLUE, None], ids=["red", "blue", "all at one screen"])
def test_what_one_does_not_know_changes_nothing_that_one_is_told(viewer: int | None) -> None:
    first = [render_for_viewer(each, viewer) for each in iterate_plays(0)]
    assert len(first) > 8
    for seed in range(1, choose_count(3, 6)):
        for now, then in zip([render_for_viewer(each, viewer) for each in iterate_plays(seed)], first, strict=True):
            assert now == then


def test_who_drew_the_cards_knows_them() -> None:
    assert len({render_for_viewer(iterate_plays(seed)[-1], GREEN) for seed in range(10)}) > 5
    assert len({json.dumps(RunReport(iterate_plays(seed)[-1]).run_report_json()) for seed in range(10)}) > 5


@pytest.mark.parametrize("viewer", [RED, BLUE, None])
def test_no_view_names_a_card_that_was_never_shown(viewer: int | None) -> None:
    for seed in range(choose_count(3, 10)):
        hidden = {str(each) for each in (1, 2, 3, 4, 6, 7, 8, 9)}
        lines = [
            line
            for each in iterate_plays(seed)
            for line in Story(each.start.names, "full", PLAIN_PAINTER).render_session(restrict_to_player(each, viewer))
        ]
        cards = [line.rpartition(": ")[2] for line in lines if " draws " in line or "Which" in line or "which" in line]
        assert cards
        assert not hidden & set(cards)
