"""Replay of a recorded play, and what may be otherwise in it: dice, draws, answers, values of the start."""

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
from rulewright.runtime.working_memory import CONTROL

RequestKey = tuple[Hashable, ...]
"""Identity of a request in a play: line, sort, occasion, and how many dice of a roll had exploded by then."""


@dataclass(frozen=True, slots=True)
class RecordedCourse:
    """Answers of a play that is over or stands at a request."""

    start: PlayStart
    recorded_answers: Mapping[RequestKey, Value]
    # for requests that were never recorded: standing lines of the script, the seed, the first answer
    sources: AnswerSourceChain
    stop_request: RequestKey | None = None  # at which the play stands; None where it is over

    def begin_from(self, executable: Executable, situation: Situation, limits: RunLimits | None = None) -> Run:
        """Run of the procedure from another start, up to its first request."""
        start = self.start
        return Run.begin(executable, situation, start.procedure.name, start.arguments, limits or start.limits)


class CourseReplayer:
    """Source of the recorded answers, with a count of the requests so far.

    A request with the same key gets the same answer if it is legal; each die of a roll shows what it showed.
    """

    __slots__ = ("_ask_counts", "_course")

    def __init__(self, course: RecordedCourse) -> None:
        self._course = course
        self._ask_counts: Counter[Hashable] = Counter()  # by line, of values by name and arguments

    def copy_replayer(self) -> "CourseReplayer":
        other = CourseReplayer(self._course)
        other._ask_counts = self._ask_counts.copy()
        return other

    @property
    def memory(self) -> Hashable:
        """Hashable state of the replayer."""
        return frozenset(self._ask_counts.items())

    def request_key(self, question: PendingQuestion) -> RequestKey:
        if question.site < 0:
            return ("value", *question.data, self._ask_counts[question.data])
        line, exploded = strip_address_numbers(question.line_address), question.exploded_count
        return line, question.sort, self._ask_counts[line] - (exploded is not None), exploded

    def note_request(self, question: PendingQuestion) -> None:
        if question.site < 0:
            self._ask_counts[question.data] += 1
        elif question.exploded_count is None:
            self._ask_counts[strip_address_numbers(question.line_address)] += 1

    def is_at_stop(self, question: PendingQuestion) -> bool:
        """Whether the recorded play stands at this request."""
        return self._course.stop_request is not None and self.request_key(question) == self._course.stop_request

    def answer_immediately(self, question: PendingQuestion) -> Any:
        """Usual answer if the question alone determines it, else `NOT_ANSWERED`; an answered request is noted."""
        answer = NOT_ANSWERED if self.is_at_stop(question) else self._recorded_answer(question)
        if answer is not NOT_ANSWERED:
            self.note_request(question)
        return answer

    def usual_answer(self, paused: Paused) -> Any:
        """Usual answer to a request, in the form in which answers are given, or `NOT_ANSWERED`."""
        question = paused.asked
        plain = self._recorded_answer(question)
        if plain is not NOT_ANSWERED:
            return plain
        given = self._course.recorded_answers.get(self.request_key(question), NOT_ANSWERED)
        if given is not NOT_ANSWERED and _is_legal_answer(paused, given):
            return given
        occasion = self._ask_counts[strip_address_numbers(question.line_address)]
        reply = self._course.sources.answer_request(paused, occasion, tuple)
        if question.sort not in CHANCE_SORTS:
            return NOT_ANSWERED if reply.answer is None else reply.answer.value
        fresh = (
            reply.answer.value
            if reply.answer is not None and reply.answer.source == "script"
            else self._draw_fresh(question)
        )
        return self._keep_known_dice(question, given, fresh) if question.sort == "roll" else fresh

    def _recorded_answer(self, question: PendingQuestion) -> Any:
        occasion = self.request_key(question)
        given: Any = self._course.recorded_answers.get(occasion, NOT_ANSWERED)
        if question.sort == "roll":
            faces = [faces for count, faces, _ in question.dice_to_roll for _ in range(count)]
            if (
                given is not NOT_ANSWERED
                and len(given) >= len(faces)
                and all(face in of for face, of in zip(given, faces, strict=False))
            ):
                return tuple(given[: len(faces)])
            return (
                NOT_ANSWERED
                if self._has_standing_answers
                else self._keep_known_dice(question, given, self._draw_fresh(question))
            )
        if given is NOT_ANSWERED:
            return NOT_ANSWERED
        if question.sort in {"draw", "shuffle"}:
            fits = given in question.data if question.sort == "draw" else Counter(given) == Counter(question.data)
            if fits:
                return given
            return NOT_ANSWERED if self._has_standing_answers else self._draw_fresh(question)
        if question.is_listed:
            return given if given in question.legal_answers else NOT_ANSWERED
        return (
            normalize_answer(question, given)
            if question.sort == "pick" and is_plainly_legal(question, given)
            else NOT_ANSWERED
        )

    @property
    def _has_standing_answers(self) -> bool:
        """Whether the script has lines with `always:`, which answer before chance."""
        script = self._course.sources.script
        return script is not None and bool(script.standing_lines)

    def _draw_fresh(self, question: PendingQuestion) -> Any:
        """Result of chance by the seed."""
        occasion = self._ask_counts[strip_address_numbers(question.line_address)]
        return draw_outcome(question, occasion - (question.exploded_count is not None), self._course.sources.chance)

    def _keep_known_dice(self, question: PendingQuestion, given: Any, fresh: Any) -> tuple[Value, ...]:
        """Recorded faces, and fresh ones for dice that were not there."""
        faces = [faces for count, faces, _ in question.dice_to_roll for _ in range(count)]
        known = () if given is NOT_ANSWERED else given
        return tuple([known[at] if at < len(known) and known[at] in of else fresh[at] for at, of in enumerate(faces)])


def _is_legal_answer(paused: Paused, answer: Value) -> bool:
    try:
        return not paused.explain_refusals(answer)
    except Fault:
        return False


def record_course(session: Session) -> RecordedCourse:
    """Recorded answers of a session, without those that are put only to people at a table."""
    start = replace(session.start, limits=replace(session.start.limits, forced_sites=frozenset()))
    script = session.sources.script
    standing_script = None if script is None else replace(script, lines=(), is_ordered=False)
    sources = AnswerSourceChain(
        start.names, session.sources.chance, standing_script, is_chance_requested=True, policy="first"
    )
    course = RecordedCourse(start, {}, sources)
    given: dict[RequestKey, Value] = {}
    following, run = CourseReplayer(course), course.begin_from(start.executable, start.situation)
    turns = iter(session.turns)
    while isinstance(run.outcome, Paused):
        paused = run.outcome
        occasion = following.request_key(paused.asked)
        turn = next(
            (turn for turn in turns if turn.question.line_address == paused.asked.line_address),
            None,
        )
        if turn is None:
            return replace(course, recorded_answers=given, stop_request=occasion)
        given[occasion] = turn.answer.value
        following.note_request(paused.asked)
        paused.take_answer(turn.answer.value)
    return replace(course, recorded_answers=given)


MAX_NUMBER_DISTANCE = 20
"""Largest change of a number that is tried."""
MAX_TRIED_ANSWERS = 200
"""Limit of the answers to one question that are tried."""
ThingIds = Mapping[str, Sequence[str]]
"""Ids of the things of every kind."""
_TYPED_SORTS = frozenset({"one", "pick", "split"})
"""Sorts of decisions whose answers have a distance by their type."""


@dataclass(frozen=True, slots=True)
class AnswerChange:
    """Change of one die, one answer, or one part of an answer."""

    request_key: RequestKey
    is_chance: bool  # whether the request is a roll, draw or shuffle
    slot: int | None  # index of the die or of the part of a result; None for an answer in one piece
    before: Value
    after: Value
    distance: int  # of both values

    @property
    def rank(self) -> int:
        """Order of changes of equal distance: chance, then answers, then the start."""
        return 0 if self.is_chance else 1

    @property
    def place(self) -> tuple[object, ...]:
        """Identity of what is changed."""
        return self.request_key, self.slot


@dataclass(frozen=True, slots=True)
class StartChange:
    """Change of one value of the start."""

    stored_place: str  # `Kind/attribute` or `game/field`
    key: int | None  # number of the thing; None for a field of the game
    before: Value
    after: Value
    type: ty.Type  # of both
    distance: int  # of both values

    @property
    def rank(self) -> int:
        return 2

    @property
    def place(self) -> tuple[object, ...]:
        """Identity of what is changed."""
        return self.stored_place, self.key

    def apply_to_start(self, start: Situation) -> Situation:
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
    """Another answer to a request, with its changes."""

    answer: Any
    changes: tuple[AnswerChange, ...]

    @property
    def distance(self) -> int:
        """Sum over the changes."""
        return sum(change.distance for change in self.changes)


ValueOption = tuple[int, Any]
"""Distance and other value."""


@dataclass(frozen=True, slots=True)
class AnswerSlots:
    """An answer split into parts that may change independently."""

    values: Sequence[Any]  # recorded, by part
    options: Sequence[Sequence[ValueOption]]  # other values by part, nearest first
    join_parts: Callable[[Sequence[Any]], Any]  # the inverse of the split
    is_single: bool = False  # whether the answer is one part
    is_cut: bool = False  # whether options were left out


def enumerate_alternatives(
    slots: AnswerSlots, occasion: RequestKey, sort: str, count: int
) -> Iterator[AlternativeAnswer]:
    """Answers that differ in exactly `count` parts."""
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
    """Parts of the usual answer to the request at which a run stands, with their options."""
    question, program = run.make_question(), run.executable.program
    match question.sort:
        case "roll":
            dice = [(die.faces, die.face) for die in list_dice_to_throw(question) for _ in range(die.count)]
            return AnswerSlots(usual, [_rank_options(face, *of) for face, of in zip(usual, dice, strict=True)], tuple)
        case "draw":
            return _single_slot(usual, question.data, None)
        case "shuffle":
            return _single_slot(usual, _swap_each_pair(usual), None)
        case "external":
            return _result_slots(usual, program.external_procedures[question.node.external].result, run)
        case "value":
            type_ = program.external_terms[question.data[0]].type
            return _single_slot(
                usual, _values_of_type(usual, type_, program, question.world[CONTROL].base.things), type_
            )
        case sort:
            if question.is_listed:
                return _single_slot(
                    usual, question.legal_answers, question.node.variable.type if sort in _TYPED_SORTS else None
                )
            return _sought_slot(usual, run.copy_question())


def _single_slot(usual: Any, options: Iterable[Any], type_: ty.Type | None) -> AnswerSlots:
    items = [*islice(options, MAX_TRIED_ANSWERS + 1)]
    ranked = _rank_options(usual, items[:MAX_TRIED_ANSWERS], type_)
    return AnswerSlots([usual], [ranked], itemgetter(0), is_single=True, is_cut=len(items) > MAX_TRIED_ANSWERS)


def _sought_slot(usual: Any, question: PendingQuestion) -> AnswerSlots:
    """Answers from a search: some of the places, and combinations of items within the limits."""
    limits_met: list[Fault] = []
    type_ = question.node.variable.type if question.sort in _TYPED_SORTS else None
    answer_slots = _single_slot(usual, _iterate_to_limit(question.iterate_answers(), limits_met), type_)
    partial = (
        bool(limits_met)
        or question.sort in {"place", "heading"}
        or (question.sort in ITEM_SORTS and not question.count_answers().exact)
    )
    return replace(answer_slots, is_cut=answer_slots.is_cut or partial)


def _iterate_to_limit(options: Iterable[Any], limits_met: list[Fault]) -> Iterator[Any]:
    try:
        yield from options
    except Fault as limit:  # the search itself costs steps
        limits_met.append(limit)


def _swap_each_pair(order: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    for first, second in combinations(range(len(order)), 2):
        if order[first] != order[second]:
            swapped = list(order)
            swapped[first], swapped[second] = order[second], order[first]
            yield tuple(swapped)


def _result_slots(usual: Any, type_: ty.Type | None, run: Run) -> AnswerSlots:
    """Parts of the result of an external; its changes to the game stay."""
    result, changes = usual
    program, things = run.executable.program, run.make_question().world[CONTROL].base.things
    if isinstance(type_, ty.RecordType) and type_.record in program.records:
        types = [part.type for part in program.records[type_.record].parts]
        options = [list_other_values(value, item, program, things) for value, item in zip(result, types, strict=True)]
        return AnswerSlots(result, options, lambda values: (tuple(values), changes))
    one = [] if type_ is None else [list_other_values(result, type_, program, things)]
    return AnswerSlots([result][: len(one)], one, lambda values: (values[0], changes), is_single=True)


# Values.


def list_other_values(value: Any, type_: ty.Type, program: Program, things: ThingIds) -> list[ValueOption]:
    """Other values of a type that are tried, nearest first; [] for types that hold several values."""
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
    first, last = middle - MAX_NUMBER_DISTANCE, middle + MAX_NUMBER_DISTANCE
    return range(first if low is None else max(low, first), (last if high is None else min(high, last)) + 1)


def _rank_options(usual: Any, options: Iterable[Any], type_: ty.Type | None) -> list[ValueOption]:
    """Distinct options other than the usual one, nearest first."""
    items = [
        (_value_distance(usual, fromkey, type_), fromkey) for fromkey in dict.fromkeys(options) if fromkey != usual
    ]
    return sorted(items, key=itemgetter(0))


def _value_distance(before: Any, after: Any, type_: ty.Type | None) -> int:
    """Difference of numbers, number of differing members of sets, otherwise 1."""
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
    """Alternative starts: places by number, values of a place by position, the recorded value at 0.

    Attributes:
        alternatives: by place all changes, nearest first.
        values: by place all values.
        distances: by place the distance of each value from the recorded one.
        other_bits: by place a bit mask of all positions but 0.
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
        """Value of each place in a changed play."""
        result = [value[0] for value in self.values]
        for change in changed:
            if isinstance(change, StartChange):
                result[self._numbers[change.place]] = change.after
        return result

    def build_situation(self, changed: Iterable[StartChange], notes: QueryLog, watched: Collection[int]) -> Situation:
        """Start of a changed play; the values of the places `watched` are tracked."""
        result = self._start
        for start_change in changed:
            result = start_change.apply_to_start(result)
        base = self.base_values(changed)
        attributes: dict[str, list[Any]] = {}
        game: dict[str, Any] = dict(result.game)
        for number in watched:
            if is_trackable(base[number]):
                where, key = self.alternatives[number][0].stored_place, self.alternatives[number][0].key
                tracked = TrackedValue.track_value(notes, number, base[number])
                if key is None:
                    game[where.partition("/")[2]] = tracked
                else:
                    attributes.setdefault(where, list(result.attributes[where]))[key] = tracked
        tracked_attributes = {where: tuple(values) for where, values in attributes.items()}
        return replace(result, attributes={**result.attributes, **tracked_attributes}, game=game)

    def find_nearest_pair(self, first: int, second: int, untried: Sequence[int], most: int) -> tuple[int, int] | None:
        """Nearest pair of positions at two places among the pairs left; None beyond the distance `most`.

        `untried` has for each position of the first place a bit mask of positions of the second.
        """
        best, result = most + 1, None
        for one, bits in enumerate(untried):
            if bits and self.distances[first][one] < best:
                other = (bits & -bits).bit_length() - 1
                steps = self.distances[first][one] + self.distances[second][other]
                if steps < best:
                    best, result = steps, (one, other)
        return result


def list_start_changes(
    play_start: PlayStart, fixed_places: Container[tuple[str, Value | None]], also: frozenset[str]
) -> tuple[StartChange, ...]:
    """Changes of values of the start that rules read, nearest first.

    Places in `fixed_places` are not changed; `also` are places that something other than the rules reads.
    """
    program, start = play_start.executable.program, play_start.situation
    looked_at = _places_looked_at(play_start) | also
    result = []
    for where, key, value, type_ in _stored_start_values(play_start):
        if where in looked_at and (where, key) not in fixed_places:
            options = list_other_values(value, type_, program, start.base.things)
            far = {0: MAX_NUMBER_DISTANCE} if key is not None and _is_depleted(type_, start.attributes[where]) else {}
            result += [StartChange(where, key, value, item, type_, steps + far.get(item, 0)) for steps, item in options]
    return tuple(sorted(result, key=lambda start_change: start_change.distance))


def _is_depleted(type_: Type, values: Collection[Value]) -> bool:
    """Whether a thing with 0 of a number, such as health, seems lost because none begins with 0; that comes last."""
    return isinstance(type_, NumberType) and type_.low == 0 and 0 not in values


def _stored_start_values(play_start: PlayStart) -> Iterator[tuple[str, int | None, Value, Type]]:
    types, start = play_start.executable.layout.types, play_start.situation
    for where, values in start.attributes.items():
        removed = start.gone.get(where.partition("/")[0], ())
        yield from ((where, key, value, types[where]) for key, value in enumerate(values) if key not in removed)
    for name, value in start.game.items():
        yield f"game/{name}", None, value, types[f"game/{name}"]


def _places_looked_at(play_start: PlayStart) -> frozenset[str]:
    """Places that the procedure, what it performs, handlers and standing rules may read."""
    routines = _performed_routines(play_start)
    added = (node for node in walk_nodes(routines) if isinstance(node, st.AddAmount | st.AddMember))
    return (
        ReadFootprint(play_start.executable.program)
        .collect_read_places(routines)
        .union(*map(list_written_places, added))
    )


def _performed_routines(play_start: PlayStart) -> tuple[object, ...]:
    """The procedure, what it performs, events with their handlers, and standing rules."""
    program = play_start.executable.program

    def performed_by(name: str) -> Iterator[str]:
        return (node.procedure for node in walk_nodes(program.procedures[name]) if isinstance(node, st.Perform))

    procedures = (
        program.procedures[item] for item in compute_transitive_closure([play_start.procedure.name], performed_by)
    )
    return (*procedures, *program.handlers.values(), *program.rules.values(), *program.events.values())
