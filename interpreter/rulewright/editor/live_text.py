"""Texts under edit, with the last readable version of each declaration, and alignment of versions."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import cached_property
from itertools import accumulate, pairwise

from rulewright.base.diagnostics import Diagnostic
from rulewright.base.node_roles import SpanInsideEditError, find_edited_range
from rulewright.base.source import Span, Text, count_common_ends
from rulewright.documents.document_nodes import DocumentNode
from rulewright.documents.yaml_reader import parse_yaml
from rulewright.syntax.engine import ParseTree, get_engine
from rulewright.syntax.parser import blank_forbidden_characters, check_text_size, parse_rules_text

_DECLARATION_START = re.compile(r"^(?=[^\s#)\]}])", re.MULTILINE)


def split_declarations(content: str) -> tuple[str, ...]:
    """Chunks of a text, cut before each line at the left margin; the first holds what is before."""
    starts = [match.start() for match in _DECLARATION_START.finditer(content)]
    cuts = [0, *(start for start in starts if start), len(content)]
    return tuple(content[one:other] for one, other in pairwise(cuts))


def pair_chunks(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Chunks of two versions aligned, in order; an unpaired chunk is paired with "".

    Common prefix and suffix, then `difflib.SequenceMatcher`, then the first two words.
    """
    first, same = count_common_ends(old, new)
    yield from zip(old[:first], new[:first], strict=True)
    yield from _pair_differing_chunks(old[first : len(old) - same], new[first : len(new) - same])
    yield from zip(old[len(old) - same :], new[len(new) - same :], strict=True)


def _pair_differing_chunks(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[str, str]]:
    for _, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if b - a == d - c:
            yield from zip(old[a:b], new[c:d], strict=True)
            continue
        waiting = list(new[c:d])
        for item in old[a:b]:
            partner = next((at for at, one in enumerate(waiting) if chunk_head(one) == chunk_head(item)), None)
            for one in waiting[: partner or 0]:
                yield "", one
            yield item, "" if partner is None else waiting[partner]
            del waiting[: 0 if partner is None else partner + 1]
        for one in waiting:
            yield "", one


def chunk_head(chunk: str) -> tuple[str, ...]:
    """First two words of a declaration, as its key."""
    return tuple(re.findall(r"[\w.]+", chunk.partition("\n")[0])[:2])


class TextAlignment:
    """Map of spans between two versions of a text; spans inside edits have no image."""

    def __init__(self, beside: Sequence[tuple[str, str]]) -> None:
        """`beside`: paired chunks of both versions, in order."""
        self._chunk_pairs = [item for item in beside if item != ("", "")]
        self._old_starts = [0, *accumulate(len(one) for one, _ in self._chunk_pairs)]
        self._new_starts = [0, *accumulate(len(other) for _, other in self._chunk_pairs)]

    def moved(self, span: Span) -> Span:
        """Span in the new version.

        Raises:
            SpanInsideEditError: it is inside an edit.
        """
        at = self._chunk_number(self._old_starts, span.start)
        if not self._chunk_pairs:
            raise SpanInsideEditError
        if span.end > self._old_starts[at + 1]:
            last = self._chunk_number(self._old_starts, span.end)
            if any(one != other for one, other in self._chunk_pairs[at : last + 1]):
                raise SpanInsideEditError
            return _shift_span(span, self._new_starts[at] - self._old_starts[at])
        inside = _shift_span(span, -self._old_starts[at])
        old, new = self._chunk_pairs[at]
        return _shift_span(inside if old == new else find_edited_range(old, new).moved(inside), self._new_starts[at])

    def map_forward(self, span: Span) -> Span | None:
        """Span in the new version; None if it is inside an edit."""
        try:
            return self.moved(span)
        except SpanInsideEditError:
            return None

    def map_back(self, offset: int) -> int | None:
        """Offset in the old version; None if it is inside an edit."""
        if not self._chunk_pairs:
            return None
        at = self._chunk_number(self._new_starts, offset)
        inside = Span("", offset - self._new_starts[at], offset - self._new_starts[at])
        old, new = self._chunk_pairs[at]
        try:
            return self._old_starts[at] + (inside if old == new else find_edited_range(new, old).moved(inside)).start
        except SpanInsideEditError:
            return None

    def _chunk_number(self, starts: Sequence[int], offset: int) -> int:
        return max(0, min(bisect_right(starts, offset) - 1, len(self._chunk_pairs) - 1))


def _shift_span(span: Span, by: int) -> Span:
    return Span(span.source, span.start + by, span.end + by)


class LiveRules:
    """A version of a text of rules; declarations that cannot be parsed keep their last readable version.

    Attributes:
        text: the current text.
        readable: with the last readable version of each declaration, or without it if there is none.
        is_whole: whether no declaration was left out.
        colour_cache: tokens by declaration, of this and earlier versions.
    """

    def __init__(self, text: Text, before: "LiveRules | None" = None) -> None:
        """`before`: the previous version; only new declarations are parsed."""
        self.text = text
        self.colour_cache: Mapping[str, tuple[tuple[int, int, str], ...]] = (
            before.colour_cache if before is not None else {}
        )
        live = split_declarations(text.content)
        known = before._readable_by_chunk if before is not None else {}  # noqa: SLF001 - of the same class
        self._readable_by_chunk: Mapping[str, bool] = {
            item: known[item] if item in known else _is_readable_alone(item) for item in live
        }
        self._chunk_pairs: tuple[tuple[str, str], ...] = tuple(
            self._pair_readable_chunks(live, before._chunk_pairs if before is not None else ())  # noqa: SLF001
        )
        self.readable = Text(text.name, "".join(one for one, _ in self._chunk_pairs))
        self.is_whole = all(one or not other.strip() for one, other in self._chunk_pairs)

    def _pair_readable_chunks(
        self, live: Sequence[str], before: Sequence[tuple[str, str]]
    ) -> Iterator[tuple[str, str]]:
        """Readable version and current text of each chunk."""
        previous_pairs = [item for item in before if item[1]]
        known = dict(zip(range(len(previous_pairs)), previous_pairs, strict=True))
        at = 0
        for old, new in pair_chunks([item for _, item in previous_pairs], live):
            readable = known[at][0] if old else ""
            at += 1 if old else 0
            if not new:
                continue
            yield (new if self._readable_by_chunk[new] else _end_with_newline(readable)), new

    def is_read_at(self, offset: int) -> bool:
        """Whether the declaration at an offset can be parsed."""
        at = 0
        for readable, chunk in self._chunk_pairs:
            at += len(chunk)
            if offset < at:
                return readable == chunk
        return True

    @cached_property
    def alignment(self) -> TextAlignment:
        """From the readable version to the current text."""
        return TextAlignment(self._chunk_pairs)

    @cached_property
    def syntax_errors(self) -> tuple[Diagnostic, ...]:
        """Syntax errors of declarations that cannot be parsed, as `check` reports them."""
        items: list[Diagnostic] = []
        at, above, broken = 0, "", ""
        for readable, chunk in (*self._chunk_pairs, ("", "")):
            if chunk.strip() and readable != chunk:
                broken += chunk
            else:
                if broken:
                    alone = Text(self.text.name, "\n" * (at - len(above + broken)) + above + broken)
                    items.extend(parse_rules_text(alone).diagnostics)
                above, broken = chunk, ""
            at += len(chunk)
        return tuple(items)


def _is_readable_alone(chunk: str) -> bool:
    return check_text_size(Text("", chunk)) is None and isinstance(
        get_engine().parse_tree(blank_forbidden_characters(chunk)), ParseTree
    )


class LiveData:
    """A version of a data file, with its last readable version.

    Attributes:
        text: the current text.
        root: its document; None if it cannot be parsed.
        readable: last readable version, or this one if there is none.
        sort: sort of document as last classified, or empty.
    """

    def __init__(self, text: Text, before: "LiveData | None" = None) -> None:
        self.text = text
        self.root = parse_yaml(text).value
        self.sort: str = before.sort if before is not None else ""
        self.readable: Text = text if self.root is not None or before is None else before.readable

    @cached_property
    def readable_root(self) -> DocumentNode | None:
        """Document of the readable version."""
        return self.root if self.readable is self.text else parse_yaml(self.readable).value

    @property
    def alignment(self) -> TextAlignment:
        """From the readable version to the current text."""
        return TextAlignment(((self.readable.content, self.text.content),))


def _end_with_newline(chunk: str) -> str:
    return chunk if not chunk or chunk.endswith("\n") else f"{chunk}\n"
