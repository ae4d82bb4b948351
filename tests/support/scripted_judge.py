"""Lets the judge follow a play whose answers are given, and compares it with the machine's."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from rulewright.documents.answers import read_answer
from rulewright.documents.document_nodes import Json
from rulewright.documents.name_table import NameTable
from rulewright.runtime.executable import Executable
from rulewright.runtime.request import Request
from rulewright.runtime.run import Paused, answer_paused, start_run
from rulewright.runtime.state import Situation
from rulewright.runtime.values import GameMap
from support.judge_comparison import SORTS_MADE_OF_ITEMS, JudgedPlaying, assert_judge_agrees
from support.reference.judge_requests import JudgeRequest
from support.reference.play import JudgedPlay


@dataclass
class ScriptedPlaying(JudgedPlaying):
    """A play of the machine with answers as data, in order."""

    given: list[Json] = field(default_factory=list)

    def _choose_answer(self, asked: JudgeRequest) -> Any:
        assert isinstance(self.outcome, Paused)
        return _convert_answer_for_judge(self._take_next_answer(self.outcome.request), self.outcome.request, asked)

    def _answer_unlisted(self, paused: Paused, asked: JudgeRequest) -> Any:
        answer = self._take_next_answer(paused.request)
        assert asked.allows is not None
        assert asked.tried is not None
        if answer is None:
            assert not any(map(asked.allows, asked.tried())), "the judge finds a place"
        else:
            assert asked.allows(answer), answer
        self._continue_with(answer_paused(paused, answer))
        return answer

    def _take_next_answer(self, request: Request) -> Any:
        read = read_answer(request, self.given.pop(0), NameTable(self.executable.program, self.situation.base))
        assert not read.diagnostics, read.diagnostics
        return read.value


def play_script_with_judge(
    executable: Executable,
    situation: Situation,
    procedure: str,
    arguments: tuple[Any, ...],
    answers: Sequence[Json],
) -> JudgedPlay:
    """The judge's play of a procedure with these answers; asserts that the machine's is the same."""
    first = start_run(executable, situation, procedure, arguments)
    playing = ScriptedPlaying(executable, situation, Random(0), first, given=list(answers))
    playing.path += [(each.sort, each.address) for each in first.entries if each.sort in {"step", "passed over"}]
    return assert_judge_agrees(playing, situation, procedure, arguments)


def _convert_answer_for_judge(answer: Any, request: Request, asked: JudgeRequest) -> Any:
    """The answer in the judge's terms: members are told by their place among the items."""
    if asked.sort not in SORTS_MADE_OF_ITEMS | {"handlers"}:
        return answer
    same = dict(zip(request.items, asked.items, strict=True))
    if isinstance(answer, GameMap):
        return GameMap.from_pairs(0, [(same[key], answer[key]) for key in answer])
    return same[answer] if asked.sort == "draw" else tuple(same[each] for each in answer)
