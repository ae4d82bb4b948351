"""Whether the rules that an overlay was written for have changed since (manual, Elsewhere).

An overlay may say which rules its author read: `written for revision "1" fingerprint "3f2a9c01 77e2b5 4b1d02"`. The
fingerprint begins with that of the ruleset without overlays. Then follow one of the addresses that the overlay is
about, and one of what stood at each of them, in the order of the addresses.
"""

from collections.abc import Mapping
from dataclasses import replace

from rulewright.analysis.check import digest_of, fingerprint
from rulewright.analysis.link import Source, link
from rulewright.analysis.report import Report
from rulewright.analysis.symbols import Linked, Module, amends_line, written_line
from rulewright.diagnostics.model import Edit
from rulewright.frozen import dataclass
from rulewright.syntax.nodes.declarations import WrittenForHeader

MOVED_ON = "RW0617"
"""That an overlay was written for other rules."""

_WHOLE, _EACH = 8, 6
"""How many digits tell rulesets apart, and what stands at one address."""

_MOST = 30
"""Of more addresses nothing is said one by one."""


@dataclass(frozen=True, slots=True)
class _Base:
    """What an overlay amends now: its revision, and the fingerprints that the line of the overlay should have."""

    revision: str
    whole: str
    addresses: tuple[str, ...]
    contents: tuple[str, ...]

    @property
    def prints(self) -> tuple[str, ...]:
        """All of them, as they are written."""
        if len(self.addresses) > _MOST:
            return (self.whole[:_WHOLE],)
        return self.whole[:_WHOLE], digest_of(self.addresses)[:_EACH], *self.contents

    @property
    def line(self) -> str:
        """The line of an overlay that was written for it."""
        return f'written for revision "{self.revision}" fingerprint "{" ".join(self.prints)}"'


def moved_on(linked: Linked, sources: Mapping[str, Source], report: Report) -> None:
    """Warns of overlays that were written for other rules than those they amend now (RW0617)."""
    for header in linked.overlays:
        overlay = header.span.source
        line = written_line(sources[overlay].file)
        module = next((each for each in linked.modules if overlay in each.sources), None)
        if line is None or module is None or module.header is None:
            continue
        base = _base(module, overlay, linked, sources)
        said = _prints(line)
        same = len(said[0]) >= _WHOLE and base.whole.startswith(said[0]) if said else line.fingerprint is None
        if line.revision.text != base.revision or not same:
            _tell(line, base, module.header.name.text, report)


def _base(module: Module, overlay: str, linked: Linked, sources: Mapping[str, Source]) -> _Base:
    assert module.header is not None
    met = sorted(linked.met.get(overlay, {}).items())
    contents = tuple(digest_of(node)[:_EACH] for _, node in met)
    plain = {
        name: replace(each, uses={path: to for path, to in each.uses.items() if amends_line(sources[to].file) is None})
        for name, each in sources.items()
    }
    alone = link(module.header.span.source, plain, (), linked.clauses, Report())
    return _Base(module.header.revision.text, fingerprint(alone), tuple(address for address, _ in met), contents)


def _prints(line: WrittenForHeader) -> list[str]:
    return line.fingerprint.text.split() if line.fingerprint else []


def _tell(line: WrittenForHeader, base: _Base, name: str, report: Report) -> None:
    edits = (Edit(line.head, base.line),)
    if line.revision.text == base.revision and not _prints(line):
        message = f"the fingerprint of `{name}` is not written yet"
        edits = (replace(edits[0], safe=True),)
        report.warning(MOVED_ON, line.head, message, help="`check --fix` writes it", edits=edits)
        return
    if line.revision.text != base.revision:
        message = f'this was written for revision "{line.revision.text}" of `{name}`, which is at "{base.revision}" now'
    else:
        message = f'`{name}` revision "{base.revision}" has changed since this was written'
    remedy = "check that the overlay still does what it should; then `check --fix --unsafe` renews this line"
    report.warning(MOVED_ON, line.head, message, notes=_changed(line, base), help=remedy, edits=edits)


def _changed(line: WrittenForHeader, base: _Base) -> tuple[str, ...]:
    """What has changed of the addresses that the overlay is about; nothing where that cannot be known."""
    _, *said = _prints(line) or [""]
    _, *now = base.prints
    if not said or len(said) != len(now) or said[0] != now[0]:
        return ()
    pairs = zip(base.addresses, said[1:], now[1:], strict=True)
    changed = [f"`{address}`" for address, before, after in pairs if before != after]
    if not changed:
        return ("Nothing that this overlay is about has changed.",)
    return (f"These parts that the overlay is about have changed: {', '.join(changed)}.",)
