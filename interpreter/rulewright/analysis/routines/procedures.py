"""Procedures: opening lines with what they watch, then steps (manual, Procedures)."""

from dataclasses import replace
from itertools import groupby

from rulewright.analysis import addresses, infer, promises
from rulewright.analysis.declaration_edits import STEP
from rulewright.analysis.declare import is_fixed
from rulewright.analysis.effects import effects
from rulewright.analysis.facts import Facts, forget, suppose
from rulewright.analysis.flow.finished_routine import check_routine
from rulewright.analysis.flow.terminators import terminator_of
from rulewright.analysis.infer.slots import fitted
from rulewright.analysis.reads import ANYTHING
from rulewright.analysis.recheck import Stand
from rulewright.analysis.routines.block_lines import line
from rulewright.analysis.routines.jumps_back import jumped_to, known_in_rounds
from rulewright.analysis.routines.routine_context import Here, Names, Routine, changed_names, failed, join
from rulewright.analysis.routines.windows import event_of, event_parameters
from rulewright.analysis.scope import Scope
from rulewright.diagnostics import Label, has_errors
from rulewright.diagnostics.remedies import meant
from rulewright.program import declarations as typed
from rulewright.program.conditions import condition_of
from rulewright.program.expressions import Expression, Variable
from rulewright.program.statements import Block
from rulewright.source import Span
from rulewright.syntax.nodes import declarations as d, statements as s

_Opening = typed.Need | typed.Hold | typed.Watch | Block


def procedure(node: d.Procedure, scope: Scope) -> typed.Procedure | None:
    """A procedure, or none where a line of it has an error."""
    symbol = scope.module.callables.get(node.name.text)
    if symbol is None or symbol.sort != "procedure":
        return None
    before = len(scope.report.found)
    making = _Procedure(node, scope)
    made = making.made()
    if failed(making.routine, scope.report, before) or making.owes_result():
        return None
    check_routine(made, making.performed, making.plain_jumps, scope.report)
    return made


class _Procedure:
    """A procedure in the making."""

    def __init__(self, node: d.Procedure, scope: Scope) -> None:
        self._node = node
        self._scope = scope
        self._name = scope.module.prefix + node.name.text
        self._all_lines = tuple(each for each in addresses.lines(node) if isinstance(each, s.Line))
        names = Names(scope.variables, changed_names(self._all_lines))
        self.routine = Routine(
            line,
            self._name,
            "procedure",
            scope,
            names,
            effects(scope),
            effects(scope).body(node, scope.module),
            scope.shapes.results.get(self._name),
            self._step_order(),
            changed_names(_told(node)),
        )
        self._back = self._last_jump_back()
        self._jumped_to = jumped_to(node)
        self._ends = False
        self._found_before = len(scope.report.found)
        self.performed = self.routine.effects.starts(self._name)
        self.plain_jumps = frozenset(
            each.head for each in self._all_lines if isinstance(each, s.Proceed) and not each.cites
        )

    def _step_order(self) -> dict[str, int]:
        order: dict[str, int] = {}
        for each in self._node.steps:
            if each.name.text in order:
                first = next(step.name.span for step in self._node.steps if step.name.text == each.name.text)
                message = f"there are two steps `{each.name.text}`"
                remedy = "give one of them another number"
                self._scope.report.error(
                    "RW0503", each.name.span, message, help=remedy, secondary=(Label(first, "the first one"),)
                )
            order.setdefault(each.name.text, len(order))
        return order

    def _last_jump_back(self) -> int:
        """The last step with a jump back in it, or -1."""
        last = -1
        for place, step in enumerate(self._node.steps):
            for each in addresses.lines(step):
                target = self.routine.steps.get(each.step.text) if isinstance(each, s.Proceed) else None
                if target is not None and target <= place:
                    last = place
        return last

    def _leaves_for_good(self, line: s.Statement) -> bool:
        """Whether a line leads to where no jump comes back from."""
        match line:
            case s.Finish():
                return True
            case s.Proceed(step=step):
                return self.routine.steps.get(step.text, -1) > self._back
            case _:
                return False

    def made(self) -> typed.Procedure:
        parameters = self._parameters()
        defaults = tuple(self._default(each) for each in self._node.parameters)
        begun = promises.assumed(self._scope.facts, parameters, self._node.head)
        here = Here(self.routine, self._name, self._node.cites, begun)
        opening, known = self._opening(here)
        steps = self._steps(here, known)
        derivation = self._scope.linked.derivations.get(self._name)
        return typed.Procedure(
            **here.declared(self._node),
            parameters=parameters,
            defaults=defaults,
            result=self.routine.result,
            opening=opening,
            steps=steps,
            like=derivation.base if derivation is not None else "",
            inner=self._node.inner,
        )

    def _parameters(self) -> tuple[Variable, ...]:
        types = dict(self._scope.module.callables[self._node.name.text].parameters)
        names = [each.name for each in self._node.parameters if each.name.text in types]
        shown = [name for name in names if not infer.hides(name, self._scope)]
        return tuple(self.routine.names.parameter(name.text, types[name.text], name.span) for name in shown)

    def _default(self, node: d.Parameter) -> Expression | None:
        types = dict(self._scope.module.callables[self._node.name.text].parameters)
        if node.default is None or node.name.text not in types:
            return None
        wanted = types[node.name.text]
        value = fitted(node.default, wanted, self._scope, f"`{node.name.text}`")
        return value if value is not None and is_fixed(value, "a default", self._scope.report) else None

    def _opening(self, here: Here) -> tuple[tuple[_Opening, ...], Facts | None]:
        found: list[_Opening] = []
        facts: Facts | None = here.facts
        for plain, group in groupby(enumerate(self._node.opening), lambda pair: isinstance(pair[1], s.Line)):
            here = here.knowing(facts or here.facts)
            if plain:
                block, after = here.sequence([each for _, each in group])  # type: ignore[misc]
                found.append(block)
                facts = facts and after
                continue
            for place, each in group:
                part, known = self._part(each, place, here)  # type: ignore[arg-type]
                here = here.knowing(known)
                if part is not None:
                    found.append(part)
            facts = facts and here.facts
        return tuple(found), facts

    def _part(
        self, node: d.Requirement | d.Hold | d.Watch, place: int, here: Here
    ) -> tuple[typed.Need | typed.Hold | typed.Watch | None, Facts]:
        match node:
            case d.Requirement():
                return _need(node, here)
            case d.Hold():
                return self._hold(node, here), here.facts
            case d.Watch():
                below = (*self._node.opening[place + 1 :], *self._node.steps)
                blocks = (each.block if isinstance(each, d.Step) else each for each in below)
                plain = tuple(each for each in blocks if isinstance(each, s.Block | s.Line))
                names = self.routine.effects.doings(plain, self.routine.body).names
                lost = here.local_keys((*names, *self.routine.names.changed))
                return _watch(node, here.knowing(forget(here.facts, lost | {ANYTHING, "dice"}))), here.facts

    def _hold(self, node: d.Hold, here: Here) -> typed.Hold | None:
        found = []
        module = self._scope.module.at(node.span)
        rules = {name: each for name, each in module.others.items() if each.sort == "rule"}
        for each in node.names:
            prefix, _, plain = each.text.rpartition(".")
            used = module.uses.get(prefix)
            symbol = rules.get(each.text) or (used.others.get(plain) if used is not None else None)
            if symbol is not None and symbol.sort == "rule":
                found.append(symbol.name)
                continue
            message = f"there is no standing rule `{each.text}`"
            here.error("RW0528", each.span, message, remedy=meant(each.text, rules, each.span))
        return typed.Hold(**here.mark(node), rules=tuple(found))

    def _steps(self, here: Here, known: Facts | None) -> tuple[typed.Step, ...]:
        found: list[typed.Step] = []
        facts = known
        seen: set[str] = set()
        unreached: set[str] = set()
        report = self._scope.report
        for place, each in enumerate(self._node.steps):
            name = each.name.text
            ways = [facts, *self.routine.arrivals.get(name, ())]
            if name in self.performed:
                ways.append(known or here.facts)
            arrived = join(ways)
            report.address = f"{self._name}/{name}"
            if arrived is None and not self.routine.astray:
                remedy, culprit = _passed_over(name, found, unreached)
                here.warning("RW0526", each.head, f"step `{name}` is never reached", help=remedy, secondary=culprit)
                unreached.add(name)
            entered = replace(here, step=place, facts=arrived or known or here.facts)
            if name in self._jumped_to or (place <= self._back and name in self.performed):
                blocks = tuple(step.block for step in self._node.steps[place : self._back + 1])
                doings = self.routine.effects.each_round(blocks, self.routine.body, self._leaves_for_good)
                head = entered.knowing(entered.before_loop(doings))
                entered = head.knowing(known_in_rounds(self._node, name, entered.facts, head))
            step, facts = self._kept_step(each, entered, twice=name in seen)
            if arrived is None:
                facts = None
            seen.add(name)
            found.append(step)
        report.address = self._name
        self._ends = facts is not None
        return tuple(found)

    def owes_result(self) -> bool:
        """Whether some way leads to the end of a procedure that must give a result; reports it."""
        owes = self._ends and self.routine.result is not None
        if owes:
            place, way = way_without_result(self._node)
            message = f"`{self._node.name.text}` gives a result, but none {way}"
            self._scope.report.error("RW0527", place, message, help="end every way with `finish with …`")
        return owes

    def _kept_step(self, node: d.Step, here: Here, *, twice: bool) -> tuple[typed.Step, Facts | None]:
        """A step, as an earlier check has it where the step and all that leads to it are as they were."""
        routine, report, shapes = self.routine, self._scope.report, self._scope.shapes
        if twice or routine.broken or routine.astray or has_errors(report.found[self._found_before :]):
            return self._step(node, here, twice=twice)
        known = {name: len(facts) for name, facts in routine.arrivals.items()}

        def made() -> tuple[typed.Step, Stand]:
            step, after = self._step(node, here, twice=twice)
            led = ((name, each) for name, facts in routine.arrivals.items() for each in facts[known.get(name, 0) :])
            return step, self._stand(after, here, tuple(led))

        address = f"{self._name}/{node.name.text}"
        step, end = shapes.parts.step(address, self._stand(here.facts, here), shapes, report, made)
        if routine.broken or routine.astray:
            shapes.parts.made.pop((STEP, address), None)
            return step, end.facts[0]
        routine.go_on(end.names)
        for name, facts in routine.arrivals.items():
            del facts[known.get(name, 0) :]
        for name, each in end.facts[1]:
            routine.arrivals.setdefault(name, []).append(self._now(each))
        return step, end.facts[0] and self._now(end.facts[0])

    def _stand(self, facts: Facts | None, here: Here, led: tuple[tuple[str, Facts], ...] = ()) -> Stand:
        routine = self.routine
        fixed = (routine.names.changed, routine.told, tuple(routine.steps.items()), here.cites, here.step)
        return Stand((facts, led), routine.stand(), fixed)

    def _now(self, facts: Facts) -> Facts:
        """Facts that look into the functions of this check."""
        shapes = self._scope.shapes
        return replace(facts, functions=shapes.functions, reads=shapes.reads, effort=shapes.effort)

    def _step(self, node: d.Step, here: Here, *, twice: bool) -> tuple[typed.Step, Facts | None]:
        name = node.name.text
        address = self.routine.address(self._name, name, node.name.span, written=not twice)
        place = replace(here.citing(node.cites), within=address)
        guarded = place.guarded(node.guard)
        guard = guarded.guard
        block, after = guarded.inside.block(node.block)
        if node.guard is not None:
            passed = place.facts if guard is None else suppose(place.facts, guard, truth=False)
            after = join((after, passed))
        title = node.title.text if node.title else ""
        return typed.Step(name, address, title, place.cited(()), node.head, guard, block), after


def _passed_over(name: str, before: list[typed.Step], unreached: set[str]) -> tuple[str, tuple[Label, ...]]:
    """What to do where no way leads to a step, and the line before it that always leads elsewhere."""
    lead = f"lead here with `proceed to {name}`"
    if before and before[-1].id in unreached:
        return f"step `{before[-1].id}` before it is never reached either; mend that first", ()
    found = terminator_of(before[-1].block) if before else None
    if found is None:
        return f"{lead}, or let the lines above end without leaving", ()
    return f"{found.told}; {found.asked or f'put it under a condition, or {lead}'}", (found.label,)


def _told(node: d.Procedure) -> tuple[s.Line, ...]:
    """The lines of all its watches."""
    watches = [each for each in node.opening if isinstance(each, d.Watch)]
    return tuple(line for each in watches for line in addresses.lines(each) if isinstance(line, s.Line))


def _need(node: d.Requirement, here: Here) -> tuple[typed.Need | None, Facts]:
    guarded = here.guarded(node.guard)
    condition = infer.condition(node.condition, guarded.inside.scope)
    part = here.part(node, here.within)
    if condition is None or guarded.fails:
        return None, here.facts
    made = typed.Need(**part, condition=condition, guard=guarded.guard)
    return made, suppose(here.facts, condition_of(made), truth=True)


_BOOK_KEEPING = (s.Let, s.Set, s.Change, s.If, s.Match, s.ForEach, s.Nothing, s.RulingLine, s.Stop)


def _watch(node: d.Watch, here: Here) -> typed.Watch | None:
    """A watch; the place given knows only what holds while the procedure runs."""
    found = event_of(node.event, here)
    if found is None:
        return None
    event, _ = found
    routine = replace(here.routine, sort="watch")
    own = event_parameters(event, routine.names, node.event.span, here)
    mark = here.mark(node)
    inner = replace(here.citing(node.cites), routine=routine, each={each.name: each for each in own})
    guarded = inner.guarded(node.guard)
    for each in node.block.lines:
        if not isinstance(each, _BOOK_KEEPING):
            remedy = "a `watch` may `let`, `set`, `add`, `take`, `if`, `match` and `for each`"
            inner.error("RW0516", each.head, "a `watch` may only change names of its procedure", help=remedy)
            return None
    block, _ = guarded.inside.block(node.block)
    if guarded.fails:
        return None
    return typed.Watch(event=event.name, **mark, parameters=own, guard=guarded.guard, block=block)


def way_without_result(node: d.Procedure) -> tuple[Span, str]:
    """Where the way leads by that comes to the end of a procedure, and when it does, in words.

    The end is known to be reached, by the facts; what lies before it is told as far as the lines alone show it.
    """
    if not node.steps:
        lines = tuple(each for each in node.opening if isinstance(each, s.Line))
        return _after(lines) if lines else (node.head, "at its end")
    step = node.steps[-1]
    lines = step.block.lines if step.block is not None else ()
    if step.guard is None:
        return _after(lines) if lines else (step.head, "after this step")
    if _leave(lines):
        return step.guard.span, f"where step `{step.name.text}` is passed over"
    return step.head, "after this step"


def _after(lines: tuple[s.Statement, ...]) -> tuple[Span, str]:
    """Where lines come to their end, which they are known to do."""
    last = lines[-1]
    ways = _branches(last)
    staying = [each for each in ways if not _leave(each)]
    if len(ways) > 1 and len(staying) == 1 and staying[0]:
        return _after(staying[0])
    if isinstance(last, s.If) and last.otherwise is None and staying == [()]:
        conditions = [each.condition.span for each in last.branches]
        if len(conditions) > 1:
            return last.head, "where none of its conditions holds"
        return conditions[0], "where this does not hold"
    return last.head, "after this line"


def _leave(lines: tuple[s.Statement, ...]) -> bool:
    """Whether lines surely lead elsewhere at their end."""
    if not lines or isinstance(lines[-1], s.Finish | s.Proceed):
        return bool(lines)
    ways = _branches(lines[-1])
    return bool(ways) and all(_leave(each) for each in ways)


def _branches(line: s.Statement) -> tuple[tuple[s.Statement, ...], ...]:
    """All that may come of a line, one of which does; none where its block does not say it all."""
    match line:
        case s.If(branches=branches, otherwise=otherwise):
            return (*(each.block.lines for each in branches), otherwise.lines if otherwise is not None else ())
        case s.Ask(block=s.Block() as block, otherwise=s.Block() as otherwise):
            return block.lines, otherwise.lines
        case s.Match(cases=cases) if any(not each.values for each in cases):
            return tuple(each.block.lines for each in cases)
        case _:
            return ()
