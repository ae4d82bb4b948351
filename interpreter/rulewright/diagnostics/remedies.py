"""Remedies: the name somebody probably meant, in words and as an edit, and texts with such edits made in them."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from difflib import SequenceMatcher, get_close_matches

from rulewright.diagnostics.model import Diagnostic, Edit
from rulewright.diagnostics.terminal import visible
from rulewright.frozen import dataclass
from rulewright.source import Span, Text

_SHORTEST = 4
_LEAST = 0.6
_NEAR = 0.7
_PIECE = re.compile(r'\s+|[\w.]+|"[^"\n]{0,30}"|.', re.DOTALL)
_LONGEST = 60


@dataclass(frozen=True, slots=True)
class Remedy:
    """What to do, in words and, where it can be, as edits."""

    help: str = ""
    edits: tuple[Edit, ...] = ()


def nearest(name: str, valid: Iterable[str]) -> str | None:
    """The valid name most like a mistyped one, or none where nothing is near.

    >>> nearest("moral", ["morale", "health"]), nearest("stpe", ["stop", "step"])
    ('morale', 'step')
    >>> nearest("ot", ["or", "to"])
    'to'
    >>> nearest("brave", ["save", "state"]) or nearest("camp.rules", ["b8.rules", "duel.rules"])
    """
    names = list(dict.fromkeys(valid))
    same = [each for each in names if each.casefold() == name.casefold()]
    if len(same) == 1:
        return same[0]
    found = get_close_matches(name, names, cutoff=_LEAST) or [each for each in names if each == name[::-1]]
    found.sort(key=lambda each: sorted(each) != sorted(name))
    return next((each for each in found if _is_near(name, each)), None)


def _is_near(name: str, guess: str) -> bool:
    """Whether names that are somewhat alike are so for more than a common end: a start, the letters, or most of it."""
    start, dot, end = name.rpartition(".")
    if dot and guess.endswith(f".{end}"):
        name, guess = start, guess.removesuffix(f".{end}")
    last = guess if dot else guess.rpartition(".")[2]
    alike = name[:2] in {guess[:2], last[:2]} or sorted(name) == sorted(last)
    return alike or SequenceMatcher(None, last, name).ratio() >= _NEAR


def suggested(guess: str | None, otherwise: str = "") -> str:
    """The question whether a name was meant, or what else helps where none is near."""
    return f"did you mean `{guess}`?" if guess else otherwise


def meant(name: str, valid: Iterable[str], span: Span, otherwise: str = "", before: str = "") -> Remedy:
    """The remedy for a name nobody knows: the valid name nearest to it in its place, else `otherwise` in words.

    `before` stands in the text before the name, inside the span. The edit is safe where the two names differ by one
    slip of the fingers and no other valid name does.
    """
    names = list(dict.fromkeys(valid))
    guess = nearest(name, names)
    if guess is None:
        return Remedy(otherwise)
    return respelt(span, before + guess, safe=is_slip(name, guess, names))


def respelt(span: Span, guess: str, *, safe: bool = False) -> Remedy:
    """The remedy that asks for another name, and writes it."""
    return Remedy(suggested(guess), (Edit(span, guess, safe),))


def written(better: str, span: Span, *, safe: bool = True) -> Remedy:
    """The remedy that writes something else in the place of what is wrong."""
    return Remedy(f"write `{better}`", (Edit(span, better, safe),))


def left_out(span: Span, *, safe: bool = False) -> tuple[Edit, ...]:
    """The edit that leaves something out; where that empties a line, the line goes with it."""
    return (Edit(span, "", safe),)


def wrapped(before: str, span: Span, after: str, *, safe: bool = False) -> tuple[Edit, ...]:
    """The edits that put something around what stands in a place."""
    start, end = Span(span.source, span.start, span.start), Span(span.source, span.end, span.end)
    return tuple(Edit(place, text, safe) for place, text in ((start, before), (end, after)) if text)


def is_slip(name: str, guess: str, valid: Iterable[str]) -> bool:
    """Whether one letter too few, too many or other, or two letters swapped, lead to this name and to no other.

    Digits tell names apart, so they are never slips; nor is anything in a name of three letters.

    >>> is_slip("moral", "morale", ["morale", "mortal"]), is_slip("unit1", "unit2", ["unit2"])
    (False, False)
    >>> is_slip("moarle", "morale", ["morale", "health"])
    True
    """
    return _one_slip(name, guess) and not any(_one_slip(name, each) for each in valid if each != guess)


def _one_slip(first: str, second: str) -> bool:
    if min(len(first), len(second)) < _SHORTEST:
        return False
    start = next((n for n, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), None)
    start = min(len(first), len(second)) if start is None else start
    one, other = first[start:], second[start:]
    changed = one[:1] + other[:1]
    slips = (one[1:], other), (one, other[1:]), (one[1:], other[1:]), (one[1::-1] + one[2:], other)
    return not any(each.isdigit() for each in changed) and any(a == b for a, b in slips)


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


def written_at(text: Text, edits: Iterable[Edit]) -> tuple[Span, ...]:
    """Where in the new text stands what each of some edits writes, in order."""
    content, moved, found = text.content, 0, list[Span]()
    line_end = "\r\n" if "\r\n" in content else "\n"
    for edit in sorted(edits, key=lambda each: each.span):
        start, end = (edit.span.start, edit.span.end) if edit.replacement else _with_its_line(edit, content)
        length = len(edit.replacement.replace("\n", line_end))
        found.append(Span(text.name, start + moved, start + moved + length))
        moved += length - (end - start)
    return tuple(found)


def _with_its_line(edit: Edit, content: str) -> tuple[int, int]:
    """What a deletion takes out: whole lines, where it leaves nothing else on them."""
    start, end = edit.span.start, edit.span.end
    before = content.rfind("\n", 0, start) + 1
    after = content.find("\n", end)
    stop = len(content) if after < 0 else after + 1
    if start == end or content[before:start].strip() or content[end:stop].strip():
        return start, end
    return before, stop


def in_words(edits: Iterable[Edit], text: Callable[[str], Text | None]) -> str:
    """What edits do, as the name of a button: `Write `units` in place of `unit``; `text` gives a text by its name."""
    told = Counter(_edit_in_words(each, found.content if (found := text(each.span.source)) else "") for each in edits)
    first, *others = [f"{words} in {many} places" if many > 1 else words for words, many in told.items()]
    rest = f" and make {len(others)} more changes" if len(others) > 1 else "".join(f" and {each}" for each in others)
    return f"{first[:1].upper()}{first[1:]}{rest}"


def _edit_in_words(edit: Edit, content: str) -> str:
    """What one edit writes or leaves out, by whole words and signs; what stays as it is, is not named."""
    old, new = content[edit.span.start : edit.span.end], edit.replacement
    before, after = _PIECE.findall(old), _PIECE.findall(new)
    start = _common(before, after)
    stop = _common(before[start:][::-1], after[start:][::-1])
    gone, come = ("".join(each[start : len(each) - stop]) for each in (before, after))
    if come.strip():
        if gone.strip():
            return f"write {_quoted(come)} in place of {_quoted(gone)}"
        at = edit.span.start + len("".join(before[:start]))
        line = content.rfind("\n", 0, at) + 1
        left = "" if come.startswith("\n") else content[line:at].strip()
        right = "" if come.endswith("\n") else content[at + len(gone) :].partition("\n")[0].strip()
        if left:
            return f"write {_quoted(come)} after {_quoted(_PIECE.findall(left)[-1])}"
        return f"write {_quoted(come)}" + (f" before {_quoted(_PIECE.findall(right)[0])}" if right else "")
    if gone.strip():
        return f"leave out {_quoted(gone)}"
    if old.strip() and "\n" not in old + new:
        return f"write {_quoted(new)} in place of {_quoted(old)}"
    return "begin a new line" if come.count("\n") > gone.count("\n") else "correct the spaces"


def _common(one: list[str], other: list[str]) -> int:
    """How many pieces two texts have in common at their beginning."""
    return next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _quoted(code: str) -> str:
    """Code as it is named in words, in one line."""
    line = visible(" ".join(code.split()))
    line = line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
    return f"“{line}”" if "`" in line else f"`{line}`"


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
