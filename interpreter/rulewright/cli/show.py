"""The verb `show`: syntax tree, program, core, flow graphs or generated source of a ruleset, for developers."""

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from rulewright.base.source import Span, Text
from rulewright.cli.options import ChoiceOption, allow_option, argument, overlay_option, verb_command
from rulewright.cli.output import ExitCode, make_output
from rulewright.cli.ruleset_loading import load_program
from rulewright.program.core.lowering import lower_program
from rulewright.program.core.printing import render_core
from rulewright.program.declarations import Program
from rulewright.runtime.control_flow_builder import FrameAnalysis
from rulewright.runtime.control_flow_printing import render_control_flow
from rulewright.runtime.executable import compile_program
from rulewright.syntax.parser import parse_rules_text

STAGES = ("nodes", "program", "core", "graph", "source")


def render_stage(stage: str, program: Program, texts: Mapping[str, Text]) -> Iterator[str]:
    """Lines of one of `STAGES`: syntax nodes of every text, program, core, flow graphs, generated source."""
    words = {name: declared.titles.names for name, declared in program.values.items()}
    match stage:
        case "nodes":
            yield from render_outline(
                {name: parse_rules_text(text).file for name, text in texts.items() if name.endswith(".rules")}
            )
        case "program":
            yield from render_outline(program)
        case "core":
            yield from render_core(lower_program(program), words)
        case "graph":
            frames = FrameAnalysis(lower_program(program))
            for key in filter(frames.is_framed, frames.program.routines):
                yield from render_control_flow(frames.get_graph(key), words)
        case _:
            yield from compile_program(program, traced=False).code.source.splitlines()


def render_outline(value: Any, label: str = "", depth: int = 0) -> Iterator[str]:  # any stage
    """Indented outline of a node of any stage; spans and empty fields are left out."""
    parts = list(_named_parts(value))
    if not parts:
        yield f"{'  ' * depth}{label}{type(value).__name__ if is_dataclass(value) else repr(value)}"
        return
    heading = f"{label}{type(value).__name__ if is_dataclass(value) else ''}".rstrip()
    if heading:
        yield f"{'  ' * depth}{heading}"
    for name, part in parts:
        yield from render_outline(part, f"{name}: ", depth + 1)


def _named_parts(value: Any) -> Iterator[tuple[str, Any]]:  # any stage
    if is_dataclass(value):
        named = ((field.name, getattr(value, field.name)) for field in fields(value))
        yield from ((name, part) for name, part in named if not (isinstance(part, Span) or part in ("", (), None, {})))
    elif isinstance(value, Mapping):
        yield from ((str(name), part) for name, part in value.items())
    elif isinstance(value, tuple):
        yield from ((str(number), part) for number, part in enumerate(value, 1))


@verb_command("show")
def command(
    *,
    ruleset: str = argument(),
    stage: str = argument(type=ChoiceOption(STAGES)),
    overlays: tuple[str, ...] = overlay_option,
    _allow: Any = allow_option,
) -> int:
    """Prints what STAGE made of RULESET, for people who build rulewright.

    The form of what is printed is not promised to stay.

    Example: `rulewright show pig program`.
    """
    program, loaded = load_program(ruleset, overlays)
    out = make_output("plain")
    out.print_lines(render_stage(stage, program, loaded.texts))
    return ExitCode.SUCCESS
