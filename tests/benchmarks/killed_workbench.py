"""Kills the workbench while a text is typed and saved: `python tests/benchmarks/killed_workbench.py [ROUNDS] [SEED]`.

Each round starts `rulewright studio` on a folder, types into a text as a browser does (a draft for each key, a save now
and then), and kills the server with -9 at a random moment. Then the file must hold, whole, a text that was saved or was
being saved, and a workbench that is opened again must offer what was typed last, up to the key that was on its way.
With the right to mount, the same is tried on a full disk.
"""

import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Timer

import httpx2

PLACE = "duel.rules"
START = 'ruleset duel "Duel"\n'
TAB = "of this test"
LONGEST = 3.0
"""After how many seconds a server is killed at the latest, from its first answer."""


@contextmanager
def workbench(folder: Path, cache: Path) -> Iterator[tuple[subprocess.Popen[str], httpx2.Client]]:
    """A running workbench, and a browser that was let in."""
    command = [sys.executable, "-m", "rulewright", "studio", str(folder), "--no-browser"]
    around = {"PATH": "", "XDG_CACHE_HOME": str(cache), "PYTHONDONTWRITEBYTECODE": "1"}
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=around)
    assert server.stdout is not None
    said = iter(server.stdout.readline, "")
    address = next(found[0] for line in said if (found := re.search(r"http://\S+", line)))
    base = address.partition("/?")[0]
    heads = {"X-Rulewright": "1", "Origin": base}
    with httpx2.Client(base_url=base, headers=heads, timeout=60) as browser:
        browser.get(address)
        try:
            yield server, browser
        finally:
            server.kill()
            server.wait()


def typed(browser: httpx2.Client, server: subprocess.Popen[str], after: float) -> tuple[list[str], list[str]]:
    """What was asked to be saved, and what was typed, each in order; the last of both may not have arrived."""
    held = browser.get("/api/file", params={"path": PLACE}).json()
    text, version = held["text"], held["version"]
    saved, drafted = [text], [text]
    Timer(after, server.kill).start()
    with suppress(httpx2.HTTPError):
        while True:
            text += random.choice("abc de\n") * random.choice([1, 1, 1, 2_000])
            drafted.append(text)
            told = {"path": PLACE, "text": text, "version": version, "tab": TAB}
            assert browser.post("/api/file/draft", json=told).status_code == 200
            if random.random() < 0.3:
                saved.append(text)
                found = browser.post("/api/file/save", json=told)
                assert found.status_code == 200, found.text
                version = found.json()["version"]
    return saved, drafted


def killed(folder: Path, cache: Path) -> str:
    """One round; answers where it was killed, in words.

    Raises:
        AssertionError: something that was typed is lost, or a file is not whole.
    """
    (folder / PLACE).write_text(START)
    with workbench(folder, cache) as (server, browser):
        after = random.uniform(0, LONGEST)
        saved, drafted = typed(browser, server, after)
    on_disk = (folder / PLACE).read_text()
    assert on_disk in saved[-2:], "the file holds what nobody saved"
    with workbench(folder, cache) as (_, browser):
        found = browser.get("/api/file", params={"path": PLACE}).json()
        known = found["draft"]["text"] if found["draft"] else found["text"]
        assert found["text"] == on_disk
        assert known in drafted[-2:], "what was typed is lost"
        browser.post("/api/file/draft", json={"path": PLACE, "text": None, "tab": TAB})
    left = [each.name for each in folder.iterdir() if each.name != PLACE]
    beside = ", a file beside" if left else ""
    return f"after {after * 1000:4.0f} ms, {len(drafted) - 1} keys, {len(saved) - 1} saves{beside}"


def full(folder: Path, cache: Path) -> str:
    """The same on a disk that fills up while a text is typed; what came of it, in words."""
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "none", str(folder)]
    mounted = subprocess.run(mount, check=False, capture_output=True)
    if mounted.returncode:
        return "no disk could be mounted to be filled"
    try:
        (folder / PLACE).write_text(START)
        with workbench(folder, cache) as (_, browser):
            held = browser.get("/api/file", params={"path": PLACE}).json()
            text, version, saves = held["text"], held["version"], 0
            while True:
                asked = {"path": PLACE, "text": text + "# more\n" * 2_000, "version": version, "tab": TAB}
                assert browser.post("/api/file/draft", json=asked).status_code == 200
                found = browser.post("/api/file/save", json=asked)
                if found.status_code != 200:
                    break
                text, version, saves = asked["text"], found.json()["version"], saves + 1
            assert found.status_code == 507, found.text
            assert (folder / PLACE).read_text() == text, "the file is not as it was"
            again = browser.get("/api/file", params={"path": PLACE}).json()
            assert again["draft"]["text"] == asked["text"], "what was typed is lost"
            return f"full after {saves} saves: {found.json()['problem']}"
    finally:
        subprocess.run(["umount", str(folder)], check=True)  # noqa: S607


def main(rounds: int, seed: int) -> None:
    """Tries, and prints what came of it."""
    random.seed(seed)
    began = time.monotonic()
    with (
        tempfile.TemporaryDirectory() as folder,
        tempfile.TemporaryDirectory() as cache,
        tempfile.TemporaryDirectory() as disk,
    ):
        for number in range(rounds):
            print(f"{number + 1:3}: {killed(Path(folder), Path(cache))}", flush=True)
        print(full(Path(disk), Path(cache)))
    print(f"{rounds} rounds, nothing lost; {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main(*map(int, [*sys.argv[1:3], *("20", "1")[len(sys.argv[1:3]) :]]))
