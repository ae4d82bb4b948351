"""Checking again after an edit: what each declaration came to is kept with what it read (decision 0062).

A *part* is what checking one declaration came to. It is used again where the text of its declaration, the functions it
looked into and what the routines it calls may do are as they were, and where nothing else was edited but bodies.
Places in it are moved by the lines that an edit added or took away.
"""

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from rulewright.analysis.declaration_edits import FUNCTION, STEP, Changes, Key, are_alike, changes
from rulewright.analysis.report import Report
from rulewright.analysis.symbols import Linked
from rulewright.diagnostics import Diagnostic, has_errors
from rulewright.frozen import dataclass
from rulewright.program import declarations as typed
from rulewright.roles import Role, equal
from rulewright.source import Span
from rulewright.source.moving import Inside, Move, edits, sources
from rulewright.syntax.nodes import declarations as d

if TYPE_CHECKING:
    from rulewright.analysis.effects import Effects
    from rulewright.analysis.facts import Facts
    from rulewright.analysis.promises import Call, Promise
    from rulewright.analysis.scope import Shapes

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Part:
    """What checking one declaration came to."""

    made: Any  # the declaration of the program; none where it has an error
    found: tuple[Diagnostic, ...]  # what there is to say about it
    derived: Any  # for a derived attribute what its owner knows of it
    read: frozenset[str]  # the functions it looked into
    demanded: tuple[str, ...]  # those that it had built, in order
    asked: frozenset[str]  # the routines whose doings it asked for
    granted: "tuple[tuple[str, Promise], ...]"  # what it takes for granted of its parameters
    # for a step what its procedure takes for granted because of it, in order
    grants: "tuple[tuple[str, frozenset[str], Promise], ...]"
    calls: "tuple[Call, ...]"  # its lines that perform or trigger
    promised: "tuple[Promise, ...]"  # for a function what its calls have to show
    told: tuple[tuple[str, Span, str], ...]  # warnings given of what nothing shows
    effort: int  # how many steps its proofs took
    places: list[frozenset[str]]  # the texts that it has places in, once that was asked; the same after a move

    def moved(self, move: Move) -> "Part":
        """This part with its places moved.

        Raises:
            Inside: one of them is inside of what was edited.
        """
        if not self.places:
            self.places.append(sources(self))
        return self if self.places[0].isdisjoint(move.texts) else move(self)


@dataclass(frozen=True, slots=True)
class Stand:
    """What a procedure has come to where a step begins or ends."""

    # what is known, and in the end what was known at each jump to a step; told no places (`Move`)
    facts: "tuple[Facts | None, tuple[tuple[str, Facts], ...]]"
    names: tuple[Any, ...]  # the names bound so far, the numbering and the addresses given, each with its place
    fixed: tuple[Any, ...]  # what the whole procedure says to each of its steps

    def is_as(self, other: "Stand") -> bool:
        """Whether a step that begins here comes to the same as one that begins there."""
        known, now = self.facts[0], other.facts[0]
        if (self.names, self.fixed) != (other.names, other.fixed) or known is None or now is None:
            return False
        said = (tuple(getattr(known, name).items()) == tuple(getattr(now, name).items()) for name in _BY_KEY)
        return all(said) and all(
            equal(tuple(getattr(known, name).items()), tuple(getattr(now, name).items()), Role.PLACE)
            for name in ("values", "everywhere", "either")
        )


_BY_KEY = ("truths", "ranges", "told")


@dataclasses.dataclass(slots=True, eq=False)
class _Frame:
    """A part in the making, without what is made on the way for others; marks say from where on it is its own."""

    found_from: int
    effort_from: int
    found: list[Diagnostic] = dataclasses.field(default_factory=list)
    effort: int = 0
    read: set[str] = dataclasses.field(default_factory=set)
    demanded: dict[str, None] = dataclasses.field(default_factory=dict)
    asked: set[str] = dataclasses.field(default_factory=set)

    def pause(self, shapes: "Shapes", report: Report) -> None:
        """Takes what came since the mark."""
        self.found.extend(report.found[self.found_from :])
        self.effort += shapes.effort.steps - self.effort_from
        self.resume(shapes, report)

    def resume(self, shapes: "Shapes", report: Report) -> None:
        """Puts the mark here."""
        self.found_from, self.effort_from = len(report.found), shapes.effort.steps

    def take(self, part: Part) -> None:
        """Takes over what came of a part of its own."""
        self.found.extend(part.found)
        self.effort += part.effort
        self.read |= part.read
        self.demanded |= dict.fromkeys(part.demanded)
        self.asked |= part.asked


class Looked(dict[str, _T]):
    """A dictionary by names of functions, which reports every name that is looked up."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        super().__init__()
        self._tell = tell

    def __getitem__(self, name: str) -> _T:
        """What is there."""
        self._tell(name)
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:  # as of any dictionary
        """What is there, or something else."""
        self._tell(name)
        return super().get(name, default)

    def __contains__(self, name: object) -> bool:
        """Whether anything is there."""
        self._tell(name)  # type: ignore[arg-type]
        return super().__contains__(name)


class Parts:
    """The parts of one check: those kept of an earlier one, and all that came of this one."""

    def __init__(self) -> None:
        self.kept: Mapping[Key, Part] = {}
        self.made: dict[Key, Part] = {}
        self._frames: list[_Frame] = []

    def read(self, function: str) -> None:
        """Notes that the part under way looked into a function."""
        if self._frames:
            self._frames[-1].read.add(function)

    def demanded(self, function: str) -> None:
        """Notes that the part under way needs a function to be built."""
        if self._frames:
            self._frames[-1].demanded[function] = None

    def asked(self, routine: str) -> None:
        """Notes that the part under way asked what a routine does."""
        if self._frames:
            self._frames[-1].asked.add(routine)

    def of(self, key: Key, shapes: "Shapes", report: Report, make: Callable[[], _T]) -> _T:
        """What a declaration comes to: as it was kept, else made now."""
        kept = self.kept.get(key)
        outer = self._frames[-1] if self._frames else None
        if outer is not None:
            outer.pause(shapes, report)
        if kept is not None:
            _restore(key, kept, shapes, report)
            steps = f"{key[1]}/"
            self.made.update(
                {one: part for one, part in self.kept.items() if one[0] == STEP and one[1].startswith(steps)}
            )
        else:
            kept = self._new(key, shapes, report, make)
        if outer is not None:
            outer.resume(shapes, report)
        self.made[key] = kept
        return kept.made  # type: ignore[no-any-return]

    def step(
        self, address: str, before: Stand, shapes: "Shapes", report: Report, make: Callable[[], tuple[_T, Stand]]
    ) -> tuple[_T, Stand]:
        """What a step comes to, and where it ends: as it was kept, where it began as it does now, else made now."""
        key, outer = (STEP, address), self._frames[-1]
        kept = self.kept.get(key)
        outer.pause(shapes, report)
        if kept is not None and kept.made[0].is_as(before):
            _restore(key, kept, shapes, report)
        else:
            kept = self._new(key, shapes, report, lambda: (before, *make()))
        outer.take(kept)
        outer.resume(shapes, report)
        if not has_errors(kept.found):
            self.made[key] = kept
        return kept.made[1:]  # type: ignore[no-any-return]

    def _new(self, key: Key, shapes: "Shapes", report: Report, make: Callable[[], Any]) -> Part:
        promises, name = shapes.promises, key[1]
        calls, told, grants = len(promises.calls), len(promises.told), len(promises.grants)
        begun = len(report.found)
        frame = _Frame(begun, shapes.effort.steps)
        self._frames.append(frame)
        try:
            made = make()
        finally:
            self._frames.pop()
        frame.pause(shapes, report)
        stands = {id(each) for each in report.found[begun:]}
        frame.found = [each for each in frame.found if id(each) in stands]  # a routine takes back what only follows
        owner, _, attribute = name.rpartition("/")
        return Part(
            made=made,
            found=tuple(frame.found),
            derived=shapes.derived.get(owner, {}).get(attribute),
            read=frozenset(frame.read),
            demanded=tuple(frame.demanded),
            asked=frozenset(frame.asked),
            granted=tuple(promises.entries.get(name, {}).items()) if key[0] != FUNCTION else (),
            grants=tuple(promises.grants[grants:]) if key[0] == STEP else (),
            calls=tuple(promises.calls[calls:]),
            promised=tuple(promises.functions.get(name, ())) if key[0] == FUNCTION else (),
            told=tuple(promises.told)[told:],
            effort=frame.effort,
            places=[],
        )


def _restore(key: Key, kept: Part, shapes: "Shapes", report: Report) -> None:
    """Puts a part where making it would have put it; what its calls know is judged by the functions of this check."""
    promises, (sort, name) = shapes.promises, key
    for each in kept.demanded:
        if each not in shapes.functions and each in shapes.pending:
            shapes.pending[each]()
    known: Any = {"functions": shapes.functions, "reads": shapes.reads, "effort": shapes.effort}
    report.found.extend(kept.found)
    promises.told.update(dict.fromkeys(kept.told))
    promises.calls.extend(replace(each, facts=replace(each.facts, **known)) for each in kept.calls)
    for grant in kept.grants:
        promises.grant(*grant)
    shapes.effort.spend(kept.effort)
    if sort == FUNCTION:
        if kept.promised:
            promises.functions[name] = list(kept.promised)
        if kept.derived is not None:
            owner, _, attribute = name.rpartition("/")
            shapes.derived[owner][attribute] = kept.derived
    elif kept.granted:
        promises.entries.setdefault(name, {}).update(kept.granted)
    if isinstance(kept.made, typed.Invariant):
        shapes.invariants[name] = kept.made
    if isinstance(kept.made, typed.StandingRule):
        shapes.rules[name] = kept.made


@dataclass(frozen=True, slots=True)
class Earlier:
    """A check that was made, to be used by later ones."""

    linked: Linked  # what was checked
    texts: Mapping[str, str]  # the content of every text, by its name
    parts: Mapping[Key, Part]  # what came of it
    effects: "Effects"  # what its routines do
    shapes: "Shapes"  # the types of what is declared

    def standing(self, linked: Linked, texts: Mapping[str, str]) -> "Standing | None":
        """What still stands of it after edits of the texts; nothing where what was edited may concern everything."""
        if self.texts.keys() != texts.keys():
            return None
        move = Move(edits(self.texts, texts))
        edited = changes(self.linked, linked, move)
        if edited is None:
            return None
        parts, stale = {}, set(edited.stale) | set(_edited_steps(edited, move))
        for key, part in self.parts.items():
            try:
                parts[key] = part.moved(move)
            except Inside:
                stale.add(key)
            if _is_named(key, part, edited):
                stale.add(key)
        _spread(stale, parts, edited)
        return Standing(self, {key: part for key, part in parts.items() if key not in stale}, edited, move)


def _edited_steps(edited: Changes, move: Move) -> Iterator[Key]:
    """The steps of procedures whose own lines are others."""
    for (_, name), (was, now) in edited.bodies.items():
        if isinstance(now, d.Procedure):
            for old, new in zip(was.steps, now.steps, strict=True):
                if not are_alike(old, new, move):
                    yield STEP, f"{name}/{new.name.text}"


def _is_named(key: Key, part: Part, edited: Changes) -> bool:
    """Whether a part is of a declaration that names what has another head, or tells what may be about names."""
    owner = key[1].partition("/")[0]
    return (
        owner in edited.naming
        or (bool(edited.named) and bool(part.found))
        or (key[0] == STEP and owner in edited.heads)
    )


def _spread(stale: set[Key], parts: Mapping[Key, Part], edited: Changes) -> None:
    """Adds what looked into functions that do not stand; every routine, where what all of them keep does not."""
    functions = {name for sort, name in stale if sort == FUNCTION}
    looking = set[Key]()
    size = -1
    while size != len(functions):
        size = len(functions)
        new = {key for key, part in parts.items() if key not in looking and part.read & functions}
        looking |= new
        functions.update(name for sort, name in new if sort == FUNCTION)
    stale |= looking
    if any(
        sort in _KEPT_BY_ALL and ((sort, name) not in edited.quiet or (sort, name) in looking) for sort, name in stale
    ):
        stale.update(key for key in parts if key[0] != FUNCTION)


_KEPT_BY_ALL = frozenset({"Always", "Whenever", "Event", "ExternalTerm"})


@dataclass(frozen=True, slots=True)
class Standing:
    """What still stands of an earlier check."""

    earlier: Earlier  # the check
    parts: Mapping[Key, Part]  # its parts, with their places moved
    edited: Changes  # the declarations that are others
    move: Move  # moves places of the earlier check

    def with_effects(self, effects: "Effects") -> Mapping[Key, Part]:
        """Without the parts of routines that asked for what others do, where some of those do something else now."""
        old = self.earlier.effects
        others = {name for name in self._routines(effects) if self._does_else(name, effects)}
        functions = bool(self.edited.named) or any(sort == FUNCTION for sort, _ in self.edited.bodies)
        if (functions and old.rules_read() != effects.rules_read()) or any(
            others & set(old.reached(each)) for each in old.rules()
        ):
            return {key: part for key, part in self.parts.items() if key[0] == FUNCTION}
        if not others:
            return self.parts
        return {
            key: part
            for key, part in self.parts.items()
            if not any(others & set(old.reached(each)) for each in part.asked)
        }

    def _routines(self, effects: "Effects") -> list[str]:
        names = {name for sort, name in self.edited.bodies if sort != FUNCTION} | self.edited.heads | self.edited.naming
        return [each for each in effects.routines() if each.rpartition("<")[2] in names]

    def _does_else(self, name: str, effects: "Effects") -> bool:
        was, now = self.earlier.effects.of(name), effects.of(name)
        try:
            stopped = self.move(was.stop)
        except Inside:
            return True
        before = (was.game, list(was.calls), was.removals, was.handed_over, stopped)
        return before != (now.game, list(now.calls), now.removals, now.handed_over, now.stop)
