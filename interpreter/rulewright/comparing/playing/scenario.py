"""A witness as a scenario of the old revision, which the new one does not pass."""

from collections.abc import Sequence

from rulewright.comparing.playing.data import Witness
from rulewright.comparing.playing.finishing import finished
from rulewright.files import Provider
from rulewright.inputs.answers import answer_json
from rulewright.inputs.nodes import Json
from rulewright.inputs.state_json import state_json
from rulewright.machine.request import Ended, Paused, Request
from rulewright.scenarios.recording import recording


def scenario_of(witness: Witness, ruleset: str, overlays: Sequence[str], file: str, provider: Provider) -> str | None:
    """The text of a scenario file that passes under the old revision and fails under the new one.

    The old play is brought to its end with plain answers. What the new revision does otherwise is among what is
    expected: who is asked and what is offered are written down where that is the difference. There is none where the
    old play comes to no end, or where only the faces of dice differ and the new revision has more of them.

    Args:
        witness: where the revisions part.
        ruleset: the old ruleset, as its user names it.
        overlays: files that amend it.
        file: where the scenario will stand.
        provider: for the way from there to the ruleset.
    """
    session = finished(witness.old.session)
    if session is None or _is_more_faces(witness):
        return None
    return recording(session, ruleset, overlays, file, provider, witness.old.state, _parting(witness))


def _is_more_faces(witness: Witness) -> bool:
    old, new = witness.old.session.outcome, witness.new.session.outcome
    if witness.sort != "dice" or not isinstance(old, Paused) or not isinstance(new, Paused):
        return False
    counts = [[each.count for each in one.request.dice] for one in (old, new)]
    return counts[0] == counts[1]


def _parting(witness: Witness) -> dict[str, Json]:
    """What is expected of the question at which they part; nothing where the rest of the play tells enough."""
    outcome = witness.old.session.outcome
    if witness.sort == "start" and isinstance(outcome, Ended):
        program = witness.old.session.begun.executable.program
        return {"state": state_json(outcome.state.situation(), program)}
    if not isinstance(outcome, Paused):
        return {}
    request = outcome.request
    first = all(each.at != request.address for each in witness.old.answers)
    if witness.sort == "asked" and request.player is not None and first:
        return {"asked_of": {request.address: witness.old.session.begun.names.thing("player", request.player)}}
    if witness.sort == "options" and request.choices and first:
        return {"offered": {request.address: _offered(request, witness)}}
    return {}


def _offered(request: Request, witness: Witness) -> list[Json]:
    names = witness.old.session.begun.names
    return [answer_json(request, each.value, names) for each in request.choices if each.reason is None]
