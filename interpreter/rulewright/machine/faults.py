"""What stops a run: limits, faults with a code, and values that have to be asked for first."""

from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

from rulewright.machine import codes
from rulewright.machine.values import Value
from rulewright.program.offsets import written
from rulewright.program.types import WHOLE, Type


@dataclass(frozen=True, slots=True)
class Limits:
    """What a run may use at most."""

    work: int = 5_000_000  # lines and rounds run, members of collections visited, calls (RW0901)
    depth: int = 200  # calls, windows and settlings inside each other (RW0902)
    members: int = 100_000  # size of one collection (RW0903)
    dice: int = 1_000  # dice of one roll (RW0904)
    # members of the collections that are made, words of numbers, and entries of the trace times ten (RW0851)
    size: int = 10_000_000
    # nodes searched for the legal answers of a pick, split or order; beyond it an answer counts as possible
    nodes: int = 10_000
    claim: int = 10_000_000  # nodes searched where a player claims that there is no legal answer
    # whether a traced run asks also where one answer alone is legal, to show what would be refused
    forced: bool = False
    put: frozenset[int] = frozenset()  # sites at which a traced run asks also where one answer alone is legal

    def insist(self, site: int) -> bool:
        """Whether a traced run asks at a site even where one answer alone is legal."""
        return self.forced or site in self.put


Read = tuple[str, Value, Type]


class Resumption(NamedTuple):
    """How a play would go on beyond the bound of a loop or jump, up to its next round."""

    slot: int  # of the frame, where rounds are counted
    rounds: int  # what is to stand there
    block: int  # the block that follows


class Fault(Exception):  # noqa: N818
    """A line that cannot be carried out, or a limit hit; without a site the place is found from the traceback."""

    def __init__(
        self,
        code: str,
        message: str,
        read: tuple[Read, ...] = (),
        site: int | None = None,
        onward: Resumption | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.read = read
        self.site = site
        self.onward = onward  # of a bound that was reached, where the play could go on from there


class NeedFailed(Exception):  # noqa: N818
    """An opening condition that does not hold: a refusal outermost, a fault inside."""

    def __init__(self, site: int) -> None:
        super().__init__(site)
        self.site = site


class Wanted(Exception):  # noqa: N818
    """An external term whose value has to be asked for before the line begins anew."""

    def __init__(self, name: str, arguments: tuple[Value, ...]) -> None:
        super().__init__(name)
        self.name = name
        self.arguments_given = arguments


def nothing(text: str) -> NoReturn:
    """A fault for the least or greatest of nothing."""
    raise Fault(codes.NOTHING_TO_COMPARE, f"`{text}` has nothing to choose from")


def off_board(cell: Any, coordinates: str) -> None:
    """A fault for a thing that would leave the board."""
    raise Fault(codes.OFF_BOARD, f"{written(cell, coordinates)} is not on the board")


def broken(title: str, members: tuple[Read, ...] = ()) -> None:
    """A fault for an invariant that does not hold, for these members of what it goes through."""
    raise Fault(codes.INVARIANT_BROKEN, f"`{title}` does not hold", members)


def uncovered() -> None:
    """A fault for a decide or table of which no row holds."""
    raise Fault(codes.UNCOVERED, "no row covers this case")


def narrow(value: Any, low: int | None, high: int | None, text: str) -> Any:
    """A number, or a fault where it lies outside its bounds."""
    if value is None:
        return present(value, text)
    if (low is not None and value < low) or (high is not None and value > high):
        bounds = f"{'…' if low is None else low}..{'…' if high is None else high}"
        raise Fault(codes.OUT_OF_BOUNDS, f"`{text}` is {value}, outside {bounds}", ((text, value, WHOLE),))
    return value


def present(value: Any, text: str) -> Any:
    """A value, or a fault where it is none."""
    if value is None:
        raise Fault(codes.NONE_THERE, f"`{text}` is none where a value is needed")
    return value


def only(found: list[Any], text: str) -> Any:
    """The one member found; a fault where there are none or several."""
    if len(found) != 1:
        many = "none" if not found else f"{len(found)} of them"
        raise Fault(codes.NOT_ONE, f"`{text}` must find exactly one and finds {many}")
    return found[0]
