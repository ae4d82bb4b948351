"""Every case of the language comes out as written."""

from pathlib import Path

import pytest

from support.cases import Case, cases


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_case(case: Case, tmp_path: Path, *, accept: bool) -> None:
    if case.silent():
        assert case.good, "a bad case needs a `message` or `console` block"
        assert case.found() == ""
        return
    played = case.played(tmp_path)
    if accept:
        case.accept(played)
    assert played == case.written()


def test_good_cases_have_no_errors() -> None:
    broken = [case.name for case in cases() if case.good and "error RW" in case.found()]
    assert broken == []


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
            case.accept(case.played(tmp_path))
        assert case.written() == text
    path.write_text(WORKS, encoding="utf-8")
    Case(path).accept(Case(path).played(tmp_path))
    assert "scored ended: 1" in path.read_text(encoding="utf-8")
