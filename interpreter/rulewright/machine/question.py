"""A request before anybody looks at it: cheap to make, everything else computed when asked for."""

from functools import cache
from itertools import permutations, product
from math import factorial, prod
from typing import TYPE_CHECKING, Any, assert_never

from rulewright.machine.dice import wanted
from rulewright.machine.executable import Executable
from rulewright.machine.request import DiceThrown, Request
from rulewright.machine.search import search
from rulewright.machine.values import Value
from rulewright.machine.world import CONTROL, ROLLS, STACK, World
from rulewright.program import statements as st
from rulewright.program.types import WHOLE, DieType, PoolType, Type

if TYPE_CHECKING:
    from rulewright.machine.site import Site

_TABLED = 10_000


class Question:
    """What the fast loop hands to an answerer.

    Attributes:
        executable: what runs.
        world: its working memory; valid until the question is answered.
    """

    __slots__ = ("executable", "world")

    def __init__(self, executable: Executable, world: World) -> None:
        self.executable = executable
        self.world = world

    @property
    def _site(self) -> "Site | None":
        number = self.world[CONTROL].pending[0]
        return self.executable.sites[number] if number >= 0 else None

    @property
    def data(self) -> tuple[Any, ...]:
        """What the request was computed from; its form depends on the sort."""
        return self.world[CONTROL].pending[2]  # type: ignore[no-any-return]

    @property
    def frame(self) -> list[Any]:
        """The frame that asks."""
        return self.world[STACK][-1]  # type: ignore[no-any-return]

    @property
    def player(self) -> int | None:
        """As in `Request`."""
        return self.world[CONTROL].pending[1]  # type: ignore[no-any-return]

    @property
    def sort(self) -> str:
        """As in `Request`."""
        site = self._site
        if site is None:
            return "value"
        match site.node:
            case st.Ask(shape=shape):
                return _asked(shape)
            case st.Roll() | st.Reroll():
                return "roll"
            case st.Draw():
                return "draw"
            case st.Shuffle():
                return "shuffle"
            case st.PerformExternal():
                return "external"
            case _:
                return str(self.data[0])

    @property
    def address(self) -> str:
        """As in `Request`."""
        site = self._site
        return site.address if site is not None else str(self.data[0])

    @property
    def node(self) -> Any:  # noqa: ANN401
        """The line that asks, or none for the value of an external term."""
        site = self._site
        return None if site is None else site.node

    @property
    def request(self) -> Request:
        """The whole request."""
        from rulewright.machine.requests import request  # noqa: PLC0415

        return request(self)

    @property
    def legal(self) -> tuple[Value, ...]:
        """The legal answers of `whether`, `one`, `choose`, `turn` and `handler`, in order."""
        match self.sort:
            case "whether" | "handler":
                return (True, False)
            case "turn":
                return tuple(range(6))
            case _:
                return self.data

    def answers(self) -> Any:  # noqa: ANN401
        """The legal answers of any decision, lazily, in order; of pick, split and order up to the limit of nodes."""
        match self.sort:
            case "pick" | "split" | "order":
                return search(self.world, self.frame, self.data).answers()
            case "handlers":
                from rulewright.machine.requests import labels  # noqa: PLC0415

                return permutations(labels(self))
            case _:
                return iter(self.legal)

    @property
    def dice(self) -> tuple[tuple[int, tuple[Any, ...], str], ...]:
        """Of a roll: how many dice, their faces in order, the name of a declared die."""
        if isinstance(self.node, st.Roll):
            return tuple(wanted(self.data))  # type: ignore[arg-type]
        rolls = self.world[ROLLS]
        return tuple((1, rolls[roll][at][0], rolls[roll][at][6]) for roll, at in self.data)

    @property
    def outcomes(self) -> int:
        """How many equally likely results a `roll`, `draw` or `shuffle` has."""
        match self.sort:
            case "roll":
                return prod([len(faces) ** count for count, faces, _ in self.dice])
            case "draw":
                return len(self.data)
            case _:
                return factorial(len(self.data))

    def outcome(self, index: int) -> Value:
        """The result of a `roll`, `draw` or `shuffle` by its index from 0."""
        match self.sort:
            case "roll":
                return _faces(self.dice, index)
            case "draw":
                return self.data[index]  # type: ignore[no-any-return]
            case _:
                return _arranged(self.data, index)


def _asked(shape: st.Shape) -> str:  # noqa: PLR0911
    match shape:
        case st.Whether():
            return "whether"
        case st.OneOf():
            return "one"
        case st.Choose():
            return "choose"
        case st.Pick():
            return "pick"
        case st.Split():
            return "split"
        case st.Order():
            return "order"
        case st.TurnHow():
            return "turn"
        case st.PlaceWhere():
            return "place"
        case _:
            assert_never(shape)


@cache
def _table(count: int, faces: tuple[Any, ...]) -> tuple[tuple[Any, ...], ...]:
    return tuple(product(faces, repeat=count))


def _faces(dice: tuple[tuple[int, tuple[Any, ...], str], ...], index: int) -> tuple[Any, ...]:
    found: tuple[Any, ...] = ()
    for count, faces, _ in dice:
        size = len(faces) ** count
        index, here = divmod(index, size)
        found += _table(count, faces)[here] if size <= _TABLED else _spelled(count, faces, here)
    return found


def _spelled(count: int, faces: tuple[Any, ...], index: int) -> tuple[Any, ...]:
    found = []
    for _ in range(count):
        index, here = divmod(index, len(faces))
        found.append(faces[here])
    return tuple(found)


def _arranged(items: tuple[Any, ...], index: int) -> tuple[Any, ...]:
    rest, found = list(items), []
    while rest:
        index, here = divmod(index, len(rest))
        found.append(rest.pop(here))
    return tuple(found)


def thrown(question: Question) -> tuple[DiceThrown, ...]:
    """The dice of a roll, as a request shows them."""
    return tuple(DiceThrown(count, faces, _face(question, name)) for count, faces, name in question.dice)


def _face(question: Question, name: str) -> Type:
    if name:
        return question.executable.program.dice[name].face_type
    node = question.node
    pool = node.variable.type if isinstance(node, st.Roll) else None
    return pool.face if isinstance(pool, DieType | PoolType) else WHOLE
