"""The verb `show`."""

import click

from rulewright.cli.exits import Exit
from rulewright.cli.loading import load_program
from rulewright.cli.options import OneOf, allow_option, overlay_option, verb
from rulewright.cli.output import output
from rulewright.drivers.stages import STAGES, printed


@verb("show")
@click.argument("ruleset")
@click.argument("stage", type=OneOf(STAGES))
@overlay_option
@allow_option
def command(ruleset: str, stage: str, overlays: tuple[str, ...]) -> int:
    """Prints what STAGE made of RULESET, for people who build rulewright.

    The form of what is printed is not promised to stay.
    """
    program, loaded = load_program(ruleset, overlays)
    out = output("plain")
    for line in printed(stage, program, loaded.texts):
        out.say(line)
    return Exit.FINE
