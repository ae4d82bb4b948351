"""What is known where a jump comes back to a step: what no round changes, and what each jump is made on."""

from collections.abc import Iterator
from dataclasses import replace

from rulewright.analysis import infer
from rulewright.analysis.facts import Facts, Proof, assume, prove
from rulewright.analysis.report import Report
from rulewright.analysis.routines.routine_context import Here
from rulewright.analysis.scope import Variables
from rulewright.program.expressions import Binding, Expression
from rulewright.roles import nodes as below
from rulewright.syntax.nodes import declarations as d
from rulewright.syntax.nodes import expressions as e
from rulewright.syntax.nodes import statements as s

_Conditions = tuple[e.Expression, ...]


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
        That, with the conditions on which every jump is made, as far as they hold from above as well.
    """
    first = [each.name.text for each in node.steps].index(name)
    jumps = [conditions for step in node.steps[first:] for to, conditions in _jumps(step) if to == name]
    made = [_typed(conditions, here) for conditions in jumps]
    if not all(made):
        return here.facts
    at_jumps = [_assumed(here.facts, conditions) for conditions in made]
    ways = (before, *at_jumps)
    common = [each for each in made[0] if all(prove(facts, each) is Proof.PROVED for facts in ways)]
    return _assumed(here.facts, common)


def _assumed(facts: Facts, conditions: list[Expression]) -> Facts:
    for each in conditions:
        facts = assume(facts, each, truth=True)
    return facts


def _typed(conditions: _Conditions, here: Here) -> list[Expression]:
    """The conditions that mean something where the round begins, and bind no names of their own."""
    scope = replace(here.scope, report=Report(), variables=Variables(here.scope.variables.all))
    found = (infer.condition(each, scope) for each in conditions)
    return [each for each in found if each is not None and not any(isinstance(one, Binding) for one in below(each))]


def _jumps(step: d.Step) -> Iterator[tuple[str, _Conditions]]:
    """The jumps in a step, each with the conditions that surely hold when it is made."""
    if step.block is not None:
        yield from _in_block(step.block.lines, () if step.guard is None else (step.guard,))


def _in_block(lines: tuple[s.Statement, ...], holding: _Conditions) -> Iterator[tuple[str, _Conditions]]:
    for each in lines:
        match each:
            case s.Proceed(step=step):
                yield step.text, holding
            case s.If(branches=branches, otherwise=otherwise):
                for branch in branches:
                    yield from _in_block(branch.block.lines, (*holding, branch.condition))
                yield from _in_block(() if otherwise is None else otherwise.lines, holding)
            case s.Ask(shape=shape, block=block, otherwise=otherwise):
                options = shape.options if isinstance(shape, s.Choose) else ()
                for inner in filter(None, (*(one.block for one in options), block, otherwise)):
                    yield from _in_block(inner.lines, holding)
            case _:
                yield from ((jump.step.text, ()) for jump in below(each) if isinstance(jump, s.Proceed))
        if not isinstance(each, s.RulingLine | s.Nothing):
            holding = ()
