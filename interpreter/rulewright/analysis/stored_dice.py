"""Dice that something would keep beyond the play that rolled them (manual, Chance)."""

from rulewright.analysis.report import Report
from rulewright.program.declarations import Program
from rulewright.program.types import DieType, PoolType
from rulewright.program.walk import may_hold


def check_stored_dice(program: Program, report: Report) -> None:
    """Reports attributes and fields of the game that can hold dice, also inside what they hold (RW0247)."""
    kept = [each for kind in program.kinds.values() for each in kind.fields]
    kept += [each for board in program.boards.values() for each in (*board.fields, *board.sides)]
    for each in (*kept, *program.game.values()):
        if may_hold(each.type, (DieType, PoolType), program):
            report.address = each.address
            remedy = "keep what it shows, a number or a word: `0..6`, then `set` it to `blow.natural`"
            report.error("RW0247", each.span, "a die lasts as long as the play, so it is not stored", help=remedy)
