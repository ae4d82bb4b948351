"""Made states of the plane with decks, bags and poses, and procedures that begin with a secret question."""

import pytest

from rulewright.documents.state_generation import make_state, parse_situation, vary_state
from rulewright.documents.value_sampling import NoValueError, SeededChoices, SizeRanges, ValueSampler
from rulewright.program.declarations import Program
from rulewright.program.types import PlaneType
from rulewright.runtime.executable import compile_program
from rulewright.runtime.faults import RunLimits
from rulewright.runtime.run import Paused
from support.legal_starts import begin_procedure, make_legal_situation
from support.reference.ruleset_texts import load_text

RULES = """
ruleset field "Field" revision "1"

values Suit: cups, swords

kind Flag, flags:
  owner: player
  at: point?
  facing: angle
  base: shape?
  last: pose?
  hand: bag of Suit

kind Hill, hills:
  outline: polygon

board field of plane

game:
  pile: deck of Suit
  raised: deck of Flag
  goal: point

procedure guess(flag: Flag) "Guess":
  ask flag.owner secretly whether swords_are_next "Are swords on top?"
  reveal swords_are_next
  if swords_are_next:
    draw from pile as suit
    else:
      finish
    add suit to flag.hand
"""
SEEDS = range(60)


@pytest.fixture(scope="module")
def field() -> Program:
    found = load_text(RULES)
    assert found.program is not None, found.diagnostics
    return found.program


@pytest.mark.parametrize("seed", SEEDS)
def test_every_made_state_can_be_read(field: Program, seed: int) -> None:
    assert parse_situation(make_state(field, SizeRanges(), SeededChoices(seed)), field) is not None


def test_decks_and_bags_hold_up_to_four_and_the_same_twice(field: Program) -> None:
    states = [make_state(field, SizeRanges(), SeededChoices(seed)) for seed in SEEDS]
    piles = [state["game"]["pile"] for state in states]  # type: ignore[index, call-overload]
    hands = [flag["hand"] for state in states for flag in state["flags"].values()]  # type: ignore[union-attr, call-overload, index]
    raised = [state["game"]["raised"] for state in states]  # type: ignore[index, call-overload]
    for every in (piles, hands, raised):
        assert {len(each) for each in every} == {0, 1, 2, 3, 4}
        assert any(len(set(each)) < len(each) for each in every)
    assert {card for pile in piles for card in pile} == {"cups", "swords"}


def test_a_deck_keeps_its_order_and_a_bag_none(field: Program) -> None:
    state = make_state(field, SizeRanges(), SeededChoices(1))
    state["game"]["pile"] = ["swords", "cups", "swords"]  # type: ignore[index, call-overload]
    state["flags"]["flag_1"]["hand"] = ["swords", "cups", "swords"]  # type: ignore[index, call-overload]
    found = parse_situation(state, field)
    assert found is not None
    assert found.game["pile"] == (1, 0, 1)
    assert found.attributes["Flag/hand"][0] == (0, 1, 1)


def test_poses_are_of_things_with_bases(field: Program) -> None:
    found = [
        flag["last"]
        for seed in SEEDS
        for flag in make_state(field, SizeRanges(things={"Flag": (2, 2)}), SeededChoices(seed))["flags"].values()  # type: ignore[union-attr]
    ]
    assert {each["thing"] for each in found if each is not None} == {"flag_1", "flag_2"}
    assert all(set(each) == {"thing", "at", "facing"} for each in found if each is not None)
    assert None in found


def test_a_pose_needs_a_thing(field: Program) -> None:
    values = ValueSampler(field, SeededChoices(1), {"Flag": ()}, (), SizeRanges())
    with pytest.raises(NoValueError):
        values.sample_value(PlaneType("pose"))


def test_so_many_bases_of_a_hundred_are_rectangles(field: Program) -> None:
    for oblong, share in ((0, 0), (100, 1), (50, 0.5)):
        states = [make_state(field, SizeRanges(oblong_percent=oblong), SeededChoices(seed)) for seed in SEEDS]
        assert all(parse_situation(each, field) is not None for each in states)
        bases = [flag["base"] for state in states for flag in state["flags"].values()]  # type: ignore[union-attr]
        put = [set(each) for each in bases if each is not None]
        assert abs(put.count({"width", "length"}) / len(put) - share) < 0.1
        assert put.count({"width", "length"}) + put.count({"round"}) == len(put)


def test_bases_stand_over_no_other(field: Program) -> None:
    """Of two round bases the middles are no nearer than the radii allow, rounding aside."""
    for seed in SEEDS:
        situation = parse_situation(make_state(field, SizeRanges(things={"Flag": (5, 5)}), SeededChoices(seed)), field)
        assert situation is not None
        at, bases = situation.attributes["Flag/at"], situation.attributes["Flag/base"]
        discs = [(point, base[1]) for point, base in zip(at, bases, strict=True) if base is not None]
        for number, ((x, y), radius) in enumerate(discs):
            for (other_x, other_y), other in discs[:number]:
                assert (x - other_x) ** 2 + (y - other_y) ** 2 >= (radius + other - 1) ** 2


def test_a_varied_state_has_poses_of_its_own_things(field: Program) -> None:
    fixture = make_legal_situation(
        lambda: make_state(field, SizeRanges(things={"Flag": (3, 3)}), SeededChoices(4)), field
    )
    assert fixture is not None
    for seed in SEEDS:
        assert parse_situation(vary_state(field, fixture, SizeRanges(), SeededChoices(seed)), field) is not None


def test_a_procedure_may_begin_with_a_secret_question(field: Program) -> None:
    executable = compile_program(field, traced=False)
    for seed in range(10):
        chooser = SeededChoices(seed)
        situation = make_legal_situation(lambda chooser=chooser: make_state(field, SizeRanges(), chooser), field)
        assert situation is not None
        found = begin_procedure(executable, situation, field.procedures["guess"], chooser, RunLimits())
        assert found is not None
        (flag,), outcome = found
        assert isinstance(outcome, Paused)
        assert outcome.request.player == situation.attributes["Flag/owner"][flag]
        assert outcome.request.audience == outcome.request.player
