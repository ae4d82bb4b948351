"""From places on the disk to cases."""

import posixpath
from collections.abc import Sequence

from rulewright.diagnostics import Diagnostic, has_errors
from rulewright.files import complaint
from rulewright.files import read as read_file
from rulewright.inputs.findings import Read
from rulewright.inputs.wording import quoted
from rulewright.scenarios.beginning import Rules
from rulewright.scenarios.finding import ENDING, scenario_files
from rulewright.scenarios.reading import read_suite
from rulewright.scenarios.suite import Case
from rulewright.source import Text


def cases_of(places: Sequence[str], rules: Rules) -> Read[tuple[Case, ...]]:
    """The cases of all scenario files of some places, in order.

    Texts are added to those of the rules. Reports RW1011 (a place without any), and what reading a file and a suite do.
    """
    read = [_file(file, rules) for file in dict.fromkeys(file for place in places for file in _files(place, rules))]
    read += [Read(None, (_none(each),)) for each in places if not _files(each, rules)]
    wrong = tuple(one for each in read for one in each.diagnostics)
    return Read(None if has_errors(wrong) else tuple(one for each in read for one in each.value or ()), wrong)


def _files(place: str, rules: Rules) -> list[str]:
    """The scenario files of a file, a folder or a shipped ruleset."""
    shipped = posixpath.join(rules.provider.shipped(), place)
    is_name = not rules.provider.sort(place) and rules.provider.shipped() and "/" not in place
    return list(scenario_files(shipped if is_name and rules.provider.sort(shipped) else place, rules.provider))


def _none(place: str) -> Diagnostic:
    remedy = f"the name of a scenario file ends in `{ENDING}`"
    return complaint("RW1011", f"there are no scenarios in {quoted(place)}", remedy)


def _file(place: str, rules: Rules) -> Read[tuple[Case, ...]]:
    text = read_file(place, rules.provider)
    if not isinstance(text, Text):
        return Read(None, (text,))
    found = read_suite(text, rules.provider, rules.texts)
    return Read(found.value.cases if found.value else None, found.diagnostics)
