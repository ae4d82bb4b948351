"""Nothing that a player may not know changes anything the player sees, byte for byte."""

import json
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from rulewright.base.diagnostics import PLAIN_PAINTER
from rulewright.play.answer_sources import AnswerSourceChain, SourcedAnswer
from rulewright.play.play_story import Story
from rulewright.play.run_report import RunReport
from rulewright.play.seeded_random import SeededRandom
from rulewright.play.session import PlayStart, Session, begin_session
from rulewright.play.session_views import restrict_to_player
from rulewright.play.turn_rendering import render_ending
from rulewright.runtime.executable import compile_program
from rulewright.runtime.faults import RunLimits
from rulewright.runtime.request import Ended, Refused
from rulewright.runtime.run import Outcome, Paused, Run, answer_paused, start_run
from support.reference.ruleset_texts import load_program, read_situation

RULES = """\
ruleset example "Example" revision "1"
values Card: attack, hold, harass, feint
kind Fighter, fighters:
  owner: player
  hand: bag of Card
  morale: 0..9 = 3
game:
  supply: deck of Card
  pool: bag of Card
  shown: list of Card = []
measure attacks: count(each c in pool where c = attack)
term armed(f: Fighter) gives flag means some c in f.hand where c = attack
procedure clash(a: Fighter, b: Fighter) "Clash":
  require two: count(a.hand) = 2
  shuffle supply
  ask a.owner for top in a.hand "Show which?":
    add top to shown
  else:
    finish
  ask a.owner secretly for mine in {Card.attack, Card.hold, Card.harass} "Which?":
    require held: mine in a.hand or mine != feint
  else:
    finish
  ask a.owner secretly to pick 0..2 of each f in fighters as aims "At whom?"
  ask a.owner secretly whether bluff when armed(a) "Bluff?"
  ask b.owner whether cautious "Cautious?":
    add feint to shown
  let answered: bag of Card = a.hand + b.hand
  ask all players as p for card in if(p = a.owner, a.hand, b.hand) "Play which?"
  reveal mine
  if mine = card[b.owner] and (some c in answered where c = attack):
    take up to 1 from b.morale
  draw from pool as drawn
  else:
    finish
  add drawn to shown
  reveal aims
  reveal bluff
  if bluff and b in aims:
    take up to 1 from a.morale
"""
STATE = """\
players: [red, blue]
fighters:
  a: {{owner: red, hand: [{0}, {1}]}}
  b: {{owner: blue, hand: [hold, feint]}}
game: {{supply: [{2}, {3}, {4}], pool: [{5}, {6}]}}
"""
RED, BLUE = 0, 1
PLAYED = load_program(RULES)
EXECUTABLE = compile_program(PLAYED, traced=True)
BASE = read_situation(STATE.format(*["hold"] * 7), PLAYED).base
CARDS = ("attack", "hold", "harass", "feint")


def start_play(cards: tuple[str, ...]) -> Session:
    """The play of some cards, begun."""
    start = replace(read_situation(STATE.format(*cards), PLAYED), base=BASE)
    begun = PlayStart(EXECUTABLE, PLAYED.procedures["clash"], start, (0, 1), RunLimits())
    return begin_session(begun, AnswerSourceChain(begun.names, SeededRandom(0)))


def render_player_view(session: Session, player: int | None) -> str:
    """Everything that a player gets to see, as one text."""
    view = restrict_to_player(session, player)
    told = [
        *Story(view.start.names, "full", PLAIN_PAINTER).render_session(view),
        *render_ending(view.outcome, view, PLAIN_PAINTER),
    ]
    state = view.state
    return "\n".join(
        [
            json.dumps(RunReport(view).run_report_json()),
            *told,
            repr(state),
            str(hash(state)),
            repr(_strip_outcome(view.outcome)),
        ]
    )


def _strip_outcome(outcome: Outcome) -> Any:
    return (outcome.request, tuple(outcome.entries)) if isinstance(outcome, Paused) else outcome


def answer_question(session: Session, value: Any) -> Session:
    after = session.apply_answer(SourcedAnswer(value, "person"), session.sources)
    assert not isinstance(after, Refused), after
    return after


def get_asked_name(session: Session) -> str:
    assert isinstance(session.outcome, Paused)
    return session.outcome.request.address.rpartition("/")[2]


def iterate_play(seed: int) -> list[Session]:
    """The play at its start and whenever blue is asked, up to the question to all; hidden parts are drawn by chance."""
    draw = Random(seed)
    session = start_play(("hold", *(draw.choice(CARDS) for _ in range(6))))
    found = [session]
    while True:
        assert isinstance(session.outcome, Paused)
        request = session.outcome.request
        question = request.question
        assert question is not None
        if request.player == BLUE:
            found.append(session)
        match get_asked_name(session):
            case "card" if request.player == BLUE:
                return found
            case "cautious":
                session = answer_question(session, True)
            case "shuffle.supply":
                session = answer_question(session, tuple(draw.sample(request.items, len(request.items))))
            case "top":
                session = answer_question(session, CARDS.index("hold"))
            case _:
                session = answer_question(session, draw.choice(list(question.iterate_answers())))


@pytest.mark.parametrize("viewer", [BLUE, None], ids=["blue", "anybody"])
def test_what_is_hidden_changes_nothing_that_others_see(viewer: int | None) -> None:
    first = [render_player_view(each, viewer) for each in iterate_play(0)]
    for seed in range(1, 50):
        assert [render_player_view(each, viewer) for each in iterate_play(seed)] == first


def test_the_plays_do_differ_for_those_who_may_know() -> None:
    plays = [iterate_play(seed) for seed in range(20)]
    assert len({render_player_view(each[-1], RED) for each in plays}) > 10
    assert len({json.dumps(RunReport(each[-1]).run_report_json()) for each in plays}) > 10


def test_answers_so_far_are_kept_in_the_state() -> None:
    for seed in range(10):
        session = iterate_play(seed)[-1]
        assert isinstance(session.outcome, Paused)
        state = session.outcome.state
        ends = [Run.thaw(EXECUTABLE, each).reply(CARDS.index("feint")) for each in (state, replace(state, base=BASE))]
        assert [type(each) for each in ends] == [type(ends[0])] * 2
        assert ends[0].state.game == ends[1].state.game


def test_it_does_not_matter_who_is_asked_first() -> None:
    found = []
    for players in ("[red, blue]", "[blue, red]"):
        played = load_program(ORDER)
        start = read_situation(f"players: {players}", played)
        executable = compile_program(played, traced=True)
        outcome = start_run(executable, start, "clash", ())
        for _ in range(2):
            assert isinstance(outcome, Paused)
            player = start.base.things["player"][outcome.request.player]
            outcome = answer_paused(outcome, {"red": 0, "blue": CARDS.index("feint")}[player])
        assert isinstance(outcome, Ended)
        ids = start.base.things["player"]
        found.append({ids[number]: card for number, card in outcome.state.game[0].items()})
    assert found[0] == found[1]


ORDER = """\
ruleset example "Example" revision "1"
values Card: attack, hold, harass, feint
game:
  played: map of player to Card = attack
procedure clash() "Clash":
  ask all players as p for card in {Card.attack, Card.hold, Card.feint} "Play which?"
  for each q in players:
    set played[q] to card[q]
"""
