"""From places on the disk to cases, and which of them are wanted; waits until one changes."""

import posixpath
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from rulewright.analysis.clauses import clauses_called
from rulewright.diagnostics import Diagnostic, has_errors
from rulewright.files import Provider, complaint, read as read_file
from rulewright.frozen import dataclass
from rulewright.inputs.findings import Read, quoted
from rulewright.scenarios.suite import Case, Suite
from rulewright.scenarios.suite_reader import Suites
from rulewright.source import Text
from rulewright.workspace import locate

ENDING = ".scenario.yaml"
_PAUSE = 0.3


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
    """The scenario files of a folder and below; a link to a folder above is not followed."""
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
    """Which cases are played: those that have everything asked for."""

    name: str = ""  # a part of the name, in large or small letters, or empty
    clause: str = ""  # a clause that is covered, as people write it, or empty
    # those whose file and name are among these, or none where that is no matter
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


def cases_of(places: Sequence[str], rules: Suites) -> Read[tuple[Case, ...]]:
    """The cases of all scenario files of some places, in order; as `suites_of`."""
    found = suites_of(places, rules)
    return Read(None if found.value is None else all_cases(found.value), found.diagnostics)


def suites_of(places: Sequence[str], rules: Suites) -> Read[tuple[Suite, ...]]:
    """The scenario files of some places, in order, each once.

    Texts are added to those of the rules. Reports RW1011 (a place without any), and what reading a file and a suite
    do.
    """
    files = {place: list(scenario_files(resolved(place, rules.provider), rules.provider)) for place in places}
    read = [_file(file, rules) for file in dict.fromkeys(file for found in files.values() for file in found)]
    read += [Read(None, (_none(place, rules.provider),)) for place, found in files.items() if not found]
    wrong = tuple(one for each in read for one in each.diagnostics)
    return Read(None if has_errors(wrong) else tuple(each.value for each in read if each.value), wrong)


def all_cases(suites: Iterable[Suite]) -> tuple[Case, ...]:
    """The cases of several files, in order."""
    return tuple(case for each in suites for case in each.cases)


def by_ruleset(suites: Iterable[Suite], provider: Provider) -> tuple[tuple[str, tuple[Suite, ...]], ...]:
    """Scenario files by the ruleset they play, in order, each with its name; a file that plays several joins them."""
    groups: list[tuple[dict[str, str], list[Suite]]] = []
    mains: dict[str, str] = {}
    for suite in suites:
        names: dict[str, str] = {}
        for name in dict.fromkeys(case.ruleset for case in suite.cases):
            mains[name] = mains.get(name) or locate(name, provider).main or name
            names.setdefault(mains[name], name)
        shared = [each for each in groups if each[0].keys() & names.keys()]
        if not shared:
            groups.append((names, [suite]))
            continue
        for named, held in shared[1:]:
            shared[0][0].update(named)
            shared[0][1].extend(held)
        groups = [each for each in groups if each not in shared[1:]]
        shared[0][0].update({**names, **shared[0][0]})
        shared[0][1].append(suite)
    return tuple((" and ".join(names.values()), tuple(held)) for names, held in groups)


def _none(place: str, provider: Provider) -> Diagnostic:
    folder = posixpath.dirname(place) or "."
    if provider.sort(place) == "file" and any(scenario_files(folder, provider)):
        remedy = f"name the folder {quoted(folder)}, which has some"
    else:
        remedy = f"the name of a scenario file ends in `{ENDING}`"
    return complaint("RW1011", f"there are no scenarios in {quoted(place)}", remedy)


def _file(place: str, rules: Suites) -> Read[Suite]:
    text = read_file(place, rules.provider)
    return rules.suite(text) if isinstance(text, Text) else Read(None, (text,))


def changed(places: Sequence[str], rules: Suites) -> None:
    """Returns when a text of the rules was written or taken away, or there are other scenario files in the places."""
    before = _stamps(places, rules)
    while _stamps(places, rules) == before:
        time.sleep(_PAUSE)


def _stamps(places: Sequence[str], rules: Suites) -> dict[str, int]:
    found = [file for place in places for file in scenario_files(place, rules.provider)]
    return {each: _stamp(Path(each)) for each in (*rules.texts, *found)}


def _stamp(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0
