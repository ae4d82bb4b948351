"""Signs, quotes, numbers and words of other notations."""

import re
from collections.abc import Collection
from itertools import takewhile

from rulewright.base.diagnostics import Diagnostic, Edit, format_counted_noun
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
_ELSE_IF_WORDS = frozenset({"elseif", "elif", "elsif"})
_LOOK_ALIKE_LETTERS = {
    **dict(zip("аеорсухіјѕԁһ", "aeopcyxijsdh", strict=True)),
    **dict(zip("АВЕКМНОРСТХ", "ABEKMHOPCTX", strict=True)),
    **dict(zip("αοορνι", "aoopvi", strict=True)),
}


def diagnose_foreign_letters(context: MistakeContext) -> Diagnostic | None:
    """A homoglyph of a Latin letter, or a letter with an accent."""
    for word in context.words:
        if word.sort == "word" and not word.text.isascii():
            return _make_foreign_letter_error(context, word)
    return None


def _make_foreign_letter_error(context: MistakeContext, word: ScannedWord) -> Diagnostic:
    plain = make_ascii_name(word.text)
    strange = next(letter for letter in word.text if not letter.isascii())
    remedy = f"write `{plain}`" if plain else "names are made of the letters a to z, digits and `_`"
    remedy = "write it with digits, such as `1 / 2`" if word.text.isnumeric() else remedy
    looks_alike = all(letter.isascii() or letter in _LOOK_ALIKE_LETTERS for letter in word.text)
    message = f"`{word.text}` has the letter `{strange}` (U+{ord(strange):04X})"
    edits = (context.make_edit(word.start, word.end, plain, safe=looks_alike),) if plain else ()
    return context.make_line_error("RW0143", message, at=word, remedy=remedy, edits=edits)


def make_ascii_name(name: str) -> str:
    """The name in ASCII letters; empty where a letter has no counterpart."""
    from unicodedata import normalize  # noqa: PLC0415 - only where a mistake is explained

    if any(letter.isnumeric() and not letter.isascii() for letter in name):
        return ""
    plain = "".join(_LOOK_ALIKE_LETTERS.get(letter) or normalize("NFKD", letter)[0] for letter in name)
    return plain if plain.isascii() else ""


def diagnose_capitals(context: MistakeContext) -> Diagnostic | None:
    """`If`, `Step`, `Ask`: a word of the language in capitals, first in its line or where it is accepted."""
    result, accepted = context.stop_word, context.failure.accepted
    verb = context.line.verb
    if not _is_capitalized_word(verb, LINE_START_WORDS):
        if not _is_capitalized_word(result, LANGUAGE_WORDS) or result.text.upper() not in accepted:
            return None
        verb = result
    declared_names = {
        word.text for line in context.lines if line.words[0].text.lower() in _NAMING_WORDS for word in line.words[1:]
    }
    if verb.text in declared_names:
        return None
    sure = [
        word
        for before, word in zip((None, *context.words), context.words, strict=False)
        if word == verb
        or (
            _is_capitalized_word(word, LANGUAGE_WORDS)
            and word.text not in declared_names
            and (before is None or before.text not in _WORDS_BEFORE_NAME)
        )
    ]
    message = f"`{verb.text}` is a word of the language in capitals"
    remedy = f"write it in small letters: `{verb.text.lower()}`"
    edits = tuple(context.make_edit(item.start, item.end, item.text.lower()) for item in sure)
    return context.make_line_error("RW0870", message, at=verb, remedy=remedy, edits=edits)


def _is_capitalized_word(word: ScannedWord, known: frozenset[str]) -> bool:
    return word.sort == "word" and word.text != word.text.lower() and word.text.lower() in known


_NAMING_WORDS = frozenset({"kind", "values", "record", "die", "board"})
"""First words of lines whose names may have capitals."""
_WORDS_BEFORE_NAME = frozenset({".", ":", "of"})
"""What stands before the name of an attribute or a type."""


def diagnose_foreign_sign(context: MistakeContext) -> Diagnostic | None:
    """`==`, `<>`, `&&` and the like, at the place of the error."""
    for word in _get_words_near(context):
        if word.text == "|" and context.line_kind in {"declaration", "table row"}:
            continue
        if word.text in _FOREIGN_SIGNS:
            message, replacement = _FOREIGN_SIGNS[word.text]
            if replacement.isalpha() and _is_inside_word(context, word):
                continue
            spaced = _add_spaces(context, word, replacement) if replacement.isalpha() else replacement
            return context.make_line_error("RW0106", message, at=word, remedy=f"write `{replacement}`", edit=spaced)
    return None


def _is_inside_word(context: MistakeContext, word: ScannedWord) -> bool:
    """Whether a sign stands in what may be one word, `finis!h` or the verb `i&f`, rather than between two values."""
    around = context.content[word.start - 1 : word.start], context.content[word.end : word.end + 1]
    return all(map(str.isalnum, around)) and (word.text == "!" or word in context.line.words[:2])


def _add_spaces(context: MistakeContext, word: ScannedWord, replacement: str) -> str:
    before, after = context.content[word.start - 1 : word.start], context.content[word.end : word.end + 1]
    return f"{'' if before in _BLANKS_AND_OPENERS else ' '}{replacement}{'' if after.isspace() else ' '}"


_BLANKS_AND_OPENERS = frozenset(" \t\n([{")


def _get_words_near(context: MistakeContext) -> tuple[ScannedWord, ...]:
    return context.line.words[max(context.stop_index - 1, 0) : context.stop_index + 2]


def diagnose_line_end(context: MistakeContext) -> Diagnostic | None:
    """`set x to 3;`, a line that ends with a sign where no block begins, and `else;` where one does."""
    sign, rest = context.stop_word, context.words[context.stop_index + 1 :]
    if sign.sort in {"end", "cite"}:
        sign, rest = context.word_before, ()
    accepted = context.failure.accepted
    if sign.text not in {";", ".", ",", ":"} or (rest and sign.text != ";"):
        return None
    if "COLON" in accepted and ("_NL" not in accepted or context.below is not None) and not rest:
        message = f"a block begins with `:`, not with `{sign.text}`"
        return context.diagnose_rewriting(sign, ":", message) if sign.text in ";." else None
    if rest and "COMMA" in accepted:
        return context.diagnose_rewriting(
            sign, ",", f"what stands side by side is separated by `,`, not by `{sign.text}`"
        )
    if sign.text == ":" and (sign != context.stop_word or context.below is not None or "_NL" not in accepted):
        return None
    end, written = (rest[0].start, f"\n{context.indent_text}") if rest else (sign.end, "")
    edits = (context.make_edit(sign.start, end, written),)
    return context.make_line_error(
        "RW0106", f"a line ends without `{sign.text}`", at=sign, remedy="leave it out", edits=edits
    )


def diagnose_nested_if(context: MistakeContext) -> Diagnostic | None:
    """`elseif` and `elif`."""
    first = context.line.words[0]
    plain = context.texts[:2] == ("else", "if")
    sibling = find_sibling_verb(context) if plain or first.text in _ELSE_IF_WORDS else ""
    if sibling in {"ask", "add", "take", "draw"}:
        return _diagnose_nested_if(context, sibling)
    return None


def _is_branch_line(line: ScannedLine, context: MistakeContext) -> bool:
    word = line.words[0].text
    return line.indent > context.line.indent or (
        line.indent == context.line.indent and word in {"else", *_ELSE_IF_WORDS}
    )


def _diagnose_nested_if(context: MistakeContext, owner: str) -> Diagnostic:
    """`else if` and the like below a line whose `else` has no condition."""
    first = context.line.words[0]
    number = 1 if first.text in _ELSE_IF_WORDS else 2
    condition = context.words[number : number + 1]
    edits: tuple[Edit, ...] = ()
    if condition and context.line.opens_block:
        branches = takewhile(lambda line: _is_branch_line(line, context), context.lines[context.index + 1 :])
        following = (branch for branch in branches if branch.indent == context.line.indent)
        moved = [edit for line in (context.line, *following) for edit in context.make_indent_edits(line, 2)][1:]
        edits = (context.make_edit(first.start, condition[0].start, f"else:\n{context.indent_text}  if "), *moved)
    written = " ".join(word.text for word in context.words[:number])
    remedy = "write `else:` and put the `if` under it"
    above = context.parent_line
    if above is not None and is_if_line(above):
        remedy, edits = f"indent it by {format_counted_noun(above.indent, 'space')}, like its `if`, or {remedy}", ()
    message = f"`{written}` belongs to an `if`, and this follows {'an' if owner[0] == 'a' else 'a'} `{owner}`"
    at = (first.start, context.words[number - 1].end)
    return context.make_line_error("RW0120", message, at=at, remedy=remedy, edits=edits)


def diagnose_glued_number(context: MistakeContext) -> Diagnostic | None:
    """`3x`, which is neither a number nor a name."""
    start, end = context.failure.start, context.failure.end
    if context.failure.sort != "glued":
        return None
    message = f"`{context.content[start:end]}` is neither a name nor a number"
    remedy = "put a space between its parts, or begin the name with a letter"
    return context.make_line_error("RW0106", message, at=(start, end), remedy=remedy)


_CURLY_QUOTES = frozenset("“”„«»‘’")
_CURLY_SINGLE_QUOTES = frozenset("‘’")


def diagnose_curly_quotes(context: MistakeContext) -> Diagnostic | None:
    """`“Title”` instead of `"Title"`."""
    quotes = [word for word in context.words if word.text in _CURLY_QUOTES]
    double = [
        word for word in quotes if word.text not in _CURLY_SINGLE_QUOTES
    ]  # single quotes inside them are apostrophes
    return _make_curly_error(context, quotes[0], double or dict.fromkeys((quotes[0], quotes[-1]))) if quotes else None


def _make_curly_error(context: MistakeContext, first: ScannedWord, quote_words: Collection[ScannedWord]) -> Diagnostic:
    message = f"`{first.text}` is a curly quote"
    edits = tuple(context.make_edit(word.start, word.end, '"') for word in quote_words)
    return context.make_line_error("RW0145", message, at=first, remedy='write the straight quote `"`', edits=edits)


def diagnose_unclosed_string(context: MistakeContext) -> Diagnostic | None:
    """`"Title` without its second quote, `Title"` without its first, and quotes of which one is curly."""
    word = next((word for word in context.line.words if word.sort == "open_string"), None)
    if word is None:
        return None
    written = _TEXT_END.split(word.text)[0]
    curly = [item for item in context.line.words if item.text in _CURLY_QUOTES and item.start < word.start]
    ends = [
        ScannedWord("sign", item, word.start + at)
        for at, item in enumerate(written)
        if item in _CURLY_QUOTES and item not in _CURLY_SINGLE_QUOTES
    ]
    if curly or ends:
        one = curly[0] if curly else ends[-1]
        return _make_curly_error(context, one, (one,))
    if written == '"':
        remedy = 'put `"` where the text begins, too'
        return context.make_line_error("RW0146", "this text has no opening quote", at=word, remedy=remedy)
    title = written.partition(" when ")[0] if context.verb == "step" else written  # the one title before a condition
    end = word.start + len(title)
    message = "this text has no closing quote"
    edits = (context.make_edit(end, end, '"', safe=False),)
    return context.make_line_error("RW0146", message, at=word, remedy='close it with `"` on the same line', edits=edits)


_TEXT_END = re.compile(r"\s*:?\s*(?:@\S+\s*)*(?:#.*)?$")
"""What may follow a text on its line."""


def diagnose_long_number(context: MistakeContext) -> Diagnostic | None:
    """A number of more digits than `MAX_DIGITS`."""
    start, end = context.failure.start, context.failure.end
    if context.failure.sort != "long":
        return None
    message = f"this number has {end - start:,} digits, and the limit is {MAX_DIGITS}"
    return context.make_line_error("RW0149", message, at=(start, end), remedy="write a smaller number")
