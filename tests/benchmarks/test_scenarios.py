"""The bare machine ends as the scenario does: only then is a comparison of speed honest."""

from benchmarks.scenarios import answered, cases, sessions_of
from rulewright.base.files import DISK
from rulewright.runtime.request import Ended
from rulewright.runtime.run import Outcome
from rulewright.runtime.state import encode_game
from rulewright.scenarios.case_opening import RulesetLoader


def end(outcome: Outcome) -> object:
    """The state, the result and the work of a play that came to its end."""
    return (
        (encode_game(outcome.state), outcome.result, outcome.state.work)
        if isinstance(outcome, Ended)
        else type(outcome)
    )


def test_same_ends() -> None:
    rules = RulesetLoader(DISK)
    found = cases("mel", rules)
    assert len(found) > 50
    for each in found:
        (session,) = sessions_of(each, rules)
        assert end(answered(each, rules)()) == end(session.outcome), each.name
