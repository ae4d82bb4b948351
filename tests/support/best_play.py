"""Plays from texts, in which players take what is best for them."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

from rulewright.base.files import MemoryFiles
from rulewright.base.source import Text
from rulewright.documents.answer_scripts import read_script
from rulewright.odds.answerers import PlayAnswerer
from rulewright.odds.end_measures import MeasuredPlay, prepare_measured_play
from rulewright.odds.exact_odds import PlayOdds, compute_odds
from rulewright.odds.hidden_information import find_hidden_at_start, hide_deck_orders
from rulewright.play.session import PlayStart
from rulewright.runtime.executable import compile_program
from rulewright.runtime.faults import RunLimits
from support.reference.ruleset_texts import load_program, read_situation

STATE = "players: [ann, bob]"


def prepare_play(rules: str, *best: tuple[int, str], state: str = STATE) -> MeasuredPlay:
    text = f'ruleset example "Example" revision "1"\n{rules}'
    checked = load_program(text)
    procedure = next(iter(checked.procedures.values()))
    arguments = tuple(range(len(procedure.parameters)))
    start = read_situation(state, checked)
    begun = PlayStart(compile_program(checked, traced=False), procedure, start, arguments, RunLimits())
    found = prepare_measured_play(begun, ("result",), "example.rules", (), MemoryFiles({"example.rules": text}), best)
    assert found.value is not None, found.diagnostics
    return found.value


def solve_best_play(
    play: MeasuredPlay, *, most: int = 100_000, script: str = "", known: tuple[str, ...] = (), **answers: Any
) -> PlayOdds:
    begun = play.start
    start = hide_deck_orders(begun.executable, begun.situation, known)
    said = read_script(Text("script.yaml", script), begun.executable.program).value if script else None
    hidden = find_hidden_at_start(begun.executable, begun.procedure, begun.situation, known)
    best = frozenset(play.objectives)
    play = play.with_start(replace(begun, situation=start))
    return compute_odds(
        play,
        PlayAnswerer(begun.names, said, maximizing_players=best, hidden_facts=hidden, **answers),
        most,
        lambda _: None,
    )


def compute_value(rules: str, *best: tuple[int, str], state: str = STATE, **answers: Any) -> Fraction:
    told = solve_best_play(prepare_play(rules, *best, state=state), **answers).optimal_values[0]
    assert told.low == told.high
    return told.low
