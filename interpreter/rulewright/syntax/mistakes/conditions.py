"""Conditions of hints that a pattern cannot say."""

from collections.abc import Sequence
from itertools import accumulate, count, islice, pairwise

from rulewright.syntax.layout import find_open_brackets
from rulewright.syntax.mistakes.block_lines import ELSE_OWNERS, PROCEDURE_LINE_WORDS, find_sibling_verb
from rulewright.syntax.mistakes.line_pattern import LineMatch
from rulewright.syntax.mistakes.mistake_context import MistakeContext
from rulewright.syntax.words import LANGUAGE_WORDS


def is_step_of_procedure(match: LineMatch) -> bool:
    parent = match.context.parent_line
    return parent is not None and parent.verb.text == "procedure"


def may_end_sentence(match: LineMatch) -> bool:
    """Not the dot of `step a.b`."""
    end = match.get_range("at")[1]
    sign, following = match.context.words[end - 1], match.context.words[end : end + 1]
    return sign.text != "." or not following or following[0].start > sign.end or following[0].sort == "string"


def is_not_alone_in_block(match: LineMatch) -> bool:
    context = match.context
    above, following = context.previous_line, context.lines[context.index + 1 :]
    opens_here = above is not None and above.opens_block and above.indent < context.line.indent
    return not opens_here or bool(following and following[0].indent >= context.line.indent)


def is_stopped_behind_verb(match: LineMatch) -> bool:
    return match.context.stop_word is not match.context.line.verb


def is_name_of_text(match: LineMatch) -> bool:
    """Whether the two words, joined by `_`, are a name that the text has."""
    name = match.get_text("a") + "_" + match.get_text("b")
    return any(word.text == name for line in match.context.lines for word in line.words)


def has_no_block(match: LineMatch) -> bool:
    return match.context.below is None


def has_block(match: LineMatch) -> bool:
    return match.context.below is not None


def has_no_string(match: LineMatch) -> bool:
    return all(word.sort != "string" for word in match.context.words)


def is_below_match(match: LineMatch) -> bool:
    return find_sibling_verb(match.context) == "match"


def is_below_else(match: LineMatch) -> bool:
    """Whether the line above at this indentation is an `else` without a condition."""
    context = match.context
    beside = (line for line in reversed(context.lines[: context.index]) if line.indent <= context.line.indent)
    above = next(beside, context.line)
    return [word.text for word in above.words[:2]] == ["else", ":"] and not has_no_owner(match)


def has_no_owner(match: LineMatch) -> bool:
    return find_sibling_verb(match.context) not in ELSE_OWNERS


def is_below_other_line(match: LineMatch) -> bool:
    parent = match.context.parent_line
    return parent is not None and parent.verb.text != "procedure"


def is_in_balance(match: LineMatch, place: str = "at") -> bool:
    texts = match.get_texts(place)
    return sum(text in "([{" for text in texts) == sum(text in ")]}" for text in texts)


def has_one_else(match: LineMatch) -> bool:
    return is_in_balance(match) and match.get_texts("at").count("else") == 1


def has_less_than_three_parts(match: LineMatch) -> bool:
    depth, commas = 0, 0
    for text in match.get_texts("at"):
        depth += (text in "([{") - (text in ")]}")
        commas += text == "," and depth == 1
    return depth == 0 and commas < 2  # noqa: PLR2004 - three parts


def is_type_of_number(match: LineMatch) -> bool:
    """Whether the line does not go on as one of a value."""
    stop = match.context.stop_word
    goes_on = match.context.line_kind == "field" and stop.sort == "sign" and stop.text != "="
    return not goes_on and stop.text not in {"or", "and", "to"}


def is_assigned_place(match: LineMatch) -> bool:
    """Whether a line without a verb begins with a place; with a block, what was meant is open."""
    context, (start, end) = match.context, match.get_range("place")
    sorts = [word.sort for word in context.words[start:end]]
    match.is_complete = not context.line.opens_block
    is_place = all(pair != ("word", "word") for pair in pairwise(sorts)) and is_in_balance(match, "place")
    return is_place and context.words[0].sort == "word" and context.verb not in PROCEDURE_LINE_WORDS


def is_tested_place(match: LineMatch) -> bool:
    """Whether a line without a verb compares a place, and has a block; `if` may touch the place."""
    is_place, context, place = is_assigned_place(match), match.context, match.get_text("place")
    glued = place.startswith("if") and context.words[0].text not in _list_words_above(context)
    match.values["tested"] = place.removeprefix("if") if glued else place
    match.is_complete = True
    return is_place and context.line.opens_block


def is_assigned_new_name(match: LineMatch) -> bool:
    """Whether a line without a verb begins with a name that no line above has, and no declaration."""
    context, name = match.context, match.get_text("place")
    declared = (line.words[0].text for line in context.lines if [word.text for word in line.words[1:2]] == [":"])
    return (
        is_assigned_place(match)
        and name.isidentifier()
        and name not in _list_words_above(context)
        and name not in declared
    )


def _list_words_above(context: MistakeContext) -> frozenset[str]:
    return frozenset(word.text for line in context.lines[: context.index] for word in line.words)


def begins_without_verb(match: LineMatch) -> bool:
    return match.context.words[0].text not in PROCEDURE_LINE_WORDS


def is_glued_case(match: LineMatch) -> bool:
    """`onReady:`, where a case of a `match` is wanted."""
    match.values["ending"] = match.get_text("at")[2:]
    return True


def is_address(match: LineMatch) -> bool:
    return "/" in match.get_text("address")


def find_joint_attributes(match: LineMatch) -> bool:
    """A line for each attribute, of `a, b: type`."""
    names, typed = match.get_text("at").split(","), match.get_text("type")
    match.is_complete = "\n" not in match.context.content[slice(*match.get_offsets("type"))]
    match.values["lines"] = f"\n{match.context.indent_text}".join(name.strip() + typed for name in names)
    return match.context.stop_index <= match.get_range("at")[1] and all(name.strip().isidentifier() for name in names)


def is_cut_for_range(match: LineMatch) -> bool:
    """Whether the parser read the digits before the point as the least of a range, and only `..` could follow."""
    failure = match.context.failure
    is_inside = failure.start > match.get_offsets("at")[0]
    return is_inside and "." in match.get_text("at") and len(failure.accepted) == 1


def find_plural(match: LineMatch) -> bool:
    """The plural of the kind meant by `Unit`, `unit` or `units`."""
    name = match.get_text("kind")
    for line in match.context.lines:
        match [word.text for word in line.words[:4]]:
            case ["kind", singular, ",", plural] if name in {singular, singular.lower(), plural}:
                match.values["plural"] = plural
                return True
    return False


def find_board(match: LineMatch) -> bool:
    """The first board of the text."""
    boards = (line.words[1].text for line in match.context.lines if line.words[0].text == "board" and line.words[1:])
    match.values["board"] = next(boards, "field")
    return True


def find_unused_name(match: LineMatch) -> bool:
    match.values["free"] = choose_free_name(match.context)
    return True


def is_outside_brackets(match: LineMatch) -> bool:
    before = match.context.texts[: match.context.stop_index]
    return before.count("(") == before.count(")")


def are_values_in_brackets(match: LineMatch) -> bool:
    """Two values side by side between brackets; a word of the language beside one would have another meaning."""
    beside = {match.context.word_before.text, match.context.stop_word.text}
    return beside.isdisjoint(LANGUAGE_WORDS) and bool(
        find_open_brackets(match.context.line.words[: match.context.stop_index])
    )


def is_owned_place(match: LineMatch) -> bool:
    """Not `a.b of c`, nor `count of c`, nor `b of c(…)`."""
    (start, end), texts = match.get_range("at"), match.context.texts
    is_part = start > 0 and texts[start - 1] == "."
    is_called = texts[end : end + 1] in {("(",), ("[",)}
    return not (is_part or is_called or texts[start] in {"count", "sum", "min", "max", "total"})


def is_unnamed_demand(match: LineMatch) -> bool:
    return match.context.texts[1:3][-1:] != (":",)


_FLAG_WORDS = frozenset({"any", "every", "no", "some", "=", "!=", "<", "<=", ">", ">=", "in", "not", "and", "or"})
"""Words of conditions."""


def is_term_of_condition(match: LineMatch) -> bool:
    """Whether a word of conditions stands outside the calls and collections of what the term means: `if(u.hurt and …, 1, 2)` has none."""
    behind = match.context.texts[match.context.stop_index + 1 :]
    while behind and behind[0] == "(" and behind[-1] == ")" and min(_count_open_brackets(behind[:-1])) > 0:
        behind = behind[1:-1]
    depths = _count_open_brackets(behind)
    return any(text in _FLAG_WORDS and not depth for text, depth in zip(behind, depths, strict=True))


def _count_open_brackets(texts: Sequence[str]) -> list[int]:
    """Brackets open behind each word."""
    return list(accumulate((text in {*"([{"}) - (text in {*")]}"}) for text in texts))


def is_unquoted_title(match: LineMatch) -> bool:
    match.is_complete = '"' not in match.get_text("at")
    return match.context.stop_word.text not in LANGUAGE_WORDS


def choose_free_name(context: MistakeContext) -> str:
    """Name for dice rolled again: one that no line of the declaration has, and that no such line above is offered."""
    lines, index = context.lines, context.index
    first = next((number for number in range(index, -1, -1) if lines[number].indent == 0), 0)
    last = next((number for number in range(index + 1, len(lines)) if lines[number].indent == 0), len(lines))
    taken = {word.text for line in lines[first:last] for word in line.words}
    offered = sum(
        line.verb.text == "reroll" and bool({"{", "where"} & {word.text for word in line.words})
        for line in lines[first:index]
    )
    free = (name for number in count(1) if (name := "again" if number == 1 else f"again_{number}") not in taken)
    return next(islice(free, offered, None))
