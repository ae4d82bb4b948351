"""Solver symbols shared by two revisions, and bounds on the dice counts and numbers that names can hold."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from rulewright.base.frozen import dataclass as frozen
from rulewright.base.node_roles import walk_nodes
from rulewright.diff.proving.solver_terms import (
    BitSetSymbol,
    EncodedOutcome,
    FlagSymbol,
    GroupSymbol,
    NoFormulaError,
    OpaqueSymbol,
    OptionalSymbol,
    PartsSymbol,
    ScalarSymbol,
    SolverTerm,
    SymbolAlgebra,
    SymbolicValue,
    TermBuilder,
)
from rulewright.program import expressions as ex, statements as st, types as ty
from rulewright.program.declarations import Declared, Handler, Program
from rulewright.program.effects import ReadFootprint
from rulewright.program.expressions import Expression, Variable
from rulewright.program.types import strip_optional
from rulewright.program.walk import list_routines

_ParameterKey = tuple[str, str, int]


@dataclass
class NumberBounds:
    """Upper bounds of the numbers and dice counts of one program, as a fixed point over all calls.

    Dice are never given from outside, so a dice parameter has them from a roll, through the calls and triggers of the
    rules: its bound is the maximum over these, iterated from none until no call raises it. Variables that lines change
    have no bound.
    """

    program: Program
    _parameter_bounds: dict[_ParameterKey, int | None] = field(default_factory=dict)
    _is_solved: bool = False

    def bounds_of_names(self, declared: Declared) -> Mapping[int, int]:
        """Bounds by variable number: dice count of a pool, or number."""
        if not self._is_solved:
            self._is_solved = True
            while self._propagate_calls():
                pass
        lone = {
            variable.index
            for parameter, variable in self._keyed_parameters(declared)
            if parameter not in self._parameter_bounds
        }
        dict_items = self._bound_names(declared).items()
        return {index: most for index, most in dict_items if most is not None and index not in lone}

    def _propagate_calls(self) -> bool:
        before, program = dict(self._parameter_bounds), self.program
        for function in (*program.functions.values(), *list_routines(program)):
            self._join_call_bounds(function, self._bound_names(function))
        self._join_call_bounds((program.events, program.measures, program.invariants, program.external_terms), {})
        return before != self._parameter_bounds

    def _join_call_bounds(self, node: object, names: Mapping[int, int | None]) -> None:
        for item in walk_nodes(node):
            for parameter, given in _arguments_given_by(item):
                if isinstance(given.type, ty.PoolType):
                    self._parameter_bounds[parameter] = _join_bounds(
                        self._parameter_bounds.get(parameter, 0), _bound_expression(given, names)
                    )

    def _bound_names(self, declared: Declared) -> dict[int, int | None]:
        result = {
            variable.index: self._parameter_bounds.get(parameter, 0)
            for parameter, variable in self._keyed_parameters(declared)
            if isinstance(variable.type, ty.PoolType)
        }
        before = None
        while result != before:
            before = dict(result)
            for node in walk_nodes(declared):
                for index, most in _bounds_set_by(node, result):
                    result[index] = _join_bounds(result.get(index, 0), most)
        return result

    def _keyed_parameters(self, declared: Declared) -> Iterator[tuple[_ParameterKey, Variable]]:
        sort, name, every = type(declared).__name__, declared.name, getattr(declared, "parameters", ())
        if isinstance(declared, Handler):
            sort, name = "Event", declared.event
            every = declared.variables[: len(self.program.events[name].parameters)]
        yield from (((sort, name, at), item) for at, item in enumerate(every))


def _bounds_set_by(node: object, names: Mapping[int, int | None]) -> Iterator[tuple[int, int | None]]:
    """Variables that a line sets or changes, with the bounds it gives them."""
    match node:
        case st.Roll(variable=variable):
            yield variable.index, _bound_roll(node, names)
        case st.Let(variable=variable, value=value) if value is not None:
            yield variable.index, _bound_expression(value, names)
        case st.VariablePlace(variable=variable):
            yield variable.index, None
        case st.Line():
            for item in (getattr(node, "variable", None), getattr(node, "result", None)):
                if isinstance(item, Variable):
                    yield item.index, None


def _arguments_given_by(node: object) -> Iterator[tuple[_ParameterKey, Expression]]:
    match node:
        case ex.CallFunction(function=name, arguments=arguments):
            sort = "Function"
        case st.Perform(procedure=name, arguments=arguments):
            sort = "Procedure"
        case st.Trigger(event=name, arguments=arguments):
            sort = "Event"
        case _:
            return
    yield from (((sort, name, at), argument) for at, argument in enumerate(arguments))


def _join_bounds(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else max(one, other)


def _bound_expression(node: Expression, names: Mapping[int, int | None]) -> int | None:
    """Upper bound of a number or of the dice count of a pool; None where unknown."""
    match node:
        case ex.Local(variable=variable) if names.get(variable.index) is not None:
            return names[variable.index]
        case ex.Narrowed(operand=operand) if isinstance(node.type, ty.PoolType):
            return _bound_expression(operand, names)
        case ex.Aggregate(word="count", binding=ex.Binding(source=source)) if isinstance(source.type, ty.PoolType):
            return _bound_expression(source, names)
        case _:
            return node.type.high if isinstance(node.type, ty.NumberType) else None


def _bound_roll(roll: st.Roll, names: Mapping[int, int | None]) -> int | None:
    """Upper bound of the number of dice of a roll; None for exploding dice."""
    if any(
        option.word == "explode"
        for option in (*roll.options, *(option for part in roll.parts for option in part.options))
    ):
        return None
    counts = [1 if part.count is None else _bound_expression(part.count, names) for part in roll.parts]
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None


_MAX_LISTED_VALUES = 16
"""Largest number of values of a type whose sets are encoded as bit sets."""


@frozen(frozen=True, slots=True)
class ProofRevision:
    """One of two revisions, for proofs."""

    mark: str  # `old` or `new`
    program: Program
    # name that both revisions share, by sort and own name; None if the other does not have it
    common_names: Callable[[str, str], str | None]
    # whether a function is equal in both revisions with all it calls, by its own name
    is_unchanged: Callable[[str], bool]
    number_bounds: NumberBounds
    # upper bounds of the declaration's variables, by number
    name_bounds: Mapping[int, int] = field(default_factory=dict)

    def for_declaration(self, declared: Declared) -> "ProofRevision":
        """This revision with the bounds of a declaration's variables."""
        return replace(self, name_bounds=self.number_bounds.bounds_of_names(declared))


@frozen(frozen=True, slots=True)
class SituationRead:
    """Part of a situation that formulas read."""

    sort: str  # `attribute`, `gone_term`, `relation`, `field`, `setting` or `name`
    name: str  # in both revisions; of a relation with the kinds it relates
    type: ty.Type  # in the revision that read it first
    revision: ProofRevision  # that revision
    given: tuple[SolverTerm, ...]  # the thing of an attribute, or the two of a relation
    symbol: SymbolicValue


@dataclass
class SharedSymbols:
    """Symbols of two revisions, with the facts known of them."""

    builder: TermBuilder
    facts: list[SolverTerm] = field(default_factory=list)  # true in every situation
    reads: list[SituationRead] = field(default_factory=list)  # in the order of reading
    _symbols: dict[object, tuple[Sequence[SolverTerm], SymbolicValue]] = field(default_factory=dict)
    _signatures: dict[str, str] = field(default_factory=dict)
    _text_numbers: dict[str, int] = field(default_factory=dict)

    def number_text(self, written: str) -> int:
        """Number that stands for a text."""
        return self._text_numbers.setdefault(written, len(self._text_numbers))

    def read_symbol(
        self, revision: ProofRevision, what: tuple[str, str], type_: ty.Type, given: Sequence[SolverTerm] = ()
    ) -> SymbolicValue:
        """Part of a situation, by sort and common name.

        Raises:
            NoFormulaError: the other revision reads it with another type.
        """
        sort, name = what
        signed = unbounded_signature(type_, revision) if sort == "name" else type_signature(type_, revision)
        if self._signatures.setdefault(f"{sort} {name}", signed) != signed:
            raise NoFormulaError(f"`{name}` may have other values in NEW")
        known = len(self._symbols)
        result = self.opaque_symbol(f"{sort} {name}", revision, type_, given)
        if len(self._symbols) > known:
            self.reads.append(SituationRead(sort, name, type_, revision, tuple(given), result))
        return result

    def opaque_symbol(
        self, key: str, revision: ProofRevision, type_: ty.Type, given: Sequence[SolverTerm] = ()
    ) -> SymbolicValue:
        """Uninterpreted function of a key and arguments; equal for equal arguments."""
        signed = f"{key} : {unbounded_signature(type_, revision)}"
        place = (signed, tuple(item.get_id() for item in given))
        if place not in self._symbols:
            symbol = _SymbolMaker(self, revision, signed, given).make_symbol(type_, "")
            self._symbols[place] = (tuple(given), symbol)
        return self._symbols[place][1]

    def size_term(self, group: GroupSymbol) -> SolverTerm:
        return self.number_term("size", (group.term,), least=0) if group.size is None else group.size

    def number_term(self, key: str, given: Sequence[SolverTerm] = (), *, least: int | None = None) -> SolverTerm:
        """Integer known by a key."""
        term = self.builder.symbol_term(key, self.builder.int_sort, given)
        if least is not None:
            self.facts.append(term >= least)
        return term


@dataclass
class _SymbolMaker:
    shared: SharedSymbols
    revision: ProofRevision
    key: str
    given: Sequence[SolverTerm]

    def make_symbol(self, type_: ty.Type, at: str) -> SymbolicValue:
        logic, program = self.shared.builder, self.revision.program
        match type_:
            case ty.NumberType(low, high):
                number = self._make_number(at, low, high)
                self.shared.facts += [d66_term(number.term, logic)] if type_.paired else []
                return number
            case ty.FractionType() | ty.LengthType() | ty.PlaneType("angle"):
                return ScalarSymbol(self._make_term(at, logic.real_sort))
            case ty.FlagType():
                return FlagSymbol(self._make_term(at, logic.bool_sort))
            case ty.WordType(values):
                return self._make_number(at, 0, len(program.values[values].words) - 1)
            case ty.DirectionType():
                return self._make_number(at, 0, type_.count - 1)
            case ty.ThingType() | ty.TextType():
                return self._make_number(at, 0, None)
            case ty.CellType():
                return PartsSymbol((self._make_number(f"{at}.q", None, None), self._make_number(f"{at}.r", None, None)))
            case ty.RecordType(record):
                parts = program.records[record].parts
                return PartsSymbol(
                    tuple(self.make_symbol(part.type, f"{at}.{number}") for number, part in enumerate(parts))
                )
            case ty.TupleType(parts):
                return PartsSymbol(tuple(self.make_symbol(part, f"{at}.{number}") for number, part in enumerate(parts)))
            case ty.OptionalType(inner):
                return OptionalSymbol(self._make_term(f"{at}?", logic.bool_sort), self.make_symbol(inner, at))
            case ty.NoneType():
                return OptionalSymbol(logic.true_term, None)
            case ty.SetType(item) if (span := list_value_numbers(item, program)) is not None:
                return BitSetSymbol(
                    span.start, tuple(self._make_term(f"{at}[{each}]", logic.bool_sort) for each in span)
                )
            case ty.SetType() | ty.ListType() | ty.BagType() | ty.DeckType() | ty.MapType() | ty.PoolType():
                return GroupSymbol(self._make_term(at, logic.declare_sort(unbounded_signature(type_, self.revision))))
            case _:
                return OpaqueSymbol(self._make_term(at, logic.declare_sort(unbounded_signature(type_, self.revision))))

    def _make_term(self, at: str, sort: object) -> SolverTerm:
        return self.shared.builder.symbol_term(f"{self.key}{at}", sort, self.given)

    def _make_number(self, at: str, low: int | None, high: int | None) -> ScalarSymbol:
        term = self._make_term(at, self.shared.builder.int_sort)
        self.shared.facts += [term >= low] if low is not None else []
        self.shared.facts += [term <= high] if high is not None else []
        return ScalarSymbol(term)


def d66_term(number: SolverTerm, logic: TermBuilder) -> SolverTerm:
    """Whether a number is one that a `d66` shows."""
    runs = ((tens + 1, tens + 6) for tens in range(10, 70, 10))
    return logic.any_of(
        *(
            logic.all_of(
                logic.comparison_of(">=", number, logic.int_term(low)),
                logic.comparison_of("<=", number, logic.int_term(high)),
            )
            for low, high in runs
        )
    )


def list_value_numbers(item: ty.Type, program: Program) -> range | None:
    """Numbers of all values of a small type; None where there are too many."""
    match item:
        case ty.WordType(values):
            result = range(len(program.values[values].words))
        case ty.FlagType():
            result = range(2)
        case ty.NumberType(int() as low, int() as high, paired=False):
            result = range(low, high + 1)
        case ty.DirectionType():
            result = range(item.count)
        case _:
            return None
    return result if len(result) <= _MAX_LISTED_VALUES else None


def type_signature(type_: ty.Type, revision: ProofRevision) -> str:
    """Signature of a type in the names of both revisions; equal only for types with the same values."""

    def name_in_both(sort: str, here: str) -> str:
        return common_name(revision, sort, here)

    match type_:
        case ty.ThingType(kind):
            return f"thing {name_in_both('kind', kind)}"
        case ty.WordType(values):
            words = revision.program.values[values].words
            return f"{name_in_both('values', values)}[{' '.join(name_in_both('word', f'{values}/{word.name}') for word in words)}]"
        case ty.RecordType(record):
            parts = revision.program.records[record].parts
            inside = (
                f"{name_in_both('part', f'{record}/{item.name}')}:{type_signature(item.type, revision)}"
                for item in parts
            )
            return f"{name_in_both('record', record)}({', '.join(inside)})"
        case ty.DieType(face, part) | ty.PoolType(face, part):
            called = "" if part is None else f" of {type_signature(part, revision)}"
            return f"{type(type_).__name__} of {type_signature(face, revision)}{called}"
        case _:
            return _composite_signature(type_, lambda item: type_signature(item, revision)) or repr(type_)


def unbounded_signature(type_: ty.Type, revision: ProofRevision) -> str:
    """Signature of a type without the bounds of its numbers; small sets keep theirs."""
    match type_:
        case ty.NumberType():
            return "number"
        case ty.SetType(item) if list_value_numbers(item, revision.program) is not None:
            return type_signature(type_, revision)
        case _:
            return _composite_signature(type_, lambda each: unbounded_signature(each, revision)) or type_signature(
                type_, revision
            )


def _composite_signature(type_: ty.Type, signature_of: Callable[[ty.Type], str]) -> str:
    match type_:
        case ty.OptionalType(inner):
            return f"{signature_of(inner)}?"
        case ty.SetType(item) | ty.ListType(item) | ty.BagType(item) | ty.DeckType(item):
            return f"{type(type_).__name__} of {signature_of(item)}"
        case ty.MapType(key, value):
            return f"map {signature_of(key)} to {signature_of(value)}"
        case ty.TupleType(parts):
            return f"({', '.join(map(signature_of, parts))})"
        case _:
            return ""


def common_name(revision: ProofRevision, sort: str, name: str) -> str:
    """Name that both revisions share; a unique one where the other revision does not have it."""
    text = revision.common_names(sort, name)
    return f"{revision.mark}: {name}" if text is None else text


_FAULTLESS_NODES = (
    ex.Removed, ex.BoardCells, ex.CellAttribute, ex.SideAttribute, ex.DieAttribute, ex.MakeCollection, ex.Interval,
    ex.Joined, ex.PlaneAttribute, ex.Rounded,
)  # fmt: skip
_FAULTLESS_FUNCTIONS = frozenset(
    "neighbours occupants rear_hexes directions pairs starting_with sorted total highest_face point contact touches "  # noqa: SIM905 - reads best
    "overlaps crosses aboard in_arc sees fits".split()
)
"""Functions that fail only by machine limits, which do not count."""


@dataclass
class ExternalRequest:
    """Value that somebody may be asked for: the condition, the request and its arguments."""

    condition: SolverTerm
    key: str
    given: tuple[SolverTerm, ...]


@dataclass
class RevisionEncoder:
    """Base of the encoders of one revision."""

    shared: SharedSymbols
    revision: ProofRevision
    external_requests: list[ExternalRequest] = field(default_factory=list)  # in order
    # writes by common name: the thing (None for a game field) and the new value
    changed_values: dict[str, list[tuple[SolverTerm | None, SymbolicValue]]] = field(default_factory=dict)
    _path_conditions: list[SolverTerm] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.builder = self.shared.builder
        self.symbols = SymbolAlgebra(self.builder)
        self._footprint = ReadFootprint(self.revision.program)

    @contextmanager
    def with_path_condition(self, condition: SolverTerm) -> Iterator[None]:
        """Context in which terms are only evaluated under a condition."""
        self._path_conditions.append(condition)
        yield
        self._path_conditions.pop()

    def name(self, sort: str, name: str) -> str:
        return common_name(self.revision, sort, name)

    def first_outcome_fault(self, outcomes: Sequence[EncodedOutcome]) -> SolverTerm | None:
        """First fault of outcomes that are evaluated in order."""
        return self.symbols.first_fault(*(encoded_outcome.fault for encoded_outcome in outcomes))

    def current_value(self, sort: str, name: str, type_: ty.Type, thing: SolverTerm | None) -> SymbolicValue:
        """Stored value after the lines so far, of a thing or of the game."""
        return self.apply_changes(self.name(sort, name), self.initial_value(sort, name, type_, thing), thing)

    def initial_value(self, sort: str, name: str, type_: ty.Type, thing: SolverTerm | None) -> SymbolicValue:
        """Stored value before all lines."""
        declared = self._declared_type(sort, name) or type_
        given = () if thing is None else (thing,)
        return self.shared.read_symbol(self.revision, (sort, self.name(sort, name)), declared, given)

    def apply_changes(self, common: str, initial: SymbolicValue, thing: SolverTerm | None) -> SymbolicValue:
        """Stored value after the changes of lines."""
        result = initial
        for target, value in self.changed_values.get(common, []):
            same = (
                self.builder.true_term if target is None or thing is None else self.builder.equality_of(target, thing)
            )
            result = self.symbols.choose_symbol(same, value, result)
        return result

    def _declared_type(self, sort: str, name: str) -> ty.Type | None:
        program = self.revision.program
        if sort == "field":
            return program.game[name].type
        owner, _, field_name = name.partition("/")
        return next((item.type for item in program.kinds[owner].fields if item.name == field_name), None)

    def gone_term(self, type_: ty.Type, thing: SymbolicValue) -> SolverTerm:
        """Whether a thing is out of play."""
        inner = strip_optional(type_)
        if not isinstance(inner, ty.ThingType):
            raise NoFormulaError("something that is not a thing is out of play")
        given = (self.symbols.number_term(thing),)
        kind = self.name("kind", inner.kind)
        return self.symbols.truth_term(self.shared.read_symbol(self.revision, ("gone", kind), ty.FLAG, given))

    def request_external(self, key: str, given: tuple[SolverTerm, ...]) -> None:
        self.external_requests.append(ExternalRequest(self.builder.all_of(*self._path_conditions), key, given))

    def encode_opaque(self, node: Expression, outcomes: Sequence[EncodedOutcome]) -> EncodedOutcome:
        """Uninterpreted value: equal for equal arguments in the same situation."""
        self._check_unchanged(node)
        key = self._opaque_key(node)
        given = tuple(leaf for encoded_outcome in outcomes for leaf in self.symbols.list_terms(encoded_outcome.value))
        value = self.shared.opaque_symbol(key, self.revision, node.type, given)
        steady = isinstance(node, _FAULTLESS_NODES) or (
            isinstance(node, ex.Builtin) and node.name in _FAULTLESS_FUNCTIONS
        )
        fault = None if steady else self.shared.number_term(f"{key} fault", given)
        return EncodedOutcome(value, self.symbols.first_fault(self.first_outcome_fault(outcomes), fault))

    def _check_unchanged(self, node: Expression) -> None:
        if self.changed_values and any(
            self._common_place(place) in self.changed_values for place in self._footprint.collect_read_places(node)
        ):
            raise NoFormulaError("it reads what lines before it change")

    def _common_place(self, place: str) -> str:
        owner, _, name = place.partition("/")
        return self.name("field", name) if owner == "game" else self.name("attribute", place)

    def _opaque_key(self, node: Expression) -> str:
        name = self.name
        node_name = type(node).__name__
        match node:
            case ex.Removed(kind=kind):
                return f"{node_name} {name('kind', kind)}"
            case ex.BoardCells(board=board):
                return f"{node_name} {name('board', board)}"
            case ex.CellAttribute(board=board, name=attribute):
                return f"{node_name} {name('cell', f'{board}/{attribute}')}"
            case ex.SideAttribute(board=board, name=attribute):
                return f"{node_name} {name('side', f'{board}/{attribute}')}"
            case ex.DieAttribute(name=attribute):
                return f"{node_name} {'natural' if attribute == 'face' else attribute}"
            case ex.MakeCollection(items=items):
                return f"{node_name} {type(node.type).__name__} {len(items)}"
            case ex.PlaneAttribute(name=attribute, kind=kind):
                return f"{node_name} {attribute} {name('kind', kind) if kind else ''}"
            case ex.Rounded():
                return f"{node_name} {unbounded_signature(node.type, self.revision)}"
            case ex.Entry(target=target):
                return f"{node_name} {unbounded_signature(target.type, self.revision)}"
            case ex.Interval():
                return node_name
            case ex.Joined(operator=operator):
                return f"{node_name} {operator} {type(node.type).__name__}"
            case ex.Builtin():
                return f"{node_name} {self._builtin_key(node)}"
            case _:
                raise NoFormulaError(f"no formula says what `{node_name}` means")

    def _builtin_key(self, node: ex.Builtin) -> str:
        given = ", ".join(unbounded_signature(argument.type, self.revision) for argument in node.arguments)
        relation = ""
        if node.relation in self.revision.program.functions:
            if not self.revision.is_unchanged(node.relation):
                raise NoFormulaError(f"`{node.relation}` is not the same in both")
            relation = self.name("function", node.relation)
        elif node.relation:
            relation = self.name("relation", node.relation)
        return f"{node.name}({given}) {relation}"
