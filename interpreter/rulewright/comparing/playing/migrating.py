"""Which plays of the old revision still run under the new one, and where the others first differ."""

from collections.abc import Iterator, Mapping

from rulewright.comparing.naming import Correspondence
from rulewright.comparing.playing.crossing import LostError, Ways, ways
from rulewright.comparing.playing.data import Migrated
from rulewright.comparing.playing.finding import standing
from rulewright.comparing.playing.opening import Start, opened
from rulewright.comparing.playing.recorded import in_order
from rulewright.comparing.playing.side_by_side import SAME, UNUSABLE, Played, played
from rulewright.comparing.playing.states import carried, carried_roles, spelled_out
from rulewright.diagnostics import has_errors
from rulewright.inputs.nodes import mapping
from rulewright.inputs.save import Save
from rulewright.inputs.state_file import state_of
from rulewright.inputs.state_json import state_json
from rulewright.machine.compile import compile_program
from rulewright.machine.request import Faulted, Refused
from rulewright.program.declarations import Procedure, Program
from rulewright.situations.legal import situation_of

_LOST = "it holds something that the new revision does not know"


def migrated(old: Program, new: Program, names: Correspondence, saves: Mapping[str, Save]) -> Iterator[Migrated]:
    """What becomes of each saved or recorded play, by its name.

    A play runs on where the new revision asks the same and takes every answer; how it ends counts too. A play of which
    the answers end before it does is the same as far as it goes.
    """
    migration = Migration(old, new, names)
    for name, save in saves.items():
        play = migration.play(save)
        yield Migrated(name, "lost", message=play) if isinstance(play, str) else told(name, save, play)


class Migration:
    """Plays of the old revision under both.

    Attributes:
        ways: between them.
        executables: of both.
    """

    def __init__(self, old: Program, new: Program, names: Correspondence) -> None:
        self.ways = ways(old, new, names)
        self.executables = compile_program(old, traced=True), compile_program(new, traced=True)

    def play(self, save: Save) -> Played | str:
        """A recorded play in both, as far as its answers go, or why the new revision cannot begin it."""
        begun = _begun(save, self.ways)
        if isinstance(begun, str):
            return begun
        procedures, starts = begun
        found = opened(procedures, starts, self.ways)
        if found is None:
            return _why(starts, self.ways)
        return played(self.executables, found, in_order(save.answers, then_plain=False), recorded=True)


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
    situation = situation_of(dict(save.start), across.here)
    if situation is None:
        return "the old revision does not take its start"
    start = spelled_out(dict(save.start), state_json(situation, across.here), across)
    try:
        new = Start(carried(start, across), carried_roles(save.arguments, procedure, other, across))
    except LostError:
        return _LOST
    return (procedure, other), (Start(start, save.arguments), new)


def _why(starts: tuple[Start, Start], both: Ways) -> str:
    """What is wrong with a start for the new revision."""
    found = state_of(mapping(dict(starts[1].state)), both.across.there)
    first = next((each for each in found.diagnostics if has_errors([each])), None)
    return "it lacks a role that the new revision wants" if first is None else first.message


def told(name: str, save: Save, play: Played) -> Migrated:
    """What became of a recorded play."""
    addresses = standing(play.outcomes[0]), standing(play.outcomes[1])
    given = len(play.turns)
    if play.sort == SAME or (play.sort == UNUSABLE and _ran_out(save, play)):
        return Migrated(name, "same", answers=given)
    if play.sort == UNUSABLE:
        at = save.answers[given].at
        return Migrated(name, "lost", "", given, addresses, f"the answer to `{at}` is none under the new revision")
    return Migrated(name, "differs", play.sort, given, addresses)


def _ran_out(save: Save, play: Played) -> bool:
    """Whether every answer was given, or neither revision begins it."""
    neither = all(isinstance(each, Refused | Faulted) for each in play.outcomes)
    return neither or len(play.turns) == len(save.answers)
