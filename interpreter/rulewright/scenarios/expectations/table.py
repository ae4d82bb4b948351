"""How each key of `expect` is judged, in that order, and what is proposed for it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from rulewright.diagnostics import Diagnostic
from rulewright.drivers.chance import Chance
from rulewright.drivers.session import Begun, Session
from rulewright.drivers.sources import Sources
from rulewright.inputs.findings import Findings, Read
from rulewright.inputs.nodes import Json, Mapping as MappingNode
from rulewright.inputs.script import ByItself
from rulewright.machine.request import Ended
from rulewright.machine.state import initial
from rulewright.scenarios.expectations import ending, lines, paths, proposals, questions
from rulewright.scenarios.expectations.ending import changes, state
from rulewright.scenarios.expectations.lines import Judging
from rulewright.scenarios.expectations.proposals import NothingFitsError
from rulewright.scenarios.expectations.shapes import ODDS
from rulewright.scenarios.opening import Ruled
from rulewright.scenarios.suite import Miss

_OF_OTHER_ENDS = frozenset({"refused", "fault"})
"""What is expected of plays that do not end as their rules say; it has its shape, and nothing more can be wrong."""


@dataclass(frozen=True)
class Expectation:
    """What is done with one key of `expect`."""

    # what of it a play did not meet; none where that is no matter of one play that was played to its end
    judge: Callable[[Judging], tuple[Miss, ...]] | None
    # what it has to say for a play to meet it; none where it cannot be written down from a play
    propose: Callable[[Judging], Json] | None


EXPECTATIONS: Mapping[str, Expectation] = {
    "always": Expectation(None, None),
    "invalid": Expectation(None, None),
    "refused": Expectation(ending.refused, proposals.refused),
    "fault": Expectation(ending.fault, proposals.fault),
    "result": Expectation(ending.result, proposals.result),
    "path": Expectation(paths.path, proposals.path),
    "passed_over": Expectation(paths.passed_over, lambda judging: proposals.steps(judging, "passed over")),
    "happens": Expectation(paths.happens, None),
    "asked": Expectation(questions.asked, proposals.asked),
    "asked_of": Expectation(questions.asked_of, proposals.asked_of),
    "offered": Expectation(questions.offered, proposals.offered),
    "rejects": Expectation(questions.rejects, proposals.rejects),
    "values": Expectation(lines.values, proposals.values),
    "decided": Expectation(lines.decided, proposals.decided),
    "counted": Expectation(lines.counted, proposals.counted),
    "applied": Expectation(lines.applied, partial(proposals.met, lines.applied)),
    "not_applied": Expectation(lines.not_applied, partial(proposals.met, lines.not_applied)),
    "rulings": Expectation(lines.rulings, partial(proposals.met, lines.rulings)),
    "measures": Expectation(ending.measured, proposals.measures),
    "state": Expectation(state, proposals.state),
    "changes": Expectation(changes, proposals.changes),
    ODDS: Expectation(None, None),
}
"""Of the keys that have a shape, each; in the order in which they are judged."""


def judge(expect: MappingNode, session: Session, ruled: Ruled) -> Read[tuple[Miss, ...]]:
    """Every expectation that was not met, in order; none is judged after a play that ended otherwise than expected.

    Reports RW1002 (another sort of value), RW1007 (an address where nothing is), and what reading states and values
    reports.
    """
    misses = ending.otherwise(expect, session)
    return Read(misses) if misses else _judged(expect, session, ruled)


def foreseen(expect: MappingNode, begun: Begun, ruled: Ruled) -> tuple[Diagnostic, ...]:
    """What `judge` reports whatever comes of the play: what it says of one that ends before anything has happened."""
    others = tuple((key, node) for key, node in expect if key.text not in _OF_OTHER_ENDS)
    return _judged(MappingNode(others, expect.span, expect.pointer), _unplayed(begun), ruled).diagnostics


def _judged(expect: MappingNode, session: Session, ruled: Ruled) -> Read[tuple[Miss, ...]]:
    findings, misses = Findings(), tuple[Miss, ...]()
    for name, each in EXPECTATIONS.items():
        node = expect.get(name)
        if node is not None and each.judge is not None:
            misses += each.judge(Judging(node, session, ruled, findings))
    return findings.read(misses)


class _Unplayed(Session):
    """A play in which nothing has happened, and nothing answers itself."""

    def ever_by_itself(self) -> Iterator[ByItself]:
        return iter(())


def _unplayed(begun: Begun) -> Session:
    ended = Ended(lambda: initial(begun.situation, begun.executable.layout), None, ())
    return _Unplayed(begun, ended, Sources(begun.names, Chance(0)))


def value_of(what: str, judging: Judging) -> Json:
    """What an expectation that is not met has to say, as JSON data, in the spelling it has.

    Raises:
        NothingFitsError: nothing can be written that this play would meet.
    """
    propose = EXPECTATIONS[what].propose if what in EXPECTATIONS else None
    if propose is None:
        raise NothingFitsError("it cannot be written down from a play")
    return propose(judging)
