"""Looks for verdicts of `rulewright diff` that depend on the clock, on load or on the number of processes.

`python tests/corpus/repeated.py --count 30 --times 20`: so many mutants, drawn by a seed, are compared so many times
beside a process that is never idle, with one, two and three processes by turns and texts hashed otherwise each time.
What is printed as JSON has to be the same every time. It ends with 1 where it is not.
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[2]
if __name__ == "__main__":
    sys.path[:0] = [str(ROOT / "tests")]

from corpus.verdicts import Judging, Subject, drawn
from rulewright.diff.mutants import Mutant


def printed(judging: Judging, subject: Subject, number: int) -> bytes:
    """What a process of its own prints; 2 at its end is that of a mutant with errors, of which nothing is said."""
    command = [sys.executable, "-m", "rulewright", *judging.arguments(subject, workers=1 + number % 3)]
    environment = {**os.environ, "PYTHONHASHSEED": str(number)}
    done = subprocess.run(command, capture_output=True, check=False, cwd=judging.folder, env=environment)
    return b"" if done.returncode == 2 else done.stdout


@contextmanager
def busy() -> Iterator[None]:
    """Beside a process that is never idle."""
    load = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        yield
    finally:
        load.kill()
        load.wait()


def unlike(judging: Judging, seed: int, count: int, times: int) -> Iterator[tuple[Subject, Mutant, int]]:
    """Of so many mutants each, and in how many ways it is told."""
    compared = 0
    for subject, mutant in drawn(seed):
        if compared == count:
            break
        judging.lay(subject, mutant)
        first = printed(judging, subject, 0)
        if first:
            compared += 1
            others = {printed(judging, subject, number) for number in range(1, times)}
            yield subject, mutant, len({first} | others)


def main() -> int:
    """Prints what is told in several ways; 1 where anything is."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--count", type=int, default=30)
    asked.add_argument("--times", type=int, default=20)
    asked.add_argument("--seed", type=int, default=0)
    asked.add_argument("--work", type=int, default=100_000)
    given = asked.parse_args()
    several = 0
    with TemporaryDirectory() as made, busy():
        found = unlike(Judging(Path(made), given.work), given.seed, given.count, given.times)
        for subject, mutant, ways in islice(found, given.count):
            several += ways > 1
            print(f"{subject.name} {mutant.name}: {'the same' if ways == 1 else f'told in {ways} ways'}", flush=True)
    print(f"{given.count} mutants, {given.times} times each: {several} told in several ways")
    return int(several > 0)


if __name__ == "__main__":
    sys.exit(main())
