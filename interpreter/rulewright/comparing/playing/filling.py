"""What a state needs besides what the other revision told of it."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rulewright.comparing.playing.states import State
from rulewright.inputs.sections import GAME
from rulewright.program.declarations import Field, Program
from rulewright.situations import grids, planes
from rulewright.situations.chooser import Chooser
from rulewright.situations.sizes import Sizes
from rulewright.situations.values import Values

Cell = tuple[int, int]


def filled(state: Mapping[str, Any], program: Program, cells: Sequence[Cell], chooser: Chooser) -> State:
    """The state with a value for everything that has no start value, and with every board; the rest keeps its start.

    Raises:
        NoValueError: something can have no value, such as a reference to a kind of which there is nothing.
    """
    sizes = Sizes()
    found: dict[str, Any] = dict(state)
    things = {kind.name: list(found.get(kind.plural, {})) for kind in program.kinds.values()}
    for board in program.boards.values():
        if board.name not in found and board.space != "plane":
            written, cells = grids.shape(board, chooser, sizes)
            found[board.name] = {"shape": written}
    values = Values(program, chooser, things, cells, lambda name, by: planes.plane_value(name, by, sizes))
    for kind in program.kinds.values():
        given = found.get(kind.plural, {})
        found[kind.plural] = {id_: _whole(attributes, kind.fields, values) for id_, attributes in given.items()}
    if program.game:
        found[GAME] = _whole(found.get(GAME, {}), program.game.values(), values)
    return found


def _whole(given: Mapping[str, Any], fields: Iterable[Field], values: Values) -> dict[str, Any]:
    lacking = {each.name: values.of(each.type) for each in fields if each.start is None and each.name not in given}
    return {**given, **lacking}
