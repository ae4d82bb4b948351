"""Every fault of the machine is foreseen by a warning, or has another cause that its page and the manual name."""

import re
from pathlib import Path

from rulewright.base.diagnostics.pages import find_page, list_page_files
from rulewright.runtime import faults as raised

MANUAL = Path(__file__).parents[2] / "grammar/manual/11-checks.md"
FAULTS = sorted(
    value for name, value in vars(raised).items() if name.isupper() and re.fullmatch(r"RW08\d\d", str(value))
)

OF_SIZE = "RW0851"


def table() -> str:
    """Each fault with the warnings that foresee it and its other causes."""
    rows = ["| fault | warning | other causes |", "|---|---|---|"]
    for code in FAULTS:
        found = find_page(code)
        assert found is not None
        warnings = ", ".join(found.foreseen)
        rows.append(f"| {code} {found.title} | {warnings} | {found.otherwise} |")
    return "\n".join(rows)


def test_every_fault_has_a_page_that_says_what_foresees_it() -> None:
    assert [code for code in list_page_files() if "RW0800" <= code < "RW0850" or code == OF_SIZE] == FAULTS
    pages = [found for code in FAULTS if (found := find_page(code)) is not None]
    assert [each.code for each in pages if not each.foreseen and not each.otherwise] == []


def test_what_foresees_a_fault_is_a_warning() -> None:
    named = {code for fault in FAULTS if (found := find_page(fault)) is not None for code in found.foreseen}
    weights = {code: found.severity for code in sorted(named) if (found := find_page(code)) is not None}
    assert sorted(weights) == sorted(named)
    assert {code: weight for code, weight in weights.items() if weight == "hint"} == {}


def test_the_manual_shows_the_table(*, accept: bool) -> None:
    text = MANUAL.read_text(encoding="utf-8")
    shown = re.search(r"^\| fault \|.*?(?=\n\n|\Z)", text, re.MULTILINE | re.DOTALL)
    assert shown is not None
    if accept:
        MANUAL.write_text(text.replace(shown[0].rstrip("\n"), table()), encoding="utf-8")
    else:
        assert shown[0].rstrip("\n") == table()
