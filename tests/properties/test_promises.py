"""What `check` promises: no run stops without a warning at its line, unless something from outside is the cause."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from random import Random
from typing import Any

import pytest
from hypothesis import assume, given, settings, strategies as st

from rulewright.base.diagnostics import Diagnostic, has_errors
from rulewright.base.diagnostics.pages import find_page
from rulewright.base.source import Span
from rulewright.documents.state_generation import make_state
from rulewright.documents.value_sampling import SeededChoices, SizeRanges
from rulewright.program.declarations import Program
from rulewright.runtime.request import Faulted
from rulewright.runtime.run import Outcome, start_run
from rulewright.runtime.state import Situation
from support.judge_comparison import JudgedPlaying, assert_judge_agrees, compile_once
from support.legal_starts import make_legal_situation
from support.random_programs import make_situation, write_program
from support.reference.ruleset_texts import load_text
from support.sample_sizes import choose_count

SEEDS = st.integers(0, 2**32)
ANYWHERE_BEFORE = frozenset({"RW0810"})
"""Faults that tell of lines carried out before: an `always` is judged once all has settled."""

PROMISED = frozenset({"RW0811", "RW0812", "RW0813"})
"""Faults that a text promises will not be, by a bound after `at most`: warned of only where they are sure."""


@dataclass
class WatchedPlaying(JudgedPlaying):
    """A play that remembers every line it went through."""

    went: set[str] = field(default_factory=set)

    def _continue_with(self, outcome: Outcome) -> None:
        super()._continue_with(outcome)
        self.note_lines(outcome)

    def note_lines(self, outcome: Outcome) -> None:
        for each in outcome.entries:
            self.went |= {each.address, *each.enclosing}


def collect_spans(program: Program) -> dict[str, list[Span]]:
    """Where each line and declaration stands, by its address or name."""
    found: dict[str, list[Span]] = {}
    seen: set[int] = set()

    def visit_node(node: Any) -> None:
        if isinstance(node, tuple | Mapping):
            for each in node.values() if isinstance(node, Mapping) else node:
                visit_node(each)
        elif is_dataclass(node) and id(node) not in seen:
            seen.add(id(node))
            name = getattr(node, "address", None) or getattr(node, "name", None)
            span = getattr(node, "span", None)
            if isinstance(name, str) and isinstance(span, Span):
                found.setdefault(name, []).append(span)
            for each in fields(node):
                visit_node(getattr(node, each.name))

    visit_node(program)
    return found


def begin_watched(program: Program, situation: Situation, arguments: tuple[Any, ...], seed: int) -> WatchedPlaying:
    executable = compile_once(program)
    playing = WatchedPlaying(executable, situation, Random(seed), start_run(executable, situation, "main", arguments))
    playing.path += [(e.sort, e.address) for e in playing.outcome.entries if e.sort in {"step", "passed over"}]
    playing.note_lines(playing.outcome)
    return playing


def is_foreseen(fault: Faulted, went: set[str], program: Program, diagnostics: tuple[Diagnostic, ...]) -> bool:
    """Whether a warning that foresees the fault stands at its line, at a line that led there, or in a function."""
    found = find_page(fault.code)
    assert found is not None
    places = collect_spans(program)
    around = {fault.address} | {name for each in fault.entries for name in each.enclosing}
    led = went if fault.code in ANYWHERE_BEFORE else around | _list_calling_lines(went)
    lines = [span for name in led for span in places.get(name, ())]
    lines += [each.span for each in program.functions.values()]
    return any(
        each.code in found.foreseen and each.primary is not None and _do_lines_cover(lines, each.primary.span)
        for each in diagnostics
    )


def _list_calling_lines(went: set[str]) -> set[str]:
    """The lines that perform or trigger: what they lead to is shown where they stand."""
    return {name for name in went if "perform." in name or "trigger." in name}


def _do_lines_cover(lines: list[Span], place: Span) -> bool:
    return any(
        each.source == place.source
        and each.start <= place.start
        and place.end <= max(each.end, place.end)
        and place.start <= each.end
        for each in lines
    )


def make_settled_situation(program: Program, arguments: tuple[Any, ...], seed: int) -> Situation | None:
    """A state in which every `always` holds and no standing rule applies, so that it is no cause of what follows."""
    chooser = SeededChoices(seed)
    sizes = SizeRanges(things={"Unit": (2, 4), "Mini": (2, 2)})
    for _ in range(30):
        situation = make_legal_situation(lambda: make_state(program, sizes, chooser), program)
        if situation is not None and not _is_unsettled(start_run(compile_once(program), situation, "main", arguments)):
            return situation
    return None


def _is_unsettled(outcome: Outcome) -> bool:
    """Whether a start stops, or standing rules apply, before the first line of the procedure."""
    for each in outcome.entries:
        if each.address.startswith("main/"):
            return False
        if each.sort == "rule":
            return True
    return isinstance(outcome, Faulted)


def faults_unforeseen(text: str, play: int, situation: Situation | None = None) -> Iterator[str]:
    """Faults of one play of `main` that no warning foresees, and that the text does not promise itself."""
    read = load_text(text)
    assume(not has_errors(read.diagnostics))
    assert read.program is not None
    program = read.program
    arguments = (0, 1, 0, 1) if "Mini" in program.kinds else (0, 1)
    situation = situation or make_settled_situation(program, arguments, play)
    assume(situation is not None)
    assert situation is not None
    playing = begin_watched(program, situation, arguments, play)
    assume(not _is_unsettled(playing.outcome))
    assert_judge_agrees(playing, situation, "main", arguments)
    outcome = playing.outcome
    if isinstance(outcome, Faulted):
        found = find_page(outcome.code)
        assert found is not None
        if (
            found.foreseen
            and outcome.code not in PROMISED
            and not is_foreseen(outcome, playing.went, program, read.diagnostics)
        ):
            yield f"{outcome.code} at {outcome.address}: {outcome.message}"


@settings(max_examples=choose_count(12, 50), deadline=None)
@given(seed=SEEDS, play=SEEDS)
def test_no_fault_on_a_board_comes_without_a_warning(seed: int, play: int) -> None:
    assert list(faults_unforeseen(write_program("board", seed), play)) == []


@settings(max_examples=choose_count(6, 25), deadline=None)
@given(seed=SEEDS, play=SEEDS)
def test_no_fault_of_any_line_comes_without_a_warning(seed: int, play: int) -> None:
    assert list(faults_unforeseen(write_program("random", seed), play, make_situation(play))) == []


@settings(max_examples=choose_count(25, 100), deadline=None)
@given(seed=SEEDS, play=SEEDS)
def test_no_payment_that_is_proved_goes_below_zero(seed: int, play: int) -> None:
    assert list(faults_unforeseen(write_program("payment", seed), play)) == []


def test_some_payments_are_proved_and_some_are_not() -> None:
    """So that the property is about something."""
    found = [load_text(write_program("payment", seed)).diagnostics for seed in range(60)]
    warned = [any(each.code in {"RW0401", "RW0402"} for each in diagnostics) for diagnostics in found]
    assert 5 < sum(warned) < 55


@pytest.mark.long
def test_the_boards_do_fault() -> None:
    """So that the property is about something: faults of many sorts come to pass among a few plays."""
    met = set()
    for seed in range(120):
        program = load_text(write_program("board", seed)).program
        arguments = (0, 1, 0, 1)
        situation = make_settled_situation(program, arguments, seed) if program is not None else None
        if program is not None and situation is not None:
            outcome = start_run(compile_once(program), situation, "main", arguments)
            met |= {outcome.code} if isinstance(outcome, Faulted) else set()
    assert met >= {"RW0806", "RW0809", "RW0810", "RW0815"}
