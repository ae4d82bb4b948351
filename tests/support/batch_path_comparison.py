"""The batch path beside `Run`, play for play on the same dice.

`PYTHONPATH=tests python -m support.batch_path_comparison [PLAYS [RULESET]]` plays every procedure of the shipped rulesets that a
scenario begins, so many times each (10,000 unless given), and says which the batch path does not take, and why, and
which plays differ, and how many it counts a second. It exits with 1 where any differs.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from time import process_time

from rulewright.base.files import MemoryFiles
from rulewright.base.source import Text
from rulewright.cli.command_files import files_for
from rulewright.cli.output import CommandStop
from rulewright.cli.play_opening import OpenedPlay, PlayRequest, open_play
from rulewright.documents.value_sampling import SeededChoices
from rulewright.odds.answerers import PlayAnswerer
from rulewright.odds.end_measures import MeasuredPlay, prepare_measured_play
from rulewright.odds.exact_odds import CannotBeginError
from rulewright.odds.kernel.value_shapes import BatchUnsupportedError
from rulewright.odds.kernel.wasm_kernel import SimulationKernel, write_kernel
from rulewright.odds.monte_carlo import PlayCounter, UnansweredError, simulate_plays
from rulewright.play.session import PlayStart
from rulewright.program.types import FlagType, NumberType, OptionalType, SetType, ThingType, WordType, strip_optional
from rulewright.runtime.executable import compile_program
from rulewright.runtime.faults import RunLimits
from rulewright.scenarios.case_opening import RulesetLoader
from rulewright.scenarios.suite_reader import read_suite
from support.core_plays import list_random_subjects, write_random_rulesets
from support.legal_starts import iterate_arguments

RULESETS = Path(__file__).parents[2] / "rulesets"
SEED = 7
PLAYS = 10_000


@dataclass(frozen=True)
class SideBySide:
    """How a play went on both sides."""

    same: int = 0  # plays that came to the same
    back: int = 0  # plays that were given back, which `Run` plays anyway
    why: str = ""  # why the last of these was, or why all are
    differ: tuple[int, ...] = ()  # plays that did not come to the same


def play_side_by_side(play: MeasuredPlay, answers: PlayAnswerer, plays: range, seed: int = SEED) -> SideBySide:
    """Plays one by one on both sides."""
    try:
        kernel = SimulationKernel(write_kernel(play, answers))
    except BatchUnsupportedError as unfit:
        return SideBySide(back=len(plays), why=str(unfit))
    same, back, why, differ = 0, 0, "", []
    for number in plays:
        found, given_back = kernel.play_range(seed, range(number, number + 1))
        if given_back:
            back, why = back + 1, given_back[number]
            if back >= 100 and back == number - plays.start + 1:
                return SideBySide(same, len(plays), why)
            continue
        expected = simulate_plays(play, answers, seed, [number])
        if [dict(each) for each in expected.value_counts] == [
            dict(each) for each in found
        ] and not expected.fault_counts:
            same += 1
        else:
            differ.append(number)
    return SideBySide(same, back, why, tuple(differ))


def measure_opening(opening: OpenedPlay) -> MeasuredPlay:
    """A play with all that can be counted of its end: the result and the attributes of all things."""
    begun = replace(opening.start, limits=RunLimits())
    program = begun.executable.program
    countable = (NumberType, FlagType, ThingType, WordType)
    words = {word.name for each in program.values.values() for word in each.words}
    texts = ["result"] if isinstance(begun.procedure.result, countable) else []
    for kind in program.kinds.values():
        for each in kind.fields:
            inner = each.type.inner if isinstance(each.type, OptionalType) else each.type
            if isinstance(inner, countable):
                texts += [
                    f"{id_}.{each.name}"
                    for id_ in begun.names.ids_of_kind(kind.name)
                    if id_.isidentifier() and id_ not in words
                ]
    things = {id_ for kind in program.kinds for id_ in begun.names.ids_of_kind(kind)}
    texts += [name for name, each in program.game.items() if isinstance(each.type, countable) and name not in things]
    found = prepare_measured_play(
        begun, texts or ["1"], opening.ruleset, opening.overlays, files_for(opening.ruleset, *opening.overlays)
    )
    if found.value is None:
        raise CommandStop(found.diagnostics)
    return found.value


def iterate_shipped_openings(part: str = "") -> Iterator[tuple[str, OpenedPlay]]:
    """Every procedure of the shipped rulesets that a scenario begins, with the first start that it has."""
    seen = set()
    for file in sorted(RULESETS.glob("*/*.scenario.yaml")):
        if part not in str(file):
            continue
        files = files_for(str(file))
        suite = read_suite(Text(str(file), file.read_text()), files, RulesetLoader(files).texts, judged=False)
        for case in suite.value.cases if suite.value else ():
            asked = PlayRequest(str(file), case.name, unscripted=True, recording="none")
            try:
                opening = open_play(asked)
            except CommandStop:
                continue
            key = file.parent.name, tuple(opening.overlays), opening.start.procedure.name
            if key not in seen:
                seen.add(key)
                yield f"{file.parent.name} {case.name}: {opening.start.procedure.name}", opening


def iterate_random_plays(seed: int) -> Iterator[tuple[str, MeasuredPlay]]:
    """Plays of rulesets written at random with one seed, each from one start."""
    texts = write_random_rulesets(seed)
    for subject in list_random_subjects(seed):
        sort = subject.name.rpartition(" ")[0]
        if sort == "thick ruleset":  # of which some lines are not written as Python yet
            continue
        start = subject.make_state(seed)
        procedure = subject.program.procedures["main"]
        arguments = () if start is None else iterate_arguments(start, procedure, subject.program, SeededChoices(seed))
        for given in islice(arguments, 1):
            assert start is not None
            begun = PlayStart(compile_program(subject.program, traced=False), procedure, start, given, RunLimits())
            measures = [
                f"{thing}.{each.name}"
                for kind in subject.program.kinds.values()
                for each in kind.fields
                for thing in start.base.things.get(kind.name, ())
                if isinstance(strip_optional(each.type), _COUNTABLE)
            ]
            measures += [name for name, each in subject.program.game.items() if isinstance(each.type, _COUNTABLE)]
            files = MemoryFiles({"example.rules": texts[sort]})
            found = prepare_measured_play(begun, measures or ("1",), "example.rules", (), files)
            if found.value is not None:
                yield subject.name, found.value


def measure_rate(play: MeasuredPlay, plays: int = 20_000) -> float:
    """Plays a second of the processor, with those that are given back; the writing of the kernel is left out."""
    counter = PlayCounter(play, PlayAnswerer(play.start.names, policy="random"), batch=True)
    counter.count_plays(SEED, range(1))
    begun = process_time()
    counter.count_plays(SEED, range(plays))
    return plays / (process_time() - begun)


_COUNTABLE = (NumberType, FlagType, ThingType, WordType, SetType)


def main(plays: int = PLAYS, part: str = "") -> int:
    """Says of every procedure how it went."""
    differ = 0
    for name, opening in iterate_shipped_openings(part):
        try:
            play = measure_opening(opening)
            found = play_side_by_side(play, PlayAnswerer(play.start.names, policy="random"), range(plays))
            rate = f", {measure_rate(play):,.0f} plays a second" if found.back < found.same else ""
        except (CannotBeginError, UnansweredError, CommandStop) as error:
            print(f"{name}: not played, {getattr(error, 'diagnostics', error)}"[:200])
            continue
        differ += len(found.differ)
        why = f", given back {found.back:,}: {found.why}" if found.back else ""
        wrong = f", DIFFERENT {found.differ[:5]}" if found.differ else ""
        print(f"{name}: same {found.same:,}{why}{wrong}{rate}", flush=True)
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:2]), *sys.argv[2:3]))
