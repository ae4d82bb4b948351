"""The verb `read`: printed, written, and compared with what was written before."""

from pathlib import Path

from support.duel import Run


def test_the_chapter_is_printed(run: Run) -> None:
    done = run("read", "duel.rules")
    assert done.exit == 0
    assert "### A strike" in done.out
    assert "#### 2 The wound" in done.out
    assert (
        "- The target's owner may parry. This is asked only if the target is marked “shield”; else the answer is no."
        in done.out
    )


def test_a_written_chapter_is_up_to_date_until_a_rule_changes(run: Run) -> None:
    for option, file in (("--write", "duel.md"), ("--html", "duel.html")):
        assert run("read", "duel.rules", option, file).exit == 0
        assert run("read", "duel.rules", "--check", file).exit == 0
    rules = Path("duel.rules")
    rules.write_text(rules.read_text(encoding="utf-8").replace("up to 2 from", "up to 3 from"), encoding="utf-8")
    for option, file in (("--write", "duel.md"), ("--html", "duel.html")):
        done = run("read", "duel.rules", "--check", file)
        assert done.exit == 1
        assert done.out == f"{file} is not what the rules say now; `{option} {file}` writes it again\n"


def test_other_files_are_not_written_over(run: Run) -> None:
    before = Path("duel.rules").read_text(encoding="utf-8")
    for option in ("--write", "--html"):
        done = run("read", "duel.rules", option, "duel.rules")
        assert done.exit == 2
        assert "RW0013" in done.err
    assert Path("duel.rules").read_text(encoding="utf-8") == before


def test_words_of_an_author_are_no_markup(run: Run) -> None:
    text = Path("duel.rules").read_text(encoding="utf-8")
    Path("duel.rules").write_text(text.replace('"A strike"', '"<b>A</b> *strike* [x](y)"'), encoding="utf-8")
    assert "\\<b\\>A\\</b\\> \\*strike\\* \\[x\\](y)" in run("read", "duel.rules").out
    run("read", "duel.rules", "--html", "duel.html")
    assert "<b>A" not in Path("duel.html").read_text(encoding="utf-8")


def test_the_sheet_says_who_decides_and_rolls_in_each_step(run: Run) -> None:
    done = run("read", "duel.rules", "--sheet")
    assert done.exit == 0
    first, _, steps = done.out.partition("## Sequence")
    assert first.startswith("<!-- made by `rulewright read --sheet` -->\n# A duel\n")
    assert [line for line in steps.split("\n") if line] == [
        "### A strike",
        "#### 1 Roll to hit",
        "- Striker's owner rolls one d6 (blow)",
        "#### 2 The wound",
        "- Target's owner: Parry?",
        "#### 3 Falls",
        "- Only if the target's health is 0",
    ]


def test_a_written_sheet_is_checked_as_a_sheet(run: Run) -> None:
    for option, file in (("--write", "duel.md"), ("--html", "duel.html")):
        assert run("read", "duel.rules", "--sheet", option, file).exit == 0
        assert run("read", "duel.rules", "--check", file).exit == 0
    rules = Path("duel.rules")
    rules.write_text(rules.read_text(encoding="utf-8").replace('"Parry?"', '"Parry it?"'), encoding="utf-8")
    for option, file in (("--write", "duel.md"), ("--html", "duel.html")):
        done = run("read", "duel.rules", "--check", file)
        assert done.exit == 1
        assert done.out == f"{file} is not what the rules say now; `--sheet {option} {file}` writes it again\n"
