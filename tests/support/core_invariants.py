"""Invariants of core programs, which hold after lowering and after every pass over core.

`check_core` names each place where one does not hold; it judges the form of a program, not what it means. Assignment
and settling are judged by forward data-flow analysis over the statements (definite assignment as in Java, Gosling et
al., *The Java Language Specification*, chapter 16).
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeGuard, assert_never

from rulewright.base.frozen import dataclass, replace
from rulewright.base.node_roles import walk_nodes
from rulewright.program import expressions as ex, statements as st, types as ty
from rulewright.program.core import forms as core
from rulewright.program.core.dependences import EffectAnalysis
from rulewright.program.core.effects import EVERYWHERE, get_store_place
from rulewright.program.core.operations import FAULTS, OPERATIONS, Operation
from rulewright.program.core.printing import get_origin_address
from rulewright.program.core.stopping import StopAnalysis, Volume
from rulewright.program.core.walking import list_parts, walk_expressions, walk_forms, walk_statements
from rulewright.program.declarations import Program
from rulewright.program.walk import list_routines

INVARIANTS: Mapping[str, str] = {
    "assigned names": "a name is set on every path before it is read, unless it may be none",
    "own names": "a statement names only locals of its routine, parameters among them, each with an index of its own",
    "flags": "what is tested is a flag",
    "operations": "an operation is in the table, with its arguments and constants",
    "faults": "a `Fail` has a fault of the table",
    "loops": "a `Leave` names a loop around it in the same routine; loops inside each other have different labels",
    "bounds": "a loop without a bound is one of a rank or of the settling",
    "jumps": "a `Jump` names a step of its routine, and counts its rounds if it has a bound",
    "quiet": "a `Quiet` that holds back has no stop and no way out; no `Settle` stands inside a `Quiet`",
    "watches": "the block of a watch stops for external values alone, does not lead out, and writes only names",
    "purity": "a pure routine has only `Set` of names, `If`, `For`, `Loop`, `Leave`, `Return`, `Fail` and `Note`",
    "results": "no path leads to the end of a pure routine without a result",
    "routines": "a routine that is called, applied, captured or listed exists, is of the right sort, and fits in number",
    "places": "a place that is written can be; its keys are names, constants, or loads whose keys are so",
    "settling": "what a line writes settles before the next line, if rules or invariants read it",
    "rules": "a standing rule or invariant that is due, held or listed exists",
    "due": "a change of what a standing rule or invariant reads makes it due, any change if it may want a value",
    "origins": "a statement, or one around it, has an address, but in the settling; from each line and row of the "
    "program stems a form, from each expression one at most",
}
"""The invariants by name, each in a sentence."""


@dataclass(frozen=True, slots=True, order=True)
class CoreViolation:
    """A place where a core program does not keep one of `INVARIANTS`."""

    routine: str
    address: str
    invariant: str
    detail: str

    def __str__(self) -> str:
        place = f"{self.routine}{f' @{self.address}' if self.address else ''}"
        return f"{place}: {self.invariant}: {self.detail}"


def check_core(program: core.CoreProgram, source: Program | None = None) -> list[CoreViolation]:
    """Violations of the invariants, by routine; with the program it was lowered from, also lines without a form."""
    stops = StopAnalysis(program)
    found = [*_check_tables(program), *_check_due_keys(program)]
    for key, routine in program.routines.items():
        if routine.key != key:
            found.append(CoreViolation(key, "", "routines", f"has the key {routine.key}"))
        found += _RoutineCheck(program, stops, routine).list_violations()
    if source is not None:
        found += [*_check_coverage(program, source), *_check_origins(program, source)]
    return list(dict.fromkeys(found))


# Whole programs.


def _check_tables(program: core.CoreProgram) -> Iterator[CoreViolation]:
    known = {*program.rules, *program.invariants}
    tables = {
        "rules": program.rules,
        "invariants": program.invariants,
        "windows": program.windows.values(),
        "measures": program.measures.values(),
    }
    for name, keys in tables.items():
        for key in keys:
            if key not in program.routines:
                yield CoreViolation(name, "", "routines", f"there is no routine {key}")
    for place, keys in program.due_keys.items():
        for key in keys:
            if key not in known:
                yield CoreViolation(place, "", "rules", f"there is no rule or invariant {key}")
    if known and core.SETTLING not in program.routines:
        yield CoreViolation("rules", "", "routines", "there is no settling")


def _check_due_keys(program: core.CoreProgram) -> Iterator[CoreViolation]:
    effects = EffectAnalysis(program)
    changed = frozenset().union(*map(effects.get_places_written_by, program.routines)) - EVERYWHERE
    for key in (*program.rules, *program.invariants):
        read = effects.get_places_read_by(key.replace("rule:", "find:", 1))
        waking = changed if read >= EVERYWHERE else read & changed
        for place in sorted(waking):
            if key not in program.due_keys.get(place, ()):
                yield CoreViolation(key, "", "due", f"a change of {place} does not make it due")


def _check_coverage(program: core.CoreProgram, source: Program) -> Iterator[CoreViolation]:
    """Lines and rows of which no form stems, nor of what stands in them."""
    origins = {
        id(form.origin)
        for routine in program.routines.values()
        for form in walk_forms(routine)
        if isinstance(form, core.CoreNode)
    }
    for declared in (*source.functions.values(), *list_routines(source)):
        for node in walk_nodes(declared):
            if not isinstance(node, st.Line | ex.Row) or (isinstance(node, st.Let) and node.value is None):
                continue  # a `let` without a value only names a variable
            if not any(id(inner) in origins for inner in walk_nodes(node)):
                yield CoreViolation(declared.name, node.address, "origins", "no form stems from this line or row")


def _check_origins(program: core.CoreProgram, source: Program) -> Iterator[CoreViolation]:
    """Expressions from which more forms of one routine stem than there are places where they stand."""
    declared = (*source.functions.values(), *list_routines(source))
    places = Counter(id(node) for node in walk_nodes(declared) if isinstance(node, ex.Typed))
    for key, routine in program.routines.items():
        forms = {id(form): form.origin for form in walk_forms(routine.entry, routine.steps) if _is_expression(form)}
        stemming = Counter(map(id, forms.values()))
        for origin in forms.values():
            if id(origin) in places and stemming[id(origin)] > places[id(origin)]:
                detail = f"{stemming[id(origin)]} expressions stem from one {type(origin).__name__}"
                yield CoreViolation(key, "", "origins", detail)


def _is_expression(form: object) -> TypeGuard[core.Value]:
    return isinstance(form, core.Value)


# Routines.


@dataclass(frozen=True, slots=True)
class _Around:
    """What is around a statement: labels of loops, whether a `Quiet`, and which of them are left by a way out."""

    loops: tuple[int, ...] = ()
    is_quiet: bool = False
    holds_back: bool = False
    own_loops: tuple[int, ...] = ()  # those inside the `Quiet` that holds back
    in_watch: bool = False
    has_address: bool = False  # a statement or step around it has one


@dataclass(frozen=True, slots=True)
class _Flow:
    """What is known before a statement: names that are set, and the place that waits for a settling with its line."""

    names: frozenset[int]
    pending: frozenset[tuple[str, str]] = frozenset()


_Known = _Flow | None
"""None where no path leads."""


def _join_flows(*flows: _Known) -> _Known:
    open_flows = [flow for flow in flows if flow is not None]
    if not open_flows:
        return None
    return _Flow(
        frozenset.intersection(*(flow.names for flow in open_flows)),
        frozenset().union(*(flow.pending for flow in open_flows)),
    )


class _RoutineCheck:
    def __init__(self, program: core.CoreProgram, stops: StopAnalysis, routine: core.Routine) -> None:
        self._program = program
        self._stops = stops
        self._routine = routine
        self._violations: list[CoreViolation] = []
        self._address = get_origin_address(routine.origin)
        self._locals = {local.index for local in routine.locals}
        self._leaving: dict[int, _Known] = {}
        self._jumping: dict[int, _Known] = {}

    def list_violations(self) -> list[CoreViolation]:
        self._check_names()
        self._check_block(self._routine.entry, _Around())
        for step in self._routine.steps:
            self._note_address(step.origin)
            if step.guard is not None:
                self._check_expressions((step.guard,), step)
            self._check_block(step.block, _Around())
        self._follow_steps()
        return self._violations

    def _report(self, invariant: str, detail: str) -> None:
        self._violations.append(CoreViolation(self._routine.key, self._address, invariant, detail))

    def _note_address(self, origin: core.Origin) -> None:
        self._address = get_origin_address(origin) or self._address

    def _check_names(self) -> None:
        routine = self._routine
        if len(self._locals) < len(routine.locals):
            self._report("own names", "two locals have one index")
        if routine.is_pure and routine.steps:
            self._report("purity", "a pure routine has steps")
        for parameter in routine.parameters:
            if parameter.index not in self._locals:
                self._report("own names", f"the parameter {_show_local(parameter)} is not among its locals")

    # The form of statements.

    def _check_block(self, block: core.Block, around: _Around) -> None:
        for statement in block:
            self._check_statement(statement, around)

    def _check_statement(self, statement: core.Statement, around: _Around) -> None:
        self._note_address(statement.origin)
        sort = type(statement).__name__
        if get_origin_address(statement.origin):
            around = replace(around, has_address=True)
        elif not around.has_address and self._routine.sort != "settling":
            self._report("origins", f"a {sort} has no address")
        self._check_expressions(tuple(walk_expressions(statement)), statement)
        if self._routine.is_pure and not _is_pure(statement):
            self._report("purity", f"a {sort} in a pure routine")
        if around.holds_back or around.in_watch:
            self._check_confined(statement, around)
        match statement:
            case core.Set(place=place) | core.Draw(place=place) | core.Shuffle(place=place):
                self._check_place(place)
            case core.If(test=test, then=then, other=other):
                self._check_flag(test)
                self._check_block(then, around)
                self._check_block(other, around)
            case core.For(body=body, label=label) | core.Loop(body=body, label=label):
                self._check_loop(statement)
                if label in around.loops:
                    self._report("loops", f"two loops inside each other have the label {label}")
                loops, own = (*around.loops, label), (*around.own_loops, label)
                self._check_block(body, replace(around, loops=loops, own_loops=own))
            case core.Leave(label=label):
                if label not in around.loops:
                    self._report("loops", f"no loop around a Leave has the label {label}")
            case core.Quiet(body=body, holds_back=holds_back):
                own = around.own_loops if around.holds_back else ()
                holds = holds_back or around.holds_back
                self._check_block(body, replace(around, is_quiet=True, holds_back=holds, own_loops=own))
            case core.Jump():
                self._check_jump(statement)
            case core.Call(routine=routine, arguments=arguments):
                self._check_use(routine, len(arguments), is_pure=False)
            case core.Unwind(procedure=procedure):
                self._check_use(f"procedure:{procedure}", None, is_pure=False)
            case core.Trigger(event=event, arguments=arguments):
                if event in self._program.windows:
                    self._check_use(self._program.windows[event], len(arguments), is_pure=False)
            case core.Settle():
                if around.is_quiet:
                    self._report("quiet", "a Settle inside a Quiet")
            case core.Fail(fault=fault):
                if fault not in FAULTS:
                    self._report("faults", f"{fault} is not in the table of faults")
            case core.Ask(conditions=conditions, then=then, none=none):
                for condition in conditions:
                    self._check_flag(condition.test)
                self._check_block(then, around)
                self._check_block(none, around)
            case core.During(effect=effect):
                self._check_effect(effect, around)
            case core.Return() | core.Roll() | core.Reroll() | core.External() | core.Note():
                pass
            case _:
                assert_never(statement)

    def _check_confined(self, statement: core.Statement, around: _Around) -> None:
        """A statement that must not lead out of what is around it, nor stop there."""
        invariant = "watches" if around.in_watch else "quiet"
        sort = type(statement).__name__
        leaves = isinstance(statement, core.Leave) and statement.label not in around.own_loops
        if leaves or isinstance(statement, core.Jump | core.Return | core.Unwind):
            self._report(invariant, f"a {sort} leads out")
        writes = isinstance(statement, core.Set) and not isinstance(statement.place.root, core.Local)
        if around.in_watch and (writes or isinstance(statement, core.Call | core.Trigger | core.Settle | core.During)):
            self._report(invariant, f"a {sort} may change the game")
        if around.in_watch:
            stops = isinstance(statement, core.Ask | core.Roll | core.Reroll | core.Draw | core.Shuffle | core.External)
        else:
            stops = self._stops.may_stop(statement, Volume.HELD_BACK if around.holds_back else Volume.LOUD)
        has_blocks = any(isinstance(part, _ANY_STATEMENT) for part in list_parts(statement))
        if stops and not (has_blocks and not isinstance(statement, core.Ask)):
            self._report(invariant, f"a {sort} may stop")

    def _check_loop(self, loop: core.For | core.Loop) -> None:
        if isinstance(loop, core.For):
            return
        if loop.test is not None:
            self._check_flag(loop.test)
        if (
            loop.bound is None
            and self._routine.sort != "settling"
            and not isinstance(loop.origin, st.Rank | st.RankKey)
        ):
            self._report("bounds", "a Loop has no bound")

    def _check_jump(self, jump: core.Jump) -> None:
        if jump.step not in range(len(self._routine.steps)):
            self._report("jumps", f"there is no step {jump.step}")
        if (jump.bound is None) != (jump.rounds is None):
            self._report("jumps", "a bound and the local that counts go together")

    def _check_effect(self, effect: core.Holding | core.Listening, around: _Around) -> None:
        match effect:
            case core.Holding(rules=rules):
                for rule in rules:
                    self._check_rule(f"rule:{rule}")
            case core.Listening(body=body):
                self._check_block(
                    body, _Around(in_watch=True, holds_back=around.holds_back, has_address=around.has_address)
                )
            case _:
                assert_never(effect)

    def _check_rule(self, key: str) -> None:
        if key not in self._program.rules and key not in self._program.invariants:
            self._report("rules", f"there is no rule or invariant {key}")

    # Expressions and places.

    def _check_expressions(self, expressions: Sequence[core.Expression], owner: core.CoreNode) -> None:
        for form in walk_forms(*_list_operands(owner)):
            if isinstance(form, core.Local) and form.index not in self._locals:
                self._report("own names", f"{_show_local(form)} is not among its locals")
            elif isinstance(form, core.Due):
                self._check_rule(form.key)
            elif isinstance(form, core.Held) and form.rule:
                self._check_rule(f"rule:{form.rule}")
        for expression in expressions:
            self._check_expression(expression)

    def _check_expression(self, expression: core.Expression) -> None:
        match expression:
            case core.Op(name=name, arguments=arguments, facts=facts):
                self._check_operation(name, arguments, facts)
            case core.Cond(test=test):
                self._check_flag(test)
            case core.Over(where=where, gather=gather, value=value):
                if where is not None:
                    self._check_flag(where)
                if value is not None and gather in {"some", "no", "every"}:
                    self._check_flag(value)
            case core.Apply(routine=routine, arguments=arguments):
                self._check_use(routine, len(arguments), is_pure=True)
            case core.Closure(routine=routine):
                self._check_use(routine, None, is_pure=True)
            case core.Wanted(default=default, arguments=arguments):
                if default is not None:
                    self._check_use(default, len(arguments), is_pure=True)
            case core.Const() | core.Get() | core.Load() | core.Bind() | core.RollOf():
                pass
            case _:
                assert_never(expression)

    def _check_operation(self, name: str, arguments: tuple[core.Expression, ...], facts: tuple[object, ...]) -> None:
        operation = OPERATIONS.get(name)
        if operation is None:
            self._report("operations", f"there is no operation `{name}`")
            return
        least, is_open, constants = _read_signature(operation)
        if len(arguments) != least and not is_open:
            self._report("operations", f"`{name}` takes {least} arguments, not {len(arguments)}")
        if len(facts) != constants:
            self._report("operations", f"`{name}` has {constants} constants, not {len(facts)}")
        for argument in arguments:
            if isinstance(argument, core.Closure) and argument.routine in self._program.routines:
                given = len(argument.captured) + _CLOSURE_ARGUMENTS.get(name, 0)
                self._check_use(argument.routine, given, is_pure=True)

    def _check_flag(self, test: core.Expression) -> None:
        if not isinstance(test.type, ty.FlagType | ty.OptionalType) or ty.strip_optional(test.type) != ty.FLAG:
            self._report("flags", f"a test gives a {test.type}")

    def _check_use(self, key: str, arguments: int | None, *, is_pure: bool) -> None:
        routine = self._program.routines.get(key)
        if routine is None:
            self._report("routines", f"there is no {key}")
        elif routine.is_pure != is_pure:
            self._report("routines", f"{key} is {'pure' if routine.is_pure else 'not pure'}")
        elif arguments is not None and arguments != len(routine.parameters):
            self._report("routines", f"{key} takes {len(routine.parameters)} arguments, not {arguments}")

    def _check_place(self, place: core.Place) -> None:
        if isinstance(place.root, core.InPlay | core.RemovedThings | core.Setting | core.Cells | core.Held):
            self._report("places", f"a {type(place.root).__name__} is written")
        keys = [] if isinstance(place.root, core.Local) else list_parts(place.root)
        for entry in place.path:
            keys += list_parts(entry)
        if not all(map(_is_plain, keys)):
            self._report("places", "a key is more than a name or constant")

    # Assignment and settling.

    def _follow_steps(self) -> None:
        """Follows all paths until what is known at each step stays the same, then once more to report."""
        routine = self._routine
        begun = _Flow(frozenset(local.index for local in routine.parameters))
        arrivals: list[_Known] = [None] * len(routine.steps)
        reports = self._violations
        while True:
            self._violations, self._jumping = [], {}
            flow = self._follow_block(routine.entry, begun)
            before = list(arrivals)
            for number, step in enumerate(routine.steps):
                arrivals[number] = flow = _join_flows(flow, arrivals[number])
                if flow is None:
                    continue
                self._note_address(step.origin)
                if step.guard is not None:
                    self._read(step.guard, flow.names)
                after = self._follow_block(step.block, flow)
                flow = _join_flows(after, flow if step.guard is not None else None)
            self._require_settled(flow, "the end of the routine")
            if flow is not None and routine.is_pure:
                self._report("results", "its end gives no result")
            for number, jumped in self._jumping.items():
                if number in range(len(arrivals)):
                    arrivals[number] = _join_flows(arrivals[number], jumped)
            if arrivals == before:
                break
        self._violations = [*reports, *self._violations]

    def _follow_block(self, block: core.Block, flow: _Known) -> _Known:
        for statement in block:
            if flow is None:
                return None  # no path leads here
            flow = self._follow(statement, flow)
        return flow

    def _follow(self, statement: core.Statement, flow: _Flow) -> _Known:
        self._note_address(statement.origin)
        if not isinstance(statement, core.Settle | core.Note):
            flow = self._begin_line(statement, flow)
        for part in _list_operands(statement):
            if isinstance(statement, core.Ask) and isinstance(part, core.Condition):
                self._read(part, flow.names | {statement.result.index})
            elif not isinstance(part, core.Local):
                self._read(part, flow.names)
        match statement:
            case core.Set(place=place):
                if isinstance(place.root, core.Local):
                    return _Flow(flow.names | {place.root.index}, flow.pending)
                return self._write(flow, get_store_place(place.root))
            case core.If(then=then, other=other):
                return _join_flows(self._follow_block(then, flow), self._follow_block(other, flow))
            case core.For() | core.Loop():
                return self._follow_loop(statement, flow)
            case core.Leave(label=label, again=again):
                self._require_settled(flow, "a Leave")
                if not again:
                    self._leaving[label] = _join_flows(self._leaving.get(label), flow)
                return None
            case core.Quiet(body=body):
                return self._follow_quiet(body, flow)
            case core.Jump(step=step):
                self._require_settled(flow, "a Jump")
                self._jumping[step] = _join_flows(self._jumping.get(step), flow)
                return None
            case core.Return() | core.Unwind():
                self._require_settled(flow, f"a {type(statement).__name__}")
                return None
            case core.Fail():
                return None
            case core.Ask(result=result, then=then, none=none, everyone=everyone):
                self._require_settled(flow, "a stop")
                answered = flow.names | {result.index} | ({everyone.index} if everyone is not None else frozenset())
                taken = self._follow_block(then, _Flow(answered))
                return taken if _has_answer(statement) else _join_flows(taken, self._follow_block(none, flow))
            case core.Roll(result=result):
                self._require_settled(flow, "a stop")
                return _Flow(flow.names | {result.index})
            case core.Reroll():
                self._require_settled(flow, "a stop")
                return flow
            case core.Draw(place=place, result=result):
                self._require_settled(flow, "a stop")
                return self._write_place(_Flow(flow.names | {result.index}), place)
            case core.Shuffle(place=place):
                self._require_settled(flow, "a stop")
                return self._write_place(flow, place)
            case core.External(result=result):
                self._require_settled(flow, "a stop")
                return self._write(_add_result(flow, result), "")
            case core.Call(result=result):
                self._require_settled(flow, "a call")
                return _add_result(flow, result)
            case core.Trigger(result=result, removal=removal):
                if not removal:
                    self._require_settled(flow, "an event")
                return _add_result(flow, result)
            case core.Settle():
                return _Flow(flow.names)
            case core.During(effect=effect):
                if isinstance(effect, core.Listening):
                    heard = frozenset(local.index for local in effect.parameters)
                    self._follow_block(effect.body, _Flow(flow.names | heard))
                return flow
            case core.Note():
                return flow
            case _:
                assert_never(statement)

    def _follow_loop(self, loop: core.For | core.Loop, flow: _Flow) -> _Known:
        self._leaving.pop(loop.label, None)
        names = loop.names if isinstance(loop, core.For) else ()
        inside = flow.names | {name.index for name in names if name is not None}
        after = self._follow_block(loop.body, _Flow(inside, flow.pending))
        self._require_settled(after, "the end of a round")
        left = self._leaving.pop(loop.label, None)
        ends = isinstance(loop, core.For) or loop.test is not None
        return _join_flows(left, flow if ends else None)

    def _follow_quiet(self, body: core.Block, flow: _Flow) -> _Known:
        """What is written inside a quiet block waits for the settling behind it."""
        written = [
            get_store_place(form.place.root)
            for form in walk_statements(body)
            if isinstance(form, core.Set | core.Draw | core.Shuffle) and not isinstance(form.place.root, core.Local)
        ]
        silenced, self._is_silent = self._is_silent, True
        after = self._follow_block(body, flow)
        self._is_silent = silenced
        for place in written:
            after = after and self._write(after, place)
        return after

    _is_silent = False

    def _begin_line(self, statement: core.Statement, flow: _Flow) -> _Flow:
        """Reports writes of other lines that have not settled."""
        address = get_origin_address(statement.origin)
        late = frozenset((place, line) for place, line in flow.pending if line != address)
        if late:
            self._require_settled(_Flow(flow.names, late), f"a {type(statement).__name__} of another line")
        return _Flow(flow.names, flow.pending - late)

    def _write_place(self, flow: _Flow, place: core.Place) -> _Flow:
        return flow if isinstance(place.root, core.Local) else self._write(flow, get_store_place(place.root))

    def _write(self, flow: _Flow, place: str) -> _Flow:
        """A write; an empty place stands for those of an external procedure."""
        is_due = bool(self._program.due_keys.get(place)) or (not place and bool(self._program.due_keys))
        if not is_due or self._is_silent or self._routine.sort == "settling":
            return flow
        return _Flow(flow.names, flow.pending | {(place, self._address)})

    def _require_settled(self, flow: _Known, before: str) -> None:
        for place, _ in sorted(flow.pending) if flow is not None else ():
            self._report("settling", f"what is written to {place or 'external places'} does not settle before {before}")

    def _read(self, form: object, names: frozenset[int]) -> None:
        """Reports names that a form reads before they are set; names that it binds are set inside it."""
        match form:
            case core.Get(local=local):
                if local.index not in names and not _may_be_none(local):
                    self._report("assigned names", f"{_show_local(local)} is read before it is set")
            case core.Bind(local=local, value=value, body=body):
                self._read(value, names)
                self._read(body, names | {local.index})
            case core.Over(source=source) | core.Members(source=source) | core.Subsets(source=source):
                self._read(source, names)
                inner = names | {name.index for name in form.names if name is not None}
                for part in list_parts(form):
                    if part is not source and not isinstance(part, core.Local):
                        self._read(part, inner)
            case core.RollOf(dice=dice, names=bound, members=members):
                if members is not None:
                    self._read(members, names)
                inner = names | {name.index for name in bound if name is not None}
                for part in (*dice, *form.options):
                    self._read(part, inner)
            case core.Place(root=core.Local() as root, path=path):
                if path:
                    self._read(core.Get(root, type=root.type, origin=None), names)
                for entry in path:
                    self._read(entry, names)
            case _:
                for part in list_parts(form):
                    if not isinstance(part, core.Local):
                        self._read(part, names)


_PURE = (core.If, core.For, core.Loop, core.Leave, core.Return, core.Fail, core.Note)
_ANY_STATEMENT = (
    core.Set, core.If, core.For, core.Loop, core.Leave, core.Quiet, core.Jump, core.Call, core.Return, core.Unwind,
    core.Fail, core.Ask, core.Roll, core.Reroll, core.Draw, core.Shuffle, core.External, core.Trigger, core.Settle,
    core.During, core.Note,
)  # fmt: skip
_CLOSURE_ARGUMENTS: Mapping[str, int] = {"connected": 2, "destinations": 4}
"""How many arguments an operation gives to a closure: two members; two cells, the price and the number of moves."""


def _list_operands(owner: core.CoreNode) -> list[object]:
    """Direct parts of a statement that are no statements, and the guard of a step."""
    return [part for part in list_parts(owner) if not isinstance(part, (*_ANY_STATEMENT, core.Listening))]


def _is_pure(statement: core.Statement) -> bool:
    if isinstance(statement, core.Set):
        return isinstance(statement.place.root, core.Local)
    return isinstance(statement, _PURE)


def _is_plain(key: object) -> bool:
    match key:
        case core.Get() | core.Const():
            return True
        case core.Load(root=root):
            return all(map(_is_plain, list_parts(root)))
        case _:
            return False


def _may_be_none(local: core.Local) -> bool:
    return isinstance(local.type, ty.OptionalType | ty.NoneType)


def _has_answer(question: core.Ask) -> bool:
    """Whether there is always an answer."""
    space = question.space
    is_listed = isinstance(space, core.Listed) and any(choice.guard is None for choice in space.choices)
    return (is_listed or isinstance(space, core.Orders)) and all(condition.prefer for condition in question.conditions)


def _add_result(flow: _Flow, result: core.Local | None) -> _Flow:
    return flow if result is None else _Flow(flow.names | {result.index}, flow.pending)


def _show_local(local: core.Local) -> str:
    return local.name or f"t{local.index}"


def _read_signature(operation: Operation) -> tuple[int, bool, int]:
    """Number of arguments of an operation, whether more or fewer may be given, and number of its constants."""
    arguments, _, constants = operation.arguments.partition("[")
    names = [name.strip() for name in arguments.split(",") if name.strip()]
    return len(names), "…" in names, len(constants.split(",")) if constants else 0
