"""Normal forms of declarations: declarations with equal normal forms play alike.

Only rewrites that hold in every state are made. Two faults of one play count as the same, whichever is reported; names
and the division into steps are not play.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from itertools import count
from typing import Any, TypeVar

from rulewright.base.frozen import dataclass
from rulewright.base.node_roles import map_children, walk_nodes
from rulewright.diff.item_matching import translate_names
from rulewright.diff.normalization.dependence_analysis import DependenceAnalysis, PurityAnalysis
from rulewright.diff.normalization.expression_normalization import ExpressionNormalizer
from rulewright.diff.normalization.line_normalization import (
    ControlFlowNormalizer,
    LineNormalizer,
    ProcedureInliner,
    strip_texts,
)
from rulewright.diff.normalization.name_normalization import (
    ForwardSubstitution,
    FunctionInliner,
    NameNumbering,
    function_expression,
    split_live_ranges,
)
from rulewright.program import declarations as d, expressions as ex, statements as st
from rulewright.program.conditions import (
    chain_conditions,
    combine_conditions,
    make_invariant_condition,
    make_row_condition,
)
from rulewright.program.expressions import Binding, Expression, Typed
from rulewright.program.outline.items import DeclaredName, FormTokens, NameMention, NamingContext, make_form_tokens
from rulewright.program.walk import compute_transitive_closure, list_lines_of_class

_INFERRED_TYPE_SORTS = frozenset({"attribute", "tally"})
_DATA_GROUPS = {"values": "values", "die": "dice", "record": "records", "board": "boards", "field": "game"}
_CHOICE_GROUPS = {"setting": "settings", "relation": "relations"}
ROUTINE_GROUPS = {
    "measure": "measures",
    "invariant": "invariants",
    "event": "events",
    "handler": "handlers",
    "rule": "rules",
    "procedure": "procedures",
}


def all_declarations(program: d.Program) -> Iterator[tuple[DeclaredName, Any]]:
    """Declarations that can differ by themselves, by name."""
    yield from _declarations_in_groups(program, _DATA_GROUPS)
    for kind in program.kinds.values():
        yield from ((DeclaredName("attribute", field.address), field) for field in kind.fields)
    for board in program.boards.values():
        yield from ((DeclaredName("cell", f"{board.name}/{field.name}"), field) for field in board.fields)
        yield from ((DeclaredName("side", f"{board.name}/{side.name}"), side) for side in board.sides)
    yield from _declarations_in_groups(program, _CHOICE_GROUPS)
    for name, function in program.functions.items():
        yield DeclaredName("attribute" if function.sort == "attribute" else "function", name), function
    yield from (
        (DeclaredName("external", name), external_procedure)
        for name, external_procedure in program.external_procedures.items()
    )
    yield from (
        (DeclaredName("external", name), external_term) for name, external_term in program.external_terms.items()
    )
    yield from _declarations_in_groups(program, ROUTINE_GROUPS)


def _declarations_in_groups(program: d.Program, groups: Mapping[str, str]) -> Iterator[tuple[DeclaredName, Any]]:
    for sort, group in groups.items():
        yield from ((DeclaredName(sort, name), item) for name, item in getattr(program, group).items())


def declaration_parts(node: Any) -> tuple[Any, ...]:
    """Parts of a declaration in order."""
    match node:
        case d.WordList(name=name, words=words):
            return tuple(NameMention(DeclaredName("word", f"{name}/{word.name}")) for word in words)
        case d.NamedDie(faces=faces):
            return (faces,)
        case d.Field(type=type_, start=start):
            return type_, start
        case d.Record(name=name, parts=parts):
            return tuple(
                (NameMention(DeclaredName("part", f"{name}/{part.name}")), part.type, part.start) for part in parts
            )
        case d.Board(space=space, unit=unit, bases=bases):
            return space, unit, bases
        case d.Setting(type=type_, value=value):
            return type_, value
        case d.Relation(symmetric=symmetric):
            return _parameter_types(node), symmetric
        case d.Function(type=type_, symmetric=symmetric, body=body):
            gives = None if node.sort in _INFERRED_TYPE_SORTS else type_
            return _parameter_types(node), gives, symmetric, function_expression(node) or body
        case d.ExternalProcedure(result=result, changes=changes):
            return _parameter_types(node), result, tuple(map(parse_changed_place, changes))
        case d.ExternalTerm(type=type_, default=default):
            return _parameter_types(node), type_, default
        case d.Measure(value=value):
            return _parameter_types(node), value
        case d.Invariant():
            binding = None if node.binding is None else replace(node.binding, where=None)
            return binding, make_invariant_condition(node)
        case d.Event():
            return _parameter_types(node), node.gives, node.on_removal, node.holders, node.order, node.first_taker
        case d.Handler(event=event, binding=binding, guard=guard, optional=optional, block=block):
            return NameMention(DeclaredName("event", event)), binding, guard, optional, block
        case d.StandingRule(lowers=lowers, block=block):
            return *_merge_rule_condition(node.binding, node.condition), lowers, block
        case d.Procedure(defaults=defaults, result=result, steps=steps):
            return node.parameters, _parameter_types(node), defaults, result, tuple(_normalize_opening(node)), steps
        case _:
            raise TypeError(type(node))


def _parameter_types(node: Any) -> tuple[Any, ...]:
    return tuple(parameter.type for parameter in node.parameters)


def parse_changed_place(written: str) -> NameMention:
    """Location that an external may change: an attribute, a field of `game`, or the things in play of a kind."""
    owner, _, name = written.partition("/")
    if owner == "game":
        return NameMention(DeclaredName("field", name))
    return NameMention(DeclaredName("kind", owner) if name == "gone" else DeclaredName("attribute", written))


def _merge_rule_condition(binding: Binding | None, condition: Expression) -> tuple[Binding | None, Expression]:
    if binding is None or binding.where is None:
        return binding, condition
    return replace(binding, where=None), combine_conditions("and", binding.where, condition)


def _normalize_opening(procedure: d.Procedure) -> Iterator[Any]:
    """Opening lines: adjacent requirements joined, adjacent lines as one block."""
    needs: list[d.Need] = []
    block: tuple[Any, ...] = ()
    for part in procedure.opening:
        if needs and not isinstance(part, d.Need):
            yield _merge_needs(needs)
            needs = []
        if block and not isinstance(part, tuple):
            yield block
            block = ()
        match part:
            case d.Need():
                needs.append(part)
            case tuple():
                block = (*block, *part)
            case _:
                yield part
    yield from [_merge_needs(needs)] if needs else [block] if block else []


def _merge_needs(needs: list[d.Need]) -> d.Need:
    condition = chain_conditions([make_row_condition(need) for need in needs], "and", needs[0].span)
    return replace(needs[0], condition=condition, guard=None, address="")


_FIRST_FRESH_INDEX = 1_000_000
_FIRST_SPLIT_INDEX = 2_000_000
NormalForm = tuple[object, ...]
StepRanges = frozenset[tuple[DeclaredName, DeclaredName, DeclaredName]]


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


def fuse_steps(procedure: d.Procedure, fusion: StepFusion) -> d.Procedure:
    """Procedure with fused steps and guards as branches; a first step that nothing jumps to joins the opening."""
    steps: list[d.Step] = []
    for step in procedure.steps:
        name = fusion.first_step_names.get((procedure.name, step.id))
        block = _guard_as_branch(step)
        if name is None and steps:
            steps[-1] = replace(steps[-1], block=steps[-1].block + block)
        else:
            steps.append(replace(step, id=name or "", guard=None, block=block, title="", cites=(), address=""))
    opening = procedure.opening
    targets = {
        fusion.first_step_names[procedure.name, proceed_target] for proceed_target in _proceed_targets(procedure)
    }
    if steps and procedure.name not in fusion.ranged_procedures and steps[0].id not in targets:
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


def rename_step_references(routine: _Routine, fusion: StepFusion) -> _Routine:
    """Routine whose lines name fused steps."""

    def rename_reference(node: Any) -> Any:
        rebuilt = node if isinstance(node, Typed) else map_children(node, rename_reference)
        match rebuilt:
            case st.Proceed(step=step):
                return replace(rebuilt, step=fusion.first_step_names[routine.name, step])
            case st.Perform(procedure=name, steps=(first, last)):
                return replace(
                    rebuilt, steps=(fusion.first_step_names[name, first], fusion.last_step_names[name, last])
                )
            case _:
                return rebuilt

    return map_children(routine, rename_reference)  # type: ignore[no-any-return]


class Normalizer:
    """Normal forms of the declarations of one program, computed on demand.

    Attributes:
        names: from this program to the one it is compared with, where forms use the names of the latter.
    """

    def __init__(self, program: d.Program, names: Mapping[DeclaredName, DeclaredName]) -> None:
        self.program = program
        self.names = names
        self._purity = PurityAnalysis(program)
        self._owners = {old.name: new.name for old, new in names.items() if old.sort != "step"}

    @cached_property
    def _dependence_analysis(self) -> DependenceAnalysis:
        return DependenceAnalysis(self.program, self._purity)

    @cached_property
    def _step_fusion(self) -> StepFusion:
        return plan_step_fusion(self.program)

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

    def normal_form(self, name: DeclaredName, spelled: Collection[str] = (), *, excluded: str = "") -> NormalForm:
        """Normal form of a declaration.

        Args:
            name: of the declaration.
            spelled: functions and procedures that are inlined.
            excluded: what the form may not rest on: `routines` (no forward substitution), `all` that happens elsewhere (no
                reordering either), or nothing.
        """
        node = self.declarations[name]
        external_names = _externally_known_names(node, self.program)
        within = self._name_scope(node)
        shaped = self._shape_declaration(node, spelled)
        if isinstance(node, d.Routine):
            shaped = split_live_ranges(shaped, external_names, count(_FIRST_SPLIT_INDEX))
        if not excluded:
            shaped = _substitute_names(
                shaped, ForwardSubstitution(shaped, self._purity, self._dependence_analysis, frozenset(external_names))
            )
        written = LineNormalizer(
            self._make_expression_normalizer(within),
            self._purity,
            None if excluded == "all" else self._dependence_analysis,
            self._make_sort_key(within),
        )
        parts = NameNumbering(external_names).number_names(
            written.normalize_part(
                NameNumbering(external_names, self._variable_translator(within)).number_names(shaped)
            )
        )
        types = tuple(let.variable.type for let in walk_nodes(parts) if isinstance(let, st.Let))
        return tuple(map(self._translate_token, make_form_tokens((parts, types), within)))

    def performed_ranges(self, name: DeclaredName, spelled: Collection[str] = ()) -> StepRanges:
        """Ranges of steps that a declaration performs: the procedure, the first step and the last one.

        Args:
            name: of the declaration.
            spelled: procedures whose lines are taken as its own.
        """

        def find_performs(routine: DeclaredName) -> list[st.Perform]:
            return [node for node in walk_nodes(self.declarations[routine]) if isinstance(node, st.Perform)]

        def inlined_procedures(routine: DeclaredName) -> list[DeclaredName]:
            return [
                DeclaredName("procedure", perform.procedure)
                for perform in find_performs(routine)
                if perform.procedure in spelled
            ]

        lines = [
            perform
            for routine in compute_transitive_closure([name], inlined_procedures)
            for perform in find_performs(routine)
            if perform.steps is not None
        ]
        result = frozenset(
            (
                DeclaredName("procedure", line.procedure),
                *(DeclaredName("step", f"{line.procedure}/{step}") for step in line.steps or ()),
            )
            for line in lines
        )
        return frozenset(tuple(self.names.get(declared_name, declared_name) for declared_name in row) for row in result)  # type: ignore[misc]

    def verbatim_tokens(self, name: DeclaredName) -> FormTokens:
        """Content of a declaration as its author wrote it, with the types of its variables.

        Its parameters stand there in their order, which decides what a call gives to which.
        """
        node = self.declarations[name]
        parameters = _variables_given(node, self.program)
        types = tuple(let.variable.type for let in walk_nodes(node) if isinstance(let, st.Let))
        return make_form_tokens((declaration_parts(node), parameters, types), self._name_scope(node))

    def normalize_routine(self, name: DeclaredName, spelled: Collection[str] = ()) -> d.Declared:
        """Routine with joined steps, normalized control flow and conditions; variables keep their names.

        Args:
            name: of a procedure, handler, standing rule or `always`; anything else is returned as it is.
            spelled: functions and procedures that are inlined.
        """
        node = self.declarations[name]
        within = self._name_scope(node)
        writing = LineNormalizer(
            self._make_expression_normalizer(within), self._purity, None, self._make_sort_key(within)
        )
        parts = writing.normalize_part(self._shape_declaration(node, spelled))
        match node:
            case d.Procedure():
                return replace(node, opening=parts[-2], steps=parts[-1])
            case d.Handler():
                return replace(node, binding=parts[1], guard=parts[2], block=parts[4])
            case d.StandingRule():
                return replace(node, binding=parts[0], condition=parts[1], lowers=parts[2], block=parts[3])
            case d.Invariant():
                return replace(node, binding=parts[0], guard=None, condition=parts[1])
            case _:
                assert isinstance(node, d.Declared)
                return node

    def _name_scope(self, node: Any) -> NamingContext:
        parameter_names = (
            frozenset(parameter.name for parameter in node.parameters)
            if isinstance(node, d.Procedure)
            else frozenset[str]()
        )
        return NamingContext(self.program, getattr(node, "name", ""), parameter_names)

    def _translate_token(self, token: object) -> object:
        match token:
            case DeclaredName(sort="local"):
                return token.short_name
            case DeclaredName(sort="step"):
                return DeclaredName("step", f"{self._owners.get(token.owner, token.owner)}/{token.short_name}")
            case DeclaredName():
                return self.names.get(token, token)
            case _:
                return token

    def _variable_translator(self, within: NamingContext) -> Callable[[str], str]:
        return lambda name: self.names.get(each := within.name_variable(name), each).short_name

    def _translate_changed_place(self, written: str) -> DeclaredName:
        name = parse_changed_place(written).name
        return self.names.get(name, name)

    def _make_expression_normalizer(self, within: NamingContext) -> ExpressionNormalizer:
        return ExpressionNormalizer(self.program, self._purity, self._make_sort_key(within))

    def _make_sort_key(self, within: NamingContext) -> Callable[[Any], Any]:
        """Key that tells equal parts of a declaration and orders the rest: at first without variable names."""

        def sort_key(part: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
            result = translate_names(make_form_tokens(part, within), self.names)
            unnamed = (
                "" if isinstance(token, DeclaredName) and token.sort == "local" else str(token) for token in result
            )
            return tuple(unnamed), tuple(map(str, result))

        return sort_key

    def _fuse_procedure(self, procedure: d.Procedure) -> d.Procedure:
        return rename_step_references(fuse_steps(procedure, self._step_fusion), self._step_fusion)

    def _shape_declaration(self, node: Any, spelled: Collection[str]) -> Any:
        if isinstance(node, d.Procedure):
            node = self._fuse_procedure(node)
        elif isinstance(node, d.Routine):
            node = rename_step_references(node, self._step_fusion)
        elif isinstance(node, d.ExternalProcedure):
            node = replace(node, changes=tuple(sorted(node.changes, key=self._translate_changed_place)))
        parts = strip_texts(declaration_parts(node))
        if spelled:
            numbers = count(_FIRST_FRESH_INDEX)
            if isinstance(node, d.Routine):
                parts = ProcedureInliner(
                    self.program, self._purity, spelled, numbers, self._fuse_procedure
                ).inline_performs(node, parts)
            parts = _map_outermost(
                parts, FunctionInliner(self.program, self._purity, spelled, numbers).inline_functions
            )
        return ControlFlowNormalizer(self._purity).normalize_parts(parts)


def _externally_known_names(node: Any, program: d.Program) -> dict[int, str]:
    """Variables known by their position among parameters, or to callers."""
    match node:
        case d.Procedure(parameters=parameters):
            return {parameter.index: parameter.name for parameter in parameters}
        case d.Handler(event=event):
            return {number: f"p{number}" for number in range(len(program.events[event].parameters))}
        case _:
            return {item.index: f"p{number}" for number, item in enumerate(getattr(node, "parameters", ()))}


def _variables_given(node: Any, program: d.Program) -> tuple[ex.Variable, ...]:
    """Variables that get their values from where a declaration is called, performed or triggered, in order."""
    match node:
        case d.Handler(event=event, variables=variables):
            return tuple(variables[: len(program.events[event].parameters)])
        case _:
            return tuple(getattr(node, "parameters", ()))


def _map_outermost(node: Any, change: Callable[[Any], Any]) -> Any:
    if isinstance(node, ex.Typed | ex.Binding):
        return change(node)
    return map_children(node, lambda part: _map_outermost(part, change))


def _substitute_names(node: Any, names: ForwardSubstitution) -> Any:
    if isinstance(node, tuple) and node and isinstance(node[0], st.Line):
        node = names.substitute_in_block(node)
    return node if isinstance(node, ex.Typed) else map_children(node, lambda part: _substitute_names(part, names))
