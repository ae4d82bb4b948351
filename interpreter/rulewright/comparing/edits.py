"""What an edit is, the edits from one outline to another, and in which section each is told."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain

from rulewright.comparing.pairing import REMARKS, Fresh, Gone, Match, Pair, is_turned, likeness, match, translated
from rulewright.comparing.renaming import renames
from rulewright.frozen import dataclass
from rulewright.outline.items import Item, Name, Outline, Part


@dataclass(frozen=True, slots=True)
class Correspondence:
    """What of an old revision is what of a new one."""

    # from old names to new ones, those that stayed the same among them; what was removed is not in it
    names: Mapping[Name, Name]
    addresses: Mapping[str, str]  # from old addresses to new ones: of steps, lines, rows and options that were matched

    def new(self, sort: str, name: str) -> str | None:
        """What an old name became; none where it was removed."""
        found = self.names.get(Name(sort, name))
        return None if found is None else found.name

    def mirrored(self) -> "Correspondence":
        """The same, from the new revision to the old one."""
        return Correspondence(
            {new: old for old, new in self.names.items()}, {new: old for old, new in self.addresses.items()}
        )


@dataclass(frozen=True, slots=True)
class Added:
    """The item is new, with all inside it."""

    new: Item


@dataclass(frozen=True, slots=True)
class Removed:
    """The item is gone, with all inside it."""

    old: Item


@dataclass(frozen=True, slots=True)
class Moved:
    """The item stands elsewhere, where its place counts."""

    old: Item
    new: Item


@dataclass(frozen=True, slots=True)
class Renamed:
    """The item has another name: a step renumbered, a word, attribute or procedure renamed."""

    old: Item
    new: Item


@dataclass(frozen=True, slots=True)
class Relabelled:
    """A name that is not a declaration: of a variable, which nobody else can see, or the plural of a kind."""

    old: Name
    new: Name


@dataclass(frozen=True, slots=True)
class Reworded:
    """The title, prompt or reason of the item reads otherwise."""

    old: Item
    new: Item


@dataclass(frozen=True, slots=True)
class Recited:
    """Other clauses stand in its margin."""

    old: Item
    new: Item
    lost: tuple[str, ...]
    found: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """A part that says something else; none where it is not there."""

    name: str
    was: Part | None
    now: Part | None


@dataclass(frozen=True, slots=True)
class Changed:
    """The item itself says something else; what stands inside it has edits of its own."""

    old: Item
    new: Item
    differences: tuple[Difference, ...]


Edit = Added | Removed | Moved | Renamed | Relabelled | Reworded | Recited | Changed


def sides(edit: Edit) -> tuple[Item | None, Item | None]:
    """What an edit is about in the old revision and in the new one; nothing where it is in one only, or a name."""
    old, new = getattr(edit, "old", None), getattr(edit, "new", None)
    return old if isinstance(old, Item) else None, new if isinstance(new, Item) else None


def lone(edit: Edit) -> Item | None:
    """What came or went; nothing of any other edit."""
    return edit.new if isinstance(edit, Added) else edit.old if isinstance(edit, Removed) else None


RULES = (Added, Removed, Moved, Changed)
"""Edits that may change play."""


def is_rule(edit: Edit) -> bool:
    """Whether an edit may change play: not a name, a title, a clause in the margin, a remark."""
    old, new = sides(edit)
    item = new or old
    return isinstance(edit, RULES) and item is not None and item.sort not in REMARKS


SECTIONS = {
    "rules": "what may change play",
    "rewritten": "rules written differently, play proved the same",
    "declarations": "what there is to speak of, which counts where rules mention it",
    "names": "what only has another name",
    "wording": "titles, questions and reasons",
    "margins": "clauses cited in margins",
    "remarks": "rulings, and clauses answered for without a rule",
}
"""Where an edit is told, and what stands there."""

IMPLIED = "implied"
"""The section of edits that others tell already; it is not shown."""

TITLES = {"rewritten": "Written differently, play proved the same"}
"""Titles of sections that their word does not tell."""

_DECLARED = frozenset(
    "values die kind record part board attribute cell side field setting relation event measure".split()  # noqa: SIM905
)


def section_of(edit: Edit, item: Item | None) -> str:
    """The section for an edit of an item; no item for an edit of a variable."""
    if item is not None and (item.sort in REMARKS or (isinstance(edit, Added | Removed) and _only_remarks(item))):
        return "remarks"
    if is_rule(edit):
        declared = item is not None and isinstance(edit, Added | Removed) and _is_declared(item)
        return "declarations" if declared else "rules"
    return {Reworded: "wording", Recited: "margins"}.get(type(edit), "names")


def _only_remarks(item: Item) -> bool:
    """Whether nothing stands inside an item but what only people read."""
    return bool(item.items) and all(each.sort in REMARKS or _only_remarks(each) for each in item.items)


def _is_declared(item: Item) -> bool:
    """Whether an item only says what there is; a derived attribute says what holds."""
    if item.name is None or item.name.sort not in _DECLARED:
        return False
    return item.name.sort != "attribute" or any(part.name == "type" for part in item.parts)


_ENOUGH = 4
_LIKELY = 0.4


Inside = Callable[[Item, Item], Iterator[Edit]]
"""The edits of two items that are one, and of all inside them."""


def with_moves(edits: Sequence[Edit], names: Mapping[Name, Name], inside: Inside, *, turned: bool) -> Iterator[Edit]:
    """The edits, with moves in place of what was removed and added, each after the edit of what it moved into.

    What moved and was changed on the way is followed by its own edits.
    """
    lost = [each.old for each in edits if isinstance(each, Removed)]
    found = [each.new for each in edits if isinstance(each, Added)]
    moved = {id(move.new): move for move in _moves(lost, found, names, turned=turned)}
    gone = {id(move.old) for move in moved.values()}
    for edit in edits:
        if not isinstance(edit, Added):
            if not (isinstance(edit, Removed) and id(edit.old) in gone):
                yield edit
            continue
        if id(edit.new) not in moved:
            yield edit
        for move in (moved[id(each)] for each in edit.new.inside() if id(each) in moved):
            yield move
            yield from inside(move.old, move.new)


def _moves(lost: Sequence[Item], found: Sequence[Item], names: Mapping[Name, Name], *, turned: bool) -> Iterator[Moved]:
    """What moved; looked for from the new side to the old one, or turned, so that both directions find the same."""
    if turned:
        back = {new: old for old, new in names.items()}
        yield from (Moved(old, new) for new, old in _Moving(back, found).into(lost))
    else:
        yield from (Moved(old, new) for old, new in _Moving(names, lost).into(found))


class _Moving:
    """Looks for what came from items of one revision into those of another."""

    def __init__(self, names: Mapping[Name, Name], sources: Sequence[Item]) -> None:
        self._names = names
        self._sources = [each for source in sources for each in source.inside()]
        self._taken: set[int] = set()

    def into(self, goals: Sequence[Item]) -> Iterator[tuple[Item, Item]]:
        """What came to items, or into them, from elsewhere: source and goal."""
        yield from self._into(goals, [each for goal in goals for each in goal.inside()])

    def _into(self, goals: Sequence[Item], every: Sequence[Item]) -> Iterator[tuple[Item, Item]]:
        for goal in goals:
            found = self._source(goal, every)
            if found is None:
                yield from self._into(goal.items, every)
            else:
                self._taken.update(id(each) for each in found.inside())
                yield found, goal

    def _source(self, goal: Item, every: Sequence[Item]) -> Item | None:
        """What says the same, else what is likely to have been it, if no other item says the same."""
        if goal.name is not None or goal.sort in REMARKS:
            return None
        left = [each for each in self._sources if id(each) not in self._taken]
        same = next((each for each in left if self._is_same(each, goal)), None)
        likely = (each for each in left if self._is_likely(each, goal))
        return same or next((each for each in likely if not any(self._is_same(each, other) for other in every)), None)

    def _is_same(self, source: Item, goal: Item) -> bool:
        """Whether an item says all that another does, and that is enough to be known by."""
        return (len(goal.form) > _ENOUGH or bool(goal.items)) and _same(source, goal, self._names)

    def _is_likely(self, source: Item, goal: Item) -> bool:
        """Whether an item bears the same name in the same declaration, or holds lines alike, and says much of it."""
        named = bool(goal.id) and (source.sort, source.id) == (goal.sort, goal.id)
        named = named and self._owner(source) == _owner(goal)
        holding = len(goal.form) > _ENOUGH and bool(source.items) and translated(source.form, self._names) == goal.form
        return (named or holding) and likeness(source, goal, self._names) >= _LIKELY

    def _owner(self, source: Item) -> str:
        owner = _owner(source)
        name = self._names.get(Name("procedure", owner))
        return name.name if name else owner


def _owner(item: Item) -> str:
    return item.address.partition("/")[0]


def _same(old: Item, new: Item, names: Mapping[Name, Name]) -> bool:
    return (
        translated(old.form, names) == new.form
        and len(old.items) == len(new.items)
        and all(_same(a, b, names) for a, b in zip(old.items, new.items, strict=True))
    )


@dataclass(frozen=True, slots=True)
class Structure:
    """What two revisions have in common, and the edits between them in the order of the new text."""

    correspondence: Correspondence
    edits: tuple[Edit, ...]


def compare_structure(old: Outline, new: Outline) -> Structure:
    """Matches two outlines and tells the edits."""
    turned = is_turned(old, new)
    names = {one: other for other, one in renames(new, old).items()} if turned else renames(old, new)
    matches = match(old, new, names, turned=turned)
    names |= {pair.old.name: pair.new.name for pair in pairs(matches) if pair.old.name and pair.new.name}
    told = _told(matches, names, turned=turned)
    moves = sorted((each for each in told if isinstance(each, Moved)), key=lambda each: _places(each, turned=turned))
    moved = chain.from_iterable(
        match(Outline((each.old,)), Outline((each.new,)), names, turned=turned) for each in moves
    )
    called = (
        (one, other) for one, other in names.items() if one.sort in {"local", "plural"} and one.last != other.last
    )
    labels = (Relabelled(one, other) for one, other in called)
    return Structure(Correspondence(names, _addresses((*matches, *moved))), (*labels, *told))


def _places(edit: Moved, *, turned: bool) -> tuple[object, ...]:
    """An order of moves that is the same in both directions."""
    old, new = ((each.address, each.span.source, each.span.start) for each in (edit.old, edit.new))
    return (*new, *old) if turned else (*old, *new)


def _addresses(matches: tuple[Match, ...]) -> dict[str, str]:
    """New addresses by old ones; where what is inside an item bears its address too, that of the item itself."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for pair in pairs(matches):
        old, new = pair.old.address, pair.new.address
        if old and old not in found and new not in taken:
            found[old] = new
            taken.add(new)
    return found


def _told(matches: tuple[Match, ...], names: Mapping[Name, Name], *, turned: bool) -> tuple[Edit, ...]:
    nothing = (frozenset[str](), frozenset[str]())

    def inside(old: Item, new: Item) -> Iterator[Edit]:
        (found,) = match(Outline((old,)), Outline((new,)), names, turned=turned)
        yield from _edits(found, names, nothing)

    edits = list(chain.from_iterable(_edits(each, names, nothing) for each in matches))
    return tuple(with_moves(edits, names, inside, turned=turned))


def pairs(matches: tuple[Match, ...]) -> Iterator[Pair]:
    """All pairs, with those inside them."""
    for each in matches:
        if isinstance(each, Pair):
            yield each
            yield from pairs(each.inside)


_Cites = tuple[frozenset[str], frozenset[str]]


def _edits(found: Match, names: Mapping[Name, Name], around: _Cites) -> Iterator[Edit]:
    match found:
        case Gone(item):
            yield Removed(item)
        case Fresh(item):
            yield Added(item)
        case Pair(old, new, moved, inside):
            if moved:
                yield Moved(old, new)
            if old.id != new.id and not (old.sort == "line" and _is_local(old, new, names)):
                yield Renamed(old, new)
            if old.title != new.title:
                yield Reworded(old, new)
            lost, fresh = frozenset(old.cites) - frozenset(new.cites), frozenset(new.cites) - frozenset(old.cites)
            if lost - around[0] or fresh - around[1]:
                yield Recited(old, new, tuple(sorted(lost - around[0])), tuple(sorted(fresh - around[1])))
            differences = tuple(_differences(old, new, names))
            if differences:
                yield Changed(old, new, differences)
            for each in inside:
                yield from _edits(each, names, (lost, fresh))


def _is_local(old: Item, new: Item, names: Mapping[Name, Name]) -> bool:
    """Whether a line is called otherwise only because the name it sets was renamed."""
    return any(
        before.sort == "local" and before.last == old.id and after.last == new.id for before, after in names.items()
    )


def _differences(old: Item, new: Item, names: Mapping[Name, Name]) -> Iterator[Difference]:
    before, after = _named(old), _named(new)
    for key in dict.fromkeys((*before, *after)):
        was, now = before.get(key), after.get(key)
        name = key[0]
        if was is None or now is None or translated(was.form, names) != now.form:
            yield Difference(name, was, now)


def _named(item: Item) -> dict[tuple[str, int], Part]:
    """The parts of an item by name, those of one name by their number too."""
    seen: Counter[str] = Counter()
    found = {}
    for part in item.parts:
        found[part.name, seen[part.name]] = part
        seen[part.name] += 1
    return found
