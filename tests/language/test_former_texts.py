"""Texts of earlier versions: one edit for each spelling, and whole files are clean afterwards."""

from functools import partial

from rulewright.base.files import MemoryFiles
from rulewright.documents.check_findings import apply_fixes
from rulewright.documents.ruleset_loading import load_ruleset
from rulewright.documents.ruleset_location import locate_ruleset

FORMER = {
    "a.rules": """\
ruleset a "A" revision "1"
document EX "Example"
outside "the turn: a thing of the caller"  @b
  @c
void "a picture"  @d
kind Unit, units:
  owner: player
  at: hex
  fresh: flag = no
  health: -9..9 = 1
board field of hex
measure direction_of(u: Unit): sign(u.health - 2)
measure nearer(u: Unit, v: Unit): count(toward(u.at, v.at))
procedure go(u: Unit) "Go":
  needs alive: u.health > 0 when not u.fresh "it is out"  @a
  step 1 only if u.fresh
  step 2 "Order" only if u.health > 1 and (u.fresh or u.health > 3):
    rank each x in units as waiting:
      fresh: first x.fresh "fresh ones"
      tired: last x.health < 2
      roll_off: highest roll d6 by x.owner
    set u.fresh to waiting[1] = u
""",
    "more.rules": """\
amends a revision "2"
insert needs go/fresh: not u.fresh
replace needs go/alive: u.health >= 0 "it is out"
insert after go/2 step 3 "Again" only if u.fresh:
  set u.fresh to no
replace step go/1 only if not u.fresh
""",
    "EX.clauses.yaml": """\
document: EX
clauses:
  - id: EX.a  # the first
    says: Only the living go.
  - {id: EX.b, says: The turn is the caller's.}
  - id: "EX.c"
  - says: A picture.
    id: EX.d
""",
}
NOW = {
    "a.rules": """\
ruleset a "A" revision "1"
document EX "Example"
kind Unit, units:
  owner: player
  at: hex
  fresh: flag = no
  health: -9..9 = 1
board field of hex
measure direction_of(u: Unit): max(-1, min(1, u.health - 2))
measure nearer(u: Unit, v: Unit): count(TOWARD)
procedure go(u: Unit) "Go":
  require alive: u.health > 0 when not u.fresh "it is out"  @a
  step 1 when u.fresh
  step 2 "Order" when u.health > 1 and (u.fresh or u.health > 3):
    rank each x in units as waiting:
      fresh: highest x.fresh "fresh ones"
      tired: lowest x.health < 2
      roll_off: highest roll d6 by x.owner
    set u.fresh to waiting[1] = u
""".replace(
        "TOWARD",
        "{each way in directions() where distance(step(u.at, way), v.at) < distance(u.at, v.at): step(u.at, way)}",
    ),
    "more.rules": """\
amends a revision "2"
insert require go/fresh: not u.fresh
replace require go/alive: u.health >= 0 "it is out"
insert after go/2 step 3 "Again" when u.fresh:
  set u.fresh to no
replace step go/1 when not u.fresh
""",
    "EX.clauses.yaml": """\
document: EX
clauses:
  - id: EX.a  # the first
    says: Only the living go.
  - {id: EX.b, outside: "the turn: a thing of the caller", says: The turn is the caller's.}
  - id: "EX.c"
    outside: "the turn: a thing of the caller"
  - says: A picture.
    id: EX.d
    void: a picture
""",
}


def test_a_text_of_an_earlier_version_is_mended_whole() -> None:
    read = partial(load_ruleset, locate_ruleset("a.rules", MemoryFiles(FORMER)), ("more.rules",))
    mended = apply_fixes([lambda provider: read(provider=provider)], MemoryFiles(FORMER), lambda _: True, unsafe=False)
    assert dict(mended.after) == NOW
    assert [each.message for each in mended.loaded[0].diagnostics if each.severity.name == "ERROR"] == []
    assert {each.code for each in mended.fixed} == {"RW0131", "RW0609"}
