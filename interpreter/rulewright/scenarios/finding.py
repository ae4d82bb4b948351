"""Scenario files, and which of their cases are wanted."""

import posixpath
from collections.abc import Iterable, Iterator

from rulewright.analysis.clauses.cites import clauses_called
from rulewright.files import Provider
from rulewright.frozen import dataclass
from rulewright.scenarios.suite import Case

ENDING = ".scenario.yaml"


def resolved(place: str, provider: Provider) -> str:
    """A place; where its first folder is not there and is the name of a shipped ruleset, the same below that."""
    top, shipped = place.partition("/")[0], provider.shipped()
    is_shipped = shipped and not provider.sort(top) and provider.sort(posixpath.join(shipped, top)) == "folder"
    return posixpath.join(shipped, place) if is_shipped else place


def scenario_files(place: str, provider: Provider) -> Iterator[str]:
    """The scenario files of a file, or of a folder and all below it, in order of their names.

    Folders that begin with a dot are left out; what cannot be read is answered as it is, for its reader to tell.
    """
    if provider.sort(place) == "folder":
        yield from _below(place, provider, frozenset())
    elif place.endswith(ENDING) or provider.sort(place) != "file":
        yield place


def _below(folder: str, provider: Provider, above: frozenset[str]) -> Iterator[str]:
    """Those of a folder; a link to a folder above is not followed."""
    here = provider.identity(folder)
    if here in above:
        return
    for name in sorted(provider.files(folder)):
        place = posixpath.normpath(posixpath.join(folder, name))
        if name.endswith(ENDING):
            yield place
        elif not name.startswith("."):
            sort = provider.sort(place)
            yield from _below(place, provider, above | {here}) if sort == "folder" else [place] * (sort == "closed")


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which cases are played: those that have everything asked for.

    Attributes:
        name: a part of the name, in large or small letters, or empty.
        clause: a clause that is covered, as people write it, or empty.
        failed: those whose file and name are among these, or none where that is no matter.
    """

    name: str = ""
    clause: str = ""
    failed: frozenset[tuple[str, str]] | None = None

    def of(self, cases: Iterable[Case]) -> tuple[Case, ...]:
        """The wanted among some cases."""
        return tuple(each for each in cases if self._is_wanted(each))

    def _is_wanted(self, case: Case) -> bool:
        return (
            self.name.lower() in case.name.lower()
            and (not self.clause or bool(clauses_called(self.clause, (each.text for each in case.covers))))
            and (self.failed is None or (case.file, case.name) in self.failed)
        )
