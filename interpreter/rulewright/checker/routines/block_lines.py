"""Dispatch of lines by verb, and lines with blocks: `if`, loops, `together` (manual, Flow)."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from rulewright.base.diagnostics import Label
from rulewright.base.node_roles import walk_nodes
from rulewright.checker import addresses
from rulewright.checker.effects import DirectEffects
from rulewright.checker.facts.assumption import assume
from rulewright.checker.facts.fact_store import Facts, invalidate_facts
from rulewright.checker.facts.transfer_functions import (
    keep_member_write_facts,
    keep_membership_facts,
    learn_binding,
    learn_loop_members,
    merge_surviving_facts,
)
from rulewright.checker.facts.value_origins import make_gone_condition
from rulewright.checker.infer.binders import infer_binding
from rulewright.checker.infer.conditions import infer_condition
from rulewright.checker.invariants import check_invariants_at_block_end
from rulewright.checker.read_sets import ANY_STATE, collect_reads
from rulewright.checker.routines import (
    binding_lines,
    board_lines,
    call_lines,
    chance_lines,
    change_lines,
    match_lines,
    question_lines,
)
from rulewright.checker.routines.line_context import LineContext, LineResult, join_facts
from rulewright.program import statements as typed
from rulewright.program.conditions import guard_condition
from rulewright.program.expressions import Binding, InPlay, Variable
from rulewright.program.types import COUNT, SetType, ThingType
from rulewright.program.walk import get_bound_variable, get_changed_places
from rulewright.syntax.nodes import statements as s

MAX_NESTED_LOOPS = 12


def translate_if(node: s.If, here: LineContext) -> LineResult:
    mark = here.make_line_fields(node)
    items: list[typed.Branch] = []
    branch_facts: list[Facts | None] = []
    facts = here.facts
    for branch in node.branches:
        place = replace(here.with_cites(branch.cites or node.cites), facts=facts)
        condition = infer_condition(branch.condition, place.scope)
        block, after = place.assuming(condition, truth=True).translate_block(branch.block)
        branch_facts.append(after)
        if condition is not None:
            items.append(typed.Branch(condition, block, place.resolve_cites(()), branch.span))
            facts = assume(facts, condition, truth=False)
    otherwise = None
    after = facts
    if node.otherwise is not None:
        otherwise, after = here.with_cites(node.cites).with_facts(facts).translate_block(node.otherwise)
    branch_facts.append(after)
    if len(items) < len(node.branches):
        return None, join_facts(branch_facts)
    statement = typed.If(**mark, branches=tuple(items), otherwise=otherwise)
    _hint_decide_instead_of_if(statement, here)
    return statement, _learn_conditional_removal(node, statement, join_facts(branch_facts), here)


def _learn_conditional_removal(node: s.If, line: typed.If, after: Facts | None, here: LineContext) -> Facts | None:
    """Facts after a removal under a condition: the thing is gone, or the condition does not hold."""
    match line.branches, line.otherwise:
        case (typed.Branch(condition=condition, block=(*_, typed.Remove(thing=thing))),), None if after is not None:
            read = collect_reads(condition, here.facts.reads)
            doings = here.routine.effects.collect_effects_of_lines(node.branches[0].block, here.routine.body)
            if read & (here.find_written_keys(doings) | here.get_local_keys(doings.written_names)):
                return after
            return assume(after, guard_condition(condition, make_gone_condition(thing)), truth=True)
        case _:
            return after


def _hint_decide_instead_of_if(line: typed.If, here: LineContext) -> None:
    if line.otherwise is None or len(line.branches) < 2:  # noqa: PLR2004 - two ways are well said with `if`
        return
    names = set()
    for block in (*(branch.block for branch in line.branches), line.otherwise):
        match block:
            case (typed.Assign(place=typed.VariablePlace(variable=variable)),):
                names.add(variable.name)
            case _:
                return
    if len(names) == 1:
        (name,) = names
        message = f"every branch only sets `{name}`"
        here.hint("RW0517", line.span, message, help=f"write `decide {name}:` with a row for each case")


def translate_for_each(node: s.ForEach, here: LineContext) -> LineResult:
    mark = here.make_line_fields(node)
    doings = here.routine.effects.collect_effects_of_round(node.block, here.routine.body)
    head = here.with_facts(here.invalidate_for_round(doings))
    bound = infer_binding(node.binder, head.scope)
    if bound is None:
        return None, head.facts
    binding, inner = bound
    stops: list[Facts] = []
    known = _learn_member_facts(_learn_round_facts(binding, inner.facts, here, doings), binding, node.block, here)
    block, _ = _enter_loop(node, head, stops).with_binding(binding, known).translate_block(node.block)
    return typed.ForEach(**mark, binding=binding, block=block), join_facts((head.facts, *stops))


def _learn_round_facts(binding: Binding, known: Facts, here: LineContext, doings: DirectEffects) -> Facts:
    if isinstance(binding.source, InPlay):
        return learn_loop_members(here.facts, known, binding)
    written = here.find_written_keys(doings) | here.get_local_keys(doings.written_names)
    entered = invalidate_facts(learn_binding(here.facts, replace(binding, where=None)), written)
    known = merge_surviving_facts(
        entered, learn_loop_members(here.facts, invalidate_facts(known, here.find_written_keys(doings)), binding)
    )
    return known if binding.where is None else assume(known, binding.where, truth=True)


def _learn_member_facts(known: Facts, binding: Binding, block: s.Block, here: LineContext) -> Facts:
    match binding:
        case Binding(variables=(Variable() as name,), source=source) if isinstance(source.type, SetType):
            effects, body = here.routine.effects, here.routine.body
            given, round_effects = (
                effects.split_collection_changes(block, name.name, body),
                effects.split_member_writes(block, name.name, body),
            )
            if given[0]:
                collections, whole = _split_round_facts(binding, given, here)
                known = keep_membership_facts(known, whole, name, collections)
            if round_effects[0] and isinstance(name.type, ThingType):
                written, whole = _split_round_facts(binding, round_effects, here)
                prefix = f"{name.type.kind}/"
                known = keep_member_write_facts(
                    known, whole, name, frozenset(item for item in written if item.startswith(prefix))
                )
            return known
        case _:
            return known


def _split_round_facts(
    binding: Binding, round_effects: tuple[frozenset[str], DirectEffects], here: LineContext
) -> tuple[frozenset[str], Facts]:
    names, others = round_effects
    rest = (
        here.find_written_keys(others) | here.find_rule_written_keys(names) | here.get_local_keys(others.written_names)
    )
    round_keys = here.routine.effects.expand_fact_keys(names) | here.get_local_keys(names)
    return round_keys - rest, learn_binding(invalidate_facts(here.facts, rest), replace(binding, where=None))


def translate_repeat(node: s.Repeat, here: LineContext) -> LineResult:
    mark = here.make_line_fields(node)
    doings = here.routine.effects.collect_effects_of_round(node.block, here.routine.body)
    bound = here.infer_fitted(node.bound, COUNT, "`at most`")
    head = here.with_facts(here.invalidate_for_round(doings))
    condition = infer_condition(node.condition, head.scope, repeats=True)
    stops: list[Facts] = []
    known = head.facts if condition is None else assume(head.facts, condition, truth=True)
    block, _ = replace(_enter_loop(node, head, stops), facts=known).translate_block(node.block)
    if condition is None or bound is None:
        return None, join_facts((head.facts, *stops))
    statement = typed.Repeat(**mark, condition=condition, bound=bound, block=block)
    _check_loop_progress(statement, node, doings, here)
    return statement, join_facts((assume(head.facts, condition, truth=False), *stops))


def _enter_loop(node: s.ForEach | s.Repeat, here: LineContext, stops: list[Facts]) -> LineContext:
    if here.loop_depth == MAX_NESTED_LOOPS:
        message = f"more than {MAX_NESTED_LOOPS} loops stand inside each other here"
        here.error("RW0541", node.head, message, help="move the inner loops to a procedure of their own")
    return replace(here.with_cites(node.cites), facts_at_stops=stops, loop_depth=here.loop_depth + 1)


def _check_loop_progress(line: typed.Repeat, node: s.Repeat, doings: DirectEffects, here: LineContext) -> None:
    """Reports a loop condition that no round can change, where nothing leaves the loop either."""
    if any(isinstance(item, s.Stop | s.Proceed | s.Finish) for item in walk_nodes(node.block)):
        return
    read = collect_reads(line.condition, here.environment.reads_by_function)
    written = here.find_written_keys(doings) | here.get_local_keys(doings.written_names)
    if ANY_STATE in read | written or read & written:
        return
    message = "nothing in this loop changes what its condition reads"
    remedy = "change it inside, leave the loop with `stop`, or use `for each`"
    here.warning("RW0518", line.condition.span, message, help=remedy)


def translate_together(node: s.Together, here: LineContext) -> LineResult:
    """`together:`: standing rules apply after its last line only."""
    mark = here.make_line_fields(node)
    if here.routine.sort == "watch":
        here.error("RW0516", node.head, "a `watch` may only change names of its procedure, and settles nothing")
    doings = here.routine.effects.collect_effects_of_lines(node.block, here.routine.body)
    _check_no_suspension(doings, here)
    within = replace(here.with_cites(node.cites), together_span=node.head, facts_at_stops=None)
    here.routine.open_invariants.clear()
    block, inside = within.translate_block(node.block)
    check_invariants_at_block_end(here.routine.open_invariants, inside, here.scope)
    after = invalidate_facts(here.facts, here.find_written_keys(doings) | here.get_local_keys(doings.written_names))
    return typed.Together(**mark, block=block), after


def _check_no_suspension(doings: DirectEffects, here: LineContext) -> None:
    remedy = "do it before or after the `together` block"
    if doings.suspension is not None:
        here.error("RW0515", doings.suspension.span, f"this {doings.suspension.reason}, inside `together`", help=remedy)
    for call, span in doings.calls.items():
        suspension_point = here.routine.effects.find_first_suspension(call)
        if suspension_point is not None:
            message = f"`{call}` {suspension_point.reason}, and is called inside `together`"
            here.error("RW0515", span, message, help=remedy, secondary=(Label(suspension_point.span, "here"),))


def _translate_nothing(node: s.Nothing, here: LineContext) -> LineResult:
    remark = node.title.text if node.title else ""
    return typed.Nothing(**here.make_line_fields(node), remark=remark), here.facts


def _translate_ruling(node: s.RulingLine, here: LineContext) -> LineResult:
    statement = typed.Ruling(
        **here.make_line_fields(node), number=node.number.text, text=node.title.text if node.title else ""
    )
    return statement, here.facts


LINE_TRANSLATORS: Mapping[type, Callable[[Any, LineContext], LineResult]] = {
    s.Let: binding_lines.translate_let,
    s.TallyLine: binding_lines.translate_tally,
    s.DecideLine: binding_lines.translate_decide,
    s.Rank: binding_lines.translate_rank,
    s.Move: board_lines.translate_move,
    s.Turn: board_lines.translate_turn,
    s.Place: board_lines.translate_place,
    s.Remove: board_lines.translate_remove,
    s.Stop: call_lines.translate_stop,
    s.Proceed: call_lines.translate_proceed,
    s.Finish: call_lines.translate_finish,
    s.Perform: call_lines.translate_perform,
    s.Trigger: call_lines.translate_trigger,
    s.Roll: chance_lines.translate_roll,
    s.Reroll: chance_lines.translate_reroll,
    s.Draw: chance_lines.translate_draw,
    s.Shuffle: chance_lines.translate_shuffle,
    s.Set: change_lines.translate_set,
    s.Change: change_lines.translate_change,
    s.Match: match_lines.translate_match,
    s.Ask: question_lines.translate_ask,
    s.Reveal: question_lines.translate_reveal,
    s.Together: translate_together,
    s.If: translate_if,
    s.ForEach: translate_for_each,
    s.Repeat: translate_repeat,
    s.Nothing: _translate_nothing,
    s.RulingLine: _translate_ruling,
}
"""Translation of each class of lines."""


def translate_line(node: s.Statement, here: LineContext) -> LineResult:
    """Typed line and the facts after it; no line after an error."""
    line, facts = LINE_TRANSLATORS[type(node)](node, here)
    if line is None:
        here.mark_broken_names(node)
    # effects are read from nodes before types are known: what a line changes and binds is marked there too
    assert line is None or len(get_changed_places(line)) <= len(s.get_changed_places(node)), type(node)
    assert line is None or get_bound_variable(line) is None or addresses.get_bound_name(node) is not None, type(node)
    return line, facts
