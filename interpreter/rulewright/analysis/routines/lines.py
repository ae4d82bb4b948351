"""Lines: one function for each verb."""

from typing import assert_never

from rulewright.analysis.routines.binding_lines import decide_line, let_line, rank_line, tally_line
from rulewright.analysis.routines.block_lines import for_each_line, if_line, repeat_line, together_line
from rulewright.analysis.routines.board_lines import move_line, place_line, remove_line, turn_line
from rulewright.analysis.routines.call_lines import finish_line, perform_line, proceed_line, stop_line, trigger_line
from rulewright.analysis.routines.chance_lines import draw_line, reroll_line, roll_line, shuffle_line
from rulewright.analysis.routines.change_lines import change_line, set_line
from rulewright.analysis.routines.match_lines import match_line
from rulewright.analysis.routines.question_lines import ask_line, reveal_line
from rulewright.analysis.routines.routine_context import Done, Here
from rulewright.program import statements as typed
from rulewright.syntax.nodes import statements as s


def line(node: s.Statement, here: Here) -> Done:  # noqa: C901, PLR0911, PLR0912 - one case for each verb
    """A line, and what is known after it; without the line where it has an error."""
    match node:
        case s.Let():
            return let_line(node, here)
        case s.TallyLine():
            return tally_line(node, here)
        case s.DecideLine():
            return decide_line(node, here)
        case s.Set():
            return set_line(node, here)
        case s.Change():
            return change_line(node, here)
        case s.Move():
            return move_line(node, here)
        case s.Turn():
            return turn_line(node, here)
        case s.Place():
            return place_line(node, here)
        case s.Remove():
            return remove_line(node, here)
        case s.Together():
            return together_line(node, here)
        case s.If():
            return if_line(node, here)
        case s.Match():
            return match_line(node, here)
        case s.ForEach():
            return for_each_line(node, here)
        case s.Repeat():
            return repeat_line(node, here)
        case s.Nothing():
            return typed.Nothing(**here.mark(node)), here.facts
        case s.Stop():
            return stop_line(node, here)
        case s.Proceed():
            return proceed_line(node, here)
        case s.Finish():
            return finish_line(node, here)
        case s.Perform():
            return perform_line(node, here)
        case s.Trigger():
            return trigger_line(node, here)
        case s.Roll():
            return roll_line(node, here)
        case s.Reroll():
            return reroll_line(node, here)
        case s.Draw():
            return draw_line(node, here)
        case s.RulingLine(number=number, title=title):
            return typed.Ruling(**here.mark(node), number=number.text, text=title.text if title else ""), here.facts
        case s.Ask():
            return ask_line(node, here)
        case s.Shuffle():
            return shuffle_line(node, here)
        case s.Rank():
            return rank_line(node, here)
        case s.Reveal():
            return reveal_line(node, here)
        case _:
            assert_never(node)
