"""What both revisions read: the same part of the same situation is the same symbol, or only known to be the same."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from rulewright.frozen import dataclass as frozen
from rulewright.program import expressions as ex, types as ty
from rulewright.program.declarations import Declared, Program
from rulewright.program.effects import Footprint
from rulewright.program.expressions import Expression
from rulewright.program.types import present
from rulewright.proving.bounds import Highest
from rulewright.proving.formulas import (
    Bits,
    Group,
    Logic,
    Maybe,
    Outcome,
    Parts,
    RefusedError,
    Scalar,
    Sealed,
    Symbol,
    Symbols,
    Term,
    Truth,
)

_LISTED = 16
"""Sets of values of types with at most so many are told member by member."""


@frozen(frozen=True, slots=True)
class Revision:
    """One of two revisions."""

    mark: str  # a word that tells it from the other one
    program: Program
    # the name both revisions know something by, for its sort and its name here; none where the other revision does not
    # have it. Sorts are those of `comparing.naming.Name`
    common: Callable[[str, str], str | None]
    # whether a function, by its name here, says the same in both revisions, with all that it calls
    alike: Callable[[str], bool]
    highest: Highest  # how many dice names hold, and how high numbers of them can be
    # of the names of the declaration asked about, by their numbers: how many dice or how high, at most
    most: Mapping[int, int] = field(default_factory=dict)

    def about(self, declared: Declared) -> "Revision":
        """This revision where it is asked about a declaration."""
        return replace(self, most=self.highest.of(declared))


@frozen(frozen=True, slots=True)
class Read:
    """Something of a situation that formulas mention."""

    sort: str  # `attribute`, `gone`, `relation`, `field`, `setting` or `name`
    name: str  # as both revisions call it; of a relation also the kinds it is between
    type: ty.Type  # of its values, in the revision that read it first
    revision: Revision  # that one
    given: tuple[Term, ...]  # the thing it is an attribute of, or the two a relation is between, as terms
    symbol: Symbol  # what it is


@dataclass
class Common:
    """The symbols of two revisions, with what is known of them."""

    logic: Logic
    facts: list[Term] = field(default_factory=list)  # what holds of the symbols in every situation
    reads: list[Read] = field(default_factory=list)  # what of a situation they stand for, in the order of reading
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
            raise RefusedError(f"`{name}` may have other values in NEW")
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

    def size(self, group: Group) -> Term:
        """How many members a collection has."""
        return self.number("size", (group.term,), least=0) if group.size is None else group.size

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
                number = self._number(at, low, high)
                self.common.facts += [shown_by_pairs(number.term, logic)] if type_.paired else []
                return number
            case ty.FractionType() | ty.LengthType() | ty.PlaneType("angle"):
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


def shown_by_pairs(number: Term, logic: Logic) -> Term:
    """Whether a number is one that a `d66` shows."""
    runs = ((tens + 1, tens + 6) for tens in range(10, 70, 10))
    return logic.any(
        *(
            logic.all(logic.compared(">=", number, logic.whole(low)), logic.compared("<=", number, logic.whole(high)))
            for low, high in runs
        )
    )


def listed(item: ty.Type, program: Program) -> range | None:
    """The numbers of all values of a small type; none where there are too many."""
    match item:
        case ty.WordType(values):
            found = range(len(program.values[values].words))
        case ty.FlagType():
            found = range(2)
        case ty.NumberType(int() as low, int() as high, paired=False):
            found = range(low, high + 1)
        case ty.DirectionType():
            found = range(item.count)
        case _:
            return None
    return found if len(found) <= _LISTED else None


def signature(type_: ty.Type, revision: Revision) -> str:
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
        case ty.DieType(face, part) | ty.PoolType(face, part):
            called = "" if part is None else f" of {signature(part, revision)}"
            return f"{type(type_).__name__} of {signature(face, revision)}{called}"
        case _:
            return _made_of(type_, lambda each: signature(each, revision)) or repr(type_)


def kin(type_: ty.Type, revision: Revision) -> str:
    """A type in the names of both revisions, whatever the bounds of its numbers; small sets keep theirs."""
    match type_:
        case ty.NumberType():
            return "number"
        case ty.SetType(item) if listed(item, revision.program) is not None:
            return signature(type_, revision)
        case _:
            return _made_of(type_, lambda each: kin(each, revision)) or signature(type_, revision)


def _made_of(type_: ty.Type, said: Callable[[ty.Type], str]) -> str:
    """A type that is made of others, each of them as it is said; empty for any other type."""
    match type_:
        case ty.OptionalType(inner):
            return f"{said(inner)}?"
        case ty.SetType(item) | ty.ListType(item) | ty.BagType(item) | ty.DeckType(item):
            return f"{type(type_).__name__} of {said(item)}"
        case ty.MapType(key, value):
            return f"map {said(key)} to {said(value)}"
        case ty.TupleType(parts):
            return f"({', '.join(map(said, parts))})"
        case _:
            return ""


def common_name(revision: Revision, sort: str, name: str) -> str:
    """The name both revisions know something by; one that nothing else bears where the other does not have it."""
    found = revision.common(sort, name)
    return f"{revision.mark}: {name}" if found is None else found


_STEADY = (
    ex.Removed, ex.BoardCells, ex.CellAttribute, ex.SideAttribute, ex.DieAttribute, ex.MakeCollection, ex.Interval,
    ex.Joined, ex.PlaneAttribute, ex.Rounded,
)  # fmt: skip
_STEADY_FUNCTIONS = frozenset(
    "neighbours occupants rear_hexes directions pairs starting_with sorted total highest_face point contact touches "  # noqa: SIM905 - reads best
    "overlaps crosses aboard in_arc sees fits".split()
)
"""Never a fault but for limits, which are not play."""


@dataclass
class Wanted:
    """A value that somebody may be asked for on the way: under which condition, of what, for what arguments."""

    condition: Term
    key: str
    given: tuple[Term, ...]


@dataclass
class Sealing:
    """What formulas of one revision are made of."""

    common: Common  # the symbols of both revisions
    revision: Revision  # the one translated
    wanted: list[Wanted] = field(default_factory=list)  # what has to be asked for elsewhere, in order
    # new values of stored places, by their common names, of lines carried out before; each with the thing it is an
    # attribute of, or none for a field of the game
    changed: dict[str, list[tuple[Term | None, Symbol]]] = field(default_factory=dict)
    _path: list[Term] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.logic = self.common.logic
        self.symbols = Symbols(self.logic)
        self._footprint = Footprint(self.revision.program)

    @contextmanager
    def under(self, condition: Term) -> Iterator[None]:
        """While what is translated is only computed under a condition."""
        self._path.append(condition)
        yield
        self._path.pop()

    def name(self, sort: str, name: str) -> str:
        """What both revisions call something."""
        return common_name(self.revision, sort, name)

    def first(self, found: Sequence[Outcome]) -> Term | None:
        """The first fault of some outcomes that are met in turn."""
        return self.symbols.first(*(each.fault for each in found))

    def stored(self, sort: str, name: str, type_: ty.Type, thing: Term | None) -> Symbol:
        """A stored value by now, of a thing or of the game."""
        return self.by_now(self.name(sort, name), self.begun(sort, name, type_, thing), thing)

    def begun(self, sort: str, name: str, type_: ty.Type, thing: Term | None) -> Symbol:
        """A stored value before any line."""
        declared = self._declared(sort, name) or type_
        given = () if thing is None else (thing,)
        return self.common.read(self.revision, (sort, self.name(sort, name)), declared, given)

    def by_now(self, common: str, begun: Symbol, thing: Term | None) -> Symbol:
        """What lines have made of a stored value."""
        found = begun
        for target, value in self.changed.get(common, []):
            same = self.logic.yes if target is None or thing is None else self.logic.equal(target, thing)
            found = self.symbols.choice(same, value, found)
        return found

    def _declared(self, sort: str, name: str) -> ty.Type | None:
        program = self.revision.program
        if sort == "field":
            return program.game[name].type
        owner, _, own = name.partition("/")
        return next((each.type for each in program.kinds[owner].fields if each.name == own), None)

    def gone(self, type_: ty.Type, thing: Symbol) -> Term:
        """Whether a thing is out of play."""
        inner = present(type_)
        if not isinstance(inner, ty.ThingType):
            raise RefusedError("something that is not a thing is out of play")
        given = (self.symbols.number(thing),)
        kind = self.name("kind", inner.kind)
        return self.symbols.truth(self.common.read(self.revision, ("gone", kind), ty.FLAG, given))

    def want(self, key: str, given: tuple[Term, ...]) -> None:
        """Notes that somebody may be asked here."""
        self.wanted.append(Wanted(self.logic.all(*self._path), key, given))

    def sealed(self, node: Expression, found: Sequence[Outcome]) -> Outcome:
        """A value of which only this is known: it is the same for the same arguments in the same situation."""
        self._check_unchanged(node)
        key = self._key(node)
        given = tuple(leaf for each in found for leaf in self.symbols.leaves(each.value))
        value = self.common.opaque(key, self.revision, node.type, given)
        steady = isinstance(node, _STEADY) or (isinstance(node, ex.Builtin) and node.name in _STEADY_FUNCTIONS)
        own = None if steady else self.common.number(f"{key} fault", given)
        return Outcome(value, self.symbols.first(self.first(found), own))

    def _check_unchanged(self, node: Expression) -> None:
        """Refuses what reads something that lines before it have changed."""
        if self.changed and any(self._place_of(each) in self.changed for each in self._footprint.reads(node)):
            raise RefusedError("it reads what lines before it change")

    def _place_of(self, place: str) -> str:
        owner, _, name = place.partition("/")
        return self.name("field", name) if owner == "game" else self.name("attribute", place)

    def _key(self, node: Expression) -> str:  # noqa: C901, PLR0911, PLR0912 - one case for each class
        """What tells two values apart that are given the same."""
        name = self.name
        told = type(node).__name__
        match node:
            case ex.Removed(kind=kind):
                return f"{told} {name('kind', kind)}"
            case ex.BoardCells(board=board):
                return f"{told} {name('board', board)}"
            case ex.CellAttribute(board=board, name=own):
                return f"{told} {name('cell', f'{board}/{own}')}"
            case ex.SideAttribute(board=board, name=own):
                return f"{told} {name('side', f'{board}/{own}')}"
            case ex.DieAttribute(name=own):
                return f"{told} {'natural' if own == 'face' else own}"
            case ex.MakeCollection(items=items):
                return f"{told} {type(node.type).__name__} {len(items)}"
            case ex.PlaneAttribute(name=own, kind=kind):
                return f"{told} {own} {name('kind', kind) if kind else ''}"
            case ex.Rounded():
                return f"{told} {kin(node.type, self.revision)}"
            case ex.Entry(target=target):
                return f"{told} {kin(target.type, self.revision)}"
            case ex.Interval():
                return told
            case ex.Joined(operator=operator):
                return f"{told} {operator} {type(node.type).__name__}"
            case ex.Builtin():
                return f"{told} {self._function_key(node)}"
            case _:
                raise RefusedError(f"no formula says what `{told}` means")

    def _function_key(self, node: ex.Builtin) -> str:
        given = ", ".join(kin(each.type, self.revision) for each in node.arguments)
        relation = ""
        if node.relation in self.revision.program.functions:
            if not self.revision.alike(node.relation):
                raise RefusedError(f"`{node.relation}` is not the same in both")
            relation = self.name("function", node.relation)
        elif node.relation:
            relation = self.name("relation", node.relation)
        return f"{node.name}({given}) {relation}"
