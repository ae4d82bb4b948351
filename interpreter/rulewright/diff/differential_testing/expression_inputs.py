"""Inputs of expressions of two revisions, as finite classes: flags, words, and ranges of numbers between constants."""

from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rulewright.base.frozen import dataclass as frozen
from rulewright.base.node_roles import walk_nodes
from rulewright.diff.differential_testing.altered_places import expression_signature
from rulewright.diff.differential_testing.revision_translation import RevisionTranslations
from rulewright.program import expressions as ex
from rulewright.program.declarations import Paths, Program
from rulewright.program.expressions import Expression
from rulewright.program.types import (
    FlagType,
    FractionType,
    LengthType,
    MapType,
    NoneType,
    NumberType,
    OptionalType,
    Type,
    WordType,
    strip_optional,
)
from rulewright.program.wording import ExpressionRenderer
from rulewright.runtime.state import evaluate_start_value


def evaluated_subexpressions(node: Expression) -> Iterator[Expression]:
    """Expression and its subexpressions, down to what is read."""
    yield node
    for operand in _find_operands(node) or ():
        yield from evaluated_subexpressions(operand)


def _find_operands(node: Expression) -> tuple[Expression, ...] | None:
    """Operands of an expression; None where it is read as a whole."""
    match node:
        case ex.Literal() | ex.WordLiteral():
            return ()
        case ex.Not(operand=operand) | ex.Negation(operand=operand) | ex.Narrowed(operand=operand):
            return (operand,)
        case ex.Logical(left=left, right=right):
            return left, right
        case ex.Arithmetic(operator=operator, left=left, right=right) if operator in {"+", "-", "*"}:
            return left, right
        case ex.Conditional(condition=condition, then=then, otherwise=otherwise):
            return condition, then, otherwise
        case ex.Comparison(left=left, right=right) if is_scalar(left.type) and is_scalar(right.type):
            return left, right
        case ex.Membership(item=item, collection=collection) if is_scalar(item.type) and is_enumerated(collection):
            return item, *enumerated_members(collection)
        case _:
            return None


def is_scalar(type_: Type) -> bool:
    """Whether the values of a type are numbers, flags or words, or `none`."""
    return isinstance(strip_optional(type_), NumberType | FlagType | WordType | NoneType)


def is_enumerated(collection: Expression) -> bool:
    """Whether a collection is written out, member by member or as a range of numbers."""
    if isinstance(collection, ex.MakeCollection):
        return not isinstance(collection.type, MapType) and all(is_scalar(item.type) for item in collection.items)
    return isinstance(collection, ex.Interval)


def enumerated_members(collection: Expression) -> tuple[Expression, ...]:
    """Members of a collection that is written out, or the two ends of a range."""
    if isinstance(collection, ex.Interval):
        return (collection.low, collection.high)
    assert isinstance(collection, ex.MakeCollection)
    return collection.items


_COMPOUND_EXPRESSIONS = (
    ex.Literal,
    ex.WordLiteral,
    ex.Not,
    ex.Negation,
    ex.Narrowed,
    ex.Logical,
    ex.Arithmetic,
    ex.Conditional,
)


def is_read_leaf(node: Expression) -> bool:
    """Whether an expression is an input, and cannot be `none`."""
    return not isinstance(node, (*_COMPOUND_EXPRESSIONS, ex.Comparison, ex.Membership)) and not isinstance(
        node.type, OptionalType
    )


def integer_constant(node: Expression) -> int | None:
    """Integer constant of an expression; None for anything else."""
    match node:
        case ex.Literal(value=int() as value) if not isinstance(value, bool):
            return value
        case ex.Negation(operand=ex.Literal(value=int() as value)):
            return -value
        case _:
            return None


def canonical_comparison(node: ex.Comparison) -> tuple[object, bool]:
    """Comparison in one sense, `=` or `<`, as a key, and whether the operator has that sense itself."""
    turned = node.operator in {">", "<="}
    sides = [node.right, node.left] if turned else [node.left, node.right]
    if node.operator in {"=", "!="}:
        sides.sort(key=lambda item: repr(expression_signature(item, {}, by_number=True)))
        return ("=", *sides), node.operator == "="
    return ("<", *sides), node.operator in {"<", ">"}


def _is_ordered_comparison(node: Expression) -> bool:
    sides = (node.left, node.right) if isinstance(node, ex.Comparison) else ()
    return bool(sides) and all(isinstance(side.type, NumberType | FractionType | LengthType) for side in sides)


InputKey = Hashable
_FALLIBLE_EXPRESSIONS = (
    ex.TheOnly,
    ex.Entry,
    ex.Narrowed,
    ex.ExternalValue,
    ex.PlaneAttribute,
    ex.Rounded,
    ex.SideAttribute,
)
_INFALLIBLE_BUILTINS = frozenset(
    {"connected", "min", "max", "abs", "occupants", "removed", "pairs", "adjacent", "neighbours"}
)


@frozen(frozen=True, slots=True)
class InputAtom:
    """One input, with its values grouped into classes."""

    key: InputKey  # signature, equal in both revisions; of two compared numbers both keys
    text: str
    values: tuple[tuple[Any, Any], ...]  # one (old, new) value for each class
    words: tuple[str, ...]  # description of each class
    lows: tuple[int, ...] = ()  # lowest number of each class, if the classes are ranges
    nodes: tuple[tuple[int, Expression], ...] = ()  # side and expression of each read
    # keys of two compared numbers, if the classes are below, equal and above
    pair: tuple[InputKey, InputKey] | None = None

    def find_class(self, given: Mapping[InputKey, Any], side: int) -> int | None:
        """Class of a value that was read; None where nothing was read, or the value has no class."""
        if self.pair is not None:
            first, second = (given.get(hashable) for hashable in self.pair)
            return None if first is None or second is None else 1 + (first > second) - (first < second)
        return self._class_of_value(given[self.key], side) if self.key in given else None

    def _class_of_value(self, value: Any, side: int) -> int | None:
        if self.lows:
            return max(0, bisect_right(self.lows, value) - 1)
        return next((at for at, pair in enumerate(self.values) if pair[side] == value), None)


class FallibilityAnalysis:
    """Analysis of which expressions of a program always have a value: no fault, no question to a player."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._functions: dict[str, bool] = {}

    def is_infallible(self, node: object) -> bool:
        """Whether an expression never fails and asks nobody, functions included; recursive functions may fail."""
        return all(map(self._is_node_infallible, walk_nodes(node)))

    def _is_node_infallible(self, node: object) -> bool:
        match node:
            case ex.CallFunction(function=name) | ex.DerivedAttribute(function=name):
                return self._is_function_infallible(name)
            case ex.StoredAttribute(name=name):
                return name != "at"
            case ex.Arithmetic(operator=operator):
                return operator != "/"
            case ex.Aggregate(word=word):
                return word in {"count", "sum"}
            case ex.Builtin(name=name):
                return name in _INFALLIBLE_BUILTINS and len(node.arguments) > 1
            case _:
                return not isinstance(node, _FALLIBLE_EXPRESSIONS)

    def _is_function_infallible(self, name: str) -> bool:
        if name not in self._functions:
            self._functions[name] = False
            body = self._program.functions[name].body
            self._functions[name] = not isinstance(body, Paths) and self.is_infallible(body)
        return self._functions[name]


@frozen(frozen=True, slots=True)
class ExpressionLanguage:
    """Names and analyses by which expressions of both revisions are compared."""

    programs: tuple[Program, Program]
    translations: RevisionTranslations
    renamed: Mapping[str, str]  # old names by new names
    by_number: bool  # whether variables of a routine are compared by number
    fallibility: tuple[FallibilityAnalysis, FallibilityAnalysis]

    def expression_key(self, node: Any, side: int) -> InputKey:
        """Signature of an expression with the names of the new revision."""
        return repr(expression_signature(node, {} if side else self.renamed, by_number=self.by_number))

    def expression_text(self, node: Expression, side: int) -> str:
        """Source text of an expression in one revision."""
        return ExpressionRenderer(self.programs[side]).render_expression(node)

    def find_fixed_setting(self, node: Expression, side: int) -> tuple[Any] | None:
        """Value of a setting that only one revision has, in a 1-tuple; None for any other expression."""
        if not isinstance(node, ex.SettingValue):
            return None
        way = self.translations.backward if side else self.translations.forward
        if way.names.find_new_name("setting", node.name) in way.target_program.settings:
            return None
        setting = self.programs[side].settings[node.name]
        return (evaluate_start_value(setting.value, setting.type),)


class UnboundedInputError(Exception):
    """An input has infinitely many values, or more than can be tried."""


@dataclass
class _LeafUse:
    nodes: list[tuple[int, Expression]] = field(default_factory=list)
    constants: set[int] = field(default_factory=set)
    is_read_whole: bool = False


@dataclass
class InputCollector:
    """Collector of the inputs of expressions."""

    language: ExpressionLanguage
    is_exact: bool  # whether every value is a class; else numbers are grouped between constants
    leaves: dict[InputKey, _LeafUse] = field(default_factory=dict)
    # pairs of numbers that are only compared with each other
    signs: dict[tuple[InputKey, InputKey], tuple[tuple[int, Expression], tuple[int, Expression]]] = field(
        default_factory=dict
    )
    # by side, inputs by the identity of the expression; a key after `not` is negated
    probed_expressions: tuple[dict[int, tuple[InputKey, Expression]], dict[int, tuple[InputKey, Expression]]] = field(
        default_factory=lambda: ({}, {})
    )
    # evaluation of each input by identity: `atom`, `sign` or `kept`
    plans: dict[int, tuple[str, Any]] = field(default_factory=dict)
    fixed_settings: list[str] = field(default_factory=list)  # settings of one revision only, taken as written
    # comparisons that are one input, by what they compare
    whole_comparisons: dict[frozenset[InputKey], list[tuple[int, ex.Comparison]]] = field(default_factory=dict)

    def gather_inputs(self, node: Expression, side: int) -> None:
        """Collect the inputs of an expression.

        Raises:
            UnboundedInputError: it reads a value of an infinite type.
        """
        items = _find_operands(node)
        if isinstance(node, ex.Comparison) and items is not None:
            self._gather_comparison(node, side)
        elif items is None:
            self._gather_whole(node, side)
        elif isinstance(node, ex.Membership):
            self._gather_membership(node, items, side)
        else:
            for item in items:
                self.gather_inputs(item, side)

    def _gather_comparison(self, node: ex.Comparison, side: int) -> None:
        numbers = all(isinstance(strip_optional(item.type), NumberType) for item in (node.left, node.right))
        constants = [integer_constant(item) for item in (node.left, node.right)]
        if self.is_exact or not numbers:
            self.gather_inputs(node.left, side)
            self.gather_inputs(node.right, side)
        elif constants[0] is not None or constants[1] is not None:
            other = node.left if constants[0] is None else node.right
            if constants[0] is None or constants[1] is None:
                self._note_constants(other, {constant for constant in constants if constant is not None}, node, side)
        elif is_read_leaf(node.left) and is_read_leaf(node.right):
            self._note_sign(node, side)
        else:
            self._gather_whole(node, side)

    def _note_constants(self, other: Expression, constants: set[int], node: Expression, side: int) -> None:
        if is_read_leaf(other):
            key = self._note_leaf(other, side)
            self.leaves[key].constants |= constants
        else:
            self._gather_whole(node, side)

    def _gather_whole(self, node: Expression, side: int) -> None:
        if isinstance(node, ex.Comparison) and _is_ordered_comparison(node):
            pair = frozenset(self.language.expression_key(item, side) for item in (node.left, node.right))
            self.whole_comparisons.setdefault(pair, []).append((side, node))
        else:
            self._gather_leaf(node, side)

    def _gather_membership(self, node: ex.Membership, worked_out: tuple[Expression, ...], side: int) -> None:
        constants = [integer_constant(each) for each in worked_out[1:]]
        if self.is_exact or not isinstance(strip_optional(node.item.type), NumberType):
            for item in worked_out:
                self.gather_inputs(item, side)
        elif None in constants:
            self._gather_leaf(node, side)
        else:
            self._note_constants(node.item, {constant for constant in constants if constant is not None}, node, side)

    def _note_sign(self, node: ex.Comparison, side: int) -> None:
        left, right = self._probe_expression(node.left, side), self._probe_expression(node.right, side)
        turned = repr(left) > repr(right)
        keys = (right, left) if turned else (left, right)
        pair = (side, node.left), (side, node.right)
        self.signs.setdefault(keys, (pair[1], pair[0]) if turned else pair)
        self.plans[id(node)] = ("sign", (("sign", *keys), turned))

    def _gather_leaf(self, node: Expression, side: int) -> None:
        fixed_setting = self.language.find_fixed_setting(node, side)
        if fixed_setting is not None:
            self.plans[id(node)] = ("kept", fixed_setting[0])
            self.fixed_settings.append(self.language.expression_text(node, side))
            return
        if isinstance(node, ex.Comparison):
            base, straight = canonical_comparison(node)
            key = self._note_leaf(node, side, base)
            self.plans[id(node)] = ("atom", (key, straight))
            return
        if not is_scalar(node.type):
            raise UnboundedInputError
        key = self._note_leaf(node, side)
        self.leaves[key].is_read_whole = True

    def _note_leaf(self, node: Expression, side: int, base: object = None) -> InputKey:
        key = self._probe_expression(node, side, base)
        self.leaves.setdefault(key, _LeafUse()).nodes.append((side, node))
        self.plans.setdefault(id(node), ("atom", (key, True)))
        return key

    def _probe_expression(self, node: Expression, side: int, base: object = None) -> InputKey:
        straight = not isinstance(node, ex.Comparison) or base is None or canonical_comparison(node)[1]
        key = self.language.expression_key(node if base is None else base, side)
        self.probed_expressions[side][id(node)] = (key if straight else ("not", key), node)
        return key

    def build_atoms(self, most: int) -> tuple[InputAtom, ...]:
        """Collected inputs as atoms.

        Raises:
            UnboundedInputError: an input has more than `most` values.
        """
        for alike in self.whole_comparisons.values():
            senses = {self.language.expression_key(canonical_comparison(node)[0], side) for side, node in alike}
            for side, node in alike:
                (self._gather_leaf if len(senses) == 1 else self._note_sign)(node, side)
        items = [self._build_atom(key, leaf, most) for key, leaf in self.leaves.items()]
        return (*items, *(self._build_sign_atom(keys, pair) for keys, pair in self.signs.items()))

    def _build_atom(self, key: InputKey, leaf: _LeafUse, most: int) -> InputAtom:
        nodes = tuple(dict(reversed(leaf.nodes)).items())
        side, node = leaf.nodes[0]
        text = self.language.expression_text(node, side)
        types = [(side, strip_optional(item.type)) for side, item in leaf.nodes]
        optional = any(isinstance(item.type, OptionalType) for _, item in leaf.nodes)
        if isinstance(types[0][1], NumberType):
            lows = [number_type.low for _, number_type in types if isinstance(number_type, NumberType)]
            highs = [number_type.high for _, number_type in types if isinstance(number_type, NumberType)]
            low, high = _widest_bound(lows, min), _widest_bound(highs, max)
            if not self.is_exact and not leaf.is_read_whole and not optional:
                return _build_range_atom(key, text, low, high, leaf.constants, nodes)
            if low is None or high is None or high - low >= most:
                raise UnboundedInputError
            values: list[tuple[Any, Any]] = [(item, item) for item in range(low, high + 1)]
        else:
            values = self._list_class_values(dict(types))
        straight = not isinstance(node, ex.Comparison) or canonical_comparison(node)[1]
        words = [self._describe_class(pair if straight else (not pair[0], not pair[1]), types[0]) for pair in values]
        if optional:
            values, words = [(None, None), *values], ["none", *words]
        return InputAtom(key, text, tuple(values), tuple(words), nodes=nodes)

    def _list_class_values(self, types: Mapping[int, Type]) -> list[tuple[Any, Any]]:
        type_ = next(iter(types.values()))
        if not isinstance(type_, WordType):
            return [(False, False), (True, True)]
        programs = self.language.programs
        lists = {
            side: programs[side].values[word_type.values].words
            for side, word_type in types.items()
            if isinstance(word_type, WordType)
        }
        if len(lists) == 1:
            return [(at, at) for at in range(len(next(iter(lists.values()))))]
        old, new = types[0], types[1]
        assert isinstance(old, WordType)
        assert isinstance(new, WordType)
        names = self.language.translations.forward.names
        known = {f"{new.values}/{word.name}": at for at, word in enumerate(lists[1])}
        targets = [names.find_new_name("word", f"{old.values}/{word.name}") or "" for word in lists[0]]
        return [(at, known[target]) for at, target in enumerate(targets) if target in known]

    def _describe_class(self, pair: tuple[Any, Any], typed: tuple[int, Type]) -> str:
        side, type_ = typed
        match type_:
            case FlagType():
                return "yes" if pair[side] else "no"
            case WordType(values):
                return str(self.language.programs[side].values[values].words[pair[side]].name)
            case _:
                return str(pair[side])

    def _build_sign_atom(
        self, keys: tuple[InputKey, InputKey], pair: tuple[tuple[int, Expression], tuple[int, Expression]]
    ) -> InputAtom:
        first, second = (self.language.expression_text(node, side) for side, node in pair)
        words = tuple(f"`{first}` {word} `{second}`" for word in ("below", "equal to", "above"))
        values = tuple((at, at) for at in (-1, 0, 1))
        return InputAtom(("sign", *keys), f"{first} and {second}", values, words, nodes=pair[:1], pair=keys)


def _build_range_atom(  # noqa: PLR0913, PLR0917
    key: InputKey,
    text: str,
    low: int | None,
    high: int | None,
    constants: set[int],
    nodes: tuple[tuple[int, Expression], ...],
) -> InputAtom:
    """Atom of a number that is only compared with constants: each range between two constants is one class."""
    first = low if low is not None else min(constants) - 1
    starts = {first, *constants, *(constant + 1 for constant in constants)}
    lows = sorted(item for item in starts if item >= first and (high is None or item <= high))
    ends = [*(item - 1 for item in lows[1:]), high]
    words = [
        str(start) if start == end else f"{start} or more" if end is None else f"{start} to {end}"
        for start, end in zip(lows, ends, strict=True)
    ]
    if low is None:
        words[0] = f"{ends[0]} or less"
    return InputAtom(key, text, tuple((item, item) for item in lows), tuple(words), tuple(lows), nodes)


def _widest_bound(numbers: Sequence[int | None], widest: Callable[[list[int]], int]) -> int | None:
    known = [number for number in numbers if number is not None]
    return widest(known) if len(known) == len(numbers) else None


class _SlotFaultError(Exception):
    pass


class ExpressionEvaluator:
    """Evaluator of expressions of one revision for one combination of input values."""

    def __init__(self, reading: InputCollector, side: int, given: Mapping[InputKey, Any]) -> None:
        self._reading = reading
        self._side = side
        self._given = given
        self._impure_reads: list[InputKey] = []

    def evaluate_root(self, root: Expression) -> tuple[Any, tuple[InputKey, ...]]:
        """Value of an expression, and the fallible inputs read on the way."""
        try:
            value = self._evaluate_node(root)
        except (_SlotFaultError, TypeError):
            value = ("fault",)
        return value, tuple(self._impure_reads)

    def _evaluate_node(self, node: Expression) -> Any:
        of = self._evaluate_node
        plan = self._reading.plans.get(id(node))
        if plan is not None:
            return self._evaluate_planned(plan, node)
        match node:
            case ex.Literal(value=value):
                return value
            case ex.WordLiteral(position=position):
                return position
            case ex.Not(operand=operand):
                return not of(operand)
            case ex.Negation(operand=operand):
                return -of(operand)
            case ex.Narrowed(operand=operand, type=type_):
                return _fit_value(of(operand), type_)
            case ex.Logical(operator="and", left=left, right=right):
                return of(left) and of(right)
            case ex.Logical(left=left, right=right):
                return of(left) or of(right)
            case ex.Arithmetic(operator=operator, left=left, right=right):
                return _apply_operator(operator, of(left), of(right))
            case ex.Conditional(condition=condition, then=then, otherwise=otherwise):
                return of(then) if of(condition) else of(otherwise)
            case ex.Comparison(operator=operator, left=left, right=right):
                return ex.COMPARISON_FUNCTIONS[operator](of(left), of(right))
            case ex.Membership(item=item, collection=ex.Interval(low=low, high=high), negated=negated):
                return (of(low) <= of(item) <= of(high)) != negated
            case ex.Membership(item=item, collection=collection, negated=negated):
                return (
                    of(item) in [of(enumerated_member) for enumerated_member in enumerated_members(collection)]
                ) != negated
        raise AssertionError(f"nothing known of {type(node).__name__}")

    def _evaluate_planned(self, plan: tuple[str, Any], node: Expression) -> Any:
        sort, payload = plan
        if sort == "kept":
            return payload
        key, flag = payload
        if not self._reading.language.fallibility[self._side].is_infallible(node):
            self._impure_reads.append(key)
        if sort == "sign":
            assert isinstance(node, ex.Comparison)
            return ex.COMPARISON_FUNCTIONS[node.operator](-self._given[key] if flag else self._given[key], 0)
        return self._given[key] if flag else not self._given[key]


def _apply_operator(operator: str, left: Any, right: Any) -> Any:
    return left + right if operator == "+" else left - right if operator == "-" else left * right


def _fit_value(value: Any, type_: Type) -> Any:
    bounds = strip_optional(type_)
    if value is None and not isinstance(type_, OptionalType):
        raise _SlotFaultError
    if isinstance(bounds, NumberType) and value is not None:
        below = bounds.low is not None and value < bounds.low
        if below or (bounds.high is not None and value > bounds.high):
            raise _SlotFaultError
    return value
