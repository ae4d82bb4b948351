"""A witness written down as a scenario."""

import posixpath
from pathlib import Path, PurePath

from rulewright.cli.diff_found import Found
from rulewright.cli.output import Output
from rulewright.cli.writing import write
from rulewright.comparing.playing.scenario import scenario_of, tells_apart
from rulewright.diagnostics import Diagnostic, Severity
from rulewright.files import DISK


def write_scenario(found: Found, file: str, out: Output) -> None:
    """Writes the first witness that a scenario can tell, when it was just seen to pass under OLD and fail under NEW.

    Reports RW1107, a warning, where there is none.

    Raises:
        Stop: RW0011, the file cannot be written.
    """
    behaviour, asked = found.whole.behaviour, found.old.asked
    place = posixpath.normpath(PurePath(file).as_posix())
    for each in behaviour.witnesses if behaviour else ():
        text = scenario_of(each, asked.place, asked.overlays, place, DISK)
        if text is not None and tells_apart(text, place, found.old.program, found.new.program, asked.provider):
            write(Path(file), text)
            return
    message = f"nothing was written to `{file}`: there is no witness that a scenario can tell"
    out.report([Diagnostic("RW1107", Severity.WARNING, message)], {})
