"""Questions of odds that are kept: as scenarios that pass, and that fail once the rules give another answer."""

import json
from pathlib import Path

import pytest

from support.duel_example import START, RunCommand

OF = ["--of", "mordred.health", "--of", "mordred.gone"]
KEPT = "how-often.scenario.yaml"


def test_a_question_is_kept_as_a_scenario_that_passes(run: RunCommand) -> None:
    assert run("odds", *START, *OF, "--policy", "random", "--record", KEPT).exit == 0
    written = Path(KEPT).read_text(encoding="utf-8")
    assert written.splitlines()[1:4] == [
        "ruleset: duel.rules",
        "procedure: strike",
        "with: {striker: gawain, target: mordred}",
    ]
    assert "policy: random" in written
    assert written.endswith(
        "scenarios:\n  how often:\n    expect: {odds: {mordred.health: {0: 1/4, 2: 3/4}, mordred.gone: 1/4}}\n"
    )
    assert run("test", KEPT).out == "1 passed\n"
    rules = Path("duel.rules").read_text(encoding="utf-8")
    assert "< 4" in rules
    Path("duel.rules").write_text(rules.replace("< 4", "< 5"), encoding="utf-8")
    failed = run("test", KEPT)
    assert failed.exit == 1
    assert "expected: 1/4\n    got:      1/6 (16.6667 %)" in failed.out


def test_each_start_that_varies_is_a_case(run: RunCommand) -> None:
    varied = ["--vary", "gawain.health=1, 0", "--vary", "striker=gawain, mordred"]
    assert run("odds", *START, *OF, "--policy", "first", *varied, "--record", KEPT).exit == 1
    written = Path(KEPT).read_text(encoding="utf-8")
    assert '      "gawain.health 1, striker mordred":\n        with: {striker: mordred, target: mordred}\n' in written
    assert (
        '      "gawain.health 0, striker gawain":\n        patch: {knights: {gawain: {health: 0}}}\n'
        "        expect: {refused: [the striker is down]}\n"
    ) in written
    assert run("test", KEPT).out == "4 passed\n"


@pytest.mark.parametrize(
    ("more", "what"),
    [
        (["--best", "blue:mordred.health"], "`--best`"),
        (["--external", "sky={dry: 1}"], "`--external`"),
    ],
)
def test_what_no_scenario_can_ask_is_refused_before_the_work(run: RunCommand, more: list[str], what: str) -> None:
    done = run("odds", *START, *OF, *more, "--record", KEPT)
    assert done.exit == 2
    assert done.err.startswith(f"error RW0784: a scenario cannot ask with {what}, so nothing can be recorded\n")
    assert not Path(KEPT).exists()


def test_only_what_is_known_exactly_is_kept_and_nothing_is_written_over(run: RunCommand) -> None:
    done = run("odds", *START, *OF, "--policy", "random", "--most", "1", "--record", KEPT)
    assert "error RW0784: only odds of plays that all end, within 200,000 moments, can be recorded" in done.err
    assert not Path(KEPT).exists()
    Path(KEPT).write_text("mine\n", encoding="utf-8")
    assert "is there already" in run("odds", *START, *OF, "--policy", "random", "--record", KEPT).err
    assert Path(KEPT).read_text(encoding="utf-8") == "mine\n"


def test_a_change_log_is_written_beside_the_first_screen_and_over_no_other_text(run: RunCommand) -> None:
    rules = Path("duel.rules").read_text(encoding="utf-8")
    Path("new.rules").write_text(rules.replace("< 4", "< 5"), encoding="utf-8")
    compared = ["diff", "duel.rules", "new.rules", "--work", "0", "--log"]
    assert "PLAY UNKNOWN" in run(*compared, "log.md").out
    assert Path("log.md").read_text(encoding="utf-8").startswith("# ")
    assert run(*compared, "log.md").exit == 3
    Path("README.md").write_text("# A duel\n", encoding="utf-8")
    assert "error RW0013: `README.md` holds something else" in run(*compared, "README.md").err
    assert Path("README.md").read_text(encoding="utf-8") == "# A duel\n"


def test_a_kept_question_is_asked_with_the_policy_of_its_scenario(run: RunCommand) -> None:
    run("odds", *START, *OF, "--policy", "random", "--record", KEPT)
    asked = run("odds", KEPT, *OF)
    assert asked.exit == 0
    assert asked.out == run("odds", *START, *OF, "--policy", "random").out
    first = run("odds", KEPT, *OF, "--policy", "first")
    assert first.out == run("odds", *START, *OF, "--policy", "first").out
    played = json.loads(run("simulate", KEPT, *OF, "--runs", "50", "--seed", "1", "--format", "json").out)
    assert played["policy"] == "random"
    again = Path("again.scenario.yaml")
    run("odds", KEPT, *OF, "--record", str(again))
    assert "policy: random" in again.read_text(encoding="utf-8")
