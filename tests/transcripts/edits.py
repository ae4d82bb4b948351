"""Rules with one mistake, and rules with one change, made at places that are spread over a text."""

import re
from collections.abc import Callable, Iterator

from transcripts.subject import spread

Change = Callable[[str], str]


def _misspelled_last(line: str) -> str:
    return re.sub(
        r"([A-Za-z_]{2,})(\W*)$", lambda found: f"{found[1][:-2]}{found[1][-1]}{found[1][-2]}x{found[2]}", line
    )


def _misspelled_first(line: str) -> str:
    return re.sub(
        r"([A-Za-z_]{3,})", lambda found: f"{found[1][0]}{found[1][2]}{found[1][1]}{found[1][3:]}", line, count=1
    )


_CHANGES: dict[str, Change] = {
    "line left out": lambda _: "",
    "last word misspelled": _misspelled_last,
    "first word misspelled": _misspelled_first,
    "indented more": lambda line: f"    {line}",
    "colon left out": lambda line: line.replace(":", "", 1),
    "quote left out": lambda line: line.replace('"', "", 1),
    "bracket left out": lambda line: line.replace("(", "", 1),
    "number for the last word": lambda line: re.sub(r"\w+(\W*)$", r"7\1", line),
    "flag for a number": lambda line: re.sub(r"\b\d+\b", "yes", line, count=1),
    "line twice": lambda line: f"{line}\n{line}",
    "word more": lambda line: f"{line} also",
    "comparison turned round": lambda line: re.sub(r" (>=|<=|=|>|<) ", " <> ", line, count=1),
}


def mistaken_texts(text: str, count: int) -> Iterator[tuple[str, str]]:
    """Copies of a text with a mistake in one line, and what was done to it; the sorts of mistakes take turns."""
    lines = text.split("\n")
    told = [number for number, line in enumerate(lines) if line.strip() and not line.lstrip().startswith("#")]
    for turn, number in enumerate(spread(told, count)):
        names = list(_CHANGES)
        for name in (*names[turn % len(names) :], *names):
            changed = _CHANGES[name](lines[number])
            if changed != lines[number]:
                yield f"line {number + 1}: {name}", "\n".join([*lines[:number], changed, *lines[number + 1 :]])
                break


def changed_texts(text: str, count: int) -> Iterator[tuple[str, str]]:
    """Copies of a text with another number or comparison in one place, which most often can still be played."""
    found = list(re.finditer(r"(?m)(?<=[ .])(?:>=|<=|>|<|\d+)(?= |\.\.|:?$)", text))
    for each in spread(
        [each for each in found if "@" not in text[text.rfind("\n", 0, each.start()) + 1 : each.start()]], count
    ):
        new = {">=": ">", "<=": "<", ">": ">=", "<": "<="}.get(each[0]) or str(int(each[0]) + 1)
        line = text.count("\n", 0, each.start()) + 1
        yield f"line {line}: {new} for {each[0]}", text[: each.start()] + new + text[each.end() :]
