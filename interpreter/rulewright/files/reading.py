"""Reading a text, and everything that can keep it from being read."""

import dataclasses
import os
import posixpath
from pathlib import Path

from rulewright.diagnostics import Diagnostic, Edit, Label, Severity
from rulewright.files.project import OutsideError, SpecialError
from rulewright.files.providers import Provider
from rulewright.source import Span, Text

LARGEST = 8_000_000
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def complaint(code: str, message: str, remedy: str = "", place: Label | None = None) -> Diagnostic:
    """An error about files."""
    return Diagnostic(code, Severity.ERROR, message, place, help=remedy)


def read(place: str, provider: Provider, asked: Label | None = None) -> Text | Diagnostic:
    """The text of a file, which is UTF-8, with or without a byte order mark.

    `asked` is the place of the line that names the file. Answers RW0001 (there is none), RW0002 (a folder), RW0003
    (it cannot be read), RW0004 (another encoding), RW0005 (too large), RW0019 (it is no regular file of rules or data)
    or RW0020 (it lies outside of what may be read).
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
        message = f"`{place}` is no regular file of rules or data, so it is not read"
        return complaint("RW0019", message, "name it in the command itself if it is to be read", asked)
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
    from rulewright.diagnostics.suggest import is_slip, nearest  # noqa: PLC0415 - most files are there

    inside, name = posixpath.split(place)
    names = [each for each in provider.files(inside) if each != name]
    close = nearest(name, names)
    remedy = f"did you mean `{posixpath.join(inside, close)}`?" if close else ""
    found = complaint("RW0001", f"there is no file `{place}`", remedy, asked)
    if close is None or asked is None:
        return found
    last = Span(asked.span.source, asked.span.end - 1 - len(name), asked.span.end - 1)
    return dataclasses.replace(found, edits=(Edit(last, close, is_slip(name, close, names)),))
