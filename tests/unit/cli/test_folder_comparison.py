"""Folders are compared with all that lies in them: overlays, other rulesets, files that nothing reads."""

import json
import subprocess
from pathlib import Path
from typing import Any

from support.duel_example import STRIKE_RULES, STRIKE_SCENARIOS, CommandOutcome, RunCommand

SCENARIOS = f"""\
{STRIKE_SCENARIOS}\
  at home: {{overlays: [house.rules], script: [[6]], expect: {{changes: {{}}}}}}
"""
HOUSE = """\
amends duel revision "1-house"
insert after strike/1 step 2 "Weary":
  take up to 1 from striker.health
"""
TWICE = HOUSE.replace("up to 1", "up to 2")


def put(**folders: dict[str, str]) -> None:
    """Two folders, `old` and `new`, with the same scenarios."""
    for folder, texts in folders.items():
        (Path(folder) / "duel").mkdir(parents=True)
        for name, text in {"duel.rules": STRIKE_RULES, "duel.scenario.yaml": SCENARIOS, **texts}.items():
            (Path(folder) / "duel" / name).write_text(text, encoding="utf-8")


def compared(run: RunCommand, *options: str) -> tuple[CommandOutcome, dict[str, Any]]:
    """How the comparison ended and what it showed, and the same as data."""
    sides = ("old/duel", "new/duel", "--workers", "1", "--work", "60000", *options)
    return run("diff", *sides), json.loads(run("diff", *sides, "--format", "json").out)


def test_an_overlay_of_a_revision_of_git(run: RunCommand) -> None:
    put(here={"house.rules": HOUSE})
    for command in (("init", "-q"), ("add", "-A"), ("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "a")):
        subprocess.run(("git", *command), check=True, capture_output=True)  # noqa: S607
    Path("here/duel/house.rules").write_text(TWICE, encoding="utf-8")
    done = run("diff", "--git", "HEAD", "here/duel", "--workers", "1", "--work", "60000")
    assert done.exit == 1
    assert "With house.rules: 1 rule differs" in done.out
