"""The verb `schema`."""

import os

import click
from click.core import ParameterSource

from rulewright.cli.loading import load_program
from rulewright.cli.options import OneOf, allow_option, overlay_option, verb
from rulewright.cli.output import Exit, output
from rulewright.codecs.schemas import Schema
from rulewright.files.project import PROJECT
from rulewright.inputs.document_schemas import script_schema, state_schema
from rulewright.inputs.project_file import project_schema
from rulewright.inputs.question_schemas import questions_schema
from rulewright.inputs.save import save_schema
from rulewright.inputs.shapes import published
from rulewright.program.declarations import Program


@verb("schema")
@click.argument("ruleset")
@click.argument("what", type=OneOf(("state", "script", "save", "questions", "scenario")), default="state")
@overlay_option
@allow_option
def command(ruleset: str, what: str, overlays: tuple[str, ...]) -> int:
    """Prints what states, scripts, saves, questions or scenarios may hold, as a JSON Schema (2020-12).

    `rulewright.toml` in place of RULESET prints what a project file may hold.

    Example: `rulewright schema pig state`.
    """
    if os.path.basename(ruleset) == PROJECT:  # noqa: PTH119
        context = click.get_current_context()
        if context.get_parameter_source("what") is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"`{PROJECT}` has one schema; leave out what behind it")
        output("json").data(published(project_schema()))
        return Exit.FINE
    program, _ = load_program(ruleset, overlays)
    output("json").data(published(_schema(what, program)))
    return Exit.FINE


def _schema(what: str, program: Program) -> Schema:
    match what:
        case "script":
            return script_schema(program)
        case "save":
            return save_schema()
        case "questions":
            return questions_schema(program)
        case "scenario":
            from rulewright.scenarios.schema import scenario_schema  # noqa: PLC0415 - the others need no scenarios

            return scenario_schema(program)
        case _:
            return state_schema(program)
