"""What is refused in expressions: the code, the text underlined, and the message."""

from collections.abc import Callable

import pytest

REFUSED = {
    "names": [
        ("moral", "RW0301 <moral> `moral` is not known here"),
        ("u.moral", "RW0306 <moral> `Unit` has no attribute `moral`"),
        ("n.size", "RW0307 <size> `n` is a number from 0 to 9 and has no attributes, so no `size`"),
        ("out", "RW0303 <out> the list of the word `out` is not clear here"),
        ("{fit, out}", "RW0303 <fit> the list of the word `fit` is not clear here"),
        ("u.health = sword", "RW0304 <sword> `sword` is not a word of `Health`"),
        ("Health.sword", "RW0304 <sword> `sword` is not a word of `Health`"),
        ("some u in units", "RW0312 <u> `u` has a meaning here already"),
    ],
    "types": [
        ("n and yes", "RW0302 <n> the left side of `and` must be a flag (yes or no), and `n` is a number from 0 to 9"),
        ("not n", "RW0302 <n> what follows `not` must be a flag (yes or no), and `n` is a number from 0 to 9"),
        ("n = u", "RW0309 <n = u> `n` is a number from 0 to 9 and `u` is a Unit, so they are never equal"),
        (
            "n in units",
            "RW0309 <n in units> `n` is a number from 0 to 9, but each member is a Unit",
        ),
        ("u + 1", "RW0308 <u> `+` needs a number, and `u` is a Unit"),
        ("u.friends + u", "RW0308 <u.friends + u> `+` joins like collections, not `set of Unit` and `Unit`"),
        ("u < t", "RW0331 <u> `<` compares numbers or words, and `u` is a Unit"),
        ("1..(n / 2)", "RW0310 <n / 2> `..` needs whole numbers, and this may be a fraction"),
        ("{}", "RW0311 <{}> the type of this value is not clear"),
        ("none", "RW0311 <none> the type of this value is not clear"),
        ("[u, 1]", "RW0325 <[u, 1]> the members are not of one sort: a Unit, a number"),
        ("if(n > 1, u, 1)", "RW0325 <if(n > 1, u, 1)> one value is a Unit, and the other a number"),
        ("count(n)", "RW0318 <n> `n` is a number from 0 to 9, not a collection"),
        ("n[1]", "RW0320 <n[1]> only maps and lists have entries, and `n` is a number from 0 to 9"),
        ("no (a, b) in units", "RW0319 <a, b> 2 names for members that have 1 part"),
    ],
    "calls": [
        ("wond(u)", "RW0314 <wond> there is no function `wond`"),
        ("melee(u)", "RW0315 <melee(u)> `melee` lacks `b`"),
        ("melee(u, t, u)", "RW0315 <u> `melee` takes 2 arguments, and this is one too many"),
        ("melee(a: u, c: t)", "RW0316 <c> `melee` has no `c`"),
        ("melee(u, n)", "RW0317 <n> argument `b` of `melee` must be a Unit, and `n` is a number from 0 to 9"),
        ("distance(u, t.at)", "RW0317 <u> `distance` takes cells of a board, and `u` is a Unit"),
        ("contact(u)", "RW0315 <contact(u)> `contact` takes 2 arguments, not 1"),
    ],
    "spelling": [
        ("u.friends = {}", "RW0321 <u.friends = {}> you cannot compare with `{}`"),
        ("count(units) < 0", "RW0322 <count(units) < 0> a count is never below 0"),
        ("not (some x in units)", "RW0323 <not (some x in units)> `not some` is written `no`"),
    ],
    "none": [
        ("u.leader.morale", "RW0403 <u.leader> `u.leader` may be `none` here"),
        ("u.leader.morale > 1 and u.leader != none", "RW0403 <u.leader> `u.leader` may be `none` here"),
        ("u.leader = none and u.leader.strong", "RW0403 <u.leader> `u.leader` may be `none` here"),
    ],
}


@pytest.mark.parametrize(("expression", "message"), [case for cases in REFUSED.values() for case in cases])
def test_refused(infer_measure: Callable[..., tuple[str, list[str]]], expression: str, message: str) -> None:
    assert infer_measure(expression) == ("", [message])


def test_one_cause_has_one_message(infer_measure: Callable[..., tuple[str, list[str]]]) -> None:
    assert infer_measure("moral + 1 > 3 and u in {moral}") == (
        "",
        ["RW0301 <moral> `moral` is not known here", "RW0301 <moral> `moral` is not known here"],
    )


def test_events_and_procedures_have_no_value(infer_measure: Callable[..., tuple[str, list[str]]]) -> None:
    more = "event seen(x: Unit)\n"
    assert infer_measure("seen(u)", more=more) == ("", ["RW0313 <seen(u)> `seen` is an event and has no value here"])
