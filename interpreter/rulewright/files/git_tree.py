"""Texts of a revision of a git repository, read by `git` itself."""

import os
import posixpath
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path, PurePath

from rulewright.diagnostics import Diagnostic, Severity
from rulewright.diagnostics.remedies import nearest, suggested
from rulewright.files.providers import Provider
from rulewright.frozen import dataclass

_KEPT = frozenset({"GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM"})
_CLOSED = {
    "LC_ALL": "C",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ALLOW_PROTOCOL": "",
}
_CAREFULLY = (
    *("--no-pager", "-c", "protocol.allow=never", "-c", "core.hooksPath=/dev/null"),
    *("-c", "core.fsmonitor=false", "-c", "core.sshCommand=false", "-c", "credential.helper=", "-c", "diff.external="),
)
"""Nothing that a repository or the environment says makes git fetch, run a program or look elsewhere."""


class GitTree:
    """The files of one revision; what is outside of its repository is as another provider has it."""

    def __init__(self, git: str, root: str, tree: str, outside: Provider) -> None:
        """Reads with the program `git` from the repository at `root`, an absolute path, the tree of that id."""
        self._git = git
        self._outside = outside
        self._root = root
        self._tree = tree
        self._here = PurePath(os.path.realpath(Path.cwd())).as_posix()
        self._found: dict[str, tuple[str, str]] = {}

    def sort(self, place: str) -> str:
        """`file`, `folder`, or nothing where there is neither."""
        inside = self._inside(place)
        if inside is None:
            return self._outside.sort(place)
        return {"blob": "file", "tree": "folder"}.get(self._object(inside)[1], "")

    def read(self, place: str, most: int) -> bytes:
        """What a file holds, up to so many bytes."""
        inside = self._inside(place)
        if inside is None:
            return self._outside.read(place, most)
        found, sort = self._object(inside)
        if sort != "blob":
            raise FileNotFoundError(place)
        return _output(self._git, "-C", self._root, "cat-file", "blob", found)[:most]

    def files(self, place: str) -> tuple[str, ...]:
        """The names in a folder, in order."""
        inside = self._inside(place)
        if inside is None:
            return self._outside.files(place)
        found, sort = self._object(inside)
        if sort != "tree":
            return ()
        names = _output(self._git, "-C", self._root, "ls-tree", "-z", "--name-only", found)
        return tuple(sorted(os.fsdecode(each) for each in names.split(b"\0") if each))

    def former(self, place: str) -> str:
        """What a file or folder was called here that was renamed since and is staged so; empty where none was."""
        inside = self._inside(place)
        if not inside:
            return ""
        asked = ("diff", "--cached", "--no-ext-diff", "--no-textconv", "--find-renames", "--diff-filter=R")
        said = _output(self._git, "-C", self._root, *asked, "--name-status", "-z", self._tree)
        parts = [os.fsdecode(each) for each in said.split(b"\0")]
        for old, new in zip(parts[1::3], parts[2::3], strict=False):
            below = new.removeprefix(f"{inside}/") if new.startswith(f"{inside}/") else ""
            was = old if new == inside else old.removesuffix(f"/{below}") if below and old.endswith(f"/{below}") else ""
            if was:
                return posixpath.relpath(posixpath.join(self._root, was), self._here)
        return ""

    def identity(self, place: str) -> str:
        """The absolute place."""
        return self._absolute(place)

    def shipped(self) -> str:
        """The folder of shipped rulesets; a repository that holds it has it at this revision."""
        return self._outside.shipped()

    def _absolute(self, place: str) -> str:
        return posixpath.normpath(posixpath.join(self._here, place))

    def _inside(self, place: str) -> str | None:
        """The place from the root of the repository; none where it is outside."""
        absolute = self._absolute(place)
        if absolute == self._root:
            return ""
        return absolute.removeprefix(f"{self._root}/") if absolute.startswith(f"{self._root}/") else None

    def _object(self, inside: str) -> tuple[str, str]:
        """Id and sort of the object at a place, links followed; twice nothing where there is none."""
        if inside not in self._found:
            asked = os.fsencode(f"{self._tree}:{inside}\n")
            check = ("cat-file", "--batch-check=%(objectname) %(objecttype)", "--follow-symlinks")
            said = _output(self._git, "-C", self._root, *check, given=asked).split()
            named = len(said) == 2 and said[1] in {b"blob", b"tree"}  # noqa: PLR2004 - id and sort
            self._found[inside] = (said[0].decode(), said[1].decode()) if named else ("", "")
        return self._found[inside]


def open_tree(revision: str, outside: Provider) -> GitTree | Diagnostic:
    """The files of a revision of the repository around the current folder.

    Answers RW1100 (there is no `git`), RW1101 (no repository) or RW1102 (no such revision).
    """
    git = shutil.which("git")
    if git is None:
        return _refused("RW1100", "the program `git` is not found", "install git, or name files that are on the disk")
    root = _run(git, "rev-parse", "--show-toplevel")
    if root.returncode:
        said = os.fsdecode(root.stderr).strip().splitlines()[:1]
        notes = tuple(f"git says: {each.removeprefix('fatal: ')}" for each in said)
        message = "the current folder is in no git repository"
        return _refused(
            "RW1101", message, "go to a folder of the repository, or name files that are on the disk", notes
        )
    tree = _run(git, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{tree}}")
    if tree.returncode or not revision:
        return _no_revision(git, revision)
    return GitTree(git, os.fsdecode(root.stdout).rstrip("\r\n"), tree.stdout.decode().strip(), outside)


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit of a repository."""

    revision: str  # in hexadecimal digits
    day: str  # `2026-11-23`
    subject: str  # the first line of its message


def commits(folder: str, places: Sequence[str], most: int) -> tuple[Commit, ...]:
    """The last commits that touch what lies at some places, the newest first; none without git or a repository.

    Args:
        folder: a folder of the repository.
        places: files or folders, from there.
        most: how many at most.
    """
    git = shutil.which("git")
    if git is None or not places:
        return ()
    form = ("-z", "--date=short", "--format=%H%x09%ad%x09%s")
    marked = [f":(literal){each}" for each in places]
    listed = _run(git, "-C", folder, "log", f"--max-count={most}", *form, "--", *marked)
    told = os.fsdecode(listed.stdout).split("\0") if not listed.returncode else ()
    return tuple(Commit(*each.split("\t", 2)) for each in told if each)


def committed(place: str) -> str | None:
    """What the last commit has at the place of a file of the disk; none where there is nothing, or no repository."""
    git, (folder, name) = shutil.which("git"), os.path.split(os.path.abspath(place))  # noqa: PTH100 - links stay
    if git is None or not os.path.isdir(folder):  # noqa: PTH112
        return None
    found = _run(git, "-C", folder, "cat-file", "blob", f"HEAD:./{name}")
    return found.stdout.decode("utf-8-sig", "replace") if not found.returncode else None


def _no_revision(git: str, revision: str) -> Diagnostic:
    named = _run(git, "for-each-ref", "--format=%(refname:short)").stdout
    close = nearest(revision, ["HEAD", *os.fsdecode(named).split()])
    remedy = suggested(close, "fetch it first; a shallow clone has few revisions")
    return _refused("RW1102", f"the repository has no revision `{revision}`", remedy)


def _refused(code: str, message: str, remedy: str, notes: tuple[str, ...] = ()) -> Diagnostic:
    return Diagnostic(code, Severity.ERROR, message, help=remedy, notes=notes)


def _run(git: str, *arguments: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    environment = {name: said for name, said in os.environ.items() if name in _KEPT or not name.startswith("GIT_")}
    command, environment = [git, *_CAREFULLY, *arguments], environment | _CLOSED
    return subprocess.run(command, input=given, capture_output=True, env=environment, check=False)  # noqa: S603 - a program found by its name, arguments never read by a shell


def _output(git: str, *arguments: str, given: bytes = b"") -> bytes:
    """What git prints.

    Raises:
        OSError: it failed.
    """
    done = _run(git, *arguments, given=given)
    if done.returncode:
        raise OSError(5, os.fsdecode(done.stderr).strip() or "git failed")
    return done.stdout
