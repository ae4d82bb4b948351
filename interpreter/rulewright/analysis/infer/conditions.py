"""Flags: `and`, `or`, `not`, comparisons, `in`, in one spelling each, and values that depend on a condition."""

from dataclasses import replace

from rulewright.analysis.facts import Proof, prove, suppose
from rulewright.analysis.facts.prove import prove_as_said
from rulewright.analysis.infer.arithmetic import dashed
from rulewright.analysis.infer.collections import is_bare
from rulewright.analysis.infer.known_ranges import why_constant
from rulewright.analysis.infer.lookup import as_code
from rulewright.analysis.infer.slots import as_number, common, hidden_word, its_player, what_it_shows
from rulewright.analysis.report import Report
from rulewright.analysis.scope import Scope
from rulewright.diagnostics import Edit
from rulewright.diagnostics.remedies import Remedy, wrapped, written
from rulewright.program import expressions as ex, types as ty
from rulewright.program.expressions import Expression
from rulewright.program.plane import ANGLE
from rulewright.program.types import Type
from rulewright.program.wording import is_a, sort_in_words, wording
from rulewright.source import Span
from rulewright.syntax.nodes import expressions as nodes


def not_some(node: nodes.Unary, scope: Scope) -> bool:
    """Whether it is `not some` or `not no`; reports the better spelling."""
    match _bare(node.operand):
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


def better_spelled(node: nodes.Binary, scope: Scope) -> bool:
    """Whether it compares with nothing, or a count with 0 in a way that is always so; reports the better spelling."""
    for side, other in ((node.left, node.right), (node.right, node.left)):
        match _bare(side), _bare(other):
            case nodes.Collection(items=(), word=word), _:
                brackets = "{}" if word == "set" else "[]"
                word = {"=": "no", "!=": "some"}.get(node.operator, "")
                edits = _some_of(word, other, node.span, scope) if word else ()
                return _report("RW0321", node.span, f"you cannot compare with `{brackets}`", scope, edits)
            case nodes.WholeNumber(value=0), counted if _counts(counted) and not _word(node):
                return _report("RW0322", node.span, "a count is never below 0", scope)
            case _:
                continue
    return False


def _word(node: nodes.Binary) -> str:
    """The word that says what a comparison of a count with 0 does, if any."""
    return _WORDS.get((node.operator, isinstance(_bare(node.left), nodes.WholeNumber)), "")


def _counted(node: nodes.Binary) -> nodes.Expression | None:
    """The count that is compared with 0."""
    for side, other in ((node.left, node.right), (node.right, node.left)):
        match _bare(side), _bare(other):
            case nodes.WholeNumber(value=0), counted if _counts(counted):
                return counted
    return None


def _compared_with_0(node: nodes.Binary, counted: nodes.Expression, scope: Scope) -> Expression | None:
    """`count(S) > 0`, which is `some x in S`, with a hint that says so."""
    found, word = scope.infer(counted), _word(node)
    edits = _in_words(word, counted, node.span, scope)
    message = f"`{word} x in …` says the same, without counting"
    scope.report.hint("RW0322", node.span, message, help="write it so", edits=edits)
    if isinstance(found, ex.Aggregate):
        return ex.Quantifier(type=ty.FLAG, span=node.span, word=word, binding=found.binding, body=None)
    zero, operator = ex.Literal(type=ty.NumberType(0, 0), span=node.span, value=0), ">" if word == "some" else "="
    return found and ex.Comparison(type=ty.FLAG, span=node.span, operator=operator, left=found, right=zero)


_WORDS = {
    ("=", True): "no",
    ("=", False): "no",
    ("!=", True): "some",
    ("!=", False): "some",
    ("<", True): "some",
    (">", False): "some",
    (">=", True): "no",
    ("<=", False): "no",
}
"""How a count compares with 0 in a word, by the sign and by whether 0 stands on its left."""


def _in_words(word: str, counted: nodes.Expression, whole: Span, scope: Scope) -> tuple[Edit, ...]:
    """The edits that write `(no x in …)` for `count(each x in …) = 0`."""
    if isinstance(counted, nodes.Call) and len(counted.arguments) == 1:
        return _some_of(word, counted.arguments[0].value, whole, scope)
    if not isinstance(counted, nodes.Aggregate) or len(counted.binder.names) > 1:
        return ()
    first, last = counted.binder.names[0].span, counted.binder.where or counted.binder.source
    return (
        Edit(Span(whole.source, whole.start, first.start), f"({word} ", safe=True),
        Edit(Span(whole.source, last.span.end, whole.end), ")", safe=True),
    )


def _some_of(word: str, other: nodes.Expression, whole: Span, scope: Scope) -> tuple[Edit, ...]:
    """The edits that write `(no x in S)` for `S = {}`."""
    taken = {*scope.locals, *scope.module.names, *scope.module.uses}
    name = next((each for each in ("x", "member", "one_of_them") if each not in taken), "")
    if not name:
        return ()
    return (
        Edit(Span(whole.source, whole.start, other.span.start), f"({word} {name} in ", safe=True),
        Edit(Span(whole.source, other.span.end, whole.end), ")", safe=True),
    )


def _report(code: str, span: Span, message: str, scope: Scope, edits: tuple[Edit, ...] = ()) -> bool:
    scope.report.error(code, span, message, help="write `no x in …` or `some x in …`", edits=edits)
    return True


def _bare(node: nodes.Expression) -> nodes.Expression:
    return _bare(node.items[0]) if isinstance(node, nodes.Group) and len(node.items) == 1 else node


def _counts(node: nodes.Expression) -> bool:
    called = node.function if isinstance(node, nodes.Aggregate | nodes.Call) else None
    return isinstance(called, nodes.Reference) and called.name == "count"


_ALWAYS = "leave the condition out, or correct what it compares"
_NEVER = "leave out what depends on it, or correct what it compares"
_START = "write `yes` for it if the start is a destination too, or correct what it compares"
_ROUNDS = "let a line of the block change what it compares, or end the rounds with `stop`"


def condition(node: nodes.Expression, scope: Scope, *, repeats: bool = False) -> Expression | None:
    """A flag that decides something, or whether a block is repeated; reports it where it is always yes or always no."""
    found = flag(node, scope, "a condition")
    if found is not None and not isinstance(found, ex.Literal):
        constant(found, scope, _ROUNDS if repeats else _ALWAYS)
    return found


def row_condition(node: nodes.Expression, scope: Scope, *, ends_ways: bool = False) -> Expression | None:
    """The condition of a row; that what is known implies it is no fault, for documents repeat themselves.

    An `end` row of `paths` lets the start be a destination, also where it always holds.
    """
    found = flag(node, scope, "a condition")
    if found is None or isinstance(found, ex.Literal):
        return found
    if prove(scope.facts, found) is Proof.REFUTED or prove(scope.facts.unlearnt(), found) is Proof.PROVED:
        constant(found, scope, _START if ends_ways else _ALWAYS)
    return found


def constant(found: Expression, scope: Scope, always: str = _ALWAYS) -> None:
    """Warns of a condition that cannot turn out both ways here, with a remedy where it always holds.

    Says nothing below an error in the same declaration: what the line with the error changes is not known.
    """
    proof = prove(scope.facts, found)
    if proof is not Proof.UNKNOWN and not scope.report.broken():
        answer, remedy = ("yes", always) if proof is Proof.PROVED else ("no", _NEVER)
        message = f"this condition is always `{answer}` here"
        notes = why_constant(found, scope.facts, truth=proof is Proof.PROVED)
        scope.report.warning("RW0404", found.span, message, notes=notes, help=remedy)


def flag(node: nodes.Expression, scope: Scope, what: str) -> Expression | None:
    """An expression that must be a flag."""
    found = scope.infer(node, ty.FLAG)
    if found is None or isinstance(found.type, ty.FlagType):
        return found
    message = f"{what} must be a flag (yes or no), and {is_a(found)}"
    scope.report.error("RW0302", found.span, message, remedy=_as_condition(found, scope))
    return None


def _as_condition(found: Expression, scope: Scope) -> Remedy:  # noqa: PLR0911 - one case for each sort
    """What is asked of a value that stands where a flag is needed, as it does in other notations."""
    text = as_code(found, scope)
    if "…" in text:
        return Remedy()
    match found.type:
        case ty.OptionalType():
            return written(f"{text} != none", found.span, safe=False)
        case ty.NumberType() if not isinstance(found, ex.Literal):
            return written(f"{text} > 0", found.span, safe=False)
        case ty.SetType() | ty.ListType():
            return Remedy(f"write `some x in {text}`, or `no x in {text}`")
        case ty.PoolType():
            return Remedy(f"write what they must show: `total({text}) >= 7`, `some d in {text} where d.natural >= 5`")
        case ty.DieType():
            return Remedy(f"write what it must show, such as `{text}.natural >= 4`")
        case _:
            return Remedy()


def logical(node: nodes.Binary, scope: Scope) -> Expression | None:
    """`and` and `or`: the right side is judged with what the left side says."""
    if _one_of(node, scope):
        return None
    left = flag(node.left, scope, f"the left side of `{node.operator}`")
    inner = scope if left is None else scope.knowing(suppose(scope.facts, left, node.operator == "and"))
    right = flag(node.right, inner, f"the right side of `{node.operator}`")
    if left is None or right is None:
        return None
    never = Proof.REFUTED if node.operator == "and" else Proof.PROVED
    if prove_as_said(inner.facts, right) is never and prove(scope.facts, right) is Proof.UNKNOWN:
        _rule_each_other_out(node, left, scope)
    return ex.Logical(type=ty.FLAG, span=node.span, operator=node.operator, left=left, right=right)


def _rule_each_other_out(node: nodes.Binary, left: Expression, scope: Scope) -> None:
    """Warns of two sides of which what one says leaves the other only one answer (RW0404)."""
    if prove(scope.facts, left) is Proof.UNKNOWN and not scope.report.broken():
        answer = "no" if node.operator == "and" else "yes"
        notes = (
            "One of its two sides rules out the other." if answer == "no" else "One of its two sides always holds.",
        )
        remedy = _NEVER if answer == "no" else _ALWAYS
        scope.report.warning("RW0404", node.span, f"this condition is always `{answer}` here", notes=notes, help=remedy)


def _one_of(node: nodes.Binary, scope: Scope) -> bool:
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
    quiet = replace(scope, report=Report())
    subject = quiet.infer(compared.left)
    if subject is None or isinstance(subject.type, ty.FlagType):
        return False
    wanted = (compared.right, *values)
    found = [value for each in wanted if (value := quiet.infer(each, subject.type)) is not None]
    if len(found) < len(wanted) or any(common(each.type, subject.type) is None for each in found):
        return False
    members = ", ".join(
        ".".join(nodes.dotted(node)) or as_code(each, scope) for node, each in zip(wanted, found, strict=True)
    )
    word = "in" if compared.operator == "=" else "not in"
    better = f"{as_code(subject, scope)} {word} {{{members}}}"
    whole = Span(node.span.source, compared.span.start, values[-1].span.end)
    message = f"`{node.operator}` joins whole conditions, and {is_a(found[1])}"
    remedy = Remedy() if "…" in better else written(better, whole, safe=False)
    scope.report.error("RW0302", values[0].span, message, remedy=remedy)
    return True


def negated(node: nodes.Unary, scope: Scope) -> Expression | None:
    """`not x`."""
    if not_some(node, scope):
        return None
    operand = flag(node.operand, scope, "what follows `not`")
    return operand and ex.Not(type=ty.FLAG, span=node.span, operand=operand)


def if_value(node: nodes.IfValue, scope: Scope, expected: Type | None) -> Expression | None:
    """`if(condition, a, b)`: each value is judged knowing the condition."""
    judged = condition(node.condition, scope)
    if judged is None:
        return None
    then_scope = scope.knowing(suppose(scope.facts, judged, truth=True))
    else_scope = scope.knowing(suppose(scope.facts, judged, truth=False))
    then, otherwise = pair(node.then, node.otherwise, (then_scope, else_scope), expected)
    if then is None or otherwise is None:
        return None
    type_ = common(then.type, otherwise.type)
    if type_ is None:
        message = f"one value is {sort_in_words(then.type)}, and the other {sort_in_words(otherwise.type)}"
        scope.report.error("RW0325", node.span, message)
        return None
    return ex.Conditional(type=type_, span=node.span, condition=judged, then=then, otherwise=otherwise)


def pair(
    left: nodes.Expression, right: nodes.Expression, scopes: tuple[Scope, Scope], expected: Type | None
) -> tuple[Expression | None, Expression | None]:
    """Two values of like types, the one that is no bare word first."""
    if expected is None and is_bare(left, scopes[0]):
        second = scopes[1].infer(right)
        return second and scopes[0].infer(left, second.type), second
    first = scopes[0].infer(left, expected)
    if first is None and expected is None and is_bare(right, scopes[1]):
        return None, None
    wished = expected if first is None else expected or first.type
    return first, scopes[1].infer(right, wished)


def comparison(node: nodes.Binary, scope: Scope) -> Expression | None:
    """`= != < <= > >=` between values of one type."""
    if better_spelled(node, scope):
        return None
    counted = _counted(node)
    if counted is not None:
        return _compared_with_0(node, counted, scope)
    left, right = pair(node.left, node.right, (scope, scope), None)
    if left is None or right is None:
        return None
    if not _comparable(left.type, right.type):
        _unlike(node, left, right, scope)
        return None
    if node.operator not in {"=", "!="} and not _in_order(node, left, right, scope):
        return None
    return ex.Comparison(type=ty.FLAG, span=node.span, operator=node.operator, left=left, right=right)


def _worded_die(face: Expression, other: Type) -> Remedy:
    """What to write where the face of a die that is said to show numbers is compared with a word."""
    if (
        not isinstance(face, ex.DieAttribute)
        or not isinstance(other, ty.WordType)
        or isinstance(face.type, ty.WordType)
    ):
        return Remedy("")
    return Remedy(f"`{wording(face.target)}` is declared to show numbers: its type is `die of {other}`")


def _comparable(left: Type, right: Type) -> bool:
    if isinstance(left, ty.NoneType) or isinstance(right, ty.NoneType):
        return True
    return common(ty.present(left), ty.present(right)) is not None


def _unlike(node: nodes.Binary, left: Expression, right: Expression, scope: Scope) -> None:
    equal = node.operator in {"=", "!="}
    so = "they are never equal" if equal else f"`{node.operator}` cannot compare them"
    message = f"{is_a(left)} and {is_a(right)}, so {so}"
    chained = isinstance(left.type, ty.FlagType) and isinstance(node.left, nodes.Binary)
    if chained:
        scope.report.error("RW0309", node.span, message, help="compare one after the other: `a <= b and b <= c`")
        return
    number = all(
        isinstance(each.type, ty.NumberType | ty.FractionType | ty.DieType | ty.PoolType) for each in (left, right)
    )
    shows = [what_it_shows(left, right.type), what_it_shows(right, left.type)]
    remedies = [as_number(each) for each in (left, right)] if number else shows
    remedies += [_how_many(left, right), _how_many(right, left), _so_many_dice(node, left, right, scope)]
    remedies += [its_player(left, right.type, scope), its_player(right, left.type, scope)]
    remedies += [hidden_word(left, right.type, scope), hidden_word(right, left.type, scope)]
    remedies += [_worded_die(left, right.type), _worded_die(right, left.type)]
    shown = ", and ".join(each.help for each in remedies if each.help)
    edits = tuple(edit for each in remedies for edit in each.edits)
    scope.report.error("RW0309", node.span, message, help=shown, edits=edits)


def _how_many(members: Expression, number: Expression) -> Remedy:
    """The remedy that compares how many members a collection has, where it stands against a number."""
    dice = isinstance(members.type, ty.PoolType) or ty.member_type(members.type) is None
    if dice or not isinstance(number.type, ty.NumberType):
        return Remedy()
    return Remedy("`count(…)` is how many it has", wrapped("count(", members.span, ")"))


def _so_many_dice(node: nodes.Binary, dice: Expression, number: Expression, scope: Scope) -> Remedy:
    """How many of several dice compare so with a number."""
    if not isinstance(dice.type, ty.PoolType) or not isinstance(number.type, ty.NumberType | ty.FractionType):
        return Remedy()
    each = f"each d in {wording(dice)} where d.natural {node.operator} {as_code(number, scope)}"
    return Remedy(f"`count({each})` is how many do")


def _in_order(node: nodes.Binary, left: Expression, right: Expression, scope: Scope) -> bool:
    for side in (left, right):
        if isinstance(side.type, ty.OptionalType | ty.NoneType):
            message = f"`{node.operator}` needs two values, and this may be `none`"
            scope.report.error("RW0403", side.span, message, help="ask `… != none` first, before `and`")
            return False
        if side.type != ANGLE and not isinstance(
            side.type, ty.NumberType | ty.FractionType | ty.LengthType | ty.WordType
        ):
            message = f"`{node.operator}` compares numbers or words, and {is_a(side)}"
            remedies = as_number(left), as_number(right)
            edits = tuple(edit for each in remedies for edit in each.edits)
            scope.report.error("RW0331", side.span, message, help=remedies[0].help, edits=edits)
            return False
    return True


def membership(node: nodes.Binary, scope: Scope) -> Expression | None:
    """`x in S`, `x not in S`."""
    sides = _member_sides(node, scope)
    if sides is None:
        return None
    item, collection = sides
    held = ty.member_type(collection.type)
    if held is None:
        message = f"`in` needs a collection, and {is_a(collection)}"
        better = dashed(node.right) or Remedy("")
        scope.report.error("RW0318", collection.span, message, help=better.help, edits=better.edits)
        return None
    if not _comparable(item.type, held):
        message = f"{is_a(item)}, but each member is {sort_in_words(held)}"
        scope.report.error("RW0309", node.span, message, remedy=what_it_shows(item, held))
        return None
    negated = node.operator == "not in"
    return ex.Membership(type=ty.FLAG, span=node.span, item=item, collection=collection, negated=negated)


def _member_sides(node: nodes.Binary, scope: Scope) -> tuple[Expression, Expression] | None:
    if is_bare(node.left, scope):
        collection = scope.infer(node.right)
        held = ty.member_type(collection.type) if collection is not None else None
        item = scope.infer(node.left, held) if collection is not None else None
    else:
        item = scope.infer(node.left)
        wish = ty.SetType(ty.present(item.type)) if item is not None else None
        bare = item is None and is_bare(node.right, scope)
        collection = None if bare else scope.infer(node.right, wish)
    return (item, collection) if item is not None and collection is not None else None
