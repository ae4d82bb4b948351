"""Non-termination that is certain: endless jumps and performs, rules that undo each other, recursion without bound.

Reported only where no line on the path leads elsewhere and nothing on it changes what the line depends on (manual,
Faults and Settling).
"""

from collections.abc import Iterator, Mapping, Sequence

from rulewright.base.diagnostics import Basis, DiagnosticCollector, Label, format_name_list
from rulewright.base.frozen import dataclass
from rulewright.base.source import Span
from rulewright.checker.facts.assumption import assume
from rulewright.checker.facts.fact_store import Facts, make_key
from rulewright.checker.facts.prover import Proof, prove_condition
from rulewright.checker.infer.references import get_written_keys
from rulewright.checker.read_sets import ANY_STATE, collect_reads
from rulewright.program import statements as s
from rulewright.program.conditions import split_conjuncts
from rulewright.program.declarations import Procedure, Program, StandingRule
from rulewright.program.effects import list_written_places
from rulewright.program.expressions import Expression, Local, Variable
from rulewright.program.walk import (
    AnyRoutine,
    get_inner_lines,
    list_lines_of_class,
    rebuild_expression,
    walk_block_lines,
    walk_routine_lines,
)
from rulewright.program.wording import ExpressionRenderer

_HARMLESS_LINE_TYPES = (s.Nothing, s.Ruling, s.If, s.Match, s.ForEach, s.Together, s.Let)


@dataclass(frozen=True, slots=True)
class _AnalyzedRule:
    """A standing rule whose writes are known: conditions (the `where` first), keys read and keys written."""

    rule: StandingRule
    conditions: tuple[Expression, ...]
    keys_read: frozenset[str]
    keys_written: frozenset[str]


_MAX_COMPARED_RULES = 12
"""A rule is compared with the nearest ones before it that read the same state; a chosen limit."""


def check_undoing_rules(program: Program, facts: Facts, report: DiagnosticCollector) -> None:
    """Warns of two standing rules that undo each other (RW0540).

    Only where it is certain: both are about the same members, and whenever the conditions that neither writes hold, one
    applies where the other does not, so that no `lowers` can shrink for both. `facts` hold only definitions of
    functions. Rules whose conditions read no common state are not compared.
    """
    rules = [
        analyzed_rule for rule in program.rules.values() if (analyzed_rule := _analyze_rule(rule, facts)) is not None
    ]
    for first, second in _pair_rules_by_reads(rules):
        report.address = second.rule.name
        if _are_mutually_undoing(first, second, facts):
            one, other = first.rule.name, second.rule.name
            message = f"`{one}` and `{other}` undo each other: one of them always applies"
            there = (Label(first.rule.span, "the other one"),)
            remedy = "let a state be left in which neither of them applies"
            report.warning("RW0540", second.rule.span, message, secondary=there, help=remedy)
    report.address = ""


def _pair_rules_by_reads(rules: Sequence[_AnalyzedRule]) -> Iterator[tuple[_AnalyzedRule, _AnalyzedRule]]:
    readers: dict[str, list[int]] = {}
    for at, second in enumerate(rules):
        near = {item for name in second.keys_read for item in readers.get(name, ())[-_MAX_COMPARED_RULES:]}
        yield from ((rules[item], second) for item in sorted(near)[-_MAX_COMPARED_RULES:])
        for name in second.keys_read:
            readers.setdefault(name, []).append(at)


def _analyze_rule(rule: StandingRule, facts: Facts) -> _AnalyzedRule | None:
    changed: set[str] = set()
    for line in walk_routine_lines(rule):
        members = _find_keys_written(line)
        if members is None:
            return None
        changed |= members
    where = rule.binding.where if rule.binding is not None else None
    conditions = (*split_conjuncts(where), *split_conjuncts(rule.condition))
    read = frozenset().union(*(collect_reads(condition, facts.reads) for condition in conditions))
    of_game = frozenset(item for item in read if not item.startswith("local/"))
    return _AnalyzedRule(rule, conditions, of_game, frozenset(changed))


def _find_keys_written(line: s.Statement) -> frozenset[str] | None:
    """Keys that a line writes; None where it may do anything else."""
    match line:
        case s.Assign(place=place) | s.AddAmount(place=place) | s.AddMember(place=place):
            return get_written_keys(place)
        case s.AddPair() | s.Move() | s.Turn():
            return list_written_places(line)
        case _:
            return frozenset() if isinstance(line, _HARMLESS_LINE_TYPES) else None


def _are_mutually_undoing(first: _AnalyzedRule, second: _AnalyzedRule, facts: Facts) -> bool:
    names = _match_rule_members(first.rule, second.rule, first.keys_written | second.keys_written, facts)
    if names is None:
        return False
    written = first.keys_written | second.keys_written
    other_conditions = tuple(_rename_locals(condition, names) for condition in second.conditions)
    affected, rest = _split_conditions_by_writes(first.conditions, written, facts)
    others, other_rest = _split_conditions_by_writes(other_conditions, written, facts)
    alone, other_alone = ({make_key(each) for each in each_rest} for each_rest in (rest, other_rest))
    if not affected or not others or not (alone <= other_alone or other_alone <= alone):
        return False
    known = facts
    for item in (*rest, *other_rest):
        known = assume(known, item, truth=True)
    return all(
        prove_condition(assume(known, one, truth=False), other) is Proof.PROVED for one in affected for other in others
    )


def _match_rule_members(
    first: StandingRule, second: StandingRule, written: frozenset[str], facts: Facts
) -> dict[int, Variable] | None:
    """Names of the second rule as those of the first, where both visit the same members; else None."""
    if first.binding is None or second.binding is None:
        return {} if first.binding is second.binding else None
    one, other = first.binding, second.binding
    if len(one.variables) != len(other.variables) or make_key(one.source) != make_key(other.source):
        return None
    if collect_reads(one.source, facts.reads) & written:
        return None
    pairs = zip(one.variables, other.variables, strict=True)
    return {b.index: a for a, b in pairs if a is not None and b is not None}


def _rename_locals(expression: Expression, names: dict[int, Variable]) -> Expression:
    def rename_in_part(part: Expression) -> Expression:
        return _rename_locals(part, names)

    if isinstance(expression, Local) and expression.variable.index in names:
        name = names[expression.variable.index]
        return Local(type=expression.type, span=expression.span, variable=name)
    return rebuild_expression(expression, rename_in_part)


def _split_conditions_by_writes(
    conditions: tuple[Expression, ...], written: frozenset[str], facts: Facts
) -> tuple[list[Expression], list[Expression]]:
    affected: list[Expression] = []
    rest: list[Expression] = []
    for condition in conditions:
        read = collect_reads(condition, facts.reads)
        (affected if read & written or ANY_STATE in read else rest).append(condition)
    return affected, rest


_CALL_LINE_TYPES = (s.Perform, s.Trigger, s.Remove)
_BINDING_LINE_TYPES = (s.Roll, s.Ask, s.AskAll, s.Repeat, s.Proceed, s.Perform)
_ConditionalLine = tuple[s.Statement, tuple[Expression, ...]]


def check_endless_flow(program: Program, facts: Facts, report: DiagnosticCollector) -> None:
    """Warns of jumps back (RW0860) and of procedures that perform themselves (RW0861) without end."""
    ended = any(list_lines_of_class(program, s.FinishOuter))
    for procedure in program.procedures.values():
        report.address = procedure.name
        finding = _EndlessLineFinder(program, procedure, facts, ended=ended)
        for line, conditions in finding.find_endless_jumps():
            back = f"nothing from step `{line.step}` on changes {_quote_conditions(conditions, program)}"
            back = back if conditions else f"every way from step `{line.step}` leads back to it"
            remedy = "change on the way what it depends on, or leave the way with `finish` or a jump further down"
            report.warning("RW0860", line.span, f"once this jump is made no player can end it: {back}", help=remedy)
        for call, conditions in finding.find_endless_performs():
            back = (
                f"nothing in it changes {_quote_conditions(conditions, program)}"
                if conditions
                else "every way through it leads here"
            )
            remedy = "perform it only where something is left that becomes less each time"
            message = f"no player can end this: `{procedure.name}` performs itself, and {back}"
            report.warning("RW0861", call.span, message, help=remedy)
    report.address = ""


def _quote_conditions(conditions: tuple[Expression, ...], program: Program) -> str:
    wording = ExpressionRenderer(program)
    return " and ".join(f"`{fromkey}`" for fromkey in dict.fromkeys(map(wording.render_expression, conditions)))


class _EndlessLineFinder:
    def __init__(self, program: Program, procedure: Procedure, facts: Facts, *, ended: bool) -> None:
        self._program = program
        self._procedure = procedure
        self._facts = facts
        self._has_outer_finish = ended
        self._parameters = {f"local/{parameter.index}" for parameter in procedure.parameters}

    def find_endless_jumps(self) -> Iterator[tuple[s.Proceed, tuple[Expression, ...]]]:
        steps = self._procedure.steps
        order = {step.id: place for place, step in enumerate(steps)}
        for place, step in enumerate(steps):
            for line, conditions in _walk_certain_lines(step.block, () if step.guard is None else (step.guard,)):
                if isinstance(line, s.Proceed) and order.get(line.step, place + 1) <= place:
                    path = tuple(
                        block_line
                        for part in steps[order[line.step] : place + 1]
                        for block_line in walk_block_lines(part.block)
                    )
                    forward = {item.id for item in steps[order[line.step] + 1 : place + 1]}
                    if not self._may_leave_path(path, line, forward) and self._is_condition_stable(
                        conditions, path, frozenset()
                    ):
                        yield line, conditions

    def find_endless_performs(self) -> Iterator[tuple[s.Perform, tuple[Expression, ...]]]:
        path = tuple(walk_routine_lines(self._procedure))
        for line, conditions in self._iterate_conditional_lines():
            if isinstance(line, s.Perform) and line.procedure == self._procedure.name and line.steps is None:
                pairs = zip(self._procedure.parameters, line.arguments, strict=True)
                other = frozenset(
                    f"local/{parameter.index}"
                    for parameter, given in pairs
                    if not isinstance(given, Local) or given.variable.index != parameter.index
                )
                if not self._may_leave_path(path, line, frozenset()) and self._is_condition_stable(
                    conditions, path, other
                ):
                    yield line, conditions

    def _iterate_conditional_lines(self) -> Iterator[_ConditionalLine]:
        for part in self._procedure.opening:
            if isinstance(part, tuple):
                yield from _walk_certain_lines(part, ())
        for step in self._procedure.steps:
            yield from _walk_certain_lines(step.block, () if step.guard is None else (step.guard,))

    def _may_leave_path(
        self, path: tuple[s.Statement, ...], line: s.Statement, forward: frozenset[str] | set[str]
    ) -> bool:
        for item in path:
            if isinstance(item, s.Finish | s.FinishOuter) or (
                isinstance(item, _CALL_LINE_TYPES) and self._has_outer_finish
            ):
                return True
            if isinstance(item, s.Proceed) and item is not line and item.step not in forward:
                return True
        return self._has_outer_finish and bool(self._program.rules)

    def _is_condition_stable(
        self, conditions: tuple[Expression, ...], path: tuple[s.Statement, ...], other: frozenset[str]
    ) -> bool:
        """Whether nothing on a path can change what conditions read, so that they hold again."""
        read = frozenset(key for condition in conditions for key in collect_reads(condition, self._facts.reads))
        if not read:
            return True
        if ANY_STATE in read or any(key.startswith("local/") and key not in self._parameters for key in read):
            return False
        changed = set(other)
        for item in path:
            keys = _find_keys_written_on_path(item, self._procedure.name)
            if keys is None:
                return False
            changed |= keys
        game = any(not key.startswith("local/") for key in changed)
        opening = (part for procedure in self._program.procedures.values() for part in procedure.opening)
        watched = game and any(not isinstance(part, tuple) and tuple(get_inner_lines(part)) for part in opening)
        return not read & changed and not (game and (self._program.rules or watched))


def _find_keys_written_on_path(line: s.Statement, procedure: str) -> frozenset[str] | None:
    """Keys that a line writes, names it binds aside; None where it may do anything else."""
    match line:
        case s.Draw(place=place) | s.Shuffle(place=place):
            return get_written_keys(place)
        case s.Reroll():
            return frozenset({"dice"})
        case s.Perform(procedure=called):
            return frozenset() if called == procedure else None
        case _:
            return frozenset() if isinstance(line, _BINDING_LINE_TYPES) else _find_keys_written(line)


def _walk_certain_lines(block: s.Block, conditions: tuple[Expression, ...]) -> Iterator[_ConditionalLine]:
    for line in block:
        yield line, conditions
        if isinstance(line, s.If):
            above = conditions
            for branch in line.branches:
                above = (*above, branch.condition)
                yield from _walk_certain_lines(branch.block, above)
            yield from _walk_certain_lines(line.otherwise or (), above)
        elif isinstance(line, s.Match):
            for case in line.cases:
                yield from _walk_certain_lines(case.block, (*conditions, line.subject))


StepRange = tuple[str, str] | None


@dataclass(frozen=True, slots=True)
class CallNode:
    """Node of the call graph: a procedure or a range of its steps, a handler or a standing rule."""

    sort: str
    name: str
    steps: StepRange = None


@dataclass(frozen=True, slots=True)
class CallEdge:
    """Edge of the call graph: a line that calls; bounded where it says how deep it may nest."""

    target: CallNode
    span: Span
    event: str = ""
    has_depth_bound: bool = False
    is_removal: bool = False


class _CallGraph:
    """Call graph of a program from its procedures, handlers and standing rules."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._handlers_by_event: dict[str, list[str]] = {}
        for name, handler in program.handlers.items():
            self._handlers_by_event.setdefault(handler.event, []).append(name)
        self.edges: dict[CallNode, tuple[CallEdge, ...]] = {}
        waiting = [*self.list_entry_nodes(), *(CallNode("handler", name) for name in program.handlers)]
        for part in waiting:
            if part not in self.edges:
                self.edges[part] = tuple(
                    call for line in self.iterate_node_lines(part) for call in self._iterate_line_edges(line)
                )
                waiting.extend(call.target for call in self.edges[part])

    def list_entry_nodes(self) -> list[CallNode]:
        procedures = [CallNode("procedure", name) for name in self.program.procedures]
        return [*procedures, *(CallNode("rule", name) for name in self.program.rules)]

    def can_begin(self, part: CallNode) -> bool:
        if part.sort == "procedure":
            return part.steps is None and not self.program.procedures[part.name].inner
        return part.sort == "rule"

    def iterate_node_lines(self, part: CallNode) -> Iterator[s.Statement]:
        sorts: Mapping[str, Mapping[str, AnyRoutine]] = {
            "procedure": self.program.procedures,
            "handler": self.program.handlers,
            "rule": self.program.rules,
        }
        return walk_routine_lines(sorts[part.sort][part.name], part.steps)

    def _iterate_line_edges(self, line: s.Statement) -> Iterator[CallEdge]:
        match line:
            case s.Perform(procedure=name, steps=steps, depth=depth, span=span) if name in self.program.procedures:
                yield CallEdge(CallNode("procedure", name, steps), span, has_depth_bound=depth is not None)
            case s.Trigger(event=event, span=span):
                for handler in self._handlers_by_event.get(event, ()):
                    yield CallEdge(CallNode("handler", handler), span, event)
            case s.Remove(events=events, span=span):
                for event in events:
                    for handler in self._handlers_by_event.get(event, ()):
                        yield CallEdge(CallNode("handler", handler), span, event, is_removal=True)
            case _:
                return


def check_call_graph(program: Program, report: DiagnosticCollector) -> None:
    """Reports bad calls.

    Those are recursion without a bound (RW0536), events that trigger themselves (RW0537) and `finish NAME` where it is
    not running (RW0538, RW0559).
    """
    calls = _CallGraph(program)
    _check_cycles(calls, report)
    for part in list(calls.edges):
        for line in calls.iterate_node_lines(part):
            if isinstance(line, s.FinishOuter):
                _check_outer_running(line, part, calls, report)
    report.address = ""


def _check_cycles(calls: _CallGraph, report: DiagnosticCollector) -> None:
    finished: set[CallNode] = set()
    rules: set[Span] = set()
    for start in calls.edges:
        if start in finished:
            continue
        for circle in _iterate_cycles_from(start, calls, finished):
            if circle[-1].span not in rules:
                rules.add(circle[-1].span)
                _report_cycle(circle, report)


def _iterate_cycles_from(start: CallNode, calls: _CallGraph, finished: set[CallNode]) -> Iterator[list[CallEdge]]:
    """Cycles of the call graph met by depth-first search; finished nodes lead to no new one."""
    path, path_calls, pending = {start: 0}, list[CallEdge](), [iter(calls.edges[start])]
    while pending:
        for call in pending[-1]:
            if call.has_depth_bound or call.is_removal:
                continue
            if call.target in path:
                yield [*path_calls[path[call.target] :], call]
            elif call.target not in finished:
                path[call.target] = len(path)
                path_calls.append(call)
                pending.append(iter(calls.edges[call.target]))
                break
        else:
            pending.pop()
            finished.add(path.popitem()[0])
            del path_calls[-1:]


def _report_cycle(circle: list[CallEdge], report: DiagnosticCollector) -> None:
    names = [call.target.name for call in circle]
    place = next((place for place, call in enumerate(circle) if call.event), len(circle) - 1)
    call = circle[place]
    report.address = names[place - 1]
    through = format_name_list((*names[place:], *names[:place]))
    if call.event:
        message = f"the event `{call.event}` triggers itself through {through}"
        remedy = "perform a procedure `at most N deep` instead, N being the most links there can be"
        report.error("RW0537", call.span, message, help=remedy)
        return
    first, _, rest = through.partition(", ")
    message = f"{first} calls itself{f' through {rest}' if rest else ''}"
    remedy = "put `at most N deep` on this line, N being the most calls inside one another"
    report.error("RW0536", call.span, message, help=remedy)


def _report_never_running(line: s.FinishOuter, part: CallNode, calls: _CallGraph, report: DiagnosticCollector) -> None:
    like, procedures = part.name, calls.program.procedures
    while like and like != line.procedure:
        like = procedures[like].like if like in procedures else ""
    if like:
        message = f"`finish {line.procedure}` does not end `{part.name}`, which is only like it"
        remedy = f"replace the line in `{part.name}`, or write plain `finish` for both"
        report.error("RW0559", line.span, message, help=remedy, basis=Basis.NAMES)
        return
    message = f"`{line.procedure}` is never running here"
    report.error("RW0538", line.span, message, help="end a procedure that performs this one", basis=Basis.NAMES)


def _check_outer_running(line: s.FinishOuter, part: CallNode, calls: _CallGraph, report: DiagnosticCollector) -> None:
    """Reports `finish NAME` where NAME never runs, or may not be running.

    Searches the callers backwards; a standing rule may fire inside any procedure, and outside.
    """
    if part.sort == "procedure" and part.name == line.procedure:
        return
    report.address = part.name
    callers: dict[CallNode, list[CallNode]] = {}
    for caller, calls_made in calls.edges.items():
        for call in calls_made:
            callers.setdefault(call.target, []).append(caller)
    without, waiting = {part}, [part]
    inside = False
    for call_node in waiting:
        for caller in callers.get(call_node, ()):
            if caller.sort == "procedure" and caller.name == line.procedure:
                inside = True
            elif caller not in without:
                without.add(caller)
                waiting.append(caller)
    inside = inside or any(item.sort == "rule" for item in waiting)
    first = [item.name for item in waiting if calls.can_begin(item)]
    if not inside:
        _report_never_running(line, part, calls, report)
    elif first:
        message = f"`{line.procedure}` may not be running here"
        can_begin_alone = part.name in first
        path = f"`{part.name}` can be begun by itself" if can_begin_alone else f"This is also reached from `{first[0]}`"
        notes = (f"{path}; without `{line.procedure}` the run stops here.",)
        remedy = f"write `inner procedure {part.name}`" if can_begin_alone else "perform this only from there"
        report.warning("RW0538", line.span, message, notes=notes, help=remedy)
