"""Terms, tallies, decisions and tables of one revision as formulas."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from rulewright.base.node_roles import walk_nodes
from rulewright.diff.proving.collection_encoder import CollectionEncoder
from rulewright.diff.proving.expression_encoder import NameSymbols
from rulewright.diff.proving.solver_terms import (
    EncodedOutcome,
    FlagSymbol,
    NoFormulaError,
    ScalarSymbol,
    SolverTerm,
    SymbolicValue,
)
from rulewright.program import declarations as d, expressions as ex, types as ty
from rulewright.program.conditions import make_members_comprehension
from rulewright.program.rows import Cell, ConditionRow, DecideRow, TableRow, TallyRow
from rulewright.runtime import faults

_MAX_CALL_DEPTH = 12


@dataclass
class FunctionEncoder(CollectionEncoder):
    """Translates everything that is computed, by putting in what functions say."""

    # of the tally or decision that is asked about itself, by id: what a modifier adds, or 1 for the row that decides. A
    # play tells them, and scenarios expect them
    row_terms: dict[str, SolverTerm] = field(default_factory=dict)
    _call_stack: list[str] = field(default_factory=list)
    _encoded_calls: dict[object, tuple[tuple[SymbolicValue, ...], EncodedOutcome]] = field(default_factory=dict)

    def encode_call(self, function: str, given: Sequence[EncodedOutcome], type_: ty.Type) -> EncodedOutcome:
        """The outcome of a function; where its body has no formula it must say the same in both revisions."""
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

    def _outcome_after_arguments(self, given: Sequence[EncodedOutcome], found: EncodedOutcome) -> EncodedOutcome:
        return EncodedOutcome(
            found.value, self.symbols.first_fault(*(encoded_outcome.fault for encoded_outcome in given), found.fault)
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
        """A function of which nothing is known but that it is the same in both revisions."""
        key = f"function {self.name('attribute' if declared.owner else 'function', declared.name)}"
        if self.revision.program.external_terms:
            self.request_external(key, leaves)
        value = self.shared.opaque_symbol(key, self.revision, type_, leaves)
        return EncodedOutcome(value, self.shared.number_term(f"{key} fault", leaves))

    def encode_function(self, declared: d.Function, values: Sequence[SymbolicValue]) -> EncodedOutcome:
        """What a function comes to for its arguments.

        Raises:
            RefusedError: no formula says it.
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
        """The condition under which rows are recorded: those of the function asked about, not of functions it calls."""
        return (
            self.builder.true_term
            if len(self._call_stack) == 1 and not self._path_conditions and not self._walk_depth
            else None
        )

    def record_row(self, id_: str, number: SolverTerm, path: SolverTerm) -> None:
        """Adds to what is told of a row."""
        told = self.builder.if_then_else(path, number, self.builder.int_term(0))
        self.row_terms[id_] = self.builder.sum_terms([self.row_terms[id_], told]) if id_ in self.row_terms else told

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
        """Whether all rows or any row hold, judged until that is decided."""
        going, fault = self.builder.true_term, None
        for row in rows:
            with self.with_path_condition(going):
                held = self._encode_condition_row(row, names, undecided=mode == "all")
            fault = self.symbols.first_fault(fault, self.symbols.fault_only_if(going, held.fault))
            holds = self.symbols.truth_term(held.value)
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
        """A selection as a comprehension whose condition is that of its rows."""
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
        told: SolverTerm | None = None,
    ) -> EncodedOutcome:
        """The running value after all rows, from the top; what each adds is told under a condition, if there is one."""
        result = self.encode_outcome(start, names)
        for row in rows:
            before = result
            for there, inside in self._list_row_rounds(row, {**names, running.index: result.value}):
                result = self._apply_tally_row(row, result, there, {**inside, running.index: result.value})
            if told is not None:
                ends = self.builder.unify_sorts(
                    self.symbols.number_term(result.value), self.symbols.number_term(before.value)
                )
                self.record_row(row.id, ends[0] - ends[1], told)
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
            kept = self.builder.all_of(there, self.symbols.truth_term(where.value))
            rounds.append((EncodedOutcome(FlagSymbol(kept), self.symbols.fault_only_if(there, where.fault)), inside))
        return rounds

    def _apply_tally_row(
        self, row: TallyRow, found: EncodedOutcome, there: EncodedOutcome, names: NameSymbols
    ) -> EncodedOutcome:
        guard = there
        if row.guard is not None:
            with self.with_path_condition(self.symbols.truth_term(there.value)):
                own = self.encode_outcome(row.guard, names)
            guard = self.choose_outcome(there, own, EncodedOutcome(FlagSymbol(self.builder.false_term)))
        with self.with_path_condition(self.symbols.truth_term(guard.value)):
            amount = self.encode_outcome(row.amount, names)
        changed = EncodedOutcome(ScalarSymbol(self._change_total(row.change, found.value, amount.value)), amount.fault)
        after = self.choose_outcome(guard, changed, EncodedOutcome(found.value))
        return EncodedOutcome(after.value, self.symbols.first_fault(found.fault, after.fault))

    def _change_total(self, change: str, found: SymbolicValue, amount: SymbolicValue) -> SolverTerm:
        first, second = self.builder.unify_sorts(self.symbols.number_term(found), self.symbols.number_term(amount))
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
        self, rows: Sequence[DecideRow], names: NameSymbols, told: SolverTerm | None = None
    ) -> EncodedOutcome:
        """The value of the first row whose guard holds; which that is is told under a condition, if there is one."""
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
            if told is not None:
                chosen = self.builder.all_of(going, self.symbols.truth_term(guard.value))
                self.record_row(row.id, self.builder.int_of_truth(chosen), told)
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
        going, told = self.builder.true_term, self._recording_condition
        for row in rows:
            tests = [
                self._encode_cell_match(cell, parameter, names)
                for cell, parameter in zip(row.cells, declared.parameters, strict=True)
            ]
            truth = self.builder.all_of(*(self.symbols.truth_term(test.value) for test in tests))
            if any(test.fault is not None for test in tests):
                raise NoFormulaError(f"a cell of `{declared.name}` may have no value")
            result.append((EncodedOutcome(FlagSymbol(truth)), self.encode_outcome(row.result, names)))
            if told is not None:
                self.record_row(row.id, self.builder.int_of_truth(self.builder.all_of(going, truth)), told)
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
    """The functions that a function names, and those that values from elsewhere need where nobody gives them."""
    result = set()
    for node in walk_nodes((program.functions[name].body, *(term.default for term in program.external_terms.values()))):
        if isinstance(node, ex.CallFunction | ex.DerivedAttribute):
            result.add(node.function)
        elif isinstance(node, ex.Builtin) and node.relation in program.functions:
            result.add(node.relation)
    return result
