"""Files of some folders that are held in two places: what changed in one, to be made so in the other."""

import os
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

FileChanges = Mapping[str, str | None]
"""Contents of files in base64, by absolute path; None for one that is gone. JSON can hold it."""

_Stamp = tuple[int, int, int]


class FileMirror:
    """What the other place knows of the files of some folders."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self._folders = tuple(folders)
        self._known: dict[str, _Stamp] = {}

    def collect_changes(self) -> FileChanges:
        """What changed since the other place was told last."""
        now = dict(self._scan())
        changed = [path for path, stamp in now.items() if self._known.get(path) != stamp]
        gone = [path for path in self._known if path not in now]
        self._known = now
        return {**{path: encode_content(Path(path).read_bytes()) for path in changed}, **dict.fromkeys(gone)}

    def apply_changes(self, changes: FileChanges) -> None:
        """Make so here what changed in the other place."""
        for path, content in changes.items():
            if not any(Path(path).is_relative_to(folder) for folder in self._folders):
                continue
            if content is None:
                with suppress(FileNotFoundError):
                    Path(path).unlink()
                self._known.pop(path, None)
                continue
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            Path(path).write_bytes(decode_content(content))
            self._known[path] = _stamp_file(path)

    def _scan(self) -> Iterator[tuple[str, _Stamp]]:
        for folder in self._folders:
            for inside, _, names in os.walk(folder):
                for name in names:
                    with suppress(OSError):
                        path = f"{inside}/{name}"
                        yield path, _stamp_file(path)


def encode_content(content: bytes) -> str:
    """Bytes as text for JSON."""
    return b64encode(content).decode("ascii")


def decode_content(text: str) -> bytes:
    """Bytes from a text of `encode_content`; raises ValueError where it is none."""
    return b64decode(text, validate=True)


def _stamp_file(path: str) -> _Stamp:
    about = os.stat(path)  # noqa: PTH116 - a string from the scan
    return about.st_mtime_ns, about.st_size, about.st_ino
