import json
from pathlib import Path

import pytest

from support.duel_example import RunCommand

MESSY = 'ruleset duel "A duel" revision "1"\n# kept\nkind Knight,knights:\n  health:0..9   # also kept\n'
NEAT = 'ruleset duel "A duel" revision "1"\n# kept\nkind Knight, knights:\n  health: 0..9  # also kept\n'


def test_line_ends_become_those_of_unix(run: RunCommand) -> None:
    path = Path("messy.rules")
    path.write_bytes(NEAT.replace("\n", "\r\n").encode())
    assert run("fmt", "messy.rules").exit == 0
    assert path.read_bytes() == NEAT.encode()


def test_a_link_stays_a_link(run: RunCommand) -> None:
    Path("messy.rules").write_text(MESSY, encoding="utf-8")
    Path("link.rules").symlink_to("messy.rules")
    run("fmt", "link.rules")
    assert Path("link.rules").is_symlink()
    assert Path("messy.rules").read_text(encoding="utf-8") == NEAT


def test_json_lists_what_changed(run: RunCommand) -> None:
    Path("messy.rules").write_text(MESSY, encoding="utf-8")
    done = run("fmt", "--check", "messy.rules", "--format", "json")
    assert json.loads(done.out) == {"version": 1, "changed": ["messy.rules"], "written": False}


def test_shipped_rulesets_are_laid_out(run: RunCommand) -> None:
    from rulewright.base.files import get_resource_folder  # noqa: PLC0415

    done = run("fmt", "--check", str(get_resource_folder("rulesets")))
    assert (done.exit, done.out) == (0, "")


def test_a_layout_that_would_change_the_meaning_is_not_written(
    run: RunCommand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rulewright.syntax.format.format_file", lambda _file, text: text.content.replace("< 4", "< 5"))
    before = (tmp_path / "duel.rules").read_bytes()
    done = run("fmt", "duel.rules")
    message = "error RW0012: laying out `duel.rules` would change what it means, so it is left alone"
    assert (done.exit, (done.out + done.err).splitlines()[0]) == (2, message)
    assert (tmp_path / "duel.rules").read_bytes() == before
