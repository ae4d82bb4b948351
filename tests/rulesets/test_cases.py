"""Plays the scenarios beside every shipped ruleset, has the judge follow some, and asks them for every clause."""

from pathlib import Path
from typing import Any

import pytest

from rulewright.diagnostics.renderings import plain
from rulewright.diagnostics.terminal import PLAIN
from rulewright.drivers.report import Report
from rulewright.drivers.session import Session
from rulewright.files import DISK
from rulewright.machine.request import Ended
from rulewright.scenarios.loading import cases_of
from rulewright.scenarios.opening import Rules
from rulewright.scenarios.play import play
from rulewright.scenarios.suite import Case
from rulewright.scenarios.telling import Telling
from rulewright.workspace import load, locate
from support.draws import sampled
from support.following import follow
from support.published import Shapes

RULESETS = Path(__file__).parents[2] / "rulesets"
SHIPPED = sorted(each.name for each in RULESETS.iterdir() if each.is_dir())
RULES = Rules(DISK)


def scenarios(name: str) -> tuple[Case, ...]:
    """The scenarios beside a ruleset; none where there is no file of them."""
    found = cases_of([str(RULESETS / name)], RULES)
    assert found.diagnostics == (), "\n".join(plain(each, RULES.texts) for each in found.diagnostics)
    return found.value or ()


SHAPES = Shapes()
SCENARIOS = {name: scenarios(name) for name in SHIPPED}


JUDGED = {case for cases in SCENARIOS.values() for case in sampled(cases, 6)}
EVERY = [pytest.param(case, id=f"{name}: {case.name}") for name, cases in SCENARIOS.items() for case in cases]


@pytest.mark.parametrize("case", EVERY)
def test_scenario(case: Case) -> None:
    played: list[Session] = []
    result = play(case, RULES, played.append)
    said = [*Telling(PLAIN).lines(result), *(plain(each, RULES.texts) for each in result.wrong)]
    assert result.outcome == "passed", "\n".join(said)
    for session in played if case in JUDGED else ():
        check_judged(session)
        document = Report(session, (), RULES.texts).document()
        assert SHAPES.wrong(document) == []
        check_led(document)


def check_judged(session: Session) -> None:
    """The judge, given the same answers, comes to the same end."""
    if isinstance(session.outcome, Ended):
        begun, answers = session.begun, [answer for _, _, answer in session.answers()]
        follow(begun.executable, begun.situation, begun.procedure.name, begun.arguments, answers)


def check_led(document: dict[str, Any]) -> None:
    """A jump leads to the step that is told next, and a step that is skipped says why."""
    assert all(each["because"] for each in document["path"] if each["outcome"] == "skipped")
    events = document["events"]
    for number, each in enumerate(events):
        if each["to"]:
            steps = (one["address"] for one in events[number + 1 :] if one["sort"] in {"step", "skipped step"})
            assert next(steps, each["to"]) == each["to"]


@pytest.mark.parametrize("name", SHIPPED)
def test_every_clause_with_an_observable_is_shown_by_a_scenario(name: str) -> None:
    linked = load(locate(name)).linked
    assert linked is not None
    shown = {clause.text for case in SCENARIOS[name] if not case.skip for clause in case.covers}
    seen = {entry.id for entries in linked.clauses.values() for entry in entries if entry.observable}
    assert sorted(seen - shown) == []
