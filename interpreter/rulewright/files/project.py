"""The files below some folders and nothing outside of them; reading a text of it."""

import dataclasses
import errno
import os
import posixpath
import stat
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rulewright.diagnostics import Diagnostic, Edit, Label, Severity
from rulewright.files.providers import Disk, Provider, unsaved
from rulewright.keeping import opened
from rulewright.source import Span, Text

PROJECT = "rulewright.toml"
"""The file that says that a folder is a project."""

_SORTS = (".rules", ".yaml", ".yml", ".json", ".csv")
_OF_RULES = (".rules", ".clauses.yaml")


class OutsideError(PermissionError):
    """A place leads outside of the folders that may be read."""

    def __init__(self, folders: Sequence[str]) -> None:
        super().__init__(errno.EACCES, "it leads outside the folders that may be read")
        self.folders = tuple(folders)  # those that may be


class SpecialError(OSError):
    """A place holds something that is not read: no regular file, or none of rules or data."""

    def __init__(self) -> None:
        super().__init__(errno.EINVAL, "it is not a regular file of rules or data")


class ProjectError(Exception):
    """A project file is wrong."""

    def __init__(self, diagnostic: Diagnostic, text: Text) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic  # RW0018
        self.text = text  # the file, to show the place in


@dataclass(frozen=True)
class Bounded(Disk):
    """The files of this machine below some folders, links resolved: what is named inside documents, or found.

    Only regular files of rules and data are there. What a command line names is read as it is named.
    """

    named: frozenset[str]  # absolute places of files that a command line names
    folders: tuple[str, ...]  # real paths of the folders below which everything may be read
    lent: tuple[str, ...] = ()  # those below which only rules and clause lists may be
    weights: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = ()  # what findings weigh in each project, by code
    _held: dict[str, bytes] = field(default_factory=dict, compare=False)

    def sort(self, place: str) -> str:
        """As any disk, and `outside` or `special` for what is not read."""
        return super().sort(place) if self._is_named(place) else self._found(real(place))

    def read(self, place: str, most: int) -> bytes:
        """What a file holds, up to so many bytes; waits for nobody.

        Raises:
            OutsideError: the place leads outside.
            SpecialError: it is not a regular file of rules or data.
        """
        if self._is_named(place):
            return self._named(place, most)
        found = real(place)
        match self._found(found):
            case "outside":
                raise OutsideError((*self.folders[:-1], *self.lent))
            case "special":
                raise SpecialError
            case _:
                return regular(found, most)

    def files(self, place: str) -> tuple[str, ...]:
        """The names in a folder, in order; none outside."""
        return super().files(place) if self.sort(place or ".") == "folder" else ()

    def weights_at(self, place: str) -> dict[str, str]:
        """What findings weigh in the project that a place belongs to, by code; nothing where it belongs to none."""
        projects = sorted(self.weights, key=lambda each: len(each[0]), reverse=True)
        return next((dict(weights) for folder, weights in projects if is_below(real(place), folder)), {})

    def _named(self, place: str, most: int) -> bytes:
        """What is named holds; what comes out of a pipe comes once, and is held."""
        if place in self._held:
            return self._held[place]
        content = super().read(place, most)
        if not Path(place).is_file():
            self._held[place] = content
        return content

    def _is_named(self, place: str) -> bool:
        return absolute(place) in self.named

    def _found(self, real: str) -> str:
        found = super().sort(real)
        if not self._is_readable(real, found):
            return "outside"
        if found != "file":
            return found
        return "file" if Path(real).is_file() and real.endswith(_SORTS) else "special"

    def _is_readable(self, real: str, sort: str) -> bool:
        if any(is_below(real, each) for each in self.folders):
            return True
        return any(is_below(real, each) for each in self.lent) and (sort != "file" or real.endswith(_OF_RULES))


def absolute(place: str) -> str:
    """A place from the root, links not followed."""
    try:
        return os.path.abspath(place)  # noqa: PTH100 - links are not followed
    except OSError:  # the folder was removed meanwhile
        return place


def real(place: str) -> str:
    """A place from the root, links followed."""
    try:
        return os.path.realpath(place)
    except (OSError, ValueError):  # the folder was removed meanwhile, or it is no possible name
        return place


def is_below(place: str, folder: str) -> bool:
    """Whether a real place is a folder, or lies in it."""
    return place == folder or place.startswith(folder.rstrip(os.sep) + os.sep)


def regular(real: str, most: int) -> bytes:
    """What a regular file holds.

    Raises:
        SpecialError: it is none.
    """
    with opened(real) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise SpecialError
        held = unsaved(real)
        return file.read(most) if held is None else held[:most]


LARGEST = 8_000_000
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def complaint(code: str, message: str, remedy: str = "", place: Label | None = None) -> Diagnostic:
    """An error about files."""
    return Diagnostic(code, Severity.ERROR, message, place, help=remedy)


def read(place: str, provider: Provider, asked: Label | None = None) -> Text | Diagnostic:
    """The text of a file, which is UTF-8, with or without a byte order mark.

    `asked` is the place of the line that names the file. Answers RW0001 (there is none), RW0002 (a folder), RW0003
    (it cannot be read), RW0004 (another encoding), RW0005 (too large), RW0019 (not a regular file of rules or data) or
    RW0020 (it lies outside of what may be read).
    """
    content = _bytes(place, provider, asked)
    if isinstance(content, Diagnostic):
        return content
    if content.startswith(_UTF16_MARKS) or b"\0" in content[:2]:
        return complaint("RW0004", f"`{place}` is not UTF-8; it looks like UTF-16", "save it as UTF-8", asked)
    try:
        return Text(place, content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        message = f"`{place}` is not UTF-8: byte {error.start} in line {line}"
        return complaint("RW0004", message, "save it as UTF-8", asked)


def _bytes(place: str, provider: Provider, asked: Label | None) -> bytes | Diagnostic:
    sort = provider.sort(place)
    if sort in {"folder", "closed"}:
        return _folder(place, sort, asked)
    if not sort and "\0" not in place:
        return _absent(place, provider, asked)
    content = _content(place, provider, asked)
    if not isinstance(content, Diagnostic) and len(content) > LARGEST:
        return complaint("RW0005", f"`{place}` is larger than {LARGEST:,} bytes", "", asked)
    return content


def _content(place: str, provider: Provider, asked: Label | None) -> bytes | Diagnostic:
    try:
        return provider.read(place, LARGEST + 1)
    except SpecialError:
        message = f"`{place}` is not a regular file of rules or data, so it is not read"
        return complaint("RW0019", message, "to read it, name it in the command itself", asked)
    except OutsideError as error:
        return _outside(place, provider, error, asked)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "its name is not possible"
        return complaint("RW0003", f"`{place}` cannot be read: {reason.lower()}", "", asked)


def _folder(place: str, sort: str, asked: Label | None) -> Diagnostic:
    if sort == "closed":
        return complaint("RW0003", f"`{place}` cannot be read: permission denied", "", asked)
    return complaint("RW0002", f"`{place}` is a folder, not a file", "name a file in it", asked)


def _outside(place: str, provider: Provider, error: OutsideError, asked: Label | None) -> Diagnostic:
    here = provider.identity(".")
    folders = [os.path.relpath(each, here) if Path(each).is_relative_to(here) else each for each in error.folders]
    told = " and ".join(f"`{each}`" for each in folders)
    remedy = f"only what is below {told} is read; to add a folder, give `--allow DIR`"
    return complaint("RW0020", f"`{place}` leads outside the project", remedy, asked)


def _absent(place: str, provider: Provider, asked: Label | None) -> Diagnostic:
    from rulewright.diagnostics.remedies import is_slip, nearest  # noqa: PLC0415 - most files are there

    inside, name = posixpath.split(place)
    names = [each for each in provider.files(inside) if each != name]
    close = nearest(name, names)
    remedy = f"did you mean `{posixpath.join(inside, close)}`?" if close else ""
    found = complaint("RW0001", f"there is no file `{place}`", remedy, asked)
    if close is None or asked is None:
        return found
    last = Span(asked.span.source, asked.span.end - 1 - len(name), asked.span.end - 1)
    return dataclasses.replace(found, edits=(Edit(last, close, is_slip(name, close, names)),))
