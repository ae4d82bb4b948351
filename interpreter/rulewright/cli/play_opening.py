"""The start of a play: ruleset, state, roles, settings and script, from files or a scenario; player views of results."""

import posixpath
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, field, replace
from functools import partial
from typing import Any

import click

from rulewright.base.bounded_files import read_text_file
from rulewright.base.diagnostics import Diagnostic, Severity
from rulewright.base.diagnostics.remedies import find_nearest_name
from rulewright.base.files import FileProvider
from rulewright.base.frozen import dataclass
from rulewright.base.source import Span, Text
from rulewright.cli.command_files import files_for, read_text
from rulewright.cli.options import LimitOptions, PlayOptions, parse_policy_options
from rulewright.cli.output import CommandStop, ExitCode, is_limit_code, make_error, make_stop
from rulewright.cli.ruleset_loading import load_program, unwrap_or_stop
from rulewright.cli.text_layout import name_first
from rulewright.documents.answer_scripts import (
    EMPTY_POLICY_TABLE,
    AnswerScript,
    PlayerPolicy,
    PolicyTable,
    format_policies,
    read_script,
)
from rulewright.documents.document_nodes import DocumentNode, MapKey, MapNode, merge_map_nodes
from rulewright.documents.findings import Findings, list_alternatives, quote_name
from rulewright.documents.name_table import NameTable
from rulewright.documents.policy_loading import NO_QUESTION_POLICIES, QuestionPolicies
from rulewright.documents.procedure_arguments import find_procedure, list_fitting_names, list_startable_procedures
from rulewright.documents.ruleset_loading import LoadedRuleset, LoadRuleset, find_overlay, load_cached_ruleset
from rulewright.documents.ruleset_location import locate_ruleset
from rulewright.documents.state_file import NO_TEXT_NAME, parse_assignments, parse_state
from rulewright.documents.state_shorthand import StateTables
from rulewright.documents.yaml_reader import parse_yaml
from rulewright.play.answer_sources import AnswerSourceChain
from rulewright.play.seeded_random import SeededRandom
from rulewright.play.session import PlayResult, PlayStart
from rulewright.play.session_views import describe_unknown_player, restrict_to_player
from rulewright.program.declarations import Procedure, Program
from rulewright.runtime.executable import Executable, compile_program
from rulewright.runtime.faults import RunLimits
from rulewright.runtime.request import Ended, Faulted, Refused
from rulewright.runtime.run import Outcome, Paused
from rulewright.runtime.state import Situation
from rulewright.scenarios.case_opening import RulesetLoader, open_case
from rulewright.scenarios.scenario_files import SCENARIO_SUFFIX, resolve_shipped_place, walk_scenario_files
from rulewright.scenarios.suite import PlacedText, ScenarioCase
from rulewright.scenarios.suite_reader import read_suite

_MAX_LISTED_CASES = 16
"""Limit of listed scenarios of a file."""
_PLACELESS = MapKey("", Span(NO_TEXT_NAME, 0, 0), "")
"""Place of what the command line gives."""


@dataclass(frozen=True, slots=True)
class PlayRequest(PlayOptions):
    """Arguments of a command line that plays."""

    overlays: Sequence[str] = ()
    limits: Mapping[str, Any] = field(default_factory=dict)  # by field of `RunLimits`
    rules: str | None = None  # ruleset in place of that of the scenario
    recording: str = "full"  # `full`, `decisive` or `none`
    policies: Sequence[PlayerPolicy] = ()  # before those of the scenario; the first match decides
    policies_beside: Sequence[PlayerPolicy] = ()  # after those of the scenario
    revision: FileProvider | None = None  # source of rules and scenario; None: the disk

    def provider_for(self, *named: str) -> FileProvider:
        """Files that the rules may read, with those of more places."""
        own_places = (self.ruleset, *([self.rules] if self.rules else []))
        return self.revision or files_for(*own_places, *named)


@dataclass(frozen=True, slots=True)
class OpenedPlay:
    """A play that can begin, its script, and every text read on the way."""

    start: PlayStart
    script: AnswerScript | None
    texts: Mapping[str, Text]
    ruleset: str  # file, folder or shipped name
    overlays: Sequence[str]
    case: ScenarioCase | None = None  # source scenario, as in its file
    policies: Sequence[PlayerPolicy] = ()  # the first match decides
    deciding: PolicyTable = EMPTY_POLICY_TABLE  # `policies` without those for single questions
    laid_policies: QuestionPolicies = NO_QUESTION_POLICIES  # policies for single questions

    def make_sources(self, seed: int | None, fresh: int = 0) -> AnswerSourceChain:
        """Answer sources; the seed is by default that of the scenario, unseeded dice are random."""
        if self.case is not None and seed is None:
            seed = self.case.seed
        return AnswerSourceChain(
            names=self.start.names,
            chance=SeededRandom(fresh if seed is None else seed),
            script=self.script,
            has_seeded_dice=seed is not None or self.script is None,
            is_chance_requested=seed is not None,
            policy=self.deciding.default or None,
            policies=self.deciding.by_player,
            policy_text=format_policies(self.policies),
        )


def make_play_request(
    begins: PlayOptions,
    overlays: Sequence[str],
    limits: LimitOptions,
    policies: Sequence[str] = (),
    recording: str = "full",
) -> PlayRequest:
    """Request of the options of a command line."""
    given = {**asdict(begins), "ruleset": begins.ruleset or ""}
    return PlayRequest(
        **given,
        overlays=overlays,
        limits=limits.list_given(),
        recording=recording,
        policies=parse_policy_options(policies),
    )


def outcome_exit(outcome: Outcome, paused: ExitCode) -> ExitCode:
    """Exit code of a play by its end, or `paused` at a pending question."""
    match outcome:
        case Ended():
            return ExitCode.SUCCESS
        case Faulted(code=code) if is_limit_code(code):
            return ExitCode.UNKNOWN
        case Refused() | Faulted():
            return ExitCode.FINDINGS
        case Paused():
            return paused


def open_play(play_request: PlayRequest) -> OpenedPlay:
    """Read and check everything a play begins with.

    A ruleset without a state stands for the only scenario file beside it that names it.

    Raises:
        CommandStop: something cannot be read or does not fit; RW0788, there is no state; RW0793 to RW0795, it is unclear
            what is to be played.
    """
    return (
        _open_from_scenario(play_request)
        if is_scenario_path(play_request.ruleset)
        else _open_from_options(play_request)
    )


def _open_from_options(play_request: PlayRequest) -> OpenedPlay:
    """The play of options, as that of a scenario that holds nothing else."""
    program, loaded = load_program(play_request.ruleset, play_request.overlays, play_request.revision)
    if play_request.state is None and play_request.procedure not in program.procedures:
        scenario_files = list_own_scenario_files(play_request)
        if len(scenario_files) == 1:
            return _open_from_scenario(replace(play_request, ruleset=scenario_files[0]))
        if scenario_files and play_request.procedure is None:
            message = f"`{play_request.ruleset}` has {len(scenario_files)} files of scenarios, and none is named"
            remedy = f"name one in place of `{play_request.ruleset}`: `{shlex.quote(scenario_files[0])}`"
            raise make_stop("RW0795", message, remedy, _format_name_notes(scenario_files))
    situation = None
    if play_request.state is not None and play_request.procedure is None:
        situation = read_situation(play_request.state, play_request.ruleset, program, play_request.settings)
    procedure = choose_procedure(play_request.procedure, program, situation, play_request.ruleset)
    if play_request.state is None:
        raise CommandStop([_missing_state_error(play_request, procedure)])
    placed = PlacedText(procedure.name, _PLACELESS)
    nothing = MapNode((), _PLACELESS.span, "")
    case = ScenarioCase(
        play_request.ruleset, "", _PLACELESS, play_request.ruleset, placed, nothing, state=nothing, expect=nothing
    )
    rules = _make_loader(play_request, lambda *_: loaded)
    return replace(open_chosen_case(case, play_request, rules), case=None)


def _make_loader(play_request: PlayRequest, load: LoadRuleset = load_cached_ruleset) -> RulesetLoader:
    """Loader of what a play may read, whose programs record what is requested."""
    compiler = partial(_compile_loaded, play_request.recording)
    return RulesetLoader(play_request.provider_for(*play_request.overlays), compiler=compiler, loader=load)


def read_situation(state: str, ruleset: str, program: Program, settings: Sequence[str] = ()) -> Situation:
    """Situation of a state file of a ruleset.

    Raises:
        CommandStop: RW0788, it is a scenario; it cannot be read, or does not fit.
    """
    texts = dict[str, Text]()
    node = _read_state_node(state, ruleset, texts)
    return unwrap_or_stop(parse_state(node, program, settings), *texts.values())


def _read_state_node(state: str, ruleset: str, texts: dict[str, Text]) -> DocumentNode:
    if is_scenario_path(state):
        remedy = f"name it in place of `{ruleset}`, without `--state`"
        raise make_stop("RW0788", f"`{state}` is a whole scenario, not a state alone", remedy)
    node, findings = _read_data_node(state, texts), Findings()
    inlined = StateTables(files_for(ruleset, state), texts).inline_tables(node, findings)
    return unwrap_or_stop(findings.make_result(inlined), *texts.values())


def list_own_scenario_files(play_request: PlayRequest) -> tuple[str, ...]:
    """Scenario files beside a ruleset that name it; if there is none, the unreadable ones."""
    files, place = play_request.provider_for(), play_request.ruleset
    suites = dict(_read_suites_of(find_scenario_files(place), _main_file(place, files), files))
    return tuple(file for file, cases in suites.items() if cases) or tuple(
        file for file, cases in suites.items() if cases is None
    )


def _read_suites_of(
    scenarios: Sequence[str], main: str, files: FileProvider
) -> Iterator[tuple[str, list[ScenarioCase] | None]]:
    """Of each scenario file the cases of a ruleset; None where it is unreadable."""
    for place in scenarios:
        suite = read_suite(_read_scenario_text(place, files), files, {}, judged=False).value
        named = suite.cases if suite is not None else ()
        own = [case for case in named if _main_file(case.ruleset, files) == main]
        yield place, None if suite is None else own


def _main_file(ruleset: str, files: FileProvider) -> str:
    return posixpath.normpath(locate_ruleset(ruleset, files).main or "")


def _missing_state_error(play_request: PlayRequest, procedure: Procedure) -> Diagnostic:
    """RW0788, with a scenario of the ruleset that begins with the procedure, or one of its files of scenarios."""
    remedy = f"add `--state FILE`; `rulewright schema {play_request.ruleset} state` says what stands in it"
    message = "a play begins with a state, and there is none"
    scenarios, files = find_scenario_files(play_request.ruleset), play_request.provider_for()
    if not scenarios:
        return make_error("RW0788", message, remedy)
    way = f"name `{scenarios[0]}` in place of `{play_request.ruleset}`"
    for place, cases in _read_suites_of(scenarios, _main_file(play_request.ruleset, files), files):
        named = next((one for one in cases or () if not one.problems and one.procedure.text == procedure.name), None)
        if named is not None:
            context = click.get_current_context(silent=True)
            verb = context.info_name if context is not None and context.info_name else "run"
            way = f"`{shlex.join(('rulewright', verb, place, named.name))}`"
            break
    return make_error("RW0788", message, remedy, [f"a scenario has its own state: {way}"])


def _open_from_scenario(play_request: PlayRequest) -> OpenedPlay:
    """The play of a scenario, overridden by the options."""
    rules = _make_loader(play_request)
    case = _choose_case(play_request.ruleset, play_request.procedure, rules)
    return open_chosen_case(case, play_request, rules)


def open_chosen_case(case: ScenarioCase, play_request: PlayRequest, rules: RulesetLoader) -> OpenedPlay:
    """The play of a case without its expectations, overridden by the options.

    Raises:
        CommandStop: something of it cannot be read or does not fit.
    """
    laid = _override_case(case, play_request, rules.texts)
    opened_case = unwrap_or_stop(open_case(laid, rules, RunLimits(**play_request.limits)), *rules.texts.values())
    overlays = [overlay.text for overlay in laid.overlays]
    return OpenedPlay(
        opened_case.start,
        opened_case.script,
        rules.texts,
        laid.ruleset,
        overlays,
        case,
        policies=laid.policies,
        deciding=opened_case.policy_table,
        laid_policies=opened_case.ruled.policies,
    )


def _compile_loaded(recording: str, loaded: LoadedRuleset) -> Executable:
    assert loaded.program is not None
    return compile_program(loaded.program, traced=recording != "none", decisive=recording == "decisive")


def resolve_scenario_request(play_request: PlayRequest) -> PlayRequest:
    """Request with ruleset, overlays and procedure of the scenario it names."""
    if not is_scenario_path(play_request.ruleset):
        return play_request
    case = _choose_case(play_request.ruleset, play_request.procedure, RulesetLoader(files_for(play_request.ruleset)))
    overlays = (*(overlay.text for overlay in case.overlays), *play_request.overlays)
    return replace(play_request, ruleset=case.ruleset, procedure=case.procedure.text, overlays=overlays)


def _override_case(case: ScenarioCase, play_request: PlayRequest, texts: dict[str, Text]) -> ScenarioCase:
    """A case without expectations, overridden by the options."""
    nothing = MapNode((), case.place.span, case.place.pointer)
    roles = unwrap_or_stop(parse_assignments("--with", play_request.roles))
    settings = unwrap_or_stop(parse_assignments("--set", play_request.settings))
    settings = settings if case.settings is None else _merge_flags(case.settings, settings)
    overlays = (PlacedText(overlay, _PLACELESS) for overlay in play_request.overlays)
    if play_request.state is not None:
        state = _read_state_node(play_request.state, play_request.ruleset, texts)
        case = replace(case, state=state, patch=None, previous=None)
    if play_request.unscripted:
        case = replace(case, script=None)
    elif play_request.script is not None:
        case = replace(case, script=_read_data_node(play_request.script, texts))
    return replace(
        case,
        ruleset=play_request.rules or case.ruleset,
        overlays=(*_case_overlays(case, play_request), *overlays),
        roles=_merge_flags(case.roles, roles),
        settings=settings if settings.entries else None,
        policies=(*play_request.policies, *case.policies, *play_request.policies_beside),
        covers=(),
        expect=nothing,
    )


def _case_overlays(case: ScenarioCase, play_request: PlayRequest) -> Iterator[PlacedText]:
    """Overlays of a case; with another ruleset, its version of each at the same relative path."""
    rules = play_request.rules
    if rules is None:
        yield from case.overlays
        return
    files = play_request.provider_for(case.ruleset)
    old, new = (posixpath.dirname(locate_ruleset(item, files).main or "") for item in (case.ruleset, rules))
    for overlay in case.overlays:
        place = find_overlay(overlay.text, old, files)
        beside = posixpath.normpath(posixpath.join(new, posixpath.relpath(place, old or ".")))
        yield replace(overlay, text=beside) if files.get_file_type(beside) == "file" else overlay


def _merge_flags(written: MapNode, flags: MapNode) -> MapNode:
    return replace(merge_map_nodes(written, flags), span=written.span, pointer=written.pointer)


def _read_data_node(place: str, texts: dict[str, Text]) -> DocumentNode:
    text = read_text(place)
    texts[text.name] = text
    return unwrap_or_stop(parse_yaml(text), text)


def open_script(name: str | None, program: Program) -> tuple[AnswerScript | None, dict[str, Text]]:
    """Script of a file, with its texts; None without a name."""
    if name is None:
        return None, {}
    text = read_text(name)
    return unwrap_or_stop(read_script(text, program), text), {text.name: text}


def is_scenario_path(place: str) -> bool:
    """Whether a place has the suffix of scenario files."""
    return place.endswith(SCENARIO_SUFFIX)


def find_scenario_files(ruleset: str) -> tuple[str, ...]:
    """The scenario files beside a ruleset and below, as `run` takes them."""
    files = files_for(ruleset)
    main, shipped = locate_ruleset(ruleset, files).main, files.get_rulesets_folder()
    items = tuple(walk_scenario_files(posixpath.dirname(main) or ".", files)) if main else ()
    is_name = not files.get_file_type(ruleset)
    return tuple(posixpath.relpath(item, shipped) for item in items) if is_name else items


def choose_procedure(name: str | None, program: Program, situation: Situation | None, ruleset: str) -> Procedure:
    """The named procedure, else the only one that can begin; `ruleset` as it is written.

    Raises:
        CommandStop: RW0793, there are several and none is named, or there is none; as in `find_procedure`.
    """
    if name is not None:
        return unwrap_or_stop(find_procedure(name, program))
    choices = list_startable_procedures(program)
    if len(choices) == 1:
        return choices[0]
    if not choices:
        raise make_stop("RW0793", f"`{program.name}` has no procedure that can be begun", "write a `procedure`")
    message = f"`{program.name}` has {len(choices)} procedures, and none is named"
    remedy = f"write its name behind `{ruleset}`; its roles follow as `--with ROLE=ID`"
    raise make_stop("RW0793", message, remedy, [_describe_procedure(choice, program, situation) for choice in choices])


def _describe_procedure(procedure: Procedure, program: Program, situation: Situation | None) -> str:
    roles = []
    for parameter, default in zip(procedure.parameters, procedure.defaults, strict=True):
        names = list_fitting_names(parameter.type, program, situation)
        fits = f": {list_alternatives(names)}" if names else ""
        roles.append(f"{parameter.name} ({parameter.type}{fits}{', may be left out' if default else ''})")
    title = f" “{procedure.title}”" if procedure.title else ""
    return f"`{procedure.name}`{title}{' with ' if roles else ''}{', '.join(roles)}"


def _choose_case(place: str, name: str | None, rules: RulesetLoader) -> ScenarioCase:
    """The case of a scenario file with a name, or its only one; its expectations may be missing.

    A part of a name suffices if it is unique, also for what follows that case. The file is one of the disk, or of a
    shipped ruleset: `NAME/push.scenario.yaml`. Texts that are read are added to those of `rules`.
    """
    case = find_case_by_name(name, {case_.name: case_ for case_ in read_cases(place, rules)}, place)
    if case.problems:
        raise CommandStop(case.problems, rules.texts)
    return case


def read_cases(place: str, rules: RulesetLoader) -> Sequence[ScenarioCase]:
    """The cases of a scenario file; texts that are read are added to those of `rules`."""
    read_ = read_suite(_read_scenario_text(place, rules.provider), rules.provider, rules.texts, judged=False)
    return unwrap_or_stop(read_, *rules.texts.values()).cases


def _read_scenario_text(place: str, files: FileProvider) -> Text:
    result = resolve_shipped_place(place, files)
    text = read_text_file(result, files)
    if isinstance(text, Text):
        return text
    folder = posixpath.dirname(result) or "."
    beside = walk_scenario_files(folder, files) if files.get_file_type(folder) == "folder" else ()
    raise CommandStop([replace(text, notes=_format_name_notes(beside))])


def find_case_by_name(name: str | None, cases: Mapping[str, ScenarioCase], place: str) -> ScenarioCase:
    """The case of a name or part of a name, or the only one; joined with the cases that follow it."""
    if name is not None and name in cases:
        return cases[name]
    matching = [case_ for case_ in cases if (name or "").lower() in case_.lower()]
    first = [cases[one] for one in matching if (after := cases[one].previous) is None or after.name not in matching]
    # so called, or its scenario or case alone
    titled = [one for one in first if name and name.lower() in (one.name.lower(), *one.name.lower().split(" / "))]
    for found in (first, titled):
        if len(found) == 1:
            return found[0]
    if name is None:
        message = f"`{place}` has {len(cases)} scenarios, and none is named"
        remedy = f"write its name behind the file, or a part of it: `{shlex.join([place, *matching[:1]])}`"
        raise make_stop("RW0795", message, remedy, _format_name_notes(matching))
    if matching:
        message = f"{len(matching)} scenarios of `{place}` have {quote_name(name)} in their names"
        raise make_stop("RW0795", message, "write more of the name", _format_name_notes(matching))
    close = find_nearest_name(name, cases)
    remedy = f"did you mean {quote_name(close)}?" if close else "name one of these"
    message = f"no scenario of `{place}` is called {quote_name(name)}"
    raise make_stop("RW0794", message, remedy, _format_name_notes(cases))


def _format_name_notes(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(name_first((f"`{name}`" for name in names), _MAX_LISTED_CASES))


def require_player(written: str, names: NameTable) -> int:
    """Number of a player; stops with RW0260 where nobody is called so."""
    ids = list(names.ids_of_kind("player"))
    if written in ids:
        return ids.index(written)
    raise make_stop("RW0260", *describe_unknown_player(written, ids))


def hide_from_player(played: PlayResult, player: int) -> PlayResult:
    """The result without what the player may not know, the text of the script included (RW0261)."""
    session = restrict_to_player(played.session, player)
    outcome = session.outcome
    if not played.diagnostics or not isinstance(outcome, Paused) or not outcome.request.closed:
        wrong = (replace(one, primary=None, secondary=(), edits=()) for one in played.diagnostics)
        return PlayResult(session, tuple(wrong))
    address = outcome.request.address
    message = "the run stops at a question whose answers are not for this player"
    remedy = "without `--view` it says why"
    return PlayResult(session, (Diagnostic("RW0261", Severity.ERROR, message, help=remedy, address=address),))
