"""Coverage of `decide`: whether rows cover every case, whether each is reached, and whether two overlap.

Conditions are decomposed into questions with finitely many answers, and all combinations are tried. A question is a
word, a flag, a number near the constants it is compared with, which of two numbers is greater, whether something is
none. What cannot be decomposed is a question of its own, with the answers yes and no.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import accumulate, combinations, product
from math import prod
from operator import or_

from rulewright.base import frozen
from rulewright.base.diagnostics import Label
from rulewright.base.diagnostics.remedies import make_deletion_edits
from rulewright.checker.facts.assumption import assume
from rulewright.checker.facts.fact_store import NONE_KEY, FactKey, Facts, make_equality_key, make_key, normalize_claim
from rulewright.checker.facts.intervals import Interval
from rulewright.checker.facts.prover import Proof, compute_number_range, prove_condition
from rulewright.checker.infer.name_lookup import iterate_list_words
from rulewright.checker.scope import Scope
from rulewright.program import expressions as ex, types as ty
from rulewright.program.conditions import make_size_expression
from rulewright.program.expressions import (
    MIRRORED_OPERATORS,
    Arithmetic,
    Binding,
    Comparison,
    DecideRow,
    Expression,
    Literal,
    Logical,
)
from rulewright.program.types import FractionType, NumberType, Type
from rulewright.program.wording import render_brief_expression


@frozen.dataclass(frozen=True, slots=True)
class _Threshold:
    """A comparison `value >= factor * unit`, rounded; unit is None where a number stands alone."""

    value: FactKey
    upwards: bool
    strict: bool
    factor: Fraction
    unit: Expression | None
    rounding: str = ""  # `floor`, `ceiling`, `round`; empty where the bound is not rounded


def is_stronger_condition(one: Expression, other: Expression, facts: Facts) -> bool:
    """Whether a condition implies another, comparison by comparison of one value.

    `x >= 3` implies `x >= 2`, `a >= 3 * b` that `a >= 2 * b`, `a > 2 * b or b > 2 * a` that `a != b`,
    `a <= ceiling(b / 10)` that `a <= b`.
    """
    match one, other:
        case Logical(operator="or"), _:
            return is_stronger_condition(one.left, other, facts) and is_stronger_condition(one.right, other, facts)
        case _, Logical(operator="and"):
            return is_stronger_condition(one, other.left, facts) and is_stronger_condition(one, other.right, facts)
        case Logical(operator="and"), _:
            return is_stronger_condition(one.left, other, facts) or is_stronger_condition(one.right, other, facts)
        case _, Logical(operator="or"):
            return is_stronger_condition(one, other.left, facts) or is_stronger_condition(one, other.right, facts)
        case _, Comparison(operator="!="):
            return any(is_stronger_condition(one, replace(other, operator=item), facts) for item in "<>")
    return any(
        _is_stronger_threshold(first, second, facts)
        for first in _list_thresholds(one)
        for second in _list_thresholds(other)
        if first.value == second.value and first.upwards == second.upwards
    )


def _is_stronger_threshold(first: _Threshold, second: _Threshold, facts: Facts) -> bool:
    gap = first.factor - second.factor if first.upwards else second.factor - first.factor
    loose = second.strict and not first.strict
    if first.unit is None or second.unit is None:
        return first.unit is second.unit and (gap > 0 or (gap == 0 and not loose))
    if first.rounding or second.rounding:
        plain = [item for item in (first, second) if not item.rounding]
        if loose or (first.rounding != second.rounding and not any(map(_is_whole_bound, plain))):
            return False
    low = compute_number_range(facts, first.unit)[0]
    if make_key(first.unit) != make_key(second.unit) or low is None:
        return False
    return (low > 0 and gap > 0) if loose else (low >= 0 and gap >= 0)


def _is_whole_bound(threshold: _Threshold) -> bool:
    """Whether no rounding changes the bound."""
    unit = threshold.unit
    return threshold.factor.denominator == 1 and unit is not None and isinstance(unit.type, NumberType)


def _list_thresholds(condition: Expression) -> tuple[_Threshold, ...]:
    if not isinstance(condition, Comparison) or condition.operator not in {"<", "<=", ">", ">="}:
        return ()
    sides = (condition.left, condition.operator, condition.right)
    turned = (condition.right, MIRRORED_OPERATORS[condition.operator], condition.left)
    return tuple(
        threshold
        for value, operator, bound in (sides, turned)
        if isinstance(bound.type, NumberType | FractionType)
        for threshold in _parse_thresholds(value, operator, bound)
    )


def _parse_thresholds(value: Expression, operator: str, bound: Expression) -> Iterator[_Threshold]:
    (scale, subject), (factor, unit) = _split_constant_factor(value), _split_constant_factor(bound)
    if subject is None or scale <= 0:
        return
    key, upwards, strict = make_key(subject), operator in {">", ">="}, operator in {"<", ">"}
    yield _Threshold(key, upwards, strict, factor / scale, unit)
    match bound:
        case ex.Builtin(name="floor" | "ceiling" | "round" as rounding, arguments=(quotient,)) if scale == 1:
            factor, unit = _split_constant_factor(quotient)
            if unit is not None:
                yield _Threshold(key, upwards, strict, factor, unit, rounding)


def _split_constant_factor(expression: Expression) -> tuple[Fraction, Expression | None]:
    match expression:
        case Literal(value=int() | Fraction() as number):
            return Fraction(number), None
        case Arithmetic(operator="*" | "/" as operator, left=left, right=right):
            (first, unit), (second, other) = _split_constant_factor(left), _split_constant_factor(right)
            if operator == "*" and (unit is None or other is None):
                return first * second, unit or other
            if operator == "/" and other is None and second:
                return first / second, unit
    return Fraction(1), expression


CaseAnswer = int | bool | str | None
CaseAssignment = Mapping[FactKey, CaseAnswer]
CaseTest = Callable[[CaseAssignment], bool]
UNSPECIFIED_VALUE = "some value"


@dataclass(slots=True, eq=False, repr=False)
class ConditionQuestion:
    """Subject of conditions with finitely many relevant answers."""

    subject: Expression  # for the order of two numbers the first
    other: Expression | None = None  # for the order of two numbers the second; the answers are -1, 0 and 1
    compared_constants: set[CaseAnswer] = field(default_factory=set)  # constants in comparisons
    is_opaque_condition: bool = False  # whether the subject is a condition that was not decomposed


class QuestionSet:
    """Questions of several conditions, without repeats, in the order they are met."""

    def __init__(self) -> None:
        self.questions: dict[FactKey, ConditionQuestion] = {}

    def compile_test(self, condition: Expression) -> CaseTest:
        """Condition as a predicate over answers."""
        match condition:
            case ex.Literal(value=bool() as truth):
                return lambda _: truth
            case ex.Not(operand=operand):
                inner = self.compile_test(operand)
                return lambda case: not inner(case)
            case ex.Logical(operator=operator, left=left, right=right):
                first, second = self.compile_test(left), self.compile_test(right)
                if operator == "and":
                    return lambda case: first(case) and second(case)
                return lambda case: first(case) or second(case)
            case ex.Comparison(left=left, right=right):
                return self._compile_comparison(condition, left, right)
            case ex.Membership(item=item, collection=ex.MakeCollection(items=items), negated=negated) if all(
                isinstance(each, ex.WordLiteral | ex.Literal) for each in items
            ):
                among = [self._compile_comparison(_make_equality(item, each), item, each) for each in items]
                return lambda case: any(same(case) for same in among) is not negated
            case _:
                return self._compile_opaque_condition(condition)

    def _compile_comparison(self, condition: ex.Comparison, left: Expression, right: Expression) -> CaseTest:
        for subject, constant, flip in ((left, right, False), (right, left, True)):
            if isinstance(constant.type, ty.FlagType) and isinstance(constant, ex.Literal):
                inner = self.compile_test(subject)
                wanted = bool(constant.value) is (condition.operator == "=")
                return lambda case: inner(case) is wanted
            countable = isinstance(constant.type, ty.NoneType) or isinstance(
                ty.strip_optional(subject.type), ty.NumberType | ty.WordType | ty.DirectionType
            )
            match constant if countable else None:
                case ex.WordLiteral(position=value) | ex.Literal(value=int() | None as value):
                    return self._compile_constant_comparison(condition.operator, subject, value, flip=flip)
        if isinstance(left.type, ty.NumberType) and isinstance(right.type, ty.NumberType):
            return self._compile_order_comparison(condition.operator, left, right)
        return self._compile_opaque_condition(condition)

    def _compile_constant_comparison(
        self, operator: str, subject: Expression, value: CaseAnswer, *, flip: bool
    ) -> CaseTest:
        name = make_key(subject)
        question = self.questions.setdefault(name, ConditionQuestion(subject))
        question.compared_constants.add(value)
        compare = _ANSWER_COMPARISONS[operator]
        if flip:
            return lambda case: compare(value, case[name])
        return lambda case: compare(case[name], value)

    def _compile_order_comparison(self, operator: str, left: Expression, right: Expression) -> CaseTest:
        name = ("order", *sorted((make_key(left), make_key(right)), key=repr))
        question = self.questions.setdefault(name, ConditionQuestion(left, right))
        compare, sign = _ANSWER_COMPARISONS[operator], 1 if make_key(left) == make_key(question.subject) else -1
        return lambda case: compare(sign * case[name], 0)  # type: ignore[operator]

    def _compile_opaque_condition(self, condition: Expression) -> CaseTest:
        claim = normalize_claim(condition)
        question = self.questions.setdefault(claim.key, ConditionQuestion(condition, is_opaque_condition=True))
        question.compared_constants.update({True, False})
        return lambda case: case[claim.key] is claim.truth


def _make_equality(left: Expression, right: Expression) -> ex.Comparison:
    return ex.Comparison(type=ty.FLAG, span=left.span, operator="=", left=left, right=right)


def _is_less_answer(first: CaseAnswer, second: CaseAnswer) -> bool:
    return isinstance(first, int) and isinstance(second, int) and first < second


_ANSWER_COMPARISONS: dict[str, Callable[[CaseAnswer, CaseAnswer], bool]] = {
    "=": lambda a, b: a == b and (a is None) == (b is None),
    "!=": lambda a, b: a != b or (a is None) != (b is None),
    "<": _is_less_answer,
    ">": lambda a, b: _is_less_answer(b, a),
    "<=": lambda a, b: _is_less_answer(a, b) or a == b,
    ">=": lambda a, b: _is_less_answer(b, a) or a == b,
}


def _list_type_answers(
    type_: Type, constants: set[CaseAnswer], bounds: Interval, words: Callable[[str], int]
) -> list[CaseAnswer]:
    match type_:
        case ty.OptionalType(inner):
            return [None, *_list_type_answers(inner, constants, bounds, words)]
        case ty.WordType(values):
            return list(range(words(values)))
        case ty.DirectionType():
            return list(range(type_.count))
        case ty.NumberType(paired=True):
            return list(_iterate_paired_numbers(constants, ty.NumberType(*bounds, paired=True)))
        case ty.NumberType():
            return list(list_threshold_numbers(constants, bounds))
        case _:
            return [UNSPECIFIED_VALUE]


def list_threshold_numbers(constants: set[CaseAnswer], bounds: Interval) -> list[int]:
    """Bounds, and the numbers at and beside each constant within them."""
    low, high = bounds
    members = {constant + step for constant in constants if isinstance(constant, int) for step in (-1, 0, 1)}
    members |= {end for end in bounds if end is not None}
    return sorted(item for item in members if (low is None or item >= low) and (high is None or item <= high))


def _iterate_paired_numbers(constants: set[CaseAnswer], type_: ty.NumberType) -> Iterator[int]:
    numbers = type_.list_numbers() or ()
    for before, number, after in zip((None, *numbers), numbers, (*numbers[1:], None), strict=False):
        passed = (constant for constant in constants if isinstance(constant, int))
        if before is None or after is None or any(before <= constant <= after for constant in passed):
            yield number


def _is_free_expression(expression: Expression, inputs: int, is_tested: Callable[[Expression], bool]) -> bool:
    """Whether an expression can have every value of its type: an input or state of which nothing is known."""
    if is_tested(expression):
        return False
    match expression:
        case ex.Local(variable=variable):
            return 0 <= variable.index < inputs
        case ex.GameField() | ex.SettingValue() | ex.Itself():
            return True
        case ex.StoredAttribute(target=target) | ex.CellAttribute(target=target) | ex.Part(target=target):
            return _is_free_expression(target, inputs, is_tested)
        case _:
            return False


def _describe_answer(question: ConditionQuestion, answer: CaseAnswer, word: Callable[[str, int], str]) -> str:
    text = render_brief_expression(question.subject)
    if question.other is not None:
        order = {-1: "less than", 0: "equal to", 1: "greater than"}
        assert isinstance(answer, int)
        return f"`{text}` is {order[answer]} `{render_brief_expression(question.other)}`"
    match answer, ty.strip_optional(question.subject.type):
        case True | False, ty.FlagType():
            return f"`{text}` is {'yes' if answer else 'no'}"
        case None, _:
            return f"`{text}` is none"
        case int(), ty.WordType(values):
            return f"`{text}` is `{word(values, answer)}`"
        case _:
            return f"`{text}` is {answer}"


MAX_CASES = 4096  # combinations of answers tried for one decide


def check_decide_cases(rows: tuple[DecideRow, ...], scope: Scope) -> bool:
    """Whether every row is reached and every case has one; reports rows and cases of which that is not so."""
    dead, is_certain = _find_unreachable_rows(rows, scope.facts)
    questions, tests, cases = _divide_into_cases([row.guard for row in rows], scope)
    open_case: CaseAssignment | None = None
    if cases is not None:
        reached = set[int]()
        for case in cases:
            place = next((at for at, test in enumerate(tests) if test(case)), None)
            if place is not None:
                reached.add(place)
            elif open_case is None:
                open_case = case
        dead |= set(range(len(rows))) - reached
    for row in (rows[place] for place in sorted(dead)):
        message = f"row `{row.id}` is never reached"
        remedy = "the rows above it take every case in which it would hold, or its condition never holds"
        scope.report.proved_error("RW0410", row.span, message, help=remedy, edits=make_deletion_edits(row.span))
    is_complete = cases is not None and open_case is None
    if not is_complete and not is_certain:
        _report_open_cases(rows, questions, open_case, scope)
        return False
    return not dead


def covers_every_case(conditions: Sequence[Expression], scope: Scope) -> bool:
    """Whether one of the conditions holds in every case; false too where there are more cases than are tried."""
    _, tests, cases = _divide_into_cases(conditions, scope)
    return cases is not None and all(any(test(case) for test in tests) for case in cases)


def _divide_into_cases(
    conditions: Sequence[Expression | None], scope: Scope
) -> tuple[dict[FactKey, ConditionQuestion], list[CaseTest], Iterator[CaseAssignment] | None]:
    """Questions of conditions, each condition as a test of a case, and all cases.

    A condition that is None always holds; the cases are None where there are more than `MAX_CASES`.
    """
    found = QuestionSet()
    tests = [(lambda _: True) if condition is None else found.compile_test(condition) for condition in conditions]
    domains = {name: compute_answer_domain(question, scope) for name, question in found.questions.items()}
    if prod(map(len, domains.values())) > MAX_CASES:
        return found.questions, tests, None
    return found.questions, tests, (dict(zip(domains, chosen, strict=True)) for chosen in product(*domains.values()))


def _find_unreachable_rows(rows: tuple[DecideRow, ...], facts: Facts) -> tuple[set[int], bool]:
    """Rows that are never reached as far as proofs show, and whether some row certainly holds."""
    dead = set[int]()
    for place, row in enumerate(rows):
        proof = Proof.PROVED if row.guard is None else prove_condition(facts, row.guard)
        if proof is Proof.REFUTED:
            dead.add(place)
        elif proof is Proof.PROVED:
            below = range(place + 1, len(rows)) if row.guard is not None else ()
            return dead | set(below), True
        facts = assume(facts, _get_required_guard(row), truth=False)
    return dead, False


def compute_answer_domain(question: ConditionQuestion, scope: Scope) -> list[CaseAnswer]:
    """Possible answers to a question, for numbers those that make a difference."""
    subject = question.subject
    bounds = compute_number_range(scope.facts, subject) if isinstance(subject.type, ty.NumberType) else (None, None)
    result: list[CaseAnswer] = [-1, 0, 1] if question.other is not None else [True, False]
    if question.other is None and not question.is_opaque_condition:
        result = _list_type_answers(
            subject.type,
            question.compared_constants,
            bounds,
            lambda values: len(list(iterate_list_words(values, scope))),
        )
    return [item for item in result if _is_possible_answer(question, item, scope.facts)] or result


def _is_possible_answer(question: ConditionQuestion, answer: CaseAnswer, facts: Facts) -> bool:
    subject = question.subject
    if question.is_opaque_condition:
        proof = prove_condition(facts, subject)
        return proof is Proof.UNKNOWN or (proof is Proof.PROVED) is answer
    if question.other is not None or isinstance(subject.type, ty.NumberType):
        return True
    if answer == UNSPECIFIED_VALUE:
        return True
    sort = ("literal", "int") if isinstance(ty.strip_optional(subject.type), ty.DirectionType) else ("WordLiteral",)
    result = facts.truths.get(make_equality_key(make_key(subject), NONE_KEY if answer is None else (*sort, answer)))
    return result is None or result[0]


def _report_open_cases(
    rows: tuple[DecideRow, ...],
    questions: dict[FactKey, ConditionQuestion],
    case: CaseAssignment | None,
    scope: Scope,
) -> None:
    span = rows[0].span.extend_to(rows[-1].span)
    remedy = "end with a row `…: … otherwise`"
    if case is not None and all(_is_free_question(question, scope) for question in questions.values()):
        shown_case = " and ".join(
            _describe_answer(
                question,
                case[name],
                lambda values, at: next(w for w, p in iterate_list_words(values, scope) if p == at),
            )
            for name, question in questions.items()
            if case[name] != UNSPECIFIED_VALUE
        )
        scope.report.proved_error("RW0408", span, f"no row holds when {shown_case}", help=remedy)
        return
    notes = ("`check` could not show that some row always holds; if none does, the run stops here.",)
    scope.report.warning("RW0409", span, "there may be cases that no row covers", notes=notes, help=remedy)


def _is_free_question(question: ConditionQuestion, scope: Scope) -> bool:
    def is_constrained(expression: Expression) -> bool:
        name = make_key(expression)
        return name in scope.facts.ranges or any(name in truth for truth in scope.facts.truths)

    if question.is_opaque_condition and question.other is None:
        return _is_free_expression(question.subject, scope.variables.parameter_count, is_constrained)
    sides = [item for item in (question.subject, question.other) if item is not None]
    return all(_is_free_expression(side, scope.variables.parameter_count, is_constrained) for side in sides)


def check_row_overlap(rows: tuple[DecideRow, ...], scope: Scope) -> None:
    """Warns of the first two rows that may hold at once with unlike values (RW0565).

    A row that is a special case of the one below it is meant to come first.
    """
    judged = [row for row in rows if row.guard is not None]
    holds = _compute_row_case_sets(judged, scope)
    above = list(accumulate(holds, or_, initial=0))
    for first, second in combinations(range(len(holds)), 2):
        one, other = holds[first] & ~above[first], holds[second] & ~above[first]
        if not (one & other and one & ~other and other & ~one):
            continue
        if _may_give_different_values(judged[first], judged[second], scope.facts) and _are_conditions_independent(
            judged, first, second, scope.facts
        ):
            _warn_row_overlap(judged[first], judged[second], scope)
            return


def _compute_row_case_sets(rows: Sequence[DecideRow], scope: Scope) -> list[int]:
    """Cases of each row as a bit set; () where there are more than `MAX_CASES`."""
    _, tests, cases = _divide_into_cases([row.guard for row in rows], scope)
    if cases is None:
        return []
    listed = list(cases)
    return [sum(1 << place for place, case in enumerate(listed) if test(case)) for test in tests]


def _may_give_different_values(one: DecideRow, other: DecideRow, facts: Facts) -> bool:
    if make_key(one.value) == make_key(other.value):
        return False
    for decide_row in (one, other):
        facts = assume(facts, _get_required_guard(decide_row), truth=True)
    return prove_condition(facts, _make_equality(one.value, other.value)) is not Proof.PROVED and not (
        _is_empty_collection(one.value, facts) and _is_empty_collection(other.value, facts)
    )


def _is_empty_collection(value: Expression, facts: Facts) -> bool:
    collection = isinstance(value.type, ty.SetType | ty.ListType)
    return collection and compute_number_range(
        facts, make_size_expression(Binding((None,), value, None), value.span)
    ) == (0, 0)


def _are_conditions_independent(rows: Sequence[DecideRow], first: int, second: int, facts: Facts) -> bool:
    """Whether each of two conditions may hold with and without the other, where no row above holds."""
    for row in rows[:first]:
        facts = assume(facts, _get_required_guard(row), truth=False)
    one, other = _get_required_guard(rows[first]), _get_required_guard(rows[second])
    return not is_stronger_condition(one, other, facts) and all(
        prove_condition(assume(facts, given, truth=True), condition) is Proof.UNKNOWN
        for given, condition in ((one, other), (other, one))
    )


def _get_required_guard(row: DecideRow) -> Expression:
    assert row.guard is not None
    return row.guard


def _warn_row_overlap(one: DecideRow, other: DecideRow, scope: Scope) -> None:
    message = f"row `{other.id}` may hold together with `{one.id}`, which comes first and wins"
    there = (Label(one.span, "this row"),)
    notes = ("Nothing here says that the order is meant.",)
    remedy = "let one of them exclude the other, or say in a `ruling` above the decide that the order is meant"
    scope.report.warning("RW0565", other.span, message, secondary=there, notes=notes, help=remedy)
