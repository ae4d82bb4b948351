"""Plays the scenarios beside every shipped ruleset, has the judge follow some, and asks them for every clause."""

from typing import Any

import pytest

from rulewright.base.diagnostics import PLAIN_PAINTER
from rulewright.base.diagnostics.renderings import render_plain_diagnostic
from rulewright.documents.ruleset_loading import load_ruleset
from rulewright.documents.ruleset_location import locate_ruleset
from rulewright.play.run_report import RunReport
from rulewright.play.session import Session
from rulewright.runtime.request import Ended
from rulewright.scenarios.case_play import play_case
from rulewright.scenarios.suite import ResultRenderer, ScenarioCase
from support.published_schemas import RunValidator
from support.sample_sizes import choose_count, sample_cases
from support.scripted_judge import play_script_with_judge
from support.shipped_scenarios import RULES, RULESETS, read_shipped_scenarios

SHIPPED = sorted(each.name for each in RULESETS.iterdir() if each.is_dir())
SHAPES = RunValidator()
SCENARIOS = {name: read_shipped_scenarios(name) for name in SHIPPED}
COSTLY = choose_count(1, 0) * ("storm defeats the one guard that it touches", "the only contact is out of cohesion")
"""Beginnings of names of scenarios in which the judge, which tries one place after another, looks for room for seconds."""
JUDGED = {case for cases in SCENARIOS.values() for case in sample_cases(cases, 18) if not case.name.startswith(COSTLY)}
EVERY = [pytest.param(case, id=f"{name}: {case.name}") for name, cases in SCENARIOS.items() for case in cases]


@pytest.mark.parametrize("case", EVERY)
def test_scenario(case: ScenarioCase) -> None:
    played: list[Session] = []
    result = play_case(case, RULES, played.append)
    said = [
        *ResultRenderer(PLAIN_PAINTER).render_result(result),
        *(render_plain_diagnostic(each, RULES.texts) for each in result.problems),
    ]
    assert result.outcome == "passed", "\n".join(said)
    for session in played if case in JUDGED else ():
        check_judged(session)
        document = RunReport(session, (), RULES.texts).run_report_json()
        assert SHAPES.list_errors(document) == []
        check_led(document)


def check_judged(session: Session) -> None:
    """The judge, given the same answers, comes to the same end."""
    if isinstance(session.outcome, Ended):
        begun, answers = session.start, [answer for _, _, answer in session.list_answers()]
        play_script_with_judge(begun.executable, begun.situation, begun.procedure.name, begun.arguments, answers)


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
    linked = load_ruleset(locate_ruleset(name)).linked
    assert linked is not None
    shown = {clause.text for case in SCENARIOS[name] if not case.skip for clause in case.covers}
    seen = {entry.id for entries in linked.clause_lists.values() for entry in entries if entry.observable}
    assert sorted(seen - shown) == []
