"""Conditions taken apart into questions with finitely many answers, so that all cases can be tried.

A question is what a condition asks about: a word, a flag, a number near the constants it is compared with, which of
two numbers is greater, whether something is none. What cannot be taken apart further is a question of its own, with
the answers yes and no.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from rulewright.analysis.facts.intervals import Range
from rulewright.analysis.facts.keys import Key, claim, key
from rulewright.analysis.language.wording import wording
from rulewright.program.expressions import (
    CellAttribute,
    Comparison,
    Expression,
    GameField,
    Itself,
    Literal,
    Local,
    Logical,
    Not,
    Part,
    SettingValue,
    StoredAttribute,
    WordLiteral,
)
from rulewright.program.types import FlagType, NoneType, NumberType, OptionalType, Type, WordType, present

Answer = int | bool | str | None
Case = Mapping[Key, Answer]
Test = Callable[[Case], bool]

SOME = "some value"


@dataclass(slots=True, eq=False, repr=False)
class Question:
    """Something conditions ask about.

    Attributes:
        subject: the expression, or for the order of two numbers the first.
        other: for the order of two numbers the second; the answers are -1, 0 and 1.
        constants: what it is compared with.
        judged: whether the expression is itself a condition that was not taken apart.
    """

    subject: Expression
    other: Expression | None = None
    constants: set[Answer] = field(default_factory=set)
    judged: bool = False


class Questions:
    """All questions of several conditions, each once, in the order they are met."""

    def __init__(self) -> None:
        self.found: dict[Key, Question] = {}

    def test(self, condition: Expression) -> Test:
        """A condition as a test of the answers."""
        match condition:
            case Literal(value=bool() as truth):
                return lambda _: truth
            case Not(operand=operand):
                inner = self.test(operand)
                return lambda case: not inner(case)
            case Logical(operator=operator, left=left, right=right):
                first, second = self.test(left), self.test(right)
                if operator == "and":
                    return lambda case: first(case) and second(case)
                return lambda case: first(case) or second(case)
            case Comparison(left=left, right=right):
                return self._comparison(condition, left, right)
            case _:
                return self._whole(condition)

    def _comparison(self, condition: Comparison, left: Expression, right: Expression) -> Test:
        for subject, constant, flip in ((left, right, False), (right, left, True)):
            if isinstance(constant.type, FlagType) and isinstance(constant, Literal):
                inner = self.test(subject)
                wanted = bool(constant.value) is (condition.operator == "=")
                return lambda case: inner(case) is wanted
            value = _constant(constant)
            if value is not _NOT_CONSTANT and _countable(subject.type, constant):
                return self._with_constant(condition.operator, subject, value, flip=flip)  # type: ignore[arg-type]
        if isinstance(left.type, NumberType) and isinstance(right.type, NumberType):
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
        return lambda case: compare(sign * _whole_number(case[name]), 0)

    def _whole(self, condition: Expression) -> Test:
        said = claim(condition)
        question = self.found.setdefault(said.key, Question(condition, judged=True))
        question.constants.update({True, False})
        return lambda case: case[said.key] is said.truth


def _whole_number(answer: Answer) -> int:
    assert isinstance(answer, int)
    return answer


_NOT_CONSTANT = object()


def _constant(expression: Expression) -> object:
    match expression:
        case WordLiteral(position=position):
            return position
        case Literal(value=int() | None as value):
            return value
        case _:
            return _NOT_CONSTANT


def _countable(type_: Type, constant: Expression) -> bool:
    if isinstance(constant.type, NoneType):
        return True
    inner = present(type_)
    return isinstance(inner, NumberType | WordType)


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


def answers(question: Question, bounds: Range, words: Callable[[str], int]) -> list[Answer]:
    """All answers to a question, or for numbers those that make a difference."""
    if question.other is not None:
        return [-1, 0, 1]
    if question.judged:
        return [True, False]
    return _of_type(question.subject.type, question.constants, bounds, words)


def _of_type(type_: Type, constants: set[Answer], bounds: Range, words: Callable[[str], int]) -> list[Answer]:
    match type_:
        case OptionalType(inner):
            return [None, *_of_type(inner, constants, bounds, words)]
        case WordType(values):
            return list(range(words(values)))
        case NumberType():
            return list(near(constants, bounds))
        case _:
            return [SOME]


def near(constants: set[Answer], bounds: Range) -> list[int]:
    """The bounds, and the numbers at and beside each constant within them."""
    low, high = bounds
    found = {each + step for each in constants if isinstance(each, int) for step in (-1, 0, 1)}
    found |= {end for end in bounds if end is not None}
    return sorted(each for each in found if (low is None or each >= low) and (high is None or each <= high))


def free(expression: Expression, inputs: int, seen: Callable[[Expression], bool]) -> bool:
    """Whether it can have every value of its type: an input, or what the state says; `seen` tells what is known."""
    if seen(expression):
        return False
    match expression:
        case Local(variable=variable):
            return 0 <= variable.index < inputs
        case GameField() | SettingValue() | Itself():
            return True
        case StoredAttribute(target=target) | CellAttribute(target=target) | Part(target=target):
            return free(target, inputs, seen)
        case _:
            return False


def shown(question: Question, answer: Answer, word: Callable[[str, int], str]) -> str:
    """A question with its answer, in the designer's words."""
    text = wording(question.subject)
    if question.other is not None:
        order = {-1: "less than", 0: "equal to", 1: "greater than"}
        assert isinstance(answer, int)
        return f"`{text}` is {order[answer]} `{wording(question.other)}`"
    match answer, present(question.subject.type):
        case True | False, FlagType():
            return f"`{text}` is {'yes' if answer else 'no'}"
        case None, _:
            return f"`{text}` is none"
        case int(), WordType(values):
            return f"`{text}` is `{word(values, answer)}`"
        case _:
            return f"`{text}` is {answer}"
