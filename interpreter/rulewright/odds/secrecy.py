"""What players cannot know when they answer: others' secrets, the order of a shuffle, bags and decks."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from rulewright.frozen import dataclass
from rulewright.machine.concealed import Concealed
from rulewright.machine.entries import Record
from rulewright.machine.executable import Executable
from rulewright.machine.question import Question
from rulewright.machine.run import Paused
from rulewright.machine.state import Situation
from rulewright.machine.trace import Entry
from rulewright.machine.values import Value, mixed, rebuilt
from rulewright.program import statements as st
from rulewright.program.declarations import Procedure, Program
from rulewright.program.types import BagType, DeckType, Type
from rulewright.program.walk import bound_in_secret, mentioned


@dataclass(frozen=True, slots=True)
class Unseen:
    """Something that happened, or lies somewhere, and may have been otherwise for all that most players know."""

    sort: str  # `secret`, `drawn`, `shuffle` or `start`; `order`, in which cards lie that all know
    name: str  # of the answer as `Executable.secrets` has it, of the line, or of what holds it
    player: int | None = None  # the only one who knows, or none


class UnseenError(Exception):
    """Best play would look at what its player cannot see."""

    def __init__(self, paused: Paused, unseen: Unseen) -> None:
        super().__init__()
        self.paused = paused  # the question
        self.unseen = unseen  # what it is


def unseen_at_start(
    executable: Executable, procedure: Procedure, situation: Situation, known: Sequence[str] = ()
) -> tuple[Unseen, ...]:
    """The bags and decks that hold something at the start, where a play may look into any.

    Of those that are `known` only the order is unseen, where anything hangs on it.
    """
    program, concealed = executable.program, executable.concealed
    types = (getattr(each, "type", None) for each in mentioned(procedure, program))
    if not concealed.any or not any(concealed.conceals(each) for each in types if isinstance(each, Type)):
        return ()
    held = [
        name
        for name, type_, values in _stored(program, situation)
        if concealed.conceals(type_) and any(_holds(each, type_, concealed, program) for each in values)
    ]
    return tuple(
        Unseen("order" if name in known else "start", name)
        for name in held
        if name not in known or concealed.reads_order
    )


def in_unseen_order(executable: Executable, situation: Situation, known: Sequence[str]) -> Situation:
    """A start whose decks of some names lie in an order that nobody has seen."""
    program = executable.program
    if not known or executable.concealed.reads_order:
        return situation

    def laid(value: Any, type_: Type) -> Any:
        if isinstance(type_, DeckType):
            return mixed(value, len(value))
        return rebuilt(value, type_, program.records, laid)

    holders = [(each.name, each.fields) for each in program.kinds.values()]
    holders += [(each.name, (*each.fields, *each.sides)) for each in program.boards.values()]
    types = {f"{holder}/{each.name}": each.type for holder, fields in holders for each in fields if each.name in known}
    moved = {
        name: tuple(laid(each, types[name]) for each in situation.attributes[name])
        for name in types
        if name in situation.attributes
    }

    def entries(stored: Mapping[str, Mapping[Any, Value]]) -> Any:
        return {
            name: {at: laid(each, types[name]) for at, each in held.items()} if name in types else held
            for name, held in stored.items()
        }

    game = {
        name: laid(each, program.game[name].type) if name in known else each for name, each in situation.game.items()
    }
    return replace(
        situation,
        attributes={**situation.attributes, **moved},
        game=game,
        cells=entries(situation.cells),
        sides=entries(situation.sides),
    )


def _stored(program: Program, situation: Situation) -> Iterator[tuple[str, Type, tuple[Value, ...]]]:
    for kind in program.kinds.values():
        for field in kind.fields:
            yield field.name, field.type, situation.attributes[f"{kind.name}/{field.name}"]
    for name, each in program.game.items():
        yield name, each.type, (situation.game[name],)
    for board in program.boards.values():
        for field in board.fields:
            yield field.name, field.type, _entries(situation.cells, f"{board.name}/{field.name}")
        for field in board.sides:
            yield field.name, field.type, _entries(situation.sides, f"{board.name}/{field.name}")


def _entries(stored: Mapping[str, Mapping[Any, Value]], name: str) -> tuple[Value, ...]:
    return tuple(stored.get(name, {}).values())


def _holds(value: Value, type_: Type, concealed: Concealed, program: Program) -> bool:
    """Whether a value is, or has inside it, a bag or deck that is not empty."""
    if value is None or not concealed.conceals(type_):
        return False
    if isinstance(type_, BagType | DeckType):
        return bool(value)
    inside: list[bool] = []

    def look(part: Any, of: Type) -> Any:
        inside.append(_holds(part, of, concealed, program))
        return part

    rebuilt(value, type_, program.records, look)
    return any(inside)


_NAMED = frozenset({"secret", "drawn"})  # what a name holds that may be revealed


def unseen_after(before: tuple[Unseen, ...], entries: Sequence[Entry]) -> tuple[Unseen, ...]:
    """What stays unseen after what happened: what was revealed does not."""
    if not before or not isinstance(entries, Record):
        return before
    left = [*before]
    for name, is_hidden in entries.secrets:
        if not is_hidden:
            last = {each.player: at for at, each in enumerate(left) if each.sort in _NAMED and each.name == name}
            left = [each for at, each in enumerate(left) if at not in last.values()]
    return tuple(left)


def unseen_by_answer(question: Question) -> Unseen | None:
    """What is unseen once a question with several answers is answered; none where all see the answer."""
    node, executable = question.node, question.executable
    if (name := bound_in_secret(node)) is not None:
        sort = "drawn" if isinstance(node, st.Draw) else "secret"
        return Unseen(sort, f"{executable.sites[question.site].routine}/{name.name}", question.player)
    if isinstance(node, st.Shuffle) and executable.concealed.reads_shuffled:
        return Unseen("shuffle", question.address)
    return None


def unseen_by(player: int, unseen: tuple[Unseen, ...]) -> Unseen | None:
    """The first of what a player does not know."""
    return next((each for each in unseen if each.player is None or each.player != player), None)
