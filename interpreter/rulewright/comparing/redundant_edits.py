"""Which declarations are not proved to play alike: written in one way they differ, and a solver cannot tell."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from rulewright.comparing.edits import Correspondence
from rulewright.comparing.meaning import Form, Forms
from rulewright.comparing.meaning.forms import ROUTINES
from rulewright.comparing.pairing import translated
from rulewright.comparing.playing.points import entries
from rulewright.frozen import dataclass
from rulewright.outline.items import NAMED, Name, Within
from rulewright.program import declarations as d
from rulewright.program import expressions as ex
from rulewright.program import statements as st
from rulewright.program.declarations import Program
from rulewright.program.walk import routines
from rulewright.proving.apart import LIMIT, Told, Wish
from rulewright.proving.formulas import MISSING, library
from rulewright.proving.functions import calls
from rulewright.proving.pairing import declarations_told_apart
from rulewright.proving.reading import Revision, signature
from rulewright.roles import nodes

_IDLE = frozenset(
    "values die kind record board attribute cell side field setting relation function external event".split()  # noqa: SIM905
)
_CALLED = frozenset({"function", "attribute", "procedure"})
_ROUNDS = 6


@dataclass(frozen=True, slots=True)
class Remaining:
    """Declarations that are not proved to play alike."""

    old: tuple[Name, ...]  # of the old revision, altered or removed
    new: tuple[Name, ...]  # of the new one, altered or added
    # pairs of both that stand on the other side of another, where the order counts, or of which one only can be begun;
    # no proof of what they say makes these alike
    reordered: frozenset[tuple[Name, Name]] = frozenset()


class Pairs:
    """The declarations of two programs, side by side.

    Attributes:
        both: those that both have, by their old names.
        same: names that stand for each other, but for those that rules read as texts.
    """

    def __init__(self, old: Program, new: Program, same: Correspondence) -> None:
        options = {Name("option", before): Name("option", after) for before, after in same.addresses.items()}
        self._programs = old, new
        read = _read(old) | _read(new)

        def trusted(names: Mapping[Name, Name]) -> dict[Name, Name]:
            known = names.items()
            return {one: other for one, other in known if one.last == other.last or not {one, other} & read}

        self.same = replace(same, names=trusted(same.names))
        self._old, self._new = Forms(old, trusted({**options, **same.names})), Forms(new, {})
        there = self._new.declared
        self.both = {name: to for name in self._old.declared if (to := self._old.names.get(name, name)) in there}

    @cached_property
    def _lone(self) -> tuple[frozenset[str], frozenset[str]]:
        """The functions and procedures that one program only has."""
        taken = frozenset(self.both.values())
        mine = (each for each in self._old.declared if each not in self.both)
        theirs = (each for each in self._new.declared if each not in taken)
        return _called_names(mine), _called_names(theirs)

    def left(self) -> Remaining:
        """The declarations that are not proved alike, each once, in the order of their programs."""
        apart = self._out_of_order() | self._begun_once()
        pairs = [pair for pair in self.both.items() if pair in apart or not self.are_equal(*pair)]
        old = {each for each, _ in pairs} | {each for each in self._old.declared if each not in self.both}
        new = {each for _, each in pairs} | (self._new.declared.keys() - set(self.both.values()))
        altered = {each for pair in pairs for each in pair}
        mine, theirs = (
            tuple(each for each in declared if each in found and (each in altered or each.sort not in _IDLE))
            for declared, found in ((self._old.declared, old), (self._new.declared, new))
        )
        taken = frozenset(self.both.values())
        return Remaining(
            _uncarried(self._programs[0], mine, self.both.keys()), _uncarried(self._programs[1], theirs, taken), apart
        )

    def are_equal(self, old: Name, new: Name, *, apart: str = "") -> bool:
        """Whether two declarations are equal, if need be with what functions say in the place of their calls.

        Args:
            old: of the old program.
            new: of the new one.
            apart: what the proof may not rest on, as for `Forms.of`.
        """
        if self._says_the_same(old, new):
            return True
        mine, theirs = self._lone
        for _ in range(_ROUNDS):
            before, after = self._old.of(old, mine, apart=apart), self._new.of(new, theirs, apart=apart)
            if before == after:
                return True
            calls = _called(before), _called(after)
            more = {each for each in calls[0].keys() | calls[1].keys() if calls[0].get(each) != calls[1].get(each)}
            spelled = mine | self._known(more), theirs | {each.name for each in more}
            if spelled == (mine, theirs):
                return False
            mine, theirs = spelled
        return False

    def _says_the_same(self, old: Name, new: Name) -> bool:
        """Whether two declarations are word for word the same, and all that they mention is called as before."""
        before = self._old.written(old)
        return old == new and before == self._new.written(new) and self._moved.isdisjoint(before)

    @cached_property
    def _moved(self) -> frozenset[object]:
        """The names that stand for another."""
        return frozenset(one for one, other in self._old.names.items() if one != other)

    def _known(self, names: Collection[Name]) -> frozenset[str]:
        """What in the old program bears these names in the new one."""
        return frozenset(old.name for old, new in self.both.items() if new in names)

    def _begun_once(self) -> frozenset[tuple[Name, Name]]:
        """Pairs of procedures of which one is inner, so that only the other can be begun."""
        old, new = (each.procedures for each in self._programs)
        both = ((one, other) for one, other in self.both.items() if one.sort == "procedure")
        return frozenset(pair for pair in both if old[pair[0].name].inner is not new[pair[1].name].inner)

    def _out_of_order(self) -> frozenset[tuple[Name, Name]]:
        """Pairs of which the order counts, and another pair stands on the other side of them now."""
        found: set[tuple[Name, Name]] = set()
        places = {
            name: (group, place) for group, names in enumerate(self._new.orders) for place, name in enumerate(names)
        }
        for names in self._old.orders:
            known = [(each, self.both[each]) for each in names if self.both.get(each) in places]
            for number, pair in enumerate(known):
                for other in known[:number]:
                    if places[pair[1]][0] == places[other[1]][0] and places[pair[1]] < places[other[1]]:
                        found |= {pair, other}
        return frozenset(found)


def _read(program: Program) -> set[Name]:
    """Options and dice whose names rules hold against a text, so that another name does not mean the same."""
    found: set[Name] = set()
    for declared in (*routines(program), *program.functions.values(), *program.events.values()):
        inside = list(nodes(declared))
        asked = [(each, each.variable) for each in inside if isinstance(each, st.Ask)]
        asked += [(each.question, each.answers) for each in inside if isinstance(each, st.AskAll)]
        for ask, answer in asked:
            options = ask.shape.options if isinstance(ask.shape, st.Choose) else ()
            texts = _texts(inside, answer)
            found |= {Name("option", each.address) for each in options if texts is None or each.id in texts}
        if any(isinstance(each, ex.DieAttribute) and each.name == "name" for each in inside):
            found |= {Name("die", each) for each in program.dice}
    return found


def _texts(inside: list[Any], answer: ex.Variable) -> set[object] | None:
    """The texts that an answer is held against; none where it is read in another way as well."""
    reads = sum(isinstance(each, ex.Local) and each.variable == answer for each in inside)
    found = [
        each.right.value
        for each in inside
        if isinstance(each, ex.Comparison) and isinstance(each.left, ex.Local) and isinstance(each.right, ex.Literal)
        if each.left.variable == answer
    ]
    return set(found) if len(found) == reads else None


def _uncarried(program: Program, left: Iterable[Name], both: Collection[Name]) -> tuple[Name, ...]:
    """What is left of one program without the procedures that it alone has, if only what is proved leads to them.

    The proof of what performs such a procedure holds its lines; one that plays begin with is left.
    """
    found = tuple(left)
    if not any(each.sort == "procedure" and each not in both for each in found):
        return found
    begun = entries(program)
    performers: dict[str, set[Name]] = {}
    for word, sort in ROUTINES.items():
        for name, routine in getattr(program, sort).items():
            for each in nodes(routine):
                if isinstance(each, st.Perform):
                    performers.setdefault(each.procedure, set()).add(Name(word, name))

    def stays(name: Name) -> bool:
        alone = name.sort == "procedure" and name not in both and name.name not in begun
        return not alone or not performers.get(name.name, set()).isdisjoint(found)

    while len(kept := tuple(filter(stays, found))) < len(found):
        found = kept
    return found


def _called_names(names: Iterator[Name]) -> frozenset[str]:
    return frozenset(each.name for each in names if each.sort in _CALLED)


def _called(form: Form) -> Mapping[Name, int]:
    """How often each function and procedure is called."""
    found: dict[Name, int] = {}
    for each in form:
        if isinstance(each, Name) and each.sort in _CALLED:
            found[each] = found.get(each, 0) + 1
    return found


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
    rest = Remaining(_uncarried(old, old_left, names.names), _uncarried(new, new_left, back), left.reordered)
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
        self._old = Revision("old", old, names.new, lambda name: name in mine)
        known = frozenset(back.names)
        self._new = Revision(
            "new", new, lambda sort, name: name if Name(sort, name) in known else None, lambda name: name in theirs
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

    def _same_field(self, before: Name, after: Name) -> Any:  # noqa: ANN401 - as `SameField`
        within = Within(self._old.program, before.name), Within(self._new.program, after.name)

        def same(old: Any, new: Any, name: str) -> bool | None:  # noqa: ANN401
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


def _named_alike(names: Mapping[Name, Name], old: Any, new: Any, field: str) -> bool | None:  # noqa: ANN401
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
