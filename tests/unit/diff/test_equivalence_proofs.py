"""What is proved of two revisions beyond equal normal forms, what must not be, and that the answer is always the same."""

import subprocess
import sys
from pathlib import Path

import pytest

from rulewright.diff.comparison import RulesetComparison, compare_rulesets
from rulewright.diff.differential_testing.play_comparison import compare_plays
from rulewright.diff.differential_testing.results import ChangedNames, ComparisonEffort
from rulewright.diff.mutant_judging import explain_equivalence
from support.reference.ruleset_texts import load_text
from support.revision_pairs import check_text, match_names
from support.sample_sizes import sample_cases

TEXT = """ruleset sums "Sums" revision "1"
values Health: fresh, tired, worn, down
kind Unit, units "A unit":
  owner: player
  n: -4..6 = 0
  m: 0..9 = 3
  seen: 0..9 = 3
  flag: flag
  health: Health
  friend: Unit?
game:
  round: 0..9 = 0
setting hard: flag = no "hard"
whenever stale for each u in units:
  when u.seen = 0
  priority 1
  lowers count(units)
  remove u
term asked(u: Unit, v: Unit) gives flag means {flag}
term counted(u: Unit, v: Unit) gives -99..999 means {number}
decide rated(u: Unit) gives 0..9:
{rows}
tally summed(u: Unit) from u.m:
{changes}
procedure act(u: Unit, v: Unit) gives -999..999 "Act":
  step 1 "Lines":
{lines}
  step 2 "Told":
    finish with counted(u, v) + rated(u) + summed(u) + if(asked(u, v), 100, 0) + u.n + v.n
"""
PLAIN = {
    "flag": "u.flag",
    "number": "u.n",
    "rows": "  low: 1 when u.m < 3\n  high: 2 when u.m > 6\n  rest: 3 otherwise",
    "changes": "  one: +1 when u.flag\n  two: +u.n when hard",
    "lines": "    set u.n to 2",
}


def text(**parts: str) -> str:
    found = TEXT
    for name, value in {**PLAIN, **parts}.items():
        found = found.replace(f"{{{name}}}", value)
    return found


def compared(what: str, old: str, new: str) -> RulesetComparison:
    return compare_rulesets(load_text(text(**{what: old})), load_text(text(**{what: new})))


def lines(*said: str) -> str:
    return "\n".join(f"    {each}" for each in said)


ALIKE = [
    ("flag", "u.m > 2", "not (u.m < 3)"),
    ("flag", "u.m + u.m = 8", "u.m = 4"),
    ("flag", "u.health in {fresh, tired}", "u.health < worn"),
    ("flag", "u.health != down", "u.health in {fresh, tired, worn}"),
    ("flag", "some x in units where x.m > 2 and x.flag", "some x in units where x.flag and x.m >= 3"),
    (
        "flag",
        "no x in {each y in units where y.flag} where x.m > 4",
        "every x in {each y in units where y.flag}: x.m < 5",
    ),
    ("flag", "u.friend = none or u.friend.flag", "if(u.friend != none, u.friend.flag, yes)"),
    ("flag", "u.flag = v.flag", "(u.flag and v.flag) or not (u.flag or v.flag)"),
    ("flag", "u in {each x in units where x.flag}", "u in units and u.flag"),
    ("flag", "along(u.health, 1) = down", "u.health in {worn, down}"),
    ("flag", "hard and (u.flag or not hard)", "hard and u.flag"),
    ("flag", "u.m in 2..5", "u.m >= 2 and u.m < 6"),
    ("number", "floor((u.m + 1) / 2)", "ceiling(u.m / 2)"),
    ("number", "max(u.n, u.m)", "if(u.n < u.m, u.m, u.n)"),
    ("number", "abs(u.n)", "max(u.n, -u.n)"),
    ("number", "3 * (u.n + u.m) - u.n", "2 * u.n + 3 * u.m"),
    ("number", "round(u.n / 2)", "max(-1, min(1, u.n)) * floor(abs(u.n) / 2 + 1 / 2)"),
    ("number", "sum(each x in units where x.flag: x.n + x.n)", "sum(each x in units where x.flag: 2 * x.n)"),
    ("number", "count(each i in 1..3 where i < u.m)", "max(0, min(3, u.m - 1))"),
    ("number", "count({each x in units where not (x.m > 3)})", "count(each x in units where x.m < 4)"),
    (
        "rows",
        PLAIN["rows"],
        "  high: 2 when u.m >= 7\n  low: 1 when u.m <= 2\n  rest: 3 otherwise",
    ),
    ("rows", PLAIN["rows"], "  high: 2 when u.m in 7..9\n  low: 1 when u.m < 5 and not u.m > 2\n  rest: 3 otherwise"),
    ("changes", PLAIN["changes"], "  two: +u.n when hard\n  one: +1 when u.flag"),
    ("changes", PLAIN["changes"], "  one: +if(u.flag, 1, 0)\n  two: -(-u.n) when not not hard"),
    ("lines", lines("set u.n to 2", "set u.m to 3"), lines("set u.m to 3", "set u.n to 2")),
    ("lines", lines("take up to 1 from u.m", "take up to 1 from u.m"), lines("take up to 2 from u.m")),
    (
        "lines",
        lines("if u.flag:", "  set u.n to 2", "else:", "  set u.n to 3"),
        lines("set u.n to if(u.flag, 2, 3)"),
    ),
    ("lines", lines("let k = u.m + 1", "set u.n to if(k > 3, 1, 0)"), lines("set u.n to if(u.m >= 3, 1, 0)")),
]
LEFT = lines(
    "let k: 0..9 = 0",
    "for each x in units:",
    "  set k to {}",
    '  ask u.owner for y in units "Which?":',
    "    stop",
    "  else:",
    "    nothing",
    "  set k to 5",
    "set u.m to k",
)
"""A loop that is left while a name holds another value than at its end."""
APART = [
    ("flag", "u.m > 2", "u.m > 3"),
    ("flag", "u.m > 0 and v.n / u.m > 1", "v.n / u.m > 1 and u.m > 0"),
    ("flag", "some x in units where x.flag and x.m > 2", "some x in units where x.flag and x.m > 3"),
    ("flag", "u.health in {fresh, tired}", "u.health in {fresh, worn}"),
    ("flag", "u.friend = v", "v.friend = u"),
    ("flag", "hard or u.flag", "u.flag"),
    ("flag", "u.m / 2 in 1..3", "u.m / 2 >= 1 and u.m / 2 <= 3"),
    ("number", "floor(v.n / 2)", "ceiling(v.n / 2)"),
    ("number", "round(v.n / 2)", "floor(v.n / 2 + 1 / 2)"),
    ("number", "count(each x in units where x.flag)", "count(each x in units where x.flag or x.m = 9)"),
    ("number", "count({each x in [u, v] where x.m > 2: x})", "count([each x in [u, v] where x.m > 2: x])"),
    ("number", "sum({u.m, v.m})", "u.m + v.m"),
    (
        "number",
        "count(each i in 1..u.m where i < 10) + count(each i in 1..u.m + 40 where 0 < i)",
        "count(each i in 1..u.m where 0 < i) + count(each i in 1..u.m + 40 where i < 10)",
    ),
    ("rows", PLAIN["rows"], "  low: 1 when u.m < 3\n  high: 2 when u.m > 5\n  rest: 3 otherwise"),
    ("rows", PLAIN["rows"], "  wide: 3 when u.m < 7 and u.m > 1\n  low: 1 when u.m < 3\n  rest: 2 otherwise"),
    ("changes", "  one: +1 when u.flag\n  most: at most 5", "  most: at most 5\n  one: +1 when u.flag"),
    ("lines", lines("set u.n to 2", "set v.n to 3"), lines("set v.n to 3", "set u.n to 2")),
    ("lines", lines("set u.n to v.n", "set v.n to 2"), lines("set v.n to 2", "set u.n to v.n")),
    ("lines", lines("take up to 4 from u.n"), lines("set u.n to max(-4, u.n - 3)")),
    ("lines", LEFT.format(1), LEFT.format(2)),
]
UNSAID = [
    ("lines", lines("take up to 2 from u.seen", "set u.seen to 5"), lines("set u.seen to 5")),
    ("lines", lines("take up to 1 from u.seen", "take up to 1 from u.seen"), lines("take up to 2 from u.seen")),
]
"""Lines whose changes a standing rule may see in between."""


@pytest.mark.parametrize(("what", "old", "new"), ALIKE)
def test_proved(what: str, old: str, new: str) -> None:
    assert str(compared(what, old, new).static_verdict) == "equivalent (proved)"


@pytest.mark.parametrize(("what", "old", "new"), APART)
def test_not_proved_and_a_play_shows_it(what: str, old: str, new: str) -> None:
    found = compared(what, old, new)
    assert found.static_verdict is None
    first, second = check_text(text(**{what: old})), check_text(text(**{what: new}))
    changed = ChangedNames(found.unproved.old, found.unproved.new)
    effort = ComparisonEffort(work=600_000, workers=1, shrinks=0)
    played = compare_plays(first, second, match_names(first, second), changed, effort=effort)
    assert played.verdict.word == "changed", played.verdict


@pytest.mark.parametrize(
    ("what", "new"),
    [
        ("changes", "  one: +u.n when hard\n  two: +1 when u.flag"),
        ("changes", "  both: +if(u.flag, 1, 0) + if(hard, u.n, 0)"),
    ],
)
def test_another_row_that_decides_is_no_other_play_but_told_in_stories(what: str, new: str) -> None:
    found = compared(what, PLAIN[what], new).static_verdict
    assert found is not None
    assert found.word == "equivalent"
    assert not explain_equivalence(check_text(text()), check_text(text(**{what: new})))


@pytest.mark.parametrize(("what", "old", "new"), UNSAID)
def test_what_a_standing_rule_may_see_is_not_proved(what: str, old: str, new: str) -> None:
    assert compared(what, old, new).static_verdict is None


def test_whoever_is_asked_for_a_value_is_asked_alike() -> None:
    outside = TEXT.replace("term asked", "external term luck(u: Unit) gives 0..3\nterm asked")

    def known(old: str, new: str) -> str:
        both = [outside.replace("{flag}", each) for each in (old, new)]
        for name, value in PLAIN.items():
            both = [each.replace(f"{{{name}}}", value) for each in both]
        return str(compare_rulesets(*map(load_text, both)).static_verdict)

    assert known("u.flag and luck(u) > 1", "luck(u) > 1 and u.flag") == "None"
    assert known("u.flag and luck(u) > 1", "u.flag and luck(v) > 1") == "None"
    assert known("u.m > 2 and luck(u) > 1", "u.m + u.m > 4 and not (luck(u) < 2)") == "equivalent (proved)"


def test_a_function_of_wider_results_leaves_names_their_bounds() -> None:
    """`took` may hold 0..3 and then 0..9: what is added to it stops elsewhere, though the function gives the same."""
    lines_ = lines("let took = counted_up(u)", "add up to 5 to took", "set u.m to took")
    rest = text(lines=lines_).replace(
        "procedure act", "term counted_up(u: Unit) gives {} means min(u.m, 3)\nprocedure act"
    )
    found = compare_rulesets(*(load_text(rest.replace("gives {}", f"gives {each}")) for each in ("0..3", "0..4")))
    assert found.static_verdict is None


def test_what_may_be_given_counts() -> None:
    rules = text().replace("act(u: Unit, v: Unit)", "act(u: Unit, v: Unit, k: 0..{})")
    assert (
        compare_rulesets(*(load_text(rules.replace("0..{}", f"0..{each}")) for each in (20, 21))).static_verdict is None
    )


def test_what_only_one_revision_may_hold_is_not_proved() -> None:
    old = text(flag="u.m > 2")
    new = text(flag="u.m >= 3").replace("m: 0..9 = 3", "m: 0..8 = 3")
    found = compare_rulesets(load_text(old), load_text(new))
    assert found.static_verdict is None
    assert "attribute" in {each.sort for each in found.unproved.old}


_SAID = """
import sys
sys.path[:0] = {paths!r}
from test_equivalence_proofs import APART, compared
print([(each.static_verdict, each.unproved) for each in (compared(*one) for one in APART[{first}:{first} + 3])])
"""


@pytest.mark.parametrize("first", sample_cases([1, 7], 2))
def test_the_same_texts_give_the_same_answer(first: int) -> None:
    here = Path(__file__).parent
    paths = [str(here), str(here.parents[1])]
    said = set()
    for seed in ("1", "77"):
        run = subprocess.run(
            [sys.executable, "-c", _SAID.format(paths=paths, first=first)],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed, "PATH": "/usr/bin:/bin"},
        )
        said.add(run.stdout)
    assert len(said) == 1
