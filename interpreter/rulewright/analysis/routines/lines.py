"""Lines and blocks: one function for each verb."""

from collections.abc import Iterable
from typing import assert_never

from rulewright.analysis.facts import Facts
from rulewright.analysis.routines import bindings, board, branches, calls, chance, changes, hiding, leaving, ranking
from rulewright.analysis.routines.here import Here
from rulewright.diagnostics.suggest import left_out
from rulewright.program import statements as typed
from rulewright.syntax.nodes import statements as s

Done = tuple[typed.Statement | None, Facts | None]


def block(node: s.Block | None, here: Here) -> tuple[typed.Block, Facts | None]:
    """The lines of a block, and what is known after them; none where nobody comes out at the end."""
    if node is None:
        return (), here.facts
    return sequence(node.lines, here.citing(node.cites))


def sequence(nodes: Iterable[s.Statement], here: Here) -> tuple[typed.Block, Facts | None]:
    """Lines one after another; those that are never reached are looked at all the same."""
    found: list[typed.Statement] = []
    facts: Facts | None = here.facts
    lost = False
    for each in nodes:
        if facts is None and not lost:
            lost = True
            remedy = "the line above always leads elsewhere"
            gone = left_out(each.span)
            here.warning("RW0504", each.head, "this line is never reached", help=remedy, edits=gone)
        here = here.knowing(facts or here.facts)
        made, facts = line(each, here)
        if made is not None:
            found.append(made)
    return tuple(found), None if lost else facts


def line(node: s.Statement, here: Here) -> Done:  # noqa: C901, PLR0911, PLR0912 - one case for each verb
    """A line, and what is known after it; without the line where it has an error."""
    match node:
        case s.Let():
            return bindings.let(node, here)
        case s.TallyLine():
            return bindings.tally(node, here)
        case s.DecideLine():
            return bindings.decide(node, here)
        case s.Set():
            return changes.assign(node, here)
        case s.Change():
            return changes.change(node, here)
        case s.Move():
            return board.move(node, here)
        case s.Turn():
            return board.turn(node, here)
        case s.Place():
            return board.place(node, here)
        case s.Remove():
            return board.remove(node, here)
        case s.Together():
            return branches.together(node, here)
        case s.If():
            return branches.decide(node, here)
        case s.Match():
            return branches.match(node, here)
        case s.ForEach():
            return branches.for_each(node, here)
        case s.Repeat():
            return branches.repeat(node, here)
        case s.Nothing():
            return typed.Nothing(**here.mark(node)), here.facts
        case s.Stop():
            return leaving.stop(node, here)
        case s.Proceed():
            return leaving.proceed(node, here)
        case s.Finish():
            return leaving.finish(node, here)
        case s.Perform():
            return calls.perform(node, here)
        case s.Trigger():
            return calls.trigger(node, here)
        case s.Roll():
            return chance.roll(node, here)
        case s.Reroll():
            return chance.reroll(node, here)
        case s.Draw():
            return chance.draw(node, here)
        case s.RulingLine(finding=finding, title=title):
            return typed.Ruling(**here.mark(node), finding=finding.text, text=title.text if title else ""), here.facts
        case s.Ask():
            return hiding.ask(node, here)
        case s.Shuffle():
            return chance.shuffle(node, here)
        case s.Rank():
            return ranking.rank(node, here)
        case s.Reveal():
            return hiding.reveal(node, here)
        case _:
            assert_never(node)
