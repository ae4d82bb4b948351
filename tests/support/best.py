"""Plays from texts, in which players take what is best for them."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

from rulewright.drivers.session import Begun
from rulewright.inputs.script import read_script
from rulewright.machine.compile import compile_program
from rulewright.machine.faults import Limits
from rulewright.odds.answering import Answers
from rulewright.odds.measures import PlayToMeasure, play_to_measure
from rulewright.odds.odds import Odds, odds
from rulewright.odds.secrecy import in_unseen_order, unseen_at_start
from rulewright.source import Text
from rulewright.workspace import Memory
from support.reference.texts import program, situation

STATE = "players: [ann, bob]"


def play_of(rules: str, *best: tuple[int, str], state: str = STATE) -> PlayToMeasure:
    text = f'ruleset example "Example" revision "1"\n{rules}'
    checked = program(text)
    procedure = next(iter(checked.procedures.values()))
    arguments = tuple(range(len(procedure.parameters)))
    start = situation(state, checked)
    begun = Begun(compile_program(checked, traced=False), procedure, start, arguments, Limits())
    found = play_to_measure(begun, ("result",), "example.rules", (), Memory({"example.rules": text}), best)
    assert found.value is not None, found.diagnostics
    return found.value


def played(
    play: PlayToMeasure, *, most: int = 100_000, script: str = "", known: tuple[str, ...] = (), **answers: Any
) -> Odds:
    begun = play.begun
    start = in_unseen_order(begun.executable, begun.situation, known)
    said = read_script(Text("script.yaml", script), begun.executable.program).value if script else None
    hidden = unseen_at_start(begun.executable, begun.procedure, begun.situation, known)
    best = frozenset(play.objectives)
    play = play.beginning(replace(begun, situation=start))
    return odds(play, Answers(begun.names, said, best=best, hidden=hidden, **answers), most, lambda _: None)


def worth(rules: str, *best: tuple[int, str], state: str = STATE, **answers: Any) -> Fraction:
    told = played(play_of(rules, *best, state=state), **answers).best[0]
    assert told.low == told.high
    return told.low
