"""The panes Start, Compare and Odds: the browser is answered what a terminal is, and nothing outside the folder."""

import json
import os
import re
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rulewright.base.files import get_resource_folder as shipped
from rulewright.studio.shared_page import SHARED_PAGE_PREFIX
from support.workbench_client import TestClient, open_browser

RULES = """\
ruleset duel "A duel" revision "1"

kind Knight, knights "A knight":
  owner: player
  health: 0..9

measure left(k: Knight): k.health

procedure strike(striker: Knight, target: Knight) gives 0..1 "A strike":
  require enemy: striker.owner != target.owner "only enemies strike"
  roll d6 as blow by striker.owner
  if blow.natural >= 4:
    take up to 1 from target.health
    finish with 1
  finish with 0
"""
PLAYS = """\
procedure: strike
with: {striker: gawain, target: mordred}
state:
  players: [red, blue]
  knights: {gawain: {owner: red, health: 5}, mordred: {owner: blue, health: 3}}
scenarios:
  how likely:
    expect: {odds: {result = 1: 1/2}}
"""
LOCAL = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
WHO = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("desk")
    (made / "duel").mkdir()
    (made / "duel" / "duel.rules").write_text(RULES, encoding="utf-8")
    (made / "duel" / "duel.scenario.yaml").write_text(PLAYS, encoding="utf-8")
    (made / "other").mkdir()
    (made / "other" / "other.rules").write_text(RULES, encoding="utf-8")
    for line in (("init", "-q"), ("add", "-A"), (*WHO, "commit", "-qm", "A first <b>duel</b>")):
        subprocess.run(["git", *line], cwd=made, check=True, env={**os.environ, **LOCAL})  # noqa: S607 - a test
    return made


@pytest.fixture(scope="module")
def desk(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with open_browser(folder, tmp_path_factory.mktemp("drafts")) as client:
        yield client


def told(desk: TestClient, where: str, status: int = 200, /, **asked: Any) -> Any:
    """What the browser is answered; nowhere does that name a folder of this machine."""
    answer = desk.post(where, json=asked)
    assert answer.status_code == status, answer.text
    assert f"{tempfile.gettempdir()}/" not in answer.text  # a page may hold the bare name by chance
    return answer.json()


def test_a_starter_is_listed_shown_and_copied(desk: TestClient, folder: Path) -> None:
    sources = desk.get("/api/start/gallery").json()["sources"]
    drawn = {each["name"] for each in sources if (each["board"] or "").startswith("<svg ")}
    assert drawn == {"hex-combat", "plane-skirmish", "card-turn", "dice-conflict"}
    assert {each["name"] for each in sources if each["learn"]} == drawn
    made = told(desk, "/api/start/make", name="my-dice", source="dice-conflict")
    assert made["ruleset"] == "my-dice/my_dice.rules"
    assert made["play"] == {"path": "my-dice/plays.scenario.yaml", "name": "the conflict"}
    begun = told(desk, "/api/play/begin", **made["play"])
    assert begun["moment"]["asks"] is not None
    told(desk, "/api/play/end", id=begun["id"])
    assert (folder / "my-dice" / "board.svg").is_file()
    assert told(desk, "/api/start/make", 422, name="my-dice", source="dice-conflict")["problem"] == (
        "`my-dice` is already there: take another name"
    )


def test_a_starter_is_played_without_a_copy(desk: TestClient) -> None:
    begun = told(desk, "/api/play/begin", source="hex-combat")
    assert (begun["moment"]["asks"]["asked"], begun["moment"]["asks"]["file"]) == ("Which unit is used?", None)
    assert begun["moment"]["ruleset"] == "hex-combat"
    told(desk, "/api/play/end", id=begun["id"])
    for unknown in ("../hex-combat", "mel", "README.md"):
        told(desk, "/api/play/begin", 404, source=unknown)


def test_a_copy_of_a_finished_ruleset_is_played_as_its_page_says(desk: TestClient) -> None:
    made = told(desk, "/api/start/make", name="my-mel", source="mel")
    assert made["play"] == {
        "path": "my-mel/my_mel.rules",
        "name": "melee_attack",
        "state": "my-mel/examples/duel.yaml",
        "roles": {"attacker": "hammer", "defender": "anvil"},
        "overlays": ["my-mel/mel_dice.rules"],
    }
    begun = told(desk, "/api/play/begin", **made["play"])
    assert begun["moment"]["asks"]["asked"] == "Use Tactical Formations?"
    told(desk, "/api/play/end", id=begun["id"])
    sides = told(desk, "/api/compare/sides", path="my-mel/my_mel.rules", tab="mine")
    assert sides["origin"] == "mel"
    assert "my-mel/mel_dice.rules" in sides["overlays"]


@pytest.mark.parametrize("starter", sorted(each.name for each in shipped("starters").iterdir()))
def test_a_copy_of_a_starter_is_compared_with_it(desk: TestClient, starter: str) -> None:
    told(desk, "/api/start/make", name=f"my-{starter}", source=starter)
    path = f"my-{starter}/my_{starter.replace('-', '_')}.rules"
    sides = told(desk, "/api/compare/sides", path=path, tab="mine")
    assert (sides["origin"], starter in sides["starters"]) == (starter, True)
    with_it = {"with": "shipped", "name": starter}
    quick = told(desk, "/api/compare", path=path, tab="mine", quick=True, **with_it)
    assert (quick["compared"]["old"]["place"], quick["compared"]["played"], quick["page"]) == (starter, None, "")


@pytest.mark.parametrize("name", ["../outside", "/outside", "-v", "a/../../b", ".hidden", ""])
def test_nothing_is_made_outside_the_folder(desk: TestClient, folder: Path, name: str) -> None:
    before = sorted(folder.parent.iterdir())
    assert "problem" in told(desk, "/api/start/make", 400, name=name, source="")
    assert sorted(folder.parent.iterdir()) == before


def typed(desk: TestClient, path: str, text: str | None) -> None:
    """Types a text in the tab `mine`, or gives up what was typed there."""
    told(desk, "/api/file/draft", path=path, text=text, version=None, tab="mine")


def test_what_is_typed_is_compared_with_the_last_save_and_with_a_commit(desk: TestClient) -> None:
    path = "duel/duel.rules"
    sides = told(desk, "/api/compare/sides", path=path, tab="mine")
    assert [each["subject"] for each in sides["commits"]] == ["A first <b>duel</b>"]
    assert sides["typed"] == []
    assert (sides["origin"], "risk" in sides["shipped"]) == (None, True)
    assert "other/other.rules" in sides["rulesets"]
    nothing = told(desk, "/api/compare", 400, path=path, tab="mine", typed=True, name="", **{"with": "saved"})
    assert nothing["problem"].startswith("everything you typed is saved")

    typed(desk, path, RULES.replace(">= 4", ">= 5"))
    assert told(desk, "/api/compare/sides", path=path, tab="mine")["typed"] == [path]
    assert told(desk, "/api/compare/sides", path=path, tab="another")["typed"] == []
    asked = {"path": path, "tab": "mine", "typed": True}
    saved = told(desk, "/api/compare", **asked, name=path, **{"with": "saved"})
    found = saved["compared"]
    assert (found["old"]["place"], found["new"]["place"]) == ("the last save", "what is typed")
    (row,) = found["screen"]["rows"]
    assert (row["shown"], row["now"]) == (True, "at least 5")
    witness = found["played"]["witnesses"][0]
    assert (witness["like"]["name"], witness["old"]["scene"]["boards"]) == ("how likely", [])
    assert witness["old"]["scene"]["told"] != witness["new"]["scene"]["told"]
    assert saved["log"].startswith("# A duel: from the last save to what is typed\n\nPlay: ")
    assert "How play differs" in saved["log"]
    assert "<table" in saved["page"]
    unplayed = told(desk, "/api/compare", **asked, name=path, work="0", **{"with": "saved"})["compared"]
    assert not unplayed["screen"]["rows"][0]["shown"]
    commit = told(desk, "/api/compare", **asked, name=sides["commits"][0]["revision"], **{"with": "commit"})
    assert commit["compared"]["screen"]["rows"][0]["name"] == "A strike"
    same = told(
        desk, "/api/compare", **{**asked, "typed": False}, name=sides["commits"][0]["revision"], **{"with": "commit"}
    )
    assert same["compared"]["verdict"]["word"] == "identical"

    typed(desk, path, RULES.replace(">= 4", ">= ("))
    broken = told(desk, "/api/compare", 422, **asked, name=path, **{"with": "saved"})["problem"]
    assert "cannot be compared: it has errors" in broken
    assert "duel/duel.rules:12" in broken
    assert told(desk, "/api/odds/choices", 422, path=path, tab="mine")["problem"] == (
        "duel/duel.rules:12: `(` is not closed: add `)`"
    )
    typed(desk, path, None)


def test_odds_of_what_is_typed_shift_situation_by_situation(desk: TestClient) -> None:
    path = "duel/duel.rules"
    typed(desk, path, RULES.replace(">= 4", ">= 5").replace("up to 1", "up to 2"))
    asked = {"path": path, "tab": "mine", "typed": True, "name": path, "with": "saved"}
    found = told(desk, "/api/compare/odds", **asked, of="result", policy="first")
    assert found["says"] == "change for 1 of 1 starting position"
    (play,) = found["situations"]
    result = next(each for each in play["measures"] if each["of"] == "result")
    assert {"value": "0", "old": "1/2", "new": "2/3"} in result["values"]
    assert sorted(found["edits"][each] for one in play["alone"] for each in one["edits"]) == sorted(found["edits"])
    assert "`--most N` follows more" in str(told(desk, "/api/compare/odds", **asked, most="1"))
    assert "--most" in told(desk, "/api/compare/odds", 422, **asked, most="x")["problem"]
    wrong = told(desk, "/api/compare/odds", 422, **asked, of="nothing(")["problem"]
    assert "Traceback" not in wrong
    typed(desk, path, None)


def saved(desk: TestClient, path: str, text: str) -> None:
    held = desk.get(f"/api/file?path={path}").json()
    told(desk, "/api/file/save", path=path, text=text, version=held["version"], tab="mine")


def test_a_ruleset_is_compared_with_what_it_was_before_each_save(desk: TestClient) -> None:
    """Several texts are taken as they were before the save that is chosen, whichever of them was saved since."""
    path, other = "two/two.rules", "two/more.rules"
    began = RULES.replace('revision "1"', 'revision "1"\nuse "more.rules"').replace(">= 4", ">= needed()")
    for file, text in ((path, began), (other, "# What is needed.\nterm needed() gives 1..6 means 4\n")):
        told(desk, "/api/file/save", path=file, text=text, version=None, tab="mine")
    assert told(desk, "/api/compare/sides", path=path, tab="mine")["saves"] == []
    saved(desk, other, "# What is needed.\nterm needed() gives 1..6 means 5\n")
    saved(desk, path, began.replace("up to 1", "up to 2"))
    last, first = told(desk, "/api/compare/sides", path=path, tab="mine")["saves"]
    assert (last["path"], first["path"]) == (path, other)
    asked = {"path": path, "tab": "mine", "with": "save"}
    since = told(desk, "/api/compare", **asked, name=str(last["at"]))
    place = since["compared"]["old"]["place"]
    assert re.fullmatch(r"before the save of \d{4}-\d\d-\d\d \d\d:\d\d", place)
    assert since["compared"]["screen"]["headline"] == "PLAY CHANGED  1 rule differs"
    whole = told(desk, "/api/compare", **asked, name=str(first["at"]))
    assert whole["compared"]["screen"]["headline"] == "PLAY CHANGED  2 rules differ"
    earlier = told(desk, "/api/compare/earlier", path=path, at=str(last["at"]))
    assert earlier["before"] != earlier["now"]
    told(desk, "/api/compare/earlier", 400, path=path, at="1")
    assert "problem" in told(desk, "/api/compare", 400, **asked, name="-1e300")
    assert "problem" in told(desk, "/api/compare", 400, **asked, name=str(last["at"] + 1000))
    assert "problem" in told(desk, "/api/compare", 400, **asked, name="yesterday")


@pytest.mark.parametrize(
    "side",
    [("commit", "--output=x"), ("commit", "HEAD"), ("shipped", "../risk"), ("ruleset", "../x.rules"), ("file", "x")],
)
def test_only_what_is_offered_is_compared(desk: TestClient, side: tuple[str, str]) -> None:
    told(desk, "/api/compare", 400, path="duel/duel.rules", tab="", name=side[1], **{"with": side[0]})


QUESTION = {"path": "duel/duel.rules", "scenario": "duel/duel.scenario.yaml", "name": "how likely"}


def test_odds_are_asked_and_kept_as_a_scenario(desk: TestClient, folder: Path) -> None:
    choices = told(desk, "/api/odds/choices", path="duel/duel.rules", tab="")
    left = {"name": "left", "title": "", "of": [{"name": "k", "type": "Knight"}], "asked": []}
    assert choices["measures"] == [left]
    near = told(desk, "/api/odds/choices", path=QUESTION["scenario"], name=QUESTION["name"], tab="")
    assert near["measures"][0]["asked"] == ["left(gawain)", "left(mordred)"]
    assert choices["scenarios"][0]["odds"] == {"how likely": {"of": ["result = 1"], "policy": ""}}
    asked = {**QUESTION, "of": ["left(mordred)"], "vary": ["mordred.health=1..2"]}
    answered = told(desk, "/api/odds", **asked, record="duel/left.scenario.yaml")["answer"]
    assert (answered["vary"], [each["at"] for each in answered["starts"]]) == (["mordred.health"], [[1], [2]])
    (shares,) = answered["starts"][0]["odds"]
    assert [(each["says"], each["likely"]) for each in shares["values"]] == [("0", "1/2"), ("1", "1/2")]
    assert "A strike: 2 starts" in told(desk, "/api/odds", **asked, words=True)["said"]
    kept = (folder / "duel" / "left.scenario.yaml").read_text(encoding="utf-8")
    assert "mordred.health 2" in kept
    assert "{odds: {left(mordred): {1: 1/2, 2: 1/2}}}" in kept.replace('"', "")
    again = told(desk, "/api/odds", 422, **asked, record="duel/left.scenario.yaml")["problem"]
    assert "is there already" in again
    counted = told(desk, "/api/odds", **QUESTION, of=["result"], simulated=True, runs="100")
    assert counted["answer"]["plays"] == 100
    sure = told(desk, "/api/odds", **QUESTION, of=["result"], given=["mordred.health < 3"])["answer"]["odds"][0]
    assert [(each["value"], each["likely"]) for each in sure["values"]] == [(1, "1")]


def test_what_can_be_asked_names_things_outcomes_and_how_a_scenario_begins(desk: TestClient) -> None:
    near = told(desk, "/api/odds/choices", path=QUESTION["scenario"], name=QUESTION["name"], tab="")
    assert near["begins"]["with"] == {"striker": "gawain", "target": "mordred"}
    assert near["begins"]["worths"] == ["left(gawain)", "left(mordred)", "gawain.health", "mordred.health"]
    knights = next(each for each in near["things"] if each["kind"] == "Knight")
    assert knights["things"][0] == {"id": "gawain", "owner": "red", "values": {"health": 5}}
    assert knights["attributes"] == [{"name": "health", "title": "", "type": "0..9"}]


def test_scenarios_are_drawn_and_told(desk: TestClient) -> None:
    (scene,) = told(desk, "/api/scenarios/scenes", file=QUESTION["scenario"], name="how")["scenes"]
    assert (scene["name"], scene["title"], scene["boards"]) == ("how likely", "A strike", [])
    assert scene["with"] == {"striker": "gawain", "target": "mordred"}


def test_a_refused_question_says_what_to_do(desk: TestClient) -> None:
    assert "`--of`" not in told(desk, "/api/odds", **QUESTION, of=["result"], words=True)["said"]
    wrong = told(desk, "/api/odds", 422, **QUESTION, of=["mordred.helth"])["problem"]
    assert "did you mean" in wrong
    for asked in (
        {"scenario": "../x.scenario.yaml"},
        {"record": "/x.scenario.yaml"},
        {"of": "result"},
        {"of": [1]},
    ):
        told(desk, "/api/odds", 400, **{**QUESTION, "of": ["result"], **asked})


def test_plays_that_came_back_are_called_as_the_browser_calls_them(desk: TestClient) -> None:
    play = {"format": "rulewright playtest", "version": 1, "scenario": "gone", "fingerprint": "f", "revision": "1"}
    text = json.dumps(play | {"done": [], "remarks": [], "noted": []})
    name = 'a "b" <i>\\.json'
    asked = {"path": "duel/duel.rules", "returned": [{"name": name, "text": text}, {"name": "notes", "text": "[]"}]}
    report = told(desk, "/api/scenarios/returned", **asked)
    assert [(each["file"], each["problem"] != "") for each in report["plays"]] == [(name, True)]
    assert report["unreadable"][0]["problem"] == "`notes` does not hold a play that came back from a shared page"
    refused = told(
        desk, "/api/scenarios/keep", 422, **asked | {"returned": asked["returned"][:1], "file": "duel/a.scenario.yaml"}
    )
    assert "only a play that is over can be recorded" in refused["problem"]
    for wrong in ({"returned": []}, {"returned": ["x"]}, {"returned": [{"name": "x"}]}):
        told(desk, "/api/scenarios/returned", 400, **asked | wrong)


def test_a_shared_page_is_handed_out_as_it_is_typed(desk: TestClient, folder: Path) -> None:
    rules = folder / "duel" / "duel.rules"
    told(
        desk,
        "/api/file/draft",
        path="duel/duel.rules",
        text=RULES.replace("A strike", "A typed strike"),
        version=None,
        tab="one",
    )
    made = told(desk, "/api/share", path="duel/duel.rules", names=["how likely"], tab="one")
    assert made["page"].startswith(SHARED_PAGE_PREFIX)
    assert (made["scenarios"], made["left_out"], made["typed"]) == (["how likely"], [], ["duel/duel.rules"])
    told(desk, "/api/file/draft", path="duel/duel.rules", text=None, version=None, tab="one")
    assert rules.read_text(encoding="utf-8") == RULES
    refused = told(desk, "/api/share", 422, path="duel/duel.rules", names=["how unlikely"])
    assert "did you mean `how likely`?" in refused["problem"]


def test_a_position_is_shown_with_what_may_stand_in_it_and_refused_in_words(desk: TestClient) -> None:
    begun = told(
        desk, "/api/play/position", path="duel/duel.rules", scenario="duel/duel.scenario.yaml", name="how likely"
    )
    assert begun["boards"] == []
    knights = next(each for each in begun["kinds"] if each["kind"] == "Knight")
    assert [(each["name"], each["sort"]) for each in knights["fields"]] == [("owner", "thing"), ("health", "number")]
    changed = begun["state"] | {"knights": {"gareth": {"owner": "blue", "health": 9}}}
    seen = told(desk, "/api/play/position", path="duel/duel.rules", state=changed)
    assert seen["state"] == changed
    assert seen["text"].startswith("state:\n  players: [red, blue]\n  knights: {gareth: {owner: blue, ")
    changed["knights"]["gareth"]["health"] = 10
    refused = told(desk, "/api/play/position", 422, path="duel/duel.rules", state=changed)
    assert "position.json" not in refused["problem"]
    assert "10" in refused["problem"]


def test_the_old_text_of_each_side_is_known(desk: TestClient) -> None:
    sides = told(desk, "/api/compare/sides", path="duel/duel.rules")
    asked = {"path": "duel/duel.rules", "file": "duel/duel.rules", "old": "duel/duel.rules"}
    for side, name in (("saved", ""), ("commit", sides["commits"][0]["revision"]), ("ruleset", "other/other.rules")):
        assert told(desk, "/api/compare/before", **asked, **{"with": side, "name": name})["text"] == RULES
    shipped = told(
        desk, "/api/compare/before", **asked | {"old": "../x/pig.rules"}, **{"with": "shipped", "name": "pig"}
    )
    assert shipped["text"].startswith("ruleset pig")
    for side, name in (("shipped", "pig"), ("shipped", "../x"), ("commit", "--help"), ("commit", "0" * 40), ("no", "")):
        told(desk, "/api/compare/before", 400, **asked, **{"with": side, "name": name})
