"""Remedies carried out: every edit that mends what it is for, and nothing else."""

import dataclasses
import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from rulewright.diagnostics import Diagnostic, Severity
from rulewright.diagnostics.remedies import mended_texts, side_by_side
from rulewright.files import Provider
from rulewright.files.providers import Revised
from rulewright.frozen import dataclass
from rulewright.source import Text
from rulewright.workspace.load import Loaded

LOADS = 500
"""How often rulesets are read at most until nothing is left to mend."""

Load = Callable[[Provider], Loaded]
"""Reads and checks one ruleset, from wherever its files come."""

_WRITING = "RW01"
"""How the codes of mistakes in writing begin: such a mistake hides what else is wrong with its line."""


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

    A remedy is kept only if its message is gone afterwards, and if neither its lines nor, where nothing was wrong
    before, any others have an error that was not there. One that may change what rules mean is carried out only if its
    message was there from the start, never if it came to light on the way. Texts are changed in memory; `may_change`
    says which. Edits that overlap wait for the next turn.
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
    """Whether the messages of some remedies are gone, and no error came that they may not bring to light."""
    were, are = _errors(old), _errors(new)
    moved = _Moved(batch, {name: text for each in old for name, text in each.texts.items()})
    known = {(each.code, each.message, *moved.place(each)) for each in (*were, *batch)}
    texts = {name: text for each in new for name, text in each.texts.items()}
    found = {(each.code, each.message, *_line(each, texts)) for one in new for each in one.diagnostics}
    if any((each.code, each.message, *moved.place(each)) in found for each in batch):
        return False
    fresh = [each for each in are if (each.code, each.message, *_line(each, texts)) not in known]
    if not were:
        return not fresh
    writing = all(each.code.startswith(_WRITING) for each in batch)
    here = [each for each in fresh if _line(each, texts) in moved.lines]
    return not here or (writing and all(_is_behind(each, texts, moved) for each in here))


def _is_behind(each: Diagnostic, texts: Mapping[str, Text], moved: "_Moved") -> bool:
    """Whether an error stands behind what was written on its line, or is none of writing: the line is read further."""
    assert each.primary is not None
    span = each.primary.span
    column = texts[span.source].position(span.start).column
    return not each.code.startswith(_WRITING) or column >= moved.lines[_line(each, texts)]


def _errors(loaded: Iterable[Loaded]) -> list[Diagnostic]:
    found = dict.fromkeys(each for one in loaded for each in one.diagnostics)
    return [each for each in found if each.severity is Severity.ERROR]


@dataclasses.dataclass
class _Moved:
    """Where lines are once the edits of some findings are made."""

    batch: Sequence[Diagnostic]
    texts: Mapping[str, Text]
    # the lines that the edits write, after them, with the column behind what is written
    lines: dict[tuple[str, int], int] = dataclasses.field(default_factory=dict)

    def __post_init__(self) -> None:
        for edit in {edit for each in self.batch for edit in each.edits}:
            text = self.texts[edit.span.source]
            start = text.position(edit.span.start)
            column = start.column
            first = start.line + self._shift(text, edit.span.start)
            for number, written in enumerate(edit.replacement.split("\n"), first):
                self.lines[text.name, number] = max(self.lines.get((text.name, number), 0), column + len(written))
                column = 1

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
