"""Spellings of earlier versions of the language, each with the edit that writes it as it is written now."""

from rulewright.diagnostics.model import Diagnostic
from rulewright.syntax.layout import Word
from rulewright.syntax.mistakes.situation import Situation


def needs(situation: Situation) -> Diagnostic | None:
    """`needs token: …` at the head of a procedure, and as a part that is amended."""
    number = next((number for number, text in enumerate(situation.texts) if text == "needs"), None)
    if number is None or situation.at not in {number, number + 1} or ":" not in situation.texts[number + 2 :]:
        return None
    if number > situation.head and situation.verb not in {"replace", "insert"}:
        return None
    return _former(situation, situation.words[number], "require")


def only_if(situation: Situation) -> Diagnostic | None:
    """`step 1 only if x:`."""
    found, following = situation.found, situation.texts[situation.at + 1 : situation.at + 2]
    if found is None or "step" not in situation.texts[: situation.at]:
        return None
    if found.text == "onlyif":
        return _former(situation, found, "when")
    if found.text == "only" and following and following[0] in {"if", "when"}:
        return _former(situation, (found.start, situation.words[situation.at + 1].end), "when")
    return None


def first_key(situation: Situation) -> Diagnostic | None:
    """`fresh: first u.fresh` as a key of a rank."""
    now = _KEYS.get(situation.texts[_VALUE]) if len(situation.texts) > _VALUE else None
    if situation.place != "key" or now is None or situation.at not in {_VALUE, _VALUE + 1}:
        return None
    return _former(situation, situation.words[_VALUE], now)


_VALUE = 2
_KEYS = {"first": "highest", "last": "lowest"}


def _former(situation: Situation, at: Word | tuple[int, int], now: str) -> Diagnostic:
    """What was written so, and is now written otherwise."""
    start, end = (at.start, at.end) if isinstance(at, Word) else at
    written = " ".join(situation.content[start:end].split())
    return situation.error("RW0131", f"`{written}` is written `{now}`", at=at, remedy=f"write `{now}`", edit=now)
