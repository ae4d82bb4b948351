from typing import Any

import jsonschema
import pytest

from rulewright import api
from rulewright.machine.values import Hidden
from rulewright.resources import folder

STATE: dict[str, Any] = {
    "players": ["red", "blue"],
    "units": {
        "hammer": {"owner": "red", "at": [0, 0], "facing": 2, "health": 3, "morale": 2},
        "anvil": {"owner": "blue", "at": [1, 0], "facing": 3, "health": 3, "morale": 1},
    },
    "field": {"shape": {"radius": 3}},
    "game": {"active": "hammer"},
}
ROLES = {"attacker": "hammer", "defender": "anvil"}
ANSWERS: list[Any] = [False, False, {"by_attacker": 2, "by_defender": 1}, True, [2, 0]]


@pytest.fixture(scope="module")
def mel() -> api.Ruleset:
    return api.load("mel")


def test_a_play_from_start_to_end(mel: api.Ruleset) -> None:
    play = api.start(mel, "melee_attack", STATE, ROLES)
    for answer in ANSWERS:
        assert play.request_schema is not None
        jsonschema.validate(answer, play.request_schema)
        play = play.answered(answer)
    assert play.ended
    assert play.request is None
    assert play.result is None
    assert play.state["units"]["anvil"]["at"] == [2, 0]
    assert [answer for _, _, answer in play.answers()] == ANSWERS
    assert play.entries[0].sort == "need"


def test_an_older_play_is_going_back(mel: api.Ruleset) -> None:
    first = api.start(mel, "melee_attack", STATE, ROLES)
    first.answered(answer=True)
    assert first.answered(answer=False).request == first.answered(answer=False).request


def test_a_wrong_answer_says_why(mel: api.Ruleset) -> None:
    play = api.start(mel, "melee_attack", STATE, ROLES)
    with pytest.raises(api.WrongInputError, match=r"RW0730: `perhaps` is not possible: answer `yes` or `no`"):
        play.answered("perhaps")


def test_a_wrong_state_says_why(mel: api.Ruleset) -> None:
    with pytest.raises(api.WrongInputError, match="RW0711"):
        api.start(mel, "melee_attack", {**STATE, "game": {}}, ROLES)


def test_a_refused_start_has_reasons(mel: api.Ruleset) -> None:
    play = api.start(mel, "melee_attack", STATE, {"attacker": "anvil", "defender": "hammer"})
    assert [each.text for each in play.reasons] == ["only the active unit may attack"]
    with pytest.raises(ValueError, match="no question is waiting"):
        play.answered(answer=True)


def test_settings_win_over_those_of_the_state(mel: api.Ruleset) -> None:
    play = api.start(mel, "melee_attack", STATE, ROLES, settings={"wounds_that_count": "test_only"})
    assert play.state["settings"] == {"wounds_that_count": "test_only"}


def test_dice_are_rolled_by_seed() -> None:
    dice = api.load("mel", [str(folder("rulesets") / "mel" / "mel_dice.rules")])
    play = api.start(dice, "melee_attack", STATE, ROLES, seed=3)
    with pytest.raises(ValueError, match="a choice, not a roll"):
        play.rolled()
    play = play.answered(answer=False).answered(answer=False)
    assert play.rolled().state == play.rolled().state
    assert play.request is not None
    assert play.request.sort == "roll"


def test_a_player_sees_no_secret_of_another() -> None:
    dice = api.load("mel", [str(folder("rulesets") / "mel" / "mel_dice.rules")])
    play = api.start(dice, "melee_attack", STATE | {"players": {"red": {"seals": 1}, "blue": {"seals": 1}}}, ROLES)
    for answer in (True, False, True, True):
        play = play.answered(answer=answer)
    before, after = play.seen_by("blue"), play.answered("hold").seen_by("blue")
    assert before.request is not None
    assert (before.request.choices, before.request_schema) == ((), None)
    assert after.request is not None
    assert [each.value for each in after.request.choices] == [0, 1, 2]
    assert [each.result for each in after.entries if each.hidden] == [Hidden()]
    assert [each[2] for each in after.answers()] == [True, False, True, True]
    with pytest.raises(ValueError, match="green"):
        play.seen_by("green")


def test_checking_and_loading_name_what_is_wrong() -> None:
    assert api.check("mel") == ()
    assert [each.code for each in api.check("nowhere.rules")] == ["RW0001"]
    with pytest.raises(api.WrongInputError, match=r"error RW0001: there is no file `nowhere.rules`"):
        api.load("nowhere.rules")
