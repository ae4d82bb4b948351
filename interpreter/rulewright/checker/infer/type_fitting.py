"""Types in relation: subtypes, common types, and values fitted to the type of a slot (manual, Types)."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from rulewright.base.diagnostics import Basis, Edit, Remedy
from rulewright.base.diagnostics.remedies import make_wrapping_edits
from rulewright.checker.facts.intervals import Interval, are_disjoint, is_inside_interval, join_intervals
from rulewright.checker.facts.prover import compute_number_range
from rulewright.checker.infer.name_lookup import has_attribute
from rulewright.checker.scope import Scope
from rulewright.program import expressions as ex, statements as st, types as ty
from rulewright.program.conditions import is_none_literal
from rulewright.program.expressions import Expression, Variable
from rulewright.program.types import Type
from rulewright.program.walk import find_value_place
from rulewright.program.wording import describe_expression, describe_type, render_brief_expression
from rulewright.syntax.nodes import expressions as nodes


def is_subtype(source: Type, target: Type) -> bool:
    """Whether every value of the source is a value of the target."""
    match source, target:
        case ty.EmptyType(), _:
            return True
        case ty.NoneType(), ty.OptionalType() | ty.NoneType():
            return True
        case ty.OptionalType(inner), ty.OptionalType(wider):
            return is_subtype(inner, wider)
        case _, ty.OptionalType(wider):
            return is_subtype(source, wider)
        case ty.NumberType(), ty.NumberType():
            return _is_number_subtype(source, target)
        case ty.NumberType(), ty.FractionType() | ty.LengthType():
            return True
        case ty.FractionType(), ty.LengthType():
            return True
        case ty.NumberType() | ty.FractionType(), ty.PlaneType("angle"):
            return True
        case ty.NumberType(), ty.DirectionType():
            return is_inside_interval((source.low, source.high), (0, target.count - 1))
        case (ty.DieType(face, part), ty.DieType(wide, wanted)) | (ty.PoolType(face, part), ty.PoolType(wide, wanted)):
            # names of parts do not matter where the target has none
            return is_subtype(face, wide) and (wanted is None or (part is not None and is_subtype(part, wanted)))
        case _ if isinstance(source, _SINGLE_MEMBER_TYPES) and type(source) is type(target):
            return is_subtype(_get_item_type(source), _get_item_type(target)) and not needs_rounding(
                _get_item_type(source), _get_item_type(target)
            )
        case (ty.ListType(item) | ty.SetType(item), ty.DeckType(wider)) | (ty.SetType(item), ty.BagType(wider)):
            return is_subtype(item, wider)
        case ty.MapType(), ty.MapType():
            return source.key == target.key and is_subtype(source.value, target.value)
        case ty.TupleType(parts), ty.TupleType(wider_parts):
            return len(parts) == len(wider_parts) and all(map(is_subtype, parts, wider_parts))
        case _:
            return source == target


def _is_number_subtype(source: ty.NumberType, target: ty.NumberType) -> bool:
    if not is_inside_interval((source.low, source.high), (target.low, target.high)):
        return False
    return not target.paired or source.paired or all(map(target.contains_number, source.list_numbers() or ()))


def needs_rounding(source: Type, target: Type) -> bool:
    """Whether values of the source become other values where the target is wanted."""
    match source, target:
        case (ty.OptionalType(inner), ty.OptionalType(wider)) | (inner, ty.OptionalType(wider)):
            return needs_rounding(inner, wider)
        case ty.FractionType(), ty.LengthType():
            return True
        case ty.NumberType() | ty.FractionType(), ty.PlaneType("angle"):
            return True
        case _:
            return False


_SINGLE_MEMBER_TYPES = (ty.SetType, ty.ListType, ty.BagType, ty.DeckType, ty.DieType, ty.PoolType)


def _get_item_type(type_: Type) -> Type:
    match type_:
        case ty.SetType(item) | ty.ListType(item) | ty.BagType(item) | ty.DeckType(item):
            return item
        case ty.DieType(face) | ty.PoolType(face):
            return face
        case _:
            raise AssertionError(type_)


def find_common_type(first: Type, second: Type) -> Type | None:
    """The narrowest type both widen to, or none where they are unlike.

    >>> find_common_type(NumberType(1, 3), NumberType(5, 6))
    NumberType(low=1, high=6, paired=False)
    """
    if is_subtype(first, second):
        return second
    if is_subtype(second, first):
        return first
    match first, second:
        case ty.NoneType(), _:
            return ty.OptionalType(second)
        case _, ty.NoneType():
            return ty.OptionalType(first)
        case ty.NumberType(), ty.NumberType():
            return ty.NumberType(
                *join_intervals((first.low, first.high), (second.low, second.high)), first.paired and second.paired
            )
        case (ty.OptionalType(), _) | (_, ty.OptionalType()):
            inner = find_common_type(ty.strip_optional(first), ty.strip_optional(second))
            return inner and ty.OptionalType(inner)
        case _ if isinstance(first, _SINGLE_MEMBER_TYPES) and type(first) is type(second):
            shared = find_common_type(_get_item_type(first), _get_item_type(second))
            return shared and type(first)(shared)
        case ty.MapType(), ty.MapType() if first.key == second.key:
            value = find_common_type(first.value, second.value)
            return value and ty.MapType(first.key, value)
        case ty.TupleType(parts), ty.TupleType(others) if len(parts) == len(others):
            shared_parts = tuple(find_common_type(a, b) for a, b in zip(parts, others, strict=True))
            return None if None in shared_parts else ty.TupleType(shared_parts)  # type: ignore[arg-type]
        case _:
            return None


def find_common_type_of_all(types: list[Type]) -> Type | None:
    """Narrowest type for all; without any the type of nothing."""
    result: Type = ty.EmptyType()
    for type_ in types:
        wider = find_common_type(result, type_)
        if wider is None:
            return None
        result = wider
    return result


def is_undecided_type(type_: Type) -> bool:
    """Whether the type of `none`, `{}` or `[]` is open."""
    match type_:
        case ty.NoneType() | ty.EmptyType() | ty.OptionalType(ty.EmptyType()):
            return True
        case ty.SetType(item) | ty.ListType(item) | ty.BagType(item) | ty.DeckType(item):
            return is_undecided_type(item)
        case _:
            return False


def is_like_type(source: Type, target: Type) -> bool:
    """Whether some value of the source may be one of the target: they differ in bounds or `none` only.

    Fractions are like whole numbers only where they need no rounding, which is never.
    """
    match source, target:
        case (ty.NumberType(), ty.NumberType()) | (ty.NoneType(), ty.OptionalType()):
            return True
        case ty.OptionalType(inner), _:
            return is_like_type(inner, ty.strip_optional(target))
        case _, ty.OptionalType(inner):
            return is_like_type(source, inner)
        case _ if isinstance(source, _SINGLE_MEMBER_TYPES) and type(source) is type(target):
            return is_like_type(_get_item_type(source), _get_item_type(target))
        case ty.MapType(), ty.MapType():
            return source.key == target.key and is_like_type(source.value, target.value)
        case ty.TupleType(parts), ty.TupleType(others):
            return len(parts) == len(others) and all(map(is_like_type, parts, others))
        case _:
            return is_subtype(source, target)


def infer_fitted(node: nodes.Expression | None, target: Type, scope: Scope, what: str) -> Expression | None:
    """Value of the target type, which also types bare words in it; None after an error."""
    result = None if node is None else scope.infer(node, target)
    return result and fit_expression(result, target, scope, what)


def fit_expression(expression: Expression, target: Type, scope: Scope, what: str) -> Expression | None:
    """The expression as a value of the target type.

    Widens silently; narrows a number with a proof, else with a warning and `Narrowed`; reports values that never fit.
    `what` names the slot in messages, such as "`morale`" or "argument `amount` of `wound`".
    """
    match expression, target:
        case ((ex.MakeCollection() | ex.Comprehension() | ex.MakeTuple() | ex.Conditional()), _) if isinstance(
            expression.type, ty.MapType
        ) or not isinstance(target, ty.MapType):
            fitted = _fit_members(expression, target, scope, what)
            if fitted is not expression:
                return fitted
        case _, ty.MapType(key, value) if not isinstance(expression.type, ty.MapType) and is_like_type(
            expression.type, value
        ):
            start = fit_expression(expression, value, scope, what)
            return start and ex.MakeCollection(type=ty.MapType(key, value), span=expression.span, items=(start,))
    if is_subtype(expression.type, target):
        return _retype_literal(expression, target)
    if isinstance(ty.strip_optional(target), ty.NumberType) and isinstance(expression.type, ty.NumberType):
        return _fit_number(expression, target, scope, what)
    return _report_mismatch(expression, target, scope, what)


def _retype_literal(expression: Expression, target: Type) -> Expression:
    """A literal in the type of its slot; numbers for lengths and angles are rounded to what these hold."""
    if needs_rounding(expression.type, target) and not _is_exact_literal(expression, target):
        return ex.Rounded(type=target, span=expression.span, operand=expression)
    if isinstance(expression, ex.MakeCollection | ex.Literal) and isinstance(
        expression.type, ty.NoneType | ty.SetType | ty.ListType | ty.BagType | ty.DeckType
    ):
        return replace(
            expression, type=ty.strip_optional(target) if isinstance(expression, ex.MakeCollection) else target
        )
    return expression


_LENGTH_STEPS_PER_UNIT, _ANGLE_STEPS_PER_DEGREE, _FULL_TURN_DEGREES = 1000, 100, 360


def _is_exact_literal(expression: Expression, target: Type) -> bool:
    if not isinstance(expression, ex.Literal) or not isinstance(expression.value, int | Fraction):
        return False
    angle = isinstance(ty.strip_optional(target), ty.PlaneType)
    whole = (expression.value * (_ANGLE_STEPS_PER_DEGREE if angle else _LENGTH_STEPS_PER_UNIT)).denominator == 1
    return whole and (not angle or 0 <= expression.value < _FULL_TURN_DEGREES)


def _fit_members(expression: Expression, target: Type, scope: Scope, what: str) -> Expression | None:
    """Fits the members of a collection literal one by one, so that each has its own proof."""
    match expression, ty.strip_optional(target):
        case ex.Conditional(condition=condition, then=then, otherwise=otherwise), _:
            first = fit_expression(then, target, scope.assuming(condition, truth=True), what)
            second = fit_expression(otherwise, target, scope.assuming(condition, truth=False), what)
            if first is None or second is None:
                return None
            type_ = find_common_type(first.type, second.type) or target
            return replace(expression, type=type_, then=first, otherwise=second)
        case ex.MakeCollection(items=items), (
            ty.SetType(item) | ty.ListType(item) | ty.BagType(item) | ty.DeckType(item)
        ) as wanted if type(expression.type) is type(wanted) or (
            isinstance(expression.type, ty.ListType | ty.SetType) and isinstance(wanted, ty.BagType | ty.DeckType)
        ):
            members = [fit_expression(each, item, scope, f"a member of {what}") for each in items]
            return _build_if_all(members, lambda fitted_value: replace(expression, type=wanted, items=fitted_value))
        case ex.Comprehension(binding=binding, value=value), ty.SetType(item) | ty.ListType(item) if type(
            expression.type
        ) is type(ty.strip_optional(target)):
            if is_subtype(value.type, item):
                return expression
            inner = scope.assuming(binding.where, truth=True)
            fitted_value = fit_expression(value, item, inner, f"a member of {what}")
            return fitted_value and replace(expression, type=ty.strip_optional(target), value=fitted_value)
        case ex.MakeTuple(parts=parts), ty.TupleType(types) if len(parts) == len(types):
            fitted = [fit_expression(part, type_, scope, what) for part, type_ in zip(parts, types, strict=True)]
            return _build_if_all(
                fitted, lambda fitted_value: replace(expression, type=ty.strip_optional(target), parts=fitted_value)
            )
        case _:
            return expression


def _build_if_all(
    parts: list[Expression | None], build: Callable[[tuple[Expression, ...]], Expression]
) -> Expression | None:
    items = tuple(part for part in parts if part is not None)
    return build(items) if len(items) == len(parts) else None


def _fit_number(expression: Expression, target: Type, scope: Scope, what: str) -> Expression | None:
    bounds = ty.strip_optional(target)
    assert isinstance(bounds, ty.NumberType)
    assert isinstance(expression.type, ty.NumberType)
    known, wanted = compute_number_range(scope.facts, expression), (bounds.low, bounds.high)
    given = ty.NumberType(*known, expression.type.paired)
    if _is_number_subtype(given, bounds):
        return expression
    text = str(given)
    if are_disjoint(known, wanted) or (
        bounds.paired and not any(map(given.contains_number, bounds.list_numbers() or ()))
    ):
        message = f"{what} must be `{target}`, but is always `{text}` here"
        remedy = _AMOUNT_REMEDY if what == "the amount" and known[1] is not None and known[1] < 0 else ""
        scope.report.proved_error("RW0401", expression.span, message, help=remedy)
        return None
    before, after = _make_clamp_code(known, bounds)
    widen = "" if None in (*known, *wanted) else f"widen `{target}`, "
    scope.report.warning(
        "RW0402",
        expression.span,
        f"{what} must be `{target}`, but may be `{text}` here",
        notes=("No line above rules this out. A play in which it happens stops here.",),
        help=f"{widen}bound it with `{before}…{after}`, or check it first in an `if` or a `require`"
        if not bounds.paired
        else "give it what a `d66` shows, or write a range of numbers instead of `d66`",
        edits=() if bounds.paired else make_wrapping_edits(before, expression.span, after),
    )
    return ex.Narrowed(type=target, span=expression.span, operand=expression)


_AMOUNT_REMEDY = "write the amount without its sign: `add … to` makes more of it, `take … from` makes less"


def _make_clamp_code(known: Interval, target: ty.NumberType) -> tuple[str, str]:
    before = after = ""
    if not is_inside_interval((known[0], None), (target.low, None)):
        before, after = f"max({target.low}, ", ")"
    if not is_inside_interval((None, known[1]), (None, target.high)):
        before, after = f"min({target.high}, {before}", f"{after})"
    return before, after


def _report_mismatch(expression: Expression, target: Type, scope: Scope, what: str) -> Expression | None:
    source = expression.type
    if isinstance(source, ty.OptionalType | ty.NoneType) and is_like_type(source, target):
        text = render_brief_expression(expression)
        shown = f"`{text}` may be `none` here" if text != "…" else "this may be `none`"
        scope.report.proved_error(
            "RW0403",
            expression.span,
            f"{shown}, and {what} cannot be",
            help="ask `… != none` first, in an `if` or a `when`",
            subject=shown,
        )
    elif isinstance(source, ty.FractionType) and isinstance(ty.strip_optional(target), ty.NumberType):
        scope.report.error(
            "RW0310",
            expression.span,
            f"{what} holds whole numbers, and this may be a fraction",
            help="round it with `floor`, `ceiling` or `round`",
        )
    elif isinstance(ty.strip_optional(target), ty.DirectionType) and isinstance(source, ty.NumberType):
        highest = len(ty.GRID_STEPS[ty.strip_optional(target).space]) - 1  # type: ignore[union-attr]
        scope.report.error("RW0317", expression.span, f"{what} must be a direction, 0 to {highest}, not `{source}`")
    elif isinstance(source, ty.DirectionType) and isinstance(ty.strip_optional(target), ty.DirectionType):
        message = (
            f"{what} must be a direction on a board of {ty.strip_optional(target).space}, "  # type: ignore[union-attr]
            f"and {describe_expression(expression)} on one of {source.space}"
        )
        scope.report.error("RW0317", expression.span, message, basis=Basis.NAMES)
    elif is_like_type(source, target):
        scope.report.warning("RW0402", expression.span, f"{what} must be `{target}`, but is `{source}` here")
        return ex.Narrowed(type=target, span=expression.span, operand=expression)
    else:
        message = f"{what} must be {describe_type(target)}, and {describe_expression(expression)}"
        number = isinstance(ty.strip_optional(target), ty.NumberType)
        remedy = suggest_number(expression) if number else suggest_hidden_word(expression, target, scope)
        remedy = remedy if remedy.help else suggest_owner(expression, target, scope)
        remedy = remedy if remedy.help else suggest_die_value(expression, target)
        if is_none_literal(expression):
            remedy = suggest_instead_of_none(expression, target)
        elif isinstance(target, ty.MapType) and isinstance(expression, ex.MakeCollection):
            remedy = Remedy("write the value that every key has at first, such as `= 0` or `= none`")
        elif isinstance(target, ty.BagType) and isinstance(source, ty.ListType):
            remedy = Remedy("put its members into the bag one by one, with `for each` and `add`")
        scope.report.error("RW0317", expression.span, message, remedy=remedy)
    return None


def suggest_die_value(expression: Expression, wanted: Type) -> Remedy:
    """Remedy where a number or word is wanted and a die that shows such is given; else empty."""
    die = expression.type
    if not isinstance(die, ty.DieType) or find_common_type(die.face, ty.strip_optional(wanted)) is None:
        return Remedy("")
    name = "natural" if isinstance(die.face, ty.NumberType) else "face"
    shown = make_wrapping_edits("", expression.span, f".{name}", safe=True) if isinstance(expression, ex.Local) else ()
    return Remedy(f"`{render_brief_expression(expression)}.{name}` is what the die shows", shown)


def suggest_number(expression: Expression) -> Remedy:
    """Remedy where a number is wanted and dice are given; else empty."""
    type_, text = expression.type, render_brief_expression(expression)
    match type_:
        case ty.DieType(face=ty.NumberType() as face):
            return suggest_die_value(expression, face)
        case ty.PoolType(face=ty.NumberType()):
            sum_ = make_wrapping_edits("total(", expression.span, ")")
            return Remedy(f"`total({text})` is their sum", sum_)
        case _:
            return Remedy("")


def suggest_instead_of_none(expression: Expression, target: Type) -> Remedy:
    """Remedy where `none` does not fit."""
    if isinstance(target, ty.FlagType):
        return Remedy("write `no`", (Edit(expression.span, "no"),))
    return Remedy(f"write another value, or declare what it is for as `{target}?`, which may be `none`")


def suggest_owner(expression: Expression, target: Type, scope: Scope) -> Remedy:
    """Remedy where a player is wanted and a thing with an owner is given; else empty."""
    owned = isinstance(expression.type, ty.ThingType) and has_attribute(expression.type, "owner", scope)
    if target != ty.PLAYER or expression.type == ty.PLAYER or not owned:
        return Remedy()
    return Remedy(
        f"did you mean `{render_brief_expression(expression)}.owner`?",
        make_wrapping_edits("", expression.span, ".owner"),
    )


def suggest_hidden_word(expression: Expression, target: Type, scope: Scope) -> Remedy:
    """Remedy where another name hides the word that was meant; else empty."""
    wanted = ty.strip_optional(target)
    match find_value_place(expression, lambda field: field.type):
        case st.VariablePlace(variable=Variable(name=name)):
            holder = "something else"
        case st.GamePlace(name=name):
            holder, name = "an attribute of the game", name.rpartition(".")[2]
        case st.AttributePlace(target=ex.Itself(), name=name):
            holder = "an attribute"
        case _:
            return Remedy("")
    if not isinstance(wanted, ty.WordType) or wanted.values not in {
        symbol.name for symbol in scope.module.words.get(name, [])
    }:
        return Remedy("")
    word = f"{wanted}.{name}"
    return Remedy(f"`{name}` is the name of {holder} here; the word is `{word}`", (Edit(expression.span, word),))
