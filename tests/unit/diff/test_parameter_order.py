"""Calls give their values by place: parameters that change places are no equivalent rewriting, whatever has them."""

import pytest

from rulewright.diff.comparison import compare_rulesets
from rulewright.program.outline.items import DeclaredName
from support.reference.ruleset_texts import load_text

TEXT = """ruleset swaps "Swaps" revision "1"
kind Unit, units "A unit":
  owner: player
  n: 0..9 = 0
  reach(a: 0..9, b: 0..9) means self.n + a > b
game:
  seen: 0..99 = 0
relation likes(a: Unit, b: Unit) means a.n > b.n
term higher(a: Unit, b: Unit) gives flag means a.n > b.n
tally score(a: Unit, b: Unit) from 0 "Score":
  more: +a.n
  less: -b.n
decide better(a: Unit, b: Unit) gives Unit "Better":
  first: a when a.n > b.n
  second: b otherwise
table chart(a: 0..1, b: 0..1) gives 0..3 "Chart":
  0 | 0 | 0
  0 | 1 | 1
  1 | 0 | 2
  1 | 1 | 3
measure lead(a: Unit, b: Unit): a.n - b.n
external term seen_by(a: Unit, b: Unit) gives flag default a.n > b.n
external procedure fight(a: Unit, b: Unit) gives 0..9
event met(a: Unit, b: Unit) "A meeting":
  holders units
  order by [a.owner, b.owner]
handler answer for each x in {a} on met when a.n > b.n:
  set b.n to 0
inner procedure lose(a: Unit, b: Unit) "Loses":
  set a.n to b.n
procedure act(u: Unit, v: Unit) "Act":
  step 1 "Lines":
    trigger met(u, v)
    perform lose(u, v)
    perform fight(u, v) as lost
    if likes(u, v) or higher(u, v) or u.reach(1, 2) or seen_by(u, v):
      set seen to lost
"""
SWAPS = {
    "attribute Unit/reach": ("reach(a: 0..9, b: 0..9)", "reach(b: 0..9, a: 0..9)"),
    "function likes": ("likes(a: Unit, b: Unit)", "likes(b: Unit, a: Unit)"),
    "function higher": ("higher(a: Unit, b: Unit)", "higher(b: Unit, a: Unit)"),
    "function score": ("score(a: Unit, b: Unit)", "score(b: Unit, a: Unit)"),
    "function better": ("better(a: Unit, b: Unit)", "better(b: Unit, a: Unit)"),
    "measure lead": ("lead(a: Unit, b: Unit)", "lead(b: Unit, a: Unit)"),
    "external seen_by": ("seen_by(a: Unit, b: Unit)", "seen_by(b: Unit, a: Unit)"),
    "external fight": ("fight(a: Unit, b: Unit)", "fight(b: Unit, a: Unit)"),
    "handler answer": ("met(a: Unit, b: Unit)", "met(b: Unit, a: Unit)"),
    "procedure lose": ("lose(a: Unit, b: Unit)", "lose(b: Unit, a: Unit)"),
}


@pytest.mark.parametrize("name", SWAPS)
def test_parameters_that_change_places_are_not_proved_alike(name: str) -> None:
    before, after = SWAPS[name]
    assert TEXT.count(before) == 1
    found = compare_rulesets(load_text(TEXT), load_text(TEXT.replace(before, after)))
    assert found.static_verdict is None
    assert DeclaredName(*name.split()) in found.unproved.old


@pytest.mark.parametrize("name", ["attribute Unit/reach", "function likes", "function higher", "measure lead"])
def test_parameters_that_have_other_names_play_alike(name: str) -> None:
    changed = TEXT.splitlines(keepends=True)
    for number, line in enumerate(changed):
        if SWAPS[name][0] in line:
            changed[number] = line.replace("a: ", "one: ").replace("a.", "one.").replace(" a ", " one ")
            break
    static = compare_rulesets(load_text(TEXT), load_text("".join(changed))).static_verdict
    assert static is not None
