"""No small change of a rule is proved to be none: those of the main text of MEL that no checker can tell are none."""

from functools import cache
from pathlib import Path

import pytest

from rulewright.comparing.comparison import compare
from rulewright.files.providers import Memory
from rulewright.mutations.mutant import Mutant, known_of
from rulewright.mutations.operators import mutants
from rulewright.source import Text
from rulewright.syntax.parser import parse
from rulewright.workspace import Loaded, locate
from rulewright.workspace.load import Again
from support.draws import sampled

MEL = Path(__file__).parents[2] / "rulesets" / "mel"
MAIN = "mel.rules"
TEXTS = {path.name: path.read_text(encoding="utf-8") for path in MEL.iterdir() if path.suffix in {".rules", ".yaml"}}
EVERY = 12
NO_CHANGE = {"melee_attack/MEL.50/winner/defender_ahead row left out": "the row below it gives the same winner"}


AGAIN = Again()


@cache
def unchanged() -> Loaded:
    return loaded(TEXTS[MAIN])


def loaded(text: str) -> Loaded:
    provider = Memory({**TEXTS, MAIN: text})
    return AGAIN.load(locate(MAIN, provider), (), provider)


def changes() -> list[Mutant]:
    base = unchanged()
    assert base.linked is not None
    known = known_of(each for module in base.linked.modules for each in module.declarations)
    text = Text(MAIN, TEXTS[MAIN])
    file = parse(text).file
    assert file is not None
    return list(mutants(file, text, known))[::EVERY]


@pytest.mark.parametrize("mutant", sampled(changes(), 3), ids=lambda mutant: mutant.name)
def test_a_changed_rule_is_left_to_plays_unless_it_is_none(mutant: Mutant) -> None:
    text, old = TEXTS[MAIN], unchanged()
    new = loaded(text[: mutant.place.start] + mutant.new + text[mutant.place.end :])
    if new.program is None:
        pytest.skip("the checker refuses it")
    found = compare(old, new)
    assert found.structure == "changed"
    assert (found.known is not None) == (mutant.name in NO_CHANGE)
