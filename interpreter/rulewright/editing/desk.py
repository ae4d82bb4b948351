"""The desk: texts that are open over those of the disk, and what is known of the rulesets that they belong to."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

from rulewright.analysis.causes import nameless
from rulewright.diagnostics import Diagnostic
from rulewright.diagnostics.model import by_place
from rulewright.editing.places import Alignment, chunks, pairs
from rulewright.editing.standing import LiveData, LiveText
from rulewright.files import DATA, DISK, Provider, read
from rulewright.files.providers import Revised
from rulewright.machine.compile import compile_program
from rulewright.machine.executable import Executable
from rulewright.outline import Outline, outline
from rulewright.program.declarations import Program
from rulewright.program.statements import Ask
from rulewright.program.walk import lines_of
from rulewright.references.gathering import Gathered, gather, note_rules
from rulewright.references.index import Index, Occurrence, Target, index
from rulewright.references.names import Found, Names
from rulewright.source import Span, Text
from rulewright.source.moving import Inside, Move
from rulewright.workspace import Again, Loaded, Located, locate, whole_files
from rulewright.workspace.judgement import Published, Weights, read_otherwise, told_of
from rulewright.workspace.locate import RULES, used_from, ways

_T = TypeVar("_T")


class Known:
    """What is known of a ruleset: what checking its texts came to, and what follows, each worked out when asked for."""

    def __init__(self, loaded: Loaded) -> None:
        self.loaded = loaded  # the texts as they stood, their program and all there is to tell of them
        self._kept: dict[str, Any] = {}

    def kept(self, what: str, make: Callable[[], _T]) -> _T:
        """What was made of it before, by what it is called; else made now."""
        if what not in self._kept:
            self._kept[what] = make()
        return self._kept[what]  # type: ignore[no-any-return]

    @cached_property
    def _noted(self) -> tuple[Found, Names]:
        found, names = Found(), Names()
        note_rules(self.loaded, names, found)
        return found, names

    @property
    def names(self) -> Names:
        """What its names stand for."""
        return self._noted[1]

    @property
    def extents(self) -> Mapping[Target, Span]:
        """The whole declarations, steps, rows and lines that have names."""
        return self._noted[0].extents

    @cached_property
    def index(self) -> Index:
        """Where its names occur in rules."""
        return index(self._noted[0].occurrences)

    @cached_property
    def outline(self) -> Outline:
        """What it says, item by item; nothing of one with errors."""
        program = self.loaded.program
        return Outline(()) if program is None else outline(program, self.loaded.texts)


@dataclass(frozen=True)
class Open:
    """A text of rules at the moment of a question, with what is known of its ruleset."""

    name: str  # by which its ruleset knows it
    texts: Mapping[str, LiveText]  # every open text of rules, by the name its ruleset knows it by
    now: Known  # as checked last; that may have been before the last keys
    good: Known | None  # as it was when it was last without errors
    alignments: dict[tuple[int, str], Alignment]  # those that were made; shared by questions about one state of texts

    @property
    def live(self) -> LiveText:
        """The text as it is written."""
        return self.texts[self.name]

    @property
    def program(self) -> Program | None:
        """The last program without errors."""
        return self.good.loaded.program if self.good is not None else None

    @property
    def best(self) -> Known:
        """The last that had no errors, else the last."""
        return self.good or self.now

    def alignment(self, known: Known, name: str) -> Alignment | None:
        """From places of a text as it was known to places of it as it is written; none where both are the same."""
        old, live = known.loaded.texts.get(name), self.texts.get(name)
        if old is None or live is None or old.content == live.text.content:
            return None
        key = (id(known), name)
        if key not in self.alignments:
            beside = pairs(chunks(old.content), chunks(live.text.content))
            same = old.content == live.standing.content
            self.alignments[key] = live.alignment if same else Alignment(tuple(beside))
        return self.alignments[key]

    def placed(self, known: Known, span: Span) -> Span | None:
        """Where a place of what was known is in the texts as they are written; none where it is gone."""
        alignment = self.alignment(known, span.source)
        return span if alignment is None else alignment.new(span)

    def before(self, known: Known, offset: int) -> int | None:
        """Where an offset of the text was in what was known; none where it is new."""
        alignment = self.alignment(known, self.name)
        return offset if alignment is None else alignment.old(offset)

    def occurrence(self, offset: int) -> tuple[Known, Occurrence] | None:
        """The name at an offset, by what was checked last, else by what was last without errors."""
        unsure = None
        for known in dict.fromkeys((self.now, self.best)):
            at = self.before(known, offset)
            found = known.index.at(self.name, at) if at is not None else None
            if found is not None and found.sure:
                return known, found
            unsure = unsure or (None if found is None else (known, found))
        return unsure


class _Ruleset:
    def __init__(self) -> None:
        self.stood: object = None  # the files that were open and what stood of them when it was checked last
        self.now: Known | None = None
        self.good: Known | None = None
        self.alignments: dict[tuple[int, str], Alignment] = {}

    def take(self, loaded: Loaded) -> None:
        self.now = Known(loaded)
        self.alignments.clear()
        if loaded.program is not None:
            self.good = self.now


class Desk:
    """Texts as they are written, over those of a provider; whatever is open counts, saved or not."""

    def __init__(
        self,
        provider: Provider = DISK,
        weights: Weights = lambda _: {},
        published: Published | None = None,
        committed: Callable[[str], str | None] = lambda _: None,
    ) -> None:
        """Nothing is open.

        Args:
            provider: the files below the open texts.
            weights: what findings weigh in a project.
            published: the readings that a project publishes.
            committed: what the last commit has at a place; nothing where it has none, or there is no repository.
        """
        self.committed = committed
        self._provider = provider
        self._weights = weights
        self._published = published or {}
        self._texts: dict[str, str] = {}  # every open text, by the place it was opened as
        self._live: dict[str, LiveText] = {}  # those of rules, likewise
        self._data: dict[str, LiveData] = {}  # the others
        self._compiled: tuple[str, Executable] | None = None  # with the fingerprint of what it was made of
        self._made: dict[str, tuple[str, Any]] = {}  # by name what was made of a text that said this
        self._reads = 0  # how often files of the disk were said to be others
        self._again = Again(following=True)
        self._rulesets: dict[Located, _Ruleset] = {}
        # by place where a text of rules belongs, and what all open ones said of where they belong
        self._homes: dict[str, tuple[Mapping[str, tuple[str, ...]], Located]] = {}

    @property
    def open(self) -> tuple[str, ...]:
        """The places of all open texts."""
        return tuple(self._texts)

    def change(self, place: str, content: str) -> None:
        """A text is opened, or says something else now."""
        self._texts[place] = content
        if place.endswith(RULES):
            self._live[place] = LiveText(Text(place, content), self._live.get(place))
        elif place.endswith(DATA):
            self._data[place] = LiveData(Text(place, content), self._data.get(place))
        self._changed()

    def close(self, place: str) -> None:
        """A text is no longer open: what the disk holds counts again."""
        self._texts.pop(place, None)
        self._live.pop(place, None)
        self._data.pop(place, None)
        self._changed()

    def refresh(self, provider: Provider, weights: Weights, published: Published) -> None:
        """Files of the disk, as this provider has them, and what their project says may be others now."""
        self._provider, self._weights, self._published = provider, weights, published
        self._homes.clear()
        self._reads += 1
        self._changed()

    def _changed(self) -> None:
        for each in self._rulesets.values():
            each.alignments.clear()

    def text(self, place: str) -> Text | None:
        """A text as it is written, else as the disk holds it; none where it cannot be read."""
        found = Text(place, self._texts[place]) if place in self._texts else read(place, self._provider)
        return found if isinstance(found, Text) else None

    def files(self) -> Provider:
        """The files of the disk, with the open texts as they are written."""
        return Revised(self._provider, self._texts)

    def kept(self, text: Text, make: Callable[[], _T]) -> _T:
        """What was made of a text before, while it says the same; else made now. One thing is made of each text."""
        if text.name not in self._made or self._made[text.name][0] != text.content:
            self._made[text.name] = text.content, make()
        return self._made[text.name][1]  # type: ignore[no-any-return]

    def _standing(self, *, data: bool = False) -> Mapping[str, str]:
        rules = {place: each.standing.content for place, each in self._live.items()}
        other = {place: each.readable.content for place, each in self._data.items()} if data else {}
        return {**self._texts, **rules, **other}

    def standing_files(self, *, data: bool = False) -> Provider:
        """The files of the disk, with what stands of the open texts of rules, and where asked for of the others too."""
        return Revised(self._provider, self._standing(data=data))

    def gathered(self, place: str, words: frozenset[str] | None, provider: Provider) -> Gathered:
        """All that belongs to the rulesets of a place and has one of some words, as a provider holds it."""
        return gather(place, provider, words, self.load)

    def good(self, located: Located) -> Known:
        """What is known of a ruleset as it was last without errors; as it is now, where it always had some."""
        now = self.known(located)
        return self._rulesets[located].good or now

    def compiled(self, loaded: Loaded) -> Executable:
        """A ruleset without errors, compiled; that which was compiled last is not compiled again."""
        program = loaded.program
        assert program is not None
        if any(each.policies for each in lines_of(program, Ask)):  # which its fingerprint does not tell
            return compile_program(program, traced=False)
        if self._compiled is None or self._compiled[0] != program.fingerprint:
            self._compiled = program.fingerprint, compile_program(program, traced=False)
        return self._compiled[1]

    def data(self, place: str) -> LiveData:
        """An open text of data."""
        return self._data[place]

    def load(self, located: Located, overlays: tuple[str, ...], provider: Provider) -> Loaded:
        """Reads and checks a ruleset; what still stands of earlier checks is used."""
        return self._again.load(located, overlays, provider)

    def as_written(self, found: Occurrence) -> Occurrence | None:
        """A name in what stands of the open texts, where it is written; none where that is not told any more."""
        identity = self._provider.identity(found.span.source)
        opened: Mapping[str, LiveText | LiveData] = {**self._live, **self._data}
        live = next((each for place, each in opened.items() if self._provider.identity(place) == identity), None)
        span = found.span if live is None else live.alignment.new(found.span)
        return None if span is None else Occurrence(found.target, found.role, span, found.sure)

    def home(self, place: str, *, settle: bool = True) -> Located:
        """The ruleset that a text of rules belongs to, with the overlay that it is; itself where it belongs to none.

        Where that need not settle, it stays the one that it was: to find another, all around it may have to be read.
        """
        said = {each: ways(live.standing.content) for each, live in self._live.items()}
        known = self._homes.get(place)
        if known is None or (settle and known[0] != said):
            located = self._located(place, known[1] if known is not None else None)
            known = self._homes[place] = (said, located if located.main is not None or known is None else known[1])
        return known[1]

    def _located(self, place: str, before: Located | None) -> Located:
        files = self.standing_files()
        beside = whole_files(place, files)
        if beside == (place,):
            return locate(place, files)
        nearest = (before,) if before is not None and before.main != place else ()
        around = (*nearest, *(locate(each, files) for each in beside))
        identity = self._provider.identity

        def uses(each: Located) -> bool:
            used = used_from(each.main, files) if each.main is not None else ()
            return any(identity(one) == identity(place) for one in used)

        return next(filter(uses, around), Located(place))

    def known(self, located: Located, *, settle: bool = True) -> Known:
        """What is known of a ruleset as its texts are now; what was known before, if that need not settle."""
        ruleset = self._rulesets.setdefault(located, _Ruleset())
        stood = self._standing()
        if ruleset.now is None or (settle and ruleset.stood != (self._reads, stood)):
            loaded = self._again.load(located, (), self.standing_files())
            ruleset.take(self._judged(told_of(loaded, self._weights(located.main or ""))))
            ruleset.stood = self._reads, stood
        assert ruleset.now is not None
        return ruleset.now

    def _judged(self, loaded: Loaded) -> Loaded:
        """The ruleset with where it takes other readings than the published ones, which keeps nobody from using it."""
        wanted = self._published.get(loaded.program.name, {}) if loaded.program is not None else {}
        if loaded.program is None or not wanted:
            return loaded
        found = (*loaded.diagnostics, *read_otherwise(loaded.program, wanted))
        return replace(loaded, diagnostics=by_place(found))

    def opened(self, place: str, *, settle: bool = True) -> Open:
        """A text of rules that is open, with what is known of its ruleset: as it is now, or as it was checked last."""
        located = self.home(place, settle=settle)
        now = self.known(located, settle=settle)
        ruleset = self._rulesets[located]
        identities = {self._provider.identity(each): each for each in now.loaded.texts}
        texts = {identities.get(self._provider.identity(each), each): live for each, live in self._live.items()}
        name = identities.get(self._provider.identity(place), place)
        return Open(name, texts, now, ruleset.good, ruleset.alignments)


def problems(opened: Open) -> Mapping[str, tuple[Diagnostic, ...]]:
    """All that is wrong with the ruleset of an open text, by text, in order of place; nothing for a file that is fine.

    Places are those of the texts as they are written. Writing is judged as it is; of the rest what the last check told,
    without what lies inside of lines that were edited since, or in a declaration that cannot be read.
    """
    own = [live for name, live in opened.texts.items() if name in opened.now.loaded.texts]
    mistakes = [each for live in own for each in live.mistakes]
    told: Iterable[Diagnostic] = opened.now.loaded.diagnostics
    if not all(live.is_whole for live in own):
        told = nameless(told)
    by_name: dict[str, list[Diagnostic]] = {name: [] for name in (*opened.now.loaded.texts, opened.name)}
    for found in by_place((*mistakes, *_where_they_are(told, opened))):
        source = found.primary.span.source if found.primary else opened.name
        by_name.setdefault(source, []).append(found)
    return {name: tuple(each) for name, each in by_name.items()}


def _where_they_are(told: Iterable[Diagnostic], opened: Open) -> Iterator[Diagnostic]:
    """Findings at their places in the texts as they are written, but those of declarations that cannot be read."""
    alignments = ((name, opened.alignment(opened.now, name)) for name in opened.texts)
    move = Move({name: moved for name, moved in alignments if moved is not None})
    for each in told:
        with suppress(Inside):
            placed = move(each)
            live = opened.texts.get(placed.primary.span.source) if placed.primary else None
            if live is None or placed.primary is None or live.is_read_at(placed.primary.span.start):
                yield placed
