"""Where a line puts something."""

from collections.abc import Generator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rulewright.program import statements as st
from rulewright.program.types import Type
from rulewright.runtime.values import GameMap
from support.reference.evaluation import evaluate
from support.reference.judge_requests import JudgeRequest
from support.reference.world import Env, JudgedFault

if TYPE_CHECKING:
    from support.reference.judge import Judge

Run = Generator[JudgeRequest, Any, Any]


def find_place(judge: "Judge", env: Env, written: st.Place) -> Generator[JudgeRequest, Any, "_DictionarySlot"]:
    """Where a line puts something."""
    world = judge.world
    match written:
        case st.VariablePlace():
            return _DictionarySlot(env, written.variable.index)
        case st.GamePlace():
            return _DictionarySlot(world.game.game, written.name)
        case st.AttributePlace():
            thing = yield from judge.evaluate_expression(env, written.target)
            return _DictionarySlot(world.game.attributes[f"{written.kind}/{written.name}"], thing)
        case st.CellPlace():
            cell = yield from judge.evaluate_expression(env, written.target)
            start = world.get_start_value(written.board, written.name)
            default = None if start is None else evaluate(world, {}, start)
            entries = world.game.cells.setdefault(f"{written.board}/{written.name}", {})
            return _CellAttributeSlot(entries, cell, default)
        case st.EntryPlace():
            outer = yield from find_place(judge, env, written.target)
            return _EntrySlot(outer, (yield from judge.evaluate_expression(env, written.key)))
        case st.PartPlace():
            return _PartSlot((yield from find_place(judge, env, written.target)), written.position)


def get_place_type(place: st.Place) -> Type:
    """The type of what a place holds."""
    return place.variable.type if isinstance(place, st.VariablePlace) else place.type


@dataclass
class _DictionarySlot:
    """A slot of a dictionary."""

    holder: Any
    key: Any

    def get(self) -> Any:
        return self.holder[self.key]

    def put(self, value: Any) -> None:
        self.holder[self.key] = value


@dataclass
class _CellAttributeSlot(_DictionarySlot):
    """An attribute of a cell; the start value is no entry."""

    default: Any

    def get(self) -> Any:
        return self.holder.get(self.key, self.default)

    def put(self, value: Any) -> None:
        if value == self.get():
            return
        if value == self.default:
            self.holder.pop(self.key, None)
        else:
            self.holder[self.key] = value


@dataclass
class _EntrySlot(_DictionarySlot):
    """An entry of a map or list held elsewhere."""

    def get(self) -> Any:
        held_ = self.holder.get()
        if isinstance(held_, GameMap):
            return held_[self.key]
        if not 1 <= self.key <= len(held_):
            raise JudgedFault("RW0806")
        return held_[self.key - 1]

    def put(self, value: Any) -> None:
        held_ = self.holder.get()
        if isinstance(held_, GameMap):
            self.holder.put(held_.with_entry(self.key, value))
            return
        self.get()
        self.holder.put((*held_[: self.key - 1], value, *held_[self.key :]))


@dataclass
class _PartSlot(_DictionarySlot):
    """A part of a record held elsewhere."""

    def get(self) -> Any:
        return self.holder.get()[self.key]

    def put(self, value: Any) -> None:
        held_ = self.holder.get()
        self.holder.put((*held_[: self.key], value, *held_[self.key + 1 :]))
