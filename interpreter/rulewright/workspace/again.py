"""Rulesets that are loaded again as their texts are edited."""

from typing import TYPE_CHECKING

from rulewright.files import DISK, Provider
from rulewright.source import Text
from rulewright.syntax.parsed import Parsed
from rulewright.workspace.load import Loaded, load, parsed
from rulewright.workspace.locate import Located

if TYPE_CHECKING:
    from rulewright.analysis.recheck import Earlier


class Again:
    """Loads rulesets; declarations that an edit does not touch are not read and checked again.

    What comes of it is what `load` alone makes of the same texts.
    """

    def __init__(self, *, following: bool = False) -> None:
        """Edits are seen against what was loaded first or, following, against what was loaded last."""
        self._following = following
        self._texts: dict[str, tuple[Text, Parsed]] = {}
        self._checks: dict[tuple[Located, tuple[str, ...]], Earlier | None] = {}

    def load(self, located: Located, overlays: tuple[str, ...] = (), provider: Provider = DISK) -> Loaded:
        """As `load`."""
        key = (located, overlays)
        loaded = load(located, overlays, provider, self.parsed, self._checks.get(key))
        if key not in self._checks or (self._following and loaded.earlier is not None):
            self._checks[key] = loaded.earlier
        return loaded

    def parsed(self, text: Text, provider: Provider) -> Parsed:
        """What a text says."""
        known = self._texts.get(text.name)
        if known is not None and known[0] == text:
            return known[1]
        found = _read(text, provider, known)
        if known is None or self._following:
            self._texts[text.name] = text, found
        return found


def _read(text: Text, provider: Provider, known: tuple[Text, Parsed] | None) -> Parsed:
    if known is None:
        return parsed(text, provider)
    from rulewright.syntax.parser import parse_again  # noqa: PLC0415 - only where a text was edited

    return parse_again(text, *known)
