"""The flow chart of a procedure, in the words of its chapter."""

from collections.abc import Iterator, Sequence

from rulewright.base.frozen import dataclass
from rulewright.base.node_roles import walk_nodes
from rulewright.base.source import Span
from rulewright.program import declarations as d, statements as st
from rulewright.program.declarations import Program
from rulewright.program.expressions import Expression
from rulewright.program.walk import has_unreachable_end
from rulewright.wording.chapter.phrases import PhraseGenerator
from rulewright.wording.chapter.sentences import SentenceGenerator, step_heading, step_number, step_reference
from rulewright.wording.condition_rendering import join_words, speak_name

END_ID = "end"
_STATEMENT_SORTS = {
    "roll": (st.Roll, st.Reroll, st.Draw, st.Shuffle),
    "decide": (st.DecideLine, st.TallyLine, st.Rank),
    "call": (st.Perform, st.PerformExternal),
    "event": (st.Trigger,),
}


@dataclass(frozen=True, slots=True)
class ChartMark:
    """Mark of a box or note."""

    sort: str = ""  # `full`, `part`, `none` or `left` of coverage; `new`, `changed`, `gone` or `same` of a comparison
    comments: tuple[str, ...] = ()


NO_MARK = ChartMark()


@dataclass(frozen=True, slots=True)
class ChartNote:
    """A line in a box."""

    # `only` (when the step is carried out), `choice`, `roll`, `decide`, `call`, `event`, `change` or `jump`
    sort: str
    text: str  # empty for a jump
    # conditions inside the step: `if so, and if the unit is weak`
    condition: str = ""
    target: str = ""  # of a jump: id of a box, or `END_ID`
    address: str = ""  # of the statement or requirement; of the step for its condition; empty for changes
    enclosing_spans: tuple[Span, ...] = ()  # branches, cases and options around it, outermost first
    mark: ChartMark = NO_MARK


@dataclass(frozen=True, slots=True)
class ChartBox:
    """A step, or the statements before the first one."""

    id: str  # number by the author; empty before the first step
    title: str
    notes: tuple[ChartNote, ...]
    falls_through: bool  # whether play can go from its last statement to the next box
    address: str = ""  # of the step; of the procedure before the first step
    mark: ChartMark = NO_MARK
    onward_mark: ChartMark = NO_MARK  # of the arrow to the next box
    next_id: str = ""  # of the next box, or `END_ID`, if that is not the one below

    @property
    def heading(self) -> str:
        """Number and title."""
        return f"{step_number(self.id)}  {self.title}".strip()


@dataclass(frozen=True, slots=True)
class FlowChart:
    """Title of a procedure and its boxes in the order of the book."""

    title: str
    boxes: tuple[ChartBox, ...]
    legend: tuple[tuple[str, str], ...] = ()  # sorts of marks with their meanings
    remarks: tuple[str, ...] = ()  # on the marks

    def box_reference(self, to: str) -> str:
        """Reference of a jump to a box: its number, else its title."""
        titles = [box.title for box in self.boxes if box.id == to]
        return "the end" if to == END_ID else step_reference(to, titles[0] if titles else to)


def make_chart(procedure: d.Procedure, program: Program) -> FlowChart:
    """Flow chart of a procedure."""
    made = _ChartBuilder(procedure, program)
    opening = tuple(made.opening_notes())
    steps = [made.make_step_box(step) for step in procedure.steps]
    title = procedure.title or speak_name(procedure.name)
    head = "Before the first step" if steps else title
    before = [ChartBox("", head, opening, made.has_open_end, procedure.name)] if opening or not steps else []
    return FlowChart(title, tuple(before + steps))


class _ChartBuilder:
    def __init__(self, procedure: d.Procedure, program: Program) -> None:
        self._procedure = procedure
        self._phrases = PhraseGenerator(program, procedure.variables, procedure, procedure.parameters)
        self._sentences = SentenceGenerator(program, self._phrases, {})
        # statements without nested ones, with their conditions
        self._leaf_lines: list[tuple[list[object], _ConditionPath]] = []

    @property
    def has_open_end(self) -> bool:
        """Whether the statements before the first step lead to it."""
        blocks = [item for item in self._procedure.opening if isinstance(item, tuple)]
        return not any(map(has_unreachable_end, blocks))

    def opening_notes(self) -> Iterator[ChartNote]:
        for item in self._procedure.opening:
            if isinstance(item, d.Need):
                yield ChartNote(
                    "only",
                    f"{self._phrases.condition_clause(item.condition)}{self._asked_only_if(item)}",
                    address=item.address,
                )
            elif isinstance(item, tuple):
                yield from self._block_notes(item, _UNCONDITIONAL)

    def _asked_only_if(self, need: d.Need) -> str:
        return f" (asked only if {self._phrases.condition_clause(need.guard)})" if need.guard is not None else ""

    def make_step_box(self, step: d.Step) -> ChartBox:
        guard = step.guard
        only = (
            () if guard is None else (ChartNote("only", self._phrases.condition_clause(guard), address=step.address),)
        )
        goes_on = guard is not None or not has_unreachable_end(step.block)
        self._leaf_lines.clear()
        notes = tuple(self._block_notes(step.block, _UNCONDITIONAL))
        last_told = max((number for number, note in enumerate(notes, 1) if not note.target), default=0)
        always = [item for line, at in self._leaf_lines for item in line if not at.condition]
        changed = self._phrases.changed_places(always) or (
            [] if last_told else self._phrases.changed_variables([*walk_nodes(step.block)])
        )
        changes = (ChartNote("change", f"Changes {join_words(changed)}"),) if changed else ()
        return ChartBox(
            step.id,
            step_heading(step),
            (*only, *notes[:last_told], *changes, *notes[last_told:]),
            goes_on,
            step.address,
        )

    def _block_notes(self, block: Sequence[st.Statement], at: "_ConditionPath") -> Iterator[ChartNote]:
        before: st.Statement | None = None
        first = len(self._leaf_lines)
        notes = list[ChartNote]()
        for line in block:
            notes += self._line_notes(line, at, before)
            before = line
        mine = [item for line, where in self._leaf_lines[first:] if where is at for item in line]
        changed = self._phrases.changed_places(mine) if at.condition else []
        last_told = max(
            (number for number, note in enumerate(notes, 1) if not note.target or note.condition != at.condition),
            default=0,
        )
        changes = (
            [ChartNote("change", f"changes {join_words(changed)}", at.condition, enclosing_spans=at.enclosing_spans)]
            if changed
            else []
        )
        yield from (*notes[:last_told], *changes, *notes[last_told:])

    def _line_notes(self, line: st.Statement, at: "_ConditionPath", before: st.Statement | None) -> Iterator[ChartNote]:
        match line:
            case st.Proceed(step=step):
                yield at.make_note("jump", "", line, step)
            case st.Finish() | st.FinishOuter():
                yield at.make_note("jump", "", line, END_ID)
            case st.Ask() | st.AskAll():
                yield from self._question_notes(line, at)
            case st.If(branches=branches, otherwise=otherwise):
                for branch in branches:
                    condition = self._sentences.if_clause(branch.condition, before)
                    yield from self._block_notes(branch.block, at.with_condition(condition, branch.span))
                yield from self._block_notes(otherwise or (), at.with_condition("otherwise"))
            case st.Match(subject=subject, cases=cases):
                for case_ in cases:
                    yield from self._block_notes(
                        case_.block, at.with_condition(self._case_condition(subject, case_), case_.span)
                    )
            case st.Together(block=inside) | st.ForEach(block=inside) | st.Repeat(block=inside):
                often = self._loop_condition(line)
                yield from self._block_notes(inside, at.with_condition(often) if often else at)
            case _:
                sort = next((word for word, sorts in _STATEMENT_SORTS.items() if isinstance(line, sorts)), "")
                otherwise = getattr(line, "otherwise", None) or ()
                aside = {id(node) for node in walk_nodes(otherwise)}
                self._leaf_lines.append(([node for node in walk_nodes(line) if id(node) not in aside], at))
                if sort:
                    yield at.make_note(sort, self._line_sentence(line), line)
                yield from self._block_notes(otherwise, at.with_condition("if that is impossible"))

    def _loop_condition(self, line: st.Statement) -> str:
        match line:
            case st.ForEach(binding=binding):
                return self._sentences.loop_phrase(binding)
            case st.Repeat(condition=condition):
                return f"while {self._phrases.condition_clause(condition)}"
            case _:
                return ""

    def _case_condition(self, subject: Expression, case: st.Case) -> str:
        values = join_words([self._phrases.compared_value_phrase(value, subject) for value in case.values], "or")
        return f"if {self._phrases.noun_phrase(subject)} is {values}" if values else "otherwise"

    def _line_sentence(self, line: st.Statement) -> str:
        return self._sentences.block_paragraphs((line,))[0].said.rstrip(".:")

    def _question_notes(self, line: st.Ask | st.AskAll, at: "_ConditionPath") -> Iterator[ChartNote]:
        question = line.question if isinstance(line, st.AskAll) else line
        yield at.make_note("choice", self._line_sentence(line), line)
        is_whether = isinstance(question.shape, st.Whether)
        if isinstance(question.shape, st.Choose):
            for option in question.shape.options:
                chosen = f"“{option.title or speak_name(option.id)}”"
                yield from self._block_notes(option.block, at.with_condition(chosen, option.span))
        yield from self._block_notes(question.block, at.with_condition("if so") if is_whether else at)
        no = "if not" if is_whether else "without a possible answer"
        yield from self._block_notes(question.otherwise or (), at.with_condition(no))


@dataclass(frozen=True, slots=True)
class _ConditionPath:
    """Conditions inside a step under which a statement runs: words and spans."""

    condition: str = ""
    enclosing_spans: tuple[Span, ...] = ()

    def with_condition(self, condition: str, *spans: Span) -> "_ConditionPath":
        condition = f"{condition[:1].lower()}{condition[1:]}"
        both = self.condition and condition
        return _ConditionPath(
            f"{self.condition}, and {condition}" if both else self.condition or condition,
            (*self.enclosing_spans, *spans),
        )

    def make_note(self, sort: str, text: str, line: st.Statement, to: str = "") -> ChartNote:
        return ChartNote(sort, text, self.condition, to, line.address, self.enclosing_spans)


_UNCONDITIONAL = _ConditionPath()
