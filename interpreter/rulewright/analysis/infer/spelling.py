"""One spelling each: *some*, *none* and *how many* (manual, Expressions)."""

from rulewright.analysis.scope import Scope
from rulewright.diagnostics import Edit
from rulewright.source import Span
from rulewright.syntax.nodes import expressions as nodes


def not_some(node: nodes.Unary, scope: Scope) -> bool:
    """Whether it is `not some` or `not no`; reports the better spelling."""
    match _bare(node.operand):
        case nodes.Quantified(word="some" | "no" as word, binder=binder):
            better = "no" if word == "some" else "some"
            name = binder.names[0].text
            written = f"({better} {name}"
            scope.report.error(
                "RW0323",
                node.span,
                f"`not {word}` has a shorter spelling",
                help=f"write `{better} {name} in …`",
                edits=(Edit(Span(node.span.source, node.span.start, binder.names[0].span.end), written, safe=True),),
            )
            return True
        case _:
            return False


def comparison(node: nodes.Binary, scope: Scope) -> bool:
    """Whether it compares with nothing or a count with 0; reports the better spelling."""
    for side, other in ((node.left, node.right), (node.right, node.left)):
        match _bare(side), _bare(other):
            case nodes.Collection(items=(), word=word), _:
                brackets = "{}" if word == "set" else "[]"
                word = {"=": "no", "!=": "some"}.get(node.operator, "")
                edits = _some_of(word, other, node.span, scope) if word else ()
                return _report("RW0321", node.span, f"nothing is compared with `{brackets}`", scope, edits)
            case nodes.WholeNumber(value=0), counted if _counts(counted):
                edits = _quantified(_WORDS.get((node.operator, side is node.left), ""), counted, node.span)
                return _report("RW0322", node.span, "a count is not compared with 0", scope, edits)
            case _:
                continue
    return False


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


def _quantified(word: str, counted: nodes.Expression, whole: Span) -> tuple[Edit, ...]:
    """The edits that write `(no x in …)` for `count(each x in …) = 0`."""
    counted = _bare(counted)
    if not word or not isinstance(counted, nodes.Aggregate) or len(counted.binder.names) > 1:
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
    match node:
        case nodes.Aggregate(function=nodes.Reference(name="count")):
            return True
        case nodes.Call(function=nodes.Reference(name="count")):
            return True
        case _:
            return False
