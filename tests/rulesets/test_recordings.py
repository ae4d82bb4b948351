"""Every shipped scenario that is recorded is a scenario that passes, and is recorded again as the same text."""

import pytest

from rulewright.base.files import DISK, get_resource_folder
from rulewright.base.source import Text
from rulewright.play.session import Session
from rulewright.scenarios.case_opening import RulesetLoader
from rulewright.scenarios.case_play import play_case
from rulewright.scenarios.scenario_files import read_cases
from rulewright.scenarios.scenario_recording import record_scenario
from rulewright.scenarios.suite_reader import read_suite
from support.sample_sizes import sample_cases

RULESETS = sorted(each for each in get_resource_folder("rulesets").iterdir() if each.is_dir())


@pytest.mark.parametrize("ruleset", RULESETS, ids=lambda path: path.name)
def test_what_is_recorded_passes(ruleset: object) -> None:
    rules, file = RulesetLoader(DISK), f"{ruleset}/recorded.scenario.yaml"
    found = read_cases([str(ruleset)], rules)
    assert found.value
    for case in sample_cases(found.value, 60):
        sessions = list[Session]()
        play_case(case, rules, sessions.append)
        for session in sessions[:1]:
            named = case.ruleset, [each.text for each in case.overlays], file, DISK
            text = record_scenario(session, *named)
            suite = read_suite(Text(file, text), DISK, {}).value
            assert suite is not None, text
            result = play_case(suite.cases[0], rules, sessions.append)
            assert result.outcome == "passed", (case.name, result.misses, result.problems, text)
            assert record_scenario(sessions[-1], *named) == text
