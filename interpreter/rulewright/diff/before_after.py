"""Before and after of an edit in as few words as possible: values and operators first, code as a last resort."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from rulewright.base.frozen import dataclass
from rulewright.base.source import count_common_ends, count_common_prefix
from rulewright.diff.clause_matching import rename_in_sentence
from rulewright.diff.edit_wording import cut_to_difference, cut_to_differences, describe_modifier, shorten_text
from rulewright.diff.edits import AddEdit, ChangeEdit, Edit, MoveEdit, PartDifference, RemoveEdit
from rulewright.program.declarations import Program, WordTitles
from rulewright.program.outline.items import DeclaredName, ItemPart, Outline, OutlineItem
from rulewright.wording.english import ARITHMETIC_SIGNS
from rulewright.wording.item_sentences import ItemSentences

_CODE_TOKEN_PATTERN = re.compile(
    r'"(?:[^"\\]|\\.)*"|[A-Za-z_][\w.]*(?:\[[\w ]+\])?|(?:(?<![\w)\]])-)?\d+(?:/\d+)?|<=|>=|!=|\.\.|[^\s\w]'
)
_OPERATOR_WORDS = {">": "more than", "<": "less than", ">=": "at least", "<=": "at most", "=": "is", "!=": "is not"}
_CHOICE_WORDS = {
    "highest": "highest first",
    "lowest": "lowest first",
    "ask": "a player chooses",
}
_FLAG_WORDS = {"yes": "yes", "no": "no"}
_MAX_CODE_CHARS, _MAX_BODY_CHARS = 110, 400
_MAX_CODE_LINE_CHARS = 50
_ORDER_WORDS = frozenset("at least most more less than not".split())  # noqa: SIM905
_ORDER_STARTS = frozenset({"at", "more", "less", "not"})
_MAX_SENTENCE_CHARS, _MAX_WHOLE_SENTENCE_CHARS, _SENTENCE_CONTEXT_WORDS = 150, 200, 5
_CODE_PATTERN = re.compile(r"[`\[\](]|\w\.\w|\w_\w")
_NAME_PATTERN = re.compile(r"[A-Za-z_][\w.]*")
_OPERAND_PATTERN = re.compile(r"[A-Za-z_][\w.]*(?:\[[\w ]+\])?")
_JOINING_WORDS = frozenset({"if", "when", "where", "and", "or", ":"})
_NUMBER_PATTERN = re.compile(r"[-+]?\d+(?:/\d+)?")
_LABELLED_PARTS = frozenset({"default", "range", "priority", "start", "seats", "faces", "holders", "gives", "order"})
_CHANGED_PART_LABELS = {
    "gives": "result",
    "start": "starting from",
    "order": "asked in the order",
    "holders": "held by",
}
_WORDED_PARTS = frozenset({"order", "inner", "steps", "faces"})
_DECLARED_ITEM_SORTS = frozenset({"attribute", "game field", "part", "parameter"})
_INNER_NAME_SORTS = frozenset({"local", "parameter", "step", "plural"})
_NEIGHBOUR_PATTERN = re.compile(r"(after|before|inside) `([^`]+)`")
_SENTENCE_SORTS = frozenset({"line", "branch", "step", "requirement"})
"""Sorts without a title that could say what a lone value is of."""
_SIGN_PATTERN = re.compile(r"(`[^`]*`)|(?<![\w)\]\-])-(?=\d)")
_PLAYER_PARTS = frozenset({"who is asked", "who rolls"})
_UNWORDED_PARTS = frozenset({"kind of change", "what it does", "what is asked"})


@dataclass(frozen=True, slots=True)
class BeforeAfter:
    """Text before and after an edit; one is empty for additions and removals."""

    was: str  # empty if added
    now: str  # empty if removed
    implied_before: str = ""  # implied meaning before: `always`, where a condition was added
    is_full_sentence: bool = False  # whether `now` says what happened, and needs no word `now` before it

    def __bool__(self) -> bool:
        return self.was != self.now


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


class BeforeAfterWording:
    """Wording of edits as before and after.

    Args:
        programs: the old revision and the new one, whose lines are put into sentences.
        outlines: of both, for the titles of their words.
        names: new names by old ones; a rename is no difference.
    """

    def __init__(
        self,
        programs: tuple[Program, Program],
        outlines: tuple[Outline, Outline],
        names: Mapping[DeclaredName, DeclaredName],
    ) -> None:
        self._outlines = outlines
        self._sentences = ItemSentences(programs[0]), ItemSentences(programs[1])
        called = {
            old.short_name: new.short_name
            for old, new in names.items()
            if old.short_name != new.short_name and old.sort not in _INNER_NAME_SORTS
        }
        self._renamed_pattern = re.compile(rf"\b({'|'.join(map(re.escape, called))})\b") if called else None
        self._new_words = called
        self._renames = [*called.items()]
        titles = Counter(item.title for item in outlines[1].walk_items() if item.sort == "line")
        self._repeated = frozenset(title for title, times in titles.items() if times > 1)
        old, new = map(_collect_word_titles, outlines)
        self.word_titles = _drop_untitled_words(new | old), _drop_untitled_words(old | new)
        """The titles of words by each revision; what it does not have by the other."""

    def describe_before_after(self, edit: Edit, edit_text: str, within: str = "") -> BeforeAfter:
        """Before and after of an edit.

        Args:
            edit: the edit.
            edit_text: its text elsewhere, used where it has neither before nor after.
            within: when the added or removed line is carried out: `If the die shows 6`; empty for always.
        """
        match edit:
            case AddEdit(new):
                return BeforeAfter("", "an option" if new.sort == "option" else self.describe_whole(new, 1, within))
            case RemoveEdit(old):
                return BeforeAfter("an option" if old.sort == "option" else self.describe_whole(old, 0, within), "")
            case ChangeEdit(old, new, differences):
                return self._describe_changed_item(old, new, differences, edit_text)
            case MoveEdit(_, new):
                spoken = self._describe_moved_line(new, edit_text)
                if spoken:
                    return BeforeAfter("", spoken, is_full_sentence=True)
                is_told = new.sort != "line" or not new.id or (new.title and new.title not in self._repeated)
                unsaid = "" if is_told else f": {_quote_code(_text_without_title(new))}"
                return BeforeAfter(
                    "", f"{edit_text.removeprefix('now ')}{unsaid}", is_full_sentence=not edit_text.startswith("now ")
                )
        return NO_BEFORE_AFTER

    def _describe_moved_line(self, new: OutlineItem, edit_text: str) -> str:
        sentence = self._sentences[1].item_sentence(new, inside=False) if new.sort == "line" else ""
        where = _NEIGHBOUR_PATTERN.sub(
            lambda match: f"{match[1]}: {self._sentences_by_text.get(match[2], '`')}", edit_text.partition(": `")[0]
        )
        return f"{sentence}; this {where}" if sentence and "`" not in f"{sentence}{where}" else ""

    @cached_property
    def _sentences_by_text(self) -> Mapping[str, str]:
        return {
            shorten_text(item.text): sentence
            for outline, sentences in zip(self._outlines, self._sentences, strict=True)
            for item in outline.walk_items()
            if item.sort in {"line", "branch"} and (sentence := sentences.item_sentence(item, inside=False))
        }

    def describe_whole(self, item: OutlineItem, side: int, within: str = "") -> str:
        """Whole item of one revision: a sentence, else its source text."""
        sentence = self._sentences[side].item_sentence(item, inside=True)
        if not sentence or "`" in f"{within}{sentence}":
            return _quote_code(_full_item_text(item))
        if within.startswith("If "):
            return shorten_text(f"{sentence}, i{within[1:]}", _MAX_SENTENCE_CHARS)
        return shorten_text(
            f"{within}: {sentence[:1].lower()}{sentence[1:]}" if within else sentence, _MAX_SENTENCE_CHARS
        )

    def describe_condition(self, around: OutlineItem, side: int) -> str:
        """When the lines directly inside an item are carried out; empty for always."""
        return self._sentences[side].branch_head(around) if around.sort in {"branch", "else", "case"} else ""

    def describe_body(self, item: OutlineItem, side: int) -> str:
        """Body of a declaration or step of one revision, line by line."""
        sentence = self._sentences[side].item_sentence(item, inside=True)
        if sentence and "`" not in sentence:
            return shorten_text(sentence, _MAX_BODY_CHARS)
        return _quote_code(join_item_lines(item) or item.text.partition(":")[2].strip() or item.text, _MAX_BODY_CHARS)

    def describe_exchange(self, old: OutlineItem, new: OutlineItem) -> BeforeAfter:
        """Removed line and the one that replaced it."""
        was, now = (
            sentence.item_sentence(item, inside=True)
            for sentence, item in zip(self._sentences, (old, new), strict=True)
        )
        return self._compare_renamed(was, now) or self.contrast_texts(old.text, new.text)

    def describe_cells(self, edit: Edit) -> BeforeAfter:
        """Changed inputs of a row of a table, where nothing else of the row changed."""
        if not isinstance(edit, ChangeEdit) or {difference.name for difference in edit.differences} != {"cells"}:
            return NO_BEFORE_AFTER
        was, now = (
            sentence.table_row_cells(item) for sentence, item in zip(self._sentences, (edit.old, edit.new), strict=True)
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
        sentences = [self._sentences[1].item_sentence(line, inside=True) for line in lines]
        head = self._sentences[side].item_sentence(block, inside=False)
        if head and all(sentences) and "`" not in "".join([head, *sentences]):
            without = shorten_text("; ".join(sentences), _MAX_CODE_CHARS)
            within = f"{head}: {without[:1].lower()}{without[1:]}"
            return BeforeAfter(without, within) if side else BeforeAfter(within, without)
        inside = f"inside {_quote_code(block.text)}: {_quote_code('; '.join(line.text for line in lines))}"
        return BeforeAfter("", inside) if side else BeforeAfter(inside, "")

    def _describe_changed_item(
        self, old: OutlineItem, new: OutlineItem, differences: Sequence[PartDifference], edit_text: str
    ) -> BeforeAfter:
        if (
            all(difference.name in {"kind of change", "amount"} for difference in differences)
            and new.sort == "modifier"
        ):
            result = BeforeAfter(describe_modifier(old), describe_modifier(new))
            if result:
                return result
        worded = [difference for difference in differences if difference.name not in _UNWORDED_PARTS]
        is_event = new.sort == "event" and {difference.name for difference in differences} <= {"gives", "order"}
        if (new.sort in _DECLARED_ITEM_SORTS or is_event) and len(worded) == len(differences):
            describe_part = self._describe_event_part if is_event else self._describe_part
            parts = [describe_part(part_difference) for part_difference in worded]
            return BeforeAfter(
                ", ".join(filter(None, (part.was for part in parts))),
                ", ".join(filter(None, (part.now for part in parts))),
            )
        result = self._describe_sentences(old, new, worded if len(worded) == len(differences) else ())
        if not result and new.sort == "line" and max(len(old.text), len(new.text)) <= _MAX_CODE_LINE_CHARS:
            result = BeforeAfter(_quote_code(_text_without_id(old)), _quote_code(_text_without_id(new)))
        return result or self.contrast_texts(old.text, new.text) or BeforeAfter("", edit_text.removeprefix("now "))

    def _describe_sentences(
        self, old: OutlineItem, new: OutlineItem, differences: Sequence[PartDifference]
    ) -> BeforeAfter:
        """Difference of two items in words: their one part that differs, else their sentences, else code."""
        part = NO_BEFORE_AFTER
        if len(differences) == 1 and differences[0].name == "when":
            part = self._describe_guards(old, new)
            if part:
                return part
        if len(differences) == 1 and (new.sort != "line" or differences[0].name in _PLAYER_PARTS):
            part = (
                self._describe_named_part(differences[0], new) if new.sort not in _SENTENCE_SORTS else NO_BEFORE_AFTER
            )
            if not part or _has_code(part):
                one = (
                    self._compare_operands(old, new)
                    if differences[0].name in {"when", "condition"}
                    else NO_BEFORE_AFTER
                )
                part = one or self._compare_part_sentences(old, new, differences[0].name) or part
            if part and not _has_code(part):
                return part
        return self._compare_sentences(old, new) or part

    def _describe_event_part(self, each: PartDifference) -> BeforeAfter:
        if each.name == "order" and each.was is not None and each.now is not None:
            label = _CHANGED_PART_LABELS["order"]
            return BeforeAfter(f"{label} {_quote_code(each.was.text)}", f"{label} {_quote_code(each.now.text)}")
        result = self._describe_difference(each)
        label = _CHANGED_PART_LABELS.get(each.name, "") if each.was is not None and each.now is not None else ""
        return BeforeAfter(f"{label} {result.was}".strip(), f"{label} {result.now}".strip()) if result else result

    def _describe_named_part(self, each: PartDifference, new: OutlineItem) -> BeforeAfter:
        """Difference of one part of a declaration, with the word for the part where values alone would not say it."""
        result = self._describe_difference(each)
        label = _CHANGED_PART_LABELS.get(each.name, "") if new.name is not None else ""
        if not label or not result or each.was is None or each.now is None:
            return result
        return BeforeAfter(f"{label} {result.was}", f"{label} {result.now}")

    def _describe_guards(self, old: OutlineItem, new: OutlineItem) -> BeforeAfter:
        was, now = (
            sentence.item_part_phrase(item, "when") if any(part.name == "when" for part in item.parts) else ""
            for sentence, item in zip(self._sentences, (old, new), strict=True)
        )
        if "`" in f"{was}{now}" or not (was or now):
            return NO_BEFORE_AFTER
        if was and now:
            result = self._compare_operands(old, new) or self._compare_renamed(was, now)
            return (
                BeforeAfter(f"{'' if new.sort == 'row' else 'only when '}{result.was}", result.now)
                if result
                else NO_BEFORE_AFTER
            )
        return (
            BeforeAfter(f"only when {was}", "") if was else BeforeAfter("", f"only when {now}", implied_before="always")
        )

    def _compare_sentences(self, old: OutlineItem, new: OutlineItem) -> BeforeAfter:
        was, now = (
            sentence.item_sentence(item, inside=False).replace(f", “{item.title}”", "")  # which the name of the row has
            for sentence, item in zip(self._sentences, (old, new), strict=True)
        )
        return self._compare_operands(old, new) or self._compare_renamed(was, now)

    def _compare_operands(self, old: OutlineItem, new: OutlineItem) -> BeforeAfter:
        """The one operand of `and` or `or` that differs."""
        (joint, before), (other, after) = (
            sentence.split_condition(item) for sentence, item in zip(self._sentences, (old, new), strict=True)
        )
        pairs = zip(before, after, strict=False)
        differing = [
            pair
            for pair in pairs
            if _singularize_verb(rename_in_sentence(pair[0], self._renames)) != _singularize_verb(pair[1])
        ]
        is_one = joint == other and len(before) == len(after) and len(differing) == 1
        return self._compare_renamed(*differing[0]) if is_one else NO_BEFORE_AFTER

    def _compare_part_sentences(self, old: OutlineItem, new: OutlineItem, name: str) -> BeforeAfter:
        was, now = (
            sentence.item_part_phrase(item, name) for sentence, item in zip(self._sentences, (old, new), strict=True)
        )
        return self._compare_renamed(was, now)

    def _compare_renamed(self, was: str, now: str) -> BeforeAfter:
        return _pair_sentences(rename_in_sentence(was, self._renames), now)

    def _describe_part(self, each: PartDifference) -> BeforeAfter:
        result = self._describe_difference(each)
        if each.name in {"start", "default"}:
            return BeforeAfter(_describe_start_value(result.was, each.was), _describe_start_value(result.now, each.now))
        return result

    def _describe_difference(self, each: PartDifference) -> BeforeAfter:
        was, now = each.was.text if each.was else "", each.now.text if each.now else ""
        if each.name in _WORDED_PARTS:
            return self._describe_worded_part(each.name, was, now)
        if each.name == "when" and not (was and now):
            if now:
                return BeforeAfter("", f"only when {_quote_code(now)}", implied_before="always")
            return BeforeAfter(f"only when {_quote_code(was)}", "")
        if each.name == "symmetric":
            return BeforeAfter(each.name if was == "yes" else "", each.name if now == "yes" else "")
        if {was, now} == {"yes", ""}:
            return BeforeAfter(each.name if was else "", each.name if now else "")
        result = (
            self.contrast_texts(was, now)
            if was and now
            else BeforeAfter(self._word_text(was, 0), self._word_text(now, 1))
        )
        is_named = each.name == "priority" or each.was is None or each.now is None
        if result and each.name in _LABELLED_PARTS | {"type"} and is_named:
            return BeforeAfter(f"{each.name} {result.was}" if was else "", f"{each.name} {result.now}" if now else "")
        return result

    def _describe_worded_part(self, name: str, was: str, now: str) -> BeforeAfter:
        match name:
            case "order":
                return BeforeAfter(_CHOICE_WORDS.get(was, was), _CHOICE_WORDS.get(now, now))
            case "inner":
                return BeforeAfter("", "only performed by other rules" if now else "can be begun by itself")
            case "steps":
                return BeforeAfter(_describe_step_range(was), _describe_step_range(now))
            case _:
                return self._describe_faces(was, now)

    def _describe_faces(self, was: str, now: str) -> BeforeAfter:
        before, after = (Counter(item.strip() for item in text.split(",")) for text in (was, now))
        differing = [item for item in before | after if before[item] != after[item]]
        if not differing or any(item[-1:].isdigit() for item in differing):
            return BeforeAfter(_quote_code(was), _quote_code(now))
        first, second = (
            ", ".join(f"{faces[item] or 'no'} {self._face_title(item, side)}" for item in differing)
            for side, faces in enumerate((before, after))
        )
        return BeforeAfter(first, second)

    def _face_title(self, face: str, side: int) -> str:
        _, _, word = face.rpartition(".")
        return self.word_titles[side].get(word, word)

    def contrast_texts(self, was: str, now: str) -> BeforeAfter:
        """Two texts reduced to their difference with its context; empty for equal ones."""
        if was == now:
            return NO_BEFORE_AFTER
        if self._renamed_pattern is not None:
            anew = self._renamed_pattern.sub(lambda match: self._new_words[match[0]], was)
            was = anew if anew != now else was
        old, new = _CODE_TOKEN_PATTERN.findall(was), _CODE_TOKEN_PATTERN.findall(now)
        before, after = count_common_ends(old, new)
        before, after = _widen_difference(old, new, before, after)
        first, second = old[before : len(old) - after], new[before : len(new) - after]
        worded = self._word_tokens(first, 0), self._word_tokens(second, 1)
        if len(first) == len(second) == 1 and all(item[0] in _OPERATOR_WORDS for item in (first, second)):
            left, right = (
                _find_operand_beside(old[:before][::-1], "("),
                _find_operand_beside(old[len(old) - after :], ")"),
            )
            worded = (f"{left} {worded[0]} {right}", f"{worded[1]} {right}") if left and right else ("", "")
        elif all(worded) and first[0] in _OPERATOR_WORDS and (left := _find_operand_beside(old[:before][::-1], "(")):
            worded = f"{left} {worded[0]}", worded[1]
        if all(worded) and worded[0] != worded[1]:
            return BeforeAfter(*worded)
        whole = max(len(was), len(now)) <= _MAX_CODE_CHARS // 2
        cut = (was, now) if whole else cut_to_difference(was, now)
        contrast = BeforeAfter(_quote_code(cut[0]), _quote_code(cut[1]))
        return contrast or BeforeAfter(_quote_code(was), _quote_code(now))

    def _word_text(self, text: str, side: int) -> str:
        return self._word_tokens(_CODE_TOKEN_PATTERN.findall(text), side) or _quote_code(text)

    def _word_tokens(self, tokens: Sequence[str], side: int) -> str:
        titles = self.word_titles[side]
        match tokens:
            case [one] if _NUMBER_PATTERN.fullmatch(one) or one in _FLAG_WORDS:
                return one
            case [one] if one in titles:
                return titles[one]
            case [one] if one in _OPERATOR_WORDS:
                return _OPERATOR_WORDS[one]
            case [order, one] if order in _OPERATOR_WORDS and (_NUMBER_PATTERN.fullmatch(one) or one in titles):
                return f"{_OPERATOR_WORDS[order]} {titles.get(one, one)}"
            case ["+" | "-" as sign, one] if _NUMBER_PATTERN.fullmatch(one):
                return f"{sign}{one}"
            case [low, "..", high] if _NUMBER_PATTERN.fullmatch(low) and _NUMBER_PATTERN.fullmatch(high):
                return f"{low} to {high}"
            case [one] if one in _CHOICE_WORDS:
                return _CHOICE_WORDS[one]
            case [one] if _NAME_PATTERN.fullmatch(one):
                return one
        return ""


def _has_code(halves: BeforeAfter) -> bool:
    """Whether a side shows more of the rules' text than names, numbers and words."""
    return any(map(_CODE_PATTERN.search, (halves.was, halves.now)))


def _pair_sentences(was: str, now: str) -> BeforeAfter:
    if not was or not now or was == now or "`" in f"{was}{now}":
        return NO_BEFORE_AFTER
    if max(len(was), len(now)) > _MAX_WHOLE_SENTENCE_CHARS:
        was, now = cut_to_differences(was, now, around=_SENTENCE_CONTEXT_WORDS)
    return BeforeAfter(was, _drop_common_start(was, now)) if was != now else NO_BEFORE_AFTER


def _singularize_verb(sentence: str) -> str:
    """Sentence with a singular verb: `wounds are` and `health is` differ by a rename only."""
    return re.sub(r"\bare\b", "is", sentence)


def _drop_common_start(was: str, now: str) -> str:
    old, new = was.split(" "), now.split(" ")
    start = count_common_prefix(old, new)
    while start and new[start - 1] in _ORDER_WORDS:
        start -= 1
    return " ".join(new[start:]) if start and new[start : start + 1] and new[start] in _ORDER_STARTS else now


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


def _find_operand_beside(tokens: Sequence[str], bracket: str) -> str:
    """Name beside an operator, outwards to a bracket; empty where more than it is compared."""
    match tokens:
        case [one] if _OPERAND_PATTERN.fullmatch(one):
            return one
        case [one, beyond, *_] if _OPERAND_PATTERN.fullmatch(one) and (beyond in _JOINING_WORDS or beyond == bracket):
            return one
    return ""


def _is_comparison_end(tokens: Sequence[str]) -> bool:
    return not tokens or tokens[0] in _JOINING_WORDS or tokens[0] in {")", ","}


def _widen_difference(old: Sequence[str], new: Sequence[str], before: int, after: int) -> tuple[int, int]:
    """Number of common tokens to leave out: a number keeps its order, and an end of a range the other end."""
    changed = (*old[before : len(old) - after], *new[before : len(new) - after])
    rest = old[len(old) - after :]
    if before and old[before - 1] in _OPERATOR_WORDS and changed and all(map(_NUMBER_PATTERN.fullmatch, changed)):
        return (before - 1, after) if _is_comparison_end(rest) else (before, after)
    if rest and changed and all(item in _OPERATOR_WORDS for item in changed) and _NUMBER_PATTERN.fullmatch(rest[0]):
        return (before, after - 1) if _is_comparison_end(rest[1:]) else (before, after)
    if before > 1 and old[before - 1] == "..":
        return before - 2, after
    if after > 1 and old[len(old) - after] == "..":
        return before, after - 2
    return before, after


def _describe_start_value(text: str, part: ItemPart | None) -> str:
    if part is None:
        return "to be given"
    if part.name == "default":
        return f"{text.removeprefix('default ')} if not given"
    return f"{text.removeprefix('start ')} at the start"


def _text_without_id(item: OutlineItem) -> str:
    return item.text.removeprefix(f"{item.id}: ") if item.id else item.text


def _full_item_text(item: OutlineItem) -> str:
    if item.items and item.items[0].sort == "branch":
        return "; ".join(_list_inner_texts(item))
    text = _text_without_title(item)
    if item.sort in {"condition", "modifier", "row", "key"} and text.startswith(f"{item.id}:"):
        text = text.removeprefix(f"{item.id}:").lstrip()
    return text if item.name else _text_with_inner(text.rstrip(":") if item.items else text, item)


def _describe_step_range(text: str) -> str:
    first, _, last = text.partition(", ")
    return f"steps {first} to {last}" if text else "all steps"


def _text_without_title(item: OutlineItem) -> str:
    return item.text.replace(f' "{item.title}"', "") if item.title else item.text


def _list_inner_texts(item: OutlineItem) -> Iterator[str]:
    for number, outline_item in enumerate(item.items):
        if outline_item.sort == "parameter":
            continue
        text = f"else {outline_item.text}" if outline_item.sort == "branch" and number else outline_item.text
        yield _text_with_inner(text, outline_item)


def _text_with_inner(text: str, item: OutlineItem) -> str:
    """Line with everything inside it; of an `if` its branches, the first of which reads as the line itself."""
    below = "; ".join(_list_inner_texts(item))
    first = next((outline_item.sort for outline_item in item.items if outline_item.sort != "parameter"), "")
    link = "; " if first == "else" else ": "
    return below if first == "branch" else f"{text}{link}{below}" if below else text


def _quote_code(text: str, most: int = _MAX_CODE_CHARS) -> str:
    return f"`{shorten_text(text, most)}`" if text else ""


def join_item_lines(item: OutlineItem) -> str:
    """Body of a declaration or step, line by line."""
    return "; ".join(_list_inner_texts(item))
