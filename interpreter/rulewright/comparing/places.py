"""How designers call the place of an item: `12.3 tied`, `setting fog`, `Unit.health`."""

from collections import Counter
from dataclasses import replace

from rulewright.comparing.naming import Correspondence
from rulewright.comparing.outline import Item, Outline

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
