"""What an expression can see."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from rulewright import frozen
from rulewright.analysis.facts import Effort, Facts
from rulewright.analysis.facts.intervals import Range
from rulewright.analysis.promises import Promises
from rulewright.analysis.recheck import Looked, Parts
from rulewright.analysis.report import Report
from rulewright.analysis.symbols import Linked, Module
from rulewright.program.declarations import Field, Function, Invariant, Kind, Record, StandingRule
from rulewright.program.expressions import Expression, Variable
from rulewright.program.types import Type
from rulewright.source import Span
from rulewright.syntax.nodes import expressions as nodes

if TYPE_CHECKING:
    from rulewright.analysis.effects import Effects


@dataclass(eq=False, repr=False)
class Variables:
    """The variables of one routine or function, numbered in the order they are met.

    The first `inputs` of them are parameters, which can have any value of their types. `answers` are the numbers of
    those that hold the answers of all who were asked, and nothing for anybody else.
    """

    all: list[Variable] = field(default_factory=list)
    inputs: int = 0
    answers: set[int] = field(default_factory=set)

    def new(self, name: str, type_: Type) -> Variable:
        """A further variable."""
        variable = Variable(name, len(self.all), type_)
        self.all.append(variable)
        return variable


@dataclass(eq=False, repr=False)
class Shapes:
    """Types and fields of everything declared, known before any expression is looked at.

    `kinds`, `records`, `cells` and `sides` list stored fields by name; `derived` gives for a kind or record the
    qualified function and type of each derived attribute, `Kind/attribute`. `results` types what callables give.
    `pending`, `functions` and `reads` belong to `analysis.functions`: what builds each function, in order of
    declaration, those that are built, and what each of them reads. `effects` is what routines may change, found when
    the first one is built. `invariants` and `rules` are the `always` and standing
    rules that are built, `promises` what lines take for granted.
    `always_counted` is how many things of a kind an `always` says there are, `lasting_counts` the same of kinds of
    which no thing ever leaves play.
    `failed` holds what was reported where it is declared, `Kind/attribute` or the name of a callable without result.
    `unread` holds the names of parameters whose types could not be read, `effort` counts what proofs cost, `parts` is
    what each declaration came to.
    """

    kinds: dict[str, Kind] = field(default_factory=dict)
    records: dict[str, Record] = field(default_factory=dict)
    cells: dict[str, dict[str, Field]] = field(default_factory=dict)
    sides: dict[str, dict[str, Field]] = field(default_factory=dict)
    derived: dict[str, dict[str, tuple[str, Type]]] = field(default_factory=dict)
    results: dict[str, Type] = field(default_factory=dict)
    pending: dict[str, Callable[[], None]] = field(default_factory=dict)
    functions: dict[str, Function] = field(default_factory=dict)
    reads: dict[str, frozenset[str]] = field(default_factory=dict)
    effects: "Effects | None" = None
    always_counted: dict[str, Range] = field(default_factory=dict)
    lasting_counts: dict[str, Range] = field(default_factory=dict)
    invariants: dict[str, Invariant] = field(default_factory=dict)
    rules: dict[str, StandingRule] = field(default_factory=dict)
    promises: Promises = field(default_factory=Promises)
    failed: set[str] = field(default_factory=set)
    unread: set[str] = field(default_factory=set)
    effort: Effort = field(default_factory=Effort)
    parts: Parts = field(default_factory=Parts)

    def __post_init__(self) -> None:
        """Lets the parts know what they look into."""
        self.functions, self.reads = Looked(self.parts.read), Looked(self.parts.read)

    def function(self, name: str) -> Function | None:
        """The function of a qualified name, built now if it is not yet; none where its body has an error."""
        self.parts.demanded(name)
        if name not in self.functions and name in self.pending:
            self.pending[name]()
        return self.functions.get(name)

    def known(self) -> Facts:
        """Nothing learnt, only what functions mean and how many things there always are."""
        return Facts(numbers=self.lasting_counts, functions=self.functions, reads=self.reads, effort=self.effort)


@frozen.dataclass(frozen=True, slots=True)
class Scope:
    """Everything a name can be looked up in, what is known at this place, and what types an expression there."""

    # types an expression in a scope; parts of expressions are typed by it, so that no part knows another
    types: "Typing"
    linked: Linked  # all modules
    module: Module  # the module whose text this is
    shapes: Shapes  # types and fields of what is declared
    report: Report  # where findings go
    variables: Variables  # the numbering of the routine around
    # names visible in block and procedure, innermost winning
    locals: Mapping[str, Variable] = field(default_factory=dict)
    # the kind or record whose attribute is being derived, or empty; then `self` and bare attributes work
    owner: str = ""
    facts: Facts = field(default_factory=Facts)  # what is known to hold here
    crossed: tuple[Variable, Variable] | None = None  # in rows of a paths term the two cells whose side is `crossed`

    def infer(self, node: nodes.Expression, expected: Type | None = None) -> Expression | None:
        """The typed expression of a node as it is read here, or none where a diagnostic was reported."""
        return self.types(node, self, expected)

    def binding(self, *variables: Variable) -> "Scope":
        """This scope with further names in front."""
        return replace(self, locals={**self.locals, **{each.name: each for each in variables}})

    def elsewhere(self, module: Module) -> "Scope":
        """The scope of a declaration of a module: no names of its own, nothing known but what functions mean."""
        return Scope(self.types, self.linked, module, self.shapes, self.report, Variables(), facts=self.shapes.known())

    def at(self, span: Span) -> "Scope":
        """This scope with the names that the text of a place sees."""
        module = self.module.at(span)
        return self if module is self.module else replace(self, module=module)

    def knowing(self, facts: Facts) -> "Scope":
        """This scope where more, or less, is known."""
        return replace(self, facts=facts)


Typing = Callable[[nodes.Expression, Scope, Type | None], Expression | None]
"""Gives the typed expression of a node, or none where it reported an error; the type is a wish, not a demand."""
