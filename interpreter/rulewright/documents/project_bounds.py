"""Sandbox of documents: the files that they may have read, by the folders of a command line and project files.

Every command imports this module, so the reader of project files is imported only where there is one.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rulewright.base.files import BoundedFiles, DiskFiles
from rulewright.base.files.project import PROJECT_FILE_NAME, is_below_folder, make_absolute, resolve_links

if TYPE_CHECKING:
    from rulewright.documents.project_file import ProjectSettings

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
