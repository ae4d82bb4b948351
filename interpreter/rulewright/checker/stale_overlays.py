"""Whether the rules that an overlay was written for have changed since (manual, Elsewhere).

An overlay may say which rules its author read: `written for revision "1" fingerprint "3f2a9c01 77e2b5 4b1d02"`. The
fingerprint begins with that of the ruleset without overlays. Then follow one of the addresses that the overlay is
about, and one of what stood at each of them, in the order of the addresses.
"""

from collections.abc import Mapping
from dataclasses import replace

from rulewright.base.diagnostics.model import Edit
from rulewright.base.frozen import dataclass
from rulewright.checker.checker import compute_fingerprint, compute_node_digest
from rulewright.checker.diagnostic_collector import DiagnosticCollector
from rulewright.checker.linker import SourceFile, link_sources
from rulewright.checker.symbols import LinkedModule, LinkedProgram, find_amends_header, find_written_for_header
from rulewright.syntax.nodes.declarations import WrittenForHeader

STALE_OVERLAY_CODE = "RW0617"
"""That an overlay was written for other rules."""

_RULESET_DIGEST_DIGITS, _ADDRESS_DIGEST_DIGITS = 8, 6
"""How many digits tell rulesets apart, and what stands at one address."""

_MAX_FINGERPRINTED_ADDRESSES = 30
"""Of more addresses nothing is said one by one."""


@dataclass(frozen=True, slots=True)
class _AmendedBase:
    """What an overlay amends now: its revision, and the fingerprints that the line of the overlay should have."""

    revision: str
    ruleset_digest: str
    addresses: tuple[str, ...]
    contents: tuple[str, ...]

    @property
    def fingerprint_parts(self) -> tuple[str, ...]:
        """All of them, as they are written."""
        if len(self.addresses) > _MAX_FINGERPRINTED_ADDRESSES:
            return (self.ruleset_digest[:_RULESET_DIGEST_DIGITS],)
        return (
            self.ruleset_digest[:_RULESET_DIGEST_DIGITS],
            compute_node_digest(self.addresses)[:_ADDRESS_DIGEST_DIGITS],
            *self.contents,
        )

    @property
    def written_for_line(self) -> str:
        """The line of an overlay that was written for it."""
        return f'written for revision "{self.revision}" fingerprint "{" ".join(self.fingerprint_parts)}"'


def check_stale_overlays(linked: LinkedProgram, sources: Mapping[str, SourceFile], report: DiagnosticCollector) -> None:
    """Warns of overlays that were written for other rules than those they amend now (RW0617)."""
    for header in linked.overlays:
        overlay = header.span.source
        line = find_written_for_header(sources[overlay].file)
        module = next((linked_module for linked_module in linked.modules if overlay in linked_module.sources), None)
        if line is None or module is None or module.header is None:
            continue
        base = _compute_amended_base(module, overlay, linked, sources)
        said = _split_fingerprint(line)
        same = (
            len(said[0]) >= _RULESET_DIGEST_DIGITS and base.ruleset_digest.startswith(said[0])
            if said
            else line.fingerprint is None
        )
        if line.revision.text != base.revision or not same:
            _warn_stale_overlay(line, base, module.header.name.text, report)


def _compute_amended_base(
    module: LinkedModule, overlay: str, linked: LinkedProgram, sources: Mapping[str, SourceFile]
) -> _AmendedBase:
    assert module.header is not None
    met = sorted(linked.amended_nodes.get(overlay, {}).items())
    contents = tuple(compute_node_digest(node)[:_ADDRESS_DIGEST_DIGITS] for _, node in met)
    plain = {
        name: replace(
            source_file,
            uses={path: to for path, to in source_file.uses.items() if find_amends_header(sources[to].file) is None},
        )
        for name, source_file in sources.items()
    }
    alone = link_sources(module.header.span.source, plain, (), linked.clause_lists, DiagnosticCollector())
    return _AmendedBase(
        module.header.revision.text, compute_fingerprint(alone), tuple(address for address, _ in met), contents
    )


def _split_fingerprint(line: WrittenForHeader) -> list[str]:
    return line.fingerprint.text.split() if line.fingerprint else []


def _warn_stale_overlay(line: WrittenForHeader, base: _AmendedBase, name: str, report: DiagnosticCollector) -> None:
    edits = (Edit(line.head, base.written_for_line),)
    if line.revision.text == base.revision and not _split_fingerprint(line):
        message = f"the fingerprint of `{name}` is not written yet"
        edits = (replace(edits[0], safe=True),)
        report.warning(STALE_OVERLAY_CODE, line.head, message, help="`check --fix` writes it", edits=edits)
        return
    if line.revision.text != base.revision:
        message = f'this was written for revision "{line.revision.text}" of `{name}`, which is at "{base.revision}" now'
    else:
        message = f'`{name}` revision "{base.revision}" has changed since this was written'
    remedy = "check that the overlay still does what it should; then `check --fix --unsafe` renews this line"
    report.warning(
        STALE_OVERLAY_CODE, line.head, message, notes=_describe_changed_addresses(line, base), help=remedy, edits=edits
    )


def _describe_changed_addresses(line: WrittenForHeader, base: _AmendedBase) -> tuple[str, ...]:
    """What has changed of the addresses that the overlay is about; nothing where that cannot be known."""
    _, *said = _split_fingerprint(line) or [""]
    _, *now = base.fingerprint_parts
    if not said or len(said) != len(now) or said[0] != now[0]:
        return ()
    pairs = zip(base.addresses, said[1:], now[1:], strict=True)
    changed = [f"`{address}`" for address, before, after in pairs if before != after]
    if not changed:
        return ("Nothing that this overlay is about has changed.",)
    return (f"These parts that the overlay is about have changed: {', '.join(changed)}.",)
