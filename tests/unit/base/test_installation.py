"""The line that adds an extra where the reader is."""

import json
import sys
from importlib.metadata import PathDistribution
from pathlib import Path

import pytest

from rulewright.base import files
from rulewright.base.files import get_install_command

CHECKOUT = {"url": "file:///home/me/my%20rules", "dir_info": {"editable": True}}
FOLDER = {"url": "file:///home/me/rules", "dir_info": {}}
WHEEL = {"url": "file:///tmp/rulewright-0.1.0-py3-none-any.whl", "archive_info": {}}
GIT = {"url": "https://example.org/rules", "vcs_info": {"vcs": "git", "commit_id": "abc"}}


@pytest.mark.parametrize(
    ("said", "ends"),
    [
        (CHECKOUT, "--editable '/home/me/my rules[pictures]'"),
        (FOLDER, "install '/home/me/rules[pictures]'"),
        (WHEEL, "install 'rulewright[pictures] @ file:///tmp/rulewright-0.1.0-py3-none-any.whl'"),
        (GIT, "install 'rulewright[pictures] @ git+https://example.org/rules@abc'"),
        (None, "install 'rulewright[pictures]'"),
    ],
)
@pytest.mark.parametrize(
    ("prefix", "pip", "begins"),
    [
        ("/home/me/.venv", True, "/home/me/.venv/bin/python -m pip install "),
        ("/home/me/.venv", False, "uv pip install --python /home/me/.venv/bin/python "),
        ("/home/me/.local/share/pipx/venvs/rulewright", False, "pipx install --force "),
    ],
)
def test_the_line_fits_the_installation(
    said: object, ends: str, prefix: str, pip: object, begins: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if said is not None:
        (tmp_path / "direct_url.json").write_text(json.dumps(said), encoding="utf-8")
    monkeypatch.setattr("importlib.metadata.distribution", lambda _: PathDistribution(tmp_path))
    monkeypatch.setattr(files, "find_spec", lambda _: pip or None)
    monkeypatch.setattr(sys, "prefix", prefix)
    monkeypatch.setattr(sys, "executable", f"{prefix}/bin/python")
    assert get_install_command("pictures").startswith(begins)
    assert get_install_command("pictures").endswith(ends.removeprefix("install "))
