"""Where a line stands, and the routine it stands in."""

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

from rulewright.analysis import addresses
from rulewright.analysis.clauses.cites import qualify
from rulewright.analysis.effects import TOLD, Doings, Effects
from rulewright.analysis.facts import Facts, forget, merge
from rulewright.analysis.facts.changing import after_setting, stays_quiet
from rulewright.analysis.invariants import ANY_VALUE, Open, broken, check_kept, emptied
from rulewright.analysis.report import Report
from rulewright.analysis.routines.names import Names
from rulewright.analysis.scope import Scope
from rulewright.diagnostics import Label, has_errors
from rulewright.frozen import dataclass
from rulewright.program.expressions import Expression, GameField, Local, StoredAttribute, Variable
from rulewright.program.types import Type
from rulewright.source import Span
from rulewright.syntax.nodes import declarations as d
from rulewright.syntax.nodes import statements as s
from rulewright.syntax.nodes.expressions import Cite


@dataclasses.dataclass(eq=False, repr=False)
class Routine:
    """What all lines of a routine share.

    Attributes:
        name: its address.
        sort: `procedure`, `handler`, `rule` or `watch`.
        scope: what its text can see, but for its own names.
        names: its own names.
        effects: what lines and routines may change.
        result: the type of the result it must give, or none.
        steps: the ids of its steps, by their order.
        told: names that its watches change, at any call.
        arrivals: what is known at each jump to a step, by the id of the step.
        addresses: those given so far, with the place and whether an author wrote the name.
        alike: the last number that an address was told apart by.
        broken: names whose line has an error, so that nothing more is said of them.
        astray: whether some jump leads nowhere, so that no step can be called unreachable.
        together: what lines of the `together` block under way may have broken.
    """

    name: str
    sort: str
    scope: Scope
    names: Names
    effects: Effects
    result: Type | None = None
    steps: Mapping[str, int] = dataclasses.field(default_factory=dict)
    told: frozenset[str] = frozenset()
    arrivals: dict[str, list[Facts]] = dataclasses.field(default_factory=dict)
    addresses: dict[str, tuple[Span, bool]] = dataclasses.field(default_factory=dict)
    alike: dict[str, int] = dataclasses.field(default_factory=dict)
    broken: set[str] = dataclasses.field(default_factory=set)
    astray: bool = False
    together: list[Open] = dataclasses.field(default_factory=list)

    def address(self, within: str, part: str, span: Span, *, written: bool) -> str:
        """The address of a line; ids that authors wrote must differ, others are told apart by `#2`."""
        wished = address = f"{within}/{part}"
        if written and address in self.addresses:
            first = Label(self.addresses[address][0], "the first one")
            message = f"`{part}` names two things here"
            self.scope.report.error("RW0503", span, message, help="give one another id", secondary=(first,))
        number = self.alike.get(wished, 1)
        while address in self.addresses:
            number += 1
            address = f"{wished}#{number}"
        self.alike[wished] = number
        self.addresses[address] = (span, written)
        return address


@dataclasses.dataclass(eq=False, repr=False)
class Loop:
    """A loop around: what is known where a `stop` leaves it."""

    left: list[Facts] = dataclasses.field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Here:
    """The place of a line.

    Attributes:
        routine: the routine around.
        within: the address of the step or option around.
        cites: the margin of the block around.
        facts: what is known.
        each: names bound by loops around.
        step: the number of the step around; -1 in opening lines.
        loop: the innermost loop that `stop` may leave, or none.
        together: the `together` around, or none.
        loops: how many loops stand around.
    """

    routine: Routine
    within: str
    cites: tuple[Cite, ...]
    facts: Facts
    each: Mapping[str, Variable] = dataclasses.field(default_factory=dict)
    step: int = -1
    loop: Loop | None = None
    together: Span | None = None
    loops: int = 0

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

    def cited(self, cites: tuple[Cite, ...]) -> tuple[str, ...]:
        """The clauses of a line: its own, or those of the block around."""
        return qualify(cites or self.cites, self.routine.scope.linked)

    def mark(self, line: s.Line | d.Watch) -> dict[str, Any]:
        """The address, clauses and place of a line, as its program class takes them."""
        written = getattr(line, "label", None) is not None
        span = line.label.span if isinstance(line, s.Line) and line.label else line.head
        address = self.routine.address(self.within, addresses.line_id(line), span, written=written)
        return {"address": address, "cites": self.cited(line.cites), "span": line.head}

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
        game = [key.rpartition("/")[2] for key in keys if not key.startswith("local/")]
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
        written = frozenset({f"{owner}/{place.name}"}) | self._told(effects.changed((place.name,), quiet=quiet))
        after = after_setting(self.facts, place, value, written, self._told(effects.settling((place.name,), quiet)))
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

    def _told(self, keys: frozenset[str]) -> frozenset[str]:
        """What was written, with the names that watches change where they may have been told something."""
        return keys | self.local_keys(self.routine.told) if TOLD in keys else keys

    def before_loop(self, done: Doings) -> Facts:
        """What is known before every round of a loop that does this."""
        return forget(self.facts, self.local_keys(done.names) | self.written(done))

    def written(self, done: Doings) -> frozenset[str]:
        """What such lines write beside names of the routine itself, in the notation of `forget`."""
        return self._told(self.routine.effects.written(done))


def failed(routine: Routine, report: Report, start: int) -> bool:
    """Whether a routine has an error; what only follows from a name whose line has one is taken back."""
    said = {f"`{name}` is not known here" for name in routine.broken - routine.names.bound.keys()}
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
