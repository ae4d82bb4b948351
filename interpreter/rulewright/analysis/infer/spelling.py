"""One spelling each: *some*, *none* and *how many* (manual, Expressions)."""

from rulewright.analysis.scope import Scope
from rulewright.source import Span
from rulewright.syntax.nodes import expressions as nodes


def not_some(node: nodes.Unary, scope: Scope) -> bool:
    """Whether it is `not some` or `not no`; reports the better spelling."""
    match _bare(node.operand):
        case nodes.Quantified(word="some" | "no" as word, binder=binder):
            better = "no" if word == "some" else "some"
            name = binder.names[0].text
            scope.report.error(
                "RW0323", node.span, f"`not {word}` has a shorter spelling", help=f"write `{better} {name} in …`"
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
                return _report("RW0321", node.span, f"nothing is compared with `{brackets}`", scope)
            case nodes.WholeNumber(value=0), counted if _counts(counted):
                return _report("RW0322", node.span, "a count is not compared with 0", scope)
            case _:
                continue
    return False


def _report(code: str, span: Span, message: str, scope: Scope) -> bool:
    scope.report.error(code, span, message, help="write `no x in …` or `some x in …`")
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
