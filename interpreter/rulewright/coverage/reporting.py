"""From plays to the report, with what scenario files leave out of it, and why."""

from collections.abc import Collection, Mapping, Sequence

from rulewright.coverage.gathering import By, Key, gathered
from rulewright.coverage.playing import Played, Player
from rulewright.coverage.report import Hit, Left, Report, wanted
from rulewright.coverage.unit import SORTS, Unit
from rulewright.diagnostics import Diagnostic
from rulewright.inputs.findings import Findings, Read
from rulewright.inputs.wording import did_you_mean, quoted
from rulewright.scenarios.reasons import EXCLUSIONS, Reason, reasons_of
from rulewright.scenarios.suite import Suite


def exclusions_of(suite: Suite) -> Read[tuple[Reason, ...]]:
    """The exclusions of a scenario file, each of a unit or of an address with all its units.

    Reports RW1001 (a key nobody knows), RW1002 (another sort of value), RW1030 (an exclusion without a reason, or of
    nothing).
    """
    return reasons_of(suite.exclude, EXCLUSIONS)


def excluded(
    exclusions: Sequence[Reason], units: Sequence[Unit], reached: Collection[Key]
) -> tuple[dict[Key, str], tuple[Diagnostic, ...]]:
    """The units left out, with the reasons, and everything wrong with the exclusions.

    An address leaves out what was not reached of it; an exclusion all of whose units were reached is stale.
    """
    left: dict[Key, str] = {}
    findings = Findings()
    for each in exclusions:
        named = [unit for unit in units if each.what.text in {unit.name, unit.address}]
        open_ = [unit for unit in named if unit.key not in reached]
        if not named:
            close = did_you_mean(each.what.text, [name for unit in units for name in (unit.name, unit.address)])
            remedy = close or "`rulewright cover` shows what is missing; take this out"
            findings.error("RW1031", each.what.place, f"there is no {quoted(each.what.text)} to leave out", help=remedy)
        elif not open_:
            message = f"{quoted(each.what.text)} is left out, but a scenario reaches it"
            findings.error("RW1032", each.what.place, message, help="take the exclusion out")
        left |= {unit.key: each.because for unit in open_}
    return left, tuple(findings.found)


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
