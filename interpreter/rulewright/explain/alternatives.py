"""What might have been otherwise in a play: the faces of dice, what was drawn, answers, values of the start."""

from collections import Counter
from collections.abc import Callable, Collection, Container, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, islice, product
from operator import attrgetter, itemgetter
from typing import Any

from rulewright.base.frozen import dataclass
from rulewright.base.node_roles import walk_nodes
from rulewright.explain.tracked_values import QueryLog, TrackedValue, is_trackable
from rulewright.play.answer_sources import AnswerSourceChain, draw_outcome
from rulewright.play.session import PlayStart, Session
from rulewright.program import statements as st, types as ty
from rulewright.program.declarations import Program
from rulewright.program.effects import ReadFootprint, list_written_places
from rulewright.program.types import NumberType, Type
from rulewright.program.walk import compute_transitive_closure, strip_address_numbers
from rulewright.runtime.answer_reasons import is_plainly_legal, normalize_answer
from rulewright.runtime.executable import Executable
from rulewright.runtime.faults import Fault, RunLimits
from rulewright.runtime.pending_question import PendingQuestion, list_dice_to_throw
from rulewright.runtime.request import CHANCE_SORTS, ITEM_SORTS
from rulewright.runtime.run import NOT_ANSWERED, Paused, Run
from rulewright.runtime.state import Situation
from rulewright.runtime.values import GameMap, Value

RequestKey = tuple[Hashable, ...]
"""Which request of a play: its line and sort, how often that was asked before, what of a roll had exploded by then."""


@dataclass(frozen=True, slots=True)
class RecordedCourse:
    """A play that is over, or that stands at a request."""

    begun: PlayStart  # how it began
    recorded_answers: Mapping[RequestKey, Value]  # what was answered
    # who answers what was never asked: what a script says always, the dice of the seed, the first answer
    sources: AnswerSourceChain
    stop_request: RequestKey | None = None  # the request at which it stands; none where it is over

    def begin_from(self, executable: Executable, situation: Situation, limits: RunLimits | None = None) -> Run:
        """The play from a start of its own, up to its first request."""
        begun = self.begun
        return Run.begin(executable, situation, begun.procedure.name, begun.arguments, limits or begun.limits)


class CourseReplayer:
    """Gives the answers of a course, request by request; it remembers what was asked.

    Where the same is asked as in the course the answer is the same, if it is legal; of dice each shows what it showed.
    """

    __slots__ = ("_ask_counts", "_course")

    def __init__(self, course: RecordedCourse) -> None:
        self._course = course
        self._ask_counts: Counter[str] = Counter()

    def copy_replayer(self) -> "CourseReplayer":
        """One that remembers the same, and goes on by itself."""
        other = CourseReplayer(self._course)
        other._ask_counts = self._ask_counts.copy()
        return other

    @property
    def memory(self) -> Hashable:
        """What is remembered, to be compared."""
        return frozenset(self._ask_counts.items())

    def request_key(self, asked: PendingQuestion) -> RequestKey:
        """Which request this is."""
        if asked.site < 0:
            return ("value", *asked.data)
        line, exploded = strip_address_numbers(asked.line_address), asked.exploded_count
        return line, asked.sort, self._ask_counts[line] - (exploded is not None), exploded

    def note_request(self, asked: PendingQuestion) -> None:
        """Remembers that something was asked."""
        if asked.site >= 0 and asked.exploded_count is None:
            self._ask_counts[strip_address_numbers(asked.line_address)] += 1

    def is_at_stop(self, asked: PendingQuestion) -> bool:
        """Whether the course went no further than this request."""
        return self._course.stop_request is not None and self.request_key(asked) == self._course.stop_request

    def answer_immediately(self, asked: PendingQuestion) -> Any:
        """The usual answer where the question alone shows it, and else `UNANSWERED`; what is answered is remembered."""
        answer = NOT_ANSWERED if self.is_at_stop(asked) else self._recorded_answer(asked)
        if answer is not NOT_ANSWERED:
            self.note_request(asked)
        return answer

    def usual_answer(self, paused: Paused) -> Any:
        """The usual answer to a request, in the form in which answers are given, or `UNANSWERED`."""
        asked = paused.asked
        plain = self._recorded_answer(asked)
        if plain is not NOT_ANSWERED:
            return plain
        given = self._course.recorded_answers.get(self.request_key(asked), NOT_ANSWERED)
        if given is not NOT_ANSWERED and _is_legal_answer(paused, given):
            return given
        occasion = self._ask_counts[strip_address_numbers(asked.line_address)]
        reply = self._course.sources.answer_request(paused, occasion, tuple)
        return NOT_ANSWERED if reply.answer is None else reply.answer.value

    def _recorded_answer(self, asked: PendingQuestion) -> Any:
        occasion = self.request_key(asked)
        given: Any = self._course.recorded_answers.get(occasion, NOT_ANSWERED)
        if asked.sort == "roll":
            return self._recorded_dice(asked, () if given is NOT_ANSWERED else given)
        if given is NOT_ANSWERED:
            return NOT_ANSWERED
        if asked.sort in {"draw", "shuffle"}:
            fits = given in asked.data if asked.sort == "draw" else Counter(given) == Counter(asked.data)
            return (
                given
                if fits
                else draw_outcome(
                    asked, self._ask_counts[strip_address_numbers(asked.line_address)], self._course.sources.chance
                )
            )
        if asked.is_listed:
            return given if given in asked.legal_answers else NOT_ANSWERED
        return (
            normalize_answer(asked, given) if asked.sort == "pick" and is_plainly_legal(asked, given) else NOT_ANSWERED
        )

    def _recorded_dice(self, asked: PendingQuestion, given: Any) -> tuple[Value, ...]:
        """What dice show: what they showed, and of more dice than there were what the seed throws."""
        faces = [faces for count, faces, _ in asked.dice_to_roll for _ in range(count)]
        if len(given) >= len(faces) and all(face in of for face, of in zip(given, faces, strict=False)):
            return tuple(given[: len(faces)])
        occasion = self._ask_counts[strip_address_numbers(asked.line_address)] - (asked.exploded_count is not None)
        fresh: Any = draw_outcome(asked, occasion, self._course.sources.chance)
        known = len(given)
        return tuple([given[at] if at < known and given[at] in of else fresh[at] for at, of in enumerate(faces)])


def _is_legal_answer(paused: Paused, answer: Value) -> bool:
    try:
        return not paused.explain_refusals(answer)
    except Fault:
        return False


def record_course(session: Session) -> RecordedCourse:
    """The course of a play, without what is put only to people at a table."""
    begun = replace(session.start, limits=replace(session.start.limits, forced_sites=frozenset()))
    script = session.sources.script
    standing = None if script is None else replace(script, lines=(), is_ordered=False)
    sources = AnswerSourceChain(begun.names, session.sources.chance, standing, is_chance_requested=True, policy="first")
    course = RecordedCourse(begun, {}, sources)
    given: dict[RequestKey, Value] = {}
    following, run = CourseReplayer(course), course.begin_from(begun.executable, begun.situation)
    turns = iter(session.turns)
    while isinstance(run.outcome, Paused):
        paused = run.outcome
        occasion = following.request_key(paused.asked)
        turn = next(
            (
                answered_turn
                for answered_turn in turns
                if answered_turn.question.line_address == paused.asked.line_address
            ),
            None,
        )
        if turn is None:
            return replace(course, recorded_answers=given, stop_request=occasion)
        given[occasion] = turn.answer.value
        following.note_request(paused.asked)
        paused.take_answer(turn.answer.value)
    return replace(course, recorded_answers=given)


MAX_NUMBER_DISTANCE = 20
"""Numbers are tried up to so many more or less."""
MAX_TRIED_ANSWERS = 200
"""So many answers to one question are tried."""
ThingIds = Mapping[str, Sequence[str]]
"""Ids of the things of every kind."""
_TYPED_SORTS = frozenset({"one", "pick", "split"})
"""Sorts of decisions of which the type of the answer says how far two answers are apart."""


@dataclass(frozen=True, slots=True)
class AnswerChange:
    """One die that shows another face, or one answer, or part of an answer, that is another."""

    request_key: RequestKey  # of the request
    is_chance: bool  # whether dice, a draw or a shuffle answer it
    slot: int | None  # which of the dice, or of the parts of a result; none where the answer is one whole
    before: Value  # what was answered there
    after: Value  # what is answered instead
    distance: int  # how far apart the two are

    @property
    def rank(self) -> int:
        """Chance comes first, then answers."""
        return 0 if self.is_chance else 1

    @property
    def place(self) -> tuple[object, ...]:
        """What is changed, whatever it becomes."""
        return self.request_key, self.slot


@dataclass(frozen=True, slots=True)
class StartChange:
    """A value of the start that is another."""

    stored_place: str  # `Kind/attribute`, or `game/field`
    key: int | None  # the number of the thing; none for a field of the game
    before: Value  # the value of the start
    after: Value  # what it is instead
    type: ty.Type  # of both
    distance: int  # how far apart the two are

    @property
    def rank(self) -> int:
        """Values of the start come last."""
        return 2

    @property
    def place(self) -> tuple[object, ...]:
        """What is changed, whatever it becomes."""
        return self.stored_place, self.key

    def apply_to_start(self, start: Situation) -> Situation:
        """The start with this value."""
        owner, _, name = self.stored_place.rpartition("/")
        if owner == "game":
            return replace(start, game={**start.game, name: self.after})
        values = list(start.attributes[self.stored_place])
        assert self.key is not None
        values[self.key] = self.after
        return replace(start, attributes={**start.attributes, self.stored_place: tuple(values)})


PlayChange = AnswerChange | StartChange
"""One thing that is otherwise."""


@dataclass(frozen=True, slots=True)
class AlternativeAnswer:
    """Another answer to a request, and what is changed by it."""

    answer: Any
    changes: tuple[AnswerChange, ...]

    @property
    def distance(self) -> int:
        """How far it is from the usual answer."""
        return sum(change.distance for change in self.changes)


ValueOption = tuple[int, Any]
"""What an answer, or a part of one, may be instead, after how far that is."""


@dataclass(frozen=True, slots=True)
class AnswerSlots:
    """An answer taken apart into what may change by itself."""

    values: Sequence[Any]  # what was answered, part by part
    options: Sequence[Sequence[ValueOption]]  # for each part what else it may be, the nearest first
    join_parts: Callable[[Sequence[Any]], Any]  # the answer that some parts make
    is_single: bool = False  # whether it is one part alone
    is_cut: bool = False  # whether there are more options than are tried


def enumerate_alternatives(
    slots: AnswerSlots, occasion: RequestKey, sort: str, count: int
) -> Iterator[AlternativeAnswer]:
    """Every answer in which so many parts are others."""
    is_chance = sort in CHANCE_SORTS
    for chosen in combinations(range(len(slots.values)), count):
        for options in product(*(slots.options[at] for at in chosen)):
            values = list(slots.values)
            changes = []
            for at, (steps, after) in zip(chosen, options, strict=True):
                slot = None if slots.is_single else at
                changes.append(AnswerChange(occasion, is_chance, slot, values[at], after, steps))
                values[at] = after
            yield AlternativeAnswer(slots.join_parts(values), tuple(changes))


# At a request.


def split_usual_answer(run: Run, usual: Any) -> AnswerSlots:
    """What of the usual answer to the request at which a run stands may be another."""
    asked, program = run.make_question(), run.executable.program
    match asked.sort:
        case "roll":
            dice = [(die.faces, die.face) for die in list_dice_to_throw(asked) for _ in range(die.count)]
            return AnswerSlots(usual, [_rank_options(face, *of) for face, of in zip(usual, dice, strict=True)], tuple)
        case "draw":
            return _single_slot(usual, asked.data, None)
        case "shuffle":
            return _single_slot(usual, _swap_each_pair(usual), None)
        case "external":
            return _result_slots(usual, program.external_procedures[asked.node.external].result, run)
        case "value":
            type_ = program.external_terms[asked.data[0]].type
            return _single_slot(usual, _values_of_type(usual, type_, program, asked.world[0].base.things), type_)
        case sort:
            if asked.is_listed:
                return _single_slot(
                    usual, asked.legal_answers, asked.node.variable.type if sort in _TYPED_SORTS else None
                )
            return _sought_slot(usual, run.copy_question())


def _single_slot(usual: Any, options: Iterable[Any], type_: ty.Type | None) -> AnswerSlots:
    items = [*islice(options, MAX_TRIED_ANSWERS + 1)]
    kept = _rank_options(usual, items[:MAX_TRIED_ANSWERS], type_)
    return AnswerSlots([usual], [kept], itemgetter(0), is_single=True, is_cut=len(items) > MAX_TRIED_ANSWERS)


def _sought_slot(usual: Any, asked: PendingQuestion) -> AnswerSlots:
    """Answers that are looked for, not listed: of places some, of what is made of items those within the limits."""
    answer_slots = _single_slot(
        usual, asked.iterate_answers(), asked.node.variable.type if asked.sort in _TYPED_SORTS else None
    )
    partial = asked.sort in {"place", "heading"} or (asked.sort in ITEM_SORTS and not asked.count_answers().exact)
    return replace(answer_slots, is_cut=answer_slots.is_cut or partial)


def _swap_each_pair(order: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    for first, second in combinations(range(len(order)), 2):
        if order[first] != order[second]:
            made = list(order)
            made[first], made[second] = order[second], order[first]
            yield tuple(made)


def _result_slots(usual: Any, type_: ty.Type | None, run: Run) -> AnswerSlots:
    """The parts of the result of an external; what it changes stays as it is."""
    result, changes = usual
    program, things = run.executable.program, run.make_question().world[0].base.things
    if isinstance(type_, ty.RecordType) and type_.record in program.records:
        types = [part.type for part in program.records[type_.record].parts]
        options = [list_other_values(value, item, program, things) for value, item in zip(result, types, strict=True)]
        return AnswerSlots(result, options, lambda values: (tuple(values), changes))
    one = [] if type_ is None else [list_other_values(result, type_, program, things)]
    return AnswerSlots([result][: len(one)], one, lambda values: (values[0], changes), is_single=True)


# Values.


def list_other_values(value: Any, type_: ty.Type, program: Program, things: ThingIds) -> list[ValueOption]:
    """Every other value of a type that is tried, the nearest first; none of types that hold several values."""
    return _rank_options(value, _values_of_type(value, type_, program, things), type_)


def _values_of_type(value: Any, type_: ty.Type, program: Program, things: ThingIds) -> Sequence[Any]:
    match type_:
        case ty.OptionalType(inner):
            return [None, *_values_of_type(value, inner, program, things)]
        case ty.FlagType():
            return False, True
        case ty.NumberType(low, high):
            return _nearby_numbers(value if isinstance(value, int) else low or 0, low, high)
        case ty.WordType(values):
            return range(len(program.values[values].words))
        case ty.ThingType(kind):
            return range(len(things[kind]))
        case ty.DirectionType() as direction:
            return range(direction.count)
        case _:
            return ()


def _nearby_numbers(middle: int, low: int | None, high: int | None) -> range:
    """Numbers around one, within bounds."""
    first, last = middle - MAX_NUMBER_DISTANCE, middle + MAX_NUMBER_DISTANCE
    return range(first if low is None else max(low, first), (last if high is None else min(high, last)) + 1)


def _rank_options(usual: Any, options: Iterable[Any], type_: ty.Type | None) -> list[ValueOption]:
    """The options, each once, without the usual one, after how far they are; the nearest first."""
    items = [
        (_value_distance(usual, fromkey, type_), fromkey) for fromkey in dict.fromkeys(options) if fromkey != usual
    ]
    return sorted(items, key=itemgetter(0))


def _value_distance(before: Any, after: Any, type_: ty.Type | None) -> int:
    """How far apart two values are: numbers by their difference, sets by their members, all else one step."""
    match type_:
        case ty.OptionalType(inner) if before is not None and after is not None:
            return _value_distance(before, after, inner)
        case ty.NumberType():
            return int(abs(before - after))
        case ty.SetType() | ty.ListType() if isinstance(before, tuple) and isinstance(after, tuple):
            return max(len(set(before) - set(after)), len(set(after) - set(before)), 1)
        case ty.MapType() if isinstance(before, GameMap) and isinstance(after, GameMap):
            return max(1, sum(abs(before[key] - after[key]) for key in {*before, *after}) // 2)  # type: ignore[operator]
        case _:
            return 1


class StartSpace:
    """The starts of changed plays: its places by number, and what each may hold by position, the usual value first.

    Attributes:
        others: by place every other value, the nearest first.
        values: by place everything that it may hold.
        steps: by place how far each of these is from the usual value.
        every: by place all positions but the first, as bits.
    """

    def __init__(self, start: Situation, others: Iterable[StartChange]) -> None:
        of: dict[object, list[StartChange]] = {}
        for start_change in others:
            of.setdefault(start_change.place, []).append(start_change)
        self._start = start
        self._numbers = {place: number for number, place in enumerate(of)}
        self.alternatives = [sorted(item, key=attrgetter("distance")) for item in of.values()]
        self.values = [
            [alternative[0].before, *(other.after for other in alternative)] for alternative in self.alternatives
        ]
        self.distances = [[0, *(other.distance for other in alternative)] for alternative in self.alternatives]
        self.other_bits = [(1 << len(value)) - 2 for value in self.values]

    def base_values(self, changed: Iterable[PlayChange]) -> list[Any]:
        """What each place holds in a changed play."""
        result = [value[0] for value in self.values]
        for start_change in changed:
            if isinstance(start_change, StartChange):
                result[self._numbers[start_change.place]] = start_change.after
        return result

    def build_situation(self, changed: Iterable[StartChange], notes: QueryLog, watched: Collection[int]) -> Situation:
        """The start of a changed play, with the values watched of some places."""
        result = self._start
        for start_change in changed:
            result = start_change.apply_to_start(result)
        base = self.base_values(changed)
        attributes: dict[str, list[Any]] = {}
        game: dict[str, Any] = dict(result.game)
        for number in watched:
            if is_trackable(base[number]):
                where, key = self.alternatives[number][0].stored_place, self.alternatives[number][0].key
                held = TrackedValue.track_value(notes, number, base[number])
                if key is None:
                    game[where.partition("/")[2]] = held
                else:
                    attributes.setdefault(where, list(result.attributes[where]))[key] = held
        made = {where: tuple(values) for where, values in attributes.items()}
        return replace(result, attributes={**result.attributes, **made}, game=game)

    def find_nearest_pair(self, first: int, second: int, left: Sequence[int], most: int) -> tuple[int, int] | None:
        """The nearest of the pairs that are left, by their positions at two places; none within so many steps."""
        best, result = most + 1, None
        for one, bits in enumerate(left):
            if bits and self.distances[first][one] < best:
                other = (bits & -bits).bit_length() - 1
                steps = self.distances[first][one] + self.distances[second][other]
                if steps < best:
                    best, result = steps, (one, other)
        return result


def list_start_changes(
    begun: PlayStart, left: Container[tuple[str, Value | None]], also: frozenset[str]
) -> tuple[StartChange, ...]:
    """Every value of the start that may be another and that rules look at, the nearest first.

    The start of places that are `left` stays as it is; `also` are places that something else than the rules looks at.
    """
    program, start = begun.executable.program, begun.situation
    looked_at = _places_looked_at(begun) | also
    result = []
    for where, key, value, type_ in _stored_start_values(begun):
        if where in looked_at and (where, key) not in left:
            options = list_other_values(value, type_, program, start.base.things)
            far = {0: MAX_NUMBER_DISTANCE} if key is not None and _is_depleted(type_, start.attributes[where]) else {}
            result += [StartChange(where, key, value, item, type_, steps + far.get(item, 0)) for steps, item in options]
    return tuple(sorted(result, key=lambda start_change: start_change.distance))


def _is_depleted(type_: Type, values: Collection[Value]) -> bool:
    """Whether a thing that has 0 of a number, such as health, seems lost: none begins with 0, so that comes last."""
    return isinstance(type_, NumberType) and type_.low == 0 and 0 not in values


def _stored_start_values(begun: PlayStart) -> Iterator[tuple[str, int | None, Value, Type]]:
    """Every value of things and of the game."""
    types, start = begun.executable.layout.types, begun.situation
    for where, values in start.attributes.items():
        gone = start.gone.get(where.partition("/")[0], ())
        yield from ((where, key, value, types[where]) for key, value in enumerate(values) if key not in gone)
    for name, value in start.game.items():
        yield f"game/{name}", None, value, types[f"game/{name}"]


def _places_looked_at(begun: PlayStart) -> frozenset[str]:
    """Places of the game that the procedure, what it performs, handlers and standing rules may look at."""
    routines = _performed_routines(begun)
    added = (node for node in walk_nodes(routines) if isinstance(node, st.AddAmount | st.AddMember))
    return ReadFootprint(begun.executable.program).collect_read_places(routines).union(*map(list_written_places, added))


def _performed_routines(begun: PlayStart) -> tuple[object, ...]:
    """The procedure, what it performs, events with their handlers and standing rules."""
    program = begun.executable.program

    def performed_by(name: str) -> Iterator[str]:
        return (node.procedure for node in walk_nodes(program.procedures[name]) if isinstance(node, st.Perform))

    own = (program.procedures[item] for item in compute_transitive_closure([begun.procedure.name], performed_by))
    return (*own, *program.handlers.values(), *program.rules.values(), *program.events.values())
