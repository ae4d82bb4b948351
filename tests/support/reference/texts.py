"""Programs and starts from texts in memory."""

from rulewright.inputs.state_file import read_state
from rulewright.machine.state import Situation
from rulewright.program.declarations import Program
from rulewright.source import Text
from rulewright.workspace import Loaded, Memory, load, locate


def loaded(text: str, **more: str) -> Loaded:
    """What comes of a ruleset `example.rules`; more files by their stem."""
    files = Memory({"example.rules": text, **{f"{stem}.rules": each for stem, each in more.items()}})
    return load(locate("example.rules", files), provider=files)


def program(text: str, **more: str) -> Program:
    """The program of a text that has no errors."""
    found = loaded(text, **more)
    assert found.program is not None, found.diagnostics
    return found.program


def situation(text: str, of: Program) -> Situation:
    """The start that a state file describes."""
    read = read_state(Text("state.yaml", text), of)
    assert read.value is not None, read.diagnostics
    return read.value
