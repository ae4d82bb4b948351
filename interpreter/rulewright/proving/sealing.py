"""What expressions of one revision read, and values of which only is known when they are the same."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from rulewright.machine.footprint import Footprint
from rulewright.program import expressions as ex
from rulewright.program import types as ty
from rulewright.program.expressions import Expression
from rulewright.program.types import present
from rulewright.proving.logic import Term
from rulewright.proving.reading import Common, Revision, common_name, kin
from rulewright.proving.symbols import Outcome, RefusedError, Symbol, Symbols

_STEADY = (
    ex.Removed,
    ex.BoardCells,
    ex.CellAttribute,
    ex.SideAttribute,
    ex.DieAttribute,
    ex.MakeCollection,
    ex.Interval,
    ex.Joined,
    ex.PlaneAttribute,
    ex.Rounded,
)
_STEADY_FUNCTIONS = frozenset(
    [
        "neighbours",
        "toward",
        "occupants",
        "rear_hexes",
        "directions",
        "pairs",
        "starting_with",
        "sorted",
        "total",
        "highest_face",
        "point",
        "contact",
        "touches",
        "overlaps",
        "crosses",
        "aboard",
        "in_arc",
        "sees",
        "fits",
    ]
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
    """What formulas of one revision are made of.

    Attributes:
        common: the symbols of both revisions.
        revision: the one translated.
        wanted: what has to be asked for elsewhere, in order.
        changed: new values of stored places, by their common names, of lines carried out before; each with the thing
            it is an attribute of, or none for a field of the game.
    """

    common: Common
    revision: Revision
    wanted: list[Wanted] = field(default_factory=list)
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
            message = "something that is no thing is out of play"
            raise RefusedError(message)
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
            message = "it reads what lines before it change"
            raise RefusedError(message)

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
                message = f"no formula says what `{told}` means"
                raise RefusedError(message)

    def _function_key(self, node: ex.Builtin) -> str:
        given = ", ".join(kin(each.type, self.revision) for each in node.arguments)
        relation = ""
        if node.relation in self.revision.program.functions:
            if not self.revision.alike(node.relation):
                message = f"`{node.relation}` is not the same in both"
                raise RefusedError(message)
            relation = self.name("function", node.relation)
        elif node.relation:
            relation = self.name("relation", node.relation)
        return f"{node.name}({given}) {relation}"
