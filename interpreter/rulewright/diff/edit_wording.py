"""Edits in words: before and after in as few words as possible, sentences first, code as a last resort."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import assert_never

from rulewright.base.frozen import dataclass
from rulewright.base.source import count_common_prefix
from rulewright.diff.clause_matching import rename_in_sentence
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
from rulewright.diff.item_places import ItemPlaces
from rulewright.program.declarations import Program, WordTitles
from rulewright.program.outline.items import DeclaredName, Outline, OutlineItem
from rulewright.wording.english import ARITHMETIC_SIGNS, join_words
from rulewright.wording.item_sentences import ItemSentences

_VALUE_PATTERN = re.compile(r"[-+]?\d+(?:/\d+)?|[A-Za-z_][\w.]*")
_RANGE_PATTERN = re.compile(r"(-?\d+)\.\.(-?\d+)")
_ORDER_PHRASES = {"highest": "highest first", "lowest": "lowest first", "ask": "a player chooses"}
_ORDER_WORDS = frozenset("at least most more less than not".split())  # noqa: SIM905
_ORDER_PATTERN = re.compile(r"(at (least|most)|more than|less than|not) ")
_MAX_CODE_CHARS, _MAX_BODY_CHARS, _MAX_CODE_LINE_CHARS, _MAX_PART_CHARS = 110, 400, 50, 55
_MAX_SENTENCE_CHARS, _MAX_WHOLE_SENTENCE_CHARS, _SENTENCE_CONTEXT_WORDS, _CODE_CONTEXT_WORDS = 150, 120, 5, 2
_CODE_PATTERN = re.compile(r"[`\[\](]|\w\.\w|\w_\w")
_PART_LABELS = {
    "default": "default",
    "gives": "result",
    "start": "starting from",
    "order": "asked in the order",
    "holders": "held by",
}
"""Words before the value of a part that differs."""
_LABELLED_PARTS = frozenset(
    {"default", "range", "priority", "start", "seats", "faces", "holders", "gives", "order", "type"}
)
"""Parts that are named where only one revision has them."""
_ENDINGS = " if not given", " at the start"
_DECLARED_SORTS = frozenset({"attribute", "game field", "part", "parameter"})
_SORTS_WITH_MEMBERS = frozenset({"kind", "record", "list of words"})
_SENTENCE_SORTS = frozenset({"line", "branch", "step", "requirement"})
"""Sorts without a title that could say what a lone value is of."""
_INNER_NAME_SORTS = frozenset({"local", "parameter", "step", "plural"})
_SIGN_PATTERN = re.compile(r"(`[^`]*`)|(?<![\w)\]\-])-(?=\d)")
_PLAYER_PARTS = frozenset({"who is asked", "who rolls"})
_UNWORDED_PARTS = frozenset({"kind of change", "what it does", "what is asked"})
_MODIFIER_PARTS = frozenset({"kind of change", "amount"})
_SET_PATTERN = re.compile(r"\{(.*)\}")


def shorten_text(text: str, most: int = _MAX_CODE_CHARS) -> str:
    """Text cut behind a word where it is longer than `most` characters."""
    return text if len(text) <= most else f"{text[:most].rpartition(' ')[0]} …"


def cut_to_differences(old: str, new: str, around: int = _CODE_CONTEXT_WORDS) -> tuple[str, str]:
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


def _describe_modifier(item: OutlineItem) -> str:
    """Effect of a modifier: `+2`, `at most 6`."""
    part_texts: Mapping[str, str] = {part.name: part.text for part in item.parts}
    kind, amount = part_texts.get("kind of change", ""), part_texts.get("amount", "")
    return f"+{amount}".replace("+-", "-").replace("++", "+") if kind == "plus" else f"{kind} {amount}".strip()


@dataclass(frozen=True, slots=True)
class BeforeAfter:
    """Text before and after an edit; one is empty for additions and removals."""

    was: str  # empty if added
    now: str  # empty if removed
    implied_before: str = ""  # implied meaning before: `always`, where a condition was added
    is_full_sentence: bool = False  # whether `now` says what happened, and needs no word `now` before it

    def __bool__(self) -> bool:
        return self.was != self.now

    @property
    def statement(self) -> str:
        """Both in one line: `1 → 2`, `now 1`, `no longer 2`."""
        if self.was and self.now:
            return f"{self.was} → {self.now}"
        if self.is_full_sentence:
            return self.now
        half = self.now or self.was
        word = "now" if self.now else "no longer"
        return f"{word}{':' * half[0].isupper()} {half}" if half else "means something else"


NO_BEFORE_AFTER = BeforeAfter("", "")


def print_minus_signs(text: str) -> str:
    """Text with the signs of its negative numbers as they are printed; code keeps its own."""
    return _SIGN_PATTERN.sub(lambda match: match[1] or ARITHMETIC_SIGNS["-"], text)


def describe_word_order(old: OutlineItem, new: OutlineItem) -> BeforeAfter:
    """Two lists of words of which some stand in another order."""
    was, now = (", ".join(word.title or word.id for word in item.items) for item in (old, new))
    return BeforeAfter(
        f"in the order {shorten_text(was, _MAX_CODE_CHARS)}",
        f"{shorten_text(now, _MAX_CODE_CHARS)}; comparisons and lists of answers follow this order",
    )


class EditWording:
    """Wording of the edits between two revisions.

    Args:
        programs: the old revision and the new one, whose lines are put into sentences.
        outlines: of both.
        edits: all edits between them; a moved line is not quoted with the block that it left or entered.
        same: correspondence of both; a rename is no difference.
    """

    def __init__(
        self,
        programs: tuple[Program, Program],
        outlines: tuple[Outline, Outline],
        edits: Sequence[Edit],
        same: Correspondence,
    ) -> None:
        self.places = ItemPlaces(outlines[0]), ItemPlaces(outlines[1])
        self._sentences = ItemSentences(programs[0]), ItemSentences(programs[1])
        self._word_lists = tuple(
            {item.name: item for item in outline.items if item.sort == "list of words"} for outline in outlines
        )
        self._same = same
        self._moved_ids = {id(item) for edit in edits if isinstance(edit, MoveEdit) for item in (edit.old, edit.new)}
        self._partners_by_id = {id(edit.old): edit.new for edit in edits if isinstance(edit, ChangeEdit | MoveEdit)}
        called = {
            old.short_name: new.short_name
            for old, new in same.names.items()
            if old.short_name != new.short_name and old.sort not in _INNER_NAME_SORTS
        }
        self._renamed_pattern = re.compile(rf"\b({'|'.join(map(re.escape, called))})\b") if called else None
        self._new_words = called
        old_titles, new_titles = map(_collect_word_titles, outlines)
        self.word_titles = _drop_untitled_words(new_titles | old_titles), _drop_untitled_words(old_titles | new_titles)
        """The titles of words by each revision; what it does not have by the other."""

    def describe_edit(self, edit: Edit) -> BeforeAfter:
        """Before and after of an edit."""
        match edit:
            case AddEdit(new):
                return BeforeAfter("", self._describe_item(new, 1))
            case RemoveEdit(old):
                return BeforeAfter(self._describe_item(old, 0), "")
            case MoveEdit(old, new):
                return self._describe_move(old, new)
            case ChangeEdit(old, new, differences):
                return self._describe_change(old, new, differences)
            case RenameEdit(old, new):
                what = f"{_quote_code(old.text)} " if not old.id else ""
                name = new.address.replace("/", ".") if new.sort == "attribute" else new.id
                called = f"{what}is now called {name}" if new.id else "no longer has a name"
                return BeforeAfter("", called, is_full_sentence=True)
            case RelabelEdit(old_name, new_name):
                called = f"the name {old_name.short_name} is now {new_name.short_name}"
                return BeforeAfter("", called, is_full_sentence=True)
            case RewordEdit(old, new):
                return _word_halves('"{}"'.format, old.title, new.title)
            case ClauseEdit(_, _, lost, added):
                cited = (
                    f"cites {', '.join(added)}" if added else "",
                    f"no longer cites {', '.join(lost)}" if lost else "",
                )
                return BeforeAfter("", ", ".join(filter(None, cited)), is_full_sentence=True)
            case _:
                assert_never(edit)

    # Whole items.

    def _describe_item(self, item: OutlineItem, side: int) -> str:
        """Added or removed item; of a line also when it is carried out."""
        part_texts = {part.name: part.text for part in item.parts}
        members = ", ".join(inner.id for inner in item.items)
        if item.sort in {"option", "word"}:
            return "an option" if item.sort == "option" else item.title
        if item.sort in REMARK_SORTS:
            return ""
        if item.sort == "setting":
            return f"{self._list_choices(item, side) or part_texts['type']}; {part_texts['value']} unless chosen"
        if item.sort in _SORTS_WITH_MEMBERS:
            return shorten_text(members, _MAX_SENTENCE_CHARS)
        around = self.places[side].find_parent(item)
        within = (
            self._sentences[side].branch_head(around) if item.sort == "line" and around and _is_branch(around) else ""
        )
        sentence = self._item_sentence(item, side, inside=not self._has_moved_inside(item))
        if not sentence or "`" in within:
            return _quote_code(self._full_item_text(item))
        if within and sentence.startswith("If "):
            return shorten_text(f"{within}, and i{sentence[1:]}", _MAX_SENTENCE_CHARS)
        if within.startswith("If "):
            return shorten_text(f"{sentence}, i{within[1:]}", _MAX_SENTENCE_CHARS)
        lowered = f"{within}: {sentence[:1].lower()}{sentence[1:]}" if within else sentence
        return shorten_text(lowered, _MAX_SENTENCE_CHARS)

    def _list_choices(self, setting: OutlineItem, side: int) -> str:
        tokens = (token for part in setting.parts if part.name == "type" for token in part.form)
        lists = (self._word_lists[side].get(token) for token in tokens if isinstance(token, DeclaredName))
        words = next(filter(None, lists), None)
        is_flag = any(part.name == "type" and part.text == "flag" for part in setting.parts)
        names = [word.id for word in words.items] if words else ["yes", "no"] if is_flag else []
        return join_words(names, "or")

    def _item_sentence(self, item: OutlineItem, side: int, *, inside: bool) -> str:
        """Sentence of an item, if it needs no code."""
        sentence = self._sentences[side].item_sentence(item, inside=inside)
        return "" if "`" in sentence else sentence

    def _has_moved_inside(self, item: OutlineItem) -> bool:
        return any(id(inner) in self._moved_ids for inner in item.walk_subtree() if inner is not item)

    def _quote_item(self, item: OutlineItem, side: int) -> str:
        """Own words of an item, without what is inside it: its sentence, else its text."""
        return self._item_sentence(item, side, inside=False) or _quote_code(item.text)

    def describe_body(self, item: OutlineItem, side: int) -> str:
        """Body of a declaration or step of one revision, line by line, without what moved elsewhere."""
        if item.sort == "word":
            return ""
        is_moved_away = bool(item.items) and all(id(inner) in self._moved_ids for inner in item.items)
        sentence = "" if is_moved_away else self._item_sentence(item, side, inside=True)
        if sentence:
            return shorten_text(sentence, _MAX_BODY_CHARS)
        lines = "; ".join(self._list_inner_texts(item))
        if lines or item.items:
            return _quote_code(lines, _MAX_BODY_CHARS)
        return _quote_code(item.text.partition(":")[2].strip() or item.text, _MAX_BODY_CHARS)

    def _full_item_text(self, item: OutlineItem) -> str:
        if item.items and item.items[0].sort == "branch":
            return "; ".join(self._list_inner_texts(item))
        text = item.text.replace(f' "{item.title}"', "") if item.title else item.text
        if item.sort in {"condition", "modifier", "row", "key"}:
            text = text.removeprefix(f"{item.id}:").lstrip()
        return text if item.name else self._text_with_inner(text.rstrip(":") if item.items else text, item)

    def _list_inner_texts(self, item: OutlineItem) -> Iterator[str]:
        for number, inner in enumerate(item.items):
            if inner.sort != "parameter" and id(inner) not in self._moved_ids:
                text = f"else {inner.text}" if inner.sort == "branch" and number else inner.text
                yield self._text_with_inner(text, inner)

    def _text_with_inner(self, text: str, item: OutlineItem) -> str:
        """Line with everything inside it; of an `if` its branches, the first of which reads as the line itself."""
        below = "; ".join(self._list_inner_texts(item))
        first = next((inner.sort for inner in item.items if inner.sort != "parameter"), "")
        link = "; " if first == "else" else ": "
        return below if first == "branch" else f"{text}{link}{below}" if below else text

    # Moves.

    def _describe_move(self, old: OutlineItem, new: OutlineItem) -> BeforeAfter:
        where = self._describe_relocation(old, new)
        if new.sort not in {"line", "requirement"}:
            return BeforeAfter("", where, is_full_sentence=True)
        sentence = self._item_sentence(new, 1, inside=False)
        what = sentence or _quote_code(new.text.replace(f' "{new.title}"', "") if new.title else new.text)
        return BeforeAfter("", f"{what}{'; this' if sentence else ''} {where}", is_full_sentence=True)

    def _describe_relocation(self, old: OutlineItem, new: OutlineItem) -> str:
        """The step or declaration that an item left, the blocks it left and entered, else its new neighbour."""
        before, after = (places.name_container(item) for places, item in zip(self.places, (old, new), strict=True))
        if before != after and new.sort != "step":
            title = self.places[0].container_title(old)
            return f"moved here from {f'“{title}”' if title else before}"
        exited, entered = self._changed_blocks(old, new)
        phrases = [
            *(f"now inside {self._quote_block(block, 1)}" for block in entered[:1]),
            *(f"no longer inside {self._quote_block(block, 0)}" for block in exited[:1]),
        ]
        if phrases:
            return f"is {' and '.join(phrases)}"
        return f"now comes {self._describe_neighbour(old, new)}"

    def changes_block(self, edit: Edit) -> bool:
        """Whether a moved line entered or left a block of its step or declaration."""
        return isinstance(edit, MoveEdit) and any(self._changed_blocks(edit.old, edit.new))

    def _changed_blocks(self, old: OutlineItem, new: OutlineItem) -> tuple[list[OutlineItem], list[OutlineItem]]:
        """Blocks that an item left and that it entered; one that only has another condition now was not entered."""
        before, after = ([*places.enclosing_blocks(item)] for places, item in zip(self.places, (old, new), strict=True))
        exited = [block for block in before if not any(self._is_same_item(block, other) for other in after)]
        return exited, [block for block in after if not any(self._is_same_item(other, block) for other in before)]

    def _is_same_item(self, old: OutlineItem, new: OutlineItem) -> bool:
        """Whether an old line is this new one: by its edit, else by its place and its words."""
        known = self._partners_by_id.get(id(old))
        if known is not None:
            return known is new
        address = self._same.addresses.get(old.address, old.address)
        return (old.sort, address, old.text) == (new.sort, new.address, new.text)

    def _quote_block(self, block: OutlineItem, side: int) -> str:
        """Block by its first line; the other branch of an `if` by its condition."""
        around = self.places[side].find_parent(block)
        if block.sort != "else" or around is None:
            return f"“{self._quote_item(block, side)}”"
        first = next((item for item in around.items if item.sort == "branch"), around)
        return f"the `else` of “{self._quote_item(first, side)}”"

    def _describe_neighbour(self, old: OutlineItem, new: OutlineItem) -> str:
        """New place among the items beside it: before or after one that it passed, else first or last."""
        before, after = self.places[1].split_siblings(new)
        old_before, old_after = self.places[0].split_siblings(old)
        texts = Counter(item.text for item in (*before, new, *after))
        for word, beside, passed in ("after", before[::-1], old_after), ("before", after, old_before):
            for near in [item for item in beside if item.text != new.text][:1]:
                if texts[near.text] == 1 and any(self._is_same_item(item, near) for item in passed):
                    return f"{word}{self._name_neighbour(near)}"
        if not before or not after:
            return "last" if before else "first"
        return f"after{self._name_neighbour(before[-1])}"

    def _name_neighbour(self, item: OutlineItem) -> str:
        title = f' "{shorten_text(item.title)}"' if item.title else ""
        if item.sort == "step":
            return f" step {item.id}{title}"
        return title or (
            f" {item.id}" if item.id and item.sort not in _SENTENCE_SORTS else f": {self._quote_item(item, 1)}"
        )

    # Changes.

    def describe_exchange(self, old: OutlineItem, new: OutlineItem) -> BeforeAfter:
        """Removed line and the one that replaced it."""
        was, now = (self._item_sentence(item, side, inside=True) for side, item in enumerate((old, new)))
        return self._compare_phrases(was, now) or self.contrast_texts(old.text, new.text)

    def _describe_cells(self, old: OutlineItem, new: OutlineItem) -> BeforeAfter:
        """Changed inputs of a row of a table."""
        was, now = (
            sentences.table_row_cells(item) for sentences, item in zip(self._sentences, (old, new), strict=True)
        )
        differing = [pair for pair in zip(was, now, strict=False) if pair[0] != pair[1]]
        return BeforeAfter(", ".join(each[0] for each in differing), ", ".join(each[1] for each in differing))

    def describe_wrap(
        self, was: OutlineItem | None, now: OutlineItem | None, lines: Sequence[OutlineItem]
    ) -> BeforeAfter:
        """First lines of two blocks around the same lines; of one alone the lines with it and without."""
        if was is not None and now is not None:
            return self._compare_sentences(was, now) or self.contrast_texts(was.text, now.text)
        block, side = (was, 0) if was is not None else (now, 1)
        assert block is not None
        sentences = [self._item_sentence(line, 1, inside=True) for line in lines]
        head = self._item_sentence(block, side, inside=False)
        if head and all(sentences):
            without = shorten_text("; ".join(sentences), _MAX_CODE_CHARS)
            within = f"{head}: {without[:1].lower()}{without[1:]}"
            return BeforeAfter(without, within) if side else BeforeAfter(within, without)
        inside = f"inside {_quote_code(block.text)}: {_quote_code('; '.join(line.text for line in lines))}"
        return BeforeAfter("", inside) if side else BeforeAfter(inside, "")

    def _describe_change(
        self, old: OutlineItem, new: OutlineItem, differences: Sequence[PartDifference]
    ) -> BeforeAfter:
        if new.sort == "modifier" and all(difference.name in _MODIFIER_PARTS for difference in differences):
            result = BeforeAfter(_describe_modifier(old), _describe_modifier(new))
            if result:
                return result
        names = {difference.name for difference in differences}
        if names == {"cells"} and (cells := self._describe_cells(old, new)):
            return cells
        if new.sort == "event" or (new.sort in _DECLARED_SORTS and "value" not in names):
            return _join_before_after([self._describe_part(difference, new) for difference in differences])
        result = self._describe_sentences(old, new, () if names & _UNWORDED_PARTS else differences)
        if not result and new.sort == "line" and max(len(old.text), len(new.text)) <= _MAX_CODE_LINE_CHARS:
            result = _word_halves(_quote_code, *(item.text.removeprefix(f"{item.id}: ") for item in (old, new)))
        return result or self.contrast_texts(old.text, new.text) or NO_BEFORE_AFTER

    def _describe_sentences(
        self, old: OutlineItem, new: OutlineItem, differences: Sequence[PartDifference]
    ) -> BeforeAfter:
        """Difference of two items in words: their one part that differs, else their sentences, else code."""
        part = NO_BEFORE_AFTER
        if len(differences) == 1:
            (difference,) = differences
            is_guard = difference.name == "when" or (difference.name == "condition" and new.sort == "step")
            if is_guard and (part := self._describe_guards(old, new, difference.name)):
                return part
            if new.sort not in _SENTENCE_SORTS or _is_range_part(difference):
                part = self._describe_part(difference, new)
                part = BeforeAfter(f"{new.id} {part.was}", part.now) if new.sort == "line" and part else part
            if not part or _has_code(part):
                is_condition = difference.name in {"when", "condition"}
                one = self._compare_operands(old, new) if is_condition else NO_BEFORE_AFTER
                is_part_told = new.sort != "line" or difference.name in _PLAYER_PARTS
                part = one or (self._compare_part_phrases(old, new, difference.name) if is_part_told else one) or part
            if part and not _has_code(part):
                return part
        return self._compare_sentences(old, new) or part

    def _describe_guards(self, old: OutlineItem, new: OutlineItem, name: str) -> BeforeAfter:
        was, now = (
            sentences.item_part_phrase(item, name) if any(part.name == name for part in item.parts) else ""
            for sentences, item in zip(self._sentences, (old, new), strict=True)
        )
        if "`" in f"{was}{now}" or not (was or now):
            return NO_BEFORE_AFTER
        if not was or not now:
            halves = _word_halves("only when {}".format, was, now)
            return halves if was else BeforeAfter("", halves.now, implied_before="always")
        operands, result = self._compare_operands(old, new), self._compare_phrases(was, now)
        only = "" if new.sort == "row" else "only when "
        return operands or (BeforeAfter(f"{only}{result.was}", result.now) if result else NO_BEFORE_AFTER)

    def _compare_sentences(self, old: OutlineItem, new: OutlineItem) -> BeforeAfter:
        was, now = (
            _drop_title(self._item_sentence(item, side, inside=False), item.title)
            for side, item in enumerate((old, new))
        )
        return self._compare_operands(old, new) or self._compare_phrases(was, now)

    def _compare_operands(self, old: OutlineItem, new: OutlineItem) -> BeforeAfter:
        """The one operand of `and` or `or` that differs."""
        (joint, before), (other, after) = (
            sentences.split_condition(item) for sentences, item in zip(self._sentences, (old, new), strict=True)
        )
        differing = [
            pair
            for pair in zip(before, after, strict=False)
            if _singularize_verb(self._rename_words(*pair)) != _singularize_verb(pair[1])
        ]
        is_one = joint == other and len(before) == len(after) and len(differing) == 1
        return self._compare_phrases(*differing[0]) if is_one else NO_BEFORE_AFTER

    def _compare_part_phrases(self, old: OutlineItem, new: OutlineItem, name: str) -> BeforeAfter:
        was, now = (
            sentences.item_part_phrase(item, name) for sentences, item in zip(self._sentences, (old, new), strict=True)
        )
        return self._compare_phrases(was, now)

    def _rename_words(self, was: str, now: str) -> str:
        return rename_in_sentence(was, self._new_words.items(), now)

    def _compare_phrases(self, was: str, now: str) -> BeforeAfter:
        was = self._rename_words(was, now)
        if not was or not now or was == now or "`" in f"{was}{now}":
            return NO_BEFORE_AFTER
        if max(len(was), len(now)) <= _MAX_WHOLE_SENTENCE_CHARS:
            return BeforeAfter(was, _drop_common_start(was, now))
        cut = cut_to_differences(was, now, around=_SENTENCE_CONTEXT_WORDS)
        return BeforeAfter(was if len(was) <= 2 * _MAX_WHOLE_SENTENCE_CHARS else cut[0], cut[1])

    # Parts of declarations, and code.

    def _describe_part(self, difference: PartDifference, item: OutlineItem) -> BeforeAfter:
        """Difference of one part of a declaration, with the word for the part where values alone would not say it."""
        name = difference.name
        was, now = difference.was.text if difference.was else "", difference.now.text if difference.now else ""
        if name in {"start", "default"} and item.sort in _DECLARED_SORTS:
            return self._describe_start_values(difference, was, now)
        if name == "inner":
            return BeforeAfter("", "only performed by other rules" if now else "can be begun by itself")
        if name == "when":
            return _word_halves(lambda text: f"only when {_quote_code(text)}", was, now)
        if name == "symmetric" or {was, now} == {"yes", ""}:
            return BeforeAfter(name if was == "yes" else "", name if now == "yes" else "")
        if name == "order" and item.sort != "event":
            return BeforeAfter(_ORDER_PHRASES.get(was, was), _ORDER_PHRASES.get(now, now))
        result = self._describe_values(name, was, now)
        is_one_sided = difference.was is None or difference.now is None
        is_told = name == "priority" or (is_one_sided and name in _LABELLED_PARTS)
        if is_told or (item.name is not None and item.sort not in _DECLARED_SORTS):
            label = _PART_LABELS.get(name, name if is_told else "")
        else:
            label = ""
        return _word_halves(lambda text: f"{label} {text}".strip(), result.was, result.now)

    def _describe_values(self, name: str, was: str, now: str) -> BeforeAfter:
        if name == "steps":
            return BeforeAfter(_describe_step_range(was), _describe_step_range(now))
        if name == "faces":
            return self._describe_faces(was, now)
        if was and now:
            return self.contrast_texts(was, now)
        return BeforeAfter(self._word_value(was, 0) or _quote_code(was), self._word_value(now, 1) or _quote_code(now))

    def _describe_start_values(self, difference: PartDifference, was: str, now: str) -> BeforeAfter:
        said = (_ENDINGS[0] if difference.name == "default" else _ENDINGS[1]).strip()
        parts = _SET_PATTERN.fullmatch(was), _SET_PATTERN.fullmatch(now)
        if parts[0] and parts[1]:
            old, new = parts[0][1].split(", "), parts[1][1].split(", ")
            lost, added = (
                ", ".join(
                    self.word_titles[side].get(word, word.replace("_", " ")) for word in words if word not in others
                )
                for side, (words, others) in enumerate(((old, new), (new, old)))
            )
            if bool(lost) != bool(added):
                return _word_halves(lambda words: f"also {words} {said}", lost, added)
        result = self._describe_values(difference.name, was, now)
        before, after = (f"{text} {said}" if text else "to be given" for text in (result.was, result.now))
        return BeforeAfter(before, after)

    def _describe_faces(self, was: str, now: str) -> BeforeAfter:
        before, after = (Counter(item.strip() for item in text.split(",")) for text in (was, now))
        differing = [item for item in before | after if before[item] != after[item]]
        if not differing or any(item[-1:].isdigit() for item in differing):
            return BeforeAfter(_quote_code(was), _quote_code(now))
        words = {item: item.rpartition(".")[2] for item in differing}
        first, second = (
            ", ".join(
                f"{faces[item] or 'no'} {self.word_titles[side].get(words[item], words[item])}" for item in differing
            )
            for side, faces in enumerate((before, after))
        )
        return BeforeAfter(first, second)

    def contrast_texts(self, was: str, now: str) -> BeforeAfter:
        """Two texts of the rules, cut to their difference with its context; values in words; empty for equal ones."""
        if was == now:
            return NO_BEFORE_AFTER
        if self._renamed_pattern is not None:
            anew = self._renamed_pattern.sub(lambda match: self._new_words[match[0]], was)
            was = anew if anew != now else was
        worded = self._word_value(was, 0), self._word_value(now, 1)
        if all(worded) and worded[0] != worded[1]:
            return BeforeAfter(*worded)
        cut = (was, now) if max(len(was), len(now)) <= _MAX_PART_CHARS else cut_to_differences(was, now)
        return _word_halves(_quote_code, *cut) or BeforeAfter(_quote_code(was), _quote_code(now))

    def _word_value(self, text: str, side: int) -> str:
        """A number, a range, or a word by its title; empty for anything else."""
        bounds = _RANGE_PATTERN.fullmatch(text)
        if bounds:
            return f"{bounds[1]} to {bounds[2]}"
        return self.word_titles[side].get(text, text) if _VALUE_PATTERN.fullmatch(text) else ""


def _is_branch(item: OutlineItem) -> bool:
    return item.sort in {"branch", "else", "case"}


def _is_range_part(difference: PartDifference) -> bool:
    parts = difference.was, difference.now
    return difference.name == "type" and all(part and _RANGE_PATTERN.fullmatch(part.text) for part in parts)


def _word_halves(word: Callable[[str], str], was: str, now: str) -> BeforeAfter:
    """Before and after, each put into words; an empty one stays empty."""
    return BeforeAfter(word(was) if was else "", word(now) if now else "")


def _join_before_after(parts: Sequence[BeforeAfter]) -> BeforeAfter:
    was, now = ([one.was for one in parts], [one.now for one in parts])
    for ending in _ENDINGS if len(parts) == 1 else ():
        if was[0].endswith(ending) and now[0].endswith(ending):
            was = [was[0].removesuffix(ending)]
    return BeforeAfter(", ".join(filter(None, was)), ", ".join(filter(None, now)))


def _has_code(halves: BeforeAfter) -> bool:
    """Whether a side shows more of the rules' text than names, numbers and words."""
    return any(map(_CODE_PATTERN.search, (halves.was, halves.now)))


def _drop_title(sentence: str, title: str) -> str:
    """Sentence without the title of its row or question, which stands before it."""
    head, quoted, rest = sentence.partition(f"; “{title}”)")
    if title and quoted:
        return f"{head.rpartition(' (')[0]}{rest}"
    return sentence.replace(f", “{title}”", "") if title else sentence


def _singularize_verb(sentence: str) -> str:
    """Sentence with a singular verb: `wounds are` and `health is` differ by a rename only."""
    return re.sub(r"\bare\b", "is", sentence)


def _drop_common_start(was: str, now: str) -> str:
    """The second of two sentences from the comparison that differs: `at least 3`."""
    old, new = was.split(" "), now.split(" ")
    start = count_common_prefix(old, new)
    while start and new[start - 1] in _ORDER_WORDS:
        start -= 1
    rest = " ".join(new[start:])
    return rest if start and _ORDER_PATTERN.match(rest) and rest.count("(") == rest.count(")") else now


def _collect_word_titles(outline: Outline) -> dict[str, str]:
    """Titles of words; a word with two titles in two lists keeps its name."""
    result: dict[str, set[str]] = {}
    for item in outline.walk_items():
        words = [outline_item for outline_item in item.items if outline_item.sort == "word"]
        called = WordTitles(
            [outline_item.id for outline_item in words], [outline_item.title for outline_item in words]
        ).display_names
        for word, title in zip(words, called, strict=True):
            result.setdefault(word.id, set()).add(title)
    return {name: name if others else title for name, (title, *others) in result.items()}


def _drop_untitled_words(called: Mapping[str, str]) -> Mapping[str, str]:
    return {name: title for name, title in called.items() if title != name}


def _describe_step_range(text: str) -> str:
    first, _, last = text.partition(", ")
    return f"steps {first} to {last}" if text else "all steps"


def _quote_code(text: str, most: int = _MAX_CODE_CHARS) -> str:
    plain = text.replace("`", "'")
    return f"`{shorten_text(plain, most)}`" if text else ""
