"""Occurrences of names where rules use them, from the symbol table of their check, with roles."""

from collections.abc import Iterator, Mapping
from typing import Any

from rulewright.base.source import NameUse, Span
from rulewright.checker.clauses import resolve_clause_id
from rulewright.checker.symbols import CALLABLE_SPACE, PREFIX_SPACE, LinkedProgram, find_amends_header
from rulewright.documents.ruleset_loading import LoadedRuleset
from rulewright.editor.name_declarations import list_name_scopes
from rulewright.editor.name_index import NameRole, NameTarget, OccurrenceCollector, RulesetNameTables
from rulewright.syntax.nodes import declarations as d, expressions as e, statements as s
from rulewright.syntax.nodes.expressions import Dotted, Name, walk_written_nodes

AnyNode = Any


class UsageCollector:
    """Collector of using occurrences; all declarations are collected before."""

    def __init__(
        self, loaded: LoadedRuleset, linked: LinkedProgram, names: RulesetNameTables, collector: OccurrenceCollector
    ) -> None:
        self._symbols, self._linked, self._names, self._occurrences = loaded.symbols, linked, names, collector
        self._has_errors = loaded.program is None

    def collect_usages(self) -> None:
        """Collect what the check resolved, and cites."""
        roles: dict[Span, NameRole] = {}
        for module in self._linked.modules:
            for file in module.files:
                self._collect_amended_ruleset(file)
                for node in walk_written_nodes((file.headers, file.declarations)):
                    if isinstance(node, e.Cite):
                        self._collect_cite(node)
                    roles.update((span, role) for span, role in _iterate_roles(node) if span not in roles)
        for use in self._symbols.uses.values():
            target = self._find_target(use)
            called = use.space == CALLABLE_SPACE and target is not None and target.sort != "relation"
            role = roles.get(use.span, NameRole.CALLED if called else NameRole.READ)
            written = use.name if use.owner else use.name.rpartition(".")[2]
            self._occurrences.add_occurrence(use.span, written, target, role)
        if self._has_errors:
            self._collect_by_spelling(roles)

    def _collect_by_spelling(self, roles: Mapping[Span, NameRole]) -> None:
        """Names that the check did not come to after errors."""
        for module in self._linked.modules:
            for declaration in (declaration for file in module.files for declaration in file.declarations):
                for below, scope in list_name_scopes(declaration):
                    owner = f"{module.prefix}{_get_owner_name(declaration)}{below}"
                    for node in walk_written_nodes(scope):
                        self._collect_node_by_spelling(node, owner, roles)

    def _collect_node_by_spelling(self, node: AnyNode, owner: str, roles: Mapping[Span, NameRole]) -> None:
        own = None
        match node:
            case e.Reference(name=text, span=span):
                own = self._names.own_names.get((owner, text))
            case (
                e.Attribute(name=Name(text=text, span=span))
                | e.Argument(name=Name(text=text, span=span))
                | Dotted(parts=(*_, Name(text=text, span=span)))
            ):
                pass
            case _:
                return
        declared = (target for target in self._names.find_global_targets(text) if target.sort != "ruleset")
        targets = [own] if own else [*declared]
        for target in targets[:1]:
            role = roles.get(span, NameRole.READ)
            self._occurrences.add_occurrence(span, text, target, role, sure=len(targets) == 1)

    def _collect_amended_ruleset(self, file: d.File) -> None:
        amended = find_amends_header(file)
        name = amended.name if amended is not None else None
        for header in (module.header for module in self._linked.modules):
            if isinstance(name, Name) and header is not None and header.name.text == name.text:
                target = self._occurrences.find_target(header.name.span)
                self._occurrences.add_occurrence(name.span, name.text, target, NameRole.AMENDED)

    def _collect_cite(self, cite: e.Cite) -> None:
        """The document is not part of the name."""
        whole = resolve_clause_id(cite, self._linked.document_by_source)
        target = self._names.clauses.get(whole)
        if target is None:
            target = self._names.clauses[whole] = NameTarget("clause", whole, cite.span.source)
        number = cite.clause.rpartition(":")[2]
        span = Span(cite.span.source, cite.span.end - len(number), cite.span.end)
        self._occurrences.add_occurrence(span, number, target, NameRole.CITED)

    def _find_target(self, use: NameUse) -> NameTarget | None:
        if use.space == PREFIX_SPACE:
            return self._names.prefixes.get(use.name)
        owned = self._names.get_owned_names(use.space)
        return self._names.declared.get((use.space, use.name)) if owned is None else owned.get((use.owner, use.name))


def _iterate_roles(node: AnyNode) -> Iterator[tuple[Span, NameRole]]:
    """Roles of the names directly in a node, where they are not simply read."""
    for changed in s.get_changed_places(node):
        yield _get_name_span(changed), NameRole.CHANGED
    match node:
        case e.NamedType(name=Dotted(parts=(*_, last))):
            yield last.span, NameRole.TYPED
        case e.Call(function=function, arguments=arguments):
            yield _get_name_span(function), NameRole.CALLED
            yield from _iterate_argument_roles(arguments)
        case s.Reroll(dice=changed):
            yield _get_name_span(changed), NameRole.CHANGED
        case s.Remove(thing=thing):
            yield _get_name_span(thing), NameRole.REMOVED
        case s.Move(thing=thing) | s.Turn(thing=thing) | s.Place(thing=thing):
            yield _get_name_span(thing), NameRole.MOVED
        case s.Proceed(step=step):
            yield step.span, NameRole.REACHED
        case s.Perform(procedure=procedure, arguments=arguments, steps=steps):
            yield procedure.parts[-1].span, NameRole.PERFORMED
            yield from _iterate_argument_roles(arguments)
            yield from ((step.span, NameRole.REACHED) for step in steps or ())
        case s.Trigger(event=event, arguments=arguments):
            yield event.parts[-1].span, NameRole.TRIGGERED
            yield from _iterate_argument_roles(arguments)
        case d.ProcedureLike(base=base, arguments=arguments):
            yield base.parts[-1].span, NameRole.READ
            yield from _iterate_argument_roles(arguments)
        case d.Handler(event=event) | d.Watch(event=event):
            yield event.parts[-1].span, NameRole.HEARD
        case s.Finish(procedure=Name(span=span)):
            yield span, NameRole.FINISHED
        case d.Hold(names=names):
            yield from ((name.span, NameRole.HELD) for name in names)
        case d.ExternalProcedure(changes=changes):
            yield from ((_get_name_span(changed), NameRole.CHANGED) for changed in changes)
        case d.Bind(external=external, to=target):
            yield external.parts[-1].span, NameRole.BOUND
            yield target.parts[-1].span, NameRole.CALLED


def _get_owner_name(declaration: AnyNode) -> str:
    """Declaration that a declaration or amendment is of."""
    if isinstance(declaration, d.Game):
        return "game"
    if hasattr(declaration, "name"):
        return declaration.name.text  # type: ignore[no-any-return]
    return next((address.text.partition("/")[0] for address in _amendment_addresses(declaration)), "")


def _iterate_argument_roles(arguments: tuple[e.Argument, ...]) -> Iterator[tuple[Span, NameRole]]:
    return ((argument.name.span, NameRole.FILLED) for argument in arguments if argument.name is not None)


def _get_name_span(changed: AnyNode) -> Span:
    """Span of the name of a changed place, without its keys."""
    while isinstance(changed, e.Index):
        changed = changed.target
    return changed.name.span if isinstance(changed, e.Attribute) else changed.span


def _amendment_addresses(node: AnyNode) -> Iterator[Name]:
    match node:
        case d.Replace(target=target):
            yield target.address
        case d.Insert(anchor=anchor, target=target):
            yield from (anchor,) if anchor else ()
            yield target.address
        case d.ReplaceLine(address=address) | d.RemovePart(address=address):
            yield address
        case d.InsertLines(anchor=anchor):
            yield anchor
        case _:
            return


def list_amended_addresses_by_procedure(file: d.File) -> Iterator[tuple[str, Name]]:
    """Addresses in amendments, each with its procedure by `like` if it is in one."""
    for declaration in file.declarations:
        if isinstance(declaration, d.ProcedureLike):
            yield from (
                (declaration.name.text, name) for one in declaration.amendments for name in _amendment_addresses(one)
            )
        else:
            yield from (("", name) for name in _amendment_addresses(declaration))
