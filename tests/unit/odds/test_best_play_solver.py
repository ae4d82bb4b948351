"""Best play beside every way to play written out, and what keeps it from being worked out."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import chain, combinations, product
from math import comb
from random import Random
from typing import Any

import pytest

import rulewright.odds.best_play_solver as best_play_module
from rulewright.odds.best_play_solver import NoBestPlayError, find_endless_states, solve_by_policy_iteration
from rulewright.odds.hidden_information import HiddenInformationError
from rulewright.odds.markov_chain import compute_absorption
from rulewright.odds.state_exploration import NEGLIGIBLE_SHARE, ExploredStates, PlayerDecision
from rulewright.runtime.request import CHANCE_SORTS, Ended
from rulewright.runtime.run import Paused, Run
from support.odds_questions import answer_play, ask_best_play, compute_worth
from support.state_key_checks import fork_with_answer


def searched(run: Run, sides: dict[int, int]) -> Fraction:
    """What a play is worth by going through all of it, its result counted for those on side 1."""
    if not isinstance(run.outcome, Paused):
        assert isinstance(run.outcome, Ended)
        return Fraction(run.outcome.result)  # type: ignore[arg-type]
    question = run.make_question()
    if question.sort in CHANCE_SORTS:
        count = question.outcome_count
        return (
            sum(
                (searched(fork_with_answer(run, question.outcome_at(each)), sides) for each in range(count)),
                Fraction(0),
            )
            / count
        )
    every = [searched(fork_with_answer(run, each), sides) for each in run.legal_answers]
    side = sides[question.player] if question.player is not None else 1
    return side * max(side * each for each in every)


PRESS = """
procedure press(p: player) gives 0..99 "Press your luck":
  let kept: 0..99 = 0
  for each _ in 1..3:
    roll d4 as throw by p
    if throw.natural = 1:
      finish with 0
    add up to throw.natural to kept
    ask p whether stops "Stop?":
      finish with kept
  finish with kept
"""
NIM = """
procedure nim(p: player, q: player) gives 0..1 "Take one to three of nine; who takes the last wins":
  let left: 0..9 = 9
  let mover: player = p
  repeat while left > 0 at most 9:
    let most = left
    roll d2 as luck by mover
    ask mover to choose taken "How many?":
      option one
      option two when most >= 2
      option three when most >= 3 and luck.natural = 1
    set left to left - if(taken = "one", 1, if(taken = "two", 2, 3))
    if left > 0:
      set mover to if(mover = p, q, p)
  finish with if(mover = p, 1, 0)
"""


PIG = """
procedure pig(p: player) gives 0..999 "Throw until a 1, or stop":
  let kept: 0..999 = 0
  repeat while kept < 999 at most 500:
    roll d6 as throw by p
    if throw.natural = 1:
      finish with 0
    add up to throw.natural to kept
    ask p whether on "Again?":
      nothing
    else:
      stop
  finish with kept
"""


def test_no_more_is_followed_than_makes_best_play_certain() -> None:
    found = answer_play(ask_best_play(PIG, (0, "result")), most=20_000)
    held = {kept: Fraction(kept) for kept in range(21, 27)}
    for kept in range(20, -1, -1):
        held[kept] = sum((held[kept + throw] for throw in range(2, 7)), Fraction(0)) / 6
    assert found.optimal_values[0].low == found.optimal_values[0].high == held[0] == found.distributions[0].mean
    assert found.state_count < 20_000


ALIKE = """
procedure alike(p: player) gives 0..1 "Both ways lead to the same, one of them late":
  let throws: 0..9 = 0
  ask p whether on "Later?":
    repeat while throws < 5 at most 5:
      roll d4 as throw by p
      set throws to throws + 1
      if throw.natural = 1:
        finish with 1
  finish with 1
"""


@pytest.mark.parametrize("rules", [PRESS, ALIKE])
def test_best_play_that_is_certain_early_is_that_of_all_moments(rules: str, monkeypatch: pytest.MonkeyPatch) -> None:
    play = ask_best_play(rules, (0, "result"))
    whole = answer_play(play)
    monkeypatch.setattr(best_play_module, "_FIRST_STATE_COUNT", 1)
    found = answer_play(play)
    assert (found.optimal_values, found.distributions) == (whole.optimal_values, whole.distributions)
    assert rules == PRESS or found.state_count == whole.state_count


PICKS = """
procedure picks(p: player) gives 0..9 "Throw some again":
  roll 3d2 as hand by p
  for each _ in 1..2:
    ask p to pick 0..2 of each d in hand as again "Which again?"
    reroll again by p
  finish with if(total(hand) = 5, 8, total(hand))
"""
CHOSEN = """
procedure chosen(p: player, q: player) gives 0..99 "Keep one":
  roll 2d3 as hand by p
  ask q for bad in hand where bad.natural >= 2 "Which again?":
    reroll bad by q
  else:
    nothing
  ask p to pick 1 of each d in hand as own "Which is yours?"
  ask q for last in hand "Which counts?":
    finish with 10 * sum([each d in own: d.natural]) + if(last in own, 0, last.natural)
  finish with 0
"""


@pytest.mark.parametrize(("rules", "sides", "moments"), [(PICKS, {0: 1}, 23), (CHOSEN, {0: 1, 1: -1}, 34)])
def test_dice_that_look_alike_are_one_to_who_chooses(rules: str, sides: dict[int, int], moments: int) -> None:
    play = ask_best_play(rules, *((player, "result" if side > 0 else "-result") for player, side in sides.items()))
    begun = play.start
    start = Run.begin(begun.executable, begun.situation, begun.procedure.name, begun.arguments, begun.limits)
    found = answer_play(play)
    assert found.optimal_values[0].low == found.optimal_values[0].high == searched(start, sides)
    assert found.state_count == moments


SET_ASIDE = """
procedure set_aside(p: player) gives 0..99 "Set scoring dice aside and throw the rest, or stop":
  let banked: 0..99 = 0
  let left: 0..4 = 4
  repeat while left > 0 at most 4:
    roll left of d4 as dice by p
    ask p to pick 1..4 of each d in dice as aside "Which do you set aside?":
      require scoring: every d in aside: d.natural = 1 or count(each e in aside where e.natural = d.natural) >= 3
      set banked to min(99, banked + worth(aside))
      set left to count(each d in dice where d not in aside)
    else:
      finish with 0
    ask p whether on "Again?"
    else:
      finish with banked
  finish with banked
term worth(s: set of die of 1..4) gives 0..16 means min(16, sum([each d in s: d.natural]))
"""
THROWN_ON = """
procedure thrown_on(p: player) gives 0..99 "The same with dice of one throw, thrown on":
  let banked: 0..99 = 0
  roll 4d4 as dice by p
  let free = {each d in dice}
  repeat while (some d in free) at most 4:
    ask p to pick 1..4 of each d in free as aside "Which do you set aside?":
      require scoring: every d in aside: d.natural = 1 or count(each e in aside where e.natural = d.natural) >= 3
      set banked to min(99, banked + sum([each d in aside: d.natural]))
      take aside from free
    else:
      finish with 0
    if some d in free:
      ask p whether on "Again?":
        reroll free by p
      else:
        finish with banked
  finish with banked
"""
ONE_BY_ONE = SET_ASIDE.replace(
    "      set banked to min(99, banked + worth(aside))\n",
    "      for each d in aside:\n        set banked to min(99, banked + d.natural)\n",
)


@cache
def _set_aside(sides: int, left: int, banked: int, choice: Callable[[Sequence[Fraction]], Fraction]) -> Fraction:
    """What it is worth to throw so many dice, by all throws and all sets of dice, each die told apart."""
    if not left:
        return Fraction(banked)
    found = Fraction(0)
    for faces in product(range(1, sides + 1), repeat=left):
        worths = []
        for places in chain.from_iterable(combinations(range(left), size) for size in range(1, left + 1)):
            aside = [faces[each] for each in places]
            if all(each == 1 or aside.count(each) >= 3 for each in aside):
                kept, rest = banked + sum(aside), left - len(aside)
                on = _set_aside(sides, rest, kept, choice) if rest else Fraction(kept)
                worths.append(choice([on, Fraction(kept)]))
        found += choice(worths) if worths else 0
    return found / sides**left


def _alike(worths: Sequence[Fraction]) -> Fraction:
    return sum(worths, Fraction(0)) / len(worths)


@pytest.mark.parametrize(("rules", "most"), [(SET_ASIDE, 110), (THROWN_ON, 150), (ONE_BY_ONE, 110)])
def test_sets_of_dice_that_look_alike_are_one_to_who_presses_luck(rules: str, most: int) -> None:
    play = ask_best_play(rules, (0, "result"))
    found = answer_play(play)
    assert found.optimal_values[0].low == found.optimal_values[0].high == _set_aside(4, 4, 0, max)
    assert found.state_count < most
    at_random = answer_play(ask_best_play(rules), policy="random")
    assert at_random.distributions[0].mean == _set_aside(4, 4, 0, _alike)


MANY = """
procedure many(p: player) gives -20..20 "A million sets of twenty dice, of which 121 are told apart":
  roll 20 of d2 as hand by p
  ask p to pick 0..20 of each d in hand as own "Which are yours?":
    require enough: count(own) != 1
  finish with count(each d in own where d.natural = 1) - count(each d in own where d.natural = 2)
"""


def test_sets_of_many_dice_that_look_alike_are_listed_once() -> None:
    best = Fraction(sum(comb(20, ones) * ones for ones in range(2, 21)), 2**20)
    assert answer_play(ask_best_play(MANY, (0, "result"))).optimal_values[0].low == best
    at_random = answer_play(ask_best_play(MANY), policy="random").distributions[0]
    assert at_random.mean == 0
    assert at_random.probabilities[20] == Fraction(1, 2**20 * (2**20 - 20))


@pytest.mark.parametrize("second", ["-result", "1 - result"])
def test_two_who_want_the_opposite_expect_the_best_of_each_other(second: str) -> None:
    play = ask_best_play(NIM.replace("9 =", "5 =").replace("= 9", "= 5"), (0, "result"), (1, second))
    begun = play.start
    start = Run.begin(begun.executable, begun.situation, begun.procedure.name, begun.arguments, begun.limits)
    found = answer_play(play)
    assert found.optimal_values[0].low == searched(start, {0: 1, 1: -1})
    more = {"-result": 0, "1 - result": 1}[second]
    assert found.optimal_values[1].low == more - found.optimal_values[0].low


def test_two_who_want_the_same_play_together() -> None:
    rules = NIM.replace("9", "5")
    assert compute_worth(rules, (0, "result"), (1, "result")) == compute_worth(
        rules, (0, "2 * result - result"), (1, "result + 3")
    )
    assert compute_worth(rules, (0, "result"), (1, "result")) > compute_worth(rules, (0, "result"), (1, "-result"))


def test_one_plays_for_the_best_against_a_policy() -> None:
    rules = NIM.replace("9", "5")
    against_first = compute_worth(rules, (0, "result"), policies={1: "first"})
    assert (
        against_first
        >= compute_worth(rules, (0, "result"), policy="random")
        >= compute_worth(rules, (0, "result"), (1, "-result"))
    )


def test_other_wishes_are_refused() -> None:
    with pytest.raises(NoBestPlayError) as refused:
        compute_worth(NIM.replace("9", "5"), (0, "result"), (1, "0 * result"))
    assert refused.value.finding.code == "RW1128"


def test_what_lies_beyond_the_limit_leaves_bounds() -> None:
    whole = compute_worth(PRESS, (0, "result"))
    for most in (2, 5, 9, 14):
        (told,) = answer_play(ask_best_play(PRESS, (0, "result")), most=most).optimal_values
        assert told.low <= whole <= told.high
    assert told.low < told.high
    with pytest.raises(NoBestPlayError) as refused:
        answer_play(ask_best_play(PRESS, (0, "-result * result * result / 7")), most=2)
    assert refused.value.is_limit_hit


PICK = """
procedure pick(ann: player, bob: player) gives 0..9 "A guess":
  let won: 0..9 = 0
  ask {first} {secretly} to choose one "Heads or tails?":
    option heads
    option tails
  {reveal}
  ask {second} to choose two "Which was it?":
    option heads
    option tails
  {later}
  if one = "heads" and two = "heads":
    set won to 1
  if one = "tails" and two = "tails":
    set won to 3
  finish with won
"""


def _pick(secretly: str, reveal: str = "", later: str = "") -> str:
    lines = PICK.format(first="bob", second="ann", secretly=secretly, reveal=reveal, later=later)
    return "\n".join(line for line in lines.splitlines() if line.strip())


def test_what_was_chosen_in_secret_is_not_looked_at() -> None:
    with pytest.raises(HiddenInformationError) as refused:
        compute_worth(_pick("secretly", later="reveal one"), (0, "result"), (1, "-result"))
    assert (refused.value.fact.sort, refused.value.fact.player) == ("secret", 1)
    with pytest.raises(HiddenInformationError):
        compute_worth(_pick("secretly", later="reveal one"), (0, "result"), policies={1: "random"})


def test_what_is_revealed_or_certain_may_be_known() -> None:
    assert compute_worth(_pick("secretly", reveal="reveal one"), (0, "result"), (1, "-result")) == 1
    assert compute_worth(_pick("secretly", later="reveal one"), (0, "result"), policies={1: "first"}) == 1
    tails = compute_worth(_pick("secretly", later="reveal one"), (0, "result"), script="one: tails")
    assert tails == 3


DRAWN = """
procedure guess(ann: player, bob: player) gives 0..9 "A guess":
  let pile: bag of 1..3 = {}
  add 1 to pile
  add 3 to pile
  draw secretly from pile as card for bob
  else:
    finish with 0
  LINE
  ask WHO whether high "High?"
  reveal card
  finish with if(high = (card = 3), card, 0)
"""


def _guess(who: str, line: str = "nothing") -> str:
    return DRAWN.replace("WHO", who).replace("LINE", line)


def test_what_another_drew_in_secret_is_not_looked_at() -> None:
    with pytest.raises(HiddenInformationError) as refused:
        compute_worth(_guess("ann"), (0, "result"))
    unseen = refused.value.fact
    assert (unseen.sort, unseen.name.endswith("guess/card"), unseen.player) == ("drawn", True, 1)


def test_who_drew_it_plays_by_it_and_so_do_all_once_it_is_revealed() -> None:
    assert compute_worth(_guess("bob"), (1, "result")) == 2
    assert compute_worth(_guess("ann", "reveal card"), (0, "result")) == 2


ALL = """
procedure both() gives -1..1 "Matching pennies":
  ask all players as p whether up "Heads up?"
  let ups = count(each p in players where up[p])
  finish with if(ups = 1, -1, 1)
"""


def test_choices_at_the_same_time_need_a_policy() -> None:
    with pytest.raises(HiddenInformationError):
        compute_worth(ALL, (0, "result"), (1, "-result"))
    assert compute_worth(ALL, (0, "result"), policies={1: "first"}) == 1
    assert compute_worth(ALL, (0, "result"), policies={1: "random"}) == 0


def test_faults_are_avoided_or_best_play_is_refused() -> None:
    rules = """
procedure narrow(p: player) gives 1..9 "A name that may be too small":
  let kept: 1..5 = 1
  ask p whether dares "Risk it?":
    roll d6 as blow by p
    set kept to blow.natural
    {extra}
  finish with kept + 2
"""
    assert compute_worth(rules.replace("{extra}", "finish with 1"), (0, "result")) == 3
    with pytest.raises(NoBestPlayError) as refused:
        compute_worth(rules.replace("{extra}", "finish with 9"), (0, "result"))
    assert refused.value.finding.code == "RW1130"


# Moments that lead back to each other, which rules seldom make: their loops count how often they went round.


def _made(draw: Random, size: int) -> ExploredStates:
    """Moments of chance and of two players that lead to each other; the last two are ends."""
    ways: list[Any] = []
    choices: dict[int, PlayerDecision] = {}
    for number in range(size):
        to = draw.sample(range(size + 2), 2)
        if draw.random() < 0.5:
            choices[number] = PlayerDecision(draw.randrange(2), (0, 1), (to[0], to[1]))
            ways.append(())
        else:
            likely = Fraction(draw.randint(1, 5), 6)
            ways.append(((likely, to[0]), (1 - likely, to[1])))
    return ExploredStates((*ways, (), ()), choices, {}, {})


def _policies(found: ExploredStates, player: int) -> Iterator[dict[int, int]]:
    own = [number for number, each in found.decisions.items() if each.player == player]
    for places in product((0, 1), repeat=len(own)):
        yield dict(zip(own, places, strict=True))


def _value(found: ExploredStates, taken: dict[int, int]) -> tuple[Fraction, Fraction]:
    """What a play is worth, and how likely it never ends."""
    ways = list(found.transitions)
    for number, place in taken.items():
        ways[number] = ((Fraction(1), found.decisions[number].successors[place]),)
    came = compute_absorption(ways)
    last = len(ways) - 1
    return came.ends.get(last, Fraction(0)), came.never_ends


def test_loops_under_choice_are_solved_exactly() -> None:
    """Against every pair of policies written out; where one of them never ends that is found before."""
    compared = 0
    for seed in range(400):
        found = _made(Random(seed), 6)
        size = len(found.transitions)
        reachable = {0}
        for _ in range(size):
            reachable |= {to for each in reachable for _, to in found.transitions[each]}
            reachable |= {
                to for each in reachable if each in found.decisions for to in found.decisions[each].successors
            }
        every = [[_value(found, one | other) for other in _policies(found, 1)] for one in _policies(found, 0)]
        endless = any(never for row in every for _, never in row)
        staying = find_endless_states(found) & reachable
        assert bool(staying) >= endless
        if staying or (0 not in found.decisions and not found.transitions[0]):
            continue
        ends = {size - 2: Fraction(0), size - 1: Fraction(1)}
        solution = solve_by_policy_iteration(found, ends, {0: 1, 1: -1})
        assert solution.state_values[0] == max(min(worth_ for worth_, _ in row) for row in every)
        assert _value(found, dict(solution.chosen_answers))[0] == solution.state_values[0]
        compared += 1
    assert compared >= 50


AGAIN = """
procedure again(p: player) gives 1..6 "Roll, and again as often as you like":
  step 1 "Throw":
    roll d6 as blow by p
  step 2 "Again":
    ask p whether once_more "Again?":
      proceed to 1 at most BOUND
    finish with blow.natural
"""


def test_a_bound_that_best_play_never_comes_to_is_left_out() -> None:
    found = answer_play(ask_best_play(AGAIN.replace("BOUND", "1000"), (0, "result")))
    assert found.optimal_values[0].low == found.optimal_values[0].high == 6
    assert found.distributions[0].probabilities == {6: 1}
    assert 0 < found.error_share <= NEGLIGIBLE_SHARE
    assert found.state_count < 20


@pytest.mark.parametrize("bound", [0, 1, 5])
def test_a_bound_that_decides_is_followed_and_players_stop_at_it(bound: int) -> None:
    worth_ = Fraction(7, 2)
    for _ in range(bound):
        worth_ = sum(max(Fraction(face), worth_) for face in range(1, 7)) / 6
    found = answer_play(ask_best_play(AGAIN.replace("BOUND", str(bound)), (0, "result")))
    assert found.optimal_values[0].low == found.optimal_values[0].high == worth_ == found.distributions[0].mean
    assert not found.faults


FORCED = """
procedure forced(p: player) gives 1..9 "Again until a one, unless you settle for two":
  ask p whether settles "Settle?":
    finish with 2
  repeat while yes at most BOUND:
    roll die(50) as blow by p
    if blow.natural = 1:
      finish with 3
  finish with 1
"""


def test_where_best_play_comes_to_the_bound_its_worth_is_told_between_bounds() -> None:
    missed = Fraction(49, 50) ** 120
    found = answer_play(ask_best_play(FORCED.replace("BOUND", "120"), (0, "result")))
    assert (found.optimal_values[0].low, found.optimal_values[0].high) == (3 - 2 * missed, 3 + 6 * missed)
    assert found.distributions[0].probabilities == {3: 1 - missed}
    assert [*found.faults.values()] == [missed]
    avoided = answer_play(ask_best_play(FORCED.replace("BOUND", "20"), (0, "result"))).optimal_values[0]
    assert avoided.low == avoided.high == 2


def test_within_a_limit_bounds_of_worth_and_shares_are_true() -> None:
    for rules, wanted in ((PRESS, "result"), (PIG.replace("999", "30"), "result"), (PRESS, "result = 0")):
        play = ask_best_play(rules, (0, wanted))
        whole = answer_play(play)
        for most in (2, 3, 5, 9, 14, 20, 30):
            found = answer_play(play, most=most)
            assert found.optimal_values[0].low <= whole.optimal_values[0].low <= found.optimal_values[0].high
            assert found.open_share or found.optimal_values[0].low == found.optimal_values[0].high
            told = found.distributions[0].probabilities
            for value, likely in whole.distributions[0].probabilities.items():
                assert told.get(value, 0) <= likely <= told.get(value, 0) + found.open_share
            assert {*told} <= {*whole.distributions[0].probabilities}


def test_within_a_limit_two_players_are_opposed_only_where_that_is_written() -> None:
    whole = compute_worth(NIM, (0, "result"), (1, "-result"))
    for most in (3, 10, 30):
        (told, _) = answer_play(ask_best_play(NIM, (0, "result"), (1, "-result")), most=most).optimal_values
        assert told.low <= whole <= told.high
        with pytest.raises(NoBestPlayError) as refused:
            answer_play(ask_best_play(NIM, (0, "result"), (1, "1 - result")), most=most)
        assert refused.value.is_limit_hit


def test_a_player_who_may_go_on_for_ever_does_what_is_best_of_all_policies() -> None:
    """Where going on for ever is worth less than any end, beside every policy written out."""
    compared = 0
    for seed in range(300):
        found = _made(Random(seed), 6)
        size = len(found.transitions)
        choices = {number: PlayerDecision(0, each.answers, each.successors) for number, each in found.decisions.items()}
        found = ExploredStates(found.transitions, choices, {}, {})
        ends = {size - 2: Fraction(0), size - 1: Fraction(1)}
        solution = solve_by_policy_iteration(found, ends, {0: 1}, Fraction(-1))
        values = [_value(found, each) for each in _policies(found, 0)]
        if found.transitions[0] or 0 in found.decisions:
            assert solution.state_values[0] == max(end - never for end, never in values)
            end, never = _value(found, dict(solution.chosen_answers))
            assert end - never == solution.state_values[0]
            compared += any(never for _, never in values)
    assert compared >= 50
