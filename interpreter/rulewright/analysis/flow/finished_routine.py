"""All checks on one finished routine: names set and read, jumps, questions whose answers lead to one state."""

from collections.abc import Collection, Hashable, Iterable, Iterator

from rulewright.analysis.flow.unset_names import remedy_for
from rulewright.analysis.report import Report
from rulewright.diagnostics import Edit
from rulewright.diagnostics.remedies import left_out
from rulewright.program import statements as s
from rulewright.program.declarations import Handler, Hold, Need, Procedure, StandingRule, Watch
from rulewright.program.expressions import Local, Variable
from rulewright.program.walk import (
    Routine,
    all_lines,
    bound_in_secret,
    every,
    expressions,
    inside,
    moved_unseen,
    root_of,
)
from rulewright.roles import Role, is_node, names
from rulewright.source import Span

_Set = frozenset[int]
_Way = _Set | None


def _check_set(routine: Routine, performed: Collection[str], report: Report) -> None:
    """Reports names that may be read before they are set (RW0534), secret answers before `reveal` (RW0546)."""
    ways = _SetOnWays(routine, performed)
    ways.settle()
    unset = [each for each in ways.early.values() if each[0].index not in ways.secret]
    for variable, span in unset:
        remedy, around = remedy_for(variable, span, routine, _set_by)
        message = f"`{variable.name}` may not be set yet here"
        report.error("RW0534", span, message, help=remedy, secondary=around)
    drawn = frozenset(each.variable.index for each in all_lines(routine) if isinstance(each, s.Draw))
    for variable, span in ways.unanswered.values():
        done, through = ("drawn", "draw") if variable.index in drawn else ("answered", "question")
        remedy = f"put this line where every way leads through the {through}"
        report.error("RW0534", span, f"`{variable.name}` may not be {done} yet here", help=remedy)
    for variable, span in (each for each in ways.early.values() if each not in unset):
        what = "was drawn in secret" if variable.index in drawn else "is a secret answer"
        message = f"`{variable.name}` {what}, and may not be revealed yet here"
        shown = f"put `reveal {variable.name}` on every way here"
        remedy = f"{shown}; until then a line may only put it into a bag or deck, or take it out of one"
        report.error("RW0546", span, message, help=remedy)


def _set_by(line: s.Statement) -> Variable | None:
    """The name of the routine that a line sets."""
    match line:
        case s.Let(value=None):
            return None
        case (
            s.Let(variable=variable)
            | s.TallyLine(variable=variable)
            | s.DecideLine(variable=variable)
            | s.Rank(variable=variable)
            | s.Roll(variable=variable)
            | s.Draw(variable=variable)
            | s.Ask(variable=variable)
            | s.AskAll(answers=variable)
            | s.Assign(place=s.VariablePlace(variable=variable))
        ):
            return variable
        case s.Perform(result=result) | s.PerformExternal(result=result) | s.Trigger(result=result):
            return result
        case _:
            return None


def _meet(ways: Iterable[_Way]) -> _Way:
    found: _Way = None
    for each in ways:
        if each is not None:
            found = each if found is None else found & each
    return found


class _SetOnWays:
    """The names that are surely set, followed line by line until nothing changes."""

    def __init__(self, routine: Routine, performed: Collection[str]) -> None:
        self._routine = routine
        self._performed = performed
        bound = (_set_by(each) or (each.variable if isinstance(each, s.Let) else None) for each in all_lines(routine))
        self._tracked = frozenset(each.index for each in bound if each is not None)
        self._arrivals: dict[str, _Way] = {}
        self._loops: list[list[_Set]] = []
        self.secret = _secret(all_lines(routine))
        # each name with the first place that may read it before it is set, or revealed
        self.early: dict[int, tuple[Variable, Span]] = {}
        # each secret answer with the first place that may reveal or move it before it is given
        self.unanswered: dict[int, tuple[Variable, Span]] = {}

    def settle(self) -> None:
        """Follows all ways, again where a jump back brought less than was thought."""
        while True:
            before = dict(self._arrivals)
            self.early, self.unanswered = {}, {}
            match self._routine:
                case Procedure():
                    self._procedure(self._routine)
                case StandingRule(binding=binding, condition=condition, block=block):
                    self._reads((binding, condition), frozenset())
                    self._block(block, frozenset())
                case _:
                    self._block(self._routine.block, frozenset())
            if before == self._arrivals:
                return

    def _procedure(self, procedure: Procedure) -> None:
        way: _Way = frozenset()
        for part in procedure.opening:
            match part:
                case tuple():
                    way = self._block(part, way)
                case Need():
                    self._reads((part,), way)
                case Watch(guard=guard, block=block):
                    heard = None if way is None else way - self.secret
                    self._reads((guard,), heard)
                    self._block(block, heard)
                case Hold():
                    pass
        begun = way
        for step in procedure.steps:
            ways = [way, self._arrivals.get(step.id)]
            if step.id in self._performed:
                ways.append(begun)
            entered = _meet(ways)
            self._reads((step.guard,), entered)
            after = self._block(step.block, entered)
            way = after if step.guard is None else _meet((after, entered))

    def _reads(self, nodes: Iterable[object], way: _Way) -> None:
        """Reports names of these nodes that are not surely set."""
        if way is None:
            return
        for node in nodes:
            for each in expressions(node):
                for part in inside(each):
                    if isinstance(part, Local) and self._is_open(part.variable.index, way):
                        self.early.setdefault(part.variable.index, (part.variable, part.span))

    def _is_open(self, index: int, way: _Set) -> bool:
        return index in self._tracked and index not in way

    def _block(self, lines: s.Block, way: _Way) -> _Way:
        for line in lines:
            if way is None:
                return None
            way = self._line(line, way)
        return way

    def _line(self, line: s.Statement, way: _Set) -> _Way:  # noqa: C901, PLR0911, PLR0912 - one case for each sort of way
        match line:
            case s.If(branches=branches, otherwise=otherwise):
                return self._branches(branches, otherwise, way)
            case s.Match(subject=subject, cases=cases):
                self._reads((subject,), way)
                return _meet([self._block(case.block, way) for case in cases])
            case s.ForEach(binding=binding, block=block):
                self._reads((binding,), way)
                return self._loop(block, way)
            case s.Repeat(condition=condition, bound=most, block=block):
                self._reads((most, condition), way)
                return self._loop(block, way)
            case s.Together(block=block):
                return self._block(block, way)
            case s.Stop():
                self._loops[-1].append(way)
                return None
            case s.Proceed(step=step, bound=most):
                self._reads((most,), way)
                self._arrivals[step] = _meet((self._arrivals.get(step), way))
                return None
            case s.Finish() | s.FinishOuter():
                self._reads((line,), way)
                return None
            case s.Ask():
                return self._ask(line, way)
            case s.AskAll(players=players, question=question, answers=answers):
                self._reads((players,), way)
                self._ask(question, way | {each.index for each in players.variables if each is not None})
                return way | {answers.index}
            case s.Reveal(variable=variable):
                if _given(variable) not in way:
                    self.unanswered.setdefault(variable.index, (variable, line.span))
                return way | {variable.index}
            case s.AddAmount() | s.AddMember() | s.Draw():
                return self._change(line, way)
            case _:
                return self._simple(line, way)

    def _simple(self, line: s.Statement, way: _Set) -> _Set:
        name = _set_by(line)
        own = frozenset({name.index}) if name is not None and isinstance(line, s.TallyLine) else frozenset()
        if isinstance(line, s.Assign):
            self._reads((line.value,), way)
            if not isinstance(line.place, s.VariablePlace):
                self._reads((line.place,), way)
                self._held(line.place, way, line.span)
        else:
            self._reads((line,), way | own)
        return way if name is None else way | {name.index}

    def _held(self, place: s.Place, way: _Set, span: Span) -> None:
        """A name can only be changed, and a part of it only be set, when it is set."""
        root = root_of(place)
        if isinstance(root, s.VariablePlace) and self._is_open(root.variable.index, way):
            self.early.setdefault(root.variable.index, (root.variable, span))

    def _change(self, line: s.AddAmount | s.AddMember | s.Draw, way: _Set) -> _Way:
        moved = _moved_unseen(line, self.secret)
        if moved is None or moved.index in way:
            self._reads((line,), way)
        else:
            self._reads((line.place,), way)
            if _given(moved) not in way:
                self.unanswered.setdefault(moved.index, (moved, line.span))
        self._held(line.place, way, line.span)
        name = _set_by(line)
        if isinstance(line, s.Draw) and line.learner is not None:
            done = (way - {line.variable.index}) | {_given(line.variable)}
        else:
            done = way if name is None else way | {name.index}
        if line.otherwise is None:
            return done
        return _meet((done, self._block(line.otherwise, way)))

    def _branches(self, branches: tuple[s.Branch, ...], otherwise: s.Block | None, way: _Set) -> _Way:
        ways: list[_Way] = []
        for each in branches:
            self._reads((each.condition,), way)
            ways.append(self._block(each.block, way))
        ways.append(way if otherwise is None else self._block(otherwise, way))
        return _meet(ways)

    def _loop(self, block: s.Block, way: _Set) -> _Way:
        self._loops.append([])
        self._block(block, way - _secret(every(block)))
        return _meet((way, *self._loops.pop()))

    def _ask(self, line: s.Ask, way: _Set) -> _Way:
        answered = way | {line.variable.index}
        self._reads((line.who,), way)
        self._reads((line.shape,), answered if isinstance(line.shape, s.OneOf) else way)
        self._reads((*line.demands, *line.policies), answered)
        if line.secret:  # nothing else reads the answer: the lines below have to reveal it
            after: _Way = (way - {line.variable.index}) | {_given(line.variable)}
        elif isinstance(line.shape, s.Choose):
            after = _meet([self._block(each.block, answered) for each in line.shape.options])
        else:
            after = self._block(line.block, answered)
        if isinstance(line.shape, s.Whether) and not line.secret:
            declined = answered if line.otherwise is None else self._block(line.otherwise, answered)
            return _meet((after, declined))
        return after if line.otherwise is None else _meet((after, self._block(line.otherwise, way)))


def _given(variable: Variable) -> int:
    """What stands for a secret answer that was given and not revealed."""
    return -1 - variable.index


def _secret(lines: Iterable[s.Statement]) -> _Set:
    """The names that secret questions and draws among some lines bind."""
    return frozenset(name.index for each in lines if (name := bound_in_secret(each)) is not None)


def _moved_unseen(line: s.Statement, secret: Collection[int]) -> Variable | None:
    """The secret name that a line puts into a bag or deck or takes out of one, where nothing else follows from it."""
    moved = moved_unseen(line)
    return moved if moved is not None and moved.index in secret else None


def _check_read(routine: Routine, report: Report) -> None:
    """Warns of names that are bound and never read (RW0535); `_` says that a member of a loop is not needed."""
    read = _read_names(routine)
    for variable, span, remedy in _named(routine):
        if variable.index not in read:
            read.add(variable.index)
            edits = left_out(span) if remedy == _DROP else ()
            report.warning("RW0535", span, f"nothing reads `{variable.name}`", help=remedy, edits=edits)


def _read_names(routine: Routine) -> set[int]:
    """The indices of the names that some line, guard or condition of a routine reads."""
    found: set[int] = set()
    for node in (*_heads(routine), *all_lines(routine)):
        if isinstance(node, s.Draw) and isinstance(node.place, s.VariablePlace):
            found.add(node.place.variable.index)
        for expression in expressions(node):
            found.update(part.variable.index for part in inside(expression) if isinstance(part, Local))
    return found


def _heads(routine: Routine) -> Iterator[object]:
    """What a routine reads beside its lines."""
    match routine:
        case Procedure(opening=opening, steps=steps):
            yield from (each for each in opening if isinstance(each, Need))
            yield from (each.guard for each in opening if isinstance(each, Watch))
            yield from (each.guard for each in steps)
        case Handler(binding=binding, guard=guard):
            yield from (binding, guard)
        case StandingRule(binding=binding, condition=condition, lowers=lowers):
            yield from (binding, condition, lowers)


_DROP = "leave the line out, or read the name"


def _named(routine: Routine) -> Iterator[tuple[Variable, Span, str]]:  # noqa: C901 - one case for each sort
    """The names that lines bind, each with its place and what to do where nothing reads it."""
    for line in all_lines(routine):
        match line:
            case s.Let(variable=variable) | s.TallyLine(variable=variable) | s.DecideLine(variable=variable):
                yield variable, line.span, _DROP
            case s.Roll(variable=variable) | s.Rank(variable=variable):
                yield variable, line.span, _DROP
            case s.AskAll(answers=answers):
                yield answers, line.span, "do something with the answers further down"
            case s.Ask(everyone=None) if not _acts(line):
                yield line.variable, line.span, "do something with the answer, in the block under the question"
            case s.Perform(result=Variable() as result) | s.PerformExternal(result=Variable() as result):
                yield result, line.span, "leave out `as …`, or read the result"
            case s.Trigger(result=Variable() as result):
                yield result, line.span, "leave out `as …`, or read the result"
            case s.ForEach(binding=binding):
                for each in binding.variables:
                    if each is not None:
                        yield each, line.span, "write `_` for a member that is not needed"
            case _:
                pass


def _acts(line: s.Ask) -> bool:
    """Whether the answer decides which lines run."""
    match line.shape:
        case s.Whether():
            return bool(line.block or line.otherwise)
        case s.Choose(options):
            return any(option.block for option in options)
        case _:
            return False


_PLACES = (Role.PLACE, Role.MARGIN, Role.PROOF)


def _check_alike(routine: Routine, report: Report) -> None:
    """Hints at questions after which the same lines run whatever the answer, which nothing reads (RW0539)."""
    asked = [each for each in all_lines(routine) if isinstance(each, s.Ask)]
    read = _read_names(routine) if asked else set()
    for line in asked:
        blocks = list(_blocks_of_answers(line))
        if line.variable.index not in read and len(blocks) > 1 and all(blocks) and len(set(map(_shape, blocks))) == 1:
            message = "every answer leads to the same lines"
            report.hint("RW0539", line.span, message, help="let the answers differ, or leave the question out")


def _blocks_of_answers(line: s.Ask) -> Iterator[s.Block]:
    """The blocks of which the answer chooses one."""
    match line.shape:
        case s.Whether():
            yield from (line.block, line.otherwise or ())
        case s.Choose(options):
            yield from (each.block for each in options)
        case _:
            return


def _shape(node: object) -> Hashable:
    """What lines do, wherever they stand and whatever they cite; two blocks of one shape do the same."""
    if isinstance(node, Variable):
        return node.name
    if isinstance(node, tuple):
        return tuple(_shape(each) for each in node)
    if is_node(type(node)):
        return (type(node).__name__, *(_shape(getattr(node, name)) for name in names(type(node), *_PLACES)))
    return (type(node).__name__, node)


def _check_jumps(procedure: Procedure, plain: Collection[Span], report: Report) -> None:
    """Hints at jumps to the next step from the end of a step (RW0513), but for those that a clause demands."""
    for step, following in zip(procedure.steps, procedure.steps[1:], strict=False):
        for line in _last(step.block):
            if isinstance(line, s.Proceed) and line.step == following.id and line.span in plain:
                remedy = "leave it out: the next step comes anyway"
                plainly = (Edit(line.span, "nothing", safe=True),)
                report.hint("RW0513", line.span, "this jump skips nothing", help=remedy, edits=plainly)


def _last(block: s.Block) -> Iterator[s.Statement]:
    """The lines after which a block is over."""
    if not block:
        return
    line = block[-1]
    yield line
    match line:
        case s.If(branches=branches, otherwise=otherwise):
            for branch in branches:
                yield from _last(branch.block)
            yield from _last(otherwise or ())
        case s.Match(cases=cases):
            for case in cases:
                yield from _last(case.block)
        case s.Ask(shape=shape, block=inner, otherwise=otherwise):
            for option in shape.options if isinstance(shape, s.Choose) else ():
                yield from _last(option.block)
            yield from _last(inner)
            yield from _last(otherwise or ())
        case s.AddAmount(otherwise=otherwise) | s.AddMember(otherwise=otherwise) | s.Draw(otherwise=otherwise):
            yield from _last(otherwise or ())
        case _:
            return


def check_routine(routine: Routine, performed: Collection[str], plain_jumps: Collection[Span], report: Report) -> None:
    """Reports names read before they are set or never, questions without consequence, and jumps that skip nothing.

    Performed are the steps at which some `perform` begins; plain jumps are those that cite no clause of their own.
    """
    _check_set(routine, performed, report)
    _check_read(routine, report)
    _check_alike(routine, report)
    if isinstance(routine, Procedure):
        _check_jumps(routine, plain_jumps, report)
