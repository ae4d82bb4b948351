"""Margins (clauses cited beside lines), and matching of clauses by id, by the lines that cite them and by their words."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import cache
from math import log, sqrt

from rulewright.base.frozen import dataclass
from rulewright.checker.symbols import ClauseListEntry
from rulewright.diff.edits import Correspondence
from rulewright.diff.item_matching import translate_names
from rulewright.diff.item_places import ItemPlaces
from rulewright.program.outline.items import DeclaredName, Outline, OutlineItem

_STOP_WORDS = frozenset(
    "a an the of to in on at by for with and or if is are was be been being it its this that these those there here"  # noqa: SIM905
    " each every one as from which who whom whose then thereby has have had do does per into within".split()
)
_TURNING_WORDS = frozenset(
    "no not never none only may must can cannot unless except without before after instead more less fewer most"  # noqa: SIM905
    " least lowest highest lower higher first last all any both either two three four five six twice once again"
    " random own enemy together half double".split()
)
"""Words that change the meaning of a sentence, besides numbers."""
_WORD_ENDINGS = ("ing", "ed", "es", "s", "e")
_WORD_PATTERN = re.compile(r"[A-Za-z]+|\d+")
_MIN_SPELLING_SIMILARITY = 0.8
_MIN_SENTENCE_SIMILARITY = 0.8
_MIN_STEM_LETTERS = 4
_MIN_SENTENCE_WORDS = 3


@cache
def _content_words(sentence: str) -> tuple[str, ...]:
    """Content words of a sentence, stemmed, in order."""
    return tuple(_stem_word(item) for item in _WORD_PATTERN.findall(sentence.lower()) if item not in _STOP_WORDS)


def _stem_word(word: str) -> str:
    ending = next(
        (
            word_ending
            for word_ending in _WORD_ENDINGS
            if word.endswith(word_ending) and len(word) - len(word_ending) >= _MIN_STEM_LETTERS - 1
        ),
        "",
    )
    return word[: len(word) - len(ending)] if ending else word


def sentence_similarity(old: str, new: str, weights: Mapping[str, float] | None = None) -> float:
    """Similarity of two sentences: Dice coefficient of their words, from 0 to 1, weighted if given."""
    old_words, new_words = set(_content_words(old)), set(_content_words(new))
    if not old_words or not new_words:
        return 0.0
    result = _match_words(old_words, new_words)
    weigh = (weights or {}).get
    whole = sum(weigh(item, 1.0) for item in (*old_words, *new_words))
    return sum(weigh(one, 1.0) + weigh(other, 1.0) for one, other in result) / whole


def inverse_document_frequency(sentences: Sequence[str]) -> dict[str, float]:
    """Inverse document frequency of the words of sentences (Sparck Jones 1972)."""
    result = Counter(word for sentence in sentences for word in set(_content_words(sentence)))
    return {word: log((1 + len(sentences)) / number) for word, number in result.items()}


def is_same_sentence(old: str, new: str) -> bool:
    """Whether two sentences are equal but for wording: nearly all words shared, all turning words equal."""
    if not old or not new or _find_turning_words(old) != _find_turning_words(new):
        return old == new
    old_words, new_words = set(_content_words(old)), set(_content_words(new))
    shared, fewest = len(_match_words(old_words, new_words)), min(len(old_words), len(new_words))
    return sentence_similarity(old, new) >= _MIN_SENTENCE_SIMILARITY or (
        fewest >= _MIN_SENTENCE_WORDS and shared == fewest
    )


class ClauseRanking:
    """Greedy ranking of sentences by how much they tell that the earlier ones did not."""

    def __init__(self, known: Iterable[str]) -> None:
        self._known_sentences = list(known)
        self._known_words = {
            word for known_sentence in self._known_sentences for word in _content_words(known_sentence)
        }

    def rank_clauses(self, clauses: Iterable[ClauseListEntry]) -> list[str]:
        """Clauses, the most novel first and examples last; they count as known from then on."""
        remaining, result = list(clauses), list[str]()
        heard = {
            clause_list_entry.id: max(
                (sentence_similarity(one, clause_list_entry.paraphrase) for one in self._known_sentences), default=0.0
            )
            for clause_list_entry in remaining
        }
        while remaining:
            best = max(
                remaining,
                key=lambda clause_list_entry: self._clause_novelty(clause_list_entry, heard[clause_list_entry.id]),
            )  # the first of equal ones
            remaining.remove(best)
            result.append(best.id)
            self._known_sentences.append(best.paraphrase)
            self._known_words.update(_content_words(best.paraphrase))
            heard |= {
                clause_list_entry.id: max(
                    heard[clause_list_entry.id], sentence_similarity(best.paraphrase, clause_list_entry.paraphrase)
                )
                for clause_list_entry in remaining
            }
        return result

    def _clause_novelty(self, clause: ClauseListEntry, heard: float) -> tuple[bool, float]:
        words = _content_words(clause.paraphrase)
        fresh = sum(word not in self._known_words for word in set(words)) + len(_find_turning_words(clause.paraphrase))
        return "example" not in f"{clause.id} {clause.location}".lower(), (1 - heard) ** 2 * fresh / sqrt(
            len(words) or 1
        )


def count_turned_words(old: str, new: str) -> int:
    """Number of turning words (`not`, `only`, numbers ...) in one sentence only."""
    return len(_find_turning_words(old) ^ _find_turning_words(new))


def _find_turning_words(sentence: str) -> frozenset[str]:
    return frozenset(
        item for item in _WORD_PATTERN.findall(sentence.lower()) if item in _TURNING_WORDS or item.isdigit()
    )


def rename_in_sentence(sentence: str, names: Iterable[tuple[str, str]], now: str = "") -> str:
    """Sentence of the old revision with the names of the new one: `Knocked Down` where `knocked_down` is `dazed`.

    What the new sentence, if it is given, still says is no name in it: a `map` may be found where the board `map` has
    another name, unless something else is a `map` now.
    """
    spoken = {old.replace("_", " ").lower(): new.replace("_", " ") for old, new in names}
    taken = {new.lower() for new in spoken.values()}
    renamed = [old for old in spoken if old in taken or not re.search(_spoken_pattern([old]), now, re.IGNORECASE)]
    if not renamed:
        return sentence
    return re.sub(_spoken_pattern(renamed), lambda match: spoken[match[0].lower()], sentence, flags=re.IGNORECASE)


def _spoken_pattern(names: Iterable[str]) -> str:
    return rf"\b(?:{'|'.join(map(re.escape, names))})\b"


def id_similarity(old: str, new: str) -> float:
    """Similarity of two ids, part by part, from 0 to 1."""
    old_parts, new_parts = (set(re.split(r"[.\-_]", item)) for item in (old, new))
    return 2 * len(_match_words(old_parts, new_parts)) / (len(old_parts) + len(new_parts))


def _match_words(old_words: Collection[str], new_words: Collection[str]) -> list[tuple[str, str]]:
    free, result = set(new_words), []
    for item in sorted(old_words):
        partner = item if item in free else next((one for one in sorted(free) if _is_same_word(item, one)), None)
        if partner is not None:
            free.discard(partner)
            result.append((item, partner))
    return result


@cache
def _is_same_word(word: str, other: str) -> bool:
    """Whether two words are spellings of one: `defence` and `defense`, `crit` and `critical`."""
    if word.isdigit() or other.isdigit() or min(len(word), len(other)) < _MIN_STEM_LETTERS:
        return False
    if word.startswith(other) or other.startswith(word):
        return True
    matcher = SequenceMatcher(None, word, other)
    return (
        matcher.real_quick_ratio() >= _MIN_SPELLING_SIMILARITY
        and matcher.quick_ratio() >= _MIN_SPELLING_SIMILARITY
        and matcher.ratio() >= _MIN_SPELLING_SIMILARITY
    )


_MARGIN_WEIGHT, _WORDS_WEIGHT, _ID_WEIGHT, _SAME_ID_BONUS = 2.0, 2.0, 1.0, 1.0
_MIN_CLAUSE_SCORE = 0.8
_MIN_WORDS_SIMILARITY = 0.1
_RENAMED_SORTS = frozenset({"attribute", "word", "kind", "field", "part"})
_UNMATCHED_SORTS = frozenset({"procedure", "ruling"})


class ClauseMargins:
    """Margins of one revision."""

    def __init__(self, places: ItemPlaces) -> None:
        self._places = places

    def find_clauses(self, item: OutlineItem) -> tuple[str, ...]:
        """Clauses an item cites; of its parent where it cites none."""
        return self.find_own_clauses(item) or item.cites

    def find_own_clauses(self, item: OutlineItem) -> tuple[str, ...]:
        """Clauses an item cites itself."""
        around = self._places.find_parent(item)
        inherited = frozenset(around.cites) if around else frozenset()
        return tuple(cite for cite in item.cites if cite not in inherited)

    def find_clauses_inside(self, item: OutlineItem) -> tuple[str, ...]:
        """Clauses that an item and all lines inside it cite, in order, each once."""
        return tuple(dict.fromkeys(clause for one in item.walk_subtree() for clause in self.find_own_clauses(one)))


@dataclass(frozen=True, slots=True)
class ClausePairs:
    """Clauses of two revisions, paired."""

    old: Mapping[str, ClauseListEntry]  # by id, in the order of their lists
    new: Mapping[str, ClauseListEntry]
    successors: Mapping[str, str]  # old to new clause
    unedited: frozenset[tuple[str, str]]  # pairs whose every old line is unchanged at the new clause
    partly_unedited: frozenset[tuple[str, str]]  # pairs with some unchanged line
    names: Sequence[tuple[str, str]]  # renames as (old, new)

    def is_same_clause(self, old: str, new: str) -> bool:
        """Whether two clauses say the same, by their sentences or their lines."""
        return (old, new) in self.unedited or self.has_same_sentence(old, new)

    def has_same_sentence(self, old: str, new: str) -> bool:
        """Whether the sentences of two clauses are the same but for renames."""
        before, after = self.old.get(old), self.new.get(new)
        sentences = (before.paraphrase if before else "", after.paraphrase if after else "")
        return is_same_sentence(rename_in_sentence(sentences[0], self.names, sentences[1]), sentences[1])


def pair_clauses(
    lists: tuple[Sequence[ClauseListEntry], Sequence[ClauseListEntry]],
    outlines: tuple[Outline, Outline],
    margins: tuple[ClauseMargins, ClauseMargins],
    same: Correspondence,
) -> ClausePairs:
    """Pairs of clauses: by id, by the lines that cite them, and by their words."""
    old, new = ({clause_list_entry.id: clause_list_entry for clause_list_entry in one} for one in lists)
    for known, outline, side in ((old, outlines[0], margins[0]), (new, outlines[1], margins[1])):
        for item in outline.walk_items():
            known |= {clause: ClauseListEntry(clause) for clause in side.find_own_clauses(item) if clause not in known}
    votes, unchanged_votes = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for before, after in _pair_cited_items(outlines, same):
        cites = margins[0].find_own_clauses(before), margins[1].find_own_clauses(after)
        _add_clause_votes(votes, *cites)
        if _item_form(before, same.names) == _item_form(after, {}):
            _add_clause_votes(unchanged_votes, *cites)
    lines = tuple(_list_cited_items(outline, side) for outline, side in zip(outlines, margins, strict=True))
    for key in (_item_form, _item_label):
        there = _clauses_by_key(key, outlines[1], margins[1], {})
        for form, clauses in _clauses_by_key(key, outlines[0], margins[0], same.names).items():
            _add_clause_votes(votes, clauses, there.get(form, ()))
    names = tuple(
        (one.short_name, other.short_name)
        for one, other in same.names.items()
        if one.sort in _RENAMED_SORTS and one.short_name != other.short_name
    )
    became = _match_clauses(old, new, votes, names)
    unedited = frozenset(pair for pair in became.items() if _is_unedited_pair(*pair, lines, same.names))
    return ClausePairs(old, new, became, unedited, frozenset(unchanged_votes), names)


def _pair_cited_items(
    outlines: tuple[Outline, Outline], same: Correspondence
) -> Iterator[tuple[OutlineItem, OutlineItem]]:
    by_address: dict[tuple[str, str], OutlineItem] = {}
    for item in outlines[1].walk_items():
        by_address.setdefault((item.sort, item.address), item)
    visited = set[tuple[str, str]]()
    for item in outlines[0].walk_items():
        new = same.addresses.get(item.address) if item.address else None
        partner = by_address.get((item.sort, new)) if new else None
        if partner is not None and (item.sort, item.address) not in visited:
            visited.add((item.sort, item.address))
            yield item, partner


def _add_clause_votes(votes: Counter[tuple[str, str]], old: Sequence[str], new: Sequence[str]) -> None:
    for one in old:
        for other in new:
            votes[one, other] += 1 / (len(old) * len(new))  # type: ignore[assignment]


_CitedItems = Sequence[tuple[OutlineItem, tuple[str, ...]]]


def _list_cited_items(outline: Outline, margins: ClauseMargins) -> _CitedItems:
    return [(item, cites) for item in outline.walk_items() if (cites := margins.find_own_clauses(item))]


_ItemKey = Callable[[OutlineItem, Mapping[DeclaredName, DeclaredName]], object]


def _clauses_by_key(
    key: _ItemKey, outline: Outline, margins: "ClauseMargins", names: Mapping[DeclaredName, DeclaredName]
) -> dict[object, tuple[str, ...]]:
    result: dict[object, list[tuple[str, ...]]] = {}
    for item in outline.walk_items():
        if item.cites and item.sort not in _UNMATCHED_SORTS:
            result.setdefault(key(item, names), []).append(margins.find_clauses(item))
    return {form: cites[0] for form, cites in result.items() if form and len(cites) == 1}


def _item_form(item: OutlineItem, names: Mapping[DeclaredName, DeclaredName]) -> object:
    tokens = translate_names(item.form, names)
    return tuple(
        (token.sort, token.short_name) if isinstance(token, DeclaredName) and token.owner else token for token in tokens
    )


def _item_label(item: OutlineItem, names: Mapping[DeclaredName, DeclaredName]) -> object:
    del names
    return (item.sort, item.id) if item.id else None


def _is_unedited_pair(
    old: str, new: str, lines: tuple[_CitedItems, ...], names: Mapping[DeclaredName, DeclaredName]
) -> bool:
    old_forms = [_item_form(item, names) for item, cites in lines[0] if old in cites]
    new_forms = [_item_form(item, {}) for item, cites in lines[1] if new in cites]
    return bool(old_forms) and len(old_forms) == len(new_forms) and all(each in new_forms for each in old_forms)


def _match_clauses(
    old: Mapping[str, ClauseListEntry],
    new: Mapping[str, ClauseListEntry],
    votes: Counter[tuple[str, str]],
    names: Sequence[tuple[str, str]],
) -> dict[str, str]:
    result = {item: item for item in old if item in new}
    unmatched = [item for item in old if item not in result]
    free = [item for item in new if item not in result]
    telling = inverse_document_frequency(
        [clause_list_entry.paraphrase for clause_list_entry in (*old.values(), *new.values())]
    )
    scored = sorted(
        (
            (-_score_clause_pair(old[one], new[other], votes[one, other], names, telling), a, b)
            for a, one in enumerate(unmatched)
            for b, other in enumerate(free)
        ),
    )
    used = set[str]()
    for unlike, a, b in scored:
        if -unlike >= _MIN_CLAUSE_SCORE and unmatched[a] not in result and free[b] not in used:
            result[unmatched[a]] = free[b]
            used.add(free[b])
    return {item: result[item] for item in old if item in result}


def _score_clause_pair(
    old: ClauseListEntry,
    new: ClauseListEntry,
    votes: float,
    names: Sequence[tuple[str, str]],
    telling: Mapping[str, float],
) -> float:
    words = sentence_similarity(rename_in_sentence(old.paraphrase, names, new.paraphrase), new.paraphrase, telling)
    if words < _MIN_WORDS_SIMILARITY and not votes:
        return 0
    same = _SAME_ID_BONUS if _local_clause_id(old.id) == _local_clause_id(new.id) else 0.0
    return (
        _MARGIN_WEIGHT * min(1, votes)
        + _WORDS_WEIGHT * words
        + _ID_WEIGHT * id_similarity(_local_clause_id(old.id), _local_clause_id(new.id))
        + same
    )


def _local_clause_id(clause: str) -> str:
    return clause.partition(".")[2]
