"""Prints how long `rulewright check` takes as a new process: `python tests/benchmarks/check.py`.

For every shipped ruleset: with nothing kept, again with nothing changed, and after its largest file was edited, all
else being kept. Beside the milliseconds of the processor stands how many times as long that is as Python needs to start
and end; the smallest and the median of several runs. Modules are compiled beforehand, as those of an installed package.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median
from tempfile import TemporaryDirectory

from rulewright.documents.ruleset_loading import load_ruleset
from rulewright.documents.ruleset_location import locate_ruleset

ROOT = Path(__file__).parents[2]
RULESETS = sorted(each for each in (ROOT / "rulesets").iterdir() if each.is_dir())
ROUNDS = 5


def nothing() -> None:
    """What is done before a run where nothing is."""


def seconds(*arguments: str, kept: Path, before: Callable[[], None] = nothing) -> tuple[float, float]:
    """The smallest and the median time of a Python process; a first run is not counted."""
    times = []
    environment = {**os.environ, "XDG_CACHE_HOME": str(kept), "PYTHONPYCACHEPREFIX": str(kept.parent / "compiled")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    for _ in range(ROUNDS + 1):
        before()
        begun = processor()
        subprocess.run([sys.executable, *arguments], check=True, capture_output=True, env=environment)
        times.append(processor() - begun)
    return min(times[1:]), median(times[1:])


def processor() -> float:
    """The seconds of the processor that processes which ended have taken."""
    spent = getrusage(RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def edited(file: Path) -> None:
    """Adds a comment to a file."""
    with file.open("a", encoding="utf-8") as text:
        text.write("# edited\n")


def told(name: str, found: tuple[float, float], empty: float) -> str:
    """A column of the table."""
    least, middle = found
    return f"{name} {least * 1e3:5.0f} {middle * 1e3:5.0f} ms, {least / empty:5.1f} times"


def main() -> None:
    """Prints the table."""
    with TemporaryDirectory() as made:
        folder = Path(made)
        kept = folder / "kept"
        empty, _ = seconds("-c", "pass", kept=kept)
        print(f"{'python alone':<26} {empty * 1e3:.0f} ms")
        for ruleset in RULESETS:
            copy = folder / ruleset.name
            shutil.copytree(ruleset, copy)
            read = load_ruleset(locate_ruleset(str(copy))).texts
            largest = max(map(Path, read), key=lambda each: each.stat().st_size)
            check = ("-m", "rulewright", "check", str(copy))

            def forget() -> None:
                shutil.rmtree(kept, ignore_errors=True)

            def edit(file: Path = largest) -> None:
                edited(file)

            columns = [
                told("first", seconds(*check, kept=kept, before=forget), empty),
                told("again", seconds(*check, kept=kept), empty),
                told("edited", seconds(*check, kept=kept, before=edit), empty),
            ]
            print(f"{ruleset.name:<26} {'   '.join(columns)}", flush=True)


if __name__ == "__main__":
    main()
