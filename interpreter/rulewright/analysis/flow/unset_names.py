"""What helps where a name may not be set yet: the block in which alone it is set, or a first value for it."""

from collections.abc import Callable, Iterable, Iterator

from rulewright.diagnostics import Label
from rulewright.frozen import dataclass
from rulewright.program import statements as s
from rulewright.program.declarations import Procedure
from rulewright.program.expressions import Variable
from rulewright.program.types import NUMERIC, FlagType, ListType, OptionalType, SetType, TextType, WordType
from rulewright.program.walk import Routine, all_lines, blocks_inside, every, inner
from rulewright.source import Span

_PLAIN = (*NUMERIC, FlagType, ListType, OptionalType, SetType, TextType, WordType)
"""Types with values that a line can write down before any die is thrown and anybody is asked."""

SetBy = Callable[[s.Statement], Variable | None]


@dataclass(frozen=True, slots=True)
class _Only:
    """The only line that sets a name, and the line around it that need not lead to it."""

    line: s.Statement
    around: s.Statement


def remedy_for(variable: Variable, read: Span, routine: Routine, set_by: SetBy) -> tuple[str, tuple[Label, ...]]:
    """What to do where a name is read before it is set, and the block in which alone it is set."""
    first = f"give it a first value with `let {variable.name} = …` further up"
    first = f", or {first}" if isinstance(variable.type, _PLAIN) else ""
    setting = [each for each in all_lines(routine) if set_by(each) == variable]
    only = _only(setting[0], read, _blocks_of(routine)) if len(setting) == 1 else None
    if only is None:
        return f"set it on every way here{first}", ()
    done, where = _DONE.get(type(only.line), "set"), _where(only)
    told = f"`{variable.name}` is only {done} {where} above"
    return f"{told}; move this line there, indented like the lines in it{first}", (
        Label(only.around.span, f"`{variable.name}` is {done} in here"),
    )


def _only(setting: s.Statement, read: Span, blocks: Iterable[s.Block]) -> _Only | None:
    """The line around the one that sets a name, where the name is read further down in a block around both."""
    for block in blocks:
        for place, line in enumerate(block):
            if setting not in every((line,)):
                continue
            if any(_holds(each.span, read) for each in every(block[place + 1 :])):
                around = _innermost(line, setting)
                return None if around is None else _Only(setting, around)
            return _only(setting, read, blocks_inside(line))
    return None


def _innermost(line: s.Statement, setting: s.Statement) -> s.Statement | None:
    """The innermost line around another; itself where its block alone knows what it sets, none where nothing is."""
    if line is setting:
        return line if isinstance(line, s.Ask) and line.otherwise is not None else None
    held = next(each for each in inner(line) if setting in every((each,)))
    return line if held is setting else _innermost(held, setting)


def _holds(outer: Span, inner: Span) -> bool:
    return outer.source == inner.source and outer.start <= inner.start and inner.end <= outer.end


def _blocks_of(routine: Routine) -> Iterator[s.Block]:
    if not isinstance(routine, Procedure):
        yield routine.block
        return
    yield from (each for each in routine.opening if isinstance(each, tuple))
    yield from (each.block for each in routine.steps)


CALLED = {s.If: "`if`", s.Match: "`match`", s.ForEach: "`for each`", s.Repeat: "`repeat`", s.Ask: "question"}
"""What messages call lines that hold lines; any other is a block."""
_DONE = {s.Roll: "rolled", s.Ask: "answered", s.Draw: "drawn"}


def _where(only: _Only) -> str:
    """Where a name is set: inside a line, or one part of it."""
    around, called = only.around, CALLED.get(type(only.around), "block")
    parts = sum(1 for each in blocks_inside(around) if each)
    if isinstance(around, s.Ask) or parts == 1:
        return f"{'under' if isinstance(around, s.Ask) else 'inside'} the {called}"
    return f"in one part of the {called}"
