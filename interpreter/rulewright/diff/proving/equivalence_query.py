"""Whether any situation tells two versions of something apart, and what one should hold so that it may."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from rulewright.base.frozen import dataclass as frozen
from rulewright.base.node_roles import walk_nodes
from rulewright.diff.proving.collection_encoder import EquivalenceClasses
from rulewright.diff.proving.function_encoder import FunctionEncoder
from rulewright.diff.proving.shared_symbols import ProofRevision, SharedSymbols, SituationRead
from rulewright.diff.proving.solver_terms import (
    SOLVER_MISSING,
    BitSetSymbol,
    EncodedOutcome,
    FlagSymbol,
    GroupSymbol,
    NoFormulaError,
    OptionalSymbol,
    ScalarSymbol,
    SolverAnswer,
    SolverTerm,
    SymbolicValue,
    TermBuilder,
    load_solver,
)
from rulewright.program import types as ty
from rulewright.program.declarations import Program
from rulewright.program.expressions import Binding, Expression, Variable


@frozen(frozen=True, slots=True, order=True)
class WishedThing:
    """A thing that a wish is about, by its kind and a number; another number stands for another thing."""

    kind: str
    number: int


WishedValue = int | bool | str | None | WishedThing | tuple["WishedValue", ...]
"""A value as in state files, but for things; a set is a tuple of its members."""


@frozen(frozen=True, slots=True)
class SituationWish:
    """Values to look for, in the names of the new revision; what is not mentioned may be anything.

    It is no evidence of a difference: nobody has tried whether rules allow it, or whether it shows anything.
    """

    things: Mapping[WishedThing, Mapping[str, WishedValue]]  # stored attributes of some things in play
    gone: tuple[WishedThing, ...]  # things that are out of play
    relations: Mapping[tuple[str, WishedThing, WishedThing], bool]  # whether a relation is stored between two things
    game: Mapping[str, WishedValue]  # fields of the game
    settings: Mapping[str, WishedValue]  # readings
    names: Mapping[str, WishedValue]  # parameters of a function, or names of a routine at the place the wish is about


def read_wish(answer: SolverAnswer, reads: Sequence[SituationRead]) -> SituationWish:
    """What the solver's situation holds of what was read."""
    things: dict[WishedThing, dict[str, WishedValue]] = {}
    gone: dict[WishedThing, None] = {}
    pairs: dict[tuple[str, WishedThing, WishedThing], bool] = {}
    others: dict[str, dict[str, WishedValue]] = {"field": {}, "setting": {}, "name": {}}
    for read in reads:
        try:
            value = _wished_value(answer, read.symbol, read.type, read.revision.program)
        except LookupError:
            continue
        if read.sort in others:
            others[read.sort][read.name.rpartition(" ")[2]] = value
        elif read.sort == "relation":
            pairs[_wished_relation(answer, read)] = bool(value)
        else:
            kind, _, name = read.name.partition("/")
            some = WishedThing(kind, _wished_thing_number(answer, read, 0))
            if read.sort == "attribute":
                things.setdefault(some, {})[name] = value
            elif value:
                gone[some] = None
    return SituationWish(things, tuple(gone), pairs, others["field"], others["setting"], others["name"])


def _wished_relation(answer: SolverAnswer, read: SituationRead) -> tuple[str, WishedThing, WishedThing]:
    """A relation with the two things of the situation found."""
    relation, first, second = read.name.removesuffix(" symmetric").replace(" thing ", "\n").split("\n")
    return (
        relation,
        WishedThing(first, _wished_thing_number(answer, read, 0)),
        WishedThing(second, _wished_thing_number(answer, read, 1)),
    )


def _wished_thing_number(answer: SolverAnswer, read: SituationRead, at: int) -> int:
    result = answer.evaluate_term(read.given[at])
    assert isinstance(result, int)
    return result


def _wished_value(answer: SolverAnswer, symbol: SymbolicValue, type_: ty.Type, program: Program) -> WishedValue:
    """A value of the situation found.

    Raises:
        LookupError: a state file cannot hold such a value.
    """
    match symbol, type_:
        case OptionalSymbol(missing, value), ty.OptionalType(inner):
            return (
                None if value is None or answer.evaluate_term(missing) else _wished_value(answer, value, inner, program)
            )
        case FlagSymbol(term), _:
            return bool(answer.evaluate_term(term))
        case ScalarSymbol(term), ty.NumberType() | ty.WordType() | ty.ThingType():
            number = answer.evaluate_term(term)
            assert isinstance(number, int)
            return _name_wished_value(number, type_, program)
        case BitSetSymbol(low, bits), ty.SetType(item):
            return tuple(
                _name_wished_value(low + at, item, program) for at, bit in enumerate(bits) if answer.evaluate_term(bit)
            )
        case _:
            raise LookupError


def _name_wished_value(number: int, type_: ty.Type, program: Program) -> WishedValue:
    match type_:
        case ty.WordType(values):
            return program.values[values].words[number].name
        case ty.ThingType(kind):
            return WishedThing(kind, number)
        case ty.FlagType():
            return bool(number)
        case _:
            return number


SOLVER_STEP_LIMIT = 500_000
"""Steps of the solver for one question, where nobody says how many."""
_MAX_WISHES = 4


@frozen(frozen=True, slots=True)
class EquivalenceResult:
    """What is known of two versions."""

    is_equivalent: bool  # whether they are proved to come to the same in every situation
    reason: str = ""  # why that could not be proved; empty where it was
    wishes: tuple[SituationWish, ...] = ()  # situations that are worth trying, where it was not
    has_same_rows: bool = True  # whether the same rows decide and count too, as stories and scenarios tell them


@dataclass
class EquivalenceQuery:
    """One question to the solver, with formulas of both revisions over the same symbols."""

    old: ProofRevision
    new: ProofRevision
    step_limit: int = SOLVER_STEP_LIMIT
    builder: TermBuilder = field(default_factory=TermBuilder)

    def __post_init__(self) -> None:
        self.shared = SharedSymbols(self.builder)
        self.classes = EquivalenceClasses(self.shared, self.step_limit)
        self.encoders = tuple(
            FunctionEncoder(self.shared, proof_revision, classes=self.classes)
            for proof_revision in (self.old, self.new)
        )

    def decide_equivalence(self, same: SolverTerm) -> EquivalenceResult:
        """What is known where a truth says that both come to the same."""
        self.shared.facts += self.classes.derive_size_facts()
        answer = self._seek_counterexample(self.builder.all_of(same, self._requests_equal_term()))
        if answer.status == "unsat":
            rows = self._rows_equal_term()
            return EquivalenceResult(
                is_equivalent=True,
                has_same_rows=self.builder.is_true(rows) or self._seek_counterexample(rows).status == "unsat",
            )
        if answer.status == "unknown":
            return EquivalenceResult(is_equivalent=False, reason=f"the solver gave up after {self.step_limit} steps")
        answers = self.classes.counterexamples[:_MAX_WISHES] or [answer]
        made = {
            repr(situation_wish): situation_wish
            for situation_wish in (read_wish(one, self.shared.reads) for one in answers)
        }
        because = "a situation may tell them apart"
        return EquivalenceResult(is_equivalent=False, reason=because, wishes=tuple(made.values()))

    def _seek_counterexample(self, truth: SolverTerm) -> SolverAnswer:
        return self.builder.check_satisfiable([*self.shared.facts, self.builder.negation_of(truth)], self.step_limit)

    def _rows_equal_term(self) -> SolverTerm:
        """Whether the same rows decide or count."""
        first, second = (encoder.row_terms for encoder in self.encoders)
        none = self.builder.int_term(0)
        every = sorted({*first, *second})
        return self.builder.all_of(
            *(self.builder.equality_of(first.get(item, none), second.get(item, none)) for item in every)
        )

    def _requests_equal_term(self) -> SolverTerm:
        """Whether both ask for the same values from elsewhere, in the same order."""
        first, second = (encoder.external_requests for encoder in self.encoders)
        if len(first) != len(second) or any(a.key != b.key for a, b in zip(first, second, strict=True)):
            raise NoFormulaError("they ask for other values from elsewhere, or in another order")
        equal = self.builder.equality_of
        return self.builder.all_of(
            *(equal(a.condition, b.condition) for a, b in zip(first, second, strict=True)),
            *(equal(c, e) for a, b in zip(first, second, strict=True) for c, e in zip(a.given, b.given, strict=True)),
        )

    def outcomes_equal_term(self, first: EncodedOutcome, second: EncodedOutcome) -> SolverTerm:
        """Whether two outcomes are the same."""
        if self.encoders[0].external_requests and (first.fault is not None or second.fault is not None):
            raise NoFormulaError("a value from elsewhere may be asked for before a fault or after it")
        return self.encoders[0].symbols.outcome_equality(first, second)

    def bind_names(self, number: int, variables: Mapping[int, Variable]) -> dict[int, SymbolicValue]:
        """Symbols for names of a routine of either revision, by their numbers there; the others are those of NEW."""
        revision = (self.old, self.new)[number]
        result = {
            index: self.shared.read_symbol(revision, ("name", f"{variable.index} {variable.name}"), variable.type)
            for index, variable in variables.items()
        }
        for index in result.keys() & revision.name_bounds.keys():
            most = self.builder.int_term(revision.name_bounds[index])
            match result[index]:
                case ScalarSymbol(term):
                    self.shared.facts.append(self.builder.comparison_of("<=", term, most))
                case GroupSymbol() as pool:
                    self.shared.facts.append(self.builder.comparison_of("<=", self.shared.size_term(pool), most))
        return result


def answer_query(question: Callable[[], EquivalenceResult]) -> EquivalenceResult:
    """The answer to a question; not proved alike, and why, if the solver is missing or something has no formula."""
    if load_solver() is None:
        return EquivalenceResult(is_equivalent=False, reason=SOLVER_MISSING)
    try:
        return question()
    except NoFormulaError as refused:
        return EquivalenceResult(is_equivalent=False, reason=str(refused))


def prove_functions_equal(
    old: ProofRevision, new: ProofRevision, names: tuple[str, str], limit: int = SOLVER_STEP_LIMIT
) -> EquivalenceResult:
    """Whether a function, by its names in both, comes to the same for all arguments in every situation."""

    def query_functions() -> EquivalenceResult:
        asking = EquivalenceQuery(old, new, limit)
        declared = [side.revision.program.functions[name] for side, name in zip(asking.encoders, names, strict=True)]
        if len(declared[0].parameters) != len(declared[1].parameters):
            raise NoFormulaError("they take other arguments")
        result = []
        for number, (side, function) in enumerate(zip(asking.encoders, declared, strict=True)):
            pairs = zip(function.parameters, declared[1].parameters, strict=True)
            called = {own.index: Variable(other.name, other.index, own.type) for own, other in pairs}
            symbols = asking.bind_names(number, called)
            result.append(side.encode_function(function, [symbols[own.index] for own in function.parameters]))
        return asking.decide_equivalence(asking.outcomes_equal_term(*result))

    return answer_query(query_functions)


def prove_values_equal(
    old: ProofRevision,
    new: ProofRevision,
    pair: tuple[Expression, Expression],
    names: Mapping[int, Variable],
    limit: int = SOLVER_STEP_LIMIT,
) -> EquivalenceResult:
    """Whether two expressions of two routines come to the same in every situation.

    Names lead from the numbers of names of the old routine to names of the new one that hold the same.
    """

    def query_values() -> EquivalenceResult:
        asking = EquivalenceQuery(old, new, limit)
        result = [
            side.encode_outcome(node, asking.bind_names(number, find_shared_names(number, node, names)))
            for number, (side, node) in enumerate(zip(asking.encoders, pair, strict=True))
        ]
        return asking.decide_equivalence(asking.outcomes_equal_term(*result))

    return answer_query(query_values)


def find_shared_names(number: int, node: object, names: Mapping[int, Variable]) -> dict[int, Variable]:
    """What is mentioned of the names of a routine, by the names of the new one; 1 is the new routine."""
    every = tuple(walk_nodes(node))
    bound = {
        variable.index
        for one in every
        if isinstance(one, Binding)
        for variable in one.variables
        if variable is not None
    }
    mentioned = {
        variable.index: variable for variable in every if isinstance(variable, Variable) and variable.index not in bound
    }
    if number:
        return mentioned
    kept = {index: variable for index, variable in mentioned.items() if index in names}
    return {index: Variable(names[index].name, names[index].index, variable.type) for index, variable in kept.items()}
