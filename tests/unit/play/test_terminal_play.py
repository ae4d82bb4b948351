"""Every sort of question at a table: what is shown, and how typed lines become answers."""

import pytest

from rulewright.play.session import Session, begin_session
from rulewright.play.terminal_play import TerminalPlay
from rulewright.play.turn_rendering import show_answer
from rulewright.runtime.request import Ended
from support.question_types_example import TableSession, begin_play, make_sources


def _play(procedure: str, *typed: str, rolls: bool = True) -> tuple[Session, list[str]]:
    of = begin_play(procedure)
    sitting = TableSession(list(typed))
    return TerminalPlay(
        begin_session(of, make_sources(of, has_seeded_dice=rolls)), sitting.make_terminal
    ).play_until_left().session, sitting.said


@pytest.mark.parametrize(
    ("procedure", "typed", "answer"),
    [
        ("pick", "1 2", "{hammer, anvil}"),
        ("pick", "2, 1", "{hammer, anvil}"),
        ("pick", "none", "none"),
        ("pick", "hammer", "{hammer}"),
        ("pick", "hammer, tongs", "{hammer, tongs}"),
        ("split", "1 0 2", "{hammer: 1, tongs: 2}"),
        ("split", "anvil=3", "{anvil: 3}"),
        ("split", "{anvil: 3}", "{anvil: 3}"),
        ("order", "3 1 2", "[tongs, hammer, anvil]"),
        ("order", "anvil, tongs, hammer", "[anvil, tongs, hammer]"),
        ("heading", "0", "0"),
        ("heading", "5", "5"),
        ("one", "1", "hammer"),
        ("one", "tongs", "tongs"),
        ("place_to_go", "1", "(0, -1)"),
        ("place_to_go", "3", "(-1, 0)"),
        ("place_to_go", "(0, -1)", "(0, -1)"),
        ("place_to_go", "[0, -1]", "(0, -1)"),
        ("choose", "2", "The easy way"),
        ("choose", "never", "Not at all"),
    ],
)
def test_answers_are_taken_in_many_spellings(procedure: str, typed: str, answer: str) -> None:
    session, said = _play(procedure, typed)
    assert isinstance(session.outcome, Ended), said
    turn = session.turns[0]
    assert show_answer(turn.request, turn.answer.value, session.start.names) == answer


@pytest.mark.parametrize(
    ("procedure", "typed", "said"),
    [
        ("pick", "4", "  4 is not possible: answer 1, 2 or 3"),
        ("pick", "1 1", "  one of them is given twice"),
        ("pick", "1 2 3", "  please give 0 to 2 of them"),
        ("split", "1 1", "  please give 3 numbers, one for each"),
        ("split", "1 1 2", "  the shares add up to 4: they must add up to 3"),
        ("order", "1 2", "  please give each number once, 1 to 3"),
        ("one", "1 3", "  please give one number"),
        ("choose", "1", "  The hard way is not possible: hammer's health is 3, not more than 8"),
        ("choose", "hard", "  The hard way is not possible: hammer's health is 3, not more than 8"),
        ("one", "", "  please answer, or type `help`"),
    ],
)
def test_what_does_not_fit_is_said_in_a_sentence(procedure: str, typed: str, said: str) -> None:
    session, printed = _play(procedure, typed)
    assert said in printed
    assert not session.turns


def test_the_rules_refuse_with_their_reason() -> None:
    _, said = _play("pick", "2")
    assert any("must hold itself" in line for line in said)


def test_the_number_of_possible_answers_is_told() -> None:
    _, said = _play("pick")
    assert said[4:6] == ["  numbers of 0 to 2 of them, or `none`", "  4 possible answers"]
    _, said = _play("order")
    assert said[5:6] == ["  6 possible answers"]


def test_a_claim_that_there_is_no_answer_is_judged() -> None:
    session, said = _play("arranged", "no answer")
    assert not session.turns
    assert said[6:8] == ["  this answer is not possible: there is a legal answer", "  one is `[anvil, tongs, hammer]`"]


def test_handlers_are_ordered_and_optional_ones_asked_with_their_holder() -> None:
    session, said = _play("window", "2 3 1", "y", "n")
    assert isinstance(session.outcome, Ended)
    assert "red: In which order?" in said
    assert [line for line in said if line.startswith("red: Cheer?")] == ["red: Cheer? (tongs)", "red: Cheer? (hammer)"]


def test_externals_are_asked_with_their_arguments() -> None:
    session, said = _play("elsewhere", "3", "2")
    assert isinstance(session.outcome, Ended)
    assert "  test (u hammer); answer `result: …`" in said
    assert "  hammer loses 2 health: 3 → 1" in said


def test_an_external_may_change_what_it_says() -> None:
    session, said = _play("elsewhere", "3", "result: 0, changes: {units: {anvil: {mood: angry}}}")
    assert isinstance(session.outcome, Ended)
    assert session.state is not None
    assert session.state.get_attribute("Unit/mood", 1) == 1, said


@pytest.mark.parametrize("typed", ["done", "{}"])
def test_an_external_may_change_nothing(typed: str) -> None:
    session, said = _play("foretold", typed)
    assert isinstance(session.outcome, Ended)
    assert "  omen (u hammer); answer `done`" in said


def test_a_draw_can_be_made_by_hand() -> None:
    of = begin_play("lots")
    sitting = TableSession(["2"])
    left = TerminalPlay(
        begin_session(of, make_sources(of, has_seeded_dice=False)), sitting.make_terminal
    ).play_until_left()
    assert isinstance(left.session.outcome, Ended)
    assert show_answer(left.session.turns[0].request, left.session.turns[0].answer.value, of.names) == "anvil"


def test_a_hint_shows_a_possible_answer() -> None:
    session, said = _play("arranged", "hint", "2 3 1")
    assert isinstance(session.outcome, Ended)
    assert "  [anvil, tongs, hammer]" in said
    assert "  roll 2d6 and type the faces" in _play("dice", "hint", rolls=False)[1][-3:]
