"""Which edits only write rules otherwise: their declarations are proved to play alike, whatever else is edited."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from rulewright.comparing.edits import Edit, is_rule
from rulewright.comparing.remaining import Pairs, Remaining
from rulewright.outline.items import Item, Outline
from rulewright.outline.names import Name

_INSIDE = frozenset({"parameter", "local", "step", "word", "part", "plural"})
_HAPPENING = frozenset({"rule", "invariant", "handler", "event", "procedure", "external"})
_TRIED = frozenset({"rule", "invariant"})


def rewritten(
    edits: Sequence[Edit], outlines: tuple[Outline, Outline], pairs: Pairs, left: Remaining
) -> frozenset[int]:
    """The numbers of such edits.

    A proof rests on what a declaration mentions, where lines changed places on standing rules, and where names were put
    in on all that happens: where one of these is not proved alike itself, the edit counts as one of a rule. So does a
    declaration of one revision only that something which is not proved alike leads to.
    """
    sides = _Side(outlines[0], left.old), _Side(outlines[1], left.new)
    back = {new: old for old, new in pairs.both.items()}
    rules = any(each.sort in _TRIED for side in sides for each in side.open)
    happens = any(each.sort in _HAPPENING for side in sides for each in side.open)
    apart = "all" if rules else "routines" if happens else ""

    def is_rewriting(edit: Edit) -> bool:
        old, new = (side.owner(item) for side, item in zip(sides, _items(edit), strict=True))
        before, after = old or back.get(new), new or pairs.both.get(old)  # type: ignore[arg-type]
        if before is None or after is None:
            side, alone = (sides[1], after) if before is None else (sides[0], before)
            return alone is not None and alone not in side.left and alone not in side.led
        if before in sides[0].open or after in sides[1].open or pairs.both.get(before) != after:
            return False
        return not apart or pairs.are_equal(before, after, apart=apart)

    return frozenset(number for number, edit in enumerate(edits) if is_rule(edit) and is_rewriting(edit))


def _items(edit: Edit) -> tuple[Item | None, Item | None]:
    old, new = getattr(edit, "old", None), getattr(edit, "new", None)
    return old if isinstance(old, Item) else None, new if isinstance(new, Item) else None


class _Side:
    """One revision: what of it is not proved alike, what that leads to, and what mentions any of it.

    Attributes:
        left: not proved alike.
        open: these, and what computes with any of them, itself or through what it mentions.
        led: what these lead to.
    """

    def __init__(self, outline: Outline, left: Collection[Name]) -> None:
        self._declared = {
            item.address: item.name for item in outline.every() if item.name and item.name.sort not in _INSIDE
        }
        mentioned: dict[Name, set[Name]] = {}
        for item in outline.every():
            owner = self.owner(item)
            if owner is not None:
                mentioned.setdefault(owner, set()).update(_mentioned(item))
        self.left = frozenset(left)
        back: dict[Name, set[Name]] = {}
        for name, inside in mentioned.items():
            for each in inside - {name}:
                back.setdefault(each, set()).add(name)
        read = frozenset(each for each in left if each.sort not in _HAPPENING)
        self.open = self.left | frozenset(
            _led(read, {name: back[name] for name in back if name.sort not in _HAPPENING})
        )
        self.led = frozenset(_led(left, mentioned))

    def owner(self, item: Item | None) -> Name | None:
        """The declaration an item stands in; none for no item."""
        if item is None:
            return None
        address = item.address
        while address and address not in self._declared:
            address = address.rpartition("/")[0]
        return self._declared.get(address)


def _mentioned(item: Item) -> Iterator[Name]:
    for token in item.form:
        if isinstance(token, Name):
            yield Name("values", token.owner) if token.sort == "word" else token


def _led(start: Collection[Name], mentioned: Mapping[Name, Collection[Name]]) -> Iterator[Name]:
    waiting, seen = list(start), set(start)
    while waiting:
        for each in mentioned.get(waiting.pop(), ()):
            if each not in seen:
                seen.add(each)
                waiting.append(each)
                yield each
