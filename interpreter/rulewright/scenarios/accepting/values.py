"""What an expectation would have to say for a play to meet it."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import cast

from rulewright.inputs.json_values import to_json
from rulewright.inputs.nodes import Items, Json
from rulewright.machine.faults import Fault
from rulewright.machine.measures import measure
from rulewright.machine.request import Ended, Faulted
from rulewright.scenarios.accepting import addresses, asking, changing, times
from rulewright.scenarios.accepting.sameness import NothingFitsError
from rulewright.scenarios.expectations import ending, measuring
from rulewright.scenarios.expectations.judging import Judging

_CODE = re.compile(r"RW\d{4}")


def value_of(what: str, judging: Judging) -> Json:
    """What an expectation that is not met has to say, as JSON data, in the spelling it has.

    Raises:
        NothingFitsError: nothing can be written that this play would meet.
    """
    if what not in _VALUES:
        reason = "it is not made from what a play comes to"
        raise NothingFitsError(reason)
    return _VALUES[what](judging)


def _result(judging: Judging) -> Json:
    outcome, type_ = judging.session.outcome, judging.session.begun.procedure.result
    assert isinstance(outcome, Ended)
    assert type_ is not None
    return to_json(outcome.result, type_, judging.names)


def _measures(judging: Judging) -> Json:
    session, of = judging.session, judging.program.measures
    assert session.state is not None
    found: dict[str, Json] = {}
    for key, node in judging.entries("measures to values"):
        name = judging.address(key.text, key, tuple(of), "measure")
        assert name is not None
        for keys, arguments, _ in measuring.given(judging, name, node):
            try:
                value = measure(session.begun.executable, session.state, name, arguments)
            except Fault as fault:
                reason = f"a measure has no value: {fault.message}"
                raise NothingFitsError(reason) from None
            _put(found, (key.text, *keys), to_json(value, of[name].type, judging.names))
    return found


def _put(found: dict[str, Json], keys: Sequence[str], value: Json) -> None:
    """Writes a value under keys one inside the other."""
    *outer, last = keys
    for each in outer:
        found = cast("dict[str, Json]", found.setdefault(each, {}))
    found[last] = value


def _refused(judging: Judging) -> Json:
    several = isinstance(judging.node, Items) and len(judging.node.items) > 1
    return [*ending.reasons(judging.session, every=several)]


def _fault(judging: Judging) -> Json:
    outcome = judging.session.outcome
    assert isinstance(outcome, Faulted)
    return outcome.code if _CODE.fullmatch(getattr(judging.node, "written", "")) else outcome.message


_VALUES: Mapping[str, Callable[[Judging], Json]] = {
    "refused": _refused,
    "fault": _fault,
    "result": _result,
    "path": addresses.path,
    "passed_over": addresses.passed_over,
    "asked": asking.asked,
    "asked_of": asking.asked_of,
    "offered": asking.offered,
    "rejects": asking.rejects,
    "values": times.values,
    "decided": addresses.decided,
    "counted": times.counted,
    "applied": addresses.applied,
    "not_applied": addresses.not_applied,
    "rulings": addresses.rulings,
    "measures": _measures,
    "state": changing.state,
    "changes": changing.changes,
}
