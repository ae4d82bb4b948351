import json
from pathlib import Path

from duel import Run


def test_a_fine_ruleset(run: Run) -> None:
    done = run("check", "duel.rules")
    assert (done.exit, done.out, done.err) == (0, "duel.rules: fine\n", "")


def test_a_shipped_ruleset_tells_its_clauses(run: Run) -> None:
    assert run("check", "mel").out == "mel: fine, 55 of 55 clauses answered\n"


def test_an_error_is_found(run: Run) -> None:
    path = Path("duel.rules")
    path.write_text(
        path.read_text(encoding="utf-8").replace("striker.health > 0", "striker.helth > 0"), encoding="utf-8"
    )
    done = run("check", "duel.rules", "duel.rules")
    assert done.exit == 1
    lines = done.out.splitlines()
    assert lines[:2] == ["error RW0306: `Knight` has no attribute `helth`", "  --> duel.rules:9:24"]
    assert lines[-1] == "duel.rules: 1 error"


def test_a_missing_file_is_bad_input(run: Run) -> None:
    done = run("check", "duel.rules", "dual.rules")
    assert done.exit == 2
    assert done.out.splitlines() == [
        "error RW0001: there is no file `dual.rules`",
        "  help: did you mean `duel.rules`?",
        "duel.rules: fine",
        "dual.rules: 1 error",
    ]


def test_a_limit_leaves_unknown(run: Run) -> None:
    Path("deep.rules").write_text(
        f'ruleset deep "Deep" revision "1"\nmeasure m: {"(" * 5000}1{")" * 5000}\n', encoding="utf-8"
    )
    done = run("check", "deep.rules")
    assert done.exit == 3
    assert done.out.startswith("error RW0147: ")


def test_ten_million_brackets_are_refused_at_once(run: Run) -> None:
    Path("long.rules").write_text("(" * 10_000_000, encoding="utf-8")
    done = run("check", "long.rules")
    assert done.exit == 3
    assert done.out.startswith("error RW0005: `long.rules` is larger than ")


def test_json_has_findings_and_files(run: Run) -> None:
    done = run("check", "duel.rules", "nowhere.rules", "--format", "json")
    document = json.loads(done.out)
    assert [each["code"] for each in document["diagnostics"]] == ["RW0001"]
    assert [(each["path"], each["fine"], each["ruleset"]) for each in document["files"]] == [
        ("duel.rules", True, "duel"),
        ("nowhere.rules", False, None),
    ]


def test_an_overlay_beside_a_shipped_ruleset_goes_by_its_name(run: Run) -> None:
    assert run("check", "mel", "--overlay", "mel_dice").exit == 0
