"""Plays of core programs before and after normalization, which have to come to the same.

`PYTHONPATH=tests python -m support.normal_form_plays FIRST ROUNDS` plays so many rounds of random rulesets, cases of the
language and shipped games, from the first on, and tells which differ.
"""

import sys
from collections.abc import Collection, Iterable
from functools import partial
from itertools import islice, product
from random import Random
from typing import Any

from rulewright.base.frozen import replace
from rulewright.diff.normal_forms.normalizer import RoutineNormalizer, analyze_core
from rulewright.program.core.forms import CoreProgram
from rulewright.program.core.lowering import lower_program
from rulewright.program.declarations import Program
from rulewright.runtime.state import Situation
from support.core_interpreter import play_core
from support.core_plays import (
    Subject,
    find_case_subject,
    find_shipped_subject,
    list_language_cases,
    list_random_subjects,
)
from support.judge_comparison import choose_answer, describe_game
from support.reference.judge_requests import JudgeRequest
from support.reference.play import JudgedPlay
from support.reference.world import UnsupportedByJudge

_BEGINS = 20


def normalize_core(
    program: Program, core_program: CoreProgram, inlined: Collection[str] = (), excluded: str = ""
) -> CoreProgram:
    """A core program in which every routine that a declaration is lowered to is in normal form."""
    facts = analyze_core(program, core_program)
    routines = {
        key: RoutineNormalizer(facts, {}, inlined, excluded).normalize(routine)
        for key, routine in core_program.routines.items()
    }
    return replace(core_program, routines=routines)


class PlaysDifferentlyError(AssertionError):
    """A program and its normal form do not play alike."""


def describe_request(asked: JudgeRequest) -> tuple[Any, ...]:
    """What counts of a request: neither its line nor the order in which answers are listed."""
    legal = None if asked.legal is None else sorted(map(repr, asked.legal))
    items = len(asked.items) if asked.sort == "handlers" else asked.items
    return asked.sort, asked.player, legal, items, asked.faces, asked.name, asked.arguments, asked.claimable


def compare_normal_form(
    program: Program,
    programs: tuple[CoreProgram, CoreProgram],
    start: Situation,
    procedure: str,
    arguments: tuple[Any, ...],
    answer: Any,
) -> JudgedPlay:
    """A play of a core program with random answers, which its normal form follows."""
    given: list[tuple[tuple[Any, ...], Any]] = []

    def answer_first(asked: JudgeRequest) -> Any:
        if asked.legal is None and asked.allows is not None:
            assert asked.tried is not None
            chosen = next((each for each in islice(asked.tried(), 60) if asked.allows(each) is True), None)
        else:
            chosen = answer(asked)
        given.append((describe_request(asked), chosen))
        return chosen

    first = play_core(programs[0], program, start, procedure, arguments, answer_first)
    left = iter(given)

    def answer_again(asked: JudgeRequest) -> Any:
        heard = next(left, None)
        if heard is None or heard[0] != describe_request(asked):
            raise PlaysDifferentlyError(f"asked {heard and heard[0]}, then {describe_request(asked)}")
        return heard[1]

    second = play_core(programs[1], program, start, procedure, arguments, answer_again)
    if next(left, None) is not None:
        raise PlaysDifferentlyError(f"the normal form {second.how} early")
    ends = [(each.how, each.result if each.how == "ended" else None) for each in (first, second)]
    if ends[0] != ends[1]:
        raise PlaysDifferentlyError(f"{ends[0]}, then {ends[1]} {first.result} {second.result}")
    if first.how == "ended" and (
        describe_game(first.game, program) != describe_game(second.game, program) or first.rolls != second.rolls
    ):
        raise PlaysDifferentlyError("another game")
    return first


def compare_subject(subject: Subject, seeds: Iterable[int], *, inlines: bool) -> tuple[int, list[str]]:
    """Plays all procedures of a subject from a state of each seed; how many plays there were, and which differ.

    Conditions in another order may compare `none` where another of them rules it out, which only fails here: of what
    is never evaluated in either program any value may be thought.
    """
    program = subject.program
    before = lower_program(program)
    called = {*program.functions, *program.procedures} if inlines else set()
    programs = before, normalize_core(program, before, called)
    plays, differing = 0, []
    for seed, name in product(seeds, subject.procedures):
        for start, arguments in islice(subject.list_begins(name, seed), _BEGINS):
            answer = partial(_choose_answer, program, start, Random(seed))
            try:
                played = compare_normal_form(program, programs, start, name, arguments, answer)
            except PlaysDifferentlyError as error:
                differing.append(f"{subject.name}, {name}{arguments}, seed {seed}: {error}")
                break
            except (NotImplementedError, UnsupportedByJudge, RecursionError, TypeError):
                break
            plays += 1
            if played.how != "refused":
                break
    return plays, differing


def _choose_answer(program: Program, start: Situation, draw: Random, asked: JudgeRequest) -> Any:
    return choose_answer(asked, program, start, draw)


def list_subjects(number: int) -> list[Subject]:
    """Random rulesets of a seed, a case of the language and a shipped game."""
    case, _ = list_language_cases()[number % len(list_language_cases())]
    found = (*list_random_subjects(number), find_case_subject(case), find_shipped_subject(number))
    return [subject for subject in found if subject is not None]


def main(begin: int, rounds: int) -> int:
    """Plays rounds, and tells of them."""
    plays, different = 0, 0
    for number in range(begin, begin + rounds):
        differing = list[str]()
        for subject in list_subjects(number):
            played, found = compare_subject(subject, range(number, number + 3), inlines=bool(number % 2))
            plays += played
            differing += found
        different += len(differing)
        print(*differing, sep="\n", end="\n" if differing else "", flush=True)
    print(f"{plays:,} plays, {different} differ")
    return int(bool(different))


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:3])))
