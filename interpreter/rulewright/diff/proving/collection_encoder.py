"""Formulas of quantifiers, aggregates and comprehensions.

Listed members are encoded one by one. Otherwise two such expressions are equal if both range over the same members, and
no generic member has different results in the two.
"""

from abc import ABC
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product

from rulewright.diff.proving.expression_encoder import ExpressionEncoder, MemberExpression, NameSymbols
from rulewright.diff.proving.shared_symbols import SharedSymbols, unbounded_signature
from rulewright.diff.proving.solver_terms import (
    BitSetSymbol,
    EncodedOutcome,
    FlagSymbol,
    GroupSymbol,
    NoFormulaError,
    PartsSymbol,
    ScalarSymbol,
    SolverAnswer,
    SolverTerm,
    SymbolAlgebra,
    SymbolicValue,
    same_terms,
)
from rulewright.program import expressions as ex, types as ty
from rulewright.program.expressions import Binding, Expression
from rulewright.runtime import faults

_MAX_SOLVER_QUERIES = 40
_MAX_CELL_CONDITIONS = 4
"""Conditions on the members of one collection that form cells; 2 to the power of this many cells."""


@dataclass(frozen=True)
class GenericMember:
    """Arbitrary member: the condition under which it is taken, and the value it contributes."""

    condition: EncodedOutcome
    value: EncodedOutcome | None


@dataclass
class MemberWalk:
    """Expression over members, with the terms of its source and of a generic member."""

    mark: str
    signature: str  # sorts of the collections and members
    source: tuple[SolverTerm, ...]
    inside: SolverTerm  # whether the generic member is in the collection
    member: GenericMember
    number: int


@dataclass(frozen=True)
class CountedMembers:
    """Number of members of a collection for which a condition holds."""

    signature: str  # what tells the sorts of collections and members
    group: GroupSymbol
    inside: SolverTerm
    condition: SolverTerm  # of the generic member
    count: SolverTerm


@dataclass
class EquivalenceClasses:
    """Equivalence classes of expressions over members."""

    shared: SharedSymbols
    step_limit: int  # solver steps per query
    max_queries: int = _MAX_SOLVER_QUERIES
    # models in which a member has different results; no evidence, but worth playing
    counterexamples: list[SolverAnswer] = field(default_factory=list)
    _walks: list[MemberWalk] = field(default_factory=list)
    _counted_members: list[CountedMembers] = field(default_factory=list)
    _query_count: int = 0

    def __post_init__(self) -> None:
        self.builder, self.facts = self.shared.builder, self.shared.facts

    def find_class_number(self, new_walk: MemberWalk, symbols: SymbolAlgebra) -> int:
        """Number of the first expression known to equal this one, else its own."""
        for walk in self._walks:
            if walk.signature == new_walk.signature and self._is_same_walk(walk, new_walk, symbols):
                return walk.number
        self._walks.append(new_walk)
        return new_walk.number

    @property
    def class_count(self) -> int:
        return len(self._walks)

    def note_counted_members(self, counted: CountedMembers) -> None:
        if not any(counted.count.eq(counted_member.count) for counted_member in self._counted_members):
            self._counted_members.append(counted)

    def derive_size_facts(self) -> list[SolverTerm]:
        """Facts about the numbers of members of one collection that meet conditions.

        Each member is in exactly one of the cells that the conditions cut (a Venn diagram). So each count is the sum of
        the cells inside its condition, and the size of the collection the sum of all. A cell is an integer from 0, and
        0 where the solver proves that no member, in any situation, can be in it.
        """
        rows: list[list[CountedMembers]] = []
        for counted_member in self._counted_members:
            same = (
                row
                for row in rows
                if row[0].signature == counted_member.signature and row[0].group.term.eq(counted_member.group.term)
            )
            row = next(same, None)
            if row is None:
                rows.append([counted_member])
            else:
                row.append(counted_member)
        return [
            fact
            for number, row in enumerate(rows)
            for fact in self._derive_cell_facts(row[:_MAX_CELL_CONDITIONS], number)
        ]

    def drop_impossible_fault(self, outcome: EncodedOutcome) -> EncodedOutcome:
        """Outcome without its fault where the solver proves that no situation meets it."""
        if outcome.fault is None or not self._is_impossible(
            self.builder.negation_of(self.builder.equality_of(outcome.fault, self.builder.int_term(0)))
        ):
            return outcome
        return EncodedOutcome(outcome.value)

    def _is_impossible(self, *truths: SolverTerm) -> bool:
        """Whether the solver proves the facts unsatisfiable, within the limit of queries."""
        if self._query_count >= self.max_queries:
            return False
        self._query_count += 1
        return self.builder.check_satisfiable([*self.facts, *truths], self.step_limit).status == "unsat"

    def _derive_cell_facts(self, row: Sequence[CountedMembers], number: int) -> list[SolverTerm]:
        logic, cells, facts = self.builder, [], []
        for met in product((True, False), repeat=len(row)):
            holds = [
                item.condition if yes else logic.negation_of(item.condition) for item, yes in zip(row, met, strict=True)
            ]
            inside = logic.any_of(*(item.inside for item in row))
            empty = len(row) > 1 and self._is_impossible(inside, *holds)
            cell = logic.int_term(0) if empty else self.shared.number_term(f"cell {number} {met}", least=0)
            cells.append((met, cell))
        for at, counted_members in enumerate(row):
            facts.append(
                logic.equality_of(counted_members.count, logic.sum_terms([cell for met, cell in cells if met[at]]))
            )
        size = self.shared.size_term(row[0].group)
        return [*facts, logic.equality_of(size, logic.sum_terms([cell for _, cell in cells]))]

    def _is_same_walk(self, one: MemberWalk, other: MemberWalk, symbols: SymbolAlgebra) -> bool:
        if same_terms(_list_walk_terms(one, symbols), _list_walk_terms(other, symbols)):
            return True
        if self._query_count >= self.max_queries or len(one.source) != len(other.source):
            return False
        self._query_count += 1
        same = self.builder.all_of(
            *(self.builder.equality_of(a, b) for a, b in zip(one.source, other.source, strict=True))
        )
        answer = self.builder.check_satisfiable(
            [
                *self.facts,
                self.builder.negation_of(self.builder.all_of(same, self._members_equal_term(one, other, symbols))),
            ],
            self.step_limit,
        )
        if answer.status == "sat" and one.mark != other.mark and same_terms(one.source, other.source):
            self.counterexamples.append(answer)
        return answer.status == "unsat"

    def _members_equal_term(self, one: MemberWalk, other: MemberWalk, symbols: SymbolAlgebra) -> SolverTerm:
        logic = self.builder
        tests = symbols.outcome_equality(one.member.condition, other.member.condition)
        selected = logic.all_of(
            symbols.truth_term(one.member.condition.value),
            logic.equality_of(symbols.fault_number(one.member.condition.fault), logic.int_term(0)),
        )
        first, second = one.member.value, other.member.value
        values = logic.true_term if first is None or second is None else symbols.outcome_equality(first, second)
        inside = logic.any_of(one.inside, other.inside)
        return logic.any_of(
            logic.negation_of(inside), logic.all_of(tests, logic.any_of(logic.negation_of(selected), values))
        )


def _list_walk_terms(walk: MemberWalk, symbols: SymbolAlgebra) -> tuple[SolverTerm, ...]:
    outcomes = [walk.member.condition, *([walk.member.value] if walk.member.value else [])]
    inside = [
        leaf
        for outcome in outcomes
        for leaf in (*symbols.list_terms(outcome.value), symbols.fault_number(outcome.fault))
    ]
    return (*walk.source, *inside)


_COUNTABLE_TYPES = (ty.SetType, ty.ListType, ty.BagType, ty.DeckType, ty.PoolType)
"""Collections whose walk visits each member as often as `count` counts it."""


@dataclass
class CollectionEncoder(ExpressionEncoder, ABC):
    """Encoder of expressions, those over members included."""

    classes: EquivalenceClasses = field(kw_only=True)
    _walk_depth: int = 0

    def encode_member_walk(self, node: MemberExpression, names: NameSymbols) -> EncodedOutcome:
        """Outcome of a quantifier, aggregate or comprehension."""
        binding, value = node.binding, getattr(node, "value", None) or getattr(node, "body", None)
        source = self._encode_source(binding, names)
        items = self.list_members(source.value)
        listable = isinstance(node, ex.Quantifier | ex.Aggregate) or isinstance(node.type, ty.SetType)
        if items is not None and listable and not isinstance(node, ex.TheOnly):
            result = self._encode_listed_walk(node, binding, value, items, names)
            if result is not None:
                return EncodedOutcome(result.value, self.symbols.first_fault(source.fault, result.fault))
        return self._encode_unlisted_walk(node, binding, value, source, names)

    def _encode_source(self, binding: Binding, names: NameSymbols) -> EncodedOutcome:
        source = binding.source
        if isinstance(source, ex.Builtin) and source.name == "poses":
            raise NoFormulaError("places are sought by trying")
        return self.encode_outcome(source, names)

    def list_members(self, source: SymbolicValue) -> Sequence[tuple[SolverTerm, SymbolicValue]] | None:
        """Members of a collection, each with the condition that it is there; None where they cannot be listed."""
        match source:
            case BitSetSymbol(low, bits):
                return [(bit, ScalarSymbol(self.builder.int_term(low + at))) for at, bit in enumerate(bits)]
            case GroupSymbol(items=items):
                return items
            case _:
                return None

    def bind_member(self, binding: Binding, item: SymbolicValue, names: NameSymbols) -> NameSymbols:
        parts = (item,) if len(binding.variables) == 1 else item.parts if isinstance(item, PartsSymbol) else ()
        if len(parts) != len(binding.variables):
            raise NoFormulaError("members are not taken apart")
        bound = {
            variable.index: self._as_typed_member(part, variable.type)
            for variable, part in zip(binding.variables, parts, strict=True)
            if variable is not None
        }
        return {**names, **bound}

    def _as_typed_member(self, item: SymbolicValue, type_: ty.Type) -> SymbolicValue:
        if isinstance(type_, ty.FlagType) and isinstance(item, ScalarSymbol):
            return FlagSymbol(self.builder.equality_of(item.term, self.builder.int_term(1)))
        return item

    # Members that are listed.

    def _encode_listed_walk(
        self,
        node: MemberExpression,
        binding: Binding,
        value: Expression | None,
        items: Sequence[tuple[SolverTerm, SymbolicValue]],
        names: NameSymbols,
    ) -> EncodedOutcome | None:
        members = []
        for there, item in items:
            with self.with_path_condition(there):
                members.append(self._encode_member(binding, value, item, there, names))
        if any(
            member.condition.fault is not None or (member.value and member.value.fault is not None)
            for member in members
        ):
            return None
        selected = [self.symbols.truth_term(member.condition.value) for member in members]
        values = [member.value.value for member in members if member.value is not None]
        match node:
            case ex.Quantifier(word="some" | "no" as word):
                some = self.builder.any_of(*selected)
                return EncodedOutcome(FlagSymbol(some if word == "some" else self.builder.negation_of(some)))
            case ex.Quantifier():
                passed = [
                    self.builder.any_of(self.builder.negation_of(k), self.symbols.truth_term(v))
                    for k, v in zip(selected, values, strict=True)
                ]
                return EncodedOutcome(FlagSymbol(self.builder.all_of(*passed)))
            case ex.Aggregate(word=word):
                if not values:
                    values = [item for _, item in items] if word != "count" else []
                return self._aggregate_members(word, selected, values)
            case ex.Comprehension() if isinstance(node.type, ty.SetType):
                return self._gather_bit_set(selected, values, node)
            case _:
                return None

    def _encode_member(
        self, binding: Binding, value: Expression | None, item: SymbolicValue, there: SolverTerm, names: NameSymbols
    ) -> GenericMember:
        inside = self.bind_member(binding, item, names)
        where = (
            EncodedOutcome(FlagSymbol(self.builder.true_term))
            if binding.where is None
            else self.encode_outcome(binding.where, inside)
        )
        selected = self.builder.all_of(there, self.symbols.truth_term(where.value))
        with self.with_path_condition(selected):
            result = None if value is None else self.encode_outcome(value, inside)
        here = EncodedOutcome(FlagSymbol(selected), self.symbols.fault_only_if(there, where.fault))
        return GenericMember(
            here, result and EncodedOutcome(result.value, self.symbols.fault_only_if(selected, result.fault))
        )

    def _aggregate_members(
        self, word: str, selected: Sequence[SolverTerm], values: Sequence[SymbolicValue]
    ) -> EncodedOutcome:
        logic = self.builder
        if word == "count":
            return EncodedOutcome(ScalarSymbol(logic.sum_terms([logic.int_of_truth(item) for item in selected])))
        numbers = [self.symbols.number_term(value) for value in values]
        if word == "sum":
            return EncodedOutcome(
                ScalarSymbol(
                    logic.sum_terms(
                        [logic.if_then_else(k, n, logic.int_term(0)) for k, n in zip(selected, numbers, strict=True)]
                    )
                )
            )
        result, some = logic.int_term(0), logic.false_term
        for here, number in zip(selected, numbers, strict=True):
            better = logic.comparison_of("<" if word == "min" else ">", number, result)
            result = logic.if_then_else(
                logic.all_of(here, logic.any_of(logic.negation_of(some), better)), number, result
            )
            some = logic.any_of(some, here)
        return EncodedOutcome(
            ScalarSymbol(result), self.symbols.fault_of_code(logic.negation_of(some), faults.NOTHING_TO_COMPARE)
        )

    def _gather_bit_set(
        self, selected: Sequence[SolverTerm], values: Sequence[SymbolicValue], node: ex.Comprehension
    ) -> EncodedOutcome | None:
        symbol = self.shared.opaque_symbol("nothing", self.revision, node.type)
        if not isinstance(symbol, BitSetSymbol):
            return None
        numbers = [self.symbols.number_term(value) for value in values]
        bits = [
            self.builder.any_of(
                *(
                    self.builder.all_of(k, self.builder.equality_of(n, self.builder.int_term(symbol.low + at)))
                    for k, n in zip(selected, numbers, strict=True)
                )
            )
            for at in range(len(symbol.bits))
        ]
        return EncodedOutcome(BitSetSymbol(symbol.low, tuple(bits)))

    # Members that are not.

    def _encode_unlisted_walk(
        self,
        node: MemberExpression,
        binding: Binding,
        value: Expression | None,
        source: EncodedOutcome,
        names: NameSymbols,
    ) -> EncodedOutcome:
        item = self._make_generic_member(binding)
        inside = self.membership_term(item, source.value)
        wanted = len(self.external_requests)
        self._walk_depth += 1
        member = self._encode_member(binding, value, item, self.builder.true_term, names)
        member = GenericMember(
            self.classes.drop_impossible_fault(member.condition),
            member.value and self.classes.drop_impossible_fault(member.value),
        )
        self._walk_depth -= 1
        if len(self.external_requests) > wanted:
            raise NoFormulaError("somebody may be asked for a value of every member")
        if isinstance(node, ex.Quantifier) and node.word == "every":
            member = self._negate_every(member)
        outcome = self._abstract_walk(node, source.value, inside, member, item)
        return EncodedOutcome(outcome.value, self.symbols.first_fault(source.fault, outcome.fault))

    def _make_generic_member(self, binding: Binding) -> SymbolicValue:
        types = self._member_types(binding)
        kinds = " ".join(unbounded_signature(type_, self.revision) for type_ in types)
        parts = [
            self.shared.opaque_symbol(f"member {self._walk_depth} {at} of {kinds}", self.revision, type_)
            for at, type_ in enumerate(types)
        ]
        return parts[0] if len(parts) == 1 else PartsSymbol(tuple(parts))

    def _member_types(self, binding: Binding) -> tuple[ty.Type, ...]:
        named = [None if variable is None else variable.type for variable in binding.variables]
        source = binding.source.type
        item = (
            ty.DieType(source.face, source.part) if isinstance(source, ty.PoolType) else getattr(source, "item", None)
        )
        every = item.parts if len(named) > 1 and isinstance(item, ty.TupleType) else (item,) * len(named)
        result = tuple(declared or other for declared, other in zip(named, every, strict=True))
        if None in result:
            raise NoFormulaError("a part of every member has no name")
        return tuple(each for each in result if each is not None)

    def _negate_every(self, member: GenericMember) -> GenericMember:
        assert member.value is not None
        where, value = member.condition, member.value
        fails = self.builder.all_of(
            self.symbols.truth_term(where.value), self.builder.negation_of(self.symbols.truth_term(value.value))
        )
        return GenericMember(
            EncodedOutcome(FlagSymbol(fails), self.symbols.first_fault(where.fault, value.fault)), None
        )

    def _abstract_walk(
        self,
        node: MemberExpression,
        source: SymbolicValue,
        inside: SolverTerm,
        member: GenericMember,
        item: SymbolicValue,
    ) -> EncodedOutcome:
        """Uninterpreted value of an expression over members, equal within its equivalence class."""
        logic = self.builder
        calm = member.condition.fault is None and (member.value is None or member.value.fault is None)
        counted = self._count_members(node.binding, source, inside, member) if calm else None
        match node:
            case ex.Quantifier(word=word) if counted is not None:
                some = logic.comparison_of(">", counted, logic.int_term(0))
                return EncodedOutcome(FlagSymbol(some if word == "some" else logic.negation_of(some)))
            case ex.Aggregate(word="count") if counted is not None:
                return EncodedOutcome(ScalarSymbol(counted))
        word = {"every": "no"}.get(getattr(node, "word", ""), getattr(node, "word", ""))
        signature = f"{type(node).__name__} {word} {unbounded_signature(node.type, self.revision)}"
        number = self._walk_class(signature, node.binding, source, inside, member)
        value = self.shared.opaque_symbol(f"gone through {number}", self.revision, node.type)
        fault = None if calm else self.shared.number_term(f"fault gone through {number}")
        if isinstance(node, ex.TheOnly | ex.Aggregate) and counted is not None:
            fault = self._missing_member_fault(node, counted)
        if isinstance(node, ex.Comprehension) and isinstance(value, GroupSymbol):
            value = self._filter_group(node, value, member, item, source, counted)
        return EncodedOutcome(value, fault)

    def _missing_member_fault(self, node: ex.TheOnly | ex.Aggregate, counted: SolverTerm) -> SolverTerm | None:
        logic = self.builder
        match node:
            case ex.TheOnly():
                return self.symbols.fault_of_code(
                    logic.negation_of(logic.equality_of(counted, logic.int_term(1))), faults.NOT_EXACTLY_ONE
                )
            case ex.Aggregate(word="min" | "max"):
                return self.symbols.fault_of_code(
                    logic.equality_of(counted, logic.int_term(0)), faults.NOTHING_TO_COMPARE
                )
            case _:
                return None

    def _count_members(
        self, binding: Binding, source: SymbolicValue, inside: SolverTerm, member: GenericMember
    ) -> SolverTerm:
        where = self.symbols.truth_term(member.condition.value)
        countable = isinstance(source, GroupSymbol) and isinstance(binding.source.type, _COUNTABLE_TYPES)
        if isinstance(source, GroupSymbol) and self.builder.is_true(where) and (countable or source.size is not None):
            return self.shared.size_term(source)
        number = self._walk_class("count", binding, source, inside, GenericMember(member.condition, None))
        result = self.shared.number_term(f"count {number}", least=0)
        if isinstance(source, GroupSymbol) and countable:
            signature = " ".join(
                unbounded_signature(member_type, self.revision) for member_type in self._member_types(binding)
            )
            self.classes.note_counted_members(
                CountedMembers(f"{self._walk_depth} {signature}", source, inside, where, result)
            )
        return result

    def _walk_class(
        self, sort: str, binding: Binding, source: SymbolicValue, inside: SolverTerm, member: GenericMember
    ) -> int:
        kinds = " ".join(unbounded_signature(member_type, self.revision) for member_type in self._member_types(binding))
        leaves = tuple(self.symbols.list_terms(source))
        signature = f"{sort} {self._walk_depth} {kinds} of {' '.join(str(leaf.sort()) for leaf in leaves)}"
        return self.classes.find_class_number(
            MemberWalk(self.revision.mark, signature, leaves, inside, member, self.classes.class_count), self.symbols
        )

    def _filter_group(  # noqa: PLR0913, PLR0917
        self,
        node: ex.Comprehension,
        group: GroupSymbol,
        member: GenericMember,
        item: SymbolicValue,
        source: SymbolicValue,
        counted: SolverTerm | None,
    ) -> GroupSymbol:
        assert member.value is not None
        is_identity = same_terms(
            tuple(self.symbols.list_terms(member.value.value)), tuple(self.symbols.list_terms(item))
        )
        each_once = isinstance(node.type, ty.ListType) or isinstance(node.binding.source.type, ty.SetType)
        if not is_identity or counted is None or not each_once:
            return GroupSymbol(group.term, size=counted if isinstance(node.type, ty.ListType) else None)
        where, stood = self.symbols.truth_term(member.condition.value), tuple(self.symbols.list_terms(item))

        def is_kept_member(given: SymbolicValue) -> SolverTerm:
            put = tuple(self.symbols.list_terms(given))
            if len(put) != len(stood) or any(map(self.builder.is_numeral, stood)) or self._mentions_walks(where):
                return self.builder.symbol_term("contains", self.builder.bool_sort, (group.term, *put))
            return self.builder.all_of(
                self.membership_term(given, source), self.builder.substitute_terms(where, stood, put)
            )

        items = self.list_members(source)
        if items is not None and not self._mentions_walks(where):
            each_there = tuple((self.builder.all_of(there, is_kept_member(each)), each) for there, each in items)
            return GroupSymbol(group.term, each_there, is_kept_member, counted)
        return GroupSymbol(group.term, contains=is_kept_member, size=counted)

    def _mentions_walks(self, term: SolverTerm) -> bool:
        """Whether a term depends on an inner walk, so that it does not hold for another member."""
        return self.builder.mentions_symbol(term, ("count ", "gone through ", "fault gone through "))

    def encode_group_function(self, node: ex.Builtin, given: EncodedOutcome) -> EncodedOutcome:
        """`count`, `sum`, `min` or `max` of a collection."""
        items = self.list_members(given.value)
        logic, word = self.builder, node.name
        if items is not None:
            outcome = self._aggregate_members(word, [there for there, _ in items], [item for _, item in items])
            return EncodedOutcome(outcome.value, self.symbols.first_fault(given.fault, outcome.fault))
        if not isinstance(given.value, GroupSymbol):
            raise NoFormulaError(f"`{word}` of what is not a collection")
        size = self.shared.size_term(given.value)
        if word == "count":
            return EncodedOutcome(ScalarSymbol(size), given.fault)
        value = self.shared.opaque_symbol(f"{word} of all", self.revision, node.type, (given.value.term,))
        empty = logic.false_term if word == "sum" else logic.equality_of(size, logic.int_term(0))
        nothing = self.symbols.fault_of_code(empty, faults.NOTHING_TO_COMPARE)
        return EncodedOutcome(value, self.symbols.first_fault(given.fault, nothing))
