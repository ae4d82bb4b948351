"""How a play ended and what was measured, as expectations say it."""

import re
from collections.abc import Sequence
from typing import cast

from rulewright.inputs.json_values import to_json
from rulewright.inputs.nodes import Items, Json
from rulewright.machine.faults import Fault
from rulewright.machine.measures import measure
from rulewright.machine.request import Ended, Faulted
from rulewright.scenarios.accepting.sameness import NothingFitsError
from rulewright.scenarios.expectations import ending, measuring
from rulewright.scenarios.expectations.judging import Judging

_CODE = re.compile(r"RW\d{4}")


def result(judging: Judging) -> Json:
    """What the procedure gave."""
    outcome, type_ = judging.session.outcome, judging.session.begun.procedure.result
    assert isinstance(outcome, Ended)
    assert type_ is not None
    return to_json(outcome.result, type_, judging.names)


def measures(judging: Judging) -> Json:
    """Those measures as they are."""
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


def refused(judging: Judging) -> Json:
    """The reasons; as many as there are where several are written."""
    several = isinstance(judging.node, Items) and len(judging.node.items) > 1
    return [*ending.reasons(judging.session, every=several)]


def fault(judging: Judging) -> Json:
    """The code where one is written, else the message."""
    outcome = judging.session.outcome
    assert isinstance(outcome, Faulted)
    return outcome.code if _CODE.fullmatch(getattr(judging.node, "written", "")) else outcome.message
