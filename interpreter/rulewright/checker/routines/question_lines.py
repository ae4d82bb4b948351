"""Questions to players, to all at once, and with secret answers (manual, Decisions)."""

from collections.abc import Iterator
from dataclasses import replace

from rulewright.base.frozen import dataclass
from rulewright.base.source import Span
from rulewright.checker.facts.assumption import assume
from rulewright.checker.facts.fact_store import Facts
from rulewright.checker.facts.inlining import substitute_variable
from rulewright.checker.facts.prover import compute_number_range
from rulewright.checker.facts.transfer_functions import (
    define_picked_subset,
    define_reordered_list,
    define_size,
    learn_binding,
)
from rulewright.checker.infer.binders import infer_binding, infer_collection_and_item
from rulewright.checker.infer.conditions import infer_flag
from rulewright.checker.infer.name_lookup import has_name_conflict
from rulewright.checker.infer.plane_functions import infer_plane_argument
from rulewright.checker.infer.type_fitting import fit_expression
from rulewright.checker.routines.binding_lines import infer_orderable
from rulewright.checker.routines.board_lines import infer_acted_thing
from rulewright.checker.routines.line_context import (
    LineContext,
    LineResult,
    RebindingVariables,
    RoutineNames,
    forget_variable,
    join_facts,
    make_rebinding_scope,
)
from rulewright.checker.routines.line_proofs import check_legal_answer, warn_if_out_of_play
from rulewright.program import expressions as ex, statements as typed, types as ty
from rulewright.program.board_geometry import ANGLE, POSE, get_stored_types
from rulewright.program.conditions import make_answered_condition, make_size_expression
from rulewright.program.expressions import Binding, Expression, Variable
from rulewright.program.types import Type
from rulewright.syntax.nodes import expressions as e, statements as s
from rulewright.syntax.nodes.expressions import Name


@dataclass(frozen=True, slots=True)
class TypedQuestionShape:
    """Typed form of a question: shape, variable of the answer, and facts once it is answered."""

    shape: typed.Shape
    variable: Variable
    facts: Facts


def _translate_open_question(node: s.Ask, here: LineContext) -> LineResult:
    question, after = _translate_question(node, here)
    if isinstance(question, typed.Ask) and node.otherwise is None:
        check_legal_answer(question, here)
    return question, after


def _translate_question(node: s.Ask, here: LineContext) -> LineResult:
    mark = here.make_line_fields(node)
    who = here.infer_fitted(node.asked.who, ty.PLAYER, "who is asked")
    if isinstance(who, ex.StoredAttribute | ex.DerivedAttribute):
        warn_if_out_of_play(who.target, "asked", node.asked.who.span, here)
    inner = here.with_cites(node.cites)
    shaped = _type_question_shape(node.shape, inner)
    if shaped is None:
        here.mark_broken_names(node)
        for part in (node.block, node.otherwise):
            inner.translate_block(part)
        return None, here.facts
    if node.asked.secretly:
        here.routine.names.secret_names.add(shaped.variable.name)
    known = inner.with_facts(shaped.facts)
    items = [_type_demand(demand, mark["address"], known) for demand in node.demands]
    demands = tuple(demand for demand in items if demand is not None)
    shape, answered, declined = shaped.shape, known, inner
    for demand in demands:
        answered = answered.assuming(None if demand.prefer or demand.guard else demand.condition, truth=True)
    if isinstance(shape, typed.Whether):
        answer = ex.Local(type=ty.FLAG, span=node.head, variable=shaped.variable)
        answered = answered.assuming(answer, truth=True)
        declined = inner.with_facts(forget_variable(inner.facts, shaped.variable)).assuming(answer, truth=False)
    block: typed.Block = ()
    otherwise = None
    if isinstance(node.shape, s.Choose):
        options = [_translate_option(option, mark["address"], answered, inner) for option in node.shape.options]
        shape, ways = typed.Choose(tuple(option for option, _ in options if option)), [after for _, after in options]
    else:
        block, end = answered.translate_block(node.block)
        ways = [end]
    if node.otherwise is not None:
        otherwise, end = declined.translate_block(node.otherwise)
        ways.append(end)
    elif isinstance(shape, typed.Whether):
        ways.append(declined.facts)
    after = join_facts(ways)
    policies = tuple(_type_question_policy(policy, known) for policy in node.policies)
    if who is None or len(demands) < len(node.demands):
        return None, after
    question = typed.Ask(
        **mark,
        who=who,
        shape=shape,
        variable=shaped.variable,
        prompt=node.title.text if node.title else shaped.variable.name.replace("_", " "),
        demands=demands,
        block=block,
        otherwise=otherwise,
        secret=node.asked.secretly,
        policies=policies,
    )
    return question, after


def _type_question_shape(node: s.Shape, here: LineContext) -> TypedQuestionShape | None:
    match node:
        case s.Whether(guard=written):
            guarded = here.translate_guard(written)
            variable = _bind_answer(node.name, ty.FLAG, here)
            return (
                None
                if guarded.has_error
                else _make_unconstrained_shape(typed.Whether(guarded.guard), variable, guarded.context)
            )
        case s.OneOf():
            return _type_one_of(node, here)
        case s.Pick():
            return _type_pick(node, here)
        case s.Split():
            return _type_split(node, here)
        case s.Order():
            return _type_order(node, here)
        case s.TurnHow():
            return _type_turn_how(node, here)
        case s.Choose(name=name):
            variable = _bind_answer(name, ty.TEXT, here)
            return _make_unconstrained_shape(typed.Choose(()), variable, here)
        case s.PlaceWhere(unplaced, name):
            thing = infer_plane_argument(unplaced, "mini", "place", here.scope)
            variable = _bind_answer(name, POSE, here)
            return None if thing is None else _make_unconstrained_shape(typed.PlaceWhere(thing), variable, here)


def _bind_answer(name: Name, type_: Type, here: LineContext) -> Variable | None:
    return here.routine.names.bind_name(name, type_, "ask", here.make_scope_without(name.text))


def _make_unconstrained_shape(
    shape: typed.Shape, variable: Variable | None, here: LineContext
) -> TypedQuestionShape | None:
    return None if variable is None else TypedQuestionShape(shape, variable, forget_variable(here.facts, variable))


def _type_one_of(node: s.OneOf, here: LineContext) -> TypedQuestionShape | None:
    name = node.binder.names[0]
    if len(node.binder.names) > 1:
        span = node.binder.names[1].span
        here.error("RW0524", span, "an answer has one name", help="take it apart below: `for each (a, b) in {answer}`")
        return None
    numbering = RebindingVariables(here.routine.names, name.text)
    bound = infer_binding(node.binder, replace(make_rebinding_scope(name, here), variables=numbering))
    if bound is None:
        return None
    binding, inner = bound
    variable = binding.variables[0]
    if variable is None:
        here.error("RW0524", name.span, "an answer needs a name")
        return None
    if numbering.type is None:
        here.routine.names.bind_variable(name.text, variable, "ask", name.span)
    elif not here.routine.names.check_rebinding(name, numbering.type, "ask", here.scope):
        return None
    return TypedQuestionShape(typed.OneOf(binding), variable, inner.facts)


def _type_pick(node: s.Pick, here: LineContext) -> TypedQuestionShape | None:
    bound = infer_binding(node.binder, here.scope)
    sizes = _infer_pick_sizes(node.size, here)
    if bound is None or sizes is None:
        return None
    if len(bound[0].variables) > 1 or bound[0].variables[0] is None:
        here.error("RW0524", node.binder.span, "what is picked from needs one name")
        return None
    variable = _bind_answer(node.name, ty.SetType(bound[0].variables[0].type), here)
    if variable is None:
        return None
    between = compute_number_range(here.facts, sizes[0])[0], compute_number_range(here.facts, sizes[1])[1]
    known = define_size(forget_variable(here.facts, variable), variable, between)
    answer = ex.Local(type=variable.type, span=node.name.span, variable=variable)
    known = define_picked_subset(known, answer, bound[0].source)
    size = make_size_expression(Binding((None,), answer, None), node.name.span)
    for fewer, more in ((sizes[0], size), (size, sizes[1])):
        known = assume(
            known, ex.Comparison(type=ty.FLAG, span=node.name.span, operator="<=", left=fewer, right=more), truth=True
        )
    for condition in _iterate_answer_conditions(bound[0], node.name.span):
        known = _assume_for_all(known, replace(bound[0], source=answer, where=None), condition)
    return TypedQuestionShape(typed.Pick(*sizes, bound[0]), variable, known)


def _iterate_answer_conditions(binding: Binding, span: Span) -> Iterator[Expression]:
    for one in binding.variables:
        if one is not None:
            item = ex.Local(type=one.type, span=span, variable=one)
            yield ex.Membership(type=ty.FLAG, span=span, item=item, collection=binding.source, negated=False)
    if binding.where is not None:
        yield binding.where


def _assume_for_all(facts: Facts, members: Binding, condition: Expression) -> Facts:
    every = ex.Quantifier(type=ty.FLAG, span=condition.span, word="every", binding=members, body=condition)
    return assume(facts, every, truth=True)


def _infer_pick_sizes(node: e.Expression, here: LineContext) -> tuple[Expression, Expression] | None:
    size = here.scope.infer(node)
    if size is None:
        return None
    ends = (size.low, size.high) if isinstance(size, ex.Interval) else (size, size)
    low, high = (fit_expression(end, ty.COUNT, here.scope, "the number to pick") for end in ends)
    return None if low is None or high is None else (low, high)


def _type_split(node: s.Split, here: LineContext) -> TypedQuestionShape | None:
    amount = here.infer_fitted(node.amount, ty.COUNT, "the number to split")
    over = infer_collection_and_item(node.over, here.scope)
    if amount is None or over is None:
        return None
    _, high = compute_number_range(here.facts, amount)
    variable = _bind_answer(node.name, ty.MapType(over[1], ty.NumberType(0, high)), here)
    return _make_unconstrained_shape(typed.Split(amount, over[0]), variable, here)


def _type_order(node: s.Order, here: LineContext) -> TypedQuestionShape | None:
    items = infer_collection_and_item(node.items, here.scope)
    if items is None:
        return None
    variable = _bind_answer(node.name, ty.ListType(items[1]), here)
    shaped = _make_unconstrained_shape(typed.Order(items[0]), variable, here)
    return shaped and replace(shaped, facts=define_reordered_list(shaped.facts, shaped.variable, items[0]))


def _type_turn_how(node: s.TurnHow, here: LineContext) -> TypedQuestionShape | None:
    items = infer_acted_thing(node.thing, "turn", here)
    if items is None:
        return None
    thing, kind = items
    shape = here.environment.kinds.get(kind)
    facing = ty.strip_optional(get_stored_types(shape).get("facing", ty.FLAG)) if shape is not None else ty.FLAG
    if not isinstance(facing, ty.DirectionType) and facing != ANGLE:
        remedy = f"give `{kind}` the attribute `facing: direction`, on the plane `facing: angle`"
        here.error("RW0508", thing.span, f"`{kind}` has no `facing`", help=remedy, missing=f"{kind}.facing")
        return None
    return _make_unconstrained_shape(typed.TurnHow(thing), _bind_answer(node.name, facing, here), here)


def _type_demand(node: s.Demand, address: str, here: LineContext) -> typed.Demand | None:
    guarded = here.translate_guard(node.guard)
    condition = infer_flag(node.condition, guarded.context.scope, f"`{node.word}`")
    part = here.make_part_fields(node, address)
    if condition is None or guarded.has_error:
        return None
    return typed.Demand(**part, condition=condition, guard=guarded.guard, prefer=node.word == "prefer")


def _type_question_policy(node: s.QuestionPolicy, here: LineContext) -> typed.QuestionPolicy:
    worth = None if node.worth is None else infer_orderable(node.worth, node.word, here)
    return typed.QuestionPolicy(node.player, node.word, worth)


def _translate_option(
    node: s.Option, address: str, answered: LineContext, here: LineContext
) -> tuple[typed.Option | None, Facts | None]:
    part = here.make_part_fields(node, address)
    guarded = here.translate_guard(node.guard)
    inner = replace(answered.with_cites(node.cites), address_prefix=part["address"])
    block, after = inner.assuming(guarded.guard, truth=True).translate_block(node.block)
    return None if guarded.has_error else typed.Option(**part, guard=guarded.guard, block=block), after


def translate_ask(node: s.Ask, here: LineContext) -> LineResult:
    """`ask P …`, `ask P secretly …`, `ask all S as p …`."""
    if node.asked.each_name is not None:
        return _translate_question_to_all(node, node.asked.each_name, here)
    if not node.asked.secretly:
        return _translate_open_question(node, here)
    remedy = "write them after `reveal`; those that move it between bags and decks may come below the question"
    if isinstance(node.shape, s.Choose) and node.shape.options:
        name, first = node.shape.name.text, node.shape.options[0].name.text
        remedy = f'write them after `reveal {name}`, those of `{first}` under `if {name} = "{first}":`'
    fitting = _check_no_dependent_lines(node, here, "a secret answer is not known yet", remedy)
    return _translate_open_question(node, here) if fitting else (None, here.facts)


def _check_no_dependent_lines(node: s.Ask, here: LineContext, message: str, remedy: str) -> bool:
    options = node.shape.options if isinstance(node.shape, s.Choose) else ()
    blocks = (node.block, *(option.block for option in options))
    spans = [block.lines[0].head for block in blocks if block is not None and block.lines]
    for span in spans:
        here.error("RW0543", span, f"{message}, so no lines can follow here", help=remedy)
    if not spans and isinstance(node.shape, s.Whether) and node.otherwise is not None:
        here.error("RW0543", node.head, f"{message}, so no `else:` can follow here", help=remedy)
        return False
    return not spans


def _translate_question_to_all(node: s.Ask, player_name: Name, here: LineContext) -> LineResult:
    """All are asked at once; the answer is a map from player to answer, complete when the last is in."""
    name = node.shape.binder.names[0] if isinstance(node.shape, s.OneOf) else node.shape.name
    source = here.infer_fitted(node.asked.who, ty.SetType(ty.PLAYER), "who is asked")
    if source is None or has_name_conflict(player_name, here.scope):
        return None, here.facts
    names = here.routine.names
    variable = names.variables.new_variable(player_name.text, ty.PLAYER)
    names.variables.asked_indices.add(variable.index)
    if not _check_question_to_all(node, here):
        return None, here.facts
    others = {text: bound for text, bound in names.bound.items() if text != name.text}
    routine = replace(here.routine, names=RoutineNames(names.variables, names.changed_names, others))
    known = learn_binding(here.facts, Binding((variable,), source, None))
    inner = replace(
        here, routine=routine, loop_variables={**here.loop_variables, player_name.text: variable}, facts=known
    )
    one = replace(node, asked=s.Asked(e.Reference(player_name.text, player_name.span), node.asked.span, secretly=True))
    question, _ = _translate_question(one, inner)
    if not isinstance(question, typed.Ask):
        return None, here.facts
    check_legal_answer(question, inner, _suggest_answerable_form(node, question, here.facts))
    type_ = ty.MapType(ty.PLAYER, question.variable.type)
    answers = names.bind_name(name, type_, "ask", here.make_scope_without(name.text))
    if answers is None:
        return None, here.facts
    names.variables.answer_indices.add(answers.index)
    statement = typed.AskAll(
        address=question.address,
        cites=question.cites,
        span=question.span,
        players=Binding((variable,), source, None),
        question=replace(question, everyone=variable),
        answers=answers,
    )
    return statement, _learn_all_answers(question, variable, answers, (source, forget_variable(here.facts, answers)))


def _learn_all_answers(
    question: typed.Ask, each: Variable, answers: Variable, respondents: tuple[Expression, Facts]
) -> Facts:
    """Facts about the answers of all who are asked: each is there, was possible, and meets what is required."""
    players, facts = respondents
    answer_map = ex.Local(type=answers.type, span=question.span, variable=answers)
    player = ex.Local(type=each.type, span=question.span, variable=each)
    given = ex.Entry(type=question.variable.type, span=question.span, target=answer_map, key=player)
    facts = _assume_for_all(facts, Binding((each,), players, None), make_answered_condition(player, answer_map))
    for one in players.items if isinstance(players, ex.MakeCollection) else ():
        facts = assume(facts, make_answered_condition(one, answer_map), truth=True)
    conditions = [demand.condition for demand in question.demands if demand.guard is None]
    if isinstance(question.shape, typed.OneOf):
        conditions += _iterate_answer_conditions(question.shape.binding, question.span)
    for condition in conditions:
        of_each = substitute_variable(condition, question.variable, given)
        facts = _assume_for_all(facts, Binding((each,), players, None), of_each)
    return facts


def _suggest_answerable_form(node: s.Ask, question: typed.Ask, facts: Facts) -> str:
    judged = " and judge the answers below, not with `require`" if node.demands else ""
    match node.shape:
        case s.Pick() if (
            isinstance(question.shape, typed.Pick) and compute_number_range(facts, question.shape.low)[1] == 0
        ):
            return "judge the answers below, not with `require`"
        case s.OneOf(binder=binder):
            instead = f"`to pick 0..1 of each x in … as {binder.names[0].text}`"
            return f"let those who have none choose none: write {instead}{judged}"
        case s.Pick():
            return f"let those who have too few choose none: write `to pick 0..…`{judged}"
        case s.Choose():
            return f"leave one option without `when`{judged}"
        case _:
            return "let everybody have an answer, whatever the state is"


def _check_question_to_all(node: s.Ask, here: LineContext) -> bool:
    fitting = _check_no_dependent_lines(
        node, here, "the answers of the others are not known yet", "write them below the question"
    )
    if node.otherwise is not None and not isinstance(node.shape, s.Whether):
        message = "a question to all has no `else:`"
        remedy = "let each of them have a legal answer, or leave out of the set who has none"
        here.error("RW0544", node.head, message, help=remedy)
        fitting = False
    for demand in node.demands:
        if demand.word == "prefer":
            message = "a question to all has no `prefer`"
            here.error("RW0544", demand.span, message, help="write it with `require` or `where`")
            fitting = False
    return fitting


def translate_reveal(node: s.Reveal, here: LineContext) -> LineResult:
    """`reveal NAME`: from here on all may know what one player chose or drew (RW0545)."""
    name, names = node.name.text, here.routine.names
    if name in here.routine.broken_names:
        return None, here.facts
    if name not in names.secret_names:
        remedy = "`reveal` takes the name bound by `ask … secretly` or `draw secretly …`"
        if name in names.bound:
            here.error("RW0545", node.name.span, f"`{name}` is not a secret", help=remedy)
        else:
            here.error("RW0545", node.name.span, f"`{name}` is not known here", help=remedy, missing=name)
        return None, here.facts
    here.scope.note_local(node.name.span, names.bound[name].variable)
    return typed.Reveal(**here.make_line_fields(node), variable=names.bound[name].variable), here.facts
