"""Many plays in which the core interpreter follows the judge: of random rulesets, cases and shipped games.

`PYTHONPATH=tests python -m support.core_plays [COMPARISONS [FILE]]` makes 1,000,000 comparisons unless told otherwise,
and goes on where the file says that it was broken off. It tells how many there were and which differ, and exits with 1
where any does.
"""

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import islice
from pathlib import Path
from time import monotonic

from rulewright.base.files import MemoryFiles
from rulewright.documents.ruleset_loading import load_ruleset
from rulewright.documents.ruleset_location import locate_ruleset
from rulewright.documents.state_generation import make_state
from rulewright.documents.value_sampling import SeededChoices, SizeRanges
from rulewright.program.declarations import Program
from rulewright.runtime.state import Situation
from support.board_programs import BoardWriter
from support.core_comparison import CoreDiffersError, compare_core
from support.language_cases import list_cases, split_blocks
from support.legal_starts import iterate_arguments, make_legal_situation
from support.mixed_programs import write_program
from support.payment_programs import PaymentWriter
from support.random_plays import list_games, load_game
from support.random_rulesets import RulesetWriter, make_situation
from support.reference.ruleset_texts import load_text
from support.reference.world import UnsupportedByJudge
from support.thick_programs import ThickWriter

_COMPARISONS = 1_000_000
_STARTS, _PLAYS, _TOLD_EVERY_S = 4, 10, 60


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
    make_start: Callable[[int], Situation | None]


@lru_cache(20)
def list_random_subjects(seed: int) -> tuple[Subject, ...]:
    """Rulesets written at random with one seed, of each sort one."""
    written = {
        "random ruleset": RulesetWriter(seed).write_ruleset(),
        "board ruleset": BoardWriter(seed).write_ruleset(),
        "payment ruleset": PaymentWriter(seed).write_ruleset(),
        "mixed ruleset": write_program(seed)[0],
        "thick ruleset": ThickWriter(seed).write_ruleset(),
    }
    checked = {name: load_text(text).program for name, text in written.items()}
    return tuple(
        Subject(
            f"{name} {seed}",
            program,
            ("main",),
            make_situation if name == "random ruleset" else _prepare_starts(program),
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
    return Subject(name, program, procedures, _prepare_starts(program))


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


def _prepare_starts(program: Program) -> Callable[[int], Situation | None]:
    return lambda seed: make_legal_situation(lambda: make_state(program, SizeRanges(), SeededChoices(seed)), program)


def compare_subject(subject: Subject, seeds: Iterable[int], counts: Counts) -> None:
    """Plays all procedures of a subject from a state of each seed; a subject that differs is left there."""
    for seed in seeds:
        start = subject.make_start(seed)
        for name in subject.procedures if start is not None else ():
            assert start is not None
            procedure = subject.program.procedures[name]
            found = iterate_arguments(start, procedure, subject.program, SeededChoices(seed))
            for arguments in islice(found, _STARTS):
                place = f"{subject.name}, {name}{arguments}, seed {seed}"
                try:
                    played = compare_core(subject.program, start, name, arguments, seed)
                except (CoreDiffersError, NotImplementedError, UnsupportedByJudge, RecursionError) as error:
                    if isinstance(error, CoreDiffersError):
                        counts.differing.append(f"{place}: {error}")
                        return
                    counts.left_out[f"{type(error).__name__} {error}"] += 1
                    break
                counts.plays += 1
                counts.requests += len(played.asked)
                counts.ends[played.how if played.how != "faulted" else played.result] += 1
                if played.how == "ended":
                    break


def compare_round(number: int, plays: int, counts: Counts) -> None:
    """Compares random rulesets of a seed, a case and a shipped game."""
    case, _ = list_language_cases()[number % len(list_language_cases())]
    for subject in (*list_random_subjects(number), find_case_subject(case), find_shipped_subject(number)):
        if subject is not None:
            compare_subject(subject, range(number, number + plays), counts)
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
