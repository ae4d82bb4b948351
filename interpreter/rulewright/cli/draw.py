"""The verb `draw`: a procedure as a flow chart."""

from pathlib import Path

import click

from rulewright.charts.chart import Chart, chart
from rulewright.charts.drawing import dot, mermaid, page
from rulewright.cli.loading import load_program
from rulewright.cli.named_files import can_write, write
from rulewright.cli.opening import chosen_procedure
from rulewright.cli.options import OneOf, allow_option, overlay_option, verb
from rulewright.cli.output import Exit, output
from rulewright.cli.reports import rendered

_FORMS = ("svg", "mermaid", "dot")


@verb("draw")
@click.argument("ruleset")
@click.argument("procedure", required=False)
@click.option("--as", "form", type=OneOf(_FORMS), default="svg", help="svg (unless given), mermaid or dot")
@click.option("--write", "file", metavar="FILE", help="write it into a file")
@overlay_option
@allow_option
def command(ruleset: str, procedure: str | None, form: str, file: str | None, overlays: tuple[str, ...]) -> int:
    """Draws PROCEDURE of RULESET as a flow chart: steps down the page in the book's order, jumps at the side.

    A procedure that is alone needs no name.
    """
    can_write(file)
    program, _ = load_program(ruleset, overlays)
    known = program.procedures.get(procedure or "")
    chosen = known if known is not None else chosen_procedure(procedure, program, None, ruleset)
    drawn = _drawn(chart(chosen, program), form)
    if file is not None:
        write(Path(file), drawn)
    else:
        output("plain").write(drawn)
    return Exit.FINE


def _drawn(made: Chart, form: str) -> str:
    match form:
        case "mermaid":
            return mermaid(made)
        case "dot":
            return dot(made)
        case _:
            return rendered("chart.svg", page(made))
