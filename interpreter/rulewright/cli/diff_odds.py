"""Questions and reports of `diff --odds`: a section of the first screen, and full lists."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from fractions import Fraction
from functools import partial
from sys import maxsize

from rulewright.base.diagnostics import format_counted_noun, make_visible
from rulewright.base.frozen import dataclass
from rulewright.cli.diff_result import ComparedPair, DiffResult
from rulewright.cli.diff_witnesses import explain_unknown_attributes, shorten_shipped_path
from rulewright.cli.odds_progress import OddsProgress
from rulewright.cli.options import (
    WholeNumberOption,
    flag,
    make_external_option,
    make_policy_option,
    option,
    parse_policy_options,
    several,
)
from rulewright.cli.output import CommandStop, Output, ProgressLine, make_stop
from rulewright.cli.ruleset_loading import unwrap_or_stop
from rulewright.cli.text_layout import TitledList, name_first
from rulewright.diff.differential_testing.results import (
    IsolatedShift,
    OddsComparison,
    OddsShift,
    OutcomeShare,
    SituationShift,
)
from rulewright.diff.odds_shift import InvalidOddsQuestionError, OddsComparer, OddsQuestion
from rulewright.diff.partial_revisions import EditGroup, PartialRevisions
from rulewright.diff.revision_odds import POLICY_HINT
from rulewright.documents.answer_scripts import format_policies
from rulewright.documents.findings import describe_choices, did_you_mean, quote_name
from rulewright.documents.name_table import map_spellings
from rulewright.documents.state_file import parse_assignments
from rulewright.odds.likelihood_formats import NO_FRACTION, format_fraction, format_mean, format_short_percent
from rulewright.odds.measure_syntax import split_condition
from rulewright.odds.state_space_size import MAX_STATES
from rulewright.wording.english import join_words


@dataclass(frozen=True, slots=True)
class OddsShiftOptions:
    """What a command line asks of odds before and after, as written."""

    odds: bool = flag("--odds", "also compare the odds, from the start of each scenario")
    of: tuple[str, ...] = several("--of", "EXPRESSION", "with --odds: ask about this alone; repeatable")
    external: tuple[str, ...] = make_external_option()
    policies: tuple[str, ...] = make_policy_option("where no scenario does")
    most: int | None = option(
        "--most", "N", f"follow at most this many moments of play, {MAX_STATES} unless given", WholeNumberOption(1)
    )
    estimate: bool = flag("--estimate", "only estimate how much --odds has to follow; no verdict")


NO_SCENARIO = "unknown: no scenario beside OLD begins a play"
_MAX_SITUATIONS, _MAX_MEASURES = 3, 2
_MAX_OTHER_VALUES = 3
_INDENT = " " * 8
_OPTION_NAMES = {"policies": "policy"}
_MAX_REASONS = 2
_MAX_UNCHANGED_NAMED = 2


def parse_odds_question(asked: OddsShiftOptions) -> OddsQuestion | None:
    """The odds question of the options, if any; stops with RW1134 where an option lacks `--odds`, and on bad assignments."""
    if asked.odds:
        likely = unwrap_or_stop(parse_assignments("--external", asked.external))
        return OddsQuestion(asked.of, parse_policy_options(asked.policies), asked.most or MAX_STATES, likely)
    given = [name for name, value in asdict(asked).items() if value]
    if given:
        option = _OPTION_NAMES.get(given[0], given[0])
        raise make_stop("RW1134", f"`--{option}` needs `--odds`", "add `--odds`")
    return None


def compute_odds_shifts(
    pair: ComparedPair,
    question: OddsQuestion,
    out: Output,
    proved: bool,  # noqa: FBT001
) -> OddsComparison:
    """Odds shifts of a comparison; empty where both revisions with all overlays are proved equivalent (`proved`).

    Raises:
        CommandStop: RW1133, nothing is asked of any play; an expression has errors; as in `make_odds_comparison`.
    """
    if proved:
        return OddsComparison((), format_policies(question.policies), 0, is_proved=True)
    with ProgressLine(0, out) as progress:
        try:
            comparer = make_odds_comparison(pair, question)
            result = comparer.compare_odds(partial(_hybrids_and_groups, pair), OddsProgress(maxsize, progress))
        except InvalidOddsQuestionError as wrong:
            raise CommandStop(wrong.diagnostics) from None
    refuse_unasked([one.joint_shift.is_unasked for one in result.situations])
    return result


def make_odds_comparison(pair: ComparedPair, question: OddsQuestion) -> OddsComparer:
    """Comparer of the odds of both revisions; stops with RW1126 where there is no such external."""
    known = map_spellings((*pair.old.program.external_procedures, *pair.old.program.external_terms))
    for key, _ in question.external_odds:
        if key.text not in known:
            remedy = did_you_mean(key.text, known) or describe_choices(list(known))
            raise make_stop("RW1126", f"there is no external {quote_name(key.text)}", remedy)
    return OddsComparer((pair.old.beside, pair.new.beside), pair.comparison.correspondence, question)


def refuse_unasked(unasked: Sequence[bool]) -> None:
    """Stops with RW1133 if nothing is asked of any situation; `unasked` has a flag for each."""
    if unasked and all(unasked):
        why = "the old revision declares no `measure`, and no procedure gives a result"
        remedy = "add `--of EXPRESSION`, such as a thing of the state with what you ask of it, `--of THING.ATTRIBUTE`"
        raise make_stop("RW1133", f"there are no odds to compare: {why}", remedy)


def _hybrids_and_groups(pair: ComparedPair) -> tuple[PartialRevisions, Sequence[EditGroup]]:
    separator = pair.make_separator()
    return separator.hybrids, separator.groups


def render_odds_section(diff: DiffResult) -> Iterator[str]:
    """Lines of the first screen: the largest shifts of a few plays, equal shifts merged."""
    odds = diff.whole.odds_comparison
    if odds is None:
        return
    yield f"ODDS    {summarize_shifts(odds)}"
    alike: dict[tuple[str, ...], list[str]] = {}
    by_size = sorted(odds.shifted, key=lambda one: max(map(_shift_size, one.joint_shift.shifts)), reverse=True)
    for situation in by_size:
        lines = tuple(_render_situation_shifts(situation, diff, _MAX_MEASURES))
        alike.setdefault(lines, []).extend(situation.names)
    sections: list[tuple[Sequence[str], Sequence[str]]] = [(names, lines) for lines, names in alike.items()]
    sections += ((one.names, [*_render_open_bounds(one, _MAX_MEASURES)]) for one in odds.bounded)
    for names, shifts in sections[:_MAX_SITUATIONS]:
        yield f"  {format_scenario_names(names)}"
        yield from (f"{_INDENT}{line}" for line in shifts)
    more = sum(len(names) for names, _ in sections[_MAX_SITUATIONS:])
    if more:
        yield f"  and {format_counted_noun(more, 'scenario')} more, with --all"
    yield from (f"{_INDENT}{remark}" for remark in render_shift_remarks(odds))


def list_odds_shifts(diff: DiffResult) -> Iterator[TitledList]:
    """All shifts of every situation, as titled lists."""
    odds = diff.whole.odds_comparison
    if odds is None:
        return
    lists: list[tuple[str, Iterable[str]]] = [("Odds:", (summarize_shifts(odds), *render_shift_remarks(odds)))]
    for one in odds.shifted:
        shifts = map(str.strip, _render_situation_shifts(one, diff, len(one.joint_shift.shifts)))
        lists.append((f"Odds in {format_scenario_names(one.names)}:", shifts))
    lists += (
        (
            f"Odds in {format_scenario_names(one.names)} between bounds:",
            _render_open_bounds(one, len(one.joint_shift.shifts)),
        )
        for one in odds.bounded
    )
    unknown = [(format_scenario_names(one.names), *why) for one in odds.unknown for why in one.joint_shift.unknown_odds]
    lists.append(("Odds that are unknown:", (f"{names}: {f'{of}: ' if of else ''}{why}" for names, of, why in unknown)))
    for title, lines in lists:
        if told := tuple(map(make_visible, lines)):
            yield TitledList(make_visible(title), told)


def summarize_shifts(odds: OddsComparison) -> str:
    """One line: how many situations shift, and of how many that is known."""
    if odds.is_proved:
        return "no change: both are proved to play alike"
    if not odds.situations:
        return NO_SCENARIO
    unknown, number = len(odds.unknown), len(odds.situations) - odds.unasked_count
    every = format_situation_count(number)
    known = [
        one for one in odds.situations if any(it.is_certain or not it.has_unexplored for it in one.joint_shift.shifts)
    ]
    is_by_policy = any(one.joint_shift.uses_policy and not one.has_own_policy for one in known)
    by = f", policy {odds.policy}" if is_by_policy else ""
    if odds.shifted:
        return f"change for {len(odds.shifted)} of {every}{by}{f'; unknown for {unknown}' if unknown else ''}"
    if not known:
        return f"unknown for {every}"
    if not unknown:
        return f"no measurable change for {format_situation_count(len(known))}{by}"
    reasons = ([why for _, why in one.joint_shift.unknown_odds] for one in odds.unknown)
    is_chosen = all(any(why.endswith(POLICY_HINT) for why in each) for each in reasons)
    why = ": a player chooses there" if is_chosen else ""
    rest = f"the other {len(known)}" if len(known) + unknown == number else "the rest"
    start, where = ("not", "for") if len(known) + unknown == number else ("not wholly", "in")
    return f"{start} worked out for {unknown} of {every}{why}; no measurable change {where} {rest}{by}"


def format_situation_count(number: int) -> str:
    """Number of situations in words."""
    return format_counted_noun(number, "starting position")


def render_shift_remarks(odds: OddsComparison) -> Iterator[str]:
    """Remarks on unknown shifts, the most frequent reasons first, and on situations that were not asked."""
    reasons = Counter(
        why for one in odds.unknown for why in dict.fromkeys(why for _, why in one.joint_shift.unknown_odds)
    )
    ranked = reasons.most_common()
    yield from (f"unknown for {number}: {why}" for why, number in ranked[:_MAX_REASONS])
    if len(ranked) > _MAX_REASONS:
        yield f"unknown in {sum(number for _, number in ranked[_MAX_REASONS:])}: for other reasons, with --all"
    unknown = [one.unknown_attributes for one in odds.situations if one.unknown_attributes]
    if unknown:
        called = explain_unknown_attributes(tuple(dict.fromkeys(name for names in unknown for name in names)))
        yield f"in {len(unknown)}: {called}"
    if odds.unset_attributes:
        called = join_words(odds.unset_attributes)
        yield f"no starting position has {called}, which is new: write a scenario with it beside OLD"
    if odds.unasked_count:
        yield f"nothing is asked in {odds.unasked_count}: declare a `measure`, or add `--of EXPRESSION`"
    if odds.unvisited:
        more = len(odds.unvisited) - _MAX_UNCHANGED_NAMED
        others = [format_counted_noun(more, "other new step")] if more > 0 else []
        steps = " or ".join([*(f"`{item}`" for item in odds.unvisited[:_MAX_UNCHANGED_NAMED]), *others])
        yield f"no play that was followed reaches the new {'step' if len(odds.unvisited) == 1 else 'steps'} {steps}"
    if odds.skipped_measures:
        yield f"not asked for, since what they take has too many values: {', '.join(odds.skipped_measures)}"
    if odds.inseparable_reason:
        yield f"edits by themselves: unknown, {odds.inseparable_reason}"


def format_scenario_names(names: Sequence[str]) -> str:
    """The first names of scenarios and the count of the others."""
    more = len(names) - 1
    return f"{shorten_shipped_path(names[0])}{f' (and {more} more)' if more else ''}"


def _shift_size(shift: OddsShift) -> Fraction:
    return abs(shift.largest_share.new - shift.largest_share.old)


def _render_situation_shifts(situation: SituationShift, diff: DiffResult, most: int) -> Iterator[str]:
    ranked = sorted((one for one in situation.joint_shift.shifts if one.is_certain), key=_shift_size, reverse=True)
    for shift in ranked[:most]:
        yield render_shift(shift)
        alone = render_single_edits(situation, shift, diff)
        if alone:
            yield f"  {'; '.join(alone)}"
        if shift.means is None:
            yield from render_other_values(shift)
    yield from _count_left_out(ranked, most)


def _render_open_bounds(situation: SituationShift, most: int) -> Iterator[str]:
    bounded = [one for one in situation.joint_shift.shifts if one.has_unexplored and not one.is_certain]
    yield from map(render_shift, bounded[:most])
    yield from _count_left_out(bounded, most)


def _count_left_out(shifts: Sequence[OddsShift], most: int) -> Iterator[str]:
    if len(shifts) > most:
        yield f"and {format_counted_noun(len(shifts) - most, 'measure')} more, with --all"


def render_shift(shift: OddsShift) -> str:
    """`P(the attacker wins) 29/100 → 141/500 (29 % → 28.2 %); on average 1.92 → 1.51`."""
    share = shift.largest_share
    of = _format_event(shift, "" if shift.is_flag and share.value == "yes" else f" = {share.value}")
    if shift.has_unexplored:
        old, new = (format_short_percent(1 - item) for item in shift.unexplored)
        shares = zip((share.old, share.new), shift.unexplored, strict=True)
        bounds = " → ".join(_format_span(low, low + more) for low, more in shares)
        return f"{of} {bounds} (followed {old} and {new})"
    means = " → ".join(map(format_mean, shift.means or ()))
    mean = f"; on average {means}" if means and len(shift.shares) > 1 else ""
    return f"{of} {_format_old_and_new(share)}{mean}"


def _format_event(shift: OddsShift, comparison: str) -> str:
    """`P(damage = 3 given the attacker wins)`."""
    expression, condition = split_condition(shift.expression)
    return f"P({expression}{comparison}{f' given {condition}' if condition else ''})"


def render_other_values(shift: OddsShift) -> Iterator[str]:
    """Shifts of the other values where there are more than two, only the first of many."""
    if shift.is_flag or shift.has_unexplored or len(shift.shares) <= 2:  # noqa: PLR2004 - the one follows from the other
        return
    shifted = [share for share in shift.shares if share.old != share.new and share != shift.largest_share]
    values = (f"{_format_event(shift, f' = {share.value}')} {_format_old_and_new(share)}" for share in shifted)
    yield from name_first(values, _MAX_OTHER_VALUES, f"and {{}} more values of {split_condition(shift.expression)[0]}")


def _format_span(low: Fraction, high: Fraction) -> str:
    return format_short_percent(low) if low == high else f"{format_short_percent(low)} to {format_short_percent(high)}"


def _format_old_and_new(share: OutcomeShare) -> str:
    exact = [format_fraction(item) for item in (share.old, share.new)]
    about = " → ".join(map(format_short_percent, (share.old, share.new)))
    return about if NO_FRACTION in exact else f"{' → '.join(exact)} ({about})"


def render_single_edits(situation: SituationShift, shift: OddsShift, diff: DiffResult) -> list[str]:
    """Effect of each single edit on the largest shift: `row 2 alone: 1/3`.

    Left out are edits without row that shift nothing, and a single remaining edit.
    """
    sentences, silent = list[str](), list[str]()
    for alone in situation.isolated_shifts:
        one = next((one for one in alone.play_shift.shifts if one.expression == shift.expression), None)
        name = _name_edits(alone, diff)
        if one is None or (one.has_unexplored and not one.is_certain):
            sentences.append(f"{name} alone: unknown")
        elif not one.is_certain:
            silent += [name] if _edited_row_numbers(alone, diff) else []
        else:
            share = next((share.new for share in one.shares if share.value == shift.largest_share.value), Fraction(0))
            is_told = not one.has_unexplored and format_fraction(share) != NO_FRACTION
            sentences.append(
                f"{name} alone: {format_fraction(share) if is_told else _format_span(share, share + one.unexplored[1])}"
            )
    if len(sentences) + len(silent) == 1:
        return []
    if len(silent) > _MAX_UNCHANGED_NAMED:
        return [*sentences, f"{len(silent)} {'others' if sentences else 'edits'} alone: no change"]
    return [*sentences, *(f"{name} alone: no change" for name in silent)]


def _name_edits(alone: IsolatedShift, diff: DiffResult) -> str:
    if rows := _edited_row_numbers(alone, diff):
        return f"row {' and '.join(rows)}"
    return next((f"“{edit}”" for edit in diff.worded_edits if edit.number in alone.edits), "an edit")


def _edited_row_numbers(alone: IsolatedShift, diff: DiffResult) -> list[str]:
    return [str(number) for number, row in enumerate(diff.screen.rows, 1) if not set(row.edits).isdisjoint(alone.edits)]
