"""The chart of a procedure, from the checked program, in the words of its chapter."""

from collections.abc import Iterator, Sequence

from rulewright.chapter.phrases import Phrases
from rulewright.chapter.sentences import Sentences, called, numbered, titled
from rulewright.frozen import dataclass
from rulewright.program import declarations as d, statements as st
from rulewright.program.declarations import Program
from rulewright.program.expressions import Expression
from rulewright.program.walk import leaves
from rulewright.roles import nodes
from rulewright.source import Span
from rulewright.telling.conditions import listed, spoken

END = "end"
_SORTS = {
    "roll": (st.Roll, st.Reroll, st.Draw, st.Shuffle),
    "decide": (st.DecideLine, st.TallyLine, st.Rank),
    "call": (st.Perform, st.PerformExternal),
    "event": (st.Trigger,),
}


@dataclass(frozen=True, slots=True)
class Mark:
    """What a box or a line of it is coloured by."""

    sort: str = ""  # `full`, `part`, `none` or `left` of coverage; `new`, `changed`, `gone` or `same` of a comparison
    said: tuple[str, ...] = ()  # what is known of it besides, each in a few words


PLAIN = Mark()


@dataclass(frozen=True, slots=True)
class Note:
    """A line inside a box."""

    # `only` (when the step is carried out), `choice`, `roll`, `decide`, `call`, `event`, `change` or `jump`
    sort: str
    text: str  # what happens; nothing for a jump
    # under which conditions inside the step, `if so, and if the unit is weak`; empty where there is none
    when: str = ""
    to: str = ""  # where a jump leads, the id of a box, or `END`; empty for all else
    address: str = ""  # of the line or requirement; of the step for the condition of a step; of changes none
    within: tuple[Span, ...] = ()  # the branches, cases and options that it stands in, outermost first
    mark: Mark = PLAIN


@dataclass(frozen=True, slots=True)
class Box:
    """A step, or the lines before the first one."""

    id: str  # what its author numbered it by; empty for the lines before the first step
    title: str  # its title
    notes: tuple[Note, ...]  # what happens in it, in order
    goes_on: bool  # whether play may come from its last line to the next box
    address: str = ""  # of the step; that of the procedure for the lines before the first one
    mark: Mark = PLAIN
    onward: Mark = PLAIN  # of the way to the next box
    next: str = ""  # the id of that box, or `END`, where it is not the one below

    @property
    def head(self) -> str:
        """The number of the box, if it has one, and its title."""
        return f"{numbered(self.id)}  {self.title}".strip()


@dataclass(frozen=True, slots=True)
class Chart:
    """A procedure: its title and its boxes in the order of the book."""

    title: str
    boxes: tuple[Box, ...]
    legend: tuple[tuple[str, str], ...] = ()  # sorts of marks that it may bear, in order, with what they mean
    remarks: tuple[str, ...] = ()  # what is to be known of the marks, a line each

    def called(self, to: str) -> str:
        """What a jump calls the box that it leads to: by its number, else by its title."""
        titles = [box.title for box in self.boxes if box.id == to]
        return "the end" if to == END else called(to, titles[0] if titles else to)


def chart(procedure: d.Procedure, program: Program) -> Chart:
    """The chart of a procedure."""
    made = _Charting(procedure, program)
    opening = tuple(made.opening())
    steps = [made.step(each) for each in procedure.steps]
    title = procedure.title or spoken(procedure.name)
    head = "Before the first step" if steps else title
    before = [Box("", head, opening, made.opening_goes_on, procedure.name)] if opening or not steps else []
    return Chart(title, tuple(before + steps))


class _Charting:
    def __init__(self, procedure: d.Procedure, program: Program) -> None:
        self._procedure = procedure
        self._phrases = Phrases(program, procedure.variables, procedure, procedure.parameters)
        self._lines = Sentences(program, self._phrases, {})
        # lines of a step that hold no others, and where they stand
        self._leaves: list[tuple[list[object], _Where]] = []

    @property
    def opening_goes_on(self) -> bool:
        """Whether the lines before the first step lead to it."""
        blocks = [each for each in self._procedure.opening if isinstance(each, tuple)]
        return not any(map(leaves, blocks))

    def opening(self) -> Iterator[Note]:
        """What happens before the first step."""
        for each in self._procedure.opening:
            if isinstance(each, d.Need):
                yield Note("only", f"{self._phrases.sentence(each.condition)}{self._asked(each)}", address=each.address)
            elif isinstance(each, tuple):
                yield from self._block(each, _ALWAYS)

    def _asked(self, need: d.Need) -> str:
        """When a condition to begin is asked for, if not always."""
        return f" (asked only if {self._phrases.sentence(need.guard)})" if need.guard is not None else ""

    def step(self, step: d.Step) -> Box:
        guard = step.guard
        only = () if guard is None else (Note("only", self._phrases.sentence(guard), address=step.address),)
        goes_on = guard is not None or not leaves(step.block)
        self._leaves.clear()
        notes = tuple(self._block(step.block, _ALWAYS))
        told = max((number for number, each in enumerate(notes, 1) if not each.to), default=0)
        always = [each for line, at in self._leaves for each in line if not at.when]
        changed = self._phrases.changes(always) or ([] if told else self._phrases.names_changed([*nodes(step.block)]))
        changes = (Note("change", f"Changes {listed(changed)}"),) if changed else ()
        return Box(step.id, titled(step), (*only, *notes[:told], *changes, *notes[told:]), goes_on, step.address)

    def _block(self, block: Sequence[st.Statement], at: "_Where") -> Iterator[Note]:
        before: st.Statement | None = None
        first = len(self._leaves)
        notes = list[Note]()
        for line in block:
            notes += self._line(line, at, before)
            before = line
        mine = [each for line, where in self._leaves[first:] if where is at for each in line]
        changed = self._phrases.changes(mine) if at.when else []
        told = max((number for number, each in enumerate(notes, 1) if not each.to or each.when != at.when), default=0)
        changes = [Note("change", f"changes {listed(changed)}", at.when, within=at.within)] if changed else []
        yield from (*notes[:told], *changes, *notes[told:])

    def _line(self, line: st.Statement, at: "_Where", before: st.Statement | None) -> Iterator[Note]:
        match line:
            case st.Proceed(step=step):
                yield at.note("jump", "", line, step)
            case st.Finish() | st.FinishOuter():
                yield at.note("jump", "", line, END)
            case st.Ask() | st.AskAll():
                yield from self._question(line, at)
            case st.If(branches=branches, otherwise=otherwise):
                for branch in branches:
                    condition = self._lines.condition(branch.condition, before)
                    yield from self._block(branch.block, at.inside(condition, branch.span))
                yield from self._block(otherwise or (), at.inside("otherwise"))
            case st.Match(subject=subject, cases=cases):
                for each in cases:
                    yield from self._block(each.block, at.inside(self._case(subject, each), each.span))
            case st.Together(block=inside) | st.ForEach(block=inside) | st.Repeat(block=inside):
                often = self._often(line)
                yield from self._block(inside, at.inside(often) if often else at)
            case _:
                sort = next((word for word, sorts in _SORTS.items() if isinstance(line, sorts)), "")
                otherwise = getattr(line, "otherwise", None) or ()
                aside = {id(each) for each in nodes(otherwise)}
                self._leaves.append(([each for each in nodes(line) if id(each) not in aside], at))
                if sort:
                    yield at.note(sort, self._said(line), line)
                yield from self._block(otherwise, at.inside("if that is impossible"))

    def _often(self, line: st.Statement) -> str:
        """For what or how long the lines of a loop are carried out."""
        match line:
            case st.ForEach(binding=binding):
                return self._lines.for_each(binding)
            case st.Repeat(condition=condition):
                return f"while {self._phrases.sentence(condition)}"
            case _:
                return ""

    def _case(self, subject: Expression, case: st.Case) -> str:
        values = listed([self._phrases.answer(each, subject) for each in case.values], "or")
        return f"if {self._phrases.noun(subject)} is {values}" if values else "otherwise"

    def _said(self, line: st.Statement) -> str:
        return self._lines.block((line,))[0].said.rstrip(".:")

    def _question(self, line: st.Ask | st.AskAll, at: "_Where") -> Iterator[Note]:
        question = line.question if isinstance(line, st.AskAll) else line
        yield at.note("choice", self._said(line), line)
        is_whether = isinstance(question.shape, st.Whether)
        if isinstance(question.shape, st.Choose):
            for option in question.shape.options:
                chosen = f"“{option.title or spoken(option.id)}”"
                yield from self._block(option.block, at.inside(chosen, option.span))
        yield from self._block(question.block, at.inside("if so") if is_whether else at)
        no = "if not" if is_whether else "without a possible answer"
        yield from self._block(question.otherwise or (), at.inside(no))


@dataclass(frozen=True, slots=True)
class _Where:
    """Under which conditions inside a step a line stands, in words and by the places of what says so."""

    when: str = ""
    within: tuple[Span, ...] = ()

    def inside(self, condition: str, *spans: Span) -> "_Where":
        condition = f"{condition[:1].lower()}{condition[1:]}"
        both = self.when and condition
        return _Where(f"{self.when}, and {condition}" if both else self.when or condition, (*self.within, *spans))

    def note(self, sort: str, text: str, line: st.Statement, to: str = "") -> Note:
        return Note(sort, text, self.when, to, line.address, self.within)


_ALWAYS = _Where()
