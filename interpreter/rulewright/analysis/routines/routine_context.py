"""Where a line stands: its routine, the names the routine binds, and what is known (manual, Names)."""

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from rulewright.analysis import addresses, infer
from rulewright.analysis.clauses import qualify
from rulewright.analysis.effects import TOLD, Doings, Effects
from rulewright.analysis.facts import Facts, forget, merge, suppose
from rulewright.analysis.facts.assignments import after_setting, stays_quiet
from rulewright.analysis.flow.terminators import terminator_of
from rulewright.analysis.infer.conditions import condition
from rulewright.analysis.infer.slots import fitted, widens
from rulewright.analysis.invariants import ANY_VALUE, Open, broken, check_kept, emptied
from rulewright.analysis.named_things import Body, base
from rulewright.analysis.report import Report
from rulewright.analysis.scope import Scope, Variables
from rulewright.diagnostics import Label, has_errors
from rulewright.diagnostics.remedies import left_out
from rulewright.frozen import dataclass
from rulewright.program import statements as typed
from rulewright.program.expressions import Binding, Expression, GameField, Local, StoredAttribute, Variable
from rulewright.program.types import DieType, PoolType, Type
from rulewright.source import Span
from rulewright.syntax.nodes import declarations as d, expressions as e, statements as s
from rulewright.syntax.nodes.expressions import Cite, Name


@dataclass(frozen=True, slots=True)
class Bound:
    """A name, the verb of the line that bound it first (or `parameter`), and where."""

    variable: Variable
    verb: str
    span: Span


@dataclasses.dataclass(eq=False, repr=False)
class Names:
    """What is bound so far."""

    variables: Variables  # the numbering of the routine
    changed: frozenset[str] = frozenset()  # names that some line changes with `set`, `add`, `take` or `draw`
    bound: dict[str, Bound] = dataclasses.field(default_factory=dict)  # every name by its text
    secret: set[str] = dataclasses.field(default_factory=set)  # names of secret answers
    # the names seen by lines further down; never changed, for those further up hold what they saw
    locals: Mapping[str, Variable] = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        self.locals = {text: each.variable for text, each in self.bound.items()}

    def show(self, name: str, variable: Variable, verb: str, span: Span) -> Variable:
        """Lets the lines further down see a variable under its name."""
        self.bound[name] = Bound(variable, verb, span)
        self.locals = {**self.locals, name: variable}
        return variable

    def parameter(self, name: str, type_: Type, span: Span) -> Variable:
        """A parameter of the routine."""
        return self.show(name, self.variables.new(name, type_), "parameter", span)

    def bind(self, name: Name, type_: Type, verb: str, scope: Scope) -> Variable | None:
        """The variable that a line binds: a new one, or that of the lines above which bind the name too."""
        known = self.bound.get(name.text)
        if known is None:
            if infer.hides(name, scope):
                return None
            return self.show(name.text, self.variables.new(name.text, type_), verb, name.span)
        return known.variable if self.again(name, type_, verb, scope) else None

    def again(self, name: Name, type_: Type, verb: str, scope: Scope) -> bool:
        """Whether a name that is bound may be bound by this line too; reports why not."""
        known = self.bound[name.text]
        first = (Label(known.span, "bound here first"),)
        if known.verb == "parameter":
            message = f"`{name.text}` is a parameter and cannot be bound again"
            scope.report.error("RW0501", name.span, message, help="take another name", secondary=first)
        elif verb == "let" and known.verb == "let":
            message = f"`{name.text}` has a `let` already"
            remedy = f"change it with `set {name.text} to …`"
            scope.report.error("RW0501", name.span, message, help=remedy, secondary=first)
        elif not widens(type_, known.variable.type):
            message = f"`{name.text}` is {_unlike(type_, known.variable.type)}"
            both = (type_, known.variable.type)
            is_pool = all(isinstance(each, PoolType) for each in both)
            declared = f"write `let {name.text}: pool` above" if is_pool else "declare a type for both with `let`"
            remedy = f"take another name, or {declared}"
            scope.report.error("RW0501", name.span, message, help=remedy, secondary=first)
        else:
            return True
        return False


def _unlike(here: Type, above: Type) -> str:
    """Two types of one name that do not fit; dice that are written alike by their faces, or by names of their parts."""
    if str(here) != str(above) or not (isinstance(here, PoolType | DieType) and isinstance(above, PoolType | DieType)):
        return f"`{here}` here and `{above}` above"
    if not widens(here.face, above.face):
        return f"a `{here}` with the faces `{here.face}` here and `{above.face}` above"
    called, before = (f"called by `{each.part}`" if each.part else "without names" for each in (here, above))
    return f"a `{here}` with parts {called} here and {before} above"


class Rebinding(Variables):
    """A numbering that gives a name bound above its old number when a line binds it again."""

    def __init__(self, names: Names, name: str) -> None:
        super().__init__(names.variables.all)
        self._name = name
        self._known = names.bound.get(name)
        self.type: Type | None = None

    def new(self, name: str, type_: Type) -> Variable:
        """The old variable for the name, a further one for every other."""
        if self._known is None or name != self._name or self.type is not None:
            return super().new(name, type_)
        self.type = type_
        return self._known.variable


def changed_names(lines: Iterable[s.Line]) -> frozenset[str]:
    """The bare names that these lines change."""
    found = set()
    for line in lines:
        match line:
            case s.Set(place=place) | s.Change(place=place) | s.Draw(source=place) | s.Shuffle(deck=place):
                found.add(base(place))
    return frozenset(found - {""})


@dataclasses.dataclass(eq=False, repr=False)
class Routine:
    """What all lines of a routine share."""

    # translates a line; the verbs translate the lines inside theirs with it, so that none knows another
    line: "Translation"
    name: str  # its address
    sort: str  # `procedure`, `handler`, `rule` or `watch`
    scope: Scope  # what its text can see, but for its own names
    names: Names  # its own names
    effects: Effects  # what lines and routines may change
    body: Body  # its text, which tells the kinds of what its names stand for
    result: Type | None = None  # the type of the result it must give, or none
    steps: Mapping[str, int] = dataclasses.field(default_factory=dict)  # the ids of its steps, by their order
    told: frozenset[str] = frozenset()  # names that its watches change, at any call
    # what is known at each jump to a step, by the id of the step
    arrivals: dict[str, list[Facts]] = dataclasses.field(default_factory=dict)
    # those given so far, with the place and whether an author wrote the name
    addresses: dict[str, tuple[Span, bool]] = dataclasses.field(default_factory=dict)
    alike: dict[str, int] = dataclasses.field(default_factory=dict)  # the last number that an address was told apart by
    # names whose line has an error, so that nothing more is said of them
    broken: set[str] = dataclasses.field(default_factory=set)
    astray: bool = False  # whether some jump leads nowhere, so that no step can be called unreachable
    # what lines of the `together` block under way may have broken
    together: list[Open] = dataclasses.field(default_factory=list)

    def address(self, within: str, part: str, span: Span, *, written: bool) -> str:
        """The address of a line; ids that authors wrote must differ, others are told apart by `#2`."""
        wished = address = f"{within}/{part}"
        if written and address in self.addresses:
            first = Label(self.addresses[address][0], "the first one")
            message = f"`{part}` names two things here"
            self.scope.report.error("RW0503", span, message, help="give one of them another name", secondary=(first,))
        number = self.alike.get(wished, 1)
        while address in self.addresses:
            number += 1
            address = f"{wished}#{number}"
        self.alike[wished] = number
        self.addresses[address] = (span, written)
        return address

    def stand(self) -> tuple[Any, ...]:
        """The names bound so far, the numbering, secret answers and the addresses given."""
        names = self.names
        bound, given = tuple(names.bound.items()), (tuple(self.addresses.items()), tuple(self.alike.items()))
        return bound, tuple(names.variables.all), frozenset(names.secret), *given

    def go_on(self, stand: tuple[Any, ...]) -> None:
        """Goes on from where another translation of the same lines stood."""
        bound, variables, secret, addresses_, alike = stand
        names = self.names
        names.bound, names.secret, names.variables.all[:] = dict(bound), set(secret), variables
        names.locals = {text: each.variable for text, each in bound}
        self.addresses, self.alike = dict(addresses_), dict(alike)


@dataclasses.dataclass(eq=False, repr=False)
class Loop:
    """A loop around: what is known where a `stop` leaves it."""

    left: list[Facts] = dataclasses.field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Here:
    """The place of a line."""

    routine: Routine
    within: str  # the address of the step or option around
    cites: tuple[Cite, ...]  # the margin of the block around
    facts: Facts  # what is known
    each: Mapping[str, Variable] = dataclasses.field(default_factory=dict)  # names bound by loops around
    step: int = -1  # the number of the step around; -1 in opening lines
    loop: Loop | None = None  # the innermost loop that `stop` may leave, or none
    together: Span | None = None  # the `together` around, or none
    loops: int = 0  # how many loops stand around

    @property
    def scope(self) -> Scope:
        """What expressions can see here."""
        base = self.routine.scope
        seen = self.routine.names.locals
        return dataclasses.replace(base, locals={**seen, **self.each} if self.each else seen, facts=self.facts)

    def fresh_scope(self, *own: str) -> Scope:
        """What expressions can see here, without names of the routine that the line is about to bind."""
        seen = self.routine.names.locals
        if seen.keys().isdisjoint(own):
            return self.scope
        left = {name: each for name, each in seen.items() if name not in own}
        return dataclasses.replace(self.scope, locals={**left, **self.each})

    def knowing(self, facts: Facts) -> "Here":
        """This place where more, or less, is known."""
        return dataclasses.replace(self, facts=facts)

    def citing(self, cites: tuple[Cite, ...]) -> "Here":
        """This place inside a block with a margin of its own."""
        return dataclasses.replace(self, cites=cites) if cites else self

    def block(self, node: s.Block | None) -> tuple[typed.Block, Facts | None]:
        """The lines of a block, and what is known after them; none where nobody comes out at the end."""
        return ((), self.facts) if node is None else self.citing(node.cites).sequence(node.lines)

    def sequence(self, nodes: Iterable[s.Statement]) -> tuple[typed.Block, Facts | None]:
        """Lines one after another; those that are never reached are looked at all the same."""
        found: list[typed.Statement] = []
        here, lost = self, False
        facts: Facts | None = self.facts
        for each in nodes:
            if facts is None and not lost:
                lost = True
                left = terminator_of(tuple(found), self.routine.sort)
                remedy = (
                    f"{left.told}; {left.asked}" if left and left.asked else "the line above always leads elsewhere"
                )
                here.warning("RW0504", each.head, "this line is never reached", help=remedy, edits=left_out(each.span))
            here = here.knowing(facts or here.facts)
            made, facts = self.routine.line(each, here)
            if made is not None:
                found.append(made)
        return tuple(found), None if lost else facts

    def cited(self, cites: tuple[Cite, ...]) -> tuple[str, ...]:
        """The clauses of a line: its own, or those of the block around."""
        return qualify(cites or self.cites, self.routine.scope.linked)

    def mark(self, line: s.Line | d.Watch | d.Hold) -> dict[str, Any]:
        """The address, clauses and place of a line, as its program class takes them."""
        written = getattr(line, "label", None) is not None
        span = line.label.span if isinstance(line, s.Line) and line.label else line.head
        address = self.routine.address(self.within, addresses.line_id(line), span, written=written)
        return {"address": address, "cites": self.cited(line.cites), "span": line.head}

    def fitted(self, node: e.Expression | None, target: Type, what: str) -> Expression | None:
        """What is written as a value of the target type, as `fitted` has it."""
        return fitted(node, target, self.scope, what)

    def bound(self, binding: Binding, facts: Facts) -> "Here":
        """This place where the names of a binding are seen, and these facts are known of them."""
        names = {each.name: each for each in binding.variables if each is not None}
        return dataclasses.replace(self, facts=facts, each={**self.each, **names})

    def guarded(self, node: e.Expression | None) -> "Guarded":
        """The condition of a guard, and this place where it is known to hold; of none, this place."""
        guard = condition(node, self.scope) if node is not None else None
        inner = self if guard is None else self.knowing(suppose(self.facts, guard, truth=True))
        return Guarded(guard, inner, fails=node is not None and guard is None)

    def part(self, node: s.Demand | s.Option | d.Requirement, within: str) -> dict[str, Any]:
        """The id, address, title, clauses and place of a part of a line, as its program class takes them."""
        address = self.routine.address(within, node.name.text, node.name.span, written=True)
        title = node.title.text if node.title else ""
        cites = self.cited(node.cites)
        return {"id": node.name.text, "address": address, "title": title, "cites": cites, "span": node.span}

    def declared(self, node: d.Procedure | d.Event | d.Handler | d.Whenever) -> dict[str, Any]:
        """The name, title, clauses and place of the routine, and its variables, as its program class takes them."""
        return {
            "name": self.routine.name,
            "title": node.title.text if node.title else "",
            "cites": self.cited(node.cites),
            "span": node.head,
            "variables": tuple(self.routine.names.variables.all),
        }

    def error(self, code: str, span: Span, message: str, **more: object) -> None:
        """Reports an error."""
        self.routine.scope.report.error(code, span, message, **more)

    def warning(self, code: str, span: Span, message: str, **more: object) -> None:
        """Reports a warning."""
        self.routine.scope.report.warning(code, span, message, **more)

    def hint(self, code: str, span: Span, message: str, **more: object) -> None:
        """Reports a hint."""
        self.routine.scope.report.hint(code, span, message, **more)

    def local_keys(self, names: Iterable[str]) -> frozenset[str]:
        """Names of the routine in the notation of `forget`."""
        bound = self.routine.names.bound
        return frozenset(f"local/{bound[name].variable.index}" for name in names if name in bound)

    def after_writing(self, keys: frozenset[str], calls: Iterable[str] = ()) -> Facts:
        """What is known after these were written and these called, and the state has settled."""
        game = [key for key in keys if not key.startswith("local/")]
        calls = tuple(calls)
        if not game and not calls:
            return forget(self.facts, keys)
        return forget(self.facts, keys | self._told(self.routine.effects.changed(game, calls)))

    def after_setting(self, place: StoredAttribute | GameField, value: Expression | None) -> Facts:
        """What is known after a place of the game got a value, or any where none is given, and the state settled."""
        owner = place.kind if isinstance(place, StoredAttribute) else "game"
        effects, quiet = self.routine.effects, frozenset[str]()
        if isinstance(place, StoredAttribute) and value is not None:
            quiet = self._quiet(place, value)
        own = frozenset({f"{owner}/{place.name}"})
        written = own | self._told(effects.changed(own, quiet=quiet))
        after = after_setting(self.facts, place, value, written, self._told(effects.settling(own, quiet)))
        if isinstance(place, StoredAttribute) and place.name == "at":
            return emptied(self.facts, after, place, self.scope)
        return after

    def _quiet(self, place: StoredAttribute, value: Expression) -> frozenset[str]:
        """The standing rules that read what is set, where none of them applies because of the new value; else none."""
        readers, made = self.routine.effects.readers(place.name), self.routine.scope.shapes.rules
        names = [each.removeprefix("whenever ") for each in readers]
        silent = all(each in made for each in names) and all(
            stays_quiet(self.facts, made[each], place, value) for each in names
        )
        return frozenset(readers) if silent else frozenset()

    def keeping(self, place: Expression, values: tuple[Expression | None, ...], span: Span) -> None:
        """Looks whether a line that gives a place one of some values keeps what always holds; none is any value."""
        if not isinstance(place, StoredAttribute | GameField):
            return
        anything = Local(type=place.type, span=span, variable=Variable("", ANY_VALUE, place.type))
        given = tuple(each or anything for each in values)
        if self.together is not None:
            self.routine.together.extend((each, place, span) for each in broken(place, given, self.scope))
        else:
            check_kept(place, given, span, self.scope)

    def settling(self, names: Iterable[str]) -> frozenset[str]:
        """What standing rules may write after writes to attributes of these plain names, beside those themselves."""
        return self._told(self.routine.effects.settling(names))

    def _told(self, keys: frozenset[str]) -> frozenset[str]:
        """What was written, with the names that watches change where they may have been told something."""
        return keys | self.local_keys(self.routine.told) if TOLD in keys else keys

    def before_loop(self, done: Doings) -> Facts:
        """What is known before every round of a loop that does this."""
        return forget(self.facts, self.local_keys(done.names) | self.written(done))

    def written(self, done: Doings) -> frozenset[str]:
        """What such lines write beside names of the routine itself, in the notation of `forget`."""
        return self._told(self.routine.effects.written(done))


@dataclass(frozen=True, slots=True)
class Guarded:
    """A guard as it was translated, the place it guards, and whether it has an error."""

    guard: Expression | None
    inside: Here
    fails: bool


Done = tuple[typed.Statement | None, Facts | None]
"""A line, and what is known after it; without the line where it has an error."""
Translation = Callable[[s.Statement, Here], Done]


def failed(routine: Routine, report: Report, start: int) -> bool:
    """Whether a routine has an error; what only follows from a name whose line has one is taken back."""
    said = {f"`{name}` is not known here" for name in routine.broken}
    kept = [each for each in report.found[start:] if each.message not in said]
    report.found[start:] = kept
    return has_errors(kept) or bool(routine.broken)


def join(ways: Iterable[Facts | None]) -> Facts | None:
    """What is known where several ways meet; none where none of them comes here."""
    found: Facts | None = None
    for each in ways:
        if each is not None:
            found = each if found is None else merge(found, each)
    return found


def unknown(facts: Facts, variable: Variable) -> Facts:
    """What is known after a name got a value that nothing is known of."""
    return forget(facts, frozenset({f"local/{variable.index}"}))


def forgetting(name: Name, here: Here) -> Scope:
    """What a line sees that binds a name anew: nothing of the name, nor of the value it may have had."""
    scope = here.fresh_scope(name.text)
    known = here.routine.names.bound.get(name.text)
    return scope if known is None else scope.knowing(unknown(scope.facts, known.variable))
