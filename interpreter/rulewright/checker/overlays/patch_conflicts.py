"""Conflicts of overlays and `like`: log of changed addresses, rivals, precedence, addresses that are missing."""

import dataclasses
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from rulewright.base.diagnostics import DiagnosticCollector, Label, Remedy
from rulewright.base.diagnostics.remedies import find_nearest_name, is_single_typo, make_respelling_remedy
from rulewright.base.frozen import dataclass
from rulewright.base.source import Span
from rulewright.checker.addresses import get_node_id, walk_address_pairs, walk_addressed_nodes
from rulewright.syntax.nodes import declarations as d
from rulewright.syntax.nodes.expressions import Dotted, Name

AddressPath = tuple[str, ...]
PartKey = tuple[str, str, Span | None]
"""Identity of a part: declaration, class of its node and place; without place for an address that is new."""

_CHANGE_VERBS = {
    "replace": ("replaces", "replace"),
    "remove": ("removes", "remove"),
    "insert": ("adds", "add"),
    "lines": ("adds lines to", "add lines to"),
    "beside": ("adds beside", "add beside"),
}


@dataclass(frozen=True, slots=True)
class OverlayChange:
    """Change of an amendment at an address."""

    source: str  # source of the changed declaration
    # enclosing addresses, outermost first, then its own; for `lines` that of the container, for `beside` that of the
    # anchor
    path: AddressPath
    keys: tuple[PartKey, ...]  # identities of these parts for the author
    change_kind: str  # `replace`, `remove`, `insert`, `lines` or `beside`
    overlay: str  # source of the amendment
    span: Span

    @property
    def address(self) -> str:
        return self.path[-1]

    def supersedes(self, other: "OverlayChange") -> bool:
        """Whether this change replaces or removes what the other changed."""
        inside = other.source == self.source and other.path[: len(self.path)] == self.path
        return inside and self.change_kind in {"replace", "remove"} and other.change_kind != "beside"

    def conflicts_with(self, other: "OverlayChange") -> bool:
        """Whether two changes exclude each other."""
        if self.source != other.source:
            return False
        shorter, longer = sorted((self, other), key=lambda change: len(change.keys))
        if shorter.keys[-1] not in longer.keys:
            return False
        same = shorter.keys[-1] == longer.keys[-1]
        change_kinds = {self.change_kind, other.change_kind}
        if "beside" in change_kinds:
            removal = next((change for change in (self, other) if change.change_kind == "remove"), None)
            return removal is not None and len(removal.keys) == len(shorter.keys)
        if shorter.change_kind == "lines" or (same and "lines" in change_kinds):
            return same and not change_kinds.isdisjoint({"replace", "remove"})
        return same or shorter.change_kind != "insert"


@dataclasses.dataclass(slots=True, eq=False, repr=False)
class OverlayChangeLog:
    """Changes of overlays so far."""

    uses_by_source: Mapping[str, frozenset[str]]  # sources that each source uses; an overlay builds on those it uses
    report: DiagnosticCollector
    # in the order in which they were made
    changes: list[OverlayChange] = dataclasses.field(default_factory=list)

    def record_change(self, change: OverlayChange) -> bool:
        """Records a change; False, with RW0612, where it conflicts with one of a rival overlay."""
        if self.report_rival_change(change, frozenset(_CHANGE_VERBS)):
            return False
        self.changes.append(change)
        return True

    def report_rival_change(
        self, change: OverlayChange, change_kinds: frozenset[str] = frozenset({"remove", "replace", "insert"})
    ) -> bool:
        """Whether a rival overlay changed what is at an address in one of these ways (RW0612)."""
        for earlier in self.changes:
            rivals = earlier.overlay != change.overlay and earlier.overlay not in self.below(change.overlay)
            if earlier.change_kind in change_kinds and rivals and earlier.conflicts_with(change):
                self._report_conflict(earlier, change)
                return True
        return False

    def find_removal(self, path: AddressPath) -> OverlayChange | None:
        """Overlay change that removed one of these addresses."""
        return next(
            (change for change in self.changes if change.change_kind == "remove" and change.address in path), None
        )

    def below(self, overlay: str) -> set[str]:
        """An overlay and all that it builds on by `use`, transitively."""
        reached = {overlay}
        fresh = [overlay]
        for name in fresh:
            fresh.extend(self.uses_by_source.get(name, frozenset()) - reached)
            reached.update(fresh)
        return reached

    def _report_conflict(self, earlier: OverlayChange, change: OverlayChange) -> None:
        there = (
            Label(
                earlier.span, f"`{earlier.overlay}` {_CHANGE_VERBS[earlier.change_kind][0]} `{earlier.address}` here"
            ),
        )
        remedy = f'take one of them out, or let the second build on the first: `use "{earlier.overlay}"`'
        self.report.error("RW0612", change.span, _format_conflict(earlier, change), secondary=there, help=remedy)


def _format_conflict(earlier: OverlayChange, change: OverlayChange) -> str:
    if (earlier.keys, earlier.change_kind) == (change.keys, change.change_kind):
        return (
            f"`{earlier.overlay}` and `{change.overlay}` both {_CHANGE_VERBS[change.change_kind][1]} `{change.address}`"
        )
    what = "it" if earlier.keys == change.keys else f"`{earlier.address}`"
    return (
        f"`{change.overlay}` {_CHANGE_VERBS[change.change_kind][0]} `{change.address}`, "
        f"but `{earlier.overlay}` {_CHANGE_VERBS[earlier.change_kind][0]} {what}"
    )


@dataclasses.dataclass(slots=True, eq=False, repr=False)
class ModuleLayers:
    """Sources of one module: files and overlays."""

    root: str  # main file
    files: list[str] = dataclasses.field(default_factory=list)  # in reading order
    overlays: list[str] = dataclasses.field(default_factory=list)  # in the order in which they are applied
    aliases: dict[str, str] = dataclasses.field(default_factory=dict)  # main file of each used module, by prefix
    broken_prefixes: set[str] = dataclasses.field(default_factory=set)
    prefix: str = ""

    @property
    def all_sources(self) -> tuple[str, ...]:
        return (*self.files, *self.overlays)


def iterate_named_declarations(
    name: Dotted,
    layers: ModuleLayers,
    modules: Mapping[str, ModuleLayers],
    texts: Mapping[str, tuple[d.Declaration, ...]],
) -> Iterator[tuple[str, d.Declaration]]:
    """Declarations that a dotted name can mean, each with its source."""
    for prefix in name.parts[:-1]:
        root = layers.aliases.get(prefix.text)
        if root is None:
            return
        layers = modules[root]
    for source in layers.all_sources:
        for text in texts[source]:
            result = getattr(text, "name", None)
            if result is not None and getattr(result, "text", "") == name.parts[-1].text:
                yield source, text


if TYPE_CHECKING:
    from rulewright.checker.overlays.amendments import DeclarationsBySource
    from rulewright.checker.overlays.like_procedures import DerivedProcedure


def report_missing_address(address: Name, declarations: list[d.Declaration], report: DiagnosticCollector) -> None:
    """Reports an address that does not exist, or is only a parameter, which no amendment takes (RW0610)."""
    if any(_has_doubled_step(one) for one in declarations if address.text.startswith(f"{get_node_id(one)}/")):
        return  # which is reported, and may be the one that is meant
    whole, _, last = address.text.rpartition("/")
    places = [part for one in declarations for part in walk_addressed_nodes(one)]
    owners = [place.node for place in places if whole and place.address == whole]
    given = (part for owner in owners for name in ("parameters", "results") for part in getattr(owner, name, ()))
    if any(item.name.text == last for item in given):
        message = f"`{last}` is a parameter of `{whole}`, which an overlay cannot change by itself"
        report.error(
            "RW0610",
            address.span,
            message,
            help=f"replace the whole of `{whole}`, or change what reads it",
            subject=address.text,
        )
        return
    known = list(dict.fromkeys(place.address for place in places if place.has_own_address))
    guess = _guess_address(address.text, known)
    safe = guess is not None and is_single_typo(address.text, guess, known)
    there = (
        prefix
        for prefix in list_address_prefixes(address.text)
        if not any(f"{one}/".startswith(f"{prefix}/") for one in known)
    )
    lacking = next(there, address.text)
    report.error(
        "RW0610",
        address.span,
        f"there is no `{lacking}`",
        remedy=make_respelling_remedy(address.span, guess, safe=safe) if guess else Remedy(),
        missing=lacking,
    )


def _has_doubled_step(node: d.Declaration) -> bool:
    names = [step.name.text for step in node.steps] if isinstance(node, d.Procedure) else []
    return len(set(names)) < len(names)


def _guess_address(address: str, known: list[str]) -> str | None:
    """Nearest address below the longest existing prefix, else the nearest of all."""
    elements = address.split("/")
    for length in range(len(elements) - 1, 0, -1):
        above = "/".join(elements[:length])
        if above in known:
            below = [item for item in known if item.startswith(f"{above}/")]
            here = {item.removeprefix(f"{above}/"): item for item in below}
            guess = find_nearest_name("/".join(elements[length:]), here)
            return here[guess] if guess else find_nearest_name(address, below)
    return find_nearest_name(address, known)


class ChangePolicy:
    """Reaction to changes by others: none; the base of those of overlays and of `like`."""

    def claim_change(self, change: OverlayChange) -> bool:  # noqa: ARG002 - for who has rivals
        """Whether a change may be made; records it, or reports a conflict."""
        return True

    def has_rival_change(self, change: OverlayChange) -> bool:  # noqa: ARG002 - for who has rivals
        """Whether a rival removed, replaced or added what is at an address; reports the conflict."""
        return False

    def report_missing(self, address: Name, around: AddressPath, known: list[d.Declaration]) -> None:
        """Reports an address that does not exist; `around` are the addresses that it stood in."""


@dataclasses.dataclass(slots=True, eq=False, repr=False)
class OverlayChangePolicy(ChangePolicy):
    """Policy of an overlay: conflicts with rival overlays, wins over a `like`."""

    change_log: OverlayChangeLog
    derived_procedures: "tuple[DerivedProcedure, ...]"
    following_overlays: tuple[str, ...]
    texts: "DeclarationsBySource"
    report: DiagnosticCollector

    def claim_change(self, change: OverlayChange) -> bool:
        """Records a change unless a rival overlay conflicts with it; hints where a `like` loses (RW0556)."""
        if not self.change_log.record_change(change):
            return False
        for derived_procedure in self.derived_procedures:
            beaten = next((own for own in derived_procedure.changes if change.supersedes(own)), None)
            if beaten is not None:
                message = f"this wins over the `{beaten.address}` of `{derived_procedure.node.name.text} like {derived_procedure.node.base.text}`"
                there = (Label(beaten.span, "it is changed here"),)
                self.report.hint("RW0556", change.span, message, secondary=there)
        return True

    def has_rival_change(self, change: OverlayChange) -> bool:
        return self.change_log.report_rival_change(change)

    def report_missing(self, address: Name, around: AddressPath, known: list[d.Declaration]) -> None:
        """Reports an address that does not exist, or only after a later overlay (RW0610)."""
        for name in self.following_overlays:
            if any(result == address.text for text in self.texts[name] for result, _ in walk_address_pairs(text)):
                message = f"there is no `{address.text}` before `{name}`"
                self.report.error(
                    "RW0610", address.span, message, help=f'build on it: `use "{name}"`', missing=address.text
                )
                return
        removal = self.change_log.find_removal((*around, *list_address_prefixes(address.text)))
        if removal is not None:
            message = f"there is no `{address.text}` any more"
            self.report.error(
                "RW0610", address.span, message, secondary=(_make_removal_label(removal),), missing=address.text
            )
            return
        report_missing_address(address, known, self.report)


@dataclasses.dataclass(slots=True, eq=False, repr=False)
class LikeChangePolicy(ChangePolicy):
    """Policy of a `like`: wins over overlays on its base, which were applied before."""

    overlay_changes: OverlayChangeLog
    node: d.ProcedureLike
    base: tuple[str, str]
    report: DiagnosticCollector
    own_changes: list[OverlayChange] = dataclasses.field(default_factory=list)

    def claim_change(self, change: OverlayChange) -> bool:
        """Records a change; hints where an overlay changed the same part of the base (RW0557)."""
        self.own_changes.append(change)
        source, name = self.base
        there = dataclasses.replace(
            change, source=source, path=tuple(_move_address(item, name) for item in change.path)
        )
        beaten = next((earlier for earlier in self.overlay_changes.changes if there.supersedes(earlier)), None)
        if beaten is not None:
            message = (
                f"the change that `{beaten.overlay}` makes to `{beaten.address}` does not reach `{change.address}`"
            )
            self.report.hint("RW0557", change.span, message, secondary=(Label(beaten.span, "said here"),))
        return True

    def report_missing(self, address: Name, around: AddressPath, known: list[d.Declaration]) -> None:
        """Reports an address that the base does not have, or no longer has (RW0610)."""
        del around
        _, below, rest = address.text.partition("/")
        removal = (
            self.overlay_changes.find_removal(list_address_prefixes(_move_address(address.text, self.base[1])))
            if below
            else None
        )
        if removal is None:
            addresses = (
                procedure
                for procedure in known
                if isinstance(procedure, d.Procedure) and procedure.name.text == self.node.name.text
            )
            report_missing_address(address, list(addresses), self.report)
            return
        message = f"`{self.node.base.text}` has no `{rest}` any more"
        self.report.error(
            "RW0610", address.span, message, secondary=(_make_removal_label(removal),), missing=address.text
        )


def make_new_address_keys(address: str) -> tuple[PartKey, ...]:
    """Part keys of an address that does not exist yet."""
    return tuple(("", prefix, None) for prefix in list_address_prefixes(address))


def list_address_prefixes(address: str) -> AddressPath:
    """Prefixes of an address, element by element, itself last."""
    elements = address.split("/")
    return tuple("/".join(elements[:length]) for length in range(1, len(elements) + 1))


def _move_address(address: str, declaration: str) -> str:
    _, below, rest = address.partition("/")
    return f"{declaration}{below}{rest}"


def _make_removal_label(removal: OverlayChange) -> Label:
    return Label(removal.span, f"`{removal.overlay}` removes it here")
