"""Edits in words: where, and what was and is."""

import re
from collections.abc import Iterator

from rulewright.comparing.edits import (
    Added,
    Changed,
    Correspondence,
    Difference,
    Edit,
    Moved,
    Recited,
    Relabelled,
    Removed,
    Renamed,
    Reworded,
)
from rulewright.comparing.item_places import (
    Phrase,
    Places,
    Quote,
    Quoting,
    Standing,
    carried,
    contrasted,
    joined,
    modifies,
    moved,
    plain,
    short,
)
from rulewright.frozen import dataclass
from rulewright.outline.items import Item, Outline, Part
from rulewright.outline.lines import CELLS


@dataclass(frozen=True, slots=True)
class Sentence:
    """What an edit did."""

    place: str  # where, as designers call it
    said: Phrase  # what was and is
    cites: tuple[str, ...]  # clauses of the place, of the new revision where it is in both

    def __str__(self) -> str:
        """Both in one line."""
        return f"{self.place}: {plain(self.said)}"


class Words:
    """Puts the edits between two outlines into words."""

    def __init__(self, edits: tuple[Edit, ...], old: Outline, new: Outline, same: Correspondence) -> None:
        moves = [each for each in edits if isinstance(each, Moved)]
        self._old, self._new = Places(old), Places(new)
        self._stood, self._stand = Standing(old), Standing(new)
        self._gone = Quoting(old, (each.old for each in moves))
        self._come = Quoting(new, (each.new for each in moves))
        self._same = same
        self._paired = {id(each.old): each.new for each in edits if isinstance(each, Changed | Moved)}

    def sentence(self, edit: Edit) -> Sentence:  # noqa: PLR0911 - one case for each sort
        """One edit as a sentence."""
        match edit:
            case Added(new):
                return Sentence(_place(new, self._new), ("added ", *self._come.whole(new)), _cited(new))
            case Removed(old):
                now = carried(old, self._same)
                place = _place(now, self._new) if now else _place(old, self._old)
                return Sentence(place, ("removed ", *self._gone.whole(old)), _cited(old))
            case Moved(old, new):
                return Sentence(_place(new, self._new), self._moved(old, new), new.cites)
            case Renamed(old, new):
                return Sentence(_place(old, self._old), _renamed(old, new), new.cites)
            case Relabelled(old, new):
                return Sentence(new.owner, (f"the name {old.last} is now {new.last}",), ())
            case Reworded(old, new):
                return Sentence(self._new.of(new), (_reworded(old.title, new.title),), new.cites)
            case Recited(_, new, lost, found):
                return Sentence(self._new.of(new), (_margin(lost, found),), new.cites)
            case Changed(old, new, differences):
                return Sentence(_place(new, self._new), self._changed(old, new, differences), new.cites)

    def _moved(self, old: Item, new: Item) -> Phrase:
        before, after = ("", "") if new.sort == "step" else (self._old.around(old), self._new.around(new))
        is_told = _is_nameless(new) or new.sort == "requirement"
        what: Phrase = (": ", Quote(short(new.text))) if is_told else ()
        came = f"moved here from {before}"
        return (came, *what) if before != after else (*moved(self._stood, old, self._stand, new, self._is_same), *what)

    def _is_same(self, old: Item, new: Item) -> bool:
        """Whether a line of the old revision is this one of the new: by its edit, else by its place and its words."""
        known = self._paired.get(id(old))
        if known is not None:
            return known is new
        address = self._same.addresses.get(old.address, old.address)
        return (old.sort, address, old.text) == (new.sort, new.address, new.text)

    def _changed(self, old: Item, new: Item, differences: tuple[Difference, ...]) -> Phrase:
        if old.text != new.text and (_is_nameless(new) or not all(map(_has_words, differences))):
            return _contrast(old, new)
        value = self._new.decided_by(new) if new.sort == "row" else "default" if new.sort == "setting" else ""
        modifies = _AMOUNT if any(part.name == "kind of change" for part in new.parts) else ()
        modified = _modified(old, new) if any(each.name in modifies for each in differences) else ()
        others = (_difference(each, value) for each in differences if each.name not in modifies and _reads_apart(each))
        told = [each for each in (modified, *others) if each]
        return joined(iter(told), "; ") or _contrast(old, new)


def _cited(item: Item) -> tuple[str, ...]:
    """The clauses of what came or went, and of all lines inside it, each once."""
    return tuple(dict.fromkeys(each for inside in item.inside() for each in inside.cites))


def _contrast(old: Item, new: Item) -> Phrase:
    if old.text == new.text:
        return (Quote(short(new.text)), " reads as before and means something else")
    was, now = contrasted(old.text, new.text)
    return ("was ", Quote(was), ", is ", Quote(now))


def _place(item: Item, places: Places) -> str:
    return places.around(item) if _is_nameless(item) else places.of(item)


def _is_nameless(item: Item) -> bool:
    return item.sort in {"line", "branch", "case", "else", "watch", "hold"} and not item.id


_VERBS = {
    "gives": ("gave", "gives"),
    "lowers": ("lowered", "lowers"),
    "performs": ("performed", "performs"),
    "changes": ("changed", "changes"),
    "arguments": ("arguments were", "arguments are"),
    "faces": ("faces were", "faces are"),
    "for each": ("was for each", "is for each"),
    "names": ("names were", "names are"),
    "holders": ("holders were", "holders are"),
    "cells": ("applied to", "now applies to"),
}
"""What to say of parts that are no single thing: what they were, what they are."""


def _reads_apart(difference: Difference) -> bool:
    """Whether a part is there in one revision only, or has words of its own in each that differ."""
    was, now = difference.was, difference.now
    return _has_words(difference) and (was is None or now is None or was.text != now.text)


def _has_words(difference: Difference) -> bool:
    return all(part is None or part.text for part in (difference.was, difference.now))


def _difference(difference: Difference, value: str) -> Phrase:
    name = _name(difference, value)
    if name == "inner":
        became = difference.was is None
        return ("became inner: it is only performed" if became else "is no longer inner: it can be begun",)
    match difference.was, difference.now:
        case None, Part(text=now):
            return (f"{_VERBS.get(name, ('', f'{name} is'))[1]} ", *_values(now), ", where there was none")
        case Part(text=was), None:
            return (f"{_VERBS.get(name, (f'{name} was', ''))[0]} ", *_values(was), ", and there is none now")
        case Part(text=was), Part(text=now):
            before, after = _VERBS.get(name, (f"{name} was", "is"))
            one, other = _values(*(_apart(was, now) if name == "cells" else contrasted(was, now)))
            return (f"{before} ", one, f", {after.removeprefix(f'{name} ')} ", other)
        case _:
            return (name,)


def _apart(was: str, now: str) -> tuple[str, str]:
    """Of two rows of a table the cells that differ."""
    before, after = was.split(CELLS), now.split(CELLS)
    if len(before) != len(after):
        return was, now
    apart = [pair for pair in zip(before, after, strict=True) if pair[0] != pair[1]]
    return CELLS.join(old for old, _ in apart), CELLS.join(new for _, new in apart)


def _values(*texts: str) -> tuple[str | Quote, ...]:
    """What parts say: as it is where all are words or numbers, else as pieces of text."""
    return texts if all(map(_PLAIN.fullmatch, texts)) else tuple(map(Quote, texts))


_PLAIN = re.compile(r"[-+\w. ]+")


def _name(difference: Difference, value: str) -> str:
    """What is otherwise; a value may be called by what it is the value of."""
    if difference.name == "value" and value:
        return value
    numbers = all(part is None or part.form[:1] == ("NumberType",) for part in (difference.was, difference.now))
    return "range" if difference.name == "type" and numbers else difference.name


_AMOUNT = frozenset({"kind of change", "amount"})


def _modified(old: Item, new: Item) -> Phrase:
    """How a modifier changes what it modifies; nothing where both say the same."""
    before, after = modifies(old), modifies(new)
    was, now = _values(before, after)
    return () if before == after else ("was ", was, ", is ", now)


def _margin(lost: tuple[str, ...], found: tuple[str, ...]) -> str:
    told = [f"cites {', '.join(found)}" if found else "", f"no longer cites {', '.join(lost)}" if lost else ""]
    return ", ".join(filter(None, told))


def _renamed(old: Item, new: Item) -> Phrase:
    """How a thing is called now; of a line that had no name, which line it is."""
    if not new.id:
        return ("no longer has a name",)
    return (*(() if old.id else (Quote(short(old.text)), " ")), f"is now called {_called(new)}")


def _called(item: Item) -> str:
    return item.address.replace("/", ".") if item.sort == "attribute" else item.id


def _reworded(before: str, after: str) -> str:
    if not before or not after:
        return f'now reads "{after}"' if after else f'no longer reads "{before}"'
    return f'"{before}" now reads "{after}"'


def sentences(
    edits: tuple[Edit, ...], old: Outline, new: Outline, same: Correspondence
) -> Iterator[tuple[Edit, Sentence]]:
    """Every edit with its sentence."""
    words = Words(edits, old, new, same)
    return ((each, words.sentence(each)) for each in edits)
