"""Snippets are written with the names of a ruleset, and are fine as they stand; tables tell what their cells may hold."""

import re
from pathlib import Path

import pytest

from rulewright import api
from rulewright.base.diagnostics import Severity
from rulewright.base.files import MemoryFiles
from rulewright.editor.editor_workspace import OpenDocument, Workspace
from rulewright.editor.language_server.protocol_conversion import list_table_words
from rulewright.editor.snippets import list_snippets
from support.documentation_pages import ROOT

STARTERS = sorted((ROOT / "interpreter/rulewright/starters").glob("*/*.rules"))
UNUSED = {"RW0560", "RW0569", "RW0230", "RW0231"}
"""What nothing reads yet, because it was only just written."""

_FIELD = re.compile(r"\$\{\d+:([^}]*)\}")


def _opened(content: str) -> OpenDocument:
    workspace = Workspace(MemoryFiles({"x.rules": content}))
    workspace.change_text("x.rules", content)
    return workspace.open_document("x.rules")


@pytest.mark.parametrize("place", STARTERS, ids=lambda place: place.stem)
def test_all_snippets_together_check_without_a_finding(place: Path, tmp_path: Path) -> None:
    content, names = place.read_text(encoding="utf-8"), []
    for at in range(len(list_snippets(_opened(content)))):
        snippet = list_snippets(_opened(content))[at]
        names.append(snippet.name)
        content += "\n" + _FIELD.sub(lambda field: field[1], snippet.body)
    assert names[:2] == ["a table", "modifiers"]
    assert {"a morale check", "a roll to hit", "a turn"} <= {*names}
    written = tmp_path / "x.rules"
    written.write_text(content, encoding="utf-8")
    found = [each for each in api.check(str(written)) if each.severity is not Severity.HINT]
    assert [(each.code, each.message) for each in found if each.code not in UNUSED] == []


def test_an_empty_text_begins_with_a_whole_ruleset(tmp_path: Path) -> None:
    (snippet,) = list_snippets(_opened("\n"))
    written = tmp_path / "x.rules"
    written.write_text(_FIELD.sub(lambda field: field[1], snippet.body), encoding="utf-8")
    assert snippet.name == "a ruleset"
    assert [*api.check(str(written))] == []


def test_what_the_ruleset_lacks_is_not_offered() -> None:
    names = [each.name for each in list_snippets(_opened('ruleset x "X" revision "1"\n'))]
    assert names == ["a table", "modifiers", "a kind of thing", "a list of words"]


def test_the_cells_of_a_table_know_their_words() -> None:
    (table,) = list_table_words(
        _opened((ROOT / "interpreter/rulewright/starters/hex-combat/hex_combat.rules").read_text(encoding="utf-8"))
    )
    assert (table.name, table.title) == ("combat", "Combat results")
    assert [(each.name, each.words[:2]) for each in table.parameters] == [
        ("roll", ()),
        ("odds", (("weaker", "1:2"), ("even", "1:1"))),
    ]
    assert table.result.words[0] == ("attacker_back", "Attacker retreats")
