"""What the shipped rulesets report as run and as met: no step that only finds out that it does not apply, no ruling
outside its case."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rulewright import api
from rulewright.program.declarations import Step
from rulewright.program.statements import Ask, Block, If, Let, Proceed, Ruling, Whether
from support.sample_sizes import sample_cases
from support.shipped_programs import load_shipped_program

RULESETS = Path(__file__).parents[2] / "rulesets"

TEXTS = [pytest.param(each.name, (), id=each.name) for each in sorted(RULESETS.iterdir()) if each.is_dir()]
TEXTS += [
    pytest.param(path.parent.name, (path.stem,), id=path.stem)
    for path in sorted(RULESETS.glob("*/*.rules"))
    if path.read_text(encoding="utf-8").startswith("amends ")
]
ALWAYS_MET = {"MEL.F14", "MEL.F17"}
"""Who decides on formations is open whenever their step begins, which condition wins whenever a winner is sought."""


def nothing_but_a_guard(step: Step, following: str | None) -> bool:
    """Whether a step does something only where a condition of its own holds, which belongs in its `when`."""
    acting = [each for each in step.block if not isinstance(each, Let | Ruling)]
    match acting:
        case [If(branches=(_,), otherwise=None)]:
            return True
        case [Ask(shape=Whether(guard=guard), otherwise=None)]:
            return guard is not None
        case [If(branches=(branch,), otherwise=None), *_]:
            return bool(branch.block) and isinstance(only := branch.block[-1], Proceed) and only.step == following
        case _:
            return False


@pytest.mark.parametrize(("name", "overlays"), sample_cases(TEXTS, 3))
def test_no_step_runs_only_to_find_that_it_does_not_apply(name: str, overlays: tuple[str, ...]) -> None:
    found = []
    for procedure in load_shipped_program(name, overlays).procedures.values():
        ids = [*(each.id for each in procedure.steps), None]
        found += [
            step.address
            for step, following in zip(procedure.steps, ids[1:], strict=True)
            if nothing_but_a_guard(step, following)
        ]
    assert found == []


def unguarded(block: Block) -> Iterator[Ruling]:
    """Rulings that nothing stands around."""
    yield from (each for each in block if isinstance(each, Ruling))


@pytest.mark.parametrize(("name", "overlays"), sample_cases(TEXTS, 3))
def test_rulings_stand_under_the_case_they_are_about(name: str, overlays: tuple[str, ...]) -> None:
    program = load_shipped_program(name, overlays)
    blocks: list[Block] = [step.block for each in program.procedures.values() for step in each.steps]
    blocks += [part for each in program.procedures.values() for part in each.opening if isinstance(part, tuple)]
    blocks += [each.block for each in (*program.handlers.values(), *program.rules.values())]
    assert {each.number for block in blocks for each in unguarded(block)} <= ALWAYS_MET


DUEL: dict[str, Any] = {
    "players": ["red", "blue"],
    "units": {
        "hammer": {"owner": "red", "at": [0, 0], "facing": 0, "health": 3, "morale": 2},
        "anvil": {"owner": "blue", "at": [1, 0], "facing": 3, "health": 3, "morale": 1},
    },
    "field": {"shape": {"radius": 3}},
    "game": {"active": "hammer"},
}


def met(tokens: int, overlays: tuple[str, ...] = (), settings: dict[str, str] | None = None) -> set[str]:
    """The rulings of a melee that the defender loses, with so many tokens to lose."""
    units = {**DUEL["units"], "anvil": {**DUEL["units"]["anvil"], "morale": tokens}}
    start = {**DUEL, "units": units, "settings": settings or {}}
    beside = [str(RULESETS / "mel" / f"{each}.rules") for each in overlays]
    play = api.start(api.load("mel", beside), "melee_attack", start, {"attacker": "hammer", "defender": "anvil"})
    for answer in (False, False, {"by_attacker": 1, "by_defender": 0}, False):
        play = play.answered(answer)
    assert play.ended
    return {each.address.rpartition("ruling.")[2] for each in play.entries if each.sort == "ruling"}


def test_a_ruling_is_met_where_its_case_applies_and_its_reading_is_taken() -> None:
    assert met(tokens=0) == {*ALWAYS_MET, "MEL.F05"}
    assert met(tokens=1) == ALWAYS_MET
    assert met(0, ("mel_readings",)) == {*ALWAYS_MET, "MEL.F05"}
    assert met(0, ("mel_readings",), {"token_at_nought_wounds": "yes"}) == ALWAYS_MET
