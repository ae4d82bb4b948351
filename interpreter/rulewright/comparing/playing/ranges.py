"""All values of small types."""

from collections.abc import Sequence
from math import prod

from rulewright.machine.values import Value
from rulewright.program.declarations import Program
from rulewright.program.types import FlagType, NumberType, OptionalType, Type, WordType


def every(type_: Type, program: Program) -> Sequence[Value] | None:
    """All values of a type, plain ones first; none where they are without end or of the things of a play."""
    match type_:
        case NumberType(int() as low, int() as high):
            return range(low, high + 1)
        case FlagType():
            return (False, True)
        case WordType(values):
            return range(len(program.values[values].words))
        case OptionalType(inner):
            found = every(inner, program)
            return None if found is None else (None, *found)
        case _:
            return None


def ranges(types: Sequence[Type], program: Program, most: int) -> tuple[Sequence[Value], ...] | None:
    """All values of each of some types; none where they cannot be listed or make more than so many together."""
    found = [every(each, program) for each in types]
    listed = [each for each in found if each is not None]
    if len(listed) < len(found) or prod(len(each) for each in listed) > most:
        return None
    return tuple(listed)
