"""Accounts and rulings of all files, for the program."""

from collections.abc import Iterator

from rulewright.analysis.addresses import lines, name_of, parts
from rulewright.analysis.cites import qualify
from rulewright.analysis.symbols import Linked
from rulewright.program.declarations import Account, Finding
from rulewright.source import Span
from rulewright.syntax.nodes import declarations as d
from rulewright.syntax.nodes import statements as s
from rulewright.syntax.nodes.names import Title


def accounts(linked: Linked) -> tuple[Account, ...]:
    """Every `outside`, `void` and `departs`, in reading order."""
    return tuple(
        Account(node.word, qualify(node.cites, linked), _text(node.title), node.span)
        for module in linked.modules
        for node in module.declarations
        if isinstance(node, d.Account)
    )


def rulings(linked: Linked) -> tuple[Finding, ...]:
    """Every ruling, of files and of lines, in reading order."""
    return tuple(finding for finding, _ in found_rulings(linked))


def found_rulings(linked: Linked) -> Iterator[tuple[Finding, Span]]:
    """Every ruling with the place of its number."""
    for module in linked.modules:
        for node in module.declarations:
            if isinstance(node, d.Ruling):
                number = node.finding.text
                yield Finding(number, _text(node.title), f"ruling.{number}", node.span), node.finding.span
            elif isinstance(node, d.Procedure | d.Handler | d.Whenever):
                yield from _of_lines(node, module.prefix)


def _of_lines(node: d.Procedure | d.Handler | d.Whenever, prefix: str) -> Iterator[tuple[Finding, Span]]:
    steps = [(address, part) for address, part in parts(node) if isinstance(part, d.Step)]
    for line in lines(node):
        if isinstance(line, s.RulingLine):
            name = name_of(node)
            within = next((a for a, step in steps if _holds(step.span, line.span)), name.text if name else "")
            number = line.finding.text
            address = f"{prefix}{within}/ruling.{number}"
            yield Finding(number, _text(line.title), address, line.span), line.finding.span


def _holds(outer: Span, inner: Span) -> bool:
    return outer.source == inner.source and outer.start <= inner.start and inner.end <= outer.end


def _text(title: Title | None) -> str:
    return title.text if title else ""
