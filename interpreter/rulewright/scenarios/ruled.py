"""A compiled ruleset with what many scenarios look up in it."""

from dataclasses import dataclass
from functools import cached_property

from rulewright.inputs.addresses import Addresses, request_addresses
from rulewright.inputs.sections import Sections
from rulewright.machine.executable import Executable
from rulewright.program.declarations import Program, Tally
from rulewright.program.expressions import Variable
from rulewright.program.statements import Ask, DecideLine, Let, Line, Perform, TallyLine
from rulewright.program.types import Type
from rulewright.program.walk import rows, shared_address
from rulewright.roles import nodes


@dataclass(frozen=True)
class Ruled:
    """A compiled ruleset; its lists of addresses are made once.

    Attributes:
        executable: it.
        clauses: ids of all clauses of its lists.
    """

    executable: Executable
    clauses: frozenset[str]

    @property
    def program(self) -> Program:
        """What was compiled."""
        return self.executable.program

    @cached_property
    def sections(self) -> Sections:
        """What a state of it has."""
        return Sections(self.program)

    @cached_property
    def questions(self) -> Addresses:
        """Where something can be asked."""
        return Addresses(request_addresses(self.program))

    @cached_property
    def steps(self) -> tuple[str, ...]:
        """Addresses of all steps."""
        return step_addresses(self.program)

    @cached_property
    def rows(self) -> tuple[str, ...]:
        """Addresses of all rows of tallies, decides and tables."""
        return row_addresses(self.program)

    @cached_property
    def row_lists(self) -> tuple[str, ...]:
        """Addresses of all tallies, decides and tables."""
        return tuple(dict.fromkeys(each.address.removesuffix(f"/{each.id}") for each in rows(self.program)))

    @cached_property
    def named(self) -> dict[str, Type]:
        """The lines that give something a name by working it out or by asking, with the type of what they give.

        Those of one step that give one name something are called the same.
        """
        return {shared_address(address): type_ for address, type_ in named_lines(self.program).items()}

    @cached_property
    def sharing(self) -> dict[str, frozenset[str]]:
        """Those lines by what they are called."""
        found: dict[str, frozenset[str]] = {}
        for address in named_lines(self.program):
            called = shared_address(address)
            found[called] = found.get(called, frozenset()) | {address}
        return found

    @cached_property
    def tallies(self) -> dict[str, Type]:
        """Addresses of all tallies, with their types."""
        return tally_types(self.program)


def named_lines(program: Program) -> dict[str, Type]:
    """Lines with a name for what they work out, perform, decide, tally or are answered, with its type, by address."""
    groups = (program.procedures, program.handlers, program.rules)
    lines = [node for group in groups for node in nodes(tuple(group.values())) if isinstance(node, Line)]
    return {line.address: named.type for line in lines if (named := _named(line)) is not None}


def _named(line: Line) -> Variable | None:
    match line:
        case Let(variable=variable, value=value):
            return None if value is None else variable
        case TallyLine(variable=variable) | DecideLine(variable=variable) | Ask(variable=variable):
            return variable
        case Perform(result=result):
            return result
        case _:
            return None


def tally_types(program: Program) -> dict[str, Type]:
    """Tallies, declared or on a line, with the type of the total, by address."""
    declared = {name: each.type for name, each in program.functions.items() if isinstance(each.body, Tally)}
    groups = (program.procedures, program.handlers, program.rules)
    lines = (node for group in groups for node in nodes(tuple(group.values())) if isinstance(node, TallyLine))
    return declared | {each.address: each.variable.type for each in lines}


def step_addresses(program: Program) -> tuple[str, ...]:
    """Addresses of all steps of all procedures."""
    return tuple(step.address for each in program.procedures.values() for step in each.steps)


def row_addresses(program: Program) -> tuple[str, ...]:
    """Addresses of all rows of tallies, decides and tables."""
    return tuple(each.address for each in rows(program))
