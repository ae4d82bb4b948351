"""Inlining of procedures at their calls, and of functions in expressions (Peyton Jones and Marlow 2002)."""

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

from rulewright.base.frozen import replace
from rulewright.diff.normal_forms.alpha_renaming import freshen_names, substitute_names
from rulewright.diff.normal_forms.jump_threading import thread_block, thread_jumps
from rulewright.program.core import forms as core
from rulewright.program.core.dependences import DependenceAnalysis
from rulewright.program.core.lower_expressions import make_none
from rulewright.program.core.lower_functions import make_local_place
from rulewright.program.core.walking import map_blocks, map_parts, walk_forms, walk_statements
from rulewright.program.types import NoneType

_MAX_INLINED_STATEMENTS = 400
"""Statements that one call may expand to."""


class Inliner:
    """Inlining in the routines of one program.

    A procedure is inlined if it listens and holds nothing, goes through its steps in order, returns at the end of its
    text alone, and is not ended by its name from elsewhere; a function if it is one expression, for pure arguments:
    how often these are evaluated makes no difference.

    Args:
        program: with all routines.
        effects: of the program.
        keys: of the routines that are inlined.
        numbers: fresh indices for names.
        may_wait_due: whether something may be due where no settling is at work.
    """

    def __init__(
        self,
        program: core.CoreProgram,
        effects: DependenceAnalysis,
        keys: Collection[str],
        numbers: Iterator[int],
        *,
        may_wait_due: bool,
    ) -> None:
        self._program = program
        self._effects = effects
        self._keys = frozenset(keys)
        self._numbers = numbers
        self._may_wait_due = may_wait_due
        self._open: list[str] = []
        self._heard: frozenset[int] = frozenset()
        self._values: dict[str, core.Expression | None] = {}
        self._ended_by_name = frozenset(
            f"procedure:{statement.procedure}"
            for routine in program.routines.values()
            for statement in walk_statements(routine)
            if isinstance(statement, core.Unwind)
        )

    def inline(self, routine: core.Routine) -> core.Routine:
        """The routine with calls inlined."""
        self._open = [routine.key]
        self._heard = self._effects.find_effects(
            tuple(form for form in walk_forms(routine.entry) if isinstance(form, core.Listening))
        ).local_writes

        def inline_block(block: core.Block) -> core.Block:
            return tuple(
                replaced for statement in block for replaced in self._inline_statement(statement, inline_block)
            )

        inlined = map_blocks(routine, inline_block)
        if routine.sort == "procedure" and not self._may_wait_due:
            name = routine.key.removeprefix("procedure:")
            inlined = map_blocks(inlined, lambda block: _return_from(block, name))
        return map_parts(inlined, self._inline_values)  # type: ignore[no-any-return]

    def _inline_statement(
        self, statement: core.Statement, inline_block: Callable[[core.Block], core.Block]
    ) -> core.Block:
        if isinstance(statement, core.Call) and statement.routine in self._keys and statement.nest is None:
            body = self._expand_call(statement, inline_block)
            if body is not None:
                return body
        return (map_blocks(statement, inline_block),)

    def _expand_call(self, call: core.Call, inline_block: Callable[[core.Block], core.Block]) -> core.Block | None:
        routine = self._program.routines.get(call.routine)
        if routine is None or call.routine in self._open or call.routine in self._ended_by_name:
            return None
        routine = thread_jumps(routine)
        if routine.steps or any(isinstance(form, core.During | core.Jump) for form in walk_forms(routine.entry)):
            return None
        fresh = {local.index: replace(local, index=next(self._numbers)) for local in routine.locals}
        values: dict[int, core.Expression] = {
            index: core.Get(local, type=local.type, origin=None) for index, local in fresh.items()
        }
        given: list[core.Statement] = []
        written = self._effects.find_effects(routine.entry).local_writes
        for parameter, argument in zip(routine.parameters, call.arguments, strict=True):
            if parameter.index not in written and self._is_constant(argument, call):
                values[parameter.index] = argument
            else:
                place = make_local_place(fresh[parameter.index])
                given.append(core.Set(place, argument, origin=call.origin))
        body = substitute_names(freshen_names(routine.entry, self._numbers, {}), values, fresh)
        result = call.result or core.Local(next(self._numbers), routine.result or NoneType())
        if call.result is not None:
            body = thread_block((*body, core.Return(make_none(call.origin), origin=call.origin)))
        replaced = _replace_returns(body, result)
        if replaced is None or sum(1 for _ in walk_statements(replaced)) > _MAX_INLINED_STATEMENTS:
            return None
        self._open.append(call.routine)
        inlined = inline_block(_make_faults_of_needs(replaced))
        self._open.pop()
        return (*given, *inlined)

    def _is_constant(self, argument: core.Expression, call: core.Call) -> bool:
        """Whether an argument is the same throughout a call: a constant, or a name of the caller that nothing sets."""
        if isinstance(argument, core.Get):
            return argument.local.index not in self._heard and argument.local != call.result
        return isinstance(argument, core.Const)

    # Functions.

    def _inline_values(self, form: Any) -> Any:
        if isinstance(form, core.Local):
            return form
        rebuilt = map_parts(form, self._inline_values)
        if isinstance(rebuilt, core.Apply) and rebuilt.routine in self._keys and rebuilt.routine not in self._open:
            return self._expand_application(rebuilt) or rebuilt
        return rebuilt

    def _expand_application(self, applied: core.Apply) -> core.Expression | None:
        if not all(self._effects.find_effects(argument).is_pure for argument in applied.arguments):
            return None
        routine = self._program.routines.get(applied.routine)
        value = None if routine is None else self._find_value(routine)
        if routine is None or value is None:
            return None
        self._open.append(applied.routine)
        inner = self._inline_values(freshen_names(value, self._numbers, {}))
        self._open.pop()
        given = {
            parameter.index: argument for parameter, argument in zip(routine.parameters, applied.arguments, strict=True)
        }
        return substitute_names(inner, given)  # type: ignore[no-any-return]

    def _find_value(self, routine: core.Routine) -> core.Expression | None:
        if routine.key not in self._values:
            self._values[routine.key] = _make_expression(thread_jumps(routine).entry)
        return self._values[routine.key]


def _return_from(block: core.Block, procedure: str) -> core.Block:
    """A block of a procedure that returns where it ends the procedure by its name."""
    return tuple(
        core.Return(statement.value, origin=statement.origin)
        if isinstance(statement, core.Unwind) and statement.procedure == procedure
        else map_blocks(statement, lambda inner: _return_from(inner, procedure))
        for statement in block
    )


def _make_faults_of_needs(block: core.Block) -> core.Block:
    """A block in which a need that does not hold is a fault, as it is in an inner call."""
    return tuple(
        replace(statement, fault="RW0816")
        if isinstance(statement, core.Fail) and statement.fault == "RW0809"
        else map_blocks(statement, _make_faults_of_needs)
        for statement in block
    )


def _replace_returns(block: core.Block, result: core.Local) -> core.Block | None:
    """A block that puts what it returns into a name; None where it returns before its end."""
    if not block:
        return ()
    *before, last = block
    if any(isinstance(statement, core.Return) for statement in walk_statements(tuple(before))):
        return None
    if isinstance(last, core.Return):
        return (*before, core.Set(make_local_place(result), last.value, origin=last.origin))
    if not any(isinstance(statement, core.Return) for statement in walk_statements(last)):
        return block
    if not isinstance(last, core.If | core.Ask):
        return None
    blocks: list[core.Block | None] = []

    def replace_inside(inner: core.Block) -> core.Block:
        blocks.append(_replace_returns(inner, result))
        return blocks[-1] or ()

    replaced = map_blocks(last, replace_inside)
    return None if None in blocks else (*before, replaced)


def _make_expression(block: Sequence[core.Statement]) -> core.Expression | None:
    """What a block of a function returns, as one expression; None where it is more than branches."""
    match block:
        case (core.Return(value=value),):
            return value
        case (core.If(test=test, then=then, other=other),):
            one, two = _make_expression(then), _make_expression(other)
            if one is None or two is None:
                return None
            return core.Cond(test, one, two, type=one.type, origin=test.origin)
        case _:
            return None
