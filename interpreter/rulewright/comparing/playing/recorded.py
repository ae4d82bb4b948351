"""Plays of the old revision that people wrote down, played again by both."""

from collections.abc import Iterator, Sequence

from rulewright.comparing.playing.answering import Pair, translated
from rulewright.comparing.playing.bench import Bench
from rulewright.comparing.playing.common import Common
from rulewright.comparing.playing.crossing import LostError
from rulewright.comparing.playing.opening import Start, opened
from rulewright.comparing.playing.questions import Same
from rulewright.comparing.playing.replaying import plain
from rulewright.comparing.playing.side_by_side import Answers, Played, played
from rulewright.comparing.playing.states import carried, carried_roles
from rulewright.comparing.playing.unplaced import unplaced
from rulewright.inputs.answers import read_answer
from rulewright.inputs.save import Answered, Save
from rulewright.machine.request import Paused


def played_again(bench: Bench, save: Save) -> Played | None:
    """A recorded play in both revisions, plain answers after its own; none where the new one cannot begin it."""
    across = bench.ways.across
    procedure = across.here.procedures.get(save.procedure)
    other = across.there.procedures.get(across.names.new("procedure", save.procedure) or "")
    if procedure is None or other is None:
        return None
    try:
        new = Start(carried(save.start, across), carried_roles(save.arguments, procedure, other, across))
    except LostError:
        return None
    found = opened((procedure, other), (Start(save.start, save.arguments), new), bench.ways)
    return None if found is None else played(bench.executables, found, in_order(save.answers))


def in_order(answers: Sequence[Answered], *, then_plain: bool = True) -> Answers:
    """Answers of the old revision one after the other, and what they are in the new one."""
    left = list(answers)

    def recorded(asked: Same, paused: tuple[Paused, Paused], common: Common) -> Iterator[Pair]:
        if left:
            old = read_answer(asked.old, unplaced(left.pop(0).answer), common.old)
            new = (
                None
                if old.diagnostics
                else translated(old.value, asked.old, asked.new, paused[1], common, turned=False)
            )
            if new is not None:
                yield old.value, new[0]
        if then_plain:
            yield from plain(asked, paused, common)

    return recorded
