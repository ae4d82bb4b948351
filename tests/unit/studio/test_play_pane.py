"""The pane `play`: plays in processes of their own, kept for pages that are loaded again and for other seats."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.duel_example import RULES, SCENARIO_HEAD, STATE

pytest.importorskip("starlette")
pytest.importorskip("httpx2")

from starlette.testclient import TestClient

from rulewright.studio.command_lines import CommandResult
from rulewright.studio.server import make_application
from rulewright.studio.work_folder import WorkFolder
from rulewright.studio.workbench import Workbench
from support.workbench_client import open_browser

SCENARIO = (
    SCENARIO_HEAD
    + """\
  falls:
    script: [[5], false]
    expect: {removed: [mordred]}
"""
)
BEGINS = {"path": "duel.scenario.yaml", "name": "falls", "dice": "ask"}
Said = dict[str, Any]


def make_folder(top: Path) -> Path:
    """A folder with the duel, a start and scenarios."""
    folder = top / "folder"
    folder.mkdir()
    for name, text in {"duel.rules": RULES, "state.yaml": STATE, "duel.scenario.yaml": SCENARIO}.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    folder = make_folder(tmp_path_factory.mktemp("play"))
    for name in ("<b>", "unseen\u200b"):
        (folder / f"{name}.scenario.yaml").write_text(SCENARIO, encoding="utf-8")
    (folder.parent / "outside.rules").write_text(RULES, encoding="utf-8")
    with open_browser(folder, tmp_path_factory.mktemp("kept")) as opened:
        yield opened


def _post(client: TestClient, what: str, asked: Said, status: int = 200) -> Any:
    answered = client.post(f"/api/play/{what}", json=asked)
    assert answered.status_code == status, answered.text
    return answered.json()


def test_a_play_from_its_beginning_to_a_scenario(client: TestClient) -> None:
    """A page that is loaded again finds it; another tab is told that it went on; edited rules play it again."""
    begun = _post(client, "begin", BEGINS)
    play = {"id": begun["id"]}
    assert begun["moment"]["asks"]["takes"] == "dice"
    (kept,) = client.get("/api/play").json()["plays"]
    assert (kept["id"], kept["answers"], kept["begins"] | BEGINS) == (begun["id"], 0, kept["begins"])

    rolled = _post(client, "ask", {**play, "do": "answer", "typed": "5"})
    assert rolled["version"] == 1
    assert _post(client, "wait", {**play, "version": 0}) == {"version": 1, "gone": False}
    assert _post(client, "ask", {**play, "do": "see"})["moment"] == rolled["moment"]

    wrong = _post(client, "ask", {**play, "do": "answer", "typed": "7"}, 400)
    assert wrong == {"problem": "7 is not possible: answer 1 or 2"}
    empty = _post(client, "ask", {**play, "do": "answer", "typed": " "}, 400)
    assert empty == {"problem": "nothing is chosen or typed yet"}
    outside = _post(client, "ask", {**play, "do": "save", "file": "../mine.save.json"}, 400)
    assert "problem" in outside

    ended = _post(client, "ask", {**play, "do": "answer", "typed": "2"})
    assert ended["moment"]["over"][0] == [["strong", "strike ended"]]
    (kept,) = client.get("/api/play").json()["plays"]
    again = _post(client, "again", play)
    assert again["moment"]["story"] == ended["moment"]["story"]
    assert client.get("/api/play").json()["plays"] == [kept], "it is dated by its last answer, not by who looked at it"

    said = _post(client, "ask", {**play, "do": "record", "file": "mine.scenario.yaml"})
    assert said["file"] == "mine.scenario.yaml"
    played = client.post("/api/scenarios/run", json={"files": ["mine.scenario.yaml"]}).json()
    assert [(each["name"], each["outcome"]) for each in played["results"]] == [("mine", "passed")]

    _post(client, "end", play)
    assert _post(client, "ask", {**play, "do": "see"}, 404)["problem"].startswith("this play was ended")


def test_plays_that_are_over_are_listed_as_such(tmp_path: Path) -> None:
    """Also after the workbench was opened again; a play that goes on by taking back, or beside it, is not over."""
    folder = make_folder(tmp_path)

    def over(client: TestClient) -> list[bool]:
        return [each["over"] for each in client.get("/api/play").json()["plays"]]

    with open_browser(folder, tmp_path / "kept") as client:
        play = {"id": _post(client, "begin", {**BEGINS, "scripted": False})["id"]}
        seen = [over(client)]
        for each in (
            {"do": "answer", "typed": "5"},
            {"do": "answer", "typed": "2"},
            {"do": "undo"},
            {"do": "answer", "typed": "2"},
            {"do": "fork", "turn": 1},
            {"do": "close", "line": 1},
        ):
            _post(client, "ask", {**play, **each})
            seen.append(over(client))
        assert [each for (each,) in seen] == [False, False, True, False, True, False, True]
    with open_browser(folder, tmp_path / "kept") as client:
        assert over(client) == [True]
        played = {"id": _post(client, "begin", {"path": "duel.scenario.yaml", "name": "falls", "scripted": True})["id"]}
        assert over(client) == [True, True]
        _post(client, "end", played)
        assert over(client) == [True]


def test_what_can_be_played(client: TestClient) -> None:
    found = _post(client, "choices", {"path": "duel.rules", "state": "state.yaml"})
    (strike,) = found["procedures"]
    assert [(each["name"], each["fits"]) for each in strike["roles"]] == [
        ("striker", ["gawain", "mordred"]),
        ("target", ["gawain", "mordred"]),
    ]
    listed = [(each["file"], each["cases"]) for each in found["scenarios"]]
    assert ("duel.scenario.yaml", ["falls"]) in listed
    assert next(each["procedures"] for each in found["scenarios"]) == {"falls": "strike"}
    assert not {"<b>.scenario.yaml", "unseen\u200b.scenario.yaml"} & {each for each, _ in listed}


@pytest.mark.parametrize(
    "asked",
    [
        {"path": "../outside.rules"},
        {"path": "/etc/passwd"},
        {"load": "../../x.json"},
        {"path": "duel.rules", "overlays": ["../outside.rules"]},
        {"path": "duel.rules", "overlays": "x"},
        {"path": "duel.rules", "roles": ["x"]},
        {"path": "duel.rules", "seed": -1},
        {"path": "duel.rules", "seed": True},
        {"path": "duel.rules", "state": 3},
        {},
    ],
)
def test_nothing_outside_is_played_and_nothing_that_is_no_choice(client: TestClient, asked: Said) -> None:
    found = _post(client, "begin", asked, 400)
    assert "problem" in found
    assert "Traceback" not in str(found)


def test_what_looks_like_an_option_is_a_name(client: TestClient) -> None:
    found = _post(client, "begin", {"path": "duel.rules", "name": "--help", "state": "state.yaml"}, 400)
    assert found["problem"].startswith("`duel` has no procedure `--help`")


def test_failed_scenarios_tell_where_they_differ_and_are_accepted_after_they_were_shown(client: TestClient) -> None:
    wrong = SCENARIO.replace("removed: [mordred]", "changes: {knights: {gawain: {health: 4}}}")
    made = client.post(
        "/api/file/save", json={"path": "wrong.scenario.yaml", "text": wrong, "version": None, "tab": "t"}
    )
    assert made.status_code == 200
    files = {"files": ["wrong.scenario.yaml"]}
    (failed,) = client.post("/api/scenarios/run", json=files).json()["results"]
    assert failed["outcome"] == "failed"
    assert failed["differs"]["file"] == "duel.rules"
    shown = client.post("/api/scenarios/accept", json={**files, "name": "falls"}).json()
    assert (shown["accept"]["written"], shown["results"][0]["outcome"]) == (False, "failed")
    assert any(line.lstrip().split(" ")[1:2] == ["-"] for line in shown["accept"]["difference"])
    every = client.post("/api/scenarios/accept", json=files).json()
    assert every["accept"] == shown["accept"]
    written = client.post("/api/scenarios/accept", json={**files, "name": "falls", "write": True}).json()
    assert (written["accept"]["written"], written["results"][0]["outcome"]) == (True, "passed")


@pytest.mark.parametrize("files", [[], "x", ["../x.scenario.yaml"], ["x"] * 300, [""], [3]])
def test_scenarios_are_files_of_the_folder(client: TestClient, files: Any) -> None:
    answered = client.post("/api/scenarios/run", json={"files": files})
    assert answered.status_code == 400
    assert "problem" in answered.json()


class Player:
    """A process that plays, in place of a real one: it replies with how often it was answered, and may fall silent."""

    def __init__(self, silent_at: int) -> None:
        self.answers = 0
        self.silent_at = silent_at
        self.result: CommandResult | None = None

    async def exchange_line(self, line: str, seconds: float) -> str | None:
        del seconds
        self.answers += json.loads(line)["do"] == "answer"
        if self.answers == self.silent_at:
            return None
        moment = {"ruleset": "duel.rules", "story": [], "asks": None, "found": [], "answers": self.answers}
        return json.dumps({"moment": moment})

    def end(self) -> None:
        self.result = CommandResult(1, "", "")


class Players:
    """A standby whose first player falls silent at the second answer, and whose others do not."""

    def __init__(self) -> None:
        self.start: list[Player] = []

    def start_ahead(self) -> None:
        pass

    async def close(self) -> None:
        pass

    async def start_dialog(self, verb: str, arguments: list[str]) -> Player:
        assert verb == "play"
        assert any(each.startswith("--seed=") for each in arguments)
        self.start.append(Player(-1 if self.start else 2))
        return self.start[-1]


def test_a_play_that_gives_no_answer_is_ended_and_played_again_up_to_there(tmp_path: Path) -> None:
    players: Any = Players()
    folder = WorkFolder(tmp_path)
    app = make_application(Workbench.for_folder(folder, players, tmp_path / "kept"))
    with TestClient(app) as client:
        play = {"id": _post(client, "begin", {"path": "duel.scenario.yaml"})["id"]}
        one = {**play, "do": "answer", "typed": "1"}
        assert _post(client, "ask", one)["moment"]["answers"] == 1
        silent = _post(client, "ask", one, 409)
        assert silent["problem"] == "the play gave no answer, so it is back where it was before"
        assert silent["moment"]["answers"] == 1
        assert players.start[0].result is not None
        assert _post(client, "ask", one)["moment"]["answers"] == 2


def test_only_so_many_plays_are_kept_and_few_of_them_live(tmp_path: Path) -> None:
    players: Any = Players()
    folder = WorkFolder(tmp_path)
    with TestClient(make_application(Workbench.for_folder(folder, players, tmp_path / "kept"))) as client:
        begun = [_post(client, "begin", {"path": "duel.scenario.yaml"})["id"] for _ in range(30)]
        assert _post(client, "begin", {"path": "duel.scenario.yaml"}, 409) == {
            "problem": "30 plays are kept; end one of them first"
        }
        assert sum(each.result is None for each in players.start) == 6
        assert _post(client, "ask", {"id": begun[0], "do": "see"})["moment"]["answers"] == 0
        assert sum(each.result is None for each in players.start) == 6
        assert client.get("/api/play").json()["plays"][0]["id"] == begun[0]


def test_a_play_outlives_the_workbench_with_dice_that_were_thrown_for_people(tmp_path: Path) -> None:
    """Rules that were edited meanwhile may end it sooner; what was answered after that is kept, and comes again."""
    folder = make_folder(tmp_path)
    with open_browser(folder, tmp_path / "kept") as client:
        play = {"id": _post(client, "begin", BEGINS)["id"]}
        thrown = _post(client, "ask", {**play, "do": "throw"})["moment"]
        told = (
            thrown if thrown["asks"] is None else _post(client, "ask", {**play, "do": "answer", "typed": "2"})["moment"]
        )
    (folder / "duel.rules").write_text(RULES.replace("procedure strike", "procedure stroke"), encoding="utf-8")
    with open_browser(folder, tmp_path / "kept") as client:
        assert [each["id"] for each in client.get("/api/play").json()["plays"]] == [play["id"]]
        assert "problem" in _post(client, "ask", {**play, "do": "see"}, 400)
        (folder / "duel.rules").write_text(RULES, encoding="utf-8")
        assert _post(client, "ask", {**play, "do": "see"})["moment"]["story"] == told["story"]
        _post(client, "end", play)
    with open_browser(folder, tmp_path / "kept") as client:
        assert client.get("/api/play").json() == {"plays": []}


def test_whoever_goes_on_with_a_play_hears_that_its_rules_were_edited(tmp_path: Path) -> None:
    folder = make_folder(tmp_path)
    (folder / "other").mkdir()
    with open_browser(folder, tmp_path / "kept") as opened:
        begun = _post(opened, "begin", BEGINS)
        play = {"id": begun["id"]}
        (folder / "other/other.rules").write_text('ruleset other "Other" revision "1"\n', encoding="utf-8")
        assert (begun["edited"], _post(opened, "ask", {**play, "do": "see"})["edited"]) == (False, False)
        (folder / "duel.rules").write_text(f"{RULES}# more\n", encoding="utf-8")
        assert _post(opened, "ask", {**play, "do": "see"})["edited"]
        assert not _post(opened, "again", play)["edited"]
        assert not _post(opened, "ask", {**play, "do": "see"})["edited"]
