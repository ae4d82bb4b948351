"""No small change of a rule is proved to be none: those of the main text of MEL that no checker can tell are none."""

from functools import cache
from pathlib import Path

import pytest

from rulewright.base.files import MemoryFiles
from rulewright.base.source import Text
from rulewright.diff.comparison import compare_rulesets
from rulewright.diff.mutants import Mutant, collect_ruleset_names
from rulewright.diff.mutation_operators import make_mutants
from rulewright.documents.ruleset_loading import IncrementalLoader, LoadedRuleset
from rulewright.documents.ruleset_location import locate_ruleset
from rulewright.syntax.parser import parse_rules_text
from support.sample_sizes import sample_cases

MEL = Path(__file__).parents[2] / "rulesets" / "mel"
MAIN = "mel.rules"
TEXTS = {path.name: path.read_text(encoding="utf-8") for path in MEL.iterdir() if path.suffix in {".rules", ".yaml"}}
EVERY = 12
NO_CHANGE = {"melee_attack/MEL.50/winner/defender_ahead row left out": "the row below it gives the same winner"}


AGAIN = IncrementalLoader()


@cache
def load_original() -> LoadedRuleset:
    return load_main_text(TEXTS[MAIN])


def load_main_text(text: str) -> LoadedRuleset:
    provider = MemoryFiles({**TEXTS, MAIN: text})
    return AGAIN.load_changed(locate_ruleset(MAIN, provider), (), provider)


def make_mutations() -> list[Mutant]:
    base = load_original()
    assert base.linked is not None
    known = collect_ruleset_names(each for module in base.linked.modules for each in module.declarations)
    text = Text(MAIN, TEXTS[MAIN])
    file = parse_rules_text(text).file
    assert file is not None
    return list(make_mutants(file, text, known))[::EVERY]


@pytest.mark.parametrize("mutant", sample_cases(make_mutations(), 3), ids=lambda mutant: mutant.name)
def test_a_changed_rule_is_left_to_plays_unless_it_is_none(mutant: Mutant) -> None:
    text, old = TEXTS[MAIN], load_original()
    new = load_main_text(text[: mutant.place.start] + mutant.new + text[mutant.place.end :])
    if new.program is None:
        pytest.skip("the checker refuses it")
    found = compare_rulesets(old, new)
    assert found.structure_verdict == "changed"
    assert (found.static_verdict is not None) == (mutant.name in NO_CHANGE)
