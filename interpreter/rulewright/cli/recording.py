"""Writing down a play as a scenario."""

import posixpath
from collections.abc import Sequence
from pathlib import Path

from rulewright.cli.stop import Stop, complaint
from rulewright.cli.writing import can_write, write
from rulewright.drivers.session import Session
from rulewright.files import DISK
from rulewright.machine.run import Paused
from rulewright.scenarios.finding import ENDING
from rulewright.scenarios.recording import recording, way_from


def may_record(file: str | None) -> None:
    """Looks, before anything is played, whether a scenario can be written to a file.

    Raises:
        Stop: RW1016, the file is there already or its name is not that of a scenario file; RW0011, it cannot be
            written.
    """
    if file is None:
        return
    if not file.endswith(ENDING):
        remedy = f"the name of a scenario file ends in `{ENDING}`"
        raise Stop([complaint("RW1016", f"`{file}` is no name for a scenario file", remedy)])
    if DISK.sort(file):
        remedy = "name a new file, and bring the scenario over from there"
        raise Stop([complaint("RW1016", f"`{file}` is there already", remedy)])
    can_write(file)


def can_name(file: str | None, ruleset: str, overlays: Sequence[str]) -> None:
    """Looks, before anything is played, whether a scenario in a file can name the rules it is of.

    Raises:
        Stop: RW1016, the name of a file or folder on the way there is not UTF-8, as scenarios are.
    """
    ways = () if file is None else (way_from(posixpath.dirname(file), each, DISK) for each in (ruleset, *overlays))
    unnamed = next((each for each in ways if not _is_utf_8(each)), None)
    if unnamed is not None:
        remedy = "rename it, or record the play in the folder of the rules and name that folder"
        raise Stop([complaint("RW1016", f"a scenario cannot name `{unnamed}`, which is not UTF-8", remedy)])


def _is_utf_8(name: str) -> bool:
    return not any("\ud800" <= each <= "\udfff" for each in name)


def record(file: str | None, session: Session, ruleset: str, overlays: Sequence[str]) -> None:
    """Writes a play as a scenario, where that is asked for.

    Raises:
        Stop: RW1017, the play is not over; RW0011, the file cannot be written.
    """
    if file is None:
        return
    if isinstance(session.outcome, Paused):
        remedy = "play it to its end; `--save` keeps a play to go on with"
        raise Stop([complaint("RW1017", "only a play that is over can be recorded", remedy)])
    write(Path(file), recording(session, ruleset, overlays, file, DISK))
