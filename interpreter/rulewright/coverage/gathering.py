"""From what each scenario reached to who reached each unit, and which parts of conditions are shown to matter."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from itertools import product

from rulewright.coverage.branching import branch_name
from rulewright.coverage.conditions import Condition
from rulewright.coverage.hearing import Outcome
from rulewright.coverage.listing import FAILS, HOLDS, Listing, blocks
from rulewright.coverage.playing import Played
from rulewright.program import statements as st
from rulewright.program.walk import every
from rulewright.source import Span


def shown_by(part: int, outcomes: Collection[Outcome]) -> tuple[Outcome, Outcome] | None:
    """Two outcomes of one condition in which it hung on a part, counted from 0; none where no two show it.

    In the two the part differs, the whole differs, and every other part that both looked at is the same. A part that
    one of them did not look at, because the condition was decided, may be anything.
    """
    held = [each for each in outcomes if each.held]
    failed = [each for each in outcomes if not each.held]
    return next((pair for pair in product(held, failed) if _hangs_on(part, *pair)), None)


def _hangs_on(part: int, held: Outcome, failed: Outcome) -> bool:
    return None not in (held.parts[part], failed.parts[part]) and all(
        (one != other) == (number == part)
        for number, (one, other) in enumerate(zip(held.parts, failed.parts, strict=True))
        if one is not None and other is not None
    )


Key = tuple[str, str, Span | None]
By = dict[Key, set[int]]


def gathered(played: Sequence[Played]) -> By:
    """Which cases, by number, reached each unit but for clauses."""
    by: By = defaultdict(set)
    for listing, numbers in _by_listing(played):
        keys = {(each.sort, each.name): each.key for each in listing.units}
        for number in numbers:
            for name in _names(played[number], listing):
                if name in keys:
                    by[keys[name]].add(number)
        for name, shown in _atoms(listing, {number: played[number] for number in numbers}):
            by[keys[name]] |= shown
    return dict(by)


def _by_listing(played: Sequence[Played]) -> Iterator[tuple[Listing, list[int]]]:
    found: dict[int, tuple[Listing, list[int]]] = {}
    for number, each in enumerate(played):
        if each.listing is not None:
            found.setdefault(id(each.listing), (each.listing, []))[1].append(number)
    yield from found.values()


def _names(played: Played, listing: Listing) -> Iterator[tuple[str, str]]:
    """Sort and name of what a case reached by itself."""
    yield from played.reached
    for row in played.heard.rows:
        yield "rows", row
        yield "modifiers", f"{row} applied"
    branches = _branches(listing)
    for each in played.heard.outcomes:
        condition = listing.conditions[each.condition]
        yield "conditions", _name(condition, HOLDS if each.held else FAILS)
        if not each.held and condition.word == "when":
            yield "modifiers", f"{condition.address} idle"
        for name in branches.get((id(condition.node), each.held), ()):
            yield "edges", name


def _name(condition: Condition, end: str) -> str:
    return f"{condition.address} {condition.detail(end)}"


def _branches(listing: Listing) -> dict[tuple[int, bool], list[str]]:
    """The ways on from each `if`, by its condition and how that came out."""
    found: dict[tuple[int, bool], list[str]] = defaultdict(list)
    for block in blocks(listing.program):
        for line in every(block):
            if isinstance(line, st.If):
                for number, branch in enumerate(line.branches, 1):
                    found[id(branch.condition), True].append(f"{line.address} {branch_name(number)}")
                found[id(line.branches[-1].condition), False].append(f"{line.address} else")
    return found


def _atoms(listing: Listing, played: dict[int, Played]) -> Iterator[tuple[tuple[str, str], set[int]]]:
    """The parts shown to matter, each with the cases of a pair of outcomes that shows it."""
    outcomes: dict[int, dict[Outcome, set[int]]] = defaultdict(lambda: defaultdict(set))
    for number, each in played.items():
        for outcome in each.heard.outcomes:
            outcomes[outcome.condition][outcome].add(number)
    for position, condition in enumerate(listing.conditions):
        for part in range(len(condition.atoms) if len(condition.atoms) > 1 else 0):
            known = outcomes.get(position, {})
            pair = shown_by(part, sorted(known, key=_plainly))
            if pair is not None:
                yield ("atoms", _name(condition, f"part {part + 1}")), known[pair[0]] | known[pair[1]]


def _plainly(outcome: Outcome) -> tuple[object, ...]:
    return outcome.held, tuple(str(each) for each in outcome.parts)
