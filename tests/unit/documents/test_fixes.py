"""Remedies are tried before they are kept: a bad one is left undone, whatever it breaks."""

from dataclasses import replace

import pytest

from rulewright.base.diagnostics import Edit
from rulewright.base.files import FileProvider, MemoryFiles
from rulewright.base.source import Span
from rulewright.documents.check_findings import FixResult, apply_fixes
from rulewright.documents.ruleset_loading import LoadedRuleset, load_ruleset
from rulewright.documents.ruleset_location import locate_ruleset

RULES = """\
ruleset a "A" revision "1"
kind Unit, units:
  morale: 0..9 = 2
procedure rest(u: Unit) "Rest":
  {line}
procedure other(u: Unit) "Another":
  set u.morale to 3
"""
WRITING, NAMED = RULES.format(line="u.morale = 4"), RULES.format(line="set u.moralx to 4")
BAD = {
    "another mistake in the same place": (WRITING, "=", ":="),
    "a mistake behind it that it makes": (WRITING, "u.morale = 4", "set u.morale to to 4"),
    "an unknown name in what it writes": (WRITING, "u.morale = 4", "set u.courage to 4"),
    "a mistake in the next declaration": (WRITING, "u.morale = 4\nprocedure", "nothing\nproceduer"),
    "another unknown name": (NAMED, "moralx", "courage"),
    "a declaration that others need": (NAMED, "  morale: 0..9", "  moralx: 0..9"),
    "a value that does not fit": (NAMED, "moralx to 4", "morale to 40"),
}


def mended(content: str, old: str, new: str) -> FixResult:
    """What comes of a ruleset in which the first finding says that an edit mends it safely."""
    start = content.index(old)
    edit = Edit(Span("a.rules", start, start + len(old)), new, safe=True)

    def told(provider: FileProvider) -> LoadedRuleset:
        loaded = load_ruleset(locate_ruleset("a.rules", provider), provider=provider)
        if loaded.texts["a.rules"].content != content:
            return loaded
        first, *others = loaded.diagnostics
        return replace(loaded, diagnostics=(replace(first, edits=(edit,)), *others))

    return apply_fixes([told], MemoryFiles({"a.rules": content}), lambda _: True, unsafe=False)


@pytest.mark.parametrize("bad", BAD)
def test_a_bad_remedy_is_not_kept(bad: str) -> None:
    found = mended(*BAD[bad])
    assert (dict(found.after), found.fixed) == ({}, ())
    assert len(found.remaining) == 1


def test_a_mistake_in_writing_may_have_hidden_errors_elsewhere() -> None:
    content = WRITING.replace("to 3", "to 30")
    found = mended(content, "u.morale = 4", "set u.morale to 4")
    assert found.after["a.rules"] == content.replace("u.morale = 4", "set u.morale to 4")
    assert [each.code for each in found.loaded[0].errors] == ["RW0401"]
