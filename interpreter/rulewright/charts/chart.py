"""The chart of a procedure, from the checked program, in the words of its chapter."""

from collections.abc import Iterator, Sequence

from rulewright.chapter.phrases import Phrases
from rulewright.chapter.sentences import Sentences, asked_in
from rulewright.frozen import dataclass
from rulewright.program import declarations as d
from rulewright.program import statements as st
from rulewright.program.declarations import Program
from rulewright.program.expressions import Expression
from rulewright.program.walk import leaves
from rulewright.roles import nodes
from rulewright.telling.conditions import listed, spoken

END = "end"


@dataclass(frozen=True, slots=True)
class Note:
    """A line inside a box."""

    sort: str  # `only` (when the step is carried out), `choice`, `roll`, `decide`, `call`, `event` or `jump`
    text: str  # what happens; nothing for a jump
    # under which conditions inside the step, `if so, and if the unit is weak`; empty where there is none
    when: str = ""
    to: str = ""  # where a jump leads, the id of a box, or `END`; empty for all else


@dataclass(frozen=True, slots=True)
class Box:
    """A step, or the lines before the first one."""

    id: str  # what its author numbered it by; empty for the lines before the first step
    title: str  # its title
    notes: tuple[Note, ...]  # what happens in it, in order
    goes_on: bool  # whether play may come from its last line to the next box


@dataclass(frozen=True, slots=True)
class Chart:
    """A procedure: its title and its boxes in the order of the book."""

    title: str
    boxes: tuple[Box, ...]


def chart(procedure: d.Procedure, program: Program) -> Chart:
    """The chart of a procedure."""
    made = _Charting(procedure, program)
    opening = tuple(made.opening())
    steps = [made.step(each) for each in procedure.steps]
    title = procedure.title or spoken(procedure.name)
    head = "Before the first step" if steps else title
    before = [Box("", head, opening, made.opening_goes_on)] if opening or not steps else []
    return Chart(title, tuple(before + steps))


class _Charting:
    def __init__(self, procedure: d.Procedure, program: Program) -> None:
        self._procedure = procedure
        self._phrases = Phrases(program, procedure.variables, asked_in([*nodes(procedure)]))
        self._lines = Sentences(program, self._phrases, {})

    @property
    def opening_goes_on(self) -> bool:
        """Whether the lines before the first step lead to it."""
        blocks = [each for each in self._procedure.opening if isinstance(each, tuple)]
        return not any(map(leaves, blocks))

    def opening(self) -> Iterator[Note]:
        """What happens before the first step."""
        for each in self._procedure.opening:
            if isinstance(each, d.Need):
                yield Note("only", f"{self._phrases.sentence(each.condition)}")
            elif isinstance(each, tuple):
                yield from self._block(each, "")

    def step(self, step: d.Step) -> Box:
        """The box of a step."""
        only = (Note("only", self._phrases.sentence(step.guard)),) if step.guard is not None else ()
        goes_on = step.guard is not None or not leaves(step.block)
        return Box(step.id, step.title, (*only, *self._block(step.block, "")), goes_on)

    def _block(self, block: Sequence[st.Statement], when: str) -> Iterator[Note]:
        before: st.Statement | None = None
        for line in block:
            yield from self._line(line, when, before)
            before = line

    def _line(self, line: st.Statement, when: str, before: st.Statement | None) -> Iterator[Note]:
        match line:
            case st.Proceed(step=step):
                yield Note("jump", "", when, step)
            case st.Finish() | st.FinishOuter():
                yield Note("jump", "", when, END)
            case st.Ask() | st.AskAll():
                yield from self._question(line, when)
            case st.If(branches=branches, otherwise=otherwise):
                for branch in branches:
                    condition = self._lines.condition(branch.condition, before)
                    yield from self._block(branch.block, _both(when, condition))
                yield from self._block(otherwise or (), _both(when, "otherwise"))
            case st.Match(subject=subject, cases=cases):
                for each in cases:
                    yield from self._block(each.block, _both(when, self._case(subject, each)))
            case st.Together(block=inside) | st.ForEach(block=inside) | st.Repeat(block=inside):
                yield from self._block(inside, when)
            case _:
                sort = next((word for word, sorts in _SORTS.items() if isinstance(line, sorts)), "")
                if sort:
                    yield Note(sort, self._said(line), when)
                yield from self._block(getattr(line, "otherwise", None) or (), _both(when, "if that is impossible"))

    def _case(self, subject: Expression, case: st.Case) -> str:
        values = listed([self._phrases.noun(each) for each in case.values], "or")
        return f"if {self._phrases.noun(subject)} is {values}" if values else "otherwise"

    def _said(self, line: st.Statement) -> str:
        return self._lines.block((line,))[0].said.rstrip(".:")

    def _question(self, line: st.Ask | st.AskAll, when: str) -> Iterator[Note]:
        question = line.question if isinstance(line, st.AskAll) else line
        yield Note("choice", self._said(line), when)
        is_whether = isinstance(question.shape, st.Whether)
        if isinstance(question.shape, st.Choose):
            for option in question.shape.options:
                yield from self._block(option.block, _both(when, f"“{option.title or spoken(option.id)}”"))
        yield from self._block(question.block, _both(when, "if so" if is_whether else ""))
        no = "if not" if is_whether else "without a possible answer"
        yield from self._block(question.otherwise or (), _both(when, no))


_SORTS = {
    "roll": (st.Roll, st.Reroll, st.Draw, st.Shuffle),
    "decide": (st.DecideLine, st.TallyLine, st.Rank),
    "call": (st.Perform, st.PerformExternal),
    "event": (st.Trigger,),
}


def _both(outer: str, inner: str) -> str:
    inner = f"{inner[:1].lower()}{inner[1:]}"
    return f"{outer}, and {inner}" if outer and inner else outer or inner
