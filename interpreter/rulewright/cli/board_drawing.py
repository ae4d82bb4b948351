"""Drawings of the boards of scenarios and states, from the public view, for `draw` and `read`."""

from base64 import b64encode
from dataclasses import replace
from pathlib import PurePath
from typing import Any

import click

from rulewright.base.diagnostics import Diagnostic
from rulewright.base.frozen import dataclass
from rulewright.cli.command_files import files_for
from rulewright.cli.output import CommandStop, make_error, make_stop
from rulewright.cli.play_opening import OpenedPlay, PlayRequest, is_scenario_path, open_play, read_situation
from rulewright.cli.ruleset_loading import load_program, unwrap_or_stop
from rulewright.documents.findings import list_alternatives, quote_name
from rulewright.documents.name_table import NameTable, StateSections
from rulewright.play.answer_sources import AnswerSourceChain
from rulewright.play.board_svg import render_board_svg, render_plane_svg
from rulewright.play.grid_drawing import answer_marks, draw_board, find_cell, lay_out_board, render_text_board
from rulewright.play.plane_drawing import draw_plane, find_point, lay_out_plane, search_placement
from rulewright.play.seeded_random import SeededRandom
from rulewright.play.session import Session, run_to_end
from rulewright.program.declarations import Board, Program
from rulewright.program.types import GRID_STEPS
from rulewright.runtime.executable import Executable, compile_program
from rulewright.runtime.faults import RunLimits
from rulewright.runtime.player_view import PlayerView
from rulewright.runtime.request import Request
from rulewright.runtime.run import Paused
from rulewright.runtime.state import Situation, State
from rulewright.scenarios.case_opening import OpenedCase, RulesetLoader, open_case
from rulewright.scenarios.case_play import excerpt_play
from rulewright.scenarios.scenario_files import all_cases, read_suites
from rulewright.scenarios.suite import ScenarioCase
from rulewright.wording.chapter_document import BoardExample
from rulewright.wording.condition_rendering import speak_name


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


@dataclass(frozen=True, slots=True)
class _PublicPosition:
    """A game state in the public view, with the pending question."""

    situation: Situation
    names: NameTable
    request: Request | None = None


def render_requested_board(request: BoardRequest) -> str:
    """The requested board as SVG or text.

    Raises:
        CommandStop: an input cannot be read; RW0796, there is no such board, or no such place on it.
        UsageError: the plane is to be drawn as text.
    """
    moment = _resolve_position(request)
    board = _choose_board(request, moment.names.program)
    if board.space in GRID_STEPS:
        return _render_grid_board(board, moment, request)
    if request.form == "text":
        raise click.UsageError("the plane is drawn as svg, not as text")
    search = search_placement(moment.request, moment.situation, moment.names) if moment.request is not None else None
    drawing = draw_plane(board, moment.situation, moment.names, search, request.around or "")
    if request.around is not None and find_point(request.around, drawing.placed_figures) is None:
        raise CommandStop([_unknown_place_error(request.around, board, f"a point in {board.unit}, such as `3.5,2`")])
    return render_plane_svg(lay_out_plane(drawing))


def scenario_scenes_json(place: str, name: str) -> dict[str, Any]:
    """Of each scenario of a file whose name has `name`: its start, its boards before and after its play, its story.

    Those that cannot begin are left out; `test` says why.

    Raises:
        CommandStop: the file cannot be read.
    """
    rules = RulesetLoader(files_for(place))
    suites = unwrap_or_stop(read_suites([place], rules), *rules.texts.values())
    cases = [case for case in all_cases(suites) if not case.problems and name.lower() in case.name.lower()]
    opened = [(case, open_case(case, rules, RunLimits()).value) for case in cases]
    return {
        "version": 1,
        "scenes": [_scene_json(case, opened_case) for case, opened_case in opened if opened_case is not None],
    }


def _scene_json(case: ScenarioCase, opened: OpenedCase) -> dict[str, Any]:
    start = opened.start
    session = run_to_end(start, opened.make_sources(case, 0)).session
    return {
        "file": case.file,
        "name": case.name,
        "procedure": start.procedure.name,
        "title": start.procedure.title,
        "with": start.arguments_to_json(),
        "boards": session_boards_json(session),
        "told": list(excerpt_play(session).lines),
    }


def session_boards_json(session: Session) -> list[dict[str, Any]]:
    """Each board as a drawing of the start, and of where the play is now, as everybody may see them."""
    start, state = session.start, session.state
    ends = state.extract_situation() if isinstance(state, State) else start.situation
    first_position, last_position = (
        _make_public_position(start.executable, situation) for situation in (start.situation, ends)
    )
    return [
        {
            "board": board.name,
            "begins": _draw_position(board, first_position),
            "ends": _draw_position(board, last_position),
        }
        for board in start.executable.program.boards.values()
    ]


def _draw_position(board: Board, moment: _PublicPosition) -> str:
    if board.space in GRID_STEPS:
        return render_board_svg(lay_out_board(draw_board(board, moment.situation, moment.names)))
    return render_plane_svg(lay_out_plane(draw_plane(board, moment.situation, moment.names)))


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
    of = PurePath(place).name
    return tuple(_make_board_example(board, moment, f"The {speak_name(board.name)} of {of}") for board in boards)


def _make_board_example(board: Board, moment: _PublicPosition, title: str) -> BoardExample:
    if board.space in GRID_STEPS:
        drawing = draw_board(board, moment.situation, moment.names)
        shown = _svg_data_url(_draw_position(board, moment))
        return BoardExample(title, tuple(render_text_board(drawing)), shown)
    return BoardExample(title, (), _svg_data_url(_draw_position(board, moment)))


def _svg_data_url(svg: str) -> str:
    return f"data:image/svg+xml;base64,{b64encode(svg.encode()).decode()}"


def _render_grid_board(board: Board, moment: _PublicPosition, request: BoardRequest) -> str:
    marks = answer_marks(moment.request, moment.names) if moment.request is not None else {}
    drawing = draw_board(board, moment.situation, moment.names, marks)
    around = find_cell(request.around, drawing) if request.around is not None else None
    if request.around is not None and around is None:
        raise CommandStop([_unknown_place_error(request.around, board, "a cell as states write it, such as `2,1`")])
    if request.form == "text":
        return "".join(f"{line}\n" for line in render_text_board(drawing, around, "`--around` shows another part"))
    return render_board_svg(lay_out_board(drawing, around))


def _unknown_place_error(written: str, board: Board, form: str) -> Diagnostic:
    message = f"{quote_name(written)} is not a place on `{board.name}`, and no thing there has this name"
    return make_error("RW0796", message, f"name {form}, or a thing by its id")


def _resolve_position(request: BoardRequest) -> _PublicPosition:
    if request.state is not None and not is_scenario_path(request.ruleset):
        return _position_of_state(request.ruleset, request.state, request.overlays)
    unscripted = False
    play_request = PlayRequest(
        request.ruleset, request.case, request.overlays, request.state, (), (), request.script, unscripted, limits={}
    )
    opening = open_play(play_request)
    return (
        _position_after_script(opening)
        if request.is_at_end
        else _make_public_position(opening.start.executable, opening.start.situation)
    )


def _position_of_state(ruleset: str, place: str, overlays: tuple[str, ...]) -> _PublicPosition:
    program, _ = load_program(ruleset, overlays)
    situation, _ = read_situation(place, ruleset, program)
    return _make_public_position(compile_program(program, traced=False), situation)


def _position_after_script(opening: OpenedPlay) -> _PublicPosition:
    start, seed = opening.start, opening.case.seed if opening.case is not None else None
    sources = AnswerSourceChain(start.names, SeededRandom(seed or 0), opening.script, has_seeded_dice=seed is not None)
    session = run_to_end(start, sources).session
    state, outcome = session.state, session.outcome
    moment = _make_public_position(start.executable, start.situation if state is None else state.extract_situation())
    if not isinstance(outcome, Paused):
        return moment
    return replace(moment, request=PlayerView(start.executable, None).mask_request(outcome.request))


def _make_public_position(executable: Executable, situation: Situation) -> _PublicPosition:
    return _PublicPosition(
        PlayerView(executable, None).mask_situation(situation), NameTable(executable.program, situation.base)
    )


def _choose_board(request: BoardRequest, program: Program) -> Board:
    boards, named = program.boards, StateSections(program).boards.get(request.board or "")
    if named is not None or (request.board is None and len(boards) == 1):
        return named or next(iter(boards.values()))
    if not boards:
        raise make_stop("RW0796", f"{quote_name(request.ruleset)} has no board")
    message = f"there is no board {quote_name(request.board)}" if request.board else f"there are {len(boards)} boards"
    raise make_stop("RW0796", message, f"say which: `--board` with {list_alternatives(list(boards))}")
