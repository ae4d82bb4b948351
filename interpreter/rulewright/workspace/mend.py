"""Remedies carried out: every edit that mends what it is for, and nothing else."""

import dataclasses
import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from rulewright.diagnostics import Diagnostic, Severity
from rulewright.diagnostics.remedies import mended_texts, side_by_side, written_at
from rulewright.files import Provider
from rulewright.files.providers import Revised
from rulewright.frozen import dataclass
from rulewright.source import Span, Text
from rulewright.syntax.parsed import MISTAKES
from rulewright.workspace.load import Loaded

LOADS = 500
"""How often rulesets are read at most until nothing is left to mend."""

Load = Callable[[Provider], Loaded]
"""Reads and checks one ruleset, from wherever its files come."""

_WRITING = ("RW01", "RW0870")
"""How the codes of mistakes in writing begin: such a mistake hides what else is wrong with its declaration."""
_CHARACTERS = "RW0141"
"""The first code of mistakes in characters: such a mistake hides what else is wrong with its text."""


@dataclass(frozen=True, slots=True)
class Mended:
    """What came of carrying out remedies."""

    loaded: tuple[Loaded, ...]  # the rulesets as they are with the new texts, in the order given
    before: Mapping[str, Text]  # the texts that changed as they were, by place
    after: Mapping[str, str]  # the new content of these, by place
    done: tuple[Diagnostic, ...]  # the findings whose remedies were carried out, in order
    # findings that are still there, whose remedy is an edit that was not to be made or did not help
    left: tuple[Diagnostic, ...]


def mend(loads: Sequence[Load], provider: Provider, may_change: Callable[[str], bool], *, unsafe: bool) -> Mended:
    """Carries out the safe remedies of rulesets, or all, again and again until none is left.

    A remedy is kept only if its message is gone afterwards and no error has come. Only a mistake in writing may have
    hidden errors: these may come to light, but never in what the remedy wrote. One that may change what rules mean is
    carried out only if its message was there from the start, never if it came to light on the way. Texts are changed in
    memory; `may_change` says which. Edits that overlap wait for the next turn.
    """
    mender = _Mender(loads, provider, may_change, unsafe=unsafe)
    mender.run()
    return mender.mended()


class _Mender:
    def __init__(
        self, loads: Sequence[Load], provider: Provider, may_change: Callable[[str], bool], *, unsafe: bool
    ) -> None:
        self._loads = loads
        self._files = provider
        self._may_change = may_change
        self._unsafe = unsafe
        self._before: dict[str, Text] = {}
        self._after: dict[str, str] = {}
        self._done: list[Diagnostic] = []
        self._refused: set[tuple[str, str, str, str]] = set()
        self._loaded = [load(provider) for load in loads]
        self._left = LOADS
        self._told = {self._key(each) for loaded in self._loaded for each in loaded.diagnostics}

    def run(self) -> None:
        """Mends until nothing more can be mended, or the bound is reached."""
        while self._left > 0:
            batch = side_by_side(self._candidates())
            if not batch:
                return
            if not self._try(batch):
                self._one_of(batch)

    def mended(self) -> Mended:
        loaded = tuple(self._loaded)
        left = dict.fromkeys(each for one in loaded for each in one.diagnostics if each.edits)
        return Mended(loaded, self._before, self._after, tuple(self._done), tuple(left))

    def _one_of(self, batch: Sequence[Diagnostic]) -> None:
        """Carries out the first of some remedies that helps by itself; those before it are not tried again."""
        for each in batch:
            if len(batch) > 1 and self._try([each]):
                return
            self._refused.add(self._key(each))

    def _candidates(self) -> Iterator[Diagnostic]:
        for each in dict.fromkeys(one for loaded in self._loaded for one in loaded.diagnostics):
            wanted = each.is_safe_to_mend or (self._unsafe and each.edits and self._key(each) in self._told)
            sources = {edit.span.source for edit in each.edits}
            if wanted and self._key(each) not in self._refused and all(map(self._may_change, sources)):
                yield each

    def _key(self, each: Diagnostic) -> tuple[str, str, str, str]:
        """What a finding is known by while lines move: its code, message and line."""
        place, line = _line(each, self._texts())
        return each.code, each.message, place, self._texts()[place].line(line) if place else ""

    def _texts(self) -> dict[str, Text]:
        return {name: text for loaded in self._loaded for name, text in loaded.texts.items()}

    def _try(self, batch: Sequence[Diagnostic]) -> bool:
        """Whether some remedies help together; if so, they are carried out."""
        texts = self._texts()
        new = mended_texts(batch, texts)
        provider = Revised(self._files, {**self._after, **new})
        loaded = [self._again(load, old, new, provider) for load, old in zip(self._loads, self._loaded, strict=True)]
        if not _helps(batch, self._loaded, loaded):
            return False
        for place in new:
            self._before.setdefault(place, texts[place])
        self._after.update(new)
        self._done.extend(batch)
        self._loaded = loaded
        return True

    def _again(self, load: Load, old: Loaded, new: Mapping[str, str], provider: Provider) -> Loaded:
        if not any(posixpath.normpath(place) in map(posixpath.normpath, old.texts) for place in new):
            return old
        self._left -= 1
        return load(provider)


def _line(each: Diagnostic, texts: Mapping[str, Text]) -> tuple[str, int]:
    if each.primary is None or each.primary.span.source not in texts:
        return "", 0
    span = each.primary.span
    return span.source, texts[span.source].position(span.start).line


def _helps(batch: Sequence[Diagnostic], old: Sequence[Loaded], new: Sequence[Loaded]) -> bool:
    """Whether the messages of some remedies are gone, and no error came but those that a mistake in writing hid."""
    were, are = _errors(old), _errors(new)
    moved = _Moved(batch, {name: text for each in old for name, text in each.texts.items()})
    known = {(each.code, each.message, *moved.place(each)) for each in (*were, *batch)}
    texts = {name: text for each in new for name, text in each.texts.items()}
    found = {(each.code, each.message, *_line(each, texts)) for one in new for each in one.diagnostics}
    if any((each.code, each.message, *moved.place(each)) in found for each in batch):
        return False
    causes = {(each.code, each.message) for each in batch}  # told once, wherever else they are
    fresh = [each for each in are if (each.code, each.message, *_line(each, texts)) not in known]
    fresh = [each for each in fresh if (each.code, each.message) not in causes]
    if not all(map(_is_in_writing, batch)):
        return not fresh
    whole = any(_CHARACTERS <= each.code < "RW02" for each in batch) or len(were) >= MISTAKES
    return all(_was_hidden(each, texts, moved.written, whole=whole) for each in fresh)


def _is_in_writing(each: Diagnostic) -> bool:
    """Whether a finding keeps a text from being read; one with an address was made in what could be read."""
    return each.code.startswith(_WRITING) and not each.address


def _was_hidden(each: Diagnostic, texts: Mapping[str, Text], written: Sequence[Span], *, whole: bool) -> bool:
    """Whether an error is none of what edits wrote: in writing it comes behind that, in a declaration with an edit.

    After a mistake in characters, or very many mistakes, other declarations were not read either.
    """
    if each.primary is None:
        return True
    span = each.primary.span
    beside = [one for one in written if one.source == span.source]
    if not _is_in_writing(each):
        return not any(one.start < span.end and span.start < one.end for one in beside)
    text = texts[span.source]
    line = text.position(span.start).line
    if any(text.position(one.end).line == line and span.start <= one.end for one in beside):
        return False
    return whole or any(_declaration(text, one.start) == _declaration(text, span.start) for one in beside)


def _declaration(text: Text, offset: int) -> int:
    """The last line at or above an offset that stands at the left margin."""
    line = text.position(offset).line
    while line > 1 and text.line(line)[:1] in {"", " ", "\t", "#"}:
        line -= 1
    return line


def _errors(loaded: Iterable[Loaded]) -> list[Diagnostic]:
    found = dict.fromkeys(each for one in loaded for each in one.diagnostics)
    return [each for each in found if each.severity is Severity.ERROR]


@dataclasses.dataclass
class _Moved:
    """Where lines are once the edits of some findings are made."""

    batch: Sequence[Diagnostic]
    texts: Mapping[str, Text]
    written: list[Span] = dataclasses.field(default_factory=list)  # where, after them, what they write stands

    def __post_init__(self) -> None:
        edits = {edit for each in self.batch for edit in each.edits}
        for name in {edit.span.source for edit in edits}:
            self.written += written_at(self.texts[name], (edit for edit in edits if edit.span.source == name))

    def place(self, each: Diagnostic) -> tuple[str, int]:
        """The text and the line of a finding after the edits."""
        source, line = _line(each, self.texts)
        if not source or each.primary is None:
            return source, line
        return source, line + self._shift(self.texts[source], each.primary.span.start)

    def _shift(self, text: Text, offset: int) -> int:
        """By how many lines the edits before an offset move it."""
        edits = {edit for each in self.batch for edit in each.edits if edit.span.source == text.name}
        return sum(
            edit.replacement.count("\n") - text.content.count("\n", edit.span.start, edit.span.end)
            for edit in edits
            if edit.span.end <= offset and edit.span.start < offset
        )
