"""What a unit needs, so that a ruleset with it and without others has no errors."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from rulewright.comparing.naming import Name
from rulewright.comparing.separating.units import Unit

_VARIABLES = frozenset({"local", "parameter"})
_CALLED = frozenset({"function", "procedure", "external", "event", "relation"})


def needs(units: Sequence[Unit], names: Mapping[Name, Name]) -> tuple[frozenset[int], ...]:
    """For each unit the numbers of all that have to be made with it, its own among them.

    A unit needs those that declare what it mentions, and those that mention what it removes. Where one changes
    parameters, it and all that mention the same declaration need each other. So do those that mention a variable of one
    revision only; a new variable needs that what was called so before is gone.
    """
    direct = _direct(units, names)
    return tuple(_closed({number}, direct) for number in range(len(units)))


def wider(chosen: frozenset[int], units: Sequence[Unit], needed: Sequence[frozenset[int]]) -> frozenset[int]:
    """The units with all others of the declarations they stand in, and what those need."""
    owners = {owner for number in chosen for owner in units[number].owners}
    beside = (number for number, unit in enumerate(units) if unit.owners & owners)
    return chosen.union(*(needed[number] for number in beside))


def _direct(units: Sequence[Unit], names: Mapping[Name, Name]) -> list[set[int]]:
    declare, mention_old, mention_new = (_by(units, part) for part in ("fresh", "old", "new"))
    known = frozenset(names.values())
    removed = {name.last: every for name, every in _by(units, "gone").items() if not name.owner}
    found: list[set[int]] = [set() for _ in units]
    for number, unit in enumerate(units):
        found[number].update(one for name in unit.new for one in declare.get(name, ()))
        found[number].update(one for name in unit.gone for one in mention_old.get(name, ()))
        for name in unit.new:
            if name.sort in _VARIABLES and name not in known:
                found[number] |= mention_new[name] | removed.get(name.last, set())
        for name in unit.old:
            if name.sort in _VARIABLES and name not in names:
                found[number] |= mention_old[name]
        for other in _mentioning(unit.shapes, units):
            found[number].add(other)
            found[other].add(number)
    return found


def _mentioning(shapes: frozenset[str], units: Sequence[Unit]) -> Iterator[int]:
    for number, unit in enumerate(units if shapes else ()):
        if any(name.name in shapes and name.sort in _CALLED for name in unit.old | unit.new):
            yield number


def _by(units: Sequence[Unit], part: str) -> dict[Name, set[int]]:
    found = defaultdict[Name, set[int]](set)
    for number, unit in enumerate(units):
        for name in getattr(unit, part):
            found[name].add(number)
    return found


def _closed(start: set[int], direct: Sequence[set[int]]) -> frozenset[int]:
    waiting, found = list(start), set(start)
    while waiting:
        for each in direct[waiting.pop()]:
            if each not in found:
                found.add(each)
                waiting.append(each)
    return frozenset(found)
