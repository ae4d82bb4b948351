"""From plays to the report."""

from collections.abc import Mapping, Sequence

from rulewright.coverage.exclusions import excluded
from rulewright.coverage.gathering import By, Key, gathered
from rulewright.coverage.playing import Played, Player
from rulewright.coverage.report import Hit, Left, Report, wanted
from rulewright.coverage.unit import SORTS, Unit
from rulewright.inputs.findings import Read
from rulewright.scenarios.reasons import Reason


def report(player: Player, played: Sequence[Played], exclusions: Sequence[Reason]) -> Read[Report]:
    """What the cases reached, with everything wrong with the exclusions.

    Only what stands in the folders of the rulesets and of the overlays that scenarios name counts, not what they use
    from elsewhere; what several rulesets share counts once. Reports RW1031 (an exclusion of nothing) and RW1032 (an
    exclusion of what was reached).
    """
    by = gathered(played)
    units = _units(player)
    _add_clauses(units, by, player, played)
    left, stale = excluded(exclusions, tuple(units.values()), by.keys())
    ordered = sorted(units.values(), key=_place)
    reached = [Hit(each, tuple(sorted(by[each.key]))) for each in ordered if each.key in by]
    rest = [each for each in ordered if each.key not in by]
    return Read(
        Report(
            results=tuple(each.result for each in played),
            reached=tuple(reached),
            missing=tuple(each for each in rest if not each.dead and each.key not in left),
            dead=tuple(each for each in rest if each.dead),
            excluded=tuple(Left(each, left[each.key]) for each in rest if each.key in left and not each.dead),
            documents=player.documents,
        ),
        stale,
    )


def _place(unit: Unit) -> tuple[int, str, int]:
    order = list(SORTS).index(unit.sort)
    return (order, unit.span.source, unit.span.start) if unit.span else (order, "", 0)


def _units(player: Player) -> dict[Key, Unit]:
    units: dict[Key, Unit] = {}
    for listing in player.listings:
        for each in listing.units:
            if each.span is not None and player.is_home(each.span.source):
                units.setdefault(each.key, each)
    return units


def _add_clauses(units: dict[Key, Unit], by: By, player: Player, played: Sequence[Played]) -> None:
    """Adds the clauses of clause lists, and who covers them: cases that pass, declare it, and reach what cites it."""
    cites = _cites(units, by)
    for clause in (each for one in player.documents if one.listed for each in wanted(one.clauses)):
        unit = Unit("clauses", clause.entry.id, "", None, clause.entry.says)
        units[unit.key] = unit
        covering = {
            number
            for number, each in enumerate(played)
            if each.result.outcome == "passed"
            and any(declared.text == unit.address for declared in each.result.case.covers)
            and (unit.address in each.cited or unit.address in cites.get(number, ()))
        }
        if covering:
            by[unit.key] = covering


def _cites(units: Mapping[Key, Unit], by: By) -> dict[int, set[str]]:
    """The clauses in the margins of what each case reached."""
    found: dict[int, set[str]] = {}
    for key, numbers in by.items():
        for number in numbers if key in units else ():
            found.setdefault(number, set()).update(units[key].cites)
    return found
