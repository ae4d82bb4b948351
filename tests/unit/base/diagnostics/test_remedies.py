"""What a remedy is called: by the edits that it makes, and by nothing else."""

import pytest

from rulewright.base.diagnostics import Edit
from rulewright.base.diagnostics.remedies import describe_text_edits
from rulewright.base.source import Span, Text


@pytest.mark.parametrize(
    ("content", "old", "new", "told"),
    [
        ("each u in unit", "unit", "units", "Write `units` in place of `unit`"),
        ("let n = hd.gone", "hd.gone", "hd.going", "Write `hd.going` in place of `hd.gone`"),
        ("roll 2D6 as check", "roll 2D6 as", "roll 2d6 as", "Write `2d6` in place of `2D6`"),
        ("if a > = 3:", "> =", ">=", "Write `>=` in place of `> =`"),
        ("step 1 when a > 3", "", ":", "Write `:` after `3`"),
        ('step 1 "Rest', "", '"', 'Write `"` after `Rest`'),
        ("  tired = 3", "tired", "set tired", "Write `set` before `tired`"),
        ("  a\nuse it\n  b", "use it", "", "Leave out `use it`"),
        ("gain 1\x07", "\x07", "", "Leave out `<U+0007>`"),
        ("  a\n   b", "   ", "    ", "Correct the spaces"),
        ("x", "x", "much " * 40, f"Write `{('much ' * 40)[:59]}…` in place of `x`"),
    ],
)
def test_an_edit_is_told_by_what_it_writes(content: str, old: str, new: str, told: str) -> None:
    text = Text("a.rules", content)
    start = content.find(old) if old else len(content)
    assert describe_text_edits([Edit(Span(text.name, start, start + len(old)), new)], {text.name: text}.get) == told


def test_several_edits_are_told_together() -> None:
    text = Text("a.rules", "say `a`, b")
    at = [Edit(Span(text.name, start, start + 1), "") for start in (4, 6, 7)]
    assert describe_text_edits(at[:2], {text.name: text}.get) == "Leave out “`” in 2 places"
    broken = Edit(Span(text.name, 8, 9), "\n")
    assert describe_text_edits([broken, at[2]], {text.name: text}.get) == "Begin a new line and leave out `,`"


def test_of_many_edits_the_first_is_told() -> None:
    text = Text("a.rules", "a b c")
    edits = [Edit(Span("a.rules", at, at + 1), new) for at, new in ((0, "x"), (2, "y"), (4, "z"))]
    assert describe_text_edits(edits, {"a.rules": text}.get) == "Write `x` in place of `a` and make 2 more changes"
