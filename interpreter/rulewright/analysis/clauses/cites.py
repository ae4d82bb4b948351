"""Cites: from the margin to whole clause ids."""

from collections.abc import Mapping

from rulewright.analysis.symbols import Linked
from rulewright.syntax.nodes.names import Cite


def clause_id(cite: Cite, documents: Mapping[str, str]) -> str:
    """The whole id of a clause: `60.f` in a file of document MEL is `MEL.60.f`, `NCC:4.d` is `NCC.4.d`."""
    document, colon, clause = cite.clause.partition(":")
    if colon:
        return f"{document}.{clause}"
    own = documents.get(cite.span.source, "")
    return f"{own}.{cite.clause}" if own else cite.clause


def qualify(cites: tuple[Cite, ...], linked: Linked) -> tuple[str, ...]:
    """The whole ids of the clauses in a margin, each once, in order."""
    return tuple(dict.fromkeys(clause_id(cite, linked.documents) for cite in cites))
