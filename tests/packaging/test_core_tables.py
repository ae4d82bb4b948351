"""Who tells forms or operations of core apart knows all of them, and no other."""

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, get_args

import pytest

from rulewright.program.core import forms
from rulewright.program.core.operations import FAULTS, OPERATIONS
from support import core_operations

SUPPORT = Path(__file__).parents[1] / "support"
UNIONS = [
    (SUPPORT / "core_interpreter.py", "_carry_out", forms.Statement),
    (SUPPORT / "core_interpreter.py", "evaluate", forms.Expression),
    (SUPPORT / "core_store.py", "read_root _find_slot", forms.StoreRoot),
    (SUPPORT / "core_questions.py", "_name_sort", forms.AnswerSpace),
]
"""By file and functions, the union whose forms they tell apart."""
TABLES: dict[str, Mapping[str, Any]] = {
    "core_operations": {**core_operations.OPERATIONS_ON_VALUES, **core_operations.OPERATIONS_IN_PLAY},
}


@pytest.mark.parametrize(("path", "functions", "union"), UNIONS, ids=[f"{each[0].stem}-{each[1]}" for each in UNIONS])
def test_every_form_has_a_case(path: Path, functions: str, union: object) -> None:
    assert set(_list_forms_in_cases(path, functions.split())) == {each.__name__ for each in get_args(union)}


def _list_forms_in_cases(path: Path, functions: list[str]) -> Iterator[str]:
    """Forms that are cases of a `match`, of those that are not cases inside one."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef) and node.name in functions:
            for case in (case for each in ast.walk(node) if isinstance(each, ast.Match) for case in each.cases):
                alternatives = case.pattern.patterns if isinstance(case.pattern, ast.MatchOr) else [case.pattern]
                yield from (
                    each.cls.attr
                    for each in alternatives
                    if isinstance(each, ast.MatchClass) and isinstance(each.cls, ast.Attribute)
                )


@pytest.mark.parametrize("table", TABLES)
def test_every_operation_has_a_row(table: str) -> None:
    assert TABLES[table].keys() == OPERATIONS.keys()


def test_no_operation_of_the_interpreter_stands_in_both_of_its_tables() -> None:
    assert not core_operations.OPERATIONS_ON_VALUES.keys() & core_operations.OPERATIONS_IN_PLAY.keys()


def test_operations_raise_faults_that_are_declared() -> None:
    assert {fault for each in OPERATIONS.values() for fault in each.faults} <= FAULTS.keys()
    raised = {
        each.value
        for node in ast.walk(ast.parse((SUPPORT / "core_operations.py").read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "JudgedFault"
        for each in node.args
        if isinstance(each, ast.Constant)
    }
    assert raised <= FAULTS.keys()
