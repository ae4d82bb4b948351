"""What lines can change."""

from collections.abc import Callable
from typing import Any

import pytest

from rulewright.base.source import Text
from rulewright.checker.infer.references import get_written_keys, infer_place
from rulewright.program.types import MapType, NumberType, OptionalType, ThingType
from rulewright.syntax.nodes import declarations as nodes
from rulewright.syntax.parser import parse_rules_text

NAMES = {
    "u": ThingType("Unit"),
    "w": OptionalType(ThingType("Unit")),
    "blows": MapType(ThingType("Unit"), NumberType(0, 12)),
}


@pytest.fixture
def placed(analyse: Callable[[str], Any]) -> Callable[[str], tuple[Any, list[Any]]]:
    def found(expression: str) -> tuple[Any, list[Any]]:
        analysed = analyse("")
        scope = analysed.scope
        scope = scope.with_variables(*(scope.variables.new_variable(name, type_) for name, type_ in NAMES.items()))
        file = parse_rules_text(Text("it.rules", f"measure it: {expression}\n")).file
        node = next(each for each in file.declarations if isinstance(each, nodes.Measure))
        return infer_place(node.value, scope), analysed.report.diagnostics

    return found


PLACES = {
    "u.morale": ("0..9", "Unit/morale"),
    "u.leader": ("Unit?", "Unit/leader"),
    "hero": ("Unit?", "game/hero"),
    "w": ("Unit?", "local/1"),
    "blows[u]": ("0..12", "local/2"),
    "u.at.blocked": ("flag", "field/blocked"),
}


@pytest.mark.parametrize(("expression", "what"), PLACES.items())
def test_places(placed: Callable[[str], tuple[Any, list[Any]]], expression: str, what: tuple[str, str]) -> None:
    found, messages = placed(expression)
    assert messages == []
    assert (str(found.type), get_written_keys(found)) == (what[0], {what[1]})


REFUSED = {
    "u.strong": "`u.strong` is derived and cannot be changed",
    "scope": "`scope` is a setting, fixed for the play",
    "u.gone": "`u.gone` cannot be set; `remove` takes a thing out of play",
    "units": "this is a value and not a place that can be changed",
    "1": "this is a value and not a place that can be changed",
}


@pytest.mark.parametrize(("expression", "message"), REFUSED.items())
def test_refused(placed: Callable[[str], tuple[Any, list[Any]]], expression: str, message: str) -> None:
    found, messages = placed(expression)
    assert found is None
    assert [each.message for each in messages] == [message]
