"""Numbers: signs, arithmetic, ranges and spans, those that a `d66` shows; `+` and `-` of collections."""

from fractions import Fraction

from rulewright.analysis.facts import Proof, number_range, prove
from rulewright.analysis.facts.intervals import Range, negative, product, total
from rulewright.analysis.infer.collections import is_bare
from rulewright.analysis.infer.slots import as_number, common
from rulewright.analysis.report import Report
from rulewright.analysis.scope import Scope
from rulewright.diagnostics import Edit
from rulewright.diagnostics.remedies import Remedy, wrapped, written
from rulewright.program import expressions as ex, types as ty
from rulewright.program.conditions import size_of
from rulewright.program.expressions import Binding, Expression
from rulewright.program.plane import ANGLE
from rulewright.program.types import Type
from rulewright.program.wording import is_a, wording
from rulewright.source import Span
from rulewright.syntax.nodes import expressions as nodes


def divides(by: Expression, scope: Scope) -> bool:
    """Reports RW0415 where a divisor is 0, or nothing says that it is not; whether the division can be worked out."""
    zero = ex.Literal(type=ty.NumberType(0, 0), span=by.span, value=0)
    never = prove(scope.facts, ex.Comparison(type=ty.FLAG, span=by.span, operator="!=", left=by, right=zero))
    text = wording(by)
    shown = "this" if text == "…" else f"`{text}`"
    if never is Proof.REFUTED:
        scope.report.error("RW0415", by.span, "this is always 0, and you cannot divide by 0")
    elif never is not Proof.PROVED:
        message, edits = f"{shown} may be 0 here, and you cannot divide by 0", wrapped("max(1, ", by.span, ")")
        notes = ("No line above rules this out; if it is so, the run stops here.",)
        remedy = "divide by `max(1, …)`, or check `… != 0` first, in an `if`, a `when` or a `require`"
        scope.report.warning("RW0415", by.span, message, notes=notes, help=remedy, edits=edits)
    return never is not Proof.REFUTED


Number = ty.NumberType | ty.FractionType | ty.LengthType


def signed(node: nodes.Unary, scope: Scope) -> Expression | None:
    """`-x` and `+x`."""
    operand = scope.infer(node.operand)
    if operand is None or not needs_number(operand, f"`{node.operator}`", scope):
        return None
    if node.operator == "+":
        return operand
    match operand:
        case ex.Literal(value=int() | Fraction() as value, type=ty.NumberType()):
            assert isinstance(value, int)
            return ex.Literal(type=ty.NumberType(-value, -value), span=node.span, value=-value)
        case ex.Literal(value=Fraction() as value, type=type_):
            return ex.Literal(type=type_, span=node.span, value=-value)
        case _:
            type_ = operand.type
            turned = ty.NumberType(*negative((type_.low, type_.high))) if isinstance(type_, ty.NumberType) else type_
            return ex.Negation(type=turned, span=node.span, operand=operand)


def needs_number(expression: Expression, what: str, scope: Scope) -> bool:
    """Whether it is a number; reports what is none."""
    match expression.type:
        case ty.NumberType() | ty.FractionType() | ty.LengthType():
            return True
        case ty.OptionalType(ty.NumberType() | ty.FractionType() | ty.LengthType()) | ty.NoneType():
            scope.report.error(
                "RW0403",
                expression.span,
                f"{what} needs a number, and this may be `none`",
                help="ask `… != none` first, before `and` or in an `if`",
            )
        case type_:
            message = f"{what} needs a number, and {is_a(expression)}"
            turned = isinstance(type_, ty.DirectionType)
            remedy = as_number(expression)
            shown = "a `table` from direction to direction says which is next" if turned else remedy.help
            scope.report.error("RW0308", expression.span, message, help=shown, edits=remedy.edits)
    return False


def numbers_between(node: nodes.Binary, scope: Scope) -> Expression | None:
    """`1..6`: a list of whole numbers."""
    low, high = scope.infer(node.left), scope.infer(node.right)
    if low is None or high is None or not (_whole(low, scope) and _whole(high, scope)):
        return None
    assert isinstance(low.type, ty.NumberType)
    assert isinstance(high.type, ty.NumberType)
    _holds_some(low, high, node.span, scope)
    item = ty.NumberType(low.type.low, high.type.high)
    return ex.Interval(type=ty.ListType(item), span=node.span, low=low, high=high)


def _holds_some(low: Expression, high: Expression, span: Span, scope: Scope) -> None:
    """Warns of a range whose first number is always above its last (RW0404)."""
    below = ex.Comparison(type=ty.FLAG, span=span, operator="<", left=high, right=low)
    if prove(scope.facts, below) is not Proof.PROVED or not scope.facts.goes_on() or scope.report.broken():
        return
    shown = f"{wording(low)}..{wording(high)}"
    message = "no number is ever in this range" if "…" in shown else f"no number is ever in `{shown}` here"
    remedy = Remedy("leave out what depends on it, or correct one of its ends")
    if isinstance(low, ex.Literal) and isinstance(high, ex.Literal):
        message, remedy = f"no number is in `{shown}`", written(f"{high.value}..{low.value}", span, safe=False)
    scope.report.warning("RW0404", span, message, help=remedy.help, edits=remedy.edits)


def _whole(expression: Expression, scope: Scope) -> bool:
    if not needs_number(expression, "`..`", scope):
        return False
    if isinstance(expression.type, ty.NumberType):
        return True
    message = "`..` needs whole numbers, and this may be a fraction"
    scope.report.error("RW0310", expression.span, message, help="round it with `floor`, `ceiling` or `round`")
    return False


def arithmetic(node: nodes.Binary, scope: Scope, expected: Type | None) -> Expression | None:
    """`+ - * /` of numbers, `+` and `-` of collections."""
    if expected is None and is_bare(node.left, scope):
        right = scope.infer(node.right)
        left = right and scope.infer(node.left, right.type)
    else:
        left = scope.infer(node.left, expected)
        right = scope.infer(node.right, left.type if left is not None and expected is None else expected)
    if left is None or right is None:
        return None
    if node.operator in {"+", "-"} and any(isinstance(each.type, _COLLECTIONS) for each in (left, right)):
        return _joined(node, left, right, scope)
    if ANGLE in (left.type, right.type):
        return _turned(node, left, right, scope)
    what = f"`{node.operator}`"
    along = _goes_along(node, left, right, scope)
    if along or not (needs_number(left, what, scope) and needs_number(right, what, scope)):
        return None
    if node.operator == "/" and not divides(right, scope):
        return None
    type_ = _result(node.operator, left.type, right.type)
    return ex.Arithmetic(type=type_, span=node.span, operator=node.operator, left=left, right=right)


def _goes_along(node: nodes.Binary, left: Expression, right: Expression, scope: Scope) -> bool:
    """Whether a number is added to a word, or taken from it, to come to another of its list; reports it."""
    if node.operator not in {"+", "-"} or not isinstance(left.type, ty.WordType) or not isinstance(right.type, Number):
        return False
    back = node.operator == "-"
    between = Span(node.span.source, left.span.end, right.span.start)
    edits = (*wrapped("along(", left.span, ""), Edit(between, ", -(" if back else ", ", safe=False))
    edits = (*edits, *wrapped("", right.span, "))" if back else ")"))
    bracketed = (left.span.start, right.span.end) != (node.span.start, node.span.end)
    message = f"`{node.operator}` needs a number, and {is_a(left)}"
    remedy = f"`along(word, {'-number' if back else 'number'})` is the word so many places further in its list"
    scope.report.error("RW0308", left.span, message, help=remedy, edits=() if bracketed else edits)
    return True


def _turned(node: nodes.Binary, left: Expression, right: Expression, scope: Scope) -> Expression | None:
    """A sum or difference of an angle and an angle or number, brought to 0 and below 360 (RW0340)."""
    what = f"`{node.operator}`"
    if not all(side.type == ANGLE or needs_number(side, what, scope) for side in (left, right)):
        return None
    if node.operator not in {"+", "-"}:
        message = f"you can only add and subtract angles, not use `{node.operator}`"
        scope.report.error("RW0340", node.span, message, help="keep a number of degrees in a number")
        return None
    turned = ex.Arithmetic(type=ty.FractionType(), span=node.span, operator=node.operator, left=left, right=right)
    return ex.Rounded(type=ANGLE, span=node.span, operand=turned)


_COLLECTIONS = (ty.SetType, ty.ListType, ty.BagType, ty.DeckType, ty.MapType)


def _joined(node: nodes.Binary, left: Expression, right: Expression, scope: Scope) -> Expression | None:
    type_ = common(left.type, right.type)
    if type_ is None or isinstance(type_, ty.MapType | ty.OptionalType):
        what = "joins" if node.operator == "+" else "subtracts"
        message = f"`{node.operator}` {what} like collections, not `{left.type}` and `{right.type}`"
        lone = right if isinstance(left.type, _COLLECTIONS) else left
        single = not isinstance(lone.type, _COLLECTIONS)
        remedy = "put the single member in brackets: `{…}` or `[…]`" if single else ""
        other = left if lone is right else right
        opening, closing = "{}" if isinstance(other.type, ty.SetType) else "[]"
        item = None if isinstance(other.type, ty.MapType) else ty.member_type(other.type)
        fits = single and item is not None and common(lone.type, item) is not None
        edits = wrapped(opening, lone.span, closing, safe=True) if fits else ()
        scope.report.error("RW0308", node.span, message, help=remedy, edits=edits)
        return None
    kept = type_ if node.operator == "+" else left.type
    return ex.Joined(type=kept, span=node.span, operator=node.operator, left=left, right=right)


def _result(operator: str, left: Type, right: Type) -> Type:  # noqa: PLR0911 - one case for each sort
    match operator, left, right:
        case "/", _, _:
            return ty.FractionType()
        case "+", ty.NumberType(), ty.NumberType():
            return ty.NumberType(*total((left.low, left.high), (right.low, right.high)))
        case "-", ty.NumberType(), ty.NumberType():
            return ty.NumberType(*total((left.low, left.high), negative((right.low, right.high))))
        case "*", ty.NumberType(), ty.NumberType():
            return ty.NumberType(*product((left.low, left.high), (right.low, right.high)))
        case "+" | "-", ty.LengthType() | ty.NumberType(), ty.LengthType() | ty.NumberType():
            return ty.LengthType()
        case ("*", ty.LengthType(), ty.NumberType()) | ("*", ty.NumberType(), ty.LengthType()):
            return ty.LengthType()
        case _:
            return ty.FractionType()


def narrowest(value: Expression, scope: Scope) -> Type:
    """The type of a value with the bounds known here."""
    type_ = value.type
    return ty.NumberType(*number_range(scope.facts, value), type_.paired) if isinstance(type_, ty.NumberType) else type_


def size(binding: Binding, span: Span, scope: Scope) -> Range:
    """How many members a binding is known to have."""
    return number_range(scope.facts, size_of(binding, span))


def dashed(node: nodes.Expression) -> Remedy | None:
    """What to write where a span is written `3-4`; none for all else."""
    match node:
        case nodes.Binary(operator="-", left=nodes.WholeNumber(value=low), right=nodes.WholeNumber(value=high)) if (
            low < high
        ):
            return written(f"{low}..{high}", node.span)
        case _:
            return None


def is_paired(type_: Type) -> bool:
    """Whether values are the numbers that a `d66` shows, or some of them."""
    inner = ty.present(type_)
    return isinstance(inner, ty.NumberType) and inner.paired


def check_span(low: int | None, high: int | None, span: Span, report: Report) -> bool:
    """Whether both ends of a span are numbers that a `d66` shows, an end that is none being open (RW0425)."""
    ends = [each for each in (low, high) if each is not None]
    never = [each for each in ends if not ty.PAIRED.holds(each)]
    if not never:
        return True
    inside = [each for each in ty.PAIRED_FACES if ty.NumberType(low, high).holds(each)]
    remedy = Remedy("leave it out")
    if inside and len(ends) > 1:
        remedy = written(f"{inside[0]}..{inside[-1]}", span, safe=False)
    elif inside:
        remedy = Remedy(f"within this span it shows `{inside[0]}..{inside[-1]}`")
    listed = " and ".join(f"`{each}`" for each in never)
    report.error("RW0425", span, f"a `d66` never shows {listed}", help=remedy.help, edits=remedy.edits)
    return False
