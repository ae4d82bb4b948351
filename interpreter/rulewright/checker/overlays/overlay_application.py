"""Application of overlays to syntax trees: overlays on a base, then what is `like` it, then overlays on that."""

from collections.abc import Mapping

from rulewright.base.diagnostics import DiagnosticCollector
from rulewright.base.frozen import dataclass
from rulewright.checker.addresses import DeclarationNode
from rulewright.checker.overlays.amendments import (
    Amender,
    DeclarationsBySource,
    collect_departed_clauses,
    report_misplaced_amendments,
    take_amendments,
)
from rulewright.checker.overlays.like_procedures import (
    DerivedProcedure,
    LikeDeclaration,
    derive_procedure,
    find_like_declarations,
)
from rulewright.checker.overlays.patch_conflicts import (
    ChangePolicy,
    ModuleLayers,
    OverlayChange,
    OverlayChangeLog,
    OverlayChangePolicy,
)
from rulewright.syntax.nodes import declarations as d


@dataclass(frozen=True, slots=True)
class AmendmentInput:
    """Declarations, modules and documents that overlays and `like` are applied to."""

    texts: DeclarationsBySource  # declarations by source; changed in place
    modules: Mapping[str, ModuleLayers]  # layers by the main file of a module, in dependency order
    owners: Mapping[str, str]  # main file of the module of each source
    uses: Mapping[str, frozenset[str]]  # sources that each source uses
    documents: Mapping[str, str]  # document of bare cites, by source
    report: DiagnosticCollector


@dataclass(frozen=True, slots=True)
class AmendmentResult:
    """Derived procedures and the log of changes."""

    derived_procedures: tuple[DerivedProcedure, ...]  # each after its base
    changes: tuple[OverlayChange, ...]  # in order
    # amended nodes by overlay and address, as the author read them; None where there is none
    amended_nodes: Mapping[str, Mapping[str, DeclarationNode | None]]


def apply_overlays(amended: AmendmentInput) -> AmendmentResult:
    """Applies all overlays and every `like`, in place in `amended.texts`.

    Afterwards no text holds an amendment, and a `like` only where it failed. Reports RW0550 to RW0558 and RW0610 to
    RW0616.
    """
    return _OverlayApplication(amended).apply_all()


@dataclass(frozen=True, slots=True)
class _PreparedOverlay:
    """Amendments of an overlay, each with the derivation depth of its target, and the sources it may change."""

    name: str
    changeable_sources: tuple[str, ...]
    following_overlays: tuple[str, ...]
    amendments: tuple[tuple[int, d.Amendment], ...]


class _OverlayApplication:
    def __init__(self, amended: AmendmentInput) -> None:
        self._input = amended
        self._change_log = OverlayChangeLog(amended.uses, amended.report)
        self._like_declarations = find_like_declarations(amended.modules, amended.owners, amended.texts, amended.report)
        self._derived: list[DerivedProcedure] = []
        self._amended_nodes: dict[str, dict[str, DeclarationNode | None]] = {}

    def apply_all(self) -> AmendmentResult:
        overlays = self._prepare_overlays()
        deepest = max((like.depth for like in self._like_declarations), default=0)
        for depth in range(deepest + 1):
            for like in self._like_declarations:
                if like.depth == depth:
                    self._derive_procedure(like)
            before = dict(self._input.texts)
            for place, overlay in enumerate(overlays):
                self._apply_overlay(overlay, depth, self._rebuild_texts_read(overlays[:place], overlay, depth, before))
        return AmendmentResult(tuple(self._derived), tuple(self._change_log.changes), self._amended_nodes)

    def _prepare_overlays(self) -> list[_PreparedOverlay]:
        result = []
        visited: set[str] = set()
        for layers in self._input.modules.values():
            for name in (file for file in layers.files if file not in visited):
                visited.add(name)
                report_misplaced_amendments(take_amendments(self._input.texts, name), self._input.report)
            for place, name in enumerate(layers.overlays):
                names = (*layers.files, *layers.overlays[: place + 1])
                amendments = take_amendments(self._input.texts, name)
                depths = tuple((self._get_derivation_depth(amendment, names), amendment) for amendment in amendments)
                result.append(_PreparedOverlay(name, names, tuple(layers.overlays[place + 1 :]), depths))
        return result

    def _get_derivation_depth(self, amendment: d.Amendment, names: tuple[str, ...]) -> int:
        """Number of `like` between the target of an amendment and what is written out."""
        root = _get_amended_declaration(amendment)
        same = (like for like in self._like_declarations if like.node.name.text == root and like.source in names)
        return max((like.depth for like in same), default=0)

    def _derive_procedure(self, like: LikeDeclaration) -> None:
        derived = derive_procedure(like, self._input.texts, self._change_log, self._input.documents, self._input.report)
        if derived is not None:
            self._derived.append(derived)

    def _rebuild_texts_read(
        self, applied: list[_PreparedOverlay], overlay: _PreparedOverlay, depth: int, before: DeclarationsBySource
    ) -> DeclarationsBySource:
        """Declarations as the author of an overlay reads them: with the overlays it builds on, without others."""
        below = self._change_log.below(overlay.name)
        known = [item for item in applied if item.name in below]
        if len(known) == len(applied):
            return dict(self._input.texts)
        texts = dict(before)
        for prepared_overlay in known:
            self._make_changes(
                prepared_overlay,
                depth,
                texts,
                self._rebuild_texts_read(known[: known.index(prepared_overlay)], prepared_overlay, depth, before),
                None,
            )
        return texts

    def _apply_overlay(self, overlay: _PreparedOverlay, depth: int, read: DeclarationsBySource) -> None:
        texts, report = self._input.texts, self._input.report
        policy = OverlayChangePolicy(self._change_log, tuple(self._derived), overlay.following_overlays, texts, report)
        self._make_changes(overlay, depth, texts, read, policy)

    def _make_changes(
        self,
        overlay: _PreparedOverlay,
        depth: int,
        texts: DeclarationsBySource,
        read: DeclarationsBySource,
        policy: OverlayChangePolicy | None,
    ) -> None:
        """Applies an overlay; without a policy silently, for changes that are rebuilt."""
        documents = self._input.documents
        departed = collect_departed_clauses(texts, overlay.name, documents)
        report = self._input.report if policy else DiagnosticCollector()
        met = self._amended_nodes.setdefault(overlay.name, {}) if policy else {}
        given = policy or ChangePolicy()
        amender = Amender(
            texts, read, overlay.changeable_sources, overlay.name, departed, documents, given, report, met
        )
        for amendment_depth, amendment in overlay.amendments:
            if amendment_depth == depth:
                amender.apply_amendment(amendment)


def _get_amended_declaration(amendment: d.Amendment) -> str:
    match amendment:
        case d.Replace(target=target) | d.Insert(anchor=None, target=target):
            return target.address.text.partition("/")[0]
        case d.ReplaceWhole(declaration=declaration):
            return declaration.name.text
        case d.RemovePart(address=address) | d.ReplaceLine(address=address):
            return address.text.partition("/")[0]
        case d.Insert() | d.InsertLines():
            return amendment.anchor.text.partition("/")[0] if amendment.anchor else ""
