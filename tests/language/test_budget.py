"""The language grows by exchange: how much there is to learn stands in the manual, and only ever goes down."""

import re
from collections.abc import Iterator
from pathlib import Path

from rulewright.base.files import get_resource_folder
from rulewright.syntax.words import RESERVED_WORDS, VERBS

GRAMMAR = Path(get_resource_folder("grammar"))
RULES = (GRAMMAR / "rules.lark").read_text(encoding="utf-8")
PAGE = (GRAMMAR / "manual/12-reserved-words.md").read_text(encoding="utf-8")
MOST = {
    "reserved words": 13,
    "forms of lines": 32,
    "shapes of questions": 9,
    "targets of amendments": 10,
    "functions": 44,
}
"""The numbers once reached. A smaller one takes the place of a greater one, never the other way round."""


def alternatives(rule: str) -> list[str]:
    """What a rule of the grammar may be."""
    found = re.search(rf"^\??{rule}:(.*?)(?=^\S)", RULES, re.MULTILINE | re.DOTALL)
    assert found
    return re.split(r"\n\s*\|", found[1])


def counted() -> Iterator[tuple[str, int]]:
    functions = (GRAMMAR / "manual/functions.md").read_text(encoding="utf-8")
    yield "reserved words", len(RESERVED_WORDS)
    yield "forms of lines", len(alternatives("verb"))
    asked = [each for each in alternatives("verb") if each.strip().startswith('"ask" who') and "shape" not in each]
    everyone = [each for each in alternatives("who") if '"all"' in each]
    yield "shapes of questions", len(alternatives("shape")) + len(asked) + len(everyone)
    yield "targets of amendments", len(alternatives("target"))
    yield "functions", len(set(re.findall(r"^\| `(\w+)\(", functions, re.MULTILINE)))


def test_the_language_does_not_grow() -> None:
    found = dict(counted())
    stated = {what: int(number) for what, number in re.findall(r"^\| ([a-z ]+) \| (\d+) \|", PAGE, re.MULTILINE)}
    kept = "`MOST` here and the table of grammar/manual/12-reserved-words.md; decision 0072 says why they never grow"
    assert found == stated == MOST, f"the language is counted in {kept}"


def test_every_verb_has_a_form_and_stands_in_the_grammar_of_the_manual() -> None:
    verbs = {each.split('"')[1] for each in alternatives("verb")}
    assert verbs == VERBS
    manual = (GRAMMAR / "manual/13-grammar.md").read_text(encoding="utf-8")
    assert {verb for verb in verbs if not re.search(rf'"{verb}\b', manual)} == set()


def test_the_manual_lists_the_reserved_words() -> None:
    listed = re.search(r"^`([a-z ]+)`$", PAGE, re.MULTILINE)
    assert listed
    assert listed[1].split() == sorted(RESERVED_WORDS)
