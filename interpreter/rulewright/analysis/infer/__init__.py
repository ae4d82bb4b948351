"""Types of expressions: nodes to typed expressions (manual, Expressions).

One module for each subject; they call back here for the parts of an expression.
"""

from fractions import Fraction
from typing import assert_never

from rulewright.analysis.infer import attributes as infer_attributes
from rulewright.analysis.infer import binders as infer_binders
from rulewright.analysis.infer import calls as infer_calls
from rulewright.analysis.infer import collections as infer_collections
from rulewright.analysis.infer import conditions as infer_conditions
from rulewright.analysis.infer import names as infer_names
from rulewright.analysis.infer import numbers as infer_numbers
from rulewright.analysis.scope import Scope
from rulewright.program import expressions as typed
from rulewright.program.types import FLAG, TEXT, DirectionType, FractionType, NoneType, NumberType, Type, present
from rulewright.syntax.nodes import expressions as nodes

bind = infer_binders.bind
condition = infer_conditions.condition
row_condition = infer_conditions.row
flag = infer_conditions.flag
arguments = infer_calls.arguments
hides = infer_names.hides
is_bare = infer_collections.is_bare
value = infer_collections.value


def infer(node: nodes.Expression, scope: Scope, expected: Type | None = None) -> typed.Expression | None:  # noqa: C901, PLR0911, PLR0912 - one case for each sort
    """The typed expression, or none where a diagnostic was reported.

    The expected type tells bare words apart and types `{}`, `[]` and `none`; it is a wish, not a demand: whoever
    needs the type calls `fit` with the result.
    """
    if scope.module.inherited:
        scope = scope.at(node.span)
    match node:
        case nodes.Reference():
            return infer_names.reference(node, scope, expected)
        case nodes.Attribute():
            return infer_attributes.attribute(node, scope)
        case nodes.Index():
            return infer_collections.entry(node, scope)
        case nodes.Call():
            return infer_calls.call(node, scope, expected)
        case nodes.Aggregate():
            return infer_binders.aggregate(node, scope)
        case nodes.Quantified():
            return infer_binders.quantified(node, scope)
        case nodes.Comprehension():
            return infer_binders.comprehension(node, scope, expected)
        case nodes.Collection():
            return infer_collections.collection(node, scope, expected)
        case nodes.Group(items=(inner,)):
            return infer(inner, scope, expected)
        case nodes.Group():
            return infer_collections.group(node, scope, expected)
        case nodes.IfValue():
            return infer_conditions.if_value(node, scope, expected)
        case nodes.Binary():
            return _binary(node, scope, expected)
        case nodes.Unary(operator="not"):
            return infer_conditions.negated(node, scope)
        case nodes.Unary():
            return infer_numbers.signed(node, scope)
        case _:
            return _literal(node, expected)


def _binary(node: nodes.Binary, scope: Scope, expected: Type | None) -> typed.Expression | None:
    match node.operator:
        case "and" | "or":
            return infer_conditions.logical(node, scope)
        case "in" | "not in":
            return infer_conditions.membership(node, scope)
        case "..":
            return infer_numbers.interval(node, scope)
        case "+" | "-" | "*" | "/":
            return infer_numbers.arithmetic(node, scope, expected)
        case _:
            return infer_conditions.comparison(node, scope)


_LiteralNode = nodes.WholeNumber | nodes.DecimalNumber | nodes.TextLiteral | nodes.Truth | nodes.NoneValue


def _literal(node: _LiteralNode, expected: Type | None) -> typed.Literal:
    """A literal; a whole number stands for a direction where one is expected."""
    match node:
        case nodes.WholeNumber(value=number, span=span):
            wanted = expected and present(expected)
            if isinstance(wanted, DirectionType) and number < wanted.count:
                return typed.Literal(type=wanted, span=span, value=number)
            return typed.Literal(type=NumberType(number, number), span=span, value=number)
        case nodes.DecimalNumber(text=text, span=span):
            return typed.Literal(type=FractionType(), span=span, value=Fraction(text))
        case nodes.TextLiteral(value=text, span=span):
            return typed.Literal(type=TEXT, span=span, value=text)
        case nodes.Truth(value=truth, span=span):
            return typed.Literal(type=FLAG, span=span, value=truth)
        case nodes.NoneValue(span=span):
            return typed.Literal(type=NoneType(), span=span, value=None)
        case _:
            assert_never(node)
