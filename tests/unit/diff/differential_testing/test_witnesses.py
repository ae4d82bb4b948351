"""Each sort of difference has its witness; what is no change of play has none."""

from typing import Any

import pytest

from rulewright.diff.differential_testing.play_comparison import compare_plays
from rulewright.diff.differential_testing.results import BehaviourComparison, ComparisonEffort
from rulewright.program.outline.items import DeclaredName
from support.revision_pairs import check_text, match_names

RULES = """
ruleset duel "Duel" revision "1"

kind Knight, knights:
  owner: player
  wounds: 0..5
  shield: flag = no

game:
  round: 1..9 = 1

decide better(a: Knight, b: Knight) gives Knight? "Who is better off":
  first: a when a.wounds > b.wounds
  second: b when b.wounds > a.wounds
  nobody: none otherwise

procedure strike(striker: Knight, target: Knight) gives Knight? "Strike":
  require standing: striker.wounds >= 1 "only who stands strikes"
  step 1 "Roll":
    ask striker.owner whether mighty "A mighty blow?"
    roll d6 as blow by striker.owner
    if blow.natural >= 4 or mighty:
      take up to 1 from target.wounds
  step 2 "Shield":
    ask target.owner to choose answer "How is it taken?":
      option raise when not target.shield "Raise the shield":
        set target.shield to yes
      option bear "Bear it"
      option duck "Duck"
  step 3 "End":
    finish with better(striker, target)

procedure rest(knight: Knight) "Rest":
  add up to 1 to knight.wounds
"""

FEW = ComparisonEffort(work=480_000, workers=1, witnesses=4, shrinks=100)


def compared(
    before: str, after: str, renamed: dict[DeclaredName, DeclaredName] | None = None, seed: int = 1
) -> BehaviourComparison:
    """The rules against themselves with one text in place of another."""
    assert RULES.count(before) == 1
    old, new = check_text(RULES), check_text(RULES.replace(before, after))
    return compare_plays(old, new, match_names(old, new, renamed), effort=FEW, seed=seed)


@pytest.mark.parametrize(
    ("before", "after", "sort", "ends"),
    [
        ("striker.wounds >= 1", "striker.wounds >= 2", "refused", ("asks", "refuses")),
        ("natural >= 4 or", "natural >= 3 or", "end", ("ends", "ends")),
        ("  add up to 1 to knight", "  add up to 2 to knight", "end", ("ends", "ends")),
        ("ask target.owner to choose", "ask striker.owner to choose", "asked", ("asks", "asks")),
        ("when not target.shield", "when target.shield", "options", ("asks", "asks")),
        ("roll d6 as blow", "roll d8 as blow", "dice", ("asks", "asks")),
        (
            '    ask striker.owner whether mighty "A mighty blow?"\n',
            "    let mighty = no\n",
            "question",
            ("asks", "asks"),
        ),
        ("take up to 1 from target", "take 1 from target", "fault", ("asks", "faults")),
        ("natural >= 4 or mighty", "natural >= 4 and mighty", "result", ("ends", "ends")),
    ],
)
def test_each_sort_of_difference_has_a_witness(before: str, after: str, sort: str, ends: tuple[str, str]) -> None:
    found = compared(before, after)
    assert found.verdict.word == "changed"
    witness = next(each for each in found.witnesses if each.sort == sort)
    assert (witness.old.outcome, witness.new.outcome) == ends


def test_a_witness_is_as_small_as_it_can_be() -> None:
    (witness,) = compared("striker.wounds >= 1", "striker.wounds >= 2").witnesses
    assert witness.old.answers == ()
    assert witness.new.address == "strike/standing"
    assert witness.old.state == witness.new.state
    state: Any = witness.old.state
    assert witness.old.roles["striker"] in state["knights"]
    striker = state["knights"][witness.old.roles["striker"]]
    assert sorted(striker) == ["owner", "wounds"]
    assert striker["wounds"] == 1


def test_a_witness_tells_where_both_part_and_what_changed_until_then() -> None:
    (witness,) = compared("  add up to 1 to knight", "  add up to 2 to knight").witnesses
    state: Any = witness.new.state
    (knight,) = state["knights"]
    assert state["knights"][knight]["wounds"] == 0
    assert witness.old.changes == {"knights": {knight: {"wounds": 1}}}
    assert witness.new.changes == {"knights": {knight: {"wounds": 2}}}
    assert witness.touched == (("rest/add.knight.wounds",), ("rest/add.knight.wounds",))


SAME = [
    ('"A mighty blow?"', '"Hit hard?"'),
    ('"Shield":', '"Taking it":'),
]


@pytest.mark.parametrize(("before", "after"), SAME)
def test_other_words_are_no_change_of_play(before: str, after: str) -> None:
    found = compared(before, after)
    assert (found.verdict.word, found.verdict.basis, found.plays) == ("equivalent", "unreached", 0)
    assert set(found.unaffected_procedures) == {"strike", "rest"}


def test_a_name_of_the_routine_may_be_another() -> None:
    old, new = check_text(RULES), check_text(RULES.replace("mighty", "strong"))
    found = compare_plays(old, new, match_names(old, new), effort=FEW)
    assert (found.verdict.word, found.verdict.basis) == ("equivalent", "unreached")


def test_declarations_may_stand_in_another_order() -> None:
    head, rest = RULES.index("procedure strike"), RULES.index("procedure rest")
    old = check_text(RULES)
    new = check_text(RULES[:head] + RULES[rest:] + "\n" + RULES[head:rest])
    found = compare_plays(old, new, match_names(old, new), effort=FEW)
    assert (found.verdict.word, found.verdict.basis) == ("equivalent", "unreached")


SPLIT = """\
      take up to 1 from target.wounds
  step 1a "Behind the shield":
    let covered = target.shield
"""


def test_the_same_written_otherwise_is_unknown_to_plays() -> None:
    found = compared("      take up to 1 from target.wounds\n", SPLIT)
    assert (found.verdict.word, found.verdict.limit) == ("unknown", f"nothing differed in {found.plays} plays")
    assert found.plays >= 500
    assert found.unaffected_procedures == ("rest",)
    assert all(each.missing == "" for each in found.evidence)


def test_what_was_hardly_reached_is_unknown() -> None:
    old, new = check_text(RULES), check_text(RULES.replace("      take up to 1 from target.wounds\n", SPLIT))
    few = ComparisonEffort(work=36_000, workers=1)
    found = compare_plays(old, new, match_names(old, new), effort=few, seed=1)
    assert found.verdict.word == "unknown"
    assert found.verdict.limit.endswith(" plays")
    assert any(each.missing.startswith("`strike/1a` was reached only") for each in found.evidence)


def test_what_came_out_otherwise_without_a_difference_is_unknown() -> None:
    masked = RULES.replace("    roll d6 as blow", "    let hard = target.shield and mighty\n    roll d6 as blow")
    old = check_text(masked.replace("natural >= 4 or mighty", "natural >= 4 or mighty or hard"))
    new = check_text(
        masked.replace("natural >= 4 or mighty", "natural >= 4 or mighty or hard").replace(
            "target.shield and mighty", "mighty"
        )
    )
    found = compare_plays(old, new, match_names(old, new), effort=FEW, seed=1)
    assert found.verdict.word == "unknown"
    assert "gave another result than in OLD in" in found.verdict.limit
    assert any(each.differing for each in found.evidence)


def test_what_never_began_is_unknown() -> None:
    never = RULES.replace("striker.wounds >= 1", "striker.wounds > 5")
    old = check_text(never)
    new = check_text(never.replace("      take up to 1 from target.wounds\n", SPLIT))
    found = compare_plays(old, new, match_names(old, new), effort=FEW)
    assert (found.verdict.word, found.verdict.limit) == ("unknown", "`strike` never began")


def test_the_same_seed_gives_the_same_witnesses() -> None:
    first, again = (compared("natural >= 4 or", "natural >= 3 or", seed=5) for _ in range(2))
    assert first == again


def test_the_other_way_round_is_the_mirror() -> None:
    old, new = check_text(RULES), check_text(RULES.replace("natural >= 4 or", "natural >= 3 or"))
    names = match_names(old, new)
    there = compare_plays(old, new, names, effort=FEW, seed=2)
    back = compare_plays(new, old, names.invert_direction(), effort=FEW, seed=2)
    assert there.verdict == back.verdict
    assert {each.sort for each in there.witnesses} == {each.sort for each in back.witnesses}


def test_several_processes_find_the_same() -> None:
    old = check_text(RULES)
    new = check_text(RULES.replace("blow.natural >= 4 or mighty", "mighty or not (blow.natural <= 3)"))
    names = match_names(old, new)
    alone = compare_plays(old, new, names, effort=ComparisonEffort(work=300_000, workers=1), seed=3)
    both = compare_plays(old, new, names, effort=ComparisonEffort(work=300_000, workers=2), seed=3)
    assert alone == both
