"""A small ruleset, open on a desk."""

import pytest

from rulewright.base.files import MemoryFiles
from rulewright.editor.editor_workspace import Workspace
from support.raid_example import FILES, MAIN, PLACE


@pytest.fixture
def desk() -> Workspace:
    """The desk with the main file open."""
    made = Workspace(MemoryFiles(FILES))
    made.change_text(PLACE, MAIN)
    made.open_document(PLACE)
    return made
