"""Harness: both revisions compiled with coverage probes, and wishes for what start situations should hold."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from functools import cached_property, reduce
from operator import or_
from typing import Any

from rulewright.base.frozen import dataclass
from rulewright.base.node_roles import walk_nodes
from rulewright.diff.differential_testing.altered_places import (
    AlteredPlaces,
    DeclarationPlace,
    collect_constants,
    executable_declarations,
    find_read_places,
    iterate_places,
    own_expressions,
)
from rulewright.diff.differential_testing.change_points import ChangePoint, ChangePoints, functions_reaching
from rulewright.diff.differential_testing.expression_inputs import InputKey
from rulewright.diff.differential_testing.expression_tables import iterate_bits
from rulewright.diff.differential_testing.paired_play import PairedPlay
from rulewright.diff.differential_testing.results import ComparisonFixtures
from rulewright.diff.differential_testing.revision_translation import RevisionTranslations, build_translations
from rulewright.diff.edits import Correspondence
from rulewright.documents.name_table import GAME, SETTINGS, NameTable
from rulewright.documents.state_generation import StateWish
from rulewright.program import expressions as ex, statements as st
from rulewright.program.declarations import Handler, Procedure, Program
from rulewright.program.expressions import Expression, Variable
from rulewright.program.outline.items import DeclaredName
from rulewright.program.types import FlagType, NumberType, Type, WordType, strip_optional
from rulewright.runtime.executable import Executable, compile_program
from rulewright.runtime.request import ValueProbes
from rulewright.runtime.state import GameSetup
from rulewright.runtime.type_codecs import value_to_json
from rulewright.runtime.values import Value

REACHED, DIFFERS, ECHOES, STRAYS = "reached", "differs", "echoes", "strays"
WANTED_PLAYS = {REACHED: 200, DIFFERS: 40, ECHOES: 40, STRAYS: 100}
"""Number of plays with a hit of each sort before other plays are worth more."""
WANTED_PLAYS_PER_COMBINATION = 3
"""Number of plays that have to cover one input combination."""

CoverageHit = tuple[str, str]
"""Address of a place, and what happened there: `reached`, or the number of a point with `differs` or a combination."""

_ValueListener = Callable[[Any], None]


class CoverageProbe:
    """Coverage probe of one revision: what a play reached and computed of the changed places.

    Attributes:
        addresses: of the changed places.
        masks: combinations with which each point, by number, was computed since the last reset.
        values: values of each point since the last reset, where it has no table.
        function_values: values of the functions that compute with a change, by name, since the last reset.
    """

    def __init__(
        self,
        program: Program,
        side: int,
        changed: Sequence[DeclarationPlace],
        points: Sequence[ChangePoint],
        echoing: Iterable[str],
    ) -> None:
        self._program = program
        self._side = side
        self.addresses = frozenset(item.address for item in changed)
        self._inner_addresses = _map_inner_addresses(program, changed)
        self._numbers: dict[int, int] = {}
        self._listeners: list[list[_ValueListener]] = []
        self._reached_addresses: set[str] = set()
        self._read_values: dict[int, dict[InputKey, Any]] = {}
        self.masks: dict[int, list[int]] = {}
        self.values: dict[int, list[Any]] = {}
        self.function_values: dict[str, list[Any]] = {}
        for declaration_place in changed:
            for root in own_expressions(declaration_place.node):
                self._add_listener(root, self._make_reach_listener(declaration_place.address))  # type: ignore[arg-type]
        for number, point in enumerate(points):
            self._attach_point(number, point)
        known = frozenset(echoing)
        for node in walk_nodes(tuple(declared for _, declared in executable_declarations(program))):
            if isinstance(node, ex.FunctionValue) and node.function in known:
                self._add_listener(node, self._make_result_listener(node.function))

    def compile_probed(self) -> Executable:
        """Program compiled with the probe's listeners."""
        return compile_program(self._program, traced=True, probes=ValueProbes(self._numbers, self._notify_listeners))

    def find_reached_places(self, addresses: frozenset[str]) -> frozenset[str]:
        """Changed places that a play reached, themselves or something inside; `addresses` are those it reached."""
        known = addresses | self._reached_addresses
        return frozenset(item for item, inside in self._inner_addresses.items() if not inside.isdisjoint(known))

    def reset_probe(self) -> None:
        self._reached_addresses.clear()
        for item in (self._read_values, self.masks, self.values, self.function_values):
            item.clear()

    def _attach_point(self, number: int, point: ChangePoint) -> None:
        root = point.roots[self._side]
        if root is None:
            return
        if point.table is None:
            self._add_listener(root, lambda value: self.values.setdefault(number, []).append(value))
            return
        for key, node in point.table.probed_expressions[self._side].values():
            self._add_listener(node, self._make_read_listener(number, key))
        self._add_listener(root, self._make_mask_listener(number, point))

    def _make_read_listener(self, number: int, key: InputKey) -> _ValueListener:
        straight, base_key = (False, key[1]) if isinstance(key, tuple) and key[0] == "not" else (True, key)

        def record_read(value: Any) -> None:
            self._read_values.setdefault(number, {})[base_key] = value if straight else not value

        return record_read

    def _make_mask_listener(self, number: int, point: ChangePoint) -> _ValueListener:
        table, side = point.table, self._side
        assert table is not None

        def record_mask(_: Any) -> None:
            mask = table.matching_mask(self._read_values.pop(number, {}), side)
            if mask:
                self.masks.setdefault(number, []).append(mask)

        return record_mask

    def _make_reach_listener(self, address: str) -> _ValueListener:
        return lambda _: self._reached_addresses.add(address)

    def _make_result_listener(self, function: str) -> _ValueListener:
        return lambda value: self.function_values.setdefault(function, []).append(value)

    def _add_listener(self, node: Expression, hear: _ValueListener) -> None:
        number = self._numbers.setdefault(id(node), len(self._listeners))
        if number == len(self._listeners):
            self._listeners.append([])
        self._listeners[number].append(hear)

    def _notify_listeners(self, number: int, value: Any) -> None:
        for listener in self._listeners[number]:
            listener(value)


def wanted_play_count(hit: CoverageHit) -> int:
    """Number of plays in which a hit has to happen before other plays are worth more."""
    return WANTED_PLAYS.get(hit[1].rpartition(" ")[2], WANTED_PLAYS_PER_COMBINATION)


def _map_inner_addresses(program: Program, changed: Sequence[DeclarationPlace]) -> Mapping[str, frozenset[str]]:
    """For every changed place the addresses that a play reaches with it.

    They are its own and those of the places inside it; of an event also those of the lines that trigger it.
    """
    mapping: dict[str, set[str]] = {
        declaration_place.address: {declaration_place.address} for declaration_place in changed
    }
    owners = {declaration_place.owner for declaration_place in changed}
    wanted_ids = {id(declaration_place.node): declaration_place for declaration_place in changed}
    for name, declared in executable_declarations(program):
        if name not in owners:
            continue
        around: list[tuple[int, str]] = []
        for place in iterate_places(name, declared):
            around = [item for item in around if item[0] < place.depth]
            for _, address in around:
                mapping[address].add(place.address)
            if id(place.node) in wanted_ids:
                around.append((place.depth, place.address))
    for line, event in _find_event_triggers(program):
        if event in mapping:
            mapping[event].add(line)
    return {address: frozenset(item) for address, item in mapping.items()}


def _find_event_triggers(program: Program) -> Iterable[tuple[str, str]]:
    for node in walk_nodes(tuple(declared for _, declared in executable_declarations(program))):
        match node:
            case st.Trigger(address=address, event=event):
                yield address, event
            case st.Remove(address=address, events=events):
                yield from ((address, event) for event in events)


_MAX_CALLER_DEPTH = 4


class WishMaker:
    """Maker of wishes for start states of one revision, from combinations of inputs."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._names = NameTable(program, GameSetup({}))

    def make_wishes(self, point: ChangePoint, combination: int, side: int) -> tuple[StateWish, ...]:
        """Wishes for a state in which a point is computed with a combination; inputs that cannot be set are left out."""
        table = point.table
        if table is None:
            return ()
        result: list[StateWish] = []
        for atom, at in zip(table.atoms, table.decode_combination(combination), strict=True):
            node = dict(atom.nodes).get(side)
            if node is not None and atom.pair is None:
                result += self._wishes_for_node(node, atom.values[at][side], _MAX_CALLER_DEPTH)
        return tuple(result)

    def _wishes_for_node(self, node: Expression, value: Value, deep: int) -> Iterator[StateWish]:
        match node:
            case ex.SettingValue(name=name):
                yield self._make_wish(f"{SETTINGS}/{name}", value, self._program.settings[name].type)
            case ex.GameField(name=name):
                yield self._make_wish(f"{GAME}/{name}", value, self._program.game[name].type)
            case ex.StoredAttribute(kind=kind, name=name):
                type_ = next(field.type for field in self._program.kinds[kind].fields if field.name == name)
                yield self._make_wish(f"{kind}/{name}", value, type_)
            case ex.CellAttribute(board=board, name=name):
                type_ = next(field.type for field in self._program.boards[board].fields if field.name == name)
                yield self._make_wish(f"{board}/{name}", value, type_)
            case ex.Narrowed(operand=operand):
                yield from self._wishes_for_node(operand, value, deep)
            case ex.Local(variable=variable) if deep:
                for owner, parameters in self._parameter_owners.get(id(variable), ()):
                    yield from self._wishes_for_argument(owner, parameters, variable, value, deep)
            case _:
                return

    def _wishes_for_argument(
        self, owner: DeclaredName, parameters: Sequence[Variable], variable: Variable, value: Value, deep: int
    ) -> Iterator[StateWish]:
        """Wishes for a parameter: itself in an entry procedure, else the arguments of its callers."""
        at = next((at for at, parameter in enumerate(parameters) if parameter == variable), None)
        if at is None or not isinstance(strip_optional(variable.type), FlagType | NumberType | WordType):
            return
        if owner.sort == "procedure":
            yield self._make_wish(f"{owner.name}/{variable.name}", value, variable.type)
        for arguments in self._call_arguments[owner]:
            if at < len(arguments):
                yield from self._wishes_for_node(arguments[at], value, deep - 1)

    def _make_wish(self, place: str, value: Value, type_: Type) -> StateWish:
        return StateWish(place, value_to_json(value, type_, self._names))

    @cached_property
    def _parameter_owners(self) -> dict[int, list[tuple[DeclaredName, Sequence[Variable]]]]:
        result: dict[int, list[tuple[DeclaredName, Sequence[Variable]]]] = defaultdict(list)
        for name, declared in executable_declarations(self._program):
            parameters = getattr(declared, "parameters", ())
            owner = name
            if isinstance(declared, Handler):
                owner = DeclaredName("event", declared.event)
                parameters = declared.variables[: len(self._program.events[declared.event].parameters)]
            for node in walk_nodes(declared):
                if isinstance(node, ex.Local) and node.variable in parameters:
                    result[id(node.variable)].append((owner, parameters))
        return result

    @cached_property
    def _call_arguments(self) -> dict[DeclaredName, list[tuple[Expression, ...]]]:
        result: dict[DeclaredName, list[tuple[Expression, ...]]] = defaultdict(list)
        for _, declared in executable_declarations(self._program):
            for node in walk_nodes(declared):
                match node:
                    case ex.CallFunction(function=name, arguments=arguments):
                        result[DeclaredName("function", name)].append(arguments)
                    case st.Perform(procedure=name, arguments=arguments):
                        result[DeclaredName("procedure", name)].append(arguments)
                    case st.Trigger(event=name, arguments=arguments):
                        result[DeclaredName("event", name)].append(arguments)
        return result


@dataclass(frozen=True, slots=True)
class ComparisonTask:
    """Input of a comparison; picklable, for worker processes."""

    old: Program
    new: Program
    names: Correspondence
    altered: AlteredPlaces
    fixtures: ComparisonFixtures
    entrances: tuple[tuple[str, str], ...]  # entry procedures, by old and new name
    seed: int


ReachedHits = frozenset[tuple[int, CoverageHit]]
"""Hits of a play with their side (0 is the old revision)."""


class Harness:
    """Comparison task with both programs compiled and probed.

    Attributes:
        translations: of values between the revisions.
        points: change points.
        changed: addresses of the changed places of both.
        constants: numbers in these places, and in the functions that compute with them.
        read_places: locations of the state that these read, in both.
        wishes: makers of wishes, for both.
    """

    def __init__(self, task: ComparisonTask) -> None:
        self.task = task
        self.translations: RevisionTranslations = build_translations(task.old, task.new, task.names)
        self.points = tuple(ChangePoints(task.altered, self.programs, self.translations).points)
        echoing = (
            functions_reaching(task.old, task.altered.names[0]),
            functions_reaching(task.new, task.altered.names[1]),
        )
        self._echoing_functions = {old: task.names.find_new_name("function", old) or "" for old in sorted(echoing[0])}
        old, new = (
            CoverageProbe(program, side, task.altered.places[side], self.points, echoing[side])
            for side, program in enumerate(self.programs)
        )
        self._probes = old, new
        self.executables: tuple[Executable, Executable] = old.compile_probed(), new.compile_probed()
        self.wishes = WishMaker(task.old), WishMaker(task.new)
        self.changed = old.addresses, new.addresses
        near = [
            [
                *changed,
                *(
                    DeclarationPlace(DeclaredName("function", item), item, program.functions[item], 0)
                    for item in sorted(known)
                ),
            ]
            for changed, program, known in zip(task.altered.places, self.programs, echoing, strict=True)
        ]
        self.constants = collect_constants([*near[0], *near[1]])
        self.read_places = find_read_places(near[0], task.old), find_read_places(near[1], task.new)

    def __reduce__(self) -> tuple[type["Harness"], tuple[ComparisonTask]]:
        """Other processes are sent the task, and compile both programs anew."""
        return Harness, (self.task,)

    def for_task(self, task: ComparisonTask) -> "Harness":
        """Harness for another task with the same revisions; nothing is compiled again."""
        result = copy(self)
        result.task = task
        return result

    @property
    def programs(self) -> tuple[Program, Program]:
        return self.task.old, self.task.new

    def entry_procedures(self, entrance: tuple[str, str]) -> tuple[Procedure, Procedure]:
        return self.task.old.procedures[entrance[0]], self.task.new.procedures[entrance[1]]

    def reset_probes(self) -> None:
        for probe in self._probes:
            probe.reset_probe()

    def collect_hits(self, play: PairedPlay) -> ReachedHits:
        """Hits of the play just made."""
        result = {
            (side, (address, REACHED))
            for side, ear in enumerate(self._probes)
            for address in ear.find_reached_places(_find_reached_addresses(play, side))
        }
        for number, point in enumerate(self.points):
            result.update(self._point_hits(number, point, play))
        result.update(self._function_hits())
        self.reset_probes()
        return frozenset(result)

    def _point_hits(self, number: int, point: ChangePoint, play: PairedPlay) -> Iterator[tuple[int, CoverageHit]]:
        side = 0 if point.roots[1] is None else 1
        if point.role:
            if point.addresses[1] == play.start.procedures[1].name and point.role not in play.start.starts[1].roles:
                yield 1, (point.addresses[1], f"{number} {DIFFERS}")
            return
        if point.table is None:
            if point.is_pair and self._has_other_values(number, point, play):
                yield side, (point.addresses[side], f"{number} {DIFFERS}")
            return
        old, new = (probe.masks.get(number, ()) for probe in self._probes)
        if not point.is_pair:
            hit_bits = reduce(or_, old or new, 0)
        else:
            both = [one & other for one, other in zip(old, new, strict=True)] if len(old) == len(new) else [*old, *new]
            settled = {item for item in both if item and item & point.table.differing and point.table.is_uniform(item)}
            hit_bits = reduce(or_, settled, 0) & point.table.differing
            if hit_bits:
                yield side, (point.addresses[side], f"{number} {DIFFERS}")
        for bit in iterate_bits(hit_bits):
            yield side, (point.addresses[side], f"{number} {bit}")

    def _has_other_values(self, number: int, point: ChangePoint, play: PairedPlay) -> bool:
        old, new = (probe.values.get(number, []) for probe in self._probes)
        if self.translations.is_identity:
            return len(old) == len(new) and old != new
        assert point.roots[0] is not None
        assert point.roots[1] is not None
        common, types = play.start.common_form, (point.roots[0].type, point.roots[1].type)
        return any(
            common.canonical_old(one, *types) != common.canonical_new(other, types[1])
            for one, other in zip(old, new, strict=False)
        )

    def _function_hits(self) -> Iterator[tuple[int, CoverageHit]]:
        if self.translations.is_identity:
            for old, new in self._echoing_functions.items():
                if self._probes[0].function_values.get(old) != self._probes[1].function_values.get(new):
                    yield 1, (new, f"{new} {ECHOES}")


def _find_reached_addresses(play: PairedPlay, side: int) -> frozenset[str]:
    addresses = frozenset(play.reached_addresses(side))
    inside = {address.partition("/")[0] for address in addresses}
    return addresses | inside | {play.start.procedures[side].name}
