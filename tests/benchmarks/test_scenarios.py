"""The bare machine ends as the scenario does: only then is a comparison of speed honest."""

from benchmarks.scenarios import answered, cases, sessions_of
from rulewright.files import DISK
from rulewright.machine.codec import encode
from rulewright.machine.request import Ended
from rulewright.machine.run import Outcome
from rulewright.scenarios.opening import Rules


def end(outcome: Outcome) -> object:
    """The state, the result and the work of a play that came to its end."""
    return (encode(outcome.state), outcome.result, outcome.state.work) if isinstance(outcome, Ended) else type(outcome)


def test_same_ends() -> None:
    rules = Rules(DISK)
    found = cases("mel", rules)
    assert len(found) > 50
    for each in found:
        (session,) = sessions_of(each, rules)
        assert end(answered(each, rules)()) == end(session.outcome), each.name
