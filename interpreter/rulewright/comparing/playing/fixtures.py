"""Situations and plays that people wrote, beside a ruleset and in its scenarios."""

import json
import posixpath
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from rulewright.diagnostics import has_errors
from rulewright.files import Provider
from rulewright.files import read as read_file
from rulewright.inputs.nodes import Node
from rulewright.inputs.save import Save
from rulewright.inputs.state_file import state_of
from rulewright.inputs.state_json import state_json
from rulewright.inputs.yaml_places import read
from rulewright.machine.situation import Situation
from rulewright.program.declarations import Program
from rulewright.scenarios.beginning import Rules
from rulewright.scenarios.finding import ENDING
from rulewright.scenarios.playing import play
from rulewright.scenarios.suite import Case
from rulewright.source import Text

if TYPE_CHECKING:
    from rulewright.drivers.session import Session

_FOLDERS = ("", "examples")
_ENDINGS = (".yaml", ".yml", ".json")


def fixtures(program: Program, home: str, cases: Sequence[Case], provider: Provider) -> tuple[Situation, ...]:
    """The states beside a ruleset, in its folder and the one for examples, then those of scenarios; each once.

    What is no state of this program is passed over.
    """
    nodes = [*_beside(home, provider), *(each.state for each in cases)]
    found: dict[str, Situation] = {}
    for each in _situations(nodes, program):
        found.setdefault(json.dumps(state_json(each, program), sort_keys=True), each)
    return tuple(found.values())


def recorded(cases: Sequence[Case], rules: Rules, program: Program) -> tuple[Save, ...]:
    """The plays of scenarios of this very program, without overlays that it does not have."""
    sessions: list[Session] = []
    for case in cases:
        play(case, rules, sessions.append)
    same = (each for each in sessions if each.begun.executable.program.fingerprint == program.fingerprint)
    return tuple(each.save() for each in same)


def _beside(home: str, provider: Provider) -> Iterator[Node]:
    for folder in _FOLDERS:
        place = posixpath.join(home, folder)
        for name in provider.files(place):
            if name.endswith(_ENDINGS) and not name.endswith(ENDING):
                text = read_file(posixpath.join(place, name), provider)
                node = read(text).value if isinstance(text, Text) else None
                if node is not None:
                    yield node


def _situations(nodes: Iterable[Node], program: Program) -> Iterator[Situation]:
    for node in nodes:
        found = state_of(node, program)
        if found.value is not None and not has_errors(found.diagnostics):
            yield found.value
