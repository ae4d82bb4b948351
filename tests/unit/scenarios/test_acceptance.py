"""What `rulewright test --accept` shows, asks and writes."""

import io
import json
import shutil
from pathlib import Path
from unittest.mock import patch

import pytest

from rulewright.base.diagnostics.pages import find_page
from rulewright.cli import test as verb
from rulewright.cli.main import run_command_line
from support.strike_scenarios import SHIELDED_STRIKE_HEAD

EXAMPLE = Path(__file__).parent / "example"
FILE = "duel.scenario.yaml"
REASON = '"7 is not possible: answer `parry` or `dodge`"'


class Terminal(io.StringIO):
    """A keyboard, or what is shown."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(EXAMPLE, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("NO_COLOR", "1")
    return tmp_path


def accepted(scenarios: str, *arguments: str) -> tuple[int, str]:
    """How `--accept --yes` ends, and the scenarios afterwards."""
    Path(FILE).write_text(SHIELDED_STRIKE_HEAD + scenarios, encoding="utf-8")
    code = run_command_line(["test", "--accept", "--yes", *arguments])
    after = Path(FILE).read_text(encoding="utf-8")
    assert after.startswith(SHIELDED_STRIKE_HEAD)
    return int(code), after.removeprefix(SHIELDED_STRIKE_HEAD)


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("{result: 3}", "{result: 1}"),
        ("{path: [1, 3]}", "{path: [1, 2, 3]}"),
        ("{path: [strike/1, 2, 3, 2]}", "{path: [strike/1, 2, 3]}"),
        ("{passed_over: [2]}", "{passed_over: []}"),
        ("{asked: [1/blow]}", "{asked: [1/blow, 2/answer]}"),
        ("{asked: [{at: 1/blow, by: blue}]}", "{asked: [{at: 1/blow, by: red}, {at: 2/answer, by: blue}]}"),
        ("{asked_of: {2/answer: red, 1/blow: red}}", "{asked_of: {2/answer: blue, 1/blow: red}}"),
        ("{offered: {2/answer: [dodge]}}", "{offered: {2/answer: [parry, dodge]}}"),
        (
            "{rejects: [{at: 2/answer, answer: 7, because: late}]}",
            f"{{rejects: [{{at: 2/answer, answer: 7, because: {REASON}}}]}}",
        ),
        ("{decided: {harm: deep}}", "{decided: {harm: plain}}"),
        ("{applied: [needed/wounded, needed/shield]}", "{applied: [needed/shield]}"),
        ("{not_applied: [needed/wounded, needed/shield]}", "{not_applied: [needed/wounded]}"),
        ("{counted: {needed: {wounded: 1}}}", "{counted: {needed: {shield: 1}}}"),
        ("{values: {2/answer: parry}}", "{values: {2/answer: dodge}}"),
        ("{measures: {health_left: 8}}", "{measures: {health_left: 7}}"),
        (
            "{state: {knights: {mordred: {health: 3, shield: yes}}}}",
            "{state: {knights: {mordred: {health: 2, shield: yes}}}}",
        ),
        ("{changes: {}}", "{changes: {knights: {mordred: {health: 2}}}}"),
        (
            "{changes: {knights: {gawain: {health: 4}, mordred: {shield: yes}}}}",
            "{changes: {knights: {mordred: {health: 2}}}}",
        ),
    ],
)
def test_an_expectation_says_what_came(wrong: str, right: str) -> None:
    before, after = (f"  a dodge:   # quick\n    script: [[5], dodge]\n    expect: {each}\n" for each in (wrong, right))
    assert accepted(before) == (0, after)
    assert run_command_line(["test"]) == 0


def test_reasons_and_faults_are_accepted() -> None:
    before = """\
  out of turn:
    with: {striker: mordred, target: gawain}
    expect: {refused: [no]}   # who begins?
  too much wind:
    procedure: gust
    with: {k: gawain}
    patch: {knights: {gawain: {health: 9}}}
    script: [{result: 2}]
    expect: {fault: RW0802}
"""
    after = before.replace("[no]", "[only the active player strikes]").replace("RW0802", "RW0801")
    assert accepted(before) == (0, after)


def test_answers_that_nothing_asks_for_any_more_are_taken_out() -> None:
    before = """\
  by address:
    script: {1/blow: 3, 2/answer: dodge}   # too low
    expect: {result: 1}
  in order: {script: [[3], dodge], expect: {result: 0}}
  shared:
    script: {1/blow: 3, 2/answer: dodge}
    expect: {result: 0}
    cases: {one: {}, two: {}}
"""
    after = before.replace("1/blow: 3, 2/answer: dodge", "1/blow: 3").replace("result: 1", "result: 0")
    assert accepted(before) == (0, after.replace("[[3], dodge]", "[[3]]"))


def test_a_script_stays_where_a_case_that_shares_it_needs_all_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    before = """\
  shared:
    script: {1/blow: 5, 2/answer: dodge}
    expect: {result: 1}
    cases:
      a shield: {}
      none: {patch: {knights: {mordred: {shield: no}}}}
"""
    assert accepted(before) == (2, before)
    assert (
        "RW1050: `script` of `shared / none` is not accepted: `shared / a shield` shares it" in capsys.readouterr().out
    )


SHARED = """\
  blows:
    expect: {result: 1}
    patch: {knights: {mordred: {shield: no}}}
    cases:
      four: {script: [[4]]}
      five: {script: [[5]]}
"""


def test_cases_that_share_an_expectation_must_agree(capsys: pytest.CaptureFixture[str]) -> None:
    before = SHARED.replace("[[5]]", "[[3]]")
    assert accepted(before) == (1, before)
    assert "warning RW1050: `result` of `blows / five` is not accepted: `blows / four` shares it" in (
        capsys.readouterr().out
    )
    before = SHARED.replace("result: 1", "result: 2")
    assert accepted(before, "-k", "five") == (1, before)
    assert accepted(before) == (0, SHARED)


def test_only_what_was_selected_is_accepted() -> None:
    before = "  one: {script: [[3]], expect: {result: 1}}\n  two: {script: [[3]], expect: {result: 1}}\n"
    after = "  one: {script: [[3]], expect: {result: 1}}\n  two: {script: [[3]], expect: {result: 0}}\n"
    assert accepted(before, "-k", "two") == (0, after)


def test_several_workers_accept_the_same() -> None:
    before = "  one: {script: [[3]], expect: {result: 1}}\n  two: {script: [[3]], expect: {result: 1}}\n"
    assert accepted(before, "--workers", "2") == (0, before.replace("result: 1", "result: 0"))


LEFT = [
    ("{script: [[3]], expect: {refused: [no]}}", "RW1051: `refused`", "the play ends in another way"),
    ("{script: [[3]], expect: {fault: no}}", "RW1051: `fault`", "the play ends in another way"),
    (
        "{with: {striker: mordred, target: gawain}, expect: {result: 1}}",
        "RW1051: what is expected",
        "the play ends in another way",
    ),
    ("{script: [[3]], expect: {applied: [needed/wounded]}}", "RW1051: `applied`", "nothing would be left"),
    (
        '{script: [[3]], expect: {always: ["count(knights) = 9"]}}',
        "RW1051: `always`",
        "a condition of it does not hold",
    ),
    ("{script: [[3]], expect: {offered: {2/answer: [parry]}}}", "RW1051: `offered`", "nothing would be left of it"),
    (
        "{script: [[5], dodge], expect: {rejects: [{at: 2/answer, answer: parry, because: no}]}}",
        "RW1051: `rejects`",
        "the answer is accepted at `strike/2/answer`",
    ),
    ("{seed: 1, plays: 9, policy: random, expect: {result: 3}}", "RW1052: `result`", "it would fail again"),
    ("{script: [[3]], expect: {result: &a 1}}\n  b: {skip: *a}", "RW1052: `result`", "it would fail again"),
    ("{with: {striker: mordred}, expect: {invalid: [no]}}", "RW1051: `invalid`", "nothing is played"),
]


@pytest.mark.parametrize(("scenarios", "what", "because"), LEFT)
def test_what_stays_is_told(scenarios: str, what: str, because: str, capsys: pytest.CaptureFixture[str]) -> None:
    written = f"  a: {scenarios}\n"
    assert accepted(written) == (1, written)
    told = capsys.readouterr().out
    assert f"warning {what} of `a` is not accepted: {because}" in told
    assert "there is nothing to accept" in told


def test_an_alias_elsewhere_is_not_changed_along(capsys: pytest.CaptureFixture[str]) -> None:
    before = "  a: {script: [[3]], expect: &all {result: 1}}\n  b: {script: [[5], dodge], expect: *all}\n"
    assert accepted(before) == (1, before)
    assert "RW1052" in capsys.readouterr().out


def test_a_wrong_scenario_is_told_and_nothing_of_it_accepted() -> None:
    before = "  a: {script: [[3], dodge], expect: {result: 1}}\n"
    assert accepted(before) == (2, before)


SHOWN = f"""\
{FILE}
     7   scenarios:
     8     a: {{script: [[3]], expect: {{changes: {{}},   # none
     9 -     result: 1}}}}
     9 +     result: 0}}}}
"""
TWO_LINES = "  a: {script: [[3]], expect: {changes: {},   # none\n    result: 1}}\n"


def test_without_a_terminal_it_is_only_shown(capsys: pytest.CaptureFixture[str]) -> None:
    Path(FILE).write_text(SHIELDED_STRIKE_HEAD + TWO_LINES, encoding="utf-8")
    assert run_command_line(["test", "--accept"]) == 1
    told = capsys.readouterr().out
    assert told.endswith(f"{SHOWN}nothing is written; `--accept --yes` writes this expectation\n1 failed\n")
    assert Path(FILE).read_text(encoding="utf-8") == SHIELDED_STRIKE_HEAD + TWO_LINES


@pytest.mark.parametrize(("typed", "code"), [("yes\n", 0), ("Y\n", 0), ("no\n", 1), ("\n", 1), ("", 1)])
def test_a_person_is_asked(typed: str, code: int) -> None:
    Path(FILE).write_text(SHIELDED_STRIKE_HEAD + TWO_LINES, encoding="utf-8")
    with patch("sys.stdin", Terminal(typed)), patch("sys.stdout", Terminal()) as shown:
        assert run_command_line(["test", "--accept"]) == code
    assert f"{SHOWN}write this expectation? (yes or no) " in shown.getvalue()
    assert ("result: 0" in Path(FILE).read_text(encoding="utf-8")) == (code == 0)


def test_as_data(capsys: pytest.CaptureFixture[str]) -> None:
    Path(FILE).write_text(SHIELDED_STRIKE_HEAD + TWO_LINES, encoding="utf-8")
    assert run_command_line(["test", "--accept", "--format", "json"]) == 1
    told = json.loads(capsys.readouterr().out)["accept"]
    assert told == {
        "written": False,
        "accepted": [{"file": FILE, "name": "a", "expectation": "result"}],
        "difference": SHOWN.splitlines(),
        "left": [],
    }


def test_a_byte_order_mark_and_line_ends_stay() -> None:
    before = (SHIELDED_STRIKE_HEAD + TWO_LINES).replace("\n", "\r\n")
    Path(FILE).write_bytes(b"\xef\xbb\xbf" + before.encode())
    assert run_command_line(["test", "--accept", "--yes"]) == 0
    assert Path(FILE).read_bytes() == b"\xef\xbb\xbf" + before.replace("result: 1", "result: 0").encode()


def test_a_file_that_changed_meanwhile_is_left(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Path(FILE).write_text(SHIELDED_STRIKE_HEAD + TWO_LINES, encoding="utf-8")
    changed = SHIELDED_STRIKE_HEAD + TWO_LINES + "# a word\n"
    monkeypatch.setattr(verb, "_output_proposals", lambda *_: Path(FILE).write_text(changed, encoding="utf-8"))
    assert run_command_line(["test", "--accept", "--yes"]) == 2
    assert capsys.readouterr().err == (
        f"error RW1053: `{FILE}` has changed since it was read\n  help: accept again, with what it says now\n"
    )
    assert Path(FILE).read_text(encoding="utf-8") == changed
    assert find_page("RW1053")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--yes"], "`--yes` does nothing without `--accept`"),
        (["--accept", "--watch"], "`--watch` and `--accept` cannot be combined"),
    ],
)
def test_options_that_do_not_fit(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command_line(["test", *arguments]) == 2
    assert capsys.readouterr().err.startswith(f"error RW0784: {message}\n")
