"""The lengths that conditions of a ruleset compare gaps and distances with, as far as they are plainly written."""

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from rulewright.program import expressions as ex
from rulewright.program.declarations import Program
from support.reference.world import World

_MEASURES = ("gap", "distance")


def list_compared_lengths(world: World) -> dict[str, set[int]]:
    """By the function that measures, the lengths it is compared with anywhere, in thousandths."""
    found: dict[str, set[int]] = {each: set() for each in _MEASURES}
    for measure, node in _find_comparisons(world.program):
        found[measure] |= {
            round(each * 1000) for each in _list_length_values(world, node) if each is not None and each >= 0
        }
    return found


_KNOWN: dict[int, tuple[Program, list[tuple[str, Any]]]] = {}


def _find_comparisons(program: Program) -> list[tuple[str, Any]]:
    """The measures of a program with what they are compared with, found once."""
    if id(program) not in _KNOWN:
        _KNOWN[id(program)] = (
            program,
            [pair for node in _iterate_nodes(program, set()) for pair in _list_compared_sides(node)],
        )
    return _KNOWN[id(program)][1]


def _iterate_nodes(node: Any, seen: set[int]) -> Iterator[Any]:
    if isinstance(node, tuple | Mapping):
        for each in node.values() if isinstance(node, Mapping) else node:
            yield from _iterate_nodes(each, seen)
    elif is_dataclass(node) and id(node) not in seen:
        seen.add(id(node))
        yield node
        for part in fields(node):
            yield from _iterate_nodes(getattr(node, part.name), seen)


def _list_compared_sides(node: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(node, ex.Comparison):
        for measured, other in ((node.left, node.right), (node.right, node.left)):
            if isinstance(measured, ex.Builtin) and measured.name in _MEASURES:
                yield measured.name, other


def _list_length_values(world: World, node: Any) -> list[Any]:
    match node:
        case ex.Literal():
            return [node.value]
        case ex.SettingValue():
            return [world.start.base.settings[node.name]]
        case ex.GameField():
            return [world.game.game[node.name]]
        case ex.StoredAttribute():
            return list(world.game.attributes[f"{node.kind}/{node.name}"].values())
        case ex.Narrowed():
            return _list_length_values(world, node.operand)
        case _:
            return []
