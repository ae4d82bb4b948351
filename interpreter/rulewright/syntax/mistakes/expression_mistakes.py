"""Mistakes of expressions, brackets and dice."""

import re
from collections.abc import Iterator

from rulewright.base.diagnostics import Diagnostic, Edit
from rulewright.syntax.layout import ScannedWord, find_open_brackets
from rulewright.syntax.mistakes.mistake_context import MistakeContext

_COMPARISON_SIGNS = frozenset({"=", "!=", "<", "<=", ">", ">="})
_QUANTIFIERS_WITH_BINDER = frozenset({"some", "no", "the", "every"})
_OPERAND_BORDERS = frozenset({"and", "or", "when", "where", "if", "(", ",", ":", "means", "not", "while", "=", "@"})


def diagnose_not_some(situation: MistakeContext) -> Diagnostic | None:
    """`not some x in S`."""
    texts = situation.texts
    for number in range(len(texts) - 2):
        if texts[number : number + 2] == ("not", "some") and number <= situation.stop_index <= number + 3:
            at, remedy = situation.get_offsets(number, number + 2), "write `no` instead of `not some`"
            return situation.make_line_error("RW0114", "`not some` is written `no`", at=at, remedy=remedy, edit="no")
    return None


def diagnose_joined_quantifier(situation: MistakeContext) -> Diagnostic | None:
    """`a and no y in S where C`, without brackets."""
    at, texts = situation.stop_index, [word.text for word in situation.line.words]
    if at < 2 or texts[at - 1] not in {"some", "no", "every"} or texts[at - 2] not in {"and", "or"}:  # noqa: PLR2004
        return None
    if situation.stop_word.sort != "word" or not {"in", ","} & {*texts[at + 1 : at + 2]}:
        return None
    end = _find_quantifier_end(situation, at)
    quantified = situation.get_words_text(at - 1, end)
    message = f"`{texts[at - 1]}` after `{texts[at - 2]}` stands in brackets"
    start, stop = situation.get_offsets(at - 1, end)
    edits = (situation.make_edit(start, start, "(", safe=False), situation.make_edit(stop, stop, ")", safe=False))
    return situation.make_line_error("RW0106", message, at=(start, stop), remedy=f"write `({quantified})`", edits=edits)


def _find_quantifier_end(situation: MistakeContext, start: int) -> int:
    """Index behind the last word of what a quantifier asks: before the colon of a block, a title, a closing bracket."""
    body, texts, depth = situation.line.body, situation.texts, 0
    last = len(body) - 1 if situation.line.opens_block else len(body)
    for number in range(start, last):
        depth += (texts[number] in {"(", "[", "{"}) - (texts[number] in {")", "]", "}"})
        if depth < 0 or body[number].sort == "string" or texts[number : number + 2] == ("at", "most"):
            return number
    return last


def diagnose_colon_after_some(situation: MistakeContext) -> Diagnostic | None:
    """`some x in S: C`, in a line that goes on as a condition does."""
    texts, at = situation.texts, situation.stop_index
    colon = next((number for number in (at, at - 1) if 0 < number < len(texts) - 1 and texts[number] == ":"), 0)
    if not colon or (colon < at and texts[-1] != ":"):
        return None
    begin = next((number for number in range(colon - 1, -1, -1) if texts[number] in _QUANTIFIERS_WITH_BINDER), 0)
    between = texts[begin:colon]
    if not begin or between[0] == "every" or "in" not in between[2:3] or "where" in between:
        return None
    word = situation.words[colon]
    message = f"after `{between[0]}` a condition begins with `where`"
    remedy = f"write `{situation.get_words_text(begin, colon)} where …`; a `:` is for `every`"
    edits = (situation.make_edit(situation.words[colon - 1].end, word.end, " where"),)
    return situation.make_line_error("RW0577", message, at=word, remedy=remedy, edits=edits)


def diagnose_parted_sign(situation: MistakeContext) -> Diagnostic | None:
    """`a > = b`, with a space within the sign; `a = > b`."""
    for number in (situation.stop_index - 1, situation.stop_index):
        sign = "".join(situation.texts[max(number, 0) : number + 2])
        better = {"=>": ">=", "=<": "<="}.get(sign, sign)
        if better in {">=", "<=", "!="} and len(situation.texts[number]) == 1:
            at, message = situation.get_offsets(number, number + 2), f"`{better}` is one sign, without a space in it"
            return situation.diagnose_rewriting(at, better, message, code="RW0116", safe=sign == better)
    return None


def diagnose_chained_comparison(situation: MistakeContext) -> Diagnostic | None:
    """`2 <= a <= 4`."""
    scanned_word = situation.stop_word
    if scanned_word.text not in _COMPARISON_SIGNS or situation.stop_index < 3:  # noqa: PLR2004
        return None
    texts = situation.texts
    first = next(
        (n for n in range(situation.stop_index - 1, 0, -1) if texts[n] in _COMPARISON_SIGNS | _OPERAND_BORDERS), 0
    )
    if texts[first] not in _COMPARISON_SIGNS or first + 1 == situation.stop_index:
        return None
    begin = next((n + 1 for n in range(first - 1, -1, -1) if texts[n] in _OPERAND_BORDERS), 0)
    end = next((n for n in range(situation.stop_index + 1, len(texts)) if texts[n] in _OPERAND_BORDERS), len(texts))
    end = next((n for n in range(situation.stop_index + 1, end) if situation.words[n].sort == "string"), end)
    middle = situation.get_words_text(first + 1, situation.stop_index)
    left, right = (
        situation.get_words_text(begin, situation.stop_index),
        situation.get_words_text(situation.stop_index, end),
    )
    words = situation.words
    edits = [situation.make_edit(scanned_word.start, scanned_word.start, f"and {middle} ")]
    if begin and texts[begin - 1] == "not":
        edits += [
            situation.make_edit(words[begin].start, words[begin].start, "("),
            situation.make_edit(words[end - 1].end, words[end - 1].end, ")"),
        ]
    message = "a comparison has two sides, not three"
    return situation.make_line_error(
        "RW0116", message, at=scanned_word, remedy=f"write `{left} and {middle} {right}`", edits=edits
    )


def diagnose_short_if_value(situation: MistakeContext) -> Diagnostic | None:
    """`if(a, b)`, with two parts."""
    scanned_word = situation.stop_word
    if scanned_word.text != ")" or "COMMA" not in situation.failure.accepted:
        return None
    depth, commas = 0, 0
    for number in range(situation.stop_index - 1, 0, -1):
        text = situation.texts[number]
        depth += (text in ")]}") - (text in "([{")
        commas += text == "," and depth == 0
        if depth < 0:
            if situation.texts[number - 1] != "if" or commas > 1:
                return None
            message, remedy = "`if(…)` has three parts", "write `if(condition, value, otherwise)`"
            return situation.make_line_error(
                "RW0117", message, at=(situation.words[number - 1].start, scanned_word.end), remedy=remedy
            )
    return None


def diagnose_prefixed_and(situation: MistakeContext) -> Diagnostic | None:
    """`and(b, c)`."""
    scanned_word = situation.stop_word
    is_first = situation.texts[situation.stop_index : situation.stop_index + 2] in {("and", "("), ("or", "(")}
    if not is_first or "NOT" not in situation.failure.accepted:
        return None
    parts, end = _split_bracket(situation, situation.stop_index + 1)
    better = f" {scanned_word.text} ".join(parts)
    edits = [situation.make_edit(scanned_word.start, situation.words[end].end, f"({better})")] if end else []
    message = f"`{scanned_word.text}` goes between two conditions"
    return situation.make_line_error("RW0106", message, at=scanned_word, remedy=f"write `{better}`", edits=edits)


def _split_bracket(situation: MistakeContext, opening: int) -> tuple[list[str], int]:
    """Texts between the commas of a bracket, and the index of the closing one, or 0."""
    parts, begin, depth = [], opening + 1, 0
    for number in range(opening, len(situation.words)):
        text = situation.texts[number]
        depth += (text in "([{") - (text in ")]}")
        if depth == 0 or (depth == 1 and text == ","):
            part = situation.get_words_text(begin, number)
            parts.append(f"({part})" if _JOINED & set(situation.texts[begin:number]) else part)
            begin = number + 1
        if depth == 0:
            return parts, number
    return parts, 0


_JOINED = frozenset({"and", "or", "not", "some", "no"})


def diagnose_within(situation: MistakeContext) -> Diagnostic | None:
    """`hexes within 2 of u`."""
    texts = situation.texts
    if "within" not in texts[:-3]:
        return None
    number = texts.index("within")
    if texts[number + 2 : number + 3] != ("of",) or number == 0:
        return None
    board = next(
        (line.words[1].text for line in situation.lines if line.words[0].text == "board" and len(line.words) > 1),
        "field",
    )
    better = f"{{each h in {board} where distance(h, {texts[number + 3]}.at) <= {texts[number + 1]}}}"
    at, message = situation.get_offsets(number - 1, number + 4), "use `distance` to ask what is near"
    return situation.diagnose_rewriting(at, better, message, code="RW0127", safe=False)


_CLOSING_BRACKETS = {"(": ")", "[": "]", "{": "}"}
_OPENING_BRACKETS = {closing: opening for opening, closing in _CLOSING_BRACKETS.items()}


def diagnose_unclosed_bracket(situation: MistakeContext) -> Diagnostic | None:
    """A bracket still open at the end of its line."""
    opened = find_open_brackets(situation.line.words)
    if not opened:
        return None
    bracket = opened[-1]
    closing = _CLOSING_BRACKETS[bracket.text]
    end = situation.make_edit(situation.end_offset, situation.end_offset, closing, safe=False)
    return situation.make_line_error(
        "RW0126", f"`{bracket.text}` is not closed", at=bracket, remedy=f"add `{closing}`", edits=(end,)
    )


def diagnose_unopened_bracket(situation: MistakeContext) -> Diagnostic | None:
    """A closing bracket without an opening one, or of another sort than the open one."""
    opened: list[str] = []
    for word in situation.words:
        if word.sort == "sign" and word.text in _CLOSING_BRACKETS:
            opened.append(word.text)
        elif word.sort == "sign" and word.text in _CLOSING_BRACKETS.values():
            if not opened:
                deletion = situation.make_edit(word.start, word.end, "", safe=False)
                remedy = f"leave it out, or write `{_OPENING_BRACKETS[word.text]}` where it begins"
                return situation.make_line_error(
                    "RW0126", f"`{word.text}` closes nothing", at=word, remedy=remedy, edits=(deletion,)
                )
            expected = _CLOSING_BRACKETS[opened.pop()]
            if expected != word.text:
                return situation.make_line_error(
                    "RW0126",
                    f"`{word.text}` closes another kind of bracket",
                    at=word,
                    remedy=f"write `{expected}`, or begin it with `{_OPENING_BRACKETS[word.text]}`",
                    edits=(situation.make_edit(word.start, word.end, expected, safe=False),),
                )
    return None


_WHOLE_NUMBER = re.compile(r"\d+")


def diagnose_ratio(situation: MistakeContext) -> Diagnostic | None:
    """`1:2`, as a word of a list, as the head of a column, or in a condition."""
    pairs = tuple(_find_ratios(situation.line.words))
    if not any(one.start <= situation.failure.start <= other.end for one, other in pairs):
        return None
    one, other = pairs[0]
    shown, titled = f"{one.text}:{other.text}", f'odds_{one.text}_{other.text} "{one.text}:{other.text}"'
    if situation.line_kind == "word":
        pairs, written = pairs[:1], [titled]
        message = f"a word of a list is a name, and `{shown}` is none"
        remedy = f"write a name with `{shown}` as its title, such as `{titled}`"
    elif situation.verb == "across":
        written = [f"odds_{a.text}_{b.text}" for a, b in pairs]
        message = f"a column is headed by a word of a list, and `{shown}` is none"
        remedy = f"let the list have names with titles, such as `{titled}`, and write `{' | '.join(written)}`"
    else:
        written = [f"{a.text} / {b.text}" for a, b in pairs]
        message, remedy = f"`{shown}` is not a value", f"odds are a fraction: write `{written[0]}`"
    edits = [situation.make_edit(a.start, b.end, item, safe=False) for (a, b), item in zip(pairs, written, strict=True)]
    return situation.make_line_error("RW0106", message, at=(one.start, other.end), remedy=remedy, edits=edits)


def _find_ratios(words: tuple[ScannedWord, ...]) -> Iterator[tuple[ScannedWord, ScannedWord]]:
    """Pairs of whole numbers around a colon without spaces."""
    for one, colon, other in zip(words, words[1:], words[2:], strict=False):
        touch = one.end == colon.start and colon.end == other.start
        if touch and colon.text == ":" and _WHOLE_NUMBER.fullmatch(one.text) and _WHOLE_NUMBER.fullmatch(other.text):
            yield one, other


_WORDS_BEFORE_VALUE = {"let": "=", "set": "to", "finish": "with"}
_OTHER_VALUE = "other value"


def diagnose_question_mark(situation: MistakeContext) -> Diagnostic | None:
    """`x ? 3 : 4`."""
    is_one = situation.stop_word.text == "?" and ":" in situation.texts[situation.stop_index :]
    return diagnose_trailing_condition(situation, situation.stop_index) if is_one else None


def diagnose_if_then(situation: MistakeContext) -> Diagnostic | None:
    """`let n = if x then 3 else 4`."""
    number = situation.stop_index - 1
    if situation.word_before.text != "if" or situation.failure.accepted != {"LPAR"}:
        return None
    texts, end = situation.texts, _find_value_end(situation, number)
    if texts[number:end].count("then") != 1 or texts[number:end].count("else") != 1:
        return None
    then, other = texts.index("then", number), texts.index("else", number)
    parts = [situation.get_words_text(*item) for item in ((number + 1, then), (then + 1, other), (other + 1, end))]
    if not all(parts):
        return None
    written = f"if({', '.join(parts)})"
    message = "an `if` has no `then`"
    edits = (situation.make_edit(*situation.get_offsets(number, end), written),)
    return situation.make_line_error(
        "RW0106", message, at=situation.words[then], remedy=f"write `{written}`", edits=edits
    )


def diagnose_trailing_condition(situation: MistakeContext, number: int) -> Diagnostic:
    """`3 if x else 4` and `x ? 3 : 4`, at the word of an index."""
    items = _split_conditional(situation, number)
    start, end, *parts = items or (0, 0, "condition", "value", _OTHER_VALUE)
    written = f"if({', '.join(map(str, parts))})"
    message = "the condition of a value comes first"
    edits = (situation.make_edit(start, end, written),) if _OTHER_VALUE not in parts else ()
    return situation.make_line_error(
        "RW0106", message, at=situation.words[number], remedy=f"write `{written}`", edits=edits
    )


def _split_conditional(situation: MistakeContext, number: int) -> tuple[int, int, str, str, str] | None:
    """Start, end, condition, value and other value of a conditional; none where they are unclear."""
    texts, words, around = situation.texts, situation.words, find_opener(situation, number)
    before = _WORDS_BEFORE_VALUE.get(situation.verb, "")
    start = around if around is not None else texts.index(before) if before in texts[:number] else None
    end = _find_value_end(situation, number)
    if start is None or "if" in texts[number + 1 : end] or texts[number:end].count("?") > 1:
        return None
    is_question = texts[number] == "?"
    parting = ":" if is_question else "else"
    middle = texts.index(parting, number) if parting in texts[number:end] else end
    first, second = situation.get_words_text(start + 1, number), situation.get_words_text(number + 1, middle)
    if not first or not second:
        return None
    other = situation.get_words_text(middle + 1, end) or _OTHER_VALUE
    is_alone = around is not None and texts[around] == "(" and texts[end : end + 1] == (")",)
    is_call = start > 0 and words[start - 1].end == words[start].start
    span = (start, end) if is_alone and not is_call else (start + 1, end - 1)
    condition, value = (first, second) if is_question else (second, first)
    return words[span[0]].start, words[span[1]].end, condition, value, other


def _find_value_end(situation: MistakeContext, number: int) -> int:
    """Index of the word that ends the value around a word."""
    depth = 0
    for at, text in enumerate(situation.texts[number:], number):
        depth += (text in "([{") - (text in ")]}")
        if depth < 0 or (not depth and (text == "," or text.startswith('"'))):
            return at
    return len(situation.words)


def find_opener(situation: MistakeContext, number: int) -> int | None:
    """Index of the bracket around a word, or of the comma before it in one; none outside of brackets."""
    depth, comma = 0, None
    for at in range(number - 1, -1, -1):
        text = situation.texts[at]
        if not depth and text in "([{":
            return at if comma is None else comma
        if not depth and text == "," and comma is None:
            comma = at
        depth += (text in ")]}") - (text in "([{")
    return None


_DICE_PATTERN = re.compile(r"([1-9][0-9]*)? ?([dD][1-9][0-9]*)")


def is_dice_text(text: str) -> bool:
    """Whether a word is a dice expression: `2d6`, `d6`."""
    return _DICE_PATTERN.fullmatch(text) is not None


def make_dice_remedy(situation: MistakeContext, dice: str) -> str:
    """What to write where dice stand that do not fit."""
    if situation.verb == "roll" and situation.stop_index > situation.verb_index + 1:
        return f"write `{situation.get_words_text(situation.verb_index + 1, situation.stop_index)} of {dice}`"
    return f"roll the dice first, `roll {dice} as NAME`, and read what they show: `total(NAME)`"


def diagnose_dice_order(situation: MistakeContext) -> Diagnostic | None:
    """`roll check as 2d6`, and `let check = 2d6`."""
    head = situation.verb_index
    match situation.texts[head : head + 3]:
        case ("roll", name, "as"):
            end = next((at for at, text in enumerate(situation.texts) if text == "by"), len(situation.words))
        case ("let", name, "="):
            end = len(situation.words)
        case _:
            return None
    first = head + 4 if situation.texts[head + 3 : head + 4] == ("roll",) else head + 3
    dice = _DICE_PATTERN.fullmatch(situation.get_words_text(first, end))
    if dice is None:
        return None
    better = f"roll {dice[1] or ''}{dice[2].lower()} as {name}"
    is_roll = situation.verb == "roll"
    message = "the dice come first" if is_roll else "a `let` rolls no dice"
    turned = situation.make_edit(*situation.get_offsets(head, end), better, safe=is_roll)
    return situation.make_line_error("RW0110", message, remedy=f"write `{better}`", edits=(turned,))


def diagnose_dice_in_words(situation: MistakeContext) -> Diagnostic | None:
    """`roll a d6`, `roll two d6`."""
    before, dice = situation.word_before, situation.stop_word
    if before.text not in _NUMBER_WORDS or not re.fullmatch("[dD][1-9][0-9]*", dice.text):
        return None
    better = f"{_NUMBER_WORDS[before.text]}{dice.text.lower()}"
    return situation.diagnose_rewriting((before.start, dice.end), better, safe=before.text in {"a", "an"})


_NUMBER_WORDS = {"a": "", "an": "", "one": "", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6"}


def diagnose_tagged_dice(situation: MistakeContext) -> Diagnostic | None:
    """`roll 2d6 tagged t as blows`, the former notation: the name of a part stands before it, in brackets."""
    texts, start = situation.texts, situation.verb_index + 1
    if situation.verb != "roll" or situation.stop_word.text != "tagged" or "as" not in texts:
        return None
    bracketed, end = texts[start] == "[", texts.index("as")
    if bracketed:
        end = (
            next(
                at for at in range(start, end) if texts[at] == "]" and _count_open_brackets(texts[start : at + 1]) == 0
            )
            + 1
        )
    edits: tuple[Edit, ...] = ()
    if situation.stop_index < end:
        stretches = _split_at_commas(texts, start + bracketed, end - bracketed)
        parts = ", ".join(_render_named_part(situation, *stretch) for stretch in stretches)
        edits = (situation.make_edit(*situation.get_offsets(start, end), f"[{parts}]"),)
    message = "the name of dice comes before them; `tagged` is not a word of a roll"
    remedy = f"write `{edits[0].replacement}`" if edits else "call every part: `[attack: 3 of d6, block: 2 of d8]`"
    return situation.make_line_error("RW0106", message, at=situation.stop_word, remedy=remedy, edits=edits)


def diagnose_dice_without_faces(situation: MistakeContext) -> Diagnostic | None:
    """`roll 2 dice`."""
    scanned_word, before = situation.stop_word, situation.word_before
    if situation.verb != "roll" or scanned_word.text not in {"dice", "die"}:
        return None
    number = before.text if before.text.isdigit() and before.text != "1" else ""
    remedy = f"write `roll {number}d6 as NAME`, or which dice are meant"
    return situation.make_line_error("RW0106", "this roll has no dice", at=scanned_word, remedy=remedy)


def diagnose_added_to_dice(situation: MistakeContext) -> Diagnostic | None:
    """`roll d6 + bonus as check`."""
    texts, start = situation.texts, situation.verb_index + 1
    dice, sign = (*texts[start : start + 2], "", "")[:2]
    if situation.verb != "roll" or not is_dice_text(dice) or sign not in {"+", "-"}:
        return None
    end = texts.index("as") if "as" in texts else len(texts)
    name = "".join(texts[end + 1 : end + 2]) or "NAME"
    shown = f"total({name})" if texts[start][0].isdigit() else f"{name}.natural"
    message = "a roll is dice only; add the number where you read the roll"
    remedy = f"write `roll {texts[start]} as {name}`, and below `{shown} {situation.get_words_text(start + 1, end)}`"
    return situation.make_line_error("RW0110", message, at=situation.words[start + 1], remedy=remedy)


_ROLL_OPTION_WORDS = frozenset({"keep", "drop", "explode"})


def make_roll_option_remedy(situation: MistakeContext) -> str:
    """How a roll for each of several things is written, or the place of an option written behind the name."""
    texts, scanned_word = situation.texts, situation.stop_word
    if scanned_word.text == "for" and "[" in texts:
        return "to roll for each of several things, write a loop: `for each one in …:`, and the `roll` below it"
    if scanned_word.text not in _ROLL_OPTION_WORDS or "as" not in texts:
        return ""
    end = texts.index("as")
    start = next((at for at in range(end, len(texts)) if texts[at] == scanned_word.text), 0)
    if not start:
        return ""
    option = situation.get_words_text(start, len(texts))
    moved = f"{situation.get_words_text(situation.verb_index, end)} {option} {situation.get_words_text(end, start)}"
    return f"`{scanned_word.text}` comes after the dice: `{moved}`"


def _render_named_part(situation: MistakeContext, start: int, end: int) -> str:
    tagged = [one for one in range(start + 1, end) if situation.texts[one] == "tagged"]
    if not tagged:
        return situation.get_words_text(start, end)
    at = tagged[-1]
    more = next((one for one in range(at, end) if situation.texts[one] in _ROLL_OPTION_WORDS), end)
    dice = f"{situation.get_words_text(start, at)} {situation.get_words_text(more, end)}".strip()
    return f"{situation.get_words_text(at + 1, more)}: {dice}"


def _split_at_commas(texts: tuple[str, ...], start: int, end: int) -> Iterator[tuple[int, int]]:
    """Ranges of words between commas outside of brackets."""
    first = start
    for at in range(start, end):
        if texts[at] == "," and _count_open_brackets(texts[start:at]) == 0:
            yield first, at
            first = at + 1
    yield first, end


def _count_open_brackets(texts: tuple[str, ...]) -> int:
    return sum((text in "([{") - (text in ")]}") for text in texts)


def diagnose_negative_face(situation: MistakeContext) -> Diagnostic | None:
    """`die fate: -1, 0, 1`."""
    if situation.verb != "die" or situation.line_kind != "declaration" or situation.stop_word.text != "-":
        return None
    end = min(situation.stop_index + 2, len(situation.words))
    remedy = "add one number to every face, and take it away where the roll is read"
    message = "a face is a number from 0 up, or a word"
    return situation.make_line_error(
        "RW0101", message, at=situation.get_offsets(situation.stop_index, end), remedy=remedy
    )
