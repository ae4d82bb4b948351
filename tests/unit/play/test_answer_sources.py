from dataclasses import replace

import pytest

from rulewright.play.answer_sources import SourcedAnswer
from rulewright.play.session import begin_session, replay_save, run_to_end
from rulewright.runtime.request import Refused
from support.question_types_example import STATE, begin_play, make_sources

DECIDED = ["window", "pick", "split", "order", "heading", "one", "place_to_go", "choose", "dice", "lots"]


@pytest.mark.parametrize("procedure", DECIDED)
def test_a_run_is_replayed_from_its_answers(procedure: str) -> None:
    of = begin_play(procedure)
    played = run_to_end(of, make_sources(of, policy="random")).session
    again = replay_save(of, make_sources(of), played.make_save())
    assert again.value is not None
    assert again.value.state == played.state
    assert list(again.value.list_answers()) == list(played.list_answers())


def test_a_save_that_numbers_lines_of_one_name_is_replayed() -> None:
    of = begin_play("dice")
    played = run_to_end(of, make_sources(of, policy="random")).session
    save = played.make_save()
    older = replace(save, answers=tuple(replace(each, at=f"{each.at}#2") for each in save.answers))
    again = replay_save(of, make_sources(of), older)
    assert again.value is not None
    assert list(again.value.list_answers()) == list(played.list_answers())


def test_a_save_of_a_version_that_played_otherwise_is_replayed_where_the_game_is_the_same() -> None:
    of = begin_play("dice")
    save = run_to_end(of, make_sources(of, policy="random")).session.make_save()
    assert isinstance(save.state, dict)
    older = replace(save, state=save.state | {"work": 99, "frames": [[17, [0, 0, 4]]], "pending": [12, 0, []]})
    assert replay_save(of, make_sources(of), older).value is not None
    wrong = replay_save(of, make_sources(of), replace(save, state=save.state | {"columns": [[99]]}))
    assert [each.code for each in wrong.diagnostics] == ["RW0755"]


@pytest.mark.parametrize("procedure", DECIDED)
def test_the_answers_of_a_run_are_a_script_for_it(procedure: str) -> None:
    of = begin_play(procedure)
    played = run_to_end(of, make_sources(of, policy="random")).session
    script = [{"at": at, "answer": answer} | ({"by": by} if by else {}) for at, by, answer in played.list_answers()]
    again = run_to_end(of, make_sources(of, script))
    assert again.diagnostics == ()
    assert again.session.state == played.state


def test_a_wrong_answer_names_the_question() -> None:
    of = begin_play("choose")
    (finding,) = run_to_end(of, make_sources(of, ["hard"], policy="first")).diagnostics
    assert (finding.code, finding.address) == ("RW0731", "choose/way")


def test_what_is_left_over_is_reported_at_the_end_only() -> None:
    of = begin_play("choose")
    assert [each.code for each in run_to_end(of, make_sources(of, ["never", 1])).diagnostics] == ["RW0743"]
    assert [each.code for each in run_to_end(of, make_sources(of, ["hard", 1])).diagnostics] == ["RW0731"]


def test_a_refused_answer_changes_nothing() -> None:
    of = begin_play("pick")
    session = begin_session(of, make_sources(of))
    assert isinstance(session.apply_answer(SourcedAnswer((1,), "person"), session.sources), Refused)
    assert not isinstance(session.apply_answer(SourcedAnswer((0, 1), "person"), session.sources), Refused)


def test_a_state_of_another_order_is_another_start() -> None:
    units = dict(reversed(STATE["units"].items()))
    of = begin_play("lots", {**STATE, "units": units})
    assert of.names.thing_id("Unit", 0) == "tongs"


def test_a_policy_that_finds_nothing_is_not_recommended(monkeypatch: pytest.MonkeyPatch) -> None:
    of = begin_play("pick")
    monkeypatch.setattr("rulewright.play.answer_sources.choose_by_policy", lambda *_: None)
    (finding,) = run_to_end(of, make_sources(of, policy="first")).diagnostics
    assert finding.code == "RW0746"
    assert "let `--policy" not in finding.help
    assert "--script" in finding.help
