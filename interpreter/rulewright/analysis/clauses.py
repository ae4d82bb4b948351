"""Clauses: what margins cite, accounts and rulings; each is cited by a line or accounted for (manual, Clauses)."""

import dataclasses
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any

from rulewright.analysis.addresses import placed
from rulewright.analysis.reads import by_identity, nodes_of
from rulewright.analysis.report import Report
from rulewright.analysis.symbols import ClauseEntry, Linked, amends_line
from rulewright.diagnostics import Edit, Label
from rulewright.diagnostics.remedies import Remedy, nearest, respelt
from rulewright.frozen import dataclass
from rulewright.program.declarations import Account, Ruling
from rulewright.source import Span
from rulewright.syntax.nodes import declarations as d, statements as s
from rulewright.syntax.nodes.expressions import Cite, Title


@dataclasses.dataclass(slots=True, eq=False, repr=False)
class _Margin:
    """What the files say about clauses: by whole id, where each is cited and how it is accounted for.

    What overlays cite is in `amended` alone: there a clause that the base leaves outside may be carried out after all.
    """

    overlays: frozenset[str]
    cited: dict[str, Span] = dataclasses.field(default_factory=dict)
    amended: dict[str, Span] = dataclasses.field(default_factory=dict)
    accounted: dict[str, tuple[str, Span | None]] = dataclasses.field(default_factory=dict)


def check_clauses(linked: Linked, report: Report) -> None:
    """Reports what is wrong between the margins, the accounts and the clause lists.

    RW0601 (a document nobody named), RW0602 (no such clause), RW0603 (a clause without line or reason), RW0604 (cited
    and accounted for), RW0605 (accounted for twice), RW0606 (two rulings of one number), RW0607 (which document?),
    RW0608 (no reason given), RW0609 (`outside` or `void` among the rules).
    """
    margin = _Margin(overlays(linked))
    idle = _handlers_that_never_act(linked, report)
    for cite in margins(linked):
        if _is_known(cite, linked, report) and not any(_is_inside(cite.span, each) for each in idle):
            found = margin.amended if cite.span.source in margin.overlays else margin.cited
            found.setdefault(clause_id(cite, linked.documents), cite.span)
    for entry in _answered(linked):
        margin.accounted[entry.id] = (entry.word, entry.span)
        _both(entry, margin, report)
    for _, node in linked.each(d.Account):
        _account(node, margin, linked, report)
    _without_line(margin, linked, report)
    _rulings(linked, report)


def _handlers_that_never_act(linked: Linked, report: Report) -> list[Span]:
    """The handlers whose condition was found to be always `no`: a clause cited there alone is not carried out."""
    constant = {each.primary.span for each in report.found if each.code == "RW0404" and each.primary}
    handlers = (node for _, node in linked.each(d.Handler))
    return [each.span for each in handlers if each.guard is not None and each.guard.span in constant]


def _is_inside(span: Span, whole: Span) -> bool:
    return span.source == whole.source and whole.start <= span.start < whole.end


def _answered(linked: Linked) -> Iterator[ClauseEntry]:
    """The clauses of all lists that no line has to carry out."""
    yield from (each for entries in linked.clauses.values() for each in entries if each.word)


def _is_known(cite: Cite, linked: Linked, report: Report) -> bool:
    """Whether a cite leads to a clause; reports why not."""
    problem = astray(cite, linked)
    if problem is None:
        return True
    if problem.wants == "a document":
        _which(cite, [document.name for document in linked.texts], report)
    elif problem.wants == "a named document":
        name = Remedy(f'name it at the top: `document {problem.id} "Title"`')
        whole = cite.clause.replace(problem.id, problem.nearest or "", 1)
        message = f"no file names a document `{problem.id}`"
        report.error("RW0601", cite.span, message, remedy=respelt(cite.span, f"@{whole}") if problem.nearest else name)
    else:
        document = problem.id.partition(".")[0]
        remedy = respelt(cite.span, f"@{_written(problem.nearest, cite)}") if problem.nearest else Remedy()
        report.error("RW0602", cite.span, f"the clause list of `{document}` has no `{problem.id}`", remedy=remedy)
    return False


def _written(clause: str, cite: Cite) -> str:
    """A clause id as it is written in place of a cite."""
    document, _, rest = clause.partition(".")
    return f"{document}:{rest}" if ":" in cite.clause else rest


def _which(cite: Cite, documents: list[str], report: Report) -> None:
    if documents:
        choices = " or ".join(f"`@{document}:{cite.clause}`" for document in documents[:3])
        message = f"`@{cite.clause}` does not name its document"
        only = (Edit(cite.span, f"@{documents[0]}:{cite.clause}"),) if len(documents) == 1 else ()
        report.error("RW0607", cite.span, message, help=f"write {choices}", edits=only)
    else:
        message = f"`@{cite.clause}` cites a document, but no file names one"
        report.error("RW0607", cite.span, message, help='name it at the top: `document DOC "Title"`')


def _account(node: d.Account, margin: _Margin, linked: Linked, report: Report) -> None:
    if node.word != "departs":
        margin.accounted |= {clause_id(cite, linked.documents): (node.word, cite.span) for cite in node.cites}
        _moved(node, linked, report)
        return
    if not _text(node.title).strip():
        report.error("RW0608", node.head, f"`{node.word}` gives no reason", help="write why in the quotes")
    for cite in node.cites:
        if not _is_known(cite, linked, report):
            continue
        clause = clause_id(cite, linked.documents)
        earlier = margin.accounted.get(clause)
        if earlier is not None and earlier[0] == node.word:
            there = (Label(earlier[1], "accounted for here first"),) if earlier[1] else ()
            message = f"`{clause}` is accounted for twice"
            report.error("RW0605", cite.span, message, secondary=there, help="keep one of the two")
            continue
        margin.accounted[clause] = (node.word, cite.span)


def _both(entry: ClauseEntry, margin: _Margin, report: Report) -> None:
    """Reports a clause that no line has to carry out, and that one carries out; an overlay may do what is outside."""
    line = margin.cited.get(entry.id) or (margin.amended.get(entry.id) if entry.word == "void" else None)
    if line is None:
        return
    what = "another text's business" if entry.word == "outside" else "nothing to carry out"
    message = f"`{entry.id}` is declared `{entry.word}` and cited by a line"
    there = (Label(entry.span, f"`{entry.word}` in the clause list"),) if entry.span else ()
    notes = (f"`{entry.word}` says that the clause is {what}, the cite that a line carries it out.",)
    report.error("RW0604", line, message, secondary=there, notes=notes, help="remove one of the two")


def _moved(node: d.Account, linked: Linked, report: Report) -> None:
    """Refuses `outside` and `void` among the rules; where each clause is listed, the edits write them there."""
    ids = [clause_id(cite, linked.documents) for cite in node.cites]
    entries = {each.id: each for listed in linked.clauses.values() for each in listed}
    reason = _text(node.title)
    said = f"{node.word}: {reason if _PLAIN.fullmatch(reason) else json.dumps(reason, ensure_ascii=False)}"
    listed = [entries[each] for each in ids if each in entries and not entries[each].word]
    lists = " and ".join(dict.fromkeys(f"`{each.partition('.')[0]}.clauses.yaml`" for each in ids))
    first = f"`{said}`" if listed else f"`- {{id: {ids[0]}, {said}}}`"
    where = " and ".join(f"`{each}`" for each in ids)
    edits: tuple[Edit, ...] = ()
    if len(listed) == len(ids):
        gone = Span(node.span.source, node.span.start, node.cites[-1].span.end)
        inserted = (
            Edit(Span(each.span.source, each.span.end, each.span.end), each.joint + said, safe=True)
            for each in listed
            if each.span
        )
        edits = (Edit(gone, "", safe=True), *inserted)
    message = f"`{node.word}` belongs in the clause list"
    report.error("RW0609", node.head, message, help=f"write {first} for {where} into {lists}", edits=edits)


_PLAIN = re.compile(r"[A-Za-z][\w.'-]* [^:#\n]*[^:#\s]")
"""Texts of several words that YAML reads as they stand."""


def _without_line(margin: _Margin, linked: Linked, report: Report) -> None:
    """Warns, at its `document` line, of the clauses of a document that nobody answers for."""
    places: dict[str, Span] = {}
    for header in linked.headers():
        if isinstance(header, d.DocumentHeader):
            places.setdefault(header.name.text, header.name.span)
    for document, place in places.items():
        entries = linked.clauses.get(document, ())
        missing = [e for e in entries if e.id not in {*margin.cited, *margin.amended, *margin.accounted}]
        for entry in missing:
            message = f"no line carries out `{entry.id}`, and no reason is given"
            notes = (f"{entry.where}: {entry.says}" if entry.where else entry.says,) if entry.says else ()
            remedy = "cite it in the margin of a line, or write `outside: why` or `void: why` into its clause list"
            report.warning("RW0603", place, message, notes=notes, help=remedy)


def _rulings(linked: Linked, report: Report) -> None:
    first: dict[str, tuple[str, Span]] = {}
    for ruling, place in found_rulings(linked):
        if not ruling.text.strip():
            report.error("RW0608", place, "the ruling does not say what it rules", help="write it in the quotes")
            continue
        text, earlier = first.setdefault(ruling.id, (ruling.text, place))
        if text != ruling.text:
            message = f"two rulings `{ruling.id}` differ"
            remedy = "keep one reading, or give the second ruling a number of its own"
            report.error("RW0606", place, message, secondary=(Label(earlier, "the other one"),), help=remedy)


@dataclass(frozen=True, slots=True)
class Astray:
    """Why a cite leads to no clause."""

    wants: str  # `a document` (none is meant, or several could be), `a named document` or `a listed clause`
    id: str  # the document or whole clause id that is not known
    nearest: str | None  # the document or whole clause id most like it, or none


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


def accounts(linked: Linked) -> tuple[Account, ...]:
    """Every `departs` in reading order, then what lists say is `outside` or `void`, clauses of one reason together.

    Clauses that an overlay carries out are not outside.
    """
    later = overlays(linked)
    cited = margins(linked) if later else ()
    amended = {clause_id(cite, linked.documents) for cite in cited if cite.span.source in later}
    found = [
        Account(node.word, qualify(node.cites, linked), _text(node.title), node.span)
        for _, node in linked.each(d.Account)
    ]
    alike: dict[tuple[str, str], list[ClauseEntry]] = {}
    for entry in _answered(linked):
        if entry.word != "outside" or entry.id not in amended:
            alike.setdefault((entry.word, entry.reason), []).append(entry)
    for (word, reason), entries in alike.items():
        if (span := entries[0].span) is not None:
            found.append(Account(word, tuple(each.id for each in entries), reason, span))
    return tuple(found)


def overlays(linked: Linked) -> frozenset[str]:
    """The source files that begin with `amends`."""
    return frozenset(
        source
        for module in linked.modules
        for source, file in zip(module.sources, module.files, strict=True)
        if amends_line(file) is not None
    )


def margins(linked: Linked) -> Iterator[Cite]:
    """Every cite of a line, row or declaration; those of accounts are not among them."""
    for module in linked.modules:
        for node in (*(h for file in module.files for h in file.headers), *module.declarations):
            if not isinstance(node, d.Account):
                cites = [each for each in nodes_of(node) if isinstance(each, Cite)]
                yield from sorted(cites, key=lambda cite: cite.span)


def rulings(linked: Linked) -> tuple[Ruling, ...]:
    """Every ruling, of files and of lines, in reading order."""
    return tuple(ruling for ruling, _ in found_rulings(linked))


def found_rulings(linked: Linked) -> Iterator[tuple[Ruling, Span]]:
    """Every ruling with the place of its number; lines that a `like` takes over count where they were written."""
    told: set[Span] = set()
    for ruling, place in sorted(
        _all_rulings(linked), key=lambda each: each[0].address.partition("/")[0] in linked.derivations
    ):
        if ruling.span not in told:
            told.add(ruling.span)
            yield ruling, place


def _all_rulings(linked: Linked) -> Iterator[tuple[Ruling, Span]]:
    for module, node in linked.each(d.Declared):
        prefix = "" if isinstance(node, d.Ruling) else module.prefix
        for address, each in placed(node) if isinstance(node, d.Ruling | d.Procedure | d.Handler | d.Whenever) else ():
            if isinstance(each, s.RulingLine | d.Ruling):
                yield Ruling(each.number.text, _text(each.title), prefix + address, each.span), each.number.span


def _text(title: Title | None) -> str:
    return title.text if title else ""


@by_identity(most=50)
def ruled_spans(linked: Linked) -> frozenset[Span]:
    """The places of what stands right below a `ruling`, and of its rows."""
    found = set[Span]()
    for module in linked.modules:
        blocks: list[tuple[Any, ...]] = [
            module.declarations,
            *(node.opening for node in module.declarations if isinstance(node, d.Procedure)),
            *(each.lines for node in module.declarations for each in nodes_of(node) if isinstance(each, s.Block)),
        ]
        for above, node in (pair for block in blocks for pair in pairwise(block)):
            if isinstance(above, d.Ruling | s.RulingLine):
                found |= {node.span, *(row.span for row in getattr(node, "rows", ()))}
    return frozenset(found)
