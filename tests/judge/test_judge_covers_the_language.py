"""The judge knows every line, every expression, every question and every function of the language."""

import ast
from pathlib import Path
from typing import get_args

import pytest

from rulewright.program import declarations, expressions, statements
from rulewright.program.roll_options import ROLL_OPTIONS
from support.manual_functions import FUNCTION_NAMES
from support.reference import plane_functions
from support.reference.language_functions import DICE_FUNCTIONS, GRID_FUNCTIONS, PLAIN_FUNCTIONS

REFERENCE = Path(__file__).parents[1] / "support" / "reference"


def _list_matched_classes(name: str) -> set[str]:
    tree = ast.parse((REFERENCE / name).read_text(encoding="utf-8"))
    classes = [each.cls for each in ast.walk(tree) if isinstance(each, ast.MatchClass)]
    asked = [each for each in ast.walk(tree) if isinstance(each, ast.Compare) and isinstance(each.ops[0], ast.Is)]
    classes += [each.comparators[0] for each in asked]  # `node.__class__ is Local`, for the classes met most often
    return {each.attr if isinstance(each, ast.Attribute) else getattr(each, "id", "") for each in classes}


@pytest.mark.parametrize(
    ("file", "union"),
    [
        ("evaluation.py", expressions.Expression),
        ("functions.py", declarations.Body),
        ("judge.py", statements.Statement),
        ("assigned_places.py", statements.Place),
    ],
)
def test_every_class_has_a_case(file: str, union: object) -> None:
    assert {each.__name__ for each in get_args(union)} - _list_matched_classes(file) == set()


def test_every_shape_of_a_question_has_a_case() -> None:
    assert {each.__name__ for each in get_args(statements.Shape)} - _list_matched_classes("judge_requests.py") == set()


@pytest.mark.parametrize("path", [REFERENCE / "chance_lines.py", REFERENCE.parent / "roll_programs.py"])
def test_every_option_of_a_roll_is_known(path: Path) -> None:
    """The judge carries it out, and random programs write it."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert ROLL_OPTIONS.keys() - {each.value for each in ast.walk(tree) if isinstance(each, ast.Constant)} == set()


def test_every_function_of_the_language_is_evaluated() -> None:
    elsewhere = {"along", "connected", "occupants", "count", "sum", "removed", "side", "poses"}
    assert (
        FUNCTION_NAMES
        - set(PLAIN_FUNCTIONS)
        - set(DICE_FUNCTIONS)
        - set(GRID_FUNCTIONS)
        - plane_functions.PLANE_FUNCTION_NAMES
        == elsewhere
    )
