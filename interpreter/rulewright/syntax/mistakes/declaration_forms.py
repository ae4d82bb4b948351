"""Mistakes of declarations and their rows."""

from collections.abc import Iterator, Sequence
from itertools import pairwise, takewhile

from rulewright.base.diagnostics import Diagnostic, Edit
from rulewright.syntax.layout import ScannedLine, ScannedWord
from rulewright.syntax.mistakes.mistake_context import MistakeContext
from rulewright.syntax.words import VERBS


def diagnose_title_for_word(context: MistakeContext) -> Diagnostic | None:
    """`Attacker retreats`, the printed title of a word, where the word is wanted."""
    words, at = context.line.words, context.stop_index
    if at == 0 or context.stop_word.sort != "word" or context.word_before.sort != "word":
        return None
    titles = _collect_word_titles(context.lines)
    for start in range(at - 1, -1, -1):
        for end in range(len(words), at, -1):
            written = context.content[words[start].start : words[end - 1].end]
            if meant := titles.get(" ".join(written.lower().split())):
                return context.diagnose_rewriting(
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


def diagnose_titled_words(context: MistakeContext) -> Diagnostic | None:
    """`values Ability: bloodlust "Bloodlust"`."""
    word = context.stop_word
    if context.verb != "values" or word.sort != "string" or ":" not in context.texts[: context.stop_index]:
        return None
    colon = context.texts.index(":")
    if context.word_before.text in {":", ","}:
        return _diagnose_quoted_word(context, word)
    head = context.get_words_text(0, colon + 1)
    edits = [
        context.make_edit(one.start if one.text == "," else one.end, other.start, f"\n{context.indent_text}  ")
        for one, other in pairwise(context.words[colon:])
        if one.text == "," or one is context.words[colon]
    ]
    remedy = f"end the line after `{head}` and put each word on its own line below, indented"
    return context.make_line_error(
        "RW0124", "with titles, a list has one word to a line", at=word, remedy=remedy, edits=edits
    )


def _diagnose_quoted_word(context: MistakeContext, word: ScannedWord) -> Diagnostic:
    """`values Ability: "bloodlust", rage`."""
    name, message = word.text.strip('"'), "a word of a list has no quotes"
    if name.isidentifier():
        return context.diagnose_rewriting(word, name, message)
    remedy = "write a name of letters, digits and `_`, with this text behind it"
    return context.make_line_error("RW0106", message, at=word, remedy=remedy)


def diagnose_word_separators(context: MistakeContext) -> Diagnostic | None:
    """`values Weather: dry | wet`, `values Weather: dry and wet`."""
    word, words = context.stop_word, context.words
    if context.verb != "values" or word.text not in _WORD_SEPARATORS:
        return None
    wrong = [(one, other) for one, other in pairwise(words) if other.text in _WORD_SEPARATORS]
    message = "`,` goes between the words of a list"
    edits = [context.make_edit(one.end if one.text != "," else one.start, other.end, ",") for one, other in wrong]
    return context.make_line_error("RW0106", message, at=word, remedy="write `,`", edits=edits)


_WORD_SEPARATORS = frozenset({"and", "or", "|", "/", ";"})


_RULE_HEAD_LINES = ("when", "priority", "lowers")


def diagnose_standing_rule_head(context: MistakeContext) -> Diagnostic | None:
    """`whenever unit.health = 0:`, `whenever dead for each u in units when u.health = 0:`."""
    texts, at = context.texts, context.stop_index
    is_titled = context.stop_word.sort == "string" or context.word_before.sort == "string"
    if context.verb != "whenever" or context.line_kind != "declaration" or at < 1 or is_titled:
        return None
    starts = [number for number in range(1, at + 1) if texts[number : number + 1] in {("when",), ("where",), ("if",)}]
    is_named = texts[2:3] in {("for",), ("when",), ("if",), (":",)} and texts[1].isidentifier()
    end = len(texts) - (texts[-1] == ":")
    start = starts[0] + 1 if starts else end if is_named or not VERBS.isdisjoint(texts[1:]) else 1
    remedy, edits = _make_rule_remedy(context, context.line, (start, end), texts[1] if is_named else "NAME")
    message = "the first line of a standing rule names it; its condition is a line below"
    at_fault = context.words[min(max(1, start - 1 if starts else 1), len(context.words) - 1)]
    return context.make_line_error("RW0101", message, at=at_fault, remedy=remedy, edits=edits)


def diagnose_standing_rule_lines(context: MistakeContext) -> Diagnostic | None:
    """A standing rule without `when`, `priority` or `lowers`, or with these in another order."""
    parent = context.parent_line
    if parent is None or parent.verb.text != "whenever":
        return None
    line_verbs = [line.verb.text for line in _list_block_lines(context, parent)]
    lacking = [word for word in _RULE_HEAD_LINES if word not in line_verbs]
    in_order = tuple(word for word in line_verbs if word in _RULE_HEAD_LINES) == _RULE_HEAD_LINES
    if not lacking and (context.verb not in _RULE_HEAD_LINES or (in_order and context.stop_index > 0)):
        return None
    listed = " and ".join(f"`{word}`" for word in lacking)
    message = f"this standing rule lacks {listed}" if lacking else "this standing rule begins in another order"
    texts = [word.text for word in parent.body]
    if context.stop_word.text == "if" and not context.stop_index:
        lines = f"`when {context.get_words_text(1, len(context.texts) - 1)}`, `priority 1` and `lowers number`"
        remedy = f"begin it with {lines} in place of the `if`, each on its own line, and what is done below them"
        return context.make_line_error("RW0101", message, at=context.stop_word, remedy=remedy)
    remedy = "begin it with `when condition`, `priority 1` and `lowers number`, each on its own line, in this order"
    edits: tuple[Edit, ...] = ()
    if len(lacking) == len(_RULE_HEAD_LINES) and "where" in texts:
        end = next((at for at, word in enumerate(parent.body) if word.sort == "string"), len(texts) - 1)
        remedy, edits = _make_rule_remedy(context, parent, (texts.index("where") + 1, end), texts[1])
    return context.make_line_error("RW0101", message, at=parent.words[0], remedy=remedy, edits=edits)


def _make_rule_remedy(
    context: MistakeContext, head: ScannedLine, condition: tuple[int, int], name: str
) -> tuple[str, tuple[Edit, ...]]:
    """How the head of a standing rule is written, and the edit that writes it."""
    words, (start, end) = head.body, condition
    texts = [word.text for word in words]
    loop = texts.index("for") if "for" in texts else 0
    loop_end = min(start - 1, end) if start > loop else end
    each = " ".join(context.content[words[loop].start : words[loop_end - 1].end].split()) if loop else ""
    written = " ".join(context.content[words[start].start : words[end - 1].end].split()) if start < end else ""
    counted = f"count({each.removeprefix('for ')} where {written})" if each and written else ""
    first = f"whenever {name} {each}:" if each else f"whenever {name} for each x in collection:"
    lines = (f"when {written or 'condition'}", "priority 1", f"lowers {counted or 'number'}")
    listed = f"`{lines[0]}`, `{lines[1]}` and `{lines[2]}`"
    remedy = f"write `{first}` and begin it with {listed}, each on its own line, in this order"
    if not counted or not head.opens_block or name == "NAME":
        return remedy, ()
    indent = context.indent_step if head is context.line else context.line.indent
    whole = f"\n{' ' * indent}".join((first, *lines))
    return remedy, (context.make_edit(words[0].start, words[-1].end, whole, safe=False),)


def _list_block_lines(context: MistakeContext, head: ScannedLine) -> Iterator[ScannedLine]:
    following = context.lines[context.lines.index(head) + 1 :]
    return takewhile(lambda line: line.indent > head.indent, following)
