"""Two revisions compared, layer by layer: text, structure, meaning, behaviour."""

from rulewright.comparing.edits import Edit
from rulewright.comparing.naming import Correspondence
from rulewright.comparing.remaining import Pairs, Remaining
from rulewright.comparing.rewriting import rewritten
from rulewright.comparing.solving import Solved, solved
from rulewright.comparing.structure import compare_structure
from rulewright.comparing.verdict import Verdict, of_edits, of_texts
from rulewright.frozen import dataclass
from rulewright.outline import outline
from rulewright.outline.items import Outline
from rulewright.program.declarations import Program
from rulewright.workspace.load import Loaded


@dataclass(frozen=True, slots=True)
class Comparison:
    """What two revisions have in common and what not.

    Attributes:
        text: `identical`, `cosmetic` (layout and comments), `changed`.
        structure: `identical`, `cosmetic`, `renumbered` or `changed`.
        correspondence: what of the old revision is what of the new one.
        edits: in the order of the new text.
        remaining: what is not proved to play alike; nothing where all is.
        outlines: of the old revision and of the new one.
        solved: what a solver said of that, and what it could not show.
        rewritten: numbers of edits of rules that are proved to leave play as it is, whatever else is edited.
    """

    text: str
    structure: str
    correspondence: Correspondence
    edits: tuple[Edit, ...]
    remaining: Remaining
    outlines: tuple[Outline, Outline]
    solved: Solved
    rewritten: frozenset[int]

    @property
    def proved(self) -> bool:
        """Whether both are proved to play alike."""
        return not self.remaining.old and not self.remaining.new

    @property
    def known(self) -> Verdict | None:
        """The verdict as far as it needs no plays; none where it does."""
        if self.text == "identical" and self.structure == "identical":
            return Verdict("identical")
        if not self.proved:
            return None
        if self.structure == "changed":
            return Verdict("equivalent", "proved, by a solver" if self.solved.proved else "proved")
        return Verdict("cosmetic" if self.structure == "identical" else self.structure)


def compare(old: Loaded, new: Loaded, *, solver: bool = True) -> Comparison:
    """Compares the text, structure and meaning of two checked rulesets.

    Where lines written in one way are not the same, a solver is asked, if there is one and it is wanted.
    """
    before, after = _program(old), _program(new)
    outlines = outline(before, old.texts), outline(after, new.texts)
    structure = compare_structure(*outlines)
    pairs = Pairs(before, after, structure.correspondence)
    left = pairs.left()
    found = solved(before, after, pairs.same, left) if solver else Solved(left)
    text = of_texts(_contents(old) == _contents(new), before.fingerprint == after.fingerprint)
    word, same = of_edits(structure.edits), rewritten(structure.edits, outlines, pairs, found.remaining)
    return Comparison(text, word, pairs.same, structure.edits, found.remaining, outlines, found, same)


def corresponding(old: Loaded, new: Loaded) -> Correspondence:
    """What of an old ruleset is what of a new one, as `compare` tells it."""
    before, after = _program(old), _program(new)
    structure = compare_structure(outline(before, old.texts), outline(after, new.texts))
    return Pairs(before, after, structure.correspondence).same


def _program(loaded: Loaded) -> Program:
    assert loaded.program is not None
    return loaded.program


def _contents(loaded: Loaded) -> list[str]:
    return sorted(text.content for text in loaded.texts.values())
