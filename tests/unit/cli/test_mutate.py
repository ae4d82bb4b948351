from pathlib import Path

import pytest

from rulewright.cli.main import run_command_line
from rulewright.diff import mutant_judging
from rulewright.diff.mutant_judging import MutantJudge
from support.mutation_example import RULES, SCENARIOS

ONE = ("--workers", "1")


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("duel.rules").write_text(RULES, encoding="utf-8")
    Path("duel.scenario.yaml").write_text(SCENARIOS, encoding="utf-8")


def test_several_workers_come_to_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command_line(["mutate", "--operators", "number,range,line", "--workers", "2"]) == 0
    several = capsys.readouterr().out
    assert run_command_line(["mutate", "--operators", "number,range,line", *ONE]) == 0
    assert capsys.readouterr().out == several


def test_the_list_tries_nothing(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(MutantJudge, "judge_mutant")
    assert run_command_line(["mutate", "--list", "--operators", "jump"]) == 0
    assert capsys.readouterr().out == (
        "  strike/1/proceed.3 jump 3 -> 2  duel.rules:16:18\n    - proceed to 3\n    + proceed to 2\n1 changes\n"
    )


def test_a_run_goes_on_where_it_was_interrupted(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ["mutate", "--operators", "number,line", "--resume", "verdicts.jsonl", *ONE]
    judge = MutantJudge.judge_mutant
    tried: list[str] = []

    def interrupted(self: MutantJudge, mutant: mutant_judging.Mutant) -> mutant_judging.MutantVerdict:
        if len(tried) == 5:
            raise KeyboardInterrupt
        tried.append(mutant.name)
        return judge(self, mutant)

    monkeypatch.setattr(MutantJudge, "judge_mutant", interrupted)
    assert run_command_line(command) == 2
    assert capsys.readouterr().err == (
        "5 of 15 changes were tried; the same command goes on from `verdicts.jsonl`\n\n\nstopped\n"
    )
    with Path("verdicts.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"mutant": "cut o')
    first = list(tried)
    tried.clear()
    monkeypatch.setattr(
        MutantJudge, "judge_mutant", lambda self, mutant: (tried.append(mutant.name), judge(self, mutant))[1]
    )
    assert run_command_line(command) == 0
    resumed = capsys.readouterr().out
    assert not set(first) & set(tried)
    assert len(tried) == 15 - 5
    assert run_command_line(command[:3] + list(ONE)) == 0
    assert capsys.readouterr().out == resumed


def test_one_more_scenario_leaves_what_is_noticed_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    command = ["mutate", "-k", "rout", "--resume", "verdicts.jsonl", *ONE]
    assert run_command_line(command) == 0
    judge = MutantJudge.judge_mutant
    tried: list[str] = []
    monkeypatch.setattr(
        MutantJudge, "judge_mutant", lambda self, mutant: (tried.append(mutant.name), judge(self, mutant))[1]
    )
    assert run_command_line(command) == 0
    assert tried == []
    more = "  left:\n    patch: {units: {b: {morale: 2}}}\n    script: [no]\n    expect: {path: ['1', '2']}\n"
    Path("duel.scenario.yaml").write_text(SCENARIOS + more, encoding="utf-8")
    assert run_command_line(command) == 0
    assert tried == ["rout number 0 -> 1", "rout number 1 -> 2", "rout number 1 -> 0"]
    tried.clear()
    Path("duel.rules").write_text(RULES.replace("2 from", "3 from"), encoding="utf-8")
    assert run_command_line(command) == 1
    assert tried == []
