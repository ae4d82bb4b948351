"""Command lines answered by processes that stand by: as in a terminal, each by itself, and ended when nobody waits."""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import pytest

from rulewright.studio.command_runner import ProcessCommandRunner, ProcessForker, StandbyProcess
from rulewright.studio.request_table import RequestProblem
from support.workbench_client import WAITING

DUEL = 'ruleset duel "Duel" revision "1"\n\nprocedure strike() "Strike":\n  roll 1d6 as blow\n'
BARE = (
    sys.executable,
    "-c",
    "from rulewright.cli import standby_process as waits; waits.preload_modules = lambda: None; waits.main()",
)
"""Starts a process that waits with nothing preloaded, which takes no seconds."""
needs_splitting = pytest.mark.skipif(not ProcessForker.is_possible, reason="no process can be split off here")


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    (tmp_path / "duel.rules").write_text(DUEL)
    return tmp_path


class Gone:
    """A browser that has gone away."""

    async def is_gone(self) -> bool:
        return True


@needs_splitting
def test_command_lines_are_answered_as_in_a_terminal(rules: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def asked(standby: ProcessCommandRunner) -> None:
        fine, wrong, typed, unreadable = await asyncio.gather(
            standby.run_command("check", ["duel.rules"]),
            standby.run_command("check", ["other.rules"]),
            standby.run_command(
                "read", ["duel.rules", "--html", "{PAGE}"], texts={"duel.rules": DUEL.replace("Duel", "Öde")}
            ),
            standby.run_command("read", ["duel.rules"], texts={"duel.rules": DUEL + "procedure\n"}),
        )
        assert (fine.exit, fine.out.splitlines()[-1], fine.err) == (0, "duel.rules: fine, 1 warning", "")
        told = "error RW0001: there is no file `other.rules`\nother.rules: 1 error\n"
        assert (wrong.exit, wrong.out) == (2, told)
        assert typed.files["PAGE"].count("<h1>Öde</h1>") == 1
        assert unreadable.exit == 2
        assert (rules / "duel.rules").read_text() == DUEL

        slow = await standby.run_command("check", ["duel.rules"], limit=0)
        assert (slow.exit, slow.err) == (3, "this takes longer than 0 seconds, so it was stopped")
        monkeypatch.setattr("rulewright.studio.command_lines._POLL_S", 0)
        with pytest.raises(RequestProblem, match="this is no longer needed"):
            await standby.run_command("check", ["duel.rules"], caller=Gone())

        talking = await standby.start_dialog("lsp", [])
        hello = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}})
        said = await talking.exchange_line(f"Content-Length: {len(hello)}\r\n\r\n{hello}", 30)
        assert (said or "").startswith("Content-Length: ")
        talking.end()
        assert await asyncio.wait_for(talking.process.wait(), 10) < 0

        processes = standby._processes  # noqa: SLF001 - whom the test ends
        assert isinstance(processes, ProcessForker)
        split: StandbyProcess = await processes.take_process()
        split.stdin.close()
        assert await asyncio.wait_for(split.wait(), 10) == 0
        assert processes._template_process is not None  # noqa: SLF001
        processes._command = (*BARE, "--fork")  # noqa: SLF001
        processes._template_process.kill()  # noqa: SLF001
        processes._template_process.wait()  # noqa: SLF001
        assert (await standby.run_command("check", ["duel.rules"])).exit == 0

    asyncio.run(story(rules, asked))


def test_where_no_process_can_be_split_off_one_is_started_ahead(rules: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ProcessForker, "is_possible", False)
    monkeypatch.setattr("rulewright.studio.command_runner._SPAWNED_AHEAD", 1)

    async def asked(standby: ProcessCommandRunner) -> None:
        said = await standby.run_command("check", ["duel.rules"])
        assert (said.exit, said.out.splitlines()[-1], said.err) == (0, "duel.rules: fine, 1 warning", "")

    asyncio.run(story(rules, asked, BARE))


async def story(
    rules: Path, asked: Callable[[ProcessCommandRunner], Awaitable[None]], waiting: Sequence[str] = WAITING
) -> None:
    standby = ProcessCommandRunner(waiting, rules)
    try:
        await asked(standby)
    finally:
        await standby.close()
