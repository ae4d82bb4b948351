"""Navigation by names: what a typed name, address or clause means, definitions, mentions, highlights, outline."""

import posixpath
import re
from collections.abc import Iterable, Iterator
from functools import partial

from rulewright.base.diagnostics import Edit
from rulewright.base.diagnostics.remedies import find_nearest_name
from rulewright.base.files import FileProvider
from rulewright.base.frozen import dataclass
from rulewright.base.source import Position, Span, Text
from rulewright.documents.ruleset_location import RULES_SUFFIX
from rulewright.editor import data_files
from rulewright.editor.answers import OutlineSymbol
from rulewright.editor.editor_workspace import AnalysisSnapshot, OpenDocument, Workspace
from rulewright.editor.name_index import DECLARING_ROLES, NameOccurrence, NameRole, NameTarget
from rulewright.editor.refactoring import RenameRefusal, rename_target
from rulewright.editor.ruleset_gathering import GatheredRulesets

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


def find_meant_targets(query: NameQuery, gathered: GatheredRulesets) -> tuple[NameTarget, ...]:
    """Possible targets, exact matches before partial ones."""
    if query.source:
        return tuple(_target_at_place(query, gathered))
    plain = query.text.lstrip("@").replace(":", ".", 1)
    whole = [target for target in gathered.index.list_targets if target.address == plain]
    items = whole or [*_targets_by_address(query.text, gathered)]
    return tuple(dict.fromkeys(items or _targets_by_suffix(plain, gathered)))


def _target_at_place(query: NameQuery, gathered: GatheredRulesets) -> Iterator[NameTarget]:
    text = gathered.texts.get(query.source)
    start = find_offset(text, query.position) if text is not None else None
    name_occurrence = gathered.index.find_at(query.source, start) if start is not None else None
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


def find_unnamed_targets(query: NameQuery, gathered: GatheredRulesets) -> tuple[NameTarget, ...]:
    """Unnamed statement, row or cell at an address or place, else targets whose title contains the text."""
    known = {*gathered.index.list_targets}
    lines = [extent for extent in gathered.extents if extent not in known]
    text = gathered.texts.get(query.source)
    if text is not None:
        at = find_offset(text, query.position)
        return tuple(line for line in lines if line.source == query.source and gathered.extents[line].start == at)
    wanted = query.text.strip("“”\"' ").casefold()
    titles = {name_target: title.casefold() for name_target, title in gathered.titles.items()}
    items = [line for line in lines if line.address == query.text]
    items = items or [name_target for name_target, title in titles.items() if title == wanted]
    items = items or [
        name_target for name_target, title in titles.items() if len(wanted) >= _MIN_NAME_LENGTH and wanted in title
    ]
    return tuple(items or [line for line in lines if line.address.endswith(f"/{query.text}")])


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


def suggest_target(query: NameQuery, targets: Iterable[NameTarget]) -> str | None:
    """Nearest address or name."""
    known = list(targets)
    plain = query.text.lstrip("@")
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
    own_prose = [item for item in prose if item.source == text.name]
    return [span for span in result if any(item.start <= span.start and span.end <= item.end for item in own_prose)]


_USE_LINE_PATTERN = re.compile(r'^\s*(?:use|amends)\s+"(?P<path>[^"\n]*)"')


def find_definition(opened: OpenDocument, offset: int) -> tuple[Span, ...]:
    """Declaration of the name at an offset, entry of a clause in its list, or file of a `use` line."""
    text = opened.live.text
    line = text.content[text.content.rfind("\n", 0, offset) + 1 :].partition("\n")[0]
    used = _USE_LINE_PATTERN.match(line)
    if used is not None:
        return tuple(_find_used_file(opened, used["path"]))
    items = opened.find_occurrence(offset)
    if items is None:
        return ()
    known, occurrence = items
    return tuple(_find_declarations(opened, known, occurrence.target))


def _find_used_file(opened: OpenDocument, path: str) -> Iterator[Span]:
    for name in opened.latest.loaded.texts:
        if name.rpartition("/")[2] == path.rpartition("/")[2]:
            yield Span(name, 0, 0)


def _find_declarations(opened: OpenDocument, known: AnalysisSnapshot, target: NameTarget) -> Iterator[Span]:
    linked = known.loaded.linked
    for entries in linked.clause_lists.values() if target.sort == "clause" and linked is not None else ():
        yield from (entry.span for entry in entries if entry.id == target.address and entry.span is not None)
    for occurrence in known.index.find_occurrences(target):
        if occurrence.role in DECLARING_ROLES or occurrence.role is NameRole.LISTED:
            place = opened.map_to_current(known, occurrence.span)
            if place is not None:
                yield place


def find_name_at(desk: Workspace, place: str, offset: int) -> tuple[NameTarget, Span] | None:
    """Target and span of the name at an offset of an open text."""
    if not place.endswith(RULES_SUFFIX):
        noted = data_files.index_data_names(desk, place).find_at(place, offset)
        return None if noted is None else (noted.target, noted.span)
    opened = desk.open_document(place)
    items = opened.find_occurrence(offset)
    span = None if items is None else opened.map_to_current(items[0], items[1].span)
    return None if items is None or span is None else (items[1].target, span)


def find_highlights(desk: Workspace, place: str, offset: int) -> tuple[NameOccurrence, ...]:
    """Occurrences of the name at an offset in the same text."""
    if not place.endswith(RULES_SUFFIX):
        noted = data_files.index_data_names(desk, place)
        at = noted.find_at(place, offset)
        return () if at is None else noted.find_occurrences(at.target)
    opened = desk.open_document(place)
    items = opened.find_occurrence(offset)
    if items is None:
        return ()
    known, occurrence = items
    placed = (
        (name_occurrence, opened.map_to_current(known, name_occurrence.span))
        for name_occurrence in known.index.find_occurrences(occurrence.target)
    )
    return tuple(
        NameOccurrence(name_occurrence.target, name_occurrence.role, span, name_occurrence.is_sure)
        for name_occurrence, span in placed
        if span is not None and span.source == opened.name
    )


def find_references(desk: Workspace, place: str, offset: int) -> tuple[NameOccurrence, ...]:
    """Occurrences of the name at an offset in rules, overlays, scenarios, states, scripts and clause lists.

    Files are read in their readable versions; spans are mapped to the current texts.
    """
    result = find_name_at(desk, place, offset)
    if result is None:
        return ()
    target = result[0]
    gathered = desk.gather_for_words(
        _search_place(desk, place), make_search_words(target.name), desk.readable_files(data=True)
    )
    noted = gathered.index.find_occurrences(_match_target(target, gathered))
    return tuple(each for one in noted if (each := desk.map_occurrence(one)) is not None)


def _search_place(desk: Workspace, place: str) -> str:
    """The ruleset of a text; the folder around both if the ruleset lies elsewhere."""
    if place.endswith(RULES_SUFFIX):
        return desk.find_ruleset(place).main or place
    located = data_files.find_data_ruleset(desk, place)
    main = located.main if located is not None else None
    folder = posixpath.dirname(main or place)
    inside = main is None or not folder or place.startswith(f"{folder}/")
    return (main or place) if inside else posixpath.commonpath([folder, posixpath.dirname(place)]) or "."


def _match_target(target: NameTarget, gathered: GatheredRulesets) -> NameTarget:
    """The same target in an index over more files."""
    if gathered.index.find_occurrences(target):
        return target
    alike = (
        name_target
        for name_target in gathered.index.list_targets
        if (name_target.sort, name_target.address) == (target.sort, target.address)
    )
    return next(alike, target)


def rename_at(desk: Workspace, place: str, offset: int, name: str) -> tuple[Edit, ...] | RenameRefusal | None:
    """Edits in all files that rename the name at an offset, or why it is refused; None if there is no name.

    Refused as by `rulewright rename --no-test` if any occurrence would change its meaning; scenarios are not played.
    """
    result = find_name_at(desk, place, offset)
    if result is None:
        return None
    target, around, files = result[0], _search_place(desk, place), desk.current_files()

    def gather_for_rename(provider: FileProvider) -> GatheredRulesets:
        return desk.gather_for_words(around, make_search_words(target.name, name), provider)

    rename_result = rename_target(_match_target(target, gather_for_rename(files)), name, gather_for_rename, files)
    return rename_result if isinstance(rename_result, RenameRefusal) else rename_result.edits


def outline_symbols(opened: OpenDocument) -> tuple[OutlineSymbol, ...]:
    """Named parts of a text, in order, nested."""
    known = opened.latest if opened.latest.loaded.linked is not None else opened.best_snapshot
    titles = opened.best_snapshot.cache_once("titles", partial(_titles_by_address, opened.best_snapshot))
    heads = {
        occurrence.target: occurrence
        for occurrence in known.index.occurrences
        if occurrence.role in DECLARING_ROLES or occurrence.role is NameRole.AMENDED
    }
    symbols: list[tuple[Span, OutlineSymbol]] = []
    for target, extent in known.extents.items():
        place = opened.map_to_current(known, extent) if extent.source == opened.name else None
        head = opened.map_to_current(known, heads[target].span) if target in heads else None
        if place is not None and head is not None and head.source == opened.name:
            title = titles.get(target.address, "")
            symbols.append((place, OutlineSymbol(target.name, target.sort, title, place, head)))
    symbols.sort(key=lambda item: (item[0].start, -item[0].end))
    return _nest_symbols([outline_symbol for _, outline_symbol in symbols])


def _titles_by_address(known: AnalysisSnapshot) -> dict[str, str]:
    return {item.address: item.title for item in known.outline.walk_items() if item.title}


def _nest_symbols(symbols: list[OutlineSymbol]) -> tuple[OutlineSymbol, ...]:
    nested: list[OutlineSymbol] = []
    at = 0
    while at < len(symbols):
        each = symbols[at]
        last = at + 1
        while last < len(symbols) and symbols[last].place.end <= each.place.end:
            last += 1
        inside = _nest_symbols(symbols[at + 1 : last])
        nested.append(OutlineSymbol(each.name, each.sort, each.title, each.place, each.head, inside))
        at = last
    return tuple(nested)
