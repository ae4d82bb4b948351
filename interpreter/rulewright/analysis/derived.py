"""Findings in lines that overlays changed or `like` took over, and the procedures made so, once types are known."""

from dataclasses import replace

from rulewright.analysis.infer.slots import widens
from rulewright.analysis.report import Report
from rulewright.analysis.symbols import Amendment, Derivation, Linked
from rulewright.diagnostics import Diagnostic, Label, Severity
from rulewright.program.wording import describe


def misfits(linked: Linked, report: Report) -> frozenset[str]:
    """The derived procedures of which a role is played by something of another type; reports RW0554."""
    found = set()
    for name, each in linked.derivations.items():
        report.address = name
        if not _fits(each, report):
            found.add(name)
    report.address = ""
    return frozenset(found)


def _fits(each: Derivation, report: Report) -> bool:
    base = each.base_home.callables[each.base.removeprefix(each.base_home.prefix)]
    own = dict(each.own.callables[each.node.name.text].parameters)
    fits = True
    for role, wanted in base.parameters:
        player = each.roles.get(role, "")
        if player in own and not widens(own[player], wanted):
            parameter = next(one for one in each.node.parameters if one.name.text == player)
            there = next(one for one in getattr(base.node, "parameters", ()) if one.name.text == role)
            message = f"the role `{role}` takes `{describe(wanted)}`, and `{player}` is `{describe(own[player])}`"
            label = Label(there.span, "the role")
            report.error("RW0554", parameter.span, message, secondary=(label,))
            fits = False
    return fits


def told_once(linked: Linked, found: list[Diagnostic]) -> list[Diagnostic]:
    """Findings in lines taken over: those of the base are told once, others say which procedure takes them over."""
    if not linked.derivations:
        return found
    elsewhere = {_same(each) for each in found if _derived(each, linked) is None}
    kept: list[Diagnostic] = []
    for each in found:
        derivation = _derived(each, linked)
        if derivation is None:
            kept.append(each)
        elif _same(each) not in elsewhere:
            elsewhere.add(_same(each))
            kept.append(_attributed(each, derivation))
    return kept


def _same(each: Diagnostic) -> tuple[object, ...]:
    return (each.code, each.primary and each.primary.span, each.message)


def _derived(each: Diagnostic, linked: Linked) -> Derivation | None:
    """The procedure that a finding is about, where its place was taken over from the base."""
    derivation = linked.derivations.get(each.address.partition("/")[0])
    if derivation is None or each.primary is None:
        return None
    span, own = each.primary.span, derivation.node.span
    written = span.source == own.source and own.start <= span.start <= own.end
    return None if written else derivation


def _attributed(each: Diagnostic, derivation: Derivation) -> Diagnostic:
    message = f"`{derivation.node.name.text}` takes this line over"
    return replace(each, secondary=(*each.secondary, Label(derivation.node.head, message)))


def naming_overlays(linked: Linked, found: list[Diagnostic]) -> list[Diagnostic]:
    """Errors and warnings in a part that an overlay amended, with the place in the overlay beside their own."""
    if not linked.amendments:
        return found
    return [_named(each, linked) for each in found]


def _named(each: Diagnostic, linked: Linked) -> Diagnostic:
    if each.severity is Severity.HINT or each.primary is None or not each.address:
        return each
    source, known = each.primary.span.source, {label.span for label in each.secondary}
    labels = {
        one.span: Label(one.span, f"`{one.overlay}` changes `{one.address}` here")
        for one in linked.amendments
        if one.overlay != source and one.span not in known and _meet(one, each.address)
    }
    return replace(each, secondary=(*each.secondary, *labels.values())) if labels else each


def _meet(amendment: Amendment, address: str) -> bool:
    """Whether what was amended lies in the part that has the finding, or around it."""
    one, other = f"{amendment.address}/", f"{address}/"
    return one.startswith(other) or other.startswith(one)
