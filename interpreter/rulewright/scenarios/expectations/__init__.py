"""What a scenario expects, each sort with its own judge."""

from collections.abc import Callable, Mapping

from rulewright.drivers.session import Session
from rulewright.inputs.findings import Findings, Read
from rulewright.inputs.nodes import Mapping as MappingNode
from rulewright.scenarios.expectations import (
    asked,
    counting,
    ending,
    measuring,
    questions,
    rejecting,
    rows,
    states,
    steps,
    workings,
)
from rulewright.scenarios.expectations.judging import Judging
from rulewright.scenarios.expectations.names import EXPECTATIONS
from rulewright.scenarios.results import Miss
from rulewright.scenarios.ruled import Ruled

_Judge = Callable[[Judging], tuple[Miss, ...]]
_JUDGES: Mapping[str, _Judge] = {
    "always": ending.always,
    "refused": ending.refused,
    "fault": ending.fault,
    "result": ending.result,
    "measures": measuring.measured,
    "path": steps.path,
    "passed_over": steps.passed_over,
    "asked": asked.asked,
    "asked_of": questions.asked_of,
    "offered": questions.offered,
    "rejects": rejecting.rejects,
    "values": workings.values,
    "decided": rows.decided,
    "counted": counting.counted,
    "applied": rows.applied,
    "not_applied": rows.not_applied,
    "rulings": rows.rulings,
    "state": states.state,
    "changes": states.changes,
}


def judge(expect: MappingNode, session: Session, ruled: Ruled) -> Read[tuple[Miss, ...]]:
    """Every expectation that was not met, in order; none is judged after a play that ended otherwise than expected.

    Reports RW1002 (another sort of value), RW1007 (an address where nothing is), and what reading states and values
    reports.
    """
    findings = Findings()
    misses = ending.otherwise(expect, session)
    if not misses:
        for name in EXPECTATIONS:
            node = expect.get(name)
            if node is not None:
                misses += _JUDGES[name](Judging(node, session, ruled, findings))
    return findings.read(misses)
