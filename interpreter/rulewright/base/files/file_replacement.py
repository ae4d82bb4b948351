"""Atomic replacement of files: whole or not at all."""

import errno
import os
import stat
import tempfile
import time
from contextlib import suppress
from pathlib import Path

_MAX_NAME_BYTES = 255
_MAX_DRAFT_NAME_CHARACTERS = 40
"""Characters of the file's name in that of its draft; at most four bytes each, well below the limit of a name."""

_DRAFT_SUFFIX = ".unfinished"

_MAX_DRAFT_AGE_S = 60
"""Age from which a draft counts as abandoned; chosen, not measured: writing takes milliseconds."""

_WRITE_PERMISSION_BITS = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


def _read_umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


_UMASK = _read_umask()
"""Umask of the process, read once, since reading changes it for a moment."""


def replace_file(path: Path, content: bytes, mode: int = 0o666) -> None:
    """Replaces a file atomically; permissions stay, links are followed, a read-only file is refused.

    Args:
        path: an existing or a new file.
        content: its new content.
        mode: permissions of a new file, before the umask.

    Raises:
        OSError: it cannot be written; the old file is intact.
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
    """Deletes drafts in a folder that killed processes left behind, and no other file."""
    before = time.time() - _MAX_DRAFT_AGE_S
    for path in folder.glob(f".*{_DRAFT_SUFFIX}"):
        with suppress(OSError):
            if path.lstat().st_mtime < before and stat.S_ISREG(path.lstat().st_mode):
                path.unlink()


def check_replaceable(path: Path) -> None:
    """Checks that `replace_file` could write a file, and changes nothing.

    Raises:
        OSError: it cannot be written.
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
    """Reason of a failed write, as a clause."""
    return (error.strerror or "no reason given").lower() if isinstance(error, OSError) else "its name is not possible"


def _open_draft(path: Path) -> tuple[int, Path]:
    if len(os.fsencode(path.name)) > _MAX_NAME_BYTES:
        raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG))
    handle, name = tempfile.mkstemp(
        dir=path.parent, prefix=f".{path.name[:_MAX_DRAFT_NAME_CHARACTERS]}.", suffix=_DRAFT_SUFFIX
    )
    return handle, Path(name)


def _get_file_mode(place: Path) -> int | None:
    try:
        return place.stat().st_mode
    except FileNotFoundError:
        return None


def _refuse_read_only(place: Path, mode: int | None) -> None:
    """Raise PermissionError for a read-only file, also for the superuser, whom the system would let write."""
    if mode is None or not stat.S_ISREG(mode):
        return
    if not mode & _WRITE_PERMISSION_BITS or (not os.access(place, os.W_OK) and place.exists()):
        raise PermissionError(errno.EACCES, "it is read-only")
