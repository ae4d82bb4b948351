"""Wording of edits and of the outline items they touch: labels, shortened texts, differences of parts."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import pairwise

from rulewright.base.frozen import dataclass
from rulewright.base.source import count_common_ends
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
from rulewright.diff.item_matching import REMARK_SORTS
from rulewright.program.outline.items import CELL_SEPARATOR, DeclaredName, ItemPart, Outline, OutlineItem


@dataclass(frozen=True, slots=True)
class TextQuote:
    """Quotation of a ruleset's text."""

    text: str


Phrase = tuple[str | TextQuote, ...]


def phrase_text(phrase: Phrase) -> str:
    """Phrase as text, quotations between backticks."""
    return "".join(f"`{item.text}`" if isinstance(item, TextQuote) else item for item in phrase)


def join_phrases(phrases: Iterator[Phrase], between: str) -> Phrase:
    """Phrases in sequence, with words between each two."""
    items: list[str | TextQuote] = []
    for number, phrase in enumerate(phrases):
        items += [between, *phrase] if number else phrase
    return tuple(items)


_MAX_LINE_CHARS = 160
_CONTEXT_WORDS = 2
_MAX_BODY_CHARS = 240
_MAX_DECLARATION_CHARS = 400
_ROUTINE_SORTS = frozenset({"procedure", "handler", "standing rule"})
_SORTS_WITH_MEMBERS = frozenset({"kind", "record"})


class ItemQuoter:
    """Quotations of the items of one revision.

    Args:
        outline: of that revision.
        moved: items that are told by themselves, so that their block is quoted without them.
    """

    def __init__(self, outline: Outline, moved: Iterable[OutlineItem]) -> None:
        self._word_lists = {item.name: item for item in outline.items if item.sort == "list of words"}
        self._moved_ids = frozenset(id(outline_item) for outline_item in moved)

    def quote_item(self, item: OutlineItem) -> Phrase:
        if item.sort in REMARK_SORTS:
            return (f'{item.sort} {item.id}: "{item.title}"',)
        if item.sort == "setting":
            return (f"setting {item.id}{title_suffix(item)}: {self._describe_choices(item)}",)
        if item.sort in _SORTS_WITH_MEMBERS:
            members = ", ".join(outline_item.id for outline_item in item.items)
            return (f"{item.sort} {item.id}{title_suffix(item)}{': ' if members else ''}{members}",)
        if item.sort == "list of words":
            return (
                f"{item.sort} {item.id}{title_suffix(item)}: {', '.join(outline_item.id for outline_item in item.items)}",
            )
        if item.sort == "parameter":
            return ("parameter ", TextQuote(shorten_text(item.text)))
        return (TextQuote(self._quote_with_body(item)),)

    def _describe_choices(self, setting: OutlineItem) -> str:
        part_texts: Mapping[str, str] = {part.name: part.text for part in setting.parts}
        words = self.find_word_list(setting)
        every = [item.id for item in words.items] if words else ["yes", "no"] if part_texts["type"] == "flag" else []
        choices = f"{', '.join(every[:-1])} or {every[-1]}" if len(every) > 1 else part_texts["type"]
        return f"{choices}; {part_texts['value']} unless chosen"

    def find_word_list(self, setting: OutlineItem) -> OutlineItem | None:
        """Word list that a setting chooses from."""
        tokens = (item for part in setting.parts if part.name == "type" for item in part.form)
        return next(
            (
                self._word_lists[declared_name]
                for declared_name in tokens
                if isinstance(declared_name, DeclaredName) and declared_name in self._word_lists
            ),
            None,
        )

    def _quote_with_body(self, item: OutlineItem) -> str:
        inside = [outline_item for outline_item in item.items if outline_item.sort not in {"parameter", "word"}]
        if self._has_moved_inside(item):
            return self._quote_without_moved(item)
        if not inside or item.sort in _ROUTINE_SORTS:
            return shorten_text(_item_head_text(item), _MAX_DECLARATION_CHARS if item.name else _MAX_LINE_CHARS)
        lines = [outline_item.text for outline_item in inside if not outline_item.items]
        whole = f"{_item_head_text(item)}: {'; '.join(lines)}"
        if len(lines) == len(inside) and len(whole) <= (_MAX_DECLARATION_CHARS if item.name else _MAX_BODY_CHARS):
            return whole
        if len(inside) == 1 and inside[0].sort == "branch":
            return self._quote_with_body(inside[0])
        return f"{shorten_text(_item_head_text(item))}: …"

    def _quote_without_moved(self, item: OutlineItem) -> str:
        if not item.items or item.items[0].sort != "branch":
            return shorten_text(_item_head_text(item))
        quoted = (
            self._quote_without_moved(outline_item)
            if self._has_moved_inside(outline_item)
            else self._quote_with_body(outline_item)
            for outline_item in item.items
        )
        sorts = (outline_item.sort for outline_item in item.items)
        return "; ".join(
            f"else {each}" if number and sort == "branch" else each
            for number, (each, sort) in enumerate(zip(quoted, sorts, strict=True))
        )

    def _has_moved_inside(self, item: OutlineItem) -> bool:
        return any(id(outline_item) in self._moved_ids for outline_item in item.walk_subtree())


def _item_head_text(item: OutlineItem) -> str:
    first = next(
        (
            outline_item.text
            for outline_item in item.items
            if outline_item.sort not in {"parameter", "word"} and outline_item.text
        ),
        "",
    )
    before, result, _ = item.text.partition(f": {first}")
    return before if first and result else item.text


def title_suffix(item: OutlineItem) -> str:
    """Title of an item, to stand after its name; empty where it has none."""
    return f' "{item.title}"' if item.title else ""


def shorten_text(text: str, most: int = _MAX_LINE_CHARS) -> str:
    """Text cut behind a word where it is longer than `most` characters."""
    return text if len(text) <= most else f"{text[:most].rpartition(' ')[0]} …"


def shorten_contrast(old: str, new: str) -> tuple[str, str]:
    """Two texts, each cut to where it differs with a few words around, where either is long."""
    return (old, new) if max(len(old), len(new)) <= _MAX_LINE_CHARS else cut_to_difference(old, new)


def cut_to_difference(old: str, new: str, around: int = _CONTEXT_WORDS) -> tuple[str, str]:
    """Two texts, each cut to where it differs, with `around` words on each side."""
    was, now = old.split(" "), new.split(" ")
    before, after = count_common_ends(was, now)
    return _slice_with_context(was, before, after, around), _slice_with_context(now, before, after, around)


def cut_to_differences(old: str, new: str, around: int = _CONTEXT_WORDS) -> tuple[str, str]:
    """Two texts, each cut to every place where it differs, with `around` words on each side of it."""
    was, now = old.split(" "), new.split(" ")
    first: list[str] = []
    second: list[str] = []
    for sort, begin, end, start, stop in SequenceMatcher(None, was, now, autojunk=False).get_opcodes():
        if sort != "equal":
            first += was[begin:end]
            second += now[start:stop]
            continue
        before, behind = (around if begin else 0), (around if end < len(was) else 0)
        short = end - begin <= before + behind + 1
        common = was[begin:end] if short else [*was[begin : begin + before], "…", *was[end - behind : end]]
        first += common
        second += common
    return " ".join(first), " ".join(second)


def _slice_with_context(words: Sequence[str], before: int, after: int, around: int) -> str:
    """Words between a common prefix and suffix of given lengths, with `around` of these on each side."""
    first, last = max(before - around, 0), len(words) - max(after - around, 0)
    return " ".join([*(["…"] if first else []), *words[first:last], *(["…"] if last < len(words) else [])])


def describe_modifier(item: OutlineItem) -> str:
    """Effect of a modifier: `+2`, `at most 6`."""
    part_texts: Mapping[str, str] = {part.name: part.text for part in item.parts}
    kind, amount = part_texts.get("kind of change", ""), part_texts.get("amount", "")
    return f"+{amount}".replace("+-", "-").replace("++", "+") if kind == "plus" else f"{kind} {amount}".strip()


_DOTTED_SORTS = frozenset({"attribute", "part", "attribute of cells", "attribute of sides"})


class PlaceNames:
    """Names of the places of one revision; steps with a unique id need no procedure beside it."""

    def __init__(self, outline: Outline) -> None:
        self._procedures = {item.id for item in outline.items if item.sort == "procedure"}
        self._sorts = {item.address: item.sort for item in outline.items}
        self._steps = Counter(item.id for item in outline.walk_items() if item.sort == "step")
        self._step_addresses = {item.address for item in outline.walk_items() if item.sort == "step"}
        self.titles = {item.address: item.title for item in outline.walk_items() if item.sort == "step" or item.name}

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

    def decided_name(self, item: OutlineItem) -> str:
        """Name that a row of a line decides; empty for a row of a declaration."""
        inside = item.address.split("/")
        return inside[-2] if inside[0] in self._procedures and len(inside) > 2 else ""  # noqa: PLR2004

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


_SKIPPED_SORTS = frozenset({"parameter", "ruling"})
_BLOCK_SORTS = frozenset({"line", "branch", "case", "else", "option", "watch"})


class ItemNeighbours:
    """Enclosing blocks and siblings of every item of one revision."""

    def __init__(self, outline: Outline) -> None:
        self._parents = {id(outline_item): item for item in outline.walk_items() for outline_item in item.items}
        rows = (outline.items, *(item.items for item in outline.walk_items()))
        ordered = (
            [outline_item for outline_item in row if outline_item.ordered and outline_item.sort not in _SKIPPED_SORTS]
            for row in rows
        )
        beside = [pair for row in ordered for pair in pairwise(row)]
        self._predecessors = {id(outline_item): before for before, outline_item in beside}
        self._successors = {id(before): outline_item for before, outline_item in beside}

    def enclosing_blocks(self, item: OutlineItem) -> Iterator[OutlineItem]:
        """Lines that contain an item, innermost first."""
        around = self._parents.get(id(item))
        while around is not None and around.sort in _BLOCK_SORTS:
            yield around
            around = self._parents.get(id(around))

    def quote_block(self, block: OutlineItem) -> Phrase:
        """Line by its text; the other branch of an `if` by its condition."""
        around = self._parents.get(id(block))
        if block.sort != "else" or around is None:
            return (TextQuote(shorten_text(block.text)),)
        first = next((item for item in around.items if item.sort == "branch"), around)
        return ("the `else` of ", TextQuote(shorten_text(first.text)))

    def find_predecessor(self, item: OutlineItem) -> OutlineItem | None:
        """Item before it among those whose order counts; None for the first."""
        return self._predecessors.get(id(item))

    def find_successor(self, item: OutlineItem) -> OutlineItem | None:
        """Item after it among those whose order counts; None for the last."""
        return self._successors.get(id(item))


IsSameItem = Callable[[OutlineItem, OutlineItem], bool]


def describe_relocation(
    old: ItemNeighbours, was: OutlineItem, new: ItemNeighbours, now: OutlineItem, same: IsSameItem
) -> Phrase:
    """Move of an item inside its step or declaration: the blocks it entered and left, else its new neighbour.

    A block that only has another condition now was not entered.
    """
    before, after = _conditional_blocks(old.enclosing_blocks(was)), _conditional_blocks(new.enclosing_blocks(now))
    exited = [outline_item for outline_item in before if not any(same(outline_item, other) for other in after)]
    entered = [outline_item for outline_item in after if not any(same(other, outline_item) for other in before)]
    phrases: list[Phrase] = []
    if entered:
        phrases.append(("now inside ", *new.quote_block(entered[0])))
    if exited:
        phrases.append(("no longer inside ", *old.quote_block(exited[0])))
    return join_phrases(iter(phrases), ", ") or _describe_neighbour(now, new)


def _conditional_blocks(blocks: Iterator[OutlineItem]) -> list[OutlineItem]:
    """Blocks with a condition or a repetition; the line around branches says nothing by itself."""
    return [block for block in blocks if not any(inner.sort == "branch" for inner in block.items)]


def _describe_neighbour(item: OutlineItem, neighbours: ItemNeighbours) -> Phrase:
    before, behind = neighbours.find_predecessor(item), neighbours.find_successor(item)
    if item.text in {outline_item.text for outline_item in (before, behind) if outline_item is not None}:
        while behind is not None and behind.text == item.text:
            behind = neighbours.find_successor(behind)
        if behind is not None:
            return ("now comes before ", _name_neighbour(behind))
    return ("now comes first",) if before is None else ("now comes after ", _name_neighbour(before))


def _name_neighbour(item: OutlineItem) -> str | TextQuote:
    title = f'"{shorten_text(item.title)}"' if item.title else ""
    if item.sort == "step":
        return f"step {item.id} {title}".rstrip()
    return title or item.id or TextQuote(shorten_text(item.text))


@dataclass(frozen=True, slots=True)
class EditSentence:
    """Edit as a sentence: place, phrase and cited clauses."""

    place: str  # for people
    phrase: Phrase  # before and after
    cites: tuple[str, ...]  # clauses of the place, of the new revision if it is in both

    def __str__(self) -> str:
        return f"{self.place}: {phrase_text(self.phrase)}"


class EditWording:
    """Wording of the edits between two outlines."""

    def __init__(self, edits: tuple[Edit, ...], old: Outline, new: Outline, same: Correspondence) -> None:
        moves = [edit for edit in edits if isinstance(edit, MoveEdit)]
        self._old_places, self._new_places = PlaceNames(old), PlaceNames(new)
        self._old_neighbours, self._new_neighbours = ItemNeighbours(old), ItemNeighbours(new)
        self._old_quoter = ItemQuoter(old, (move.old for move in moves))
        self._new_quoter = ItemQuoter(new, (move.new for move in moves))
        self._correspondence = same
        self._partners_by_id = {id(edit.old): edit.new for edit in edits if isinstance(edit, ChangeEdit | MoveEdit)}

    def describe_edit(self, edit: Edit) -> EditSentence:
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
            case ClauseEdit(_, new, lost, added):
                return EditSentence(
                    self._new_places.name_place(new), (_describe_clause_change(lost, added),), new.cites
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
        origin = f"moved here from {before}"
        return (
            (origin, *what)
            if before != after
            else (*describe_relocation(self._old_neighbours, old, self._new_neighbours, new, self._is_same_item), *what)
        )

    def _is_same_item(self, old: OutlineItem, new: OutlineItem) -> bool:
        """Whether an old line is this new one: by its edit, else by its place and its words."""
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
        phrases = [item for item in (modified, *others) if item]
        return join_phrases(iter(phrases), "; ") or _contrast_items(old, new)


def _collect_cited_clauses(item: OutlineItem) -> tuple[str, ...]:
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
"""Verb phrases for plural parts, before and after."""


def _has_visible_difference(difference: PartDifference) -> bool:
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
    """Differing cells of two rows of a table."""
    before, after = was.split(CELL_SEPARATOR), now.split(CELL_SEPARATOR)
    if len(before) != len(after):
        return was, now
    differing = [pair for pair in zip(before, after, strict=True) if pair[0] != pair[1]]
    return CELL_SEPARATOR.join(old for old, _ in differing), CELL_SEPARATOR.join(new for _, new in differing)


def _quote_part_values(*texts: str) -> tuple[str | TextQuote, ...]:
    return texts if all(map(_UNQUOTED_PATTERN.fullmatch, texts)) else tuple(map(TextQuote, texts))


_UNQUOTED_PATTERN = re.compile(r"[-+\w. ]+")


def _name_part_difference(difference: PartDifference, value: str) -> str:
    if difference.name == "value" and value:
        return value
    numbers = all(part is None or part.form[:1] == ("NumberType",) for part in (difference.was, difference.now))
    return "range" if difference.name == "type" and numbers else difference.name


_MODIFIER_PARTS = frozenset({"kind of change", "amount"})


def _describe_modifier_change(old: OutlineItem, new: OutlineItem) -> Phrase:
    before, after = describe_modifier(old), describe_modifier(new)
    was, now = _quote_part_values(before, after)
    return () if before == after else ("was ", was, ", is ", now)


def _describe_clause_change(lost: tuple[str, ...], added: tuple[str, ...]) -> str:
    phrases = [f"cites {', '.join(added)}" if added else "", f"no longer cites {', '.join(lost)}" if lost else ""]
    return ", ".join(filter(None, phrases))


def _describe_rename(old: OutlineItem, new: OutlineItem) -> Phrase:
    """New name of a thing; of a line that had no name, the line."""
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
