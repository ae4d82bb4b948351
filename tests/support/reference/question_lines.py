"""Questions."""

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from rulewright.program import statements as st
from rulewright.runtime.values import GameMap
from support.reference.evaluation import bind_member
from support.reference.judge_requests import QUESTION_SORTS, JudgeRequest, list_legal_answers, make_unlisted_request
from support.reference.world import Env, JudgedFault

if TYPE_CHECKING:
    from support.reference.judge import Judge

Run = Generator[JudgeRequest, Any, Any]


def ask_question(judge: "Judge", env: Env, line: st.Ask) -> Run:
    """A question, forced where one answer is legal; then the block or `else`."""
    who = yield from judge.evaluate_expression(env, line.who)
    asked = make_unlisted_request(judge.world, env, line, who)
    if asked is not None:
        yield from ask_unlisted_question(judge, env, line, asked)
        return
    found, parts = yield from judge.compute_with_externals(lambda: list_legal_answers(judge.world, env, line))
    if not found:
        if line.otherwise is None:
            raise JudgedFault("RW0808")
        yield from judge.play_lines(env, line.otherwise)
        return
    answer = found[0]
    if len(found) > 1:
        answer = yield JudgeRequest(QUESTION_SORTS[type(line.shape)], line.address, who, legal=found, items=parts)
    env[line.variable.index] = answer
    if isinstance(line.shape, st.Choose):
        option = next(each for each in line.shape.options if each.id == answer)
        judge.world.reached.add((option.address, "taken"))
        yield from judge.play_lines(env, option.block)
    elif isinstance(line.shape, st.Whether) and not answer:
        yield from judge.play_lines(env, line.otherwise)
    else:
        yield from judge.play_lines(env, line.block)


def ask_unlisted_question(judge: "Judge", env: Env, line: st.Ask, asked: JudgeRequest) -> Run:
    """Where to place a thing or how to turn it: always asked; the answer may be that there is none."""
    answer = yield asked
    if answer is not None:
        env[line.variable.index] = answer
        yield from judge.play_lines(env, line.block)
    elif line.otherwise is None:
        raise JudgedFault("RW0808")
    else:
        yield from judge.play_lines(env, line.otherwise)


def ask_all_players(judge: "Judge", env: Env, line: st.AskAll) -> Run:
    """Every player is asked as if alone; nothing happens before the last has answered."""
    players = yield from judge.evaluate_expression(env, line.players.source)
    given: list[tuple[int, Any]] = []
    for player in players:
        alone = bind_member(env, line.players, player)
        yield from ask_question(judge, alone, line.question)
        given.append((player, alone[line.question.variable.index]))
    env[line.answers.index] = GameMap.from_pairs(None, given)
