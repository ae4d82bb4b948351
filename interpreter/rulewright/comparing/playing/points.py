"""Where two revisions compute something else, and which procedures can come to what changed."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from rulewright.comparing.meaning.reorderable import Calm, Effects
from rulewright.comparing.playing.changes import Altered, Pairs, Place, declarations, frame, moved, own, said
from rulewright.comparing.playing.data import Settled
from rulewright.comparing.playing.reading import Language, Steady, region
from rulewright.comparing.playing.tables import Table, table_of
from rulewright.comparing.playing.translate_values import Ways
from rulewright.frozen import dataclass
from rulewright.outline.items import Name
from rulewright.program import expressions as ex, statements as st
from rulewright.program.declarations import Hold, Procedure, Program, StandingRule
from rulewright.program.expressions import Binding, Expression, Typed
from rulewright.program.types import FlagType, NumberType, WordType, present
from rulewright.program.walk import contents, parts, reached
from rulewright.roles import nodes

PLAYED = 256
"""Combinations of what an expression reads that plays can be asked to come to."""


@dataclass(frozen=True, slots=True)
class Point:
    """An expression of a changed place."""

    addresses: tuple[str, str]  # of the place in both revisions; empty in the one that has no such expression
    texts: tuple[str, str]  # as it is written there
    roots: tuple[Expression | None, Expression | None]  # it, in both
    table: Table | None  # of all that it reads; none where that has no end, or is too much
    role: str = ""  # the parameter of which it is the default; else empty
    open: str = ""  # what no play can settle, in words; else empty

    @property
    def is_pair(self) -> bool:
        """Whether both revisions have it."""
        return self.roots[0] is not None and self.roots[1] is not None


class Points:
    """The points of what changed.

    Attributes:
        every: in the order of the text, those of the old revision first where only one has them.
        settled: pairs of changed places that come to the same for every combination of what they read.
    """

    def __init__(self, altered: Altered, programs: tuple[Program, Program], ways: Ways, more: Pairs = ()) -> None:
        steady = Steady(programs[0]), Steady(programs[1])
        self._languages = tuple(
            Language(programs, ways, altered.renamed, by_number, steady) for by_number in (False, True)
        )
        self.settled: list[tuple[Place, Place, tuple[Point, ...]]] = []
        self.every: list[Point] = []
        paired: tuple[set[int], set[int]] = (set(), set())
        doubtful = _doubtful(ways)
        for first, second, by_number in (*altered.pairs, *more):
            if any(repr(each) in repr(said(first, {}, by_number=False)) for each in doubtful):
                continue
            found = self._of_pair(first, second, self._languages[by_number])
            if found is None:
                self.every += _rooms(first, second)
                continue
            paired[0].add(id(first))
            paired[1].add(id(second))
            if all(each.is_pair and each.table is not None and not each.table.differing for each in found):
                self.settled.append((first, second, tuple(found)))
            self.every += found
        beside = {id(each) for each in altered.beside}
        for side, changed in enumerate(altered.places):
            for place in changed:
                if id(place) not in paired[side] | beside:
                    for root in _own(place.node):
                        self.every += self._alone(root, side, place, self._languages[0])
        self.every += (*_begun(programs, ways), *_settling(altered, programs))

    def _of_pair(self, first: Place, second: Place, language: Language) -> list[Point] | None:
        """The points of two places that differ in expressions alone; none where they differ otherwise."""
        if frame(first.node, language.renamed, by_number=language.by_number) != frame(
            second.node, {}, by_number=language.by_number
        ):
            return None
        found: list[Point] = list(_defaults(first, second, language))
        for old, new in zip(_own(first.node), _own(second.node), strict=True):
            found += self._apart(old, new, (first, second), language)
        return found

    def _apart(self, old: Expression, new: Expression, at: tuple[Place, Place], language: Language) -> list[Point]:
        """The smallest expressions in which two differ."""
        if language.key(old, 0) == language.key(new, 1):
            return []
        inner = self._inside(old, new, at, language)
        known = inner is not None and all(each.table is not None for each in inner)
        whole = table_of((old, new), language)
        if whole is not None and not (inner and known and not self._is_of(new, inner)):
            return [self._point((old, new), at, language, whole)]
        if inner is not None and known:
            return inner
        if inner is not None:
            return inner
        loose = self._point((old, new), at, language, None)
        alone = [each for side, root in enumerate((old, new)) for each in self._alone(root, side, at[side], language)]
        return [loose, *alone]

    @staticmethod
    def _is_of(new: Expression, inner: Sequence[Point]) -> bool:
        """Whether points lie in what is worked out with an expression, and not in what it reads."""
        near = {id(each) for each in region(new)}
        return all(id(each.roots[1]) in near for each in inner)

    def _inside(
        self, old: Expression, new: Expression, at: tuple[Place, Place], language: Language
    ) -> list[Point] | None:
        """The points of the parts of two expressions of one form; none where their forms differ."""
        if _form(old, language, 0) != _form(new, language, 1):
            return None
        found: list[Point] = []
        for one, other in zip(parts(old), parts(new), strict=True):
            found += self._apart(one, other, at, language)
        return found

    def _alone(self, root: Expression, side: int, place: Place, language: Language) -> Iterator[Point]:
        """An expression of one revision: itself, and what it computes for each member of something."""
        at = (place, None) if side == 0 else (None, place)
        roots = (root, None) if side == 0 else (None, root)
        inner: Sequence[Expression] = parts(root)
        if isinstance(present(root.type), NumberType | FlagType | WordType):
            whole = table_of(roots, language, PLAYED)
            if whole is None or whole.atoms:
                yield self._point(roots, at, language, whole)
            if whole is not None:
                inner = [part for _, node in whole.listened[side].values() for part in parts(node)]
        for each in inner:
            yield from self._alone(each, side, place, language)

    @staticmethod
    def _point(
        roots: tuple[Expression | None, Expression | None],
        at: tuple[Place | None, Place | None],
        language: Language,
        whole: Table | None,
    ) -> Point:
        texts = [language.text(root, side) if root is not None else "" for side, root in enumerate(roots)]
        addresses = [each.address if each is not None else "" for each in at]
        return Point((addresses[0], addresses[1]), (texts[0], texts[1]), roots, whole)


def settled(altered: Altered, programs: tuple[Program, Program], ways: Ways) -> tuple[Altered, tuple[Settled, ...]]:
    """What changed but for places that come to the same whatever they read; and what was tried of these."""
    points = Points(altered, programs, ways, tuple(_measures(altered, programs, ways)))
    if not points.settled:
        return altered, ()
    done = {id(place) for first, second, _ in points.settled for place in (first, second)}
    beside = {id(each) for each in altered.beside}
    left = [[each for each in side if id(each) not in done] for side in altered.places]
    open_ = [{each.owner for each in side if id(each) not in beside} for side in left]
    gone = set[Name](), set[Name]()
    for first, second, _ in points.settled:
        if first.owner not in open_[0] and second.owner not in open_[1]:
            gone[0].add(first.owner)
            gone[1].add(second.owner)
    places = [tuple(each for each in side if each.owner not in gone[at]) for at, side in enumerate(left)]
    names = altered.names[0] - gone[0], altered.names[1] - gone[1]
    return replace(altered, names=names, places=(places[0], places[1])), tuple(_told(points))


def _told(points: Points) -> Iterator[Settled]:
    for first, second, found in points.settled:
        tables = [each.table for each in found if each.table is not None]
        reads = dict.fromkeys(atom.text for each in tables for atom in each.atoms)
        kept = dict.fromkeys(name for each in tables for name in each.kept)
        number = sum(each.count for each in tables)
        yield Settled(first.address, second.address, tuple(reads), number, tuple(kept))


def _doubtful(ways: Ways) -> frozenset[str]:
    """Words of the old revision that became one thing in one place and another elsewhere: `health` of two kinds."""
    targets: dict[str, set[str]] = {}
    for old, new in ways.across.names.names.items():
        targets.setdefault(old.last, set()).add(new.last)
    return frozenset(each for each, found in targets.items() if len(found) > 1)


def _own(node: Any) -> Iterator[Expression]:
    """The outermost expressions of a place but for defaults, which no play computes."""
    defaults = {id(each) for each in node.defaults} if isinstance(node, Procedure) else set()
    yield from (each for each in own(node) if id(each) not in defaults)  # type: ignore[misc]


def _measures(altered: Altered, programs: tuple[Program, Program], ways: Ways) -> Iterator[tuple[Place, Place, bool]]:
    """Measures that changed and are in both revisions."""
    for name in sorted(altered.names[0]):
        other = ways.across.names.names.get(name)
        if name.sort == "measure" and other in altered.names[1]:
            old, new = programs[0].measures[name.name], programs[1].measures[other.name]
            yield Place(name, name.name, old, 0), Place(other, other.name, new, 0), False


def _begun(programs: tuple[Program, Program], ways: Ways) -> Iterator[Point]:
    """A point for what is stored otherwise: had that shown in any play, the revisions had parted."""
    for old, new in moved(*programs, ways.across.names):
        if old.sort not in {"die", "relation"}:
            what = "has other words" if old.sort == "values" else "has another start value or other values"
            yield Point(("", ""), ("", ""), (None, None), None, open=f"`{new.last}` {what}, and no play showed it")


def _settling(altered: Altered, programs: tuple[Program, Program]) -> Iterator[Point]:
    """A point for what shows only where standing rules come in between: plays that seldom do are no evidence."""
    for first, second, _ in altered.pairs:
        if isinstance(first.node, Procedure) and _held(first.node) != _held(second.node):
            yield _unseen(second, 1, "holds other rules")
        if isinstance(first.node, StandingRule) and first.node.priority != second.node.priority:
            yield _unseen(second, 1, "has another priority")
    beside = {id(each) for each in altered.beside}
    lines = [
        [each for each in side if isinstance(each.node, st.Line) and id(each) not in beside] for side in altered.places
    ]
    kept = [sum(isinstance(each.node, st.Together) for each in side) for side in lines]
    before = {repr(said(each, altered.renamed, by_number=False)) for each in lines[0]}
    for side, program in enumerate(programs if any(lines) else ()):
        effects, inside = Effects(program, Calm(program)), _kept_together(program)
        for place in (each for each in lines[side] if effects.stirs(each.node)):
            if isinstance(place.node, st.Together) and kept[0] != kept[1]:
                yield _unseen(place, side, "is in one of them only")
            elif side == 1 and id(place.node) not in inside and repr(said(place, {}, by_number=False)) in before:
                yield _unseen(place, side, "comes at another time")


def _unseen(place: Place, side: int, what: str) -> Point:
    addresses = ("", place.address) if side else (place.address, "")
    return Point(addresses, ("", ""), (None, None), None, open=f"`{place.address}` {what}, and no play showed it")


def _kept_together(program: Program) -> set[int]:
    """Lines between which nothing settles."""
    blocks = (
        each for _, declared in declarations(program) for each in nodes(declared) if isinstance(each, st.Together)
    )
    return {id(line) for each in blocks for line in nodes(each.block)}


def _held(procedure: Procedure) -> frozenset[str]:
    return frozenset(rule for each in procedure.opening if isinstance(each, Hold) for rule in each.rules)


def _rooms(first: Place, second: Place) -> Iterator[Point]:
    """A point where a line goes on otherwise without room: had any play come to that, the revisions had parted."""
    old, new = first.node, second.node
    if isinstance(old, st.AddAmount) and isinstance(new, st.AddAmount):
        ways = [(each.up_to, each.low, each.high, each.otherwise is None) for each in (old, new)]
        if ways[0] != ways[1]:
            said = f"`{second.address}` was never tried without room"
            yield Point((first.address, second.address), ("", ""), (None, None), None, open=said)


def _defaults(first: Place, second: Place, language: Language) -> Iterator[Point]:
    """A point for every default that is another."""
    if isinstance(first.node, Procedure) and isinstance(second.node, Procedure):
        pairs = zip(second.node.parameters, first.node.defaults, second.node.defaults, strict=True)
        for parameter, old, new in pairs:
            if old is not None and new is not None and language.key(old, 0) != language.key(new, 1):
                texts = language.text(old, 0), language.text(new, 1)
                yield Point((first.address, second.address), texts, (None, None), None, parameter.name)


def _form(node: Expression, language: Language, side: int) -> object:
    """What an expression says but for the expressions in it."""
    renamed = {} if side else language.renamed
    return type(node).__name__, [_formed(each, language, renamed) for each in contents(node)]


def _formed(part: Any, language: Language, renamed: Any) -> object:
    if isinstance(part, Typed):
        return "·"
    if isinstance(part, Binding):
        where = part.where is not None
        return [frame(each, renamed, by_number=language.by_number) for each in part.variables], where
    if isinstance(part, tuple):
        return [_formed(each, language, renamed) for each in part]
    return frame(part, renamed, by_number=language.by_number)


ANYWHERE = frozenset(
    {"values", "word", "die", "kind", "plural", "record", "part", "board"}
    | {"attribute", "cell", "side", "field", "setting", "relation"}
)
"""Sorts of names that every state may depend on, whatever a procedure mentions: their start values are in it."""


def reaches(program: Program, changed: Iterable[Name]) -> frozenset[str]:
    """The procedures that can come to something that changed, or to a standing rule or condition that can.

    Standing rules and conditions that always hold are tried in every play. Stored data counts for every procedure:
    a state holds it before anything is carried out. Measures count for none.
    """
    wanted = frozenset(changed)
    if any(each.sort in ANYWHERE for each in wanted):
        return frozenset(program.procedures)
    leading = _leading(_graph(program), wanted)
    if any(each.sort in {"rule", "invariant"} for each in leading):
        return frozenset(program.procedures)
    return frozenset(name for name in program.procedures if Name("procedure", name) in leading)


def comes_to(program: Program, procedure: str) -> frozenset[Name]:
    """The declarations that a play of a procedure can come to, standing rules and conditions that always hold too."""
    graph = _graph(program)
    always = (each for each in graph if each.sort in {"rule", "invariant"})
    return _reached(graph, [Name("procedure", procedure), *always])


def echoes(program: Program, changed: Iterable[Name]) -> frozenset[str]:
    """The functions that changed, or that compute something that did."""
    leading = _leading(_graph(program), frozenset(changed))
    return frozenset(name for name in program.functions if Name("function", name) in leading)


def measures_reaching(program: Program, changed: Iterable[Name]) -> frozenset[str]:
    """The measures that changed, or that compute something that did."""
    leading = _leading(_graph(program), frozenset(changed))
    return frozenset(
        name
        for name, each in program.measures.items()
        if Name("measure", name) in leading or not leading.isdisjoint(_mentioned(each, program))
    )


def entries(program: Program) -> frozenset[str]:
    """The procedures that plays begin with: those that nothing performs, and those that only each other perform."""
    graph = _graph(program)
    procedures = {Name("procedure", name) for name, each in program.procedures.items() if not each.inner}
    performed = {each for name, found in graph.items() for each in found if each.sort == "procedure" and each != name}
    first = procedures - performed
    reached = _reached(graph, [*first, *(each for each in graph if each.sort == "rule")])
    return frozenset(each.name for each in first | (procedures - reached))


def _reached(graph: Mapping[Name, frozenset[Name]], start: Iterable[Name]) -> frozenset[Name]:
    return reached(start, lambda name: graph.get(name, frozenset()))


def _leading(graph: Mapping[Name, frozenset[Name]], wanted: Iterable[Name]) -> frozenset[Name]:
    """What is wanted, and all that leads there."""
    back: dict[Name, list[Name]] = {}
    for name, mentioned in graph.items():
        for each in mentioned:
            back.setdefault(each, []).append(name)
    return reached(wanted, lambda name: back.get(name, ()))


def _graph(program: Program) -> dict[Name, frozenset[Name]]:
    """What every declaration mentions; an event leads to its handlers."""
    found = {name: frozenset(_mentioned(declared, program)) for name, declared in declarations(program)}
    for name, handler in program.handlers.items():
        event = Name("event", handler.event)
        found[event] = found[event] | {Name("handler", name)}
    return found


def _mentioned(declared: object, program: Program) -> Iterator[Name]:
    for node in nodes(declared):
        match node:
            case st.Perform(procedure=name):
                yield Name("procedure", name)
            case st.PerformExternal(external=name) | ex.ExternalValue(external=name):
                yield Name("external", name)
            case st.Trigger(event=name):
                yield Name("event", name)
            case st.Remove(events=events):
                yield from (Name("event", each) for each in events)
            case ex.CallFunction(function=name) | ex.DerivedAttribute(function=name):
                yield Name("function", name)
            case ex.Builtin(relation=name) if name in program.functions:
                yield Name("function", name)
