"""From the arguments of a command line to rulesets, texts and inputs."""

import posixpath
from collections.abc import Sequence
from typing import TypeVar

from rulewright.cli.stop import Stop
from rulewright.diagnostics import has_errors
from rulewright.files import DISK
from rulewright.inputs.findings import Read
from rulewright.program.declarations import Program
from rulewright.source import Text
from rulewright.workspace import Loaded, Located, load, locate

_T = TypeVar("_T")


def load_ruleset(name: str, overlays: Sequence[str]) -> Loaded:
    """What came of a ruleset with its overlays; one that stands beside the ruleset may be given by its bare name."""
    located = locate(name)
    return load(located, tuple(_overlay(each, located) for each in overlays))


def _overlay(name: str, located: Located) -> str:
    beside = posixpath.join(posixpath.dirname(located.main or ""), f"{name}.rules")
    return beside if not DISK.sort(name) and DISK.sort(beside) == "file" else name


def load_program(name: str, overlays: Sequence[str]) -> tuple[Program, Loaded]:
    """The program of a ruleset that is to be used.

    Raises:
        Stop: it cannot be read or has errors; warnings are left to `check`.
    """
    loaded = load_ruleset(name, overlays)
    if loaded.program is None:
        errors = tuple(each for each in loaded.diagnostics if has_errors([each]))
        raise Stop(errors, loaded.texts)
    return loaded.program, loaded


def value_of(found: Read[_T], *texts: Text) -> _T:
    """What a reader made of its input.

    Raises:
        Stop: it found errors.
    """
    if found.value is None:
        raise Stop(found.diagnostics, {text.name: text for text in texts})
    return found.value
