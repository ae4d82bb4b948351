"""Lines of the old revision as the new one would write them."""

import re
from collections.abc import Mapping, Sequence

from rulewright.comparing.naming import Name
from rulewright.comparing.separating.extents import indentation

_PARTS = re.compile(r'"(?:[^"\\]|\\.)*"|#.*|(?<=step )[\w.]+|(?<=proceed to )[\w.]+|@[\w.:-]+|[A-Za-z_]\w*')
_INNER = frozenset({"local", "parameter", "step"})
_SILENT = re.compile(r"\s*(?:@[\w.:-]+\s*)*$")


def rewritten(lines: Sequence[str], owner: str, names: Mapping[Name, Name], depth: int) -> list[str]:
    """Lines with the names of the new revision, without margins and rulings, indented to a depth.

    `owner` is the old name of the declaration they stand in, for names that only it knows.
    """
    inner, outer = _words(owner, names)

    def replaced(found: re.Match[str]) -> str:
        word = found[0]
        if word[0] in '"#':
            return word if word[0] == '"' else ""
        return "" if word[0] == "@" else inner.get(word, outer.get(word, word))

    shift = depth - indentation(lines[0]) if lines else 0
    kept = (_PARTS.sub(replaced, each).rstrip() for each in lines if not _SILENT.match(each))
    return [" " * max(0, indentation(each) + shift) + each.lstrip() for each in kept]


def _words(owner: str, names: Mapping[Name, Name]) -> tuple[dict[str, str], dict[str, str]]:
    """Words that were renamed, inside a declaration and everywhere."""
    inner, outer = dict[str, str](), dict[str, str]()
    for old, new in names.items():
        if old.last != new.last:
            if old.sort not in _INNER:
                outer[old.last] = new.last
            elif old.owner.partition("/")[0] == owner:
                inner[old.last] = new.last
    return inner, outer
