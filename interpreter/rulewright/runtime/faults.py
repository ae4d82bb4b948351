"""What stops a run: limits, faults with a code, and requests for external values."""

from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

from rulewright.program.board_geometry import convert_from_axial
from rulewright.program.types import MAX_DICE, WHOLE, Type
from rulewright.runtime.values import Value

OUT_OF_BOUNDS = "RW0801"  # a value outside the bounds of its slot
NONE_THERE = "RW0802"  # none where a value is needed
NO_ROOM_FOR_AMOUNT = "RW0803"  # a number added or taken without room
DIVISION_BY_ZERO = "RW0804"  # a division by zero
NOT_EXACTLY_ONE = "RW0805"  # `the` that finds none or several
NO_SUCH_PLACE = "RW0806"  # a position outside a list, or a direction to the same cell
NOTHING_TO_COMPARE = "RW0807"  # the least or greatest of nothing
NO_LEGAL_ANSWER = "RW0808"  # a decision or draw without any possible answer
NEED_FAILED = "RW0809"  # an opening condition that does not hold in an inner call
INVARIANT_BROKEN = "RW0810"  # an `always` that does not hold
LOOP_TOO_LONG = "RW0811"  # a loop that goes on at its bound
JUMPED_TOO_OFTEN = "RW0812"  # a jump upwards beyond its bound
NESTED_TOO_DEEP = "RW0813"  # a `perform` nested beyond its bound
MEASURE_NOT_LOWERED = "RW0814"  # a standing rule whose measure did not fall
OUT_OF_PLAY = "RW0815"  # a thing out of play that should move, turn or be placed
NO_ROW_COVERS = "RW0816"  # rows that cover no case
NOT_A_PAIR = "RW0817"  # `other` without a set of two
NOT_RUNNING = "RW0819"  # `finish` of a procedure that is not running
OFF_BOARD = "RW0820"  # a thing that would leave the board
NOT_IN_LIST = "RW0821"  # a member taken that is not there
NOT_ON_BOARD = "RW0822"  # a distance from something that is not on the board
RANK_LEFT_EQUAL = "RW0835"  # members of a rank that every key leaves equal
DICE_ALWAYS_EQUAL = "RW0836"  # dice of a rank that always fall alike
SIZE_LIMIT = "RW0851"  # values larger than the limit, or one number of too many digits
WORK_LIMIT = "RW0901"  # more lines, rounds, visits and calls than the limit
DEPTH_LIMIT = "RW0902"  # more calls inside each other than the limit
MEMBER_LIMIT = "RW0903"  # a larger collection than the limit
DICE_LIMIT = "RW0904"  # more dice in one roll than the limit
PATH_LIMIT = "RW0906"  # more places on the ways of a paths term than the limit
LIMIT_CODES = frozenset({SIZE_LIMIT, WORK_LIMIT, DEPTH_LIMIT, MEMBER_LIMIT, DICE_LIMIT, PATH_LIMIT})
"""Faults that depend on limits, not on the rules alone."""
REMEDIES = {
    LOOP_TOO_LONG: "write a higher bound after `at most`, or leave the loop with `stop`",
    JUMPED_TOO_OFTEN: "write a higher bound after `at most`, or a condition before it that does not hold for ever",
    NESTED_TOO_DEEP: "write a higher bound before `deep`, or a condition before it that does not hold for ever",
    MEASURE_NOT_LOWERED: "write after `lowers` what becomes smaller each time it fires",
    SIZE_LIMIT: "`--max-size N` lets a play make more; a number has 4,000 digits at most",
    WORK_LIMIT: "`--max-steps N` lets a play go on for longer",
    DEPTH_LIMIT: "`--max-depth N` lets the procedures of a play go deeper; terms that call each other have to be fewer",
    MEMBER_LIMIT: "`--max-members N` lets a play hold more",
    DICE_LIMIT: "`--max-dice N` lets a play roll more",
}
"""Remedies of faults by code."""
STALEMATE_REMEDY = "write a rule for the stalemate: leave with `finish` where a round changes nothing"
"""Remedy of a bound reached in a stalemate."""


@dataclass(frozen=True, slots=True)
class RunLimits:
    """Upper bounds of what a run may use."""

    work: int = 5_000_000  # lines and rounds run, members of collections visited, calls (RW0901)
    depth: int = 200  # calls, windows and settlings inside each other (RW0902)
    members: int = 100_000  # size of one collection (RW0903)
    dice: int = MAX_DICE  # dice of one roll (RW0904)
    # members of new collections, words of numbers, and trace entries times ten (RW0851)
    size: int = 10_000_000
    # nodes searched for the legal answers of a pick, split or order; beyond it an answer counts as possible
    nodes: int = 10_000
    claim: int = 10_000_000  # nodes searched where a player claims that there is no legal answer
    # whether a traced run also asks where only one answer is legal, to show refusals
    forced: bool = False
    forced_sites: frozenset[int] = frozenset()  # sites at which a traced run also asks where only one answer is legal

    def must_ask(self, site: int) -> bool:
        """Whether a traced run asks at a site even if only one answer is legal."""
        return self.forced or site in self.forced_sites


ValueOfText = tuple[str, Value, Type]


class Resumption(NamedTuple):
    """How a play would continue beyond the bound of a loop or jump, up to its next round."""

    slot: int  # of the round count
    rounds: int  # round count to resume with
    block: int


class Fault(Exception):  # noqa: N818
    """A line that cannot be executed, or a limit hit; without a site the line is found from the traceback."""

    def __init__(
        self,
        code: str,
        message: str,
        read: tuple[ValueOfText, ...] = (),
        site: int | None = None,
        resumption: Resumption | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.read = read
        self.site = site
        self.resumption = resumption  # how to go on beyond a bound


class NeedFailed(Exception):  # noqa: N818
    """An opening condition that does not hold: a refusal outermost, a fault inside."""

    def __init__(self, site: int) -> None:
        super().__init__(site)
        self.site = site


class NeedsExternalValue(Exception):  # noqa: N818
    """An external term whose value has to be asked for before the line is restarted."""

    def __init__(self, name: str, arguments: tuple[Value, ...]) -> None:
        super().__init__(name)
        self.name = name
        self.arguments_given = arguments


def fault_nothing_to_compare(text: str) -> NoReturn:
    """Fault: the least or greatest of nothing."""
    raise Fault(NOTHING_TO_COMPARE, f"`{text}` has nothing to choose from")


def fault_off_board(cell: Any, coordinates: str) -> None:
    """Fault: a thing would leave the board."""
    raise Fault(OFF_BOARD, f"{convert_from_axial(cell, coordinates)} is not on the board")


def fault_no_row_covers() -> None:
    """Fault: no row of a decide or table holds."""
    raise Fault(NO_ROW_COVERS, "no row covers this case")


def check_bounds(value: Any, low: int | None, high: int | None, text: str) -> Any:
    """The number, or a fault if it is out of bounds."""
    if value is None:
        return require_value(value, text)
    if (low is not None and value < low) or (high is not None and value > high):
        bounds = f"{'…' if low is None else low}..{'…' if high is None else high}"
        raise Fault(OUT_OF_BOUNDS, f"`{text}` is {value}, outside {bounds}", ((text, value, WHOLE),))
    return value


def require_value(value: Any, text: str) -> Any:
    """The value, or a fault if it is none."""
    if value is None:
        raise Fault(NONE_THERE, f"`{text}` is none where a value is needed")
    return value


def require_only_member(members: list[Any], text: str) -> Any:
    """The only member; a fault if there are none or several."""
    if len(members) != 1:
        many = "none" if not members else f"{len(members)} of them"
        raise Fault(NOT_EXACTLY_ONE, f"`{text}` must find exactly one and finds {many}")
    return members[0]
