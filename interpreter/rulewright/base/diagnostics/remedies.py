"""Remedies: nearest valid names for typing errors, and edits with the texts that result from them."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import SequenceMatcher, get_close_matches

from rulewright.base.diagnostics import Diagnostic, Edit, Remedy, make_visible
from rulewright.base.source import Span, Text, count_common_ends, count_common_prefix

_MIN_NAME_LETTERS = 4  # in shorter names, one letter is too much of the name
_MIN_CLOSE_MATCH_RATIO = 0.6  # the default of `difflib.get_close_matches`
_MIN_SIMILARITY = 0.7  # of names with neither the same start nor the same letters; chosen, not measured
_TEXT_PIECE = re.compile(r'\s+|[\w.]+|"[^"\n]{0,30}"|.', re.DOTALL)
_MAX_QUOTED_CHARACTERS = 60


def find_nearest_name(name: str, valid: Iterable[str]) -> str | None:
    """The valid name most similar to a mistyped one, or none where nothing is near.

    Similarity is that of `difflib` (Ratcliff and Obershelp 1988); anagrams are preferred, and a reversed name is near.

    >>> find_nearest_name("moral", ["morale", "health"]), find_nearest_name("stpe", ["stop", "step"])
    ('morale', 'step')
    >>> find_nearest_name("ot", ["or", "to"])
    'to'
    >>> find_nearest_name("brave", ["save", "state"]) or find_nearest_name("camp.rules", ["b8.rules", "duel.rules"])
    """
    names = list(dict.fromkeys(valid))
    same = [item for item in names if item.casefold() == name.casefold()]
    if len(same) == 1:
        return same[0]
    items = get_close_matches(name, names, cutoff=_MIN_CLOSE_MATCH_RATIO) or [
        item for item in names if item == name[::-1]
    ]
    items.sort(key=lambda item: sorted(item) != sorted(name))
    return next((item for item in items if _is_similar_name(name, item)), None)


def _is_similar_name(name: str, guess: str) -> bool:
    start, dot, end = name.rpartition(".")
    if dot and guess.endswith(f".{end}"):
        name, guess = start, guess.removesuffix(f".{end}")
    last = guess if dot else guess.rpartition(".")[2]
    alike = name[:2] in {guess[:2], last[:2]} or sorted(name) == sorted(last)
    return alike or SequenceMatcher(None, last, name).ratio() >= _MIN_SIMILARITY


def suggest_name(guess: str | None, otherwise: str = "") -> str:
    """The question "did you mean", or `otherwise` where no name is near."""
    return f"did you mean `{guess}`?" if guess else otherwise


def make_name_remedy(name: str, valid: Iterable[str], span: Span, otherwise: str = "", before: str = "") -> Remedy:
    """Remedy for an unknown name: the nearest valid name in its place, else `otherwise` in words.

    `before` is text inside the span in front of the name. The edit is safe if a single typing error turns the valid
    name, and no other, into the name.
    """
    names = list(dict.fromkeys(valid))
    guess = find_nearest_name(name, names)
    if guess is None:
        return Remedy(otherwise)
    return make_respelling_remedy(span, before + guess, safe=is_single_typo(name, guess, names))


def make_respelling_remedy(span: Span, guess: str, *, safe: bool = False) -> Remedy:
    """Remedy "did you mean", with the edit that writes the name."""
    return Remedy(suggest_name(guess), (Edit(span, guess, safe),))


def make_replacement_remedy(better: str, span: Span, *, safe: bool = True) -> Remedy:
    """Remedy "write", with the edit that replaces the span."""
    return Remedy(f"write `{better}`", (Edit(span, better, safe),))


def make_deletion_edits(span: Span, *, safe: bool = False) -> tuple[Edit, ...]:
    """The edit that deletes a span; `apply_text_edits` deletes lines that it empties."""
    return (Edit(span, "", safe),)


def make_wrapping_edits(before: str, span: Span, after: str, *, safe: bool = False) -> tuple[Edit, ...]:
    """The edits that insert text before and after a span."""
    start, end = Span(span.source, span.start, span.start), Span(span.source, span.end, span.end)
    return tuple(Edit(place, text, safe) for place, text in ((start, before), (end, after)) if text)


def is_single_typo(name: str, guess: str, valid: Iterable[str]) -> bool:
    """Whether one letter omitted, inserted, replaced or two swapped turn this valid name, and no other, into the name.

    This is Damerau-Levenshtein distance 1, but digits are never typing errors, nor is anything in names of three
    letters.

    >>> is_single_typo("moral", "morale", ["morale", "mortal"]), is_single_typo("unit1", "unit2", ["unit2"])
    (False, False)
    >>> is_single_typo("moarle", "morale", ["morale", "health"])
    True
    """
    return _has_one_typo(name, guess) and not any(_has_one_typo(name, item) for item in valid if item != guess)


def _has_one_typo(first: str, second: str) -> bool:
    if min(len(first), len(second)) < _MIN_NAME_LETTERS:
        return False
    start = count_common_prefix(first, second)
    one, other = first[start:], second[start:]
    changed = one[:1] + other[:1]
    slips = (one[1:], other), (one, other[1:]), (one[1:], other[1:]), (one[1::-1] + one[2:], other)
    return not any(item.isdigit() for item in changed) and any(a == b for a, b in slips)


def apply_text_edits(text: Text, edits: Iterable[Edit]) -> str:
    """The content of a text after edits that do not overlap; line ends stay those of the text.

    A deletion that empties lines deletes them.
    """
    line_end = "\r\n" if "\r\n" in text.content else "\n"
    content = text.content
    for edit in sorted(edits, key=lambda item: item.span, reverse=True):
        start, end = (edit.span.start, edit.span.end) if edit.replacement else _expand_deletion(edit, content)
        content = content[:start] + edit.replacement.replace("\n", line_end) + content[end:]
    return content


def locate_edits(text: Text, edits: Iterable[Edit]) -> tuple[Span, ...]:
    """The spans of the replacements in the new text, in order of place."""
    content, moved, items = text.content, 0, list[Span]()
    line_end = "\r\n" if "\r\n" in content else "\n"
    for edit in sorted(edits, key=lambda item: item.span):
        start, end = (edit.span.start, edit.span.end) if edit.replacement else _expand_deletion(edit, content)
        length = len(edit.replacement.replace("\n", line_end))
        items.append(Span(text.name, start + moved, start + moved + length))
        moved += length - (end - start)
    return tuple(items)


def _expand_deletion(edit: Edit, content: str) -> tuple[int, int]:
    start, end = edit.span.start, edit.span.end
    before = content.rfind("\n", 0, start) + 1
    after = content.find("\n", end)
    stop = len(content) if after < 0 else after + 1
    if start == end or content[before:start].strip() or content[end:stop].strip():
        return start, end
    return before, stop


def describe_text_edits(edits: Iterable[Edit], text: Callable[[str], Text | None]) -> str:
    """Button label for edits, such as `Write `units` in place of `unit``; `text` looks a text up by name."""
    listed = list(edits)
    around = _describe_bracketing(sorted(listed, key=lambda edit: edit.span), text)
    if around:
        return around
    phrases = Counter(
        _describe_edit(edit, result.content if (result := text(edit.span.source)) else "") for edit in listed
    )
    first, *others = [f"{words} in {many} places" if many > 1 else words for words, many in phrases.items()]
    rest = f" and make {len(others)} more changes" if len(others) > 1 else "".join(f" and {other}" for other in others)
    return f"{first[:1].upper()}{first[1:]}{rest}"


def _describe_bracketing(edits: Sequence[Edit], text: Callable[[str], Text | None]) -> str:
    """Label of two insertions that put a call around a part of a line; empty for any other edits."""
    match edits:
        case [Edit(Span(source, start, at), opening), Edit(Span(other, end, last), ")")] if "(" in opening:
            held = text(source) if source == other and start == at and end == last else None
            inside = held.content[at:end] if held is not None else "\n"
            return "" if "\n" in inside else f"Write {_quote_snippet(f'{opening}…)')} around {_quote_snippet(inside)}"
        case _:
            return ""


def _describe_edit(edit: Edit, content: str) -> str:
    """Label of one edit in whole words and signs; a common beginning and end are left out."""
    old, new = content[edit.span.start : edit.span.end], edit.replacement
    before, after = _TEXT_PIECE.findall(old), _TEXT_PIECE.findall(new)
    start, stop = count_common_ends(before, after)
    deleted, come = ("".join(item[start : len(item) - stop]) for item in (before, after))
    if come.strip():
        if deleted.strip():
            return f"write {_quote_snippet(come)} in place of {_quote_snippet(deleted)}"
        at = edit.span.start + len("".join(before[:start]))
        line = content.rfind("\n", 0, at) + 1
        text_before = "" if come.startswith("\n") else content[line:at].strip()
        right = "" if come.endswith("\n") else content[at + len(deleted) :].partition("\n")[0].strip()
        if text_before:
            return f"write {_quote_snippet(come)} after {_quote_snippet(_TEXT_PIECE.findall(text_before)[-1])}"
        return f"write {_quote_snippet(come)}" + (
            f" before {_quote_snippet(_TEXT_PIECE.findall(right)[0])}" if right else ""
        )
    if deleted.strip():
        return f"leave out {_quote_snippet(deleted)}"
    if old.strip() and "\n" not in old + new:
        return f"write {_quote_snippet(new)} in place of {_quote_snippet(old)}"
    return "begin a new line" if come.count("\n") > deleted.count("\n") else "correct the spaces"


def _quote_snippet(code: str) -> str:
    line = make_visible(" ".join(code.split()))
    line = line if len(line) <= _MAX_QUOTED_CHARACTERS else f"{line[: _MAX_QUOTED_CHARACTERS - 1]}…"
    return f"“{line}”" if "`" in line else f"`{line}`"


def apply_diagnostic_edits(diagnostics: Iterable[Diagnostic], texts: Mapping[str, Text]) -> dict[str, str]:
    """New content of every text that edits of the diagnostics touch, by text name."""
    by_text: dict[str, list[Edit]] = {}
    for edit in dict.fromkeys(edit for diagnostic in diagnostics for edit in diagnostic.edits):
        by_text.setdefault(edit.span.source, []).append(edit)
    return {name: apply_text_edits(texts[name], edits) for name, edits in by_text.items()}


def select_disjoint_fixes(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Greedy choice of diagnostics, in order, whose edits touch no edit of one chosen before."""
    chosen: list[Diagnostic] = []
    chosen_edits: list[Edit] = []
    for diagnostic in diagnostics:
        if not any(_is_touching_edit(edit, other) for edit in diagnostic.edits for other in chosen_edits):
            chosen.append(diagnostic)
            chosen_edits.extend(diagnostic.edits)
    return tuple(chosen)


def _is_touching_edit(one: Edit, other: Edit) -> bool:
    """Whether two edits overlap or adjoin; of two adjoining insertions the order would be unknown."""
    if one.span.source != other.span.source:
        return False
    return one.span.start <= other.span.end and other.span.start <= one.span.end
