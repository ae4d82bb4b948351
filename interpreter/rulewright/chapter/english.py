"""English as the chapter needs it: functions and comparisons, articles, agreement, what terms say of things."""

from collections.abc import Sequence

from rulewright.telling.conditions import be, is_plural, listed

IS = {"=": "", "!=": "not ", ">=": "at least ", "<=": "at most ", ">": "more than ", "<": "less than "}
SIGNS = {"+": "+", "-": "−", "*": "×", "/": "/"}  # noqa: RUF001 - signs of sums
STATES = ("ed", "en", "gone", "ing")
PLACE = {"at": "place"}

FUNCTIONS: dict[str, str] = {
    "abs": "the size of {0}",
    "floor": "{0}, rounded down",
    "ceiling": "{0}, rounded up",
    "round": "{0}, rounded to the nearest (halves away from zero)",
    "total": "the total of {0}",
    "count": "the number of {0}",
    "highest_face": "the highest face of {0}",
    "neighbours": "the neighbours of {0}",
    "distance": "the distance from {0} to {1}",
    "direction": "the direction from {0} to {1}",
    "occupants": "what stands at {0}",
    "step": "the next cell from {0} in direction {1}",
    "rear_hexes": "the cells behind {0}, facing {1}",
    "gap": "the gap between {0} and {1}",
    "bearing": "the direction from {0} to {1}",
    "sorted": "{0} from the highest to the lowest",
    "starting_with": "{0} in turn, beginning with {1}",
    "sum": "the sum of {0}",
    "along": "{0} moved on by {1}",
}
HOLDS: dict[str, tuple[str, str]] = {
    "adjacent": ("{0} is next to {1}", "{0} is not next to {1}"),
    "contact": ("{0} touches {1}", "{0} does not touch {1}"),
    "touches": ("{0} touches {1}", "{0} does not touch {1}"),
    "overlaps": ("{0} overlaps {1}", "{0} does not overlap {1}"),
    "aboard": ("{0} lies wholly within {1}", "{0} does not lie wholly within {1}"),
    "fits": ("{0} fits", "{0} does not fit"),
    "crosses": ("{0} crosses {1}", "{0} does not cross {1}"),
    "sees": ("{0} sees {1}", "{0} does not see {1}"),
}
OVER = {"sum": "the sum of", "min": "the least of", "max": "the greatest of"}
_PREPOSITIONS = frozenset(
    "above at behind below beside free in inside near off on out outside over ready under within without".split()  # noqa: SIM905
)
_MUTUAL = frozenset(("allies", "companions", "enemies", "foes", "friends", "neighbours", "opponents"))
_VERBS = frozenset(("can", "has", "is", "may", "must", "needs"))
_BOTH = 2


def first_upper(text: str) -> str:
    """A sentence with its first letter large; all else stays."""
    return f"{text[:1].upper()}{text[1:]}"


def first_lower(text: str) -> str:
    """A sentence with its first letter small; all else stays."""
    return f"{text[:1].lower()}{text[1:]}"


def the(noun: str) -> str:
    """A noun with its article, once."""
    known = not noun[:1].isalpha() or noun.startswith(("the ", "its ", "what ", "all "))
    return noun if known else f"the {noun}"


def agreed(noun: str, one: str, more: str) -> str:
    """The form of a verb that goes with a noun; what looks like a plural takes that of several."""
    last = noun.rpartition(" ")[2]
    is_named = noun.startswith(("the ", "its ")) or "'" in noun
    return more if is_named and (last == "dice" or is_plural(last)) else one


def held(title: str, nouns: Sequence[str], *, truth: bool, of_things: bool) -> str:
    """That a term of this title holds, or does not, for these: `the charger is “engaging” the target`.

    Args:
        title: of the term.
        nouns: what it is asked of, in its order.
        truth: whether it holds.
        of_things: whether all of them are things or players.
    """
    no, first = "" if truth else "not ", title.split(" ", maxsplit=1)[0]
    if len(nouns) == 1 and (title.startswith(("a ", "an ")) or first in _PREPOSITIONS or first.endswith(_STATE)):
        return f"{nouns[0]} {be(nouns[0])} {no}“{title}”"
    if len(nouns) == 1 and truth and first in _VERBS:
        return f"{nouns[0]} “{title}”"
    if len(nouns) == _BOTH and of_things and first in _MUTUAL:
        return f"{nouns[0]} and {nouns[1]} are {no}“{title}”"
    if len(nouns) == _BOTH and of_things and title == first and first.endswith("ing"):
        return f"{nouns[0]} {be(nouns[0])} {no}“{title}” {nouns[1]}"
    of = f" for {listed([*nouns])}" if nouns else ""
    if title.endswith("?"):
        return f"the answer to “{title}”{of} is {'yes' if truth else 'no'}"
    holds = "holds" if truth else "does not hold"
    return f"“{title}” {holds}{of}"


_STATE = ("ing", "ed", "able")


def is_of_it(said: str) -> bool:
    """Whether a sentence says of `it` what it is, and of nothing else."""
    return said.startswith("it is ") and not {"it", "its", "and", "or"} & set(said.split()[1:])
