"""Prints the figures of odds and simulation, with floor and goal: `python tests/benchmarks/exact.py [PART OF A NAME]`.

What each row does on both sides is told in the README beside this file; both sides of a row are seen to come to the
same before they are timed. A row whose library is not installed says so: `pip install -e '.[bench]'`.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter, process_time
from typing import Any

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parents[1])]

from benchmarks import course, exact_by_hand, mel
from benchmarks.course_kernel import CourseKernel
from benchmarks.ratios import Row
from rulewright.cli.odds_query import OddsArguments, OddsQuery, resolve_odds_query
from rulewright.cli.play_counting import SimulationPlan
from rulewright.cli.play_opening import PlayRequest
from rulewright.documents.document_schemas import state_schema
from rulewright.documents.document_shapes import strip_message_words
from rulewright.documents.state_file import parse_state_data
from rulewright.documents.state_json import state_to_json
from rulewright.odds.exact_odds import compute_odds
from rulewright.odds.kernel.enumeration_cache import MIN_STATES_WORTH_ENUMERATING, EnumerationCache
from rulewright.odds.monte_carlo import PlayCounter, simulate_plays
from rulewright.odds.simulation_parts import SimulationWorkers

HERE = Path(__file__).parent
RULESETS = HERE.parents[1] / "rulesets"
MOST = 1_000_000
PARALLEL = 300_000
"""So many plays of MEL take more than 20 s in one process."""
THINGS = 200


def question(
    ruleset: Path, procedure: str, state: str, roles: str = "", overlays: str = "", of: tuple[str, ...] = ()
) -> OddsArguments:
    """What `odds` and `simulate` are asked on a command line; players take the first answer."""
    laid = tuple(str(HERE / "odds" / each if each.endswith(".rules") else each) for each in overlays.split())
    where = str(HERE / "odds" / state)
    with_ = tuple(roles.split())
    play = PlayRequest(str(ruleset), procedure, where, with_, overlays=laid, recording="none")
    return OddsArguments(of, policies=("first",), play=play)


MEL_OF = ("anvil.health", "hammer.morale")
MEL_ROLES = "attacker=hammer defender=anvil"
ONE_POOL = question(RULESETS / "mel", "melee_attack", "mel_one_pool.yaml", MEL_ROLES, "mel_one_pool.rules", MEL_OF)
ALL_DICE = question(RULESETS / "mel", "melee_attack", "mel.yaml", MEL_ROLES, "mel_dice", MEL_OF)
COURSE = question(HERE / "course.rules", "melee", "course.yaml", "striker=a target=b")
TRICORNE = question(
    RULESETS / "tricorne-melee",
    "melee",
    "tricorne.yaml",
    "attacker=camerons target=barrells",
    "tricorne_retreats tricorne_ground",
    ("camerons.blocks", "jacobite.banners"),
)
DUEL = question(HERE / "odds" / "duel.rules", "duel", "duel.yaml", "first=hammer second=anvil")
POOL = question(HERE / "odds" / "pool.rules", "pool", "pool.yaml")


_opened: dict[int, OddsQuery] = {}


def asked(of: OddsArguments) -> OddsQuery:
    """What is asked, read once."""
    return _opened.get(id(of)) or _opened.setdefault(id(of), resolve_odds_query(of))


ONCE, WRITTEN, AGAIN = "asked once", "asked once, every way written for it", "asked again and again"


def worked_out(of: OddsArguments, when: str = ONCE) -> tuple[dict[Any, Fraction], ...]:
    """How likely each value of everything that is asked is, as the verb `odds` works it out.

    Only where it is asked again is anything kept of what was asked before of the same play.
    """
    play = asked(of)
    if when != AGAIN:
        play.play.start.executable.cache.clear()
    if when == WRITTEN and (every := EnumerationCache.find_or_create(play.play, play.answers)) is not None:
        every.add_explored_states(MIN_STATES_WORTH_ENUMERATING)
    found = compute_odds(play.play, play.answers, MOST, lambda _: None)
    assert not found.open_share
    return tuple(dict(each.probabilities) for each in found.distributions)


def seconds(work: Callable[[], object], least: float = 0.5) -> float:
    """The processor time of some work: the median of at least three times, and of half a second."""
    times: list[float] = []
    while len(times) < 3 or sum(times) < least:
        begun = process_time()
        work()
        times.append(process_time() - begun)
        if times[0] > 5:
            break
    return median(times)


def exact(of: OddsArguments, by_hand: Callable[[], tuple[Any, ...]], when: str) -> float:
    """How fast odds are beside a loop by hand."""
    for _ in range(MANY if when == AGAIN else 1):
        assert worked_out(of, when) == tuple(dict(each) for each in by_hand())

    def anew() -> None:
        exact_by_hand.struck.cache_clear()
        by_hand()

    return seconds(anew) / seconds(lambda: worked_out(of, when))


MANY = 100
"""After so many questions about plays of one shape what is worth writing for them is written."""


def the_duel() -> float:
    """The duel; of plays that go on too long a share is told on both sides."""
    (likely,), (wins, standing) = worked_out(DUEL), exact_by_hand.duel()
    assert likely[True] == wins
    assert 1 - sum(likely.values()) == standing
    return seconds(exact_by_hand.duel) / seconds(lambda: worked_out(DUEL))


def course_by_icepool() -> tuple[dict[int, Fraction], ...]:
    """The course of a melee with the dice of icepool."""
    from icepool import Die, coin  # noqa: PLC0415

    def hits(dice: int, likely: Fraction) -> dict[int, Fraction]:
        found: Die[int] = dice @ coin(likely.numerator, likely.denominator)
        return {int(value): found.probability(value) for value in found.outcomes()}

    return (dict(exact_by_hand.course(hits)),)


def pool_by_icepool() -> dict[tuple[int, int], Fraction]:
    """Sixes and hits of 40 dice: outcomes that are counted together, as icepool evaluates pools."""
    from icepool import MultisetEvaluator, d6  # noqa: PLC0415

    class Counts(MultisetEvaluator[int, tuple[int, int]]):  # type: ignore[misc, unused-ignore]
        """Sixes and hits."""

        def next_state(self, state: Any, order: Any, outcome: int, count: int) -> Any:  # noqa: ARG002
            sixes, hits = state or (0, 0)
            return (sixes + count * (outcome == 6), hits + count * (outcome >= 4))

    found = Counts().evaluate(d6.pool(40))
    return {each: found.probability(each) for each in found.outcomes()}


def pool_by_dyce() -> dict[tuple[int, int], Fraction]:
    """The same by dyce, from every roll of the pool with its count."""
    from dyce import P  # noqa: PLC0415

    return _counted(P(6) @ 40)


def _counted(pool: Any) -> dict[tuple[int, int], Fraction]:
    found: dict[tuple[int, int], int] = {}
    for roll, count in pool.rolls_with_counts():
        key = roll.count(6), sum(face >= 4 for face in roll)
        found[key] = found.get(key, 0) + count
    return {key: Fraction(count, 6**40) for key, count in found.items()}


def forty_dice(by_other: Callable[[], dict[tuple[int, int], Fraction]]) -> float:
    """How many times faster than another library the pool is."""
    (likely,) = worked_out(POOL)
    assert likely == by_other()
    return seconds(by_other) / seconds(lambda: worked_out(POOL))


def simulated_beside(of: OddsArguments, by_hand: Callable[[int], object], plays: int) -> float:
    """How fast plays through `Run` are, counted as the verb `simulate` counts them, beside plays in Python."""
    play = asked(of)

    def python() -> None:
        for number in range(plays):
            by_hand(number)

    return seconds(python) / seconds(lambda: simulate_plays(play.play, play.answers, 1, range(plays)))


BATCH = 300_000


def _kernel() -> PlayCounter:
    play = asked(COURSE)
    playing = PlayCounter(play.play, play.answers, batch=True)
    counted = playing.count_plays(1, range(2000))
    if not playing.uses_batch:
        name = "wasmtime"
        raise KeyError(name)
    assert counted == simulate_plays(play.play, play.answers, 1, range(2000))
    return playing


def batch_beside_python() -> float:
    """How many times faster than Python the batch path plays the course."""
    kernel, python = _kernel(), _course_in_python()
    one = seconds(lambda: [python(number) for number in range(5000)]) / 5000
    return one * BATCH / seconds(lambda: kernel.count_plays(1, range(BATCH)))


def batch_beside_kernel() -> float:
    """How fast the batch path plays the course, beside the same by hand for the same target."""
    kernel, by_hand = _kernel(), CourseKernel()
    (found,) = kernel.count_plays(1, range(BATCH)).value_counts
    assert dict(found) == {value: count for value, count in by_hand.played(1, BATCH).items() if count}
    return seconds(lambda: by_hand.played(1, BATCH)) / seconds(lambda: kernel.count_plays(1, range(BATCH)))


def two_processes() -> float:
    """How much sooner two processes are ready than one, by the clock, with at least 20 s of work.

    A limit of its own keeps the batch path away.
    """
    found, times = [], []
    for workers in (1, 2):
        begun = perf_counter()
        through_run = replace(ALL_DICE, play=replace(ALL_DICE.play, limits={"work": 10_000_000}))
        with closing(SimulationWorkers(SimulationPlan(through_run, None, first=False).plays, workers)) as players:
            parts = list(players.count_in_parts(0, 1, PARALLEL))
        times.append(perf_counter() - begun)
        total = parts[0]
        for part in parts[1:]:
            total = total.add_counts(part)
        found.append(total)
    assert found[0] == found[1]
    assert times[0] >= 20, times
    return times[0] / times[1]


def reading() -> float:
    """How fast JSON data of a state of many things become a situation, beside `jsonschema` judging the same data."""
    import jsonschema  # noqa: PLC0415

    begun = asked(ONE_POOL).play.start
    program = begun.executable.program
    data: Any = state_to_json(begun.situation, program)
    cells = [(q, r) for q in range(20) for r in range(10)]
    one: Any = data["units"]
    units = {f"unit{at}": {**one["hammer"], "at": [*cell], "morale": at % 9} for at, cell in enumerate(cells)}
    shape = {"cells": [[*cell] for cell in cells]}
    data = {**data, "units": units, "field": {"shape": shape}, "game": {"active": "unit0"}}
    judge = jsonschema.Draft202012Validator(strip_message_words(state_schema(program)))
    found = parse_state_data(data, program)
    assert found.value is not None, found.diagnostics
    assert len(found.value.base.things["Unit"]) == THINGS
    assert not list(judge.iter_errors(data))
    return seconds(lambda: list(judge.iter_errors(data))) / seconds(lambda: parse_state_data(data, program))


def rows() -> Iterator[Row]:
    """All rows."""
    for name, of, by_hand, once, again in (
        (
            "exact odds of MEL, one pool a side / by hand",
            ONE_POOL,
            exact_by_hand.mel_one_pool,
            (0.25, 0.5),
            (0.25, 0.5),
        ),
        (
            "exact odds of the course of a melee / by hand",
            COURSE,
            lambda: (exact_by_hand.course(),),
            (0.35, 0.5),
            (0.25, 0.5),
        ),
        (
            "exact odds of Tricorne with battle back / by hand",
            TRICORNE,
            exact_by_hand.tricorne,
            (0.2, 0.5),
            (0.25, 0.5),
        ),
        ("exact odds of MEL with all its dice / by hand", ALL_DICE, exact_by_hand.mel_dice, (0.2, 0.4), (0.05, 0.2)),
        ("exact odds of the course / dice by icepool", COURSE, course_by_icepool, (0.2, 5), (2, 5)),
    ):
        for when in (ONCE, WRITTEN, AGAIN):
            work = partial(exact, of, by_hand, when)
            yield Row(name.replace(" / ", f", {when} / "), work, *(once if when == ONCE else again))
    yield Row("pool of 40 dice, joint counts / icepool", lambda: forty_dice(pool_by_icepool), 1, 4)
    yield Row("pool of 40 dice, joint counts / dyce", lambda: forty_dice(pool_by_dyce), 25, 100)
    yield Row("exact duel to the last model / by hand", the_duel, 0.1, 0.3)
    for name, of, made, plays in (
        ("simulation through Run, MEL with dice / Python", ALL_DICE, lambda: mel.by_hand, 2000),
        ("simulation through Run, the course / Python", COURSE, _course_in_python, 5000),
    ):
        yield Row(name, lambda of=of, made=made, plays=plays: simulated_beside(of, made(), plays), 0.4, 0.7)  # type: ignore[misc]
    yield Row("simulation, batch path, the course / Python", batch_beside_python, 30, 80)
    yield Row("simulation, batch path, the course / kernel by hand", batch_beside_kernel, 0.5, 0.8)
    yield Row("two processes / one, MEL with dice", two_processes, 1.6, 1.8)
    yield Row(f"reading a state of {THINGS} things / jsonschema", reading, 5, 10)


def _course_in_python() -> Callable[[int], object]:
    draw = Random(5).randint
    return course.in_python(lambda: draw(1, 6), lambda _: dict(exact_by_hand.COURSE))


if __name__ == "__main__":
    for row in rows():
        if not sys.argv[1:] or any(part in row.name for part in sys.argv[1:]):
            print(row.told(), flush=True)
