"""Plays scenarios and keeps, for each, what it reached."""

import posixpath
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from rulewright.analysis.clauses.trace import TracedDocument, trace
from rulewright.coverage.following import NOTHING, Ear, Heard, Ways, cited, come_to, reached, ways_of
from rulewright.coverage.listing import Listing, listing, settings_value
from rulewright.drivers.session import Session
from rulewright.files import Provider
from rulewright.machine.compile import compile_program
from rulewright.machine.executable import Executable
from rulewright.machine.request import Ended
from rulewright.scenarios.opening import Rules
from rulewright.scenarios.play import play
from rulewright.scenarios.suite import Case, Result, Suite
from rulewright.source import Span
from rulewright.workspace import Loaded


@dataclass(frozen=True)
class Played:
    """A case with what it reached.

    Attributes:
        result: what came of it.
        listing: the units of its ruleset, overlays applied; none where it was not played.
        reached: sort and name of the units its trace shows.
        heard: its conditions and rows.
        cited: clauses in the margins of what happened.
        loaded: its ruleset, overlays applied; none where it was skipped or its ruleset is wrong.
        come_to: places of the lines that a play came to, also where nothing was done there.
        work: steps of its longest play that came to an end.
    """

    result: Result
    listing: Listing | None = None
    reached: frozenset[tuple[str, str]] = frozenset()
    heard: Heard = NOTHING
    cited: frozenset[str] = frozenset()
    loaded: Loaded | None = None
    come_to: frozenset[Span] = frozenset()
    work: int = 0


@dataclass(frozen=True)
class _Ruleset:
    loaded: Loaded
    listing: Listing
    ways: Ways
    ear: Ear


class Player:
    """Plays cases; rulesets are read and compiled once, to be listened to."""

    def __init__(self, provider: Provider) -> None:
        self._rulesets: dict[int, _Ruleset] = {}
        self._loaded: list[Loaded] = []
        self._overlays: set[str] = set()
        self.rules = Rules(provider, compiled=self._compiled)

    def of(self, played: Sequence[Played]) -> "Player":
        """The same, as if only these cases had been played."""
        loaded = [each.loaded for each in played if each.loaded is not None]
        part = Player(self.rules.provider)
        part.rules = self.rules
        part._rulesets = {
            number: each for number, each in self._rulesets.items() if any(each.loaded is one for one in loaded)
        }
        part._loaded = [each for each in self._loaded if any(each is one for one in loaded)]
        part._overlays = {one.text for each in played for one in each.result.case.overlays}
        return part

    @property
    def documents(self) -> tuple[TracedDocument, ...]:
        """The documents of the rulesets played, each once."""
        found = [each for one in self._loaded if one.linked for each in trace(one.linked).documents]
        return tuple({each.name: each for each in reversed(found)}.values())

    @property
    def listings(self) -> tuple[Listing, ...]:
        """The units of the rulesets played."""
        return tuple(each.listing for each in self._rulesets.values())

    @cached_property
    def _homes(self) -> frozenset[str]:
        """The folders of the rulesets played and of the overlays that scenarios name."""
        return frozenset(_folder(each) for each in self._named)

    @property
    def _named(self) -> Iterator[str]:
        yield from (next(iter(each.texts)) for each in self._loaded)
        yield from (each for each in self._overlays if each in self.rules.texts)

    def is_home(self, text: str) -> bool:
        """Whether a text of this name stands in the folder of a ruleset or overlay played; asked when all were."""
        return _folder(text) in self._homes

    def played(self, cases: Sequence[Case], step: Callable[[], None]) -> Iterator[Played]:
        """What each case reached, in order; `step` is called after each."""
        for case in cases:
            yield self._played(case)
            step()

    def _loaded_of(self, case: Case) -> Loaded | None:
        """The ruleset of a case of which nothing was played."""
        ruled = None if case.skip or case.wrong else self.rules.of(case).value
        return None if ruled is None else self._rulesets[id(ruled.executable)].loaded

    def _compiled(self, loaded: Loaded) -> Executable:
        assert loaded.program is not None
        units = listing(loaded.program)
        ear = Ear(units)
        executable = compile_program(loaded.program, traced=True, probes=ear.probes())
        self._rulesets[id(executable)] = _Ruleset(loaded, units, ways_of(loaded.program), ear)
        self._loaded.append(loaded)
        return executable

    def _played(self, case: Case) -> Played:
        self._overlays.update(each.text for each in case.overlays)
        sessions: list[Session] = []
        result = play(case, self.rules, sessions.append)
        if not sessions:
            return Played(result, loaded=self._loaded_of(case))
        ruleset = self._rulesets[id(sessions[0].begun.executable)]
        found = {each for session in sessions for each in reached(session, ruleset.ways)}
        found |= {each for session in sessions for each in _settings(session)}
        heard, invariants = ruleset.ear.taken(), ruleset.listing.program.invariants
        clauses = {each for session in sessions for each in cited(session.entries, ruleset.ways)}
        clauses |= {each for name in heard.judged for each in invariants[name].cites}
        lines = frozenset(each for session in sessions for each in come_to(session.entries, ruleset.ways))
        return Played(
            result=result,
            listing=ruleset.listing,
            reached=frozenset(found),
            heard=heard,
            cited=frozenset(clauses),
            loaded=ruleset.loaded,
            come_to=lines,
            work=_work(sessions),
        )


def played_in(suites: Iterable[Suite], played: Iterable[Played]) -> list[Played]:
    """Those of some cases that stand in some scenario files."""
    files = {case.file for suite in suites for case in suite.cases}
    return [each for each in played if each.result.case.file in files]


def _folder(text: str) -> str:
    return posixpath.normpath(posixpath.dirname(text) or ".")


def _work(sessions: Sequence[Session]) -> int:
    ended = (each.outcome.state for each in sessions if isinstance(each.outcome, Ended))
    return max((each.work + each.visited for each in ended), default=0)


def _settings(session: Session) -> Iterator[tuple[str, str]]:
    program = session.begun.executable.program
    for name, value in session.begun.situation.base.settings.items():
        yield "settings", f"{name} {settings_value(value, program.settings[name], program)}"
