"""Mistakes of blocks: indentation, colons, `else` and `on`, steps, and assignments."""

from collections.abc import Sequence
from itertools import pairwise, takewhile

from rulewright.base.diagnostics import Diagnostic, Edit
from rulewright.syntax.layout import ScannedLine, ScannedWord, find_open_brackets
from rulewright.syntax.mistakes.mistake_context import MistakeContext
from rulewright.syntax.words import (
    BLOCK_WORDS,
    LANGUAGE_WORDS,
    OPENING_WORDS,
    RESERVED_WORD_SUBSTITUTES,
    RESERVED_WORDS,
    VERBS,
)

PROCEDURE_LINE_WORDS = VERBS | OPENING_WORDS | {"else", "on", "option", "prefer", "require", "step"}
"""First words of a procedure's lines."""


def diagnose_assignment(situation: MistakeContext) -> Diagnostic | None:
    """`x = 3` as a line."""
    signs = [at for at, text in enumerate(situation.texts) if text in {"=", ":="}]
    if situation.line_kind != "line" or situation.verb in PROCEDURE_LINE_WORDS or not signs:
        return _diagnose_set_with_sign(situation)
    equals = sign = signs[0]
    words = situation.words
    if words[0].sort != "word":
        return None
    if sign and situation.texts[sign - 1] == ":":
        sign -= 1
    head = situation.verb_index if situation.verb_index < sign else 0
    if find_open_brackets(words[:equals]) or any(a.sort == b.sort == "word" for a, b in pairwise(words[head:sign])):
        return None
    place = situation.get_words_text(head, sign)
    value, flag, flagged = (
        situation.get_words_text(equals + 1, len(situation.words)),
        *_find_flag_behind(situation, equals),
    )
    edits: tuple[Edit, ...] = ()
    if sign and value and not situation.line.opens_block:
        edits = (
            situation.make_edit(words[head].start, words[head].start, "set "),
            situation.make_edit(words[sign - 1].end, words[equals + 1].start, " to "),
            *flagged,
        )
    remedy = f"write `set {place} to {flag or value}`"
    return situation.make_line_error("RW0107", _EQUALS_COMPARES, at=words[equals], remedy=remedy, edits=edits)


_EQUALS_COMPARES = "`=` compares, and changes nothing"


def _diagnose_set_with_sign(situation: MistakeContext) -> Diagnostic | None:
    """`set x = 3`."""
    sign, words = situation.stop_index, situation.words
    if situation.line_kind != "line" or situation.verb != "set" or situation.stop_word.text not in {"=", ":="}:
        return None
    flag, flagged = _find_flag_behind(situation, sign)
    value = flag or situation.get_words_text(sign + 1, len(words)) or "value"
    remedy = f"write `{situation.get_words_text(situation.verb_index, sign)} to {value}`"
    edits = (situation.make_edit(words[sign].start, words[sign].end, "to"), *flagged)
    return situation.make_line_error("RW0107", _EQUALS_COMPARES, at=words[sign], remedy=remedy, edits=edits)


def _find_flag_behind(situation: MistakeContext, sign: int) -> tuple[str, tuple[Edit, ...]]:
    behind = situation.words[sign + 1 :]
    flag = {"true": "yes", "false": "no"}.get(behind[0].text.lower(), "") if len(behind) == 1 else ""
    return flag, (situation.make_edit(behind[0].start, behind[0].end, flag),) if flag else ()


def diagnose_reserved_name(situation: MistakeContext) -> Diagnostic | None:
    """A word of the language where a name belongs."""
    scanned_word = situation.stop_word
    if scanned_word.text not in RESERVED_WORDS or "NAME" not in situation.failure.accepted:
        return None
    if situation.failure.accepted - {"NAME", "LPAR"}:
        return None
    other = f"take another name, such as `{RESERVED_WORD_SUBSTITUTES[scanned_word.text]}`"
    return situation.make_line_error(
        "RW0108", f"`{scanned_word.text}` belongs to the language", at=scanned_word, remedy=other
    )


def find_sibling_verb(situation: MistakeContext) -> str:
    """Verb of the line before in the same block, or of the line whose `else` that is; empty for the first."""
    for line in reversed(situation.lines[: situation.index]):
        if line.indent < situation.line.indent:
            break
        if line.indent == situation.line.indent and line.verb.text not in {"else", "elif", "elseif", "elsif"}:
            return line.verb.text
    return ""


_CASE_WORDS = {
    "case": "on",
    "when": "on",
    "is": "on",
    "else": "otherwise",
    "default": "otherwise",
    "other": "otherwise",
}


def diagnose_case_word(situation: MistakeContext) -> Diagnostic | None:
    """`case 1:` and `else:` among the cases of a `match`, and `else:` below them."""
    first = situation.line.words[0]
    better = _CASE_WORDS.get(first.text)
    is_below = (
        situation.line_kind == "line" and situation.texts == ("else", ":") and find_sibling_verb(situation) == "match"
    )
    if better is None or not (is_below or situation.line_kind == "case"):
        return None
    if better == "otherwise":
        message, remedy = "the cases that are left begin with `otherwise`", "write `otherwise:` as the last case"
    else:
        message, remedy = "a case begins with `on`", f"write `on` for `{first.text}`"
    edits = situation.make_indent_edits(situation.line, situation.indent_step) if is_below else ()
    return situation.make_line_error("RW0106", message, at=first, remedy=remedy, edit=better, edits=edits)


def diagnose_case_without_on(situation: MistakeContext) -> Diagnostic | None:
    """`fled: remove unit` as a case of a `match`."""
    first, colon = situation.line.words[0], next((word for word in situation.line.words if word.text == ":"), None)
    if situation.line_kind != "case" or colon is None or first.text in {"on", "otherwise"}:
        return None
    value, rest = situation.content[first.start : colon.start].rstrip(), situation.content[colon.end :].split("\n")[0]
    below = f", and `{rest.strip()}` on its own line below it" if rest.strip() else ""
    message = "a case begins with `on`"
    edits = (situation.make_edit(first.start, first.start, "on "),)
    return situation.make_line_error("RW0106", message, at=first, remedy=f"write `on {value}:`{below}", edits=edits)


def diagnose_lone_else(situation: MistakeContext) -> Diagnostic | None:
    """`else` without a line before it that may have one."""
    first = situation.line.words[0]
    if first.text != "else" or situation.line_kind != "line":
        return None
    if find_sibling_verb(situation) in _ELSE_OWNERS:
        return _diagnose_second_else(situation)
    what = "else if" if situation.texts[1:2] == ("if",) else "else"
    owners = "`if`" if what == "else if" else "`if`, `ask`, `add`, `take` or `draw`"
    remedy = f"it comes right after {owners}, with the same indentation"
    return situation.make_line_error("RW0120", f"this `{what}` has no line it belongs to", at=first, remedy=remedy)


def _diagnose_second_else(situation: MistakeContext) -> Diagnostic | None:
    """`else` below an `else` without condition."""
    beside = (line for line in reversed(situation.lines[: situation.index]) if line.indent <= situation.line.indent)
    above = next(beside, None)
    if above is None or tuple(word.text for word in above.words[:2]) != ("else", ":"):
        return None
    at, remedy = situation.line.words[0], "leave this branch out, or give the one above a condition with `else if`"
    return situation.make_line_error("RW0120", "the `else` above takes every case that is left", at=at, remedy=remedy)


JOINING_WORDS = frozenset({"and", "or", "+", "*", "/", ".."})
"""Operators between two parts of a condition or value."""

BLOCK_OPENERS = BLOCK_WORDS | frozenset(
    "ask board decide event insert option rank relation replace step table tally term values".split()  # noqa: SIM905 - reads best
)
"""First words of lines that may have a block."""


def diagnose_misaligned_line(situation: MistakeContext) -> Diagnostic | None:
    """A line indented between two levels."""
    if situation.failure.sort != "misaligned":
        return None
    above = next(line for line in reversed(situation.lines[: situation.index]) if line.indent > situation.line.indent)
    remedy = _make_else_if_remedy(situation) or _describe_indentations(situation, above)
    return situation.make_line_error(
        "RW0104", "this line stands between two blocks", at=situation.line.words[0], remedy=remedy
    )


def _make_else_if_remedy(situation: MistakeContext) -> str:
    owner = situation.parent_line
    if situation.texts[:2] != ("else", "if") or owner is None or not is_if_line(owner):
        return ""
    return f"indent it by {_count_spaces(owner.indent)}, like its `if`"


def _describe_indentations(situation: MistakeContext, above: ScannedLine) -> str:
    levels = _list_levels(situation, above)
    stay = min((level for level in levels if level > situation.line.indent), default=above.indent)
    end = max((level for level in levels if level < situation.line.indent), default=0)
    remedy = f"indent it by {_count_spaces(stay)} to stay in the block above"
    remedy += f", or by {end} to end it" if end else ""
    is_first = situation.previous_line is above and situation.lines[situation.index - 2].indent == end
    is_first = is_first and situation.line.indent == end + situation.indent_step
    return f"{remedy}; or the line above by {situation.line.indent}, like this one" if is_first else remedy


def is_if_line(line: ScannedLine) -> bool:
    """Whether a line is an `if` or `else if`."""
    return line.verb.text == "if" or [word.text for word in line.words[:2]] == ["else", "if"]


def _count_spaces(number: int) -> str:
    return "1 space" if number == 1 else f"{number} spaces"


def _list_levels(situation: MistakeContext, above: ScannedLine) -> tuple[int, ...]:
    levels = [above.indent]
    for line in reversed(situation.lines[: situation.lines.index(above)]):
        if line.indent < levels[-1]:
            levels.append(line.indent)
    return tuple(levels)


def diagnose_continued_line(situation: MistakeContext) -> Diagnostic | None:
    """A line broken before `and`, without brackets; not the first row of a tally, which lacks its name."""
    if situation.line_kind == "tally row" and situation.previous_line == situation.parent_line:
        return None
    following = situation.lines[situation.index + 1 : situation.index + 2]
    lines = (situation.line,) if situation.stop_word.text else (situation.line, *following)
    for line in lines:
        first = line.words[0]
        if first.text in JOINING_WORDS:
            what = "condition" if first.text in {"and", "or"} else "value"
            message = f"a line does not begin with `{first.text}`"
            remedy = f"join it to the line above, or put the {what} in brackets to break it"
            return situation.make_line_error(
                "RW0113", message, at=first, remedy=remedy, edits=_make_join_edits(situation, first)
            )
    return None


def _make_join_edits(situation: MistakeContext, first: ScannedWord) -> tuple[Edit, ...]:
    """Edit that joins a line to the one above; none where text between them would be lost."""
    end = len(situation.content[: first.start].rstrip())
    above = next((line for line in reversed(situation.lines) if line.end <= first.start), None)
    if above is None or above.end != end or above.opens_block or len(above.body) < len(above.words):
        return ()
    return (situation.make_edit(end, first.start, " "),)


def diagnose_unexpected_indent(situation: MistakeContext) -> Diagnostic | None:
    """A line indented deeper below one without a block."""
    if situation.failure.layout != "_INDENT":
        return None
    above = situation.previous_line
    if (
        above is not None
        and not above.opens_block
        and above.verb.text in BLOCK_OPENERS
        and not _is_complete_declaration(above)
    ):
        return _diagnose_without_colon(situation, above)
    message = "this line is indented, but the line above takes no lines under it"
    at = situation.line.words[0]
    if above is None:
        return situation.make_line_error("RW0104", message, at=at, remedy="begin it at the left margin")
    if _is_misindented(situation, above):
        remedy = f"indent it by {_count_spaces(situation.line.indent)}, like the line below"
        edits = situation.make_indent_edits(above, situation.line.indent - above.indent, with_block=False)
        message = "this line is indented less than the line below, but takes no lines under it"
        return situation.make_line_error("RW0104", message, at=above.words[0], remedy=remedy, edits=edits)
    like = (
        f"indent it by {_count_spaces(above.indent)}, like the line above"
        if above.indent
        else "begin it at the left margin"
    )
    if _is_block_end(situation, above):
        remedy = f"{like}, or the line above by {situation.line.indent}, like this one"
        return situation.make_line_error("RW0104", message, at=at, remedy=remedy)
    alone = all(line.indent <= above.indent for line in situation.lines[situation.index + 1 :][:1])
    edits = situation.make_indent_edits(situation.line, above.indent - situation.line.indent, safe=alone)
    return situation.make_line_error("RW0104", message, at=at, remedy=like, edits=edits)


def _is_complete_declaration(line: ScannedLine) -> bool:
    """Whether a declaration ends on its line, so that no `:` is missing."""
    texts = [word.text for word in line.body]
    if line.verb.text == "term":
        return "means" in texts
    outside = (n for n, text in enumerate(texts) if text == ":" and not find_open_brackets(line.body[:n]))
    return line.verb.text in {"values", "replace", "insert"} and any(outside)


def _is_misindented(situation: MistakeContext, above: ScannedLine) -> bool:
    """Whether the line above begins a block and is itself misindented, so that this line is right."""
    if situation.index < 2:  # noqa: PLR2004 - the line above and the one that opens its block
        return False
    opener = situation.lines[situation.index - 2]
    return (
        opener.opens_block
        and opener.indent < above.indent
        and situation.line.indent == opener.indent + situation.indent_step
    )


def _is_block_end(situation: MistakeContext, above: ScannedLine) -> bool:
    before = takewhile(
        lambda scanned_line: scanned_line.indent >= above.indent, reversed(situation.lines[: situation.index - 1])
    )
    return any(scanned_line.indent > above.indent for scanned_line in before)


def _diagnose_without_colon(situation: MistakeContext, line: ScannedLine) -> Diagnostic:
    """The edit is safe where a line with this first word always has a block."""
    last = (line.body or line.words)[-1]
    colon = situation.make_edit(last.end, last.end, ":", safe=line.verb.text in BLOCK_WORDS | {"step", "option", "ask"})
    remedy = "end it with `:`" if line.words[-1] is last else "put `:` before the cites"
    return situation.make_line_error(
        "RW0103", "a `:` is missing at the end of this line", at=last, remedy=remedy, edits=(colon,)
    )


def diagnose_missing_block(situation: MistakeContext) -> Diagnostic | None:
    """A colon without lines below it."""
    if situation.failure.accepted != {"_INDENT"}:
        return None
    holds_lines = situation.line_kind == "line" and situation.verb in _LINE_HOLDERS
    remedy = f"indent the lines that belong to it{', or write `nothing` there' if holds_lines else ''}"
    edits = _make_block_edits(situation) if holds_lines else ()
    level = _find_outer_level(situation) if holds_lines else None
    if level is not None:
        less = f"indent it by {_count_spaces(level)}"
        remedy = f"{remedy}; or this line is indented too far: {less}"
        if not _may_stand_here(situation):
            remedy = f"this line is indented too far: {less}"
            edits = situation.make_indent_edits(situation.line, level - situation.line.indent, safe=False)
    return situation.make_line_error("RW0105", "nothing is indented below this line", remedy=remedy, edits=edits)


def _find_outer_level(situation: MistakeContext) -> int | None:
    """Lesser indentation at which a line has the lines after it as its block; none where there is none."""
    owner, line = situation.parent_line, situation.line
    following = situation.lines[situation.index + 1 :][:1]
    if owner is None or not following or _is_reading_bound_name(situation, owner):
        return None
    if situation.previous_line is owner:
        level = owner.indent + situation.indent_step
    elif owner.verb.text in (_ELSE_OWNERS if line.verb.text == "else" else _NESTING_VERBS):
        level = owner.indent
    else:
        return None
    return level if level < following[0].indent <= line.indent else None


_BINDING_WORDS = frozenset({"as", "let", "for", "each", "whether"})
"""Words before a name that a line binds."""


def _is_reading_bound_name(situation: MistakeContext, owner: ScannedLine) -> bool:
    """Whether a line reads a name that the line around it, or one above in its block, binds."""
    lines = (
        *takewhile(lambda scanned_line: scanned_line is not owner, reversed(situation.lines[: situation.index])),
        owner,
    )
    bound = {
        name.text
        for line in lines
        for word, name in zip(line.words, line.words[1:], strict=False)
        if word.text in _BINDING_WORDS
    }
    return not bound.isdisjoint(word.text.partition(".")[0] for word in situation.line.words[1:])


def _may_stand_here(situation: MistakeContext) -> bool:
    if situation.line.verb.text == "else":
        return find_sibling_verb(situation) in _ELSE_OWNERS
    return situation.previous_line is not situation.parent_line


def _make_block_edits(situation: MistakeContext) -> tuple[Edit, ...]:
    """Edit that gives a line its block: the one line after it, or `nothing`; none where more lines may belong."""
    indent, end = situation.line.indent, situation.line.end
    beside = list(takewhile(lambda scanned_line: scanned_line.indent >= indent, situation.lines[situation.index + 1 :]))
    if not beside:
        return (situation.make_edit(end, end, f"\n{situation.indent_text}  nothing", safe=False),)
    if sum(scanned_line.indent == indent for scanned_line in beside) > 1 or beside[0].words[0].text == "else":
        return ()
    return situation.make_indent_edits(beside[0], 2, safe=False)


_ELSE_OWNERS = frozenset({"if", "ask", "add", "take", "draw", "else"})
_NESTING_VERBS = frozenset({"if", "else", "for", "repeat", "together", "ask", "watch"})
"""Verbs of lines with blocks that stand beside any other lines."""
_LINE_HOLDERS = frozenset("if else for repeat together step on option ask watch".split())  # noqa: SIM905 - reads best


def diagnose_missing_colon(situation: MistakeContext) -> Diagnostic | None:
    """A line with a block and no colon."""
    lacking = "COLON" in situation.failure.accepted and "_NL" not in situation.failure.accepted
    if situation.stop_word.sort not in {"end", "cite"} or not lacking or situation.verb not in BLOCK_OPENERS:
        return None
    return _diagnose_without_colon(situation, situation.line)


def diagnose_block_on_line(situation: MistakeContext) -> Diagnostic | None:
    """`if x: proceed to S` on one line."""
    result, before = situation.stop_word, situation.word_before
    if before.text != ":" or result.sort in {"end", "cite"} or situation.stop_index < 2:  # noqa: PLR2004
        return None
    if situation.failure.accepted - {"CITE"} != {"_NL"}:
        return None
    rest = situation.get_words_text(situation.stop_index, len(situation.words))
    message, remedy = "the block begins on the next line", f"put `{rest}` on its own line, indented by two spaces"
    edits = (situation.make_edit(before.end, result.start, f"\n{situation.indent_text}  "),)
    return situation.make_line_error(
        "RW0112", message, at=(result.start, situation.words[-1].end), remedy=remedy, edits=edits
    )


def diagnose_inner_opening(situation: MistakeContext) -> Diagnostic | None:
    """`hold` or `watch` inside a step or another block."""
    first = situation.line.words[0]
    if situation.verb not in {"hold", "watch"} or situation.stop_index > 1 or situation.line_kind != "line":
        return None
    if situation.parent_line is None or situation.parent_line.verb.text == "procedure":
        return None
    remedy = "move it up, before the first step, indented like that step"
    return situation.make_line_error(
        "RW0130", f"`{first.text}` belongs at the head of a procedure", at=first, remedy=remedy
    )


def diagnose_line_after_steps(situation: MistakeContext) -> Diagnostic | None:
    """A plain line of a procedure below its first step."""
    parent = situation.parent_line
    if parent is None or parent.verb.text != "procedure" or situation.stop_index > 0:
        return None
    if situation.verb not in VERBS | OPENING_WORDS or not _list_steps_above(situation):
        return None
    message, remedy = "after the first step, every line belongs to a step", "move it up, before the first step"
    if situation.verb in OPENING_WORDS:
        return situation.make_line_error("RW0130", message, remedy=remedy)
    name, remedy = _choose_step_id(situation), "indent it to make it part of the step above"
    if not name:
        edits = situation.make_indent_edits(situation.line, situation.indent_step, safe=False)
        return situation.make_line_error("RW0130", message, remedy=remedy, edits=edits)
    remedy = f'write `step {name} "…":` above it, and indent it below that'
    return situation.make_line_error("RW0130", message, remedy=remedy, edits=_make_step_edits(situation, name))


def _choose_step_id(situation: MistakeContext) -> str:
    """Id of a new step for a line below the last step; empty where the line can belong to that one.

    It cannot if that step may be skipped, or ends with a line that leads elsewhere.
    """
    deep = situation.line.indent
    above = list(
        takewhile(lambda scanned_line: scanned_line.indent >= deep, reversed(situation.lines[: situation.index]))
    )
    below = takewhile(lambda scanned_line: scanned_line.indent >= deep, situation.lines[situation.index :])
    if any(scanned_line.indent == deep and scanned_line.verb.text == "step" for scanned_line in below):
        return ""
    inside = list(takewhile(lambda scanned_line: scanned_line.indent > deep, above))
    steps = _list_steps_above(situation)
    last = next((scanned_line.verb.text for scanned_line in inside if scanned_line.indent == inside[-1].indent), "")
    may_be_passed = any(word.text == "when" for word in steps[-1].words)
    return _get_next_id([step.body[1].text for step in steps]) if may_be_passed or last in {"finish", "proceed"} else ""


def _list_steps_above(situation: MistakeContext) -> list[ScannedLine]:
    above = takewhile(
        lambda scanned_line: scanned_line.indent >= situation.line.indent, reversed(situation.lines[: situation.index])
    )
    level = [
        scanned_line
        for scanned_line in above
        if scanned_line.indent == situation.line.indent and scanned_line.verb.text == "step"
    ]
    return [scanned_line for scanned_line in reversed(level) if len(scanned_line.body) > 1]


def _get_next_id(ids: Sequence[str]) -> str:
    """Next id in the sequence of step ids, by their last distance; empty where they are not whole numbers."""
    numbers = [int(identifier) for identifier in ids[-2:] if identifier.isdecimal()]
    if not numbers or not ids[-1].isdecimal():
        return ""
    following = numbers[-1] + max(1, numbers[-1] - numbers[0])
    return str(following) if str(following) not in ids else ""


def _make_step_edits(situation: MistakeContext, name: str) -> tuple[Edit, ...]:
    start = situation.line.start - len(situation.indent_text)
    rest = takewhile(
        lambda scanned_line: scanned_line.indent >= situation.line.indent, situation.lines[situation.index :]
    )
    moved = [
        edit
        for scanned_line in rest
        for edit in situation.make_indent_edits(scanned_line, situation.indent_step, safe=False, with_block=False)
    ]
    return situation.make_edit(start, start, f"{situation.indent_text}step {name}:\n", safe=False), *moved


def diagnose_bare_step(situation: MistakeContext) -> Diagnostic | None:
    """`3 "Falls":` and `3) "Falls":` among the lines of a procedure."""
    first, parent = situation.words[0] if situation.words else None, situation.parent_line
    if first is None or first.sort != "number" or parent is None or parent.verb.text != "procedure":
        return None
    if not situation.line.opens_block:
        return None
    signed = situation.texts[1:2] in {(".",), (")",), (":",)} and len(situation.words) > 2  # noqa: PLR2004 - with its colon
    end = situation.words[1].end if signed else first.end
    better = f"step {first.text}"
    message = f"a line does not begin with `{first.text}`"
    edits = (situation.make_edit(first.start, end, better),)
    return situation.make_line_error("RW0102", message, at=first, remedy=f"write `{better}`", edits=edits)


def diagnose_numbered_step(situation: MistakeContext) -> Diagnostic | None:
    """`step 2. "Falls":`, `step 2) "Falls":`, and `proceed to step 2`."""
    head, words = situation.verb_index, situation.words
    if situation.verb == "proceed" and situation.texts[head + 1 : head + 3] == ("to", "step") and len(words) > head + 3:
        name = words[head + 3]
        edits = (situation.make_edit(words[head + 2].start, name.start, ""),)
        message, remedy = "a jump names its step without `step`", f"write `proceed to {name.text}`"
        return situation.make_line_error("RW0106", message, at=words[head + 2], remedy=remedy, edits=edits)
    if situation.verb != "step" or situation.texts[2:3] not in {(".",), (")",)} or not 1 < situation.stop_index <= 3:  # noqa: PLR2004
        return None
    sign, following = words[2], words[3:4]
    if sign.text == "." and following and following[0].start == sign.end and following[0].sort != "string":
        return None
    message = f"a step has its id without `{sign.text}`"
    deletion = situation.make_edit(sign.start, sign.end, "")
    return situation.make_line_error("RW0106", message, at=sign, remedy="leave it out", edits=(deletion,))


def diagnose_untitled_step(situation: MistakeContext) -> Diagnostic | None:
    """`step 6 Resolve hits:`, whose title has no quotes."""
    result = situation.stop_word
    if situation.verb != "step" or result.sort != "word" or "STRING" not in situation.failure.accepted:
        return None
    if result.text in LANGUAGE_WORDS:
        return None
    last = list(takewhile(lambda word: word.text not in {"when", ":"}, situation.words[situation.stop_index :]))[-1]
    title = f'"{situation.content[result.start : last.end]}"'
    message = "a title goes in quotes"
    edits = (situation.make_edit(result.start, last.end, title),) if '"' not in title[1:-1] else ()
    return situation.make_line_error(
        "RW0106", message, at=(result.start, last.end), remedy=f"write `{title}`", edits=edits
    )
