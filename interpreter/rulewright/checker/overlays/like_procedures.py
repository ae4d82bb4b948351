"""Procedures written `like` another: roles, inherited parts, and what they amend."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from rulewright.base.diagnostics import DiagnosticCollector, Label, format_name_list
from rulewright.base.diagnostics.remedies import make_name_remedy
from rulewright.base.frozen import dataclass
from rulewright.base.node_roles import Role, map_children, walk_nodes
from rulewright.checker.addresses import get_bound_name
from rulewright.checker.overlays.amendments import (
    Amender,
    DeclarationsBySource,
    collect_departed_clauses,
)
from rulewright.checker.overlays.patch_conflicts import (
    LikeChangePolicy,
    ModuleLayers,
    OverlayChange,
    OverlayChangeLog,
    iterate_named_declarations,
)
from rulewright.syntax.nodes import declarations as d, statements as s
from rulewright.syntax.nodes.expressions import Argument, Binder, Call, Dotted, Name, Reference

AnyNode = Any


EventParameterNames = Callable[[Dotted], frozenset[str]]
"""Parameter names of an event."""


def rename_roles(node: AnyNode, names: Mapping[str, str], parameters: EventParameterNames) -> AnyNode:
    """A node with roles under new names, except in a watch of an event that has a parameter of that name."""
    match node:
        case Reference(name=name):
            return replace(node, name=names[name]) if name in names else node
        case Call(function=Reference()):
            return replace(node, arguments=rename_roles(node.arguments, names, parameters))
        case d.Watch(event=event):
            hidden = parameters(event)
            names = {old: new for old, new in names.items() if old not in hidden}
        case _:
            pass
    return map_children(node, lambda item: rename_roles(item, names, parameters), Role.PROOF)


def map_used_names(*nodes: AnyNode) -> dict[str, AnyNode]:
    """Bare names that nodes read or bind, each with the first node that does."""
    result: dict[str, AnyNode] = {}
    called = {id(node.function) for node in walk_nodes(nodes) if isinstance(node, Call)}
    for item in sorted((n for n in walk_nodes(nodes) if hasattr(n, "span")), key=lambda n: n.span):
        for name in _get_node_names(item) if id(item) not in called else ():
            result.setdefault(name, item)
    return result


def _get_node_names(node: AnyNode) -> tuple[str, ...]:
    match node:
        case Reference(name=name):
            return (name,)
        case Binder(names=names):
            return tuple(item.text for item in names)
        case s.Line():
            bound = get_bound_name(node)
            return (bound.text,) if bound else ()
        case _:
            return ()


def inherit_procedure(
    node: d.ProcedureLike, base: d.Procedure, parameters: EventParameterNames, report: DiagnosticCollector
) -> tuple[d.Procedure, dict[str, str]] | None:
    """Procedure with the lines of its base, not yet amended, and the parameter for each role.

    Reports RW0552 (a role without a parameter), RW0553 (an argument that gives no role), RW0555 (a parameter named like
    something else in the inherited lines).
    """
    roles = _match_roles(node, base, report)
    if roles is None or not _check_parameter_names(node, base, roles, report):
        return None
    names = {role: player for role, player in roles.items() if role != player}
    opening = rename_roles(_inherit_cites(base.opening, base), names, parameters)
    steps = rename_roles(_inherit_cites(base.steps, base), names, parameters)
    procedure = d.Procedure(
        name=node.name,
        parameters=node.parameters,
        gives=base.gives,
        inner=node.inner,
        opening=opening,
        steps=steps,
        title=node.title,
        cites=node.cites,
        span=node.span,
        head=node.head,
    )
    return procedure, roles


def _inherit_cites(parts: tuple[d.Opening | d.Step, ...], base: d.Procedure) -> tuple[d.Opening | d.Step, ...]:
    return tuple(part if part.cites or not base.cites else replace(part, cites=base.cites) for part in parts)


def _match_roles(node: d.ProcedureLike, base: d.Procedure, report: DiagnosticCollector) -> dict[str, str] | None:
    parameter_names = [item.name.text for item in node.parameters]
    wanted = [item.name.text for item in base.parameters]
    mapping: dict[str, str] = {}
    start = len(report.diagnostics)
    for place, argument in enumerate(node.arguments):
        role, player = _get_role(argument, place, wanted, report), _get_role_player(argument, parameter_names, report)
        if role in mapping:
            report.error("RW0553", argument.span, f"the role `{role}` is given twice", help="leave one of them out")
        elif role is not None and player is not None:
            mapping[role] = player
    if len(report.diagnostics) > start:
        return None
    mapping |= {name: name for name in wanted if name not in mapping and name in parameter_names}
    open_ = [item for item in base.parameters if item.name.text not in mapping]
    for parameter in open_:
        text, remedy = parameter.name.text, f"add a parameter `{parameter.name.text}`"
        if parameter_names:
            remedy += f", or say who plays it: `like {node.base.text}({text}: {parameter_names[0]})`"
        message = f"no parameter plays the role `{text}` of `{node.base.text}`"
        report.error("RW0552", node.base.span, message, help=remedy, secondary=(Label(parameter.span, "the role"),))
    return None if open_ else mapping


def _get_role(argument: Argument, place: int, wanted: list[str], report: DiagnosticCollector) -> str | None:
    if argument.name is None:
        if place < len(wanted):
            return wanted[place]
        report.error("RW0553", argument.span, f"the base has {len(wanted)} roles", help="leave this one out")
        return None
    if argument.name.text in wanted:
        return argument.name.text
    roles = f"its roles are {format_name_list(wanted)}" if wanted else ""
    remedy = make_name_remedy(argument.name.text, wanted, argument.name.span, roles)
    report.error("RW0553", argument.name.span, f"the base has no role `{argument.name.text}`", remedy=remedy)
    return None


def _get_role_player(argument: Argument, parameter_names: list[str], report: DiagnosticCollector) -> str | None:
    if isinstance(argument.value, Reference) and argument.value.name in parameter_names:
        return argument.value.name
    written = argument.value.name if isinstance(argument.value, Reference) else ""
    roles = f"name one of {format_name_list(parameter_names)}" if parameter_names else "it has none yet"
    message = "a role is played by a parameter of this procedure"
    report.error(
        "RW0553",
        argument.value.span,
        message,
        remedy=make_name_remedy(written, parameter_names, argument.value.span, roles),
    )
    return None


def _check_parameter_names(
    node: d.ProcedureLike, base: d.Procedure, roles: dict[str, str], report: DiagnosticCollector
) -> bool:
    used_names = map_used_names(base.opening, base.steps)
    clear = True
    for parameter in node.parameters:
        name = parameter.name.text
        if name in used_names and name not in roles:
            there = (Label(used_names[name].span, f"`{name}` means something else here"),)
            message = f"`{name}` has a meaning in `{node.base.text}` already"
            report.error("RW0555", parameter.name.span, message, help="take another name", secondary=there)
            clear = False
    return clear


def qualify_amendments(node: d.ProcedureLike) -> Iterator[d.Amendment]:
    """Amendments of a `like` with whole addresses: `melee_attack/choose/used` for `choose/used`."""
    procedure_name = node.name.text

    def make_whole_address(address: Name) -> Name:
        return (
            address
            if address.text.partition("/")[0] == procedure_name
            else Name(f"{procedure_name}/{address.text}", address.span)
        )

    return (_qualify_amendment(amendment, make_whole_address) for amendment in node.amendments)


def _qualify_amendment(amendment: d.Amendment, whole: Callable[[Name], Name]) -> d.Amendment:
    match amendment:
        case d.Replace(target=target) | d.Insert(anchor=None, target=target):
            return replace(amendment, target=replace(target, address=whole(target.address)))
        case d.Insert(anchor=Name() as anchor) | d.InsertLines(anchor=Name() as anchor):
            return replace(amendment, anchor=whole(anchor))
        case d.RemovePart(address=address) | d.ReplaceLine(address=address):
            return replace(amendment, address=whole(address))
        case _:
            return amendment


@dataclass(frozen=True, slots=True)
class LikeDeclaration:
    """A `like` whose base is known."""

    source: str
    node: d.ProcedureLike  # as written
    base: tuple[str, str]  # source and name
    depth: int  # number of `like` down to a written procedure
    parameters: Callable[[Dotted], frozenset[str]]  # parameter names of events that the base knows


@dataclass(frozen=True, slots=True)
class DerivedProcedure:
    """A procedure made by `like`."""

    source: str
    node: d.ProcedureLike  # as written
    base: tuple[str, str]  # source and name
    roles: Mapping[str, str]  # own parameter by parameter of the base
    changes: tuple[OverlayChange, ...]  # changes by its own amendments


def find_like_declarations(
    modules: Mapping[str, ModuleLayers],
    owners: Mapping[str, str],
    texts: DeclarationsBySource,
    report: DiagnosticCollector,
) -> tuple[LikeDeclaration, ...]:
    """All `like` whose base is known; reports RW0550 (no such procedure) and RW0551 (a cycle)."""
    homes = {source: modules[root] for source, root in owners.items()}
    bases: dict[tuple[str, str], tuple[str, str]] = {}
    nodes: dict[tuple[str, str], d.ProcedureLike] = {}
    for source, layers in homes.items():
        for node in texts[source]:
            if isinstance(node, d.ProcedureLike):
                base = _find_base_procedure(node, layers, modules, texts, report)
                if base is not None:
                    bases[source, node.name.text] = base
                    nodes[source, node.name.text] = node
    items = []
    reported: set[tuple[str, str]] = set()
    for key, node in nodes.items():
        depth = _compute_derivation_depth(key, bases, nodes, reported, report)
        if depth:
            heard = _make_parameter_lookup(homes[bases[key][0]], modules, texts)
            items.append(LikeDeclaration(key[0], node, bases[key], depth, heard))
    return tuple(items)


def _find_base_procedure(
    node: d.ProcedureLike,
    layers: ModuleLayers,
    modules: Mapping[str, ModuleLayers],
    texts: DeclarationsBySource,
    report: DiagnosticCollector,
) -> tuple[str, str] | None:
    sorts = (d.Procedure, d.ProcedureLike)
    items = list(iterate_named_declarations(node.base, layers, modules, texts))
    for source, item in items:
        if isinstance(item, sorts):
            return source, item.name.text
    report.address = node.name.text
    if items:
        message = f"`{node.base.text}` is not a procedure"
        written_out = "only a procedure that is written out can be taken over"
        report.error("RW0550", node.base.span, message, help=written_out, subject=node.base.text)
        return None
    names = [
        text.name.text
        for name in layers.all_sources
        for text in texts[name]
        if isinstance(text, sorts) and text is not node
    ]
    message = f"there is no procedure `{node.base.text}`"
    report.error(
        "RW0550",
        node.base.span,
        message,
        remedy=make_name_remedy(node.base.parts[-1].text, names, node.base.span),
        missing=node.base.text,
    )
    return None


def _compute_derivation_depth(
    key: tuple[str, str],
    bases: Mapping[tuple[str, str], tuple[str, str]],
    nodes: Mapping[tuple[str, str], d.ProcedureLike],
    reported: set[tuple[str, str]],
    report: DiagnosticCollector,
) -> int:
    """Number of `like` down to a written procedure; 0 in a cycle, or where one leads nowhere."""
    chain = [key]
    while chain[-1] in bases:
        base = bases[chain[-1]]
        if base in chain:
            circle = chain[chain.index(base) :]
            if reported.isdisjoint(circle):
                _report_like_cycle([nodes[item] for item in circle], report)
            reported.update(circle)
            return 0
        chain.append(base)
    return 0 if chain[-1] in nodes else len(chain) - 1


def _report_like_cycle(nodes: list[d.ProcedureLike], report: DiagnosticCollector) -> None:
    first, *others = nodes
    report.address = first.name.text
    if others:
        names = " is like ".join(f"`{node.name.text}`" for node in (*nodes, first))
        message = f"procedures are `like` each other in a circle: {names}"
    else:
        message = f"`{first.name.text}` is `like` itself"
    there = tuple(Label(other.base.span, "here too") for other in others)
    report.error("RW0551", first.base.span, message, secondary=there, help="one of them has to be written out")


def _make_parameter_lookup(
    layers: ModuleLayers, modules: Mapping[str, ModuleLayers], texts: DeclarationsBySource
) -> Callable[[Dotted], frozenset[str]]:
    def get_event_parameters(event: Dotted) -> frozenset[str]:
        events = (
            item for _, item in iterate_named_declarations(event, layers, modules, texts) if isinstance(item, d.Event)
        )
        return frozenset(parameter.name.text for item in events for parameter in item.parameters)

    return get_event_parameters


def derive_procedure(
    like: LikeDeclaration,
    texts: DeclarationsBySource,
    change_log: OverlayChangeLog,
    documents: Mapping[str, str],
    report: DiagnosticCollector,
) -> DerivedProcedure | None:
    """Puts the procedure of a `like` in its place; None where that fails."""
    node = like.node
    report.address = node.name.text
    source, name = like.base
    written = (text for text in texts[source] if isinstance(text, d.Procedure) and text.name.text == name)
    base = next(written, None)
    if base is None:
        _report_removed_base(like, change_log, report)
        return None
    inherited = inherit_procedure(node, base, like.parameters, report)
    if inherited is None:
        return None
    procedure, roles = inherited
    texts[like.source] = tuple(procedure if text is node else text for text in texts[like.source])
    policy = LikeChangePolicy(change_log, node, like.base, report)
    departed = collect_departed_clauses(texts, like.source, documents)
    amender = Amender(texts, dict(texts), (like.source,), like.source, departed, documents, policy, report)
    for amendment in qualify_amendments(node):
        if isinstance(amendment, d.ReplaceWhole):
            message = "`like` changes its own procedure only"
            report.error("RW0558", amendment.head, message, help="amend the parts of the procedure")
        else:
            amender.apply_amendment(amendment)
    report.address = ""
    return DerivedProcedure(like.source, node, like.base, roles, tuple(policy.own_changes))


def _report_removed_base(like: LikeDeclaration, change_log: OverlayChangeLog, report: DiagnosticCollector) -> None:
    removal = change_log.find_removal((like.base[1],))
    if removal is not None:
        message = f"`{removal.overlay}` removes `{like.node.base.text}`, which this is `like`"
        there = (Label(removal.span, "removed here"),)
        report.error("RW0550", like.node.base.span, message, secondary=there, missing=like.node.base.text)
