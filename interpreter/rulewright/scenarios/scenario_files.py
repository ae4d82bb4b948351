"""Discovery of scenario files, filters of cases, and a file watcher for `--watch`."""

import posixpath
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from rulewright.base.bounded_files import make_file_error, read_text_file
from rulewright.base.diagnostics import Diagnostic, has_errors
from rulewright.base.files import FileProvider
from rulewright.base.frozen import dataclass
from rulewright.base.source import Text
from rulewright.checker.clauses import match_clause_ids
from rulewright.documents.findings import ReadResult, quote_name
from rulewright.documents.ruleset_location import locate_ruleset
from rulewright.scenarios.suite import ScenarioCase, Suite
from rulewright.scenarios.suite_reader import SuiteLoader

SCENARIO_SUFFIX = ".scenario.yaml"
_POLL_INTERVAL_S = 0.3


def resolve_shipped_place(place: str, provider: FileProvider) -> str:
    """Path of a place; a first folder that does not exist may be the name of a shipped ruleset."""
    top, shipped = place.partition("/")[0], provider.get_rulesets_folder()
    is_shipped = (
        shipped and not provider.get_file_type(top) and provider.get_file_type(posixpath.join(shipped, top)) == "folder"
    )
    return posixpath.join(shipped, place) if is_shipped else place


def walk_scenario_files(place: str, provider: FileProvider) -> Iterator[str]:
    """Scenario files of a file, or of a folder and all below it, by name.

    Folders that begin with a dot are left out; unreadable places are yielded for their reader to report.
    """
    if provider.get_file_type(place) == "folder":
        yield from _find_files_below(place, provider, frozenset())
    elif place.endswith(SCENARIO_SUFFIX) or provider.get_file_type(place) != "file":
        yield place


def _find_files_below(folder: str, provider: FileProvider, above: frozenset[str]) -> Iterator[str]:
    here = provider.get_identity(folder)
    if here in above:
        return
    for name in sorted(provider.list_folder_names(folder)):
        place = posixpath.normpath(posixpath.join(folder, name))
        if name.endswith(SCENARIO_SUFFIX):
            yield place
        elif not name.startswith("."):
            sort = provider.get_file_type(place)
            yield from (
                _find_files_below(place, provider, above | {here}) if sort == "folder" else [place] * (sort == "closed")
            )


@dataclass(frozen=True, slots=True)
class CaseFilter:
    """Filter of cases: all given criteria must hold."""

    name: str = ""  # part of the name, ignoring case, or ""
    clause: str = ""  # covered clause as people write it, or ""
    # file and name of the wanted cases, or `None` for any
    failed: frozenset[tuple[str, str]] | None = None

    def select_cases(self, cases: Iterable[ScenarioCase]) -> tuple[ScenarioCase, ...]:
        return tuple(case_ for case_ in cases if self._is_wanted(case_))

    def _is_wanted(self, case: ScenarioCase) -> bool:
        return (
            self.name.lower() in case.name.lower()
            and (not self.clause or bool(match_clause_ids(self.clause, (cover.text for cover in case.covers))))
            and (self.failed is None or (case.file, case.name) in self.failed)
        )


def read_cases(places: Sequence[str], rules: SuiteLoader) -> ReadResult[tuple[ScenarioCase, ...]]:
    """Cases of all scenario files of some places, in order; reports as `read_suites`."""
    read_result = read_suites(places, rules)
    return ReadResult(None if read_result.value is None else all_cases(read_result.value), read_result.diagnostics)


def read_suites(places: Sequence[str], rules: SuiteLoader) -> ReadResult[tuple[Suite, ...]]:
    """Scenario files of some places, in order, each once.

    Texts are added to those of `rules`. Reports RW1011 (a place without any), and what reading a file and a suite does.
    """
    files = {
        place: list(walk_scenario_files(resolve_shipped_place(place, rules.provider), rules.provider))
        for place in places
    }
    read = [_read_suite_file(file, rules) for file in dict.fromkeys(file for items in files.values() for file in items)]
    read += [
        ReadResult(None, (_no_scenarios_error(place, rules.provider),)) for place, items in files.items() if not items
    ]
    wrong = tuple(one for each in read for one in each.diagnostics)
    return ReadResult(None if has_errors(wrong) else tuple(one.value for one in read if one.value), wrong)


def all_cases(suites: Iterable[Suite]) -> tuple[ScenarioCase, ...]:
    """Cases of scenario files, in the order of the files."""
    return tuple(case for suite in suites for case in suite.cases)


def group_by_ruleset(suites: Iterable[Suite], provider: FileProvider) -> tuple[tuple[str, tuple[Suite, ...]], ...]:
    """Scenario files by name of the ruleset they play, in order; a file with several rulesets joins their groups."""
    groups: list[tuple[dict[str, str], list[Suite]]] = []
    mains: dict[str, str] = {}
    for suite in suites:
        names: dict[str, str] = {}
        for name in dict.fromkeys(case.ruleset for case in suite.cases):
            mains[name] = mains.get(name) or locate_ruleset(name, provider).main or name
            names.setdefault(mains[name], name)
        shared = [group for group in groups if group[0].keys() & names.keys()]
        if not shared:
            groups.append((names, [suite]))
            continue
        for named, group_suites in shared[1:]:
            shared[0][0].update(named)
            shared[0][1].extend(group_suites)
        groups = [group for group in groups if group not in shared[1:]]
        shared[0][0].update({**names, **shared[0][0]})
        shared[0][1].append(suite)
    return tuple((" and ".join(names.values()), tuple(group_suites)) for names, group_suites in groups)


def _no_scenarios_error(place: str, provider: FileProvider) -> Diagnostic:
    folder = posixpath.dirname(place) or "."
    if provider.get_file_type(place) == "file" and any(walk_scenario_files(folder, provider)):
        remedy = f"name the folder {quote_name(folder)}, which has some"
    else:
        remedy = f"the name of a scenario file ends in `{SCENARIO_SUFFIX}`"
    return make_file_error("RW1011", f"there are no scenarios in {quote_name(place)}", remedy)


def _read_suite_file(place: str, rules: SuiteLoader) -> ReadResult[Suite]:
    text = read_text_file(place, rules.provider)
    return rules.load_suite(text) if isinstance(text, Text) else ReadResult(None, (text,))


def wait_for_change(places: Sequence[str], rules: SuiteLoader) -> None:
    """Blocks until a text of the rules is changed or removed, or the set of scenario files changes."""
    before = _modification_times(places, rules)
    while _modification_times(places, rules) == before:
        time.sleep(_POLL_INTERVAL_S)


def _modification_times(places: Sequence[str], rules: SuiteLoader) -> dict[str, int]:
    result = [file for place in places for file in walk_scenario_files(place, rules.provider)]
    return {text: _modification_time(Path(text)) for text in (*rules.texts, *result)}


def _modification_time(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0
