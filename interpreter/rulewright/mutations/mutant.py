"""One small change of a text, and every node in which one can be noticed, with what is known around it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from rulewright.analysis.addresses import parts, placed
from rulewright.frozen import dataclass
from rulewright.roles import Role, children
from rulewright.source import Span, Text
from rulewright.syntax.format import format_type
from rulewright.syntax.nodes import declarations as d, statements as s

_CALLED = (d.Procedure, d.Event, d.Term, d.Relation, d.Tally, d.Decide, d.Table, d.Paths, d.Measure, d.ExternalTerm)
_PASSED_OVER = (
    d.Account, d.Always, d.Ruling, d.RulesetHeader, d.AmendsHeader, d.DocumentHeader, d.UseHeader, s.RulingLine,
)  # fmt: skip

OPERATORS = {
    "comparison": "`<` becomes `<=` or `>=`, `=` becomes `!=`, `in` becomes `not in`, and so on",
    "negation": "a condition becomes its opposite",
    "term": "a part of `and` or `or` is left out",
    "conjunct": "a condition wants another flag of the same thing besides",
    "and-or": "`and` becomes `or`, `or` becomes `and`",
    "condition": "a `when` or `where` is left out",
    "quantity": "`some` becomes `no`, `all` becomes `any`",
    "number": "a whole number is one more or one less",
    "range": "an end of a type such as `0..9` is one more or one less",
    "bound": "the bound of a loop or of a jump upwards is one less",
    "sign": "`+` becomes `-`, `add` becomes `take`",
    "extreme": "`min` becomes `max`, `highest` becomes `lowest`, `at least` becomes `at most`, and so on",
    "default": "the value is left out that a parameter, an attribute or a field has where none is given",
    "flag": "`yes` becomes `no`",
    "word": "a word becomes the next one of its list",
    "jump": "`proceed to` leads to the step before or after",
    "decider": "another player is asked, or rolls",
    "role": "a name becomes another one of the same type",
    "order": "the first two members of a list change places",
    "sequence": "two rows next to each other change places",
    "line": "a line does nothing",
    "row": "a row or a case is left out",
    "option": "an option is left out",
    "handler": "a handler or a `watch` is left out",
    "rule": "a standing rule is left out",
    "amendment": "a change that an overlay makes is left out",
    "adverb": "`optional`, `up to` or `symmetric` is left out",
}
"""Sorts of changes, in the order of reports, with what they do."""
_WHOLE = frozenset({"line", "row", "option", "handler", "rule", "amendment"})
_LONGEST = 40


@dataclass(frozen=True, slots=True)
class Known:
    """Names of a ruleset."""

    declarations: Mapping[str, d.Declaration]  # procedures, events and functions, by name
    handlers: Mapping[str, str]  # names of the events of handlers, by the name of the handler
    words: Mapping[str, tuple[str, ...]]  # for every word, the words of its list
    # for every attribute of a kind, the flags that the kind stores; of an attribute that several kinds have those of
    # the last
    flags: Mapping[str, tuple[str, ...]]
    addresses: Mapping[Span, str]  # of the parts of all declarations, by their places, as overlays have changed them


def known_of(declarations: Iterable[d.Declaration]) -> Known:
    """What is known from some declarations; of two with one name, from the last."""
    all_ = list(declarations)
    lists = [tuple(word.name.text for word in each.words) for each in all_ if isinstance(each, d.Values)]
    return Known(
        {each.name.text: each for each in all_ if isinstance(each, _CALLED)},
        {each.name.text: each.event.parts[-1].text for each in all_ if isinstance(each, d.Handler)},
        {word: words for words in lists for word in words},
        {field.name.text: _flags(each) for each in all_ if isinstance(each, d.Kind) for field in each.fields},
        {part.node.span: part.address for each in reversed(all_) for part in reversed([*parts(each)]) if part.own},
    )


def _flags(kind: d.Kind) -> tuple[str, ...]:
    stored = (each for each in kind.fields if isinstance(each, d.StoredField))
    return tuple(each.name.text for each in stored if format_type(each.type) == "flag")


def peers(declaration: object) -> Mapping[str, str]:
    """For each name that a declaration gives a type, the next name of that type, the first after the last."""
    groups: dict[str, list[str]] = {}
    for name, type_ in _typed(declaration):
        groups.setdefault(type_, []).append(name)
    return {
        name: names[(at + 1) % len(names)] for names in groups.values() for at, name in enumerate(names) if names[1:]
    }


def _typed(declaration: object) -> list[tuple[str, str]]:
    found = [(each.name.text, format_type(each.type)) for each in getattr(declaration, "parameters", ())]
    if isinstance(declaration, d.Procedure):
        lets = [each for each in declaration.opening if isinstance(each, s.Let) and each.type is not None]
        found += [(each.name.text, format_type(each.type)) for each in lets if each.type]
    return list(dict(found).items())


def steps(declaration: object) -> tuple[str, ...]:
    """The ids of the steps of a procedure; none of anything else."""
    return tuple(each.name.text for each in declaration.steps) if isinstance(declaration, d.Procedure) else ()


@dataclass(frozen=True, slots=True)
class Visit:
    """A node and what is around it."""

    node: Any
    text: Text  # that it stands in
    address: str  # of the innermost named part around it, itself included
    line: Span | None  # the first line, without its margin, of the innermost statement around it
    cites: tuple[str, ...]  # clauses in the margin of the innermost part that has any
    peers: Mapping[str, str]  # for names of the declaration, another name of the same type
    steps: tuple[str, ...]  # of the procedure around it
    words: Mapping[str, tuple[str, ...]]  # for every word, the words of its list
    flags: Mapping[str, tuple[str, ...]]  # for every attribute, the flags of its kind

    def written(self, span: Span) -> str:
        """The text at a place."""
        return self.text.content[span.start : span.end]

    def between(self, before: Span, after: Span) -> Span:
        """What stands between two places, without the space around it."""
        written = self.text.content[before.end : after.start]
        start = before.end + len(written) - len(written.lstrip())
        return Span(before.source, start, start + len(written.strip()))


def visits(file: d.File, text: Text, known: Known) -> Iterator[Visit]:
    """Every node of a text in which a change can be noticed, outer before inner, in order of place.

    Left out are headers, readings, `always`, which never fails in a right ruleset, and the measure after `lowers`.
    """
    for declaration in file.declarations:
        if isinstance(declaration, _PASSED_OVER):
            continue
        anchor = _anchor(declaration)
        around = _around(declaration, anchor, known)
        visit = Visit(declaration, text, anchor, None, (), peers(around), steps(around), known.words, known.flags)
        yield from _inside(visit, _addresses(declaration, anchor, known))


def _anchor(declaration: d.Declaration) -> str:
    """The address that an amendment is about; of a declaration its name, or the word it begins with."""
    match declaration:
        case d.Replace(target=target) | d.Insert(target=target):
            beside = declaration.anchor if isinstance(declaration, d.Insert) else None
            above = beside.text.rpartition("/")[0] if beside else ""
            return f"{above}/{target.address.text}" if above else target.address.text
        case d.InsertLines(anchor=anchor):
            return anchor.text
        case d.RemovePart(address=address) | d.ReplaceLine(address=address):
            return address.text
        case d.ReplaceWhole(declaration=whole):
            return whole.name.text
        case d.Bind(external=external):
            return external.text
        case _:
            return getattr(declaration, "name", None).text if hasattr(declaration, "name") else "game"  # type: ignore[union-attr]


def _around(declaration: d.Declaration, anchor: str, known: Known) -> object:
    """The declaration whose names the lines of another see."""
    whole = declaration.declaration if isinstance(declaration, d.ReplaceWhole) else declaration
    if isinstance(whole, d.Handler):
        return known.declarations.get(whole.event.parts[-1].text)
    if isinstance(whole, d.Amendment):
        first = anchor.partition("/")[0]
        return known.declarations.get(known.handlers.get(first, first))
    return whole


def _addresses(declaration: d.Declaration, anchor: str, known: Known) -> dict[int, str]:
    """The addresses of the parts of a declaration, by their identity; of an amendment's as they are in its place."""
    match declaration:
        case d.ReplaceWhole(declaration=whole):
            roots: list[tuple[object, str]] = [(whole, "")]
        case d.Replace(target=d.Target(part=part)) | d.Insert(target=d.Target(part=part)):
            roots = [(part, "")]
        case d.Replace(target=d.RowTarget(row=row)) | d.Insert(target=d.RowTarget(row=row)):
            roots = [(row, "")]
        case d.InsertLines(where=where, lines=lines):
            roots = [(each, anchor if where == "into" else anchor.rpartition("/")[0]) for each in lines]
        case d.ReplaceLine(lines=lines):
            roots = [(each, anchor.rpartition("/")[0]) for each in lines]
        case d.ProcedureLike(amendments=amendments):
            # an address in a derived procedure may leave the name of the procedure out
            within = ((each, _anchor(each)) for each in amendments)
            return {id(each): at if at.partition("/")[0] == anchor else f"{anchor}/{at}" for each, at in within}
        case _:
            roots = [(declaration, "")]
    found = ((address, part) for root, within in roots for address, part in placed(root, within) if address)
    if not isinstance(declaration, d.Amendment):
        return {id(part): address for address, part in found}
    return {id(part): known.addresses.get(part.span, address) for address, part in found}


def _inside(visit: Visit, addresses: Mapping[int, str]) -> Iterator[Visit]:
    node = visit.node
    if isinstance(node, _PASSED_OVER):
        return
    cites = tuple(each.clause for each in getattr(node, "cites", ()))
    line = node.head if isinstance(node, s.Line) else visit.line
    address = addresses.get(id(node), visit.address)
    here = replace(visit, address=address, line=line, cites=cites or visit.cites)
    yield here
    # what stands after `lowers` is a proof, and a bound is changed with its line
    for each in sorted(children(node, Role.WORDS), key=lambda each: each.span.start):
        yield from _inside(replace(here, node=each), addresses)


@dataclass(frozen=True, slots=True)
class Edit:
    """What an operator writes at a place of a text."""

    operator: str
    place: Span
    new: str


@dataclass(frozen=True, slots=True)
class Mutant:
    """A ruleset with one small change."""

    operator: str  # a key of `OPERATORS`
    address: str  # of the line, row or declaration that is changed
    place: Span  # what is replaced
    old: str  # the text of it
    new: str  # what stands there instead
    # the head of the innermost line of a procedure, handler or standing rule around it; none outside of them
    line: Span | None
    cites: tuple[str, ...]  # clauses in the margin there, as written
    number: int = 1  # among those of the same operator that write the same at this address, from 1

    @property
    def name(self) -> str:
        """What people call it: `melee_attack/token number 1 -> 2`."""
        return self.title if self.number == 1 else f"{self.title} #{self.number}"

    @property
    def title(self) -> str:
        """Its name without a number."""
        if self.operator in _WHOLE:
            return f"{self.address} {self.operator} left out"
        if not self.new.strip():
            return f"{self.address} {self.operator} left out: {_short(self.old)}"
        return f"{self.address} {self.operator} {_short(self.old)} -> {_short(self.new)}"

    def applied(self, text: Text) -> Text:
        """The text it was made from, with the change."""
        before, after = text.content[: self.place.start], text.content[self.place.end :]
        return Text(text.name, before + self.new + after)


def _short(written: str) -> str:
    """In one line, so much of it as reads well."""
    line = " ".join(written.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


@dataclass(frozen=True, slots=True)
class Change:
    """The lines of a text that a mutant changes."""

    number: int  # of the first line, from 1
    old: tuple[str, ...]  # the lines before
    new: tuple[str, ...]  # the lines instead


def change(mutant: Mutant, text: Text) -> Change:
    """What a mutant does to the lines of its text."""
    old, new = text.content.splitlines(), mutant.applied(text).content.splitlines()
    first = next((at for at, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    last = 0
    while last < min(len(old), len(new)) - first and old[-1 - last] == new[-1 - last]:
        last += 1
    return Change(first + 1, tuple(old[first : len(old) - last]), tuple(new[first : len(new) - last]))
