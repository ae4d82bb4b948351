"""Linking: files and their `use` lines become modules, with overlays applied (manual, Files)."""

from collections.abc import Mapping
from dataclasses import replace

from rulewright.base.diagnostics import Basis, DiagnosticCollector, Label
from rulewright.base.diagnostics.remedies import make_deletion_edits, make_name_remedy
from rulewright.base.frozen import dataclass
from rulewright.base.source import Span
from rulewright.checker.addresses import replace_node, walk_addressed_nodes
from rulewright.checker.overlays.amendments import take_amendments
from rulewright.checker.overlays.like_procedures import DerivedProcedure
from rulewright.checker.overlays.overlay_application import AmendmentInput, apply_overlays
from rulewright.checker.overlays.patch_conflicts import ModuleLayers
from rulewright.checker.symbols import (
    Amendment,
    ClauseListEntry,
    Derivation,
    LinkedModule,
    LinkedProgram,
    check_ruleset_header,
    check_single_header,
    collect_documents,
    find_amends_header,
    find_edition_header,
    find_header,
    has_no_header,
    list_document_names,
)
from rulewright.program.walk import strip_address_numbers
from rulewright.syntax.nodes import statements as s
from rulewright.syntax.nodes.declarations import AmendsHeader, Declaration, File, RulesetHeader, UseHeader
from rulewright.syntax.nodes.expressions import Title


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A parsed file with the targets of its `use` lines."""

    name: str  # `Span.source`
    file: File
    # source name by the path written after `use` and `amends`, without paths that could not be read
    uses: Mapping[str, str]


def link_sources(
    main: str,
    sources: Mapping[str, SourceFile],
    overlays: tuple[str, ...],
    clauses: Mapping[str, tuple[ClauseListEntry, ...]],
    report: DiagnosticCollector,
) -> LinkedProgram:
    """Modules of a program, from its main file and the overlays asked for.

    Files are read in `use` order (depth first), used files before those that use them; then overlays, in the order
    given. Name spaces are filled later, by `collect_names`. Reports RW0201 to RW0206, for `like` RW0550 to RW0558 and,
    for overlays, RW0610 to RW0616.
    """
    linker = _Linker(sources, report)
    unit = linker.get_or_add_module(main)
    for name in overlays:
        linker.request_overlay(name)
    units = linker.finish_modules()
    return _assemble_modules(unit, units, linker, clauses)


class _Linker:
    def __init__(self, sources: Mapping[str, SourceFile], report: DiagnosticCollector) -> None:
        self.sources = sources
        self.report = report
        self.modules_by_root: dict[str, ModuleLayers] = {}
        self.pending_overlays: list[str] = []
        self._files_in_progress: list[str] = []
        self._attached_overlays: set[str] = set()

    def get_or_add_module(self, root: str) -> ModuleLayers:
        if root not in self.modules_by_root:
            unit = ModuleLayers(root)
            check_ruleset_header(self.sources[root].file, self.report)
            self._add_file(root, unit)
            self.modules_by_root[root] = unit
        return self.modules_by_root[root]

    def _add_file(self, name: str, unit: ModuleLayers) -> None:
        check_single_header(self.sources[name].file, self.report)
        self._follow_use_lines(name, unit)
        unit.files.append(name)

    def _follow_use_lines(self, name: str, unit: ModuleLayers) -> None:
        self._files_in_progress.append(name)
        for header in self.sources[name].file.headers:
            if isinstance(header, UseHeader):
                self._follow_use_line(header, self.sources[name], unit)
        self._files_in_progress.pop()

    def _follow_use_line(self, header: UseHeader, source: SourceFile, unit: ModuleLayers) -> None:
        target = source.uses.get(header.path.text)
        if target is None:
            unit.broken_prefixes.update({header.prefix.text} if header.prefix else ())
        elif target in self._files_in_progress:
            self._report_use_cycle(header, target)
        elif find_amends_header(self.sources[target].file) is not None:
            self._queue_used_overlay(header, target)
        elif header.prefix:
            self._add_alias(header, target, unit)
        elif target not in unit.files:
            self._add_file(target, unit)

    def _queue_used_overlay(self, header: UseHeader, target: str) -> None:
        if header.prefix:
            message = "a file that begins with `amends` has no names of its own"
            remedy = "leave out the prefix: its changes are applied to the ruleset it amends"
            edits = make_deletion_edits(Span(header.path.span.source, header.path.span.end, header.prefix.span.end))
            self.report.error("RW0205", header.prefix.span, message, help=remedy, edits=edits)
        elif target not in self.pending_overlays:
            self.pending_overlays.append(target)

    def _add_alias(self, header: UseHeader, target: str, unit: ModuleLayers) -> None:
        assert header.prefix is not None
        known = unit.aliases.get(header.prefix.text)
        if known is not None and known != target:
            message = f"`{header.prefix.text}` is the prefix of another ruleset already"
            self.report.error("RW0206", header.prefix.span, message, help="choose another prefix")
            return
        unit.aliases[header.prefix.text] = self.get_or_add_module(target).root

    def _report_use_cycle(self, header: UseHeader, target: str) -> None:
        chain = [*self._files_in_progress[self._files_in_progress.index(target) :], target]
        names = " uses ".join(f"`{name}`" for name in chain)
        message, remedy = "files use each other in a circle", "move what both need into a file of its own"
        self.report.error("RW0204", header.path.span, message, notes=(f"{names}.",), help=remedy)

    def request_overlay(self, name: str) -> None:
        file = self.sources[name].file
        if find_amends_header(file) is None:
            first = file.headers[0].span if file.headers else Span(name, 0, 0)
            message = "this file is not an overlay: it does not begin with `amends`"
            self.report.error(
                "RW0205", first, message, help='an overlay begins with `amends NAME revision "1"`', basis=Basis.NAMES
            )
        elif name not in self.pending_overlays:
            self.pending_overlays.append(name)

    def finish_modules(self) -> tuple[ModuleLayers, ...]:
        for name in self.pending_overlays:
            self._attach_overlay(name)
        return tuple(self.modules_by_root.values())

    def _attach_overlay(self, name: str) -> None:
        """Adds an overlay to the module it amends, after the overlays it uses itself."""
        source = self.sources[name]
        header = find_amends_header(source.file)
        if name in self._attached_overlays or header is None:
            return
        self._attached_overlays.add(name)
        check_single_header(source.file, self.report)
        unit = self._find_amended_module(header, source)
        if unit is None:
            return
        self._follow_use_lines(name, unit)
        for target in source.uses.values():
            self._attach_overlay(target)
        unit.overlays.append(name)

    def _find_amended_module(self, header: AmendsHeader, source: SourceFile) -> ModuleLayers | None:
        wanted = header.name.text
        named = {root: ruleset.name.text for root, ruleset in self._get_ruleset_headers().items()}
        if isinstance(header.name, Title):
            return self._find_module_at_path(header.name, source.uses.get(wanted), named)
        items = [self.modules_by_root[root] for root, name in named.items() if name == wanted]
        if len(items) == 1:
            return items[0]
        if items:
            places = tuple(Label(self._get_ruleset_headers()[unit.root].name.span, "one of them") for unit in items)
            message = f"two of the files used are the ruleset `{wanted}`"
            self.report.error("RW0203", header.name.span, message, secondary=places, basis=Basis.NAMES)
            return None
        others = f"it can amend {', '.join(f'`{n}`' for n in named.values())}" if named else ""
        remedy = make_name_remedy(wanted, named.values(), header.name.span, others)
        self.report.error(
            "RW0203", header.name.span, f"no ruleset `{wanted}` is used here", remedy=remedy, basis=Basis.NAMES
        )
        return None

    def _find_module_at_path(self, path: Title, target: str | None, named: Mapping[str, str]) -> ModuleLayers | None:
        if target is not None and target not in named:
            others = f"it can amend {', '.join(f'`{n}`' for n in named.values())}" if named else ""
            self.report.error(
                "RW0203", path.span, f"no ruleset `{path.text}` is used here", help=others, basis=Basis.NAMES
            )
        return self.modules_by_root[target] if target is not None and target in named else None

    def _get_ruleset_headers(self) -> Mapping[str, RulesetHeader]:
        generator = ((root, find_header(self.sources[root].file, RulesetHeader)) for root in self.modules_by_root)
        return {root: header for root, header in generator if header is not None}


def _assemble_modules(
    main: ModuleLayers,
    units: tuple[ModuleLayers, ...],
    linker: _Linker,
    clauses: Mapping[str, tuple[ClauseListEntry, ...]],
) -> LinkedProgram:
    order = _order_by_nearness(main, linker.modules_by_root)
    texts: dict[str, tuple[Declaration, ...]] = {
        name: source.file.declarations for name, source in linker.sources.items()
    }
    documents = _map_cite_documents(units, linker.sources)
    uses = {name: frozenset(source.uses.values()) for name, source in linker.sources.items()}
    owners: dict[str, str] = {}
    for unit in order:
        for name in unit.all_sources:
            owners.setdefault(name, unit.root)
    for unit in units:
        if has_no_header(linker.sources[unit.root].file):
            take_amendments(texts, unit.root)  # RW0201 says what is wrong with them
    changes = apply_overlays(AmendmentInput(texts, linker.modules_by_root, owners, uses, documents, linker.report))
    modules = {unit.root: _build_module(unit, texts, owners, linker.sources) for unit in units}
    for unit in units:
        modules[unit.root].uses.update({prefix: modules[root] for prefix, root in unit.aliases.items()})
    inner = [modules[unit.root] for unit in units if unit is not main]
    reading = [linker.sources[name].file for unit in units for name in unit.all_sources]
    return LinkedProgram(
        main=modules[main.root],
        modules=(*inner, modules[main.root]),
        external_bindings={},
        document_by_source=documents,
        declared_documents=collect_documents(reading),
        clause_lists=clauses,
        derivations=dict(_build_derivation(derived, modules, owners) for derived in changes.derived_procedures),
        amendments=tuple(
            Amendment(modules[owners[change.source]].prefix + change.address, change.overlay, change.span)
            for change in changes.changes
        ),
        amended_nodes=changes.amended_nodes,
        overlays=tuple(header for file in reading if (header := find_amends_header(file)) is not None),
    )


def _build_derivation(
    derived: DerivedProcedure, modules: Mapping[str, LinkedModule], owners: Mapping[str, str]
) -> tuple[str, Derivation]:
    module, base = modules[owners[derived.source]], modules[owners[derived.base[0]]]
    qualified = base.prefix + derived.base[1]
    return module.prefix + derived.node.name.text, Derivation(derived.node, module, base, qualified, derived.roles)


def _order_by_nearness(main: ModuleLayers, modules: Mapping[str, ModuleLayers]) -> list[ModuleLayers]:
    """Modules in breadth-first order from the main one; sets their prefixes."""
    order = [main]
    visited = {main.root}
    for unit in order:
        for alias, root in unit.aliases.items():
            used = modules[root]
            if used.root not in visited:
                visited.add(used.root)
                used.prefix = f"{unit.prefix}{alias}."
                order.append(used)
    return order


def _build_module(
    unit: ModuleLayers,
    texts: Mapping[str, tuple[Declaration, ...]],
    owners: Mapping[str, str],
    sources: Mapping[str, SourceFile],
) -> LinkedModule:
    names = unit.all_sources
    declarations = tuple(text for name in names if owners[name] == unit.root for text in texts[name])
    files = tuple(sources[name].file for name in names)
    header = find_header(sources[unit.root].file, RulesetHeader)
    lines = {name: find_edition_header(sources[name].file, header) for name in names}
    return LinkedModule(
        prefix=unit.prefix,
        declarations=declarations,
        files=files,
        header=header,
        sources=names,
        broken_prefixes=frozenset(unit.broken_prefixes),
        editions={name: line.edition.value if line and line.edition else 1 for name, line in lines.items()},
    )


def _map_cite_documents(units: tuple[ModuleLayers, ...], sources: Mapping[str, SourceFile]) -> dict[str, str]:
    """Document of bare cites of each file: its only document, or that of the module's main file."""
    result: dict[str, str] = {}
    for unit in units:
        main = list_document_names(sources[unit.root].file)
        for name in unit.all_sources:
            documents = list_document_names(sources[name].file) or main
            result.setdefault(name, documents[0] if len(documents) == 1 else "")
    return result


PoliciesByQuestion = Mapping[str, tuple[s.QuestionPolicy, ...]]
"""Policies by the whole address of a question, or by the one without numbers that it shares with others."""


def attach_policies(linked: LinkedProgram, policies: PoliciesByQuestion) -> None:
    """Attaches policies to the questions of linked modules."""
    for module in linked.modules if policies else ():
        declarations = []
        for declaration in module.declarations:
            declared = declaration
            for part in walk_addressed_nodes(declaration):
                address = module.prefix + part.address
                question_policies = (*policies.get(address, ()), *policies.get(strip_address_numbers(address), ()))
                if question_policies and part.has_own_address and isinstance(part.node, s.Ask):
                    laid = replace(part.node, policies=_keep_first_policies(question_policies))
                    (declared,) = replace_node(declared, part.node, lambda _, laid=laid: (laid,))  # type: ignore[misc]
            declarations.append(declared)
        module.declarations = tuple(declarations)


def _keep_first_policies(policies: tuple[s.QuestionPolicy, ...]) -> tuple[s.QuestionPolicy, ...]:
    result: dict[str, s.QuestionPolicy] = {}
    for policy in policies:
        result.setdefault(policy.player, policy)
    return tuple(result.values())
