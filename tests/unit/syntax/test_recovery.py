"""One mistake is told once, and the rest of the file is still read."""

from random import Random
from re import findall

import pytest

from rulewright.base.source import Text
from rulewright.syntax.nodes.declarations import Procedure
from rulewright.syntax.parser import ParsedText, parse_rules_text

SOUND = """\
ruleset x "X" revision "1"

kind Unit, units "A unit":
  owner: player
  morale: 0..9 = 3 "Morale"  @1.a

tally bonus(u: Unit) from 0 "Bonus":
  calm: +1 when u.morale > 3  @1.b
  floor: at least 0

whenever gone for each u in units:
  when u.morale = 0
  priority 1
  lowers count(units)
  remove u

procedure p(a: Unit, b: Unit) "Procedure":  @2
  require other: a != b "two units"
  let n: 0..9 = 0
  step A "First" when n > 0:  @2.a
    ask a.owner whether go when n > 1 "Go?":  @2.b
      take 1 from a.morale
      else:
        stop
    else:
      set n to (n + 1) * 2  # a comment
  step B "Second":
    for each u in units where u.morale > n:
      if some o in units where o.owner != u.owner:
        proceed to A at most 3
      else if u = a:
        finish
      else:
        nothing
"""


def read(content: str) -> ParsedText:
    return parse_rules_text(Text("a.rules", content))


def places(content: str) -> list[str]:
    found = read(content).diagnostics
    return [content[each.primary.span.start : each.primary.span.end] for each in found if each.primary]


def test_sound() -> None:
    assert read(SOUND).diagnostics == ()


def test_mistakes_in_several_declarations_are_all_told() -> None:
    broken = SOUND.replace("0..9 = 3", "0..9 == 3").replace("at least 0", "at lest 0").replace("finish", "finsh")
    assert places(broken) == ["==", "lest", "finsh"]


def test_mistakes_under_a_line_that_cannot_be_read_are_told() -> None:
    broken = SOUND.replace("where u.morale > n:", "whre u.morale > n:").replace("finish", "finsh")
    assert places(broken) == ["whre", "finsh"]


def test_mistakes_under_a_head_that_cannot_be_read_are_told() -> None:
    broken = SOUND.replace('"Procedure":', '"Procedure"::').replace("nothing", "nthing")
    assert places(broken) == [":", "nthing"]


def test_else_stays_silent_after_its_line() -> None:
    assert places(SOUND.replace("take 1 from", "take 1 frm")) == ["frm"]


def test_a_mistake_in_the_head_of_a_standing_rule_is_one() -> None:
    assert places(SOUND.replace("when u.morale = 0", "when u.morale == 0")) == ["=="]


def test_an_unclosed_bracket_ends_with_its_line() -> None:
    broken = SOUND.replace("(n + 1) * 2", "(n + 1 * 2").replace("finish", "finsh")
    assert places(broken) == ["(", "finsh"]


def test_what_could_be_read_keeps_its_places() -> None:
    broken = SOUND.replace("0..9 = 3", "0..9 == 3")
    file = read(broken).file
    assert file is not None
    procedure = file.declarations[-1]
    assert isinstance(procedure, Procedure)
    assert broken[procedure.span.start :].startswith("procedure p(")
    assert broken[procedure.steps[1].head.start : procedure.steps[1].head.end] == 'step B "Second"'


def test_a_hundred_mistakes_are_enough() -> None:
    assert len(read("x\n" * 5000).diagnostics) == 100


@pytest.mark.parametrize("seed", range(60))
def test_a_damaged_text_never_shows_the_parser(seed: int) -> None:
    chance = Random(seed)
    words = findall(r'\s+|\w+|"[^"\n]*"|.', SOUND)
    for _ in range(chance.randrange(1, 4)):
        words[chance.randrange(len(words))] = chance.choice(["", *words])
    content = "".join(words)
    for each in read(content).diagnostics:
        assert each.primary is not None
        assert 0 <= each.primary.span.start <= each.primary.span.end <= len(content)
        assert not {"_NL", "_INDENT", "_DEDENT", "Token", "ANON", "$END"} & set(findall(r"[$\w]+", each.message))
