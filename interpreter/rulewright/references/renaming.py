"""A name gets another spelling everywhere, if every name then stands for what it stood for before."""

import posixpath
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping

from rulewright.analysis.lint import FIXED, UNUSED
from rulewright.diagnostics import Diagnostic, Edit, Label, Severity
from rulewright.files import Provider
from rulewright.files.providers import Revised
from rulewright.frozen import dataclass
from rulewright.references.gathering import Gathered
from rulewright.references.index import Occurrence, Role, Target
from rulewright.scenarios.suite import Result
from rulewright.source import Span, Text
from rulewright.syntax.words import RESERVED

Gathering = Callable[[Provider], Gathered]
"""Reads what belongs to the rulesets of a place, with all files in which the old name or the new one stands."""

Playing = Callable[[Provider], tuple[Result, ...]]
"""Plays the scenarios of the rulesets of a place."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ID = re.compile(r"[A-Za-z0-9_]+(?:[.\-][A-Za-z0-9_]+)*")
_CLAUSE = re.compile(r"[A-Za-z0-9_.\-]+")
_FORMS = {"step": _ID, "ruling": _ID, "clause": _CLAUSE}
_BY_SPELLING = frozenset({UNUSED, FIXED, "RW0231"})
"""What is told of a name unless another is spelt alike, which a rename may bring to light."""

_DATA_WORDS = frozenset({"true", "false", "null", "yes", "no", "none"})
_MORE = {
    Role.ANSWERED: "say where the answer is wanted: `{answer: …, at: …}`, or answer by address",
    Role.FILLED: "several procedures share it: write `with:` beside each procedure",
    Role.EXPECTED: "write the whole address, with the name of the procedure",
    Role.EXCUSED: "write the whole address, with the name of the procedure",
}
"""What to write first, by what a name does where it is not sure."""


@dataclass(frozen=True, slots=True)
class Renamed:
    """What a rename comes to."""

    before: Mapping[str, Text]  # the texts that change, by their names
    after: Mapping[str, str]  # the new content of these
    edits: tuple[Edit, ...]  # what makes the new content of the old


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a rename is not made, with the texts in which places of it are."""

    findings: tuple[Diagnostic, ...]
    texts: Mapping[str, Text]


def renamed(
    target: Target, name: str, gathering: Gathering, provider: Provider, playing: Playing | None = None
) -> Renamed | Refused:
    """The texts with another name for a target, or why it cannot have that name.

    Reports the errors of rulesets, and of files beside them, that have some, RW1152 (no such name can be given),
    RW1153 (another name would stand for something else, or `check` would say more), RW1154 (it cannot be told what a
    place names), RW1155 (it also occurs outside of the folders that are searched) and, where scenarios are played,
    RW1156 (one comes out otherwise).
    """
    gathered = gathering(provider)
    if gathered.errors or gathered.unread:
        return Refused((*gathered.errors, *gathered.unread), gathered.texts)
    wrong = _impossible(target, name) or _outside(target, gathered) or _unsure(target, gathered)
    if wrong is not None:
        return Refused((wrong,), gathered.texts)
    edits = _by_text(gathered.index.edits(target, name))
    after = {source: _edited(gathered.texts[source].content, each) for source, each in edits.items()}
    then = gathering(Revised(provider, after))
    found = tuple(_difference(target, name, gathered, then, _Moved(edits)))
    if not found and playing is not None:
        found = tuple(_otherwise(target, name, playing(provider), playing(Revised(provider, after))))
    if found:
        return Refused(found, then.texts)
    every = tuple(one for each in edits.values() for one in each)
    return Renamed({source: gathered.texts[source] for source in after}, after, every)


def _error(code: str, message: str, remedy: str = "", span: Span | None = None) -> Diagnostic:
    return Diagnostic(code, Severity.ERROR, message, None if span is None else Label(span), help=remedy)


def _impossible(target: Target, name: str) -> Diagnostic | None:
    """RW1152 where nothing of this sort can be called so."""
    if name == target.name:
        return _error("RW1152", f"`{target.address}` is called `{name}` already", "give another name")
    if not _FORMS.get(target.sort, _NAME).fullmatch(name):
        remedy = "a name has letters, digits and `_`, and begins with a letter"
        if target.sort in _FORMS:
            remedy = "an id has letters, digits and `_`, with single `.` or `-` between them"
        return _error("RW1152", f"`{name}` cannot be the name of this {target.sort}", remedy)
    if name in RESERVED or name in _DATA_WORDS or name == "_":
        return _error("RW1152", f"`{name}` is a word of the language or of data", "give another name")
    return None


def _outside(target: Target, gathered: Gathered) -> Diagnostic | None:
    """RW1155 where a text that names it lies outside of the folders of the rulesets."""
    for each in gathered.index.of(target):
        place = posixpath.normpath(each.span.source)
        if not any(_is_below(place, folder) for folder in gathered.folders):
            message = f"`{target.address}` also occurs in `{each.span.source}`, which is not searched"
            remedy = "name a folder that holds all texts that may use it, such as the one around both"
            return _error("RW1155", message, remedy, each.span)
    return None


def _is_below(place: str, folder: str) -> bool:
    if folder == ".":
        return not place.startswith("../") and not posixpath.isabs(place)
    return place.startswith(f"{folder}/")


def _unsure(target: Target, gathered: Gathered) -> Diagnostic | None:
    """RW1154 for a place that may name it, or something else that is spelt alike."""
    for each in gathered.index.occurrences:
        if not each.sure and each.target.name == target.name:
            message = f"it is not clear whether `{target.name}` means `{target.address}` here"
            return _error("RW1154", message, _MORE.get(each.role, "write here in full what is meant"), each.span)
    return None


def _by_text(edits: tuple[Edit, ...]) -> dict[str, list[Edit]]:
    found: dict[str, list[Edit]] = {}
    for each in edits:
        found.setdefault(each.span.source, []).append(each)
    return found


def _edited(content: str, edits: list[Edit]) -> str:
    for each in sorted(edits, key=lambda one: one.span.start, reverse=True):
        content = content[: each.span.start] + each.replacement + content[each.span.end :]
    return content


class _Moved:
    """Where offsets are after the edits of a rename."""

    def __init__(self, edits: Mapping[str, list[Edit]]) -> None:
        self._starts = {source: sorted(each.span.start for each in found) for source, found in edits.items()}
        some = next(each for found in edits.values() for each in found)
        self._by = len(some.replacement) - (some.span.end - some.span.start)

    def offset(self, source: str, start: int) -> int:
        """An offset that is not inside of what was edited."""
        before = bisect_right(self._starts.get(source, []), start - 1)
        return start + before * self._by


def _difference(target: Target, name: str, before: Gathered, after: Gathered, moved: _Moved) -> Iterator[Diagnostic]:
    """RW1153 for what is told of the new texts alone, else for the first name that stands for something else."""
    news = tuple(_news(before, after, moved))
    if news:
        first = news[0]
        message = f"with the name `{name}` for `{target.address}` `check` would report: {first.message}"
        yield _error("RW1153", message, "give another name", first.primary.span if first.primary else None)
        return
    other = _other(before, after, moved)
    if other is not None:
        message = f"with the name `{name}` for `{target.address}` this would mean something different"
        yield _error("RW1153", message, "give another name", other)


def _news(before: Gathered, after: Gathered, moved: _Moved) -> Iterator[Diagnostic]:
    """What is told of the new texts and was not told of the old ones."""
    known = {
        (each.code, each.primary.span.source, moved.offset(each.primary.span.source, each.primary.span.start))
        for loaded in before.readings
        for each in loaded.diagnostics
        if each.primary is not None
    }
    for loaded in after.readings:
        for each in loaded.diagnostics:
            if each.code in _BY_SPELLING:
                continue
            place = each.primary.span if each.primary else None
            if place is None or (each.code, place.source, place.start) not in known:
                yield each


def _otherwise(
    target: Target, name: str, before: tuple[Result, ...], after: tuple[Result, ...]
) -> Iterator[Diagnostic]:
    """RW1156 for the first scenario that ends differently."""
    for old, new in zip(before, after, strict=True):
        if old.outcome != new.outcome:
            told = [f": it expects {each.expected} under `{each.what}`, and gets {each.got}" for each in new.misses]
            told += [f": {each.message}" for each in new.wrong]
            ends = "passes" if new.outcome == "passed" else "fails"
            message = f"once `{target.address}` is called `{name}`, this scenario {ends}{told[0] if told else ''}"
            remedy = "change what it expects, then rename again; or rename with `--no-test`, which plays no scenarios"
            yield _error("RW1156", message, remedy, new.case.place.span)
            return


def _other(before: Gathered, after: Gathered, moved: _Moved) -> Span | None:
    """The first place at which another thing is named than before, or a thing only before or only after."""
    now = {(each.span.source, each.span.start): each for each in after.index.occurrences}
    same: dict[Target, Target] = {}
    meant: dict[Target, Target] = {}
    for each in before.index.occurrences:
        place = each.span.source, moved.offset(each.span.source, each.span.start)
        found = now.pop(place, None)
        if found is None or not _is_same(each, found, same, meant):
            return Span(each.span.source, place[1], place[1]) if found is None else found.span
    return next((each.span for each in now.values()), None)


def _is_same(one: Occurrence, other: Occurrence, same: dict[Target, Target], meant: dict[Target, Target]) -> bool:
    """Whether two places name what was named alike so far."""
    known = same.setdefault(one.target, other.target), meant.setdefault(other.target, one.target)
    return known == (other.target, one.target) and (one.role, one.sure) == (other.role, other.sure)
