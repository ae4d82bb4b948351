"""Migration of scenarios and saves: recorded plays of the old revision, replayed under both."""

import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from rulewright.base.bounded_files import read_text_file
from rulewright.base.diagnostics import Diagnostic, has_errors
from rulewright.base.files import FileProvider, RevisedFiles
from rulewright.base.frozen import dataclass
from rulewright.base.source import Text
from rulewright.diff.comparison import match_rulesets
from rulewright.diff.differential_testing.added_values import (
    AddedValue,
    describe_added_values,
    find_added_values,
)
from rulewright.diff.differential_testing.fixtures import find_written_start, save_scenario_play
from rulewright.diff.differential_testing.initial_states import open_written_start
from rulewright.diff.differential_testing.paired_play import SAME, UNUSABLE, PairedPlay, PlayTurn, play_side_by_side
from rulewright.diff.differential_testing.replays import outcome_address, replay_in_order
from rulewright.diff.differential_testing.results import HYBRID_COST, REPLAY_COST, TURN_COST, MigratedPlay, WorkBudget
from rulewright.diff.differential_testing.revision_translation import (
    NoCounterpartError,
    PairedStart,
    StartData,
    build_translations,
    spell_out_defaults,
    translate_roles,
    translate_state,
)
from rulewright.diff.edits import Correspondence
from rulewright.documents.answers import read_answer
from rulewright.documents.document_nodes import DocumentNode, ListNode, ScalarNode, make_unplaced_map, value_under
from rulewright.documents.findings import ReadResult
from rulewright.documents.policy_loading import QuestionPolicies, load_with_policies
from rulewright.documents.ruleset_loading import LoadedRuleset, find_overlay, load_ruleset
from rulewright.documents.ruleset_location import RulesetLocation, locate_ruleset
from rulewright.documents.saved_sessions import SavedSession
from rulewright.documents.state_json import state_to_json
from rulewright.play.session import UNANSWERED_CODE, run_to_end
from rulewright.program.declarations import Program
from rulewright.runtime.executable import Executable, compile_program
from rulewright.runtime.faults import RunLimits
from rulewright.runtime.request import Faulted, Refused
from rulewright.scenarios.case_opening import CompiledRuleset, OpenedCase, RulesetLoader, open_case_under
from rulewright.scenarios.expectation_schema import has_only_odds
from rulewright.scenarios.scenario_files import read_cases, walk_scenario_files
from rulewright.scenarios.suite import ScenarioCase, Suite
from rulewright.scenarios.suite_reader import read_suite


def migrate_saved_plays(
    old: Program, new: Program, names: Correspondence, saves: Mapping[str, SavedSession]
) -> Iterator[MigratedPlay]:
    """Outcome of each saved or recorded play, by name.

    A play continues where the new revision asks the same and takes every answer; its end counts too. A play whose
    answers run out before it ends is the same as far as it goes.
    """
    migration = PlayMigration(old, new, names)
    for name, save in saves.items():
        play = migration.play_save(save)
        yield (
            MigratedPlay(name, "lost", message=play) if isinstance(play, str) else judge_migrated_play(name, save, play)
        )


class PlayMigration:
    """Replay of plays of the old revision under both."""

    def __init__(self, old: Program, new: Program, names: Correspondence) -> None:
        self.translations = build_translations(old, new, names)

    @cached_property
    def executables(self) -> tuple[Executable, Executable]:
        across = self.translations.forward
        return compile_program(across.source_program, traced=True), compile_program(across.target_program, traced=True)

    def open_start(self, begins: str, written: StartData, added: Sequence[AddedValue] = ()) -> PairedStart | str:
        """Start of an old play in both, by the name of its procedure; or why the new revision cannot begin it.

        `added` are values that the new revision has besides, as far as it knows them.
        """
        return open_written_start(begins, written, self.translations, added=added)

    def play_save(self, save: SavedSession, added: Sequence[AddedValue] = ()) -> PairedPlay | str:
        """Recorded play in both, as far as its answers go, or why the new revision cannot begin it."""
        result = self.open_start(save.procedure, StartData(save.start, save.arguments), added)
        if isinstance(result, str):
            return result
        return play_side_by_side(
            self.executables, result, replay_in_order(save.answers, then_plain=False), recorded=True
        )


def judge_migrated_play(name: str, save: SavedSession, play: PairedPlay) -> MigratedPlay:
    """Outcome of a recorded play."""
    addresses = outcome_address(play.outcomes[0]), outcome_address(play.outcomes[1])
    given = len(play.turns)
    if play.difference == SAME or (play.difference == UNUSABLE and _has_run_out(save, play)):
        return MigratedPlay(name, "same", answers=given)
    if play.difference == UNUSABLE:
        at = save.answers[given].at
        return MigratedPlay(name, "lost", "", given, addresses, f"the answer to `{at}` is none under the new revision")
    return MigratedPlay(name, "differs", play.difference, given, addresses)


def _has_run_out(save: SavedSession, play: PairedPlay) -> bool:
    neither = all(isinstance(outcome, Refused | Faulted) for outcome in play.outcomes)
    return neither or len(play.turns) == len(save.answers)


@dataclass(frozen=True, slots=True)
class LocatedRevision:
    """Revision with the places of its files."""

    loaded: LoadedRuleset  # without errors
    main: str  # place of the main file
    overlays: tuple[str, ...]  # places
    provider: FileProvider

    @property
    def home(self) -> str:
        return posixpath.dirname(self.main) or "."

    @property
    def program(self) -> Program:
        assert self.loaded.program is not None
        return self.loaded.program

    def load_amended(self, overlays: tuple[str, ...]) -> LoadedRuleset:
        """Revision reloaded with more overlays."""
        return load_ruleset(RulesetLocation(self.main, self.overlays), overlays, self.provider)

    def load_amended_as(
        self, other: "LocatedRevision", overlays: tuple[str, ...], amended: LoadedRuleset
    ) -> LoadedRuleset | None:
        """Revision with more overlays, checked incrementally as an edit of another one that was checked with them.

        It is read as if its files lay where those of the other lie, and its diagnostics say so; None where it has other
        files, or errors.
        """
        texts = {place: read_text_file(self.locate_beside(other, place), self.provider) for place in amended.texts}
        contents = {place: text.content for place, text in texts.items() if isinstance(text, Text)}
        same = tuple(self.locate_beside(other, item) for item in (other.main, *other.overlays)) == (
            self.main,
            *self.overlays,
        )
        if not same or contents.keys() != amended.texts.keys() or self.list_documents() != other.list_documents():
            return None
        located = RulesetLocation(other.main, other.overlays)
        loaded_ruleset = load_ruleset(
            located, overlays, RevisedFiles(other.provider, contents), earlier=amended.incremental_state
        )
        return (
            loaded_ruleset
            if loaded_ruleset.program is not None and loaded_ruleset.texts.keys() == contents.keys()
            else None
        )

    def locate_beside(self, other: "LocatedRevision", place: str) -> str:
        """Place here of the counterpart of a file beside another revision."""
        return posixpath.normpath(posixpath.join(self.home, posixpath.relpath(place, other.home)))

    def locate_counterpart(self, other: "LocatedRevision", overlay: str) -> str:
        """Place here of an overlay of another revision: beside this one, else the same file; empty for none."""
        beside = self.locate_beside(other, overlay)
        if self.provider.get_file_type(beside) == "file":
            return beside
        return overlay if self.provider is other.provider else ""

    def list_documents(self) -> list[str]:
        """Names of the clause lists beside it."""
        return [
            folder_name
            for folder_name in self.provider.list_folder_names(self.home)
            if folder_name.endswith(".clauses.yaml")
        ]


class _UnjudgedRules(RulesetLoader):
    """Scenario files of scenarios to be replayed under two revisions, which need no `expect:`."""

    def load_suite(self, text: Text) -> ReadResult[Suite]:
        result = super().load_suite(text)
        if result.value is None or not any(map(_has_no_expectations, result.value.cases)):
            return result
        loose = read_suite(text, self.provider, self.texts, judged=False).value
        known = {case_.name: case_ for case_ in loose.cases} if loose else {}
        cases = (known.get(case_.name, case_) if _has_no_expectations(case_) else case_ for case_ in result.value.cases)
        return ReadResult(replace(result.value, cases=tuple(cases)), result.diagnostics)


def _has_no_expectations(case: ScenarioCase) -> bool:
    return bool(case.problems) and all(problem.code == "RW1006" for problem in case.problems)


def find_named_overlays(case: ScenarioCase, beside: LocatedRevision) -> tuple[str, ...] | None:
    """Places of the overlays that a scenario names; None where it plays another ruleset."""
    located = locate_ruleset(case.ruleset, beside.provider)
    if located.main is None or beside.provider.get_identity(located.main) != beside.provider.get_identity(beside.main):
        return None
    named = (*located.overlays, *(overlay.text for overlay in case.overlays))
    return tuple(find_overlay(item, beside.home, beside.provider) for item in named)


def filter_own_cases(cases: Iterable[ScenarioCase], beside: LocatedRevision) -> Iterator[ScenarioCase]:
    """Scenarios of exactly a revision: of its ruleset with its overlays; files are compared by their places."""
    identify = beside.provider.get_identity
    wanted = {*map(identify, beside.overlays)}
    matching: dict[tuple[str, tuple[str, ...]], bool] = {}
    for case in cases:
        key = case.ruleset, tuple(overlay.text for overlay in case.overlays)
        if key not in matching:
            named = find_named_overlays(case, beside)
            matching[key] = named is not None and {*map(identify, named)} == wanted
        if matching[key]:
            yield case


ScenarioFiles = Sequence[tuple[str, ReadResult[tuple[ScenarioCase, ...]]]]
"""Scenario files by place, with the cases read."""


def read_scenarios_beside(beside: LocatedRevision) -> ScenarioFiles:
    """Scenario files beside a revision, with all their scenarios."""
    files = walk_scenario_files(beside.home, beside.provider)
    return tuple((file, read_cases((file,), _UnjudgedRules(beside.provider))) for file in files)


class SuiteMigration:
    """Scenarios of one revision, replayed under it and another.

    Args:
        old: the revision of the scenarios.
        new: the other one.
        names: correspondence of names.
        files: the scenario files beside the old one, where they have been read.
        wanted: whether scenarios that name these overlays, by their places, are played.
    """

    def __init__(
        self,
        old: LocatedRevision,
        new: LocatedRevision,
        names: Correspondence,
        files: ScenarioFiles | None = None,
        wanted: Callable[[tuple[str, ...]], bool] = lambda _: True,
    ) -> None:
        self._old, self._new, self._names, self._read, self._is_wanted = old, new, names, files, wanted
        self._pairs: dict[tuple[str, ...], AmendedPair | str] = {}
        self._named_overlays: dict[tuple[str, tuple[str, ...]], tuple[str, ...] | None] = {}

    def migrate_scenarios(self, work: WorkBudget) -> Iterator[MigratedPlay]:
        """Outcome of each scenario that plays the old revision, with the overlays it names.

        Skipped scenarios, scenarios of odds alone and those of other rulesets are left out.
        """
        for file, result in self._matching_files():
            if result.value is None:
                yield MigratedPlay(file, "lost", message=first_error_message(result.diagnostics))
            for case in result.value or ():
                if not has_only_odds(case.expect):
                    yield self._migrate_scenario(case, work)

    @property
    def scenario_count(self) -> int:
        """Number of scenarios of `migrate_scenarios`."""
        return sum(
            not has_only_odds(case.expect) for _, result in self._matching_files() for case in result.value or ()
        )

    def cases_with_revisions(self, work: WorkBudget) -> Iterator[tuple[ScenarioCase, "AmendedPair | str"]]:
        """Scenarios of `migrate_scenarios` and those of odds alone, with both revisions as each amends them, or why not."""
        for _, result in self._matching_files():
            yield from ((case, self.find_amended_pair(case, work)) for case in result.value or ())

    def _matching_files(self) -> Iterator[tuple[str, ReadResult[tuple[ScenarioCase, ...]]]]:
        for file, result in read_scenarios_beside(self._old) if self._read is None else self._read:
            wanted_cases = tuple(case for case in result.value or () if not case.skip and self._is_wanted_case(case))
            yield file, result if result.value is None else ReadResult(wanted_cases)

    def _is_wanted_case(self, case: ScenarioCase) -> bool:
        named = self._find_named_overlays(case)
        return named is not None and self._is_wanted(named)

    def _find_named_overlays(self, case: ScenarioCase) -> tuple[str, ...] | None:
        key = case.ruleset, tuple(overlay.text for overlay in case.overlays)
        if key not in self._named_overlays:
            self._named_overlays[key] = find_named_overlays(case, self._old)
        return self._named_overlays[key]

    def _migrate_scenario(self, case: ScenarioCase, work: WorkBudget) -> MigratedPlay:
        name = f"{case.file}: {case.name}"
        pair = self.find_amended_pair(case, work)
        return (
            MigratedPlay(name, "lost", message=pair) if isinstance(pair, str) else pair.migrate_case(name, case, work)
        )

    def find_amended_pair(self, case: ScenarioCase, work: WorkBudget) -> "AmendedPair | str":
        """Both revisions as a scenario amends them, or why there are none."""
        if case.problems:
            return f"it has an error: {first_error_message(case.problems)}"
        provider = self._old.provider
        known = {*map(provider.get_identity, self._old.overlays)}
        result = self._find_named_overlays(case) or ()
        more = tuple(item for item in result if provider.get_identity(item) not in known)
        if more not in self._pairs:
            self._pairs[more] = self._amend_both(more, work)
        return self._pairs[more]

    def _amend_both(self, more: tuple[str, ...], work: WorkBudget) -> "AmendedPair | str":
        if not more:
            return AmendedPair(PlayMigration(self._old.program, self._new.program, self._names), (self._old, self._new))
        work.spend_units(2 * HYBRID_COST)
        theirs = [self._new.locate_counterpart(self._old, item) for item in more]
        if lacking := next((item for item, other in zip(more, theirs, strict=True) if not other), ""):
            return f"there is no `{posixpath.basename(lacking)}` beside the new revision"
        old, here = self._old.load_amended(more), [self._new.locate_beside(self._old, item) for item in more]
        new = self._new.load_amended_as(self._old, more, old) if theirs == here else None
        sides = old, new or self._new.load_amended(tuple(theirs))
        for word, side in zip(("old", "new"), sides, strict=True):
            if side.program is None:
                called = " and ".join(f"`{posixpath.basename(item)}`" for item in more)
                return f"with {called} the {word} revision has errors: {first_error_message(side.errors)}"
        assert sides[0].program is not None
        assert sides[1].program is not None
        amended = (
            replace(self._old, loaded=sides[0], overlays=(*self._old.overlays, *more)),
            replace(self._new, loaded=sides[1], overlays=(*self._new.overlays, *theirs)),
        )
        return AmendedPair(PlayMigration(sides[0].program, sides[1].program, match_rulesets(*sides)), amended)


@dataclass(frozen=True, slots=True)
class OldStart:
    """A scenario as the old revision begins it: without the values that only the new one knows."""

    case: ScenarioCase
    opened: OpenedCase
    added: tuple[AddedValue, ...] = ()

    @property
    def unknown_attributes(self) -> tuple[str, ...]:
        """Attributes that the old revision does not know, and that are not at their default, in words."""
        return describe_added_values(self.added)


class AmendedPair:
    """Both revisions with the overlays of some scenarios."""

    def __init__(self, migration: PlayMigration, sides: tuple[LocatedRevision, LocatedRevision]) -> None:
        self.migration = migration
        self.sides = sides
        self._planned: dict[tuple[str, ...], tuple[LoadedRuleset, QuestionPolicies]] = {}

    @cached_property
    def _ruled(self) -> tuple[CompiledRuleset, CompiledRuleset]:
        old, new = (CompiledRuleset(executable, frozenset()) for executable in self.migration.executables)
        return old, new

    def _open_old_case(self, case: ScenarioCase) -> ReadResult[OpenedCase]:
        ruled, question_policies = self._ruled[0], tuple(policy for policy in case.policies if policy.question)
        if question_policies:
            key = tuple(player_policy.written for player_policy in question_policies)
            if key not in self._planned:
                old = self.sides[0]
                self._planned[key] = load_with_policies(
                    old.loaded, RulesetLocation(old.main, old.overlays), (), old.provider, question_policies
                )
            ruleset, laid = self._planned[key]
            if ruleset.program is None:
                return ReadResult(None, ruleset.errors)
            ruled = CompiledRuleset(compile_program(ruleset.program, traced=True), frozenset(), laid)
        return open_case_under(case, ruled, RunLimits())

    def _open_old_start(self, case: ScenarioCase) -> ReadResult[OldStart]:
        case = replace(case, covers=())
        result = self._open_old_case(case)
        if result.value is not None:
            return ReadResult(OldStart(case, result.value), result.diagnostics)
        without = self._open_without_added_values(case) if case.previous is None else None
        return ReadResult(without, result.diagnostics)

    def _open_without_added_values(self, case: ScenarioCase) -> OldStart | None:
        """A scenario that only the new revision takes, without what an attribute that it adds holds there.

        `None` where the old one would not take it either, or the new one would not begin as the scenario says.
        """
        across = self.migration.translations.backward
        theirs = open_case_under(case, self._ruled[1], RunLimits()).value
        if theirs is None:
            return None
        written = find_written_start(theirs.start, case)
        procedure = across.target_program.procedures.get(
            across.names.find_new_name("procedure", theirs.start.procedure.name) or ""
        )
        added = find_added_values(written.state, across)
        if procedure is None or not added:
            return None
        whole = state_to_json(theirs.start.situation, across.source_program)
        try:
            state = translate_state(spell_out_defaults(dict(written.state), whole, across), across)
            roles = translate_roles(written.roles, theirs.start.procedure, procedure, across)
        except NoCounterpartError:
            return None
        without = replace(
            case, state=make_unplaced_map(state), patch=None, settings=None, roles=make_unplaced_map(roles)
        )
        opened = self._open_old_case(without).value
        if opened is None or len(roles) != len(written.roles):
            return None
        both = self.migration.open_start(procedure.name, find_written_start(opened.start, without), added)
        if isinstance(both, str) or state_to_json(both.situations[1], across.source_program) != whole:
            return None
        return OldStart(without, opened, added)

    def open_case(self, case: ScenarioCase) -> tuple[OldStart, PairedStart] | str:
        """Scenario as the old revision begins it, and as both do; or why not both can."""
        result = self._open_old_start(case)
        if result.value is None:
            return f"{_NOT_PLAYED_MESSAGE}: {first_error_message(result.diagnostics)}"
        old, start = result.value, result.value.opened.start
        opened = self.migration.open_start(start.procedure.name, find_written_start(start, old.case), old.added)
        if isinstance(opened, str):
            return opened
        lacking = next(filter(None, opened.missing_roles), "")
        return f"nobody has the role `{lacking}`" if lacking else (old, opened)

    def migrate_case(self, name: str, case: ScenarioCase, work: WorkBudget) -> MigratedPlay:
        """Outcome of a scenario: of several plays the first that differs, or cannot be compared."""
        opening_result = self._open_old_start(case)
        if opening_result.value is None:
            return self._judge_unreadable(name, replace(case, covers=()), opening_result.diagnostics)
        old, case = opening_result.value, opening_result.value.case
        plays: list[MigratedPlay] = []
        for number in range(case.plays):
            ran = run_to_end(old.opened.start, old.opened.make_sources(case, number))
            session, save = ran.session, save_scenario_play(ran.session, case)
            play = self.migration.play_save(save, old.added)
            work.spend_units(
                REPLAY_COST + TURN_COST * len(session.turns) + (0 if isinstance(play, str) else play.work_units)
            )
            result = (
                MigratedPlay(name, "lost", message=play)
                if isinstance(play, str)
                else judge_migrated_play(name, save, play)
            )
            if result.outcome == "same" and not isinstance(play, str):
                lacks_answers = case.script is None and any(
                    diagnostic.code == UNANSWERED_CODE for diagnostic in ran.diagnostics
                )
                why = "there is no `script:`" if lacks_answers else first_error_message(ran.diagnostics)
                stopped = MigratedPlay(name, "lost", message=f"{_NOT_PLAYED_MESSAGE}: {why}")
                result = stopped if has_errors(ran.diagnostics) else self._check_rejected_answers(result, play, case)
            plays.append(result)
            if result.outcome == "differs":
                break
        worst = max(plays, key=lambda migrated_play: _OUTCOMES_BY_SEVERITY.index(migrated_play.outcome))
        return replace(worst, unknown_attributes=old.unknown_attributes)

    def _judge_unreadable(self, name: str, case: ScenarioCase, why: Sequence[Diagnostic]) -> MigratedPlay:
        if case.expect.get("invalid") is None or not self.migration.translations.is_identity:
            return MigratedPlay(name, "lost", message=f"{_NOT_PLAYED_MESSAGE}: {first_error_message(why)}")
        is_legal = open_case_under(case, self._ruled[1], RunLimits()).value is not None
        return MigratedPlay(name, "differs", "legal") if is_legal else MigratedPlay(name, "same")

    def _check_rejected_answers(
        self, migrated_play: MigratedPlay, play: PairedPlay, case: ScenarioCase
    ) -> MigratedPlay:
        rejected = list(_list_rejected_answers(case, self._ruled[0])) if self.migration.translations.is_identity else []
        for number, turn in enumerate(play.turns):
            for at, answer in rejected:
                if turn.question.addresses[0] == at and _is_answer_taken(play, turn, 0, answer) != _is_answer_taken(
                    play, turn, 1, answer
                ):
                    return MigratedPlay(migrated_play.name, "differs", "options", number, turn.question.addresses)
        return migrated_play


def _is_answer_taken(play: PairedPlay, turn: PlayTurn, side: int, answer: DocumentNode) -> bool:
    request = turn.question.new_request if side else turn.question.old_request
    names = play.start.common_form.new if side else play.start.common_form.old
    return not read_answer(request, answer, names, turn.question.paused[side]).diagnostics


def _list_rejected_answers(case: ScenarioCase, ruled: CompiledRuleset) -> Iterator[tuple[str, DocumentNode]]:
    wanted = case.expect.get("rejects")
    for item in wanted.items if isinstance(wanted, ListNode) else ():
        at = value_under(item, "at")
        answer = value_under(item, "answer")
        address = ruled.questions.resolve(at.written) if isinstance(at, ScalarNode) else None
        if isinstance(address, str) and answer is not None:
            yield address, answer


_NOT_PLAYED_MESSAGE = "the old revision does not play it"
_OUTCOMES_BY_SEVERITY = ("same", "lost", "differs")


def first_error_message(diagnostics: Iterable[Diagnostic]) -> str:
    """Message of the first error, or ""."""
    return next((diagnostic.message for diagnostic in diagnostics if has_errors([diagnostic])), "")
