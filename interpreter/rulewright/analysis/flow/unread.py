"""Names of a routine that nothing reads (manual, What is checked)."""

from collections.abc import Iterator

from rulewright.analysis.report import Report
from rulewright.diagnostics.suggest import left_out
from rulewright.program import statements as s
from rulewright.program.declarations import Handler, Need, Procedure, StandingRule, Watch
from rulewright.program.expressions import Binding, Local, Variable
from rulewright.program.lines import Routine, all_lines, expressions
from rulewright.program.walk import inside
from rulewright.source import Span


def check_read(routine: Routine, report: Report) -> None:
    """Warns of names that are bound and never read (RW0535); `_` says that a member of a loop is not needed."""
    read = read_names(routine)
    for variable, span, remedy in _named(routine):
        if variable.index not in read:
            read.add(variable.index)
            edits = left_out(span) if remedy == _DROP else ()
            report.warning("RW0535", span, f"nothing reads `{variable.name}`", help=remedy, edits=edits)


def read_names(routine: Routine) -> set[int]:
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


def _named(routine: Routine) -> Iterator[tuple[Variable, Span, str]]:
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
                yield from _members(binding, line.span)
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


def _members(binding: Binding, span: Span) -> Iterator[tuple[Variable, Span, str]]:
    for each in binding.variables:
        if each is not None:
            yield each, span, "write `_` for a member that is not needed"
