"""Lines and declarations whose words stand in another order, or too many of them, or in another shape."""

from collections.abc import Iterator
from itertools import pairwise, takewhile

from rulewright.diagnostics.model import Diagnostic, Edit
from rulewright.syntax.layout import ScannedLine, Word
from rulewright.syntax.mistakes.hanging_values import hanging_value, opener
from rulewright.syntax.mistakes.situation import Situation
from rulewright.syntax.words import VERBS

_NO_WHEN = VERBS - {"ask", "match", "if"}


def then(situation: Situation) -> Diagnostic | None:
    """`if x then`."""
    found, before = situation.found, situation.before
    if found is None or before is None or found.text != "then" or "if" not in situation.texts[:2]:
        return None
    condition = situation.written(situation.texts.index("if") + 1, situation.at)
    rest = [word for word in situation.words[situation.at + 1 :] if word.text != ":"]
    end = rest[0].start if rest else situation.words[-1].end
    return situation.error(
        "RW0106",
        "an `if` has no `then`",
        at=found,
        remedy=f"write `if {condition}:`, and what follows on lines of its own below it",
        edits=(situation.change(before.end, end, f":\n{situation.blanks}  " if rest else ":"),),
    )


def taken(situation: Situation) -> Diagnostic | None:
    """`take at most 2 from x`, `remove 2 from x`."""
    head, texts, words = situation.head, situation.texts, situation.words
    if situation.verb in {"add", "take"} and texts[head + 1 : head + 3] == ("at", "most"):
        at, better = (words[head + 1].start, words[head + 2].end), "up to"
    elif situation.verb == "remove" and "from" in texts[head + 2 :]:
        at, better = (words[head].start, words[head].end), "take"
    else:
        return None
    return situation.error(
        "RW0106",
        f"`{situation.content[at[0] : at[1]]}` is written `{better}`",
        at=at,
        remedy=f"write `{better}`",
        edits=(situation.change(*at, better),),
    )


def draw_order(situation: Situation) -> Diagnostic | None:
    """`draw card from deck`."""
    texts = situation.texts
    first = situation.head + 1
    if situation.verb != "draw" or "from" not in texts or texts[first] == "from" or "as" in texts:
        return None
    number = texts.index("from")
    name, source = situation.written(first, number), situation.written(number + 1, len(texts)).removesuffix(":")
    better = f"from {source} as {name}"
    turned = situation.change(situation.words[first].start, situation.tail, better)
    return situation.error("RW0110", "the name comes last", remedy=f"write `draw {better}`", edits=(turned,))


def guarded_verb(situation: Situation) -> Diagnostic | None:
    """`set x to 3 when y`, `add 3 if y to x`."""
    number = situation.at - 1 if situation.before and situation.before.text == "when" else situation.at
    word = situation.texts[number : number + 1]
    if word not in {("when",), ("if",)} or situation.verb not in _NO_WHEN or situation.place != "line" or number < 1:
        return None
    if "else" in situation.texts[number:] or opener(situation, number) is not None:
        return hanging_value(situation, number)
    end = _rest(situation, number)
    condition = situation.written(number + 1, end).removesuffix(":").strip()
    if situation.verb == "for" and condition:
        return situation.error(
            "RW0111",
            f"`for each` has no `{word[0]}`",
            at=situation.words[number],
            remedy=f"write `where {condition}`",
            edit="where",
        )
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
    if situation.verb != "step" or found is None or found.text != "if":
        return None
    condition = situation.written(situation.at + 1, len(situation.words)).removesuffix(":")
    head = situation.written(0, situation.at)
    return situation.error(
        "RW0111", "a step has no `if`", at=found, remedy=f"write `{head} when {condition}:`", edit="when"
    )


def row_with_if(situation: Situation) -> Diagnostic | None:
    """`turn: -1 if turned`."""
    found = situation.found
    if found is None or found.text != "if" or not situation.place.endswith("row") or situation.at < 3:  # noqa: PLR2004
        return None
    condition = situation.written(situation.at + 1, len(situation.words))
    return situation.error("RW0111", "a row has no `if`", at=found, remedy=f"write `when {condition}`", edit="when")


def otherwise_row(situation: Situation) -> Diagnostic | None:
    """`tied: defender else` in a decision."""
    if situation.place != "decide row" or "else" not in situation.texts[2:]:
        return None
    word = situation.words[situation.texts.index("else", 2)]
    return situation.error(
        "RW0106", "the last row says `otherwise`", at=word, remedy="write `otherwise`", edit="otherwise"
    )


def step_title(situation: Situation) -> Diagnostic | None:
    """`step 1 when x "Title"`."""
    found = situation.found
    if situation.verb != "step" or found is None or found.sort != "string" or "when" not in situation.texts:
        return None
    before = situation.written(0, situation.texts.index("when"))
    condition = situation.written(situation.texts.index("when"), situation.at)
    place = situation.words[situation.texts.index("when") - 1].end
    edits = (
        situation.change(place, place, f" {found.text}"),
        situation.change(situation.words[situation.at - 1].end, found.end, ""),
    )
    return situation.error(
        "RW0109",
        "the title of a step comes right after its id",
        at=found,
        remedy=f"write `{before} {found.text} {condition}:`",
        edits=edits,
    )


def early_colon(situation: Situation) -> Diagnostic | None:
    """`step 3: "Falls" when x:`, with a colon before the title."""
    found, before = situation.found, situation.before
    if found is None or before is None or before.text != ":" or situation.at < 2 or situation.line.verb is found:  # noqa: PLR2004 - a word and its colon
        return None
    is_guard = situation.verb == "step" and found.text in {"if", "when"}
    if not (found.sort == "string" or is_guard) or situation.trouble.accepted - {"CITE"} != {"_NL"}:
        return None
    what = "title" if found.sort == "string" else "condition"
    late = () if situation.line.opens else (situation.change(situation.tail, situation.tail, ":"),)
    rest = situation.written(situation.at, len(situation.words)).removesuffix(":")
    return situation.error(
        "RW0109",
        f"the {what} stands before the colon",
        at=before,
        remedy=f"write `{situation.written(0, situation.at - 1)} {rest}:`",
        edits=(situation.change(before.start, before.end, ""), *late),
    )


def named_result(situation: Situation) -> Diagnostic | None:
    """`gives result: 0..20`, with a name for what is given."""
    gives = situation.at - 3
    if gives < 0 or situation.texts[gives] != "gives" or situation.texts[gives + 2] != ":" or situation.found is None:
        return None
    name, kind = situation.words[gives + 1], situation.written(situation.at, len(situation.words))
    return situation.error(
        "RW0106",
        "what is given has a type and no name",
        at=name,
        remedy=f"write `gives {kind.removesuffix(':')}`",
        edits=(situation.change(name.start, situation.found.start, ""),),
    )


def title_last(situation: Situation) -> Diagnostic | None:
    """A title with more of the line after it."""
    before, found = situation.before, situation.found
    if before is None or found is None or before.sort != "string" or found.sort == "cite":
        return None
    if not situation.trouble.accepted <= {"COLON", "CITE", "_NL"}:
        return None
    return situation.error(
        "RW0109",
        "the title comes last",
        at=before,
        remedy="move it to the end of the line, before `:` and the cites",
        edits=moved_last(situation, situation.at - 1),
    )


def moved_last(situation: Situation, number: int) -> tuple[Edit, ...]:
    """The edits that move a word to the end of what its line says."""
    word = situation.words[number]
    start = situation.words[number - 1].end if number else word.start
    return situation.change(start, word.end, ""), situation.change(situation.tail, situation.tail, f" {word.text}")


def demand_place(situation: Situation) -> Diagnostic | None:
    """`require` and `prefer` where nothing asks or begins."""
    first = situation.line.words[0]
    if first.text not in {"require", "prefer"} or situation.at > 0:
        return None
    is_either = first.text == "require"
    where = "under an `ask` or at the head of a procedure" if is_either else "under an `ask`"
    remedy = "move it under the question it judges" + (", or up, before the first step" if is_either else "")
    return situation.error("RW0118", f"a `{first.text}` row stands {where}", at=first, remedy=remedy)


def titled_words(situation: Situation) -> Diagnostic | None:
    """`values Ability: bloodlust "Bloodlust"`."""
    found = situation.found
    if (
        situation.verb != "values"
        or found is None
        or found.sort != "string"
        or ":" not in situation.texts[: situation.at]
    ):
        return None
    colon = situation.texts.index(":")
    if situation.before is not None and situation.before.text in {":", ","}:
        return _quoted_word(situation, found)
    head = situation.written(0, colon + 1)
    edits = [
        situation.change(one.start if one.text == "," else one.end, other.start, f"\n{situation.blanks}  ")
        for one, other in pairwise(situation.words[colon:])
        if one.text == "," or one is situation.words[colon]
    ]
    return situation.error(
        "RW0124",
        "with titles, a list has one word to a line",
        at=found,
        remedy=f"end the line after `{head}` and put each word on its own line below, indented",
        edits=edits,
    )


def _quoted_word(situation: Situation, found: Word) -> Diagnostic:
    """`values Ability: "bloodlust", rage`."""
    name = found.text.strip('"')
    edits = (situation.change(found.start, found.end, name),) if name.isidentifier() else ()
    remedy = f"write `{name}`" if edits else "write a name of letters, digits and `_`, with this text behind it"
    return situation.error("RW0106", "a word of a list stands without quotes", at=found, remedy=remedy, edits=edits)


def listed_words(situation: Situation) -> Diagnostic | None:
    """`values Weather: dry | wet`, `values Weather: dry and wet`."""
    found, words = situation.found, situation.words
    if situation.verb != "values" or found is None or found.text not in _SEPARATORS:
        return None
    wrong = [(one, other) for one, other in pairwise(words) if other.text in _SEPARATORS]
    return situation.error(
        "RW0106",
        "`,` stands between the words of a list",
        at=found,
        remedy="write `,`",
        edits=[situation.change(one.end if one.text != "," else one.start, other.end, ",") for one, other in wrong],
    )


_SEPARATORS = frozenset({"and", "or", "|", "/", ";"})


def term_gives(situation: Situation) -> Diagnostic | None:
    """`term … means` without `gives`."""
    found = situation.found
    if situation.verb != "term" or found is None or found.text != "means" or "gives" in situation.texts:
        return None
    name = situation.texts[1]
    head = situation.written(0, situation.at)
    return situation.error(
        "RW0122",
        f"the term `{name}` does not say what it gives",
        at=found,
        remedy=f"add `gives` and the type: `{head} gives flag means …`",
        edits=(situation.change(found.start, found.start, "gives flag ", safe=False),),
    )


def term_with_rows(situation: Situation) -> Diagnostic | None:
    """`term … gives 1..8:`, with rows below it."""
    found, first = situation.found, situation.words[0]
    if first.text != "term" or found is None or found.text != ":" or situation.below is None:
        return None
    return situation.error(
        "RW0122",
        "a term has one value; rows of which the first that fits counts are a `decide`",
        at=first,
        remedy="write `decide` for `term`",
        edits=(situation.change(first.start, first.end, "decide", safe=False),),
    )


def flag_with_rows(situation: Situation) -> Diagnostic | None:
    """`term … gives flag when all:`."""
    found, texts = situation.found, situation.texts
    if situation.verb != "term" or found is None or found.text != "when":
        return None
    if texts[situation.at - 2 : situation.at] != ("gives", "flag"):
        return None
    head, rest = situation.written(0, situation.at - 2), situation.written(situation.at, len(texts))
    gone = situation.change(situation.words[situation.at - 2].start, found.start, "")
    return situation.error(
        "RW0122",
        "a term with rows gives yes or no, and does not say so",
        at=(situation.words[situation.at - 2].start, situation.words[situation.at - 1].end),
        remedy=f"leave out `gives flag`: `{head} {rest}`",
        edits=(gone,),
    )


def local_decide(situation: Situation) -> Diagnostic | None:
    """`decide … gives` inside a procedure."""
    found, before = situation.found, situation.before
    if situation.verb != "decide" or found is None or situation.place != "line" or found.text not in {"gives", "("}:
        return None
    what = "`gives`" if found.text == "gives" else "parameters"
    return situation.error(
        "RW0123",
        f"a `decide` inside a procedure has no {what}",
        at=found,
        remedy=f"write `decide {situation.texts[situation.texts.index('decide') + 1]}:`",
        edits=(situation.change(before.end, situation.tail, "", safe=found.text == "gives"),) if before else (),
    )


_SHAPES = frozenset({"whether", "for", "to", "choose"})
_RULE = ("when", "priority", "lowers")


def asks_nobody(situation: Situation) -> Diagnostic | None:
    """`ask for dest in places`."""
    texts = situation.texts
    if situation.verb != "ask" or len(texts) < 2 or texts[1] not in _SHAPES:  # noqa: PLR2004
        return None
    rest = situation.written(1, len(texts))
    return situation.error(
        "RW0101",
        "nobody is asked here",
        at=situation.words[1],
        remedy=f"name the player first: `ask unit.owner {rest}`",
    )


def question_first(situation: Situation) -> Diagnostic | None:
    """`ask red "Where?" for dest in places`."""
    found = situation.found
    if situation.verb != "ask" or found is None or found.sort != "string" or situation.at + 1 >= len(situation.words):
        return None
    if situation.texts[situation.at + 1] not in _SHAPES:
        return None
    return situation.error(
        "RW0109",
        "the question comes last",
        at=found,
        remedy="move it to the end of the line, before `:` and the cites",
        edits=moved_last(situation, situation.at),
    )


def secretly_first(situation: Situation) -> Diagnostic | None:
    """`ask secretly red for bid in 0..3`."""
    words, head = situation.words, situation.head
    if situation.verb != "ask" or situation.texts[head + 1 : head + 2] != ("secretly",):
        return None
    end = next((at for at, text in enumerate(situation.texts) if at > head + 1 and text in _SHAPES), 0)
    if end <= head + 2:
        return None
    better = f"{situation.written(head + 2, end)} secretly"
    return situation.error(
        "RW0110",
        "who is asked comes before `secretly`",
        at=words[head + 1],
        remedy=f"write `ask {better} {words[end].text} …`",
        edits=(situation.change(words[head + 1].start, words[end - 1].end, better),),
    )


def choose_member(situation: Situation) -> Diagnostic | None:
    """`ask red to choose dest in places`."""
    found, texts = situation.found, situation.texts
    if situation.verb != "ask" or found is None or found.text != "in" or "choose" not in texts[: situation.at]:
        return None
    number = texts.index("choose")
    who, rest = situation.written(0, number - 1), situation.written(number + 1, len(texts))
    return situation.error(
        "RW0101",
        "`to choose` has a row for each option; a member of a collection is asked with `for`",
        at=situation.words[number],
        remedy=f"write `{who} for {rest}`",
        edits=(situation.change(situation.words[number - 1].start, situation.words[number].end, "for", safe=False),),
    )


def rule_rows(situation: Situation) -> Diagnostic | None:
    """A standing rule without `when`, `priority` or `lowers`, or with these in another order."""
    parent = situation.parent
    if parent is None or parent.verb.text != "whenever":
        return None
    own = [line.verb.text for line in _block(situation, parent)]
    lacking = [word for word in _RULE if word not in own]
    in_order = tuple(word for word in own if word in _RULE) == _RULE
    if not lacking and (situation.verb not in _RULE or (in_order and situation.at > 0)):
        return None
    listed = " and ".join(f"`{word}`" for word in lacking)
    return situation.error(
        "RW0101",
        f"this standing rule lacks {listed}" if lacking else "this standing rule begins in another order",
        at=(parent.words[0].start, parent.words[0].end),
        remedy="begin it with `when condition`, `priority 1` and `lowers number`, each on its own line, in this order",
    )


def _block(situation: Situation, head: ScannedLine) -> Iterator[ScannedLine]:
    """The lines below one, as far as they are indented deeper."""
    following = situation.lines[situation.lines.index(head) + 1 :]
    return takewhile(lambda line: line.indent > head.indent, following)


def first_otherwise(situation: Situation) -> Diagnostic | None:
    """`otherwise: 0` as a row of a decision."""
    if situation.place != "decide row" or situation.texts[:2] != ("otherwise", ":"):
        return None
    value = situation.written(_VALUE, len(situation.texts))
    return situation.error(
        "RW0106",
        "`otherwise` stands where other rows have `when`",
        at=situation.words[0],
        remedy=f"give the row a name: `other: {value} otherwise`",
        edits=_other_row(situation),
    )


def _other_row(situation: Situation) -> tuple[Edit, ...]:
    """The edits that give a last row a name, and say `otherwise` behind its value."""
    first = situation.words[0]
    titled = situation.words[-1].sort == "string" and len(situation.words) > _VALUE + 1
    end = situation.words[-2 if titled else -1].end
    return situation.change(first.start, first.end, "other"), situation.change(end, end, " otherwise")


_VALUE = 2
