"""From places on the disk to cases."""

from collections.abc import Sequence

from rulewright.files import complaint
from rulewright.files import read as read_file
from rulewright.inputs.findings import Read
from rulewright.scenarios.beginning import Rules
from rulewright.scenarios.finding import ENDING, scenario_files
from rulewright.scenarios.reading import read_suite
from rulewright.scenarios.suite import Case
from rulewright.source import Text


def cases_of(places: Sequence[str], rules: Rules) -> Read[tuple[Case, ...]]:
    """The cases of all scenario files of some places, in order.

    Reports RW1011 (there are none), what reading a file and a suite reports. Texts are added to those of the rules.
    """
    files = [file for place in places for file in scenario_files(place, rules.provider)]
    if not files:
        remedy = f"a scenario file ends in `{ENDING}`"
        return Read(None, (complaint("RW1011", f"there are no scenario files in `{'`, `'.join(places)}`", remedy),))
    read = [_file(each, rules) for each in dict.fromkeys(files)]
    wrong = tuple(one for each in read for one in each.diagnostics)
    return Read(None if wrong else tuple(one for each in read for one in each.value or ()), wrong)


def _file(place: str, rules: Rules) -> Read[tuple[Case, ...]]:
    text = read_file(place, rules.provider)
    if not isinstance(text, Text):
        return Read(None, (text,))
    rules.texts[text.name] = text
    found = read_suite(text, rules.provider)
    return Read(found.value.cases if found.value else None, found.diagnostics)
