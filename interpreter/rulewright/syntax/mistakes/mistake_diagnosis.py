"""The diagnostic of a line that the grammar does not take: what was expected, and the remedy."""

from collections.abc import Sequence

# ruff: noqa: SIM905 - words in a row read best without quotes and commas
from rulewright.base.diagnostics import Diagnostic, Edit
from rulewright.base.diagnostics.remedies import find_nearest_name, suggest_name
from rulewright.syntax.layout import ScannedWord
from rulewright.syntax.mistakes import expression_mistakes
from rulewright.syntax.mistakes.hint_table import HINTS
from rulewright.syntax.mistakes.mistake_context import MistakeContext
from rulewright.syntax.words import ASK_FORMS, LANGUAGE_WORDS, LINE_FORMS, RESERVED_WORDS

_LINE_KIND_PHRASES = {
    "word": "a word of the list",
    "field": "an attribute, `name: type`",
    "condition": "a condition row, `name: condition`",
    "table row": "a row of the table, `name: cell | cell`",
    "path": "a row such as `enter name: condition`",
    "event line": "`holders` or `order by`",
    "case": "a case, `on value:`",
    "key": "a key, `name: highest value`",
    "tally row": "a row of the tally, `name: +1 when condition`",
    "decide row": "a row of the decision, `name: value when condition` or `name: value otherwise`",
    "line": "a line of a procedure",
    "declaration": "a declaration",
}


_DECLARED_FORMS = {"decide": "decide name(parameters) gives type:", "tally": "tally name(parameters) from value:"}
"""Forms as declarations of lines that may also stand in a procedure."""


_EXPECTED_PHRASES = (
    (frozenset({"INT", "DECIMAL", "YES", "NONE"}), "a value"),
    (frozenset({"COLLECTION"}), "a type"),
    (frozenset({"STEP"}), "an id"),
)


_WEAK_SIGNS = frozenset({"LPAR", "COMMA"})


_SIGN_PHRASES = {
    "COLON": "`:`",
    "RPAR": "`)`",
    "RSQB": "`]`",
    "RBRACE": "`}`",
    "COMMA": "`,`",
    "LPAR": "`(`",
    "STRING": "text in quotes",
}


_WORD_TERMINALS = frozenset(
    "TO FROM AS AT IN BY OF ON MEANS GIVES REVISION WITH EACH WHILE IF MOST LEAST TERM PROCEDURE".split()
)


_MAX_LISTED_ALTERNATIVES = 2


_WORDS_AFTER_PARAMETERS = frozenset({":", "gives", "means", "from", "when", "over", "on", "changes"})


def diagnose_unreadable_line(context: MistakeContext) -> Diagnostic:
    """Generic diagnosis: what was found, and what the parser would have accepted."""
    word, before = context.stop_word, context.word_before
    shown = f"`{word.text}`" if word.text else "the end of the line"
    expected = _describe_expected(context)
    after = f" after `{before.text}`" if before.text else ""
    return context.make_line_error(
        "RW0101",
        f"expected {expected}{after}, found {shown}" if expected else f"{shown} does not fit{after}",
        at=word if word.text else (context.line.end - 1, context.line.end),
        remedy=suggest_name(_find_meant_word(context))
        or _describe_conditional_form(context)
        or _describe_empty_parameters(context)
        or _make_line_remedy(context),
        edits=_make_insertion(context, expected),
    )


def _make_insertion(context: MistakeContext, expected: str) -> tuple[Edit, ...]:
    """Edit that writes the one expected word, before what was found or in its place."""
    word, item, meant = expected.strip("`"), context.stop_word, _find_meant_word(context)
    if _describe_empty_parameters(context):
        return (context.make_edit(context.word_before.end, context.word_before.end, "()", safe=True),)
    if item.sort in {"end", "cite"}:
        return ()
    if meant:
        return (context.make_edit(item.start, item.end, meant, safe=False),)
    following, is_die = (
        context.line.words[context.stop_index + 1 : context.stop_index + 2],
        expression_mistakes.is_dice_text(item.text),
    )
    stands = word in context.texts[context.stop_index :] or not _is_value_start(item, following)
    if word.upper() not in _WORD_TERMINALS or stands or (context.verb == "roll" and not is_die):
        return ()
    return (context.make_edit(item.start, item.start, f"{word} ", safe=is_die and word == "of"),)


def _find_meant_word(context: MistakeContext) -> str:
    """Accepted word most similar to what was found; empty where none is near."""
    word = context.stop_word
    if word.sort != "word" or word.text in LANGUAGE_WORDS:
        return ""
    fitting = {item.lower() for item in context.failure.accepted} & (LANGUAGE_WORDS | {"symmetric"})
    return find_nearest_name(word.text, sorted(fitting)) or ""


def _is_value_start(word: ScannedWord, following: Sequence[ScannedWord]) -> bool:
    if word.sort == "number":
        return True
    beside = bool(following) and following[0].sort in {"word", "number", "string"}
    joined = beside and following[0].text in LANGUAGE_WORDS - RESERVED_WORDS
    return word.sort == "word" and word.text not in LANGUAGE_WORDS - {"none", "yes", "no"} and (not beside or joined)


def _describe_expected(context: MistakeContext) -> str:
    """Kind of thing that would have been accepted; empty where it has no name."""
    accepted = context.failure.accepted
    if not context.stop_index:
        return _LINE_KIND_PHRASES[context.line_kind]
    if "OF" in accepted and expression_mistakes.is_dice_text(context.stop_word.text):
        return "`of`"
    for expected, shown in _EXPECTED_PHRASES:
        if accepted >= expected:
            return shown
    if "NAME" in accepted and "COLON" not in accepted and "_NL" not in accepted:
        return "a name"
    return "the end of the line" if "_NL" in accepted else _list_alternatives(accepted)


def _list_alternatives(accepted: frozenset[str]) -> str:
    """Accepted words and signs; empty where they are many."""
    words = accepted & _WORD_TERMINALS
    known = [f"`{word.lower()}`" for word in sorted(words - {"IN"} or words)]
    signs = [
        _SIGN_PHRASES[sign]
        for sign in _SIGN_PHRASES
        if sign in accepted and (sign not in _WEAK_SIGNS or len(accepted) == 1)
    ]
    return " or ".join(known + signs) if 0 < len(known) + len(signs) <= _MAX_LISTED_ALTERNATIVES else ""


_ASK_REMEDY = "write after the player what you ask: `whether name`, `for name in collection` or `to choose name:`"


def _make_line_remedy(context: MistakeContext) -> str:
    first = context.verb if context.line_kind in {"line", "declaration", "case", "event line"} else ""
    both = " ".join(context.texts[:2])
    if first == "ask":
        return _describe_question_form(context)
    if expression_mistakes.is_dice_text(context.stop_word.text):
        return expression_mistakes.make_dice_remedy(context, context.stop_word.text)
    form = _DECLARED_FORMS.get(first) if context.line_kind == "declaration" else None
    if form or both in LINE_FORMS:
        return f"the line is written `{form or LINE_FORMS[both]}`"
    if first == "roll":
        return (
            expression_mistakes.make_roll_option_remedy(context)
            or "the line is written `roll dice as name`, such as `roll 2d6 as blow by one.owner`"
        )
    if first == "perform" and {"most", "deep"} & set(context.texts):
        return "the line is written `perform procedure(arguments) at most number deep as name`"
    if first in LINE_FORMS:
        return f"the line is written `{LINE_FORMS[first]}`"
    return f"this should be {_LINE_KIND_PHRASES[context.line_kind]}"


def _describe_question_form(context: MistakeContext) -> str:
    shape = next((word for word in ASK_FORMS if word in context.texts), "")
    if not shape:
        return _ASK_REMEDY
    whom = "all players as p" if context.texts[1:2] == ("all",) else "player"
    options = ', and below it `option name "title":` for each answer' if shape == "choose" else ""
    return f"the line is written `{ASK_FORMS[shape].replace('player', whom, 1)}`{options}"


def _describe_conditional_form(context: MistakeContext) -> str:
    if context.word_before.text == "if" and context.failure.accepted == {"LPAR"}:
        return "a value that depends on a condition is written `if(condition, value, other value)`"
    return ""


def _describe_empty_parameters(context: MistakeContext) -> str:
    word, before = context.stop_word, context.word_before
    if context.line_kind != "declaration" or context.failure.accepted != {"LPAR"} or not context.stop_index:
        return ""
    goes_on = word.sort in {"end", "string", "open_string"} or word.text in _WORDS_AFTER_PARAMETERS
    return f"without parameters, write `{before.text}()`" if goes_on else ""


def diagnose_mistake(context: MistakeContext) -> Diagnostic:
    """The first known mistake that fits, else the generic diagnosis."""
    for mistake in HINTS:
        result = mistake(context)
        if result is not None:
            return result
    return diagnose_unreadable_line(context)
