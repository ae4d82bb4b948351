"""A small ruleset, open on a desk."""

from collections.abc import Callable

import pytest

from rulewright.editing.desk import Desk, Open
from rulewright.workspace import Memory
from support.raid import FILES, MAIN, PLACE


@pytest.fixture
def desk() -> Desk:
    """The desk with the main file open."""
    made = Desk(Memory(FILES))
    made.change(PLACE, MAIN)
    made.opened(PLACE)
    return made


@pytest.fixture
def typed(desk: Desk) -> Callable[..., tuple[Open, int]]:
    """Writes one text in the place of another in the main file; `|` in it is the cursor."""

    def type_(old: str, new: str, *, settle: bool = False) -> tuple[Open, int]:
        content = MAIN.replace(old, new, 1)
        assert content != MAIN
        offset = content.index("|")
        desk.change(PLACE, content[:offset] + content[offset + 1 :])
        return desk.opened(PLACE, settle=settle), offset

    return type_
