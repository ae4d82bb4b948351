"""Type inference of an expression: dispatch to the module of each subject."""

from fractions import Fraction
from typing import assert_never

from rulewright.base.diagnostics import DiagnosticCollector
from rulewright.base.frozen import replace
from rulewright.checker.facts.fact_store import NONE_KEY, make_equality_key, make_key
from rulewright.checker.infer.arithmetic import infer_arithmetic, infer_number_range, infer_signed
from rulewright.checker.infer.binders import infer_aggregate, infer_comprehension, infer_quantified
from rulewright.checker.infer.calls import infer_call
from rulewright.checker.infer.collection_values import (
    infer_collection,
    infer_entry,
    infer_group,
)
from rulewright.checker.infer.conditions import (
    infer_comparison,
    infer_conditional_value,
    infer_logical,
    infer_membership,
    infer_negation,
)
from rulewright.checker.infer.name_lookup import report_hyphened_name
from rulewright.checker.infer.references import infer_attribute, infer_reference
from rulewright.checker.scope import Scope, TypeEnvironment, VariableTable
from rulewright.checker.symbols import LinkedModule
from rulewright.program import expressions as typed
from rulewright.program.types import (
    FLAG,
    TEXT,
    DirectionType,
    FractionType,
    NoneType,
    NumberType,
    OptionalType,
    Type,
    strip_optional,
)
from rulewright.syntax.nodes import expressions as nodes


def make_declaration_scope(
    module: LinkedModule, environment: TypeEnvironment, report: DiagnosticCollector | None = None
) -> Scope:
    """Scope of a declaration: no local names, no facts but the definitions of functions."""
    facts = environment.make_initial_facts()
    return Scope(infer_expression, module, environment, report or environment.report, VariableTable(), facts=facts)


def infer_expression(node: nodes.Expression, scope: Scope, expected: Type | None = None) -> typed.Expression | None:
    """Typed expression of a node, of type `T` instead of `T?` where it is known not to be none; None after an error.

    The expected type types bare words, `{}`, `[]` and `none`; it is a hint: who needs the type calls `fit_expression`
    with the result.
    """
    if scope.module.inherited:
        scope = scope.for_text_at(node.span)
    result = _infer_node(node, scope, expected)
    if result is not None and isinstance(result.type, OptionalType):
        known = scope.facts.truths.get(make_equality_key(make_key(result), NONE_KEY))
        if known is not None and not known[0]:
            return replace(result, type=result.type.inner)
    return result


def _infer_node(node: nodes.Expression, scope: Scope, expected: Type | None) -> typed.Expression | None:
    match node:
        case nodes.Reference():
            return infer_reference(node, scope, expected)
        case nodes.Attribute():
            return infer_attribute(node, scope)
        case nodes.Index():
            return infer_entry(node, scope)
        case nodes.Call():
            return infer_call(node, scope, expected)
        case nodes.Aggregate():
            return infer_aggregate(node, scope)
        case nodes.Quantified():
            return infer_quantified(node, scope)
        case nodes.Comprehension():
            return infer_comprehension(node, scope, expected)
        case nodes.Collection():
            return infer_collection(node, scope, expected)
        case nodes.Group(items=(inner,)):
            return scope.infer(inner, expected)
        case nodes.Group():
            return infer_group(node, scope, expected)
        case nodes.IfValue():
            return infer_conditional_value(node, scope, expected)
        case nodes.Binary():
            return _infer_binary(node, scope, expected)
        case nodes.Unary(operator="not"):
            return infer_negation(node, scope)
        case nodes.Unary():
            return infer_signed(node, scope)
        case _:
            return _infer_literal(node, expected)


def _infer_binary(node: nodes.Binary, scope: Scope, expected: Type | None) -> typed.Expression | None:
    match node.operator:
        case "and" | "or":
            return infer_logical(node, scope)
        case "in" | "not in":
            return infer_membership(node, scope)
        case "..":
            return infer_number_range(node, scope)
        case "-" if report_hyphened_name(node, scope):
            return None
        case "+" | "-" | "*" | "/":
            return infer_arithmetic(node, scope, expected)
        case _:
            return infer_comparison(node, scope)


_LiteralNode = nodes.WholeNumber | nodes.DecimalNumber | nodes.TextLiteral | nodes.Truth | nodes.NoneValue


def _infer_literal(node: _LiteralNode, expected: Type | None) -> typed.Literal:
    """A literal; a whole number is a direction where one is expected."""
    match node:
        case nodes.WholeNumber(value=number, span=span):
            wanted = expected and strip_optional(expected)
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
