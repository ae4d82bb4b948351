"""The path of keys around a position of a YAML text, which need not be parsable."""

import re
from collections.abc import Iterator

from rulewright.base.frozen import dataclass

_FLOW_TOKEN_PATTERN = re.compile(r"""'(?:[^']|'')*'?|"(?:[^"\\]|\\.)*"?|[{}\[\],:]|#.*|[^\s{}\[\],:#'"][^{}\[\],:#]*""")
_KEY_PATTERN = re.compile(r"""(?P<dash>(?:-\s+)*)(?:(?P<key>'[^']*'|"[^"]*"|[^\s#'"{\[][^:]*?)\s*:(?=\s|$))?""")
_BEGUN_WORD_PATTERN = re.compile(r"[^\s{}\[\],:#'\"]*\Z")

PathStep = str | int
"""Key, or index in a list; 0 if the index is not counted."""


@dataclass(frozen=True, slots=True)
class YamlCursor:
    """Position in a document."""

    path: tuple[PathStep, ...]  # keys from the root
    is_key: bool  # a key can stand here
    is_value: bool  # a value can stand here
    start: int  # of the word under the cursor
    is_in_prose: bool  # in quotes or a comment


def locate_yaml_cursor(content: str, offset: int) -> YamlCursor:
    """Position of an offset of a text."""
    above = content[:offset].split("\n")
    word_start = _BEGUN_WORD_PATTERN.search(above[-1])
    start = offset - len(word_start[0] if word_start else "")
    first, opens = _find_block_line(above)
    line = above[first]
    column = len(line) - len(line.lstrip())
    match_ = _KEY_PATTERN.match(line, column)
    dash, key = (match_["dash"], match_["key"]) if match_ else ("", None)
    inside = [*_enclosing_keys(above[:first], column), *([0] if dash else [])]
    if dash and not opens:
        inside = [*_enclosing_keys(above[:first], column), 0]
    rest = content[
        sum(len(item) + 1 for item in above[:first]) + (match_.end() if match_ and key else column + len(dash)) : start
    ]
    if key is None:
        flow, state, words = _parse_flow_path(rest)
        bare = not rest.strip()
        return YamlCursor((*inside, *flow), state != "value" or bare, state == "value" or bare, start, words)
    flow, state, words = _parse_flow_path(rest)
    path = (*inside, _unquote_yaml(key), *flow)
    return YamlCursor(path, state == "key", state != "key", start, words)


def _find_block_line(above: list[str]) -> tuple[int, bool]:
    """Last line that starts outside all brackets, and whether brackets are open at the end."""
    depth, first = 0, 0
    for number, line in enumerate(above):
        if not depth:
            first = number
        for match_ in _FLOW_TOKEN_PATTERN.finditer(line):
            depth += (match_[0] in {"{", "["}) - (match_[0] in {"}", "]"})
        depth = max(depth, 0)
    return first, depth > 0


def _enclosing_keys(above: list[str], column: int) -> Iterator[PathStep]:
    """Outermost first."""
    items: list[PathStep] = []
    for line in reversed(above):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        indent = len(line) - len(line.lstrip())
        key = _KEY_PATTERN.match(line, indent)
        if key is None or (not key["key"] and not key["dash"]):
            continue
        inner = indent + len(key["dash"])
        if key["key"] and inner < column:
            items.append(_unquote_yaml(key["key"]))
            column = inner
        if key["dash"] and indent < column:
            items.append(0)
            column = indent
    return reversed(items)


def _parse_flow_path(
    written: str,
) -> tuple[list[PathStep], str, bool]:
    """Path inside flow style text, the open word, and whether a key comes next."""
    path: list[PathStep] = []
    kinds: list[str] = []
    last = ""
    state = "value"
    for match_ in _FLOW_TOKEN_PATTERN.finditer(written):
        match match_[0]:
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
                last = _unquote_yaml(text)
                if text[:1] in "'\"" and (len(text) == 1 or text[-1] != text[0]):
                    return path, state, True
    if state == "key":
        path = path[:-1]
    return path, state, False


def _unquote_yaml(written: str) -> str:
    written = written.strip()
    return written[1:-1] if written[:1] in {"'", '"'} else written
