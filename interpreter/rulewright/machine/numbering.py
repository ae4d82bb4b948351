"""Rolls numbered by reachability, so that equal states are equal values."""

from typing import Any

from rulewright.machine.engine.frames import WINDOW
from rulewright.machine.executable import Executable
from rulewright.machine.graph import FIRST_SLOT
from rulewright.machine.values import rebuilt
from rulewright.machine.world import CONTROL, ROLLS, STACK, World
from rulewright.program import statements as st
from rulewright.program.expressions import Binding
from rulewright.program.types import DieType, PoolType, Type, member_type

_Result = tuple[list[list[Any]], tuple[Any, ...] | None, tuple[Any, ...]]


def numbered(executable: Executable, world: World, stack: list[list[Any]], pending: Any) -> _Result:  # noqa: ANN401
    """The frames and the pending request with the rolls in use numbered in the order of their making, and these."""
    if not world[ROLLS]:
        return stack, pending, ()
    numbering = Numbering(executable)
    frames, request = numbering.all(stack, pending)
    in_use = sorted(numbering.numbers)
    if list(numbering.numbers) != in_use:
        numbering.numbers = {old: new for new, old in enumerate(in_use)}
        frames, request = numbering.all(stack, pending)
    rolls = tuple(tuple(world[ROLLS][old]) for old in numbering.numbers)
    return frames, request, rolls


def number(executable: Executable, world: World) -> None:
    """Numbers the rolls in use anew in the working memory itself; those that nothing holds are gone."""
    if not world[ROLLS]:
        return
    control = world[CONTROL]
    frames, control.pending, rolls = numbered(executable, world, world[STACK], control.pending)
    for frame, renewed in zip(world[STACK], frames, strict=True):
        frame[:] = renewed
    world[ROLLS] = list(rolls)


class Numbering:
    """Frames and requests with rolls numbered in the order in which they are met."""

    def __init__(self, executable: Executable) -> None:
        self._executable = executable
        self.numbers: dict[int, int] = {}

    def roll(self, old: int) -> int:
        """The number of a roll that is in use."""
        return self.numbers.setdefault(old, len(self.numbers))

    def all(self, stack: list[list[Any]], pending: Any) -> tuple[list[list[Any]], tuple[Any, ...] | None]:  # noqa: ANN401
        """All frames and the request."""
        frames = [self.frame(frame) for frame in stack]
        return frames, None if pending is None else self.request(pending)

    def frame(self, frame: list[Any]) -> Any:  # noqa: ANN401 - a list; those who compare frames make something else
        """A frame with its dice numbered anew."""
        renewed = list(frame)
        if frame[1] >= 0:
            table = self._executable.tables.flows[frame[1]]
            for variable in table.variables:
                slot = FIRST_SLOT + variable.index
                renewed[slot] = self.value(frame[slot], variable.type)
            for slot, source in table.cursors:
                if frame[slot] is not None:
                    renewed[slot] = tuple(self.value(each, member_type(source.type)) for each in frame[slot])
        elif frame[1] == WINDOW:
            parameters = self._executable.program.events[frame[4]].parameters
            renewed[5] = tuple(self.value(each, of.type) for each, of in zip(frame[5], parameters, strict=True))
            gives = self._executable.program.events[frame[4]].gives
            if gives is not None:
                renewed[6] = tuple(self.value(each, gives) for each in frame[6])
        return renewed

    def request(self, pending: tuple[Any, ...]) -> tuple[Any, ...]:
        """What is waited for, with its dice numbered anew."""
        site, player, data = pending
        line = self._executable.sites[site].node if site >= 0 else None
        match line:
            case st.Reroll():
                return site, player, tuple((self.roll(roll), at) for roll, at in data)
            case st.Draw(place=place):
                item = member_type(place.type)
                return site, player, tuple(self.value(each, item) for each in data)
            case st.Ask(shape=st.OneOf(binding)):
                item = member_type(binding.source.type)
                return site, player, tuple(self.value(each, item) for each in data)
            case st.Ask(shape=st.Pick(binding=Binding(source=items)) | st.Order(items)):
                item = member_type(items.type)
                return site, player, (data[0], tuple(self.value(each, item) for each in data[1]), *data[2:])
            case st.RankKey():
                return site, player, self._ranked(self._executable.sites[site].type, data)
            case _:
                return pending

    def _ranked(self, order: Type | None, data: tuple[Any, ...]) -> tuple[Any, ...]:
        """The data of a key that asks for a row, or throws for members, which may be dice themselves."""
        asks = data[0] == "order"
        members = tuple(self.value(each, member_type(order)) for each in data[1 if asks else 3]) if order else ()
        return ("order", members, *data[2:]) if asks else (*data[:3], members)

    def value(self, value: Any, of: Type | None) -> Any:  # noqa: ANN401
        """A value with its dice numbered anew."""
        match of:
            case _ if value is None or of is None:
                return value
            case DieType():
                return (self.roll(value[0]), value[1])
            case PoolType():
                return self.roll(value)
            case _:
                return rebuilt(value, of, self._executable.program.records, self.value)
