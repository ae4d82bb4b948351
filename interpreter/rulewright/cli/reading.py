"""Reads the texts that a command line names."""

from rulewright.cli.stop import Stop
from rulewright.diagnostics import Diagnostic
from rulewright.files import DISK, read
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
