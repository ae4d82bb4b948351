"""Resolution of typed names, addresses, clauses and places to targets; mentions of names in prose."""

import re
from collections.abc import Iterable, Iterator

from rulewright.base.diagnostics.remedies import find_nearest_name
from rulewright.base.frozen import dataclass
from rulewright.base.source import Position, Span, Text
from rulewright.editor.references.name_index import NameOccurrence, NameRole, NameTarget
from rulewright.editor.references.ruleset_gathering import GatheredRulesets

_PLACE_PATTERN = re.compile(r"(?P<source>.+):(?P<line>[0-9]{1,9}):(?P<column>[0-9]{1,9})\Z")
_SEPARATOR_PATTERN = re.compile(r"[/.:#\-]")
_RULES_SUFFIX = ".rules"
_MATCHED_SEGMENTS = 2
_MIN_NAME_LENGTH = 3
"""Shorter names occur in too many sentences and files."""


@dataclass(frozen=True, slots=True)
class NameQuery:
    """A typed name, address or place."""

    text: str
    source: str = ""  # file of a place, or empty
    position: Position = Position(1, 1)  # in that file

    def search_words(self, text: Text | None) -> frozenset[str] | None:
        """Words of which a file with the name must have one; None: any file can have it."""
        return make_search_words(self.text.lstrip("@") if text is None else _word_at(text, self.position))


def make_search_words(*names: str) -> frozenset[str] | None:
    """Words of which a file with one of these names must have one; None if a name is too short."""
    last = frozenset(_SEPARATOR_PATTERN.split(name)[-1] for name in names)
    return last if all(len(item) >= _MIN_NAME_LENGTH for item in last) else None


def parse_name_query(spelt: str) -> NameQuery:
    """Query of a typed text; `FILE:LINE:COLUMN` is a place."""
    match_ = _PLACE_PATTERN.match(spelt)
    if match_ is None:
        return NameQuery(spelt)
    return NameQuery(spelt, match_["source"], Position(int(match_["line"]), int(match_["column"])))


def _word_at(text: Text, position: Position) -> str:
    line, at = text.get_line(position.line), position.column - 1
    runs = re.finditer(r"\w+", line)
    return next((run[0] for run in runs if run.start() <= at <= run.end()), "")


def find_offset(text: Text, position: Position) -> int | None:
    """Offset of a position; None if the text does not have it."""
    if position.line < 1 or position.line > text.content.count("\n") + 1 or position.column < 1:
        return None
    line = text.get_line(position.line)
    return text.get_offset(position) if position.column <= len(line) + 1 else None


def find_meant_targets(asked: NameQuery, gathered: GatheredRulesets) -> tuple[NameTarget, ...]:
    """Possible targets, exact matches before partial ones."""
    if asked.source:
        return tuple(_target_at_place(asked, gathered))
    plain = asked.text.lstrip("@").replace(":", ".", 1)
    whole = [target for target in gathered.index.list_targets if target.address == plain]
    items = whole or [*_targets_by_address(asked.text, gathered)]
    return tuple(dict.fromkeys(items or _targets_by_suffix(plain, gathered)))


def _target_at_place(asked: NameQuery, gathered: GatheredRulesets) -> Iterator[NameTarget]:
    text = gathered.texts.get(asked.source)
    start = find_offset(text, asked.position) if text is not None else None
    name_occurrence = gathered.index.find_at(asked.source, start) if start is not None else None
    if name_occurrence is not None:
        yield name_occurrence.target


def _targets_by_address(spelt: str, gathered: GatheredRulesets) -> Iterator[NameTarget]:
    """Target of the last segment, if that is a name and nothing else."""
    if "/" not in spelt:
        return
    last = spelt.rpartition("/")[2]
    for names in gathered.names.values():
        for address in names.addresses.find_matching(spelt):
            pieces = address[-1].names
            if len(pieces) == 1 and (pieces[0].start, pieces[0].end) == (0, len(last.partition("#")[0])):
                yield pieces[0].target


def _targets_by_suffix(plain: str, gathered: GatheredRulesets) -> Iterator[NameTarget]:
    """By name, by suffix of an address, or by an address after a prefix."""
    for target in gathered.index.list_targets:
        behind = plain.endswith(f".{target.address}") and target.sort not in {"clause", "ruling"}
        if target.name == plain or target.address.endswith((f".{plain}", f"/{plain}")) or behind:
            yield target


def find_unnamed_targets(asked: NameQuery, gathered: GatheredRulesets) -> tuple[NameTarget, ...]:
    """Unnamed statement, row or cell at an address or place, else targets whose title contains the text."""
    known = {*gathered.index.list_targets}
    lines = [extent for extent in gathered.extents if extent not in known]
    text = gathered.texts.get(asked.source)
    if text is not None:
        at = find_offset(text, asked.position)
        return tuple(line for line in lines if line.source == asked.source and gathered.extents[line].start == at)
    wanted = asked.text.strip("“”\"' ").casefold()
    titles = {name_target: title.casefold() for name_target, title in gathered.titles.items()}
    items = [line for line in lines if line.address == asked.text]
    items = items or [name_target for name_target, title in titles.items() if title == wanted]
    items = items or [
        name_target for name_target, title in titles.items() if len(wanted) >= _MIN_NAME_LENGTH and wanted in title
    ]
    return tuple(items or [line for line in lines if line.address.endswith(f"/{asked.text}")])


def find_unnamed_occurrences(target: NameTarget, gathered: GatheredRulesets) -> tuple[NameOccurrence, ...]:
    """Occurrences of an unnamed statement, row or cell: its place, and its address in other files."""
    extent = gathered.extents[target]
    text = gathered.texts[extent.source]
    stop = text.content.find("\n", extent.start, extent.end)
    result = [
        NameOccurrence(target, NameRole.DECLARED, Span(extent.source, extent.start, stop if stop >= 0 else extent.end))
    ]
    ends = "/".join(target.address.split("/")[-_MATCHED_SEGMENTS:])
    written = re.compile(rf"(?<![\w.#]){re.escape(ends)}(?![\w#/])")
    for item in gathered.texts.values():
        role = NameRole.AMENDED if item.name.endswith(_RULES_SUFFIX) else NameRole.MENTIONED
        result += [NameOccurrence(target, role, Span(item.name, *one.span())) for one in written.finditer(item.content)]
    return tuple(sorted(result, key=lambda name_occurrence: name_occurrence.span))


def suggest_target(asked: NameQuery, targets: Iterable[NameTarget]) -> str | None:
    """Nearest address or name."""
    known = list(targets)
    plain = asked.text.lstrip("@")
    by_name = {name_target.name: name_target.address for name_target in known}
    return find_nearest_name(plain, [name_target.address for name_target in known]) or by_name.get(
        find_nearest_name(plain, by_name) or ""
    )


def find_mentions(target: NameTarget, gathered: GatheredRulesets) -> tuple[NameOccurrence, ...]:
    """Places in prose that a rename leaves unchanged, by text and offset."""
    if len(target.name) < _MIN_NAME_LENGTH:
        return ()
    known = {(occurrence.span.source, occurrence.span.start) for occurrence in gathered.index.occurrences}
    word = re.compile(rf"(?<![\w.]){re.escape(target.name)}(?!\w|\.\w)")
    result = [
        NameOccurrence(target, NameRole.MENTIONED, span)
        for text in gathered.texts.values()
        for span in _find_word_spans(word, text, gathered.prose)
        if (span.source, span.start) not in known
    ]
    return tuple(sorted(result, key=lambda name_occurrence: name_occurrence.span))


def _find_word_spans(word: re.Pattern[str], text: Text, prose: frozenset[Span]) -> list[Span]:
    result = [Span(text.name, match.start(), match.end()) for match in word.finditer(text.content)]
    if not text.name.endswith(_RULES_SUFFIX):
        return result
    own = [item for item in prose if item.source == text.name]
    return [span for span in result if any(item.start <= span.start and span.end <= item.end for item in own)]
