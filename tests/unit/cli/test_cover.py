from pathlib import Path

import pytest

from rulewright.base.files import get_resource_folder
from rulewright.cli.main import run_command_line
from support.coverage_example import FILES
from support.html_pages import HtmlPage
from support.sample_sizes import sample_cases


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, content in FILES.items():
        Path(name).write_text(content, encoding="utf-8")


def test_the_page_colours_the_lines() -> None:
    assert run_command_line(["cover", "--html", "page.html"]) == 0
    page = HtmlPage(Path("page.html").read_text(encoding="utf-8"))
    lines = {found["id"]: found for tag, found in page.tags if tag == "span" and found.get("id")}
    assert lines["t0-33"] == {"class": "line full", "id": "t0-33", "title": "reached by loud\nreached by quiet"}
    assert lines["t0-36"]["class"] == "line part"
    assert lines["t0-36"]["title"] == (
        "not reached: edges ends\nnot reached: edges passed over\nnot reached: conditions when fails\nreached by quiet"
    )
    assert lines["t0-43"]["class"] == "line none"
    assert lines["t0-1"] == {"class": "line", "id": "t0-1"}
    clauses = {found["id"]: found["class"] for tag, found in page.tags if tag == "p" and "id" in found}
    assert clauses == {"DUE.1": "none", "DUE.1.a": "full", "DUE.1.b": "full", "DUE.2.a": "full"}
    links = {found["href"] for tag, found in page.tags if tag == "a"}
    assert links <= {f"#{each}" for each in lines}


def test_text_on_the_page_is_only_text() -> None:
    Path("duel.rules").write_text(FILES["duel.rules"].replace('"Rest"', '"<b>&Rest"'), encoding="utf-8")
    assert run_command_line(["cover", "--html", "page.html"]) == 0
    assert "&lt;b&gt;&amp;Rest" in Path("page.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("ruleset", sample_cases(["melee-phase-2025-10", "mel", "tricorne-melee", "melee-phase"], 4))
def test_the_suite_of_a_ruleset_reaches_all_of_it(ruleset: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command_line(["cover", str(Path(get_resource_folder("rulesets")) / ruleset), "--floor", "all=100"]) == 0
    assert capsys.readouterr().out.endswith(" passed\n")
