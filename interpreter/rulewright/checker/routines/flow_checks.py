"""Data-flow checks of a finished routine: definite assignment, unread names, redundant jumps and questions."""

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator

from rulewright.base.diagnostics import DiagnosticCollector, Edit, Label
from rulewright.base.diagnostics.remedies import make_deletion_edits
from rulewright.base.frozen import dataclass
from rulewright.base.node_roles import Role, get_field_names, is_node_class
from rulewright.base.source import Span
from rulewright.program import statements as s
from rulewright.program.declarations import Handler, Hold, Need, Procedure, StandingRule, Watch
from rulewright.program.expressions import Local, Variable
from rulewright.program.types import NUMERIC, FlagType, ListType, OptionalType, SetType, TextType, WordType
from rulewright.program.walk import (
    AnyRoutine,
    get_blocks,
    get_bound_variable,
    get_changed_places,
    get_hidden_move_variable,
    get_inner_lines,
    get_outer_expressions,
    get_root_place,
    get_secret_variable,
    is_exit_line,
    walk_block_lines,
    walk_routine_lines,
    walk_subexpressions,
)

_LITERAL_VALUE_TYPES = (*NUMERIC, FlagType, ListType, OptionalType, SetType, TextType, WordType)
"""Types with values that can be written before any die is thrown and anybody is asked."""

AssignedVariableGetter = Callable[[s.Statement], Variable | None]


@dataclass(frozen=True, slots=True)
class _OnlySettingLine:
    """The only line that sets a name, and the line around it that may be passed by."""

    line: s.Statement
    enclosing_line: s.Statement


def find_unset_remedy(
    variable: Variable, read: Span, routine: AnyRoutine, set_by: AssignedVariableGetter
) -> tuple[str, tuple[Label, ...]]:
    """Remedy for a name that is read before it is set, and a label at the only block that sets it."""
    first = f"give it a first value with `let {variable.name} = …` further up"
    first = f", or {first}" if isinstance(variable.type, _LITERAL_VALUE_TYPES) else ""
    setting = [line for line in walk_routine_lines(routine) if set_by(line) == variable]
    only = _find_only_setting(setting[0], read, _iterate_routine_blocks(routine)) if len(setting) == 1 else None
    if only is None:
        return f"set it on every way here{first}", ()
    verb, where = _SETTING_VERBS.get(type(only.line), "set"), _describe_setting_place(only)
    description = f"`{variable.name}` is only {verb} {where} above"
    return f"{description}; move this line there, indented like the lines in it{first}", (
        Label(only.enclosing_line.span, f"`{variable.name}` is {verb} in here"),
    )


def _find_only_setting(setting: s.Statement, read: Span, blocks: Iterable[s.Block]) -> _OnlySettingLine | None:
    for block in blocks:
        for place, line in enumerate(block):
            if setting not in walk_block_lines((line,)):
                continue
            if any(line.span.contains(read) for line in walk_block_lines(block[place + 1 :])):
                around = _find_innermost_around(line, setting)
                return None if around is None else _OnlySettingLine(setting, around)
            return _find_only_setting(setting, read, get_blocks(line))
    return None


def _find_innermost_around(line: s.Statement, setting: s.Statement) -> s.Statement | None:
    """Innermost line around another; the line itself if its own block alone sees what it sets, else None."""
    if line is setting:
        return line if isinstance(line, s.Ask) and line.otherwise is not None else None
    inner = next(inner_line for inner_line in get_inner_lines(line) if setting in walk_block_lines((inner_line,)))
    return line if inner is setting else _find_innermost_around(inner, setting)


def _iterate_routine_blocks(routine: AnyRoutine) -> Iterator[s.Block]:
    if not isinstance(routine, Procedure):
        yield routine.block
        return
    yield from (item for item in routine.opening if isinstance(item, tuple))
    yield from (step.block for step in routine.steps)


LINE_WORDS = {s.If: "`if`", s.Match: "`match`", s.ForEach: "`for each`", s.Repeat: "`repeat`", s.Ask: "question"}
"""Words for lines with blocks in messages; any other is a block."""
_SETTING_VERBS = {s.Roll: "rolled", s.Ask: "answered", s.Draw: "drawn"}


def _describe_setting_place(only: _OnlySettingLine) -> str:
    around, called = only.enclosing_line, LINE_WORDS.get(type(only.enclosing_line), "block")
    parts = sum(1 for block in get_blocks(around) if block)
    if isinstance(around, s.Ask) or parts == 1:
        return f"{'under' if isinstance(around, s.Ask) else 'inside'} the {called}"
    return f"in one part of the {called}"


@dataclass(frozen=True, slots=True)
class Terminator:
    """A line that always leaves its block: label, description, and a question about its indentation, if any."""

    label: Label
    description: str
    question: str = ""


def find_terminator(block: s.Block, routine: str = "procedure") -> Terminator | None:
    """First line of a block that always leaves it, by its structure alone."""
    place = next((number for number, item in enumerate(block) if is_exit_line(item)), None)
    if place is None:
        return None
    line = block[place]
    description, does = _describe_terminator(line, routine)
    is_slip = not any(get_inner_lines(line)) and place > 0 and any(get_inner_lines(block[place - 1]))
    return Terminator(
        Label(line.span, does), f"{description} above always {does}", "is it indented too little?" if is_slip else ""
    )


def _describe_terminator(line: s.Statement, routine: str) -> tuple[str, str]:
    match line:
        case s.Proceed(step=step):
            return "the `proceed`", f"goes to step `{step}`"
        case s.Stop():
            return "the `stop`", "ends the loop"
        case s.FinishOuter(procedure=procedure):
            return f"the `finish {procedure}`", f"ends `{procedure}`"
        case s.Finish():
            return "the `finish`", f"ends the {routine}"
        case _:
            return f"the {LINE_WORDS.get(type(line), 'block')}", "leads elsewhere"


_AssignedIndices = frozenset[int]
_PathState = _AssignedIndices | None


def _check_unset_reads(routine: AnyRoutine, performed: Collection[str], report: DiagnosticCollector) -> None:
    """Reports names that may be read before they are set (RW0534), secret answers before `reveal` (RW0546)."""
    states = _DefiniteAssignment(routine, performed)
    states.run_to_fixpoint()
    unset = [read for read in states.early_reads.values() if read[0].index not in states.secret_indices]
    for variable, span in unset:
        remedy, around = find_unset_remedy(variable, span, routine, _get_assigned_variable)
        message = f"`{variable.name}` may not be set yet here"
        report.proved_error("RW0534", span, message, help=remedy, secondary=around, subject=variable.name)
    drawn = frozenset(line.variable.index for line in walk_routine_lines(routine) if isinstance(line, s.Draw))
    for variable, span in states.early_secret_uses.values():
        verb, through = ("drawn", "draw") if variable.index in drawn else ("answered", "question")
        remedy = f"put this line where every way leads through the {through}"
        report.proved_error(
            "RW0534", span, f"`{variable.name}` may not be {verb} yet here", help=remedy, subject=variable.name
        )
    for variable, span in (read for read in states.early_reads.values() if read not in unset):
        what = "was drawn in secret" if variable.index in drawn else "is a secret answer"
        message = f"`{variable.name}` {what}, and may not be revealed yet here"
        shown = f"put `reveal {variable.name}` on every way here"
        remedy = f"{shown}; until then a line may only put it into a bag or deck, or take it out of one"
        report.error("RW0546", span, message, help=remedy)


def _get_assigned_variable(line: s.Statement) -> Variable | None:
    match line:
        case s.Let(value=None):
            return None
        case s.Assign(place=s.VariablePlace(variable=variable)):
            return variable
        case _:
            return get_bound_variable(line)


def _join_paths(states: Iterable[_PathState]) -> _PathState:
    result: _PathState = None
    for state in states:
        if state is not None:
            result = state if result is None else result & state
    return result


class _DefiniteAssignment:
    """Forward data flow over the lines of a routine: names that are assigned on all paths.

    States are sets of variable indices, None on unreachable paths; joined by intersection, iterated to a fixpoint.
    """

    def __init__(self, routine: AnyRoutine, performed: Collection[str]) -> None:
        self._routine = routine
        self._performed_steps = performed
        lines = tuple(walk_routine_lines(routine))
        bound = (variable for line in lines for variable in (_get_assigned_variable(line), get_bound_variable(line)))
        self._tracked_indices = frozenset(variable.index for variable in bound if variable is not None)
        self._states_at_steps: dict[str, _PathState] = {}
        self._states_at_stops: list[list[_AssignedIndices]] = []
        self.secret_indices = _find_secret_indices(lines)
        # first place that may read a name before it is set, or revealed
        self.early_reads: dict[int, tuple[Variable, Span]] = {}
        # first place that may reveal or move a secret answer before it is given
        self.early_secret_uses: dict[int, tuple[Variable, Span]] = {}

    def run_to_fixpoint(self) -> None:
        while True:
            before = dict(self._states_at_steps)
            self.early_reads, self.early_secret_uses = {}, {}
            match self._routine:
                case Procedure():
                    self._follow_procedure(self._routine)
                case StandingRule(binding=binding, condition=condition, block=block):
                    self._check_node_reads((binding, condition), frozenset())
                    self._follow_block(block, frozenset())
                case _:
                    self._follow_block(self._routine.block, frozenset())
            if before == self._states_at_steps:
                return

    def _follow_procedure(self, procedure: Procedure) -> None:
        state: _PathState = frozenset()
        for part in procedure.opening:
            match part:
                case tuple():
                    state = self._follow_block(part, state)
                case Need():
                    self._check_node_reads((part,), state)
                case Watch(guard=guard, block=block):
                    heard = None if state is None else state - self.secret_indices
                    self._check_node_reads((guard,), heard)
                    self._follow_block(block, heard)
                case Hold():
                    pass
        opening_state = state
        for step in procedure.steps:
            states = [state, self._states_at_steps.get(step.id)]
            if step.id in self._performed_steps:
                states.append(opening_state)
            entered = _join_paths(states)
            self._check_node_reads((step.guard,), entered)
            after = self._follow_block(step.block, entered)
            state = after if step.guard is None else _join_paths((after, entered))

    def _check_node_reads(self, nodes: Iterable[object], state: _PathState) -> None:
        if state is None:
            return
        for node in nodes:
            for outer_expression in get_outer_expressions(node):
                for part in walk_subexpressions(outer_expression):
                    if isinstance(part, Local) and self._is_possibly_unset(part.variable.index, state):
                        self.early_reads.setdefault(part.variable.index, (part.variable, part.span))

    def _is_possibly_unset(self, index: int, state: _AssignedIndices) -> bool:
        return index in self._tracked_indices and index not in state

    def _follow_block(self, lines: s.Block, state: _PathState) -> _PathState:
        for line in lines:
            if state is None:
                return None
            state = self._follow_line(line, state)
        return state

    def _follow_line(self, line: s.Statement, state: _AssignedIndices) -> _PathState:
        match line:
            case s.Ask():
                return self._follow_question(line, state)
            case s.AskAll(players=players, question=question, answers=answers):
                self._check_node_reads((players,), state)
                self._follow_question(question, state | {item.index for item in players.variables if item is not None})
                return state | {answers.index}
            case s.Reveal(variable=variable):
                if _make_secret_index(variable) not in state:
                    self.early_secret_uses.setdefault(variable.index, (variable, line.span))
                return state | {variable.index}
            case _:
                self._check_line_reads(line, state)
        if isinstance(line, s.LoopLine):
            return self._follow_loop(line.block, state)
        if isinstance(line, s.ExitLine):
            self._note_exit(line, state)
            return None
        if line.alternatives:
            return _join_paths([self._follow_block(block, state) for block in line.alternatives])
        others = [self._follow_block(block, state) for block in get_blocks(line) if block]
        return _join_paths((self._assign(line, state), *others))

    def _note_exit(self, line: s.ExitLine, state: _AssignedIndices) -> None:
        if isinstance(line, s.Stop):
            self._states_at_stops[-1].append(state)
        elif isinstance(line, s.Proceed):
            self._states_at_steps[line.step] = _join_paths((self._states_at_steps.get(line.step), state))

    def _check_line_reads(self, line: s.Statement, state: _AssignedIndices) -> None:
        moved = _get_moved_secret(line, self.secret_indices)
        places: tuple[s.Place, ...] = get_changed_places(line)
        if moved is not None and moved.index not in state:
            self._check_node_reads(places, state)
            if _make_secret_index(moved) not in state:
                self.early_secret_uses.setdefault(moved.index, (moved, line.span))
        elif isinstance(line, s.Assign) and isinstance(line.place, s.VariablePlace):
            self._check_node_reads((line.value,), state)
            return
        else:
            known = get_bound_variable(line) if isinstance(line, s.TallyLine) else None
            self._check_node_reads((line,), state if known is None else state | {known.index})
        for place in places:
            self._check_place_is_set(place, state, line.span)

    def _assign(self, line: s.Statement, state: _AssignedIndices) -> _AssignedIndices:
        """The state after a line that has run."""
        if isinstance(line, s.Draw) and line.learner is not None:
            return (state - {line.variable.index}) | {_make_secret_index(line.variable)}
        variable = _get_assigned_variable(line)
        return state if variable is None else state | {variable.index}

    def _check_place_is_set(self, place: s.Place, state: _AssignedIndices, span: Span) -> None:
        root = get_root_place(place)
        if isinstance(root, s.VariablePlace) and self._is_possibly_unset(root.variable.index, state):
            self.early_reads.setdefault(root.variable.index, (root.variable, span))

    def _follow_loop(self, block: s.Block, state: _AssignedIndices) -> _PathState:
        self._states_at_stops.append([])
        self._follow_block(block, state - _find_secret_indices(walk_block_lines(block)))
        return _join_paths((state, *self._states_at_stops.pop()))

    def _follow_question(self, line: s.Ask, state: _AssignedIndices) -> _PathState:
        answered = state | {line.variable.index}
        self._check_node_reads((line.who,), state)
        self._check_node_reads((line.shape,), answered if isinstance(line.shape, s.OneOf) else state)
        self._check_node_reads((*line.demands, *line.policies), answered)
        if line.secret:  # only `reveal` makes the answer readable
            after: _PathState = (state - {line.variable.index}) | {_make_secret_index(line.variable)}
        elif isinstance(line.shape, s.Choose):
            after = _join_paths([self._follow_block(option.block, answered) for option in line.shape.options])
        else:
            after = self._follow_block(line.block, answered)
        if isinstance(line.shape, s.Whether) and not line.secret:
            declined = answered if line.otherwise is None else self._follow_block(line.otherwise, answered)
            return _join_paths((after, declined))
        return after if line.otherwise is None else _join_paths((after, self._follow_block(line.otherwise, state)))


def _make_secret_index(variable: Variable) -> int:
    """Index that stands for a secret answer that was given and is not yet revealed."""
    return -1 - variable.index


def _find_secret_indices(lines: Iterable[s.Statement]) -> _AssignedIndices:
    return frozenset(name.index for line in lines if (name := get_secret_variable(line)) is not None)


def _get_moved_secret(line: s.Statement, secret: Collection[int]) -> Variable | None:
    """Secret name that a line only moves into or out of a bag or deck."""
    moved = get_hidden_move_variable(line)
    return moved if moved is not None and moved.index in secret else None


def _check_unread_names(routine: AnyRoutine, report: DiagnosticCollector) -> None:
    read = _collect_read_indices(routine)
    for variable, span, remedy in _iterate_bound_names(routine):
        if variable.index not in read:
            read.add(variable.index)
            edits = make_deletion_edits(span) if remedy == _UNREAD_NAME_REMEDY else ()
            report.warning("RW0535", span, f"nothing reads `{variable.name}`", help=remedy, edits=edits)


_WRITING_LINES = (s.Assign, s.AddAmount, s.AddMember, s.Shuffle)
"""Lines that tell nobody what the place held that they change."""


def _collect_read_indices(routine: AnyRoutine) -> set[int]:
    result: set[int] = set()
    lines = tuple(walk_routine_lines(routine))
    for line in lines:
        if not isinstance(line, _WRITING_LINES):
            changed = (place for place in get_changed_places(line) if isinstance(place, s.VariablePlace))
            result.update(place.variable.index for place in changed)
    for node in (*_iterate_routine_heads(routine), *lines):
        for expression in get_outer_expressions(node):
            result.update(part.variable.index for part in walk_subexpressions(expression) if isinstance(part, Local))
    return result


def _iterate_routine_heads(routine: AnyRoutine) -> Iterator[object]:
    match routine:
        case Procedure(opening=opening, steps=steps):
            yield from (need for need in opening if isinstance(need, Need))
            yield from (watch.guard for watch in opening if isinstance(watch, Watch))
            yield from (step.guard for step in steps)
        case Handler(binding=binding, guard=guard):
            yield from (binding, guard)
        case StandingRule(binding=binding, condition=condition, lowers=lowers):
            yield from (binding, condition, lowers)


_UNREAD_NAME_REMEDY = "leave the line out, or read the name"


def _iterate_bound_names(routine: AnyRoutine) -> Iterator[tuple[Variable, Span, str]]:
    for line in walk_routine_lines(routine):
        variable, remedy = get_bound_variable(line), _UNREAD_NAME_REMEDY
        match line:
            case s.AskAll():
                remedy = "do something with the answers further down"
            case s.Ask():
                remedy = "do something with the answer, in the block under the question"
                variable = None if line.everyone is not None or _is_answer_branching(line) else variable
            case s.Draw():
                variable = None
            case s.ForEach(binding=binding):
                for item in binding.variables:
                    if item is not None:
                        yield item, line.span, "write `_` for a member that is not needed"
            case _ if isinstance(line, s.CallLine):
                remedy = "leave out `as …`, or read the result"
        if variable is not None:
            yield variable, line.span, remedy


def _is_answer_branching(line: s.Ask) -> bool:
    match line.shape:
        case s.Whether():
            return bool(line.block or line.otherwise)
        case s.Choose(options):
            return any(option.block for option in options)
        case _:
            return False


_IGNORED_ROLES = (Role.PLACE, Role.MARGIN, Role.PROOF)


def _check_inconsequential_questions(routine: AnyRoutine, report: DiagnosticCollector) -> None:
    questions = [line for line in walk_routine_lines(routine) if isinstance(line, s.Ask)]
    read = _collect_read_indices(routine) if questions else set()
    for line in questions:
        blocks = list(_iterate_answer_blocks(line))
        if (
            line.variable.index not in read
            and len(blocks) > 1
            and all(blocks)
            and len(set(map(_make_structural_key, blocks))) == 1
        ):
            message = "every answer leads to the same lines"
            report.hint("RW0539", line.span, message, help="let the answers differ, or leave the question out")


def _iterate_answer_blocks(line: s.Ask) -> Iterator[s.Block]:
    match line.shape:
        case s.Whether():
            yield from (line.block, line.otherwise or ())
        case s.Choose(options):
            yield from (option.block for option in options)
        case _:
            return


def _make_structural_key(node: object) -> Hashable:
    """Key of what lines do, places and cites aside; equal blocks have equal keys."""
    if isinstance(node, Variable):
        return node.name
    if isinstance(node, tuple):
        return tuple(_make_structural_key(item) for item in node)
    if is_node_class(type(node)):
        return (
            type(node).__name__,
            *(_make_structural_key(getattr(node, name)) for name in get_field_names(type(node), *_IGNORED_ROLES)),
        )
    return (type(node).__name__, node)


def _check_redundant_jumps(procedure: Procedure, plain: Collection[Span], report: DiagnosticCollector) -> None:
    """Hints at jumps to the next step from the end of a step (RW0513), unless a clause demands them."""
    for step, following in zip(procedure.steps, procedure.steps[1:], strict=False):
        for line in _iterate_last_lines(step.block):
            if isinstance(line, s.Proceed) and line.step == following.id and line.span in plain:
                remedy = "leave it out: the next step comes anyway"
                plainly = (Edit(line.span, "nothing", safe=True),)
                report.hint("RW0513", line.span, "this jump skips nothing", help=remedy, edits=plainly)


def _iterate_last_lines(block: s.Block) -> Iterator[s.Statement]:
    if not block:
        return
    line = block[-1]
    yield line
    for inside in () if isinstance(line, s.LoopLine | s.Together) else get_blocks(line):
        yield from _iterate_last_lines(inside)


def check_routine(
    routine: AnyRoutine, performed: Collection[str], plain_jumps: Collection[Span], report: DiagnosticCollector
) -> None:
    """Reports names read before they are set or never, questions without consequence, and redundant jumps.

    `performed` are the steps at which some `perform` begins, `plain_jumps` the jumps that cite no clause of their own.
    """
    _check_unset_reads(routine, performed, report)
    _check_unread_names(routine, report)
    _check_inconsequential_questions(routine, report)
    if isinstance(routine, Procedure):
        _check_redundant_jumps(routine, plain_jumps, report)
