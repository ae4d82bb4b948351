"""Changes of play that were once called equivalent: whatever the seed, a play shows each of them."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from support.duel_example import RunCommand
from support.sample_sizes import sample_cases

HERE = Path(__file__).parent / "missed_changes"
CASES = sorted(HERE.glob("*.yaml"))
RULESETS = Path(__file__).parents[3] / "rulesets"


def revisions(case: dict[str, Any]) -> tuple[str, str]:
    """The places of both revisions of a case, written here; of scenarios only what a case wants `beside`."""
    if "ruleset" in case:
        old, new = Path("old"), Path("new")
        for each in (old, new):
            shutil.copytree(RULESETS / case["ruleset"], each, ignore=shutil.ignore_patterns("*.scenario.yaml"))
        for name in case.get("beside", ()):
            shutil.copy(RULESETS / case["ruleset"] / name, old)
        edited = new / case["file"]
    else:
        old, edited = Path("old.rules"), Path("new.rules")
        new = edited
        rules = case["rules"] if "rules" in case else (HERE / case["text"]).read_text(encoding="utf-8")
        old.write_text(rules, encoding="utf-8")
        edited.write_text(rules, encoding="utf-8")
    text = edited.read_text(encoding="utf-8")
    assert text.count(case["was"]) == 1
    edited.write_text(text.replace(case["was"], case["is"]), encoding="utf-8")
    return str(old), str(new)


def seeded() -> list[object]:
    return [
        pytest.param(path, seed, id=f"{path.stem}, seed {seed}")
        for path in sample_cases(CASES, 8)
        for seed in sample_cases(yaml.safe_load(path.read_text(encoding="utf-8")).get("seeds", [0]), 100)
    ]


@pytest.mark.parametrize(("path", "seed"), seeded())
def test_a_change_of_play_is_found(path: Path, seed: int, run: RunCommand) -> None:
    case = yaml.safe_load(path.read_text(encoding="utf-8"))
    old, new = revisions(case)
    more = [] if {"sort", "left_out"} & {*case} else ["--witnesses", "1"]
    more += ["--work", str(case["work"])] if "work" in case else []
    done = run("diff", old, new, "--seed", str(seed), "--workers", "1", "--seconds", "600", "--format", "json", *more)
    document = json.loads(done.out)
    assert (done.exit, document["verdict"]["word"]) == (1, "changed")
    witnesses = document["played"]["witnesses"]
    assert witnesses or document["played"]["values"]
    if "sort" in case:
        assert case["sort"] in {each["sort"] for each in witnesses}
    if "left_out" in case:
        assert any(case["left_out"] not in each[side]["roles"] for each in witnesses for side in ("old", "new"))


SETTLED = """\
ruleset march "A march" revision "1"
kind Unit, units:
  owner: player
  wounds: 0..9 = 0
  speed: 1..4 = 2

whenever tired for each u in units "Tires":
  when u.wounds >= 5 and u.speed > 1
  priority 1
  lowers sum(each x in units: x.speed)
  take up to 1 from u.speed

procedure march(a: Unit, b: Unit) "March":
  together:
    add up to 1 to a.wounds
    add up to 1 to b.wounds
"""
TOGETHER = "  together:\n    add up to 1 to a.wounds\n    add up to 1 to b.wounds\n"
APART = "  add up to 1 to a.wounds\n  add up to 1 to b.wounds\n"


def verdict(old: str, new: str, run: RunCommand) -> tuple[int, str, str]:
    Path("old.rules").write_text(old, encoding="utf-8")
    Path("new.rules").write_text(new, encoding="utf-8")
    done = run("diff", "old.rules", "new.rules", "--work", "200000", "--workers", "1", "--format", "json")
    said = json.loads(done.out)["verdict"]
    return done.exit, said["word"], said["how"]


def test_plays_alone_do_not_show_what_standing_rules_make_of_an_order(run: RunCommand) -> None:
    exit_, word, how = verdict(SETTLED, SETTLED.replace(TOGETHER, APART), run)
    assert (exit_, word) == (3, "unknown")
    assert re.fullmatch(r"nothing differed in \d+ plays", how)
    turned = APART.splitlines(keepends=True)[::-1]
    exit_, word, how = verdict(SETTLED.replace(TOGETHER, APART), SETTLED.replace(TOGETHER, "".join(turned)), run)
    assert (exit_, word) == (3, "unknown")
    assert re.fullmatch(r"nothing differed in \d+ plays", how)


def test_together_says_nothing_where_nobody_looks(run: RunCommand) -> None:
    unwatched = SETTLED.replace("u.wounds >= 5", "u.speed > 2")
    exit_, word, how = verdict(unwatched, unwatched.replace(TOGETHER, APART), run)
    assert (exit_, word, how) == (0, "equivalent", "proved")
