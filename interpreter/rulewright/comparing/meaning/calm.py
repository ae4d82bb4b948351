"""Which expressions can be evaluated in any order, or not at all."""

from typing import Any

from rulewright.program import expressions as ex
from rulewright.program.declarations import Conditions, Decide, Function, Program, Selection, Table, Tally, Value
from rulewright.program.expressions import Expression, Variable
from rulewright.program.rows import TableRow
from rulewright.program.types import PLAYER, MapType, WordType
from rulewright.program.walk import inside
from rulewright.roles import nodes

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
    ex.StoredAttribute,
    ex.CellAttribute,
    ex.RelationHolds,
    ex.Gone,
    ex.Part,
    ex.DieAttribute,
    ex.MakeTuple,
    ex.MakeRecord,
    ex.MakeCollection,
    ex.Comprehension,
    ex.Conditional,
    ex.Logical,
    ex.Not,
    ex.Comparison,
    ex.Membership,
    ex.Interval,
    ex.Negation,
    ex.Joined,
    ex.Quantifier,
)
_TOTAL = frozenset(
    "abs sign sum pairs total neighbours adjacent directions toward occupants hex square along".split()  # noqa: SIM905
)
_LEAST = frozenset({"min", "max"})
_CALLS = (ex.CallFunction, ex.DerivedAttribute)


class Calm:
    """Judges the expressions of one program."""

    def __init__(self, program: Program) -> None:
        self._functions = program.functions
        self._values = program.values
        self._asks = bool(program.external_terms)
        self._known: dict[tuple[str, bool], bool] = {}

    def silent(self, expression: Expression) -> bool:
        """Whether nobody is asked for a value on the way."""
        return not self._asks or all(self._is_silent(each) for each in inside(expression))

    def _is_silent(self, expression: Any) -> bool:  # noqa: ANN401 - any expression
        match expression:
            case ex.ExternalValue():
                return False
            case ex.CallFunction(function=name) | ex.DerivedAttribute(function=name):
                return self._calls(name, steady=False)
            case ex.Builtin(relation=name) if name in self._functions:
                return self._calls(name, steady=False)
            case _:
                return True

    def steady(self, expression: Expression) -> bool:
        """Whether it never fails and asks nobody, so that it may be left out, come sooner or be repeated."""
        return all(self._is_steady(each) for each in inside(expression))

    def _is_steady(self, expression: Any) -> bool:  # noqa: ANN401 - any expression
        match expression:
            case ex.Arithmetic(operator=operator):
                return operator != "/"
            case ex.Entry(target=target):
                return isinstance(target.type, MapType) and target.type.key != PLAYER
            case ex.Aggregate(word=word):
                return word in {"count", "sum"}
            case ex.Builtin(name=name, arguments=arguments):
                return name in _TOTAL or (name in _LEAST and len(arguments) > 1)
            case ex.CallFunction(function=name) | ex.DerivedAttribute(function=name):
                return self._calls(name, steady=True)
            case _:
                return isinstance(expression, _STEADY)

    def _calls(self, name: str, *, steady: bool) -> bool:
        """Whether a function is steady, or silent; what calls itself is neither."""
        if (name, steady) not in self._known:
            self._known[name, steady] = False
            body = self._functions[name].body if name in self._functions else None
            judge = self._is_steady if steady else self._is_silent
            able = body is not None and (not steady or self._is_covered(self._functions[name]))
            self._known[name, steady] = able and all(judge(each) for each in nodes(body) if isinstance(each, ex.Typed))
        return self._known[name, steady]

    def _is_covered(self, function: Function) -> bool:
        """Whether a function has a value for all arguments."""
        match function.body:
            case Decide(rows):
                return bool(rows) and rows[-1].guard is None
            case Table(rows):
                return self._is_full(function, rows)
            case body:
                return isinstance(body, Value | Conditions | Selection | Tally)

    def _is_full(self, function: Function, rows: tuple[TableRow, ...]) -> bool:
        """Whether a table of one word has a row for each."""
        match function.parameters:
            case (Variable(type=WordType(values)),):
                cells = [row.cells[0].value for row in rows]
                known = {each.position for each in cells if isinstance(each, ex.WordLiteral)}
                return known == set(range(len(self._values[values].words)))
            case _:
                return False
