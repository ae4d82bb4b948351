"""Whether two revisions ask the same, and answers that nobody gave: drawn along choices, the same for both."""

from collections.abc import Iterator
from itertools import islice
from random import Random
from typing import Any

from rulewright.codecs.schemas import RESULT
from rulewright.comparing.playing.states import carried
from rulewright.comparing.playing.translate_values import Common, Crossing, LostError
from rulewright.frozen import dataclass
from rulewright.inputs.answers import answer_json, answer_type, item_type, read_answer
from rulewright.inputs.names import CHANGES, GAME, Names
from rulewright.inputs.nodes import Json, unplaced
from rulewright.machine.question import Question, thrown
from rulewright.machine.request import ELSEWHERE, Request
from rulewright.machine.run import Paused
from rulewright.machine.values import Map, Value
from rulewright.program import statements as st, types as ty
from rulewright.situations.values import Chooser, NoValueError, Sizes, Values, chance, one_of


def same_type(  # noqa: PLR0911 - one case for each sort
    type_: ty.Type | None, target: ty.Type | None, crossing: Crossing
) -> bool:
    """Whether every value of either type is one of the other."""
    match type_, target:
        case ty.ThingType(kind), ty.ThingType(other):
            return crossing.names.new("kind", kind) == other
        case ty.WordType(values), ty.WordType(other):
            words = {crossing.names.new("word", f"{values}/{each.name}") for each in crossing.here.values[values].words}
            return words == {f"{other}/{each.name}" for each in crossing.there.values[other].words}
        case (ty.OptionalType(inner), ty.OptionalType(other)):
            return same_type(inner, other, crossing)
        case (ty.SetType(item), ty.SetType(other)) | (ty.BagType(item), ty.BagType(other)):
            return same_type(item, other, crossing)
        case (ty.ListType(item), ty.ListType(other)) | (ty.DeckType(item), ty.DeckType(other)):
            return same_type(item, other, crossing)
        case ty.TupleType(parts), ty.TupleType(others):
            return len(parts) == len(others) and all(map(lambda a, b: same_type(a, b, crossing), parts, others))
        case ty.MapType(key, value), ty.MapType(other, entry):
            return same_type(key, other, crossing) and same_type(value, entry, crossing)
        case ty.RecordType(record), ty.RecordType(other):
            here = {crossing.part(record, each.name): each.type for each in crossing.here.records[record].parts}
            there = {each.name: each.type for each in crossing.there.records[other].parts}
            return here.keys() == there.keys() and all(same_type(here[name], there[name], crossing) for name in here)
        case _:
            return type_ == target


LISTED = frozenset({"whether", "one", "choose", "turn", "handler", "taker"})
OF_ITEMS = frozenset({"pick", "split", "order", "handlers", "draw", "shuffle"})


@dataclass(frozen=True, slots=True)
class Same:
    """One question of both revisions."""

    paused: tuple[Paused, Paused]  # where the old revision asks it, and the new one
    # legal answers of a listed question, or the items of one that has items, each in both
    pairs: tuple[tuple[Value, Value], ...] = ()
    dice: tuple[tuple[tuple[Value, Value], ...], ...] = ()  # of a roll, for each die its faces, each in both
    faces: tuple[tuple[ty.Type, ty.Type], ...] = ()  # of a roll, for each die the types of its faces in both

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
        return _dice_pairs(paused, common)
    old, new = paused[0].request, paused[1].request
    if sort in ELSEWHERE:
        return Same(paused) if _same_results(old, new, common.ways.across) else "options"
    if (old.low, old.high) != (new.low, new.high):
        return "options"
    pairs = (
        _legal_pairs(old, new, common) if sort in LISTED else _item_pairs(old, new, common) if sort in OF_ITEMS else ()
    )
    return "options" if pairs is None else Same(paused, pairs)


def kept_back(question: Question) -> str:
    """What of a question some players may not see: the `answer`, the `options`, what can be drawn, or nothing."""
    withheld = question.executable.concealed.withheld(question.node)
    return withheld if withheld in {"answer", "options", "draw", "drawn"} else ""


def _same_matter(old: Request, new: Request, common: Common) -> bool:
    """Whether an external is the same one, and what is asked about is the same."""
    names = common.ways.across.names
    if old.sort in ELSEWHERE and names.new("external", old.name) != new.name:
        return False
    if old.sort == "handler" and names.new("handler", old.name) != new.name:
        return False
    pairs = zip(old.arguments.values(), new.arguments.values(), strict=False)
    first = [common.of_old(value, type_, target) for (value, type_), (_, target) in pairs]
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


def _dice_pairs(paused: tuple[Paused, Paused], common: Common) -> Same | str:
    first, second = (
        [(each.faces, each.face) for each in thrown(one.asked) for _ in range(each.count)] for one in paused
    )
    if len(first) != len(second):
        return "dice"
    dice = tuple(common.faces(*one, *other) for one, other in zip(first, second, strict=True))
    faces = tuple((one, other) for (_, one), (_, other) in zip(first, second, strict=True))
    return "dice" if None in dice else Same(paused, (), dice, faces)  # type: ignore[arg-type]


def _legal_pairs(old: Request, new: Request, common: Common) -> tuple[tuple[Value, Value], ...] | None:
    first, second = ([each.value for each in one.choices if each.reason is None] for one in (old, new))
    if old.sort == "choose":
        return _by_name(first, second, _options(old, common))
    if old.sort == "taker":
        return _by_name(first, second, {each: _label(each, common) for each in first})
    return common.pairs(tuple(first), answer_type(old), tuple(second), answer_type(new))


def _item_pairs(old: Request, new: Request, common: Common) -> tuple[tuple[Value, Value], ...] | None:
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


_WIDE = 1 << 32


class Tape:
    """Choices along a list of numbers, then from a seed; what was chosen is kept.

    Attributes:
        made: the numbers so far, for another tape.
    """

    def __init__(self, seed: int, given: tuple[int, ...] = ()) -> None:
        self._random = Random(seed)  # noqa: S311 - plays are made, no secrets
        self._given = given
        self.made: list[int] = []

    def below(self, limit: int) -> int:
        """A number from 0 to below the limit."""
        at = len(self.made)
        number = self._given[at] if at < len(self._given) else self._random.randrange(_WIDE)
        self.made.append(number)
        return number % limit


def tweaked(made: tuple[int, ...], chooser: Chooser) -> tuple[int, ...]:
    """The same choices but for one or two, or all after some point."""
    if not made:
        return made
    if chooser.below(3) == 0:
        return made[: chooser.below(len(made))]
    found = list(made)
    for _ in range(1 + chooser.below(2)):
        found[chooser.below(len(found))] = chooser.below(_WIDE)
    return tuple(found)


class Plain:
    """Always the first: the simplest choices."""

    def below(self, limit: int) -> int:
        """Zero."""
        del limit
        return 0


_RESULTS_TRIED, _CHANGED, _LEVEL = 20, 40, 30


def results(asked: Same, common: Common, chooser: Chooser) -> Iterator[tuple[Value, Value]]:
    """Results as the old revision types them, and what they are in the new one."""
    for _ in range(_RESULTS_TRIED):
        try:
            old = made(asked.old, common.old, chooser)
            new = _crossed(old, asked, common)
        except (NoValueError, LostError):
            continue
        first = read_answer(asked.old, unplaced(old), common.old, asked.paused[0])
        second = read_answer(asked.new, unplaced(new), common.new, asked.paused[1])
        if not first.diagnostics and not second.diagnostics:
            yield first.value, second.value


def made(request: Request, names: Names, chooser: Chooser) -> Any:
    """A result of one request as JSON, in the form of answers.

    Raises:
        NoValueError: something of it has no value.
    """
    values = values_of(names, chooser)
    if request.sort == "value":
        assert request.type is not None
        return values.of(request.type)
    made = _result(request, values)
    changes: dict[str, Any] = {}
    for place in request.changes:
        if chance(chooser, _CHANGED):
            _change(place, changes, values)
    return made | ({CHANGES: changes} if changes else {})


def values_of(names: Names, chooser: Chooser) -> Values:
    """Makes values of one play."""
    cells = [cell for found in names.base.boards.values() for cell in found]
    sizes = Sizes()
    return Values(names.program, chooser, names.base.things, cells, sizes)


def _result(request: Request, values: Values) -> dict[str, Json]:
    """Named results; often all numbers among them are the same, since ties matter."""
    match request.type:
        case None:
            return {}
        case ty.RecordType(record) if record == request.name:
            parts = values.program.records[record].parts
            made = {each.name: values.of(each.type) for each in parts}
            level = chance(values.chooser, _LEVEL)
            first = made[parts[0].name]
            return {each.name: first if level and each.type == parts[0].type else made[each.name] for each in parts}
        case type_:
            return {RESULT: values.of(type_)}


def _change(place: str, changes: dict[str, Any], values: Values) -> None:
    owner, _, name = place.rpartition("/")
    if owner == GAME:
        changes.setdefault(GAME, {})[name] = values.of(values.program.game[name].type)
        return
    kind = values.program.kinds[owner]
    field = next((each for each in kind.fields if each.name == name), None)
    ids = values.things[owner]
    if field is not None and ids:
        things = changes.setdefault(kind.plural, {})
        things.setdefault(one_of(values.chooser, ids), {})[name] = values.of(field.type)


def _crossed(old: Any, asked: Same, common: Common) -> Any:
    if common.ways.alike:
        return old
    across = common.ways.across
    if asked.sort == "value":
        assert asked.old.type is not None
        assert asked.new.type is not None
        return across.value(old, asked.old.type, asked.new.type)
    changes = {CHANGES: carried(old[CHANGES], across)} if CHANGES in old else {}
    return _crossed_result(old, asked.old.type, asked.new.type, common) | changes


def _crossed_result(
    old: dict[str, Json], type_: ty.Type | None, target: ty.Type | None, common: Common
) -> dict[str, Json]:
    match type_, target:
        case None, None:
            return {}
        case ty.RecordType(), ty.RecordType() if RESULT not in old:
            given = {key: each for key, each in old.items() if key != CHANGES}
            found = common.ways.across.value(given, type_, target)
            return found if isinstance(found, dict) else {}
        case (None, _) | (_, None):
            raise LostError
        case _:
            return {RESULT: common.ways.across.value(old[RESULT], type_, target)}


Pair = tuple[Value, Value]
_TRIES, _FIRST, _SPOTS = 12, 100, 12
_ALIKE, _EXTREME = 30, 20


def answers(asked: Same, common: Common, chooser: Chooser) -> Iterator[Pair]:
    """Answers to one question, each for both revisions, until one is taken; ends where none comes to mind."""
    match asked.sort:
        case sort if sort in LISTED:
            yield one_of(chooser, asked.pairs)
        case "roll":
            yield _rolled(asked, chooser)
        case "draw":
            yield one_of(chooser, asked.pairs)
        case "pick" | "split" | "order" | "handlers" | "shuffle":
            for _ in range(_TRIES):
                yield _of_items(asked, chooser)
            yield from _listed(asked, common, chooser, _FIRST)
        case sort if sort in ELSEWHERE:
            yield from results(asked, common, chooser)
        case _:
            yield from _listed(asked, common, chooser, _SPOTS)


def _rolled(asked: Same, chooser: Chooser) -> Pair:
    """Dice; often all alike or all at an end, since that is where rules turn."""
    alike, extreme = chance(chooser, _ALIKE), chance(chooser, _EXTREME)
    shown = chooser.below(1_000)
    faces = [
        die[shown % len(die)] if alike else one_of(chooser, (die[0], die[-1])) if extreme else one_of(chooser, die)
        for die in asked.dice
    ]
    return tuple(old for old, _ in faces), tuple(new for _, new in faces)


def _of_items(asked: Same, chooser: Chooser) -> Pair:
    match asked.sort:
        case "pick":
            return _picked(asked, chooser)
        case "split":
            return _split(asked, chooser)
        case _:
            rest, found = list(asked.pairs), []
            while rest:
                found.append(rest.pop(chooser.below(len(rest))))
            return tuple(old for old, _ in found), tuple(new for _, new in found)


def _picked(asked: Same, chooser: Chooser) -> Pair:
    low, high = asked.old.low, min(asked.old.high, len(asked.pairs))
    rest = list(range(len(asked.pairs)))
    chosen = {rest.pop(chooser.below(len(rest))) for _ in range(low + chooser.below(high - low + 1))}
    kept = [pair for at, pair in enumerate(asked.pairs) if at in chosen]
    new = {each for _, each in kept}
    return tuple(old for old, _ in kept), tuple(each for each in asked.new.items if each in new)


def _split(asked: Same, chooser: Chooser) -> Pair:
    counts = [0] * len(asked.pairs)
    spread = 1 + chooser.below(len(counts))
    for _ in range(asked.old.high):
        counts[chooser.below(spread)] += 1
    shift = chooser.below(len(counts))
    shares = list(zip(asked.pairs, counts[shift:] + counts[:shift], strict=True))
    return Map.of(0, [(old, n) for (old, _), n in shares]), Map.of(0, [(new, n) for (_, new), n in shares])


def _listed(asked: Same, common: Common, chooser: Chooser, most: int) -> Iterator[Pair]:
    """Legal answers of one revision, in any order, and what they are in the other."""
    turned = chooser.below(2) == 1
    request, other = (asked.new, asked.old) if turned else (asked.old, asked.new)
    assert request.question is not None
    found = list(islice(request.question.answers(), most))
    while found:
        value = found.pop(chooser.below(len(found)))
        answer = translated(value, request, other, asked.paused[0 if turned else 1], common, turned=turned)
        if answer is not None:
            yield (answer[0], value) if turned else (value, answer[0])
    if request.claimable and other.claimable:
        yield None, None


def translated(  # noqa: PLR0913
    value: Value, request: Request, other: Request, paused: Paused, common: Common, *, turned: bool
) -> tuple[Any] | None:
    """An answer of one revision in the other, in a tuple; none where it has no counterpart."""
    if common.ways.alike and (value is not None or other.claimable):
        return (value,)
    here, there = (common.new, common.old) if turned else (common.old, common.new)
    found = read_answer(other, unplaced(answer_json(request, value, here)), there, paused)
    return None if found.diagnostics else (found.value,)
