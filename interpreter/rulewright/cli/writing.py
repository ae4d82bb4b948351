"""Writing files whole or not at all."""

import os
import tempfile
from pathlib import Path

from rulewright.cli.stop import Stop, complaint


def write(path: Path, content: str) -> None:
    """Puts a text in the place of a file in one go; permissions stay, links are followed, lines end in LF.

    What is no file, such as `/dev/stdout` or a pipe, is written into, never put aside.

    Raises:
        Stop: RW0011, it cannot be written; the old file is as it was.
    """
    try:
        if path.exists() and not (path.is_file() or path.is_dir()):
            path.write_bytes(content.encode())
        else:
            _replace(Path(os.path.realpath(path)), content.encode())
    except OSError as error:
        reason = (error.strerror or "no reason given").lower()
        raise Stop([complaint("RW0011", f"`{path}` cannot be written: {reason}")]) from None


def may_write(file: str | None, beginning: str) -> None:
    """Looks, before the work, whether a file may be written over: one that begins as what is to be written does.

    Raises:
        Stop: RW0013, the file holds something else.
    """
    if file is None or not Path(file).is_file():
        return
    try:
        with Path(file).open("rb") as opened:
            found = opened.read(len(beginning))
    except OSError:
        return
    if found and found != beginning.encode():
        remedy = "name another file, or one that is not there yet"
        raise Stop([complaint("RW0013", f"`{file}` holds something else and is not written over", remedy)])


def _replace(path: Path, content: bytes) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    draft = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        draft.chmod(path.stat().st_mode & 0o7777 if path.exists() else 0o666 & ~_umask())
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
