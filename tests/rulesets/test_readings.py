"""Rulesets say one reading; an overlay that offers others changes nothing until one of them is chosen."""

from dataclasses import replace
from pathlib import Path

import pytest

from rulewright.diagnostics.as_text import plain
from rulewright.diagnostics.paint import PLAIN
from rulewright.files import DISK
from rulewright.scenarios.beginning import Rules
from rulewright.scenarios.fields import Named
from rulewright.scenarios.loading import cases_of
from rulewright.scenarios.playing import play
from rulewright.scenarios.suite import Case
from rulewright.scenarios.telling import Telling

RULESETS = Path(__file__).parents[2] / "rulesets"
RULES = Rules(DISK)
READINGS = {
    folder.name: names
    for folder in sorted(RULESETS.iterdir())
    if (names := [each.stem for each in sorted(folder.glob("*_readings.rules"))])
}
OTHERWISE = {"mel_house_rules"}
"""Overlays that amend lines which readings amend too, so that a table has one of them or the other."""


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
    [pytest.param(case, name, id=f"{name}: {case.name}") for name in READINGS for case in plays(name)],
)
def test_readings_that_nobody_chose_change_nothing(case: Case, name: str) -> None:
    result = play(under_the_readings(case, name), RULES)
    said = [*Telling(PLAIN).lines(result), *(plain(each, RULES.texts) for each in result.wrong)]
    assert result.outcome == "passed", "\n".join(said)
