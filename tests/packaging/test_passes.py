"""A new sort of line or expression: which modules have to know of it, by name.

A type checker does not say so, for a `match` over these classes has a default in most passes. What each leaves to it
stands in `passes.yaml`, with what the default says; a class that a module neither names nor leaves there is told.
"""

import ast
from pathlib import Path
from types import ModuleType

import pytest

from rulewright.program import expressions, statements
from support.union_dispatch import MANY, find_distinguished_classes, list_union_members, map_passes
from support.yaml_data import read_yaml

TABLE = read_yaml(Path(__file__).parent / "passes.yaml")
MOST_PASSES = 22
UNIONS = [("statements", statements, "Statement"), ("expressions", expressions, "Expression")]


def gaps(known: frozenset[str], named: dict[str, frozenset[str]], table: dict[str, dict[str, list[str]]]) -> list[str]:
    """What is wrong with a table of passes, module by module."""
    found = []
    for path in sorted(named.keys() | table.keys()):
        if path not in table:
            found.append(f"{path} tells {MANY} classes or more apart: enter what it leaves, and what its default says")
            continue
        left, now = set(table[path]["left"]), named.get(path, frozenset())
        if not now:
            found.append(f"{path} is no pass any more: take it out")
            continue
        found += [f"{path} does not know of {each}" for each in sorted(known - now - left)]
        found += [f"{path} tells {each} apart: take it out of what it leaves" for each in sorted(now & left)]
        found += [f"there is no {each}, which {path} leaves: take it out" for each in sorted(left - known)]
    return found


@pytest.mark.parametrize(("of", "module", "union"), UNIONS)
def test_every_pass_knows_every_class_or_leaves_it_on_purpose(of: str, module: ModuleType, union: str) -> None:
    assert gaps(list_union_members(module, union), map_passes(module, union), TABLE[of]) == []
    assert all(each["default"] for each in TABLE[of].values())


def test_no_more_modules_tell_many_classes_apart() -> None:
    """A new one reads core, fields by their types, or the unions beside the classes; a smaller number replaces this."""
    assert len({path for _, module, union in UNIONS for path in map_passes(module, union)}) <= MOST_PASSES


@pytest.mark.parametrize(("of", "module", "union"), UNIONS)
def test_a_new_class_is_told_of_every_pass(of: str, module: ModuleType, union: str) -> None:
    known, named = list_union_members(module, union), map_passes(module, union)
    assert gaps(known | {"Parley"}, named, TABLE[of]) == [f"{each} does not know of Parley" for each in sorted(named)]


def test_classes_are_found_however_they_are_told_apart() -> None:

    text = """
from rulewright.program import statements as st
from rulewright.program.statements import Roll, Draw as D
_LISTED = (st.Let, Roll)
_NAMED = {st.If: "if"}
def told(line):
    if isinstance(line, st.Move | D):
        return Untold()
    match line:
        case st.Ask(who=who) | Roll():
            return st.Stop(line.span)
"""
    assert set(find_distinguished_classes(ast.parse(text), "statements")) == {
        "Let",
        "Roll",
        "If",
        "Move",
        "Draw",
        "Ask",
    }
