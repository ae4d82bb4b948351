"""What helps where a name may not be set yet: the block in which alone it is set, or a first value for it."""

from collections.abc import Callable, Iterable, Iterator

from rulewright.base.diagnostics import Label
from rulewright.base.frozen import dataclass
from rulewright.base.source import Span
from rulewright.program import statements as s, statements as st
from rulewright.program.declarations import Procedure
from rulewright.program.expressions import Variable
from rulewright.program.types import NUMERIC, FlagType, ListType, OptionalType, SetType, TextType, WordType
from rulewright.program.walk import (
    AnyRoutine,
    get_blocks,
    get_inner_lines,
    is_exit_line,
    walk_block_lines,
    walk_routine_lines,
)

_LITERAL_VALUE_TYPES = (*NUMERIC, FlagType, ListType, OptionalType, SetType, TextType, WordType)
"""Types with values that a line can write down before any die is thrown and anybody is asked."""

AssignedVariableGetter = Callable[[s.Statement], Variable | None]


@dataclass(frozen=True, slots=True)
class _OnlySettingLine:
    """The only line that sets a name, and the line around it that need not lead to it."""

    line: s.Statement
    enclosing_line: s.Statement


def find_unset_remedy(
    variable: Variable, read: Span, routine: AnyRoutine, set_by: AssignedVariableGetter
) -> tuple[str, tuple[Label, ...]]:
    """What to do where a name is read before it is set, and the block in which alone it is set."""
    first = f"give it a first value with `let {variable.name} = …` further up"
    first = f", or {first}" if isinstance(variable.type, _LITERAL_VALUE_TYPES) else ""
    setting = [routine_line for routine_line in walk_routine_lines(routine) if set_by(routine_line) == variable]
    only = _find_only_setting(setting[0], read, _iterate_routine_blocks(routine)) if len(setting) == 1 else None
    if only is None:
        return f"set it on every way here{first}", ()
    done, where = _SETTING_VERBS.get(type(only.line), "set"), _describe_setting_place(only)
    told = f"`{variable.name}` is only {done} {where} above"
    return f"{told}; move this line there, indented like the lines in it{first}", (
        Label(only.enclosing_line.span, f"`{variable.name}` is {done} in here"),
    )


def _find_only_setting(setting: s.Statement, read: Span, blocks: Iterable[s.Block]) -> _OnlySettingLine | None:
    """The line around the one that sets a name, where the name is read further down in a block around both."""
    for block in blocks:
        for place, line in enumerate(block):
            if setting not in walk_block_lines((line,)):
                continue
            if any(_has_span_inside(block_line.span, read) for block_line in walk_block_lines(block[place + 1 :])):
                around = _find_innermost_around(line, setting)
                return None if around is None else _OnlySettingLine(setting, around)
            return _find_only_setting(setting, read, get_blocks(line))
    return None


def _find_innermost_around(line: s.Statement, setting: s.Statement) -> s.Statement | None:
    """The innermost line around another; itself where its block alone knows what it sets, none where nothing is."""
    if line is setting:
        return line if isinstance(line, s.Ask) and line.otherwise is not None else None
    held = next(inner_line for inner_line in get_inner_lines(line) if setting in walk_block_lines((inner_line,)))
    return line if held is setting else _find_innermost_around(held, setting)


def _has_span_inside(outer: Span, inner: Span) -> bool:
    return outer.source == inner.source and outer.start <= inner.start and inner.end <= outer.end


def _iterate_routine_blocks(routine: AnyRoutine) -> Iterator[s.Block]:
    if not isinstance(routine, Procedure):
        yield routine.block
        return
    yield from (item for item in routine.opening if isinstance(item, tuple))
    yield from (step.block for step in routine.steps)


LINE_WORDS = {s.If: "`if`", s.Match: "`match`", s.ForEach: "`for each`", s.Repeat: "`repeat`", s.Ask: "question"}
"""What messages call lines that hold lines; any other is a block."""
_SETTING_VERBS = {s.Roll: "rolled", s.Ask: "answered", s.Draw: "drawn"}


def _describe_setting_place(only: _OnlySettingLine) -> str:
    """Where a name is set: inside a line, or one part of it."""
    around, called = only.enclosing_line, LINE_WORDS.get(type(only.enclosing_line), "block")
    parts = sum(1 for block in get_blocks(around) if block)
    if isinstance(around, s.Ask) or parts == 1:
        return f"{'under' if isinstance(around, s.Ask) else 'inside'} the {called}"
    return f"in one part of the {called}"


@dataclass(frozen=True, slots=True)
class Terminator:
    """A line that always leads elsewhere: its place, what it does in words, and the question it raises, if any."""

    label: Label
    description: str
    question: str = ""


def find_terminator(block: st.Block, routine: str = "procedure") -> Terminator | None:
    """The first line of a block in a sort of routine that always leads elsewhere, as the lines alone show it."""
    place = next((number for number, item in enumerate(block) if is_exit_line(item)), None)
    if place is None:
        return None
    line = block[place]
    told, does = _describe_terminator(line, routine)
    is_slip = not any(get_inner_lines(line)) and place > 0 and any(get_inner_lines(block[place - 1]))
    return Terminator(
        Label(line.span, does), f"{told} above always {does}", "is it indented too little?" if is_slip else ""
    )


def _describe_terminator(line: st.Statement, routine: str) -> tuple[str, str]:
    """What a line is called, and what it does to the way."""
    match line:
        case st.Proceed(step=step):
            return "the `proceed`", f"goes to step `{step}`"
        case st.Stop():
            return "the `stop`", "ends the loop"
        case st.FinishOuter(procedure=procedure):
            return f"the `finish {procedure}`", f"ends `{procedure}`"
        case st.Finish():
            return "the `finish`", f"ends the {routine}"
        case _:
            return f"the {LINE_WORDS.get(type(line), 'block')}", "leads elsewhere"
