"""Plays of shipped rulesets from random legal states, by the machine and the judge, and again from their records."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from rulewright import api
from rulewright.base.source import Text
from rulewright.documents.answers import answer_to_json
from rulewright.documents.name_table import NameTable
from rulewright.documents.state_file import read_state
from rulewright.documents.state_generation import make_state, vary_state
from rulewright.documents.state_json import state_to_json
from rulewright.documents.value_sampling import ChoiceSource, SeededChoices, SizeRanges
from rulewright.program.declarations import Procedure
from rulewright.program.types import Type
from rulewright.runtime.executable import Executable
from rulewright.runtime.faults import RunLimits
from rulewright.runtime.request import Ended, Refused
from rulewright.runtime.run import Outcome, Paused, Run
from rulewright.runtime.state import Situation
from support.judge_comparison import JudgedPlaying, assert_judge_agrees, begin_judged_playing
from support.legal_starts import begin_procedure, make_legal_situation
from support.play_coverage import Reached
from support.state_key_checks import check_request
from support.yaml_data import read_yaml

TESTS = Path(__file__).parents[1]
RULESETS = TESTS.parent / "rulesets"
_STATES = 200
_JUDGED = 4


@dataclass(frozen=True)
class ShippedGame:
    """A ruleset with overlays, one of its procedures, and the states it is played from."""

    ruleset: api.Ruleset
    procedure: Procedure
    fixtures: tuple[Situation, ...]
    sizes: SizeRanges

    def make_situation(self, number: int, chooser: ChoiceSource) -> Situation | None:
        """A legal state: every other one made from the declarations, the others near a fixture."""
        program = self.ruleset.program
        if number % 2 or not self.fixtures:
            return make_legal_situation(lambda: make_state(program, self.sizes, chooser), program)
        fixture = self.fixtures[number // 2 % len(self.fixtures)]
        return make_legal_situation(lambda: vary_state(program, fixture, self.sizes, chooser), program)


def list_games() -> Iterator[tuple[str, tuple[str, ...], str]]:
    """Name, overlays and procedure of every game to play."""
    for name, plan in _read_plans().items():
        for overlays in plan.get("overlays", [[]]):
            for procedure in plan["procedures"]:
                yield name, tuple(overlays), procedure


@cache
def _read_plans() -> dict[str, Any]:
    plans: dict[str, Any] = read_yaml(TESTS / "plays" / "plays.yaml")
    return plans


def writes_setting(name: str, overlays: tuple[str, ...]) -> bool:
    """Whether the texts of a ruleset with these overlays declare a setting; nothing is loaded for that."""
    for path in (RULESETS / _read_plans()[name].get("ruleset", name)).glob("*.rules"):
        text = path.read_text(encoding="utf-8")
        is_chosen = path.stem in overlays or not re.search(r"^amends ", text, re.MULTILINE)
        if is_chosen and re.search(r"^setting ", text, re.MULTILINE):
            return True
    return False


@cache
def load_game(name: str, overlays: tuple[str, ...], procedure: str) -> ShippedGame:
    """A game, loaded once."""
    plan = _read_plans()[name]
    folder = RULESETS / plan.get("ruleset", name)
    ruleset = api.load(str(folder), overlays=[str(folder / f"{each}.rules") for each in overlays])
    sizes = SizeRanges(
        players=tuple(plan.get("players", (2, 2))),
        things={kind: tuple(most) for kind, most in plan.get("sizes", {}).items()},
        oblong_percent=plan.get("oblong", 0),
    )
    fixtures = tuple(_load_fixture(folder, each, ruleset) for each in plan.get("fixtures", ()))
    return ShippedGame(ruleset, ruleset.program.procedures[procedure], fixtures, sizes)


def _load_fixture(folder: Path, name: str, ruleset: api.Ruleset) -> Situation:
    path = folder / "examples" / f"{name}.yaml"
    found = read_state(Text(path.name, path.read_text(encoding="utf-8")), ruleset.program)
    assert found.value is not None, found.diagnostics
    return found.value


def play_at_random(chosen: ShippedGame, seed: int) -> frozenset[Reached]:
    """One play: a state in which the procedure begins, both interpreters to the end, and the record played again.

    Gives what of the ruleset it reached. A start may be refused after loose ends were settled; then both refuse it.
    """
    chooser = SeededChoices(seed)
    executable = chosen.ruleset.executable
    for number in range(seed, seed + _STATES):
        situation = chosen.make_situation(number, chooser)
        if situation is None:
            continue
        start = begin_procedure(executable, situation, chosen.procedure, chooser, RunLimits())
        if start is not None:
            break
    else:
        raise AssertionError(f"none of {_STATES} states lets `{chosen.procedure.name}` begin")
    playing = begin_judged_playing(executable, situation, chosen.procedure.name, start[0], Random(seed))
    played = assert_judge_agrees(playing, situation, chosen.procedure.name, start[0])
    if isinstance(playing.outcome, Refused):
        return played.reached
    assert isinstance(playing.outcome, Ended), playing.outcome
    _check_replay(chosen, situation, start[0], playing)
    answers = [answer for _, answer in playing.answers]
    _check_unbroken_play(executable, situation, chosen.procedure.name, start[0], answers)
    _check_futures(Run.begin(executable, situation, chosen.procedure.name, start[0]), answers, Random(seed))
    return played.reached


def _check_replay(
    chosen: ShippedGame, situation: Situation, arguments: tuple[Any, ...], playing: JudgedPlaying
) -> None:
    """The record, as data, leads to the same end."""
    program = chosen.ruleset.program
    names = NameTable(program, situation.base)
    roles = {
        each.name: _encode_json(value, each.type, names)
        for each, value in zip(chosen.procedure.parameters, arguments, strict=True)
    }
    again = api.start(chosen.ruleset, chosen.procedure.name, state_to_json(situation, program), roles)
    for request, answer in playing.answers:
        assert again.request is not None
        assert again.request.address == request.address
        again = again.answered(answer_to_json(request, answer, names))
    assert isinstance(playing.outcome, Ended)
    assert again.ended
    assert again.state == state_to_json(playing.outcome.state.extract_situation(), program)


def _check_unbroken_play(
    executable: Executable, situation: Situation, procedure: str, arguments: tuple[Any, ...], answers: list[Any]
) -> None:
    """Answered without a stop, the play goes the same way, and leaves the same record at every request."""
    given = iter(answers)
    run = Run.begin(executable, situation, procedure, arguments, answering=lambda _: next(given))
    outcome: Outcome = Run.begin(executable, situation, procedure, arguments).outcome
    for met, answer in run.answered_requests:
        assert isinstance(outcome, Paused)
        assert (met.asked.line_address, met.asked.player, met.asked.data) == (
            outcome.asked.line_address,
            outcome.asked.player,
            outcome.asked.data,
        )
        assert tuple(met.entries) == tuple(outcome.entries)
        outcome = outcome.take_answer(answer)
    assert isinstance(outcome, Ended)
    assert isinstance(run.outcome, Ended)
    assert tuple(run.outcome.entries) == tuple(outcome.entries)
    assert run.outcome.state == outcome.state
    if run.answered_requests:
        middle = run.answered_requests[len(run.answered_requests) // 2]
        again = middle[0].take_answer(middle[1])
        assert isinstance(again, Ended | Paused)


def _check_futures(run: Run, answers: list[Any], draw: Random) -> None:
    """At some requests of a play, keys and chances are what brute force says."""
    judged = set(draw.sample(range(len(answers)), min(len(answers), _JUDGED)))
    for number, answer in enumerate(answers):
        if number in judged:
            check_request(run, draw)
        assert isinstance(run.outcome, Paused)
        run.outcome.take_answer(answer)


def _encode_json(value: Any, type_: Type, names: NameTable) -> Any:
    from rulewright.runtime.type_codecs import value_to_json  # noqa: PLC0415

    return value_to_json(value, type_, names)
