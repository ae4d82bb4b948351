"""Edit units: groups of edits that can be applied or reverted independently, their lines, and their reversal in a text."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from rulewright.base.frozen import dataclass as frozen
from rulewright.base.source import Text, count_leading_blanks
from rulewright.diff.edits import (
    Edit,
    is_rule_edit,
)
from rulewright.diff.item_matching import (
    ItemMatch,
    ItemPair,
    UnmatchedNew,
    UnmatchedOld,
)
from rulewright.program.outline.items import DeclaredName, Outline, OutlineItem


@frozen(frozen=True, slots=True)
class LineExtent:
    """Line range of an item, counted from 0."""

    file: str
    first: int
    body_line: int  # first line of the body; `end` where nothing has lines of its own
    end: int  # exclusive


class ItemExtents:
    """Line ranges of the items of one revision that begin a line, and of all cells of a table row."""

    def __init__(self, outline: Outline, texts: Mapping[str, Text]) -> None:
        self.lines: dict[str, list[str]] = {name: text.content.splitlines() for name, text in texts.items()}
        self._texts = texts
        self._extents_by_id: dict[int, LineExtent] = {}
        for item in outline.items:
            self._visit_item(item, frozenset())

    def find_extent(self, item: OutlineItem) -> LineExtent | None:
        """Line range of an item; None where it stands in a line of another."""
        return self._extents_by_id.get(id(item))

    def inner_line_items(self, item: OutlineItem) -> Iterator[OutlineItem]:
        """Items inside one that have lines of their own; outer ones without those inside them."""
        for outline_item in item.items:
            if self.find_extent(outline_item) is not None:
                yield outline_item
            else:
                yield from self.inner_line_items(outline_item)

    def _visit_item(self, item: OutlineItem, outer_lines: Iterable[tuple[str, int]]) -> None:
        text = self._texts.get(item.span.source)
        here = None if text is None else (item.span.source, text.get_position(item.span.start).line - 1)
        used_lines = {*outer_lines, *([here] if here else ())}
        extents_by_line: dict[tuple[str, int], LineExtent] = {}
        for outline_item in item.items:
            self._visit_item(outline_item, used_lines)
            extent_of_item = self.find_extent(outline_item)
            if extent_of_item is not None:
                used_lines.add((extent_of_item.file, extent_of_item.first))
                extents_by_line[extent_of_item.file, extent_of_item.first] = extent_of_item
            elif outline_item.sort == "row" and (shared := extents_by_line.get(self._start_line(outline_item))):
                self._extents_by_id[id(outline_item)] = shared
        if text is not None and here is not None and here not in outer_lines:
            end = self._find_end_line(here, text.get_position(item.span.end).line - 1)
            bodies = [
                extent.first
                for line_item in self.inner_line_items(item)
                for extent in [self._extents_by_id[id(line_item)]]
            ]
            self._extents_by_id[id(item)] = LineExtent(here[0], here[1], min(bodies, default=end), end)

    def _start_line(self, item: OutlineItem) -> tuple[str, int]:
        text = self._texts.get(item.span.source)
        return item.span.source, -1 if text is None else text.get_position(item.span.start).line - 1

    def _find_end_line(self, here: tuple[str, int], last: int) -> int:
        lines = self.lines[here[0]]
        depth, end = count_leading_blanks(lines[here[1]]), last + 1
        for number in range(last + 1, len(lines)):
            line = lines[number]
            if not line.strip():
                continue
            if count_leading_blanks(line) < depth + 1 - line.lstrip().startswith("else"):
                break
            end = number + 1
        return end


_TOKEN_PATTERN = re.compile(r'"(?:[^"\\]|\\.)*"|#.*|(?<=step )[\w.]+|(?<=proceed to )[\w.]+|@[\w.:-]+|[A-Za-z_]\w*')
_INNER_NAME_SORTS = frozenset({"local", "parameter", "step"})
_MARGIN_LINE_PATTERN = re.compile(r"\s*(?:@[\w.:-]+\s*)*$")


def rewrite_lines(
    lines: Sequence[str], owner: str, names: Mapping[DeclaredName, DeclaredName], depth: int
) -> list[str]:
    """Lines with the names of the new revision, without margins and rulings, indented to a depth.

    `owner` is the old name of their declaration, for names local to it.
    """
    inner, outer = _find_renamed_words(owner, names)

    def replace_token(match: re.Match[str]) -> str:
        word = match[0]
        if word[0] in '"#':
            return word if word[0] == '"' else ""
        return "" if word[0] == "@" else inner.get(word, outer.get(word, word))

    shift = depth - count_leading_blanks(lines[0]) if lines else 0
    rewritten = (
        _TOKEN_PATTERN.sub(replace_token, line).rstrip() for line in lines if not _MARGIN_LINE_PATTERN.match(line)
    )
    return [" " * max(0, count_leading_blanks(item) + shift) + item.lstrip() for item in rewritten]


def _find_renamed_words(
    owner: str, names: Mapping[DeclaredName, DeclaredName]
) -> tuple[dict[str, str], dict[str, str]]:
    inner, outer = dict[str, str](), dict[str, str]()
    for old, new in names.items():
        if old.short_name != new.short_name:
            if old.sort not in _INNER_NAME_SORTS:
                outer[old.short_name] = new.short_name
            elif old.owner.partition("/")[0] == owner:
                inner[old.short_name] = new.short_name
    return inner, outer


@frozen(frozen=True, slots=True)
class RevertPatch:
    """Patch that reverts an edit: lines of the new revision to delete, lines of the old one to insert."""

    cut: tuple[str, int, int] | None  # file and line range to delete; None where a part was removed
    paste: tuple[str, int, int] | None  # file and line range to insert; None where a part is new
    item: OutlineItem | None  # inserted item


@frozen(frozen=True, slots=True)
class EditUnit:
    """Edits that are applied or reverted together."""

    edits: tuple[int, ...]  # numbers
    patches: tuple[RevertPatch, ...]  # that revert them
    old: frozenset[DeclaredName]  # names that the old side mentions
    new: frozenset[DeclaredName]  # names that the new side mentions
    removed: frozenset[DeclaredName]  # names that the old side declares and the new revision lacks
    added: frozenset[DeclaredName]  # names that the new side declares and the old revision lacks
    shapes: frozenset[str]  # declarations whose parameters change, by old and new name
    owners: frozenset[str]  # declarations of the edits, by old and new name


def build_edit_units(
    matches: Sequence[ItemMatch],
    edits: Sequence[Edit],
    names: Mapping[DeclaredName, DeclaredName],
    old: ItemExtents,
    new: ItemExtents,
) -> tuple[EditUnit, ...]:
    """Units of the edits of rules, in the order of the first edit of each."""
    groups = _merge_overlapping_drafts(_UnitFinder(edits, old, new).draft_units(matches))
    return tuple(_build_edit_unit(group, edits, names) for group in groups)


@dataclass
class _UnitDraft:
    edits: set[int] = field(default_factory=set)
    patches: list[RevertPatch] = field(default_factory=list)
    removed: list[OutlineItem] = field(default_factory=list)
    added: list[OutlineItem] = field(default_factory=list)
    old: list[OutlineItem] = field(default_factory=list)
    new: list[OutlineItem] = field(default_factory=list)


class _UnitFinder:
    def __init__(self, edits: Sequence[Edit], old: ItemExtents, new: ItemExtents) -> None:
        self._old, self._new = old, new
        self._edits: dict[int, set[int]] = {}
        for number, edit in enumerate(edits):
            for item in filter(None, (edit.old, edit.new) if is_rule_edit(edit) else ()):
                self._edits.setdefault(id(item), set()).add(number)

    def draft_units(self, matches: Sequence[ItemMatch]) -> Iterator[_UnitDraft]:
        for match_ in matches:
            yield from self._draft_match(match_)

    def _draft_match(self, item_match: ItemMatch) -> Iterator[_UnitDraft]:
        match item_match:
            case ItemPair():
                yield from self._draft_pair(item_match)
            case UnmatchedOld(item):
                yield self._draft_items([item], [])
            case UnmatchedNew(item):
                yield self._draft_items([], [item])

    def _draft_pair(self, pair: ItemPair) -> Iterator[_UnitDraft]:
        separate, loose = self._split_by_lines(pair)
        head = self._draft_line(pair, loose)
        if pair.moved or (head.edits and any(map(self._has_inner_lines, loose))):
            yield self._draft_items([pair.old], [pair.new], in_place=not pair.moved)
            return
        if head.edits:
            before, after = self._old.find_extent(pair.old), self._new.find_extent(pair.new)
            if before is not None and after is not None:
                cut, paste = (after.file, after.first, after.body_line), (before.file, before.first, before.body_line)
                head.patches.append(RevertPatch(cut, paste, pair.old))
            yield head
        for item in separate:
            yield from self._draft_match(item)

    def _split_by_lines(self, pair: ItemPair) -> tuple[list[ItemMatch], list[ItemMatch]]:
        """Items of a pair that have lines of their own in every revision they are in, and those in lines of others."""
        separate: list[ItemMatch] = []
        loose: list[ItemMatch] = []
        for item_match in pair.inside:
            (separate if self._has_own_lines(item_match) else loose).append(item_match)
            if (
                isinstance(item_match, ItemPair)
                and not self._has_own_lines(item_match)
                and not self._is_line_on_one_side(item_match)
            ):
                inner, inner_loose = self._split_by_lines(item_match)
                separate += inner
                loose += inner_loose
        return separate, loose

    def _has_own_lines(self, item_match: ItemMatch) -> bool:
        match item_match:
            case ItemPair(old, new):
                return self._old.find_extent(old) is not None and self._new.find_extent(new) is not None
            case UnmatchedOld(item):
                return self._old.find_extent(item) is not None
            case UnmatchedNew(item):
                return self._new.find_extent(item) is not None

    def _is_line_on_one_side(self, pair: ItemPair) -> bool:
        return (self._old.find_extent(pair.old) is None) != (self._new.find_extent(pair.new) is None)

    def _has_inner_lines(self, item_match: ItemMatch) -> bool:
        match item_match:
            case ItemPair():
                return self._is_line_on_one_side(item_match)
            case UnmatchedOld(item):
                return any(True for _ in self._old.inner_line_items(item))
            case UnmatchedNew(item):
                return any(True for _ in self._new.inner_line_items(item))

    def _draft_line(self, pair: ItemPair, loose: Sequence[ItemMatch]) -> _UnitDraft:
        result = _UnitDraft(
            self._edits_of_item(pair.old) | self._edits_of_item(pair.new), [], [], [], [pair.old], [pair.new]
        )
        for item_match in loose:
            match item_match:
                case ItemPair(old, new):
                    result.edits |= (
                        self._edits_inside([old, new])
                        if self._is_line_on_one_side(item_match)
                        else self._edits_of_item(old) | self._edits_of_item(new)
                    )
                    result.old.append(old)
                    result.new.append(new)
                case UnmatchedOld(item):
                    result.edits |= self._edits_inside([item])
                    result.removed.append(item)
                case UnmatchedNew(item):
                    result.edits |= self._edits_inside([item])
                    result.added.append(item)
        return result

    def _draft_items(self, old: list[OutlineItem], new: list[OutlineItem], *, in_place: bool = False) -> _UnitDraft:
        cut = next(
            (_extent_range(extent) for outline_item in new if (extent := self._new.find_extent(outline_item))), None
        )
        paste = next(
            (_extent_range(extent) for outline_item in old if (extent := self._old.find_extent(outline_item))), None
        )
        item = old[0] if old else None
        separate_patches = (RevertPatch(cut, None, None), RevertPatch(None, paste, item))
        patches = (
            [RevertPatch(cut, paste, item)]
            if in_place
            else [revert_patch for revert_patch in separate_patches if revert_patch.cut or revert_patch.paste]
        )
        return _UnitDraft(self._edits_inside([*old, *new]), patches, old, new)

    def _edits_of_item(self, item: OutlineItem) -> set[int]:
        return self._edits.get(id(item), set())

    def _edits_inside(self, items: Iterable[OutlineItem]) -> set[int]:
        return {
            number
            for item in items
            for outline_item in item.walk_subtree()
            for number in self._edits_of_item(outline_item)
        }


def _extent_range(extent: LineExtent) -> tuple[str, int, int]:
    return extent.file, extent.first, extent.end


def _merge_overlapping_drafts(drafts: Iterable[_UnitDraft]) -> list[_UnitDraft]:
    groups: list[_UnitDraft] = []
    for unit_draft in drafts:
        if not unit_draft.edits:
            continue
        lines = _find_patched_lines(unit_draft)
        same = [group for group in groups if group.edits & unit_draft.edits or _find_patched_lines(group) & lines]
        for group in same:
            groups.remove(group)
        groups.append(_join_drafts([*same, unit_draft]))
    return sorted(groups, key=lambda group: min(group.edits))


def _find_patched_lines(draft: _UnitDraft) -> set[tuple[str, str, int]]:
    cut = {("new", patch.cut[0], line) for patch in draft.patches if patch.cut for line in range(*patch.cut[1:])}
    pasted = {
        ("old", patch.paste[0], line) for patch in draft.patches if patch.paste for line in range(*patch.paste[1:])
    }
    return cut | pasted


def _join_drafts(groups: Sequence[_UnitDraft]) -> _UnitDraft:
    whole = _UnitDraft()
    for group in groups:
        whole.edits |= group.edits
        known = {(patch.cut, patch.paste) for patch in whole.patches}
        whole.patches += [patch for patch in group.patches if (patch.cut, patch.paste) not in known]
        whole.removed += group.removed
        whole.added += group.added
        whole.old += group.old
        whole.new += group.new
    return whole


def _build_edit_unit(draft: _UnitDraft, edits: Sequence[Edit], names: Mapping[DeclaredName, DeclaredName]) -> EditUnit:
    known = frozenset(names.values())
    whole_old = [inner for outline_item in draft.removed for inner in outline_item.walk_subtree()]
    whole_new = [inner for outline_item in draft.added for inner in outline_item.walk_subtree()]
    old, new = [*whole_old, *draft.old], [*whole_new, *draft.new]
    inside = filter(None, (item for number in draft.edits for item in (edits[number].old, edits[number].new)))
    shapes = {outline_item.address.partition("/")[0] for outline_item in inside if outline_item.sort == "parameter"}
    return EditUnit(
        edits=tuple(sorted(draft.edits)),
        patches=tuple(draft.patches),
        old=_mentioned_names(old),
        new=_mentioned_names(new),
        removed=frozenset(
            outline_item.name for outline_item in whole_old if outline_item.name and outline_item.name not in names
        ),
        added=frozenset(
            outline_item.name for outline_item in whole_new if outline_item.name and outline_item.name not in known
        ),
        shapes=frozenset(shapes),
        owners=frozenset(outline_item.address.partition("/")[0] for outline_item in (*old, *new)),
    )


def _mentioned_names(items: Iterable[OutlineItem]) -> frozenset[DeclaredName]:
    return frozenset(token for item in items for token in item.form if isinstance(token, DeclaredName))


_GAME_HEADER = "game:"


_BLOCK_OPENER_PATTERN = re.compile(r"\s*(?:game|kind player|else)\b[^\"]*:")


@frozen(frozen=True, slots=True)
class _PastedLines:
    """Lines to insert before a line of a text; replacements come last."""

    file: str
    line: int
    is_replacement: bool
    depth: int
    source_line: tuple[str, int]
    lines: tuple[str, ...]

    @property
    def sort_key(self) -> tuple[bool, int, tuple[str, int]]:
        return self.is_replacement, -self.depth, self.source_line


class EditReverter:
    """Reverter of edits in the text of the new revision.

    Attributes:
        main: the name of the text that declarations are added to.
    """

    def __init__(
        self,
        matches: Sequence[ItemMatch],
        names: Mapping[DeclaredName, DeclaredName],
        old: ItemExtents,
        new: ItemExtents,
        main: str,
    ) -> None:
        self.main = main
        self._names = names
        self._old, self._new = old, new
        self._partners: dict[tuple[str, int], LineExtent] = {}
        self._index_partners(matches)

    def revert_edits(self, patches: Iterable[RevertPatch]) -> dict[str, str] | None:
        """Changed texts by name; None where a line has no place."""
        cut_lines = defaultdict[str, set[int]](set)
        pasted = defaultdict[str, list[_PastedLines]](list)
        for patch in patches:
            if patch.cut is not None:
                cut_lines[patch.cut[0]] |= set(range(*patch.cut[1:]))
            if patch.paste is not None:
                result = self._build_pasted_lines(patch)
                if result is None:
                    return None
                pasted[result.file].append(result)
        return {name: self._patch_text(name, cut_lines[name], pasted[name]) for name in {*cut_lines, *pasted}}

    def _index_partners(self, matches: Sequence[ItemMatch]) -> None:
        for match_ in matches:
            if isinstance(match_, ItemPair) and not match_.moved:
                old, new = self._old.find_extent(match_.old), self._new.find_extent(match_.new)
                if old is not None and new is not None:
                    self._partners.setdefault((old.file, old.first), new)
                self._index_partners(match_.inside)

    def _patch_text(self, name: str, cut_lines: set[int], pasted: list[_PastedLines]) -> str:
        coming = defaultdict[int, list[str]](list)
        for pasted_lines in sorted(pasted, key=lambda one: one.sort_key):
            coming[pasted_lines.line] += pasted_lines.lines
        lines = self._new.lines[name]
        result = [
            line
            for number in range(len(lines) + 1)
            for line in (*coming.get(number, ()), *(lines[number : number + 1] if number not in cut_lines else ()))
        ]
        return "\n".join([*_drop_empty_blocks(result), ""])

    def _build_pasted_lines(self, patch: RevertPatch) -> _PastedLines | None:
        assert patch.paste is not None
        assert patch.item is not None
        file, first, end = patch.paste
        lines = self._old.lines[file][first:end]
        place: tuple[str, int, int] | None
        if patch.cut is not None:
            place = (patch.cut[0], patch.cut[1], count_leading_blanks(self._new.lines[patch.cut[0]][patch.cut[1]]))
        else:
            place = self._find_insertion_point(file, first)
        owner = patch.item.address.partition("/")[0]
        if place is None:
            if not self._is_in_game_block(file, first):
                return None
            place = (self.main, len(self._new.lines[self.main]), count_leading_blanks(lines[0]))
            result = [_GAME_HEADER, *rewrite_lines(lines, owner, self._names, place[2])]
        else:
            result = rewrite_lines(lines, owner, self._names, place[2])
        return _PastedLines(place[0], place[1], patch.cut is not None, place[2], (file, first), tuple(result))

    def _find_insertion_point(self, file: str, first: int) -> tuple[str, int, int] | None:
        """Place for a line of the old revision: text, line and indentation."""
        lines = self._old.lines[file]
        depth = count_leading_blanks(lines[first])
        if depth == 0:
            return self.main, len(self._new.lines[self.main]), 0
        before = self._find_block_partners(file, range(first - 1, -1, -1), depth)
        for number, partner in before:
            beside = count_leading_blanks(self._new.lines[partner.file][partner.first])
            if count_leading_blanks(lines[number]) == depth:
                return partner.file, partner.end, beside
            return partner.file, partner.body_line, beside + depth - count_leading_blanks(lines[number])
        for number, partner in self._find_block_partners(file, range(first + 1, len(lines)), depth):
            if count_leading_blanks(lines[number]) == depth:
                return partner.file, partner.first, count_leading_blanks(self._new.lines[partner.file][partner.first])
        return None

    def _find_block_partners(self, file: str, numbers: Iterable[int], depth: int) -> Iterator[tuple[int, LineExtent]]:
        lines = self._old.lines[file]
        for number in numbers:
            if not lines[number].strip() or count_leading_blanks(lines[number]) > depth:
                continue
            partner = self._partners.get((file, number))
            if partner is not None:
                yield number, partner
            if count_leading_blanks(lines[number]) < depth:
                return

    def _is_in_game_block(self, file: str, first: int) -> bool:
        lines = self._old.lines[file]
        opener = next((line for line in reversed(lines[:first]) if line.strip() and not count_leading_blanks(line)), "")
        return opener.startswith(_GAME_HEADER)


def _drop_empty_blocks(lines: Sequence[str]) -> list[str]:
    """Lines without openers of empty blocks that mean nothing by themselves."""
    return [
        line
        for number, line in enumerate(lines)
        if not (_BLOCK_OPENER_PATTERN.match(line) and not _has_indented_block(lines, number))
    ]


def _has_indented_block(lines: Sequence[str], number: int) -> bool:
    below = next((line for line in lines[number + 1 :] if line.strip()), "")
    return count_leading_blanks(below) > count_leading_blanks(lines[number])
