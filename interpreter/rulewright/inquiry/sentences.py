"""What is otherwise in a changed play, in words."""

from collections.abc import Mapping

from rulewright.codecs.table import show
from rulewright.diagnostics.terminal import visible
from rulewright.drivers.session import Turn
from rulewright.drivers.turns import punctuated, show_answer
from rulewright.inputs.names import Names
from rulewright.inquiry.alternatives import Change, OtherAnswer, OtherStart
from rulewright.inquiry.course import Occasion
from rulewright.machine.request import Request
from rulewright.telling.conditions import spoken
from rulewright.telling.happenings import last
from rulewright.telling.values import player


def supposed(change: Change, turns: Mapping[Occasion, Turn], names: Names, *, is_new: bool) -> str:
    """One thing that is otherwise: had a die shown 5, not 2; of what was never asked before only what it is."""
    if isinstance(change, OtherStart):
        return _start(change, names)
    request = turns[change.occasion].request
    after, before = _values(change, request, names)
    said = f"{after} then" if is_new else f"{after}, not {before}"
    who = player(request.player, names)
    match request.sort:
        case "roll":
            return f"had {_die(request, names)} shown {said}"
        case "draw":
            return f"had {who} drawn {said}"
        case "shuffle":
            return f"had `{_called(request, 'shuffle.')}` been shuffled to {said}"
        case "external" | "value":
            return f"had “{visible(request.prompt or request.name)}” come to {_part(change, request, names)}{said}"
        case _:
            return f"had {who} answered {_asked(request)} with {said}"


def _start(change: OtherStart, names: Names) -> str:
    owner, _, name = change.where.rpartition("/")
    called = spoken(name) if change.key is None else f"{visible(names.thing(owner, change.key))}'s {spoken(name)}"
    after, before = (show(each, change.type, names) for each in (change.after, change.before))
    return f"had {called} been {after} at the start, not {before}"


def _values(change: OtherAnswer, request: Request, names: Names) -> tuple[str, str]:
    """What is answered in a changed play, and in the play as it was."""
    type_ = None
    if request.sort == "roll":
        type_ = [each.face for each in request.dice for _ in range(each.count)][change.slot or 0]
    elif request.sort == "external":
        type_ = request.type
        if change.slot is not None:
            type_ = names.program.records[str(type_)].parts[change.slot].type
    if type_ is None:
        return show_answer(request, change.after, names), show_answer(request, change.before, names)
    return show(change.after, type_, names), show(change.before, type_, names)


def _die(request: Request, names: Names) -> str:
    """What is rolled: `one die of blue's roll …`."""
    again = last(request.address).startswith("reroll.")
    called = f"{'second roll' if again else 'roll'} `{_called(request, 'reroll.')}`"
    rolled = f"the {called}" if request.player is None else f"{player(request.player, names)}'s {called}"
    return rolled if sum(each.count for each in request.dice) == 1 else f"one die of {rolled}"


def _part(change: OtherAnswer, request: Request, names: Names) -> str:
    """Which part of a result is otherwise, before it."""
    if change.slot is None:
        return ""
    return f"`{names.program.records[str(request.type)].parts[change.slot].name}` "


def _called(request: Request, sort: str) -> str:
    return visible(last(request.address).removeprefix(sort))


def _asked(request: Request) -> str:
    return f"“{punctuated(request.prompt)}”" if request.prompt else f"`{visible(last(request.address))}`"
