"""Symbolic execution of straight lines (no questions, dice or calls), with branches merged: final state, or first fault."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from rulewright.diff.proving.equivalence_query import (
    SOLVER_STEP_LIMIT,
    EquivalenceQuery,
    EquivalenceResult,
    FunctionEncoder,
    answer_query,
    find_shared_names,
)
from rulewright.diff.proving.shared_symbols import ProofRevision
from rulewright.diff.proving.solver_terms import EncodedOutcome, NoFormulaError, ScalarSymbol, SolverTerm, SymbolicValue
from rulewright.program import expressions as ex, statements as st, types as ty
from rulewright.program.declarations import Program
from rulewright.program.effects import ReadFootprint, list_written_places
from rulewright.program.walk import walk_block_lines
from rulewright.runtime import faults

STRAIGHT_LINES = (
    st.Let,
    st.Assign,
    st.AddAmount,
    st.If,
    st.DecideLine,
    st.TallyLine,
    st.Together,
    st.Nothing,
    st.Ruling,
)


def is_straight(lines: Sequence[st.Statement]) -> bool:
    """Whether lines only compute and change attributes, fields of the game and variables."""
    return all(
        isinstance(block_line, STRAIGHT_LINES) and _has_encodable_place(block_line)
        for block_line in walk_block_lines(tuple(lines))
    )


def _has_encodable_place(line: st.Statement) -> bool:
    place = getattr(line, "place", None)
    return place is None or isinstance(place, st.VariablePlace | st.AttributePlace | st.GamePlace)


def find_set_names(lines: Sequence[st.Statement]) -> set[int]:
    """Numbers of the variables that straight lines set."""
    result = set()
    for block_line in walk_block_lines(tuple(lines)):
        place = getattr(block_line, "place", None)
        variable = place.variable if isinstance(place, st.VariablePlace) else getattr(block_line, "variable", None)
        result |= {variable.index} if variable is not None else set()
    return result


@dataclass
class SymbolicState:
    """Symbolic state of one revision while its lines are executed."""

    encoder: FunctionEncoder  # its `changed_values` are the writes so far
    name_symbols: dict[int, SymbolicValue]  # current values of variables
    set_variables: dict[int, ex.Variable] = field(default_factory=dict)
    surely_set: set[int] = field(default_factory=set)  # variables set on every path
    # sort, name, type, thing
    changed_places: list[tuple[str, str, ty.Type, SolverTerm | None]] = field(default_factory=list)
    fault: SolverTerm | None = None  # first fault so far

    def execute_lines(self, lines: Sequence[st.Statement], path: SolverTerm) -> None:
        """Execute lines under a path condition.

        Raises:
            NoFormulaError: a line has no formula.
        """
        with self.encoder.with_path_condition(path):
            for line in lines:
                self._execute_line(line, path)

    def _execute_line(self, line: st.Statement, path: SolverTerm) -> None:
        match line:
            case st.Let(variable=variable, value=value):
                if value is not None:
                    self._assign_variable(
                        variable, self._meet_fault(self.encoder.encode_outcome(value, self.name_symbols), path), path
                    )
            case st.Assign(place=place, value=value):
                self._execute_assign(place, self._encode_target(place, path), value, path)
            case st.AddAmount():
                self._execute_amount(line, path)
            case st.TallyLine(variable=variable, start=start, rows=rows):
                self._assign_variable(
                    variable,
                    self._meet_fault(self.encoder.encode_tally(variable, start, rows, self.name_symbols, path), path),
                    path,
                )
            case st.DecideLine(variable=variable, rows=rows):
                self._assign_variable(
                    variable, self._meet_fault(self.encoder.encode_decide(rows, self.name_symbols, path), path), path
                )
            case st.If():
                self._execute_branches(line, path)
            case st.Together(block=block):
                self.execute_lines(block, path)
            case st.Nothing() | st.Ruling():
                pass
            case _:
                raise NoFormulaError(f"no formula says what `{type(line).__name__}` does")

    def _meet_fault(self, outcome: EncodedOutcome, path: SolverTerm) -> SymbolicValue:
        symbols = self.encoder.symbols
        self.fault = symbols.first_fault(self.fault, symbols.fault_only_if(path, outcome.fault))
        return outcome.value

    def _assign_variable(self, variable: ex.Variable, value: SymbolicValue, path: SolverTerm) -> None:
        before = self.name_symbols.get(variable.index)
        whole = self.encoder.symbols.choose_symbol(path, value, before) if before is not None else value
        self.name_symbols[variable.index] = whole
        self.set_variables[variable.index] = variable
        if self.encoder.builder.is_true(path):
            self.surely_set.add(variable.index)

    def _encode_target(self, place: st.Place, path: SolverTerm) -> SolverTerm | None:
        if not isinstance(place, st.AttributePlace):
            return None
        thing = self._meet_fault(self.encoder.encode_outcome(place.target, self.name_symbols), path)
        return self.encoder.symbols.number_term(self.encoder.drop_optional(thing, ty.ThingType(place.kind)))

    def _read_place(self, place: st.Place, target: SolverTerm | None) -> SymbolicValue:
        match place:
            case st.VariablePlace(variable) if variable.index in self.name_symbols:
                return self.name_symbols[variable.index]
            case st.AttributePlace(kind=kind, name=name, type=type_):
                return self.encoder.current_value("attribute", f"{kind}/{name}", type_, target)
            case st.GamePlace(name=name, type=type_):
                return self.encoder.current_value("field", name, type_, None)
            case _:
                raise NoFormulaError("a name is changed that is not known here")

    def _write_place(self, place: st.Place, target: SolverTerm | None, value: SymbolicValue, path: SolverTerm) -> None:
        match place:
            case st.VariablePlace(variable):
                self._assign_variable(variable, value, path)
                return
            case st.AttributePlace(kind=kind, name=name):
                sort, whole = "attribute", f"{kind}/{name}"
            case st.GamePlace(name=name):
                sort, whole = "field", name
            case _:
                raise NoFormulaError("an entry or part is changed")
        if isinstance(place.type, ty.MapType):
            raise NoFormulaError("a map is changed")
        chosen = self.encoder.symbols.choose_symbol(path, value, self._read_place(place, target))
        self.encoder.changed_values.setdefault(self.encoder.name(sort, whole), []).append((target, chosen))
        self.changed_places.append((sort, whole, place.type, target))

    def _execute_assign(
        self, place: st.Place, target: SolverTerm | None, value: ex.Expression, path: SolverTerm
    ) -> None:
        """Assignment; a number out of bounds is a fault, as where an amount is added."""
        result = self._meet_fault(self.encoder.encode_outcome(value, self.name_symbols), path)
        if isinstance(place.type, ty.NumberType):
            out = self._range_violations(self.encoder.symbols.number_term(result), *_place_bounds(place))
            self._meet_no_room(self.encoder.builder.any_of(*out), path)
        self._write_place(place, target, result, path)

    def _range_violations(self, wanted: SolverTerm, low: int | None, high: int | None) -> tuple[SolverTerm, SolverTerm]:
        logic = self.encoder.builder
        return (
            logic.false_term if low is None else logic.comparison_of("<", wanted, logic.int_term(low)),
            logic.false_term if high is None else logic.comparison_of(">", wanted, logic.int_term(high)),
        )

    def _meet_no_room(self, out: SolverTerm, path: SolverTerm) -> None:
        symbols = self.encoder.symbols
        self.fault = symbols.first_fault(
            self.fault, symbols.fault_only_if(path, symbols.fault_of_code(out, faults.NO_ROOM_FOR_AMOUNT))
        )

    def _execute_amount(self, line: st.AddAmount, path: SolverTerm) -> None:
        logic, symbols = self.encoder.builder, self.encoder.symbols
        target = self._encode_target(line.place, path)
        amount = self._meet_fault(self.encoder.encode_outcome(line.amount, self.name_symbols), path)
        first, second = logic.unify_sorts(
            symbols.number_term(self._read_place(line.place, target)), symbols.number_term(amount)
        )
        wanted = first - second if line.take else first + second
        bounds = (line.low, line.high) if isinstance(line.place, st.VariablePlace) else _place_bounds(line.place)
        low, high = self._range_violations(wanted, *bounds)
        if line.up_to:
            least = wanted if bounds[0] is None else logic.if_then_else(low, logic.int_term(bounds[0]), wanted)
            most = least if bounds[1] is None else logic.if_then_else(high, logic.int_term(bounds[1]), least)
            self._write_place(line.place, target, ScalarSymbol(most), path)
            return
        out = logic.any_of(low, high)
        if line.otherwise is None:
            self._meet_no_room(out, path)
        self._write_place(line.place, target, ScalarSymbol(wanted), logic.all_of(path, logic.negation_of(out)))
        if line.otherwise is not None:
            self.execute_lines(line.otherwise, logic.all_of(path, out))

    def _execute_branches(self, line: st.If, path: SolverTerm) -> None:
        logic = self.encoder.builder
        going = path
        for branch in line.branches:
            test = self.encoder.symbols.truth_term(
                self._meet_fault(self.encoder.encode_outcome(branch.condition, self.name_symbols), going)
            )
            self.execute_lines(branch.block, logic.all_of(going, test))
            going = logic.all_of(going, logic.negation_of(test))
        self.execute_lines(line.otherwise or (), going)


def _place_bounds(place: st.Place) -> tuple[int | None, int | None]:
    return (place.type.low, place.type.high) if isinstance(place.type, ty.NumberType) else (None, None)


def prove_lines_equal(
    old: ProofRevision,
    new: ProofRevision,
    pair: tuple[Sequence[st.Statement], Sequence[st.Statement]],
    names: Mapping[int, ex.Variable],
    limit: int = SOLVER_STEP_LIMIT,
) -> tuple[EquivalenceResult, dict[int, ex.Variable]]:
    """Whether two sequences of straight lines leave the same state, and which variables are equal then.

    Nothing that is tried after every change may read what they change, for it would see the state in between.
    """
    result: dict[int, ex.Variable] = {}

    def query_lines() -> EquivalenceResult:
        _check_unobserved(old.program, pair[0])
        _check_unobserved(new.program, pair[1])
        asking = EquivalenceQuery(old, new, limit)
        states = []
        stand = {name.index for name in names.values()}
        for number, (side, lines) in enumerate(zip(asking.encoders, pair, strict=True)):
            free = find_shared_names(number, tuple(lines), names)
            shared = {index: variable for index, variable in free.items() if variable.index in stand}
            state = SymbolicState(side, asking.bind_names(number, shared))
            state.execute_lines(lines, asking.builder.true_term)
            states.append(state)
        result.update(_names_set_by_both(states[0], states[1], names))
        return asking.decide_equivalence(_states_equal_term(asking, states[0], states[1], {**names, **result}))

    return answer_query(query_lines), result


def _check_unobserved(program: Program, lines: Sequence[st.Statement]) -> None:
    written = {place for block_line in walk_block_lines(tuple(lines)) for place in list_written_places(block_line)}
    footprint = ReadFootprint(program)
    looking: list[tuple[str, object]] = [
        (name, (standing_rule.binding, standing_rule.condition)) for name, standing_rule in program.rules.items()
    ]
    looking += [
        (name, (invariant.binding, invariant.guard, invariant.condition))
        for name, invariant in program.invariants.items()
    ]
    for name, observer in looking:
        if footprint.collect_read_places(observer) & written:
            raise NoFormulaError(f"`{name}` may see what they change")
    if written and any(external_term.default is None for external_term in program.external_terms.values()):
        raise NoFormulaError("values from elsewhere are asked for again after a change")


def _names_set_by_both(
    old: SymbolicState, new: SymbolicState, names: Mapping[int, ex.Variable]
) -> dict[int, ex.Variable]:
    paired_indices = {name.index for name in names.values()}
    both = [index for index in old.set_variables if index in old.surely_set and index in new.surely_set]
    return {index: new.set_variables[index] for index in both if index not in names and index not in paired_indices}


def _states_equal_term(
    asking: EquivalenceQuery, old: SymbolicState, new: SymbolicState, names: Mapping[int, ex.Variable]
) -> SolverTerm:
    symbols, logic = asking.encoders[0].symbols, asking.builder
    none = logic.equality_of(symbols.fault_number(old.fault), logic.int_term(0))
    same = logic.equality_of(symbols.fault_number(old.fault), symbols.fault_number(new.fault))
    if asking.encoders[0].external_requests or asking.encoders[1].external_requests:
        raise NoFormulaError("a value from elsewhere may be asked for")
    values = logic.all_of(*_equal_value_terms(asking, old, new, names))
    return logic.all_of(same, logic.any_of(logic.negation_of(none), values))


def _equal_value_terms(
    asking: EquivalenceQuery, old: SymbolicState, new: SymbolicState, names: Mapping[int, ex.Variable]
) -> Iterator[SolverTerm]:
    symbols = asking.encoders[0].symbols
    for here, variable in names.items():
        there = variable.index
        if here in old.set_variables or there in new.set_variables:
            if here not in old.name_symbols or there not in new.name_symbols:
                raise NoFormulaError("a name is set in one of them only")
            yield symbols.equality_term(old.name_symbols[here], new.name_symbols[there])
    for one, other in ((old, new), (new, old)):
        for sort, name, type_, target in one.changed_places:
            common = one.encoder.name(sort, name)
            initial = one.encoder.initial_value(sort, name, type_, target)
            yield symbols.equality_term(
                *(symbolic_state.encoder.apply_changes(common, initial, target) for symbolic_state in (one, other))
            )
