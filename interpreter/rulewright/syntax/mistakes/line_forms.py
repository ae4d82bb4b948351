"""Mistakes of line forms: words in another order, too many, or missing."""

from itertools import accumulate

from rulewright.base.diagnostics import Diagnostic, Edit
from rulewright.syntax.mistakes.conditions import choose_free_name
from rulewright.syntax.mistakes.expression_mistakes import diagnose_trailing_condition, find_opener
from rulewright.syntax.mistakes.mistake_context import MistakeContext
from rulewright.syntax.words import HEADER_WORDS, VERBS

_UNGUARDED_VERBS = VERBS - {"ask", "match", "if"}


def diagnose_guarded_verb(context: MistakeContext) -> Diagnostic | None:
    """`set x to 3 when y`, `add 3 if y to x`."""
    number = context.stop_index - (context.word_before.text == "when")
    word = context.texts[number : number + 1]
    if (
        word not in {("when",), ("if",)}
        or context.verb not in _UNGUARDED_VERBS
        or context.line_kind != "line"
        or number < 1
    ):
        return None
    if "else" in context.texts[number:] or find_opener(context, number) is not None:
        return diagnose_trailing_condition(context, number)
    end = _find_condition_end(context, number)
    condition = context.get_words_text(number + 1, end).removesuffix(":").strip()
    if context.verb == "for" and condition:
        message, at = f"`for each` has no `{word[0]}`", context.words[number]
        return context.make_line_error("RW0111", message, at=at, remedy=f"write `where {condition}`", edit="where")
    span = context.words[number - 1].end, context.words[end - 1].end
    edits = (
        context.make_edit(context.line.start, context.line.start, f"if {condition}:\n{context.indent_text}  "),
        context.make_edit(*span, ""),
    )
    return context.make_line_error(
        "RW0111",
        f"`{context.verb}` takes no `{word[0]}`",
        at=(context.words[number].start, span[1]),
        remedy=f"put it in an `if` block: `if {condition}:`" if condition else "put it in an `if` block",
        edits=edits if condition and not context.line.opens_block else (),
    )


_REST_WORDS = {"add": "to", "take": "from", "set": "to", "move": "to"}


def _find_condition_end(context: MistakeContext, number: int) -> int:
    """Index at which the condition after a word ends: before the rest of the line, or at its end."""
    middle = _REST_WORDS.get(context.verb)
    is_missing = middle is not None and middle not in context.texts[:number] and middle in context.texts[number:]
    return context.texts.index(middle, number) if middle and is_missing else len(context.words)


def diagnose_title_order(context: MistakeContext) -> Diagnostic | None:
    """A title with more of the line after it."""
    before, word, accepted = context.word_before, context.stop_word, context.failure.accepted
    is_titled = context.verb == "option" or (
        context.line_kind in _TITLED_LINE_KINDS and context.verb not in _UNTITLED_VERBS
    )
    if word.sort == "string" and is_titled:
        number = context.stop_index
        is_other = "STRING" in accepted or context.words[-1].sort == "string" or word.end >= context.end_offset
        fits = not is_other and (number or context.texts[2:3] == (":",))
    else:
        number = context.stop_index - 1
        fits = before.sort == "string" and word.sort not in {"cite", "end"} and accepted <= {"COLON", "CITE", "_NL"}
    if not fits:
        return None
    message, remedy = "the title comes last", "move it to the end of the line, before `:` and the cites"
    title = context.words[number]
    return context.make_line_error(
        "RW0109", message, at=title, remedy=remedy, edits=make_move_last_edits(context, number)
    )


_TITLED_LINE_KINDS = frozenset({"declaration", "field", "condition", "tally row", "decide row", "key", "path"})
"""Kinds of lines that may have a title, except those of `_UNTITLED_VERBS`."""
_UNTITLED_VERBS = HEADER_WORDS | frozenset(
    "bind departs die game insert outside remove replace ruling void".split()  # noqa: SIM905 - reads best
)


def make_move_last_edits(context: MistakeContext, number: int) -> tuple[Edit, ...]:
    """Edits that move a word to the end of its line, before colon and margin."""
    word = context.words[number]
    start, end = (context.words[number - 1].end, word.end) if number else (word.start, context.words[1].start)
    return context.make_edit(start, end, ""), context.make_edit(context.end_offset, context.end_offset, f" {word.text}")


def diagnose_nameless_reroll(context: MistakeContext) -> Diagnostic | None:
    """`reroll {each d in dice where …}`, whose dice have no name."""
    texts, word = context.texts, context.stop_word
    start = texts.index("each") if "each" in texts else 0
    if context.verb != "reroll" or not word.text or not 0 < start <= context.stop_index + 1 <= start + 2:
        return None
    depths = accumulate((text == "{") - (text == "}") for text in texts[start:])
    closed = (start + number for number, depth in enumerate(depths) if depth < 0)
    end = next(closed, texts.index("by") if "by" in texts else len(texts))
    name = choose_free_name(context)
    remedy = f"write `let {name} = {{{context.get_words_text(start, end)}}}`, and below it `reroll {name}`"
    return context.make_line_error("RW0106", "dice that are rolled again have a name", at=word, remedy=remedy)
