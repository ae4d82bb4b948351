"""A play that is over, written down as a scenario that passes."""

import posixpath
from collections.abc import Iterator, Mapping, Sequence

from rulewright.drivers.session import Session
from rulewright.files import Provider
from rulewright.inputs.json_values import to_json
from rulewright.inputs.nodes import Json
from rulewright.inputs.one_line import one_line
from rulewright.inputs.script import script_text
from rulewright.inputs.state_json import state_json
from rulewright.machine.request import Ended, Faulted, Refused
from rulewright.scenarios.differing import changes_of
from rulewright.scenarios.laying import laid, named

_NOTHING: dict[str, Json] = {}


def recording(  # noqa: PLR0913, PLR0917
    session: Session,
    ruleset: str,
    overlays: Sequence[str],
    file: str,
    provider: Provider,
    state: Mapping[str, Json] | None = None,
    more: Mapping[str, Json] = _NOTHING,
    roles: Mapping[str, Json] | None = None,
) -> str:
    """The text of a scenario file with this play; ruleset and overlays are named from where the file will stand.

    The play has ended, was refused or met a fault. State and roles are written as they are given, else whole;
    more may be expected than what the play came to.
    """
    begun = session.begun
    folder = posixpath.dirname(file)
    lines = [f"ruleset: {one_line(way_from(folder, ruleset, provider))}"]
    if overlays:
        lines.append(f"overlays: {one_line([way_from(folder, each, provider) for each in overlays])}")
    lines.append(f"procedure: {one_line(begun.procedure.name)}")
    given = begun.arguments_json() if roles is None else dict(roles)
    lines += [f"with: {one_line(given)}"] if given else []
    lines += laid("state", state_json(begun.situation, begun.executable.program) if state is None else dict(state), 0)
    lines += ["scenarios:", "  recorded:"]
    lines += _script(session)
    lines += laid("expect", {**_expected(session), **more}, 4)
    return "\n".join(lines) + "\n"


def way_from(folder: str, place: str, provider: Provider) -> str:
    """The way from a folder to a file or folder; a name stays as it is."""
    if not provider.sort(place):
        return place
    here, there = provider.identity(folder or "."), provider.identity(place)
    return posixpath.relpath(there, here)


def _script(session: Session) -> Iterator[str]:
    answers = script_text(session.answers()).splitlines()
    if not session.turns:
        return
    yield "    script:"
    yield from (f"      {line}" for line in answers)


def _expected(session: Session) -> dict[str, Json]:
    outcome, begun = session.outcome, session.begun
    if isinstance(outcome, Refused):
        return {"refused": [each.text for each in outcome.reasons]}
    steps = [named(each.address.partition("/")[2]) for each in session.entries if each.sort == "step"]
    expected: dict[str, Json] = {"path": steps, "changes": changes_of(session)}
    if isinstance(outcome, Faulted):
        return {"fault": outcome.code, **expected}
    assert isinstance(outcome, Ended)
    result = begun.procedure.result
    return expected if result is None else {"result": to_json(outcome.result, result, begun.names), **expected}
