"""What an edit was and is, in as few words as tell it: values and operators first, code where nothing else says it."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from rulewright.chapter.single import SingleSentences
from rulewright.comparing.edits import Added, Changed, Difference, Edit, Moved, Removed
from rulewright.comparing.item_places import begin_alike, cut_to_difference, modifies, short
from rulewright.comparing.report.margins import renamed
from rulewright.frozen import dataclass
from rulewright.outline.items import Item, Name, Outline, Part
from rulewright.program.declarations import Program
from rulewright.program.word_titles import WordTitles

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[A-Za-z_][\w.]*(?:\[[\w ]+\])?|\d+(?:/\d+)?|<=|>=|!=|\.\.|[^\s\w]')
_ORDERS = {">": "more than", "<": "less than", ">=": "at least", "<=": "at most", "=": "is", "!=": "is not"}
_BEST = {
    "highest": "highest first",
    "lowest": "lowest first",
    "ask": "a player chooses",
}
_FLAGS = {"yes": "yes", "no": "no"}
_SHOWN, _OPENED = 110, 400
_LINE = 50
_ORDER_WORDS = frozenset("at least most more less than not".split())  # noqa: SIM905
_SENTENCE, _AROUND = 150, 5
_CODE = re.compile(r"[`\[\](]|\w\.\w|\w_\w")
_NAME = re.compile(r"[A-Za-z_][\w.]*")
_OPERAND = re.compile(r"[A-Za-z_][\w.]*(?:\[[\w ]+\])?")
_JOINING = frozenset({"if", "when", "where", "and", "or", ":"})
_NUMBER = re.compile(r"[-+]?\d+(?:/\d+)?")
_NAMED = frozenset({"default", "range", "priority", "start", "seats", "faces", "holders", "gives", "order"})
_TOLD = frozenset({"order", "inner", "steps", "faces"})
_DECLARED = frozenset({"attribute", "game field", "part", "parameter"})
_INNER = frozenset({"local", "parameter", "step", "plural"})
_BESIDE = re.compile(r"(after|before|inside) `([^`]+)`")
_SPOKEN = frozenset({"line", "branch", "step", "requirement"})
"""What has no title beside a lone value that would say what the value is of."""
_WHO = frozenset({"who is asked", "who rolls"})
_SILENT = frozenset({"kind of change", "what it does", "what is asked"})


@dataclass(frozen=True, slots=True)
class Halves:
    """What was and what is; one of them is empty where something came or went."""

    was: str  # before; empty where it came
    now: str  # since; empty where it went
    meant: str = ""  # what was meant before without being said: `always`, where a condition came
    whole: bool = False  # whether what is now is said without `now` before it, because the sentence says what happened

    def __bool__(self) -> bool:
        """Whether they tell anything."""
        return self.was != self.now


NOTHING = Halves("", "")


class Saying:
    """Puts edits into halves.

    Args:
        programs: the old revision and the new one, whose lines are put into sentences.
        outlines: of both, for the titles of their words.
        names: new ones by old ones; a rename is no difference of two halves.
    """

    def __init__(
        self, programs: tuple[Program, Program], outlines: tuple[Outline, Outline], names: Mapping[Name, Name]
    ) -> None:
        self._outlines = outlines
        self._sentences = SingleSentences(programs[0]), SingleSentences(programs[1])
        called = {old.last: new.last for old, new in names.items() if old.last != new.last and old.sort not in _INNER}
        self._names = re.compile(rf"\b({'|'.join(map(re.escape, called))})\b") if called else None
        self._called = called
        self._renames = [*called.items()]
        titles = Counter(each.title for each in outlines[1].every() if each.sort == "line")
        self._repeated = frozenset(title for title, times in titles.items() if times > 1)
        old, new = map(_called, outlines)
        self.titles = _titled(new | old), _titled(old | new)
        """The titles of words by each revision; what it does not have by the other."""

    def halves(self, edit: Edit, told: str, within: str = "") -> Halves:
        """What an edit was and is; what is told of it elsewhere serves where it has no halves.

        Args:
            edit: the edit.
            told: what is told of it elsewhere.
            within: when the line that came or went is carried out: `If the die shows 6`; empty for always.
        """
        match edit:
            case Added(new):
                return Halves("", "an option" if new.sort == "option" else self.whole(new, 1, within))
            case Removed(old):
                return Halves("an option" if old.sort == "option" else self.whole(old, 0, within), "")
            case Changed(old, new, differences):
                return self._changed(old, new, differences, told)
            case Moved(_, new):
                spoken = self._moved(new, told)
                if spoken:
                    return Halves("", spoken, whole=True)
                is_told = new.sort != "line" or not new.id or (new.title and new.title not in self._repeated)
                unsaid = "" if is_told else f": {_quoted(_untitled(new))}"
                return Halves("", f"{told.removeprefix('now ')}{unsaid}", whole=not told.startswith("now "))
        return NOTHING

    def _moved(self, new: Item, told: str) -> str:
        """A line that moved and where it is now, in sentences; empty where any of it has none."""
        said = self._sentences[1].said(new, inside=False) if new.sort == "line" else ""
        where = _BESIDE.sub(lambda found: f"{found[1]}: {self._lines.get(found[2], '`')}", told.partition(": `")[0])
        return f"{said}; this {where}" if said and "`" not in f"{said}{where}" else ""

    @cached_property
    def _lines(self) -> Mapping[str, str]:
        """Sentences of lines by their text, of either revision."""
        return {
            short(item.text): said
            for outline, sentences in zip(self._outlines, self._sentences, strict=True)
            for item in outline.every()
            if item.sort in {"line", "branch"} and (said := sentences.said(item, inside=False))
        }

    def whole(self, item: Item, side: int, within: str = "") -> str:
        """All that an item of one revision says: in a sentence, else as it is written."""
        said = self._sentences[side].said(item, inside=True)
        if not said or "`" in f"{within}{said}":
            return _quoted(_whole(item))
        if within.startswith("If "):
            return short(f"{said}, i{within[1:]}", _SENTENCE)
        return short(f"{within}: {said[:1].lower()}{said[1:]}" if within else said, _SENTENCE)

    def under(self, around: Item, side: int) -> str:
        """When the lines right inside an item are carried out; empty where that is always."""
        return self._sentences[side].head(around) if around.sort in {"branch", "else", "case"} else ""

    def opened(self, item: Item, side: int) -> str:
        """What a declaration or step of one revision does, line by line."""
        said = self._sentences[side].said(item, inside=True)
        if said and "`" not in said:
            return short(said, _OPENED)
        return _quoted(line_by_line(item) or item.text.partition(":")[2].strip() or item.text, _OPENED)

    def exchanged(self, old: Item, new: Item) -> Halves:
        """A line that went, and the one that came in its place."""
        was, now = (each.said(item, inside=True) for each, item in zip(self._sentences, (old, new), strict=True))
        return self._paired(was, now) or self.contrasted(old.text, new.text)

    def cells(self, edit: Edit) -> Halves:
        """The inputs of a row of a table that are other ones, where nothing else of the row is."""
        if not isinstance(edit, Changed) or {each.name for each in edit.differences} != {"cells"}:
            return NOTHING
        was, now = (each.cells(item) for each, item in zip(self._sentences, (edit.old, edit.new), strict=True))
        differing = [pair for pair in zip(was, now, strict=False) if pair[0] != pair[1]]
        return Halves(", ".join(each[0] for each in differing), ", ".join(each[1] for each in differing))

    def wrapped(self, was: Item | None, now: Item | None, lines: Sequence[Item]) -> Halves:
        """The first lines of two blocks around the same lines; of one alone the lines with it and without."""
        if was is not None and now is not None:
            return self._spoken(was, now) or self.contrasted(was.text, now.text)
        block, side = (was, 0) if was is not None else (now, 1)
        assert block is not None
        told = [self._sentences[1].said(each, inside=True) for each in lines]
        head = self._sentences[side].said(block, inside=False)
        if head and all(told) and "`" not in "".join([head, *told]):
            without = short("; ".join(told), _SHOWN)
            within = f"{head}: {without[:1].lower()}{without[1:]}"
            return Halves(without, within) if side else Halves(within, without)
        inside = f"inside {_quoted(block.text)}: {_quoted('; '.join(each.text for each in lines))}"
        return Halves("", inside) if side else Halves(inside, "")

    def _changed(self, old: Item, new: Item, differences: Sequence[Difference], told: str) -> Halves:
        if all(each.name in {"kind of change", "amount"} for each in differences) and new.sort == "modifier":
            found = Halves(modifies(old), modifies(new))
            if found:
                return found
        said = [each for each in differences if each.name not in _SILENT]
        if new.sort in _DECLARED and len(said) == len(differences):
            parts = [self._part(each) for each in said]
            return Halves(
                ", ".join(filter(None, (each.was for each in parts))),
                ", ".join(filter(None, (each.now for each in parts))),
            )
        found = self._sentence(old, new, said if len(said) == len(differences) else ())
        if not found and new.sort == "line" and max(len(old.text), len(new.text)) <= _LINE:
            found = Halves(_quoted(_unlabelled(old)), _quoted(_unlabelled(new)))
        return found or self.contrasted(old.text, new.text) or Halves("", told.removeprefix("now "))

    def _sentence(self, old: Item, new: Item, differences: Sequence[Difference]) -> Halves:
        """What differs between two items in words: their one part that does, else their sentences, else code."""
        part = NOTHING
        if len(differences) == 1 and differences[0].name == "when":
            part = self._guards(old, new)
            if part:
                return part
        if len(differences) == 1 and (new.sort != "line" or differences[0].name in _WHO):
            part = self._difference(differences[0]) if new.sort not in _SPOKEN else NOTHING
            if not part or _is_code(part):
                one = self._operand(old, new) if differences[0].name in {"when", "condition"} else NOTHING
                part = one or self._spoken_part(old, new, differences[0].name) or part
            if part and not _is_code(part):
                return part
        return self._spoken(old, new) or part

    def _guards(self, old: Item, new: Item) -> Halves:
        """When an item counts, or is asked, in both; nothing where that has no sentence."""
        was, now = (
            each.part(item, "when") if any(part.name == "when" for part in item.parts) else ""
            for each, item in zip(self._sentences, (old, new), strict=True)
        )
        if "`" in f"{was}{now}" or not (was or now):
            return NOTHING
        if was and now:
            found = self._operand(old, new) or self._paired(was, now)
            return Halves(f"{'' if new.sort == 'row' else 'only when '}{found.was}", found.now) if found else NOTHING
        return Halves(f"only when {was}", "") if was else Halves("", f"only when {now}", meant="always")

    def _spoken(self, old: Item, new: Item) -> Halves:
        """The sentences of an item in both revisions; nothing where these are the same, or quote code."""
        was, now = (
            each.said(item, inside=False).replace(f", “{item.title}”", "")  # which the name of the row has
            for each, item in zip(self._sentences, (old, new), strict=True)
        )
        return self._operand(old, new) or self._paired(was, now)

    def _operand(self, old: Item, new: Item) -> Halves:
        """The one condition that differs among those that `and` or `or` joins in both."""
        (joint, before), (other, after) = (
            each.operands(item) for each, item in zip(self._sentences, (old, new), strict=True)
        )
        pairs = zip(before, after, strict=False)
        differing = [pair for pair in pairs if _agreeing(renamed(pair[0], self._renames)) != _agreeing(pair[1])]
        is_one = joint == other and len(before) == len(after) and len(differing) == 1
        return self._paired(*differing[0]) if is_one else NOTHING

    def _spoken_part(self, old: Item, new: Item, name: str) -> Halves:
        """What a part of an item says in both, likewise."""
        was, now = (each.part(item, name) for each, item in zip(self._sentences, (old, new), strict=True))
        return self._paired(was, now)

    def _paired(self, was: str, now: str) -> Halves:
        """Two sentences by what differs between them, another name aside."""
        return _paired(renamed(was, self._renames), now)

    def _part(self, each: Difference) -> Halves:
        """A part of a declaration: its range or type, its start or value."""
        found = self._difference(each)
        if each.name in {"start", "default"}:
            return Halves(_begins(found.was, each.was), _begins(found.now, each.now))
        return found

    def _difference(self, each: Difference) -> Halves:
        was, now = each.was.text if each.was else "", each.now.text if each.now else ""
        if each.name in _TOLD:
            return self._told(each.name, was, now)
        if each.name == "when" and not (was and now):
            if now:
                return Halves("", f"only when {_quoted(now)}", meant="always")
            return Halves(f"only when {_quoted(was)}", "")
        if {was, now} == {"yes", ""}:
            return Halves(each.name if was else "", each.name if now else "")
        found = self.contrasted(was, now) if was and now else Halves(self._worded(was, 0), self._worded(now, 1))
        is_named = each.name == "priority" or each.was is None or each.now is None
        if found and each.name in _NAMED | {"type"} and is_named:
            return Halves(f"{each.name} {found.was}" if was else "", f"{each.name} {found.now}" if now else "")
        return found

    def _told(self, name: str, was: str, now: str) -> Halves:
        """A difference that has words of its own."""
        match name:
            case "order":
                return Halves(_BEST.get(was, was), _BEST.get(now, now))
            case "inner":
                return Halves("", "only performed by other rules" if now else "can be begun by itself")
            case "steps":
                return Halves(_steps(was), _steps(now))
            case _:
                return self._faces(was, now)

    def _faces(self, was: str, now: str) -> Halves:
        """How many faces of a die show what they showed otherwise often."""
        before, after = (Counter(each.strip() for each in said.split(",")) for said in (was, now))
        differing = [each for each in before | after if before[each] != after[each]]
        if not differing or any(each[-1:].isdigit() for each in differing):
            return Halves(_quoted(was), _quoted(now))
        first, second = (
            ", ".join(f"{faces[each] or 'no'} {self._shown(each, side)}" for each in differing)
            for side, faces in enumerate((before, after))
        )
        return Halves(first, second)

    def _shown(self, face: str, side: int) -> str:
        _, _, word = face.rpartition(".")
        return self.titles[side].get(word, word)

    def contrasted(self, was: str, now: str) -> Halves:
        """Two pieces of text by what differs between them, with what stands around it; nothing for equal ones."""
        if was == now:
            return NOTHING
        if self._names is not None:
            anew = self._names.sub(lambda found: self._called[found[0]], was)
            was = anew if anew != now else was
        old, new = _TOKEN.findall(was), _TOKEN.findall(now)
        before = begin_alike(old, new)
        after = min(begin_alike(old[::-1], new[::-1]), min(len(old), len(new)) - before)
        before, after = _widened(old, new, before, after)
        first, second = old[before : len(old) - after], new[before : len(new) - after]
        said = self._said(first, 0), self._said(second, 1)
        if len(first) == len(second) == 1 and all(each[0] in _ORDERS for each in (first, second)):
            left, right = _operand(old[:before][::-1], "("), _operand(old[len(old) - after :], ")")
            said = (f"{left} {said[0]} {right}", f"{said[1]} {right}") if left and right else ("", "")
        elif all(said) and first[0] in _ORDERS and (left := _operand(old[:before][::-1], "(")):
            said = f"{left} {said[0]}", said[1]
        if all(said) and said[0] != said[1]:
            return Halves(*said)
        whole = max(len(was), len(now)) <= _SHOWN // 2
        cut = (was, now) if whole else cut_to_difference(was, now)
        found = Halves(_quoted(cut[0]), _quoted(cut[1]))
        return found or Halves(_quoted(was), _quoted(now))

    def _worded(self, text: str, side: int) -> str:
        return self._said(_TOKEN.findall(text), side) or _quoted(text)

    def _said(self, tokens: Sequence[str], side: int) -> str:  # noqa: PLR0911 - one case for each form
        """A number, a word or a bound in words; nothing where only code says it."""
        titles = self.titles[side]
        match tokens:
            case [one] if _NUMBER.fullmatch(one) or one in _FLAGS:
                return one
            case [one] if one in titles:
                return titles[one]
            case [one] if one in _ORDERS:
                return _ORDERS[one]
            case [order, one] if order in _ORDERS and (_NUMBER.fullmatch(one) or one in titles):
                return f"{_ORDERS[order]} {titles.get(one, one)}"
            case ["+" | "-" as sign, one] if _NUMBER.fullmatch(one):
                return f"{sign}{one}"
            case [low, "..", high] if _NUMBER.fullmatch(low) and _NUMBER.fullmatch(high):
                return f"{low} to {high}"
            case [one] if one in _BEST:
                return _BEST[one]
            case [one] if _NAME.fullmatch(one):
                return one
        return ""


def _is_code(halves: Halves) -> bool:
    """Whether any half shows more of the rules' text than names, numbers and words."""
    return any(map(_CODE.search, (halves.was, halves.now)))


def _paired(was: str, now: str) -> Halves:
    """Two sentences by what differs between them; nothing where that is nothing, or where they quote code."""
    if not was or not now or was == now or "`" in f"{was}{now}":
        return NOTHING
    if max(len(was), len(now)) > _SENTENCE:
        before, after = (short(each, _SENTENCE) for each in cut_to_difference(was, now, around=_AROUND))
        was, now = was if len(was) <= _SENTENCE else before, after
    return Halves(was, _compared(was, now)) if was != now else NOTHING


def _agreeing(sentence: str) -> str:
    """A sentence as it would be of one thing: `wounds are` and `health is` say the same of what has another name."""
    return re.sub(r"\bare\b", "is", sentence)


def _compared(was: str, now: str) -> str:
    """The second of two sentences; of a comparison only what follows the words that both begin with."""
    old, new = was.split(" "), now.split(" ")
    start = begin_alike(old, new)
    while start and new[start - 1] in _ORDER_WORDS:
        start -= 1
    return " ".join(new[start:]) if start and new[start : start + 1] and new[start] in _ORDER_WORDS else now


def _called(outline: Outline) -> dict[str, str]:
    """What words are called; one that two lists call in two ways by its name."""
    found: dict[str, set[str]] = {}
    for item in outline.every():
        words = [each for each in item.items if each.sort == "word"]
        called = WordTitles([each.id for each in words], [each.title for each in words]).called
        for each, title in zip(words, called, strict=True):
            found.setdefault(each.id, set()).add(title)
    return {name: name if others else title for name, (title, *others) in found.items()}


def _titled(called: Mapping[str, str]) -> Mapping[str, str]:
    return {name: title for name, title in called.items() if title != name}


def _operand(tokens: Sequence[str], bracket: str) -> str:
    """The name beside an operator, from there outwards to a bracket; nothing where more than it is compared."""
    match tokens:
        case [one] if _OPERAND.fullmatch(one):
            return one
        case [one, beyond, *_] if _OPERAND.fullmatch(one) and (beyond in _JOINING or beyond == bracket):
            return one
    return ""


def _ends(tokens: Sequence[str]) -> bool:
    """Whether what is compared ends before some tokens, and is not reckoned with any further."""
    return not tokens or tokens[0] in _JOINING or tokens[0] in {")", ","}


def _widened(old: Sequence[str], new: Sequence[str], before: int, after: int) -> tuple[int, int]:
    """How much of two rows of tokens is left out: a number keeps its order, and an end of a range the other end."""
    changed = (*old[before : len(old) - after], *new[before : len(new) - after])
    rest = old[len(old) - after :]
    if before and old[before - 1] in _ORDERS and changed and all(map(_NUMBER.fullmatch, changed)):
        return (before - 1, after) if _ends(rest) else (before, after)
    if rest and changed and all(each in _ORDERS for each in changed) and _NUMBER.fullmatch(rest[0]):
        return (before, after - 1) if _ends(rest[1:]) else (before, after)
    if before > 1 and old[before - 1] == "..":
        return before - 2, after
    if after > 1 and old[len(old) - after] == "..":
        return before, after - 2
    return before, after


def _begins(said: str, part: Part | None) -> str:
    if part is None:
        return "to be given"
    if part.name == "default":
        return f"{said.removeprefix('default ')} if not given"
    return f"{said.removeprefix('start ')} at the start"


def _unlabelled(item: Item) -> str:
    return item.text.removeprefix(f"{item.id}: ") if item.id else item.text


def _whole(item: Item) -> str:
    """The text of an item without its id and its title, which are told beside it."""
    if item.items and item.items[0].sort == "branch":
        return "; ".join(_inside(item))
    text = _untitled(item)
    if item.sort in {"condition", "modifier", "row", "key"} and text.startswith(f"{item.id}:"):
        text = text.removeprefix(f"{item.id}:").lstrip()
    return text if item.name else _with_inside(text.rstrip(":") if item.items else text, item)


def _steps(said: str) -> str:
    first, _, last = said.partition(", ")
    return f"steps {first} to {last}" if said else "all steps"


def _untitled(item: Item) -> str:
    return item.text.replace(f' "{item.title}"', "") if item.title else item.text


def _inside(item: Item) -> Iterator[str]:
    """The lines inside an item, each with what stands inside it."""
    for number, each in enumerate(item.items):
        if each.sort == "parameter":
            continue
        text = f"else {each.text}" if each.sort == "branch" and number else each.text
        yield _with_inside(text, each)


def _with_inside(text: str, item: Item) -> str:
    """A line and what stands inside it; of an `if` its branches, the first of which reads as the line itself."""
    below = "; ".join(_inside(item))
    first = next((each.sort for each in item.items if each.sort != "parameter"), "")
    link = "; " if first == "else" else ": "
    return below if first == "branch" else f"{text}{link}{below}" if below else text


def _quoted(text: str, most: int = _SHOWN) -> str:
    return f"`{short(text, most)}`" if text else ""


def line_by_line(item: Item) -> str:
    """What a declaration or step does, line by line."""
    return "; ".join(_inside(item))
