"""Rename detection: lines vote for pairs of names; and steps that were renumbered.

Names that only one revision has are masked. Lines that are equal then pair the names at the same position; a pair that
most mentions of both names vote for is a rename.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

from rulewright.diff.item_matching import count_shingles, measure_similarity, sorensen_dice
from rulewright.program.outline.items import DeclaredName, FormTokens, Outline, OutlineItem


def find_renumbered_steps(old: Outline, new: Outline) -> dict[DeclaredName, DeclaredName]:
    """Old steps to new steps that have their titles, but other numbers.

    The number must belong to a step of another title in one of the revisions, and the content of the step must be more
    like the step of its title than the step of its number.
    """
    before, after = _steps_by_procedure(old), _steps_by_procedure(new)
    return {
        old_name: new_name
        for procedure, steps in before.items()
        for old_name, new_name in _match_steps_by_title(steps, after.get(procedure, ())).items()
    }


def _steps_by_procedure(outline: Outline) -> Mapping[str, tuple[OutlineItem, ...]]:
    return {
        item.id: tuple(outline_item for outline_item in item.items if outline_item.sort == "step")
        for item in outline.items
        if item.sort == "procedure"
    }


def _match_steps_by_title(
    old: tuple[OutlineItem, ...], new: tuple[OutlineItem, ...]
) -> dict[DeclaredName, DeclaredName]:
    old_steps, new_steps = _steps_by_unique_title(old), _steps_by_unique_title(new)
    pairs = [(step, new_steps[title]) for title, step in old_steps.items() if title in new_steps]
    return {was.name: now.name for was, now in pairs if was.name and now.name and _is_closest_title(was, now, old, new)}


def _is_closest_title(
    was: OutlineItem, now: OutlineItem, old: tuple[OutlineItem, ...], new: tuple[OutlineItem, ...]
) -> bool:
    rivals = [(was, outline_item) for outline_item in new if outline_item.id == was.id] + [
        (outline_item, now) for outline_item in old if outline_item.id == now.id
    ]
    same = measure_similarity(was, now, {})
    return was.id != now.id and bool(rivals) and all(measure_similarity(*rival, {}) < same for rival in rivals)


def _steps_by_unique_title(steps: tuple[OutlineItem, ...]) -> Mapping[str, OutlineItem]:
    number = Counter(step.title for step in steps)
    return {step.title: step for step in steps if step.title and number[step.title] == 1}


_MIN_VOTE_SHARE = 0.4
_MIN_RENAME_SIMILARITY = 0.6
_DECLARATION_VOTE_WEIGHT = 0.5
_MIN_ROUTINE_SIMILARITY = 0.2
_MAX_RENAME_CANDIDATES = 200
_SORTS_WITH_BODY = frozenset({"procedure", "handler", "standing rule"})


def detect_renames(old: Outline, new: Outline) -> dict[DeclaredName, DeclaredName]:
    """Old names to new names, unchanged names included."""
    of_old, of_new = _count_mentions(old), _count_mentions(new)
    known = find_renumbered_steps(old, new)
    again = frozenset(known.values())
    known |= {name: name for name in of_old if name in of_new and name not in known and name not in again}
    lost = {name: count for name, count in of_old.items() if name not in known}
    known_names = _KnownNames(known)
    result = {name: count for name, count in of_new.items() if name not in known_names.names}
    votes = _count_rename_votes(old, new, frozenset(lost), frozenset(result))
    routines = tuple({item.name: item for item in one.items if item.sort in _SORTS_WITH_BODY} for one in (old, new))

    def is_plausible_rename(before: DeclaredName, after: DeclaredName) -> bool:
        """Whether two routines that are called in one place have anything else in common."""
        old_routine, new_routine = routines[0].get(before), routines[1].get(after)
        return (
            old_routine is None
            or new_routine is None
            or measure_similarity(old_routine, new_routine, known) >= _MIN_ROUTINE_SIMILARITY
        )

    for is_nested in (False, True):
        for (before, after), number in sorted(votes.items(), key=lambda vote: (-vote[1], vote[0])):
            enough = number >= max(1, _MIN_VOTE_SHARE * min(lost[before], result[after]))
            if (
                bool(before.owner) is is_nested
                and enough
                and known_names.is_unpaired(before, after)
                and is_plausible_rename(before, after)
            ):
                known_names.add_renames({before: after})
        known_names.add_renames(_pair_similar_declarations(old, new, known))
        known_names.add_renames(_carry_nested_names(lost, result, known))
    known |= _pair_orphan_attributes(old, new, known)
    return known | _pair_similar_declarations(old, new, known)


class _KnownNames:
    """Names paired so far, and the plausibility of further votes.

    Attributes:
        names: of the new revision that have a partner.
    """

    def __init__(self, known: dict[DeclaredName, DeclaredName]) -> None:
        self._new_by_old = known
        self.names: set[DeclaredName] = set()
        self._owners: set[tuple[str, str]] = set()
        self._register_renames(known)

    def add_renames(self, more: Mapping[DeclaredName, DeclaredName]) -> None:
        self._new_by_old |= more
        self._register_renames(more)

    def _register_renames(self, more: Mapping[DeclaredName, DeclaredName]) -> None:
        self.names.update(more.values())
        self._owners.update((old.name, new.name) for old, new in more.items() if not old.owner)

    def is_unpaired(self, before: DeclaredName, after: DeclaredName) -> bool:
        if before in self._new_by_old or after in self.names:
            return False
        around = before.owner, after.owner
        return not before.owner or around in self._owners or before.owner == after.owner


def _pair_orphan_attributes(
    old: Outline, new: Outline, known: Mapping[DeclaredName, DeclaredName]
) -> dict[DeclaredName, DeclaredName]:
    """Attributes whose users were all renamed too: the removed one and the added one of its type."""
    removed = [
        orphan_attribute
        for orphan_attribute in _find_orphan_attributes(old, known)
        if _owning_kind(orphan_attribute) in known
    ]
    added = _find_orphan_attributes(new, {after: after for after in known.values()})
    pairs = [
        (was, now)
        for was in removed
        for now in added
        if known[_owning_kind(was)] == _owning_kind(now) and was.form == now.form
    ]
    firsts, seconds = (Counter(id(pair[side]) for pair in pairs) for side in (0, 1))
    return {
        was.name: now.name for was, now in pairs if was.name and now.name and firsts[id(was)] == seconds[id(now)] == 1
    }


def _find_orphan_attributes(outline: Outline, known: Mapping[DeclaredName, DeclaredName]) -> list[OutlineItem]:
    users: dict[DeclaredName, set[DeclaredName | None]] = defaultdict(set)
    for item in outline.items:
        for token in (
            token
            for outline_item in item.walk_subtree()
            for token in outline_item.form
            if isinstance(token, DeclaredName)
        ):
            users[token].add(item.name)
    fields = (
        outline_item
        for item in outline.items
        for outline_item in item.items
        if outline_item.sort == "attribute" and outline_item.name
    )
    lost = (field for field in fields if field.name not in known)
    return [
        outline_item
        for outline_item in lost
        if outline_item.name and users[outline_item.name] and not users[outline_item.name] & known.keys()
    ]


def _owning_kind(item: OutlineItem) -> DeclaredName:
    assert item.name is not None
    return DeclaredName("kind", item.name.owner)


def _carry_nested_names(
    lost: Iterable[DeclaredName], added: Iterable[DeclaredName], known: Mapping[DeclaredName, DeclaredName]
) -> dict[DeclaredName, DeclaredName]:
    """Unchanged names inside renamed declarations."""
    owners = {old.name: new.name for old, new in known.items() if not old.owner}
    same = {
        name: DeclaredName(name.sort, f"{owners[name.owner]}/{name.short_name}")
        for name in lost
        if name.owner in owners
    }
    there = frozenset(added)
    return {old: new for old, new in same.items() if new in there}


def _count_mentions(outline: Outline) -> Counter[DeclaredName]:
    return Counter(
        token for item in outline.walk_items() for token in _item_tokens(item) if isinstance(token, DeclaredName)
    )


def _item_tokens(item: OutlineItem) -> FormTokens:
    return (*item.form, *((item.name,) if item.name else ()))


def _count_rename_votes(
    old: Outline, new: Outline, lost: frozenset[DeclaredName], added: frozenset[DeclaredName]
) -> dict[tuple[DeclaredName, DeclaredName], float]:
    votes: dict[tuple[DeclaredName, DeclaredName], float] = defaultdict(float)
    theirs = _group_by_mask(new.walk_items(), added)
    for masked, old_items in _group_by_mask(old.walk_items(), lost).items():
        new_items = theirs.get(masked, [])
        for weight, before, after in _pair_masked_items(old_items, new_items):
            for one, other in zip(_item_tokens(before), _item_tokens(after), strict=True):
                if isinstance(one, DeclaredName) and isinstance(other, DeclaredName) and one in lost and other in added:
                    votes[one, other] += weight * _vote_weight(one, before, after)
    return votes


def _vote_weight(name: DeclaredName, before: OutlineItem, after: OutlineItem) -> float:
    """Weight of a vote; declarations alone say little, unless they have the same title."""
    same_title = before.title != "" and before.title == after.title
    return 1 if before.name != name or same_title else _DECLARATION_VOTE_WEIGHT


def _group_by_mask(items: Iterable[OutlineItem], only: frozenset[DeclaredName]) -> dict[FormTokens, list[OutlineItem]]:
    groups: dict[FormTokens, list[OutlineItem]] = defaultdict(list)
    for item in items:
        tokens = _item_tokens(item)
        if any(token in only for token in tokens):
            groups[mask_names(tokens, only)].append(item)
    return groups


def mask_names(tokens: FormTokens, only: frozenset[DeclaredName]) -> FormTokens:
    """Tokens with the given names reduced to their sort."""
    return tuple(f"?{token.sort}" if isinstance(token, DeclaredName) and token in only else token for token in tokens)


def _pair_masked_items(
    old_items: list[OutlineItem], new_items: list[OutlineItem]
) -> Iterator[tuple[float, OutlineItem, OutlineItem]]:
    if len(old_items) == len(new_items):
        yield from ((1.0, before, after) for before, after in zip(old_items, new_items, strict=True))
    elif new_items:
        yield from (
            (1 / max(len(old_items), len(new_items)), before, after) for before in old_items for after in new_items
        )


def _pair_similar_declarations(
    old: Outline, new: Outline, known: Mapping[DeclaredName, DeclaredName]
) -> dict[DeclaredName, DeclaredName]:
    """Renames of declarations that nobody mentions, such as procedures, by similarity."""
    known_new = frozenset(known.values())
    old_declarations = [
        (item, count_shingles(item, known)) for item in old.items if item.name and item.name not in known
    ]
    new_declarations = [
        (item, count_shingles(item, {})) for item in new.items if item.name and item.name not in known_new
    ]
    pairs = sorted(
        (-sorensen_dice(old_declarations[number][1], new_declarations[other][1]), number, other)
        for number, other in _find_candidate_pairs(old_declarations, new_declarations)
    )
    chosen: dict[int, int] = {}
    used: set[int] = set()
    for unlike, number, other in pairs:
        if -unlike >= _MIN_RENAME_SIMILARITY and number not in chosen and other not in used:
            chosen[number] = other
            used.add(other)
    names = ((old_declarations[number][0].name, new_declarations[other][0].name) for number, other in chosen.items())
    return {before: after for before, after in names if before and after}


_ItemShingles = tuple[OutlineItem, Counter[FormTokens]]


def _find_candidate_pairs(
    old_items: Sequence[_ItemShingles], new_items: Sequence[_ItemShingles]
) -> Iterator[tuple[int, int]]:
    """Indices of items that may be similar enough: of identical ones, the first with the first and so on.

    The rest are paired with those of their sort that share one of their rarest shingles (prefix filtering: an item may
    lack so many shingles that all others are not enough); with `_MAX_RENAME_CANDIDATES` of them at most.
    """
    same: dict[Hashable, list[int]] = defaultdict(list)
    where: dict[tuple[str, FormTokens], list[int]] = defaultdict(list)
    for other, (item, shingles) in enumerate(new_items):
        same[item.sort, frozenset(shingles.items())].append(other)
        for each in shingles:
            where[item.sort, each].append(other)
    unpaired: list[int] = []
    for number, (item, shingles) in enumerate(old_items):
        equal = same[item.sort, frozenset(shingles.items())]
        if equal:
            yield number, equal.pop(0)
        else:
            unpaired.append(number)
    for number in unpaired:
        item, shingles = old_items[number]
        rarest = sorted(shingles, key=lambda each: len(where.get((item.sort, each), ())))
        needed = _MIN_RENAME_SIMILARITY * shingles.total() / (2 - _MIN_RENAME_SIMILARITY)
        rest = shingles.total()
        result: dict[int, None] = {}
        for each in rarest:
            if rest < needed or len(result) >= _MAX_RENAME_CANDIDATES:
                break
            result |= dict.fromkeys(where.get((item.sort, each), ())[: _MAX_RENAME_CANDIDATES - len(result)])
            rest -= shingles[each]
        yield from ((number, other) for other in result)
