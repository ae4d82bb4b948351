"""What is known where a jump comes back to a step: what no round changes, and what each jump is made on."""

from collections.abc import Iterator
from dataclasses import replace

from rulewright.analysis import addresses, infer
from rulewright.analysis.facts import Facts, Proof, prove, suppose
from rulewright.analysis.reads import ANYTHING, reads
from rulewright.analysis.report import Report
from rulewright.analysis.routines.routine_context import Here
from rulewright.analysis.scope import Variables
from rulewright.frozen import dataclass
from rulewright.program.expressions import Binding, Expression
from rulewright.roles import nodes as below
from rulewright.syntax.nodes import declarations as d, expressions as e, statements as s


@dataclass(frozen=True, slots=True)
class _Holding:
    """A condition that held, or did not, and the lines that were carried out since."""

    condition: e.Expression
    truth: bool = True
    since: tuple[s.Statement, ...] = ()


_Conditions = tuple[_Holding, ...]
_Known = tuple[Expression, bool]


def jumped_to(node: d.Procedure) -> frozenset[str]:
    """The steps that a jump comes back to, from themselves or from below."""
    found, above = set[str](), set[str]()
    for each in node.steps:
        above.add(each.name.text)
        found.update(name for name, _ in _jumps(each) if name in above)
    return frozenset(found)


def known_in_rounds(node: d.Procedure, name: str, before: Facts, here: Here) -> Facts:
    """What is known in a step that jumps come back to.

    Args:
        node: the procedure.
        name: the step.
        before: what is known where the step is come to from above.
        here: the place, which knows only what no round changes.

    Returns:
        That, with the conditions that hold at every jump and from above as well.
    """
    first = [each.name.text for each in node.steps].index(name)
    jumps = [conditions for step in node.steps[first:] for to, conditions in _jumps(step) if to == name]
    made = [_typed(conditions, here) for conditions in jumps]
    if not all(made):
        return here.facts
    ways = (before, *(_assumed(here.facts, conditions) for conditions in made))
    return _assumed(here.facts, [each for each in made[0] if all(_shown(facts, each) for facts in ways)])


def _assumed(facts: Facts, conditions: list[_Known]) -> Facts:
    for each, truth in conditions:
        facts = suppose(facts, each, truth=truth)
    return facts


def _shown(facts: Facts, known: _Known) -> bool:
    condition, truth = known
    return prove(facts, condition) is (Proof.PROVED if truth else Proof.REFUTED)


def _typed(conditions: _Conditions, here: Here) -> list[_Known]:
    """The conditions that mean something where the round begins, bind no names of their own and are left as they were.

    So they are where no line since changes anything that they read.
    """
    scope = replace(here.scope, report=Report(), variables=Variables(here.scope.variables.all))
    found: list[_Known] = []
    for each in conditions:
        condition = infer.condition(each.condition, scope)
        if condition is None or any(isinstance(one, Binding) for one in below(condition)):
            continue
        doings = here.routine.effects.doings(each.since, here.routine.body)
        written = here.written(doings) | here.local_keys(doings.names)
        read = reads(condition, here.facts.reads)
        if not written or not (read & written or ANYTHING in read | written):
            found.append((condition, each.truth))
    return found


def _jumps(step: d.Step) -> Iterator[tuple[str, _Conditions]]:
    """The jumps in a step, each with what was judged on the way to it."""
    if step.block is not None:
        yield from _in_block(step.block.lines, () if step.guard is None else (_Holding(step.guard),))


def _in_block(lines: tuple[s.Statement, ...], holding: _Conditions) -> Iterator[tuple[str, _Conditions]]:
    for each in lines:
        match each:
            case s.Proceed(step=step):
                yield step.text, holding
            case s.If(branches=branches, otherwise=otherwise):
                judged = holding
                for branch in branches:
                    yield from _in_block(branch.block.lines, (*judged, _Holding(branch.condition)))
                    judged = (*judged, _Holding(branch.condition, truth=False))
                yield from _in_block(() if otherwise is None else otherwise.lines, judged)
            case s.Ask(shape=shape, block=block, otherwise=otherwise):
                options = shape.options if isinstance(shape, s.Choose) else ()
                bound = addresses.bound_name(each)
                assert bound is not None
                answered = _after(s.Let(span=each.span, head=each.head, name=bound), holding)
                for inner in filter(None, (*(one.block for one in options), block, otherwise)):
                    yield from _in_block(inner.lines, answered)
            case _:
                yield from ((jump.step.text, ()) for jump in below(each) if isinstance(jump, s.Proceed))
        holding = _after(each, holding)


def _after(line: s.Statement, holding: _Conditions) -> _Conditions:
    """What was judged, once a line is over: where a branch leads elsewhere, its condition did not hold."""
    held = tuple(replace(each, since=(*each.since, line)) for each in holding)
    match line:
        case s.If(branches=(branch,), otherwise=None) if addresses.jumps(branch.block.lines[-1]):
            return (*held, _Holding(branch.condition, truth=False))
        case _:
            return held
