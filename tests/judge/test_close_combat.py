"""Close combat with all its companions, played by machine and judge from the states of its examples."""

from pathlib import Path

import pytest

from rulewright.documents.ruleset_loading import load_ruleset
from rulewright.documents.ruleset_location import locate_ruleset
from rulewright.program.declarations import Program
from support.judge_comparison import compare_with_judge
from support.reference.ruleset_texts import read_situation

FOLDER = Path(__file__).parents[2] / "rulesets" / "necromunda-close-combat"
OVERLAYS = ("resolving_hits", "statuses", "weapon_traits")


@pytest.fixture(scope="module")
def close_combat() -> Program:
    overlays = tuple(str(FOLDER / f"necromunda_{each}.rules") for each in OVERLAYS)
    found = load_ruleset(locate_ruleset(str(FOLDER)), overlays).program
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("state", "procedure", "arguments"),
    [
        ("duel", "fight_action", (0,)),
        ("duel", "retreat_action", (0,)),
        ("charge", "charge_action", (0, 1)),
        ("truck", "fight_action", (0,)),
        ("truck", "vehicle_moves", (2,)),
    ],
)
def test_close_combat(close_combat: Program, state: str, procedure: str, arguments: tuple[int, ...]) -> None:
    start = read_situation((FOLDER / "examples" / f"{state}.yaml").read_text(encoding="utf-8"), close_combat)
    ends = {compare_with_judge(close_combat, start, procedure, arguments, seed).how for seed in range(4)}
    assert ends == {"ended"}
