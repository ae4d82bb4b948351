"""Mistakes of blocks: indentation, colons, `else` and `on`, steps, and assignments."""

from collections.abc import Sequence
from itertools import takewhile

from rulewright.base.diagnostics import Diagnostic, Edit, format_counted_noun
from rulewright.syntax.layout import ScannedLine, ScannedWord, find_open_brackets
from rulewright.syntax.mistakes.mistake_context import MistakeContext
from rulewright.syntax.words import BLOCK_WORDS, OPENING_WORDS, VERBS

PROCEDURE_LINE_WORDS = VERBS | OPENING_WORDS | {"else", "on", "option", "prefer", "require", "step"}
"""First words of a procedure's lines."""


def find_sibling_verb(context: MistakeContext) -> str:
    """Verb of the line before in the same block, or of the line whose `else` that is; empty for the first."""
    for line in reversed(context.lines[: context.index]):
        if line.indent < context.line.indent:
            break
        if line.indent == context.line.indent and line.verb.text not in {"else", "elif", "elseif", "elsif"}:
            return line.verb.text
    return ""


JOINING_WORDS = frozenset({"and", "or", "+", "*", "/", ".."})
"""Operators between two parts of a condition or value."""

BLOCK_OPENERS = BLOCK_WORDS | frozenset(
    "ask board decide event insert option paths rank relation replace step table tally term values".split()  # noqa: SIM905 - reads best
)
"""First words of lines that may have a block."""


def diagnose_misaligned_line(context: MistakeContext) -> Diagnostic | None:
    """A line indented between two levels."""
    if context.failure.sort != "misaligned":
        return None
    above = next(line for line in reversed(context.lines[: context.index]) if line.indent > context.line.indent)
    remedy = _make_else_if_remedy(context) or _describe_indentations(context, above)
    return context.make_line_error(
        "RW0104", "this line stands between two blocks", at=context.line.words[0], remedy=remedy
    )


def _make_else_if_remedy(context: MistakeContext) -> str:
    owner = context.parent_line
    if context.texts[:2] != ("else", "if") or owner is None or not is_if_line(owner):
        return ""
    return f"indent it by {format_counted_noun(owner.indent, 'space')}, like its `if`"


def _describe_indentations(context: MistakeContext, above: ScannedLine) -> str:
    levels = _list_levels(context, above)
    stay = min((level for level in levels if level > context.line.indent), default=above.indent)
    end = max((level for level in levels if level < context.line.indent), default=0)
    remedy = f"indent it by {format_counted_noun(stay, 'space')} to stay in the block above"
    remedy += f", or by {end} to end it" if end else ""
    is_first = context.previous_line is above and context.lines[context.index - 2].indent == end
    is_first = is_first and context.line.indent == end + context.indent_step
    return f"{remedy}; or the line above by {context.line.indent}, like this one" if is_first else remedy


def is_if_line(line: ScannedLine) -> bool:
    """Whether a line is an `if` or `else if`."""
    return line.verb.text == "if" or [word.text for word in line.words[:2]] == ["else", "if"]


def _list_levels(context: MistakeContext, above: ScannedLine) -> tuple[int, ...]:
    levels = [above.indent]
    for line in reversed(context.lines[: context.lines.index(above)]):
        if line.indent < levels[-1]:
            levels.append(line.indent)
    return tuple(levels)


def diagnose_continued_line(context: MistakeContext) -> Diagnostic | None:
    """A line broken before `and`, without brackets; not the first row of a tally, which lacks its name."""
    if context.line_kind == "tally row" and context.previous_line == context.parent_line:
        return None
    following = context.lines[context.index + 1 : context.index + 2]
    lines = (context.line,) if context.stop_word.text else (context.line, *following)
    for line in lines:
        first = line.words[0]
        if first.text in JOINING_WORDS:
            what = "condition" if first.text in {"and", "or"} else "value"
            message = f"a line does not begin with `{first.text}`"
            remedy = f"join it to the line above, or put the {what} in brackets to break it"
            return context.make_line_error(
                "RW0113", message, at=first, remedy=remedy, edits=_make_join_edits(context, first)
            )
    return None


def _make_join_edits(context: MistakeContext, first: ScannedWord) -> tuple[Edit, ...]:
    """Edit that joins a line to the one above; none where text between them would be lost."""
    end = len(context.content[: first.start].rstrip())
    above = next((line for line in reversed(context.lines) if line.end <= first.start), None)
    if above is None or above.end != end or above.opens_block or len(above.body) < len(above.words):
        return ()
    return (context.make_edit(end, first.start, " "),)


def diagnose_unexpected_indent(context: MistakeContext) -> Diagnostic | None:
    """A line indented deeper below one without a block."""
    if context.failure.layout != "_INDENT":
        return None
    above = context.previous_line
    if (
        above is not None
        and above.indent < context.line.indent
        and not above.opens_block
        and above.verb.text in BLOCK_OPENERS
        and not _is_complete_declaration(above)
    ):
        return _diagnose_without_colon(context, above)
    message = "this line is indented, but the line above takes no lines under it"
    at = context.line.words[0]
    if above is None:
        return context.make_line_error("RW0104", message, at=at, remedy="begin it at the left margin")
    if _is_misindented(context, above):
        remedy = f"indent it by {format_counted_noun(context.line.indent, 'space')}, like the line below"
        edits = context.make_indent_edits(above, context.line.indent - above.indent, with_block=False)
        message = "this line is indented less than the line below, but takes no lines under it"
        return context.make_line_error("RW0104", message, at=above.words[0], remedy=remedy, edits=edits)
    like = (
        f"indent it by {format_counted_noun(above.indent, 'space')}, like the line above"
        if above.indent
        else "begin it at the left margin"
    )
    if _is_block_end(context, above):
        remedy = f"{like}, or the line above by {context.line.indent}, like this one"
        return context.make_line_error("RW0104", message, at=at, remedy=remedy)
    alone = all(line.indent <= above.indent for line in context.lines[context.index + 1 :][:1])
    if above.verb.text in ELSE_OWNERS:
        alone, like = False, f"{like}, or write `else:` above it"
    edits = context.make_indent_edits(context.line, above.indent - context.line.indent, safe=alone)
    return context.make_line_error("RW0104", message, at=at, remedy=like, edits=edits)


def _is_complete_declaration(line: ScannedLine) -> bool:
    """Whether a declaration ends on its line, so that no `:` is missing."""
    texts = [word.text for word in line.body]
    if line.verb.text == "term":
        return "means" in texts
    outside = (n for n, text in enumerate(texts) if text == ":" and not find_open_brackets(line.body[:n]))
    return line.verb.text in {"values", "replace", "insert"} and any(outside)


def _is_misindented(context: MistakeContext, above: ScannedLine) -> bool:
    """Whether the line above begins a block and is itself misindented, so that this line is right."""
    if context.index < 2:  # noqa: PLR2004 - the line above and the one that opens its block
        return False
    opener = context.lines[context.index - 2]
    return (
        opener.opens_block
        and opener.indent < above.indent
        and context.line.indent == opener.indent + context.indent_step
    )


def _is_block_end(context: MistakeContext, above: ScannedLine) -> bool:
    before = takewhile(lambda line: line.indent >= above.indent, reversed(context.lines[: context.index - 1]))
    return any(line.indent > above.indent for line in before)


def _diagnose_without_colon(context: MistakeContext, line: ScannedLine) -> Diagnostic:
    """The edit is safe where a line with this first word always has a block."""
    last = (line.body or line.words)[-1]
    colon = context.make_edit(last.end, last.end, ":", safe=line.verb.text in BLOCK_WORDS | {"step", "option", "ask"})
    remedy = "end it with `:`" if line.words[-1] is last else "put `:` before the cites"
    return context.make_line_error(
        "RW0103", "a `:` is missing at the end of this line", at=last, remedy=remedy, edits=(colon,)
    )


def diagnose_missing_block(context: MistakeContext) -> Diagnostic | None:
    """A colon without lines below it."""
    if context.failure.accepted != {"_INDENT"}:
        return None
    holds_lines = context.line_kind == "line" and context.verb in _LINE_HOLDERS
    remedy = f"indent the lines that belong to it{', or write `nothing` there' if holds_lines else ''}"
    edits = _make_block_edits(context) if holds_lines else ()
    level = _find_outer_level(context) if holds_lines else None
    if level is not None:
        less = f"indent it by {format_counted_noun(level, 'space')}"
        remedy = f"{remedy}; or this line is indented too far: {less}"
        if not _may_stand_here(context):
            remedy = f"this line is indented too far: {less}"
            edits = context.make_indent_edits(context.line, level - context.line.indent, safe=False)
    return context.make_line_error("RW0105", "nothing is indented below this line", remedy=remedy, edits=edits)


def _find_outer_level(context: MistakeContext) -> int | None:
    """Lesser indentation at which a line has the lines after it as its block; none where there is none."""
    owner, line = context.parent_line, context.line
    following = context.lines[context.index + 1 :][:1]
    if owner is None or not following or _is_reading_bound_name(context, owner):
        return None
    if context.previous_line is owner:
        level = owner.indent + context.indent_step
    elif owner.verb.text in (ELSE_OWNERS if line.verb.text == "else" else _NESTING_VERBS):
        level = owner.indent
    else:
        return None
    return level if level < following[0].indent <= line.indent else None


_BINDING_WORDS = frozenset({"as", "let", "for", "each", "whether"})
"""Words before a name that a line binds."""


def _is_reading_bound_name(context: MistakeContext, owner: ScannedLine) -> bool:
    """Whether a line reads a name that the line around it, or one above in its block, binds."""
    lines = (*takewhile(lambda other: other is not owner, reversed(context.lines[: context.index])), owner)
    bound = {
        name.text
        for line in lines
        for word, name in zip(line.words, line.words[1:], strict=False)
        if word.text in _BINDING_WORDS
    }
    return not bound.isdisjoint(word.text.partition(".")[0] for word in context.line.words[1:])


def _may_stand_here(context: MistakeContext) -> bool:
    if context.line.verb.text == "else":
        return find_sibling_verb(context) in ELSE_OWNERS
    return context.previous_line is not context.parent_line


def _make_block_edits(context: MistakeContext) -> tuple[Edit, ...]:
    """Edit that gives a line its block: the one line after it, or `nothing`; none where more lines may belong."""
    indent, end = context.line.indent, context.line.end
    beside = list(takewhile(lambda line: line.indent >= indent, context.lines[context.index + 1 :]))
    if not beside:
        return (context.make_edit(end, end, f"\n{context.indent_text}  nothing", safe=False),)
    if sum(line.indent == indent for line in beside) > 1 or beside[0].words[0].text == "else":
        return ()
    return context.make_indent_edits(beside[0], 2, safe=False)


ELSE_OWNERS = frozenset({"if", "ask", "add", "take", "draw", "else"})
_NESTING_VERBS = frozenset({"if", "else", "for", "repeat", "together", "ask", "watch"})
"""Verbs of lines with blocks that stand beside any other lines."""
_LINE_HOLDERS = frozenset("if else for repeat together step on option ask watch".split())  # noqa: SIM905 - reads best


def diagnose_missing_colon(context: MistakeContext) -> Diagnostic | None:
    """A line with a block and no colon."""
    lacking = "COLON" in context.failure.accepted and "_NL" not in context.failure.accepted
    if context.stop_word.sort not in {"end", "cite"} or not lacking or context.verb not in BLOCK_OPENERS:
        return None
    return _diagnose_without_colon(context, context.line)


def diagnose_line_after_steps(context: MistakeContext) -> Diagnostic | None:
    """A plain line of a procedure below its first step."""
    parent = context.parent_line
    if parent is None or parent.verb.text != "procedure" or context.stop_index > 0:
        return None
    if context.verb not in VERBS | OPENING_WORDS or not _list_steps_above(context):
        return None
    message, remedy = "after the first step, every line belongs to a step", "move it up, before the first step"
    if context.verb in OPENING_WORDS:
        return context.make_line_error("RW0130", message, remedy=remedy)
    name, remedy = _choose_step_id(context), "indent it to make it part of the step above"
    if not name:
        edits = context.make_indent_edits(context.line, context.indent_step, safe=False)
        return context.make_line_error("RW0130", message, remedy=remedy, edits=edits)
    remedy = f'write `step {name} "…":` above it, and indent it below that'
    return context.make_line_error("RW0130", message, remedy=remedy, edits=_make_step_edits(context, name))


def _choose_step_id(context: MistakeContext) -> str:
    """Id of a new step for a line below the last step; empty where the line can belong to that one.

    It cannot if that step may be skipped, or ends with a line that leads elsewhere.
    """
    deep = context.line.indent
    above = list(takewhile(lambda line: line.indent >= deep, reversed(context.lines[: context.index])))
    below = takewhile(lambda line: line.indent >= deep, context.lines[context.index :])
    if any(line.indent == deep and line.verb.text == "step" for line in below):
        return ""
    inside = list(takewhile(lambda line: line.indent > deep, above))
    steps = _list_steps_above(context)
    last = next((line.verb.text for line in inside if line.indent == inside[-1].indent), "")
    may_be_passed = any(word.text == "when" for word in steps[-1].words)
    return _get_next_id([step.body[1].text for step in steps]) if may_be_passed or last in {"finish", "proceed"} else ""


def _list_steps_above(context: MistakeContext) -> list[ScannedLine]:
    above = takewhile(lambda line: line.indent >= context.line.indent, reversed(context.lines[: context.index]))
    level = [line for line in above if line.indent == context.line.indent and line.verb.text == "step"]
    return [line for line in reversed(level) if len(line.body) > 1]


def _get_next_id(ids: Sequence[str]) -> str:
    """Next id in the sequence of step ids, by their last distance; empty where they are not whole numbers."""
    numbers = [int(identifier) for identifier in ids[-2:] if identifier.isdecimal()]
    if not numbers or not ids[-1].isdecimal():
        return ""
    following = numbers[-1] + max(1, numbers[-1] - numbers[0])
    return str(following) if str(following) not in ids else ""


def _make_step_edits(context: MistakeContext, name: str) -> tuple[Edit, ...]:
    start = context.line.start - len(context.indent_text)
    rest = takewhile(lambda line: line.indent >= context.line.indent, context.lines[context.index :])
    moved = [
        edit
        for line in rest
        for edit in context.make_indent_edits(line, context.indent_step, safe=False, with_block=False)
    ]
    return context.make_edit(start, start, f"{context.indent_text}step {name}:\n", safe=False), *moved
