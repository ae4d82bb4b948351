"""Which expressions over members come to the same, and what is known of how many members there are."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product

from rulewright.proving.formulas import Answer, Group, Outcome, Symbols, Term, same_terms
from rulewright.proving.reading import Common

_QUESTIONS = 40
_CONDITIONS = 4
"""So many conditions on the members of one collection are told from each other."""


@dataclass(frozen=True)
class Member:
    """Any one member: whether `where` takes it, and the value that it brings."""

    where: Outcome
    value: Outcome | None


@dataclass
class Walk:
    """An expression over members, with the terms of what it goes through and of any one member."""

    mark: str
    sort: str
    source: tuple[Term, ...]
    inside: Term
    member: Member
    number: int


@dataclass(frozen=True)
class Counted:
    """Members of a collection that are counted: those of which a condition holds."""

    told: str  # what tells the sorts of collections and members
    group: Group
    inside: Term  # whether any one member is in the collection
    where: Term  # whether the condition holds of it
    number: Term  # how many there are


@dataclass
class Classes:
    """Which expressions over members are known to be equal."""

    common: Common
    limit: int  # steps of the solver for each question
    most: int = _QUESTIONS  # questions
    # situations in which a member comes out differently in the two revisions; they prove nothing, but are worth playing
    answers: list[Answer] = field(default_factory=list)
    _known: list[Walk] = field(default_factory=list)
    _counted: list[Counted] = field(default_factory=list)
    _asked: int = 0

    def __post_init__(self) -> None:
        self.logic, self.facts = self.common.logic, self.common.facts

    def number(self, made: Walk, symbols: Symbols) -> int:
        """The number of the first expression that is known to equal this one, else its own."""
        for each in self._known:
            if each.sort == made.sort and self._same(each, made, symbols):
                return each.number
        self._known.append(made)
        return made.number

    @property
    def size(self) -> int:
        """How many classes there are."""
        return len(self._known)

    def count(self, made: Counted) -> None:
        """Notes members that are counted."""
        if not any(made.number.eq(each.number) for each in self._counted):
            self._counted.append(made)

    def sizes(self) -> list[Term]:
        """What is known of how many members of one collection meet which conditions.

        Each member is in just one of the cells that the conditions cut: it meets some and not the others. So each count
        is the sum of the cells inside its condition, and the size of the collection the sum of all. A cell is a whole
        number from 0, and it is 0 where the solver proves that no member at all, in any situation, can be in it.
        """
        rows: list[list[Counted]] = []
        for each in self._counted:
            same = (row for row in rows if row[0].told == each.told and row[0].group.term.eq(each.group.term))
            row = next(same, None)
            if row is None:
                rows.append([each])
            else:
                row.append(each)
        return [fact for number, row in enumerate(rows) for fact in self._cells(row[:_CONDITIONS], number)]

    def calm(self, found: Outcome) -> Outcome:
        """An outcome without its fault where the solver proves that no situation meets it."""
        if found.fault is None or not self._never(
            self.logic.opposite(self.logic.equal(found.fault, self.logic.whole(0)))
        ):
            return found
        return Outcome(found.value)

    def _never(self, *truths: Term) -> bool:
        """Whether the solver proves that no situation has all of some truths, as long as it may be asked."""
        if self._asked >= self.most:
            return False
        self._asked += 1
        return self.logic.asked([*self.facts, *truths], self.limit).word == "unsat"

    def _cells(self, row: Sequence[Counted], number: int) -> list[Term]:
        logic, cells, facts = self.logic, [], []
        for met in product((True, False), repeat=len(row)):
            holds = [each.where if yes else logic.opposite(each.where) for each, yes in zip(row, met, strict=True)]
            inside = logic.any(*(each.inside for each in row))
            empty = len(row) > 1 and self._never(inside, *holds)
            cell = logic.whole(0) if empty else self.common.number(f"cell {number} {met}", least=0)
            cells.append((met, cell))
        for at, each in enumerate(row):
            facts.append(logic.equal(each.number, logic.sum([cell for met, cell in cells if met[at]])))
        size = self.common.size(row[0].group)
        return [*facts, logic.equal(size, logic.sum([cell for _, cell in cells]))]

    def _same(self, one: Walk, other: Walk, symbols: Symbols) -> bool:
        if same_terms(_terms(one, symbols), _terms(other, symbols)):
            return True
        if self._asked >= self.most or len(one.source) != len(other.source):
            return False
        self._asked += 1
        same = self.logic.all(*(self.logic.equal(a, b) for a, b in zip(one.source, other.source, strict=True)))
        answer = self.logic.asked(
            [*self.facts, self.logic.opposite(self.logic.all(same, self._alike(one, other, symbols)))], self.limit
        )
        if answer.word == "sat" and one.mark != other.mark and same_terms(one.source, other.source):
            self.answers.append(answer)
        return answer.word == "unsat"

    def _alike(self, one: Walk, other: Walk, symbols: Symbols) -> Term:
        """Whether a member comes out alike in both."""
        logic = self.logic
        tests = symbols.alike(one.member.where, other.member.where)
        kept = logic.all(
            symbols.truth(one.member.where.value),
            logic.equal(symbols.fault(one.member.where.fault), logic.whole(0)),
        )
        first, second = one.member.value, other.member.value
        values = logic.yes if first is None or second is None else symbols.alike(first, second)
        inside = logic.any(one.inside, other.inside)
        return logic.any(logic.opposite(inside), logic.all(tests, logic.any(logic.opposite(kept), values)))


def _terms(made: Walk, symbols: Symbols) -> tuple[Term, ...]:
    outcomes = [made.member.where, *([made.member.value] if made.member.value else [])]
    inside = [leaf for each in outcomes for leaf in (*symbols.leaves(each.value), symbols.fault(each.fault))]
    return (*made.source, *inside)
