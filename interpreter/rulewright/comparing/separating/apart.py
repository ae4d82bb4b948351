"""Which of many edits plays show, each by a play of its own."""

from collections.abc import Sequence

from rulewright.comparing.comparison import Comparison
from rulewright.comparing.playing.bench import Task
from rulewright.comparing.playing.data import Heed, Progress, Separated, Subject
from rulewright.comparing.playing.finding import Found
from rulewright.comparing.playing.showing import Apart, Shown
from rulewright.comparing.playing.work import Work
from rulewright.comparing.separating.groups import Group, groups, widened
from rulewright.comparing.separating.hybrids import Hybrids
from rulewright.comparing.separating.trying import SEEN, WHOLE, Kit, Trial, trials
from rulewright.inputs.save import Save


class Separator:
    """Tells the edits of a comparison apart.

    Attributes:
        groups: the edits that are made together, in the order of the text.
    """

    def __init__(self, hybrids: Hybrids, comparison: Comparison) -> None:
        self._hybrids = hybrids
        self.groups: tuple[Group, ...] = groups(hybrids.units, hybrids.needed, comparison.edits, comparison.remaining)

    def apart(  # noqa: PLR0913, PLR0917
        self, task: Task, found: Sequence[Found], pool: Sequence[Save], work: Work, workers: int, heed: Heed
    ) -> Apart:
        """Tries all edits; nothing is told of them where the hybrids cannot be trusted.

        Args:
            task: the old revision and the new one.
            found: plays that part them, the best first.
            pool: plays of the old revision that part them, to try first.
            work: that may be done.
            workers: processes.
            heed: told how far it is.
        """
        if len(self.groups) == 1 and found:
            subject = self._subject(self.groups[0])
            return Apart((Shown(found[0], subject),), Separated(seen=subject.edits))
        if not self.groups or not self._hybrids.trusted:
            return Apart((), None)
        kit = Kit(self._hybrids, task, tuple(pool))
        first = self._tried(kit, self.groups, work, workers, heed)
        alone = [group for group, each in first if each.outcome == WHOLE]
        again = widened(alone, self._hybrids.units, self._hybrids.needed, self.groups)
        second = self._tried(kit, again, work, workers, heed)
        return self._told(first, second)

    def _tried(
        self, kit: Kit, wanted: Sequence[Group], work: Work, workers: int, heed: Heed
    ) -> list[tuple[Group, Trial]]:
        made: list[tuple[Group, Trial]] = []
        for group, each in zip(wanted, trials(kit, wanted, work, workers), strict=True):
            made.append((group, each))
            heed(Progress("separating", len(made), len(wanted), sum(one.outcome == SEEN for _, one in made)))
        return made

    def _told(self, first: list[tuple[Group, Trial]], second: list[tuple[Group, Trial]]) -> Apart:
        known = {number for group, _ in second for number in group.subject}
        kept = [(group, each) for group, each in first if not known.issuperset(group.subject)]
        made = sorted((*kept, *second), key=lambda pair: pair[0].subject)
        shown = tuple(Shown(each.found, self._subject(group), each.alone) for group, each in made if each.found)
        became: dict[str, tuple[int, ...]] = {}
        for group, each in made:
            became[each.outcome] = (*became.get(each.outcome, ()), *group.subject)
        return Apart(shown, Separated(**became))

    def _subject(self, group: Group) -> Subject:
        units = self._hybrids.units
        made = {edit for number in group.made for edit in units[number].edits}
        return Subject(group.subject, tuple(sorted(made - set(group.subject))))
