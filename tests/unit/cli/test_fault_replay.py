"""What cannot be carried on names its line, and a command that meets it again."""

import re
import shlex
from pathlib import Path

import pytest

from support.duel_example import RULES, START, RunCommand


@pytest.mark.parametrize("command", [["odds"], ["simulate", "--runs", "200", "--seed", "5"]])
def test_a_fault_has_a_line_and_a_command_that_meets_it(run: RunCommand, command: list[str]) -> None:
    Path("duel.rules").write_text(RULES.replace("take up to 2", "take 4"), encoding="utf-8")
    verb, *options = command
    done = run(verb, *START, *options, "--policy", "random", "--of", "mordred.health")
    assert done.exit == 1
    stops, where, again = done.out.splitlines()[-3:]
    line = RULES.splitlines().index("      take up to 2 from target.health") + 1
    assert (stops, where) == ("RW0803 stops at strike/2/take.target.health", f"  --> duel.rules:{line}:7")
    found = re.fullmatch(r"  `rulewright (.*)` plays it", again)
    assert found is not None
    played = run(*shlex.split(found[1]))
    assert played.exit == 1
    assert f"  --> duel.rules:{line}:7" in played.out
