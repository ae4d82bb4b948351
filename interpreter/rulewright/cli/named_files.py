"""The files that commands name: texts that are read, and files written whole or not at all."""

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rulewright.cli.options import ALLOWED
from rulewright.cli.output import Stop, stopped
from rulewright.diagnostics import Diagnostic
from rulewright.files import DISK, Bounded, ProjectError, read
from rulewright.files.project import PROJECT
from rulewright.files.writing import can_replace, reason_of, replace
from rulewright.frozen import dataclass
from rulewright.inputs.project import bounded, project_of
from rulewright.source import Text

if TYPE_CHECKING:
    from rulewright.inputs.project_file import Project

PAGE = "<!doctype html>"
"""How every page begins."""
SVG = "<svg "
"""How every picture as SVG begins."""
_MARK = "\ufeff"
_AT_ONCE = getattr(os, "O_NONBLOCK", 0)


@dataclass(frozen=True, slots=True)
class Named:
    """Rulesets and folders that a command names, and what may be read for them."""

    paths: tuple[str, ...]  # of rulesets and folders
    overlays: tuple[str, ...]  # of the ruleset
    files: Bounded
    projects: "tuple[Project, ...]"  # that the rulesets belong to


def write(path: Path, content: str | bytes, *, waits: bool = True) -> None:
    """Puts a text, or bytes, in the place of a file in one go; permissions stay, links are followed, lines end in LF.

    What is no file, such as `/dev/stdout` or a pipe, is written into, never put aside; `waits` says whether until
    somebody reads a pipe. A read-only file is left alone.

    Raises:
        Stop: RW0011, it cannot be written; the old file is as it was.
    """
    written = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
    try:
        if _is_special(path):
            _write_into(path, written, waits=waits)
        else:
            replace(path, written)
    except (OSError, ValueError) as error:
        raise _unwritable(path, error) from None


def can_write(file: str | None) -> None:
    """Looks, before the work, whether a file can be written; stops with RW0011 where it cannot. It stays as it is."""
    if file is None:
        return
    try:
        if not _is_special(Path(file)):
            can_replace(Path(file))
    except (OSError, ValueError) as error:
        raise _unwritable(file, error) from None


def unchanged(place: str, before: str, code: str, remedy: str) -> str:
    """The mark that a file begins with, or nothing; stops with a code where it holds something else than before."""
    try:
        held = Path(place).read_bytes().decode(errors="replace")
    except OSError:
        held = ""
    mark = _MARK if held.startswith(_MARK) else ""
    if held != mark + before:
        raise stopped(code, f"`{place}` has changed since it was read", remedy)
    return mark


def may_write(file: str | None, beginning: str | bytes) -> None:
    """Looks, before the work, whether a file may be written over: one that begins as what is to be written does.

    Without a beginning only an empty file may be. Stops with RW0013, the file holds something else, or RW0011, it
    cannot be written.
    """
    can_write(file)
    if file is None or not Path(file).is_file():
        return
    try:
        with Path(file).open("rb") as opened:
            found = opened.read(len(beginning) or 1)
    except OSError as error:
        raise _unwritable(file, error) from None
    if found and found != (beginning.encode() if isinstance(beginning, str) else beginning):
        remedy = "name another file, or one that is not there yet"
        raise stopped("RW0013", f"`{file}` holds something else and is not overwritten", remedy)


def _write_into(path: Path, content: bytes, *, waits: bool) -> None:
    handle = os.open(path, os.O_WRONLY | (0 if waits else _AT_ONCE))
    if not waits and _AT_ONCE:
        os.set_blocking(handle, True)
    with os.fdopen(handle, "wb") as file:
        file.write(content)


def _is_special(path: Path) -> bool:
    """Whether a path leads to something that is no file and no folder."""
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _unwritable(path: Path | str, error: OSError | ValueError) -> Stop:
    folder, remedy = Path(path).parent, ""
    if isinstance(error, IsADirectoryError):
        remedy = "name a file in it"
    elif isinstance(error, FileNotFoundError) and not os.path.lexists(folder):
        remedy = f"make the folder `{folder.as_posix()}` first"
    return stopped("RW0011", f"`{path}` cannot be written: {reason_of(error)}", remedy)


def read_text(place: str) -> Text:
    """The text of an input; stops with RW0001 to RW0005 where it cannot be read."""
    text = read(place, DISK)
    if isinstance(text, Diagnostic):
        raise Stop([text])
    return text


def files_for(*named: str) -> Bounded:
    """The files that what a command line names may have read, with the folders that `--allow` adds.

    Stops with RW0018 where a project file is wrong.
    """
    context = click.get_current_context(silent=True)
    try:
        return bounded(named, context.meta.get(ALLOWED, ()) if context else ())
    except ProjectError as wrong:
        raise Stop([wrong.diagnostic], {wrong.text.name: wrong.text}) from None


def said_of(place: str) -> "Project | None":
    """What the project says that a place belongs to, if it has a file that says something.

    Stops with RW0018 where that file is wrong.
    """
    try:
        return project_of(place)
    except ProjectError as wrong:
        raise Stop([wrong.diagnostic], {wrong.text.name: wrong.text}) from None


def places_or(named: tuple[str, ...], otherwise: tuple[str, ...]) -> tuple[str, ...]:
    """The places that a command line names; where it names none, the rulesets of the project file in this folder.

    In a folder further down, that folder is meant.

    Raises:
        Stop: RW0018, the project file is wrong.
    """
    if named or not os.path.lexists(PROJECT):
        return named or otherwise
    said = said_of(".")
    return said.rulesets or otherwise if said is not None else otherwise


def rulesets_or_missing(named: tuple[str, ...]) -> tuple[str, ...]:
    """The places that a command line names, as `places_or`, for a command that needs one.

    Raises:
        click.MissingParameter: no place is named, and no project of this folder names one.
        Stop: RW0018, the project file is wrong.
    """
    found = places_or(named, ())
    if not found:
        context = click.get_current_context()
        raise click.MissingParameter(ctx=context, param=context.command.params[0])
    return found
