"""Clauses: each is cited by a line, or accounted for with a reason (manual, Clauses)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from rulewright.analysis.clauses.accounts import found_rulings, margins, overlays
from rulewright.analysis.clauses.cites import astray, clause_id
from rulewright.analysis.report import Report
from rulewright.analysis.symbols import Linked
from rulewright.diagnostics import Edit, Label
from rulewright.diagnostics.suggest import Remedy, respelt
from rulewright.source import Span
from rulewright.syntax.nodes import declarations as d
from rulewright.syntax.nodes.expressions import Cite


@dataclass(slots=True, eq=False, repr=False)
class _Margin:
    """What the files say about clauses: by whole id, where each is cited and how it is accounted for.

    What overlays cite is in `amended` alone: there a clause that the base leaves outside may be carried out after all.
    """

    overlays: frozenset[str]
    cited: dict[str, Span] = field(default_factory=dict)
    amended: dict[str, Span] = field(default_factory=dict)
    accounted: dict[str, tuple[str, Span]] = field(default_factory=dict)


def check_clauses(linked: Linked, report: Report) -> None:
    """Reports what is wrong between the margins, the accounts and the clause lists.

    RW0601 (a document nobody named), RW0602 (no such clause), RW0603 (a clause without line or reason), RW0604 (cited
    and accounted for), RW0605 (accounted for twice), RW0606 (two readings of one finding), RW0607 (which document?),
    RW0608 (no reason given).
    """
    margin = _Margin(overlays(linked))
    for cite in margins(linked):
        if _is_known(cite, linked, report):
            found = margin.amended if cite.span.source in margin.overlays else margin.cited
            found.setdefault(clause_id(cite, linked.documents), cite.span)
    for node in _accounts(linked):
        _account(node, margin, linked, report)
    _without_line(margin, linked, report)
    _rulings(linked, report)


def _accounts(linked: Linked) -> Iterator[d.Account]:
    for module in linked.modules:
        yield from (node for node in module.declarations if isinstance(node, d.Account))


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
        remedy = respelt(cite.span, f"@{whole}") if problem.nearest else name
        message = f"no file names a document `{problem.id}`"
        report.error("RW0601", cite.span, message, help=remedy.help, edits=remedy.edits)
    else:
        document = problem.id.partition(".")[0]
        remedy = respelt(cite.span, f"@{_written(problem.nearest, cite)}") if problem.nearest else Remedy()
        message = f"the clause list of `{document}` has no `{problem.id}`"
        report.error("RW0602", cite.span, message, help=remedy.help, edits=remedy.edits)
    return False


def _written(clause: str, cite: Cite) -> str:
    """A clause id as it is written in place of a cite."""
    document, _, rest = clause.partition(".")
    return f"{document}:{rest}" if ":" in cite.clause else rest


def _which(cite: Cite, documents: list[str], report: Report) -> None:
    if documents:
        choices = " or ".join(f"`@{document}:{cite.clause}`" for document in documents[:3])
        message = f"nothing says of which document `@{cite.clause}` is a clause"
        only = (Edit(cite.span, f"@{documents[0]}:{cite.clause}"),) if len(documents) == 1 else ()
        report.error("RW0607", cite.span, message, help=f"write {choices}", edits=only)
    else:
        message = f"`@{cite.clause}` cites a document, but no file names one"
        report.error("RW0607", cite.span, message, help='name it at the top: `document DOC "Title"`')


def _account(node: d.Account, margin: _Margin, linked: Linked, report: Report) -> None:
    if node.title is None or not node.title.text.strip():
        report.error("RW0608", node.head, f"`{node.word}` gives no reason", help="say why in the quotes")
    for cite in node.cites:
        if not _is_known(cite, linked, report):
            continue
        clause = clause_id(cite, linked.documents)
        earlier = margin.accounted.get(clause)
        if earlier is not None and (earlier[0] == node.word or "departs" not in (earlier[0], node.word)):
            there = (Label(earlier[1], "accounted for here first"),)
            message = f"`{clause}` is accounted for twice"
            report.error("RW0605", cite.span, message, secondary=there, help="keep one of the two")
            continue
        margin.accounted[clause] = (node.word, cite.span)
        own = node.word != "outside" or node.span.source in margin.overlays
        line = margin.cited.get(clause) or (margin.amended.get(clause) if own else None)
        if node.word != "departs" and line is not None:
            _both(node, clause, cite, line, report)


def _both(node: d.Account, clause: str, cite: Cite, line: Span, report: Report) -> None:
    what = "another text's business" if node.word == "outside" else "nothing to carry out"
    report.error(
        "RW0604",
        cite.span,
        f"`{clause}` is declared `{node.word}` and cited by a line",
        secondary=(Label(line, "cited here"),),
        notes=(f"`{node.word}` says that the clause is {what}, the cite that a line carries it out.",),
        help="remove one of the two",
    )


def _without_line(margin: _Margin, linked: Linked, report: Report) -> None:
    """Warns, at its `document` line, of the clauses of a document that nobody answers for."""
    for document, place in _documents(linked).items():
        entries = linked.clauses.get(document, ())
        missing = [e for e in entries if e.id not in {*margin.cited, *margin.amended, *margin.accounted}]
        for entry in missing:
            report.warning(
                "RW0603",
                place,
                f"no line carries out `{entry.id}`, and nothing accounts for it",
                notes=(f"{entry.where}: {entry.says}" if entry.where else entry.says,) if entry.says else (),
                help='cite it in the margin of a line, or write `outside "why"` or `void "why"` with it',
            )


def _documents(linked: Linked) -> Mapping[str, Span]:
    found: dict[str, Span] = {}
    for module in linked.modules:
        for file in module.files:
            for header in file.headers:
                if isinstance(header, d.DocumentHeader):
                    found.setdefault(header.name.text, header.name.span)
    return found


def _rulings(linked: Linked, report: Report) -> None:
    first: dict[str, tuple[str, Span]] = {}
    for finding, place in found_rulings(linked):
        if not finding.text.strip():
            report.error("RW0608", place, "the ruling does not say what it rules", help="say it in the quotes")
            continue
        text, earlier = first.setdefault(finding.id, (finding.text, place))
        if text != finding.text:
            report.error(
                "RW0606",
                place,
                f"two rulings on `{finding.id}` differ",
                secondary=(Label(earlier, "the other one"),),
                help="keep one reading, or number the second finding on its own",
            )
