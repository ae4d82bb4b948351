"""A play that differs, as data that can be played again anywhere."""

from collections.abc import Iterator
from typing import Any

from rulewright.comparing.playing.bench import Reached
from rulewright.comparing.playing.listening import REACHED
from rulewright.comparing.playing.opening import Start
from rulewright.comparing.playing.side_by_side import Played, Turn
from rulewright.frozen import dataclass
from rulewright.inputs.answers import answer_json
from rulewright.inputs.json_values import to_json
from rulewright.inputs.names import Names
from rulewright.inputs.nodes import Json
from rulewright.machine.request import Faulted, Refused
from rulewright.machine.run import Outcome, Paused

Given = tuple[tuple[str, Json], tuple[str, Json]]
"""An answer: where it was given and what, in the old revision and in the new one."""


_CONFUSING = 10_000


@dataclass(frozen=True, slots=True)
class Found:
    """A play of both revisions that parts, or may part.

    Attributes:
        procedures: old and new name of what is begun.
        starts: as data, of both.
        given: the answers of both.
        sort: of the first difference.
        addresses: where each revision stands then; empty at an end.
        touched: changed places that each came to before.
    """

    procedures: tuple[str, str]
    starts: tuple[Start, Start]
    given: tuple[Given, ...]
    sort: str
    addresses: tuple[str, str]
    touched: tuple[tuple[str, ...], tuple[str, ...]]

    @property
    def size(self) -> int:
        """How much there is to read; one thing in two roles reads worse than any two things."""
        return len(str(self.starts)) + 20 * len(self.given) + _CONFUSING * self.doubles

    @property
    def doubles(self) -> bool:
        """Whether one thing has two roles."""
        roles = [each for each in self.starts[0].roles.values() if isinstance(each, str)]
        return len(set(roles)) < len(roles)


def found(play: Played, reached: Reached) -> Found:
    """A play as data, with the addresses of what changed that it came to."""
    first, second = play.opened.procedures
    old, new = (tuple(sorted({hit[0] for at, hit in reached if at == side and hit[1] == REACHED})) for side in (0, 1))
    return Found(
        (first.name, second.name),
        play.opened.starts,
        tuple(_given(play)),
        play.sort,
        (standing(play.outcomes[0]), standing(play.outcomes[1])),
        (old, new),
    )


def _given(play: Played) -> Iterator[Given]:
    common = play.opened.common
    for turn in play.turns:
        old, new = (_as_json(turn, side, names) for side, names in enumerate((common.old, common.new)))
        yield (turn.asked.addresses[0], old), (turn.asked.addresses[1], new)


def _as_json(turn: Turn, side: int, names: Names) -> Json:
    """What one revision was given; of dice without describing what is asked."""
    given: Any = turn.given[side]
    if turn.asked.sort != "roll":
        return answer_json(turn.paused[side].request, given, names)
    return [to_json(face, types[side], names) for face, types in zip(given, turn.asked.faces, strict=True)]


def standing(outcome: Outcome) -> str:
    """The address of an outcome: of the question, the first need that fails, or the line of a fault."""
    match outcome:
        case Paused(asked=asked):
            return asked.address
        case Refused(reasons=(first, *_)):
            return first.address
        case Faulted(address=address):
            return address
        case _:
            return ""
