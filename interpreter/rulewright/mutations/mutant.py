"""One small change of a text."""

from rulewright.frozen import dataclass
from rulewright.source import Span, Text

OPERATORS = {
    "comparison": "`<` becomes `<=` or `>=`, `=` becomes `!=`, `in` becomes `not in`, and so on",
    "negation": "a condition becomes its opposite",
    "term": "a part of `and` or `or` is left out",
    "conjunct": "a condition wants another flag of the same thing besides",
    "and-or": "`and` becomes `or`, `or` becomes `and`",
    "condition": "a `when`, `where` or `only if` is left out",
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
    "decider": "somebody else is asked, or rolls",
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
class Edit:
    """What an operator writes at a place of a text."""

    operator: str
    place: Span
    new: str


@dataclass(frozen=True, slots=True)
class Mutant:
    """A ruleset with one small change.

    Attributes:
        operator: a key of `OPERATORS`.
        address: of the line, row or declaration that is changed.
        place: what is replaced.
        old: the text of it.
        new: what stands there instead.
        line: the head of the innermost line of a procedure, handler or standing rule around it; none outside of them.
        cites: clauses in the margin there, as written.
        number: among those of the same operator that write the same at this address, from 1.
    """

    operator: str
    address: str
    place: Span
    old: str
    new: str
    line: Span | None
    cites: tuple[str, ...]
    number: int = 1

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
    """The lines of a text that a mutant changes.

    Attributes:
        number: of the first line, from 1.
        old: the lines before.
        new: the lines instead.
    """

    number: int
    old: tuple[str, ...]
    new: tuple[str, ...]


def change(mutant: Mutant, text: Text) -> Change:
    """What a mutant does to the lines of its text."""
    old, new = text.content.splitlines(), mutant.applied(text).content.splitlines()
    first = next((at for at, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    last = 0
    while last < min(len(old), len(new)) - first and old[-1 - last] == new[-1 - last]:
        last += 1
    return Change(first + 1, tuple(old[first : len(old) - last]), tuple(new[first : len(new) - last]))
