"""Scopes of expressions and the type environment of a check."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from rulewright.base import frozen
from rulewright.base.diagnostics import DiagnosticCollector
from rulewright.base.frozen import replace
from rulewright.base.source import Span
from rulewright.checker.clauses import resolve_clause_ids
from rulewright.checker.facts.assumption import assume
from rulewright.checker.facts.fact_store import Facts, ProofEffort
from rulewright.checker.facts.intervals import Interval
from rulewright.checker.incremental import ResultStore
from rulewright.checker.name_spaces import resolve_type
from rulewright.checker.preconditions import PreconditionStore
from rulewright.checker.symbols import LOCAL_SPACE, LinkedModule, LinkedProgram
from rulewright.program import declarations as typed
from rulewright.program.declarations import Field, Function, Invariant, Kind, Record, StandingRule
from rulewright.program.expressions import Expression, Variable
from rulewright.program.types import Type
from rulewright.syntax.nodes import declarations as d, expressions as nodes

if TYPE_CHECKING:
    from rulewright.checker.effects import EffectIndex

_DeclaredNode = TypeVar("_DeclaredNode", bound=d.Declared)


@dataclass(eq=False, repr=False)
class VariableTable:
    """Variables of one routine or function, numbered in the order they are met.

    The first `parameter_count` of them are parameters, which can have any value of their types. `answer_indices` are
    the numbers of maps that hold the answers of all who were asked, with no entry for anybody else; `asked_indices` of
    names for each player of a question to all, in its rows; `event_by_index` names the event of which one is a parameter.
    """

    variables: list[Variable] = field(default_factory=list)
    parameter_count: int = 0
    answer_indices: set[int] = field(default_factory=set)
    asked_indices: set[int] = field(default_factory=set)
    event_by_index: dict[int, str] = field(default_factory=dict)
    # names whose line has an error: nothing is reported where they are read
    broken_names: set[str] = field(default_factory=set)

    def new_variable(self, name: str, type_: Type) -> Variable:
        variable = Variable(name, len(self.variables), type_)
        self.variables.append(variable)
        return variable


@frozen.dataclass(frozen=True, slots=True)
class PendingStart:
    """Start value to be inferred once all types are known."""

    node: nodes.Expression
    type: Type
    module: LinkedModule
    address: str
    store: Callable[[Expression], None]


@dataclass(eq=False, repr=False)
class TypeEnvironment:
    """Declarations of a program as far as they are typed, by qualified name, and the stores of a check."""

    linked: LinkedProgram
    report: DiagnosticCollector
    values: dict[str, typed.WordList] = field(default_factory=dict)
    dice: dict[str, typed.NamedDie] = field(default_factory=dict)
    boards: dict[str, typed.Board] = field(default_factory=dict)
    game: dict[str, Field] = field(default_factory=dict)
    settings: dict[str, typed.Setting] = field(default_factory=dict)
    relations: dict[str, typed.Relation] = field(default_factory=dict)
    external_procedures: dict[str, typed.ExternalProcedure] = field(default_factory=dict)
    pending_starts: list[PendingStart] = field(default_factory=list)
    # stored fields of kinds, records, cells and sides
    kinds: dict[str, Kind] = field(default_factory=dict)
    records: dict[str, Record] = field(default_factory=dict)
    cell_attributes: dict[str, dict[str, Field]] = field(default_factory=dict)
    side_attributes: dict[str, dict[str, Field]] = field(default_factory=dict)
    # by kind or record and attribute: qualified function, `Kind/attribute`, and type
    derived_attributes: dict[str, dict[str, tuple[str, Type]]] = field(default_factory=dict)
    result_types: dict[str, Type] = field(default_factory=dict)  # of callables
    # functions to be typed, in order of declaration; those that are typed, and their read sets
    pending_functions: dict[str, Callable[[], None]] = field(default_factory=dict)
    functions: dict[str, Function] = field(default_factory=dict)
    reads_by_function: dict[str, frozenset[str]] = field(default_factory=dict)
    effects: "EffectIndex" = field(init=False)
    # number of things of a kind by an `always`, and of kinds of which none ever leaves play
    always_counted: dict[str, Interval] = field(default_factory=dict)
    lasting_counts: dict[str, Interval] = field(default_factory=dict)
    lasting_kinds: set[str] = field(default_factory=set)  # nothing takes a thing of these out of play
    invariants: dict[str, Invariant] = field(default_factory=dict)
    rules: dict[str, StandingRule] = field(default_factory=dict)
    preconditions: PreconditionStore = field(default_factory=PreconditionStore)
    # `Kind/attribute`, or a callable without result type, whose declaration has an error
    failed_declarations: set[str] = field(default_factory=set)
    unresolved_parameters: set[str] = field(default_factory=set)  # names of parameters whose type has an error
    proof_effort: ProofEffort = field(default_factory=ProofEffort)
    results_store: ResultStore = field(init=False)

    def __post_init__(self) -> None:
        self.results_store = ResultStore(self)
        self.functions, self.reads_by_function = self.results_store.make_tracker(), self.results_store.make_tracker()

    def iterate_declarations(self, sort: type[_DeclaredNode]) -> Iterator[tuple[LinkedModule, _DeclaredNode]]:
        """Declarations of a sort with their modules; diagnostics meanwhile carry their address."""
        for module, node in self.linked.iterate_declarations(sort):
            name = getattr(node, "name", None)
            self.report.address = module.prefix + name.text if name else "game"
            yield module, node

    def make_shared_fields(self, name: str, node: d.Declared) -> dict[str, Any]:
        """Fields that all declarations of a program share."""
        title = node.title.text if node.title else ""
        return {"name": name, "title": title, "cites": resolve_clause_ids(node.cites, self.linked), "span": node.head}

    def check_new_name(self, name: nodes.Name, names: set[str]) -> bool:
        """Whether a field or parameter is the first of its name (RW0207)."""
        if name.text not in names:
            names.add(name.text)
            return True
        message = f"`{name.text}` is declared twice"
        self.report.error("RW0207", name.span, message, help="choose another name for one of them")
        return False

    def resolve_type(self, node: nodes.Type, module: LinkedModule) -> Type | None:
        """Type of a written type; None after an error."""
        return resolve_type(node, module, self.linked, self.report)

    def demand_function(self, name: str) -> Function | None:
        """Function of a qualified name, typed now if it is not yet; None where its body has an error."""
        self.results_store.note_function_demanded(name)
        if name not in self.functions and name in self.pending_functions:
            self.pending_functions[name]()
        return self.functions.get(name)

    def make_initial_facts(self) -> Facts:
        """Facts at the beginning of a declaration: definitions of functions, and numbers of things."""
        return Facts(
            kind_counts=self.lasting_counts,
            functions=self.functions,
            reads=self.reads_by_function,
            effort=self.proof_effort,
        )


@frozen.dataclass(frozen=True, slots=True)
class Scope:
    """Names and facts that an expression sees, and the function that types its parts."""

    # `infer_expression`, passed in so that modules of `infer` do not import each other
    infer_type: "InferExpression"
    module: LinkedModule
    environment: TypeEnvironment
    report: DiagnosticCollector
    variables: VariableTable
    # local names, innermost winning
    locals: Mapping[str, Variable] = field(default_factory=dict)
    # kind or record whose attribute is derived, else ""; it makes `self` and bare attributes visible
    owner: str = ""
    facts: Facts = field(default_factory=Facts)
    crossed_cells: tuple[Variable, Variable] | None = (
        None  # in rows of a paths term the two cells whose side is `crossed_cells`
    )

    @property
    def linked(self) -> LinkedProgram:
        return self.environment.linked

    def infer(self, node: nodes.Expression, expected: Type | None = None) -> Expression | None:
        """Typed expression of a node in this scope; None after an error."""
        return self.infer_type(node, self, expected)

    def resolve_type(self, node: nodes.Type) -> Type | None:
        """Type of a written type; None after an error."""
        return resolve_type(node, self.module, self.linked, self.report)

    def note_local(self, span: Span, local: Variable) -> None:
        """Notes that the name at a place means a variable."""
        owner = self.variables.event_by_index.get(local.index, self.report.owner)
        self.report.note_use(span, LOCAL_SPACE, owner, local.name)

    def with_variables(self, *variables: Variable) -> "Scope":
        return replace(self, locals={**self.locals, **{variable.name: variable for variable in variables}})

    def for_module(self, module: LinkedModule) -> "Scope":
        """Scope of a declaration of a module, without names and facts of this one."""
        facts = self.environment.make_initial_facts()
        return Scope(self.infer_type, module, self.environment, self.report, VariableTable(), facts=facts)

    def for_text_at(self, span: Span) -> "Scope":
        """This scope with the module whose names the text at a place sees."""
        module = self.module.get_module_at(span)
        return self if module is self.module else replace(self, module=module)

    def with_facts(self, facts: Facts) -> "Scope":
        return replace(self, facts=facts)

    def assuming(self, condition: Expression | None, truth: bool) -> "Scope":  # noqa: FBT001 - the answer of a condition
        """This scope once a condition turned out true or false; the same without one."""
        return self if condition is None else self.with_facts(assume(self.facts, condition, truth))

    def aside(self) -> "Scope":
        """This scope with a report that nobody reads, to try what something may mean."""
        return replace(self, report=DiagnosticCollector())


InferExpression = Callable[[nodes.Expression, Scope, Type | None], Expression | None]
"""Typed expression of a node, None after an error; the expected type is a hint."""
