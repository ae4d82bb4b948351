"""Where plays that were counted cannot be carried on: the line, and a command that plays one of them again."""

import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from rulewright.cli.asked_odds import AskedOdds, AskedPlay
from rulewright.diagnostics.renderings import place
from rulewright.diagnostics.terminal import visible
from rulewright.drivers.chance import Chance
from rulewright.drivers.run import run
from rulewright.drivers.sources import Sources
from rulewright.inputs.policies import Policy
from rulewright.machine.codes import LIMITS
from rulewright.machine.request import Faulted
from rulewright.program.walk import place_of

_SEEDS = 500
"""So many seeds are tried at most."""
_STEPS = 50_000
"""So long a play may be that is tried."""


def replayed(faults: Iterable[tuple[str, str]], asked: AskedPlay, written: AskedOdds) -> Iterator[str]:
    """For each fault, by code and message, the line it stops at, and how `run` meets it again.

    Nothing is said of what no seed shows soon, or where `run` cannot be told who answers.
    """
    left, answers = {each for each in faults if each[0] not in LIMITS}, asked.answers
    if asked.varied or asked.stands or answers.best or written.external or written.play.limits:
        return
    decided = asked.opening.deciding
    sources = Sources(
        answers.names,
        Chance(0),
        answers.script,
        insisted=True,
        policy=decided.everyone or None,
        policies=decided.players,
    )
    begun = replace(asked.play.begun, limits=replace(asked.play.begun.limits, work=_STEPS))
    for seed in range(_SEEDS if left else 0):
        end = run(begun, replace(sources, chance=Chance(seed))).session.outcome
        if isinstance(end, Faulted) and (end.code, end.message) in left:
            left.remove((end.code, end.message))
            span = place_of(end.address, begun.executable.program)
            yield ""
            yield visible(f"{end.code} stops at {end.address}")
            if span is not None:
                yield f"  --> {place(span, asked.texts)}"
            yield visible(f"  `{_command(written, asked.opening.policies, seed)}` plays it")
            if not left:
                return


def _command(written: AskedOdds, policies: Sequence[Policy], seed: int) -> str:
    """The words that play a start under a seed."""
    play = written.play
    words = ["rulewright", "run", play.ruleset, *([play.procedure] if play.procedure else [])]
    chosen = [each.written for each in reversed(policies)]
    several = (("--overlay", play.overlays), ("--with", play.roles), ("--set", play.settings), ("--policy", chosen))
    once = (("--state", play.state), ("--script", play.script))
    words += [word for option, values in several for each in values for word in (option, each)]
    words += [word for option, value in once if value for word in (option, value)]
    return shlex.join([*words, *(["--no-script"] if play.unscripted else []), "--seed", str(seed)])
