"""Why an answer, or the claim that there is none, is refused; answers in the form in which values are kept."""

from collections import Counter
from typing import Any

from rulewright.machine.choices import NOT_OFFERED, Reasons
from rulewright.machine.codes import LIMITS
from rulewright.machine.faults import Fault, Wanted
from rulewright.machine.operations import fits
from rulewright.machine.placing.pose_search import Spots
from rulewright.machine.plane import on_plane
from rulewright.machine.question import Question, labels
from rulewright.machine.request import PREFERRED, Reason
from rulewright.machine.search import Exhausted, search
from rulewright.machine.values import Map, Value, make_set
from rulewright.program.types import OptionalType, RecordType, Type


def normal(question: Question, value: Any) -> Any:
    """An answer as the machine keeps it: a pick as a set, a split without shares of 0."""
    if value is None and question.claimable:
        return None
    match question.sort:
        case "pick":
            return make_set(value)
        case "split":
            return Map.of(0, value.items())
        case "order" | "roll" | "handlers" | "shuffle":
            return tuple(value)
        case _:
            return value


def is_plainly_legal(question: Question, value: Any) -> bool:
    """Whether an answer is known to be legal without judging a condition; no leaves it open."""
    match question.sort:
        case "whether":
            return isinstance(value, bool) and not (value and question.data)
        case "one" | "choose" | "turn" | "draw":
            return value in question.data
        case "roll":
            return _roll(question, value) is None
        case "pick" if isinstance(value, tuple) and not question.node.demands:
            _, items, low, high, *_ = question.data
            return low <= len(value) <= high and len(set(value)) == len(value) and all(each in items for each in value)
        case _:
            return False


def refused(question: Question, value: Any) -> tuple[Reason, ...]:
    """Why an answer of the right type is not legal; empty when it is."""
    reason = _refused(question, value)
    return () if reason is None else (reason,)


def _refused(question: Question, value: Any) -> Reason | None:  # noqa: C901, PLR0911, PLR0912
    if value is None and question.claimable:
        return refuted(question)
    match question.sort:
        case "whether" | "handler":
            if not isinstance(value, bool):
                return _plain(question, "the answer is yes or no")
            forced = question.sort == "whether" and question.data
            return Reasons(question).agreement() if value and forced else None
        case "one":
            return None if value in question.data else Reasons(question).member(value)
        case "choose":
            return _option(question, value)
        case "place":
            return _placed(question, value)
        case "heading":
            return _demanded(question, value)
        case "turn":
            return None if value in question.data else Reasons(question).direction(value)
        case "pick":
            return _pick(question, value)
        case "split":
            return _split(question, value)
        case "order" | "handlers" | "shuffle":
            return _order(question, value)
        case "roll":
            return _roll(question, value)
        case "draw" | "taker":
            offered = question.legal if question.sort == "taker" else question.data
            return None if value in offered else _plain(question, NOT_OFFERED)
        case "external":
            return _external(question, value)
        case _:
            return None


def _plain(question: Question, text: str) -> Reason:
    return Reason(question.line, text, getattr(question.node, "cites", ()))


def _option(question: Question, value: Value) -> Reason | None:
    if value in question.data:
        return None
    for option in question.node.shape.options:
        if option.id == value:
            return Reasons(question).option(option)
    return _plain(question, NOT_OFFERED)


def _pick(question: Question, value: Any) -> Reason | None:
    _, items, low, high, *_ = question.data
    for each in value:
        if each not in items:
            return Reasons(question).member(each)
    if len(set(value)) != len(value):
        return _plain(question, "each can be picked once")
    if not low <= len(value) <= high:
        wanted = f"{low}" if low == high else f"{low} to {high}"
        return _plain(question, f"{wanted} are to be picked, not {len(value)}")
    return _demanded(question, make_set(value))


def _split(question: Question, value: Any) -> Reason | None:
    _, items, amount, *_ = question.data
    for key in value:
        if key not in items:
            return Reasons(question).member(key)
    counts = [value[key] for key in value]
    if any(each < 0 for each in counts):
        return _plain(question, "no share is below 0")
    if sum(counts) != amount:
        return _plain(question, f"the shares add up to {sum(counts)}, not to {amount}")
    return _demanded(question, Map.of(0, value.items()))


def _order(question: Question, value: Any) -> Reason | None:
    match question.sort:
        case "handlers":
            items: tuple[Any, ...] = labels(question)
        case "order":
            items = question.data[1]
        case _:
            items = question.data
    strangers = [each for each in value if each not in items] if question.sort == "order" else []
    if strangers:
        return Reasons(question).member(strangers[0])
    if Counter(value) != Counter(items):
        return _plain(question, "each stands in the order once")
    return _demanded(question, tuple(value)) if question.sort == "order" else None


def _placed(question: Question, value: Any) -> Reason | None:
    try:
        on_plane(question.world, value[1])
    except Fault as fault:
        return _plain(question, fault.message)
    return _demanded(question, value)


def _demanded(question: Question, value: Any) -> Reason | None:
    if not question.node.demands:
        return None
    try:
        failed = Reasons(question).whole(value)
    except Fault as fault:
        if fault.code in LIMITS:
            raise
        return _plain(question, fault.message)
    except Wanted as wanted:
        return _plain(question, f"`{wanted.name}` has to be known to judge it; give it a default, or bind it")
    if failed is not None:
        return failed
    found = search(question.world, question.frame, question.data)
    for judge, row in zip(found.judges()[1:], [each for each in question.node.demands if each.prefer], strict=False):
        if judge is not None and judge(question.world, question.frame, value) is not None:
            return Reason(row.address, row.title or PREFERRED, row.cites, preferred=bool(row.title))
    return None


def _roll(question: Question, value: Any) -> Reason | None:
    faces = [faces for count, faces, _ in question.dice for _ in range(count)]
    if len(value) != len(faces):
        return _plain(question, f"{len(faces)} dice are thrown, not {len(value)}")
    for face, sides in zip(value, faces, strict=True):
        if face not in sides:
            return _plain(question, f"{face} is not a face of the die")
    return None


def _external(question: Question, value: Any) -> Reason | None:
    external = question.executable.program.external_procedures[question.node.external]
    result, _ = value
    if external.result is None:
        return None if result is None else _plain(question, "it gives no result")
    if result is None and isinstance(external.result, OptionalType):
        return None
    if result is None or not _fits(question, result, external.result):
        return _plain(question, "the result is out of bounds")
    return None


def _fits(question: Question, value: Any, target: Type) -> bool:
    records = question.executable.program.records
    if isinstance(target, RecordType) and target.record in records:
        return all(fits(each, part.type) for each, part in zip(value, records[target.record].parts, strict=True))
    return fits(value, target)


def witness(question: Question) -> Value:
    """A legal answer of a claimable question; none where there is none.

    Raises:
        Exhausted: too many answers would have to be tried.
    """
    return search(question.world, question.frame, question.data).witness()  # type: ignore[no-any-return]


def refuted(question: Question) -> Reason | None:
    """Why a claim that there is no legal answer is refused, with such an answer; none where the claim is right."""
    line = question.node
    try:
        found = witness(question)
    except Exhausted:
        most = question.world[0].limits.claim
        return Reason(line.address, f"more than {most:,} answers would have to be tried to judge that", line.cites)
    return None if found is None else Reason(line.address, _THERE_IS.get(question.sort, _ANSWER), line.cites, found)


_ANSWER = "there is a legal answer"
_THERE_IS = {"place": "there is a place", "heading": "there is such a heading"}


def proved(question: Question) -> bool:
    """Whether a claim that is not refuted is certain; a search that finds no place on the plane does not prove it."""
    return question.sort != "place" or Spots(question.world, question.frame, question.data).impossible()
