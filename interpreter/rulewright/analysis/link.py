"""Linking: files and their `use` lines become modules, overlays applied (manual, Files)."""

import dataclasses
from collections.abc import Mapping

from rulewright.analysis.overlays import Amended, amend
from rulewright.analysis.overlays.likes import Derived
from rulewright.analysis.overlays.touches import Layers
from rulewright.analysis.report import Report
from rulewright.analysis.symbols import (
    Amendment,
    ClauseEntry,
    Derivation,
    Linked,
    Module,
    amends_line,
    check_root,
    check_single,
    document_names,
    documents_named,
    edition_line,
    ruleset_line,
)
from rulewright.diagnostics import Label
from rulewright.diagnostics.remedies import left_out, meant
from rulewright.frozen import dataclass
from rulewright.source import Span
from rulewright.syntax.nodes.declarations import AmendsHeader, Declaration, File, RulesetHeader, UseHeader
from rulewright.syntax.nodes.expressions import Title


@dataclass(frozen=True, slots=True)
class Source:
    """A parsed file and where its `use` lines lead."""

    name: str  # name of its text (`Span.source`)
    file: File  # what was read
    # by the path as written after `use` and `amends`, the name of the source it leads to; paths that could not be read
    # are absent
    uses: Mapping[str, str]


@dataclasses.dataclass(slots=True, eq=False, repr=False)
class _Unit:
    """A module in the making: its files in reading order, its aliases and its overlays."""

    root: str
    files: list[str] = dataclasses.field(default_factory=list)
    aliases: dict[str, "_Unit"] = dataclasses.field(default_factory=dict)
    overlays: list[str] = dataclasses.field(default_factory=list)
    broken: set[str] = dataclasses.field(default_factory=set)
    prefix: str = ""


def link(
    main: str,
    sources: Mapping[str, Source],
    overlays: tuple[str, ...],
    clauses: Mapping[str, tuple[ClauseEntry, ...]],
    report: Report,
) -> Linked:
    """The modules of a program, from its main file and the overlays asked for.

    Files are read in `use` order, used files before those that use them; then overlays, in the order given. Name
    spaces are still empty: see `collect`. Reports RW0201 to RW0206, for `like` RW0550 to RW0558 and,
    for overlays, RW0610 to RW0616.
    """
    linker = _Linker(sources, report)
    unit = linker.module(main)
    for name in overlays:
        linker.overlay(name)
    units = linker.finished()
    return _assembled(unit, units, linker, clauses)


class _Linker:
    """Follows `use` lines, each file once."""

    def __init__(self, sources: Mapping[str, Source], report: Report) -> None:
        self.sources = sources
        self.report = report
        self.units: dict[str, _Unit] = {}
        self.waiting: list[str] = []
        self._open: list[str] = []
        self._placed: set[str] = set()

    def module(self, root: str) -> _Unit:
        """The module whose main file this is; it comes after those it uses."""
        if root not in self.units:
            unit = _Unit(root)
            check_root(self.sources[root].file, self.report)
            self._add(root, unit)
            self.units[root] = unit
        return self.units[root]

    def _add(self, name: str, unit: _Unit) -> None:
        check_single(self.sources[name].file, self.report)
        self._follow_all(name, unit)
        unit.files.append(name)

    def _follow_all(self, name: str, unit: _Unit) -> None:
        self._open.append(name)
        for header in self.sources[name].file.headers:
            if isinstance(header, UseHeader):
                self._follow(header, self.sources[name], unit)
        self._open.pop()

    def _follow(self, header: UseHeader, source: Source, unit: _Unit) -> None:
        target = source.uses.get(header.path.text)
        if target is None:
            unit.broken.update({header.prefix.text} if header.prefix else ())
        elif target in self._open:
            self._cycle(header, target)
        elif amends_line(self.sources[target].file) is not None:
            self._later(header, target)
        elif header.prefix:
            self._alias(header, target, unit)
        elif target not in unit.files:
            self._add(target, unit)

    def _later(self, header: UseHeader, target: str) -> None:
        if header.prefix:
            message = "a file that begins with `amends` has no names of its own"
            remedy = "leave out the prefix: its changes are applied to the ruleset it amends"
            edits = left_out(Span(header.path.span.source, header.path.span.end, header.prefix.span.end))
            self.report.error("RW0205", header.prefix.span, message, help=remedy, edits=edits)
        elif target not in self.waiting:
            self.waiting.append(target)

    def _alias(self, header: UseHeader, target: str, unit: _Unit) -> None:
        assert header.prefix is not None
        known = unit.aliases.get(header.prefix.text)
        if known is not None and known.root != target:
            message = f"`{header.prefix.text}` is the prefix of another ruleset already"
            self.report.error("RW0206", header.prefix.span, message, help="choose another prefix")
            return
        unit.aliases[header.prefix.text] = self.module(target)

    def _cycle(self, header: UseHeader, target: str) -> None:
        chain = [*self._open[self._open.index(target) :], target]
        names = " uses ".join(f"`{name}`" for name in chain)
        message, remedy = "files use each other in a circle", "move what both need into a file of its own"
        self.report.error("RW0204", header.path.span, message, notes=(f"{names}.",), help=remedy)

    def overlay(self, name: str) -> None:
        """An overlay that was asked for on top."""
        file = self.sources[name].file
        if amends_line(file) is None:
            first = file.headers[0].span if file.headers else Span(name, 0, 0)
            message = "this file is not an overlay: it does not begin with `amends`"
            self.report.error("RW0205", first, message, help='an overlay begins with `amends NAME revision "1"`')
        elif name not in self.waiting:
            self.waiting.append(name)

    def finished(self) -> tuple[_Unit, ...]:
        """All modules, each after those it uses, with their overlays."""
        for name in self.waiting:
            self._place(name)
        return tuple(self.units.values())

    def _place(self, name: str) -> None:
        """Puts an overlay to the ruleset it amends, after the overlays it uses itself."""
        source = self.sources[name]
        header = amends_line(source.file)
        if name in self._placed or header is None:
            return
        self._placed.add(name)
        check_single(source.file, self.report)
        unit = self._amended(header, source)
        if unit is None:
            return
        self._follow_all(name, unit)
        for target in source.uses.values():
            self._place(target)
        unit.overlays.append(name)

    def _amended(self, header: AmendsHeader, source: Source) -> _Unit | None:
        wanted = header.name.text
        named = {root: ruleset.name.text for root, ruleset in self._rulesets().items()}
        if isinstance(header.name, Title):
            return self._led(header.name, source.uses.get(wanted), named)
        found = [self.units[root] for root, name in named.items() if name == wanted]
        if len(found) == 1:
            return found[0]
        if found:
            places = tuple(Label(self._rulesets()[unit.root].name.span, "one of them") for unit in found)
            message = f"two of the files used are the ruleset `{wanted}`"
            self.report.error("RW0203", header.name.span, message, secondary=places)
            return None
        others = f"it can amend {', '.join(f'`{n}`' for n in named.values())}" if named else ""
        remedy = meant(wanted, named.values(), header.name.span, others)
        self.report.error("RW0203", header.name.span, f"no ruleset `{wanted}` is used here", remedy=remedy)
        return None

    def _led(self, path: Title, target: str | None, named: Mapping[str, str]) -> _Unit | None:
        """The module of the file that an overlay names; one that cannot be read was reported."""
        if target is not None and target not in named:
            others = f"it can amend {', '.join(f'`{n}`' for n in named.values())}" if named else ""
            self.report.error("RW0203", path.span, f"no ruleset `{path.text}` is used here", help=others)
        return self.units[target] if target is not None and target in named else None

    def _rulesets(self) -> Mapping[str, RulesetHeader]:
        found = ((root, ruleset_line(self.sources[root].file)) for root in self.units)
        return {root: header for root, header in found if header is not None}


def _assembled(
    main: _Unit, units: tuple[_Unit, ...], linker: _Linker, clauses: Mapping[str, tuple[ClauseEntry, ...]]
) -> Linked:
    """The finished modules: prefixes given, overlays applied, every declaration owned once."""
    order = _by_nearness(main)
    texts: dict[str, tuple[Declaration, ...]] = {
        name: source.file.declarations for name, source in linker.sources.items()
    }
    documents = _documents(units, linker.sources)
    uses = {name: frozenset(source.uses.values()) for name, source in linker.sources.items()}
    owners: dict[str, str] = {}
    for unit in order:
        for name in (*unit.files, *unit.overlays):
            owners.setdefault(name, unit.root)
    layers = {}
    for unit in units:
        aliases = {prefix: other.root for prefix, other in unit.aliases.items()}
        layers[unit.root] = Layers(unit.root, tuple(unit.files), tuple(unit.overlays), aliases)
    changes = amend(Amended(texts, layers, owners, uses, documents, linker.report))
    modules = {unit.root: _module(unit, texts, owners, linker.sources) for unit in units}
    for unit in units:
        modules[unit.root].uses.update({prefix: modules[other.root] for prefix, other in unit.aliases.items()})
    inner = [modules[unit.root] for unit in units if unit is not main]
    reading = [linker.sources[name].file for unit in units for name in (*unit.files, *unit.overlays)]
    return Linked(
        main=modules[main.root],
        modules=(*inner, modules[main.root]),
        binds={},
        documents=documents,
        texts=documents_named(reading),
        clauses=clauses,
        derivations=dict(_derivation(each, modules, owners) for each in changes.derived),
        amendments=tuple(
            Amendment(modules[owners[each.source]].prefix + each.address, each.overlay, each.span)
            for each in changes.touches
        ),
        met=changes.met,
        overlays=tuple(header for file in reading if (header := amends_line(file)) is not None),
    )


def _derivation(derived: Derived, modules: Mapping[str, Module], owners: Mapping[str, str]) -> tuple[str, Derivation]:
    """A derivation under the qualified name of what is derived."""
    own, base = modules[owners[derived.source]], modules[owners[derived.base[0]]]
    qualified = base.prefix + derived.base[1]
    return own.prefix + derived.node.name.text, Derivation(derived.node, own, base, qualified, derived.roles)


def _by_nearness(main: _Unit) -> list[_Unit]:
    """The modules nearest to the main one first; gives each its prefix on the way."""
    order = [main]
    seen = {main.root}
    for unit in order:
        for alias, used in unit.aliases.items():
            if used.root not in seen:
                seen.add(used.root)
                used.prefix = f"{unit.prefix}{alias}."
                order.append(used)
    return order


def _module(
    unit: _Unit,
    texts: Mapping[str, tuple[Declaration, ...]],
    owners: Mapping[str, str],
    sources: Mapping[str, Source],
) -> Module:
    names = (*unit.files, *unit.overlays)
    own = tuple(each for name in names if owners[name] == unit.root for each in texts[name])
    files = tuple(sources[name].file for name in names)
    header = ruleset_line(sources[unit.root].file)
    lines = {name: edition_line(sources[name].file, header) for name in names}
    return Module(
        prefix=unit.prefix,
        declarations=own,
        files=files,
        header=header,
        sources=names,
        broken=frozenset(unit.broken),
        editions={name: line.edition.value if line and line.edition else 1 for name, line in lines.items()},
    )


def _documents(units: tuple[_Unit, ...], sources: Mapping[str, Source]) -> dict[str, str]:
    """What bare cites of each file mean: its only document, or that of the module's main file."""
    found: dict[str, str] = {}
    for unit in units:
        main = document_names(sources[unit.root].file)
        for name in (*unit.files, *unit.overlays):
            own = document_names(sources[name].file) or main
            found.setdefault(name, own[0] if len(own) == 1 else "")
    return found
