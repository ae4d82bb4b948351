"""File provider of a git revision, and history of files, read by the program `git`."""

import os
import posixpath
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path, PurePath

from rulewright.base.diagnostics import Diagnostic, Severity
from rulewright.base.diagnostics.remedies import find_nearest_name, suggest_name
from rulewright.base.files import FileProvider
from rulewright.base.frozen import dataclass

_KEPT_GIT_VARIABLES = frozenset({"GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM"})
_GIT_ENVIRONMENT = {
    "LC_ALL": "C",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ALLOW_PROTOCOL": "",
}
_SAFE_GIT_OPTIONS = (
    *("--no-pager", "-c", "protocol.allow=never", "-c", "core.hooksPath=/dev/null"),
    *("-c", "core.fsmonitor=false", "-c", "core.sshCommand=false", "-c", "credential.helper=", "-c", "diff.external="),
)
"""Neither the repository nor the environment can make git fetch, run a program or look elsewhere."""


class GitTree:
    """File provider of one revision; places outside the repository are those of another provider."""

    def __init__(self, git: str, root: str, tree: str, outside: FileProvider) -> None:
        """Reads with the program `git` from the repository at `root`, an absolute path, the tree of that id."""
        self._git = git
        self._outside_files = outside
        self._root = root
        self._tree = tree
        self._current_folder = PurePath(os.path.realpath(Path.cwd())).as_posix()
        self._objects: dict[str, tuple[str, str]] = {}

    def get_file_type(self, place: str) -> str:
        inside = self._get_repository_path(place)
        if inside is None:
            return self._outside_files.get_file_type(place)
        return {"blob": "file", "tree": "folder"}.get(self._find_object(inside)[1], "")

    def read_file_bytes(self, place: str, most: int) -> bytes:
        inside = self._get_repository_path(place)
        if inside is None:
            return self._outside_files.read_file_bytes(place, most)
        text, sort = self._find_object(inside)
        if sort != "blob":
            raise FileNotFoundError(place)
        return _read_git_output(self._git, "-C", self._root, "cat-file", "blob", text)[:most]

    def list_folder_names(self, place: str) -> tuple[str, ...]:
        inside = self._get_repository_path(place)
        if inside is None:
            return self._outside_files.list_folder_names(place)
        text, sort = self._find_object(inside)
        if sort != "tree":
            return ()
        names = _read_git_output(self._git, "-C", self._root, "ls-tree", "-z", "--name-only", text)
        return tuple(sorted(os.fsdecode(item) for item in names.split(b"\0") if item))

    def find_former_name(self, place: str) -> str:
        """The place in this revision of a file or folder renamed since and staged so; empty where there is none."""
        inside = self._get_repository_path(place)
        if not inside:
            return ""
        arguments = ("diff", "--cached", "--no-ext-diff", "--no-textconv", "--find-renames", "--diff-filter=R")
        output = _read_git_output(self._git, "-C", self._root, *arguments, "--name-status", "-z", self._tree)
        parts = [os.fsdecode(item) for item in output.split(b"\0")]
        for old, new in zip(parts[1::3], parts[2::3], strict=False):
            below = new.removeprefix(f"{inside}/") if new.startswith(f"{inside}/") else ""
            was = old if new == inside else old.removesuffix(f"/{below}") if below and old.endswith(f"/{below}") else ""
            if was:
                return posixpath.relpath(posixpath.join(self._root, was), self._current_folder)
        return ""

    def get_identity(self, place: str) -> str:
        return self._get_absolute_place(place)

    def get_rulesets_folder(self) -> str:
        """The folder of shipped rulesets; inside a repository that holds it, as of this revision."""
        return self._outside_files.get_rulesets_folder()

    def _get_absolute_place(self, place: str) -> str:
        return posixpath.normpath(posixpath.join(self._current_folder, place))

    def _get_repository_path(self, place: str) -> str | None:
        absolute = self._get_absolute_place(place)
        if absolute == self._root:
            return ""
        return absolute.removeprefix(f"{self._root}/") if absolute.startswith(f"{self._root}/") else None

    def _find_object(self, inside: str) -> tuple[str, str]:
        """Id and type (`blob` or `tree`) of the object at a place, links followed; `("", "")` where there is none."""
        if inside not in self._objects:
            query = os.fsencode(f"{self._tree}:{inside}\n")
            check = ("cat-file", "--batch-check=%(objectname) %(objecttype)", "--follow-symlinks")
            output = _read_git_output(self._git, "-C", self._root, *check, given=query).split()
            named = len(output) == 2 and output[1] in {b"blob", b"tree"}  # noqa: PLR2004 - id and sort
            self._objects[inside] = (output[0].decode(), output[1].decode()) if named else ("", "")
        return self._objects[inside]


def open_git_tree(revision: str, outside: FileProvider) -> GitTree | Diagnostic:
    """File provider of a revision of the repository around the current folder.

    Diagnostics: RW1100 (there is no `git`), RW1101 (no repository), RW1102 (no such revision).
    """
    git = shutil.which("git")
    if git is None:
        return _make_git_error(
            "RW1100", "the program `git` is not found", "install git, or name files that are on the disk"
        )
    root = _run_git(git, "rev-parse", "--show-toplevel")
    if root.returncode:
        errors = os.fsdecode(root.stderr).strip().splitlines()[:1]
        notes = tuple(f"git says: {item.removeprefix('fatal: ')}" for item in errors)
        message = "the current folder is in no git repository"
        return _make_git_error(
            "RW1101", message, "go to a folder of the repository, or name files that are on the disk", notes
        )
    tree = _run_git(git, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{tree}}")
    if tree.returncode or not revision:
        return _refuse_revision(git, revision)
    return GitTree(git, os.fsdecode(root.stdout).rstrip("\r\n"), tree.stdout.decode().strip(), outside)


@dataclass(frozen=True, slots=True)
class GitCommit:
    """A commit: its id, date and subject."""

    revision: str
    day: str  # `2026-11-23`
    subject: str  # the first line of its message


def list_commits(folder: str, places: Sequence[str], most: int) -> tuple[GitCommit, ...]:
    """The last commits that touch places, newest first; none without git or a repository.

    Args:
        folder: a folder of the repository.
        places: files or folders, relative to it.
        most: limit of commits.
    """
    git = shutil.which("git")
    if git is None or not places:
        return ()
    form = ("-z", "--date=short", "--format=%H%x09%ad%x09%s")
    marked = [f":(literal){place}" for place in places]
    listed = _run_git(git, "-C", folder, "log", f"--max-count={most}", *form, "--", *marked)
    lines = os.fsdecode(listed.stdout).split("\0") if not listed.returncode else ()
    return tuple(GitCommit(*item.split("\t", 2)) for item in lines if item)


def read_committed_text(place: str, revision: str = "HEAD") -> str | None:
    """Content of a file of the disk in a commit, by default the last; none where it has none, or without a repository."""
    git, (folder, name) = shutil.which("git"), os.path.split(os.path.abspath(place))  # noqa: PTH100 - links stay
    if git is None or not os.path.isdir(folder):  # noqa: PTH112
        return None
    completed_process = _run_git(git, "-C", folder, "cat-file", "blob", f"{revision}:./{name}")
    return completed_process.stdout.decode("utf-8-sig", "replace") if not completed_process.returncode else None


def _refuse_revision(git: str, revision: str) -> Diagnostic:
    named = _run_git(git, "for-each-ref", "--format=%(refname:short)").stdout
    close = find_nearest_name(revision, ["HEAD", *os.fsdecode(named).split()])
    remedy = suggest_name(close, "fetch it first; a shallow clone has few revisions")
    return _make_git_error("RW1102", f"the repository has no revision `{revision}`", remedy)


def _make_git_error(code: str, message: str, remedy: str, notes: tuple[str, ...] = ()) -> Diagnostic:
    return Diagnostic(code, Severity.ERROR, message, help=remedy, notes=notes)


def _run_git(git: str, *arguments: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    environment = {
        name: value for name, value in os.environ.items() if name in _KEPT_GIT_VARIABLES or not name.startswith("GIT_")
    }
    command, environment = [git, *_SAFE_GIT_OPTIONS, *arguments], environment | _GIT_ENVIRONMENT
    return subprocess.run(command, input=given, capture_output=True, env=environment, check=False)  # noqa: S603 - a program found by its name, arguments never read by a shell


def _read_git_output(git: str, *arguments: str, given: bytes = b"") -> bytes:
    """Raises OSError if git fails."""
    completed = _run_git(git, *arguments, given=given)
    if completed.returncode:
        raise OSError(5, os.fsdecode(completed.stderr).strip() or "git failed")
    return completed.stdout
