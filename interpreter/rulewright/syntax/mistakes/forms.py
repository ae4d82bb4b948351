"""Lines whose words stand in another order, or too many of them, or in another shape."""

import re

from rulewright.diagnostics.model import Diagnostic, Edit
from rulewright.syntax.layout import Word
from rulewright.syntax.mistakes.expressions import hanging_value, opener
from rulewright.syntax.mistakes.situation import Situation
from rulewright.syntax.words import HEADERS, VERBS

_NO_WHEN = VERBS - {"ask", "match", "if"}


def then(situation: Situation) -> Diagnostic | None:
    """`if x then`."""
    found, before = situation.found, situation.before
    if found.text != "then" or "if" not in situation.texts[:2]:
        return None
    condition = situation.written(situation.texts.index("if") + 1, situation.at)
    rest = [word for word in situation.words[situation.at + 1 :] if word.text != ":"]
    end = rest[0].start if rest else situation.words[-1].end
    remedy = f"write `if {condition}:`, and what follows on lines of its own below it"
    edits = (situation.change(before.end, end, f":\n{situation.blanks}  " if rest else ":"),)
    return situation.error("RW0106", "an `if` has no `then`", at=found, remedy=remedy, edits=edits)


def taken(situation: Situation) -> Diagnostic | None:
    """`take at most 2 from x`, `remove 2 from x`."""
    head, texts = situation.head, situation.texts
    if situation.verb in {"add", "take"} and texts[head + 1 : head + 3] == ("at", "most"):
        return situation.rewritten(situation.stretch(head + 1, head + 3), "up to")
    if situation.verb == "remove" and "from" in texts[head + 2 :]:
        return situation.rewritten(situation.words[head], "take")
    return None


def draw_order(situation: Situation) -> Diagnostic | None:
    """`draw card from deck`."""
    texts = situation.texts
    first = situation.head + 1
    if situation.verb != "draw" or "from" not in texts or texts[first] == "from" or "as" in texts:
        return None
    number = texts.index("from")
    if texts[first] in {"a", "an", "one", "the", "1"} and number > first + 1:
        first += 1
    name, source = situation.written(first, number), situation.written(number + 1, len(texts)).removesuffix(":")
    if not name.isidentifier():
        remedy = f"draw one at a time: `for each _ in 1..number:`, and `draw from {source} as card` below it"
        return situation.error("RW0110", "one card is drawn at a time, and has a name", remedy=remedy)
    better = f"from {source} as {name}"
    turned = situation.change(situation.words[situation.head + 1].start, situation.tail, better)
    return situation.error("RW0110", "the name comes last", remedy=f"write `draw {better}`", edits=(turned,))


def secret_draw_order(situation: Situation) -> Diagnostic | None:
    """`draw secretly for red from deck as card`."""
    texts = situation.texts
    if situation.verb != "draw" or "secretly" not in texts:
        return None
    remedy = "write `draw secretly from COLLECTION as NAME for PLAYER`"
    return situation.error("RW0110", "the words of a secret draw are in the wrong order", remedy=remedy)


def some_again(situation: Situation) -> Diagnostic | None:
    """`reroll hits where d.natural = 1`."""
    found, head = situation.found, situation.head
    if situation.verb != "reroll" or found.text != "where":
        return None
    dice = situation.written(head + 1, situation.at)
    remedy = f"write `let again = {{each d in {dice} where …}}`, and `reroll again` below it"
    return situation.error(
        "RW0110", "the dice that are thrown again are named in a line before", at=found, remedy=remedy
    )


def nameless_demand(situation: Situation) -> Diagnostic | None:
    """`require not unit.tired`, `require "tired" not unit.tired`, `require fresh "tired": not unit.tired`."""
    words, texts = situation.words, situation.texts
    first = words[0].text
    if first not in {"require", "prefer"} or texts[1:3][-1:] == (":",) or len(words) < 2:  # noqa: PLR2004
        return None
    sorts = [each.sort for each in words[1:3]]
    if "string" not in sorts:
        message, remedy = f"this `{first}` has no name", f"write `{first} NAME: {situation.written(1, len(words))}`"
        return situation.error("RW0101", message, at=words[1], remedy=remedy)
    title, what = words[1 + sorts.index("string")], "requirement" if first == "require" else "preference"
    if "word" in sorts and texts[3:4] == (":",):
        better = f"{texts[1 + sorts.index('word')]}: {situation.written(4, len(words))} {title.text}"
        mended = situation.change(words[1].start, words[-1].end, better)
        message = f"the text of a {what} comes last"
        return situation.error("RW0109", message, at=title, remedy=f"write `{first} {better}`", edits=(mended,))
    named = sorts[0] == "word"
    name = texts[1] if named else name_from(title)
    rest = situation.written(words.index(title) + 1, len(words)).removeprefix(": ")
    better = f"{name or 'NAME'}: {rest or 'CONDITION'} {title.text}"
    edits = (situation.change(words[1].start, words[-1].end, better, safe=False),) if name and rest else ()
    put = "put its colon after the name and its text last" if named else f"give the {what} a name and put its text last"
    lacks = "colon after its name" if named else "name"
    message, remedy = f"this `{first}` has no {lacks}", f"{put}: `{first} {better}`"
    return situation.error("RW0101", message, at=title, remedy=remedy, edits=edits)


def name_from(title: Word) -> str:
    """A name made of a title of one to three words; empty where it has more, or none of letters."""
    found = re.findall(r"[a-z]+", title.text.lower())
    return "_".join(found) if len(found) <= 3 else ""  # noqa: PLR2004


def guarded_verb(situation: Situation) -> Diagnostic | None:
    """`set x to 3 when y`, `add 3 if y to x`."""
    number = situation.at - (situation.before.text == "when")
    word = situation.texts[number : number + 1]
    if word not in {("when",), ("if",)} or situation.verb not in _NO_WHEN or situation.place != "line" or number < 1:
        return None
    if "else" in situation.texts[number:] or opener(situation, number) is not None:
        return hanging_value(situation, number)
    end = _rest(situation, number)
    condition = situation.written(number + 1, end).removesuffix(":").strip()
    if situation.verb == "for" and condition:
        message, at = f"`for each` has no `{word[0]}`", situation.words[number]
        return situation.error("RW0111", message, at=at, remedy=f"write `where {condition}`", edit="where")
    span = situation.words[number - 1].end, situation.words[end - 1].end
    edits = (
        situation.change(situation.line.start, situation.line.start, f"if {condition}:\n{situation.blanks}  "),
        situation.change(*span, ""),
    )
    return situation.error(
        "RW0111",
        f"`{situation.verb}` takes no `{word[0]}`",
        at=(situation.words[number].start, span[1]),
        remedy=f"put it in an `if` block: `if {condition}:`" if condition else "put it in an `if` block",
        edits=edits if condition and not situation.line.opens else (),
    )


_REST = {"add": "to", "take": "from", "set": "to", "move": "to"}


def _rest(situation: Situation, number: int) -> int:
    """Where the condition behind a word ends: before what the line still has to say, or at its end."""
    middle = _REST.get(situation.verb)
    is_missing = middle is not None and middle not in situation.texts[:number] and middle in situation.texts[number:]
    return situation.texts.index(middle, number) if middle and is_missing else len(situation.words)


def guarded_step(situation: Situation) -> Diagnostic | None:
    """`step 1 "Title" if x`."""
    found = situation.found
    if situation.verb != "step" or found.text != "if":
        return None
    condition = situation.written(situation.at + 1, len(situation.words)).removesuffix(":")
    remedy = f"write `{situation.written(0, situation.at)} when {condition}:`"
    return situation.error("RW0111", "a step has no `if`", at=found, remedy=remedy, edit="when")


def step_title(situation: Situation) -> Diagnostic | None:
    """`step 1 when x "Title"`."""
    found = situation.found
    if situation.verb != "step" or found.sort != "string" or "when" not in situation.texts:
        return None
    when = situation.texts.index("when")
    place = situation.words[when - 1].end
    return situation.error(
        "RW0109",
        "the title of a step comes right after its id",
        at=found,
        remedy=f"write `{situation.written(0, when)} {found.text} {situation.written(when, situation.at)}:`",
        edits=(
            situation.change(place, place, f" {found.text}"),
            situation.change(situation.before.end, found.end, ""),
        ),
    )


def early_colon(situation: Situation) -> Diagnostic | None:
    """`step 3: "Falls" when x:`, with a colon before the title."""
    found, before = situation.found, situation.before
    if before.text != ":" or situation.at < 2 or situation.line.verb is found:  # noqa: PLR2004 - a word and its colon
        return None
    is_guard = situation.verb == "step" and found.text in {"if", "when"}
    if not (found.sort == "string" or is_guard) or situation.trouble.accepted - {"CITE"} != {"_NL"}:
        return None
    what = "title" if found.sort == "string" else "condition"
    late = () if situation.line.opens else (situation.change(situation.tail, situation.tail, ":"),)
    rest = situation.written(situation.at, len(situation.words)).removesuffix(":")
    remedy = f"write `{situation.written(0, situation.at - 1)} {rest}:`"
    edits = (situation.change(before.start, before.end, ""), *late)
    return situation.error("RW0109", f"the {what} comes before the colon", at=before, remedy=remedy, edits=edits)


def title_last(situation: Situation) -> Diagnostic | None:
    """A title with more of the line after it."""
    before, found, accepted = situation.before, situation.found, situation.trouble.accepted
    is_titled = situation.verb == "option" or (situation.place in _TITLED and situation.verb not in _UNTITLED)
    if found.sort == "string" and is_titled:
        number = situation.at
        is_other = "STRING" in accepted or situation.words[-1].sort == "string" or found.end >= situation.tail
        fits = not is_other and (number or situation.texts[2:3] == (":",))
    else:
        number = situation.at - 1
        fits = before.sort == "string" and found.sort not in {"cite", "end"} and accepted <= {"COLON", "CITE", "_NL"}
    if not fits:
        return None
    message, remedy = "the title comes last", "move it to the end of the line, before `:` and the cites"
    title = situation.words[number]
    return situation.error("RW0109", message, at=title, remedy=remedy, edits=moved_last(situation, number))


_TITLED = frozenset({"declaration", "field", "condition", "tally row", "decide row", "key", "path"})
"""Lines that may have a title, but for those of `_UNTITLED`."""
_UNTITLED = HEADERS | {"bind", "departs", "die", "game", "insert", "outside", "remove", "replace", "ruling", "void"}


def moved_last(situation: Situation, number: int) -> tuple[Edit, ...]:
    """The edits that move a word to the end of what its line says."""
    word = situation.words[number]
    start, end = (situation.words[number - 1].end, word.end) if number else (word.start, situation.words[1].start)
    return situation.change(start, end, ""), situation.change(situation.tail, situation.tail, f" {word.text}")


def demand_place(situation: Situation) -> Diagnostic | None:
    """`require` and `prefer` where nothing asks or begins."""
    first = situation.line.words[0]
    if first.text not in {"require", "prefer"} or situation.at > 0:
        return None
    is_either = first.text == "require"
    where = "under an `ask` or at the head of a procedure" if is_either else "under an `ask`"
    remedy = "move it under the question it judges" + (", or up, before the first step" if is_either else "")
    return situation.error("RW0118", f"a `{first.text}` row belongs {where}", at=first, remedy=remedy)


_SHAPES = frozenset({"whether", "for", "to", "choose"})


def asks_nobody(situation: Situation) -> Diagnostic | None:
    """`ask for dest in places`."""
    texts = situation.texts
    if situation.verb != "ask" or len(texts) < 2 or texts[1] not in _SHAPES:  # noqa: PLR2004
        return None
    rest = situation.written(1, len(texts))
    remedy = f"name the player first: `ask unit.owner {rest}`"
    return situation.error("RW0101", "this `ask` names no player", at=situation.words[1], remedy=remedy)


def question_first(situation: Situation) -> Diagnostic | None:
    """`ask red "Where?" for dest in places`."""
    found, following = situation.found, situation.texts[situation.at + 1 : situation.at + 2]
    if situation.verb != "ask" or found.sort != "string" or _SHAPES.isdisjoint(following):
        return None
    message, remedy = "the question comes last", "move it to the end of the line, before `:` and the cites"
    return situation.error("RW0109", message, at=found, remedy=remedy, edits=moved_last(situation, situation.at))


def secretly_first(situation: Situation) -> Diagnostic | None:
    """`ask secretly red for bid in 0..3`."""
    words, head = situation.words, situation.head
    if situation.verb != "ask" or situation.texts[head + 1 : head + 2] != ("secretly",):
        return None
    end = next((at for at, text in enumerate(situation.texts) if at > head + 1 and text in _SHAPES), 0)
    if end <= head + 2:
        return None
    better = f"{situation.written(head + 2, end)} secretly"
    message, remedy = "who is asked comes before `secretly`", f"write `ask {better} {words[end].text} …`"
    edits = (situation.change(*situation.stretch(head + 1, end), better),)
    return situation.error("RW0110", message, at=words[head + 1], remedy=remedy, edits=edits)


def choose_member(situation: Situation) -> Diagnostic | None:
    """`ask red to choose dest in places`, `ask red to choose card from hand`."""
    found, texts = situation.found, situation.texts
    if situation.verb != "ask" or found.text not in {"in", "from"} or "choose" not in texts[: situation.at]:
        return None
    number = texts.index("choose")
    who, name = situation.written(0, number - 1), situation.written(number + 1, situation.at)
    rest = f"{name} in {situation.written(situation.at + 1, len(texts))}"
    message = "`to choose` has a row for each option; to choose a member of a collection, write `for`"
    named = situation.change(*situation.stretch(number - 1, number + 1), "for", safe=False)
    edits, remedy = (named, situation.change(found.start, found.end, "in", safe=False)), f"write `{who} for {rest}`"
    return situation.error("RW0101", message, at=situation.words[number], remedy=remedy, edits=edits)


def depth_after_name(situation: Situation) -> Diagnostic | None:
    """`perform strike(a, b) as again at most 3 deep`."""
    texts, at = situation.texts, situation.at
    deep = at + 3
    if situation.verb != "perform" or texts[at : at + 2] != ("at", "most") or texts[deep : deep + 1] != ("deep",):
        return None
    if at < 2 or texts[at - 2] != "as":  # noqa: PLR2004
        return None
    bound, name = situation.written(at, deep + 1), situation.written(at - 2, at)
    better = f"{bound} {name}"
    edits = (situation.change(*situation.stretch(at - 2, deep + 1), better),)
    message = "the name of the result comes last"
    return situation.error("RW0110", message, at=situation.found, remedy=f"write `… {better}`", edits=edits)
