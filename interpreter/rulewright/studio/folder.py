"""The folder that is worked in: its files listed, read, and written whole or not at all; nothing outside of it."""

import errno
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePosixPath
from threading import Lock

from rulewright.files.project import LARGEST, PROJECT, is_below, real, regular
from rulewright.files.writing import reason_of, replace, tidy
from rulewright.resources import folder as rulesets_folder
from rulewright.studio.gate import Problem

RULESET, OVERLAY = "ruleset", "amends"
"""How rules begin that are a ruleset, and that amend one."""

MOST = 2_000
"""How many files are listed."""

_SORTS = {
    ".rules": "rules",
    ".scenario.yaml": "scenario",
    ".scenario.yml": "scenario",
    ".clauses.yaml": "clauses",
    ".state.yaml": "state",
    ".script.yaml": "script",
    ".odds.yaml": "odds",
    **dict.fromkeys((".yaml", ".yml", ".json", ".csv", ".md", ".toml"), "other"),
}
"""What files are for, by how their names end, the longest ending first."""

_DEEPEST = 12
_LONGEST = 200
_FORBIDDEN = re.compile(
    r'[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff<>:"|?*\\]'
)
"""What no name has: what steers terminals and texts, what nobody sees, half characters, what some systems forbid."""

_DEVICES = re.compile(r"(?i)\A(con|prn|aux|nul|com\d|lpt\d)(\.|\Z)")
_BEGINS = re.compile(rb"\A(?:[ \t]*(?:#[^\n]*)?\r?\n)*(ruleset|amends)[ \t]")
_NAMES = re.compile(rb"^ruleset:[ \t]*[\"']?([^\"'#\r\n]+?)[\"']?[ \t]*(?:#.*)?\r?$", re.MULTILINE)
_USES = re.compile(rb'^use[ \t]+"([^"\r\n]*)"', re.MULTILINE)
_HEAD = 20_000
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_MARK = "\ufeff"


@dataclass(frozen=True, slots=True)
class Listed:
    """A file of the folder."""

    path: str  # from the folder, with `/`
    sort: str  # `rules`, `scenario`, `state`, `script`, `clauses`, `odds` or `other`
    version: str  # another one for another content
    begins: str  # of rules `RULESET`, `OVERLAY`, or nothing
    names: tuple[str, ...]  # files that rules use, or the ruleset of a scenario or state, as they are written


@dataclass(frozen=True, slots=True)
class Held:
    """What a file holds."""

    text: str  # lines end in LF
    version: str


class Folder:
    """One folder, and all that its files may be asked and told by a browser."""

    def __init__(self, path: Path) -> None:
        self.path = Path(real(str(path)))
        self._known: dict[str, tuple[tuple[int, ...], Listed]] = {}  # by path, with what the disk says of the file
        self._writing = Lock()

    @property
    def name(self) -> str:
        """What the folder is called."""
        return self.path.name or str(self.path)

    def place(self, written: str) -> str:
        """The place of a file, from the folder, in its one form; whether it is there or not.

        Raises:
            Problem: it leads outside, or is no name that a file of the workbench may have.
        """
        parts = PurePosixPath(written).parts
        if not parts or written.startswith("/") or len(written) > _LONGEST * 2 or len(parts) > _DEEPEST:
            raise _no_name(written)
        if any(not _is_name(each) for each in parts) or _sort(parts[-1]) == "":
            raise _no_name(written)
        found = "/".join(parts)
        path = self.path / found
        if not is_below(real(str(path)), str(self.path)) or _is_other_case(self.path, parts):
            raise _no_name(written)
        if os.path.lexists(path) and not path.is_file():
            raise _no_name(written)
        return found

    def list(self) -> tuple[Listed, ...]:
        """The files of the folder and of all below it, in order; hidden ones and links to folders left out."""
        found = dict(self._walked(self.path, ""))
        self._known = found
        return tuple(listed for _, listed in sorted(found.values(), key=lambda each: each[1].path))

    def tidy(self) -> None:
        """Removes what a save that was cut off left beside the files, in this run or another."""
        for each in {self.path, *((self.path / listed.path).parent for listed in self.list())}:
            tidy(each)

    def read(self, written: str) -> Held:
        """What a file holds.

        Raises:
            Problem: there is no such file, or it cannot be shown as a text.
        """
        place = self.place(written)
        content = self._content(place)
        if content is None:
            raise Problem(404, f"there is no file `{place}` any more")
        return Held(_text(place, content), _version(content))

    def write(self, written: str, text: str, version: str | None) -> str:
        """Puts a text in the place of what a file holds, whole or not at all, and answers its version.

        The version is that which the text was made from; none for a file that is not there yet. A file whose lines
        all end in CR and LF keeps them, and one with a byte order mark keeps that.

        Raises:
            Problem: 409, the file holds something else meanwhile, which goes with it; 507, the disk is full; others,
                it cannot be written. The file is as it was.
        """
        place = self.place(written)
        with self._writing:
            before = self._content(place)
            found = None if before is None else _version(before)
            content = _encoded(text, before or b"")
            if found != version and before != content:
                raise _other(place, before)
            if len(content) > LARGEST:
                raise Problem(413, f"`{place}` would be larger than {LARGEST:,} bytes")
            try:
                (self.path / place).parent.mkdir(parents=True, exist_ok=True)
                replace(self.path / place, content)
            except (OSError, ValueError) as error:
                raise unwritten(place, error) from None
        return _version(content)

    def remove(self, written: str, version: str) -> None:
        """Removes a file that holds what somebody saw.

        Raises:
            Problem: 409, it holds something else meanwhile; others, it cannot be removed.
        """
        place = self.place(written)
        with self._writing:
            before = self._content(place)
            if before is None:
                return
            if _version(before) != version:
                raise _other(place, before)
            try:
                (self.path / place).unlink()
            except OSError as error:
                raise Problem(403, f"`{place}` cannot be removed: {reason_of(error)}") from None

    def _content(self, place: str) -> bytes | None:
        """What a file holds; none where there is none."""
        try:
            content = regular(real(str(self.path / place)), LARGEST + 1)
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise Problem(403, f"`{place}` cannot be read: {reason_of(error)}") from None
        if len(content) > LARGEST:
            raise Problem(413, f"`{place}` is larger than {LARGEST:,} bytes")
        return content

    def _walked(self, folder: Path, before: str) -> Iterator[tuple[str, tuple[tuple[int, ...], Listed]]]:
        try:
            with os.scandir(folder) as scanned:
                entries = sorted(scanned, key=lambda each: each.name)
        except OSError:
            return
        for each in entries[: MOST * 2]:
            path = f"{before}{each.name}"
            if not _is_name(each.name) or path.count("/") >= _DEEPEST:
                continue
            if each.is_dir(follow_symlinks=False):
                yield from self._walked(Path(each.path), f"{path}/")
            elif sort := _sort(each.name):
                listed = self._listed(each, path, sort)
                if listed is not None:
                    yield path, listed

    def _listed(self, entry: "os.DirEntry[str]", path: str, sort: str) -> tuple[tuple[int, ...], Listed] | None:
        """A file, looked into only if the disk says that it is another than before; none if it is no file of ours."""
        try:
            about = entry.stat()
            stamp = (about.st_mtime_ns, about.st_size, about.st_ino)
            if not stat.S_ISREG(about.st_mode) or not is_below(real(entry.path), str(self.path)):
                return None
            known = self._known.get(path)
            if known is not None and known[0] == stamp:
                return known
            content = regular(real(entry.path), LARGEST + 1)
        except (OSError, ValueError):
            return None
        begins = _BEGINS.match(content[:_HEAD]) if sort == "rules" else None
        names = (_USES if sort == "rules" else _NAMES).findall(content[:_HEAD]) if sort != "other" else []
        told = tuple(each.decode(errors="replace") for each in names)
        return stamp, Listed(path, sort, _version(content), begins[1].decode() if begins else "", told)


def _is_name(part: str) -> bool:
    """Whether a part of a path may be that of a file of the workbench."""
    return not (
        part[:1] in {"", ".", "-", "~", " "}
        or part[-1] in {".", " "}
        or len(part) > _LONGEST
        or _FORBIDDEN.search(part)
        or _DEVICES.match(part)
    )


def _sort(name: str) -> str:
    """What a file is for; nothing for one that is no matter of the workbench."""
    if name.endswith(".toml") and name != PROJECT:
        return ""
    return next((sort for ending, sort in _SORTS.items() if name.endswith(ending)), "")


def _is_other_case(folder: Path, parts: tuple[str, ...]) -> bool:
    """Whether a file is there, but goes by a name of other letters, as on disks that take `A` for `a`."""
    for part in parts:
        if not os.path.lexists(folder / part):
            return False
        if part not in os.listdir(folder):  # noqa: PTH208 - names
            return True
        folder /= part
    return False


def _no_name(written: str) -> Problem:
    shown = "".join(each if each.isprintable() else "?" for each in written[:60])
    return Problem(400, f"`{shown}` cannot be the name of a file here")


def _other(place: str, content: bytes | None) -> Problem:
    """What is said where a file holds something else than the browser thought, with what it holds."""
    if content is None:
        return Problem(409, f"`{place}` is not there any more", text=None, version=None)
    words = f"`{place}` was changed somewhere else since you opened it"
    return Problem(409, words, text=_text(place, content), version=_version(content))


def named_from(folder: Path, words: str) -> str:
    """Words in which files are named from the folder, and shipped ones as they are called, not by where they lie."""
    shipped = rulesets_folder("rulesets")
    for way, place in (("", shipped), *(("../" * up, each) for up, each in enumerate((folder, *folder.parents[:-1])))):
        words = words.replace(f"{place}{os.sep}", way)
    return words.replace(str(folder), folder.name)


def unwritten(place: str, error: OSError | ValueError) -> Problem:
    """What is said where a file cannot be written."""
    if isinstance(error, OSError) and error.errno in _FULL:
        return Problem(507, f"`{place}` is not saved: the disk is full; what you typed stays here")
    return Problem(403, f"`{place}` is not saved: {reason_of(error)}; what you typed stays here")


def _version(content: bytes) -> str:
    return sha256(content).hexdigest()[:24]


def _text(place: str, content: bytes) -> str:
    """A file as text."""
    try:
        return content.decode().removeprefix(_MARK).replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError:
        raise Problem(415, f"`{place}` is not UTF-8, so it cannot be shown; save it as UTF-8") from None


def _encoded(text: str, before: bytes) -> bytes:
    """A text as it is written, with the line ends and the mark that the file had."""
    mark = _MARK.encode() if before.startswith(_MARK.encode()) else b""
    content = text.replace("\r\n", "\n").encode()
    ends = before.count(b"\n")
    return mark + (content.replace(b"\n", b"\r\n") if ends and before.count(b"\r\n") == ends else content)
