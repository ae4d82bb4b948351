"""Rulesets between two revisions: the old one with some edits of rules made."""

from collections.abc import Mapping, Sequence

from rulewright.comparing.comparison import Comparison, compare
from rulewright.comparing.matching import is_turned, match
from rulewright.comparing.naming import Correspondence
from rulewright.comparing.separating.extents import Extents
from rulewright.comparing.separating.groups import needs
from rulewright.comparing.separating.patching import Patcher
from rulewright.comparing.separating.units import Unit, units
from rulewright.files import Memory, Provider
from rulewright.frozen import dataclass
from rulewright.outline import outline
from rulewright.outline.names import Name
from rulewright.program.declarations import Program
from rulewright.source import Text
from rulewright.syntax.parsed import Parsed
from rulewright.syntax.parser import parse
from rulewright.workspace import Loaded, Located, load


@dataclass(frozen=True, slots=True)
class Revised:
    """A checked revision, and the places of its main file and of its overlays."""

    loaded: Loaded
    main: str
    overlays: tuple[str, ...] = ()


class Hybrids:
    """All that can be made of two revisions.

    Attributes:
        units: the edits of rules that can be made one without the other.
        needed: for each unit the numbers of those that have to be made with it.
    """

    def __init__(self, old: Revised, new: Revised, comparison: Comparison) -> None:
        self._old, self._new = old, new
        self._names = comparison.correspondence.names
        before, after = comparison.outlines
        matches = match(before, after, self._names, turned=is_turned(before, after))
        extents = Extents(before, old.loaded.texts), Extents(after, new.loaded.texts)
        self.units: tuple[Unit, ...] = units(matches, comparison.edits, self._names, *extents)
        self.needed: Sequence[frozenset[int]] = needs(self.units, self._names)
        self._patcher = Patcher(matches, self._names, *extents, new.main)
        self._parsed: dict[Text, Parsed] = {}

    @property
    def trusted(self) -> bool:
        """Whether the hybrid without any edit is proved to play as the old revision does."""
        bare = self.of(frozenset())
        return bare is not None and compare(self._old.loaded, bare, solver=False).known is not None

    def of(self, chosen: frozenset[int]) -> Loaded | None:
        """The old revision with some units of edits; none where that is no ruleset without errors."""
        undone = (patch for number, each in enumerate(self.units) if number not in chosen for patch in each.patches)
        texts = self._patcher.texts(undone)
        if texts is None:
            return None
        whole = {name: each.content for name, each in self._new.loaded.texts.items()} | texts
        loaded = load(Located(self._new.main, self._new.overlays), (), Memory(whole), self._parse)
        return loaded if loaded.program is not None else None

    def names(self, hybrid: Program) -> Correspondence:
        """What of the old revision is what of a hybrid."""
        return between(self._names, hybrid)

    def _parse(self, text: Text, provider: Provider) -> Parsed:
        del provider
        if text not in self._parsed:
            self._parsed[text] = parse(text)
        return self._parsed[text]


def between(names: Mapping[Name, Name], hybrid: Program) -> Correspondence:
    """From old names to those of a hybrid: the new ones, and the old ones of what is still there."""
    items = outline(hybrid, {}).every()
    known = {each for item in items for each in (*item.form, item.name) if isinstance(each, Name)}
    owners = {old.name: new.name for old, new in names.items() if old.sort in _OWNERS}
    found = {old: new for old, new in names.items() if new in known}
    back = {new: old for old, new in owners.items()}
    taken = set(found.values())
    for name in known - taken:
        owner = back.get(name.owner, name.owner)
        found.setdefault(Name(name.sort, f"{owner}/{name.last}" if owner else name.last), name)
    return Correspondence(found, {})


_OWNERS = frozenset({"values", "kind", "record", "board", "function", "procedure", "external", "relation", "event"})
