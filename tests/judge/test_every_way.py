"""Every way of chance gone as WebAssembly comes to what every throw written out does, and to what moments come to."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path
from random import Random

import pytest

from benchmarks.exact import COURSE, MOST, ONE_POOL, asked
from judge.test_futures import BODIES, HEAD, _begin_run, read_bodies
from rulewright.cli.odds_query import OddsArguments
from rulewright.odds.exact_odds import compute_odds
from rulewright.odds.kernel.enumeration_cache import MIN_STATES_WORTH_ENUMERATING, EnumerationCache
from rulewright.odds.kernel.wasm_kernel import EnumerationKernel, write_kernel
from support.odds_cases import make_opposed_case
from support.odds_questions import ask_play, get_odds, make_answerer, work_out
from support.sample_sizes import choose_count, sample_cases
from support.state_key_checks import weigh_results

pytest.importorskip("wasmtime")

MORE = read_bodies(Path(__file__).with_name("dice_in_branches.md").read_text(encoding="utf-8"))


@cache
def _enumerate_chance(rules: str, policy: str = "random") -> Mapping[int, Fraction] | str:
    """What every way comes to, or why it is not gone."""
    play = ask_play(rules)
    program = write_kernel(play, make_answerer(play, policy=policy), every=True)
    ways = EnumerationKernel(program)
    found = ways.enumerate_paths(100_000)
    return program.reasons[ways._read_global("reason")] if found is None else found[0][0]  # noqa: SLF001


PLAIN = {name: lines for name, lines in BODIES.items() if "d66" not in lines}


@pytest.mark.parametrize("body", sample_cases([*PLAIN, *MORE], 3))
def test_every_way_comes_to_what_every_throw_does(body: str) -> None:
    lines = {**BODIES, **MORE}[body]
    found = _enumerate_chance(f"{HEAD}  {lines}\n")
    if isinstance(found, str):
        assert body not in MORE
        return
    assert Counter(found) == weigh_results(_begin_run(lines))


@pytest.mark.parametrize("body", sample_cases([*PLAIN, *MORE], 3))
def test_moments_come_to_what_every_throw_does(body: str) -> None:
    lines = {**PLAIN, **MORE}[body]
    found = get_odds(work_out(f"{HEAD}  {lines}\n", policy="random"))
    assert Counter(found) == weigh_results(_begin_run(lines))


def test_few_of_the_bodies_are_given_back() -> None:
    gone = [not isinstance(_enumerate_chance(f"{HEAD}  {lines}\n"), str) for lines in PLAIN.values()]
    assert sum(gone) == 28


@pytest.mark.parametrize("seed", range(choose_count(4, 10)))
def test_opposed_pools_are_as_likely_as_their_moments(seed: int) -> None:
    rules = make_opposed_case(Random(seed)).rules
    assert _enumerate_chance(rules) == get_odds(work_out(rules))


@pytest.mark.parametrize(("of", "swaps"), [(COURSE, True), (ONE_POOL, False)])
def test_starts_of_one_shape_come_to_what_their_moments_do(of: OddsArguments, swaps: bool) -> None:
    play, answers = asked(of).play, asked(of).answers
    kept, start = play.start.executable.cache, play.start.situation
    health = next(each for each in start.attributes if each.endswith("/health"))
    kept.clear()
    every = None
    compared = 0
    for own, other in product(range(1, 5), range(1, 4)):
        situation = replace(start, attributes={**start.attributes, health: (own, other)})
        roles = play.start.arguments[::-1] if swaps and own > other else play.start.arguments
        begun = play.with_start(replace(play.start, situation=situation, arguments=roles))
        kept.pop(EnumerationCache, None)
        by_moments = compute_odds(begun, answers, MOST, lambda _: None)
        every = every or EnumerationCache.find_or_create(begun, answers)
        assert every is not None
        kept[EnumerationCache] = every
        every.add_explored_states(MIN_STATES_WORTH_ENUMERATING)
        by_ways = compute_odds(begun, answers, MOST, lambda _: None)
        assert by_ways.distributions == by_moments.distributions
        compared += by_ways.state_count != by_moments.state_count
    assert compared == 12
    kept.clear()


def test_ways_are_gone_once_enough_was_asked_of_the_same() -> None:
    play, answers = asked(COURSE).play, asked(COURSE).answers
    play.start.executable.cache.clear()
    told = [compute_odds(play, answers, MOST, lambda _: None) for _ in range(60)]
    assert {each.state_count for each in told[:30]} == {2}
    assert told[-1].state_count == 70
    assert all(each.distributions == told[0].distributions for each in told)
    play.start.executable.cache.clear()
