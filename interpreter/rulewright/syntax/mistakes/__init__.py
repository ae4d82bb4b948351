"""Explanation of syntax errors: diagnosers of known mistakes, and a generic diagnosis as the last resort."""

from collections.abc import Callable, Sequence

# ruff: noqa: SIM905 - words in a row read best without quotes and commas
from rulewright.base.diagnostics import Diagnostic, Edit
from rulewright.base.diagnostics.remedies import find_nearest_name, suggest_name
from rulewright.syntax.layout import ScannedWord
from rulewright.syntax.mistakes import (
    block_lines,
    declaration_forms,
    english_phrases,
    expression_mistakes,
    first_words,
    foreign_notation,
    line_forms,
)
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


def diagnose_unreadable_line(situation: MistakeContext) -> Diagnostic:
    """Generic diagnosis: what was found, and what the parser would have accepted."""
    scanned_word, before = situation.stop_word, situation.word_before
    shown = f"`{scanned_word.text}`" if scanned_word.text else "the end of the line"
    expected = _describe_expected(situation)
    after = f" after `{before.text}`" if before.text else ""
    return situation.make_line_error(
        "RW0101",
        f"expected {expected}{after}, found {shown}" if expected else f"{shown} does not fit{after}",
        at=scanned_word if scanned_word.text else (situation.line.end - 1, situation.line.end),
        remedy=suggest_name(_find_meant_word(situation))
        or _describe_conditional_form(situation)
        or _describe_empty_parameters(situation)
        or _make_line_remedy(situation),
        edits=_make_insertion(situation, expected),
    )


def _make_insertion(situation: MistakeContext, expected: str) -> tuple[Edit, ...]:
    """Edit that writes the one expected word, before what was found or in its place."""
    word, scanned_word, meant = expected.strip("`"), situation.stop_word, _find_meant_word(situation)
    if _describe_empty_parameters(situation):
        return (situation.make_edit(situation.word_before.end, situation.word_before.end, "()", safe=True),)
    if scanned_word.sort in {"end", "cite"}:
        return ()
    if meant:
        return (situation.make_edit(scanned_word.start, scanned_word.end, meant, safe=False),)
    following, is_die = (
        situation.line.words[situation.stop_index + 1 : situation.stop_index + 2],
        expression_mistakes.is_dice_text(scanned_word.text),
    )
    stands = word in situation.texts[situation.stop_index :] or not _is_value_start(scanned_word, following)
    if word.upper() not in _WORD_TERMINALS or stands or (situation.verb == "roll" and not is_die):
        return ()
    return (situation.make_edit(scanned_word.start, scanned_word.start, f"{word} ", safe=is_die and word == "of"),)


def _find_meant_word(situation: MistakeContext) -> str:
    """Accepted word most similar to what was found; empty where none is near."""
    scanned_word = situation.stop_word
    if scanned_word.sort != "word" or scanned_word.text in LANGUAGE_WORDS:
        return ""
    fitting = {item.lower() for item in situation.failure.accepted} & (LANGUAGE_WORDS | {"symmetric"})
    return find_nearest_name(scanned_word.text, sorted(fitting)) or ""


def _is_value_start(word: ScannedWord, following: Sequence[ScannedWord]) -> bool:
    if word.sort == "number":
        return True
    beside = bool(following) and following[0].sort in {"word", "number", "string"}
    joined = beside and following[0].text in LANGUAGE_WORDS - RESERVED_WORDS
    return word.sort == "word" and word.text not in LANGUAGE_WORDS - {"none", "yes", "no"} and (not beside or joined)


def _describe_expected(situation: MistakeContext) -> str:
    """Kind of thing that would have been accepted; empty where it has no name."""
    accepted = situation.failure.accepted
    if not situation.stop_index:
        return _LINE_KIND_PHRASES[situation.line_kind]
    if "OF" in accepted and expression_mistakes.is_dice_text(situation.stop_word.text):
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


def _make_line_remedy(situation: MistakeContext) -> str:
    first = situation.verb if situation.line_kind in {"line", "declaration", "case", "event line"} else ""
    both = " ".join(situation.texts[:2])
    if first == "ask":
        return _describe_question_form(situation)
    if expression_mistakes.is_dice_text(situation.stop_word.text):
        return expression_mistakes.make_dice_remedy(situation, situation.stop_word.text)
    form = _DECLARED_FORMS.get(first) if situation.line_kind == "declaration" else None
    if form or both in LINE_FORMS:
        return f"the line is written `{form or LINE_FORMS[both]}`"
    if first == "roll":
        return (
            expression_mistakes.make_roll_option_remedy(situation)
            or "the line is written `roll dice as name`, such as `roll 2d6 as blow by one.owner`"
        )
    if first == "perform" and {"most", "deep"} & set(situation.texts):
        return "the line is written `perform procedure(arguments) at most number deep as name`"
    if first in LINE_FORMS:
        return f"the line is written `{LINE_FORMS[first]}`"
    return f"this should be {_LINE_KIND_PHRASES[situation.line_kind]}"


def _describe_question_form(situation: MistakeContext) -> str:
    shape = next((word for word in ASK_FORMS if word in situation.texts), "")
    if not shape:
        return _ASK_REMEDY
    whom = "all players as p" if situation.texts[1:2] == ("all",) else "player"
    options = ', and below it `option name "title":` for each answer' if shape == "choose" else ""
    return f"the line is written `{ASK_FORMS[shape].replace('player', whom, 1)}`{options}"


def _describe_conditional_form(situation: MistakeContext) -> str:
    if situation.word_before.text == "if" and situation.failure.accepted == {"LPAR"}:
        return "a value that depends on a condition is written `if(condition, value, other value)`"
    return ""


def _describe_empty_parameters(situation: MistakeContext) -> str:
    scanned_word, before = situation.stop_word, situation.word_before
    if situation.line_kind != "declaration" or situation.failure.accepted != {"LPAR"} or not situation.stop_index:
        return ""
    goes_on = scanned_word.sort in {"end", "string", "open_string"} or scanned_word.text in _WORDS_AFTER_PARAMETERS
    return f"without parameters, write `{before.text}()`" if goes_on else ""


__all__ = ["MistakeContext", "diagnose_mistake"]

_DIAGNOSERS: tuple[Callable[[MistakeContext], Diagnostic | None], ...] = (
    expression_mistakes.diagnose_parted_sign,
    foreign_notation.diagnose_unclosed_string,
    foreign_notation.diagnose_curly_quotes,
    foreign_notation.diagnose_foreign_letters,
    foreign_notation.diagnose_capitals,
    block_lines.diagnose_bare_step,
    block_lines.diagnose_numbered_step,
    english_phrases.diagnose_possessive,
    expression_mistakes.diagnose_unopened_bracket,
    expression_mistakes.diagnose_unclosed_bracket,
    foreign_notation.diagnose_long_number,
    foreign_notation.diagnose_end_word,
    foreign_notation.diagnose_else_if,
    block_lines.diagnose_misaligned_line,
    foreign_notation.diagnose_foreign_comment,
    foreign_notation.diagnose_bullet,
    block_lines.diagnose_continued_line,
    block_lines.diagnose_unexpected_indent,
    block_lines.diagnose_missing_block,
    expression_mistakes.diagnose_joined_quantifier,
    expression_mistakes.diagnose_colon_after_some,
    line_forms.diagnose_early_colon,
    foreign_notation.diagnose_needs,
    foreign_notation.diagnose_only_if,
    foreign_notation.diagnose_first_key,
    declaration_forms.diagnose_two_word_name,
    declaration_forms.diagnose_or_none,
    declaration_forms.diagnose_relation_with_colon,
    declaration_forms.diagnose_tally_without_start,
    declaration_forms.diagnose_unnamed_row,
    declaration_forms.diagnose_titled_row,
    declaration_forms.diagnose_title_for_word,
    declaration_forms.diagnose_named_result,
    block_lines.diagnose_block_on_line,
    foreign_notation.diagnose_single_quotes,
    foreign_notation.diagnose_step_assignment,
    foreign_notation.diagnose_line_end,
    line_forms.diagnose_if_with_then,
    expression_mistakes.diagnose_dice_in_words,
    foreign_notation.diagnose_percent_sign,
    foreign_notation.diagnose_spaced_cite,
    expression_mistakes.diagnose_prefixed_and,
    expression_mistakes.diagnose_dice_order,
    expression_mistakes.diagnose_negative_face,
    expression_mistakes.diagnose_dice_without_faces,
    expression_mistakes.diagnose_added_to_dice,
    expression_mistakes.diagnose_tagged_dice,
    foreign_notation.diagnose_or_more,
    foreign_notation.diagnose_foreign_range,
    foreign_notation.diagnose_thousands_comma,
    foreign_notation.diagnose_yes_or_no,
    declaration_forms.diagnose_word_separators,
    english_phrases.diagnose_foreign_quantifier,
    english_phrases.diagnose_counted_quantifier,
    english_phrases.diagnose_and_or,
    english_phrases.diagnose_until,
    english_phrases.diagnose_times_loop,
    english_phrases.diagnose_kind_of_member,
    english_phrases.diagnose_roller_order,
    english_phrases.diagnose_worded_comparison,
    english_phrases.diagnose_comma_for_and,
    declaration_forms.diagnose_number_as_type,
    declaration_forms.diagnose_standing_rule_head,
    declaration_forms.diagnose_standing_rule_lines,
    english_phrases.diagnose_foreign_word,
    english_phrases.diagnose_article,
    english_phrases.diagnose_hyphenated_name,
    english_phrases.diagnose_owner_of,
    line_forms.diagnose_take_form,
    expression_mistakes.diagnose_question_mark,
    expression_mistakes.diagnose_if_then,
    foreign_notation.diagnose_foreign_sign,
    foreign_notation.diagnose_is_for_equals,
    foreign_notation.diagnose_glued_words,
    block_lines.diagnose_assignment,
    line_forms.diagnose_depth_order,
    first_words.diagnose_replaced_line,
    first_words.diagnose_known_kind,
    first_words.diagnose_kind_of_players,
    first_words.diagnose_lone_edition,
    first_words.diagnose_missing_revision,
    first_words.diagnose_title_after_revision,
    first_words.diagnose_unknown_declaration,
    block_lines.diagnose_case_word,
    block_lines.diagnose_case_without_on,
    block_lines.diagnose_lone_else,
    block_lines.diagnose_line_after_steps,
    block_lines.diagnose_inner_opening,
    line_forms.diagnose_demand_place,
    english_phrases.diagnose_loses_and_gains,
    first_words.diagnose_unknown_verb,
    line_forms.diagnose_secret_draw_order,
    line_forms.diagnose_draw_order,
    line_forms.diagnose_filtered_reroll,
    line_forms.diagnose_nameless_demand,
    line_forms.diagnose_guarded_verb,
    line_forms.diagnose_guarded_step,
    declaration_forms.diagnose_row_with_if,
    declaration_forms.diagnose_else_in_row,
    declaration_forms.diagnose_first_otherwise,
    line_forms.diagnose_missing_each,
    line_forms.diagnose_missing_each_in_count,
    line_forms.diagnose_key_without_end,
    line_forms.diagnose_pick_without_end,
    line_forms.diagnose_nameless_reroll,
    line_forms.diagnose_nameless_limit,
    line_forms.diagnose_listed_numbers,
    line_forms.diagnose_joint_attributes,
    line_forms.diagnose_unbounded_explosion,
    expression_mistakes.diagnose_ratio,
    line_forms.diagnose_missing_player,
    line_forms.diagnose_question_order,
    line_forms.diagnose_secretly_order,
    line_forms.diagnose_choose_member,
    line_forms.diagnose_step_title_order,
    block_lines.diagnose_untitled_step,
    declaration_forms.diagnose_titled_words,
    line_forms.diagnose_title_order,
    declaration_forms.diagnose_term_without_gives,
    declaration_forms.diagnose_flag_with_rows,
    declaration_forms.diagnose_term_with_rows,
    declaration_forms.diagnose_local_decide,
    expression_mistakes.diagnose_within,
    expression_mistakes.diagnose_not_some,
    expression_mistakes.diagnose_chained_comparison,
    expression_mistakes.diagnose_short_if_value,
    block_lines.diagnose_reserved_name,
    block_lines.diagnose_missing_colon,
    foreign_notation.diagnose_unknown_sign,
)
"""Diagnosers of known mistakes, most certain first."""


def diagnose_mistake(situation: MistakeContext) -> Diagnostic:
    """The first known mistake that fits, else the generic diagnosis."""
    for mistake in _DIAGNOSERS:
        result = mistake(situation)
        if result is not None:
            return result
    return diagnose_unreadable_line(situation)
