"""Edits of a shipped ruleset are noticed, each by a play from the situations beside it."""

import pickle
import shutil
from functools import cache
from pathlib import Path

import pytest

from rulewright.base.files import DISK
from rulewright.diff.comparison import RulesetComparison, compare_rulesets
from rulewright.diff.differential_testing.altered_places import find_altered_places
from rulewright.diff.differential_testing.coverage_guided_search import search_part
from rulewright.diff.differential_testing.fixtures import collect_fixtures
from rulewright.diff.differential_testing.harness import ComparisonTask, Harness
from rulewright.diff.differential_testing.play_comparison import compare_plays
from rulewright.diff.differential_testing.results import (
    BehaviourComparison,
    ChangedNames,
    ComparisonEffort,
    ComparisonFixtures,
    WorkBudget,
)
from rulewright.documents.ruleset_loading import LoadedRuleset, load_ruleset
from rulewright.documents.ruleset_location import locate_ruleset
from rulewright.program.declarations import Program
from support.sample_sizes import sample_cases

MEL = Path(__file__).parents[4] / "rulesets" / "mel"
ONE = ComparisonEffort(work=960_000, workers=1, witnesses=1, shrinks=20)

EDITS = {
    "the attacker wins ties": ("tied: defender otherwise", "tied: attacker otherwise", "asked"),
    "a row is left out": (
        '      attacker_destroyed: defender when attacker.destroyed "the attacker is destroyed"  @50.b\n',
        "",
        "question",
    ),
    "one token more is lost": ("take 1 from loser.morale  @50.f", "take 2 from loser.morale  @50.f", ""),
    "a jump leads elsewhere": ("proceed to MEL.70  @20.d", "proceed to MEL.80  @20.d", "question"),
    "a need is stricter": ("attacker.morale >= 1 ", "attacker.morale >= 2 ", "refused"),
    "a bound is missed by one": ('when loser.morale >= 1 "Stand', 'when loser.morale > 1 "Stand', "question"),
    "a line is left out": ("      turn winner to face loser.at  @60.o\n", "", "end"),
    "somebody else is asked": ("ask loser.owner for dest", "ask winner.owner for dest", "asked"),
    "a standing rule acts earlier": ("  when u.health = 0\n", "  when u.health <= 1\n", ""),
    "an external gives less": ("gives (\n    by_attacker: 0..20", "gives (\n    by_attacker: 1..20", "options"),
    "a unit begins otherwise": ("extra_attack: 0..9 = 0", "extra_attack: 0..9 = 1", "start"),
    "a condition always held": (
        'always one_per_hex for each (a, b) in pairs(units, units): a = b or a.at != b.at "no two units share a hex"\n',
        "",
        "legal",
    ),
}


@cache
def mel() -> LoadedRuleset:
    """The ruleset as it is shipped."""
    return load_ruleset(locate_ruleset(str(MEL), DISK), (), DISK)


def edited(folder: Path, before: str, after: str) -> LoadedRuleset:
    """A copy with one text in place of another."""
    copy = folder / "mel"
    shutil.copytree(MEL, copy, ignore=shutil.ignore_patterns("*.scenario.yaml"))
    text, file = next(
        (text, file)
        for file in (copy / "mel.rules", copy / "mel_things.rules")
        if before in (text := file.read_text(encoding="utf-8"))
    )
    file.write_text(text.replace(before, after, 1), encoding="utf-8")
    return load_ruleset(locate_ruleset(str(copy), DISK), (), DISK)


def program(loaded: LoadedRuleset) -> Program:
    """The checked program."""
    assert loaded.program is not None, loaded.diagnostics
    return loaded.program


def played(old: LoadedRuleset, new: LoadedRuleset, comparison: RulesetComparison) -> BehaviourComparison:
    """How both play, where that is not proved."""
    changed = ChangedNames(comparison.unproved.old, comparison.unproved.new)
    near = ComparisonFixtures(
        collect_fixtures(program(old), str(MEL), (), DISK), collect_fixtures(program(new), str(MEL), (), DISK)
    )
    return compare_plays(program(old), program(new), comparison.correspondence, changed, near, ONE, seed=1)


@pytest.mark.parametrize(
    ("before", "after", "sort"),
    [pytest.param(*edit, id=name) for name, edit in sample_cases(EDITS.items(), 4)],
)
def test_an_edit_is_noticed(tmp_path: Path, before: str, after: str, sort: str) -> None:
    new = edited(tmp_path, before, after)
    comparison = compare_rulesets(mel(), new)
    assert not comparison.is_proved_equivalent
    found = played(mel(), new, comparison)
    assert found.verdict.word == "changed"
    assert sort in {"", *(each.sort for each in found.witnesses)}


def test_a_search_can_go_on_in_another_process(tmp_path: Path) -> None:
    old, new = program(mel()), program(edited(tmp_path, "tied: defender otherwise", "tied: attacker otherwise"))
    names = compare_rulesets(mel(), load_ruleset(locate_ruleset(str(tmp_path / "mel"), DISK), (), DISK)).correspondence
    changes = find_altered_places(old, new, names, None)
    task = ComparisonTask(old, new, names, changes, ComparisonFixtures(), (("melee_attack", "melee_attack"),), 4)
    there = pickle.loads(pickle.dumps(task))  # noqa: S301 - our own
    assert search_part(Harness(task), 3, 5, WorkBudget(20_000)) == search_part(Harness(there), 3, 5, WorkBudget(20_000))
