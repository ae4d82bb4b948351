"""Location of rulesets, from what a user types to main files and overlays, and the sandbox of documents.

The sandbox is the files that documents may have read, by the folders of a command line and project files. Every command
imports this module, so the reader of project files is imported only where there is one.
"""

import os
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from rulewright.base.bounded_files import (
    PROJECT_FILE_NAME,
    BoundedFiles,
    is_below_folder,
    make_absolute,
    make_file_error,
    read_text_file,
    resolve_links,
)
from rulewright.base.diagnostics import Diagnostic, Label
from rulewright.base.diagnostics.remedies import find_nearest_name, suggest_name
from rulewright.base.files import DATA_SUFFIXES, DISK, MAX_WALKED_NAMES, DiskFiles, FileProvider, walk_folders
from rulewright.base.frozen import dataclass
from rulewright.base.source import Text

if TYPE_CHECKING:
    from rulewright.documents.project_file import ProjectSettings

_HEADER_PATTERN = re.compile(
    r"\A(?:[ \t]*(?:#[^\n]*)?\r?\n)*(?P<word>ruleset|amends)[ \t]+"
    r'(?:(?P<name>[A-Za-z_]\w*)|"(?P<path>[^"\n]*)")'
)
_USE_PATTERN = re.compile(r'^use[ \t]+"([^"\n]*)"', re.MULTILINE)
_REFERENCE_PATTERN = re.compile(r'^(?:use|amends)[ \t]+"([^"\n]*)"', re.MULTILINE)
RULES_SUFFIX = ".rules"
FOREIGN_PATH_PATTERN = re.compile(r"\A(?:\Z|/|~|[A-Za-z]:|[A-Za-z][A-Za-z0-9+.-]*://|.*\\)")
"""Paths that cannot lead from one file to another: absolute, home, drive, URL, backslash."""


@dataclass(frozen=True, slots=True)
class RulesetLocation:
    """Main file and overlays of what a user typed, or why there is none."""

    main: str | None  # `None` with diagnostics
    overlays: tuple[str, ...] = ()  # requested with it
    diagnostics: tuple[Diagnostic, ...] = ()


def locate_ruleset(name: str, provider: FileProvider = DISK) -> RulesetLocation:
    """Location of a ruleset by name: a `.rules` file, a folder, or a shipped ruleset.

    A file that begins with `amends` is an overlay and brings its base: the file of that path, or the ruleset of that
    name in its folder, else a shipped one. Reports RW0006 (a folder without rules), RW0007 (several rulesets in a
    folder, or several bases), RW0008 (no such name), RW0009 (no base for an overlay), RW0014 (a file of data) and what
    reading a file does.
    """
    match provider.get_file_type(name) if name else "":
        case "file":
            return _locate_file(name, provider)
        case "folder":
            return _locate_folder(name, provider)
        case "closed" | "special":
            return _report_unreadable(name, provider)
        case "outside" if "/" in name or name.endswith(RULES_SUFFIX):
            return _report_unreadable(name, provider)
        case _:
            return _locate_shipped(name, provider)


@dataclass(frozen=True, slots=True)
class RulesetListing:
    """Rulesets of a place."""

    names: tuple[str, ...]  # arguments for `locate_ruleset`, in order
    # files of rules below the place that begin with neither `ruleset` nor `amends`
    unattached: tuple[str, ...] = ()


def list_rulesets(name: str, provider: FileProvider = DISK, most: int | None = None) -> RulesetListing:
    """The ruleset of a name; of a folder that is not one ruleset itself, every ruleset in it and below.

    In a folder with several rulesets each goes by its file. Folders that begin with a dot are left out. A folder
    without rulesets is returned as it is, for `locate_ruleset` to report, and so is every unreadable file of rules.

    Raises:
        FolderTooLargeError: it holds more than `most` files and folders.
    """
    if provider.get_file_type(name) != "folder":
        return RulesetListing((name,))
    if (main := _locate_folder(name, provider).main) is not None:
        unread = _find_unread_beside(main, walk_folders(name, provider, most), provider)
        return RulesetListing((name, *unread), _find_unattached_files(name, provider))
    rulesets: list[str] = []
    loose: list[str] = []
    for folder in walk_folders(name, provider, most):
        header_words = {place: read_header(place, provider)[0] for place in _list_rules_files(folder, provider)}
        loose.extend(
            place
            for place, word in header_words.items()
            if not word and isinstance(read_text_file(place, provider), Text)
        )
        rulesets.extend([folder] if provider.get_file_type(folder) == "closed" else [])
        rulesets.extend(_find_unreadable_files((folder,), provider))
        if folder != name and _locate_folder(folder, provider).main is not None:
            rulesets.append(folder)
        else:
            rulesets.extend(place for place, word in header_words.items() if word == "ruleset")
    return RulesetListing(tuple(rulesets) or (name,), tuple(loose) if rulesets else ())


def _find_unattached_files(folder: str, provider: FileProvider) -> tuple[str, ...]:
    """Files of rules that begin with neither `ruleset` nor `amends`, and that no file beside them uses."""
    places = [file for file in _list_rules_files(folder, provider) if provider.get_file_type(file) == "file"]
    texts = {place: text for place in places if isinstance(text := read_text_file(place, provider), Text)}
    used = {
        posixpath.normpath(posixpath.join(folder, way))
        for item in texts.values()
        for way in header_and_uses(item.content)[1:]
    }
    return tuple(
        place for place in texts if posixpath.normpath(place) not in used and not read_header(place, provider)[0]
    )


def find_overlays(name: str, provider: FileProvider = DISK) -> tuple[str, ...]:
    """Overlays in a folder and below, in order."""
    rules = (place for folder in walk_folders(name, provider) for place in _list_rules_files(folder, provider))
    return tuple(place for place in rules if read_header(place, provider)[0] == "amends")


def find_rulesets_by_name(folders: Iterable[str], provider: FileProvider) -> Mapping[str, str]:
    """Main files of the rulesets in some folders, by the names in their headers."""
    places = (item for folder in folders for item in list_rulesets(folder, provider).names)
    mains = (main for place in places if (main := locate_ruleset(place, provider).main) is not None)
    return {name: item for item in mains if (name := read_header(item, provider)[1])}


def find_main_files(place: str, provider: FileProvider = DISK) -> tuple[str, ...]:
    """The file itself where it begins with `ruleset` or `amends`; else those of its folder and siblings."""
    if read_header(place, provider)[0]:
        return (place,)
    own_folder = posixpath.dirname(place)
    around = posixpath.normpath(posixpath.join(own_folder or ".", ".."))
    folders = dict.fromkeys(
        [
            own_folder,
            *(posixpath.normpath(posixpath.join(around, name)) for name in provider.list_folder_names(around)),
        ]
    )
    result = chain.from_iterable(_list_rules_files(folder, provider) for folder in folders)
    return tuple(item for item in result if read_header(item, provider)[0])


def _not_located(diagnostic: Diagnostic) -> RulesetLocation:
    return RulesetLocation(None, (), (diagnostic,))


def _report_unreadable(place: str, provider: FileProvider) -> RulesetLocation:
    failed = read_text_file(place, provider)
    assert isinstance(failed, Diagnostic)
    return _not_located(failed)


def read_header(place: str, provider: FileProvider) -> tuple[str, str]:
    """First word of a rules file, `ruleset` or `amends`, and the name after it; else empty."""
    text = read_text_file(place, provider)
    result = _HEADER_PATTERN.match(text.content) if isinstance(text, Text) else None
    return (result["word"], result["name"] or "") if result else ("", "")


def header_and_uses(content: str) -> tuple[str, ...]:
    """Header and `use` lines of a text of rules, as written."""
    match_ = _HEADER_PATTERN.match(content)
    return (match_[0][match_.start("word") :] if match_ else "", *_USE_PATTERN.findall(content))


def _locate_file(place: str, provider: FileProvider) -> RulesetLocation:
    text = read_text_file(place, provider)
    if isinstance(text, Diagnostic):
        return _not_located(text)
    result = _HEADER_PATTERN.match(text.content)
    if result is None and place.endswith(DATA_SUFFIXES):
        remedy = f"name a file that ends in `{RULES_SUFFIX}`, or its folder"
        return _not_located(make_file_error("RW0014", f"`{place}` holds no rules", remedy))
    if result is None or result["word"] != "amends":
        return RulesetLocation(place)
    if result["path"] is not None:
        return _locate_base_by_path(result["path"], place, provider)
    return _locate_base_by_name(result["name"], place, provider)


def _locate_base_by_name(name: str, overlay: str, provider: FileProvider) -> RulesetLocation:
    shipped = provider.get_rulesets_folder()
    around = (
        [posixpath.join(shipped, folder_name) for folder_name in provider.list_folder_names(shipped)] if shipped else []
    )
    beside = _find_mains_named(name, [posixpath.dirname(overlay)], provider)
    bases = beside or _find_mains_named(name, around, provider)
    if len(beside) > 1:
        names = " and ".join(f"`{item}`" for item in beside)
        message = f"`{overlay}` amends `{name}`, and {names} have this name"
        return _not_located(make_file_error("RW0007", message, f"name one of them, with `--overlay {overlay}`"))
    if not bases:
        message = f"`{overlay}` amends `{name}`, but no such ruleset is beside it or shipped"
        return _not_located(make_file_error("RW0009", message, "put both into one folder"))
    return RulesetLocation(bases[0], (overlay,))


def _locate_base_by_path(path: str, overlay: str, provider: FileProvider) -> RulesetLocation:
    if FOREIGN_PATH_PATTERN.match(path):
        return _not_located(bad_path_error(path, "amends"))
    base = posixpath.normpath(posixpath.join(posixpath.dirname(overlay), path))
    text = read_text_file(base, provider)
    if isinstance(text, Diagnostic):
        return _not_located(text)
    if read_header(base, provider)[0] != "ruleset":
        message = f"`{overlay}` amends `{path}`, which does not begin with `ruleset`"
        return _not_located(make_file_error("RW0009", message, "name the main file of the ruleset"))
    return RulesetLocation(base, (overlay,))


def bad_path_error(path: str, word: str, label: Label | None = None) -> Diagnostic:
    """RW0010 for a path that cannot lead from one file to another."""
    message = f"`{path}` does not lead from this file to another"
    remedy = f'write the way from this file with `/`, such as `{word} "../base/base.rules"`'
    return make_file_error("RW0010", message, remedy, label)


def _find_mains_named(name: str, folders: Sequence[str], provider: FileProvider) -> list[str]:
    result = chain.from_iterable(_list_rules_files(folder, provider) for folder in folders)
    return [place for place in result if read_header(place, provider) == ("ruleset", name)]


def _list_rules_files(place: str, provider: FileProvider) -> list[str]:
    named = (_join_place(place, name) for name in provider.list_folder_names(place) if name.endswith(RULES_SUFFIX))
    return [item for item in named if provider.get_file_type(item) != "folder"]


def _find_unreadable_files(folders: Iterable[str], provider: FileProvider) -> dict[str, Diagnostic]:
    """Errors by place of unreadable files of rules in folders; hidden ones of editors and systems are left out."""
    rules_files = chain.from_iterable(_list_rules_files(folder, provider) for folder in folders)
    read = ((place, read_text_file(place, provider)) for place in rules_files if not _is_hidden(place))
    return {place: failed for place, failed in read if isinstance(failed, Diagnostic)}


def _is_hidden(place: str) -> bool:
    return posixpath.basename(place).startswith(".")


def _find_unread_beside(main: str, folders: Iterable[str], provider: FileProvider) -> dict[str, Diagnostic]:
    used = {posixpath.normpath(used_file) for used_file in walk_used_files(main, provider)}
    unread = _find_unreadable_files(folders, provider).items()
    return {place: failed for place, failed in unread if posixpath.normpath(place) not in used}


def unread_beside(name: str, provider: FileProvider = DISK) -> tuple[Diagnostic, ...]:
    """Errors of unreadable files of rules in a folder that its ruleset does not use; empty for other names."""
    main = locate_ruleset(name, provider).main if provider.get_file_type(name) == "folder" else None
    return () if main is None else tuple(_find_unread_beside(main, (name,), provider).values())


def unread_below(place: str, provider: FileProvider = DISK) -> tuple[Diagnostic, ...]:
    """Errors of unreadable files of rules in a folder and all below it; empty for what is no folder."""
    is_folder = provider.get_file_type(place) == "folder"
    folders = walk_folders(place, provider, MAX_WALKED_NAMES) if is_folder else ()
    return tuple(_find_unreadable_files(folders, provider).values())


def _join_place(place: str, name: str) -> str:
    return posixpath.join(place, name).removeprefix("./")


def _locate_folder(place: str, provider: FileProvider) -> RulesetLocation:
    name = posixpath.basename(posixpath.normpath(place))
    if name in {".", ".."}:
        name = os.path.basename(provider.get_identity(place))  # noqa: PTH119 - a provider's place, not a path
    main = _join_place(place, name.replace("-", "_") + RULES_SUFFIX)
    if provider.get_file_type(main) == "file":
        return RulesetLocation(main)
    rulesets = [file for file in _list_rules_files(place, provider) if read_header(file, provider)[0] == "ruleset"]
    leading = [ruleset for ruleset in rulesets if ruleset not in _find_used_files(rulesets, provider)]
    if len(leading) == 1:
        return RulesetLocation(leading[0])
    if not rulesets and (unread := _find_unreadable_files((place,), provider)):
        return RulesetLocation(None, (), tuple(unread.values()))
    if not rulesets:
        message = f"no file of the folder `{place}` begins with `ruleset`"
        return _not_located(
            make_file_error("RW0006", message, "name a folder that holds a `.rules` file, or the file itself")
        )
    names = ", ".join(f"`{ruleset}`" for ruleset in rulesets)
    message = f"`{place}` holds several rulesets"
    return _not_located(
        make_file_error("RW0007", message, f"name one of {names}; a scenario file does so by a line `ruleset:`")
    )


def _find_used_files(places: Sequence[str], provider: FileProvider, lines: re.Pattern[str] = _USE_PATTERN) -> set[str]:
    texts = ((item, read_text_file(item, provider)) for item in places)
    return {
        posixpath.normpath(posixpath.join(posixpath.dirname(place), name))
        for place, text in texts
        if isinstance(text, Text)
        for name in lines.findall(text.content)
    }


def walk_used_files(main: str, provider: FileProvider) -> Iterator[str]:
    """A file and, transitively, all that its `use` and `amends` lines name, whatever else is wrong with them."""
    visited, pending = set[str](), [main]
    while pending:
        place = pending.pop()
        if provider.get_file_type(place) == "folder":
            place = locate_ruleset(place, provider).main or place
        if place not in visited:
            visited.add(place)
            pending.extend(sorted(_find_used_files([place], provider, _REFERENCE_PATTERN)))
            yield place


def join_beside(folder: str, name: str) -> str:
    """Path in a folder, without `.`; `..` stays, for a folder may be a link."""
    return "/".join(item for item in posixpath.join(folder, name).split("/") if item != ".") or "."


def resolve_ruleset_name(name: str | None, document: str, provider: FileProvider) -> str:
    """Ruleset that a document names: a file or folder beside it, a shipped ruleset, or any other.

    The meaning does not depend on the current folder. Without a name it is the document's own folder.
    """
    folder = posixpath.dirname(document)
    if name is None:
        return folder or "."
    beside = join_beside(folder, name)
    if provider.get_file_type(beside):
        return beside
    return (provider.get_file_type(name) and _find_shipped(name, provider)) or name


def _find_shipped(name: str, provider: FileProvider) -> str:
    shipped = provider.get_rulesets_folder()
    if not name or "/" in name or name.endswith(RULES_SUFFIX) or not shipped:
        return ""
    place = posixpath.join(shipped, name)
    return place if provider.get_file_type(place) == "folder" else ""


def _locate_shipped(name: str, provider: FileProvider) -> RulesetLocation:
    place, shipped = _find_shipped(name, provider), provider.get_rulesets_folder()
    if place:
        return _locate_folder(place, provider)
    if "/" in name or name.endswith(RULES_SUFFIX) or not shipped:
        return _report_unreadable(name, provider)
    known = [
        folder_name
        for folder_name in provider.list_folder_names(shipped)
        if provider.get_file_type(posixpath.join(shipped, folder_name)) == "folder"
    ]
    close = find_nearest_name(name, [*known, *provider.list_folder_names("")])
    remedy = suggest_name(close, f"shipped rulesets are {', '.join(f'`{n}`' for n in known)}")
    return _not_located(make_file_error("RW0008", f"`{name}` is not a file, a folder or a shipped ruleset", remedy))


_REPOSITORY_FOLDER = ".git"


def bound_files(named: Sequence[str], allowed: Sequence[str] = ()) -> BoundedFiles:
    """Files that documents may have read, for places named on a command line.

    These are the files below the nearest folder above each place that holds a project file or is the top of a
    repository; where there is none, below the place itself, or the folder of a file. `allowed` folders and the shipped
    rulesets are added.

    Raises:
        ProjectError: RW0018, a project file is wrong.
    """
    folders, shared, files = dict.fromkeys(map(resolve_links, allowed)), dict[str, None](), set[str]()
    weights = dict[str, tuple[tuple[str, str], ...]]()
    for place in map(make_absolute, dict.fromkeys(named)):
        start, top = _find_project_folder(place)
        root = resolve_links(top or start)
        folders[root] = None
        project = _read_project_in(top)
        if project is not None:
            shared.update(dict.fromkeys(project.shared_folders))
            weights[root] = tuple(sorted(project.weights.items()))
        if not os.path.isdir(place) and (top is None or is_below_folder(resolve_links(place), root)):  # noqa: PTH112
            files.add(place)
    return BoundedFiles(
        frozenset(files),
        (*folders, resolve_links(DiskFiles().get_rulesets_folder())),
        tuple(shared),
        tuple(weights.items()),
    )


def bound_folder(folder: str) -> BoundedFiles:
    """Files below one folder and the shipped rulesets, whatever its project file says."""
    return BoundedFiles(frozenset(), (resolve_links(folder), resolve_links(DiskFiles().get_rulesets_folder())))


def find_project(place: str) -> "ProjectSettings | None":
    """Settings of the project that a place belongs to; `None` without a project file.

    Raises:
        ProjectError: RW0018, the project file is wrong.
    """
    return _read_project_in(_find_project_folder(make_absolute(place))[1])


def _find_project_folder(place: str) -> tuple[str, str | None]:
    """Folder of a place, and the nearest one above it that is the top of a project or repository."""
    start = place if os.path.isdir(place) else os.path.dirname(place)  # noqa: PTH112, PTH120
    for folder in (start, *map(str, Path(start).parents)):
        if any(os.path.lexists(os.path.join(folder, item)) for item in (PROJECT_FILE_NAME, _REPOSITORY_FOLDER)):  # noqa: PTH118
            return start, folder
    return start, None


def _read_project_in(top: str | None) -> "ProjectSettings | None":
    if top is None or not os.path.lexists(os.path.join(top, PROJECT_FILE_NAME)):  # noqa: PTH118
        return None
    from rulewright.documents.project_file import load_project_file  # noqa: PLC0415 - few have one

    return load_project_file(top)
