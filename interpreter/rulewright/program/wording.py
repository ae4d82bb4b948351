"""Types, expressions and places rendered in the notation of the language, or in words for messages."""

import re
from fractions import Fraction

from rulewright.base.node_roles import walk_nodes
from rulewright.program import expressions as ex, statements as st, types as ty
from rulewright.program.declarations import Program
from rulewright.program.expressions import Expression
from rulewright.program.statements import Place
from rulewright.program.types import Type


def describe_expression(expression: Expression) -> str:
    """Expression and the sort of its value, for messages: `` `striker` is a Knight ``."""
    text = render_brief_expression(expression)
    unnamed = "…" in text or " in play" in text or text == "none"
    return f"{'this' if unnamed else f'`{text}`'} is {describe_type(expression.type)}"


def describe_type(type_: Type) -> str:
    """Type in words: `a number from 0 to 9`, `a Knight`, `several dice`."""
    match type_:
        case ty.NumberType(low=low, high=high, paired=False):
            ends = f" from {low} to {high}" if high is not None else f" from {low}"
            return "a number" if low is None or low == high else f"a number{ends}"
        case ty.FlagType():
            return "a flag"
        case ty.WordType():
            return f"a word of `{type_}`"
        case ty.ThingType() | ty.RecordType():
            return add_article(str(type_))
        case ty.PoolType(face=ty.NumberType()):
            return "several dice"
        case ty.PoolType(face=face):
            return f"several dice of `{face}`"
        case (
            ty.DieType(face=ty.NumberType())
            | ty.FractionType()
            | ty.LengthType()
            | ty.DirectionType()
            | ty.PlaneType()
            | ty.TextType()
        ):
            return add_article(str(type_))
        case ty.OptionalType(inner):
            return f"{describe_type(inner)} or `none`"
        case ty.NoneType() | ty.EmptyType():
            return f"`{type_}`" if isinstance(type_, ty.NoneType) else "empty"
        case _:
            return f"{'an' if str(type_)[0] in 'aeiou' else 'a'} `{type_}`"


def add_article(noun: str) -> str:
    """A noun with `a` or `an`; quoted text without."""
    return noun if noun[:1] in "`“" and noun[-1:] in "`”" else f"{'an' if _VOWEL_START.match(noun) else 'a'} {noun}"


_VOWEL_START = re.compile(r"“?(?!uni|use|eu|one)[aeiou]|[FHLMNRSX]\b", re.IGNORECASE)


def render_fraction(value: Fraction) -> str:
    """A fraction as a terminating decimal, else as a quotient.

    >>> render_fraction(Fraction(3, 2)), render_fraction(Fraction(1, 3))
    ('1.5', '1/3')
    """
    for digits in range(1, _MAX_DECIMAL_DIGITS):
        scaled = value * 10**digits
        if scaled.denominator == 1 and value.denominator > 1:
            whole, part = divmod(abs(scaled.numerator), 10**digits)
            return f"{'-' if value < 0 else ''}{whole}.{part:0{digits}}"
    return str(value)


_MAX_DECIMAL_DIGITS = 10
_WEAKLY_BINDING = (
    ex.Logical,
    ex.Comparison,
    ex.Arithmetic,
    ex.Joined,
    ex.Membership,
    ex.Not,
    ex.Interval,
    ex.Quantifier,
)


class ExpressionRenderer:
    """Renders expressions of one program."""

    def __init__(self, program: Program) -> None:
        self._program = program

    def render_expression(self, expression: Expression) -> str:
        """Expression in the notation of the language, names as the main file sees them."""
        text, inner = self.render_expression, self._render_bracketed
        match expression:
            case ex.Literal(value=value):
                return format_literal(value)
            case ex.WordLiteral(position=position):
                return self._render_word(expression, position)
            case ex.Local(variable=variable):
                return variable.name
            case ex.Itself():
                return "self"
            case ex.GameField(name=name) | ex.SettingValue(name=name) | ex.BoardCells(board=name):
                return name
            case ex.InPlay(kind=kind):
                return self._program.kinds[kind].plural
            case ex.Removed(kind=kind):
                return f"removed({self._program.kinds[kind].plural})"
            case ex.Part(target=target, name=name) if name.isdecimal():
                return f"{inner(target)}[{name}]"
            case ex.StoredAttribute() | ex.CellAttribute() | ex.Part() | ex.DieAttribute() | ex.PlaneAttribute():
                return f"{inner(expression.target)}.{expression.name}"
            case ex.DerivedAttribute(target=target, function=function):
                return f"{inner(target)}.{function.rpartition('/')[2]}"
            case ex.Gone(target=target):
                return f"{inner(target)}.gone"
            case ex.SideAttribute(first=first, second=second, name=name):
                return f"side({text(first)}, {text(second)}).{name}"
            case ex.MakeRecord(parts=parts):
                return f"{getattr(expression.type, 'record', '')}({self._render_list(parts)})"
            case ex.MakeTuple(parts=parts):
                return f"({self._render_list(parts)})"
            case ex.MakeCollection(items=items):
                return _bracket_items(expression, self._render_list(items))
            case ex.Comprehension(binding=binding, value=value):
                shown = "" if _is_bound_member(value, binding) else f": {text(value)}"
                return _bracket_items(expression, f"each {self.render_binding(binding)}{shown}")
            case ex.Quantifier(word=word, binding=binding, body=None):
                return f"{word} {self.render_binding(binding)}"
            case ex.Quantifier(word=word, binding=binding, body=body) if body is not None:
                return f"{word} {self.render_binding(binding)}: {text(body)}"
            case ex.TheOnly(binding=binding):
                return f"the {self.render_binding(binding)}"
            case ex.Aggregate(word=word, binding=binding, value=value):
                return f"{word}({self._render_members(binding, value)})"
            case ex.Entry(target=target, key=key):
                return f"{inner(target)}[{text(key)}]"
            case ex.CallFunction(function=name, arguments=arguments):
                return f"{name}({self._render_list(arguments)})" if arguments else name
            case ex.RelationHolds(relation=name, first=first, second=second):
                return f"{name}({text(first)}, {text(second)})"
            case ex.ExternalValue(external=name, arguments=arguments):
                return f"{name}({self._render_list(arguments)})"
            case ex.Builtin(name=name, arguments=arguments, relation=relation):
                return f"{name}({self._render_list(arguments)}{', ' + relation if relation else ''})"
            case ex.Conditional(condition=condition, then=then, otherwise=otherwise):
                return f"if({text(condition)}, {text(then)}, {text(otherwise)})"
            case ex.Membership(item=item, collection=collection, negated=negated):
                return f"{inner(item)} {'not in' if negated else 'in'} {inner(collection)}"
            case ex.Interval(low=low, high=high):
                return f"{inner(low)}..{inner(high)}"
            case ex.Not(operand=operand):
                return f"not {inner(operand)}"
            case ex.Negation(operand=operand):
                return f"-{inner(operand)}"
            case ex.Narrowed(operand=operand) | ex.Rounded(operand=operand):
                return text(operand)
            case ex.Logical(span=span, left=first, right=last) | ex.Arithmetic(span=span, left=first, right=last) if (
                first.span == last.span == span
            ):
                return text(last)
            case ex.Logical() | ex.Comparison() | ex.Arithmetic() | ex.Joined():
                left, right = (
                    self._render_operand(expression, expression.left),
                    self._render_operand(expression, expression.right),
                )
                return f"{left} {expression.operator} {right}"
            case _:
                raise AssertionError(f"no wording for {type(expression).__name__}")

    def render_place(self, place: Place) -> str:
        """Place in the notation of the language."""
        match place:
            case st.VariablePlace(variable):
                return variable.name
            case st.GamePlace(name):
                return name
            case st.AttributePlace(target, _, name) | st.CellPlace(target, _, name):
                return f"{self._render_bracketed(target)}.{name}"
            case st.PartPlace(outer, name):
                return f"{self.render_place(outer)}{f'[{name}]' if name.isdecimal() else f'.{name}'}"
            case st.EntryPlace(outer, key):
                return f"{self.render_place(outer)}[{self.render_expression(key)}]"

    def _render_operand(self, outer: Expression, side: Expression) -> str:
        """Operand, bracketed unless it binds more tightly or continues the same `and` or `or`."""
        bare = side.operand if isinstance(side, ex.Narrowed) else side
        if isinstance(outer, ex.Logical):
            same = isinstance(bare, ex.Logical) and bare.operator == outer.operator and side is outer.left
            tight = isinstance(bare, ex.Comparison | ex.Membership | ex.Not | ex.Arithmetic)
            return self.render_expression(side) if same or tight else self._render_bracketed(side)
        if isinstance(outer, ex.Comparison) and isinstance(bare, ex.Arithmetic | ex.Joined):
            return self.render_expression(side)
        return self._render_bracketed(side)

    def _render_bracketed(self, expression: Expression) -> str:
        text = self.render_expression(expression)
        bare = expression.operand if isinstance(expression, ex.Narrowed) else expression
        return f"({text})" if isinstance(bare, _WEAKLY_BINDING) else text

    def _render_list(self, items: tuple[Expression, ...]) -> str:
        return ", ".join(map(self.render_expression, items))

    def render_binding(self, binding: ex.Binding) -> str:
        """`x in S where C`."""
        names = ["_" if variable is None else variable.name for variable in binding.variables]
        head = names[0] if len(names) == 1 else f"({', '.join(names)})"
        where = "" if binding.where is None else f" where {self.render_expression(binding.where)}"
        return f"{head} in {self.render_expression(binding.source)}{where}"

    def _render_members(self, binding: ex.Binding, value: Expression | None) -> str:
        nameless = all(variable is None or variable.name == "_" for variable in binding.variables)
        if binding.where is None and nameless and (value is None or _is_bound_member(value, binding)):
            return self.render_expression(binding.source)
        return f"each {self.render_binding(binding)}{'' if value is None else ': ' + self.render_expression(value)}"

    def _render_word(self, expression: ex.WordLiteral, position: int) -> str:
        named = getattr(expression.type, "values", "")
        listed = self._program.values.get(named)
        return listed.words[position].name if listed else str(position)


class _BriefRenderer(ExpressionRenderer):
    """Renderer without a program, for messages; long parts become `…`."""

    def __init__(self) -> None:  # no program: no name is looked up
        pass

    def render_expression(self, expression: Expression) -> str:
        match expression:
            case ex.InPlay():
                return f"the {expression.kind}s in play"
            case ex.Entry(target=target, key=key):
                return f"{self.render_expression(target)}[{self.render_expression(key).strip('()')}]"
            case ex.CallFunction(function=name, arguments=arguments) | ex.Builtin(name=name, arguments=arguments):
                return f"{name}({self._render_list(arguments)})"
            case ex.Aggregate(word=word):
                return f"{word}(…)"
            case _ if isinstance(expression, _BRIEF_CLASSES):
                return super().render_expression(expression)
            case _:
                return "…"

    def _render_bracketed(self, expression: Expression) -> str:
        return self.render_expression(expression)


_BRIEF_CLASSES = (
    ex.Local, ex.Itself, ex.Literal, ex.GameField, ex.SettingValue, ex.StoredAttribute, ex.CellAttribute, ex.Part,
    ex.DieAttribute, ex.DerivedAttribute, ex.Gone, ex.MakeTuple, ex.ExternalValue, ex.RelationHolds, ex.PlaneAttribute,
    ex.Narrowed, ex.Rounded,
)  # fmt: skip


def render_brief_expression(expression: Expression) -> str:
    """Expression for messages; long parts become `…`."""
    return _BriefRenderer().render_expression(expression)


def render_brief_place(place: Place) -> str:
    """Place for messages; long parts become `…`."""
    return _BriefRenderer().render_place(place)


def format_literal(value: object) -> str:
    """Literal of a number, flag, text or `none`."""
    match value:
        case None:
            return "none"
        case bool():
            return "yes" if value else "no"
        case str():
            return f'"{value}"'
        case Fraction():
            return render_fraction(value)
        case _:
            return str(value)


def _bracket_items(expression: Expression, inside: str) -> str:
    return f"[{inside}]" if isinstance(expression.type, ty.ListType) else f"{{{inside}}}"


def is_simple_path(expression: Expression) -> bool:
    """Whether an expression only follows names and attributes."""
    chain = (ex.Local, ex.Itself, ex.GameField, ex.SettingValue, ex.StoredAttribute, ex.Part, ex.Narrowed)
    return all(isinstance(node, chain) for node in walk_nodes(expression) if isinstance(node, ex.Typed))


def _is_bound_member(value: Expression, binding: ex.Binding) -> bool:
    return isinstance(value, ex.Local) and (value.variable,) == binding.variables
