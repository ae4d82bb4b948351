"""Reasons for options and answers: the row or guard that excludes an impossible one, and why an answer is refused."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from rulewright.program import statements as st
from rulewright.program.types import OptionalType, RecordType, Type
from rulewright.runtime.executable import Executable, compile_program
from rulewright.runtime.faults import LIMIT_CODES, Fault, NeedsExternalValue
from rulewright.runtime.item_answer_search import NodeLimitReached, make_answer_search
from rulewright.runtime.pending_question import PendingQuestion, label_handlers
from rulewright.runtime.plane_bodies import describe_off_plane, is_on_plane
from rulewright.runtime.pose_search import PoseSearch
from rulewright.runtime.request import PREFERENCE_TEXT, RefusalReason, Request
from rulewright.runtime.runtime_operations import fits_type
from rulewright.runtime.trace_record import EntryBuilder, build_reason, is_membership_failure
from rulewright.runtime.values import GameMap, Value, make_set
from rulewright.runtime.working_memory import (
    CONTROL,
    RECORD,
    ROLLS,
)

NOT_OFFERED = "it is not among those to choose from"


@lru_cache(maxsize=8)
def _compile_traced(executable: Executable) -> Executable:
    return executable if executable.traced else compile_program(executable.program, traced=True)


class AnswerReasons:
    """Reasons for the options and answers of one question."""

    def __init__(self, question: PendingQuestion) -> None:
        self._question = question
        self._traced_executable = _compile_traced(question.executable)
        self._explanation_number = self._traced_executable.code.explanation_numbers.get(question.line_address)

    def list_candidates(self) -> tuple[Value, ...]:
        """All members to choose from, share among or order, equal ones once; beyond the limits only legal ones."""
        try:
            return tuple(dict.fromkeys(self._call_explainer("s")))
        except Fault:
            return tuple(self._question.data if self._question.sort == "one" else self._question.data.items)

    def list_move_costs(self) -> Mapping[Value, int]:
        """What the moves to each member cost at least; none where members are not reached by moves that cost something."""
        if f"c{self._explanation_number}" not in self._traced_executable.functions:
            return {}
        try:
            costs: Mapping[Value, int] = self._call_explainer("c")
        except Fault:
            return {}
        return costs

    def explain_members(self) -> tuple[tuple[Value, RefusalReason | None], ...]:
        """Every member of the source of a choice of one, with its reason."""
        legal = set(self._question.data)
        return tuple(
            (candidate, None if candidate in legal else self.explain_member(candidate))
            for candidate in self.list_candidates()
        )

    def explain_member(self, member: Value) -> RefusalReason:
        """Why a member of the source cannot be taken."""
        line = self._question.node
        if member not in self.list_candidates():
            return self._explain_safely("x", member) or RefusalReason(line.address, NOT_OFFERED, line.cites)
        return self._explain_safely("y", member) or self._explain_preference(member)

    def explain_direction(self, direction: Value) -> RefusalReason | None:
        """Why a thing on a grid cannot be turned to a direction."""
        line = self._question.node
        last = line.variable.type.count - 1
        if direction in self._question.data:
            return None
        if direction not in range(last + 1):
            return RefusalReason(line.address, f"a direction is 0 to {last}", line.cites)
        return self.explain_whole_answer(direction) or self._explain_preference(direction)

    def explain_option(self, option: st.Option) -> RefusalReason | None:
        """Why an option cannot be chosen."""
        if option.id in self._question.data:
            return None
        position = self._question.node.shape.options.index(option)
        result = self._explain_safely("y", position) or RefusalReason(option.address, option.title)
        return replace(result, cites=result.cites or option.cites)

    def explain_yes(self) -> RefusalReason:
        """Why *yes* is illegal where only *no* is legal."""
        line = self._question.node
        return self._explain_safely("y", 0) or RefusalReason(line.address, NOT_OFFERED, line.cites)

    def explain_whole_answer(self, answer: Value) -> RefusalReason | None:
        """The `require` row that a whole answer fails."""
        line = self._question.node
        return self._run_explainer("z", answer) if any(not demand.prefer for demand in line.demands) else None

    def _explain_preference(self, answer: Value) -> RefusalReason:
        line = self._question.node
        rows = any(demand.prefer for demand in line.demands)
        result = self._explain_safely("j", answer, self._question.data[0]) if rows and self._question.data else None
        return result or RefusalReason(line.address, NOT_OFFERED, line.cites)

    def _call_explainer(self, letter: str, *given: Any) -> Any:
        world, frame = self._question.world, list(self._question.frame)
        record, world[RECORD] = world[RECORD], []
        try:
            return self._traced_executable.functions[f"{letter}{self._explanation_number}"](world, frame, *given)
        finally:
            self._explainer_record, world[RECORD] = world[RECORD], record

    def _explain_safely(self, letter: str, *given: Any) -> RefusalReason | None:
        """The row that rules something out; none if finding it would go beyond the limits of the run."""
        try:
            return self._run_explainer(letter, *given)
        except Fault:
            return None

    def _run_explainer(self, letter: str, *given: Any) -> RefusalReason | None:
        result = self._call_explainer(letter, *given)
        if result is None or result is True:
            return None
        rolls = tuple(self._question.world[ROLLS])
        entry = EntryBuilder(self._traced_executable, rolls).build_entries(self._explainer_record, ())[-1]
        return (
            build_reason(entry, self._traced_executable.concealment)
            if result is False or is_membership_failure(entry)
            else None
        )


def list_move_costs(request: Request) -> Mapping[Value, int]:
    """What the moves to each answer of a choice of one cost at least; none where moves cost nothing."""
    question = request.question
    return {} if question is None or question.sort != "one" else AnswerReasons(question).list_move_costs()


_MEMBER_SORTS = frozenset({"one", "pick", "split", "order"})


def explain_missing_member(request: Request, member: Value) -> RefusalReason | None:
    """Why a question does not offer a value of the right type, if a condition says it."""
    question = request.question
    if question is None or question.sort not in _MEMBER_SORTS or request.closed:
        return None
    result = AnswerReasons(question).explain_member(member)
    return None if result.text in {NOT_OFFERED, ""} else result


def normalize_answer(question: PendingQuestion, value: Any) -> Any:
    """An answer in stored form: a pick as a set, a split without shares of 0."""
    if value is None and question.claimable:
        return None
    match question.sort:
        case "pick":
            return make_set(value)
        case "split":
            return GameMap.from_pairs(0, value.items())
        case "order" | "roll" | "handlers" | "shuffle":
            return tuple(value)
        case _:
            return value


def is_plainly_legal(question: PendingQuestion, value: Any) -> bool:
    """Whether an answer is legal without judging a condition; no leaves it open."""
    match question.sort:
        case "whether":
            return isinstance(value, bool) and not (value and question.data)
        case "one" | "choose" | "turn" | "draw":
            return value in question.data
        case "roll":
            return _refuse_faces(question, value) is None
        case "pick" if isinstance(value, tuple) and not question.node.demands:
            _, items, low, high, *_ = question.data
            return low <= len(value) <= high and len(set(value)) == len(value) and all(item in items for item in value)
        case _:
            return False


def explain_refusal(question: PendingQuestion, value: Any) -> tuple[RefusalReason, ...]:
    """Why an answer of the right type is illegal; empty if it is legal."""
    reason = _find_refusal(question, value)
    return () if reason is None else (reason,)


def _find_refusal(question: PendingQuestion, value: Any) -> RefusalReason | None:
    if value is None and question.claimable:
        return refute_claim(question)
    match question.sort:
        case "whether" | "handler":
            if not isinstance(value, bool):
                return _make_plain_reason(question, "the answer is yes or no")
            forced = question.sort == "whether" and question.data
            return AnswerReasons(question).explain_yes() if value and forced else None
        case "one":
            return None if value in question.data else AnswerReasons(question).explain_member(value)
        case "choose":
            return _refuse_option(question, value)
        case "place":
            return _refuse_pose(question, value)
        case "heading":
            return _refuse_by_demands(question, value)
        case "turn":
            return None if value in question.data else AnswerReasons(question).explain_direction(value)
        case "pick":
            return _refuse_pick(question, value)
        case "split":
            return _refuse_split(question, value)
        case "order" | "handlers" | "shuffle":
            return _refuse_order(question, value)
        case "roll":
            return _refuse_faces(question, value)
        case "draw" | "taker":
            offered = question.legal_answers if question.sort == "taker" else question.data
            return None if value in offered else _make_plain_reason(question, NOT_OFFERED)
        case "external":
            return _refuse_external_result(question, value)
        case _:
            return None


def _make_plain_reason(question: PendingQuestion, text: str) -> RefusalReason:
    return RefusalReason(question.line_address, text, getattr(question.node, "cites", ()))


def _refuse_option(question: PendingQuestion, value: Value) -> RefusalReason | None:
    if value in question.data:
        return None
    for option in question.node.shape.options:
        if option.id == value:
            return AnswerReasons(question).explain_option(option)
    return _make_plain_reason(question, NOT_OFFERED)


def _refuse_pick(question: PendingQuestion, value: Any) -> RefusalReason | None:
    _, items, low, high, _, _ = question.data
    for item in value:
        if item not in items:
            return AnswerReasons(question).explain_member(item)
    if len(set(value)) != len(value):
        return _make_plain_reason(question, "each can be picked once")
    if not low <= len(value) <= high:
        wanted = f"{low}" if low == high else f"{low} to {high}"
        return _make_plain_reason(question, f"{wanted} are to be picked, not {len(value)}")
    return _refuse_by_demands(question, make_set(value))


def _refuse_split(question: PendingQuestion, value: Any) -> RefusalReason | None:
    items, amount = question.data.items, question.data.low
    for key in value:
        if key not in items:
            return AnswerReasons(question).explain_member(key)
    counts = [value[key] for key in value]
    if any(count < 0 for count in counts):
        return _make_plain_reason(question, "no share is below 0")
    if sum(counts) != amount:
        return _make_plain_reason(question, f"the shares add up to {sum(counts)}, not to {amount}")
    return _refuse_by_demands(question, GameMap.from_pairs(0, value.items()))


def _refuse_order(question: PendingQuestion, value: Any) -> RefusalReason | None:
    match question.sort:
        case "handlers":
            items: tuple[Any, ...] = label_handlers(question)
        case "order":
            items = question.data.items
        case _:
            items = question.data
    strangers = [item for item in value if item not in items] if question.sort == "order" else []
    if strangers:
        return AnswerReasons(question).explain_member(strangers[0])
    if Counter(value) != Counter(items):
        return _make_plain_reason(question, "each stands in the order once")
    return _refuse_by_demands(question, tuple(value)) if question.sort == "order" else None


def _refuse_pose(question: PendingQuestion, value: Any) -> RefusalReason | None:
    if not is_on_plane(question.world, value[1]):
        return _make_plain_reason(question, describe_off_plane(value[1]))
    return _refuse_by_demands(question, value)


def _refuse_by_demands(question: PendingQuestion, value: Any) -> RefusalReason | None:
    if not question.node.demands:
        return None
    try:
        failed = AnswerReasons(question).explain_whole_answer(value)
    except Fault as fault:
        if fault.code in LIMIT_CODES:
            raise
        return _make_plain_reason(question, fault.message)
    except NeedsExternalValue as wanted:
        return _make_plain_reason(
            question, f"`{wanted.name}` has to be known to judge it; give it a default, or bind it"
        )
    if failed is not None:
        return failed
    result = make_answer_search(question.world, question.frame, question.data)
    for judge, row in zip(
        result.select_judges()[1:], [demand for demand in question.node.demands if demand.prefer], strict=False
    ):
        if judge is not None and judge(question.world, question.frame, value) is not None:
            return RefusalReason(row.address, row.title or PREFERENCE_TEXT, row.cites, preferred=bool(row.title))
    return None


def _refuse_faces(question: PendingQuestion, value: Any) -> RefusalReason | None:
    faces = [faces for count, faces, _ in question.dice_to_roll for _ in range(count)]
    if len(value) != len(faces):
        return _make_plain_reason(question, f"{len(faces)} dice are thrown, not {len(value)}")
    for face, sides in zip(value, faces, strict=True):
        if face not in sides:
            return _make_plain_reason(question, f"{face} is not a face of the die")
    return None


def _refuse_external_result(question: PendingQuestion, value: Any) -> RefusalReason | None:
    external = question.executable.program.external_procedures[question.node.external]
    result, _ = value
    if external.result is None:
        return None if result is None else _make_plain_reason(question, "it gives no result")
    if result is None and isinstance(external.result, OptionalType):
        return None
    if result is None or not _fits_result_type(question, result, external.result):
        return _make_plain_reason(question, "the result is out of bounds")
    return None


def _fits_result_type(question: PendingQuestion, value: Any, target: Type) -> bool:
    records = question.executable.program.records
    if isinstance(target, RecordType) and target.record in records:
        return all(fits_type(item, part.type) for item, part in zip(value, records[target.record].parts, strict=True))
    return fits_type(value, target)


def find_legal_answer(question: PendingQuestion) -> Value:
    """A legal answer of a claimable question; none if there is none.

    Raises:
        NodeLimitReached: too many answers would have to be tried.
    """
    return make_answer_search(question.world, question.frame, question.data).find_witness()  # type: ignore[no-any-return]


def refute_claim(question: PendingQuestion) -> RefusalReason | None:
    """Refusal of a claim that there is no legal answer, with such an answer; none if the claim is right."""
    line = question.node
    try:
        result = find_legal_answer(question)
    except NodeLimitReached:
        most = question.world[CONTROL].limits.claim
        return RefusalReason(
            line.address, f"more than {most:,} answers would have to be tried to judge that", line.cites
        )
    return (
        None
        if result is None
        else RefusalReason(
            line.address, _LEGAL_ANSWER_EXISTS_BY_SORT.get(question.sort, _LEGAL_ANSWER_EXISTS), line.cites, result
        )
    )


_LEGAL_ANSWER_EXISTS = "there is a legal answer"


_LEGAL_ANSWER_EXISTS_BY_SORT = {"place": "there is a place", "heading": "there is such a heading"}


def is_claim_certain(question: PendingQuestion) -> bool:
    """Whether an unrefuted claim is certain; a fruitless search for a place on the plane is no proof."""
    return (
        question.sort != "place" or PoseSearch(question.world, question.frame, question.data).is_certainly_impossible()
    )
