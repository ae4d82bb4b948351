"""English phrases for which the language has other words or signs."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from rulewright.base.diagnostics import Diagnostic
from rulewright.syntax.layout import ScannedWord
from rulewright.syntax.mistakes.mistake_context import MistakeContext

_REPLACEMENT_WORDS = {
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
"""English words, each with the words it may stand for, most likely first."""

_LAST_RESORT_WORDS = frozenset({"in", "each"})
"""Replacements used only if no other would have been accepted."""


def diagnose_foreign_word(situation: MistakeContext) -> Diagnostic | None:
    """`returns flag`, `roll d6 into x`, `each u in units if …`: a word whose counterpart would have been accepted."""
    scanned_word, accepted = situation.stop_word, situation.failure.accepted
    if (
        (situation.verb == "step" or situation.line_kind.endswith("row"))
        and scanned_word.text == "if"
        and "WHERE" not in accepted
    ):
        return None
    arrow = situation.words[situation.stop_index + 1 : situation.stop_index + 2]
    if scanned_word.text == "-" and arrow and arrow[0].text == ">" and "GIVES" in accepted:
        return situation.diagnose_rewriting((scanned_word.start, arrow[0].end), "gives")
    if scanned_word.text == ":=" and situation.verb in {"let", "setting"}:
        return situation.diagnose_rewriting(scanned_word, "=")
    for word in _REPLACEMENT_WORDS.get(scanned_word.text, ()):
        terminal = "EQUAL" if word == "=" else word.upper()
        if terminal not in accepted or (word in _LAST_RESORT_WORDS and accepted - {"COMMA"} != {terminal}):
            continue
        following = situation.texts[situation.stop_index + 1 : situation.stop_index + 2]
        if scanned_word.text == "such" and following != ("that",):
            continue
        end = situation.words[situation.stop_index + 1].end if scanned_word.text == "such" else scanned_word.end
        return situation.diagnose_rewriting((scanned_word.start, end), word)
    return None


_COMPARISON_PHRASES = {
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
"""Comparisons in words, each with its sign, longest first."""

_CONDITION_WORDS = frozenset({"if", "when", "where", "while", "require"})
"""Words before a condition."""


def diagnose_worded_comparison(situation: MistakeContext) -> Diagnostic | None:
    """`x is at least 3`, `x exists`, `x between 3 and 9`."""
    at, texts = situation.stop_index, situation.texts[situation.stop_index :]
    in_condition = not _CONDITION_WORDS.isdisjoint(situation.texts[:at]) and "as" not in situation.texts[:at]
    if "COMPARE" not in situation.failure.accepted and not (texts[:1] == ("at",) and in_condition):
        return None
    match texts[:5]:
        case ("between", low, "and", high, *_) if low.isdigit() and high.isdigit():
            return situation.diagnose_rewriting(situation.get_offsets(at, at + 4), f"in {low}..{high}")
    for written, sign in _COMPARISON_PHRASES.items():
        count = len(written.split())
        if texts[:count] == tuple(written.split()) and not _match_count_phrase(situation, at):
            return situation.diagnose_rewriting(situation.get_offsets(at, at + count), sign)
    return None


def diagnose_comma_for_and(situation: MistakeContext) -> Diagnostic | None:
    """`when hits > 0, target.men > 0`."""
    texts, at = situation.texts, situation.stop_index
    is_closed = texts[:at].count("(") == texts[:at].count(")")
    if (
        situation.stop_word.text != ","
        or _CONDITION_WORDS.isdisjoint(texts[:at])
        or not texts[at + 1 :]
        or not is_closed
    ):
        return None
    if texts[at + 1] in {"and", "or"}:
        return situation.diagnose_rewriting(situation.get_offsets(at, at + 2), texts[at + 1])
    message = "conditions are joined by `and` or `or`, not by a comma"
    edits = (situation.make_edit(situation.stop_word.start, situation.stop_word.end, " and", safe=False),)
    remedy = "write `and`; if one of them is enough, `or`"
    return situation.make_line_error("RW0106", message, at=situation.stop_word, remedy=remedy, edits=edits)


_FOREIGN_QUANTIFIERS = {"all": "every", "any": "some", "none": "no"}


def diagnose_foreign_quantifier(situation: MistakeContext) -> Diagnostic | None:
    """`any u in units where …`, `there is a u in units`."""
    texts, at, before = situation.texts, situation.stop_index, situation.word_before
    if before.text in _FOREIGN_QUANTIFIERS and texts[at + 1 : at + 2] == ("in",):
        return situation.diagnose_rewriting(before, _FOREIGN_QUANTIFIERS[before.text])
    if at and texts[at - 1 : at + 1] == ("there", "is") and texts[at + 3 : at + 4] == ("in",):
        better = "no" if texts[at + 1] == "no" else "some"
        return situation.diagnose_rewriting(situation.get_offsets(at - 1, at + 2), better)
    return None


_COUNT_PHRASES = {
    ("at", "least"): ">=",
    ("at", "most"): "<=",
    ("exactly",): "=",
    ("more", "than"): ">",
    ("fewer", "than"): "<",
}


def diagnose_counted_quantifier(situation: MistakeContext) -> Diagnostic | None:
    """`at least 2 u in units where …`, `at least 2 of u in units`."""
    for start in range(max(0, situation.stop_index - 4), situation.stop_index + 1):
        items = _match_count_phrase(situation, start)
        if items:
            length, sign, number, name = items
            message = "to ask how many there are, count them"
            remedy = f"write `count(each {name} in … where …) {sign} {number}`"
            return situation.make_line_error(
                "RW0106", message, at=situation.get_offsets(start, start + length), remedy=remedy
            )
    return None


def _match_count_phrase(situation: MistakeContext, start: int) -> tuple[int, str, str, str] | None:
    """Of `at least 2 of u in …` at a word: number of its words, sign, number and name."""
    for phrase, sign in _COUNT_PHRASES.items():
        texts = situation.texts[start : start + len(phrase) + 4]
        if texts[: len(phrase)] != phrase:
            continue
        number, *rest = texts[len(phrase) :] or ("",)
        name = rest[1:] if rest[:1] == ["of"] else rest
        if number.isdigit() and name[1:2] == ["in"]:
            return len(phrase) + 1 + (rest is not name), sign, number, name[0]
    return None


def diagnose_and_or(situation: MistakeContext) -> Diagnostic | None:
    """`a and/or b`."""
    at = situation.stop_index
    is_one = situation.texts[at - 1 : at + 2] == ("and", "/", "or")
    return situation.diagnose_rewriting(situation.get_offsets(at - 1, at + 2), "or") if is_one else None


def negate_words(situation: MistakeContext, start: int, end: int) -> str:
    """Words between two indices after a `not`, bracketed unless they are a single name."""
    is_one = all(word.sort == "word" or word.text == "." for word in situation.words[start:end])
    is_one = is_one and not any(one.sort == other.sort for one, other in pairwise(situation.words[start:end]))
    written = situation.get_words_text(start, end)
    return f"not {written}" if is_one else f"not ({written})"


def diagnose_until(situation: MistakeContext) -> Diagnostic | None:
    """`repeat until x at most 9:`, `option y unless x`."""
    scanned_word, at, texts = situation.stop_word, situation.stop_index, situation.texts
    if scanned_word.text != "unless" and (scanned_word.text, situation.verb) != ("until", "repeat"):
        return None
    word = "while" if scanned_word.text == "until" else "when"
    if word.upper() not in situation.failure.accepted:
        return None
    ends = (n for n in range(at + 1, len(texts)) if _is_condition_end(situation, n))
    end = next(ends, len(texts))
    better = f"{word} {negate_words(situation, at + 1, end)}"
    return situation.diagnose_rewriting(situation.get_offsets(at, end), better) if end > at + 1 else None


def diagnose_times_loop(situation: MistakeContext) -> Diagnostic | None:
    """`repeat 3 times:`."""
    head, words = situation.verb_index, situation.words
    end = next((at for at in range(head + 2, len(words)) if words[at].text == "times"), 0)
    if situation.verb != "repeat" or not end or situation.texts[head + 1] == "while":
        return None
    better = f"for each _ in 1..{situation.get_words_text(head + 1, end)}"
    return situation.diagnose_rewriting(situation.get_offsets(head, end + 1), better)


def _is_condition_end(situation: MistakeContext, number: int) -> bool:
    is_colon = situation.line.opens_block and number == len(situation.words) - 1
    is_bound = situation.texts[number : number + 2] == ("at", "most")
    return is_colon or is_bound or situation.words[number].sort == "string"


def diagnose_article(situation: MistakeContext) -> Diagnostic | None:
    """`take 1 from the winner`, `target: a Squad`."""
    before, scanned_word = situation.word_before, situation.stop_word
    if not scanned_word.text or before.text not in {"the", "a", "an"}:
        return None
    names_a_type = scanned_word.sort == "word" and situation.texts[situation.stop_index - 2] in {":", "of", "gives"}
    if before.text != "the" and not names_a_type:
        return None
    message = f"a name has no `{before.text}` before it"
    edits = (situation.make_edit(before.start, scanned_word.start, ""),)
    return situation.make_line_error("RW0106", message, at=before, remedy="leave it out", edits=edits)


def diagnose_possessive(situation: MistakeContext) -> Diagnostic | None:
    """`attacker's health`."""
    texts, words = situation.texts, situation.words
    for at in range(1, len(texts) - 2):
        owner, quote, letter, name = words[at - 1 : at + 3]
        if (quote.text, letter.text) == ("'", "s") and owner.end == quote.start and quote.end == letter.start:
            return situation.diagnose_rewriting((owner.start, name.end), f"{owner.text}.{name.text}")
    return None


def diagnose_hyphenated_name(situation: MistakeContext) -> Diagnostic | None:
    """`procedure fall-back(…)`, `no-leader: …`: a name with a hyphen where nothing is subtracted."""
    at, words = situation.stop_index, situation.words
    if situation.texts[at : at + 1] != ("-",) or not at or "MINUS" in situation.failure.accepted:
        return None
    end = at
    while situation.texts[end : end + 1] == ("-",) and _has_touching_names(words[end - 1 : end + 2]):
        end += 2
    if end == at:
        return None
    start, stop = situation.get_offsets(at - 1, end)
    return situation.diagnose_rewriting((start, stop), situation.content[start:stop].replace("-", "_"))


def _has_touching_names(words: Sequence[ScannedWord]) -> bool:
    if [word.sort for word in words] != ["word", "sign", "word"]:
        return False
    return words[0].end == words[1].start and words[1].end == words[2].start


_BEFORE_MEMBER_NAMES = frozenset({("for",), ("each",), ("some",), ("no",), ("every",), ("the",)})


def diagnose_owner_of(situation: MistakeContext) -> Diagnostic | None:
    """`owner of attacker`, `count of (…)`, `for y of units`."""
    before, scanned_word, at = situation.word_before, situation.stop_word, situation.stop_index
    following = situation.words[at + 1 : at + 2]
    if scanned_word.text != "of" or before.sort != "word" or not following:
        return None
    if before.text in {"count", "sum", "min", "max", "total"}:
        is_call = following[0].text == "("
        return situation.diagnose_rewriting((before.start, following[0].end), f"{before.text}(") if is_call else None
    place = list(_get_place_words(situation, at + 1))
    if place and before.text in {"amount", "number"}:
        members = situation.content[place[0].start : place[-1].end]
        message = "to ask how many there are, count them"
        remedy = f"write `count({members})`, or of some of them `count(each x in {members} where …)`"
        return situation.make_line_error("RW0106", message, at=(before.start, place[-1].end), remedy=remedy)
    if not place or "OF" in situation.failure.accepted:
        return None
    if situation.texts[at - 2 : at - 1][:1] in _BEFORE_MEMBER_NAMES:
        message = f"`{before.text} of {following[0].text}` is written `{before.text} in {following[0].text}`"
        remedy = f"write `{before.text} in {following[0].text}`"
        return situation.make_line_error("RW0106", message, at=scanned_word, remedy=remedy, edit="in")
    owned, behind = situation.texts[:at][-2:-1], situation.texts[at + 1 + len(place) :][:1]
    if owned == (".",) or behind in {("(",), ("[",)}:
        return None
    owner = situation.content[place[0].start : place[-1].end]
    return situation.diagnose_rewriting((before.start, place[-1].end), f"{owner}.{before.text}", safe=False)


def _get_place_words(situation: MistakeContext, start: int) -> Iterator[ScannedWord]:
    for number, word in enumerate(situation.words[start:]):
        if word.sort != "word" if number % 2 == 0 else word.text != ".":
            return
        yield word


_INCREASE_WORDS = frozenset({"gains", "gain", "increase"})
_DECREASE_WORDS = frozenset({"loses", "lose", "decrease", "reduce"})


def diagnose_loses_and_gains(situation: MistakeContext) -> Diagnostic | None:
    """`defender loses 1 morale`, `increase turn by 1`."""
    texts = () if situation.line_kind != "line" or "for" in situation.texts else situation.texts
    by = texts.index("by") if "by" in texts[2:-1] else 0
    match texts:
        case (owner, "loses" | "gains" as verb, amount, name):
            place = f"{owner}.{name}"
        case (verb, *_) if by and verb in _INCREASE_WORDS | _DECREASE_WORDS:
            place, amount = situation.get_words_text(1, by), situation.get_words_text(by + 1, len(texts))
        case _:
            return None
    better = f"add {amount} to {place}" if verb in _INCREASE_WORDS else f"take {amount} from {place}"
    first, last = situation.words[0], situation.words[-1]
    edits = (situation.make_edit(first.start, last.end, better, safe=False),)
    return situation.make_line_error(
        "RW0102", f"`{first.text}` is not a verb", at=first, remedy=f"write `{better}`", edits=edits
    )


def diagnose_roller_order(situation: MistakeContext) -> Diagnostic | None:
    """`roll 2d6 for red as blow`."""
    scanned_word, texts = situation.stop_word, situation.texts
    named = next((at for at, text in enumerate(texts) if text == "as" and at > situation.stop_index + 1), 0)
    inside = "]" in texts[situation.stop_index : named]
    if situation.verb != "roll" or scanned_word.text != "for" or not named or inside:
        return None
    who, rest = situation.get_words_text(situation.stop_index + 1, named), situation.get_words_text(named, len(texts))
    better = f"{rest} by {who}"
    remedy = f"write `{situation.get_words_text(situation.verb_index, situation.stop_index)} {better}`"
    edits = (situation.make_edit(scanned_word.start, situation.words[-1].end, better),)
    return situation.make_line_error("RW0110", "who throws comes last", at=scanned_word, remedy=remedy, edits=edits)


def diagnose_kind_of_member(situation: MistakeContext) -> Diagnostic | None:
    """`for each unit u in units:`, `for all units u:`."""
    at, texts = situation.verb_index + 2, situation.texts
    if situation.verb != "for" or texts[at - 1 : at] not in {("each",), ("all",), ("every",)}:
        return None
    match texts[at:]:
        case (_, member, "in", *_):
            better = f"for each {member}"
        case (kind, member, *rest) if rest[:1] in ([], [":"], ["where"]) and (plural := _find_plural(situation, kind)):
            better = f"for each {member} in {plural}"
        case _:
            return None
    start, end = situation.line.verb.start, situation.words[at + 1].end
    return situation.diagnose_rewriting((start, end), better) if member.isidentifier() and member != "in" else None


def _find_plural(situation: MistakeContext, name: str) -> str:
    """Plural of the kind meant by `Unit`, `unit` or `units`; empty where none is."""
    for line in situation.lines:
        match [word.text for word in line.words[:4]]:
            case ["kind", singular, ",", plural] if name in {singular, singular.lower(), plural}:
                return plural
    return ""
