"""Reading the files of a command line."""

from pathlib import Path

from rulewright.cli.stop import Stop, complaint
from rulewright.diagnostics.suggest import nearest
from rulewright.source import Text

_LARGEST = 64_000_000


def read_bytes(path: Path) -> bytes:
    """The bytes of a file.

    Raises:
        Stop: RW0001 (there is none), RW0002 (a folder), RW0003 (it cannot be read).
    """
    try:
        if path.is_file() and path.stat().st_size > _LARGEST:
            raise Stop([complaint("RW0005", f"`{path}` is larger than {_LARGEST:,} bytes")])
        return path.read_bytes()
    except FileNotFoundError:
        raise Stop([complaint("RW0001", f"there is no file `{path}`", _nearby(path))]) from None
    except IsADirectoryError:
        raise Stop([complaint("RW0002", f"`{path}` is a folder, not a file", "name a file in it")]) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "its name is not possible"
        raise Stop([complaint("RW0003", f"`{path}` cannot be read: {reason.lower()}")]) from None


def read_text(path: Path) -> Text:
    """The text of a file, which is UTF-8, with or without a byte order mark.

    Raises:
        Stop: as `read_bytes`, or RW0004 (another encoding).
    """
    content = read_bytes(path)
    try:
        return Text(str(path), content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        remedy = "save it as UTF-8"
        raise Stop([complaint("RW0004", f"`{path}` is not UTF-8: byte {error.start} in line {line}", remedy)]) from None


def _nearby(path: Path) -> str:
    try:
        close = nearest(path.name, (each.name for each in path.parent.iterdir()))
    except OSError:
        return ""
    return f"did you mean `{path.with_name(close)}`?" if close else ""
