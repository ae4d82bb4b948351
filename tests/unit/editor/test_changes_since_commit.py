"""What is said above procedures and steps that the last commit has otherwise."""

import subprocess
from pathlib import Path

import pytest

from rulewright.base.files import MemoryFiles
from rulewright.base.git_tree import read_committed_text
from rulewright.editor.editor_workspace import Workspace
from rulewright.editor.text_decorations import list_code_lenses
from support.raid_example import FILES, MAIN, PLACE

CHANGED, NEW = "changed since the last commit", "new since the last commit"


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("let needed = 4", "let needed = 5", {"strike": CHANGED, "strike/1": CHANGED}),
        ('"too worn to strike"', '"too worn"', {"strike": CHANGED}),
        ("  step 3", "  step 4", {"strike": CHANGED, "strike/4": NEW}),
        ("procedure strike", "procedure hit", dict.fromkeys(("hit", "hit/1", "hit/2", "hit/3"), NEW)),
        ("let needed = 4", "let  needed   = 4  # as printed\n", {}),
        ("let needed = 4", "let needed = (", {"strike": CHANGED, "strike/1": CHANGED}),
    ],
)
def test_what_was_changed_is_said_above_it(old: str, new: str, told: dict[str, str]) -> None:
    desk = Workspace(MemoryFiles(FILES), committed=FILES.get)
    content = MAIN.replace(old, new, 1)
    desk.change_text(PLACE, content)
    found = [each for each in list_code_lenses(desk, desk.open_document(PLACE)) if each.does == "compare"]
    assert {each.about: each.says for each in found} == told
    assert {content[each.place.start : each.place.end] for each in found} <= {"procedure", "step"}


def test_nothing_is_said_where_there_is_no_commit(desk: Workspace) -> None:
    desk.change_text(PLACE, MAIN.replace("= 4", "= 5"))
    assert [each for each in list_code_lenses(desk, desk.open_document(PLACE)) if each.does == "compare"] == []


def test_the_last_commit_is_that_of_the_repository_around_a_file(tmp_path: Path) -> None:
    file = tmp_path / "inside" / "a b.rules"
    file.parent.mkdir()
    file.write_text("old", encoding="utf-8")
    assert read_committed_text(str(file)) is None

    def git(*words: str) -> None:
        subprocess.run(["git", "-C", str(tmp_path), *words], check=True, capture_output=True)  # noqa: S607

    git("init", "-q")
    assert read_committed_text(str(file)) is None
    git("add", ".")
    git("-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-q", "-m", "first")
    file.write_text("new", encoding="utf-8")
    assert read_committed_text(str(file)) == "old"
    assert read_committed_text(str(file.with_name("other.rules"))) is None
    assert read_committed_text(str(tmp_path / "nowhere" / "a.rules")) is None
