"""Files of data as designers spoil them: slips of the hand, of the keyboard, of the spreadsheet they were copied from.

Each slip takes a text and a source of chance, and answers the text spoilt in one place; nothing where it has no place
for it. What comes of it may still be right, or say something else: whoever draws slips asks the command line.
"""

import re
from collections.abc import Callable, Iterator
from random import Random

Slip = Callable[[str, Random], str | None]

_KEY = re.compile(r"(?<![\w/.'\"-])[A-Za-z_][\w/.]*(?=:(?:\s|$))", re.MULTILINE)
_VALUE = re.compile(r"(?<=[:\[{,] )[\w.-]+(?=\s*(?:[,\]}]|$))|(?<=\[)[\w.-]+(?=[,\]])", re.MULTILINE)
_WRONG = (
    *("three", "yes", "none", "null", "~", "", "'2'", "0101", "12:30", "-1", "2.5", "1/3", "7", "1000000000"),
    *("[7]", "[three]", "[]", "[[1, 2], 3]", "{a: 1}", "{}", "*x", "&a 3", "!!int 3", "<<", "%", "@x", "'open"),
)
"""Values of other sorts, beyond bounds, and what YAML takes for something of its own."""
_NOTHING = ("", "# nothing yet\n", "\n\n", "---\n", "null\n", "3\n", "a\n", "[]\n", "{}\n")


def misspelt_key(text: str, draw: Random) -> str | None:
    return _put(text, _KEY, lambda word: _misspelt(word, draw), draw)


def misspelt_value(text: str, draw: Random) -> str | None:
    return _put(text, _VALUE, lambda word: _misspelt(word, draw), draw)


def another_value(text: str, draw: Random) -> str | None:
    return _put(text, _VALUE, lambda _: draw.choice(_WRONG), draw)


def no_colon(text: str, draw: Random) -> str | None:
    return _put(text, re.compile(r":(?= |$)", re.MULTILINE), lambda _: "", draw)


def a_tab(text: str, draw: Random) -> str | None:
    return _put(text, re.compile(r"^ +", re.MULTILINE), lambda _: "\t", draw)


def a_hard_space(text: str, draw: Random) -> str | None:
    return _put(text, re.compile(" "), lambda _: "\u00a0", draw)


def curly_quotes(text: str, draw: Random) -> str | None:
    return _put(text, _VALUE, lambda word: f"\u201c{word}\u201d", draw)


def straight_quotes(text: str, draw: Random) -> str | None:
    return _put(text, _VALUE, lambda word: f'"{word}"', draw)


def a_line_twice(text: str, draw: Random) -> str | None:
    lines = text.splitlines(keepends=True)
    at = draw.randrange(len(lines))
    return "".join((*lines[: at + 1], *lines[at:]))


def a_line_gone(text: str, draw: Random) -> str | None:
    lines = text.splitlines(keepends=True)
    del lines[draw.randrange(len(lines))]
    return "".join(lines)


def a_list_of_it(text: str, draw: Random) -> str | None:
    return _put(text, re.compile(r"^ *(?=\w)", re.MULTILINE), lambda indent: f"{indent}- ", draw)


def a_space_more(text: str, draw: Random) -> str | None:
    return _put(text, re.compile(r"^ *(?=\S)", re.MULTILINE), lambda indent: f"{indent} ", draw)


def one_key_more(text: str, draw: Random) -> str | None:
    return _put(text, re.compile(r"\}"), lambda _: ", more: 1}", draw)


def never_closed(text: str, draw: Random) -> str | None:
    return _put(text, re.compile(r"[\]}\"']"), lambda _: "", draw)


def nested_deep(text: str, draw: Random) -> str | None:
    depth = draw.choice((2, 300))
    return _put(text, _VALUE, lambda word: "[" * depth + word + "]" * depth, draw)


def a_mark_before_it(text: str, draw: Random) -> str | None:
    del draw
    return f"\ufeff{text}"


def ends_of_another_system(text: str, draw: Random) -> str | None:
    del draw
    return text.replace("\n", "\r\n")


def next_to_nothing(text: str, draw: Random) -> str | None:
    del text
    return draw.choice(_NOTHING)


SLIPS: tuple[Slip, ...] = (
    *(misspelt_key, misspelt_value, another_value) * 3,
    *(no_colon, a_tab, a_hard_space, curly_quotes, straight_quotes, a_line_twice, a_line_gone, a_list_of_it),
    *(a_space_more, one_key_more, never_closed, nested_deep, a_mark_before_it, ends_of_another_system, next_to_nothing),
)
"""All slips; those that are made most often stand there more often."""


def spoiled(text: str, seed: str, count: int) -> Iterator[tuple[str, str]]:
    """So many texts, each with what spoilt it; the same ones for a seed, whatever other texts are spoilt."""
    draw = Random(seed)
    while count:
        slip = draw.choice(SLIPS)
        made = slip(text, draw)
        if made is not None and made != text:
            count -= 1
            yield slip.__name__, made


def _put(text: str, what: re.Pattern[str], new: Callable[[str], str], draw: Random) -> str | None:
    places = list(what.finditer(text))
    if not places:
        return None
    found = draw.choice(places)
    return text[: found.start()] + new(found[0]) + text[found.end() :]


def _misspelt(word: str, draw: Random) -> str:
    """A word with a letter left out, doubled, or changed with its neighbour."""
    if len(word) < 3:
        return f"{word}x"
    at = draw.randrange(1, len(word) - 1)
    left_out, changed = word[:at] + word[at + 1 :], word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    return draw.choice((left_out, changed, word[:at] + word[at] + word[at:]))
