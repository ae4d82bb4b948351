import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from rulewright import api
from rulewright.base.files import get_resource_folder
from rulewright.cli.main import run_command_line
from rulewright.runtime.values import HiddenValue

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
    dice = api.load("mel", [str(get_resource_folder("rulesets") / "mel" / "mel_dice.rules")])
    play = api.start(dice, "melee_attack", STATE, ROLES, seed=3)
    with pytest.raises(ValueError, match="a choice, not a roll"):
        play.rolled()
    play = play.answered(answer=False).answered(answer=False)
    assert play.rolled().state == play.rolled().state
    assert play.request is not None
    assert play.request.sort == "roll"


def test_a_player_sees_no_secret_of_another() -> None:
    dice = api.load("mel", [str(get_resource_folder("rulesets") / "mel" / "mel_dice.rules")])
    play = api.start(dice, "melee_attack", STATE | {"players": {"red": {"seals": 1}, "blue": {"seals": 1}}}, ROLES)
    for answer in (True, False, True, True):
        play = play.answered(answer=answer)
    before, after = play.seen_by("blue"), play.answered("hold").seen_by("blue")
    assert before.request is not None
    assert (before.request.choices, before.request_schema) == ((), None)
    assert after.request is not None
    assert [each.value for each in after.request.choices] == [0, 1, 2]
    assert [each.result for each in after.entries if each.hidden] == [HiddenValue()]
    assert [each[2] for each in after.answers()] == [True, False, True, True]
    with pytest.raises(api.WrongInputError, match="RW0714: there is no player `green`\n  help: you can write `red` or"):
        play.seen_by("green")


def test_checking_and_loading_name_what_is_wrong() -> None:
    assert api.check("mel") == ()
    assert [each.code for each in api.check("nowhere.rules")] == ["RW0001"]
    with pytest.raises(api.WrongInputError, match=r"error RW0001: there is no file `nowhere.rules`"):
        api.load("nowhere.rules")


ENDLESS: dict[str, Any] = {"players": ["red", "blue"]}
ENDLESS["units"] = ENDLESS


@pytest.mark.parametrize(
    ("state", "told"),
    [
        ([], "RW0713: `state` is a list; it must be a mapping"),
        (None, "RW0713: `state` is `None`; it must be a mapping"),
        (
            "open.yaml",
            """\
RW0713: `state` is the text `open.yaml`; it must be a mapping
  help: read the file first, and give the data in it""",
        ),
        (
            {"units": {"hammer": {"owner": {"red"}}}},
            """\
RW0713: `state` holds a set, which JSON data cannot hold
  at: /units/hammer/owner
  help: JSON data hold mappings, lists, texts, numbers, `True`, `False` and `None`""",
        ),
        ({"game": 10**400}, "RW0702: a number in `state` has more than 100 digits\n  at: /game"),
        ({"game": 10**5000}, "RW0702: a number in `state` has more than 100 digits\n  at: /game"),
        (
            {"game": float("nan")},
            "RW0713: `state` holds `nan`, which is not a number to count with\n  at: /game",
        ),
        (ENDLESS, "RW0713: `state` holds itself\n  at: /units\n  help: give each value its own copy"),
    ],
)
def test_a_state_that_is_no_data_is_told_in_plain_words(mel: api.Ruleset, state: Any, told: str) -> None:
    with pytest.raises(api.WrongInputError) as wrong:
        api.start(mel, "melee_attack", state, ROLES)
    assert str(wrong.value) == f"error {told}"


def test_what_is_missing_is_told_as_a_program_gives_it(mel: api.Ruleset) -> None:
    with pytest.raises(api.WrongInputError) as wrong:
        api.start(mel, "melee_attack", STATE, {"defender": "anvil"})
    assert str(wrong.value) == (
        "error RW0724: `melee_attack` needs `attacker`\n  --> roles\n"
        '  help: add `"attacker": …` to `roles` (Unit: `hammer` or `anvil`)'
    )
    with pytest.raises(api.WrongInputError, match=r"--> state\n"):
        api.start(mel, "melee_attack", {**STATE, "game": {}}, ROLES)


@pytest.mark.parametrize("given", [{"roles": "hammer"}, {"settings": [1]}, {"seed": "x"}, {"roles": {"attacker": {1}}}])
def test_what_else_a_play_begins_with_is_judged(mel: api.Ruleset, given: Any) -> None:
    with pytest.raises(api.WrongInputError, match="RW0713"):
        api.start(mel, "melee_attack", STATE, **{"roles": ROLES, **given})


def test_an_answer_that_is_no_data_is_told_in_plain_words(mel: api.Ruleset) -> None:
    play = api.start(mel, "melee_attack", STATE, ROLES)
    for answer in ({1}, 10**400, float("inf"), ENDLESS):
        with pytest.raises(api.WrongInputError, match=r"`answer`"):
            play.answered(answer)
    wrong: Any = None
    with pytest.raises(api.WrongInputError, match="`fell` takes one of the `chances` of this play"):
        play.fell(wrong)


def test_a_play_says_where_it_stands(mel: api.Ruleset) -> None:
    play = api.start(mel, "melee_attack", STATE, ROLES)
    assert repr(play).startswith("<Play of `melee_attack`: `melee_attack/")
    assert repr(play).endswith(" waits for an answer (`whether`)>")
    for answer in ANSWERS:
        play = play.answered(answer)
    assert repr(play) == "<Play of `melee_attack`: ended>"
    refused = api.start(mel, "melee_attack", STATE, {"attacker": "anvil", "defender": "hammer"})
    assert repr(refused) == "<Play of `melee_attack`: could not begin>"


def test_what_is_wrong_alike_in_many_places_is_told_once(tmp_path: Path) -> None:
    rules = 'ruleset six "Six" revision "1"\nprocedure go() "Go":\n  roll 6d6 as dice\n  finish with total(dice)\n'
    (tmp_path / "six.rules").write_text(rules.replace('go() "Go"', 'go() gives 0..36 "Go"'), encoding="utf-8")
    play = api.start(api.load(str(tmp_path / "six.rules")), "go", {"players": ["red"]})
    with pytest.raises(api.WrongInputError) as wrong:
        play.answered([7] * 6)
    told = str(wrong.value)
    assert len(wrong.value.diagnostics) == told.count("error RW") == len(set(told.split("error RW"))) - 1


PAGE = get_resource_folder("grammar") / "programs.md"


def _examples() -> list[str]:
    return re.findall("```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


def test_the_play_of_the_page_is_played(capsys: pytest.CaptureFixture[str]) -> None:
    play, _ = _examples()
    exec(play, {})  # noqa: S102 - what is documented is run
    assert "kamchatka" in capsys.readouterr().out


@pytest.mark.parametrize(("verb", "schema"), [("test", "test"), ("odds", "diagnostics"), ("test", "diagnostics")])
def test_what_commands_print_is_judged_as_the_page_says(
    verb: str, schema: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, judging = _examples()
    named = "pig" if schema == "test" else "nowhere.rules"
    assert run_command_line([verb, named, "--format", "json"]) == (2 if schema == "diagnostics" else 0)
    monkeypatch.chdir(PAGE.parent)
    exec(judging.replace("rulewright:test:1", f"rulewright:{schema}:1"), {"printed": capsys.readouterr().out})  # noqa: S102
