"""What the language decides where a text leaves it open is said once, unless the text says that it is meant."""

import pytest

from support.reference.ruleset_texts import load_files

HEAD = """ruleset example "Example" revision "1"
document EX "Example"
values Weather: dry, wet
kind Unit, units:
  owner: player
  health: 0..9
  strength: 0..9
  brave: flag = no
"""
CODES = {"RW0564", "RW0565", "RW0566", "RW0567", "RW0568"}


def codes(text: str, **beside: str) -> list[str]:
    files = {"example.rules": HEAD + text, **{f"{name}.rules": content for name, content in beside.items()}}
    found = load_files(files).diagnostics
    assert not [each for each in found if each.severity.value == "error"], found
    return [each.code for each in found if each.code in CODES]


def window(event: str, *handlers: str) -> str:
    acts = "".join(f"handler h{number} {each}:\n  take up to 1 from u.health\n" for number, each in enumerate(handlers))
    return f"event clash(a: Unit, b: Unit):\n{event}{acts}procedure fight(a: Unit, b: Unit):\n  trigger clash(a, b)\n"


ALL = "for each u in units on clash"


@pytest.mark.parametrize(
    ("event", "handlers"),
    [
        ("  holders units\n", [ALL]),
        ("  holders {a, b}\n", ["for each u in {a, b} on clash"]),
        ("  holders {a, b}\n", ["for each u in {a} on clash", "for each u in {b} on clash"]),
        ("  holders units\n", [f"{ALL} when u.owner = a.owner", f"{ALL} when u.owner = b.owner"]),
        ("  holders units\n", [f"{ALL} when u.owner != a.owner"]),
    ],
)
def test_a_window_without_an_order(event: str, handlers: list[str]) -> None:
    assert codes(window(event, *handlers)) == ["RW0564"]


@pytest.mark.parametrize(
    ("event", "handlers"),
    [
        ("  holders units\n", []),
        ("  holders units\n  order by [a.owner]\n", [ALL, ALL.replace("units", "{a}")]),
        ("  holders units\n  order by [each p in players]\n", [ALL]),
        ("  holders {a}\n", ["for each u in {a} on clash", "for each u in {a} on clash"]),
        ("  holders units\n", ["for each u in {b} on clash"]),
        ("  holders {each x in units where x.owner = a.owner}\n", [ALL, ALL]),
        ("  holders units\n", [f"{ALL} when u.owner = a.owner", f"{ALL} when a.owner = u.owner and u.brave"]),
        ("  holders units\n", ["for each u in units where u.owner = a.owner on clash"]),
    ],
)
def test_a_window_that_needs_no_order(event: str, handlers: list[str]) -> None:
    assert codes(window(event, *handlers)) == []


def decide(rows: str, before: str = "") -> str:
    lines = "".join(f"  {row}\n" for row in rows.splitlines())
    return f"{before}decide winner(a: Unit, b: Unit, n: 0..9, w: Weather) gives Unit:\n{lines}"


@pytest.mark.parametrize(
    "rows",
    [
        "one: a when a.health > b.health\ntwo: b when b.strength > a.strength\nrest: a otherwise",
        "one: a when a.brave\ntwo: b when b.brave\nrest: a otherwise",
        "one: a when n <= 5\ntwo: b when n >= 3 and n != 9\nrest: a otherwise",
        "one: a when w = dry\ntwo: b when n = 3\nrest: a otherwise",
        "none: b when n = 0\none: a when a.brave\ntwo: b when b.brave\nrest: a otherwise",
    ],
)
def test_rows_that_overlap(rows: str) -> None:
    assert codes(decide(rows)) == ["RW0565"]
    assert codes(decide(rows, 'ruling EX.1 "the order is meant"\n')) == []
    assert codes(decide("\n".join(f"{row}  @{n}" for n, row in enumerate(rows.splitlines())))) == ["RW0565"]


@pytest.mark.parametrize(
    "rows",
    [
        "one: a when a.health > b.health\ntwo: b when a.health < b.health\nrest: a otherwise",
        "one: a when n >= 5\ntwo: b when n >= 3\nrest: a otherwise",
        "one: a when a.brave and b.brave\ntwo: b when b.brave\nrest: a otherwise",
        "one: a when a.brave\ntwo: a when b.brave\nrest: b otherwise",
        "one: a when w = dry\ntwo: b when w = wet",
        "one: a when a.brave\nrest: b otherwise",
        "one: a when n = 1\ntwo: b when n = 2\nthree: a when n > 4\nrest: b otherwise",
    ],
)
def test_rows_whose_order_says_nothing(rows: str) -> None:
    assert codes(decide(rows)) == []


def test_rows_of_a_line_that_overlap() -> None:
    text = (
        "procedure fight(a: Unit, b: Unit):\n{above}"
        "  decide winner:\n    one: a when a.brave\n    two: b when b.brave\n    rest: a otherwise\n"
        "  set winner.health to 3\n"
    )
    assert codes(text.format(above="")) == ["RW0565"]
    assert codes(text.format(above='  ruling EX.1 "a counts first"\n')) == []


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        ("one: +1 when u.brave\ntwo: +1 when u.brave", ["RW0566"]),
        ("one: +1 for each x in units where x.brave\ntwo: +1 for each y in units where y.brave", ["RW0566"]),
        ("one: +1 when u.brave\ntwo: +1 when u.brave\nthree: +1 when u.brave", ["RW0566", "RW0566"]),
        ("one: +1 when u.brave  @1\ntwo: +1 when u.brave  @2", ["RW0566"]),
        ("one: +1 when u.brave  @1\ntwo: +1 when u.brave  @1", ["RW0566"]),
        ("one: +1 when u.brave\ntwo: +2 when u.brave", []),
        ("one: +1 when u.brave\ntwo: +1 when not u.brave", []),
        ("one: +1\ntwo: +1", []),
    ],
)
def test_a_row_of_a_tally_twice(rows: str, found: list[str]) -> None:
    lines = "".join(f"  {row}\n" for row in rows.splitlines())
    assert codes(f"tally needed(u: Unit) from 4:\n{lines}") == found


def test_parts_of_a_result() -> None:
    text = (
        "external procedure test(u: Unit) gives (wounds: 0..9, tokens: 0..9)\n"
        "procedure fight(u: Unit):\n  perform test(u) as done\n  take up to done.wounds from u.health\n"
    )
    assert codes(text) == ["RW0567"]
    assert codes(text + "  take up to done.tokens from u.health\n") == []


FIELD = "game:\n  round: 1..9{start}{cite}\nprocedure rest(u: Unit):\n  require early: round <= 3\n  remove u\n"


def test_a_field_of_the_game_that_nothing_sets() -> None:
    text = FIELD.format(start=" = 1", cite="")
    assert codes(text) == ["RW0568"]
    assert codes(FIELD.format(start="", cite="")) == []
    assert codes(FIELD.format(start=" = 1", cite="  @1")) == ["RW0568"]
    assert codes('ruling EX.1 "as the book has it"\n' + text) == []
    assert codes(text + "procedure next():\n  add up to 1 to round\n") == []
    assert codes(text + "external procedure next() changes round\n") == []
    assert codes(text, mine='amends example revision "2"\ninsert into rest:\n  set round to 2\n') == []
