"""Programs in which every option of a roll meets every sort of branch: machine, judge and batch path play them alike.

`support.mixed_programs` makes a million comparisons.
"""

from collections import Counter, defaultdict

import pytest

from support.mixed_programs import ComparisonCounts, compare_plays, write_program
from support.sample_sizes import choose_count

pytest.importorskip("wasmtime")


def test_they_play_alike() -> None:
    found = ComparisonCounts()
    for seed in range(1, choose_count(10, 200)):
        compare_plays(seed, 60, found)
    assert found.wrong == []
    assert found.plays > 40 * found.programs
    assert found.batch > 0.1 * found.plays
    assert found.faults < 0.3 * found.plays


HEADS = ("if", "else", "on", "otherwise", "for", "repeat", "ask", "option")
OPTIONS = ("keep", "drop", "explode", "with advantage", "] keep", "] drop", "] explode", "d66", "step")


def test_one_name_is_given_by_rolls_of_different_sorts_in_every_sort_of_branch() -> None:
    heads: Counter[str] = Counter()
    options: Counter[str] = Counter()
    for seed in range(400):
        lines = write_program(seed)[0].splitlines()
        rolls: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
        for number, line in enumerate(lines):
            thrown, _, name = line.partition(" as ")
            if thrown.strip().startswith("roll "):
                above = next(each for each in reversed(lines[:number]) if _measure_indent(each) < _measure_indent(line))
                rolls[name.split()[0]].append((above.split()[0].rstrip(":"), thrown.strip()))
        for found in rolls.values():
            if len({thrown for _, thrown in found}) > 1:
                heads.update(head for head, _ in found)
                options.update(each for each in OPTIONS if any(each in thrown for _, thrown in found))
    assert {each: heads[each] for each in HEADS if heads[each] < 20} == {}
    assert {each: options[each] for each in OPTIONS if options[each] < 20} == {}


def _measure_indent(line: str) -> int:
    return len(line) - len(line.lstrip())
