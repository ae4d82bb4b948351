"""Every case of the language comes out as written."""

from pathlib import Path

import pytest

from support.language_cases import Case, list_cases


@pytest.mark.parametrize("case", list_cases(), ids=lambda case: case.name)
def test_case(case: Case, tmp_path: Path, *, accept: bool) -> None:
    assert not case.good or "error RW" not in case.diagnostics
    if case.silent():
        assert case.good, "a bad case needs a `message` or `console` block"
        assert case.diagnostics == ""
        return
    played = case.run_blocks(tmp_path)
    if accept:
        case.accept_output(played)
    assert played == case.read_text()


WORKS = """```rules
ruleset example "One line" revision "1"
game:
  score: 0..9 = 0
procedure scored() gives 0..9:
  step 1 "Score":
    add up to 1 to score
    finish with score
```

```yaml state.yaml
players: [red]
```

```console
$ rulewright run example.rules scored --state state.yaml
```
"""


@pytest.mark.parametrize(
    ("was", "slip"),
    [("add up to 1 to score", "add up to 1 to scores"), ("--state state.yaml", "--state stat.yaml")],
)
def test_a_good_case_never_comes_to_fail_by_accepting(was: str, slip: str, tmp_path: Path) -> None:
    for text in (
        WORKS.replace(was, slip),
        WORKS.replace("```console", "```message\n```\n\n```console").replace(was, slip),
    ):
        path = tmp_path / "good" / "slip.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        case = Case(path)
        with pytest.raises(AssertionError, match="good case"):
            case.accept_output(case.run_blocks(tmp_path))
        assert case.read_text() == text
    path.write_text(WORKS, encoding="utf-8")
    Case(path).accept_output(Case(path).run_blocks(tmp_path))
    assert "scored ended: 1" in path.read_text(encoding="utf-8")
