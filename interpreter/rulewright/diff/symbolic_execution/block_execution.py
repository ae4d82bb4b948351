"""Symbolic execution of core statements in one revision: branches are followed, all else that stops or calls is an event.

An event is known by its text, by the values of the names in it and by what stands in the store; what it leaves is the
same in both revisions where both come to it alike.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from rulewright.base.frozen import replace
from rulewright.diff.normal_forms.alpha_renaming import number_bound_names, substitute_names
from rulewright.diff.normal_forms.forward_substitution import OccurrenceCounts, list_blocks
from rulewright.diff.symbolic_execution.expression_evaluation import (
    ExpressionEvaluation,
    FaultError,
    Revision,
    list_free_names,
    make_hole,
)
from rulewright.diff.symbolic_execution.path_conditions import NotProvedError, SymbolicValue
from rulewright.program.core import forms as core
from rulewright.program.core.walking import list_parts, map_parts, walk_forms

_NEED = "RW0809"
FELL_THROUGH = ("end",)
_MAX_DEPTH = 3


class BlockExecution(ExpressionEvaluation):
    """Execution of the statements of a routine on one path.

    Attributes:
        may_have_events: not where a watch may set names meanwhile.
    """

    may_have_events = True
    _depth = 0

    def run(self, block: core.Block) -> tuple[Any, ...]:
        """How a block is left, and with which values."""
        for statement in block:
            way = self._run_statement(statement)
            if way != FELL_THROUGH:
                return way
        return FELL_THROUGH

    def run_to_outcome(self, block: core.Block) -> tuple[Any, ...]:
        """All that others see of a run: its events, how it is left, and what then stands in the store."""
        try:
            way = self.run(block)
        except FaultError:
            return ("fault",), tuple(self.events), ()
        stands = () if way == ("need",) else self.take_snapshot()
        return way, tuple(self.events), stands

    def _run_statement(self, statement: core.Statement) -> tuple[Any, ...]:
        match statement:
            case core.Set(place=place, value=value):
                self._set(statement, place, value)
            case core.If(test=test, then=then, other=other):
                return self.run(then if self.is_true(test) else other)
            case core.Return(value=value):
                return "return", self.evaluate(value)
            case core.Unwind(procedure=procedure, value=value):
                return "unwind", self.revision.writer.translate("procedure", procedure), self.evaluate(value)
            case core.Leave(label=label, again=again):
                return "leave", label, again
            case core.Jump(step=step, bound=None):
                return "jump", step
            case core.Fail(fault=fault, details=details):
                for detail in details:
                    self.evaluate(detail)
                if fault == _NEED:
                    return ("need",)
                raise FaultError
            case core.Call(nest=None, arguments=arguments, result=result):
                self._add_event(statement, [self.evaluate(each) for each in arguments], (result,))
            case core.Trigger(arguments=arguments, result=result) | core.External(arguments=arguments, result=result):
                self._add_event(statement, [self.evaluate(each) for each in arguments], (result,))
            case core.Note() if statement.entry != "revealed":
                pass
            case core.Jump() | core.During():
                raise NotProvedError
            case _:
                self._add_opaque_event(statement)
        return FELL_THROUGH

    def _set(self, statement: core.Set, place: core.Place, value: core.Expression) -> None:
        root = place.root
        keys = [[self.evaluate(part) for part in list_parts(entry)] for entry in place.path]
        new = self.evaluate(value)
        if place.path:
            new = self._change_inside(place, keys, new)
        if isinstance(root, core.Local):
            self.names[root.index] = new
        else:
            self.write_place(root, place.root_type, new, self.revision.effects.find_effects(statement).writes)

    def _change_inside(self, place: core.Place, keys: list[list[SymbolicValue]], new: SymbolicValue) -> SymbolicValue:
        """A value in which a part was replaced."""
        root = place.root
        if isinstance(root, core.Local):
            old = self.evaluate(core.Get(root, type=root.type, origin=None))
        else:
            old = self.read_place(root, place.root_type)
        key = "changed", write_path(self.revision, place), self.path.normalize((old, new, tuple(map(tuple, keys))))
        if any(isinstance(entry, core.ItemOf) for entry in place.path):
            self.fail_perhaps(key)
        return self.path.read_symbol(key, self.revision.find_domain(place.root_type))

    def apply_routine(self, form: core.Apply, given: list[SymbolicValue]) -> SymbolicValue:
        symbols = self.path.symbols
        routine = self.revision.core_program.routines.get(form.routine)
        if routine is None or self._depth == _MAX_DEPTH or not self.revision.may_be_opened(routine):
            return self.read_opaque(form, given)
        if not symbols.opens_calls:
            symbols.has_calls = True
            return self.read_opaque(form, given)
        names, self.names = (
            self.names,
            {local.index: value for local, value in zip(routine.parameters, given, strict=True)},
        )
        self._depth += 1
        way = self.run(routine.entry)
        self._depth -= 1
        self.names = names
        if way == FELL_THROUGH:
            return None
        if way[0] != "return":
            raise NotProvedError
        return way[1]

    # Events.

    def _add_event(self, statement: Any, given: list[SymbolicValue], results: core.Names) -> None:
        holed = replace(statement, arguments=(), result=None)
        self._close_event(self.revision.writer.write(holed), given, results)

    def _add_opaque_event(self, statement: core.Statement) -> None:
        effects = self.revision.effects.find_effects(statement)
        if any(isinstance(form, core.Listening | core.Jump) for form in walk_forms(statement)):
            raise NotProvedError
        if any(isinstance(label, int) for label in effects.exits):
            raise NotProvedError  # to where names count that this statement does not mention
        free = list_free_names(statement)
        text = self.revision.writer.write(name_by_place(statement, free))
        if any(local.index not in self.names and not is_set_first(statement, local) for local in free):
            raise NotProvedError
        given = [self.names.get(local.index, "unset") for local in free]
        self._close_event(text, given, [local for local in free if local.index in effects.local_writes])

    def _close_event(self, text: str, given: list[SymbolicValue], results: Any) -> None:
        if not self.may_have_events:
            raise NotProvedError
        self.events.append((text, tuple(map(self.path.normalize, given)), self.take_snapshot()))
        self.forget_store()
        for number, local in enumerate(results):
            if local is not None:
                key = "result", len(self.events), number
                self.names[local.index] = self.path.read_symbol(key, self.revision.find_name_domain(local))


def name_by_place(form: Any, free: Sequence[core.Local]) -> Any:
    """A form whose free names are told by where they first stand, for its text."""
    renamed = {local.index: replace(local, index=-1 - at, name=f"free{at}") for at, local in enumerate(free)}
    values = {index: core.Get(local, type=local.type, origin=None) for index, local in renamed.items()}
    return number_bound_names(substitute_names(form, values, renamed))


def write_path(revision: Revision, place: core.Place) -> str:
    """What a place names inside the value of its root, without keys."""
    path = tuple(map_parts(entry, make_hole) for entry in place.path)
    return revision.writer.write(replace(place, root=core.Local(-1, place.root_type, "whole"), path=path))


def is_set_first(statement: core.Statement, local: core.Local) -> bool:
    """Whether a name is set by a statement wherever it reads it."""
    return _are_setting_first([(statement,)], local.index, OccurrenceCounts().count_mentions)


def _are_setting_first(blocks: Sequence[core.Block], index: int, count: Callable[[Any], Counter[int]]) -> bool:
    """Whether each block sets a name before it reads it, or blocks inside do, which hold all that is said of it."""
    for block in blocks:
        users = [statement for statement in block if index in count(statement)]
        if users and _is_whole_write(users[0], index, count):
            continue
        for statement in users:
            inner = list_blocks(statement)
            own = count(statement)[index] - sum(count(block)[index] for block in inner)
            if own or isinstance(statement, core.During) or not _are_setting_first(inner, index, count):
                return False
    return True


def _is_whole_write(statement: core.Statement, index: int, count: Callable[[Any], Counter[int]]) -> bool:
    return (
        isinstance(statement, core.Set)
        and isinstance(statement.place.root, core.Local)
        and statement.place.root.index == index
        and not statement.place.path
        and index not in count(statement.value)
    )
