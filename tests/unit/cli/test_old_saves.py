"""What a save of before, or of somebody else, is taken for."""

import json
from pathlib import Path

import pytest

from support.duel_example import START, RunCommand


def test_a_save_of_before_is_read_once_its_rules_are_named(run: RunCommand) -> None:
    run("play", *START, "--dice", "ask", "--save", "a.json", typed="5\nquit\n")
    _as_version_1(Path("a.json"))
    done = run("play", "--load", "a.json")
    assert (done.exit, done.err.splitlines()[0]) == (2, "error RW0875: `a.json` does not say where its rules are")
    done = run("play", "duel.rules", "--load", "a.json", typed="n\n")
    assert (done.exit, done.err) == (0, "")
    assert "  red    blow 1d6: 5 (typed)" in done.out.splitlines()


@pytest.mark.parametrize("rules", ["state.yaml", "../../etc/passwd", "/etc/passwd"])
def test_a_save_names_nothing_but_rules(run: RunCommand, rules: str) -> None:
    run("play", *START, "--dice", "ask", "--save", "a.json", typed="5\nquit\n")
    _signed(Path("a.json"), json.loads(Path("a.json").read_text(encoding="utf-8")) | {"rules": rules})
    done = run("play", "--load", "a.json")
    assert done.exit == 2
    assert "root:" not in done.err
    assert done.err.splitlines()[0].startswith(("error RW0875: ", "error RW0008: ", "error RW0020: "))


def _as_version_1(path: Path) -> None:
    data = json.loads(path.read_text(encoding="utf-8")) | {"version": 1, "position": 0}
    old = {key: value for key, value in data.items() if key not in {"kept", "rules", "overlays"}}
    old["answers"] = [{key: each[key] for key in ("at", "by", "answer")} for each in data["answers"]]
    _signed(path, old)


def _signed(path: Path, data: dict[str, object]) -> None:
    import hashlib  # noqa: PLC0415

    rest = {key: value for key, value in data.items() if key != "sum"}
    told = json.dumps(rest, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    path.write_text(json.dumps({**rest, "sum": hashlib.sha256(told.encode()).hexdigest()}), encoding="utf-8")
