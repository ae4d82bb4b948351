"""Edits in words: where, and what was and is."""

import re
from collections.abc import Iterator

from rulewright.base.frozen import dataclass
from rulewright.diff.edits import (
    AddEdit,
    ChangeEdit,
    ClauseEdit,
    Correspondence,
    Edit,
    MoveEdit,
    PartDifference,
    RelabelEdit,
    RemoveEdit,
    RenameEdit,
    RewordEdit,
)
from rulewright.diff.item_descriptions import (
    ItemNeighbours,
    ItemQuoter,
    Phrase,
    PlaceNames,
    TextQuote,
    describe_modifier,
    describe_relocation,
    join_phrases,
    phrase_text,
    relocate_removed_item,
    shorten_contrast,
    shorten_text,
)
from rulewright.program.outline.items import ItemPart, Outline, OutlineItem
from rulewright.program.outline.line_items import CELL_SEPARATOR


@dataclass(frozen=True, slots=True)
class EditSentence:
    """What an edit did."""

    place: str  # where, as designers call it
    phrase: Phrase  # what was and is
    cites: tuple[str, ...]  # clauses of the place, of the new revision where it is in both

    def __str__(self) -> str:
        """Both in one line."""
        return f"{self.place}: {phrase_text(self.phrase)}"


class EditWording:
    """Puts the edits between two outlines into words."""

    def __init__(self, edits: tuple[Edit, ...], old: Outline, new: Outline, same: Correspondence) -> None:
        moves = [edit for edit in edits if isinstance(edit, MoveEdit)]
        self._old_places, self._new_places = PlaceNames(old), PlaceNames(new)
        self._old_neighbours, self._new_neighbours = ItemNeighbours(old), ItemNeighbours(new)
        self._old_quoter = ItemQuoter(old, (move.old for move in moves))
        self._new_quoter = ItemQuoter(new, (move.new for move in moves))
        self._correspondence = same
        self._partners_by_id = {id(edit.old): edit.new for edit in edits if isinstance(edit, ChangeEdit | MoveEdit)}

    def describe_edit(self, edit: Edit) -> EditSentence:
        """One edit as a sentence."""
        match edit:
            case AddEdit(new):
                return EditSentence(
                    _name_edit_place(new, self._new_places),
                    ("added ", *self._new_quoter.quote_item(new)),
                    _collect_cited_clauses(new),
                )
            case RemoveEdit(old):
                now = relocate_removed_item(old, self._correspondence)
                place = _name_edit_place(now, self._new_places) if now else _name_edit_place(old, self._old_places)
                return EditSentence(place, ("removed ", *self._old_quoter.quote_item(old)), _collect_cited_clauses(old))
            case MoveEdit(old, new):
                return EditSentence(_name_edit_place(new, self._new_places), self._describe_move(old, new), new.cites)
            case RenameEdit(old, new):
                return EditSentence(_name_edit_place(old, self._old_places), _describe_rename(old, new), new.cites)
            case RelabelEdit(old, new):
                return EditSentence(new.owner, (f"the name {old.short_name} is now {new.short_name}",), ())
            case RewordEdit(old, new):
                return EditSentence(
                    self._new_places.name_place(new), (_describe_rewording(old.title, new.title),), new.cites
                )
            case ClauseEdit(_, new, lost, found):
                return EditSentence(
                    self._new_places.name_place(new), (_describe_clause_change(lost, found),), new.cites
                )
            case ChangeEdit(old, new, differences):
                return EditSentence(
                    _name_edit_place(new, self._new_places),
                    self._describe_item_change(old, new, differences),
                    new.cites,
                )

    def _describe_move(self, old: OutlineItem, new: OutlineItem) -> Phrase:
        before, after = (
            ("", "")
            if new.sort == "step"
            else (self._old_places.name_container(old), self._new_places.name_container(new))
        )
        is_told = _is_unnamed_line(new) or new.sort == "requirement"
        what: Phrase = (": ", TextQuote(shorten_text(new.text))) if is_told else ()
        came = f"moved here from {before}"
        return (
            (came, *what)
            if before != after
            else (*describe_relocation(self._old_neighbours, old, self._new_neighbours, new, self._is_same_item), *what)
        )

    def _is_same_item(self, old: OutlineItem, new: OutlineItem) -> bool:
        """Whether a line of the old revision is this one of the new: by its edit, else by its place and its words."""
        known = self._partners_by_id.get(id(old))
        if known is not None:
            return known is new
        address = self._correspondence.addresses.get(old.address, old.address)
        return (old.sort, address, old.text) == (new.sort, new.address, new.text)

    def _describe_item_change(
        self, old: OutlineItem, new: OutlineItem, differences: tuple[PartDifference, ...]
    ) -> Phrase:
        if old.text != new.text and (_is_unnamed_line(new) or not all(map(_has_part_text, differences))):
            return _contrast_items(old, new)
        value = self._new_places.decided_name(new) if new.sort == "row" else "default" if new.sort == "setting" else ""
        modifies = _MODIFIER_PARTS if any(part.name == "kind of change" for part in new.parts) else ()
        modified = (
            _describe_modifier_change(old, new)
            if any(difference.name in modifies for difference in differences)
            else ()
        )
        others = (
            _describe_part_difference(difference, value)
            for difference in differences
            if difference.name not in modifies and _has_visible_difference(difference)
        )
        told = [item for item in (modified, *others) if item]
        return join_phrases(iter(told), "; ") or _contrast_items(old, new)


def _collect_cited_clauses(item: OutlineItem) -> tuple[str, ...]:
    """The clauses of what came or went, and of all lines inside it, each once."""
    return tuple(dict.fromkeys(cite for inside in item.walk_subtree() for cite in inside.cites))


def _contrast_items(old: OutlineItem, new: OutlineItem) -> Phrase:
    if old.text == new.text:
        return (TextQuote(shorten_text(new.text)), " reads as before and means something else")
    was, now = shorten_contrast(old.text, new.text)
    return ("was ", TextQuote(was), ", is ", TextQuote(now))


def _name_edit_place(item: OutlineItem, places: PlaceNames) -> str:
    return places.name_container(item) if _is_unnamed_line(item) else places.name_place(item)


def _is_unnamed_line(item: OutlineItem) -> bool:
    return item.sort in {"line", "branch", "case", "else", "watch", "hold"} and not item.id


_PART_VERBS = {
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


def _has_visible_difference(difference: PartDifference) -> bool:
    """Whether a part is there in one revision only, or has words of its own in each that differ."""
    was, now = difference.was, difference.now
    return _has_part_text(difference) and (was is None or now is None or was.text != now.text)


def _has_part_text(difference: PartDifference) -> bool:
    return all(part is None or part.text for part in (difference.was, difference.now))


def _describe_part_difference(difference: PartDifference, value: str) -> Phrase:
    name = _name_part_difference(difference, value)
    if name == "inner":
        became = difference.was is None
        return ("became inner: it is only performed" if became else "is no longer inner: it can be begun",)
    match difference.was, difference.now:
        case None, ItemPart(text=now):
            return (
                f"{_PART_VERBS.get(name, ('', f'{name} is'))[1]} ",
                *_quote_part_values(now),
                ", where there was none",
            )
        case ItemPart(text=was), None:
            return (
                f"{_PART_VERBS.get(name, (f'{name} was', ''))[0]} ",
                *_quote_part_values(was),
                ", and there is none now",
            )
        case ItemPart(text=was), ItemPart(text=now):
            before, after = _PART_VERBS.get(name, (f"{name} was", "is"))
            one, other = _quote_part_values(
                *(_keep_differing_cells(was, now) if name == "cells" else shorten_contrast(was, now))
            )
            return (f"{before} ", one, f", {after.removeprefix(f'{name} ')} ", other)
        case _:
            return (name,)


def _keep_differing_cells(was: str, now: str) -> tuple[str, str]:
    """Of two rows of a table the cells that differ."""
    before, after = was.split(CELL_SEPARATOR), now.split(CELL_SEPARATOR)
    if len(before) != len(after):
        return was, now
    apart = [pair for pair in zip(before, after, strict=True) if pair[0] != pair[1]]
    return CELL_SEPARATOR.join(old for old, _ in apart), CELL_SEPARATOR.join(new for _, new in apart)


def _quote_part_values(*texts: str) -> tuple[str | TextQuote, ...]:
    """What parts say: as it is where all are words or numbers, else as pieces of text."""
    return texts if all(map(_UNQUOTED_PATTERN.fullmatch, texts)) else tuple(map(TextQuote, texts))


_UNQUOTED_PATTERN = re.compile(r"[-+\w. ]+")


def _name_part_difference(difference: PartDifference, value: str) -> str:
    """What is otherwise; a value may be called by what it is the value of."""
    if difference.name == "value" and value:
        return value
    numbers = all(part is None or part.form[:1] == ("NumberType",) for part in (difference.was, difference.now))
    return "range" if difference.name == "type" and numbers else difference.name


_MODIFIER_PARTS = frozenset({"kind of change", "amount"})


def _describe_modifier_change(old: OutlineItem, new: OutlineItem) -> Phrase:
    """How a modifier changes what it modifies; nothing where both say the same."""
    before, after = describe_modifier(old), describe_modifier(new)
    was, now = _quote_part_values(before, after)
    return () if before == after else ("was ", was, ", is ", now)


def _describe_clause_change(lost: tuple[str, ...], found: tuple[str, ...]) -> str:
    told = [f"cites {', '.join(found)}" if found else "", f"no longer cites {', '.join(lost)}" if lost else ""]
    return ", ".join(filter(None, told))


def _describe_rename(old: OutlineItem, new: OutlineItem) -> Phrase:
    """How a thing is called now; of a line that had no name, which line it is."""
    if not new.id:
        return ("no longer has a name",)
    return (*(() if old.id else (TextQuote(shorten_text(old.text)), " ")), f"is now called {_name_renamed_item(new)}")


def _name_renamed_item(item: OutlineItem) -> str:
    return item.address.replace("/", ".") if item.sort == "attribute" else item.id


def _describe_rewording(before: str, after: str) -> str:
    if not before or not after:
        return f'now reads "{after}"' if after else f'no longer reads "{before}"'
    return f'"{before}" now reads "{after}"'


def describe_edits(
    edits: tuple[Edit, ...], old: Outline, new: Outline, same: Correspondence
) -> Iterator[tuple[Edit, EditSentence]]:
    """Every edit with its sentence."""
    words = EditWording(edits, old, new, same)
    return ((edit, words.describe_edit(edit)) for edit in edits)
