"""What a row is called: by the titles its authors wrote, the nearest first."""

import re
from collections.abc import Collection

from rulewright.analysis.symbols import ClauseEntry
from rulewright.comparing.outline import Item
from rulewright.comparing.report.margins import Margins

_HEADING = re.compile(r"[^,(:]+")
_PLACE = re.compile(
    r"(?:[Ss]tep|[Bb]ox|[Pp]age|[Bb]ullet|[Pp]oint|[Rr]ow|[Ss]ection|[Cc]hapter|[Pp]aragraph)\b|[\W\da-z]"
)
_OWN = frozenset({"condition", "modifier", "row", "key", "attribute", "setting", "word", "parameter", "game field"})


def heading(clause: ClauseEntry) -> str:
    """The heading of the document that a clause stands under; empty where only a number or a place is known."""
    found = _HEADING.match(clause.where)
    name = found[0].strip() if found else ""
    return "" if _PLACE.match(name) else name


def called(item: Item, margins: Margins) -> str:
    """What an item is called for people: the title of its step or declaration, and its own word for it."""
    own = _own(item)
    around = margins.around(item)
    while around is not None:
        if around.title:
            return f"{around.title}: {own}" if own and own != around.title else around.title
        if around.sort == "step" or margins.around(around) is None:
            return f"{_plain(around)}: {own}" if own else _plain(around)
        around = margins.around(around)
    return own or _plain(item)


def _own(item: Item) -> str:
    if item.title:
        return item.title
    return _words(item.id) if item.sort in _OWN or (item.name and item.sort != "step") else ""


def _plain(item: Item) -> str:
    """An item without a title by its id: `step 3`, `needed`."""
    return f"{item.sort} {item.id}" if item.sort == "step" else _words(item.id) or item.sort


def _words(name: str) -> str:
    return name.replace("_", " ")


def short_clause(clause: str, documents: Collection[str]) -> str:
    """A clause without the name of its document, where that is one of these."""
    document, _, rest = clause.partition(".")
    return rest if rest and document in documents else clause
