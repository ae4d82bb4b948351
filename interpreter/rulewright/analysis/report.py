"""Where the passes of the analysis put what they find."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from rulewright.diagnostics import Diagnostic, Edit, Label, Severity
from rulewright.diagnostics.remedies import Remedy
from rulewright.source import Span


def listed(names: Iterable[str]) -> str:
    """Names one after another, as code."""
    return ", ".join(f"`{name}`" for name in names)


@dataclass(eq=False, repr=False)
class Report:
    """Collects diagnostics; the passes go on after each.

    `address` is set by the pass to the declaration or step it is working on, and lands in every diagnostic.
    """

    address: str = ""
    found: list[Diagnostic] = field(default_factory=list)

    def error(self, code: str, span: Span, message: str, **more: object) -> None:
        """Adds an error; `more` are `secondary`, `notes`, `help`, `edits`, `remedy` and `label` (text at the place)."""
        self._add(Severity.ERROR, code, span, message, more)

    def warning(self, code: str, span: Span, message: str, **more: object) -> None:
        """Adds a warning."""
        self._add(Severity.WARNING, code, span, message, more)

    def hint(self, code: str, span: Span, message: str, **more: object) -> None:
        """Adds a hint."""
        self._add(Severity.HINT, code, span, message, more)

    def broken(self) -> bool:
        """Whether the declaration at hand has an error."""
        name = self.address.partition("/")[0]
        return any(each.severity is Severity.ERROR and each.address.partition("/")[0] == name for each in self.found)

    def _add(self, severity: Severity, code: str, span: Span, message: str, more: dict[str, object]) -> None:
        label, remedy = more.pop("label", ""), more.pop("remedy", None)
        assert isinstance(label, str)
        if isinstance(remedy, Remedy):
            more |= {"help": remedy.help, "edits": remedy.edits}
        self.found.append(
            Diagnostic(
                code,
                severity,
                message,
                Label(span, label),
                address=self.address,
                **more,  # type: ignore[arg-type]
            )
        )


__all__ = ["Edit", "Label", "Report"]
