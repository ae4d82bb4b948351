"""Normal forms of declarations, made on demand by passes over core, from routine to routine."""

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cached_property
from itertools import count
from typing import Any

from rulewright.base.frozen import dataclass, replace
from rulewright.base.node_roles import walk_nodes
from rulewright.diff.normal_forms.algebraic_simplification import ExpressionSimplifier
from rulewright.diff.normal_forms.alpha_renaming import NameNumbering, freshen_names, number_bound_names
from rulewright.diff.normal_forms.branch_simplification import BranchSimplifier
from rulewright.diff.normal_forms.declared_parts import all_declarations, declaration_parts
from rulewright.diff.normal_forms.form_texts import FormWriter
from rulewright.diff.normal_forms.forward_substitution import ForwardSubstitution
from rulewright.diff.normal_forms.inlining import Inliner
from rulewright.diff.normal_forms.instruction_scheduling import StatementScheduler
from rulewright.diff.normal_forms.jump_threading import thread_jumps
from rulewright.program import declarations as d, expressions as ex, statements as st
from rulewright.program.core import forms as core
from rulewright.program.core.dependences import DependenceAnalysis, map_external_changes
from rulewright.program.core.lower_expressions import ExpressionLowering
from rulewright.program.core.lowering import lower_program
from rulewright.program.core.walking import walk_forms, walk_statements
from rulewright.program.expressions import Variable
from rulewright.program.outline.items import DeclaredName, FormTokens, NameMention, NamingContext, make_form_tokens

_FIRST_FRESH_INDEX = 1_000_000


_ROUTINES_OF_SORTS = {
    "function": ("function", "enter", "end"),
    "attribute": ("function",),
    "external": ("default",),
    "measure": ("measure",),
    "invariant": ("invariant",),
    "event": ("holders", "order"),
    "handler": ("guard", "handler"),
    "rule": ("find", "lowers", "rule"),
    "procedure": ("procedure",),
}
"""Routines that a declaration of a sort is lowered to, by what their keys begin with."""


@dataclass(frozen=True, slots=True)
class NormalForm:
    """Text of a declaration in normal form, and what it calls."""

    text: str
    callees: Mapping[DeclaredName, int]  # functions and procedures, under the names of the other program
    plain_parts: str  # what is no routine
    routines: tuple[core.Routine, ...]
    writer: FormWriter
    facts: "CoreFacts"


@dataclass(frozen=True, slots=True)
class CoreFacts:
    """The core of a program, and what passes ask of it."""

    program: d.Program
    core_program: core.CoreProgram
    effects: DependenceAnalysis
    scheduler: StatementScheduler


def analyze_core(program: d.Program, core_program: core.CoreProgram) -> CoreFacts:
    """Facts of the core of a program."""
    changes = map_external_changes(program)
    rough = DependenceAnalysis(core_program, changes)
    effects = DependenceAnalysis(_drop_idle_faults(program, core_program, rough), changes)
    return CoreFacts(program, core_program, effects, StatementScheduler(core_program, effects))


def _drop_idle_faults(
    program: d.Program, core_program: core.CoreProgram, effects: DependenceAnalysis
) -> core.CoreProgram:
    """The core with its functions without faults that no value leads to: rows that cover all cases."""
    writer = FormWriter(program, {})
    simplifier = ExpressionSimplifier(program, effects, writer)
    routines = {
        key: BranchSimplifier(simplifier, writer.order_key, lambda block: block).simplify_routine(thread_jumps(routine))
        for key, routine in core_program.routines.items()
        if routine.is_pure and any(isinstance(statement, core.Fail) for statement in walk_statements(routine))
    }
    return replace(core_program, routines={**core_program.routines, **routines})


_MAX_KEPT_FACTS = 4


_kept_facts: list[CoreFacts] = []


def lower_and_analyze(program: d.Program) -> CoreFacts:
    """Facts of a program; those of the programs that were last asked for are kept."""
    for facts in _kept_facts:
        if facts.program is program:
            return facts
    facts = analyze_core(program, lower_program(program))
    _kept_facts[:] = [facts, *_kept_facts[: _MAX_KEPT_FACTS - 1]]
    return facts


class Normalizer:
    """Normal forms of the declarations of one program, computed on demand.

    Attributes:
        names: from this program to the one it is compared with, where forms use the names of the latter.
    """

    def __init__(self, program: d.Program, names: Mapping[DeclaredName, DeclaredName]) -> None:
        self.program = program
        self.names = names

    @cached_property
    def declarations(self) -> Mapping[DeclaredName, Any]:
        return dict(all_declarations(self.program))

    @cached_property
    def ordered_groups(self) -> tuple[tuple[DeclaredName, ...], ...]:
        """Declarations tried or triggered in an order: standing rules, and the events of the removal of each kind."""
        rules = sorted(self.program.rules.values(), key=lambda rule: rule.priority)
        removals: dict[Any, list[DeclaredName]] = {}
        for event in self.program.events.values():
            if event.on_removal:
                removals.setdefault(event.parameters[0].type, []).append(DeclaredName("event", event.name))
        return tuple(DeclaredName("rule", standing_rule.name) for standing_rule in rules), *map(
            tuple, removals.values()
        )

    def verbatim_tokens(self, name: DeclaredName) -> FormTokens:
        """Content of a declaration as its author wrote it, with the types of its variables.

        Its parameters stand there in their order, which decides what a call gives to which.
        """
        node = self.declarations[name]
        parameters = _variables_given(node, self.program)
        types = tuple(let.variable.type for let in walk_nodes(node) if isinstance(let, st.Let))
        names = (
            frozenset(parameter.name for parameter in node.parameters) if isinstance(node, d.Procedure) else frozenset()
        )
        within = NamingContext(self.program, getattr(node, "name", ""), names)
        return make_form_tokens((declaration_parts(node), parameters, types), within)

    def normal_form(self, name: DeclaredName, inlined: Collection[str] = (), *, excluded: str = "") -> NormalForm:
        """Normal form of a declaration.

        Args:
            name: of the declaration.
            inlined: functions and procedures that are inlined.
            excluded: what the form may not rest on: `routines` (no forward substitution), `all` that happens elsewhere
                (no reordering either), or nothing.
        """
        node = self.declarations[name]
        facts = lower_and_analyze(self.program)
        making = RoutineNormalizer(facts, self.names, inlined, excluded)
        plain = making.write_parts(node)
        keys = (f"{sort}:{name.name}" for sort in _ROUTINES_OF_SORTS.get(name.sort, ()))
        known = facts.core_program.routines
        routines = tuple(making.normalize(known[key]) for key in keys if key in known)
        text = "\n".join((plain, *map(making.write_normal_routine, routines)))
        return NormalForm(text, making.callees, plain, routines, making.writer, facts)


class RoutineNormalizer:
    """Makes the normal forms of the routines of one declaration.

    Args:
        facts: of the program.
        names: from it to the program with which it is compared.
        inlined: functions and procedures that are inlined.
        excluded: as of `Normalizer.normal_form`.
    """

    def __init__(
        self,
        facts: CoreFacts,
        names: Mapping[DeclaredName, DeclaredName],
        inlined: Collection[str] = (),
        excluded: str = "",
    ) -> None:
        self._program = facts.program
        self._names = names
        self._core = facts.core_program
        self._effects = facts.effects
        self._scheduler = facts.scheduler if excluded != "all" else None
        self.writer = FormWriter(self._program, self._names, self.write_range)
        self._substitutes = not excluded
        self._open_ranges: list[str] = []
        self._ranges: dict[str, str] = {}
        self._numbers = count(_FIRST_FRESH_INDEX)
        self.callees: dict[DeclaredName, int] = {}
        keys = {f"{sort}:{name}" for name in inlined for sort in ("function", "procedure")}
        waits = facts.scheduler.may_wait_due
        self._inliner = Inliner(self._core, self._effects, keys, self._numbers, may_wait_due=waits) if inlined else None

    def write_routine(self, routine: core.Routine) -> str:
        """Text of a routine in normal form."""
        return self.write_normal_routine(self.normalize(routine))

    def write_normal_routine(self, normal: core.Routine) -> str:
        """Text of a routine that is in normal form."""
        for form in walk_forms(normal.entry, normal.steps):
            self._note_callee(form)
        return self.writer.write((normal.parameters, normal.entry, normal.steps))

    def normalize(self, routine: core.Routine) -> core.Routine:
        """A routine in normal form: the passes in their order."""
        names = self._name_parameters(routine)
        routine = replace(
            routine,
            entry=freshen_names(routine.entry, self._numbers, {}),
            steps=freshen_names(routine.steps, self._numbers, {}),
        )
        if self._inliner is not None:
            routine = self._inliner.inline(routine)
        routine = thread_jumps(routine)
        if not self._substitutes:
            return NameNumbering(names).number_names(self._simplify(routine, names))
        routine = ForwardSubstitution(routine, self._effects).substitute()
        while True:  # what is simplified may leave names that stand for a value alone
            simplified = self._simplify(routine, names)
            routine = ForwardSubstitution(simplified, self._effects).substitute()
            if _count_statements(routine) == _count_statements(simplified):
                return NameNumbering(names).number_names(simplified)

    def _simplify(self, routine: core.Routine, names: Mapping[int, str]) -> core.Routine:
        routine = replace(routine, entry=number_bound_names(routine.entry), steps=number_bound_names(routine.steps))
        routine = NameNumbering(names, self._make_stems(routine)).number_names(routine)
        writer = self.writer
        writer.count_names(routine)
        simplifier = ExpressionSimplifier(self._program, self._effects, writer)
        return BranchSimplifier(
            simplifier, writer.order_key, lambda block: self._order_block(block, writer.order_key)
        ).simplify_routine(routine)

    def _order_block(self, block: core.Block, key: Callable[[object], object]) -> core.Block:
        if self._scheduler is None:
            return block
        return self._scheduler.order_block(self._scheduler.dissolve_quiet(block), key)

    def _name_parameters(self, routine: core.Routine) -> dict[int, str]:
        """Parameters that callers know by their names, or by their positions."""
        if routine.sort != "procedure":
            return {parameter.index: f"p{number}" for number, parameter in enumerate(routine.parameters)}
        procedure = routine.key.split(":")[1]
        return {
            parameter.index: self.writer.translate("parameter", f"{procedure}/{parameter.name}")
            for parameter in routine.parameters
        }

    def _make_stems(self, routine: core.Routine) -> Callable[[str], str]:
        """Names of locals, under those of the other program."""
        declared = getattr(routine.origin, "name", "")
        return lambda name: (
            self._names.get(found := DeclaredName("local", f"{declared}/{name}"), found).short_name if name else "t"
        )

    def _note_callee(self, form: Any) -> None:
        key = getattr(form, "routine", None) if isinstance(form, core.Apply | core.Closure | core.Call) else None
        if key is None or not key.startswith(("function:", "procedure:")):
            return
        found = self.writer.find_declaration(key)
        name = self._names.get(found, found)
        self.callees[name] = self.callees.get(name, 0) + 1

    def name_range(self, key: str) -> tuple[str, ...]:
        """A range of steps under its names in the other program."""
        procedure, steps = key.removeprefix("procedure:").split(":", 1)
        ends = (self.writer.translate("step", f"{procedure}/{step}") for step in steps.split("..", 1))
        return self.writer.translate("procedure", procedure), *ends

    def write_range(self, key: str) -> str:
        """A call of a range of steps, as the form of these steps; a range inside itself by its name."""
        if key in self._open_ranges:
            return f"range {self.name_range(key)}"
        if key not in self._ranges:
            self._open_ranges.append(key)
            self._ranges[key] = f"range <{self.write_routine(self._core.routines[key])}>"
            self._open_ranges.pop()
        return self._ranges[key]

    # What is no routine.

    def write_parts(self, node: Any) -> str:
        """Text of a declaration without its routines."""
        return " ".join(map(self._write_part, _list_plain_parts(node, self._program)))

    def _write_part(self, part: Any) -> str:
        match part:
            case _ValueOf(node=ex.Binding() as binding, given=given):
                return self._write_binding(given, binding)
            case _ValueOf(node=value, given=given):
                return self._write_value(given, value)
            case ex.Typed():
                return self._write_value((), part)
            case tuple():
                return f"[{' '.join(map(self._write_part, part))}]"
            case _:
                return self.writer.write_type(part)

    def _write_value(self, given: tuple[Variable, ...], value: Any) -> str:
        lowering = ExpressionLowering(self._program, given)
        returned = core.Return(lowering.lower(value), origin=None)
        return self._write_block(lowering, given, returned)

    def _write_binding(self, given: tuple[Variable, ...], binding: ex.Binding) -> str:
        lowering = ExpressionLowering(self._program, given)
        members = core.Over(
            lowering.bind_names(binding),
            lowering.lower_members(binding.source),
            lowering.lower_optional(binding.where),
            "list",
            None,
            type=core.RankingType(binding.source.type),
            origin=None,
        )
        return self._write_block(lowering, given, core.Return(members, origin=None))

    def _write_block(self, lowering: ExpressionLowering, given: tuple[Variable, ...], line: core.Return) -> str:
        parameters = tuple(map(lowering.get_local, given))
        routine = core.Routine("value:", "function", parameters, lowering.list_locals(), (line,), (), None, origin=None)
        return self.write_routine(routine)


@dataclass(frozen=True, slots=True)
class _ValueOf:
    """An expression or a binding over variables that are given from elsewhere."""

    node: Any
    given: tuple[Variable, ...]


def _count_statements(routine: core.Routine) -> int:
    return sum(1 for _ in walk_statements(routine))


def _variables_given(node: Any, program: d.Program) -> tuple[Variable, ...]:
    """Variables that get their values from where a declaration is called, performed or triggered, in order."""
    match node:
        case d.Handler(event=event, variables=variables):
            return tuple(variables[: len(program.events[event].parameters)])
        case _:
            return tuple(getattr(node, "parameters", ()))


def _list_plain_parts(node: Any, program: d.Program) -> Iterator[Any]:
    """What counts of a declaration beside its routines: types, names, and values that are no routine."""
    match node:
        case d.Function(type=type_, symmetric=symmetric):
            inferred = node.sort in {"attribute", "tally"}
            yield from (tuple(parameter.type for parameter in node.parameters), None if inferred else type_, symmetric)
        case d.ExternalTerm(type=type_):
            yield from (tuple(parameter.type for parameter in node.parameters), type_)
        case d.Event():
            yield from (
                tuple(parameter.type for parameter in node.parameters),
                node.gives,
                node.on_removal,
                node.first_taker,
            )
        case d.Handler(event=event, binding=binding, optional=optional):
            yield from (NameMention(DeclaredName("event", event)), optional)
            yield _ValueOf(binding, _variables_given(node, program))
        case d.Measure() | d.Invariant() | d.StandingRule():
            yield tuple(parameter.type for parameter in getattr(node, "parameters", ()))
        case d.Procedure(defaults=defaults, result=result):
            yield from (tuple(parameter.type for parameter in node.parameters), result)
            yield tuple(None if default is None else _ValueOf(default, node.parameters) for default in defaults)
        case _:
            yield from declaration_parts(node)
