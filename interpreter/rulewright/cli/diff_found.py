"""What `diff` has to show."""

from collections import Counter
from collections.abc import Callable, Iterator

from rulewright.analysis.symbols import ClauseEntry
from rulewright.cli.diff_addresses import Named
from rulewright.cli.diff_sides import Side
from rulewright.comparing.comparison import Comparison, compare
from rulewright.comparing.edits import SECTIONS
from rulewright.comparing.playing.data import Behaviour, Migrated
from rulewright.comparing.playing.judging import stopped_plays
from rulewright.comparing.report.model import Screen
from rulewright.comparing.report.screen import screen
from rulewright.comparing.telling import Told, told
from rulewright.comparing.whole import Whole, whole
from rulewright.frozen import dataclass
from rulewright.outline.names import Name

_MOST = 6
_SORTS = ("changed", "added", "removed", "moved")
_COUNTED = ("rules", "declarations")
_MANY = {
    "rewritten": "written otherwise, proved",
    "names": "renamed",
    "wording": "reworded",
    "margins": "in margins",
    "remarks": "in remarks",
}


@dataclass(frozen=True, slots=True)
class Found:
    """Two revisions, what is between them, every edit in words, the first screen, what becomes of plays and scripts."""

    old: Side
    new: Side
    whole: Whole
    told: tuple[Told, ...]
    screen: Screen
    games: tuple[Migrated, ...] = ()
    addresses: tuple[Named, ...] = ()

    def section(self, name: str) -> tuple[Told, ...]:
        """The edits of one section."""
        return tuple(each for each in self.told if each.section == name)

    @property
    def counts(self) -> str:
        """How many edits there are of each sort: `rules: 2 changed, 1 added; declarations: 1 removed; 3 renamed`."""
        said = (f"{name}: {self._sorts(name)}" for name in _COUNTED if self.section(name))
        others = (
            f"{len(self.section(name))} {_MANY[name]}" for name in SECTIONS if name in _MANY and self.section(name)
        )
        return "; ".join([*said, *others])

    def _sorts(self, section: str) -> str:
        found = Counter(each.sort for each in self.section(section))
        return ", ".join(f"{found[sort]} {sort}" for sort in _SORTS if found[sort])

    @property
    def effort(self) -> str:
        """What was played: `played charge, fight, seed 0`; nothing where nothing was."""
        behaviour = self.whole.behaviour
        if behaviour is None or not behaviour.entrances:
            return ""
        begun = [each.new for each in behaviour.entrances]
        more = len(begun) - _MOST
        named = ", ".join([*begun[:_MOST], *([f"and {more} more"] if more > 0 else [])])
        cut = f", cut after {behaviour.cut:g} s" if behaviour.cut else ""
        ended = f"; {stopped_plays(dict(behaviour.limits), behaviour.plays)}" if behaviour.limits else ""
        return f"played {named}, seed {behaviour.seed}{cut}{ended}"

    @property
    def unproved(self) -> str:
        """The declarations that are not proved to play alike, the first few by name."""
        names = list(dict.fromkeys(map(_called, self.whole.comparison.remaining.new + self._lost())))
        more = len(names) - _MOST
        return ", ".join([*names[:_MOST], *([f"and {more} more"] if more > 0 else [])])

    def _lost(self) -> tuple[Name, ...]:
        names = self.whole.comparison.correspondence.names
        return tuple(each for each in self.whole.comparison.remaining.old if each not in names)


def _called(name: Name) -> str:
    word = {"function": "", "field": "game.", "rule": "standing rule ", "values": "list "}.get(
        name.sort, f"{name.sort} "
    )
    return f"{word}{name.name.replace('/', '.' if name.sort == 'attribute' else ' ')}"


def compared(old: Side, new: Side, play: Callable[[Comparison], Behaviour | None]) -> Found:
    """Compares two checked rulesets; `play` plays them."""
    comparison = compare(old.loaded, new.loaded)
    joined = whole(old.program, new.program, comparison, play(comparison))
    said = told(comparison, (tuple(old.loaded.texts), tuple(new.loaded.texts)))
    shown = screen((old.program, new.program), (_listed(old), _listed(new)), joined, said)
    return Found(old, new, joined, said, shown)


def _listed(side: Side) -> tuple[ClauseEntry, ...]:
    """The clauses of its documents, in the order of their lists."""
    linked = side.loaded.linked
    return tuple(entry for each in (linked.clauses.values() if linked else ()) for entry in each)


def groups(lines: tuple[Told, ...]) -> Iterator[list[Told]]:
    """The edits of each step or declaration, in order of the first of each."""
    found: dict[str, list[Told]] = {}
    for each in lines:
        found.setdefault(each.group, []).append(each)
    yield from found.values()
