"""Shift of the odds of the plays that scenarios begin, by all edits of a revision together and by each alone."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from sys import maxsize
from typing import Any, Protocol

from rulewright.base.diagnostics import Diagnostic, has_errors
from rulewright.base.files import FilesWithExtra
from rulewright.base.frozen import dataclass
from rulewright.diff.comparison import match_rulesets
from rulewright.diff.differential_testing.added_values import list_added_attributes
from rulewright.diff.differential_testing.results import (
    IsolatedShift,
    OddsComparison,
    OddsShift,
    OutcomeShare,
    PlayEstimate,
    PlayShift,
    RevisionEstimate,
    SituationShift,
    WorkBudget,
)
from rulewright.diff.differential_testing.revision_translation import CommonForm, PairedStart, build_translations
from rulewright.diff.differential_testing.scenario_migration import LocatedRevision, SuiteMigration, first_error_message
from rulewright.diff.edit_units import rewrite_lines
from rulewright.diff.edits import Correspondence
from rulewright.diff.partial_revisions import EditGroup, PartialRevisions
from rulewright.diff.revision_odds import (
    TOO_MANY_STATES_MESSAGE,
    AnswerSources,
    OddsRevision,
    RevisionOdds,
    ScenarioStart,
    StateBudget,
    StateBudgetError,
    collect_scenario_starts,
    find_machine_limit,
    readdress_script,
    translate_external_answers,
    unfinished_shares,
)
from rulewright.documents.answer_scripts import PlayerPolicy, format_policies
from rulewright.documents.document_nodes import MapNode
from rulewright.documents.findings import ReadResult
from rulewright.documents.ruleset_loading import LoadedRuleset
from rulewright.odds.end_measures import list_declared_measures
from rulewright.odds.external_answers import merge_likelihoods, read_likelihoods_beside, read_stated_policies
from rulewright.odds.measure_syntax import RESULT_NAME, CountedEvent, event_count_name, replace_counts
from rulewright.odds.state_exploration import ExplorationProgress, ProgressCallback
from rulewright.odds.state_space_size import MAX_ESTIMATE_STEPS, EffortEstimate, StateSpaceSize
from rulewright.play.session import PlayStart
from rulewright.program.types import FlagType, OptionalType
from rulewright.program.walk import list_step_addresses
from rulewright.runtime.type_codecs import format_value
from rulewright.runtime.values import Value

_HYBRID_COST_STATES = 200
"""Charge for a hybrid, in states."""


@dataclass(frozen=True, slots=True)
class OddsQuestion:
    """Question for odds."""

    expressions: tuple[str, ...]  # as written; the declared measures if empty
    policies: tuple[PlayerPolicy, ...]  # in order of precedence, for what neither a scenario nor its script chooses
    max_states: int  # budget for all odds together
    external_odds: MapNode  # externals to answers with probabilities, before what stands beside scenarios


@dataclass(frozen=True, slots=True)
class _AskedPlay:
    start: ScenarioStart
    opened: PairedStart
    sides: tuple[OddsRevision, OddsRevision]
    expressions: tuple[str, ...]
    answer_sources: AnswerSources
    old_odds: RevisionOdds = RevisionOdds()


_NOTHING_ASKED_MESSAGE = "nothing is asked: declare a `measure`, or add `--of EXPRESSION`"


class InvalidOddsQuestionError(Exception):
    """The question fits no play.

    Attributes:
        diagnostics: of the first play.
    """

    def __init__(self, diagnostics: tuple[Diagnostic, ...]) -> None:
        super().__init__(diagnostics)
        self.diagnostics = diagnostics


_MAX_ESTIMATE_STEPS = 60 * MAX_ESTIMATE_STEPS
"""Steps for all estimates of a question together; only the last may exceed it."""
MakePartialRevisions = Callable[[], tuple[PartialRevisions, Sequence[EditGroup]]]


class ExplorationListener(Protocol):
    """Progress listener of an exploration."""

    def start_following(self, number: int, look: Callable[[int], StateSpaceSize | None], of: tuple[int, str]) -> None:
        """Called when exploration number `number` of `of` begins; `look` measures its state space."""

    def __call__(self, met: ExplorationProgress) -> None: ...


class OddsComparer:
    """Comparison of the odds of two revisions."""

    def __init__(
        self, sides: tuple[LocatedRevision, LocatedRevision], names: Correspondence, question: OddsQuestion
    ) -> None:
        self._sides = sides
        self._names = names
        self._question = question
        self._budget = StateBudget(question.max_states)
        self._steps: int | None = None  # so many may still be followed where plays are estimated alone
        self._revisions: dict[int, OddsRevision] = {}
        self._place = 0, (1, "plays")
        self._skipped_measures: dict[str, None] = {}
        self._external_odds: dict[str, ReadResult[MapNode]] = {}

    def compare_odds(self, between: MakePartialRevisions, follower: ExplorationListener) -> OddsComparison:
        """Shifts of all plays.

        Args:
            between: makes the partial revisions, for the edits that are tried alone.
            follower: progress listener.

        Raises:
            InvalidOddsQuestionError: the question fits no play.
        """
        self._listener = follower
        plays = self._collect_starts()
        items: list[SituationShift] = []
        asked_plays: dict[int, _AskedPlay] = {}
        wrong: list[tuple[Diagnostic, ...]] = []
        for number, play in enumerate(plays):
            self._place = number, (len(plays), "plays")
            play_shift, known = self._compare_play(play, len(plays) - number)
            unknown = play.old.unknown_attributes if play.old is not None else ()
            items.append(SituationShift(play.names, play_shift, bool(play.case.policies), unknown_attributes=unknown))
            if known is not None and known.old_odds.problems:
                wrong.append(known.old_odds.problems)
            elif known is not None and not known.old_odds.reason:
                asked_plays[number] = known
        if wrong and not any(situation_shift.joint_shift.shifts for situation_shift in items):
            raise InvalidOddsQuestionError(wrong[0])
        has_shift = any(situation_shift.joint_shift.has_shift for situation_shift in items)
        whole, alone = self._isolate_edits(between, asked_plays) if has_shift else ("", {})
        situations = (
            replace(situation_shift, isolated_shifts=tuple(alone.get(number, ())))
            for number, situation_shift in enumerate(items)
        )
        unvisited = () if has_shift else self._unvisited(asked_plays)
        spent = self._question.max_states - self._budget.states_left
        return OddsComparison(
            tuple(situations),
            format_policies(self._question.policies),
            spent,
            tuple(self._skipped_measures),
            whole,
            unvisited=unvisited,
            unset_attributes=() if has_shift else self._unset_attributes(items),
        )

    def _unset_attributes(self, situations: Sequence[SituationShift]) -> tuple[str, ...]:
        old, new = (side.program for side in self._sides)
        known = {name for situation_shift in situations for name in situation_shift.unknown_attributes}
        added = list_added_attributes(build_translations(old, new, self._names).backward)
        return tuple(name for name in added if name not in known)

    def _unvisited(self, asked_plays: Mapping[int, _AskedPlay]) -> tuple[str, ...]:
        """New steps that no play of the question reaches."""
        known = frozenset(self._names.addresses.values())
        unvisited = [
            step_address for step_address in list_step_addresses(self._sides[1].program) if step_address not in known
        ]
        for number, (place, item) in enumerate(asked_plays.items()):
            if not unvisited:
                break
            self._place = place, (len(asked_plays), "plays")
            visits, share = (
                [str(CountedEvent("visits", step)) for step in unvisited],
                self._budget.split_share(len(asked_plays) - number),
            )
            visit_odds, _ = self._answer_with_revision(item, item.sides[1], item.opened, share, visits)
            if visit_odds.odds is None:
                return ()
            result = visit_odds.odds.distributions
            unvisited = [step for step, one in zip(unvisited, result, strict=True) if one.probabilities.get(0) == 1]
        return tuple(unvisited) if asked_plays else ()

    def estimate_plays(self, follower: ExplorationListener) -> Iterator[PlayEstimate]:
        """Size of the state space of each play under each revision, all edits together.

        Args:
            follower: progress listener.

        Raises:
            InvalidOddsQuestionError: the question fits no play.
        """
        self._listener, self._budget, self._steps = follower, StateBudget(maxsize), _MAX_ESTIMATE_STEPS
        plays = self._collect_starts()
        wrong, fits = list[tuple[Diagnostic, ...]](), False
        for number, play in enumerate(plays):
            self._place = number, (len(plays), "plays")
            if self._steps <= 0:
                yield PlayEstimate(play.names, reason="it was not looked at, since the others are large")
                continue
            asked_play = self._prepare_play(play)
            if isinstance(asked_play, PlayShift):
                why = _NOTHING_ASKED_MESSAGE if asked_play.is_unasked else asked_play.unknown_odds[0][1]
                yield PlayEstimate(play.names, reason=why, is_unasked=asked_play.is_unasked)
                continue
            asked_play = self._answer_with_old(asked_play, self._budget)
            if asked_play.old_odds.reason:
                wrong.extend(filter(None, [asked_play.old_odds.problems]))
                yield PlayEstimate(play.names, RevisionEstimate(reason=asked_play.old_odds.reason))
                continue
            fits = True
            new, _ = self._answer_with_revision(asked_play, asked_play.sides[1], asked_play.opened, self._budget)
            self._steps -= sum(
                side.estimate.step_count for side in (asked_play.old_odds, new) if side.estimate is not None
            )
            yield PlayEstimate(play.names, _revision_estimate(asked_play.old_odds), _revision_estimate(new))
        if wrong and not fits:
            raise InvalidOddsQuestionError(wrong[0])

    def _collect_starts(self) -> tuple[ScenarioStart, ...]:
        return collect_scenario_starts(SuiteMigration(*self._sides, self._names), WorkBudget(self._question.max_states))

    def _estimate_step_limit(self) -> int | None:
        return None if self._steps is None else max(self._steps, 0)

    def _follow_play(self, look: Callable[[int], StateSpaceSize | None]) -> ProgressCallback:
        number, of = self._place
        self._listener.start_following(number, look, of)
        return self._listener

    def _compare_play(self, each: ScenarioStart, remaining_plays: int) -> tuple[PlayShift, _AskedPlay | None]:
        asked_play = self._prepare_play(each)
        if isinstance(asked_play, PlayShift):
            return asked_play, None
        asked_play = self._answer_with_old(asked_play, self._budget.split_share(2 * remaining_plays))
        if asked_play.old_odds.reason:
            return PlayShift(unknown_odds=(("", asked_play.old_odds.reason),)), asked_play
        return self._compare_with_old(
            asked_play, asked_play.sides[1], asked_play.opened, self._budget.split_share(2 * remaining_plays - 1)
        ), asked_play

    def _prepare_play(self, each: ScenarioStart) -> PlayShift | _AskedPlay:
        if each.opened is None or each.pair is None:
            return PlayShift(unknown_odds=(("", each.reason),))
        old, new = (
            self._revisions.setdefault(id(side), OddsRevision(side, self._follow_play, self._estimate_step_limit))
            for side in each.pair.sides
        )
        texts = self._list_asked_expressions(each, old.begin_play(each.opened, 0))
        if not texts:
            return PlayShift(is_unasked=True)
        beside = self._read_external_odds(each.case.file)
        if beside.value is None:
            return PlayShift(unknown_odds=(("", first_error_message(beside.diagnostics)),))
        stated_policies = read_stated_policies(beside.value)
        if stated_policies.value is None:
            return PlayShift(unknown_odds=(("", first_error_message(stated_policies.diagnostics)),))
        program, policies = (
            old.located_revision.program,
            (*each.case.policies, *self._question.policies, *stated_policies.value),
        )
        answering = AnswerSources(each.script, translate_external_answers(beside.value, program, program), policies)
        return _AskedPlay(each, each.opened, (old, new), texts, answering)

    def _answer_with_old(self, asked_play: _AskedPlay, share: StateBudget) -> _AskedPlay:
        old = asked_play.sides[0]
        return replace(
            asked_play,
            old_odds=old.compute_asked_odds(
                old.begin_play(asked_play.opened, 0), asked_play.expressions, asked_play.answer_sources, share
            ),
        )

    def _read_external_odds(self, file: str) -> ReadResult[MapNode]:
        if file not in self._external_odds:
            result = read_likelihoods_beside(file, self._sides[0].provider, {})
            wrong = has_errors(result.diagnostics)
            self._external_odds[file] = (
                result if wrong else ReadResult(merge_likelihoods(self._question.external_odds, result.value))
            )
        return self._external_odds[file]

    def _list_asked_expressions(self, each: ScenarioStart, start: PlayStart) -> tuple[str, ...]:
        if self._question.expressions:
            return self._question.expressions
        declared, left_out = list_declared_measures(start)
        self._skipped_measures.update(dict.fromkeys(left_out))
        result = (RESULT_NAME,) if start.procedure.result is not None else ()
        return tuple(dict.fromkeys((*each.expected_odds, *result, *declared)))

    def _compare_with_old(
        self, asked_play: _AskedPlay, new: OddsRevision, opened: PairedStart, share: StateBudget
    ) -> PlayShift:
        answered, translated = self._answer_with_revision(asked_play, new, opened, share)
        if answered.reason:
            return PlayShift(unknown_odds=(("", answered.reason),))
        lost = tuple(
            (was, "the new rules have nothing like it")
            for number, was in enumerate(asked_play.expressions)
            if number not in translated
        )
        limit = next(
            filter(
                None,
                (find_machine_limit(play_odds) for play_odds in (asked_play.old_odds.odds, answered.odds) if play_odds),
            ),
            "",
        )
        if limit:
            return PlayShift(unknown_odds=(("", limit),))
        shifts = tuple(
            _build_odds_shift(asked_play.old_odds, was, answered, now, opened.common_form)
            for now, was in enumerate(translated)
        )
        open_ = tuple(
            (shift.expression, TOO_MANY_STATES_MESSAGE)
            for shift in shifts
            if shift.has_unexplored and not shift.is_certain
        )
        return PlayShift(shifts, (*lost, *open_), uses_policy=asked_play.old_odds.uses_policy or answered.uses_policy)

    def _answer_with_revision(
        self,
        asked_play: _AskedPlay,
        new: OddsRevision,
        opened: PairedStart,
        share: StateBudget,
        instead: Sequence[str] | None = None,
    ) -> tuple[RevisionOdds, Sequence[int]]:
        names = opened.common_form.translations.forward.names
        script = readdress_script(asked_play.start, new.located_revision.program, names)
        if has_errors(script.diagnostics):
            why = f"the new rules do not take its script: {first_error_message(script.diagnostics)}"
            return RevisionOdds(reason=why), ()
        texts = (
            [_translate_expression(expression, opened) for expression in asked_play.expressions]
            if instead is None
            else instead
        )
        translated = [number for number, now in enumerate(texts) if now]
        likely = translate_external_answers(
            asked_play.answer_sources.external_odds,
            opened.common_form.translations.forward.source_program,
            new.located_revision.program,
            names,
        )
        answering = replace(asked_play.answer_sources, script=script.value, external_odds=likely)
        answered = new.compute_asked_odds(
            new.begin_play(opened, 1), [texts[number] for number in translated], answering, share
        )
        why = answered.reason and f"under the new rules: {answered.reason}"
        return replace(answered, reason=why), translated

    def _isolate_edits(
        self, between: MakePartialRevisions, asked_plays: Mapping[int, _AskedPlay]
    ) -> tuple[str, dict[int, list[IsolatedShift]]]:
        """Reason why not all edits were isolated, or empty; and the shifts of each by play number."""
        result: dict[int, list[IsolatedShift]] = {}
        hybrids, groups = between()
        if len(groups) <= 1 or not asked_plays:
            return "", result
        if not hybrids.is_trusted:
            return "the edits cannot be made one without the other", result
        for place, group in enumerate(groups):
            self._place = place, (len(groups), "edits")
            try:
                self._budget.spend_states(_HYBRID_COST_STATES)
            except StateBudgetError:
                return TOO_MANY_STATES_MESSAGE, result
            loaded = hybrids.build_hybrid(group.applied_units)
            if loaded is None or loaded.program is None:
                continue
            suites = SuiteMigration(
                self._sides[0], self._place_hybrid(loaded), _match_hybrid_programs(hybrids, self._sides[0], loaded)
            )
            asking: dict[int, OddsRevision] = {}
            for number, asked_play in asked_plays.items():
                share = self._budget.split_share(len(asked_plays) * (len(groups) - place))
                play_shift = self._compare_with_hybrid(asked_play, suites, asking, share)
                result.setdefault(number, []).append(IsolatedShift(group.subject, play_shift))
        return "", result

    def _place_hybrid(self, loaded: LoadedRuleset) -> LocatedRevision:
        new = self._sides[1]
        provider = new.provider
        for name, text in loaded.texts.items():
            if text != new.loaded.texts.get(name):
                provider = FilesWithExtra(provider, name, text.content)
        return LocatedRevision(loaded, new.main, new.overlays, provider)

    def _compare_with_hybrid(
        self, asked_play: _AskedPlay, suites: SuiteMigration, asking: dict[int, OddsRevision], share: StateBudget
    ) -> PlayShift:
        was, pair = asked_play.opened, suites.find_amended_pair(asked_play.start.case, WorkBudget(0))
        if isinstance(pair, str):
            return PlayShift(unknown_odds=(("", pair),))
        added = asked_play.start.old.added if asked_play.start.old is not None else ()
        opened = pair.migration.open_start(was.procedures[0].name, was.starts[0], added)
        if isinstance(opened, str):
            return PlayShift(unknown_odds=(("", opened),))
        revision = asking.setdefault(id(pair), OddsRevision(pair.sides[1], self._follow_play))
        return self._compare_with_old(asked_play, revision, opened, share)


def _revision_estimate(answered: RevisionOdds) -> RevisionEstimate:
    result = None if answered.odds is None else EffortEstimate(answered.odds.state_count)
    return RevisionEstimate(answered.estimate or result, answered.reason)


def _match_hybrid_programs(hybrids: PartialRevisions, old: LocatedRevision, loaded: LoadedRuleset) -> Correspondence:
    assert loaded.program is not None
    return Correspondence(
        hybrids.match_hybrid_names(loaded.program).names, match_rulesets(old.loaded, loaded).addresses
    )


def _translate_expression(text: str, opened: PairedStart) -> str:
    across = opened.common_form.translations.forward
    owner, names, events = opened.procedures[0].name, across.names.names, list[str]()

    def replace_watched(event: CountedEvent) -> str:
        now = across.names.addresses.get(event.address) or ""
        if not now and "/" not in event.address:
            (now,) = rewrite_lines([event.address], owner, names, 0)
        events.append(str(replace(event, address=now)) if now else "")
        return event_count_name(len(events) - 1)

    (carried,) = rewrite_lines(
        [" ".join(replace_counts(text, across.source_program, replace_watched).split())], owner, names, 0
    )
    for number, event in reversed([*enumerate(events)]):
        carried = carried.replace(event_count_name(number), event)
    return carried if all(events) else ""


_OutcomeTable = dict[object, tuple[str, Fraction]]
"""Text and probability of each outcome, by a key that is common to both revisions."""


def _build_odds_shift(old: RevisionOdds, was: int, new: RevisionOdds, now: int, common: CommonForm) -> OddsShift:
    """Shift of one expression, by its values."""
    assert old.play is not None
    assert new.play is not None
    before, after = old.play.measures[was], new.play.measures[now]
    one = _tabulate_outcomes(old, was, lambda value: common.canonical_old(value, before.type, after.type))
    other = _tabulate_outcomes(new, now, lambda value: common.canonical_new(value, after.type))
    keys = [*one, *(item for item in other if item not in one)]
    if all(isinstance(key, int | Fraction) for key in keys):
        keys.sort()
    shares = tuple(
        OutcomeShare(
            (one.get(key) or other[key])[0],
            one.get(key, _IMPOSSIBLE_OUTCOME)[1],
            other.get(key, _IMPOSSIBLE_OUTCOME)[1],
            is_value=not (isinstance(key, tuple) and key[:1] == ("",)),
        )
        for key in keys
    )
    means = _distribution_mean(old, was), _distribution_mean(new, now)
    both = None if means[0] is None or means[1] is None else (means[0], means[1])
    open_ = _unexplored_share(old, was), _unexplored_share(new, now)
    return OddsShift(before.text, isinstance(before.type, FlagType), shares, both, open_)


_IMPOSSIBLE_OUTCOME = "", Fraction(0)


def _tabulate_outcomes(answered: RevisionOdds, number: int, common: Callable[[Value], Any]) -> _OutcomeTable:
    assert answered.play is not None
    if answered.odds is None:
        return {("", "cannot begin"): ("cannot begin", Fraction(1))}
    names, result = answered.play.start.names, answered.odds.distributions[number]
    type_, ends = result.measure.type, dict[object, tuple[str, Fraction]]()
    for value, likely in result.probabilities.items():
        if value is None and not isinstance(type_, OptionalType):
            ends["", "no value"] = "no value", likely
        else:
            ends[common(value)] = format_value(value, type_, names), likely
    if result.measure.condition_number is not None:
        return (
            ends
            if result.condition_probability or result.open_share
            else {("", "no such play"): ("no such play", Fraction(1))}
        )
    return ends | {("", outcome): (outcome, likely) for outcome, likely in unfinished_shares(answered.odds).items()}


def _unexplored_share(answered: RevisionOdds, number: int) -> Fraction:
    return Fraction(0) if answered.odds is None else answered.odds.distributions[number].open_share


def _distribution_mean(answered: RevisionOdds, number: int) -> Fraction | None:
    return None if answered.odds is None else answered.odds.distributions[number].mean
