"""Colours of a terminal, by what the text is."""

from rulewright.frozen import dataclass

_CODES = {
    "error": "1;31",
    "warning": "1;33",
    "hint": "1;36",
    "strong": "1",
    "dim": "2",
    "good": "32",
    "place": "36",
    "add": "32",
    "ask": "1;36",
}


@dataclass(frozen=True, slots=True)
class Paint:
    """Colours a text by its role, or leaves it as it is; the text has to be visible already."""

    colour: bool

    def __call__(self, text: str, role: str) -> str:
        """The text in the colour of `error`, `warning`, `hint`, `strong`, `dim`, `good`, `place`, `add` or `ask`."""
        if not self.colour or not text:
            return text
        return f"\x1b[{_CODES[role]}m{text}\x1b[0m"


PLAIN = Paint(colour=False)
