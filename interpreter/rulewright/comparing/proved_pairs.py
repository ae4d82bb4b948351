"""Which declarations of two programs are not proved to play alike, because written in one way they differ."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from rulewright.comparing.edits import Correspondence
from rulewright.comparing.meaning import Form, Forms, Ranges
from rulewright.comparing.meaning.forms import ROUTINES
from rulewright.comparing.playing.points import entries
from rulewright.frozen import dataclass
from rulewright.outline.items import Name
from rulewright.program import expressions as ex, statements as st
from rulewright.program.declarations import Program
from rulewright.program.walk import routines
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
            uncarried(self._programs[0], mine, self.both.keys()), uncarried(self._programs[1], theirs, taken), apart
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
                return same_ranges(self._old.ranges(old, mine), self._new.ranges(new, theirs), (self._old, self._new))
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


def same_ranges(here: Ranges, there: Ranges, forms: tuple[Forms, Forms]) -> bool:
    """Whether two declarations perform the same ranges of steps.

    Forms call steps by their numbers once they are joined, which says nothing of a procedure that is not of one form.
    """
    before, after = forms
    back = {other: one for one, other in before.names.items()}
    performed = {procedure for procedure, _, _ in here ^ there}
    return all(
        back.get(each, each) in before.declared
        and each in after.declared
        and before.of(back.get(each, each)) == after.of(each)
        for each in performed
    )


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


def uncarried(program: Program, left: Iterable[Name], both: Collection[Name]) -> tuple[Name, ...]:
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
