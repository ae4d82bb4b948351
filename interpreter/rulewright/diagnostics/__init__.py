"""What the tool has to say about a text or an input, as data."""

from rulewright.diagnostics.model import Diagnostic, Edit, Label, Severity, by_place, has_errors

__all__ = ["Diagnostic", "Edit", "Label", "Severity", "by_place", "has_errors"]
