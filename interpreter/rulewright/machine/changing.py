"""What a run may still do, by the lines that it can come to: places of the game it changes, loops it goes round."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from functools import cached_property, partial

from rulewright.machine import graph as g
from rulewright.machine.liveness import Liveness
from rulewright.machine.world import STACK, FlowTable, World
from rulewright.program import statements as st
from rulewright.program.declarations import Program, Watch
from rulewright.program.effects import Places, written_by
from rulewright.program.walk import reached
from rulewright.roles import nodes

_WAYS = frozenset(
    {"block", "blocks", "otherwise", "enter", "skip", "body", "after", "then", "resume", "options", "again"}
)
_INNER = frozenset({"question", "chance", "elsewhere", "throw", "asked"})


class Changing:
    """What the runs of one program may still change."""

    def __init__(self, program: Program, tables: tuple[FlowTable, ...], liveness: Liveness) -> None:
        self._program = program
        self._tables = tables
        self._liveness = liveness
        self._from: dict[tuple[int, int], Places] = {}
        self._left: dict[tuple[tuple[int, int], ...], Places] = {}
        self._promises: dict[frozenset[int], bool] = {}

    def left(self, world: World) -> Places:
        """The places that lines to come may change where a run stands at a request, as `effects` names places."""
        where = tuple([(frame[1], frame[0]) for frame in world[STACK] if frame[1] >= 0])
        if where not in self._left:
            self._left[where] = self._at_any_time.union(*(self._after(*each) for each in where))
        return self._left[where]

    def promises_rounds(self, world: World) -> bool:
        """Whether there is a loop with a bound of `MANY_ROUNDS` or more in what runs, or in what that may perform.

        Standing rules and handlers may run at any time.
        """
        running = frozenset([frame[1] for frame in world[STACK] if frame[1] >= 0])
        if running not in self._promises:
            program, tables = self._program, self._tables
            performed = self._performed(nodes((*program.rules.values(), *program.handlers.values())))[1]
            for name in [tables[flow].key.partition(":")[2] for flow in running]:
                performed |= {name, *self._performed(nodes(program.procedures.get(name)))[1]}
            self._promises[running] = any(
                self._liveness.rounds(flow)
                for flow, table in enumerate(tables)
                if table.key in {f"procedure:{name}" for name in performed} or not table.key.startswith("procedure:")
            )
        return self._promises[running]

    def ever(self, procedure: str) -> Places:
        """The places that a play of a procedure may change."""
        return self._at_any_time | self._by(nodes(self._program.procedures[procedure]))

    @cached_property
    def _at_any_time(self) -> Places:
        """What standing rules, handlers and watches change."""
        program = self._program
        heard = [each for of in program.procedures.values() for each in of.opening if isinstance(each, Watch)]
        return self._by(nodes((*program.rules.values(), *program.handlers.values(), *heard)))

    @cached_property
    def order(self) -> dict[int, tuple[tuple[int, ...], int]]:
        """By the number of a block its place in its flow, after those of the loops around it, by where they begin.

        What leads to others comes before them.
        """
        found: dict[int, tuple[tuple[int, ...], int]] = {}
        for number, table in enumerate(self._tables):
            blocks = self._liveness.blocks(number)
            if blocks:
                leads = {at: tuple(ways(each.exit)) for at, each in enumerate(blocks)}
                found |= {table.entry + at: place for at, place in _in_order(leads).items()}
        return found

    def _after(self, flow: int, block: int) -> Places:
        if (flow, block) not in self._from:
            entry, block_of = self._tables[flow].entry, partial(self._liveness.block, flow)
            lines: list[object] = []
            for here in map(block_of, reached([block], lambda at: (entry + each for each in ways(block_of(at).exit)))):
                lines += [each for item in here.items for each in nodes(item)]
                lines += _lines(here.exit)
            self._from[flow, block] = self._by(lines)
        return self._from[flow, block]

    def _by(self, lines: Iterable[object]) -> Places:
        """What lines change themselves, and all that they perform."""
        found = set[str]()
        for line in self._performed(lines)[0]:
            if isinstance(line, st.PerformExternal):
                found.update(self._program.external_procedures[line.external].changes)
            else:
                found |= written_by(line)  # type: ignore[arg-type]
        return frozenset(found)

    def _performed(self, lines: Iterable[object]) -> tuple[list[st.Line], set[str]]:
        """Lines with those of all that they perform, and the names of that."""
        found, performed, waiting = list[st.Line](), set[str](), [*lines]
        while waiting:
            match waiting.pop():
                case st.Perform(procedure=name):
                    if name not in performed:
                        performed.add(name)
                        waiting += nodes(self._program.procedures[name])
                case st.Line() as line:
                    found.append(line)
        return found, performed


def ways(exit_: g.Exit) -> Iterator[int]:
    """The blocks that an exit may lead to, and those that the request it belongs to may lead to."""
    for each in fields(exit_):
        value = getattr(exit_, each.name)
        if each.name in _WAYS:
            yield from value if isinstance(value, tuple) else (value,)
        elif each.name in _INNER:
            yield from ways(value)


def _lines(exit_: g.Exit) -> Iterator[object]:
    """The lines that an exit carries out itself."""
    for each in fields(exit_):
        value = getattr(exit_, each.name)
        if each.name == "line" and value is not None:
            yield value
        elif each.name in _INNER:
            yield from _lines(value)


def _in_order(leads: Mapping[int, Sequence[int]]) -> dict[int, tuple[tuple[int, ...], int]]:
    """By block the places of the loops around it, outer ones first, and its own, in reverse postorder from block 0."""
    done: list[int] = []
    back: list[tuple[int, int]] = []
    known, path, before = {0}, [(0, iter(leads[0]))], dict[int, list[int]]()
    on_path = {0}
    while path:
        block, onward = path[-1]
        to = next(onward, None)
        if to is None:
            done.append(block)
            on_path.discard(path.pop()[0])
            continue
        before.setdefault(to, []).append(block)
        if to in on_path:
            back.append((block, to))
        elif to not in known:
            known.add(to)
            on_path.add(to)
            path.append((to, iter(leads[to])))
    place = {block: at for at, block in enumerate(reversed(done))}
    loops: dict[int, set[int]] = {block: set() for block in place}
    for last, first in back:
        for each in reached([first, last], lambda each: () if each == first else before[each]):  # noqa: B023 - used at once
            loops[each].add(place[first])
    return {block: (tuple(sorted(loops[block])), at) for block, at in place.items()}
