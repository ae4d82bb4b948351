"""What the first screen of a comparison holds: plain data."""

from rulewright.frozen import dataclass

CHANGED, NEW, GONE = "changed", "new", "gone"


@dataclass(frozen=True, slots=True)
class Row:
    """One change of play.

    Attributes:
        kind: `changed`, `new` or `gone`.
        name: what it is about, in its author's words; empty where a heading says nothing more than its sentences.
        was: what was said; empty of what is new or came, and where only what is now can be told.
        now: what is said; empty of what is gone or went.
        more: further sentences of what is said, or of what was said of a row that is gone.
        clauses: clauses it is about: of the old revision, and of the new one.
        cited: the same in short, to be shown.
        shown: whether a play shows it.
        edits: numbers of its edits among all of the comparison.
        meant: what was meant without being said, where only what is now can be told.
        whole: whether what is now is said without `now` before it.
    """

    kind: str
    name: str
    was: str
    now: str
    more: tuple[str, ...]
    clauses: tuple[tuple[str, ...], tuple[str, ...]]
    cited: tuple[str, ...]
    shown: bool
    edits: tuple[int, ...]
    meant: str = ""
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Folded:
    """What is not told line by line.

    Attributes:
        readings: edits that only matter under a reading that is not the written one, settings among them.
        helpers: declarations that other rules use, and that came, went or changed with them.
        same: edits of clauses that say what they said.
        wording: titles, questions and reasons.
        margins: of clauses cited.
        rewritten: edits of rules that are proved to say what they said, whatever becomes of what they mention.
    """

    readings: tuple[int, ...]
    helpers: tuple[int, ...]
    same: tuple[int, ...]
    wording: tuple[int, ...]
    margins: tuple[int, ...]
    rewritten: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Screen:
    """The first screen.

    Attributes:
        rows: what changed, then what is new, then what is gone, each the most noticeable first.
        also: clauses without a row, as (old, new): of the new document alone, or worded otherwise in another document.
        names: what is only called otherwise, as (old, new).
        folded: everything else.
    """

    rows: tuple[Row, ...]
    also: tuple[tuple[str, str], ...]
    names: tuple[tuple[str, str], ...]
    folded: Folded

    def of(self, kind: str) -> tuple[Row, ...]:
        """The rows of one kind."""
        return tuple(each for each in self.rows if each.kind == kind)
