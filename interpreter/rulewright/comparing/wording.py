"""Edits in words: where, and what was and is."""

from collections.abc import Iterator

from rulewright.comparing.edits import (
    Added,
    Changed,
    Difference,
    Edit,
    Moved,
    Recited,
    Relabelled,
    Removed,
    Renamed,
    Reworded,
)
from rulewright.comparing.outline import Item, Outline, Part
from rulewright.comparing.places import Places
from rulewright.frozen import dataclass

_LONGEST = 160


@dataclass(frozen=True, slots=True)
class Sentence:
    """What an edit did.

    Attributes:
        place: where, as designers call it.
        text: what was and is.
        cites: clauses of the place, of the new revision where it is in both.
    """

    place: str
    text: str
    cites: tuple[str, ...]

    def __str__(self) -> str:
        """Both in one line."""
        return f"{self.place}: {self.text}"


class Words:
    """Puts the edits between two outlines into words."""

    def __init__(self, old: Outline, new: Outline) -> None:
        self._old = Places(old)
        self._new = Places(new)

    def sentence(self, edit: Edit) -> Sentence:  # noqa: PLR0911 - one case for each sort
        """One edit as a sentence."""
        match edit:
            case Added(new):
                return Sentence(self._place(new, self._new), f"added{_quoted(new)}", new.cites)
            case Removed(old):
                return Sentence(self._place(old, self._old), f"removed{_quoted(old)}", old.cites)
            case Moved(old, new):
                return Sentence(self._place(new, self._new), self._moved(old, new), new.cites)
            case Renamed(old, new):
                return Sentence(self._old.of(old), f"is now called {_called(new)}", new.cites)
            case Relabelled(old, new):
                return Sentence(new.owner, f"the name {old.last} is now {new.last}", ())
            case Reworded(old, new):
                return Sentence(self._new.of(new), f"{_text(old.title)} now reads {_text(new.title)}", new.cites)
            case Recited(_, new, lost, found):
                return Sentence(self._new.of(new), _margin(lost, found), new.cites)
            case Changed(old, new, differences):
                return Sentence(self._place(new, self._new), self._changed(old, new, differences), new.cites)

    def _place(self, item: Item, places: Places) -> str:
        return places.around(item) if _is_nameless(item) else places.of(item)

    def _moved(self, old: Item, new: Item) -> str:
        before, after = self._old.around(old), self._new.around(new)
        what = f" `{_short(new.text)}`" if _is_nameless(new) else ""
        if before != after:
            return f"moved here from {before}:{what}" if what else f"moved here from {before}"
        return f"comes at another place{':' if what else ''}{what}"

    def _changed(self, old: Item, new: Item, differences: tuple[Difference, ...]) -> str:
        if _is_nameless(new) or not all(_has_words(each) for each in differences):
            return f"was `{_short(old.text)}`, is `{_short(new.text)}`"
        if {each.name for each in differences} <= {"kind of change", "amount"}:
            return f"was {_amount(old)}, is {_amount(new)}"
        decided = self._new.decided_by(new) if new.sort == "row" else ""
        return "; ".join(_difference(each, decided) for each in differences)


def _is_nameless(item: Item) -> bool:
    return item.sort in {"line", "branch", "case", "else", "watch", "hold"} and not item.id


_VERBS = {
    "gives": ("gave", "gives"),
    "lowers": ("lowered", "lowers"),
    "changes": ("changed", "changes"),
    "arguments": ("arguments were", "arguments are"),
    "faces": ("faces were", "faces are"),
    "names": ("names were", "names are"),
    "holders": ("holders were", "holders are"),
}
"""What to say of parts that are no single thing: what they were, what they are."""


def _has_words(difference: Difference) -> bool:
    return all(part is None or part.text for part in (difference.was, difference.now))


def _difference(difference: Difference, decided: str) -> str:
    name = decided if decided and difference.name == "value" else difference.name
    match difference.was, difference.now:
        case None, Part(text=now):
            return f"{_VERBS.get(name, ('', f'{name} is'))[1]} {now}, where there was none"
        case Part(text=was), None:
            return f"{_VERBS.get(name, (f'{name} was', ''))[0]} {was}, and there is none now"
        case Part(text=was), Part(text=now):
            before, after = _VERBS.get(name, (f"{name} was", "is"))
            return f"{before} {was}, {after.removeprefix(f'{name} ')} {now}"
        case _:
            return name


def _amount(item: Item) -> str:
    """The change of a modifier: `+2`, `at most 6`."""
    said = {part.name: part.text for part in item.parts}
    if said["kind of change"] != "plus":
        return f"{said['kind of change']} {said['amount']}"
    return f"+{said['amount']}".replace("+-", "-")


def _margin(lost: tuple[str, ...], found: tuple[str, ...]) -> str:
    told = [f"cites {', '.join(found)}" if found else "", f"no longer cites {', '.join(lost)}" if lost else ""]
    return ", ".join(filter(None, told))


def _called(item: Item) -> str:
    return item.address.replace("/", ".") if item.sort == "attribute" else item.id


def _text(title: str) -> str:
    return f'"{title}"' if title else "nothing"


def _quoted(item: Item) -> str:
    return f" `{_short(item.text)}`" if item.text else ""


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST].rstrip()} …"


def sentences(edits: tuple[Edit, ...], old: Outline, new: Outline) -> Iterator[tuple[Edit, Sentence]]:
    """Every edit with its sentence."""
    words = Words(old, new)
    return ((each, words.sentence(each)) for each in edits)
