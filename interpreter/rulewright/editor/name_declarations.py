"""Occurrences of names where rules declare them: declarations, parts, variables, addresses of statements."""

from collections.abc import Iterator
from typing import Any

from rulewright.base.frozen import dataclass
from rulewright.base.source import Span
from rulewright.checker.addresses import (
    AddressedNode,
    assign_column_ids,
    get_bound_name,
    get_node_name,
    get_verb_and_names,
    walk_addressed_nodes,
)
from rulewright.checker.symbols import NAME_SPACES, VALUE_SPACE, LinkedModule, LinkedProgram
from rulewright.editor.name_index import (
    AddressSegment,
    NameRole,
    NameSpan,
    NameTarget,
    OccurrenceCollector,
    RulesetNameTables,
)
from rulewright.syntax.nodes import declarations as d, expressions as e, statements as s
from rulewright.syntax.nodes.expressions import Name, walk_written_nodes

AnyNode = Any

FIELD_OWNERS = (d.Kind, d.Record, d.Board, d.Game)
_BINDING_ROLES: dict[type, NameRole] = {s.Ask: NameRole.ASKED, s.Roll: NameRole.ROLLED, s.Draw: NameRole.DRAWN}
_DECLARATION_SORTS: dict[type, str] = {
    d.Values: "list of words",
    d.DieDeclaration: "die",
    d.Kind: "kind",
    d.Record: "record",
    d.Board: "board",
    d.Setting: "setting",
    d.Measure: "measure",
    d.Term: "term",
    d.Relation: "relation",
    d.Tally: "tally",
    d.Decide: "decide",
    d.Table: "table",
    d.Paths: "paths",
    d.ExternalProcedure: "external procedure",
    d.ExternalTerm: "external term",
    d.Always: "always",
    d.Event: "event",
    d.Handler: "handler",
    d.Whenever: "standing rule",
    d.Procedure: "procedure",
    d.Word: "word",
    d.Step: "step",
    s.Option: "option",
    d.StoredField: "attribute",
    d.DerivedField: "attribute",
    d.DerivedConditions: "attribute",
}

PART_SPACE = "parts"
"""Name space of parts of declarations, beside those of the checker."""


@dataclass(frozen=True, slots=True)
class OwnedDeclaration:
    """A declaration in the module that owns it."""

    module: LinkedModule
    node: AnyNode

    @property
    def plain_name(self) -> str:
        """Name without prefix."""
        return "game" if isinstance(self.node, d.Game) else self.node.name.text

    @property
    def name(self) -> str:
        """Name in the program."""
        return self.module.prefix + self.plain_name


def list_owned_declarations(linked: LinkedProgram) -> Iterator[OwnedDeclaration]:
    """Named declarations; those derived by `like` last, each after its base."""
    derived: dict[str, OwnedDeclaration] = {}
    for module in linked.modules:
        for node in module.declarations:
            if type(node) in _DECLARATION_SORTS or isinstance(node, d.Game):
                home = OwnedDeclaration(module, node)
                if home.name in linked.derivations:
                    derived[home.name] = home
                else:
                    yield home
    yield from (derived[name] for name in linked.derivations if name in derived)


def _list_with_written(linked: LinkedProgram) -> Iterator[OwnedDeclaration]:
    """Also the written form of declarations that overlays replace."""
    known = set[tuple[int, str]]()
    for home in list_owned_declarations(linked):
        known.add((id(home.node), home.module.prefix))
        yield home
    for module in linked.modules:
        for node in (declaration for file in module.files for declaration in file.declarations):
            if (id(node), module.prefix) not in known and (
                type(node) in _DECLARATION_SORTS or isinstance(node, d.Game)
            ):
                yield OwnedDeclaration(module, node)


class DeclarationCollector:
    """Collector of declaring occurrences."""

    def __init__(self, linked: LinkedProgram, names: RulesetNameTables, collector: OccurrenceCollector) -> None:
        self._linked, self._names, self._occurrences = linked, names, collector

    def collect_declarations(self) -> None:
        """Collect all declarations, then split the addresses of their parts."""
        for home in _list_with_written(self._linked):
            self._collect_declaration(home)
            self._collect_parts(home)
            self._collect_own_names(home)
        for module in self._linked.modules:
            for file in module.files:
                self._collect_headers(file)
                self._occurrences.prose.update(comment.span for comment in file.comments)
                self._collect_prose_and_rulings(file)

    def _declare_name(self, space: str, address: str, name: Name, new: NameTarget) -> NameTarget:
        """Existing target of this address, here or in what an overlay amends; else a new one."""
        here, known = self._occurrences.find_target(name.span), self._names.declared.get((space, address))
        target = here or known or new
        self._names.declared.setdefault((space, address), target)
        self._occurrences.add_occurrence(
            name.span, name.text, target, NameRole.AMENDED if known and not here else NameRole.DECLARED
        )
        return target

    def _collect_declaration(self, home: OwnedDeclaration) -> None:
        node = home.node
        if isinstance(node, d.Game):
            return
        sort = _DECLARATION_SORTS[type(node)]
        given = self._declare_name(
            NAME_SPACES[type(node)],
            home.name,
            node.name,
            NameTarget(sort, home.plain_name, node.name.span.source),
        )
        self._occurrences.extents.setdefault(given, node.span)
        self._collect_title(given, node)
        if isinstance(node, d.Kind):
            plural = node.plural
            target = NameTarget("plural", plural.text, plural.span.source)
            self._declare_name(VALUE_SPACE, home.module.prefix + plural.text, plural, target)
        if isinstance(node, d.ExternalProcedure):
            for result in node.results:
                target = NameTarget("result", f"{home.plain_name}.{result.name.text}", result.name.span.source)
                given = self._declare_name(PART_SPACE, f"{home.name}/{result.name.text}", result.name, target)
                self._names.attributes.setdefault((home.name, result.name.text), given)

    def _collect_parts(self, home: OwnedDeclaration) -> None:
        for part in walk_addressed_nodes(home.node):
            name = get_node_name(part.node)
            if part.node is home.node or not part.has_own_address:
                continue
            if name is None:
                self._collect_unnamed_part(part)
                continue
            target = self._make_part_target(home, part, name)
            if target is None:
                continue
            given = self._declare_name(PART_SPACE, home.module.prefix + part.address, name, target)
            self._occurrences.extents.setdefault(given, part.node.span)
            self._collect_title(given, part.node)
            if target.sort == "step":
                self._names.steps.setdefault((home.name, name.text), given)
            elif target.sort == "word":
                self._names.words.setdefault((home.name, name.text), given)
            elif target.sort in {"attribute", "field of the game"}:
                if target.sort == "field of the game":
                    self._names.declared.setdefault((VALUE_SPACE, home.module.prefix + name.text), given)
                self._names.attributes.setdefault((home.name, name.text), given)

    def _collect_unnamed_part(self, part: AddressedNode) -> None:
        node, span = part.node, part.node.span
        if not {span, part.address} & self._occurrences.unnamed_parts:
            sort = "line" if isinstance(node, s.Line) else "row" if isinstance(node, s.TableRow) else "cell"
            self._occurrences.extents[NameTarget(sort, part.address, span.source)] = span
        self._occurrences.unnamed_parts |= {span, part.address}

    def _collect_title(self, target: NameTarget, node: AnyNode) -> None:
        title = getattr(node, "title", None)
        if title is not None:
            self._occurrences.titles.setdefault(target, title.text)

    def _make_part_target(self, home: OwnedDeclaration, part: AddressedNode, name: Name) -> NameTarget | None:
        """None for a variable of the declaration."""
        node, source = part.node, name.span.source
        if isinstance(node, s.Line):
            return NameTarget("line", part.address, source) if node.label else None
        if isinstance(node, d.StoredField | d.DerivedField | d.DerivedConditions):
            if isinstance(home.node, d.Game):
                return NameTarget("field of the game", name.text, source)
            return NameTarget("attribute", f"{home.plain_name}.{name.text}", source)
        if isinstance(node, d.Word):
            return NameTarget("word", f"{home.plain_name}.{name.text}", source)
        return NameTarget(_DECLARATION_SORTS.get(type(node), "row"), part.address, source)

    def _collect_own_names(self, home: OwnedDeclaration) -> None:
        derivation = self._linked.derivations.get(home.name)
        for below, scope in list_name_scopes(home.node):
            owner = home.name + below
            for name, role in list_own_names(scope):
                known = self._occurrences.find_target(name.span) or self._names.own_names.get((owner, name.text))
                if known is None and derivation is not None and _is_inherited_parameter(name.text, derivation):
                    known = self._names.own_names.get((derivation.base, name.text))
                address = f"{home.plain_name}{below}.{name.text}".replace("/", ".")
                target = known or NameTarget("name", address, name.span.source)
                self._names.own_names.setdefault((owner, name.text), target)
                self._occurrences.add_occurrence(name.span, name.text, target, role)

    def _collect_headers(self, file: d.File) -> None:
        for header in file.headers:
            match header:
                case d.RulesetHeader(name=name):
                    self._declare_name("rulesets", name.text, name, NameTarget("ruleset", name.text, name.span.source))
                case d.UseHeader(prefix=Name() as name):
                    target = NameTarget("prefix", name.text, name.span.source)
                    self._names.prefixes.setdefault(name.text, target)
                    self._occurrences.add_occurrence(name.span, name.text, target, NameRole.DECLARED)
                case _:
                    pass

    def _collect_prose_and_rulings(self, file: d.File) -> None:
        for written_node in walk_written_nodes((file.headers, file.declarations)):
            if isinstance(written_node, e.Title | e.TextLiteral):
                self._occurrences.prose.add(written_node.span)
            elif isinstance(written_node, d.Ruling | s.RulingLine):
                number = written_node.number
                target = self._names.rulings.setdefault(
                    number.text, NameTarget("ruling", number.text, number.span.source)
                )
                self._occurrences.add_occurrence(number.span, number.text, target, NameRole.DECLARED)


def _is_inherited_parameter(name: str, derivation: Any) -> bool:  # of `checker.symbols`
    given = {argument.name.text for argument in derivation.node.arguments if argument.name}
    return derivation.roles.get(name) == name and name not in given


def collect_part_addresses(linked: LinkedProgram, names: RulesetNameTables, collector: OccurrenceCollector) -> None:
    """Split the addresses of all parts, once all names in them are collected."""
    for home in _list_with_written(linked):
        prefix = home.module.prefix
        for part in walk_addressed_nodes(home.node):
            if part.has_own_address:
                segments = _split_part_address(part, collector)
                first = AddressSegment(
                    prefix + segments[0].text, tuple(name.moved(len(prefix)) for name in segments[0].names)
                )
                names.addresses.add_address((first, *segments[1:]))


def _split_part_address(part: AddressedNode, collector: OccurrenceCollector) -> tuple[AddressSegment, ...]:
    """A statement in a block belongs to the step, not to the statement around it."""
    way = [ancestor for ancestor in part.ancestors if part.address.startswith(f"{ancestor.address}/")]
    segments, before = [], ""
    for addressed_node in (*way, part):
        text = addressed_node.address.removeprefix(before)
        segments.append(AddressSegment(text, tuple(_segment_names(addressed_node, text, collector))))
        before = f"{addressed_node.address}/"
    return tuple(segments)


def _segment_names(part: AddressedNode, text: str, collector: OccurrenceCollector) -> Iterator[NameSpan]:
    node, name = part.node, get_node_name(part.node)
    if isinstance(node, s.TableRow | s.Cell):
        yield from _cell_names(part, text, collector)
    elif name is not None:
        start = text.find(name.text)
        yield from _locate_name(name.text, name.span, start, collector)
    elif isinstance(node, s.Line | d.Watch):
        verb, called = get_verb_and_names(node)
        start = len(verb) + 1
        for written, span in called:
            yield from _locate_name(written, span, start, collector)
            start += len(written) + 1


def _locate_name(written: str, span: Span, start: int, collector: OccurrenceCollector) -> Iterator[NameSpan]:
    target = collector.find_target(span)
    if target is not None and start >= 0:
        yield NameSpan(start, start + len(written), target)


def _cell_names(part: AddressedNode, text: str, collector: OccurrenceCollector) -> Iterator[NameSpan]:
    if isinstance(part.node, s.TableRow) and part.node.name is not None:
        yield from _locate_name(part.node.name.text, part.node.name.span, 0, collector)
        return
    match _find_naming_cell(part, text).value:
        case e.Reference(name=name, span=span) if text.startswith(name):
            yield from _locate_name(name, span, 0, collector)
        case e.Attribute(name=Name() as name) if text.startswith(name.text):
            yield from _locate_name(name.text, name.span, 0, collector)


def _find_naming_cell(part: AddressedNode, text: str) -> s.Cell:
    """Cell whose words are the name of a row or column."""
    if isinstance(part.node, s.TableRow):
        return part.node.cells[0]
    across = part.ancestors[0].node.across
    return across.cells[assign_column_ids(across).index(text)]  # type: ignore[no-any-return]


def list_name_scopes(declaration: AnyNode) -> Iterator[tuple[str, AnyNode]]:
    """Scopes with variables of their own, each with its suffix of the address."""
    if isinstance(declaration, FIELD_OWNERS):
        yield from ((f"/{field.name.text}", field) for field in declaration.fields)
    else:
        yield "", declaration


def list_own_names(scope: AnyNode) -> Iterator[tuple[Name, NameRole]]:
    """Binding occurrences of variables in a scope, parameters first."""
    for item in getattr(scope, "parameters", ()):
        yield item.name, NameRole.DECLARED
    for node in walk_written_nodes(scope):
        for name in _bound_names(node):
            if name.text != "_":
                yield name, _BINDING_ROLES.get(type(node), NameRole.DECLARED)


def _bound_names(node: AnyNode) -> tuple[Name, ...]:
    match node:
        case e.Binder(names=names):
            return names
        case s.Asked(each_name=Name() as name):
            return (name,)
        case s.Line():
            bound = get_bound_name(node)
            return (bound,) if bound else ()
        case _:
            return ()
