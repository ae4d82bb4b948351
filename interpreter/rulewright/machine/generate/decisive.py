"""What a decisive recording leaves out: what `drivers.story` tells at that level would say nothing of it.

A story says of most lines only what rows and dice made of them, and of a condition only where it led somewhere and read
more than names and readings. What is left out before a routine has recorded anything for certain leaves a mark, for by
that a story knows which routine runs.
"""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from rulewright.machine.generate.writer import Body
from rulewright.program import declarations as d, expressions as ex, statements as st
from rulewright.program.expressions import Expression
from rulewright.program.types import PoolType
from rulewright.program.walk import root_of
from rulewright.roles import nodes

_MERELY_NAMES = (
    ex.Arithmetic,
    ex.BoardCells,
    ex.Comparison,
    ex.Conditional,
    ex.GameField,
    ex.InPlay,
    ex.Itself,
    ex.Joined,
    ex.Literal,
    ex.Local,
    ex.Logical,
    ex.MakeCollection,
    ex.MakeRecord,
    ex.MakeTuple,
    ex.Membership,
    ex.Narrowed,
    ex.Negation,
    ex.Not,
    ex.Removed,
    ex.Rounded,
    ex.SettingValue,
    ex.WordLiteral,
)
"""What reads names, fields of the game and readings at most."""


def line(body: Body, of: st.Statement) -> AbstractContextManager[None]:  # noqa: PLR0911 - one for each sort
    """What is recorded of a line, but for lines inside it, which are asked about apart."""
    if not _leaves_out(body):
        return nullcontext()
    match of:
        case st.Stop() | st.Nothing() | st.ForEach() | st.Proceed():
            return left_out(body)
        case st.Let(value=value) | st.Finish(value=value) | st.FinishOuter(value=value):
            return nullcontext() if _has_workings(body, value) else left_out(body)
        case st.Match(subject=value) | st.Repeat(bound=value) | st.Trigger(arguments=value):
            return nullcontext() if _has_workings(body, value) else left_out(body)
        case st.Assign(place=place, value=value) | st.AddAmount(place=place, amount=value):
            return _changed(body, place, value)
        case st.AddMember(place=place, member=value):
            return _changed(body, place, value)
        case st.Move(thing=thing, destination=value) | st.Turn(thing=thing, heading=value):
            return body.telling(unread=not _has_workings(body, (thing, value)))
        case _:
            return nullcontext()


def _changed(body: Body, place: st.Place, value: Expression) -> AbstractContextManager[None]:
    """A change of the game is told; one of a name is not."""
    if _has_workings(body, (place, value)):
        return nullcontext()
    root = root_of(place)
    if isinstance(root, st.VariablePlace):
        return left_out(body)
    return body.telling(unread=root is place)


def left_out(body: Body) -> AbstractContextManager[None]:
    """What is told by a full story alone, and of an answer that was asked for by its turn."""
    if not _leaves_out(body):
        return nullcontext()
    if not body.opened:
        body.mark()
    return body.telling(untold=True)


def test(body: Body, condition: Expression, of: object) -> str:
    """When a condition is recorded: `always`, where it is `met`, or `never`."""
    if not _leaves_out(body) or _has_workings(body, condition):
        return "always"
    if isinstance(of, st.Repeat):
        return "never"
    if not isinstance(of, st.If):
        return "always"
    if all(isinstance(each, _MERELY_NAMES) for each in nodes(condition) if isinstance(each, ex.Typed)):
        return "never"
    text = body.module.wording.text
    if not body.opened or (of.otherwise is not None and text(condition) == text(of.branches[-1].condition)):
        return "always"
    return "met"


def _leaves_out(body: Body) -> bool:
    return body.module.decisive and not body.untold


def _has_workings(body: Body, node: Any) -> bool:
    """Whether rows or dice may make what a line reads what it is, in it or in what it calls."""
    functions = body.module.program.functions
    seen: set[str] = set()
    waiting = [node]
    while waiting:
        for each in nodes(waiting.pop()):
            if isinstance(each, ex.ExternalValue):
                return True
            if isinstance(each, ex.Aggregate) and isinstance(each.binding.source.type, PoolType):
                return True
            name = getattr(each, "function", None) or getattr(each, "relation", None)
            if not isinstance(name, str) or name not in functions or name in seen:
                continue
            seen.add(name)
            if isinstance(functions[name].body, d.Tally | d.Decide | d.Table | d.Paths):
                return True
            waiting.append(functions[name].body)
    return False
