"""Whether a question has a legal answer, where nothing is said for the case that it has none (manual, Decisions)."""

from rulewright.analysis.facts import Facts, Proof, define, number_range, prove
from rulewright.analysis.facts.origins import in_play
from rulewright.analysis.routines.routine_context import Here
from rulewright.program import expressions as ex, statements as typed
from rulewright.program.conditions import chained, condition_of, narrowed, size_of
from rulewright.program.expressions import Binding, Expression
from rulewright.program.types import FLAG, PLAYER, NumberType, ThingType
from rulewright.source import Span

_OTHERWISE = "add an `else:` that says what happens then, or check it first in an `if` or a `require`"


def check_legal_answer(question: typed.Ask, here: Here, remedy: str = _OTHERWISE) -> None:
    """Reports a question that may have no legal answer (a warning, with a remedy) or never has one (an error)."""
    found = _proof(question, here.facts)
    if found is Proof.REFUTED:
        correct = "leave the question out, or correct what it asks"
        here.error("RW0525", question.span, "this question never has a legal answer", help=correct)
    elif found is Proof.UNKNOWN:
        notes = ("No line above makes sure of one; without one the run stops here.",)
        here.warning("RW0525", question.span, "this question may have no legal answer", notes=notes, help=remedy)


def _proof(question: typed.Ask, facts: Facts) -> Proof:
    demands = [each for each in question.demands if not each.prefer]
    match question.shape:
        case typed.Whether() | typed.TurnHow() | typed.Order() | typed.PlaceWhere() if not demands:
            return Proof.PROVED
        case typed.Choose(options):
            return _any_option(options, facts)
        case typed.OneOf(binding):
            for each in demands:
                binding = narrowed(binding, condition_of(each))
            return _some(question, binding, facts)
        case typed.Pick():
            return _pick(question, question.shape, facts, demands)
        case typed.Split(amount, over):
            return _weakened(_split(amount, over, question, facts), demands)
        case _:
            return Proof.UNKNOWN


def _some(question: typed.Ask, binding: Binding, facts: Facts) -> Proof:
    return prove(facts, ex.Quantifier(type=FLAG, span=question.span, word="some", binding=binding, body=None))


def _weakened(found: Proof, demands: list[typed.Demand]) -> Proof:
    """A proof that there are answers says nothing of those that the demands leave."""
    return Proof.UNKNOWN if demands and found is Proof.PROVED else found


def _any_option(options: tuple[typed.Option, ...], facts: Facts) -> Proof:
    guards = [each.guard for each in options if each.guard is not None]
    if len(guards) < len(options):
        return Proof.PROVED
    return prove(facts, chained(guards, "or", guards[0].span)) if guards else Proof.UNKNOWN


def _pick(question: typed.Ask, shape: typed.Pick, facts: Facts, demands: list[typed.Demand]) -> Proof:
    low, high = number_range(facts, shape.low)
    nothing = low == high == 0
    if nothing and demands and _empty_is_legal(question, facts, demands):
        return Proof.PROVED
    if nothing:
        return _weakened(Proof.PROVED, demands)
    members = size_of(shape.binding, question.span)
    enough = ex.Comparison(type=FLAG, span=question.span, operator=">=", left=members, right=shape.low)
    found = prove(facts, enough)
    if found is Proof.UNKNOWN and high == 1 and _some(question, shape.binding, facts) is Proof.PROVED:
        found = Proof.PROVED
    return _weakened(found, demands)


def _empty_is_legal(question: typed.Ask, facts: Facts, demands: list[typed.Demand]) -> bool:
    empty = ex.MakeCollection(type=question.variable.type, span=question.span, items=())
    known = define(facts, question.variable, empty)
    return all(prove(known, each.condition) is Proof.PROVED for each in demands)


def _split(amount: Expression, over: Expression, question: typed.Ask, facts: Facts) -> Proof:
    zero = ex.Literal(type=NumberType(0, 0), span=question.span, value=0)
    if number_range(facts, amount) == (0, 0):
        return Proof.PROVED
    members = size_of(Binding((None,), over, None), question.span)
    return prove(facts, ex.Comparison(type=FLAG, span=question.span, operator=">", left=members, right=zero))


def warn_if_removed(thing: Expression, done: str, span: Span, here: Here) -> None:
    """Warns where a line above may have taken a thing out of play that is asked or changed all the same (RW0427)."""
    if not isinstance(thing, ex.Local) or not isinstance(thing.type, ThingType) or thing.type == PLAYER:
        return
    name, routine = thing.variable.name, here.routine
    if in_play(here.facts, thing) is None and routine.effects.may_have_removed(name, span.start, routine.body):
        message = f"`{name}` may be out of play here, and is {done} all the same"
        here.warning("RW0427", span, message, help=f"check it first: `if not {name}.gone:`")
