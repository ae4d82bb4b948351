"""Which addresses overlays and `like` have changed, and what two of them cannot both mean."""

import dataclasses
from collections.abc import Mapping

from rulewright.analysis.report import Report
from rulewright.diagnostics import Label
from rulewright.frozen import dataclass
from rulewright.source import Span

Path = tuple[str, ...]

_VERBS = {
    "replace": ("replaces", "replace"),
    "remove": ("removes", "remove"),
    "insert": ("adds", "add"),
    "lines": ("adds lines to", "add lines to"),
    "beside": ("adds beside", "add beside"),
}


@dataclass(frozen=True, slots=True)
class Touch:
    """What an amendment does at an address.

    Attributes:
        source: the text of the declaration it changes.
        path: the address; for `lines` that of the part they stand in, for `beside` that of the anchor.
        deed: `replace`, `remove`, `insert`, `lines` or `beside`.
        overlay: the text of the amendment.
        span: its place.
    """

    source: str
    path: Path
    deed: str
    overlay: str
    span: Span

    @property
    def address(self) -> str:
        """The address as written."""
        return "/".join(self.path)

    def covers(self, other: "Touch") -> bool:
        """Whether this takes the place of what the other changed."""
        inside = other.source == self.source and other.path[: len(self.path)] == self.path
        return inside and self.deed in {"replace", "remove"} and other.deed != "beside"

    def meets(self, other: "Touch") -> bool:
        """Whether both cannot be meant at once."""
        if self.source != other.source:
            return False
        shorter, longer = sorted((self, other), key=lambda touch: len(touch.path))
        if longer.path[: len(shorter.path)] != shorter.path:
            return False
        same = shorter.path == longer.path
        deeds = {self.deed, other.deed}
        if "beside" in deeds:
            gone = next((each for each in (self, other) if each.deed == "remove"), None)
            return gone is not None and len(gone.path) == len(shorter.path)
        if shorter.deed == "lines" or (same and "lines" in deeds):
            return same and not deeds.isdisjoint({"replace", "remove"})
        return same or shorter.deed != "insert"


@dataclasses.dataclass(slots=True, eq=False, repr=False)
class Touches:
    """What overlays have changed so far.

    Attributes:
        uses: the texts that each text uses, by which an overlay builds on another.
        report: where conflicts go.
        all: every change, in the order in which it was made.
    """

    uses: Mapping[str, frozenset[str]]
    report: Report
    all: list[Touch] = dataclasses.field(default_factory=list)

    def free(self, touch: Touch) -> bool:
        """Notes a change, unless another overlay has its hand there; reports the one that has (RW0612)."""
        for earlier in self.all:
            if self._rivals(earlier, touch) and earlier.meets(touch):
                self._conflict(earlier, touch)
                return False
        self.all.append(touch)
        return True

    def rival(self, touch: Touch) -> bool:
        """Whether a rival overlay has removed or added what is at an address; reports it as a conflict."""
        for earlier in self.all:
            if earlier.deed in {"remove", "insert"} and self._rivals(earlier, touch) and earlier.meets(touch):
                self._conflict(earlier, touch)
                return True
        return False

    def removal(self, path: Path) -> Touch | None:
        """The overlay that removed an address, or what was around it."""
        removals = (each for each in self.all if each.deed == "remove")
        return next((each for each in removals if path[: len(each.path)] == each.path), None)

    def _rivals(self, earlier: Touch, touch: Touch) -> bool:
        return earlier.overlay != touch.overlay and earlier.overlay not in self._below(touch.overlay)

    def _below(self, overlay: str) -> set[str]:
        """Everything an overlay builds on."""
        reached = {overlay}
        fresh = [overlay]
        for name in fresh:
            fresh.extend(self.uses.get(name, frozenset()) - reached)
            reached.update(fresh)
        return reached

    def _conflict(self, earlier: Touch, touch: Touch) -> None:
        self.report.error(
            "RW0612",
            touch.span,
            _message(earlier, touch),
            secondary=(Label(earlier.span, f"`{earlier.overlay}` {_VERBS[earlier.deed][0]} `{earlier.address}` here"),),
            help=f'take one of them out, or let the second build on the first: `use "{earlier.overlay}"`',
        )


def _message(earlier: Touch, touch: Touch) -> str:
    if (earlier.path, earlier.deed) == (touch.path, touch.deed):
        return f"`{earlier.overlay}` and `{touch.overlay}` both {_VERBS[touch.deed][1]} `{touch.address}`"
    what = "it" if earlier.path == touch.path else f"`{earlier.address}`"
    return (
        f"`{touch.overlay}` {_VERBS[touch.deed][0]} `{touch.address}`, "
        f"but `{earlier.overlay}` {_VERBS[earlier.deed][0]} {what}"
    )
