"""Whether two plays come to the same end."""

from rulewright.comparing.playing.common import Common
from rulewright.comparing.playing.crossing import LostError
from rulewright.comparing.playing.states import State, carried
from rulewright.inputs.nodes import Json
from rulewright.inputs.state_json import state_json
from rulewright.machine.request import Ended
from rulewright.machine.situation import Situation
from rulewright.program.declarations import Procedure


def differing_end(
    old: Ended,
    new: Ended,
    procedures: tuple[Procedure, Procedure],
    starts: tuple[Situation, Situation],
    common: Common,
) -> str | None:
    """`result`, `end` or `start` where what both revisions know came out otherwise; none where it is the same.

    A result that only one revision gives is no difference by itself, nor is anything of the state that only one has.
    What stood otherwise at the start and was left alone by both is `start`.
    """
    types = procedures[0].result, procedures[1].result
    if types[0] is not None and types[1] is not None:
        first = common.of_old(old.result, types[0], types[1])
        if first != common.of_new(new.result, types[1]):
            return "result"
    return _differing_state((old.state.situation(), new.state.situation()), starts, common)


def _differing_state(
    ends: tuple[Situation, Situation], starts: tuple[Situation, Situation], common: Common
) -> str | None:
    if common.ways.alike and _stored(ends[0]) == _stored(ends[1]):
        return None
    try:
        first, second = _shared(ends, common)
        if first == second:
            return None
        return "start" if _alike((first, second), _shared(starts, common)) else "end"
    except LostError:
        return "end"


def _shared(situations: tuple[Situation, Situation], common: Common) -> tuple[State, State]:
    """What both revisions know of two states, as the new one writes it."""
    across, back = common.ways.across, common.ways.back
    first = carried(state_json(situations[0], across.here), across)
    return first, carried(carried(state_json(situations[1], across.there), back), across)


def _alike(ends: tuple[Json, Json], starts: tuple[Json, Json]) -> bool:
    """Whether two values are the same, or each is what it was at its start."""
    if ends[0] == ends[1] or ends == starts:
        return True
    if not all(isinstance(each, dict) for each in (*ends, *starts)):
        return False
    old, new, first, second = (each if isinstance(each, dict) else {} for each in (*ends, *starts))
    keys = {**old, **new, **first, **second}
    return all(_alike((old.get(key), new.get(key)), (first.get(key), second.get(key))) for key in keys)


def _stored(situation: Situation) -> tuple[object, ...]:
    return (
        situation.attributes,
        situation.gone,
        situation.game,
        situation.cells,
        situation.sides,
        situation.relations,
    )
