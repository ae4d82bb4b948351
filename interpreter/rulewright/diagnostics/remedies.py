"""Texts with the edits of diagnostics made in them."""

from collections.abc import Iterable, Mapping

from rulewright.diagnostics.model import Diagnostic, Edit
from rulewright.source import Text


def edited(text: Text, edits: Iterable[Edit]) -> str:
    """The content of a text with edits that do not overlap made in it; lines end as they do in the text.

    A deletion that leaves its lines empty takes them out.
    """
    line_end = "\r\n" if "\r\n" in text.content else "\n"
    content = text.content
    for edit in sorted(edits, key=lambda each: each.span, reverse=True):
        start, end = (edit.span.start, edit.span.end) if edit.replacement else _with_its_line(edit, content)
        content = content[:start] + edit.replacement.replace("\n", line_end) + content[end:]
    return content


def _with_its_line(edit: Edit, content: str) -> tuple[int, int]:
    """What a deletion takes out: whole lines, where it leaves nothing else on them."""
    start, end = edit.span.start, edit.span.end
    before = content.rfind("\n", 0, start) + 1
    after = content.find("\n", end)
    stop = len(content) if after < 0 else after + 1
    if start == end or content[before:start].strip() or content[end:stop].strip():
        return start, end
    return before, stop


def mended_texts(diagnostics: Iterable[Diagnostic], texts: Mapping[str, Text]) -> dict[str, str]:
    """The new content of every text that the edits of some diagnostics touch, by name."""
    by_text: dict[str, list[Edit]] = {}
    for edit in dict.fromkeys(edit for each in diagnostics for edit in each.edits):
        by_text.setdefault(edit.span.source, []).append(edit)
    return {name: edited(texts[name], edits) for name, edits in by_text.items()}


def side_by_side(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Of diagnostics with edits, in order, those whose edits touch none of the edits of one before."""
    chosen: list[Diagnostic] = []
    taken: list[Edit] = []
    for each in diagnostics:
        if not any(_touch(edit, other) for edit in each.edits for other in taken):
            chosen.append(each)
            taken.extend(each.edits)
    return tuple(chosen)


def _touch(one: Edit, other: Edit) -> bool:
    """Whether two edits share or border on a place; what borders on another might be meant to stand before it."""
    if one.span.source != other.span.source:
        return False
    return one.span.start <= other.span.end and other.span.start <= one.span.end
