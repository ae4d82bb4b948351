"""Files of data as designers spoil them: slips of the hand, of the keyboard, of the spreadsheet they were copied from.

Each slip takes a text and a source of chance, and answers the text spoilt in one place; nothing where it has no place
for it. What comes of it may still be right, or say something else: whoever draws slips asks the command line.
"""

import re
from collections.abc import Callable, Iterator
from random import Random

Corruption = Callable[[str, Random], str | None]

_KEY = re.compile(r"(?<![\w/.'\"-])[A-Za-z_][\w/.]*(?=:(?:\s|$))", re.MULTILINE)
_VALUE = re.compile(r"(?<=[:\[{,] )[\w.-]+(?=\s*(?:[,\]}]|$))|(?<=\[)[\w.-]+(?=[,\]])", re.MULTILINE)
_WRONG = (
    *("three", "yes", "none", "null", "~", "", "'2'", "0101", "12:30", "-1", "2.5", "1/3", "7", "1000000000"),
    *("[7]", "[three]", "[]", "[[1, 2], 3]", "{a: 1}", "{}", "*x", "&a 3", "!!int 3", "<<", "%", "@x", "'open"),
)
"""Values of other sorts, beyond bounds, and what YAML takes for something of its own."""
_NOTHING = ("", "# nothing yet\n", "\n\n", "---\n", "null\n", "3\n", "a\n", "[]\n", "{}\n")


def misspell_key(text: str, draw: Random) -> str | None:
    return _replace_at(text, _KEY, lambda word: _misspell_word(word, draw), draw)


def misspell_value(text: str, draw: Random) -> str | None:
    return _replace_at(text, _VALUE, lambda word: _misspell_word(word, draw), draw)


def replace_value(text: str, draw: Random) -> str | None:
    return _replace_at(text, _VALUE, lambda _: draw.choice(_WRONG), draw)


def remove_colon(text: str, draw: Random) -> str | None:
    return _replace_at(text, re.compile(r":(?= |$)", re.MULTILINE), lambda _: "", draw)


def insert_tab(text: str, draw: Random) -> str | None:
    return _replace_at(text, re.compile(r"^ +", re.MULTILINE), lambda _: "\t", draw)


def insert_hard_space(text: str, draw: Random) -> str | None:
    return _replace_at(text, re.compile(" "), lambda _: "\u00a0", draw)


def curl_quotes(text: str, draw: Random) -> str | None:
    return _replace_at(text, _VALUE, lambda word: f"\u201c{word}\u201d", draw)


def straighten_quotes(text: str, draw: Random) -> str | None:
    return _replace_at(text, _VALUE, lambda word: f'"{word}"', draw)


def double_line(text: str, draw: Random) -> str | None:
    lines = text.splitlines(keepends=True)
    at = draw.randrange(len(lines))
    return "".join((*lines[: at + 1], *lines[at:]))


def remove_line(text: str, draw: Random) -> str | None:
    lines = text.splitlines(keepends=True)
    del lines[draw.randrange(len(lines))]
    return "".join(lines)


def wrap_in_list(text: str, draw: Random) -> str | None:
    return _replace_at(text, re.compile(r"^ *(?=\w)", re.MULTILINE), lambda indent: f"{indent}- ", draw)


def insert_space(text: str, draw: Random) -> str | None:
    return _replace_at(text, re.compile(r"^ *(?=\S)", re.MULTILINE), lambda indent: f"{indent} ", draw)


def add_key(text: str, draw: Random) -> str | None:
    return _replace_at(text, re.compile(r"\}"), lambda _: ", more: 1}", draw)


def leave_unclosed(text: str, draw: Random) -> str | None:
    return _replace_at(text, re.compile(r"[\]}\"']"), lambda _: "", draw)


def nest_deep(text: str, draw: Random) -> str | None:
    depth = draw.choice((2, 300))
    return _replace_at(text, _VALUE, lambda word: "[" * depth + word + "]" * depth, draw)


def prepend_byte_order_mark(text: str, draw: Random) -> str | None:
    del draw
    return f"\ufeff{text}"


def change_line_ends(text: str, draw: Random) -> str | None:
    del draw
    return text.replace("\n", "\r\n")


def reduce_to_nothing(text: str, draw: Random) -> str | None:
    del text
    return draw.choice(_NOTHING)


CORRUPTIONS: tuple[Corruption, ...] = (
    *(misspell_key, misspell_value, replace_value) * 3,
    *(
        remove_colon,
        insert_tab,
        insert_hard_space,
        curl_quotes,
        straighten_quotes,
        double_line,
        remove_line,
        wrap_in_list,
    ),
    *(insert_space, add_key, leave_unclosed, nest_deep, prepend_byte_order_mark, change_line_ends, reduce_to_nothing),
)
"""All slips; those that are made most often stand there more often."""


def corrupt_text(text: str, seed: str, count: int) -> Iterator[tuple[str, str]]:
    """So many texts, each with what spoilt it; the same ones for a seed, whatever other texts are spoilt."""
    draw = Random(seed)
    while count:
        slip = draw.choice(CORRUPTIONS)
        made = slip(text, draw)
        if made is not None and made != text:
            count -= 1
            yield slip.__name__, made


def _replace_at(text: str, what: re.Pattern[str], new: Callable[[str], str], draw: Random) -> str | None:
    places = list(what.finditer(text))
    if not places:
        return None
    found = draw.choice(places)
    return text[: found.start()] + new(found[0]) + text[found.end() :]


def _misspell_word(word: str, draw: Random) -> str:
    """A word with a letter left out, doubled, or changed with its neighbour."""
    if len(word) < 3:
        return f"{word}x"
    at = draw.randrange(1, len(word) - 1)
    left_out, changed = word[:at] + word[at + 1 :], word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    return draw.choice((left_out, changed, word[:at] + word[at] + word[at:]))
