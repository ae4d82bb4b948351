"""From clauses to statements: who carries out what a document says, and what nobody answers for."""

from collections.abc import Iterator, Mapping

from rulewright.analysis.addresses import Node, placed
from rulewright.analysis.clauses import Astray, accounts, astray, clause_id, rulings
from rulewright.analysis.symbols import ClauseEntry, Linked
from rulewright.frozen import dataclass
from rulewright.program.declarations import Account, Ruling
from rulewright.source import Span
from rulewright.syntax.nodes import declarations as d


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
    for clause, problem, statement in _cited(linked):
        if problem is None:
            cited.setdefault(clause, []).append(statement)
        else:
            unknown.append(problem)
    accounted: dict[str, list[Account]] = {}
    for account in accounts(linked):
        for clause in account.clauses:
            accounted.setdefault(clause, []).append(account)
    documents = tuple(
        TracedDocument(
            each.name, each.title, each.name in linked.clauses, _clauses(each.name, linked, cited, accounted)
        )
        for each in linked.texts
    )
    return Trace(documents, tuple(unknown), rulings(linked))


def _clauses(
    document: str, linked: Linked, cited: Mapping[str, list[Statement]], accounted: Mapping[str, list[Account]]
) -> tuple[Traced, ...]:
    entries = linked.clauses.get(document)
    if entries is None:
        ids = dict.fromkeys([*cited, *accounted])
        entries = tuple(ClauseEntry(each) for each in ids if each.startswith(f"{document}."))
    return tuple(Traced(entry, tuple(cited.get(entry.id, ())), tuple(accounted.get(entry.id, ()))) for entry in entries)


def _cited(linked: Linked) -> Iterator[tuple[str, Unknown | None, Statement]]:
    """Every cite as a whole clause id with its statement, accounts among them where they lead nowhere."""
    for module in linked.modules:
        for node in (*(header for file in module.files for header in file.headers), *module.declarations):
            yield from _of_declaration(node, module.prefix, linked)


def _of_declaration(
    node: d.Header | d.Declaration, prefix: str, linked: Linked
) -> Iterator[tuple[str, Unknown | None, Statement]]:
    parts = tuple(placed(node))
    titles: dict[str, str] = {}
    for address, part in parts:
        if getattr(part, "title", None):
            titles.setdefault(address, part.title.text)
    seen: set[Span] = set()
    for address, part in parts:
        statement = Statement(prefix + (address or _word(node)), titles.get(address, ""), _place(part))
        for cite in getattr(part, "cites", ()):
            problem = astray(cite, linked)
            if cite.span in seen or (problem is None and isinstance(node, d.Account)):
                continue
            seen.add(cite.span)
            clause = clause_id(cite, linked.documents)
            yield clause, _unknown(clause, problem, statement), statement


def _unknown(clause: str, problem: Astray | None, statement: Statement) -> Unknown | None:
    if problem is None:
        return None
    return Unknown(clause, problem.nearest if problem.wants == "a listed clause" else None, statement)


def _word(node: d.Header | d.Declaration) -> str:
    """What a declaration without a name is called: `outside`, `bind`."""
    return node.word if isinstance(node, d.Account) else type(node).__name__.lower()


def _place(part: Node) -> Span:
    """The line of a part, without its block."""
    found = getattr(part, "head", part.span)
    assert isinstance(found, Span)
    return found
