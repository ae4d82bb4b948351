"""What documents may have read: the folders that a command line names, and what their project files lend and say.

Every command begins here, so what reads project files is a module of its own.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rulewright.files import Bounded, Disk
from rulewright.files.project import PROJECT, absolute, is_below, real

if TYPE_CHECKING:
    from rulewright.inputs.project_file import Project

_REPOSITORY = ".git"


def bounded(named: Sequence[str], allowed: Sequence[str] = ()) -> Bounded:
    """The files that documents may have read which are named so, or found in folders named so.

    Those are below the nearest folder above each that holds a project file or is the top of a repository; where there
    is none, below the folder named, or that of the file named. Folders allowed come to them, and shipped rulesets.

    Raises:
        ProjectError: RW0018, a project file is wrong.
    """
    folders, lent, files = dict.fromkeys(map(real, allowed)), dict[str, None](), set[str]()
    weights = dict[str, tuple[tuple[str, str], ...]]()
    for place in map(absolute, dict.fromkeys(named)):
        start, top = _around(place)
        root = real(top or start)
        folders[root] = None
        said = _said(top)
        if said is not None:
            lent.update(dict.fromkeys(said.lent))
            weights[root] = tuple(sorted(said.weights.items()))
        if not os.path.isdir(place) and (top is None or is_below(real(place), root)):  # noqa: PTH112
            files.add(place)
    return Bounded(frozenset(files), (*folders, real(Disk().shipped())), tuple(lent), tuple(weights.items()))


def alone(folder: str) -> Bounded:
    """The files below a folder and the shipped rulesets, whatever a project file says."""
    return Bounded(frozenset(), (real(folder), real(Disk().shipped())))


def project_of(place: str) -> "Project | None":
    """What the project says that a place belongs to; nothing where it belongs to none, or to one without a file.

    Raises:
        ProjectError: RW0018, the project file is wrong.
    """
    return _said(_around(absolute(place))[1])


def _around(place: str) -> tuple[str, str | None]:
    """The folder of a place, and the nearest above it that is the top of a project or repository."""
    start = place if os.path.isdir(place) else os.path.dirname(place)  # noqa: PTH112, PTH120
    for folder in (start, *map(str, Path(start).parents)):
        if any(os.path.lexists(os.path.join(folder, each)) for each in (PROJECT, _REPOSITORY)):  # noqa: PTH118
            return start, folder
    return start, None


def _said(top: str | None) -> "Project | None":
    if top is None or not os.path.lexists(os.path.join(top, PROJECT)):  # noqa: PTH118
        return None
    from rulewright.inputs.project_file import project  # noqa: PLC0415 - few have one

    return project(top)
