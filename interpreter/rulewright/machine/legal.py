"""The legal answers of a request, one after the other."""

from collections.abc import Iterator
from itertools import islice

from rulewright.machine.request import Request
from rulewright.machine.search import Count
from rulewright.machine.values import Value


def answers(request: Request) -> Iterator[Value]:
    """The legal answers of a decision, lazily, in order; of pick, split and order up to the limit of nodes."""
    if request.question is None:
        return iter(())
    return iter(request.question.answers())


def count(request: Request) -> Count:
    """How many answers of a pick, split or order are legal: counted when asked for, as far as the limit of nodes."""
    assert request.question is not None
    return request.question.count()


def alone(request: Request) -> tuple[Value, ...]:
    """The one answer that is possible, of chance as well: no dice, the card on top, nothing to shuffle; else empty."""
    match request.sort:
        case "roll":
            return () if request.dice else ((),)
        case "shuffle":
            return () if len(request.items) > 1 else (request.items,)
        case "draw":
            found = request.items
        case "external" | "value":
            return ()
        case _:
            found = tuple(islice(answers(request), 2))
    return found if len(found) == 1 else ()
