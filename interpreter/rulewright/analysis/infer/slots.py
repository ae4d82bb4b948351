"""Values in slots: how types are related, widening, and the proof a narrow slot needs (manual, Types)."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from rulewright.analysis.facts import number_range, suppose
from rulewright.analysis.facts.intervals import Range, apart, hull, within
from rulewright.analysis.infer.lookup import has_attribute
from rulewright.analysis.scope import Scope
from rulewright.diagnostics import Edit
from rulewright.diagnostics.remedies import Remedy, wrapped
from rulewright.program import expressions as ex, types as ty
from rulewright.program.conditions import is_none
from rulewright.program.expressions import Expression, Variable
from rulewright.program.types import Type
from rulewright.program.wording import is_a, sort_in_words, wording
from rulewright.syntax.nodes import expressions as nodes


def widens(source: Type, target: Type) -> bool:  # noqa: C901, PLR0911, PLR0912 - one case for each sort
    """Whether every value of the source is one of the target."""
    match source, target:
        case ty.EmptyType(), _:
            return True
        case ty.NoneType(), ty.OptionalType() | ty.NoneType():
            return True
        case ty.OptionalType(inner), ty.OptionalType(wider):
            return widens(inner, wider)
        case _, ty.OptionalType(wider):
            return widens(source, wider)
        case ty.NumberType(), ty.NumberType():
            return _narrower(source, target)
        case ty.NumberType(), ty.FractionType() | ty.LengthType():
            return True
        case ty.FractionType(), ty.LengthType():
            return True
        case ty.NumberType() | ty.FractionType(), ty.PlaneType("angle"):
            return True
        case ty.NumberType(), ty.DirectionType():
            return within((source.low, source.high), (0, target.count - 1))
        case (ty.DieType(face, part), ty.DieType(wide, wanted)) | (ty.PoolType(face, part), ty.PoolType(wide, wanted)):
            # what parts are called is often of no interest where the target is
            return widens(face, wide) and (wanted is None or (part is not None and widens(part, wanted)))
        case _ if isinstance(source, _ONE) and type(source) is type(target):
            return widens(_item(source), _item(target)) and not rounds(_item(source), _item(target))
        case (ty.ListType(item) | ty.SetType(item), ty.DeckType(wider)) | (ty.SetType(item), ty.BagType(wider)):
            return widens(item, wider)
        case ty.MapType(), ty.MapType():
            return source.key == target.key and widens(source.value, target.value)
        case ty.TupleType(parts), ty.TupleType(wider_parts):
            return len(parts) == len(wider_parts) and all(map(widens, parts, wider_parts))
        case _:
            return source == target


def _narrower(source: ty.NumberType, target: ty.NumberType) -> bool:
    """Whether all numbers of one are among those of another."""
    if not within((source.low, source.high), (target.low, target.high)):
        return False
    return not target.paired or source.paired or all(map(target.holds, source.numbers() or ()))


def rounds(source: Type, target: Type) -> bool:
    """Whether values of the source become other values where the target is wanted."""
    match source, target:
        case (ty.OptionalType(inner), ty.OptionalType(wider)) | (inner, ty.OptionalType(wider)):
            return rounds(inner, wider)
        case ty.FractionType(), ty.LengthType():
            return True
        case ty.NumberType() | ty.FractionType(), ty.PlaneType("angle"):
            return True
        case _:
            return False


_ONE = (ty.SetType, ty.ListType, ty.BagType, ty.DeckType, ty.DieType, ty.PoolType)


def _item(type_: Type) -> Type:
    match type_:
        case ty.SetType(item) | ty.ListType(item) | ty.BagType(item) | ty.DeckType(item):
            return item
        case ty.DieType(face) | ty.PoolType(face):
            return face
        case _:
            raise AssertionError(type_)


def common(first: Type, second: Type) -> Type | None:  # noqa: PLR0911 - one case for each sort
    """The narrowest type both widen to, or none where they are unlike.

    >>> common(NumberType(1, 3), NumberType(5, 6))
    NumberType(low=1, high=6, paired=False)
    """
    if widens(first, second):
        return second
    if widens(second, first):
        return first
    match first, second:
        case ty.NoneType(), _:
            return ty.OptionalType(second)
        case _, ty.NoneType():
            return ty.OptionalType(first)
        case ty.NumberType(), ty.NumberType():
            return ty.NumberType(
                *hull((first.low, first.high), (second.low, second.high)), first.paired and second.paired
            )
        case (ty.OptionalType(), _) | (_, ty.OptionalType()):
            inner = common(ty.present(first), ty.present(second))
            return inner and ty.OptionalType(inner)
        case _ if isinstance(first, _ONE) and type(first) is type(second):
            shared = common(_item(first), _item(second))
            return shared and type(first)(shared)
        case ty.MapType(), ty.MapType() if first.key == second.key:
            value = common(first.value, second.value)
            return value and ty.MapType(first.key, value)
        case ty.TupleType(parts), ty.TupleType(others) if len(parts) == len(others):
            shared_parts = tuple(common(a, b) for a, b in zip(parts, others, strict=True))
            return None if None in shared_parts else ty.TupleType(shared_parts)  # type: ignore[arg-type]
        case _:
            return None


def common_of(types: list[Type]) -> Type | None:
    """The narrowest type for all of several; for none of them the type of nothing."""
    found: Type = ty.EmptyType()
    for each in types:
        wider = common(found, each)
        if wider is None:
            return None
        found = wider
    return found


def undecided(type_: Type) -> bool:
    """Whether the type of `none`, `{}` or `[]` was left open."""
    match type_:
        case ty.NoneType() | ty.EmptyType() | ty.OptionalType(ty.EmptyType()):
            return True
        case ty.SetType(item) | ty.ListType(item) | ty.BagType(item) | ty.DeckType(item):
            return undecided(item)
        case _:
            return False


def like(source: Type, target: Type) -> bool:  # noqa: PLR0911 - one case for each sort
    """Whether some value of the source may be one of the target: they differ in bounds or `none` only.

    Fractions are like whole numbers only where they need no rounding, which is never.
    """
    match source, target:
        case (ty.NumberType(), ty.NumberType()) | (ty.NoneType(), ty.OptionalType()):
            return True
        case ty.OptionalType(inner), _:
            return like(inner, ty.present(target))
        case _, ty.OptionalType(inner):
            return like(source, inner)
        case _ if isinstance(source, _ONE) and type(source) is type(target):
            return like(_item(source), _item(target))
        case ty.MapType(), ty.MapType():
            return source.key == target.key and like(source.value, target.value)
        case ty.TupleType(parts), ty.TupleType(others):
            return len(parts) == len(others) and all(map(like, parts, others))
        case _:
            return widens(source, target)


def fitted(node: nodes.Expression | None, target: Type, scope: Scope, what: str) -> Expression | None:
    """What is written as a value of the target type, which is also what bare words in it go by; none for nothing."""
    found = None if node is None else scope.infer(node, target)
    return found and fit(found, target, scope, what)


def fit(expression: Expression, target: Type, scope: Scope, what: str) -> Expression | None:
    """The expression as a value of the target type.

    Widens silently; narrows a number with a proof, else with a warning and `Narrowed`; reports values that never
    fit. `what` names the slot for messages, such as "`morale`" or "argument `amount` of `wound`".
    """
    match expression, target:
        case ((ex.MakeCollection() | ex.Comprehension() | ex.MakeTuple() | ex.Conditional()), _) if isinstance(
            expression.type, ty.MapType
        ) or not isinstance(target, ty.MapType):
            made = _member_by_member(expression, target, scope, what)
            if made is not expression:
                return made
        case _, ty.MapType(key, value) if not isinstance(expression.type, ty.MapType) and like(expression.type, value):
            start = fit(expression, value, scope, what)
            return start and ex.MakeCollection(type=ty.MapType(key, value), span=expression.span, items=(start,))
    if widens(expression.type, target):
        return _retyped(expression, target)
    if isinstance(ty.present(target), ty.NumberType) and isinstance(expression.type, ty.NumberType):
        return _narrowed(expression, target, scope, what)
    return _mismatch(expression, target, scope, what)


def _retyped(expression: Expression, target: Type) -> Expression:
    """Literals of no type of their own take that of the slot; everything else keeps what is known of it.

    Numbers for lengths and angles are rounded to what these hold.
    """
    if rounds(expression.type, target) and not _holds_already(expression, target):
        return ex.Rounded(type=target, span=expression.span, operand=expression)
    if isinstance(expression, ex.MakeCollection | ex.Literal) and isinstance(
        expression.type, ty.NoneType | ty.SetType | ty.ListType | ty.BagType | ty.DeckType
    ):
        return replace(expression, type=ty.present(target) if isinstance(expression, ex.MakeCollection) else target)
    return expression


_THOUSANDTHS, _HUNDREDTHS, _TURN = 1000, 100, 360


def _holds_already(expression: Expression, target: Type) -> bool:
    """Whether a literal is a length or an angle as it stands: in whole thousandths, or hundredths of a degree."""
    if not isinstance(expression, ex.Literal) or not isinstance(expression.value, int | Fraction):
        return False
    angle = isinstance(ty.present(target), ty.PlaneType)
    whole = (expression.value * (_HUNDREDTHS if angle else _THOUSANDTHS)).denominator == 1
    return whole and (not angle or 0 <= expression.value < _TURN)


def _member_by_member(expression: Expression, target: Type, scope: Scope, what: str) -> Expression | None:  # noqa: PLR0911 - one case for each sort
    """Fits the members of what is built here, so that each has its own proof; else gives the expression back."""
    match expression, ty.present(target):
        case ex.Conditional(condition=condition, then=then, otherwise=otherwise), _:
            first = fit(then, target, scope.knowing(suppose(scope.facts, condition, truth=True)), what)
            second = fit(otherwise, target, scope.knowing(suppose(scope.facts, condition, truth=False)), what)
            if first is None or second is None:
                return None
            type_ = common(first.type, second.type) or target
            return replace(expression, type=type_, then=first, otherwise=second)
        case ex.MakeCollection(items=items), (
            ty.SetType(item) | ty.ListType(item) | ty.BagType(item) | ty.DeckType(item)
        ) as wanted if type(expression.type) is type(wanted) or (
            isinstance(expression.type, ty.ListType | ty.SetType) and isinstance(wanted, ty.BagType | ty.DeckType)
        ):
            members = [fit(each, item, scope, f"a member of {what}") for each in items]
            return _if_all(members, lambda made: replace(expression, type=wanted, items=made))
        case ex.Comprehension(binding=binding, value=value), ty.SetType(item) | ty.ListType(item) if type(
            expression.type
        ) is type(ty.present(target)):
            if widens(value.type, item):
                return expression
            inner = scope.knowing(suppose(scope.facts, binding.where, truth=True)) if binding.where else scope
            made = fit(value, item, inner, f"a member of {what}")
            return made and replace(expression, type=ty.present(target), value=made)
        case ex.MakeTuple(parts=parts), ty.TupleType(types) if len(parts) == len(types):
            fitted = [fit(each, type_, scope, what) for each, type_ in zip(parts, types, strict=True)]
            return _if_all(fitted, lambda made: replace(expression, type=ty.present(target), parts=made))
        case _:
            return expression


def _if_all(parts: list[Expression | None], build: Callable[[tuple[Expression, ...]], Expression]) -> Expression | None:
    found = tuple(part for part in parts if part is not None)
    return build(found) if len(found) == len(parts) else None


def _narrowed(expression: Expression, target: Type, scope: Scope, what: str) -> Expression | None:
    bounds = ty.present(target)
    assert isinstance(bounds, ty.NumberType)
    assert isinstance(expression.type, ty.NumberType)
    known, wanted = number_range(scope.facts, expression), (bounds.low, bounds.high)
    given = ty.NumberType(*known, expression.type.paired)
    if _narrower(given, bounds):
        return expression
    text = str(given)
    if apart(known, wanted) or (bounds.paired and not any(map(given.holds, bounds.numbers() or ()))):
        scope.report.error("RW0401", expression.span, f"{what} must be `{target}`, but is always `{text}` here")
        return None
    before, after = _around(known, bounds)
    scope.report.warning(
        "RW0402",
        expression.span,
        f"{what} must be `{target}`, but may be `{text}` here",
        notes=("No line above rules this out. A play in which it happens stops here.",),
        help=f"widen `{target}`, bound it with `{before}…{after}`, or check it first in an `if` or a `require`"
        if not bounds.paired
        else "give it what a `d66` shows, or write a range of numbers instead of `d66`",
        edits=() if bounds.paired else wrapped(before, expression.span, after),
    )
    return ex.Narrowed(type=target, span=expression.span, operand=expression)


def _around(known: Range, target: ty.NumberType) -> tuple[str, str]:
    """What stands before and behind a number to keep it within bounds that it may break."""
    before = after = ""
    if not within((known[0], None), (target.low, None)):
        before, after = f"max({target.low}, ", ")"
    if not within((None, known[1]), (None, target.high)):
        before, after = f"min({target.high}, {before}", f"{after})"
    return before, after


def _mismatch(expression: Expression, target: Type, scope: Scope, what: str) -> Expression | None:
    source = expression.type
    if isinstance(source, ty.OptionalType | ty.NoneType) and like(source, target):
        text = wording(expression)
        shown = f"`{text}` may be `none` here" if text != "…" else "this may be `none`"
        scope.report.error(
            "RW0403",
            expression.span,
            f"{shown}, and {what} cannot be",
            help="ask `… != none` first, in an `if` or a `when`",
        )
    elif isinstance(source, ty.FractionType) and isinstance(ty.present(target), ty.NumberType):
        scope.report.error(
            "RW0310",
            expression.span,
            f"{what} holds whole numbers, and this may be a fraction",
            help="round it with `floor`, `ceiling` or `round`",
        )
    elif isinstance(ty.present(target), ty.DirectionType) and isinstance(source, ty.NumberType):
        highest = len(ty.GRIDS[ty.present(target).space]) - 1  # type: ignore[union-attr]
        scope.report.error("RW0317", expression.span, f"{what} must be a direction, 0 to {highest}, not `{source}`")
    elif like(source, target):
        scope.report.warning("RW0402", expression.span, f"{what} must be `{target}`, but is `{source}` here")
        return ex.Narrowed(type=target, span=expression.span, operand=expression)
    else:
        message = f"{what} must be {sort_in_words(target)}, and {is_a(expression)}"
        number = isinstance(ty.present(target), ty.NumberType)
        remedy = as_number(expression) if number else hidden_word(expression, target, scope)
        remedy = remedy if remedy.help else its_player(expression, target, scope)
        remedy = remedy if remedy.help else what_it_shows(expression, target)
        if is_none(expression):
            remedy = instead_of_none(expression, target)
        elif isinstance(target, ty.MapType) and isinstance(expression, ex.MakeCollection):
            remedy = Remedy("write the value that every key has at first, such as `= 0` or `= none`")
        elif isinstance(target, ty.BagType) and isinstance(source, ty.ListType):
            remedy = Remedy("put its members into the bag one by one, with `for each` and `add`")
        scope.report.error("RW0317", expression.span, message, remedy=remedy)
    return None


def what_it_shows(expression: Expression, wanted: Type) -> Remedy:
    """What to write where a number or word is wanted and a die that shows such is given; nothing for all else."""
    die = expression.type
    if not isinstance(die, ty.DieType) or common(die.face, ty.present(wanted)) is None:
        return Remedy("")
    name = "natural" if isinstance(die.face, ty.NumberType) else "face"
    shown = wrapped("", expression.span, f".{name}", safe=True) if isinstance(expression, ex.Local) else ()
    return Remedy(f"`{wording(expression)}.{name}` is what the die shows", shown)


def as_number(expression: Expression) -> Remedy:
    """What to write where a number is wanted and dice are given; nothing for all else."""
    type_, text = expression.type, wording(expression)
    match type_:
        case ty.DieType(face=ty.NumberType() as face):
            return what_it_shows(expression, face)
        case ty.PoolType(face=ty.NumberType()):
            sum_ = wrapped("total(", expression.span, ")")
            return Remedy(f"`total({text})` is their sum", sum_)
        case _:
            return Remedy("")


def instead_of_none(expression: Expression, target: Type) -> Remedy:
    """What to write where `none` does not fit."""
    if isinstance(target, ty.FlagType):
        return Remedy("write `no`", (Edit(expression.span, "no"),))
    return Remedy(f"write another value, or declare what it is for as `{target}?`, which may be `none`")


def its_player(expression: Expression, target: Type, scope: Scope) -> Remedy:
    """The owner of a thing that stands where a player is wanted; nothing for all else."""
    owned = isinstance(expression.type, ty.ThingType) and has_attribute(expression.type, "owner", scope)
    if target != ty.PLAYER or expression.type == ty.PLAYER or not owned:
        return Remedy()
    return Remedy(f"did you mean `{wording(expression)}.owner`?", wrapped("", expression.span, ".owner"))


def hidden_word(expression: Expression, target: Type, scope: Scope) -> Remedy:
    """What to write where another name hides the word that was meant; nothing for all else."""
    wanted = ty.present(target)
    match expression:
        case ex.Local(variable=Variable(name=name)):
            holder = "something else"
        case ex.GameField(name=name):
            holder, name = "an attribute of the game", name.rpartition(".")[2]
        case ex.StoredAttribute(target=ex.Itself(), name=name):
            holder = "an attribute"
        case _:
            return Remedy("")
    if not isinstance(wanted, ty.WordType) or wanted.values not in {
        each.name for each in scope.module.words.get(name, [])
    }:
        return Remedy("")
    word = f"{wanted}.{name}"
    return Remedy(f"`{name}` is the name of {holder} here; the word is `{word}`", (Edit(expression.span, word),))
