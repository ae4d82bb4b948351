"""A request in its cheap form: answers and outcomes are computed on demand."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import cache, partial
from itertools import islice, permutations, product
from math import factorial, prod
from typing import Any

from rulewright.program.core import forms as core
from rulewright.program.types import WHOLE, DieType, PoolType, Type
from rulewright.program.walk import strip_address_numbers
from rulewright.runtime.dice import EqualDice, RankRollDescription, RollDescription, describe_next_throw, make_record
from rulewright.runtime.executable import Executable
from rulewright.runtime.frame_slots import FIRST_SLOT
from rulewright.runtime.item_answer_search import AnswerCount, count_unrestricted, make_answer_search, make_item_search
from rulewright.runtime.request import CLAIMABLE_SORTS, LISTED_ANSWERS, YES_NO, DiceToThrow, Request
from rulewright.runtime.state import PendingRequest
from rulewright.runtime.values import Value
from rulewright.runtime.working_memory import (
    CONTROL,
    ROLLS,
    STACK,
    WorkingMemory,
)

_MAX_TABULATED_ROLLS = 10_000
"""Rolls of equal dice up to which all are tabulated by index; chosen, to bound memory."""
_NO_POLICY = "", ""
HIGHEST_POLICY = "highest"
LISTED_SORTS = frozenset({*LISTED_ANSWERS, "handler", "taker"})
"""Sorts of requests whose answers `PendingQuestion.legal_answers` lists."""


class PendingQuestion:
    """What the run loop hands to an answerer.

    Attributes:
        executable: the program.
        world: its working memory; valid until the question is answered.
        site: number of the source point that asks, or -1 for the value of an external term.
        sort: as in `Request`.
        player: as in `Request`.
        data: what the request was computed from; its form depends on the sort.
    """

    __slots__ = ("data", "executable", "player", "site", "sort", "world")

    def __init__(self, executable: Executable, world: WorkingMemory) -> None:
        self.executable = executable
        self.world = world
        self.bind_request(*world[CONTROL].pending)

    @classmethod
    def make_unbound(cls, executable: Executable, world: WorkingMemory | None) -> "PendingQuestion":
        """A question that stands for no request yet."""
        question = cls.__new__(cls)
        question.executable = executable
        if world is not None:
            question.world = world
        return question

    @classmethod
    def from_pending(cls, executable: Executable, pending: PendingRequest) -> "PendingQuestion":
        """An answered request: who was asked, at which line, of which sort."""
        question = cls.make_unbound(executable, None)
        question.bind_request(*pending)
        return question

    def bind_request(self, site: int, player: int | None, data: Any) -> None:
        """Reuses the question for another request of the same run."""
        self.site = site
        self.player = player
        self.data = data
        self.sort: str = self.executable.request_sorts[site][0] or (str(data[0]) if site >= 0 else "value")

    @property
    def frame(self) -> list[Any]:
        return self.world[STACK][-1]  # type: ignore[no-any-return]

    @property
    def address(self) -> str:
        """As in `Request`."""
        return strip_address_numbers(self.line_address)

    @property
    def line_address(self) -> str:
        """Full, unique address of the line that asks; the name of an external term."""
        return self.executable.sites[self.site].address if self.site >= 0 else str(self.data[0])

    @property
    def rolls(self) -> tuple[Any, ...]:
        """As in `Request`."""
        return tuple(self.world[ROLLS]) if self.site >= 0 and self.executable.request_sorts[self.site][1] else ()

    @property
    def node(self) -> Any:
        """The line that asks, or none for the value of an external term."""
        return self.executable.sites[self.site].node if self.site >= 0 else None

    @property
    def statement(self) -> core.Statement | None:
        """What asks at a line, or none for handlers and the value of an external term."""
        statement: core.Statement | None = self.executable.request_statements.get(self.site)
        return statement

    @property
    def roll(self) -> core.Roll | None:
        """The roll that asks, or none for other requests and for the dice of a rank."""
        statement = self.statement
        return statement if isinstance(statement, core.Roll) and statement.dice.members is None else None

    @property
    def claimable(self) -> bool:
        """Whether a player may claim that there is no legal answer: rows judge the answer as a whole."""
        return self.sort in CLAIMABLE_SORTS and any(not demand.prefer for demand in self.node.demands)

    def count_answers(self) -> AnswerCount:
        """Number of legal answers of a pick, split or order, as far as the limit of nodes permits."""
        if self.data.required is None and not self.data.preferred:
            return AnswerCount(count_unrestricted(self.data), exact=True)
        return make_item_search(self.world, self.frame, self.data).count_answers()

    @property
    def policy(self) -> tuple[str, str]:
        """Policy of its player: a word, and the function that judges answers; both empty without one."""
        if self.site < 0 or self.player is None:
            return _NO_POLICY
        policies = self.executable.sites[self.site].policies
        if not policies:
            return _NO_POLICY
        return policies.get(self.world[CONTROL].base.things["player"][self.player], _NO_POLICY)

    def choose_by_policy(self, answers: Iterable[Value]) -> Value:
        """The answer of highest, or lowest, worth to the policy of its player; of equal ones the first.

        Evaluated in the question's own working memory, of which it uses up limits: ask it of a copy.

        Raises:
            Fault: the worth of some answer is undefined.
        """
        (word, judge), frame, slot = self.policy, self.frame, FIRST_SLOT + self.node.variable.index
        worth, value_before = partial(self.executable.functions[judge], self.world, frame), frame[slot]
        try:
            return max(answers, key=worth) if word == HIGHEST_POLICY else min(answers, key=worth)
        finally:
            frame[slot] = value_before

    @property
    def is_listed(self) -> bool:
        """Whether `legal_answers` lists its answers."""
        return self.sort in LISTED_SORTS

    @property
    def legal_answers(self) -> tuple[Value, ...]:
        """Legal answers of `whether`, `one`, `choose`, `turn`, `handler` and `taker`, in order."""
        if self.sort == "one":
            return self.data  # type: ignore[no-any-return]
        if self.sort == "taker":
            return (*label_handlers(self), None) if self.data.may_pass else label_handlers(self)
        return (self.data if self.sort == "whether" else ()) or LISTED_ANSWERS.get(self.sort, YES_NO) or self.data

    def list_all_answers(self, most: int) -> list[Value] | None:
        """All legal answers; none if there are more than `most`. On the plane, those among the tried places."""
        if self.sort in {"pick", "split", "order"}:
            return make_item_search(self.world, self.frame, self.data).list_all_answers(most)
        items = list(islice(self.iterate_answers(), most + 1))
        return items if len(items) <= most else None

    def list_answers_by_equivalence(self, like: Callable[[Any], Hashable], most: int) -> list[tuple[Value, int]] | None:
        """As `list_all_answers`, for one member or a pick: one answer per class of like members, with its size."""
        if self.sort == "pick":
            return make_item_search(self.world, self.frame, self.data).list_answers_by_equivalence(
                self.data, like, most
            )
        mapping: dict[Hashable, list[Value]] = {}
        for legal_answer in self.legal_answers:
            mapping.setdefault(like(legal_answer), []).append(legal_answer)
        return [(item[0], len(item)) for item in mapping.values()]

    def iterate_answers(self) -> Any:
        """Legal answers of any decision, lazily, in order; of pick, split and order up to the limit of nodes."""
        match self.sort:
            case "pick" | "split" | "order" | "place" | "heading":
                return make_answer_search(self.world, self.frame, self.data).iterate_answers()
            case "handlers":
                return permutations(label_handlers(self))
            case _:
                return iter(self.legal_answers)

    @property
    def dice_to_roll(self) -> tuple[EqualDice, ...]:
        """Dice of a roll, by part."""
        if not isinstance(self.statement, core.Reroll):
            return describe_next_throw(self.data)
        rolls = self.world[ROLLS]
        dice = [rolls[roll][at] for roll, at in self.data]
        return tuple([EqualDice(1, die.faces, die.model) for die in dice])

    @property
    def exploded_count(self) -> int | None:
        """Number of dice from explosions so far, of a roll that goes on; none if it begins."""
        described = self.data
        if not isinstance(described, RollDescription | RankRollDescription) or not described.thrown:
            return None
        return len(described.thrown) - sum([max(0, group.dice_count) for group in described.groups])

    @property
    def uniform_dice(self) -> EqualDice | None:
        """The dice, if all have the same faces."""
        if not isinstance(self.statement, core.Reroll):
            (first, *others), thrown = self.data.groups, self.data.thrown
            return None if others or thrown else make_record(EqualDice, (max(0, first.dice_count), first.faces, ""))
        rolls = self.world[ROLLS]
        sides = [rolls[roll][at].faces for roll, at in self.data]
        return (
            make_record(EqualDice, (len(sides), sides[0], ""))
            if sides and sides.count(sides[0]) == len(sides)
            else None
        )

    @property
    def outcome_count(self) -> int:
        """Number of equally likely results of a `roll`, `draw` or `shuffle`."""
        match self.sort:
            case "roll":
                alike = self.uniform_dice
                if alike is not None:
                    return len(alike.faces) ** alike.dice_count  # type: ignore[no-any-return]
                return prod([len(faces) ** count for count, faces, _ in self.dice_to_roll])
            case "draw":
                return len(self.data)
            case _:
                return factorial(len(self.data))

    def outcome_at(self, index: int) -> Value:
        """Result of a `roll`, `draw` or `shuffle` by its index from 0."""
        match self.sort:
            case "roll":
                alike = self.uniform_dice
                if alike is not None and len(alike.faces) ** alike.dice_count <= _MAX_TABULATED_ROLLS:
                    return _tabulate_rolls(alike.dice_count, alike.faces)[index]
                return _faces_at_index(self.dice_to_roll, index)
            case "draw":
                return self.data[index]  # type: ignore[no-any-return]
            case _:
                return _permutation_at_index(self.data, index)


@cache
def _tabulate_rolls(count: int, faces: tuple[Any, ...]) -> tuple[tuple[Any, ...], ...]:
    return tuple(product(faces, repeat=count))


def _faces_at_index(dice: tuple[EqualDice, ...], index: int) -> tuple[Any, ...]:
    result: tuple[Any, ...] = ()
    for count, faces, _ in dice:
        size = len(faces) ** count
        index, here = divmod(index, size)
        result += (
            _tabulate_rolls(count, faces)[here] if size <= _MAX_TABULATED_ROLLS else _decode_faces(count, faces, here)
        )
    return result


def _decode_faces(count: int, faces: tuple[Any, ...], index: int) -> tuple[Any, ...]:
    items = []
    for _ in range(count):
        index, here = divmod(index, len(faces))
        items.append(faces[here])
    return tuple(items)


def _permutation_at_index(items: tuple[Any, ...], index: int) -> tuple[Any, ...]:
    rest, result = list(items), []
    while rest:
        index, here = divmod(index, len(rest))
        result.append(rest.pop(here))
    return tuple(result)


def list_dice_to_throw(question: PendingQuestion) -> tuple[DiceToThrow, ...]:
    """Dice of a roll, as a request shows them."""
    parts = _roll_part_names(question)
    return tuple(
        DiceToThrow(count, faces, _face_type(question, name), name, called)
        for (count, faces, name), called in zip(question.dice_to_roll, parts, strict=True)
    )


def _roll_part_names(question: PendingQuestion) -> Sequence[Any]:
    if question.roll is not None and not question.data.thrown:
        return [group.part for group in question.data.groups if group.dice_count > 0]
    return [None] * len(question.dice_to_roll)


def _face_type(question: PendingQuestion, name: str) -> Type:
    if name:
        return question.executable.program.dice[name].face_type
    pool = None if question.roll is None else question.roll.result.type
    return pool.face if isinstance(pool, DieType | PoolType) else WHOLE


def list_handlers(question: PendingQuestion) -> Any:
    """Handlers of the event whose window asks, from the engine tables."""
    return [each for each in question.executable.program.handlers.values() if each.event == question.data.event]


def label_handlers(question: PendingQuestion) -> tuple[str, ...]:
    """Labels of the handlers of an order question: names, with holders if names are ambiguous."""
    handlers = list_handlers(question)
    names = [handlers[number].name for number, _ in question.data.handlers]
    return tuple(
        name if names.count(name) == 1 else f"{name}({_member_ids(question, name, members)})"
        for name, (_, members) in zip(names, question.data.handlers, strict=True)
    )


def order_handlers(question: PendingQuestion, answer: Any) -> tuple[Any, ...]:
    """Handlers of an order question in the order of the labels given."""
    named = dict(zip(label_handlers(question), question.data.handlers, strict=True))
    return tuple(named[item] for item in answer)


def _member_ids(question: PendingQuestion, name: str, members: tuple[Any, ...]) -> str:
    things = question.world[CONTROL].base.things
    bound = [item for item in question.executable.program.handlers[name].binding.variables if item]
    shown = []
    for variable, value in zip(bound, members, strict=True):
        kind = getattr(variable.type, "kind", None)
        shown.append(things[kind][value] if kind else str(value))
    return ", ".join(shown)


def iterate_request_answers(request: Request) -> Iterator[Value]:
    """Legal answers of a decision, lazily, in order; of pick, split and order up to the limit of nodes."""
    if request.question is None:
        return iter(())
    return iter(request.question.iterate_answers())


def count_request_answers(request: Request) -> AnswerCount:
    """Number of legal answers of a pick, split or order, counted on demand up to the limit of nodes."""
    assert request.question is not None
    return request.question.count_answers()


def count_unrestricted_answers(request: Request) -> int:
    """Number of answers of a pick, split or order, legal or not."""
    assert request.question is not None
    return count_unrestricted(request.question.data)


def find_only_answer(request: Request) -> tuple[Value, ...]:
    """The only possible answer, of chance too: no dice, the card on top, nothing to shuffle; else empty."""
    match request.sort:
        case "roll":
            return () if request.dice else ((),)
        case "shuffle":
            return () if len(request.items) > 1 else (request.items,)
        case "draw":
            items = request.items
        case "external" | "value":
            return ()
        case _:
            items = tuple(islice(iterate_request_answers(request), 2))
    return items if len(items) == 1 else ()
