"""The order of change: overlays on a base, then what is `like` it, then overlays on that (manual, Elsewhere)."""

from collections.abc import Mapping

from rulewright.analysis.addresses import Node
from rulewright.analysis.overlays.amend import Amending, Texts, departures, refuse, split
from rulewright.analysis.overlays.likes import Derived, Like, derive, find_likes
from rulewright.analysis.overlays.touches import Hand, Layers, OverlayHand, Touch, Touches
from rulewright.analysis.report import Report
from rulewright.frozen import dataclass
from rulewright.syntax.nodes import declarations as d


@dataclass(frozen=True, slots=True)
class Amended:
    """What overlays and `like` work on."""

    texts: Texts  # the declarations of each source; changed by `amend`
    modules: Mapping[str, Layers]  # the texts of each module, by its main file; each after those it uses
    owners: Mapping[str, str]  # by source the main file of the module it belongs to
    uses: Mapping[str, frozenset[str]]  # the sources that each source uses
    documents: Mapping[str, str]  # what bare cites of a source mean
    report: Report  # where findings go


@dataclass(frozen=True, slots=True)
class Changes:
    """What was done."""

    derived: tuple[Derived, ...]  # procedures made by `like`, each after its base
    touches: tuple[Touch, ...]  # every change of an overlay, in order
    # by overlay and address the parts that it is about, as its author read them; none where there is none
    met: Mapping[str, Mapping[str, Node | None]]


def amend(amended: Amended) -> Changes:
    """Applies all overlays and every `like`; afterwards no text holds an amendment, and a `like` only where it failed.

    Reports RW0550 to RW0558 and RW0610 to RW0616.
    """
    return _Work(amended).done()


@dataclass(frozen=True, slots=True)
class _Overlay:
    """The amendments of an overlay, what they may change and how deep the procedure of each is derived."""

    name: str
    names: tuple[str, ...]
    later: tuple[str, ...]
    amendments: tuple[tuple[int, d.Amendment], ...]


class _Work:
    """Overlays and derivations being applied."""

    def __init__(self, amended: Amended) -> None:
        self._amended = amended
        self._touches = Touches(amended.uses, amended.report)
        self._likes = find_likes(amended.modules, amended.owners, amended.texts, amended.report)
        self._derived: list[Derived] = []
        self._met: dict[str, dict[str, Node | None]] = {}

    def done(self) -> Changes:
        overlays = self._overlays()
        deepest = max((each.depth for each in self._likes), default=0)
        for depth in range(deepest + 1):
            for like in self._likes:
                if like.depth == depth:
                    self._derive(like)
            before = dict(self._amended.texts)
            for place, overlay in enumerate(overlays):
                self._apply(overlay, depth, self._read(overlays[:place], overlay, depth, before))
        return Changes(tuple(self._derived), tuple(self._touches.all), self._met)

    def _overlays(self) -> list[_Overlay]:
        found = []
        seen: set[str] = set()
        for layers in self._amended.modules.values():
            for name in (each for each in layers.files if each not in seen):
                seen.add(name)
                refuse(split(self._amended.texts, name), self._amended.report)
            for place, name in enumerate(layers.overlays):
                names = (*layers.files, *layers.overlays[: place + 1])
                amendments = split(self._amended.texts, name)
                depths = tuple((self._depth(each, names), each) for each in amendments)
                found.append(_Overlay(name, names, layers.overlays[place + 1 :], depths))
        return found

    def _depth(self, amendment: d.Amendment, names: tuple[str, ...]) -> int:
        """How often what an amendment changes is derived from something else."""
        root = _root(amendment)
        same = (each for each in self._likes if each.node.name.text == root and each.source in names)
        return max((each.depth for each in same), default=0)

    def _derive(self, like: Like) -> None:
        made = derive(like, self._amended.texts, self._touches, self._amended.documents, self._amended.report)
        if made is not None:
            self._derived.append(made)

    def _read(self, applied: list[_Overlay], overlay: _Overlay, depth: int, before: Texts) -> Texts:
        """What the author of an overlay reads: the texts with the overlays that it builds on, without all others."""
        below = self._touches.below(overlay.name)
        known = [each for each in applied if each.name in below]
        if len(known) == len(applied):
            return dict(self._amended.texts)
        texts = dict(before)
        for each in known:
            self._change(each, depth, texts, self._read(known[: known.index(each)], each, depth, before), None)
        return texts

    def _apply(self, overlay: _Overlay, depth: int, read: Texts) -> None:
        texts, report = self._amended.texts, self._amended.report
        hand = OverlayHand(self._touches, tuple(self._derived), overlay.later, texts, report)
        self._change(overlay, depth, texts, read, hand)

    def _change(self, overlay: _Overlay, depth: int, texts: Texts, read: Texts, hand: OverlayHand | None) -> None:
        """Makes the changes of an overlay; without a hand in silence, as they are made a second time."""
        documents = self._amended.documents
        departed = departures(texts, overlay.name, documents)
        report = self._amended.report if hand else Report()
        met = self._met.setdefault(overlay.name, {}) if hand else {}
        given = hand or Hand()
        work = Amending(texts, read, overlay.names, overlay.name, departed, documents, given, report, met)
        for own, amendment in overlay.amendments:
            if own == depth:
                work.apply(amendment)


def _root(amendment: d.Amendment) -> str:
    match amendment:
        case d.Replace(target=target) | d.Insert(anchor=None, target=target):
            return target.address.text.partition("/")[0]
        case d.ReplaceWhole(declaration=declaration):
            return declaration.name.text
        case d.RemovePart(address=address) | d.ReplaceLine(address=address):
            return address.text.partition("/")[0]
        case d.Insert() | d.InsertLines():
            return amendment.anchor.text.partition("/")[0] if amendment.anchor else ""
