"""Mistakes of declarations and their rows."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise, takewhile

from rulewright.base.diagnostics import Diagnostic, Edit
from rulewright.syntax.layout import ScannedLine, ScannedWord
from rulewright.syntax.mistakes import line_forms
from rulewright.syntax.mistakes.mistake_context import MistakeContext
from rulewright.syntax.words import VERBS


def diagnose_number_as_type(situation: MistakeContext) -> Diagnostic | None:
    """`men: 10`, `men = 10`, `men 10` as an attribute; `n: 3` as a parameter, `let n: 10 = 0`, `gives 10`."""
    texts, at = situation.texts, situation.stop_index
    is_field = situation.line_kind == "field"
    if situation.word_before.text == "whole" and situation.stop_word.text in {"number", "numbers"}:
        where = situation.get_offsets(at - 1, at + 1)
        return situation.make_line_error("RW0209", "there is no type `whole number`", at=where, remedy=_BOUNDS_REMEDY)
    match texts[max(0, at - 3) : at]:
        case (name, ":", most) if is_field or situation.verb in _TYPED_LINE_WORDS:
            number = at - 1
        case (*_, "gives" as name, most):
            number = at - 1
        case (name,) if is_field:
            number = at + (texts[at : at + 1] in {("=",), (":",)})
            most = texts[number] if number < len(texts) else ""
        case _:
            return None
    goes_on = is_field and situation.stop_word.sort == "sign" and number < at and situation.stop_word.text != "="
    if not most.isdigit() or goes_on or situation.stop_word.text in {"or", "and", "to"}:
        return None
    first = situation.words[number if name == "gives" or number == at - 1 else 0]
    written = f"0..{most}" if first is situation.words[number] else f"{name}: 0..{most}"
    begins = f", or `{name}: 0..{most} = {most}` if it begins at {most}" if is_field else ""
    shown = written if name == "gives" else f"{name}: 0..{most}"
    edits = (situation.make_edit(first.start, situation.words[number].end, written, safe=False),)
    message = "a number needs the least and the most it can be"
    return situation.make_line_error("RW0101", message, at=first, remedy=f"write `{shown}`{begins}", edits=edits)


_BOUNDS_REMEDY = "write its bounds, such as `0..9`"
_TYPED_LINE_WORDS = frozenset(
    {"let", "setting", "procedure", "inner", "term", "tally", "decide", "table", "event", "relation", "paths"}
)
"""First words of lines that give types of names."""


def diagnose_row_with_if(situation: MistakeContext) -> Diagnostic | None:
    """`turn: -1 if turned`."""
    scanned_word = situation.stop_word
    if scanned_word.text != "if" or not situation.line_kind.endswith("row") or situation.stop_index < 3:  # noqa: PLR2004
        return None
    condition = situation.get_words_text(situation.stop_index + 1, len(situation.words))
    return situation.make_line_error(
        "RW0111", "a row has no `if`", at=scanned_word, remedy=f"write `when {condition}`", edit="when"
    )


def diagnose_else_in_row(situation: MistakeContext) -> Diagnostic | None:
    """`tied: defender else` in a decision."""
    if situation.line_kind != "decide row" or "else" not in situation.texts[2:]:
        return None
    word = situation.words[situation.texts.index("else", 2)]
    return situation.diagnose_rewriting(word, "otherwise", "the last row says `otherwise`")


def diagnose_two_word_name(situation: MistakeContext) -> Diagnostic | None:
    """`active player: player` as an attribute; `set active player to red` where the attribute is `active_player`."""
    start = situation.stop_index - 1
    words = situation.line.words[start : start + 2]
    if start < 0 or [scanned_word.sort for scanned_word in words] != ["word", "word"]:
        return None
    better = "_".join(scanned_word.text for scanned_word in words)
    is_head = situation.line_kind == "field" and start == 0 and situation.texts[2:3] == (":",)
    if not is_head and not any(word.text == better for line in situation.lines for word in line.words):
        return None
    return situation.diagnose_rewriting((words[0].start, words[-1].end), better, "a name is one word")


def diagnose_or_none(situation: MistakeContext) -> Diagnostic | None:
    """`owner: player or none` as a type."""
    before, at = situation.word_before, situation.stop_index
    if not at or situation.texts[at : at + 2] != ("or", "none") or "MEANS" in situation.failure.accepted:
        return None
    if situation.line_kind != "field" and "gives" not in situation.texts[:at]:
        return None
    end = situation.words[at + 1].end
    message = "a value that may be `none` has `?` after its type"
    edits = (situation.make_edit(before.end, end, "?"),)
    return situation.make_line_error(
        "RW0106", message, at=(before.start, end), remedy=f"write `{before.text}?`", edits=edits
    )


def diagnose_relation_with_colon(situation: MistakeContext) -> Diagnostic | None:
    """`relation near(a: Unit, b: Unit): distance(a.at, b.at) <= 1`."""
    scanned_word, value = situation.stop_word, situation.get_words_text(situation.stop_index + 1, len(situation.texts))
    if situation.verb != "relation" or scanned_word.text != ":" or not value or situation.below is not None:
        return None
    message = "the condition of a relation comes after `means`"
    edits = (situation.make_edit(scanned_word.start, scanned_word.end, " means"),)
    return situation.make_line_error("RW0106", message, at=scanned_word, remedy=f"write `means {value}`", edits=edits)


def diagnose_tally_without_start(situation: MistakeContext) -> Diagnostic | None:
    """`tally shift(d: Unit):`, which does not say from where it counts."""
    scanned_word = situation.stop_word
    if situation.verb != "tally" or situation.failure.accepted != {"FROM"} or scanned_word.text != ":":
        return None
    head = situation.get_words_text(0, situation.stop_index)
    remedy = f"write `{head} from 0:`, or what its rows are added to"
    edits = (situation.make_edit(scanned_word.start, scanned_word.start, " from 0", safe=False),)
    return situation.make_line_error(
        "RW0101", "a tally begins from a value", at=scanned_word, remedy=remedy, edits=edits
    )


def diagnose_unnamed_row(situation: MistakeContext) -> Diagnostic | None:
    """`1: miss | hit`, `2-3: hit | hit` as a row of a table."""
    result, cells = situation.stop_word, situation.words[: situation.stop_index]
    numbered = bool(cells) and cells[0].sort == "number" and "|" not in [scanned_word.text for scanned_word in cells]
    if situation.line_kind != "table row" or result.text != ":" or not numbered:
        return None
    cell, rest = (
        situation.get_words_text(0, situation.stop_index),
        situation.get_words_text(situation.stop_index + 1, len(situation.texts)),
    )
    better = f"{_DASHED_RANGE.sub('..', cell)} |"
    message = "a row without a name begins with its first cell"
    edits = (situation.make_edit(situation.words[0].start, result.end, better),)
    return situation.make_line_error("RW0106", message, at=result, remedy=f"write `{better} {rest}`", edits=edits)


def diagnose_titled_row(situation: MistakeContext) -> Diagnostic | None:
    """`"Low" 1..3 | 4`, `low "Low": 1..3 | 4`, `low: 1..3 | 4 "Low"` as a row of a table."""
    words, at = situation.words, situation.stop_index
    if situation.line_kind != "table row" or len(words) < 2:  # noqa: PLR2004
        return None
    message, first = "a row of a table has no title", words[0]
    if at == 1 and first.sort == "string":
        is_id = situation.stop_word.text == ":"
        name, rest = line_forms.make_name_from_title(first), situation.get_words_text(2 if is_id else 1, len(words))
        edits = (
            (situation.make_edit(first.start, first.end, name if is_id else f"{name}:", safe=False),) if name else ()
        )
        return situation.make_line_error(
            "RW0101", message, at=first, remedy=f"name it: `{name or 'NAME'}: {rest}`", edits=edits
        )
    title = situation.stop_word
    if title.sort != "string" or not (at == len(words) - 1 or (at == 1 and situation.texts[2:3] == (":",))):
        return None
    shown = " ".join(
        filter(None, (situation.get_words_text(0, at), situation.get_words_text(at + 1, len(words))))
    ).replace(" :", ":")
    edits = (situation.make_edit(situation.word_before.end, title.end, "", safe=False),)
    return situation.make_line_error("RW0101", message, at=title, remedy=f"leave it out: `{shown}`", edits=edits)


def diagnose_title_for_word(situation: MistakeContext) -> Diagnostic | None:
    """`Attacker retreats`, the printed title of a word, where the word is wanted."""
    words, at = situation.line.words, situation.stop_index
    if at == 0 or situation.stop_word.sort != "word" or situation.word_before.sort != "word":
        return None
    titles = _collect_word_titles(situation.lines)
    for start in range(at - 1, -1, -1):
        for end in range(len(words), at, -1):
            written = situation.content[words[start].start : words[end - 1].end]
            if meant := titles.get(" ".join(written.lower().split())):
                return situation.diagnose_rewriting(
                    (words[start].start, words[end - 1].end),
                    meant,
                    f"`{written}` is how `{meant}` is printed; rules name the word itself",
                    code="RW0101",
                    safe=False,
                )
    return None


def _collect_word_titles(lines: Sequence[ScannedLine]) -> dict[str, str]:
    """The word of each title of the lists of words, by the title in small letters; none for a title of several."""
    found: dict[str, set[str]] = {}
    is_list = False
    for line in lines:
        texts = [word.text for word in line.words[:2]]
        if line.indent == 0:
            is_list = line.verb.text == "values"
        elif is_list and len(texts) > 1 and line.words[1].sort == "string":
            found.setdefault(texts[1].strip('"').lower(), set()).add(texts[0])
    return {title: next(iter(words)) for title, words in found.items() if len(words) == 1}


_DASHED_RANGE = re.compile(r"(?<=\d) ?[-–] ?(?=\d)")  # noqa: RUF001 - signs that look alike are meant


def diagnose_named_result(situation: MistakeContext) -> Diagnostic | None:
    """`gives result: 0..20`, with a name for what is given."""
    gives = situation.stop_index - 3
    if gives < 0 or situation.texts[gives : situation.stop_index : 2] != ("gives", ":") or not situation.stop_word.text:
        return None
    name, kind = situation.words[gives + 1], situation.get_words_text(situation.stop_index, len(situation.words))
    message = "a result has a type and no name"
    edits = (situation.make_edit(name.start, situation.stop_word.start, ""),)
    return situation.make_line_error(
        "RW0106", message, at=name, remedy=f"write `gives {kind.removesuffix(':')}`", edits=edits
    )


def diagnose_titled_words(situation: MistakeContext) -> Diagnostic | None:
    """`values Ability: bloodlust "Bloodlust"`."""
    scanned_word = situation.stop_word
    if (
        situation.verb != "values"
        or scanned_word.sort != "string"
        or ":" not in situation.texts[: situation.stop_index]
    ):
        return None
    colon = situation.texts.index(":")
    if situation.word_before.text in {":", ","}:
        return _diagnose_quoted_word(situation, scanned_word)
    head = situation.get_words_text(0, colon + 1)
    edits = [
        situation.make_edit(one.start if one.text == "," else one.end, other.start, f"\n{situation.indent_text}  ")
        for one, other in pairwise(situation.words[colon:])
        if one.text == "," or one is situation.words[colon]
    ]
    remedy = f"end the line after `{head}` and put each word on its own line below, indented"
    return situation.make_line_error(
        "RW0124", "with titles, a list has one word to a line", at=scanned_word, remedy=remedy, edits=edits
    )


def _diagnose_quoted_word(situation: MistakeContext, word: ScannedWord) -> Diagnostic:
    """`values Ability: "bloodlust", rage`."""
    name, message = word.text.strip('"'), "a word of a list has no quotes"
    if name.isidentifier():
        return situation.diagnose_rewriting(word, name, message)
    remedy = "write a name of letters, digits and `_`, with this text behind it"
    return situation.make_line_error("RW0106", message, at=word, remedy=remedy)


def diagnose_word_separators(situation: MistakeContext) -> Diagnostic | None:
    """`values Weather: dry | wet`, `values Weather: dry and wet`."""
    scanned_word, words = situation.stop_word, situation.words
    if situation.verb != "values" or scanned_word.text not in _WORD_SEPARATORS:
        return None
    wrong = [(one, other) for one, other in pairwise(words) if other.text in _WORD_SEPARATORS]
    message = "`,` goes between the words of a list"
    edits = [situation.make_edit(one.end if one.text != "," else one.start, other.end, ",") for one, other in wrong]
    return situation.make_line_error("RW0106", message, at=scanned_word, remedy="write `,`", edits=edits)


_WORD_SEPARATORS = frozenset({"and", "or", "|", "/", ";"})


def diagnose_term_without_gives(situation: MistakeContext) -> Diagnostic | None:
    """`term … means` without `gives`."""
    scanned_word = situation.stop_word
    if situation.verb != "term" or scanned_word.text != "means" or "gives" in situation.texts:
        return None
    behind = set(situation.texts[situation.stop_index + 1 :])
    head = situation.get_words_text(0, situation.stop_index)
    asks = behind & _FLAG_WORDS and ("where" not in behind or behind & _QUANTIFIER_WORDS)
    flag = (situation.make_edit(scanned_word.start, scanned_word.start, "gives flag ", safe=False),)
    message = f"the term `{situation.texts[1]}` does not say what it gives"
    remedy = f"add `gives` and the type: `{head} gives {'flag' if asks else 'TYPE'} means …`"
    return situation.make_line_error("RW0122", message, at=scanned_word, remedy=remedy, edits=flag if asks else ())


_QUANTIFIER_WORDS = frozenset({"any", "every", "no", "some"})
_FLAG_WORDS = _QUANTIFIER_WORDS | {"=", "!=", "<", "<=", ">", ">=", "in", "not", "and", "or"}
"""Words of conditions."""


def diagnose_term_with_rows(situation: MistakeContext) -> Diagnostic | None:
    """`term … gives 1..8:`, with rows below it."""
    scanned_word, first = situation.stop_word, situation.words[0]
    if first.text != "term" or scanned_word.text != ":" or situation.below is None:
        return None
    message = "a term has one value; for rows of which the first that fits counts, write a `decide`"
    edits = (situation.make_edit(first.start, first.end, "decide", safe=False),)
    return situation.make_line_error("RW0122", message, at=first, remedy="write `decide` for `term`", edits=edits)


def diagnose_flag_with_rows(situation: MistakeContext) -> Diagnostic | None:
    """`term … gives flag when all:`."""
    at, texts = situation.stop_index, situation.texts
    if situation.verb != "term" or texts[max(0, at - 2) : at + 1] != ("gives", "flag", "when"):
        return None
    gives = situation.words[at - 2].start
    message = "a term with rows always gives a flag, so it has no `gives`"
    remedy = (
        f"leave out `gives flag`: `{situation.get_words_text(0, at - 2)} {situation.get_words_text(at, len(texts))}`"
    )
    edits = (situation.make_edit(gives, situation.stop_word.start, ""),)
    return situation.make_line_error(
        "RW0122", message, at=(gives, situation.word_before.end), remedy=remedy, edits=edits
    )


def diagnose_local_decide(situation: MistakeContext) -> Diagnostic | None:
    """`decide … gives` inside a procedure."""
    scanned_word, before = situation.stop_word, situation.word_before
    if situation.verb != "decide" or situation.line_kind != "line" or scanned_word.text not in {"gives", "("}:
        return None
    what = "`gives`" if scanned_word.text == "gives" else "parameters"
    at, remedy = scanned_word, f"write `decide {situation.texts[situation.texts.index('decide') + 1]}:`"
    edits = (situation.make_edit(before.end, situation.end_offset, "", safe=scanned_word.text == "gives"),)
    return situation.make_line_error(
        "RW0123", f"a `decide` inside a procedure has no {what}", at=at, remedy=remedy, edits=edits
    )


_RULE_HEAD_LINES = ("when", "priority", "lowers")


def diagnose_standing_rule_head(situation: MistakeContext) -> Diagnostic | None:
    """`whenever unit.health = 0:`, `whenever dead for each u in units when u.health = 0:`."""
    texts, at = situation.texts, situation.stop_index
    is_titled = situation.stop_word.sort == "string" or situation.word_before.sort == "string"
    if situation.verb != "whenever" or situation.line_kind != "declaration" or at < 1 or is_titled:
        return None
    starts = [number for number in range(1, at + 1) if texts[number : number + 1] in {("when",), ("where",), ("if",)}]
    is_named = texts[2:3] in {("for",), ("when",), ("if",), (":",)} and texts[1].isidentifier()
    end = len(texts) - (texts[-1] == ":")
    start = starts[0] + 1 if starts else end if is_named or not VERBS.isdisjoint(texts[1:]) else 1
    remedy, edits = _make_rule_remedy(situation, situation.line, (start, end), texts[1] if is_named else "NAME")
    message = "the first line of a standing rule names it; its condition is a line below"
    at_fault = situation.words[min(max(1, start - 1 if starts else 1), len(situation.words) - 1)]
    return situation.make_line_error("RW0101", message, at=at_fault, remedy=remedy, edits=edits)


def diagnose_standing_rule_lines(situation: MistakeContext) -> Diagnostic | None:
    """A standing rule without `when`, `priority` or `lowers`, or with these in another order."""
    parent = situation.parent_line
    if parent is None or parent.verb.text != "whenever":
        return None
    line_verbs = [line.verb.text for line in _list_block_lines(situation, parent)]
    lacking = [word for word in _RULE_HEAD_LINES if word not in line_verbs]
    in_order = tuple(word for word in line_verbs if word in _RULE_HEAD_LINES) == _RULE_HEAD_LINES
    if not lacking and (situation.verb not in _RULE_HEAD_LINES or (in_order and situation.stop_index > 0)):
        return None
    listed = " and ".join(f"`{word}`" for word in lacking)
    message = f"this standing rule lacks {listed}" if lacking else "this standing rule begins in another order"
    texts = [word.text for word in parent.body]
    if situation.stop_word.text == "if" and not situation.stop_index:
        lines = f"`when {situation.get_words_text(1, len(situation.texts) - 1)}`, `priority 1` and `lowers number`"
        remedy = f"begin it with {lines} in place of the `if`, each on its own line, and what is done below them"
        return situation.make_line_error("RW0101", message, at=situation.stop_word, remedy=remedy)
    remedy = "begin it with `when condition`, `priority 1` and `lowers number`, each on its own line, in this order"
    edits: tuple[Edit, ...] = ()
    if len(lacking) == len(_RULE_HEAD_LINES) and "where" in texts:
        end = next((at for at, word in enumerate(parent.body) if word.sort == "string"), len(texts) - 1)
        remedy, edits = _make_rule_remedy(situation, parent, (texts.index("where") + 1, end), texts[1])
    return situation.make_line_error("RW0101", message, at=parent.words[0], remedy=remedy, edits=edits)


def _make_rule_remedy(
    situation: MistakeContext, head: ScannedLine, condition: tuple[int, int], name: str
) -> tuple[str, tuple[Edit, ...]]:
    """How the head of a standing rule is written, and the edit that writes it."""
    words, (start, end) = head.body, condition
    texts = [word.text for word in words]
    loop = texts.index("for") if "for" in texts else 0
    loop_end = min(start - 1, end) if start > loop else end
    each = " ".join(situation.content[words[loop].start : words[loop_end - 1].end].split()) if loop else ""
    written = " ".join(situation.content[words[start].start : words[end - 1].end].split()) if start < end else ""
    counted = f"count({each.removeprefix('for ')} where {written})" if each and written else ""
    first = f"whenever {name} {each}:" if each else f"whenever {name} for each x in collection:"
    lines = (f"when {written or 'condition'}", "priority 1", f"lowers {counted or 'number'}")
    listed = f"`{lines[0]}`, `{lines[1]}` and `{lines[2]}`"
    remedy = f"write `{first}` and begin it with {listed}, each on its own line, in this order"
    if not counted or not head.opens_block or name == "NAME":
        return remedy, ()
    indent = situation.indent_step if head is situation.line else situation.line.indent
    whole = f"\n{' ' * indent}".join((first, *lines))
    return remedy, (situation.make_edit(words[0].start, words[-1].end, whole, safe=False),)


def _list_block_lines(situation: MistakeContext, head: ScannedLine) -> Iterator[ScannedLine]:
    following = situation.lines[situation.lines.index(head) + 1 :]
    return takewhile(lambda line: line.indent > head.indent, following)


def diagnose_first_otherwise(situation: MistakeContext) -> Diagnostic | None:
    """`otherwise: 0` as a row of a decision."""
    if situation.line_kind != "decide row" or situation.texts[:2] != ("otherwise", ":"):
        return None
    value = situation.get_words_text(_VALUE_INDEX, len(situation.texts))
    message = "`otherwise` goes where other rows have `when`"
    remedy = f"give the row a name: `other: {value} otherwise`"
    return situation.make_line_error(
        "RW0106", message, at=situation.words[0], remedy=remedy, edits=_make_other_row_edits(situation)
    )


def _make_other_row_edits(situation: MistakeContext) -> tuple[Edit, ...]:
    first = situation.words[0]
    titled = situation.words[-1].sort == "string" and len(situation.words) > _VALUE_INDEX + 1
    end = situation.words[-2 if titled else -1].end
    return situation.make_edit(first.start, first.end, "other"), situation.make_edit(end, end, " otherwise")


_VALUE_INDEX = 2
