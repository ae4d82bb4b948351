"""From the arguments of a command line to rulesets, texts and inputs."""

from collections.abc import Sequence
from typing import TypeVar

from rulewright.cli.stop import Stop
from rulewright.inputs.findings import Read
from rulewright.program.declarations import Program
from rulewright.source import Text
from rulewright.workspace import Loaded, load, locate

_T = TypeVar("_T")


def load_ruleset(name: str, overlays: Sequence[str]) -> Loaded:
    """What came of a ruleset with its overlays; one that stands beside the ruleset may be given by its bare name."""
    return load(locate(name), tuple(overlays))


def load_program(name: str, overlays: Sequence[str]) -> tuple[Program, Loaded]:
    """The program of a ruleset that is to be used.

    Raises:
        Stop: it cannot be read or has errors; warnings are left to `check`.
    """
    loaded = load_ruleset(name, overlays)
    if loaded.program is None:
        raise Stop(loaded.errors, loaded.texts)
    return loaded.program, loaded


def value_of(found: Read[_T], *texts: Text) -> _T:
    """What a reader made of its input.

    Raises:
        Stop: it found errors.
    """
    if found.value is None:
        raise Stop(found.diagnostics, {text.name: text for text in texts})
    return found.value
