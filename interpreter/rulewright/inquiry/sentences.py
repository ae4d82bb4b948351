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


def supposed(change: Change, turns: Mapping[Occasion, Turn], names: Names) -> str:
    """One thing that is otherwise: `had blue's guard shown 5, not 2`."""
    if isinstance(change, OtherStart):
        return _start(change, names)
    request = turns[change.occasion].request
    match request.sort:
        case "roll":
            return _die(change, request, names)
        case "draw":
            verb, called = "drawn", _whose(request, names)
        case "shuffle":
            verb, called = "been shuffled to", spoken(last(request.address).removeprefix("shuffle."))
        case "external" | "value":
            verb, called = "come to", f"“{visible(request.prompt or request.name)}”"
        case _:
            who, asked = player(request.player, names), _asked(request)
            return f"had {who} answered {asked} with {_shown(change, request, names)}"
    return f"had {called} {verb} {_shown(change, request, names)}"


def _start(change: OtherStart, names: Names) -> str:
    owner, _, name = change.where.rpartition("/")
    called = spoken(name) if change.key is None else f"{visible(names.thing(owner, change.key))}'s {spoken(name)}"
    after, before = (show(each, change.type, names) for each in (change.after, change.before))
    return f"had {called} been {after} at the start, not {before}"


def _die(change: OtherAnswer, request: Request, names: Names) -> str:
    dice = [each.face for each in request.dice for _ in range(each.count)]
    face = dice[change.slot or 0]
    after, before = (show(each, face, names) for each in (change.after, change.before))
    rolled = _whose(request, names)
    return f"had {rolled if len(dice) == 1 else f'one die of {rolled}'} shown {after}, not {before}"


def _whose(request: Request, names: Names) -> str:
    """What is rolled or drawn, after who does it: `blue's guard`."""
    called = spoken(last(request.address).removeprefix("reroll."))
    return called if request.player is None else f"{player(request.player, names)}'s {called}"


def _asked(request: Request) -> str:
    return f"“{punctuated(request.prompt)}”" if request.prompt else f"`{visible(last(request.address))}`"


def _shown(change: OtherAnswer, request: Request, names: Names) -> str:
    """An answer and the one in whose place it stands; of a result with parts the whole."""
    after, before = change.after, change.before
    if request.sort == "external":
        return _result(change, request, names)
    return f"{show_answer(request, after, names)}, not {show_answer(request, before, names)}"


def _result(change: OtherAnswer, request: Request, names: Names) -> str:
    """What an external comes to: the part that is otherwise."""
    type_, name = request.type, ""
    if change.slot is not None:
        part = names.program.records[str(type_)].parts[change.slot]
        type_, name = part.type, f"`{part.name}` "
    assert type_ is not None
    after, before = (show(each, type_, names) for each in (change.after, change.before))
    return f"{name}{after}, not {before}"
