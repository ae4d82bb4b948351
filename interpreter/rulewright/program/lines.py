"""Generic ways through the lines of a routine: their blocks, and the expressions they read themselves."""

import re
from collections.abc import Iterator

from rulewright.program.declarations import Handler, Procedure, Program, StandingRule
from rulewright.program.expressions import Expression, Typed
from rulewright.program.statements import Block, Line, Perform, Statement
from rulewright.roles import children

Routine = Procedure | Handler | StandingRule


_NUMBER = re.compile(r"#[0-9]+")


def shared_address(address: str) -> str:
    """What a line is called where only its name counts: for questions, and for what a name got.

    Lines of one step that bind one name, or act on one thing, differ only by a number in the order of the text, and
    which of them comes to be asked may depend on settings.

    >>> shared_address("melee/4/rolled#2")
    'melee/4/rolled'
    """
    return _NUMBER.sub("", address)


def performers(procedure: str, program: Program) -> tuple[str, ...]:
    """The procedures, handlers and standing rules with a line that performs a procedure, in their order."""
    routines: tuple[Routine, ...] = (*program.procedures.values(), *program.handlers.values(), *program.rules.values())
    return tuple(
        each.name
        for each in routines
        if any(isinstance(line, Perform) and line.procedure == procedure for line in all_lines(each))
    )


def expressions(node: object) -> Iterator[Expression]:
    """The outermost expressions of a line, row, place or opening line, but for those of lines inside it."""
    if isinstance(node, Typed):
        yield node  # type: ignore[misc]
    elif node is not None:
        for each in children(node):
            if not isinstance(each, Line):
                yield from expressions(each)


def inner(node: object) -> Iterator[Statement]:
    """The lines directly inside a line, in any of its blocks."""
    for each in children(node):
        if isinstance(each, Line):
            yield each  # type: ignore[misc]
        elif not isinstance(each, Typed):
            yield from inner(each)


def every(lines: Block) -> Iterator[Statement]:
    """The lines of a block and all inside them, in order of the text."""
    for each in lines:
        yield each
        yield from every(tuple(inner(each)))


def all_lines(routine: Routine) -> Iterator[Statement]:
    """Every line of a routine, those of its watches included."""
    if isinstance(routine, Procedure):
        for part in routine.opening:
            yield from every(part if isinstance(part, tuple) else tuple(inner(part)))
        for step in routine.steps:
            yield from every(step.block)
    else:
        yield from every(routine.block)
