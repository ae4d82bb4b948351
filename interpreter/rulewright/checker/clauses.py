"""Clauses of source documents: cites in margins, accounts, rulings, and their coverage (manual, Clauses)."""

import dataclasses
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any

from rulewright.base.diagnostics import Basis, DiagnosticCollector, Edit, Label, Remedy
from rulewright.base.diagnostics.remedies import find_nearest_name, make_respelling_remedy
from rulewright.base.frozen import dataclass
from rulewright.base.source import Span
from rulewright.checker.addresses import walk_address_pairs
from rulewright.checker.read_sets import cache_by_identity, list_declaration_nodes
from rulewright.checker.symbols import ClauseListEntry, LinkedProgram, find_amends_header
from rulewright.program.declarations import Account, Ruling
from rulewright.syntax.nodes import declarations as d, statements as s
from rulewright.syntax.nodes.expressions import Cite, Title


@dataclasses.dataclass(slots=True, eq=False, repr=False)
class _CiteIndex:
    """Places of cites and of accounts by clause id; cites of overlays are in `amended` alone.

    An overlay may carry out a clause that the base leaves outside.
    """

    overlay_sources: frozenset[str]
    cited: dict[str, Span] = dataclasses.field(default_factory=dict)
    amended: dict[str, Span] = dataclasses.field(default_factory=dict)
    accounted: dict[str, tuple[str, Span | None]] = dataclasses.field(default_factory=dict)
    has_broken_cite: bool = False  # one that leads nowhere


def check_clauses(linked: LinkedProgram, report: DiagnosticCollector) -> None:
    """Reports inconsistencies between cites, accounts and clause lists.

    RW0601 (a document nobody named), RW0602 (no such clause), RW0603 (a clause without line or reason), RW0604 (cited
    and accounted for), RW0605 (accounted for twice), RW0606 (two rulings of one number), RW0607 (which document?),
    RW0608 (no reason given), RW0609 (`outside` or `void` among the rules).
    """
    margin = _CiteIndex(find_overlay_sources(linked))
    idle = _find_inactive_handlers(linked, report)
    for cite in iterate_margin_cites(linked):
        if _check_cite_target(cite, margin, linked, report) and not any(span.contains(cite.span) for span in idle):
            mapping = margin.amended if cite.span.source in margin.overlay_sources else margin.cited
            mapping.setdefault(resolve_clause_id(cite, linked.document_by_source), cite.span)
    for entry in _iterate_excused_clauses(linked):
        margin.accounted[entry.id] = (entry.word, entry.span)
        _check_cited_and_excused(entry, margin, report)
    for _, node in linked.iterate_declarations(d.Account):
        _check_account(node, margin, linked, report)
    if not margin.has_broken_cite:  # which may mean any clause
        _warn_unanswered_clauses(margin, linked, report)
    _check_rulings(linked, report)


def _find_inactive_handlers(linked: LinkedProgram, report: DiagnosticCollector) -> list[Span]:
    """Handlers whose condition is always `no`: a clause cited there alone is not carried out."""
    constant = {finding.primary.span for finding in report.diagnostics if finding.code == "RW0404" and finding.primary}
    handlers = (node for _, node in linked.iterate_declarations(d.Handler))
    return [handler.span for handler in handlers if handler.guard is not None and handler.guard.span in constant]


def _iterate_excused_clauses(linked: LinkedProgram) -> Iterator[ClauseListEntry]:
    yield from (entry for entries in linked.clause_lists.values() for entry in entries if entry.word)


def _check_cite_target(cite: Cite, margin: _CiteIndex, linked: LinkedProgram, report: DiagnosticCollector) -> bool:
    problem = find_cite_problem(cite, linked)
    if problem is None:
        return True
    margin.has_broken_cite = True
    if problem.missing_kind == "a document":
        _report_ambiguous_document(cite, [document.name for document in linked.declared_documents], report)
    elif problem.missing_kind == "a named document":
        name = Remedy(f'name it at the top: `document {problem.id} "Title"`')
        whole = cite.clause.replace(problem.id, problem.nearest or "", 1)
        message = f"no file names a document `{problem.id}`"
        report.error(
            "RW0601",
            cite.span,
            message,
            remedy=make_respelling_remedy(cite.span, f"@{whole}") if problem.nearest else name,
            missing=problem.id,
        )
    else:
        document = problem.id.partition(".")[0]
        remedy = (
            make_respelling_remedy(cite.span, f"@{_format_clause_for_cite(problem.nearest, cite)}")
            if problem.nearest
            else Remedy()
        )
        report.error("RW0602", cite.span, f"the clause list of `{document}` has no `{problem.id}`", remedy=remedy)
    return False


def _format_clause_for_cite(clause: str, cite: Cite) -> str:
    document, _, rest = clause.partition(".")
    return f"{document}:{rest}" if ":" in cite.clause else rest


def _report_ambiguous_document(cite: Cite, documents: list[str], report: DiagnosticCollector) -> None:
    if documents:
        choices = " or ".join(f"`@{document}:{cite.clause}`" for document in documents[:3])
        message = f"`@{cite.clause}` does not name its document"
        only = (Edit(cite.span, f"@{documents[0]}:{cite.clause}"),) if len(documents) == 1 else ()
        report.error("RW0607", cite.span, message, help=f"write {choices}", edits=only, basis=Basis.NAMES)
    else:
        message = f"`@{cite.clause}` cites a document, but no file names one"
        report.error("RW0607", cite.span, message, help='name it at the top: `document DOC "Title"`', basis=Basis.NAMES)


def _check_account(node: d.Account, margin: _CiteIndex, linked: LinkedProgram, report: DiagnosticCollector) -> None:
    if node.word != "departs":
        margin.accounted |= {
            resolve_clause_id(cite, linked.document_by_source): (node.word, cite.span) for cite in node.cites
        }
        _report_misplaced_account(node, linked, report)
        return
    if not _get_title_text(node.title).strip():
        report.error("RW0608", node.head, f"`{node.word}` gives no reason", help="write why in the quotes")
    for cite in node.cites:
        if not _check_cite_target(cite, margin, linked, report):
            continue
        clause = resolve_clause_id(cite, linked.document_by_source)
        earlier = margin.accounted.get(clause)
        if earlier is not None and earlier[0] == node.word:
            there = (Label(earlier[1], "accounted for here first"),) if earlier[1] else ()
            message = f"`{clause}` is accounted for twice"
            report.error("RW0605", cite.span, message, secondary=there, help="keep one of the two")
            continue
        margin.accounted[clause] = (node.word, cite.span)


def _check_cited_and_excused(entry: ClauseListEntry, margin: _CiteIndex, report: DiagnosticCollector) -> None:
    """Reports a cited clause that is `void`, or `outside` and cited by the base (RW0604)."""
    line = margin.cited.get(entry.id) or (margin.amended.get(entry.id) if entry.word == "void" else None)
    if line is None:
        return
    what = "another text's business" if entry.word == "outside" else "nothing to carry out"
    message = f"`{entry.id}` is declared `{entry.word}` and cited by a line"
    there = (Label(entry.span, f"`{entry.word}` in the clause list"),) if entry.span else ()
    notes = (f"`{entry.word}` says that the clause is {what}, the cite that a line carries it out.",)
    report.error("RW0604", line, message, secondary=there, notes=notes, help="remove one of the two")


def _report_misplaced_account(node: d.Account, linked: LinkedProgram, report: DiagnosticCollector) -> None:
    """Reports `outside` and `void` among the rules; the edits move them into the clause list, if it has them."""
    ids = [resolve_clause_id(cite, linked.document_by_source) for cite in node.cites]
    entries = {entry.id: entry for listed in linked.clause_lists.values() for entry in listed}
    reason = _get_title_text(node.title)
    entry_text = f"{node.word}: {reason if _YAML_PLAIN_TEXT_PATTERN.fullmatch(reason) else json.dumps(reason, ensure_ascii=False)}"
    listed = [entries[identifier] for identifier in ids if identifier in entries and not entries[identifier].word]
    lists = " and ".join(dict.fromkeys(f"`{identifier.partition('.')[0]}.clauses.yaml`" for identifier in ids))
    first = f"`{entry_text}`" if listed else f"`- {{id: {ids[0]}, {entry_text}}}`"
    where = " and ".join(f"`{identifier}`" for identifier in ids)
    edits: tuple[Edit, ...] = ()
    if len(listed) == len(ids):
        cites_span = Span(node.span.source, node.span.start, node.cites[-1].span.end)
        inserted = (
            Edit(
                Span(entry.span.source, entry.span.end, entry.span.end),
                entry.key_separator + entry_text,
                safe=True,
            )
            for entry in listed
            if entry.span
        )
        edits = (Edit(cites_span, "", safe=True), *inserted)
    message = f"`{node.word}` belongs in the clause list"
    report.error("RW0609", node.head, message, help=f"write {first} for {where} into {lists}", edits=edits)


_YAML_PLAIN_TEXT_PATTERN = re.compile(r"[A-Za-z][\w.'-]* [^:#\n]*[^:#\s]")
"""Texts of several words that are plain YAML scalars."""


def _warn_unanswered_clauses(margin: _CiteIndex, linked: LinkedProgram, report: DiagnosticCollector) -> None:
    places: dict[str, Span] = {}
    for header in linked.iterate_headers():
        if isinstance(header, d.DocumentHeader):
            places.setdefault(header.name.text, header.name.span)
    for document, place in places.items():
        entries = linked.clause_lists.get(document, ())
        missing = [e for e in entries if e.id not in {*margin.cited, *margin.amended, *margin.accounted}]
        for entry in missing:
            message = f"no line carries out `{entry.id}`, and no reason is given"
            notes = (
                (f"{entry.location}: {entry.paraphrase}" if entry.location else entry.paraphrase,)
                if entry.paraphrase
                else ()
            )
            remedy = "cite it in the margin of a line, or write `outside: why` or `void: why` into its clause list"
            report.warning("RW0603", place, message, notes=notes, help=remedy, basis=Basis.TEXT)


def _check_rulings(linked: LinkedProgram, report: DiagnosticCollector) -> None:
    first: dict[str, tuple[str, Span]] = {}
    for ruling, place in iterate_located_rulings(linked):
        if not ruling.text.strip():
            report.error("RW0608", place, "the ruling does not say what it rules", help="write it in the quotes")
            continue
        text, earlier = first.setdefault(ruling.id, (ruling.text, place))
        if text != ruling.text:
            message = f"two rulings `{ruling.id}` differ"
            remedy = "keep one reading, or give the second ruling a number of its own"
            report.error("RW0606", place, message, secondary=(Label(earlier, "the other one"),), help=remedy)


@dataclass(frozen=True, slots=True)
class BrokenCite:
    missing_kind: str  # `a document` (none is meant, or several could be), `a named document` or `a listed clause`
    id: str  # unknown document or whole clause id
    nearest: str | None  # nearest known document or clause id


def resolve_clause_id(cite: Cite, documents: Mapping[str, str]) -> str:
    """Whole id of a clause: `60.f` in a file of document DOC is `DOC.60.f`, `OTHER:4.d` is `OTHER.4.d`."""
    document, colon, clause = cite.clause.partition(":")
    if colon:
        return f"{document}.{clause}"
    document_name = documents.get(cite.span.source, "")
    return f"{document_name}.{cite.clause}" if document_name else cite.clause


def resolve_clause_ids(cites: tuple[Cite, ...], linked: LinkedProgram) -> tuple[str, ...]:
    """Whole ids of the clauses in a margin, each once, in order."""
    return tuple(dict.fromkeys(resolve_clause_id(cite, linked.document_by_source) for cite in cites))


def find_cite_problem(cite: Cite, linked: LinkedProgram) -> BrokenCite | None:
    """Reason why a cite leads to no clause, or None; without a clause list all clauses of a named document exist."""
    documents = [document.name for document in linked.declared_documents]
    document = (
        cite.clause.partition(":")[0] if ":" in cite.clause else linked.document_by_source.get(cite.span.source, "")
    )
    if not document:
        return BrokenCite("a document", cite.clause, None)
    if document not in documents:
        return BrokenCite("a named document", document, find_nearest_name(document, documents))
    entries = linked.clause_lists.get(document)
    wanted = resolve_clause_id(cite, linked.document_by_source)
    if entries is None or any(entry.id == wanted for entry in entries):
        return None
    return BrokenCite("a listed clause", wanted, find_nearest_name(wanted, [entry.id for entry in entries]))


def match_clause_ids(written: str, ids: Iterable[str]) -> tuple[str, ...]:
    """Ids that `DOC.50.e` or `DOC:50.e` means; where none is equal, those of any document that end in it."""
    known, wanted = tuple(dict.fromkeys(ids)), normalize_clause_id(written)
    return tuple(item for item in known if item == wanted) or tuple(
        item for item in known if item.partition(".")[2] == wanted
    )


def normalize_clause_id(written: str) -> str:
    """A written id in the notation of clause lists."""
    return written.removeprefix("@").replace(":", ".", 1)


def collect_accounts(linked: LinkedProgram) -> tuple[Account, ...]:
    """Accounts: every `departs` in reading order, then `outside` and `void` of clause lists, grouped by reason.

    Clauses that an overlay cites are not outside.
    """
    later = find_overlay_sources(linked)
    cited = iterate_margin_cites(linked) if later else ()
    amended = {resolve_clause_id(cite, linked.document_by_source) for cite in cited if cite.span.source in later}
    result = [
        Account(node.word, resolve_clause_ids(node.cites, linked), _get_title_text(node.title), node.span)
        for _, node in linked.iterate_declarations(d.Account)
    ]
    alike: dict[tuple[str, str], list[ClauseListEntry]] = {}
    for entry in _iterate_excused_clauses(linked):
        if entry.word != "outside" or entry.id not in amended:
            alike.setdefault((entry.word, entry.reason), []).append(entry)
    for (word, reason), entries in alike.items():
        if (span := entries[0].span) is not None:
            result.append(Account(word, tuple(entry.id for entry in entries), reason, span))
    return tuple(result)


def find_overlay_sources(linked: LinkedProgram) -> frozenset[str]:
    """Source files that begin with `amends`."""
    return frozenset(
        source
        for module in linked.modules
        for source, file in zip(module.sources, module.files, strict=True)
        if find_amends_header(file) is not None
    )


def iterate_margin_cites(linked: LinkedProgram) -> Iterator[Cite]:
    """Cites of all lines, rows and declarations, without those of accounts."""
    for module in linked.modules:
        for node in (*(h for file in module.files for h in file.headers), *module.declarations):
            if not isinstance(node, d.Account):
                cites = [inner for inner in list_declaration_nodes(node) if isinstance(inner, Cite)]
                yield from sorted(cites, key=lambda cite: cite.span)


def collect_rulings(linked: LinkedProgram) -> tuple[Ruling, ...]:
    """Rulings of files and of lines, in reading order."""
    return tuple(ruling for ruling, _ in iterate_located_rulings(linked))


def iterate_located_rulings(linked: LinkedProgram) -> Iterator[tuple[Ruling, Span]]:
    """Rulings with the place of their number; lines inherited by `like` count where they were written."""
    visited: set[Span] = set()
    for ruling, place in sorted(
        _iterate_raw_rulings(linked), key=lambda item: item[0].address.partition("/")[0] in linked.derivations
    ):
        if ruling.span not in visited:
            visited.add(ruling.span)
            yield ruling, place


def _iterate_raw_rulings(linked: LinkedProgram) -> Iterator[tuple[Ruling, Span]]:
    for module, node in linked.iterate_declarations(d.Declared):
        prefix = "" if isinstance(node, d.Ruling) else module.prefix
        for address, item in (
            walk_address_pairs(node) if isinstance(node, d.Ruling | d.Procedure | d.Handler | d.Whenever) else ()
        ):
            if isinstance(item, s.RulingLine | d.Ruling):
                yield (
                    Ruling(item.number.text, _get_title_text(item.title), prefix + address, item.span),
                    item.number.span,
                )


def _get_title_text(title: Title | None) -> str:
    return title.text if title else ""


@cache_by_identity(most=50)
def find_spans_under_rulings(linked: LinkedProgram) -> frozenset[Span]:
    """Spans of nodes right below a `ruling`, and of their rows."""
    result = set[Span]()
    for module in linked.modules:
        blocks: list[tuple[Any, ...]] = [
            module.declarations,
            *(node.opening for node in module.declarations if isinstance(node, d.Procedure)),
            *(
                inner.lines
                for node in module.declarations
                for inner in list_declaration_nodes(node)
                if isinstance(inner, s.Block)
            ),
        ]
        for above, node in (pair for block in blocks for pair in pairwise(block)):
            if isinstance(above, d.Ruling | s.RulingLine):
                result |= {node.span, *(row.span for row in getattr(node, "rows", ()))}
    return frozenset(result)


@dataclass(frozen=True, slots=True)
class CitingStatement:
    """A declaration, step, row or line that cites a clause, with its title."""

    address: str
    title: str
    span: Span


@dataclass(frozen=True, slots=True)
class UnknownCite:
    """A cite of no clause, with the nearest clause or None."""

    clause: str
    nearest: str | None
    statement: CitingStatement


@dataclass(frozen=True, slots=True)
class TracedClause:
    """A clause with its statements and accounts."""

    entry: ClauseListEntry  # entry of the clause list; without a list the id alone
    statements: tuple[CitingStatement, ...] = ()  # in reading order
    accounts: tuple[Account, ...] = ()  # `outside`, `void` and `departs`

    @property
    def answer_kind(self) -> str:
        """`cited`, `outside`, `void` or `departs`; `missing` without statement and account."""
        if self.statements:
            return "cited"
        return self.accounts[0].word if self.accounts else "missing"


@dataclass(frozen=True, slots=True)
class TracedDocument:
    """A document with its clauses in the order of its list; `listed` where it has a clause list."""

    name: str
    title: str
    listed: bool
    clauses: tuple[TracedClause, ...]


@dataclass(frozen=True, slots=True)
class ClauseTrace:
    """Clauses of all documents of a ruleset, overlays applied, with the statements that cite them."""

    documents: tuple[TracedDocument, ...]  # in reading order
    unknown_cites: tuple[UnknownCite, ...]  # in reading order
    rulings: tuple[Ruling, ...]  # in reading order

    @property
    def unanswered_clauses(self) -> tuple[TracedClause, ...]:
        return tuple(clause for one in self.documents for clause in one.clauses if clause.answer_kind == "missing")


def trace_clauses(linked: LinkedProgram) -> ClauseTrace:
    """Clauses of all documents with their statements and accounts.

    A document without a clause list has the clauses that are cited.
    """
    cited: dict[str, list[CitingStatement]] = {}
    unknown: list[UnknownCite] = []
    for module in linked.modules:
        for node in (*(header for file in module.files for header in file.headers), *module.declarations):
            for cite, statement in _iterate_cites(node, module.prefix):
                problem, clause = find_cite_problem(cite, linked), resolve_clause_id(cite, linked.document_by_source)
                if problem is not None:
                    nearest = problem.nearest if problem.missing_kind == "a listed clause" else None
                    unknown.append(UnknownCite(clause, nearest, statement))
                elif not isinstance(node, d.Account):
                    cited.setdefault(clause, []).append(statement)
    accounted: dict[str, list[Account]] = {}
    for account in collect_accounts(linked):
        for clause in account.clauses:
            accounted.setdefault(clause, []).append(account)
    documents = []
    for declared_document in linked.declared_documents:
        entries = linked.clause_lists.get(declared_document.name)
        if entries is None:
            clause_ids = (
                one for one in dict.fromkeys([*cited, *accounted]) if one.startswith(f"{declared_document.name}.")
            )
            entries = tuple(map(ClauseListEntry, clause_ids))
        traced = (TracedClause(one, tuple(cited.get(one.id, ())), tuple(accounted.get(one.id, ()))) for one in entries)
        documents.append(
            TracedDocument(
                declared_document.name,
                declared_document.title,
                declared_document.name in linked.clause_lists,
                tuple(traced),
            )
        )
    return ClauseTrace(tuple(documents), tuple(unknown), collect_rulings(linked))


def _iterate_cites(node: d.Header | d.Declaration, prefix: str) -> Iterator[tuple[Cite, CitingStatement]]:
    parts = tuple(walk_address_pairs(node))
    titles: dict[str, str] = {}
    for address, part in parts:
        if getattr(part, "title", None):
            titles.setdefault(address, part.title.text)
    word = node.word if isinstance(node, d.Account) else type(node).__name__.lower()
    visited: set[Span] = set()
    for address, part in parts:
        line = getattr(part, "head", part.span)
        statement = CitingStatement(prefix + (address or word), titles.get(address, ""), line)
        for cite in getattr(part, "cites", ()):
            if cite.span not in visited:
                visited.add(cite.span)
                yield cite, statement
