"""How near two sentences of clause lists come to each other: by the words that carry them."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from functools import cache
from math import log

_SMALL = frozenset(
    "a an the of to in on at by for with and or if is are was be been being it its this that these those there here"  # noqa: SIM905
    " each every one as from which who whom whose then thereby has have had do does per into within".split()
)
_TELLING = frozenset(
    "no not never none only may must can cannot unless except without before after instead more less fewer most"  # noqa: SIM905
    " least lowest highest lower higher first last all any both either two three four five six twice once again"
    " random own enemy together half double".split()
)
"""Words that turn a sentence, besides numbers."""
_ENDINGS = ("ing", "ed", "es", "s", "e")
_WORD = re.compile(r"[A-Za-z]+|\d+")
_NEAR = 0.8
_ALIKE = 0.8
_LEAST = 4
_ENOUGH = 3


@cache
def _words(sentence: str) -> tuple[str, ...]:
    """The words that carry a sentence, without their endings, in order."""
    return tuple(_stem(each) for each in _WORD.findall(sentence.lower()) if each not in _SMALL)


def _stem(word: str) -> str:
    ending = next((each for each in _ENDINGS if word.endswith(each) and len(word) - len(each) >= _LEAST - 1), "")
    return word[: len(word) - len(ending)] if ending else word


def likeness(old: str, new: str, weights: Mapping[str, float] | None = None) -> float:
    """Which share of the words of two sentences is in both, from 0 to 1; words that are everywhere may weigh less."""
    mine, others = set(_words(old)), set(_words(new))
    if not mine or not others:
        return 0.0
    found = _shared(mine, others)
    weigh = (weights or {}).get
    whole = sum(weigh(each, 1.0) for each in (*mine, *others))
    return sum(weigh(one, 1.0) + weigh(other, 1.0) for one, other in found) / whole


def weights(sentences: Sequence[str]) -> dict[str, float]:
    """How much each word of some sentences tells: the more, the fewer of them have it."""
    found = Counter(word for each in sentences for word in set(_words(each)))
    return {word: log((1 + len(sentences)) / number) for word, number in found.items()}


def alike(old: str, new: str) -> bool:
    """Whether two sentences say the same: nearly all words of one are in the other, and all that turn it in both."""
    if not old or not new or _turns(old) != _turns(new):
        return old == new
    mine, others = set(_words(old)), set(_words(new))
    shared, fewest = len(_shared(mine, others)), min(len(mine), len(others))
    return likeness(old, new) >= _ALIKE or (fewest >= _ENOUGH and shared == fewest)


def _turns(sentence: str) -> frozenset[str]:
    return frozenset(each for each in _WORD.findall(sentence.lower()) if each in _TELLING or each.isdigit())


def renamed(sentence: str, names: Iterable[tuple[str, str]]) -> str:
    """A sentence of the old revision with the names of the new one: `Knocked Down` where `knocked_down` is `dazed`."""
    for old, new in names:
        words = re.compile(rf"\b{re.escape(old.replace('_', ' '))}\b", re.IGNORECASE)
        sentence = words.sub(new.replace("_", " "), sentence)
    return sentence


def kinship(old: str, new: str) -> float:
    """How much two ids have in common, part by part, from 0 to 1."""
    mine, others = (set(re.split(r"[.\-_]", each)) for each in (old, new))
    return 2 * len(_shared(mine, others)) / (len(mine) + len(others))


def _shared(mine: Collection[str], others: Collection[str]) -> list[tuple[str, str]]:
    """The words of both that are the same or nearly so, each with its partner."""
    left, found = set(others), []
    for each in sorted(mine):
        partner = each if each in left else next((one for one in sorted(left) if _is_near(each, one)), None)
        if partner is not None:
            left.discard(partner)
            found.append((each, partner))
    return found


def _is_near(word: str, other: str) -> bool:
    """Whether two words are one in two spellings: `defence` and `defense`, `crit` and `critical`."""
    if word.isdigit() or other.isdigit() or min(len(word), len(other)) < _LEAST:
        return False
    return word.startswith(other) or other.startswith(word) or SequenceMatcher(None, word, other).ratio() >= _NEAR
