"""What is known of members of a collection, and of numbers: what is proved without a warning, and what is not."""

import pytest

from support.reference.ruleset_texts import load_files

HEAD = """ruleset cards "Cards" revision "1"
kind player, players:
  pile: set of Card = {}
  coins: 0..9 = 0
  hand means {each c in cards where c.owner = self}
kind Card, cards:
  owner: player
  open: flag = no
kind Unit, units:
  owner: player
  health: 0..9
game:
  waiting: list of Unit = []
term holders gives set of player means {each p in players where some c in cards where c.owner = p}
term holders_by_row gives set of player over each p in players when all:
  rich: p.coins >= 1 when p.coins != 5
  card: some c in cards where c.owner = p
term holds(p: player) gives flag means some c in cards where c.owner = p
term cards_of(p: player) gives set of Card means {each c in cards where c.owner = p}
"""
HOLDERS = "{each p in players where some c in cards where c.owner = p}"
THEIRS = "for bid in cards where bid.owner = p"
BIDS = [
    f"ask all {HOLDERS} as p {THEIRS}",
    f"let those = {HOLDERS}\nask all those as p {THEIRS}",
    f"let those = {HOLDERS}\nif count(those) >= 2:\n  ask all those as p {THEIRS}",
    f"ask all {{each p in players where count(each c in cards where c.owner = p) >= 1}} as p {THEIRS}",
    f"ask all holders as p {THEIRS}",
    f"ask all holders_by_row as p {THEIRS}",
    f"ask all {{each p in players where holds(p)}} as p {THEIRS}",
    "ask all {each p in players where holds(p)} as p for bid in cards_of(p)",
    "ask all {each p in players where some c in p.hand} as p for bid in p.hand",
    "ask all {each p in players where count(p.hand) >= 1} as p for bid in p.hand",
    f"ask all {{each p in players where some c in p.hand}} as p {THEIRS}",
    f"ask all {HOLDERS} as p for bid in p.hand",
    "ask all {each p in players where some c in p.pile} as p for bid in p.pile",
    f"ask all {HOLDERS} as p to pick 1 of each c in cards where c.owner = p as bid",
    f"ask all {{each c in cards: c.owner}} as p {THEIRS}",
    f"require all: every p in players: some c in cards where c.owner = p\nask all players as p {THEIRS}",
    "if every p in players where p.coins >= 0: some c in p.hand:\n  ask all players as p for bid in p.hand",
    f"if no p in players where no c in cards where c.owner = p:\n  ask all players as p {THEIRS}",
    "if some p in players where no c in p.hand:\n  finish\nask all players as p for bid in p.hand",
    "ask all players as p for bid in 0..p.coins",
    "ask all {each p in players where p.coins >= 1} as p for bid in 1..p.coins",
    f"ask all {{each p in players where some c in p.hand where not c.open}} as p {THEIRS}:\n  require x: not bid.open",
    f"ask all {{each p in players where some c in p.hand where not c.open}} as p {THEIRS}",
    f"require one: some c in a.hand\nrequire two: some c in b.hand\nask all {{a, b}} as p {THEIRS}",
    f"for each p in {HOLDERS}:\n  ask p secretly {THEIRS}",
]
NO_BIDS = [
    f"ask all players as p {THEIRS}",
    f"ask all {HOLDERS} as p for bid in cards where bid.owner = p and bid.open",
    f"ask all {HOLDERS} as p {THEIRS}:\n  require x: not bid.open",
    f"ask all {HOLDERS} as p to pick 2 of each c in cards where c.owner = p as bid",
    f"ask all {HOLDERS} as p for bid in cards where bid.owner = a",
    f"ask all {HOLDERS} + {{a}} as p {THEIRS}",
    f"ask all {{each p in players where some c in cards where c.owner = p or c.open}} as p {THEIRS}",
    f"let those = {HOLDERS}\nfor each c in cards:\n  remove c\nask all those as p {THEIRS}",
    f"let those = {HOLDERS}\nfor each c in cards:\n  set c.owner to a\nask all those as p {THEIRS}",
    f"for each p in {HOLDERS}:\n  ask p secretly {THEIRS}\n  for each c in cards:\n    remove c",
    f"require all: every p in players where p.coins >= 1: some c in p.hand\nask all players as p {THEIRS}",
    f"if every p in players: some c in p.hand:\n  for each c in cards:\n    remove c\n  ask all players as p {THEIRS}",
    f"if every p in {{a}}: some c in p.hand:\n  ask all players as p {THEIRS}",
    f"require one: some c in a.hand\nask all {{a, b}} as p {THEIRS}",
    "ask all {each p in players where p.coins >= 1} as p for bid in 2..p.coins",
]
NUMBERS = [
    "roll 2d4 as r\nset u.health to total(r)",
    "roll 3d6 keep highest 1 as r\nset u.health to total(r)",
    "roll 3d6 drop lowest 2 as r\nset u.health to total(r)",
    "roll [1 of d4, 2 of d6 drop lowest 1] keep lowest 1 as r\nset u.health to total(r)",
    "roll 2d4 as r\nreroll r\nlet s = total(r)\nset u.health to s",
    "roll n of d6 as r\nset u.health to max(each x in r: x.natural)",
    "roll n of d6 as r\nset u.health to count(each x in r where x.natural = 6)",
    "roll n of d6 explode on 6 at most 3 as r\nset u.health to max(each x in r: x.natural)",
    "ask u.owner to pick 0..2 of each v in units as some_units\nset u.health to 4 * count(some_units) + 1",
    "set u.health to sum(each x in 1..3: x)",
    "set u.health to floor((sum([2, 3, 4]) + 7) / 2)",
    "set u.health to floor(n / 2 + 7.5)",
    "set u.health to ceiling(n * 2 / 3) + 7",
    "for each x in 0..n:\n  set u.health to n - x",
    "ask u.owner for k in 0..u.health:\n  take k from u.health",
    "if u.health > t.health:\n  set u.health to u.health - t.health - 1",
    "let least = min(n, u.health)\nset u.health to u.health - least",
    "if max(u.health, 3) = 4:\n  set u.health to max(n, u.health) - n",
]
NO_NUMBERS = [
    "roll 3d4 as r\nset u.health to total(r)",
    "roll 2d4 explode on 4 at most 1 as r\nset u.health to total(r)",
    "roll [1 of d4, 2 of d6 drop lowest 1] as r\nset u.health to total(r)",
    "roll n - 1 of d6 as r\nset u.health to max(each x in r: x.natural)",
    "roll 5d6 drop lowest n + 2 as r\nset u.health to max(each x in r: x.natural)",
    "roll 10d6 as r\nset u.health to count(each x in r where x.natural = 6)",
    "set u.health to sum(each x in 1..4: x)",
    "set u.health to sum(each x in 1..n: 4)",
    "set u.health to ceiling(n / 2 + 8)",
    "for each x in 0..u.health:\n  set u.health to u.health - x",
    "for each x in 0..n + 1:\n  set u.health to n - x",
    "if u.health > t.health:\n  set u.health to u.health - t.health - 2",
    "if u.health >= t.health:\n  set t.health to 9\n  set u.health to u.health - t.health",
    "if u.health != t.health:\n  set u.health to u.health - t.health",
]


def codes(lines: str) -> set[str]:
    body = "".join(f"  {line}\n" for line in lines.splitlines())
    text = f"{HEAD}procedure example(u: Unit, t: Unit, a: player, b: player, n: 1..3):\n{body}"
    found = load_files({"example.rules": text}).diagnostics
    assert not [each for each in found if each.severity.value == "error"], found
    return {each.code for each in found}


@pytest.mark.parametrize("lines", BIDS)
def test_all_who_are_asked_have_an_answer(lines: str) -> None:
    assert "RW0525" not in codes(lines)


@pytest.mark.parametrize("lines", NO_BIDS)
def test_somebody_may_have_no_answer(lines: str) -> None:
    assert "RW0525" in codes(lines)


@pytest.mark.parametrize("lines", NUMBERS)
def test_a_number_fits(lines: str) -> None:
    assert not codes(lines) & {"RW0402", "RW0406"}


@pytest.mark.parametrize("lines", NO_NUMBERS)
def test_a_number_may_not_fit(lines: str) -> None:
    assert codes(lines) & {"RW0402", "RW0406"}


def test_what_gathered_a_holder_may_have_changed_when_it_acts() -> None:
    text = (
        f"{HEAD}event clash(a: Unit):\n  holders units\n  order by [a.owner]\n"
        "handler strike for each u in units where u.health >= 1 on clash{guard}:\n  take 1 from u.health\n"
        "procedure fight(a: Unit):\n  trigger clash(a)\n"
    )
    for guard, expected in (("", {"RW0402"}), (" when u.health >= 1", set())):
        found = load_files({"example.rules": text.replace("{guard}", guard)}).diagnostics
        assert {each.code for each in found} & {"RW0402", "RW0404"} == expected


FIELD = """ruleset camp "Camp" revision "1"
kind Unit, units:
  owner: player
  at: hex
board field of hex
always near for each (a, b) in pairs(units, units): distance(a.at, b.at) <= 5 "the units keep together"
procedure go(u: Unit, t: Unit, c: hex) "Go":
  require two: u != t and c in field
"""


@pytest.mark.parametrize(
    ("lines", "warned"),
    [
        ("if every x in units: distance(c, x.at) <= 5:\n    move u to c", False),
        ("if every x in units: distance(x.at, c) <= 4:\n    move u to c", False),
        ("if every x in units: x = u or distance(c, x.at) <= 5:\n    move u to c", False),
        ("if no x in units where distance(c, x.at) > 5:\n    move u to c", False),
        ("if every x in units where x.owner = u.owner: distance(c, x.at) <= 5:\n    move u to c", True),
        ("if every x in units: x = t or distance(c, x.at) <= 5:\n    move u to c", True),
        ("if every x in units: distance(u.at, x.at) <= 5:\n    move u to c", True),
        ("if every x in units: distance(c, x.at) <= 6:\n    move u to c", True),
        ("if every x in units: distance(c, x.at) <= 5:\n    move t to u.at\n    move u to c", True),
        ("move u to c", True),
    ],
)
def test_who_asks_all_others_first_keeps_what_holds_of_pairs(lines: str, warned: bool) -> None:
    found = load_files({"camp.rules": f"{FIELD}  {lines}\n"}, "camp.rules")
    assert found.program is not None, found.errors
    assert ("RW0421" in {each.code for each in found.diagnostics}) is warned
