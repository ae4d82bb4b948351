"""Questions to players, also to all at once and with answers that others do not see yet (manual, Decisions)."""

from collections.abc import Iterator
from dataclasses import replace

from rulewright.analysis import infer
from rulewright.analysis.facts import Facts, number_range, sized, suppose
from rulewright.analysis.facts.assignments import member, picked, reordered
from rulewright.analysis.facts.opening import instead
from rulewright.analysis.infer.binders import gathered
from rulewright.analysis.infer.conditions import flag
from rulewright.analysis.infer.plane_functions import plane_argument
from rulewright.analysis.infer.slots import fit
from rulewright.analysis.routines.binding_lines import compared
from rulewright.analysis.routines.board_lines import acted_on
from rulewright.analysis.routines.legality import check_legal_answer, warn_if_removed
from rulewright.analysis.routines.routine_context import Done, Here, Names, Rebinding, forgetting, join, unknown
from rulewright.frozen import dataclass
from rulewright.program import expressions as ex, statements as typed, types as ty
from rulewright.program.conditions import answered
from rulewright.program.expressions import Binding, Expression, Variable
from rulewright.program.plane import ANGLE, POSE, types_of
from rulewright.program.types import Type
from rulewright.source import Span
from rulewright.syntax.nodes import expressions as e, statements as s
from rulewright.syntax.nodes.expressions import Name


@dataclass(frozen=True, slots=True)
class Shaped:
    """A question without its line: the shape, the answer's name, and what is known when it is answered."""

    shape: typed.Shape
    variable: Variable
    known: Facts


def _ask_openly(node: s.Ask, here: Here) -> Done:
    """`ask WHO SHAPE "question":` with demands, lines, and `else:`, which may have to be there (RW0525)."""
    made, after = _question(node, here)
    if isinstance(made, typed.Ask) and node.otherwise is None:
        check_legal_answer(made, here)
    return made, after


def _question(node: s.Ask, here: Here) -> Done:
    """A question, whether or not it has a legal answer."""
    mark = here.mark(node)
    who = here.fitted(node.asked.who, ty.PLAYER, "who is asked")
    if isinstance(who, ex.StoredAttribute | ex.DerivedAttribute):
        warn_if_removed(who.target, "asked", node.asked.who.span, here)
    inner = here.citing(node.cites)
    shaped = _shape(node.shape, inner)
    if shaped is None:
        given_up = _given_up(node, here)
        for part in (node.block, node.otherwise):
            inner.block(part)
        return given_up
    if node.asked.secretly:
        here.routine.names.secret.add(shaped.variable.name)
    known = inner.knowing(shaped.known)
    found = [_demand(each, mark["address"], known) for each in node.demands]
    demands = tuple(each for each in found if each is not None)
    ways = _Ways(node, shaped, demands, inner)
    block, otherwise, after = ways.translated(mark["address"])
    policies = tuple(_policy(each, known) for each in node.policies)
    if who is None or len(demands) < len(node.demands):
        return None, after
    made = typed.Ask(
        **mark,
        who=who,
        shape=ways.shape,
        variable=shaped.variable,
        prompt=node.title.text if node.title else shaped.variable.name.replace("_", " "),
        demands=demands,
        block=block,
        otherwise=otherwise,
        secret=node.asked.secretly,
        policies=policies,
    )
    return made, after


def _given_up(node: s.Ask, here: Here) -> Done:
    """Nothing is said of the names that a question would have bound."""
    names = node.shape.binder.names if isinstance(node.shape, s.OneOf) else (node.shape.name,)
    here.routine.broken.update(each.text for each in names)
    return None, here.facts


def _shape(node: s.Shape, here: Here) -> Shaped | None:  # noqa: PLR0911 - one case for each shape
    match node:
        case s.Whether(guard=written):
            guarded = here.guarded(written)
            variable = _bind(node.name, ty.FLAG, here)
            return None if guarded.fails else _free(typed.Whether(guarded.guard), variable, guarded.inside)
        case s.OneOf():
            return _one_of(node, here)
        case s.Pick():
            return _pick(node, here)
        case s.Split():
            return _split(node, here)
        case s.Order():
            return _order(node, here)
        case s.TurnHow():
            return _turn(node, here)
        case s.Choose(name=name):
            variable = _bind(name, ty.TEXT, here)
            return _free(typed.Choose(()), variable, here)
        case s.PlaceWhere(unplaced, name):
            thing = plane_argument(unplaced, "mini", "place", here.scope)
            variable = _bind(name, POSE, here)
            return None if thing is None else _free(typed.PlaceWhere(thing), variable, here)


def _bind(name: Name, type_: Type, here: Here) -> Variable | None:
    return here.routine.names.bind(name, type_, "ask", here.fresh_scope(name.text))


def _free(shape: typed.Shape, variable: Variable | None, here: Here) -> Shaped | None:
    """A question of whose answer nothing is known beforehand."""
    return None if variable is None else Shaped(shape, variable, unknown(here.facts, variable))


def _one_of(node: s.OneOf, here: Here) -> Shaped | None:
    name = node.binder.names[0]
    if len(node.binder.names) > 1:
        span = node.binder.names[1].span
        here.error("RW0524", span, "an answer has one name", help="take it apart below: `for each (a, b) in {answer}`")
        return None
    numbering = Rebinding(here.routine.names, name.text)
    bound = infer.bind(node.binder, replace(forgetting(name, here), variables=numbering))
    if bound is None:
        return None
    binding, inner = bound
    variable = binding.variables[0]
    if variable is None:
        here.error("RW0524", name.span, "an answer needs a name")
        return None
    if numbering.type is None:
        here.routine.names.show(name.text, variable, "ask", name.span)
    elif not here.routine.names.again(name, numbering.type, "ask", here.scope):
        return None
    return Shaped(typed.OneOf(binding), variable, inner.facts)


def _pick(node: s.Pick, here: Here) -> Shaped | None:
    bound = infer.bind(node.binder, here.scope)
    sizes = _sizes(node.size, here)
    if bound is None or sizes is None:
        return None
    if len(bound[0].variables) > 1 or bound[0].variables[0] is None:
        here.error("RW0524", node.binder.span, "what is picked from needs one name")
        return None
    variable = _bind(node.name, ty.SetType(bound[0].variables[0].type), here)
    if variable is None:
        return None
    between = number_range(here.facts, sizes[0])[0], number_range(here.facts, sizes[1])[1]
    known = sized(unknown(here.facts, variable), variable, between)
    answer = ex.Local(type=variable.type, span=node.name.span, variable=variable)
    known = picked(known, answer, bound[0].source)
    for condition in _said_of(bound[0], node.name.span):
        known = _learnt_of_all(known, replace(bound[0], source=answer, where=None), condition)
    return Shaped(typed.Pick(*sizes, bound[0]), variable, known)


def _said_of(binding: Binding, span: Span) -> Iterator[Expression]:
    """What holds of an answer: it is one of those that are asked for, and meets their condition."""
    for one in binding.variables:
        if one is not None:
            item = ex.Local(type=one.type, span=span, variable=one)
            yield ex.Membership(type=ty.FLAG, span=span, item=item, collection=binding.source, negated=False)
    if binding.where is not None:
        yield binding.where


def _learnt_of_all(facts: Facts, members: Binding, condition: Expression) -> Facts:
    every = ex.Quantifier(type=ty.FLAG, span=condition.span, word="every", binding=members, body=condition)
    return suppose(facts, every, truth=True)


def _sizes(node: e.Expression, here: Here) -> tuple[Expression, Expression] | None:
    """The least and greatest number to pick."""
    size = here.scope.infer(node)
    if size is None:
        return None
    ends = (size.low, size.high) if isinstance(size, ex.Interval) else (size, size)
    low, high = (fit(each, ty.COUNT, here.scope, "the number to pick") for each in ends)
    return None if low is None or high is None else (low, high)


def _split(node: s.Split, here: Here) -> Shaped | None:
    amount = here.fitted(node.amount, ty.COUNT, "the number to split")
    over = gathered(node.over, here.scope)
    if amount is None or over is None:
        return None
    _, high = number_range(here.facts, amount)
    variable = _bind(node.name, ty.MapType(over[1], ty.NumberType(0, high)), here)
    return _free(typed.Split(amount, over[0]), variable, here)


def _order(node: s.Order, here: Here) -> Shaped | None:
    items = gathered(node.items, here.scope)
    if items is None:
        return None
    variable = _bind(node.name, ty.ListType(items[1]), here)
    shaped = _free(typed.Order(items[0]), variable, here)
    return shaped and replace(shaped, known=reordered(shaped.known, shaped.variable, items[0]))


def _turn(node: s.TurnHow, here: Here) -> Shaped | None:
    found = acted_on(node.thing, "turn", here)
    if found is None:
        return None
    thing, kind = found
    shape = here.scope.shapes.kinds.get(kind)
    facing = ty.present(types_of(shape).get("facing", ty.FLAG)) if shape is not None else ty.FLAG
    if not isinstance(facing, ty.DirectionType) and facing != ANGLE:
        remedy = f"give `{kind}` the attribute `facing: direction`, on the plane `facing: angle`"
        here.error("RW0508", thing.span, f"`{kind}` has no `facing`", help=remedy)
        return None
    return _free(typed.TurnHow(thing), _bind(node.name, facing, here), here)


def _demand(node: s.Demand, address: str, here: Here) -> typed.Demand | None:
    guarded = here.guarded(node.guard)
    condition = flag(node.condition, guarded.inside.scope, f"`{node.word}`")
    part = here.part(node, address)
    if condition is None or guarded.fails:
        return None
    return typed.Demand(**part, condition=condition, guard=guarded.guard, prefer=node.word == "prefer")


def _policy(node: s.QuestionPolicy, here: Here) -> typed.QuestionPolicy:
    worth = None if node.worth is None else compared(node.worth, node.word, here)
    return typed.QuestionPolicy(node.player, node.word, worth)


class _Ways:
    """The blocks of a question, and what is known after them."""

    def __init__(self, node: s.Ask, shaped: Shaped, demands: tuple[typed.Demand, ...], here: Here) -> None:
        self._node = node
        self._shaped = shaped
        self._here = here
        self.shape = shaped.shape
        known = shaped.known
        for each in demands:
            if not each.prefer and each.guard is None:
                known = suppose(known, each.condition, truth=True)
        self._known = known

    def translated(self, address: str) -> tuple[typed.Block, typed.Block | None, Facts | None]:
        """The block that runs with the answer, that of `else:`, and what is known after both."""
        if isinstance(self._node.shape, s.Choose):
            return self._chosen(self._node.shape, address)
        if isinstance(self.shape, typed.Whether):
            return self._yes_or_no()
        block, after = self._here.knowing(self._known).block(self._node.block)
        otherwise, other = self._otherwise(self._here.facts)
        return block, otherwise, join((after, other))

    def _otherwise(self, facts: Facts) -> tuple[typed.Block | None, Facts | None]:
        if self._node.otherwise is None:
            return None, None
        return self._here.knowing(facts).block(self._node.otherwise)

    def _yes_or_no(self) -> tuple[typed.Block, typed.Block | None, Facts | None]:
        answer = ex.Local(type=ty.FLAG, span=self._node.head, variable=self._shaped.variable)
        yes = suppose(self._known, answer, truth=True)
        no = suppose(unknown(self._here.facts, self._shaped.variable), answer, truth=False)
        block, after = self._here.knowing(yes).block(self._node.block)
        otherwise, other = self._otherwise(no)
        return block, otherwise, join((after, no if self._node.otherwise is None else other))

    def _chosen(self, node: s.Choose, address: str) -> tuple[typed.Block, typed.Block | None, Facts | None]:
        options: list[typed.Option] = []
        ways: list[Facts | None] = []
        for each in node.options:
            made, after = self._option(each, address)
            ways.append(after)
            if made is not None:
                options.append(made)
        self.shape = typed.Choose(tuple(options))
        otherwise, other = self._otherwise(self._here.facts)
        return (), otherwise, join((*ways, other))

    def _option(self, node: s.Option, address: str) -> tuple[typed.Option | None, Facts | None]:
        here = self._here
        part = here.part(node, address)
        inner = replace(here.citing(node.cites), within=part["address"], facts=self._known)
        guarded = here.guarded(node.guard)
        if guarded.guard is not None:
            inner = inner.knowing(suppose(inner.facts, guarded.guard, truth=True))
        block, after = inner.block(node.block)
        return None if guarded.fails else typed.Option(**part, guard=guarded.guard, block=block), after


def ask_line(node: s.Ask, here: Here) -> Done:
    """`ask P …` in the open, `ask P secretly …`, `ask all S as p …`."""
    if node.asked.each_name is not None:
        return _ask_all(node, node.asked.each_name, here)
    if not node.asked.secretly:
        return _ask_openly(node, here)
    remedy = "write them after `reveal`; those that move it between bags and decks may come below the question"
    if isinstance(node.shape, s.Choose) and node.shape.options:
        name, first = node.shape.name.text, node.shape.options[0].name.text
        remedy = f'write them after `reveal {name}`, those of `{first}` under `if {name} = "{first}":`'
    fitting = _only_answers(node, here, "a secret answer is not known yet", remedy)
    return _ask_openly(node, here) if fitting else _given_up(node, here)


def _only_answers(node: s.Ask, here: Here, message: str, remedy: str) -> bool:
    """Whether no line depends on an answer that is still hidden; reports those that do (RW0543)."""
    options = node.shape.options if isinstance(node.shape, s.Choose) else ()
    blocks = (node.block, *(each.block for each in options))
    spans = [each.lines[0].head for each in blocks if each is not None and each.lines]
    for span in spans:
        here.error("RW0543", span, f"{message}, so no lines can follow here", help=remedy)
    if not spans and isinstance(node.shape, s.Whether) and node.otherwise is not None:
        here.error("RW0543", node.head, f"{message}, so no `else:` can follow here", help=remedy)
        return False
    return not spans


def _ask_all(node: s.Ask, each: Name, here: Here) -> Done:
    """All are asked at once; the answer is a map from player to answer, whole when the last is in."""
    name = node.shape.binder.names[0] if isinstance(node.shape, s.OneOf) else node.shape.name
    source = here.fitted(node.asked.who, ty.SetType(ty.PLAYER), "who is asked")
    if source is None or infer.hides(each, here.scope):
        return _given_up(node, here)
    names = here.routine.names
    variable = names.variables.new(each.text, ty.PLAYER)
    if not _may_stand(node, here):
        return _given_up(node, here)
    others = {text: bound for text, bound in names.bound.items() if text != name.text}
    apart = replace(here.routine, names=Names(names.variables, names.changed, others))
    known = member(here.facts, Binding((variable,), source, None))
    inner = replace(here, routine=apart, each={**here.each, each.text: variable}, facts=known)
    one = replace(node, asked=s.Asked(e.Reference(each.text, each.span), node.asked.span, secretly=True))
    question, _ = _question(one, inner)
    if not isinstance(question, typed.Ask):
        return _given_up(node, here)
    check_legal_answer(question, inner, _way_out(node, question, here.facts))
    type_ = ty.MapType(ty.PLAYER, question.variable.type)
    answers = names.bind(name, type_, "ask", here.fresh_scope(name.text))
    if answers is None:
        return None, here.facts
    names.variables.answers.add(answers.index)
    made = typed.AskAll(
        address=question.address,
        cites=question.cites,
        span=question.span,
        players=Binding((variable,), source, None),
        question=replace(question, everyone=variable),
        answers=answers,
    )
    return made, _told_of_each(question, variable, answers, (source, unknown(here.facts, answers)))


def _told_of_each(question: typed.Ask, each: Variable, answers: Variable, asked: tuple[Expression, Facts]) -> Facts:
    """What is known of the answers of all who are asked: each is there, was possible, and meets what is required."""
    players, facts = asked
    held = ex.Local(type=answers.type, span=question.span, variable=answers)
    player = ex.Local(type=each.type, span=question.span, variable=each)
    given = ex.Entry(type=question.variable.type, span=question.span, target=held, key=player)
    facts = _learnt_of_all(facts, Binding((each,), players, None), answered(player, held))
    for one in players.items if isinstance(players, ex.MakeCollection) else ():
        facts = suppose(facts, answered(one, held), truth=True)
    said = [demand.condition for demand in question.demands if demand.guard is None]
    if isinstance(question.shape, typed.OneOf):
        said += _said_of(question.shape.binding, question.span)
    for condition in said:
        of_each = instead(condition, question.variable, given)
        facts = _learnt_of_all(facts, Binding((each,), players, None), of_each)
    return facts


def _way_out(node: s.Ask, question: typed.Ask, facts: Facts) -> str:
    """A form of a question to all to which everybody has an answer."""
    judged = " and judge the answers below, not with `require`" if node.demands else ""
    match node.shape:
        case s.Pick() if isinstance(question.shape, typed.Pick) and number_range(facts, question.shape.low)[1] == 0:
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


def _may_stand(node: s.Ask, here: Here) -> bool:
    """Whether a question to all has nothing but `require` rows (RW0543, RW0544)."""
    fitting = _only_answers(node, here, "the answers of the others are not known yet", "write them below the question")
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


def reveal_line(node: s.Reveal, here: Here) -> Done:
    """`reveal NAME`: from here on all may know what one player chose or drew (RW0545)."""
    name, names = node.name.text, here.routine.names
    if name in here.routine.broken:
        return None, here.facts
    if name not in names.secret:
        message = f"`{name}` is not a secret" if name in names.bound else f"`{name}` is not known here"
        remedy = "`reveal` takes the name bound by `ask … secretly` or `draw secretly …`"
        here.error("RW0545", node.name.span, message, help=remedy)
        return None, here.facts
    return typed.Reveal(**here.mark(node), variable=names.bound[name].variable), here.facts
