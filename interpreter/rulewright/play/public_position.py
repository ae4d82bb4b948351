"""Positions of a play as everybody may see them, and their boards as drawings."""

from rulewright.base.frozen import dataclass
from rulewright.documents.name_table import NameTable
from rulewright.play.board_svg import lay_out_board
from rulewright.play.grid_drawing import draw_board
from rulewright.play.plane_drawing import draw_plane, lay_out_plane
from rulewright.play.session import Session
from rulewright.program.declarations import Board
from rulewright.program.types import GRID_STEPS
from rulewright.runtime.executable import Executable
from rulewright.runtime.player_view import PlayerView
from rulewright.runtime.request import Request
from rulewright.runtime.run import Paused
from rulewright.runtime.state import Situation


@dataclass(frozen=True, slots=True)
class PublicPosition:
    """A game state in the public view, with the pending question."""

    situation: Situation
    names: NameTable
    request: Request | None = None

    def draw_svg(self, board: Board) -> str:
        """A whole board, without marks."""
        if board.space in GRID_STEPS:
            return lay_out_board(draw_board(board, self.situation, self.names)).svg
        return lay_out_plane(draw_plane(board, self.situation, self.names)).svg


def make_public_position(
    executable: Executable, situation: Situation, request: Request | None = None
) -> PublicPosition:
    """What of a situation and a question everybody may see."""
    view = PlayerView(executable, None)
    shown = None if request is None else view.mask_request(request)
    return PublicPosition(view.mask_situation(situation), NameTable(executable.program, situation.base), shown)


def view_session_position(session: Session) -> PublicPosition:
    """Where a session stands."""
    request = session.outcome.request if isinstance(session.outcome, Paused) else None
    return make_public_position(session.start.executable, session.situation, request)


def list_session_boards(session: Session) -> list[dict[str, str]]:
    """Each board as a drawing of the start, and of where the play is now."""
    start = session.start
    first, last = make_public_position(start.executable, start.situation), view_session_position(session)
    return [
        {"board": board.name, "begins": first.draw_svg(board), "ends": last.draw_svg(board)}
        for board in start.executable.program.boards.values()
    ]
