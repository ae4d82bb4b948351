"""All checks on one finished routine: jumps, names that nothing reads, questions whose answers lead to one state."""

from collections.abc import Collection, Hashable, Iterator

from rulewright.analysis.flow.setting import check_set
from rulewright.analysis.report import Report
from rulewright.diagnostics import Edit
from rulewright.diagnostics.suggest import left_out
from rulewright.program import statements as s
from rulewright.program.declarations import Handler, Need, Procedure, StandingRule, Watch
from rulewright.program.expressions import Binding, Local, Variable
from rulewright.program.walk import Routine, all_lines, expressions, inside
from rulewright.roles import Role, is_node, names
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


_PLACES = (Role.PLACE, Role.MARGIN, Role.PROOF)


def check_alike(routine: Routine, report: Report) -> None:
    """Hints at questions after which the same lines run whatever the answer, which nothing reads (RW0539)."""
    asked = [each for each in all_lines(routine) if isinstance(each, s.Ask)]
    read = read_names(routine) if asked else set()
    for line in asked:
        blocks = list(_ways(line))
        if line.variable.index not in read and len(blocks) > 1 and all(blocks) and len(set(map(_shape, blocks))) == 1:
            message = "every answer leads to the same lines"
            remedy = "let the answers differ, or leave the question out"
            report.hint("RW0539", line.span, message, help=remedy)


def _ways(line: s.Ask) -> Iterator[s.Block]:
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


def check_jumps(procedure: Procedure, plain: Collection[Span], report: Report) -> None:
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


def check(routine: Routine, performed: Collection[str], plain_jumps: Collection[Span], report: Report) -> None:
    """Reports names read before they are set or never, questions without consequence, and jumps that skip nothing.

    Performed are the steps at which some `perform` begins; plain jumps are those that cite no clause of their own.
    """
    check_set(routine, performed, report)
    check_read(routine, report)
    check_alike(routine, report)
    if isinstance(routine, Procedure):
        check_jumps(routine, plain_jumps, report)
