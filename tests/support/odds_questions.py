"""Plays from texts, of whose ends something is asked, and the odds of it."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

from rulewright.base.files import MemoryFiles
from rulewright.base.source import Text
from rulewright.documents.answer_scripts import read_script
from rulewright.documents.document_nodes import make_unplaced_map
from rulewright.odds.answerers import PlayAnswerer
from rulewright.odds.end_measures import MeasuredPlay, prepare_measured_play
from rulewright.odds.exact_odds import PlayOdds, compute_odds
from rulewright.odds.external_answers import read_external_odds
from rulewright.odds.hidden_information import find_hidden_at_start, hide_deck_orders
from rulewright.play.session import PlayStart
from rulewright.runtime.faults import RunLimits
from support.judge_comparison import compile_once
from support.reference.ruleset_texts import load_program, read_situation

TWO_PLAYERS = "players: [ann, bob]\n"


def ask_play(
    rules: str, *measures: str, state: str = TWO_PLAYERS, best: tuple[tuple[int, str], ...] = ()
) -> MeasuredPlay:
    """A play of `main`, or else of the first procedure, given the first things or players; asked is its result, unless told otherwise.

    `best` has numbers of players with what they make as high as they can.
    """
    text = rules if rules.startswith("ruleset") else f'ruleset example "Example" revision "1"\n{rules}'
    program = load_program(text)
    procedure = program.procedures.get("main") or next(iter(program.procedures.values()))
    arguments = tuple(range(len(procedure.parameters)))
    executable = compile_once(program, traced=False)
    begun = PlayStart(executable, procedure, read_situation(state, program), arguments, RunLimits())
    files = MemoryFiles({"example.rules": text})
    found = prepare_measured_play(begun, measures or ("result",), "example.rules", (), files, best, watching=True)
    assert found.value is not None, found.diagnostics
    return found.value


def make_answerer(
    play: MeasuredPlay, *, script: str = "", elsewhere: dict[str, Any] | None = None, **more: Any
) -> PlayAnswerer:
    """Who answers: a script, odds of what comes from elsewhere, policies, and whoever makes something as high as can be."""
    names = play.start.names
    return PlayAnswerer(
        names,
        read_script(Text("script.yaml", script), names.program).value if script else None,
        external_odds=elsewhere and read_external_odds(make_unplaced_map(elsewhere), names.program, names).value,
        maximizing_players=frozenset(play.objectives),
        counted_events=play.counted_events,
        **more,
    )


def answer_play(play: MeasuredPlay, *, most: int = 200_000, known: tuple[str, ...] = (), **answers: Any) -> PlayOdds:
    """The odds of a play; what lies in decks is hidden from who plays for the best, but for those that are known."""
    hidden: dict[str, Any] = {}
    if play.objectives:
        begun = play.start
        hidden["hidden_facts"] = find_hidden_at_start(begun.executable, begun.procedure, begun.situation, known)
        play = play.with_start(replace(begun, situation=hide_deck_orders(begun.executable, begun.situation, known)))
    return compute_odds(play, make_answerer(play, **hidden, **answers), most, lambda _: None)


def work_out(
    rules: str, *measures: str, state: str = TWO_PLAYERS, best: tuple[tuple[int, str], ...] = (), **answers: Any
) -> PlayOdds:
    """The odds of a play of some rules."""
    return answer_play(ask_play(rules, *measures, state=state, best=best), **answers)


def get_odds(found: PlayOdds) -> dict[Any, Fraction]:
    """How likely each value of the one measure is."""
    (told,) = found.distributions
    return dict(told.probabilities)


def ask_best_play(rules: str, *best: tuple[int, str], state: str = TWO_PLAYERS) -> MeasuredPlay:
    """A play in which players, by their numbers, make something as high as they can."""
    return ask_play(rules, state=state, best=best)


def compute_worth(rules: str, *best: tuple[int, str], state: str = TWO_PLAYERS, **answers: Any) -> Fraction:
    """What the first of those who play for the best can expect, which is known."""
    told = answer_play(ask_best_play(rules, *best, state=state), **answers).optimal_values[0]
    assert told.low == told.high
    return told.low
