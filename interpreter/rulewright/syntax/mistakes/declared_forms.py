"""Declarations and their rows in another shape than the language has for them."""

import re
from collections.abc import Iterator
from itertools import pairwise, takewhile

from rulewright.diagnostics.model import Diagnostic, Edit
from rulewright.syntax.layout import ScannedLine, Word
from rulewright.syntax.mistakes.situation import Situation


def row_with_if(situation: Situation) -> Diagnostic | None:
    """`turn: -1 if turned`."""
    found = situation.found
    if found.text != "if" or not situation.place.endswith("row") or situation.at < 3:  # noqa: PLR2004
        return None
    condition = situation.written(situation.at + 1, len(situation.words))
    return situation.error("RW0111", "a row has no `if`", at=found, remedy=f"write `when {condition}`", edit="when")


def otherwise_row(situation: Situation) -> Diagnostic | None:
    """`tied: defender else` in a decision."""
    if situation.place != "decide row" or "else" not in situation.texts[2:]:
        return None
    word = situation.words[situation.texts.index("else", 2)]
    return situation.rewritten(word, "otherwise", "the last row says `otherwise`")


def name_of_two_words(situation: Situation) -> Diagnostic | None:
    """`active player: player` as an attribute; `set active player to red` where the attribute is `active_player`."""
    start = situation.at - 1
    words = situation.line.words[start : start + 2]
    if start < 0 or [each.sort for each in words] != ["word", "word"]:
        return None
    better = "_".join(each.text for each in words)
    is_head = situation.place == "field" and start == 0 and situation.texts[2:3] == (":",)
    if not is_head and not any(word.text == better for line in situation.lines for word in line.words):
        return None
    return situation.rewritten((words[0].start, words[-1].end), better, "a name is one word")


def or_none(situation: Situation) -> Diagnostic | None:
    """`owner: player or none` as a type."""
    before, at = situation.before, situation.at
    if not at or situation.texts[at : at + 2] != ("or", "none") or "MEANS" in situation.trouble.accepted:
        return None
    if situation.place != "field" and "gives" not in situation.texts[:at]:
        return None
    end = situation.words[at + 1].end
    message = "what may be none has `?` behind its type"
    edits = (situation.change(before.end, end, "?"),)
    return situation.error("RW0106", message, at=(before.start, end), remedy=f"write `{before.text}?`", edits=edits)


def relation_with_colon(situation: Situation) -> Diagnostic | None:
    """`relation near(a: Unit, b: Unit): distance(a.at, b.at) <= 1`."""
    found, value = situation.found, situation.written(situation.at + 1, len(situation.texts))
    if situation.verb != "relation" or found.text != ":" or not value or situation.below is not None:
        return None
    message = "what makes a relation hold stands behind `means`"
    edits = (situation.change(found.start, found.end, " means"),)
    return situation.error("RW0106", message, at=found, remedy=f"write `means {value}`", edits=edits)


def tally_from_nothing(situation: Situation) -> Diagnostic | None:
    """`tally shift(d: Unit):`, which does not say from where it counts."""
    found = situation.found
    if situation.verb != "tally" or situation.trouble.accepted != {"FROM"} or found.text != ":":
        return None
    head = situation.written(0, situation.at)
    remedy = f"write `{head} from 0:`, or what its rows are added to"
    edits = (situation.change(found.start, found.start, " from 0", safe=False),)
    return situation.error("RW0101", "a tally begins from a value", at=found, remedy=remedy, edits=edits)


def first_cell(situation: Situation) -> Diagnostic | None:
    """`1: miss | hit`, `2-3: hit | hit` as a row of a table."""
    found, cells = situation.found, situation.words[: situation.at]
    numbered = bool(cells) and cells[0].sort == "number" and "|" not in [each.text for each in cells]
    if situation.place != "table row" or found.text != ":" or not numbered:
        return None
    cell, rest = situation.written(0, situation.at), situation.written(situation.at + 1, len(situation.texts))
    better = f"{_DASHED.sub('..', cell)} |"
    message = "a row without a name begins with its first cell"
    edits = (situation.change(situation.words[0].start, found.end, better),)
    return situation.error("RW0106", message, at=found, remedy=f"write `{better} {rest}`", edits=edits)


_DASHED = re.compile(r"(?<=\d) ?[-–] ?(?=\d)")  # noqa: RUF001 - signs that look alike are meant


def named_result(situation: Situation) -> Diagnostic | None:
    """`gives result: 0..20`, with a name for what is given."""
    gives = situation.at - 3
    if gives < 0 or situation.texts[gives : situation.at : 2] != ("gives", ":") or not situation.found.text:
        return None
    name, kind = situation.words[gives + 1], situation.written(situation.at, len(situation.words))
    message = "what is given has a type and no name"
    edits = (situation.change(name.start, situation.found.start, ""),)
    return situation.error("RW0106", message, at=name, remedy=f"write `gives {kind.removesuffix(':')}`", edits=edits)


def titled_words(situation: Situation) -> Diagnostic | None:
    """`values Ability: bloodlust "Bloodlust"`."""
    found = situation.found
    if situation.verb != "values" or found.sort != "string" or ":" not in situation.texts[: situation.at]:
        return None
    colon = situation.texts.index(":")
    if situation.before.text in {":", ","}:
        return _quoted_word(situation, found)
    head = situation.written(0, colon + 1)
    edits = [
        situation.change(one.start if one.text == "," else one.end, other.start, f"\n{situation.blanks}  ")
        for one, other in pairwise(situation.words[colon:])
        if one.text == "," or one is situation.words[colon]
    ]
    remedy = f"end the line after `{head}` and put each word on its own line below, indented"
    return situation.error("RW0124", "with titles, a list has one word to a line", at=found, remedy=remedy, edits=edits)


def _quoted_word(situation: Situation, found: Word) -> Diagnostic:
    """`values Ability: "bloodlust", rage`."""
    name, message = found.text.strip('"'), "a word of a list stands without quotes"
    if name.isidentifier():
        return situation.rewritten(found, name, message)
    remedy = "write a name of letters, digits and `_`, with this text behind it"
    return situation.error("RW0106", message, at=found, remedy=remedy)


def listed_words(situation: Situation) -> Diagnostic | None:
    """`values Weather: dry | wet`, `values Weather: dry and wet`."""
    found, words = situation.found, situation.words
    if situation.verb != "values" or found.text not in _SEPARATORS:
        return None
    wrong = [(one, other) for one, other in pairwise(words) if other.text in _SEPARATORS]
    message = "`,` stands between the words of a list"
    edits = [situation.change(one.end if one.text != "," else one.start, other.end, ",") for one, other in wrong]
    return situation.error("RW0106", message, at=found, remedy="write `,`", edits=edits)


_SEPARATORS = frozenset({"and", "or", "|", "/", ";"})


def term_gives(situation: Situation) -> Diagnostic | None:
    """`term … means` without `gives`."""
    found = situation.found
    if situation.verb != "term" or found.text != "means" or "gives" in situation.texts:
        return None
    behind = set(situation.texts[situation.at + 1 :])
    head = situation.written(0, situation.at)
    asks = behind & _ASKING and ("where" not in behind or behind & _QUANTIFIERS)
    flag = (situation.change(found.start, found.start, "gives flag ", safe=False),)
    message = f"the term `{situation.texts[1]}` does not say what it gives"
    remedy = f"add `gives` and the type: `{head} gives {'flag' if asks else 'TYPE'} means …`"
    return situation.error("RW0122", message, at=found, remedy=remedy, edits=flag if asks else ())


_QUANTIFIERS = frozenset({"any", "every", "no", "some"})
_ASKING = _QUANTIFIERS | {"=", "!=", "<", "<=", ">", ">=", "in", "not", "and", "or"}
"""Words of what is asked with yes or no."""


def term_with_rows(situation: Situation) -> Diagnostic | None:
    """`term … gives 1..8:`, with rows below it."""
    found, first = situation.found, situation.words[0]
    if first.text != "term" or found.text != ":" or situation.below is None:
        return None
    message = "a term has one value; rows of which the first that fits counts are a `decide`"
    edits = (situation.change(first.start, first.end, "decide", safe=False),)
    return situation.error("RW0122", message, at=first, remedy="write `decide` for `term`", edits=edits)


def flag_with_rows(situation: Situation) -> Diagnostic | None:
    """`term … gives flag when all:`."""
    at, texts = situation.at, situation.texts
    if situation.verb != "term" or texts[max(0, at - 2) : at + 1] != ("gives", "flag", "when"):
        return None
    gives = situation.words[at - 2].start
    message = "a term with rows gives yes or no without saying so"
    remedy = f"leave out `gives flag`: `{situation.written(0, at - 2)} {situation.written(at, len(texts))}`"
    edits = (situation.change(gives, situation.found.start, ""),)
    return situation.error("RW0122", message, at=(gives, situation.before.end), remedy=remedy, edits=edits)


def local_decide(situation: Situation) -> Diagnostic | None:
    """`decide … gives` inside a procedure."""
    found, before = situation.found, situation.before
    if situation.verb != "decide" or situation.place != "line" or found.text not in {"gives", "("}:
        return None
    what = "`gives`" if found.text == "gives" else "parameters"
    at, remedy = found, f"write `decide {situation.texts[situation.texts.index('decide') + 1]}:`"
    edits = (situation.change(before.end, situation.tail, "", safe=found.text == "gives"),)
    return situation.error("RW0123", f"a `decide` inside a procedure has no {what}", at=at, remedy=remedy, edits=edits)


_RULE = ("when", "priority", "lowers")


def rule_rows(situation: Situation) -> Diagnostic | None:
    """A standing rule without `when`, `priority` or `lowers`, or with these in another order."""
    parent = situation.parent
    if parent is None or parent.verb.text != "whenever":
        return None
    own = [line.verb.text for line in _block(situation, parent)]
    lacking = [word for word in _RULE if word not in own]
    in_order = tuple(word for word in own if word in _RULE) == _RULE
    if not lacking and (situation.verb not in _RULE or (in_order and situation.at > 0)):
        return None
    listed = " and ".join(f"`{word}`" for word in lacking)
    message = f"this standing rule lacks {listed}" if lacking else "this standing rule begins in another order"
    remedy = "begin it with `when condition`, `priority 1` and `lowers number`, each on its own line, in this order"
    return situation.error("RW0101", message, at=(parent.words[0].start, parent.words[0].end), remedy=remedy)


def _block(situation: Situation, head: ScannedLine) -> Iterator[ScannedLine]:
    """The lines below one, as far as they are indented deeper."""
    following = situation.lines[situation.lines.index(head) + 1 :]
    return takewhile(lambda line: line.indent > head.indent, following)


def first_otherwise(situation: Situation) -> Diagnostic | None:
    """`otherwise: 0` as a row of a decision."""
    if situation.place != "decide row" or situation.texts[:2] != ("otherwise", ":"):
        return None
    value = situation.written(_VALUE, len(situation.texts))
    message = "`otherwise` stands where other rows have `when`"
    remedy = f"give the row a name: `other: {value} otherwise`"
    return situation.error("RW0106", message, at=situation.words[0], remedy=remedy, edits=_other_row(situation))


def _other_row(situation: Situation) -> tuple[Edit, ...]:
    """The edits that give a last row a name, and say `otherwise` behind its value."""
    first = situation.words[0]
    titled = situation.words[-1].sort == "string" and len(situation.words) > _VALUE + 1
    end = situation.words[-2 if titled else -1].end
    return situation.change(first.start, first.end, "other"), situation.change(end, end, " otherwise")


_VALUE = 2
