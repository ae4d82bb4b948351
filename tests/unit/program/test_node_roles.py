"""Every class of the program and of the syntax tree says what its fields are; what walks trees depends on it."""

import importlib
import inspect
from dataclasses import dataclass, fields, is_dataclass
from typing import get_args

import pytest

from rulewright.base.files import DISK
from rulewright.base.node_roles import Role, are_trees_equal, get_children, get_field_roles, map_children, walk_nodes
from rulewright.base.source import Span
from rulewright.documents.ruleset_loading import load_ruleset
from rulewright.documents.ruleset_location import locate_ruleset
from rulewright.program import statements
from rulewright.program.declarations import Program

PROGRAM = ("program.declarations", "program.expressions", "program.statements", "program.types")
NODES = ("declarations", "statements", "expressions")
CLASSES = [
    kind
    for name in (*PROGRAM, *(f"syntax.nodes.{each}" for each in NODES))
    for module in [importlib.import_module(f"rulewright.{name}")]
    for kind in vars(module).values()
    if inspect.isclass(kind) and is_dataclass(kind) and kind.__module__ == module.__name__
]


def test_every_field_has_a_role() -> None:
    known = {"cites": Role.MARGIN, "title": Role.WORDS}
    for kind in CLASSES:
        found = get_field_roles(kind)
        assert list(found) == [each.name for each in fields(kind)]
        for each in fields(kind):
            wanted = Role.PLACE if each.type is Span else known.get(each.name, found[each.name])
            assert found[each.name] is wanted, (kind, each.name)


def test_numbers_of_a_line_are_written_by_its_author_or_are_consequences() -> None:
    """A bound of a place that has no role of its own would be taken for a change of the line by `diff`."""
    written = {("NumberedDie", "faces"), ("ComputedDie", "most")}
    found = {
        (kind.__name__, each.name)
        for kind in CLASSES
        if kind.__module__ == statements.__name__
        for each in fields(kind)
        if get_field_roles(kind)[each.name] is Role.CONTENT and int in (each.type, *get_args(each.type))
    }
    assert found == written


def test_a_class_without_roles_is_refused() -> None:
    @dataclass(frozen=True)
    class Forgotten:
        held: dict[str, object]

    with pytest.raises(TypeError, match="Forgotten: no role for held"):
        list(walk_nodes(Forgotten({})))


def _checked(name: str) -> Program:
    loaded = load_ruleset(locate_ruleset(f"rulesets/{name}", DISK), (), DISK)
    assert loaded.program is not None
    return loaded.program


@pytest.fixture(scope="module")
def program() -> Program:
    return _checked("mel")


def test_the_walker_comes_to_every_node_in_written_order(program: Program) -> None:
    found = list(walk_nodes(next(iter(program.procedures.values()))))
    assert [id(each) for each in found[1:]] == [
        id(each) for child in get_children(found[0]) for each in walk_nodes(child)
    ]


def test_a_copy_is_made_only_where_something_changes(program: Program) -> None:
    procedure = next(iter(program.procedures.values()))
    assert map_children(procedure, lambda part: part) is procedure


def test_trees_are_equal_but_for_roles(program: Program) -> None:
    old, new = (_checked(each) for each in ("melee-phase-2025-10", "melee-phase"))
    assert are_trees_equal(program, _checked("mel"))
    assert not are_trees_equal(old.procedures, new.procedures)
