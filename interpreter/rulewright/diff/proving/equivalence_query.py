"""Functions as formulas, and queries to the solver: can any arguments or situation tell two of them apart?"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from rulewright.base.frozen import dataclass as frozen
from rulewright.base.node_roles import walk_nodes
from rulewright.diff.proving.collection_encoder import CollectionEncoder, EquivalenceClasses
from rulewright.diff.proving.expression_encoder import NameSymbols
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
from rulewright.program import declarations as d, expressions as ex, types as ty
from rulewright.program.conditions import make_members_comprehension
from rulewright.program.declarations import Program
from rulewright.program.expressions import (
    Binding,
    Cell,
    ConditionRow,
    DecideRow,
    Expression,
    TableRow,
    TallyRow,
    Variable,
)
from rulewright.runtime import faults

_MAX_CALL_DEPTH = 12


@dataclass
class FunctionEncoder(CollectionEncoder):
    """Encoder of everything that is computed; functions are inlined."""

    # by row id of the outermost tally or decision: amount of a modifier, or 1 for the deciding row
    row_terms: dict[str, SolverTerm] = field(default_factory=dict)
    _call_stack: list[str] = field(default_factory=list)
    _encoded_calls: dict[object, tuple[tuple[SymbolicValue, ...], EncodedOutcome]] = field(default_factory=dict)

    def encode_call(self, function: str, given: Sequence[EncodedOutcome], type_: ty.Type) -> EncodedOutcome:
        """Outcome of a function; a body without formula must be the same in both revisions."""
        declared = self.revision.program.functions[function]
        values = tuple(encoded_outcome.value for encoded_outcome in given)
        leaves = tuple(leaf for value in values for leaf in self.symbols.list_terms(value))
        key = (function, tuple(item.get_id() for item in leaves))
        if key not in self._encoded_calls or self.changed_values:
            wanted = len(self.external_requests)
            result = self._encode_or_abstract(declared, values, leaves, type_)
            if len(self.external_requests) > wanted:
                return self._outcome_after_arguments(given, result)
            self._encoded_calls[key] = (values, result)
        return self._outcome_after_arguments(given, self._encoded_calls[key][1])

    def _outcome_after_arguments(self, given: Sequence[EncodedOutcome], outcome: EncodedOutcome) -> EncodedOutcome:
        return EncodedOutcome(
            outcome.value,
            self.symbols.first_fault(*(encoded_outcome.fault for encoded_outcome in given), outcome.fault),
        )

    def _encode_or_abstract(
        self, declared: d.Function, values: Sequence[SymbolicValue], leaves: tuple[SolverTerm, ...], type_: ty.Type
    ) -> EncodedOutcome:
        wanted = len(self.external_requests)
        try:
            return self.encode_function(declared, values)
        except NoFormulaError:
            if self.changed_values or not self.revision.is_unchanged(declared.name):
                raise
            del self.external_requests[wanted:]
        return self._abstract_call(declared, leaves, type_)

    def _abstract_call(self, declared: d.Function, leaves: tuple[SolverTerm, ...], type_: ty.Type) -> EncodedOutcome:
        """Uninterpreted function, the same in both revisions."""
        key = f"function {self.name('attribute' if declared.owner else 'function', declared.name)}"
        if self.revision.program.external_terms:
            self.request_external(key, leaves)
        value = self.shared.opaque_symbol(key, self.revision, type_, leaves)
        return EncodedOutcome(value, self.shared.number_term(f"{key} fault", leaves))

    def encode_function(self, declared: d.Function, values: Sequence[SymbolicValue]) -> EncodedOutcome:
        """Outcome of a function for its arguments.

        Raises:
            NoFormulaError: it has no formula.
        """
        if declared.name in self._call_stack or len(self._call_stack) >= _MAX_CALL_DEPTH:
            raise NoFormulaError(f"`{declared.name}` calls itself")
        names = {parameter.index: value for parameter, value in zip(declared.parameters, values, strict=True)}
        self._call_stack.append(declared.name)
        try:
            return self._encode_body(declared, names)
        finally:
            self._call_stack.pop()

    @property
    def _recording_condition(self) -> SolverTerm | None:
        return (
            self.builder.true_term
            if len(self._call_stack) == 1 and not self._path_conditions and not self._walk_depth
            else None
        )

    def record_row(self, id_: str, number: SolverTerm, path: SolverTerm) -> None:
        contribution = self.builder.if_then_else(path, number, self.builder.int_term(0))
        self.row_terms[id_] = (
            self.builder.sum_terms([self.row_terms[id_], contribution]) if id_ in self.row_terms else contribution
        )

    def _encode_body(self, declared: d.Function, names: NameSymbols) -> EncodedOutcome:
        match declared.body:
            case d.Value(value):
                return self.encode_outcome(value, names)
            case d.Conditions(mode, rows):
                return self.encode_condition_rows(mode, rows, names)
            case d.Selection() as selection:
                return self._encode_selection(declared, selection, names)
            case d.Tally(running, start, rows):
                return self.encode_tally(running, start, rows, names, self._recording_condition)
            case d.Decide(rows):
                return self.encode_decide(rows, names, self._recording_condition)
            case d.Table(rows):
                return self._encode_table(declared, rows, names)
            case _:
                raise NoFormulaError(f"`{declared.name}` looks for ways on a board")

    def encode_condition_rows(self, mode: str, rows: Sequence[ConditionRow], names: NameSymbols) -> EncodedOutcome:
        """Whether all rows or any row hold, with short-circuit evaluation."""
        going, fault = self.builder.true_term, None
        for row in rows:
            with self.with_path_condition(going):
                outcome = self._encode_condition_row(row, names, undecided=mode == "all")
            fault = self.symbols.first_fault(fault, self.symbols.fault_only_if(going, outcome.fault))
            holds = self.symbols.truth_term(outcome.value)
            going = self.builder.all_of(going, holds if mode == "all" else self.builder.negation_of(holds))
        return EncodedOutcome(FlagSymbol(going if mode == "all" else self.builder.negation_of(going)), fault)

    def _encode_condition_row(self, row: ConditionRow, names: NameSymbols, *, undecided: bool) -> EncodedOutcome:
        if row.guard is None:
            return self.encode_outcome(row.condition, names)
        guard = self.encode_outcome(row.guard, names)
        with self.with_path_condition(self.symbols.truth_term(guard.value)):
            condition = self.encode_outcome(row.condition, names)
        return self.choose_outcome(
            guard,
            condition,
            EncodedOutcome(FlagSymbol(self.builder.true_term if undecided else self.builder.false_term)),
        )

    def _encode_selection(self, declared: d.Function, selection: d.Selection, names: NameSymbols) -> EncodedOutcome:
        members = make_members_comprehension(declared, selection)
        if members is None:
            raise NoFormulaError(f"`{declared.name}` goes through several at once")
        return self.encode_outcome(members, names)

    def encode_tally(
        self,
        running: ex.Variable,
        start: ex.Expression,
        rows: Sequence[TallyRow],
        names: NameSymbols,
        recording_condition: SolverTerm | None = None,
    ) -> EncodedOutcome:
        """Running value after all rows, from the top; rows are recorded under `recording_condition`, if any."""
        result = self.encode_outcome(start, names)
        for row in rows:
            before = result
            for there, inside in self._list_row_rounds(row, {**names, running.index: result.value}):
                result = self._apply_tally_row(row, result, there, {**inside, running.index: result.value})
            if recording_condition is not None:
                ends = self.builder.unify_sorts(
                    self.symbols.number_term(result.value), self.symbols.number_term(before.value)
                )
                self.record_row(row.id, ends[0] - ends[1], recording_condition)
        return result

    def _list_row_rounds(self, row: TallyRow, names: NameSymbols) -> Sequence[tuple[EncodedOutcome, NameSymbols]]:
        always = EncodedOutcome(FlagSymbol(self.builder.true_term))
        if row.binding is None:
            return [(always, names)]
        source = self._encode_source(row.binding, names)
        items = self.list_members(source.value)
        if items is None or source.fault is not None:
            raise NoFormulaError("a row goes through members that are not listed")
        rounds = []
        for there, item in items:
            inside = self.bind_member(row.binding, item, names)
            where = always if row.binding.where is None else self.encode_outcome(row.binding.where, inside)
            selected = self.builder.all_of(there, self.symbols.truth_term(where.value))
            rounds.append(
                (EncodedOutcome(FlagSymbol(selected), self.symbols.fault_only_if(there, where.fault)), inside)
            )
        return rounds

    def _apply_tally_row(
        self, row: TallyRow, total: EncodedOutcome, there: EncodedOutcome, names: NameSymbols
    ) -> EncodedOutcome:
        guard = there
        if row.guard is not None:
            with self.with_path_condition(self.symbols.truth_term(there.value)):
                row_guard = self.encode_outcome(row.guard, names)
            guard = self.choose_outcome(there, row_guard, EncodedOutcome(FlagSymbol(self.builder.false_term)))
        with self.with_path_condition(self.symbols.truth_term(guard.value)):
            amount = self.encode_outcome(row.amount, names)
        changed = EncodedOutcome(ScalarSymbol(self._change_total(row.change, total.value, amount.value)), amount.fault)
        after = self.choose_outcome(guard, changed, EncodedOutcome(total.value))
        return EncodedOutcome(after.value, self.symbols.first_fault(total.fault, after.fault))

    def _change_total(self, change: str, total: SymbolicValue, amount: SymbolicValue) -> SolverTerm:
        first, second = self.builder.unify_sorts(self.symbols.number_term(total), self.symbols.number_term(amount))
        match change:
            case "plus":
                return first + second
            case "times":
                return first * second
            case "becomes":
                return second
            case "at least":
                return self.builder.if_then_else(self.builder.comparison_of(">=", first, second), first, second)
            case _:
                return self.builder.if_then_else(self.builder.comparison_of("<=", first, second), first, second)

    def encode_decide(
        self, rows: Sequence[DecideRow], names: NameSymbols, recording_condition: SolverTerm | None = None
    ) -> EncodedOutcome:
        """Value of the first row whose guard holds; it is recorded under `recording_condition`, if any."""
        result = []
        going = self.builder.true_term
        for row in rows:
            with self.with_path_condition(going):
                guard = (
                    EncodedOutcome(FlagSymbol(self.builder.true_term))
                    if row.guard is None
                    else self.encode_outcome(row.guard, names)
                )
                with self.with_path_condition(self.symbols.truth_term(guard.value)):
                    result.append((guard, self.encode_outcome(row.value, names)))
            if recording_condition is not None:
                chosen = self.builder.all_of(going, self.symbols.truth_term(guard.value))
                self.record_row(row.id, self.builder.int_of_truth(chosen), recording_condition)
            going = self.builder.all_of(going, self.builder.negation_of(self.symbols.truth_term(guard.value)))
        return self._choose_first_row(result)

    def _choose_first_row(self, rows: Sequence[tuple[EncodedOutcome, EncodedOutcome]]) -> EncodedOutcome:
        after = EncodedOutcome(
            rows[-1][1].value, self.symbols.fault_of_code(self.builder.true_term, faults.NO_ROW_COVERS)
        )
        for guard, value in reversed(rows):
            after = self.choose_outcome(guard, value, after)
        return after

    def _encode_table(self, declared: d.Function, rows: Sequence[TableRow], names: NameSymbols) -> EncodedOutcome:
        result = []
        going, recording_condition = self.builder.true_term, self._recording_condition
        for row in rows:
            tests = [
                self._encode_cell_match(cell, parameter, names)
                for cell, parameter in zip(row.cells, declared.parameters, strict=True)
            ]
            truth = self.builder.all_of(*(self.symbols.truth_term(test.value) for test in tests))
            if any(test.fault is not None for test in tests):
                raise NoFormulaError(f"a cell of `{declared.name}` may have no value")
            result.append((EncodedOutcome(FlagSymbol(truth)), self.encode_outcome(row.result, names)))
            if recording_condition is not None:
                self.record_row(
                    row.id, self.builder.int_of_truth(self.builder.all_of(going, truth)), recording_condition
                )
            going = self.builder.all_of(going, self.builder.negation_of(truth))
        return self._choose_first_row(result)

    def _encode_cell_match(self, cell: Cell, parameter: ex.Variable, names: NameSymbols) -> EncodedOutcome:
        value, tests = names[parameter.index], []
        ends = [
            None if item is None else self.encode_outcome(item, names) for item in (cell.value, cell.low, cell.high)
        ]
        if ends[0] is not None:
            tests.append(self.symbols.equality_term(value, ends[0].value))
        for operator, end in zip((">=", "<="), ends[1:], strict=True):
            if end is not None:
                tests.append(
                    self.builder.comparison_of(
                        operator, self.symbols.number_term(value), self.symbols.number_term(end.value)
                    )
                )
        fault = self.symbols.first_fault(*(encoded_outcome.fault for encoded_outcome in ends if encoded_outcome))
        return EncodedOutcome(FlagSymbol(self.builder.all_of(*tests)), fault)


def find_called_functions(program: d.Program, name: str) -> set[str]:
    """Functions that a function names, and those of the defaults of externals."""
    result = set()
    for node in walk_nodes((program.functions[name].body, *(term.default for term in program.external_terms.values()))):
        if isinstance(node, ex.CallFunction | ex.DerivedAttribute):
            result.add(node.function)
        elif isinstance(node, ex.Builtin) and node.relation in program.functions:
            result.add(node.relation)
    return result


@frozen(frozen=True, slots=True, order=True)
class WishedThing:
    """Thing in a wish, by its kind and a number; other numbers are other things."""

    kind: str
    number: int


WishedValue = int | bool | str | None | WishedThing | tuple["WishedValue", ...]
"""Value as in state files, except things; a set is a tuple of its members."""


@frozen(frozen=True, slots=True)
class SituationWish:
    """Values wanted of a situation, in the names of the new revision; everything else is free.

    It is no evidence of a difference: whether rules allow it, and whether it shows anything, has not been tried.
    """

    things: Mapping[WishedThing, Mapping[str, WishedValue]]  # stored attributes of things in play
    gone: tuple[WishedThing, ...]  # things out of play
    relations: Mapping[tuple[str, WishedThing, WishedThing], bool]
    game: Mapping[str, WishedValue]
    settings: Mapping[str, WishedValue]
    names: Mapping[str, WishedValue]  # parameters of a function, or variables of a routine at the place of the wish


def read_wish(answer: SolverAnswer, reads: Sequence[SituationRead]) -> SituationWish:
    """Wish for the values of the solver's model that formulas read."""
    things: dict[WishedThing, dict[str, WishedValue]] = {}
    removed: dict[WishedThing, None] = {}
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
                removed[some] = None
    return SituationWish(things, tuple(removed), pairs, others["field"], others["setting"], others["name"])


def _wished_relation(answer: SolverAnswer, read: SituationRead) -> tuple[str, WishedThing, WishedThing]:
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
    """Value of the solver's model.

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
"""Default limit of solver steps (Z3 `rlimit`) for one query."""
_MAX_WISHES = 4


@frozen(frozen=True, slots=True)
class EquivalenceResult:
    """Result of a proof."""

    is_equivalent: bool
    reason: str = ""  # why it is not proved; empty if it is
    wishes: tuple[SituationWish, ...] = ()  # situations worth trying, if it is not proved
    has_same_rows: bool = True  # whether the same rows decide and count too, as stories and scenarios show them


@dataclass
class EquivalenceQuery:
    """Query to the solver, with formulas of both revisions over the same symbols."""

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
        """Result, where `same` is the term that both are equal."""
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
        wishes = {
            repr(situation_wish): situation_wish
            for situation_wish in (read_wish(one, self.shared.reads) for one in answers)
        }
        because = "a situation may tell them apart"
        return EquivalenceResult(is_equivalent=False, reason=because, wishes=tuple(wishes.values()))

    def _seek_counterexample(self, truth: SolverTerm) -> SolverAnswer:
        return self.builder.check_satisfiable([*self.shared.facts, self.builder.negation_of(truth)], self.step_limit)

    def _rows_equal_term(self) -> SolverTerm:
        first, second = (encoder.row_terms for encoder in self.encoders)
        none = self.builder.int_term(0)
        every = sorted({*first, *second})
        return self.builder.all_of(
            *(self.builder.equality_of(first.get(item, none), second.get(item, none)) for item in every)
        )

    def _requests_equal_term(self) -> SolverTerm:
        first, second = (encoder.external_requests for encoder in self.encoders)
        if len(first) != len(second) or any(a.key != b.key for a, b in zip(first, second, strict=True)):
            raise NoFormulaError("they ask for other values from elsewhere, or in another order")
        equal = self.builder.equality_of
        return self.builder.all_of(
            *(equal(a.condition, b.condition) for a, b in zip(first, second, strict=True)),
            *(equal(c, e) for a, b in zip(first, second, strict=True) for c, e in zip(a.given, b.given, strict=True)),
        )

    def outcomes_equal_term(self, first: EncodedOutcome, second: EncodedOutcome) -> SolverTerm:
        if self.encoders[0].external_requests and (first.fault is not None or second.fault is not None):
            raise NoFormulaError("a value from elsewhere may be asked for before a fault or after it")
        return self.encoders[0].symbols.outcome_equality(first, second)

    def bind_names(self, number: int, variables: Mapping[int, Variable]) -> dict[int, SymbolicValue]:
        """Symbols for variables of a routine of either revision, by number; unpaired ones are those of NEW."""
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
    """Result of a query; not proved, with a reason, if the solver is missing or something has no formula."""
    if load_solver() is None:
        return EquivalenceResult(is_equivalent=False, reason=SOLVER_MISSING)
    try:
        return question()
    except NoFormulaError as refused:
        return EquivalenceResult(is_equivalent=False, reason=str(refused))


def prove_functions_equal(
    old: ProofRevision, new: ProofRevision, names: tuple[str, str], limit: int = SOLVER_STEP_LIMIT
) -> EquivalenceResult:
    """Whether a function, by its names in both, has equal outcomes for all arguments in every situation."""

    def query_functions() -> EquivalenceResult:
        asking = EquivalenceQuery(old, new, limit)
        declared = [side.revision.program.functions[name] for side, name in zip(asking.encoders, names, strict=True)]
        if len(declared[0].parameters) != len(declared[1].parameters):
            raise NoFormulaError("they take other arguments")
        result = []
        for number, (side, function) in enumerate(zip(asking.encoders, declared, strict=True)):
            pairs = zip(function.parameters, declared[1].parameters, strict=True)
            called = {parameter.index: Variable(other.name, other.index, parameter.type) for parameter, other in pairs}
            symbols = asking.bind_names(number, called)
            result.append(
                side.encode_function(function, [symbols[parameter.index] for parameter in function.parameters])
            )
        return asking.decide_equivalence(asking.outcomes_equal_term(*result))

    return answer_query(query_functions)


def prove_values_equal(
    old: ProofRevision,
    new: ProofRevision,
    pair: tuple[Expression, Expression],
    names: Mapping[int, Variable],
    limit: int = SOLVER_STEP_LIMIT,
) -> EquivalenceResult:
    """Whether two expressions of two routines have equal outcomes in every situation.

    `names` lead from variable numbers of the old routine to variables of the new one with the same value.
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
    """Mentioned variables of a routine as variables of the new one; `number` 1 is the new routine."""
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
    shared = {index: variable for index, variable in mentioned.items() if index in names}
    return {index: Variable(names[index].name, names[index].index, variable.type) for index, variable in shared.items()}
