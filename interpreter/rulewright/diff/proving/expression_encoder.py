"""Formulas of expressions of one revision: their value, or the fault they meet."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from rulewright.diff.proving.shared_symbols import RevisionEncoder, d66_term, list_value_numbers, type_signature
from rulewright.diff.proving.solver_terms import (
    BitSetSymbol,
    EncodedOutcome,
    FlagSymbol,
    GroupSymbol,
    NoFormulaError,
    OptionalSymbol,
    PartsSymbol,
    ScalarSymbol,
    SolverTerm,
    SymbolicValue,
    as_optional,
)
from rulewright.program import expressions as ex, types as ty
from rulewright.program.declarations import Relation
from rulewright.program.expressions import Expression
from rulewright.program.types import GRID_STEPS
from rulewright.program.walk import get_subexpressions
from rulewright.runtime import faults

NameSymbols = Mapping[int, SymbolicValue]
"""Symbolic values of variables by number."""
MemberExpression = ex.Comprehension | ex.Quantifier | ex.TheOnly | ex.Aggregate
_MAX_NODES = 20_000


@dataclass
class ExpressionEncoder(RevisionEncoder, ABC):
    """Encoder of expressions; subclasses encode functions and expressions over members."""

    _node_count: int = 0

    @abstractmethod
    def encode_call(self, function: str, given: Sequence[EncodedOutcome], type_: ty.Type) -> EncodedOutcome:
        """Outcome of a function of the rules."""

    @abstractmethod
    def encode_member_walk(self, node: MemberExpression, names: NameSymbols) -> EncodedOutcome:
        """Outcome of an expression over members."""

    @abstractmethod
    def encode_group_function(self, node: ex.Builtin, given: EncodedOutcome) -> EncodedOutcome:
        """`count`, `sum`, `min` or `max` of a collection."""

    def encode_outcome(self, node: Expression, names: NameSymbols) -> EncodedOutcome:
        """Outcome of an expression.

        Raises:
            NoFormulaError: it has no formula.
        """
        self._node_count += 1
        if self._node_count > _MAX_NODES:
            raise NoFormulaError("the formulas would be too long")
        encoded_outcome = self._encode_node(node, names)
        return EncodedOutcome(self.drop_optional(encoded_outcome.value, node.type), encoded_outcome.fault)

    def drop_optional(self, symbol: SymbolicValue, type_: ty.Type) -> SymbolicValue:
        """Value of a type; where the type has no `?`, it is not `none`."""
        if isinstance(symbol, OptionalSymbol) and not isinstance(type_, ty.OptionalType | ty.NoneType):
            if symbol.value is None:
                raise NoFormulaError("`none` stands where it cannot")
            return symbol.value
        return symbol

    def _encode_node(self, node: Expression, names: NameSymbols) -> EncodedOutcome:
        match node:
            case ex.Literal(value=value):
                return EncodedOutcome(self._encode_literal(value))
            case ex.WordLiteral(position=position):
                return EncodedOutcome(ScalarSymbol(self.builder.int_term(position)))
            case ex.Local(variable=variable):
                return EncodedOutcome(self._look_up_name(variable, names))
            case ex.Itself():
                return EncodedOutcome(names[0])
            case ex.GameField(name=name):
                return EncodedOutcome(self.current_value("field", name, node.type, None))
            case ex.SettingValue(name=name):
                type_ = self.revision.program.settings[name].type
                return EncodedOutcome(
                    self.shared.read_symbol(self.revision, ("setting", self.name("setting", name)), type_)
                )
            case ex.StoredAttribute(target=target, kind=kind, name=name):
                thing = self.encode_outcome(target, names)
                given = self.symbols.number_term(thing.value)
                return EncodedOutcome(self.current_value("attribute", f"{kind}/{name}", node.type, given), thing.fault)
            case ex.Gone(target=target):
                thing = self.encode_outcome(target, names)
                return EncodedOutcome(FlagSymbol(self.gone_term(target.type, thing.value)), thing.fault)
            case ex.InPlay(kind=kind):
                return EncodedOutcome(self._encode_in_play(kind, node.type))
            case ex.CallFunction(function=function, arguments=arguments):
                return self.encode_call(
                    function, [self.encode_outcome(argument, names) for argument in arguments], node.type
                )
            case ex.DerivedAttribute(target=target, function=function):
                return self.encode_call(function, [self.encode_outcome(target, names)], node.type)
            case ex.Comprehension() | ex.Quantifier() | ex.TheOnly() | ex.Aggregate():
                return self.encode_member_walk(node, names)
            case ex.MakeRecord(parts=parts) | ex.MakeTuple(parts=parts):
                result = [self.encode_outcome(item, names) for item in parts]
                return EncodedOutcome(
                    PartsSymbol(tuple(encoded_outcome.value for encoded_outcome in result)),
                    self.first_outcome_fault(result),
                )
            case ex.Part(target=target, position=position):
                whole = self.encode_outcome(target, names)
                if not isinstance(whole.value, PartsSymbol):
                    raise NoFormulaError("a part of something that is not taken apart")
                return EncodedOutcome(whole.value.parts[position], whole.fault)
            case ex.Conditional():
                return self._encode_conditional(node, names)
            case ex.Logical():
                return self._encode_logical(node, names)
            case ex.Not(operand=operand):
                outcome = self.encode_outcome(operand, names)
                return EncodedOutcome(
                    FlagSymbol(self.builder.negation_of(self.symbols.truth_term(outcome.value))), outcome.fault
                )
            case ex.Comparison():
                return self._encode_comparison(node, names)
            case ex.Membership():
                return self._encode_membership(node, names)
            case ex.Arithmetic():
                return self._encode_arithmetic(node, names)
            case ex.Negation(operand=operand):
                number = self.encode_outcome(operand, names)
                return EncodedOutcome(ScalarSymbol(-self.symbols.number_term(number.value)), number.fault)
            case ex.Narrowed():
                return self._encode_narrowing(node, names)
            case ex.RelationHolds():
                return self._encode_relation(node, names)
            case ex.ExternalValue():
                return self._encode_external(node, names)
            case ex.MakeCollection():
                return self._encode_collection(node, names)
            case ex.Interval():
                return self._encode_interval(node, names)
            case ex.Builtin():
                return self._encode_builtin(node, names)
            case ex.Joined():
                return self._encode_set_operation(node, names)
            case _:
                return self.encode_opaque(
                    node, [self.encode_outcome(subexpression, names) for subexpression in get_subexpressions(node)]
                )

    def _encode_literal(self, value: object) -> SymbolicValue:
        match value:
            case None:
                return OptionalSymbol(self.builder.true_term, None)
            case bool():
                return FlagSymbol(self.builder.true_term if value else self.builder.false_term)
            case int():
                return ScalarSymbol(self.builder.int_term(value))
            case Fraction():
                return ScalarSymbol(self.builder.real_term(value))
            case _:
                return ScalarSymbol(self.builder.int_term(self.shared.number_text(str(value))))

    def _look_up_name(self, variable: ex.Variable, names: NameSymbols) -> SymbolicValue:
        if variable.index not in names:
            raise NoFormulaError(f"`{variable.name}` is not known here")
        return names[variable.index]

    def _encode_in_play(self, kind: str, type_: ty.Type) -> GroupSymbol:
        sealed = self.shared.opaque_symbol(f"in play {self.name('kind', kind)}", self.revision, type_)
        assert isinstance(sealed, GroupSymbol)
        thing = ty.ThingType(kind)

        def is_member_in_play(member: SymbolicValue) -> SolverTerm:
            whole = as_optional(member, self.builder)
            assert whole.value is not None
            return self.builder.all_of(
                self.builder.negation_of(whole.is_missing), self.builder.negation_of(self.gone_term(thing, whole.value))
            )

        return GroupSymbol(sealed.term, contains=is_member_in_play)

    def _encode_conditional(self, node: ex.Conditional, names: NameSymbols) -> EncodedOutcome:
        test = self.encode_outcome(node.condition, names)
        condition = self.symbols.truth_term(test.value)
        with self.with_path_condition(condition):
            then = self.encode_outcome(node.then, names)
        with self.with_path_condition(self.builder.negation_of(condition)):
            otherwise = self.encode_outcome(node.otherwise, names)
        return self.choose_outcome(test, then, otherwise)

    def choose_outcome(self, test: EncodedOutcome, then: EncodedOutcome, otherwise: EncodedOutcome) -> EncodedOutcome:
        condition, symbols = self.symbols.truth_term(test.value), self.symbols
        fault = None
        if then.fault is not None or otherwise.fault is not None:
            met = self.builder.if_then_else(
                condition, symbols.fault_number(then.fault), symbols.fault_number(otherwise.fault)
            )
            fault = None if met.eq(self.builder.int_term(0)) else met
        return EncodedOutcome(
            symbols.choose_symbol(condition, then.value, otherwise.value), symbols.first_fault(test.fault, fault)
        )

    def _encode_logical(self, node: ex.Logical, names: NameSymbols) -> EncodedOutcome:
        left = self.encode_outcome(node.left, names)
        first = self.symbols.truth_term(left.value)
        going = first if node.operator == "and" else self.builder.negation_of(first)
        with self.with_path_condition(going):
            right = self.encode_outcome(node.right, names)
        joined = self.builder.all_of if node.operator == "and" else self.builder.any_of
        fault = self.symbols.first_fault(left.fault, self.symbols.fault_only_if(going, right.fault))
        return EncodedOutcome(FlagSymbol(joined(first, self.symbols.truth_term(right.value))), fault)

    def _encode_comparison(self, node: ex.Comparison, names: NameSymbols) -> EncodedOutcome:
        result = [self.encode_outcome(item, names) for item in (node.left, node.right)]
        left, right = (encoded_outcome.value for encoded_outcome in result)
        match node.operator:
            case "=":
                truth = self.symbols.equality_term(left, right)
            case "!=":
                truth = self.builder.negation_of(self.symbols.equality_term(left, right))
            case operator:
                truth = self.builder.comparison_of(
                    operator, self.symbols.number_term(left), self.symbols.number_term(right)
                )
        return EncodedOutcome(FlagSymbol(truth), self.first_outcome_fault(result))

    def _encode_membership(self, node: ex.Membership, names: NameSymbols) -> EncodedOutcome:
        item, collection = self.encode_outcome(node.item, names), self.encode_outcome(node.collection, names)
        truth = self.membership_term(item.value, collection.value)
        return EncodedOutcome(
            FlagSymbol(self.builder.negation_of(truth) if node.negated else truth),
            self.first_outcome_fault([item, collection]),
        )

    def membership_term(self, item: SymbolicValue, collection: SymbolicValue) -> SolverTerm:
        match collection:
            case BitSetSymbol(low, bits):
                value = as_optional(item, self.builder)
                number = self.symbols.number_term(item)
                at = [
                    self.builder.all_of(bit, self.builder.equality_of(number, self.builder.int_term(low + n)))
                    for n, bit in enumerate(bits)
                ]
                return self.builder.all_of(self.builder.negation_of(value.is_missing), self.builder.any_of(*at))
            case GroupSymbol(items=items) if items is not None:
                return self.builder.any_of(
                    *(self.builder.all_of(there, self.symbols.equality_term(item, each)) for there, each in items)
                )
            case GroupSymbol(contains=holds) if holds is not None:
                return holds(item)
            case GroupSymbol(term):
                return self.builder.symbol_term(
                    "contains", self.builder.bool_sort, (term, *self.symbols.list_terms(item))
                )
            case _:
                raise NoFormulaError("something is looked for in what is not a collection")

    def _encode_arithmetic(self, node: ex.Arithmetic, names: NameSymbols) -> EncodedOutcome:
        result = [self.encode_outcome(item, names) for item in (node.left, node.right)]
        left, right = self.builder.unify_sorts(
            *(self.symbols.number_term(encoded_outcome.value) for encoded_outcome in result)
        )
        match node.operator:
            case "+":
                return EncodedOutcome(ScalarSymbol(left + right), self.first_outcome_fault(result))
            case "-":
                return EncodedOutcome(ScalarSymbol(left - right), self.first_outcome_fault(result))
            case "*":
                return EncodedOutcome(ScalarSymbol(left * right), self.first_outcome_fault(result))
            case _:
                return self._encode_quotient(left, right, self.first_outcome_fault(result))

    def _encode_quotient(self, left: SolverTerm, right: SolverTerm, fault: SolverTerm | None) -> EncodedOutcome:
        by_zero = self.symbols.fault_of_code(
            self.builder.equality_of(right, self.builder.int_term(0)), faults.DIVISION_BY_ZERO
        )
        quotient = self.builder.as_real(left) / self.builder.as_real(right)
        return EncodedOutcome(ScalarSymbol(quotient), self.symbols.first_fault(fault, by_zero))

    def _encode_narrowing(self, node: ex.Narrowed, names: NameSymbols) -> EncodedOutcome:
        result = self.encode_outcome(node.operand, names)
        logic = self.builder
        value = as_optional(result.value, logic)
        if isinstance(node.type, ty.OptionalType) or value.value is None:
            missing, fits = logic.false_term, self._fit_term(result.value, node.type)
        else:
            missing, fits = value.is_missing, self._fit_term(value.value, node.type)
        none = self.symbols.fault_of_code(missing, faults.NONE_THERE)
        outside = self.symbols.fault_of_code(logic.negation_of(fits), faults.OUT_OF_BOUNDS)
        return EncodedOutcome(result.value, self.symbols.first_fault(result.fault, none, outside))

    def _fit_term(self, symbol: SymbolicValue, type_: ty.Type) -> SolverTerm:
        logic = self.builder
        match type_, symbol:
            case ty.OptionalType(inner), OptionalSymbol(missing, value):
                return logic.true_term if value is None else logic.any_of(missing, self._fit_term(value, inner))
            case ty.OptionalType(inner), _:
                return self._fit_term(symbol, inner)
            case ty.NumberType(low, high), _:
                number = self.symbols.number_term(symbol)
                above = logic.true_term if low is None else logic.comparison_of(">=", number, logic.int_term(low))
                below = logic.true_term if high is None else logic.comparison_of("<=", number, logic.int_term(high))
                pairs = d66_term(number, logic) if type_.paired else logic.true_term
                return logic.all_of(above, below, pairs)
            case (ty.SetType(item), BitSetSymbol(low, bits)):
                ends = [self._fit_term(ScalarSymbol(logic.int_term(low + at)), item) for at in range(len(bits))]
                return logic.all_of(
                    *(logic.any_of(logic.negation_of(bit), end) for bit, end in zip(bits, ends, strict=True))
                )
            case ty.TupleType(types), PartsSymbol(values):
                return logic.all_of(*map(self._fit_term, values, types))
            case ((ty.SetType() | ty.ListType() | ty.BagType() | ty.DeckType() | ty.MapType()), _):
                raise NoFormulaError("a collection must fit narrower bounds")
            case _:
                return logic.true_term

    def _encode_relation(self, node: ex.RelationHolds, names: NameSymbols) -> EncodedOutcome:
        result = [self.encode_outcome(item, names) for item in (node.first, node.second)]
        first, second = (self.symbols.number_term(encoded_outcome.value) for encoded_outcome in result)
        relation = self.revision.program.relations[node.relation]
        removed = [
            self.gone_term(item.type, it.value) for item, it in zip((node.first, node.second), result, strict=True)
        ]
        if relation.symmetric:
            turned = self.builder.comparison_of("<=", first, second)
            first, second = (
                self.builder.if_then_else(turned, first, second),
                self.builder.if_then_else(turned, second, first),
            )
        linked = self.symbols.truth_term(
            self.shared.read_symbol(self.revision, self._relation_key(relation), ty.FLAG, (first, second))
        )
        return EncodedOutcome(
            FlagSymbol(self.builder.all_of(linked, *map(self.builder.negation_of, removed))),
            self.first_outcome_fault(result),
        )

    def _relation_key(self, relation: Relation) -> tuple[str, str]:
        """Sort and common name of a relation, and whether it is symmetric in both revisions."""
        kinds = " ".join(type_signature(parameter.type, self.revision) for parameter in relation.parameters)
        return "relation", f"{self.name('relation', relation.name)} {kinds}{' symmetric' * relation.symmetric}"

    def _encode_external(self, node: ex.ExternalValue, names: NameSymbols) -> EncodedOutcome:
        """Value from a table, else the default, else from whoever is asked."""
        result = [self.encode_outcome(argument, names) for argument in node.arguments]
        given = tuple(leaf for encoded_outcome in result for leaf in self.symbols.list_terms(encoded_outcome.value))
        key = f"external {self.name('external', node.external)}"
        value = self.shared.opaque_symbol(key, self.revision, node.type, given)
        declared = self.revision.program.external_terms[node.external]
        if declared.default is None:
            self.request_external(key, given)
            return EncodedOutcome(value, self.first_outcome_fault(result))
        scripted = self.builder.symbol_term(f"{key} scripted", self.builder.bool_sort, given)
        default = self.encode_outcome(
            declared.default,
            {parameter.index: one.value for parameter, one in zip(declared.parameters, result, strict=True)},
        )
        outcome = self.choose_outcome(
            EncodedOutcome(FlagSymbol(scripted), self.first_outcome_fault(result)), EncodedOutcome(value), default
        )
        return EncodedOutcome(outcome.value, outcome.fault)

    def _encode_collection(self, node: ex.MakeCollection, names: NameSymbols) -> EncodedOutcome:
        result = [self.encode_outcome(item, names) for item in node.items]
        if isinstance(node.type, ty.SetType) and result:
            span = list_value_numbers(node.type.item, self.revision.program)
            if span is not None:
                numbers = [self.symbols.number_term(encoded_outcome.value) for encoded_outcome in result]
                bits = [
                    self.builder.any_of(
                        *(self.builder.equality_of(number, self.builder.int_term(at)) for number in numbers)
                    )
                    for at in span
                ]
                return EncodedOutcome(BitSetSymbol(span.start, tuple(bits)), self.first_outcome_fault(result))
        outcome = self.encode_opaque(node, result)
        if isinstance(outcome.value, GroupSymbol) and not isinstance(node.type, ty.MapType):
            return EncodedOutcome(
                self._list_group_items(outcome.value, node, [encoded_outcome.value for encoded_outcome in result]),
                outcome.fault,
            )
        return outcome

    def _list_group_items(
        self, group: GroupSymbol, node: ex.MakeCollection, values: Sequence[SymbolicValue]
    ) -> GroupSymbol:
        logic, items = self.builder, []
        for at, item in enumerate(values):
            again = (
                [self.symbols.equality_term(item, one) for one in values[:at]]
                if isinstance(node.type, ty.SetType)
                else []
            )
            items.append((logic.negation_of(logic.any_of(*again)), item))
        size = logic.sum_terms([logic.int_of_truth(there) for there, _ in items])
        return GroupSymbol(group.term, tuple(items), size=size)

    def _encode_interval(self, node: ex.Interval, names: NameSymbols) -> EncodedOutcome:
        result = [self.encode_outcome(each, names) for each in (node.low, node.high)]
        outcome = self.encode_opaque(node, result)
        low, high = (self.symbols.number_term(encoded_outcome.value) for encoded_outcome in result)
        logic = self.builder
        if not isinstance(outcome.value, GroupSymbol):
            return outcome
        size = logic.if_then_else(logic.comparison_of("<", high, low), logic.int_term(0), high - low + 1)

        def is_in_interval(item: SymbolicValue) -> SolverTerm:
            number = self.symbols.number_term(item)
            inside = logic.all_of(logic.comparison_of("<=", low, number), logic.comparison_of("<=", number, high))
            return logic.all_of(logic.negation_of(as_optional(item, logic).is_missing), inside)

        return EncodedOutcome(
            GroupSymbol(outcome.value.term, self._list_interval(node), is_in_interval, size), outcome.fault
        )

    def _list_interval(self, node: ex.Interval) -> tuple[tuple[SolverTerm, SymbolicValue], ...] | None:
        match node.low, node.high:
            case ex.Literal(value=int() as low), ex.Literal(value=int() as high) if high - low < 64:  # noqa: PLR2004
                return tuple(
                    (self.builder.true_term, ScalarSymbol(self.builder.int_term(item))) for item in range(low, high + 1)
                )
            case _:
                return None

    def _encode_set_operation(self, node: ex.Joined, names: NameSymbols) -> EncodedOutcome:
        result = [self.encode_outcome(item, names) for item in (node.left, node.right)]
        left, right = (encoded_outcome.value for encoded_outcome in result)
        if isinstance(left, BitSetSymbol) and isinstance(right, BitSetSymbol):
            span = range(min(left.low, right.low), max(left.low + len(left.bits), right.low + len(right.bits)))
            pairs = [(self.symbols.bit_term(left, at), self.symbols.bit_term(right, at)) for at in span]
            joins = node.operator == "+"
            bits = [
                self.builder.any_of(a, b) if joins else self.builder.all_of(a, self.builder.negation_of(b))
                for a, b in pairs
            ]
            return EncodedOutcome(BitSetSymbol(span.start, tuple(bits)), self.first_outcome_fault(result))
        outcome = self.encode_opaque(node, result)
        if isinstance(outcome.value, GroupSymbol) and isinstance(node.type, ty.SetType):
            return EncodedOutcome(
                GroupSymbol(outcome.value.term, contains=self._combine_memberships(node.operator, left, right)),
                outcome.fault,
            )
        return outcome

    def _combine_memberships(
        self, operator: str, left: SymbolicValue, right: SymbolicValue
    ) -> Callable[[SymbolicValue], SolverTerm]:
        def is_combined_member(item: SymbolicValue) -> SolverTerm:
            first, second = self.membership_term(item, left), self.membership_term(item, right)
            return (
                self.builder.any_of(first, second)
                if operator == "+"
                else self.builder.all_of(first, self.builder.negation_of(second))
            )

        return is_combined_member

    def _encode_builtin(self, node: ex.Builtin, names: NameSymbols) -> EncodedOutcome:
        result = [self.encode_outcome(argument, names) for argument in node.arguments]
        if node.name in {"count", "sum", "min", "max"} and len(result) == 1:
            return self.encode_group_function(node, result[0])
        computed = self._compute_builtin(node, [encoded_outcome.value for encoded_outcome in result])
        if computed is not None:
            return EncodedOutcome(computed, self.first_outcome_fault(result))
        sealed = self.encode_opaque(node, result)
        if node.name == "total" and isinstance(result[0].value, GroupSymbol):
            self._bound_dice_total(node.arguments[0].type, self.shared.size_term(result[0].value), sealed.value)
        return sealed

    def _bound_dice_total(self, type_: ty.Type, size: SolverTerm, total: SymbolicValue) -> None:
        """Total of dice: between their number times the lowest face and times the highest one."""
        face = type_.face if isinstance(type_, ty.PoolType) else None
        number = self.symbols.number_term(total)
        if isinstance(face, ty.NumberType):
            for operator, end in ((">=", face.low), ("<=", face.high)):
                if end is not None:
                    self.shared.facts.append(self.builder.comparison_of(operator, number, size * end))

    def _compute_builtin(self, node: ex.Builtin, given: Sequence[SymbolicValue]) -> SymbolicValue | None:
        logic = self.builder
        if not all(isinstance(item, ScalarSymbol | PartsSymbol) for item in given) or isinstance(
            node.type, ty.LengthType
        ):
            return None
        match node.name, given:
            case "abs", [ScalarSymbol(n)]:
                return ScalarSymbol(logic.if_then_else(logic.comparison_of("<", n, logic.int_term(0)), -n, n))
            case "floor", [ScalarSymbol(n)]:
                return ScalarSymbol(logic.below(n))
            case "ceiling", [ScalarSymbol(n)]:
                return ScalarSymbol(-logic.below(-n))
            case "round", [ScalarSymbol(n)]:
                return ScalarSymbol(self._round_term(n))
            case "min" | "max", [_, _, *_]:
                return ScalarSymbol(self._extreme_term(node.name, [self.symbols.number_term(item) for item in given]))
            case "along", [ScalarSymbol(word), ScalarSymbol(steps)] if isinstance(node.type, ty.WordType):
                last = logic.int_term(len(self.revision.program.values[node.type.values].words) - 1)
                return ScalarSymbol(
                    self._extreme_term("max", [logic.int_term(0), self._extreme_term("min", [last, word + steps])])
                )
            case "hex" | "square" | "square8", [_, _]:
                return PartsSymbol(tuple(given))
            case "adjacent", [PartsSymbol() as a, PartsSymbol() as b]:
                return FlagSymbol(self._adjacency_term(node, a, b))
            case _:
                return None

    def _round_term(self, number: SolverTerm) -> SolverTerm:
        """Nearest integer, halves away from zero."""
        logic = self.builder
        if number.sort() == logic.int_sort:
            return number
        half = logic.real_term(Fraction(1, 2))
        return logic.if_then_else(
            logic.comparison_of(">=", number, logic.int_term(0)),
            logic.below(number + half),
            -logic.below(-number + half),
        )

    def _extreme_term(self, word: str, numbers: Sequence[SolverTerm]) -> SolverTerm:
        result = numbers[0]
        for number in numbers[1:]:
            further = self.builder.comparison_of("<" if word == "min" else ">", number, result)
            result = self.builder.if_then_else(further, number, result)
        return result

    def _adjacency_term(self, node: ex.Builtin, a: PartsSymbol, b: PartsSymbol) -> SolverTerm:
        space = node.arguments[0].type
        assert isinstance(space, ty.CellType)
        away = [self.symbols.number_term(b.parts[at]) - self.symbols.number_term(a.parts[at]) for at in (0, 1)]
        steps = [
            self.builder.all_of(
                *(self.builder.equality_of(n, self.builder.int_term(at)) for n, at in zip(away, step, strict=True))
            )
            for step in GRID_STEPS[space.space]
        ]
        return self.builder.any_of(*steps)
