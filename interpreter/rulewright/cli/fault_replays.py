"""Commands that play a fault of counted plays again, for `odds` and `simulate`."""

import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from rulewright.base.diagnostics import make_visible
from rulewright.base.diagnostics.renderings import format_place
from rulewright.cli.odds_query import OddsArguments, OddsQuery
from rulewright.documents.answer_scripts import PlayerPolicy
from rulewright.play.answer_sources import AnswerSourceChain
from rulewright.play.seeded_random import SeededRandom
from rulewright.play.session import run_to_end
from rulewright.program.walk import find_address_span
from rulewright.runtime.faults import LIMIT_CODES
from rulewright.runtime.request import Faulted

_MAX_TRIED_SEEDS = 500
"""Limit of seeds tried per fault; heuristic."""
_MAX_REPLAY_WORK = 50_000
"""Limit of the length of one tried play, in counted work; heuristic."""


def render_fault_replays(faults: Iterable[tuple[str, str]], query: OddsQuery, written: OddsArguments) -> Iterator[str]:
    """For each fault, by code and message: its line, and a `run` command that reproduces it.

    Left out are faults that no seed reproduces soon, and plays whose answerers `run` cannot have.
    """
    unexplained, answers = {fault for fault in faults if fault[0] not in LIMIT_CODES}, query.answers
    if query.varied or query.saved_run or answers.maximizing_players or written.external or written.play.limits:
        return
    decided = query.opening.deciding
    sources = AnswerSourceChain(
        answers.names,
        SeededRandom(0),
        answers.script,
        is_chance_requested=True,
        policy=decided.default or None,
        policies=decided.by_player,
    )
    start = replace(query.play.start, limits=replace(query.play.start.limits, work=_MAX_REPLAY_WORK))
    for seed in range(_MAX_TRIED_SEEDS if unexplained else 0):
        end = run_to_end(start, replace(sources, chance=SeededRandom(seed))).session.outcome
        if isinstance(end, Faulted) and (end.code, end.message) in unexplained:
            unexplained.remove((end.code, end.message))
            span = find_address_span(end.address, start.executable.program)
            yield ""
            yield make_visible(f"{end.code} stops at {end.address}")
            if span is not None:
                yield f"  --> {format_place(span, query.texts)}"
            yield make_visible(f"  `{_replay_command_line(written, query.opening.policies, seed)}` plays it")
            if not unexplained:
                return


def _replay_command_line(written: OddsArguments, policies: Sequence[PlayerPolicy], seed: int) -> str:
    play = written.play
    words = ["rulewright", "run", play.ruleset, *([play.procedure] if play.procedure else [])]
    chosen = [policy.written for policy in reversed(policies)]
    several = (("--overlay", play.overlays), ("--with", play.roles), ("--set", play.settings), ("--policy", chosen))
    once = (("--state", play.state), ("--script", play.script))
    words += [word for option, values in several for item in values for word in (option, item)]
    words += [word for option, value in once if value for word in (option, value)]
    return shlex.join([*words, *(["--no-script"] if play.unscripted else []), "--seed", str(seed)])
