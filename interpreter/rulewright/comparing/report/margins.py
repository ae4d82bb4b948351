"""Which clauses stand in the margin of what, and which clause, by its words and its lines, became which."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import cache
from math import log, sqrt

from rulewright.analysis.symbols import ClauseEntry
from rulewright.comparing.edits import Correspondence
from rulewright.comparing.pairing import translated
from rulewright.frozen import dataclass
from rulewright.outline.items import Item, Name, Outline

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
_FEW_WORDS = 3


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
    return likeness(old, new) >= _ALIKE or (fewest >= _FEW_WORDS and shared == fewest)


class Telling:
    """Puts sentences in order, so that the first few tell the most that a reader does not know yet."""

    def __init__(self, known: Iterable[str]) -> None:
        self._said = list(known)
        self._words = {word for each in self._said for word in _words(each)}

    def ordered(self, clauses: Iterable[ClauseEntry]) -> list[str]:
        """Some clauses, the most telling first and examples last; what they say is known from then on."""
        left, found = list(clauses), list[str]()
        heard = {each.id: max((likeness(one, each.says) for one in self._said), default=0.0) for each in left}
        while left:
            best = max(left, key=lambda each: self._new(each, heard[each.id]))  # the first of equal ones
            left.remove(best)
            found.append(best.id)
            self._said.append(best.says)
            self._words.update(_words(best.says))
            heard |= {each.id: max(heard[each.id], likeness(best.says, each.says)) for each in left}
        return found

    def _new(self, clause: ClauseEntry, heard: float) -> tuple[bool, float]:
        """How much a clause tells that is not known, for its length: the less, the more it is like a known one."""
        words = _words(clause.says)
        fresh = sum(each not in self._words for each in set(words)) + len(_turns(clause.says))
        return "example" not in f"{clause.id} {clause.where}".lower(), (1 - heard) ** 2 * fresh / sqrt(len(words) or 1)


def turned(old: str, new: str) -> int:
    """How many words that turn a sentence are in one of two only."""
    return len(_turns(old) ^ _turns(new))


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


@cache
def _is_near(word: str, other: str) -> bool:
    """Whether two words are one in two spellings: `defence` and `defense`, `crit` and `critical`."""
    if word.isdigit() or other.isdigit() or min(len(word), len(other)) < _LEAST:
        return False
    if word.startswith(other) or other.startswith(word):
        return True
    matcher = SequenceMatcher(None, word, other)
    return matcher.real_quick_ratio() >= _NEAR and matcher.quick_ratio() >= _NEAR and matcher.ratio() >= _NEAR


_BY_MARGIN, _BY_WORDS, _BY_ID, _SAME_ID = 2.0, 2.0, 1.0, 1.0
_ENOUGH = 0.8
_LEAST_WORDS = 0.1
_TOLD = frozenset({"attribute", "word", "kind", "field", "part"})
_DECLARED = frozenset({"procedure", "ruling"})


class Margins:
    """The margins of one revision."""

    def __init__(self, outline: Outline) -> None:
        self._around = {id(each): item for item in outline.every() for each in item.items}

    def own(self, item: Item) -> tuple[str, ...]:
        """The clauses an item cites itself; those of what it stands in where it cites none."""
        return self.proper(item) or item.cites

    def proper(self, item: Item) -> tuple[str, ...]:
        """The clauses an item cites itself, and no others."""
        around = self.around(item)
        inherited = frozenset(around.cites) if around else frozenset()
        return tuple(each for each in item.cites if each not in inherited)

    def inside(self, item: Item) -> tuple[str, ...]:
        """The clauses an item and all lines inside it cite themselves, in order, each once."""
        return tuple(dict.fromkeys(each for one in item.inside() for each in self.proper(one)))

    def around(self, item: Item) -> Item | None:
        """What an item stands in; none for a declaration."""
        return self._around.get(id(item))

    def declaration(self, item: Item) -> Item:
        """The declaration an item stands in, which it may be itself."""
        around = self.around(item)
        return item if around is None else self.declaration(around)


@dataclass(frozen=True, slots=True)
class Clauses:
    """The clauses of two revisions."""

    old: Mapping[str, ClauseEntry]  # all of the old revision by id, in the order of their lists
    new: Mapping[str, ClauseEntry]  # all of the new one
    became: Mapping[str, str]  # the new clause by the old one, for those that have one
    # pairs of clauses whose every line of the old revision stands, word for word, at the new clause
    unedited: frozenset[tuple[str, str]]
    # pairs of clauses of which some line of the old revision stands, word for word, at the new clause
    kept: frozenset[tuple[str, str]]
    names: Sequence[tuple[str, str]]  # what has another name, by its old and its new name

    def says_same(self, old: str, new: str) -> bool:
        """Whether two clauses say the same, as far as their sentences or their lines tell."""
        return (old, new) in self.unedited or self.reads_same(old, new)

    def reads_same(self, old: str, new: str) -> bool:
        """Whether the sentences of two clauses say the same, what only has another name left aside."""
        before, after = self.old.get(old), self.new.get(new)
        said = (before.says if before else "", after.says if after else "")
        return alike(renamed(said[0], self.names), said[1])


def clauses_of(
    lists: tuple[Sequence[ClauseEntry], Sequence[ClauseEntry]],
    outlines: tuple[Outline, Outline],
    margins: tuple[Margins, Margins],
    same: Correspondence,
) -> Clauses:
    """Pairs the clauses of two revisions: by id, by the lines that cite them, and by what they say."""
    old, new = ({each.id: each for each in one} for one in lists)
    for known, outline, side in ((old, outlines[0], margins[0]), (new, outlines[1], margins[1])):
        for item in outline.every():
            known |= {each: ClauseEntry(each) for each in side.proper(item) if each not in known}
    votes, kept = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for before, after in _partners(outlines, same):
        cites = margins[0].proper(before), margins[1].proper(after)
        _vote(votes, *cites)
        if _form(before, same.names) == _form(after, {}):
            _vote(kept, *cites)
    lines = tuple(_cited(outline, side) for outline, side in zip(outlines, margins, strict=True))
    for key in (_form, _label):
        there = _by(key, outlines[1], margins[1], {})
        for form, mine in _by(key, outlines[0], margins[0], same.names).items():
            _vote(votes, mine, there.get(form, ()))
    names = tuple(
        (one.last, other.last) for one, other in same.names.items() if one.sort in _TOLD and one.last != other.last
    )
    became = _became(old, new, votes, names)
    unedited = frozenset(pair for pair in became.items() if _stands(*pair, lines, same.names))
    return Clauses(old, new, became, unedited, frozenset(kept), names)


def _partners(outlines: tuple[Outline, Outline], same: Correspondence) -> Iterator[tuple[Item, Item]]:
    by_address: dict[tuple[str, str], Item] = {}
    for item in outlines[1].every():
        by_address.setdefault((item.sort, item.address), item)
    seen = set[tuple[str, str]]()
    for item in outlines[0].every():
        new = same.addresses.get(item.address) if item.address else None
        partner = by_address.get((item.sort, new)) if new else None
        if partner is not None and (item.sort, item.address) not in seen:
            seen.add((item.sort, item.address))
            yield item, partner


def _vote(votes: Counter[tuple[str, str]], old: Sequence[str], new: Sequence[str]) -> None:
    for one in old:
        for other in new:
            votes[one, other] += 1 / (len(old) * len(new))  # type: ignore[assignment]


_Cited = Sequence[tuple[Item, tuple[str, ...]]]


def _cited(outline: Outline, margins: Margins) -> _Cited:
    return [(item, cites) for item in outline.every() if (cites := margins.proper(item))]


_Key = Callable[[Item, Mapping[Name, Name]], object]


def _by(key: _Key, outline: Outline, margins: "Margins", names: Mapping[Name, Name]) -> dict[object, tuple[str, ...]]:
    """The clauses of items that one revision has once, by what they say or are called."""
    found: dict[object, list[tuple[str, ...]]] = {}
    for item in outline.every():
        if item.cites and item.sort not in _DECLARED:
            found.setdefault(key(item, names), []).append(margins.own(item))
    return {form: cites[0] for form, cites in found.items() if form and len(cites) == 1}


def _form(item: Item, names: Mapping[Name, Name]) -> object:
    """What an item says, names of its own declaration by their words alone."""
    said = translated(item.form, names)
    return tuple((each.sort, each.last) if isinstance(each, Name) and each.owner else each for each in said)


def _label(item: Item, names: Mapping[Name, Name]) -> object:
    """What the author of an item calls it."""
    del names
    return (item.sort, item.id) if item.id else None


def _stands(old: str, new: str, lines: tuple[_Cited, ...], names: Mapping[Name, Name]) -> bool:
    mine = [_form(item, names) for item, cites in lines[0] if old in cites]
    others = [_form(item, {}) for item, cites in lines[1] if new in cites]
    return bool(mine) and len(mine) == len(others) and all(each in others for each in mine)


def _became(
    old: Mapping[str, ClauseEntry],
    new: Mapping[str, ClauseEntry],
    votes: Counter[tuple[str, str]],
    names: Sequence[tuple[str, str]],
) -> dict[str, str]:
    found = {each: each for each in old if each in new}
    left = [each for each in old if each not in found]
    free = [each for each in new if each not in found]
    telling = weights([each.says for each in (*old.values(), *new.values())])
    scored = sorted(
        (
            (-_score(old[one], new[other], votes[one, other], names, telling), a, b)
            for a, one in enumerate(left)
            for b, other in enumerate(free)
        ),
    )
    taken = set[str]()
    for unlike, a, b in scored:
        if -unlike >= _ENOUGH and left[a] not in found and free[b] not in taken:
            found[left[a]] = free[b]
            taken.add(free[b])
    return {each: found[each] for each in old if each in found}


def _score(
    old: ClauseEntry, new: ClauseEntry, votes: float, names: Sequence[tuple[str, str]], telling: Mapping[str, float]
) -> float:
    words = likeness(renamed(old.says, names), new.says, telling)
    if words < _LEAST_WORDS and not votes:
        return 0
    same = _SAME_ID if _local(old.id) == _local(new.id) else 0.0
    return _BY_MARGIN * min(1, votes) + _BY_WORDS * words + _BY_ID * kinship(_local(old.id), _local(new.id)) + same


def _local(clause: str) -> str:
    return clause.partition(".")[2]
