"""Saved games and scenarios of the old revision under the new one."""

from collections.abc import Iterator, Mapping, Sequence

from rulewright.cli.diff_sides import Side
from rulewright.cli.loading import value_of
from rulewright.cli.reading import read_text
from rulewright.cli.stop import Stop, complaint
from rulewright.comparing.comparison import Comparison
from rulewright.comparing.playing.data import Migrated
from rulewright.comparing.playing.migrating import migrated
from rulewright.drivers.session import Session
from rulewright.inputs.save import Save, read_save
from rulewright.scenarios.beginning import Rules
from rulewright.scenarios.finding import ENDING
from rulewright.scenarios.loading import all_cases, suites_of
from rulewright.scenarios.playing import play
from rulewright.scenarios.suite import Case


def games_of(files: Sequence[str], old: Side) -> dict[str, Save]:
    """Saves, and plays of scenarios of the old revision, by name; in order.

    Raises:
        Stop: a file cannot be read, or is of another ruleset.
    """
    return dict(pair for file in files for pair in _saves(file, old))


def moved_on(saves: Mapping[str, Save], old: Side, new: Side, comparison: Comparison) -> tuple[Migrated, ...]:
    """What becomes of them under the new revision."""
    return tuple(migrated(old.program, new.program, comparison.correspondence, saves))


def _saves(file: str, old: Side) -> Iterator[tuple[str, Save]]:
    if not file.endswith(ENDING):
        text = read_text(file)
        if not text.content.lstrip().startswith("{"):
            message = f"`{file}` is neither a save nor a file of scenarios"
            remedy = f"`run` and `play` write saves with `--save FILE`; the name of a scenario file ends in `{ENDING}`"
            raise Stop([complaint("RW1108", message, remedy)])
        yield file, value_of(read_save(text, old.program), text)
        return
    rules = Rules(old.asked.provider)
    suites = suites_of((file,), rules)
    if suites.value is None:
        raise Stop(suites.diagnostics, rules.texts)
    for case in all_cases(suites.value):
        session = _played(case, rules)
        if session is not None and session.begun.executable.program.fingerprint == old.program.fingerprint:
            yield f"{file}: {case.name}", session.save()


def _played(case: Case, rules: Rules) -> Session | None:
    """The play of a scenario, the first where it has several; none where it cannot be played."""
    sessions: list[Session] = []
    play(case, rules, sessions.append)
    return sessions[0] if sessions else None
