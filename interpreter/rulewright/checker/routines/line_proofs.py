"""Proofs about questions and steps: legal answers exist, things are in play, facts hold in steps of a loop."""

from collections.abc import Iterator
from dataclasses import replace

from rulewright.base.frozen import dataclass
from rulewright.base.node_roles import walk_nodes
from rulewright.base.source import Span
from rulewright.checker import addresses
from rulewright.checker.facts.assumption import assume
from rulewright.checker.facts.fact_store import Facts
from rulewright.checker.facts.prover import Proof, compute_number_range, prove_condition
from rulewright.checker.facts.transfer_functions import define_variable
from rulewright.checker.facts.value_origins import IN_PLAY, prove_there
from rulewright.checker.functions.case_coverage import covers_every_case
from rulewright.checker.infer.conditions import infer_condition
from rulewright.checker.preconditions import suggest_always_some
from rulewright.checker.read_sets import ANY_STATE, collect_reads
from rulewright.checker.routines.line_context import LineContext
from rulewright.checker.scope import Scope, VariableTable
from rulewright.program import expressions as ex, statements as typed
from rulewright.program.conditions import chain_conditions, make_row_condition, make_size_expression, narrow_binding
from rulewright.program.expressions import Binding, Expression
from rulewright.program.types import FLAG, PLAYER, NumberType, ThingType
from rulewright.syntax.nodes import declarations as d, expressions as e, statements as s

_NO_ANSWER_REMEDY = "add an `else:` that says what happens then, or check it first in an `if` or a `require`"


def check_legal_answer(question: typed.Ask, here: LineContext, remedy: str = _NO_ANSWER_REMEDY) -> None:
    """Reports a question that may have no legal answer (a warning) or never has one (an error)."""
    proof = _prove_answerable(question, here.facts, here.scope)
    if proof is Proof.REFUTED:
        correct = "leave the question out, or correct what it asks"
        here.error("RW0525", question.span, "this question never has a legal answer", help=correct)
    elif proof is Proof.UNKNOWN:
        notes = ("No line above makes sure of one; without one the run stops here.",)
        remedy += suggest_always_some(_get_members(question.shape), here.scope)
        here.warning("RW0525", question.span, "this question may have no legal answer", notes=notes, help=remedy)


def _get_members(shape: typed.Shape) -> Binding | None:
    """What a question chooses from, or shares over."""
    match shape:
        case typed.OneOf(binding) | typed.Pick(binding=binding):
            return binding
        case typed.Split(over=over):
            return Binding((None,), over, None)
        case _:
            return None


def _prove_answerable(question: typed.Ask, facts: Facts, scope: Scope) -> Proof:
    demands = [demand for demand in question.demands if not demand.prefer]
    match question.shape:
        case typed.Whether() | typed.TurnHow() | typed.Order() | typed.PlaceWhere() if not demands:
            return Proof.PROVED
        case typed.Choose(options):
            return _prove_any_option(options, facts, scope)
        case typed.OneOf(binding):
            for demand in demands:
                binding = narrow_binding(binding, make_row_condition(demand))
            return _prove_some_answer(question, binding, facts)
        case typed.Pick():
            return _prove_pick(question, question.shape, facts, demands)
        case typed.Split(amount, over):
            return _weaken_by_demands(_prove_split(amount, over, question, facts), demands)
        case _:
            return Proof.UNKNOWN


def _prove_some_answer(question: typed.Ask, binding: Binding, facts: Facts) -> Proof:
    return prove_condition(facts, ex.Quantifier(type=FLAG, span=question.span, word="some", binding=binding, body=None))


def _weaken_by_demands(proof: Proof, demands: list[typed.Demand]) -> Proof:
    return Proof.UNKNOWN if demands and proof is Proof.PROVED else proof


def _prove_any_option(options: tuple[typed.Option, ...], facts: Facts, scope: Scope) -> Proof:
    guards = [option.guard for option in options if option.guard is not None]
    if len(guards) < len(options):
        return Proof.PROVED
    proof = prove_condition(facts, chain_conditions(guards, "or", guards[0].span)) if guards else Proof.UNKNOWN
    together = proof is Proof.UNKNOWN and covers_every_case(guards, replace(scope, facts=facts))
    return Proof.PROVED if together else proof


def _prove_pick(question: typed.Ask, shape: typed.Pick, facts: Facts, demands: list[typed.Demand]) -> Proof:
    low, high = compute_number_range(facts, shape.low)
    nothing = low == high == 0
    if nothing and demands and _is_empty_answer_legal(question, facts, demands):
        return Proof.PROVED
    if nothing:
        return _weaken_by_demands(Proof.PROVED, demands)
    members = make_size_expression(shape.binding, question.span)
    enough = ex.Comparison(type=FLAG, span=question.span, operator=">=", left=members, right=shape.low)
    proof = prove_condition(facts, enough)
    if proof is Proof.UNKNOWN and high == 1 and _prove_some_answer(question, shape.binding, facts) is Proof.PROVED:
        proof = Proof.PROVED
    return _weaken_by_demands(proof, demands)


def _is_empty_answer_legal(question: typed.Ask, facts: Facts, demands: list[typed.Demand]) -> bool:
    empty = ex.MakeCollection(type=question.variable.type, span=question.span, items=())
    known = define_variable(facts, question.variable, empty)
    return all(prove_condition(known, demand.condition) is Proof.PROVED for demand in demands)


def _prove_split(amount: Expression, over: Expression, question: typed.Ask, facts: Facts) -> Proof:
    zero = ex.Literal(type=NumberType(0, 0), span=question.span, value=0)
    if compute_number_range(facts, amount) == (0, 0):
        return Proof.PROVED
    members = make_size_expression(Binding((None,), over, None), question.span)
    return prove_condition(facts, ex.Comparison(type=FLAG, span=question.span, operator=">", left=members, right=zero))


def warn_if_out_of_play(thing: Expression, action: str, span: Span, here: LineContext) -> None:
    """Warns where a line above may have removed a thing that this line asks or changes (RW0427)."""
    if not isinstance(thing, ex.Local) or not isinstance(thing.type, ThingType) or thing.type == PLAYER:
        return
    name, routine = thing.variable.name, here.routine
    if prove_there(here.facts, thing, IN_PLAY) is None and routine.effects.may_have_removed(
        name, span.start, routine.body
    ):
        message = f"`{name}` may be out of play here, and is {action} all the same"
        here.warning("RW0427", span, message, help=f"check it first: `if not {name}.gone:`", subject=name)


@dataclass(frozen=True, slots=True)
class _PathCondition:
    """A condition with its truth on a path, and the lines that were carried out since."""

    condition: e.Expression
    truth: bool = True
    lines_since: tuple[s.Statement, ...] = ()


_PathConditions = tuple[_PathCondition, ...]
_TypedCondition = tuple[Expression, bool]


def find_loop_steps(node: d.Procedure) -> frozenset[str]:
    """Steps that a jump from themselves or from below leads back to."""
    members, above = set[str](), set[str]()
    for step in node.steps:
        above.add(step.name.text)
        members.update(name for name, _ in _iterate_step_jumps(step) if name in above)
    return frozenset(members)


def find_loop_invariants(node: d.Procedure, name: str, before: Facts, here: LineContext) -> Facts:
    """Facts in a step that jumps lead back to: conditions that hold from above and at every jump.

    `node` is the procedure, `name` the step, `before` the facts where it is entered from above, `here` the context with
    only those facts that no round changes.
    """
    first = [item.name.text for item in node.steps].index(name)
    jumps = [conditions for step in node.steps[first:] for to, conditions in _iterate_step_jumps(step) if to == name]
    typed_conditions = [_type_stable_conditions(conditions, here) for conditions in jumps]
    if not typed_conditions or not all(typed_conditions):
        return here.facts
    paths = (before, *(_assume_conditions(here.facts, conditions) for conditions in typed_conditions))
    return _assume_conditions(
        here.facts, [item for item in typed_conditions[0] if all(_is_condition_proved(facts, item) for facts in paths)]
    )


def _assume_conditions(facts: Facts, conditions: list[_TypedCondition]) -> Facts:
    for item, truth in conditions:
        facts = assume(facts, item, truth=truth)
    return facts


def _is_condition_proved(facts: Facts, known: _TypedCondition) -> bool:
    condition, truth = known
    return prove_condition(facts, condition) is (Proof.PROVED if truth else Proof.REFUTED)


def _type_stable_conditions(conditions: _PathConditions, here: LineContext) -> list[_TypedCondition]:
    scope = replace(here.scope.aside(), variables=VariableTable(here.scope.variables.variables))
    result: list[_TypedCondition] = []
    for path_condition in conditions:
        condition = infer_condition(path_condition.condition, scope)
        if condition is None or any(isinstance(one, Binding) for one in walk_nodes(condition)):
            continue
        doings = here.routine.effects.collect_effects_of_lines(path_condition.lines_since, here.routine.body)
        written = here.find_written_keys(doings) | here.get_local_keys(doings.written_names)
        read = collect_reads(condition, here.facts.reads)
        if not written or not (read & written or ANY_STATE in read | written):
            result.append((condition, path_condition.truth))
    return result


def _iterate_step_jumps(step: d.Step) -> Iterator[tuple[str, _PathConditions]]:
    if step.block is not None:
        yield from _iterate_block_jumps(step.block.lines, () if step.guard is None else (_PathCondition(step.guard),))


def _iterate_block_jumps(
    lines: tuple[s.Statement, ...], holding: _PathConditions
) -> Iterator[tuple[str, _PathConditions]]:
    for line in lines:
        match line:
            case s.Proceed(step=step):
                yield step.text, holding
            case s.If(branches=branches, otherwise=otherwise):
                judged = holding
                for branch in branches:
                    yield from _iterate_block_jumps(branch.block.lines, (*judged, _PathCondition(branch.condition)))
                    judged = (*judged, _PathCondition(branch.condition, truth=False))
                yield from _iterate_block_jumps(() if otherwise is None else otherwise.lines, judged)
            case s.Ask(shape=shape, block=block, otherwise=otherwise):
                options = shape.options if isinstance(shape, s.Choose) else ()
                bound = addresses.get_bound_name(line)
                assert bound is not None
                answered = _update_conditions(s.Let(span=line.span, head=line.head, name=bound), holding)
                for inner in filter(None, (*(one.block for one in options), block, otherwise)):
                    yield from _iterate_block_jumps(inner.lines, answered)
            case _:
                yield from ((jump.step.text, ()) for jump in walk_nodes(line) if isinstance(jump, s.Proceed))
        holding = _update_conditions(line, holding)


def _update_conditions(line: s.Statement, holding: _PathConditions) -> _PathConditions:
    updated = tuple(replace(known, lines_since=(*known.lines_since, line)) for known in holding)
    match line:
        case s.If(branches=(branch,), otherwise=None) if addresses.is_jump(branch.block.lines[-1]):
            return (*updated, _PathCondition(branch.condition, truth=False))
        case _:
            return updated
