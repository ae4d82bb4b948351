"""Who calls whom: recursion, events that trigger themselves, procedures ended from inside (manual, Going elsewhere)."""

from collections.abc import Iterator, Mapping

from rulewright.analysis.report import Report, listed
from rulewright.frozen import dataclass
from rulewright.program import statements as s
from rulewright.program.declarations import Program
from rulewright.program.walk import Routine, all_lines
from rulewright.source import Span

Range = tuple[str, str] | None


@dataclass(frozen=True, slots=True)
class Part:
    """A procedure or a range of its steps, a handler or a standing rule; the sort says which."""

    sort: str
    name: str
    steps: Range = None


@dataclass(frozen=True, slots=True)
class Call:
    """A line that leads from one part to another; bounded where it says how deep it may nest."""

    to: Part
    span: Span
    event: str = ""
    bounded: bool = False
    removal: bool = False


class _Calls:
    """The calls of every part that is reached from the routines of a program; of one that could not be read, none."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._handlers: dict[str, list[str]] = {}
        for name, handler in program.handlers.items():
            self._handlers.setdefault(handler.event, []).append(name)
        self.of: dict[Part, tuple[Call, ...]] = {}
        waiting = [*self.entries(), *(Part("handler", name) for name in program.handlers)]
        for part in waiting:
            if part not in self.of:
                self.of[part] = tuple(call for line in self.lines(part) for call in self._from(line))
                waiting.extend(call.to for call in self.of[part])

    def entries(self) -> list[Part]:
        """Every whole procedure and standing rule."""
        procedures = [Part("procedure", name) for name in self.program.procedures]
        return [*procedures, *(Part("rule", name) for name in self.program.rules)]

    def begins(self, part: Part) -> bool:
        """Whether a part can come first: a procedure that is no inner one, or a standing rule."""
        if part.sort == "procedure":
            return part.steps is None and not self.program.procedures[part.name].inner
        return part.sort == "rule"

    def lines(self, part: Part) -> Iterator[s.Statement]:
        """The lines of a part: opening lines always, steps of its range."""
        sorts: Mapping[str, Mapping[str, Routine]] = {
            "procedure": self.program.procedures,
            "handler": self.program.handlers,
            "rule": self.program.rules,
        }
        return all_lines(sorts[part.sort][part.name], part.steps)

    def _from(self, line: s.Statement) -> Iterator[Call]:
        match line:
            case s.Perform(procedure=name, steps=steps, depth=depth, span=span) if name in self.program.procedures:
                yield Call(Part("procedure", name, steps), span, bounded=depth is not None)
            case s.Trigger(event=event, span=span):
                for handler in self._handlers.get(event, ()):
                    yield Call(Part("handler", handler), span, event)
            case s.Remove(events=events, span=span):
                for event in events:
                    for handler in self._handlers.get(event, ()):
                        yield Call(Part("handler", handler), span, event, removal=True)
            case _:
                return


def check_calls(program: Program, report: Report) -> None:
    """Reports calls that go wrong.

    Those are recursion without a bound (RW0536), events that trigger themselves (RW0537) and `finish NAME` where it
    is not running (RW0538, RW0559).
    """
    calls = _Calls(program)
    _circles(calls, report)
    for part in list(calls.of):
        for line in calls.lines(part):
            if isinstance(line, s.FinishOuter):
                _running(line, part, calls, report)
    report.address = ""


def _circles(calls: _Calls, report: Report) -> None:
    """Reports the call that closes each circle in which no line has a bound and nothing is removed."""
    done: set[Part] = set()
    told: set[Span] = set()
    for start in calls.of:
        if start in done:
            continue
        for circle in _circles_from(start, calls, done):
            if circle[-1].span not in told:
                told.add(circle[-1].span)
                _report(circle, report)


def _circles_from(start: Part, calls: _Calls, done: set[Part]) -> Iterator[list[Call]]:
    """The circles of calls that are met from a part, depth first; parts that are done lead to no new one."""
    path, taken, left = {start: 0}, list[Call](), [iter(calls.of[start])]
    while left:
        for call in left[-1]:
            if call.bounded or call.removal:
                continue
            if call.to in path:
                yield [*taken[path[call.to] :], call]
            elif call.to not in done:
                path[call.to] = len(path)
                taken.append(call)
                left.append(iter(calls.of[call.to]))
                break
        else:
            left.pop()
            done.add(path.popitem()[0])
            del taken[-1:]


def _report(circle: list[Call], report: Report) -> None:
    """Reports a circle of calls, each leading to where the next begins, at the line that should break it."""
    names = [call.to.name for call in circle]
    place = next((place for place, call in enumerate(circle) if call.event), len(circle) - 1)
    call = circle[place]
    report.address = names[place - 1]
    through = listed((*names[place:], *names[:place]))
    if call.event:
        message = f"the event `{call.event}` triggers itself through {through}"
        remedy = "perform a procedure `at most N deep` instead, N being the most links there can be"
        report.error("RW0537", call.span, message, help=remedy)
        return
    first, _, rest = through.partition(", ")
    message = f"{first} calls itself{f' through {rest}' if rest else ''}"
    remedy = "put `at most N deep` on this line, N being the most calls inside one another"
    report.error("RW0536", call.span, message, help=remedy)


def _never(line: s.FinishOuter, part: Part, calls: _Calls, report: Report) -> None:
    """Reports a `finish NAME` where the procedure never runs: perhaps one is meant that this one is only like."""
    like, procedures = part.name, calls.program.procedures
    while like and like != line.procedure:
        like = procedures[like].like if like in procedures else ""
    if like:
        message = f"`finish {line.procedure}` does not end `{part.name}`, which is only like it"
        remedy = f"replace the line in `{part.name}`, or write plain `finish` for both"
        report.error("RW0559", line.span, message, help=remedy)
        return
    message = f"`{line.procedure}` is never running here"
    report.error("RW0538", line.span, message, help="end a procedure that performs this one")


def _running(line: s.FinishOuter, part: Part, calls: _Calls, report: Report) -> None:
    """Judges whether the procedure that a line ends is running whenever the line is reached.

    A standing rule may fire inside any procedure, and outside.
    """
    if part.sort == "procedure" and part.name == line.procedure:
        return
    report.address = part.name
    callers: dict[Part, list[Part]] = {}
    for caller, made in calls.of.items():
        for call in made:
            callers.setdefault(call.to, []).append(caller)
    without, waiting = {part}, [part]
    inside = False
    for each in waiting:
        for caller in callers.get(each, ()):
            if caller.sort == "procedure" and caller.name == line.procedure:
                inside = True
            elif caller not in without:
                without.add(caller)
                waiting.append(caller)
    inside = inside or any(each.sort == "rule" for each in waiting)
    first = [each.name for each in waiting if calls.begins(each)]
    if not inside:
        _never(line, part, calls, report)
    elif first:
        message = f"`{line.procedure}` may not be running here"
        own = part.name in first
        way = f"`{part.name}` can be begun by itself" if own else f"This is also reached from `{first[0]}`"
        notes = (f"{way}; without `{line.procedure}` the run stops here.",)
        remedy = f"write `inner procedure {part.name}`" if own else "perform this only from there"
        report.warning("RW0538", line.span, message, notes=notes, help=remedy)
