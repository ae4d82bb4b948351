"""Odds of plays of one revision: the play of a situation with measured expressions, within a budget of states."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property, partial
from sys import maxsize

from rulewright.base.diagnostics import Diagnostic
from rulewright.base.files import FileProvider
from rulewright.base.frozen import dataclass
from rulewright.diff.differential_testing.results import WorkBudget
from rulewright.diff.differential_testing.revision_translation import PairedStart
from rulewright.diff.differential_testing.scenario_migration import (
    AmendedPair,
    LocatedRevision,
    OldStart,
    SuiteMigration,
    first_error_message,
)
from rulewright.diff.edits import Correspondence
from rulewright.diff.outdated_addresses import AddressChangeFinder
from rulewright.documents.answer_scripts import AnswerScript, PlayerPolicy, build_policy_table, parse_script
from rulewright.documents.document_nodes import (
    DocumentNode,
    ListNode,
    MapKey,
    MapNode,
    MapNode as MappingNode,
    ScalarNode,
)
from rulewright.documents.findings import ReadResult, quote_name
from rulewright.documents.name_table import map_spellings
from rulewright.documents.policy_loading import NO_QUESTION_POLICIES, QuestionPolicies, resolve_policies
from rulewright.documents.ruleset_loading import LoadedRuleset
from rulewright.documents.ruleset_location import RulesetLocation
from rulewright.documents.yaml_reader import MAX_TEXT_CHARS
from rulewright.odds.answerers import AnswererMemory, AnswerFork, PlayAnswerer, UndecidedError
from rulewright.odds.end_measures import MeasuredPlay, prepare_measured_play
from rulewright.odds.exact_odds import CannotBeginError, PlayOdds, begin_run, compute_odds, explain_unknown_odds
from rulewright.odds.external_answers import read_external_odds
from rulewright.odds.measure_syntax import UndefinedConditionError
from rulewright.odds.state_exploration import ExplorationProgress, ProgressCallback
from rulewright.odds.state_space_size import (
    SAMPLED_STATES,
    EffortEstimate,
    StateSpaceSize,
    describe_size,
    estimate_effort,
    estimate_state_space,
)
from rulewright.play.answer_sources import DECISION_SORTS
from rulewright.play.session import PlayStart
from rulewright.program.declarations import Program
from rulewright.runtime.chance_outcomes import TooManyOutcomesError
from rulewright.runtime.executable import Executable, compile_program
from rulewright.runtime.faults import RunLimits
from rulewright.runtime.run import Paused, Run
from rulewright.scenarios.expectation_schema import ODDS_KEY
from rulewright.scenarios.suite import ScenarioCase

MAX_LINES_PER_PATH = 500_000
LOAD_COST_STATES = 100
"""Charge for checking a revision with the question, in states."""
_LIMIT_CODE_PREFIX = "RW09"
_MIN_SHARE_DIVISOR = 10
_MIN_PILOT_STATES, _PILOT_DIVISOR = 2000, 100
TOO_MANY_STATES_MESSAGE = "there are more ways to play it than are followed; `--most N` follows more, and takes longer"


StartFollowing = Callable[[Callable[[int], StateSpaceSize | None]], ProgressCallback]
"""Called when an exploration begins, with the measure of its state space; returns its progress callback."""


class StateBudgetError(Exception):
    """Exploration needs more states than may be followed."""


class StateBudget:
    """Budget of explored states.

    Attributes:
        states_left: number of states.
        pilot_states: states of one question before any play has to end.
    """

    def __init__(self, states_left: int, whole: "StateBudget | None" = None) -> None:
        """`whole` is the budget that this is a part of, which pays too."""
        self.states_left = states_left
        self.pilot_states: int = (
            max(_MIN_PILOT_STATES, states_left // _PILOT_DIVISOR) if whole is None else whole.pilot_states
        )
        self._parent_budget = whole

    def split_share(self, of: int) -> "StateBudget":
        """Budget for one of `of` plays: its share, or a tenth of all that is left, if that is more."""
        return StateBudget(max(self.states_left // max(of, 1), self.states_left // _MIN_SHARE_DIVISOR), self)

    def spend_states(self, moments: int) -> None:
        """Spend states.

        Raises:
            StateBudgetError: fewer are left.
        """
        if moments > self.states_left:
            raise StateBudgetError
        self.states_left -= moments
        if self._parent_budget is not None:
            self._parent_budget.spend_states(moments)


def _list_within_budget(budget: StateBudget, answers: PlayAnswerer, run: Run, memory: AnswererMemory) -> AnswerFork:
    """Answers to a request, paid for as a state; beyond the budget nothing is followed."""
    result = answers.list_answers(run, memory)
    try:
        budget.spend_states(1)
    except StateBudgetError:
        budget.states_left = 0
        return AnswerFork(())
    return result


@dataclass(frozen=True, slots=True)
class RevisionOdds:
    """Odds of a play of one revision, or why they are unknown."""

    play: MeasuredPlay | None = None
    odds: PlayOdds | None = None  # None if refused or unknown
    estimate: EffortEstimate | None = None  # size of the state space, if it was not explored further
    reason: str = ""  # why the odds are unknown
    problems: tuple[Diagnostic, ...] = ()  # diagnostics of the question
    uses_policy: bool = False


@dataclass(frozen=True, slots=True)
class AnswerSources:
    """Sources of answers in a play, in the names of one revision."""

    script: AnswerScript | None  # asked before all others
    external_odds: MappingNode  # externals to answers with probabilities
    policies: tuple[PlayerPolicy, ...]  # in order of precedence, for what the script does not answer


class OddsRevision:
    """Revision whose plays are explored for odds."""

    def __init__(
        self, beside: LocatedRevision, follows: StartFollowing, steps: Callable[[], int | None] = lambda: None
    ) -> None:
        """`follows` is called with each play before it is explored.

        `steps` is the number of steps of an estimate; None explores.
        """
        self.located_revision = beside
        self._start_following = follows
        self._step_limit = steps
        self._plays: dict[object, ReadResult[MeasuredPlay]] = {}
        self._loaded: dict[tuple[object, tuple[str, ...]], LoadedRuleset] = {}

    @cached_property
    def _executable(self) -> Executable:
        return compile_program(self.located_revision.program, traced=False)

    def begin_play(self, opened: PairedStart, side: int) -> PlayStart:
        """Start of a play here; side 0 is the old one of the revisions that can begin it, 1 the new one."""
        situation, arguments = opened.situations[side], opened.arguments[side]
        return PlayStart(
            self._executable, opened.procedures[side], situation, arguments, RunLimits(work=MAX_LINES_PER_PATH)
        )

    def compute_asked_odds(
        self, start: PlayStart, texts: Sequence[str], answering: AnswerSources, budget: StateBudget
    ) -> RevisionOdds:
        """Odds of everything that is asked of a play."""
        decided = False
        try:
            read_result = self._measured_play(start, texts, answering.script, budget)
            if read_result.value is None:
                return RevisionOdds(
                    reason=first_error_message(read_result.diagnostics), problems=read_result.diagnostics
                )
            play = read_result.value.with_start(start)
            elsewhere = read_external_odds(answering.external_odds, self.located_revision.program, start.names)
            if elsewhere.value is None:
                return RevisionOdds(reason=first_error_message(elsewhere.diagnostics))
            answers = PlayAnswerer(
                start.names, answering.script, external_odds=elsewhere.value, counted_events=play.counted_events
            )
            try:
                return self._explore_play(play, answers, budget)
            except UndecidedError as undecided:
                decided = undecided.paused.asked.sort in DECISION_SORTS and bool(answering.policies)
                if not decided or undecided.findings:
                    raise
            return self._compute_with_policies(start, texts, answering, answers, budget)
        except (UndecidedError, UndefinedConditionError, TooManyOutcomesError, StateBudgetError) as error:
            return RevisionOdds(reason=_explain_unknown_odds(error, decided=decided))

    def _compute_with_policies(
        self,
        start: PlayStart,
        texts: Sequence[str],
        answering: AnswerSources,
        answers: PlayAnswerer,
        budget: StateBudget,
    ) -> RevisionOdds:
        policies = answering.policies
        laid, decided = (
            resolve_policies(policies, self.located_revision.program),
            build_policy_table(policies, start.names),
        )
        if laid.value is None or decided.value is None:
            wrong = (*laid.diagnostics, *decided.diagnostics)
            return RevisionOdds(reason=first_error_message(wrong), problems=wrong)
        read_result = self._measured_play(start, texts, answering.script, budget, laid.value)
        if read_result.value is None:
            return RevisionOdds(reason=first_error_message(read_result.diagnostics), problems=read_result.diagnostics)
        answers = replace(answers, policy=decided.value.default, policies=decided.value.by_player)
        return replace(self._explore_play(read_result.value.with_start(start), answers, budget), uses_policy=True)

    def _explore_play(self, play: MeasuredPlay, answers: PlayAnswerer, budget: StateBudget) -> RevisionOdds:
        on_progress = self._start_following(partial(_measure_play_size, play, answers))
        try:
            steps = self._step_limit()
            if steps is not None:
                return RevisionOdds(
                    play, estimate=estimate_effort(play, answers, budget.states_left, on_progress, steps=steps)
                )
            play_odds = compute_odds(
                play,
                replace(answers, at_fork=partial(_list_within_budget, budget)),
                budget.states_left + 1,
                _PilotMonitor(on_progress, budget, partial(_measure_play_size, play, answers, SAMPLED_STATES)),
            )
        except CannotBeginError:
            return RevisionOdds(play)
        if play_odds.open_share == 1:
            raise StateBudgetError(*_describe_play_size(play, answers, play_odds.state_count))
        return RevisionOdds(play, play_odds)

    def _measured_play(
        self,
        start: PlayStart,
        texts: Sequence[str],
        script: AnswerScript | None,
        budget: StateBudget,
        laid: QuestionPolicies = NO_QUESTION_POLICIES,
    ) -> ReadResult[MeasuredPlay]:
        things = tuple(start.names.ids_of_kind(kind) for kind in self.located_revision.program.kinds)
        written = tuple(policy.written for policy in laid.policies)
        key = tuple(texts), start.procedure.name, things, script is not None and script.names_questions, written
        if key not in self._plays:
            beside, loading = self.located_revision, partial(self._load_overlaid, budget, laid)
            read_result = prepare_measured_play(
                start, texts, beside.main, beside.overlays, beside.provider, watching=True, loading=loading
            )
            heard = None if read_result.value is None else read_result.value.adapt_to_script(script)
            self._plays[key] = replace(read_result, value=heard)
        return self._plays[key]

    def _load_overlaid(
        self,
        budget: StateBudget,
        laid: QuestionPolicies,
        located: RulesetLocation,
        overlays: tuple[str, ...],
        files: FileProvider,
    ) -> LoadedRuleset:
        written = tuple(policy.written for policy in laid.policies)
        key = files.read_file_bytes(overlays[-1], MAX_TEXT_CHARS), written
        if key not in self._loaded:
            budget.spend_states(LOAD_COST_STATES)
            earlier = next(
                (loaded.incremental_state for (_, under), loaded in self._loaded.items() if under == written), None
            )
            self._loaded[key] = laid.load_under_policies(located, overlays, files, earlier)
        return self._loaded[key]


class _PilotMonitor:
    """Progress monitor that measures the state space if no play ends in time."""

    def __init__(
        self, on_progress: ProgressCallback, budget: StateBudget, look: Callable[[], StateSpaceSize | None]
    ) -> None:
        self._progress_callback = on_progress
        self._pilot_states, self._states_left = budget.pilot_states, budget.states_left
        self._measure_size = look

    def __call__(self, met: ExplorationProgress) -> None:
        self._progress_callback(met)
        if met.state_count <= self._pilot_states or met.explored_share != 0:
            return
        self._pilot_states = maxsize
        try:
            size = self._measure_size()
        except TooManyOutcomesError:
            return
        if size is None or not size.is_estimated or size.estimated_states > self._states_left:
            raise StateBudgetError


def _measure_play_size(play: MeasuredPlay, answers: PlayAnswerer, most: int) -> StateSpaceSize | None:
    start = begin_run(play.start)
    return estimate_state_space(start, answers.counting_by_step, most) if isinstance(start.outcome, Paused) else None


def _describe_play_size(play: MeasuredPlay, answers: PlayAnswerer, met: int) -> tuple[str, ...]:
    try:
        size = _measure_play_size(play, answers, SAMPLED_STATES)
    except TooManyOutcomesError:
        return ()
    return () if size is None else tuple(describe_size(size, met))[:1]


POLICY_HINT = "add `--policy first`"
"""Remedy where a player chooses and no policy is given."""


def _explain_unknown_odds(
    error: UndecidedError | UndefinedConditionError | TooManyOutcomesError | StateBudgetError, *, decided: bool
) -> str:
    if isinstance(error, UndefinedConditionError):
        return f"{quote_name(error.text)} has no value at some end"
    if isinstance(error, StateBudgetError):
        return "; ".join((TOO_MANY_STATES_MESSAGE, *map(str, error.args)))
    if isinstance(error, UndecidedError) and error.findings:
        return first_error_message(error.findings)
    code, message = explain_unknown_odds(error, decided=decided)
    return f"{message}; {POLICY_HINT}" if code == "RW1121" and not decided else message


def find_machine_limit(odds: PlayOdds) -> str:
    """Reason why odds are unknown although all paths were followed: a machine limit ended some; else empty."""
    return next((message for code, message in odds.faults if code.startswith(_LIMIT_CODE_PREFIX)), "")


def unfinished_shares(odds: PlayOdds) -> Mapping[str, Fraction]:
    """Probabilities of a play that does not end, by what becomes of it."""
    faults: dict[str, Fraction] = {}
    for (_, message), likely in odds.faults.items():
        reason = f"cannot be carried on: {message}"
        faults[reason] = faults.get(reason, Fraction(0)) + likely
    return {**faults, **({"never ends": odds.never_ends} if odds.never_ends else {})}


@dataclass(frozen=True, slots=True)
class ScenarioStart:
    """Play that both revisions can begin, or why they cannot."""

    names: tuple[str, ...]  # of the scenarios with this start, with their files
    case: ScenarioCase  # the first of them
    pair: AmendedPair | None = None  # both revisions as the scenario amends them; None if they cannot be
    opened: PairedStart | None = None  # None if one revision cannot begin it
    script: AnswerScript | None = None
    reason: str = ""  # why it cannot be begun in both
    expected_odds: tuple[str, ...] = ()  # expressions whose odds the scenarios expect
    old: OldStart | None = None  # as the old revision begins it; None if it cannot


def collect_scenario_starts(suites: SuiteMigration, work: WorkBudget) -> tuple[ScenarioStart, ...]:
    """Plays of all scenarios that the old revision takes, in order.

    The script of a scenario answers where it expects odds or rolls dice by a seed. Other scripts fix every die to show
    one play; of these scenarios only the start counts, and those with one start are one play.
    """
    mapping: dict[object, ScenarioStart] = {}
    for case, pair in suites.cases_with_revisions(work):
        if "invalid" in case.expect:
            continue
        name = f"{case.file}: {case.name}"
        each = (
            ScenarioStart((name,), case, reason=pair)
            if isinstance(pair, str)
            else _open_scenario_start(name, case, pair)
        )
        key = _start_identity(each) or name
        known = mapping.get(key, replace(each, names=()))
        expressions = dict.fromkeys((*known.expected_odds, *_list_expected_odds(case)))
        mapping[key] = replace(known, names=(*known.names, name), expected_odds=tuple(expressions))
    return tuple(mapping.values())


def _list_expected_odds(case: ScenarioCase) -> tuple[str, ...]:
    node = case.expect.get(ODDS_KEY)
    return tuple(key.text for key, _ in node) if isinstance(node, MapNode) else ()


def _open_scenario_start(name: str, case: ScenarioCase, pair: AmendedPair) -> ScenarioStart:
    opened = pair.open_case(case)
    if isinstance(opened, str):
        return ScenarioStart((name,), case, pair, reason=opened)
    old, start = opened
    script = old.opened.script if ODDS_KEY in case.expect or case.seed is not None else None
    return ScenarioStart((name,), case, pair, start, script, old=old)


def _start_identity(each: ScenarioStart) -> object:
    if each.opened is None:
        return None
    start_text = json.dumps([[start.state, start.roles] for start in each.opened.starts], sort_keys=True)
    by_itself = id(each.case) if each.script is not None else 0
    policies = tuple(one.written for one in each.case.policies)
    return id(each.pair), each.opened.procedures[0].name, start_text, policies, by_itself


def readdress_script(each: ScenarioStart, program: Program, names: Correspondence) -> ReadResult[AnswerScript | None]:
    """Script of a play with the addresses of another revision."""
    if each.script is None or each.case.script is None or each.opened is None:
        return ReadResult(each.script)
    readdressing = AddressChangeFinder(each.opened.common_form.translations.forward.source_program, program, names)
    moved = {place.span.start: place.new for place in readdressing.find_script_changes(each.case.script)}
    read_result = parse_script(_move_script_addresses(each.case.script, moved), program)
    return ReadResult(None if read_result.value is None else read_result.value, read_result.diagnostics)


def translate_external_answers(
    answers: MapNode, old: Program, new: Program, names: Correspondence | None = None
) -> MapNode:
    """Odds of externals of the old revision, under their names in the new one; unknown externals are dropped.

    None for `names` means that both are one revision.
    """
    here, there = (
        map_spellings((*old.external_procedures, *old.external_terms)),
        {*new.external_procedures, *new.external_terms},
    )
    generator = ((key, here[key.text], node) for key, node in answers if key.text in here)
    moved = (
        (replace(key, text=names.find_new_name("external", name) or "" if names else name), node)
        for key, name, node in generator
    )
    return replace(answers, entries=tuple((key, node) for key, node in moved if key.text in there))


def _move_script_addresses(node: DocumentNode, moved: dict[int, str]) -> DocumentNode:
    if not moved:
        return node
    if isinstance(node, MapNode):
        return replace(node, entries=tuple(_move_entry_addresses(node, moved)))
    if isinstance(node, ListNode):
        return replace(node, items=tuple(_move_item_addresses(node, moved)))
    return node


def _move_entry_addresses(node: MapNode, moved: dict[int, str]) -> Iterator[tuple[MapKey, DocumentNode]]:
    for key, value in node:
        now = moved.get(key.span.start, key.text)
        if now:
            yield replace(key, text=now), value


def _move_item_addresses(node: ListNode, moved: dict[int, str]) -> Iterator[DocumentNode]:
    for item in node.items:
        at = item.get("at") if isinstance(item, MapNode) else None
        if not isinstance(item, MapNode) or not isinstance(at, ScalarNode) or at.span.start not in moved:
            yield item
        elif moved[at.span.start]:
            now = replace(at, value=moved[at.span.start], written=moved[at.span.start])
            yield replace(item, entries=tuple((key, now if value is at else value) for key, value in item))
