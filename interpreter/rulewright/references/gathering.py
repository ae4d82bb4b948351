"""All that belongs to rulesets of a place: rules, overlays, scenarios, states, scripts and clause lists, read once."""

import posixpath
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from rulewright.diagnostics import Diagnostic
from rulewright.files import DATA, Provider, read
from rulewright.files.providers import folders_below
from rulewright.inputs.nodes import Items, Mapping as MappingNode, Scalar, value_under
from rulewright.inputs.yaml_places import read as read_yaml
from rulewright.odds.elsewhere import LIKELIHOODS
from rulewright.references.checked import CheckedPlaces
from rulewright.references.declaring import Declaring, add_addresses
from rulewright.references.documents import note_clauses, note_data, note_likelihoods, note_suite
from rulewright.references.index import Index, Role, Target, index
from rulewright.references.names import Found, Names, Piece
from rulewright.references.playing import note_played
from rulewright.references.referring import Referring, amended_addresses
from rulewright.references.scenario_forms import Vocabulary
from rulewright.scenarios.loading import ENDING
from rulewright.scenarios.opening import Rules
from rulewright.source import Span, Text
from rulewright.syntax.nodes.expressions import Name
from rulewright.workspace import Loaded, Located, load, locate, rulesets_of
from rulewright.workspace.locate import ruleset_named

_LIST = ".clauses.yaml"
_RULES = ".rules"

_NOTING = {_LIST: note_clauses, LIKELIHOODS: note_likelihoods}
"""What notes the names in files that are known by how they are called."""

Loading = Callable[[Located, tuple[str, ...], Provider], Loaded]


@dataclass(frozen=True)
class Gathered:
    """What belongs to the rulesets of a place."""

    index: Index  # every occurrence of every name
    texts: Mapping[str, Text]  # every text by its name
    readings: tuple[Loaded, ...]  # each ruleset alone, then with each of its overlays
    mains: tuple[str, ...]  # the places of the main files of the rulesets that were asked for
    names: Mapping[str, Names]  # of each ruleset, by the identity of its main file
    extents: Mapping[Target, Span]  # the whole declarations, steps, rows and lines, with names or without
    titles: Mapping[Target, str]  # of what has a title or reason
    prose: frozenset[Span]  # titles, texts and comments of rules
    unread: tuple[Diagnostic, ...]  # why files beside the rules that may name anything cannot be read

    @property
    def folders(self) -> tuple[str, ...]:
        """The folders that are searched, each with those below it."""
        return tuple(dict.fromkeys(posixpath.normpath(posixpath.dirname(each) or ".") for each in self.mains))

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """What is wrong with rules, each finding once."""
        return tuple(dict.fromkeys(each for loaded in self.readings for each in loaded.errors))


@dataclass
class _Gathering:
    provider: Provider
    loading: Loading
    words: frozenset[str] | None
    found: Found = field(default_factory=Found)
    names: dict[str, Names] = field(default_factory=dict)
    readings: dict[tuple[str, tuple[str, ...]], Loaded] = field(default_factory=dict)

    def ruleset(self, name: str) -> Names | None:
        """The names of a ruleset as it is located; with those of its overlay, if it is one."""
        located = locate(name, self.provider)
        if located.main is None:
            self.readings.setdefault((name, ()), Loaded(None, located.diagnostics, {}))
            return None
        self._reading(located.main, ())
        self._reading(located.main, located.overlays)
        return self.names[self.provider.identity(located.main)]

    def overlaid(self, ruleset: str, overlays: tuple[str, ...]) -> None:
        """A ruleset with overlays that a scenario names, if they were not all read and found right one by one."""
        located = locate(ruleset, self.provider)
        alone = {key[1]: loaded for key, loaded in self.readings.items() if loaded.program is not None}
        read_alone = all((self.provider.identity(each),) in alone for each in overlays)
        if located.main is not None and not read_alone and any(map(self.wants, overlays)):
            self._reading(located.main, overlays)

    def wants(self, place: str) -> bool:
        """Whether a file has one of the words that are looked for."""
        text = self.text(place)
        return text is not None and (self.words is None or any(each in text.content for each in self.words))

    def _reading(self, main: str, overlays: tuple[str, ...]) -> None:
        key = self.provider.identity(main), tuple(map(self.provider.identity, overlays))
        if key in self.readings:
            return
        loaded = self.readings[key] = self.loading(Located(main, overlays), (), self.provider)
        note_rules(loaded, self.names.setdefault(key[0], Names()), self.found)

    @cached_property
    def rules(self) -> Rules:
        """For playing scenarios."""
        return Rules(self.provider)

    def is_open(self, place: str) -> bool:
        """Whether an answer in a file may be one of the words that are looked for."""
        names = (
            each.target.name for each in self.found.occurrences.values() if not each.sure and each.span.source == place
        )
        return any(self.words is None or any(word in name for word in self.words) for name in names)

    def text(self, place: str) -> Text | None:
        """A file beside the rules; none where it cannot be read."""
        found = self.found.texts.get(place) or read(place, self.provider)
        return found if isinstance(found, Text) else None


def gather(place: str, provider: Provider, words: frozenset[str] | None = None, loading: Loading = load) -> Gathered:
    """Reads the rulesets of a place, and all files in their folders and below that belong to them.

    With words only overlays and documents in which one of them stands are read: no others name what has such a name.
    """
    work = _Gathering(provider, loading, words)
    for name in rulesets_of(place, provider).names:
        work.ruleset(name)
    mains = tuple(loaded.linked.main.sources[-1] for loaded in work.readings.values() if loaded.linked)
    files = list(_files_around(mains, work.provider))
    for each in files:
        if each.endswith(_RULES) and work.wants(each) and _amends(each, work):
            work.ruleset(each)
    data = [each for each in files if each.endswith(DATA)]
    files = [each for each in data if work.wants(each)]
    suites = {each: ruleset_of(each, provider) for each in files if each.endswith(ENDING)}
    for ruleset, overlays in suites.values():
        for one in overlays:
            work.overlaid(ruleset, one)
    _documents(files, {each: ruleset for each, (ruleset, _) in suites.items()}, work)
    found = work.found
    return Gathered(
        index=index(found.occurrences),
        texts=found.texts,
        readings=tuple(work.readings.values()),
        mains=mains,
        names=work.names,
        extents=found.extents,
        titles=found.titles,
        prose=frozenset(found.prose),
        unread=(*_undecoded(data, work), *_unread(files, work)),
    )


def _undecoded(files: list[str], work: _Gathering) -> Iterator[Diagnostic]:
    """Why files of data cannot be read; what is too large for a state or a scenario is none."""
    said = (read(each, work.provider) for each in files if work.text(each) is None)
    yield from (each for each in said if isinstance(each, Diagnostic) and each.code != "RW0005")


def _unread(files: list[str], work: _Gathering) -> Iterator[Diagnostic]:
    """The mistakes of scenario files and clause lists in which no name could be noted."""
    for each in files:
        text = work.text(each) if each.endswith((ENDING, _LIST)) else None
        said = read_yaml(text) if text is not None else None
        if said is not None and said.value is None and text is not None:
            work.found.texts[each] = text
            yield from said.diagnostics


def _documents(files: list[str], suites: Mapping[str, str], work: _Gathering) -> None:
    """Scenarios, with the states that they name, then clause lists, other states and scripts."""
    known = {main: Vocabulary(names) for main, names in work.names.items()}
    states: dict[str, Vocabulary] = {}
    for each, ruleset in suites.items():
        own = known.get(work.provider.identity(locate(ruleset, work.provider).main or ""))
        text = work.text(each)
        if own is not None and text is not None:
            folder = posixpath.dirname(each)
            named = note_suite(text, own, work.found)
            if work.is_open(each):
                note_played(text, own, work.found, work.rules)
            states.update({posixpath.normpath(posixpath.join(folder, one)): own for one in named})
    for each in dict.fromkeys((*files, *states)):
        text = None if each.endswith(ENDING) or not work.wants(each) else work.text(each)
        if text is not None:
            note = next((note for ending, note in _NOTING.items() if each.endswith(ending)), note_data)
            for own in (states[each],) if each in states else known.values():
                note(text, own, work.found)


def _files_around(mains: tuple[str, ...], provider: Provider) -> Iterator[str]:
    """The files in the folders of rulesets and below, in order, each once."""
    folders = dict.fromkeys(posixpath.dirname(each) or "." for each in mains)
    seen: set[str] = set()
    for top in folders:
        for folder in folders_below(top, provider):
            for name in provider.files(folder):
                place = posixpath.normpath(posixpath.join(folder, name))
                if place not in seen and provider.sort(place) == "file":
                    seen.add(place)
                    yield place


def _amends(place: str, work: _Gathering) -> bool:
    """Whether a file of rules amends one of the rulesets."""
    located = locate(place, work.provider)
    main = located.main
    return bool(located.overlays) and main is not None and work.provider.identity(main) in work.names


def ruleset_of(place: str, provider: Provider) -> tuple[str, tuple[tuple[str, ...], ...]]:
    """The ruleset of a scenario file, and the overlays with which its scenarios play."""
    text = read(place, provider)
    root = read_yaml(text).value if isinstance(text, Text) else None
    named = value_under(root, "ruleset")
    ruleset = ruleset_named(named.written if isinstance(named, Scalar) else None, place, provider)
    return ruleset, tuple(dict.fromkeys(_overlays(root, posixpath.dirname(place), provider)))


def _overlays(node: object, folder: str, provider: Provider) -> Iterator[tuple[str, ...]]:
    """The overlays of scenarios, wherever they are named."""
    match node:
        case MappingNode(entries):
            for key, each in entries:
                if key.text == "overlays":
                    named = each.items if isinstance(each, Items) else (each,)
                    places = (_place(one.written, folder, provider) for one in named if isinstance(one, Scalar))
                    yield tuple(one for one in places if one)
                yield from _overlays(each, folder, provider)
        case Items(items):
            for each in items:
                yield from _overlays(each, folder, provider)
        case _:
            return


def _place(written: str, folder: str, provider: Provider) -> str:
    beside = posixpath.join(folder, written)
    return next((each for each in (beside, f"{beside}{_RULES}") if provider.sort(each) == "file"), "")


def note_rules(loaded: Loaded, names: Names, found: Found) -> None:
    """Notes all names in the texts of a ruleset; those of the ruleset alone come before those of its overlays."""
    linked = loaded.linked
    if linked is None:
        return
    found.texts.update(loaded.texts)
    if loaded.program is not None:
        names.programs.append(loaded.program)
    names.documents.update(linked.documents)
    Declaring(linked, names, found).run()
    Referring(linked, CheckedPlaces(loaded.program), names, found).run()
    add_addresses(linked, names, found)
    bases = {each.node.name.text: each.node.base.text for each in linked.derivations.values()}
    for module in linked.modules:
        for file in module.files:
            for around, name in amended_addresses(file):
                _address(_around(around, bases), name, names, found)


def _around(procedure: str, bases: Mapping[str, str]) -> tuple[str, ...]:
    """A procedure by `like`, what it is derived from, and so on: where an address in it may begin."""
    chain: tuple[str, ...] = (procedure,) if procedure else ()
    while chain and chain[-1] in bases and bases[chain[-1]] not in chain:
        chain = (*chain, bases[chain[-1]])
    return chain


def _address(around: tuple[str, ...], name: Name, names: Names, found: Found) -> None:
    """The names in an address of an amendment; inside of a procedure by `like` it begins there."""
    inside = name.text.partition("/")[0] not in around
    for text in (f"{each}/{name.text}" for each in around) if around and inside else (name.text,):
        shift = len(name.text) - len(text)
        for each in _known(text, names):
            start, end = each.start + shift, each.end + shift
            if start >= 0:
                span = Span(name.span.source, name.span.start + start, name.span.start + end)
                found.note(span, name.text[start:end], each.target, Role.AMENDED)


def _known(text: str, names: Names) -> tuple[Piece, ...]:
    """The names in a whole address; of one that is new those of what it stands in."""
    while text and text not in names.addresses:
        text = text.rpartition("/")[0]
    return names.addresses.pieces(text) if text else ()
