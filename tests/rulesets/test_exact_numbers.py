"""Every result of every roll is played, and the odds are those that arithmetic gives."""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import yaml

from rulewright import api
from rulewright.inputs.answers import read_answer
from rulewright.inputs.arguments import arguments_of
from rulewright.inputs.names import Names
from rulewright.inputs.nodes import Mapping
from rulewright.inputs.state_file import state_of
from rulewright.inputs.state_json import state_json
from rulewright.inputs.value_reader import node_of
from rulewright.machine.request import Ended, Request
from rulewright.machine.run import Outcome, Paused, advance, start

CHANCE = frozenset({"roll", "draw", "shuffle"})
CASES = yaml.safe_load((Path(__file__).parent / "odds" / "exact.yaml").read_text(encoding="utf-8"))


def ends(
    outcome: Outcome, case: dict[str, Any], ruleset: api.Ruleset, names: Names
) -> Iterator[tuple[Fraction, Ended]]:
    """Every end with its likelihood."""
    if isinstance(outcome, Ended):
        yield Fraction(1), outcome
        return
    assert isinstance(outcome, Paused), outcome
    request = outcome.request
    if request.sort in CHANCE:
        assert request.question is not None
        for index in range(request.question.outcomes):
            after = advance(outcome, request.question.outcome(index))
            for likelihood, end in ends(after, case, ruleset, names):
                yield likelihood / request.question.outcomes, end
        return
    found = read_answer(request, answer(request, case), names, outcome)
    assert not found.diagnostics, found.diagnostics
    yield from ends(advance(outcome, found.value), case, ruleset, names)


def answer(request: Request, case: dict[str, Any]) -> Any:
    """The answer at an address, or the result of an external by its name."""
    given = {**case.get("answers", {}), **case.get("externals", {})}
    return next(value for key, value in given.items() if request.address.endswith(key) or request.name == key)


@pytest.mark.parametrize("case", [pytest.param(each, id=each["name"]) for each in CASES])
def test_odds_are_those_of_arithmetic(case: dict[str, Any]) -> None:
    folder = Path(__file__).parents[2] / "rulesets" / case["ruleset"]
    ruleset = api.load(str(folder), [str(folder / f"{each}.rules") for each in case.get("overlays", ())])
    program = ruleset.program
    situation = state_of(node_of({**case["state"], "settings": case.get("settings", {})}), program)
    assert situation.value is not None, situation.diagnostics
    procedure = program.procedures[case["procedure"]]
    roles = node_of(case.get("with", {}))
    assert isinstance(roles, Mapping)
    arguments = arguments_of(roles, procedure, situation.value, program)
    assert arguments.value is not None, arguments.diagnostics
    begun = start(ruleset.executable, situation.value, procedure.name, arguments.value)
    found: Counter[Any] = Counter()
    for likelihood, end in ends(begun, case, ruleset, Names(program, situation.value.base)):
        found[counted(state_json(end.state.situation(), program), case["count"])] += likelihood
    assert dict(found) == {value: Fraction(odds) for value, odds in case["odds"].items()}


def counted(state: dict[str, Any], place: str) -> Any:
    """`thing.attribute`, in the form of a state file; `thing` alone says whether it is in play."""
    thing, _, attribute = place.partition(".")
    if not attribute:
        return thing not in state.get("removed", ())
    return next(things[thing][attribute] for things in state.values() if isinstance(things, dict) and thing in things)
