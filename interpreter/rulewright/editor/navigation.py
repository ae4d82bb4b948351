"""Definition, references, highlights, rename and outline of names in rules."""

import posixpath
import re
from collections.abc import Iterator
from functools import partial

from rulewright.base.diagnostics import Edit
from rulewright.base.files import FileProvider
from rulewright.base.source import Span
from rulewright.documents.workspace.ruleset_location import RULES_SUFFIX
from rulewright.editor import data_files
from rulewright.editor.editor_results import OutlineSymbol
from rulewright.editor.editor_workspace import AnalysisSnapshot, OpenDocument, Workspace
from rulewright.editor.references.name_index import DECLARING_ROLES, NameOccurrence, NameRole, NameTarget
from rulewright.editor.references.name_queries import make_search_words
from rulewright.editor.references.rename_refactoring import RenameRefusal, rename_target
from rulewright.editor.references.ruleset_gathering import GatheredRulesets

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

    made = rename_target(_match_target(target, gather_for_rename(files)), name, gather_for_rename, files)
    return made if isinstance(made, RenameRefusal) else made.edits


def outline_symbols(opened: OpenDocument) -> tuple[OutlineSymbol, ...]:
    """Named parts of a text, in order, nested."""
    known = opened.latest if opened.latest.loaded.linked is not None else opened.best_snapshot
    titles = opened.best_snapshot.cache_once("titles", partial(_titles_by_address, opened.best_snapshot))
    heads = {
        occurrence.target: occurrence
        for occurrence in known.index.occurrences
        if occurrence.role in DECLARING_ROLES or occurrence.role is NameRole.AMENDED
    }
    made: list[tuple[Span, OutlineSymbol]] = []
    for target, extent in known.extents.items():
        place = opened.map_to_current(known, extent) if extent.source == opened.name else None
        head = opened.map_to_current(known, heads[target].span) if target in heads else None
        if place is not None and head is not None and head.source == opened.name:
            title = titles.get(target.address, "")
            made.append((place, OutlineSymbol(target.name, target.sort, title, place, head)))
    made.sort(key=lambda item: (item[0].start, -item[0].end))
    return _nest_symbols([outline_symbol for _, outline_symbol in made])


def _titles_by_address(known: AnalysisSnapshot) -> dict[str, str]:
    return {item.address: item.title for item in known.outline.walk_items() if item.title}


def _nest_symbols(symbols: list[OutlineSymbol]) -> tuple[OutlineSymbol, ...]:
    done: list[OutlineSymbol] = []
    at = 0
    while at < len(symbols):
        each = symbols[at]
        last = at + 1
        while last < len(symbols) and symbols[last].place.end <= each.place.end:
            last += 1
        inside = _nest_symbols(symbols[at + 1 : last])
        done.append(OutlineSymbol(each.name, each.sort, each.title, each.place, each.head, inside))
        at = last
    return tuple(done)
