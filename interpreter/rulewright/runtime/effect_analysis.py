"""Effects of lines with all that they perform: places read and written, routines, faces of dice."""

from collections.abc import Iterable, Iterator
from functools import cache, cached_property
from typing import Any

from rulewright.base.frozen import dataclass
from rulewright.base.node_roles import get_children, walk_nodes
from rulewright.program import expressions as ex, statements as st
from rulewright.program.declarations import Program, Step, Watch
from rulewright.program.effects import ReadFootprint, list_written_places
from rulewright.program.walk import get_outer_expressions, get_subexpressions, list_routines, strip_address_numbers
from rulewright.runtime import flow_graph as g
from rulewright.runtime.dice import RANK_SLOTS
from rulewright.runtime.liveness import LivenessAnalysis
from rulewright.runtime.lowering import routine_key

Locations = frozenset[str | int]
"""Places of the game as `program.effects` names them, variables shared with watches, `DICE_FACES`; numbers: frame slots."""
DICE_FACES = "faces of dice"
NO_LOCATIONS: Locations = frozenset()
_SLOT_COUNTS = ((g.LoopStart, 3), (g.RepeatStart, 2), (g.AskAllStart, 2), (g.RankStart, RANK_SLOTS))
_DICE_PRESERVING = (
    ex.Local,
    ex.Comprehension,
    ex.Quantifier,
    ex.TheOnly,
    ex.MakeRecord,
    ex.MakeTuple,
    ex.MakeCollection,
    ex.Part,
    ex.Entry,
    ex.Conditional,
    ex.Narrowed,
    ex.Membership,
)
"""Expressions that pass dice on or identify them without reading their faces."""


@dataclass(frozen=True, slots=True)
class LineEffect:
    """Effects of a line or a routine."""

    writes: Locations = NO_LOCATIONS
    reads: Locations = NO_LOCATIONS
    sets: Locations = NO_LOCATIONS  # slots overwritten in any case
    leads_out: bool = False  # whether it may end an outer call
    asks: frozenset[str] = frozenset()  # lines that ask for something, as `strip_address_numbers` has them


class LineEffectAnalysis:
    """Effects of the lines of one program."""

    def __init__(self, program: Program, liveness: LivenessAnalysis) -> None:
        self._program = program
        self._footprint = ReadFootprint(program)
        self._may_hold_dice = liveness.may_hold_dice
        self._function_sees_faces: dict[str, bool] = {}
        self.effect_of_routine = cache(self._compute_routine_effect)
        self.effect_of_item = cache(self._compute_item_effect)
        self.effect_of_line = cache(self._compute_line_effect)

    @cached_property
    def asking_lines(self) -> frozenset[str]:
        """All lines that ask for something, by address without numbers (`strip_address_numbers`)."""
        return frozenset(_addresses_of_requests(walk_nodes(list_routines(self._program))))

    def list_invoked(self, line: object) -> Iterator[str]:
        """Keys of what a line performs or triggers."""
        events: tuple[str, ...] = ()
        match line:
            case st.Perform(procedure=procedure):
                yield f"procedure:{procedure}"
            case st.Trigger(event=event):
                events = (event,)
            case st.Remove(events=on_removal):
                events = on_removal
        for event in events:
            yield f"event:{event}"
            yield from (routine_key(handler) for handler in self._program.handlers.values() if handler.event == event)
            yield from (item for item, watch in self._watches_by_key.items() if watch.event == event)

    @cached_property
    def _watches_by_key(self) -> dict[str, Watch]:
        return {
            f"watch:{name}:{number}": watch
            for name, procedure in self._program.procedures.items()
            for number, watch in enumerate(procedure.opening)
            if isinstance(watch, Watch)
        }

    def _compute_routine_effect(self, name: str) -> LineEffect:
        writes, reads, leads_out = set[str | int](), set[str | int](), False
        asks, known, waiting = set[str](), {name}, [name]
        while waiting:
            owner, body = self._body_of_routine(waiting.pop())
            lines = [node for node in walk_nodes(body) if isinstance(node, st.Line)]
            writes.update(*(self._locations_written(line, owner) for line in lines))
            reads |= self._locations_read(body, owner)
            asks.update(_addresses_of_requests(walk_nodes(body)))
            leads_out |= any(isinstance(line, st.FinishOuter) for line in lines)
            fresh = {more for line in lines for more in self.list_invoked(line)} - known
            known |= fresh
            waiting += fresh
        return LineEffect(_shared_locations(writes), _shared_locations(reads), NO_LOCATIONS, leads_out, frozenset(asks))

    def _body_of_routine(self, name: str) -> tuple[str, Any]:
        sort, _, rest = name.partition(":")
        program = self._program
        match sort:
            case "watch":
                return rest.partition(":")[0], self._watches_by_key[name]
            case "procedure":
                procedure = program.procedures[rest]
                return rest, (*(item for item in procedure.opening if not isinstance(item, Watch)), *procedure.steps)
            case "event":
                return "", program.events[rest]
            case _:
                return "", (program.handlers if sort == "handler" else program.rules)[rest]

    # Lines of blocks.

    def _compute_item_effect(self, item: Any, owner: str) -> LineEffect:
        for sort, count in _SLOT_COUNTS:
            if isinstance(item, sort):
                slots: Locations = frozenset(range(item.slot, item.slot + count))
                return LineEffect(slots, self._locations_read(_expressions_of_line(item.line), owner), slots)
        match item:
            case g.RankSort(line, _, slot) | g.RankEnd(line, slot):
                slots = frozenset(range(slot, slot + RANK_SLOTS))
                named = (
                    self.locations_of_variables([line.variable], owner) if isinstance(item, g.RankEnd) else NO_LOCATIONS
                )
                return LineEffect(slots | named, self._locations_read(line, owner) | slots)
            case g.StoreOneAnswer(line):
                answers = self.locations_of_variables([line.answers], owner)
                return LineEffect(answers, answers | self.locations_of_variables([line.question.variable], owner))
            case g.UnsettlingChange(line=st.Line() as line) | (st.Line() as line):
                return self._compute_nested_effect(line, owner)
            case _:
                return LineEffect()

    def _compute_nested_effect(self, line: Any, owner: str) -> LineEffect:
        lines = [node for node in walk_nodes(line) if isinstance(node, st.Line)]
        performed = [self.effect_of_routine(name) for item in lines for name in self.list_invoked(item)]
        writes = NO_LOCATIONS.union(*(self._locations_written(item, owner) for item in lines))
        put = isinstance(line, st.Let | st.TallyLine | st.DecideLine) or (
            isinstance(line, st.Assign) and isinstance(line.place, st.VariablePlace)
        )
        return LineEffect(
            writes.union(*(line_effect.writes for line_effect in performed)),
            self._locations_read(line, owner).union(*(line_effect.reads for line_effect in performed)),
            frozenset(write for write in writes if put and isinstance(write, int)),
            any(line_effect.leads_out for line_effect in performed),
        )

    def _compute_line_effect(self, node: Any, owner: str) -> LineEffect:
        if isinstance(node, Step):
            return LineEffect(NO_LOCATIONS, self._locations_read(node.guard, owner))
        writes = self._locations_written(node, owner) if isinstance(node, st.Line) else NO_LOCATIONS
        named = (variable for variable in _variables_assigned(node) if isinstance(variable, ex.Variable))
        return LineEffect(
            writes | self.locations_of_variables(named, owner),
            self._locations_read(_expressions_of_line(node), owner) | _places_modified(node),
        )

    # Their parts.

    def locations_of_variables(self, variables: Iterable[ex.Variable], owner: str) -> Locations:
        """Locations of variables of a procedure; those of handlers and standing rules have no owner."""
        heard = self._watched_variables.get(owner, frozenset())
        numbers = {variable.index for variable in variables}
        return frozenset(f"{owner}:{number}" if number in heard else g.FIRST_SLOT + number for number in numbers)

    @cached_property
    def _watched_variables(self) -> dict[str, frozenset[int]]:
        return {
            name: frozenset(
                node.index
                for part in procedure.opening
                for node in walk_nodes(part)
                if isinstance(part, Watch) and isinstance(node, ex.Variable)
            )
            for name, procedure in self._program.procedures.items()
        }

    def _locations_written(self, line: st.Line, owner: str) -> Locations:
        changed = frozenset[str]()
        if isinstance(line, st.PerformExternal):
            changed = frozenset(self._program.external_procedures[line.external].changes)
        dice = {DICE_FACES} if isinstance(line, st.Roll | st.Reroll | st.Rank) else set[str]()
        place = (node for node in walk_nodes(getattr(line, "place", None)) if isinstance(node, st.VariablePlace))
        named = (*_variables_assigned(line), *(variable_place.variable for variable_place in place))
        return changed | list_written_places(line) | dice | self.locations_of_variables(named, owner)  # type: ignore[arg-type]

    def _locations_read(self, node: Any, owner: str) -> Locations:
        places = NO_LOCATIONS.union(
            self._footprint.collect_read_places(node), *(map(_places_modified, walk_nodes(node)))
        )
        dice = {DICE_FACES} if any(map(self._sees_faces, walk_nodes(node))) else set[str]()
        return (
            places
            | dice
            | self.locations_of_variables(
                (variable for variable in walk_nodes(node) if isinstance(variable, ex.Variable)), owner
            )
        )

    def _sees_faces(self, node: object) -> bool:
        holds = self._may_hold_dice
        match node:
            case ex.DieAttribute():
                return True
            case ex.CallFunction(function=name) | ex.DerivedAttribute(function=name):
                if name not in self._function_sees_faces:
                    self._function_sees_faces[name] = True
                    self._function_sees_faces[name] = any(
                        map(self._sees_faces, walk_nodes(self._program.functions[name].body))
                    )
                return self._function_sees_faces[name]
            case ex.Aggregate(value=value):
                return value is not None and holds(value.type)
            case ex.Joined() | ex.Arithmetic():
                return not holds(node.type) and any(
                    holds(subexpression.type) for subexpression in get_subexpressions(node)
                )
            case ex.Typed():
                return not isinstance(node, _DICE_PRESERVING) and any(
                    holds(subexpression.type)
                    for subexpression in get_subexpressions(node)  # type: ignore[arg-type]
                )
            case _:
                return False


def _addresses_of_requests(nodes: Iterable[Any]) -> Iterator[str]:
    for node in nodes:
        asks = isinstance(node, st.Ask | st.Roll | st.Reroll | st.Draw | st.Shuffle | st.PerformExternal)
        if asks or (isinstance(node, st.RankKey) and node.requests):
            yield strip_address_numbers(node.address)


def _variables_assigned(line: Any) -> Iterator[ex.Variable]:
    yield from (child for child in get_children(line) if isinstance(child, ex.Variable))
    if isinstance(line, st.ForEach):
        yield from (variable for variable in line.binding.variables if variable is not None)


def _expressions_of_line(line: object) -> Any:
    return tuple(get_outer_expressions(line))


def _places_modified(node: object) -> Locations:
    return (
        list_written_places(node)
        if isinstance(node, st.AddAmount | st.AddMember | st.Draw | st.Shuffle)
        else NO_LOCATIONS
    )


def _shared_locations(tokens: Iterable[str | int]) -> Locations:
    return frozenset(token for token in tokens if isinstance(token, str))
