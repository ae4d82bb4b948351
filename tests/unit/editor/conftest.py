"""A small ruleset, open on a desk."""

from collections.abc import Callable

import pytest

from rulewright.base.files import MemoryFiles
from rulewright.editor.editor_workspace import OpenDocument, Workspace
from support.raid_example import FILES, MAIN, PLACE


@pytest.fixture
def desk() -> Workspace:
    """The desk with the main file open."""
    made = Workspace(MemoryFiles(FILES))
    made.change_text(PLACE, MAIN)
    made.open_document(PLACE)
    return made


@pytest.fixture
def typed(desk: Workspace) -> Callable[..., tuple[OpenDocument, int]]:
    """Writes one text in the place of another in the main file; `|` in it is the cursor."""

    def type_(old: str, new: str, *, settle: bool = False) -> tuple[OpenDocument, int]:
        content = MAIN.replace(old, new, 1)
        assert content != MAIN
        offset = content.index("|")
        desk.change_text(PLACE, content[:offset] + content[offset + 1 :])
        return desk.open_document(PLACE, settle=settle), offset

    return type_
