"""Conditions: comparisons, opposites, parts left out."""

from collections.abc import Iterator

from rulewright.mutations.mutant import Edit
from rulewright.mutations.visiting import Visit
from rulewright.source import Span
from rulewright.syntax.nodes import expressions as e
from rulewright.syntax.nodes import rows as r
from rulewright.syntax.walk import walk

_COMPARED = {
    "<": ("<=", ">="),
    "<=": ("<", ">"),
    ">": (">=", "<="),
    ">=": (">", "<"),
    "=": ("!=",),
    "!=": ("=",),
    "in": ("not in",),
    "not in": ("in",),
}
_JOINED = {"and": "or", "or": "and"}
_WORDS = ("only if", "when", "where")
_CONDITIONS = ("condition", "guard", "where")


def conditions(visit: Visit) -> Iterator[Edit]:
    """What can go wrong in a condition."""
    node = visit.node
    if isinstance(node, e.Binary):
        yield from _binary(node, visit)
    for name in _CONDITIONS:
        condition = getattr(node, name, None)
        if condition is not None and not isinstance(condition, str):
            yield from _opposite(condition, visit)
            yield from _stricter(condition, visit)
            if name != "condition" and not isinstance(node, r.DecideRow):
                yield from _left_out(condition, visit)


def _binary(node: e.Binary, visit: Visit) -> Iterator[Edit]:
    token = visit.between(node.left.span, node.right.span)
    for other in _COMPARED.get(node.operator, ()):
        yield Edit("comparison", token, other)
    if node.operator in _JOINED:
        yield Edit("and-or", token, _JOINED[node.operator])
        yield Edit("term", node.span, visit.written(node.left.span))
        yield Edit("term", node.span, visit.written(node.right.span))


def _opposite(condition: e.Expression, visit: Visit) -> Iterator[Edit]:
    """A comparison and a `some` have opposites of their own."""
    match condition:
        case e.Binary(operator=operator) if operator in _COMPARED:
            return
        case e.Quantified(word="some" | "no"):
            return
        case e.Unary(operator="not", operand=operand):
            yield Edit("negation", condition.span, visit.written(operand.span))
        case _:
            yield Edit("negation", condition.span, f"not ({visit.written(condition.span)})")


def _stricter(condition: e.Expression, visit: Visit) -> Iterator[Edit]:
    """The condition, and a flag of the first thing it reads that it does not read there."""
    read = [
        (thing, name.text)
        for each in walk(condition)
        if isinstance(each, e.Attribute)
        for name, target in [(each.name, each.target)]
        if isinstance(target, e.Reference)
        for thing in [target.name]
    ]
    for thing, attribute in read:
        flag = next((flag for flag in visit.flags.get(attribute, ()) if (thing, flag) not in read), None)
        if flag is not None:
            yield Edit("conjunct", condition.span, f"({visit.written(condition.span)}) and {thing}.{flag}")
            return


def _left_out(condition: e.Expression, visit: Visit) -> Iterator[Edit]:
    """Takes a condition away with its word; a row of a decide without one could not be read."""
    before = visit.text.content[: condition.span.start].rstrip()
    for word in _WORDS:
        if before.endswith(word):
            start = len(before[: -len(word)].rstrip())
            yield Edit("condition", Span(condition.span.source, start, condition.span.end), "")
            return


def quantities(visit: Visit) -> Iterator[Edit]:
    """`some` and `no`, `all` and `any`."""
    node = visit.node
    match node:
        case e.Quantified(word="some" | "no" as word):
            place = Span(node.span.source, node.span.start, node.span.start + len(word))
            yield Edit("quantity", place, "no" if word == "some" else "some")
        case r.Conditions(mode=mode):
            at = visit.written(node.span).index(mode) + node.span.start
            yield Edit("quantity", Span(node.span.source, at, at + len(mode)), "any" if mode == "all" else "all")
