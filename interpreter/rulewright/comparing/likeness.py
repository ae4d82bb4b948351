"""How much of what two items say is said by both."""

from collections import Counter
from collections.abc import Mapping

from rulewright.comparing.named import Tokens
from rulewright.comparing.naming import Name
from rulewright.comparing.outline import Item


def likeness(before: Item, after: Item, names: Mapping[Name, Name]) -> float:
    """Which share of what two items and all inside them say is said by both, from 0 to 1.

    Known names are translated; of those inside a declaration, what it is called itself does not count.
    """
    mine, others = _shingles(before, names), _shingles(after, {})
    together = sum((mine & others).values())
    return 2 * together / max(1, sum(mine.values()) + sum(others.values()))


def _shingles(item: Item, names: Mapping[Name, Name]) -> Counter[Tokens]:
    said = (tuple(_bare(token, names) for token in (*each.form, each.title)) for each in item.inside())
    return Counter((each.id if each is not item else "", *what) for each, what in zip(item.inside(), said, strict=True))


def _bare(token: str | Name, names: Mapping[Name, Name]) -> str:
    if not isinstance(token, Name):
        return token
    name = names.get(token, token)
    return f"{name.sort}:{name.last}" if name.owner else str(name)
