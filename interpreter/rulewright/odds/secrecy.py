"""What players cannot know when they answer: what others chose in secret, the order of a shuffle, bags and decks."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rulewright.frozen import dataclass
from rulewright.machine.concealed import Concealed
from rulewright.machine.entries import Record
from rulewright.machine.executable import Executable
from rulewright.machine.question import Question
from rulewright.machine.run import Paused
from rulewright.machine.state import Situation
from rulewright.machine.trace import Entry
from rulewright.machine.values import Value, rebuilt
from rulewright.program import statements as st
from rulewright.program.declarations import Procedure, Program
from rulewright.program.types import BagType, DeckType, Type
from rulewright.program.walk import mentioned


@dataclass(frozen=True, slots=True)
class Unseen:
    """Something that happened, or lies somewhere, and may have been otherwise for all that most players know."""

    sort: str  # `secret`, `shuffle` or `start`
    name: str  # of the answer as `Executable.secrets` has it, of the line, or of what holds it
    player: int | None = None  # the only one who knows, or none


class UnseenError(Exception):
    """Best play would look at what its player cannot see.

    Attributes:
        paused: the question.
        unseen: what it is.
    """

    def __init__(self, paused: Paused, unseen: Unseen) -> None:
        super().__init__()
        self.paused = paused
        self.unseen = unseen


def unseen_at_start(executable: Executable, procedure: Procedure, situation: Situation) -> tuple[Unseen, ...]:
    """The bags and decks that hold something at the start, where a play may look into any."""
    program, concealed = executable.program, executable.concealed
    types = (getattr(each, "type", None) for each in mentioned(procedure, program))
    if not concealed.any or not any(concealed.conceals(each) for each in types if isinstance(each, Type)):
        return ()
    return tuple(
        Unseen("start", name)
        for name, type_, values in _stored(program, situation)
        if concealed.conceals(type_) and any(_holds(each, type_, concealed, program) for each in values)
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

    def look(part: Any, of: Type) -> Any:  # noqa: ANN401
        inside.append(_holds(part, of, concealed, program))
        return part

    rebuilt(value, type_, program.records, look)
    return any(inside)


def unseen_after(before: tuple[Unseen, ...], entries: Sequence[Entry]) -> tuple[Unseen, ...]:
    """What stays unseen after what happened: what was revealed does not."""
    if not before or not isinstance(entries, Record):
        return before
    left = [*before]
    for name, is_hidden in entries.secrets:
        if not is_hidden:
            last = {each.player: at for at, each in enumerate(left) if (each.sort, each.name) == ("secret", name)}
            left = [each for at, each in enumerate(left) if at not in last.values()]
    return tuple(left)


def unseen_by_answer(question: Question) -> Unseen | None:
    """What is unseen once a question with several answers is answered; none where all see the answer."""
    node, executable = question.node, question.executable
    if isinstance(node, st.Ask) and node.secret:
        return Unseen("secret", f"{executable.sites[question.site].routine}/{node.variable.name}", question.player)
    if isinstance(node, st.Shuffle) and executable.concealed.conceals(node.place.type):
        return Unseen("shuffle", question.address)
    return None


def unseen_by(player: int, unseen: tuple[Unseen, ...]) -> Unseen | None:
    """The first of what a player does not know."""
    return next((each for each in unseen if each.player is None or each.player != player), None)
