"""Interprocedural side effects: state that lines and routines may write, calls, and points that suspend a play.

Flow-insensitive, computed from syntax trees before any routine is typed, because routines call each other in any order.
An attribute counts as `Kind/attribute` where the kind of its thing is known, else by its plain name, as fields and
relations do: the sets are never too small (manual, Proofs and Settling).
"""

import dataclasses
from collections.abc import Callable, Iterable, Iterator

from rulewright.base.frozen import dataclass
from rulewright.base.source import Span
from rulewright.checker import addresses
from rulewright.checker.alias_kinds import AttributeKinds, RoutineBody, resolve_callable
from rulewright.checker.read_sets import ANY_STATE, MentionIndex
from rulewright.checker.scope import TypeEnvironment
from rulewright.checker.symbols import LinkedModule
from rulewright.program.types import ThingType
from rulewright.syntax.nodes import declarations as d, statements as s
from rulewright.syntax.nodes.expressions import Attribute, Expression, Index, Name, Reference

TRIGGERS_WATCH = "!"
"""Key of all names that watches may change: some event may be triggered."""

LineTree = s.Statement | s.Block | d.Declaration | d.Watch | tuple["LineTree", ...] | None


@dataclass(frozen=True, slots=True)
class SuspensionPoint:
    """A line at which a routine may suspend, with the reason in words."""

    reason: str
    span: Span


@dataclasses.dataclass(eq=False, repr=False)
class DirectEffects:
    """Effects of lines without those of what they call."""

    # attributes, fields and relations, by plain names or as `Kind/attribute`; `dice` for faces, `*` for all
    written_state: set[str] = dataclasses.field(default_factory=set)
    written_names: set[str] = dataclasses.field(default_factory=set)  # names of the routine that lines bind or change
    # by name of the routine, the values that lines `set` it to; `None` where something else writes it
    set_values: dict[str, list[Expression | None]] = dataclasses.field(default_factory=dict)
    # qualified procedures, externals and events, each with the first line that calls it
    calls: dict[str, Span] = dataclasses.field(default_factory=dict)
    removals: set[str] = dataclasses.field(default_factory=set)  # qualified events that a `remove` opens
    # names of things removed, with "" and 0, or passed on, with the routine and the position among arguments
    removed_or_passed: set[tuple[str, str, int | str]] = dataclasses.field(default_factory=set)
    suspension: SuspensionPoint | None = None  # the first one

    def note_name_write(self, name: str, value: Expression | None = None) -> None:
        """Notes that a line writes a name of the routine, and what it is `set` to."""
        self.written_names.add(name)
        self.set_values.setdefault(name, []).append(value)


class EffectIndex:
    """Effects of all routines of a program, computed on demand."""

    def __init__(self, environment: TypeEnvironment) -> None:
        linked = self._linked = environment.linked
        self._track_read = environment.results_store.note_routine_read
        self._names_of_record_parts = frozenset(
            part.name for record in environment.records.values() for part in record.parts
        )
        self._fact_keys = _index_fact_keys(environment)
        self._attribute_kinds = AttributeKinds(environment)
        self._routine_bodies: dict[str, RoutineBody] = {}
        self._handlers_by_event: dict[str, list[str]] = {}
        self._rule_bodies: list[tuple[str, RoutineBody]] = []
        self._removal_events: list[tuple[str, frozenset[str]]] = []
        self._event_parameters: dict[str, tuple[str, ...]] = {}
        for module in linked.modules:
            for declaration in module.declarations:
                self._add_declaration(declaration, module)
        self._effects_by_routine: dict[str, DirectEffects] = {}
        self._reachable_by_routine: dict[str, tuple[str, ...]] = {}
        self._settled_keys: dict[tuple[frozenset[str], frozenset[str]], frozenset[str]] = {}
        self._rules_by_read_name: dict[str, tuple[str, ...]] = {}
        self._range_starts: dict[str, set[str]] | None = None
        self._rule_reads: dict[str, frozenset[str]] | None = None

    def _add_declaration(self, node: d.Declaration, module: LinkedModule) -> None:
        match node:
            case d.Procedure() | d.ExternalProcedure():
                name = module.prefix + node.name.text
                self._routine_bodies[name] = self.make_body(node, self._linked.procedure_views.get(name, module))
            case d.Handler():
                items = resolve_callable(node.event, module)
                if items is not None:
                    name = f"{items[0].name}<{module.prefix}{node.name.text}"
                    self._routine_bodies[name] = self.make_body(node, module)
                    self._handlers_by_event.setdefault(items[0].name, []).append(name)
            case d.Whenever():
                self._rule_bodies.append((f"whenever {module.prefix}{node.name.text}", self.make_body(node, module)))
                self._routine_bodies[self._rule_bodies[-1][0]] = self._rule_bodies[-1][1]
            case d.Event(on_removal=False):
                self._event_parameters[module.prefix + node.name.text] = tuple(
                    parameter.name.text for parameter in node.parameters
                )
            case d.Event():
                about = module.callables[node.name.text].parameters
                kinds = frozenset(type_.kind for _, type_ in about if isinstance(type_, ThingType))
                self._removal_events.append((module.prefix + node.name.text, kinds))
            case _:
                return

    def make_body(self, node: d.Declaration, module: LinkedModule) -> RoutineBody:
        return RoutineBody(node, module, self._attribute_kinds)

    def iterate_routine_names(self) -> Iterator[str]:
        return iter(self._routine_bodies)

    def iterate_rule_names(self) -> Iterator[str]:
        return (name for name, _ in self._rule_bodies)

    def find_range_starts(self, procedure: str) -> frozenset[str]:
        """Steps of a procedure at which some `perform … steps` begins."""
        if self._range_starts is None:
            self._range_starts = {}
            for routine in self._routine_bodies.values():
                for line in _iterate_tree_lines(routine.node):
                    if isinstance(line, s.Perform) and line.steps is not None:
                        items = resolve_callable(line.procedure, routine.module)
                        name = items[0].name if items is not None else ""
                        self._range_starts.setdefault(name, set()).add(line.steps[0].text)
        return frozenset(self._range_starts.get(procedure, ()))

    def collect_effects_of_lines(self, lines: LineTree, body: RoutineBody) -> DirectEffects:
        return self._collect_line_effects(_iterate_tree_lines(lines), body)

    def collect_effects_of_round(
        self, lines: LineTree, body: RoutineBody, leaves: Callable[[s.Statement], bool] = addresses.is_jump
    ) -> DirectEffects:
        """Effects of the lines of a loop after which another round is possible; `leaves` says which jumps leave it."""
        blocks = lines if isinstance(lines, tuple) else (lines,)
        generator = (
            line
            for block in blocks
            if block is not None
            for line in addresses.walk_lines_reaching_next_round(block, leaves)
        )
        return self._collect_line_effects(generator, body)

    def _collect_line_effects(self, lines: Iterable[s.Statement | d.Watch], body: RoutineBody) -> DirectEffects:
        result = DirectEffects()
        for line in lines:
            self._add_line_effects(line, body, result)
        return result

    def split_member_writes(
        self, lines: LineTree, member: str, body: RoutineBody
    ) -> tuple[frozenset[str], DirectEffects]:
        """Attributes that lines write of the thing named `member` only, by plain names, and their other effects."""
        return self._split_effects(lines, lambda line: _get_only_written_attribute(line, member), body)

    def split_collection_changes(
        self, lines: LineTree, member: str, body: RoutineBody
    ) -> tuple[frozenset[str], DirectEffects]:
        """Collections that lose nothing but the thing named `member`, by plain names, and the other effects."""
        return self._split_effects(lines, lambda line: _get_only_changed_collection(line, member), body)

    def _split_effects(
        self, lines: LineTree, own_name: Callable[[s.Statement | d.Watch], str], body: RoutineBody
    ) -> tuple[frozenset[str], DirectEffects]:
        local_writes, others = set[str](), DirectEffects()
        for line in _iterate_tree_lines(lines):
            written = own_name(line)
            if written and written not in self._names_of_record_parts:
                local_writes.add(written)
            else:
                self._add_line_effects(line, body, others)
        return frozenset(local_writes) - _strip_owners(others.written_state), others

    def _add_line_effects(self, line: s.Statement | d.Watch, body: RoutineBody, effects: DirectEffects) -> None:
        bound = addresses.get_bound_name(line)
        if bound is not None:
            effects.note_name_write(bound.text)
        for place in s.get_changed_places(line):
            self._add_place_write(place, body, effects, line.value if isinstance(line, s.Set) else None)
        match line:
            case s.Draw():
                _record_suspension(effects, "draws", line.head)
            case s.Move(thing=thing):
                effects.written_state |= self._qualify_attribute(thing, "at", body)
            case s.Turn(thing=thing):
                effects.written_state |= self._qualify_attribute(thing, "facing", body)
            case s.Place(thing=thing):
                effects.written_state |= self._qualify_attribute(thing, "at", body) | self._qualify_attribute(
                    thing, "facing", body
                )
            case s.Remove(thing=thing):
                kinds = body.infer_kinds(thing)
                effects.written_state |= self._qualify_attribute(thing, "gone", body)
                if isinstance(thing, Reference):
                    effects.removed_or_passed.add((thing.name, "", 0))
                effects.removals |= {name for name, about in self._removal_events if not kinds or about & kinds}
            case s.Roll():
                _record_suspension(effects, "rolls dice", line.head)
            case s.Reroll():
                effects.written_state.add("dice")
                _record_suspension(effects, "rolls dice", line.head)
            case s.Ask():
                _record_suspension(effects, "asks a player", line.head)
            case s.Finish(procedure=Name()):
                _record_suspension(effects, "ends a procedure further out", line.head)
            case s.Rank(keys=keys) if any(key.dice is not None or key.best == "ask" for key in keys):
                _record_suspension(effects, "may ask or roll", line.head)
            case s.Perform(procedure=called) | s.Trigger(event=called):
                resolved = resolve_callable(called, body.module)
                if resolved is not None:
                    name = self._linked.external_bindings.get(resolved[0].name, resolved[0].name)
                    effects.calls.setdefault(name, line.head)
                    for at, argument in enumerate(line.arguments):
                        if isinstance(argument.value, Reference):
                            position = at if argument.name is None else argument.name.text
                            effects.removed_or_passed.add((argument.value.name, name, position))

    def _add_place_write(
        self, place: Expression, body: RoutineBody, effects: DirectEffects, value: Expression | None = None
    ) -> None:
        match place:
            case Reference(name=name):
                effects.note_name_write(name, value)
                effects.written_state.add(name)
            case Index(target=target):
                self._add_place_write(target, body, effects)
            case Attribute(target=target, name=name):
                effects.written_state |= self._qualify_attribute(target, name.text, body)
                if name.text in self._names_of_record_parts:
                    self._add_place_write(target, body, effects)
            case _:
                return

    def _qualify_attribute(self, thing: Expression, name: str, body: RoutineBody) -> set[str]:
        """`Kind/name` for each kind that the thing may be; its plain name where that is not known."""
        members = {f"{kind}/{name}" for kind in body.infer_kinds(thing) or ()}
        return members if members and members <= self._fact_keys.get(name, set()) else {name}

    def get_routine_effects(self, name: str) -> DirectEffects:
        """Direct effects of a routine."""
        result = self._effects_by_routine.get(name)
        if result is None:
            routine = self._routine_bodies.get(name)
            if routine is None:
                result = DirectEffects(
                    written_state={TRIGGERS_WATCH},
                    calls=dict.fromkeys(self._handlers_by_event.get(name, ()), Span("", 0, 0)),
                )
            elif isinstance(routine.node, d.ExternalProcedure):
                result = DirectEffects(written_state={_get_last_name(change) for change in routine.node.changes})
                _record_suspension(result, "asks for a result from elsewhere", routine.node.head)
            else:
                result = self.collect_effects_of_lines(routine.node, routine)
            self._effects_by_routine[name] = result
        return result

    def may_have_removed(self, name: str, before: int, body: RoutineBody) -> bool:
        """Whether lines above the offset `before` may remove the thing named `name`, also in routines it is passed to."""
        lines = (line for line in _iterate_tree_lines(body.node) if isinstance(line, s.Remove | s.Perform | s.Trigger))
        above = self._collect_line_effects((line for line in lines if line.span.start < before), body)
        waiting, visited = [item for item in above.removed_or_passed if item[0] == name], set[tuple[str, str]]()
        for _, called, position in waiting:
            if not called:
                return True
            for routine, parameter in self._iterate_receiving_parameters(called, position):
                if (routine, parameter) not in visited:
                    visited.add((routine, parameter))
                    self._track_read(routine)
                    waiting.extend(
                        item for item in self.get_routine_effects(routine).removed_or_passed if item[0] == parameter
                    )
        return False

    def _iterate_receiving_parameters(self, called: str, position: int | str) -> Iterator[tuple[str, str]]:
        node = self._routine_bodies[called].node if called in self._routine_bodies else None
        parameter_names = (
            tuple(parameter.name.text for parameter in node.parameters) if isinstance(node, d.Procedure) else ()
        )
        names = parameter_names or self._event_parameters.get(called, ())
        name = position if isinstance(position, str) else names[position] if position < len(names) else ""
        yield from ((item, name) for item in (self._handlers_by_event.get(called, ()) if node is None else (called,)))

    def find_reachable_routines(self, name: str) -> tuple[str, ...]:
        """A procedure, external or event and all that it may call, breadth first."""
        self._track_read(name)
        known = self._reachable_by_routine.get(name)
        if known is None:
            known = self._reachable_by_routine[name] = self._walk_callees(name, removals=True)
        return known

    def _walk_callees(self, name: str, *, removals: bool) -> tuple[str, ...]:
        visited = {name: None}
        waiting = [name]
        for item in waiting:
            result = self.get_routine_effects(item)
            new = [
                call for call in (*result.calls, *(sorted(result.removals) if removals else ())) if call not in visited
            ]
            visited.update(dict.fromkeys(new))
            waiting.extend(new)
        return tuple(visited)

    def find_first_suspension(self, name: str) -> SuspensionPoint | None:
        """First suspension point of a routine and of all that it calls."""
        self._track_read(name)
        for callee in self._walk_callees(name, removals=False):
            if callee in self._handlers_by_event:
                handler = self._routine_bodies[self._handlers_by_event[callee][0]].node
                assert isinstance(handler, d.Handler)
                return SuspensionPoint("opens a window that has handlers", handler.head)
            result = self.get_routine_effects(callee).suspension
            if result is not None:
                return result
        return None

    def compute_written_keys(self, effects: DirectEffects) -> frozenset[str]:
        """Fact keys that effects may change, calls and standing rules included, names of the routine aside."""
        return self.compute_changed_keys(effects.written_state, (*effects.calls, *sorted(effects.removals)))

    def compute_changed_keys(
        self, names: Iterable[str], calls: Iterable[str] = (), quiet: frozenset[str] = frozenset()
    ) -> frozenset[str]:
        """Fact keys that writes to `names` and `calls` may change, standing rules included.

        Quiet are the standing rules that do not apply after the first of these writes.
        """
        game = set(names)
        for call in calls:
            for reachable_routine in self.find_reachable_routines(call):
                game |= self.get_routine_effects(reachable_routine).written_state
        return self._settle_keys(frozenset(game), quiet)

    def _settle_keys(self, game: frozenset[str], quiet: frozenset[str]) -> frozenset[str]:
        known = self._settled_keys.get((game, quiet))
        if known is None:
            known = self._settled_keys[game, quiet] = self.expand_fact_keys(
                self._apply_rule_writes(set(game), quiet)[0]
            )
        return known

    def compute_rule_written_keys(self, names: Iterable[str], quiet: frozenset[str] = frozenset()) -> frozenset[str]:
        """Fact keys that standing rules may write after writes to `names`, without these themselves."""
        return self.expand_fact_keys(self._apply_rule_writes(set(names), quiet)[1])

    def find_rules_reading(self, name: str) -> tuple[str, ...]:
        """Standing rules whose conditions may read this plain name."""
        if name not in self._rules_by_read_name:
            reads = self.get_rule_reads().items()
            self._rules_by_read_name[name] = tuple(item for item, read in reads if ANY_STATE in read or name in read)
        return self._rules_by_read_name[name]

    def _apply_rule_writes(self, game: set[str], quiet: frozenset[str]) -> tuple[set[str], set[str]]:
        """Closure of writes under standing rules, and what rules add to it; quiet rules apply only after others."""
        waiting = {name: read for name, read in self.get_rule_reads().items() if name not in quiet}
        plain = _strip_owners(game)
        if quiet and not any(ANY_STATE in read or ANY_STATE in game or read & plain for read in waiting.values()):
            return game, set()
        waiting = dict(self.get_rule_reads())
        settling = set[str]()
        fired = True
        while fired:
            fired = False
            for name, read in tuple(waiting.items()):
                if ANY_STATE in read or ANY_STATE in game or read & plain:
                    del waiting[name]
                    fired = True
                    for reachable_routine in self.find_reachable_routines(name):
                        settling |= self.get_routine_effects(reachable_routine).written_state
                    game |= settling
                    plain = _strip_owners(game)
        return game, settling

    def get_rule_reads(self) -> dict[str, frozenset[str]]:
        """Plain names that the condition of each standing rule reads."""
        if self._rule_reads is None:
            mentions = MentionIndex(self._linked)
            self._rule_reads = {}
            for name, routine in self._rule_bodies:
                assert isinstance(routine.node, d.Whenever)
                self._rule_reads[name] = mentions.names_mentioned(routine.node.condition, routine.node.binder)
        return self._rule_reads

    def collect_written_names(self) -> frozenset[str]:
        """Plain names of all state that any routine or external may write."""
        return _strip_owners(
            name for routine in self._routine_bodies for name in self.get_routine_effects(routine).written_state
        )

    def expand_fact_keys(self, names: Iterable[str]) -> frozenset[str]:
        """Fact keys of plain names, or of `Kind/attribute`."""
        return frozenset(key for name in names for key in ((name,) if "/" in name else self._fact_keys.get(name, ())))


def _strip_owners(names: Iterable[str]) -> frozenset[str]:
    return frozenset(name.rpartition("/")[2].rpartition(".")[2] for name in names)


def _iterate_tree_lines(node: LineTree) -> Iterator[s.Statement | d.Watch]:
    for item in node if isinstance(node, tuple) else (node,):
        if item is not None:
            yield from addresses.walk_lines(item)


def _get_only_written_attribute(line: s.Statement | d.Watch, name: str) -> str:
    match line:
        case s.Set(place=place) | s.Change(place=place):
            while isinstance(place, Index):
                place = place.target
            match place:
                case Attribute(target=Reference(name=target), name=Name(text=attribute)) if target == name:
                    return attribute
    return ""


def _get_only_changed_collection(line: s.Statement | d.Watch, name: str) -> str:
    match line:
        case s.Change(word="take", amount=Reference(name=amount), place=place) if amount == name:
            return _get_last_name(place)
        case s.Change(word="add", place=place):
            return _get_last_name(place)
    return ""


def _record_suspension(effects: DirectEffects, reason: str, span: Span) -> None:
    effects.suspension = effects.suspension or SuspensionPoint(reason, span)


def _get_last_name(expression: Expression) -> str:
    match expression:
        case Reference(name=name):
            return name
        case Attribute(name=name):
            return name.text
        case Index(target=target):
            return _get_last_name(target)
        case _:
            return ""


def _index_fact_keys(environment: TypeEnvironment) -> dict[str, set[str]]:
    result: dict[str, set[str]] = {ANY_STATE: {ANY_STATE}, "dice": {"dice"}, TRIGGERS_WATCH: {TRIGGERS_WATCH}}
    for kind in environment.kinds.values():
        for name in (*(field.name for field in kind.fields), "gone"):
            result.setdefault(name, set()).add(f"{kind.name}/{name}")
    for board, parts in [*environment.cell_attributes.items(), *environment.side_attributes.items()]:
        for name in parts:
            result.setdefault(name, set()).add(f"{board}/{name}")
    for module in environment.linked.modules:
        for name, symbol in module.names.items():
            if symbol.sort == "game":
                result.setdefault(name, set()).add(f"game/{symbol.name}")
        for name, symbol in module.callables.items():
            if symbol.sort == "relation":
                result.setdefault(name, set()).add(symbol.name)
    return result
