"""Every class of the program and of the syntax tree says what its fields are; what walks trees depends on it."""

import importlib
import inspect
from dataclasses import dataclass, fields, is_dataclass

import pytest

from rulewright.files import DISK
from rulewright.program.declarations import Program
from rulewright.roles import Role, children, equal, mapped, nodes, roles
from rulewright.source import Span
from rulewright.workspace import load, locate

PROGRAM = ("program.declarations", "program.expressions", "program.rows", "program.statements", "program.types")
NODES = ("declarations", "statements", "rows", "expressions")
CLASSES = [
    kind
    for name in (*PROGRAM, *(f"syntax.nodes.{each}" for each in NODES))
    for module in [importlib.import_module(f"rulewright.{name}")]
    for kind in vars(module).values()
    if inspect.isclass(kind) and is_dataclass(kind) and kind.__module__ == module.__name__
]


@pytest.mark.parametrize(
    "kind", CLASSES, ids=lambda kind: f"{kind.__module__.removeprefix('rulewright.')}.{kind.__name__}"
)
def test_every_field_has_a_role(kind: type) -> None:
    found = roles(kind)
    assert list(found) == [each.name for each in fields(kind)]  # type: ignore[arg-type]
    for each in fields(kind):  # type: ignore[arg-type]
        if each.type is Span:
            assert found[each.name] is Role.PLACE
        if each.name == "cites":
            assert found[each.name] is Role.MARGIN
        if each.name == "title":
            assert found[each.name] is Role.WORDS


def test_a_class_without_roles_is_refused() -> None:
    @dataclass(frozen=True)
    class Forgotten:
        held: dict[str, object]

    with pytest.raises(TypeError, match="Forgotten: no role for held"):
        list(nodes(Forgotten({})))


def _checked(name: str) -> Program:
    loaded = load(locate(f"rulesets/{name}", DISK), (), DISK)
    assert loaded.program is not None
    return loaded.program


@pytest.fixture(scope="module")
def program() -> Program:
    return _checked("mel")


def test_the_walker_comes_to_every_node_in_written_order(program: Program) -> None:
    found = list(nodes(next(iter(program.procedures.values()))))
    assert [id(each) for each in found[1:]] == [id(each) for child in children(found[0]) for each in nodes(child)]


def test_a_copy_is_made_only_where_something_changes(program: Program) -> None:
    procedure = next(iter(program.procedures.values()))
    assert mapped(procedure, lambda part: part) is procedure


def test_trees_are_equal_but_for_roles(program: Program) -> None:
    old, new = (_checked(each) for each in ("melee-phase-2025-10", "melee-phase"))
    assert equal(program, _checked("mel"))
    assert not equal(old.procedures, new.procedures)
