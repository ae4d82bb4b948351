"""What is said of an edit: words, and pieces of the text among them."""

from collections.abc import Iterator, Sequence

from rulewright.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Quote:
    """A piece of a ruleset's text."""

    text: str


Phrase = tuple[str | Quote, ...]


def plain(phrase: Phrase) -> str:
    """A phrase with its pieces of text between backticks."""
    return "".join(f"`{each.text}`" if isinstance(each, Quote) else each for each in phrase)


def joined(phrases: Iterator[Phrase], between: str) -> Phrase:
    """Phrases after each other, with words between each two."""
    found: list[str | Quote] = []
    for number, phrase in enumerate(phrases):
        found += [between, *phrase] if number else phrase
    return tuple(found)


def listed(words: Sequence[str]) -> str:
    """Words one after the other, `and` before the last."""
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))
