"""Which procedure a play begins with, and its arguments."""

from collections.abc import Sequence
from itertools import product
from math import prod

from rulewright.diagnostics import Diagnostic, Severity
from rulewright.inputs.findings import (
    WRONG,
    Findings,
    Read,
    Wrong,
    did_you_mean,
    meant,
    one_of,
    quoted,
    several,
    there_are,
)
from rulewright.inputs.names import Names, spellings
from rulewright.inputs.nodes import Mapping, Node
from rulewright.inputs.state_file import read_flags
from rulewright.inputs.value_reader import ValueReader
from rulewright.machine.layout import start_value
from rulewright.machine.state import Situation
from rulewright.machine.values import Value
from rulewright.program.declarations import Measure, Procedure, Program
from rulewright.program.expressions import Expression, Variable
from rulewright.program.types import DieType, FlagType, PoolType, ThingType, Type, WordType, present
from rulewright.program.walk import may_hold, performing

MOST_OF_ONE = 100
"""So many things and words one declared measure is asked for, each by itself."""


def begun(program: Program) -> tuple[Procedure, ...]:
    """The procedures that can be begun, in order."""
    return tuple(each for each in program.procedures.values() if not each.inner)


def fitting(type_: Type, program: Program, situation: Situation | None) -> tuple[str, ...]:
    """How the things in play of a situation, or the words, are called that are of a type; none of any other sort."""
    sort = present(type_)
    match sort:
        case ThingType(kind) if situation is not None:
            gone = situation.gone.get(kind, ())
            return tuple(id_ for number, id_ in enumerate(situation.base.things.get(kind, ())) if number not in gone)
        case WordType(values):
            return tuple(each.name for each in program.values[values].words)
        case _:
            return ()


def asked_as(measure: Measure, program: Program, situation: Situation | None) -> tuple[str, ...] | None:
    """A declared measure as it is asked for, of all things and words it can be given.

    None where it takes values that are not few and known, or has more than `MOST_OF_ONE` combinations of them.
    """
    types = [each.type for each in measure.parameters]
    values = [("no", "yes") if isinstance(each, FlagType) else fitting(each, program, situation) for each in types]
    known = all(isinstance(each, ThingType | WordType | FlagType) for each in types)
    if not known or prod(map(len, values)) > MOST_OF_ONE:
        return None
    return tuple(f"{measure.name}({', '.join(given)})" if given else measure.name for given in product(*values))


def find_procedure(name: str, program: Program) -> Read[Procedure]:
    """The procedure of a name, which needs no prefix where it is the only one so called.

    Reports RW0726 (there is none) and RW0563 (it is an inner one, which nothing begins).
    """
    ways = spellings(program.procedures)
    found = program.procedures.get(ways.get(name, ""))
    if found is not None:
        return Read(None, (_only_performed(found, program),)) if found.inner else Read(found)
    others = [each.name for each in begun(program)]
    remedy = did_you_mean(name, spellings(others)) or (there_are(others) if others else "")
    message = f"`{program.name}` has no procedure {quoted(name)}"
    return Read(None, (Diagnostic("RW0726", Severity.ERROR, message, help=remedy),))


def _only_performed(procedure: Procedure, program: Program) -> Diagnostic:
    by = tuple(dict.fromkeys(caller.name for caller, _ in performing(procedure.name, program)))
    message = f"`{procedure.name}` is an inner procedure, and cannot be begun"
    note = f"It is performed by {several(by)}." if by else "Nothing performs it."
    outer = [each for each in by if each in program.procedures and not program.procedures[each].inner]
    remedy = f"begin {one_of(outer)}" if outer else ""
    return Diagnostic("RW0563", Severity.ERROR, message, notes=(note,), help=remedy)


def read_arguments(
    flags: Sequence[str], procedure: Procedure, situation: Situation, program: Program
) -> Read[tuple[Value, ...]]:
    """The arguments of a procedure from `role=id` flags, in the order of its parameters.

    Reports RW0723 (no such role), RW0724 (a role without a value), RW0725 (a thing out of play), RW0760 (how a flag
    is written) and what `ValueReader` does.
    """
    given = read_flags("--with", flags)
    if given.value is None:
        return Read(None, given.diagnostics)
    return arguments_of(given.value, procedure, situation, program)


ON_COMMAND_LINE = "add `--with {role}=…` ({type})"
IN_SCENARIO = "add `{role}: …` ({type}) under `with:`"
IN_PYTHON = 'add `"{role}": …` to `roles` ({type})'
"""How a role that is missing is given; the type with what fits it."""


def arguments_of(
    given: Mapping, procedure: Procedure, situation: Situation, program: Program, missing: str = ON_COMMAND_LINE
) -> Read[tuple[Value, ...]]:
    """The arguments of a procedure from a mapping of roles; reports as `read_arguments`, with how to give a role."""
    findings = Findings()
    values = ValueReader(Names(program, situation.base), findings)
    roles = [each.name for each in procedure.parameters]
    for key, _ in given:
        if key.text not in roles:
            remedy = did_you_mean(key.text, roles) or (there_are(roles) if roles else "it takes none")
            findings.error("RW0723", key, f"`{procedure.name}` has no role {quoted(key.text)}", help=remedy)
    misspelt = meant((key.text for key, _ in given), roles)
    arguments = [
        WRONG
        if parameter.name in misspelt
        else _argument(given, parameter, default, procedure, situation, values, missing)
        for parameter, default in zip(procedure.parameters, procedure.defaults, strict=True)
    ]
    return findings.read(tuple(None if isinstance(each, Wrong) else each for each in arguments))


def _argument(  # noqa: PLR0913, PLR0917
    given: Mapping,
    parameter: Variable,
    default: Expression | None,
    procedure: Procedure,
    situation: Situation,
    values: ValueReader,
    missing: str,
) -> Value | Wrong:
    node = given.get(parameter.name)
    if may_hold(parameter.type, (DieType, PoolType), values.names.program):
        message = f"`{parameter.name}` of `{procedure.name}` is dice, which are rolled on the way"
        remedy = f"begin a procedure that rolls them and performs `{procedure.name}`"
        return values.findings.error("RW0724", node or given, message, help=remedy)
    if node is not None:
        value = values.read(node, parameter.type, f"`{parameter.name}`")
        return _in_play(node, value, parameter, situation, values)
    if default is not None:
        return start_value(default, parameter.type)
    message = f"`{procedure.name}` needs `{parameter.name}`"
    things = fitting(parameter.type, values.names.program, situation)
    which = f": {one_of(things)}" if things else ""
    remedy = missing.format(role=parameter.name, type=f"{parameter.type}{which}")
    return values.findings.error("RW0724", given, message, help=remedy)


def _in_play(
    node: Node, value: Value | Wrong, parameter: Variable, situation: Situation, values: ValueReader
) -> Value | Wrong:
    kind = present(parameter.type)
    if isinstance(kind, ThingType) and isinstance(value, int) and value in situation.gone.get(kind.kind, ()):
        name = values.names.thing(kind.kind, value)
        return values.findings.error("RW0725", node, f"`{parameter.name}` is {quoted(name)}, which is out of play")
    return value
