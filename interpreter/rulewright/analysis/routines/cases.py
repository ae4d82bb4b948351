"""The values that the cases of a `match` cover."""

from rulewright.analysis.facts import Proof, prove
from rulewright.analysis.infer import names as infer_names
from rulewright.analysis.language.wording import literal
from rulewright.analysis.routines.here import Here
from rulewright.program.describe import describe
from rulewright.program.expressions import Comparison, Expression, Literal, WordLiteral
from rulewright.program.types import FLAG, FlagType, NoneType, NumberType, OptionalType, Type, WordType
from rulewright.source import Span

_MOST = 1000


class Cover:
    """Which values of a subject have a case; reports cases twice and values without one."""

    def __init__(self, subject: Expression, here: Here) -> None:
        """Lists every value the subject can have."""
        self._subject = subject
        self._here = here
        self._all = values(subject.type, subject.span, here)
        self._seen: dict[object, Span] = {}

    def add(self, case: tuple[Expression, ...]) -> None:
        """A case; reports a value that an earlier one has."""
        for each in case:
            if not isinstance(each, Literal | WordLiteral):
                self._here.error("RW0509", each.span, "a case is a word, a number, a flag or `none`")
            elif _key(each) in self._seen:
                self._here.error("RW0509", each.span, f"`{_text(each, self._here)}` has a case already")
            else:
                self._seen[_key(each)] = each.span

    def complete(self, span: Span) -> bool:
        """Whether every value that the subject can have here has a case; reports those that have none."""
        if self._all is None:
            message = f"a value of type `{describe(self._subject.type)}` has too many cases to `match`"
            self._here.error("RW0509", span, message, help="write `if` and `else if`")
            return False
        missing = [each for each in self._all if _key(each) not in self._seen and self._possible(each)]
        if missing:
            listed = ", ".join(f"`{_text(each, self._here)}`" for each in missing[:4])
            more = f" and {len(missing) - 4} more" if len(missing) > 4 else ""  # noqa: PLR2004 - four can be read
            message = f"this `match` has no case for {listed}{more}"
            self._here.error("RW0509", span, message, help="add `on …:` with `nothing`, where nothing happens")
        return not missing

    def _possible(self, value: Expression) -> bool:
        equal = Comparison(type=FLAG, span=value.span, operator="=", left=self._subject, right=value)
        return prove(self._here.facts, equal) is not Proof.REFUTED


def values(type_: Type, span: Span, here: Here) -> list[Expression] | None:
    """Every value of a small type, in order, or none where there are too many."""
    match type_:
        case WordType(name):
            words = infer_names.words_of(name, here.routine.scope)
            return [WordLiteral(type=type_, span=span, position=position) for _, position in words]
        case FlagType():
            return [Literal(type=FLAG, span=span, value=value) for value in (True, False)]
        case NumberType(int() as low, int() as high) if high - low < _MOST:
            return [Literal(type=NumberType(n, n), span=span, value=n) for n in range(low, high + 1)]
        case OptionalType(inner):
            held = values(inner, span, here)
            return held and [Literal(type=NoneType(), span=span, value=None), *held]
        case _:
            return None


def _key(value: Expression) -> object:
    match value:
        case WordLiteral(position=position):
            return ("word", position)
        case Literal(value=held):
            return (type(held).__name__, held)
        case _:
            raise AssertionError(value)


def _text(value: Expression, here: Here) -> str:
    match value:
        case WordLiteral(type=WordType(name), position=position):
            return {at: word for word, at in infer_names.words_of(name, here.routine.scope)}[position]
        case Literal(value=held):
            return literal(held)
        case _:
            return "…"
