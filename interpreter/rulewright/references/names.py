"""What names of one ruleset stand for, by how its program calls them, and where they were found."""

from dataclasses import dataclass, field

from rulewright.program.declarations import Program
from rulewright.references.addressed import Addresses
from rulewright.references.index import PLACED, Occurrence, Role, Target
from rulewright.source import Span, Text


@dataclass
class Found:
    """All occurrences so far, of whatever ruleset."""

    texts: dict[str, Text] = field(default_factory=dict)  # every text by its name
    # the one at each place; what was found first stands, but for what is surer
    occurrences: dict[Span, Occurrence] = field(default_factory=dict)
    # the whole declarations, steps, rows and lines that have names, each where it was found first
    extents: dict[Target, Span] = field(default_factory=dict)
    prose: set[Span] = field(default_factory=set)  # titles, texts and comments of rules

    def note(self, span: Span, written: str, target: Target | None, role: Role, *, sure: bool = True) -> None:
        """Notes a name where it is written so."""
        text = self.texts.get(span.source)
        if target is None or text is None or text.content[span.start : span.end] != written:
            return
        known = self.occurrences.get(span)
        if known is None or (sure and not known.sure):
            self.occurrences[span] = Occurrence(target, role, span, sure)

    def target(self, span: Span) -> Target | None:
        """What the name at a place stands for."""
        known = self.occurrences.get(span)
        return known.target if known else None


@dataclass
class Names:
    """The names of a ruleset, with those that its overlays add."""

    # of the ruleset alone and of its overlays over it, those that have no errors
    programs: list[Program] = field(default_factory=list)
    addresses: Addresses = field(default_factory=Addresses)  # of all parts, taken apart
    # by name space and address, what has a name and an address
    declared: dict[tuple[str, str], Target] = field(default_factory=dict)
    # by owner and name; of an external its named results
    attributes: dict[tuple[str, str], Target] = field(default_factory=dict)
    words: dict[tuple[str, str], Target] = field(default_factory=dict)  # by list and word
    # by declaration, `Kind/attribute` among them, and name
    own: dict[tuple[str, str], Target] = field(default_factory=dict)
    steps: dict[tuple[str, str], Target] = field(default_factory=dict)  # by procedure and id
    rulings: dict[str, Target] = field(default_factory=dict)  # by id
    clauses: dict[str, Target] = field(default_factory=dict)  # by whole id
    documents: dict[str, str] = field(default_factory=dict)  # the document that bare cites mean, by text

    def called(self, name: str) -> list[Target]:
        """What has a name that is seen everywhere: declarations, attributes, fields, words."""
        wide = (each for each in self.declared.values() if each.sort not in PLACED)
        return list(dict.fromkeys(each for each in wide if each.name == name))

    def attribute(self, name: str) -> list[Target]:
        """The attributes of a name, of whatever owner."""
        return list(dict.fromkeys(each for (_, called), each in self.attributes.items() if called == name))

    def word(self, name: str) -> list[Target]:
        """The words of a name, of whatever list."""
        return list(dict.fromkeys(each for (_, called), each in self.words.items() if called == name))
