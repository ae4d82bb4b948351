"""Two revisions compared, layer by layer: text, structure, meaning, behaviour; and the one verdict on all of them."""

from collections.abc import Collection, Iterator, Sequence

from rulewright.comparing.edits import Correspondence, Edit, Relabelled, Renamed, compare_structure, is_rule, sides
from rulewright.comparing.playing.data import Behaviour
from rulewright.comparing.playing.points import entries
from rulewright.comparing.proved_pairs import Pairs, Remaining
from rulewright.comparing.redundant_edits import Solved, solved
from rulewright.comparing.shifting.data import Shifts
from rulewright.frozen import dataclass
from rulewright.outline import outline
from rulewright.outline.items import Item, Name, Outline
from rulewright.program.declarations import Program
from rulewright.program.walk import reached
from rulewright.workspace.load import Loaded

WORDS = {
    "identical": "both say the same, word for word",
    "cosmetic": "layout, titles, questions, margins or names of variables differ; play does not",
    "renumbered": "steps or declarations have other names; play does not differ",
    "equivalent": "rules are written differently, but play the same",
    "changed": "there is a play in which the two differ",
    "unknown": "no difference was found in play, and none is excluded",
}
"""The words for whole comparisons, from the least difference to the greatest, then what nobody knows."""

WORST = ("identical", "cosmetic", "renumbered", "equivalent", "unknown", "changed")
"""The same in the order in which one of them stands for several comparisons."""

ONE_CAN = "one can do or measure what the other cannot"
"""What a change says that no play of both can show."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A word of `WORDS`, and how it is known: `proved`, `exhausted 1200`, `sampled 3000, seed 1`, a limit."""

    word: str  # of `WORDS`
    how: str = ""  # what that rests on
    instead: str = ""  # what it says here, where that is not what the word says elsewhere

    @property
    def says(self) -> str:
        """What the word says."""
        return self.instead or WORDS[self.word]

    def __str__(self) -> str:
        """The word with what it rests on."""
        return f"{self.word} ({self.how})" if self.how else self.word


def of_texts(texts_same: bool, prints_same: bool) -> str:  # noqa: FBT001
    """The word for two texts: `identical`, `cosmetic` where only layout and comments differ, or `changed`."""
    return "identical" if texts_same else "cosmetic" if prints_same else "changed"


def of_edits(edits: tuple[Edit, ...]) -> str:
    """The word for edits: `identical` for none, `cosmetic`, `renumbered`, or `changed` where rules are written anew."""
    if any(map(is_rule, edits)):
        return "changed"
    if any(isinstance(each, Renamed) or (isinstance(each, Relabelled) and not each.new.owner) for each in edits):
        return "renumbered"
    return "cosmetic" if edits else "identical"


_INSIDE = frozenset({"parameter", "local", "step", "word", "part", "plural"})
_HAPPENING = frozenset({"rule", "invariant", "handler", "event", "procedure", "external"})
_TRIED = frozenset({"rule", "invariant"})


def rewritten(
    edits: Sequence[Edit], outlines: tuple[Outline, Outline], pairs: Pairs, left: Remaining
) -> frozenset[int]:
    """The numbers of the edits of rules that are proved to leave play as it is, whatever else is edited.

    A proof rests on what a declaration mentions, where lines changed places on standing rules, and where names were put
    in on all that happens: where one of these is not proved alike itself, the edit counts as one of a rule. So does a
    declaration of one revision only that something which is not proved alike leads to.
    """
    revisions = _Side(outlines[0], left.old), _Side(outlines[1], left.new)
    back = {new: old for old, new in pairs.both.items()}
    rules = any(each.sort in _TRIED for side in revisions for each in side.open)
    happens = any(each.sort in _HAPPENING for side in revisions for each in side.open)
    apart = "all" if rules else "routines" if happens else ""

    def is_rewriting(edit: Edit) -> bool:
        old, new = (side.owner(item) for side, item in zip(revisions, sides(edit), strict=True))
        before, after = old or back.get(new), new or pairs.both.get(old)  # type: ignore[arg-type]
        if before is None or after is None:
            side, alone = (revisions[1], after) if before is None else (revisions[0], before)
            return alone is not None and alone not in side.led
        if before in revisions[0].open or after in revisions[1].open or pairs.both.get(before) != after:
            return False
        return not apart or pairs.are_equal(before, after, apart=apart)

    return frozenset(number for number, edit in enumerate(edits) if is_rule(edit) and is_rewriting(edit))


class _Side:
    """One revision: what of it is not proved alike, what that leads to, and what mentions any of it.

    Attributes:
        left: not proved alike.
        open: these, and what computes with any of them, itself or through what it mentions.
        led: these, and what they lead to.
    """

    def __init__(self, outline: Outline, left: Collection[Name]) -> None:
        self._declared = {
            item.address: item.name for item in outline.every() if item.name and item.name.sort not in _INSIDE
        }
        mentioned: dict[Name, set[Name]] = {}
        for item in outline.every():
            owner = self.owner(item)
            if owner is not None:
                mentioned.setdefault(owner, set()).update(_mentioned(item))
        self.left = frozenset(left)
        back: dict[Name, set[Name]] = {}
        for name, inside in mentioned.items():
            for each in inside - {name}:
                back.setdefault(each, set()).add(name)
        read = frozenset(each for each in left if each.sort not in _HAPPENING)
        computed = {name: users for name, users in back.items() if name.sort not in _HAPPENING}
        self.open = self.left | reached(read, lambda name: computed.get(name, ()))
        self.led = reached(left, lambda name: mentioned.get(name, ()))

    def owner(self, item: Item | None) -> Name | None:
        """The declaration an item stands in; none for no item."""
        if item is None:
            return None
        address = item.address
        while address and address not in self._declared:
            address = address.rpartition("/")[0]
        return self._declared.get(address)


def _mentioned(item: Item) -> Iterator[Name]:
    for token in item.form:
        if isinstance(token, Name):
            yield Name("values", token.owner) if token.sort == "word" else token


@dataclass(frozen=True, slots=True)
class Comparison:
    """What two revisions have in common and what not."""

    text: str  # `identical`, `cosmetic` (layout and comments), `changed`
    structure: str  # `identical`, `cosmetic`, `renumbered` or `changed`
    correspondence: Correspondence  # what of the old revision is what of the new one
    edits: tuple[Edit, ...]  # in the order of the new text
    remaining: Remaining  # what is not proved to play alike; nothing where all is
    outlines: tuple[Outline, Outline]  # of the old revision and of the new one
    solved: Solved  # what a solver said of that, and what it could not show
    # numbers of edits of rules that are proved to leave play as it is, whatever else is edited
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


NOT_PLAYED = Verdict("unknown", "plays were not compared")
"""The behaviour of two revisions nobody has played."""


@dataclass(frozen=True, slots=True)
class Whole:
    """A comparison with what came of playing both revisions."""

    comparison: Comparison  # of text, structure and meaning
    behaviour: Behaviour | None = None  # what plays say where the meaning leaves it open; none where nothing was played
    lost: tuple[Name, ...] = ()  # what can be begun or asked for by itself in the old revision only
    found: tuple[Name, ...] = ()  # the same of the new one
    closed: tuple[Name, ...] = ()  # procedures of both that are inner, and so cannot be begun, in the new revision only
    opened: tuple[Name, ...] = ()  # the same of the old one
    odds: Shifts | None = None  # what becomes of odds; none where nobody asked

    @property
    def known(self) -> Verdict | None:
        """The word where reading alone says it."""
        return None if self.closed or self.opened else self.comparison.known

    @property
    def verdict(self) -> Verdict:
        """The word for the whole: what only one revision can begin is a change, though no play of both can show it."""
        known, played = self.known, self.played
        if known is not None:
            return known
        if played.word != "changed" and self.odds is not None and self.odds.shows_change:
            return Verdict("changed", "odds shift")
        sides = {
            "only OLD has": self.lost,
            "only NEW has": self.found,
            "only OLD begins": self.closed,
            "only NEW begins": self.opened,
        }
        called = {which: ", ".join(f"{each.sort} {each.name}" for each in names) for which, names in sides.items()}
        said = [f"{which} {names}" for which, names in called.items() if names]
        if played.word == "changed" or not said:
            return self._without_solver(played)
        return Verdict("changed", "; ".join(said), ONE_CAN)

    def _without_solver(self, played: Verdict) -> Verdict:
        """A verdict that is no certainty, with what would be needed to ask for one."""
        missing = self.comparison.solved.missing
        if played.word == "changed" or self.behaviour is None or not missing:
            return played
        return Verdict(played.word, f"{played.how}; {missing}", played.instead)

    @property
    def played(self) -> Verdict:
        """What plays alone say."""
        if self.behaviour is None:
            return NOT_PLAYED
        said = self.behaviour.verdict
        match said.word, said.how:
            case "changed", _:
                return Verdict("changed", ", ".join(_counted(self.behaviour)))
            case "equivalent", "unreached":
                return Verdict("equivalent", "no procedure reaches what changed")
            case "equivalent", "sampled":
                return Verdict("equivalent", f"sampled {said.number}, seed {said.seed}")
            case "equivalent", how:
                space = "; ".join(said.space)
                return Verdict("equivalent", f"{how} {said.number}{': ' if space else ''}{space}")
            case _:
                return Verdict("unknown", said.limit)

    @property
    def layers(self) -> dict[str, str]:
        """A word for each layer: `text`, `structure`, `meaning`, `behaviour`."""
        known = self.known
        same = "identical" if known is not None and known.word == "identical" else "equivalent"
        return {
            "text": self.comparison.text,
            "structure": self.comparison.structure,
            "meaning": same if known else "unknown",
            "behaviour": same if known else self.verdict.word,
        }


def _counted(behaviour: Behaviour) -> Iterator[str]:
    """How much a reader is shown: witnesses, and values of functions; where there are none, scenarios that differ."""
    differing = (
        0 if behaviour.witnesses or behaviour.values else sum(each.outcome == "differs" for each in behaviour.scenarios)
    )
    for number, one, more in (
        (len(behaviour.witnesses), "witness", "witnesses"),
        (len(behaviour.values), "value", "values"),
        (differing, "scenario", "scenarios"),
    ):
        if number:
            yield f"{number} {one if number == 1 else more}"


def whole(old: Program, new: Program, comparison: Comparison, behaviour: Behaviour | None) -> Whole:
    """Joins what reading and playing found.

    A procedure that nothing performs, or a measure, of one revision only is a change by itself, and so is a procedure
    that is inner in one of them. Other declarations of one revision only are not: where they matter, plays differ.
    """
    names = comparison.correspondence.names
    kept = frozenset(names.values())
    lost = tuple(each for each in comparison.remaining.old if each not in names and _is_begun(each, old))
    found = tuple(each for each in comparison.remaining.new if each not in kept and _is_begun(each, new))
    both = [(one, other) for one, other in names.items() if one.sort == "procedure"]
    return Whole(
        comparison,
        behaviour,
        lost,
        found,
        closed=tuple(one for one, other in both if new.procedures[other.name].inner > old.procedures[one.name].inner),
        opened=tuple(other for one, other in both if old.procedures[one.name].inner > new.procedures[other.name].inner),
    )


def _is_begun(name: Name, program: Program) -> bool:
    return name.sort == "measure" or (name.sort == "procedure" and name.name in entries(program))
