"""Prints how fast `rulewright test` plays scenarios, beside the bare machine: `python tests/benchmarks/scenarios.py`.

The scenarios are those of the shipped rulesets that are played once. Times are of the processor, side by side in one
process; the last lines are whole processes over a thousand cases.
"""

import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

from rulewright.base.files import DISK
from rulewright.play.session import Session, run_to_end
from rulewright.runtime.faults import RunLimits
from rulewright.runtime.run import Outcome, Paused, answer_paused, start_run
from rulewright.scenarios.case_opening import RulesetLoader, open_case
from rulewright.scenarios.case_play import play_case
from rulewright.scenarios.expectation_schema import has_only_odds
from rulewright.scenarios.scenario_files import read_cases
from rulewright.scenarios.suite import ScenarioCase

RULESETS = Path(__file__).parents[2] / "rulesets"
ROUNDS = 7
CASES = 1000


def cases(name: str, rules: RulesetLoader) -> tuple[ScenarioCase, ...]:
    """The scenarios of a shipped ruleset that are played once."""
    found = read_cases([str(RULESETS / name)], rules)
    assert found.value is not None, found.diagnostics
    return tuple(
        each
        for each in found.value
        if each.plays == 1 and not each.skip and open_case(each, rules, RunLimits()).value is not None
    )


def sessions_of(case: ScenarioCase, rules: RulesetLoader) -> list[Session]:
    """The plays of a case."""
    found: list[Session] = []
    play_case(case, rules, found.append)
    return found


def answered(case: ScenarioCase, rules: RulesetLoader) -> Callable[[], Outcome]:
    """The last play of a case by the bare machine, given the answers that the scenario gave."""
    *_, session = sessions_of(case, rules)
    answers = [each.answer.value for each in session.turns]

    def bare() -> Outcome:
        begun = session.start
        outcome = start_run(begun.executable, begun.situation, begun.procedure.name, begun.arguments, begun.limits)
        for each in answers:
            assert isinstance(outcome, Paused)
            outcome = answer_paused(outcome, each)
        return outcome

    return bare


def driven(case: ScenarioCase, rules: RulesetLoader) -> Callable[[], None]:
    """The last play of a case by the drivers: the script is asked, nothing is judged."""
    opened = open_case(case, rules, RunLimits()).value
    assert opened is not None

    def by_drivers() -> None:
        run_to_end(opened.start, opened.make_sources(case, case.plays - 1))

    return by_drivers


def seconds(works: Sequence[Callable[[], object]]) -> float:
    """The time of the processor for all the works, the median of some rounds."""
    times = []
    for _ in range(ROUNDS):
        begun = process_time()
        for each in works:
            each()
        times.append(process_time() - begun)
    return median(times)


def process(workers: int, folder: Path) -> float:
    """The time of `rulewright test` over a folder, the whole process."""
    begun = perf_counter()
    command = [sys.executable, "-m", "rulewright", "test", "--workers", str(workers), str(folder)]
    subprocess.run(command, check=True, capture_output=True)
    return perf_counter() - begun


def thousand(folder: Path) -> None:
    """A scenario file with a thousand cases: ties of every strength and answer, played to their ends."""
    lines = [THOUSAND]
    for number in range(CASES):
        answers = f"[no, no, {{by_attacker: {number % 3}, by_defender: {number % 3}}}, no]"
        lines.append(f"      tie {number}: {{script: {answers}, expect: {{asked_of: {{MEL.60/push: blue}}}}}}\n")
    (folder / "thousand.scenario.yaml").write_text("".join(lines), encoding="utf-8")


THOUSAND = """\
ruleset: mel
procedure: melee_attack
with: {attacker: hammer, defender: anvil}
state:
  players: [red, blue]
  units:
    hammer: {owner: red, at: [0, 0], facing: 0, health: 3, morale: 2}
    anvil: {owner: blue, at: [1, 0], facing: 3, health: 3, morale: 1}
  field: {shape: {radius: 3}}
  game: {active: hammer}
scenarios:
  ties:
    cases:
"""


def main() -> None:
    """Prints the tables."""
    for name in sorted(each.name for each in RULESETS.iterdir() if each.is_dir()):
        rules = RulesetLoader(DISK)
        found = [case for case in cases(name, rules) if not has_only_odds(case.expect)]
        bare = seconds([answered(each, rules) for each in found])
        drivers = seconds([driven(each, rules) for each in found])
        test = seconds([partial(play_case, each, rules) for each in found])
        print(
            f"{name:<24} {len(found):4} cases  bare {bare / len(found) * 1e3:6.2f} ms a case, "
            f"drivers {drivers / bare:5.2f} times that, test {test / bare:5.2f}"
        )
    with tempfile.TemporaryDirectory() as folder:
        thousand(Path(folder))
        for workers in (1, 2):
            print(f"{CASES} cases with {workers} workers {process(workers, Path(folder)):6.2f} s, whole process")


if __name__ == "__main__":
    main()
