"""Inlining of performed procedures, and fusion of steps that control enters only together."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeVar

from rulewright.base.frozen import dataclass
from rulewright.base.node_roles import map_children, walk_nodes
from rulewright.diff.normalization.dependence_analysis import PurityAnalysis
from rulewright.diff.normalization.line_normalization import ControlFlowNormalizer, strip_texts
from rulewright.diff.normalization.name_normalization import find_changed_names
from rulewright.program import declarations as d, expressions as ex, statements as st
from rulewright.program.expressions import Expression, Typed, Variable
from rulewright.program.walk import list_lines_of_class

_MAX_INLINED_LINES = 200
"""Lines that one `perform` may expand to."""


class ProcedureInliner:
    """Inlining of procedures at the lines that perform them.

    Only of a procedure that opens with nothing but lines, goes through its steps in order, finishes at the end of its
    lines, and is not ended by its name from elsewhere. Its variables get fresh numbers.
    """

    def __init__(
        self,
        program: d.Program,
        calm: PurityAnalysis,
        names: Collection[str],
        numbers: Iterator[int],
        joined: Callable[[d.Procedure], d.Procedure],
    ) -> None:
        self._program = program
        self._purity = calm
        self._names = frozenset(names) & program.procedures.keys()
        self._numbers = numbers
        self._fuse_steps = joined
        self._blocks_by_procedure: dict[str, st.Block | None] = {}
        self._watched: frozenset[int] = frozenset()

    def inline_performs(self, node: d.Declared, parts: Any) -> Any:
        """Parts of a routine with procedures inlined; a line that ends the routine by its name becomes a `finish`."""
        if not self._names:
            return parts
        self._watched = find_changed_names(
            walk_nodes(tuple(watch for watch in walk_nodes(parts) if isinstance(watch, d.Watch)))
        )
        made = self._inline_inside(parts)
        return _finish_named_endings(made, node.name) if isinstance(node, d.Procedure) else made

    def _inline_inside(self, node: Any) -> Any:
        if isinstance(node, ex.Typed | ex.Binding):
            return node
        if isinstance(node, tuple) and node and isinstance(node[0], st.Line):
            return tuple(made for line in node for made in self._inline_line(line))
        return map_children(node, self._inline_inside)

    def _inline_line(self, line: st.Statement) -> st.Block:
        made = map_children(line, self._inline_inside)
        spelled = None
        if isinstance(made, st.Perform) and made.procedure in self._names and not made.steps and made.depth is None:
            spelled = self._expand_perform(made)
        return (made,) if spelled is None else spelled

    def _expand_perform(self, line: st.Perform) -> st.Block | None:
        block = self._find_inlinable_block(line.procedure)
        if block is None:
            return None
        changed = find_changed_names(walk_nodes(block))
        put = _LineSubstitution(self._numbers)
        lets: list[st.Statement] = []
        parameters = self._program.procedures[line.procedure].parameters
        for parameter, argument in zip(parameters, line.arguments, strict=True):
            if parameter.index not in changed and self._is_stable_argument(argument):
                put.arguments[parameter.index] = argument
            else:
                lets.append(_make_let(line, put.freshen_variable(parameter), argument))
        is_last = bool(block) and isinstance(block[-1], st.Finish)
        ended = _replace_tail_finish(
            put.substitute_arguments(block), lambda value: self._replace_finish(line, value, is_last=is_last)
        )
        return None if ended is None else (*lets, *ended)

    def _is_stable_argument(self, argument: Expression) -> bool:
        """Whether an argument is constant throughout: none, or a variable of the caller that no watch sets."""
        match argument:
            case ex.Local(variable=variable):
                return variable.index not in self._watched
            case _:
                return isinstance(argument, ex.Literal | ex.WordLiteral)

    def _replace_finish(self, line: st.Perform, value: Expression | None, *, is_last: bool) -> st.Block | None:
        if value is None or line.result is None:
            return () if value is None or self._purity.is_pure(value) else None
        if is_last:
            return (_make_let(line, line.result, value),)
        place = st.VariablePlace(line.result)
        return (st.Assign(address="", cites=(), span=line.span, place=place, value=value),)

    def _find_inlinable_block(self, name: str) -> st.Block | None:
        if name not in self._blocks_by_procedure:
            self._blocks_by_procedure[name] = None  # in a ring it stands for itself
            procedure = self._fuse_steps(self._program.procedures[name])
            lines = [part if isinstance(part, tuple) else (part,) for part in procedure.opening]
            block = tuple(item for part in lines for item in part)
            if (
                procedure.steps
                or name in self._procedures_ended_by_name
                or not all(isinstance(item, st.Line) for item in block)
            ):
                return None
            made = self._inline_inside(strip_texts(block))
            if sum(isinstance(node, st.Line) for node in walk_nodes(made)) <= _MAX_INLINED_LINES:
                (self._blocks_by_procedure[name],) = (
                    ControlFlowNormalizer(self._purity).normalize_parts((made,)) if made else ((),)
                )
        return self._blocks_by_procedure[name]

    @cached_property
    def _procedures_ended_by_name(self) -> frozenset[str]:
        return frozenset(line.procedure for line in list_lines_of_class(self._program, st.FinishOuter))


def _make_let(line: st.Perform, variable: Variable, value: Expression) -> st.Let:
    return st.Let(address="", cites=(), span=line.span, variable=variable, value=value)


def _finish_named_endings(node: Any, name: str) -> Any:
    match node:
        case ex.Typed() | ex.Binding():
            return node
        case st.FinishOuter(procedure=ended, value=value) if ended == name:
            return st.Finish(address=node.address, cites=node.cites, span=node.span, value=value)
        case _:
            return map_children(node, lambda part: _finish_named_endings(part, name))


_ReplaceFinish = Callable[[Expression | None], st.Block | None]


def _replace_tail_finish(block: st.Block, returned: _ReplaceFinish) -> st.Block | None:
    """Block with something else for each `finish`; None where a `finish` stands before the end."""
    if not block:
        return ()
    *before, last = block
    if _has_finish(before):
        return None
    end = _replace_last_line(last, returned)
    return None if end is None else (*before, *end)


def _replace_all_tails(blocks: Sequence[st.Block], returned: _ReplaceFinish) -> list[st.Block] | None:
    items = [made for block in blocks if (made := _replace_tail_finish(block, returned)) is not None]
    return items if len(items) == len(blocks) else None


def _replace_last_line(line: st.Statement, returned: _ReplaceFinish) -> st.Block | None:
    match line:
        case st.Finish(value=value):
            return returned(value)
        case st.If(branches=branches, otherwise=otherwise):
            blocks = _replace_all_tails([branch.block for branch in branches], returned)
            rest = _replace_tail_finish(otherwise or (), returned)
            if blocks is None or rest is None:
                return None
            made = tuple(replace(branch, block=block) for branch, block in zip(branches, blocks, strict=True))
            return (replace(line, branches=made, otherwise=rest or None),)
        case st.Ask(shape=shape, block=block, otherwise=otherwise):
            options = shape.options if isinstance(shape, st.Choose) else ()
            blocks = _replace_all_tails([option.block for option in options], returned)
            then, rest = _replace_tail_finish(block, returned), _replace_tail_finish(otherwise or (), returned)
            if blocks is None or then is None or rest is None:
                return None
            if options:
                shape = st.Choose(tuple(replace(option, block=of) for option, of in zip(options, blocks, strict=True)))
            rest = None if otherwise is None else rest
            return (replace(line, shape=shape, block=then, otherwise=rest),)
        case _:
            return None if _has_finish(line) else (line,)


def _has_finish(node: Any) -> bool:
    return any(isinstance(item, st.Finish) for item in walk_nodes(node))


class _LineSubstitution:
    """Substitution of arguments for parameters; all other variables get fresh numbers.

    Attributes:
        arguments: by the numbers of parameters.
    """

    def __init__(self, numbers: Iterator[int]) -> None:
        self.arguments: dict[int, Expression] = {}
        self._numbers = numbers
        self._fresh_variables: dict[int, Variable] = {}

    def substitute_arguments(self, part: Any) -> Any:
        match part:
            case ex.Local(variable=variable) if variable.index in self.arguments:
                return self.arguments[variable.index]
            case Variable():
                return self.freshen_variable(part)
            case _:
                return map_children(part, self.substitute_arguments)

    def freshen_variable(self, variable: Variable) -> Variable:
        if variable.index not in self._fresh_variables:
            self._fresh_variables[variable.index] = replace(variable, index=next(self._numbers))
        return self._fresh_variables[variable.index]


_Routine = TypeVar("_Routine", bound=d.Routine)


@dataclass(frozen=True, slots=True)
class StepFusion:
    """Names of fused steps, by procedure and step id."""

    first_step_names: Mapping[tuple[str, str], str]  # fused step that begins with a jump target
    last_step_names: Mapping[tuple[str, str], str]  # fused step that ends with the last step of a range
    ranged_procedures: frozenset[str]  # procedures of which a range is performed


def plan_step_fusion(program: d.Program) -> StepFusion:
    """Fused steps of a program, numbered anew in every procedure."""
    ranges = [
        (line.procedure, *line.steps) for line in list_lines_of_class(program, st.Perform) if line.steps is not None
    ]
    begins: dict[tuple[str, str], str] = {}
    ends: dict[tuple[str, str], str] = {}
    for name, procedure in program.procedures.items():
        first = {begin for called, begin, _ in ranges if called == name}
        last = {end for called, _, end in ranges if called == name}
        for number, group in enumerate(_group_steps(procedure, first, last)):
            begins[name, group[0].id] = ends[name, group[-1].id] = f"§{number}"
    return StepFusion(begins, ends, frozenset(called for called, _, _ in ranges))


def fuse_steps(procedure: d.Procedure, found: StepFusion) -> d.Procedure:
    """Procedure with fused steps and guards as branches; a first step that nothing jumps to joins the opening."""
    steps: list[d.Step] = []
    for step in procedure.steps:
        name = found.first_step_names.get((procedure.name, step.id))
        block = _guard_as_branch(step)
        if name is None and steps:
            steps[-1] = replace(steps[-1], block=steps[-1].block + block)
        else:
            steps.append(replace(step, id=name or "", guard=None, block=block, title="", cites=(), address=""))
    opening = procedure.opening
    targets = {found.first_step_names[procedure.name, proceed_target] for proceed_target in _proceed_targets(procedure)}
    if steps and procedure.name not in found.ranged_procedures and steps[0].id not in targets:
        opening, steps = (*opening, steps[0].block), steps[1:]
    return replace(procedure, opening=opening, steps=tuple(steps))


def _proceed_targets(procedure: d.Procedure) -> frozenset[str]:
    return frozenset(
        node.step for node in walk_nodes((procedure.opening, procedure.steps)) if isinstance(node, st.Proceed)
    )


def _group_steps(procedure: d.Procedure, first: set[str], last: set[str]) -> Iterator[list[d.Step]]:
    """Steps of a procedure, grouped where they can only be entered together."""
    begins = first | _proceed_targets(procedure)
    group: list[d.Step] = []
    for step in procedure.steps:
        if group and (step.id in begins or group[-1].id in last):
            yield group
            group = []
        group.append(step)
    if group:
        yield group


def _guard_as_branch(step: d.Step) -> st.Block:
    if step.guard is None:
        return step.block
    branch = st.Branch(step.guard, step.block, (), step.span)
    return (st.If(address="", cites=(), span=step.span, branches=(branch,), otherwise=None),)


def rename_step_references(routine: _Routine, found: StepFusion) -> _Routine:
    """Routine whose lines name fused steps."""

    def rename_reference(node: Any) -> Any:
        made = node if isinstance(node, Typed) else map_children(node, rename_reference)
        match made:
            case st.Proceed(step=step):
                return replace(made, step=found.first_step_names[routine.name, step])
            case st.Perform(procedure=name, steps=(first, last)):
                return replace(made, steps=(found.first_step_names[name, first], found.last_step_names[name, last]))
            case _:
                return made

    return map_children(routine, rename_reference)  # type: ignore[no-any-return]
