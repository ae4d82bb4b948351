"""The small parts that every node is made of."""

from collections.abc import Iterator
from typing import Annotated, Any

from rulewright.frozen import dataclass
from rulewright.roles import Role, nodes
from rulewright.source import Span


@dataclass(frozen=True, slots=True)
class Name:
    """An identifier, a step id or an address, as written."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Dotted:
    """Names joined by dots: `base.fight_begins`."""

    parts: tuple[Name, ...]
    span: Span

    @property
    def text(self) -> str:
        """The names with their dots."""
        return ".".join(part.text for part in self.parts)


@dataclass(frozen=True, slots=True)
class Title:
    """Text in double quotes that people read, without the quotes."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Cite:
    """A clause in the margin, without the `@`: `60.f` or `OTHER:4.d`."""

    clause: str
    span: Span


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment, from `#` to the end of its line, without the line end."""

    text: str
    span: Span


Titled = Annotated[Title | None, Role.WORDS]
Cites = Annotated[tuple[Cite, ...], Role.MARGIN]


def written_in(node: object) -> Iterator[Any]:
    """A node of a text and every node below it, titles and clauses among them, in written order."""
    return nodes(node, Role.WORDS, Role.MARGIN, Role.PROOF)
