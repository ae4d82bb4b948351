"""Declarations computed from arguments: terms, relations, derived attributes, tallies, decides, tables, measures.

Bodies are built on demand, so that a tally or a derived attribute can be used above its declaration.
"""

from rulewright.analysis.report import Report
from rulewright.analysis.scope import Scope, Shapes
from rulewright.analysis.symbols import Linked
from rulewright.program import declarations as typed
from rulewright.syntax.nodes import declarations as nodes


def announce(linked: Linked, shapes: Shapes, report: Report) -> None:
    """Makes every function of every module known to `demand`.

    Called once all stored fields, relations, settings and values are in the shapes, and before any expression is
    inferred. Functions are terms, derived relations, derived attributes, tallies, decides and tables.
    """
    raise NotImplementedError


def demand(shapes: Shapes, name: str) -> typed.Function | None:
    """The function of a qualified name, built now if it is not yet; none where its body has an error."""
    raise NotImplementedError


def functions(shapes: Shapes) -> dict[str, typed.Function]:
    """All functions, in order of declaration; those with errors are left out."""
    raise NotImplementedError


def external_term(node: nodes.ExternalTerm, scope: Scope) -> typed.ExternalTerm | None:
    """An external term with its default."""
    raise NotImplementedError


def measure(node: nodes.Measure, scope: Scope) -> typed.Measure | None:
    """A measure."""
    raise NotImplementedError


def invariant(node: nodes.Always, scope: Scope) -> typed.Invariant | None:
    """An `always`."""
    raise NotImplementedError
