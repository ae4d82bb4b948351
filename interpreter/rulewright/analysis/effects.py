"""What lines and routines may change, and whether they may stop to ask (manual, Proofs and Settling).

Worked out from the nodes, before any routine is typed, because routines call each other in any order. An attribute is
told from those of the same name by the kind of its thing, where the text says that; else it counts by its plain name,
as fields and relations do: too much may be forgotten, never too little.
"""

import dataclasses
from collections.abc import Callable, Iterable, Iterator

from rulewright.analysis import addresses
from rulewright.analysis.named_things import Attributes, Body, resolve
from rulewright.analysis.reads import ANYTHING, Mentions
from rulewright.analysis.scope import Scope, Shapes
from rulewright.analysis.symbols import Linked, Module
from rulewright.frozen import dataclass
from rulewright.program.types import ThingType
from rulewright.source import Span
from rulewright.syntax.nodes import declarations as d, statements as s
from rulewright.syntax.nodes.expressions import Attribute, Expression, Index, Name, Reference

TOLD = "!"
"""Stands among what is written for names that watches change: some event may be triggered."""

Lines = s.Statement | s.Block | d.Declaration | d.Watch | tuple["Lines", ...] | None


@dataclass(frozen=True, slots=True)
class Stop:
    """A line that may stop to ask or roll, by what it does."""

    reason: str
    span: Span


@dataclasses.dataclass(eq=False, repr=False)
class Doings:
    """What some lines do themselves."""

    # attributes, fields and relations they write, by plain names or as `Kind/attribute`; `dice` for faces, `*` for all
    game: set[str] = dataclasses.field(default_factory=set)
    names: set[str] = dataclasses.field(default_factory=set)  # names of the routine they bind or change
    # qualified procedures, externals and events they perform or trigger, with the first such line
    calls: dict[str, Span] = dataclasses.field(default_factory=dict)
    removals: set[str] = dataclasses.field(default_factory=set)  # qualified events that a `remove` among them opens
    # names of things they remove, each with "" and 0, or hand over, with the routine and the position among arguments
    handed_over: set[tuple[str, str, int | str]] = dataclasses.field(default_factory=set)
    stop: Stop | None = None  # the first line that asks, rolls, draws or ends a procedure further out


class Effects:
    """The effects of every routine of a program."""

    def __init__(self, linked: Linked, shapes: Shapes) -> None:
        self._linked = linked
        self._tell = shapes.parts.asked
        self._parts = frozenset(part.name for record in shapes.records.values() for part in record.parts)
        self._keys = _keys(linked, shapes)
        self._attributes = Attributes(linked, shapes)
        self._routines: dict[str, Body] = {}
        self._handlers: dict[str, list[str]] = {}
        self._rules: list[tuple[str, Body]] = []
        self._removals: list[tuple[str, frozenset[str]]] = []
        self._parameters: dict[str, tuple[str, ...]] = {}
        for module in linked.modules:
            for declaration in module.declarations:
                self._add(declaration, module)
        self._doings: dict[str, Doings] = {}
        self._reached: dict[str, tuple[str, ...]] = {}
        self._settled: dict[tuple[frozenset[str], frozenset[str]], frozenset[str]] = {}
        self._readers: dict[str, tuple[str, ...]] = {}
        self._ranges: dict[str, set[str]] | None = None
        self._readings: dict[str, frozenset[str]] | None = None

    def _add(self, node: d.Declaration, module: Module) -> None:
        match node:
            case d.Procedure() | d.ExternalProcedure():
                name = module.prefix + node.name.text
                self._routines[name] = self.body(node, self._linked.views.get(name, module))
            case d.Handler():
                found = resolve(node.event, module)
                if found is not None:
                    name = f"{found[0].name}<{module.prefix}{node.name.text}"
                    self._routines[name] = self.body(node, module)
                    self._handlers.setdefault(found[0].name, []).append(name)
            case d.Whenever():
                self._rules.append((f"whenever {module.prefix}{node.name.text}", self.body(node, module)))
                self._routines[self._rules[-1][0]] = self._rules[-1][1]
            case d.Event(on_removal=False):
                self._parameters[module.prefix + node.name.text] = tuple(each.name.text for each in node.parameters)
            case d.Event():
                about = module.callables[node.name.text].parameters
                kinds = frozenset(type_.kind for _, type_ in about if isinstance(type_, ThingType))
                self._removals.append((module.prefix + node.name.text, kinds))
            case _:
                return

    def body(self, node: d.Declaration, module: Module) -> Body:
        """The text of a routine, for what asks about some of its lines."""
        return Body(node, module, self._attributes)

    def routines(self) -> Iterator[str]:
        """All that is performed, triggered or applied."""
        return iter(self._routines)

    def rules(self) -> Iterator[str]:
        """The standing rules."""
        return (name for name, _ in self._rules)

    def starts(self, procedure: str) -> frozenset[str]:
        """The steps of a procedure at which a performed range begins."""
        if self._ranges is None:
            self._ranges = {}
            for routine in self._routines.values():
                for line in _lines(routine.node):
                    if isinstance(line, s.Perform) and line.steps is not None:
                        found = resolve(line.procedure, routine.module)
                        name = found[0].name if found is not None else ""
                        self._ranges.setdefault(name, set()).add(line.steps[0].text)
        return frozenset(self._ranges.get(procedure, ()))

    def doings(self, lines: Lines, body: Body) -> Doings:
        """What some lines of a routine do themselves."""
        return self._done(_lines(lines), body)

    def each_round(self, lines: Lines, body: Body, leaves: Callable[[s.Statement], bool] = addresses.jumps) -> Doings:
        """What the lines of a loop do before another round of it; `leaves` says which lines lead out of the loop."""
        blocks = lines if isinstance(lines, tuple) else (lines,)
        found = (line for each in blocks if each is not None for line in addresses.lines_coming_back(each, leaves))
        return self._done(found, body)

    def _done(self, lines: Iterable[s.Statement | d.Watch], body: Body) -> Doings:
        found = Doings()
        for line in lines:
            self._line(line, body, found)
        return found

    def alone(self, lines: Lines, member: str, body: Body) -> tuple[frozenset[str], Doings]:
        """The attributes that lines write of the thing with this name only, by plain names, and what else they do."""
        return self._apart(lines, lambda line: _attribute_of(line, member), body)

    def giving(self, lines: Lines, member: str, body: Body) -> tuple[frozenset[str], Doings]:
        """The collections that lose nothing but the member with this name, by plain names, and what else lines do."""
        return self._apart(lines, lambda line: _collection_of(line, member), body)

    def _apart(
        self, lines: Lines, own_name: Callable[[s.Statement | d.Watch], str], body: Body
    ) -> tuple[frozenset[str], Doings]:
        own, others = set[str](), Doings()
        for line in _lines(lines):
            written = own_name(line)
            if written and written not in self._parts:
                own.add(written)
            else:
                self._line(line, body, others)
        return frozenset(own) - _plain(others.game), others

    def _line(self, line: s.Statement | d.Watch, body: Body, found: Doings) -> None:  # noqa: C901, PLR0912 - verbs
        bound = addresses.bound_name(line)
        if bound is not None:
            found.names.add(bound.text)
        match line:
            case s.Set(place=place) | s.Change(place=place) | s.Shuffle(deck=place):
                self._place(place, body, found)
            case s.Draw(source=place):
                self._place(place, body, found)
                _stops(found, "draws", line.head)
            case s.Move(thing=thing):
                found.game |= self._written_of(thing, "at", body)
            case s.Turn(thing=thing):
                found.game |= self._written_of(thing, "facing", body)
            case s.Place(thing=thing):
                found.game |= self._written_of(thing, "at", body) | self._written_of(thing, "facing", body)
            case s.Remove(thing=thing):
                kinds = body.kinds(thing)
                found.game |= self._written_of(thing, "gone", body)
                if isinstance(thing, Reference):
                    found.handed_over.add((thing.name, "", 0))
                found.removals |= {name for name, about in self._removals if not kinds or about & kinds}
            case s.Roll():
                _stops(found, "rolls dice", line.head)
            case s.Reroll():
                found.game.add("dice")
                _stops(found, "rolls dice", line.head)
            case s.Ask():
                _stops(found, "asks a player", line.head)
            case s.Finish(procedure=Name()):
                _stops(found, "ends a procedure further out", line.head)
            case s.Rank(keys=keys) if any(each.dice is not None or each.best == "ask" for each in keys):
                _stops(found, "may ask or roll", line.head)
            case s.Perform(procedure=called) | s.Trigger(event=called):
                resolved = resolve(called, body.module)
                if resolved is not None:
                    name = self._linked.binds.get(resolved[0].name, resolved[0].name)
                    found.calls.setdefault(name, line.head)
                    for at, each in enumerate(line.arguments):
                        if isinstance(each.value, Reference):
                            position = at if each.name is None else each.name.text
                            found.handed_over.add((each.value.name, name, position))

    def _place(self, place: Expression, body: Body, found: Doings) -> None:
        match place:
            case Reference(name=name):
                found.names.add(name)
                found.game.add(name)
            case Index(target=target):
                self._place(target, body, found)
            case Attribute(target=target, name=name):
                found.game |= self._written_of(target, name.text, body)
                if name.text in self._parts:
                    self._place(target, body, found)
            case _:
                return

    def _written_of(self, thing: Expression, name: str, body: Body) -> set[str]:
        """An attribute of a thing as it is written: `Kind/name` for each kind that it may be, else its plain name."""
        found = {f"{kind}/{name}" for kind in body.kinds(thing) or ()}
        return found if found and found <= self._keys.get(name, set()) else {name}

    def of(self, name: str) -> Doings:
        """What a routine does itself."""
        found = self._doings.get(name)
        if found is None:
            routine = self._routines.get(name)
            if routine is None:
                found = Doings(game={TOLD}, calls=dict.fromkeys(self._handlers.get(name, ()), Span("", 0, 0)))
            elif isinstance(routine.node, d.ExternalProcedure):
                found = Doings(game={_last(each) for each in routine.node.changes})
                _stops(found, "asks for a result from elsewhere", routine.node.head)
            else:
                found = self.doings(routine.node, routine)
            self._doings[name] = found
        return found

    def may_have_removed(self, name: str, before: int, body: Body) -> bool:
        """Whether lines of a routine above an offset may take out of play what stands under a name, by that name."""
        lines = (each for each in _lines(body.node) if isinstance(each, s.Remove | s.Perform | s.Trigger))
        above = self._done((line for line in lines if line.span.start < before), body)
        waiting, seen = [each for each in above.handed_over if each[0] == name], set[tuple[str, str]]()
        for _, called, position in waiting:
            if not called:
                return True
            for routine, parameter in self._given(called, position):
                if (routine, parameter) not in seen:
                    seen.add((routine, parameter))
                    self._tell(routine)
                    waiting.extend(each for each in self.of(routine).handed_over if each[0] == parameter)
        return False

    def _given(self, called: str, position: int | str) -> Iterator[tuple[str, str]]:
        """The routines that an argument of a `perform` or `trigger` comes to, each with its name for it."""
        node = self._routines[called].node if called in self._routines else None
        own = tuple(each.name.text for each in node.parameters) if isinstance(node, d.Procedure) else ()
        names = own or self._parameters.get(called, ())
        name = position if isinstance(position, str) else names[position] if position < len(names) else ""
        yield from ((each, name) for each in (self._handlers.get(called, ()) if node is None else (called,)))

    def reached(self, name: str) -> tuple[str, ...]:
        """A procedure, external or event and everything it may perform or trigger, nearest first."""
        self._tell(name)
        known = self._reached.get(name)
        if known is None:
            known = self._reached[name] = self._follow(name, removals=True)
        return known

    def _follow(self, name: str, *, removals: bool) -> tuple[str, ...]:
        seen = {name: None}
        waiting = [name]
        for each in waiting:
            found = self.of(each)
            new = [call for call in (*found.calls, *(sorted(found.removals) if removals else ())) if call not in seen]
            seen.update(dict.fromkeys(new))
            waiting.extend(new)
        return tuple(seen)

    def stop(self, name: str) -> Stop | None:
        """The first line that may stop to ask, in what is performed or triggered and all it calls."""
        self._tell(name)
        for each in self._follow(name, removals=False):
            if each in self._handlers:
                handler = self._routines[self._handlers[each][0]].node
                assert isinstance(handler, d.Handler)
                return Stop("opens a window that has handlers", handler.head)
            found = self.of(each).stop
            if found is not None:
                return found
        return None

    def written(self, found: Doings) -> frozenset[str]:
        """All that may have changed after some lines, in the notation of `forget`, but names of the routine."""
        return self.changed(found.game, (*found.calls, *sorted(found.removals)))

    def changed(
        self, names: Iterable[str], calls: Iterable[str] = (), quiet: frozenset[str] = frozenset()
    ) -> frozenset[str]:
        """What may have changed after writes to these and these calls, standing rules included.

        Quiet are the standing rules that do not apply after the first of these writes.
        """
        game = set(names)
        for call in calls:
            for each in self.reached(call):
                game |= self.of(each).game
        return self._settle(frozenset(game), quiet)

    def _settle(self, game: frozenset[str], quiet: frozenset[str]) -> frozenset[str]:
        known = self._settled.get((game, quiet))
        if known is None:
            known = self._settled[game, quiet] = self.keys(self._with_rules(set(game), quiet)[0])
        return known

    def settling(self, names: Iterable[str], quiet: frozenset[str] = frozenset()) -> frozenset[str]:
        """What standing rules may write after writes to these, beside those themselves."""
        return self.keys(self._with_rules(set(names), quiet)[1])

    def readers(self, name: str) -> tuple[str, ...]:
        """The standing rules that may read this plain name in their conditions."""
        if name not in self._readers:
            reads = self.rules_read().items()
            self._readers[name] = tuple(each for each, read in reads if ANYTHING in read or name in read)
        return self._readers[name]

    def _with_rules(self, game: set[str], quiet: frozenset[str]) -> tuple[set[str], set[str]]:
        """All that is written in the end, and what standing rules write of it; quiet ones apply only after others."""
        waiting = {name: read for name, read in self.rules_read().items() if name not in quiet}
        plain = _plain(game)
        if quiet and not any(ANYTHING in read or ANYTHING in game or read & plain for read in waiting.values()):
            return game, set()
        waiting = dict(self.rules_read())
        settling = set[str]()
        fired = True
        while fired:
            fired = False
            for name, read in tuple(waiting.items()):
                if ANYTHING in read or ANYTHING in game or read & plain:
                    del waiting[name]
                    fired = True
                    for each in self.reached(name):
                        settling |= self.of(each).game
                    game |= settling
                    plain = _plain(game)
        return game, settling

    def rules_read(self) -> dict[str, frozenset[str]]:
        """What the conditions of the standing rules read, by plain names."""
        if self._readings is None:
            mentions = Mentions(self._linked)
            self._readings = {}
            for name, routine in self._rules:
                assert isinstance(routine.node, d.Whenever)
                self._readings[name] = mentions.of(routine.node.condition, routine.node.binder)
        return self._readings

    def everything(self) -> frozenset[str]:
        """The plain names of all that any routine or external may change."""
        return _plain(name for each in self._routines for name in self.of(each).game)

    def keys(self, names: Iterable[str]) -> frozenset[str]:
        """Plain names, or `Kind/attribute`, in the notation of `forget`."""
        return frozenset(key for name in names for key in ((name,) if "/" in name else self._keys.get(name, ())))


def _plain(names: Iterable[str]) -> frozenset[str]:
    """Names without what they are of."""
    return frozenset(name.rpartition("/")[2].rpartition(".")[2] for name in names)


def effects(scope: Scope) -> Effects:
    """The effects of the program a scope belongs to, found once."""
    shapes = scope.shapes
    if shapes.effects is None:
        shapes.effects = Effects(scope.linked, shapes)
    return shapes.effects


def _lines(node: Lines) -> Iterator[s.Statement | d.Watch]:
    for each in node if isinstance(node, tuple) else (node,):
        if each is not None:
            yield from addresses.lines(each)


def _attribute_of(line: s.Statement | d.Watch, name: str) -> str:
    """The attribute that a line changes of the thing with this name and does nothing else; else nothing."""
    match line:
        case s.Set(place=place) | s.Change(place=place):
            while isinstance(place, Index):
                place = place.target
            match place:
                case Attribute(target=Reference(name=target), name=Name(text=attribute)) if target == name:
                    return attribute
    return ""


def _collection_of(line: s.Statement | d.Watch, name: str) -> str:
    """The collection that a line adds to, or takes this member from, and does nothing else; else nothing."""
    match line:
        case s.Change(word="take", amount=Reference(name=amount), place=place) if amount == name:
            return _last(place)
        case s.Change(word="add", place=place):
            return _last(place)
    return ""


def _stops(found: Doings, reason: str, span: Span) -> None:
    found.stop = found.stop or Stop(reason, span)


def _last(expression: Expression) -> str:
    match expression:
        case Reference(name=name):
            return name
        case Attribute(name=name):
            return name.text
        case Index(target=target):
            return _last(target)
        case _:
            return ""


def _keys(linked: Linked, shapes: Shapes) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {ANYTHING: {ANYTHING}, "dice": {"dice"}, TOLD: {TOLD}}
    for kind in shapes.kinds.values():
        for name in (*(each.name for each in kind.fields), "gone"):
            found.setdefault(name, set()).add(f"{kind.name}/{name}")
    for board, parts in [*shapes.cells.items(), *shapes.sides.items()]:
        for name in parts:
            found.setdefault(name, set()).add(f"{board}/{name}")
    for module in linked.modules:
        for name, symbol in module.names.items():
            if symbol.sort == "game":
                found.setdefault(name, set()).add(f"game/{symbol.name}")
        for name, symbol in module.callables.items():
            if symbol.sort == "relation":
                found.setdefault(name, set()).add(symbol.name)
    return found
