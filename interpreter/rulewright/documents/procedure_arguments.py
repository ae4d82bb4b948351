"""Start of a play: its procedure and the arguments of that."""

from collections.abc import Sequence
from itertools import product
from math import prod

from rulewright.base.diagnostics import Diagnostic, Severity
from rulewright.documents.document_nodes import DocumentNode, MapNode
from rulewright.documents.findings import (
    INVALID,
    Findings,
    InvalidValue,
    ReadResult,
    describe_choices,
    did_you_mean,
    find_intended_names,
    join_names,
    list_alternatives,
    quote_name,
)
from rulewright.documents.name_table import NameTable, map_spellings
from rulewright.documents.state_file import parse_assignments
from rulewright.documents.value_reader import ValueReader
from rulewright.program.declarations import Measure, Procedure, Program
from rulewright.program.expressions import Expression, Variable
from rulewright.program.types import DieType, FlagType, PoolType, ThingType, Type, WordType, strip_optional
from rulewright.program.walk import find_performing_lines, may_hold_type
from rulewright.runtime.state import Situation, evaluate_start_value
from rulewright.runtime.values import Value

MAX_MEASURE_CALLS = 100
"""Most argument combinations of one declared measure."""


def list_startable_procedures(program: Program) -> tuple[Procedure, ...]:
    """Procedures that a play can begin with: all that are not `inner`."""
    return tuple(procedure for procedure in program.procedures.values() if not procedure.inner)


def list_fitting_names(type_: Type, program: Program, situation: Situation | None) -> tuple[str, ...]:
    """Names of the things in play, or of the words, of a type; empty for any other type."""
    sort = strip_optional(type_)
    match sort:
        case ThingType(kind) if situation is not None:
            removed = situation.gone.get(kind, ())
            return tuple(id_ for number, id_ in enumerate(situation.base.things.get(kind, ())) if number not in removed)
        case WordType(values):
            return tuple(word.name for word in program.values[values].words)
        case _:
            return ()


def expand_measure_calls(measure: Measure, program: Program, situation: Situation | None) -> tuple[str, ...] | None:
    """Calls of a declared measure with all combinations of things and words it takes.

    `None` where it takes other values, or there are more than `MAX_MEASURE_CALLS` combinations.
    """
    types = [parameter.type for parameter in measure.parameters]
    values = [
        ("no", "yes") if isinstance(type_, FlagType) else list_fitting_names(type_, program, situation)
        for type_ in types
    ]
    known = all(isinstance(type_, ThingType | WordType | FlagType) for type_ in types)
    if not known or prod(map(len, values)) > MAX_MEASURE_CALLS:
        return None
    return tuple(f"{measure.name}({', '.join(given)})" if given else measure.name for given in product(*values))


def find_procedure(name: str, program: Program, *, inner: bool = False) -> ReadResult[Procedure]:
    """Procedure by its name, without prefix where that is unambiguous.

    Reports RW0726 (there is none) and, unless an `inner` one will do, RW0563 (an inner one, which cannot be started).
    """
    spellings = map_spellings(program.procedures)
    result = program.procedures.get(spellings.get(name, ""))
    if result is not None:
        is_wrong = result.inner and not inner
        return ReadResult(None, (_report_inner_procedure(result, program),)) if is_wrong else ReadResult(result)
    others = [one.name for one in (program.procedures.values() if inner else list_startable_procedures(program))]
    remedy = did_you_mean(name, map_spellings(others)) or (describe_choices(others) if others else "")
    message = f"`{program.name}` has no procedure {quote_name(name)}"
    return ReadResult(None, (Diagnostic("RW0726", Severity.ERROR, message, help=remedy),))


def _report_inner_procedure(procedure: Procedure, program: Program) -> Diagnostic:
    by = tuple(dict.fromkeys(caller.name for caller, _ in find_performing_lines(procedure.name, program)))
    message = f"`{procedure.name}` is an inner procedure, and cannot be begun"
    note = f"It is performed by {join_names(by)}." if by else "Nothing performs it."
    outer = [item for item in by if item in program.procedures and not program.procedures[item].inner]
    remedy = f"begin {list_alternatives(outer)}" if outer else ""
    return Diagnostic("RW0563", Severity.ERROR, message, notes=(note,), help=remedy)


def read_argument_flags(
    flags: Sequence[str], procedure: Procedure, situation: Situation, program: Program
) -> ReadResult[tuple[Value, ...]]:
    """Arguments of a procedure from `role=id` flags, in the order of its parameters.

    Reports RW0723 (no such role), RW0724 (a role without a value), RW0725 (a thing out of play), RW0760 (syntax of a
    flag) and what `ValueReader` does.
    """
    given = parse_assignments("--with", flags)
    if given.value is None:
        return ReadResult(None, given.diagnostics)
    return bind_arguments(given.value, procedure, situation, program)


COMMAND_LINE_HINT = "add `--with {role}=…` ({type})"
SCENARIO_HINT = "add `{role}: …` ({type}) under `with:`"
PYTHON_HINT = 'add `"{role}": …` to `roles` ({type})'
"""Remedy for a missing role; `type` lists what fits it."""


def bind_arguments(
    given: MapNode, procedure: Procedure, situation: Situation, program: Program, missing: str = COMMAND_LINE_HINT
) -> ReadResult[tuple[Value, ...]]:
    """Arguments of a procedure from a mapping of roles; reports as `read_argument_flags`, with `missing` as remedy."""
    findings = Findings()
    values = ValueReader(NameTable(program, situation.base), findings)
    roles = [variable.name for variable in procedure.parameters]
    no_roles = "it takes none; write `with: {}` beside it" if missing == SCENARIO_HINT else "it takes none"
    for key, _ in given:
        if key.text not in roles:
            remedy = did_you_mean(key.text, roles) or (describe_choices(roles) if roles else no_roles)
            findings.add_error("RW0723", key, f"`{procedure.name}` has no role {quote_name(key.text)}", help=remedy)
    misspelt = find_intended_names((key.text for key, _ in given), roles)
    arguments = [
        INVALID
        if parameter.name in misspelt
        else _bind_argument(given, parameter, default, procedure, situation, values, missing)
        for parameter, default in zip(procedure.parameters, procedure.defaults, strict=True)
    ]
    return findings.make_result(
        tuple(None if isinstance(argument, InvalidValue) else argument for argument in arguments)
    )


def _bind_argument(  # noqa: PLR0913, PLR0917
    given: MapNode,
    parameter: Variable,
    default: Expression | None,
    procedure: Procedure,
    situation: Situation,
    values: ValueReader,
    missing: str,
) -> Value | InvalidValue:
    node = given.get(parameter.name)
    if may_hold_type(parameter.type, (DieType, PoolType), values.names.program):
        message = f"`{parameter.name}` of `{procedure.name}` is dice, which are rolled on the way"
        remedy = f"begin a procedure that rolls them and performs `{procedure.name}`"
        return values.findings.add_error("RW0724", node or given, message, help=remedy)
    if node is not None:
        value = values.read_typed(node, parameter.type, f"`{parameter.name}`")
        return _check_in_play(node, value, parameter, situation, values)
    if default is not None:
        return evaluate_start_value(default, parameter.type)
    message = f"`{procedure.name}` needs `{parameter.name}`"
    things = list_fitting_names(parameter.type, values.names.program, situation)
    which = f": {list_alternatives(things)}" if things else ""
    remedy = missing.format(role=parameter.name, type=f"{parameter.type}{which}")
    return values.findings.add_error("RW0724", given, message, help=remedy)


def _check_in_play(
    node: DocumentNode, value: Value | InvalidValue, parameter: Variable, situation: Situation, values: ValueReader
) -> Value | InvalidValue:
    kind = strip_optional(parameter.type)
    if isinstance(kind, ThingType) and isinstance(value, int) and value in situation.gone.get(kind.kind, ()):
        name = values.names.thing_id(kind.kind, value)
        return values.findings.add_error(
            "RW0725", node, f"`{parameter.name}` is {quote_name(name)}, which is out of play"
        )
    return value
