"""Signs and words that other notations use."""

from itertools import takewhile

from rulewright.diagnostics.model import Diagnostic, Edit
from rulewright.syntax.layout import ScannedLine, Word
from rulewright.syntax.mistakes.block_lines import is_if, sibling_of
from rulewright.syntax.mistakes.situation import Situation
from rulewright.syntax.words import BEGINNINGS, WORDS

# ruff: noqa: RUF001 - letters and signs that look alike are the subject


_SIGNS = {
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
_GLUED = {"elseif": "else if", "notin": "not in", "upto": "up to", "atmost": "at most"}
_ELSE_IF = frozenset({"elseif", "elif", "elsif"})
_LOOK_ALIKE = {
    **dict(zip("аеорсухіјѕԁһ", "aeopcyxijsdh", strict=True)),
    **dict(zip("АВЕКМНОРСТХ", "ABEKMHOPCTX", strict=True)),
    **dict(zip("αοορνι", "aoopvi", strict=True)),
}


def foreign_letters(situation: Situation) -> Diagnostic | None:
    """A letter that only looks like one of ours, or one with an accent."""
    for word in situation.words:
        if word.sort == "word" and not word.text.isascii():
            return _foreign(situation, word)
    return None


def _foreign(situation: Situation, word: Word) -> Diagnostic:
    plain = ascii_name(word.text)
    strange = next(letter for letter in word.text if not letter.isascii())
    remedy = f"write `{plain}`" if plain else "names are made of the letters a to z, digits and `_`"
    remedy = "write it with digits, such as `1 / 2`" if word.text.isnumeric() else remedy
    looks_alike = all(letter.isascii() or letter in _LOOK_ALIKE for letter in word.text)
    message = f"`{word.text}` has the letter `{strange}` (U+{ord(strange):04X})"
    edits = (situation.change(word.start, word.end, plain, safe=looks_alike),) if plain else ()
    return situation.error("RW0143", message, at=word, remedy=remedy, edits=edits)


def ascii_name(name: str) -> str:
    """The name in plain letters; empty where some letter has none."""
    from unicodedata import normalize  # noqa: PLC0415 - only where a mistake is explained

    if any(letter.isnumeric() and not letter.isascii() for letter in name):
        return ""
    plain = "".join(_LOOK_ALIKE.get(letter) or normalize("NFKD", letter)[0] for letter in name)
    return plain if plain.isascii() else ""


def capital(situation: Situation) -> Diagnostic | None:
    """`If`, `Step`, `Ask`: a word of the language in capitals, where it begins its line or would have fitted."""
    found, accepted = situation.found, situation.trouble.accepted
    verb = situation.line.verb
    if not _in_capitals(verb, BEGINNINGS):
        if not _in_capitals(found, WORDS) or found.text.upper() not in accepted:
            return None
        verb = found
    own = {word.text for line in situation.lines if line.words[0].text.lower() in _NAMING for word in line.words[1:]}
    if verb.text in own:
        return None
    sure = [
        word
        for before, word in zip((None, *situation.words), situation.words, strict=False)
        if word == verb
        or (_in_capitals(word, WORDS) and word.text not in own and (before is None or before.text not in _QUALIFIED))
    ]
    message = f"`{verb.text}` is a word of the language in capitals"
    remedy = f"write it in small letters: `{verb.text.lower()}`"
    edits = tuple(situation.change(each.start, each.end, each.text.lower()) for each in sure)
    return situation.error("RW0870", message, at=verb, remedy=remedy, edits=edits)


def _in_capitals(word: Word, known: frozenset[str]) -> bool:
    return word.sort == "word" and word.text != word.text.lower() and word.text.lower() in known


_NAMING = frozenset({"kind", "values", "record", "die", "board"})
"""What the lines begin with that give names which may be written with capitals."""
_QUALIFIED = frozenset({".", ":", "of"})
"""What stands before the name of an attribute or a type."""


def foreign_sign(situation: Situation) -> Diagnostic | None:
    """`==`, `<>`, `&&` and their like, where reading stopped."""
    for word in _near(situation):
        if word.text == "|" and situation.place == "table row":
            continue
        if word.text in _SIGNS:
            message, instead = _SIGNS[word.text]
            spaced = _spaced(situation, word, instead) if instead.isalpha() else instead
            return situation.error("RW0106", message, at=word, remedy=f"write `{instead}`", edit=spaced)
    return None


def is_as_sign(situation: Situation) -> Diagnostic | None:
    """`terrain is town`, `terrain is not town`, `pile is empty`."""
    at, following = situation.at, situation.line.words[situation.at + 1 : situation.at + 3]
    if situation.found.text != "is" or not at or not following:
        return None
    negated = following[0].text == "not"
    if following[negated:] and following[negated].text == "empty":
        word = "some" if negated else "no"
        what = f"to ask whether there is anything, write `{word}`"
        return situation.error(
            "RW0106", what, at=(situation.found.start, following[negated].end), remedy=f"write `{word} x in …`"
        )
    if negated:
        return situation.rewritten(situation.stretch(at, at + 2), "!=", "inequality is spelled `!=`")
    return situation.rewritten(situation.found, "=", "equality is spelled `=`")


def _spaced(situation: Situation, word: Word, instead: str) -> str:
    """A word in the place of a sign, apart from what touches the sign."""
    before, after = situation.content[word.start - 1 : word.start], situation.content[word.end : word.end + 1]
    return f"{'' if before in _APART else ' '}{instead}{'' if after.isspace() else ' '}"


_APART = frozenset(" \t\n([{")


def _near(situation: Situation) -> tuple[Word, ...]:
    """The words around the place where reading stopped."""
    return situation.line.words[max(situation.at - 1, 0) : situation.at + 2]


def line_end(situation: Situation) -> Diagnostic | None:
    """`set x to 3;`, and a line that ends with a sign where no block begins; `else;`, where one does."""
    sign, rest = situation.found, situation.words[situation.at + 1 :]
    if sign.sort in {"end", "cite"}:
        sign, rest = situation.before, ()
    accepted = situation.trouble.accepted
    if sign.text not in {";", ".", ",", ":"} or (rest and sign.text != ";"):
        return None
    if "COLON" in accepted and ("_NL" not in accepted or situation.below is not None) and not rest:
        message = f"a block begins with `:`, not with `{sign.text}`"
        return situation.rewritten(sign, ":", message) if sign.text in ";." else None
    if sign.text == ":" and (sign != situation.found or situation.below is not None or "_NL" not in accepted):
        return None
    end, written = (rest[0].start, f"\n{situation.blanks}") if rest else (sign.end, "")
    edits = (situation.change(sign.start, end, written),)
    return situation.error("RW0106", f"a line ends without `{sign.text}`", at=sign, remedy="leave it out", edits=edits)


def foreign_comment(situation: Situation) -> Diagnostic | None:
    """`// remark`, `/* remark */`."""
    if situation.texts[:2] == ("/", "*"):
        return _block_comment(situation)
    for word in _near(situation):
        if word.text in {"//", "--"}:
            sure = word == situation.line.words[0]
            instead = situation.change(word.start, word.end, "#", safe=sure)
            return situation.error("RW0106", "a comment begins with `#`", at=word, remedy="write `#`", edits=(instead,))
    return None


def _block_comment(situation: Situation) -> Diagnostic:
    first, second = situation.words[:2]
    ended = situation.texts[-2:] == ("*", "/") and len(situation.words) > 2  # noqa: PLR2004 - more than its beginning
    start = situation.content[: situation.words[-2].start].rstrip() if ended else ""
    edits = (
        situation.change(first.start, second.end, "#"),
        *((situation.change(len(start), situation.words[-1].end, ""),) if ended else ()),
    )
    at = (first.start, second.end)
    return situation.error("RW0106", "a comment begins with `#`", at=at, remedy="write `#`", edits=edits)


def bullet(situation: Situation) -> Diagnostic | None:
    """`- take 1 from x`, as an item of a list."""
    first, *others = situation.words
    if first.text not in {"-", "*", "•"} or not others or others[0].sort != "word" or situation.at > 1:
        return None
    message = f"a line does not begin with `{first.text}`"
    edits = (situation.change(first.start, others[0].start, ""),)
    return situation.error("RW0106", message, at=first, remedy="leave it out", edits=edits)


def spaced_cite(situation: Situation) -> Diagnostic | None:
    """`@ 50.e`, with a space."""
    cite = situation.found
    rest = situation.line.words[situation.at + 1 :]
    gone = (situation.change(cite.end, rest[0].start, ""),) if rest else ()
    message, remedy = "a cite names its clause right behind `@`", "leave the space out"
    return situation.error("RW0106", message, at=cite, remedy=remedy, edits=gone) if cite.text == "@" else None


def step_assignment(situation: Situation) -> Diagnostic | None:
    """`x += 1`."""
    for number, word in enumerate(situation.words):
        if word.text in {"+=", "-=", "++"} and situation.verb != "if":
            first = situation.head + (situation.verb == "set")
            place = situation.written(first, number)
            amount = situation.written(number + 1, len(situation.words)) or "1"
            better = f"take {amount} from {place}" if word.text == "-=" else f"add {amount} to {place}"
            start, end = situation.words[situation.head].start, situation.words[-1].end
            written = situation.change(start, end, better)
            message, remedy = f"`{word.text}` is not a verb", f"write `{better}`"
            return situation.error("RW0107", message, at=word, remedy=remedy, edits=(written,) if place else ())
    return None


def else_if(situation: Situation) -> Diagnostic | None:
    """`elseif` and `elif`."""
    first = situation.line.words[0]
    plain = situation.texts[:2] == ("else", "if")
    sibling = sibling_of(situation) if plain or first.text in _ELSE_IF else ""
    if sibling in {"ask", "add", "take", "draw"}:
        return _nested_if(situation, sibling)
    return _two_words(situation, first, "else if") if first.text in _ELSE_IF else None


def _is_branch(line: ScannedLine, situation: Situation) -> bool:
    """Whether a line stands under this one, or is a branch that goes on with it."""
    word = line.words[0].text
    return line.indent > situation.line.indent or (line.indent == situation.line.indent and word in {"else", *_ELSE_IF})


def _nested_if(situation: Situation, owner: str) -> Diagnostic:
    """`else if` and its like below a line whose `else` has no condition."""
    first = situation.line.words[0]
    number = 1 if first.text in _ELSE_IF else 2
    condition = situation.words[number : number + 1]
    edits: tuple[Edit, ...] = ()
    if condition and situation.line.opens:
        branches = takewhile(lambda each: _is_branch(each, situation), situation.lines[situation.index + 1 :])
        following = (each for each in branches if each.indent == situation.line.indent)
        moved = [edit for each in (situation.line, *following) for edit in situation.indented(each, 2)][1:]
        edits = (situation.change(first.start, condition[0].start, f"else:\n{situation.blanks}  if "), *moved)
    said = " ".join(word.text for word in situation.words[:number])
    remedy = "write `else:` and put the `if` under it"
    above = situation.parent
    if above is not None and is_if(above):
        plural = "" if above.indent == 1 else "s"
        remedy, edits = f"indent it by {above.indent} space{plural}, like its `if`, or {remedy}", ()
    message = f"`{said}` belongs to an `if`, and this follows {'an' if owner[0] == 'a' else 'a'} `{owner}`"
    at = (first.start, situation.words[number - 1].end)
    return situation.error("RW0120", message, at=at, remedy=remedy, edits=edits)


def glued(situation: Situation) -> Diagnostic | None:
    """Two words without a space."""
    if situation.trouble.sort == "glued":
        written = situation.content[situation.trouble.start : situation.trouble.end]
        if written in _GLUED:
            return _two_words(situation, Word("word", written, situation.trouble.start), _GLUED[written])
        message = f"`{written}` is neither a name nor a number"
        remedy = "put a space between its parts, or begin the name with a letter"
        return situation.error("RW0106", message, at=(situation.trouble.start, situation.trouble.end), remedy=remedy)
    for word in _near(situation):
        if word.text in _GLUED:
            return _two_words(situation, word, _GLUED[word.text])
    return None


def _two_words(situation: Situation, word: Word, instead: str) -> Diagnostic:
    return situation.rewritten(word, instead, f"`{word.text}` is two words")


def end_word(situation: Situation) -> Diagnostic | None:
    """`end` alone on a line, as other languages close their blocks."""
    above, following = situation.previous, situation.lines[situation.index + 1 :]
    is_alone = above is not None and above.opens and above.indent < situation.line.indent
    is_alone = is_alone and (not following or following[0].indent < situation.line.indent)
    is_end = situation.texts[:1] in {("end",), ("endif",)} and len(situation.words) <= 2  # noqa: PLR2004 - `end if`
    gone = (situation.without_line(),)
    if situation.place != "path" and is_end and not is_alone:
        message = "a block ends where the indentation ends"
        return situation.error("RW0106", message, remedy="leave this line out", edits=gone)
    if situation.texts in {("{",), ("}",)}:
        message = "a block is shown by indentation, without brackets"
        return situation.error("RW0106", message, remedy="leave this out", edits=gone)
    return None


def unknown_sign(situation: Situation) -> Diagnostic | None:
    """A character the language has no use for."""
    found = situation.found
    if found.sort != "sign" or found.text in "()[]{}.,:=<>+-*/?|!" or len(found.text) > 1:
        return None
    remedy = "leave it out, or write the sign or word that is meant"
    return situation.error("RW0150", f"`{found.text}` has no meaning here", at=found, remedy=remedy)


def needs(situation: Situation) -> Diagnostic | None:
    """`needs token: …` at the head of a procedure, and as a part that is amended."""
    number = next((number for number, text in enumerate(situation.texts) if text == "needs"), None)
    if number is None or situation.at not in {number, number + 1} or ":" not in situation.texts[number + 2 :]:
        return None
    if number > situation.head and situation.verb not in {"replace", "insert"}:
        return None
    return situation.rewritten(situation.words[number], "require", code="RW0131")


def only_if(situation: Situation) -> Diagnostic | None:
    """`step 1 only if x:`."""
    at, found = situation.at, situation.texts[situation.at : situation.at + 2]
    count = 1 if found[:1] == ("onlyif",) else 2 if found in {("only", "if"), ("only", "when")} else 0
    is_one = count and "step" in situation.texts[:at]
    return situation.rewritten(situation.stretch(at, at + count), "when", code="RW0131") if is_one else None


def first_key(situation: Situation) -> Diagnostic | None:
    """`fresh: first u.fresh` as a key of a rank."""
    now = _KEYS.get(situation.texts[_VALUE]) if len(situation.texts) > _VALUE else None
    if situation.place != "key" or now is None or situation.at not in {_VALUE, _VALUE + 1}:
        return None
    return situation.rewritten(situation.words[_VALUE], now, code="RW0131")


_VALUE = 2
_KEYS = {"first": "highest", "last": "lowest"}
