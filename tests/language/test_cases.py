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
        case.path.write_text(played, encoding="utf-8")
    assert played == case.written()


def test_good_cases_have_no_errors() -> None:
    broken = [case.name for case in cases() if case.good and "error RW" in case.found()]
    assert broken == []
