"""From clauses to statements: who carries out what a document says, and what nobody answers for."""

from collections.abc import Iterator

from rulewright.analysis.addresses import placed
from rulewright.analysis.clauses import accounts, astray, clause_id, rulings
from rulewright.analysis.symbols import ClauseEntry, Linked
from rulewright.frozen import dataclass
from rulewright.program.declarations import Account, Ruling
from rulewright.source import Span
from rulewright.syntax.nodes import declarations as d
from rulewright.syntax.nodes.expressions import Cite


@dataclass(frozen=True, slots=True)
class Statement:
    """What cites a clause: a declaration, step, row or line, with what stands in its quotes."""

    address: str
    title: str
    span: Span


@dataclass(frozen=True, slots=True)
class Unknown:
    """A cite of no clause: as it was meant, the clause nearest to it or none, and where it stands."""

    clause: str
    nearest: str | None
    statement: Statement


@dataclass(frozen=True, slots=True)
class Traced:
    """A clause with everything that answers for it."""

    entry: ClauseEntry  # what the clause list says of it; without a clause list the id alone
    statements: tuple[Statement, ...] = ()  # those that cite it, in reading order
    accounts: tuple[Account, ...] = ()  # its `outside`, `void` and `departs`

    @property
    def answer(self) -> str:
        """How it is answered: `cited`, `outside`, `void` or `departs`; `missing` where nothing answers for it."""
        if self.statements:
            return "cited"
        return self.accounts[0].word if self.accounts else "missing"


@dataclass(frozen=True, slots=True)
class TracedDocument:
    """A document: short name, title, whether it has a clause list, and its clauses in the order of the list."""

    name: str
    title: str
    listed: bool
    clauses: tuple[Traced, ...]


@dataclass(frozen=True, slots=True)
class Trace:
    """What a ruleset, overlays applied, makes of its documents."""

    documents: tuple[TracedDocument, ...]  # in reading order
    unknown: tuple[Unknown, ...]  # the cites of no clause, in reading order
    rulings: tuple[Ruling, ...]  # every ruling, in reading order

    @property
    def missing(self) -> tuple[Traced, ...]:
        """The clauses that nothing answers for."""
        return tuple(each for one in self.documents for each in one.clauses if each.answer == "missing")


def trace(linked: Linked) -> Trace:
    """Every clause of every document with its statements and accounts.

    A clause list gives the clauses of its document; a document without one has those that are cited.
    """
    cited: dict[str, list[Statement]] = {}
    unknown: list[Unknown] = []
    for module in linked.modules:
        for node in (*(header for file in module.files for header in file.headers), *module.declarations):
            for cite, statement in _citing(node, module.prefix):
                problem, clause = astray(cite, linked), clause_id(cite, linked.documents)
                if problem is not None:
                    nearest = problem.nearest if problem.wants == "a listed clause" else None
                    unknown.append(Unknown(clause, nearest, statement))
                elif not isinstance(node, d.Account):
                    cited.setdefault(clause, []).append(statement)
    accounted: dict[str, list[Account]] = {}
    for account in accounts(linked):
        for clause in account.clauses:
            accounted.setdefault(clause, []).append(account)
    documents = []
    for each in linked.texts:
        entries = linked.clauses.get(each.name)
        if entries is None:
            own = (one for one in dict.fromkeys([*cited, *accounted]) if one.startswith(f"{each.name}."))
            entries = tuple(map(ClauseEntry, own))
        traced = (Traced(one, tuple(cited.get(one.id, ())), tuple(accounted.get(one.id, ()))) for one in entries)
        documents.append(TracedDocument(each.name, each.title, each.name in linked.clauses, tuple(traced)))
    return Trace(tuple(documents), tuple(unknown), rulings(linked))


def _citing(node: d.Header | d.Declaration, prefix: str) -> Iterator[tuple[Cite, Statement]]:
    """Every cite of a declaration or header, with what cites it."""
    parts = tuple(placed(node))
    titles: dict[str, str] = {}
    for address, part in parts:
        if getattr(part, "title", None):
            titles.setdefault(address, part.title.text)
    word = node.word if isinstance(node, d.Account) else type(node).__name__.lower()
    seen: set[Span] = set()
    for address, part in parts:
        line = getattr(part, "head", part.span)
        statement = Statement(prefix + (address or word), titles.get(address, ""), line)
        for cite in getattr(part, "cites", ()):
            if cite.span not in seen:
                seen.add(cite.span)
                yield cite, statement
