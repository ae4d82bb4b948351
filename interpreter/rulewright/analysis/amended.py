"""Findings in what overlays have changed: they name the overlay that did."""

from dataclasses import replace

from rulewright.analysis.symbols import Amendment, Linked
from rulewright.diagnostics import Diagnostic, Label, Severity


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
