"""What an expression can see."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from rulewright.base import frozen
from rulewright.base.source import Span
from rulewright.checker.diagnostic_collector import DiagnosticCollector
from rulewright.checker.facts import Facts, ProofEffort
from rulewright.checker.facts.intervals import Interval
from rulewright.checker.incremental import ReadTracker, ResultStore
from rulewright.checker.preconditions import PreconditionStore
from rulewright.checker.symbols import LinkedModule, LinkedProgram
from rulewright.program.declarations import Field, Function, Invariant, Kind, Record, StandingRule
from rulewright.program.expressions import Expression, Variable
from rulewright.program.types import Type
from rulewright.syntax.nodes import expressions as nodes

if TYPE_CHECKING:
    from rulewright.checker.effects import EffectIndex


@dataclass(eq=False, repr=False)
class VariableTable:
    """The variables of one routine or function, numbered in the order they are met.

    The first `parameter_count` of them are parameters, which can have any value of their types. `answer_indices` are the numbers of
    those that hold the answers of all who were asked, and nothing for anybody else.
    """

    variables: list[Variable] = field(default_factory=list)
    parameter_count: int = 0
    answer_indices: set[int] = field(default_factory=set)

    def new_variable(self, name: str, type_: Type) -> Variable:
        """A further variable."""
        variable = Variable(name, len(self.variables), type_)
        self.variables.append(variable)
        return variable


@dataclass(eq=False, repr=False)
class TypeEnvironment:
    """Types and fields of everything declared, known before any expression is looked at.

    `kinds`, `records`, `cell_attributes` and `side_attributes` list stored fields by name; `derived_attributes` gives for a kind or record the
    qualified function and type of each derived attribute, `Kind/attribute`. `result_types` types what callables give.
    `pending_functions`, `functions` and `reads_by_function` belong to `checker.functions`: what builds each function, in order of
    declaration, those that are built, and what each of them reads. `effects` is what routines may change, found when
    the first one is built. `invariants` and `rules` are the `always` and standing
    rules that are built, `preconditions` what lines take for granted.
    `always_counted` is how many things of a kind an `always` says there are, `lasting_counts` the same of kinds of
    which no thing ever leaves play.
    `failed_declarations` holds what was reported where it is declared, `Kind/attribute` or the name of a callable without result.
    `unresolved_parameters` holds the names of parameters whose types could not be read, `proof_effort` counts what proofs cost, `results_store` is
    what each declaration came to.
    """

    kinds: dict[str, Kind] = field(default_factory=dict)
    records: dict[str, Record] = field(default_factory=dict)
    cell_attributes: dict[str, dict[str, Field]] = field(default_factory=dict)
    side_attributes: dict[str, dict[str, Field]] = field(default_factory=dict)
    derived_attributes: dict[str, dict[str, tuple[str, Type]]] = field(default_factory=dict)
    result_types: dict[str, Type] = field(default_factory=dict)
    pending_functions: dict[str, Callable[[], None]] = field(default_factory=dict)
    functions: dict[str, Function] = field(default_factory=dict)
    reads_by_function: dict[str, frozenset[str]] = field(default_factory=dict)
    effects: "EffectIndex | None" = None
    always_counted: dict[str, Interval] = field(default_factory=dict)
    lasting_counts: dict[str, Interval] = field(default_factory=dict)
    invariants: dict[str, Invariant] = field(default_factory=dict)
    rules: dict[str, StandingRule] = field(default_factory=dict)
    preconditions: PreconditionStore = field(default_factory=PreconditionStore)
    failed_declarations: set[str] = field(default_factory=set)
    unresolved_parameters: set[str] = field(default_factory=set)
    proof_effort: ProofEffort = field(default_factory=ProofEffort)
    results_store: ResultStore = field(default_factory=ResultStore)

    def __post_init__(self) -> None:
        """Lets the parts know what they look into."""
        self.functions, self.reads_by_function = (
            ReadTracker(self.results_store.note_function_read),
            ReadTracker(self.results_store.note_function_read),
        )

    def demand_function(self, name: str) -> Function | None:
        """The function of a qualified name, built now if it is not yet; none where its body has an error."""
        self.results_store.note_function_demanded(name)
        if name not in self.functions and name in self.pending_functions:
            self.pending_functions[name]()
        return self.functions.get(name)

    def make_initial_facts(self) -> Facts:
        """Nothing learnt, only what functions mean and how many things there always are."""
        return Facts(
            kind_counts=self.lasting_counts,
            functions=self.functions,
            reads=self.reads_by_function,
            effort=self.proof_effort,
        )


@frozen.dataclass(frozen=True, slots=True)
class Scope:
    """Everything a name can be looked up in, what is known at this place, and what types an expression there."""

    # types an expression in a scope; parts of expressions are typed by it, so that no part knows another
    infer_type: "InferExpression"
    linked: LinkedProgram  # all modules
    module: LinkedModule  # the module whose text this is
    environment: TypeEnvironment  # types and fields of what is declared
    report: DiagnosticCollector  # where findings go
    variables: VariableTable  # the numbering of the routine around
    # names visible in block and procedure, innermost winning
    locals: Mapping[str, Variable] = field(default_factory=dict)
    # the kind or record whose attribute is being derived, or empty; then `self` and bare attributes work
    owner: str = ""
    facts: Facts = field(default_factory=Facts)  # what is known to hold here
    crossed_cells: tuple[Variable, Variable] | None = (
        None  # in rows of a paths term the two cells whose side is `crossed_cells`
    )

    def infer(self, node: nodes.Expression, expected: Type | None = None) -> Expression | None:
        """The typed expression of a node as it is read here, or none where a diagnostic was reported."""
        return self.infer_type(node, self, expected)

    def with_variables(self, *variables: Variable) -> "Scope":
        """This scope with further names in front."""
        return replace(self, locals={**self.locals, **{variable.name: variable for variable in variables}})

    def for_module(self, module: LinkedModule) -> "Scope":
        """The scope of a declaration of a module: no names of its own, nothing known but what functions mean."""
        return Scope(
            self.infer_type,
            self.linked,
            module,
            self.environment,
            self.report,
            VariableTable(),
            facts=self.environment.make_initial_facts(),
        )

    def for_text_at(self, span: Span) -> "Scope":
        """This scope with the names that the text of a place sees."""
        module = self.module.get_module_at(span)
        return self if module is self.module else replace(self, module=module)

    def with_facts(self, facts: Facts) -> "Scope":
        """This scope where more, or less, is known."""
        return replace(self, facts=facts)


InferExpression = Callable[[nodes.Expression, Scope, Type | None], Expression | None]
"""Gives the typed expression of a node, or none where it reported an error; the type is a wish, not a demand."""
