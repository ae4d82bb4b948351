"""Why something cannot be answered, in the author's words, or the condition that failed with its values."""

from collections.abc import Iterator, Sequence

from rulewright.diagnostics.visible import visible
from rulewright.machine.request import Reason
from rulewright.machine.values import Value
from rulewright.program.types import CellType, DirectionType, OptionalType, PlaneType, ThingType, Type
from rulewright.telling.conditions import Told
from rulewright.telling.values import Named, show

_MOST = 8


def reason(found: Reason, names: Named) -> str:
    """A reason as people read it."""
    if found.judged is None:
        return visible(found.text)
    told = Told(found.judged, names)
    condition = told.condition
    return visible(found.text) if condition is None else told.said(condition, truth=False)


def condition(found: Reason) -> tuple[str, ...]:
    """The condition that failed as the rules write it, where the author gave no words for it."""
    return () if found.judged is None else (f"the condition is `{visible(found.judged.title or found.text)}`",)


def excluded(members: Sequence[tuple[Value, Reason]], type_: Type, names: Named) -> Iterator[str]:
    """Each member that cannot be taken, with why; of many the first, and how many more there are."""
    shown = [(show(member, type_, names), reason(why, names)) for member, why in members[:_MOST]]
    width = max((len(member) for member, _ in shown), default=0)
    yield from (f"{member:{width}}   {why}" for member, why in shown)
    if len(members) > _MOST:
        yield f"and {len(members) - _MOST} more"


def nothing(type_: Type) -> str:
    """What is said where there is nothing to answer: nowhere, nobody, nothing."""
    match type_:
        case OptionalType(inner):
            return nothing(inner)
        case CellType() | PlaneType():
            return "nowhere"
        case ThingType():
            return "nobody"
        case DirectionType():
            return "no direction"
        case _:
            return "nothing"
