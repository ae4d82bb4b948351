"""Witnesses of `diff` as pictures: their boards, their stories a little beyond the difference, the scenario most like each."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

from rulewright.base.frozen import dataclass
from rulewright.cli.diff_result import ComparedSide
from rulewright.cli.diff_witnesses import flatten_json, flatten_start_state
from rulewright.cli.draw import session_boards_json
from rulewright.diff.differential_testing.fixtures import filter_matching_cases
from rulewright.diff.differential_testing.results import PlayWitness, WitnessSide
from rulewright.documents.state_json import state_to_json
from rulewright.play.session import Session
from rulewright.runtime.faults import RunLimits
from rulewright.runtime.request import CHANCE_SORTS, EXTERNAL_SORTS, Refused
from rulewright.runtime.run import Paused
from rulewright.scenarios.case_opening import CompiledRuleset, RulesetLoader, open_case_under
from rulewright.scenarios.case_play import excerpt_play
from rulewright.scenarios.scenario_files import all_cases, read_suites
from rulewright.scenarios.suite import ScenarioCase

_MAX_FURTHER_ANSWERS = 3
"""Answers given beyond the difference, so that a board shows what came of it."""
_MIN_LIKENESS = 0.5
"""Share of the values of a start that a scenario must have to be called like it."""


def witness_scene_json(side: WitnessSide) -> dict[str, Any]:
    """The boards before and after, and the story; beyond the difference each choice gets its first legal answer."""
    session = _play_further(side.session)
    return {"boards": session_boards_json(session), "told": list(excerpt_play(session).lines)}


def _play_further(session: Session) -> Session:
    for _ in range(_MAX_FURTHER_ANSWERS):
        if not isinstance(session.outcome, Paused) or session.outcome.request.sort in CHANCE_SORTS | EXTERNAL_SORTS:
            break
        sources = replace(session.sources, script=None, seen_answers=(), policy="first", policies={})
        reply = sources.answer_without_script(session.outcome, session.turns.count_occasions(session.outcome.asked))
        after = None if reply is None or reply.answer is None else session.apply_answer(reply.answer, sources)
        if after is None or isinstance(after, Refused):
            break
        session = after
    return session


@dataclass(frozen=True, slots=True)
class _ScenarioStart:
    case: ScenarioCase
    roles: dict[str, Any]
    values: frozenset[str]


class LikeScenarioFinder:
    """Finds for a witness the scenario beside OLD that begins most like it."""

    def __init__(self, old: ComparedSide, preferred: Collection[str]) -> None:
        """`preferred`: names of scenarios, after their file, that go before others which are as much alike."""
        starts = _scenario_starts(old)
        self._starts = sorted(
            starts, key=lambda start: not any(name.endswith(f": {start.case.name}") for name in preferred)
        )

    def find_like_scenario(self, witness: PlayWitness) -> dict[str, Any] | None:
        """File and name of the scenario, and whether the witness begins exactly as it does; None if none is like it."""
        side = witness.old
        values = frozenset(flatten_start_state(side))
        likest, most = None, 0.0
        for start in self._starts:
            if start.case.procedure.text != side.procedure:
                continue
            likeness = (len(values & start.values) + len(values) * (start.roles == dict(side.roles))) / (
                2 * len(values)
            )
            if likeness > most:
                likest, most = start, likeness
        if likest is None or most < _MIN_LIKENESS:
            return None
        is_exact = values <= likest.values and likest.roles == dict(side.roles)
        return {"file": likest.case.file, "name": likest.case.name, "exact": is_exact}


def _scenario_starts(old: ComparedSide) -> Iterator[_ScenarioStart]:
    rules = RulesetLoader(old.request.provider)
    cases: Sequence[ScenarioCase] = all_cases(read_suites((old.beside.home,), rules).value or ())
    matching = filter_matching_cases(
        [case for case in cases if not case.problems], old.beside.main, old.beside.overlays, old.beside.provider
    )
    ruled: CompiledRuleset | None = None
    for case in matching:
        ruled = ruled or rules.compile_for_case(case).value
        opened = None if ruled is None else open_case_under(replace(case, covers=()), ruled, RunLimits()).value
        if opened is not None:
            start = opened.start
            state = state_to_json(start.situation, start.executable.program)
            yield _ScenarioStart(case, start.arguments_to_json(), frozenset(flatten_json(state, ())))
