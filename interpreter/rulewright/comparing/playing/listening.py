"""Hears how often plays come to what changed, and how it comes out there."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from rulewright.comparing.playing.places import Place, declarations, own, places
from rulewright.comparing.playing.points import Point
from rulewright.comparing.playing.reading import Key
from rulewright.machine.compile import compile_program
from rulewright.machine.executable import Executable
from rulewright.machine.probing import Probes
from rulewright.program import expressions as ex
from rulewright.program import statements as st
from rulewright.program.declarations import Program
from rulewright.program.expressions import Expression
from rulewright.roles import nodes

REACHED, DIFFERS, ECHOES, STRAYS = "reached", "differs", "echoes", "strays"
WANTED = {REACHED: 200, DIFFERS: 40, ECHOES: 40, STRAYS: 100}
"""In how many plays each has to happen before other plays are worth more."""
COMBINED = 3
"""The same of one combination of what an expression reads."""

Hit = tuple[str, str]
"""Address of a place, and what happened there: `reached`, or a point by its number, `differs` or a combination."""

_Hear = Callable[[Any], None]


class Ear:
    """Listens to one revision.

    Attributes:
        addresses: of the changed places.
        masks: for each point by its number the combinations with which it was computed since the last play.
        values: what each point came to since the last play, where it has no table.
        echoes: what the functions came to that compute what changed, by their names, since the last play.
    """

    def __init__(
        self, program: Program, side: int, changed: Sequence[Place], points: Sequence[Point], echoing: Iterable[str]
    ) -> None:
        self._program = program
        self._side = side
        self.addresses = frozenset(each.address for each in changed)
        self._inside = _inside(program, changed)
        self._numbers: dict[int, int] = {}
        self._heard: list[list[_Hear]] = []
        self._reached: set[str] = set()
        self._read: dict[int, dict[Key, Any]] = {}
        self.masks: dict[int, list[int]] = {}
        self.values: dict[int, list[Any]] = {}
        self.echoes: dict[str, list[Any]] = {}
        for each in changed:
            for root in own(each.node):
                self._listen(root, self._reaching(each.address))  # type: ignore[arg-type]
        for number, point in enumerate(points):
            self._attend(number, point)
        known = frozenset(echoing)
        for node in nodes(tuple(declared for _, declared in declarations(program))):
            if isinstance(node, ex.CallFunction | ex.DerivedAttribute) and node.function in known:
                self._listen(node, self._echoing(node.function))

    def executable(self) -> Executable:
        """The program, compiled so that it is heard."""
        return compile_program(self._program, traced=True, probes=Probes(self._numbers, self._hear))

    def reached(self, addresses: frozenset[str]) -> frozenset[str]:
        """The changed places that a play came to, itself or something inside; these are the addresses it came to."""
        known = addresses | self._reached
        return frozenset(each for each, inside in self._inside.items() if not inside.isdisjoint(known))

    def forget(self) -> None:
        """Makes ready for the next play."""
        self._reached.clear()
        for each in (self._read, self.masks, self.values, self.echoes):
            each.clear()

    def _attend(self, number: int, point: Point) -> None:
        root = point.roots[self._side]
        if root is None:
            return
        if point.table is None:
            self._listen(root, lambda value: self.values.setdefault(number, []).append(value))
            return
        for key, node in point.table.listened[self._side].values():
            self._listen(node, self._reading(number, key))
        self._listen(root, self._computing(number, point))

    def _reading(self, number: int, key: Key) -> _Hear:
        straight, said = (False, key[1]) if isinstance(key, tuple) and key[0] == "not" else (True, key)

        def read(value: Any) -> None:  # noqa: ANN401
            self._read.setdefault(number, {})[said] = value if straight else not value

        return read

    def _computing(self, number: int, point: Point) -> _Hear:
        table, side = point.table, self._side
        assert table is not None

        def computed(_: Any) -> None:  # noqa: ANN401
            mask = table.mask(self._read.pop(number, {}), side)
            if mask:
                self.masks.setdefault(number, []).append(mask)

        return computed

    def _reaching(self, address: str) -> _Hear:
        return lambda _: self._reached.add(address)

    def _echoing(self, function: str) -> _Hear:
        return lambda value: self.echoes.setdefault(function, []).append(value)

    def _listen(self, node: Expression, hear: _Hear) -> None:
        number = self._numbers.setdefault(id(node), len(self._heard))
        if number == len(self._heard):
            self._heard.append([])
        self._heard[number].append(hear)

    def _hear(self, number: int, value: Any) -> None:  # noqa: ANN401
        for each in self._heard[number]:
            each(value)


def wanted(hit: Hit) -> int:
    """In how many plays something has to happen."""
    return WANTED.get(hit[1].rpartition(" ")[2], COMBINED)


def _inside(program: Program, changed: Sequence[Place]) -> Mapping[str, frozenset[str]]:
    """For every changed place the addresses that a play comes to which comes to it.

    They are its own and those of the places inside it; of an event also those of the lines that trigger it.
    """
    found: dict[str, set[str]] = {each.address: {each.address} for each in changed}
    owners = {each.owner for each in changed}
    wanted_ids = {id(each.node): each for each in changed}
    for name, declared in declarations(program):
        if name not in owners:
            continue
        around: list[tuple[int, str]] = []
        for place in places(name, declared):
            around = [each for each in around if each[0] < place.depth]
            for _, address in around:
                found[address].add(place.address)
            if id(place.node) in wanted_ids:
                around.append((place.depth, place.address))
    for line, event in _triggers(program):
        if event in found:
            found[event].add(line)
    return {address: frozenset(each) for address, each in found.items()}


def _triggers(program: Program) -> Iterable[tuple[str, str]]:
    """Lines that trigger events, by their addresses, and the events."""
    for node in nodes(tuple(declared for _, declared in declarations(program))):
        match node:
            case st.Trigger(address=address, event=event):
                yield address, event
            case st.Remove(address=address, events=events):
                yield from ((address, event) for event in events)
