"""The first screen warns of faults that are new, answers that are open now, settings that nothing reads any more."""

from pathlib import Path

from support.duel_example import RunCommand

HEX = Path(__file__).parents[3] / "interpreter" / "rulewright" / "starters" / "hex-combat"


def test_plays_that_now_end_at_a_fault(run: RunCommand) -> None:
    for folder in ("old", "new"):
        Path(folder).mkdir()
        for name in ("hex_combat.rules", "plays.scenario.yaml"):
            text = (HEX / name).read_text(encoding="utf-8")
            edited = text.replace("  woods: -1 when", "  woods: -2 when") if folder == "new" else text
            Path(folder, name).write_text(edited, encoding="utf-8")
    done = run("diff", "old", "new", "--workers", "1", "--work", "100000", "--show", "1")
    assert "A play of row 1: An attack: one revision reaches a line that cannot be carried out" in done.out
    screen = " ".join(run("diff", "old", "new", "--workers", "1", "--work", "100000").out.split())
    assert "FAULT plays now end in RW0801 at attack/1/outcome, in 1 of the 6 faces of `attack/1/throw`" in screen
    assert "CHECK warns of NEW, and not of OLD: RW0402 at new/hex_combat.rules:67" in screen
