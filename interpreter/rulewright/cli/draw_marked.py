"""Charts coloured for the verb `draw`: by what scenarios exercise, and by what another revision has otherwise."""

from rulewright.charts.chart import Chart
from rulewright.cli.cover import played_of
from rulewright.cli.diff_found import Asked, asked_for, read_side
from rulewright.cli.named_files import files_for
from rulewright.cli.opening import chosen_procedure
from rulewright.cli.output import Stop, output, stopped
from rulewright.cli.placed import procedure_at
from rulewright.comparing.comparison import compare
from rulewright.comparing.edit_report import told
from rulewright.comparing.report.charting import compared_chart
from rulewright.coverage.charting import covered, known_units
from rulewright.coverage.reach import Player
from rulewright.program.declarations import Program


def chart_covered(made: Chart, program: Program, ruleset: str, places: tuple[str, ...]) -> Chart:
    """A chart marked by what the scenarios of some places exercise; stops with RW1160 where none plays the ruleset."""
    player = Player(files_for(ruleset, *places))
    played, exclusions, _ = played_of(places, player, output("plain"))
    wrong = tuple(dict.fromkeys(one for each in played for one in each.result.wrong))
    if wrong:
        raise Stop(wrong, player.rules.texts)
    left = [one for each in exclusions.values() for one in each]
    units, mine = known_units(program, played, left, player.rules.provider.identity)
    if not mine:
        remedy = "name the scenarios of the ruleset that is drawn, or their folder"
        raise stopped("RW1160", f"no scenario of {', '.join(f'`{each}`' for each in places)} plays `{ruleset}`", remedy)
    return covered(made, units, mine)


def chart_against(
    before: str, ruleset: str, procedure: str | None, overlays: tuple[str, ...], at: str | None = None
) -> Chart:
    """A chart marked by what an older ruleset has otherwise; overlays amend the newer one.

    It is that of a procedure that is named or stands at `FILE:LINE` of the newer one, else of its only one.

    Raises:
        Stop: one of them cannot be read or has errors, or neither has such a procedure; RW1208, none
            stands at the line.
    """
    old = read_side(asked_for("OLD", before, ()))
    new = read_side(Asked("NEW", ruleset, ruleset, files_for(ruleset, before, *overlays), overlays))
    comparison = compare(old.loaded, new.loaded)
    said = told(comparison, (tuple(old.loaded.texts), tuple(new.loaded.texts)))
    standing = None if procedure or at is None else procedure_at(at, new.program)
    name = procedure or (standing or chosen_procedure(None, new.program, None, ruleset)).name
    made = compared_chart(name, (old.program, new.program), comparison, said)
    if made is None:
        chosen_procedure(procedure, new.program, None, ruleset)
    assert made is not None
    return made
