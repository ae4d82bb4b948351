from dataclasses import replace

import pytest

from rulewright.drivers.run import replay, run
from rulewright.drivers.session import begin
from rulewright.drivers.sources import Given
from rulewright.inputs.document_schemas import POLICIES
from rulewright.machine.request import Ended, Refused
from rulewright.machine.run import Paused
from support.shapes import STATE, begun, sources

DECIDED = ["window", "pick", "split", "order", "heading", "one", "place_to_go", "choose", "dice", "lots"]


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("procedure", DECIDED)
def test_a_policy_decides_everything(procedure: str, policy: str) -> None:
    of = begun(procedure)
    played = run(of, sources(of, policy=policy))
    assert played.diagnostics == ()
    assert isinstance(played.session.outcome, Ended)


@pytest.mark.parametrize("procedure", DECIDED)
def test_a_run_is_replayed_from_its_answers(procedure: str) -> None:
    of = begun(procedure)
    played = run(of, sources(of, policy="random")).session
    again = replay(of, sources(of), played.save())
    assert again.value is not None
    assert again.value.state == played.state
    assert list(again.value.answers()) == list(played.answers())


def test_a_save_that_numbers_lines_of_one_name_is_replayed() -> None:
    of = begun("dice")
    played = run(of, sources(of, policy="random")).session
    save = played.save()
    older = replace(save, answers=tuple(replace(each, at=f"{each.at}#2") for each in save.answers))
    again = replay(of, sources(of), older)
    assert again.value is not None
    assert list(again.value.answers()) == list(played.answers())


@pytest.mark.parametrize("procedure", DECIDED)
def test_the_answers_of_a_run_are_a_script_for_it(procedure: str) -> None:
    of = begun(procedure)
    played = run(of, sources(of, policy="random")).session
    script = [{"at": at, "answer": answer} | ({"by": by} if by else {}) for at, by, answer in played.answers()]
    again = run(of, sources(of, script))
    assert again.diagnostics == ()
    assert again.session.state == played.state


def test_first_takes_the_first_legal_answer() -> None:
    of = begun("choose")
    assert [answer for _, _, answer in run(of, sources(of, policy="first")).session.answers()] == ["easy"]


def test_policies_do_not_invent_results_of_externals() -> None:
    of = begun("elsewhere")
    played = run(of, sources(of, policy="first"))
    assert [each.code for each in played.diagnostics] == ["RW0746"]
    assert isinstance(played.session.outcome, Paused)


def test_the_script_speaks_before_the_policy() -> None:
    of = begun("choose")
    assert [answer for _, _, answer in run(of, sources(of, ["never"], policy="first")).session.answers()] == ["never"]


def test_a_wrong_answer_names_the_question() -> None:
    of = begun("choose")
    (finding,) = run(of, sources(of, ["hard"], policy="first")).diagnostics
    assert (finding.code, finding.address) == ("RW0731", "choose/way")


def test_what_is_left_over_is_reported_at_the_end_only() -> None:
    of = begun("choose")
    assert [each.code for each in run(of, sources(of, ["never", 1])).diagnostics] == ["RW0743"]
    assert [each.code for each in run(of, sources(of, ["hard", 1])).diagnostics] == ["RW0731"]


def test_a_refused_answer_changes_nothing() -> None:
    of = begun("pick")
    session = begin(of, sources(of))
    assert isinstance(session.answered(Given((1,), "person"), session.sources), Refused)
    assert not isinstance(session.answered(Given((0, 1), "person"), session.sources), Refused)


def test_a_state_of_another_order_is_another_start() -> None:
    units = dict(reversed(STATE["units"].items()))
    of = begun("lots", {**STATE, "units": units})
    assert of.names.thing("Unit", 0) == "tongs"


def test_a_policy_that_finds_nothing_is_not_recommended(monkeypatch: pytest.MonkeyPatch) -> None:
    of = begun("pick")
    monkeypatch.setattr("rulewright.drivers.sources.choose", lambda *_: None)
    (finding,) = run(of, sources(of, policy="first")).diagnostics
    assert finding.code == "RW0746"
    assert "let `--policy" not in finding.help
    assert "--script" in finding.help
