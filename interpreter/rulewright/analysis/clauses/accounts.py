"""Accounts and rulings of all files, for the program."""

from collections.abc import Iterator

from rulewright.analysis.addresses import lines, name_of, parts
from rulewright.analysis.clauses.cites import clause_id, qualify
from rulewright.analysis.headers import amends
from rulewright.analysis.mentions import nodes_of
from rulewright.analysis.symbols import Linked
from rulewright.program.declarations import Account, Finding
from rulewright.source import Span
from rulewright.syntax.nodes import declarations as d
from rulewright.syntax.nodes import statements as s
from rulewright.syntax.nodes.expressions import Cite, Title


def accounts(linked: Linked) -> tuple[Account, ...]:
    """Every `outside`, `void` and `departs`, in reading order; not for clauses that an overlay carries out."""
    later = overlays(linked)
    cited = margins(linked) if later else ()
    amended = {clause_id(cite, linked.documents) for cite in cited if cite.span.source in later}
    found = []
    for module in linked.modules:
        for node in module.declarations:
            if isinstance(node, d.Account):
                clauses = qualify(node.cites, linked)
                if node.word == "outside" and node.span.source not in later:
                    clauses = tuple(each for each in clauses if each not in amended)
                if clauses:
                    found.append(Account(node.word, clauses, _text(node.title), node.span))
    return tuple(found)


def overlays(linked: Linked) -> frozenset[str]:
    """The source files that begin with `amends`."""
    return frozenset(
        source
        for module in linked.modules
        for source, file in zip(module.sources, module.files, strict=True)
        if amends(file) is not None
    )


def margins(linked: Linked) -> Iterator[Cite]:
    """Every cite of a line, row or declaration; those of accounts are not among them."""
    for module in linked.modules:
        for node in (*(h for file in module.files for h in file.headers), *module.declarations):
            if not isinstance(node, d.Account):
                cites = [each for each in nodes_of(node) if isinstance(each, Cite)]
                yield from sorted(cites, key=lambda cite: cite.span)


def rulings(linked: Linked) -> tuple[Finding, ...]:
    """Every ruling, of files and of lines, in reading order."""
    return tuple(finding for finding, _ in found_rulings(linked))


def found_rulings(linked: Linked) -> Iterator[tuple[Finding, Span]]:
    """Every ruling with the place of its number; lines that a `like` takes over count where they were written."""
    told: set[Span] = set()
    for finding, place in sorted(_all_rulings(linked), key=lambda each: _derived(each[0], linked)):
        if finding.span not in told:
            told.add(finding.span)
            yield finding, place


def _derived(finding: Finding, linked: Linked) -> bool:
    return finding.address.partition("/")[0] in linked.derivations


def _all_rulings(linked: Linked) -> Iterator[tuple[Finding, Span]]:
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
