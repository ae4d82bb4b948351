"""Many plays in which four engines agree: judge, core interpreter, `Run` and batch path.

`PYTHONPATH=tests python -m support.core_plays [COMPARISONS [FILE]]` makes 10,000,000 comparisons unless told otherwise, of
rulesets written at random, cases of the language and procedures of shipped games, and goes on where the file says that
it was broken off. It tells how many there were of each two engines and which differ, and exits with 1 where any does.

One comparison is one play whose whole course was the same in two engines: each request in order, with its line, player,
members, dice and legal answers in order (of a pick, split or order all if they are few, else that the given one is
legal), and its end: result, game and dice, or the line that refuses it, or the fault with code and address. A play
counts for each of the pairs judge and core interpreter, judge and `Run`, judge and batch path that played it. The core
interpreter takes the same steps, too. A play that went as one before from the same start is no comparison. The batch
path asks nobody: it draws dice and answers by the number of the play as `Run` does, and compared is all that can be
counted of its end; plays that it gives back, or that ask for results from elsewhere, are no comparisons with it. The first play of each start is compared once more with
a `Run` that stops at each request and keeps a record: its explained requests, and its steps. A play that asks for a
place or a heading is compared in this way alone, with answers drawn by the judge.
"""

import gc
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from itertools import islice, product
from pathlib import Path
from random import Random
from time import monotonic
from typing import Any

from rulewright.base.files import MemoryFiles
from rulewright.documents.ruleset_loading import load_ruleset
from rulewright.documents.ruleset_location import locate_ruleset
from rulewright.documents.state_generation import make_state
from rulewright.documents.value_sampling import SeededChoices, SizeRanges
from rulewright.play.session import PlayStart
from rulewright.program.declarations import Program
from rulewright.runtime.executable import Executable, compile_program
from rulewright.runtime.faults import RunLimits
from rulewright.runtime.state import Situation
from support.core_comparison import CoreDiffersError, compare_core
from support.engine_plays import (
    AskedForPlaceError,
    BatchSide,
    EnginePlays,
    is_of_shape,
    measure_all,
    prepare_batch,
)
from support.judge_comparison import assert_judge_agrees, begin_judged_playing, compare_with_judge
from support.language_cases import list_cases, split_blocks
from support.legal_starts import iterate_arguments, make_legal_situation
from support.random_plays import list_games, load_game
from support.random_programs import make_situation, read_found, write_program
from support.reference.judge import Judge
from support.reference.play import JudgedPlay
from support.reference.ruleset_texts import load_program, load_text
from support.reference.standing_rules import check_invariants
from support.reference.world import JudgedFault, UnsupportedByJudge, open_world

_COMPARISONS, _TOLD_EVERY_S = 10_000_000, 60
_STATES, _BEGINS, _SEED_STEP = 40, 100, 1_000
_OF_RANDOM, _OF_THICK, _OF_CASE, _OF_SHIPPED = (12, 96), (12, 8), (2, 6), (2, 40)
"""Starts of a procedure in a round, and plays of each."""
_MOST_REFUSED, _MOST_KERNELS = 5, 2
JUDGE_AND_CORE, JUDGE_AND_RUN = "judge and core interpreter", "judge and `Run`"
JUDGE_AND_RECORD, JUDGE_AND_BATCH = "judge and recorded `Run`", "judge and batch path"


@dataclass
class Counts:
    """What came of comparisons; `rounds` of them are done."""

    rounds: int = 0
    plays: int = 0  # comparisons
    requests: int = 0
    repeated: int = 0  # plays that went as another of their start: no comparisons
    programs: int = 0
    pairs: Counter[str] = field(default_factory=Counter)  # comparisons by the engines compared
    given_back: Counter[str] = field(default_factory=Counter)  # why the batch path did not play
    ends: Counter[str] = field(default_factory=Counter)  # how plays ended; of faults the code
    left_out: Counter[str] = field(default_factory=Counter)  # why plays were not made
    differing: list[str] = field(default_factory=list)

    def count_comparison(self, pair: str) -> None:
        self.plays += 1
        self.pairs[pair] += 1

    def count_play(self, played: JudgedPlay) -> None:
        self.requests += len(played.asked)
        self.ends[played.how if played.how != "faulted" else played.result] += 1


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
        "random ruleset": write_program("random", seed),
        "board ruleset": write_program("board", seed),
        "payment ruleset": write_program("payment", seed),
        "mixed ruleset": write_program("mixed", seed),
        "thick ruleset": write_program("thick", seed),
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


def load_found_subject(sort: str, seed: int) -> Subject:
    """The main procedure of a program that a fault was once found with."""
    found = make_subject(f"{sort} ruleset found with {seed}", load_program(read_found(sort, seed)))
    make_state = make_situation if sort == "random" else found.make_state
    return replace(found, procedures=("main",), make_state=make_state)


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
            counts.count_play(played)
            if played.how != "refused":
                break


@dataclass(frozen=True)
class EngineSubject:
    """A subject compiled for comparisons of engines."""

    subject: Subject
    executable: Executable
    recording: Executable

    @classmethod
    def compile(cls, subject: Subject) -> "EngineSubject":
        """The subject with measures of all that can be counted."""
        subject = replace(subject, program=measure_all(subject.program))
        return cls(subject, *(compile_program(subject.program, traced=traced) for traced in (False, True)))

    def compare_procedure(self, procedure: str, seed: int, size: tuple[int, int], counts: Counts) -> None:
        """Compares plays of a procedure from so many starts; one that differs is the last."""
        kernels = _Kernels(counts.given_back)
        usual: list[tuple[Situation, tuple[Any, ...]]] = []
        starts = 0
        for number in range(_STATES):
            if starts == size[0]:
                return
            situation = self.subject.make_state(seed * _SEED_STEP + number)
            if situation is None or not _is_lawful(self.subject.program, situation):
                continue
            declared = self.subject.program.procedures[procedure]
            ways = islice(
                iterate_arguments(situation, declared, self.subject.program, SeededChoices(seed)), _MOST_REFUSED
            )
            known = next((given for each, given in usual if each.base.things == situation.base.things), None)
            for arguments in ways if known is None else (known, *ways):
                begun = PlayStart(self.executable, declared, situation, arguments, RunLimits())
                try:
                    if self._compare_start(begun, kernels, range(number * size[1], (number + 1) * size[1]), counts):
                        starts += 1
                        usual.append((situation, arguments))
                        break
                except AssertionError as error:
                    counts.differing.append(f"{self.subject.name}, {procedure}{arguments}, {seed} {number}: {error!r}")
                    return
                except (NotImplementedError, UnsupportedByJudge, RecursionError) as error:
                    counts.left_out[f"{type(error).__name__} {error}"] += 1
                    break

    def _compare_start(self, begun: PlayStart, kernels: "_Kernels", numbers: range, counts: Counts) -> bool:
        """Compares plays of a start; whether it is not refused."""
        given = begun.executable.program, begun.situation, begun.procedure.name, begun.arguments
        first = self._compare_recorded(begun, numbers.start, counts)
        if first.how == "refused":
            return False
        plays = EnginePlays(begun, kernels.find_kernel(begun))
        for number in numbers:
            try:
                found = plays.compare_play(_SEED, number)
            except AskedForPlaceError:
                played = compare_core(*given, number)
                counts.count_comparison(JUDGE_AND_CORE)
                counts.count_play(played)
                if number != numbers.start:
                    self._compare_recorded(begun, number, counts)
                continue
            if found is None:
                counts.repeated += 1
                continue
            played, back = found
            counts.count_play(played)
            counts.count_comparison(JUDGE_AND_CORE)
            counts.count_comparison(JUDGE_AND_RUN)
            if back:
                counts.given_back[back] += 1
            elif back is not None:
                counts.count_comparison(JUDGE_AND_BATCH)
        return True

    def _compare_recorded(self, begun: PlayStart, seed: int, counts: Counts) -> JudgedPlay:
        """Compares a play that stops at each request."""
        given = begun.situation, begun.procedure.name, begun.arguments
        played = assert_judge_agrees(begin_judged_playing(self.recording, *given, Random(seed)), *given)
        counts.count_comparison(JUDGE_AND_RECORD)
        return played


@dataclass
class _Kernels:
    """Kernels of one procedure, each for starts of one shape with the same arguments."""

    given_back: Counter[str]
    found: list[tuple[PlayStart, BatchSide | None]] = field(default_factory=list)

    def find_kernel(self, begun: PlayStart) -> BatchSide | None:
        """The batch path at a start; none where it does not play that, or enough of others."""
        for like, side in self.found:
            if is_of_shape(begun, like):
                return side if side is None or side.set_start(begun) else None
        if len(self.found) >= _MOST_KERNELS:
            return None
        made = prepare_batch(begun)
        if isinstance(made, str):
            self.given_back[made] += 1
        self.found.append((begun, None if isinstance(made, str) else made))
        return self.found[-1][1]


_SEED = 7
"""Of all plays; their numbers differ."""


@lru_cache(4)
def _compile_random(seed: int) -> tuple[EngineSubject, ...]:
    return tuple(map(EngineSubject.compile, list_random_subjects(seed)))


def _compile_case(name: str) -> EngineSubject | None:
    subject = find_case_subject(name)
    return None if subject is None else EngineSubject.compile(subject)


@cache
def _compile_shipped(number: int) -> EngineSubject:
    return EngineSubject.compile(find_shipped_subject(number))


def compare_round(number: int, counts: Counts) -> None:
    """Compares random rulesets of a seed, a case, and a shipped game once."""
    case, _ = list_language_cases()[number % len(list_language_cases())]
    shipped = number % len([*list_games()])
    sized = [(_compile_shipped(shipped), _OF_SHIPPED)]
    for each in _compile_random(number):
        sized.append((each, _OF_THICK if each.subject.name.startswith("thick") else _OF_RANDOM))
    found = _compile_case(case)
    for each, size in sized if found is None else [*sized, (found, _OF_CASE)]:
        counts.programs += 1
        for procedure in each.subject.procedures:
            each.compare_procedure(procedure, number, size, counts)
    counts.rounds = number + 1


def main(comparisons: int, file: str) -> int:
    """Makes so many comparisons, and tells of them."""
    gc.set_threshold(100_000, 20, 20)
    kept, told = Path(file) if file else None, monotonic()
    counts = Counts()
    if kept is not None and kept.exists():
        read = json.loads(kept.read_text(encoding="utf-8"))
        counters = {name: Counter(read[name]) for name in ("ends", "left_out", "pairs", "given_back")}
        counts = Counts(**read | counters)
    while counts.plays < comparisons:
        compare_round(counts.rounds, counts)
        if kept is not None:
            written = kept.with_suffix(".new")
            written.write_text(json.dumps(vars(counts)), encoding="utf-8")
            written.replace(kept)
        if monotonic() - told > _TOLD_EVERY_S:
            told = monotonic()
            print(f"{counts.plays:,} so far, {len(counts.differing)} differ", flush=True)
    print(*counts.differing, sep="\n")
    ends = ", ".join(f"{number:,} {end}" for end, number in counts.ends.most_common())
    pairs = ", ".join(f"{number:,} of {pair}" for pair, number in counts.pairs.most_common())
    print(f"{counts.plays:,} comparisons of {counts.programs:,} programs: {pairs}")
    print(f"plays with {counts.requests:,} requests: {ends}; {counts.repeated:,} went as others did")
    print(*(f"given back: {number:,} {why}" for why, number in counts.given_back.most_common(20)), sep="\n")
    print(*(f"left out: {number:,} {why}" for why, number in counts.left_out.most_common()), sep="\n")
    print(f"{len(counts.differing)} differ")
    return int(bool(counts.differing))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if sys.argv[1:] else _COMPARISONS, "".join(sys.argv[2:3])))
