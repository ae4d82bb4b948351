"""What plays as well either way and reads worse: questions, names, steps (manual, What is checked)."""

import re
from collections.abc import Iterable, Iterator

from rulewright.analysis.lint import own_sources
from rulewright.analysis.reads import nodes_of
from rulewright.analysis.report import Label, Report
from rulewright.analysis.symbols import Linked
from rulewright.diagnostics import Diagnostic
from rulewright.program.declarations import Procedure, Program
from rulewright.program.statements import Proceed
from rulewright.program.walk import every, leaves
from rulewright.syntax.nodes import declarations as d
from rulewright.syntax.nodes.expressions import Name
from rulewright.syntax.nodes.statements import Ask, Option

SURPRISING = "RW0593"
"""A step that is jumped over and fallen into: most rulebooks have some, so only a project that asks is told."""
_DOUBLED = re.compile(r"([a-z])\1+")
_LONG = 5


def house_style(linked: Linked, program: Program) -> tuple[Diagnostic, ...]:
    """Hints at questions without a question mark (RW0590) or a text (RW0591) and at names too alike (RW0592).

    Also at steps that are jumped over and fallen into (RW0593). What is looked at are the ruleset's own files, or its
    overlays where there are some.
    """
    report, sources = Report(), own_sources(linked)
    for node in linked.main.declarations:
        if node.span.source in sources:
            report.address = node.name.text if hasattr(node, "name") and isinstance(node.name, Name) else ""
            _check_questions(node, report)
            _check_names(_inner_names(node), report)
    report.address = ""
    spaces = ((d.Kind, d.Record, d.Values), (d.Term, d.Tally, d.Decide, d.Table, d.Paths, d.Setting, d.Procedure))
    for space in spaces:
        among = (each.name for each in linked.main.declarations if isinstance(each, space))
        _check_names((each for each in among if each.span.source in sources), report)
    for procedure in program.procedures.values():
        if procedure.span.source in sources:
            report.address = procedure.name
            _check_steps(procedure, report)
    return tuple(report.found)


def _check_questions(node: d.Declaration, report: Report) -> None:
    for line in nodes_of(node):
        if not isinstance(line, Ask):
            continue
        if line.title is None:
            message, remedy = "this question has no text", 'write it behind the line: `"Push the losing unit?"`'
            report.hint("RW0591", line.asked.span, message, help=remedy)
        elif "?" not in line.title.text:
            remedy = "ask for what you want to know: people read it as a question"
            report.hint("RW0590", line.title.span, "this question has no question mark", help=remedy)


def _inner_names(node: d.Declaration) -> Iterator[Name]:
    """The names that are told apart inside a declaration: attributes, or parameters; words and options."""
    match node:
        case d.Kind(fields=fields) | d.Record(fields=fields) | d.Game(fields=fields):
            yield from (each.name for each in fields)
        case d.Values(words=words):
            yield from (each.name for each in words)
        case d.Procedure(parameters=parameters):
            yield from (each.name for each in parameters)
            yield from (each.name for each in nodes_of(node) if isinstance(each, Option))


def _check_names(names: Iterable[Name], report: Report) -> None:
    """Names that a hasty reader takes for each other: `to_hit` and `tohit`, `barel` and `barrel`."""
    seen: dict[str, Name] = {}
    for name in names:
        plain = name.text.replace("_", "").lower()
        first = seen.setdefault(_DOUBLED.sub(r"\1", plain) if len(plain) >= _LONG else plain, name)
        if first.text != name.text:
            message = f"`{name.text}` and `{first.text}` are easily taken for each other"
            other, remedy = (Label(first.span, "the other one"),), "rename one of them"
            report.hint("RW0592", name.span, message, secondary=other, help=remedy)


def _check_steps(procedure: Procedure, report: Report) -> None:
    places = {step.id: place for place, step in enumerate(procedure.steps)}
    for place, step in enumerate(procedure.steps):
        before = (line for each in procedure.steps[:place] for line in every(each.block))
        jumps = (each for each in before if isinstance(each, Proceed) and places[each.step] > place)
        jump = next(jumps, None)
        if jump is not None and not leaves(procedure.steps[place - 1].block):
            message = f"step {step.id} is jumped over, and step {procedure.steps[place - 1].id} runs on into it"
            remedy = f"end the step before it with a jump, or give step {step.id} a `when`"
            there = (Label(jump.span, "this line jumps over it"),)
            report.hint(SURPRISING, step.span, message, secondary=there, help=remedy)
