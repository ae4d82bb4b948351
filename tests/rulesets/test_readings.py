"""Rulesets say one reading; an overlay that offers others changes nothing until one of them is chosen."""

from dataclasses import replace
from pathlib import Path
from textwrap import wrap

import pytest

from rulewright.diagnostics.renderings import plain
from rulewright.diagnostics.terminal import PLAIN
from rulewright.files import DISK
from rulewright.scenarios.loading import cases_of
from rulewright.scenarios.opening import Rules
from rulewright.scenarios.play import play
from rulewright.scenarios.suite import Case, Named
from rulewright.scenarios.telling import Telling
from support.draws import sampled

RULESETS = Path(__file__).parents[2] / "rulesets"
RULES = Rules(DISK)
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


def plays(name: str) -> list[Case]:
    """The scenarios of a ruleset that choose no reading and play no part of it alone."""
    cases = cases_of([str(RULESETS / name)], RULES).value or ()
    return [
        each
        for each in cases
        if each.ruleset_place is None
        and not {Path(one.text).stem for one in each.overlays} & {*READINGS[name], *OTHERWISE}
    ]


def under_the_readings(case: Case, name: str) -> Case:
    place = case.procedure.place
    return replace(case, overlays=(*case.overlays, *(Named(each, place) for each in READINGS[name])))


@pytest.mark.parametrize(
    ("case", "name"),
    [pytest.param(case, name, id=f"{name}: {case.name}") for name in READINGS for case in sampled(plays(name), 40)],
)
def test_readings_that_nobody_chose_change_nothing(case: Case, name: str) -> None:
    result = play(under_the_readings(case, name), RULES)
    said = [*Telling(PLAIN).lines(result), *(plain(each, RULES.texts) for each in result.wrong)]
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
