"""The workbench in a page: its two programs answer as the server does, without processes and threads of their own."""

import asyncio
import io
import json
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from rulewright.cli import output, play_server
from rulewright.cli.page_process import PageProcess
from rulewright.studio.page_files import decode_content, encode_content

PATIENCE = 60
WRONG = 'ruleset duel "Duel" revision "1"\n\nprocedure strike() "Strike":\n  roll 1d6 as blow\n  let more = blwo + 1\n'


class Page:
    """Both programs of a page, and what they told it."""

    def __init__(self, folder: Path, kept: Path) -> None:
        self.folder = folder
        self.stored: dict[str, str | None] = {}
        self.replies: dict[int, Any] = {}
        self.language: list[Any] = []
        self.news: list[Any] = []
        self.runs = 0
        self.is_lost = False  # the worker ends before it answers
        self.heard = asyncio.Event()
        self.desk = PageProcess(self.hear)
        self.worker = PageProcess(lambda *_: None)
        self.have(self.worker, "open_worker", folder=str(folder), aside=str(kept.parent / "aside"))
        self.have(
            self.desk, "open_desk", folder=str(folder), kept=str(kept), aside=str(kept.parent / "aside"), files="{}"
        )

    def have(self, process: PageProcess, action: str, /, **given: object) -> str:
        return process.handle_text(json.dumps({"do": action, **given}))

    def hear(self, kind: str, text: str) -> None:
        self.heard.set()
        match kind, json.loads(text):
            case "reply", reply:
                self.replies[reply["number"]] = reply
            case "store", changes:
                self.stored |= changes
            case "language", message:
                self.language.append(message)
            case "news", news:
                self.news.append(news)
            case "run", _:
                self.runs += 1
                asyncio.get_running_loop().call_soon(self.run, text)

    def run(self, command: str) -> None:
        if self.is_lost:
            self.have(self.desk, "forget_worker")
            return
        self.have(self.desk, "take_result", text=self.have(self.worker, "run", text=command))

    async def ask(self, name: str, /, **given: object) -> Any:
        number = len(self.replies) + 1
        self.have(self.desk, "ask", number=number, name=name, given=json.dumps(given))
        await self.wait_until(lambda: number in self.replies)
        return self.replies[number]

    async def wait_until(self, is_so: Callable[[], bool]) -> None:
        async with asyncio.timeout(PATIENCE):
            while not is_so():
                self.heard.clear()
                await self.heard.wait()


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setattr(play_server, "_LINE_CARRIERS", [])
    monkeypatch.setattr(output, "_PROGRESS_LISTENERS", [])
    return tmp_path


def test_a_starter_is_copied_played_tested_and_asked_for_odds(place: Path) -> None:
    async def walk() -> None:
        page = Page(place / "my-rules", place / "kept")
        made = (await page.ask("start/make", name="mine", source="hex-combat"))["data"]
        assert decode_content(page.stored[f"{page.folder}/mine/mine.rules"] or "").startswith(b"ruleset mine ")
        begun = (await page.ask("play/begin", **made["play"], dice="ask"))["data"]
        assert begun["moment"]["asks"]
        seen = await page.ask("play/ask", id=begun["id"], do="see")
        assert seen["data"]["moment"]["asks"] == begun["moment"]["asks"]
        assert page.runs == 0, "what is short is run at the desk"
        tested = (await page.ask("scenarios/run", files=["mine/plays.scenario.yaml"]))["data"]
        assert tested["counts"]["failed"] == 0
        chapter = (await page.ask("rules/chapter", path="mine/mine.rules"))["data"]
        assert "<h1>Mine</h1>" in chapter["page"]
        wrong = await page.ask("rules/check", path="mine/mine.rules", texts={"mine/mine.rules": "ruleset mine\nkind\n"})
        assert wrong["data"]["diagnostics"]
        right = await page.ask("rules/check", path="mine/mine.rules")
        assert not right["data"]["diagnostics"], "what was typed stands for a file in one question alone"
        refused = await page.ask("file", path="../secret.rules")
        assert refused["status"] == 400
        assert page.runs == 1

    asyncio.run(walk())


def test_what_a_command_writes_comes_back_and_a_worker_that_ended_is_said_so(place: Path) -> None:
    async def walk() -> None:
        page = Page(place / "my-rules", place / "kept")
        await page.ask("start/make", name="mine", source="hex-combat")
        question = {
            "path": "mine/mine.rules",
            "scenario": "mine/plays.scenario.yaml",
            "name": "woods help",
            "of": ["result"],
        }
        answered = await page.ask("odds", **question, record="mine/asked.scenario.yaml")
        assert "answer" in answered["data"], answered
        assert f"{page.folder}/mine/asked.scenario.yaml" in page.stored
        page.is_lost = True
        stopped = await page.ask("odds", **question)
        assert (stopped["status"], stopped["data"]["problem"]) == (422, "this was stopped")

    asyncio.run(walk())


def test_the_language_server_answers_in_the_page(place: Path) -> None:
    async def walk() -> None:
        page = Page(place / "my-rules", place / "kept")

        def say(**message: object) -> None:
            page.have(page.desk, "say", text=json.dumps({"jsonrpc": "2.0", **message}))

        page.have(page.desk, "talk")
        say(id=1, method="initialize", params={"processId": None, "rootUri": "file:///my-rules", "capabilities": {}})
        say(method="initialized", params={})
        document = {"uri": "file:///my-rules/a.rules", "languageId": "rulewright", "version": 1, "text": WRONG}
        say(method="textDocument/didOpen", params={"textDocument": document})
        say(id=2, method="textDocument/hover", params={"textDocument": {"uri": "file:///etc/passwd"}})
        await page.wait_until(lambda: any(each.get("params", {}).get("diagnostics") for each in page.language))
        assert str(place) not in json.dumps(page.language)
        assert {"code": -32803, "message": "this file is not in the folder"} in [
            each.get("error") for each in page.language
        ]

    asyncio.run(walk())


def test_a_board_on_the_plane_is_refused_in_words(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "shapely", None)

    async def walk() -> None:
        page = Page(place / "my-rules", place / "kept")
        made = (await page.ask("start/make", name="mine", source="plane-skirmish"))["data"]
        begun = await page.ask("play/begin", **made["play"], scripted=True)
        tested = await page.ask("scenarios/run", files=["mine/plays.scenario.yaml"])
        said = json.dumps([begun, tested], ensure_ascii=False)
        assert "fault of rulewright" not in said
        assert "boards on the plane, without a grid, cannot be played in a page" in said

    asyncio.run(walk())


def test_files_come_and_go_as_an_archive(place: Path) -> None:
    def archive(**files: str) -> str:
        content = io.BytesIO()
        with zipfile.ZipFile(content, "w") as packed:
            for name, text in files.items():
                packed.writestr(name, text)
        return encode_content(content.getvalue())

    async def walk() -> None:
        page = Page(place / "my-rules", place / "kept")
        hostile = archive(**{"../out.rules": "x", "/etc/x.rules": "x", "in/a.rules": "ruleset a\n", "b.exe": "x"})
        taken = (await page.ask("page/take", files={"all.zip": hostile, "c.rules": encode_content(b"\xff")}))["data"]
        assert taken == {"taken": ["in/a.rules"], "left_out": ["../out.rules", "/etc/x.rules", "b.exe", "c.rules"]}
        assert not (place / "out.rules").exists()
        packed = (await page.ask("page/pack"))["data"]
        assert packed["name"] == "my-rules.zip"
        with zipfile.ZipFile(io.BytesIO(decode_content(packed["content"]))) as opened:
            assert opened.namelist() == ["in/a.rules"]
        for files, status in (
            ({"a.zip": encode_content(b"PK no")}, 422),
            ({"a.rules": "%"}, 400),
            ({"a.rules": 1}, 400),
        ):
            refused = await page.ask("page/take", files=files)
            assert (refused["status"], type(refused["data"]["problem"])) == (status, str)
        shared = await page.ask("share", path="in/a.rules")
        assert shared["status"] == 422

    asyncio.run(walk())


def test_a_tab_hears_of_files_that_change(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rulewright.studio.files_api.WATCH_INTERVAL_S", 0.01)

    async def walk() -> None:
        page = Page(place / "my-rules", place / "kept")
        page.have(page.desk, "watch", tab="one")
        await asyncio.sleep(0.1)
        await page.ask("file/save", path="a.rules", text="ruleset a\n", version=None)
        await page.wait_until(lambda: bool(page.news))
        assert page.news[0]["changed"][0]["path"] == "a.rules"
        page.have(page.desk, "leave", number=99)

    asyncio.run(walk())
