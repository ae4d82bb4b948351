"""From text to nodes: the one way in."""

from dataclasses import dataclass

from rulewright.diagnostics.model import Diagnostic
from rulewright.source import Span, Text
from rulewright.syntax.comments import comments
from rulewright.syntax.nodes.declarations import File


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a text says.

    Attributes:
        file: all that could be read; none where the text itself cannot be.
        diagnostics: what is wrong, in order of place.
    """

    file: File | None
    diagnostics: tuple[Diagnostic, ...]


def parse(text: Text) -> Parsed:
    """The nodes of a text, and every mistake found in its writing."""
    from rulewright.syntax.builder.file import declarations, headers  # noqa: PLC0415 - Lark loads when needed
    from rulewright.syntax.builder.parts import Parts, Places
    from rulewright.syntax.engine import engine
    from rulewright.syntax.trouble import Trouble

    content = text.content if text.content.endswith("\n") else text.content + "\n"
    reading = engine().read(content)
    assert not isinstance(reading, Trouble), reading
    parts = Parts(reading.tree, Places(text.name, content, reading.lines))
    file = File(
        headers=headers(parts),
        declarations=declarations(parts),
        comments=tuple(comments(text)),
        span=Span(text.name, 0, len(text.content)),
    )
    return Parsed(file, ())
