"""The verb `draw`: a procedure as a flow chart, or the board of a scenario or a state."""

from pathlib import Path

import click

from rulewright.cli.board_drawing import BoardRequest, render_requested_board, scenario_scenes_json
from rulewright.cli.command_files import SVG_PREFIX, require_overwritable, write_file
from rulewright.cli.options import ChoiceOption, allow_option, overlay_option, verb_command
from rulewright.cli.output import ExitCode, make_output
from rulewright.cli.play_opening import choose_procedure, is_scenario_path
from rulewright.cli.reports import render_template
from rulewright.cli.ruleset_loading import load_program
from rulewright.program.declarations import Procedure, Program
from rulewright.wording.chart_rendering import lay_out_chart, render_graphviz, render_mermaid
from rulewright.wording.flow_chart import FlowChart, make_chart

_CHART_FORMATS = ("svg", "mermaid", "dot")
_BOARD_FORMATS = ("svg", "text")
_FORMAT_PREFIXES = {"svg": SVG_PREFIX, "mermaid": "flowchart TD", "dot": "digraph {", "text": "", "json": "{"}
"""First characters, by format, of files that may be overwritten; a text board is never overwritten."""


@verb_command("draw")
@click.argument("ruleset", metavar="RULESET|SCENARIO")
@click.argument("procedure", required=False, metavar="[PROCEDURE|CASE]")
@click.option("--state", metavar="FILE", help="draw the board of this state of RULESET")
@click.option("--end", "ended", is_flag=True, help="draw the board as it is after the script of SCENARIO")
@click.option("--script", metavar="FILE", help="with --end: use this script instead")
@click.option("--board", "name", metavar="NAME", help="which board, if there are several")
@click.option("--around", metavar="PLACE", help="draw the part around a cell, `2,1`, or around a thing")
@click.option(
    "--as",
    "form",
    type=ChoiceOption((*_CHART_FORMATS, "text", "json")),
    default="svg",
    help="svg (unless given), mermaid or dot; text; json, for programs: of each SCENARIO the boards before and after it",
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
    require_overwritable(file, _FORMAT_PREFIXES[form])
    if script is not None and not ended:
        raise click.UsageError("`--script` does nothing without `--end`")
    is_board = state is not None or is_scenario_path(ruleset)
    if form == "json":
        others = (state, ended, name, around, places, before, at, is_placed, file)
        if not is_scenario_path(ruleset) or any(others):
            raise click.UsageError("`--as json` draws the boards of a SCENARIO, and takes no other option")
        make_output("json").print_json(scenario_scenes_json(ruleset, procedure or ""))
        return ExitCode.SUCCESS
    if is_board:
        _reject_undrawable_board(form, ruleset, procedure, ended=ended)
    elif ended or name or around or form not in _CHART_FORMATS:
        raise click.UsageError("a board is drawn of a SCENARIO, or of a RULESET with `--state FILE`")
    if (places or before) and (is_board or (places and before)):
        raise click.UsageError("`--cover` and `--against` colour a chart, either of them")
    if is_board and (at or is_placed):
        raise click.UsageError("`--at` and `--places` are for charts")
    if is_placed:
        from rulewright.cli.read import chart_places_json  # noqa: PLC0415 - for programs

        make_output("json").print_json(chart_places_json(ruleset, procedure, overlays, at, file))
        return ExitCode.SUCCESS
    if is_board:
        drawn = render_requested_board(
            BoardRequest(ruleset, procedure, state, overlays, name, around, form, script, is_at_end=ended)
        )
    else:
        drawn = _render_chart(_make_marked_chart(ruleset, procedure, at, overlays, places, before), form)
    if file is not None:
        write_file(Path(file), drawn)
    else:
        make_output("plain").print_text(drawn)
    return ExitCode.SUCCESS


def _reject_undrawable_board(form: str, ruleset: str, procedure: str | None, *, ended: bool) -> None:
    message = ""
    if form not in _BOARD_FORMATS:
        message = f"a board is drawn as svg or text, not as {form}"
    elif not is_scenario_path(ruleset) and procedure is not None:
        message = f"the board of a state needs no procedure, so there is no place for `{procedure}`"
    elif not is_scenario_path(ruleset) and ended:
        message = "`--end` plays the script of a SCENARIO, and a state has none"
    if message:
        raise click.UsageError(message)


def _make_marked_chart(  # noqa: PLR0913, PLR0917 - what is drawn, and how it is marked
    ruleset: str,
    procedure: str | None,
    at: str | None,
    overlays: tuple[str, ...],
    places: tuple[str, ...],
    before: str | None,
) -> FlowChart:
    if before is not None:
        from rulewright.cli.marked_charts import mark_chart_changes  # noqa: PLC0415 - seldom wanted

        return mark_chart_changes(before, ruleset, procedure, overlays, at)
    program, _ = load_program(ruleset, overlays)
    chart = make_chart(_choose_charted_procedure(procedure, at, program, ruleset), program)
    if not places:
        return chart
    from rulewright.cli.marked_charts import mark_chart_coverage  # noqa: PLC0415 - seldom wanted

    return mark_chart_coverage(chart, program, ruleset, places)


def _choose_charted_procedure(procedure: str | None, at: str | None, program: Program, ruleset: str) -> Procedure:
    """The named procedure, inner ones included, else that at `FILE:LINE`, else the only one."""
    if procedure is None and at is not None:
        from rulewright.cli.read import require_procedure_at  # noqa: PLC0415 - seldom wanted

        return require_procedure_at(at, program)
    return program.procedures.get(procedure or "") or choose_procedure(procedure, program, None, ruleset)


def _render_chart(chart: FlowChart, form: str) -> str:
    match form:
        case "mermaid":
            return render_mermaid(chart)
        case "dot":
            return render_graphviz(chart)
        case _:
            return render_template("chart.svg", lay_out_chart(chart))
