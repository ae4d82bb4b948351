"""Throws mutated documents and command lines at `rulewright`, and kills it while it writes.

`python tests/corpus/hostile.py --count 100000 --workers 1 --seed 0 --resume FILE`: so many documents (rules, states,
scripts, saves, scenarios, clause lists, flags, typed lines) are drawn from the language cases and shipped rulesets,
changed, and handed to the entry point of the command line, many in one process. `--kills N` starts so many commands
that write as processes and ends each at some moment with `kill -9`.

A finding is a fault of our own, an exit code that is not in the published list, more than ten seconds of processor
time, a command that waits for something that is not a question, a draft left behind, a file changed that no command was
to change, a save that its own ruleset does not read, a character in what is printed that steers a terminal, or a file
half written after a kill. `--only N` shows one document.

Findings and the numbers that were done go to FILE, a line of JSON each; the same command goes on from there. It ends
with 1 where anything was found.
"""

import argparse
import io
import json
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import chdir, redirect_stderr, redirect_stdout, suppress
from dataclasses import asdict, dataclass, replace
from functools import cache
from multiprocessing import Process
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from unittest.mock import patch
from xml.etree.ElementTree import ParseError, fromstring

ROOT = Path(__file__).parents[2]
if __name__ == "__main__":
    sys.path[:0] = [str(ROOT / "tests")]

from rulewright.cli.main import run_command_line
from rulewright.cli.output import EXIT_MEANINGS
from support.language_cases import list_cases, split_blocks

SECONDS, WAITING, MEMORY = 10, 240, 4 << 30
_SMALL = ("pig", "auction", "blackjack", "risk", "yahtzee")
_SHARE_OF_FLAGS, _SHARE_OF_SAVES = 0.2, 0.1
_WRITERS = frozenset({"fmt", "new"})
_COMMAND = re.compile(r"^\$ rulewright (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
_TYPED = re.compile(r"^> (.*)$", re.MULTILINE)
_TOKEN = re.compile(rb"\w+|[^\w\s]|[ \t]+|\n")
_STEERS = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
_OURS = "this is a fault of rulewright itself"

FRAGMENTS: tuple[bytes, ...] = (
    *(b"\0", b"\x1b[2J", "\x9b31m".encode(), b"\xef\xbb\xbf", "\u202e".encode(), "\u2066".encode(), b"\xed\xa0\x80"),
    *(b"\xff\xfe", b"\r", b"\t", "\u2028".encode(), "é".encode(), "\U000e0041".encode(), b"\\u0000", b'"\\ud800"'),
    *(b'"\\u009b"', b'"\\ufeff"', b'"\\udc00\\ud800"', b"(" * 400, b"[" * 400, b"{a: " * 100, b"not " * 300),
    *(b"9" * 30, b"9" * 5_000, b"-1", b"0", b"1e999", b".inf", b".nan", b"0x10", b"1_000", b"12:30", b"no", b"~"),
    *(b"null", b"true", b"&a [*a]", b"*a", b"<<: 1", b"!!python/object:os.system x", b"%YAML 9", b"--- ", b"? :"),
    *(b'use "../../../../etc/passwd"\n', b'use "."\n', b'use "example.rules"\n', b'use "' + b"x" * 300 + b'"\n'),
    *(b"some x in 1..1000 where ", b"count(1..100000)", b"10000d6", b"1d1000000", b"d0", b"-1d6", b"/ 0", b"^ 99"),
    *(b"while 1 = 1:\n      ", b"proceed to 1", b"perform ", b"end the procedure", b"nowhere", b"none", b"each "),
    *(b"x" * 300, b'"' + b"y" * 3_000 + b'"', b"1..0", b"0..999999999999", b"set of ", b"map of ", b"list of "),
    *(b"<script>alert(1)</script>", b"```\n", b"${x}", b"{{x}}", b"__import__('os')", b"#" * 200, b"\n" * 50),
)
"""What is put into documents."""

VALUES = (
    *(
        "",
        "-",
        "--",
        "x" * 300,
        "a\0b",
        "\udcff.yaml",
        "\x9b",
        "\u202e",
        "no/such/file",
        ".",
        "example.rules",
        "0",
        "1",
    ),
    *(
        "-1",
        "99999999999999999999",
        "1.5",
        "x=y",
        "=",
        "x=",
        "=x",
        "red=blue",
        "none",
        "all",
        "state.yaml",
        "/dev/full",
    ),
    *("/dev/null", "sub", "json", "plain", "human", "full", "decisive", "save.json", "new.scenario.yaml"),
)
"""What is given to options."""

FLAGS = (
    *("--format", "--trace", "--view", "--seed", "--save", "--record", "--state", "--script", "--set", "--with"),
    *("--overlay", "--max-steps", "--max-depth", "--max-members", "--max-dice", "--policy", "--no-script", "--junit"),
    *(
        "--html",
        "--resume",
        "--who",
        "--floor",
        "--step",
        "--clause",
        "-k",
        "--sample",
        "--operators",
        "--as",
        "--load",
    ),
    *("--dice", "--check", "--fix", "--unsafe", "--diff", "--accept", "--yes", "--last-failed", "--git", "--allow"),
    *("--unanswered", "--help", "--version", "--list", "--scenario", "--edits", "--all", "--show", "--games"),
)


@dataclass(frozen=True)
class Attempt:
    """One document, or one command line, with what stands around it.

    Attributes:
        files: what is written before, by name.
        commands: what is run there, in order.
        typed: what somebody types.
        sort: what was changed.
    """

    files: dict[str, bytes]
    commands: tuple[tuple[str, ...], ...]
    typed: str
    sort: str


@dataclass(frozen=True)
class Finding:
    """Something that may not be."""

    number: int
    sort: str
    what: str
    command: str


@cache
def sources() -> tuple[Attempt, ...]:
    """Everything that is changed, as it is before."""
    return (*_of_cases(), *_of_rulesets())


def _of_cases() -> Iterator[Attempt]:
    for case in list_cases():
        text = case.read_text()
        files = {
            each["name"] or "example.rules": each["content"].encode() for each in split_blocks(text, "rules", "yaml")
        }
        commands = tuple(
            (*shlex.split(command), *(("--work", "2000") if command.startswith("diff ") else ()))
            for each in split_blocks(text, "console")
            for command, _ in _COMMAND.findall(each["content"])
            if not command.startswith("new ")
        )
        typed = "".join(
            f"{line}\n" for each in split_blocks(text, "console") for line in _TYPED.findall(each["content"])
        )
        if "example.rules" in files:
            for command in (("check", "example.rules"), *commands):
                yield Attempt(files, (command,), typed, "")


def _of_rulesets() -> Iterator[Attempt]:
    for name in _SMALL:
        folder = ROOT / "rulesets" / name
        files = {
            each.name: each.read_bytes() for each in sorted(folder.iterdir()) if each.suffix in {".rules", ".yaml"}
        }
        scenario = f"{name}.scenario.yaml"
        plays = (("run", scenario, "1", "--seed", "1", "--save", "save.json"), ("test", scenario))
        for commands in (plays, (("check", "."),), (("play", scenario, "1"),), (("fmt", "."), ("check", ".", "--fix"))):
            yield Attempt(files, commands, "1\nyes\nhelp\nundo\nsave mine.json\nquit\n", "")


def attempt(seed: int, number: int) -> Attempt:
    """The document of a number."""
    random = Random(f"{seed} {number}")
    whole = random.choice(sources())
    if random.random() < _SHARE_OF_FLAGS:
        commands = tuple(_flagged(each, random) for each in whole.commands)
        return replace(whole, commands=commands, sort="flags")
    if whole.typed and random.random() < _SHARE_OF_FLAGS:
        lines = [random.choice([*whole.typed.splitlines(), *VALUES, "save", "script", "load"]) for _ in range(9)]
        return replace(whole, typed="".join(f"{each}\n" for each in lines), sort="typed")
    name = random.choice(sorted(whole.files))
    other = random.choice(sources()).files
    donor = random.choice([content for each, content in sorted(other.items())])
    content = whole.files[name]
    for _ in range(random.choice((1, 1, 1, 2, 3, 8))):
        content = _mutated(content, donor, random)
    return replace(whole, files={**whole.files, name: content}, sort=_sort(name))


def _sort(name: str) -> str:
    if name.endswith(".rules"):
        return "rules"
    return "scenario" if ".scenario." in name else "clauses" if ".clauses." in name else "state or script"


def _mutated(content: bytes, donor: bytes, random: Random) -> bytes:
    """A text with one change."""
    tokens = _TOKEN.findall(content) or [b""]
    at = random.randrange(len(tokens))
    until = min(len(tokens), at + random.choice((1, 1, 2, 5, 20)))
    lent = _TOKEN.findall(donor) or [b""]
    begin = random.randrange(len(lent))
    match random.randrange(9):
        case 0:
            tokens[at:until] = []
        case 1:
            tokens[at:until] = tokens[at:until] * random.choice((2, 3, 40))
        case 2:
            tokens[at:until] = [random.choice(FRAGMENTS)]
        case 3:
            tokens.insert(at, random.choice(FRAGMENTS))
        case 4:
            tokens[at:until] = lent[begin : begin + until - at]
        case 5:
            tokens[at] = random.choice(tokens)
        case 6:
            lines = content.splitlines(keepends=True) or [b""]
            lines.insert(random.randrange(len(lines)), random.choice(donor.splitlines(keepends=True) or [b""]))
            return b"".join(lines)
        case 7:
            return content[: random.randrange(len(content) + 1)]
        case _:
            spoilt = bytearray(content or b" ")
            spoilt[random.randrange(len(spoilt))] = random.randrange(256)
            return bytes(spoilt)
    return b"".join(tokens)


def _flagged(command: Sequence[str], random: Random) -> tuple[str, ...]:
    """A command line with one change; what follows `--workers` or names a folder above is never drawn."""
    words = list(command)
    at = random.randrange(1, len(words) + 1)
    match random.randrange(4):
        case 0:
            words[at:at] = [random.choice(FLAGS), random.choice(VALUES)]
        case 1:
            words[at:at] = [random.choice((*FLAGS, *VALUES))]
        case 2 if at < len(words):
            words[at] = random.choice(VALUES)
        case _:
            words[at - 1 : at] = [] if at > 1 else words[:1]
    return tuple(words)


class _TooLong(BaseException):
    """The time is over; no `except Exception` takes it."""


def findings(seed: int, number: int) -> Iterator[Finding]:
    """What is wrong with how one document is met."""
    tried = attempt(seed, number)
    with TemporaryDirectory() as above, patch.dict(os.environ, {"RULEWRIGHT_TRACEBACK": "1"}):
        folder = Path(above) / "a" / "b"
        folder.mkdir(parents=True)
        for name, content in tried.files.items():
            (folder / name).write_bytes(content)
        (folder / "sub").mkdir()
        os.mkfifo(folder / "pipe")
        for command in tried.commands:
            for what in _wrong(command, tried, folder):
                yield Finding(number, tried.sort, what, shlex.join(command).encode(errors="replace").decode())


def _wrong(command: Sequence[str], tried: Attempt, folder: Path) -> Iterator[str]:
    before = _contents(folder)
    ended, said = run(command, tried.typed, folder)
    if isinstance(ended, str):
        yield ended
    elif ended not in set(map(int, EXIT_MEANINGS)):
        yield f"exit {ended}"
    if _OURS in said:
        yield _fault(said)
    steering = () if "--diff" in command else _STEERS.findall(said)  # a diff is a patch
    yield from (f"prints U+{ord(each):04X}" for each in dict.fromkeys(steering))
    after = _contents(folder)
    yield from (f"a draft is left: {each}" for each in after if Path(each).name.startswith(".") and each not in before)
    may_write = command[0] in _WRITERS or {"--fix", "--accept"} & set(command)
    for name in () if may_write else before:
        if after.get(name) != before[name] and name not in command and name not in tried.typed:
            yield f"{name} was changed"
    if not isinstance(ended, str) and command[0] == "run" and "save.json" in after and "save.json" not in before:
        yield from _unread(command, folder)


def _unread(command: Sequence[str], folder: Path) -> Iterator[str]:
    """Whether a save that was just written cannot be read."""
    ended, said = run(("play", command[1], "--load", "save.json"), "quit\n", folder)
    if _OURS in said or "RW070" in said or "RW0750" in said:
        yield f"the save cannot be read: exit {ended}: {said[:300]}"


def _contents(folder: Path) -> dict[str, bytes]:
    return {
        each.relative_to(folder).as_posix(): each.read_bytes() for each in sorted(folder.rglob("*")) if each.is_file()
    }


def run(command: Sequence[str], typed: str, folder: Path) -> tuple[int | str, str]:
    """The exit code of a command, or what is wrong with how it ended, and what it printed."""
    printed = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="backslashreplace", newline="")

    def stop(*_: object) -> None:
        raise _TooLong

    signal.signal(signal.SIGPROF, stop)
    signal.signal(signal.SIGALRM, stop)
    begun = time.process_time()
    ended: int | str
    try:
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        signal.setitimer(signal.ITIMER_REAL, WAITING)
        given = io.TextIOWrapper(io.BytesIO(typed.encode(errors="surrogateescape")), errors="surrogateescape")
        with chdir(folder), patch("sys.stdin", given), redirect_stdout(printed), redirect_stderr(printed):
            ended = int(run_command_line(command))
    except _TooLong:
        ended = f"took over {SECONDS} s" if time.process_time() - begun > SECONDS - 1 else "waits for nothing"
    except BaseException as fault:  # noqa: BLE001 - whatever comes out is a finding
        ended = f"raised {type(fault).__name__}: {fault}"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
    with suppress(ValueError):
        printed.flush()
    return ended, printed.buffer.getvalue().decode(errors="replace") if isinstance(printed.buffer, io.BytesIO) else ""


def _fault(said: str) -> str:
    """The fault that is told, with the last lines of its traceback."""
    what = re.search(r"^  what: (.*)$", said, re.MULTILINE)
    return f"own fault: {what[1] if what else '?'}\n{said[-1_200:]}"


def _part(seed: int, numbers: Sequence[int], place: Path) -> None:
    """Tries documents one after another, and writes down what comes of each."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    with place.open("a", encoding="utf-8") as file:
        for number in numbers:
            print(json.dumps({"begun": number}), file=file, flush=True)
            for each in findings(seed, number):
                print(json.dumps(asdict(each)), file=file, flush=True)
            print(json.dumps({"done": number}), file=file, flush=True)


def tried(seed: int, count: int, workers: int, place: Path) -> list[Finding]:
    """The findings of so many documents; those that a file tells of are not tried again."""
    while True:
        lines = [json.loads(each) for each in place.read_text(encoding="utf-8").splitlines()] if place.exists() else []
        over = {each["done"] for each in lines if "done" in each}
        stuck = {each["begun"] for each in lines if "begun" in each} - over
        found = [Finding(**each) for each in lines if "what" in each]
        found += [Finding(each, "", "the process ended", "") for each in sorted(stuck)]
        left = [each for each in range(count) if each not in over | stuck]
        if not left:
            return found
        parts = [Process(target=_part, args=(seed, left[each::workers], place)) for each in range(workers)]
        for part in parts:
            part.start()
        for part in parts:
            part.join()
    return found


_KILLED = (
    ("run", "pig.scenario.yaml", "takes it all", "--save", "out.json"),
    ("run", "pig.scenario.yaml", "takes it all", "--record", "out.scenario.yaml"),
    ("test", "pig.scenario.yaml", "--junit", "out.xml"),
    ("cover", "pig.scenario.yaml", "--html", "out.html"),
    ("fmt", "pig.rules"),
    ("check", "more/slipped.rules", "--fix"),
    ("mutate", "pig.scenario.yaml", "--resume", "out.jsonl", "--workers", "1"),
    ("test", "failing.scenario.yaml", "--accept", "--yes"),
    ("new", "out"),
    ("new", "out", "--from", "pig"),
    ("play", "pig.scenario.yaml", "takes it all", "--no-script", "--seed", "1", "--save", "out.json"),
    (
        "diff",
        "pig.rules",
        "more/other.rules",
        "--as",
        "pig.rules",
        "--work",
        "20000",
        "--write-scenario",
        "o.scenario.yaml",
    ),
    ("diff", "pig.rules", "more/other.rules", "--as", "pig.rules", "--work", "20000", "--html", "out.html"),
)
_SAID = "save a.json\nscript a.yaml\n1\nsave b.json\nyes\nscript b.yaml\nquit\n"


def killed(seed: int, number: int) -> Iterator[Finding]:
    """What is wrong after a command that writes was ended at some moment."""
    random = Random(f"kill {seed} {number}")
    command = _KILLED[number % len(_KILLED)]
    with TemporaryDirectory() as above:
        whole, folder = Path(above) / "whole", Path(above) / "killed"
        for each in (whole, folder):
            _pig(each)
        environment = {**os.environ, "XDG_CACHE_HOME": f"{above}/cache" if number % 2 else os.environ["HOME"]}
        begun = time.monotonic()
        _started(command, whole, environment).wait()
        lasts = time.monotonic() - begun
        before = _contents(folder)
        process = _started(command, folder, environment)
        with suppress(subprocess.TimeoutExpired):
            process.wait(lasts * random.choice((random.uniform(0.05, 1.1), random.uniform(0.85, 1.05))))
        process.kill()
        process.wait()
        after, finished = _contents(folder), _contents(whole)
        for name, content in after.items():
            if Path(name).name.startswith(".") or "/." in f"/{name}":
                continue
            if content not in (before.get(name), finished.get(name)) and not _is_whole(name, content):
                yield Finding(number, "kill", f"{name} is half written", shlex.join(command))
        again = _started(command, folder, environment).wait()
        may_refuse = {2} if command[0] == "new" or {"--record", "--write-scenario"} & {*command} else set()
        if again not in {0, 1, *may_refuse}:
            yield Finding(number, "kill", f"exit {again} afterwards", shlex.join(command))


def _is_whole(name: str, content: bytes) -> bool:
    """Whether a file that differs each time, for it holds times, is whole: but for the last line of one that grows."""
    try:
        match Path(name).suffix:
            case ".jsonl":
                return all(isinstance(json.loads(each), dict) for each in content.splitlines()[:-1])
            case ".xml":
                return fromstring(content).tag == "testsuites"  # noqa: S314 - it is our own
            case _:
                return False
    except (ValueError, ParseError):
        return False


def _pig(folder: Path) -> None:
    """A ruleset that each command that writes finds something to write for."""
    shutil.copytree(ROOT / "rulesets" / "pig", folder)
    rules = (folder / "pig.rules").read_bytes().replace(b"  ", b"    ")
    (folder / "pig.rules").write_bytes(rules)
    (folder / "more").mkdir()
    (folder / "more" / "other.rules").write_bytes(rules.replace(b"= 1:", b"= 2:"))
    (folder / "more" / "slipped.rules").write_bytes(rules.replace(b"finish with 0", b"Finish with 0"))
    scenario = (folder / "pig.scenario.yaml").read_bytes().replace(b"result: 11", b"result: 12")
    (folder / "failing.scenario.yaml").write_bytes(b"ruleset: pig.rules\n" + scenario)


def _started(command: Sequence[str], folder: Path, environment: dict[str, str]) -> subprocess.Popen[bytes]:
    """A command that writes; what somebody types comes at once."""
    quiet = subprocess.DEVNULL
    words = [sys.executable, "-m", "rulewright", *command]
    process = subprocess.Popen(words, cwd=folder, env=environment, stdin=subprocess.PIPE, stdout=quiet, stderr=quiet)
    assert process.stdin is not None
    with suppress(BrokenPipeError), process.stdin as typed:
        typed.write(_SAID.encode())
    return process


def _shown(seed: int, number: int) -> None:
    each = attempt(seed, number)
    for name, content in each.files.items():
        print(f"=== {name}\n{content.decode(errors='backslashreplace')}")
    print(f"=== {each.sort}\n" + "\n".join(map(shlex.join, each.commands)) + f"\n=== typed\n{each.typed}")
    for found in findings(seed, number):
        print(f"=== {found.command}\n{found.what}")


def main() -> int:
    """Tries what was asked for and tells what was found."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--count", type=int, default=1_000)
    asked.add_argument("--kills", type=int, default=0)
    asked.add_argument("--seed", type=int, default=0)
    asked.add_argument("--workers", type=int, default=1)
    asked.add_argument("--resume", type=Path)
    asked.add_argument("--only", type=int)
    given = asked.parse_args()
    if given.only is not None:
        _shown(given.seed, given.only)
        return 0
    begun = time.monotonic()
    with TemporaryDirectory() as folder:
        found = tried(given.seed, given.count, given.workers, given.resume or Path(folder) / "known.jsonl")
    found += [each for number in range(given.kills) for each in killed(given.seed, number)]
    for each in found:
        print(f"{each.number} ({each.sort}): {each.command}\n  {each.what}")
    sorts = Counter(each.what.partition("\n")[0].partition(":")[0] for each in found)
    print(f"{given.count} documents and {given.kills} kills in {time.monotonic() - begun:.0f} s: {len(found)} findings")
    for what, number in sorts.most_common():
        print(f"  {number} {what}")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
