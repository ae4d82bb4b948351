"""The named reason why an option is impossible: the row or guard that rules it out."""

from dataclasses import replace
from functools import lru_cache
from typing import Any

from rulewright.machine.compile import compile_program
from rulewright.machine.executable import Executable
from rulewright.machine.faults import Fault
from rulewright.machine.question import Question
from rulewright.machine.rendering import Renderer, reason
from rulewright.machine.request import Reason, Request
from rulewright.machine.values import Value
from rulewright.machine.world import RECORD, ROLLS
from rulewright.program import statements as st

NOT_OFFERED = "it is not among those to choose from"


@lru_cache(maxsize=8)
def _traced(executable: Executable) -> Executable:
    return executable if executable.traced else compile_program(executable.program, traced=True)


class Reasons:
    """Reasons for the options and answers of one question."""

    def __init__(self, question: Question) -> None:
        self._question = question
        self._explaining = _traced(question.executable)
        self._number = self._explaining.explained.get(question.line)

    def source(self) -> tuple[Value, ...]:
        """Everything that a choice of one, or a pick, chooses from; beyond the limits only what is legal."""
        try:
            return tuple(self._call("s"))
        except Fault:
            return tuple(self._question.data if self._question.sort == "one" else self._question.data[1])

    def members(self) -> tuple[tuple[Value, Reason | None], ...]:
        """Every member of the source of a choice of one, with its reason."""
        legal = set(self._question.data)
        return tuple((each, None if each in legal else self.member(each)) for each in self.source())

    def member(self, member: Value) -> Reason:
        """Why a member of the source cannot be taken."""
        line = self._question.node
        if member not in self.source():
            return self._described("x", member) or Reason(line.address, NOT_OFFERED, line.cites)
        return self._described("y", member) or self._preferred()

    def direction(self, direction: Value) -> Reason | None:
        """Why a thing on a grid cannot be turned to a direction."""
        line = self._question.node
        last = line.variable.type.count - 1
        if direction in self._question.data:
            return None
        if direction not in range(last + 1):
            return Reason(line.address, f"a direction is 0 to {last}", line.cites)
        return self.whole(direction) or self._preferred()

    def option(self, option: st.Option) -> Reason | None:
        """The reason why an option cannot be chosen."""
        if option.id in self._question.data:
            return None
        position = self._question.node.shape.options.index(option)
        found = self._described("y", position) or Reason(option.address, option.title)
        return replace(found, cites=found.cites or option.cites)

    def agreement(self) -> Reason:
        """The reason why *yes* cannot be said where only *no* is legal."""
        line = self._question.node
        return self._described("y", 0) or Reason(line.address, NOT_OFFERED, line.cites)

    def whole(self, answer: Value) -> Reason | None:
        """The `require` row that a whole answer fails."""
        line = self._question.node
        return self._judged("z", answer) if any(not each.prefer for each in line.demands) else None

    def _preferred(self) -> Reason:
        line = self._question.node
        row = next((each for each in line.demands if each.prefer), line)
        return Reason(row.address, getattr(row, "title", "") or "others are to be preferred", row.cites)

    def _call(self, letter: str, *given: Any) -> Any:  # noqa: ANN401
        world, frame = self._question.world, list(self._question.frame)
        record, world[RECORD] = world[RECORD], []
        try:
            return self._explaining.functions[f"{letter}{self._number}"](world, frame, *given)
        finally:
            self._recorded, world[RECORD] = world[RECORD], record

    def _described(self, letter: str, given: Any) -> Reason | None:  # noqa: ANN401
        """The row that rules something out; none where telling which would go beyond what the run may use."""
        try:
            return self._judged(letter, given)
        except Fault:
            return None

    def _judged(self, letter: str, given: Any) -> Reason | None:  # noqa: ANN401
        if self._call(letter, given) is not False:
            return None
        rolls = tuple(self._question.world[ROLLS])
        return reason(Renderer(self._explaining, rolls).entries(self._recorded, ())[-1], self._explaining.concealed)


def left_out(request: Request, member: Value) -> Reason | None:
    """Why a choice of one, or a pick, does not offer a value of the right type, where a condition says it."""
    question = request.question
    if question is None or question.sort not in {"one", "pick", "split"} or request.closed:
        return None
    found = Reasons(question).member(member)
    return None if found.text in {NOT_OFFERED, ""} else found
