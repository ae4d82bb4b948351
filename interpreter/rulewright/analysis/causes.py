"""One message for one cause: what follows from an error that is told is left out, and repeats are told once."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from rulewright.analysis.infer.slots import widens
from rulewright.analysis.reads import nodes_in, nodes_of
from rulewright.analysis.report import Report
from rulewright.analysis.symbols import Amendment, Derivation, Linked
from rulewright.diagnostics import Diagnostic, Label, Severity
from rulewright.syntax.nodes import declarations as d
from rulewright.syntax.nodes.expressions import Attribute, Dotted, Reference

_PROOFS = frozenset({"RW0527", "RW0533", "RW0534", *(f"RW04{number:02}" for number in range(1, 50))}) - {"RW0414"}
"""Errors that hang on what is known of other lines; so does every warning and hint, but for those about clauses."""

_STEPS = frozenset({"RW0511", "RW0512", "RW0513"})
"""What is said of jumps; it says nothing where two steps have one id."""

_ALONE = frozenset(
    f"RW{number}"
    for number in """
    0202 0207 0208 0210 0211 0212 0213 0215 0217 0218 0302 0308 0309 0310 0311 0315 0316 0317 0318 0319 0321 0322 0323
    0325 0328 0331 0332 0333 0335 0340 0344 0414 0501 0503 0506 0507 0510 0522 0523 0524 0543 0544 0605 0606 0608 0612
    0615 0616
    """.split()  # noqa: SIM905 - reads best without quotes and commas
)
"""Errors that hold even if a declaration could not be read: it can neither cause them nor mend them."""

_DECLARED = ("no kind has", "`connected` needs", "`removed` needs")
"""How messages begin that miss a declaration, though their code is one of those that stand alone."""

_NAMES = frozenset(
    f"RW{number}"
    for number in """
    0201 0203 0209 0221 0224 0301 0303 0304 0305 0306 0307 0314 0508 0511 0519 0521 0528 0532 0538 0601 0607 0610
    """.split()  # noqa: SIM905 - as above
)
"""Errors about what is not there."""

_EVERYWHERE = frozenset(
    f"RW{number}"
    for number in "0209 0221 0224 0301 0304 0306 0307 0314 0315 0342 0508 0519 0528 0550 0601 0610 0613".split()  # noqa: SIM905
)
"""Errors about a name or the whole of a file, which are one wherever they stand."""

_WITHIN = frozenset({"RW0403", "RW0427", "RW0511", "RW0512", "RW0534"})
"""Errors that are one within a declaration."""

_SHOWN = 3


def alone(found: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """The findings that hold even if parts of the text could not be read."""
    stands = (each for each in found if each.code in _ALONE and each.severity is Severity.ERROR)
    return (each for each in stands if not each.message.startswith(_DECLARED))


def nameless(found: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """The findings that hold even if names are missing because files or amendments could not be brought together."""
    return (each for each in found if each.severity is Severity.ERROR and each.code not in _NAMES)


def causes(linked: Linked, found: Sequence[Diagnostic]) -> list[Diagnostic]:
    """The findings without those that follow from an error among them, each cause once.

    What hangs on proofs is left out in a declaration with another error, and in all that mention such a declaration:
    it is judged again once that is mended.
    """
    sure = [each for each in found if each.severity is Severity.ERROR and each.code not in _PROOFS]
    doubled = {_root(each) for each in sure if each.code == "RW0503"}
    kept = [each for each in found if each.code not in _STEPS or _root(each) not in doubled]
    if sure:
        broken = _broken(linked, {_root(each) for each in sure}, {part for each in sure for part in _parts(each)})
        kept = [each for each in kept if not (_hangs(each) and broken & {_root(each), ".".join(_parts(each))})]
    return kept


def one_by_cause(found: Sequence[Diagnostic]) -> list[Diagnostic]:
    """The findings of all stages, each cause once, without what follows from another stage."""
    codes = {each.code for each in found if each.severity is Severity.ERROR}
    without: set[str] = set()
    if codes & _ASTRAY:
        without.add("RW0603")
    if "RW0503" in codes:
        without.add("RW0610")
    if "RW0201" in codes:
        without.add("RW0613")
    kept = [each for each in found if each.code not in without]
    if codes & _EVERYWHERE:
        kept = [each for each in kept if not each.message.startswith(_DECLARED)]
    return _together(kept) if codes else kept


_ASTRAY = frozenset({"RW0601", "RW0602", "RW0607"})
"""Cites that lead nowhere: another clause may be meant."""


def _hangs(each: Diagnostic) -> bool:
    if each.severity is Severity.ERROR:
        return each.code in _PROOFS
    return not each.code.startswith("RW06")


def _root(each: Diagnostic) -> str:
    return each.address.partition("/")[0]


def _parts(each: Diagnostic) -> tuple[str, ...]:
    """The plain names of a declaration, and of its part, that a finding is about."""
    return tuple(part.rpartition(".")[2] for part in each.address.split("/")[:2])


def _broken(linked: Linked, roots: set[str], names: set[str]) -> set[str]:
    """The declarations that have an error, or mention one that has, directly or through others."""
    waiting = [(root, own, _mentioned(node)) for root, own, node in _pieces(linked)]
    roots, names = set(roots), set(names) - {""}
    while fresh := [each for each in waiting if each[0] in roots or each[2] & names]:
        waiting = [each for each in waiting if each not in fresh]
        roots |= {root for root, _, _ in fresh}
        names |= {own for root, own, mentioned in fresh if mentioned & names}
    return roots


def _pieces(linked: Linked) -> Iterator[tuple[str, str, Any]]:
    """What can mention something, with the declaration it belongs to and its own plain name."""
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


def _mentioned(node: Any) -> set[str]:  # a declaration or an attribute
    found: set[str] = set()
    for each in nodes_of(node) if isinstance(node, d.Declared) else nodes_in(node):
        match each:
            case Reference(name=name):
                found.add(name)
            case Attribute(name=name):
                found.add(name.text)
            case Dotted(parts=parts):
                found.add(parts[-1].text)
    return found


def _together(found: Sequence[Diagnostic]) -> list[Diagnostic]:
    """The findings, with those that say the same of several places made one, at the first of them."""
    groups: dict[tuple[str, ...], list[Diagnostic]] = {}
    of_kinds: dict[str, set[str]] = {}
    for each in found:
        if each.code == "RW0306":
            of_kinds.setdefault(_missing(each), set()).add(each.message)
    for number, each in enumerate(found):
        if each.code in _UNKNOWN and len(of_kinds.get(_missing(each), ())) <= 1:
            key: tuple[str, ...] = (_missing(each),)
        elif each.code in _EVERYWHERE:
            key = (each.code, each.message)
        else:
            key = (each.code, each.message, _root(each) if each.code in _WITHIN else str(number))
        groups.setdefault(key, []).append(each)
    return [_once(each) for each in groups.values()]


_UNKNOWN = frozenset({"RW0209", "RW0221", "RW0301", "RW0306", "RW0314", "RW0519", "RW0528", "RW0550"})
"""Errors about a name that nothing has; what it was to be differs from line to line."""


def _missing(each: Diagnostic) -> str:
    """The plain name that nothing has, as a message shows it."""
    shown = _SHOWN_NAME.findall(each.message)
    name: str = (shown[0] if each.code == "RW0301" else shown[-1]) if shown else each.message
    return name.rpartition(".")[2]


_SHOWN_NAME = re.compile(r"`([^`]+)`")


def _once(group: list[Diagnostic]) -> Diagnostic:
    """One finding for several places; its edits mend all of them."""
    places = list(dict.fromkeys(each.primary for each in group if each.primary))
    if len(places) < 2:  # noqa: PLR2004 - several
        return group[0]
    ordered = sorted(group, key=lambda each: each.primary.span if each.primary else places[0].span)
    others = [each.primary for each in ordered[1:] if each.primary]
    labels = tuple(Label(each.span, "here too") for each in others[:_SHOWN])
    more = len(others) - _SHOWN
    note = (f"So in {more} other place{'s' if more > 1 else ''}.",) if more > 0 else ()
    edits = tuple(replace(edit, safe=False) for each in ordered for edit in each.edits)
    mend_all = all(each.edits for each in group)
    return replace(
        ordered[0],
        secondary=(*ordered[0].secondary, *labels),
        notes=(*ordered[0].notes, *note),
        edits=tuple(dict.fromkeys(edits)) if mend_all else (),
    )


def misfits(linked: Linked, report: Report) -> frozenset[str]:
    """The derived procedures in which a parameter of another type takes a role of the base; reports RW0554."""
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
            message = f"the role `{role}` takes `{wanted}`, and `{player}` is `{own[player]}`"
            label = Label(there.span, "the role")
            report.error("RW0554", parameter.span, message, secondary=(label,))
            fits = False
    return fits


def told_once(linked: Linked, found: list[Diagnostic]) -> list[Diagnostic]:
    """Findings in lines taken over: what holds of the base too is said once, the rest names the procedure."""
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
            label = Label(derivation.node.head, f"`{derivation.node.name.text}` takes this line over")
            kept.append(replace(each, secondary=(*each.secondary, label)))
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


def naming_overlays(linked: Linked, found: list[Diagnostic]) -> list[Diagnostic]:
    """Errors and warnings in a part that an overlay amended, with the place in the overlay beside their own."""
    return [_named(each, linked) for each in found] if linked.amendments else found


def _named(each: Diagnostic, linked: Linked) -> Diagnostic:
    if each.severity is Severity.HINT or each.primary is None or not each.address:
        return each
    source, known = each.primary.span.source, {label.span for label in each.secondary}
    labels = {
        one.span: Label(one.span, f"`{one.overlay}` changes `{one.address}` here")
        for one in linked.amendments
        if one.overlay != source and one.span not in known and (_meet(one, each.address) or _is_told(one, each))
    }
    return replace(each, secondary=(*each.secondary, *labels.values())) if labels else each


def _is_told(amendment: Amendment, finding: Diagnostic) -> bool:
    """Whether a finding speaks of what was amended: ``there is no function `near` ``."""
    return all(f"`{part}`" in finding.message for part in amendment.address.split("/"))


def _meet(amendment: Amendment, address: str) -> bool:
    """Whether what was amended lies in the part that has the finding, or around it."""
    one, other = f"{amendment.address}/", f"{address}/"
    return one.startswith(other) or other.startswith(one)
