"""Types of expressions: nodes to typed expressions (manual, Expressions).

One module for each subject; the parts of an expression are typed by its scope, which is given `infer` here.
"""

from fractions import Fraction
from typing import assert_never

from rulewright.analysis.infer.arithmetic import arithmetic, numbers_between, signed
from rulewright.analysis.infer.binders import aggregate, bind, comprehension, quantified
from rulewright.analysis.infer.call_arguments import arguments
from rulewright.analysis.infer.calls import call
from rulewright.analysis.infer.collections import collection, entry, group, is_bare, value
from rulewright.analysis.infer.conditions import (
    comparison,
    condition,
    flag,
    if_value,
    logical,
    membership,
    negated,
    row_condition,
)
from rulewright.analysis.infer.lookup import hides, hyphened
from rulewright.analysis.infer.references import attribute, reference
from rulewright.analysis.report import Report
from rulewright.analysis.scope import Scope, Shapes, Variables
from rulewright.analysis.symbols import Linked, Module
from rulewright.program import expressions as typed
from rulewright.program.types import FLAG, TEXT, DirectionType, FractionType, NoneType, NumberType, Type, present
from rulewright.syntax.nodes import expressions as nodes

__all__ = ["arguments", "bind", "condition", "flag", "fresh", "hides", "infer", "is_bare", "row_condition", "value"]


def fresh(linked: Linked, module: Module, shapes: Shapes, report: Report) -> Scope:
    """The scope of a declaration: no names of its own, nothing known but what functions mean."""
    return Scope(infer, linked, module, shapes, report, Variables(), facts=shapes.known())


def infer(node: nodes.Expression, scope: Scope, expected: Type | None = None) -> typed.Expression | None:  # noqa: C901, PLR0911, PLR0912 - one case for each sort
    """The typed expression, or none where a diagnostic was reported.

    The expected type tells bare words apart and types `{}`, `[]` and `none`; it is a wish, not a demand: whoever
    needs the type calls `fit` with the result.
    """
    if scope.module.inherited:
        scope = scope.at(node.span)
    match node:
        case nodes.Reference():
            return reference(node, scope, expected)
        case nodes.Attribute():
            return attribute(node, scope)
        case nodes.Index():
            return entry(node, scope)
        case nodes.Call():
            return call(node, scope, expected)
        case nodes.Aggregate():
            return aggregate(node, scope)
        case nodes.Quantified():
            return quantified(node, scope)
        case nodes.Comprehension():
            return comprehension(node, scope, expected)
        case nodes.Collection():
            return collection(node, scope, expected)
        case nodes.Group(items=(inner,)):
            return scope.infer(inner, expected)
        case nodes.Group():
            return group(node, scope, expected)
        case nodes.IfValue():
            return if_value(node, scope, expected)
        case nodes.Binary():
            return _binary(node, scope, expected)
        case nodes.Unary(operator="not"):
            return negated(node, scope)
        case nodes.Unary():
            return signed(node, scope)
        case _:
            return _literal(node, expected)


def _binary(node: nodes.Binary, scope: Scope, expected: Type | None) -> typed.Expression | None:
    match node.operator:
        case "and" | "or":
            return logical(node, scope)
        case "in" | "not in":
            return membership(node, scope)
        case "..":
            return numbers_between(node, scope)
        case "-" if hyphened(node, scope):
            return None
        case "+" | "-" | "*" | "/":
            return arithmetic(node, scope, expected)
        case _:
            return comparison(node, scope)


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
