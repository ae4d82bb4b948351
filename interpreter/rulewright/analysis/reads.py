"""What an expression reads."""

from collections.abc import Iterator, Mapping

from rulewright.analysis.identity import by_identity
from rulewright.program.effects import called_by, read_by
from rulewright.program.expressions import (
    Arithmetic,
    Builtin,
    DieAttribute,
    Expression,
    ExternalValue,
    Literal,
    Local,
    MakeCollection,
    MakeRecord,
    MakeTuple,
    Narrowed,
    Negation,
    Rounded,
    WordLiteral,
)
from rulewright.program.types import GRIDS, PoolType
from rulewright.program.walk import inside

ANYTHING = "*"
_PLACES = frozenset({*GRIDS, "point"})
_NONE: Mapping[str, frozenset[str]] = {}


def reads(expression: Expression, functions: Mapping[str, frozenset[str]] = _NONE) -> frozenset[str]:
    """Everything whose change can change the value.

    Given as `Kind/attribute`, `Kind/gone`, `game/field`, `board/attribute`, names of relations, `local/<index>`,
    `dice`, or `*` for anything of the game: so of external terms and of functions whose reads are not in `functions`.
    """
    own, called = _read_in(expression)
    return own.union(*(functions.get(name, (unless_known,)) for name, unless_known in called)) if called else own


@by_identity(most=20_000)
def _read_in(expression: Expression) -> tuple[frozenset[str], tuple[tuple[str, str], ...]]:
    """What is read outside functions, and the functions called, each with what counts while nothing is known of it."""
    parts = tuple(inside(expression))
    called = {each for part in parts for each in _called(part)}
    return frozenset(each for part in parts for each in _own(part)), tuple(called)


def _called(part: Expression) -> Iterator[tuple[str, str]]:
    name = called_by(part)
    if name:
        yield name, name if isinstance(part, Builtin) else ANYTHING


def written_out(expression: Expression) -> bool:
    """Whether a value is known before any play: literals, what is built of them, sums, cells and points."""
    match expression:
        case Literal() | WordLiteral():
            return True
        case Narrowed(operand=operand) | Negation(operand=operand) | Rounded(operand=operand):
            return written_out(operand)
        case Arithmetic(operator=operator, left=left, right=right):
            return written_out(left) and (isinstance(right, Literal) if operator == "/" else written_out(right))
        case MakeRecord(parts=parts) | MakeTuple(parts=parts) | MakeCollection(items=parts):
            return all(map(written_out, parts))
        case Builtin(name=name, arguments=arguments):
            return name in _PLACES and all(map(written_out, arguments))
    return False


def _own(part: Expression) -> Iterator[str]:
    yield from read_by(part)
    match part:
        case Local(variable=variable):
            yield f"local/{variable.index}"
            if isinstance(part.type, PoolType):
                yield "dice"
        case DieAttribute() | Builtin(name="total"):
            yield "dice"
        case ExternalValue():
            yield ANYTHING
