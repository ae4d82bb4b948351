"""A small draw of the commands: no false verdict or witness, and the same one each time."""

from itertools import islice
from pathlib import Path

import pytest

from corpus.apart import brute, parting, staged
from corpus.repeated import unlike
from corpus.revisions import Revision, judged as judged_revision, revision, told as told_of_revisions
from corpus.verdicts import Judging, judged, told
from rulewright import api
from rulewright.base.files import DISK
from rulewright.scenarios.case_opening import RulesetLoader
from rulewright.scenarios.scenario_files import read_cases
from support.reference.ruleset_texts import load_program
from support.sample_sizes import choose_count

MEL = Path(__file__).parents[2] / "rulesets" / "mel"
RACE = """\
ruleset race "A race" revision "1"
kind player, players:
  score: 0..9 = 0
procedure go(far: flag = no) "Go":
  step 1 "All":
    for each p in players:
      ask p whether run when far or p.score < 5 "Run?":
        add up to 1 to p.score
"""
EACH = choose_count(2, 4)
ASKS = """\
ruleset asks "Questions" revision "1"
values Suit: clubs, hearts
kind Unit, units:
  owner: player
  hurt: flag = no
game:
  stack: deck of Suit
event called(who: Unit) "A call":
  holders units
  order by [who.owner]
handler answer for each u in {who} on called when not u.hurt optional "Answer?":
  set u.hurt to yes
procedure pick(a: Unit, b: Unit, c: Unit) "Pick":
  ask a.owner to pick 1..2 of each u in {a, b, c} as hit "Who?":
    require not_a: some u in hit where u != a "not a alone"
procedure split(a: Unit, b: Unit, c: Unit) "Split":
  ask a.owner to split 2 over {a, b, c} as hits "How?":
    require some_b: b = a or hits[b] <= 1 "not all to b"
  else:
    nothing
procedure order(a: Unit, b: Unit, c: Unit) "Order":
  ask a.owner to order {a, b, c} as turns "In which order?":
    require first: a = b or turns[1] != b "not b first"
  else:
    nothing
procedure secretly(a: Unit) "In secret":
  ask a.owner secretly whether feint "Feint?"
  reveal feint
procedure shuffled() "Shuffle":
  shuffle stack
procedure call(a: Unit, b: Unit, c: Unit) "Call":
  trigger called(a)
"""


@pytest.fixture(scope="module")
def judging(tmp_path_factory: pytest.TempPathFactory) -> Judging:
    return Judging(tmp_path_factory.mktemp("corpus"), 20_000, every=False)


@pytest.mark.parametrize("part", range(choose_count(1, 4)))
def test_no_verdict_of_a_small_draw_is_false(judging: Judging, part: int) -> None:
    outcomes = list(judged(judging, seed=100 + part, count=EACH))
    assert len(outcomes) == EACH
    assert not [each for each in outcomes if each.false], "\n".join(told(outcomes))


@pytest.mark.long
def test_load_and_processes_change_nothing(tmp_path: Path) -> None:
    found = list(islice(unlike(Judging(tmp_path, 40_000), seed=5, count=2, times=3), 2))
    assert [ways for _, _, ways in found] == [1, 1]


@pytest.mark.parametrize(
    ("before", "after", "how"),
    [
        ("up to 1", "up to 2", "another end"),
        ("up to 1", "up to 1 + 0", ""),
        ("flag = no", "flag = yes", "another question"),
        ("flag = no", "flag", "an argument is needed"),
        ("score: 0..9 = 0", "score: 0..9 = 1", "another end"),
    ],
)
def test_brute_force_parts_texts(before: str, after: str, how: str) -> None:
    found = brute(load_program(RACE), load_program(RACE.replace(before, after)), [], 300)
    assert found.rpartition(": ")[2] == how


def test_scenarios_part_texts(tmp_path: Path) -> None:
    old = api.load(str(MEL))
    folder = tmp_path / "mel"
    folder.mkdir()
    for path in MEL.glob("*.rules"):
        text = path.read_text(encoding="utf-8").replace("lost: take 1 from", "lost: take 2 from")
        (folder / path.name).write_text(text, encoding="utf-8")
    new = api.load(str(folder))
    cases = [
        each
        for each in read_cases((str(MEL / "mel.scenario.yaml"),), RulesetLoader(DISK)).value or ()
        if not each.overlays
    ]
    scenarios = [each for each in (staged(case, old) for case in cases) if each is not None]
    assert not any(parting(each, old, old) for each in scenarios)
    assert any(parting(each, old, new) for each in scenarios)


@pytest.mark.parametrize(
    ("before", "after", "sort"),
    [
        ("u != a ", "u != b ", "options"),
        ("hits[b] <= 1", "hits[c] <= 1", "options"),
        ("turns[1] != b", "turns[1] != c", "options"),
        ('secretly whether feint "Feint?"\n  reveal feint', 'whether feint "Feint?"', "secret"),
        ("  shuffle stack", "  add clubs to stack\n  shuffle stack", "options"),
        ("trigger called(a)", "trigger called(b)", "question"),
        ("not_a: some", "no_a: some", ""),
    ],
)
def test_a_witness_parts_where_it_is_replayed(tmp_path: Path, before: str, after: str, sort: str) -> None:
    found = judged_revision(Revision(0, "asks", ASKS, ASKS.replace(before, after, 1)), tmp_path, 20_000)
    assert sort in found.witnesses if sort else not found.witnesses
    assert not found.false, list(told_of_revisions([found]))


@pytest.mark.parametrize("part", range(choose_count(1, 2)))
def test_no_revision_of_a_small_draw_is_judged_wrongly(tmp_path: Path, part: int) -> None:
    found = [judged_revision(revision(seed, tmp_path), tmp_path, 5_000, 60) for seed in range(3 * part, 3 * part + 3)]
    assert not [each for each in found if each.false], "\n".join(told_of_revisions(found))
