"""Which declarations are not equal once everything that means the same is written the same."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from rulewright.comparing.meaning import Form, Forms
from rulewright.comparing.naming import Correspondence
from rulewright.frozen import dataclass
from rulewright.outline.names import Name
from rulewright.program import expressions as ex
from rulewright.program import statements as st
from rulewright.program.declarations import Program
from rulewright.roles import nodes

_IDLE = frozenset(
    "values die kind record board attribute cell side field setting relation function external event".split()  # noqa: SIM905
)
_FUNCTIONS = frozenset({"function", "attribute"})
_ROUNDS = 6


@dataclass(frozen=True, slots=True)
class Remaining:
    """Declarations that are not proved to play alike.

    Attributes:
        old: of the old revision, altered or removed.
        new: of the new one, altered or added.
        reordered: pairs of both that stand on the other side of another, where the order counts, or of which one only
            can be begun; no proof of what they say makes these alike.
    """

    old: tuple[Name, ...]
    new: tuple[Name, ...]
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
        """The functions that one program only has."""
        taken = frozenset(self.both.values())
        mine = (each for each in self._old.declared if each not in self.both)
        theirs = (each for each in self._new.declared if each not in taken)
        return _functions(mine), _functions(theirs)

    def left(self) -> Remaining:
        """Those that are not proved alike, each once, in the order of their programs."""
        apart = self._out_of_order() | self._begun_once()
        pairs = [pair for pair in self.both.items() if pair in apart or not self.are_equal(*pair)]
        old = {each for each, _ in pairs} | {each for each in self._old.declared if each not in self.both}
        new = {each for _, each in pairs} | (self._new.declared.keys() - set(self.both.values()))
        altered = {each for pair in pairs for each in pair}
        return Remaining(
            tuple(each for each in self._old.declared if each in old and (each in altered or each.sort not in _IDLE)),
            tuple(each for each in self._new.declared if each in new and (each in altered or each.sort not in _IDLE)),
            apart,
        )

    def are_equal(self, old: Name, new: Name, *, apart: str = "") -> bool:
        """Whether two declarations are equal, if need be with what functions say in the place of their calls.

        Args:
            old: of the old program.
            new: of the new one.
            apart: what the proof may not rest on, as for `Forms.of`.
        """
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

    def _known(self, names: Collection[Name]) -> frozenset[str]:
        """The functions of the old program that bear these names in the new one."""
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
    groups = program.procedures, program.handlers, program.rules, program.functions, program.events
    found: set[Name] = set()
    for declared in (each for group in groups for each in group.values()):
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


def _functions(names: Iterator[Name]) -> frozenset[str]:
    return frozenset(each.name for each in names if each.sort in _FUNCTIONS)


def _called(form: Form) -> Mapping[Name, int]:
    """How often each function is called."""
    found: dict[Name, int] = {}
    for each in form:
        if isinstance(each, Name) and each.sort in _FUNCTIONS:
            found[each] = found.get(each, 0) + 1
    return found
