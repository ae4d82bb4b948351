"""One diagnostic for one cause: consequences of reported errors are dropped, repeats are grouped."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from rulewright.base.diagnostics import Basis, Diagnostic, DiagnosticCollector, Label, Severity, has_errors
from rulewright.checker.infer.type_fitting import is_subtype
from rulewright.checker.read_sets import list_declaration_nodes
from rulewright.checker.symbols import Amendment, Derivation, LinkedProgram
from rulewright.syntax.nodes import declarations as d
from rulewright.syntax.nodes.expressions import Attribute, Dotted, Reference

_MAX_SHOWN_PLACES = 3  # labels of one diagnostic


def select_errors_without(diagnostics: Iterable[Diagnostic], *bases: Basis) -> Iterator[Diagnostic]:
    """Errors that rest on none of some bases: those that hold although texts or amendments could not be read."""
    return (each for each in diagnostics if each.severity is Severity.ERROR and each.basis not in bases)


def suppress_consequences(linked: LinkedProgram, diagnostics: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Diagnostics without those that follow from an error among them.

    Results of proofs are dropped in a declaration with another error, and in all that mention such a declaration: they
    are judged again once that is mended.
    """
    sure = [each for each in diagnostics if each.severity is Severity.ERROR and each.basis is not Basis.PROOFS]
    remaining = _drop_reasons_of_dead_rows(diagnostics)
    if not sure:
        return remaining
    broken = _find_affected_declarations(
        linked,
        {_get_root_declaration(finding) for finding in sure},
        {part for finding in sure for part in _get_address_names(finding)},
    )
    return [
        each
        for each in remaining
        if each.basis is not Basis.PROOFS
        or not broken & {_get_root_declaration(each), ".".join(_get_address_names(each))}
    ]


def _drop_reasons_of_dead_rows(diagnostics: Sequence[Diagnostic]) -> list[Diagnostic]:
    """A row that is never reached (RW0410) takes over what a warning of its condition (RW0404) says."""
    rows = [item.primary.span for item in diagnostics if item.code == "RW0410" and item.primary]
    if not rows:
        return [*diagnostics]
    reasons: dict[Any, tuple[str, ...]] = {}  # by the span of the row
    remaining = []
    for item in diagnostics:
        span = item.primary.span if item.code == "RW0404" and item.primary else None
        row = span and next((row for row in rows if row.contains(span)), None)
        if row is None:
            remaining.append(item)
        else:
            reasons[row] = (*reasons.get(row, ()), *item.notes)
    return [
        replace(item, notes=(*item.notes, *reasons.get(item.primary.span, ())))
        if item.code == "RW0410" and item.primary
        else item
        for item in remaining
    ]


def _get_root_declaration(diagnostic: Diagnostic) -> str:
    return diagnostic.address.partition("/")[0]


def _get_address_names(diagnostic: Diagnostic) -> tuple[str, ...]:
    return tuple(part.rpartition(".")[2] for part in diagnostic.address.split("/")[:2])


def _find_affected_declarations(linked: LinkedProgram, roots: set[str], names: set[str]) -> set[str]:
    """Declarations with an error, or that mention one with an error, transitively."""
    waiting = [
        (root, own_name, _collect_mentioned_names(node)) for root, own_name, node in _iterate_mentioning_nodes(linked)
    ]
    roots, names = set(roots), set(names) - {""}
    while fresh := [item for item in waiting if item[0] in roots or item[2] & names]:
        waiting = [item for item in waiting if item not in fresh]
        roots |= {root for root, _, _ in fresh}
        names |= {own_name for root, own_name, mentioned in fresh if mentioned & names}
    return roots


def _iterate_mentioning_nodes(linked: LinkedProgram) -> Iterator[tuple[str, str, Any]]:
    """Declarations and attributes: address of the root, own plain name, node."""
    for module in linked.modules:
        for node in module.declarations:
            match node:
                case d.Kind() | d.Record() | d.Board():
                    for part in node.fields:
                        yield f"{node.name.text}.{part.name.text}", part.name.text, part
                case _ if hasattr(node, "name"):
                    yield module.prefix + node.name.text, node.name.text, node
                case _:
                    pass


def _collect_mentioned_names(node: Any) -> set[str]:  # a declaration or an attribute
    result: set[str] = set()
    for inner in list_declaration_nodes(node):
        match inner:
            case Reference(name=name):
                result.add(name)
            case Attribute(name=name):
                result.add(name.text)
            case Dotted(parts=parts):
                result.add(parts[-1].text)
    return result


def group_repeated_diagnostics(diagnostics: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Diagnostics with equal ones of several places grouped at the first of them.

    All that miss one name are alike, in whatever sort of declaration it is looked for; an attribute that several kinds
    lack is none of them. Results of proofs are grouped within a declaration.
    """
    if not has_errors(diagnostics):
        return [*diagnostics]
    owners: dict[str, set[str]] = {}  # by attribute
    for each in diagnostics:
        if each.basis is Basis.NAMES:
            owner, _, name = each.subject.rpartition(".")
            owners.setdefault(name, set()).update({owner} - {""})
    groups: dict[object, list[Diagnostic]] = {}
    for number, each in enumerate(diagnostics):
        name = each.subject.rpartition(".")[2]
        key: object = number
        if each.subject and each.basis is Basis.NAMES:
            key = name if len(owners[name]) < 2 else each.subject  # noqa: PLR2004 - several
        elif each.subject:
            within = _get_root_declaration(each) if each.basis is Basis.PROOFS else ""
            key = each.code, each.message, each.subject, within
        groups.setdefault(key, []).append(each)
    return [_merge_diagnostic_group(group) for group in groups.values()]


def _merge_diagnostic_group(group: list[Diagnostic]) -> Diagnostic:
    places = list(dict.fromkeys(finding.primary for finding in group if finding.primary))
    if len(places) < 2:  # noqa: PLR2004 - several
        return group[0]
    ordered = sorted(group, key=lambda diagnostic: diagnostic.primary.span if diagnostic.primary else places[0].span)
    others = [finding.primary for finding in ordered[1:] if finding.primary]
    labels = tuple(Label(other.span, "here too") for other in others[:_MAX_SHOWN_PLACES])
    more = len(others) - _MAX_SHOWN_PLACES
    note = (f"So in {more} other place{'s' if more > 1 else ''}.",) if more > 0 else ()
    edits = tuple(replace(edit, safe=False) for finding in ordered for edit in finding.edits)
    mend_all = all(finding.edits for finding in group)
    return replace(
        ordered[0],
        secondary=(*ordered[0].secondary, *labels),
        notes=(*ordered[0].notes, *note),
        edits=tuple(dict.fromkeys(edits)) if mend_all else (),
    )


def find_mismatched_derivations(linked: LinkedProgram, report: DiagnosticCollector) -> frozenset[str]:
    """Derived procedures in which a parameter of another type takes a role of the base; reports RW0554."""
    result = set()
    for name, derivation in linked.derivations.items():
        report.address = name
        if not _has_fitting_roles(derivation, report):
            result.add(name)
    report.address = ""
    return frozenset(result)


def _has_fitting_roles(derivation: Derivation, report: DiagnosticCollector) -> bool:
    base = derivation.base_module.callables[derivation.base.removeprefix(derivation.base_module.prefix)]
    role_types = dict(derivation.own_module.callables[derivation.node.name.text].parameters)
    fits = True
    for role, wanted in base.parameters:
        player = derivation.roles.get(role, "")
        if player in role_types and not is_subtype(role_types[player], wanted):
            parameter = next(one for one in derivation.node.parameters if one.name.text == player)
            there = next(one for one in getattr(base.node, "parameters", ()) if one.name.text == role)
            message = f"the role `{role}` takes `{wanted}`, and `{player}` is `{role_types[player]}`"
            label = Label(there.span, "the role")
            report.error("RW0554", parameter.span, message, secondary=(label,))
            fits = False
    return fits


def deduplicate_inherited_diagnostics(linked: LinkedProgram, diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    """Diagnostics of inherited lines: once where they hold of the base, else labelled with the derived procedure."""
    if not linked.derivations:
        return diagnostics
    elsewhere = {
        _make_diagnostic_key(item) for item in diagnostics if _find_inheriting_derivation(item, linked) is None
    }
    remaining: list[Diagnostic] = []
    for diagnostic in diagnostics:
        derivation = _find_inheriting_derivation(diagnostic, linked)
        if derivation is None:
            remaining.append(diagnostic)
        elif _make_diagnostic_key(diagnostic) not in elsewhere:
            elsewhere.add(_make_diagnostic_key(diagnostic))
            label = Label(derivation.node.head, f"`{derivation.node.name.text}` takes this line over")
            remaining.append(replace(diagnostic, secondary=(*diagnostic.secondary, label)))
    return remaining


def _make_diagnostic_key(diagnostic: Diagnostic) -> tuple[object, ...]:
    return (diagnostic.code, diagnostic.primary and diagnostic.primary.span, diagnostic.message)


def _find_inheriting_derivation(diagnostic: Diagnostic, linked: LinkedProgram) -> Derivation | None:
    derivation = linked.derivations.get(diagnostic.address.partition("/")[0])
    if derivation is None or diagnostic.primary is None:
        return None
    span, like_span = diagnostic.primary.span, derivation.node.span
    written = span.source == like_span.source and like_span.start <= span.start <= like_span.end
    return None if written else derivation


def label_overlay_changes(linked: LinkedProgram, diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    """Errors and warnings in an amended part, with a label at the place in the overlay."""
    return [_add_overlay_labels(finding, linked) for finding in diagnostics] if linked.amendments else diagnostics


def _add_overlay_labels(diagnostic: Diagnostic, linked: LinkedProgram) -> Diagnostic:
    if diagnostic.severity is Severity.HINT or diagnostic.primary is None or not diagnostic.address:
        return diagnostic
    source, known = diagnostic.primary.span.source, {label.span for label in diagnostic.secondary}
    labels = {
        one.span: Label(one.span, f"`{one.overlay}` changes `{one.address}` here")
        for one in linked.amendments
        if one.overlay != source
        and one.span not in known
        and (_has_overlapping_address(one, diagnostic.address) or _is_about_amendment(one, diagnostic))
    }
    return replace(diagnostic, secondary=(*diagnostic.secondary, *labels.values())) if labels else diagnostic


def _is_about_amendment(amendment: Amendment, finding: Diagnostic) -> bool:
    return all(f"`{part}`" in finding.message for part in amendment.address.split("/"))


def _has_overlapping_address(amendment: Amendment, address: str) -> bool:
    one, other = f"{amendment.address}/", f"{address}/"
    return one.startswith(other) or other.startswith(one)
