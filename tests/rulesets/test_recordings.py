"""Every shipped scenario that is recorded is a scenario that passes, and is recorded again as the same text."""

import pytest

from rulewright.drivers.session import Session
from rulewright.files import DISK
from rulewright.resources import folder
from rulewright.scenarios.loading import cases_of
from rulewright.scenarios.opening import Rules
from rulewright.scenarios.play import play
from rulewright.scenarios.recording import recording
from rulewright.scenarios.suite_reader import read_suite
from rulewright.source import Text
from support.draws import sampled

RULESETS = sorted(each for each in folder("rulesets").iterdir() if each.is_dir())


@pytest.mark.parametrize("ruleset", RULESETS, ids=lambda path: path.name)
def test_what_is_recorded_passes(ruleset: object) -> None:
    rules, file = Rules(DISK), f"{ruleset}/recorded.scenario.yaml"
    found = cases_of([str(ruleset)], rules)
    assert found.value
    for case in sampled(found.value, 60):
        sessions = list[Session]()
        play(case, rules, sessions.append)
        for session in sessions[:1]:
            named = case.ruleset, [each.text for each in case.overlays], file, DISK
            text = recording(session, *named)
            suite = read_suite(Text(file, text), DISK, {}).value
            assert suite is not None, text
            result = play(suite.cases[0], rules, sessions.append)
            assert result.outcome == "passed", (case.name, result.misses, result.wrong, text)
            assert recording(sessions[-1], *named) == text
