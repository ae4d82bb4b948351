"""Where items stand among others, and how designers call their places: `12.3 tied`, `setting fog`, `Unit.health`."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise

from rulewright.comparing.naming import Correspondence
from rulewright.comparing.quoting import Phrase, Quote, joined, short
from rulewright.outline.items import Item, Outline

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


_BLOCKS = frozenset({"line", "branch", "case", "else", "option", "watch"})


class Standing:
    """What is around and before every item of one revision."""

    def __init__(self, outline: Outline) -> None:
        self._around = {id(each): item for item in outline.every() for each in item.items}
        rows = (outline.items, *(item.items for item in outline.every()))
        self._before = {id(each): before for row in rows for before, each in _following(row)}

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


def _following(row: tuple[Item, ...]) -> Iterator[tuple[Item, Item]]:
    ordered = [each for each in row if each.ordered and each.sort != "parameter"]
    return pairwise(ordered)


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
    return joined(iter(told), ", ") or _after(new.before(now))


def _opening(blocks: Iterator[Item]) -> list[Item]:
    """Blocks that say when or how often; the line around branches says nothing by itself."""
    return [each for each in blocks if not any(inner.sort == "branch" for inner in each.items)]


def _after(before: Item | None) -> Phrase:
    return ("now comes first",) if before is None else ("now comes after ", _called(before))


def _called(item: Item) -> str | Quote:
    if not item.id:
        return Quote(short(item.text))
    return f"step {item.id}" if item.sort == "step" else item.id
