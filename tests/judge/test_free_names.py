"""Every word of the language that is not reserved is a name elsewhere: it is read, checked, formatted and played."""

import re
from pathlib import Path

import pytest

from rulewright.base.files import get_resource_folder
from rulewright.base.source import Text
from rulewright.syntax.format import format_file
from rulewright.syntax.parser import parse_rules_text
from rulewright.syntax.words import RESERVED_WORDS
from support.judge_comparison import compare_with_judge
from support.reference.ruleset_texts import load_program, read_rules, read_situation
from support.sample_sizes import sample_cases

GRAMMAR = (Path(get_resource_folder("grammar")) / "rules.lark").read_text(encoding="utf-8")
LITERALS = re.findall(r'"([a-z]+)"', GRAMMAR)
CHOICES = [word for group in re.findall(r"\\b\(([a-z|]+)\)", GRAMMAR) for word in group.split("|")]
FREE = sorted({*LITERALS, *CHOICES} - RESERVED_WORDS)
PLAYED = {"all", "as", "at", "die", "for", "from", "roll", "side", "times", "to", "while", "with"}
RULES = read_rules("word")
STATE = """\
players: [red]
units:
  a: {owner: red}
  b: {owner: red, WORD: 9}
game: {}
"""


@pytest.mark.parametrize("word", sample_cases(FREE, 4))
def test_a_word_is_a_name(word: str) -> None:
    text = RULES.replace("WORD", word)
    written = Text("example.rules", text)
    read = parse_rules_text(written)
    assert read.file is not None
    assert not read.diagnostics
    assert format_file(read.file, written) == text
    made = load_program(text)
    if word in PLAYED:
        compare_with_judge(made, read_situation(STATE.replace("WORD", word), made), "go", (0,), 1)


def test_most_words_are_names() -> None:
    assert len(FREE) > 100
