"""Where items stand, how designers call their places, and pieces of the text that are quoted of an edit."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise, takewhile

from rulewright.comparing.edits import Correspondence
from rulewright.comparing.pairing import REMARKS
from rulewright.frozen import dataclass
from rulewright.outline.items import Item, Name, Outline


@dataclass(frozen=True, slots=True)
class Quote:
    """A piece of a ruleset's text."""

    text: str


Phrase = tuple[str | Quote, ...]


def plain(phrase: Phrase) -> str:
    """A phrase with its pieces of text between backticks."""
    return "".join(f"`{each.text}`" if isinstance(each, Quote) else each for each in phrase)


def joined(phrases: Iterator[Phrase], between: str) -> Phrase:
    """Phrases after each other, with words between each two."""
    found: list[str | Quote] = []
    for number, phrase in enumerate(phrases):
        found += [between, *phrase] if number else phrase
    return tuple(found)


_LONGEST = 160
_NEAR = 2
_LONGEST_BODY = 240
_LONGEST_WHOLE = 400
_HEADS = frozenset({"procedure", "handler", "standing rule"})
_MEMBERS = frozenset({"kind", "record"})


class Quoting:
    """Shows items of one revision.

    Args:
        outline: of that revision.
        moved: what is told by itself, so that what it stands in is shown without it.
    """

    def __init__(self, outline: Outline, moved: Iterable[Item]) -> None:
        self._lists = {item.name: item for item in outline.items if item.sort == "list of words"}
        self._moved = frozenset(id(each) for each in moved)

    def whole(self, item: Item) -> Phrase:
        """All that is to be shown of an item."""
        if item.sort in REMARKS:
            return (f'{item.sort} {item.id}: "{item.title}"',)
        if item.sort == "setting":
            return (f"setting {item.id}{titled(item)}: {self._choices(item)}",)
        if item.sort in _MEMBERS:
            members = ", ".join(each.id for each in item.items)
            return (f"{item.sort} {item.id}{titled(item)}{': ' if members else ''}{members}",)
        if item.sort == "list of words":
            return (f"{item.sort} {item.id}{titled(item)}: {', '.join(each.id for each in item.items)}",)
        if item.sort == "parameter":
            return ("parameter ", Quote(short(item.text)))
        return (Quote(self._full(item)),)

    def _choices(self, setting: Item) -> str:
        """What a setting can be, and what it is unless it is chosen: `low or high; low unless chosen`."""
        said: Mapping[str, str] = {part.name: part.text for part in setting.parts}
        words = self.listed(setting)
        every = [each.id for each in words.items] if words else ["yes", "no"] if said["type"] == "flag" else []
        choices = f"{', '.join(every[:-1])} or {every[-1]}" if len(every) > 1 else said["type"]
        return f"{choices}; {said['value']} unless chosen"

    def listed(self, setting: Item) -> Item | None:
        """The list of words that a setting chooses from."""
        said = (each for part in setting.parts if part.name == "type" for each in part.form)
        return next((self._lists[each] for each in said if isinstance(each, Name) and each in self._lists), None)

    def _full(self, item: Item) -> str:
        """The line of an item with the lines inside it where these are few and short."""
        inside = [each for each in item.items if each.sort not in {"parameter", "word"}]
        if self._has_moved(item):
            return self._opened(item)
        if not inside or item.sort in _HEADS:
            return short(_head(item), _LONGEST_WHOLE if item.name else _LONGEST)
        lines = [each.text for each in inside if not each.items]
        whole = f"{_head(item)}: {'; '.join(lines)}"
        if len(lines) == len(inside) and len(whole) <= (_LONGEST_WHOLE if item.name else _LONGEST_BODY):
            return whole
        if len(inside) == 1 and inside[0].sort == "branch":
            return self._full(inside[0])
        return f"{short(_head(item))}: …"

    def _opened(self, item: Item) -> str:
        """The line of an item into or out of which something moved, with its other branches."""
        if not item.items or item.items[0].sort != "branch":
            return short(_head(item))
        told = (self._opened(each) if self._has_moved(each) else self._full(each) for each in item.items)
        sorts = (each.sort for each in item.items)
        return "; ".join(
            f"else {each}" if number and sort == "branch" else each
            for number, (each, sort) in enumerate(zip(told, sorts, strict=True))
        )

    def _has_moved(self, item: Item) -> bool:
        return any(id(each) in self._moved for each in item.inside())


def _head(item: Item) -> str:
    """The text of an item without the rows inside it."""
    first = next((each.text for each in item.items if each.sort not in {"parameter", "word"} and each.text), "")
    before, found, _ = item.text.partition(f": {first}")
    return before if first and found else item.text


def titled(item: Item) -> str:
    """The title of an item, to stand after its name; nothing where it has none."""
    return f' "{item.title}"' if item.title else ""


def short(text: str, most: int = _LONGEST) -> str:
    """A text, cut behind a word where it is longer than so many characters."""
    return text if len(text) <= most else f"{text[:most].rpartition(' ')[0]} …"


def contrasted(old: str, new: str) -> tuple[str, str]:
    """Two texts that differ, each cut to where it differs, with a few words around, where either is long."""
    return (old, new) if max(len(old), len(new)) <= _LONGEST else cut_to_difference(old, new)


def cut_to_difference(old: str, new: str, around: int = _NEAR) -> tuple[str, str]:
    """Two texts, each cut to where it differs, with so many words around."""
    was, now = old.split(" "), new.split(" ")
    before = begin_alike(was, now)
    after = min(min(len(was), len(now)) - before, begin_alike(was[::-1], now[::-1]))
    return _around(was, before, after, around), _around(now, before, after, around)


def begin_alike(words: Sequence[str], others: Sequence[str]) -> int:
    """With how many words both begin."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(words, others, strict=False)))


def _around(words: Sequence[str], before: int, after: int, around: int) -> str:
    """What stands between so many words at the beginning and at the end, with some of these on each side."""
    first, last = max(before - around, 0), len(words) - max(after - around, 0)
    return " ".join([*(["…"] if first else []), *words[first:last], *(["…"] if last < len(words) else [])])


def modifies(item: Item) -> str:
    """What a modifier does: `+2`, `at most 6`."""
    said: Mapping[str, str] = {part.name: part.text for part in item.parts}
    kind, amount = said.get("kind of change", ""), said.get("amount", "")
    return f"+{amount}".replace("+-", "-").replace("++", "+") if kind == "plus" else f"{kind} {amount}".strip()


_DOTTED = frozenset({"attribute", "part", "attribute of cells", "attribute of sides"})


class Places:
    """Names places of one revision; steps whose id occurs once need no procedure beside it."""

    def __init__(self, outline: Outline) -> None:
        self._procedures = {item.id for item in outline.items if item.sort == "procedure"}
        self._sorts = {item.address: item.sort for item in outline.items}
        self._steps = Counter(item.id for item in outline.every() if item.sort == "step")
        self._step_addresses = {item.address for item in outline.every() if item.sort == "step"}
        self.titles = {item.address: item.title for item in outline.every() if item.sort == "step" or item.name}

    def of(self, item: Item) -> str:  # noqa: PLR0911 - one case for each sort
        """Where an item is, or what declaration it is."""
        owner = item.address.partition("/")[0]
        match item.sort:
            case "step":
                return self._step(item.address)
            case "game field":
                return f"game.{item.id}"
            case "word":
                return f"word {item.id} of {owner}"
            case "parameter":
                return f"{self.around(item)}, parameter {item.id}"
            case _ if item.sort in _DOTTED:
                return f"{item.sort} {item.address.replace('/', '.')}"
            case _ if item.address in self._sorts or not item.address:
                return f"{item.sort} {item.id}".rstrip()
        return " ".join(filter(None, (self.around(item), self.line(item), item.id)))

    def line(self, item: Item) -> str:
        """The name of the line that a row, option or key stands in; empty for anything else."""
        inside = item.address.split("/")
        depth = 2 if "/".join(inside[:2]) in self._step_addresses else 1
        return " ".join(inside[depth:-1])

    def around(self, item: Item) -> str:
        """The step or declaration an item stands in."""
        owner, _, rest = item.address.partition("/")
        step = f"{owner}/{rest.partition('/')[0]}"
        if step in self._step_addresses:
            return self._step(step)
        return owner if owner in self._procedures else f"{self._sorts.get(owner, '')} {owner}".lstrip()

    def title(self, item: Item) -> str:
        """The title of the step or declaration an item stands in; empty where it has none."""
        owner, _, rest = item.address.partition("/")
        step = f"{owner}/{rest.partition('/')[0]}"
        return self.titles.get(step if step in self._step_addresses else owner, "")

    def decided_by(self, item: Item) -> str:
        """The name that a row of a line decides; nothing where the row is one of a declaration."""
        inside = item.address.split("/")
        return inside[-2] if inside[0] in self._procedures and len(inside) > 2 else ""  # noqa: PLR2004

    def _step(self, address: str) -> str:
        procedure, _, step = address.partition("/")
        return step if self._steps[step] == 1 and not step.isalnum() else f"{procedure} {step}"


def carried(item: Item, same: Correspondence) -> Item | None:
    """An item of the old revision at the place that what was around it has now; none where nothing is around it."""
    around, _, own = item.address.rpartition("/")
    while around:
        if around in same.addresses and item.sort != "step":
            return replace(item, address=f"{same.addresses[around]}/{own}")
        around, _, last = around.rpartition("/")
        own = f"{last}/{own}"
    return None


_SILENT = frozenset({"parameter", "ruling"})
_BLOCKS = frozenset({"line", "branch", "case", "else", "option", "watch"})


class Standing:
    """What is around and before every item of one revision."""

    def __init__(self, outline: Outline) -> None:
        self._around = {id(each): item for item in outline.every() for each in item.items}
        rows = (outline.items, *(item.items for item in outline.every()))
        ordered = ([each for each in row if each.ordered and each.sort not in _SILENT] for row in rows)
        beside = [pair for row in ordered for pair in pairwise(row)]
        self._before = {id(each): before for before, each in beside}
        self._behind = {id(before): each for before, each in beside}

    def blocks(self, item: Item) -> Iterator[Item]:
        """The lines an item stands in, the innermost first."""
        around = self._around.get(id(item))
        while around is not None and around.sort in _BLOCKS:
            yield around
            around = self._around.get(id(around))

    def called(self, block: Item) -> Phrase:
        """A line by its text; the other side of an `if` by its condition."""
        around = self._around.get(id(block))
        if block.sort != "else" or around is None:
            return (Quote(short(block.text)),)
        first = next((each for each in around.items if each.sort == "branch"), around)
        return ("the `else` of ", Quote(short(first.text)))

    def before(self, item: Item) -> Item | None:
        """What stands before an item, of those whose order counts; none where it is the first."""
        return self._before.get(id(item))

    def behind(self, item: Item) -> Item | None:
        """What stands behind an item, of those whose order counts; none where it is the last."""
        return self._behind.get(id(item))


Same = Callable[[Item, Item], bool]
"""Whether an item of the old revision is one of the new one."""


def moved(old: Standing, was: Item, new: Standing, now: Item, same: Same) -> Phrase:
    """Where an item went that did not leave its step or declaration: what it entered and left, else its place.

    What was around it before under another condition was not entered.
    """
    before, after = _opening(old.blocks(was)), _opening(new.blocks(now))
    left = [each for each in before if not any(same(each, other) for other in after)]
    entered = [each for each in after if not any(same(other, each) for other in before)]
    told: list[Phrase] = []
    if entered:
        told.append(("now inside ", *new.called(entered[0])))
    if left:
        told.append(("no longer inside ", *old.called(left[0])))
    return joined(iter(told), ", ") or _beside(now, new)


def _opening(blocks: Iterator[Item]) -> list[Item]:
    """Blocks that say when or how often; the line around branches says nothing by itself."""
    return [each for each in blocks if not any(inner.sort == "branch" for inner in each.items)]


def _beside(item: Item, standing: Standing) -> Phrase:
    """What an item comes after; where that or what is behind reads as the item does, what all of these come before."""
    before, behind = standing.before(item), standing.behind(item)
    if item.text in {each.text for each in (before, behind) if each is not None}:
        while behind is not None and behind.text == item.text:
            behind = standing.behind(behind)
        if behind is not None:
            return ("now comes before ", _named(behind))
    return ("now comes first",) if before is None else ("now comes after ", _named(before))


def _named(item: Item) -> str | Quote:
    title = f'"{short(item.title)}"' if item.title else ""
    if item.sort == "step":
        return f"step {item.id} {title}".rstrip()
    return title or item.id or Quote(short(item.text))
