r"""Patterns over the words of a line, in which the hints of `hint_table` are written.

The items of a pattern are separated by spaces, and each stands for one word of the line:

| item | stands for |
|---|---|
| `roll`, `:`, `at\|in` | that word or sign, one of these |
| `-at\|in` | any word but these |
| `ANY`, `WORD`, `NUMBER`, `STRING` | any word or sign, or one of that sort |
| `NAME`, `INT`, `DICE`, `DIE` | a word but `in` and `as`, a whole number, `2d6` or `d6`, `d6` |
| `re:d[0-9]+` | a word that a regular expression matches |
| `PLACE` | several words, `unit.owner.name` |
| `…`, `MANY` | any words, as few as fit; `MANY` at least one |
| `item?`, `item…` | an item that may be missing, or is repeated as long as it fits |
| `name=item`, `<name item item name>` | what an item, or several, matched gets a name |
| `^item`, `^` | the parser stopped at this word; it stopped here, or the line ended too early |
| `~item` | the word touches the one before |
| `$` | the line ends here, but for cites |

A pattern begins at the verb of the line, behind an id; after `START` at its first word, after `…` anywhere. Several patterns
are joined by ` OR `; the first that fits counts.

A place is a name, or from one name to another; `<` before a name and `>` behind it are the points before and behind
its words: `a-b`, `a>-<b`, `<a`. Names of every match are `all` (what the whole pattern matched), `line` (the line without
its cites) and `end` (the point before its last colon). In a template `{place}` is the text of a place, `{name!filter}`
goes through a filter of `FILTERS`, `{name?other}` is `other` where there is no text (and no edit is made where `other`
is in capitals), and `{indent}` are the blanks before the line.
"""

import re
from collections.abc import Callable, Iterator
from functools import cache

from rulewright.syntax.mistakes.mistake_context import MistakeContext

_MAX_WORDS = 1000
"""Words of a line in which patterns are looked for: some take time that grows with the square of the words."""
_ATOMS = {
    "ANY": "[^c][^\n]*",
    "WORD": "w[^\n]*",
    "NAME": r"w(?!(?:in|as)\n)[^\n]*",
    "NUMBER": "n[^\n]*",
    "INT": r"n\d+",
    "DICE": r"[nw](?:[1-9]\d*)?[dD][1-9]\d*",
    "DIE": r"[nw][dD][1-9]\d*",
    "STRING": "s",
}
_SORTS = {"WORD": "word", "NUMBER": "number", "INT": "number", "STRING": "string"}
_RUNS = {"…": "(?:[^\n]+\n)*?", "MANY": "(?:[^\n]+\n)+?"}
_ZERO_WIDTH = {"^": "(?=\f?[ \t]?\v)", "$": "(?=(?:\f?[ \t]\v?c[^\n]*\n)*\v?\\Z)"}
_ITEM = re.compile(r"(?P<stop>\^?)(?P<touch>~?)(?:(?P<name>[a-z]\w*)=)?(?P<core>.+?)(?P<repeat>(?<=.)[?…]?)")
_LITERAL = re.compile(r"(?<!\S)(\^?+)~?+(?:[a-z]\w*=)?+((?!re:|-(?![=-]?(?!\S))|[<^$…]|\w+>(?!\S))\S+)")
_FIELD = re.compile(r"\{([<>\w-]+)(?:!(\w+))?(?:\?(\w+))?\}")
_PLACE = re.compile(r"(<?)(\w+)(>?)(?:-(<?)(\w+)(>?))?")


class _Alternative:
    """One pattern; its regular expression is compiled when a line has the words that it asks for."""

    def __init__(self, written: str) -> None:
        self._written = written
        self._compiled: re.Pattern[str] | None = None
        self._required: list[frozenset[str]] = []
        self._stops: frozenset[str] | None = None
        self._stop_sort = ""
        for stop, core in _LITERAL.findall(written):
            if core.isupper():
                self._stop_sort = _SORTS.get(core, "") if stop else self._stop_sort
            elif core[-1] not in "?…":
                self._required.append(_split_words(core))
                self._stops = self._required[-1] if stop else self._stops

    def find_in_line(self, context: MistakeContext) -> Iterator[re.Match[str]]:
        stop = context.stop_word
        if self._stops is not None and stop.text not in self._stops:
            return iter(())
        if self._stop_sort and stop.sort != self._stop_sort:
            return iter(())
        texts = context.text_set
        for words in self._required:
            if words.isdisjoint(texts):
                return iter(())
        self._compiled = self._compiled or re.compile(_translate_pattern(self._written))
        return self._find_all(self._compiled, context.encoded_line)

    def _find_all(self, compiled: re.Pattern[str], encoded: str) -> Iterator[re.Match[str]]:
        """Matches at every word at which there is one, overlapping ones too."""
        found = compiled.search(encoded)
        while found:
            yield found
            found = compiled.search(encoded, found.start() + 1)


def _split_words(core: str) -> frozenset[str]:
    return frozenset(core.split("|") if core.strip("|") else (core,))


@cache
def read_pattern(written: str) -> tuple[_Alternative, ...]:
    return tuple(_Alternative(part) for part in written.split(" OR "))


def _translate_pattern(written: str) -> str:
    first, *items = written.split()
    if first == "START":
        return r"\A" + "".join(map(_translate_item, items))
    return "".join(map(_translate_item, items if first == "…" else ("VERB", first, *items)))


def _translate_item(item: str) -> str:
    if item == "VERB":
        return "(?=\f)"
    if item in _ZERO_WIDTH:
        return _ZERO_WIDTH[item]
    if len(item) > 1 and (item[1:].isidentifier() and item[0] == "<"):
        return f"(?P<{item[1:]}>"
    if item[:-1].isidentifier() and item[-1] == ">":
        return ")"
    parts = _ITEM.fullmatch(item)
    assert parts, item
    core = parts["core"]
    found = _RUNS.get(core) or _translate_word(core, stop=bool(parts["stop"]), touch=bool(parts["touch"]))
    if parts["repeat"]:
        found = f"(?:{found}){'?' if parts['repeat'] == '?' else '*'}"
    return f"(?P<{parts['name']}>{found})" if parts["name"] else found


def _translate_word(core: str, *, stop: bool, touch: bool) -> str:
    before = "\f?+" + ("\t" if touch else "[ \t]") + ("\v" if stop else "\v?+")
    if core == "PLACE":
        return f"{before}w[^\n]*\n(?:\f?+[ \t]\v?+g\\.\n\f?+[ \t]\v?+w[^\n]*\n)*"
    if core in _ATOMS:
        return f"{before}{_ATOMS[core]}\n"
    if core.startswith("re:"):
        return f"{before}.(?:{core[3:]})\n"
    is_negated = core[0] == "-" and core not in {"-", "-=", "--"}
    words = core[1:] if is_negated else core
    listed = "|".join(sorted(map(re.escape, _split_words(words))))
    return f"{before}(?!.(?:{listed})\n){_ATOMS['ANY']}\n" if is_negated else f"{before}[wngc](?:{listed})\n"


class LineMatch:
    """What a pattern matched in a line: the indices of its words by name."""

    def __init__(self, context: MistakeContext, found: re.Match[str]) -> None:
        self.context = context
        self.values: dict[str, str] = {}
        """Texts that the condition of a hint adds for its templates."""
        self.is_complete = True
        """Whether no template had to say `NAME` or the like for what the author has to choose."""
        self._found = found

    def get_range(self, name: str) -> tuple[int, int]:
        """Indices of the first word of a name and of the word behind its last."""
        if name == "line":
            return 0, len(self.context.words) or len(self.context.line.words)
        if name != "all" and name not in self._found.re.groupindex:
            return 0, 0
        start, end = self._found.span(0 if name == "all" else name)
        count = self._found.string.count
        return count("\n", 0, start), count("\n", 0, end)

    def get_texts(self, name: str) -> tuple[str, ...]:
        """Texts of the words of a name."""
        return tuple(word.text for word in self.context.line.words[slice(*self.get_range(name))])

    def get_text(self, place: str) -> str:
        """Text of a place, on one line."""
        if place in self.values:
            return self.values[place]
        if place == "indent":
            return self.context.indent_text
        first, _, last = place.partition("-")
        return self.context.get_words_text(self.get_range(first)[0], self.get_range(last or first)[1])

    def get_offsets(self, place: str) -> tuple[int, int]:
        """Offsets of a place."""
        parts = _PLACE.fullmatch(place)
        assert parts, place
        before, first, behind, until, last, _ = parts.groups()
        start = self._get_edge(first, behind=bool(behind))
        if last is None:
            return start, start if before or behind else self._get_edge(first, behind=True)
        return start, self._get_edge(last, behind=not until)

    def _get_edge(self, name: str, *, behind: bool) -> int:
        if name == "end":
            return self.context.end_offset
        words, (start, end) = self.context.line.words, self.get_range(name)
        if start < end and not behind:
            return words[start].start
        return words[end - 1].end if end else self.context.line.start

    def render(self, template: str, filters: dict[str, Callable[[str], str]]) -> str:
        """A template with the texts of its places."""

        def render_field(field: re.Match[str]) -> str:
            place, chosen, other = field.groups()
            text = self.get_text(place)
            text = filters[chosen](text) if chosen else text
            self.is_complete &= bool(text) or not (other or "").isupper()
            return text or other or ""

        return _FIELD.sub(render_field, template)


def find_matches(written: str, context: MistakeContext) -> Iterator[LineMatch]:
    """Matches of a pattern in the line of a mistake, those of the first alternative first."""
    if len(context.line.words) > _MAX_WORDS:
        return
    for alternative in read_pattern(written):
        for found in alternative.find_in_line(context):
            yield LineMatch(context, found)
