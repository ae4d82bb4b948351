"""Whether two revisions ask the same, and which answers and values of one are which of the other."""

from typing import Any

from rulewright.comparing.playing.translate_values import Common, Crossing
from rulewright.frozen import dataclass
from rulewright.inputs.answers import answer_type, item_type
from rulewright.inputs.names import GAME
from rulewright.machine.question import Question, thrown
from rulewright.machine.request import Request
from rulewright.machine.run import Paused
from rulewright.machine.values import Value
from rulewright.program import statements as st
from rulewright.program.types import (
    BagType,
    DeckType,
    ListType,
    MapType,
    OptionalType,
    RecordType,
    SetType,
    ThingType,
    TupleType,
    Type,
    WordType,
)


def same_type(  # noqa: PLR0911 - one case for each sort
    type_: Type | None, target: Type | None, crossing: Crossing
) -> bool:
    """Whether every value of either type is one of the other."""
    match type_, target:
        case ThingType(kind), ThingType(other):
            return crossing.names.new("kind", kind) == other
        case WordType(values), WordType(other):
            return _words(values, crossing) == {f"{other}/{each.name}" for each in crossing.there.values[other].words}
        case (OptionalType(inner), OptionalType(other)):
            return same_type(inner, other, crossing)
        case (SetType(item), SetType(other)) | (BagType(item), BagType(other)):
            return same_type(item, other, crossing)
        case (ListType(item), ListType(other)) | (DeckType(item), DeckType(other)):
            return same_type(item, other, crossing)
        case TupleType(parts), TupleType(others):
            return len(parts) == len(others) and all(map(lambda a, b: same_type(a, b, crossing), parts, others))
        case MapType(key, value), MapType(other, entry):
            return same_type(key, other, crossing) and same_type(value, entry, crossing)
        case RecordType(record), RecordType(other):
            return _records(record, other, crossing)
        case _:
            return type_ == target


def _words(values: str, crossing: Crossing) -> set[str | None]:
    return {crossing.names.new("word", f"{values}/{each.name}") for each in crossing.here.values[values].words}


def _records(record: str, other: str, crossing: Crossing) -> bool:
    here = {crossing.part(record, each.name): each.type for each in crossing.here.records[record].parts}
    there = {each.name: each.type for each in crossing.there.records[other].parts}
    return here.keys() == there.keys() and all(same_type(here[name], there[name], crossing) for name in here)


LISTED = frozenset({"whether", "one", "choose", "turn", "handler", "taker"})
OF_ITEMS = frozenset({"pick", "split", "order", "handlers", "draw", "shuffle"})
ELSEWHERE = frozenset({"external", "value"})


@dataclass(frozen=True, slots=True)
class Same:
    """One question of both revisions.

    Attributes:
        paused: where the old revision asks it, and the new one.
        pairs: legal answers of a listed question, or the items of one that has items, each in both.
        dice: of a roll, for each die its faces, each in both.
        faces: of a roll, for each die the types of its faces in both.
    """

    paused: tuple[Paused, Paused]
    pairs: tuple[tuple[Value, Value], ...] = ()
    dice: tuple[tuple[tuple[Value, Value], ...], ...] = ()
    faces: tuple[tuple[Type, Type], ...] = ()

    @property
    def sort(self) -> str:
        """Of both requests."""
        return self.paused[0].asked.sort

    @property
    def addresses(self) -> tuple[str, str]:
        """Of the lines that ask."""
        return self.paused[0].asked.address, self.paused[1].asked.address

    @property
    def old(self) -> Request:
        """As the old revision asks it, in full."""
        return self.paused[0].request

    @property
    def new(self) -> Request:
        """As the new one does."""
        return self.paused[1].request


def same(paused: tuple[Paused, Paused], common: Common) -> Same | str:
    """The question both ask, or the sort of difference: `question`, `asked`, `secret`, `options` or `dice`.

    Questions are compared by their sort, who is asked, and what can be answered; never by words or addresses. Dice are
    compared without describing them.
    """
    first, second = paused[0].asked, paused[1].asked
    sort = first.sort
    if sort != second.sort or (sort != "roll" and not _same_matter(paused[0].request, paused[1].request, common)):
        return "question"
    if first.player != second.player or kept_back(first) != kept_back(second):
        return "asked" if first.player != second.player else "secret"
    if sort == "roll":
        return _rolled(paused, common)
    old, new = paused[0].request, paused[1].request
    if sort in ELSEWHERE:
        return Same(paused) if _same_results(old, new, common.ways.across) else "options"
    if (old.low, old.high) != (new.low, new.high):
        return "options"
    pairs = _listed(old, new, common) if sort in LISTED else _items(old, new, common) if sort in OF_ITEMS else ()
    return "options" if pairs is None else Same(paused, pairs)


def kept_back(question: Question) -> str:
    """What of a question some players may not see: the `answer`, the `options`, what can be drawn, or nothing."""
    withheld = question.executable.concealed.withheld(question.node)
    return withheld if withheld in {"answer", "options", "draw"} else ""


def _same_matter(old: Request, new: Request, common: Common) -> bool:
    """Whether an external is the same one, and what is asked about is the same."""
    names = common.ways.across.names
    if old.sort in ELSEWHERE and names.new("external", old.name) != new.name:
        return False
    if old.sort == "handler" and names.new("handler", old.name) != new.name:
        return False
    first = [common.of_old(value, type_, type_new) for (value, type_), type_new in _typed(old, new)]
    return len(old.arguments) == len(new.arguments) and first == [
        common.of_new(value, type_) for value, type_ in new.arguments.values()
    ]


def _same_results(old: Request, new: Request, across: Crossing) -> bool:
    """Whether an external may give the same in both revisions, and change the same."""
    changes = {_place(each, across) for each in old.changes}
    return same_type(old.type, new.type, across) and changes == set(new.changes)


def _place(change: str, across: Crossing) -> str | None:
    """What an external may change, as the new revision calls it."""
    owner, _, name = change.rpartition("/")
    if owner == GAME:
        return f"{GAME}/{across.names.new('field', name)}"
    if name == "gone":
        return f"{across.names.new('kind', owner)}/gone"
    return across.names.new("attribute", change)


def _typed(old: Request, new: Request) -> list[tuple[tuple[Value, Any], Any]]:
    types = [type_ for _, type_ in new.arguments.values()]
    return list(zip(old.arguments.values(), types, strict=False))


def _rolled(paused: tuple[Paused, Paused], common: Common) -> Same | str:
    first, second = (
        [(each.faces, each.face) for each in thrown(one.asked) for _ in range(each.count)] for one in paused
    )
    if len(first) != len(second):
        return "dice"
    dice = tuple(common.faces(*one, *other) for one, other in zip(first, second, strict=True))
    faces = tuple((one, other) for (_, one), (_, other) in zip(first, second, strict=True))
    return "dice" if None in dice else Same(paused, (), dice, faces)  # type: ignore[arg-type]


def _listed(old: Request, new: Request, common: Common) -> tuple[tuple[Value, Value], ...] | None:
    first, second = ([each.value for each in one.choices if each.reason is None] for one in (old, new))
    if old.sort == "choose":
        return _by_name(first, second, _options(old, common))
    if old.sort == "taker":
        return _by_name(first, second, {each: _label(each, common) for each in first})
    return common.pairs(tuple(first), answer_type(old), tuple(second), answer_type(new))


def _items(old: Request, new: Request, common: Common) -> tuple[tuple[Value, Value], ...] | None:
    if old.sort == "handlers":
        return _by_name(list(old.items), list(new.items), {each: _label(each, common) for each in old.items})
    if old.sort == "draw":
        return common.pairs(old.items, answer_type(old), new.items, answer_type(new))
    return common.pairs(old.items, item_type(answer_type(old)), new.items, item_type(answer_type(new)))


def _by_name(
    first: list[Value], second: list[Value], renamed: dict[Value, Value]
) -> tuple[tuple[Value, Value], ...] | None:
    pairs = tuple((each, renamed[each]) for each in first)
    return pairs if {each for _, each in pairs} == set(second) and len(first) == len(second) else None


def _options(old: Request, common: Common) -> dict[Value, Value]:
    """Ids of options by what they are called in the new revision."""
    node: Any = old.question.node if old.question is not None else None
    assert isinstance(node, st.Ask)
    assert isinstance(node.shape, st.Choose)
    addresses = common.ways.across.names.addresses
    return {each.id: addresses.get(each.address, each.address).rpartition("/")[2] for each in node.shape.options}


def _label(label: Value, common: Common) -> Value:
    """What a handler in a question is called in the new revision, its holders after it."""
    if not isinstance(label, str):
        return label
    name, bracket, holders = label.partition("(")
    return (common.ways.across.names.new("handler", name) or f"only old {name}") + bracket + holders
