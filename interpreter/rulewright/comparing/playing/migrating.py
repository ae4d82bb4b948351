"""Which plays of the old revision still run under the new one, and where the others first differ."""

from collections.abc import Iterator, Mapping

from rulewright.comparing.naming import Correspondence
from rulewright.comparing.playing.crossing import LostError, Ways, ways
from rulewright.comparing.playing.finding import standing
from rulewright.comparing.playing.opening import Start, opened
from rulewright.comparing.playing.recorded import in_order
from rulewright.comparing.playing.side_by_side import SAME, UNUSABLE, Played, played
from rulewright.comparing.playing.states import carried, carried_roles
from rulewright.comparing.playing.unplaced import mapping
from rulewright.diagnostics import has_errors
from rulewright.frozen import dataclass
from rulewright.inputs.save import Save
from rulewright.inputs.state_file import state_of
from rulewright.machine.compile import compile_program
from rulewright.machine.request import Faulted, Refused
from rulewright.program.declarations import Procedure, Program

_LOST = "it holds something that the new revision does not know"


@dataclass(frozen=True, slots=True)
class Migrated:
    """What becomes of a play under the new revision.

    Attributes:
        name: of the play, as it was given.
        outcome: `same`, `differs` or `lost` (it does not load).
        sort: of the first difference, a key of `DIFFERENCES`; else empty.
        answers: how many were given before that, or in all.
        addresses: where the old revision and the new one stand then; empty at an end.
        message: why it does not load, in words; else empty.
    """

    name: str
    outcome: str
    sort: str = ""
    answers: int = 0
    addresses: tuple[str, str] = ("", "")
    message: str = ""


def migrated(old: Program, new: Program, names: Correspondence, saves: Mapping[str, Save]) -> Iterator[Migrated]:
    """What becomes of each saved or recorded play, by its name.

    A play runs on where the new revision asks the same and takes every answer; how it ends counts too. A play of which
    the answers end before it does is the same as far as it goes.
    """
    both = ways(old, new, names)
    executables = compile_program(old, traced=True), compile_program(new, traced=True)
    for name, save in saves.items():
        begun = _begun(save, both)
        if isinstance(begun, str):
            yield Migrated(name, "lost", message=begun)
            continue
        procedures, starts = begun
        found = opened(procedures, starts, both)
        if found is None:
            yield Migrated(name, "lost", message=_why(starts[1], both))
            continue
        yield _told(name, save, played(executables, found, in_order(save.answers, then_plain=False)))


_Begun = tuple[tuple[Procedure, Procedure], tuple[Start, Start]]


def _begun(save: Save, both: Ways) -> _Begun | str:
    """How a save begins in both, or why it does not."""
    across = both.across
    procedure = across.here.procedures.get(save.procedure)
    other = across.there.procedures.get(across.names.new("procedure", save.procedure) or "")
    if procedure is None or other is None:
        return f"there is no procedure `{save.procedure}` any more"
    if other.inner:
        return f"`{other.name}` is an inner procedure now, and cannot be begun"
    try:
        new = Start(carried(save.start, across), carried_roles(save.arguments, procedure, other, across))
    except LostError:
        return _LOST
    return (procedure, other), (Start(save.start, save.arguments), new)


def _why(start: Start, both: Ways) -> str:
    """What is wrong with a start for the new revision."""
    found = state_of(mapping(dict(start.state)), both.across.there)
    first = next((each for each in found.diagnostics if has_errors([each])), None)
    return "it lacks a role that the new revision wants" if first is None else first.message


def _told(name: str, save: Save, play: Played) -> Migrated:
    addresses = standing(play.outcomes[0]), standing(play.outcomes[1])
    given = len(play.turns)
    if play.sort == SAME or (play.sort == UNUSABLE and _ran_out(save, play)):
        return Migrated(name, "same", answers=given)
    sort = "options" if play.sort == UNUSABLE else play.sort
    return Migrated(name, "differs", sort, given, addresses)


def _ran_out(save: Save, play: Played) -> bool:
    """Whether every answer was given, or neither revision begins it."""
    neither = all(isinstance(each, Refused | Faulted) for each in play.outcomes)
    return neither or len(play.turns) == len(save.answers)
