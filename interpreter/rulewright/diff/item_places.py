"""Places of the items of a revision: their names for people, the blocks around them, and their neighbours."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from rulewright.diff.edits import Correspondence
from rulewright.program.outline.items import Outline, OutlineItem

_DOTTED_SORTS = frozenset({"attribute", "part", "attribute of cells", "attribute of sides"})
_UNNAMED_SORTS = frozenset({"line", "branch", "case", "else", "watch", "hold"})
_BLOCK_SORTS = frozenset({"line", "branch", "case", "else", "option", "watch"})
_UNORDERED_SORTS = frozenset({"parameter", "ruling"})


def is_unnamed_line(item: OutlineItem) -> bool:
    """Whether an item is a line without a name of its own."""
    return item.sort in _UNNAMED_SORTS and not item.id


class ItemPlaces:
    """Parents, neighbours and names of the items of one revision.

    In names, steps with a unique id need no procedure beside it.
    """

    def __init__(self, outline: Outline) -> None:
        self._parents = {id(inner): item for item in outline.walk_items() for inner in item.items}
        self._top_items = outline.items
        self._procedures = {item.id for item in outline.items if item.sort == "procedure"}
        self._sorts = {item.address: item.sort for item in outline.items}
        self._steps = Counter(item.id for item in outline.walk_items() if item.sort == "step")
        self._step_addresses = {item.address for item in outline.walk_items() if item.sort == "step"}
        self.titles = {item.address: item.title for item in outline.walk_items() if item.sort == "step" or item.name}

    def find_parent(self, item: OutlineItem) -> OutlineItem | None:
        """Parent of an item; None for a declaration."""
        return self._parents.get(id(item))

    def find_declaration(self, item: OutlineItem) -> OutlineItem:
        """Declaration of an item, perhaps itself."""
        around = self.find_parent(item)
        return item if around is None else self.find_declaration(around)

    def enclosing_blocks(self, item: OutlineItem) -> Iterator[OutlineItem]:
        """Lines with a condition or a repetition that contain an item, innermost first."""
        around = self.find_parent(item)
        while around is not None and around.sort in _BLOCK_SORTS:
            if not any(inner.sort == "branch" for inner in around.items):  # else it says nothing by itself
                yield around
            around = self.find_parent(around)

    def split_siblings(self, item: OutlineItem) -> tuple[list[OutlineItem], list[OutlineItem]]:
        """Items before an item and after it, of those beside it whose order counts."""
        around = self.find_parent(item)
        row = [
            inner
            for inner in (self._top_items if around is None else around.items)
            if inner is item or (inner.ordered and inner.sort not in _UNORDERED_SORTS)
        ]
        place = next(number for number, inner in enumerate(row) if inner is item)
        return row[:place], row[place + 1 :]

    def name_edited_place(self, item: OutlineItem) -> str:
        """Name of the place of an edit; of a line without a name that of its step or declaration."""
        return self.name_container(item) if is_unnamed_line(item) else self.name_place(item)

    def name_place(self, item: OutlineItem) -> str:
        """Name of an item's place, or of the declaration it is."""
        owner = item.address.partition("/")[0]
        match item.sort:
            case "step":
                return self._name_step(item.address)
            case "game field":
                return f"game.{item.id}"
            case "word":
                return f"word {item.id} of {owner}"
            case "parameter":
                return f"{self.name_container(item)}, parameter {item.id}"
            case _ if item.sort in _DOTTED_SORTS:
                return f"{item.sort} {item.address.replace('/', '.')}"
            case _ if item.address in self._sorts or not item.address:
                return f"{item.sort} {item.id}".rstrip()
        return " ".join(filter(None, (self.name_container(item), self.name_inner_line(item), item.id)))

    def name_inner_line(self, item: OutlineItem) -> str:
        """Name of the line that contains a row, option or key; empty for anything else."""
        inside = item.address.split("/")
        depth = 2 if "/".join(inside[:2]) in self._step_addresses else 1
        return " ".join(inside[depth:-1])

    def name_container(self, item: OutlineItem) -> str:
        """Name of the step or declaration that contains an item."""
        owner, _, rest = item.address.partition("/")
        step = f"{owner}/{rest.partition('/')[0]}"
        if step in self._step_addresses:
            return self._name_step(step)
        return owner if owner in self._procedures else f"{self._sorts.get(owner, '')} {owner}".lstrip()

    def container_title(self, item: OutlineItem) -> str:
        """Title of the step or declaration that contains an item; empty where it has none."""
        owner, _, rest = item.address.partition("/")
        step = f"{owner}/{rest.partition('/')[0]}"
        return self.titles.get(step if step in self._step_addresses else owner, "")

    def _name_step(self, address: str) -> str:
        procedure, _, step = address.partition("/")
        return step if self._steps[step] == 1 and not step.isalnum() else f"{procedure} {step}"


def relocate_removed_item(item: OutlineItem, same: Correspondence) -> OutlineItem | None:
    """Removed item at the present place of its old surroundings; None where these are gone."""
    around, _, suffix = item.address.rpartition("/")
    while around:
        if around in same.addresses and item.sort != "step":
            return replace(item, address=f"{same.addresses[around]}/{suffix}")
        around, _, last = around.rpartition("/")
        suffix = f"{last}/{suffix}"
    return None
