"""Where keys and values stand in a TOML text, and what may stand at a place of one that need not be readable."""

import re
from collections.abc import Mapping

from rulewright.frozen import dataclass
from rulewright.source import Span, Text

Step = str | int
"""A key, or the position of a member of a list."""

Path = tuple[Step, ...]

_BLANK = re.compile(r"[ \t\r]+")
_WORDS = re.compile(
    r'"""(?:[^\\]|\\.)*?(?:"""|\Z)|' + r"'''.*?(?:'''|\Z)" + r'|"(?:[^"\\\n]|\\.)*"?' + r"|'[^'\n]*'?", re.DOTALL
)
_KEY = re.compile(r"[^\s.=\[\]{},#\"']+")
_VALUE = re.compile(r"[^\s,\[\]{}#\"']+")
_ENTRY = re.compile(r"[ \t]*(?:\[{1,2}[^\[\]\n,]+\]{1,2}[ \t\r]*(?:#.*)?$|[\w.\-\"']+[ \t]*=)", re.MULTILINE)
"""How a line of a table begins, or a head: no list goes on so, and one that is not closed ends above."""


@dataclass(frozen=True, slots=True)
class TomlCursor:
    """A place in a TOML text."""

    path: Path  # the keys around it, from the root
    is_key: bool  # whether a key may stand there
    is_value: bool  # whether a value may
    start: int  # where the word that is begun there begins
    in_words: bool  # whether it is inside of a comment, or of quotes where no value is begun
    in_head: bool = False  # whether it is between the brackets of a head
    quote: str = ""  # the quote that the word begins with


@dataclass(frozen=True, slots=True)
class TomlPlaces:
    """Where keys and values stand, by the keys and positions around and their own."""

    keys: Mapping[Path, Span]
    values: Mapping[Path, Span]


def toml_places(text: Text) -> TomlPlaces:
    """Where everything in a text stands that can be told; quotes belong to places."""
    scan = _Scan(text)
    scan.run(len(text.content))
    return TomlPlaces(scan.keys, scan.values)


def toml_cursor(content: str, offset: int) -> TomlCursor:
    """Where an offset of a text lies."""
    scan = _Scan(Text("", content[:offset]))
    scan.run(offset)
    return scan.cursor()


class _Scan:
    """Reads a text from its beginning, never failing: what fits nowhere is passed over."""

    def __init__(self, text: Text) -> None:
        self._name, self._content = text.name, text.content
        self.keys: dict[Path, Span] = {}
        self.values: dict[Path, Span] = {}
        self._table: Path = ()
        self._dotted: list[tuple[str, Span]] = []  # the parts of a key that is being written
        self._around: list[tuple[str, Path, int]] = []  # brackets that are open, the path and place of each
        self._path: Path = ()  # of the value that is wanted
        self._wants = "key"  # `key`, `head`, `value` or `nothing`
        self._last = (0, 0, "")  # the word that was read last, and how it begins
        self._comment = -1

    def run(self, end: int) -> None:
        at = 0
        while at < end:
            at = self._read(at)

    def _read(self, at: int) -> int:
        sign = self._content[at]
        if sign == "\n":
            self._line(at + 1)
            return at + 1
        blank = _BLANK.match(self._content, at)
        if blank is not None:
            return blank.end()
        if sign == "#":
            line = self._content.find("\n", at)
            self._comment = at
            return line if line >= 0 else len(self._content)
        word = _WORDS.match(self._content, at)
        word = word or (_VALUE if self._wants == "value" else _KEY).match(self._content, at)
        if word is not None:
            self._word(word[0], at, word.end())
            return word.end()
        self._sign(sign, at)
        return at + 1

    def _line(self, at: int) -> None:
        """A line begins: of the table, but inside of brackets that are not closed."""
        self._comment = -1
        if not self._around or _ENTRY.match(self._content, at):
            self._around, self._dotted, self._path, self._wants = [], [], self._table, "key"

    def _word(self, written: str, start: int, end: int) -> None:
        quote = written[:1] if written[:1] in {'"', "'"} else ""
        self._last = (start, end, quote)
        if self._wants == "value":
            self.values[self._path] = Span(self._name, start, end)
            self._wants = "nothing"
        elif self._wants in {"key", "head"}:
            plain = written.strip(quote) if quote else written
            self._dotted.append((plain, Span(self._name, start, end)))

    def _sign(self, sign: str, at: int) -> None:
        match sign:
            case "[" if self._wants == "key" and not self._around and not self._dotted:
                self._wants, self._table = "head", ()
            case "]" if self._wants == "head":
                self._table = self._named(())
                self._wants = "nothing"
            case "=" if self._wants == "key" and self._dotted:
                self._path = self._named(self._inside())
                self._wants = "value"
            case "[" | "{" if self._wants == "value":
                self._around.append((sign, self._path, at))
                self._path = (*self._path, 0) if sign == "[" else self._path
                self._wants = "value" if sign == "[" else "key"
            case "]" | "}" if self._around:
                _, self._path, start = self._around.pop()
                self.values[self._path] = Span(self._name, start, at + 1)
                self._wants, self._dotted = "nothing", []
            case "," if self._around:
                self._next()
            case _:
                pass

    def _next(self) -> None:
        """Another member of a list, or another entry between braces."""
        sign, around, _ = self._around[-1]
        if sign == "{":
            self._path, self._wants, self._dotted = around, "key", []
        else:
            last = self._path[-1] if len(self._path) > len(around) else 0
            self._path, self._wants = (*around, int(last) + 1 if isinstance(last, int) else 0), "value"

    def _inside(self) -> Path:
        return self._around[-1][1] if self._around else self._table

    def _named(self, above: Path) -> Path:
        """The path of the key that was written, noting where its parts stand."""
        for part, span in self._dotted:
            above = (*above, part)
            self.keys.setdefault(above, span)
        self._dotted = []
        return above

    def cursor(self) -> TomlCursor:
        """What may stand at the end."""
        end, (start, last, quote) = len(self._content), self._last
        wants = self._wants
        begun = last == end > start
        if begun and wants == "nothing":
            wants = "value"
        open_quote = bool(begun and quote and (last - start == 1 or self._content[last - 1] != quote))
        closed = bool(begun and quote) and not open_quote
        path = self._path if wants == "value" else () if wants == "head" else self._inside()
        parts = self._dotted[:-1] if begun and wants in {"key", "head"} else self._dotted
        path = (*path, *(part for part, _ in parts)) if wants in {"key", "head"} else path
        words = self._comment >= 0 or closed
        known = (wants == "value", wants in {"key", "head"})
        at = start if begun else end
        return TomlCursor(path, known[1], known[0], at, words, wants == "head", quote if open_quote else "")
