"""Phrases of English that the language writes with other words or signs."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from rulewright.diagnostics.model import Diagnostic
from rulewright.syntax.layout import Word
from rulewright.syntax.mistakes.situation import Situation

_INSTEAD = {
    "all": ("each",),
    "among": ("in",),
    "be": ("=",),
    "but": ("and",),
    "called": ("as",),
    "every": ("each",),
    "from": ("in",),
    "if": ("where", "when", "whether"),
    "into": ("as",),
    "is": ("means",),
    "named": ("as",),
    "returns": ("gives",),
    "such": ("where",),
    "where": ("when",),
    "with": ("where",),
}
"""Words, each with those that it may stand for, the likeliest first."""

_ALONE = frozenset({"in", "each"})
"""Words that are meant only where nothing else would have fitted."""


def other_word(situation: Situation) -> Diagnostic | None:
    """`returns flag`, `roll d6 into x`, `each u in units if …`: another word where one of ours would have fitted."""
    found, accepted = situation.found, situation.trouble.accepted
    if (situation.verb == "step" or situation.place.endswith("row")) and found.text == "if" and "WHERE" not in accepted:
        return None
    arrow = situation.words[situation.at + 1 : situation.at + 2]
    if found.text == "-" and arrow and arrow[0].text == ">" and "GIVES" in accepted:
        return situation.rewritten((found.start, arrow[0].end), "gives")
    if found.text == ":=" and situation.verb in {"let", "setting"}:
        return situation.rewritten(found, "=")
    for word in _INSTEAD.get(found.text, ()):
        terminal = "EQUAL" if word == "=" else word.upper()
        if terminal not in accepted or (word in _ALONE and accepted - {"COMMA"} != {terminal}):
            continue
        following = situation.texts[situation.at + 1 : situation.at + 2]
        if found.text == "such" and following != ("that",):
            continue
        end = situation.words[situation.at + 1].end if found.text == "such" else found.end
        return situation.rewritten((found.start, end), word)
    return None


_COMPARED = {
    "is greater than or equal to": ">=",
    "is less than or equal to": "<=",
    "is not more than": "<=",
    "is not less than": ">=",
    "is greater than": ">",
    "is higher than": ">",
    "is more than": ">",
    "is fewer than": "<",
    "is lower than": "<",
    "is less than": "<",
    "is at least": ">=",
    "is at most": "<=",
    "is equal to": "=",
    "is one of": "in",
    "is not in": "not in",
    "at least": ">=",
    "at most": "<=",
    "is in": "in",
    "equals": "=",
    "exceeds": ">",
    "exists": "!= none",
}
"""Comparisons in words, each with its sign, longer ones first."""

_CONDITIONS = frozenset({"if", "when", "where", "while", "require"})
"""Words that a condition follows."""


def comparison(situation: Situation) -> Diagnostic | None:
    """`x is at least 3`, `x exists`, `x between 3 and 9`."""
    at, texts = situation.at, situation.texts[situation.at :]
    in_condition = not _CONDITIONS.isdisjoint(situation.texts[:at]) and "as" not in situation.texts[:at]
    if "COMPARE" not in situation.trouble.accepted and not (texts[:1] == ("at",) and in_condition):
        return None
    match texts[:5]:
        case ("between", low, "and", high, *_) if low.isdigit() and high.isdigit():
            return situation.rewritten(situation.stretch(at, at + 4), f"in {low}..{high}")
    for said, sign in _COMPARED.items():
        count = len(said.split())
        if texts[:count] == tuple(said.split()) and not _counts(situation, at):
            return situation.rewritten(situation.stretch(at, at + count), sign)
    return None


def comma_for_and(situation: Situation) -> Diagnostic | None:
    """`when hits > 0, target.men > 0`."""
    texts, at = situation.texts, situation.at
    is_closed = texts[:at].count("(") == texts[:at].count(")")
    if situation.found.text != "," or _CONDITIONS.isdisjoint(texts[:at]) or not texts[at + 1 :] or not is_closed:
        return None
    if texts[at + 1] in {"and", "or"}:
        return situation.rewritten(situation.stretch(at, at + 2), texts[at + 1])
    message = "conditions are joined by `and` or `or`, not by a comma"
    edits = (situation.change(situation.found.start, situation.found.end, " and", safe=False),)
    remedy = "write `and`; if one of them is enough, `or`"
    return situation.error("RW0106", message, at=situation.found, remedy=remedy, edits=edits)


_QUANTIFIERS = {"all": "every", "any": "some", "none": "no"}


def quantifier(situation: Situation) -> Diagnostic | None:
    """`any u in units where …`, `there is a u in units`."""
    texts, at, before = situation.texts, situation.at, situation.before
    if before.text in _QUANTIFIERS and texts[at + 1 : at + 2] == ("in",):
        return situation.rewritten(before, _QUANTIFIERS[before.text])
    if at and texts[at - 1 : at + 1] == ("there", "is") and texts[at + 3 : at + 4] == ("in",):
        better = "no" if texts[at + 1] == "no" else "some"
        return situation.rewritten(situation.stretch(at - 1, at + 2), better)
    return None


_SIGNS = {("at", "least"): ">=", ("at", "most"): "<=", ("exactly",): "=", ("more", "than"): ">", ("fewer", "than"): "<"}


def counted(situation: Situation) -> Diagnostic | None:
    """`at least 2 u in units where …`, `at least 2 of u in units`."""
    for start in range(max(0, situation.at - 4), situation.at + 1):
        found = _counts(situation, start)
        if found:
            said, sign, number, name = found
            message = "to ask how many there are, count them"
            remedy = f"write `count(each {name} in … where …) {sign} {number}`"
            return situation.error("RW0106", message, at=situation.stretch(start, start + said), remedy=remedy)
    return None


def _counts(situation: Situation, start: int) -> tuple[int, str, str, str] | None:
    """Of `at least 2 of u in …` that begins at a word: how many words it is, its sign, its number and its name."""
    for phrase, sign in _SIGNS.items():
        texts = situation.texts[start : start + len(phrase) + 4]
        if texts[: len(phrase)] != phrase:
            continue
        number, *rest = texts[len(phrase) :] or ("",)
        name = rest[1:] if rest[:1] == ["of"] else rest
        if number.isdigit() and name[1:2] == ["in"]:
            return len(phrase) + 1 + (rest is not name), sign, number, name[0]
    return None


def either_or_both(situation: Situation) -> Diagnostic | None:
    """`a and/or b`."""
    at = situation.at
    is_one = situation.texts[at - 1 : at + 2] == ("and", "/", "or")
    return situation.rewritten(situation.stretch(at - 1, at + 2), "or") if is_one else None


def negated(situation: Situation, start: int, end: int) -> str:
    """The words between two numbers, with a `not` before them, in brackets where they are more than a name."""
    is_one = all(word.sort == "word" or word.text == "." for word in situation.words[start:end])
    is_one = is_one and not any(one.sort == other.sort for one, other in pairwise(situation.words[start:end]))
    said = situation.written(start, end)
    return f"not {said}" if is_one else f"not ({said})"


def until(situation: Situation) -> Diagnostic | None:
    """`repeat until x at most 9:`, `option y unless x`."""
    found, at, texts = situation.found, situation.at, situation.texts
    if found.text != "unless" and (found.text, situation.verb) != ("until", "repeat"):
        return None
    word = "while" if found.text == "until" else "when"
    if word.upper() not in situation.trouble.accepted:
        return None
    ends = (n for n in range(at + 1, len(texts)) if _ends(situation, n))
    end = next(ends, len(texts))
    better = f"{word} {negated(situation, at + 1, end)}"
    return situation.rewritten(situation.stretch(at, end), better) if end > at + 1 else None


def times(situation: Situation) -> Diagnostic | None:
    """`repeat 3 times:`."""
    head, words = situation.head, situation.words
    end = next((at for at in range(head + 2, len(words)) if words[at].text == "times"), 0)
    if situation.verb != "repeat" or not end or situation.texts[head + 1] == "while":
        return None
    better = f"for each _ in 1..{situation.written(head + 1, end)}"
    return situation.rewritten(situation.stretch(head, end + 1), better)


def _ends(situation: Situation, number: int) -> bool:
    """Whether a condition ends before a word."""
    is_colon = situation.line.opens and number == len(situation.words) - 1
    is_bound = situation.texts[number : number + 2] == ("at", "most")
    return is_colon or is_bound or situation.words[number].sort == "string"


def article(situation: Situation) -> Diagnostic | None:
    """`take 1 from the winner`, `target: a Squad`."""
    before, found = situation.before, situation.found
    if not found.text or before.text not in {"the", "a", "an"}:
        return None
    names_a_type = found.sort == "word" and situation.texts[situation.at - 2] in {":", "of", "gives"}
    if before.text != "the" and not names_a_type:
        return None
    message = f"a name has no `{before.text}` before it"
    edits = (situation.change(before.start, found.start, ""),)
    return situation.error("RW0106", message, at=before, remedy="leave it out", edits=edits)


def possessive(situation: Situation) -> Diagnostic | None:
    """`attacker's health`."""
    texts, words = situation.texts, situation.words
    for at in range(1, len(texts) - 2):
        owner, quote, letter, name = words[at - 1 : at + 3]
        if (quote.text, letter.text) == ("'", "s") and owner.end == quote.start and quote.end == letter.start:
            return situation.rewritten((owner.start, name.end), f"{owner.text}.{name.text}")
    return None


def hyphenated(situation: Situation) -> Diagnostic | None:
    """`procedure fall-back(…)`, `no-leader: …`: a name with a hyphen where nothing is subtracted."""
    at, words = situation.at, situation.words
    if situation.texts[at : at + 1] != ("-",) or not at or "MINUS" in situation.trouble.accepted:
        return None
    end = at
    while situation.texts[end : end + 1] == ("-",) and _touches(words[end - 1 : end + 2]):
        end += 2
    if end == at:
        return None
    start, stop = situation.stretch(at - 1, end)
    return situation.rewritten((start, stop), situation.content[start:stop].replace("-", "_"))


def _touches(words: Sequence[Word]) -> bool:
    """Whether two names stand at either side of a hyphen with nothing between."""
    if [each.sort for each in words] != ["word", "sign", "word"]:
        return False
    return words[0].end == words[1].start and words[1].end == words[2].start


def owner_of(situation: Situation) -> Diagnostic | None:
    """`owner of attacker`, `count of (…)`."""
    before, found, at = situation.before, situation.found, situation.at
    following = situation.words[at + 1 : at + 2]
    if found.text != "of" or before.sort != "word" or not following:
        return None
    if before.text in {"count", "sum", "min", "max", "total"}:
        is_call = following[0].text == "("
        return situation.rewritten((before.start, following[0].end), f"{before.text}(") if is_call else None
    place = list(_place(situation, at + 1))
    if place and before.text in {"amount", "number"}:
        members = situation.content[place[0].start : place[-1].end]
        message = "to ask how many there are, count them"
        remedy = f"write `count({members})`, or of some of them `count(each x in {members} where …)`"
        return situation.error("RW0106", message, at=(before.start, place[-1].end), remedy=remedy)
    if not place or "OF" in situation.trouble.accepted:
        return None
    owned, behind = situation.texts[:at][-2:-1], situation.texts[at + 1 + len(place) :][:1]
    if owned == (".",) or behind in {("(",), ("[",)}:
        return None
    owner = situation.content[place[0].start : place[-1].end]
    return situation.rewritten((before.start, place[-1].end), f"{owner}.{before.text}", safe=False)


def _place(situation: Situation, start: int) -> Iterator[Word]:
    """The words of a name, and the attributes behind it."""
    for number, word in enumerate(situation.words[start:]):
        if word.sort != "word" if number % 2 == 0 else word.text != ".":
            return
        yield word


_MORE = frozenset({"gains", "gain", "increase"})
_FEWER = frozenset({"loses", "lose", "decrease", "reduce"})


def loses_and_gains(situation: Situation) -> Diagnostic | None:
    """`defender loses 1 morale`, `increase turn by 1`."""
    texts = () if situation.place != "line" or "for" in situation.texts else situation.texts
    by = texts.index("by") if "by" in texts[2:-1] else 0
    match texts:
        case (owner, "loses" | "gains" as verb, amount, name):
            place = f"{owner}.{name}"
        case (verb, *_) if by and verb in _MORE | _FEWER:
            place, amount = situation.written(1, by), situation.written(by + 1, len(texts))
        case _:
            return None
    better = f"add {amount} to {place}" if verb in _MORE else f"take {amount} from {place}"
    first, last = situation.words[0], situation.words[-1]
    edits = (situation.change(first.start, last.end, better, safe=False),)
    return situation.error("RW0102", f"`{first.text}` is not a verb", at=first, remedy=f"write `{better}`", edits=edits)


def who_throws(situation: Situation) -> Diagnostic | None:
    """`roll 2d6 for red as blow`."""
    found, texts = situation.found, situation.texts
    named = next((at for at, text in enumerate(texts) if text == "as" and at > situation.at + 1), 0)
    inside = "]" in texts[situation.at : named]
    if situation.verb != "roll" or found.text != "for" or not named or inside:
        return None
    who, rest = situation.written(situation.at + 1, named), situation.written(named, len(texts))
    better = f"{rest} by {who}"
    remedy = f"write `{situation.written(situation.head, situation.at)} {better}`"
    edits = (situation.change(found.start, situation.words[-1].end, better),)
    return situation.error("RW0110", "who throws comes last", at=found, remedy=remedy, edits=edits)


def kind_of_member(situation: Situation) -> Diagnostic | None:
    """`for each unit u in units:`, `for all units u:`."""
    at, texts = situation.head + 2, situation.texts
    if situation.verb != "for" or texts[at - 1 : at] not in {("each",), ("all",), ("every",)}:
        return None
    match texts[at:]:
        case (_, member, "in", *_):
            better = f"for each {member}"
        case (kind, member, *rest) if rest[:1] in ([], [":"], ["where"]) and (plural := _plural(situation, kind)):
            better = f"for each {member} in {plural}"
        case _:
            return None
    start, end = situation.line.verb.start, situation.words[at + 1].end
    return situation.rewritten((start, end), better) if member.isidentifier() and member != "in" else None


def _plural(situation: Situation, name: str) -> str:
    """The plural of the kind that a name means, `Unit`, `unit` or `units`; empty where it means none."""
    for line in situation.lines:
        match [word.text for word in line.words[:4]]:
            case ["kind", singular, ",", plural] if name in {singular, singular.lower(), plural}:
                return plural
    return ""
