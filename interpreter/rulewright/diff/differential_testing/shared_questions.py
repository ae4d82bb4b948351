"""Matching of the questions of two revisions, and drawn answers to them: one sequence of choices for both."""

from collections.abc import Iterator
from itertools import islice
from random import Random
from typing import Any

from rulewright.base.frozen import dataclass
from rulewright.diff.differential_testing.revision_translation import (
    CommonForm,
    NoCounterpartError,
    ValueTranslation,
    translate_state,
)
from rulewright.documents.answers import answer_to_json, answer_type, item_type, read_answer
from rulewright.documents.document_nodes import Json, data_to_node
from rulewright.documents.name_table import CHANGES, GAME, NameTable
from rulewright.documents.value_sampling import (
    ChoiceSource,
    NoValueError,
    SizeRanges,
    ValueSampler,
    choose_one,
    choose_with_chance,
)
from rulewright.program import statements as st, types as ty
from rulewright.runtime.codec_protocols import RESULT_KEY
from rulewright.runtime.pending_question import PendingQuestion, list_dice_to_throw
from rulewright.runtime.request import EXTERNAL_SORTS, Request
from rulewright.runtime.run import Paused
from rulewright.runtime.values import GameMap, Value


def is_equivalent_type(type_: ty.Type | None, target: ty.Type | None, translation: ValueTranslation) -> bool:
    """Whether every value of either type is one of the other."""
    match type_, target:
        case ty.ThingType(kind), ty.ThingType(other):
            return translation.names.find_new_name("kind", kind) == other
        case ty.WordType(values), ty.WordType(other):
            words = {
                translation.names.find_new_name("word", f"{values}/{word.name}")
                for word in translation.source_program.values[values].words
            }
            return words == {f"{other}/{word.name}" for word in translation.target_program.values[other].words}
        case (ty.OptionalType(inner), ty.OptionalType(other)):
            return is_equivalent_type(inner, other, translation)
        case (ty.SetType(item), ty.SetType(other)) | (ty.BagType(item), ty.BagType(other)):
            return is_equivalent_type(item, other, translation)
        case (ty.ListType(item), ty.ListType(other)) | (ty.DeckType(item), ty.DeckType(other)):
            return is_equivalent_type(item, other, translation)
        case ty.TupleType(parts), ty.TupleType(others):
            return len(parts) == len(others) and all(
                map(lambda a, b: is_equivalent_type(a, b, translation), parts, others)
            )
        case ty.MapType(key, value), ty.MapType(other, entry):
            return is_equivalent_type(key, other, translation) and is_equivalent_type(value, entry, translation)
        case ty.RecordType(record), ty.RecordType(other):
            here = {
                translation.translate_part_name(record, part.name): part.type
                for part in translation.source_program.records[record].parts
            }
            there = {part.name: part.type for part in translation.target_program.records[other].parts}
            return here.keys() == there.keys() and all(
                is_equivalent_type(here[name], there[name], translation) for name in here
            )
        case _:
            return type_ == target


LISTED_QUESTION_SORTS = frozenset({"whether", "one", "choose", "turn", "handler", "taker"})
ITEM_QUESTION_SORTS = frozenset({"pick", "split", "order", "handlers", "draw", "shuffle"})


@dataclass(frozen=True, slots=True)
class SharedQuestion:
    """Question that both revisions ask."""

    paused: tuple[Paused, Paused]  # old and new revision, at the question
    pairs: tuple[tuple[Value, Value], ...] = ()  # (old, new) answers of a listed question, or its items
    dice: tuple[tuple[tuple[Value, Value], ...], ...] = ()  # (old, new) faces of each die of a roll
    faces: tuple[tuple[ty.Type, ty.Type], ...] = ()  # (old, new) types of the faces of each die

    @property
    def sort(self) -> str:
        return self.paused[0].asked.sort

    @property
    def addresses(self) -> tuple[str, str]:
        return self.paused[0].asked.address, self.paused[1].asked.address

    @property
    def old_request(self) -> Request:
        return self.paused[0].legal_request

    @property
    def new_request(self) -> Request:
        return self.paused[1].legal_request


def match_questions(paused: tuple[Paused, Paused], common: CommonForm) -> SharedQuestion | str:
    """Shared question, or the sort of difference: `question`, `asked`, `secret`, `options` or `dice`.

    Questions are compared by their sort, who is asked, and the possible answers; never by words or addresses. Dice are
    compared without their descriptions.
    """
    first, second = paused[0].asked, paused[1].asked
    sort = first.sort
    if sort != second.sort or (
        sort != "roll" and not _is_same_matter(paused[0].legal_request, paused[1].legal_request, common)
    ):
        return "question"
    if first.player != second.player or withheld_part(first) != withheld_part(second):
        return "asked" if first.player != second.player else "secret"
    if sort == "roll":
        return _pair_dice(paused, common)
    old, new = paused[0].legal_request, paused[1].legal_request
    if sort in EXTERNAL_SORTS:
        return SharedQuestion(paused) if _has_same_results(old, new, common.translations.forward) else "options"
    if (old.low, old.high) != (new.low, new.high):
        return "options"
    pairs = (
        _pair_legal_answers(old, new, common)
        if sort in LISTED_QUESTION_SORTS
        else _pair_question_items(old, new, common)
        if sort in ITEM_QUESTION_SORTS
        else ()
    )
    return "options" if pairs is None else SharedQuestion(paused, pairs)


def withheld_part(question: PendingQuestion) -> str:
    """Part of a question that some players may not see: the `answer`, the `options`, what can be drawn, or empty."""
    withheld = question.executable.concealment.withheld_part(question.node)
    return withheld if withheld in {"answer", "options", "draw", "drawn"} else ""


def _is_same_matter(old: Request, new: Request, common: CommonForm) -> bool:
    names = common.translations.forward.names
    if old.sort in EXTERNAL_SORTS and names.find_new_name("external", old.name) != new.name:
        return False
    if old.sort == "handler" and names.find_new_name("handler", old.name) != new.name:
        return False
    pairs = zip(old.arguments.values(), new.arguments.values(), strict=False)
    first = [common.canonical_old(value, type_, target) for (value, type_), (_, target) in pairs]
    return len(old.arguments) == len(new.arguments) and first == [
        common.canonical_new(value, type_) for value, type_ in new.arguments.values()
    ]


def _has_same_results(old: Request, new: Request, across: ValueTranslation) -> bool:
    changes = {_translate_change(change, across) for change in old.changes}
    return is_equivalent_type(old.type, new.type, across) and changes == set(new.changes)


def _translate_change(change: str, across: ValueTranslation) -> str | None:
    owner, _, name = change.rpartition("/")
    if owner == GAME:
        return f"{GAME}/{across.names.find_new_name('field', name)}"
    if name == "gone":
        return f"{across.names.find_new_name('kind', owner)}/gone"
    return across.names.find_new_name("attribute", change)


def _pair_dice(paused: tuple[Paused, Paused], common: CommonForm) -> SharedQuestion | str:
    first, second = (
        [(die.faces, die.face) for die in list_dice_to_throw(one.asked) for _ in range(die.count)] for one in paused
    )
    if len(first) != len(second):
        return "dice"
    dice = tuple(common.pair_faces(*one, *other) for one, other in zip(first, second, strict=True))
    faces = tuple((one, other) for (_, one), (_, other) in zip(first, second, strict=True))
    return "dice" if None in dice else SharedQuestion(paused, (), dice, faces)  # type: ignore[arg-type]


def _pair_legal_answers(old: Request, new: Request, common: CommonForm) -> tuple[tuple[Value, Value], ...] | None:
    first, second = ([choice.value for choice in one.choices if choice.reason is None] for one in (old, new))
    if old.sort == "choose":
        return _pair_by_name(first, second, _translate_options(old, common))
    if old.sort == "taker":
        return _pair_by_name(first, second, {item: _translate_label(item, common) for item in first})
    return common.pair_values(tuple(first), answer_type(old), tuple(second), answer_type(new))


def _pair_question_items(old: Request, new: Request, common: CommonForm) -> tuple[tuple[Value, Value], ...] | None:
    if old.sort == "handlers":
        return _pair_by_name(
            list(old.items), list(new.items), {item: _translate_label(item, common) for item in old.items}
        )
    if old.sort == "draw":
        return common.pair_values(old.items, answer_type(old), new.items, answer_type(new))
    return common.pair_values(old.items, item_type(answer_type(old)), new.items, item_type(answer_type(new)))


def _pair_by_name(
    first: list[Value], second: list[Value], renamed: dict[Value, Value]
) -> tuple[tuple[Value, Value], ...] | None:
    pairs = tuple((item, renamed[item]) for item in first)
    return pairs if {item for _, item in pairs} == set(second) and len(first) == len(second) else None


def _translate_options(old: Request, common: CommonForm) -> dict[Value, Value]:
    node: Any = old.question.node if old.question is not None else None
    assert isinstance(node, st.Ask)
    assert isinstance(node.shape, st.Choose)
    addresses = common.translations.forward.names.addresses
    return {
        option.id: addresses.get(option.address, option.address).rpartition("/")[2] for option in node.shape.options
    }


def _translate_label(label: Value, common: CommonForm) -> Value:
    if not isinstance(label, str):
        return label
    name, bracket, holders = label.partition("(")
    return (common.translations.forward.names.find_new_name("handler", name) or f"only old {name}") + bracket + holders


_CHOICE_LIMIT = 1 << 32


class ChoiceSequence:
    """Choice source that replays a list of numbers, then draws from a seed.

    Attributes:
        choices: all numbers so far, to be replayed.
    """

    def __init__(self, seed: int, given: tuple[int, ...] = ()) -> None:
        self._random = Random(seed)  # noqa: S311 - plays are made, no secrets
        self._given = given
        self.choices: list[int] = []

    def below(self, limit: int) -> int:
        at = len(self.choices)
        number = self._given[at] if at < len(self._given) else self._random.randrange(_CHOICE_LIMIT)
        self.choices.append(number)
        return number % limit


def mutate_choices(choices: tuple[int, ...], chooser: ChoiceSource) -> tuple[int, ...]:
    """Choices with one or two changed, or all after some point."""
    if not choices:
        return choices
    if chooser.below(3) == 0:
        return choices[: chooser.below(len(choices))]
    result = list(choices)
    for _ in range(1 + chooser.below(2)):
        result[chooser.below(len(result))] = chooser.below(_CHOICE_LIMIT)
    return tuple(result)


class FirstChooser:
    """Choice source that always takes the first: the simplest choices."""

    def below(self, limit: int) -> int:
        del limit
        return 0


_MAX_RESULT_TRIES, _CHANGE_PERCENT, _EQUAL_NUMBERS_PERCENT = 20, 40, 30


def draw_external_results(
    question: SharedQuestion, common: CommonForm, chooser: ChoiceSource
) -> Iterator[tuple[Value, Value]]:
    """Drawn results of an external, in the types of the old revision and of the new one."""
    for _ in range(_MAX_RESULT_TRIES):
        try:
            old = make_external_result(question.old_request, common.old, chooser)
            new = _translate_result(old, question, common)
        except (NoValueError, NoCounterpartError):
            continue
        first = read_answer(question.old_request, data_to_node(old), common.old, question.paused[0])
        second = read_answer(question.new_request, data_to_node(new), common.new, question.paused[1])
        if not first.diagnostics and not second.diagnostics:
            yield first.value, second.value


def make_external_result(request: Request, names: NameTable, chooser: ChoiceSource) -> Any:
    """Result of one request as JSON, in the form of answers.

    Raises:
        NoValueError: a part of it has no value.
    """
    values = make_value_source(names, chooser)
    if request.sort == "value":
        assert request.type is not None
        return values.sample_value(request.type)
    results = _make_named_results(request, values)
    changes: dict[str, Any] = {}
    for place in request.changes:
        if choose_with_chance(chooser, _CHANGE_PERCENT):
            _make_place_change(place, changes, values)
    return results | ({CHANGES: changes} if changes else {})


def make_value_source(names: NameTable, chooser: ChoiceSource) -> ValueSampler:
    cells = [cell for result in names.base.boards.values() for cell in result]
    sizes = SizeRanges()
    return ValueSampler(names.program, chooser, names.base.things, cells, sizes)


def _make_named_results(request: Request, values: ValueSampler) -> dict[str, Json]:
    """Results by name; often with equal numbers, since ties matter."""
    match request.type:
        case None:
            return {}
        case ty.RecordType(record) if record == request.name:
            parts = values.program.records[record].parts
            sampled = {part.name: values.sample_value(part.type) for part in parts}
            level = choose_with_chance(values.chooser, _EQUAL_NUMBERS_PERCENT)
            first = sampled[parts[0].name]
            return {part.name: first if level and part.type == parts[0].type else sampled[part.name] for part in parts}
        case type_:
            return {RESULT_KEY: values.sample_value(type_)}


def _make_place_change(place: str, changes: dict[str, Any], values: ValueSampler) -> None:
    owner, _, name = place.rpartition("/")
    if owner == GAME:
        changes.setdefault(GAME, {})[name] = values.sample_value(values.program.game[name].type)
        return
    kind = values.program.kinds[owner]
    field = next((item for item in kind.fields if item.name == name), None)
    ids = values.things[owner]
    if field is not None and ids:
        things = changes.setdefault(kind.plural, {})
        things.setdefault(choose_one(values.chooser, ids), {})[name] = values.sample_value(field.type)


def _translate_result(old: Any, question: SharedQuestion, common: CommonForm) -> Any:
    if common.translations.is_identity:
        return old
    across = common.translations.forward
    if question.sort == "value":
        assert question.old_request.type is not None
        assert question.new_request.type is not None
        return across.translate_value(old, question.old_request.type, question.new_request.type)
    changes = {CHANGES: translate_state(old[CHANGES], across)} if CHANGES in old else {}
    return _translate_named_results(old, question.old_request.type, question.new_request.type, common) | changes


def _translate_named_results(
    old: dict[str, Json], type_: ty.Type | None, target: ty.Type | None, common: CommonForm
) -> dict[str, Json]:
    match type_, target:
        case None, None:
            return {}
        case ty.RecordType(), ty.RecordType() if RESULT_KEY not in old:
            given = {key: item for key, item in old.items() if key != CHANGES}
            result = common.translations.forward.translate_value(given, type_, target)
            return result if isinstance(result, dict) else {}
        case (None, _) | (_, None):
            raise NoCounterpartError
        case _:
            return {RESULT_KEY: common.translations.forward.translate_value(old[RESULT_KEY], type_, target)}


ValuePair = tuple[Value, Value]
_MAX_ITEM_TRIES, _MAX_FIRST_ANSWERS, _MAX_SPOT_ANSWERS = 12, 100, 12
_EQUAL_DICE_PERCENT, _EXTREME_DICE_PERCENT = 30, 20


def draw_answers(question: SharedQuestion, common: CommonForm, chooser: ChoiceSource) -> Iterator[ValuePair]:
    """Drawn answers to a question, each for both revisions, until one is taken; finite."""
    match question.sort:
        case sort if sort in LISTED_QUESTION_SORTS:
            yield choose_one(chooser, question.pairs)
        case "roll":
            yield _draw_dice(question, chooser)
        case "draw":
            yield choose_one(chooser, question.pairs)
        case "pick" | "split" | "order" | "handlers" | "shuffle":
            for _ in range(_MAX_ITEM_TRIES):
                yield _draw_item_answer(question, chooser)
            yield from _draw_listed_answers(question, common, chooser, _MAX_FIRST_ANSWERS)
        case sort if sort in EXTERNAL_SORTS:
            yield from draw_external_results(question, common, chooser)
        case _:
            yield from _draw_listed_answers(question, common, chooser, _MAX_SPOT_ANSWERS)


def _draw_dice(question: SharedQuestion, chooser: ChoiceSource) -> ValuePair:
    """Faces of dice; often all alike or all at an end, since rules turn there."""
    alike, extreme = (
        choose_with_chance(chooser, _EQUAL_DICE_PERCENT),
        choose_with_chance(chooser, _EXTREME_DICE_PERCENT),
    )
    shown = chooser.below(1_000)
    faces = [
        die[shown % len(die)]
        if alike
        else choose_one(chooser, (die[0], die[-1]))
        if extreme
        else choose_one(chooser, die)
        for die in question.dice
    ]
    return tuple(old for old, _ in faces), tuple(new for _, new in faces)


def _draw_item_answer(question: SharedQuestion, chooser: ChoiceSource) -> ValuePair:
    match question.sort:
        case "pick":
            return _draw_pick(question, chooser)
        case "split":
            return _draw_split(question, chooser)
        case _:
            rest, result = list(question.pairs), []
            while rest:
                result.append(rest.pop(chooser.below(len(rest))))
            return tuple(old for old, _ in result), tuple(new for _, new in result)


def _draw_pick(question: SharedQuestion, chooser: ChoiceSource) -> ValuePair:
    low, high = question.old_request.low, min(question.old_request.high, len(question.pairs))
    rest = list(range(len(question.pairs)))
    chosen = {rest.pop(chooser.below(len(rest))) for _ in range(low + chooser.below(high - low + 1))}
    picked = [pair for at, pair in enumerate(question.pairs) if at in chosen]
    new = {item for _, item in picked}
    return tuple(old for old, _ in picked), tuple(item for item in question.new_request.items if item in new)


def _draw_split(question: SharedQuestion, chooser: ChoiceSource) -> ValuePair:
    counts = [0] * len(question.pairs)
    spread = 1 + chooser.below(len(counts))
    for _ in range(question.old_request.high):
        counts[chooser.below(spread)] += 1
    shift = chooser.below(len(counts))
    shares = list(zip(question.pairs, counts[shift:] + counts[:shift], strict=True))
    return GameMap.from_pairs(0, [(old, n) for (old, _), n in shares]), GameMap.from_pairs(
        0, [(new, n) for (_, new), n in shares]
    )


def _draw_listed_answers(
    question: SharedQuestion, common: CommonForm, chooser: ChoiceSource, most: int
) -> Iterator[ValuePair]:
    turned = chooser.below(2) == 1
    request, other = (
        (question.new_request, question.old_request) if turned else (question.old_request, question.new_request)
    )
    assert request.question is not None
    result = list(islice(request.question.iterate_answers(), most))
    while result:
        value = result.pop(chooser.below(len(result)))
        answer = translate_answer(value, request, other, question.paused[0 if turned else 1], common, turned=turned)
        if answer is not None:
            yield (answer[0], value) if turned else (value, answer[0])
    if request.claimable and other.claimable:
        yield None, None


def translate_answer(  # noqa: PLR0913
    value: Value, request: Request, other: Request, paused: Paused, common: CommonForm, *, turned: bool
) -> tuple[Any] | None:
    """Answer of one revision in the other, in a 1-tuple; None where it has no counterpart."""
    if common.translations.is_identity and (value is not None or other.claimable):
        return (value,)
    here, there = (common.new, common.old) if turned else (common.old, common.new)
    result = read_answer(other, data_to_node(answer_to_json(request, value, here)), there, paused)
    return None if result.diagnostics else (result.value,)
