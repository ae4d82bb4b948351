"""Which addresses overlays and `like` have changed, who wins where two cannot be meant, and what an address meant."""

import dataclasses
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from rulewright.analysis.addresses import parts, placed
from rulewright.analysis.report import Report
from rulewright.diagnostics import Label
from rulewright.diagnostics.remedies import Remedy, is_slip, nearest, respelt
from rulewright.frozen import dataclass
from rulewright.source import Span
from rulewright.syntax.nodes import declarations as d
from rulewright.syntax.nodes.expressions import Dotted, Name

Path = tuple[str, ...]
Key = tuple[str, str, Span | None]
"""What tells a part from all others, whatever it is called: declaration, sort and place; or an address that is new."""

_VERBS = {
    "replace": ("replaces", "replace"),
    "remove": ("removes", "remove"),
    "insert": ("adds", "add"),
    "lines": ("adds lines to", "add lines to"),
    "beside": ("adds beside", "add beside"),
}


@dataclass(frozen=True, slots=True)
class Touch:
    """What an amendment does at an address."""

    source: str  # the text of the declaration it changes
    # the addresses of all that it stands in, outermost first, then its own; for `lines` that of the part they stand in,
    # for `beside` that of the anchor
    path: Path
    keys: tuple[Key, ...]  # what these addresses mean to who wrote them
    deed: str  # `replace`, `remove`, `insert`, `lines` or `beside`
    overlay: str  # the text of the amendment
    span: Span  # its place

    @property
    def address(self) -> str:
        """The address itself."""
        return self.path[-1]

    def covers(self, other: "Touch") -> bool:
        """Whether this takes the place of what the other changed."""
        inside = other.source == self.source and other.path[: len(self.path)] == self.path
        return inside and self.deed in {"replace", "remove"} and other.deed != "beside"

    def meets(self, other: "Touch") -> bool:
        """Whether both cannot be meant at once."""
        if self.source != other.source:
            return False
        shorter, longer = sorted((self, other), key=lambda touch: len(touch.keys))
        if shorter.keys[-1] not in longer.keys:
            return False
        same = shorter.keys[-1] == longer.keys[-1]
        deeds = {self.deed, other.deed}
        if "beside" in deeds:
            gone = next((each for each in (self, other) if each.deed == "remove"), None)
            return gone is not None and len(gone.keys) == len(shorter.keys)
        if shorter.deed == "lines" or (same and "lines" in deeds):
            return same and not deeds.isdisjoint({"replace", "remove"})
        return same or shorter.deed != "insert"


@dataclasses.dataclass(slots=True, eq=False, repr=False)
class Touches:
    """What overlays have changed so far."""

    uses: Mapping[str, frozenset[str]]  # the texts that each text uses, by which an overlay builds on another
    report: Report  # where conflicts go
    all: list[Touch] = dataclasses.field(default_factory=list)  # every change, in the order in which it was made

    def free(self, touch: Touch) -> bool:
        """Notes a change, unless another overlay has its hand there; reports the one that has (RW0612)."""
        for earlier in self.all:
            if self._rivals(earlier, touch) and earlier.meets(touch):
                self._conflict(earlier, touch)
                return False
        self.all.append(touch)
        return True

    def rival(self, touch: Touch) -> bool:
        """Whether a rival overlay has removed, replaced or added what is at an address; reports it as a conflict."""
        for earlier in self.all:
            there = earlier.deed in {"remove", "replace", "insert"}
            if there and self._rivals(earlier, touch) and earlier.meets(touch):
                self._conflict(earlier, touch)
                return True
        return False

    def removal(self, path: Path) -> Touch | None:
        """The overlay that removed one of these addresses."""
        return next((each for each in self.all if each.deed == "remove" and each.address in path), None)

    def _rivals(self, earlier: Touch, touch: Touch) -> bool:
        return earlier.overlay != touch.overlay and earlier.overlay not in self.below(touch.overlay)

    def below(self, overlay: str) -> set[str]:
        """An overlay and everything it builds on."""
        reached = {overlay}
        fresh = [overlay]
        for name in fresh:
            fresh.extend(self.uses.get(name, frozenset()) - reached)
            reached.update(fresh)
        return reached

    def _conflict(self, earlier: Touch, touch: Touch) -> None:
        there = (Label(earlier.span, f"`{earlier.overlay}` {_VERBS[earlier.deed][0]} `{earlier.address}` here"),)
        remedy = f'take one of them out, or let the second build on the first: `use "{earlier.overlay}"`'
        self.report.error("RW0612", touch.span, _message(earlier, touch), secondary=there, help=remedy)


def _message(earlier: Touch, touch: Touch) -> str:
    if (earlier.keys, earlier.deed) == (touch.keys, touch.deed):
        return f"`{earlier.overlay}` and `{touch.overlay}` both {_VERBS[touch.deed][1]} `{touch.address}`"
    what = "it" if earlier.keys == touch.keys else f"`{earlier.address}`"
    return (
        f"`{touch.overlay}` {_VERBS[touch.deed][0]} `{touch.address}`, "
        f"but `{earlier.overlay}` {_VERBS[earlier.deed][0]} {what}"
    )


@dataclass(frozen=True, slots=True)
class Layers:
    """The texts of one module."""

    root: str  # its main file
    files: tuple[str, ...]  # its files in reading order
    overlays: tuple[str, ...]  # the overlays that amend it, in the order in which they are applied
    aliases: Mapping[str, str]  # by prefix the main file of each module it uses

    @property
    def names(self) -> tuple[str, ...]:
        """All its texts, overlays last."""
        return (*self.files, *self.overlays)


def declared(
    name: Dotted, layers: Layers, modules: Mapping[str, Layers], texts: Mapping[str, tuple[d.Declaration, ...]]
) -> Iterator[tuple[str, d.Declaration]]:
    """The declarations a dotted name can stand for, each with its text."""
    for prefix in name.parts[:-1]:
        root = layers.aliases.get(prefix.text)
        if root is None:
            return
        layers = modules[root]
    for source in layers.names:
        for each in texts[source]:
            found = getattr(each, "name", None)
            if found is not None and getattr(found, "text", "") == name.parts[-1].text:
                yield source, each


if TYPE_CHECKING:
    from rulewright.analysis.overlays.amend import Texts
    from rulewright.analysis.overlays.likes import Derived


def missing(address: Name, declarations: list[d.Declaration], report: Report) -> None:
    """Reports an address that nothing has, or only a parameter, which no amendment takes (RW0610)."""
    whole, _, last = address.text.rpartition("/")
    places = [each for one in declarations for each in parts(one)]
    owners = [each.node for each in places if whole and each.address == whole]
    given = (part for each in owners for name in ("parameters", "results") for part in getattr(each, name, ()))
    if any(each.name.text == last for each in given):
        message = f"`{last}` is a parameter of `{whole}`, which an overlay cannot change by itself"
        report.error("RW0610", address.span, message, help=f"replace the whole of `{whole}`, or change what reads it")
        return
    known = list(dict.fromkeys(each.address for each in places if each.own))
    guess = _guess(address.text, known)
    safe = guess is not None and is_slip(address.text, guess, known)
    there = (each for each in ends(address.text) if not any(f"{one}/".startswith(f"{each}/") for one in known))
    message = f"there is no `{next(there, address.text)}`"
    report.error("RW0610", address.span, message, remedy=respelt(address.span, guess, safe=safe) if guess else Remedy())


def _guess(address: str, known: list[str]) -> str | None:
    """The nearest address below the longest part of this one that exists, else the nearest of all."""
    elements = address.split("/")
    for length in range(len(elements) - 1, 0, -1):
        above = "/".join(elements[:length])
        if above in known:
            below = [each for each in known if each.startswith(f"{above}/")]
            here = {each.removeprefix(f"{above}/"): each for each in below}
            guess = nearest("/".join(elements[length:]), here)
            return here[guess] if guess else nearest(address, below)
    return nearest(address, known)


class Hand:
    """Who amends, and what others have changed before: nobody, unless a class says otherwise."""

    def free(self, touch: Touch) -> bool:  # noqa: ARG002 - for who has rivals
        """Whether a change may be made; notes it, or reports what is in the way."""
        return True

    def rival(self, touch: Touch) -> bool:  # noqa: ARG002 - for who has rivals
        """Whether somebody else removed, replaced or added what is at an address; reports it as a conflict."""
        return False

    def missing(self, address: Name, around: Path, known: list[d.Declaration]) -> None:
        """Reports an address that nothing has, or no longer: then `around` is what it stood in."""


@dataclasses.dataclass(slots=True, eq=False, repr=False)
class OverlayHand(Hand):
    """An overlay: rivals with other overlays, stronger than a `like`."""

    touches: Touches
    derived: "tuple[Derived, ...]"
    later: tuple[str, ...]
    texts: "Texts"
    report: Report

    def free(self, touch: Touch) -> bool:
        """Notes a change, unless another overlay has its hand there; hints where a `like` loses (RW0556)."""
        if not self.touches.free(touch):
            return False
        for each in self.derived:
            beaten = next((own for own in each.touches if touch.covers(own)), None)
            if beaten is not None:
                message = f"this wins over the `{beaten.address}` of `{each.node.name.text} like {each.node.base.text}`"
                there = (Label(beaten.span, "it is changed here"),)
                self.report.hint("RW0556", touch.span, message, secondary=there)
        return True

    def rival(self, touch: Touch) -> bool:
        """Whether another overlay removed or added what is at an address."""
        return self.touches.rival(touch)

    def missing(self, address: Name, around: Path, known: list[d.Declaration]) -> None:
        """Reports an address that nothing has, or that only an overlay applied later has (RW0610)."""
        for name in self.later:
            if any(found == address.text for each in self.texts[name] for found, _ in placed(each)):
                message = f"there is no `{address.text}` before `{name}`"
                self.report.error("RW0610", address.span, message, help=f'build on it: `use "{name}"`')
                return
        removal = self.touches.removal((*around, *ends(address.text)))
        if removal is not None:
            message = f"there is no `{address.text}` any more"
            self.report.error("RW0610", address.span, message, secondary=(_gone(removal),))
            return
        missing(address, known, self.report)


@dataclasses.dataclass(slots=True, eq=False, repr=False)
class LikeHand(Hand):
    """A `like`: stronger than overlays on its base, which came before and are built on."""

    overlays: Touches
    node: d.ProcedureLike
    base: tuple[str, str]
    report: Report
    touches: list[Touch] = dataclasses.field(default_factory=list)

    def free(self, touch: Touch) -> bool:
        """Notes a change; hints where an overlay changed the same of the base (RW0557)."""
        self.touches.append(touch)
        source, name = self.base
        there = dataclasses.replace(touch, source=source, path=tuple(_elsewhere(each, name) for each in touch.path))
        beaten = next((each for each in self.overlays.all if there.covers(each)), None)
        if beaten is not None:
            message = f"the change that `{beaten.overlay}` makes to `{beaten.address}` does not reach `{touch.address}`"
            self.report.hint("RW0557", touch.span, message, secondary=(Label(beaten.span, "said here"),))
        return True

    def missing(self, address: Name, around: Path, known: list[d.Declaration]) -> None:
        """Reports an address that the base has not, or no more (RW0610)."""
        del around
        _, below, rest = address.text.partition("/")
        removal = self.overlays.removal(ends(_elsewhere(address.text, self.base[1]))) if below else None
        if removal is None:
            own = (each for each in known if isinstance(each, d.Procedure) and each.name.text == self.node.name.text)
            missing(address, list(own), self.report)
            return
        message = f"`{self.node.base.text}` has no `{rest}` any more"
        self.report.error("RW0610", address.span, message, secondary=(_gone(removal),))


def unknown(address: str) -> tuple[Key, ...]:
    """The keys of an address that nothing has yet."""
    return tuple(("", each, None) for each in ends(address))


def ends(address: str) -> Path:
    """An address and what its elements before the last are the address of."""
    elements = address.split("/")
    return tuple("/".join(elements[:length]) for length in range(1, len(elements) + 1))


def _elsewhere(address: str, declaration: str) -> str:
    """The same address in another declaration."""
    _, below, rest = address.partition("/")
    return f"{declaration}{below}{rest}"


def _gone(removal: Touch) -> Label:
    return Label(removal.span, f"`{removal.overlay}` removes it here")
