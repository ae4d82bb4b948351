"""States that nobody wrote: right in every type, the same for the same seed, as large as was asked for."""

import pytest

from rulewright.base.source import Text
from rulewright.documents.state_file import read_state
from rulewright.documents.state_generation import make_state, parse_situation, vary_state
from rulewright.documents.value_sampling import NoValueError, SeededChoices, SizeRanges, choose_number
from rulewright.program.declarations import Program
from support.legal_starts import begin_procedure, make_legal_situation
from support.reference.ruleset_texts import load_text

RULES = """
ruleset camp "Camp" revision "1"

values Mood: calm, angry

record Order:
  to: hex?
  strength: 1..3

kind Tent, tents:
  owner: player
  at: hex
  room: 0..4

kind Scout, scouts:
  owner: player
  at: hex?
  facing: direction
  tent: Tent?
  moods: set of Mood
  orders: list of Order
  seen: map of Tent to 0..9 = 0

board field of hex:
  rough: flag = no
  side river: flag = no

relation knows(a: Scout, b: Tent)

game:
  active: player
  round: 1..400

setting lucky: Mood = calm

always room for each t in tents: t.room > 0

procedure rest(scout: Scout, tent: Tent) "Rest":
  require own: scout.owner = tent.owner
  set scout.tent to tent
"""


@pytest.fixture(scope="module")
def camp() -> Program:
    found = load_text(RULES)
    assert found.program is not None, found.diagnostics
    return found.program


@pytest.mark.parametrize("seed", range(50))
def test_every_made_state_can_be_read(camp: Program, seed: int) -> None:
    state = make_state(camp, SizeRanges(), SeededChoices(seed))
    found = parse_situation(state, camp)
    assert found is not None
    assert 2 <= len(found.base.things["Scout"]) <= 5
    assert found.base.things["player"] == ("red", "blue")


def test_the_same_seed_makes_the_same_state(camp: Program) -> None:
    assert make_state(camp, SizeRanges(), SeededChoices(7)) == make_state(camp, SizeRanges(), SeededChoices(7))
    assert make_state(camp, SizeRanges(), SeededChoices(7)) != make_state(camp, SizeRanges(), SeededChoices(8))


def test_sizes_are_kept(camp: Program) -> None:
    state = make_state(
        camp, SizeRanges(players=(3, 3), things={"Tent": (1, 1), "Scout": (6, 6)}, radius=(2, 2)), SeededChoices(1)
    )
    assert state["players"] == {"red": {}, "blue": {}, "green": {}}
    assert list(state["tents"]) == ["tent_1"]  # type: ignore[arg-type]
    assert list(state["scouts"]) == [f"scout_{at}" for at in range(1, 7)]  # type: ignore[arg-type]
    assert state["field"]["shape"] == {"radius": 2}  # type: ignore[index, call-overload]


def test_a_reference_to_a_kind_without_things_has_no_value(camp: Program) -> None:
    with pytest.raises(NoValueError):
        make_state(camp, SizeRanges(players=(0, 0)), SeededChoices(1))
    assert make_legal_situation(lambda: make_state(camp, SizeRanges(players=(0, 0)), SeededChoices(1)), camp) is None


FIXTURE = """
players: [north, south]
tents:
  big: {owner: north, at: [0, 0], room: 4}
scouts:
  fox: {owner: north, at: [1, 0], facing: 2, tent: null, moods: [], orders: []}
  owl: {owner: south, at: null, facing: 0, tent: big, moods: [calm], orders: [{to: [0, 0], strength: 2}]}
field: {shape: {radius: 1}}
game: {active: north, round: 1}
"""


def test_a_varied_state_keeps_the_things_of_its_fixture(camp: Program) -> None:
    fixture = read_state(Text("fixture.yaml", FIXTURE), camp).value
    assert fixture is not None
    states = [vary_state(camp, fixture, SizeRanges(), SeededChoices(seed)) for seed in range(50)]
    assert all(parse_situation(each, camp) is not None for each in states)
    assert {tuple(each["scouts"]) for each in states} == {("fox", "owl")}  # type: ignore[arg-type]
    assert len({str(each) for each in states}) > 40
    assert {each["field"]["shape"]["radius"] for each in states} == {1}  # type: ignore[index, call-overload]


def test_a_procedure_begins_only_as_its_needs_allow(camp: Program) -> None:
    from rulewright.runtime.executable import compile_program  # noqa: PLC0415
    from rulewright.runtime.faults import RunLimits  # noqa: PLC0415

    executable, procedure = compile_program(camp, traced=False), camp.procedures["rest"]
    for seed in range(30):
        chooser = SeededChoices(seed)
        situation = make_legal_situation(lambda chooser=chooser: make_state(camp, SizeRanges(), chooser), camp)
        assert situation is not None
        found = begin_procedure(executable, situation, procedure, chooser, RunLimits())
        owners, rooms = situation.attributes["Scout/owner"], situation.attributes["Tent/room"]
        able = set(owners) & set(situation.attributes["Tent/owner"])
        assert (found is not None) == (bool(able) and min(rooms) > 0)
        if found is not None:
            scout, tent = found[0]
            assert owners[scout] == situation.attributes["Tent/owner"][tent]


@pytest.mark.parametrize(("low", "high"), [(0, 3), (-5, -5), (1, 400), (None, 4), (2, None), (None, None)])
def test_numbers_keep_their_bounds(low: int | None, high: int | None) -> None:
    chooser = SeededChoices(3)
    found = {choose_number(chooser, low, high) for _ in range(500)}
    assert low is None or min(found) >= low
    assert high is None or max(found) <= high
    if low is not None and high is not None and high - low <= 12:
        assert found == set(range(low, high + 1))
    if (low, high) == (1, 400):
        assert {1, 2, 3, 399, 400} <= found


def test_what_has_a_start_value_often_keeps_it(camp: Program) -> None:
    states = [make_state(camp, SizeRanges(), SeededChoices(seed)) for seed in range(40)]
    left_out = ["seen" not in scout for state in states for scout in state["scouts"].values()]  # type: ignore[union-attr]
    assert 0.3 < sum(left_out) / len(left_out) < 0.7


def test_settings_are_mostly_left_as_they_are(camp: Program) -> None:
    left_out = ["lucky" not in make_state(camp, SizeRanges(), SeededChoices(seed))["settings"] for seed in range(40)]  # type: ignore[operator]
    assert 0.7 < sum(left_out) / len(left_out) < 1


def test_things_stand_on_hexes_near_each_other_where_there_is_no_board() -> None:
    loaded = load_text(
        'ruleset camp "Camp" revision "1"\nkind Tent, tents:\n  owner: player\n  at: hex\nprocedure rest(tent: Tent) "Rest":\n  nothing\n'
    )
    program = loaded.program
    assert program is not None
    for seed in range(20):
        state = make_state(program, SizeRanges(), SeededChoices(seed))
        assert parse_situation(state, program) is not None
        assert isinstance(state["tents"], dict)
        for tent in state["tents"].values():
            assert isinstance(tent, dict)
            assert max(map(abs, tent["at"])) <= 2
