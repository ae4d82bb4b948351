"""From edits to rows: one for each change of play, called by the titles its authors wrote."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set as AbstractSet

from rulewright.analysis.symbols import ClauseEntry
from rulewright.comparing.edit_report import Told
from rulewright.comparing.edits import Added, Changed, Edit, Moved, Removed, lone, sides
from rulewright.comparing.report.evidence import NO_EVIDENCE, Evidence
from rulewright.comparing.report.halves import Halves, Saying
from rulewright.comparing.report.margins import Clauses, Margins, Telling, renamed
from rulewright.comparing.report.wraps import Wrap, head, wraps
from rulewright.frozen import dataclass
from rulewright.outline.items import Item, Name

CHANGED, NEW, GONE = "changed", "new", "gone"


@dataclass(frozen=True, slots=True)
class Row:
    """One change of play."""

    kind: str  # `changed`, `new` or `gone`
    name: str  # what it is about, in its author's words; empty where a heading says nothing more than its sentences
    was: str  # what was said; empty of what is new or came, and where only what is now can be told
    now: str  # what is said; empty of what is gone or went
    more: tuple[str, ...]  # further sentences of what is said, or of what was said of a row that is gone
    clauses: tuple[tuple[str, ...], tuple[str, ...]]  # clauses it is about: of the old revision, and of the new one
    cited: tuple[str, ...]  # the same in short, to be shown
    edits: tuple[int, ...]  # numbers of its edits among all of the comparison
    meant: str = ""  # what was meant without being said, where only what is now can be told
    whole: bool = False  # whether what is now is said without `now` before it
    evidence: Evidence = NO_EVIDENCE  # what shows it

    @property
    def shown(self) -> bool:
        """Whether a play, a value or a scenario shows it."""
        return self.evidence.shown


@dataclass(frozen=True, slots=True)
class Folded:
    """What is not told line by line."""

    readings: tuple[int, ...]  # edits that only matter under a reading that is not the written one, settings among them
    helpers: tuple[int, ...]  # declarations that other rules use, and that came, went or changed with them
    same: tuple[int, ...]  # edits of clauses that say what they said
    wording: tuple[int, ...]  # titles, questions and reasons
    margins: tuple[int, ...]  # of clauses cited
    # edits of rules that are proved to say what they said, whatever becomes of what they mention
    rewritten: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Unedited:
    """A clause without a row: the lines that carry it out stand as they were."""

    old: str  # in short, of the old document; empty where only the new one has it
    new: str  # in short, of the new document
    said: str  # what the old document says; empty likewise
    says: str  # what the new document says


@dataclass(frozen=True, slots=True)
class Screen:
    """The first screen."""

    rows: tuple[Row, ...]  # what changed, then what is new, then what is gone, each the most noticeable first
    reworded: tuple[Unedited, ...]  # clauses that read otherwise
    stated: tuple[Unedited, ...]  # clauses of the new document alone, the most telling first
    names: tuple[tuple[str, str], ...]  # what only has another name, as (old, new)
    folded: Folded  # everything else

    def of(self, kind: str) -> tuple[Row, ...]:
        """The rows of one kind."""
        return tuple(each for each in self.rows if each.kind == kind)


_HEADING = re.compile(r"[^,(:]+")
_PLACE = re.compile(
    r"(?:[Ss]tep|[Bb]ox|[Pp]age|[Bb]ullet|[Pp]oint|[Rr]ow|[Ss]ection|[Cc]hapter|[Pp]aragraph)\b|[\W\da-z]"
)
_OWN = frozenset({"condition", "modifier", "row", "key", "attribute", "setting", "word", "parameter", "game field"})


def heading(clause: ClauseEntry) -> str:
    """The heading of the document that a clause stands under; empty where only a number or a place is known."""
    found = _HEADING.match(clause.where)
    name = found[0].strip() if found else ""
    return "" if _PLACE.match(name) else name


def called(item: Item, margins: Margins, titles: Mapping[str, str]) -> str:
    """What an item is called for people: the title of its step or declaration, and its own word for it."""
    own = _own(item, titles)
    around = margins.around(item)
    while around is not None:
        if around.title:
            return f"{around.title}: {own}" if own and own != around.title else around.title
        if around.sort == "step" or margins.around(around) is None:
            return f"{_plain(around)}: {own}" if own else _plain(around)
        around = margins.around(around)
    return own or _plain(item)


def _own(item: Item, titles: Mapping[str, str]) -> str:
    """The own word of an item; of a row that is called by its cells, their words by their titles."""
    if item.title:
        return item.title
    if item.sort == "row":
        return "/".join(titles.get(part) or _words(part) for part in item.id.split("/"))
    return _words(item.id) if item.sort in _OWN or (item.name and item.sort != "step") else ""


def _plain(item: Item) -> str:
    """An item without a title by its id: `step 3`, `needed`."""
    return f"{item.sort} {item.id}" if item.sort == "step" else _words(item.id) or item.sort


def _words(name: str) -> str:
    return name.replace("_", " ")


def short_clause(clause: str, documents: Collection[str]) -> str:
    """A clause without the name of its document, where that is one of these."""
    document, _, rest = clause.partition(".")
    return rest if rest and document in documents else clause


_HELPING = frozenset(
    "term decide table relation record attribute parameter external".split()  # noqa: SIM905
) | {"external procedure", "external term", "list of words", "die", "tally"}
_HAPPENING = frozenset({"procedure", "handler", "standing rule", "event", "always", "step", "measure"})
_DROPPED = " .;"


@dataclass(frozen=True, slots=True)
class Draft:
    """A row that is not ranked yet."""

    row: Row
    place: int  # of its clause in the list of the new document
    direct: bool  # whether a line was edited, not only taken out and put in
    spoken: bool = True  # whether it is told in sentences of a clause list


@dataclass(frozen=True, slots=True)
class Material:
    """What rows are made of."""

    edits: Sequence[Edit]  # all of the comparison
    told: Sequence[Told]  # those of the rules that may have changed play, as they are told one by one
    margins: tuple[Margins, Margins]  # of both revisions
    clauses: Clauses  # of both
    saying: Saying  # puts edits into halves
    names: Mapping[Name, Name]  # new ones by old ones


class Drafting:
    """Makes rows of the edits of rules between two revisions.

    Attributes:
        same: numbers of edits of clauses that say what they said.
        helpers: numbers of edits that only serve others.
    """

    def __init__(self, material: Material) -> None:
        self._edits, self._told = material.edits, {each.number: each for each in material.told}
        self._margins, self._clauses = material.margins, material.clauses
        self._saying, self._names = material.saying, material.names
        self._order = {each: number for number, each in enumerate(self._clauses.new)}
        self._touched = {number: self._touches(self._edits[number]) for number in self._told}
        self._handed = {
            item.address.partition("/")[0]
            for number in self._told
            if (item := _item(self._edits[number])) is not None and item.sort == "parameter"
        }
        self.same: set[int] = set()
        self.helpers: set[int] = set()

    def drafts(self) -> list[Draft]:
        """All rows, and by the way what is folded."""
        gone = [each for each in self._clauses.old if each not in self._clauses.became and self._says(each, 0)]
        found = [*self._changed(), *self._new(), *self._alone(gone, 0)]
        used = {number for each in found for number in each.row.edits} | self.same
        spoken = {each for draft in found for side in draft.row.clauses for each in side}
        left = [number for number in self._told if number not in used]
        joined = {number for number in left if self._belongs(number, spoken)}
        self.same |= joined
        left = [number for number in left if number not in joined]
        rewritten = bool(found) and self._is_rewritten()
        plain = [number for number in left if not self._helps(number) and not (rewritten and self._is_small(number))]
        self.helpers = {number for number in left if number not in plain}
        coded = list(self._coded(plain))
        if not found and not coded and not self.same:
            coded, self.helpers = list(self._coded(left)), set()
        return [*found, *coded]

    def _touches(self, edit: Edit) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The clauses an edit is about, of the old revision and of the new one."""
        match edit:
            case Added(new):
                return (), self._margins[1].inside(new)
            case Removed(old):
                return self._margins[0].inside(old), ()
            case Changed(old, new) | Moved(old, new):
                return self._margins[0].proper(old), self._margins[1].proper(new)
        return (), ()

    def _about(self, clause: str, side: int) -> tuple[int, ...]:
        return tuple(number for number, touched in self._touched.items() if clause in touched[side])

    # Clauses that became others.

    def _changed(self) -> Iterator[Draft]:
        for old, new in self._clauses.became.items():
            edits = tuple(sorted({*self._about(old, 0), *self._about(new, 1)}))
            before, after = self._says(old, 0), self._says(new, 1)
            if not edits or not before or not after or before == after:
                continue
            direct = any(self._turned(number, old, new) for number in edits)
            stays = old != new and not direct and (old, new) in self._clauses.kept
            if stays or (old != new and self._clauses.says_same(old, new)):
                self.same.update(edits)
                continue
            others = self._companions(old, new)
            more = tuple(self._says(each, 1) for each in others)
            name = heading(self._clauses.new[new]) or self._named(edits, new)
            row = Row(CHANGED, name, before, after, more, ((old,), (new, *others)), (), edits=edits)
            yield Draft(row, self._order[new], direct=direct)

    def _turned(self, number: int, old: str, new: str) -> bool:
        edit, (before, after) = self._edits[number], self._touched[number]
        return isinstance(edit, Changed) and (old in before or new in after)

    def _companions(self, old: str, new: str) -> tuple[str, ...]:
        """New clauses of the lines that an old one became, which became of no other."""
        taken = set(self._clauses.became.values())
        found: dict[str, None] = {}
        for number in self._about(old, 0):
            if self._turned(number, old, new):
                found |= dict.fromkeys(self._touched[number][1])
        return tuple(each for each in found if each not in taken and each != new and self._says(each, 1))

    def _named(self, edits: Iterable[int], clause: str, side: int = 1) -> str:
        """The title of the first edited place that cites a clause."""
        for number in edits:
            item = sides(self._edits[number])[side]
            for each in item.inside() if item is not None else ():
                if clause in self._margins[side].proper(each):
                    return called(each, self._margins[side], self._saying.titles[side])
        return ""

    def _says(self, clause: str, side: int) -> str:
        entry = (self._clauses.old, self._clauses.new)[side].get(clause)
        return entry.says.rstrip(_DROPPED) if entry else ""

    # Clauses of one revision only.

    def _new(self) -> Iterator[Draft]:
        became = {*self._clauses.became.values()}
        joined = {each for old, new in self._clauses.became.items() for each in self._companions(old, new)}
        free = [each for each in self._clauses.new if each not in became and each not in joined]
        yield from self._alone([each for each in free if self._says(each, 1)], 1)

    def _alone(self, clauses: Sequence[str], side: int) -> Iterator[Draft]:
        groups: dict[str, list[str]] = {}
        for each in clauses:
            if self._about(each, side):
                groups.setdefault(self._headed(each, side), []).append(each)
        others, listed = (
            (self._clauses.new, self._clauses.old)[side].values(),
            (self._clauses.old, self._clauses.new)[side],
        )
        became = (self._says(each, 1) for each in self._clauses.became.values()) if side else ()
        telling = Telling([*(renamed(each.says, self._clauses.names) for each in others), *became])
        for name, cited in groups.items():
            inside = telling.ordered(listed[each] for each in cited)
            edits = tuple(sorted({number for each in inside for number in self._about(each, side)}))
            first, *more = (self._says(each, side) for each in inside)
            was, now = ("", first) if side else (first, "")
            about = ((), tuple(inside)) if side else (tuple(inside), ())
            row = Row(NEW if side else GONE, name, was, now, tuple(more), about, (), edits=edits)
            yield Draft(row, self._order.get(inside[0], 0), direct=True)

    def _headed(self, clause: str, side: int) -> str:
        entry = (self._clauses.old, self._clauses.new)[side][clause]
        return heading(entry) or (self._named(self._about(clause, 1), clause) if side else "")

    # Edits that no clause speaks of.

    def _belongs(self, number: int, spoken: AbstractSet[str]) -> bool:
        """Whether a line that cites nothing itself stands below a clause that a row is about."""
        edit = self._edits[number]
        if self._touched[number] != ((), ()) or not isinstance(edit, Added | Removed | Changed | Moved):
            return False
        around = [self._margins[side].own(item) for side, item in enumerate(sides(edit)) if item is not None]
        return any(around) and all(spoken >= frozenset(each) for each in around if each)

    def _helps(self, number: int) -> bool:
        """Whether an edit only serves others: a helper that came or went, a name that is set, a parameter."""
        edit = self._edits[number]
        item = _item(edit)
        if isinstance(edit, Changed):
            typed = edit.new.sort == "parameter" and {each.name for each in edit.differences} == {"type"}
            return typed or self._follows(edit)
        if isinstance(edit, Removed) and self._only_writes_gone(edit.old):
            return True
        if not isinstance(edit, Added | Removed) or item is None:
            return False
        if item.sort == "line" and any(part.name == "what it does" and part.form == ("Let",) for part in item.parts):
            return True
        if item.sort in _HELPING:
            return not (item.title and any(each.sort in {"modifier", "row"} for each in item.items))
        return False

    def _is_rewritten(self) -> bool:
        """Whether the documents are others, so that hardly a clause bears its old id."""
        kept = sum(old == new for old, new in self._clauses.became.items())
        return 2 * kept < len(self._clauses.old)

    def _is_small(self, number: int) -> bool:
        """Whether an edit is in a helper, or a line, of which no clause of a new document speaks."""
        edit, item = self._edits[number], _item(self._edits[number])
        assert item is not None
        around = self._margins[0 if isinstance(edit, Removed) else 1].declaration(item)
        if around.sort in {"term", "relation"}:
            return not any(each.cites for each in around.inside())
        if isinstance(edit, Changed):  # how a value is written down
            return item.sort == "attribute" and {each.name for each in edit.differences} <= {"type", "start"}
        return item.sort in {"line", "key", "branch", "relation", "term"} and isinstance(edit, Added | Removed)

    def _follows(self, edit: Changed) -> bool:
        """Whether only what is handed to a helper is otherwise, whose parameters were edited."""
        was, now = edit.old.text, edit.new.text
        for name in self._handed:
            was, now = (re.sub(rf"\b{re.escape(name)}\([^()]*\)", name, each) for each in (was, now))
        return bool(was) and was == now and edit.old.text != edit.new.text

    def _only_writes_gone(self, item: Item) -> bool:
        """Whether lines do nothing but set attributes that the new revision does not have."""
        lines = [each for each in item.inside() if each.sort == "line" and not each.items]
        return bool(lines) and all(map(self._writes_gone, lines))

    def _writes_gone(self, line: Item) -> bool:
        said = {part.name: part for part in line.parts}
        if "what is changed" not in said or said["what it does"].form != ("Assign",):
            return False
        written = [each for each in said["what is changed"].form if isinstance(each, Name) and each.sort == "attribute"]
        return bool(written) and not any(each in self._names for each in written)

    def _coded(self, numbers: Sequence[int]) -> Iterator[Draft]:
        left = list(numbers)
        apart = [each for each in left if not isinstance(self._edits[each], Moved) or self._is_block_told(each)]
        for wrap in wraps(self._edits, apart):
            left = [each for each in left if each not in wrap.edits]
            yield self._wrapped(wrap)
        for gone, come in self._exchanged(left):
            left.remove(gone)
            left.remove(come)
            old, new = _item(self._edits[gone]), _item(self._edits[come])
            assert old is not None
            assert new is not None
            yield self._draft(CHANGED, new, 1, self._saying.exchanged(old, new), (gone, come))
        for number in left:
            yield self._one(number)

    def _is_block_told(self, number: int) -> bool:
        """Whether all that is told of a moved line is which block it entered or left."""
        return self._told[number].text.startswith(("now inside ", "no longer inside "))

    def _wrapped(self, wrap: Wrap) -> Draft:
        was, now = (None if each is None else head(self._block(each)) for each in (wrap.gone, wrap.come))
        lines = [self._block(each) for each in wrap.moved]
        halves = self._saying.wrapped(was, now, lines)
        return self._draft(CHANGED, lines[0], 1, halves, wrap.edits)

    def _block(self, number: int) -> Item:
        found = _item(self._edits[number])
        assert found is not None
        return found

    def _exchanged(self, numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
        """A line that went and one that came in the same place, where these are all that did."""
        groups: dict[tuple[str, str], tuple[list[int], list[int]]] = {}
        for number in numbers:
            edit = self._edits[number]
            item = lone(edit)
            if item is not None and item.sort == "line" and not item.items:
                pair = groups.setdefault((self._told[number].group, item.sort), ([], []))
                pair[isinstance(edit, Added)].append(number)
        yield from ((gone[0], come[0]) for gone, come in groups.values() if len(gone) == len(come) == 1)

    def _one(self, number: int) -> Draft:
        edit, item = self._edits[number], _item(self._edits[number])
        assert item is not None
        side = 0 if isinstance(edit, Removed) else 1
        if isinstance(edit, Added | Removed) and (item.sort in _HAPPENING or item.name is not None):
            said = self._saying.opened(item, side)
            return self._draft(
                *((NEW, item, 1, Halves("", said)) if side else (GONE, item, 0, Halves(said, ""))), (number,)
            )
        halves = self._saying.cells(edit)
        if halves:  # of a whole line of a table, which stands for all its columns
            return self._draft(CHANGED, self._margins[1].declaration(item), 1, halves, (number,))
        around = self._margins[side].around(item) if isinstance(edit, Added | Removed) else None
        within = self._saying.under(around, side) if item.sort == "line" and around is not None else ""
        halves = self._saying.halves(edit, self._told[number].text, within)
        return self._draft(CHANGED, item, side, halves, (number,))

    def _draft(self, kind: str, item: Item, side: int, halves: Halves, edits: tuple[int, ...]) -> Draft:
        cites = self._margins[side].inside(item) if kind != CHANGED else self._margins[side].own(item)
        clauses = (cites, ()) if side == 0 else ((), cites)
        name = called(item, self._margins[side], self._saying.titles[side])
        said = (halves.was, halves.now, (), clauses, ())
        row = Row(kind, name, *said, edits=edits, meant=halves.meant, whole=halves.whole)
        last = len(self._order)
        return Draft(row, self._order.get(cites[0], last) if cites else last, direct=True, spoken=False)


def _item(edit: Edit) -> Item | None:
    """The item an edit is about, of the new revision where it is in both; none for a name of a variable."""
    old, new = sides(edit)
    return new or old
