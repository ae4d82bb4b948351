"""The board of a scenario or a state for the verb `draw`: found, looked at as everybody may, and put on a page."""

from collections.abc import Mapping
from dataclasses import replace

from rulewright.boards.board_page import board_page
from rulewright.boards.drawn_board import DrawnBoard, drawn_board, marks_of, spot_of
from rulewright.boards.text_art import text_art
from rulewright.cli.loading import load_program, value_of
from rulewright.cli.named_files import files_for, read_text
from rulewright.cli.opening import Asked, Opening, is_scenario, open_play
from rulewright.cli.output import Stop, complaint
from rulewright.cli.reports import rendered
from rulewright.drivers.chance import Chance
from rulewright.drivers.run import run
from rulewright.drivers.sources import Sources
from rulewright.frozen import dataclass
from rulewright.inputs.findings import one_of, quoted
from rulewright.inputs.names import Names
from rulewright.inputs.state_file import read_state
from rulewright.inputs.tables import Tables
from rulewright.machine.compile import compile_program
from rulewright.machine.executable import Executable
from rulewright.machine.run import Paused
from rulewright.machine.state import Situation
from rulewright.machine.values import Cell
from rulewright.machine.view import View
from rulewright.program.declarations import Board


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a command line asks to draw.

    Attributes:
        ruleset: it, or a scenario file.
        case: the scenario of the file, or none where it has one alone.
        state: a state file, which a ruleset needs.
        overlays: files that amend the ruleset.
        board: the name of a board, or none where there is one alone.
        around: a cell or an id, or none.
        form: `svg` or `text`.
        ended: whether the script of the scenario is played first.
    """

    ruleset: str
    case: str | None
    state: str | None
    overlays: tuple[str, ...]
    board: str | None
    around: str | None
    form: str
    ended: bool


@dataclass(frozen=True, slots=True)
class _Moment:
    """How a game stands, as everybody may see it, and the cells among which is chosen."""

    situation: Situation
    names: Names
    marks: Mapping[Cell, str]


def board_drawn(wanted: Wanted) -> str:
    """The board as SVG or text.

    Raises:
        Stop: what is named cannot be read; RW0796, there is no such board, or no such place on it.
    """
    moment = _moment(wanted)
    board = _chosen(wanted, moment.names.program.boards, wanted.ruleset)
    made = drawn_board(board, moment.situation, moment.names, moment.marks)
    around = _around(wanted.around, made)
    if wanted.form == "text":
        return "".join(f"{line}\n" for line in text_art(made, around, "`--around` shows another part"))
    return rendered("board.svg", board_page(made, around))


def _moment(wanted: Wanted) -> _Moment:
    if wanted.state is not None and not is_scenario(wanted.ruleset):
        return _of_state(wanted.ruleset, wanted.state, wanted.overlays)
    asked = Asked(wanted.ruleset, wanted.case, wanted.overlays, wanted.state, (), (), None, unscripted=False, limits={})
    opening = open_play(asked)
    return _at_end(opening) if wanted.ended else _seen(opening.begun.executable, opening.begun.situation)


def _of_state(ruleset: str, place: str, overlays: tuple[str, ...]) -> _Moment:
    program, _ = load_program(ruleset, overlays)
    text, tables = read_text(place), Tables(files_for(ruleset, place), {})
    situation = value_of(read_state(text, program, (), tables), text, *tables.texts.values())
    return _seen(compile_program(program, traced=False), situation)


def _at_end(opening: Opening) -> _Moment:
    """The game where the script leaves off, with the numbers of the answers where a cell is asked for then."""
    begun, seed = opening.begun, opening.case.seed if opening.case is not None else None
    sources = Sources(begun.names, Chance(seed or 0), opening.script, rolls=seed is not None)
    session = run(begun, sources).session
    state, outcome = session.state, session.outcome
    moment = _seen(begun.executable, begun.situation if state is None else state.situation())
    return replace(moment, marks=marks_of(outcome.request)) if isinstance(outcome, Paused) else moment


def _seen(executable: Executable, situation: Situation) -> _Moment:
    return _Moment(View(executable, None).situation(situation), Names(executable.program, situation.base), {})


def _chosen(wanted: Wanted, boards: Mapping[str, Board], ruleset: str) -> Board:
    named = boards.get(wanted.board or "")
    if named is not None or (wanted.board is None and len(boards) == 1):
        return named or next(iter(boards.values()))
    if not boards:
        raise Stop([complaint("RW0796", f"{quoted(ruleset)} has no board")])
    message = f"there is no board {quoted(wanted.board)}" if wanted.board else f"there are {len(boards)} boards"
    raise Stop([complaint("RW0796", message, f"say which: `--board` with {one_of(list(boards))}")])


def _around(written: str | None, board: DrawnBoard) -> Cell | None:
    if written is None:
        return None
    found = spot_of(written, board)
    if found is None:
        message = f"no cell of `{board.name}` is written {quoted(written)}, and nothing that stands there is called so"
        raise Stop(
            [complaint("RW0796", message, "name a cell as states write it, such as `2,1`, or a thing by its id")]
        )
    return found
