"""Decks that lie in an order nobody has seen, beside a search that shuffles them at once and tells players nothing."""

from collections.abc import Iterable
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from rulewright.odds.hidden_information import HiddenInformationError
from rulewright.program import statements as st
from rulewright.runtime.executable import compile_program
from rulewright.runtime.request import CHANCE_SORTS, Ended
from rulewright.runtime.run import Paused, Run
from rulewright.runtime.values import PartlyShuffledDeck, make_partly_shuffled
from support.odds_questions import answer_play, ask_best_play, compute_worth

CARDS = "players: [ann, bob]\ncards: {a: {worth: 0}, b: {worth: 3}, c: {worth: 5}, d: {worth: 1}}\n"
RULES = """
kind Card, cards:
  worth: 0..9
game:
  pile: deck of Card = []
  other: deck of Card = []
  out: list of Card = []
  score: 0..99 = 0
procedure game(p: player, q: player) gives 0..99 "A game of cards":
  for each c in cards:
    add c to pile
"""
Moment = tuple[Run, Fraction]


def searched(moments: list[Moment], sides: dict[int, int]) -> Fraction:
    """What a play is worth where all that players know is common to these moments, each as likely as it says.

    Every order of a shuffle is a moment of its own from the shuffle on; moments are told apart by what was drawn.
    """
    first = moments[0][0]
    if not isinstance(first.outcome, Paused):
        assert all(isinstance(run.outcome, Ended) for run, _ in moments)
        return sum((likely * Fraction(run.outcome.result) for run, likely in moments), Fraction(0))  # type: ignore[union-attr, arg-type]
    question = first.make_question()
    if question.sort in CHANCE_SORTS:
        outcomes = [
            (run, run.make_question().outcome_at(each), likely / run.make_question().outcome_count)
            for run, likely in moments
            for each in range(run.make_question().outcome_count)
        ]
        return _apart(outcomes, sides)
    assert all(run.legal_answers == first.legal_answers for run, _ in moments)
    side = sides[question.player]  # type: ignore[index]
    every = [_apart([(run, answer, likely) for run, likely in moments], sides) for answer in first.legal_answers]
    return side * max(side * each for each in every)


def _apart(answers: Iterable[tuple[Run, Any, Fraction]], sides: dict[int, int]) -> Fraction:
    groups: dict[Any, list[Moment]] = {}
    for run, answer, likely in answers:
        shown = answer if run.make_question().sort != "shuffle" else None
        after = run.fork()
        after.reply(answer)
        drawn = [each.result for each in after.outcome.entries if isinstance(each.node, st.Draw)]
        where = after.make_question().line_address if isinstance(after.outcome, Paused) else ""
        groups.setdefault((repr(shown), tuple(map(repr, drawn)), where), []).append((after, likely))
    return sum((searched(each, sides) for each in groups.values()), Fraction(0))


def compared(lines: str, sides: dict[int, int], cards: str = CARDS) -> Fraction:
    """What a game is worth, by both."""
    rules = RULES + "\n".join(f"  {each}" for each in lines.strip().splitlines())
    best = [(player, "result" if side > 0 else "-result") for player, side in sides.items()]
    play = ask_best_play(rules, *best, state=cards)
    told = answer_play(play).optimal_values[0]
    begun = play.start
    traced = compile_program(begun.executable.program, traced=True)
    start = Run.begin(traced, begun.situation, begun.procedure.name, begun.arguments, begun.limits)
    expected = searched([(start, Fraction(1))], sides)
    assert told.low == told.high == expected * next(iter(sides.values()))
    return expected


ONE, BOTH = {0: 1}, {0: 1, 1: -1}
GAMES = {
    "stop or draw": """
shuffle pile
for each _ in 1..3:
  ask p whether stops "Stop?":
    finish with score
  draw from pile as c
  if c.worth = 0:
    finish with 0
  add c.worth to score
finish with score
""",
    "what was drawn goes under the deck": """
shuffle pile
draw from pile as first
ask p whether returned "Put it under?"
if returned:
  add first to pile
for each _ in 1..4:
  if some c in pile:
    ask p whether draws "Draw?"
    if draws:
      draw from pile as c
      set score to c.worth
finish with score
""",
    "a deck that was stacked before all": """
ask p whether mixes "Mix it?"
if mixes:
  shuffle pile
draw from pile as c
ask p whether again "Another?"
if again:
  draw from pile as d
  finish with d.worth
finish with c.worth
""",
    "made again from the discards": """
shuffle pile
for each _ in 1..4:
  if no c in pile:
    set pile to out
    set out to []
    shuffle pile
  draw from pile as c
  add c to out
  if count(out) = 3:
    take c from out
  ask p whether keeps "Keep it?"
  if keeps:
    finish with c.worth
finish with 2
""",
    "two decks and two players": """
shuffle pile
draw from pile as one
draw from pile as two
add one to other
add two to other
ask p whether mixes "Shuffle the other deck?"
if mixes:
  shuffle other
ask q whether left "Make them take of the first deck?"
if left:
  draw from pile as c
  finish with c.worth
draw from other as c
finish with c.worth + 1
""",
    "a card is taken out of the deck": """
shuffle pile
ask p to choose gone "Which card goes?":
  option low
  option high
if gone = "low":
  take (the c in cards where c.worth = 0) from pile
else:
  take (the c in cards where c.worth = 5) from pile
draw from pile as c
ask q whether again "Again?"
if again:
  draw from pile as d
  finish with d.worth
finish with c.worth
""",
}


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("sides", [ONE, BOTH], ids=["alone", "opposed"])
def test_games_of_cards_are_worth_what_a_search_says(name: str, sides: dict[int, int]) -> None:
    if sides == ONE and "ask q" in GAMES[name]:
        sides = {0: 1, 1: 1}
    compared(GAMES[name], sides)


LINES = (
    "shuffle pile",
    "draw from pile as {c}\nelse:\n  finish with score\nset score to {c}.worth",
    "draw from pile as {c}\nelse:\n  finish with score\nadd {c} to pile\nadd 2 * {c}.worth to score",
    "draw from pile as {c}\nelse:\n  finish with score\nadd {c} to other\nset score to score + {c}.worth",
    "draw from other as {c}\nelse:\n  finish with score\nadd {c} to pile\nset score to score + {c}.worth",
    "shuffle other",
    'ask p whether {c} "Stop?":\n  finish with score',
    'ask q whether {c} "Mix again?"\nif {c}:\n  shuffle pile',
    'ask p whether {c} "?"\nif {c}:\n  draw from pile as c{c}\n  else:\n    finish with 1\n  add c{c}.worth to score',
)


def test_games_made_at_random_are_worth_what_a_search_says() -> None:
    worths = set()
    for seed in range(16):
        draw = Random(seed)
        three = ", ".join(f"{each}: {{worth: {draw.randint(0, 9)}}}" for each in "abc")
        cards = f"players: [ann, bob]\ncards: {{{three}}}\n"
        chosen = [draw.choice(LINES).replace("{c}", f"n{number}") for number in range(draw.randint(3, 5))]
        lines = "\n".join(["shuffle pile", *chosen, "finish with score"])
        worths.add(compared(lines, draw.choice([{0: 1, 1: -1}, {0: -1, 1: 1}, {0: 1, 1: 1}]), cards))
    assert len(worths) > 8


def test_contents_at_the_start_are_known_only_where_that_is_said() -> None:
    rules = (
        RULES.replace("  for each c in cards:\n    add c to pile\n", "{}  draw from pile as c\n")
        + """
  ask p whether again "Another?"
  if again:
    draw from pile as d
    finish with d.worth
  finish with c.worth
"""
    )
    start = CARDS + "game: {pile: [a, b, c, d]}"
    for shuffle in ("  shuffle pile\n", ""):
        with pytest.raises(HiddenInformationError) as refused:
            compute_worth(rules.format(shuffle), (0, "result"), state=start)
        assert refused.value.fact.sort == "start"
        assert compute_worth(rules.format(shuffle), (0, "result"), state=start, known=("pile",)) == Fraction(41, 12)


def test_a_deck_that_rules_look_through_is_refused() -> None:
    rules = (
        RULES
        + """
  shuffle pile
  let seen = pile
  ask p whether draws "Draw?"
  finish with if(draws, count(seen), 2)
"""
    )
    with pytest.raises(HiddenInformationError) as refused:
        compute_worth(rules, (0, "result"), state=CARDS)
    assert refused.value.fact.sort == "shuffle"


def test_large_decks_have_odds() -> None:
    many = "players: [ann, bob]\ncards: {" + ", ".join(f"c{each}: {{worth: {each % 3}}}" for each in range(30)) + "}\n"
    rules = RULES + "  shuffle pile\n  draw from pile as a\n  draw from pile as b\n  finish with a.worth + b.worth\n"
    (told,) = answer_play(ask_best_play(rules, state=many)).distributions
    assert told.probabilities[4] == Fraction(10 * 9, 30 * 29)
    assert sum(told.probabilities.values()) == 1


def test_decks_are_equal_by_what_can_be_known_of_them() -> None:
    deck, other = make_partly_shuffled((1, 2, 3), 2), make_partly_shuffled((2, 1, 3), 2)
    assert deck == other
    assert hash(deck) == hash(other)
    assert deck != make_partly_shuffled((1, 2, 3), 3)
    assert deck != (1, 2, 3)
    assert deck + (4,) == make_partly_shuffled((2, 1, 3, 4), 2)  # noqa: RUF005 - a tuple of its own is no deck
    assert isinstance(deck, PartlyShuffledDeck)
    assert deck.without_card(2) == make_partly_shuffled((1, 2), 2)
    assert type(deck.without_card(0)) is tuple
