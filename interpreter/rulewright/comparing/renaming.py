"""Which names became which: two revisions of a text vote line by line; steps that were counted anew.

Names that only one revision knows are masked. Lines that are then alike pair the names at the same place; a pair that
most mentions of both names speak for is a rename.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

from rulewright.comparing.pairing import likeness, shared, shingles
from rulewright.outline.items import Item, Name, Outline, Tokens


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


_MOST = 0.4
_ALIKE = 0.6
_LITTLE = 0.5
_LEAST = 0.2
_MANY = 200
_BODIES = frozenset({"procedure", "handler", "standing rule"})


def renames(old: Outline, new: Outline) -> dict[Name, Name]:
    """From the names of the old revision to those of the new one, those that stayed the same among them."""
    of_old, of_new = _names(old), _names(new)
    known = renumbered(old, new)
    again = frozenset(known.values())
    known |= {name: name for name in of_old if name in of_new and name not in known and name not in again}
    lost = {name: count for name, count in of_old.items() if name not in known}
    taken = _Taken(known)
    found = {name: count for name, count in of_new.items() if name not in taken.names}
    votes = _votes(old, new, frozenset(lost), frozenset(found))
    routines = tuple({each.name: each for each in one.items if each.sort in _BODIES} for one in (old, new))

    def could_be(before: Name, after: Name) -> bool:
        """Whether two routines that are called in one place have anything else in common."""
        mine, others = routines[0].get(before), routines[1].get(after)
        return mine is None or others is None or likeness(mine, others, known) >= _LEAST

    for apart in (False, True):
        for (before, after), number in sorted(votes.items(), key=lambda vote: (-vote[1], vote[0])):
            enough = number >= max(1, _MOST * min(lost[before], found[after]))
            if bool(before.owner) is apart and enough and taken.is_free(before, after) and could_be(before, after):
                taken.add({before: after})
        taken.add(_alike(old, new, known))
        taken.add(_carried(lost, found, known))
    known |= _left_alone(old, new, known)
    return known | _alike(old, new, known)


class _Taken:
    """The names that are known, which it adds to, with what is asked of them for each vote.

    Attributes:
        names: of the new revision that have a partner.
    """

    def __init__(self, known: dict[Name, Name]) -> None:
        self._known = known
        self.names: set[Name] = set()
        self._owners: set[tuple[str, str]] = set()
        self._note(known)

    def add(self, more: Mapping[Name, Name]) -> None:
        self._known |= more
        self._note(more)

    def _note(self, more: Mapping[Name, Name]) -> None:
        self.names.update(more.values())
        self._owners.update((old.name, new.name) for old, new in more.items() if not old.owner)

    def is_free(self, before: Name, after: Name) -> bool:
        """Whether neither has another partner, and the declarations around them are the same."""
        if before in self._known or after in self.names:
            return False
        around = before.owner, after.owner
        return not before.owner or around in self._owners or before.owner == after.owner


def _left_alone(old: Outline, new: Outline, known: Mapping[Name, Name]) -> dict[Name, Name]:
    """Attributes of which all users were renamed too: the one that went and the one of its type that came."""
    gone = [each for each in _orphans(old, known) if _owner(each) in known]
    come = _orphans(new, {after: after for after in known.values()})
    pairs = [(was, now) for was in gone for now in come if known[_owner(was)] == _owner(now) and was.form == now.form]
    firsts, seconds = (Counter(id(pair[side]) for pair in pairs) for side in (0, 1))
    return {
        was.name: now.name for was, now in pairs if was.name and now.name and firsts[id(was)] == seconds[id(now)] == 1
    }


def _orphans(outline: Outline, known: Mapping[Name, Name]) -> list[Item]:
    """Attributes that nobody knows, mentioned only by declarations that nobody knows."""
    users: dict[Name, set[Name | None]] = defaultdict(set)
    for item in outline.items:
        for token in (token for each in item.inside() for token in each.form if isinstance(token, Name)):
            users[token].add(item.name)
    fields = (each for item in outline.items for each in item.items if each.sort == "attribute" and each.name)
    lost = (each for each in fields if each.name not in known)
    return [each for each in lost if each.name and users[each.name] and not users[each.name] & known.keys()]


def _owner(item: Item) -> Name:
    assert item.name is not None
    return Name("kind", item.name.owner)


def _carried(lost: Iterable[Name], found: Iterable[Name], known: Mapping[Name, Name]) -> dict[Name, Name]:
    """Names inside declarations that were renamed, themselves called as before."""
    owners = {old.name: new.name for old, new in known.items() if not old.owner}
    same = {name: Name(name.sort, f"{owners[name.owner]}/{name.last}") for name in lost if name.owner in owners}
    there = frozenset(found)
    return {old: new for old, new in same.items() if new in there}


def _names(outline: Outline) -> Counter[Name]:
    """How often each name is mentioned, its declaration included."""
    return Counter(token for item in outline.every() for token in _said(item) if isinstance(token, Name))


def _said(item: Item) -> Tokens:
    return (*item.form, *((item.name,) if item.name else ()))


def _votes(old: Outline, new: Outline, lost: frozenset[Name], found: frozenset[Name]) -> dict[tuple[Name, Name], float]:
    votes: dict[tuple[Name, Name], float] = defaultdict(float)
    theirs = _by_mask(new.every(), found)
    for masked, mine in _by_mask(old.every(), lost).items():
        others = theirs.get(masked, [])
        for weight, before, after in _paired(mine, others):
            for one, other in zip(_said(before), _said(after), strict=True):
                if isinstance(one, Name) and isinstance(other, Name) and one in lost and other in found:
                    votes[one, other] += weight * _trust(one, before, after)
    return votes


def _trust(name: Name, before: Item, after: Item) -> float:
    """Declarations alone say little, unless they bear the same title."""
    same_title = before.title != "" and before.title == after.title
    return 1 if before.name != name or same_title else _LITTLE


def _by_mask(items: Iterable[Item], only: frozenset[Name]) -> dict[Tokens, list[Item]]:
    """Items that mention some names, by what is left when these are masked."""
    groups: dict[Tokens, list[Item]] = defaultdict(list)
    for item in items:
        said = _said(item)
        if any(token in only for token in said):
            groups[mask(said, only)].append(item)
    return groups


def mask(said: Tokens, only: frozenset[Name]) -> Tokens:
    """Tokens with names taken out, of which only the sort is left."""
    return tuple(f"?{token.sort}" if isinstance(token, Name) and token in only else token for token in said)


def _paired(mine: list[Item], others: list[Item]) -> Iterator[tuple[float, Item, Item]]:
    if len(mine) == len(others):
        yield from ((1.0, before, after) for before, after in zip(mine, others, strict=True))
    elif others:
        yield from ((1 / max(len(mine), len(others)), before, after) for before in mine for after in others)


def _alike(old: Outline, new: Outline, known: Mapping[Name, Name]) -> dict[Name, Name]:
    """Declarations that nobody mentions, such as procedures, by how much of what they say is the same."""
    taken = frozenset(known.values())
    mine = [(item, shingles(item, known)) for item in old.items if item.name and item.name not in known]
    others = [(item, shingles(item, {})) for item in new.items if item.name and item.name not in taken]
    pairs = sorted(
        (-shared(mine[number][1], others[other][1]), number, other) for number, other in _candidates(mine, others)
    )
    chosen: dict[int, int] = {}
    used: set[int] = set()
    for unlike, number, other in pairs:
        if -unlike >= _ALIKE and number not in chosen and other not in used:
            chosen[number] = other
            used.add(other)
    names = ((mine[number][0].name, others[other][0].name) for number, other in chosen.items())
    return {before: after for before, after in names if before and after}


_Said = tuple[Item, Counter[Tokens]]


def _candidates(mine: Sequence[_Said], others: Sequence[_Said]) -> Iterator[tuple[int, int]]:
    """The places of items that may be alike enough: of those that say the same, the first with the first and so on.

    Of the rest each with those of its sort that share one of the rarest things it says, of which it may lack
    so many that all others are not enough; with `_MANY` of them at most.
    """
    same: dict[Hashable, list[int]] = defaultdict(list)
    where: dict[tuple[str, Tokens], list[int]] = defaultdict(list)
    for other, (item, said) in enumerate(others):
        same[item.sort, frozenset(said.items())].append(other)
        for each in said:
            where[item.sort, each].append(other)
    left: list[int] = []
    for number, (item, said) in enumerate(mine):
        equal = same[item.sort, frozenset(said.items())]
        if equal:
            yield number, equal.pop(0)
        else:
            left.append(number)
    for number in left:
        item, said = mine[number]
        rarest = sorted(said, key=lambda each: len(where.get((item.sort, each), ())))
        needed = _ALIKE * said.total() / (2 - _ALIKE)
        rest = said.total()
        found: dict[int, None] = {}
        for each in rarest:
            if rest < needed or len(found) >= _MANY:
                break
            found |= dict.fromkeys(where.get((item.sort, each), ())[: _MANY - len(found)])
            rest -= said[each]
        yield from ((number, other) for other in found)
