"""Files written whole or not at all."""

import errno
import os
import stat
import tempfile
import time
from contextlib import suppress
from pathlib import Path

_MAX_NAME_BYTES = 255
_MAX_DRAFT_NAME_CHARACTERS = 40
"""How much of a name the draft beside it has, which may be as long as a name can be."""

_DRAFT_SUFFIX = ".unfinished"
"""How the name of a draft ends."""

_MAX_DRAFT_AGE_S = 60
"""For how many seconds a draft may be one that somebody writes just now."""

_WRITE_PERMISSION_BITS = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


def _read_umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


_UMASK = _read_umask()
"""What this process takes away from the permissions of new files; asked once, since asking changes it for a moment."""


def replace_file(path: Path, content: bytes, mode: int = 0o666) -> None:
    """Puts bytes in the place of a file in one go; permissions stay, links are followed, a read-only file is left.

    Args:
        path: the file, which may be there or not, and may be removed meanwhile.
        content: what it holds then.
        mode: the permissions of a new file, of which those go that a new file of this process never has.

    Raises:
        OSError: it cannot be written; the old file is as it was.
        ValueError: its name is not possible.
    """
    place = Path(os.path.realpath(path))
    before = _get_file_mode(place)
    _refuse_read_only(place, before)
    handle, draft = _open_draft(place)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        draft.chmod(mode & ~_UMASK if before is None else before & 0o7777)
        draft.replace(place)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def remove_stale_drafts(folder: Path) -> None:
    """Removes drafts that were left in a folder where somebody who wrote a file was killed; no other file."""
    before = time.time() - _MAX_DRAFT_AGE_S
    for path in folder.glob(f".*{_DRAFT_SUFFIX}"):
        with suppress(OSError):
            if path.lstat().st_mtime < before and stat.S_ISREG(path.lstat().st_mode):
                path.unlink()


def check_replaceable(path: Path) -> None:
    """Looks whether a file can be written, and changes nothing.

    Raises:
        OSError: it cannot be.
        ValueError: its name is not possible.
    """
    place = Path(os.path.realpath(path))
    if place.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    _refuse_read_only(place, _get_file_mode(place))
    handle, draft = _open_draft(place)
    os.close(handle)
    draft.unlink()


def describe_write_error(error: OSError | ValueError) -> str:
    """Why a file cannot be written, in a clause."""
    return (error.strerror or "no reason given").lower() if isinstance(error, OSError) else "its name is not possible"


def _open_draft(path: Path) -> tuple[int, Path]:
    """An open file beside another, to take its place."""
    if len(os.fsencode(path.name)) > _MAX_NAME_BYTES:
        raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG))
    handle, name = tempfile.mkstemp(
        dir=path.parent, prefix=f".{path.name[:_MAX_DRAFT_NAME_CHARACTERS]}.", suffix=_DRAFT_SUFFIX
    )
    return handle, Path(name)


def _get_file_mode(place: Path) -> int | None:
    """What kind of file is there, and its permissions; none where nothing is there."""
    try:
        return place.stat().st_mode
    except FileNotFoundError:
        return None


def _refuse_read_only(place: Path, mode: int | None) -> None:
    """Raises PermissionError for a file that is there to be read only, whoever asks."""
    if mode is None or not stat.S_ISREG(mode):
        return
    if not mode & _WRITE_PERMISSION_BITS or (not os.access(place, os.W_OK) and place.exists()):
        raise PermissionError(errno.EACCES, "it is read-only")
