"""From places on the disk to cases."""

import posixpath
from collections.abc import Iterable, Sequence

from rulewright.diagnostics import Diagnostic, has_errors
from rulewright.files import Provider, complaint
from rulewright.files import read as read_file
from rulewright.inputs.findings import Read
from rulewright.inputs.wording import quoted
from rulewright.scenarios.beginning import Rules
from rulewright.scenarios.finding import ENDING, resolved, scenario_files
from rulewright.scenarios.reading import read_suite
from rulewright.scenarios.suite import Case, Suite
from rulewright.source import Text
from rulewright.workspace import locate


def cases_of(places: Sequence[str], rules: Rules) -> Read[tuple[Case, ...]]:
    """The cases of all scenario files of some places, in order; as `suites_of`."""
    found = suites_of(places, rules)
    return Read(None if found.value is None else all_cases(found.value), found.diagnostics)


def suites_of(places: Sequence[str], rules: Rules) -> Read[tuple[Suite, ...]]:
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


def _file(place: str, rules: Rules) -> Read[Suite]:
    text = read_file(place, rules.provider)
    return read_suite(text, rules.provider, rules.texts) if isinstance(text, Text) else Read(None, (text,))
