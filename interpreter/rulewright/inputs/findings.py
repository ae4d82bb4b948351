"""Where the readers of inputs put what they find, and what they hand back."""

import dataclasses
from collections.abc import Sequence
from enum import Enum
from typing import Final, Generic, TypeVar

from rulewright.diagnostics import Diagnostic, Label, Severity, has_errors, in_order
from rulewright.frozen import dataclass
from rulewright.inputs.nodes import Key, Node

_T = TypeVar("_T")


class Wrong(Enum):
    """What stands in for a value that was reported as wrong; `none` is a value like others."""

    WRONG = "wrong"


WRONG: Final = Wrong.WRONG


MOST_FINDINGS = 100
"""How many findings of one input are told."""


@dataclass(frozen=True, slots=True)
class Read(Generic[_T]):
    """What a reader made of an input, or why it made nothing: with an error among them there is no value."""

    value: _T | None
    diagnostics: tuple[Diagnostic, ...] = ()


@dataclasses.dataclass(eq=False, repr=False)
class Findings:
    """Collects diagnostics of one input; readers go on after each."""

    found: list[Diagnostic] = dataclasses.field(default_factory=list)

    def error(self, code: str, place: Key | Node, message: str, *, help: str = "", notes: Sequence[str] = ()) -> Wrong:  # noqa: A002
        """Adds an error at a key or value of the input; answers `WRONG`, for the caller to hand on.

        A value without a text, such as that of a flag, has no place to show.
        """
        placed = place.span.source != ""
        self.found.append(
            Diagnostic(
                code,
                Severity.ERROR,
                message,
                Label(place.span) if placed else None,
                notes=tuple(notes),
                help=help,
                pointer=place.pointer if placed else None,
            )
        )
        return WRONG

    def read(self, value: _T) -> Read[_T]:
        """The outcome: the value if nothing was wrong, and the findings in order, so many as anybody reads."""
        diagnostics = in_order(self.found)
        return Read(None if has_errors(diagnostics) else value, diagnostics[:MOST_FINDINGS])
