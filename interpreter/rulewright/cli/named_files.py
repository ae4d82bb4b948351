"""The files that commands name: texts that are read, and files written whole or not at all."""

import errno
import os
import stat
import tempfile
from pathlib import Path

import click

from rulewright.cli.options import ALLOWED
from rulewright.cli.output import Stop, complaint
from rulewright.diagnostics import Diagnostic
from rulewright.files import DISK, Bounded, ProjectError, read
from rulewright.inputs.project import bounded
from rulewright.source import Text

_LONGEST = 255
_WRITABLE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH

PAGE = "<!doctype html>"
"""How every page begins."""


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
            place = Path(os.path.realpath(path))
            _refuse_read_only(place)
            _replace(place, written)
    except (OSError, ValueError) as error:
        raise _unwritable(path, error) from None


def can_write(file: str | None) -> None:
    """Looks, before the work, whether a file can be written.

    Raises:
        Stop: RW0011, it cannot be; nothing was changed.
    """
    if file is None:
        return
    try:
        if _is_special(Path(file)):
            return
        place = Path(os.path.realpath(file))
        if place.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        _refuse_read_only(place)
        handle, draft = _draft(place)
        os.close(handle)
        draft.unlink()
    except (OSError, ValueError) as error:
        raise _unwritable(file, error) from None


def may_write(file: str | None, beginning: str) -> None:
    """Looks, before the work, whether a file may be written over: one that begins as what is to be written does.

    Raises:
        Stop: RW0013, the file holds something else; RW0011, it cannot be written.
    """
    can_write(file)
    if file is None or not Path(file).is_file():
        return
    try:
        with Path(file).open("rb") as opened:
            found = opened.read(len(beginning))
    except OSError as error:
        raise _unwritable(file, error) from None
    if found and found != beginning.encode():
        remedy = "name another file, or one that is not there yet"
        raise Stop([complaint("RW0013", f"`{file}` holds something else and is not overwritten", remedy)])


def _write_into(path: Path, content: bytes, *, waits: bool) -> None:
    handle = os.open(path, os.O_WRONLY | (0 if waits else _AT_ONCE))
    if not waits and _AT_ONCE:
        os.set_blocking(handle, True)
    with os.fdopen(handle, "wb") as file:
        file.write(content)


_AT_ONCE = getattr(os, "O_NONBLOCK", 0)


def _replace(path: Path, content: bytes) -> None:
    handle, draft = _draft(path)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        draft.chmod(path.stat().st_mode & 0o7777 if path.exists() else 0o666 & ~_umask())
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def _draft(path: Path) -> tuple[int, Path]:
    """An open file beside another, to take its place."""
    if len(os.fsencode(path.name)) > _LONGEST:
        raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG))
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:_SHOWN]}.")
    return handle, Path(name)


_SHOWN = 40
"""How much of a name the draft beside it has, which may be as long as a name can be."""


def _is_special(path: Path) -> bool:
    """Whether a path leads to something that is no file and no folder.

    Raises:
        OSError: it cannot lead anywhere.
        ValueError: it is no possible name.
    """
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _refuse_read_only(place: Path) -> None:
    """Raises PermissionError for a file that is there to be read only, whoever asks."""
    if place.is_file() and not (place.stat().st_mode & _WRITABLE and os.access(place, os.W_OK)):
        raise PermissionError(errno.EACCES, "it is read-only")


def _unwritable(path: Path | str, error: OSError | ValueError) -> Stop:
    reason = (error.strerror or "no reason given").lower() if isinstance(error, OSError) else "its name is not possible"
    return Stop([complaint("RW0011", f"`{path}` cannot be written: {reason}")])


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def read_text(place: str) -> Text:
    """The text of an input.

    Raises:
        Stop: RW0001 to RW0005.
    """
    text = read(place, DISK)
    if isinstance(text, Diagnostic):
        raise Stop([text])
    return text


def files_for(*named: str) -> Bounded:
    """The files that what a command line names may have read, with the folders that `--allow` adds.

    Raises:
        Stop: RW0018, a project file is wrong.
    """
    context = click.get_current_context(silent=True)
    try:
        return bounded(named, context.meta.get(ALLOWED, ()) if context else ())
    except ProjectError as wrong:
        raise Stop([wrong.diagnostic], {wrong.text.name: wrong.text}) from None
