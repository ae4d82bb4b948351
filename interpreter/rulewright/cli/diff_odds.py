"""What `diff --odds` asks and tells: the section of the first screen, all of it at length, and as data."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial
from sys import maxsize
from typing import Any

import click

from rulewright.cli.diff_found import Found, Side, separator_of
from rulewright.cli.diff_witnesses import Left, beside, places
from rulewright.cli.following import Following
from rulewright.cli.loading import value_of
from rulewright.cli.odds_values import NO_FRACTION, exactly, mean_told
from rulewright.cli.options import WholeNumber, external_option, policies_of, policy_option_for, together
from rulewright.cli.output import Output, Progress, Stop, stopped
from rulewright.codecs.table import exactly_written
from rulewright.comparing.comparison import Comparison
from rulewright.comparing.separating.hybrids import Group, Hybrids
from rulewright.comparing.shifting.asking import NEEDS_POLICY
from rulewright.comparing.shifting.data import Alone, Share, Shift, Shifts, Situation, Told
from rulewright.comparing.shifting.shifts import Comparing, Question, WrongQuestionError
from rulewright.diagnostics.terminal import visible
from rulewright.inputs.findings import did_you_mean, quoted, there_are
from rulewright.inputs.names import spellings
from rulewright.inputs.policies import told_policies
from rulewright.inputs.state_file import read_flags
from rulewright.odds.conditions import conditioned
from rulewright.odds.size import MOST_MOMENTS

odds_options = together(
    click.option("--odds", is_flag=True, help="also compare the odds, from the start of each scenario"),
    click.option("--of", multiple=True, metavar="EXPRESSION", help="with --odds: ask about this alone; repeatable"),
    external_option,
    policy_option_for("where no scenario does"),
    click.option(
        "--most",
        type=WholeNumber(1),
        metavar="N",
        help=f"follow at most this many moments of play, {MOST_MOMENTS} unless given",
    ),
    click.option("--estimate", is_flag=True, help="only estimate how much --odds has to follow; no verdict"),
)
"""What is asked of the odds."""

NO_SCENARIO = "unknown: no scenario beside OLD begins a play"
_PLAYS, _MEASURES = 3, 2
_OTHERS = 3
_INDENT = " " * 8
_NAMED = {"policies": "policy"}
_REASONS = 2
_FEW = 2


def question(*, odds: bool, **options: Any) -> Question | None:  # as `odds_options` gives them
    """What is asked, if anything; stops with RW1134 where an option needs another, and as `read_flags` does."""
    if odds:
        likely = value_of(read_flags("--external", options["external"]))
        policies = policies_of(options["policies"])
        return Question(options["of"], policies, options["most"] or MOST_MOMENTS, likely)
    given = [name for name, value in options.items() if value]
    if given:
        option = _NAMED.get(given[0], given[0])
        raise stopped("RW1134", f"`--{option}` needs `--odds`", "add `--odds`")
    return None


def shifts(  # noqa: PLR0913, PLR0917
    old: Side,
    new: Side,
    comparison: Comparison,
    asked: Question,
    out: Output,
    proved: bool,  # noqa: FBT001
) -> Shifts:
    """What a comparison does to the odds; nothing where both are proved to play alike, with all overlays.

    Raises:
        Stop: RW1133, nothing is asked of any play; what is wrong with an expression, as `check` says it; what
            `comparing` reports.
    """
    if proved:
        return Shifts((), told_policies(asked.policies), 0, proved=True)
    with Progress(0, out) as progress:
        try:
            between = partial(_between, old, new, comparison)
            found = comparing(old, new, comparison, asked).shifts(between, Following(maxsize, progress))
        except WrongQuestionError as wrong:
            raise Stop(wrong.diagnostics) from None
    refuse_unasked([each.told.unasked for each in found.situations])
    return found


def comparing(old: Side, new: Side, comparison: Comparison, asked: Question) -> Comparing:
    """Both revisions, to be asked for odds; stops with RW1126 where there is no such external."""
    known = spellings((*old.program.external_procedures, *old.program.external_terms))
    for key, _ in asked.likely:
        if key.text not in known:
            remedy = did_you_mean(key.text, known) or there_are(list(known))
            raise stopped("RW1126", f"there is no external {quoted(key.text)}", remedy)
    return Comparing((old.beside, new.beside), comparison.correspondence, asked)


def refuse_unasked(unasked: Sequence[bool]) -> None:
    """Stops with RW1133 where nothing is asked of any situation; `unasked` says it of each."""
    if unasked and all(unasked):
        message = (
            "there are no odds to compare: the old revision declares no `measure`, and no procedure gives a result"
        )
        raise stopped("RW1133", message, 'add `--of EXPRESSION`, such as `--of "hammer.health"`')


def _between(old: Side, new: Side, comparison: Comparison) -> tuple[Hybrids, Sequence[Group]]:
    separator = separator_of(old, new, comparison)
    return separator.hybrids, separator.groups


def screen_lines(found: Found) -> Iterator[str]:
    """The section of the first screen: what shifts most, in a few plays; what shifts alike once."""
    told = found.whole.odds
    if told is None:
        return
    yield f"ODDS    {summary(told)}"
    alike: dict[tuple[str, ...], list[str]] = {}
    for each in sorted(told.shifted, key=lambda one: max(map(_moved, one.told.shifts)), reverse=True):
        alike.setdefault(tuple(_shifts(each, found, most=_MEASURES)), []).extend(each.names)
    for lines, names in [*alike.items()][:_PLAYS]:
        yield f"  {named(names)}"
        yield from lines
    for each in told.bounded[: max(_PLAYS - len(alike), 0)]:
        yield f"  {named(each.names)}"
        yield from (f"{_INDENT}{line}" for line in _bounds(each)[:_MEASURES])
    more = sum(map(len, [*alike.values()][_PLAYS:]))
    if more:
        yield f"  and {more} {'scenario' if more == 1 else 'scenarios'} more, with --all"
    yield from (f"{_INDENT}{each}" for each in remarks(told))


def listed(found: Found) -> Iterator[Left]:
    """All that is known, of every play."""
    told = found.whole.odds
    if told is None:
        return
    yield Left("Odds:", tuple(map(visible, (summary(told), *remarks(told)))))
    for each in told.shifted:
        lines = (line.strip() for line in _shifts(each, found, most=len(each.told.shifts)))
        yield Left(visible(f"Odds in {named(each.names)}:"), tuple(map(visible, lines)))
    for each in told.bounded:
        yield Left(visible(f"Odds in {named(each.names)} between bounds:"), tuple(map(visible, _bounds(each))))
    unknown = [(each, *one) for each in told.unknown for one in each.told.unknown]
    if unknown:
        lines = (f"{named(each.names)}: {f'{of}: ' if of else ''}{why}" for each, of, why in unknown)
        yield Left("Odds that are unknown:", tuple(map(visible, lines)))


def summary(told: Shifts) -> str:
    """How much shifts, and of what that is said."""
    if told.proved:
        return "no change: both are proved to play alike"
    if not told.situations:
        return NO_SCENARIO
    unknown, whole = len(told.unknown), len(told.situations) - told.unasked
    known = [each for each in told.situations if any(one.is_any or not one.is_open for one in each.told.shifts)]
    by = f", policy {told.policy}" if any(each.told.decided and not each.own_policy for each in known) else ""
    rest = f"; unknown for {unknown}" if unknown else ""
    if told.shifted:
        return f"change for {len(told.shifted)} of {situations(whole)}{by}{rest}"
    if not known:
        return f"unknown for {situations(whole)}"
    return _without_shift(told, len(known), whole, by)


def _without_shift(told: Shifts, known: int, whole: int, by: str) -> str:
    """What is not worked out, and why, before what does not shift."""
    unknown = len(told.unknown)
    if not unknown:
        return f"no measurable change for {situations(known)}{by}"
    chosen = all(any(why.endswith(NEEDS_POLICY) for _, why in each.told.unknown) for each in told.unknown)
    why = ": a player chooses there" if chosen else ""
    of = f"worked out for {unknown} of {situations(whole)}{why}; no measurable change"
    return f"not {of} for the other {known}{by}" if known + unknown == whole else f"not wholly {of} in the rest{by}"


def situations(number: int) -> str:
    """How many there are."""
    return f"{number} starting position{'' if number == 1 else 's'}"


def remarks(told: Shifts) -> Iterator[str]:
    """Why something is not known, the reasons most plays have first, and what was not asked."""
    reasons: dict[str, int] = {}
    for each in told.unknown:
        for why in dict.fromkeys(why for _, why in each.told.unknown):
            reasons[why] = reasons.get(why, 0) + 1
    ranked = sorted(reasons.items(), key=lambda pair: -pair[1])
    for why, number in ranked[:_REASONS]:
        yield f"unknown for {number}: {why}"
    if len(ranked) > _REASONS:
        yield f"unknown in {sum(number for _, number in ranked[_REASONS:])}: for other reasons, with --all"
    if told.unasked:
        yield f"nothing is asked in {told.unasked}: declare a `measure`, or add `--of EXPRESSION`"
    if told.unvisited:
        steps = " or ".join(f"`{each}`" for each in told.unvisited[:_FEW])
        more = len(told.unvisited) - _FEW
        others = f" or {more} other new {'step' if more == 1 else 'steps'}" if more > 0 else ""
        new = "the new step " if len(told.unvisited) == 1 else "the new steps "
        yield f"no play that was followed reaches {new}{steps}{others}"
    if told.left_out:
        yield f"not asked for, since what they take has too many values: {', '.join(told.left_out)}"
    if told.whole:
        yield f"edits by themselves: unknown, {told.whole}"


def named(names: Sequence[str]) -> str:
    """The first of scenarios, and how many more there are."""
    more = len(names) - 1
    return f"{beside(names[0])}{f' (and {more} more)' if more else ''}"


def _moved(shift: Shift) -> Fraction:
    return abs(shift.most.new - shift.most.old)


def _shifts(each: Situation, found: Found, most: int) -> Iterator[str]:
    """What shifts in a play, the most first, and what each edit does to that by itself."""
    ranked = sorted((one for one in each.told.shifts if one.is_any), key=_moved, reverse=True)
    for shift in ranked[:most]:
        yield f"{_INDENT}{told_shift(shift)}"
        alone = alone_told(each, shift, found)
        if alone:
            yield f"{_INDENT}  {'; '.join(alone)}"
        if shift.means is None:
            yield from (f"{_INDENT}{each}" for each in told_others(shift))


def _bounds(each: Situation) -> list[str]:
    """Between what likelihoods are that may shift or not."""
    return [told_shift(one) for one in each.told.shifts if one.is_open and not one.is_any]


def told_shift(shift: Shift) -> str:
    """`P(the attacker wins) 29/100 → 141/500 (29 % → 28.2 %); on average 1.92 → 1.51`."""
    share = shift.most
    asked, condition = conditioned(shift.of)
    of = asked if shift.is_flag and share.value == "yes" else f"{asked} = {share.value}"
    of += f" given {condition}" if condition else ""
    means = " → ".join(map(mean_told, shift.means or ()))
    mean = f"; on average {means}" if means and len(shift.shares) > 1 else ""
    if shift.is_open:
        old, new = (f"{_percent(1 - each)}" for each in shift.open)
        bounds = " → ".join(
            _spanned(each, each + more) for each, more in zip((share.old, share.new), shift.open, strict=True)
        )
        return f"P({of}) {bounds} (followed {old} and {new})"
    return f"P({of}) {_both(share)}{mean}"


def told_others(shift: Shift) -> Iterator[str]:
    """What becomes of the other values that shift, where there are more than two; of many the first."""
    shifted = [each for each in shift.shares if each.old != each.new and each != shift.most]
    if shift.is_flag or shift.is_open or len(shift.shares) <= 2:  # noqa: PLR2004 - the one follows from the other
        return
    asked, condition = conditioned(shift.of)
    given = f" given {condition}" if condition else ""
    yield from (f"P({asked} = {each.value}{given}) {_both(each)}" for each in shifted[:_OTHERS])
    if len(shifted) > _OTHERS:
        yield f"and {len(shifted) - _OTHERS} more values of {asked}"


def _spanned(low: Fraction, high: Fraction) -> str:
    return _percent(low) if low == high else f"{_percent(low)} to {_percent(high)}"


def _percent(share: Fraction) -> str:
    said = f"{float(share * 100):.4g}"
    return "over 99.99 %" if said == "100" and share < 1 else f"{said} %"


def _both(share: Share) -> str:
    exact = [exactly(each) for each in (share.old, share.new)]
    about = " → ".join(map(_percent, (share.old, share.new)))
    return about if NO_FRACTION in exact else f"{' → '.join(exact)} ({about})"


def alone_told(each: Situation, shift: Shift, found: Found) -> list[str]:
    """What each of the edits does by itself to what shifts most: `row 2 alone: 1/3`.

    Edits that stand in no row and shift nothing are left out, and so is what then would be told of one edit alone.
    """
    told, silent = list[str](), list[str]()
    for alone in each.alone:
        one = next((one for one in alone.told.shifts if one.of == shift.of), None)
        name = _called(alone, found)
        if one is None or (one.is_open and not one.is_any):
            told.append(f"{name} alone: unknown")
        elif not one.is_any:
            silent += [name] if _rows(alone, found) else []
        else:
            share = next((share.new for share in one.shares if share.value == shift.most.value), Fraction(0))
            is_told = not one.is_open and exactly(share) != NO_FRACTION
            told.append(f"{name} alone: {exactly(share) if is_told else _spanned(share, share + one.open[1])}")
    if len(told) + len(silent) == 1:
        return []
    if len(silent) > _FEW:
        return [*told, f"{len(silent)} {'others' if told else 'edits'} alone: no change"]
    return [*told, *(f"{name} alone: no change" for name in silent)]


def _called(alone: Alone, found: Found) -> str:
    """The rows that edits stand in, else the edits in words."""
    if rows := _rows(alone, found):
        return f"row {' and '.join(rows)}"
    return next((f"“{each}”" for each in found.told if each.number in alone.edits), "an edit")


def _rows(alone: Alone, found: Found) -> list[str]:
    """The numbers of the rows that some edits stand in."""
    return [
        str(number) for number, row in enumerate(found.screen.rows, 1) if not set(row.edits).isdisjoint(alone.edits)
    ]


def document(found: Found) -> dict[str, Any] | None:
    """What the change does to the odds of every play, as data; none where it was not asked for."""
    told = found.whole.odds
    if told is None:
        return None
    return {
        "says": summary(told),
        "proved": told.proved,
        "policy": told.policy,
        "moments": told.moments,
        "left_out": list(told.left_out),
        "apart": told.whole or None,
        "unvisited": list(told.unvisited),
        "situations": [
            {
                "scenarios": [beside(name) for name in each.names],
                **_told(each.told),
                "alone": [{"edits": places(one.edits, found), **_told(one.told)} for one in each.alone],
            }
            for each in told.situations
        ],
    }


def _told(told: Told) -> dict[str, Any]:
    return {
        "decided": told.decided,
        "measures": [_shift(each) for each in told.shifts],
        "unknown": [{"of": of or None, "why": why} for of, why in told.unknown],
    }


def _shift(shift: Shift) -> dict[str, Any]:
    means = None if shift.means is None else [exactly_written(each) for each in shift.means]
    return {
        "of": shift.of,
        "shifts": None if shift.is_open and not shift.is_any else shift.is_any,
        "open": {"old": str(shift.open[0]), "new": str(shift.open[1])},
        "values": [{"value": each.value, "old": str(each.old), "new": str(each.new)} for each in shift.shares],
        "means": None if means is None else {"old": means[0], "new": means[1]},
    }
