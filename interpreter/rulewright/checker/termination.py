"""Non-termination that is certain: endless jumps and performs, rules that undo each other, recursion without bound.

Reported only where no line on the path leads elsewhere and nothing on it changes what the line depends on (manual,
Faults and Settling). Calls, changes and ways out are read off the core of the program.
"""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from rulewright.base.diagnostics import Basis, DiagnosticCollector, Label, format_name_list
from rulewright.base.frozen import dataclass
from rulewright.base.source import Span
from rulewright.checker.facts.assumption import assume
from rulewright.checker.facts.fact_store import Facts, make_key
from rulewright.checker.facts.inlining import substitute_locals
from rulewright.checker.facts.prover import Proof, prove_condition
from rulewright.checker.read_sets import ANY_STATE, collect_reads
from rulewright.program import statements as s
from rulewright.program.conditions import split_conjuncts
from rulewright.program.core import forms as core
from rulewright.program.core.dependences import DependenceAnalysis, map_external_changes, may_meet
from rulewright.program.core.effects import EVERYWHERE
from rulewright.program.core.lowering import lower_program
from rulewright.program.core.walking import list_branches, walk_statements
from rulewright.program.declarations import Procedure, Program, StandingRule
from rulewright.program.expressions import Expression, Local
from rulewright.program.walk import list_lines_of_class
from rulewright.program.wording import ExpressionRenderer


def check_termination(program: Program, facts: Facts, report: DiagnosticCollector) -> None:
    """Reports calls and flow without end; `facts` hold only definitions of functions.

    Those are recursion without a bound (RW0536), events that trigger themselves (RW0537), `finish NAME` where it is not
    running (RW0538, RW0559), rules that undo each other (RW0540), jumps back (RW0860) and procedures that perform
    themselves (RW0861) without end.
    """
    if any(line.procedure not in program.procedures for line in list_lines_of_class(program, s.Perform)):
        return  # it could not be read
    lowered = lower_program(program)
    calls = _CallGraph(lowered)
    _check_cycles(calls, report)
    for routine in calls.list_routines():
        for form in walk_statements(routine):
            if isinstance(form, core.Unwind):
                _check_outer_running(form, routine.key, calls, program, report)
    changes = map_external_changes(program)
    _check_undoing_rules(program, DependenceAnalysis(lowered, changes, settles=False), facts, report)
    _check_endless_flow(program, lowered, DependenceAnalysis(lowered, changes), report)
    report.address = ""


# Rules that undo each other.


@dataclass(frozen=True, slots=True)
class _AnalyzedRule:
    """A standing rule whose writes are known: conditions (the `where` first), keys read and keys written."""

    rule: StandingRule
    conditions: tuple[Expression, ...]
    keys_read: frozenset[str]
    keys_written: frozenset[str]


_MAX_COMPARED_RULES = 12
"""A rule is compared with the nearest ones before it that read the same state; a chosen limit."""


def _check_undoing_rules(
    program: Program, dependences: DependenceAnalysis, facts: Facts, report: DiagnosticCollector
) -> None:
    """Warns of two standing rules that undo each other (RW0540).

    Only where it is certain: both are about the same members, and whenever the conditions that neither writes hold, one
    applies where the other does not, so that no `lowers` can shrink for both. Rules whose conditions read no common
    state are not compared.
    """
    effects = {name: dependences.find_routine_effects(f"rule:{name}") for name in program.rules}
    rules = [
        _analyze_rule(rule, effects[name].writes, facts)
        for name, rule in program.rules.items()
        if not effects[name].exits and not effects[name].writes >= EVERYWHERE
    ]
    for first, second in _pair_rules_by_reads(rules):
        report.address = second.rule.name
        if _are_mutually_undoing(first, second, facts):
            one, other = first.rule.name, second.rule.name
            message = f"`{one}` and `{other}` undo each other: one of them always applies"
            there = (Label(first.rule.span, "the other one"),)
            remedy = "let a state be left in which neither of them applies"
            report.warning("RW0540", second.rule.span, message, secondary=there, help=remedy)


def _pair_rules_by_reads(rules: Sequence[_AnalyzedRule]) -> Iterator[tuple[_AnalyzedRule, _AnalyzedRule]]:
    readers: dict[str, list[int]] = {}
    for at, second in enumerate(rules):
        near = {item for name in second.keys_read for item in readers.get(name, ())[-_MAX_COMPARED_RULES:]}
        yield from ((rules[item], second) for item in sorted(near)[-_MAX_COMPARED_RULES:])
        for name in second.keys_read:
            readers.setdefault(name, []).append(at)


def _analyze_rule(rule: StandingRule, written: frozenset[str], facts: Facts) -> _AnalyzedRule:
    where = rule.binding.where if rule.binding is not None else None
    conditions = (*split_conjuncts(where), *split_conjuncts(rule.condition))
    read = frozenset().union(*(collect_reads(condition, facts.reads) for condition in conditions))
    of_game = frozenset(item for item in read if not item.startswith("local/"))
    return _AnalyzedRule(rule, conditions, of_game, written)


def _are_mutually_undoing(first: _AnalyzedRule, second: _AnalyzedRule, facts: Facts) -> bool:
    names = _match_rule_members(first.rule, second.rule, first.keys_written | second.keys_written, facts)
    if names is None:
        return False
    written = first.keys_written | second.keys_written
    other_conditions = tuple(substitute_locals(condition, names) for condition in second.conditions)
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
) -> dict[int, Expression] | None:
    """Names of the second rule as those of the first, where both visit the same members; else None."""
    if first.binding is None or second.binding is None:
        return {} if first.binding is second.binding else None
    one, other = first.binding, second.binding
    if len(one.variables) != len(other.variables) or make_key(one.source) != make_key(other.source):
        return None
    if collect_reads(one.source, facts.reads) & written:
        return None
    pairs = zip(one.variables, other.variables, strict=True)
    span = one.source.span
    return {b.index: Local(type=a.type, span=span, variable=a) for a, b in pairs if a is not None and b is not None}


def _split_conditions_by_writes(
    conditions: tuple[Expression, ...], written: frozenset[str], facts: Facts
) -> tuple[list[Expression], list[Expression]]:
    affected: list[Expression] = []
    rest: list[Expression] = []
    for condition in conditions:
        read = collect_reads(condition, facts.reads)
        (affected if read & written or ANY_STATE in read else rest).append(condition)
    return affected, rest


# Jumps and performs without end.


def _check_endless_flow(
    program: Program, lowered: core.CoreProgram, dependences: DependenceAnalysis, report: DiagnosticCollector
) -> None:
    """Warns of jumps back (RW0860) and of procedures that perform themselves (RW0861) without end."""
    wording = ExpressionRenderer(program)
    for procedure in program.procedures.values():
        report.address = procedure.name
        flow = _EndlessFlow(lowered.routines[f"procedure:{procedure.name}"], dependences)
        for jump, tests in flow.iterate_endless_jumps():
            step = procedure.steps[jump.step].id
            back = f"nothing from step `{step}` on changes {_quote_tests(tests, wording)}"
            back = back if tests else f"every way from step `{step}` leads back to it"
            remedy = "change on the way what it depends on, or leave the way with `finish` or a jump further down"
            report.warning(
                "RW0860", jump.origin.span, f"once this jump is made no player can end it: {back}", help=remedy
            )
        for call, tests in flow.iterate_endless_calls():
            back = (
                f"nothing in it changes {_quote_tests(tests, wording)}" if tests else "every way through it leads here"
            )
            remedy = "perform it only where something is left that becomes less each time"
            message = f"no player can end this: `{procedure.name}` performs itself, and {back}"
            report.warning("RW0861", call.origin.span, message, help=remedy)


_Tests = tuple[core.Expression, ...]


def _quote_tests(tests: _Tests, wording: ExpressionRenderer) -> str:
    shown = dict.fromkeys(wording.render_expression(test.origin) for test in tests)
    return " and ".join(f"`{text}`" for text in shown)


class _EndlessFlow:
    """Lines of a procedure that nobody can leave once they are carried out."""

    def __init__(self, routine: core.Routine, dependences: DependenceAnalysis) -> None:
        self._routine = routine
        self._dependences = dependences

    def iterate_endless_jumps(self) -> Iterator[tuple[core.Jump, _Tests]]:
        steps = self._routine.steps
        for place, step in enumerate(steps):
            for line, tests in _walk_certain_lines(step.block, _list_guards((step,))):
                if isinstance(line, core.Jump) and line.step <= place:
                    path = steps[line.step : place + 1]
                    if self._is_endless(line, tests, path, range(line.step + 1, place + 1)):
                        yield line, tests

    def iterate_endless_calls(self) -> Iterator[tuple[core.Call, _Tests]]:
        routine = self._routine
        blocks = [(routine.entry, ()), *((step.block, _list_guards((step,))) for step in routine.steps)]
        for block, guard in blocks:
            for line, tests in _walk_certain_lines(block, guard):
                if isinstance(line, core.Call) and line.routine == routine.key:
                    pairs = zip(routine.parameters, line.arguments, strict=True)
                    other = {
                        name.index for name, given in pairs if not (isinstance(given, core.Get) and given.local == name)
                    }
                    if self._is_endless(line, tests, (routine.entry, *routine.steps), range(0), frozenset(other)):
                        yield line, tests

    def _is_endless(
        self,
        line: core.Statement,
        tests: _Tests,
        path: tuple[core.Step | core.Block, ...],
        onward: range,
        changed_parameters: frozenset[int] = frozenset(),
    ) -> bool:
        """Whether no way along a path leads elsewhere, and nothing there changes what the line depends on.

        `onward` are the steps of the path at which jumps may go on.
        """
        blocks = tuple(part.block if isinstance(part, core.Step) else part for part in path)
        effects = self._dependences.find_effects(*blocks, *_list_guards(path))
        if effects.exits & {"return", "unwind"} or any(
            isinstance(form, core.Jump) and form is not line and form.step not in onward
            for form in walk_statements(path)
        ):
            return False
        read = self._dependences.find_effects(*tests)
        changed = effects.local_writes | changed_parameters
        return (
            not read.may_want
            and read.local_reads <= {local.index for local in self._routine.parameters} - changed
            and not may_meet(read.reads, effects.writes)
        )


def _list_guards(steps: tuple[core.Step | core.Block, ...]) -> _Tests:
    return tuple(step.guard for step in steps if isinstance(step, core.Step) and step.guard is not None)


def _walk_certain_lines(
    block: core.Block, tests: _Tests, subjects: Mapping[core.Local, core.Expression] = MappingProxyType({})
) -> Iterator[tuple[core.Statement, _Tests]]:
    """Statements that run if tests come out as they did, each with those; of a `match` its subject is the test."""
    known = dict(subjects)
    for line in block:
        yield line, tests
        match line:
            case core.Set(place=core.Place(root=core.Local() as local), value=value, origin=s.Match()):
                known[local] = value
            case core.If():
                above = tests
                for branch in list_branches(line):
                    above = (*above, _find_subject(branch.test, known))
                    yield from _walk_certain_lines(branch.then, above, known)
                yield from _walk_certain_lines(branch.other, above, known)


def _find_subject(test: core.Expression, subjects: Mapping[core.Local, core.Expression]) -> core.Expression:
    match test:
        case core.Op(arguments=(core.Get(local=local), *_)) if local in subjects:
            return subjects[local]
        case _:
            return test


# Calls.


_CallForm = core.Call | core.Trigger
_WINDOW_PREFIX = "window:"


class _CallGraph:
    """Calls between routines of core by their keys: procedures, ranges of their steps, rules, handlers and windows."""

    def __init__(self, program: core.CoreProgram) -> None:
        self._program = program
        self.calls = {
            routine.key: tuple(form for form in walk_statements(routine) if isinstance(form, core.Call | core.Trigger))
            for sort in ("procedure", "rule", "handler", "window")
            for routine in program.routines.values()
            if routine.sort == sort
        }
        self.callers: dict[str, list[str]] = {}
        for caller, forms in self.calls.items():
            for form in forms:
                self.callers.setdefault(self.get_target(form), []).append(caller)

    def list_routines(self) -> list[core.Routine]:
        return [self._program.routines[key] for key in self.calls]

    def get_target(self, form: _CallForm) -> str:
        """Key of the routine called; empty for an event without handlers."""
        return form.routine if isinstance(form, core.Call) else self._program.windows.get(form.event, "")

    def can_begin(self, key: str) -> bool:
        """Whether a routine runs without being called."""
        routine = self._program.routines[key]
        procedure = routine.origin
        return routine.sort == "rule" or (
            isinstance(procedure, Procedure) and not procedure.inner and key == f"procedure:{procedure.name}"
        )


def _get_name(key: str) -> str:
    return key.split(":")[1]


def _check_cycles(calls: _CallGraph, report: DiagnosticCollector) -> None:
    finished: set[str] = {""}
    reported = set[Span]()
    for start in calls.calls:
        for circle in _iterate_cycles_from(start, calls, finished) if start not in finished else ():
            if circle[-1].origin.span not in reported:
                reported.add(circle[-1].origin.span)
                _report_cycle(circle, calls, report)


def _iterate_cycles_from(start: str, calls: _CallGraph, finished: set[str]) -> Iterator[list[_CallForm]]:
    """Cycles of the call graph met by depth-first search; finished routines lead to no new one."""
    path, path_calls, pending = {start: 0}, list[_CallForm](), [iter(calls.calls[start])]
    while pending:
        for call in pending[-1]:
            target = calls.get_target(call)
            if call.removal if isinstance(call, core.Trigger) else call.nest is not None:
                continue
            if target in path:
                yield [*path_calls[path[target] :], call]
            elif target not in finished:
                path[target] = len(path)
                path_calls.append(call)
                pending.append(iter(calls.calls[target]))
                break
        else:
            pending.pop()
            finished.add(path.popitem()[0])
            del path_calls[-1:]


def _report_cycle(circle: list[_CallForm], calls: _CallGraph, report: DiagnosticCollector) -> None:
    first = next((place for place, call in enumerate(circle) if isinstance(call, core.Trigger)), len(circle) - 1)
    call = circle[first]
    targets = [calls.get_target(call) for call in (*circle[first:], *circle[:first])]
    names = [_get_name(target) for target in targets if not target.startswith(_WINDOW_PREFIX)]
    report.address = names[-1]
    if isinstance(call, core.Trigger):
        message = f"the event `{call.event}` triggers itself through {format_name_list(names)}"
        remedy = "perform a procedure `at most N deep` instead, N being the most links there can be"
        report.error("RW0537", call.origin.span, message, help=remedy)
        return
    through = f" through {format_name_list(names[1:])}" if names[1:] else ""
    remedy = "put `at most N deep` on this line, N being the most calls inside one another"
    report.error("RW0536", call.origin.span, f"`{names[0]}` calls itself{through}", help=remedy)


def _report_never_running(
    line: core.Unwind, name: str, procedures: Mapping[str, Procedure], report: DiagnosticCollector
) -> None:
    like = name
    while like and like != line.procedure:
        like = procedures[like].like if like in procedures else ""
    if like:
        message = f"`finish {line.procedure}` does not end `{name}`, which is only like it"
        remedy = f"replace the line in `{name}`, or write plain `finish` for both"
        report.error("RW0559", line.origin.span, message, help=remedy, basis=Basis.NAMES)
        return
    message = f"`{line.procedure}` is never running here"
    report.error("RW0538", line.origin.span, message, help="end a procedure that performs this one", basis=Basis.NAMES)


def _check_outer_running(
    line: core.Unwind, key: str, calls: _CallGraph, program: Program, report: DiagnosticCollector
) -> None:
    """Reports `finish NAME` where NAME never runs, or may not be running.

    Searches the callers backwards; a standing rule may fire inside any procedure, and outside.
    """
    outer = {other for other in calls.calls if _get_name(other) == line.procedure and other.startswith("procedure:")}
    if key in outer:
        return
    name = report.address = _get_name(key)
    without, waiting, inside = {key}, [key], False
    for reached in waiting:
        for caller in calls.callers.get(reached, ()):
            if caller in outer:
                inside = True
            elif caller not in without:
                without.add(caller)
                waiting.append(caller)
    inside = inside or any(reached.startswith("rule:") for reached in waiting)
    first = [_get_name(reached) for reached in waiting if calls.can_begin(reached)]
    if not inside:
        _report_never_running(line, name, program.procedures, report)
    elif first:
        message = f"`{line.procedure}` may not be running here"
        can_begin_alone = name in first
        path = f"`{name}` can be begun by itself" if can_begin_alone else f"This is also reached from `{first[0]}`"
        notes = (f"{path}; without `{line.procedure}` the run stops here.",)
        remedy = f"write `inner procedure {name}`" if can_begin_alone else "perform this only from there"
        report.warning("RW0538", line.origin.span, message, notes=notes, help=remedy)
