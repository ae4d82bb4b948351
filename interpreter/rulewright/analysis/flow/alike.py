"""Questions whose answers all lead to one state (manual, Decisions)."""

from collections.abc import Hashable, Iterator
from dataclasses import fields, is_dataclass
from functools import cache

from rulewright.analysis.flow.unread import read_names
from rulewright.analysis.report import Report
from rulewright.program import statements as s
from rulewright.program.expressions import Variable
from rulewright.program.lines import Routine, all_lines

_PLACES = frozenset({"address", "cites", "span", "type", "title"})


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


@cache
def _holding(kind: Hashable) -> tuple[str, ...]:
    return tuple(each.name for each in fields(kind) if each.name not in _PLACES)  # type: ignore[arg-type]


def _shape(node: object) -> Hashable:
    """What lines do, wherever they stand and whatever they cite; two blocks of one shape do the same."""
    if isinstance(node, Variable):
        return node.name
    if isinstance(node, tuple):
        return tuple(_shape(each) for each in node)
    if is_dataclass(node):
        names = _holding(type(node))  # type: ignore[arg-type]
        return (type(node).__name__, *(_shape(getattr(node, name)) for name in names))
    return (type(node).__name__, node)
