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
from support.compare import MADE_OF_ITEMS, Playing, agree
from support.reference.judge_requests import JudgeRequest
from support.reference.play import JudgedPlay


@dataclass
class Following(Playing):
    """A play of the machine with answers as data, in order."""

    given: list[Json] = field(default_factory=list)

    def _chosen(self, asked: JudgeRequest) -> Any:
        assert isinstance(self.outcome, Paused)
        return _for_judge(self._next(self.outcome.request), self.outcome.request, asked)

    def _endless(self, paused: Paused, asked: JudgeRequest) -> Any:
        answer = self._next(paused.request)
        assert asked.allows is not None
        assert asked.tried is not None
        if answer is None:
            assert not any(map(asked.allows, asked.tried())), "the judge finds a place"
        else:
            assert asked.allows(answer), answer
        self._follow(answer_paused(paused, answer))
        return answer

    def _next(self, request: Request) -> Any:
        read = read_answer(request, self.given.pop(0), NameTable(self.executable.program, self.situation.base))
        assert not read.diagnostics, read.diagnostics
        return read.value


def follow(
    executable: Executable,
    situation: Situation,
    procedure: str,
    arguments: tuple[Any, ...],
    answers: Sequence[Json],
) -> JudgedPlay:
    """The judge's play of a procedure with these answers; asserts that the machine's is the same."""
    first = start_run(executable, situation, procedure, arguments)
    playing = Following(executable, situation, Random(0), first, given=list(answers))
    playing.path += [(each.sort, each.address) for each in first.entries if each.sort in {"step", "passed over"}]
    return agree(playing, situation, procedure, arguments)


def _for_judge(answer: Any, request: Request, asked: JudgeRequest) -> Any:
    """The answer in the judge's terms: members are told by their place among the items."""
    if asked.sort not in MADE_OF_ITEMS | {"handlers"}:
        return answer
    same = dict(zip(request.items, asked.items, strict=True))
    if isinstance(answer, GameMap):
        return GameMap.from_pairs(0, [(same[key], answer[key]) for key in answer])
    return same[answer] if asked.sort == "draw" else tuple(same[each] for each in answer)
