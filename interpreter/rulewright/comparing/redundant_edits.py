"""Which declarations that are written otherwise a solver proves to play alike."""

from collections.abc import Iterator, Mapping
from typing import Any

from rulewright.comparing.edits import Correspondence
from rulewright.comparing.meaning import Forms
from rulewright.comparing.meaning.forms import ROUTINES
from rulewright.comparing.pairing import translated
from rulewright.comparing.proved_pairs import Remaining, same_ranges, uncarried
from rulewright.frozen import dataclass
from rulewright.outline.items import NAMED, Name, Within
from rulewright.program import declarations as d, statements as st
from rulewright.program.declarations import Program
from rulewright.proving.apart import LIMIT, Told, Wish
from rulewright.proving.bounds import Highest
from rulewright.proving.formulas import MISSING, library
from rulewright.proving.functions import calls
from rulewright.proving.pairing import declarations_told_apart
from rulewright.proving.reading import Revision, signature
from rulewright.roles import nodes

_MOST = 150
"""Declarations that the solver is asked about."""
_SHAPES = frozenset({"values", "word", "kind", "record", "part", "board", "relation", "die", "external"})
"""What gives other values to functions that say the same."""


@dataclass(frozen=True, slots=True)
class Open:
    """A declaration of both revisions that the solver could not show to be alike, by its old and new name."""

    old: Name
    new: Name
    because: str
    wishes: tuple[Wish, ...]


@dataclass(frozen=True, slots=True)
class Solved:
    """What a solver says of declarations that are written otherwise."""

    remaining: Remaining  # what is not proved to play alike
    proved: tuple[tuple[Name, Name], ...] = ()  # declarations that are, by their old and new names
    open: tuple[Open, ...] = ()  # those of both revisions that are not
    missing: str = ""  # what to say where there is no solver; empty where it was asked, or had nothing to say

    @property
    def wishes(self) -> tuple[Wish, ...]:
        """Situations that are worth playing, as the solver found them."""
        return tuple(wish for each in self.open for wish in each.wishes)


def solved(old: Program, new: Program, names: Correspondence, left: Remaining, limit: int = LIMIT) -> Solved:
    """Takes out of what is left all that the solver proves to come to the same in every situation.

    The same texts and the same limit give the same answer, whatever else the machine does.
    """
    pairs = tuple(_pairs(old, new, names, left))
    if not pairs or library() is None:
        return Solved(left, missing=MISSING if pairs else "")
    solver = _Solver(old, new, names, left, limit)
    proved: list[tuple[Name, Name]] = []
    open_: list[Open] = []
    for before, after in pairs[:_MOST]:
        told = solver.told(before, after)
        if told.alike:
            proved.append((before, after))
        else:
            open_.append(Open(before, after, told.because, told.wishes))
    gone = {each for pair in proved for each in pair}
    old_left, new_left = (tuple(each for each in side if _declared(each) not in gone) for side in (left.old, left.new))
    back = names.mirrored().names
    rest = Remaining(uncarried(old, old_left, names.names), uncarried(new, new_left, back), left.reordered)
    return Solved(rest, tuple(proved), tuple(open_))


def _declared(name: Name) -> Name:
    """The declaration that a name belongs to."""
    return Name("procedure", name.owner) if name.sort in {"step", "parameter"} else name


def _pairs(old: Program, new: Program, names: Correspondence, left: Remaining) -> Iterator[tuple[Name, Name]]:
    """Declarations left in both revisions that a formula may say, by their old and new names."""
    taken = names.mirrored().names
    mine = dict.fromkeys(_declared(each) for each in left.old)
    mine |= dict.fromkeys(taken[each] for each in map(_declared, left.new) if each in taken)
    for before in mine:
        after = names.names.get(before)
        if after is None or (before, after) in left.reordered:
            continue
        if after.sort == before.sort and _node(old, before) and _node(new, after):
            yield before, after


def _node(program: Program, name: Name) -> d.Declared | None:
    """A declaration that is computed or carried out."""
    if name.sort in {"function", "attribute"}:
        return program.functions.get(name.name)
    found = getattr(program, ROUTINES[name.sort]).get(name.name) if name.sort in ROUTINES else None
    return found if isinstance(found, d.Declared) else None


class _Solver:
    """Asks about declarations of two programs."""

    def __init__(self, old: Program, new: Program, names: Correspondence, left: Remaining, limit: int) -> None:
        self._names = names.names
        self._limit = limit
        back = names.mirrored()
        mine, theirs = _alike(old, new, names, left)
        self._old = Revision("old", old, names.new, lambda name: name in mine, Highest(old))
        known = frozenset(back.names)
        self._new = Revision(
            "new",
            new,
            lambda sort, name: name if Name(sort, name) in known else None,
            lambda name: name in theirs,
            Highest(new),
        )
        self._programs = old, new
        self._forms = Forms(old, names.names), Forms(new, {})
        self._lone = tuple(
            frozenset(name for name in each.functions if Name("function", name) not in held)
            | frozenset(name for name in each.procedures if Name("procedure", name) not in held)
            for each, held in ((old, names.names), (new, back.names))
        )

    def told(self, before: Name, after: Name) -> Told:
        """Whether a declaration is alike in both."""
        here, there = (
            each.ranges(name, lone) for each, name, lone in zip(self._forms, (before, after), self._lone, strict=True)
        )
        if not same_ranges(here, there, self._forms):
            return Told(alike=False, because="they perform other steps")
        old, new = (self._written(side, name) for side, name in enumerate((before, after)))
        if isinstance(old, d.Function) and isinstance(new, d.Function) and not self._bounded_alike(old, new):
            return Told(alike=False, because="names that hold its result may hold other numbers")
        same_field = self._same_field(before, after)
        return declarations_told_apart(self._old, self._new, (old, new), same_field, self._limit)

    def _written(self, side: int, name: Name) -> d.Declared:
        """A function as it is, a routine in one way of writing."""
        if name.sort in {"function", "attribute"}:
            return self._programs[side].functions[name.name]
        return self._forms[side].routine(name, self._lone[side])

    def _bounded_alike(self, old: d.Function, new: d.Function) -> bool:
        """Whether a function has results of one type, or no routine counts within bounds that come of what it calls."""
        if signature(old.type, self._old) == signature(new.type, self._new):
            return True
        old_, new_ = self._programs
        pairs = [
            (one, getattr(new_, sort).get(self._names.get(Name(word, name), Name("", "")).name))
            for word, sort in ROUTINES.items()
            for name, one in getattr(old_, sort).items()
        ]
        return all(other is None or _bounds(one) == _bounds(other) for one, other in pairs)

    def _same_field(self, before: Name, after: Name) -> Any:  # as `SameField`
        within = Within(self._old.program, before.name), Within(self._new.program, after.name)

        def same(old: Any, new: Any, name: str) -> bool | None:
            if isinstance(old, d.Step) and name == "id":
                stood = Name("step", f"{before.name}/{old.id}")
                return self._names.get(stood, stood) == Name("step", f"{after.name}/{new.id}")
            naming = NAMED.get(type(old), {}).get(name)
            if naming is None:
                return _named_alike(self._names, old, new, name)
            return translated(naming(old, within[0]), self._names) == naming(new, within[1])

        return same


def _bounds(routine: d.Declared) -> list[tuple[int | None, int | None]]:
    """The bounds of names that lines count up and down in, and of dice whose faces are computed."""
    found: list[tuple[int | None, int | None]] = []
    for each in nodes(routine):
        if isinstance(each, st.AddAmount) and isinstance(each.place, st.VariablePlace):
            found.append((each.low, each.high))
        elif isinstance(each, st.ComputedDie):
            found.append((1, each.most))
    return found


def _named_alike(names: Mapping[Name, Name], old: Any, new: Any, field: str) -> bool | None:
    """Whether declarations name the same event or the same standing rules; none for any other field."""
    sort = {(d.Handler, "event"): "event", (d.Watch, "event"): "event", (d.Hold, "rules"): "rule"}.get(
        (type(old), field)
    )
    if sort is None:
        return None
    stood, stands = getattr(old, field), getattr(new, field)
    mine, theirs = (each if isinstance(each, tuple) else (each,) for each in (stood, stands))
    return translated(tuple(Name(sort, each) for each in mine), names) == tuple(Name(sort, each) for each in theirs)


def _alike(old: Program, new: Program, names: Correspondence, left: Remaining) -> tuple[set[str], set[str]]:
    """Functions that say the same in both revisions with all that they call, by their old and by their new names."""
    altered = {*left.old, *left.new}
    if any(each.sort in _SHAPES for each in altered):
        return set(), set()
    pairs = {
        before.name: after.name
        for before, after in names.names.items()
        if before.sort in {"function", "attribute"}
        and before.name in old.functions
        and after.name in new.functions
        and before not in left.old
        and after not in left.new
    }
    called = {name: calls(old, name) | _back(calls(new, pairs[name]), pairs) for name in pairs}
    known = set(pairs)
    while lost := {name for name in known if not called[name] <= known}:
        known -= lost
    return known, {pairs[name] for name in known}


def _back(called: set[str], pairs: Mapping[str, str]) -> set[str]:
    """New functions by their old names; those without one are kept, for they are known to nobody."""
    stood = {after: before for before, after in pairs.items()}
    return {stood.get(each, f"new: {each}") for each in called}
