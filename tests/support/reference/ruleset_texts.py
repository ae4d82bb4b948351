"""Programs and starts from texts."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from rulewright.base.files import MemoryFiles
from rulewright.base.source import Text
from rulewright.documents.ruleset_loading import LoadedRuleset, load_ruleset
from rulewright.documents.ruleset_location import locate_ruleset
from rulewright.documents.state_file import read_state
from rulewright.program.declarations import Program
from rulewright.runtime.state import Situation

_RULESETS = Path(__file__).parents[1] / "rulesets"


def read_rules(name: str) -> str:
    """A text of `support/rulesets`."""
    return (_RULESETS / f"{name}.rules").read_text(encoding="utf-8")


def load_files(texts: Mapping[str, str], main: str = "example.rules", overlays: Sequence[str] = ()) -> LoadedRuleset:
    """What comes of a ruleset among some files, with overlays of it."""
    files = MemoryFiles(texts)
    return load_ruleset(locate_ruleset(main, files), tuple(overlays), files)


def load_text(text: str, **more: str) -> LoadedRuleset:
    """What comes of a ruleset `example.rules`; more files by their stem."""
    return load_files({"example.rules": text, **{f"{stem}.rules": each for stem, each in more.items()}})


@lru_cache(maxsize=64)
def load_program(text: str, **more: str) -> Program:
    """The program of a text that has no errors, the same one while the text is played again and again."""
    found = load_text(text, **more)
    assert found.program is not None, found.diagnostics
    return found.program


def read_situation(text: str, of: Program) -> Situation:
    """The start that a state file describes."""
    read = read_state(Text("state.yaml", text), of)
    assert read.value is not None, read.diagnostics
    return read.value
