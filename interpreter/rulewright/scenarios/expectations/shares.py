"""Shares of all plays as `expect: odds:` writes them: exact, or between bounds."""

import re
from collections.abc import Iterator
from fractions import Fraction

from rulewright.frozen import dataclass
from rulewright.inputs.findings import Findings, Wrong, quoted, shown
from rulewright.inputs.names import Names
from rulewright.inputs.nodes import Mapping, Node, Scalar
from rulewright.inputs.value_reader import ValueReader
from rulewright.machine.values import Value
from rulewright.odds.elsewhere import likelihood, scalar_of
from rulewright.odds.measures import AskedMeasure
from rulewright.program.types import FlagType

_BOUNDS = re.compile(r"\s*(?:at (?P<side>least|most)\s+(?P<bound>.+)|(?P<low>.+?)\s+to\s+(?P<high>.+))", re.DOTALL)
_LONGEST = 200
_FORM = "write `1/3`, `0.25`, `25 %`, `at least 1/2`, `at most 1/2` or `1/3 to 1/2`"


@dataclass(frozen=True, slots=True)
class Share:
    """How large a share of all plays is expected to be."""

    written: str  # as it stands in the scenario
    low: Fraction  # at least so much
    high: Fraction  # at most so much


@dataclass(frozen=True, slots=True)
class Expected:
    """What is expected of one value."""

    place: str  # what it is of, for people: the expression, and the value where it is named
    measure: int  # number of the expression
    value: Value
    share: Share  # of the plays that end with it


def share_in(written: str) -> Share | None:
    """A share as it is written; none where it is not a number from 0 to 1, and no bounds that leave one."""
    if len(written) > _LONGEST:
        return None
    found = _BOUNDS.fullmatch(written)
    if found is None:
        low = high = likelihood(written)
    elif found["side"]:
        bound = likelihood(found["bound"])
        low, high = (bound, Fraction(1)) if found["side"] == "least" else (Fraction(0), bound)
    else:
        low, high = likelihood(found["low"]), likelihood(found["high"])
    return None if low is None or high is None or low > high else Share(written.strip(), low, high)


def expected_shares(
    node: Mapping, measures: tuple[AskedMeasure, ...], names: Names, findings: Findings
) -> Iterator[Expected]:
    """What is expected of each value, in order.

    Reports RW1021 (no share, or a share of what is not a flag) and what reading a value reports.
    """
    for number, ((key, asked), measure) in enumerate(zip(node, measures, strict=True)):
        if isinstance(asked, Mapping):
            for each, share in asked:
                value = ValueReader(names, findings).read(scalar_of(each), measure.type, quoted(measure.text))
                found = _share(share, findings)
                if found is not None and not isinstance(value, Wrong):
                    yield Expected(f"{key.text}: {each.text}", number, value, found)
        elif not isinstance(measure.type, FlagType):
            message = f"{quoted(key.text)} is {measure.type}, so one share is not enough"
            remedy = "write the share of each value, `{0: 1/3, 1: 2/3}`, or compare it: `… = …` is a flag"
            findings.error("RW1021", asked, message, help=remedy)
        elif (found := _share(asked, findings)) is not None:
            yield Expected(key.text, number, True, found)  # noqa: FBT003 - the value


def _share(node: Node, findings: Findings) -> Share | None:
    found = share_in(node.written) if isinstance(node, Scalar) else None
    if found is None:
        findings.error("RW1021", node, f"{shown(node)} is not a share of all plays, from 0 to 1", help=_FORM)
    return found
