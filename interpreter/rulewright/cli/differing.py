"""Two versions of a text, as the lines that differ with a few around them."""

from collections.abc import Iterator
from difflib import SequenceMatcher

from rulewright.diagnostics.visible import visible
from rulewright.source import Text

_AROUND = 2


def difference(before: Text, after: Text) -> Iterator[tuple[str, str]]:
    """The name of the text, then numbered lines, each after its sign: `-`, `+`, or nothing for one that stays.

    Lines that go have the numbers of the text before, others those of the text after.
    """
    old, new = before.content.splitlines(), after.content.splitlines()
    groups = list(SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(_AROUND))
    if groups:
        yield "", visible(before.name)
    for number, group in enumerate(groups):
        if number:
            yield "", "     …"
        for tag, first, end, start, stop in group:
            if tag != "equal":
                yield from _lines("-", old, first, end)
            yield from _lines(" " if tag == "equal" else "+", new, start, stop)


def _lines(sign: str, lines: list[str], first: int, end: int) -> Iterator[tuple[str, str]]:
    for number in range(first, end):
        yield sign.strip(), f"{number + 1:>6} {sign} {visible(lines[number])}".rstrip()
