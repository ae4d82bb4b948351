"""Names must be set on every way to where they are read (manual, Names)."""

from collections.abc import Collection, Iterable

from rulewright.analysis.report import Report
from rulewright.program import statements as s
from rulewright.program.declarations import Hold, Need, Procedure, StandingRule, Watch
from rulewright.program.expressions import Local, Variable
from rulewright.program.walk import Routine, all_lines, every, expressions, inside
from rulewright.source import Span

Set = frozenset[int]
_Way = Set | None


def check_set(routine: Routine, performed: Collection[str], report: Report) -> None:
    """Reports names that may be read before they are set (RW0534), secret answers before `reveal` (RW0546)."""
    ways = _Ways(routine, performed)
    ways.settle()
    for variable, span in ways.unset:
        report.error(
            "RW0534",
            span,
            f"`{variable.name}` may not be set yet here",
            help=f"set it on every way here, or give it a first value with `let {variable.name} = …` further up",
        )
    for variable, span in ways.unanswered:
        report.error(
            "RW0534",
            span,
            f"`{variable.name}` may not be answered yet here",
            help="put `reveal` where every way leads through the question",
        )
    for variable, span in ways.hidden:
        report.error(
            "RW0546",
            span,
            f"`{variable.name}` is a secret answer, and may not be revealed yet here",
            help=f"put `reveal {variable.name}` on every way here",
        )


def bound(line: s.Statement) -> Variable | None:
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


class _Ways:
    """The names that are surely set, followed line by line until nothing changes."""

    def __init__(self, routine: Routine, performed: Collection[str]) -> None:
        self._routine = routine
        self._performed = performed
        self._tracked = frozenset(each.index for each in _bound_somewhere(routine))
        self._arrivals: dict[str, _Way] = {}
        self._loops: list[list[Set]] = []
        self._found: dict[int, tuple[Variable, Span]] = {}
        self._unanswered: dict[int, tuple[Variable, Span]] = {}
        self._secret = _secret(all_lines(routine))

    @property
    def unset(self) -> list[tuple[Variable, Span]]:
        """Each name with the first place that may read it too early."""
        return [each for each in self._found.values() if each[0].index not in self._secret]

    @property
    def unanswered(self) -> list[tuple[Variable, Span]]:
        """Each secret answer with the first place that may reveal it before it is given."""
        return list(self._unanswered.values())

    @property
    def hidden(self) -> list[tuple[Variable, Span]]:
        """Each secret answer with the first place that may read it before it is revealed."""
        return [each for each in self._found.values() if each[0].index in self._secret]

    def settle(self) -> None:
        """Follows all ways, again where a jump back brought less than was thought."""
        while True:
            before = dict(self._arrivals)
            self._found, self._unanswered = {}, {}
            self._follow()
            if before == self._arrivals:
                return

    def _follow(self) -> None:
        match self._routine:
            case Procedure():
                self._procedure(self._routine)
            case StandingRule(binding=binding, condition=condition, block=block):
                self._reads((binding, condition), frozenset())
                self._block(block, frozenset())
            case _:
                self._block(self._routine.block, frozenset())

    def _procedure(self, procedure: Procedure) -> None:
        way: _Way = frozenset()
        for part in procedure.opening:
            match part:
                case tuple():
                    way = self._block(part, way)
                case Need():
                    self._reads((part,), way)
                case Watch(guard=guard, block=block):
                    heard = None if way is None else way - self._secret
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
                        self._found.setdefault(part.variable.index, (part.variable, part.span))

    def _is_open(self, index: int, way: Set) -> bool:
        return index in self._tracked and index not in way

    def _block(self, lines: s.Block, way: _Way) -> _Way:
        for line in lines:
            if way is None:
                return None
            way = self._line(line, way)
        return way

    def _line(self, line: s.Statement, way: Set) -> _Way:  # noqa: C901, PLR0911, PLR0912 - one case for each sort of way
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
                    self._unanswered.setdefault(variable.index, (variable, line.span))
                return way | {variable.index}
            case s.AddAmount() | s.AddMember() | s.Draw():
                return self._change(line, way)
            case _:
                return self._simple(line, way)

    def _simple(self, line: s.Statement, way: Set) -> Set:
        name = bound(line)
        own = frozenset({name.index}) if name is not None and isinstance(line, s.TallyLine) else frozenset()
        if isinstance(line, s.Assign):
            self._reads((line.value,), way)
            if not isinstance(line.place, s.VariablePlace):
                self._reads((line.place,), way)
                self._held(line.place, way, line.span)
        else:
            self._reads((line,), way | own)
        return way if name is None else way | {name.index}

    def _held(self, place: s.Place, way: Set, span: Span) -> None:
        """A name can only be changed, and a part of it only be set, when it is set."""
        while isinstance(place, s.EntryPlace | s.PartPlace):
            place = place.target
        if isinstance(place, s.VariablePlace) and self._is_open(place.variable.index, way):
            self._found.setdefault(place.variable.index, (place.variable, span))

    def _change(self, line: s.AddAmount | s.AddMember | s.Draw, way: Set) -> _Way:
        self._reads((line,), way)
        self._held(line.place, way, line.span)
        name = bound(line)
        done = way if name is None else way | {name.index}
        if line.otherwise is None:
            return done
        return _meet((done, self._block(line.otherwise, way)))

    def _branches(self, branches: tuple[s.Branch, ...], otherwise: s.Block | None, way: Set) -> _Way:
        ways: list[_Way] = []
        for each in branches:
            self._reads((each.condition,), way)
            ways.append(self._block(each.block, way))
        ways.append(way if otherwise is None else self._block(otherwise, way))
        return _meet(ways)

    def _loop(self, block: s.Block, way: Set) -> _Way:
        self._loops.append([])
        self._block(block, way - _secret(every(block)))
        return _meet((way, *self._loops.pop()))

    def _ask(self, line: s.Ask, way: Set) -> _Way:
        if line.secret:
            return self._ask_secretly(line, way)
        answered = way | {line.variable.index}
        self._reads((line.who,), way)
        self._reads((line.shape,), answered if isinstance(line.shape, s.OneOf) else way)
        self._reads(line.demands, answered)
        if isinstance(line.shape, s.Choose):
            after = _meet([self._block(each.block, answered) for each in line.shape.options])
        else:
            after = self._block(line.block, answered)
        if isinstance(line.shape, s.Whether):
            declined = answered if line.otherwise is None else self._block(line.otherwise, answered)
            return _meet((after, declined))
        return after if line.otherwise is None else _meet((after, self._block(line.otherwise, way)))

    def _ask_secretly(self, line: s.Ask, way: Set) -> _Way:
        """The answer is given, and read by nothing but the demands on it; the lines below have to reveal it."""
        answered = way | {line.variable.index}
        self._reads((line.who,), way)
        self._reads((line.shape,), answered if isinstance(line.shape, s.OneOf) else way)
        self._reads(line.demands, answered)
        after = (way - {line.variable.index}) | {_given(line.variable)}
        return after if line.otherwise is None else _meet((after, self._block(line.otherwise, way)))


def _given(variable: Variable) -> int:
    """What stands for a secret answer that was given and not revealed."""
    return -1 - variable.index


def _secret(lines: Iterable[s.Statement]) -> Set:
    """The names that secret questions among some lines bind."""
    return frozenset(each.variable.index for each in lines if isinstance(each, s.Ask) and each.secret)


def _bound_somewhere(routine: Routine) -> Iterable[Variable]:
    for line in all_lines(routine):
        name = bound(line) or (line.variable if isinstance(line, s.Let) else None)
        if name is not None:
            yield name
