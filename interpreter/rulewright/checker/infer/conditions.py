"""Conditions: `and`, `or`, `not`, comparisons, `in`, and values that depend on a condition."""

from collections.abc import Callable

from rulewright.base.diagnostics import Edit, Remedy
from rulewright.base.diagnostics.remedies import make_replacement_remedy, make_wrapping_edits
from rulewright.base.source import Span
from rulewright.checker.facts.assumption import assume
from rulewright.checker.facts.fact_store import Facts
from rulewright.checker.facts.intervals import Interval, compare_equal, compare_less
from rulewright.checker.facts.prover import Proof, compute_number_range, prove_condition, prove_without_inlining
from rulewright.checker.infer.arithmetic import find_dashed_span_remedy
from rulewright.checker.infer.collection_values import needs_expected_type
from rulewright.checker.infer.name_lookup import format_as_code
from rulewright.checker.infer.type_fitting import (
    find_common_type,
    suggest_die_value,
    suggest_hidden_word,
    suggest_number,
    suggest_owner,
)
from rulewright.checker.scope import Scope
from rulewright.program import expressions as ex, types as ty
from rulewright.program.board_geometry import ANGLE
from rulewright.program.expressions import Expression
from rulewright.program.types import NumberType, Type
from rulewright.program.wording import describe_expression, describe_type, render_brief_expression
from rulewright.syntax.nodes import expressions as nodes

_RANGE_COMPARISONS: dict[str, Callable[[Interval, Interval], bool | None]] = {
    "<": compare_less,
    ">": lambda one, other: compare_less(other, one),
    "<=": lambda one, other: _negate_answer(compare_less(other, one)),
    ">=": lambda one, other: _negate_answer(compare_less(one, other)),
    "=": compare_equal,
    "!=": lambda one, other: _negate_answer(compare_equal(one, other)),
}
"""Truth of a comparison for two intervals; None where it depends on the numbers."""

_COMPARISON_PHRASES = {
    "<": "less than {}",
    ">": "more than {}",
    "<=": "{} or less",
    ">=": "{} or more",
    "=": "{}",
    "!=": "{}",
}


def explain_constant_comparison(condition: Expression, facts: Facts, *, truth: bool) -> tuple[str, ...]:
    """Note on the intervals of both sides of a comparison; "" where these do not decide it."""
    if isinstance(condition, ex.Logical):
        sides = (explain_constant_comparison(item, facts, truth=truth) for item in (condition.left, condition.right))
        return next(filter(None, sides), ())
    if not isinstance(condition, ex.Comparison) or condition.operator not in _RANGE_COMPARISONS:
        return ()
    left, right, operator = condition.left, condition.right, condition.operator
    if isinstance(left, ex.Literal):
        left, right, operator = right, left, ex.MIRRORED_OPERATORS[operator]
    if not all(isinstance(item.type, NumberType) for item in (left, right)) or isinstance(left, ex.Literal):
        return ()
    ranges = compute_number_range(facts, left), compute_number_range(facts, right)
    decided = _RANGE_COMPARISONS[operator](*ranges)
    range_texts = [
        _describe_known_range(item, range_, facts) for item, range_ in zip((left, right), ranges, strict=True)
    ]
    if decided is not truth or not range_texts[0]:
        return ()
    if isinstance(right, ex.Literal):
        how = "always" if truth is (operator != "!=") else "never"
        return (f"{range_texts[0]}, {how} {_COMPARISON_PHRASES[operator].format(right.value)}.",)
    return (f"{range_texts[0]}, and {range_texts[1]}.",) if range_texts[1] else ()


def _describe_known_range(side: Expression, range_: Interval, facts: Facts) -> str:
    code = render_brief_expression(side)
    low, high = range_
    if "…" in code or " in play" in code or (low is None and high is None):
        return ""
    here = "" if range_ == compute_number_range(facts.without_learnt(), side) else " here"
    if low == high:
        return f"`{code}` is {low}{here}"
    if low is None or high is None:
        return f"`{code}` is {f'at most {high}' if low is None else f'at least {low}'}{here}"
    return f"`{code}` is {low} to {high}{here}"


def _negate_answer(truth: bool | None) -> bool | None:  # noqa: FBT001 - an answer
    return None if truth is None else not truth


def is_negated_quantifier(node: nodes.Unary, scope: Scope) -> bool:
    match _strip_brackets(node.operand):
        case nodes.Quantified(word="some" | "no" as word, binder=binder):
            better = "no" if word == "some" else "some"
            name = binder.names[0].text
            written = f"({better} {name}"
            message = f"`not {word}` is written `{better}`"
            edits = (Edit(Span(node.span.source, node.span.start, binder.names[0].span.end), written, safe=True),)
            scope.report.error("RW0323", node.span, message, help=f"write `{better} {name} in …`", edits=edits)
            return True
        case _:
            return False


def has_better_spelling(node: nodes.Binary, scope: Scope) -> bool:
    for side, other in ((node.left, node.right), (node.right, node.left)):
        match _strip_brackets(side), _strip_brackets(other):
            case nodes.Collection(items=(), word=word), _:
                brackets = "{}" if word == "set" else "[]"
                word = {"=": "no", "!=": "some"}.get(node.operator, "")
                edits = _make_empty_quantifier_edits(word, other, node.span, scope) if word else ()
                return _report_spelling("RW0321", node.span, f"you cannot compare with `{brackets}`", scope, edits)
            case nodes.WholeNumber(value=0), counted if _is_count_call(counted) and not _get_count_quantifier(node):
                return _report_spelling("RW0322", node.span, "a count is never below 0", scope)
            case _:
                continue
    return False


def _get_count_quantifier(node: nodes.Binary) -> str:
    return _COUNT_COMPARISON_WORDS.get((node.operator, isinstance(_strip_brackets(node.left), nodes.WholeNumber)), "")


def _get_zero_compared_count(node: nodes.Binary) -> nodes.Expression | None:
    for side, other in ((node.left, node.right), (node.right, node.left)):
        match _strip_brackets(side), _strip_brackets(other):
            case nodes.WholeNumber(value=0), counted if _is_count_call(counted):
                return counted
    return None


def _infer_count_comparison(node: nodes.Binary, counted: nodes.Expression, scope: Scope) -> Expression | None:
    aggregate, word = scope.infer(counted), _get_count_quantifier(node)
    edits = _make_count_quantifier_edits(word, counted, node.span, scope)
    message = f"`{word} x in …` says the same, without counting"
    scope.report.hint("RW0322", node.span, message, help="write it so", edits=edits)
    if isinstance(aggregate, ex.Aggregate):
        return ex.Quantifier(type=ty.FLAG, span=node.span, word=word, binding=aggregate.binding, body=None)
    zero, operator = ex.Literal(type=ty.NumberType(0, 0), span=node.span, value=0), ">" if word == "some" else "="
    return aggregate and ex.Comparison(type=ty.FLAG, span=node.span, operator=operator, left=aggregate, right=zero)


_COUNT_COMPARISON_WORDS = {
    ("=", True): "no",
    ("=", False): "no",
    ("!=", True): "some",
    ("!=", False): "some",
    ("<", True): "some",
    (">", False): "some",
    (">=", True): "no",
    ("<=", False): "no",
}
"""Quantifier for a comparison of a count with 0, by operator and by whether 0 is on its left."""


def _make_count_quantifier_edits(word: str, counted: nodes.Expression, whole: Span, scope: Scope) -> tuple[Edit, ...]:
    if isinstance(counted, nodes.Call) and len(counted.arguments) == 1:
        return _make_empty_quantifier_edits(word, counted.arguments[0].value, whole, scope)
    if not isinstance(counted, nodes.Aggregate) or len(counted.binder.names) > 1:
        return ()
    first, last = counted.binder.names[0].span, counted.binder.where or counted.binder.source
    return (
        Edit(Span(whole.source, whole.start, first.start), f"({word} ", safe=True),
        Edit(Span(whole.source, last.span.end, whole.end), ")", safe=True),
    )


def _make_empty_quantifier_edits(word: str, other: nodes.Expression, whole: Span, scope: Scope) -> tuple[Edit, ...]:
    known_names = {*scope.locals, *scope.module.names, *scope.module.uses}
    name = next((item for item in ("x", "member", "one_of_them") if item not in known_names), "")
    if not name:
        return ()
    return (
        Edit(Span(whole.source, whole.start, other.span.start), f"({word} {name} in ", safe=True),
        Edit(Span(whole.source, other.span.end, whole.end), ")", safe=True),
    )


def _report_spelling(code: str, span: Span, message: str, scope: Scope, edits: tuple[Edit, ...] = ()) -> bool:
    scope.report.error(code, span, message, help="write `no x in …` or `some x in …`", edits=edits)
    return True


def _strip_brackets(node: nodes.Expression) -> nodes.Expression:
    return _strip_brackets(node.items[0]) if isinstance(node, nodes.Group) and len(node.items) == 1 else node


def _is_count_call(node: nodes.Expression) -> bool:
    called = node.function if isinstance(node, nodes.Aggregate | nodes.Call) else None
    return isinstance(called, nodes.Reference) and called.name == "count"


_ALWAYS_REMEDY = "leave the condition out, or correct what it compares"
_NEVER_REMEDY = "leave out what depends on it, or correct what it compares"
_START_REMEDY = "write `yes` for it if the start is a destination too, or correct what it compares"
_ROUNDS_REMEDY = "let a line of the block change what it compares, or end the rounds with `stop`"


def infer_condition(node: nodes.Expression, scope: Scope, *, repeats: bool = False) -> Expression | None:
    """Condition of a line; warns where it always or never holds."""
    result = infer_flag(node, scope, "a condition")
    if result is not None and not isinstance(result, ex.Literal):
        warn_constant_condition(result, scope, _ROUNDS_REMEDY if repeats else _ALWAYS_REMEDY)
    return result


def infer_row_condition(node: nodes.Expression, scope: Scope, *, ends_ways: bool = False) -> Expression | None:
    """Condition of a row, which may follow from what is known, for documents repeat themselves.

    An `end` row of `paths` lets the start be a destination, also where it always holds.
    """
    result = infer_flag(node, scope, "a condition")
    if result is None or isinstance(result, ex.Literal):
        return result
    if (
        prove_condition(scope.facts, result) is Proof.REFUTED
        or prove_condition(scope.facts.without_learnt(), result) is Proof.PROVED
    ):
        warn_constant_condition(result, scope, _START_REMEDY if ends_ways else _ALWAYS_REMEDY)
    return result


def warn_constant_condition(condition: Expression, scope: Scope, always: str = _ALWAYS_REMEDY) -> None:
    """Warns of a condition that cannot turn out both ways here (RW0404).

    Silent below an error in the same declaration: what the line with the error changes is not known.
    """
    proof = prove_condition(scope.facts, condition)
    if proof is not Proof.UNKNOWN and not scope.report.has_error_here():
        answer, remedy = ("yes", always) if proof is Proof.PROVED else ("no", _NEVER_REMEDY)
        message = f"this condition is always `{answer}` here"
        notes = explain_constant_comparison(condition, scope.facts, truth=proof is Proof.PROVED)
        scope.report.warning("RW0404", condition.span, message, notes=notes, help=remedy)


def infer_flag(node: nodes.Expression, scope: Scope, what: str) -> Expression | None:
    result = scope.infer(node, ty.FLAG)
    if result is None or isinstance(result.type, ty.FlagType):
        return result
    message = f"{what} must be a flag (yes or no), and {describe_expression(result)}"
    scope.report.error("RW0302", result.span, message, remedy=_suggest_condition(result, scope))
    return None


def _suggest_condition(expression: Expression, scope: Scope) -> Remedy:
    text = format_as_code(expression, scope)
    if "…" in text:
        return Remedy()
    match expression.type:
        case ty.OptionalType():
            return make_replacement_remedy(f"{text} != none", expression.span, safe=False)
        case ty.NumberType() if not isinstance(expression, ex.Literal):
            return make_replacement_remedy(f"{text} > 0", expression.span, safe=False)
        case ty.SetType() | ty.ListType():
            return Remedy(f"write `some x in {text}`, or `no x in {text}`")
        case ty.PoolType():
            return Remedy(f"write what they must show: `total({text}) >= 7`, `some d in {text} where d.natural >= 5`")
        case ty.DieType():
            return Remedy(f"write what it must show, such as `{text}.natural >= 4`")
        case _:
            return Remedy()


def infer_logical(node: nodes.Binary, scope: Scope) -> Expression | None:
    """`and` and `or`: the right side is judged with the facts of the left side."""
    if _report_alternative_values(node, scope):
        return None
    left = infer_flag(node.left, scope, f"the left side of `{node.operator}`")
    inner = scope.assuming(left, node.operator == "and")
    right = infer_flag(node.right, inner, f"the right side of `{node.operator}`")
    if left is None or right is None:
        return None
    never = Proof.REFUTED if node.operator == "and" else Proof.PROVED
    if prove_without_inlining(inner.facts, right) is never and prove_condition(scope.facts, right) is Proof.UNKNOWN:
        _warn_exclusive_sides(node, left, right, scope)
    return ex.Logical(type=ty.FLAG, span=node.span, operator=node.operator, left=left, right=right)


_SIDES_NOTES = {"no": ("One of its two sides rules out the other.",), "yes": ("One of its two sides always holds.",)}
_ABOVE = "The lines above it (an earlier branch or row, or a condition around it) leave no case in which"
_LINES_ABOVE_NOTES = {"no": (f"{_ABOVE} both of its sides hold.",), "yes": (f"{_ABOVE} neither of its sides holds.",)}


def _warn_exclusive_sides(node: nodes.Binary, left: Expression, right: Expression, scope: Scope) -> None:
    """Warns of `and` and `or` where one side leaves the other only one answer (RW0404)."""
    if prove_condition(scope.facts, left) is Proof.UNKNOWN and not scope.report.has_error_here():
        answer = "no" if node.operator == "and" else "yes"
        alone = assume(scope.facts.without_learnt(), left, node.operator == "and")
        by_itself = prove_without_inlining(alone, right) is (Proof.REFUTED if answer == "no" else Proof.PROVED)
        notes = (_SIDES_NOTES if by_itself else _LINES_ABOVE_NOTES)[answer]
        remedy = _NEVER_REMEDY if answer == "no" else _ALWAYS_REMEDY
        scope.report.warning("RW0404", node.span, f"this condition is always `{answer}` here", notes=notes, help=remedy)


def _report_alternative_values(node: nodes.Binary, scope: Scope) -> bool:
    """Whether it is `x = 3 or 4`, or `x != 3 and 4`, which mean a set; reports the better spelling."""
    values: list[nodes.Expression] = []
    compared: nodes.Expression = node
    while isinstance(compared, nodes.Binary) and compared.operator == node.operator:
        if isinstance(compared.right, nodes.Binary):
            break
        values.insert(0, compared.right)
        compared = compared.left
    while isinstance(compared, nodes.Binary) and compared.operator in {"and", "or"}:
        compared = compared.right
    signs = {"=", "!="} if node.operator == "or" else {"!="}
    if not values or not isinstance(compared, nodes.Binary) or compared.operator not in signs:
        return False
    quiet = scope.aside()
    subject = quiet.infer(compared.left)
    if subject is None or isinstance(subject.type, ty.FlagType):
        return False
    wanted = (compared.right, *values)
    items = [value for item in wanted if (value := quiet.infer(item, subject.type)) is not None]
    if len(items) < len(wanted) or any(find_common_type(item.type, subject.type) is None for item in items):
        return False
    members = ", ".join(
        ".".join(nodes.get_dotted_names(node)) or format_as_code(item, scope)
        for node, item in zip(wanted, items, strict=True)
    )
    word = "in" if compared.operator == "=" else "not in"
    better = f"{format_as_code(subject, scope)} {word} {{{members}}}"
    whole = Span(node.span.source, compared.span.start, values[-1].span.end)
    message = f"`{node.operator}` joins whole conditions, and {describe_expression(items[1])}"
    remedy = Remedy() if "…" in better else make_replacement_remedy(better, whole, safe=False)
    scope.report.error("RW0302", values[0].span, message, remedy=remedy)
    return True


def infer_negation(node: nodes.Unary, scope: Scope) -> Expression | None:
    if is_negated_quantifier(node, scope):
        return None
    operand = infer_flag(node.operand, scope, "what follows `not`")
    return operand and ex.Not(type=ty.FLAG, span=node.span, operand=operand)


def infer_conditional_value(node: nodes.IfValue, scope: Scope, expected: Type | None) -> Expression | None:
    """`if(condition, a, b)`: each value is judged under the condition."""
    judged = infer_condition(node.condition, scope)
    if judged is None:
        return None
    scopes = scope.assuming(judged, truth=True), scope.assuming(judged, truth=False)
    then, otherwise = infer_like_pair(node.then, node.otherwise, scopes, expected)
    if then is None or otherwise is None:
        return None
    type_ = find_common_type(then.type, otherwise.type)
    if type_ is None:
        message = f"one value is {describe_type(then.type)}, and the other {describe_type(otherwise.type)}"
        scope.report.error("RW0325", node.span, message)
        return None
    return ex.Conditional(type=type_, span=node.span, condition=judged, then=then, otherwise=otherwise)


def infer_like_pair(
    left: nodes.Expression, right: nodes.Expression, scopes: tuple[Scope, Scope], expected: Type | None
) -> tuple[Expression | None, Expression | None]:
    """Two values of like types; the one that is no bare word is typed first."""
    if expected is None and needs_expected_type(left, scopes[0]):
        second = scopes[1].infer(right)
        return second and scopes[0].infer(left, second.type), second
    first = scopes[0].infer(left, expected)
    if first is None and expected is None and needs_expected_type(right, scopes[1]):
        return None, None
    wished = expected if first is None else expected or first.type
    return first, scopes[1].infer(right, wished)


def infer_comparison(node: nodes.Binary, scope: Scope) -> Expression | None:
    if has_better_spelling(node, scope):
        return None
    counted = _get_zero_compared_count(node)
    if counted is not None:
        return _infer_count_comparison(node, counted, scope)
    left, right = infer_like_pair(node.left, node.right, (scope, scope), None)
    if left is None or right is None:
        return None
    if not _are_comparable(left.type, right.type):
        _report_unlike_sides(node, left, right, scope)
        return None
    if node.operator not in {"=", "!="} and not _check_ordered_comparison(node, left, right, scope):
        return None
    return ex.Comparison(type=ty.FLAG, span=node.span, operator=node.operator, left=left, right=right)


def _suggest_word_die(face: Expression, other: Type) -> Remedy:
    if (
        not isinstance(face, ex.DieAttribute)
        or not isinstance(other, ty.WordType)
        or isinstance(face.type, ty.WordType)
    ):
        return Remedy("")
    return Remedy(f"`{render_brief_expression(face.target)}` is declared to show numbers: its type is `die of {other}`")


def _are_comparable(left: Type, right: Type) -> bool:
    if isinstance(left, ty.NoneType) or isinstance(right, ty.NoneType):
        return True
    return find_common_type(ty.strip_optional(left), ty.strip_optional(right)) is not None


def _report_unlike_sides(node: nodes.Binary, left: Expression, right: Expression, scope: Scope) -> None:
    equal = node.operator in {"=", "!="}
    so = "they are never equal" if equal else f"`{node.operator}` cannot compare them"
    message = f"{describe_expression(left)} and {describe_expression(right)}, so {so}"
    chained = isinstance(left.type, ty.FlagType) and isinstance(node.left, nodes.Binary)
    if chained:
        scope.report.error("RW0309", node.span, message, help="compare one after the other: `a <= b and b <= c`")
        return
    number = all(
        isinstance(item.type, ty.NumberType | ty.FractionType | ty.DieType | ty.PoolType) for item in (left, right)
    )
    shows = [suggest_die_value(left, right.type), suggest_die_value(right, left.type)]
    remedies = [suggest_number(item) for item in (left, right)] if number else shows
    remedies += [
        _suggest_count(left, right),
        _suggest_count(right, left),
        _suggest_dice_count(node, left, right, scope),
    ]
    remedies += [suggest_owner(left, right.type, scope), suggest_owner(right, left.type, scope)]
    remedies += [suggest_hidden_word(left, right.type, scope), suggest_hidden_word(right, left.type, scope)]
    remedies += [_suggest_word_die(left, right.type), _suggest_word_die(right, left.type)]
    shown = ", and ".join(remedy.help for remedy in remedies if remedy.help)
    edits = tuple(edit for remedy in remedies for edit in remedy.edits)
    scope.report.error("RW0309", node.span, message, help=shown, edits=edits)


def _suggest_count(members: Expression, number: Expression) -> Remedy:
    dice = isinstance(members.type, ty.PoolType) or ty.get_member_type(members.type) is None
    if dice or not isinstance(number.type, ty.NumberType):
        return Remedy()
    return Remedy("`count(…)` is how many it has", make_wrapping_edits("count(", members.span, ")"))


def _suggest_dice_count(node: nodes.Binary, dice: Expression, number: Expression, scope: Scope) -> Remedy:
    if not isinstance(dice.type, ty.PoolType) or not isinstance(number.type, ty.NumberType | ty.FractionType):
        return Remedy()
    each = f"each d in {render_brief_expression(dice)} where d.natural {node.operator} {format_as_code(number, scope)}"
    return Remedy(f"`count({each})` is how many do")


def _check_ordered_comparison(node: nodes.Binary, left: Expression, right: Expression, scope: Scope) -> bool:
    for side in (left, right):
        if isinstance(side.type, ty.OptionalType | ty.NoneType):
            message = f"`{node.operator}` needs two values, and this may be `none`"
            scope.report.proved_error(
                "RW0403", side.span, message, help="ask `… != none` first, before `and`", subject=node.operator
            )
            return False
        if side.type != ANGLE and not isinstance(
            side.type, ty.NumberType | ty.FractionType | ty.LengthType | ty.WordType
        ):
            message = f"`{node.operator}` compares numbers or words, and {describe_expression(side)}"
            remedies = suggest_number(left), suggest_number(right)
            edits = tuple(edit for remedy in remedies for edit in remedy.edits)
            scope.report.error("RW0331", side.span, message, help=remedies[0].help, edits=edits)
            return False
    return True


def infer_membership(node: nodes.Binary, scope: Scope) -> Expression | None:
    sides = _infer_membership_sides(node, scope)
    if sides is None:
        return None
    item, collection = sides
    member_type = ty.get_member_type(collection.type)
    if member_type is None:
        message = f"`in` needs a collection, and {describe_expression(collection)}"
        better = find_dashed_span_remedy(node.right) or Remedy("")
        scope.report.error("RW0318", collection.span, message, help=better.help, edits=better.edits)
        return None
    if not _are_comparable(item.type, member_type):
        message = f"{describe_expression(item)}, but each member is {describe_type(member_type)}"
        scope.report.error("RW0309", node.span, message, remedy=suggest_die_value(item, member_type))
        return None
    negated = node.operator == "not in"
    return ex.Membership(type=ty.FLAG, span=node.span, item=item, collection=collection, negated=negated)


def _infer_membership_sides(node: nodes.Binary, scope: Scope) -> tuple[Expression, Expression] | None:
    if needs_expected_type(node.left, scope):
        collection = scope.infer(node.right)
        member_type = ty.get_member_type(collection.type) if collection is not None else None
        item = scope.infer(node.left, member_type) if collection is not None else None
    else:
        item = scope.infer(node.left)
        wish = ty.SetType(ty.strip_optional(item.type)) if item is not None else None
        bare = item is None and needs_expected_type(node.right, scope)
        collection = None if bare else scope.infer(node.right, wish)
    return (item, collection) if item is not None and collection is not None else None
