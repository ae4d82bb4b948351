"""Whether two plays come to the same end."""

from rulewright.comparing.playing.common import Common
from rulewright.comparing.playing.crossing import LostError
from rulewright.comparing.playing.states import carried
from rulewright.inputs.state_json import state_json
from rulewright.machine.request import Ended
from rulewright.machine.situation import Situation
from rulewright.program.declarations import Procedure


def differing_end(old: Ended, new: Ended, begun: tuple[Procedure, Procedure], common: Common) -> str | None:
    """`result` or `end` where what both revisions know came out otherwise; none where it is the same.

    A result that only one revision gives is no difference by itself, nor is anything of the state that only one has.
    """
    types = begun[0].result, begun[1].result
    if types[0] is not None and types[1] is not None:
        first = common.of_old(old.result, types[0], types[1])
        if first != common.of_new(new.result, types[1]):
            return "result"
    return None if _same_state(old.state.situation(), new.state.situation(), common) else "end"


def _same_state(old: Situation, new: Situation, common: Common) -> bool:
    if common.ways.alike:
        return _stored(old) == _stored(new)
    across, back = common.ways.across, common.ways.back
    try:
        first = carried(state_json(old, across.here), across)
        return first == carried(carried(state_json(new, across.there), back), across)
    except LostError:
        return False


def _stored(situation: Situation) -> tuple[object, ...]:
    return (
        situation.attributes,
        situation.gone,
        situation.game,
        situation.cells,
        situation.sides,
        situation.relations,
    )
