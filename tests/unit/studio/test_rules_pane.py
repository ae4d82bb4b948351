"""The pane of the rules: chapter, chart and coverage, each with the lines of the text that its parts tell of."""

import asyncio
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from string import Template
from typing import Any

import pytest

from support.workbench_client import WAITING, open_browser

from starlette.testclient import TestClient  # isort: skip - support looks whether it is installed

import rulewright
from rulewright.studio import rules_pane
from rulewright.studio.command_lines import CommandResult
from rulewright.studio.command_runner import ProcessCommandRunner
from rulewright.studio.work_folder import WorkFolder
from rulewright.studio.workbench import Workbench

SEEDLING = Path(rulewright.__file__).parent / "documents/seedling"
RULES = Template((SEEDLING / "ruleset.rules").read_text()).substitute(ruleset="duel", title="Duel")
LINES = RULES.splitlines()


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    folder = tmp_path_factory.mktemp("rules")
    (folder / "duel.rules").write_text(RULES)
    scenario = Template((SEEDLING / "ruleset.scenario.yaml").read_text()).safe_substitute(ruleset="duel")
    (folder / "duel.scenario.yaml").write_text("ruleset: duel.rules\n" + re.sub(r"(?m)^ruleset:.*\n", "", scenario))
    (folder / "house.rules").write_text(
        'amends duel revision "house"\n\nreplace row needed/wounded: +2 when striker.health <= 2 "badly hurt"\n'
    )
    with open_browser(folder, tmp_path_factory.mktemp("kept")) as made:
        yield made


def asked(client: TestClient, what: str, **given: object) -> Any:
    found = client.post(f"/api/rules/{what}", json={"path": "duel.rules", **given})
    assert found.status_code == 200, found.text
    return found.json()


def line_of(words: str) -> int:
    (found,) = [number for number, line in enumerate(LINES, 1) if words in line]
    return found


def test_a_ruleset_of_the_folder_is_printed_before_anybody_asks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "duel.rules").write_text(RULES)
    (tmp_path / "house.rules").write_text('amends duel revision "house"\n')
    asked_of = list[tuple[str, ...]]()

    async def run(_: ProcessCommandRunner, verb: str, arguments: Sequence[str]) -> None:
        asked_of.append((verb, *arguments))

    monkeypatch.setattr(ProcessCommandRunner, "run_command", run)
    folder = WorkFolder(tmp_path)
    workbench = Workbench.for_folder(folder, ProcessCommandRunner(WAITING, folder.path), tmp_path / "kept")
    asyncio.run(rules_pane.prepare_chapters(workbench, 0))
    assert asked_of == [("read", "duel.rules", "--html", "{PAGE}", "--places")]


def test_each_part_of_the_chapter_leads_to_its_lines(client: TestClient) -> None:
    found = asked(client, "chapter")
    places = {each["anchor"]: (each["line"], each["end"]) for each in found["places"]}
    anchors = re.findall(r' id="([^"]*)"', found["page"])
    assert len(anchors) == len(set(anchors))
    assert places.keys() <= set(anchors)
    assert {each["path"] for each in found["places"]} == {"duel.rules"}
    assert places["procedure-strike"] == (line_of("procedure strike"), len(LINES))
    assert places["step-strike-2"] == (line_of("step 2"), line_of("take up to 2"))
    assert places["function-needed"] == (line_of("tally needed"), line_of("wounded: +1"))
    told = dict(re.findall(r'<div class="line" id="([^"]*)">(?:<span>)?(.*?)</span></div>', found["page"]))
    (falls,) = [anchor for anchor, said in told.items() if said == "Remove the target from play."]
    assert places[falls] == (line_of("remove target"), line_of("remove target"))


def test_the_chapter_is_that_of_what_is_typed_if_it_can_be_read(client: TestClient) -> None:
    typed = {"duel.rules": "# more\n" + RULES.replace("Falls", "Falls down")}
    found = asked(client, "chapter", texts=typed)
    assert "Falls down" in found["page"]
    falls = {"anchor": "step-strike-3", "path": "duel.rules", "line": line_of("step 3") + 1, "end": len(LINES) + 1}
    assert falls in found["places"]
    broken = {"path": "duel.rules", "texts": {"duel.rules": RULES + "procedure\n"}}
    wrong = client.post("/api/rules/chapter", json=broken)
    assert wrong.status_code == 422
    assert wrong.json()["problem"].startswith("error RW0101: expected a name after `procedure`")
    (said,) = asked(client, "check", texts=broken["texts"])["diagnostics"]
    assert said["code"] == "RW0101"


def test_the_chart_is_that_of_the_procedure_at_the_cursor(client: TestClient) -> None:
    for line in (line_of("take up to 2"), 1):
        found = asked(client, "chart", line=line)
        assert found["procedure"] == "strike"
    drawn = [(each["id"], each["line"], each["end"]) for each in found["boxes"]]
    assert drawn == [
        ("", line_of("procedure strike"), len(LINES)),
        ("1", line_of("step 1"), line_of("proceed to 3")),
        ("2", line_of("step 2"), line_of("take up to 2")),
        ("3", line_of("step 3"), line_of("remove target")),
    ]
    for each in found["boxes"]:
        assert (
            f'<rect x="{each["x"]}" y="{each["y"]}" width="{each["width"]}" height="{each["height"]}"' in found["svg"]
        )
    more = {"path": "more.rules", "text": "# More.\nprocedure more():\n  finish\n", "version": None, "tab": "mine"}
    assert client.post("/api/file/save", json=more).status_code == 200
    using = RULES.replace(LINES[0], f'{LINES[0]}\nuse "more.rules"')
    assert asked(client, "chart", line=1, texts={"duel.rules": using})["procedure"] == "strike"
    refused = client.post("/api/rules/chart", json={"path": "duel.rules", "procedure": "struck"})
    assert (refused.status_code, "no procedure `struck`" in refused.json()["problem"]) == (422, True)


def test_an_overlay_is_shown_with_what_it_amends(client: TestClient) -> None:
    found = client.post("/api/rules/chapter", json={"path": "house.rules"}).json()
    assert "problem" not in found, found["problem"]
    assert "badly hurt" in found["page"]
    assert "badly hurt" not in asked(client, "chapter")["page"].replace("is badly hurt", "")


def test_each_line_says_whether_a_scenario_comes_to_it(client: TestClient) -> None:
    found = asked(client, "cover")
    assert found["scenarios"] == 2
    reached = {(each["line"], each["sort"]): (each["reached"], each["said"]) for each in found["lines"]}
    by_both = (True, "reached by the target falls, a parry costs the shield")
    assert reached[line_of("step 2"), "steps"] == by_both
    assert reached[line_of("remove target"), "lines"] == (True, "reached by the target falls")
    assert reached[line_of("proceed to 3"), "lines"] == (False, "no scenario reaches this line")


def test_a_chapter_is_made_once_of_the_same_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked_of = list[str]()
    run = ProcessCommandRunner.run_command

    async def counted(self: ProcessCommandRunner, verb: str, *given: Any, **more: Any) -> CommandResult:
        asked_of.append(verb)
        return await run(self, verb, *given, **more)

    monkeypatch.setattr(ProcessCommandRunner, "run_command", counted)
    monkeypatch.setattr(rules_pane, "_MAX_PREPARED_RULESETS", 0)
    rules = tmp_path / "rules"
    rules.mkdir()
    (rules / "duel.rules").write_text(RULES)
    (tmp_path / "common.rules").write_text("")
    shipped = tmp_path / "shipped"
    shipped.mkdir()
    monkeypatch.setattr(rules_pane, "get_resource_folder", lambda _: shipped)
    typed = RULES.replace('"Needed to hit"', '"Needed to strike"')
    with open_browser(rules, tmp_path / "kept") as client:
        first = asked(client, "chapter")
        assert asked(client, "chapter") == first
        assert asked_of == ["read"]
        assert "Needed to strike" in asked(client, "chapter", texts={"duel.rules": typed})["page"]
        assert asked(client, "chart") == asked(client, "chart")
        assert asked_of == ["read", "read", "draw"]
        (rules / "duel.rules").write_text(typed)
        assert "Needed to strike" in asked(client, "chapter")["page"]
        (shipped / "pig.rules").write_text("a shipped text is another")
        assert "Needed to strike" in asked(client, "chapter")["page"]
        assert asked_of == ["read", "read", "draw", "read", "read"]
        (rules / "duel.rules").write_text(typed.replace("\n", '\nuse "../common.rules"\n', 1))
        for _ in range(2):
            client.post("/api/rules/chapter", json={"path": "duel.rules"})
        assert asked_of == ["read", "read", "draw", "read", "read", "read", "read"]
