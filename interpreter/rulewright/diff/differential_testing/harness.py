"""Harness: both revisions compiled with coverage probes."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from typing import Any

from rulewright.base.frozen import dataclass
from rulewright.base.node_roles import walk_nodes
from rulewright.diff.differential_testing.altered_places import (
    AlteredPlaces,
    DeclarationPlace,
    collect_constants,
    executable_declarations,
    expression_signature,
    iterate_places,
    own_expressions,
)
from rulewright.diff.differential_testing.paired_play import PairedPlay
from rulewright.diff.differential_testing.reachability import functions_reaching
from rulewright.diff.differential_testing.results import ENOUGH_PLAYS, ComparisonFixtures
from rulewright.diff.differential_testing.revision_translation import RevisionTranslations, build_translations
from rulewright.diff.edits import Correspondence
from rulewright.program import expressions as ex, statements as st
from rulewright.program.declarations import Procedure, Program
from rulewright.program.expressions import Expression
from rulewright.runtime.executable import Executable, compile_program
from rulewright.runtime.request import ValueProbes

REACHED, DIFFERS, ECHOES, STRAYS = "reached", "differs", "echoes", "strays"
WANTED_PLAYS = {REACHED: ENOUGH_PLAYS, DIFFERS: 40, ECHOES: 40, STRAYS: 100}
"""Number of plays with a hit of each sort before other plays are worth more."""

CoverageHit = tuple[str, str]
"""Address of a place, and what happened there: `reached`, or a changed expression, function or step with its sort of hit."""

_ValueListener = Callable[[Any], None]


@dataclass(frozen=True, slots=True)
class ChangedExpression:
    """Expression of a changed place that stands at the same spot in both revisions."""

    address: str  # of the place in the new revision
    roots: tuple[Expression, Expression]


def pair_changed_expressions(altered: AlteredPlaces) -> Iterator[ChangedExpression]:
    """Outermost expressions that differ in places with as many of them, in the order of the text."""
    for first, second, by_number in altered.pairs:
        old, new = tuple(own_expressions(first.node)), tuple(own_expressions(second.node))
        for pair in zip(old, new, strict=True) if len(old) == len(new) else ():
            before = expression_signature(pair[0], altered.renamed, by_number=by_number)
            if before != expression_signature(pair[1], {}, by_number=by_number):
                yield ChangedExpression(second.address, pair)  # type: ignore[arg-type]


class CoverageProbe:
    """Coverage probe of one revision: what a play reached and computed of the changed places.

    Attributes:
        addresses: of the changed places.
        values: values of each changed expression, by number, since the last reset.
        function_values: values of the functions that compute with a change, by name, since the last reset.
    """

    def __init__(
        self,
        program: Program,
        changed: Sequence[DeclarationPlace],
        expressions: Sequence[Expression],
        echoing: Iterable[str],
    ) -> None:
        self._program = program
        self.addresses = frozenset(item.address for item in changed)
        self._inner_addresses = _map_inner_addresses(program, changed)
        self._numbers: dict[int, int] = {}
        self._listeners: list[list[_ValueListener]] = []
        self._reached_addresses: set[str] = set()
        self.values: dict[int, list[Any]] = {}
        self.function_values: dict[str, list[Any]] = {}
        for declaration_place in changed:
            for root in own_expressions(declaration_place.node):
                self._add_listener(root, self._make_reach_listener(declaration_place.address))  # type: ignore[arg-type]
        for number, root in enumerate(expressions):
            self._add_listener(root, self._make_value_listener(self.values, number))
        known = frozenset(echoing)
        for node in walk_nodes(tuple(declared for _, declared in executable_declarations(program))):
            if isinstance(node, ex.FunctionValue) and node.function in known:
                self._add_listener(node, self._make_value_listener(self.function_values, node.function))

    def compile_probed(self) -> Executable:
        """Program compiled with the probe's listeners."""
        return compile_program(self._program, traced=True, probes=ValueProbes(self._numbers, self._notify_listeners))

    def find_reached_places(self, addresses: frozenset[str]) -> frozenset[str]:
        """Changed places that a play reached, themselves or something inside; `addresses` are those it reached."""
        known = addresses | self._reached_addresses
        return frozenset(item for item, inside in self._inner_addresses.items() if not inside.isdisjoint(known))

    def reset_probe(self) -> None:
        for item in (self._reached_addresses, self.values, self.function_values):
            item.clear()

    def _make_reach_listener(self, address: str) -> _ValueListener:
        return lambda _: self._reached_addresses.add(address)

    @staticmethod
    def _make_value_listener(values: dict[Any, list[Any]], key: object) -> _ValueListener:
        return lambda value: values.setdefault(key, []).append(value)

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
    return WANTED_PLAYS[hit[1].rpartition(" ")[2]]


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
        expressions: changed expressions that both have.
        changed: addresses of the changed places of both.
        constants: numbers in these places, and in the functions that compute with them.
        settings: that these read.
    """

    def __init__(self, task: ComparisonTask) -> None:
        self.task = task
        self.translations: RevisionTranslations = build_translations(task.old, task.new, task.names)
        self.expressions = tuple(pair_changed_expressions(task.altered))
        echoing = (
            functions_reaching(task.old, task.altered.names[0]),
            functions_reaching(task.new, task.altered.names[1]),
        )
        self._echoing_functions = {old: task.names.find_new_name("function", old) or "" for old in sorted(echoing[0])}
        old, new = (
            CoverageProbe(
                program, task.altered.places[side], [each.roots[side] for each in self.expressions], echoing[side]
            )
            for side, program in enumerate(self.programs)
        )
        self._probes = old, new
        self.executables: tuple[Executable, Executable] = old.compile_probed(), new.compile_probed()
        self.changed = old.addresses, new.addresses
        near = (
            *(place.node for places in task.altered.places for place in places),
            *(program.functions[name] for program, known in zip(self.programs, echoing, strict=True) for name in known),
        )
        self.constants = collect_constants(walk_nodes(near))
        self.settings = frozenset(node.name for node in walk_nodes(near) if isinstance(node, ex.SettingValue))

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
        result.update(self._expression_hits(play))
        result.update(self._function_hits())
        self.reset_probes()
        return frozenset(result)

    def _expression_hits(self, play: PairedPlay) -> Iterator[tuple[int, CoverageHit]]:
        common = play.start.common_form
        for number, each in enumerate(self.expressions):
            old, new = (probe.values.get(number, []) for probe in self._probes)
            types = each.roots[0].type, each.roots[1].type
            if any(
                common.canonical_old(one, *types) != common.canonical_new(other, types[1])
                for one, other in zip(old, new, strict=False)
            ):
                yield 1, (each.address, f"{number} {DIFFERS}")

    def _function_hits(self) -> Iterator[tuple[int, CoverageHit]]:
        if self.translations.is_identity:
            for old, new in self._echoing_functions.items():
                if self._probes[0].function_values.get(old) != self._probes[1].function_values.get(new):
                    yield 1, (new, f"{new} {ECHOES}")


def _find_reached_addresses(play: PairedPlay, side: int) -> frozenset[str]:
    addresses = frozenset(play.reached_addresses(side))
    inside = {address.partition("/")[0] for address in addresses}
    return addresses | inside | {play.start.procedures[side].name}
