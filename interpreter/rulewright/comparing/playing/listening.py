"""Hears how often plays come to what changed, and how it comes out there."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rulewright.comparing.playing.places import Place, own
from rulewright.frozen import dataclass
from rulewright.machine.compile import compile_program
from rulewright.machine.executable import Executable
from rulewright.machine.probing import Probes
from rulewright.machine.wording import Wording
from rulewright.program import expressions as ex
from rulewright.program.declarations import Program
from rulewright.program.expressions import Expression
from rulewright.program.types import FlagType, NumberType
from rulewright.program.walk import inside

REACHED, HOLDS, FAILS = "reached", "holds", "fails"
WANTED = {REACHED: 200, HOLDS: 40, FAILS: 40, "=": 20, "<": 20, ">": 20}
"""In how many plays each has to happen before anybody may say that nothing changed."""

Hit = tuple[str, str]
"""Address of a place, and what happened there: `reached`, or a condition or comparison by its number with its side."""


@dataclass(frozen=True, slots=True)
class _Heard:
    """An expression that is listened to: its place, and its number among those of the place."""

    address: str
    number: int
    sort: str


class Ear:
    """Listens to the changed places of one revision."""

    def __init__(self, program: Program, places: Sequence[Place]) -> None:
        self.program = program
        self._places = places
        self.addresses = frozenset(each.address for each in places)
        self._numbers: dict[int, int] = {}
        self._heard: list[list[_Heard]] = []
        self._left: dict[tuple[str, int], Any] = {}
        self._hits: set[Hit] = set()
        self._possible: list[Hit] = [(each, REACHED) for each in dict.fromkeys(each.address for each in places)]
        for each in places:
            self._attend(each)

    @property
    def possible(self) -> tuple[Hit, ...]:
        """All that can happen at the changed places, as far as types tell."""
        return tuple(dict.fromkeys(self._possible))

    @property
    def texts(self) -> Mapping[tuple[str, int], str]:
        """The conditions of the places as people read them, by address and number."""
        wording = Wording(self.program)
        return {
            (each.address, number): wording.text(node)
            for each in self._places
            for number, node in enumerate(conditions(each), 1)
        }

    def executable(self) -> Executable:
        """The program, compiled so that it is heard."""
        return compile_program(self.program, traced=True, probes=Probes(self._numbers, self._hear))

    def taken(self, addresses: frozenset[str]) -> frozenset[Hit]:
        """What happened since the last time, in a play that came to these addresses."""
        hits = self._hits | {(each, REACHED) for each in addresses & self.addresses}
        self._hits = set()
        return frozenset(hits)

    def _attend(self, place: Place) -> None:
        for outer in own(place.node):
            self._listen(outer, _Heard(place.address, 0, REACHED))  # type: ignore[arg-type]
        for number, node in enumerate(conditions(place), 1):
            self._listen(node, _Heard(place.address, number, HOLDS))
            self._possible += [(place.address, f"{number} {HOLDS}"), (place.address, f"{number} {FAILS}")]
            if isinstance(node, ex.Comparison) and _is_of_numbers(node):
                self._listen(node.left, _Heard(place.address, number, "left"))
                self._listen(node.right, _Heard(place.address, number, "right"))
                self._possible += [(place.address, f"{number} {word}") for word in _relations(node)]

    def _listen(self, node: Expression, heard: _Heard) -> None:
        number = self._numbers.setdefault(id(node), len(self._heard))
        if number == len(self._heard):
            self._heard.append([])
        self._heard[number].append(heard)

    def _hear(self, number: int, value: Any) -> None:  # noqa: ANN401
        for each in self._heard[number]:
            self._note(each, value)

    def _note(self, heard: _Heard, value: Any) -> None:  # noqa: ANN401
        match heard.sort:
            case "reached":
                self._hits.add((heard.address, REACHED))
            case "holds":
                self._hits.add((heard.address, f"{heard.number} {HOLDS if value else FAILS}"))
            case "left":
                self._left[heard.address, heard.number] = value
            case _:
                left = self._left.get((heard.address, heard.number))
                if left is not None and value is not None:
                    word = "=" if left == value else "<" if left < value else ">"
                    self._hits.add((heard.address, f"{heard.number} {word}"))


def wanted(hit: Hit) -> int:
    """In how many plays something has to happen."""
    return WANTED[hit[1].rpartition(" ")[2]]


def conditions(place: Place) -> Iterator[Expression]:
    """What of a place holds or fails, outer before inner; constants are left out."""
    for outer in own(place.node):
        for node in inside(outer):  # type: ignore[arg-type]
            if isinstance(node.type, FlagType) and not isinstance(node, ex.Literal):
                yield node


def _is_of_numbers(node: ex.Comparison) -> bool:
    return isinstance(node.left.type, NumberType) and isinstance(node.right.type, NumberType)


def _relations(node: ex.Comparison) -> Iterator[str]:
    """How the two numbers can stand to each other, as far as their types tell."""
    left, right = node.left.type, node.right.type
    assert isinstance(left, NumberType)
    assert isinstance(right, NumberType)
    if not _below(left.high, right.low, strict=True) and not _below(right.high, left.low, strict=True):
        yield "="
    if not _below(right.high, left.low, strict=False):
        yield "<"
    if not _below(left.high, right.low, strict=False):
        yield ">"


def _below(high: int | None, low: int | None, *, strict: bool) -> bool:
    """Whether every number up to one is below, or strictly below, every number from the other."""
    return high is not None and low is not None and (high < low if strict else high <= low)
