"""Files that a command line names: texts that are read, and atomic writes."""

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rulewright.base.bounded_files import PROJECT_FILE_NAME, BoundedFiles, ProjectFileError, read_text_file
from rulewright.base.diagnostics import Diagnostic
from rulewright.base.files import DISK, check_replaceable, describe_write_error, replace_file
from rulewright.base.frozen import dataclass
from rulewright.base.source import Text
from rulewright.cli.options import ALLOWED_FOLDERS_KEY
from rulewright.cli.output import CommandStop, make_stop
from rulewright.documents.ruleset_location import bound_files, find_project

if TYPE_CHECKING:
    from rulewright.documents.project_file import ProjectSettings

HTML_PREFIX = "<!doctype html>"
SVG_PREFIX = "<svg "
_BYTE_ORDER_MARK = "\ufeff"
_NONBLOCKING_FLAG = getattr(os, "O_NONBLOCK", 0)


@dataclass(frozen=True, slots=True)
class CommandPlaces:
    """Rulesets and folders that a command names, which bound what may be read."""

    paths: tuple[str, ...]  # rulesets and folders
    overlays: tuple[str, ...]
    files: BoundedFiles
    projects: "tuple[ProjectSettings, ...]"


def write_file(path: Path, content: str | bytes, *, waits: bool = True) -> None:
    """Write a text or bytes atomically; permissions and links are kept, line ends are LF.

    Devices and pipes, such as `/dev/stdout`, are written into, not replaced; `waits`: wait until a pipe is read. A
    read-only file is left alone.

    Raises:
        CommandStop: RW0011, it cannot be written; the old file is as it was.
    """
    written = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
    try:
        if _is_special(path):
            _write_special_file(path, written, waits=waits)
        else:
            replace_file(path, written)
    except (OSError, ValueError) as error:
        raise _unwritable_stop(path, error) from None


def require_writable(file: str | None) -> None:
    """Check before the work that a file can be written, without changing it; stops with RW0011."""
    if file is None:
        return
    try:
        if not _is_special(Path(file)):
            check_replaceable(Path(file))
    except (OSError, ValueError) as error:
        raise _unwritable_stop(file, error) from None


def require_unchanged(place: str, expected: str, code: str, remedy: str) -> str:
    """Byte order mark of a file, or empty; stops with `code` if its content is no longer `expected`."""
    try:
        content = Path(place).read_bytes().decode(errors="replace")
    except OSError:
        content = ""
    mark = _BYTE_ORDER_MARK if content.startswith(_BYTE_ORDER_MARK) else ""
    if content != mark + expected:
        raise make_stop(code, f"`{place}` has changed since it was read", remedy)
    return mark


def require_overwritable(file: str | None, beginning: str | bytes) -> None:
    """Check before the work that a file is missing, empty or begins as `beginning`, so that it may be replaced.

    Stops with RW0013, the file holds something else, or RW0011, it cannot be written.
    """
    require_writable(file)
    if file is None or not Path(file).is_file():
        return
    try:
        with Path(file).open("rb") as opened:
            content = opened.read(len(beginning) or 1)
    except OSError as error:
        raise _unwritable_stop(file, error) from None
    if content and content != (beginning.encode() if isinstance(beginning, str) else beginning):
        remedy = "name another file, or one that is not there yet"
        raise make_stop("RW0013", f"`{file}` holds something else and is not overwritten", remedy)


def _write_special_file(path: Path, content: bytes, *, waits: bool) -> None:
    handle = os.open(path, os.O_WRONLY | (0 if waits else _NONBLOCKING_FLAG))
    if not waits and _NONBLOCKING_FLAG:
        os.set_blocking(handle, True)
    with os.fdopen(handle, "wb") as file:
        file.write(content)


def _is_special(path: Path) -> bool:
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _unwritable_stop(path: Path | str, error: OSError | ValueError) -> CommandStop:
    folder, remedy = Path(path).parent, ""
    if isinstance(error, IsADirectoryError):
        remedy = "name a file in it"
    elif isinstance(error, FileNotFoundError) and not os.path.lexists(folder):
        remedy = f"make the folder `{folder.as_posix()}` first"
    return make_stop("RW0011", f"`{path}` cannot be written: {describe_write_error(error)}", remedy)


def read_text(place: str) -> Text:
    """Text of an input file; stops with RW0001 to RW0005 where it cannot be read."""
    text = read_text_file(place, DISK)
    if isinstance(text, Diagnostic):
        raise CommandStop([text])
    return text


def files_for(*named: str) -> BoundedFiles:
    """File provider bounded by the named places and the folders of `--allow`.

    Stops with RW0018 where a project file is wrong.
    """
    context = click.get_current_context(silent=True)
    try:
        return bound_files(named, context.meta.get(ALLOWED_FOLDERS_KEY, ()) if context else ())
    except ProjectFileError as wrong:
        raise CommandStop([wrong.diagnostic], {wrong.text.name: wrong.text}) from None


def read_project(place: str) -> "ProjectSettings | None":
    """Settings of the project that a place belongs to, if its file has any.

    Stops with RW0018 where that file is wrong.
    """
    try:
        return find_project(place)
    except ProjectFileError as wrong:
        raise CommandStop([wrong.diagnostic], {wrong.text.name: wrong.text}) from None


def places_or_project(named: tuple[str, ...], otherwise: tuple[str, ...]) -> tuple[str, ...]:
    """Places of a command line, by default the rulesets of the project file of this folder.

    In a folder below that of the project file, that folder.

    Raises:
        CommandStop: RW0018, the project file is wrong.
    """
    if named or not os.path.lexists(PROJECT_FILE_NAME):
        return named or otherwise
    settings = read_project(".")
    return settings.rulesets or otherwise if settings is not None else otherwise


def rulesets_or_missing(named: tuple[str, ...]) -> tuple[str, ...]:
    """Places of a command line as in `places_or_project`; at least one.

    Raises:
        click.MissingParameter: no place is named, and no project of this folder names one.
        CommandStop: RW0018, the project file is wrong.
    """
    result = places_or_project(named, ())
    if not result:
        context = click.get_current_context()
        raise click.MissingParameter(ctx=context, param=context.command.params[0])
    return result
