"""Small rulesets played by machine and judge, and by both ways of the machine.

The pages in `programs` hold them: rules and a state that all of a page share, then sections, each with more rules, or else those
of the section before, perhaps a state of its own, and the calls that are played, as `procedure(arguments)`, things by their
number. It may say what they come to.
Where it says how many of its plays the batch path plays, or why none, the engines of `support.engine_plays` play it, too.
"""

import re
from ast import literal_eval
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest

from rulewright.play.session import PlayStart
from rulewright.program.declarations import Program
from rulewright.runtime.faults import RunLimits
from rulewright.runtime.pending_question import PendingQuestion
from rulewright.runtime.request import Ended, Faulted, Refused
from rulewright.runtime.run import Outcome, Paused, Run, start_run
from rulewright.runtime.state import Situation
from support.engine_plays import EnginePlays, measure_all, prepare_batch
from support.judge_comparison import compare_with_judge, compile_once, draw_value
from support.reference.ruleset_texts import load_program, read_situation
from support.sample_sizes import choose_count

SEEDS = range(choose_count(4, 8))
PLAYS = choose_count(40, 300)
_BLOCK = re.compile(r"^```(rules|yaml)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_RESULTS: dict[str, object] = {"": None, "yes": True, "no": False}
_CALL = re.compile(r"`(\w+)(\(.*?\))`(?=,|$)", re.MULTILINE)


class JudgedCall(NamedTuple):
    """A call of a procedure from a state, with its arguments."""

    name: str
    rules: str
    state: str
    procedure: str
    arguments: tuple[Any, ...]
    result: object  # what it comes to, if that is said
    batch: str


def read_calls(page: Path) -> list[JudgedCall]:
    shared, *sections = re.split(r"^## ", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    files = dict(_BLOCK.findall(shared))
    more, calls = "", []
    for section in sections:
        own = dict(_BLOCK.findall(section))
        more, state = own.get("rules", more), own.get("yaml", files["yaml"])
        title, played = section.partition("\n")[0], section.rpartition("Played: ")[2]
        played, _, batch = played.partition("Batch path: ")
        result = _RESULTS[played.partition("Comes to: ")[2].strip("`\n")]
        for procedure, given in _CALL.findall(played):
            arguments = literal_eval(f"({given[1:-1]},)" if given != "()" else given)
            name = f"{title}: {procedure}{given}"
            calls.append(JudgedCall(name, files["rules"] + more, state, procedure, arguments, result, batch.strip()))
    return calls


CALLS = [
    pytest.param(call, id=call.name)
    for page in sorted((Path(__file__).parent / "programs").glob("*.md"))
    for call in read_calls(page)
]


@pytest.mark.parametrize("call", CALLS)
def test_machine_and_judge_agree(call: JudgedCall) -> None:
    played = load_program(call.rules)
    for seed in SEEDS:
        end = compare_with_judge(played, read_situation(call.state, played), call.procedure, call.arguments, seed)
        assert call.result in {None, end.result}
        if not end.asked or call.result is not None:
            break  # another seed comes to the same


@pytest.mark.parametrize("call", [each for each in CALLS if each.values[0].batch])
def test_engines_agree(call: JudgedCall) -> None:
    pytest.importorskip("wasmtime")
    program = measure_all(load_program(call.rules))
    begun = PlayStart(
        compile_once(program, traced=False),
        program.procedures[call.procedure],
        read_situation(call.state, program),
        call.arguments,
        RunLimits(),
    )
    batch = prepare_batch(begun)
    plays = EnginePlays(begun, None if isinstance(batch, str) else batch)
    back = [found[1] for number in range(PLAYS) if (found := plays.compare_play(1, number)) is not None]
    back = [batch] if isinstance(batch, str) else back
    assert call.batch == ("all plays" if not any(back) else "some plays" if "" in back else back[0])


@pytest.mark.parametrize("traced", [False, True], ids=["untraced", "traced"])
@pytest.mark.parametrize("call", [each for each in CALLS if each.values[0].result is None])
def test_a_play_frozen_at_every_question_and_a_live_one_come_to_the_same(call: JudgedCall, *, traced: bool) -> None:
    played = load_program(call.rules)
    executable = compile_once(played, traced=traced)
    begun = read_situation(call.state, played)
    for seed in SEEDS:
        asked: list[tuple[Any, ...]] = []
        outcome, entries = start_run(executable, begun, call.procedure, call.arguments), []
        while isinstance(outcome, Paused):
            entries += outcome.entries
            question = outcome.request.question
            assert question is not None
            given = _choose_answer(played, begun, question, f"{seed} {len(asked)}")
            asked.append((question.sort, question.address, question.player, given))
            outcome = Run.thaw(executable, outcome.state).reply(asked[-1][3])
        live, told = Run.begin(executable, begun, call.procedure, call.arguments), []
        for *same, given in asked:
            told += live.outcome.entries
            question = live.make_question()
            assert same == [question.sort, question.address, question.player]
            live.reply(given)
        assert _describe_end(live.outcome) == _describe_end(outcome)
        assert [_describe_entry(each) for each in (*told, *live.outcome.entries)] == [
            _describe_entry(each) for each in (*entries, *outcome.entries)
        ]


def _choose_answer(played: Program, begun: Situation, question: PendingQuestion, seed: str) -> Any:
    draw = Random(f"{seed}{question.sort}{question.address}{question.data!r}")
    match question.sort:
        case "roll" | "draw" | "shuffle":
            return question.outcome_at(draw.randrange(question.outcome_count))
        case "external":
            result = played.external_procedures[question.node.external].result
            return (None if result is None else draw_value(result, played, begun.base.things, draw)), ()
        case "value":
            return draw_value(played.external_terms[question.data[0]].type, played, begun.base.things, draw)
        case _:
            return draw.choice(list(islice(question.iterate_answers(), 200)) or [None])


def _describe_end(outcome: Outcome) -> tuple[Any, ...]:
    match outcome:
        case Ended(state=state, result=result):
            return "ended", state, hash(state), result
        case Refused(reasons=reasons):
            return "refused", reasons
        case Faulted(code=code, address=address, message=message):
            return "faulted", code, address, message
        case _:
            raise AssertionError(outcome)


def _describe_entry(entry: Any) -> tuple[Any, ...]:
    return entry.sort, entry.address, entry.enclosing, entry.changes, entry.rows, entry.forced
