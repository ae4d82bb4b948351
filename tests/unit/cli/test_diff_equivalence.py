"""Edits that are proved to leave play as it is, told apart from changes; scripts that name what was renumbered."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from rulewright.base.files import get_resource_folder
from support.duel_example import RunCommand

OLD = """\
ruleset duel "A duel" revision "1"
kind Knight, knights "A knight":
  owner: player
  health: 0..9
  shield: flag = no
term down(k: Knight) gives flag means k.health = 0
procedure strike(striker: Knight, target: Knight) "A strike":
  require enemy: striker.owner != target.owner "only enemies are struck"
  step 1 "Roll to hit":
    roll d6 as blow by striker.owner
    if blow.natural >= 4 and not target.shield:
      take up to 1 from target.health
  step 2 "Falls" when down(target):
    ask target.owner whether prays "Pray?"
    remove target
"""


def compared(run: RunCommand, new: str, *more: str, exits: int) -> dict[str, Any]:
    Path("old.rules").write_text(OLD, encoding="utf-8")
    Path("new.rules").write_text(new, encoding="utf-8")
    done = run("diff", "old.rules", "new.rules", "--format", "json", *more)
    assert done.exit == exits, done
    found: dict[str, Any] = json.loads(done.out)
    schema = json.loads((get_resource_folder("grammar") / "schemas" / "diff.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(found, schema)
    return found


@pytest.mark.parametrize("form", ["plain", "markdown"])
def test_people_are_told_too(run: RunCommand, form: str) -> None:
    compared(run, OLD.replace("k.health = 0", "k.health < 1"), exits=0)
    told = run("diff", "old.rules", "new.rules", "--format", form, "--html", "page.html", "--all").out
    title = "Written differently, play proved the same"
    assert title in told
    assert "Rules:" not in told
    assert title in Path("page.html").read_text(encoding="utf-8")
