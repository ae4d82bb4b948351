"""Options that several verbs have."""

import click

from rulewright.cli.output import FORMATS

format_option = click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    help="human (default on a terminal), plain (default elsewhere) or json",
)
overlay_option = click.option(
    "--overlay", "overlays", multiple=True, metavar="FILE", help="a file that amends the ruleset; repeatable"
)
