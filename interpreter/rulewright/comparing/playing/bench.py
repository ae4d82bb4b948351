"""Two revisions ready to be played side by side, listened to, with wishes for what starts should hold."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from functools import cached_property, reduce
from operator import or_
from typing import Any

from rulewright.codecs.table import to_json
from rulewright.comparing.edits import Correspondence
from rulewright.comparing.playing.changes import Altered, Place, constants, declarations, own, places, read
from rulewright.comparing.playing.data import Fixtures
from rulewright.comparing.playing.points import Point, Points, echoes
from rulewright.comparing.playing.reading import Key
from rulewright.comparing.playing.side_by_side import Played
from rulewright.comparing.playing.tables import bits
from rulewright.comparing.playing.translate_values import Ways, ways
from rulewright.frozen import dataclass
from rulewright.inputs.names import GAME, SETTINGS, Names
from rulewright.machine.compile import compile_program
from rulewright.machine.executable import Executable
from rulewright.machine.source_point import Probes
from rulewright.machine.state import Base
from rulewright.machine.values import Value
from rulewright.outline.items import Name
from rulewright.program import expressions as ex, statements as st
from rulewright.program.declarations import Handler, Procedure, Program
from rulewright.program.expressions import Expression, Variable
from rulewright.program.types import FlagType, NumberType, Type, WordType, present
from rulewright.roles import nodes
from rulewright.situations.making import Wish

REACHED, DIFFERS, ECHOES, STRAYS = "reached", "differs", "echoes", "strays"
WANTED = {REACHED: 200, DIFFERS: 40, ECHOES: 40, STRAYS: 100}
"""In how many plays each has to happen before other plays are worth more."""
COMBINED = 3
"""In how many plays one combination of what an expression reads has to be met."""

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

        def read(value: Any) -> None:
            self._read.setdefault(number, {})[said] = value if straight else not value

        return read

    def _computing(self, number: int, point: Point) -> _Hear:
        table, side = point.table, self._side
        assert table is not None

        def computed(_: Any) -> None:
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

    def _hear(self, number: int, value: Any) -> None:
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


_DEEP = 4


class Wishes:
    """Makes wishes of combinations, for starts of one revision."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._names = Names(program, Base({}))

    def of(self, point: Point, combination: int, side: int) -> tuple[Wish, ...]:
        """What to wish for, so that a point may be computed with a combination; what nobody knows how to is left."""
        table = point.table
        if table is None:
            return ()
        found: list[Wish] = []
        for atom, at in zip(table.atoms, table.combination(combination), strict=True):
            node = dict(atom.nodes).get(side)
            if node is not None and atom.pair is None:
                found += self._wish(node, atom.values[at][side], _DEEP)
        return tuple(found)

    def _wish(self, node: Expression, value: Value, deep: int) -> Iterator[Wish]:
        match node:
            case ex.SettingValue(name=name):
                yield self._granted(f"{SETTINGS}/{name}", value, self._program.settings[name].type)
            case ex.GameField(name=name):
                yield self._granted(f"{GAME}/{name}", value, self._program.game[name].type)
            case ex.StoredAttribute(kind=kind, name=name):
                type_ = next(each.type for each in self._program.kinds[kind].fields if each.name == name)
                yield self._granted(f"{kind}/{name}", value, type_)
            case ex.CellAttribute(board=board, name=name):
                type_ = next(each.type for each in self._program.boards[board].fields if each.name == name)
                yield self._granted(f"{board}/{name}", value, type_)
            case ex.Narrowed(operand=operand):
                yield from self._wish(operand, value, deep)
            case ex.Local(variable=variable) if deep:
                for owner, parameters in self._owners.get(id(variable), ()):
                    yield from self._argument(owner, parameters, variable, value, deep)
            case _:
                return

    def _argument(
        self, owner: Name, parameters: Sequence[Variable], variable: Variable, value: Value, deep: int
    ) -> Iterator[Wish]:
        """Wishes for a parameter: itself where a play begins there, or what callers give for it."""
        at = next((at for at, each in enumerate(parameters) if each == variable), None)
        if at is None or not isinstance(present(variable.type), FlagType | NumberType | WordType):
            return
        if owner.sort == "procedure":
            yield self._granted(f"{owner.name}/{variable.name}", value, variable.type)
        for arguments in self._calls[owner]:
            if at < len(arguments):
                yield from self._wish(arguments[at], value, deep - 1)

    def _granted(self, place: str, value: Value, type_: Type) -> Wish:
        return Wish(place, to_json(value, type_, self._names))

    @cached_property
    def _owners(self) -> dict[int, list[tuple[Name, Sequence[Variable]]]]:
        """The declarations a variable may be a parameter of, by its identity where it is read."""
        found: dict[int, list[tuple[Name, Sequence[Variable]]]] = defaultdict(list)
        for name, declared in declarations(self._program):
            parameters = getattr(declared, "parameters", ())
            owner = name
            if isinstance(declared, Handler):
                owner = Name("event", declared.event)
                parameters = declared.variables[: len(self._program.events[declared.event].parameters)]
            for node in nodes(declared):
                if isinstance(node, ex.Local) and node.variable in parameters:
                    found[id(node.variable)].append((owner, parameters))
        return found

    @cached_property
    def _calls(self) -> dict[Name, list[tuple[Expression, ...]]]:
        """The arguments that are given to what takes some."""
        found: dict[Name, list[tuple[Expression, ...]]] = defaultdict(list)
        for _, declared in declarations(self._program):
            for node in nodes(declared):
                match node:
                    case ex.CallFunction(function=name, arguments=arguments):
                        found[Name("function", name)].append(arguments)
                    case st.Perform(procedure=name, arguments=arguments):
                        found[Name("procedure", name)].append(arguments)
                    case st.Trigger(event=name, arguments=arguments):
                        found[Name("event", name)].append(arguments)
        return found


@dataclass(frozen=True, slots=True)
class Task:
    """What is to be compared; it can be handed to another process."""

    old: Program
    new: Program
    names: Correspondence  # from old names to new ones
    altered: Altered  # what changed
    fixtures: Fixtures  # situations people wrote
    entrances: tuple[tuple[str, str], ...]  # procedures to begin with, by old and new name
    seed: int  # of all choices
    # what starts may hold that come to what changed, each with the revision it is for
    wishes: tuple[tuple[int, tuple[Wish, ...]], ...] = ()


Reached = frozenset[tuple[int, Hit]]
"""What a play came to of what changed: 0 for the old revision, 1 for the new one, and what."""


class Bench:
    """A task with both programs compiled.

    Attributes:
        task: it.
        ways: between the revisions.
        points: where they compute something else.
        executables: of both.
        changed: addresses of the changed places of both.
        constants: numbers written there, and in the functions that compute what changed.
        read: what all these read of a state, in both.
        wishes: makes wishes for starts of both.
    """

    def __init__(self, task: Task) -> None:
        self.task = task
        self.ways: Ways = ways(task.old, task.new, task.names)
        self.points = tuple(Points(task.altered, self.programs, self.ways).every)
        echoing = echoes(task.old, task.altered.names[0]), echoes(task.new, task.altered.names[1])
        self._echoing = {old: task.names.new("function", old) or "" for old in sorted(echoing[0])}
        old, new = (
            Ear(program, side, task.altered.places[side], self.points, echoing[side])
            for side, program in enumerate(self.programs)
        )
        self._ears = old, new
        self.executables: tuple[Executable, Executable] = old.executable(), new.executable()
        self.wishes = Wishes(task.old), Wishes(task.new)
        self.changed = old.addresses, new.addresses
        near = [
            [*changed, *(Place(Name("function", each), each, program.functions[each], 0) for each in sorted(known))]
            for changed, program, known in zip(task.altered.places, self.programs, echoing, strict=True)
        ]
        self.constants = constants([*near[0], *near[1]])
        self.read = read(near[0], task.old), read(near[1], task.new)

    def of(self, task: Task) -> "Bench":
        """This bench for another task with the same revisions; nothing is compiled again."""
        found = copy(self)
        found.task = task
        return found

    @property
    def programs(self) -> tuple[Program, Program]:
        """Both revisions."""
        return self.task.old, self.task.new

    @property
    def plurals(self) -> tuple[Mapping[str, str], Mapping[str, str]]:
        """Plurals of kinds by their names, in both revisions."""
        old, new = ({each.name: each.plural for each in one.kinds.values()} for one in self.programs)
        return old, new

    def procedures(self, entrance: tuple[str, str]) -> tuple[Procedure, Procedure]:
        """Both forms of a procedure to begin with."""
        return self.task.old.procedures[entrance[0]], self.task.new.procedures[entrance[1]]

    def forget(self) -> None:
        """Before a play: nothing is left of what others came to."""
        for each in self._ears:
            each.forget()

    def heard(self, play: Played) -> Reached:
        """What a play just made came to."""
        found = {
            (side, (address, REACHED))
            for side, ear in enumerate(self._ears)
            for address in ear.reached(_come_to(play, side))
        }
        for number, point in enumerate(self.points):
            found.update(self._computed(number, point, play))
        found.update(self._echoed())
        self.forget()
        return frozenset(found)

    def _computed(self, number: int, point: Point, play: Played) -> Iterator[tuple[int, Hit]]:
        """With which combinations a point was computed, and whether both revisions came to something else there."""
        side = 0 if point.roots[1] is None else 1
        if point.role:
            if point.addresses[1] == play.opened.procedures[1].name and point.role not in play.opened.starts[1].roles:
                yield 1, (point.addresses[1], f"{number} {DIFFERS}")
            return
        if point.table is None:
            if point.is_pair and self._apart(number, point, play):
                yield side, (point.addresses[side], f"{number} {DIFFERS}")
            return
        old, new = (each.masks.get(number, ()) for each in self._ears)
        if not point.is_pair:
            seen = reduce(or_, old or new, 0)
        else:
            both = [one & other for one, other in zip(old, new, strict=True)] if len(old) == len(new) else [*old, *new]
            settled = {each for each in both if each and each & point.table.differing and point.table.settled(each)}
            seen = reduce(or_, settled, 0) & point.table.differing
            if seen:
                yield side, (point.addresses[side], f"{number} {DIFFERS}")
        for each in bits(seen):
            yield side, (point.addresses[side], f"{number} {each}")

    def _apart(self, number: int, point: Point, play: Played) -> bool:
        """Whether a point that has no table came to other values, each time as often."""
        old, new = (each.values.get(number, []) for each in self._ears)
        if self.ways.alike:
            return len(old) == len(new) and old != new
        assert point.roots[0] is not None
        assert point.roots[1] is not None
        common, types = play.opened.common, (point.roots[0].type, point.roots[1].type)
        return any(
            common.of_old(one, *types) != common.of_new(other, types[1]) for one, other in zip(old, new, strict=False)
        )

    def _echoed(self) -> Iterator[tuple[int, Hit]]:
        if self.ways.alike:
            for old, new in self._echoing.items():
                if self._ears[0].echoes.get(old) != self._ears[1].echoes.get(new):
                    yield 1, (new, f"{new} {ECHOES}")


def _come_to(play: Played, side: int) -> frozenset[str]:
    """The addresses a play came to, with the declarations they are in and the procedure that was begun."""
    addresses = frozenset(play.addresses(side))
    inside = {each.partition("/")[0] for each in addresses}
    return addresses | inside | {play.opened.procedures[side].name}
