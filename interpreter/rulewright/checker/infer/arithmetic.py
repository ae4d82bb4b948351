"""Arithmetic: signs, sums, ranges, the numbers of a `d66`; `+` and `-` of collections."""

from fractions import Fraction

from rulewright.base.diagnostics import DiagnosticCollector, Edit, Remedy
from rulewright.base.diagnostics.remedies import make_replacement_remedy, make_wrapping_edits
from rulewright.base.source import Span
from rulewright.checker.facts.intervals import Interval, add_intervals, multiply_intervals, negate_interval
from rulewright.checker.facts.prover import Proof, compute_number_range, prove_condition
from rulewright.checker.infer.collection_values import needs_expected_type
from rulewright.checker.infer.type_fitting import find_common_type, suggest_number
from rulewright.checker.scope import Scope
from rulewright.program import expressions as ex, types as ty
from rulewright.program.board_geometry import ANGLE
from rulewright.program.conditions import make_size_expression
from rulewright.program.expressions import Binding, Expression
from rulewright.program.types import Type
from rulewright.program.wording import describe_expression, render_brief_expression
from rulewright.syntax.nodes import expressions as nodes


def check_divisor(by: Expression, scope: Scope) -> bool:
    """Whether a division is possible; reports a divisor that is 0 (an error) or may be 0 (a warning) (RW0415)."""
    zero = ex.Literal(type=ty.NumberType(0, 0), span=by.span, value=0)
    never = prove_condition(scope.facts, ex.Comparison(type=ty.FLAG, span=by.span, operator="!=", left=by, right=zero))
    text = render_brief_expression(by)
    shown = "this" if text == "…" else f"`{text}`"
    if never is Proof.REFUTED:
        scope.report.proved_error("RW0415", by.span, "this is always 0, and you cannot divide by 0")
    elif never is not Proof.PROVED:
        message, edits = (
            f"{shown} may be 0 here, and you cannot divide by 0",
            make_wrapping_edits("max(1, ", by.span, ")"),
        )
        notes = ("No line above rules this out; if it is so, the run stops here.",)
        remedy = "divide by `max(1, …)`, or check `… != 0` first, in an `if`, a `when` or a `require`"
        scope.report.warning("RW0415", by.span, message, notes=notes, help=remedy, edits=edits)
    return never is not Proof.REFUTED


NumericType = ty.NumberType | ty.FractionType | ty.LengthType


def infer_signed(node: nodes.Unary, scope: Scope) -> Expression | None:
    operand = scope.infer(node.operand)
    if operand is None or not check_is_number(operand, f"`{node.operator}`", scope):
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
            turned = (
                ty.NumberType(*negate_interval((type_.low, type_.high))) if isinstance(type_, ty.NumberType) else type_
            )
            return ex.Negation(type=turned, span=node.span, operand=operand)


def check_is_number(expression: Expression, what: str, scope: Scope) -> bool:
    """Whether a value is a number; reports others."""
    match expression.type:
        case ty.NumberType() | ty.FractionType() | ty.LengthType():
            return True
        case ty.OptionalType(ty.NumberType() | ty.FractionType() | ty.LengthType()) | ty.NoneType():
            scope.report.proved_error(
                "RW0403",
                expression.span,
                f"{what} needs a number, and this may be `none`",
                help="ask `… != none` first, before `and` or in an `if`",
                subject=what,
            )
        case type_:
            message = f"{what} needs a number, and {describe_expression(expression)}"
            turned = isinstance(type_, ty.DirectionType)
            remedy = suggest_number(expression)
            shown = "a `table` from direction to direction says which is next" if turned else remedy.help
            scope.report.error("RW0308", expression.span, message, help=shown, edits=remedy.edits)
    return False


def infer_number_range(node: nodes.Binary, scope: Scope) -> Expression | None:
    low, high = scope.infer(node.left), scope.infer(node.right)
    if low is None or high is None or not (_check_is_whole(low, scope) and _check_is_whole(high, scope)):
        return None
    assert isinstance(low.type, ty.NumberType)
    assert isinstance(high.type, ty.NumberType)
    _check_range_not_empty(low, high, node.span, scope)
    item = ty.NumberType(low.type.low, high.type.high)
    return ex.Interval(type=ty.ListType(item), span=node.span, low=low, high=high)


def _check_range_not_empty(low: Expression, high: Expression, span: Span, scope: Scope) -> None:
    below = ex.Comparison(type=ty.FLAG, span=span, operator="<", left=high, right=low)
    if (
        prove_condition(scope.facts, below) is not Proof.PROVED
        or not scope.facts.take_step()
        or scope.report.has_error_here()
    ):
        return
    shown = f"{render_brief_expression(low)}..{render_brief_expression(high)}"
    message = "no number is ever in this range" if "…" in shown else f"no number is ever in `{shown}` here"
    remedy = Remedy("leave out what depends on it, or correct one of its ends")
    if isinstance(low, ex.Literal) and isinstance(high, ex.Literal):
        message, remedy = (
            f"no number is in `{shown}`",
            make_replacement_remedy(f"{high.value}..{low.value}", span, safe=False),
        )
    scope.report.warning("RW0404", span, message, help=remedy.help, edits=remedy.edits)


def _check_is_whole(expression: Expression, scope: Scope) -> bool:
    if not check_is_number(expression, "`..`", scope):
        return False
    if isinstance(expression.type, ty.NumberType):
        return True
    message = "`..` needs whole numbers, and this may be a fraction"
    scope.report.error("RW0310", expression.span, message, help="round it with `floor`, `ceiling` or `round`")
    return False


def infer_arithmetic(node: nodes.Binary, scope: Scope, expected: Type | None) -> Expression | None:
    if expected is None and needs_expected_type(node.left, scope):
        right = scope.infer(node.right)
        left = right and scope.infer(node.left, right.type)
    else:
        left = scope.infer(node.left, expected)
        right = scope.infer(node.right, left.type if left is not None and expected is None else expected)
    if left is None or right is None:
        return None
    if node.operator in {"+", "-"} and any(isinstance(item.type, _COLLECTION_TYPES) for item in (left, right)):
        return _infer_joined_collections(node, left, right, scope)
    if ANGLE in (left.type, right.type):
        return _infer_angle_sum(node, left, right, scope)
    what = f"`{node.operator}`"
    along = _report_word_arithmetic(node, left, right, scope)
    if along or not (check_is_number(left, what, scope) and check_is_number(right, what, scope)):
        return None
    if node.operator == "/" and not check_divisor(right, scope):
        return None
    type_ = _get_arithmetic_type(node.operator, left.type, right.type)
    return ex.Arithmetic(type=type_, span=node.span, operator=node.operator, left=left, right=right)


def _report_word_arithmetic(node: nodes.Binary, left: Expression, right: Expression, scope: Scope) -> bool:
    if (
        node.operator not in {"+", "-"}
        or not isinstance(left.type, ty.WordType)
        or not isinstance(right.type, NumericType)
    ):
        return False
    back = node.operator == "-"
    between = Span(node.span.source, left.span.end, right.span.start)
    edits = (*make_wrapping_edits("along(", left.span, ""), Edit(between, ", -(" if back else ", ", safe=False))
    edits = (*edits, *make_wrapping_edits("", right.span, "))" if back else ")"))
    bracketed = (left.span.start, right.span.end) != (node.span.start, node.span.end)
    message = f"`{node.operator}` needs a number, and {describe_expression(left)}"
    remedy = f"`along(word, {'-number' if back else 'number'})` is the word so many places further in its list"
    scope.report.error("RW0308", left.span, message, help=remedy, edits=() if bracketed else edits)
    return True


def _infer_angle_sum(node: nodes.Binary, left: Expression, right: Expression, scope: Scope) -> Expression | None:
    """Sum or difference of an angle and an angle or number, normalized to 0 and below 360 (RW0340)."""
    what = f"`{node.operator}`"
    if not all(side.type == ANGLE or check_is_number(side, what, scope) for side in (left, right)):
        return None
    if node.operator not in {"+", "-"}:
        message = f"you can only add and subtract angles, not use `{node.operator}`"
        scope.report.error("RW0340", node.span, message, help="keep a number of degrees in a number")
        return None
    turned = ex.Arithmetic(type=ty.FractionType(), span=node.span, operator=node.operator, left=left, right=right)
    return ex.Rounded(type=ANGLE, span=node.span, operand=turned)


_COLLECTION_TYPES = (ty.SetType, ty.ListType, ty.BagType, ty.DeckType, ty.MapType)


def _infer_joined_collections(
    node: nodes.Binary, left: Expression, right: Expression, scope: Scope
) -> Expression | None:
    type_ = find_common_type(left.type, right.type)
    if type_ is None or isinstance(type_, ty.MapType | ty.OptionalType):
        what = "joins" if node.operator == "+" else "subtracts"
        message = f"`{node.operator}` {what} like collections, not `{left.type}` and `{right.type}`"
        lone = right if isinstance(left.type, _COLLECTION_TYPES) else left
        single = not isinstance(lone.type, _COLLECTION_TYPES)
        remedy = "put the single member in brackets: `{…}` or `[…]`" if single else ""
        other = left if lone is right else right
        opening, closing = "{}" if isinstance(other.type, ty.SetType) else "[]"
        item = None if isinstance(other.type, ty.MapType) else ty.get_member_type(other.type)
        fits = single and item is not None and find_common_type(lone.type, item) is not None
        edits = make_wrapping_edits(opening, lone.span, closing, safe=True) if fits else ()
        scope.report.error("RW0308", node.span, message, help=remedy, edits=edits)
        return None
    result_type = type_ if node.operator == "+" else left.type
    return ex.Joined(type=result_type, span=node.span, operator=node.operator, left=left, right=right)


def _get_arithmetic_type(operator: str, left: Type, right: Type) -> Type:
    match operator, left, right:
        case "/", _, _:
            return ty.FractionType()
        case "+", ty.NumberType(), ty.NumberType():
            return ty.NumberType(*add_intervals((left.low, left.high), (right.low, right.high)))
        case "-", ty.NumberType(), ty.NumberType():
            return ty.NumberType(*add_intervals((left.low, left.high), negate_interval((right.low, right.high))))
        case "*", ty.NumberType(), ty.NumberType():
            return ty.NumberType(*multiply_intervals((left.low, left.high), (right.low, right.high)))
        case "+" | "-", ty.LengthType() | ty.NumberType(), ty.LengthType() | ty.NumberType():
            return ty.LengthType()
        case ("*", ty.LengthType(), ty.NumberType()) | ("*", ty.NumberType(), ty.LengthType()):
            return ty.LengthType()
        case _:
            return ty.FractionType()


def narrow_type_by_facts(value: Expression, scope: Scope) -> Type:
    """Type of a value with the bounds known here."""
    type_ = value.type
    return (
        ty.NumberType(*compute_number_range(scope.facts, value), type_.paired)
        if isinstance(type_, ty.NumberType)
        else type_
    )


def get_size_bounds(binding: Binding, span: Span, scope: Scope) -> Interval:
    """Interval of the number of members of a binding."""
    return compute_number_range(scope.facts, make_size_expression(binding, span))


def find_dashed_span_remedy(node: nodes.Expression) -> Remedy | None:
    """Remedy for a span written `3-4`; None for other nodes."""
    match node:
        case nodes.Binary(operator="-", left=nodes.WholeNumber(value=low), right=nodes.WholeNumber(value=high)) if (
            low < high
        ):
            return make_replacement_remedy(f"{low}..{high}", node.span)
        case _:
            return None


def is_paired_number(type_: Type) -> bool:
    """Whether all values of a type are numbers that a `d66` shows."""
    inner = ty.strip_optional(type_)
    return isinstance(inner, ty.NumberType) and inner.paired


def check_paired_span(low: int | None, high: int | None, span: Span, report: DiagnosticCollector) -> bool:
    """Whether both ends of a span are numbers of a `d66`; an end that is None is open (RW0425)."""
    ends = [item for item in (low, high) if item is not None]
    never = [end for end in ends if not ty.PAIRED.contains_number(end)]
    if not never:
        return True
    inside = [face for face in ty.PAIRED_FACES if ty.NumberType(low, high).contains_number(face)]
    remedy = Remedy("leave it out")
    if inside and len(ends) > 1:
        remedy = make_replacement_remedy(f"{inside[0]}..{inside[-1]}", span, safe=False)
    elif inside:
        remedy = Remedy(f"within this span it shows `{inside[0]}..{inside[-1]}`")
    listed = " and ".join(f"`{item}`" for item in never)
    report.proved_error("RW0425", span, f"a `d66` never shows {listed}", help=remedy.help, edits=remedy.edits)
    return False
