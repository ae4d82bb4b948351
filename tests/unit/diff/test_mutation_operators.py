"""What each operator makes of a text: the whole text changed, as lines before and after."""

import pytest

from rulewright.base.source import Text
from rulewright.diff.mutants import OPERATOR_DESCRIPTIONS, Mutant, collect_ruleset_names, compute_changed_lines
from rulewright.diff.mutation_operators import make_mutants
from rulewright.syntax.parser import parse_rules_text

HEAD = """\
values Mood: calm, cross, wild
kind Unit, units:
  owner: player
  morale: 0..9
event rallied(unit: Unit, foe: Unit)
"""
LINES = """\
procedure rally(unit: Unit, foe: Unit) "Rally":
  step 1:
    {}
  step 2:
    nothing
  step 3:
    nothing
"""


def _mutants(content: str) -> tuple[tuple[Mutant, ...], Text]:
    text = Text("example.rules", f"{HEAD}{content}")
    parsed = parse_rules_text(text)
    assert parsed.file is not None
    assert parsed.diagnostics == ()
    return make_mutants(parsed.file, text, collect_ruleset_names(parsed.file.declarations)), text


def _changes(operator: str, content: str) -> list[tuple[str, str]]:
    found, text = _mutants(content)
    changes = [
        compute_changed_lines(each, text)
        for each in found
        if each.operator == operator and each.place.start >= len(HEAD)
    ]
    return [("|".join(map(str.strip, each.old)), "|".join(map(str.strip, each.new))) for each in changes]


@pytest.mark.parametrize(
    ("operator", "line", "new"),
    [
        ("comparison", "if unit.morale < 3:\n      stop", ["if unit.morale <= 3:", "if unit.morale >= 3:"]),
        ("comparison", "if unit.morale = 3:\n      stop", ["if unit.morale != 3:"]),
        ("comparison", "if unit not  in units:\n      stop", ["if unit in units:"]),
        ("negation", "if not sees(unit):\n      stop", ["if sees(unit):"]),
        ("negation", "if sees(unit):\n      stop", ["if not (sees(unit)):"]),
        ("negation", "if unit.morale < 3:\n      stop", []),
        ("term", "if a(unit) and (b(unit) or c(unit)):\n      stop", [
            "if a(unit):", "if (b(unit) or c(unit)):", "if a(unit) and (b(unit)):", "if a(unit) and (c(unit)):",
        ]),
        ("and-or", "if a(unit) and b(unit):\n      stop", ["if a(unit) or b(unit):"]),
        ("condition", "for each u in units where u.tired:\n      remove u", ["for each u in units:"]),
        ("condition", 'ask unit.owner whether loud when unit.tired "Loud?"', ['ask unit.owner whether loud "Loud?"']),
        ("quantity", "if some u in units where u.tired:\n      stop", ["if no u in units where u.tired:"]),
        ("number", "take 1 from unit.morale", ["take 2 from unit.morale", "take 0 from unit.morale"]),
        ("number", "roll 2d6 as check", ["roll 3d6 as check", "roll 1d6 as check"]),
        ("number", "repeat while unit.tired at most 9:\n      nothing", []),
        ("bound", "repeat while unit.tired at most 9:\n      nothing", ["repeat while unit.tired at most 8:"]),
        ("bound", "proceed to 1 at most 3", ["proceed to 1 at most 2"]),
        ("sign", "set unit.morale to a - b", ["set unit.morale to a + b"]),
        ("sign", "add up to 1 to unit.morale  @4", ["take up to 1 from unit.morale  @4"]),
        ("extreme", "set unit.morale to min(a, b)", ["set unit.morale to max(a, b)"]),
        ("extreme", "roll 3 of d6 keep highest 1 as check", ["roll 3 of d6 keep lowest 1 as check"]),
        ("extreme", "roll d6 with advantage n as check", ["roll d6 with advantage -(n) as check"]),
        ("flag", "set unit.tired to yes", ["set unit.tired to no"]),
        ("word", "set unit.mood to wild", ["set unit.mood to calm"]),
        ("jump", "proceed to 2", ["proceed to 1", "proceed to 3"]),
        ("jump", "proceed to 3", ["proceed to 2"]),
        ("decider", 'ask unit.owner whether loud "Loud?"', ['ask foe.owner whether loud "Loud?"']),
        ("decider", "roll d6 as check by unit.owner", ["roll d6 as check by foe.owner"]),
        ("decider", "rank each u in units as line:\n      n: ask unit.owner", ["n: ask foe.owner"]),
        ("role", "set unit.morale to foe.morale", ["set foe.morale to foe.morale", "set unit.morale to unit.morale"]),
        ("role", "for each u in units:\n      remove u", []),
        ("order", "let both = [unit, foe]", ["let both = [foe, unit]"]),
        ("line", "set unit.morale to 1  @4", ["nothing  @4"]),
        ("line", "follow: move unit to foe.at", ["follow: nothing"]),
        ("line", "let n = 1", []),
        ("line", "roll d6 as check", []),
        ("adverb", "add up to 1 to unit.morale", ["add 1 to unit.morale"]),
    ],
)  # fmt: skip
def test_a_line(operator: str, line: str, new: list[str]) -> None:
    assert [after for _, after in _changes(operator, LINES.format(line))] == new


def test_lines_below_a_line_go_with_it() -> None:
    found = _changes("line", LINES.format("if a(unit):\n      remove unit\n    else:\n      stop"))
    assert found[0] == ("if a(unit):|remove unit|else:|stop", "nothing")
    assert [new for _, new in found[1:]] == ["nothing", "nothing"]


@pytest.mark.parametrize(
    ("operator", "content", "changed"),
    [
        ("range", "record Hit:\n  wounds: 1..3\n", [
            ("wounds: 1..3", "wounds: 2..3"), ("wounds: 1..3", "wounds: 0..3"),
            ("wounds: 1..3", "wounds: 1..4"), ("wounds: 1..3", "wounds: 1..2"),
        ]),
        ("range", "record Hit:\n  wounds: 0..0\n", [("wounds: 0..0", "wounds: 0..1")]),
        ("quantity", "term fit(u: Unit) when all:\n  a: u.fresh\n  b: u.tired\n", [
            ("term fit(u: Unit) when all:", "term fit(u: Unit) when any:"),
        ]),
        ("row", "tally nerve(u: Unit) from 0:\n  a: +1\n     @4.b\n  b: -1\n", [("a: +1|@4.b", ""), ("b: -1", "")]),
        ("row", "tally nerve(u: Unit) from 0:\n  a: +1\n", []),
        ("extreme", "tally nerve(u: Unit) from 0:\n  a: at least 0\n  b: at most 9\n", [
            ("a: at least 0", "a: at most 0"), ("b: at most 9", "b: at least 9"),
        ]),
        ("extreme", "table odds(n: 0..9) gives 0..1:\n  at least 5 | 1\n  any | 0\n", [
            ("at least 5 | 1", "at most 5 | 1"),
        ]),
        ("condition", "decide best(u: Unit) gives flag:\n  a: yes when u.tired\n  b: no otherwise\n", []),
        ("handler", "handler cheer for each u in units on rallied:\n  remove u\n", [
            ("handler cheer for each u in units on rallied:|remove u", ""),
        ]),
        ("adverb", 'handler cheer for each u in units on rallied optional "an optional cheer":\n  remove u\n', [(
            'handler cheer for each u in units on rallied optional "an optional cheer":',
            'handler cheer for each u in units on rallied "an optional cheer":',
        )]),
        ("role", "handler cheer for each u in units on rallied:\n  remove foe\n", [("remove foe", "remove unit")]),
        ("rule", "whenever rout:\n  when tired\n  priority 1\n  lowers count(units)\n  stop\n", [
            ("whenever rout:|when tired|priority 1|lowers count(units)|stop", ""),
        ]),
        ("number", "whenever rout:\n  when tired\n  priority 1\n  lowers count(units) + 1\n  stop\n", [
            ("priority 1", "priority 2"), ("priority 1", "priority 0"),
        ]),
        ("comparison", "always calm for each u in units: u.morale < 9\n", []),
        ("amendment", "replace row nerve/a: +2\nremove nerve/b\n", [
            ("replace row nerve/a: +2", ""), ("remove nerve/b", ""),
        ]),
        ("number", "replace row nerve/a: +2\n", [
            ("replace row nerve/a: +2", "replace row nerve/a: +3"),
            ("replace row nerve/a: +2", "replace row nerve/a: +1"),
        ]),
    ],
)  # fmt: skip
def test_a_declaration(operator: str, content: str, changed: list[tuple[str, str]]) -> None:
    assert _changes(operator, content) == changed


def test_an_overlay_knows_the_steps_and_names_of_what_it_amends() -> None:
    base = parse_rules_text(Text("base.rules", HEAD + LINES.format("nothing"))).file
    assert base is not None
    text = Text("house.rules", "insert into rally/2:\n  if foe = unit:\n    proceed to 3\n")
    file = parse_rules_text(text).file
    assert file is not None
    found = make_mutants(file, text, collect_ruleset_names(base.declarations))
    assert [each.name for each in found] == [
        "rally/2 amendment left out",
        "rally/2/if line left out",
        "rally/2/if role foe -> unit",
        "rally/2/if comparison = -> !=",
        "rally/2/if role unit -> foe",
        "rally/2/proceed.3 line left out",
        "rally/2/proceed.3 jump 3 -> 2",
    ]


def test_an_option_and_a_case_are_left_out_with_their_lines() -> None:
    content = LINES.format(
        "ask unit.owner to choose way:\n      option sleep:\n        nothing\n      option march\n"
        "    match unit.mood:\n      on calm:\n        nothing\n      on cross, wild:\n        stop"
    )
    assert _changes("option", content) == [("option sleep:|nothing", ""), ("option march", "")]
    assert _changes("row", content) == [("on calm:|nothing", ""), ("on cross, wild:|stop", "")]


def test_names_tell_mutants_of_one_line_apart() -> None:
    found, _ = _mutants(LINES.format("if unit.morale > 1 or foe.morale > 1:\n      stop"))
    names = [each.name for each in found if each.address == "rally/1/if"]
    assert names == [
        "rally/1/if line left out",
        "rally/1/if negation unit.morale > 1 or foe.morale > 1 -> not (unit.morale > 1 or foe.morale > 1)",
        "rally/1/if term unit.morale > 1 or foe.morale > 1 -> unit.morale > 1",
        "rally/1/if term unit.morale > 1 or foe.morale > 1 -> foe.morale > 1",
        "rally/1/if role unit -> foe",
        "rally/1/if comparison > -> >=",
        "rally/1/if comparison > -> <=",
        "rally/1/if number 1 -> 2",
        "rally/1/if number 1 -> 0",
        "rally/1/if and-or or -> and",
        "rally/1/if role foe -> unit",
        "rally/1/if comparison > -> >= #2",
        "rally/1/if comparison > -> <= #2",
        "rally/1/if number 1 -> 2 #2",
        "rally/1/if number 1 -> 0 #2",
    ]


def test_every_operator_says_what_it_does() -> None:
    assert all(
        each[0] in "abcdefghijklmnopqrstuvwxyz`" and not each.endswith(".") for each in OPERATOR_DESCRIPTIONS.values()
    )


FLAGS = """\
kind Scout, scouts:
  hidden: flag = no
  tired: flag
  pace: 0..9 = 3
"""


def test_a_condition_wants_another_flag() -> None:
    content = FLAGS + 'tally speed(s: Scout) from 1 "Speed":\n  fast: +1 when s.pace > 2 and s.hidden\n'
    assert _changes("conjunct", content) == [
        ("fast: +1 when s.pace > 2 and s.hidden", "fast: +1 when (s.pace > 2 and s.hidden) and s.tired")
    ]


def test_a_default_is_left_out() -> None:
    content = FLAGS + 'procedure hide(s: Scout, well: flag = no) "Hide":\n  step 1:\n    set s.hidden to well\n'
    assert _changes("default", content) == [
        ("hidden: flag = no", "hidden: flag"),
        ("pace: 0..9 = 3", "pace: 0..9"),
        ('procedure hide(s: Scout, well: flag = no) "Hide":', 'procedure hide(s: Scout, well: flag) "Hide":'),
    ]


def test_rows_change_places() -> None:
    content = FLAGS + (
        'decide first(a: Scout, b: Scout) gives Scout "First":\n'
        "  faster: a when a.pace > b.pace\n  hidden: b when b.hidden\n  tied: a otherwise\n"
    )
    assert _changes("sequence", content) == [
        (
            "faster: a when a.pace > b.pace|hidden: b when b.hidden",
            "hidden: b when b.hidden|faster: a when a.pace > b.pace",
        ),
        ("hidden: b when b.hidden|tied: a otherwise", "tied: a otherwise|hidden: b when b.hidden"),
    ]
