"""What came of reading a text."""

from rulewright.diagnostics.model import Diagnostic
from rulewright.frozen import dataclass
from rulewright.syntax.nodes.declarations import File


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a text says.

    Attributes:
        file: all that could be read; none where the text is too large or nests too deep.
        diagnostics: what is wrong, in order of place.
    """

    file: File | None
    diagnostics: tuple[Diagnostic, ...]
