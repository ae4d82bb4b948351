"""Steps that were counted anew: known by their titles where their numbers belong to other steps now."""

from collections import Counter
from collections.abc import Mapping

from rulewright.comparing.likeness import likeness
from rulewright.comparing.naming import Name
from rulewright.comparing.outline import Item, Outline


def renumbered(old: Outline, new: Outline) -> dict[Name, Name]:
    """From steps of the old revision to those of the new one that bear their titles, but not their numbers.

    The number must belong to a step of another title in one of the revisions, and what the step says must be more like
    the step of its title than like that of its number.
    """
    before, after = _procedures(old), _procedures(new)
    return {
        old_name: new_name
        for procedure, steps in before.items()
        for old_name, new_name in _shifted(steps, after.get(procedure, ())).items()
    }


def _procedures(outline: Outline) -> Mapping[str, tuple[Item, ...]]:
    """The steps of every procedure."""
    return {
        item.id: tuple(each for each in item.items if each.sort == "step")
        for item in outline.items
        if item.sort == "procedure"
    }


def _shifted(old: tuple[Item, ...], new: tuple[Item, ...]) -> dict[Name, Name]:
    mine, others = _titled(old), _titled(new)
    pairs = [(step, others[title]) for title, step in mine.items() if title in others]
    return {was.name: now.name for was, now in pairs if was.name and now.name and _is_likelier(was, now, old, new)}


def _is_likelier(was: Item, now: Item, old: tuple[Item, ...], new: tuple[Item, ...]) -> bool:
    """Whether two steps of one title are more alike than those that share the number of either."""
    rivals = [(was, each) for each in new if each.id == was.id] + [(each, now) for each in old if each.id == now.id]
    same = likeness(was, now, {})
    return was.id != now.id and bool(rivals) and all(likeness(*each, {}) < same for each in rivals)


def _titled(steps: tuple[Item, ...]) -> Mapping[str, Item]:
    """Steps by titles that no other step bears."""
    number = Counter(each.title for each in steps)
    return {each.title: each for each in steps if each.title and number[each.title] == 1}
