"""Many plays in which the core interpreter and the machine follow the judge: of random rulesets, cases and shipped games.

`PYTHONPATH=tests python -m support.core_plays [COMPARISONS [FILE]]` makes 1,000,000 comparisons unless told otherwise,
and goes on where the file says that it was broken off. It tells how many there were and which differ, and exits with 1
where any does.
"""

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import islice, product
from pathlib import Path
from time import monotonic
from typing import Any

from rulewright.base.files import MemoryFiles
from rulewright.documents.ruleset_loading import load_ruleset
from rulewright.documents.ruleset_location import locate_ruleset
from rulewright.documents.state_generation import make_state
from rulewright.documents.value_sampling import SeededChoices, SizeRanges
from rulewright.program.declarations import Program
from rulewright.runtime.state import Situation
from support.board_programs import BoardWriter
from support.core_comparison import CoreDiffersError, compare_core
from support.judge_comparison import compare_with_judge
from support.language_cases import list_cases, split_blocks
from support.legal_starts import iterate_arguments, make_legal_situation
from support.mixed_programs import write_program
from support.payment_programs import PaymentWriter
from support.random_plays import list_games, load_game
from support.random_rulesets import RulesetWriter, make_situation
from support.reference.judge import Judge
from support.reference.ruleset_texts import load_text
from support.reference.standing_rules import check_invariants
from support.reference.world import JudgedFault, UnsupportedByJudge, open_world
from support.thick_programs import ThickWriter

_COMPARISONS = 1_000_000
_PLAYS, _TOLD_EVERY_S = 10, 60
_STATES, _BEGINS, _SEED_STEP = 40, 100, 1_000


@dataclass
class Counts:
    """What came of comparisons; `rounds` of them are done."""

    rounds: int = 0
    plays: int = 0
    requests: int = 0
    ends: Counter[str] = field(default_factory=Counter)  # how plays ended; of faults the code
    left_out: Counter[str] = field(default_factory=Counter)  # why plays were not made
    differing: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Subject:
    """Procedures of a program, played from random states."""

    name: str
    program: Program
    procedures: tuple[str, ...]
    make_state: Callable[[int], Situation | None]

    def list_begins(self, procedure: str, seed: int) -> Iterator[tuple[Situation, tuple[Any, ...]]]:
        """States in which what always holds does hold, each with arguments in random order."""
        for state in (self.make_state(seed + _SEED_STEP * number) for number in range(_STATES)):
            if state is not None and _is_lawful(self.program, state):
                declared = self.program.procedures[procedure]
                for arguments in iterate_arguments(state, declared, self.program, SeededChoices(seed)):
                    yield state, arguments


def _is_lawful(program: Program, state: Situation) -> bool:
    try:
        check_invariants(Judge(open_world(program, state)))
    except JudgedFault:
        return False
    return True


def write_random_rulesets(seed: int) -> dict[str, str]:
    """Texts of rulesets written at random with one seed, of each sort one."""
    return {
        "random ruleset": RulesetWriter(seed).write_ruleset(),
        "board ruleset": BoardWriter(seed).write_ruleset(),
        "payment ruleset": PaymentWriter(seed).write_ruleset(),
        "mixed ruleset": write_program(seed)[0],
        "thick ruleset": ThickWriter(seed).write_ruleset(),
    }


@lru_cache(20)
def list_random_subjects(seed: int) -> tuple[Subject, ...]:
    """Rulesets written at random with one seed, of each sort one."""
    checked = {name: load_text(text).program for name, text in write_random_rulesets(seed).items()}
    return tuple(
        Subject(
            f"{name} {seed}",
            program,
            ("main",),
            make_situation if name == "random ruleset" else _prepare_states(program),
        )
        for name, program in checked.items()
        if program is not None
    )


@cache
def list_language_cases() -> tuple[tuple[str, dict[str, str]], ...]:
    """Texts of the cases of the language that are sound, by file."""
    cases = []
    for case in list_cases():
        if case.good:
            blocks = split_blocks(case.read_text(), "rules")
            cases.append((case.name, {block["name"] or "example.rules": block["content"] for block in blocks}))
    return tuple(cases)


def find_case_subject(name: str) -> Subject | None:
    """The procedures of a case of the language; none where it has no ruleset of its own."""
    provider = MemoryFiles(dict(list_language_cases())[name])
    program = load_ruleset(locate_ruleset("example.rules", provider), provider=provider).program
    return None if program is None else make_subject(f"case {name}", program)


def make_subject(name: str, program: Program) -> Subject:
    """All procedures that may be begun."""
    procedures = tuple(each.name for each in program.procedures.values() if not each.inner)
    return Subject(name, program, procedures, _prepare_states(program))


def find_shipped_subject(number: int) -> Subject:
    """A procedure of a shipped game."""
    games = [*list_games()]
    name, overlays, procedure = games[number % len(games)]
    game = load_game(name, overlays, procedure)
    return Subject(
        " + ".join((name, *overlays)),
        game.ruleset.program,
        (procedure,),
        lambda seed: game.make_situation(seed, SeededChoices(seed)),
    )


def _prepare_states(program: Program) -> Callable[[int], Situation | None]:
    return lambda seed: make_legal_situation(lambda: make_state(program, SizeRanges(), SeededChoices(seed)), program)


def compare_subject(subject: Subject, seeds: Iterable[int], counts: Counts, *, machine: bool = False) -> None:
    """Plays each procedure of a subject so often, begun where it is not refused; a subject that differs is left there.

    The core interpreter follows the judge, and if wanted the machine, which plays the Python written from core.
    """
    for seed, procedure in product(seeds, subject.procedures):
        for start, arguments in islice(subject.list_begins(procedure, seed), _BEGINS):
            try:
                played = compare_core(subject.program, start, procedure, arguments, seed)
                if machine:
                    compare_with_judge(subject.program, start, procedure, arguments, seed)
                    counts.plays += 1
            except (CoreDiffersError, AssertionError) as error:
                counts.differing.append(f"{subject.name}, {procedure}{arguments}, seed {seed}: {error!r}")
                return
            except (NotImplementedError, UnsupportedByJudge, RecursionError) as error:
                counts.left_out[f"{type(error).__name__} {error}"] += 1
                break
            counts.plays += 1
            counts.requests += len(played.asked)
            counts.ends[played.how if played.how != "faulted" else played.result] += 1
            if played.how != "refused":
                break


def compare_round(number: int, plays: int, counts: Counts) -> None:
    """Compares random rulesets of a seed, a case, and a shipped game, which may take long, once."""
    case, _ = list_language_cases()[number % len(list_language_cases())]
    for subject in (*list_random_subjects(number), find_case_subject(case)):
        if subject is not None:
            compare_subject(subject, range(number, number + plays), counts, machine=True)
    compare_subject(find_shipped_subject(number), [number], counts, machine=True)
    counts.rounds = number + 1


def main(comparisons: int, file: str) -> int:
    """Makes so many comparisons, and tells of them."""
    kept, told = Path(file) if file else None, monotonic()
    counts = Counts()
    if kept is not None and kept.exists():
        read = json.loads(kept.read_text(encoding="utf-8"))
        counts = Counts(**read | {name: Counter(read[name]) for name in ("ends", "left_out")})
    while counts.plays < comparisons:
        compare_round(counts.rounds, _PLAYS, counts)
        if kept is not None:
            kept.write_text(json.dumps(vars(counts)), encoding="utf-8")
        if monotonic() - told > _TOLD_EVERY_S:
            told = monotonic()
            print(f"{counts.plays:,} so far, {len(counts.differing)} differ", flush=True)
    print(*counts.differing, sep="\n")
    ends = ", ".join(f"{number:,} {end}" for end, number in counts.ends.most_common())
    print(f"{counts.plays:,} comparisons with {counts.requests:,} requests: {ends}")
    print(*(f"left out: {number:,} {why}" for why, number in counts.left_out.most_common()), sep="\n")
    print(f"{len(counts.differing)} differ")
    return int(bool(counts.differing))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if sys.argv[1:] else _COMPARISONS, "".join(sys.argv[2:3])))
