"""Where a cursor stands in a YAML text that need not be readable: the keys around it, and what is begun there."""

import re
from collections.abc import Iterator

from rulewright.frozen import dataclass

_TOKEN = re.compile(r"""'(?:[^']|'')*'?|"(?:[^"\\]|\\.)*"?|[{}\[\],:]|#.*|[^\s{}\[\],:#'"][^{}\[\],:#]*""")
_KEY = re.compile(r"""(?P<dash>(?:-\s+)*)(?:(?P<key>'[^']*'|"[^"]*"|[^\s#'"{\[][^:]*?)\s*:(?=\s|$))?""")
_BEGUN = re.compile(r"[^\s{}\[\],:#'\"]*\Z")

Step = str | int
"""A key, or the position of a member of a list; 0 where that is not counted."""


@dataclass(frozen=True, slots=True)
class YamlCursor:
    """A place in a document."""

    path: tuple[Step, ...]  # the keys around it, from the root
    is_key: bool  # whether a key may stand there
    is_value: bool  # whether a value may
    start: int  # where the word that is begun there begins
    in_words: bool  # whether it is inside of quotes or a comment


def yaml_cursor(content: str, offset: int) -> YamlCursor:
    """Where an offset of a text lies."""
    above = content[:offset].split("\n")
    begun = _BEGUN.search(above[-1])
    start = offset - len(begun[0] if begun else "")
    first, opens = _block_line(above)
    line = above[first]
    column = len(line) - len(line.lstrip())
    found = _KEY.match(line, column)
    dash, key = (found["dash"], found["key"]) if found else ("", None)
    inside = [*_around(above[:first], column), *([0] if dash else [])]
    if dash and not opens:
        inside = [*_around(above[:first], column), 0]
    rest = content[
        sum(len(each) + 1 for each in above[:first]) + (found.end() if found and key else column + len(dash)) : start
    ]
    if key is None:
        flow, state, words = _flow(rest)
        bare = not rest.strip()
        return YamlCursor((*inside, *flow), state != "value" or bare, state == "value" or bare, start, words)
    flow, state, words = _flow(rest)
    path = (*inside, _plain(key), *flow)
    return YamlCursor(path, state == "key", state != "key", start, words)


def _block_line(above: list[str]) -> tuple[int, bool]:
    """The last line that begins outside of all brackets, and whether brackets are open at the end."""
    depth, first = 0, 0
    for number, line in enumerate(above):
        if not depth:
            first = number
        for found in _TOKEN.finditer(line):
            depth += (found[0] in {"{", "["}) - (found[0] in {"}", "]"})
        depth = max(depth, 0)
    return first, depth > 0


def _around(above: list[str], column: int) -> Iterator[Step]:
    """The keys of the lines around one, the outermost first."""
    found: list[Step] = []
    for line in reversed(above):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        indent = len(line) - len(line.lstrip())
        key = _KEY.match(line, indent)
        if key is None or (not key["key"] and not key["dash"]):
            continue
        inner = indent + len(key["dash"])
        if key["key"] and inner < column:
            found.append(_plain(key["key"]))
            column = inner
        if key["dash"] and indent < column:
            found.append(0)
            column = indent
    return reversed(found)


def _flow(  # noqa: C901 - each sign
    written: str,
) -> tuple[list[Step], str, bool]:
    """The keys and positions around the end of what stands behind a key, and whether a key or a value comes next."""
    path: list[Step] = []
    kinds: list[str] = []
    last = ""
    state = "value"
    for found in _TOKEN.finditer(written):
        match found[0]:
            case "{":
                kinds.append("{")
                path.append("")
                state = "key"
            case "[":
                kinds.append("[")
                path.append(0)
                state = "value"
            case "}" | "]" if kinds:
                kinds.pop()
                path.pop()
                state = "done"
            case "," if kinds:
                if kinds[-1] == "[":
                    path[-1] = int(path[-1] or 0) + 1
                state = "key" if kinds[-1] == "{" else "value"
            case ":" if kinds and kinds[-1] == "{":
                path[-1] = last
                state = "value"
            case text if text.startswith("#"):
                return path, state, True
            case text:
                last = _plain(text)
                if text[:1] in "'\"" and (len(text) == 1 or text[-1] != text[0]):
                    return path, state, True
    if state == "key":
        path = path[:-1]
    return path, state, False


def _plain(written: str) -> str:
    written = written.strip()
    return written[1:-1] if written[:1] in {"'", '"'} else written
