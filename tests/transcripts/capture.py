"""What a command line answers and writes, caught in this process, without what differs from machine to machine."""

import io
import json
import os
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from hashlib import sha256
from pathlib import Path
from typing import Any

from rulewright import __version__
from rulewright.cli.main import run_command_line

ROOT = Path(__file__).parents[2]
LARGEST = 6_000
"""Characters of an output that are kept in full; of a longer one the beginning and a digest."""
LARGEST_LINE = 2_000
"""The same for an output of one line: in a document for programs a difference is seen, but not read."""
_BEGINNING = 6
_WIDTH = 160
_PYTHON = re.compile(r"(?<=rulewright VERSION, )Python [\d.]+\S*, \w+")
_FAULTY_LINE = re.compile(r"(?<=\.py):\d+(?=\n  with: )")
_TIMES = re.compile(
    r"\b\d+\.\d+ s\b|(?<=in about )[\d,.]+ (?:s|min|h)\b|(?<=time=\")\d+\.\d+(?=\")|(?<=\"seconds\": )\d[\d.e-]*"
)
_TOLD_WHILE_WAITING = re.compile(r"(?m)^(?:followed one by one|that takes|what makes them many|what helps).*\n")
_POSITION = re.compile(r'\{\s*"line": (\d+),\s*"character": (\d+)\s*\}')
_SETTINGS = {"COLUMNS": "100", "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8", "LC_ALL": "C.UTF-8", "TZ": "UTC"}


class Transcript:
    """The entries of one section, in the order in which they were made."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.entries: list[str] = []
        self._before = _contents(folder)

    def command(self, *arguments: str, typed: str = "", keeps_files: bool = False) -> str:
        """Runs a command line, enters what it prints and writes, and answers what it printed.

        Files it makes or changes are put back afterwards, unless they are kept.
        """
        output, errors = _stream(), _stream()
        before, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(typed.encode()), encoding="utf-8")
        try:
            with redirect_stdout(output), redirect_stderr(errors):
                code = run_command_line(arguments)
        finally:
            sys.stdin = before
        printed = _caught(output)
        parts = {
            "typed": typed,
            "": printed,
            "stderr": _TOLD_WHILE_WAITING.sub("", _caught(errors)),
            **self._written(keeps_files=keeps_files),
        }
        self.enter(f"rulewright {' '.join(map(_quoted, arguments))}", parts, f"exit {code}")
        return printed

    def edit(self, path: str, content: str) -> None:
        """Writes a file that the next commands find."""
        place = self.folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(content, encoding="utf-8")
        self._before[place.relative_to(self.folder).as_posix()] = content.encode()

    def enter(self, title: str, parts: Mapping[str, str], ending: str = "") -> None:
        """Enters what was asked and the texts that came of it, each under its name."""
        lines = [f"$ {normalize_text(title, self.folder)}"]
        for name, content in parts.items():
            if content:
                lines += [f"--- {name}"] * bool(name)
                lines.append(_shortened(normalize_text(content, self.folder)).removesuffix("\n"))
        self.entries.append("\n".join([*lines, *([ending] if ending else [])]) + "\n")

    def enter_data(self, title: str, data: Any) -> None:
        """Enters data as JSON, a value on each line."""
        written = json.dumps(data, indent=1, ensure_ascii=False, default=str)
        self.enter(title, {"": _POSITION.sub(r'"\1:\2"', written)})

    def _written(self, *, keeps_files: bool) -> dict[str, str]:
        """What files were made, changed and removed, which then are as before."""
        after, told = _contents(self.folder), dict[str, str]()
        for path in sorted(self._before.keys() | after.keys()):
            old, new = self._before.get(path), after.get(path)
            if old == new:
                continue
            told[f"{'wrote' if new is not None else 'removed'} {path}"] = (new or b"").decode(
                "utf-8", "replace"
            ) or "\n"
            if keeps_files:
                continue
            if old is None:
                (self.folder / path).unlink()
            else:
                (self.folder / path).write_bytes(old)
        if keeps_files:
            self._before = after
        return told


@contextmanager
def quiet_machine(folder: Path) -> Iterator[None]:
    """A machine of which nothing is seen: no colours, one width, no kept files, and work is done in a folder."""
    before, here = dict(os.environ), Path.cwd()
    home = folder.with_name(f"{folder.name}-home")
    home.mkdir(exist_ok=True)
    os.environ.pop("FORCE_COLOR", None)
    os.environ.update(_SETTINGS, HOME=str(home), XDG_CACHE_HOME=str(home / "cache"))
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(here)
        os.environ.clear()
        os.environ.update(before)


def normalize_text(text: str, folder: Path) -> str:
    """A text without the places of this machine, times and the version."""
    for place, name in ((folder, "WORK"), (folder.with_name(f"{folder.name}-home"), "HOME"), (ROOT, "REPOSITORY")):
        text = text.replace(place.as_posix(), name)
    text = _TIMES.sub("TIME", text.replace(f"rulewright {__version__}", "rulewright VERSION"))
    return _FAULTY_LINE.sub("", _PYTHON.sub("PYTHON", text))


def _shortened(text: str) -> str:
    """A text, or the beginning and the digest of one that is long."""
    lines = text.splitlines()
    if len(text) <= (LARGEST if len(lines) > _BEGINNING else LARGEST_LINE):
        return text
    digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    shown = [f"{each[:_WIDTH]} …" if len(each) > _WIDTH else each for each in lines[:_BEGINNING]]
    return "\n".join([*shown, f"… {len(text)} characters in {len(lines)} lines, sha256 {digest}"])


def _contents(folder: Path) -> dict[str, bytes]:
    """What the files of a folder hold, by their paths."""
    files = (each for each in folder.rglob("*") if each.is_file() and ".git" not in each.relative_to(folder).parts)
    return {each.relative_to(folder).as_posix(): each.read_bytes() for each in files}


def _stream() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="backslashreplace")


def _caught(stream: io.TextIOWrapper) -> str:
    stream.flush()
    assert isinstance(stream.buffer, io.BytesIO)
    return stream.buffer.getvalue().decode()


def _quoted(argument: str) -> str:
    """An argument as somebody would type it."""
    return argument if re.fullmatch(r"[\w./=:,+@-]+", argument) else json.dumps(argument, ensure_ascii=False)
