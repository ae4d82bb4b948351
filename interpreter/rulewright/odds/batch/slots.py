"""Values as a place wants them: of its type, of what is there, of a size that can be held."""

from rulewright.odds.batch.digits import number_of
from rulewright.odds.batch.shapes import NONE, UnfitError
from rulewright.odds.batch.writer import Body, constant, held
from rulewright.program import types as ty
from rulewright.program.expressions import Expression
from rulewright.program.types import Type, present

EXACT = 1 << 50
"""Numbers whose type has no bound are given back beyond this."""


def slot(body: Body, node: Expression, type_: Type) -> str:
    """A value for a slot of a type; a single value for a map is its default.

    Raises:
        UnfitError: the slot holds it in another way.
    """
    if isinstance(type_, ty.MapType) and not isinstance(node.type, ty.MapType):
        body.module.shapes.size(type_)
        size = body.module.shapes.size(body.module.shapes.parts(type_)[0])
        default = number_of(body, body.value(node), body.module.shapes.parts(type_)[0])
        every = sum(size**each for each in range(len(body.module.shapes.parts(type_))))
        return f"(i64.mul {default} {constant(every)})"
    alike(node.type, type_)
    return body.value(node)


def alike(one: Type, other: Type) -> None:
    """Refuses two types whose values are held in different ways."""
    first, second = present(one), present(other)
    if isinstance(first, ty.ListType) and isinstance(second, ty.ListType):
        refuse_nested(first)
        return
    digits_ = ty.TupleType | ty.MapType
    if (
        first != second
        and (isinstance(first, digits_) or isinstance(second, digits_))
        and ty.NoneType() not in (first, second)
    ):
        raise UnfitError(f"{one} beside {other}")
    for each in (first, second):
        if isinstance(each, ty.TextType | ty.FractionType | ty.LengthType | ty.BagType | ty.DeckType | ty.PlaneType):
            raise UnfitError(f"values of the type {each}")


def refuse_nested(type_: ty.ListType) -> None:
    """Refuses lists of what is not one number."""
    if not isinstance(
        type_.item, ty.NumberType | ty.FlagType | ty.ThingType | ty.WordType | ty.DirectionType | ty.EmptyType
    ):
        raise UnfitError(f"values of the type {type_}")


def known(body: Body, target: Expression) -> str:
    """The value of what cannot be none, else the play is given back."""
    found = body.value(target)
    if not isinstance(target.type, ty.OptionalType):
        return found
    name = body.temporary(found)
    body.unless(f"(i64.ne {held(name)} {constant(NONE)})", "a value that is none is read")
    return held(name)


def sized(body: Body, type_: Type, code: str) -> str:
    """A number that is given back where it might be too large to be held."""
    match type_:
        case ty.NumberType(int() as low, int() as high) if low >= -EXACT and high <= EXACT:
            return code
        case ty.NumberType():
            name = body.temporary(code)
            body.unless(
                f"(i64.lt_u (i64.add {held(name)} {constant(EXACT)}) {constant(2 * EXACT)})", "a very large number"
            )
            return held(name)
        case _:
            raise UnfitError(f"numbers of the type {type_}")
