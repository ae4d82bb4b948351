"""Facts hidden from players when they answer: secrets of others, shuffled orders, contents of bags and decks."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from rulewright.base.frozen import dataclass
from rulewright.program import statements as st
from rulewright.program.declarations import Procedure, Program
from rulewright.program.types import BagType, DeckType, Type
from rulewright.program.walk import get_secret_variable, walk_reachable_nodes
from rulewright.runtime.concealment import ConcealmentAnalysis
from rulewright.runtime.executable import Executable
from rulewright.runtime.pending_question import PendingQuestion
from rulewright.runtime.request import TraceEntry
from rulewright.runtime.run import Paused
from rulewright.runtime.state import Situation
from rulewright.runtime.trace_record import TraceRecord
from rulewright.runtime.values import Value, make_partly_shuffled, rebuild_value


@dataclass(frozen=True, slots=True)
class HiddenFact:
    """Something that may have been otherwise for all that most players know."""

    sort: str  # `secret`, `drawn`, `shuffle` or `start`; `order` for a collection whose contents all know
    name: str  # of the answer as in `Executable.secret_sites`, of the line, or of what holds it
    player: int | None = None  # the only one who knows, if any


class HiddenInformationError(Exception):
    """Optimal play that would depend on what its player cannot see."""

    def __init__(self, paused: Paused, unseen: HiddenFact) -> None:
        super().__init__()
        self.paused = paused
        self.fact = unseen


def find_hidden_at_start(
    executable: Executable, procedure: Procedure, situation: Situation, known: Sequence[str] = ()
) -> tuple[HiddenFact, ...]:
    """Hidden contents of bags and decks at the start, if a play may look into any.

    Of the names in `known` only the order is hidden, where anything depends on it.
    """
    program, concealed = executable.program, executable.concealment
    types = (getattr(reachable_node, "type", None) for reachable_node in walk_reachable_nodes(procedure, program))
    if not concealed.has_hidden_collections or not any(
        concealed.is_concealed_type(item) for item in types if isinstance(item, Type)
    ):
        return ()
    concealed_names = [
        name
        for name, type_, values in _stored_values(program, situation)
        if concealed.is_concealed_type(type_)
        and any(_contains_concealed(value, type_, concealed, program) for value in values)
    ]
    return tuple(
        HiddenFact("order" if name in known else "start", name)
        for name in concealed_names
        if name not in known or concealed.reads_deck_order
    )


def hide_deck_orders(executable: Executable, situation: Situation, known: Sequence[str]) -> Situation:
    """A start in which the decks named in `known` lie in an open order."""
    program = executable.program
    if not known or executable.concealment.reads_deck_order:
        return situation

    def hide_order_in(value: Any, type_: Type) -> Any:
        if isinstance(type_, DeckType):
            return make_partly_shuffled(value, len(value))
        return rebuild_value(value, type_, program.records, hide_order_in)

    holders = [(kind.name, kind.fields) for kind in program.kinds.values()]
    holders += [(board.name, (*board.fields, *board.sides)) for board in program.boards.values()]
    types = {
        f"{holder}/{field.name}": field.type for holder, fields in holders for field in fields if field.name in known
    }
    moved = {
        name: tuple(hide_order_in(attribute, types[name]) for attribute in situation.attributes[name])
        for name in types
        if name in situation.attributes
    }

    def hide_order_in_entries(stored: Mapping[str, Mapping[Any, Value]]) -> Any:
        return {
            name: {at: hide_order_in(item, types[name]) for at, item in stored_value.items()}
            if name in types
            else stored_value
            for name, stored_value in stored.items()
        }

    game = {
        name: hide_order_in(item, program.game[name].type) if name in known else item
        for name, item in situation.game.items()
    }
    return replace(
        situation,
        attributes={**situation.attributes, **moved},
        game=game,
        cells=hide_order_in_entries(situation.cells),
        sides=hide_order_in_entries(situation.sides),
    )


def _stored_values(program: Program, situation: Situation) -> Iterator[tuple[str, Type, tuple[Value, ...]]]:
    for kind in program.kinds.values():
        for field in kind.fields:
            yield field.name, field.type, situation.attributes[f"{kind.name}/{field.name}"]
    for name, item in program.game.items():
        yield name, item.type, (situation.game[name],)
    for board in program.boards.values():
        for field in board.fields:
            yield field.name, field.type, _values_of_entries(situation.cells, f"{board.name}/{field.name}")
        for field in board.sides:
            yield field.name, field.type, _values_of_entries(situation.sides, f"{board.name}/{field.name}")


def _values_of_entries(stored: Mapping[str, Mapping[Any, Value]], name: str) -> tuple[Value, ...]:
    return tuple(stored.get(name, {}).values())


def _contains_concealed(value: Value, type_: Type, concealed: ConcealmentAnalysis, program: Program) -> bool:
    """Whether a value is or contains a bag or deck that is not empty."""
    if value is None or not concealed.is_concealed_type(type_):
        return False
    if isinstance(type_, BagType | DeckType):
        return bool(value)
    inside: list[bool] = []

    def inspect_part(part: Any, of: Type) -> Any:
        inside.append(_contains_concealed(part, of, concealed, program))
        return part

    rebuild_value(value, type_, program.records, inspect_part)
    return any(inside)


_NAMED_SORTS = frozenset({"secret", "drawn"})  # what a name holds that may be revealed


def update_hidden_facts(before: tuple[HiddenFact, ...], entries: Sequence[TraceEntry]) -> tuple[HiddenFact, ...]:
    """Facts still hidden after the entries of a trace: reveals remove them."""
    if not before or not isinstance(entries, TraceRecord):
        return before
    hidden_facts = [*before]
    for name, is_hidden in entries.secret_answers:
        if not is_hidden:
            last = {
                hidden_fact.player: at
                for at, hidden_fact in enumerate(hidden_facts)
                if hidden_fact.sort in _NAMED_SORTS and hidden_fact.name == name
            }
            hidden_facts = [hidden_fact for at, hidden_fact in enumerate(hidden_facts) if at not in last.values()]
    return tuple(hidden_facts)


def find_hidden_answer(question: PendingQuestion) -> HiddenFact | None:
    """The fact that an answer to this question hides; None where everyone sees it."""
    node, executable = question.node, question.executable
    if (name := get_secret_variable(node)) is not None:
        sort = "drawn" if isinstance(node, st.Draw) else "secret"
        return HiddenFact(sort, f"{executable.sites[question.site].routine}/{name.name}", question.player)
    if isinstance(node, st.Shuffle) and executable.concealment.reads_shuffled_order:
        return HiddenFact("shuffle", question.address)
    return None


def find_fact_hidden_from(player: int, unseen: tuple[HiddenFact, ...]) -> HiddenFact | None:
    """The first fact that a player does not know."""
    return next(
        (hidden_fact for hidden_fact in unseen if hidden_fact.player is None or hidden_fact.player != player), None
    )
