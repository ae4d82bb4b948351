"""Programs in which every option of a roll meets every sort of branch: four engines play them alike.

`support.core_plays` makes millions of comparisons of these, too.
"""

from collections import Counter, defaultdict

import pytest

from support.core_plays import JUDGE_AND_BATCH, JUDGE_AND_RUN, Counts, EngineSubject, make_subject
from support.random_programs import write_program
from support.reference.ruleset_texts import load_text
from support.sample_sizes import choose_count

pytest.importorskip("wasmtime")


def test_they_play_alike() -> None:
    counts = Counts()
    for seed in range(1, choose_count(10, 200)):
        program = load_text(write_program("mixed", seed)).program
        if program is not None:
            EngineSubject.compile(make_subject("mixed", program)).compare_procedure("main", seed, (2, 25), counts)
    assert counts.differing == []
    assert not counts.left_out
    assert counts.pairs[JUDGE_AND_BATCH] > 0.1 * counts.pairs[JUDGE_AND_RUN]
    assert counts.ends["ended"] > 0.7 * counts.pairs[JUDGE_AND_RUN]


HEADS = ("if", "else", "on", "otherwise", "for", "repeat", "ask", "option")
OPTIONS = ("keep", "drop", "explode", "with advantage", "] keep", "] drop", "] explode", "d66", "step")


def test_one_name_is_given_by_rolls_of_different_sorts_in_every_sort_of_branch() -> None:
    heads: Counter[str] = Counter()
    options: Counter[str] = Counter()
    for seed in range(400):
        lines = write_program("mixed", seed).splitlines()
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
