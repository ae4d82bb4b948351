"""Modules as overlays see them: texts in their order, and what dotted names lead to before names are resolved."""

from collections.abc import Iterator, Mapping

from rulewright.frozen import dataclass
from rulewright.syntax.nodes import declarations as d
from rulewright.syntax.nodes.expressions import Dotted


@dataclass(frozen=True, slots=True)
class Layers:
    """The texts of one module.

    Attributes:
        root: its main file.
        files: its files in reading order.
        overlays: the overlays that amend it, in the order in which they are applied.
        aliases: by prefix the main file of each module it uses.
    """

    root: str
    files: tuple[str, ...]
    overlays: tuple[str, ...]
    aliases: Mapping[str, str]

    @property
    def names(self) -> tuple[str, ...]:
        """All its texts, overlays last."""
        return (*self.files, *self.overlays)


Texts = Mapping[str, tuple[d.Declaration, ...]]


def declared(
    name: Dotted, layers: Layers, modules: Mapping[str, Layers], texts: Texts
) -> Iterator[tuple[str, d.Declaration]]:
    """The declarations a dotted name can stand for, each with its text."""
    for prefix in name.parts[:-1]:
        root = layers.aliases.get(prefix.text)
        if root is None:
            return
        layers = modules[root]
    for source in layers.names:
        for each in texts[source]:
            found = getattr(each, "name", None)
            if found is not None and getattr(found, "text", "") == name.parts[-1].text:
                yield source, each
