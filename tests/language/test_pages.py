"""Every page of a diagnostic shows the truth, and every code has one."""

import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

import rulewright
from rulewright.base.diagnostics import Diagnostic
from rulewright.base.diagnostics.pages import FencedBlock, find_page, list_page_files
from rulewright.base.diagnostics.remedies import apply_diagnostic_edits
from rulewright.base.diagnostics.renderings import render_plain_diagnostic
from rulewright.base.files import FileProvider, MemoryFiles
from rulewright.documents.check_findings import apply_fixes
from rulewright.documents.ruleset_loading import LoadedRuleset, load_ruleset
from rulewright.documents.ruleset_location import locate_ruleset

IN_WORDS = [
    f"RW{number}"
    for number in """
    0002 0010 0108 0117 0120 0147 0149 0150 0204 0206 0207 0208 0211 0214 0216 0219 0220 0222 0223 0240
    0241 0244 0247 0250 0304 0305 0307 0309 0310 0311 0312 0313 0315 0316 0319 0320 0324 0325 0328 0329 0330
    0331 0332 0333 0334 0335 0340 0341 0342 0343 0344 0345 0360 0370 0372 0373 0401 0403 0404 0405 0406 0407
    0408 0409 0411 0412 0413 0416 0417 0418 0419 0420 0421 0422 0423 0424 0427 0501 0502 0503 0506 0507 0508 0509
    0510 0514 0515 0516 0517 0518 0520 0521 0522 0523 0524 0525 0526 0527 0529 0530 0532 0533 0534 0536 0537
    0538 0539 0540 0541 0542 0543 0544 0545 0546 0551 0552 0554 0555 0556 0557 0558 0559 0564 0565 0568 0569 0603
    0571 0572 0573 0596 0604 0605 0606 0607 0608 0611 0612 0613 0616 0620 0621 0622 0860 0861
    """.split()  # noqa: SIM905 - reads best without quotes and commas
]
"""The codes whose remedy on their page only the author can write; every other page carries an edit that mends it."""

PACKAGE = Path(rulewright.__file__).parent
RULES_ONLY = [
    code
    for code in list_page_files()
    if (found := find_page(code)) is not None
    and {block.kind.split(" ")[0] for block in found.fails} in ({"rules", "message"}, {"rules", "clauses", "message"})
]


def _read(provider: FileProvider) -> LoadedRuleset:
    return load_ruleset(locate_ruleset("example.rules", provider), provider=provider)


def _heads(loaded: LoadedRuleset) -> list[str]:
    return ["\n".join(render_plain_diagnostic(each, loaded.texts).splitlines()[:2]) for each in loaded.diagnostics]


class FailingText(NamedTuple):
    """What a page shows to be wrong: its files, read once, with the message that it shows."""

    code: str
    files: Mapping[str, str]
    loaded: LoadedRuleset
    message: str
    mended: Mapping[str, str]

    @property
    def mendable(self) -> list[Diagnostic]:
        return [each for each in self.loaded.diagnostics if each.code == self.code and each.edits]


def _files(blocks: tuple[FencedBlock, ...]) -> dict[str, str]:
    return {
        ([*block.kind.split(" "), "example.rules"])[1]: block.content
        for block in blocks
        if block.kind.split(" ")[0] in {"rules", "clauses"}
    }


@pytest.fixture(scope="module", params=RULES_ONLY)
def failing(request: pytest.FixtureRequest) -> FailingText:
    page = find_page(request.param)
    assert page is not None
    assert page.mended
    files = _files(page.fails)
    (message,) = (block.content for block in page.fails if block.kind == "message")
    return FailingText(page.code, files, _read(MemoryFiles(files)), message.rstrip("\n"), _files(page.mended))


def test_the_failing_text_gives_exactly_the_message_and_the_mended_text_none(failing: FailingText) -> None:
    assert "\n".join(_heads(failing.loaded)) == failing.message
    assert failing.code in failing.message
    assert _heads(_read(MemoryFiles(failing.mended))) == []


def _known(loaded: LoadedRuleset) -> Counter[tuple[str, str]]:
    return Counter((each.code, each.message) for each in loaded.diagnostics)


def test_the_remedy_mends_the_failing_text_and_nothing_new_is_wrong(failing: FailingText) -> None:
    """Or it is words, which are no edit."""
    assert bool(failing.mendable) == (failing.code not in IN_WORDS)
    before = _known(failing.loaded)
    for each in failing.mendable:
        mended = apply_diagnostic_edits([each], failing.loaded.texts)
        after = _known(_read(MemoryFiles({**failing.files, **mended})))
        assert after[each.code, each.message] < before[each.code, each.message]
        assert after - before == Counter()


def test_what_is_fixed_is_checked_again(failing: FailingText) -> None:
    provider = MemoryFiles(failing.files)

    def read(files: FileProvider) -> LoadedRuleset:
        return failing.loaded if files is provider else _read(files)

    for unsafe in (False, True):
        mended = apply_fixes([read], provider, lambda _: True, unsafe=unsafe)
        assert all(unsafe or each.is_safe_to_mend for each in mended.fixed)
        assert len(mended.loaded[0].errors) <= len(failing.loaded.errors)
        assert sum((_known(mended.loaded[0]) & Counter((e.code, e.message) for e in mended.fixed)).values()) == 0


def _raised() -> dict[str, str]:
    return {
        code: path.name
        for path in sorted(PACKAGE.rglob("*.py"))
        for code in re.findall(r"\"(RW\d{4})\"", path.read_text(encoding="utf-8"))
    }


def test_every_code_raised_has_a_page() -> None:
    assert {code: file for code, file in _raised().items() if code not in list_page_files()} == {}


def test_every_page_has_a_code_that_is_raised() -> None:
    assert sorted(set(list_page_files()) - set(_raised())) == []


def test_a_page_says_its_own_code() -> None:
    for code in list_page_files():
        found = find_page(code)
        assert found is not None
        assert found.code == code
        assert found.severity in {"error", "warning", "hint"}, code
        assert found.title, code
        assert found.text, code


def test_no_code_has_two_pages() -> None:
    pages = list((PACKAGE / "base" / "diagnostics" / "pages").glob("*.md"))
    assert len(list_page_files()) == len(pages)
