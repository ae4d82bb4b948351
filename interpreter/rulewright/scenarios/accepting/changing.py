"""How things came to stand, as an expectation says it."""

from rulewright.inputs.nodes import Json, Mapping, Node
from rulewright.inputs.state_json import state_json
from rulewright.scenarios.accepting.sameness import NothingFitsError, same
from rulewright.scenarios.expectations.judging import Judging
from rulewright.scenarios.recording import changes_of


def changes(judging: Judging) -> Json:
    """All that became otherwise; what is written and holds stays, though it says nothing new."""
    return _with_true(changes_of(judging.session), judging.node, _end(judging))


def state(judging: Judging) -> Json:
    """The parts that are written, as they are at the end."""
    return _part(judging.node, _end(judging))


def _end(judging: Judging) -> Json:
    state = judging.session.state
    assert state is not None
    return state_json(state.situation(), judging.program)


def _with_true(told: Json, written: Node, end: Json) -> Json:
    if not isinstance(told, dict) or not isinstance(written, Mapping) or not isinstance(end, dict):
        return told
    kept: dict[str, Json] = {}
    for key, node in written:
        if key.text in told:
            kept[key.text] = _with_true(told[key.text], node, end.get(key.text))
        elif key.text in end:
            true = _with_true({}, node, end[key.text]) if isinstance(node, Mapping) else end[key.text]
            kept |= {key.text: true} if true and (isinstance(node, Mapping) or same(node, true)) else {}
    return kept | {key: value for key, value in told.items() if key not in kept}


def _part(written: Node, end: Json) -> Json:
    if not isinstance(written, Mapping) or not isinstance(end, dict):
        return end
    missing = next((key.text for key, _ in written if key.text not in end), None)
    if missing is not None:
        reason = f"`{missing}` is not told at the end"
        raise NothingFitsError(reason)
    return {key.text: _part(node, end[key.text]) for key, node in written}
