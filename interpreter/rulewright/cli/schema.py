"""The verb `schema`: JSON Schemas of documents for a ruleset."""

import os
from typing import Any

import click
from click.core import ParameterSource

from rulewright.base.bounded_files import PROJECT_FILE_NAME
from rulewright.cli.options import ChoiceOption, allow_option, argument, overlay_option, verb_command
from rulewright.cli.output import ExitCode, make_output
from rulewright.cli.ruleset_loading import load_program
from rulewright.documents.document_schemas import script_schema, state_schema
from rulewright.documents.document_shapes import strip_message_words
from rulewright.documents.project_file import project_schema
from rulewright.documents.question_schemas import questions_schema
from rulewright.documents.saved_sessions import save_schema
from rulewright.program.declarations import Program
from rulewright.runtime.codec_protocols import Schema


@verb_command("schema")
def command(
    *,
    ruleset: str = argument(),
    what: str = argument(type=ChoiceOption(("state", "script", "save", "questions", "scenario")), default="state"),
    overlays: tuple[str, ...] = overlay_option,
    _allow: Any = allow_option,
) -> int:
    """Prints what states, scripts, saves, questions or scenarios may hold, as a JSON Schema (2020-12).

    `rulewright.toml` in place of RULESET prints what a project file may hold.

    Example: `rulewright schema pig state`.
    """
    if os.path.basename(ruleset) == PROJECT_FILE_NAME:  # noqa: PTH119
        context = click.get_current_context()
        if context.get_parameter_source("what") is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"`{PROJECT_FILE_NAME}` has one schema; leave out what behind it")
        make_output("json").print_json(strip_message_words(project_schema()))
        return ExitCode.SUCCESS
    program, _ = load_program(ruleset, overlays)
    make_output("json").print_json(strip_message_words(_make_schema(what, program)))
    return ExitCode.SUCCESS


def _make_schema(what: str, program: Program) -> Schema:
    match what:
        case "script":
            return script_schema(program)
        case "save":
            return save_schema()
        case "questions":
            return questions_schema(program)
        case "scenario":
            from rulewright.scenarios.suite_schema import scenario_schema  # noqa: PLC0415 - the others need no scenarios

            return scenario_schema(program)
        case _:
            return state_schema(program)
