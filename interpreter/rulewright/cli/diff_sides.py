"""From the arguments of `diff` to two checked rulesets."""

import posixpath
from collections.abc import Sequence

from rulewright.cli.reading import files_for
from rulewright.cli.stop import Stop, complaint
from rulewright.diagnostics import Diagnostic
from rulewright.diagnostics.suggest import nearest
from rulewright.files import DISK, Provider
from rulewright.files.git_tree import open_tree
from rulewright.frozen import dataclass
from rulewright.program.declarations import Program
from rulewright.workspace import Loaded, Located, load, locate


@dataclass(frozen=True, slots=True)
class Asked:
    """One of the two that are to be compared.

    Attributes:
        word: `OLD` or `NEW`.
        written: as people call it: `HEAD~1:duel.rules`.
        place: of the ruleset, for its provider.
        provider: where it is read from.
        overlays: files that amend it.
    """

    word: str
    written: str
    place: str
    provider: Provider
    overlays: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two, read and checked."""

    asked: Asked
    located: Located
    program: Program
    loaded: Loaded

    @property
    def main(self) -> str:
        """The place of its main file."""
        return self.located.main or self.asked.place

    @property
    def overlays(self) -> tuple[tuple[str, str], ...]:
        """The file and the revision of everything that amends the ruleset, in order."""
        headers = self.loaded.linked.overlays if self.loaded.linked else ()
        return tuple((each.span.source, each.revision.text) for each in headers)

    @property
    def revision(self) -> str:
        """The revision with those of its overlays: `1, with house.rules revision 2`."""
        amended = ", ".join(f"{file} revision {revision}" for file, revision in self.overlays)
        return f"{self.program.revision}, with {amended}" if amended else self.program.revision


def asked_for(word: str, written: str, overlays: Sequence[str]) -> Asked:
    """What an argument names: what is on the disk, what is shipped, or `REV:path`.

    Raises:
        Stop: RW1100 to RW1103.
    """
    revision, colon, place = written.partition(":")
    if DISK.sort(written) or not colon:
        return Asked(word, written, written, files_for(written, *overlays), tuple(overlays))
    return at_revision(word, revision, place, overlays)


def at_revision(word: str, revision: str, place: str, overlays: Sequence[str]) -> Asked:
    """What a place was in a revision of git; the place is one from the current folder, or a shipped name.

    Raises:
        Stop: RW1100 (no git), RW1101 (no repository), RW1102 (no such revision), RW1103 (no such place in it).
    """
    tree = open_tree(revision, files_for(place or ".", *overlays))
    if isinstance(tree, Diagnostic):
        raise Stop([tree])
    found = posixpath.normpath(place or ".")
    shipped = posixpath.join(tree.shipped(), found)
    if not tree.sort(found) and ("/" in found or not tree.sort(shipped)):
        inside, name = posixpath.split(found)
        close = nearest(name, tree.files(inside))
        remedy = (
            f"did you mean `{posixpath.join(inside, close)}`?" if close else "places are seen from the current folder"
        )
        raise Stop([complaint("RW1103", f"`{revision}` has no file or folder `{place}`", remedy)])
    return Asked(word, f"{revision}:{place}", found, tree, tuple(overlays))


def read_side(asked: Asked) -> Side:
    """The ruleset, read and checked.

    Raises:
        Stop: RW1104 and what is wrong with it.
    """
    located = locate(asked.place, asked.provider)
    loaded = load(located, asked.overlays, asked.provider)
    if loaded.program is None:
        wrong = loaded.errors
        why = "it has errors" if loaded.texts else "it cannot be read"
        said = complaint("RW1104", f"{asked.word}, `{asked.written}`, cannot be compared, for {why}")
        raise Stop([said, *wrong], loaded.texts)
    return Side(asked, located, loaded.program, loaded)
