"""The verb `show`: what each stage between text and machine made of a ruleset, for people who build rulewright."""

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import click

from rulewright.cli.loading import load_program
from rulewright.cli.options import OneOf, allow_option, overlay_option, verb
from rulewright.cli.output import Exit, output
from rulewright.machine.compile import compile_program
from rulewright.machine.lower import lower
from rulewright.machine.suspension import framing
from rulewright.program.declarations import Program
from rulewright.program.walk import routines
from rulewright.source import Span, Text
from rulewright.syntax.parser import parse

STAGES = ("nodes", "program", "graph", "source")


def printed(stage: str, program: Program, texts: Mapping[str, Text]) -> Iterator[str]:
    """The lines of one of `STAGES`: syntax nodes of every text, the program, its flow graphs, the generated source."""
    match stage:
        case "nodes":
            yield from outline({name: parse(text).file for name, text in texts.items() if name.endswith(".rules")})
        case "program":
            yield from outline(program)
        case "graph":
            yield from outline(_flows(program))
        case _:
            yield from compile_program(program, traced=False).source.splitlines()


def outline(value: Any, label: str = "", depth: int = 0) -> Iterator[str]:  # any stage
    """A value of any stage as an indented outline, one part a line; places and parts that are empty are left out."""
    parts = list(_parts(value))
    if not parts:
        yield f"{'  ' * depth}{label}{type(value).__name__ if is_dataclass(value) else repr(value)}"
        return
    heading = f"{label}{type(value).__name__ if is_dataclass(value) else ''}".rstrip()
    if heading:
        yield f"{'  ' * depth}{heading}"
    for name, part in parts:
        yield from outline(part, f"{name}: ", depth + 1)


def _parts(value: Any) -> Iterator[tuple[str, Any]]:  # any stage
    if is_dataclass(value):
        named = ((each.name, getattr(value, each.name)) for each in fields(value))
        yield from ((name, part) for name, part in named if not (isinstance(part, Span) or part in ("", (), None, {})))
    elif isinstance(value, Mapping):
        yield from ((str(name), part) for name, part in value.items())
    elif isinstance(value, tuple):
        yield from ((str(number), part) for number, part in enumerate(value, 1))


def _flows(program: Program) -> dict[str, object]:
    judged = framing(program)
    return {each.name: lower(each, judged) for each in routines(program) if judged.framed(each)}


@verb("show")
@click.argument("ruleset")
@click.argument("stage", type=OneOf(STAGES))
@overlay_option
@allow_option
def command(ruleset: str, stage: str, overlays: tuple[str, ...]) -> int:
    """Prints what STAGE made of RULESET, for people who build rulewright.

    The form of what is printed is not promised to stay.

    Example: `rulewright show pig program`.
    """
    program, loaded = load_program(ruleset, overlays)
    out = output("plain")
    out.tell(printed(stage, program, loaded.texts))
    return Exit.FINE
