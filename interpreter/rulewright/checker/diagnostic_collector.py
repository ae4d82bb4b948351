"""Collector of the diagnostics of all passes."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from rulewright.base.diagnostics import Diagnostic, Edit, Label, Severity
from rulewright.base.diagnostics.remedies import Remedy
from rulewright.base.source import Span


def format_name_list(names: Iterable[str]) -> str:
    """Names in backticks, separated by commas."""
    return ", ".join(f"`{name}`" for name in names)


@dataclass(eq=False, repr=False)
class DiagnosticCollector:
    """List of diagnostics; passes go on after each.

    A pass sets `address` to the declaration or step under way; every diagnostic carries it.
    """

    address: str = ""
    diagnostics: list[Diagnostic] = field(default_factory=list)

    def error(self, code: str, span: Span, message: str, **more: object) -> None:
        """Adds an error; `more` are `secondary`, `notes`, `help`, `edits`, `remedy` and `label` (text at the place)."""
        self._add_diagnostic(Severity.ERROR, code, span, message, more)

    def warning(self, code: str, span: Span, message: str, **more: object) -> None:
        self._add_diagnostic(Severity.WARNING, code, span, message, more)

    def hint(self, code: str, span: Span, message: str, **more: object) -> None:
        self._add_diagnostic(Severity.HINT, code, span, message, more)

    def has_error_here(self) -> bool:
        """Whether the declaration at `address` has an error."""
        name = self.address.partition("/")[0]
        return any(
            diagnostic.severity is Severity.ERROR and diagnostic.address.partition("/")[0] == name
            for diagnostic in self.diagnostics
        )

    def _add_diagnostic(self, severity: Severity, code: str, span: Span, message: str, more: dict[str, object]) -> None:
        label, remedy = more.pop("label", ""), more.pop("remedy", None)
        assert isinstance(label, str)
        if isinstance(remedy, Remedy):
            more |= {"help": remedy.help, "edits": remedy.edits}
        self.diagnostics.append(
            Diagnostic(
                code,
                severity,
                message,
                Label(span, label),
                address=self.address,
                **more,  # type: ignore[arg-type]
            )
        )


__all__ = ["DiagnosticCollector", "Edit", "Label"]
