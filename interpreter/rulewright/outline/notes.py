"""Which comments of a text belong to an item: those right above its first line, and the one behind that line."""

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property

from rulewright.outline.items import Item
from rulewright.source import Text

_COMMENT = re.compile(r'(?:"(?:[^"\\]|\\.)*"|[^"#])*#(.*)')
"""What stands behind the first `#` of a line that is not inside quotes."""


class Notes:
    """The comments of the texts of a program."""

    def __init__(self, texts: Mapping[str, Text]) -> None:
        self._texts = {name: _Comments(text) for name, text in texts.items() if "#" in text.content}

    def on(self, item: Item, around: Item | None = None) -> Item:
        """An item, and all inside it, with the comments that belong to them; what begins with another has none."""
        known = self._texts.get(item.span.source)
        begins = around is None or around.span.start != item.span.start
        notes = known.of(item.span.start) if known is not None and begins else ()
        inside = tuple(self.on(each, item) for each in item.items) if self._texts else item.items
        return replace(item, notes=notes, items=inside) if notes or inside != item.items else item


class _Comments:
    def __init__(self, text: Text) -> None:
        self._text = text

    @cached_property
    def _lines(self) -> list[str]:
        return self._text.content.split("\n")

    def of(self, start: int) -> tuple[str, ...]:
        """The comments of what begins at a place; none where something else begins its line."""
        position = self._text.position(start)
        at = position.line - 1
        if self._lines[at][: position.column - 1].strip():
            return ()
        first = at
        while first and self._lines[first - 1].lstrip().startswith("#"):
            first -= 1
        behind = _COMMENT.match(self._lines[at])
        own = [behind[1]] if behind else []
        return tuple(each.strip() for each in (*(line.lstrip()[1:] for line in self._lines[first:at]), *own))
