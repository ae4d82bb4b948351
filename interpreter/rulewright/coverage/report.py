"""What scenarios reach of the rulesets they play, by whom, what they leave out, and how much is to be reached."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import product

from rulewright.analysis.clause_trace import Traced, TracedDocument
from rulewright.coverage.listing import FAILS, HOLDS, SORTS, Condition, Listing, Unit, blocks, branch_name
from rulewright.coverage.reach import Outcome, Played, Player
from rulewright.diagnostics import Diagnostic, Severity
from rulewright.files import complaint
from rulewright.frozen import dataclass
from rulewright.inputs.findings import Findings, Read, any_of, did_you_mean, quoted
from rulewright.program import statements as st
from rulewright.program.walk import every
from rulewright.scenarios.suite import Reason, Result
from rulewright.source import Span

ALL = "all"
_MOST = 100


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
            plainly = sorted(known, key=lambda each: (each.held, tuple(map(str, each.parts))))
            pair = shown_by(part, plainly)
            if pair is not None:
                yield ("atoms", _name(condition, f"part {part + 1}")), known[pair[0]] | known[pair[1]]


@dataclass(frozen=True, slots=True)
class Hit:
    """A unit that was reached, and the numbers of the scenarios that reached it, in order."""

    unit: Unit
    by: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Left:
    """A unit that was left out on purpose, and why."""

    unit: Unit
    because: str


@dataclass(frozen=True, slots=True)
class Report:
    """What came of a coverage run; every unit stands in one of its lists, sorted as in `SORTS`, then by place."""

    results: tuple[Result, ...]  # of the scenarios, by their number
    reached: tuple[Hit, ...]  # units that a scenario reached
    missing: tuple[Unit, ...]  # units that none reached
    dead: tuple[Unit, ...]  # units that none can reach
    excluded: tuple[Left, ...]  # units that the scenario files leave out
    documents: tuple[TracedDocument, ...]  # the documents of the rulesets
    stale: tuple[Diagnostic, ...]  # everything that is wrong with the exclusions


@dataclass(frozen=True, slots=True)
class Count:
    """How much of a sort was reached, of what can be and is not left out on purpose."""

    sort: str
    reached: int
    whole: int

    @property
    def percent(self) -> float:
        """The share in percent, rounded down to a tenth; 100 where there is nothing to reach."""
        return self.reached * 1000 // self.whole / 10 if self.whole else 100.0


def counts(report: Report) -> tuple[Count, ...]:
    """The counts of all sorts, in their order."""
    hits = [each.unit.sort for each in report.reached]
    missing = [each.sort for each in report.missing]
    return tuple(Count(sort, hits.count(sort), hits.count(sort) + missing.count(sort)) for sort in SORTS)


def below(report: Report, floors: Mapping[str, float]) -> tuple[tuple[Count, float], ...]:
    """The counts that stay below their floor, with it; floors are percentages by sort."""
    return tuple((each, floors[each.sort]) for each in counts(report) if each.percent < floors.get(each.sort, 0))


def wanted(clauses: Iterable[Traced]) -> tuple[Traced, ...]:
    """The clauses that scenarios are to reach: those that something of the ruleset carries out, or nobody answers."""
    return tuple(each for each in clauses if each.answer in {"cited", "missing"})


def who(by: Sequence[int], results: Sequence[Result]) -> tuple[str, ...]:
    """The names of scenarios."""
    return tuple(results[each].case.name for each in by)


def percent_text(percent: float) -> str:
    """A percentage for people: `100 %`, `66.6 %`."""
    return f"{percent:g} %"


def floors_of(written: Sequence[str]) -> Read[Mapping[str, float]]:
    """Floors by sort, from texts such as `steps=100`; `all` stands for every sort that is not named.

    Reports RW1033 (no floor).
    """
    found: dict[str, float] = {}
    for each in written:
        sort, _, percent = each.partition("=")
        problem = _problem(sort, percent)
        if problem is not None:
            return Read(None, (complaint("RW1033", f"{quoted(each)} is not a floor", problem),))
        found[sort] = float(percent)
    return Read(floors_for(found))


def floors_for(said: Mapping[str, float]) -> Mapping[str, float]:
    """The floor of every sort, where some are said, and `all` of those that are not."""
    return {sort: said.get(sort, said.get(ALL, 0)) for sort in SORTS}


def _problem(sort: str, percent: str) -> str | None:
    """What to write in place of a floor, or none where it is one."""
    if sort not in {*SORTS, ALL}:
        return did_you_mean(sort, [*SORTS, ALL]) or f"the sorts are {any_of([*SORTS, ALL])}"
    if not percent.replace(".", "", 1).isdecimal() or float(percent) > _MOST:
        return f"write `{sort}=` and a number from 0 to {_MOST}"
    return None


def below_floor(report: Report, floors: Mapping[str, float]) -> tuple[Diagnostic, ...]:
    """RW1034 for every sort of which too little is reached, with the names of what is missing."""
    return tuple(
        Diagnostic(
            "RW1034",
            Severity.ERROR,
            f"{percent_text(count.percent)} of the {count.sort} are reached, and the floor is {percent_text(floor)}",
            notes=tuple(f"Missing: {each.name}" for each in report.missing if each.sort == count.sort),
            help="write scenarios that reach them, or leave them out under `exclude:` with a reason",
        )
        for count, floor in below(report, floors)
    )


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


def report(player: Player, played: Sequence[Played], exclusions: Sequence[Reason]) -> Report:
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
    return Report(
        results=tuple(each.result for each in played),
        reached=tuple(reached),
        missing=tuple(each for each in rest if not each.dead and each.key not in left),
        dead=tuple(each for each in rest if each.dead),
        excluded=tuple(Left(each, left[each.key]) for each in rest if each.key in left and not each.dead),
        documents=player.documents,
        stale=stale,
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
