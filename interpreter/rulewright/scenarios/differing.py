"""How one state differs from another, in the form of state files."""

from rulewright.drivers.session import Session
from rulewright.inputs.json_values import to_json
from rulewright.inputs.names import Names
from rulewright.inputs.nodes import Json
from rulewright.inputs.sections import CELLS, SIDES
from rulewright.inputs.state_json import state_json
from rulewright.machine.constants import start_value
from rulewright.program.declarations import Program

_State = dict[str, Json]


def changes_of(session: Session) -> _State:
    """What a play changed, from its start to where it stands; it was not refused."""
    assert session.state is not None
    begun = session.begun
    program = begun.executable.program
    before, after = state_json(begun.situation, program), state_json(session.state.situation(), program)
    return differing(before, after, program, begun.names)


def differing(before: _State, after: _State, program: Program, names: Names) -> _State:
    """What has to be laid over the first state for the second: only what differs.

    Places of a board that are as at first are left out of a state; where they were otherwise before they are told.
    """
    told = dict(after)
    for board in program.boards.values():
        for part, fields in ((CELLS, board.fields), (SIDES, board.sides)):
            starts: Json = {
                each.name: to_json(start_value(each.start, each.type), each.type, names)
                for each in fields
                if each.start is not None
            }
            told = _with_gone(told, before, board.name, part, starts)
    for name in (*program.relations, "removed"):
        if name in before:
            told.setdefault(name, [])
    found = _differing(before, told)
    return found if isinstance(found, dict) else {}


def _with_gone(after: _State, before: _State, board: str, part: str, starts: Json) -> _State:
    """A state with the places that are as at first again."""
    held, now = before.get(board), after.get(board)
    places = held.get(part) if isinstance(held, dict) else None
    if not isinstance(places, dict) or not isinstance(now, dict):
        return after
    there = now.get(part)
    kept = there if isinstance(there, dict) else {}
    return {**after, board: {**now, part: {**dict.fromkeys(places, starts), **kept}}}


def _differing(before: Json, after: Json) -> Json:
    if not isinstance(before, dict) or not isinstance(after, dict):
        return after
    return {
        key: _differing(before[key], node) if key in before else node
        for key, node in after.items()
        if key not in before or before[key] != node
    }
