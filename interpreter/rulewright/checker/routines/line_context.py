"""Where a line stands: its routine, the names the routine binds, and what is known (manual, Names)."""

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from rulewright.base.diagnostics import Label, has_errors
from rulewright.base.diagnostics.remedies import make_deletion_edits
from rulewright.base.frozen import dataclass
from rulewright.base.source import Span
from rulewright.checker import addresses, infer
from rulewright.checker.alias_kinds import RoutineBody, get_base_name
from rulewright.checker.clauses import resolve_clause_ids
from rulewright.checker.diagnostic_collector import DiagnosticCollector
from rulewright.checker.effects import TRIGGERS_WATCH, DirectEffects, EffectIndex
from rulewright.checker.facts import Facts, assume, invalidate_facts, merge_facts
from rulewright.checker.facts.assignments import is_rule_still_inapplicable, update_after_assignment
from rulewright.checker.infer.conditions import infer_condition
from rulewright.checker.infer.type_fitting import infer_fitted, is_subtype
from rulewright.checker.invariants import (
    UNKNOWN_VALUE_INDEX,
    PendingInvariant,
    check_assignment_keeps_invariants,
    find_broken_invariants,
    learn_emptied_cell,
)
from rulewright.checker.routines.flow_checks import find_terminator
from rulewright.checker.scope import Scope, VariableTable
from rulewright.program import statements as typed
from rulewright.program.expressions import Binding, Expression, GameField, Local, StoredAttribute, Variable
from rulewright.program.types import DieType, PoolType, Type
from rulewright.syntax.nodes import declarations as d, expressions as e, statements as s
from rulewright.syntax.nodes.expressions import Cite, Name


@dataclass(frozen=True, slots=True)
class BoundName:
    """A name, the verb of the line that bound it first (or `parameter`), and where."""

    variable: Variable
    verb: str
    span: Span


@dataclasses.dataclass(eq=False, repr=False)
class RoutineNames:
    """What is bound so far."""

    variables: VariableTable  # the numbering of the routine
    changed_names: frozenset[str] = frozenset()  # names that some line changes with `set`, `add`, `take` or `draw`
    bound: dict[str, BoundName] = dataclasses.field(default_factory=dict)  # every name by its text
    secret_names: set[str] = dataclasses.field(default_factory=set)  # names of secret answers
    # the names seen by lines further down; never changed, for those further up hold what they saw
    locals: Mapping[str, Variable] = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        self.locals = {text: bound_name.variable for text, bound_name in self.bound.items()}

    def bind_variable(self, name: str, variable: Variable, verb: str, span: Span) -> Variable:
        """Lets the lines further down see a variable under its name."""
        self.bound[name] = BoundName(variable, verb, span)
        self.locals = {**self.locals, name: variable}
        return variable

    def bind_parameter(self, name: str, type_: Type, span: Span) -> Variable:
        """A parameter of the routine."""
        return self.bind_variable(name, self.variables.new_variable(name, type_), "parameter", span)

    def bind_name(self, name: Name, type_: Type, verb: str, scope: Scope) -> Variable | None:
        """The variable that a line binds: a new one, or that of the lines above which bind the name too."""
        known = self.bound.get(name.text)
        if known is None:
            if infer.has_name_conflict(name, scope):
                return None
            return self.bind_variable(name.text, self.variables.new_variable(name.text, type_), verb, name.span)
        return known.variable if self.check_rebinding(name, type_, verb, scope) else None

    def check_rebinding(self, name: Name, type_: Type, verb: str, scope: Scope) -> bool:
        """Whether a name that is bound may be bound by this line too; reports why not."""
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
    """Two types of one name that do not fit; dice that are written alike by their faces, or by names of their parts."""
    if str(here) != str(above) or not (isinstance(here, PoolType | DieType) and isinstance(above, PoolType | DieType)):
        return f"`{here}` here and `{above}` above"
    if not is_subtype(here.face, above.face):
        return f"a `{here}` with the faces `{here.face}` here and `{above.face}` above"
    called, before = (f"called by `{item.part}`" if item.part else "without names" for item in (here, above))
    return f"a `{here}` with parts {called} here and {before} above"


class RebindingVariables(VariableTable):
    """A numbering that gives a name bound above its old number when a line binds it again."""

    def __init__(self, names: RoutineNames, name: str) -> None:
        super().__init__(names.variables.variables)
        self._rebound_name = name
        self._previous = names.bound.get(name)
        self.type: Type | None = None

    def new_variable(self, name: str, type_: Type) -> Variable:
        """The old variable for the name, a further one for every other."""
        if self._previous is None or name != self._rebound_name or self.type is not None:
            return super().new_variable(name, type_)
        self.type = type_
        return self._previous.variable


def collect_changed_names(lines: Iterable[s.Line]) -> frozenset[str]:
    """The bare names that these lines change."""
    members = set()
    for line in lines:
        match line:
            case s.Set(place=place) | s.Change(place=place) | s.Draw(source=place) | s.Shuffle(deck=place):
                members.add(get_base_name(place))
    return frozenset(members - {""})


@dataclasses.dataclass(eq=False, repr=False)
class RoutineContext:
    """What all lines of a routine share."""

    # translates a line; the verbs translate the lines inside theirs with it, so that none knows another
    translate: "TranslateLine"
    name: str  # its address
    sort: str  # `procedure`, `handler`, `rule` or `watch`
    scope: Scope  # what its text can see, but for its own names
    names: RoutineNames  # its own names
    effects: EffectIndex  # what lines and routines may change
    body: RoutineBody  # its text, which tells the kinds of what its names stand for
    result: Type | None = None  # the type of the result it must give, or none
    steps: Mapping[str, int] = dataclasses.field(default_factory=dict)  # the ids of its steps, by their order
    watched_names: frozenset[str] = frozenset()  # names that its watches change, at any call
    # what is known at each jump to a step, by the id of the step
    facts_at_jumps: dict[str, list[Facts]] = dataclasses.field(default_factory=dict)
    # those given so far, with the place and whether an author wrote the name
    addresses: dict[str, tuple[Span, bool]] = dataclasses.field(default_factory=dict)
    address_numbers: dict[str, int] = dataclasses.field(
        default_factory=dict
    )  # the last number that an address was told apart by
    # names whose line has an error, so that nothing more is said of them
    broken_names: set[str] = dataclasses.field(default_factory=set)
    has_bad_jump: bool = False  # whether some jump leads nowhere, so that no step can be called unreachable
    # what lines of the `together` block under way may have broken
    open_invariants: list[PendingInvariant] = dataclasses.field(default_factory=list)

    def assign_address(self, within: str, part: str, span: Span, *, written: bool) -> str:
        """The address of a line; ids that authors wrote must differ, others are told apart by `#2`."""
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

    def save_state(self) -> tuple[Any, ...]:
        """The names bound so far, the numbering, secret answers and the addresses given."""
        names = self.names
        bound, given = tuple(names.bound.items()), (tuple(self.addresses.items()), tuple(self.address_numbers.items()))
        return bound, tuple(names.variables.variables), frozenset(names.secret_names), *given

    def restore_state(self, stand: tuple[Any, ...]) -> None:
        """Goes on from where another translation of the same lines stood."""
        bound, variables, secret, addresses_, alike = stand
        names = self.names
        names.bound, names.secret_names, names.variables.variables[:] = dict(bound), set(secret), variables
        names.locals = {text: item.variable for text, item in bound}
        self.addresses, self.address_numbers = dict(addresses_), dict(alike)


@dataclasses.dataclass(eq=False, repr=False)
class LoopContext:
    """A loop around: what is known where a `stop` leaves it."""

    facts_at_stops: list[Facts] = dataclasses.field(default_factory=list)


@dataclass(frozen=True, slots=True)
class LineContext:
    """The place of a line."""

    routine: RoutineContext
    address_prefix: str  # the address of the step or option around
    block_cites: tuple[Cite, ...]  # the margin of the block around
    facts: Facts  # what is known
    loop_variables: Mapping[str, Variable] = dataclasses.field(default_factory=dict)  # names bound by loops around
    step_index: int = -1  # the number of the step around; -1 in opening lines
    loop: LoopContext | None = None  # the innermost loop that `stop` may leave, or none
    together_span: Span | None = None  # the `together` around, or none
    loop_depth: int = 0  # how many loops stand around

    @property
    def scope(self) -> Scope:
        """What expressions can see here."""
        base = self.routine.scope
        seen = self.routine.names.locals
        return dataclasses.replace(
            base, locals={**seen, **self.loop_variables} if self.loop_variables else seen, facts=self.facts
        )

    def make_scope_without(self, *own: str) -> Scope:
        """What expressions can see here, without names of the routine that the line is about to bind."""
        seen = self.routine.names.locals
        if seen.keys().isdisjoint(own):
            return self.scope
        left = {name: variable for name, variable in seen.items() if name not in own}
        return dataclasses.replace(self.scope, locals={**left, **self.loop_variables})

    def with_facts(self, facts: Facts) -> "LineContext":
        """This place where more, or less, is known."""
        return dataclasses.replace(self, facts=facts)

    def with_cites(self, cites: tuple[Cite, ...]) -> "LineContext":
        """This place inside a block with a margin of its own."""
        return dataclasses.replace(self, block_cites=cites) if cites else self

    def translate_block(self, node: s.Block | None) -> tuple[typed.Block, Facts | None]:
        """The lines of a block, and what is known after them; none where nobody comes out at the end."""
        return ((), self.facts) if node is None else self.with_cites(node.cites).translate_sequence(node.lines)

    def translate_sequence(self, nodes: Iterable[s.Statement]) -> tuple[typed.Block, Facts | None]:
        """Lines one after another; those that are never reached are looked at all the same."""
        items: list[typed.Statement] = []
        here, lost = self, False
        facts: Facts | None = self.facts
        for node in nodes:
            if facts is None and not lost:
                lost = True
                left = find_terminator(tuple(items), self.routine.sort)
                remedy = (
                    f"{left.description}; {left.question}"
                    if left and left.question
                    else "the line above always leads elsewhere"
                )
                here.warning(
                    "RW0504", node.head, "this line is never reached", help=remedy, edits=make_deletion_edits(node.span)
                )
            here = here.with_facts(facts or here.facts)
            made, facts = self.routine.translate(node, here)
            if made is not None:
                items.append(made)
        return tuple(items), None if lost else facts

    def resolve_cites(self, cites: tuple[Cite, ...]) -> tuple[str, ...]:
        """The clauses of a line: its own, or those of the block around."""
        return resolve_clause_ids(cites or self.block_cites, self.routine.scope.linked)

    def make_line_fields(self, line: s.Line | d.Watch | d.Hold) -> dict[str, Any]:
        """The address, clauses and place of a line, as its program class takes them."""
        written = getattr(line, "label", None) is not None
        span = line.label.span if isinstance(line, s.Line) and line.label else line.head
        address = self.routine.assign_address(self.address_prefix, addresses.get_line_id(line), span, written=written)
        return {"address": address, "cites": self.resolve_cites(line.cites), "span": line.head}

    def infer_fitted(self, node: e.Expression | None, target: Type, what: str) -> Expression | None:
        """What is written as a value of the target type, as `infer_fitted` has it."""
        return infer_fitted(node, target, self.scope, what)

    def with_binding(self, binding: Binding, facts: Facts) -> "LineContext":
        """This place where the names of a binding are seen, and these facts are known of them."""
        names = {variable.name: variable for variable in binding.variables if variable is not None}
        return dataclasses.replace(self, facts=facts, loop_variables={**self.loop_variables, **names})

    def translate_guard(self, node: e.Expression | None) -> "TypedGuard":
        """The condition of a guard, and this place where it is known to hold; of none, this place."""
        guard = infer_condition(node, self.scope) if node is not None else None
        inner = self if guard is None else self.with_facts(assume(self.facts, guard, truth=True))
        return TypedGuard(guard, inner, has_error=node is not None and guard is None)

    def make_part_fields(self, node: s.Demand | s.Option | d.Requirement, within: str) -> dict[str, Any]:
        """The id, address, title, clauses and place of a part of a line, as its program class takes them."""
        address = self.routine.assign_address(within, node.name.text, node.name.span, written=True)
        title = node.title.text if node.title else ""
        cites = self.resolve_cites(node.cites)
        return {"id": node.name.text, "address": address, "title": title, "cites": cites, "span": node.span}

    def make_declaration_fields(self, node: d.Procedure | d.Event | d.Handler | d.Whenever) -> dict[str, Any]:
        """The name, title, clauses and place of the routine, and its variables, as its program class takes them."""
        return {
            "name": self.routine.name,
            "title": node.title.text if node.title else "",
            "cites": self.resolve_cites(node.cites),
            "span": node.head,
            "variables": tuple(self.routine.names.variables.variables),
        }

    def error(self, code: str, span: Span, message: str, **more: object) -> None:
        """Reports an error."""
        self.routine.scope.report.error(code, span, message, **more)

    def warning(self, code: str, span: Span, message: str, **more: object) -> None:
        """Reports a warning."""
        self.routine.scope.report.warning(code, span, message, **more)

    def hint(self, code: str, span: Span, message: str, **more: object) -> None:
        """Reports a hint."""
        self.routine.scope.report.hint(code, span, message, **more)

    def get_local_keys(self, names: Iterable[str]) -> frozenset[str]:
        """Names of the routine in the notation of `forget`."""
        bound = self.routine.names.bound
        return frozenset(f"local/{bound[name].variable.index}" for name in names if name in bound)

    def apply_writes(self, keys: frozenset[str], calls: Iterable[str] = ()) -> Facts:
        """What is known after these were written and these called, and the state has settled."""
        game = [key for key in keys if not key.startswith("local/")]
        calls = tuple(calls)
        if not game and not calls:
            return invalidate_facts(self.facts, keys)
        return invalidate_facts(
            self.facts, keys | self._add_watched_keys(self.routine.effects.compute_changed_keys(game, calls))
        )

    def apply_assignment(self, place: StoredAttribute | GameField, value: Expression | None) -> Facts:
        """What is known after a place of the game got a value, or any where none is given, and the state settled."""
        owner = place.kind if isinstance(place, StoredAttribute) else "game"
        effects, quiet = self.routine.effects, frozenset[str]()
        if isinstance(place, StoredAttribute) and value is not None:
            quiet = self._find_inapplicable_rules(place, value)
        own = frozenset({f"{owner}/{place.name}"})
        written = own | self._add_watched_keys(effects.compute_changed_keys(own, quiet=quiet))
        after = update_after_assignment(
            self.facts, place, value, written, self._add_watched_keys(effects.compute_rule_written_keys(own, quiet))
        )
        if isinstance(place, StoredAttribute) and place.name == "at":
            return learn_emptied_cell(self.facts, after, place, self.scope)
        return after

    def _find_inapplicable_rules(self, place: StoredAttribute, value: Expression) -> frozenset[str]:
        """The standing rules that read what is set, where none of them applies because of the new value; else none."""
        readers, made = self.routine.effects.find_rules_reading(place.name), self.routine.scope.environment.rules
        names = [reader.removeprefix("whenever ") for reader in readers]
        silent = all(name in made for name in names) and all(
            is_rule_still_inapplicable(self.facts, made[name], place, value) for name in names
        )
        return frozenset(readers) if silent else frozenset()

    def check_invariants(self, place: Expression, values: tuple[Expression | None, ...], span: Span) -> None:
        """Looks whether a line that gives a place one of some values keeps what always holds; none is any value."""
        if not isinstance(place, StoredAttribute | GameField):
            return
        anything = Local(type=place.type, span=span, variable=Variable("", UNKNOWN_VALUE_INDEX, place.type))
        given = tuple(value or anything for value in values)
        if self.together_span is not None:
            self.routine.open_invariants.extend(
                (broken_invariant, place, span) for broken_invariant in find_broken_invariants(place, given, self.scope)
            )
        else:
            check_assignment_keeps_invariants(place, given, span, self.scope)

    def find_rule_written_keys(self, names: Iterable[str]) -> frozenset[str]:
        """What standing rules may write after writes to attributes of these plain names, beside those themselves."""
        return self._add_watched_keys(self.routine.effects.compute_rule_written_keys(names))

    def _add_watched_keys(self, keys: frozenset[str]) -> frozenset[str]:
        """What was written, with the names that watches change where they may have been told something."""
        return keys | self.get_local_keys(self.routine.watched_names) if TRIGGERS_WATCH in keys else keys

    def invalidate_for_round(self, done: DirectEffects) -> Facts:
        """What is known before every round of a loop that does this."""
        return invalidate_facts(self.facts, self.get_local_keys(done.written_names) | self.find_written_keys(done))

    def find_written_keys(self, done: DirectEffects) -> frozenset[str]:
        """What such lines write beside names of the routine itself, in the notation of `forget`."""
        return self._add_watched_keys(self.routine.effects.compute_written_keys(done))


@dataclass(frozen=True, slots=True)
class TypedGuard:
    """A guard as it was translated, the place it guards, and whether it has an error."""

    guard: Expression | None
    context: LineContext
    has_error: bool


LineResult = tuple[typed.Statement | None, Facts | None]
"""A line, and what is known after it; without the line where it has an error."""
TranslateLine = Callable[[s.Statement, LineContext], LineResult]


def has_routine_failed(routine: RoutineContext, report: DiagnosticCollector, start: int) -> bool:
    """Whether a routine has an error; what only follows from a name whose line has one is taken back."""
    said = {f"`{name}` is not known here" for name in routine.broken_names}
    kept = [diagnostic for diagnostic in report.diagnostics[start:] if diagnostic.message not in said]
    report.diagnostics[start:] = kept
    return has_errors(kept) or bool(routine.broken_names)


def join_facts(ways: Iterable[Facts | None]) -> Facts | None:
    """What is known where several ways meet; none where none of them comes here."""
    result: Facts | None = None
    for way in ways:
        if way is not None:
            result = way if result is None else merge_facts(result, way)
    return result


def forget_variable(facts: Facts, variable: Variable) -> Facts:
    """What is known after a name got a value that nothing is known of."""
    return invalidate_facts(facts, frozenset({f"local/{variable.index}"}))


def make_rebinding_scope(name: Name, here: LineContext) -> Scope:
    """What a line sees that binds a name anew: nothing of the name, nor of the value it may have had."""
    scope = here.make_scope_without(name.text)
    known = here.routine.names.bound.get(name.text)
    return scope if known is None else scope.with_facts(forget_variable(scope.facts, known.variable))
