"""Rulesets say one reading; an overlay that offers others changes nothing until one of them is chosen."""

from dataclasses import replace
from pathlib import Path
from textwrap import wrap

import pytest

from rulewright.base.diagnostics import PLAIN_PAINTER
from rulewright.base.diagnostics.renderings import render_plain_diagnostic
from rulewright.scenarios.case_play import play_case
from rulewright.scenarios.suite import PlacedText, ResultRenderer, ScenarioCase
from support.sample_sizes import sample_cases
from support.shipped_scenarios import RULES, RULESETS, read_shipped_scenarios

READINGS = {
    folder.name: names
    for folder in sorted(RULESETS.iterdir())
    if (names := [each.stem for each in sorted(folder.glob("*_readings.rules"))])
}
OTHERWISE = {"mel_house_rules"}
"""Overlays that amend lines which readings amend too, so that a table has one of them or the other."""

PAGES = 2
AT_TEN_POINTS, AT_EIGHT = (90, 65), (112, 81)
"""Columns and lines of a printed page."""
SMALL = {"necromunda_close_combat.rules"}
"""Printed at eight points: one procedure, whose eight steps no reader wants apart."""


def plays(name: str) -> list[ScenarioCase]:
    """The scenarios of a ruleset that choose no reading and play no part of it alone."""
    return [
        each
        for each in read_shipped_scenarios(name)
        if each.ruleset_place is None
        and not {Path(one.text).stem for one in each.overlays} & {*READINGS[name], *OTHERWISE}
    ]


def under_the_readings(case: ScenarioCase, name: str) -> ScenarioCase:
    place = case.procedure.place
    return replace(case, overlays=(*case.overlays, *(PlacedText(each, place) for each in READINGS[name])))


@pytest.mark.parametrize(
    ("case", "name"),
    [
        pytest.param(case, name, id=f"{name}: {case.name}")
        for name in READINGS
        for case in sample_cases(plays(name), 40)
    ],
)
def test_readings_that_nobody_chose_change_nothing(case: ScenarioCase, name: str) -> None:
    result = play_case(under_the_readings(case, name), RULES)
    said = [
        *ResultRenderer(PLAIN_PAINTER).render_result(result),
        *(render_plain_diagnostic(each, RULES.texts) for each in result.problems),
    ]
    assert result.outcome == "passed", "\n".join(said)


@pytest.mark.parametrize(
    "file",
    [
        pytest.param(each, id=f"{each.parent.name}: {each.name}")
        for each in sorted(RULESETS.glob("*/*.rules"))
        if "\namends " not in f"\n{each.read_text(encoding='utf-8')}"
    ],
)
def test_a_file_of_a_base_is_printed_on_two_pages(file: Path) -> None:
    columns, lines = AT_EIGHT if file.name in SMALL else AT_TEN_POINTS
    text = file.read_text(encoding="utf-8").splitlines()
    assert sum(max(1, len(wrap(each, columns))) for each in text) <= PAGES * lines
