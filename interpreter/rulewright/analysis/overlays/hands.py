"""What stands in the way of overlays and of `like`, who wins, and what a wrong address probably meant."""

import dataclasses
from typing import TYPE_CHECKING

from rulewright.analysis.addresses import parts
from rulewright.analysis.overlays.touches import Touch, Touches
from rulewright.analysis.report import Report
from rulewright.diagnostics import Label
from rulewright.syntax.nodes import declarations as d
from rulewright.syntax.nodes.expressions import Name

if TYPE_CHECKING:
    from rulewright.analysis.overlays.amend import Texts
    from rulewright.analysis.overlays.likes import Derived
from collections.abc import Iterable

from rulewright.analysis.addresses import Node
from rulewright.diagnostics.suggest import Remedy, is_slip, nearest, respelt


def missing(address: Name, declarations: Iterable[Node], report: Report) -> None:
    """Reports an address that nothing has (RW0610)."""
    known = [found for declaration in declarations for found, _ in parts(declaration)]
    guess = _guess(address.text, known)
    safe = guess is not None and is_slip(address.text, guess, known)
    remedy = respelt(address.span, guess, safe=safe) if guess else Remedy()
    message = f"there is no `{_absent(address.text, known)}`"
    report.error("RW0610", address.span, message, help=remedy.help, edits=remedy.edits)


def _absent(address: str, known: list[str]) -> str:
    """An address up to its first element that is not there."""
    elements = address.split("/")
    ways = ("/".join(elements[:length]) for length in range(1, len(elements)))
    return next((each for each in ways if not any(f"{one}/".startswith(f"{each}/") for one in known)), address)


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


@dataclasses.dataclass(slots=True, eq=False, repr=False)
class OverlayHand:
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
                self._wins(touch, beaten, each)
        return True

    def _wins(self, touch: Touch, beaten: Touch, derived: "Derived") -> None:
        message = f"this wins over the `{beaten.address}` of `{derived.node.name.text} like {derived.node.base.text}`"
        there = (Label(beaten.span, "it says otherwise here"),)
        self.report.hint("RW0556", touch.span, message, secondary=there)

    def rival(self, touch: Touch) -> bool:
        """Whether another overlay removed or added what is at an address."""
        return self.touches.rival(touch)

    def missing(self, address: Name, known: list[d.Declaration]) -> None:
        """Reports an address that nothing has, or that only an overlay applied later has (RW0610)."""
        for name in self.later:
            if any(found == address.text for each in self.texts[name] for found, _ in parts(each)):
                message = f"there is no `{address.text}` before `{name}`"
                self.report.error("RW0610", address.span, message, help=f'build on it: `use "{name}"`')
                return
        removal = self.touches.removal(tuple(address.text.split("/")))
        if removal is not None:
            message = f"there is no `{address.text}` any more"
            self.report.error("RW0610", address.span, message, secondary=(_gone(removal),))
            return
        missing(address, known, self.report)


@dataclasses.dataclass(slots=True, eq=False, repr=False)
class LikeHand:
    """A `like`: stronger than overlays on its base."""

    overlays: Touches
    node: d.ProcedureLike
    base: tuple[str, str]
    report: Report
    touches: list[Touch] = dataclasses.field(default_factory=list)

    def free(self, touch: Touch) -> bool:
        """Notes a change; hints where an overlay changed the same of the base (RW0557)."""
        self.touches.append(touch)
        source, name = self.base
        there = dataclasses.replace(touch, source=source, path=(name, *touch.path[1:]))
        beaten = next((each for each in self.overlays.all if there.covers(each)), None)
        if beaten is not None:
            message = f"what `{beaten.overlay}` says of `{beaten.address}` does not reach `{touch.address}`"
            self.report.hint("RW0557", touch.span, message, secondary=(Label(beaten.span, "said here"),))
        return True

    def rival(self, touch: Touch) -> bool:
        """Nobody: overlays on the base came before and are built on."""
        del touch
        return False

    def missing(self, address: Name, known: list[d.Declaration]) -> None:
        """Reports an address that the base has not, or no more (RW0610)."""
        _, below, rest = address.text.partition("/")
        removal = self.overlays.removal((self.base[1], *rest.split("/"))) if below else None
        if removal is None:
            missing(address, [each for each in known if _named(each, self.node.name.text)], self.report)
            return
        message = f"`{self.node.base.text}` has no `{rest}` any more"
        self.report.error("RW0610", address.span, message, secondary=(_gone(removal),))


def _gone(removal: Touch) -> Label:
    return Label(removal.span, f"`{removal.overlay}` removes it here")


def _named(declaration: d.Declaration, name: str) -> bool:
    return isinstance(declaration, d.Procedure) and declaration.name.text == name
