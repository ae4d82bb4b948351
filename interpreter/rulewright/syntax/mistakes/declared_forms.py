"""Declarations and their rows in another shape than the language has for them."""

import re
from collections.abc import Iterator
from itertools import pairwise, takewhile

from rulewright.diagnostics.model import Diagnostic, Edit
from rulewright.syntax.layout import ScannedLine, Word
from rulewright.syntax.mistakes import forms
from rulewright.syntax.mistakes.situation import Situation
from rulewright.syntax.words import VERBS


def one_number_as_type(situation: Situation) -> Diagnostic | None:
    """`men: 10`, `men = 10`, `men 10` as an attribute; `n: 3` as a parameter, `let n: 10 = 0`, `gives 10`."""
    texts, at = situation.texts, situation.at
    is_field = situation.place == "field"
    if situation.before.text == "whole" and situation.found.text in {"number", "numbers"}:
        where = situation.stretch(at - 1, at + 1)
        return situation.error("RW0209", "there is no type `whole number`", at=where, remedy=_BOUNDS)
    match texts[max(0, at - 3) : at]:
        case (name, ":", most) if is_field or situation.verb in _TYPED_NAMES:
            number = at - 1
        case (*_, "gives" as name, most):
            number = at - 1
        case (name,) if is_field:
            number = at + (texts[at : at + 1] in {("=",), (":",)})
            most = texts[number] if number < len(texts) else ""
        case _:
            return None
    goes_on = is_field and situation.found.sort == "sign" and number < at and situation.found.text != "="
    if not most.isdigit() or goes_on or situation.found.text in {"or", "and", "to"}:
        return None
    first = situation.words[number if name == "gives" or number == at - 1 else 0]
    written = f"0..{most}" if first is situation.words[number] else f"{name}: 0..{most}"
    begins = f", or `{name}: 0..{most} = {most}` if it begins at {most}" if is_field else ""
    shown = written if name == "gives" else f"{name}: 0..{most}"
    edits = (situation.change(first.start, situation.words[number].end, written, safe=False),)
    message = "a number needs the least and the most it can be"
    return situation.error("RW0101", message, at=first, remedy=f"write `{shown}`{begins}", edits=edits)


_BOUNDS = "write its bounds, such as `0..9`"
_TYPED_NAMES = frozenset(
    {"let", "setting", "procedure", "inner", "term", "tally", "decide", "table", "event", "relation", "paths"}
)
"""The first words of lines that say the types of names."""


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
    message = "a value that may be `none` has `?` after its type"
    edits = (situation.change(before.end, end, "?"),)
    return situation.error("RW0106", message, at=(before.start, end), remedy=f"write `{before.text}?`", edits=edits)


def relation_with_colon(situation: Situation) -> Diagnostic | None:
    """`relation near(a: Unit, b: Unit): distance(a.at, b.at) <= 1`."""
    found, value = situation.found, situation.written(situation.at + 1, len(situation.texts))
    if situation.verb != "relation" or found.text != ":" or not value or situation.below is not None:
        return None
    message = "the condition of a relation comes after `means`"
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


def titled_row(situation: Situation) -> Diagnostic | None:
    """`"Low" 1..3 | 4`, `low "Low": 1..3 | 4`, `low: 1..3 | 4 "Low"` as a row of a table."""
    words, at = situation.words, situation.at
    if situation.place != "table row" or len(words) < 2:  # noqa: PLR2004
        return None
    message, first = "a row of a table has no title", words[0]
    if at == 1 and first.sort == "string":
        is_id = situation.found.text == ":"
        name, rest = forms.name_from(first), situation.written(2 if is_id else 1, len(words))
        edits = (situation.change(first.start, first.end, name if is_id else f"{name}:", safe=False),) if name else ()
        return situation.error("RW0101", message, at=first, remedy=f"name it: `{name or 'NAME'}: {rest}`", edits=edits)
    title = situation.found
    if title.sort != "string" or not (at == len(words) - 1 or (at == 1 and situation.texts[2:3] == (":",))):
        return None
    shown = " ".join(filter(None, (situation.written(0, at), situation.written(at + 1, len(words))))).replace(" :", ":")
    edits = (situation.change(situation.before.end, title.end, "", safe=False),)
    return situation.error("RW0101", message, at=title, remedy=f"leave it out: `{shown}`", edits=edits)


_DASHED = re.compile(r"(?<=\d) ?[-–] ?(?=\d)")  # noqa: RUF001 - signs that look alike are meant


def named_result(situation: Situation) -> Diagnostic | None:
    """`gives result: 0..20`, with a name for what is given."""
    gives = situation.at - 3
    if gives < 0 or situation.texts[gives : situation.at : 2] != ("gives", ":") or not situation.found.text:
        return None
    name, kind = situation.words[gives + 1], situation.written(situation.at, len(situation.words))
    message = "a result has a type and no name"
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
    name, message = found.text.strip('"'), "a word of a list has no quotes"
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
    message = "`,` goes between the words of a list"
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
    message = "a term has one value; for rows of which the first that fits counts, write a `decide`"
    edits = (situation.change(first.start, first.end, "decide", safe=False),)
    return situation.error("RW0122", message, at=first, remedy="write `decide` for `term`", edits=edits)


def flag_with_rows(situation: Situation) -> Diagnostic | None:
    """`term … gives flag when all:`."""
    at, texts = situation.at, situation.texts
    if situation.verb != "term" or texts[max(0, at - 2) : at + 1] != ("gives", "flag", "when"):
        return None
    gives = situation.words[at - 2].start
    message = "a term with rows always gives a flag, so it has no `gives`"
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


_RULE_LINES = ("when", "priority", "lowers")


def head_of_standing_rule(situation: Situation) -> Diagnostic | None:
    """`whenever unit.health = 0:`, `whenever dead for each u in units when u.health = 0:`."""
    texts, at = situation.texts, situation.at
    is_titled = situation.found.sort == "string" or situation.before.sort == "string"
    if situation.verb != "whenever" or situation.place != "declaration" or at < 1 or is_titled:
        return None
    starts = [number for number in range(1, at + 1) if texts[number : number + 1] in {("when",), ("where",), ("if",)}]
    is_named = texts[2:3] in {("for",), ("when",), ("if",), (":",)} and texts[1].isidentifier()
    end = len(texts) - (texts[-1] == ":")
    start = starts[0] + 1 if starts else end if is_named or not VERBS.isdisjoint(texts[1:]) else 1
    remedy, edits = _whole_rule(situation, situation.line, (start, end), texts[1] if is_named else "NAME")
    message = "the first line of a standing rule names it; its condition is a line below"
    at_fault = situation.words[min(max(1, start - 1 if starts else 1), len(situation.words) - 1)]
    return situation.error("RW0101", message, at=at_fault, remedy=remedy, edits=edits)


def rule_rows(situation: Situation) -> Diagnostic | None:
    """A standing rule without `when`, `priority` or `lowers`, or with these in another order."""
    parent = situation.parent
    if parent is None or parent.verb.text != "whenever":
        return None
    own = [line.verb.text for line in _block(situation, parent)]
    lacking = [word for word in _RULE_LINES if word not in own]
    in_order = tuple(word for word in own if word in _RULE_LINES) == _RULE_LINES
    if not lacking and (situation.verb not in _RULE_LINES or (in_order and situation.at > 0)):
        return None
    listed = " and ".join(f"`{word}`" for word in lacking)
    message = f"this standing rule lacks {listed}" if lacking else "this standing rule begins in another order"
    texts = [word.text for word in parent.body]
    if situation.found.text == "if" and not situation.at:
        lines = f"`when {situation.written(1, len(situation.texts) - 1)}`, `priority 1` and `lowers number`"
        remedy = f"begin it with {lines} in place of the `if`, each on its own line, and what is done below them"
        return situation.error("RW0101", message, at=situation.found, remedy=remedy)
    remedy = "begin it with `when condition`, `priority 1` and `lowers number`, each on its own line, in this order"
    edits: tuple[Edit, ...] = ()
    if len(lacking) == len(_RULE_LINES) and "where" in texts:
        end = next((at for at, word in enumerate(parent.body) if word.sort == "string"), len(texts) - 1)
        remedy, edits = _whole_rule(situation, parent, (texts.index("where") + 1, end), texts[1])
    return situation.error("RW0101", message, at=parent.words[0], remedy=remedy, edits=edits)


def _whole_rule(
    situation: Situation, head: ScannedLine, condition: tuple[int, int], name: str
) -> tuple[str, tuple[Edit, ...]]:
    """How the lines that begin a standing rule are written, and the edit that writes them in place of its head."""
    words, (start, end) = head.body, condition
    texts = [word.text for word in words]
    loop = texts.index("for") if "for" in texts else 0
    loop_end = min(start - 1, end) if start > loop else end
    each = " ".join(situation.content[words[loop].start : words[loop_end - 1].end].split()) if loop else ""
    said = " ".join(situation.content[words[start].start : words[end - 1].end].split()) if start < end else ""
    counted = f"count({each.removeprefix('for ')} where {said})" if each and said else ""
    first = f"whenever {name} {each}:" if each else f"whenever {name} for each x in collection:"
    lines = (f"when {said or 'condition'}", "priority 1", f"lowers {counted or 'number'}")
    listed = f"`{lines[0]}`, `{lines[1]}` and `{lines[2]}`"
    remedy = f"write `{first}` and begin it with {listed}, each on its own line, in this order"
    if not counted or not head.opens or name == "NAME":
        return remedy, ()
    indent = situation.step if head is situation.line else situation.line.indent
    whole = f"\n{' ' * indent}".join((first, *lines))
    return remedy, (situation.change(words[0].start, words[-1].end, whole, safe=False),)


def _block(situation: Situation, head: ScannedLine) -> Iterator[ScannedLine]:
    """The lines below one, as far as they are indented deeper."""
    following = situation.lines[situation.lines.index(head) + 1 :]
    return takewhile(lambda line: line.indent > head.indent, following)


def first_otherwise(situation: Situation) -> Diagnostic | None:
    """`otherwise: 0` as a row of a decision."""
    if situation.place != "decide row" or situation.texts[:2] != ("otherwise", ":"):
        return None
    value = situation.written(_VALUE, len(situation.texts))
    message = "`otherwise` goes where other rows have `when`"
    remedy = f"give the row a name: `other: {value} otherwise`"
    return situation.error("RW0106", message, at=situation.words[0], remedy=remedy, edits=_other_row(situation))


def _other_row(situation: Situation) -> tuple[Edit, ...]:
    """The edits that give a last row a name, and say `otherwise` behind its value."""
    first = situation.words[0]
    titled = situation.words[-1].sort == "string" and len(situation.words) > _VALUE + 1
    end = situation.words[-2 if titled else -1].end
    return situation.change(first.start, first.end, "other"), situation.change(end, end, " otherwise")


_VALUE = 2
