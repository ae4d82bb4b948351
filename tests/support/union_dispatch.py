"""Which modules tell classes of the checked program apart, and which classes each of them names."""

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import get_args

SOURCE = Path(__file__).parents[2] / "interpreter" / "rulewright"
MANY = 8
"""A module that names so many classes of a union is a pass over it."""


def list_union_members(module: ModuleType, union: str) -> frozenset[str]:
    """The names of the classes of a union."""
    return frozenset(each.__name__ for each in get_args(getattr(module, union)))


@cache
def map_passes(module: ModuleType, union: str) -> dict[str, frozenset[str]]:
    """By module, as `runtime/lowering.py`, the classes of a union that it tells apart."""
    names, of = list_union_members(module, union), module.__name__.rpartition(".")[2]
    texts = {path.relative_to(SOURCE).as_posix(): path.read_text("utf-8") for path in sorted(SOURCE.rglob("*.py"))}
    found = {
        path: names.intersection(find_distinguished_classes(ast.parse(text), of))
        for path, text in texts.items()
        if "from rulewright.program" in text and sum(each in text for each in names) >= MANY
    }
    return {path: classes for path, classes in found.items() if len(classes) >= MANY}


def find_distinguished_classes(tree: ast.AST, of: str) -> Iterator[str]:
    """The classes of a module of `rulewright.program` that are cases, asked by `isinstance`, or listed for that."""
    package, imported = set[str](), dict[str, str]()
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(module="rulewright.program", names=names):
                package |= {each.asname or each.name for each in names if each.name == of}
            case ast.ImportFrom(module=module, names=names) if module == f"rulewright.program.{of}":
                imported |= {each.asname or each.name: each.name for each in names}
    for node in ast.walk(tree):
        match node:
            case ast.MatchClass(cls=asked):
                yield from _list_class_names(asked, package, imported)
            case ast.Call(func=ast.Name(id="isinstance"), args=[_, asked]):
                yield from _list_class_names(asked, package, imported)
            case ast.Call(func=ast.Name(id="frozenset"), args=[asked]):
                yield from _list_class_names(asked, package, imported)
            case ast.Dict(keys=keys):
                for each in keys:
                    yield from _list_class_names(each, package, imported) if each else ()
            case ast.Assign(value=ast.Tuple() | ast.Set() | ast.BinOp() as asked):
                yield from _list_class_names(asked, package, imported)


def _list_class_names(node: ast.AST, package: set[str], imported: Mapping[str, str]) -> Iterator[str]:
    for each in ast.walk(node):
        match each:
            case ast.Attribute(value=ast.Name(id=name), attr=attribute) if name in package:
                yield attribute
            case ast.Name(id=name) if name in imported:
                yield imported[name]
