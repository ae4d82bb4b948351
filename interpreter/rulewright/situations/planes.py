"""Where things stand on the plane: often base to base, sometimes a little apart, seldom anywhere."""

from collections.abc import Sequence
from math import ceil, cos, hypot, radians, sin

from rulewright.frozen import dataclass
from rulewright.inputs.nodes import Json
from rulewright.situations.sampler import Chooser, Sizes, between, chance, one_of

_THOUSAND = 1000
_BASES = (1000, 1250, 1500, 2000)
_CONTACT, _NEAR, _TRIES = 65, 60, 20
_TURN = 15


@dataclass(frozen=True, slots=True)
class Stand:
    """Where a base stands, all in thousandths of an inch; the radius is that of a circle around it."""

    across: int
    up: int
    radius: int


def plane_value(name: str, chooser: Chooser, sizes: Sizes) -> Json:
    """A value of a type of the plane, of all but `pose`."""
    match name:
        case "angle":
            return _TURN * chooser.below(360 // _TURN)
        case "shape":
            return _base(chooser, sizes)
        case "polygon":
            return _rectangle(chooser, sizes)
        case _:
            return _anywhere(chooser, sizes)


def _base(chooser: Chooser, sizes: Sizes) -> Json:
    if sizes.oblong and chance(chooser, sizes.oblong):
        return {"width": inches(one_of(chooser, _BASES)), "length": inches(one_of(chooser, _BASES))}
    return {"round": inches(one_of(chooser, _BASES))}


def inches(thousandths: int) -> Json:
    """A length as it is written."""
    return thousandths // _THOUSAND if thousandths % _THOUSAND == 0 else thousandths / _THOUSAND


def _anywhere(chooser: Chooser, sizes: Sizes) -> Json:
    edge = sizes.inches * 4
    return [inches(between(chooser, -edge, edge) * 250) for _ in range(2)]


def _rectangle(chooser: Chooser, sizes: Sizes) -> Json:
    edge = sizes.inches * 2
    left, low = (between(chooser, -edge, edge) * 500 for _ in range(2))
    width, height = between(chooser, 1, 6) * 500, between(chooser, 1, 2) * 500
    corners = ((left, low), (left + width, low), (left + width, low + height), (left, low + height))
    return [[inches(x), inches(y)] for x, y in corners]


def standing(radii: Sequence[int], chooser: Chooser, sizes: Sizes) -> list[Json]:
    """Points for bases of these radii, in thousandths, none over another where room is found."""
    taken: list[Stand] = []
    for radius in radii:
        tries = (_place(radius, taken, chooser, sizes) for _ in range(_TRIES))
        found = next((each for each in tries if not any(_over(each, other) for other in taken)), None)
        taken.append(found or Stand(0, (len(taken) + 1) * 10 * _THOUSAND, radius))
    return [[inches(each.across), inches(each.up)] for each in taken]


def _over(first: Stand, second: Stand) -> bool:
    return hypot(first.across - second.across, first.up - second.up) < first.radius + second.radius


def _place(radius: int, taken: Sequence[Stand], chooser: Chooser, sizes: Sizes) -> Stand:
    if not taken or not chance(chooser, _CONTACT + (100 - _CONTACT) * _NEAR // 100):
        edge = sizes.inches * 4
        return Stand(between(chooser, -edge, edge) * 250, between(chooser, -edge, edge) * 250, radius)
    other = one_of(chooser, taken)
    apart = 0 if chance(chooser, _CONTACT) else between(chooser, 1, 16) * 125
    reach, angle = radius + other.radius + apart, radians(_TURN * chooser.below(360 // _TURN))
    return Stand(_outward(other.across, reach * sin(angle)), _outward(other.up, reach * cos(angle)), radius)


def _outward(start: int, far: float) -> int:
    """Away from the start, so that bases in contact are never over each other."""
    return start + (ceil(far - 1e-6) if far > 0 else -ceil(-far - 1e-6))


def radius_of(shape: Json) -> int:
    """The radius of a circle around a base as written, in thousandths."""
    assert isinstance(shape, dict)
    lengths = {name: round(float(str(length)) * _THOUSAND) for name, length in shape.items()}
    if "round" in lengths:
        return ceil(lengths["round"] / 2)
    return ceil(hypot(*lengths.values()) / 2)
