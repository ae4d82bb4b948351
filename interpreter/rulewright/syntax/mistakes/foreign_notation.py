"""Signs, quotes, numbers and words of other notations."""

import re
from collections.abc import Collection
from itertools import takewhile

from rulewright.base.diagnostics import Diagnostic, Edit
from rulewright.syntax.layout import MAX_DIGITS, ScannedLine, ScannedWord
from rulewright.syntax.mistakes.block_lines import find_sibling_verb, is_if_line
from rulewright.syntax.mistakes.mistake_context import MistakeContext
from rulewright.syntax.words import LANGUAGE_WORDS, LINE_START_WORDS

# ruff: noqa: RUF001 - letters and signs that look alike are the subject


_FOREIGN_SIGNS = {
    "==": ("equality has one `=`", "="),
    "<>": ("inequality is spelled `!=`", "!="),
    "=>": ("the sign is `>=`", ">="),
    "=<": ("the sign is `<=`", "<="),
    "&&": ("the word is `and`", "and"),
    "&": ("the word is `and`", "and"),
    "||": ("the word is `or`", "or"),
    "|": ("the word is `or`", "or"),
    "!": ("the word is `not`", "not"),
    "≠": ("inequality is spelled `!=`", "!="),
    "≤": ("the sign is `<=`", "<="),
    "≥": ("the sign is `>=`", ">="),
    "×": ("multiplication is spelled `*`", "*"),
    "÷": ("division is spelled `/`", "/"),
    "−": ("the minus sign is `-`", "-"),
    "–": ("the minus sign is `-`", "-"),
    "…": ("a range is spelled `..`", ".."),
    "：": ("a colon is spelled `:`", ":"),
    "，": ("a comma is spelled `,`", ","),
    "（": ("a bracket is spelled `(`", "("),
    "）": ("a bracket is spelled `)`", ")"),
}
_GLUED_WORDS = {"elseif": "else if", "notin": "not in", "upto": "up to", "atmost": "at most"}
_ELSE_IF_WORDS = frozenset({"elseif", "elif", "elsif"})
_LOOK_ALIKE_LETTERS = {
    **dict(zip("аеорсухіјѕԁһ", "aeopcyxijsdh", strict=True)),
    **dict(zip("АВЕКМНОРСТХ", "ABEKMHOPCTX", strict=True)),
    **dict(zip("αοορνι", "aoopvi", strict=True)),
}


def diagnose_foreign_letters(situation: MistakeContext) -> Diagnostic | None:
    """A homoglyph of a Latin letter, or a letter with an accent."""
    for word in situation.words:
        if word.sort == "word" and not word.text.isascii():
            return _make_foreign_letter_error(situation, word)
    return None


def _make_foreign_letter_error(situation: MistakeContext, word: ScannedWord) -> Diagnostic:
    plain = make_ascii_name(word.text)
    strange = next(letter for letter in word.text if not letter.isascii())
    remedy = f"write `{plain}`" if plain else "names are made of the letters a to z, digits and `_`"
    remedy = "write it with digits, such as `1 / 2`" if word.text.isnumeric() else remedy
    looks_alike = all(letter.isascii() or letter in _LOOK_ALIKE_LETTERS for letter in word.text)
    message = f"`{word.text}` has the letter `{strange}` (U+{ord(strange):04X})"
    edits = (situation.make_edit(word.start, word.end, plain, safe=looks_alike),) if plain else ()
    return situation.make_line_error("RW0143", message, at=word, remedy=remedy, edits=edits)


def make_ascii_name(name: str) -> str:
    """The name in ASCII letters; empty where a letter has no counterpart."""
    from unicodedata import normalize  # noqa: PLC0415 - only where a mistake is explained

    if any(letter.isnumeric() and not letter.isascii() for letter in name):
        return ""
    plain = "".join(_LOOK_ALIKE_LETTERS.get(letter) or normalize("NFKD", letter)[0] for letter in name)
    return plain if plain.isascii() else ""


def diagnose_capitals(situation: MistakeContext) -> Diagnostic | None:
    """`If`, `Step`, `Ask`: a word of the language in capitals, first in its line or where it is accepted."""
    result, accepted = situation.stop_word, situation.failure.accepted
    verb = situation.line.verb
    if not _is_capitalized_word(verb, LINE_START_WORDS):
        if not _is_capitalized_word(result, LANGUAGE_WORDS) or result.text.upper() not in accepted:
            return None
        verb = result
    declared_names = {
        word.text for line in situation.lines if line.words[0].text.lower() in _NAMING_WORDS for word in line.words[1:]
    }
    if verb.text in declared_names:
        return None
    sure = [
        word
        for before, word in zip((None, *situation.words), situation.words, strict=False)
        if word == verb
        or (
            _is_capitalized_word(word, LANGUAGE_WORDS)
            and word.text not in declared_names
            and (before is None or before.text not in _WORDS_BEFORE_NAME)
        )
    ]
    message = f"`{verb.text}` is a word of the language in capitals"
    remedy = f"write it in small letters: `{verb.text.lower()}`"
    edits = tuple(
        situation.make_edit(scanned_word.start, scanned_word.end, scanned_word.text.lower()) for scanned_word in sure
    )
    return situation.make_line_error("RW0870", message, at=verb, remedy=remedy, edits=edits)


def _is_capitalized_word(word: ScannedWord, known: frozenset[str]) -> bool:
    return word.sort == "word" and word.text != word.text.lower() and word.text.lower() in known


_NAMING_WORDS = frozenset({"kind", "values", "record", "die", "board"})
"""First words of lines whose names may have capitals."""
_WORDS_BEFORE_NAME = frozenset({".", ":", "of"})
"""What stands before the name of an attribute or a type."""


def diagnose_foreign_sign(situation: MistakeContext) -> Diagnostic | None:
    """`==`, `<>`, `&&` and the like, at the place of the error."""
    for word in _get_words_near(situation):
        if word.text == "|" and situation.line_kind == "table row":
            continue
        if word.text in _FOREIGN_SIGNS:
            message, replacement = _FOREIGN_SIGNS[word.text]
            spaced = _add_spaces(situation, word, replacement) if replacement.isalpha() else replacement
            return situation.make_line_error("RW0106", message, at=word, remedy=f"write `{replacement}`", edit=spaced)
    return None


def diagnose_is_for_equals(situation: MistakeContext) -> Diagnostic | None:
    """`terrain is town`, `terrain is not town`, `pile is empty`."""
    at, following = situation.stop_index, situation.line.words[situation.stop_index + 1 : situation.stop_index + 3]
    if situation.stop_word.text != "is" or not at or not following:
        return None
    negated = following[0].text == "not"
    if following[negated:] and following[negated].text == "empty":
        word = "some" if negated else "no"
        what = f"to ask whether there is anything, write `{word}`"
        return situation.make_line_error(
            "RW0106", what, at=(situation.stop_word.start, following[negated].end), remedy=f"write `{word} x in …`"
        )
    if negated:
        return situation.diagnose_rewriting(situation.get_offsets(at, at + 2), "!=", "inequality is spelled `!=`")
    return situation.diagnose_rewriting(situation.stop_word, "=", "equality is spelled `=`")


def _add_spaces(situation: MistakeContext, word: ScannedWord, replacement: str) -> str:
    before, after = situation.content[word.start - 1 : word.start], situation.content[word.end : word.end + 1]
    return f"{'' if before in _BLANKS_AND_OPENERS else ' '}{replacement}{'' if after.isspace() else ' '}"


_BLANKS_AND_OPENERS = frozenset(" \t\n([{")


def _get_words_near(situation: MistakeContext) -> tuple[ScannedWord, ...]:
    return situation.line.words[max(situation.stop_index - 1, 0) : situation.stop_index + 2]


def diagnose_line_end(situation: MistakeContext) -> Diagnostic | None:
    """`set x to 3;`, a line that ends with a sign where no block begins, and `else;` where one does."""
    sign, rest = situation.stop_word, situation.words[situation.stop_index + 1 :]
    if sign.sort in {"end", "cite"}:
        sign, rest = situation.word_before, ()
    accepted = situation.failure.accepted
    if sign.text not in {";", ".", ",", ":"} or (rest and sign.text != ";"):
        return None
    if "COLON" in accepted and ("_NL" not in accepted or situation.below is not None) and not rest:
        message = f"a block begins with `:`, not with `{sign.text}`"
        return situation.diagnose_rewriting(sign, ":", message) if sign.text in ";." else None
    if sign.text == ":" and (sign != situation.stop_word or situation.below is not None or "_NL" not in accepted):
        return None
    end, written = (rest[0].start, f"\n{situation.indent_text}") if rest else (sign.end, "")
    edits = (situation.make_edit(sign.start, end, written),)
    return situation.make_line_error(
        "RW0106", f"a line ends without `{sign.text}`", at=sign, remedy="leave it out", edits=edits
    )


def diagnose_foreign_comment(situation: MistakeContext) -> Diagnostic | None:
    """`// remark`, `/* remark */`."""
    if situation.texts[:2] == ("/", "*"):
        return _diagnose_block_comment(situation)
    for word in _get_words_near(situation):
        if word.text in {"//", "--"}:
            sure = word == situation.line.words[0]
            replacement = situation.make_edit(word.start, word.end, "#", safe=sure)
            return situation.make_line_error(
                "RW0106", "a comment begins with `#`", at=word, remedy="write `#`", edits=(replacement,)
            )
    return None


def _diagnose_block_comment(situation: MistakeContext) -> Diagnostic:
    first, second = situation.words[:2]
    ended = situation.texts[-2:] == ("*", "/") and len(situation.words) > 2  # noqa: PLR2004 - more than its beginning
    start = situation.content[: situation.words[-2].start].rstrip() if ended else ""
    edits = (
        situation.make_edit(first.start, second.end, "#"),
        *((situation.make_edit(len(start), situation.words[-1].end, ""),) if ended else ()),
    )
    at = (first.start, second.end)
    return situation.make_line_error("RW0106", "a comment begins with `#`", at=at, remedy="write `#`", edits=edits)


def diagnose_bullet(situation: MistakeContext) -> Diagnostic | None:
    """`- take 1 from x`, as an item of a list."""
    first, *others = situation.words
    if first.text not in {"-", "*", "•"} or not others or others[0].sort != "word" or situation.stop_index > 1:
        return None
    message = f"a line does not begin with `{first.text}`"
    edits = (situation.make_edit(first.start, others[0].start, ""),)
    return situation.make_line_error("RW0106", message, at=first, remedy="leave it out", edits=edits)


def diagnose_spaced_cite(situation: MistakeContext) -> Diagnostic | None:
    """`@ 50.e`, with a space."""
    cite = situation.stop_word
    rest = situation.line.words[situation.stop_index + 1 :]
    deletion = (situation.make_edit(cite.end, rest[0].start, ""),) if rest else ()
    message, remedy = "a cite names its clause right behind `@`", "leave the space out"
    return (
        situation.make_line_error("RW0106", message, at=cite, remedy=remedy, edits=deletion)
        if cite.text == "@"
        else None
    )


def diagnose_step_assignment(situation: MistakeContext) -> Diagnostic | None:
    """`x += 1`."""
    for number, word in enumerate(situation.words):
        if word.text in {"+=", "-=", "++"} and situation.verb != "if":
            first = situation.verb_index + (situation.verb == "set")
            place = situation.get_words_text(first, number)
            amount = situation.get_words_text(number + 1, len(situation.words)) or "1"
            better = f"take {amount} from {place}" if word.text == "-=" else f"add {amount} to {place}"
            start, end = situation.words[situation.verb_index].start, situation.words[-1].end
            written = situation.make_edit(start, end, better)
            message, remedy = f"`{word.text}` is not a verb", f"write `{better}`"
            return situation.make_line_error(
                "RW0107", message, at=word, remedy=remedy, edits=(written,) if place else ()
            )
    return None


def diagnose_else_if(situation: MistakeContext) -> Diagnostic | None:
    """`elseif` and `elif`."""
    first = situation.line.words[0]
    plain = situation.texts[:2] == ("else", "if")
    sibling = find_sibling_verb(situation) if plain or first.text in _ELSE_IF_WORDS else ""
    if sibling in {"ask", "add", "take", "draw"}:
        return _diagnose_nested_if(situation, sibling)
    return _make_two_words_error(situation, first, "else if") if first.text in _ELSE_IF_WORDS else None


def _is_branch_line(line: ScannedLine, situation: MistakeContext) -> bool:
    word = line.words[0].text
    return line.indent > situation.line.indent or (
        line.indent == situation.line.indent and word in {"else", *_ELSE_IF_WORDS}
    )


def _diagnose_nested_if(situation: MistakeContext, owner: str) -> Diagnostic:
    """`else if` and the like below a line whose `else` has no condition."""
    first = situation.line.words[0]
    number = 1 if first.text in _ELSE_IF_WORDS else 2
    condition = situation.words[number : number + 1]
    edits: tuple[Edit, ...] = ()
    if condition and situation.line.opens_block:
        branches = takewhile(
            lambda scanned_line: _is_branch_line(scanned_line, situation), situation.lines[situation.index + 1 :]
        )
        following = (branch for branch in branches if branch.indent == situation.line.indent)
        moved = [
            edit
            for scanned_line in (situation.line, *following)
            for edit in situation.make_indent_edits(scanned_line, 2)
        ][1:]
        edits = (situation.make_edit(first.start, condition[0].start, f"else:\n{situation.indent_text}  if "), *moved)
    written = " ".join(word.text for word in situation.words[:number])
    remedy = "write `else:` and put the `if` under it"
    above = situation.parent_line
    if above is not None and is_if_line(above):
        plural = "" if above.indent == 1 else "s"
        remedy, edits = f"indent it by {above.indent} space{plural}, like its `if`, or {remedy}", ()
    message = f"`{written}` belongs to an `if`, and this follows {'an' if owner[0] == 'a' else 'a'} `{owner}`"
    at = (first.start, situation.words[number - 1].end)
    return situation.make_line_error("RW0120", message, at=at, remedy=remedy, edits=edits)


def diagnose_glued_words(situation: MistakeContext) -> Diagnostic | None:
    """Two words without a space."""
    if situation.failure.sort == "glued":
        written = situation.content[situation.failure.start : situation.failure.end]
        if written in _GLUED_WORDS:
            return _make_two_words_error(
                situation, ScannedWord("word", written, situation.failure.start), _GLUED_WORDS[written]
            )
        message = f"`{written}` is neither a name nor a number"
        remedy = "put a space between its parts, or begin the name with a letter"
        return situation.make_line_error(
            "RW0106", message, at=(situation.failure.start, situation.failure.end), remedy=remedy
        )
    for word in _get_words_near(situation):
        if word.text in _GLUED_WORDS:
            return _make_two_words_error(situation, word, _GLUED_WORDS[word.text])
    return None


def _make_two_words_error(situation: MistakeContext, word: ScannedWord, instead: str) -> Diagnostic:
    return situation.diagnose_rewriting(word, instead, f"`{word.text}` is two words")


def diagnose_end_word(situation: MistakeContext) -> Diagnostic | None:
    """`end` alone on a line, as other languages close their blocks."""
    above, following = situation.previous_line, situation.lines[situation.index + 1 :]
    is_alone = above is not None and above.opens_block and above.indent < situation.line.indent
    is_alone = is_alone and (not following or following[0].indent < situation.line.indent)
    is_end = situation.texts[:1] in {("end",), ("endif",)} and len(situation.words) <= 2  # noqa: PLR2004 - `end if`
    deletion = (situation.make_line_deletion(),)
    if situation.line_kind != "path" and is_end and not is_alone:
        message = "a block ends where the indentation ends"
        return situation.make_line_error("RW0106", message, remedy="leave this line out", edits=deletion)
    if situation.texts in {("{",), ("}",)}:
        message = "a block is shown by indentation, without brackets"
        return situation.make_line_error("RW0106", message, remedy="leave this out", edits=deletion)
    return None


def diagnose_unknown_sign(situation: MistakeContext) -> Diagnostic | None:
    """A character without use in the language."""
    result = situation.stop_word
    if result.sort != "sign" or result.text in "()[]{}.,:=<>+-*/?|!" or len(result.text) > 1:
        return None
    remedy = "leave it out, or write the sign or word that is meant"
    return situation.make_line_error("RW0150", f"`{result.text}` has no meaning here", at=result, remedy=remedy)


def diagnose_needs(situation: MistakeContext) -> Diagnostic | None:
    """`needs token: …` at the head of a procedure, and as a part that is amended."""
    number = next((number for number, text in enumerate(situation.texts) if text == "needs"), None)
    if number is None or situation.stop_index not in {number, number + 1} or ":" not in situation.texts[number + 2 :]:
        return None
    if number > situation.verb_index and situation.verb not in {"replace", "insert"}:
        return None
    return situation.diagnose_rewriting(situation.words[number], "require", code="RW0131")


def diagnose_only_if(situation: MistakeContext) -> Diagnostic | None:
    """`step 1 only if x:`."""
    at, result = situation.stop_index, situation.texts[situation.stop_index : situation.stop_index + 2]
    count = 1 if result[:1] == ("onlyif",) else 2 if result in {("only", "if"), ("only", "when")} else 0
    is_one = count and "step" in situation.texts[:at]
    return (
        situation.diagnose_rewriting(situation.get_offsets(at, at + count), "when", code="RW0131") if is_one else None
    )


def diagnose_first_key(situation: MistakeContext) -> Diagnostic | None:
    """`fresh: first u.fresh` as a key of a rank."""
    now = _KEY_WORDS.get(situation.texts[_KEY_VALUE_INDEX]) if len(situation.texts) > _KEY_VALUE_INDEX else None
    if (
        situation.line_kind != "key"
        or now is None
        or situation.stop_index not in {_KEY_VALUE_INDEX, _KEY_VALUE_INDEX + 1}
    ):
        return None
    return situation.diagnose_rewriting(situation.words[_KEY_VALUE_INDEX], now, code="RW0131")


_KEY_VALUE_INDEX = 2
_KEY_WORDS = {"first": "highest", "last": "lowest"}


# ruff: noqa: RUF001 - signs that look alike are the subject

_CURLY_QUOTES = frozenset("“”„«»‘’")
_CURLY_SINGLE_QUOTES = frozenset("‘’")
_DIGITS_PATTERN = re.compile(r"\d+")
_RANGE_DASHES = frozenset({"-", "–", "—", "to"})


def diagnose_curly_quotes(situation: MistakeContext) -> Diagnostic | None:
    """`“Title”` instead of `"Title"`."""
    quotes = [word for word in situation.words if word.text in _CURLY_QUOTES]
    double = [
        word for word in quotes if word.text not in _CURLY_SINGLE_QUOTES
    ]  # single quotes inside them are apostrophes
    return _make_curly_error(situation, quotes[0], double or dict.fromkeys((quotes[0], quotes[-1]))) if quotes else None


def _make_curly_error(
    situation: MistakeContext, first: ScannedWord, quote_words: Collection[ScannedWord]
) -> Diagnostic:
    message = f"`{first.text}` is a curly quote"
    edits = tuple(situation.make_edit(scanned_word.start, scanned_word.end, '"') for scanned_word in quote_words)
    return situation.make_line_error("RW0145", message, at=first, remedy='write the straight quote `"`', edits=edits)


def diagnose_unclosed_string(situation: MistakeContext) -> Diagnostic | None:
    """`"Title` without its second quote, `Title"` without its first, and quotes of which one is curly."""
    word = next((word for word in situation.line.words if word.sort == "open_string"), None)
    if word is None:
        return None
    written = _TEXT_END.split(word.text)[0]
    curly = [
        scanned_word
        for scanned_word in situation.line.words
        if scanned_word.text in _CURLY_QUOTES and scanned_word.start < word.start
    ]
    ends = [
        ScannedWord("sign", item, word.start + at)
        for at, item in enumerate(written)
        if item in _CURLY_QUOTES and item not in _CURLY_SINGLE_QUOTES
    ]
    if curly or ends:
        one = curly[0] if curly else ends[-1]
        return _make_curly_error(situation, one, (one,))
    if written == '"':
        remedy = 'put `"` where the text begins, too'
        return situation.make_line_error("RW0146", "this text has no opening quote", at=word, remedy=remedy)
    end = word.start + len(written)
    message = "this text has no closing quote"
    edits = (situation.make_edit(end, end, '"', safe=False),)
    return situation.make_line_error(
        "RW0146", message, at=word, remedy='close it with `"` on the same line', edits=edits
    )


_TEXT_END = re.compile(r"\s*:?\s*(?:@\S+\s*)*(?:#.*)?$")
"""What may follow a text on its line."""


def diagnose_single_quotes(situation: MistakeContext) -> Diagnostic | None:
    """`'Title'` instead of `"Title"`."""
    quotes = [word for word in situation.words if word.text in {"'", "`"}]
    if not quotes:
        return None
    last = quotes[-1] if len(quotes) > 1 else quotes[0]
    pair = len(quotes) == 2 and not any(word.sort == "string" for word in situation.words)  # noqa: PLR2004 - a pair
    message = "text goes in double quotes"
    edits = tuple(situation.make_edit(quote.start, quote.end, '"') for quote in quotes) if pair else ()
    return situation.make_line_error(
        "RW0106", message, at=(quotes[0].start, last.end), remedy='write `"…"`', edits=edits
    )


def diagnose_foreign_range(situation: MistakeContext) -> Diagnostic | None:
    """`0-2`, `0 to 2`, `from 0 to 2`, `0...2` and `0.2`, where a type belongs."""
    texts, at = situation.texts, situation.stop_index
    result = situation.stop_word
    if texts[at - 1 : at + 1] == ("..", "."):
        return _make_range_error(situation, at - 1, at + 1, "..")
    if result.sort == "number" and "." in result.text and "COLLECTION" in situation.failure.accepted:
        return _make_range_error(situation, at, at + 1, result.text.replace(".", ".."), safe=False)
    begin = at - 1
    first = begin + (texts[begin:at] == ("from",))
    match texts[first : first + 3]:
        case (low, sign, high) if (
            at and sign in _RANGE_DASHES and _DIGITS_PATTERN.fullmatch(low) and _DIGITS_PATTERN.fullmatch(high)
        ):
            is_value = {"MINUS", "TO"} & situation.failure.accepted
            return None if is_value else _make_range_error(situation, begin, first + 3, f"{low}..{high}")
    return None


def _make_range_error(situation: MistakeContext, start: int, end: int, better: str, *, safe: bool = True) -> Diagnostic:
    return situation.diagnose_rewriting(situation.get_offsets(start, end), better, "a range is spelled `..`", safe=safe)


def diagnose_thousands_comma(situation: MistakeContext) -> Diagnostic | None:
    """`9,999`."""
    at = (
        situation.stop_index
        if situation.texts[situation.stop_index : situation.stop_index + 1] == (",",)
        else situation.stop_index - 1
    )
    if not 0 < at < len(situation.words) - 1 or situation.texts[at] != ",":
        return None
    first, comma, last = situation.words[at - 1 : at + 2]
    touch = first.end == comma.start and comma.end == last.start
    if not (touch and _DIGITS_PATTERN.fullmatch(first.text) and re.fullmatch(r"\d{3}", last.text)):
        return None
    return situation.diagnose_rewriting(
        (first.start, last.end), first.text + last.text, "a number is written without commas"
    )


def diagnose_yes_or_no(situation: MistakeContext) -> Diagnostic | None:
    """`turned: yes/no` as a type."""
    at = situation.stop_index
    if situation.texts[at - 1 : at + 2] not in {("yes", "/", "no"), ("no", "/", "yes")}:
        return None
    return situation.diagnose_rewriting(
        situation.get_offsets(at - 1, at + 2), "flag", "the type of yes and no is `flag`"
    )


def diagnose_or_more(situation: MistakeContext) -> Diagnostic | None:
    """`4+`, for 4 or more."""
    words = situation.words
    for first, sign, after in zip(words, words[1:], (*words[2:], None), strict=False):
        ends = after is None or after.text in {":", ")", ",", "and", "or"}
        if first.sort == "number" and first.text.isdigit() and sign.text == "+" and first.end == sign.start and ends:
            if situation.failure.start > sign.end + 1 or situation.failure.start < first.start:
                continue
            return situation.make_line_error(
                "RW0106",
                f"`{first.text}+` is not a value",
                at=(first.start, sign.end),
                remedy=f"write `{first.text}`; if the number is compared, `>=` means this much or more"
                if situation.line_kind == "field"
                else f"for {first.text} or more, write `>= {first.text}`",
                edits=(situation.make_edit(sign.start, sign.end, ""),) if situation.line_kind == "field" else (),
            )
    return None


def diagnose_long_number(situation: MistakeContext) -> Diagnostic | None:
    """A number of more digits than `MAX_DIGITS`."""
    start, end = situation.failure.start, situation.failure.end
    if situation.failure.sort != "long":
        return None
    message = f"this number has {end - start:,} digits, and the limit is {MAX_DIGITS}"
    return situation.make_line_error("RW0149", message, at=(start, end), remedy="write a smaller number")


def diagnose_percent_sign(situation: MistakeContext) -> Diagnostic | None:
    """`50%`."""
    result = situation.stop_word
    if result.text != "%":
        return None
    return situation.make_line_error(
        "RW0106", "there are no percentages", at=result, remedy="write a fraction such as `1 / 2`"
    )
