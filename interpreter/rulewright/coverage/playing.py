"""Plays scenarios and keeps, for each, what it reached."""

import posixpath
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from rulewright.analysis.clauses.trace import TracedDocument, trace
from rulewright.coverage.following import Ways, cited, reached, ways_of
from rulewright.coverage.hearing import NOTHING, Ear, Heard
from rulewright.coverage.listing import Listing, listing, settings_value
from rulewright.drivers.session import Session
from rulewright.files import Provider
from rulewright.machine.compile import compile_program
from rulewright.machine.executable import Executable
from rulewright.scenarios.beginning import Rules
from rulewright.scenarios.playing import play
from rulewright.scenarios.results import Result
from rulewright.scenarios.suite import Case
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
    """

    result: Result
    listing: Listing | None = None
    reached: frozenset[tuple[str, str]] = frozenset()
    heard: Heard = NOTHING
    cited: frozenset[str] = frozenset()


@dataclass(frozen=True)
class _Ruleset:
    listing: Listing
    ways: Ways
    ear: Ear


class Player:
    """Plays cases; rulesets are read and compiled once, to be listened to."""

    def __init__(self, provider: Provider) -> None:
        self._rulesets: dict[int, _Ruleset] = {}
        self._loaded: list[Loaded] = []
        self.rules = Rules(provider, compiled=self._compiled)

    @property
    def documents(self) -> tuple[TracedDocument, ...]:
        """The documents of the rulesets played, each once."""
        found = [each for one in self._loaded if one.linked for each in trace(one.linked).documents]
        return tuple({each.name: each for each in reversed(found)}.values())

    @property
    def listings(self) -> tuple[Listing, ...]:
        """The units of the rulesets played."""
        return tuple(each.listing for each in self._rulesets.values())

    @property
    def homes(self) -> frozenset[str]:
        """The folders of the rulesets played."""
        return frozenset(posixpath.dirname(next(iter(each.texts))) for each in self._loaded)

    def played(self, cases: Sequence[Case], step: Callable[[], None]) -> Iterator[Played]:
        """What each case reached, in order; `step` is called after each."""
        for case in cases:
            yield self._played(case)
            step()

    def _compiled(self, loaded: Loaded) -> Executable:
        assert loaded.program is not None
        units = listing(loaded.program)
        ear = Ear(units)
        executable = compile_program(loaded.program, traced=True, probes=ear.probes())
        self._rulesets[id(executable)] = _Ruleset(units, ways_of(loaded.program), ear)
        self._loaded.append(loaded)
        return executable

    def _played(self, case: Case) -> Played:
        sessions: list[Session] = []
        result = play(case, self.rules, sessions.append)
        if not sessions:
            return Played(result)
        ruleset = self._rulesets[id(sessions[0].begun.executable)]
        found = {each for session in sessions for each in reached(session, ruleset.ways)}
        found |= {each for session in sessions for each in _settings(session)}
        clauses = frozenset(each for session in sessions for each in cited(session.entries, ruleset.ways))
        return Played(result, ruleset.listing, frozenset(found), ruleset.ear.taken(), clauses)


def _settings(session: Session) -> Iterator[tuple[str, str]]:
    program = session.begun.executable.program
    for name, value in session.begun.situation.base.settings.items():
        yield "settings", f"{name} {settings_value(value, program.settings[name], program)}"
