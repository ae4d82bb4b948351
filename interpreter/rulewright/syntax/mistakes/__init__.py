"""From a line that could not be read to one plain sentence; what to say where nobody knows better."""

from collections.abc import Callable, Sequence

# ruff: noqa: SIM905 - words in a row read best without quotes and commas
from rulewright.diagnostics.model import Diagnostic, Edit
from rulewright.diagnostics.remedies import nearest, suggested
from rulewright.syntax.layout import Word
from rulewright.syntax.mistakes import (
    block_lines,
    declared_forms,
    dice,
    english,
    expressions,
    first_words,
    forms,
    literals,
    missing_words,
    spelling,
    step_lines,
)
from rulewright.syntax.mistakes.situation import Situation
from rulewright.syntax.words import ASK_FORMS, FORMS, RESERVED, WORDS

_PLACES = {
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
_WITH_PARAMETERS = {
    "decide": "decide name(parameters) gives type:",
    "tally": "tally name(parameters) from value:",
}
"""How lines that may also stand in a procedure are written as declarations."""
_KINDS = (
    (frozenset({"INT", "DECIMAL", "YES", "NONE"}), "a value"),
    (frozenset({"COLLECTION"}), "a type"),
    (frozenset({"STEP"}), "an id"),
)
_WEAK = frozenset({"LPAR", "COMMA"})
_SIGNS = {
    "COLON": "`:`",
    "RPAR": "`)`",
    "RSQB": "`]`",
    "RBRACE": "`}`",
    "COMMA": "`,`",
    "LPAR": "`(`",
    "STRING": "text in quotes",
}
_WORDS = frozenset(
    "TO FROM AS AT IN BY OF ON MEANS GIVES REVISION WITH EACH WHILE IF MOST LEAST TERM PROCEDURE".split()
)
_FEW = 2
_AFTER_PARAMETERS = frozenset({":", "gives", "means", "from", "when", "over", "on", "changes"})


def unreadable(situation: Situation) -> Diagnostic:
    """The line as a whole: what was found, and what would have fitted."""
    found, before = situation.found, situation.before
    shown = f"`{found.text}`" if found.text else "the end of the line"
    expected = _expected(situation)
    after = f" after `{before.text}`" if before.text else ""
    return situation.error(
        "RW0101",
        f"expected {expected}{after}, found {shown}" if expected else f"{shown} does not fit{after}",
        at=found if found.text else (situation.line.end - 1, situation.line.end),
        remedy=suggested(_meant(situation))
        or _conditional(situation)
        or _without_parameters(situation)
        or _remedy(situation),
        edits=_inserted(situation, expected),
    )


def _inserted(situation: Situation, expected: str) -> tuple[Edit, ...]:
    """The edit that writes the one word of the language that was expected, before what was found or in its place."""
    word, found, meant = expected.strip("`"), situation.found, _meant(situation)
    if _without_parameters(situation):
        return (situation.change(situation.before.end, situation.before.end, "()", safe=True),)
    if found.sort in {"end", "cite"}:
        return ()
    if meant:
        return (situation.change(found.start, found.end, meant, safe=False),)
    following, is_die = situation.line.words[situation.at + 1 : situation.at + 2], dice.is_dice(found.text)
    stands = word in situation.texts[situation.at :] or not _begins_a_value(found, following)
    if word.upper() not in _WORDS or stands or (situation.verb == "roll" and not is_die):
        return ()
    return (situation.change(found.start, found.start, f"{word} ", safe=is_die and word == "of"),)


def _meant(situation: Situation) -> str:
    """The word of the language that would have fitted and is most like what was found; empty where none is."""
    found = situation.found
    if found.sort != "word" or found.text in WORDS:
        return ""
    fitting = {each.lower() for each in situation.trouble.accepted} & WORDS
    return nearest(found.text, sorted(fitting)) or ""


def _begins_a_value(found: Word, following: Sequence[Word]) -> bool:
    """Whether a value may begin with a word: a number, or a name with no name beside it."""
    if found.sort == "number":
        return True
    beside = bool(following) and following[0].sort in {"word", "number", "string"}
    joined = beside and following[0].text in WORDS - RESERVED
    return found.sort == "word" and found.text not in WORDS - {"none", "yes", "no"} and (not beside or joined)


def _expected(situation: Situation) -> str:
    """What kind of thing would have fitted; empty where nothing can be named."""
    accepted = situation.trouble.accepted
    if not situation.at:
        return _PLACES[situation.place]
    if "OF" in accepted and dice.is_dice(situation.found.text):
        return "`of`"
    for wanted, shown in _KINDS:
        if accepted >= wanted:
            return shown
    if "NAME" in accepted and "COLON" not in accepted and "_NL" not in accepted:
        return "a name"
    return "the end of the line" if "_NL" in accepted else _one_of(accepted)


def _one_of(accepted: frozenset[str]) -> str:
    """The few words and signs that would have fitted; empty where they are many."""
    words = accepted & _WORDS
    known = [f"`{word.lower()}`" for word in sorted(words - {"IN"} or words)]
    signs = [_SIGNS[sign] for sign in _SIGNS if sign in accepted and (sign not in _WEAK or len(accepted) == 1)]
    return " or ".join(known + signs) if 0 < len(known) + len(signs) <= _FEW else ""


_ASKED = "write after the player what you ask: `whether name`, `for name in collection` or `to choose name:`"


def _remedy(situation: Situation) -> str:  # noqa: PLR0911 - one case for each sort
    first = situation.verb if situation.place in {"line", "declaration", "case", "event line"} else ""
    both = " ".join(situation.texts[:2])
    if first == "ask":
        return _question(situation)
    if dice.is_dice(situation.found.text):
        return dice.dice_remedy(situation, situation.found.text)
    form = _WITH_PARAMETERS.get(first) if situation.place == "declaration" else None
    if form or both in FORMS:
        return f"the line is written `{form or FORMS[both]}`"
    if first == "roll":
        return (
            dice.option_remedy(situation)
            or "the line is written `roll dice as name`, such as `roll 2d6 as blow by one.owner`"
        )
    if first == "perform" and {"most", "deep"} & set(situation.texts):
        return "the line is written `perform procedure(arguments) at most number deep as name`"
    if first in FORMS:
        return f"the line is written `{FORMS[first]}`"
    return f"this should be {_PLACES[situation.place]}"


def _question(situation: Situation) -> str:
    """How a question of the shape that is meant is written."""
    shape = next((word for word in ASK_FORMS if word in situation.texts), "")
    if not shape:
        return _ASKED
    whom = "all players as p" if situation.texts[1:2] == ("all",) else "player"
    options = ', and below it `option name "title":` for each answer' if shape == "choose" else ""
    return f"the line is written `{ASK_FORMS[shape].replace('player', whom, 1)}`{options}"


def _conditional(situation: Situation) -> str:
    """How a value that hangs on a condition is written here, for those who know `if` from elsewhere."""
    if situation.before.text == "if" and situation.trouble.accepted == {"LPAR"}:
        return "a value that depends on a condition is written `if(condition, value, other value)`"
    return ""


def _without_parameters(situation: Situation) -> str:
    """How a declaration without parameters is written, where its name is not followed by any."""
    found, before = situation.found, situation.before
    if situation.place != "declaration" or situation.trouble.accepted != {"LPAR"} or not situation.at:
        return ""
    goes_on = found.sort in {"end", "string", "open_string"} or found.text in _AFTER_PARAMETERS
    return f"without parameters, write `{before.text}()`" if goes_on else ""


__all__ = ["Situation", "explain"]

_MISTAKES: tuple[Callable[[Situation], Diagnostic | None], ...] = (
    expressions.parted_sign,
    literals.unclosed_string,
    literals.curly_quotes,
    spelling.foreign_letters,
    spelling.capital,
    step_lines.bare_step,
    step_lines.numbered_step,
    english.possessive,
    expressions.unopened_bracket,
    expressions.unclosed_bracket,
    literals.long_number,
    spelling.end_word,
    spelling.else_if,
    block_lines.misaligned,
    spelling.foreign_comment,
    spelling.bullet,
    block_lines.continued_line,
    block_lines.unexpected_indent,
    block_lines.missing_block,
    expressions.colon_after_some,
    forms.early_colon,
    spelling.needs,
    spelling.only_if,
    spelling.first_key,
    declared_forms.name_of_two_words,
    declared_forms.or_none,
    declared_forms.relation_with_colon,
    declared_forms.tally_from_nothing,
    declared_forms.first_cell,
    declared_forms.titled_row,
    declared_forms.named_result,
    block_lines.block_on_the_line,
    literals.single_quotes,
    spelling.step_assignment,
    spelling.line_end,
    forms.then,
    dice.dice_in_words,
    literals.percent_sign,
    spelling.spaced_cite,
    expressions.prefixed_and,
    dice.dice_first,
    dice.face_below_zero,
    dice.dice_without_faces,
    dice.added_to_dice,
    dice.tagged_dice,
    literals.or_more,
    literals.other_range,
    literals.thousands,
    literals.yes_or_no,
    declared_forms.listed_words,
    english.quantifier,
    english.counted,
    english.either_or_both,
    english.until,
    english.times,
    english.kind_of_member,
    english.who_throws,
    english.comparison,
    english.comma_for_and,
    declared_forms.one_number_as_type,
    declared_forms.head_of_standing_rule,
    declared_forms.rule_rows,
    english.other_word,
    english.article,
    english.hyphenated,
    english.owner_of,
    forms.taken,
    expressions.question_mark,
    expressions.if_then,
    spelling.foreign_sign,
    spelling.is_as_sign,
    spelling.glued,
    block_lines.assignment,
    forms.depth_after_name,
    first_words.replaced_line,
    first_words.known_kind,
    first_words.kind_of_players,
    first_words.lone_edition,
    first_words.no_revision,
    first_words.title_after_revision,
    first_words.unknown_declaration,
    block_lines.case_word,
    block_lines.case_without_on,
    block_lines.lone_else,
    step_lines.line_after_steps,
    step_lines.opening_inside,
    forms.demand_place,
    english.loses_and_gains,
    first_words.unknown_verb,
    forms.secret_draw_order,
    forms.draw_order,
    forms.some_again,
    forms.nameless_demand,
    forms.guarded_verb,
    forms.guarded_step,
    declared_forms.row_with_if,
    declared_forms.otherwise_row,
    declared_forms.first_otherwise,
    missing_words.each,
    missing_words.each_counted,
    missing_words.end_of_a_key,
    missing_words.end_of_a_pick,
    missing_words.name_of_dice_again,
    missing_words.name_of_a_limit,
    missing_words.numbers_listed,
    missing_words.attributes_together,
    missing_words.bound_of_explosions,
    expressions.ratio,
    forms.asks_nobody,
    forms.question_first,
    forms.secretly_first,
    forms.choose_member,
    forms.step_title,
    step_lines.untitled_step,
    declared_forms.titled_words,
    forms.title_last,
    declared_forms.term_gives,
    declared_forms.flag_with_rows,
    declared_forms.term_with_rows,
    declared_forms.local_decide,
    expressions.within,
    expressions.not_some,
    expressions.chained_comparison,
    expressions.if_value,
    block_lines.reserved_name,
    block_lines.missing_colon,
    spelling.unknown_sign,
)
"""Every mistake that is known, the surest first."""


def explain(situation: Situation) -> Diagnostic:
    """The first known mistake that fits, else what was found and what would have fitted."""
    for mistake in _MISTAKES:
        found = mistake(situation)
        if found is not None:
            return found
    return unreadable(situation)
