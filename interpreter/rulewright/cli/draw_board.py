"""The boards of scenarios and states for `draw` and `read`: found, looked at as everybody may, and put on a page."""

from base64 import b64encode
from dataclasses import replace
from pathlib import PurePath

import click

from rulewright.boards.board_page import board_page
from rulewright.boards.drawn_board import drawn_board, marks_of, spot_of
from rulewright.boards.drawn_plane import drawn_plane, search_of, spot_on
from rulewright.boards.plane_page import plane_page
from rulewright.boards.text_art import text_art
from rulewright.chapter.document import Example
from rulewright.cli.loading import load_program
from rulewright.cli.opening import Asked, PlayToBegin, is_scenario, open_play, situation_in
from rulewright.cli.output import Stop, complaint, stopped
from rulewright.cli.reports import rendered
from rulewright.diagnostics import Diagnostic
from rulewright.drivers.chance import Chance
from rulewright.drivers.run import run
from rulewright.drivers.sources import Sources
from rulewright.frozen import dataclass
from rulewright.inputs.findings import one_of, quoted
from rulewright.inputs.names import Names, Sections
from rulewright.machine.compile import compile_program
from rulewright.machine.executable import Executable
from rulewright.machine.request import Request
from rulewright.machine.run import Paused
from rulewright.machine.state import Situation
from rulewright.machine.view import View
from rulewright.program.declarations import Board, Program
from rulewright.program.types import GRIDS
from rulewright.telling.conditions import spoken


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a command line asks to draw."""

    ruleset: str  # it, or a scenario file
    case: str | None  # the scenario of the file, or none where it has one alone
    state: str | None  # a state file, which a ruleset needs
    overlays: tuple[str, ...]  # files that amend the ruleset
    board: str | None  # the name of a board, or none where there is one alone
    around: str | None  # a cell or an id, or none
    form: str  # `svg` or `text`
    script: str | None  # answers in place of those of the scenario, or none
    ended: bool  # whether the script of the scenario is played first


@dataclass(frozen=True, slots=True)
class _Moment:
    """How a game stands, as everybody may see it, and what is asked then."""

    situation: Situation
    names: Names
    request: Request | None = None


def board_drawn(wanted: Wanted) -> str:
    """The board as SVG or text.

    Raises:
        Stop: what is named cannot be read; RW0796, there is no such board, or no such place on it.
        UsageError: the plane is to be drawn as text.
    """
    moment = _moment(wanted)
    board = _chosen(wanted, moment.names.program)
    if board.space in GRIDS:
        return _cells_drawn(board, moment, wanted)
    if wanted.form == "text":
        raise click.UsageError("the plane is drawn as svg, not as text")
    search = search_of(moment.request, moment.situation, moment.names) if moment.request is not None else None
    made = drawn_plane(board, moment.situation, moment.names, search, wanted.around or "")
    if wanted.around is not None and spot_on(wanted.around, made.standing) is None:
        raise Stop([_no_place(wanted.around, board, f"a point in {board.unit}, such as `3.5,2`")])
    return rendered("plane.svg", plane_page(made))


def examples(ruleset: str, place: str, overlays: tuple[str, ...]) -> tuple[Example, ...]:
    """The boards of a state, as a chapter shows them.

    Raises:
        Stop: the state cannot be read or does not fit; RW0788, it is a scenario; RW0796, there is no board.
    """
    if is_scenario(place):
        remedy = "name a file that holds a state alone"
        raise stopped("RW0788", f"`{place}` is a whole scenario, not a state alone", remedy)
    moment = _of_state(ruleset, place, overlays)
    boards = moment.names.program.boards.values()
    if not boards:
        raise stopped("RW0796", f"{quoted(ruleset)} has no board")
    of = PurePath(place).name
    return tuple(_example(each, moment, f"The {spoken(each.name)} of {of}") for each in boards)


def _example(board: Board, moment: _Moment, title: str) -> Example:
    if board.space in GRIDS:
        made = drawn_board(board, moment.situation, moment.names)
        return Example(title, tuple(text_art(made)), _address(rendered("board.svg", board_page(made))))
    made_plane = drawn_plane(board, moment.situation, moment.names)
    return Example(title, (), _address(rendered("plane.svg", plane_page(made_plane))))


def _address(svg: str) -> str:
    return f"data:image/svg+xml;base64,{b64encode(svg.encode()).decode()}"


def _cells_drawn(board: Board, moment: _Moment, wanted: Wanted) -> str:
    marks = marks_of(moment.request, moment.names) if moment.request is not None else {}
    made = drawn_board(board, moment.situation, moment.names, marks)
    around = spot_of(wanted.around, made) if wanted.around is not None else None
    if wanted.around is not None and around is None:
        raise Stop([_no_place(wanted.around, board, "a cell as states write it, such as `2,1`")])
    if wanted.form == "text":
        return "".join(f"{line}\n" for line in text_art(made, around, "`--around` shows another part"))
    return rendered("board.svg", board_page(made, around))


def _no_place(written: str, board: Board, form: str) -> Diagnostic:
    message = f"{quoted(written)} is not a place on `{board.name}`, and no thing there has this name"
    return complaint("RW0796", message, f"name {form}, or a thing by its id")


def _moment(wanted: Wanted) -> _Moment:
    if wanted.state is not None and not is_scenario(wanted.ruleset):
        return _of_state(wanted.ruleset, wanted.state, wanted.overlays)
    unscripted = False
    asked = Asked(
        wanted.ruleset, wanted.case, wanted.overlays, wanted.state, (), (), wanted.script, unscripted, limits={}
    )
    opening = open_play(asked)
    return _at_end(opening) if wanted.ended else _seen(opening.begun.executable, opening.begun.situation)


def _of_state(ruleset: str, place: str, overlays: tuple[str, ...]) -> _Moment:
    program, _ = load_program(ruleset, overlays)
    situation, _ = situation_in(place, ruleset, program)
    return _seen(compile_program(program, traced=False), situation)


def _at_end(opening: PlayToBegin) -> _Moment:
    """The game where the script leaves off, with what is asked then and everybody may see."""
    begun, seed = opening.begun, opening.case.seed if opening.case is not None else None
    sources = Sources(begun.names, Chance(seed or 0), opening.script, rolls=seed is not None)
    session = run(begun, sources).session
    state, outcome = session.state, session.outcome
    moment = _seen(begun.executable, begun.situation if state is None else state.situation())
    if not isinstance(outcome, Paused):
        return moment
    return replace(moment, request=View(begun.executable, None).request(outcome.request))


def _seen(executable: Executable, situation: Situation) -> _Moment:
    return _Moment(View(executable, None).situation(situation), Names(executable.program, situation.base))


def _chosen(wanted: Wanted, program: Program) -> Board:
    boards, named = program.boards, Sections(program).boards.get(wanted.board or "")
    if named is not None or (wanted.board is None and len(boards) == 1):
        return named or next(iter(boards.values()))
    if not boards:
        raise stopped("RW0796", f"{quoted(wanted.ruleset)} has no board")
    message = f"there is no board {quoted(wanted.board)}" if wanted.board else f"there are {len(boards)} boards"
    raise stopped("RW0796", message, f"say which: `--board` with {one_of(list(boards))}")
