"""Results of what is defined elsewhere, within their types, for both revisions."""

from collections.abc import Iterator
from typing import Any

from rulewright.comparing.playing.common import Common
from rulewright.comparing.playing.crossing import LostError
from rulewright.comparing.playing.questions import Same
from rulewright.comparing.playing.states import carried
from rulewright.inputs.answers import CHANGES, read_answer
from rulewright.inputs.names import Names
from rulewright.inputs.nodes import Json, unplaced
from rulewright.inputs.sections import GAME
from rulewright.inputs.type_schemas import RESULT
from rulewright.machine.request import Request
from rulewright.machine.run import Paused
from rulewright.machine.values import Value
from rulewright.program.types import RecordType, Type
from rulewright.situations import planes
from rulewright.situations.chooser import Chooser, Sizes, chance, one_of
from rulewright.situations.values import NoValueError, Values

_RESULTS_TRIED, _CHANGED, _LEVEL = 20, 40, 30


def results(
    asked: Same, paused: tuple[Paused, Paused], common: Common, chooser: Chooser
) -> Iterator[tuple[Value, Value]]:
    """Results as the old revision types them, and what they are in the new one."""
    for _ in range(_RESULTS_TRIED):
        try:
            old = made(asked.old, common.old, chooser)
            new = _crossed(old, asked, common)
        except (NoValueError, LostError):
            continue
        first = read_answer(asked.old, unplaced(old), common.old, paused[0])
        second = read_answer(asked.new, unplaced(new), common.new, paused[1])
        if not first.diagnostics and not second.diagnostics:
            yield first.value, second.value


def made(request: Request, names: Names, chooser: Chooser) -> Any:  # noqa: ANN401
    """A result of one request as JSON, in the form of answers.

    Raises:
        NoValueError: something of it has no value.
    """
    values = values_of(names, chooser)
    if request.sort == "value":
        assert request.type is not None
        return values.of(request.type)
    made = _result(request, values)
    changes: dict[str, Any] = {}
    for place in request.changes:
        if chance(chooser, _CHANGED):
            _change(place, changes, values)
    return made | ({CHANGES: changes} if changes else {})


def values_of(names: Names, chooser: Chooser) -> Values:
    """Makes values of one play."""
    cells = [cell for found in names.base.boards.values() for cell in found]
    sizes = Sizes()
    return Values(
        names.program, chooser, names.base.things, cells, lambda name, by: planes.plane_value(name, by, sizes)
    )


def _result(request: Request, values: Values) -> dict[str, Json]:
    """Named results; often all numbers among them are the same, since ties matter."""
    match request.type:
        case None:
            return {}
        case RecordType(record) if record == request.name:
            parts = values.program.records[record].parts
            made = {each.name: values.of(each.type) for each in parts}
            level = chance(values.chooser, _LEVEL)
            first = made[parts[0].name]
            return {each.name: first if level and each.type == parts[0].type else made[each.name] for each in parts}
        case type_:
            return {RESULT: values.of(type_)}


def _change(place: str, changes: dict[str, Any], values: Values) -> None:
    owner, _, name = place.rpartition("/")
    if owner == GAME:
        changes.setdefault(GAME, {})[name] = values.of(values.program.game[name].type)
        return
    kind = values.program.kinds[owner]
    field = next((each for each in kind.fields if each.name == name), None)
    ids = values.things[owner]
    if field is not None and ids:
        things = changes.setdefault(kind.plural, {})
        things.setdefault(one_of(values.chooser, ids), {})[name] = values.of(field.type)


def _crossed(old: Any, asked: Same, common: Common) -> Any:  # noqa: ANN401
    if common.ways.alike:
        return old
    across = common.ways.across
    if asked.sort == "value":
        assert asked.old.type is not None
        assert asked.new.type is not None
        return across.value(old, asked.old.type, asked.new.type)
    changes = {CHANGES: carried(old[CHANGES], across)} if CHANGES in old else {}
    return _crossed_result(old, asked.old.type, asked.new.type, common) | changes


def _crossed_result(old: dict[str, Json], type_: Type | None, target: Type | None, common: Common) -> dict[str, Json]:
    match type_, target:
        case None, None:
            return {}
        case RecordType(), RecordType() if RESULT not in old:
            given = {key: each for key, each in old.items() if key != CHANGES}
            found = common.ways.across.value(given, type_, target)
            return found if isinstance(found, dict) else {}
        case (None, _) | (_, None):
            raise LostError
        case _:
            return {RESULT: common.ways.across.value(old[RESULT], type_, target)}
