"""The verb `draw`: a procedure as a flow chart, or the board of a scenario or a state."""

from pathlib import Path

import click

from rulewright.charts.chart import Chart, chart
from rulewright.charts.drawing import chart_page
from rulewright.charts.notations import dot, mermaid
from rulewright.cli.draw_board import Wanted, board_drawn
from rulewright.cli.loading import load_program
from rulewright.cli.named_files import SVG, may_write, write
from rulewright.cli.opening import chosen_procedure, is_scenario
from rulewright.cli.options import OneOf, allow_option, overlay_option, verb
from rulewright.cli.output import Exit, output
from rulewright.cli.reports import rendered
from rulewright.program.declarations import Procedure, Program

_CHARTS = ("svg", "mermaid", "dot")
_BOARDS = ("svg", "text")
_BEGINNINGS = {"svg": SVG, "mermaid": "flowchart TD", "dot": "digraph {", "text": ""}
"""How a file begins that may be written over; a board as text tells itself from nothing, and is written over none."""


@verb("draw")
@click.argument("ruleset", metavar="RULESET|SCENARIO")
@click.argument("procedure", required=False, metavar="[PROCEDURE|CASE]")
@click.option("--state", metavar="FILE", help="draw the board of this state of RULESET")
@click.option("--end", "ended", is_flag=True, help="draw the board as it is after the script of SCENARIO")
@click.option("--script", metavar="FILE", help="with --end: use this script instead")
@click.option("--board", "name", metavar="NAME", help="which board, if there are several")
@click.option("--around", metavar="PLACE", help="draw the part around a cell, `2,1`, or around a thing")
@click.option(
    "--as", "form", type=OneOf((*_CHARTS, "text")), default="svg", help="svg (unless given), mermaid or dot; text"
)
@click.option("--cover", "places", multiple=True, metavar="PATH", help="colour a chart by what these scenarios reach")
@click.option(
    "--against", "before", metavar="OLD", help="colour a chart by what changed since OLD, a ruleset or REV:PLACE"
)
@click.option("--at", metavar="FILE:LINE", help="draw the procedure at this line of the rules")
@click.option(
    "--places",
    "is_placed",
    is_flag=True,
    help="print as JSON where each box of a chart is, and its lines",
)
@click.option("--write", "file", metavar="FILE", help="write it to a file")
@overlay_option
@allow_option
def command(  # noqa: PLR0913 - one parameter for each option
    *,
    ruleset: str,
    procedure: str | None,
    state: str | None,
    ended: bool,
    script: str | None,
    name: str | None,
    around: str | None,
    form: str,
    places: tuple[str, ...],
    before: str | None,
    at: str | None,
    is_placed: bool,
    file: str | None,
    overlays: tuple[str, ...],
) -> int:
    """Draws a procedure as a flow chart, with its steps in the book's order, or the board of a state or scenario.

    If RULESET has one procedure, you need not name it. --cover marks what scenarios reach and what they never reach;
    --against marks what is new, changed and gone. You can read the marks without seeing their colours.

    For a SCENARIO, a file whose name ends in .scenario.yaml, and with --state it draws the board, as SVG or as text.
    CASE is a scenario of the file, or a part of its name.

    Example: `rulewright draw pig turn --as mermaid`.
    """
    may_write(file, _BEGINNINGS[form])
    if script is not None and not ended:
        raise click.UsageError("`--script` does nothing without `--end`")
    is_board = state is not None or is_scenario(ruleset)
    if is_board:
        _is_drawable(form, ruleset, procedure, ended=ended)
    elif ended or name or around or form not in _CHARTS:
        raise click.UsageError("a board is drawn of a SCENARIO, or of a RULESET with `--state FILE`")
    if (places or before) and (is_board or (places and before)):
        raise click.UsageError("`--cover` and `--against` colour a chart, either of them")
    if is_board and (at or is_placed):
        raise click.UsageError("`--at` and `--places` are for charts")
    if is_placed:
        from rulewright.cli.placed import placed_chart  # noqa: PLC0415 - for programs

        output("json").data(placed_chart(ruleset, procedure, overlays, at, file))
        return Exit.FINE
    if is_board:
        drawn = board_drawn(Wanted(ruleset, procedure, state, overlays, name, around, form, script, ended=ended))
    else:
        drawn = _drawn(_charted(ruleset, procedure, at, overlays, places, before), form)
    if file is not None:
        write(Path(file), drawn)
    else:
        output("plain").write(drawn)
    return Exit.FINE


def _is_drawable(form: str, ruleset: str, procedure: str | None, *, ended: bool) -> None:
    """Refuses for a board what is for charts, and for a state what is for scenarios."""
    message = ""
    if form not in _BOARDS:
        message = f"a board is drawn as svg or text, not as {form}"
    elif not is_scenario(ruleset) and procedure is not None:
        message = f"the board of a state needs no procedure, so there is no place for `{procedure}`"
    elif not is_scenario(ruleset) and ended:
        message = "`--end` plays the script of a SCENARIO, and a state has none"
    if message:
        raise click.UsageError(message)


def _charted(  # noqa: PLR0913, PLR0917 - what is drawn, and how it is marked
    ruleset: str,
    procedure: str | None,
    at: str | None,
    overlays: tuple[str, ...],
    places: tuple[str, ...],
    before: str | None,
) -> Chart:
    """The chart of a procedure that is named or stands at a line, with its marks."""
    if before is not None:
        from rulewright.cli.draw_marked import chart_against  # noqa: PLC0415 - seldom wanted

        return chart_against(before, ruleset, procedure, overlays, at)
    program, _ = load_program(ruleset, overlays)
    made = chart(_chosen(procedure, at, program, ruleset), program)
    if not places:
        return made
    from rulewright.cli.draw_marked import chart_covered  # noqa: PLC0415 - seldom wanted

    return chart_covered(made, program, ruleset, places)


def _chosen(procedure: str | None, at: str | None, program: Program, ruleset: str) -> Procedure:
    """The procedure of a name, inner ones too, else that which stands at `FILE:LINE`, else the only one."""
    if procedure is None and at is not None:
        from rulewright.cli.placed import procedure_at  # noqa: PLC0415 - seldom wanted

        return procedure_at(at, program)
    return program.procedures.get(procedure or "") or chosen_procedure(procedure, program, None, ruleset)


def _drawn(made: Chart, form: str) -> str:
    match form:
        case "mermaid":
            return mermaid(made)
        case "dot":
            return dot(made)
        case _:
            return rendered("chart.svg", chart_page(made))
