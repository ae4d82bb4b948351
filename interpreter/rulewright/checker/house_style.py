"""House style: hints at questions, names and steps that play as well either way and read worse."""

import re
from collections.abc import Iterable, Iterator

from rulewright.base.diagnostics import Diagnostic, DiagnosticCollector, Label
from rulewright.checker.lint import find_checked_sources
from rulewright.checker.read_sets import list_declaration_nodes
from rulewright.checker.symbols import LinkedProgram
from rulewright.program.declarations import Procedure, Program
from rulewright.program.statements import Proceed
from rulewright.program.walk import has_unreachable_end, walk_block_lines
from rulewright.syntax.nodes import declarations as d
from rulewright.syntax.nodes.expressions import Name
from rulewright.syntax.nodes.statements import Ask, Option

FALL_THROUGH_STEP_CODE = "RW0593"
"""A step that is jumped over and fallen into: common in rulebooks, so reported only where a project asks for it."""
_DOUBLED_LETTER_PATTERN = re.compile(r"([a-z])\1+")
_MIN_LENGTH_FOR_FUZZY_NAMES = 5  # letters


def check_house_style(linked: LinkedProgram, program: Program) -> tuple[Diagnostic, ...]:
    """Hints of style in the files of a ruleset, or in its overlays where there are some.

    Questions without a question mark (RW0590) or a text (RW0591), names too alike (RW0592), steps that are jumped over
    and fallen into (RW0593).
    """
    report, sources = DiagnosticCollector(), find_checked_sources(linked)
    for node in linked.main.declarations:
        if node.span.source in sources:
            report.address = node.name.text if hasattr(node, "name") and isinstance(node.name, Name) else ""
            _check_question_texts(node, report)
            _check_similar_names(_iterate_inner_names(node), report)
    report.address = ""
    spaces = ((d.Kind, d.Record, d.Values), (d.Term, d.Tally, d.Decide, d.Table, d.Paths, d.Setting, d.Procedure))
    for space in spaces:
        among = (declaration.name for declaration in linked.main.declarations if isinstance(declaration, space))
        _check_similar_names((name for name in among if name.span.source in sources), report)
    for procedure in program.procedures.values():
        if procedure.span.source in sources:
            report.address = procedure.name
            _check_fall_through_steps(procedure, report)
    return tuple(report.diagnostics)


def _check_question_texts(node: d.Declaration, report: DiagnosticCollector) -> None:
    for line in list_declaration_nodes(node):
        if not isinstance(line, Ask):
            continue
        if line.title is None:
            message, remedy = "this question has no text", 'write it behind the line: `"Push the losing unit?"`'
            report.hint("RW0591", line.asked.span, message, help=remedy)
        elif "?" not in line.title.text:
            remedy = "ask for what you want to know: people read it as a question"
            report.hint("RW0590", line.title.span, "this question has no question mark", help=remedy)


def _iterate_inner_names(node: d.Declaration) -> Iterator[Name]:
    match node:
        case d.Kind(fields=fields) | d.Record(fields=fields) | d.Game(fields=fields):
            yield from (field.name for field in fields)
        case d.Values(words=words):
            yield from (word.name for word in words)
        case d.Procedure(parameters=parameters):
            yield from (parameter.name for parameter in parameters)
            yield from (
                declaration_node.name
                for declaration_node in list_declaration_nodes(node)
                if isinstance(declaration_node, Option)
            )


def _check_similar_names(names: Iterable[Name], report: DiagnosticCollector) -> None:
    """Hints at names that a hasty reader confuses: `to_hit` and `tohit`, `barel` and `barrel`."""
    first_by_form: dict[str, Name] = {}
    for name in names:
        plain = name.text.replace("_", "").lower()
        first = first_by_form.setdefault(
            _DOUBLED_LETTER_PATTERN.sub(r"\1", plain) if len(plain) >= _MIN_LENGTH_FOR_FUZZY_NAMES else plain, name
        )
        if first.text != name.text:
            message = f"`{name.text}` and `{first.text}` are easily taken for each other"
            other, remedy = (Label(first.span, "the other one"),), "rename one of them"
            report.hint("RW0592", name.span, message, secondary=other, help=remedy)


def _check_fall_through_steps(procedure: Procedure, report: DiagnosticCollector) -> None:
    places = {step.id: place for place, step in enumerate(procedure.steps)}
    for place, step in enumerate(procedure.steps):
        before = (line for item in procedure.steps[:place] for line in walk_block_lines(item.block))
        jumps = (proceed for proceed in before if isinstance(proceed, Proceed) and places[proceed.step] > place)
        jump = next(jumps, None)
        if jump is not None and not has_unreachable_end(procedure.steps[place - 1].block):
            message = f"step {step.id} is jumped over, and step {procedure.steps[place - 1].id} runs on into it"
            remedy = f"end the step before it with a jump, or give step {step.id} a `when`"
            there = (Label(jump.span, "this line jumps over it"),)
            report.hint(FALL_THROUGH_STEP_CODE, step.span, message, secondary=there, help=remedy)
