"""A run as one player may see it."""

from dataclasses import replace

from rulewright.cli.stop import Stop, complaint
from rulewright.diagnostics import Diagnostic, Severity
from rulewright.diagnostics.suggest import nearest
from rulewright.drivers.run import Played
from rulewright.drivers.seeing import seen
from rulewright.inputs.names import Names
from rulewright.inputs.wording import quoted
from rulewright.machine.run import Paused


def player_of(written: str, names: Names) -> int:
    """The number of a player.

    Raises:
        Stop: RW0260, there is no such player.
    """
    ids = names.ids("player")
    if written in ids:
        return list(ids).index(written)
    guess = nearest(written, list(ids))
    remedy = f"did you mean `{guess}`?" if guess else f"the players are {', '.join(f'`{each}`' for each in ids)}"
    raise Stop([complaint("RW0260", f"there is no player {quoted(written)}", remedy)])


def as_seen(played: Played, player: int) -> Played:
    """The run and its findings without what the player may not know, the text of the script included (RW0261)."""
    session = seen(played.session, player)
    outcome = session.outcome
    if not played.diagnostics or not isinstance(outcome, Paused) or not outcome.request.closed:
        return Played(session, tuple(_placeless(each) for each in played.diagnostics))
    address = outcome.request.address
    message = "the run stops at a question whose answers are not for this player"
    remedy = "without `--view` it says why"
    return Played(session, (Diagnostic("RW0261", Severity.ERROR, message, help=remedy, address=address),))


def _placeless(found: Diagnostic) -> Diagnostic:
    """A finding that shows no line of a script, where the answers of others stand."""
    return replace(found, primary=None, secondary=(), edits=())
