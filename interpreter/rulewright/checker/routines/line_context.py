"""Context of a line: its routine, the names bound so far, and the facts before it (manual, Names)."""

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from rulewright.base.diagnostics import DiagnosticCollector, Label, has_errors
from rulewright.base.diagnostics.remedies import make_deletion_edits
from rulewright.base.frozen import dataclass
from rulewright.base.source import Span
from rulewright.checker import addresses
from rulewright.checker.alias_kinds import RoutineBody, get_base_name
from rulewright.checker.clauses import resolve_clause_ids
from rulewright.checker.effects import TRIGGERS_WATCH, DirectEffects, EffectIndex
from rulewright.checker.facts.assumption import assume
from rulewright.checker.facts.fact_store import Facts, invalidate_facts, merge_facts
from rulewright.checker.facts.transfer_functions import (
    add_values,
    is_rule_still_inapplicable,
    keep_other_entries,
    update_after_assignment,
)
from rulewright.checker.infer.conditions import infer_condition
from rulewright.checker.infer.name_lookup import has_name_conflict
from rulewright.checker.infer.type_fitting import infer_fitted, is_subtype
from rulewright.checker.invariants import (
    UNKNOWN_VALUE_INDEX,
    PendingInvariant,
    check_assignment_keeps_invariants,
    find_broken_invariants,
    learn_emptied_cell,
)
from rulewright.checker.routines.flow_checks import find_terminator
from rulewright.checker.scope import Scope, TypeEnvironment, VariableTable
from rulewright.checker.symbols import LinkedModule
from rulewright.program import statements as typed
from rulewright.program.expressions import Binding, Entry, Expression, GameField, Local, StoredAttribute, Variable
from rulewright.program.types import DieType, PoolType, Type
from rulewright.syntax.nodes import declarations as d, expressions as e, statements as s
from rulewright.syntax.nodes.expressions import Cite, Name


@dataclass(frozen=True, slots=True)
class BoundName:
    """A bound name: variable, verb of the line that bound it first (or `parameter`), and place."""

    variable: Variable
    verb: str
    span: Span


@dataclasses.dataclass(eq=False, repr=False)
class RoutineNames:
    """Names that a routine has bound so far."""

    variables: VariableTable
    changed_names: frozenset[str] = frozenset()  # changed by `set`, `add`, `take` or `draw`
    bound: dict[str, BoundName] = dataclasses.field(default_factory=dict)
    secret_names: set[str] = dataclasses.field(default_factory=set)
    # names visible below; replaced, never mutated, for contexts above keep the old mapping
    locals: Mapping[str, Variable] = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        self.locals = {text: bound_name.variable for text, bound_name in self.bound.items()}

    def bind_variable(self, name: str, variable: Variable, verb: str, span: Span) -> Variable:
        """Makes a variable visible to the lines further down."""
        self.bound[name] = BoundName(variable, verb, span)
        self.locals = {**self.locals, name: variable}
        return variable

    def bind_parameter(self, name: str, type_: Type, span: Span) -> Variable:
        return self.bind_variable(name, self.variables.new_variable(name, type_), "parameter", span)

    def bind_name(self, name: Name, type_: Type, verb: str, scope: Scope) -> Variable | None:
        """Variable that a line binds: a new one, or that of the lines above which bind the same name."""
        known = self.bound.get(name.text)
        if known is None:
            if has_name_conflict(name, scope):
                return None
            return self.bind_variable(name.text, self.variables.new_variable(name.text, type_), verb, name.span)
        return known.variable if self.check_rebinding(name, type_, verb, scope) else None

    def check_rebinding(self, name: Name, type_: Type, verb: str, scope: Scope) -> bool:
        """Whether a bound name may be bound again by this line; reports why not."""
        known = self.bound[name.text]
        first = (Label(known.span, "bound here first"),)
        if known.verb == "parameter":
            message = f"`{name.text}` is a parameter and cannot be bound again"
            scope.report.error("RW0501", name.span, message, help="take another name", secondary=first)
        elif verb == "let" and known.verb == "let":
            message = f"`{name.text}` has a `let` already"
            remedy = f"change it with `set {name.text} to …`"
            scope.report.error("RW0501", name.span, message, help=remedy, secondary=first)
        elif not is_subtype(type_, known.variable.type):
            message = f"`{name.text}` is {_describe_unlike_types(type_, known.variable.type)}"
            both = (type_, known.variable.type)
            is_pool = all(isinstance(item, PoolType) for item in both)
            declared = f"write `let {name.text}: pool` above" if is_pool else "declare a type for both with `let`"
            remedy = f"take another name, or {declared}"
            scope.report.error("RW0501", name.span, message, help=remedy, secondary=first)
        else:
            return True
        return False


def _describe_unlike_types(here: Type, above: Type) -> str:
    if str(here) != str(above) or not (isinstance(here, PoolType | DieType) and isinstance(above, PoolType | DieType)):
        return f"`{here}` here and `{above}` above"
    if not is_subtype(here.face, above.face):
        return f"a `{here}` with the faces `{here.face}` here and `{above.face}` above"
    called, before = (f"called by `{item.part}`" if item.part else "without names" for item in (here, above))
    return f"a `{here}` with parts {called} here and {before} above"


class RebindingVariables(VariableTable):
    """Variable table in which a name that is bound again keeps its number."""

    def __init__(self, names: RoutineNames, name: str) -> None:
        super().__init__(
            names.variables.variables,
            event_by_index=names.variables.event_by_index,
            broken_names=names.variables.broken_names,
        )
        self._rebound_name = name
        self._previous = names.bound.get(name)
        self.type: Type | None = None

    def new_variable(self, name: str, type_: Type) -> Variable:
        if self._previous is None or name != self._rebound_name or self.type is not None:
            return super().new_variable(name, type_)
        self.type = type_
        return self._previous.variable


def collect_changed_names(lines: Iterable[s.Line]) -> frozenset[str]:
    """Bare names that lines change."""
    return frozenset(get_base_name(place) for line in lines for place in s.get_changed_places(line)) - {""}


@dataclasses.dataclass(eq=False, repr=False)
class RoutineContext:
    """Context shared by all lines of a routine."""

    # translates nested lines, so that modules of lines do not import each other
    translate: "TranslateLine"
    name: str
    sort: str  # `procedure`, `handler`, `rule` or `watch`
    scope: Scope  # without its own names
    names: RoutineNames
    effects: EffectIndex
    body: RoutineBody
    result: Type | None = None  # type of the result that is required
    steps: Mapping[str, int] = dataclasses.field(default_factory=dict)  # step ids with their order
    watched_names: frozenset[str] = frozenset()  # changed by watches, at any call
    # facts at each jump, by step id
    facts_at_jumps: dict[str, list[Facts]] = dataclasses.field(default_factory=dict)
    # given so far, with place and whether an author wrote the name
    addresses: dict[str, tuple[Span, bool]] = dataclasses.field(default_factory=dict)
    # last number given to an address
    address_numbers: dict[str, int] = dataclasses.field(default_factory=dict)
    doubled_steps: frozenset[str] = frozenset()  # ids of two steps each, so that no jump there leads back or forth
    has_bad_jump: bool = False  # some jump leads nowhere, so that no step can be called unreachable
    # possibly broken by lines of the `together` block under way
    open_invariants: list[PendingInvariant] = dataclasses.field(default_factory=list)

    @property
    def broken_names(self) -> set[str]:
        """Names whose line has an error."""
        return self.names.variables.broken_names

    def assign_address(self, within: str, part: str, span: Span, *, written: bool) -> str:
        """Address of a line; ids that authors wrote must differ, others are numbered `#2`."""
        wished = address = f"{within}/{part}"
        if written and address in self.addresses:
            first = Label(self.addresses[address][0], "the first one")
            message = f"`{part}` names two things here"
            self.scope.report.error("RW0503", span, message, help="give one of them another name", secondary=(first,))
        number = self.address_numbers.get(wished, 1)
        while address in self.addresses:
            number += 1
            address = f"{wished}#{number}"
        self.address_numbers[wished] = number
        self.addresses[address] = (span, written)
        return address


@dataclass(frozen=True, slots=True)
class LineContext:
    """Context of a line."""

    routine: RoutineContext
    address_prefix: str  # address of the step or option around
    block_cites: tuple[Cite, ...]  # cites of the block around
    facts: Facts  # before the line
    loop_variables: Mapping[str, Variable] = dataclasses.field(default_factory=dict)  # bound by loops around
    step_index: int = -1  # -1 in opening lines
    facts_at_stops: list[Facts] | None = None  # of the innermost loop that `stop` may leave
    together_span: Span | None = None
    loop_depth: int = 0

    @property
    def environment(self) -> TypeEnvironment:
        return self.routine.scope.environment

    @property
    def module(self) -> LinkedModule:
        return self.routine.scope.module

    @property
    def report(self) -> DiagnosticCollector:
        return self.routine.scope.report

    @property
    def scope(self) -> Scope:
        """Scope of expressions in the line."""
        base = self.routine.scope
        variables = self.routine.names.locals
        return dataclasses.replace(
            base, locals={**variables, **self.loop_variables} if self.loop_variables else variables, facts=self.facts
        )

    def make_scope_without(self, *names: str) -> Scope:
        """Scope without names that the line is about to bind."""
        variables = self.routine.names.locals
        if variables.keys().isdisjoint(names):
            return self.scope
        remaining = {name: variable for name, variable in variables.items() if name not in names}
        return dataclasses.replace(self.scope, locals={**remaining, **self.loop_variables})

    def with_facts(self, facts: Facts) -> "LineContext":
        return dataclasses.replace(self, facts=facts)

    def assuming(self, condition: Expression | None, truth: bool) -> "LineContext":  # noqa: FBT001 - the answer of a condition
        """Context once a condition turned out true or false; the same without one."""
        return self if condition is None else self.with_facts(assume(self.facts, condition, truth))

    def with_cites(self, cites: tuple[Cite, ...]) -> "LineContext":
        return dataclasses.replace(self, block_cites=cites) if cites else self

    def translate_block(self, node: s.Block | None) -> tuple[typed.Block, Facts | None]:
        """Typed lines of a block and the facts after them; None where its end is unreachable."""
        return ((), self.facts) if node is None else self.with_cites(node.cites).translate_sequence(node.lines)

    def translate_sequence(self, nodes: Iterable[s.Statement]) -> tuple[typed.Block, Facts | None]:
        """Typed lines one after another; unreachable ones are checked all the same."""
        items: list[typed.Statement] = []
        here, lost = self, False
        facts: Facts | None = self.facts
        for node in nodes:
            if facts is None and not lost:
                lost = True
                terminator = find_terminator(tuple(items), self.routine.sort)
                remedy = (
                    f"{terminator.description}; {terminator.question}"
                    if terminator and terminator.question
                    else "the line above always leads elsewhere"
                )
                here.warning(
                    "RW0504", node.head, "this line is never reached", help=remedy, edits=make_deletion_edits(node.span)
                )
            here = here.with_facts(facts or here.facts)
            statement, facts = self.routine.translate(node, here)
            if statement is not None:
                items.append(statement)
        return tuple(items), None if lost else facts

    def resolve_cites(self, cites: tuple[Cite, ...]) -> tuple[str, ...]:
        """Clauses of a line: its own, or those of the block around."""
        return resolve_clause_ids(cites or self.block_cites, self.environment.linked)

    def make_line_fields(self, line: s.Line | d.Watch | d.Hold) -> dict[str, Any]:
        """Address, clauses and place of a line, as fields of its program class."""
        written = getattr(line, "label", None) is not None
        span = line.label.span if isinstance(line, s.Line) and line.label else line.head
        address = self.routine.assign_address(self.address_prefix, addresses.get_line_id(line), span, written=written)
        return {"address": address, "cites": self.resolve_cites(line.cites), "span": line.head}

    def infer_fitted(self, node: e.Expression | None, target: Type, what: str) -> Expression | None:
        return infer_fitted(node, target, self.scope, what)

    def with_binding(self, binding: Binding, facts: Facts) -> "LineContext":
        """Context in which the names of a binding are bound, with facts about them."""
        names = {variable.name: variable for variable in binding.variables if variable is not None}
        return dataclasses.replace(self, facts=facts, loop_variables={**self.loop_variables, **names})

    def translate_guard(self, node: e.Expression | None) -> "TypedGuard":
        """Condition of a guard, and the context in which it holds."""
        guard = infer_condition(node, self.scope) if node is not None else None
        return TypedGuard(guard, self.assuming(guard, truth=True), has_error=node is not None and guard is None)

    def make_part_fields(self, node: s.Demand | s.Option | d.Requirement, within: str) -> dict[str, Any]:
        """Id, address, title, clauses and place of a part of a line, as fields of its program class."""
        address = self.routine.assign_address(within, node.name.text, node.name.span, written=True)
        title = node.title.text if node.title else ""
        cites = self.resolve_cites(node.cites)
        return {"id": node.name.text, "address": address, "title": title, "cites": cites, "span": node.span}

    def make_declaration_fields(self, node: d.Procedure | d.Event | d.Handler | d.Whenever) -> dict[str, Any]:
        """Name, title, clauses, place and variables of the routine, as fields of its program class."""
        variables = tuple(self.routine.names.variables.variables)
        return {**self.environment.make_shared_fields(self.routine.name, node), "variables": variables}

    def error(self, code: str, span: Span, message: str, **more: object) -> None:
        self.report.error(code, span, message, **more)

    def proved_error(self, code: str, span: Span, message: str, **more: object) -> None:
        self.report.proved_error(code, span, message, **more)

    def warning(self, code: str, span: Span, message: str, **more: object) -> None:
        self.report.warning(code, span, message, **more)

    def hint(self, code: str, span: Span, message: str, **more: object) -> None:
        self.report.hint(code, span, message, **more)

    def mark_broken_names(self, node: s.Statement) -> None:
        """Marks what a line with an error would bind: nothing is reported where that is read."""
        several = isinstance(node, s.Ask) and isinstance(node.shape, s.OneOf)
        names = node.shape.binder.names if several else (addresses.get_bound_name(node),)  # type: ignore[union-attr]
        self.routine.broken_names.update(name.text for name in names if name is not None)

    def get_local_keys(self, names: Iterable[str]) -> frozenset[str]:
        """Fact keys of names of the routine."""
        bound = self.routine.names.bound
        return frozenset(f"local/{bound[name].variable.index}" for name in names if name in bound)

    def apply_writes(self, keys: frozenset[str], calls: Iterable[str] = ()) -> Facts:
        """Facts after these writes and calls, once standing rules have settled."""
        game = [key for key in keys if not key.startswith("local/")]
        calls = tuple(calls)
        if not game and not calls:
            return invalidate_facts(self.facts, keys)
        return invalidate_facts(
            self.facts, keys | self._add_watched_keys(self.routine.effects.compute_changed_keys(game, calls))
        )

    def apply_assignment(self, place: StoredAttribute | GameField, value: Expression | None) -> Facts:
        """Facts after a place of the game got a value (None: any), once standing rules have settled."""
        owner = place.kind if isinstance(place, StoredAttribute) else "game"
        effects, quiet = self.routine.effects, frozenset[str]()
        if isinstance(place, StoredAttribute) and value is not None:
            quiet = self._find_inapplicable_rules(place, value)
        place_keys = frozenset({f"{owner}/{place.name}"})
        written = place_keys | self._add_watched_keys(effects.compute_changed_keys(place_keys, quiet=quiet))
        after = update_after_assignment(
            self.facts,
            place,
            value,
            written,
            self._add_watched_keys(effects.compute_rule_written_keys(place_keys, quiet)),
        )
        if isinstance(place, StoredAttribute) and place.name == "at":
            return learn_emptied_cell(self.facts, after, place, self.scope)
        return after

    def apply_entry_write(self, entry: Entry, keys: frozenset[str]) -> Facts:
        """Facts after an entry of a map or list got a value, once standing rules have settled."""
        game = [key for key in keys if not key.startswith("local/")]
        others = self._add_watched_keys(self.routine.effects.compute_rule_written_keys(game))
        return keep_other_entries(self.facts, self.apply_writes(keys), entry, others)

    def _find_inapplicable_rules(self, place: StoredAttribute, value: Expression) -> frozenset[str]:
        """Standing rules that read the place, where none of them applies because of the new value; else none."""
        readers, rules = self.routine.effects.find_rules_reading(place.name), self.environment.rules
        names = [reader.removeprefix("whenever ") for reader in readers]
        silent = all(name in rules for name in names) and all(
            is_rule_still_inapplicable(self.facts, rules[name], place, value) for name in names
        )
        return frozenset(readers) if silent else frozenset()

    def check_invariants(self, place: Expression, values: tuple[Expression | None, ...], span: Span) -> None:
        """Checks that an assignment keeps every `always`; None is any value."""
        if not isinstance(place, StoredAttribute | GameField):
            return
        anything = Local(type=place.type, span=span, variable=Variable("", UNKNOWN_VALUE_INDEX, place.type))
        given = tuple(value or anything for value in values)
        if self.together_span is not None:
            self.routine.open_invariants.extend(
                (invariant, place, span) for invariant in find_broken_invariants(place, given, self.scope)
            )
        else:
            check_assignment_keeps_invariants(place, given, span, self.scope)

    def find_rule_written_keys(self, names: Iterable[str]) -> frozenset[str]:
        """Fact keys that standing rules may write after writes to attributes of these names."""
        return self._add_watched_keys(self.routine.effects.compute_rule_written_keys(names))

    def _add_watched_keys(self, keys: frozenset[str]) -> frozenset[str]:
        return keys | self.get_local_keys(self.routine.watched_names) if TRIGGERS_WATCH in keys else keys

    def invalidate_for_round(self, effects: DirectEffects) -> Facts:
        """Facts that hold before every round of a loop with these effects.

        A name that rounds only set to other names, which no round writes, has its value from before or one of theirs.
        """
        written = self.get_local_keys(effects.written_names) | self.find_written_keys(effects)
        facts, bound = invalidate_facts(self.facts, written), self.routine.names.bound
        watched = self.find_written_keys(effects)
        for name, values in effects.set_values.items():
            others = [bound[one.name] for one in values if isinstance(one, e.Reference) and one.name in bound]
            if name not in bound or len(others) < len(values) or not watched.isdisjoint(self.get_local_keys([name])):
                continue
            locals_ = (Local(type=one.variable.type, span=one.span, variable=one.variable) for one in others)
            facts = add_values(facts, self.facts, bound[name].variable, tuple(locals_), written)
        return facts

    def find_written_keys(self, effects: DirectEffects) -> frozenset[str]:
        """Fact keys that effects write, names of the routine aside."""
        return self._add_watched_keys(self.routine.effects.compute_written_keys(effects))


@dataclass(frozen=True, slots=True)
class TypedGuard:
    """A typed guard, the context that it guards, and whether it has an error."""

    guard: Expression | None
    context: LineContext
    has_error: bool


LineResult = tuple[typed.Statement | None, Facts | None]
"""Typed line (None after an error) and facts after it (None where unreachable)."""
TranslateLine = Callable[[s.Statement, LineContext], LineResult]


def has_routine_failed(routine: RoutineContext, report: DiagnosticCollector, start: int) -> bool:
    """Whether a routine has an error, among the diagnostics from `start` on or in a line that binds a name."""
    return has_errors(report.diagnostics[start:]) or bool(routine.broken_names)


def join_facts(branches: Iterable[Facts | None]) -> Facts | None:
    """Join of the facts of several paths; None where all are unreachable."""
    result: Facts | None = None
    for facts in branches:
        if facts is not None:
            result = facts if result is None else merge_facts(result, facts)
    return result


def forget_variable(facts: Facts, variable: Variable) -> Facts:
    """Facts after a name got a value of which nothing is known."""
    return invalidate_facts(facts, frozenset({f"local/{variable.index}"}))


def make_rebinding_scope(name: Name, here: LineContext) -> Scope:
    """Scope of a line that binds a name again: without the name and facts about its old value."""
    scope = here.make_scope_without(name.text)
    known = here.routine.names.bound.get(name.text)
    return scope if known is None else scope.with_facts(forget_variable(scope.facts, known.variable))
