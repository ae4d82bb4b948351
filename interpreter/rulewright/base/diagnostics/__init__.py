"""What the tool has to say about a text or an input, as data."""

from rulewright.base.diagnostics.model import Diagnostic, Edit, Label, Severity, has_errors, sort_by_place

__all__ = ["Diagnostic", "Edit", "Label", "Severity", "has_errors", "sort_by_place"]
