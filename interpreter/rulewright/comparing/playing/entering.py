"""Which procedures plays of two revisions begin with."""

from dataclasses import replace

from rulewright.comparing.playing.bench import Task
from rulewright.comparing.playing.slices import entries, reaches
from rulewright.comparing.playing.stored import said_of


def entered(task: Task) -> tuple[Task, tuple[str, ...]]:
    """The task with the procedures to begin with, and the new names of those that come to nothing that changed."""
    begun = (
        entries(task.old) | {each.procedure for each in task.fixtures.plays},
        entries(task.new) | {each.procedure for each in task.fixtures.new_plays},
    )
    pairs = tuple(
        (old, new)
        for old in task.old.procedures
        for new in [task.names.new("procedure", old) or ""]
        if new in task.new.procedures and (old in begun[0] or new in begun[1] or _begins_otherwise(old, new, task))
        if not task.old.procedures[old].inner and not task.new.procedures[new].inner
    )
    taken = matter(replace(task, entrances=pairs))
    return taken, tuple(new for old, new in pairs if (old, new) not in taken.entrances)


def _begins_otherwise(old: str, new: str, task: Task) -> bool:
    """Whether an argument that is left out means something else: only a play that begins with it can tell."""
    here, there = task.old.procedures[old], task.new.procedures[new]
    known = {f"{new}/{each.name}": default for each, default in zip(there.parameters, there.defaults, strict=True)}
    pairs = (
        (default, known[target])
        for each, default in zip(here.parameters, here.defaults, strict=True)
        for target in [task.names.new("parameter", f"{old}/{each.name}")]
        if target in known
    )
    return any(said_of(first) != said_of(second) for first, second in pairs)


def matter(task: Task) -> Task:
    """The task without procedures that come to nothing that changed."""
    old, new = reaches(task.old, task.altered.names[0]), reaches(task.new, task.altered.names[1])
    return replace(task, entrances=tuple(each for each in task.entrances if each[0] in old or each[1] in new))
