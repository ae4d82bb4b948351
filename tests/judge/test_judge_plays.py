"""The judge itself, on plays whose outcome can be seen by reading."""

from collections import deque
from pathlib import Path
from typing import Any

from rulewright.base.source import Text
from rulewright.documents.ruleset_loading import load_ruleset
from rulewright.documents.ruleset_location import locate_ruleset
from rulewright.documents.state_file import read_state
from support.reference.judge_requests import JudgeRequest
from support.reference.play import JudgedPlay, play_with_judge
from support.reference.ruleset_texts import load_program, read_situation

MEL = Path(__file__).parents[2] / "rulesets" / "mel"

DUEL = """\
ruleset duel "A duel" revision "1"
kind Knight, knights:
  owner: player
  health: 0..9
procedure strike(striker: Knight, target: Knight) "A strike":
  step 1 "Roll to hit":
    roll d6 as blow by striker.owner
    if blow.natural >= 4:
      take up to 2 from target.health
  step 2 "Falls" when target.health = 0:
    remove target
"""
KNIGHTS = """\
players: [red, blue]
knights:
  gawain: {owner: red, health: 5}
  mordred: {owner: blue, health: 2}
"""


def _script_answers(*answers: Any) -> Any:
    waiting = deque(answers)
    return lambda _: waiting.popleft()


def _play_duel(face: int) -> JudgedPlay:
    duel = load_program(DUEL)
    return play_with_judge(duel, read_situation(KNIGHTS, duel), "strike", (0, 1), _script_answers((face,)))


def test_a_blow_that_hits_fells_the_target() -> None:
    played = _play_duel(4)
    assert played.how == "ended"
    assert played.game.attributes["Knight/health"] == {0: 5, 1: 0}
    assert played.game.gone["Knight"] == {1}
    assert played.path == (("step", "strike/1"), ("step", "strike/2"))


def test_a_blow_that_misses_passes_the_second_step_over() -> None:
    played = _play_duel(3)
    assert played.game.attributes["Knight/health"] == {0: 5, 1: 2}
    assert played.path == (("step", "strike/1"), ("passed over", "strike/2"))


def test_mel_with_a_push() -> None:
    mel = load_ruleset(locate_ruleset(str(MEL))).program
    assert mel is not None
    state = Text("duel.yaml", (MEL / "examples" / "duel.yaml").read_text(encoding="utf-8"))
    start = read_state(state, mel).value
    assert start is not None
    seen: list[JudgeRequest] = []

    def answer(asked: JudgeRequest) -> Any:
        seen.append(asked)
        given = {
            "melee_attack/MEL.20/attacker_forms": False,
            "melee_attack/MEL.20/defender_forms": False,
            "melee_attack/MEL.30/test": ((2, 1), ()),
            "melee_attack/MEL.60/push": True,
            "melee_attack/MEL.60/dest": (2, 0),
        }
        return given[asked.address]

    played = play_with_judge(mel, start, "melee_attack", (0, 1), answer)
    assert played.how == "ended"
    assert [each.sort for each in seen] == ["whether", "whether", "external", "whether", "one"]
    assert played.game.attributes["Unit/at"] == {0: (1, 0), 1: (2, 0)}
    assert played.game.attributes["Unit/health"] == {0: 2, 1: 1}
    assert played.game.attributes["Unit/morale"] == {0: 2, 1: 0}
