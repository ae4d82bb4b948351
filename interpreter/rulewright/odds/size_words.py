"""How large a question is, in words."""

from collections.abc import Iterator

from rulewright.diagnostics.terminal import visible
from rulewright.odds.size import Parting, Size

_SORTS = {"roll": "a roll", "draw": "a draw", "shuffle": "a shuffle"}
_AGAIN = "a start nearer to the end, or fewer rounds"
_REMEDIES = {
    "roll": "have the rules look at less of these dice, such as how many hit, or say in a script what falls",
    "draw": "draw fewer, or say in a script which are drawn",
    "shuffle": "let rules draw from the deck and not look at its order",
}
_DECIDED = "a script or `--policy first`, which leave one answer"
HELPS = "what helps: "
COUNTED = "`rulewright simulate` plays many of them instead, and says how sure it is"
_FIGURES = 2
UNCOUNTED = (
    "how many different moments of play there are cannot be known from a few plays, which hardly ever meet the same one"
)


def moments_told(number: int) -> str:
    """How many moments there are."""
    return "one moment of play" if number == 1 else f"{number:,} different moments of play"


def beyond(most: int) -> str:
    """That a limit was met."""
    return f"there are more than {moments_told(most)}"


def whole_size(size: Size, met: int) -> Iterator[str]:
    """How much there is where a limit was met after so many moments, and what makes it so much."""
    yield f"in all there are {about(max(size.about, met))}" if size.is_estimated else UNCOUNTED
    yield from parted(size)


def about(moments: int) -> str:
    """About how many moments there are."""
    unit: int = 10 ** max(len(str(moments)) - _FIGURES, 0)
    return f"at least about {moments_told(moments // unit * unit)}"


def parted(size: Size) -> Iterator[str]:
    """What makes plays many, and what helps."""
    if size.partings:
        yield f"what makes them many: {'; '.join(map(_parting, size.partings))}"
        first = size.partings[0]
        yield f"{HELPS}{_AGAIN if first.is_often else _REMEDIES.get(first.sort, _DECIDED)}; {COUNTED}"


def _parting(parting: Parting) -> str:
    sort = _SORTS.get(parting.sort, "a question")
    ways = "1 way" if parting.ways == 1 else f"{parting.ways:,} ways"
    return f"`{visible(parting.address)}` ({sort} with up to {ways}{', again and again' if parting.is_often else ''})"
