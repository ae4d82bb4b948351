"""What is declared and never used (manual, What is checked); names of routines are seen to in `flow.unread`."""

from dataclasses import dataclass, field

from rulewright.analysis.report import Report
from rulewright.analysis.survey import nodes_of
from rulewright.analysis.symbols import Linked, Module
from rulewright.diagnostics import Edit
from rulewright.diagnostics.suggest import left_out
from rulewright.source import Span
from rulewright.syntax.nodes import declarations as d
from rulewright.syntax.nodes.expressions import Attribute, Reference
from rulewright.syntax.nodes.names import Dotted

_KNOWN_TO_THE_BOARD = frozenset({"at", "facing", "base", "owner"})
_COMPUTED = (d.Term, d.Tally, d.Decide, d.Paths, d.Measure)


@dataclass(slots=True, eq=False, repr=False)
class _Mentions:
    """The names that a declaration mentions: bare ones, attributes, and prefixes."""

    names: set[str] = field(default_factory=set)
    attributes: set[str] = field(default_factory=set)
    prefixes: set[str] = field(default_factory=set)


def check_unused(linked: Linked, report: Report) -> None:
    """Warns of parameters (RW0230), attributes (RW0231) and prefixes (RW0232) that nothing mentions.

    Terms, procedures, events and words are declared for others and never unused; what lines only write is for people
    to read.
    """
    bound = {
        node.to.parts[-1].text for module in linked.modules for node in module.declarations if isinstance(node, d.Bind)
    }
    everything = _Mentions()
    for module in linked.modules:
        prefixes: set[str] = set()
        for node in module.declarations:
            found = _mentioned(node)
            _check_parameters(node, found, bound, module, report)
            prefixes |= found.prefixes
            everything.names |= found.names
            everything.attributes |= found.attributes
        derived = (each for each in linked.derivations.values() if each.own is module)
        prefixes |= {each.node.base.parts[0].text for each in derived}
        _check_prefixes(module, prefixes, report)
    for module in linked.modules:
        _check_attributes(module, everything.names | everything.attributes, report)


def _mentioned(declaration: d.Declaration) -> _Mentions:
    found = _Mentions()
    for node in nodes_of(declaration):
        match node:
            case Reference(name=name):
                found.names.add(name)
                found.prefixes.add(name)
            case Attribute(name=name):
                found.attributes.add(name.text)
            case Dotted(parts=(prefix, _, *_)):
                found.prefixes.add(prefix.text)
            case _:
                pass
    return found


def _check_parameters(node: d.Declaration, found: _Mentions, bound: set[str], module: Module, report: Report) -> None:
    """Parameters of what is computed and of procedures; those of externals and what is bound to them are given."""
    if not isinstance(node, (*_COMPUTED, d.Procedure)) or node.name.text in bound:
        return
    report.address = module.prefix + node.name.text
    for parameter in node.parameters:
        if parameter.name.text not in found.names:
            message = f"nothing reads `{parameter.name.text}`"
            remedy = "take the parameter out, or use it"
            report.warning(
                "RW0230", parameter.name.span, message, help=remedy, edits=_without(parameter, node.parameters)
            )


def _without(parameter: d.Parameter, among: tuple[d.Parameter, ...]) -> tuple[Edit, ...]:
    """The edit that takes a parameter out, with the comma on one side of it."""
    place = among.index(parameter)
    source = parameter.span.source
    if place + 1 < len(among):
        return left_out(Span(source, parameter.span.start, among[place + 1].span.start))
    return left_out(Span(source, among[place - 1].span.end if place else parameter.span.start, parameter.span.end))


def _check_prefixes(module: Module, mentioned: set[str], report: Report) -> None:
    report.address = ""
    for file in module.files:
        for header in file.headers:
            if isinstance(header, d.UseHeader) and header.prefix and header.prefix.text not in mentioned:
                message = f"nothing of `{header.prefix.text}` is used"
                report.warning("RW0232", header.head, message, help="take this line out", edits=left_out(header.head))


def _check_attributes(module: Module, mentioned: set[str], report: Report) -> None:
    for node in module.declarations:
        if not isinstance(node, d.Kind | d.Board | d.Game):
            continue
        owner = "game" if isinstance(node, d.Game) else node.name.text
        for each in node.fields:
            if each.name.text not in mentioned | _KNOWN_TO_THE_BOARD:
                report.address = f"{module.prefix}{owner}/{each.name.text}"
                message = f"no line mentions `{each.name.text}`"
                report.warning(
                    "RW0231", each.name.span, message, help="take it out, or use it", edits=left_out(each.span)
                )
