"""What is declared and never used (manual, What is checked); names of routines are seen to in `flow.unread`."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from posixpath import dirname

from rulewright.analysis.mentions import nodes_of
from rulewright.analysis.report import Report
from rulewright.analysis.symbols import Linked, Module
from rulewright.diagnostics import Edit
from rulewright.diagnostics.suggest import left_out
from rulewright.source import Span
from rulewright.syntax.nodes import declarations as d
from rulewright.syntax.nodes.expressions import Attribute, Dotted, Reference

_KNOWN_TO_THE_BOARD = frozenset({"at", "facing", "base", "owner"})
_COMPUTED = (d.Term, d.Tally, d.Decide, d.Paths, d.Measure)
_CALLED = {d.Term: "term", d.Tally: "tally", d.Decide: "decide", d.Table: "table", d.Paths: "paths"}
_BEGUN = (d.Procedure, d.Handler, d.Whenever)
UNUSED = "RW0560"
FIXED = "RW0568"
_Named = d.Term | d.Tally | d.Decide | d.Table | d.Paths | d.Setting | d.Values | d.Procedure


@dataclass(slots=True, eq=False, repr=False)
class _Mentions:
    """The names that a declaration mentions: bare ones, attributes, prefixes, and the last names of dotted ones."""

    names: set[str] = field(default_factory=set)
    attributes: set[str] = field(default_factory=set)
    prefixes: set[str] = field(default_factory=set)
    dotted: set[str] = field(default_factory=set)

    def every(self) -> set[str]:
        """All names."""
        return self.names | self.attributes | self.dotted


def check_unused(linked: Linked, changed: frozenset[str], report: Report) -> None:
    """Warns of parameters (RW0230), attributes (RW0231), prefixes (RW0232) and whole declarations (RW0560) without use.

    Also of parts of results (RW0567) that nothing reads, and of fields of the game that are read and, not being among
    the names that are `changed`, never set (RW0568).
    What a file declares that this one uses, it declares for others; procedures and events are begun and heard by
    others too. What lines only write is for people to read.
    """
    bound = {
        node.to.parts[-1].text for module in linked.modules for node in module.declarations if isinstance(node, d.Bind)
    }
    everything = _Mentions()
    each_alone: list[tuple[d.Declaration, _Mentions]] = []
    for module in linked.modules:
        prefixes: set[str] = set()
        for node in module.declarations:
            found = _mentioned(node)
            each_alone.append((node, found))
            _check_parameters(node, found, bound, module, report)
            prefixes |= found.prefixes
            everything.names |= found.names
            everything.attributes |= found.attributes
        derived = (each for each in linked.derivations.values() if each.own is module)
        prefixes |= {each.node.base.parts[0].text for each in derived}
        _check_prefixes(module, prefixes, report)
    for module in linked.modules:
        _check_attributes(module, everything.names | everything.attributes, report)
    each_alone.extend((each.node, _mentioned(each.node)) for each in linked.derivations.values())
    _check_declarations(linked, each_alone, report)
    for node in _own(linked):
        match node:
            case d.ExternalProcedure():
                _check_results(node, everything.every(), report)
            case d.Game():
                _check_fixed(node, everything.names, changed, report)


def _mentioned(declaration: d.Declaration) -> _Mentions:
    found = _Mentions()
    for node in nodes_of(declaration):
        match node:
            case Reference(name=name):
                found.names.add(name)
                found.prefixes.add(name)
            case Attribute(name=name):
                found.attributes.add(name.text)
            case Dotted(parts=(*prefixes, last)):
                found.prefixes.update(each.text for each in prefixes[:1])
                found.dotted.add(last.text)
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


def _check_declarations(linked: Linked, mentions: Sequence[tuple[d.Declaration, _Mentions]], report: Report) -> None:
    """Declarations of the ruleset that is checked, or of its overlays, that no other declaration mentions."""
    amended = {part for each in linked.amendments for part in each.address.split("/")[:1]}
    for node in _own(linked):
        if not isinstance(node, _Named) or (isinstance(node, d.Procedure) and not node.inner):
            continue
        others = amended.union(*(found.every() for other, found in mentions if other is not node))
        if node.name.text in others or (isinstance(node, d.Values) and _spoken(node, linked, others)):
            continue
        report.address = node.name.text
        verb = "perform" if isinstance(node, d.Procedure) else "use"
        remedy = f"take it out, or {verb} it"
        report.warning(UNUSED, node.name.span, _useless(node), help=remedy, edits=left_out(node.span))


def _check_results(node: d.ExternalProcedure, mentioned: set[str], report: Report) -> None:
    """Parts of what an external gives that nothing reads."""
    for each in node.results:
        if each.name.text not in mentioned:
            report.address = node.name.text
            message = f"nothing reads `{each.name.text}` of what `{node.name.text}` gives"
            edits = _without(each, node.results) if len(node.results) > 1 else ()
            report.warning("RW0567", each.name.span, message, help="take it out, or read it", edits=edits)


def _check_fixed(node: d.Game, mentioned: set[str], changed: frozenset[str], report: Report) -> None:
    """Fields with a start that lines read and none changes.

    One without a start is for the state to say, and one that cites a clause is given by the document.
    """
    for each in node.fields:
        name = each.name.text
        given = not isinstance(each, d.StoredField) or each.start is None or bool(each.cites)
        if not given and name in mentioned - changed:
            report.address = name
            remedy = "set it somewhere, make it a `setting`, or leave out its start, so that every state gives it"
            report.warning(FIXED, each.name.span, f"`{name}` is read, and nothing ever sets it", help=remedy)


def _own(linked: Linked) -> Iterator[d.Declaration]:
    """What is looked at: nothing of a text in which nothing begins, for that is written for others to use."""
    sources = {each.span.source for each in linked.overlays} or set(_parts(linked.main))
    declarations = linked.main.declarations
    if any(isinstance(each, _BEGUN) for each in declarations):
        yield from (each for each in declarations if each.span.source in sources)


def _parts(main: Module) -> Iterator[str]:
    """The main file, and those in its folder that are no rulesets of their own."""
    if main.header is None:
        return
    whole = main.header.span.source
    yield whole
    for file in main.files:
        beside = dirname(file.span.source) == dirname(whole)
        if beside and not any(isinstance(each, d.RulesetHeader) for each in file.headers):
            yield file.span.source


def _spoken(node: d.Values, linked: Linked, mentioned: set[str]) -> bool:
    """Whether a word of a list is mentioned that belongs to no list whose name is mentioned."""
    lists = [each for module in linked.modules for each in module.declarations if isinstance(each, d.Values)]
    typed = {word.name.text for each in lists if each.name.text in mentioned for word in each.words}
    return any(word.name.text in mentioned - typed for word in node.words)


def _useless(node: _Named) -> str:
    name = node.name.text
    match node:
        case d.Values():
            return f"nothing uses the words of `{name}`"
        case d.Setting():
            return f"nothing reads the setting `{name}`"
        case d.Procedure():
            return f"nothing performs the inner procedure `{name}`"
        case _:
            return f"nothing uses the {_CALLED[type(node)]} `{name}`"
