"""The verb `draw`: a procedure as a flow chart, perhaps marked by coverage or by changes, or the board of a scenario or state."""

import posixpath
from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import Any

import click

from rulewright.base.diagnostics import make_visible
from rulewright.base.frozen import dataclass
from rulewright.base.source import Span, Text
from rulewright.cli.command_files import SVG_PREFIX, files_for, read_text, require_overwritable, write_file
from rulewright.cli.options import (
    ChoiceOption,
    allow_option,
    argument,
    flag,
    option,
    overlay_option,
    several,
    verb_command,
)
from rulewright.cli.output import CommandStop, ExitCode, make_output, make_stop
from rulewright.cli.play_opening import (
    PlayRequest,
    choose_procedure,
    find_case_by_name,
    is_scenario_path,
    open_play,
    read_cases,
    read_situation,
)
from rulewright.cli.reports import render_template
from rulewright.cli.ruleset_loading import load_program, unwrap_or_stop
from rulewright.documents.findings import list_alternatives, quote_name
from rulewright.documents.name_table import StateSections
from rulewright.documents.procedure_arguments import find_procedure
from rulewright.documents.ruleset_location import locate_ruleset
from rulewright.play.answer_sources import AnswerSourceChain
from rulewright.play.board_svg import lay_out_board
from rulewright.play.grid_drawing import answer_marks, draw_board, find_cell, render_text_board
from rulewright.play.plane_drawing import draw_plane, find_point, lay_out_plane, search_placement
from rulewright.play.public_position import (
    PublicPosition,
    list_session_boards,
    make_public_position,
    view_session_position,
)
from rulewright.play.seeded_random import SeededRandom
from rulewright.play.session import run_to_end
from rulewright.program.declarations import Board, Procedure, Program
from rulewright.program.types import GRID_STEPS
from rulewright.runtime.executable import compile_program
from rulewright.runtime.faults import RunLimits
from rulewright.scenarios.case_opening import RulesetLoader, open_case
from rulewright.scenarios.case_play import excerpt_play
from rulewright.scenarios.scenario_files import all_cases, read_suites
from rulewright.wording.chapter_document import BoardExample, PlayExample, make_data_url
from rulewright.wording.chart_rendering import lay_out_chart, render_graphviz, render_mermaid
from rulewright.wording.english import first_upper, speak_name
from rulewright.wording.flow_chart import FlowChart, make_chart
from rulewright.wording.sentences import make_anchor

_CHART_FORMATS = ("svg", "mermaid", "dot")
_BOARD_FORMATS = ("svg", "text")
_FORMAT_PREFIXES = {"svg": SVG_PREFIX, "mermaid": "flowchart TD", "dot": "digraph {", "text": "", "json": "{"}
"""First characters, by format, of files that may be overwritten; a text board is never overwritten."""


@verb_command("draw")
def command(  # noqa: PLR0913 - one parameter for each option
    *,
    ruleset: str = argument("RULESET|SCENARIO"),
    procedure: str | None = argument("[PROCEDURE|CASE]", required=False),
    state: str | None = option("--state", "FILE", "draw the board of this state of RULESET"),
    ended: bool = flag("--end", "draw the board as it is after the script of SCENARIO"),
    script: str | None = option("--script", "FILE", "with --end: use this script instead"),
    name: str | None = option("--board", "NAME", "which board, if there are several"),
    around: str | None = option("--around", "PLACE", "draw the part around a cell, `2,1`, or around a thing"),
    form: str = option(
        "--as",
        "",
        "svg (unless given), mermaid or dot; text; json, for programs: of each SCENARIO the boards before and after it",
        ChoiceOption((*_CHART_FORMATS, "text", "json")),
        default="svg",
    ),
    places: tuple[str, ...] = several("--cover", "PATH", "colour a chart by what these scenarios reach"),
    before: str | None = option("--against", "OLD", "colour a chart by what changed since OLD, a ruleset or REV:PLACE"),
    at: str | None = option("--at", "FILE:LINE", "draw the procedure at this line of the rules"),
    is_placed: bool = flag(
        "--places",
        "print as JSON where each box of a chart is, and its lines; of a board its cells, and what may stand there",
    ),
    file: str | None = option("--write", "FILE", "write it to a file"),
    overlays: tuple[str, ...] = overlay_option,
    _allow: Any = allow_option,
) -> int:
    """Draws a procedure as a flow chart, with its steps in the book's order, or the board of a state or scenario.

    If RULESET has one procedure, you need not name it. --cover marks what scenarios reach and what they never reach;
    --against marks what is new, changed and gone. You can read the marks without seeing their colours.

    For a SCENARIO, a file whose name ends in .scenario.yaml, and with --state it draws the board, as SVG or as text.
    CASE is a scenario of the file, or a part of its name.

    Example: `rulewright draw pig turn --as mermaid`.
    """
    require_overwritable(file, _FORMAT_PREFIXES[form])
    if script is not None and not ended:
        raise click.UsageError("`--script` does nothing without `--end`")
    is_board = state is not None or is_scenario_path(ruleset)
    if form == "json":
        others = (state, ended, name, around, places, before, at, is_placed, file)
        if not is_scenario_path(ruleset) or any(others):
            raise click.UsageError("`--as json` draws the boards of a SCENARIO, and takes no other option")
        make_output("json").print_json(scenario_scenes_json(ruleset, procedure or ""))
        return ExitCode.SUCCESS
    if is_board:
        _reject_undrawable_board(form, ruleset, procedure, ended=ended)
    elif ended or name or around or form not in _CHART_FORMATS:
        raise click.UsageError("a board is drawn of a SCENARIO, or of a RULESET with `--state FILE`")
    if (places or before) and (is_board or (places and before)):
        raise click.UsageError("`--cover` and `--against` colour a chart, either of them")
    if is_board and (at or (is_placed and file)):
        raise click.UsageError("`--at`, and `--places` with `--write`, are for charts")
    board = BoardRequest(ruleset, procedure, state, overlays, name, around, form, script, is_at_end=ended)
    if is_placed:
        placed = position_json(board) if is_board else chart_places_json(ruleset, procedure, overlays, at, file)
        make_output("json").print_json(placed)
        return ExitCode.SUCCESS
    if is_board:
        drawn = render_requested_board(board)
    else:
        drawn = _render_chart(_make_marked_chart(ruleset, procedure, at, overlays, places, before), form)
    if file is not None:
        write_file(Path(file), drawn)
    else:
        make_output("plain").print_text(drawn)
    return ExitCode.SUCCESS


def _reject_undrawable_board(form: str, ruleset: str, procedure: str | None, *, ended: bool) -> None:
    message = ""
    if form not in _BOARD_FORMATS:
        message = f"a board is drawn as svg or text, not as {form}"
    elif not is_scenario_path(ruleset) and procedure is not None:
        message = f"the board of a state needs no procedure, so there is no place for `{procedure}`"
    elif not is_scenario_path(ruleset) and ended:
        message = "`--end` plays the script of a SCENARIO, and a state has none"
    if message:
        raise click.UsageError(message)


def _make_marked_chart(  # noqa: PLR0913, PLR0917 - what is drawn, and how it is marked
    ruleset: str,
    procedure: str | None,
    at: str | None,
    overlays: tuple[str, ...],
    places: tuple[str, ...],
    before: str | None,
) -> FlowChart:
    if before is not None:
        return mark_chart_changes(before, ruleset, procedure, overlays, at)
    program, _ = load_program(ruleset, overlays)
    if procedure is None and at is not None:
        charted = require_procedure_at(at, program)
    else:
        charted = _choose_charted_procedure(procedure, program, ruleset)
    chart = make_chart(charted, program)
    return mark_chart_coverage(chart, program, ruleset, places) if places else chart


def _choose_charted_procedure(name: str | None, program: Program, ruleset: str) -> Procedure:
    """The procedure of a name, inner ones included, else the only one that can be begun."""
    if name is None:
        return choose_procedure(None, program, None, ruleset)
    return unwrap_or_stop(find_procedure(name, program, inner=True))


def _render_chart(chart: FlowChart, form: str) -> str:
    match form:
        case "mermaid":
            return render_mermaid(chart)
        case "dot":
            return render_graphviz(chart)
        case _:
            return render_template("chart.svg", lay_out_chart(chart))


@dataclass(frozen=True, slots=True)
class BoardRequest:
    """Arguments of a command line that draws a board."""

    ruleset: str  # ruleset or scenario file
    case: str | None  # name of the scenario; None: the only one
    state: str | None  # state file; needed for a ruleset
    overlays: tuple[str, ...]
    board: str | None  # name; None: the only one
    around: str | None  # cell or id of a thing
    form: str  # `svg` or `text`
    script: str | None  # script file that replaces that of the scenario
    is_at_end: bool  # draw the board after the script of the scenario


def render_requested_board(request: BoardRequest) -> str:
    """The requested board as SVG or text.

    Raises:
        CommandStop: an input cannot be read; RW0796, there is no such board, or no such place on it.
        UsageError: the plane is to be drawn as text.
    """
    moment = _resolve_position(request)
    board, around = _choose_board(request, moment.names.program), request.around
    if board.space in GRID_STEPS:
        marks = answer_marks(moment.request, moment.names) if moment.request is not None else {}
        grid = draw_board(board, moment.situation, moment.names, marks)
        cell = None if around is None else find_cell(around, grid)
        if around is not None and cell is None:
            raise _unknown_place_stop(around, board, "a cell as states write it, such as `2,1`")
        if request.form == "text":
            return "".join(f"{line}\n" for line in render_text_board(grid, cell, "`--around` shows another part"))
        return lay_out_board(grid, cell).svg
    if request.form == "text":
        raise click.UsageError("the plane is drawn as svg, not as text")
    search = search_placement(moment.request, moment.situation, moment.names) if moment.request is not None else None
    drawing = draw_plane(board, moment.situation, moment.names, search, around or "")
    if around is not None and find_point(around, drawing.placed_figures) is None:
        raise _unknown_place_stop(around, board, f"a point in {board.unit}, such as `3.5,2`")
    return lay_out_plane(drawing).svg


def _unknown_place_stop(written: str, board: Board, form: str) -> CommandStop:
    message = f"{quote_name(written)} is not a place on `{board.name}`, and no thing there has this name"
    return make_stop("RW0796", message, f"name {form}, or a thing by its id")


def scenario_scenes_json(place: str, name: str) -> dict[str, Any]:
    """Of each scenario of a file whose name has `name`: its start, its boards before and after its play, its story.

    Those that cannot begin are left out; `test` says why.

    Raises:
        CommandStop: the file cannot be read.
    """
    rules = RulesetLoader(files_for(place))
    suites = unwrap_or_stop(read_suites([place], rules), *rules.texts.values())
    cases = [case for case in all_cases(suites) if not case.problems and name.lower() in case.name.lower()]
    scenes = []
    for case in cases:
        opened = open_case(case, rules, RunLimits()).value
        if opened is None:
            continue
        start, session = opened.start, run_to_end(opened.start, opened.make_sources(case, 0)).session
        scenes.append(
            {
                "file": case.file,
                "name": case.name,
                "procedure": start.procedure.name,
                "title": start.procedure.title,
                "with": start.arguments_to_json(),
                "boards": list_session_boards(session),
                "told": list(excerpt_play(session).lines),
            }
        )
    return {"version": 1, "scenes": scenes}


def make_play_examples(written: Sequence[str], ruleset: str) -> list[PlayExample]:
    """Scenarios `FILE::NAME` as examples of play of the chapter of a ruleset.

    Raises:
        CommandStop: one cannot be read or begun.
        click.UsageError: it plays other rules.
    """
    named = [one.partition("::") for one in written]
    rules, examples = RulesetLoader(files_for(*(place for place, _, _ in named))), []
    identify = rules.provider.get_identity
    for each, (place, _, name) in zip(written, named, strict=True):
        case = find_case_by_name(name or None, {case.name: case for case in read_cases(place, rules)}, place)
        mains = [locate_ruleset(one, rules.provider).main or "" for one in (case.ruleset, ruleset)]
        if identify(mains[0]) != identify(mains[1]):
            raise click.UsageError(f"`{make_visible(each)}` plays other rules than those of this chapter")
        opened = unwrap_or_stop(open_case(case, rules, RunLimits()), *rules.texts.values())
        session = run_to_end(opened.start, opened.make_sources(case, 0)).session
        boards = [
            BoardExample(
                f"{first_upper(speak_name(board['board']))} {when}",
                (),
                make_data_url("image/svg+xml", board[moment].encode()),
            )
            for board in list_session_boards(session)
            for when, moment in (("before", "begins"), ("after", "ends"))
        ]
        anchor = make_anchor("procedure", opened.start.procedure.name)
        examples.append(PlayExample(case.name, anchor, tuple(excerpt_play(session).lines), tuple(boards)))
    return examples


def make_board_examples(ruleset: str, place: str, overlays: tuple[str, ...]) -> tuple[BoardExample, ...]:
    """Drawings of all boards of a state file, as figures of a chapter.

    Raises:
        CommandStop: the state cannot be read or does not fit; RW0788, it is a scenario; RW0796, there is no board.
    """
    if is_scenario_path(place):
        remedy = "name a file that holds a state alone"
        raise make_stop("RW0788", f"`{place}` is a whole scenario, not a state alone", remedy)
    moment = _position_of_state(ruleset, place, overlays)
    boards = moment.names.program.boards.values()
    if not boards:
        raise make_stop("RW0796", f"{quote_name(ruleset)} has no board")
    examples = []
    for board in boards:
        drawing = draw_board(board, moment.situation, moment.names) if board.space in GRID_STEPS else None
        text = () if drawing is None else tuple(render_text_board(drawing))
        title = f"The {speak_name(board.name)} of {PurePath(place).name}"
        examples.append(BoardExample(title, text, make_data_url("image/svg+xml", moment.draw_svg(board).encode())))
    return tuple(examples)


def _resolve_position(request: BoardRequest) -> PublicPosition:
    if request.state is not None and not is_scenario_path(request.ruleset):
        return _position_of_state(request.ruleset, request.state, request.overlays)
    opening = open_play(_make_play_request(request))
    start, seed = opening.start, opening.case.seed if opening.case is not None else None
    if not request.is_at_end:
        return make_public_position(start.executable, start.situation)
    chance, is_seeded = SeededRandom(seed or 0), seed is not None
    sources = AnswerSourceChain(start.names, chance, opening.script, has_seeded_dice=is_seeded)
    return view_session_position(run_to_end(start, sources).session)


def _make_play_request(request: BoardRequest) -> PlayRequest:
    return PlayRequest(request.ruleset, request.case, request.state, overlays=request.overlays, script=request.script)


def position_json(request: BoardRequest) -> dict[str, Any]:
    """JSON of a position for whoever changes it by clicking.

    Raises:
        CommandStop: an input cannot be read.
    """
    from rulewright.studio.position_places import position_to_json  # noqa: PLC0415 - only the workbench asks

    if request.state is not None and not is_scenario_path(request.ruleset):
        program, _ = load_program(request.ruleset, request.overlays)
        situation = read_situation(request.state, request.ruleset, program)
        return position_to_json(situation, program)
    start = open_play(_make_play_request(request)).start
    return position_to_json(start.situation, start.executable.program)


def _position_of_state(ruleset: str, place: str, overlays: tuple[str, ...]) -> PublicPosition:
    program, _ = load_program(ruleset, overlays)
    situation = read_situation(place, ruleset, program)
    return make_public_position(compile_program(program, traced=False), situation)


def _choose_board(request: BoardRequest, program: Program) -> Board:
    boards, named = program.boards, StateSections(program).boards.get(request.board or "")
    if named is not None or (request.board is None and len(boards) == 1):
        return named or next(iter(boards.values()))
    if not boards:
        raise make_stop("RW0796", f"{quote_name(request.ruleset)} has no board")
    message = f"there is no board {quote_name(request.board)}" if request.board else f"there are {len(boards)} boards"
    raise make_stop("RW0796", message, f"say which: `--board` with {list_alternatives(list(boards))}")


def mark_chart_coverage(chart: FlowChart, program: Program, ruleset: str, places: tuple[str, ...]) -> FlowChart:
    """A chart marked by the coverage of scenarios; stops with RW1160 where none plays the ruleset."""
    from rulewright.cli.cover import play_for_coverage  # noqa: PLC0415 - seldom wanted
    from rulewright.scenarios.coverage_report import classify_units, mark_chart  # noqa: PLC0415
    from rulewright.scenarios.reached_units import CoveragePlayer  # noqa: PLC0415

    player = CoveragePlayer(files_for(ruleset, *places))
    played, exclusions, _ = play_for_coverage(places, player, make_output("plain"))
    wrong = tuple(dict.fromkeys(one for each in played for one in each.result.problems))
    if wrong:
        raise CommandStop(wrong, player.loader.texts)
    excluded = [one for each in exclusions.values() for one in each]
    units, coverage = classify_units(program, played, excluded, player.loader.provider.get_identity)
    if not coverage:
        named = ", ".join(f"`{place}`" for place in places)
        remedy = "name the scenarios of the ruleset that is drawn, or their folder"
        raise make_stop("RW1160", f"no scenario of {named} plays `{ruleset}`", remedy)
    return mark_chart(chart, units, coverage)


def mark_chart_changes(
    before: str, ruleset: str, procedure: str | None, overlays: tuple[str, ...], at: str | None = None
) -> FlowChart:
    """A chart marked by the differences from the older ruleset `before`; overlays amend the newer one.

    It is that of the named procedure, else of the one at `FILE:LINE` of the newer ruleset, else of its only one.

    Raises:
        CommandStop: one of them cannot be read or has errors, or neither has such a procedure; RW1208, none
            stands at the line.
    """
    from rulewright.cli.diff_result import ComparedPair, SideRequest, load_side, resolve_side  # noqa: PLC0415 - seldom wanted
    from rulewright.diff.comparison_chart import build_comparison_chart  # noqa: PLC0415
    from rulewright.diff.edit_report import render_edits  # noqa: PLC0415

    old = load_side(resolve_side("OLD", before, ()))
    new = load_side(SideRequest("NEW", ruleset, ruleset, files_for(ruleset, before, *overlays), overlays))
    comparison = ComparedPair(old, new).comparison
    worded_edits = render_edits(comparison, comparison.word_edits())
    placed_procedure = None if procedure or at is None else require_procedure_at(at, new.program)
    name = procedure or (placed_procedure or choose_procedure(None, new.program, None, ruleset)).name
    chart = build_comparison_chart(name, comparison, worded_edits)
    if chart is None:
        _choose_charted_procedure(procedure, new.program, ruleset)
    assert chart is not None
    return chart


PLACES_FORMAT_VERSION = 1


class LineLocator:
    """Line numbers of spans; texts are read on first use."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Text, dict[int, int]]] = {}

    def locate_span(self, span: Span) -> dict[str, Any]:
        """JSON of a span: `file`, first `line`, and as `end` the last line of the indented block below its head."""
        from rulewright.editor.text_decorations import list_folding_ranges  # noqa: PLC0415 - for programs

        if span.source not in self._known:
            text = read_text(span.source)
            self._known[span.source] = text, {one.first: one.last for one in list_folding_ranges(text)}
        text, lasts = self._known[span.source]
        first, last = text.get_position(span.start).line, text.get_position(max(span.start, span.end - 1)).line
        return {"file": span.source, "line": first, "end": max(last, lasts.get(first, last))}


def chart_places_json(
    ruleset: str, name: str | None, overlays: tuple[str, ...], at: str | None, file: str | None
) -> dict[str, Any]:
    """JSON of the procedures of a ruleset, and of the boxes of one chart with their lines and positions; every key is there.

    The chart is that of the named procedure, else the one at a line, else the first of that file, else the first of
    all; None where there is none.

    Raises:
        CommandStop: the ruleset cannot be read or has errors, there is no such procedure, or the file cannot be written.
    """
    program, _ = load_program(ruleset, overlays)
    lines = LineLocator()
    procedure = _choose_placed_procedure(name, at, program)
    data: dict[str, Any] = {
        "version": PLACES_FORMAT_VERSION,
        "procedure": procedure and procedure.name,
        "procedures": [
            {"name": item.name, "title": item.title, **lines.locate_span(item.span)}
            for item in program.procedures.values()
        ],
        "width": 0,
        "height": 0,
        "boxes": [],
    }
    if procedure is None:
        return data
    chart = make_chart(procedure, program)
    page = lay_out_chart(chart)
    spans = {procedure.name: procedure.span, **{step.address: step.span for step in procedure.steps}}
    boxes = []
    for box, drawn in zip(chart.boxes, page.boxes, strict=False):
        corners = {"x": drawn.x, "y": drawn.y, "width": drawn.width, "height": drawn.height}
        boxes.append({"id": box.id, "title": box.title, **lines.locate_span(spans[box.address]), **corners})
    if file is not None:
        write_file(Path(file), render_template("chart.svg", page))
    return {**data, "width": page.width, "height": page.height, "boxes": boxes}


def _choose_placed_procedure(name: str | None, at: str | None, program: Program) -> Procedure | None:
    if name is not None:
        return unwrap_or_stop(find_procedure(name, program, inner=True))
    placed = _find_procedure_at(at, program) if at is not None else None
    beside = [one for one in program.procedures.values() if at is not None and _is_in_file(at.rpartition(":")[0], one)]
    return placed or next(iter([*beside, *program.procedures.values()]), None)


def require_procedure_at(at: str, program: Program) -> Procedure:
    """The procedure at `FILE:LINE`; stops with RW1208 if there is none, or no such file."""
    result = _find_procedure_at(at, program)
    if result is None:
        raise make_stop("RW1208", f"there is no procedure at `{at}`", "name a line of a procedure")
    return result


def _is_in_file(file: str, procedure: Procedure) -> bool:
    return posixpath.normpath(procedure.span.source) == posixpath.normpath(file)


def _find_procedure_at(at: str, program: Program) -> Procedure | None:
    file, _, number = at.rpartition(":")
    line = int(number) if number.isascii() and number.isdecimal() else 0
    lines = LineLocator()
    for procedure in program.procedures.values():
        if _is_in_file(file, procedure):
            place = lines.locate_span(procedure.span)
            if place["line"] <= line <= place["end"]:
                return procedure
    return None
