"""Whether any situation tells two versions of something apart, and what one should hold so that it may."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from rulewright.frozen import dataclass as frozen
from rulewright.program import types as ty
from rulewright.program.declarations import Program
from rulewright.program.expressions import Binding, Expression, Variable
from rulewright.proving.classes import Classes
from rulewright.proving.formulas import (
    MISSING,
    Answer,
    Bits,
    Group,
    Logic,
    Maybe,
    Outcome,
    RefusedError,
    Scalar,
    Symbol,
    Term,
    Truth,
    library,
)
from rulewright.proving.functions import Formulas
from rulewright.proving.reading import Common, Read, Revision
from rulewright.roles import nodes


@frozen(frozen=True, slots=True, order=True)
class Some:
    """A thing that a wish is about, by its kind and a number; another number stands for another thing."""

    kind: str
    number: int


Wished = int | bool | str | None | Some | tuple["Wished", ...]
"""A value as in state files, but for things; a set is a tuple of its members."""


@frozen(frozen=True, slots=True)
class Wish:
    """Values to look for, in the names of the new revision; what is not mentioned may be anything.

    It is no evidence of a difference: nobody has tried whether rules allow it, or whether it shows anything.
    """

    things: Mapping[Some, Mapping[str, Wished]]  # stored attributes of some things in play
    gone: tuple[Some, ...]  # things that are out of play
    pairs: Mapping[tuple[str, Some, Some], bool]  # whether a relation is stored between two things
    game: Mapping[str, Wished]  # fields of the game
    settings: Mapping[str, Wished]  # readings
    names: Mapping[str, Wished]  # parameters of a function, or names of a routine at the place the wish is about


def wish(answer: Answer, reads: Sequence[Read]) -> Wish:
    """What the solver's situation holds of what was read."""
    things: dict[Some, dict[str, Wished]] = {}
    gone: dict[Some, None] = {}
    pairs: dict[tuple[str, Some, Some], bool] = {}
    others: dict[str, dict[str, Wished]] = {"field": {}, "setting": {}, "name": {}}
    for each in reads:
        try:
            value = _value(answer, each.symbol, each.type, each.revision.program)
        except LookupError:
            continue
        if each.sort in others:
            others[each.sort][each.name.rpartition(" ")[2]] = value
        elif each.sort == "relation":
            pairs[_pair(answer, each)] = bool(value)
        else:
            kind, _, name = each.name.partition("/")
            some = Some(kind, _number(answer, each, 0))
            if each.sort == "attribute":
                things.setdefault(some, {})[name] = value
            elif value:
                gone[some] = None
    return Wish(things, tuple(gone), pairs, others["field"], others["setting"], others["name"])


def _pair(answer: Answer, read: Read) -> tuple[str, Some, Some]:
    """A relation with the two things of the situation found."""
    relation, first, second = read.name.removesuffix(" symmetric").replace(" thing ", "\n").split("\n")
    return relation, Some(first, _number(answer, read, 0)), Some(second, _number(answer, read, 1))


def _number(answer: Answer, read: Read, at: int) -> int:
    found = answer.value(read.given[at])
    assert isinstance(found, int)
    return found


def _value(answer: Answer, symbol: Symbol, type_: ty.Type, program: Program) -> Wished:
    """A value of the situation found.

    Raises:
        LookupError: a state file cannot hold such a value.
    """
    match symbol, type_:
        case Maybe(missing, value), ty.OptionalType(inner):
            return None if value is None or answer.value(missing) else _value(answer, value, inner, program)
        case Truth(term), _:
            return bool(answer.value(term))
        case Scalar(term), ty.NumberType() | ty.WordType() | ty.ThingType():
            found = answer.value(term)
            assert isinstance(found, int)
            return _told(found, type_, program)
        case Bits(low, bits), ty.SetType(item):
            return tuple(_told(low + at, item, program) for at, bit in enumerate(bits) if answer.value(bit))
        case _:
            raise LookupError


def _told(number: int, type_: ty.Type, program: Program) -> Wished:
    match type_:
        case ty.WordType(values):
            return program.values[values].words[number].name
        case ty.ThingType(kind):
            return Some(kind, number)
        case ty.FlagType():
            return bool(number)
        case _:
            return number


LIMIT = 500_000
"""Steps of the solver for one question, where nobody says how many."""
_WISHES = 4


@frozen(frozen=True, slots=True)
class Told:
    """What is known of two versions."""

    alike: bool  # whether they are proved to come to the same in every situation
    because: str = ""  # why that could not be proved; empty where it was
    wishes: tuple[Wish, ...] = ()  # situations that are worth trying, where it was not
    rows: bool = True  # whether the same rows decide and count too, as stories and scenarios tell them


@dataclass
class Question:
    """One question to the solver, with formulas of both revisions over the same symbols."""

    old: Revision
    new: Revision
    limit: int = LIMIT
    logic: Logic = field(default_factory=Logic)

    def __post_init__(self) -> None:
        self.common = Common(self.logic)
        self.classes = Classes(self.common, self.limit)
        self.sides = tuple(Formulas(self.common, each, classes=self.classes) for each in (self.old, self.new))

    def told(self, same: Term) -> Told:
        """What is known where a truth says that both come to the same."""
        self.common.facts += self.classes.sizes()
        answer = self._denied(self.logic.all(same, self._asking_alike()))
        if answer.word == "unsat":
            rows = self._rows_alike()
            return Told(alike=True, rows=self.logic.is_yes(rows) or self._denied(rows).word == "unsat")
        if answer.word == "unknown":
            return Told(alike=False, because=f"the solver gave up after {self.limit} steps")
        answers = self.classes.answers[:_WISHES] or [answer]
        made = {repr(each): each for each in (wish(one, self.common.reads) for one in answers)}
        because = "a situation may tell them apart"
        return Told(alike=False, because=because, wishes=tuple(made.values()))

    def _denied(self, truth: Term) -> Answer:
        return self.logic.asked([*self.common.facts, self.logic.opposite(truth)], self.limit)

    def _rows_alike(self) -> Term:
        """Whether the same rows decide or count."""
        first, second = (each.rows for each in self.sides)
        none = self.logic.whole(0)
        every = sorted({*first, *second})
        return self.logic.all(*(self.logic.equal(first.get(each, none), second.get(each, none)) for each in every))

    def _asking_alike(self) -> Term:
        """Whether both ask for the same values from elsewhere, in the same order."""
        first, second = (each.wanted for each in self.sides)
        if len(first) != len(second) or any(a.key != b.key for a, b in zip(first, second, strict=True)):
            raise RefusedError("they ask for other values from elsewhere, or in another order")
        equal = self.logic.equal
        return self.logic.all(
            *(equal(a.condition, b.condition) for a, b in zip(first, second, strict=True)),
            *(equal(c, e) for a, b in zip(first, second, strict=True) for c, e in zip(a.given, b.given, strict=True)),
        )

    def alike(self, first: Outcome, second: Outcome) -> Term:
        """Whether two outcomes are the same."""
        if self.sides[0].wanted and (first.fault is not None or second.fault is not None):
            raise RefusedError("a value from elsewhere may be asked for before a fault or after it")
        return self.sides[0].symbols.alike(first, second)

    def names(self, number: int, variables: Mapping[int, Variable]) -> dict[int, Symbol]:
        """Symbols for names of a routine of either revision, by their numbers there; the others are those of NEW."""
        revision = (self.old, self.new)[number]
        found = {
            index: self.common.read(revision, ("name", f"{each.index} {each.name}"), each.type)
            for index, each in variables.items()
        }
        for index in found.keys() & revision.most.keys():
            most = self.logic.whole(revision.most[index])
            match found[index]:
                case Scalar(term):
                    self.common.facts.append(self.logic.compared("<=", term, most))
                case Group() as pool:
                    self.common.facts.append(self.logic.compared("<=", self.common.size(pool), most))
        return found


def asked(question: Callable[[], Told]) -> Told:
    """The answer to a question; not proved alike, and why, if the solver is missing or something has no formula."""
    if library() is None:
        return Told(alike=False, because=MISSING)
    try:
        return question()
    except RefusedError as refused:
        return Told(alike=False, because=str(refused))


def functions_told_apart(old: Revision, new: Revision, names: tuple[str, str], limit: int = LIMIT) -> Told:
    """Whether a function, by its names in both, comes to the same for all arguments in every situation."""

    def question() -> Told:
        asking = Question(old, new, limit)
        declared = [side.revision.program.functions[name] for side, name in zip(asking.sides, names, strict=True)]
        if len(declared[0].parameters) != len(declared[1].parameters):
            raise RefusedError("they take other arguments")
        found = []
        for number, (side, each) in enumerate(zip(asking.sides, declared, strict=True)):
            pairs = zip(each.parameters, declared[1].parameters, strict=True)
            called = {own.index: Variable(other.name, other.index, own.type) for own, other in pairs}
            symbols = asking.names(number, called)
            found.append(side.function(each, [symbols[own.index] for own in each.parameters]))
        return asking.told(asking.alike(*found))

    return asked(question)


def values_told_apart(
    old: Revision,
    new: Revision,
    pair: tuple[Expression, Expression],
    names: Mapping[int, Variable],
    limit: int = LIMIT,
) -> Told:
    """Whether two expressions of two routines come to the same in every situation.

    Names lead from the numbers of names of the old routine to names of the new one that hold the same.
    """

    def question() -> Told:
        asking = Question(old, new, limit)
        found = [
            side.outcome(node, asking.names(number, shared(number, node, names)))
            for number, (side, node) in enumerate(zip(asking.sides, pair, strict=True))
        ]
        return asking.told(asking.alike(*found))

    return asked(question)


def shared(number: int, node: object, names: Mapping[int, Variable]) -> dict[int, Variable]:
    """What is mentioned of the names of a routine, by the names of the new one; 1 is the new routine."""
    every = tuple(nodes(node))
    bound = {each.index for one in every if isinstance(one, Binding) for each in one.variables if each is not None}
    mentioned = {each.index: each for each in every if isinstance(each, Variable) and each.index not in bound}
    if number:
        return mentioned
    kept = {index: each for index, each in mentioned.items() if index in names}
    return {index: Variable(names[index].name, names[index].index, each.type) for index, each in kept.items()}
