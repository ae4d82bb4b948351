"""Measures that may have changed, compared in states: nothing performs them, so no play comes to them."""

from collections.abc import Iterator
from itertools import islice, product

from rulewright.comparing.playing.bench import Task
from rulewright.comparing.playing.common import Common
from rulewright.comparing.playing.crossing import LostError, Ways, ways
from rulewright.comparing.playing.data import ValueWitness
from rulewright.comparing.playing.elsewhere import values_of
from rulewright.comparing.playing.plainer import fewer, stripped
from rulewright.comparing.playing.situating import Placed, candidates, placed
from rulewright.comparing.playing.slices import measures_reaching
from rulewright.comparing.playing.states import State
from rulewright.comparing.playing.tape import Plain
from rulewright.comparing.playing.work import ORIGIN, Work
from rulewright.frozen import dataclass
from rulewright.inputs.json_values import from_node, to_json
from rulewright.inputs.names import Names
from rulewright.inputs.nodes import Json, unplaced
from rulewright.inputs.sections import SETTINGS
from rulewright.inputs.state_json import state_json
from rulewright.machine.compile import compile_program
from rulewright.machine.executable import Executable
from rulewright.machine.faults import Fault
from rulewright.machine.measures import measure
from rulewright.machine.state import initial
from rulewright.machine.values import Value
from rulewright.program.declarations import Measure, Program
from rulewright.situations.chooser import Seeded, Sizes
from rulewright.situations.making import made
from rulewright.situations.values import NoValueError

_MADE, _WAYS, _SMALLER = 100, 20, 40
_SIZES = Sizes()


@dataclass(frozen=True, slots=True)
class Measured:
    """A measure that comes to what changed.

    Attributes:
        name: its new name.
        itself: whether it changed itself.
        states: how many it was taken in.
        differs: where it is not worth the same.
    """

    name: str
    itself: bool
    states: int
    differs: ValueWitness | None


def measured(task: Task, work: Work) -> Iterator[Measured]:
    """Every measure of both revisions that changed or comes to what changed, in written and made states."""
    changed = task.altered.names
    reaching = measures_reaching(task.old, changed[0]), measures_reaching(task.new, changed[1])
    pairs = [(old, task.names.new("measure", old) or "") for old in task.old.measures]
    wanted = [(old, new) for old, new in pairs if new and (old in reaching[0] or new in reaching[1])]
    if not wanted:
        return
    both = ways(task.old, task.new, task.names)
    states = tuple(_states(task, both, work))
    executables = compile_program(task.old, traced=False), compile_program(task.new, traced=False)
    for old, new in wanted:
        found = Taken(both, executables, (task.old.measures[old], task.new.measures[new]))
        first = next(((one, each) for each in states if (one := found.differing(each))), None)
        itself = any(each.sort == "measure" and each.name == old for each in changed[0])
        yield Measured(new, itself, len(states), found.smallest(*first) if first else None)


def _states(task: Task, both: Ways, work: Work) -> Iterator[Placed]:
    chooser = Seeded(task.seed)
    for side, (program, fixtures) in enumerate(((task.old, task.fixtures.old), (task.new, task.fixtures.new))):
        written = sorted((state_json(each, program) for each in fixtures), key=lambda one: len(str(one)))
        for each in written:
            work.spend(ORIGIN)
            if (found := placed(each, side, both, chooser)) is not None:
                yield found
        for _ in range(_MADE):
            work.spend(ORIGIN)
            if work.over:
                return
            try:
                state = made(program, _SIZES, chooser)
            except NoValueError:
                return
            if (found := placed(state, side, both, chooser)) is not None:
                yield found


@dataclass(frozen=True, slots=True)
class Taken:
    """Two measures that can be taken in a state of both revisions."""

    both: Ways
    executables: tuple[Executable, Executable]
    measures: tuple[Measure, Measure]

    def smallest(self, witness: ValueWitness, found: Placed) -> ValueWitness:
        """One in a state with less in it, after some tries."""
        program = self.both.across.there
        for _ in range(_SMALLER):
            fewer_ = (each for way in (_as_written, stripped, fewer) for each in way(found.states[1], program))
            placed_ = (placed(each, 1, self.both, Plain()) for each in fewer_)
            tried = ((each, self.differing(each)) for each in placed_ if each is not None)
            smaller = next(((each, one) for each, one in tried if one and each.states != found.states), None)
            if smaller is None:
                break
            found, witness = smaller
        return witness

    def differing(self, found: Placed) -> ValueWitness | None:
        """Where the two are not worth the same in a state, for the first arguments that show it."""
        old, new = (
            Names(each.program, situation.base)
            for each, situation in zip(self.executables, found.situations, strict=True)
        )
        common = Common(self.both, old, new)
        values = values_of(old, Seeded(0))
        every = (candidates(each.type, found.situations[0], values) for each in self.measures[0].parameters)
        for given in islice(product(*every), _WAYS):
            witness = self._of(list(given), found, common)
            if witness is not None:
                return witness
        return None

    def _of(self, given: list[Json], found: Placed, common: Common) -> ValueWitness | None:
        here, there = self.measures
        if len(here.parameters) != len(there.parameters):
            return None
        pairs = zip(given, here.parameters, there.parameters, strict=True)
        try:
            theirs = [self.both.across.value(value, mine.type, other.type) for value, mine, other in pairs]
        except LostError:
            return None
        values = self._value(0, given, found, common.old), self._value(1, theirs, found, common.new)
        if isinstance(values[0], Fault) or isinstance(values[1], Fault):
            return None
        if common.of_old(values[0], here.type, there.type) == common.of_new(values[1], there.type):
            return None
        shown = to_json(values[0], here.type, common.old), to_json(values[1], there.type, common.new)
        arguments = [
            {each.name: value for each, value in zip(one.parameters, told, strict=True)}
            for one, told in ((here, given), (there, theirs))
        ]
        return ValueWitness(here.name, there.name, (arguments[0], arguments[1]), ({}, {}), shown, found.states)

    def _value(self, side: int, given: list[Json], found: Placed, names: Names) -> Value | Fault:
        executable, one = self.executables[side], self.measures[side]
        types = (each.type for each in one.parameters)
        read = [from_node(unplaced(each), type_, names).value for each, type_ in zip(given, types, strict=True)]
        try:
            return measure(executable, initial(found.situations[side], executable.layout), one.name, read)
        except Fault as fault:
            return fault


def _as_written(state: State, program: Program) -> Iterator[State]:
    """The state with the readings that the rules have written."""
    del program
    yield {key: each for key, each in state.items() if key != SETTINGS}
