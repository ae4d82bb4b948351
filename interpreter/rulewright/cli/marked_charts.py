"""Flow charts of `draw` marked by scenario coverage, or by the differences from another revision."""

from rulewright.cli.command_files import files_for
from rulewright.cli.cover import play_for_coverage
from rulewright.cli.diff_result import SideRequest, load_side, resolve_side
from rulewright.cli.output import CommandStop, make_output, make_stop
from rulewright.cli.play_opening import choose_procedure
from rulewright.cli.read import require_procedure_at
from rulewright.diff.comparison import compare_rulesets
from rulewright.diff.edit_report import build_comparison_chart, render_edits
from rulewright.program.declarations import Program
from rulewright.scenarios.coverage_report import classify_units, mark_chart
from rulewright.scenarios.reached_units import CoveragePlayer
from rulewright.wording.flow_chart import FlowChart


def mark_chart_coverage(chart: FlowChart, program: Program, ruleset: str, places: tuple[str, ...]) -> FlowChart:
    """A chart marked by the coverage of scenarios; stops with RW1160 where none plays the ruleset."""
    player = CoveragePlayer(files_for(ruleset, *places))
    played, exclusions, _ = play_for_coverage(places, player, make_output("plain"))
    wrong = tuple(dict.fromkeys(one for covered_case in played for one in covered_case.result.problems))
    if wrong:
        raise CommandStop(wrong, player.loader.texts)
    exclusion_list = [one for exclusion in exclusions.values() for one in exclusion]
    units, coverage = classify_units(program, played, exclusion_list, player.loader.provider.get_identity)
    if not coverage:
        remedy = "name the scenarios of the ruleset that is drawn, or their folder"
        raise make_stop(
            "RW1160", f"no scenario of {', '.join(f'`{place}`' for place in places)} plays `{ruleset}`", remedy
        )
    return mark_chart(chart, units, coverage)


def mark_chart_changes(
    before: str, ruleset: str, procedure: str | None, overlays: tuple[str, ...], at: str | None = None
) -> FlowChart:
    """A chart marked by the differences from the older ruleset `before`; overlays amend the newer one.

    It is that of the named procedure, else of the one at `FILE:LINE` of the newer ruleset, else of its only one.

    Raises:
        CommandStop: one of them cannot be read or has errors, or neither has such a procedure; RW1208, none
            stands at the line.
    """
    old = load_side(resolve_side("OLD", before, ()))
    new = load_side(SideRequest("NEW", ruleset, ruleset, files_for(ruleset, before, *overlays), overlays))
    comparison = compare_rulesets(old.loaded, new.loaded)
    worded_edits = render_edits(comparison, (tuple(old.loaded.texts), tuple(new.loaded.texts)))
    placed_procedure = None if procedure or at is None else require_procedure_at(at, new.program)
    name = procedure or (placed_procedure or choose_procedure(None, new.program, None, ruleset)).name
    chart = build_comparison_chart(name, (old.program, new.program), comparison, worded_edits)
    if chart is None:
        choose_procedure(procedure, new.program, None, ruleset)
    assert chart is not None
    return chart
