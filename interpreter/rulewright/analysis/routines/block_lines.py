"""Lines, one function for each verb; those with blocks: `if`, loops, `together` (manual, Flow)."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from rulewright.analysis import infer
from rulewright.analysis.effects import Doings
from rulewright.analysis.facts import Facts, forget, suppose
from rulewright.analysis.facts.assignments import member, still_held, together, undisturbed, visited
from rulewright.analysis.facts.origins import gone
from rulewright.analysis.invariants import check_kept_together
from rulewright.analysis.reads import ANYTHING, nodes_in, reads
from rulewright.analysis.routines.binding_lines import decide_line, let_line, rank_line, tally_line
from rulewright.analysis.routines.board_lines import move_line, place_line, remove_line, turn_line
from rulewright.analysis.routines.call_lines import finish_line, perform_line, proceed_line, stop_line, trigger_line
from rulewright.analysis.routines.chance_lines import draw_line, reroll_line, roll_line, shuffle_line
from rulewright.analysis.routines.change_lines import change_line, set_line
from rulewright.analysis.routines.match_lines import match_line
from rulewright.analysis.routines.question_lines import ask_line, reveal_line
from rulewright.analysis.routines.routine_context import Done, Here, Loop, join
from rulewright.diagnostics import Label
from rulewright.program import statements as typed
from rulewright.program.conditions import where_judged
from rulewright.program.expressions import Binding, InPlay, Variable
from rulewright.program.types import COUNT, SetType, ThingType
from rulewright.syntax.nodes import statements as s

MOST_LOOPS = 12


def if_line(node: s.If, here: Here) -> Done:
    """`if`, `else if`, `else`."""
    mark = here.mark(node)
    found: list[typed.Branch] = []
    ways: list[Facts | None] = []
    facts = here.facts
    for branch in node.branches:
        place = replace(here.citing(branch.cites or node.cites), facts=facts)
        condition = infer.condition(branch.condition, place.scope)
        known = place if condition is None else place.knowing(suppose(facts, condition, truth=True))
        block, after = known.block(branch.block)
        ways.append(after)
        if condition is not None:
            found.append(typed.Branch(condition, block, place.cited(()), branch.span))
            facts = suppose(facts, condition, truth=False)
    otherwise = None
    after = facts
    if node.otherwise is not None:
        otherwise, after = here.citing(node.cites).knowing(facts).block(node.otherwise)
    ways.append(after)
    if len(found) < len(node.branches):
        return None, join(ways)
    made = typed.If(**mark, branches=tuple(found), otherwise=otherwise)
    _one_name(made, here)
    return made, _or_removed(node, made, join(ways), here)


def _or_removed(node: s.If, made: typed.If, after: Facts | None, here: Here) -> Facts | None:
    """What is known where a thing was removed under a condition: that it is gone, or the condition does not hold."""
    match made.branches, made.otherwise:
        case (typed.Branch(condition=condition, block=(*_, typed.Remove(thing=thing))),), None if after is not None:
            read = reads(condition, here.facts.reads)
            doings = here.routine.effects.doings(node.branches[0].block, here.routine.body)
            if read & (here.written(doings) | here.local_keys(doings.names)):
                return after
            return suppose(after, where_judged(condition, gone(thing)), truth=True)
        case _:
            return after


def _one_name(made: typed.If, here: Here) -> None:
    """Hints at `decide` where every branch only sets one and the same name."""
    if made.otherwise is None or len(made.branches) < 2:  # noqa: PLR2004 - two ways are well said with `if`
        return
    names = set()
    for block in (*(branch.block for branch in made.branches), made.otherwise):
        match block:
            case (typed.Assign(place=typed.VariablePlace(variable=variable)),):
                names.add(variable.name)
            case _:
                return
    if len(names) == 1:
        (name,) = names
        message = f"every branch only sets `{name}`"
        here.hint("RW0517", made.span, message, help=f"write `decide {name}:` with a row for each case")


def for_each_line(node: s.ForEach, here: Here) -> Done:
    """`for each x in S where C`."""
    mark = here.mark(node)
    doings = here.routine.effects.each_round(node.block, here.routine.body)
    head = here.knowing(here.before_loop(doings))
    bound = infer.bind(node.binder, head.scope)
    if bound is None:
        return None, head.facts
    binding, inner = bound
    loop = Loop()
    known = _undisturbed(_each_round(binding, inner.facts, here, doings), binding, node.block, here)
    block, _ = _in_loop(node, head, loop).bound(binding, known).block(node.block)
    return typed.ForEach(**mark, binding=binding, block=block), join((head.facts, *loop.left))


def _each_round(binding: Binding, known: Facts, here: Here, doings: Doings) -> Facts:
    """What is known of a member in every round: it was one on entry, and is in play and as `where` says now."""
    if isinstance(binding.source, InPlay):
        return visited(here.facts, known, binding)
    written = here.written(doings) | here.local_keys(doings.names)
    entered = forget(member(here.facts, replace(binding, where=None)), written)
    known = together(entered, visited(here.facts, forget(known, here.written(doings)), binding))
    return known if binding.where is None else suppose(known, binding.where, truth=True)


def _undisturbed(known: Facts, binding: Binding, block: s.Block, here: Here) -> Facts:
    """What is known in every round, with what was known before the loop of attributes that each writes of its own."""
    match binding:
        case Binding(variables=(Variable() as name,), source=source) if isinstance(source.type, SetType):
            effects, body = here.routine.effects, here.routine.body
            given, own = effects.giving(block, name.name, body), effects.alone(block, name.name, body)
            if given[0]:
                collections, whole = _before(binding, given, here)
                known = still_held(known, whole, name, collections)
            if own[0] and isinstance(name.type, ThingType):
                written, whole = _before(binding, own, here)
                prefix = f"{name.type.kind}/"
                known = undisturbed(known, whole, name, frozenset(each for each in written if each.startswith(prefix)))
            return known
        case _:
            return known


def _before(binding: Binding, found: tuple[frozenset[str], Doings], here: Here) -> tuple[frozenset[str], Facts]:
    """What rounds write in one way only, and what is known of a member when the loop begins that the rest leaves."""
    names, others = found
    rest = here.written(others) | here.settling(names) | here.local_keys(others.names)
    own = here.routine.effects.keys(names) | here.local_keys(names)
    return own - rest, member(forget(here.facts, rest), replace(binding, where=None))


def repeat_line(node: s.Repeat, here: Here) -> Done:
    """`repeat while condition at most bound`."""
    mark = here.mark(node)
    doings = here.routine.effects.each_round(node.block, here.routine.body)
    bound = here.fitted(node.bound, COUNT, "`at most`")
    head = here.knowing(here.before_loop(doings))
    condition = infer.condition(node.condition, head.scope, repeats=True)
    loop = Loop()
    known = head.facts if condition is None else suppose(head.facts, condition, truth=True)
    block, _ = replace(_in_loop(node, head, loop), facts=known).block(node.block)
    if condition is None or bound is None:
        return None, join((head.facts, *loop.left))
    made = typed.Repeat(**mark, condition=condition, bound=bound, block=block)
    _progress(made, node, doings, here)
    return made, join((suppose(head.facts, condition, truth=False), *loop.left))


def _in_loop(node: s.ForEach | s.Repeat, here: Here, loop: Loop) -> Here:
    """The place of the lines of a loop, which must not stand inside too many others."""
    if here.loops == MOST_LOOPS:
        message = f"more than {MOST_LOOPS} loops stand inside each other here"
        here.error("RW0541", node.head, message, help="move the inner loops to a procedure of their own")
    return replace(here.citing(node.cites), loop=loop, loops=here.loops + 1)


def _progress(made: typed.Repeat, node: s.Repeat, doings: Doings, here: Here) -> None:
    """Reports a condition that no round can change, where nothing leaves the loop either."""
    if any(isinstance(each, s.Stop | s.Proceed | s.Finish) for each in nodes_in(node.block)):
        return
    read = reads(made.condition, here.routine.scope.shapes.reads)
    written = here.written(doings) | here.local_keys(doings.names)
    if ANYTHING in read | written or read & written:
        return
    message = "nothing in this loop changes what its condition reads"
    remedy = "change it inside, leave the loop with `stop`, or use `for each`"
    here.warning("RW0518", made.condition.span, message, help=remedy)


def together_line(node: s.Together, here: Here) -> Done:
    """`together:`, between whose lines nothing settles."""
    mark = here.mark(node)
    if here.routine.sort == "watch":
        here.error("RW0516", node.head, "a `watch` may only change names of its procedure, and settles nothing")
    doings = here.routine.effects.doings(node.block, here.routine.body)
    _no_stop(doings, here)
    within = replace(here.citing(node.cites), together=node.head, loop=None)
    here.routine.together.clear()
    block, inside = within.block(node.block)
    check_kept_together(here.routine.together, inside, here.scope)
    after = forget(here.facts, here.written(doings) | here.local_keys(doings.names))
    return typed.Together(**mark, block=block), after


def _no_stop(doings: Doings, here: Here) -> None:
    """Reports what may stop to ask, or lead out, between lines that belong together."""
    remedy = "do it before or after the `together` block"
    if doings.stop is not None:
        here.error("RW0515", doings.stop.span, f"this {doings.stop.reason}, inside `together`", help=remedy)
    for call, span in doings.calls.items():
        found = here.routine.effects.stop(call)
        if found is not None:
            message = f"`{call}` {found.reason}, and is called inside `together`"
            here.error("RW0515", span, message, help=remedy, secondary=(Label(found.span, "here"),))


def _nothing_line(node: s.Nothing, here: Here) -> Done:
    return typed.Nothing(**here.mark(node)), here.facts


def _ruling_line(node: s.RulingLine, here: Here) -> Done:
    made = typed.Ruling(**here.mark(node), number=node.number.text, text=node.title.text if node.title else "")
    return made, here.facts


LINES: Mapping[type, Callable[[Any, Here], Done]] = {
    s.Let: let_line,
    s.TallyLine: tally_line,
    s.DecideLine: decide_line,
    s.Set: set_line,
    s.Change: change_line,
    s.Move: move_line,
    s.Turn: turn_line,
    s.Place: place_line,
    s.Remove: remove_line,
    s.Together: together_line,
    s.If: if_line,
    s.Match: match_line,
    s.ForEach: for_each_line,
    s.Repeat: repeat_line,
    s.Nothing: _nothing_line,
    s.Stop: stop_line,
    s.Proceed: proceed_line,
    s.Finish: finish_line,
    s.Perform: perform_line,
    s.Trigger: trigger_line,
    s.Roll: roll_line,
    s.Reroll: reroll_line,
    s.Draw: draw_line,
    s.RulingLine: _ruling_line,
    s.Ask: ask_line,
    s.Shuffle: shuffle_line,
    s.Rank: rank_line,
    s.Reveal: reveal_line,
}
"""The function of every verb."""


def line(node: s.Statement, here: Here) -> Done:
    """A line, and what is known after it; without the line where it has an error."""
    return LINES[type(node)](node, here)
