"""Which expressions can be evaluated in any order."""

from rulewright.program import expressions as ex
from rulewright.program.declarations import Program
from rulewright.program.expressions import Expression
from rulewright.program.walk import inside

_STEADY = (
    ex.Literal,
    ex.WordLiteral,
    ex.Local,
    ex.Itself,
    ex.GameField,
    ex.SettingValue,
    ex.InPlay,
    ex.Removed,
    ex.BoardCells,
    ex.Gone,
    ex.Part,
    ex.DieAttribute,
    ex.MakeTuple,
    ex.MakeRecord,
    ex.MakeCollection,
    ex.Logical,
    ex.Not,
    ex.Comparison,
    ex.Membership,
    ex.Interval,
    ex.Negation,
    ex.Joined,
    ex.Quantifier,
)
_CALLS = (ex.ExternalValue, ex.CallFunction, ex.DerivedAttribute)


class Calm:
    """Judges the expressions of one program."""

    def __init__(self, program: Program) -> None:
        self._asks = bool(program.external_terms)

    def silent(self, expression: Expression) -> bool:
        """Whether nobody is asked for a value on the way, so that operands may change places."""
        return not self._asks or not any(isinstance(each, _CALLS) for each in inside(expression))

    def steady(self, expression: Expression) -> bool:
        """Whether it never fails and asks nobody, so that it may be left out or come sooner."""
        return all(_is_steady(each) for each in inside(expression))


def _is_steady(expression: Expression) -> bool:
    match expression:
        case ex.StoredAttribute(name=name):
            return name != "at"
        case ex.Arithmetic(operator=operator):
            return operator != "/"
        case _:
            return isinstance(expression, _STEADY)
