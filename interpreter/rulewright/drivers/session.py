"""A play with its history: immutable, so that going back is keeping a reference."""

from bisect import bisect_left
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import field, replace
from typing import overload

from rulewright.codecs.table import to_json
from rulewright.drivers.sources import AtOnce, Given, Reply, Sources
from rulewright.frozen import dataclass
from rulewright.inputs.answers import answer_json, calling_dice
from rulewright.inputs.names import Names
from rulewright.inputs.nodes import Json
from rulewright.inputs.save import Answered, Save
from rulewright.inputs.script import ByItself
from rulewright.inputs.state_json import state_json
from rulewright.machine.codec import encode
from rulewright.machine.entries import Record
from rulewright.machine.executable import Executable
from rulewright.machine.faults import Limits
from rulewright.machine.question import Question, alone
from rulewright.machine.request import CHANCE, Ended, Faulted, Refused, Request
from rulewright.machine.run import Outcome, Paused, Run, advance, start
from rulewright.machine.state import Situation, State
from rulewright.machine.trace import Entry
from rulewright.machine.values import Value
from rulewright.program import statements as st
from rulewright.program.declarations import Procedure
from rulewright.program.walk import shared_address


@dataclass(frozen=True, slots=True)
class Begun:
    """How a play began."""

    executable: Executable  # the compiled ruleset
    procedure: Procedure  # what was begun
    situation: Situation  # the start
    arguments: tuple[Value, ...]  # in the order of the procedure's parameters
    limits: Limits  # of the run

    @property
    def names(self) -> Names:
        """Names of words and things."""
        return Names(self.executable.program, self.situation.base)

    def at_table(self) -> "Begun":
        """The same for people who see each other asked: a question for one player alone is put whatever is legal."""
        return replace(self, limits=replace(self.limits, put=self.executable.withheld))

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
    def asked(self) -> Question:
        """What was asked, not looked at: who, at which line, of which sort."""
        return self.paused.asked

    @property
    def request(self) -> Request:
        """What was asked, as a whole."""
        return self.paused.request

    @property
    def secret(self) -> bool:
        """Whether it was answered in secret."""
        return isinstance(self.asked.node, st.Ask) and self.asked.node.secret


class _Log:
    """Turns in order, and where each line was asked, for every past that begins with them."""

    __slots__ = ("_later", "asked", "turns")

    def __init__(self, later: Callable[[], Iterable[Turn]] = tuple) -> None:
        self.turns: list[Turn] = []
        self.asked: dict[str, list[int]] = {}
        self._later: Callable[[], Iterable[Turn]] | None = later

    def whole(self) -> "_Log":
        if self._later is not None:
            later, self._later = self._later, None
            for each in later():
                self.add(each)
        return self

    def add(self, turn: Turn) -> None:
        if turn.asked.exploded is None:
            self.asked.setdefault(shared_address(turn.asked.line), []).append(len(self.turns))
        self.turns.append(turn)


class Past(Sequence[Turn]):
    """Requests answered, in order; each play that goes on from here has them too, and pays for what it adds alone."""

    __slots__ = ("_count", "_kept")

    def __init__(self, turns: Iterable[Turn] = (), log: _Log | None = None, later: int = 0) -> None:
        """`later` is how many the log still has to make."""
        self._kept = log or _Log()
        for turn in turns:
            self._log.add(turn)
        self._count = later or len(self._log.turns)

    @property
    def _log(self) -> _Log:
        return self._kept.whole()

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, number: int) -> Turn: ...

    @overload
    def __getitem__(self, number: slice) -> tuple[Turn, ...]: ...

    def __getitem__(self, number: int | slice) -> Turn | tuple[Turn, ...]:
        found = range(self._count)[number]
        return tuple(self._log.turns[each] for each in found) if isinstance(found, range) else self._log.turns[found]

    def and_then(self, turn: Turn) -> "Past":
        """The same with one more."""
        last = len(self._log.turns) == self._count
        return Past((turn,), self._log) if last else Past((*self, turn))

    def occasion(self, asked: Question) -> int:
        """How often the same was asked before; a roll that goes on with what exploded is the roll it began with."""
        before = bisect_left(self._log.asked.get(shared_address(asked.line), ()), self._count)
        return before if asked.exploded is None else before - 1


@dataclass(frozen=True, slots=True)
class Session:
    """A play up to one moment."""

    begun: Begun  # how it began
    outcome: Outcome  # where it stands: paused, ended, refused or faulted
    sources: Sources  # who answers without being asked
    turns: Past = field(default_factory=Past)  # requests answered so far

    def answered(self, given: Given, sources: Sources) -> "Session | Refused":
        """The session after an answer, or why the answer is refused."""
        paused = self.outcome
        assert isinstance(paused, Paused)
        sure = given.source in {"dice", "policy"}
        outcome = paused.take(given.value) if sure else advance(paused, given.value)
        if isinstance(outcome, Refused):
            return outcome
        if given.source == "person" and sources.kept:
            sources = replace(sources, kept=tuple(each for each in sources.kept if each.source == "kept"))
        return Session(self.begun, outcome, sources, self.turns.and_then(Turn(paused, given, self.sources)))

    def reply(self) -> Reply:
        """What the sources say to the request at which it stands."""
        assert isinstance(self.outcome, Paused)
        occasion = self.turns.occasion(self.outcome.asked)
        return self.sources.answer(self.outcome, occasion, self.by_itself_last)

    def by_itself(self, part: int) -> Iterator[ByItself]:
        """What answered itself after a number of turns, each question as it would have been put, in order.

        That part of the play is repeated from its beginning, and nothing is taken for granted.
        """
        begun, limits = self.begun, replace(self.begun.limits, forced=True)
        if part:
            turn = self.turns[part - 1]
            after = Run.thaw(begun.executable, turn.paused.state, limits).reply(turn.given.value)
        else:
            name, arguments = begun.procedure.name, begun.arguments
            after = start(begun.executable, begun.situation, name, arguments, limits)
        asked = self.turns[part].paused if part < len(self.turns) else self.outcome
        while isinstance(after, Paused):
            only = alone(after.request)
            if not only or (isinstance(asked, Paused) and after.state == asked.state):
                return
            yield ByItself(after, only[0])
            after = advance(after, only[0])

    def by_itself_last(self) -> Iterator[ByItself]:
        """What answered itself since the last turn, of those that had a choice."""
        first = len(self.turns)
        while first and self._chose_nothing(self.turns[first - 1]):
            first -= 1
        return self._by_itself_from(first)

    def ever_by_itself(self) -> Iterator[ByItself]:
        """All that answered itself so far, in order."""
        return self._by_itself_from(0)

    def _by_itself_from(self, first: int) -> Iterator[ByItself]:
        for part in range(first, len(self.turns) + 1):
            yield from self.by_itself(part)
            if part < len(self.turns) and self._chose_nothing(turn := self.turns[part]):
                yield ByItself(turn.paused, turn.given.value)

    def _chose_nothing(self, turn: Turn) -> bool:
        """Whether a question was put only so that others do not learn that it had one answer."""
        return turn.asked.site in self.begun.limits.put and bool(alone(turn.request))

    def undone(self) -> "Session | None":
        """The session before the last answer of a person that can be taken back; none where there is none.

        What was seen since then is kept, to be seen again where the same is asked: what chance showed, typed or not,
        and secret answers that were revealed. Dice that a person typed are taken back, to be typed anew, only while
        nothing was answered or revealed since.
        """
        last = len(self.turns) - 1
        return next((self._before(index) for index in range(last, -1, -1) if self._may_be_taken_back(index)), None)

    def _may_be_taken_back(self, index: int) -> bool:
        turn = self.turns[index]
        if turn.given.source != "person":
            return False
        if turn.asked.sort in CHANCE:
            return index == len(self.turns) - 1 and not any(each.sort == "revealed" for each in self.since(index))
        return not self.is_revealed(index)

    def is_revealed(self, index: int) -> bool:
        """Whether an answer was secret, and is so no more."""
        turn = self.turns[index]
        return turn.secret and any(
            each.sort == "revealed" and each.title == turn.request.name for each in self.since(index)
        )

    def since(self, index: int) -> Iterator[Entry]:
        """All that happened since the turn of a number was answered."""
        for turn in self.turns[index + 1 :]:
            yield from turn.paused.entries
        yield from self.outcome.entries

    def _before(self, index: int) -> "Session":
        turn = self.turns[index]
        anew = turn.asked.sort in CHANCE
        older = self.sources.kept if anew else tuple(replace(each, source="kept") for each in self.sources.kept)
        shown = [self._kept(turn, "person")] if anew else []
        shown += [self._kept(self.turns[later], "kept") for later in self._seen_after(index)]
        sources = replace(turn.sources, chance=self.sources.chance, kept=(*shown, *older))
        return Session(self.begun, turn.paused, sources, Past(map(self._stands, range(index))))

    def _stands(self, index: int) -> Turn:
        """A turn as it stays when later ones are taken back: what has led on, or was revealed, stands from now on."""
        turn, source = self.turns[index], self.turns[index].given.source
        if source == "person" and turn.asked.sort in CHANCE:
            source = "typed"
        elif source == "person" and self.is_revealed(index):
            source = "kept"
        return replace(turn, given=replace(turn.given, source=source))

    def _seen_after(self, index: int) -> Iterator[int]:
        """Turns after one whose answers cannot be made unseen; a script that is still there gives its own again."""
        for later in range(index + 1, len(self.turns)):
            turn = self.turns[later]
            again = turn.given.source == "script" and turn.sources.script is not None
            seen = turn.asked.sort in CHANCE or turn.given.source == "kept" or self.is_revealed(later)
            if seen and not again:
                yield later

    def _kept(self, turn: Turn, source: str) -> Answered:
        request, names = turn.request, self.begun.names
        answer = answer_json(request, turn.given.value, names)
        return Answered(request.address, names.player(request.player), answer, source)

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

    def results(self, sorts: Container[str]) -> Iterator[tuple[str, Value]]:
        """Addresses of all entries of some sorts in order, with what came of each; likewise cheaper."""
        for entries, _ in self.parts:
            if isinstance(entries, Record):
                yield from entries.results(sorts)
            else:
                yield from ((each.address, each.result) for each in entries if each.sort in sorts)

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

    @property
    def threw(self) -> bool:
        """Whether the seed decided anything so far."""
        drawing = {"dice", "policy"} if "random" in self._words else {"dice"}
        return any(turn.given.source in drawing for turn in self.turns)

    @property
    def _words(self) -> set[str | None]:
        """The policies of all who choose."""
        executable = self.begun.executable
        single = (word for site in executable.with_policies for word, _ in executable.sites[site].policies.values())
        return {self.sources.policy, *self.sources.policies.values(), *single}

    def answers(self) -> Iterator[tuple[str, str, Json]]:
        """Every answer so far where there was a choice: address, id of the player or empty, and the answer as JSON."""
        names = self.begun.names
        for turn in self.turns:
            if self._chose_nothing(turn):
                continue
            request = turn.request
            answer = answer_json(request, turn.given.value, calling_dice(request, names))
            yield request.address, names.player(request.player), answer

    def save(self, rules: str = "", overlays: Sequence[str] = ()) -> Save:
        """The session as it is saved, with where its rules are, as seen from the folder of the save."""
        program = self.begun.executable.program
        return Save(
            ruleset=program.name,
            revision=program.revision,
            fingerprint=program.fingerprint,
            procedure=self.begun.procedure.name,
            arguments=self.begun.arguments_json(),
            start=state_json(self.begun.situation, program),
            seed=self.sources.chance.seed if self.sources.rolls else None,
            answers=tuple(self._kept(turn, turn.given.source) for turn in self.turns),
            state=None if self.state is None else encode(self.state),
            kept=self.sources.kept,
            rules=rules,
            overlays=tuple(overlays),
        )


def _steps(entries: Sequence[Entry]) -> Iterator[tuple[str, bool]]:
    return ((each.address, each.sort == "step") for each in entries if each.sort in {"step", "passed over"})


def _may_tell(entries: Sequence[Entry], addresses: tuple[str, ...]) -> bool:
    return not isinstance(entries, Record) or not entries.addresses.isdisjoint(addresses)


def begin_at_once(begun: Begun, sources: Sources) -> Session:
    """Starts a play and runs to the first request that takes more than chance and a policy, or to where it is over."""
    executable, at_once = begun.executable, AtOnce(sources, begun.executable).answer
    live = Run.begin(executable, begun.situation, begun.procedure.name, begun.arguments, begun.limits, at_once)

    def turns() -> Iterator[Turn]:
        for paused, value in live.requests:
            yield Turn(paused, Given(value, "dice" if paused.asked.sort in CHANCE else "policy"), sources)

    over = not isinstance(live.outcome, Paused)
    return Session(begun, live.outcome, sources, Past((), _Log(turns), live.answered) if over else Past(turns()))


def begin(begun: Begun, sources: Sources) -> Session:
    """Starts a play and runs to the first request, end, refusal or fault."""
    outcome = start(begun.executable, begun.situation, begun.procedure.name, begun.arguments, begun.limits)
    return Session(begun, outcome, sources)
