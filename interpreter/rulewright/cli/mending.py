"""Remedies that are edits, for the command line: shown as a unified diff, or written."""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import unified_diff
from functools import partial
from pathlib import Path
from typing import Any

from rulewright.cli.exits import Stop, complaint
from rulewright.cli.output import Output
from rulewright.cli.writing import can_write, write
from rulewright.diagnostics.visible import visible
from rulewright.files import DISK, Provider
from rulewright.files.replaced import Revised
from rulewright.frozen import dataclass
from rulewright.workspace import Loaded, load, locate
from rulewright.workspace.mend import Mended, mend

_MARK = "\ufeff"


@dataclass(frozen=True, slots=True)
class Done:
    """What is told of remedies that were carried out, or would be.

    Attributes:
        mended: what came of them.
        written: whether the files were written.
        shipped: whether safe remedies were left out because they stand in a shipped ruleset.
        others: how many remedies may change what the rules mean, and were left out for that.
    """

    mended: Mended
    written: bool
    shipped: bool
    others: int

    def lines(self) -> Iterator[str]:
        """A line for each file, then why something was left."""
        for place, number in self._numbers().items():
            verb = "applied" if self.written else "would be applied"
            yield f"{visible(place)}: {_counted(number)} {verb}"
        if self.shipped:
            yield "shipped rulesets are not written; copy one to change it"
        if self.others:
            them = "it" if self.others == 1 else "them"
            yield f"{_counted(self.others)} may change what the rules mean: `--unsafe` takes {them} too"

    def as_json(self) -> dict[str, Any]:
        """What is added to the document of `check`."""
        numbers = self._numbers()
        return {
            "written": self.written,
            "mended": [
                {"file": place, "remedies": numbers[place], "diff": "".join(_diff(place, self.mended))}
                for place in self.mended.after
            ],
        }

    def _numbers(self) -> dict[str, int]:
        """How many remedies touched each file."""
        places = Counter(place for each in self.mended.done for place in {edit.span.source for edit in each.edits})
        return {place: places[place] for place in self.mended.after}


def _counted(number: int) -> str:
    return f"{number} remed{'y' if number == 1 else 'ies'}"


@dataclass(frozen=True, slots=True)
class Made:
    """Remedies carried out in memory.

    Attributes:
        mended: what came of them.
        unsafe: whether all were wanted.
        others: how many more would be carried out if all were wanted.
    """

    mended: Mended
    unsafe: bool
    others: int

    def done(self, *, written: bool) -> Done:
        """What is told of them."""
        return Done(self.mended, written, bool(self._shipped()), self.others)

    def is_anything_left(self, *, written: bool) -> bool:
        """Whether a remedy that was asked for is not in its file."""
        return bool(self._shipped()) or (bool(self.mended.after) and not written)

    def _shipped(self) -> list[str]:
        wanted = [each for each in self.mended.left if self.unsafe or each.is_safe_to_mend]
        return [edit.span.source for each in wanted for edit in each.edits if not _is_own(edit.span.source)]


def made(names: Sequence[str], overlays: Sequence[str], files: Provider, *, unsafe: bool, writing: bool) -> Made:
    """Carries out the remedies of rulesets in memory; shipped rulesets stay as they are."""
    loads = [partial(_load, name, tuple(overlays)) for name in names]
    mended = mend(loads, files, _is_own, unsafe=unsafe)
    if unsafe or all(each.is_safe_to_mend for each in mended.left):
        return Made(mended, unsafe, 0)
    found = Revised(files, mended.after) if writing else files
    also = mend(loads, found, _is_own, unsafe=True).done
    return Made(mended, unsafe, sum(not each.is_safe_to_mend for each in also))


def _load(name: str, overlays: tuple[str, ...], provider: Provider) -> Loaded:
    return load(locate(name, provider), overlays, provider)


def _is_own(place: str) -> bool:
    """Whether a file is none of those that ship."""
    shipped = DISK.shipped()
    return not shipped or not Path(DISK.identity(place)).is_relative_to(os.path.realpath(shipped))


def write_all(found: Made) -> None:
    """Writes every text that changed, each whole; marks and line ends stay as they are.

    Raises:
        Stop: RW0011, a file cannot be written; RW0015, one has changed since it was read. Found out, as far as that is
            possible, before the first is written.
    """
    held = {place: _held(place, found) for place in found.mended.after}
    for place in held:
        can_write(place)
    for place, mark in held.items():
        write(Path(place), mark + found.mended.after[place])


def _held(place: str, found: Made) -> str:
    """The mark that a file begins with, or nothing.

    Raises:
        Stop: RW0015, the file is not what was read.
    """
    now = DISK.read(place, -1).decode(errors="replace")
    mark = _MARK if now.startswith(_MARK) else ""
    if now != mark + found.mended.before[place].content:
        raise Stop([complaint("RW0015", f"`{place}` has changed since it was read", "give the command again")])
    return mark


def diff(found: Made, out: Output) -> Iterator[str]:
    """The lines of a unified diff of every text that changed, with their line ends."""
    roles = {"-": "error", "+": "good", "@": "place"}
    for place in found.mended.after:
        for line in _diff(place, found.mended):
            role = roles.get(line[:1])
            shown = line.removesuffix("\n")
            shown = visible(shown) if out.form == "human" or out.stream.isatty() else shown
            yield f"{out.paint(shown, role) if role and out.form == 'human' else shown}\n"


def _diff(place: str, mended: Mended) -> Iterator[str]:
    old, new = mended.before[place].content, mended.after[place]
    for line in unified_diff(_lines(old), _lines(new), f"a/{place}", f"b/{place}"):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _lines(content: str) -> list[str]:
    return [f"{line}\n" for line in content.split("\n")[:-1]] + (
        [last] if (last := content.rpartition("\n")[2]) else []
    )
