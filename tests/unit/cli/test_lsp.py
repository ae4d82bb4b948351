"""The verb `lsp` without its library; with it, `tests/unit/language_server` holds sessions."""

from importlib import util

import pytest

from rulewright.installing import installing
from support.duel import Run


def test_without_its_library_it_says_what_to_install(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rulewright.cli.lsp.find_spec", lambda name: None if name == "pygls" else util.find_spec(name))
    done = run("lsp")
    assert (done.exit, done.err) == (
        2,
        f"error RW1180: the language server is not installed\n  help: `{installing('lsp')}`\n",
    )
