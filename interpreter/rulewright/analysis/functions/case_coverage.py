"""Whether the rows of a decide cover every case, whether each is ever reached, and whether two may hold at once.

Conditions are taken apart into questions with finitely many answers, so that all cases can be tried. A question is
what a condition asks about: a word, a flag, a number near the constants it is compared with, which of two numbers is
greater, whether something is none. What cannot be taken apart further is a question of its own, with the answers yes
and no.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, combinations, product
from math import prod
from operator import or_

from rulewright.analysis.facts import Facts, Proof, number_range, prove, suppose
from rulewright.analysis.facts.intervals import Range
from rulewright.analysis.facts.knowledge import NONE, Key, claim, equal, key
from rulewright.analysis.functions.thresholds import narrower
from rulewright.analysis.infer.lookup import words_of
from rulewright.analysis.scope import Scope
from rulewright.diagnostics import Label
from rulewright.diagnostics.remedies import left_out
from rulewright.program import expressions as ex, types as ty
from rulewright.program.conditions import size_of
from rulewright.program.expressions import Binding, Expression
from rulewright.program.rows import DecideRow
from rulewright.program.types import Type
from rulewright.program.wording import wording

Answer = int | bool | str | None
Case = Mapping[Key, Answer]
Test = Callable[[Case], bool]
SOME = "some value"


@dataclass(slots=True, eq=False, repr=False)
class Question:
    """Something conditions ask about."""

    subject: Expression  # the expression, or for the order of two numbers the first
    other: Expression | None = None  # for the order of two numbers the second; the answers are -1, 0 and 1
    constants: set[Answer] = field(default_factory=set)  # what it is compared with
    judged: bool = False  # whether the expression is itself a condition that was not taken apart


class Questions:
    """All questions of several conditions, each once, in the order they are met."""

    def __init__(self) -> None:
        self.found: dict[Key, Question] = {}

    def test(self, condition: Expression) -> Test:  # noqa: PLR0911 - one case for each sort
        """A condition as a test of the answers."""
        match condition:
            case ex.Literal(value=bool() as truth):
                return lambda _: truth
            case ex.Not(operand=operand):
                inner = self.test(operand)
                return lambda case: not inner(case)
            case ex.Logical(operator=operator, left=left, right=right):
                first, second = self.test(left), self.test(right)
                if operator == "and":
                    return lambda case: first(case) and second(case)
                return lambda case: first(case) or second(case)
            case ex.Comparison(left=left, right=right):
                return self._comparison(condition, left, right)
            case ex.Membership(item=item, collection=ex.MakeCollection(items=items), negated=negated) if all(
                isinstance(each, ex.WordLiteral | ex.Literal) for each in items
            ):
                among = [self._comparison(_same(item, each), item, each) for each in items]
                return lambda case: any(same(case) for same in among) is not negated
            case _:
                return self._whole(condition)

    def _comparison(self, condition: ex.Comparison, left: Expression, right: Expression) -> Test:
        for subject, constant, flip in ((left, right, False), (right, left, True)):
            if isinstance(constant.type, ty.FlagType) and isinstance(constant, ex.Literal):
                inner = self.test(subject)
                wanted = bool(constant.value) is (condition.operator == "=")
                return lambda case: inner(case) is wanted
            countable = isinstance(constant.type, ty.NoneType) or isinstance(
                ty.present(subject.type), ty.NumberType | ty.WordType | ty.DirectionType
            )
            match constant if countable else None:
                case ex.WordLiteral(position=value) | ex.Literal(value=int() | None as value):
                    return self._with_constant(condition.operator, subject, value, flip=flip)
        if isinstance(left.type, ty.NumberType) and isinstance(right.type, ty.NumberType):
            return self._order(condition.operator, left, right)
        return self._whole(condition)

    def _with_constant(self, operator: str, subject: Expression, value: Answer, *, flip: bool) -> Test:
        name = key(subject)
        question = self.found.setdefault(name, Question(subject))
        question.constants.add(value)
        compare = _COMPARED[operator]
        if flip:
            return lambda case: compare(value, case[name])
        return lambda case: compare(case[name], value)

    def _order(self, operator: str, left: Expression, right: Expression) -> Test:
        name = ("order", *sorted((key(left), key(right)), key=repr))
        question = self.found.setdefault(name, Question(left, right))
        compare, sign = _COMPARED[operator], 1 if key(left) == key(question.subject) else -1
        return lambda case: compare(sign * case[name], 0)  # type: ignore[operator]

    def _whole(self, condition: Expression) -> Test:
        said = claim(condition)
        question = self.found.setdefault(said.key, Question(condition, judged=True))
        question.constants.update({True, False})
        return lambda case: case[said.key] is said.truth


def _same(left: Expression, right: Expression) -> ex.Comparison:
    return ex.Comparison(type=ty.FLAG, span=left.span, operator="=", left=left, right=right)


def _less(first: Answer, second: Answer) -> bool:
    return isinstance(first, int) and isinstance(second, int) and first < second


_COMPARED: dict[str, Callable[[Answer, Answer], bool]] = {
    "=": lambda a, b: a == b and (a is None) == (b is None),
    "!=": lambda a, b: a != b or (a is None) != (b is None),
    "<": _less,
    ">": lambda a, b: _less(b, a),
    "<=": lambda a, b: _less(a, b) or a == b,
    ">=": lambda a, b: _less(b, a) or a == b,
}


def _of_type(type_: Type, constants: set[Answer], bounds: Range, words: Callable[[str], int]) -> list[Answer]:
    """All values of a type, of numbers those that make a difference beside some constants."""
    match type_:
        case ty.OptionalType(inner):
            return [None, *_of_type(inner, constants, bounds, words)]
        case ty.WordType(values):
            return list(range(words(values)))
        case ty.DirectionType():
            return list(range(type_.count))
        case ty.NumberType(paired=True):
            return list(_nearest(constants, ty.NumberType(*bounds, paired=True)))
        case ty.NumberType():
            return list(near(constants, bounds))
        case _:
            return [SOME]


def near(constants: set[Answer], bounds: Range) -> list[int]:
    """The bounds, and the numbers at and beside each constant within them."""
    low, high = bounds
    found = {each + step for each in constants if isinstance(each, int) for step in (-1, 0, 1)}
    found |= {end for end in bounds if end is not None}
    return sorted(each for each in found if (low is None or each >= low) and (high is None or each <= high))


def _nearest(constants: set[Answer], type_: ty.NumberType) -> Iterator[int]:
    """What a `d66` shows at and on both sides of each constant."""
    numbers = type_.numbers() or ()
    for before, each, after in zip((None, *numbers), numbers, (*numbers[1:], None), strict=False):
        passed = (constant for constant in constants if isinstance(constant, int))
        if before is None or after is None or any(before <= constant <= after for constant in passed):
            yield each


def _free(expression: Expression, inputs: int, seen: Callable[[Expression], bool]) -> bool:
    """Whether it can have every value of its type: an input, or what the state says; `seen` tells what is known."""
    if seen(expression):
        return False
    match expression:
        case ex.Local(variable=variable):
            return 0 <= variable.index < inputs
        case ex.GameField() | ex.SettingValue() | ex.Itself():
            return True
        case ex.StoredAttribute(target=target) | ex.CellAttribute(target=target) | ex.Part(target=target):
            return _free(target, inputs, seen)
        case _:
            return False


def _shown(question: Question, answer: Answer, word: Callable[[str, int], str]) -> str:
    """A question with its answer, in the designer's words."""
    text = wording(question.subject)
    if question.other is not None:
        order = {-1: "less than", 0: "equal to", 1: "greater than"}
        assert isinstance(answer, int)
        return f"`{text}` is {order[answer]} `{wording(question.other)}`"
    match answer, ty.present(question.subject.type):
        case True | False, ty.FlagType():
            return f"`{text}` is {'yes' if answer else 'no'}"
        case None, _:
            return f"`{text}` is none"
        case int(), ty.WordType(values):
            return f"`{text}` is `{word(values, answer)}`"
        case _:
            return f"`{text}` is {answer}"


MOST_CASES = 4096


def check_cases(rows: tuple[DecideRow, ...], scope: Scope) -> bool:
    """Whether every row is reached and every case has one; reports rows and cases of which that is not so."""
    dead = _unreachable(rows, scope.facts)
    questions = Questions()
    tests = [questions.test(row.guard) if row.guard is not None else None for row in rows]
    domains = {name: domain(each, scope) for name, each in questions.found.items()}
    open_case: dict[Key, Answer] | None = None
    exhausted = prod(len(domain) for domain in domains.values()) <= MOST_CASES
    if exhausted:
        reached = set[int]()
        for case in _cases(domains):
            place = next((at for at, test in enumerate(tests) if test is None or test(case)), None)
            if place is not None:
                reached.add(place)
            elif open_case is None:
                open_case = case
        dead |= set(range(len(rows))) - reached
    for row in (rows[place] for place in sorted(dead)):
        message = f"row `{row.id}` is never reached"
        remedy = "the rows above it take every case in which it would hold, or its condition never holds"
        scope.report.error("RW0410", row.span, message, help=remedy, edits=left_out(row.span))
    if rows[-1].guard is not None and not (exhausted and open_case is None) and not _excluded(rows, scope.facts):
        _open(rows, questions.found, open_case, scope)
        return False
    return not dead


def _cases(domains: dict[Key, list[Answer]]) -> Iterator[dict[Key, Answer]]:
    for chosen in product(*domains.values()):
        yield dict(zip(domains, chosen, strict=True))


def _unreachable(rows: tuple[DecideRow, ...], facts: Facts) -> set[int]:
    dead = set[int]()
    for place, row in enumerate(rows):
        if row.guard is None:
            break
        proof = prove(facts, row.guard)
        if proof is Proof.REFUTED:
            dead.add(place)
        elif proof is Proof.PROVED:
            dead |= set(range(place + 1, len(rows)))
            break
        facts = suppose(facts, row.guard, truth=False)
    return dead


def _excluded(rows: tuple[DecideRow, ...], facts: Facts) -> bool:
    """Whether some row holds when all above it do not, so that no case is left."""
    for row in rows:
        if row.guard is None or prove(facts, row.guard) is Proof.PROVED:
            return True
        facts = suppose(facts, row.guard, truth=False)
    return False


def domain(question: Question, scope: Scope) -> list[Answer]:
    """The answers to a question that are possible here, or for numbers those that make a difference."""
    subject = question.subject
    bounds = number_range(scope.facts, subject) if isinstance(subject.type, ty.NumberType) else (None, None)
    found: list[Answer] = [-1, 0, 1] if question.other is not None else [True, False]
    if question.other is None and not question.judged:
        found = _of_type(subject.type, question.constants, bounds, lambda values: len(list(words_of(values, scope))))
    return [each for each in found if _possible(question, each, scope.facts)] or found


def _possible(question: Question, answer: Answer, facts: Facts) -> bool:
    subject = question.subject
    if question.judged:
        proof = prove(facts, subject)
        return proof is Proof.UNKNOWN or (proof is Proof.PROVED) is answer
    if question.other is not None or isinstance(subject.type, ty.NumberType):
        return True
    if answer == SOME:
        return True
    sort = ("literal", "int") if isinstance(ty.present(subject.type), ty.DirectionType) else ("WordLiteral",)
    found = facts.truths.get(equal(key(subject), NONE if answer is None else (*sort, answer)))
    return found is None or found[0]


def _open(
    rows: tuple[DecideRow, ...], found: dict[Key, Question], case: dict[Key, Answer] | None, scope: Scope
) -> None:
    span = rows[0].span.to(rows[-1].span)
    remedy = "end with a row `…: … otherwise`"
    if case is not None and all(_is_free(each, scope) for each in found.values()):
        shown_case = " and ".join(
            _shown(question, case[name], lambda values, at: next(w for w, p in words_of(values, scope) if p == at))
            for name, question in found.items()
            if case[name] != SOME
        )
        scope.report.error("RW0408", span, f"no row holds when {shown_case}", help=remedy)
        return
    notes = ("`check` could not show that some row always holds; if none does, the run stops here.",)
    scope.report.warning("RW0409", span, "there may be cases that no row covers", notes=notes, help=remedy)


def _is_free(question: Question, scope: Scope) -> bool:
    def seen(expression: Expression) -> bool:
        name = key(expression)
        return name in scope.facts.ranges or any(name in each for each in scope.facts.truths)

    if question.judged and question.other is None:
        return _free(question.subject, scope.variables.inputs, seen)
    sides = [each for each in (question.subject, question.other) if each is not None]
    return all(_free(each, scope.variables.inputs, seen) for each in sides)


def check_overlap(rows: tuple[DecideRow, ...], scope: Scope) -> None:
    """Warns of the first two rows that may hold at once with unlike values, neither being a case of the other.

    A row that is a case of the one below it is meant to come first; what is `otherwise` is said by the text.
    """
    judged = [each for each in rows if each.guard is not None]
    holds = _cases_of_rows(judged, scope)
    above = list(accumulate(holds, or_, initial=0))
    for first, second in combinations(range(len(holds)), 2):
        one, other = holds[first] & ~above[first], holds[second] & ~above[first]
        if not (one & other and one & ~other and other & ~one):
            continue
        if _unlike(judged[first], judged[second], scope.facts) and _independent(judged, first, second, scope.facts):
            _report(judged[first], judged[second], scope)
            return


def _cases_of_rows(rows: Sequence[DecideRow], scope: Scope) -> list[int]:
    """For each row the cases in which it holds, a bit for each case there may be; none where there are too many."""
    questions = Questions()
    tests = [questions.test(each.guard) for each in rows if each.guard is not None]
    domains = {name: domain(each, scope) for name, each in questions.found.items()}
    if prod(map(len, domains.values())) > MOST_CASES:
        return []
    cases = list(_cases(domains))
    return [sum(1 << place for place, case in enumerate(cases) if test(case)) for test in tests]


def _unlike(one: DecideRow, other: DecideRow, facts: Facts) -> bool:
    """Whether two rows may give two values where both hold."""
    if key(one.value) == key(other.value):
        return False
    for each in (one, other):
        facts = suppose(facts, _guard(each), truth=True)
    return prove(facts, _same(one.value, other.value)) is not Proof.PROVED and not (
        _empty(one.value, facts) and _empty(other.value, facts)
    )


def _empty(value: Expression, facts: Facts) -> bool:
    """Whether a value is a collection without members."""
    collection = isinstance(value.type, ty.SetType | ty.ListType)
    return collection and number_range(facts, size_of(Binding((None,), value, None), value.span)) == (0, 0)


def _independent(rows: Sequence[DecideRow], first: int, second: int, facts: Facts) -> bool:
    """Whether each of two conditions may hold with the other and without it, where no row above holds."""
    for each in rows[:first]:
        facts = suppose(facts, _guard(each), truth=False)
    one, other = _guard(rows[first]), _guard(rows[second])
    return not narrower(one, other, facts) and all(
        prove(suppose(facts, given, truth=True), asked) is Proof.UNKNOWN
        for given, asked in ((one, other), (other, one))
    )


def _guard(row: DecideRow) -> Expression:
    assert row.guard is not None
    return row.guard


def _report(one: DecideRow, other: DecideRow, scope: Scope) -> None:
    message = f"row `{other.id}` may hold together with `{one.id}`, which comes first and wins"
    there = (Label(one.span, "this row"),)
    notes = ("Nothing here says that the order is meant.",)
    remedy = "let one of them exclude the other, or say in a `ruling` above the decide that the order is meant"
    scope.report.warning("RW0565", other.span, message, secondary=there, notes=notes, help=remedy)
