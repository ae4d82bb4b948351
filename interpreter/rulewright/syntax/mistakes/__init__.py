"""From a line that could not be read to one plain sentence."""

from collections.abc import Callable

from rulewright.diagnostics.model import Diagnostic
from rulewright.syntax.mistakes import brackets, expressions, forms, indentation, names, shapes, spelling
from rulewright.syntax.mistakes.fallback import unreadable
from rulewright.syntax.mistakes.situation import Situation

__all__ = ["Situation", "explain"]

_MISTAKES: tuple[Callable[[Situation], Diagnostic | None], ...] = (
    spelling.unclosed_string,
    spelling.curly_quotes,
    spelling.foreign_letters,
    brackets.unopened_bracket,
    brackets.unclosed_bracket,
    spelling.long_number,
    spelling.end_word,
    spelling.else_if,
    indentation.misaligned,
    indentation.continued_line,
    indentation.unexpected_indent,
    indentation.missing_block,
    forms.early_colon,
    indentation.block_on_the_line,
    spelling.single_quotes,
    spelling.step_assignment,
    spelling.semicolon,
    spelling.percent,
    spelling.foreign_comment,
    expressions.prefixed_and,
    spelling.dice_spelling,
    spelling.or_more,
    spelling.foreign_sign,
    spelling.glued,
    shapes.rule_rows,
    names.assignment,
    names.unknown_declaration,
    names.lone_else,
    names.line_after_steps,
    names.opening_inside,
    forms.demand_place,
    names.unknown_verb,
    forms.dice_first,
    forms.draw_order,
    forms.guarded_verb,
    forms.guarded_step,
    forms.row_with_if,
    forms.otherwise_row,
    shapes.first_otherwise,
    shapes.dashed_range,
    shapes.asks_nobody,
    shapes.question_first,
    shapes.choose_member,
    forms.step_title,
    forms.titled_words,
    forms.title_last,
    forms.term_gives,
    forms.flag_with_rows,
    forms.local_decide,
    expressions.within,
    expressions.not_some,
    expressions.chained_comparison,
    expressions.if_value,
    names.reserved_name,
    indentation.missing_colon,
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
