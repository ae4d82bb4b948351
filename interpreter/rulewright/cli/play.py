"""The verb `play`."""

import click

from rulewright.cli.exits import Exit, is_limit
from rulewright.cli.opening import Asked, Opening, limits_of, open_play
from rulewright.cli.options import limit_options, overlay_option, record_option, starting_options, verb
from rulewright.cli.output import output
from rulewright.cli.recording import can_name, may_record
from rulewright.cli.resuming import resume
from rulewright.cli.stop import Stop, complaint
from rulewright.cli.table import played, table_of
from rulewright.cli.viewing import player_of
from rulewright.cli.writing import may_write
from rulewright.drivers.chance import Chance, fresh_seed
from rulewright.drivers.play import Left, Sitting
from rulewright.drivers.session import begin
from rulewright.drivers.sources import Sources
from rulewright.inputs.save import BEGINNING
from rulewright.machine.request import Ended, Faulted, Refused
from rulewright.machine.run import Paused


@verb("play")
@starting_options(named=False)
@click.option("--dice", "dice", type=click.Choice(("ask",)), help="people roll, and type what fell")
@click.option("--as", "as_", metavar="PLAYER", help="show what this player may see, not what all may")
@record_option
@click.option("--load", "load", metavar="FILE", help="go on from a save, which names the rest")
@overlay_option
@limit_options
@click.option("--format", "form", type=click.Choice(("human", "plain")), help="with or without colours")
@click.pass_context
def command(  # noqa: PLR0913 - one parameter for each option
    context: click.Context,
    /,
    *,
    ruleset: str | None,
    procedure: str | None,
    state: str | None,
    roles: tuple[str, ...],
    settings: tuple[str, ...],
    script: str | None,
    unscripted: bool,
    seed: int | None,
    save: str | None,
    dice: str | None,
    as_: str | None,
    recorded: str | None,
    load: str | None,
    overlays: tuple[str, ...],
    form: str | None,
    **limits: int | None,
) -> int:
    """Plays a procedure with people: every question is asked here, one line an answer.

    RULESET PROCEDURE --state FILE names everything apart; a procedure that is alone needs no name. SCENARIO is a file
    whose name ends in .scenario.yaml, and holds it all: ruleset, state, roles, settings and script. CASE is a scenario
    of it, or a part of its name. Its script answers first; --no-script leaves every question to people.

    Type `help` for what else can be typed. Exits with 0 where the procedure ended or was left with `quit`, 1 where it
    could not begin or met a fault, 2 where the input ended before the play, 3 where a limit was hit.
    """
    if dice is not None and seed is not None:
        raise Stop([complaint("RW0789", "`--seed` and `--dice ask` exclude each other", "leave out one of them")])
    if ruleset is None and load is None:
        raise click.MissingParameter(ctx=context, param=context.command.params[0])
    may_record(recorded)
    may_write(save, BEGINNING)
    asked = Asked(ruleset or "", procedure, overlays, state, roles, settings, script, unscripted, limits_of(limits))
    out = output(form)
    if load is None:
        opening = open_play(asked)
        seed = opening.case.seed if seed is None and opening.case is not None else seed
        chance = Chance(fresh_seed() if seed is None else seed)
        session = begin(opening.begun, _sources(opening, chance, rolls=dice is None, insisted=seed is not None))
    else:
        session, opening = resume(load, asked, seed=seed, rolls=dice is None)
    can_name(recorded, opening.ruleset, opening.overlays)
    viewer = None if as_ is None else player_of(as_, opening.begun.names)
    scripted = load is None and script is None and opening.script is not None
    sitting = Sitting(session, table_of(out, opening, viewer, scripted=scripted))
    return _exit(played(sitting, opening, save, recorded, out))


def _sources(opening: Opening, chance: Chance, *, rolls: bool, insisted: bool) -> Sources:
    return Sources(opening.begun.names, chance, opening.script, rolls=rolls, insisted=insisted)


def _exit(left: Left) -> Exit:
    match left.session.outcome:
        case Paused():
            return Exit.BAD if left.how == "cut off" else Exit.FINE
        case Ended():
            return Exit.FINE
        case Faulted(code=code) if is_limit(code):
            return Exit.UNKNOWN
        case Refused() | Faulted():
            return Exit.FOUND
