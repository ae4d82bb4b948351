"""A play with its history: immutable, so that going back is keeping a reference."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from rulewright.drivers.sources import Given, Kept, Reply, Sources
from rulewright.frozen import dataclass
from rulewright.inputs.answers import answer_json
from rulewright.inputs.json_values import to_json
from rulewright.inputs.names import Names
from rulewright.inputs.nodes import Json
from rulewright.inputs.save import Answered, Save
from rulewright.inputs.script import CHANCE, ByItself
from rulewright.inputs.state_json import state_json
from rulewright.machine import advance as machine
from rulewright.machine.codec import encode
from rulewright.machine.executable import Executable
from rulewright.machine.legal import alone
from rulewright.machine.limits import Limits
from rulewright.machine.record import Record
from rulewright.machine.request import Ended, Faulted, Outcome, Paused, Refused, Request
from rulewright.machine.situation import Situation
from rulewright.machine.state import State
from rulewright.machine.trace import Entry
from rulewright.machine.values import Value
from rulewright.program.declarations import Procedure


@dataclass(frozen=True, slots=True)
class Begun:
    """How a play began.

    Attributes:
        executable: the compiled ruleset.
        procedure: what was begun.
        situation: the start.
        arguments: in the order of the procedure's parameters.
        limits: of the run.
    """

    executable: Executable
    procedure: Procedure
    situation: Situation
    arguments: tuple[Value, ...]
    limits: Limits

    @property
    def names(self) -> Names:
        """Names of words and things."""
        return Names(self.executable.program, self.situation.base)

    def arguments_json(self) -> dict[str, Json]:
        """The arguments by role."""
        parameters = self.procedure.parameters
        return {
            each.name: to_json(value, each.type, self.names)
            for each, value in zip(parameters, self.arguments, strict=True)
        }


@dataclass(frozen=True, slots=True)
class Turn:
    """A request that was answered, how, and the sources before it."""

    paused: Paused
    given: Given
    sources: Sources

    @property
    def request(self) -> Request:
        """What was asked."""
        return self.paused.request


@dataclass(frozen=True, slots=True)
class Session:
    """A play up to one moment.

    Attributes:
        begun: how it began.
        outcome: where it stands: paused, ended, refused or faulted.
        sources: who answers without being asked.
        turns: requests answered so far.
    """

    begun: Begun
    outcome: Outcome
    sources: Sources
    turns: tuple[Turn, ...] = ()

    def answered(self, given: Given, sources: Sources) -> "Session | Refused":
        """The session after an answer, or why the answer is refused."""
        paused = self.outcome
        assert isinstance(paused, Paused)
        begun = self.begun
        outcome = machine.advance(begun.executable, paused.state, given.value, begun.limits)
        if isinstance(outcome, Refused):
            return outcome
        return Session(begun, outcome, sources, (*self.turns, Turn(paused, given, self.sources)))

    def reply(self) -> Reply:
        """What the sources say to the request at which it stands."""
        assert isinstance(self.outcome, Paused)
        return self.sources.answer(self.outcome, lambda: self.by_itself(len(self.turns)))

    def by_itself(self, part: int) -> Iterator[ByItself]:
        """What answered itself after a number of turns, each question as it would have been put, in order.

        That part of the play is repeated from its beginning, and nothing is taken for granted.
        """
        begun, limits = self.begun, replace(self.begun.limits, forced=True)
        if part:
            turn = self.turns[part - 1]
            after = machine.advance(begun.executable, turn.paused.state, turn.given.value, limits)
        else:
            name, arguments = begun.procedure.name, begun.arguments
            after = machine.start(begun.executable, begun.situation, name, arguments, limits)
        asked = self.turns[part].paused if part < len(self.turns) else self.outcome
        while isinstance(after, Paused):
            only = alone(after.request)
            if not only or (isinstance(asked, Paused) and after.state == asked.state):
                return
            yield ByItself(after, only[0])
            after = machine.advance(begun.executable, after.state, only[0], limits)

    def ever_by_itself(self) -> Iterator[ByItself]:
        """All that answered itself so far, in order."""
        for part in range(len(self.turns) + 1):
            yield from self.by_itself(part)

    def undone(self) -> "Session | None":
        """The session before the last answer of a person; none where there is none.

        What chance showed since then is kept and shown again at the same addresses. Dice that a person typed are
        taken back, to be typed again, only while nothing has been answered since.
        """
        for index in range(len(self.turns) - 1, -1, -1):
            turn = self.turns[index]
            newest = index == len(self.turns) - 1
            if turn.given.source == "person" and (newest or turn.request.sort not in CHANCE):
                return self._before(index)
        return None

    def _before(self, index: int) -> "Session":
        turn = self.turns[index]
        shown = tuple(
            Kept(each.request.address, each.given.value)
            for each in self.turns[index + 1 :]
            if each.request.sort in CHANCE and each.given.source != "script"
        )
        sources = replace(turn.sources, chance=self.sources.chance, kept=shown + self.sources.kept)
        return Session(self.begun, turn.paused, sources, self.turns[:index])

    @property
    def parts(self) -> Iterator[tuple[Sequence[Entry], Turn | None]]:
        """What happened up to each request with its turn, then what happened since."""
        yield from ((turn.paused.entries, turn) for turn in self.turns)
        yield self.outcome.entries, None

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All that happened."""
        return tuple(entry for entries, _ in self.parts for entry in entries)

    @property
    def steps(self) -> Iterator[tuple[str, bool]]:
        """Addresses of the steps met, in order, and whether each was entered or passed over; cheaper than entries."""
        for entries, _ in self.parts:
            yield from entries.steps if isinstance(entries, Record) else _steps(entries)

    def around(self, *addresses: str) -> Iterator[Entry]:
        """All that happened between two requests wherever anything did at one of some addresses; cheaper than all."""
        return (entry for entries, _ in self.parts if _may_tell(entries, addresses) for entry in entries)

    @property
    def state(self) -> State | None:
        """The state now; none where the start was refused."""
        match self.outcome:
            case Paused(state=state) | Ended(state=state) | Faulted(state=state):
                return state
            case Refused():
                return None

    def answers(self) -> Iterator[tuple[str, str, Json]]:
        """Every answer so far: address, id of the player or empty, and the answer as JSON."""
        names = self.begun.names
        for turn in self.turns:
            request = turn.request
            player = "" if request.player is None else names.thing("player", request.player)
            yield request.address, player, answer_json(request, turn.given.value, names)

    def save(self) -> Save:
        """The session as it is saved."""
        program = self.begun.executable.program
        return Save(
            ruleset=program.name,
            revision=program.revision,
            fingerprint=program.fingerprint,
            procedure=self.begun.procedure.name,
            arguments=self.begun.arguments_json(),
            start=state_json(self.begun.situation, program),
            seed=self.sources.chance.seed if self.sources.rolls else None,
            position=self.sources.chance.position,
            answers=tuple(Answered(*each) for each in self.answers()),
            state=_encoded(self.state),
        )


def _steps(entries: Sequence[Entry]) -> Iterator[tuple[str, bool]]:
    return ((each.address, each.sort == "step") for each in entries if each.sort in {"step", "passed over"})


def _may_tell(entries: Sequence[Entry], addresses: tuple[str, ...]) -> bool:
    return not isinstance(entries, Record) or not entries.addresses.isdisjoint(addresses)


def _encoded(state: State | None) -> Any:  # noqa: ANN401
    return None if state is None else encode(state)


def begin(begun: Begun, sources: Sources) -> Session:
    """Starts a play and runs to the first request, end, refusal or fault."""
    outcome = machine.start(begun.executable, begun.situation, begun.procedure.name, begun.arguments, begun.limits)
    return Session(begun, outcome, sources)
