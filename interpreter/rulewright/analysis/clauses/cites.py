"""Cites: from the margin to whole clause ids, what keeps one from leading to a clause, and how people write one."""

from collections.abc import Iterable, Mapping

from rulewright.analysis.symbols import Linked
from rulewright.diagnostics.suggest import nearest
from rulewright.frozen import dataclass
from rulewright.syntax.nodes.expressions import Cite


@dataclass(frozen=True, slots=True)
class Astray:
    """Why a cite leads to no clause.

    Attributes:
        wants: `a document` (none is meant, or several could be), `a named document` or `a listed clause`.
        id: the document or whole clause id that is not known.
        nearest: the document or whole clause id most like it, or none.
    """

    wants: str
    id: str
    nearest: str | None


def clause_id(cite: Cite, documents: Mapping[str, str]) -> str:
    """The whole id of a clause: `60.f` in a file of document DOC is `DOC.60.f`, `OTHER:4.d` is `OTHER.4.d`."""
    document, colon, clause = cite.clause.partition(":")
    if colon:
        return f"{document}.{clause}"
    own = documents.get(cite.span.source, "")
    return f"{own}.{cite.clause}" if own else cite.clause


def qualify(cites: tuple[Cite, ...], linked: Linked) -> tuple[str, ...]:
    """The whole ids of the clauses in a margin, each once, in order."""
    return tuple(dict.fromkeys(clause_id(cite, linked.documents) for cite in cites))


def astray(cite: Cite, linked: Linked) -> Astray | None:
    """What keeps a cite from leading to a clause; without a clause list every clause of a named document counts."""
    documents = [document.name for document in linked.texts]
    document = cite.clause.partition(":")[0] if ":" in cite.clause else linked.documents.get(cite.span.source, "")
    if not document:
        return Astray("a document", cite.clause, None)
    if document not in documents:
        return Astray("a named document", document, nearest(document, documents))
    entries = linked.clauses.get(document)
    wanted = clause_id(cite, linked.documents)
    if entries is None or any(entry.id == wanted for entry in entries):
        return None
    return Astray("a listed clause", wanted, nearest(wanted, [entry.id for entry in entries]))


def clauses_called(written: str, ids: Iterable[str]) -> tuple[str, ...]:
    """The clauses of some ids that are meant by `DOC.50.e` or `DOC:50.e`; where none has this id, by `50.e`."""
    known, wanted = tuple(dict.fromkeys(ids)), plain_id(written)
    return tuple(each for each in known if each == wanted) or tuple(
        each for each in known if each.partition(".")[2] == wanted
    )


def plain_id(written: str) -> str:
    """An id as clause lists have it."""
    return written.removeprefix("@").replace(":", ".", 1)
