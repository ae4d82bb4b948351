"""What is written down and never read (manual, What is checked)."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from rulewright.analysis.addresses import bound_name, lines
from rulewright.analysis.report import Report
from rulewright.analysis.survey import nodes_in
from rulewright.analysis.symbols import Linked, Module
from rulewright.syntax.nodes import declarations as d
from rulewright.syntax.nodes import statements as s
from rulewright.syntax.nodes.expressions import Attribute, Expression, Index, Reference
from rulewright.syntax.nodes.names import Dotted, Name

_KNOWN_TO_THE_BOARD = frozenset({"at", "facing", "base", "owner"})
_COMPUTED = (d.Term, d.Tally, d.Decide, d.Relation, d.Measure)


@dataclass(slots=True)
class _Names:
    """The names that some nodes mention: bare ones read, bare ones only written, attributes, and prefixes."""

    read: set[str] = field(default_factory=set)
    written: set[str] = field(default_factory=set)
    attributes: set[str] = field(default_factory=set)
    prefixes: set[str] = field(default_factory=set)


def check_unused(linked: Linked, report: Report) -> None:
    """Warns of names (RW0230), attributes (RW0231) and prefixes (RW0232) that nothing reads.

    Terms, procedures, events and words are declared for others and never unused; attributes that lines only write are
    for people to read.
    """
    bound = {bind.to.parts[-1].text for module in linked.modules for bind in _binds(module)}
    everything: list[_Names] = []
    for module in linked.modules:
        found = []
        for node in module.declarations:
            names = _mentioned(node)
            found.append(names)
            report.address = module.prefix + node.name.text if hasattr(node, "name") else ""
            _check_names(node, names, bound, report)
        _check_prefixes(module, found, report)
        everything.extend(found)
    mentioned = {name for names in everything for name in (*names.read, *names.written, *names.attributes)}
    for module in linked.modules:
        _check_attributes(module, mentioned, report)


def _binds(module: Module) -> Iterator[d.Bind]:
    return (node for node in module.declarations if isinstance(node, d.Bind))


def _mentioned(node: d.Declaration) -> _Names:
    found = _Names()
    places: set[int] = set()
    for each in nodes_in(node):
        match each:
            case Reference(name=name):
                found.read.add(name)
                found.prefixes.add(name)
            case Attribute(name=name):
                found.attributes.add(name.text)
            case Dotted(parts=(prefix, _, *_)):
                found.prefixes.add(prefix.text)
            case s.Reveal(name=name):
                found.read.add(name.text)
            case s.Set(place=place) | s.Change(place=place):
                places.add(id(_root(place)))
    written = {each.name for each in nodes_in(node) if isinstance(each, Reference) and id(each) in places}
    read = (each.name for each in nodes_in(node) if isinstance(each, Reference) and id(each) not in places)
    found.read, found.written = set(read), written
    return found


def _root(place: Expression) -> Expression:
    """The name that a place changes, where it is one or an entry of one."""
    return _root(place.target) if isinstance(place, Index) else place


def _check_names(node: d.Declaration, names: _Names, bound: set[str], report: Report) -> None:
    for name, what in _local_names(node, bound):
        if name.text == "_" or name.text in names.read:
            continue
        remedy = f"write `_` for `{name.text}`" if what == "member" else f"take `{name.text}` out"
        verb = "is set and never read" if name.text in names.written else "is never read"
        report.warning("RW0230", name.span, f"`{name.text}` {verb}", help=remedy)


def _local_names(node: Any, bound: set[str]) -> Iterator[tuple[Name, str]]:  # noqa: ANN401 - any declaration
    """Every name bound inside a declaration: parameters, lines, and members."""
    computed = isinstance(node, _COMPUTED) and not (isinstance(node, d.Relation) and _is_stored(node))
    if computed or (isinstance(node, d.Procedure) and node.name.text not in bound):
        yield from ((parameter.name, "parameter") for parameter in node.parameters)
    if isinstance(node, d.Procedure | d.Handler | d.Whenever):
        seen: set[str] = set()
        for line in lines(node):
            name = bound_name(line)
            if name is not None and name.text not in seen and not _answers_alone(line):
                seen.add(name.text)
                yield name, "name"
        yield from ((name, "member") for line in lines(node) for name in _members(line))


def _is_stored(node: d.Relation) -> bool:
    return node.value is None and node.conditions is None


def _answers_alone(line: Any) -> bool:  # noqa: ANN401 - any line
    """Whether a line does its work although nobody reads the name it binds."""
    match line:
        case s.Ask(shape=s.Whether()):
            return line.block is not None or line.otherwise is not None
        case s.Ask(shape=s.Choose()) | s.Draw():
            return True
        case _:
            return False


def _members(line: Any) -> Iterable[Name]:  # noqa: ANN401 - any line
    return line.binder.names if isinstance(line, s.ForEach) else ()


def _check_prefixes(module: Module, found: list[_Names], report: Report) -> None:
    report.address = ""
    mentioned = {name for names in found for name in names.prefixes}
    for file in module.files:
        for header in file.headers:
            if isinstance(header, d.UseHeader) and header.prefix and header.prefix.text not in mentioned:
                message = f"nothing of `{header.prefix.text}` is used"
                report.warning("RW0232", header.span, message, help="take this line out")


def _check_attributes(module: Module, mentioned: set[str], report: Report) -> None:
    for node in module.declarations:
        if not isinstance(node, d.Kind | d.Board | d.Game):
            continue
        owner = "game" if isinstance(node, d.Game) else node.name.text
        for each in node.fields:
            if each.name.text not in mentioned | _KNOWN_TO_THE_BOARD:
                report.address = f"{module.prefix}{owner}/{each.name.text}"
                message = f"no line mentions `{each.name.text}`"
                report.warning("RW0231", each.name.span, message, help="take it out, or use it")
