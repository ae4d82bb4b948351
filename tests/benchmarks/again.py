"""Prints what a check after an edit costs beside a whole check: `python tests/benchmarks/again.py [RULESET]`.

Each procedure of a ruleset is edited at a few places spread over its lines: a whole number is one greater, or a line
`nothing` stands before a line. The edited texts are loaded alone, all of them read and checked, and by what loaded them
unedited; program and findings are seen to be equal first. Printed is the processor time of the second by the first.
"""

import re
import sys
from collections.abc import Callable, Iterator
from statistics import median
from time import process_time

from rulewright.base.files import DISK, FileProvider, RevisedFiles, get_resource_folder
from rulewright.base.source import Text
from rulewright.documents.ruleset_loading import IncrementalLoader, LoadedRuleset, load_ruleset
from rulewright.documents.ruleset_location import RulesetLocation, locate_ruleset
from rulewright.syntax.nodes import ParsedText
from rulewright.syntax.nodes.declarations import Procedure
from rulewright.syntax.parser import parse_rules_text

RULESET = "necromunda-close-combat"
EDITS = 4
ROUNDS = 2
_NUMBER = re.compile(r"(?<=[ (.])\d+\b(?![/:\d])")
_LINE = re.compile(r"\n(?P<indent> +)(?=(?:let|set|if|ask|for|perform|take|roll|trigger|place) )")
_UNTOUCHED = re.compile(r'"[^"\n]*"|@\S+|#[^\n]*|\bstep \S+|\bsteps \S+ to \S+')


def read_alone(text: Text, provider: FileProvider) -> ParsedText:
    """Reads a text whatever is kept of it."""
    del provider
    return parse_rules_text(text)


def edits(content: str, start: int, end: int) -> Iterator[str]:
    """The text with one edit inside of a part of it."""
    closed = [found.span() for found in _UNTOUCHED.finditer(content, start, end)]
    places = (*_NUMBER.finditer(content, start, end), *_LINE.finditer(content, start, end))
    for found in sorted(places, key=re.Match.start):
        if any(first <= found.start() < last for first, last in closed):
            continue
        new = f"{found[0]}nothing{found[0]}" if "\n" in found[0] else str(int(found[0]) + 1)
        yield content[: found.start()] + new + content[found.end() :]


def spread(all_: list[str], most: int) -> list[str]:
    """A few of some edits, from the first to the last."""
    return [all_[len(all_) * place // most] for place in range(most)] if len(all_) > most else all_


def measured(name: str = RULESET) -> dict[str, list[float]]:
    """By procedure the ratio of each edit after which its ruleset is fine."""
    located, again = locate_ruleset(str(get_resource_folder("rulesets") / name)), IncrementalLoader()
    base = again.load_changed(located)
    assert base.linked is not None
    found: dict[str, list[float]] = {}
    for module in base.linked.modules:
        for node in module.declarations:
            if isinstance(node, Procedure):
                place = node.span.source
                texts = list(edits(base.texts[place].content, node.head.end, node.span.end))
                ratios = (_ratio(located, again, RevisedFiles(DISK, {place: each})) for each in spread(texts, EDITS))
                found[module.prefix + node.name.text] = [each for each in ratios if each is not None]
    return found


def _ratio(located: RulesetLocation, again: IncrementalLoader, files: FileProvider) -> float | None:
    """What checking again takes by what checking takes; none where the edit made an error.

    Raises:
        ValueError: they came to something else.
    """
    whole, alone = _timed(lambda: load_ruleset(located, (), files, read_alone))
    once_more, same = _timed(lambda: again.load_changed(located, (), files))
    if (alone.program, alone.diagnostics) != (same.program, same.diagnostics):
        message = "checking again came to something else"
        raise ValueError(message)
    return once_more / whole if alone.program is not None else None


def _timed(make: Callable[[], LoadedRuleset]) -> tuple[float, LoadedRuleset]:
    times = []
    for _ in range(ROUNDS):
        begun = process_time()
        found = make()
        times.append(process_time() - begun)
    return min(times), found


def main(name: str = RULESET) -> None:
    """Prints the table."""
    found = measured(name)
    for procedure, ratios in found.items():
        if ratios:
            print(f"{procedure:<24} median {median(ratios):.2f}, worst {max(ratios):.2f}, of {len(ratios)} edits")
    every = [each for ratios in found.values() for each in ratios]
    print(f"{'all':<24} median {median(every):.2f}, worst {max(every):.2f}, of {len(every)} edits")


if __name__ == "__main__":
    main(*sys.argv[1:2])
