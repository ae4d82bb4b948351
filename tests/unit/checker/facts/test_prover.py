"""One test for each fact that counts as a proof (manual, Proofs)."""

from collections.abc import Callable

import pytest

SILENT = {
    "bounds of types": "give(u.speed)",
    "min and max": "give(max(1, min(6, n)))",
    "the condition of an if": "if(n >= 1 and n <= 6, give(n), no)",
    "what and says first": "n > 0 and n < 7 and give(n)",
    "what or leaves": "n = 0 or n > 6 or give(n)",
    "the other branch": "if(n < 1, no, if(n > 6, no, give(n)))",
    "in a range": "n in 1..6 and give(n)",
    "equal to something bounded": "n = u.speed and give(n)",
    "a bound left out": "n <= 6 and n != 0 and give(n)",
    "adding a constant": "n + 1 <= 7 and n >= 1 and give(n)",
    "terms opened": "fair(n) and give(n)",
    "rows opened": "sound(u, n) and give(n)",
    "where of a member": "every x in units where x.morale in 1..6: give(x.morale)",
    "the condition of a filter": "some k in [each m in 0..9 where m in 1..6: m] where give(k)",
    "some makes a collection not empty": "(some x in units) and min(each x in units: x.morale) > 2",
    "a loop has a member": "every x in units: min(each y in units: y.morale) <= 9",
    "a count of one": "count(u.friends) = 1 and (the x in u.friends) = t",
    "unequal attributes": "u.owner != t.owner and other(u, {u, t}) = t",
    "not none": "hero != none and hero.strong",
    "equal to something is not none": "hero = u and hero.strong",
    "a member is not none": "hero in units and hero.strong",
}
TERMS = """\
term give(k: 1..6) gives flag means k > 3
term fair(k: 0..9) gives flag means k >= 1 and k <= 6
term sound(a: Unit, k: 0..9) when all:
  least: k >= 1
  most: k <= 6
  alive: not a.gone
"""


@pytest.mark.parametrize("name", SILENT)
def test_known(infer_measure: Callable[..., tuple[str, list[str]]], name: str) -> None:
    assert infer_measure(SILENT[name], more=TERMS) == ("flag", [])


UNKNOWN = {
    "give(n)": "RW0402 <n> argument `k` of `give` must be `1..6`, but may be `0..9` here",
    "n >= 1 and give(n)": "RW0402 <n> argument `k` of `give` must be `1..6`, but may be `1..9` here",
    "n < 7 or give(n)": "RW0401 <n> argument `k` of `give` must be `1..6`, but is always `7..9` here",
    "min(each x in units: x.morale) > 2": "RW0406 <min(each x in units: x.morale)> `min` may have no members here",
    "(the x in u.friends) = t": "RW0405 <the x in u.friends> `the` may not find exactly one member here",
    "other(u, {u, t}) = t": "RW0407 <other(u, {u, t})> this may not be a set of two with `u` in it",
    "other(u, {t}) = t": "RW0407 <other(u, {t})> `other` needs a set of two with `u` in it, and this never is one",
}


@pytest.mark.parametrize(("expression", "message"), UNKNOWN.items())
def test_not_known(infer_measure: Callable[..., tuple[str, list[str]]], expression: str, message: str) -> None:
    assert infer_measure(expression, more=TERMS)[1] == [message]


CONSTANT = {
    "if(n > 12, 1, 2)": "RW0404 <n > 12> this condition is always `no` here",
    "if(n >= 0, 1, 2)": "RW0404 <n >= 0> this condition is always `yes` here",
    "if(n > 3, if(n > 2, 1, 2), 3)": "RW0404 <n > 2> this condition is always `yes` here",
    "if(u = none, 1, 2)": "RW0404 <u = none> this condition is always `no` here",
    "if(u = u, 1, 2)": "RW0404 <u = u> this condition is always `yes` here",
}


@pytest.mark.parametrize(("expression", "message"), CONSTANT.items())
def test_constant_condition(infer_measure: Callable[..., tuple[str, list[str]]], expression: str, message: str) -> None:
    assert infer_measure(expression)[1] == [message]
