"""Answers that others do not see yet: `ask … secretly`, `ask all`, `reveal` (manual, Decisions)."""

from dataclasses import replace

from rulewright.analysis import infer
from rulewright.analysis.facts import Facts
from rulewright.analysis.facts.named import member
from rulewright.analysis.infer.fit import fit
from rulewright.analysis.routines import asking, legal
from rulewright.analysis.routines.bindings import unknown
from rulewright.analysis.routines.here import Here
from rulewright.analysis.routines.names import Names
from rulewright.program import statements as typed
from rulewright.program.expressions import Binding, Expression, Variable
from rulewright.program.types import PLAYER, MapType, SetType
from rulewright.source import Span
from rulewright.syntax.nodes import expressions as e
from rulewright.syntax.nodes import statements as s
from rulewright.syntax.nodes.expressions import Name

Done = tuple[typed.Statement | None, Facts | None]


def ask(node: s.Ask, here: Here) -> Done:
    """`ask P …` in the open, `ask P secretly …`, `ask all S as p …`."""
    if node.asked.each_name is not None:
        return _ask_all(node, node.asked.each_name, here)
    if not node.asked.secretly:
        return asking.ask(node, here)
    fitting = _only_answers(node, here, "a secret answer is not known yet", "write them after `reveal`")
    return asking.ask(node, here) if fitting else _broken(node, here)


def _broken(node: s.Ask, here: Here) -> Done:
    here.routine.broken.update(asking.names(node.shape))
    return None, here.facts


def _only_answers(node: s.Ask, here: Here, message: str, remedy: str) -> bool:
    """Whether no line depends on an answer that is still hidden; reports those that do (RW0543)."""
    spans = [each for each in map(_lines, _blocks(node)) if each is not None]
    for span in spans:
        here.error("RW0543", span, f"{message}, so no lines can follow here", help=remedy)
    if not spans and isinstance(node.shape, s.Whether) and node.otherwise is not None:
        here.error("RW0543", node.head, f"{message}, so no `else:` can follow here", help=remedy)
        return False
    return not spans


def _blocks(node: s.Ask) -> list[s.Block | None]:
    if isinstance(node.shape, s.Choose):
        return [node.block, *(each.block for each in node.shape.options)]
    return [node.block]


def _lines(block: s.Block | None) -> Span | None:
    """Where the first line of a block stands."""
    return block.lines[0].head if block is not None and block.lines else None


def _ask_all(node: s.Ask, each: Name, here: Here) -> Done:
    """All are asked at once; the answer is a map from player to answer, whole when the last is in."""
    name = asking.names(node.shape)[0]
    players = _players(node, each, here)
    if players is None or not _may_stand(node, here):
        return _broken(node, here)
    variable, source = players
    names = here.routine.names
    others = {text: bound for text, bound in names.bound.items() if text != name}
    apart = replace(here.routine, names=Names(names.variables, names.changed, others))
    known = member(here.facts, Binding((variable,), source, None))
    inner = replace(here, routine=apart, each={**here.each, each.text: variable}, facts=known)
    one = replace(node, asked=s.Asked(e.Reference(each.text, each.span), node.asked.span, secretly=True))
    question, _ = asking.question(one, inner)
    if not isinstance(question, typed.Ask):
        return _broken(node, here)
    legal.check(question, inner, _way_out(node))
    type_ = MapType(PLAYER, question.variable.type)
    answers = names.bind(asking.named(node.shape), type_, "ask", here.fresh_scope(name))
    if answers is None:
        return None, here.facts
    made = typed.AskAll(
        address=question.address,
        cites=question.cites,
        span=question.span,
        players=Binding((variable,), source, None),
        question=replace(question, everyone=variable),
        answers=answers,
    )
    return made, unknown(here.facts, answers)


def _way_out(node: s.Ask) -> str:
    """A form of a question to all to which everybody has an answer."""
    judged = " and judge the answers below, not with `require`" if node.demands else ""
    match node.shape:
        case s.OneOf(binder=binder):
            instead = f"`to pick 0..1 of each x in … as {binder.names[0].text}`"
            return f"let those who have none choose none: write {instead}{judged}"
        case s.Pick():
            return f"let those who have too few choose none: write `to pick 0..…`{judged}"
        case s.Choose():
            return f"leave one option without `when`{judged}"
        case _:
            return "let everybody have an answer, whatever the state is"


def _players(node: s.Ask, each: Name, here: Here) -> tuple[Variable, Expression] | None:
    source = infer.infer(node.asked.who, here.scope)
    source = source and fit(source, SetType(PLAYER), here.scope, "who is asked")
    if source is None or infer.hides(each, here.scope):
        return None
    return here.routine.names.variables.new(each.text, PLAYER), source


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
            here.error("RW0544", demand.span, message, help="say it with `require`, or with `where`")
            fitting = False
    return fitting


def reveal(node: s.Reveal, here: Here) -> Done:
    """`reveal NAME`: from here on all may know a secret answer (RW0545)."""
    name, names = node.name.text, here.routine.names
    if name in here.routine.broken:
        return None, here.facts
    if name not in names.secret:
        message = f"`{name}` is no secret answer" if name in names.bound else f"`{name}` is not known here"
        here.error("RW0545", node.name.span, message, help="`reveal` takes the name bound by `ask … secretly`")
        return None, here.facts
    return typed.Reveal(**here.mark(node), variable=names.bound[name].variable), here.facts
