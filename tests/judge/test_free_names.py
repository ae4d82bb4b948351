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
from support.reference.ruleset_texts import load_program, read_situation
from support.sample_sizes import sample_cases

GRAMMAR = (Path(get_resource_folder("grammar")) / "rules.lark").read_text(encoding="utf-8")
LITERALS = re.findall(r'"([a-z]+)"', GRAMMAR)
CHOICES = [word for group in re.findall(r"\\b\(([a-z|]+)\)", GRAMMAR) for word in group.split("|")]
FREE = sorted({*LITERALS, *CHOICES} - RESERVED_WORDS)
PLAYED = {"all", "as", "at", "die", "for", "from", "roll", "side", "times", "to", "while", "with"}
RULES = """\
ruleset example "Example" revision "1"

values Sort: WORD, another

kind Unit, units:
  owner: player
  WORD: 0..9 = 4
  sort: Sort = WORD
  WORD_times(n: 0..9) means WORD * n

game:
  WORDs: 0..99 = 0

tally WORD_sum(u: Unit) from 0:
  WORD: +1 when u.WORD > 1
  a_second: +u.WORD
  a_third: times 2 when u.WORD > 3

decide WORD_sort(u: Unit) gives Sort:
  WORD: WORD when u.WORD > 4
  a_rest: another otherwise

procedure go(unit: Unit) "Go":
  require WORD: unit.WORD > 0
  let WORD = unit.WORD + 1
  let some_of_them = {WORD, 3}
  let later = if(WORD > 3 and WORD in some_of_them, WORD, WORD * 2)
  a_line: set WORDs to WORD_sum(unit) + unit.WORD_times(n: 2)
  set WORDs to WORDs + count(each x in some_of_them where x > WORD - 1)
  for each x in [each z in some_of_them: z + WORD]:
    if WORD < x and x <= 99:
      set WORDs to x
  match unit.WORD:
    on 0..3:
      set WORDs to WORD
    otherwise:
      set WORDs to later
  tally changed from WORD:
    WORD: +WORD when WORD > 2
    a_few: -1 for each x in some_of_them
    a_change: becomes WORD when WORD > 5
    a_least: at least WORD
  decide chosen:
    WORD: 1 when WORD > 3
    a_rest: WORD otherwise
  ask unit.owner to choose choice "Which?":
    option WORD
    option a_second when WORD > 2:
      set WORDs to chosen
  roll 2d6 as dice by unit.owner
  rank each z in units as ranked:
    WORD: highest z.WORD
  perform WORD_inner(WORD: 3)
  perform WORD(unit) as result
  set WORDs to min(99, result + changed + WORD)

inner procedure WORD_inner(WORD: 0..9) "Inner":
  step WORD:
    set WORDs to WORD

procedure WORD(unit: Unit) gives 0..9 "Named so":
  roll 2d6 as WORD by unit.owner
  finish with min(9, total(WORD))
"""
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
