"""What goes through members: quantifiers, aggregates and comprehensions.

Where the members can be listed, each is judged. Otherwise two such expressions are equal if both go through the same
members, and no member at all comes out differently in the two.
"""

from abc import ABC
from collections.abc import Sequence
from dataclasses import dataclass, field

from rulewright.machine import codes
from rulewright.program import expressions as ex, types as ty
from rulewright.program.expressions import Binding, Expression
from rulewright.proving.classes import Classes, Counted, Member, Walk
from rulewright.proving.expressions import Expressions, GoesThrough, Names
from rulewright.proving.formulas import (
    Bits,
    Group,
    Outcome,
    Parts,
    RefusedError,
    Scalar,
    Symbol,
    Term,
    Truth,
    same_terms,
)
from rulewright.proving.reading import kin

_COUNTED = (ty.SetType, ty.ListType, ty.BagType, ty.DeckType, ty.PoolType)
"""Collections that are gone through member by member, as many times as `count` counts each."""


@dataclass
class Members(Expressions, ABC):
    """Translates expressions, those that go through members too."""

    classes: Classes = field(kw_only=True)
    _depth: int = 0

    def gone_through(self, node: GoesThrough, names: Names) -> Outcome:
        """What comes of a quantifier, aggregate or comprehension."""
        binding, value = node.binding, getattr(node, "value", None) or getattr(node, "body", None)
        source = self._source(binding, names)
        items = self.listed(source.value)
        listable = isinstance(node, ex.Quantifier | ex.Aggregate) or isinstance(node.type, ty.SetType)
        if items is not None and listable and not isinstance(node, ex.TheOnly):
            found = self._listed(node, binding, value, items, names)
            if found is not None:
                return Outcome(found.value, self.symbols.first(source.fault, found.fault))
        return self._whatever(node, binding, value, source, names)

    def _source(self, binding: Binding, names: Names) -> Outcome:
        source = binding.source
        if isinstance(source, ex.Builtin) and source.name == "poses":
            raise RefusedError("places are sought by trying")
        return self.outcome(source, names)

    def listed(self, source: Symbol) -> Sequence[tuple[Term, Symbol]] | None:
        """The members of a collection with whether each is there; none where they are not listed."""
        match source:
            case Bits(low, bits):
                return [(bit, Scalar(self.logic.whole(low + at))) for at, bit in enumerate(bits)]
            case Group(items=items):
                return items
            case _:
                return None

    def bound(self, binding: Binding, item: Symbol, names: Names) -> Names:
        """The names inside a binding, with one member."""
        parts = (item,) if len(binding.variables) == 1 else item.parts if isinstance(item, Parts) else ()
        if len(parts) != len(binding.variables):
            raise RefusedError("members are not taken apart")
        own = {
            each.index: self._typed(part, each.type)
            for each, part in zip(binding.variables, parts, strict=True)
            if each is not None
        }
        return {**names, **own}

    def _typed(self, item: Symbol, type_: ty.Type) -> Symbol:
        """A number of a set of flags, as a flag."""
        if isinstance(type_, ty.FlagType) and isinstance(item, Scalar):
            return Truth(self.logic.equal(item.term, self.logic.whole(1)))
        return item

    # Members that are listed.

    def _listed(
        self,
        node: GoesThrough,
        binding: Binding,
        value: Expression | None,
        items: Sequence[tuple[Term, Symbol]],
        names: Names,
    ) -> Outcome | None:
        members = []
        for there, item in items:
            with self.under(there):
                members.append(self._one(binding, value, item, there, names))
        if any(each.where.fault is not None or (each.value and each.value.fault is not None) for each in members):
            return None
        kept = [self.symbols.truth(each.where.value) for each in members]
        values = [each.value.value for each in members if each.value is not None]
        match node:
            case ex.Quantifier(word="some" | "no" as word):
                some = self.logic.any(*kept)
                return Outcome(Truth(some if word == "some" else self.logic.opposite(some)))
            case ex.Quantifier():
                passed = [
                    self.logic.any(self.logic.opposite(k), self.symbols.truth(v))
                    for k, v in zip(kept, values, strict=True)
                ]
                return Outcome(Truth(self.logic.all(*passed)))
            case ex.Aggregate(word=word):
                if not values:
                    values = [item for _, item in items] if word != "count" else []
                return self._aggregated(word, kept, values)
            case ex.Comprehension() if isinstance(node.type, ty.SetType):
                return self._gathered(kept, values, node)
            case _:
                return None

    def _one(self, binding: Binding, value: Expression | None, item: Symbol, there: Term, names: Names) -> Member:
        """One member: where it is not there, it is not looked at."""
        inside = self.bound(binding, item, names)
        where = Outcome(Truth(self.logic.yes)) if binding.where is None else self.outcome(binding.where, inside)
        kept = self.logic.all(there, self.symbols.truth(where.value))
        with self.under(kept):
            found = None if value is None else self.outcome(value, inside)
        here = Outcome(Truth(kept), self.symbols.only(there, where.fault))
        return Member(here, found and Outcome(found.value, self.symbols.only(kept, found.fault)))

    def _aggregated(self, word: str, kept: Sequence[Term], values: Sequence[Symbol]) -> Outcome:
        logic = self.logic
        if word == "count":
            return Outcome(Scalar(logic.sum([logic.digit(each) for each in kept])))
        numbers = [self.symbols.number(each) for each in values]
        if word == "sum":
            return Outcome(
                Scalar(logic.sum([logic.choice(k, n, logic.whole(0)) for k, n in zip(kept, numbers, strict=True)]))
            )
        found, some = logic.whole(0), logic.no
        for here, number in zip(kept, numbers, strict=True):
            better = logic.compared("<" if word == "min" else ">", number, found)
            found = logic.choice(logic.all(here, logic.any(logic.opposite(some), better)), number, found)
            some = logic.any(some, here)
        return Outcome(Scalar(found), self.symbols.fails(logic.opposite(some), codes.NOTHING_TO_COMPARE))

    def _gathered(self, kept: Sequence[Term], values: Sequence[Symbol], node: ex.Comprehension) -> Outcome | None:
        """A set of small values made of members that are listed."""
        made = self.common.opaque("nothing", self.revision, node.type)
        if not isinstance(made, Bits):
            return None
        numbers = [self.symbols.number(each) for each in values]
        bits = [
            self.logic.any(
                *(
                    self.logic.all(k, self.logic.equal(n, self.logic.whole(made.low + at)))
                    for k, n in zip(kept, numbers, strict=True)
                )
            )
            for at in range(len(made.bits))
        ]
        return Outcome(Bits(made.low, tuple(bits)))

    # Members that are not.

    def _whatever(
        self,
        node: GoesThrough,
        binding: Binding,
        value: Expression | None,
        source: Outcome,
        names: Names,
    ) -> Outcome:
        item = self._anything(binding)
        inside = self.member(item, source.value)
        wanted = len(self.wanted)
        self._depth += 1
        member = self._one(binding, value, item, self.logic.yes, names)
        member = Member(self.classes.calm(member.where), member.value and self.classes.calm(member.value))
        self._depth -= 1
        if len(self.wanted) > wanted:
            raise RefusedError("somebody may be asked for a value of every member")
        if isinstance(node, ex.Quantifier) and node.word == "every":
            member = self._against(member)
        made = self._resulting(node, source.value, inside, member, item)
        return Outcome(made.value, self.symbols.first(source.fault, made.fault))

    def _anything(self, binding: Binding) -> Symbol:
        """One member whatever of what a binding goes through."""
        types = self._types(binding)
        kinds = " ".join(kin(each, self.revision) for each in types)
        made = [
            self.common.opaque(f"member {self._depth} {at} of {kinds}", self.revision, each)
            for at, each in enumerate(types)
        ]
        return made[0] if len(made) == 1 else Parts(tuple(made))

    def _types(self, binding: Binding) -> tuple[ty.Type, ...]:
        """The types of the parts of a member; those that bear no name are looked up in what is gone through."""
        named = [None if each is None else each.type for each in binding.variables]
        source = binding.source.type
        item = (
            ty.DieType(source.face, source.part) if isinstance(source, ty.PoolType) else getattr(source, "item", None)
        )
        every = item.parts if len(named) > 1 and isinstance(item, ty.TupleType) else (item,) * len(named)
        found = tuple(own or other for own, other in zip(named, every, strict=True))
        if None in found:
            raise RefusedError("a part of every member has no name")
        return tuple(each for each in found if each is not None)

    def _against(self, member: Member) -> Member:
        """`every` fails where some member is looked at and does not hold."""
        assert member.value is not None
        where, value = member.where, member.value
        fails = self.logic.all(self.symbols.truth(where.value), self.logic.opposite(self.symbols.truth(value.value)))
        return Member(Outcome(Truth(fails), self.symbols.first(where.fault, value.fault)), None)

    def _resulting(
        self,
        node: GoesThrough,
        source: Symbol,
        inside: Term,
        member: Member,
        item: Symbol,
    ) -> Outcome:
        """What goes through members, as something of which only is known what else comes to the same."""
        logic = self.logic
        calm = member.where.fault is None and (member.value is None or member.value.fault is None)
        counted = self._count(node.binding, source, inside, member) if calm else None
        match node:
            case ex.Quantifier(word=word) if counted is not None:
                some = logic.compared(">", counted, logic.whole(0))
                return Outcome(Truth(some if word == "some" else logic.opposite(some)))
            case ex.Aggregate(word="count") if counted is not None:
                return Outcome(Scalar(counted))
        word = {"every": "no"}.get(getattr(node, "word", ""), getattr(node, "word", ""))
        told = f"{type(node).__name__} {word} {kin(node.type, self.revision)}"
        number = self._class(told, node.binding, source, inside, member)
        value = self.common.opaque(f"gone through {number}", self.revision, node.type)
        fault = None if calm else self.common.number(f"fault gone through {number}")
        if isinstance(node, ex.TheOnly | ex.Aggregate) and counted is not None:
            fault = self._lacking(node, counted)
        if isinstance(node, ex.Comprehension) and isinstance(value, Group):
            value = self._kept(node, value, member, item, source, counted)
        return Outcome(value, fault)

    def _lacking(self, node: ex.TheOnly | ex.Aggregate, counted: Term) -> Term | None:
        logic = self.logic
        match node:
            case ex.TheOnly():
                return self.symbols.fails(logic.opposite(logic.equal(counted, logic.whole(1))), codes.NOT_ONE)
            case ex.Aggregate(word="min" | "max"):
                return self.symbols.fails(logic.equal(counted, logic.whole(0)), codes.NOTHING_TO_COMPARE)
            case _:
                return None

    def _count(self, binding: Binding, source: Symbol, inside: Term, member: Member) -> Term:
        """How many members are looked at."""
        where = self.symbols.truth(member.where.value)
        countable = isinstance(source, Group) and isinstance(binding.source.type, _COUNTED)
        if isinstance(source, Group) and self.logic.is_yes(where) and (countable or source.size is not None):
            return self.common.size(source)
        number = self._class("count", binding, source, inside, Member(member.where, None))
        found = self.common.number(f"count {number}", least=0)
        if isinstance(source, Group) and countable:
            told = " ".join(kin(each, self.revision) for each in self._types(binding))
            self.classes.count(Counted(f"{self._depth} {told}", source, inside, where, found))
        return found

    def _class(self, sort: str, binding: Binding, source: Symbol, inside: Term, member: Member) -> int:
        kinds = " ".join(kin(each, self.revision) for each in self._types(binding))
        leaves = tuple(self.symbols.leaves(source))
        told = f"{sort} {self._depth} {kinds} of {' '.join(str(each.sort()) for each in leaves)}"
        return self.classes.number(
            Walk(self.revision.mark, told, leaves, inside, member, self.classes.size), self.symbols
        )

    def _kept(  # noqa: PLR0913, PLR0917
        self, node: ex.Comprehension, made: Group, member: Member, item: Symbol, source: Symbol, counted: Term | None
    ) -> Group:
        """A collection of the members themselves: what is in it, and how many."""
        assert member.value is not None
        own = same_terms(tuple(self.symbols.leaves(member.value.value)), tuple(self.symbols.leaves(item)))
        each_once = isinstance(node.type, ty.ListType) or isinstance(node.binding.source.type, ty.SetType)
        if not own or counted is None or not each_once:
            return Group(made.term, size=counted if isinstance(node.type, ty.ListType) else None)
        where, stood = self.symbols.truth(member.where.value), tuple(self.symbols.leaves(item))

        def holds(given: Symbol) -> Term:
            put = tuple(self.symbols.leaves(given))
            if len(put) != len(stood) or any(map(self.logic.is_number, stood)) or self._mentions_classes(where):
                return self.logic.symbol("contains", self.logic.truths, (made.term, *put))
            return self.logic.all(self.member(given, source), self.logic.replaced(where, stood, put))

        items = self.listed(source)
        if items is not None and not self._mentions_classes(where):
            each_there = tuple((self.logic.all(there, holds(each)), each) for there, each in items)
            return Group(made.term, each_there, holds, counted)
        return Group(made.term, holds=holds, size=counted)

    def _mentions_classes(self, term: Term) -> bool:
        """Whether something inside goes through members itself, so that it cannot be said of another member."""
        return self.logic.mentions(term, ("count ", "gone through ", "fault gone through "))

    def function_of_group(self, node: ex.Builtin, given: Outcome) -> Outcome:
        """`count`, `sum`, `min` or `max` of a collection."""
        items = self.listed(given.value)
        logic, word = self.logic, node.name
        if items is not None:
            made = self._aggregated(word, [there for there, _ in items], [each for _, each in items])
            return Outcome(made.value, self.symbols.first(given.fault, made.fault))
        if not isinstance(given.value, Group):
            raise RefusedError(f"`{word}` of what is not a collection")
        size = self.common.size(given.value)
        if word == "count":
            return Outcome(Scalar(size), given.fault)
        value = self.common.opaque(f"{word} of all", self.revision, node.type, (given.value.term,))
        empty = logic.no if word == "sum" else logic.equal(size, logic.whole(0))
        nothing = self.symbols.fails(empty, codes.NOTHING_TO_COMPARE)
        return Outcome(value, self.symbols.first(given.fault, nothing))
