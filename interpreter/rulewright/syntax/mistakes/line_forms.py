"""Mistakes of line forms: words in another order, too many, or missing."""

import re
from itertools import accumulate, count, islice, pairwise

from rulewright.base.diagnostics import Diagnostic, Edit
from rulewright.syntax.layout import ScannedWord
from rulewright.syntax.mistakes.expression_mistakes import diagnose_trailing_condition, find_opener
from rulewright.syntax.mistakes.mistake_context import MistakeContext
from rulewright.syntax.words import HEADER_WORDS, VERBS

_UNGUARDED_VERBS = VERBS - {"ask", "match", "if"}


def diagnose_if_with_then(situation: MistakeContext) -> Diagnostic | None:
    """`if x then`."""
    scanned_word, before = situation.stop_word, situation.word_before
    if scanned_word.text != "then" or "if" not in situation.texts[:2]:
        return None
    condition = situation.get_words_text(situation.texts.index("if") + 1, situation.stop_index)
    rest = [word for word in situation.words[situation.stop_index + 1 :] if word.text != ":"]
    end = rest[0].start if rest else situation.words[-1].end
    remedy = f"write `if {condition}:`, and what follows on lines of its own below it"
    edits = (situation.make_edit(before.end, end, f":\n{situation.indent_text}  " if rest else ":"),)
    return situation.make_line_error("RW0106", "an `if` has no `then`", at=scanned_word, remedy=remedy, edits=edits)


def diagnose_take_form(situation: MistakeContext) -> Diagnostic | None:
    """`take at most 2 from x`, `remove 2 from x`."""
    head, texts = situation.verb_index, situation.texts
    if situation.verb in {"add", "take"} and texts[head + 1 : head + 3] == ("at", "most"):
        return situation.diagnose_rewriting(situation.get_offsets(head + 1, head + 3), "up to")
    if situation.verb == "remove" and "from" in texts[head + 2 :]:
        return situation.diagnose_rewriting(situation.words[head], "take")
    return None


def diagnose_draw_order(situation: MistakeContext) -> Diagnostic | None:
    """`draw card from deck`."""
    texts = situation.texts
    first = situation.verb_index + 1
    if situation.verb != "draw" or "from" not in texts or texts[first] == "from" or "as" in texts:
        return None
    number = texts.index("from")
    if texts[first] in {"a", "an", "one", "the", "1"} and number > first + 1:
        first += 1
    name, source = (
        situation.get_words_text(first, number),
        situation.get_words_text(number + 1, len(texts)).removesuffix(":"),
    )
    if not name.isidentifier():
        remedy = f"draw one at a time: `for each _ in 1..number:`, and `draw from {source} as card` below it"
        return situation.make_line_error("RW0110", "one card is drawn at a time, and has a name", remedy=remedy)
    better = f"from {source} as {name}"
    turned = situation.make_edit(situation.words[situation.verb_index + 1].start, situation.end_offset, better)
    return situation.make_line_error("RW0110", "the name comes last", remedy=f"write `draw {better}`", edits=(turned,))


def diagnose_secret_draw_order(situation: MistakeContext) -> Diagnostic | None:
    """`draw secretly for red from deck as card`."""
    texts = situation.texts
    if situation.verb != "draw" or "secretly" not in texts:
        return None
    remedy = "write `draw secretly from COLLECTION as NAME for PLAYER`"
    return situation.make_line_error("RW0110", "the words of a secret draw are in the wrong order", remedy=remedy)


def diagnose_filtered_reroll(situation: MistakeContext) -> Diagnostic | None:
    """`reroll hits where d.natural = 1`."""
    scanned_word, head = situation.stop_word, situation.verb_index
    if situation.verb != "reroll" or scanned_word.text != "where":
        return None
    dice = situation.get_words_text(head + 1, situation.stop_index)
    name = _choose_free_name(situation)
    remedy = f"write `let {name} = {{each d in {dice} where …}}`, and `reroll {name}` below it"
    return situation.make_line_error(
        "RW0110", "the dice that are thrown again are named in a line before", at=scanned_word, remedy=remedy
    )


def _choose_free_name(situation: MistakeContext) -> str:
    """Name for dice rolled again: one that no line of the declaration has, and that no such line above is offered."""
    lines, index = situation.lines, situation.index
    first = next((number for number in range(index, -1, -1) if lines[number].indent == 0), 0)
    last = next((number for number in range(index + 1, len(lines)) if lines[number].indent == 0), len(lines))
    taken = {word.text for line in lines[first:last] for word in line.words}
    offered = sum(
        line.verb.text == "reroll" and bool({"{", "where"} & {word.text for word in line.words})
        for line in lines[first:index]
    )
    free = (name for number in count(1) if (name := "again" if number == 1 else f"again_{number}") not in taken)
    return next(islice(free, offered, None))


def diagnose_nameless_demand(situation: MistakeContext) -> Diagnostic | None:
    """`require not unit.tired`, `require "tired" not unit.tired`, `require fresh "tired": not unit.tired`."""
    words, texts = situation.words, situation.texts
    first = words[0].text
    if first not in {"require", "prefer"} or texts[1:3][-1:] == (":",) or len(words) < 2:  # noqa: PLR2004
        return None
    sorts = [word.sort for word in words[1:3]]
    if "string" not in sorts:
        message, remedy = (
            f"this `{first}` has no name",
            f"write `{first} NAME: {situation.get_words_text(1, len(words))}`",
        )
        return situation.make_line_error("RW0101", message, at=words[1], remedy=remedy)
    title, what = words[1 + sorts.index("string")], "requirement" if first == "require" else "preference"
    if "word" in sorts and texts[3:4] == (":",):
        better = f"{texts[1 + sorts.index('word')]}: {situation.get_words_text(4, len(words))} {title.text}"
        mended = situation.make_edit(words[1].start, words[-1].end, better)
        message = f"the text of a {what} comes last"
        return situation.make_line_error(
            "RW0109", message, at=title, remedy=f"write `{first} {better}`", edits=(mended,)
        )
    named = sorts[0] == "word"
    name = texts[1] if named else make_name_from_title(title)
    rest = situation.get_words_text(words.index(title) + 1, len(words)).removeprefix(": ")
    better = f"{name or 'NAME'}: {rest or 'CONDITION'} {title.text}"
    edits = (situation.make_edit(words[1].start, words[-1].end, better, safe=False),) if name and rest else ()
    put = "put its colon after the name and its text last" if named else f"give the {what} a name and put its text last"
    lacks = "colon after its name" if named else "name"
    message, remedy = f"this `{first}` has no {lacks}", f"{put}: `{first} {better}`"
    return situation.make_line_error("RW0101", message, at=title, remedy=remedy, edits=edits)


def make_name_from_title(title: ScannedWord) -> str:
    """Name made of a title of one to three words; empty for others."""
    items = re.findall(r"[a-z]+", title.text.lower())
    return "_".join(items) if len(items) <= 3 else ""  # noqa: PLR2004


def diagnose_guarded_verb(situation: MistakeContext) -> Diagnostic | None:
    """`set x to 3 when y`, `add 3 if y to x`."""
    number = situation.stop_index - (situation.word_before.text == "when")
    word = situation.texts[number : number + 1]
    if (
        word not in {("when",), ("if",)}
        or situation.verb not in _UNGUARDED_VERBS
        or situation.line_kind != "line"
        or number < 1
    ):
        return None
    if "else" in situation.texts[number:] or find_opener(situation, number) is not None:
        return diagnose_trailing_condition(situation, number)
    end = _find_condition_end(situation, number)
    condition = situation.get_words_text(number + 1, end).removesuffix(":").strip()
    if situation.verb == "for" and condition:
        message, at = f"`for each` has no `{word[0]}`", situation.words[number]
        return situation.make_line_error("RW0111", message, at=at, remedy=f"write `where {condition}`", edit="where")
    span = situation.words[number - 1].end, situation.words[end - 1].end
    edits = (
        situation.make_edit(situation.line.start, situation.line.start, f"if {condition}:\n{situation.indent_text}  "),
        situation.make_edit(*span, ""),
    )
    return situation.make_line_error(
        "RW0111",
        f"`{situation.verb}` takes no `{word[0]}`",
        at=(situation.words[number].start, span[1]),
        remedy=f"put it in an `if` block: `if {condition}:`" if condition else "put it in an `if` block",
        edits=edits if condition and not situation.line.opens_block else (),
    )


_REST_WORDS = {"add": "to", "take": "from", "set": "to", "move": "to"}


def _find_condition_end(situation: MistakeContext, number: int) -> int:
    """Index at which the condition after a word ends: before the rest of the line, or at its end."""
    middle = _REST_WORDS.get(situation.verb)
    is_missing = middle is not None and middle not in situation.texts[:number] and middle in situation.texts[number:]
    return situation.texts.index(middle, number) if middle and is_missing else len(situation.words)


def diagnose_guarded_step(situation: MistakeContext) -> Diagnostic | None:
    """`step 1 "Title" if x`."""
    scanned_word = situation.stop_word
    if situation.verb != "step" or scanned_word.text != "if":
        return None
    condition = situation.get_words_text(situation.stop_index + 1, len(situation.words)).removesuffix(":")
    remedy = f"write `{situation.get_words_text(0, situation.stop_index)} when {condition}:`"
    return situation.make_line_error("RW0111", "a step has no `if`", at=scanned_word, remedy=remedy, edit="when")


def diagnose_step_title_order(situation: MistakeContext) -> Diagnostic | None:
    """`step 1 when x "Title"`."""
    scanned_word = situation.stop_word
    if situation.verb != "step" or scanned_word.sort != "string" or "when" not in situation.texts:
        return None
    when = situation.texts.index("when")
    place = situation.words[when - 1].end
    return situation.make_line_error(
        "RW0109",
        "the title of a step comes right after its id",
        at=scanned_word,
        remedy=f"write `{situation.get_words_text(0, when)} {scanned_word.text} {situation.get_words_text(when, situation.stop_index)}:`",
        edits=(
            situation.make_edit(place, place, f" {scanned_word.text}"),
            situation.make_edit(situation.word_before.end, scanned_word.end, ""),
        ),
    )


def diagnose_early_colon(situation: MistakeContext) -> Diagnostic | None:
    """`step 3: "Falls" when x:`, with a colon before the title."""
    scanned_word, before = situation.stop_word, situation.word_before
    if before.text != ":" or situation.stop_index < 2 or situation.line.verb is scanned_word:  # noqa: PLR2004 - a word and its colon
        return None
    is_guard = situation.verb == "step" and scanned_word.text in {"if", "when"}
    if not (scanned_word.sort == "string" or is_guard) or situation.failure.accepted - {"CITE"} != {"_NL"}:
        return None
    what = "title" if scanned_word.sort == "string" else "condition"
    late = () if situation.line.opens_block else (situation.make_edit(situation.end_offset, situation.end_offset, ":"),)
    rest = situation.get_words_text(situation.stop_index, len(situation.words)).removesuffix(":")
    remedy = f"write `{situation.get_words_text(0, situation.stop_index - 1)} {rest}:`"
    edits = (situation.make_edit(before.start, before.end, ""), *late)
    return situation.make_line_error(
        "RW0109", f"the {what} comes before the colon", at=before, remedy=remedy, edits=edits
    )


def diagnose_title_order(situation: MistakeContext) -> Diagnostic | None:
    """A title with more of the line after it."""
    before, scanned_word, accepted = situation.word_before, situation.stop_word, situation.failure.accepted
    is_titled = situation.verb == "option" or (
        situation.line_kind in _TITLED_LINE_KINDS and situation.verb not in _UNTITLED_VERBS
    )
    if scanned_word.sort == "string" and is_titled:
        number = situation.stop_index
        is_other = (
            "STRING" in accepted or situation.words[-1].sort == "string" or scanned_word.end >= situation.end_offset
        )
        fits = not is_other and (number or situation.texts[2:3] == (":",))
    else:
        number = situation.stop_index - 1
        fits = (
            before.sort == "string"
            and scanned_word.sort not in {"cite", "end"}
            and accepted <= {"COLON", "CITE", "_NL"}
        )
    if not fits:
        return None
    message, remedy = "the title comes last", "move it to the end of the line, before `:` and the cites"
    title = situation.words[number]
    return situation.make_line_error(
        "RW0109", message, at=title, remedy=remedy, edits=make_move_last_edits(situation, number)
    )


_TITLED_LINE_KINDS = frozenset({"declaration", "field", "condition", "tally row", "decide row", "key", "path"})
"""Kinds of lines that may have a title, except those of `_UNTITLED_VERBS`."""
_UNTITLED_VERBS = HEADER_WORDS | {
    "bind",
    "departs",
    "die",
    "game",
    "insert",
    "outside",
    "remove",
    "replace",
    "ruling",
    "void",
}


def make_move_last_edits(situation: MistakeContext, number: int) -> tuple[Edit, ...]:
    """Edits that move a word to the end of its line, before colon and margin."""
    word = situation.words[number]
    start, end = (situation.words[number - 1].end, word.end) if number else (word.start, situation.words[1].start)
    return situation.make_edit(start, end, ""), situation.make_edit(
        situation.end_offset, situation.end_offset, f" {word.text}"
    )


def diagnose_demand_place(situation: MistakeContext) -> Diagnostic | None:
    """`require` and `prefer` outside of questions and procedure heads."""
    first = situation.line.words[0]
    if first.text not in {"require", "prefer"} or situation.stop_index > 0:
        return None
    is_either = first.text == "require"
    where = "under an `ask` or at the head of a procedure" if is_either else "under an `ask`"
    remedy = "move it under the question it judges" + (", or up, before the first step" if is_either else "")
    return situation.make_line_error("RW0118", f"a `{first.text}` row belongs {where}", at=first, remedy=remedy)


_QUESTION_WORDS = frozenset({"whether", "for", "to", "choose"})


def diagnose_missing_player(situation: MistakeContext) -> Diagnostic | None:
    """`ask for dest in places`."""
    texts = situation.texts
    if situation.verb != "ask" or len(texts) < 2 or texts[1] not in _QUESTION_WORDS:  # noqa: PLR2004
        return None
    rest = situation.get_words_text(1, len(texts))
    remedy = f"name the player first: `ask unit.owner {rest}`"
    return situation.make_line_error("RW0101", "this `ask` names no player", at=situation.words[1], remedy=remedy)


def diagnose_question_order(situation: MistakeContext) -> Diagnostic | None:
    """`ask red "Where?" for dest in places`."""
    scanned_word, following = situation.stop_word, situation.texts[situation.stop_index + 1 : situation.stop_index + 2]
    if situation.verb != "ask" or scanned_word.sort != "string" or _QUESTION_WORDS.isdisjoint(following):
        return None
    message, remedy = "the question comes last", "move it to the end of the line, before `:` and the cites"
    return situation.make_line_error(
        "RW0109", message, at=scanned_word, remedy=remedy, edits=make_move_last_edits(situation, situation.stop_index)
    )


def diagnose_secretly_order(situation: MistakeContext) -> Diagnostic | None:
    """`ask secretly red for bid in 0..3`."""
    words, head = situation.words, situation.verb_index
    if situation.verb != "ask" or situation.texts[head + 1 : head + 2] != ("secretly",):
        return None
    end = next((at for at, text in enumerate(situation.texts) if at > head + 1 and text in _QUESTION_WORDS), 0)
    if end <= head + 2:
        return None
    better = f"{situation.get_words_text(head + 2, end)} secretly"
    message, remedy = "who is asked comes before `secretly`", f"write `ask {better} {words[end].text} …`"
    edits = (situation.make_edit(*situation.get_offsets(head + 1, end), better),)
    return situation.make_line_error("RW0110", message, at=words[head + 1], remedy=remedy, edits=edits)


def diagnose_choose_member(situation: MistakeContext) -> Diagnostic | None:
    """`ask red to choose dest in places`, `ask red to choose card from hand`."""
    scanned_word, texts = situation.stop_word, situation.texts
    if (
        situation.verb != "ask"
        or scanned_word.text not in {"in", "from"}
        or "choose" not in texts[: situation.stop_index]
    ):
        return None
    number = texts.index("choose")
    who, name = situation.get_words_text(0, number - 1), situation.get_words_text(number + 1, situation.stop_index)
    rest = f"{name} in {situation.get_words_text(situation.stop_index + 1, len(texts))}"
    message = "`to choose` has a row for each option; to choose a member of a collection, write `for`"
    named = situation.make_edit(*situation.get_offsets(number - 1, number + 1), "for", safe=False)
    edits, remedy = (
        (named, situation.make_edit(scanned_word.start, scanned_word.end, "in", safe=False)),
        f"write `{who} for {rest}`",
    )
    return situation.make_line_error("RW0101", message, at=situation.words[number], remedy=remedy, edits=edits)


def diagnose_depth_order(situation: MistakeContext) -> Diagnostic | None:
    """`perform strike(a, b) as again at most 3 deep`."""
    texts, at = situation.texts, situation.stop_index
    deep = at + 3
    if situation.verb != "perform" or texts[at : at + 2] != ("at", "most") or texts[deep : deep + 1] != ("deep",):
        return None
    if at < 2 or texts[at - 2] != "as":  # noqa: PLR2004
        return None
    bound, name = situation.get_words_text(at, deep + 1), situation.get_words_text(at - 2, at)
    better = f"{bound} {name}"
    edits = (situation.make_edit(*situation.get_offsets(at - 2, deep + 1), better),)
    message = "the name of the result comes last"
    return situation.make_line_error(
        "RW0110", message, at=situation.stop_word, remedy=f"write `… {better}`", edits=edits
    )


_AGGREGATE_WORDS = frozenset({"count", "sum", "min", "max"})

_BOUND_WORDS = frozenset({"at", "without"})
_WORDS_AFTER_EXPLODE = _BOUND_WORDS | {"as", "by", "keep", "drop", "with", "explode", ",", "]"}


def diagnose_missing_each(situation: MistakeContext) -> Diagnostic | None:
    """`for x in collection:`, without `each`."""
    scanned_word, before = situation.stop_word, situation.word_before
    follows = situation.texts[situation.stop_index + 1 : situation.stop_index + 2] in {("in",), (",",)}
    if before.text != "for" or scanned_word.sort != "word" or not follows:
        return None
    if situation.line_kind != "line" or situation.verb != "for":
        return None
    message = "a loop names `each` member"
    edits = (situation.make_edit(scanned_word.start, scanned_word.start, "each "),)
    return situation.make_line_error(
        "RW0106", message, at=scanned_word, remedy=f"write `for each {scanned_word.text} in …`", edits=edits
    )


def diagnose_missing_each_in_count(situation: MistakeContext) -> Diagnostic | None:
    """`count(d in dice where …)` and `[d in dice: d.natural]`, without `each`."""
    texts = situation.texts
    if situation.stop_word.text not in {"where", ":"}:
        return None
    opened = [at for at in range(situation.stop_index - 2) if texts[at] in "([{"]
    at = opened[-1] if opened else 0
    word = texts[at - 1] if at and texts[at] == "(" else ""
    if not opened or texts[at + 2 : at + 3] != ("in",) or (texts[at] == "(" and word not in _AGGREGATE_WORDS):
        return None
    member = situation.words[at + 1]
    message = f"`{word or texts[at]}` goes through `each` member"
    remedy = f"write `{word}{texts[at]}each {member.text} in …`"
    edits = (situation.make_edit(member.start, member.start, "each "),)
    return situation.make_line_error("RW0106", message, at=member, remedy=remedy, edits=edits)


def diagnose_key_without_end(situation: MistakeContext) -> Diagnostic | None:
    """`near: distance(a, b)` as a key of a rank, which does not say which end comes first."""
    if (
        situation.line_kind != "key"
        or not situation.stop_word.text
        or situation.texts[1 : situation.stop_index] != (":",)
    ):
        return None
    name, value = situation.texts[0], situation.get_words_text(situation.stop_index, len(situation.texts))
    message, at = "a key says which comes first, the highest or the lowest", situation.stop_word
    return situation.make_line_error("RW0101", message, at=at, remedy=f"write `{name}: highest {value}`, or `lowest`")


def diagnose_pick_without_end(situation: MistakeContext) -> Diagnostic | None:
    """`to pick 1+ of each …`, which does not say how many at most."""
    texts, at = situation.texts, situation.stop_index
    if situation.verb != "ask" or texts[at - 2 : at + 1] != ("+", "of", "each"):
        return None
    least, plus = situation.words[at - 3 : at - 1]
    message = f"`{least.text}+` does not say how many may be picked at most"
    remedy = f"write `{least.text}..9 of each` with the most there may be"
    edits = (situation.make_edit(plus.start, plus.end, "..9", safe=False),)
    return situation.make_line_error("RW0106", message, at=(least.start, plus.end), remedy=remedy, edits=edits)


def diagnose_nameless_reroll(situation: MistakeContext) -> Diagnostic | None:
    """`reroll {each d in dice where …}`, whose dice have no name."""
    texts, scanned_word = situation.texts, situation.stop_word
    start = texts.index("each") if "each" in texts else 0
    if situation.verb != "reroll" or not scanned_word.text or not 0 < start <= situation.stop_index + 1 <= start + 2:
        return None
    depths = accumulate((text == "{") - (text == "}") for text in texts[start:])
    closed = (start + number for number, depth in enumerate(depths) if depth < 0)
    end = next(closed, texts.index("by") if "by" in texts else len(texts))
    name = _choose_free_name(situation)
    remedy = f"write `let {name} = {{{situation.get_words_text(start, end)}}}`, and below it `reroll {name}`"
    return situation.make_line_error("RW0106", "dice that are rolled again have a name", at=scanned_word, remedy=remedy)


def diagnose_nameless_limit(situation: MistakeContext) -> Diagnostic | None:
    """`at least 0` as a row of a tally, which has no name."""
    first = situation.line.words[0]
    if situation.line_kind != "tally row" or first.text not in {"at", "times", "becomes"} or situation.stop_index > 1:
        return None
    written = situation.get_words_text(0, len(situation.words))
    message = "a row of a tally begins with its name"
    edits = (situation.make_edit(first.start, first.start, "limit: "),)
    return situation.make_line_error("RW0106", message, at=first, remedy=f"write `limit: {written}`", edits=edits)


def diagnose_listed_numbers(situation: MistakeContext) -> Diagnostic | None:
    """`segments: 4 or 6 or 8` as the type of an attribute."""
    result, before = situation.stop_word, situation.word_before
    if situation.line_kind != "field" or result.text not in {"or", ",", "|", "/"}:
        return None
    listed = [word for word in situation.words[situation.stop_index - 1 :] if word.text.isdigit()]
    if not before.text.isdigit() or len(listed) < 2:  # noqa: PLR2004 - a list has two
        return None
    numbers = [int(scanned_word.text) for scanned_word in listed]
    better = f"{min(numbers)}..{max(numbers)}"
    message = "a type is one range of numbers, not a list of them"
    remedy = f"write `{better}`; an `always` can rule out some of these numbers"
    edits = (situation.make_edit(before.start, listed[-1].end, better, safe=False),)
    return situation.make_line_error("RW0106", message, at=(before.start, listed[-1].end), remedy=remedy, edits=edits)


def diagnose_joint_attributes(situation: MistakeContext) -> Diagnostic | None:
    """`hp, mp: 0..9`, which names two attributes on one line."""
    texts = situation.texts
    colon = texts.index(":") if ":" in texts else 0
    names, commas = situation.words[:colon:2], texts[1:colon:2]
    if (
        situation.line_kind != "field"
        or set(commas) != {","}
        or len(names) != len(commas) + 1
        or situation.stop_index > colon
    ):
        return None
    if any(name.sort != "word" for name in names):
        return None
    written = situation.content[situation.words[colon].start : situation.words[-1].end]
    lines = [f"{name.text}{written}" for name in names]
    return situation.make_line_error(
        "RW0106",
        "each attribute has a line of its own",
        at=(names[0].start, names[-1].end),
        remedy=f"write `{lines[0]}`, and the others like it on lines of their own",
        edits=(
            situation.make_edit(
                names[0].start,
                situation.words[-1].end,
                f"\n{situation.indent_text}".join(lines),
                safe="\n" not in written,
            ),
        ),
    )


def diagnose_unbounded_explosion(situation: MistakeContext) -> Diagnostic | None:
    """`explode on 6`, which does not say how often."""
    texts = situation.texts
    start = next((place for place, pair in enumerate(pairwise(texts)) if pair == ("explode", "on")), len(texts))
    end = next((place for place in range(start + 2, len(texts)) if texts[place] in _WORDS_AFTER_EXPLODE), 0)
    if not start + 2 < end <= situation.stop_index + 1 or texts[end] in _BOUND_WORDS:
        return None
    face, written = situation.words[end - 1], situation.get_words_text(start, end)
    message = f"`{written}` does not say how often a die explodes"
    remedy = f"write `{written} at most 1`, or `{written} without limit`"
    edits = (situation.make_edit(face.end, face.end, " without limit", safe=False),)
    return situation.make_line_error(
        "RW0106", message, at=(situation.words[start].start, face.end), remedy=remedy, edits=edits
    )
