"""Prints what the workbench costs: `python tests/benchmarks/workbench.py [KEYS]`.

- How long `rulewright studio` takes from the command to a page whose files are listed, by the clock, and of that the
  processor time of its process.
- What the panes of each shipped ruleset cost: processor time of the process that was split off for the answer, from
  what it is told to what it said, as the workbench has it.
- The memory of the server and of the language server of a tab after the first tenth of KEYS keys and after all of them,
  which are typed as in `editing.py`, each kept as a draft and told to the language server, with a save now and then.
"""

import asyncio
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path
from shutil import copytree

import httpx2
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Origin

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parents[1])]

from benchmarks.editing import commits, git, keys
from rulewright.cli import standby_process
from rulewright.cli.main import run_command_line

ROOT = Path(__file__).parents[2]
PANES = {"chapter": ("read", "--html", "{}", "--places"), "chart": ("draw", "--places", "--write", "{}")}
FOLDER = "mel"
LONG = 50
"""After how many keys there is a pause, in which the rules are checked, and after ten such a save."""


@contextmanager
def workbench(folder: Path) -> Iterator[tuple[int, str, float]]:
    """A running workbench: its process, its address, and when it was asked for."""
    began = time.monotonic()
    command = [sys.executable, "-m", "rulewright", "studio", str(folder), "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        said = iter(server.stdout.readline, "")
        try:
            yield server.pid, next(found[0] for line in said if (found := re.search(r"http://\S+", line))), began
        finally:
            server.terminate()


@contextmanager
def browser(address: str) -> Iterator[httpx2.Client]:
    """A browser that was let in."""
    base = address.partition("/?")[0]
    with httpx2.Client(base_url=base, headers={"X-Rulewright": "1", "Origin": base}, timeout=60) as made:
        made.get(address)
        yield made


def started(folder: Path) -> None:
    """Prints how long a start takes."""
    with workbench(folder) as (process, address, began), browser(address) as asked:
        for place in ("/", "/static/workbench.js", "/static/workbench.css", "/api/folder", "/api/files"):
            assert asked.get(place).status_code == 200
        clock = time.monotonic() - began
        spent = sum(map(int, Path(f"/proc/{process}/stat").read_text().split()[13:15])) / os.sysconf("SC_CLK_TCK")
        print(f"start: {clock:.2f} s by the clock, {spent:.2f} s of the processor; load {os.getloadavg()[0]:.1f}")


def paned() -> None:
    """Prints what panes cost."""
    standby_process.preload_modules()
    for folder in sorted(each for each in (ROOT / "rulesets").iterdir() if each.is_dir()):
        for ruleset in sorted(each for each in folder.glob("*.rules") if each.read_text().startswith("ruleset")):
            costs = [f"{pane} {spent(verb, ruleset, options):4.0f} ms" for pane, (verb, *options) in PANES.items()]
            print(f"{ruleset.stem:30} {', '.join(costs)}", flush=True)


def spent(verb: str, ruleset: Path, options: list[str]) -> float:
    """Milliseconds of the processor that a process takes to answer which was split off from this one."""
    with tempfile.TemporaryDirectory() as out:
        child = os.fork()
        if child == 0:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            os._exit(run_command_line([verb, str(ruleset), *(each.format(f"{out}/page") for each in options)]))
        _, ended, used = os.wait4(child, 0)
        assert ended == 0, (verb, ruleset)
        return (used.ru_utime + used.ru_stime) * 1000


def texts() -> Iterator[str]:
    """Texts of one file, a key at a time, as commits changed it; the latest first, and all of them again and again."""
    named = [(commit, file) for commit, file in commits(FOLDER) if file.endswith(f"/{FOLDER}.rules")]
    for commit, file in cycle(named):
        yield from (text for text, _ in keys(git("show", f"{commit}^:{file}"), git("show", f"{commit}:{file}")))


async def edited(folder: Path, most: int) -> None:
    """Prints what memory is taken while texts are typed."""
    with workbench(folder) as (process, address, _), browser(address) as asked:
        base, root = address.partition("/?")[0], asked.get("/api/folder").json()["root"]
        cookie = "; ".join(f"{name}={value}" for name, value in asked.cookies.items())
        place, uri = f"{FOLDER}.rules", f"{root}/{FOLDER}.rules"
        version = asked.get("/api/file", params={"path": place}).json()["version"]
        to = f"ws{base.removeprefix('http')}/api/language"
        async with connect(to, additional_headers={"Cookie": cookie}, origin=Origin(base), max_size=None) as talk:
            folders = [{"uri": root, "name": "rules"}]
            await told(talk, "initialize", {"capabilities": {}, "rootUri": root, "workspaceFolders": folders}, id_=0)
            await told(talk, "initialized", {})
            opened = {"uri": uri, "languageId": "rulewright", "version": 0, "text": ""}
            await told(talk, "textDocument/didOpen", {"textDocument": opened})
            first = 0
            for number, text in zip(range(1, most + 1), texts(), strict=False):
                changed = {"textDocument": {"uri": uri, "version": number}, "contentChanges": [{"text": text}]}
                await told(talk, "textDocument/didChange", changed)
                draft = {"path": place, "text": text, "version": version, "tab": "t"}
                await asyncio.to_thread(asked.post, "/api/file/draft", json=draft)
                if number % LONG == 0:
                    await told(talk, "textDocument/documentSymbol", {"textDocument": {"uri": uri}}, id_=number)
                    await asyncio.sleep(0.5)
                if number % (LONG * 10) == 0:
                    found = await asyncio.to_thread(asked.post, "/api/file/save", json=draft)
                    version = found.json()["version"]
                if number in {most // 10, most}:
                    taken = memory(process)
                    first = first or taken
                    print(f"memory after {number} keys: {taken / 1e6:.1f} MB, {taken / first - 1:+.1%}", flush=True)


async def told(talk: ClientConnection, method: str, params: object, id_: int | None = None) -> None:
    """Tells the language server something; waits for the answer to what has a number."""
    asked = {} if id_ is None else {"id": id_}
    await talk.send(json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **asked}))
    while id_ is not None and json.loads(await talk.recv()).get("id") != id_:
        pass


def memory(process: int) -> int:
    """Bytes that a process and all that it started hold, what they share counted once."""
    parents = {}
    for place in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(place.parent.name)] = int(place.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    family, size = {process}, 0
    while size != len(family):
        size = len(family)
        family |= {each for each, parent in parents.items() if parent in family}
    rollups = [Path(f"/proc/{each}/smaps_rollup").read_text() for each in family]
    return sum(int(found[1]) for each in rollups if (found := re.search(r"Pss:\s+(\d+) kB", each))) * 1024


def main(most: int) -> None:
    """Prints all of it."""
    with tempfile.TemporaryDirectory() as top:
        folder = Path(copytree(ROOT / "rulesets" / FOLDER, Path(top) / "rules"))
        os.environ["XDG_CACHE_HOME"] = str(Path(top) / "cache")
        started(folder)
        asyncio.run(edited(folder, most))
    paned()
    print(f"largest process here: {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2_000)
