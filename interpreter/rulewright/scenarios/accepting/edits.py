"""Parts of a text written anew, everything else left as it stands."""

from collections.abc import Iterable

from rulewright.frozen import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """What is written in place of a part of a scenario file.

    Attributes:
        start: offset of the first code point that goes.
        end: offset after the last.
        text: what comes instead.
        owner: JSON pointer of the value that becomes another.
    """

    start: int
    end: int
    text: str
    owner: str


def applied(content: str, edits: Iterable[Edit]) -> str:
    """A text after edits that do not overlap."""
    done, parts = 0, []
    for each in sorted(set(edits)):
        parts += [content[done : each.start], each.text]
        done = each.end
    return "".join([*parts, content[done:]])
