"""Programs and starts from texts in memory."""

from rulewright.base.files import MemoryFiles
from rulewright.base.source import Text
from rulewright.documents.ruleset_loading import LoadedRuleset, load_ruleset
from rulewright.documents.ruleset_location import locate_ruleset
from rulewright.documents.state_file import read_state
from rulewright.program.declarations import Program
from rulewright.runtime.state import Situation


def load_text(text: str, **more: str) -> LoadedRuleset:
    """What comes of a ruleset `example.rules`; more files by their stem."""
    files = MemoryFiles({"example.rules": text, **{f"{stem}.rules": each for stem, each in more.items()}})
    return load_ruleset(locate_ruleset("example.rules", files), provider=files)


def load_program(text: str, **more: str) -> Program:
    """The program of a text that has no errors."""
    found = load_text(text, **more)
    assert found.program is not None, found.diagnostics
    return found.program


def read_situation(text: str, of: Program) -> Situation:
    """The start that a state file describes."""
    read = read_state(Text("state.yaml", text), of)
    assert read.value is not None, read.diagnostics
    return read.value
