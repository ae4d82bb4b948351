"""The verb `share`: a ruleset as one page that anybody plays without a server, and what came back from its plays."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any

import click

from rulewright import __version__
from rulewright.base.diagnostics import format_counted_noun, make_visible
from rulewright.base.files import DISK
from rulewright.cli.command_files import files_for, read_text, require_overwritable, write_file
from rulewright.cli.options import (
    WholeNumberOption,
    allow_option,
    argument,
    flag,
    format_option,
    option,
    overlay_option,
    several,
    verb_command,
)
from rulewright.cli.output import CommandStop, ExitCode, Output, make_output, make_stop
from rulewright.cli.play_opening import (
    OpenedPlay,
    PlayRequest,
    find_case_by_name,
    is_scenario_path,
    list_own_scenario_files,
    open_chosen_case,
    read_cases,
)
from rulewright.cli.read import list_edition_facts, list_reading_facts
from rulewright.cli.reports import render_template
from rulewright.cli.ruleset_loading import load_program
from rulewright.cli.session_files import require_recordable
from rulewright.documents.ruleset_loading import LoadedRuleset
from rulewright.program.declarations import Program
from rulewright.program.types import GRID_STEPS
from rulewright.runtime.executable import compile_source
from rulewright.runtime.run import Paused
from rulewright.scenarios.case_opening import RulesetLoader
from rulewright.scenarios.scenario_recording import name_by_file, record_scenario
from rulewright.scenarios.suite import ScenarioCase
from rulewright.studio.page_play import StoredScenario, begin_with_asked_dice, store_plays, store_program, store_start
from rulewright.studio.play_service import PlayService
from rulewright.studio.returned_plays import (
    Replay,
    ReturnedPlay,
    parse_returned_play,
    render_scenario_comments,
    replay_returned_play,
    report_lines,
    report_to_json,
)
from rulewright.studio.shared_page import SHARED_PAGE_PREFIX, SharedPage, read_engine_facts, render_shared_page
from rulewright.wording.chapter_builder import make_chapter, make_reference_sheet
from rulewright.wording.chosen_readings import fold_chosen_readings

_MAX_SEED = (1 << 31) - 1
_PAGE_VERSION = 1
_BYTES_PER_MEGABYTE = 1_000_000


@verb_command("share")
def command(  # noqa: PLR0913 - one parameter for each option
    *,
    ruleset: str = argument("RULESET|SCENARIO"),
    names: tuple[str, ...] = argument("[CASE]...", nargs=-1),
    file: str | None = option("--to", "FILE", "the page that is written; with --back, the scenario file"),
    returned: tuple[str, ...] = several("--back", "FILE", "read a play that came back; repeatable"),
    seed: int | None = option(
        "--seed", "N", "dice fall by this seed; anew each time unless given", WholeNumberOption(0, _MAX_SEED)
    ),
    scenes: bool = flag(
        "--scenes",
        "with --back and --format json, for programs: the story and the boards of each play, and its remarks in it",
    ),
    overlays: tuple[str, ...] = overlay_option,
    _allow: Any = allow_option,
    form: str | None = format_option,
) -> int:
    """Writes RULESET as one page that anybody plays in a browser: on a phone, from a disk, without a network.

    The page holds the rules, the scenarios, and what plays them. Without CASE it offers every scenario in which somebody
    is asked something; CASE is the name of one, or a part of it. Rulesets with a board on the plane cannot be shared.

    What players send back is read with --back: it is played again under the rules of today, and the plays of several
    files are counted together. With --to, one of them becomes a scenario. Exits with 1 if a play now ends differently,
    or if one of several files holds no play.

    Example: `rulewright share risk --to risk.html`.
    """
    if scenes and not (returned and form == "json"):
        raise click.UsageError("`--scenes` is for `--back` with `--format json`")
    if returned:
        return _read_back(ruleset, returned, overlays, file, make_output(form), with_scenes=scenes)
    if file is None:
        raise click.UsageError("name the page with `--to FILE.html`, or a play that came back with `--back FILE`")
    require_overwritable(file, SHARED_PAGE_PREFIX)
    out = make_output(form)
    program, loaded = _load_shared_program(ruleset, overlays)
    plays = _gather_plays(ruleset, names, overlays)
    content = render_shared_page(
        SharedPage(program.title, plays.store(program.title), _make_page_texts(program, loaded, plays, seed))
    )
    write_file(Path(file), content)
    size, shared = len(content.encode()), [scenario["name"] for scenario in plays.summaries]
    count = format_counted_noun(len(shared), "scenario")
    lines = [f"wrote {make_visible(file)}: {count}, {round(size / _BYTES_PER_MEGABYTE)} MB"]
    if plays.left_out:
        lines.append("left out, because nobody is asked anything in them or they cannot begin:")
        lines += (f"  {make_visible(name)}" for name in plays.left_out)
    lines.append("next: open it in a browser, or send it to whoever plays; what they send back is one small file")
    out.print_report(
        lambda: {"version": 1, "file": file, "bytes": size, "scenarios": shared, "left_out": plays.left_out}, lines
    )
    return ExitCode.SUCCESS


def _load_shared_program(ruleset: str, overlays: Sequence[str]) -> tuple[Program, LoadedRuleset]:
    """The ruleset of a page, or of the scenarios of a page.

    Raises:
        CommandStop: it has errors; RW0797, it has a board on the plane.
    """
    named = ruleset
    if is_scenario_path(ruleset):
        cases = read_cases(ruleset, RulesetLoader(files_for(ruleset, *overlays)))
        named = cases[0].ruleset if cases else ruleset
    program, loaded = load_program(named, overlays)
    plane = next((board.name for board in program.boards.values() if board.space not in GRID_STEPS), None)
    if plane is not None:
        raise make_stop(
            "RW0797",
            f"`{program.name}` cannot be played in a page: its board `{plane}` is the plane",
            "boards of hexes and squares can; the workbench plays this one on your machine: `rulewright studio`",
        )
    return program, loaded


@dataclass
class _GatheredPlays:
    scenarios: list[StoredScenario] = field(default_factory=list)
    summaries: list[dict[str, Any]] = field(default_factory=list)  # of each scenario, for the page
    left_out: list[str] = field(default_factory=list)  # names of scenarios that ask nobody
    programs: list[Program] = field(default_factory=list)

    def add_play(self, case: ScenarioCase, opening: OpenedPlay, service: PlayService) -> None:
        program = opening.start.executable.program
        number = next((at for at, known in enumerate(self.programs) if known is program), len(self.programs))
        if number == len(self.programs):
            self.programs.append(program)
        self.scenarios.append(store_start(opening.start, number))
        self.summaries.append(
            {
                "name": case.name,
                "file": PurePath(case.file).name,
                "procedure": opening.start.procedure.title,
                "fingerprint": program.fingerprint,
                "first": service.handle_request({"do": "see"})["moment"],
            }
        )

    def store(self, title: str) -> bytes:
        programs = [store_program(compile_source(program, traced=True)) for program in self.programs]
        return store_plays(title, programs, self.scenarios)


def _read_back(  # noqa: PLR0913 - one for each thing that the command line says
    ruleset: str, files: Sequence[str], overlays: Sequence[str], file: str | None, out: Output, *, with_scenes: bool
) -> ExitCode:
    """Exit code of `--back`: whether some play ends differently under the rules of today."""
    if file is not None and len(files) > 1:
        raise click.UsageError("`--to` makes one scenario of one play; name one `--back`")
    require_recordable(file)
    request = PlayRequest(ruleset, overlays=overlays, unscripted=True)
    rules = RulesetLoader(request.provider_for(*overlays))
    cases = _find_cases(ruleset, request, rules)
    plays, unreadable = _read_returned_plays(files)
    replays, opening, fingerprint = [], None, ""
    for play in plays:
        if play.scenario not in cases:
            missing = f"it is a play of `{play.ruleset}`, and `{ruleset}` has no scenario of this name"
            replays.append(Replay(play, None, missing))
            continue
        try:
            opening = open_chosen_case(cases[play.scenario], request, rules)
        except CommandStop as stop:
            replays.append(Replay(play, None, stop.diagnostics[0].message))
            continue
        fingerprint = opening.start.executable.program.fingerprint
        replays.append(replay_returned_play(play, opening.start))
    if file is not None:
        if opening is None:
            raise make_stop("RW1017", "only a play that is over can be recorded", replays[0].problem)
        session = replays[0].session
        if session is None or isinstance(session.outcome, Paused):
            reason = replays[0].problem or "under the rules of today it is not over"
            raise make_stop("RW1017", "only a play that is over can be recorded", reason)
        name = name_by_file(file)
        recorded = record_scenario(session, opening.ruleset, opening.overlays, file, DISK, name=name)
        write_file(Path(file), render_scenario_comments(replays[0]) + recorded)
    report = report_to_json(replays, fingerprint, unreadable, with_scenes=with_scenes)
    out.print_report(lambda: report, report_lines(report))
    is_different = unreadable or any(each.problem or each.differences for each in replays)
    return ExitCode.FINDINGS if is_different else ExitCode.SUCCESS


def _read_returned_plays(files: Sequence[str]) -> tuple[list[ReturnedPlay], dict[str, str]]:
    """The plays of files, and why some files hold none.

    Raises:
        CommandStop: no file holds one; of the first, that it cannot be read, or RW0799.
    """
    plays, stops = list[ReturnedPlay](), dict[str, CommandStop]()
    for file in files:
        try:
            play = parse_returned_play(read_text(file))
        except CommandStop as stop:
            stops[file] = stop
            continue
        if play is not None:
            plays.append(play)
            continue
        message = f"`{file}` does not hold a play that came back from a shared page"
        stops[file] = make_stop(
            "RW0799", message, "it is the file that the page hands out under *Send back*, as it came"
        )
    if not plays:
        raise next(iter(stops.values()))
    return plays, {file: stop.diagnostics[0].message for file, stop in stops.items()}


def _find_cases(ruleset: str, request: PlayRequest, rules: RulesetLoader) -> dict[str, ScenarioCase]:
    """Scenarios by name; the first of a name counts."""
    places = (ruleset,) if is_scenario_path(ruleset) else list_own_scenario_files(request)
    cases = dict[str, ScenarioCase]()
    for place in places:
        for case in read_cases(place, rules):
            cases.setdefault(case.name, case)
    return cases


def _gather_plays(ruleset: str, names: Sequence[str], overlays: Sequence[str]) -> _GatheredPlays:
    """All plays of a page.

    Raises:
        CommandStop: a scenario cannot be read, or there is none of a name; RW0798, no scenario asks anybody.
    """
    request = PlayRequest(ruleset, overlays=overlays, unscripted=True)
    rules = RulesetLoader(request.provider_for(*overlays))
    cases = _find_cases(ruleset, request, rules)
    chosen = [find_case_by_name(name, cases, ruleset).name for name in names]
    plays, stops = _GatheredPlays(), list[CommandStop]()
    for name in dict.fromkeys(chosen or cases):
        case = cases[name]
        if case.problems and chosen:
            raise CommandStop(case.problems, rules.texts)
        if case.problems or (case.skip and not chosen):
            plays.left_out.append(name)
            continue
        try:
            opening = open_chosen_case(case, request, rules)
        except CommandStop as stop:
            if chosen:
                raise
            stops.append(stop)
            plays.left_out.append(name)
            continue
        service = begin_with_asked_dice(opening.start, 0)
        if not service.is_anybody_asked():
            plays.left_out.append(name)
            continue
        plays.add_play(case, opening, service)
    if not plays.scenarios:
        if stops:
            raise stops[0]
        message = f"`{ruleset}` has no scenario, and a play begins with one"
        remedy = f"write one beside it; `rulewright schema {ruleset} scenario` says what stands in it"
        if plays.left_out:
            message = f"in no scenario of `{ruleset}` that was chosen does anybody have to answer"
            remedy = "name a scenario in which somebody chooses or rolls"
        raise make_stop("RW0798", message, remedy)
    return plays


def _make_page_texts(
    program: Program, loaded: LoadedRuleset, plays: _GatheredPlays, seed: int | None
) -> Mapping[str, Any]:
    facts = tuple(list_edition_facts(program, loaded))
    chosen = fold_chosen_readings(program)
    all_facts = (*facts, *list_reading_facts(program))
    chapter = make_chapter(chosen.program, loaded.texts, all_facts, chosen.settled)
    return {
        "version": _PAGE_VERSION,
        "ruleset": program.name,
        "title": program.title,
        "revision": program.revision,
        "fingerprint": program.fingerprint,
        "seed": seed,
        "made": {"rulewright": __version__, "pyodide": read_engine_facts()["pyodide"]},
        "chapter": render_template("chapter.html", chapter),
        "sheet": render_template("sheet.html", make_reference_sheet(chosen.program, facts)),
        "scenarios": plays.summaries,
    }
