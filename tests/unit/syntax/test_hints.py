"""Each row of the table of hints shows itself: its message at its place, and a remedy that is read without a mistake."""

import re

import pytest

from rulewright.base.diagnostics import Diagnostic
from rulewright.base.source import Text
from rulewright.syntax import recovery
from rulewright.syntax.mistakes.hint import Hint
from rulewright.syntax.mistakes.hint_table import HINTS
from rulewright.syntax.mistakes.mistake_context import MistakeContext
from rulewright.syntax.mistakes.mistake_diagnosis import diagnose_mistake
from rulewright.syntax.parser import parse_rules_text
from rulewright.syntax.words import DECLARATION_WORDS, HEADER_WORDS

FRAMES = {
    "declaration": "",
    "line": "kind Unit, units:\n  hurt: flag\nprocedure p(u: Unit):\n  ",
    "field": "kind Unit, units:\n  ",
    "word": "values Odds:\n  ",
    "table row": "table worth(a: 0..2, b: 0..2) gives 0..9:\n  zero: 0 | 0 | 1\n  ",
    "tally row": "tally t(u: Unit) from 0:\n  ",
    "decide row": "decide d(u: Unit) gives player:\n  hurt: red when u.hurt\n  ",
    "key": "procedure p(u: Unit):\n  rank each x in units as first:\n    ",
    "case": "procedure p(u: Unit):\n  match u.state:\n    ",
}
"""What stands around an example that is no declaration, by the kind of its line."""
ROWS = [hint for hint in HINTS if isinstance(hint, Hint)]


def read_example(hint: Hint) -> tuple[str, tuple[int, int], str | None]:
    """Text of an example, the offsets of its mistake, and the text as the remedy leaves it, if there is one."""
    shown, _, mended = hint.example.partition(" → ")
    first = re.match(r"\W*(\w*)", shown)
    is_declared = first is not None and first[1] in DECLARATION_WORDS | HEADER_WORDS
    kind = hint.kind.split("|")[0]
    frame = FRAMES[kind if kind in FRAMES else "declaration" if is_declared else "line"]
    mended = re.sub("«.*»", hint.write, shown) if mended == "…" else mended
    shown, mended = (text + "\n  nothing" if text.endswith(":") else text for text in (shown, mended))
    indent = frame[frame.rfind("\n") + 1 :]
    framed, mended = (text and frame + text.replace("\n", f"\n{indent}") + "\n" for text in (shown, mended))
    start, end = framed.index("«"), framed.index("»") - 1
    return framed.replace("«", "").replace("»", ""), (start, end), mended or None


def apply_edits(text: str, diagnostic: Diagnostic) -> str:
    for edit in sorted(diagnostic.edits, key=lambda edit: edit.span.start, reverse=True):
        text = text[: edit.span.start] + edit.replacement + text[edit.span.end :]
    return text


@pytest.mark.parametrize("hint", ROWS, ids=[hint.pattern for hint in ROWS])
def test_a_row_shows_itself(hint: Hint, monkeypatch: pytest.MonkeyPatch) -> None:
    answers: list[object] = []

    def watch(context: MistakeContext) -> Diagnostic:
        answers.append(next(row for row in HINTS if row(context) is not None))
        return diagnose_mistake(context)

    monkeypatch.setattr(recovery, "diagnose_mistake", watch)
    content, place, mended = read_example(hint)
    first = parse_rules_text(Text("a.rules", content)).diagnostics[0]
    assert answers[0] is hint
    assert first.primary is not None
    assert content[first.primary.span.start : first.primary.span.end] == content[place[0] : place[1]]
    assert (first.primary.span.start, first.code) == (place[0], hint.code)
    assert (apply_edits(content, first) if first.edits else None) == mended
    if mended:
        assert list(parse_rules_text(Text("a.rules", mended)).diagnostics) == []
