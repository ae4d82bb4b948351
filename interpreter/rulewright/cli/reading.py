"""Reads the texts that a command line names, and says what these may have read."""

import click

from rulewright.cli.options import ALLOWED
from rulewright.cli.stop import Stop
from rulewright.diagnostics import Diagnostic
from rulewright.files import DISK, Bounded, ProjectError, bounded, read
from rulewright.source import Text


def read_text(place: str) -> Text:
    """The text of an input.

    Raises:
        Stop: RW0001 to RW0005.
    """
    text = read(place, DISK)
    if isinstance(text, Diagnostic):
        raise Stop([text])
    return text


def files_for(*named: str) -> Bounded:
    """The files that what a command line names may have read, with the folders that `--allow` adds.

    Raises:
        Stop: RW0018, a project file is wrong.
    """
    context = click.get_current_context(silent=True)
    try:
        return bounded(named, context.meta.get(ALLOWED, ()) if context else ())
    except ProjectError as wrong:
        raise Stop([wrong.diagnostic], {wrong.text.name: wrong.text}) from None
