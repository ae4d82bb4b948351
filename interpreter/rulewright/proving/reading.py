"""What both revisions read: the same part of the same situation is the same symbol, within the bounds of its type."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from rulewright.frozen import dataclass as frozen
from rulewright.program import types as ty
from rulewright.program.declarations import Program
from rulewright.proving.logic import Logic, Term
from rulewright.proving.symbols import Bits, Group, Maybe, Parts, RefusedError, Scalar, Sealed, Symbol, Truth

_LISTED = 16
"""Sets of values of types with at most so many are told member by member."""


@frozen(frozen=True, slots=True)
class Revision:
    """One of two revisions.

    Attributes:
        mark: a word that tells it from the other one.
        program: it.
        common: the name both revisions know something by, for its sort and its name here; none where the other
            revision does not have it. Sorts are those of `comparing.naming.Name`.
        alike: whether a function, by its name here, says the same in both revisions, with all that it calls.
    """

    mark: str
    program: Program
    common: Callable[[str, str], str | None]
    alike: Callable[[str], bool]


@frozen(frozen=True, slots=True)
class Read:
    """Something of a situation that formulas mention.

    Attributes:
        sort: `attribute`, `gone`, `relation`, `field`, `setting` or `name`.
        name: as both revisions call it; of a relation also the kinds it is between.
        type: of its values, in the revision that read it first.
        revision: that one.
        given: the thing it is an attribute of, or the two a relation is between, as terms.
        symbol: what it is.
    """

    sort: str
    name: str
    type: ty.Type
    revision: Revision
    given: tuple[Term, ...]
    symbol: Symbol


@dataclass
class Common:
    """The symbols of two revisions, with what is known of them.

    Attributes:
        facts: what holds of the symbols in every situation.
        reads: what of a situation they stand for, in the order of reading.
    """

    logic: Logic
    facts: list[Term] = field(default_factory=list)
    reads: list[Read] = field(default_factory=list)
    _made: dict[object, tuple[Sequence[Term], Symbol]] = field(default_factory=dict)
    _kinds: dict[str, str] = field(default_factory=dict)
    _texts: dict[str, int] = field(default_factory=dict)

    def text(self, written: str) -> int:
        """The number that stands for a text."""
        return self._texts.setdefault(written, len(self._texts))

    def read(self, revision: Revision, what: tuple[str, str], type_: ty.Type, given: Sequence[Term] = ()) -> Symbol:
        """Part of a situation, by sort and common name; values of another type in the other revision are refused."""
        sort, name = what
        signed = kin(type_, revision) if sort == "name" else signature(type_, revision)
        if self._kinds.setdefault(f"{sort} {name}", signed) != signed:
            message = f"`{name}` may have other values in NEW"
            raise RefusedError(message)
        known = len(self._made)
        found = self.opaque(f"{sort} {name}", revision, type_, given)
        if len(self._made) > known:
            self.reads.append(Read(sort, name, type_, revision, tuple(given), found))
        return found

    def opaque(self, key: str, revision: Revision, type_: ty.Type, given: Sequence[Term] = ()) -> Symbol:
        """The value of something known by a key and what it is given; equal for equal ones."""
        signed = f"{key} : {kin(type_, revision)}"
        place = (signed, tuple(each.get_id() for each in given))
        if place not in self._made:
            made = _Maker(self, revision, signed, given).of(type_, "")
            self._made[place] = (tuple(given), made)
        return self._made[place][1]

    def number(self, key: str, given: Sequence[Term] = (), *, least: int | None = None) -> Term:
        """A whole number known by a key."""
        term = self.logic.symbol(key, self.logic.wholes, given)
        if least is not None:
            self.facts.append(term >= least)
        return term


@dataclass
class _Maker:
    common: Common
    revision: Revision
    key: str
    given: Sequence[Term]

    def of(self, type_: ty.Type, at: str) -> Symbol:  # noqa: C901, PLR0911, PLR0912 - one case for each sort
        logic, program = self.common.logic, self.revision.program
        match type_:
            case ty.NumberType(low, high):
                return self._number(at, low, high)
            case ty.FractionType() | ty.InchesType() | ty.PlaneType("angle"):
                return Scalar(self._term(at, logic.exacts))
            case ty.FlagType():
                return Truth(self._term(at, logic.truths))
            case ty.WordType(values):
                return self._number(at, 0, len(program.values[values].words) - 1)
            case ty.DirectionType():
                return self._number(at, 0, type_.count - 1)
            case ty.ThingType() | ty.TextType():
                return self._number(at, 0, None)
            case ty.CellType():
                return Parts((self._number(f"{at}.q", None, None), self._number(f"{at}.r", None, None)))
            case ty.RecordType(record):
                parts = program.records[record].parts
                return Parts(tuple(self.of(each.type, f"{at}.{number}") for number, each in enumerate(parts)))
            case ty.TupleType(parts):
                return Parts(tuple(self.of(each, f"{at}.{number}") for number, each in enumerate(parts)))
            case ty.OptionalType(inner):
                return Maybe(self._term(f"{at}?", logic.truths), self.of(inner, at))
            case ty.NoneType():
                return Maybe(logic.yes, None)
            case ty.SetType(item) if (span := listed(item, program)) is not None:
                return Bits(span.start, tuple(self._term(f"{at}[{each}]", logic.truths) for each in span))
            case ty.SetType() | ty.ListType() | ty.BagType() | ty.DeckType() | ty.MapType() | ty.PoolType():
                return Group(self._term(at, logic.sort(kin(type_, self.revision))))
            case _:
                return Sealed(self._term(at, logic.sort(kin(type_, self.revision))))

    def _term(self, at: str, sort: object) -> Term:
        return self.common.logic.symbol(f"{self.key}{at}", sort, self.given)

    def _number(self, at: str, low: int | None, high: int | None) -> Scalar:
        term = self._term(at, self.common.logic.wholes)
        self.common.facts += [term >= low] if low is not None else []
        self.common.facts += [term <= high] if high is not None else []
        return Scalar(term)


def listed(item: ty.Type, program: Program) -> range | None:
    """The numbers of all values of a small type; none where there are too many."""
    match item:
        case ty.WordType(values):
            found = range(len(program.values[values].words))
        case ty.FlagType():
            found = range(2)
        case ty.NumberType(int() as low, int() as high):
            found = range(low, high + 1)
        case ty.DirectionType():
            found = range(item.count)
        case _:
            return None
    return found if len(found) <= _LISTED else None


def signature(type_: ty.Type, revision: Revision) -> str:  # noqa: PLR0911 - one case for each sort
    """A type in the names of both revisions; equal only for types of the same values."""

    def name(sort: str, here: str) -> str:
        return common_name(revision, sort, here)

    match type_:
        case ty.ThingType(kind):
            return f"thing {name('kind', kind)}"
        case ty.WordType(values):
            words = revision.program.values[values].words
            return f"{name('values', values)}[{' '.join(name('word', f'{values}/{each.name}') for each in words)}]"
        case ty.RecordType(record):
            parts = revision.program.records[record].parts
            inside = (f"{name('part', f'{record}/{each.name}')}:{signature(each.type, revision)}" for each in parts)
            return f"{name('record', record)}({', '.join(inside)})"
        case ty.OptionalType(inner):
            return f"{signature(inner, revision)}?"
        case ty.SetType(item) | ty.ListType(item) | ty.BagType(item) | ty.DeckType(item):
            return f"{type(type_).__name__} of {signature(item, revision)}"
        case ty.MapType(key, value):
            return f"map {signature(key, revision)} to {signature(value, revision)}"
        case ty.TupleType(parts):
            return f"({', '.join(signature(each, revision) for each in parts)})"
        case ty.DieType(face, tag) | ty.PoolType(face, tag):
            tagged = "" if tag is None else f" tagged {signature(tag, revision)}"
            return f"{type(type_).__name__} of {signature(face, revision)}{tagged}"
        case _:
            return repr(type_)


def kin(type_: ty.Type, revision: Revision) -> str:  # noqa: PLR0911 - one case for each sort
    """A type in the names of both revisions, whatever the bounds of its numbers; small sets keep theirs."""
    match type_:
        case ty.NumberType():
            return "number"
        case ty.SetType(item) if listed(item, revision.program) is not None:
            return signature(type_, revision)
        case ty.OptionalType(inner):
            return f"{kin(inner, revision)}?"
        case ty.SetType(item) | ty.ListType(item) | ty.BagType(item) | ty.DeckType(item):
            return f"{type(type_).__name__} of {kin(item, revision)}"
        case ty.MapType(key, value):
            return f"map {kin(key, revision)} to {kin(value, revision)}"
        case ty.TupleType(parts):
            return f"({', '.join(kin(each, revision) for each in parts)})"
        case _:
            return signature(type_, revision)


def common_name(revision: Revision, sort: str, name: str) -> str:
    """The name both revisions know something by; one that nothing else bears where the other does not have it."""
    found = revision.common(sort, name)
    return f"{revision.mark}: {name}" if found is None else found
