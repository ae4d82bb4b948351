"""Procedures from syntax trees to the program: parameters, watches, steps."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import groupby

from rulewright.base.diagnostics import Label
from rulewright.base.source import Span
from rulewright.checker import addresses, preconditions
from rulewright.checker.declaration_types import check_fixed_value
from rulewright.checker.facts.assumption import assume
from rulewright.checker.facts.fact_store import Facts, invalidate_facts
from rulewright.checker.infer.conditions import infer_condition
from rulewright.checker.infer.name_lookup import has_name_conflict
from rulewright.checker.infer.type_fitting import infer_fitted
from rulewright.checker.read_sets import ANY_STATE
from rulewright.checker.routines.block_lines import translate_line
from rulewright.checker.routines.event_windows import bind_event_parameters, find_event
from rulewright.checker.routines.flow_checks import check_routine, find_terminator
from rulewright.checker.routines.line_context import (
    LineContext,
    RoutineContext,
    RoutineNames,
    collect_changed_names,
    has_routine_failed,
    join_facts,
)
from rulewright.checker.routines.line_proofs import find_loop_invariants, find_loop_steps
from rulewright.checker.scope import Scope
from rulewright.checker.symbols import note_symbol, report_missing_name
from rulewright.program import declarations as typed
from rulewright.program.conditions import make_row_condition
from rulewright.program.expressions import Expression, Variable
from rulewright.program.statements import Block, If
from rulewright.program.walk import has_unreachable_end
from rulewright.syntax.nodes import declarations as d, statements as s

Guarantee = Callable[[tuple[Variable, ...], Facts], Facts]
"""What callers guarantee of the parameters of a procedure, added to what is known anywhere."""
_OpeningPart = typed.Need | typed.Hold | typed.Watch | Block


def type_procedure(node: d.Procedure, scope: Scope, guarantee: Guarantee) -> typed.Procedure | None:
    """Procedure; None after an error. `guarantee` adds what its callers guarantee of its parameters to what is known."""
    symbol = scope.module.callables.get(node.name.text)
    if symbol is None or symbol.sort != "procedure":
        return None
    before = len(scope.report.diagnostics)
    builder = _ProcedureBuilder(node, scope)
    procedure = builder.build_procedure(guarantee)
    if has_routine_failed(builder.routine, scope.report, before) or builder.owes_result(procedure):
        return None
    check_routine(procedure, builder.performed, builder.plain_jumps, scope.report)
    return procedure


class _ProcedureBuilder:
    def __init__(self, node: d.Procedure, scope: Scope) -> None:
        self._node = node
        self._scope = scope
        self._name = scope.module.prefix + node.name.text
        self._all_lines = tuple(line for line in addresses.walk_lines(node) if isinstance(line, s.Line))
        names = RoutineNames(scope.variables, collect_changed_names(self._all_lines))
        self.routine = RoutineContext(
            translate_line,
            self._name,
            "procedure",
            scope,
            names,
            scope.environment.effects,
            scope.environment.effects.make_body(node, scope.module),
            scope.environment.result_types.get(self._name),
            self._index_steps(),
            collect_changed_names(_list_watch_lines(node)),
            doubled_steps=frozenset(
                name for name, number in Counter(step.name.text for step in node.steps).items() if number > 1
            ),
        )
        self._last_loop_step = self._find_last_jump_back()
        self._loop_steps = find_loop_steps(node)
        self._may_reach_end = False
        self.performed = self.routine.effects.find_range_starts(self._name)
        self.plain_jumps = frozenset(
            line.head for line in self._all_lines if isinstance(line, s.Proceed) and not line.cites
        )

    def _index_steps(self) -> dict[str, int]:
        order: dict[str, int] = {}
        for item in self._node.steps:
            if item.name.text in order:
                first = next(step.name.span for step in self._node.steps if step.name.text == item.name.text)
                message = f"there are two steps `{item.name.text}`"
                remedy = "give one of them another number"
                self._scope.report.error(
                    "RW0503", item.name.span, message, help=remedy, secondary=(Label(first, "the first one"),)
                )
            order.setdefault(item.name.text, len(order))
        return order

    def _find_last_jump_back(self) -> int:
        last = -1
        for place, step in enumerate(self._node.steps):
            for line in addresses.walk_lines(step):
                target = self.routine.steps.get(line.step.text) if isinstance(line, s.Proceed) else None
                if target is not None and target <= place:
                    last = place
        return last

    def _is_final_exit(self, line: s.Statement) -> bool:
        match line:
            case s.Finish():
                return True
            case s.Proceed(step=step):
                return self.routine.steps.get(step.text, -1) > self._last_loop_step
            case _:
                return False

    def build_procedure(self, guarantee: Guarantee) -> typed.Procedure:
        parameters = self._bind_parameters()
        defaults = tuple(self._infer_default(parameter) for parameter in self._node.parameters)
        facts = preconditions.assume_parameters_in_play(
            guarantee(parameters, self._scope.facts), parameters, self._node.head
        )
        here = LineContext(self.routine, self._name, self._node.cites, facts)
        opening, known = self._translate_opening(here)
        steps = self._translate_steps(here, known)
        derivation = self._scope.linked.derivations.get(self._name)
        return typed.Procedure(
            **here.make_declaration_fields(self._node),
            parameters=parameters,
            defaults=defaults,
            result=self.routine.result,
            opening=opening,
            steps=steps,
            like=derivation.base if derivation is not None else "",
            inner=self._node.inner,
        )

    def _bind_parameters(self) -> tuple[Variable, ...]:
        types = dict(self._scope.module.callables[self._node.name.text].parameters)
        names = [parameter.name for parameter in self._node.parameters if parameter.name.text in types]
        shown = [name for name in names if not has_name_conflict(name, self._scope)]
        return tuple(self.routine.names.bind_parameter(name.text, types[name.text], name.span) for name in shown)

    def _infer_default(self, node: d.Parameter) -> Expression | None:
        types = dict(self._scope.module.callables[self._node.name.text].parameters)
        if node.default is None or node.name.text not in types:
            return None
        wanted = types[node.name.text]
        value = infer_fitted(node.default, wanted, self._scope, f"`{node.name.text}`")
        return value if value is not None and check_fixed_value(value, "a default", self._scope.report) else None

    def _translate_opening(self, here: LineContext) -> tuple[tuple[_OpeningPart, ...], Facts | None]:
        items: list[_OpeningPart] = []
        facts: Facts | None = here.facts
        for plain, group in groupby(enumerate(self._node.opening), lambda pair: isinstance(pair[1], s.Line)):
            here = here.with_facts(facts or here.facts)
            if plain:
                block, after = here.translate_sequence([each for _, each in group])  # type: ignore[misc]
                items.append(block)
                facts = facts and after
                continue
            for place, item in group:
                part, known = self._translate_opening_part(item, place, here)  # type: ignore[arg-type]
                here = here.with_facts(known)
                if part is not None:
                    items.append(part)
            facts = facts and here.facts
        return tuple(items), facts

    def _translate_opening_part(
        self, node: d.Requirement | d.Hold | d.Watch, place: int, here: LineContext
    ) -> tuple[typed.Need | typed.Hold | typed.Watch | None, Facts]:
        match node:
            case d.Requirement():
                return _translate_requirement(node, here)
            case d.Hold():
                return self._translate_hold(node, here), here.facts
            case d.Watch():
                below = (*self._node.opening[place + 1 :], *self._node.steps)
                blocks = (part.block if isinstance(part, d.Step) else part for part in below)
                plain = tuple(block for block in blocks if isinstance(block, s.Block | s.Line))
                names = self.routine.effects.collect_effects_of_lines(plain, self.routine.body).written_names
                lost = here.get_local_keys((*names, *self.routine.names.changed_names))
                return _translate_watch(
                    node, here.with_facts(invalidate_facts(here.facts, lost | {ANY_STATE, "dice"}))
                ), here.facts

    def _translate_hold(self, node: d.Hold, here: LineContext) -> typed.Hold | None:
        items = []
        module = self._scope.module.get_module_at(node.span)
        rules = {name: each for name, each in module.others.items() if each.sort == "rule"}
        for item in node.names:
            if item.text in rules:
                note_symbol(item.span, rules[item.text], self._scope.report)
                items.append(rules[item.text].name)
            else:
                report_missing_name("RW0528", item, "standing rule", rules, here.report)
        return typed.Hold(**here.make_line_fields(node), rules=tuple(items))

    def _translate_steps(self, here: LineContext, known: Facts | None) -> tuple[typed.Step, ...]:
        items: list[typed.Step] = []
        facts = known
        names: set[str] = set()
        unreached: set[str] = set()
        report = self._scope.report
        for place, item in enumerate(self._node.steps):
            name = item.name.text
            branches = [facts, *self.routine.facts_at_jumps.get(name, ())]
            if name in self.performed:
                branches.append(known or here.facts)
            arrived = join_facts(branches)
            report.address = f"{self._name}/{name}"
            if arrived is None and not self.routine.has_bad_jump:
                remedy, culprit = _explain_unreached_step(name, items, unreached)
                here.warning("RW0526", item.head, f"step `{name}` is never reached", help=remedy, secondary=culprit)
                unreached.add(name)
            entered = replace(here, step_index=place, facts=arrived or known or here.facts)
            if name in self._loop_steps or (place <= self._last_loop_step and name in self.performed):
                blocks = tuple(step.block for step in self._node.steps[place : self._last_loop_step + 1])
                doings = self.routine.effects.collect_effects_of_round(blocks, self.routine.body, self._is_final_exit)
                head = entered.with_facts(entered.invalidate_for_round(doings))
                entered = head.with_facts(find_loop_invariants(self._node, name, entered.facts, head))
            step, facts = self._translate_step(item, entered, twice=name in names)
            if arrived is None:
                facts = None
            names.add(name)
            items.append(step)
        report.address = self._name
        self._may_reach_end = facts is not None
        return tuple(items)

    def owes_result(self, procedure: typed.Procedure) -> bool:
        owes = self._may_reach_end and self.routine.result is not None
        if owes:
            place, way = _find_path_without_result(procedure)
            message = f"`{self._node.name.text}` gives a result, but none {way}"
            self._scope.report.proved_error("RW0527", place, message, help="end every way with `finish with …`")
        return owes

    def _translate_step(self, node: d.Step, here: LineContext, *, twice: bool) -> tuple[typed.Step, Facts | None]:
        name = node.name.text
        address = self.routine.assign_address(self._name, name, node.name.span, written=not twice)
        place = replace(here.with_cites(node.cites), address_prefix=address)
        guarded = place.translate_guard(node.guard)
        guard = guarded.guard
        block, after = guarded.context.translate_block(node.block)
        if node.guard is not None:
            passed = place.facts if guard is None else assume(place.facts, guard, truth=False)
            after = join_facts((after, passed))
        title = node.title.text if node.title else ""
        return typed.Step(name, address, title, place.resolve_cites(()), node.head, guard, block), after


def _explain_unreached_step(name: str, before: list[typed.Step], unreached: set[str]) -> tuple[str, tuple[Label, ...]]:
    lead = f"lead here with `proceed to {name}`"
    if before and before[-1].id in unreached:
        return f"step `{before[-1].id}` before it is never reached either; mend that first", ()
    terminator = find_terminator(before[-1].block) if before else None
    if terminator is None:
        return f"{lead}, or let the lines above end without leaving", ()
    return f"{terminator.description}; {terminator.question or f'put it under a condition, or {lead}'}", (
        terminator.label,
    )


def _list_watch_lines(node: d.Procedure) -> tuple[s.Line, ...]:
    watches = [watch for watch in node.opening if isinstance(watch, d.Watch)]
    return tuple(line for watch in watches for line in addresses.walk_lines(watch) if isinstance(line, s.Line))


def _translate_requirement(node: d.Requirement, here: LineContext) -> tuple[typed.Need | None, Facts]:
    guarded = here.translate_guard(node.guard)
    condition = infer_condition(node.condition, guarded.context.scope)
    part = here.make_part_fields(node, here.address_prefix)
    if condition is None or guarded.has_error:
        return None, here.facts
    need = typed.Need(**part, condition=condition, guard=guarded.guard)
    return need, assume(here.facts, make_row_condition(need), truth=True)


_WATCH_LINE_TYPES = (s.Let, s.Set, s.Change, s.If, s.Match, s.ForEach, s.Nothing, s.RulingLine, s.Stop)


def _translate_watch(node: d.Watch, here: LineContext) -> typed.Watch | None:
    items = find_event(node.event, here)
    if items is None:
        return None
    event, _ = items
    routine = replace(here.routine, sort="watch")
    parameters = bind_event_parameters(event, routine.names, node.event.span, here)
    mark = here.make_line_fields(node)
    inner = replace(
        here.with_cites(node.cites),
        routine=routine,
        loop_variables={variable.name: variable for variable in parameters},
    )
    guarded = inner.translate_guard(node.guard)
    for line in node.block.lines:
        if not isinstance(line, _WATCH_LINE_TYPES):
            remedy = "a `watch` may `let`, `set`, `add`, `take`, `if`, `match` and `for each`"
            inner.error("RW0516", line.head, "a `watch` may only change names of its procedure", help=remedy)
            return None
    block, _ = guarded.context.translate_block(node.block)
    if guarded.has_error:
        return None
    return typed.Watch(event=event.name, **mark, parameters=parameters, guard=guarded.guard, block=block)


def _find_path_without_result(procedure: typed.Procedure) -> tuple[Span, str]:
    """Description of a path to the end of a procedure without a result, and of the condition for it.

    The end is known to be reached, by the facts; the path to it is described from the lines alone.
    """
    if not procedure.steps:
        lines = tuple(line for part in procedure.opening if isinstance(part, tuple) for line in part)
        return _describe_block_end(lines) if lines else (procedure.span, "at its end")
    step = procedure.steps[-1]
    if step.guard is None and step.block:
        return _describe_block_end(step.block)
    if step.guard is not None and has_unreachable_end(step.block):
        return step.guard.span, f"where step `{step.id}` is passed over"
    return step.span, "after this step"


def _describe_block_end(lines: Block) -> tuple[Span, str]:
    last = lines[-1]
    staying = [block for block in last.alternatives if not has_unreachable_end(block)]
    if len(last.alternatives) > 1 and len(staying) == 1 and staying[0]:
        return _describe_block_end(staying[0])
    if isinstance(last, If) and last.otherwise is None and staying == [()]:
        if len(last.branches) > 1:
            return last.span, "where none of its conditions holds"
        return last.branches[0].condition.span, "where this does not hold"
    return last.span, "after this line"
