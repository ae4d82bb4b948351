"""Every result of every roll is played, and the odds are those that arithmetic gives."""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from rulewright import api
from rulewright.documents.answers import read_answer
from rulewright.documents.document_nodes import MapNode, data_to_node
from rulewright.documents.name_table import NameTable
from rulewright.documents.procedure_arguments import bind_arguments
from rulewright.documents.state_file import parse_state
from rulewright.documents.state_json import state_to_json
from rulewright.runtime.request import Ended, Request
from rulewright.runtime.run import Outcome, Paused, answer_paused, start_run
from support.yaml_data import read_yaml

CHANCE = frozenset({"roll", "draw", "shuffle"})
CASES = read_yaml(Path(__file__).parent / "odds" / "exact.yaml")


def ends(
    outcome: Outcome, case: dict[str, Any], ruleset: api.Ruleset, names: NameTable
) -> Iterator[tuple[Fraction, Ended]]:
    """Every end with its likelihood."""
    if isinstance(outcome, Ended):
        yield Fraction(1), outcome
        return
    assert isinstance(outcome, Paused), outcome
    request = outcome.request
    if request.sort in CHANCE:
        assert request.question is not None
        for index in range(request.question.outcome_count):
            after = answer_paused(outcome, request.question.outcome_at(index))
            for likelihood, end in ends(after, case, ruleset, names):
                yield likelihood / request.question.outcome_count, end
        return
    found = read_answer(request, answer(request, case), names, outcome)
    assert not found.diagnostics, found.diagnostics
    yield from ends(answer_paused(outcome, found.value), case, ruleset, names)


def answer(request: Request, case: dict[str, Any]) -> Any:
    """The answer at an address, or the result of an external by its name."""
    given = {**case.get("answers", {}), **case.get("externals", {})}
    return next(value for key, value in given.items() if request.address.endswith(key) or request.name == key)


@pytest.mark.parametrize("case", [pytest.param(each, id=each["name"]) for each in CASES])
def test_odds_are_those_of_arithmetic(case: dict[str, Any]) -> None:
    folder = Path(__file__).parents[2] / "rulesets" / case["ruleset"]
    ruleset = api.load(str(folder), [str(folder / f"{each}.rules") for each in case.get("overlays", ())])
    program = ruleset.program
    situation = parse_state(data_to_node({**case["state"], "settings": case.get("settings", {})}), program)
    assert situation.value is not None, situation.diagnostics
    procedure = program.procedures[case["procedure"]]
    roles = data_to_node(case.get("with", {}))
    assert isinstance(roles, MapNode)
    arguments = bind_arguments(roles, procedure, situation.value, program)
    assert arguments.value is not None, arguments.diagnostics
    begun = start_run(ruleset.executable, situation.value, procedure.name, arguments.value)
    found: Counter[Any] = Counter()
    for likelihood, end in ends(begun, case, ruleset, NameTable(program, situation.value.base)):
        found[counted(state_to_json(end.state.extract_situation(), program), case["count"])] += likelihood
    assert dict(found) == {value: Fraction(odds) for value, odds in case["odds"].items()}


def counted(state: dict[str, Any], place: str) -> Any:
    """`thing.attribute`, in the form of a state file; `thing` alone says whether it is in play."""
    thing, _, attribute = place.partition(".")
    if not attribute:
        return thing not in state.get("removed", ())
    return next(things[thing][attribute] for things in state.values() if isinstance(things, dict) and thing in things)
